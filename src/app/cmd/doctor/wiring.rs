//! The wiring, through the game: each button is pressed, and the picture says what the piece did.

use super::findings::Findings;
use crate::app::live::care::Care;
use crate::app::live::recovery::is_ended;
use crate::app::live::rig::{self, Opened, Rig};
use crate::app::out;
use crate::app::progress::Progress;
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::edge::relay::{RelaySpec, Reopening};
use crate::edge::simulated::table::{SimulatedTable, TableOptions};
use crate::game::Buttons;
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::message::{Frame, RelayCommand, RelayMask};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::Watcher;
use crate::time::{Clock, HostTime};
use anyhow::{Context, ensure};
use std::sync::Arc;
use std::time::Duration;

/// Tapped for this long, ms: five frames, too short for a side step to repeat (16).
const TAP_MS: f64 = 80.0;
/// Down is held longer: a soft drop falls a row in two frames, gravity at level 0 one in 48.
const DOWN_MS: f64 = 300.0;
/// More rows than gravity takes at level 0 meanwhile.
const DOWN_ROWS: i8 = 4;
/// A press leaves so long after the picture that asked for it, ms.
const LEAD_MS: f64 = 20.0;
/// Beyond the rig's own times, which may not be measured yet, the effect is waited for this long, ms.
const PATIENCE_MS: f64 = 250.0;
/// A piece must have come within this time, ms: a game starts and a piece falls within it.
const NO_PIECE_MS: f64 = 40_000.0;
/// That one is waited for is told after this time, ms.
const TOLD_MS: f64 = 3000.0;
/// Presses tried for one button before it counts as dead: the piece may have stood against something.
const TRIES: usize = 2;
/// In the order in which they are pressed; Down last, for it uses the piece up.
const PRESSED: [(Buttons, &str); 5] =
    [(Buttons::LEFT, "left"), (Buttons::RIGHT, "right"), (Buttons::A, "a"), (Buttons::B, "b"), (Buttons::DOWN, "down")];

/// What a press did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Left,
    Right,
    Turned,
    Dropped,
    Nothing,
}

impl Effect {
    /// From where a piece was before the press and after it.
    fn of(before: Pose, after: Pose) -> Self {
        match (after.x - before.x, after.orientation != before.orientation, after.y - before.y) {
            (_, true, _) => Self::Turned,
            (..0, ..) => Self::Left,
            (1.., ..) => Self::Right,
            (0, _, DOWN_ROWS..) => Self::Dropped,
            _ => Self::Nothing,
        }
    }

    fn wanted(button: Buttons) -> Self {
        match button {
            Buttons::LEFT => Self::Left,
            Buttons::RIGHT => Self::Right,
            Buttons::DOWN => Self::Dropped,
            _ => Self::Turned,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Left => "made the piece move left",
            Self::Right => "made the piece move right",
            Self::Turned => "turned the piece",
            Self::Dropped => "made the piece fall faster",
            Self::Nothing => "did nothing",
        }
    }
}

/// Camera and relays: real ones, or the simulated table on its own clock.
enum Joints {
    Real { source: Box<dyn FrameSource>, rig: Box<Rig>, care: Box<Care> },
    Simulated(Box<SimulatedTable>),
}

impl Joints {
    fn next_frame(&mut self) -> anyhow::Result<Frame> {
        let frame = match self {
            Self::Real { source, rig, care } => {
                ensure!(!rig.net.stop_flag().is_set(), "ended before every button was tried");
                let mut frame = source.next_frame()?;
                if let Some(frame) = &mut frame {
                    rig.executor.handle().sighted(care.see(frame));
                }
                frame
            }
            Self::Simulated(table) => table.next_frame()?,
        };
        frame.context("the pictures ended; use a live source")
    }

