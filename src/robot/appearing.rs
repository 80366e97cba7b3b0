//! A new piece: what it was when it appeared, when that was, and whether anything was planned for it before.

use super::appearance::Appearance;
use super::falling::Falling;
use super::state::Robot;
use super::task::News;
use crate::belief::blame::Record;
use crate::belief::{Locked, Spawned};
use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::schedule::polls::{Polls, SpawnWindow};
use crate::time::HostTime;

/// Points of the first-piece wait that are tried: the whole wait, or almost none of it left.
const FIRST_WAITS: [f64; 4] = [0.0, 0.35, 0.7, 0.98];

impl Robot {
    /// A new piece: planned anew in any case, for the next box shows one more.
    pub(super) fn appeared(&mut self, spawned: &Spawned, locked: Option<Locked>, now: HostTime) {
        if spawned.by_hold {
            self.mind.holds_failed = 0;
        }
        self.judge(locked.as_ref());
        if let Some((locked, falling)) = locked.as_ref().zip(self.mind.falling.as_ref()) {
            let award = self.planner.follow(&mut self.mind.sequence, &falling.spawned.board, locked.pose);
            let is_spun = award.is_some_and(|award| award.action.is_spin()) && locked.lines > 0;
            self.mind.spins += u64::from(is_spun && locked.intended == Some(true));
        }
        self.end_waits(spawned, locked.as_ref(), now);
        let last_press = self.mind.steering.last_press();
        self.end_steering(locked.as_ref(), now);
        let after_clear = locked.is_some_and(|locked| locked.lines > 0);
        let foretold = self.expected(locked);
        let level = self.watcher.belief.counters().level;
        // What took the piece before to its place was pressed before this one appeared.
        let is_right = locked.is_some_and(|locked| locked.intended == Some(true));
        let window = self.window(spawned, level);
        // One that came later than that is felt by this piece: the one before had come to rest by itself.
        let last_press = last_press.filter(|press| is_right && *press < window.latest);
        let window = window.after(last_press);
        let appearance = self.polls.map(|polls| Appearance::seen(&polls, window, &foretold)).unwrap_or_default();
        let starts = self.starts(spawned, level);
        let record = self.record(&starts, spawned.board, window, &appearance);
        let frame_ms = self.mind.variants.rules().frame_ms();
        let mut falling = Falling::new(*spawned, starts, window, appearance, after_clear, record, frame_ms);
        falling.locked_by = last_press;
        // One first seen pushed or turned, though nothing was pressed, is planned from there, not from its spawn place.
        let spawn = self.spawn_pose(spawned);
        let is_moved = (spawned.pose.x, spawned.pose.orientation) != (spawn.x, spawn.orientation);
        let is_strange = is_moved && !falling.was_pressed(&self.mind.schedule, now);
        self.mind.hear(if is_strange { News::AppearedElsewhere(now) } else { News::Appeared(*spawned) });
        self.mind.falling = Some(falling);
        (self.mind.next_start, self.mind.starts) = (None, 0);
        self.mind.steering.begin(now);
        let foreseen = self.mind.foreseen.take();
        if let Some(foreseen) = foreseen.filter(|f| f.piece == spawned.piece && f.board == spawned.board) {
            self.watcher.belief.intend(foreseen.pose);
            self.mind.steering.foreseen(foreseen.pose);
        }
    }

    /// Begins to remember what is seen of a new piece.
    fn record(&self, starts: &[Faller], board: Board, window: SpawnWindow, seen: &Appearance) -> Option<Record> {
        let [start] = starts else { return None };
        if seen.is_known() {
            return Some(Record::new(start.clone(), board, seen.frames(), window.earliest, None));
        }
        // By polls of any phase it can be told what a press did, if not when.
        let frame_ms = self.mind.variants.rules().frame_ms();
        let at = HostTime::default().plus_ms(-self.calibration.timing.eye.ms);
        let rough = Polls { at, frame: 0, frame_ms, error_ms: frame_ms / 2.0 };
        let seen = Appearance::seen(&rough, window, &Appearance::default());
        seen.is_known().then(|| Record::new(start.clone(), board, seen.frames(), window.earliest, Some(rough)))
    }

