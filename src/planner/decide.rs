//! The decision: the best placement whose presses come out right in every case; where there is none, what is best on
//! average.

use super::brain::Brain;
use super::candidate::{Candidate, Choice};
use super::expectimax::Breadth;
use super::filter::Filters;
use super::ladder::{LOST_COST, NO_ROOM_COST};
use super::moves::{Manner, Moves, Touch};
use super::path::{Paths, Style, strokes};
use super::search::{Beyond, Search};
use super::timed::{Hand, Style as TimedStyle, TimedReach};
use crate::game::movement::Movement;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Move};
use crate::game::{Board, Buttons, Piece};
use crate::message::Fate;
use crate::schedule::Stroke;
use crate::schedule::outcome::{BOUNCE_MS, Lock, Run, Situation};
use crate::schedule::polls::Polls;
use crate::schedule::{ButtonSchedule, Change, Finger};
use crate::time::HostTime;
use std::collections::BTreeSet;

/// This many of the best placements are tried for certainty; no piece has more on most boards.
const CERTAIN_TRIED: usize = 48;
/// What has to be waited for is waited for by so many frames more: the game counts its own.
const WAITED_FRAMES: f64 = 1.5;
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
}

impl Planner {
    /// The best certain plan for the piece that appeared at `from`, with the first contact at `start`; without a certain
    /// one, the best on average. `None` if the piece never locks.
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
        let case = Case { situation, done, from, next, start };
        let ranked = self.ranked(&case);
        let mut ways = Ways::of(self, case);
        let certain = ways.certain_plan(&ranked);
        // Certainty is worth much, but not the game.
        if let Some(plan) = certain.as_ref().filter(|plan| plan.skipped == 0 || plan.cost < LOST_COST) {
            return Some(plan.clone());
        }
        let likely = ways.likely_plan(&ranked);
        match (certain, likely) {
            (Some(certain), Some(likely)) if certain.cost <= likely.cost => Some(certain),
            (certain, likely) => likely.or(certain),
        }
    }

    /// What the best placement of a piece at `from` costs, followed by the best of these pieces.
    pub fn least_cost(&self, situation: &Situation<'_>, from: Pose, followers: &[Option<Piece>]) -> f64 {
        let done = &ButtonSchedule::default();
        let rank = |next: &Option<Piece>| self.ranked(&Case { situation, done, from, next: *next, start: HostTime(0) });
        let costs = followers.iter().filter_map(|next| rank(next).first().map(|best| best.cost));
        costs.fold(f64::INFINITY, f64::min)
    }

    /// The plan that is in force: where `schedule`, presses already made included, takes the piece.
    pub fn kept(
        &self,
        situation: &Situation<'_>,
        from: Pose,
        next: Option<Piece>,
        schedule: &ButtonSchedule,
    ) -> Option<Plan> {
        let lock = situation.certain_lock(schedule)?;
        let done = &ButtonSchedule::default();
        let ranked = self.ranked(&Case { situation, done, from, next, start: HostTime(0) });
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
        Ways::of(self, Case { situation, done, from, next: None, start }).certain(to)
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
        let next = match case.next {
            Some(next) => vec![(next, 1.0)],
            None => Piece::ALL.into_iter().zip(situation.rules.followers(case.from.orientation.piece())).collect(),
        };
        let evaluator = self.filters.over(board, self.brain.evaluator.as_ref());
        let beyond = self.beyond(situation);
        let level = situation.starts.first().map_or(0, Faller::level);
        let search =
            Search { board, level, next: &next, beyond: beyond.as_ref(), moves: &moves, evaluator: &evaluator };
        let mut ranked = search.rank(moves.locks(board, case.from));
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

/// A piece that is to be placed.
#[derive(Clone, Copy)]
struct Case<'a> {
    situation: &'a Situation<'a>,
    /// Presses that were made already.
    done: &'a ButtonSchedule,
    /// Where they have brought it.
    from: Pose,
    next: Option<Piece>,
    /// When the first contact may close.
    start: HostTime,
}

