//! After whatever went wrong the belief is the true board again within two pieces.
//!
//! A real console is played at random and filmed by an ideal camera that blends console frames as a real one does. Then
//! something goes wrong with the pictures for a while, again and again.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::belief::{Belief, Event};
use stackhand::game::Buttons;
use stackhand::game::Movement;
use stackhand::game::Rules;
use stackhand::game::nes::{Console, Event as ConsoleEvent, Phase};
use stackhand::game::{Board, Piece};
use stackhand::message::{CellGrid, Observation, ScreenState, Sighting};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use std::collections::VecDeque;

const FRAME_MS: f64 = 1000.0 / 60.0988;
/// Spawns without a fault between two faults.
const CALM_SPAWNS: usize = 8;

#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Something stands before the camera.
    Gap,
    /// Some cells are read wrong, surely so.
    WrongCells,
    /// The spawn place cannot be read.
    NoSpawn,
    /// The next box shows something else.
    WrongNext,
}

/// What is on the console's screen in one frame.
#[derive(Clone)]
struct Shown {
    cells: Board,
    spawn: Sighting,
    next: Option<Piece>,
    curtain: bool,
}

/// A spawn as it truly happened.
#[derive(Debug, Clone)]
struct Truth {
    time_ms: f64,
    piece: Piece,
    next: Piece,
    board: Board,
    /// Spawns since the last fault ended; `None` during one.
    calm: Option<usize>,
    reported: bool,
}

struct Run {
    console: Console,
    movement: Movement,
    belief: Belief,
    dice: Xoshiro256PlusPlus,
    frames: u64,
    held: Buttons,
    game_frames: u32,
    screen: VecDeque<(f64, Shown)>,
    truths: Vec<Truth>,
    calm: Option<usize>,
    with_faults: bool,
    exposure_ms: f64,
    wrong: Vec<String>,
}

impl Run {
    fn new(level: u8, fps: f64, seed: u64, with_faults: bool) -> Self {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        Self {
            console: Console::new(level, 1000 + seed as u32),
            belief: Belief::new(movement.clone(), Rules::Nes, [10, 20], level, false),
            movement,
            dice: Xoshiro256PlusPlus::seed_from_u64(seed),
            frames: 0,
            held: Buttons::NONE,
            game_frames: 0,
            screen: VecDeque::new(),
            truths: Vec::new(),
            calm: Some(0),
            with_faults,
            exposure_ms: (480.0 / fps).min(16.0),
            wrong: Vec::new(),
        }
    }

    /// One console frame, played at random.
    fn frame(&mut self) {
        if self.frames.is_multiple_of(5) {
            let choices = [Buttons::DOWN, Buttons::LEFT, Buttons::RIGHT, Buttons::A, Buttons::DOWN, Buttons::NONE];
            self.held = choices[self.dice.random_range(0..choices.len())];
        } else if self.frames % 5 == 3 && self.held != Buttons::DOWN {
            self.held = Buttons::NONE;
        }
        let needs_start = matches!(self.console.phase, Phase::Menu | Phase::Curtain | Phase::Ending);
        // A game's first piece was promised by nobody: it is given a few pictures' time to be seen.
        self.game_frames = if needs_start { 0 } else { self.game_frames + 1 };
        let held = if self.game_frames < 12 { Buttons::NONE } else { self.held };
        let held = if needs_start && self.frames % 40 < 3 { Buttons::START } else { held };
        let event = self.console.frame(held);
        self.frames += 1;
        if let Some(ConsoleEvent::Spawned(piece, next)) = event {
            self.calm = self.calm.map(|n| n + 1);
            let (time_ms, board) = (self.now_ms(), self.console.board);
            // The next fault begins with the last of them.
            let calm = self.calm.filter(|n| !self.with_faults || *n < CALM_SPAWNS);
            self.truths.push(Truth { time_ms, piece, next, board, calm, reported: false });
        }
        let shown = self.shown();
        self.screen.push_back((self.now_ms() + FRAME_MS, shown));
        if self.screen.len() > 8 {
            self.screen.pop_front();
        }
    }

    fn now_ms(&self) -> f64 {
        self.frames as f64 * FRAME_MS
    }

