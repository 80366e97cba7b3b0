//! What a pile and a lock down are worth.

use super::state::Placed;
use super::surface::Rows;
use super::weights::Weights;
use crate::game::Piece;
use crate::game::guideline::{Action, Sequence};
use crate::game::movegen::Field;
use multiversion::multiversion;

/// A pile and what goes with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pile<'a> {
    pub(super) field: &'a Field,
    /// Rows of opponents that have appeared meanwhile; nobody knows where their gaps are.
    pub(super) risen: u32,
    pub(super) hold: Option<Piece>,
    pub(super) sequence: Sequence,
    /// Pieces T that can be had soon.
    pub(super) ts: u32,
}

/// Where heights begin to be dangerous, in rows.
const HIGH: i32 = 10;
/// Where they are.
const VERY_HIGH: i32 = 15;

impl Weights {
    /// What a pile is worth.
    pub(super) fn of_pile(&self, pile: &Pile<'_>) -> f32 {
        rate(self, pile)
    }

    #[inline(always)]
    fn rate(&self, pile: &Pile<'_>) -> f32 {
        let weights = &self.pile;
        let mut rows = Rows::of(pile.field);
        let mut worth = 0.0;
        for _ in 0..pile.ts {
            let Some(slot) = rows.best_slot() else { break };
            worth += [weights.slot_empty, weights.slot_single, weights.slot_double][slot.lines];
            if slot.lines < 2 {
                break;
            }
            rows.fill_slot(slot);
        }
        let counts = rows.count();
        let height = counts.height + pile.risen as i32;
        worth += weights.height * height as f32;
        worth += weights.height_above_10 * (height - HIGH).max(0) as f32;
        worth += weights.height_above_15 * (height - VERY_HIGH).max(0) as f32;
        worth += weights.holes * counts.holes as f32;
        worth += weights.cover * counts.cover as f32;
        worth += weights.hole_rows * counts.hole_rows as f32;
        worth += weights.row_transitions * counts.row_transitions as f32;
        worth += weights.bumpiness * counts.bumpiness as f32;
        worth += weights.bumpiness_squared * counts.bumpiness_squared as f32;
        worth += weights.well_depth * counts.well_depth as f32;
        if pile.sequence.is_on() {
            worth += weights.back_to_back;
        }
        match pile.hold {
            Some(Piece::I) => worth + weights.held_i,
            Some(Piece::T) => worth + weights.held_t,
            _ => worth,
        }
    }

    /// What a lock down is worth, with so many lock downs before it that cleared lines, and rows of opponents that appear.
    #[inline]
    pub(super) fn of_lock(&self, piece: Piece, placed: &Placed, combo: u32, received: u32) -> f32 {
        let weights = &self.lock;
        let action = placed.award.action;
        let mut worth = weights.sent * placed.award.attack() as f32 + weights.received * received as f32;
        worth += match action {
            Action::Nothing => 0.0,
            Action::Single => weights.single,
            Action::Double => weights.double,
            Action::Triple => weights.triple,
            Action::Tetris => weights.tetris,
            Action::MiniTSpin => weights.mini,
            Action::MiniTSpinSingle => weights.mini_single,
            Action::TSpin => weights.t_spin,
            Action::TSpinSingle => weights.t_spin_single,
            Action::TSpinDouble => weights.t_spin_double,
            Action::TSpinTriple => weights.t_spin_triple,
        };
        if placed.lines > 0 {
            worth += weights.combo * combo as f32;
        }
        if placed.is_perfect {
            worth += weights.perfect_clear;
        }
        let is_spun = matches!(action, Action::TSpinSingle | Action::TSpinDouble | Action::TSpinTriple);
        if piece == Piece::T && !is_spun {
            worth += weights.wasted_t;
        }
        worth
    }
}

/// [`Weights::rate`] with the instructions that count bits, where the processor has them.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn rate(weights: &Weights, pile: &Pile<'_>) -> f32 {
    weights.rate(pile)
}

#[cfg(test)]
mod tests {
    use super::super::drawn::field;
    use super::*;

    fn worth(lowest: &[&str], change: impl Fn(&mut Pile<'_>)) -> f32 {
        let field = field(lowest);
        let mut pile = Pile { field: &field, risen: 0, hold: None, sequence: Sequence::default(), ts: 0 };
        change(&mut pile);
        Weights::default().of_pile(&pile)
    }

    #[test]
    fn holes_heights_and_rows_that_appear_are_bad_and_what_attacks_is_good() {
        let flat = worth(&["########..", "########.."], |_| {});
        assert!(worth(&["########..", "###.####.."], |_| {}) < flat);
        assert!(worth(&["########..", "########.."], |pile| pile.risen = 4) < flat);
        assert!(worth(&["########..", "########.."], |pile| pile.sequence = Sequence::of(true)) > flat);
        let slot = ["##........", "#...######", "##.#######"];
        assert!(worth(&slot, |pile| pile.ts = 1) > worth(&slot, |_| {}));
        // One T fills one slot.
        assert_eq!(worth(&slot, |pile| pile.ts = 1), worth(&slot, |pile| pile.ts = 2));
    }
}