impl Case<'_> {
    /// Where a finger can lock the piece, whenever it may have appeared. None that is known if it will have locked by then.
    fn reached(&self, touch: Touch) -> BTreeSet<Pose> {
        let situation = self.situation;
        let felt = self.start.plus_ms(-situation.timing.close.spread_ms - BOUNCE_MS);
        let times = situation.spawns.times().iter().map(|&(time, _)| time);
        let extremes = times.clone().min().into_iter().chain(times.max());
        let mut poses = BTreeSet::new();
        for (spawn, start) in extremes.flat_map(|spawn| situation.starts.iter().map(move |start| (spawn, start))) {
            let mut run = Run::new(start, situation, spawn, self.done.changes());
            if run.runs_to(felt)
                && let Some(control) = run.faller.control()
            {
                poses.extend(touch.reach(situation.board, control).locks());
            }
        }
        poses
    }

    /// A hand that presses from the start on, for the frames on which the piece most likely appeared, the first and the last;
    /// none while frames are not known.
    fn ready(&self, touch: Touch) -> Vec<Ready> {
        let situation = self.situation;
        let Some(polls) = situation.spawns.polls() else { return Vec::new() };
        // What is closed mid-way between two polls is felt at the second.
        let last_idle = self.start.plus_ms(polls.frame_ms / 2.0);
        let times = || situation.spawns.times().iter().map(|&(time, _)| polls.nearest(time));
        let likeliest = situation.spawns.likeliest().map(|time| polls.nearest(time));
        let mut frames: Vec<i64> = Vec::new();
        for frame in likeliest.into_iter().chain(times().min()).chain(times().max()) {
            if !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        let mut ready = Vec::new();
        for (spawned, start) in
            frames.iter().flat_map(|frame| situation.starts.iter().map(move |start| (*frame, start)))
        {
            let mut run = Run::new(start, situation, polls.time(spawned), self.done.changes());
            if run.runs_to(HostTime(last_idle.0 - 1))
                && let Some(control) = run.faller.control()
            {
                let frame = polls.nearest(run.poll()) + 1;
                let styles = [TimedStyle::Taps, TimedStyle::Holds].map(|style| Touch { style, ..touch });
                ready.extend(styles.map(|touch| Ready { frame, reach: touch.reach(situation.board, control) }));
            }
        }
        ready
    }
}

/// A hand before its first press in a game whose frames are known, and what it can do from there on.
struct Ready {
    /// The first frame that it can press in.
    frame: i64,
    reach: TimedReach,
}

impl Ready {
    /// The presses that take the piece to a pose, each contact closed and opened mid-way between two polls; `None` if this hand
    /// cannot do that.
    fn presses(&self, to: Pose, polls: &Polls) -> Option<ButtonSchedule> {
        let way = self.reach.way(to)?;
        let mut held = Buttons::NONE;
        let mut changes = Vec::new();
        for (frame, buttons) in (self.frame..).zip(way.into_iter().chain([Buttons::NONE])) {
            if buttons != held {
                changes.push(Change { at: polls.time(frame).plus_ms(-polls.frame_ms / 2.0), buttons });
                held = buttons;
            }
        }
        Some(ButtonSchedule::of(changes))
    }
}

/// The ways of one piece to its placements.
struct Ways<'a> {
    planner: &'a Planner,
    case: Case<'a>,
    paths: Paths<'a>,
    fingers: Vec<Finger>,
    /// What the finger can do, where that is known to the frame.
    touch: Option<Touch>,
    /// Where it can lock the piece, once that was asked.
    reached: Option<BTreeSet<Pose>>,
    /// The hand to the frame, once that was asked: by taps alone, then with all that it can do.
    ready: Option<Vec<Ready>>,
}

impl<'a> Ways<'a> {
    fn of(planner: &'a Planner, case: Case<'a>) -> Self {
        let paths = Paths::from(case.situation.board, case.from, case.situation.rules);
        let touch = planner.touch(case.situation).map(|touch| Touch { style: TimedStyle::Holds, ..touch });
        Self {
            planner,
            case,
            paths,
            fingers: fingers(planner.finger, case.situation),
            touch,
            reached: None,
            ready: None,
        }
    }

    /// Whether there may be time to bring the piece there.
    fn is_reached(&mut self, pose: Pose) -> bool {
        let Some(touch) = self.touch else { return true };
        self.reached.get_or_insert_with(|| self.case.reached(touch)).contains(&pose)
    }

    /// What is told of a decision besides its presses, for which so many of the best placements were passed over.
    fn told(&mut self, ranked: &[Candidate], passed_over: usize, cost: f64) -> (Option<f64>, Vec<Choice>) {
        let (planner, situation) = (self.planner, self.case.situation);
        let fate = |pose| if self.is_reached(pose) { Fate::Uncertain } else { Fate::TooFar };
        (planner.points(cost, situation), planner.choices(ranked, passed_over, situation, fate))
    }

