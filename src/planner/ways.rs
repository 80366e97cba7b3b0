//! The ways of one piece to its placements: presses that may take it there, and which of them do in every case.

use super::coming::Coming;
use super::filter::Filters;
use super::moves::Touch;
use super::path::{Paths, Style, strokes};
use super::timed::{Style as TimedStyle, TimedReach};
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Move};
use crate::schedule::outcome::{BOUNCE_MS, Lock, Run, Situation};
use crate::schedule::polls::Polls;
use crate::schedule::{ButtonSchedule, Change, Finger, Stroke};
use crate::time::HostTime;
use std::collections::BTreeSet;

/// What has to be waited for is waited for by so many frames more: the game counts its own.
const WAITED_FRAMES: f64 = 1.5;

/// A piece that is to be placed.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// What is known of it.
    pub(super) situation: &'a Situation<'a>,
    /// Presses that were made already.
    pub(super) done: &'a ButtonSchedule,
    /// Where they have brought it.
    pub(super) from: Pose,
    /// What comes after it.
    pub(super) coming: Coming,
    /// When the first contact may close.
    pub(super) start: HostTime,
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

/// The ways of one piece to its placements.
pub(super) struct Ways<'a> {
    /// The piece.
    pub(super) case: Case<'a>,
    finger: Finger,
    filters: &'a Filters,
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
    /// Nothing is asked yet. `touch` is what the finger can do, where that is known to the frame.
    pub(super) fn of(case: Case<'a>, finger: Finger, filters: &'a Filters, touch: Option<Touch>) -> Self {
        let paths = Paths::from(case.situation.board, case.from, case.situation.rules);
        let touch = touch.map(|touch| Touch { style: TimedStyle::Holds, ..touch });
        let fingers = fingers(finger, case.situation);
        Self { case, finger, filters, paths, fingers, touch, reached: None, ready: None }
    }

    /// Whether there may be time to bring the piece there.
    pub(super) fn is_reached(&mut self, pose: Pose) -> bool {
        let Some(touch) = self.touch else { return true };
        self.reached.get_or_insert_with(|| self.case.reached(touch)).contains(&pose)
    }

    /// A certain way to a placement: the first, but where a drop may not be felt, and the piece comes down by itself, the one that
    /// ends soonest in any case.
    pub(super) fn certain(&mut self, to: Pose) -> Option<(ButtonSchedule, Lock)> {
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
    pub(super) fn to(&mut self, to: Pose) -> Vec<(ButtonSchedule, bool)> {
        let mut ways = self.simply_to(to);
        ways.extend(self.precisely_to(to).into_iter().map(|schedule| (schedule, false)));
        ways
    }

    /// Presses that take the piece to a placement if each is felt in the frame that it is meant for: for what the simple ways are
    /// too slow for, or too blunt.
    fn precisely_to(&mut self, to: Pose) -> Vec<ButtonSchedule> {
        let Some((touch, polls)) = self.touch.zip(self.case.situation.spawns.polls()) else { return Vec::new() };
        if self.filters.no_rotation {
            return Vec::new();
        }
        let ready = self.ready.get_or_insert_with(|| self.case.ready(touch));
        ready.iter().filter_map(|ready| ready.presses(to, polls)).collect()
    }

    /// Presses by strokes one after the other, the quickest first; and whether the last one waits for the lock.
    fn simply_to(&mut self, to: Pose) -> Vec<(ButtonSchedule, bool)> {
        let situation = self.case.situation;
        let moves = self.paths.to(to).filter(|moves| self.filters.allow_moves(moves));
        let Some(moves) = moves else { return Vec::new() };
        let mut ways: Vec<Vec<Stroke>> = Vec::new();
        let waited_ms = self.waited_ms(&moves);
        let can_hurry = situation.starts.iter().any(Faller::can_hurry);
        let finger = self.finger;
        let tap_frames = finger.press_frames + finger.gap_frames;
        let level = situation.starts.first().map_or(0, Faller::level);
        let taps_hurry = situation.starts.iter().any(|start| start.is_hurried_by_taps(tap_frames));
        for style in Style::of(situation.rules) {
            let mut way = strokes(&moves, situation.rules, level, style);
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

/// How long a plan waits with its first stroke, ms: where the game guards against early drops, a press before that would
/// be lost. The guard counts from the spawn, and a plan starts after that was seen; what the eye's time says is not asked,
/// for it is often a typical value.
fn guard_ms(situation: &Situation<'_>, strokes: &[Stroke]) -> f64 {
    match strokes.first() {
        Some(Stroke::SoftDrop(_) | Stroke::Lower(_) | Stroke::HoldDown | Stroke::HardDrop) => {
            situation.rules.drop_guard_ms()
        }
        Some(Stroke::Tap(_) | Stroke::Hold { .. }) | None => 0.0,
    }
}
