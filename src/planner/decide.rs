//! The decision: the best placement whose presses come out right in every case; where there is none, what is best on
//! average.

use super::brain::Brain;
use super::candidate::{Candidate, Choice};
use super::coming::Coming;
use super::expectimax::Breadth;
use super::filter::Filters;
use super::ladder::{LOST_COST, NO_ROOM_COST};
use super::modern::Ahead;
use super::moves::{Manner, Moves, Touch};
use super::search::{Beyond, Search};
use super::timed::{Hand, Style as TimedStyle};
use super::ways::{Case, Ways};
use crate::game::guideline::{Award, Sequence};
use crate::game::movement::Movement;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Move};
use crate::game::{Board, Piece, RotationSystem};
use crate::message::Fate;
use crate::schedule::outcome::{Lock, Situation};
use crate::schedule::{ButtonSchedule, Finger};
use crate::time::HostTime;

/// This many of the best placements are tried for certainty; no piece has more on most boards.
const CERTAIN_TRIED: usize = 48;
/// This many of the best are tried for their chances when none is certain.
const LIKELY_TRIED: usize = 12;

/// Of the best placements, so many are told with the plan.
const CHOICES_TOLD: usize = 6;

/// What is to be expected of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlook {
    /// It goes on.
    Open,
    /// The piece can come to rest nowhere: it covers blocks where it appeared.
    NoPlacement,
    /// Wherever the piece goes, the next one may find no place to appear.
    Lost,
}

impl Outlook {
    /// In words, if there is something to say.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::NoPlacement => Some("no placement reachable"),
            Self::Lost => Some("game over is unavoidable: playing for time"),
        }
    }
}

/// What to do with a piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Where the piece will lock, and when; where it most likely will if that is not certain.
    pub lock: Lock,
    /// Probability that it locks there, 0–1; 1 if it does in every case.
    pub certainty: f64,
    /// The presses.
    pub schedule: ButtonSchedule,
    /// Placements rated better, but not certain to come out.
    pub skipped: usize,
    /// What the cost of the placement is, as the evaluator counts.
    pub cost: f64,
    /// What the game is expected to bring from here on, points; only where a learned value decides.
    pub points: Option<f64>,
    /// The best placements there were, best first.
    pub choices: Vec<Choice>,
    /// What is to be expected.
    pub outlook: Outlook,
}

/// A planner: the game's movement, a taste, and a finger.
pub struct Planner {
    /// How pieces appear.
    pub movement: Movement,
    /// What makes a pile good, and how far ahead is looked.
    pub brain: Brain,
    /// What the finger can do.
    pub finger: Finger,
    /// Which placements may be chosen.
    pub filters: Filters,
    /// Looks ahead over the pieces that are shown, if the brain does.
    ahead: Option<Ahead>,
}

impl Planner {
    /// For pieces that move like this, on a board of so many rows.
    pub fn new(movement: Movement, rows: usize, brain: Brain, finger: Finger, filters: Filters) -> Self {
        let ahead = brain.modern.as_deref().map(|weights| Ahead::new(weights.clone(), &movement, rows));
        Self { movement, brain, finger, filters, ahead }
    }

    /// From now on pieces turn so.
    pub fn turn_by(&mut self, rotation: &RotationSystem) {
        self.movement.turn_by(rotation);
        self.ahead = self.ahead.take().map(|ahead| ahead.moving(&self.movement));
    }

    /// The best certain plan for the piece that appeared at `from`, with the first contact at `start`; without a certain
    /// one, the best on average. `None` if the piece never locks.
    pub fn plan(&self, situation: &Situation<'_>, from: Pose, coming: &Coming, start: HostTime) -> Option<Plan> {
        self.plan_after(&ButtonSchedule::default(), situation, from, coming, start)
    }

    /// The same for a piece that is at `from` because of presses that were made already (`done`, which end before
    /// `start`). The plan's schedule does not hold them again.
    pub fn plan_after(
        &self,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
        from: Pose,
        coming: &Coming,
        start: HostTime,
    ) -> Option<Plan> {
        let case = Case { situation, done, from, coming: *coming, start };
        let ranked = self.ranked(&case);
        let mut ways = self.ways(case);
        let certain = self.certain_plan(&mut ways, &ranked);
        // Certainty is worth much, but not the game.
        if let Some(plan) = certain.as_ref().filter(|plan| plan.skipped == 0 || plan.cost < LOST_COST) {
            return Some(plan.clone());
        }
        let likely = self.likely_plan(&mut ways, &ranked);
        match (certain, likely) {
            (Some(certain), Some(likely)) if certain.cost <= likely.cost => Some(certain),
            (certain, likely) => likely.or(certain),
        }
    }

    /// What the best placement of a piece at `from` costs, followed by the best of these pieces.
    pub fn least_cost(&self, situation: &Situation<'_>, from: Pose, followers: &[Option<Piece>]) -> f64 {
        let done = &ButtonSchedule::default();
        let case = |next| Case { situation, done, from, coming: Coming::of(next), start: HostTime(0) };
        let costs = followers.iter().filter_map(|next| self.ranked(&case(*next)).first().map(|best| best.cost));
        costs.fold(f64::INFINITY, f64::min)
    }

