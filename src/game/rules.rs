//! What a game does with a falling piece, frame by frame: the NES to the letter, and the simpler games of PCs by a
//! handful of parameters. Belief predicts with it, the planner checks its presses against it.

use super::lock::{Lock, LockBegin, Rest, Stirred};
use super::nes::Control;
use super::nes::control::frames_per_row;
use super::nes::entry::{CLEAR_FRAMES, CLEAR_STEP, entry_frames};
use super::nes::region::Region;
use super::orientation::Pose;
use super::pace::Pace;
use super::standard::actual_level;
use super::{Board, Counters, Piece, RotationSystem};
use crate::game::Buttons;
use serde::Deserialize;
use std::sync::Arc;

/// NTSC console frames a second: 39,375,000 / 655,171.
pub const NES_FRAMES_PER_S: f64 = 39_375_000.0 / 655_171.0;
/// Rate at which the simpler games are stepped here; it only has to be finer than a tap.
const SIMPLE_FRAMES_PER_S: f64 = 60.0;

/// Holding Down, a piece falls a row every second frame. $894E.
const SOFT_DROP_FRAMES: u8 = 2;

/// One step of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A column to the left.
    Left,
    /// A column to the right.
    Right,
    /// A clockwise turn.
    Clockwise,
    /// A counter-clockwise turn.
    CounterClockwise,
    /// A row down.
    Down,
}

impl Move {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Left, Self::Right, Self::Clockwise, Self::CounterClockwise, Self::Down];

    /// The pose it leads to if nothing is in its way, whether or not something is.
    pub fn apply(self, pose: Pose, rotation: &RotationSystem) -> Pose {
        match self {
            Self::Left => pose.moved(-1, 0),
            Self::Right => pose.moved(1, 0),
            Self::Clockwise => rotation.turned(pose, true),
            Self::CounterClockwise => rotation.turned(pose, false),
            Self::Down => pose.moved(0, 1),
        }
    }

    /// The pose it leads to on a board; `None` if the piece stays where it is.
    pub fn applied_on(self, board: &Board, pose: Pose, rotation: &RotationSystem) -> Option<Pose> {
        let moved = match self {
            Self::Clockwise => rotation.turned_on(board, pose, true),
            Self::CounterClockwise => rotation.turned_on(board, pose, false),
            Self::Left | Self::Right | Self::Down => Some(self.apply(pose, rotation)).filter(|moved| moved.fits(board)),
        };
        moved.filter(|moved| *moved != pose)
    }
}

/// A game's rules for the falling piece.
#[derive(Debug, Clone, PartialEq)]
pub enum Rules {
    /// The NES, NTSC.
    Nes,
    /// A game without auto-repeat worth using, described by parameters.
    Simple(Arc<SimpleRules>),
}

/// How full rows delay the next piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearDelay {
    /// By how many frames more than [`Rules::entry_frames`].
    pub frames: std::ops::RangeInclusive<u32>,
    /// Where the delay falls in that range the game's own frame counter decides: pieces that follow full rows appear on
    /// frames that are a multiple of this apart.
    pub step: u32,
}

/// A game in which every tap moves once, gravity is even, and a piece locks some time after it cannot fall.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleRules {
    /// Milliseconds a row by level; the last entry holds for all higher levels.
    pub row_ms: Vec<f64>,
    /// Key of a clockwise turn, if there is one.
    pub clockwise: Option<Buttons>,
    /// Key of a counter-clockwise turn, if there is one.
    pub counter_clockwise: Option<Buttons>,
    /// Key that drops and locks at once, if there is one.
    pub hard_drop: Option<Buttons>,
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
    /// A tap of Down is a row. Without it Down does nothing.
    pub soft_drop: bool,
    /// The drop key locks the piece. Without it the piece locks when it would have fallen next, and can be moved until then.
    pub drop_locks: bool,
    /// Which keys make the wait for the next row begin anew.
    pub restart_fall: RestartFall,
    /// Keys that are pressed in the same moment all count. Without it one of them does.
    pub chords: bool,
    /// What lines count for.
    pub counting: Counting,
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
}

impl Rules {
    /// How long one of the model's frames lasts, ms.
    pub fn frame_ms(&self) -> f64 {
        match self {
            Self::Nes => 1000.0 / NES_FRAMES_PER_S,
            Self::Simple(_) => 1000.0 / SIMPLE_FRAMES_PER_S,
        }
    }

    /// How long a piece stays in a row when nothing is pressed, ms.
    pub fn row_ms(&self, level: u8) -> f64 {
        match self {
            Self::Nes => f64::from(frames_per_row(level)) * self.frame_ms(),
            Self::Simple(rules) => rules.row_ms_at(level),
        }
    }

