//! The decision: the best placement whose presses come out right in every case.

use super::evaluate::Evaluator;
use super::filter::Filters;
use super::movement::Movement;
use super::path::{Stroke, moves, strokes};
use super::robust::{Lock, Situation};
use super::search::two_piece;
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::schedule::{ButtonSchedule, Finger};
use crate::time::HostTime;

/// So many of the best placements are tried; below them a straight drop is no worse.
const MAX_TRIED: usize = 24;

/// What to do with a piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the piece will lock, and when.
    pub lock: Lock,
    /// The presses.
    pub schedule: ButtonSchedule,
    /// Placements rated better, but not certain to come out.
    pub skipped: usize,
}

/// A planner: the game's movement, a taste, and a finger.
pub struct Planner {
    /// How pieces appear.
    pub movement: Movement,
    /// What makes a pile good.
    pub evaluator: Box<dyn Evaluator>,
    /// What the finger can do.
    pub finger: Finger,
    /// Which placements may be chosen.
    pub filters: Filters,
}

impl Planner {
    /// The best certain plan for the piece that appeared at `from`, with the first contact at `start`; `None` if even
    /// doing nothing has no certain end (nothing is pressed then).
    pub fn plan(&self, situation: &Situation<'_>, from: Pose, next: Option<Piece>, start: HostTime) -> Option<Plan> {
        self.plan_after(&ButtonSchedule::default(), situation, from, next, start)
    }

    /// The same for a piece that is at `from` because of presses that were made already (`done`, which end before
    /// `start`). The plan's schedule does not hold them again.
    pub fn plan_after(
        &self,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
        from: Pose,
        next: Option<Piece>,
        start: HostTime,
    ) -> Option<Plan> {
        let (board, evaluator) = (situation.board, self.evaluator.as_ref());
        let found = two_piece(board, from, next, &self.movement, evaluator);
        let ranked = self.filters.rank(found, board, from, next, &self.movement, evaluator);
        for (skipped, candidate) in ranked.iter().take(MAX_TRIED).enumerate() {
            if let Some((schedule, lock)) = self.certain_way(done, situation, from, candidate.pose, start) {
                return Some(Plan { lock, schedule, skipped });
            }
        }
        let skipped = ranked.len().min(MAX_TRIED);
        let nothing = ButtonSchedule::default();
        let lock = situation.certain_lock(done)?;
        Some(Plan { lock, schedule: nothing, skipped })
    }

    fn certain_way(
        &self,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
        from: Pose,
        to: Pose,
        start: HostTime,
    ) -> Option<(ButtonSchedule, Lock)> {
        let moves =
            moves(situation.board, from, to, situation.rules).filter(|moves| self.filters.allow_moves(moves))?;
        let together = strokes(&moves, situation.rules, true);
        let apart = strokes(&moves, situation.rules, false);
        let ways: &[Vec<Stroke>] = if together == apart { &[together] } else { &[together, apart] };
        ways.iter().find_map(|strokes| self.certain_schedule(done, situation, strokes, to, start))
    }

    fn certain_schedule(
        &self,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
        strokes: &[Stroke],
        to: Pose,
        start: HostTime,
    ) -> Option<(ButtonSchedule, Lock)> {
        let guard_ms = if done.changes().is_empty() { guard_ms(situation, strokes) } else { 0.0 };
        let start = start.plus_ms(guard_ms);
        let mut schedule = ButtonSchedule::lay_out(strokes, start, self.finger, situation.rules);
        let lock = situation.certain_lock(&schedule.after(done)).filter(|lock| lock.pose == to)?;
        if strokes.last() == Some(&Stroke::HoldDown) {
            schedule.release_after(lock.latest, situation.rules.frame_ms());
        }
        Some((schedule, lock))
    }
}

