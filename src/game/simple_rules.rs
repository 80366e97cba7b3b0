//! Games that are described by parameters: what they do with a falling piece, frame by frame.

use super::board::MAX_ROWS;
use super::lock::{Lock, LockBegin, Rest, Stirred};
use super::orientation::Pose;
use super::{Board, Buttons, RotationSystem};
use serde::Deserialize;
use std::sync::Arc;

/// Rate at which these games are stepped here; it only has to be finer than a tap.
pub(super) const SIMPLE_FRAMES_PER_S: f64 = 60.0;

/// A game in which every tap moves once, gravity is even, and a piece locks some time after it cannot fall.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleRules {
    /// Milliseconds a row by level; the last entry holds for all higher levels.
    pub row_ms: Vec<f64>,
    /// At which level another time was measured last, and which, ms.
    pub measured: Option<(u8, f64)>,
    /// Key of a clockwise turn, if there is one.
    pub clockwise: Option<Buttons>,
    /// Key of a counter-clockwise turn, if there is one.
    pub counter_clockwise: Option<Buttons>,
    /// Key of half a turn, if there is one.
    pub half_turn: Option<Buttons>,
    /// Key that drops and locks at once, if there is one.
    pub hard_drop: Option<Buttons>,
    /// Key that puts the falling piece aside and takes up the one that was there, if there is one: once a piece.
    pub hold: Option<Buttons>,
    /// How pieces turn.
    pub rotation: RotationSystem,
    /// This long after a piece appeared, ms, Down and the drop key do nothing while it is still where it appeared: many
    /// games guard against a key that was meant for the piece before.
    pub drop_guard_ms: f64,
    /// When a piece that cannot fall locks.
    pub lock: Lock,
    /// So many rows above the field a piece may reach into, 0–2. Without one, what appears at the top has no room to turn
    /// before it has fallen.
    pub hidden_rows: u8,
    /// What Down does.
    pub soft_drop: SoftDrop,
    /// The drop key locks the piece. Without it the piece locks when it would have fallen next, and can be moved until then.
    pub drop_locks: bool,
    /// Which keys make the wait for the next row begin anew.
    pub restart_fall: RestartFall,
    /// Keys that are pressed in the same moment all count. Without it one of them does.
    pub chords: bool,
    /// What lines count for.
    pub counting: Counting,
    /// Which piece that locks above the field ends a game.
    pub lock_out: LockOut,
}

/// What Down does.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "soft_drop must be true (a tap of Down is a row), false (Down does nothing), or by how much held Down hurries a piece, such as 20"
)]
pub enum SoftDrop {
    /// A tap of it is a row, or nothing.
    Taps(bool),
    /// While it is held, a row takes so many times less; a tap is no row.
    Held(f64),
}

impl Default for SoftDrop {
    fn default() -> Self {
        Self::Taps(true)
    }
}

/// Which piece that locks above the field ends a game. Cells up there are lost if none does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockOut {
    /// None: a game ends when a piece has no room to appear.
    #[default]
    None,
    /// One that is all above it.
    Whole,
    /// One of which a cell is above it.
    Partial,
}

impl LockOut {
    /// Whether a piece that locks here ends the game.
    pub fn ends(self, pose: Pose) -> bool {
        let mut above = pose.cells().into_iter().map(|(_, y)| y < 0);
        match self {
            Self::None => false,
            Self::Whole => above.all(|is_above| is_above),
            Self::Partial => above.any(|is_above| is_above),
        }
    }
}

/// Which keys make the wait for the next row begin anew, as it does in programs that wait for a key and a time in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestartFall {
    /// None.
    #[default]
    Never,
    /// Down, when it moves the piece.
    Down,
    /// Any, whether or not it moves the piece.
    AnyKey,
}

/// What lines count for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// As on the NES.
    #[default]
    Nes,
    /// As in Standard Tetris: a level every ten lines from the eleventh on, and no points. (There are some for pieces that land
    /// early, which is not told by lines.)
    Standard,
    /// As in the modern game with fixed goals: a level every ten lines, 15 at most, and no points.
    Guideline,
    /// A level every ten lines, from whichever it was that a game began at, and no points.
    EveryTen,
    /// As in games whose level stays as it was at the start, and without points.
    Lines,
}

