//! `play`: the robot at a real table.

use crate::app::args::files::Overwrite;
use crate::app::args::filters::{FilterSpec, load_all};
use crate::app::args::finger::{FingerSpec, LEAD_MS, check_wired};
use crate::app::args::table_game::level_among;
use crate::app::args::values::{count, seconds};
use crate::app::args::{Misuse, ai, board};
use crate::app::live::care::{Care, OpenCamera};
use crate::app::live::page::{PageArgs, RunPage};
use crate::app::live::pause::Pauser;
use crate::app::live::recorder::{RecordArgs, USUAL_FPS};
use crate::app::live::recovery::is_ended;
use crate::app::live::rig::{self, Opened};
use crate::app::live::screen::Screen;
use crate::app::live::taped::Taped;
use crate::app::live::{Stage, Until, perform};
use crate::app::out::say;
use crate::app::progress::Progress;
use crate::app::report::{Report, Voice};
use crate::edge::camera::SourceSpec;
use crate::edge::relay::{self, RelayBoard, RelaySpec, Reopening, StopFlag};
use crate::edge::simulated::table::{self, TableOptions};
use crate::edge::{CameraError, FrameSource};
use crate::message::RunSettings;
use crate::profile::calibration::Calibration;
use crate::profile::game_file::Levels;
use crate::profile::game_times::GameTimes;
use crate::profile::layout::Layout;
use crate::robot::{OnBlame, Robot, Settings};
use crate::time::{Clock, SystemClock};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Options of `play`.
#[derive(clap::Args)]
pub struct Args {
    /// The calibration file, made by `stackhand calibrate`.
    #[arg(help_heading = "Rig", long, value_name = "FILE")]
    profile: PathBuf,
    /// Where the pictures come from: camera:N, ffmpeg:ARGS and others (`stackhand help sources`) [default: the profile's].
    #[arg(help_heading = "Rig", long, value_name = "SRC")]
    source: Option<String>,
    /// The relay board: adr2200:PATH and others (`stackhand help boards`), or none [default: the profile's].
    #[arg(help_heading = "Rig", long, value_name = "REL")]
    relay: Option<String>,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Level at which the game starts [default: its first].
    #[arg(help_heading = "Game", long, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: Option<u8>,
    /// What the finger can do: relay, solid, or hz:N.
    #[arg(help_heading = "Robot", long, default_value = "relay")]
    finger: FingerSpec,
    /// Choose among fewer placements: no-rotation, well (for four lines at once), pattern:FILE.png (draw it with the pile).
    #[arg(help_heading = "Robot", long, value_name = "FILTER")]
    filter: Vec<FilterSpec>,
    /// Who decides: a name (`stackhand tournament --ai list`), or a file of weights (.toml) or of a learned value (.value)
    /// [default: on the console one that was learned for such a finger, in games with hold and kicks modern, in others steady].
    #[arg(help_heading = "Robot", long, value_name = "NAME|FILE")]
    ai: Option<String>,
    /// End after this many pieces.
    #[arg(help_heading = "Game", long, value_parser = count)]
    pieces: Option<u64>,
    /// End after this many seconds.
    #[arg(help_heading = "Game", long, value_parser = seconds)]
    seconds: Option<f64>,
    /// How long to look for a camera or a board that was lost, s; the relays are open meanwhile.
    #[arg(help_heading = "Rig", long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    /// Keep the program in memory, so that no press waits for the disk.
    #[arg(help_heading = "Rig", long)]
    lock_memory: bool,
    /// Do not press Start when a game is over.
    #[arg(help_heading = "Game", long)]
    no_restart: bool,
    /// Drop a piece with its moves, without a look at what these did: quicker by the time that a picture takes, but a press that was
    /// lost misplaces the piece. (Games without a drop key never wait.)
    #[arg(help_heading = "Robot", long)]
    drop_unseen: bool,
    /// When a relay, a wire or the camera is to blame again and again, play on instead of pausing the game.
    #[arg(help_heading = "Robot", long)]
    no_pause: bool,
    /// Write JSON lines to standard output.
    #[arg(help_heading = "Output", long)]
    json: bool,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut calibration = Calibration::load(&args.profile)?;
    if args.finger == FingerSpec::Solid {
        calibration.timing = calibration.timing.with_solid_contacts();
    }
    let layout = calibration.load_layout()?;
    layout.check_rules()?;
    let level = level_of(args.level, &layout)?;
    let source_name = named_source(args.source.as_deref(), calibration.source.as_deref())?;
    let source_name = source_name.context("no camera is named; add --source camera:0, or calibrate with one")?;
    let relay_name = board::named(args.relay.as_deref(), calibration.relay.as_deref())?;
    let relay_name = relay_name
        .context("no relay board is named; add --relay adr2200:/dev/ttyUSB0, or --relay none to only watch")?;
    let relay_name = &board::with_keys(relay_name, &layout)?;
    let relay = RelaySpec::parse(relay_name)?;
    if relay != RelaySpec::None {
        check_wired(&layout, &calibration)?;
    }
    let filters = load_all(&args.filter)?;
    let finger = args.finger.finger(&layout.game_rules());
    let ai = args.ai.as_deref().unwrap_or_else(|| ai::usual(&layout, finger, &filters));
    let brain = ai::load(ai)?;
    brain.check([layout.field.columns, layout.field.rows], &filters)?;
    args.record.check(args.overwrite)?;
    args.page.check()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    if args.lock_memory {
        relay::lock_memory();
    }
    let patience = Duration::from_secs(args.patience);
    let is_simulated = SourceSpec::parse(source_name)? == SourceSpec::Simulated;
    let page = args.page.run_page(&format!("Playing {}", layout.title), &clock, true);
    let opening = Progress::new("Opening board and camera; Ctrl-C ends");
    let (rig, calibration, (source, wire)) = rig::open(relay_name, &relay, &clock, |caretaker, stop| {
        let (source, board) = joints(source_name, &relay, clock.clone(), stop)?;
        relay::check_buttons(board.as_ref(), &calibration)?;
        let wire = board.capabilities().wire;
        let reopening =
            (relay.is_real() && !is_simulated).then(|| caretaker.again(Reopening::of(&relay, patience, clock.clone())));
        let reopening = reopening.map(|reopening| RunPage::logged_again(page.as_ref(), reopening));
        let board = RunPage::logged(page.as_ref(), board);
        Ok(Opened { board, reopening, calibration: calibration.clone(), rest: (source, wire) })
    })?;
    drop(opening);
    let (name, open_clock) = (source_name.to_string(), clock.clone());
    let camera: Option<(OpenCamera, Duration)> = SourceSpec::parse(source_name)?.is_live().then(|| {
        (
            Box::new(move |is_ended| crate::edge::open_until(&name, open_clock.clone(), Some(is_ended))) as OpenCamera,
            patience,
        )
    });
    let care = Care::new(camera);
    let settings = Settings {
        finger,
        start_level: level,
        wire,
        lead_ms: LEAD_MS,
        restart: !args.no_restart,
        drops_unseen: args.drop_unseen,
        filters,
        blame: on_blame(args, &relay, is_simulated, &calibration),
    };
    let robot = Robot::with_brain(&layout, &calibration, settings, brain)?;
    let run_settings = RunSettings::new(level, args.finger, &args.filter, ai).of_robot(&settings);
    let recorder = args.record.start(args.overwrite, &calibration, &run_settings, USUAL_FPS, clock.clone())?;
    let voice = if args.json { Voice::Json { each_frame: false } } else { Voice::Words };
    let until = Until { pieces: args.pieces, seconds: args.seconds, rest: false };
    let page = page.map(|page| page.open(&layout, &calibration, Some(&rig.executor))).transpose()?;
    page.iter().for_each(|page| page.record(args.record.download()));
    let pauser = Pauser::new(&calibration);
    let stage = Stage { source, rig, clock, calibration, until, care, page, pauser };
    let outcome = perform(stage, Taped::new(robot, recorder), Report::new(voice), Screen::new(args.json))?;
    let is_kept = keep(&args.profile, outcome.learned);
    if !args.json {
        outcome.print()?;
        if is_kept {
            say!("What was measured of the game's times is kept in {}, under [game_times].", args.profile.display())?;
        }
    }
    Ok(outcome.exit_code())
}

