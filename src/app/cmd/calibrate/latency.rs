//! `calibrate --latency`: presses and watches a running game until the rig's times are known.

use crate::app::args::finger::{LEAD_MS, check_wired};
use crate::app::live::care::Care;
use crate::app::live::recovery::is_ended;
use crate::app::live::rig::{self, Opened, Rig};
use crate::app::out::{self, say};
use crate::app::progress::Progress as Shown;
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::edge::relay::{self, RelaySpec};
use crate::edge::simulated::table::{SimulatedTable, TableOptions};
use crate::game::Buttons;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::measure::{Experimenter, Learned, Progress, check_game};
use crate::time::{Clock, SystemClock, today};
use anyhow::{Context, bail, ensure};
use serde::Serialize;
use std::io;
use std::sync::Arc;

/// What is under way.
const WORDS: &str = "Pressing and watching; Ctrl-C ends";
/// Why there is no result.
const ENDED: &str = "ended before enough was seen; nothing was written";
/// Contacts of good relays, and pictures of a camera on a computer that is not busy, scatter by less, ms.
const STEADY_CONTACTS_MS: f64 = 4.0;
const STEADY_PICTURES_MS: f64 = 15.0;

/// What is said of the times, as a line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Learned {
        presses: usize,
        releases: usize,
        missed: u32,
        took_s: f64,
        eye_and_close_ms: f64,
        eye_and_close_error_ms: f64,
        close_spread_ms: f64,
        open_after_close_ms: f64,
        open_spread_ms: f64,
        exposure_ms: f64,
        arrival_jitter_ms: f64,
        buttons: Vec<(&'a str, f64)>,
    },
}

/// Learns the times of the rig that the calibration names and puts them into it.
///
/// # Errors
/// When source or board do not open or fail, or when nothing can be learned.
pub fn run(calibration: &mut Calibration, relay_name: &str, json: bool) -> anyhow::Result<()> {
    let relay = RelaySpec::parse(relay_name)?;
    let source = calibration.source.clone().context("no camera is named; add --source camera:0")?;
    SourceSpec::parse_profile(&source)?;
    let layout = calibration.load_layout()?;
    check_game(&layout)?;
    check_wired(&layout, calibration)?;
    if !json {
        say!("Pressing and watching: this takes five to six minutes of the game. Leave the pad alone meanwhile.")?;
    }
    let is_table = SourceSpec::parse(&source)? == SourceSpec::Simulated;
    let learned = match relay {
        RelaySpec::None => {
            bail!("nothing can be pressed with --relay none; name the board, as in adr2200:/dev/ttyUSB0")
        }
        RelaySpec::Simulated if is_table => at_table(TableOptions::default(), &layout, calibration)?,
        RelaySpec::Simulated => bail!("a simulated board presses nothing in front of {source}; name the real one"),
        _ if is_table => bail!("the simulated console is not wired to that board; use --relay sim"),
        relay => live(&source, (relay_name, &relay), &layout, calibration)?,
    };
    if json {
        print_json(&learned)?
    } else {
        print_words(&learned, calibration)?;
    }
    note(&learned, calibration);
    Ok(())
}

/// Puts what was learned into the calibration.
pub fn note(learned: &Learned, calibration: &mut Calibration) {
    calibration.timing = learned.timing(calibration.timing);
    calibration.measured = Some(learned.record(today()));
}

/// At the simulated table, on its own clock.
///
/// # Errors
/// When nothing can be learned.
pub fn at_table(options: TableOptions, layout: &Layout, calibration: &Calibration) -> anyhow::Result<Learned> {
    let mut table = SimulatedTable::new(TableOptions { start_level: 0, ..options })?;
    let mut experimenter = Experimenter::new(layout, calibration, table.wire(), LEAD_MS)?;
    let mut shown = Shown::new(WORDS);
    while !show(&mut shown, &experimenter.progress()) {
        let Some(frame) = table.next_frame()? else { break };
        let commands = experimenter.look(&frame)?;
        if let Some(first) = commands.first() {
            table.schedule(first.due, commands);
        }
    }
    Ok(experimenter.finish()?)
}

/// At a real rig; relays are open afterwards in any case.
fn live(
    source: &str,
    (name, relay): (&str, &RelaySpec),
    layout: &Layout,
    calibration: &Calibration,
) -> anyhow::Result<Learned> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let (rig, calibration, (source, wire)) = rig::open(name, relay, &clock, |_, stop| {
        let board = relay::open(relay, clock.clone())?;
        relay::check_buttons(board.as_ref(), calibration)?;
        let wire = board.capabilities().wire;
        let mut source = crate::edge::open_until(source, clock.clone(), Some(is_ended(stop)))?;
        source.end_when(is_ended(stop));
        Ok(Opened { board, reopening: None, calibration: calibration.clone(), rest: (source, wire) })
    })?;
    let experimenter = Experimenter::new(layout, &calibration, wire, LEAD_MS).map_err(anyhow::Error::from);
    let learned = experimenter.and_then(|experimenter| press_and_watch(source, &rig, experimenter, &calibration));
    let is_open = rig.open_relays();
    let stopped = rig.close(is_open);
    let learned = learned?;
    stopped?;
    Ok(learned)
}

