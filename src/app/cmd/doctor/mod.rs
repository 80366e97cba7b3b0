//! `doctor`: what works on this computer and at this table, and what to mend.

mod board;
mod cameras;
mod findings;
mod open_relays;
mod permissions;
mod ports;
mod screen;
mod timing;
mod wiring;

use super::play::named_source;
use crate::app::args;
use crate::app::progress::Progress;
use crate::edge::relay::RelaySpec;
use crate::profile::calibration::Calibration;
use crate::time::{Clock, SystemClock};
use anyhow::Context;
use findings::Findings;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Options of `doctor`.
#[derive(clap::Args)]
pub struct Args {
    /// Look at this camera or other live source too [default: the profile's, or all cameras].
    #[arg(help_heading = "Rig", long, value_name = "SRC")]
    source: Option<String>,
    /// Ask this board [default: the profile's, or whatever answers on the ports].
    #[arg(help_heading = "Rig", long, value_name = "REL")]
    relay: Option<String>,
    /// The calibration file.
    #[arg(help_heading = "Rig", long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Do not open any port that is not named: opening one restarts an Arduino.
    #[arg(help_heading = "Checks", long)]
    no_probe: bool,
    /// Close and open each relay once and read it back; it presses the buttons that are wired to them.
    #[arg(help_heading = "Checks", long)]
    click: bool,
    /// Only open all relays of the board, and ask it whether they are open: exit status 0 if it says so.
    #[arg(help_heading = "Checks", long, conflicts_with_all = ["click", "wiring", "source", "load"])]
    open_relays: bool,
    /// Press the buttons and look in the game what they do; a game must run, a piece falling. Needs --profile.
    #[arg(help_heading = "Checks", long, requires = "profile")]
    wiring: bool,
    /// Measure for this long how late commands reach the wire, through a pseudo-terminal, s.
    #[arg(help_heading = "Checks", long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timing: u32,
    /// Measure that with every processor kept busy.
    #[arg(help_heading = "Checks", long)]
    load: bool,
    /// Write JSON lines to standard output.
    #[arg(help_heading = "Output", long)]
    json: bool,
}

/// What to do where a check needs the board's name.
const BOARD_REMEDY: &str = "name it with --relay, such as adr2200:/dev/ttyUSB0, or with --profile FILE";

/// Whether this is a board, of which relays can be clicked.
fn is_clicked(relay: &str) -> bool {
    RelaySpec::parse(relay).is_ok_and(|spec| spec != RelaySpec::None)
}

/// Runs it; exit status 1 if there is something to mend.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let calibration = args.profile.as_deref().map(Calibration::load).transpose()?;
    let own_source = calibration.as_ref().and_then(|c| c.source.as_deref());
    let source = named_source(args.source.as_deref(), own_source)?.map(String::from);
    let own_relay = calibration.as_ref().and_then(|c| c.relay.as_deref());
    let relay = args::board::named(args.relay.as_deref(), own_relay)?.map(String::from);
    if let Some(relay) = &relay {
        RelaySpec::parse(relay)?;
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let mut findings = Findings::new(args.json);
    if args.open_relays {
        let relay = relay.context("no relay board is named; add --relay adr2200:/dev/ttyUSB0, or --profile FILE")?;
        open_relays::run(&mut findings, &relay, &clock)?;
        return findings.finish();
    }
    let mut progress = Progress::new("Looking at permissions and cameras; Ctrl-C ends");
    permissions::check(&mut findings)?;
    cameras::check(&mut findings, source.as_deref(), &clock)?;
    screen::check(&mut findings)?;
    progress.step("Asking the serial ports; Ctrl-C ends");
    ports::check(&mut findings, relay.as_deref(), !args.no_probe, &clock)?;
    if let Some(relay) = &relay {
        progress.step("Asking the relay board; Ctrl-C ends");
        board::check(&mut findings, relay, calibration.as_ref(), args.click, &clock)?;
    }
    if args.click && !relay.as_deref().is_some_and(is_clicked) {
        findings.mend("board", "", "no relay was clicked: no board is named", BOARD_REMEDY)?;
    }
    progress.step("Timing commands to a line; Ctrl-C ends");
    timing::check(&mut findings, &mut progress, args.timing, args.load, &clock)?;
    if let (true, Some(calibration)) = (args.wiring, &calibration) {
        progress.step("Trying the buttons in the game; Ctrl-C ends");
        match (source.as_deref(), relay.as_deref()) {
            (Some(source), Some(relay)) => {
                wiring::check(&mut findings, &mut progress, calibration, (source, relay), &clock)?
            }
            (None, _) => {
                findings.mend("wiring", "", "no button was tried: no camera is named", "add --source camera:0")?
            }
            (_, None) => findings.mend("wiring", "", "no button was tried: no board is named", BOARD_REMEDY)?,
        }
    }
    drop(progress);
    findings.finish()
}
