//! From strokes to contacts in host time, and from contacts to commands for a board with its own wire and contact times.

pub mod outcome;
pub mod polls;
pub mod press;
pub mod stroke;

pub use stroke::Stroke;

use crate::game::Buttons;
use crate::game::rules::{Down, Rules};
use crate::message::{RelayCommand, RelayMask};
use crate::profile::calibration::{Calibration, Timing};
use crate::profile::wire::Wire;
use crate::time::HostTime;

/// What the finger can do, in game frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finger {
    /// How long a tap presses, frames.
    pub press_frames: f64,
    /// The shortest gap between two taps, frames.
    pub gap_frames: f64,
}

impl Finger {
    /// Mechanical relays: a one-frame command may close for 7 ms and miss the console's poll (facts: 4 ms to close,
    /// 3 to open, each ± 1–2).
    pub const RELAY: Self = Self { press_frames: 2.0, gap_frames: 2.0 };
    /// Solid-state contacts locked to the console's poll.
    pub const SOLID: Self = Self { press_frames: 1.0, gap_frames: 1.0 };

    /// This many taps a second, half of each period pressed.
    pub fn taps_per_s(hz: f64, frame_ms: f64) -> Self {
        let half = 500.0 / hz.max(0.1) / frame_ms;
        Self { press_frames: half, gap_frames: half }
    }
}

/// A moment at which the set of pressed buttons changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// When the contacts should have changed.
    pub at: HostTime,
    /// What is pressed from then on.
    pub buttons: Buttons,
}

/// Presses over time, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ButtonSchedule {
    changes: Vec<Change>,
}

/// A press that no pad can do was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("opposite directions ({buttons:?}) were asked for together; this is a fault of the program: please report it")]
pub struct OppositeDirections {
    /// The set.
    pub buttons: Buttons,
}

/// After a game, Start is pressed this often, ms: a menu takes about a second to come up, and a second press too early would
/// pause the new game.
pub const START_EVERY_MS: f64 = 2000.0;
/// A press of Start, for a game, a pause, or to go on, ms: long enough for any console to see it.
pub const START_PRESS_MS: f64 = 100.0;
/// A press held until the piece locks is planned with this length, until the lock is known.
const UNTIL_LOCK_FRAMES: f64 = 4000.0;
/// Down is let go this many frames after the latest lock: late enough for a late lock, early enough for the next piece.
const RELEASE_AFTER_LOCK_FRAMES: f64 = 2.0;
/// A command may start so much later than due before it counts as stale, ms: a quarter of a frame.
const PATIENCE_MS: f64 = 4.0;

impl ButtonSchedule {
    /// Lays strokes out from `start` (the first contact) on.
    pub fn lay_out(strokes: &[Stroke], start: HostTime, finger: Finger, rules: &Rules) -> Self {
        let frame_ms = rules.frame_ms();
        let mut schedule = Self::default();
        let mut at = start;
        let taps = |stroke: &Stroke| match (*stroke, rules.down()) {
            // Holding Down may repeat, at a rate that nobody knows.
            (Stroke::SoftDrop(rows), Down::Taps) => vec![Stroke::Tap(Buttons::DOWN); usize::from(rows)],
            (stroke, _) => vec![stroke],
        };
        for stroke in &strokes.iter().flat_map(taps).collect::<Vec<_>>() {
            let (buttons, frames) = match *stroke {
                Stroke::Tap(buttons) => (buttons, finger.press_frames),
                Stroke::HardDrop => (rules.hard_drop().unwrap_or_default(), finger.press_frames),
                Stroke::Hold { direction, columns } => (direction, hold_frames(columns, rules)),
                // Down counts to three for the first row and two for each further one ($894E): 2n + 1 or 2n + 2
                // polls give n rows, so half a frame more than 2n + 1 is safe from both sides.
                Stroke::SoftDrop(rows) => (Buttons::DOWN, 2.0 * f64::from(rows) + 1.5),
                Stroke::Lower(frames) => (Buttons::DOWN, f64::from(frames)),
                Stroke::HoldDown => (Buttons::DOWN, UNTIL_LOCK_FRAMES),
            };
            schedule.press(at, buttons, frames * frame_ms);
            at = at.plus_ms((frames + finger.gap_frames) * frame_ms);
        }
        schedule
    }

    /// From changes in their order.
    pub fn of(changes: Vec<Change>) -> Self {
        Self { changes }
    }

    /// Adds one press; presses must not overlap.
    pub fn press(&mut self, at: HostTime, buttons: Buttons, length_ms: f64) {
        self.changes.push(Change { at, buttons });
        self.changes.push(Change { at: at.plus_ms(length_ms), buttons: Buttons::NONE });
    }