    /// Whether all pieces that are shown are looked at.
    pub fn looks_ahead(&self) -> bool {
        self.ahead.is_some()
    }

    /// What a lock counts as in a back-to-back sequence; `None` where nobody asks for that.
    pub fn follow(&self, sequence: &mut Sequence, board: &Board, lock: Pose) -> Option<Award> {
        self.ahead.as_ref().map(|ahead| sequence.next(ahead.action(board, lock)))
    }

    /// Whether a new piece had better be put aside; `None` if that is to be told by what it costs.
    pub fn prefers_hold(&self, board: &Board, piece: Piece, coming: &Coming) -> Option<bool> {
        self.ahead.as_ref().map(|ahead| ahead.prefers_hold(board, piece, coming))
    }

    /// The plan that is in force: where `schedule`, presses already made included, takes the piece.
    pub fn kept(
        &self,
        situation: &Situation<'_>,
        from: Pose,
        coming: &Coming,
        schedule: &ButtonSchedule,
    ) -> Option<Plan> {
        let lock = situation.certain_lock(schedule)?;
        let done = &ButtonSchedule::default();
        let ranked = self.ranked(&Case { situation, done, from, coming: *coming, start: HostTime(0) });
        let skipped = ranked.iter().position(|candidate| candidate.pose == lock.pose)?;
        let (cost, outlook) = (ranked[skipped].cost, outlook(&ranked));
        let (points, choices) =
            (self.points(cost, situation), self.choices(&ranked, skipped, situation, |_| Fate::TooFar));
        Some(Plan { lock, certainty: 1.0, schedule: schedule.clone(), skipped, cost, points, choices, outlook })
    }

    /// A certain way to a placement, after the presses that were made already.
    pub fn certain_way(
        &self,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
        from: Pose,
        to: Pose,
        start: HostTime,
    ) -> Option<(ButtonSchedule, Lock)> {
        self.ways(Case { situation, done, from, coming: Coming::default(), start }).certain(to)
    }

    fn ways<'a>(&'a self, case: Case<'a>) -> Ways<'a> {
        Ways::of(case, self.finger, &self.filters, self.touch(case.situation))
    }

    /// The best placement that comes out in every case.
    fn certain_plan(&self, ways: &mut Ways<'_>, ranked: &[Candidate]) -> Option<Plan> {
        // The best is mostly within reach; that is asked when it was not.
        let in_time = |ways: &mut Ways<'_>, skipped: usize, pose| skipped == 0 || ways.is_reached(pose);
        ranked.iter().take(CERTAIN_TRIED).enumerate().find_map(|(skipped, candidate)| {
            if !in_time(ways, skipped, candidate.pose) {
                return None;
            }
            let (schedule, lock) = ways.certain(candidate.pose)?;
            let (cost, outlook) = (candidate.cost, outlook(ranked));
            let (points, choices) = self.told(ways, ranked, skipped, cost);
            Some(Plan { lock, certainty: 1.0, schedule, skipped, cost, points, choices, outlook })
        })
    }

    /// What is best on average when nothing is certain: pressing nothing more is among it.
    fn likely_plan(&self, ways: &mut Ways<'_>, ranked: &[Candidate]) -> Option<Plan> {
        let Case { situation, done, .. } = ways.case;
        let tried: Vec<Pose> =
            ranked.iter().map(|c| c.pose).filter(|&pose| ways.is_reached(pose)).take(LIKELY_TRIED).collect();
        let presses: Vec<(ButtonSchedule, bool)> = tried.into_iter().flat_map(|pose| ways.to(pose)).collect();
        let nothing = (ButtonSchedule::default(), false);
        // A place that was not even rated is at least as bad as the worst that was.
        let worst = ranked.last().map_or(0.0, |candidate| candidate.cost);
        let cost_of = |pose| ranked.iter().find(|candidate| candidate.pose == pose).map_or(worst, |found| found.cost);
        let mut best: Option<Plan> = None;
        for (mut schedule, waits) in std::iter::once(nothing).chain(presses) {
            let outcomes = situation.outcomes(&schedule.after(done)).0;
            let total: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
            let Some(&(lock, probability)) = outcomes.first() else { continue };
            let cost = outcomes.iter().map(|(lock, p)| p * cost_of(lock.pose)).sum::<f64>() / total;
            if best.as_ref().is_some_and(|best| best.cost <= cost) {
                continue;
            }
            let latest = outcomes.iter().map(|(lock, _)| lock.latest).max().unwrap_or(lock.latest);
            if waits {
                schedule.release_after(latest, situation.rules.frame_ms());
            } else if let Some(shorter) = schedule.ended_with(latest).filter(|_| situation.rules.hard_drop().is_none())
            {
                schedule = shorter;
            }
            let skipped = ranked.iter().position(|candidate| candidate.pose == lock.pose).unwrap_or(ranked.len());
            let certainty = probability / total;
            let outlook = outlook(ranked);
            best = Some(Plan { lock, certainty, schedule, skipped, cost, points: None, choices: Vec::new(), outlook });
        }
        if let Some(best) = &mut best {
            (best.points, best.choices) = self.told(ways, ranked, ranked.len(), best.cost);
        }
        best
    }