/// The level at which the game begins: the one given, or its first.
///
/// # Errors
/// When it cannot begin at that.
fn level_of(given: Option<u8>, layout: &Layout) -> Result<u8, Misuse> {
    let Some(Levels { first, last }) = layout.levels else { return Ok(given.unwrap_or(0)) };
    level_among(&layout.title, first..=last, given.unwrap_or(first))
}

/// Keeps what was measured of the game's times in the profile, where it has them otherwise or not at all; whether it had. The
/// profile is read anew: a calibration may have changed it meanwhile.
fn keep(profile: &Path, learned: GameTimes) -> bool {
    let kept = Calibration::load(profile).and_then(|calibration| {
        let is_news = learned.is_news_to(calibration.game_times);
        let calibration = Calibration { game_times: learned.or(calibration.game_times), ..calibration };
        if is_news { calibration.save(profile).map(|()| true) } else { Ok(false) }
    });
    kept.unwrap_or_else(|error| {
        tracing::warn!("what was measured of the game's times cannot be kept: {:#}", anyhow::Error::new(error));
        false
    })
}

/// The user's own source, or the profile's if it is harmless.
///
/// # Errors
/// When it names none, or could write.
pub fn named_source<'a>(own: Option<&'a str>, profile: Option<&'a str>) -> Result<Option<&'a str>, CameraError> {
    if let (None, Some(name)) = (own, profile) {
        SourceSpec::parse_profile(name)?;
    }
    Ok(own.or(profile))
}