    /// How long it stays in a row at least, ms, Down held or not.
    pub fn hurried_row_ms(&self, level: u8) -> f64 {
        match self {
            Self::Nes => f64::from(frames_per_row(level).min(SOFT_DROP_FRAMES)) * self.frame_ms(),
            // How fast taps of Down may follow each other is the finger's matter.
            Self::Simple(_) => self.row_ms(level),
        }
    }

    /// From the frame of a lock at this row (the piece's centre) that fills no row to the frame in which the next piece
    /// appears; `None` where that is not known to the frame, as is gravity then.
    pub fn entry_frames(&self, row: i8) -> Option<u32> {
        match self {
            Self::Nes => Some(entry_frames(row)),
            Self::Simple(_) => None,
        }
    }

    /// How full rows delay the next piece; `None` where that is not known.
    pub fn clear_delay(&self) -> Option<ClearDelay> {
        match self {
            Self::Nes => Some(ClearDelay { frames: CLEAR_FRAMES, step: CLEAR_STEP }),
            Self::Simple(_) => None,
        }
    }

    /// What a level means for a falling piece; `None` where that is not known to the frame.
    pub fn pace(&self, level: u8) -> Option<Pace> {
        match self {
            Self::Nes => Some(Pace::of(Region::Ntsc, level)),
            Self::Simple(_) => None,
        }
    }

    /// After how many frames of holding a direction it repeats, and after how many again; `None` where that is not known.
    pub fn auto_shift(&self) -> Option<(u32, u32)> {
        match self {
            Self::Nes => {
                let pace = Pace::of(Region::Ntsc, 0);
                Some((pace.auto_shift.into(), pace.repeat_frames().into()))
            }
            Self::Simple(_) => None,
        }
    }

    /// The counters after a lock that cleared this many rows, without what a soft drop or an early landing is worth.
    pub fn counted(&self, mut counters: Counters, lines: usize) -> Counters {
        match self.counting() {
            Counting::Nes => counters.lock(lines, 0),
            Counting::Standard => {
                counters.lines += lines as u32;
                counters.level = actual_level(counters.level, counters.lines);
            }
        }
        counters
    }

    fn counting(&self) -> Counting {
        match self {
            Self::Nes => Counting::Nes,
            Self::Simple(rules) => rules.counting,
        }
    }

    /// Where a step leads on a board, whether or not the game has a button for it; `None` if the piece stays where it is.
    pub fn stepped(&self, board: &Board, pose: Pose, step: Move) -> Option<Pose> {
        let is_allowed = |moved: &Pose| match self {
            Self::Nes => true,
            Self::Simple(rules) => moved.rows_above() <= rules.hidden_rows,
        };
        step.applied_on(board, pose, self.rotation()).filter(is_allowed)
    }

    /// The probability of each piece, in the order of [`Piece::ALL`], to follow this one.
    pub fn followers(&self, piece: Piece) -> [f64; 7] {
        match self {
            Self::Nes => super::nes::random::FOLLOWERS[piece.index()].map(|share| f64::from(share) / 32.0),
            Self::Simple(_) => [1.0 / 7.0; 7],
        }
    }

    /// How long the first piece of a game may hang before it falls, ms.
    pub fn first_piece_ms(&self) -> f64 {
        match self {
            Self::Nes => f64::from(Region::Ntsc.first_piece_frames()) * self.frame_ms(),
            Self::Simple(_) => 0.0,
        }
    }

    /// Whether the game has a button for this move.
    pub fn can(&self, step: Move) -> bool {
        self.button(step) != Buttons::NONE
    }

    /// The button of a move; none if the game has none.
    pub fn button(&self, step: Move) -> Buttons {
        match (step, self) {
            (Move::Left, _) => Buttons::LEFT,
            (Move::Right, _) => Buttons::RIGHT,
            (Move::Down, Self::Simple(r)) if !r.soft_drop => Buttons::NONE,
            (Move::Down, _) => Buttons::DOWN,
            (Move::Clockwise, Self::Nes) => Buttons::A,
            (Move::CounterClockwise, Self::Nes) => Buttons::B,
            (Move::Clockwise, Self::Simple(r)) => r.clockwise.unwrap_or_default(),
            (Move::CounterClockwise, Self::Simple(r)) => r.counter_clockwise.unwrap_or_default(),
        }
    }

