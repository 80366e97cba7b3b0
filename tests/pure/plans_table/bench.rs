//! The simulated table without pixels: what each cell shows is told to the robot with a camera's noise, so that hundreds of
//! pieces are played in seconds. Console, contacts, wire and exposures are the twin's own.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::edge::simulated::SimulatedBoard;
use stackhand::game::Buttons;
use stackhand::game::Movement;
use stackhand::game::nes::{Console, Phase};
use stackhand::game::{Board, Piece};
use stackhand::message::{CellGrid, Observation, RelayCommand, RelayMask, ScreenState, Sighting};
use stackhand::planner::{Brain, Filters};
use stackhand::profile::calibration::{Calibration, Measured, Timing};
use stackhand::profile::layout::Layout;
use stackhand::robot::{Decision, OnBlame, Robot, Settings};
use stackhand::schedule::Finger;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::fault::TableFault;
use stackhand::twin::pad::WIRING;
use stackhand::twin::relay_board::DeviceSettings;
use stackhand::twin::table::{Exposure, Scene, Table, TableSettings};
use stackhand::twin::view::{Screen, Tile};
use std::collections::VecDeque;

const FPS: f64 = 30.0;
const EXPOSURE_MS: f64 = 16.0;
const BAUD: u32 = 9600;
/// By how much a cell's share of the exposure is misread, one standard deviation.
const NOISE: f64 = 0.08;
/// How steeply the reader's probability rises with that share.
const STEP: f64 = 0.115;
/// Polls remembered: half a minute.
const POLLS: usize = 2000;

/// One poll of the console, as it was.
#[derive(Debug, Clone, Copy)]
pub struct Poll {
    /// When.
    pub at: HostTime,
    /// What was held.
    pub held: Buttons,
    /// What the console was about.
    pub phase: Phase,
}

/// The table.
pub struct Bench {
    table: Table,
    board: SimulatedBoard,
    unsent: VecDeque<RelayCommand>,
    seen: VecDeque<Exposure>,
    dice: Xoshiro256PlusPlus,
    movement: Movement,
    timing: Timing,
    level: u8,
    /// The console's last polls.
    pub polls: VecDeque<Poll>,
    /// When each of the console's pieces appeared.
    appeared: Vec<HostTime>,
    /// Whether anything was pressed for each of them while it fell.
    pressed: Vec<bool>,
    /// What somebody holds on a pad beside the robot's.
    pub hand: Buttons,
}

impl Bench {
    /// A game about to start at a level.
    pub fn new(seed: u64, level: u8) -> Self {
        Self::broken(seed, level, None)
    }

