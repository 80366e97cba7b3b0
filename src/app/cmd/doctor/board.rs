//! The relay board: does it answer, do its relays follow, how worn are they.

use super::findings::Findings;
use crate::app::live::caretaker::{Caretaker, tell_past};
use crate::app::live::rig;
use crate::edge::relay::{RATED_OPERATIONS, RelayBoard, RelayError, RelaySpec, Wear};
use crate::message::RelayMask;
use crate::profile::calibration::Calibration;
use crate::time::Clock;
use std::sync::Arc;

/// A relay is held closed for this long when it is clicked, ms, and open as long afterwards: longer than any takes to move.
const CLICK_MS: f64 = 150.0;
/// Somebody who was told to bring a window to the front has this long, ms.
const FOCUS_MS: f64 = 20_000.0;
/// Relays of the boards there are.
const RELAYS: usize = 8;

/// Checks the board that `name` names.
pub fn check(
    findings: &mut Findings,
    name: &str,
    calibration: Option<&Calibration>,
    click: bool,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<()> {
    let spec = RelaySpec::parse(name)?;
    tell_past(name);
    let (mut board, mut caretaker): (Box<dyn RelayBoard>, Caretaker) = match &spec {
        RelaySpec::None => return Ok(findings.note("board", name, "nothing is pressed", None)?),
        spec if !spec.is_real() => (crate::edge::simulated::table::unwired_board(clock.clone()), Caretaker::default()),
        // Ctrl-C in the middle of a click must not leave a relay closed.
        real => match rig::open_by_hand(name, real, clock, click)? {
            Ok(opened) => opened,
            Err(e) => return Ok(findings.error("board", name, &e)?),
        },
    };
    if let Err(e) = opened(findings, name, board.as_mut(), clock) {
        findings.error("board", name, &e)?;
    } else if click && let Err(e) = click_through(findings, name, (board.as_mut(), &mut caretaker), clock)? {
        findings.error("board", name, &e)?;
    }
    let is_open = board.open_all().is_ok();
    // The port must be free for the watchdog if it has to open the relays.
    drop(board);
    caretaker.dismiss(is_open);
    wear(findings, name, &spec, calibration)
}

fn opened(
    findings: &mut Findings,
    name: &str,
    board: &mut dyn RelayBoard,
    clock: &Arc<dyn Clock>,
) -> Result<(), RelayError> {
    board.open_all()?;
    clock.sleep_until(clock.now().plus_ms(CLICK_MS));
    let told = match board.read_back()? {
        Some(RelayMask(0)) => findings.good("board", name, "answers, and reads back that all relays are open"),
        Some(RelayMask(mask)) => findings.mend(
            "board",
            name,
            &format!("reads back relays {mask:08b} closed (K7 first) after it was told to open all"),
            "switch off its power, then check the board",
        ),
        None => findings.note("board", name, "takes commands, but cannot be asked what it does", None),
    };
    told.map_err(|source| RelayError::System { source })
}

/// Keys are pressed only in their window, and whoever types a command is in another.
fn wait_for_reach(
    board: &mut dyn RelayBoard,
    caretaker: &mut Caretaker,
    clock: &Arc<dyn Clock>,
) -> Result<(), RelayError> {
    let since = clock.now();
    let mut is_told = false;
    loop {
        match board.check_reach() {
            Err(e) if e.is_absence() && clock.now().ms_since(since) < FOCUS_MS => {
                if !std::mem::replace(&mut is_told, true) {
                    tracing::warn!("{e} (within {:.0} s)", FOCUS_MS / 1000.0);
                }
                let _ = caretaker.beat();
                clock.sleep_until(clock.now().plus_ms(CLICK_MS));
            }
            reached => return reached,
        }
    }
}

/// Each relay once. Read-back is what the board's processor believes: a welded contact shows only in the game.
fn click_through(
    findings: &mut Findings,
    name: &str,
    (board, caretaker): (&mut dyn RelayBoard, &mut Caretaker),
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Result<(), RelayError>> {
    if let Err(e) = wait_for_reach(board, caretaker, clock) {
        return Ok(Err(e));
    }
    let mut follow = 0;
    for relay in 0..RELAYS {
        let one = RelayMask(1 << relay);
        if !caretaker.beat() {
            let source = std::io::ErrorKind::BrokenPipe.into();
            return Ok(Err(RelayError::NoWatchdog { source }));
        }
        let (closed, open) = match click_one(board, one, clock) {
            Ok(both) => both,
            Err(e) => return Ok(Err(e)),
        };
        let (Some(closed), Some(open)) = (closed, open) else {
            findings.note("relay", &relay.to_string(), "clicked; the board cannot say whether it moved", None)?;
            continue;
        };
        let problem = match (closed.0 & one.0 != 0, open.0 & one.0 == 0) {
            (true, true) if closed == one => {
                follow += 1;
                continue;
            }
            (true, true) => format!("others are closed with it: {:08b} (K7 first)", closed.0),
            (false, _) => "does not close".into(),
            (_, false) => "does not open".into(),
        };
        findings.mend("relay", &relay.to_string(), &problem, "use another relay for its button, or another board")?;
    }
    if follow > 0 {
        findings.good("board", name, &format!("{follow} relays closed and opened as told, by read-back"))?;
    }
    Ok(Ok(()))
}

type Both = (Option<RelayMask>, Option<RelayMask>);

fn click_one(board: &mut dyn RelayBoard, one: RelayMask, clock: &Arc<dyn Clock>) -> Result<Both, RelayError> {
    let mut read_after = |mask| {
        board.set(mask)?;
        clock.sleep_until(clock.now().plus_ms(CLICK_MS));
        board.read_back()
    };
    let closed = read_after(one)?;
    Ok((closed, read_after(RelayMask(0))?))
}

fn wear(
    findings: &mut Findings,
    name: &str,
    spec: &RelaySpec,
    calibration: Option<&Calibration>,
) -> anyhow::Result<()> {
    if !spec.is_real() {
        return Ok(());
    }
    let rated = calibration.and_then(|c| c.rated_operations).unwrap_or(RATED_OPERATIONS);
    let wear = match Wear::of(name) {
        Ok(wear) => wear,
        Err(e) => return Ok(findings.error("wear", name, &e)?),
    };
    let counts: Vec<_> = wear.operations().iter().enumerate().map(|(k, n)| format!("K{k} {n}")).collect();
    findings.good("wear", name, &format!("operations so far, of {rated} rated: {}", counts.join(", ")))?;
    for (relay, share) in wear.worn(rated) {
        let says = format!("{:.0} % of its rated life is used", share * 100.0);
        findings.note(
            "relay",
            &relay.to_string(),
            &says,
            Some("have a spare board, or move its button to another relay"),
        )?;
    }
    Ok(())
}