    /// This schedule with the presses of an `earlier` one, which ends before it begins, before its own.
    #[must_use]
    pub fn after(&self, earlier: &Self) -> Self {
        Self { changes: earlier.changes.iter().chain(&self.changes).copied().collect() }
    }

    /// The changes, in order.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Ends a press that waits for the lock, now that the latest time of the lock is known.
    pub fn release_after(&mut self, latest_lock: HostTime, frame_ms: f64) {
        let release = latest_lock.plus_ms(RELEASE_AFTER_LOCK_FRAMES * frame_ms);
        if let Some(last) = self.changes.last_mut() {
            last.at = last.at.min(release);
        }
    }

    /// Without the presses that begin when the piece has locked for sure, which would be felt by the next one; `None` if
    /// there are none.
    pub fn ended_with(&self, lock: HostTime) -> Option<Self> {
        let is_later = |pair: &[Change]| pair.first().is_some_and(|press| press.at >= lock);
        let kept = 2 * self.changes.chunks(2).position(is_later)?;
        Some(Self { changes: self.changes[..kept].to_vec() })
    }

    /// What is left to stand of this schedule when commands that leave from `since` on are replaced: what leaves before,
    /// and the end of a press that is under way then, which lasts `press_ms` or as much longer as it must. How many changes
    /// leave before, too.
    pub fn cut(&self, since: HostTime, press_ms: f64, calibration: &Calibration, wire: Wire) -> (Self, usize) {
        let dues = self.dues(calibration, wire);
        let sent = dues.iter().take_while(|due| **due < since).count();
        let mut kept = Self { changes: self.changes[..sent].to_vec() };
        if let (Some(last), Some(next)) = (kept.changes.last().copied(), self.changes.get(sent))
            && last.buttons != Buttons::NONE
        {
            let opening_ms = wire.ms(calibration.relays(last.buttons), RelayMask(0)) + calibration.timing.open.ms;
            let shortest = last.at.plus_ms(press_ms).max(since.plus_ms(opening_ms));
            kept.changes.push(Change { at: next.at.min(shortest), buttons: Buttons::NONE });
        }
        (kept, sent)
    }

    /// Whether a press of any of these buttons begins at a time or after it.
    pub fn presses_since(&self, time: HostTime, buttons: Buttons) -> bool {
        self.changes.iter().any(|change| change.at >= time && change.buttons.intersects(buttons))
    }

    /// Whether any of these buttons is pressed at a time between these two, which count.
    pub fn presses_between(&self, from: HostTime, to: HostTime, buttons: Buttons) -> bool {
        let begins = |change: &Change| change.at <= to && change.buttons.intersects(buttons);
        let ends = self.changes.iter().skip(1).map(|change| change.at).chain([HostTime(i64::MAX)]);
        self.changes.iter().zip(ends).any(|(change, end)| begins(change) && end > from)
    }

    /// Forgets all changes before a time; what is held then is forgotten with them.
    pub fn forget_before(&mut self, time: HostTime) {
        let first = self.changes.iter().position(|change| change.at >= time).unwrap_or(self.changes.len());
        // A press is kept with its end.
        let released = self.changes[..first].iter().rposition(|change| change.buttons == Buttons::NONE);
        self.changes.drain(..released.map_or(0, |i| i + 1));
    }

    /// All changes up to a time come so much earlier, ms.
    pub fn hasten(&mut self, until: HostTime, by_ms: f64) {
        let early = self.changes.iter_mut().take_while(|change| change.at <= until);
        early.for_each(|change| change.at = change.at.plus_ms(-by_ms));
    }

    /// When the last contact opens; `None` if nothing is pressed.
    pub fn end(&self) -> Option<HostTime> {
        self.changes.last().map(|c| c.at)
    }

    /// The board's commands: each sent early by the wire time and by the contact's own time.
    ///
    /// # Errors
    /// When opposite directions would be pressed together.
    pub fn commands(&self, calibration: &Calibration, wire: Wire) -> Result<Vec<RelayCommand>, OppositeDirections> {
        if let Some(change) = self.changes.iter().find(|change| change.buttons.has_opposites()) {
            return Err(OppositeDirections { buttons: change.buttons });
        }
        let command = |(change, due): (&Change, HostTime)| {
            let mask = calibration.relays(change.buttons);
            RelayCommand { due, expires: due.plus_ms(PATIENCE_MS), mask }
        };
        Ok(self.changes.iter().zip(self.dues(calibration, wire)).map(command).collect())
    }

    /// When the first byte for each change must leave.
    fn dues(&self, calibration: &Calibration, wire: Wire) -> Vec<HostTime> {
        let (mut closed, mut held) = (RelayMask(0), Buttons::NONE);
        let mut due = |change: &Change| {
            let mask = calibration.relays(change.buttons);
            let close_ms = calibration.close_ms(change.buttons.without(held));
            let early_ms = wire.ms(closed, mask) + contact_ms(&calibration.timing, close_ms, closed, mask);
            (closed, held) = (mask, change.buttons);
            change.at.plus_ms(-early_ms)
        };
        self.changes.iter().map(&mut due).collect()
    }
}

