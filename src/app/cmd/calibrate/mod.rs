//! `calibrate`: where the field stands in the picture, and with `--latency` how long things take, into a file.

mod hands;
pub mod latency;
pub mod page;
use crate::app::args::board;
use crate::app::args::files::Overwrite;
use crate::app::args::find::{self, Found, Place};
use crate::app::live::page::PageArgs;
use crate::app::out::{self, say};
use crate::app::progress::Progress;
use crate::app::report::annotate::annotated;
use crate::app::report::{Report, Voice, seen_words};
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::edge::relay::RelaySpec;
use crate::edge::simulated::table::TableOptions;
use crate::file::{self, Existing};
use crate::message::{Frame, ScreenState};
use crate::profile::calibration::{Calibration, CalibrationError, Measured, Timing};
use crate::profile::layout::Layout;
use crate::robot::measure::check_game;
use crate::time::SystemClock;
use crate::vision::read::Reader;
use anyhow::{Context, anyhow, bail};
use page::Start;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Pictures read to tell whether the calibration works; more of a recording, which may begin with its menu.
const CHECK_PICTURES: usize = 30;
const CHECK_PICTURES_RECORDED: usize = 600;

/// Options of `calibrate`.
#[derive(clap::Args)]
pub struct Args {
    /// Where the pictures come from: camera:N, ffmpeg:ARGS, a video file, a folder, a recorded session.
    #[arg(help_heading = "Rig", long, value_name = "SRC", required_unless_present = "latency", requires = "layout")]
    source: Option<String>,
    /// The game: nes, vitetris, gameboy, ltris, tint, bastet, standard, guideline, tetris-terminal, tetris-tui, or a layout's .toml file.
    #[arg(help_heading = "Rig", long, required_unless_present = "latency", requires = "source")]
    layout: Option<String>,
    /// The relay board, to be noted in the file: adr2200:PATH and others (`stackhand help boards`).
    #[arg(help_heading = "Rig", long, value_name = "REL")]
    relay: Option<String>,
    /// The file to write, or to correct: what it says about times and buttons is kept, and the file as it was stays beside
    /// it as FILE~.
    #[arg(help_heading = "Rig", long, value_name = "FILE", default_value = "stackhand.toml")]
    profile: PathBuf,
    /// Find the field in the picture (the default without --corners).
    #[arg(help_heading = "Field", long, conflicts_with = "corners")]
    auto: bool,
    /// The playfield's outer corners in the picture, px: top-left, top-right, bottom-right, bottom-left of the game.
    #[arg(help_heading = "Field", long, num_args = 4, value_names = ["X,Y", "X,Y", "X,Y", "X,Y"], allow_hyphen_values = true)]
    corners: Option<Vec<find::Corner>>,
    /// Learn how long contacts and camera take, by pressing and watching a running game (start it at level 0 first).
    /// Without --source and --layout the field stays where the profile says.
    #[arg(help_heading = "Times", long)]
    latency: bool,
    /// Find the field, write the file and end, without a page; so it is, too, with --json or where the output is no terminal.
    #[arg(help_heading = "Page", long, conflicts_with_all = ["ui", "listen"])]
    no_ui: bool,
    #[command(flatten)]
    page: PageArgs,
    /// Also write the picture with what was read in it, as a PNG.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Write JSON lines to standard output.
    #[arg(help_heading = "Output", long)]
    json: bool,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(relay) = &args.relay {
        note_missing(&RelaySpec::parse(relay)?);
    }
    // Found out now, not when the work is done.
    file::check(&args.profile, Existing::Replace)?;
    if args.source.is_some() {
        check_profile(&args.profile)?;
    }
    args.picture.as_deref().map_or(Ok(()), |path| file::check(path, args.overwrite.existing()))?;
    if let (Some(source), Some(layout)) = (&args.source, &args.layout) {
        if args.has_page() {
            let start = Start {
                source: source.clone(),
                layout: layout.clone(),
                relay: args.relay.as_deref().map(|relay| named_in(relay, layout)).transpose()?,
                profile: args.profile.clone(),
                corners: args.corners.clone(),
                auto: args.auto,
            };
            return page::run(&start, &args.page);
        }
        find_field(args, source, layout)?;
    }
    if args.latency {
        learn_times(args)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn named_in(relay: &str, layout: &str) -> anyhow::Result<String> {
    Ok(board::with_keys(relay, &Layout::load(layout)?)?)
}

/// Only noted in the profile, the board need not be here; but a wrong name should not be found out a day later.
fn note_missing(relay: &RelaySpec) {
    let Some(port) = relay.port().filter(|port| cfg!(unix) && !Path::new(port).exists()) else { return };
    let found: Vec<String> =
        serialport::available_ports().unwrap_or_default().into_iter().map(|port| port.port_name).collect();
    let found = if found.is_empty() { "none".into() } else { found.join(", ") };
    tracing::warn!(
        "there is no port {port} at the moment (ports found: {found}); it is noted in the profile as it is. Correct \
         --relay if that is not its name"
    );
}

/// A file that is there is corrected: it must be a calibration. Found out before the search, and without the advice to
/// calibrate.
fn check_profile(path: &Path) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let refusal = format!(
        "{} is there already, and is no calibration that could be corrected; choose another name with --profile, or delete it",
        path.display()
    );
    match Calibration::load(path) {
        Ok(_) => Ok(()),
        Err(CalibrationError::Parse { source, .. }) => Err(anyhow::Error::from(*source).context(refusal)),
        Err(CalibrationError::Invalid { problem, .. }) => Err(anyhow!("{refusal}: {problem}")),
        Err(other) => Err(other.into()),
    }
}

fn find_field(args: &Args, source_name: &str, layout_name: &str) -> anyhow::Result<()> {
    let opening = Progress::new("Opening the source; Ctrl-C ends");
    let mut source = find::open_any(source_name, Arc::new(SystemClock::new()))?;
    drop(opening);
    let place = Place { profile: None, auto: args.auto, corners: args.corners.clone() };
    let Found { layout, calibration: found, .. } = match &place.corners {
        Some(corners) => {
            let first = source.next_frame()?.context("the source gives no picture; check it")?;
            find::by_hand(corners, Some(layout_name), &first)?
        }
        None => find::search(Some(layout_name), source.as_mut())?,
    };
    if let Some(assumption) = layout.assumption() {
        tracing::warn!("{assumption}, and it cannot be played");
    }
    let calibration = merged(args, source_name, layout_name, found)?;
    let mut reader = Reader::through(&layout, calibration.corners, calibration.lens_k1, calibration.picture)?;
    let reading = Progress::new("Reading the field; Ctrl-C ends");
    let mut check = check(&mut reader, source.as_mut(), CHECK_PICTURES)?;
    if check.playing == 0 && !source.is_live() {
        // The search has read it to its end, or past its beginning.
        let mut again = find::open_any(source_name, Arc::new(SystemClock::new()))?;
        check = self::check(&mut reader, again.as_mut(), CHECK_PICTURES_RECORDED)?;
    }
    drop(reading);
    picture(args, &check, &calibration)?;
    if let Some(refusal) = check.refusal(&calibration) {
        bail!("{refusal}; nothing was written");
    }
    calibration.save(&args.profile)?;
    let voice = if args.json { Voice::Json { each_frame: false } } else { Voice::Words };
    Report::new(voice).calibrated(calibration.corners, &layout.name, calibration.error_px)?;
    if !args.json {
        print(args, &calibration, &check)?;
    }
    Ok(())
}

/// Into the profile, which must say where the field is.
fn learn_times(args: &Args) -> anyhow::Result<()> {
    let mut calibration = Calibration::load(&args.profile)?;
    let relay = board::named(args.relay.as_deref(), calibration.relay.as_deref())?;
    let relay = relay.context("no relay board is named; add --relay adr2200:/dev/ttyUSB0")?;
    let relay = board::with_keys(relay, &calibration.load_layout()?)?;
    latency::run(&mut calibration, &relay, args.json)?;
    calibration.relay = Some(relay);
    calibration.save(&args.profile)?;
    if !args.json {
        say!("Written to {}.", args.profile.display())?;
    }
    Ok(())
}

impl Args {
    fn has_page(&self) -> bool {
        let is_for_a_person = std::io::stdout().is_terminal() && self.picture.is_none();
        !self.no_ui && !self.json && !self.latency && (self.page.wanted() || is_for_a_person)
    }
}

/// The place from the picture; everything else from the file that was there, if one was.
fn merged(args: &Args, source: &str, layout: &str, found: Calibration) -> anyhow::Result<Calibration> {
    let mut calibration = if args.profile.exists() { Calibration::load(&args.profile)? } else { found.clone() };
    if SourceSpec::parse(source)? == SourceSpec::Simulated && calibration.measured.is_none() {
        calibration.timing = TableOptions::default().data_sheet();
    }
    calibration.layout = layout.into();
    calibration.picture = found.picture;
    calibration.corners = found.corners;
    calibration.lens_k1 = found.lens_k1;
    calibration.error_px = found.error_px;
    calibration.reversed = found.reversed;
    calibration.source = Some(source.into());
    if let Some(relay) = &args.relay {
        calibration.relay = Some(board::with_keys(relay, &Layout::load(layout)?)?);
    }
    if calibration.measured.is_none() {
        calibration.timing = timing_of(&calibration)?;
    }
    Ok(calibration)
}

/// Nothing measured: what is known of this computer's own screen and keys, ms. A game draws 60 times a second, and pictures are
/// taken as often; a key arrives at once.
fn timing_of(calibration: &Calibration) -> anyhow::Result<Timing> {
    let (screen, key) = (Measured { ms: 20.0, spread_ms: 20.0 }, Measured { ms: 1.0, spread_ms: 1.0 });
    let typical = Timing::default();
    let source = calibration.source.as_deref().map(SourceSpec::parse).transpose()?;
    let relay = calibration.relay.as_deref().map(RelaySpec::parse).transpose()?;
    let is_screen = matches!(source, Some(SourceSpec::Screen(_)));
    let is_keys = matches!(relay, Some(RelaySpec::Keys(_)));
    // What somebody wrote into the profile stays; what was taken for granted of another source or board does not.
    let guessed = |now: Measured, own: Measured, typical: Measured, is_own: bool| match now == own || now == typical {
        true if is_own => own,
        true => typical,
        false => now,
    };
    let Timing { eye, close, open } = calibration.timing;
    Ok(Timing {
        eye: guessed(eye, screen, typical.eye, is_screen),
        close: guessed(close, key, typical.close, is_keys),
        open: guessed(open, key, typical.open, is_keys),
    })
}

/// What the calibration reads in the next pictures.
#[derive(Default)]
struct Check {
    pictures: usize,
    playing: usize,
    /// Pictures in which something covered the field, or what the layout expects about it was not there.
    obscured: usize,
    unknown_cells: u32,
    last: Option<(Frame, crate::message::Observation)>,
}

impl Check {
    /// Why the profile is of no use.
    fn refusal(&self, calibration: &Calibration) -> Option<String> {
        if self.playing > 0 {
            return None;
        }
        let [a, b, c, d] = corners_words(calibration);
        let place =
            format!("the field would stand at {a} {b} {c} {d}, but 0 of {} pictures could be read", self.pictures);
        Some(match self.obscured * 2 > self.pictures {
            true => format!(
                "{place}: something covers the field, these are not its corners, or the layout's [locate] frames are not \
                 those of this game. Look at it with --picture FILE, and correct the corners or the layout"
            ),
            false => format!("{place}: no game runs there. Start one, and calibrate while it is played"),
        })
    }
}

fn check(reader: &mut Reader, source: &mut dyn FrameSource, pictures_max: usize) -> anyhow::Result<Check> {
    let mut check = Check::default();
    while check.pictures < pictures_max && check.playing < CHECK_PICTURES {
        let Some(frame) = source.next_frame()? else { break };
        let seen = reader.read(&frame);
        check.pictures += 1;
        check.obscured += usize::from(matches!(seen.state, ScreenState::Obscured | ScreenState::NotThisGame));
        if seen.state == ScreenState::Playing {
            check.playing += 1;
            check.unknown_cells += seen.grid.unknown().count();
        }
        if seen.state == ScreenState::Playing || check.last.is_none() {
            check.last = Some((frame, seen));
        }
    }
    Ok(check)
}

fn picture(args: &Args, check: &Check, calibration: &Calibration) -> anyhow::Result<()> {
    let (Some(path), Some((frame, seen))) = (&args.picture, &check.last) else { return Ok(()) };
    let picture = annotated(frame, seen, calibration);
    Ok(file::save_picture(path, &picture, args.overwrite.existing())?)
}

fn corners_words(calibration: &Calibration) -> [String; 4] {
    calibration.corners.map(|[x, y]| format!("{x:.1},{y:.1}"))
}

fn print(args: &Args, calibration: &Calibration, check: &Check) -> io::Result<()> {
    let [a, b, c, d] = corners_words(calibration);
    say!("The field of {} stands at {a} {b} {c} {d} (± {:.1} px).", calibration.layout, calibration.error_px)?;
    if let Some((_, seen)) = &check.last {
        seen_words("It", seen).iter().try_for_each(out::line)?;
    }
    if check.pictures > 0 {
        let per_picture = f64::from(check.unknown_cells) / check.playing.max(1) as f64;
        say!(
            "{} of {} pictures could be read; {per_picture:.1} cells a picture were unclear.",
            check.playing,
            check.pictures
        )?;
    }
    if check.playing * 2 < check.pictures {
        say!(
            "Most pictures could not be read: is a game running? Is the picture sharp and neither too dark nor too bright?"
        )?;
    }
    let is_measurable = calibration.load_layout().is_ok_and(|layout| check_game(&layout).is_ok());
    let times = match &calibration.measured {
        Some(measured) => format!("were measured on {}", measured.date),
        None if is_measurable => "are typical ones; `stackhand calibrate --latency` measures this rig's".into(),
        None => "are typical ones".into(),
    };
    say!("Written to {}. The times in it {times}.", args.profile.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_this_computer_are_taken_for_granted_only_with_its_screen_and_keys() {
        let mut calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.5);
        let typical = calibration.timing;
        let mut with = |source: &str, relay: &str, timing: Timing| {
            calibration.source = Some(source.into());
            calibration.relay = Some(relay.into());
            calibration.timing = timing;
            timing_of(&calibration).unwrap()
        };
        let own = with("screen:game", "keys:game", typical);
        assert!(own.eye.ms < typical.eye.ms && own.close.ms < typical.close.ms && own.open.ms < typical.open.ms);
        // The same profile with a camera and a board is none of this computer's.
        assert_eq!(with("camera:0", "none", own), typical);
        let written = Timing { eye: Measured { ms: 33.0, spread_ms: 5.0 }, ..typical };
        assert_eq!(with("screen:game", "none", written), written);
    }
}