    /// The same at a table of which something breaks.
    pub fn broken(seed: u64, level: u8, fault: Option<TableFault>) -> Self {
        let settings =
            TableSettings { start_level: level, seed, fps: FPS, exposure_ms: EXPOSURE_MS, camera_latency_ms: 100.0 };
        let device = DeviceSettings { seed, fault, ..DeviceSettings::default() };
        let measured = |us: i64| Measured {
            ms: (us + device.firmware_us) as f64 / 1000.0,
            spread_ms: device.contact.spread_us as f64 / 1000.0,
        };
        let timing = settings.data_sheet(measured(device.contact.operate_us), measured(device.contact.release_us));
        let mut table = Table::new(settings);
        table.set_fault(fault);
        Self {
            table,
            board: SimulatedBoard::new(device, BAUD),
            unsent: VecDeque::new(),
            seen: VecDeque::new(),
            dice: Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5EED),
            movement: Layout::load("nes").unwrap().movement().unwrap(),
            timing,
            level,
            polls: VecDeque::new(),
            appeared: Vec::new(),
            pressed: Vec::new(),
            hand: Buttons::NONE,
        }
    }

    /// A robot that is told the table's data sheet.
    pub fn robot(&self, finger: Finger) -> Robot {
        self.robot_that(finger, OnBlame::Pause)
    }

    /// The same with what it does when something is to blame.
    pub fn robot_that(&self, finger: Finger, blame: OnBlame) -> Robot {
        self.robot_with(self.calibration(), finger, blame)
    }

    /// What the robot is told about the table.
    pub fn calibration(&self) -> Calibration {
        let corners = [[100.0, 20.0], [300.0, 20.0], [300.0, 420.0], [100.0, 420.0]];
        Calibration { timing: self.timing, ..Calibration::new("nes", [640, 480], corners, 0.3) }
    }

    /// The same by another calibration.
    pub fn robot_with(&self, calibration: Calibration, finger: Finger, blame: OnBlame) -> Robot {
        self.robot_by(Brain::default(), calibration, finger, blame)
    }

    /// The same with another mind.
    pub fn robot_by(&self, brain: Brain, calibration: Calibration, finger: Finger, blame: OnBlame) -> Robot {
        self.robot_at(self.level, brain, calibration, finger, blame)
    }

    /// One with the relays' finger that is told that the game begins at this level.
    pub fn robot_told(&self, level: u8) -> Robot {
        self.robot_at(level, Brain::default(), self.calibration(), Finger::RELAY, OnBlame::Pause)
    }

    fn robot_at(
        &self,
        start_level: u8,
        brain: Brain,
        calibration: Calibration,
        finger: Finger,
        blame: OnBlame,
    ) -> Robot {
        let settings = Settings {
            finger,
            start_level,
            wire: self.board.wire(),
            lead_ms: 4.0,
            restart: true,
            drops_unseen: false,
            filters: Filters::default(),
            blame,
        };
        Robot::with_brain(&Layout::load("nes").unwrap(), &calibration, settings, brain).unwrap()
    }

    /// How many pieces have appeared on the console.
    pub fn pieces(&self) -> usize {
        self.appeared.len()
    }

    /// When each of the console's pieces appeared, and whether anything was pressed for it while it fell.
    pub fn fallen(&self) -> Vec<(HostTime, bool)> {
        self.appeared.iter().copied().zip(self.pressed.iter().copied()).collect()
    }

    /// When contacts slipped while this piece, of those that appeared counted from 1, was falling.
    pub fn slip_times(&self, piece: usize) -> Vec<HostTime> {
        let time = |number: usize| self.appeared.get(number).copied().unwrap_or(HostTime(i64::MAX));
        let Some(from) = piece.checked_sub(1).map(time) else { return Vec::new() };
        let slips = self.board.device().slips().iter().map(|(at, _)| *at);
        slips.filter(|at| *at >= from && *at < time(piece)).collect()
    }

    /// Takes over what was decided.
    pub fn schedule(&mut self, decision: &Decision) {
        self.unsent.retain(|command| command.due < decision.since);
        self.unsent.extend(decision.commands.iter().copied());
    }

    /// The next picture to arrive, read.
    pub fn next(&mut self) -> Observation {
        while self.seen.front().is_none_or(|seen| self.table.next_exposure_end() <= seen.arrival) {
            let Self { table, board, unsent, polls, appeared, pressed, hand, .. } = self;
            let exposure = table.expose_played(|console: &Console, at| {
                while let Some(command) = unsent.front().copied().filter(|command| command.due <= at) {
                    unsent.pop_front();
                    board.play(command);
                }
                let held = held(board.device().polled_at(at)) | *hand;
                if console.phase == Phase::Falling
                    && polls.back().is_some_and(|last| last.phase != Phase::Falling && last.phase != Phase::Paused)
                {
                    appeared.push(at);
                    pressed.push(false);
                }
                let before = polls.back().map_or(Buttons::NONE, |last| last.held);
                if let Some(pressed) = pressed.last_mut() {
                    *pressed |= console.phase == Phase::Falling && held.without(before) != Buttons::NONE;
                }
                if polls.len() == POLLS {
                    polls.pop_front();
                }
                polls.push_back(Poll { at, held, phase: console.phase });
                held
            });
            if !exposure.is_lost {
                self.seen.push_back(exposure);
            }
        }
        let exposure = self.seen.pop_front().unwrap();
        self.read(&exposure)
    }

    fn read(&mut self, exposure: &Exposure) -> Observation {
        let scenes: Vec<(f64, &Scene)> = exposure
            .shown
            .iter()
            .map(|(share, _)| f64::from(*share))
            .zip(exposure.scenes.iter().map(AsRef::as_ref))
            .collect();
        let mut shares = vec![0.0; 200];
        for (share, scene) in &scenes {
            lit(scene).into_iter().zip(&mut shares).for_each(|(is_lit, sum)| *sum += if is_lit { *share } else { 0.0 });
        }
        let p_full = shares.into_iter().map(|share| self.p_full(share)).collect();
        let grid = CellGrid::new(10, 20, p_full).unwrap();
        let (_, shown) = scenes.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let state = match shown.state {
            Some(state) => state,
            None if shown.view.playfield[0][0] == Tile::Curtain => ScreenState::Obscured,
            None if shown.view.screen == Screen::Game => ScreenState::Playing,
            None => ScreenState::Menu,
        };
        let is_still = scenes.iter().all(|(share, scene)| *share < 0.25 || scene.view.next == shown.view.next);
        let next = shown.view.next.filter(|_| is_still).map_or(Sighting::Unknown, |next| Sighting::Piece(next, 0.99));
        let spawn = self.spawn_place(&grid);
        let (frame, time) = (CameraFrame(exposure.index), exposure.arrival);
        Observation { frame, time, grid, spawn, next, queue: Vec::new(), hold: Sighting::Unknown, state }
    }

    /// What the reader says of a cell that was lit for a share of the exposure.
    fn p_full(&mut self, share: f64) -> f32 {
        let normal = (0..4).map(|_| self.dice.random_range(-1.0..1.0)).sum::<f64>() * 0.87;
        let is_changing = (0.01..=0.99).contains(&share);
        let read = if is_changing { (share + NOISE * normal).clamp(0.0, 1.0) } else { share };
        (1.0 / (1.0 + (-(read - 0.5) / STEP).exp())) as f32
    }

    fn spawn_place(&self, grid: &CellGrid) -> Sighting {
        let place = || (0..2).flat_map(|y| (3..7).map(move |x| (x, y)));
        let (full, unknown): (Board, Board) = (grid.full(), grid.unknown());
        if place().any(|(x, y)| unknown.is_full(x, y)) {
            return Sighting::Unknown;
        }
        if !place().any(|(x, y)| full.is_full(x, y)) {
            return Sighting::Empty(0.99);
        }
        let shows = |piece: Piece| {
            let cells = self.movement.spawn(piece).cells();
            place().all(|(x, y)| full.is_full(x, y) == cells.contains(&(x as i8, y as i8)))
        };
        Piece::ALL
            .into_iter()
            .find(|piece| shows(*piece))
            .map_or(Sighting::Unknown, |piece| Sighting::Piece(piece, 0.99))
    }
}

/// The field's cells that are lit, row by row.
fn lit(scene: &Scene) -> Vec<bool> {
    let mut lit: Vec<bool> = scene.view.playfield.iter().flatten().map(|tile| *tile != Tile::Empty).collect();
    for (x, y) in scene.view.falling.iter().flat_map(|(cells, _)| cells).filter(|(_, y)| *y >= 0) {
        lit[10 * *y as usize + *x as usize] = true;
    }
    lit
}

/// The buttons that closed relays hold.
pub fn held(closed: RelayMask) -> Buttons {
    (0..8).filter(|relay| closed.0 >> relay & 1 == 1).fold(Buttons::NONE, |all, relay| all | WIRING[relay])
}