impl SimpleRules {
    /// Milliseconds a row at a level. Levels above one that was measured are no slower than that, and those below no quicker.
    pub(super) fn row_ms_at(&self, level: u8) -> f64 {
        let described = self.described_row_ms(level);
        match self.measured {
            Some((at, ms)) if at == level => ms,
            Some((at, ms)) if at < level => described.min(ms),
            Some((_, ms)) => described.max(ms),
            None => described,
        }
    }

    /// The same as its description has it.
    pub(super) fn described_row_ms(&self, level: u8) -> f64 {
        let last = self.row_ms.len().saturating_sub(1);
        self.row_ms.get((level as usize).min(last)).copied().unwrap_or(1000.0)
    }

    /// By how much held Down hurries a piece, if it is known to.
    pub(super) fn hurry(&self) -> Option<f64> {
        match self.soft_drop {
            SoftDrop::Held(times) => Some(times),
            SoftDrop::Taps(_) => None,
        }
    }

    /// The keys that take a piece down, or make it wait in its row.
    pub(super) fn fall_keys(&self) -> Buttons {
        match self.restart_fall {
            RestartFall::AnyKey => !Buttons::NONE,
            RestartFall::Never | RestartFall::Down => Buttons::DOWN | self.hard_drop.unwrap_or(Buttons::NONE),
        }
    }
}

/// A falling piece of a [`SimpleRules`] game.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleFaller {
    pub(super) rules: Arc<SimpleRules>,
    pub(super) pose: Pose,
    spawn: Pose,
    pub(super) level: u8,
    /// How long the drop key is still guarded.
    guard_frames: f64,
    pub(super) row_frames: f64,
    waited_frames: f64,
    /// How long the piece has waited for its lock, if it has.
    rest: Option<Rest>,
    pub(super) held: Buttons,
}

impl SimpleFaller {
    /// A piece that has just appeared.
    pub(super) fn new(rules: Arc<SimpleRules>, pose: Pose, level: u8) -> Self {
        Self {
            pose,
            spawn: pose,
            level,
            guard_frames: frames(rules.drop_guard_ms),
            row_frames: frames(rules.row_ms_at(level)),
            waited_frames: 0.0,
            rest: match rules.lock.begin {
                LockBegin::Fall => None,
                // It may stand on the pile where it appears: each frame counts until it is seen that it does not.
                LockBegin::Contact => Some(Rest::default()),
            },
            held: Buttons::NONE,
            rules,
        }
    }

    /// One frame with these buttons held; whether the piece locked.
    pub(super) fn frame(&mut self, board: &Board, held: Buttons) -> bool {
        let SimpleRules { clockwise, counter_clockwise, half_turn, hard_drop, hidden_rows, drop_locks, chords, .. } =
            *self.rules;
        let pressed = held.without(self.held);
        let pressed = if chords { pressed } else { pressed.first() };
        self.held = held;
        let hit = |key: Option<Buttons>| key.is_some_and(|k| pressed.intersects(k));
        let mut stirred = Stirred::default();
        let steps = [
            (pressed.intersects(Buttons::LEFT), self.pose.moved(-1, 0)),
            (pressed.intersects(Buttons::RIGHT), self.pose.moved(1, 0)),
        ];
        for (wanted, pose) in steps {
            if wanted && pose.fits(board) {
                self.pose = pose;
                stirred.moved = true;
            }
        }
        for (wanted, clockwise) in [(hit(clockwise), true), (hit(counter_clockwise), false)] {
            if wanted
                && let Some(turned) = self.rules.rotation.turned_on(board, self.pose, clockwise)
                && turned.rows_above() <= hidden_rows
            {
                stirred.turned |= turned != self.pose;
                self.pose = turned;
            }
        }
        let turned = self.rules.rotation.half_turned(self.pose);
        if hit(half_turn) && turned.fits(board) && turned.rows_above() <= hidden_rows {
            stirred.turned |= turned != self.pose;
            self.pose = turned;
        }
        self.guard_frames -= 1.0;
        let guarded = self.guard_frames > 0.0 && self.pose == self.spawn;
        if hit(hard_drop) && !guarded {
            while self.pose.moved(0, 1).fits(board) {
                self.pose = self.pose.moved(0, 1);
                self.rest.iter_mut().for_each(|rest| rest.fell(&self.rules.lock));
            }
            if drop_locks {
                return true;
            }
        }
        if self.rules.restart_fall == RestartFall::AnyKey && pressed != Buttons::NONE {
            self.waited_frames = 0.0;
        }
        let down = self.rules.soft_drop == SoftDrop::Taps(true) && !guarded && pressed.intersects(Buttons::DOWN);
        match self.rules.lock.begin {
            LockBegin::Fall => self.fall(board, down, stirred),
            LockBegin::Contact => self.fall_into_contact(board, down, stirred),
        }
    }