    /// What is told of a decision besides its presses, for which so many of the best placements were passed over.
    fn told(
        &self,
        ways: &mut Ways<'_>,
        ranked: &[Candidate],
        passed_over: usize,
        cost: f64,
    ) -> (Option<f64>, Vec<Choice>) {
        let situation = ways.case.situation;
        let fate = |pose| if ways.is_reached(pose) { Fate::Uncertain } else { Fate::TooFar };
        (self.points(cost, situation), self.choices(ranked, passed_over, situation, fate))
    }

    /// All placements, best first, whether or not there is time for them; what the next piece can answer is what the finger
    /// can do with it. Without a known next piece costs are the means over all that may follow.
    fn ranked(&self, case: &Case<'_>) -> Vec<Candidate> {
        let situation = case.situation;
        let board: &Board = situation.board;
        let manner = match self.touch(situation) {
            _ if self.filters.no_rotation => Manner::Unturned,
            Some(touch) => Manner::Timed(touch),
            // Nothing can be pushed under an overhang where Down does nothing.
            None if !situation.rules.can(Move::Down) => Manner::Standard,
            None => Manner::Freely,
        };
        let moves = Moves { movement: &self.movement, manner };
        let next = match case.coming.next {
            Some(next) => vec![(next, 1.0)],
            None => Piece::ALL.into_iter().zip(situation.rules.followers(case.from.orientation.piece())).collect(),
        };
        let evaluator = self.filters.over(board, self.brain.evaluator.as_ref());
        let beyond = self.beyond(situation);
        let level = situation.starts.first().map_or(0, Faller::level);
        let search = Search {
            board,
            level,
            lines_left: None,
            next: &next,
            beyond: beyond.as_ref(),
            moves: &moves,
            evaluator: &evaluator,
        };
        let locks = moves.locks(board, case.from);
        let mut ranked = match &self.ahead {
            Some(ahead) => ahead.rank_of(&locks, board, case.from.orientation.piece(), &case.coming),
            None => search.rank(locks),
        };
        // Better any other placement than one that ends the game as it locks.
        let is_last = |candidate: &Candidate| situation.rules.locks_out(candidate.pose);
        if ranked.iter().any(is_last) {
            ranked.iter_mut().filter(|candidate| is_last(candidate)).for_each(|last| last.cost += NO_ROOM_COST);
            ranked.sort_by(Candidate::order);
        }
        ranked
    }

    /// What a placement of this cost is expected to bring, points, where the AI reckons in these.
    fn points(&self, cost: f64, situation: &Situation<'_>) -> Option<f64> {
        let level = situation.starts.first().map_or(0, Faller::level);
        let by_next = self.brain.evaluator.by_next()?;
        // Who cannot go on gets no more; what lies above that cost is no worth.
        let worth = if cost < LOST_COST { -cost } else { 0.0 };
        by_next.points(worth.max(0.0), level)
    }

    /// The best of these placements, and what spoke against those that were passed over: so many of the best.
    fn choices(
        &self,
        ranked: &[Candidate],
        passed_over: usize,
        situation: &Situation<'_>,
        mut fate: impl FnMut(Pose) -> Fate,
    ) -> Vec<Choice> {
        let choice = |(place, &candidate): (usize, &Candidate)| {
            let fate = if place < passed_over { fate(candidate.pose) } else { Fate::Open };
            Choice { candidate, points: self.points(candidate.cost, situation), fate }
        };
        ranked.iter().take(CHOICES_TOLD).enumerate().map(choice).collect()
    }

    /// What is asked about the piece after the next.
    fn beyond(&self, situation: &Situation<'_>) -> Option<Beyond> {
        let followers = || Piece::ALL.map(|piece| situation.rules.followers(piece));
        let by_next = self.brain.evaluator.by_next();
        by_next.map(|_| Beyond { followers: followers(), pairs: 0, breadth: Breadth::FURTHER })
    }

    /// What the finger can do in a game that is known to the frame. A thumb that taps as fast as the game repeats gains
    /// nothing by holding.
    fn touch(&self, situation: &Situation<'_>) -> Option<Touch> {
        let pace = situation.rules.pace(situation.starts.first()?.level())?;
        let hand = Hand::of(self.finger).ok()?;
        let taps = hand.period() <= usize::from(pace.repeat_frames());
        Some(Touch { pace, hand, style: if taps { TimedStyle::Taps } else { TimedStyle::Holds } })
    }
}

fn outlook(ranked: &[Candidate]) -> Outlook {
    match ranked.first() {
        None => Outlook::NoPlacement,
        Some(best) if best.cost > LOST_COST => Outlook::Lost,
        Some(_) => Outlook::Open,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