    fn shown(&self) -> Shown {
        let mut cells = Board::new(10, 20);
        for (y, row) in self.console.shown.iter().enumerate() {
            for x in (0..10).filter(|x| row[*x].is_some() || y < usize::from(self.console.curtain_rows)) {
                cells.fill(x, y);
            }
        }
        let pose = self.console.control.pose;
        if self.console.piece_shown {
            for (x, y) in pose.cells().into_iter().filter(|c| c.0 >= 0 && c.1 >= 0) {
                cells.fill(x as usize, y as usize);
            }
        }
        let piece = pose.orientation.piece();
        let at_spawn = self.console.piece_shown && pose == self.movement.spawn(piece);
        let others = (3..8).any(|x| (0..2).any(|y| cells.is_full(x, y) && !pose.cells().contains(&(x as i8, y as i8))));
        let at_spawn = at_spawn && !others;
        let region_is_empty = (3..7).all(|x| (0..2).all(|y| !cells.is_full(x, y)));
        let spawn = match (at_spawn, region_is_empty) {
            (true, _) => Sighting::Piece(piece, 0.99),
            (_, true) => Sighting::Empty(0.99),
            _ => Sighting::Unknown,
        };
        Shown { cells, spawn, next: Some(self.console.next), curtain: self.console.phase == Phase::Menu }
    }

    /// What the camera sees in an exposure of 16 ms that ends at `end_ms`.
    fn expose(&self, index: u64, end_ms: f64) -> Observation {
        let begin = end_ms - self.exposure_ms;
        let until = self.screen.iter().skip(1).map(|(from, _)| *from).chain([f64::INFINITY]);
        let spans = self
            .screen
            .iter()
            .zip(until)
            .map(|((from, shown), to)| ((to.min(end_ms) - from.max(begin)) / self.exposure_ms, shown));
        let spans: Vec<(f64, &Shown)> = spans.filter(|(share, _)| *share > 1e-6).collect();
        let p_full = (0..200).map(|i| {
            let share: f64 =
                spans.iter().filter(|(_, s)| s.cells.is_full(i % 10, i / 10)).map(|(share, _)| share).sum();
            (1.0 / (1.0 + (-(share - 0.42) / 0.06).exp())) as f32
        });
        let same = |value: fn(&Shown) -> Option<Piece>| {
            let first = value(spans[0].1);
            first.filter(|_| spans.iter().all(|(_, s)| value(s) == first))
        };
        let spawn = match same(|s| s.spawn.piece()) {
            Some(piece) => Sighting::Piece(piece, 0.99),
            None if spans.iter().all(|(_, s)| matches!(s.spawn, Sighting::Empty(_))) => Sighting::Empty(0.99),
            None => Sighting::Unknown,
        };
        let is_menu = spans.iter().any(|(_, s)| s.curtain);
        Observation {
            frame: CameraFrame(index),
            time: HostTime::from_ms(end_ms),
            grid: CellGrid::new(10, 20, p_full.collect()).unwrap(),
            spawn,
            next: same(|s| s.next).map_or(Sighting::Unknown, |piece| Sighting::Piece(piece, 0.99)),
            queue: Vec::new(),
            hold: Sighting::Unknown,
            state: if is_menu { ScreenState::Obscured } else { ScreenState::Playing },
        }
    }

    fn spoil(&mut self, seen: Observation, fault: Fault, cells: &[(usize, usize)]) -> Observation {
        match fault {
            Fault::Gap => Observation { state: ScreenState::Obscured, ..seen },
            Fault::NoSpawn => Observation { spawn: Sighting::Unknown, ..seen },
            Fault::WrongNext => {
                let other = Piece::from_index(self.dice.random_range(0..7));
                Observation { next: Sighting::Piece(other, 0.99), ..seen }
            }
            Fault::WrongCells => {
                let p = |i: usize| {
                    let p = seen.grid.p_full(i % 10, i / 10);
                    if cells.contains(&(i % 10, i / 10)) { 1.0 - p } else { p }
                };
                let grid = CellGrid::new(10, 20, (0..200).map(p).collect()).unwrap();
                Observation { grid, ..seen }
            }
        }
    }

