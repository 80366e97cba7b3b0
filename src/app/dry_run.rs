//! `dry-run`: the robot at the simulated table.

use super::report::{Report, Voice};
use super::rig::{FingerSpec, LEAD_MS, WIRE_MS};
use crate::calibration::{Calibration, Measured, Timing};
use crate::camera::simulated::Darkroom;
use crate::layout::Layout;
use crate::message::{Frame, RelayCommand};
use crate::robot::{Robot, Settings};
use crate::time::HostTime;
use crate::twin::camera::{CameraModel, DEFAULT_SIZE};
use crate::twin::relay_board::{DeviceSettings, SimulatedBoard};
use crate::twin::table::{Table, TableSettings};
use crate::vision::locate;
use anyhow::Context;
use std::collections::VecDeque;
use std::process::ExitCode;

/// Pictures in which the field is looked for before giving up.
const LOCATE_TRIES: u32 = 90;
/// The simulated board's line.
const BAUD: u32 = 9600;

/// Options of `dry-run`.
#[derive(clap::Args)]
pub struct Args {
    /// Pieces to play.
    #[arg(long, default_value_t = 100)]
    pieces: u64,
    /// Seed of everything that is drawn at random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Level at which games start.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: u8,
    /// How bad the camera is, 0 to 1.
    #[arg(long, default_value_t = 0.3)]
    hard: f64,
    /// Camera pictures a second.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// From exposure to the host, ms.
    #[arg(long, default_value_t = 100.0)]
    camera_latency_ms: f64,
    /// What the finger can do: relay, solid, or hz:N.
    #[arg(long, default_value = "relay")]
    finger: FingerSpec,
    /// Write JSON lines to standard output.
    #[arg(long)]
    json: bool,
    /// With --json, one line a picture too.
    #[arg(long, requires = "json")]
    each_frame: bool,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let voice = if args.json { Voice::Json { each_frame: args.each_frame } } else { Voice::Words };
    let layout = Layout::load("nes")?;
    let mut twin = Twin::new(args)?;
    let mut report = Report::new(voice);
    let calibration = calibrate(&mut twin, &layout, args, &report)?;
    let settings = Settings {
        finger: args.finger.finger(&layout.game_rules()),
        start_level: args.level,
        wire_ms: WIRE_MS,
        lead_ms: LEAD_MS,
        restart: true,
    };
    let mut robot = Robot::new(&layout, &calibration, settings)?;
    while report.summary().pieces < args.pieces {
        let frame = twin.frame().context("the simulated camera stopped")?;
        let look = robot.look(&frame);
        report.look(&look, None, None)?;
        report.count(robot.watcher.belief.counters());
        if robot.has_to_decide(frame.time) {
            let decision = robot.decide(frame.time);
            report.decided(decision.as_ref(), None);
            if let Some(decision) = decision {
                tracing::debug!(time = %frame.time, plan = ?decision.plan, "decided");
                twin.schedule(decision.commands);
            }
        }
    }
    let summary = report.finish(None, 0)?;
    eprintln!("{summary:#?}");
    Ok(ExitCode::SUCCESS)
}

fn calibrate(twin: &mut Twin, layout: &Layout, args: &Args, report: &Report) -> anyhow::Result<Calibration> {
    let mut last = None;
    for _ in 0..LOCATE_TRIES {
        let frame = twin.frame().context("the simulated camera stopped")?;
        match locate(&frame.image, layout) {
            Ok(found) => {
                let (width, height) = frame.image.dimensions();
                let mut calibration = Calibration::new(&layout.name, [width, height], found.corners, found.error_px);
                calibration.timing = twin.timing;
                report.calibrated(found.corners, &layout.name, found.error_px)?;
                return Ok(calibration);
            }
            Err(error) => last = Some(error),
        }
    }
    let error = last.context("no picture came")?;
    Err(error).with_context(|| format!("the field was not found in {LOCATE_TRIES} pictures; try a lower --hard than {}", args.hard))
}

/// The table on a simulated clock: what the robot sends arrives when its bytes have.
struct Twin {
    table: Table,
    darkroom: Darkroom,
    board: SimulatedBoard,
    timing: Timing,
    unsent: VecDeque<RelayCommand>,
    arrivals: VecDeque<HostTime>,
}

impl Twin {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let model = CameraModel::new(args.hard, args.seed, args.fps, DEFAULT_SIZE);
        let settings = TableSettings {
            start_level: args.level,
            seed: args.seed,
            fps: args.fps,
            exposure_ms: model.exposure_ms(),
            camera_latency_ms: args.camera_latency_ms,
        };
        let device = DeviceSettings { seed: args.seed, ..DeviceSettings::default() };
        let contact = device.contact;
        let measured = |us: i64| Measured {
            ms: (us + device.firmware_us) as f64 / 1000.0,
            spread_ms: contact.spread_us as f64 / 1000.0,
        };
        Ok(Self {
            timing: settings.data_sheet(measured(contact.operate_us), measured(contact.release_us)),
            table: Table::new(settings),
            darkroom: Darkroom::start(model)?,
            board: SimulatedBoard::new(device, BAUD),
            unsent: VecDeque::new(),
            arrivals: VecDeque::new(),
        })
    }

    /// The next picture to arrive. All exposures that end before it does are taken first.
    fn frame(&mut self) -> Option<Frame> {
        while self.arrivals.front().is_none_or(|arrival| self.table.next_exposure_end() <= *arrival) {
            let (board, unsent) = (&mut self.board, &mut self.unsent);
            let exposure = self.table.expose(|poll| {
                while let Some(command) = unsent.pop_front_if(|c| c.due <= poll) {
                    board.play(command);
                }
                board.device().polled_at(poll)
            });
            self.arrivals.push_back(exposure.arrival);
            self.darkroom.develop(exposure);
        }
        self.arrivals.pop_front();
        self.darkroom.picture()
    }

    fn schedule(&mut self, commands: Vec<RelayCommand>) {
        self.unsent = commands.into();
    }
}
