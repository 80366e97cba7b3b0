//! What may be wrong with the presses of a piece, and what the console was given then.

use crate::game::Buttons;
use crate::schedule::press::{NEVER, Press};
use crate::time::HostTime;

/// The buttons that move a piece.
pub const PLAYED: [Buttons; 5] = [Buttons::LEFT, Buttons::RIGHT, Buttons::DOWN, Buttons::A, Buttons::B];
/// Those that go on while they are held. A turning button that is never let go looks as if it did nothing.
const REPEATING: [Buttons; 3] = [Buttons::LEFT, Buttons::RIGHT, Buttons::DOWN];
/// A contact that closes once more does so about this many frames after it opened, and opens again sooner or later.
const AGAIN_FRAMES: f64 = 1.05;
const AGAIN_ENDS_FRAMES: [f64; 2] = [2.25, 2.6];
/// How late all effects may be, in half frames: below, chance and blended pictures can do it.
const LATE_HALVES: std::ops::RangeInclusive<u8> = 4..=30;
/// Long before any press.
const LONG_AGO: HostTime = HostTime(i64::MIN / 4);

/// What explains that a piece went another way than it was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The press of this button that began then did nothing.
    Lost(Buttons, HostTime),
    /// It counted twice; the second time it was held shorter or longer.
    Doubled(Buttons, HostTime, bool),
    /// None of the button's presses did anything.
    Dead(Buttons),
    /// Each of the two does the other's work.
    Swapped(Buttons, Buttons),
    /// The button has been held since that press, or since before the piece appeared.
    Stuck(Buttons, Option<HostTime>),
    /// Everything shows this many half frames later than the rig's times say.
    Late(u8),
}

impl Cause {
    /// How likely it is that this happens to a piece, as a logarithm: of 1,000 presses some are lost, fewer count twice, and
    /// what lasts is rare while nothing spoke for it.
    pub fn log_prior(self) -> f64 {
        match self {
            Self::Lost(..) => -5.0,
            Self::Doubled(..) | Self::Dead(_) => -6.0,
            Self::Swapped(..) | Self::Stuck(..) => -8.0,
            Self::Late(_) => -9.0,
        }
    }

    /// Whether the piece can be planned on at once: what will be pressed still works.
    pub fn is_past(self) -> bool {
        matches!(self, Self::Lost(..) | Self::Doubled(..) | Self::Dead(_))
    }

    /// The contacts' presses if this is so.
    pub fn apply(self, presses: &mut Vec<Press>, frame_ms: f64) {
        match self {
            Self::Lost(button, at) => presses.retain(|press| (press.button, press.from) != (button, at)),
            Self::Doubled(button, at, is_long) => {
                let first = presses.iter().find(|press| (press.button, press.from) == (button, at)).copied();
                presses.extend(first.map(|press| {
                    let later = |frames: f64| press.to.plus_ms(frames * frame_ms);
                    let end = AGAIN_ENDS_FRAMES[usize::from(is_long)];
                    Press { from: later(AGAIN_FRAMES), to: later(end), ..press }
                }));
            }
            Self::Dead(button) => presses.retain(|press| press.button != button),
            Self::Swapped(a, b) => presses.iter_mut().for_each(|press| {
                press.button = match press.button {
                    button if button == a => b,
                    button if button == b => a,
                    button => button,
                };
            }),
            Self::Stuck(button, since) => {
                let from = since.unwrap_or(LONG_AGO);
                presses.retain(|press| press.button != button || press.from < from);
                presses.push(Press { button, from, to: NEVER });
            }
            Self::Late(halves) => presses.iter_mut().for_each(|press| {
                let late_ms = f64::from(halves) / 2.0 * frame_ms;
                (press.from, press.to) = (press.from.plus_ms(late_ms), press.to.plus_ms(late_ms));
            }),
        }
    }

    /// All that may be the cause, given what was pressed.
    pub fn possible(presses: &[Press]) -> Vec<Self> {
        let count = |button: Buttons| presses.iter().filter(|press| press.button == button).count();
        let mut causes: Vec<Self> = Vec::new();
        for press in presses.iter().filter(|press| PLAYED.contains(&press.button)) {
            let Press { button, from, .. } = *press;
            let doubled = [false, true].map(|is_long| Self::Doubled(button, from, is_long));
            causes.extend(std::iter::once(Self::Lost(button, from)).chain(doubled));
            causes.extend(REPEATING.contains(&press.button).then_some(Self::Stuck(press.button, Some(press.from))));
        }
        // A single press that was lost is a lost press.
        causes.extend(PLAYED.into_iter().filter(|button| count(*button) > 1).map(Self::Dead));
        for (i, a) in PLAYED.into_iter().enumerate() {
            let used = PLAYED[i + 1..].iter().filter(|b| count(a) + count(**b) > 0);
            causes.extend(used.map(|b| Self::Swapped(a, *b)));
        }
        causes.extend(REPEATING.map(|button| Self::Stuck(button, None)));
        causes.extend(LATE_HALVES.filter(|_| !presses.is_empty()).map(Self::Late));
        causes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Change;
    use crate::schedule::press::{changes, presses};

    fn at(ms: f64, buttons: Buttons) -> Change {
        Change { at: HostTime::from_ms(ms), buttons }
    }

    #[test]
    fn presses_and_changes_say_the_same() {
        let chord = Buttons::LEFT | Buttons::A;
        let schedule = [at(0.0, chord), at(30.0, Buttons::NONE), at(60.0, Buttons::LEFT), at(90.0, Buttons::NONE)];
        let single = presses(&schedule);
        assert_eq!(single.iter().map(|p| p.button).collect::<Vec<_>>(), [Buttons::LEFT, Buttons::A, Buttons::LEFT]);
        assert_eq!(changes(&single), schedule);
    }

    #[test]
    fn causes_change_what_the_console_was_given() {
        let schedule = [at(0.0, Buttons::LEFT), at(30.0, Buttons::NONE), at(60.0, Buttons::A), at(90.0, Buttons::NONE)];
        let given = |cause: Cause| {
            let mut all = presses(&schedule);
            cause.apply(&mut all, 16.0);
            changes(&all).iter().map(|c| (c.at.ms().clamp(-1.0, 999.0), c.buttons)).collect::<Vec<_>>()
        };
        let start = HostTime(0);
        assert_eq!(given(Cause::Lost(Buttons::LEFT, start)), [(60.0, Buttons::A), (90.0, Buttons::NONE)]);
        assert_eq!(given(Cause::Swapped(Buttons::LEFT, Buttons::RIGHT))[0], (0.0, Buttons::RIGHT));
        assert_eq!(given(Cause::Doubled(Buttons::LEFT, start, false))[2], (30.0 + 1.05 * 16.0, Buttons::LEFT));
        let stuck = given(Cause::Stuck(Buttons::LEFT, None));
        assert_eq!(stuck[..2], [(-1.0, Buttons::LEFT), (60.0, Buttons::LEFT | Buttons::A)]);
        assert_eq!(given(Cause::Late(4))[0], (32.0, Buttons::LEFT));
    }
}
