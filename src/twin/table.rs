//! The simulated table: a machine that polls contacts and shows pictures, and a camera before it. It knows only its own
//! time; whoever drives it says how far to go and which contacts are closed at a poll.

use super::fault::TableFault;
use super::lively::Lively;
use super::look::Look;
use super::machine::{GameKind, Machine};
use super::pad::pressed;
use super::picture::Picture;
use super::tape::Tape;
use super::view::ConsoleView;
use crate::game::Buttons;
use crate::game::guideline;
use crate::game::machine::{Choice, Console, Setup};
use crate::game::simple::SimpleMachine;
use crate::game::standard;
use crate::game::{Board, Piece};
use crate::message::{RelayMask, ScreenState};
use crate::profile::calibration::{Measured, Timing};
use crate::time::HostTime;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::VecDeque;
use std::sync::Arc;

pub use super::machine::view;

/// From the start of vertical blank to the middle of the visible picture's first lines, ms (20 blank lines of 63.5 µs).
const BLANK_MS: f64 = 1.27;
/// A camera's and a console's crystal differ by up to this many millionths.
const DRIFT_PPM: f64 = 100.0;
/// Pictures reach the host up to this much early or late, ms.
const ARRIVAL_JITTER_MS: f64 = 3.0;
/// The hand that starts the game stays in the first menu for some seconds: the random pieces differ from seed to seed.
const WARM_UP_FRAMES: u32 = 600;
/// The highest level that the console's menu offers (with A held); games beyond are started at their level by force.
const MENU_LEVEL_MAX: u8 = 19;
/// How a table is set up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableSettings {
    /// Level chosen in the menu: 0–19 or 29 on the console, 1–10 in Standard Tetris.
    pub start_level: u8,
    /// Seeds everything that is drawn at random.
    pub seed: u64,
    /// Camera pictures a second.
    pub fps: f64,
    /// How long the shutter is open, ms.
    pub exposure_ms: f64,
    /// From the end of an exposure to the picture's arrival, mean, ms.
    pub camera_latency_ms: f64,
}

impl TableSettings {
    /// What `calibrate` would measure on this table, the console at it, with a board of these contact times: its data sheet.
    pub fn data_sheet(&self, close: Measured, open: Measured) -> Timing {
        self.data_sheet_of(&GameKind::Nes, close, open)
    }

    /// The same with the machine of this game at it.
    pub fn data_sheet_of(&self, game: &GameKind, close: Measured, open: Measured) -> Timing {
        let frame_ms = game.frame_ms();
        let eye_ms = frame_ms + BLANK_MS + self.exposure_ms / 2.0 + self.camera_latency_ms;
        let eye = Measured { ms: eye_ms, spread_ms: self.exposure_ms / 2.0 + ARRIVAL_JITTER_MS };
        Timing { eye, close, open }
    }
}

/// One exposure, still to be developed by the camera.
#[derive(Debug, Clone)]
pub struct Exposure {
    /// Counts exposures.
    pub index: u64,
    /// What was shown, each with its share of the time.
    pub shown: Vec<(f32, Arc<Picture>)>,
    /// What the console's state was in each of them. For tests and proofs only: the player has only the pictures.
    pub scenes: Vec<Arc<Scene>>,
    /// Since when each of them was on the screen, ms; also for tests and proofs only.
    pub since_ms: Vec<f64>,
    /// When the picture reaches the host.
    pub arrival: HostTime,
    /// It never does.
    pub is_lost: bool,
}

/// The truth of one console frame.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What is on the screen.
    pub view: ConsoleView,
    /// What that is called; `None` while one kind of picture turns into another.
    pub state: Option<ScreenState>,
    /// The newest piece.
    pub appeared: Option<Appeared>,
    /// How far the falling piece is below its row, pixels of 8.
    pub glide_px: u8,
}

/// A piece that appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appeared {
    /// Counts the pieces since the console was switched on, from 1.
    pub number: u64,
    /// The piece.
    pub piece: Piece,
    /// The next one, as the box shows from now on.
    pub next: Piece,
    /// The settled pile under it.
    pub board: Board,
}

/// What the camera sees from some time on.
#[derive(Debug)]
struct Shown {
    from_ms: f64,
    picture: Arc<Picture>,
    scene: Arc<Scene>,
}

/// Machine and camera in time.
pub struct Table {
    machine: Machine,
    tape: Tape,
    settings: TableSettings,
    rng: Xoshiro256PlusPlus,
    next_poll: f64,
    frame_ms: f64,
    /// Oldest first.
    on_screen: VecDeque<Shown>,
    appeared: Option<Appeared>,
    next_exposure: u64,
    /// Of the exposures so far, those that were lost without being counted.
    uncounted: u64,
    period_ms: f64,
    first_end_ms: f64,
    last_arrival: HostTime,
    started: bool,
    fault: Option<TableFault>,
    look: Look,
    /// What the display made of each frame before: its shares of that frame and of those before it.
    glow: Vec<f64>,
}

impl Table {
    /// A console switched on and walked to the level menu, Start about to be pressed, the camera running.
    pub fn new(settings: TableSettings) -> Self {
        Self::playing(&GameKind::Nes, settings)
    }