    /// On which frames a piece was expected after this lock of the one before.
    fn expected(&mut self, locked: Option<Locked>) -> Appearance {
        let (Some(falling), Some(polls), Some(locked)) = (&self.mind.falling, self.polls, locked) else {
            return Appearance::default();
        };
        if falling.after_clear {
            self.clears.learn(&falling.appearance, self.mind.variants.rules());
        }
        let (rules, timing) = (self.mind.variants.rules(), &self.calibration.timing);
        let landing = falling.landing(rules, timing, &polls, &falling.presses(&self.mind.schedule));
        let landing = landing.filter(|landing| landing.pose == locked.pose);
        landing.map(|landing| self.clears.after(&landing, locked.lines, rules)).unwrap_or_default()
    }

    /// The piece at the frame of its spawn; a game's first piece may still hang for an unknown time.
    fn starts(&self, spawned: &Spawned, level: u8) -> Vec<Faller> {
        let pose = self.spawn_pose(spawned);
        let falls = self.mind.variants.rules().spawn(spawned.piece, pose, level, false);
        if !spawned.first_of_game || self.mind.variants.rules().first_piece_ms() == 0.0 {
            return vec![falls];
        }
        let hangs = self.mind.variants.rules().spawn(spawned.piece, pose, level, true);
        let waits = FIRST_WAITS.map(|share| {
            let mut hangs = hangs.clone();
            let frames = self.mind.variants.rules().first_piece_ms() / self.mind.variants.rules().frame_ms() * share;
            (0..frames as u32).for_each(|_| {
                hangs.frame(&spawned.board, Buttons::NONE);
            });
            hangs
        });
        std::iter::once(falls).chain(waits).collect()
    }

    /// Where a piece appears: in its place; one that comes from above the field and is known by what is seen of it, there; one
    /// that may appear in any rotation as it was seen.
    pub(super) fn spawn_pose(&self, spawned: &Spawned) -> Pose {
        let place = self.planner.movement.spawn_of(spawned.pose);
        Pose { y: place.y.min(spawned.pose.y), ..place }
    }

    /// When the piece appeared: between the last picture without it and the first with it, less the way of the light.
    fn window(&self, spawned: &Spawned, level: u8) -> SpawnWindow {
        let (eye, rules) = (self.calibration.timing.eye, self.mind.variants.rules());
        let row_ms = rules.row_ms(level);
        let rows = f64::from(spawned.pose.y - self.spawn_pose(spawned).y);
        let first_seen = spawned.time.plus_ms(eye.spread_ms - eye.ms);
        // In its row it has been no longer than a row takes, seen before or not, unless it rests there.
        let waited_ms = row_ms + rested_ms(rules, &spawned.board, spawned.pose);
        let one_row = first_seen.plus_ms(-rows * row_ms - waited_ms - 2.0 * eye.spread_ms);
        // Down may have hurried it on its way.
        let is_hurried = self.mind.schedule.presses_since(one_row, Buttons::DOWN);
        let latest = first_seen.plus_ms(-rows * if is_hurried { rules.hurried_row_ms(level) } else { row_ms });
        let unseen = spawned.not_before.map(|t| self.arrivals.promised(t).plus_ms(-eye.ms - eye.spread_ms));
        let earliest = match unseen {
            Some(unseen) if rows == 0.0 => unseen.max(one_row),
            _ => one_row,
        };
        SpawnWindow { earliest: earliest.min(latest), latest }
    }
}

/// How long a piece may be seen in this place besides the time that a row takes, ms: where it rests it may have locked
/// already, and stands there like any block of the pile until the next one appears.
pub(super) fn rested_ms(rules: &Rules, board: &Board, pose: Pose) -> f64 {
    let is_resting = !pose.moved(0, 1).fits(board);
    let entry = rules.entry_frames(pose.y).filter(|_| is_resting).unwrap_or(0);
    f64::from(entry) * rules.frame_ms()
}