fn press_and_watch(
    mut source: Box<dyn FrameSource>,
    rig: &Rig,
    mut experimenter: Experimenter,
    calibration: &Calibration,
) -> anyhow::Result<Learned> {
    let (stop, executor, mut care) = (rig.net.stop_flag(), &rig.executor, Care::new(None));
    let mut shown = Shown::new(WORDS);
    while !show(&mut shown, &experimenter.progress()) {
        ensure!(!stop.is_set(), ENDED);
        let Some(mut frame) = source.next_frame()? else {
            ensure!(!stop.is_set(), ENDED);
            break;
        };
        executor.handle().sighted(care.see(&mut frame));
        calibration.check_picture(frame.image.width(), frame.image.height())?;
        if let Some(error) = executor.take_error() {
            return Err(error.into());
        }
        let commands = experimenter.look(&frame)?;
        if let Some(first) = commands.first() {
            executor.schedule_since(first.due, commands)?;
        }
    }
    Ok(experimenter.finish()?)
}

/// Shows the progress; whether it is done.
fn show(shown: &mut Shown, progress: &Progress) -> bool {
    let Progress { trials, of, .. } = *progress;
    shown.show(Some(trials as f64 / of.max(1) as f64), || format!("{trials} of {of} presses; Ctrl-C ends"));
    progress.is_done
}

fn print_json(learned: &Learned) -> anyhow::Result<()> {
    let round = |ms: f64| (ms * 100.0).round() / 100.0;
    let (fit, release) = (&learned.fit, &learned.release);
    let buttons = fit.buttons.iter().map(|(button, late_ms)| (name(*button), round(*late_ms))).collect();
    let line = Line::Learned {
        presses: fit.taps,
        releases: release.holds,
        missed: learned.missed,
        took_s: round(learned.took_ms / 1000.0),
        eye_and_close_ms: round(fit.delay_ms),
        eye_and_close_error_ms: round(fit.delay_error_ms),
        close_spread_ms: round(fit.spread_ms),
        open_after_close_ms: round(release.later_ms),
        open_spread_ms: round(release.spread_ms),
        exposure_ms: round(fit.exposure_ms),
        arrival_jitter_ms: round(learned.jitter_ms),
        buttons,
    };
    Ok(out::line(serde_json::to_string(&line)?)?)
}

/// What to say of times that scatter so much that plans for fast levels must leave places out.
pub fn unsteady(learned: &Learned) -> Option<String> {
    scattered([learned.fit.spread_ms, learned.release.spread_ms], learned.jitter_ms)
}

fn scattered(contacts_ms: [f64; 2], pictures_ms: f64) -> Option<String> {
    let contacts_ms = contacts_ms.into_iter().fold(0.0, f64::max);
    let is_much = contacts_ms > STEADY_CONTACTS_MS || pictures_ms > STEADY_PICTURES_MS;
    is_much.then(|| {
        format!(
            "These times scatter much (contacts ± {contacts_ms:.1} ms, where {STEADY_CONTACTS_MS:.0} is usual at most, pictures ± \
             {pictures_ms:.1}, where {STEADY_PICTURES_MS:.0} is): at fast levels plans that allow for that leave places out, and \
             games are lost. Close other programs and measure again, or keep the profile from before."
        )
    })
}

fn print_words(learned: &Learned, before: &Calibration) -> io::Result<()> {
    let (fit, release) = (&learned.fit, &learned.release);
    say!(
        "Measured in {:.0} s of the game, {} presses and {} releases:",
        learned.took_ms / 1000.0,
        fit.taps,
        release.holds
    )?;
    let row = |what: &str, ms: f64, spread: String| say!("  {what:<58} {ms:7.1} ms  {spread}");
    row(
        "from a press to the picture of its effect (eye + close)",
        fit.delay_ms,
        format!("(known to ± {:.1})", 2.0 * fit.delay_error_ms),
    )?;
    row("single contacts close so much earlier or later", fit.spread_ms, String::new())?;
    row(
        "contacts open later than they close (negative: sooner)",
        release.later_ms,
        format!("± {:.1}", release.spread_ms),
    )?;
    row("the camera's shutter is open for", fit.exposure_ms, String::new())?;
    row("pictures arrive so much early or late", learned.jitter_ms, String::new())?;
    for (button, late_ms) in &fit.buttons {
        row(&format!("{} closes later than the directions' mean", name(*button)), *late_ms, String::new())?;
    }
    if learned.missed + learned.doubled > 0 {
        say!(
            "{} presses had no effect, {} had two: see the contacts and the wiring.",
            learned.missed,
            learned.doubled
        )?;
    }
    if let Some(words) = unsteady(learned) {
        say!("{words}")?;
    }
    say!(
        "How eye and close share their sum cannot be seen and does not matter: close stays {:.1} ms.",
        before.timing.close.ms
    )
}

fn name(button: Buttons) -> &'static str {
    Buttons::NAMED.into_iter().find(|(known, _)| *known == button).map_or("?", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_scatter_much_are_told() {
        // A good rig's relays and camera; then a busy computer's keys, and one of which the pictures alone are late.
        assert_eq!(scattered([1.1, 1.6], 3.0), None);
        let words = scattered([6.0, 5.8], 27.4).expect("both scatter");
        assert!(words.contains("contacts ± 6.0 ms") && words.contains("pictures ± 27.4"), "{words}");
        assert!(scattered([1.0, 1.0], 20.0).is_some());
    }
}