    /// The best placement that comes out in every case.
    fn certain_plan(&mut self, ranked: &[Candidate]) -> Option<Plan> {
        // The best is mostly within reach; that is asked when it was not.
        let in_time = |ways: &mut Self, skipped: usize, pose| skipped == 0 || ways.is_reached(pose);
        ranked.iter().take(CERTAIN_TRIED).enumerate().find_map(|(skipped, candidate)| {
            if !in_time(self, skipped, candidate.pose) {
                return None;
            }
            let (schedule, lock) = self.certain(candidate.pose)?;
            let (cost, outlook) = (candidate.cost, outlook(ranked));
            let (points, choices) = self.told(ranked, skipped, cost);
            Some(Plan { lock, certainty: 1.0, schedule, skipped, cost, points, choices, outlook })
        })
    }

    /// A certain way to a placement: the first, but where a drop may not be felt, and the piece comes down by itself, the one that
    /// ends soonest in any case.
    fn certain(&mut self, to: Pose) -> Option<(ButtonSchedule, Lock)> {
        let has_drop = self.case.situation.rules.hard_drop().is_some();
        let ways = self.to(to);
        let mut certain = ways.into_iter().filter_map(|way| self.certainly(way, to));
        if has_drop { certain.min_by_key(|(_, lock)| lock.latest) } else { certain.next() }
    }

    /// A way, if it leads to a placement in every case, and whether its last press waits for the lock.
    fn certainly(&self, (mut schedule, waits): (ButtonSchedule, bool), to: Pose) -> Option<(ButtonSchedule, Lock)> {
        let situation = self.case.situation;
        let is_there = |lock: &Lock| lock.pose == to;
        let mut lock = situation.certain_lock(&schedule.after(self.case.done)).filter(is_there)?;
        if waits {
            schedule.release_after(lock.latest, situation.rules.frame_ms());
        } else if situation.rules.hard_drop().is_none()
            && let Some(shorter) = schedule.ended_with(lock.earliest)
        {
            // A press that may be felt by the next piece. (A hard drop locks by itself, and never is.)
            lock = situation.certain_lock(&shorter.after(self.case.done)).filter(is_there)?;
            schedule = shorter;
        }
        Some((schedule, lock))
    }

    /// Presses that should take the piece to a placement, the quickest first; and whether the last one waits for the lock.
    fn to(&mut self, to: Pose) -> Vec<(ButtonSchedule, bool)> {
        let mut ways = self.simply_to(to);
        ways.extend(self.precisely_to(to).into_iter().map(|schedule| (schedule, false)));
        ways
    }

    /// Presses that take the piece to a placement if each is felt in the frame that it is meant for: for what the simple ways are
    /// too slow for, or too blunt.
    fn precisely_to(&mut self, to: Pose) -> Vec<ButtonSchedule> {
        let Some((touch, polls)) = self.touch.zip(self.case.situation.spawns.polls()) else { return Vec::new() };
        if self.planner.filters.no_rotation {
            return Vec::new();
        }
        let ready = self.ready.get_or_insert_with(|| self.case.ready(touch));
        ready.iter().filter_map(|ready| ready.presses(to, polls)).collect()
    }