/// How long a direction is held for this many columns: the release is as far from the last repeat as from the one that must
/// not come, half a frame being the mean wait for the poll.
fn hold_frames(columns: u8, rules: &Rules) -> f64 {
    let (delay, period) = rules.auto_shift().unwrap_or((1, 1));
    f64::from(delay) + f64::from(period) * (f64::from(columns) - 1.5) + 0.5
}

/// Mean time from the last byte to the contacts, for a change that closes, opens, or does both.
fn contact_ms(timing: &Timing, close_ms: f64, before: RelayMask, after: RelayMask) -> f64 {
    let closes = after.0 & !before.0 != 0;
    let opens = before.0 & !after.0 != 0;
    match (closes, opens) {
        (true, false) => close_ms,
        (false, true) => timing.open.ms,
        _ => (close_ms + timing.open.ms) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration() -> Calibration {
        Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0)
    }

    #[test]
    fn taps_keep_press_and_gap_and_go_out_early() {
        let strokes = [Stroke::Tap(Buttons::LEFT), Stroke::Tap(Buttons::A)];
        let start = HostTime::from_ms(1000.0);
        let schedule = ButtonSchedule::lay_out(&strokes, start, Finger::RELAY, &Rules::Nes);
        let frame = Rules::Nes.frame_ms();
        let at: Vec<f64> = schedule.changes().iter().map(|c| (c.at.ms_since(start) / frame).round()).collect();
        assert_eq!(at, [0.0, 2.0, 4.0, 6.0]);
        let commands = schedule.commands(&calibration(), Wire::at_once(6.25)).unwrap();
        let timing = Timing::default();
        assert_eq!(commands[0].due, start.plus_ms(-6.25 - timing.close.ms));
        assert_eq!(commands[1].due, schedule.changes()[1].at.plus_ms(-6.25 - timing.open.ms));
        assert_eq!(commands.iter().map(|c| c.mask.0).collect::<Vec<_>>(), [0b10, 0, 0b1000_0000, 0]);
    }

    #[test]
    fn only_what_was_pressed_by_a_time_is_taken_for_earlier() {
        let mut schedule = ButtonSchedule::default();
        for at_ms in [1000.0, 1100.0] {
            schedule.press(HostTime::from_ms(at_ms), Buttons::A, 30.0);
        }
        schedule.hasten(HostTime::from_ms(1000.0), 50.0);
        let at_ms: Vec<f64> = schedule.changes().iter().map(|change| change.at.ms()).collect();
        assert_eq!(at_ms, [950.0, 1030.0, 1100.0, 1130.0]);
    }

    #[test]
    fn boards_without_a_chord_are_told_earlier_the_more_relays_change() {
        let mut schedule = ButtonSchedule::default();
        schedule.press(HostTime::from_ms(1000.0), Buttons::LEFT | Buttons::A, 30.0);
        schedule.press(HostTime::from_ms(1100.0), Buttons::B, 30.0);
        let dues = |wire| -> Vec<f64> {
            schedule.commands(&calibration(), wire).unwrap().iter().map(|c| c.due.ms()).collect()
        };
        let Timing { close, open, .. } = Timing::default();
        let (early, late) = (8.0 + close.ms, 4.0 + open.ms);
        let expect = [1000.0 - early, 1030.0 - 8.0 - open.ms, 1100.0 - 4.0 - close.ms, 1130.0 - late];
        assert_eq!(dues(Wire::one_by_one(4.0)), expect);
    }

    #[test]
    fn a_press_counts_from_its_beginning_to_its_end() {
        let mut schedule = ButtonSchedule::default();
        schedule.press(HostTime::from_ms(1000.0), Buttons::DOWN, 30.0);
        let is_down = |from, to| {
            schedule.presses_between(HostTime::from_ms(from), HostTime::from_ms(to), Buttons::DOWN | Buttons::A)
        };
        assert!(is_down(900.0, 1000.0) && is_down(1010.0, 1020.0) && is_down(1029.0, 1100.0) && is_down(900.0, 1100.0));
        assert!(!is_down(900.0, 999.0) && !is_down(1030.0, 1100.0));
        assert!(!schedule.presses_between(HostTime::from_ms(900.0), HostTime::from_ms(1100.0), Buttons::LEFT));
    }

    #[test]
    fn opposite_directions_are_refused() {
        let mut schedule = ButtonSchedule::default();
        schedule.press(HostTime(0), Buttons::LEFT | Buttons::RIGHT, 30.0);
        assert!(schedule.commands(&calibration(), Wire::at_once(6.25)).is_err());
    }
}