    /// The same with the machine of this game, which waits for Start.
    pub fn playing(game: &GameKind, settings: TableSettings) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        let warm_up = WARM_UP_FRAMES + rng.random_range(0..20_000);
        let mut drift = || 1.0 + rng.random_range(-DRIFT_PPM..DRIFT_PPM) / 1e6;
        let (machine_drift, camera_drift) = (drift(), drift());
        let period_ms = 1000.0 / settings.fps * camera_drift;
        let forced_level = (settings.start_level > MENU_LEVEL_MAX).then_some(settings.start_level);
        let setup = Setup { forced_level, ..Setup::default() };
        let (machine, held) = match game {
            GameKind::Nes => {
                let choice = Choice { level: settings.start_level.min(MENU_LEVEL_MAX), ..Choice::default() };
                let (console, held) = Console::walked(setup, choice, warm_up);
                (Machine::Nes(Box::new(console)), held)
            }
            GameKind::Standard(game) => {
                (Machine::Standard(Box::new(standard::Machine::new((**game).clone()))), Vec::new())
            }
            GameKind::Simple(game) => {
                let machine = SimpleMachine::new((**game).clone(), settings.start_level, settings.seed);
                (Machine::Simple(Box::new(machine)), Vec::new())
            }
            GameKind::Guideline(game, seed) => {
                let machine = guideline::Machine::new(*game, *seed);
                (Machine::Guideline(Box::new(Lively::new(machine))), Vec::new())
            }
        };
        Self {
            machine,
            tape: Tape::new(setup, held),
            next_poll: rng.random_range(0.0..game.frame_ms()),
            frame_ms: game.frame_ms() * machine_drift,
            on_screen: VecDeque::new(),
            appeared: None,
            next_exposure: 0,
            uncounted: 0,
            period_ms,
            first_end_ms: 50.0 + rng.random_range(0.0..period_ms),
            last_arrival: HostTime::default(),
            started: false,
            fault: None,
            look: Look::default(),
            glow: Look::default().glow(),
            rng,
            settings,
        }
    }

    /// The same with a screen that looks like this.
    #[must_use]
    pub fn with_look(self, look: Look) -> Self {
        Self { glow: look.glow(), look, ..self }
    }

    /// Fills the field's lowest rows with garbage, at most 12, as if the game had begun with them; in other games than the
    /// console's, where no such garbage is, with nothing.
    pub fn heap(&mut self, rows: u8) {
        let Machine::Nes(console) = &mut self.machine else { return };
        console.heap(rows);
        if let Some(appeared) = &mut self.appeared {
            appeared.board = console.board;
        }
    }

    /// The game of Standard Tetris, if that is played.
    pub fn standard_game(&self) -> Option<&standard::Game> {
        match &self.machine {
            Machine::Standard(machine) => Some(machine.game()),
            Machine::Nes(_) | Machine::Simple(_) | Machine::Guideline(_) => None,
        }
    }

    /// The modern game, if that is played.
    pub fn modern_game(&self) -> Option<&guideline::Game> {
        match &self.machine {
            Machine::Guideline(machine) => Some(machine.machine.game()),
            Machine::Nes(_) | Machine::Standard(_) | Machine::Simple(_) => None,
        }
    }

    /// Whether a piece falls.
    pub fn is_falling(&self) -> bool {
        self.machine.is_falling()
    }

    /// Breaks the camera, if that is what this fault breaks.
    pub fn set_fault(&mut self, fault: Option<TableFault>) {
        self.fault = fault;
    }

    /// What is held on the pad from power-on, also in the frames to come: a movie, if the machine is the console.
    pub fn tape(&self) -> Tape {
        self.tape.clone()
    }

    /// When the next exposure ends.
    pub fn next_exposure_end(&self) -> HostTime {
        HostTime::from_ms(self.exposure_end_ms())
    }

    /// When the next exposure's picture will arrive, give or take the jitter.
    pub fn next_arrival_mean(&self) -> HostTime {
        self.next_exposure_end().plus_ms(self.settings.camera_latency_ms)
    }

    /// Runs to the end of the next exposure, asking `contacts` which relays are closed at each poll on the way.
    pub fn expose(&mut self, mut contacts: impl FnMut(HostTime) -> RelayMask) -> Exposure {
        self.expose_held(|_, poll| pressed(contacts(poll)))
    }

    /// The same with a player who sees into the console and holds the pad's buttons. At other machines nobody sits.
    pub fn expose_played(&mut self, mut player: impl FnMut(&Console, HostTime) -> Buttons) -> Exposure {
        self.expose_held(|machine, poll| machine.console().map_or(Buttons::NONE, |console| player(console, poll)))
    }

    fn expose_held(&mut self, mut held: impl FnMut(&Machine, HostTime) -> Buttons) -> Exposure {
        let end = self.exposure_end_ms();
        let begin = end - self.settings.exposure_ms;
        // A frame polled now is on the screen a frame later.
        while self.next_poll + self.frame_ms <= end {
            let held = held(&self.machine, HostTime::from_ms(self.next_poll));
            self.poll(held);
        }
        // A slow display still shows something of the frames before.
        while self.on_screen.get(self.glow.len()).is_some_and(|shown| shown.from_ms <= begin) {
            self.on_screen.pop_front();
        }
        let seen = self.shares(begin, end);
        let shown = self.lit(&seen);
        let scenes = seen.iter().map(|(_, shown)| shown.scene.clone()).collect();
        let since_ms = seen.iter().map(|(_, shown)| shown.from_ms).collect();
        let stall = self.fault.and_then(|fault| fault.stall(HostTime::from_ms(end)));
        let index = self.next_exposure - self.uncounted;
        self.next_exposure += 1;
        self.uncounted += u64::from(stall.is_some_and(|stall| !stall.is_counted));
        let arrival = self.arrival(end);
        Exposure { index, shown, scenes, since_ms, arrival, is_lost: stall.is_some() }
    }

    /// When the picture arrives whose exposure ends at a time, ms.
    fn arrival(&mut self, end_ms: f64) -> HostTime {
        let jitter = self.rng.random_range(-ARRIVAL_JITTER_MS..ARRIVAL_JITTER_MS);
        let end = HostTime::from_ms(end_ms);
        let mut late_ms = self.fault.map_or(0.0, |fault| fault.camera_late_ms(end));
        if let Some((millionths, ms)) = self.fault.and_then(|fault| fault.late_pictures(end))
            && self.rng.random_range(0..1_000_000) < millionths
        {
            late_ms += f64::from(ms);
        }
        let arrival = end.plus_ms(self.settings.camera_latency_ms + late_ms + jitter);
        // Pictures never overtake each other.
        self.last_arrival = arrival.max(self.last_arrival.plus_ms(0.1));
        self.last_arrival
    }

    /// Lets `player` play for this many frames before the camera is switched on.
    pub fn play_ahead(&mut self, frames: u32, mut player: impl FnMut(&Console) -> Buttons) {
        for _ in 0..frames {
            let held = self.machine.console().map_or(Buttons::NONE, &mut player);
            self.step(held);
        }
    }

    fn exposure_end_ms(&self) -> f64 {
        self.first_end_ms + self.next_exposure as f64 * self.period_ms
    }

    /// One frame of the machine.
    fn step(&mut self, held: Buttons) {
        let held = if self.started { held } else { Buttons::START };
        self.started = true;
        // Somebody at the table holds A in the console's menu where the level needs it.
        let level = self.settings.start_level.min(MENU_LEVEL_MAX);
        let held = self.machine.console().map_or(held, |console| console.with_help(held, level));
        self.tape.push(held);
        let spawned = self.machine.frame(held);
        tracing::trace!(frame = self.machine.frames(), poll_ms = self.next_poll, held = held.0, ?spawned, "machine");
        if let Some((piece, next)) = spawned {
            let number = self.appeared.map_or(0, |last| last.number) + 1;
            self.appeared = Some(Appeared { number, piece, next, board: self.machine.board() });
        }
    }

    fn poll(&mut self, held: Buttons) {
        self.step(held);
        let mut picture = Picture::new();
        let (view, glide_px) = (self.machine.view(), self.machine.glide_px(&self.look));
        self.machine.draw(&view, &self.look, glide_px, &mut picture);
        let scene = Scene { state: self.machine.state(), view, appeared: self.appeared, glide_px };
        let from_ms = self.next_poll + self.frame_ms + BLANK_MS;
        self.on_screen.push_back(Shown { from_ms, picture: Arc::new(picture), scene: Arc::new(scene) });
        self.next_poll += self.frame_ms;
    }

    /// What is on the screen between two times, each with its share of the time.
    fn shares(&self, begin: f64, end: f64) -> Vec<(f32, &Shown)> {
        let until = self.on_screen.iter().skip(1).map(|shown| shown.from_ms).chain([f64::INFINITY]);
        let spans = self.on_screen.iter().zip(until).map(|(shown, until)| {
            let from = if shown.from_ms > begin { shown.from_ms } else { begin };
            ((until.min(end) - from) / (end - begin), shown)
        });
        spans.filter(|(share, _)| *share > 0.0).map(|(share, shown)| (share as f32, shown)).collect()
    }

    /// What the display's light is made of while these are on the screen, the newest last.
    fn lit(&self, seen: &[(f32, &Shown)]) -> Vec<(f32, Arc<Picture>)> {
        if self.glow.len() == 1 {
            return seen.iter().map(|(share, shown)| (*share, shown.picture.clone())).collect();
        }
        let mut light = vec![0.0; self.on_screen.len()];
        for (share, shown) in seen {
            let now = self.on_screen.iter().position(|other| std::ptr::eq(other, *shown)).unwrap_or_default();
            for (back, left) in self.glow.iter().enumerate() {
                light[now.saturating_sub(back)] += f64::from(*share) * left;
            }
        }
        let lit = light.iter().zip(&self.on_screen).filter(|(light, _)| **light > 0.0);
        lit.map(|(light, shown)| (*light as f32, shown.picture.clone())).collect()
    }
}
