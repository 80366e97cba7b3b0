//! `play`: the robot at a real table.

use super::filters::{FilterSpec, load_all};
use super::page::{PageArgs, RunPage};
use super::perform::{Stage, Until, perform};
use super::report::{Report, Voice};
use super::rig::{FingerSpec, LEAD_MS};
use super::screen::Screen;
use super::simulated::{self, TableOptions};
use crate::calibration::Calibration;
use crate::camera::{self, FrameSource, SourceSpec};
use crate::layout::Layout;
use crate::relay::{self, Executor, Limits, RelayBoard, RelaySpec, SafetyNet};
use crate::robot::{Robot, Settings};
use crate::session::{PictureFormat, SessionWriter};
use crate::time::{Clock, SystemClock};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Options of `play`.
#[derive(clap::Args)]
pub struct Args {
    /// The calibration file, made by `stackhand calibrate`.
    #[arg(long, value_name = "FILE")]
    profile: PathBuf,
    /// Where the pictures come from: camera:N, ffmpeg:ARGS, … [default: the profile's].
    #[arg(long, value_name = "SRC")]
    source: Option<String>,
    /// The relay board: adr2200:PATH?baud=9600&address=0, or none [default: the profile's].
    #[arg(long, value_name = "REL")]
    relay: Option<String>,
    /// Record pictures and events to a new file, for `stackhand replay`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Level at which the game starts.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: u8,
    /// What the finger can do: relay, solid, or hz:N.
    #[arg(long, default_value = "relay")]
    finger: FingerSpec,
    /// Choose among fewer placements: no-rotation, well (for four lines at once), pattern:FILE.png (draw it with the pile).
    #[arg(long, value_name = "FILTER")]
    filter: Vec<FilterSpec>,
    /// End after so many pieces.
    #[arg(long)]
    pieces: Option<u64>,
    /// End after so many seconds.
    #[arg(long)]
    seconds: Option<f64>,
    /// Do not press Start when a game is over.
    #[arg(long)]
    no_restart: bool,
    /// Write JSON lines to standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let calibration = Calibration::load(&args.profile)?;
    let layout = Layout::load(&calibration.layout)?;
    let source_name = args.source.as_deref().or(calibration.source.as_deref());
    let source_name = source_name.context("no camera is named; add --source camera:0, or calibrate with one")?;
    let relay_name = args.relay.as_deref().or(calibration.relay.as_deref());
    let relay_name = relay_name
        .context("no relay board is named; add --relay adr2200:/dev/ttyUSB0, or --relay none to only watch")?;
    let relay = RelaySpec::parse(relay_name)?;
    let filters = load_all(&args.filter)?;
    let net = SafetyNet::install()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let (source, board) = joints(source_name, &relay, clock.clone())?;
    let wire_ms = board.wire_time().as_secs_f64() * 1000.0;
    let page = args.page.run_page(&format!("Playing {}", layout.title), &clock, true);
    let board = RunPage::logged(page.as_ref(), board);
    let executor = Executor::start(board, clock.clone(), Limits::of(&calibration))?;
    net.watch(executor.handle());
    let recorder = args.record.as_deref().map(|path| SessionWriter::create(path, clock.clone(), PictureFormat::Jpeg));
    let recorder = recorder.transpose()?;
    if let Some(recorder) = &recorder {
        recorder.calibration(calibration.to_text()?);
    }
    let settings = Settings {
        finger: args.finger.finger(&layout.game_rules()),
        start_level: args.level,
        wire_ms,
        lead_ms: LEAD_MS,
        restart: !args.no_restart,
        filters,
    };
    let robot = Robot::new(&layout, &calibration, settings)?;
    let voice = if args.json { Voice::Json { each_frame: false } } else { Voice::Words };
    let until = Until { pieces: args.pieces, seconds: args.seconds };
    let page = page.map(|page| page.open(&layout, &calibration, Some(&executor))).transpose()?;
    let stage = Stage { source, executor, net, clock, recorder, calibration, until, page };
    let outcome = perform(stage, robot, Report::new(voice), Screen::new(args.json))?;
    if !args.json {
        outcome.summary.print_play();
    }
    Ok(outcome.cause.map_or(ExitCode::SUCCESS, |cause| ExitCode::from(cause.exit_status() as u8)))
}

type Joints = (Box<dyn FrameSource>, Box<dyn RelayBoard>);

/// Camera and board. `sim` for both is the simulated table; a simulated board before a real camera presses nothing.
fn joints(source: &str, relay: &RelaySpec, clock: Arc<dyn Clock>) -> anyhow::Result<Joints> {
    if SourceSpec::parse(source)? == SourceSpec::Simulated {
        let along = match relay {
            RelaySpec::Adr2200(_) => Some(relay::open(relay, clock.clone())?),
            RelaySpec::Simulated | RelaySpec::None => None,
        };
        let table = simulated::real_time(TableOptions::default(), along, clock)?;
        return Ok((Box::new(table.camera), table.board));
    }
    // The board first: a wrong port is found out at once, a camera takes a second to start.
    let board = match relay {
        RelaySpec::Simulated => simulated::unwired_board(clock.clone()),
        relay => relay::open(relay, clock.clone())?,
    };
    Ok((camera::open(source, clock)?, board))
}