    /// Presses by strokes one after the other, the quickest first; and whether the last one waits for the lock.
    fn simply_to(&mut self, to: Pose) -> Vec<(ButtonSchedule, bool)> {
        let situation = self.case.situation;
        let moves = self.paths.to(to).filter(|moves| self.planner.filters.allow_moves(moves));
        let Some(moves) = moves else { return Vec::new() };
        let mut ways: Vec<Vec<Stroke>> = Vec::new();
        let waited_ms = self.waited_ms(&moves);
        let can_hurry = situation.starts.iter().any(Faller::can_hurry);
        let finger = self.planner.finger;
        let tap_frames = finger.press_frames + finger.gap_frames;
        let taps_hurry = situation.starts.iter().any(|start| start.is_hurried_by_taps(tap_frames));
        for style in Style::of(situation.rules) {
            let mut way = strokes(&moves, situation.rules, style);
            // Where it gains nothing, Down would only wear the contact and get in the way of the next piece.
            way.pop_if(|last| *last == Stroke::HoldDown && !can_hurry);
            way.pop_if(|last| matches!(last, Stroke::SoftDrop(_)) && !taps_hurry);
            if waited_ms.is_some() {
                // Rows are waited for, all of them before the first press.
                way.retain(|stroke| !matches!(stroke, Stroke::SoftDrop(_)));
            }
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        let lay_out = |(strokes, finger): (&Vec<Stroke>, Finger)| {
            let guard_ms = if self.is_guarded() { guard_ms(situation, strokes) } else { 0.0 };
            let start = self.case.start.plus_ms(guard_ms);
            let start = situation.spawns.aimed(waited_ms.map_or(start, |waited_ms| self.fallen(waited_ms).max(start)));
            let schedule = ButtonSchedule::lay_out(strokes, start, finger, situation.rules);
            (schedule, strokes.last() == Some(&Stroke::HoldDown))
        };
        ways.iter().flat_map(|way| self.fingers.iter().map(move |finger| (way, *finger))).map(lay_out).collect()
    }

    /// Whether the game may guard the piece against a drop, because it is as it appeared. What was pressed before may have been for
    /// the one before it, whose drop key may still be down.
    fn is_guarded(&self) -> bool {
        let Case { situation, done, from, .. } = self.case;
        let is_there = |start: &Faller| done.changes().is_empty() || start.pose() == from;
        situation.starts.iter().any(|start| start.is_guarded() && is_there(start))
    }

    /// How long the piece takes for the rows that it has to fall before its last tap, ms; `None` where Down is pressed for these.
    fn waited_ms(&self, moves: &[Move]) -> Option<f64> {
        let Case { situation, .. } = self.case;
        let level = situation.starts.first()?.level();
        let last_tap = moves.iter().rposition(|step| *step != Move::Down).unwrap_or(0);
        let rows = moves.iter().take(last_tap).filter(|step| **step == Move::Down).count();
        (!situation.rules.can(Move::Down)).then(|| rows as f64 * situation.rules.row_ms(level))
    }

    /// When the piece has fallen for so long, whenever it appeared; what is pressed then is felt later even by a contact that
    /// closes early.
    fn fallen(&self, waited_ms: f64) -> HostTime {
        let Case { situation, done, start, .. } = self.case;
        if waited_ms == 0.0 {
            return start;
        }
        let appeared = situation.spawns.times().iter().map(|(time, _)| *time).max();
        let since = appeared.filter(|_| done.changes().is_empty()).unwrap_or(start);
        let early_ms = situation.timing.close.spread_ms + BOUNCE_MS;
        since.plus_ms(waited_ms + WAITED_FRAMES * situation.rules.frame_ms() + early_ms)
    }

    /// What is best on average when nothing is certain: pressing nothing more is among it.
    fn likely_plan(&mut self, ranked: &[Candidate]) -> Option<Plan> {
        let Case { situation, done, .. } = self.case;
        let tried: Vec<Pose> =
            ranked.iter().map(|c| c.pose).filter(|&pose| self.is_reached(pose)).take(LIKELY_TRIED).collect();
        let ways: Vec<(ButtonSchedule, bool)> = tried.into_iter().flat_map(|pose| self.to(pose)).collect();
        let nothing = (ButtonSchedule::default(), false);
        // A place that was not even rated is at least as bad as the worst that was.
        let worst = ranked.last().map_or(0.0, |candidate| candidate.cost);
        let cost_of = |pose| ranked.iter().find(|candidate| candidate.pose == pose).map_or(worst, |found| found.cost);
        let mut best: Option<Plan> = None;
        for (mut schedule, waits) in std::iter::once(nothing).chain(ways) {
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
            (best.points, best.choices) = self.told(ranked, ranked.len(), best.cost);
        }
        best
    }
}

/// How taps may be made: a press shorter than two frames is missed now and then while nobody knows when the console
/// polls, so then there are slower taps to choose from.
fn fingers(finger: Finger, situation: &Situation<'_>) -> Vec<Finger> {
    let Finger { press_frames, gap_frames } = finger;
    let slow = Finger {
        press_frames: press_frames.max(Finger::RELAY.press_frames),
        gap_frames: gap_frames.max(Finger::RELAY.gap_frames),
    };
    match situation.spawns.polls() {
        None if slow != finger => vec![finger, slow],
        _ => vec![finger],
    }
}

fn outlook(ranked: &[Candidate]) -> Outlook {
    match ranked.first() {
        None => Outlook::NoPlacement,
        Some(best) if best.cost > LOST_COST => Outlook::Lost,
        Some(_) => Outlook::Open,
    }
}

/// How long a plan waits with its first stroke, ms: where the game guards against early drops, a press before that would
/// be lost. The guard counts from the spawn, and a plan starts after that was seen; what the eye's time says is not asked,
/// for it is often a typical value.
fn guard_ms(situation: &Situation<'_>, strokes: &[Stroke]) -> f64 {
    match strokes.first() {
        Some(Stroke::SoftDrop(_) | Stroke::HoldDown | Stroke::HardDrop) => situation.rules.drop_guard_ms(),
        Some(Stroke::Tap(_) | Stroke::Hold { .. }) | None => 0.0,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
