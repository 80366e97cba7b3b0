//! How long a board's commands are on the wire, and in which order they go when a change takes several.
//!
//! A chord board sets all relays with one command. Others need one command a relay, or one a port of pins; then what opens
//! goes first, so that no chord is passed through that neither the old nor the new mask holds.

use crate::message::RelayMask;
use serde::{Deserialize, Serialize};

/// The commands that bring a board from one mask to another, and their time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    /// Relays that share a command; unused ones are empty.
    groups: [u8; 8],
    /// One command, ms.
    command_ms: f64,
    /// Each decimal digit of the mask, for boards that are told it as a number without leading zeros, ms.
    digit_ms: f64,
}

impl Wire {
    /// All relays with one command of always the same length.
    pub fn at_once(command_ms: f64) -> Self {
        Self { groups: [255, 0, 0, 0, 0, 0, 0, 0], command_ms, digit_ms: 0.0 }
    }

    /// All relays with one command that holds the mask as a decimal number; `command_ms` is what its other bytes take.
    pub fn decimal(command_ms: f64, digit_ms: f64) -> Self {
        Self { digit_ms, ..Self::at_once(command_ms) }
    }

    /// One command a relay.
    pub fn one_by_one(command_ms: f64) -> Self {
        Self { groups: std::array::from_fn(|relay| 1 << relay), command_ms, digit_ms: 0.0 }
    }

    /// One command for each group of relays; each relay must be in exactly one.
    pub fn grouped(groups: [u8; 8], command_ms: f64) -> Self {
        Self { groups, command_ms, digit_ms: 0.0 }
    }

    /// Whether one command sets all relays.
    pub fn is_at_once(&self) -> bool {
        self.groups().count() <= 1
    }

    /// How far apart the contacts of two relays that change together may move, ms: nothing at once, or one command.
    pub fn skew_ms(&self) -> f64 {
        if self.is_at_once() { 0.0 } else { self.command_ms }
    }

    /// The commands of a change, in their order: the group that each addresses, and all relays' state after it. A chord
    /// board gets its command even where nothing changes; others get none then.
    pub fn steps(&self, from: RelayMask, to: RelayMask) -> Vec<(u8, RelayMask)> {
        if self.is_at_once() {
            return vec![(255, to)];
        }
        let mut state = from.0;
        let mut steps = Vec::new();
        let changed = |group: &u8| (from.0 ^ to.0) & group != 0;
        let is_only = self.groups().filter(changed).count() == 1;
        for keep_closed in [from.0, 255] {
            // First the openings alone, then everything: a group that does both alone needs one command only.
            let target = if is_only { to.0 } else { to.0 & keep_closed };
            for group in self.groups() {
                let next = state & !group | target & group;
                if next != state {
                    state = next;
                    steps.push((group, RelayMask(next)));
                }
            }
        }
        steps
    }

    /// How long the commands of a change are on the wire, ms.
    pub fn ms(&self, from: RelayMask, to: RelayMask) -> f64 {
        let digits = to.0.checked_ilog10().unwrap_or(0) + 1;
        self.steps(from, to).len() as f64 * self.command_ms + self.digit_ms * f64::from(digits)
    }

    /// The longest time of any change of at most this many relays, ms.
    pub fn longest_ms(&self, relays: u32) -> f64 {
        let most = self.groups().map(|group| group.count_ones().min(2)).sum::<u32>().min(relays);
        let commands = if self.is_at_once() { 1 } else { most };
        f64::from(commands) * self.command_ms + 3.0 * self.digit_ms
    }

    fn groups(&self) -> impl Iterator<Item = u8> {
        self.groups.into_iter().filter(|group| *group != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks(wire: Wire, from: u8, to: u8) -> Vec<u8> {
        wire.steps(RelayMask(from), RelayMask(to)).into_iter().map(|(_, mask)| mask.0).collect()
    }

    #[test]
    fn a_chord_board_takes_one_command_whatever_changes() {
        assert_eq!(masks(Wire::at_once(1.0), 0b0101, 0b1010), [0b1010]);
        let adr = Wire::decimal(3.0, 1.0);
        for (mask, ms) in [(0, 4.0), (9, 4.0), (10, 5.0), (99, 5.0), (100, 6.0), (255, 6.0)] {
            assert_eq!(adr.ms(RelayMask(7), RelayMask(mask)), ms, "{mask}");
        }
        assert_eq!(adr.longest_ms(8), 6.0);
    }

    #[test]
    fn one_by_one_opens_first_and_takes_its_time() {
        let wire = Wire::one_by_one(4.0);
        assert_eq!(masks(wire, 0b0101, 0b1010), [0b0100, 0, 0b0010, 0b1010]);
        assert_eq!((wire.ms(RelayMask(0), RelayMask(1)), wire.ms(RelayMask(5), RelayMask(10))), (4.0, 16.0));
        assert_eq!((wire.longest_ms(1), wire.longest_ms(2), wire.longest_ms(8)), (4.0, 8.0, 32.0));
        assert!(masks(wire, 6, 6).is_empty());
    }

    /// No sequence of commands may pass through a chord that neither end holds.
    #[test]
    fn nothing_new_is_closed_before_everything_old_is_open() {
        let ports = Wire::grouped([0b0011_1111, 0b1100_0000, 0, 0, 0, 0, 0, 0], 1.0);
        for wire in [Wire::one_by_one(1.0), ports] {
            for (from, to) in (0..=255_u8).flat_map(|from| (0..=255_u8).map(move |to| (from, to))) {
                let steps = masks(wire, from, to);
                assert_eq!(*steps.last().unwrap_or(&from), to);
                assert!(steps.iter().all(|m| m & !from == 0 || m & !to == 0), "{from:08b} to {to:08b}: {steps:?}");
                let time = wire.ms(RelayMask(from), RelayMask(to));
                assert!(time <= wire.longest_ms((from ^ to).count_ones()), "{from:08b} to {to:08b}");
            }
        }
    }
}