/// What is not pressed in the game is nobody's fault.
fn on_blame(args: &Args, relay: &RelaySpec, is_simulated: bool, calibration: &Calibration) -> OnBlame {
    match (relay.is_real() || is_simulated && *relay != RelaySpec::None, args.no_pause) {
        (false, _) => OnBlame::Ignore,
        (true, true) => OnBlame::Tell,
        (true, false) if calibration.measured.is_none() => OnBlame::PauseUnlessLate,
        (true, false) => OnBlame::Pause,
    }
}

type Joints = (Box<dyn FrameSource>, Box<dyn RelayBoard>);

/// Camera and board. `sim` for both is the simulated table; a simulated board before a real camera presses nothing.
fn joints(source: &str, relay: &RelaySpec, clock: Arc<dyn Clock>, stop: &StopFlag) -> anyhow::Result<Joints> {
    if SourceSpec::parse(source)? == SourceSpec::Simulated {
        let table = table::real_time(TableOptions::default(), relay, clock)?;
        return Ok((Box::new(table.camera), table.board));
    }
    // The board first: a wrong port is found out at once, a camera takes a second to start.
    let board = match relay {
        RelaySpec::Simulated | RelaySpec::Emulated(_) => table::unwired_board(clock.clone()),
        relay => relay::open(relay, clock.clone())?,
    };
    Ok((crate::edge::open_until(source, clock, Some(is_ended(stop)))?, board))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_at_a_level_that_its_file_names() {
        let [tint, nes] = ["tint", "nes"].map(|name| Layout::load(name).unwrap());
        assert_eq!(level_of(None, &tint).unwrap(), 1);
        assert_eq!(level_of(Some(9), &tint).unwrap(), 9);
        for level in [0, 10] {
            assert!(level_of(Some(level), &tint).unwrap_err().0.contains("levels 1 to 9"));
        }
        assert_eq!([None, Some(29)].map(|given| level_of(given, &nes).unwrap()), [0, 29]);
    }
}
