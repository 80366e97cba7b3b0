//! A game on the simulated console, played by a careless player and filmed by the simulated camera, with the truth about
//! every picture.
#![allow(dead_code, clippy::expect_used)]

use image::RgbImage;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Buttons;
use stackhand::game::Movement;
use stackhand::game::nes::{Console, Event, Phase};
use stackhand::game::{Board, Piece, Pose};
use stackhand::message::Frame;
use stackhand::planner::Weights;
use stackhand::planner::{Moves, two_piece};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::CameraModel;
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::table::view;
use stackhand::twin::view::{ConsoleView, Screen, Tile};
use std::collections::VecDeque;
use std::sync::Arc;

/// Console frames a second.
const CONSOLE_HZ: f64 = 60.0988;

/// What is played, and how.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    pub hard: f64,
    pub seed: u64,
    pub fps: f64,
    pub size: [u32; 2],
    pub level: u8,
    /// Share of pieces that are placed badly.
    pub careless: f64,
    /// Share of pieces during which the game is paused.
    pub pauses: f64,
}

impl Setup {
    /// A game at 30 pictures a second, at a level drawn from the seed.
    pub fn new(hard: f64, seed: u64) -> Self {
        let level = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 19;
        Self { hard, seed, fps: 30.0, size: [640, 480], level: level as u8, careless: 0.15, pauses: 0.0 }
    }
}

/// A spawn as it happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Spawn {
    pub t_ms: f64,
    pub piece: Piece,
    pub next: Piece,
    pub board: Board,
    pub level: u8,
}

/// What the console showed during one exposure.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Everything shown, each with its share of the time, and what the console was doing.
    pub shown: Vec<(f32, ConsoleView, Phase)>,
}

impl Truth {
    /// The share of the exposure in which a cell was full.
    pub fn full(&self, x: usize, y: usize) -> f32 {
        self.shown.iter().filter(|(_, view, _)| is_full(view, x, y)).map(|(share, ..)| share).sum()
    }

    /// Whether the falling piece stood in exactly these cells for a part of the time.
    pub fn shows_somewhile(&self, cells: &[(usize, usize)]) -> bool {
        let stands = |view: &ConsoleView| {
            view.falling.is_some_and(|(falling, _)| cells.iter().all(|c| falling.contains(&(c.0 as i8, c.1 as i8))))
        };
        self.shown.iter().any(|(_, view, _)| stands(view))
    }

    /// The next box's piece, if it was there all the time.
    pub fn next(&self) -> Option<Piece> {
        let first = self.shown.first()?.1.next;
        first.filter(|_| self.shown.iter().all(|(_, view, _)| view.next == first))
    }

    /// Whether the whole exposure shows a game in which a piece falls or has just locked.
    pub fn is_play(&self) -> bool {
        let calm = |phase: &Phase| !matches!(phase, Phase::Menu | Phase::Curtain | Phase::Paused);
        self.shown.iter().all(|(_, view, phase)| calm(phase) && view.screen == Screen::Game)
    }
}

fn is_full(view: &ConsoleView, x: usize, y: usize) -> bool {
    let falls = view.falling.is_some_and(|(cells, _)| cells.contains(&(x as i8, y as i8)));
    view.screen == Screen::Game && (view.playfield[y][x] != Tile::Empty || falls)
}

struct Shown {
    from_ms: f64,
    view: ConsoleView,
    phase: Phase,
    picture: Picture,
}

/// The game and the camera before it.
pub struct Film {
    pub camera: CameraModel,
    pub console: Console,
    pub spawns: Vec<Spawn>,
    setup: Setup,
    dice: Xoshiro256PlusPlus,
    movement: Movement,
    target: Option<Pose>,
    wait: u32,
    hurry: bool,
    pause: Option<u32>,
    held: Buttons,
    frame_ms: f64,
    next_poll_ms: f64,
    period_ms: f64,
    first_ms: f64,
    index: u64,
    on_screen: VecDeque<Shown>,
}

