//! How the game turns its pieces, where a setting of the game decides: found out by playing.
//!
//! A layout may leave open which way the turning key turns, and where I, S and Z stand upright. Then the first piece for
//! which it matters is turned once and looked at before it is placed: what the picture shows decides for the rest of the
//! run.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::Rules;
use crate::game::simple_rules::{SimpleRules, SoftDrop};
use std::sync::Arc;

/// The rules that the game may follow. There is always at least one.
#[derive(Debug, Clone)]
pub struct RuleVariants {
    likely: Rules,
    others: Vec<Rules>,
}

impl RuleVariants {
    /// The first of `variants` is taken for true until a piece shows otherwise; `fallback` if there is none.
    pub fn new(variants: Vec<Rules>, fallback: Rules) -> Self {
        let mut variants = variants.into_iter();
        let likely = variants.next().unwrap_or(fallback);
        Self { likely, others: variants.collect() }
    }

    /// The rules as far as they are known.
    pub fn rules(&self) -> &Rules {
        &self.likely
    }

    /// A row takes so long at a level, ms, as was measured last. (Where times are known to the frame, nothing is changed.)
    pub fn fall_by(&mut self, level: u8, row_ms: f64) {
        self.correct(|rules| rules.measured = Some((level, row_ms)));
    }

    /// A piece that rests locks after so long, ms, as was measured: what is to be done before that must be done in time.
    pub fn lock_after(&mut self, delay_ms: f64) {
        self.correct(|rules| rules.lock.delay_ms = delay_ms.max(0.0));
    }

    /// A piece that was not moved cannot be dropped for so long, ms, as was measured.
    pub fn guard_for(&mut self, guard_ms: f64) {
        self.correct(|rules| rules.drop_guard_ms = guard_ms);
    }

    /// A key does nothing: what another key does as well, or what can be done without, is not asked of it any more.
    pub fn give_up(&mut self, key: Buttons) {
        self.correct(|rules| {
            let (clockwise, counter_clockwise) = (rules.clockwise, rules.counter_clockwise);
            if clockwise == Some(key) && counter_clockwise.is_some() {
                rules.clockwise = None;
            } else if counter_clockwise == Some(key) && clockwise.is_some() {
                rules.counter_clockwise = None;
            }
            rules.half_turn = rules.half_turn.filter(|half| *half != key);
            if key == Buttons::DOWN {
                rules.soft_drop = SoftDrop::Taps(false);
            }
        });
    }

    /// Turns are not kicked.
    pub fn unkick(&mut self) {
        self.correct(|rules| rules.rotation = rules.rotation.unkicked());
    }

    fn correct(&mut self, correct: impl Fn(&mut SimpleRules)) {
        for rules in std::iter::once(&mut self.likely).chain(&mut self.others) {
            if let Rules::Simple(simple) = rules {
                correct(Arc::make_mut(simple));
            }
        }
    }

    /// Gives up asking: the likely rules are taken for true.
    pub fn settle(&mut self) {
        self.others.clear();
    }

    /// The key whose effect on a piece at `pose` tells the rules apart; `None` if nothing is to be learned from it.
    pub fn question(&self, pose: Pose, board: &Board) -> Option<Buttons> {
        let (key, turned) = self.likely.turn(pose)?;
        let answers: Vec<_> = self.others.iter().filter_map(|rules| rules.turn(pose)).collect();
        // A turn that the pile or a wall stops would look like a press that was not felt.
        let possible = answers.iter().all(|(other, pose)| *other == key && pose.fits(board)) && turned.fits(board);
        (possible && answers.iter().any(|(_, other)| *other != turned)).then_some(key)
    }

    /// Keeps the rules under which one tap of the turning key leads from `before` to `after`, however far the piece has
    /// fallen since. False, and nothing is learned, if there are none.
    pub fn learn(&mut self, before: Pose, after: Pose) -> bool {
        let explains =
            |rules: &Rules| rules.turn(before).is_some_and(|(_, turned)| Pose { y: after.y, ..turned } == after);
        let mut right: Vec<Rules> =
            std::iter::once(&self.likely).chain(&self.others).filter(|r| explains(r)).cloned().collect();
        if right.is_empty() {
            return false;
        }
        self.likely = right.remove(0);
        self.others = right;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Handedness, Orientation, Piece, RotationSystem};
    use crate::profile::layout::Layout;

    fn variants() -> RuleVariants {
        let layout = Layout::load("vitetris").unwrap();
        RuleVariants::new(layout.rule_variants(), layout.game_rules())
    }

    /// As on the NES.
    fn turned(pose: Pose, clockwise: bool) -> Pose {
        RotationSystem::classic(Handedness::Right).turned(pose, clockwise)
    }

    fn flat(piece: Piece) -> Pose {
        Pose { x: 4, y: 0, orientation: Orientation::spawn(piece) }
    }

    #[test]
    fn one_turn_of_an_upright_piece_tells_the_handedness_and_one_of_another_the_direction() {
        for (hand_shift, clockwise) in [(0, true), (-1, true), (0, false), (-1, false)] {
            let mut variants = variants();
            let board = Board::default();
            assert_eq!(variants.question(flat(Piece::O), &board), None);
            assert_eq!(variants.question(flat(Piece::I), &board), Some(Buttons::UP));
            let upright = turned(flat(Piece::I), clockwise).moved(hand_shift, 3);
            assert!(variants.learn(flat(Piece::I), upright));
            assert_eq!(variants.question(flat(Piece::S), &board), None);
            assert_eq!(variants.question(flat(Piece::T), &board), Some(Buttons::UP));
            assert!(variants.learn(flat(Piece::T), turned(flat(Piece::T), clockwise)));
            assert_eq!(variants.question(flat(Piece::T), &board), None);
            let s = flat(Piece::S);
            assert_eq!(variants.rules().turn(s), Some((Buttons::UP, turned(s, clockwise).moved(hand_shift, 0))));
        }
    }

    #[test]
    fn what_no_rules_explain_teaches_nothing() {
        let mut variants = variants();
        assert!(!variants.learn(flat(Piece::I), flat(Piece::I).moved(1, 1)));
        assert_eq!(variants.question(flat(Piece::I), &Board::default()), Some(Buttons::UP));
    }

    #[test]
    fn a_turn_that_the_pile_may_stop_is_no_question() {
        let mut board = Board::default();
        board.fill(4, 1);
        assert_eq!(variants().question(flat(Piece::I), &board), None);
    }
}