    /// All buttons that are needed to play.
    pub fn buttons(&self) -> Buttons {
        let keys = Move::ALL.into_iter().map(|step| self.button(step)).chain(self.hard_drop());
        keys.fold(Buttons::NONE, |all, key| all | key)
    }

    /// Whether keys that are pressed in the same moment all count.
    pub fn has_chords(&self) -> bool {
        match self {
            Self::Nes => true,
            Self::Simple(rules) => rules.chords,
        }
    }

    /// How pieces turn.
    pub fn rotation(&self) -> &RotationSystem {
        match self {
            Self::Nes => Control::rotation(),
            Self::Simple(rules) => &rules.rotation,
        }
    }

    /// How long a piece that was not moved yet cannot be dropped, ms.
    pub fn drop_guard_ms(&self) -> f64 {
        match self {
            Self::Nes => 0.0,
            Self::Simple(rules) => rules.drop_guard_ms,
        }
    }

    /// A key that turns, and the pose it leads to from `pose` if nothing is in its way, whether or not something is.
    pub fn turn(&self, pose: Pose) -> Option<(Buttons, Pose)> {
        let step = [Move::Clockwise, Move::CounterClockwise].into_iter().find(|&step| self.can(step))?;
        Some((self.button(step), step.apply(pose, self.rotation())))
    }

    /// Whether it is known what Down does when it is held; elsewhere only taps of it count, a row each.
    pub fn soft_drops(&self) -> bool {
        match self {
            Self::Nes => true,
            Self::Simple(_) => false,
        }
    }

    /// The key that drops and locks a piece at once, if the game has one.
    pub fn hard_drop(&self) -> Option<Buttons> {
        match self {
            Self::Simple(rules) => rules.hard_drop,
            Self::Nes => None,
        }
    }

    /// A piece that has just appeared at `pose`; `first` if it is the first of a game.
    pub fn spawn(&self, piece: Piece, pose: Pose, level: u8, first: bool) -> Faller {
        match self {
            Self::Nes => {
                let spawned = match first {
                    true => Control::first(piece, Buttons::NONE),
                    false => Control::spawn(piece, 0, Buttons::NONE),
                };
                Faller::Nes(Control { pose, ..spawned }, level)
            }
            Self::Simple(rules) => Faller::Simple(SimpleFaller {
                rules: rules.clone(),
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
            }),
        }
    }
}

impl SimpleRules {
    fn row_ms_at(&self, level: u8) -> f64 {
        let last = self.row_ms.len().saturating_sub(1);
        self.row_ms.get((level as usize).min(last)).copied().unwrap_or(1000.0)
    }
}

/// A falling piece under some rules.
#[derive(Debug, Clone, PartialEq)]
pub enum Faller {
    /// On the NES, at a level.
    Nes(Control, u8),
    /// In a simpler game.
    Simple(SimpleFaller),
}

/// A falling piece of a [`SimpleRules`] game.
#[derive(Debug, Clone, PartialEq)]
pub struct SimpleFaller {
    rules: Arc<SimpleRules>,
    pose: Pose,
    spawn: Pose,
    level: u8,
    /// How long the drop key is still guarded.
    guard_frames: f64,
    row_frames: f64,
    waited_frames: f64,
    /// How long the piece has waited for its lock, if it has.
    rest: Option<Rest>,
    held: Buttons,
}

impl Faller {
    /// One frame with these buttons held; whether the piece locked.
    pub fn frame(&mut self, board: &Board, held: Buttons) -> bool {
        match self {
            Self::Nes(control, level) => control.frame(board, *level, held),
            Self::Simple(faller) => faller.frame(board, held),
        }
    }

    /// The same piece with a direction's auto-shift charged, as if that had been held for long; `None` where a held direction
    /// does not repeat.
    pub fn charged(&self) -> Option<Self> {
        match self {
            Self::Nes(control, level) => {
                Some(Self::Nes(Control { autorepeat_x: Pace::of(Region::Ntsc, *level).auto_shift, ..*control }, *level))
            }
            Self::Simple(_) => None,
        }
    }

    /// From now on it falls by these rules of several that a game may follow. (They are all of one kind.)
    pub fn follow(&mut self, rules: &Rules) {
        if let (Self::Simple(faller), Rules::Simple(rules)) = (self, rules) {
            faller.rules = rules.clone();
        }
    }

    /// The frames from the next one on in which nothing happens to the piece if the same buttons stay held.
    pub fn idle_frames(&self) -> usize {
        match self {
            Self::Nes(control, level) => control.idle_frames(Region::Ntsc, *level).into(),
            Self::Simple(faller) => faller.idle_frames(),
        }
    }

