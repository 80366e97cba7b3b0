//! The simulated table put together: on a simulated clock, and in real time.

use crate::edge::relay::{Both, Reason, RelayBoard, RelayError, RelaySpec, RelayStats, Sent};
use crate::edge::simulated::ClockedBoard;
use crate::edge::simulated::SimulatedBoard;
use crate::edge::simulated::camera::{Darkroom, SimulatedCamera};
use crate::edge::{CameraError, FrameSource};
use crate::game::{guideline, standard};
use crate::message::{Frame, RelayCommand, RelayMask};
use crate::profile::calibration::{Measured, Timing};
#[cfg(not(unix))]
use crate::profile::protocol::Protocol;
use crate::profile::wire::Wire;
use crate::time::{Clock, HostTime};
use crate::twin::camera::{CameraModel, DEFAULT_SIZE};
use crate::twin::effects::Effects;
use crate::twin::fault::TableFault;
use crate::twin::look::Look;
use crate::twin::machine::GameKind;
use crate::twin::relay_board::DeviceSettings;
use crate::twin::table::{Table, TableSettings};
use crate::twin::tape::Tape;
use std::collections::VecDeque;
use std::sync::Arc;

/// The simulated board's line, bits a second.
const BAUD: u32 = 9600;

/// What a simulated table is made from.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// What the machine plays.
    pub game: GameKind,
    /// Level chosen in the game's menu.
    pub start_level: u8,
    /// Seeds machine, camera and contacts.
    pub seed: u64,
    /// How bad the camera is, 0–1.
    pub hard: f64,
    /// What else spoils its pictures; garbage is only of clips.
    pub effects: Effects,
    /// Camera pictures a second.
    pub fps: f64,
    /// From the end of an exposure to the host, ms.
    pub camera_latency_ms: f64,
    /// What breaks.
    pub fault: Option<TableFault>,
}

impl Default for TableOptions {
    /// What `dry-run` takes.
    fn default() -> Self {
        Self {
            game: GameKind::Nes,
            start_level: 0,
            seed: 1,
            hard: 0.3,
            effects: Effects::default(),
            fps: 30.0,
            camera_latency_ms: 100.0,
            fault: None,
        }
    }
}

impl TableOptions {
    /// The table's data sheet, in the place of measured times.
    pub fn data_sheet(&self) -> Timing {
        self.parts().3
    }

    fn parts(&self) -> (CameraModel, TableSettings, DeviceSettings, Timing) {
        let model = CameraModel::affected(self.hard, &self.effects, self.seed, self.fps, DEFAULT_SIZE);
        let settings = TableSettings {
            start_level: self.start_level,
            seed: self.seed,
            fps: self.fps,
            exposure_ms: model.exposure_ms(),
            camera_latency_ms: self.camera_latency_ms,
        };
        let device = DeviceSettings { seed: self.seed, fault: self.fault, ..DeviceSettings::default() };
        let measured = |us: i64| Measured {
            ms: (us + device.firmware_us) as f64 / 1000.0,
            spread_ms: device.contact.spread_us as f64 / 1000.0,
        };
        let [close, open] = [device.contact.operate_us, device.contact.release_us].map(measured);
        let timing = settings.data_sheet_of(&self.game, close, open);
        (model, settings, device, timing)
    }
}

/// The table on a simulated clock: what the robot sends arrives when its bytes have.
pub struct SimulatedTable {
    table: Table,
    darkroom: Darkroom,
    board: SimulatedBoard,
    timing: Timing,
    unsent: VecDeque<RelayCommand>,
    arrivals: VecDeque<HostTime>,
    stats: RelayStats,
    /// What was sent, if somebody wants to know.
    sent: Option<Vec<Sent>>,
}

impl SimulatedTable {
    /// The game of Standard Tetris as it stands, if that is played.
    pub fn standard_game(&self) -> Option<&standard::Game> {
        self.table.standard_game()
    }

    /// The modern game as it stands, if that is played: for the sums of a run, not for the robot.
    pub fn modern_game(&self) -> Option<&guideline::Game> {
        self.table.modern_game()
    }

    /// A table with the game about to start.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn new(options: TableOptions) -> Result<Self, CameraError> {
        let (model, settings, device, timing) = options.parts();
        let mut table =
            Table::playing(&options.game, settings).with_look(Look::draw_of(&options.effects, options.seed));
        table.set_fault(options.fault);
        Ok(Self {
            table,
            darkroom: Darkroom::start(model)?,
            board: SimulatedBoard::new(device, BAUD),
            timing,
            unsent: VecDeque::new(),
            arrivals: VecDeque::new(),
            stats: RelayStats::default(),
            sent: None,
        })
    }

    /// The table's data sheet, in the place of measured times.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// How long its board's commands are on the wire.
    pub fn wire(&self) -> Wire {
        self.board.wire()
    }

    /// What is held on the console's pad.
    pub fn tape(&self) -> Tape {
        self.table.tape()
    }

    /// What the board was sent; how late, by the wire being busy.
    pub fn relay_stats(&self) -> &RelayStats {
        &self.stats
    }

    /// From now on what is sent is kept for [`Self::take_sent`].
    pub fn keep_sent(&mut self) {
        self.sent.get_or_insert_default();
    }

    /// What was sent since the last call.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        self.sent.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Replaces all commands that were not sent yet and are due from `since` on.
    pub fn schedule(&mut self, since: HostTime, commands: Vec<RelayCommand>) {
        self.unsent.retain(|command| command.due < since);
        self.unsent.extend(commands);
    }
}

