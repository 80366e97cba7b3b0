//! A simulated table whose contacts and camera are of any kind, on a clock written by hand.

// The survey uses all of it, the tests a part.
#![allow(dead_code, clippy::unwrap_used)]

pub mod synthetic;

use stackhand::edge::simulated::SimulatedBoard;
use stackhand::message::{Frame, RelayCommand};
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::measure::{Experimenter, Learned, RigError};
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::Picture;
use stackhand::twin::relay_board::{ContactTimes, DeviceSettings};
use stackhand::twin::table::{Table, TableSettings};
use std::collections::VecDeque;
use std::sync::Arc;

const LEAD_MS: f64 = 8.0;
/// The console's frame, and what passes from its start to the first visible lines.
const SHOWN_AFTER_MS: f64 = 1000.0 / 60.0988 + 1.27;

/// A rig as it really is.
#[derive(Debug, Clone, Copy)]
pub struct Truth {
    pub seed: u64,
    pub hard: f64,
    pub fps: f64,
    pub level: u8,
    pub exposure_ms: Option<f64>,
    pub latency_ms: f64,
    pub contact: ContactTimes,
    /// Commands that never reach the board: one of this many; 0 for none.
    pub lost_one_in: u64,
}

impl Default for Truth {
    fn default() -> Self {
        Self {
            seed: 1,
            hard: 0.3,
            fps: 30.0,
            level: 0,
            exposure_ms: None,
            latency_ms: 100.0,
            contact: ContactTimes::default(),
            lost_one_in: 0,
        }
    }
}

impl Truth {
    /// A rig of any kind.
    pub fn drawn(seed: u64) -> Self {
        let pick = |salt: u32, of: u64| (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(salt) >> 20) % of;
        let contact = ContactTimes {
            operate_us: 2500 + 500 * pick(3, 8) as i64,
            release_us: 1500 + 500 * pick(11, 8) as i64,
            spread_us: [500, 1000, 1500, 2000][pick(17, 4) as usize],
            bounce_us: [300, 1000, 1500][pick(23, 3) as usize],
        };
        Self {
            seed,
            hard: [0.3, 0.5][pick(29, 2) as usize],
            exposure_ms: [None, None, Some(4.0), Some(30.0)][pick(31, 4) as usize],
            latency_ms: 40.0 + 10.0 * pick(37, 10) as f64,
            contact,
            ..Self::default()
        }
    }

    /// How long the shutter is open.
    pub fn exposure_ms(&self) -> f64 {
        let model = CameraModel::new(self.hard, self.seed, self.fps, DEFAULT_SIZE);
        self.exposure_ms.unwrap_or(model.exposure_ms())
    }

    fn device(&self) -> DeviceSettings {
        DeviceSettings { contact: self.contact, seed: self.seed, ..DeviceSettings::default() }
    }

    /// From a command at the board to the picture of its effect, less the wait for the poll, ms.
    pub fn eye_and_close_ms(&self) -> f64 {
        let eye_ms = SHOWN_AFTER_MS + self.exposure_ms() / 2.0 + self.latency_ms;
        eye_ms + (self.contact.operate_us + self.device().firmware_us) as f64 / 1000.0
    }

    /// By how much a contact opens later than that of a direction closes, ms.
    pub fn open_minus_close_ms(&self) -> f64 {
        (self.contact.release_us - self.contact.operate_us) as f64 / 1000.0
    }

    pub fn spread_ms(&self) -> f64 {
        self.contact.spread_us as f64 / 1000.0
    }
}

/// Lets an experimenter loose on it.
pub fn learn(truth: Truth) -> Result<Learned, RigError> {
    learn_with(truth, |calibration| calibration)
}

pub fn learn_with(truth: Truth, change: impl Fn(Calibration) -> Calibration) -> Result<Learned, RigError> {
    let mut camera = CameraModel::new(truth.hard, truth.seed, truth.fps, DEFAULT_SIZE);
    let settings = TableSettings {
        start_level: truth.level,
        seed: truth.seed,
        fps: truth.fps,
        exposure_ms: truth.exposure_ms(),
        camera_latency_ms: truth.latency_ms,
    };
    let mut table = Table::new(settings);
    let lens_k1 = camera.flaws().radial_k1;
    let calibration = change(Calibration { lens_k1, ..Calibration::new("nes", DEFAULT_SIZE, camera.corners(), 0.3) });
    let mut board = SimulatedBoard::new(truth.device(), 9600);
    let layout = Layout::load("nes").unwrap();
    let mut experimenter = Experimenter::new(&layout, &calibration, board.wire(), LEAD_MS)?;
    let mut unsent: VecDeque<RelayCommand> = VecDeque::new();
    let mut arrivals: VecDeque<Frame> = VecDeque::new();
    let mut sent = 0;
    loop {
        // Every exposure that ends before the next picture arrives is taken first.
        while arrivals.front().is_none_or(|frame| table.next_exposure_end() <= frame.time) {
            let exposure = table.expose(|poll: HostTime| {
                while let Some(command) = unsent.front().copied().filter(|command| command.due <= poll) {
                    unsent.pop_front();
                    sent += 1;
                    if truth.lost_one_in == 0 || sent % truth.lost_one_in != 0 {
                        board.play(command);
                    }
                }
                board.device().polled_at(poll)
            });
            let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(share, p)| (*share, p.as_ref())).collect();
            let image = Arc::new(camera.expose(&shown, exposure.index));
            let (index, time) = (CameraFrame(exposure.index), exposure.arrival);
            arrivals.push_back(Frame { index, time, name: None, file: None, image });
        }
        let Some(frame) = arrivals.pop_front() else { unreachable!("a picture was taken") };
        unsent.extend(experimenter.look(&frame)?);
        if experimenter.progress().is_done {
            return experimenter.finish();
        }
    }
}