    /// Lets this many of the [`Self::idle_frames`] pass.
    pub fn idle(&mut self, frames: usize) {
        match self {
            Self::Nes(control, _) => control.idle(frames as u8),
            Self::Simple(faller) => faller.idle(frames),
        }
    }

    /// Whether holding Down makes it fall faster than it does by itself.
    pub fn can_hurry(&self) -> bool {
        match self {
            Self::Nes(_, level) => frames_per_row(*level) > SOFT_DROP_FRAMES,
            Self::Simple(_) => true,
        }
    }

    /// Whether taps of Down that are this many frames apart make it fall faster than it does by itself.
    pub fn is_hurried_by_taps(&self, tap_frames: f64) -> bool {
        match self {
            Self::Nes(..) => self.can_hurry(),
            Self::Simple(faller) => faller.row_frames > tap_frames,
        }
    }

    /// These buttons were held already when the piece appeared: they are not newly pressed.
    pub fn hold(&mut self, held: Buttons) {
        match self {
            Self::Nes(control, _) => control.held = held,
            Self::Simple(faller) => faller.held = held,
        }
    }

    /// The piece's state in a game that is known to the frame.
    pub fn control(&self) -> Option<&Control> {
        match self {
            Self::Nes(control, _) => Some(control),
            Self::Simple(_) => None,
        }
    }

    /// The level at which it falls.
    pub fn level(&self) -> u8 {
        match self {
            Self::Nes(_, level) => *level,
            Self::Simple(faller) => faller.level,
        }
    }

    /// Where the piece is.
    pub fn pose(&self) -> Pose {
        match self {
            Self::Nes(control, _) => control.pose,
            Self::Simple(faller) => faller.pose,
        }
    }
}

impl SimpleFaller {
    fn frame(&mut self, board: &Board, held: Buttons) -> bool {
        let SimpleRules { clockwise, counter_clockwise, hard_drop, hidden_rows, soft_drop, drop_locks, chords, .. } =
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
        let down = soft_drop && !guarded && pressed.intersects(Buttons::DOWN);
        match self.rules.lock.begin {
            LockBegin::Fall => self.fall(board, down, stirred),
            LockBegin::Contact => self.fall_into_contact(board, down, stirred),
        }
    }

    fn idle_frames(&self) -> usize {
        match self.rest {
            None => ((self.row_frames - self.waited_frames).ceil() as usize).saturating_sub(1),
            Some(_) => 0,
        }
    }

    fn idle(&mut self, frames: usize) {
        self.guard_frames -= frames as f64;
        self.waited_frames += frames as f64;
    }

    /// Gravity, a tap of Down, and a lock whose delay begins when the piece would have fallen.
    fn fall(&mut self, board: &Board, down: bool, stirred: Stirred) -> bool {
        let lock = &self.rules.lock;
        let delay_frames = frames(lock.delay_ms);
        let below = self.pose.moved(0, 1);
        let can_fall = below.fits(board);
        if let Some(rest) = &mut self.rest {
            if !can_fall {
                let is_over = rest.pass(lock, stirred, delay_frames);
                return is_over || down && lock.by_down;
            }
            // Moved off what it stood on: it falls at once.
            self.rest = None;
            self.waited_frames = self.row_frames;
        }
        self.waited_frames += 1.0;
        let due = self.waited_frames >= self.row_frames;
        if !due && !down {
            return false;
        }
        if due {
            self.waited_frames = 0.0;
        }
        if can_fall {
            self.pose = below;
            if down && self.rules.restart_fall == RestartFall::Down {
                self.waited_frames = 0.0;
            }
        } else if down && lock.by_down {
            return true;
        } else if due {
            self.rest = Some(Rest::default());
            return delay_frames == 0.0;
        }
        false
    }

