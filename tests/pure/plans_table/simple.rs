//! A table at which no console stands but a game of simple rules on a computer's screen, which is captured without pixels:
//! no frames to go by, a key that drops at once, and turns that are found out by trying.

use super::bench::held;
use super::modern::Modern;
use crate::driven::Driven;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::edge::simulated::SimulatedBoard;
use stackhand::game::Buttons;
use stackhand::game::Counters;
use stackhand::game::Movement;
use stackhand::game::Pose;
use stackhand::game::guideline::Award;
use stackhand::game::movement::place;
use stackhand::game::rules::{Faller, Rules};
use stackhand::game::simple_rules::Counting;
use stackhand::game::{Board, Piece};
use stackhand::message::{CellGrid, Observation, RelayCommand, ScreenState, Sighting};
use stackhand::planner::{Brain, Filters};
use stackhand::profile::calibration::{Calibration, Measured, Timing};
use stackhand::profile::game_file::RulesSpec;
use stackhand::profile::layout::Layout;
use stackhand::robot::{Decision, Look, OnBlame, Robot, Settings};
use stackhand::schedule::Finger;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::fault::TableFault;
use stackhand::twin::relay_board::DeviceSettings;
use std::collections::VecDeque;
use std::sync::Arc;

const LAYOUT: &str = "vitetris";
const FRAME_MS: f64 = 1000.0 / 60.0;
const PERIOD_MS: f64 = 1000.0 / 30.0;
/// From the end of an exposure to the picture's arrival, and by how much that jitters, ms.
const LATENCY_MS: f64 = 40.0;
const JITTER_MS: f64 = 3.0;
/// From a lock to the next piece, frames.
const ENTRY_FRAMES: u32 = 3;

/// The game.
struct Game {
    rules: Rules,
    movement: Movement,
    counters: Counters,
    board: Board,
    falling: Option<Faller>,
    waiting: u32,
    entry_frames: u32,
    /// The next pieces, as many as are shown.
    next: VecDeque<Piece>,
    dice: Xoshiro256PlusPlus,
}

impl Game {
    /// One frame; whether a piece appeared in it.
    fn frame(&mut self, held: Buttons) -> bool {
        if let Some(falling) = &mut self.falling {
            if falling.frame(&self.board, held) {
                let (board, lines) = place(&self.board, falling.pose());
                (self.board, self.falling, self.waiting) = (board, None, self.entry_frames);
                self.counters = self.rules.counted(self.counters, lines);
            }
            return false;
        }
        self.waiting -= 1;
        if self.waiting > 0 {
            return false;
        }
        let piece = self.next[0];
        let pose = self.movement.spawn(piece);
        assert!(pose.fits(&self.board), "the game is over");
        let mut falling = self.rules.spawn(piece, pose, self.counters.level, false);
        falling.hold(held);
        self.falling = Some(falling);
        self.next.pop_front();
        self.next.push_back(Piece::ALL[self.dice.random_range(0..7)]);
        true
    }

    fn shown(&self) -> Shown {
        let falling = self.falling.as_ref().map(Faller::pose);
        let spawn = |pose: Pose| self.movement.spawn(pose.orientation.piece());
        Shown {
            board: self.board,
            falling,
            is_new: falling.is_some_and(|pose| pose == spawn(pose)),
            next: self.next.iter().copied().collect(),
            held: None,
        }
    }
}

/// What is on the screen.
pub struct Shown {
    /// The pile.
    pub board: Board,
    /// The falling piece.
    pub falling: Option<Pose>,
    /// It is where pieces appear.
    pub is_new: bool,
    /// The next ones, the first one first.
    pub next: Vec<Piece>,
    /// The held one; none as well where nothing can be held.
    pub held: Option<Piece>,
}

/// What plays there.
enum Played {
    Described(Box<Game>),
    Modern(Box<Modern>),
}

impl Played {
    /// One frame; whether a piece appeared in it.
    fn frame(&mut self, held: Buttons) -> bool {
        match self {
            Self::Described(game) => game.frame(held),
            Self::Modern(game) => game.frame(held),
        }
    }

    fn shown(&self) -> Shown {
        match self {
            Self::Described(game) => game.shown(),
            Self::Modern(game) => game.shown(),
        }
    }

    fn described(&mut self) -> &mut Game {
        let Self::Described(game) = self else { panic!("the modern game has its own rules") };
        game
    }
}

/// A picture on its way.
struct Shot {
    index: u64,
    arrival: HostTime,
    shown: Shown,
}

/// The table.
pub struct SimpleBench {
    layout: Layout,
    game: Played,
    board: SimulatedBoard,
    fault: TableFault,
    unsent: VecDeque<RelayCommand>,
    shots: VecDeque<Shot>,
    dice: Xoshiro256PlusPlus,
    level: u8,
    frames: u64,
    exposures: u64,
    uncounted: u64,
    last_arrival: HostTime,
    held: Buttons,
    /// When each piece appeared, and whether anything was pressed for it while it fell.
    pieces: Vec<(HostTime, bool)>,
}