impl Film {
    pub fn new(setup: Setup, layout: &Layout) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(setup.seed ^ 0x706c_6179);
        let warm_up = 600 + dice.random_range(0..20_000);
        let period_ms = 1000.0 / setup.fps * (1.0 + dice.random_range(-1e-4..1e-4));
        Self {
            camera: CameraModel::new(setup.hard, setup.seed, setup.fps, setup.size),
            console: Console::new(setup.level, warm_up),
            spawns: Vec::new(),
            movement: layout.movement().expect("the layout's pieces are known"),
            target: None,
            wait: 30,
            hurry: false,
            pause: None,
            held: Buttons::NONE,
            frame_ms: 1000.0 / CONSOLE_HZ,
            next_poll_ms: dice.random_range(0.0..16.0),
            first_ms: 50.0 + dice.random_range(0.0..period_ms),
            period_ms,
            index: 0,
            on_screen: VecDeque::new(),
            dice,
            setup,
        }
    }

    /// The next picture, and what it should show.
    pub fn shoot(&mut self) -> (Frame, Truth) {
        let end_ms = self.first_ms + self.index as f64 * self.period_ms;
        let begin_ms = end_ms - self.camera.exposure_ms();
        while self.next_poll_ms + self.frame_ms <= end_ms {
            self.poll();
        }
        while self.on_screen.get(1).is_some_and(|next| next.from_ms <= begin_ms) {
            self.on_screen.pop_front();
        }
        let until = self.on_screen.iter().skip(1).map(|s| s.from_ms).chain([f64::INFINITY]);
        let spans = self.on_screen.iter().zip(until).map(|(s, until)| {
            ((((until.min(end_ms) - s.from_ms.max(begin_ms)) / (end_ms - begin_ms)) as f32).clamp(0.0, 1.0), s)
        });
        let shown: Vec<(f32, &Shown)> = spans.filter(|(share, _)| *share > 0.0).collect();
        let pictures: Vec<(f32, &Picture)> = shown.iter().map(|(share, s)| (*share, &s.picture)).collect();
        let image: RgbImage = self.camera.expose(&pictures, self.index);
        let truth = Truth { shown: shown.iter().map(|(share, s)| (*share, s.view.clone(), s.phase)).collect() };
        let (index, time) = (CameraFrame(self.index), HostTime::from_ms(end_ms));
        self.index += 1;
        (Frame { index, time, name: None, file: None, image: Arc::new(image) }, truth)
    }

    fn poll(&mut self) {
        self.held = self.buttons();
        let from_ms = self.next_poll_ms + self.frame_ms + 1.27;
        let event = self.console.frame(self.held);
        if let Some(Event::Spawned(piece, next)) = event {
            let (board, level) = (self.console.board, self.console.counters.level);
            self.spawns.push(Spawn { t_ms: from_ms, piece, next, board, level });
            self.aim(piece, next);
        }
        let view = view(&self.console);
        let mut picture = Picture::new();
        draw(&view, &mut picture);
        self.on_screen.push_back(Shown { from_ms, view, phase: self.console.phase, picture });
        self.next_poll_ms += self.frame_ms;
    }

    fn aim(&mut self, piece: Piece, next: Piece) {
        let spawn = self.movement.spawn(piece);
        let weights = Weights::default();
        let candidates = two_piece(&self.console.board, spawn, Some(next), &Moves::freely(&self.movement), &weights);
        let is_careless = self.dice.random_range(0.0..1.0) < self.setup.careless;
        let which = if is_careless { self.dice.random_range(0..candidates.len().clamp(1, 12)) } else { 0 };
        self.target = candidates.get(which).map(|c| c.pose);
        self.wait = self.dice.random_range(2..20);
        if self.console.board.count() == 0 {
            // Nobody is ready at once when a game begins.
            self.wait += 15;
        }
        self.hurry = self.dice.random_range(0..4) > 0;
        let pauses = self.dice.random_range(0.0..1.0) < self.setup.pauses;
        self.pause = pauses.then(|| self.dice.random_range(40..140));
    }

    /// What the player holds in this frame: taps, so never the same button twice in a row but Down.
    fn buttons(&mut self) -> Buttons {
        let tap = |button: Buttons, held: Buttons| if held.intersects(button) { Buttons::NONE } else { button };
        self.wait = self.wait.saturating_sub(1);
        match self.console.phase {
            Phase::Menu | Phase::Ending if self.wait == 0 => tap(Buttons::START, self.held),
            Phase::Curtain => {
                // The curtain falls for 144 frames.
                self.wait = 200u32.min(self.wait.max(1)).max(u32::from(self.console.curtain_rows < 20) * 60);
                if self.wait == 1 { tap(Buttons::START, self.held) } else { Buttons::NONE }
            }
            Phase::Paused => match self.pause {
                Some(0) | None => {
                    self.pause = None;
                    tap(Buttons::START, self.held)
                }
                Some(frames) => {
                    self.pause = Some(frames - 1);
                    Buttons::NONE
                }
            },
            Phase::Falling if self.wait == 0 => {
                if self.pause.is_some() {
                    return tap(Buttons::START, self.held);
                }
                let Some(target) = self.target else { return Buttons::DOWN };
                let pose = self.console.control.pose;
                if pose.orientation != target.orientation {
                    tap(Buttons::A, self.held)
                } else if pose.x != target.x {
                    tap(if pose.x < target.x { Buttons::RIGHT } else { Buttons::LEFT }, self.held)
                } else if self.hurry {
                    Buttons::DOWN
                } else {
                    Buttons::NONE
                }
            }
            _ => Buttons::NONE,
        }
    }
}