    /// The same with a delay that begins as the piece touches what is below it; gravity begins anew then, too.
    fn fall_into_contact(&mut self, board: &Board, down: bool, stirred: Stirred) -> bool {
        let lock = &self.rules.lock;
        let below = self.pose.moved(0, 1);
        let could_fall = below.fits(board);
        if could_fall {
            self.waited_frames += 1.0;
            if down || self.waited_frames >= self.row_frames {
                self.pose = below;
                self.waited_frames = 0.0;
                self.rest.iter_mut().for_each(|rest| rest.fell(lock));
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

fn frames(ms: f64) -> f64 {
    ms * SIMPLE_FRAMES_PER_S / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Handedness, Orientation};
    use crate::profile::layout::Layout;

    fn rules() -> SimpleRules {
        SimpleRules {
            row_ms: vec![500.0],
            clockwise: Some(Buttons::UP),
            counter_clockwise: None,
            hard_drop: Some(Buttons::A),
            rotation: RotationSystem::classic(Handedness::Left).clone(),
            drop_guard_ms: 100.0,
            lock: Lock { delay_ms: 150.0, ..Lock::default() },
            hidden_rows: 2,
            restart_fall: RestartFall::Never,
            chords: true,
            soft_drop: true,
            drop_locks: true,
            counting: Counting::Nes,
        }
    }

    /// The frame of the lock (from 1) and its pose, with these keys held from these frames on.
    fn play(piece: Piece, keys: &[(usize, Buttons)]) -> (usize, Pose) {
        let rules = Rules::Simple(Arc::new(rules()));
        let pose = Pose { x: 4, y: 0, orientation: Orientation::spawn(piece) };
        let mut faller = rules.spawn(piece, pose, 0, false);
        for frame in 1..2000 {
            let held = keys.iter().rev().find(|k| k.0 <= frame).map_or(Buttons::NONE, |k| k.1);
            if faller.frame(&Board::default(), held) {
                return (frame, faller.pose());
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
        let rules = Rules::Simple(Arc::new(SimpleRules { lock, ..rules() }));
        let pose = Pose { x: 4, y: 17, orientation: Orientation::spawn(Piece::T) };
        let mut faller = rules.spawn(Piece::T, pose, 0, false);
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
            let rules = Rules::Simple(Arc::new(SimpleRules { lock, ..rules() }));
            let pose = Pose { x: 4, y: 10, orientation: Orientation::spawn(Piece::T) };
            let board = Board::default();
            let mut stepped = rules.spawn(Piece::T, pose, 0, false);
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

    /// What Standard Tetris does with a piece, and what is predicted of it, key by key.
    #[test]
    fn standard_tetris_is_predicted_to_the_key() {
        use crate::game::standard::{self, Game, Settings, request_of};
        let rules = Layout::load("standard").unwrap().game_rules();
        let mut dice = 7u64;
        let mut draw = |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % below
        };
        let keys = [Buttons::LEFT, Buttons::RIGHT, Buttons::UP, Buttons::DOWN, Buttons::A, Buttons::NONE];
        let (mut locked, mut moved) = (0, 0);
        for level in standard::LEVELS {
            let mut game =
                Game::new(standard::SIZE, Settings { initial_level: level, ..Settings::default() }, level.into())
                    .unwrap();
            // A pile of some height, so that pieces meet it in every way.
            (0..level).for_each(|_| game.insert_junk_row().unwrap());
            let frames = f64::from(standard::iteration_ms(level)) / rules.frame_ms();
            while !game.is_over() && game.pieces() < 40 {
                let Some(standard::Event::Spawned(piece, _)) = game.iterate() else { continue };
                let board = *game.board();
                let mut faller = rules.spawn(piece, standard::spawn_pose(piece, 10), game.level(), false);
                for frame in 1.. {
                    // Drops are rare: pieces shall come to rest in other ways, too.
                    let kinds = if draw(8) == 0 { 5 } else { 4 };
                    let key = keys[draw(kinds) as usize];
                    let held = if frame % 2 == 0 { Buttons::NONE } else { key };
                    if let Some(request) = request_of(held) {
                        moved += u32::from(game.request(request));
                    }
                    let before = game.falling().unwrap();
                    let lands = faller.frame(&board, held);
                    let is_due = f64::from(frame) % frames.round() == 0.0;
                    let landed = if is_due { game.iterate() } else { None };
                    assert_eq!(lands, landed.is_some(), "{piece} at level {level}, frame {frame}");
                    assert_eq!(
                        faller.pose(),
                        game.falling().unwrap_or(before),
                        "{piece} at level {level}, frame {frame}"
                    );
                    if lands {
                        locked += 1;
                        break;
                    }
                }
            }
        }
        assert!(locked > 100 && moved > 1000, "{locked} pieces locked, {moved} requests were granted");
    }

    #[test]
    fn lines_of_standard_tetris_count_for_levels_alone() {
        let rules = Layout::load("standard").unwrap().game_rules();
        let counted = |lines, by| rules.counted(Counters { lines, level: 1, score: 0 }, by);
        // seed 004:661–663.
        assert_eq!(counted(8, 2), Counters { lines: 10, level: 1, score: 0 });
        assert_eq!(counted(10, 1), Counters { lines: 11, level: 2, score: 0 });
        let chosen = rules.counted(Counters::new(9), 4);
        assert_eq!(chosen, Counters { lines: 4, level: 9, score: 0 });
    }
}