    /// So many frames' worth of falling passes in one.
    fn rate(&self) -> f64 {
        match self.rules.soft_drop {
            SoftDrop::Held(times) if self.held.intersects(Buttons::DOWN) => times,
            SoftDrop::Held(_) | SoftDrop::Taps(_) => 1.0,
        }
    }

    /// See [`super::rules::Faller::unguard`].
    pub(super) fn unguard(&mut self) {
        self.guard_frames = 0.0;
    }

    /// See [`super::rules::Faller::is_guarded`].
    pub(super) fn is_guarded(&self) -> bool {
        self.guard_frames > 0.0 && self.pose == self.spawn
    }

    /// See [`super::rules::Faller::idle_frames`].
    pub(super) fn idle_frames(&self) -> usize {
        match self.rest {
            None => (((self.row_frames - self.waited_frames) / self.rate()).ceil() as usize).saturating_sub(1),
            Some(_) => 0,
        }
    }

    /// Lets so many of them pass.
    pub(super) fn idle(&mut self, frames: usize) {
        self.guard_frames -= frames as f64;
        self.waited_frames += frames as f64 * self.rate();
    }

    /// Gravity, a tap of Down, and a lock whose delay begins when the piece would have fallen.
    fn fall(&mut self, board: &Board, down: bool, stirred: Stirred) -> bool {
        let lock = &self.rules.lock;
        let delay_frames = frames(lock.delay_ms);
        if let Some(rest) = &mut self.rest {
            if !self.pose.moved(0, 1).fits(board) {
                let is_over = rest.pass(lock, stirred, delay_frames);
                return is_over || down && lock.by_down;
            }
            // Moved off what it stood on: it falls at once.
            self.rest = None;
            self.waited_frames = self.row_frames - 1.0;
        }
        self.waited_frames += self.rate();
        let due = self.waited_frames >= self.row_frames;
        if !due && !down {
            return false;
        }
        let rate = self.rate();
        let rows = if due { take_rows(&mut self.waited_frames, self.row_frames, rate) } else { 1 };
        for _ in 0..rows {
            let below = self.pose.moved(0, 1);
            if below.fits(board) {
                self.pose = below;
                if down && self.rules.restart_fall == RestartFall::Down {
                    self.waited_frames = 0.0;
                }
            } else if down && lock.by_down {
                return true;
            } else {
                if due {
                    self.rest = Some(Rest::default());
                }
                return due && delay_frames == 0.0;
            }
        }
        false
    }

    /// The same with a delay that begins as the piece touches what is below it; gravity begins anew then, too.
    fn fall_into_contact(&mut self, board: &Board, down: bool, stirred: Stirred) -> bool {
        let lock = &self.rules.lock;
        let could_fall = self.pose.moved(0, 1).fits(board);
        if could_fall {
            let rate = self.rate();
            self.waited_frames += rate;
            let due = self.waited_frames >= self.row_frames;
            let rows = if due { take_rows(&mut self.waited_frames, self.row_frames, rate) } else { u32::from(down) };
            if down && !due {
                // Keys are taken before the time that has passed: the frame of the tap is the first of the next row's wait. Where a
                // row takes no longer than taps are apart, that is a row between any two of them, or none.
                self.waited_frames = 1.0;
            }
            for _ in 0..rows {
                let below = self.pose.moved(0, 1);
                if below.fits(board) {
                    self.pose = below;
                    self.rest.iter_mut().for_each(|rest| rest.fell(lock));
                }
            }
        }
        if self.pose.moved(0, 1).fits(board) {
            // Nothing of the delay has passed: it need not be looked at in each frame.
            self.rest = self.rest.filter(|rest| rest.frames > 0.0);
            return false;
        }
        self.waited_frames = 0.0;
        let mut rest = self.rest.unwrap_or_default();
        let is_over = rest.pass(lock, stirred, frames(lock.delay_ms));
        self.rest = Some(rest);
        is_over || !could_fall && down && lock.by_down
    }
}