    fn press(&mut self, commands: Vec<RelayCommand>) -> anyhow::Result<()> {
        match self {
            Self::Real { rig, .. } => rig.executor.schedule(commands)?,
            Self::Simulated(table) => table.schedule(HostTime(i64::MIN), commands),
        }
        Ok(())
    }
}

/// Presses each button that has a relay and tells what it did.
pub fn check(
    findings: &mut Findings,
    progress: &mut Progress,
    calibration: &Calibration,
    (source, relay): (&str, &str),
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<()> {
    let layout = Layout::load(&calibration.layout)?;
    let mut watcher = Watcher::new(&layout, calibration, 0)?;
    let mut joints = joints(calibration, source, relay, clock)?;
    let checked = each_button(findings, progress, calibration, &mut joints, &mut watcher);
    // However it ended, and the error that ended it is the one to be told.
    if let Joints::Real { rig, .. } = joints {
        let is_open = rig.open_relays();
        let closed = rig.close(is_open);
        checked?;
        closed?;
        return Ok(());
    }
    checked
}

fn each_button(
    findings: &mut Findings,
    progress: &mut Progress,
    calibration: &Calibration,
    joints: &mut Joints,
    watcher: &mut Watcher,
) -> anyhow::Result<()> {
    for (n, (button, name)) in PRESSED.into_iter().enumerate() {
        let of = PRESSED.len();
        progress.show(Some(n as f64 / of as f64), || format!("Trying {name}, button {} of {of}; Ctrl-C ends", n + 1));
        let Some(relay) = calibration.buttons.get(name) else {
            findings.note("wiring", name, "has no relay", None)?;
            continue;
        };
        let Some(effect) = press(joints, watcher, calibration, button)? else {
            findings.mend("wiring", name, "no piece was seen falling", "start a game at level 0, then try again")?;
            break;
        };
        judge(findings, calibration, (button, name, *relay), effect)?;
    }
    Ok(())
}

fn joints(calibration: &Calibration, source: &str, relay: &str, clock: &Arc<dyn Clock>) -> anyhow::Result<Joints> {
    if SourceSpec::parse(source)? == SourceSpec::Simulated {
        return Ok(Joints::Simulated(Box::new(SimulatedTable::new(TableOptions::default())?)));
    }
    let spec = RelaySpec::parse(relay)?;
    let (rig, _, source) = rig::open(relay, &spec, clock, |caretaker, stop| {
        let board = crate::edge::relay::open(&spec, clock.clone())?;
        let reopening = Some(caretaker.again(Reopening::of(&spec, Duration::ZERO, clock.clone())));
        let source = crate::edge::open_until(source, clock.clone(), Some(is_ended(stop)))?;
        Ok(Opened { board, reopening, calibration: calibration.clone(), rest: source })
    })?;
    let mut source = source;
    source.end_when(is_ended(&rig.net.stop_flag()));
    Ok(Joints::Real { source, rig: Box::new(rig), care: Box::new(Care::new(None)) })
}

fn judge(
    findings: &mut Findings,
    calibration: &Calibration,
    (button, name, relay): (Buttons, &str, u8),
    effect: Effect,
) -> std::io::Result<()> {
    let says = format!("a press of relay {relay} ({name}) {}", effect.words());
    if effect == Effect::wanted(button) {
        return findings.good("wiring", name, &says);
    }
    let does = PRESSED.iter().find(|(other, _)| Effect::wanted(*other) == effect);
    let remedy = match does.and_then(|(_, other)| Some((other, calibration.buttons.get(*other)?))) {
        Some((other, there)) => format!(
            "its wire leads to {other}: exchange the wires of relays {relay} and {there}, or their numbers in [buttons] of the profile"
        ),
        None => "check the wire from this relay to its button, and that the relay clicks (--click)".into(),
    };
    findings.mend("wiring", name, &says, &remedy)
}

/// What this button does; `None` if there is no piece to try it on.
fn press(
    joints: &mut Joints,
    watcher: &mut Watcher,
    calibration: &Calibration,
    button: Buttons,
) -> anyhow::Result<Option<Effect>> {
    let mut effect = Effect::Nothing;
    for _ in 0..TRIES {
        let Some((piece, before, time)) = wait_for_piece(joints, watcher, button)? else { return Ok(None) };
        let hold_ms = if button == Buttons::DOWN { DOWN_MS } else { TAP_MS };
        let due = time.plus_ms(LEAD_MS);
        let end = due.plus_ms(hold_ms);
        let command = |due: HostTime, mask| RelayCommand { due, expires: due.plus_ms(hold_ms), mask };
        joints.press(vec![command(due, calibration.relays(button)), command(end, RelayMask(0))])?;
        let timing = calibration.timing;
        let seen_by = end.plus_ms(timing.eye.ms + timing.eye.spread_ms + timing.open.ms + PATIENCE_MS);
        let mut after = before;
        loop {
            let frame = joints.next_frame()?;
            watcher.look(&frame);
            match watcher.belief.falling() {
                Some((seen, pose)) if seen == piece => after = pose,
                _ => break,
            }
            if frame.time > seen_by {
                break;
            }
        }
        effect = Effect::of(before, after);
        if effect != Effect::Nothing {
            break;
        }
    }
    Ok(Some(effect))
}

/// A piece with room around it: where, and when it was seen there.
fn wait_for_piece(
    joints: &mut Joints,
    watcher: &mut Watcher,
    button: Buttons,
) -> anyhow::Result<Option<(Piece, Pose, HostTime)>> {
    let mut start = None;
    let mut is_told = false;
    loop {
        let frame = joints.next_frame()?;
        watcher.look(&frame);
        let waited_ms = start.map_or(0.0, |start| frame.time.ms_since(start));
        if waited_ms > TOLD_MS && !is_told {
            is_told = true;
            out::note("Waiting for a falling piece: start a game at level 0, or let it go on. Ctrl-C ends.");
        }
        let until = start.get_or_insert(frame.time).plus_ms(NO_PIECE_MS);
        if let Some((piece, pose)) = watcher.belief.falling() {
            let pile_top = watcher.belief.pile().height() as i8;
            let can_turn = piece != Piece::O || !button.intersects(Buttons::A | Buttons::B);
            if pose.y > 1 && pose.y < pile_top / 2 && can_turn {
                return Ok(Some((piece, pose, frame.time)));
            }
        }
        if frame.time > until {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the check says of the simulated table, whose pad is wired in the usual order, through this profile.
    fn effects(change: impl FnOnce(&mut Calibration)) -> Vec<Effect> {
        let mut table = SimulatedTable::new(TableOptions::default()).unwrap();
        let found = crate::app::args::find::search(Some("nes"), &mut table).unwrap();
        let mut calibration = found.calibration;
        change(&mut calibration);
        let mut watcher = Watcher::new(&found.layout, &calibration, 0).unwrap();
        let mut joints = Joints::Simulated(Box::new(table));
        PRESSED.iter().map(|(b, _)| press(&mut joints, &mut watcher, &calibration, *b).unwrap().unwrap()).collect()
    }

    #[test]
    fn a_right_wiring_is_recognised() {
        use Effect::{Dropped, Left, Right, Turned};
        assert_eq!(effects(|_| {}), [Left, Right, Turned, Turned, Dropped]);
    }

    #[test]
    fn swapped_and_dead_wires_are_recognised() {
        use Effect::{Dropped, Left, Nothing, Right, Turned};
        let swap = |calibration: &mut Calibration| {
            calibration.buttons.insert("left".into(), 0);
            calibration.buttons.insert("right".into(), 1);
            // Select does nothing to a piece: as good as a dead wire.
            calibration.buttons.insert("a".into(), 5);
            calibration.buttons.insert("select".into(), 7);
        };
        assert_eq!(effects(swap), [Right, Left, Nothing, Turned, Dropped]);
    }
}