    fn compare(&mut self, events: &[Event]) {
        for event in events {
            let Event::Spawned(spawned) = event else { continue };
            let time_ms = spawned.time.ms();
            let near = self.truths.iter_mut().rev().find(|t| (-20.0..450.0).contains(&(time_ms - t.time_ms)));
            match near {
                Some(truth) => {
                    let is_right = truth.piece == spawned.piece
                        && truth.board == spawned.board
                        && spawned.next.is_none_or(|next| next == truth.next);
                    truth.reported |= is_right;
                    if !is_right && truth.calm.is_some_and(|n| n > 2) {
                        self.wrong.push(format!("{time_ms:.0} ms: {spawned:?} instead of {truth:?}"));
                    }
                }
                None if self.calm.is_some_and(|n| n > 2) => {
                    self.wrong.push(format!("{time_ms:.0} ms: a spawn that was none: {spawned:?}"));
                }
                None => {}
            }
        }
    }
}

/// Plays for this long, with or without faults; how many spawns had to be right, and what was wrong.
fn run(level: u8, fps: f64, seed: u64, seconds: f64, with_faults: bool) -> (usize, Vec<String>) {
    let mut run = Run::new(level, fps, seed, with_faults);
    let period_ms = 1000.0 / fps * 1.0004;
    let (mut fault, mut fault_until) = (None, 0.0);
    let mut cells = Vec::new();
    for index in 0.. {
        let end_ms = 40.0 + index as f64 * period_ms;
        if end_ms > seconds * 1000.0 {
            break;
        }
        while run.now_ms() + FRAME_MS <= end_ms {
            run.frame();
        }
        if with_faults && run.calm.is_some_and(|n| n >= CALM_SPAWNS) {
            let kinds = [Fault::Gap, Fault::WrongCells, Fault::NoSpawn, Fault::WrongNext];
            fault = Some(kinds[run.dice.random_range(0..4)]);
            fault_until = end_ms + run.dice.random_range(30.0..2500.0);
            cells = (0..run.dice.random_range(1..4))
                .map(|_| (run.dice.random_range(0..10), run.dice.random_range(2..20)))
                .collect();
            run.calm = None;
        }
        if fault.is_some() && end_ms > fault_until {
            fault = None;
            run.calm = Some(0);
        }
        let mut seen = run.expose(index, end_ms);
        if let Some(fault) = fault {
            seen = run.spoil(seen, fault, &cells);
        }
        let events = run.belief.observe(&seen);
        run.compare(&events);
    }
    let last_ms = seconds * 1000.0 - 1000.0;
    let due: Vec<&Truth> = run.truths.iter().filter(|t| t.calm.is_some_and(|n| n > 2) && t.time_ms < last_ms).collect();
    let missed = due.iter().filter(|t| !t.reported).map(|t| format!("not reported: {t:?}"));
    let wrong: Vec<String> = run.wrong.iter().cloned().chain(missed).collect();
    (due.len(), wrong)
}

fn judge(name: &str, runs: &[(u8, f64)], with_faults: bool) {
    let (mut due, mut wrong) = (0, Vec::new());
    for &(level, fps) in runs {
        for seed in 0..4 {
            let (n, failures) = run(level, fps, 100 * u64::from(level) + seed, 150.0, with_faults);
            due += n;
            println!("level {level} at {fps} fps, seed {seed}: {} of {n} wrong", failures.len());
            wrong.extend(failures.into_iter().map(|f| format!("level {level} seed {seed}: {f}")));
        }
    }
    assert!(due > 500, "only {due} spawns were judged");
    // A last piece that appears in a full field can leave two stories that fit; hardly anything else may. (10 of 1802 at
    // the last count, all of them in fields full to their third row.)
    assert!(wrong.len() * 150 < due, "{name}: {} of {due}: {:#?}", wrong.len(), &wrong[..wrong.len().min(4)]);
}

const RUNS: [(u8, f64); 6] = [(0, 30.0), (5, 30.0), (9, 30.0), (18, 30.0), (19, 60.0), (29, 60.0)];

#[test]
fn belief_is_right_without_faults() {
    judge("without faults", &RUNS, false);
}

#[test]
fn belief_is_right_again_within_two_pieces() {
    judge("with faults", &RUNS, true);
}