/// How long a plan waits with its first stroke, ms: where the game guards against early drops, a press before that would
/// be lost. The guard counts from the spawn, and a plan starts after that was seen; what the eye's time says is not asked,
/// for it is often a typical value.
fn guard_ms(situation: &Situation<'_>, strokes: &[Stroke]) -> f64 {
    match strokes.first() {
        Some(Stroke::SoftDrop(_) | Stroke::HoldDown | Stroke::HardDrop) => situation.rules.drop_guard_ms(),
        Some(Stroke::Tap(_)) | None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Timing;
    use crate::game::nes::control::spawn_pose;
    use crate::game::{Board, Rules};
    use crate::layout::Layout;
    use crate::planner::{Weights, robust::SpawnWindow};

    fn planner() -> Planner {
        let movement = Movement::of(&Layout::load("nes").unwrap()).unwrap();
        let (evaluator, filters) = (Box::new(Weights::default()), Filters::default());
        Planner { movement, evaluator, finger: Finger::RELAY, filters }
    }

    fn plan_at(level: u8, board: &Board, piece: Piece) -> Option<Plan> {
        let (rules, timing) = (Rules::Nes, Timing::default());
        let starts = [rules.spawn(piece, spawn_pose(piece), level, false)];
        let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
        let situation = Situation { rules: &rules, board, starts: &starts, window, timing: &timing };
        planner().plan(&situation, spawn_pose(piece), Some(Piece::I), HostTime::from_ms(160.0))
    }

    #[test]
    fn slow_levels_leave_the_best_placement_certain() {
        for piece in Piece::ALL {
            let plan = plan_at(0, &Board::default(), piece).unwrap();
            assert_eq!(plan.skipped, 0, "{piece}: {plan:?}");
            assert!(plan.schedule.end().is_some_and(|end| end > plan.lock.latest));
        }
    }

    #[test]
    fn at_full_speed_only_what_is_certain_is_done() {
        for piece in Piece::ALL {
            let plan = plan_at(29, &Board::default(), piece).unwrap();
            assert!(plan.lock.latest < HostTime::from_ms(800.0), "{piece}: {plan:?}");
        }
    }

    #[test]
    fn a_guarded_drop_waits_until_the_game_takes_it() {
        let layout = Layout::load("vitetris").unwrap();
        let (rules, timing, board) = (layout.game_rules(), Timing::default(), Board::default());
        let planner = Planner { movement: Movement::of(&layout).unwrap(), ..planner() };
        let from = planner.movement.spawn(Piece::O);
        let starts = [rules.spawn(Piece::O, from, 0, false)];
        // The spawn may be as late as the picture that showed it, whatever the eye's time says.
        let window = SpawnWindow { earliest: HostTime(0), latest: HostTime(0) };
        let situation = Situation { rules: &rules, board: &board, starts: &starts, window, timing: &timing };
        let start = HostTime::from_ms(60.0);
        let strokes = [Stroke::HardDrop];
        let done = ButtonSchedule::default();
        let to = crate::game::orientation::Pose { y: 18, ..from };
        let (schedule, lock) = planner.certain_schedule(&done, &situation, &strokes, to, start).unwrap();
        assert_eq!(schedule.changes()[0].at, start.plus_ms(100.0));
        assert!(lock.latest < HostTime::from_ms(250.0), "{lock:?}");
    }

    #[test]
    fn a_piece_is_slid_under_an_overhang_by_a_timed_soft_drop() {
        // A roof over the lower left corner: the flat I gets under it only by sliding left once it is below row 17.
        let mut board = Board::default();
        (0..4).for_each(|x| board.fill(x, 17));
        let (rules, timing) = (Rules::Nes, Timing::default());
        let from = spawn_pose(Piece::I);
        let starts = [rules.spawn(Piece::I, from, 0, false)];
        let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
        let situation = Situation { rules: &rules, board: &board, starts: &starts, window, timing: &timing };
        let to = crate::game::orientation::Pose { x: 2, y: 19, ..from };
        let done = ButtonSchedule::default();
        let way = planner().certain_way(&done, &situation, from, to, HostTime::from_ms(160.0));
        let (schedule, lock) = way.expect("there is a certain way under the roof");
        assert_eq!(lock.pose, to);
        let downs = schedule.changes().iter().filter(|c| c.buttons == crate::message::Buttons::DOWN).count();
        assert!(downs >= 2, "one timed descent to below the roof, one to the floor: {schedule:?}");
    }
}