/// How many rows are due after a wait, frames, of which so many pass in one: at high speed several. What has passed of the next
/// row's time is kept, for a row need not take whole frames.
fn take_rows(waited_frames: &mut f64, row_frames: f64, rate: f64) -> u32 {
    let rows = if row_frames < rate { (*waited_frames / row_frames).floor().min(MAX_ROWS as f64) } else { 1.0 };
    *waited_frames = (*waited_frames - rows * row_frames).clamp(0.0, rate);
    rows as u32
}

fn frames(ms: f64) -> f64 {
    ms * SIMPLE_FRAMES_PER_S / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Handedness, Orientation, Piece};

    fn rules() -> SimpleRules {
        SimpleRules {
            row_ms: vec![500.0],
            measured: None,
            clockwise: Some(Buttons::UP),
            counter_clockwise: None,
            half_turn: None,
            hard_drop: Some(Buttons::A),
            hold: None,
            rotation: RotationSystem::classic(Handedness::Left).clone(),
            drop_guard_ms: 100.0,
            lock: Lock { delay_ms: 150.0, ..Lock::default() },
            hidden_rows: 2,
            restart_fall: RestartFall::Never,
            chords: true,
            soft_drop: SoftDrop::Taps(true),
            drop_locks: true,
            counting: Counting::Nes,
            lock_out: LockOut::None,
        }
    }

    /// The frame of the lock (from 1) and its pose, with these keys held from these frames on.
    fn play(piece: Piece, keys: &[(usize, Buttons)]) -> (usize, Pose) {
        let pose = Pose { x: 4, y: 0, orientation: Orientation::spawn(piece) };
        let mut faller = SimpleFaller::new(Arc::new(rules()), pose, 0);
        for frame in 1..2000 {
            let held = keys.iter().rev().find(|k| k.0 <= frame).map_or(Buttons::NONE, |k| k.1);
            if faller.frame(&Board::default(), held) {
                return (frame, faller.pose);
            }
        }
        panic!("{piece} never locked");
    }

    #[test]
    fn a_drop_is_ignored_at_first_unless_the_piece_was_moved() {
        let tap = |frame| [(frame, Buttons::A), (frame + 2, Buttons::NONE)];
        assert_eq!(play(Piece::T, &tap(10)).0, 10);
        assert!(play(Piece::T, &tap(3)).0 > 500);
        let moved = [(1, Buttons::LEFT), (2, Buttons::NONE), (3, Buttons::A)];
        assert_eq!(play(Piece::T, &moved).0, 3);
    }

    #[test]
    fn a_resting_piece_locks_after_its_delay() {
        // 18 rows of 30 frames, the step that fails, and 150 ms more.
        assert_eq!(play(Piece::T, &[]).0, 19 * 30 + 9);
    }

    /// A T on an empty board that rests after one row, with these keys held from these frames on: the frame of its lock, from 1.
    fn lock_frame(lock: Lock, keys: &[(usize, Buttons)]) -> usize {
        let pose = Pose { x: 4, y: 17, orientation: Orientation::spawn(Piece::T) };
        let mut faller = SimpleFaller::new(Arc::new(SimpleRules { lock, ..rules() }), pose, 0);
        let held = |frame| keys.iter().rev().find(|k| k.0 <= frame).map_or(Buttons::NONE, |k| k.1);
        (1..2000).find(|&frame| faller.frame(&Board::default(), held(frame))).unwrap()
    }

    #[test]
    fn a_delay_begins_with_the_contact_or_the_failed_fall_and_begins_anew_as_the_game_says() {
        use super::super::lock::LockReset::{Fall, Move, Turn};
        // It touches the floor with the 30th frame and would have fallen again with the 60th; the delay is 9 frames.
        let fall = Lock { delay_ms: 150.0, ..Lock::default() };
        let contact = Lock { begin: LockBegin::Contact, ..fall.clone() };
        assert_eq!([fall.clone(), contact.clone()].map(|lock| lock_frame(lock, &[])), [69, 38]);
        let nudges = [(34, Buttons::LEFT), (36, Buttons::NONE), (38, Buttons::RIGHT), (40, Buttons::NONE)];
        let moved = Lock { resets: vec![Fall, Move], ..contact.clone() };
        assert_eq!(lock_frame(contact.clone(), &nudges), 38);
        assert_eq!(lock_frame(moved.clone(), &nudges), 46);
        assert_eq!(lock_frame(Lock { resets_max: Some(1), ..moved.clone() }, &nudges), 42);
        let turned = Lock { resets: vec![Fall, Turn], ..contact.clone() };
        let turn = [(34, Buttons::UP)];
        assert_eq!([moved, turned].map(|lock| lock_frame(lock, &turn)), [38, 42]);
        let down = [(35, Buttons::DOWN)];
        assert_eq!(lock_frame(contact.clone(), &down), 35);
        assert_eq!(lock_frame(Lock { by_down: false, ..contact }, &down), 38);
        assert_eq!(lock_frame(Lock { by_down: false, ..fall }, &down), 69);
    }

    #[test]
    fn frames_in_which_nothing_happens_can_be_left_out_whatever_the_lock() {
        for begin in [LockBegin::Fall, LockBegin::Contact] {
            let lock = Lock { delay_ms: 150.0, begin, ..Lock::default() };
            let pose = Pose { x: 4, y: 10, orientation: Orientation::spawn(Piece::T) };
            let board = Board::default();
            let mut stepped = SimpleFaller::new(Arc::new(SimpleRules { lock, ..rules() }), pose, 0);
            let mut leaping = stepped.clone();
            let frames = (1..2000).find(|_| stepped.frame(&board, Buttons::NONE)).unwrap();
            let mut leapt = 0;
            loop {
                let idle = leaping.idle_frames();
                leaping.idle(idle);
                leapt += idle + 1;
                if leaping.frame(&board, Buttons::NONE) {
                    break;
                }
            }
            assert_eq!(leapt, frames, "{begin:?}");
        }
    }

    #[test]
    fn pieces_that_fall_several_rows_a_frame_do_so_whatever_the_lock() {
        for (row_ms, rows) in
            [(40.0, [0, 0, 1, 1, 2]), (7.0, [2, 4, 7, 9, 11]), (5.0, [3, 6, 10, 13, 16]), (0.0, [18; 5])]
        {
            for begin in [LockBegin::Fall, LockBegin::Contact] {
                let lock = Lock { delay_ms: 500.0, begin, ..Lock::default() };
                let rules = SimpleRules { lock, row_ms: vec![row_ms], ..rules() };
                let fallen = [1, 2, 3, 4, 5].map(|frames| place(rules.clone(), &[], frames).0);
                assert_eq!(fallen, rows, "{row_ms} ms a row, {begin:?}");
            }
        }
    }

    /// The row and column after so many frames, with these keys held from these frames on; a T from row 0, a row in 30 frames.
    fn place(rules: SimpleRules, keys: &[(usize, Buttons)], frames: usize) -> (i8, i8, Orientation) {
        let pose = Pose { x: 4, y: 0, orientation: Orientation::spawn(Piece::T) };
        let mut faller = SimpleFaller::new(Arc::new(rules), pose, 0);
        for frame in 1..=frames {
            let held = keys.iter().rev().find(|k| k.0 <= frame).map_or(Buttons::NONE, |k| k.1);
            assert!(!faller.frame(&Board::default(), held));
        }
        (faller.pose.y, faller.pose.x, faller.pose.orientation)
    }

    #[test]
    fn the_wait_for_a_row_begins_anew_with_the_keys_that_the_game_says() {
        let moved = [(20, Buttons::LEFT), (21, Buttons::NONE)];
        let lowered = [(20, Buttons::DOWN), (21, Buttons::NONE)];
        let row = |restart_fall, keys, frames| place(SimpleRules { restart_fall, ..rules() }, keys, frames).0;
        for (restart, at_30_moved, at_30_lowered) in
            [(RestartFall::Never, 1, 2), (RestartFall::Down, 1, 1), (RestartFall::AnyKey, 0, 1)]
        {
            let rows = [row(restart, &moved, 30), row(restart, &lowered, 30)];
            assert_eq!(rows, [at_30_moved, at_30_lowered], "{restart:?}");
        }
        // It is put off, not called off.
        let any_key = |frames| row(RestartFall::AnyKey, &moved, frames);
        assert_eq!([any_key(48), any_key(49)], [0, 1]);
    }

    /// As tetris-tui was seen to do at level 10: a row by itself between two taps that are 67 ms apart, at 64 ms a row, but not at 94.
    #[test]
    fn a_piece_also_falls_by_itself_between_taps_that_are_further_apart_than_a_row_takes() {
        let taps = [2, 6, 10].map(|frame| [(frame, Buttons::DOWN), (frame + 2, Buttons::NONE)]).concat();
        let lock = Lock { delay_ms: 500.0, begin: LockBegin::Contact, ..Lock::default() };
        let rules = SimpleRules { lock, drop_guard_ms: 0.0, ..rules() };
        let rows = |ms| place(SimpleRules { row_ms: vec![ms], ..rules.clone() }, &taps, 10).0;
        assert_eq!([64.0, 94.0].map(rows), [5, 3]);
    }

    #[test]
    fn of_keys_in_the_same_moment_all_count_or_one() {
        let both = [(1, Buttons::LEFT | Buttons::UP), (2, Buttons::NONE)];
        let after = |chords| place(SimpleRules { chords, ..rules() }, &both, 3);
        let turned = Orientation::spawn(Piece::T).rotated_to(crate::game::Rotation::Left);
        assert_eq!(after(true), (0, 3, turned));
        assert_eq!(after(false), (0, 3, Orientation::spawn(Piece::T)));
    }

    #[test]
    fn held_down_hurries_a_piece_by_so_many_times_and_a_tap_of_it_is_no_row() {
        for begin in [LockBegin::Fall, LockBegin::Contact] {
            let lock = Lock { delay_ms: 500.0, begin, ..Lock::default() };
            let rules = |times| SimpleRules { soft_drop: SoftDrop::Held(times), lock: lock.clone(), ..rules() };
            // A row takes 30 frames by itself: 29 of them have passed when it is pressed.
            let tapped = [(1, Buttons::DOWN), (2, Buttons::NONE)];
            assert_eq!([1, 11, 30].map(|frames| place(rules(20.0), &tapped, frames).0), [0, 1, 1]);
            let held = [(1, Buttons::DOWN)];
            assert_eq!([1, 2, 3, 4, 5, 6].map(|frames| place(rules(20.0), &held, frames).0), [0, 1, 2, 2, 3, 4]);
            assert_eq!([1, 2, 3].map(|frames| place(rules(60.0), &held, frames).0), [2, 4, 6]);
            let late = [(30, Buttons::DOWN), (31, Buttons::NONE)];
            assert_eq!(place(rules(20.0), &late, 30).0, 1);
        }
    }

    #[test]
    fn half_a_turn_takes_one_key_and_is_not_kicked() {
        let rules = SimpleRules { half_turn: Some(Buttons::B), ..rules() };
        let (row, column, orientation) = place(rules, &[(1, Buttons::B), (2, Buttons::NONE)], 3);
        let half = Orientation::spawn(Piece::T).rotation().turned(true).turned(true);
        assert_eq!((row, column, orientation.rotation()), (0, 4, half));
    }

    #[test]
    fn a_turn_needs_room_above_the_field() {
        let turn = [(1, Buttons::UP), (2, Buttons::NONE)];
        let is_turned =
            |hidden_rows| place(SimpleRules { hidden_rows, ..rules() }, &turn, 3).2 != Orientation::spawn(Piece::T);
        assert_eq!([0, 1, 2].map(is_turned), [false, true, true]);
    }

    #[test]
    fn a_row_need_not_take_whole_frames() {
        for (row_ms, frames) in
            [(72.0, 18.0 * 72.0 * 0.06), (100.0, 18.0 * 6.0), (17.5, 18.0 * 1.05), (13.0, 18.0 * 0.78)]
        {
            let pose = Pose { x: 4, y: 0, orientation: Orientation::spawn(Piece::T) };
            let mut faller = SimpleFaller::new(Arc::new(SimpleRules { row_ms: vec![row_ms], ..rules() }), pose, 0);
            let bottom = (1..2000).find(|_| {
                faller.frame(&Board::default(), Buttons::NONE);
                faller.pose.y == 18
            });
            assert_eq!(bottom, Some(f64::ceil(frames - 1e-9) as usize), "{row_ms} ms a row");
        }
    }

    #[test]
    fn down_on_a_resting_piece_locks_it() {
        let drop = [(1, Buttons::LEFT), (2, Buttons::NONE)];
        let downs = (0..20).flat_map(|i| [(10 + 4 * i, Buttons::DOWN), (12 + 4 * i, Buttons::NONE)]);
        let keys: Vec<_> = drop.into_iter().chain(downs).collect();
        assert!(play(Piece::T, &keys).0 < 10 + 4 * 20);
    }

    #[test]
    fn upright_pieces_stand_left_in_a_left_handed_game() {
        let (_, pose) = play(Piece::I, &[(1, Buttons::UP), (2, Buttons::NONE), (3, Buttons::A)]);
        assert_eq!(pose.x, 3);
    }
}