impl SimpleBench {
    /// A game about to start at a level, its pictures spoilt.
    pub fn new(seed: u64, level: u8, fault: TableFault) -> Self {
        Self::of(LAYOUT, seed, level, fault)
    }

    /// The same of another game.
    pub fn of(layout: &str, seed: u64, level: u8, fault: TableFault) -> Self {
        let layout = Layout::load(layout).unwrap();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let first = Piece::ALL[dice.random_range(0..7)];
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x9A3E);
        let later = layout.queue.iter().map(|_| Piece::ALL[dice.random_range(0..7)]);
        let next = std::iter::once(first).chain(later).collect();
        let game = Game {
            rules: layout.rule_variants().pop().unwrap(),
            movement: layout.movement().unwrap(),
            counters: Counters::new(level),
            board: Board::default(),
            falling: None,
            waiting: 100,
            entry_frames: ENTRY_FRAMES,
            next,
            dice,
        };
        Self::playing(layout, Played::Described(Box::new(game)), seed, level, fault)
    }

    /// The modern game itself, not what is predicted of it.
    pub fn modern(seed: u64, level: u8, fault: TableFault) -> Self {
        let game = Played::Modern(Box::new(Modern::new(seed, level)));
        Self::playing(Layout::load("guideline").unwrap(), game, seed, level, fault)
    }

    fn playing(layout: Layout, game: Played, seed: u64, level: u8, fault: TableFault) -> Self {
        let device = DeviceSettings { seed, fault: Some(fault), ..DeviceSettings::default() };
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        // As with the first piece, which is drawn of it.
        let _: usize = dice.random_range(0..7);
        Self {
            layout,
            game,
            board: SimulatedBoard::new(device, 9600),
            fault,
            unsent: VecDeque::new(),
            shots: VecDeque::new(),
            dice,
            level,
            frames: 0,
            exposures: 0,
            uncounted: 0,
            last_arrival: HostTime::default(),
            held: Buttons::NONE,
            pieces: Vec::new(),
        }
    }

    /// The same, but the game waits so long after a lock, frames, and so long until a piece can be dropped, ms.
    pub fn waiting(mut self, entry_frames: u32, guard_ms: f64) -> Self {
        let game = self.game.described();
        game.entry_frames = entry_frames;
        let Rules::Simple(rules) = &mut game.rules else { panic!("{LAYOUT} is described by parameters") };
        Arc::make_mut(rules).drop_guard_ms = guard_ms;
        self
    }

    /// The same without a key that drops: pieces that rest lock after so long, ms.
    pub fn without_drop_key(mut self, lock_ms: f64) -> Self {
        let Rules::Simple(rules) = &mut self.game.described().rules else {
            panic!("{LAYOUT} is described by parameters")
        };
        let rules = Arc::make_mut(rules);
        (rules.hard_drop, rules.lock.delay_ms) = (None, lock_ms);
        self
    }

    /// A robot that knows the table's times, as far as they can be measured.
    pub fn robot(&self) -> Robot {
        self.robot_told(self.level)
    }

    /// The same, but it was told that the game began at another level.
    pub fn robot_told(&self, start_level: u8) -> Robot {
        self.robot_of(&self.layout, start_level)
    }

    /// The same, but it was told of another game.
    pub fn robot_of(&self, layout: &Layout, start_level: u8) -> Robot {
        self.robot_that(layout, start_level, false, Brain::default())
    }

    /// A robot that drops pieces with their moves.
    pub fn robot_that_drops_unseen(&self) -> Robot {
        self.robot_that(&self.layout, self.level, true, Brain::default())
    }

    /// A robot that looks ahead as one plays the modern game.
    pub fn modern_robot(&self) -> Robot {
        self.robot_that(&self.layout, self.level, false, Brain::named("modern").unwrap())
    }

    /// What the modern game counted.
    pub fn awards(&self) -> &[Award] {
        match &self.game {
            Played::Modern(game) => game.awards(),
            Played::Described(_) => &[],
        }
    }

    /// From now on the game kicks nothing. Its level stays.
    pub fn unkicked(mut self) -> Self {
        let Some(RulesSpec::Simple { counting, .. }) = &mut self.layout.rules else { panic!("no rules") };
        *counting = Counting::Lines;
        self.game.described().rules = self.layout.game_rules().unkicked().unwrap();
        self
    }

    fn robot_that(&self, layout: &Layout, start_level: u8, drops_unseen: bool, brain: Brain) -> Robot {
        let measured = |ms| Measured { ms, spread_ms: 2.0 };
        let eye = Measured { ms: FRAME_MS / 2.0 + LATENCY_MS, spread_ms: FRAME_MS / 2.0 + JITTER_MS };
        let timing = Timing { eye, close: measured(4.0), open: measured(3.0) };
        let corners = [[100.0, 20.0], [300.0, 20.0], [300.0, 420.0], [100.0, 420.0]];
        let calibration = Calibration { timing, ..Calibration::new(&layout.name, [640, 480], corners, 0.3) };
        let settings = Settings {
            finger: Finger::RELAY,
            start_level,
            wire: self.board.wire(),
            lead_ms: 4.0,
            restart: true,
            drops_unseen,
            filters: Filters::default(),
            blame: OnBlame::Tell,
        };
        Robot::with_brain(layout, &calibration, settings, brain).unwrap()
    }

    /// Plays until then; `see` gets every look, and may tell the robot more.
    pub fn play(&mut self, mut robot: Robot, until_ms: f64, mut see: impl FnMut(&mut Robot, Look)) {
        loop {
            let observation = self.next();
            let now = observation.time;
            if now.ms() > until_ms {
                return;
            }
            let look = robot.take(observation);
            see(&mut robot, look);
            if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
                self.schedule(&decision);
            }
        }
    }

    /// When each piece appeared, and whether anything was pressed for it.
    pub fn fallen(&self) -> Vec<(HostTime, bool)> {
        self.pieces.clone()
    }

    /// Takes over what was decided.
    pub fn schedule(&mut self, decision: &Decision) {
        self.unsent.retain(|command| command.due < decision.since);
        self.unsent.extend(decision.commands.iter().copied());
    }

    /// The next picture to arrive, read.
    pub fn next(&mut self) -> Observation {
        while self.shots.front().is_none_or(|shot| self.exposure_end() <= shot.arrival) {
            self.expose();
        }
        let shot = self.shots.pop_front().unwrap();
        let Shown { board, falling, is_new, next, held } = shot.shown;
        let mut cells = board;
        falling.into_iter().for_each(|pose| pose.stamp(&mut cells));
        let p_full = (0..200).map(|i| if cells.is_full(i % 10, i / 10) { 0.99 } else { 0.01 }).collect();
        let seen = |piece: Piece| Sighting::Piece(piece, 0.99);
        let spawn = match falling {
            Some(pose) if is_new => seen(pose.orientation.piece()),
            Some(_) => Sighting::Empty(0.99),
            None => Sighting::Unknown,
        };
        let no_hold = if self.layout.hold.is_some() { Sighting::Empty(0.99) } else { Sighting::Unknown };
        Observation {
            frame: CameraFrame(shot.index),
            time: shot.arrival,
            grid: CellGrid::new(10, 20, p_full).unwrap(),
            spawn,
            next: next.first().map_or(Sighting::Unknown, |next| seen(*next)),
            queue: next.iter().skip(1).map(|piece| seen(*piece)).collect(),
            hold: held.map_or(no_hold, seen),
            state: ScreenState::Playing,
        }
    }

    fn exposure_end(&self) -> HostTime {
        HostTime::from_ms(50.0 + self.exposures as f64 * PERIOD_MS)
    }

    /// Plays to the end of the next exposure, which shows the game as it is then.
    fn expose(&mut self) {
        let end = self.exposure_end();
        while (self.frames + 1) as f64 * FRAME_MS <= end.ms() {
            self.frame();
        }
        let (index, stall) = (self.exposures - self.uncounted, self.fault.stall(end));
        self.exposures += 1;
        self.uncounted += u64::from(stall.is_some_and(|stall| !stall.is_counted));
        let mut late_ms = self.dice.random_range(-JITTER_MS..JITTER_MS);
        if let Some((millionths, ms)) = self.fault.late_pictures(end)
            && self.dice.random_range(0..1_000_000) < millionths
        {
            late_ms += f64::from(ms);
        }
        self.last_arrival = end.plus_ms(LATENCY_MS + late_ms).max(self.last_arrival.plus_ms(0.1));
        if stall.is_some() {
            return;
        }
        let (shown, arrival) = (self.game.shown(), self.last_arrival);
        self.shots.push_back(Shot { index, arrival, shown });
    }

    fn frame(&mut self) {
        self.frames += 1;
        let at = HostTime::from_ms(self.frames as f64 * FRAME_MS);
        while let Some(command) = self.unsent.front().copied().filter(|command| command.due <= at) {
            self.unsent.pop_front();
            self.board.play(command);
        }
        let held = held(self.board.device().polled_at(at));
        if self.game.shown().falling.is_some()
            && let Some((_, pressed)) = self.pieces.last_mut()
        {
            *pressed |= held.without(self.held) != Buttons::NONE;
        }
        self.held = held;
        if self.game.frame(held) {
            self.pieces.push((at, false));
        }
    }
}