impl FrameSource for SimulatedTable {
    /// The next picture to arrive. All exposures that end before it does are taken first, so that every command sent
    /// before a poll reaches it.
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        while self.arrivals.front().is_none_or(|arrival| self.table.next_exposure_end() <= *arrival) {
            let Self { board, unsent, stats, sent, .. } = self;
            let exposure = self.table.expose(|poll| {
                while let Some(command) = unsent.front().copied().filter(|c| c.due <= poll) {
                    unsent.pop_front();
                    // What the board was told before makes no difference to an ADR2200.
                    let wire_us = (board.wire().ms(RelayMask(0), command.mask) * 1000.0) as i64;
                    let late_us = (board.play(command) - command.due).saturating_sub(wire_us).max(0);
                    stats.count_press_error(late_us);
                    if let Some(sent) = sent {
                        let at = HostTime(command.due.0 + late_us);
                        sent.push(Sent { due: command.due, at, mask: command.mask, reason: Reason::Planned });
                    }
                }
                board.device().polled_at(poll)
            });
            if !exposure.is_lost {
                self.arrivals.push_back(exposure.arrival);
                self.darkroom.develop(exposure);
            }
        }
        self.arrivals.pop_front();
        Ok(self.darkroom.picture())
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// The parts of a table in real time.
pub struct LiveTable {
    /// Its camera, with the console before it.
    pub camera: SimulatedCamera,
    /// Its relay board, behind the real driver.
    pub board: Box<dyn RelayBoard>,
    /// Its data sheet, in the place of measured times.
    pub timing: Timing,
    /// What is held on the console's pad.
    pub tape: Tape,
}

/// A table in real time. A real board gets every command too; an emulated one takes the place of the table's own.
///
/// # Errors
/// When the system gives no pseudo-terminal, or the real board does not open.
pub fn real_time(options: TableOptions, relay: &RelaySpec, clock: Arc<dyn Clock>) -> Result<LiveTable, RelayError> {
    let along = if relay.is_real() { Some(crate::edge::relay::open(relay, clock.clone())?) } else { None };
    let (model, settings, device, timing) = options.parts();
    let protocol = if let RelaySpec::Emulated(protocol) = relay { *protocol } else { device.protocol };
    let (board, contacts) = wired_board(DeviceSettings { protocol, ..device }, clock.clone())?;
    let mut table = Table::playing(&options.game, settings).with_look(Look::draw_of(&options.effects, options.seed));
    table.set_fault(options.fault);
    let tape = table.tape();
    let camera = SimulatedCamera::new(table, model, contacts, clock);
    let board = match along {
        Some(along) => Box::new(Both::new(board, along)),
        None => board,
    };
    Ok(LiveTable { camera, board, timing, tape })
}

type Wired = (Box<dyn RelayBoard>, Box<dyn FnMut(HostTime) -> RelayMask + Send>);

/// A board on a pseudo-terminal, opened by the real driver.
#[cfg(unix)]
fn wired_board(device: DeviceSettings, clock: Arc<dyn Clock>) -> Result<Wired, RelayError> {
    let protocol = device.protocol;
    let pty = crate::edge::simulated::PtyBoard::start(clock.clone(), device, protocol.baud())?;
    let contacts = pty.contacts();
    let board = crate::edge::relay::open(&RelaySpec::at(protocol, pty.path()), clock)?;
    // The pseudo-terminal lives as long as somebody polls its contacts.
    Ok((
        board,
        Box::new(move |at| {
            let _ = &pty;
            contacts.polled_at(at)
        }),
    ))
}

/// Without pseudo-terminals the board is driven directly.
#[cfg(not(unix))]
fn wired_board(device: DeviceSettings, clock: Arc<dyn Clock>) -> Result<Wired, RelayError> {
    if device.protocol != Protocol::default() {
        return Err(RelayError::Simulated);
    }
    let board = ClockedBoard::new(SimulatedBoard::new(device, BAUD), clock);
    let contacts = board.clone();
    Ok((Box::new(board), Box::new(move |at| contacts.lock().device().polled_at(at))))
}

/// A simulated board whose contacts lead nowhere.
pub fn unwired_board(clock: Arc<dyn Clock>) -> Box<dyn RelayBoard> {
    Box::new(ClockedBoard::new(SimulatedBoard::new(DeviceSettings::default(), BAUD), clock))
}
