//! What single taps can do: a direction, a turn, or both in one press, held for the hand's press and never longer.

use super::Hand;
use super::field::{Field, Rows, turned};
use super::hand::{MAX_PERIOD, MAX_PRESS};
use crate::game::Board;
use crate::game::Buttons;
use crate::game::Control;
use crate::game::Pace;
use crate::game::orientation::Pose;

/// The poses in which taps can lock a piece, with the ways there on demand.
///
/// Whatever is held at the start is let go first; the first tap may then come after the hand's gap, or at once if nothing was held.
#[derive(Debug, Clone)]
pub struct Taps {
    pub(super) field: Field,
    pub(super) locked: Rows,
    pub(super) start: Control,
    pub(super) pace: Pace,
    pub(super) hand: Hand,
}

/// What taps can do with one piece on many boards: as far down as a board leaves it the same places as another, the same.
#[derive(Debug, Clone)]
pub struct TapDescent {
    /// That other board.
    board: Board,
    /// On it.
    known: Taps,
    /// What the hand is at the beginning of each row, from the first on.
    rows: Vec<Words>,
}

impl TapDescent {
    /// For boards much like this one, and a piece that is in the state `start` before the next frame.
    pub fn of(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let field = Field::of(board, start.pose.orientation);
        let (mut known, mut rows) = (Taps { field, locked: [0; _], start: *start, pace, hand }, Vec::new());
        known.fall(None, |_, words| rows.push(*words));
        Self { board: *board, known, rows }
    }

    /// Equal to [`Taps::reach`] on this board.
    #[inline(always)]
    pub fn reach(&self, board: &Board) -> Taps {
        let mut taps = self.known.clone();
        taps.field.refit(board, &self.board);
        let shared = taps.field.shared_rows(&self.known.field, &taps.start, self.rows.len());
        let from = shared.and_then(|(first, count)| Some((first + count - 1, self.rows.get(count - 1)?)));
        taps.locked[from.map_or(0, |(row, _)| row)..].fill(0);
        taps.fall(from, |_, _| {});
        taps
    }
}

/// The hand over all poses at once.
#[derive(Debug, Clone, Copy)]
struct Words {
    /// A tap may begin.
    free: u64,
    /// Frames that the piece spends in the row.
    frames: usize,
    /// Rows that it has fallen at once to get there, but for the first.
    rows: u8,
    /// The frame modulo the period.
    slot: usize,
    /// By the slot in which a tap may begin again.
    waiting: [u64; MAX_PERIOD as usize],
    /// By frames since the press: left is held and has not moved the piece yet.
    left: [u64; MAX_PRESS as usize],
    /// The same for right.
    right: [u64; MAX_PRESS as usize],
}

impl Taps {
    /// What taps can do with a piece that is in the state `start` before the next frame. Nothing if it cannot be there.
    pub fn reach(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let field = Field::of(board, start.pose.orientation);
        let mut taps = Self { field, locked: [0; _], start: *start, pace, hand };
        taps.fall(None, |_, _| {});
        taps
    }

    /// From the start, or from what the hand is at the beginning of a later row; shows `begin` each row and how it begins.
    fn fall(&mut self, from: Option<(usize, &Words)>, begin: impl FnMut(usize, &Words)) {
        // The common hands get loops of known lengths.
        match (self.hand.press(), self.hand.gap()) {
            (1, 1) => self.run(1, 2, from, begin, |_| {}),
            (2, 1) => self.run(2, 3, from, begin, |_| {}),
            (2, 2) => self.run(2, 4, from, begin, |_| {}),
            (press, gap) => self.run(press, press + gap, from, begin, |_| {}),
        }
    }

    /// Every pose in which the piece can lock, each once, with the number of frames until then (1 = in the next frame).
    pub fn locks(&self) -> impl Iterator<Item = (Pose, usize)> + '_ {
        self.field.poses(&self.locked).map(|pose| (pose, self.frames_to_lock(pose)))
    }

    /// Every pose in which the piece can lock, each once.
    pub fn poses(&self) -> impl Iterator<Item = Pose> + '_ {
        self.field.poses(&self.locked)
    }

    pub(super) fn frames_to_lock(&self, pose: Pose) -> usize {
        let falls = (pose.y - self.start.pose.y).max(0) as usize / usize::from(self.pace.rows_at_once).max(1);
        self.pace.first_fall(&self.start) + falls * usize::from(self.pace.frames_per_row)
    }
}

impl Taps {
    /// The poses that are free to tap in each frame.
    pub(super) fn free_by_frame(&self) -> Vec<u64> {
        let (mut free, mut again) = (Vec::new(), self.clone());
        again.run(self.hand.press(), self.hand.period(), None, |_, _| {}, |word| free.push(word));
        free
    }

    /// Plays all taps, and shows `see` the poses that are free to tap in each frame.
    #[inline(always)]
    fn run(
        &mut self,
        press: usize,
        period: usize,
        from: Option<(usize, &Words)>,
        mut begin: impl FnMut(usize, &Words),
        mut see: impl FnMut(u64),
    ) {
        let Some((first_row, word)) = self.field.start(&self.start) else { return };
        let (first_row, mut words) = match from.filter(|&(row, _)| row > first_row) {
            Some((row, begun)) => (row, *begun),
            None => {
                let words = Words::new(word, self.start.held != Buttons::NONE, period - press);
                (first_row, Words { frames: self.pace.first_fall(&self.start), ..words })
            }
        };
        for row in first_row..self.locked.len() {
            begin(row, &words);
            words.row(self.field.fits[row], press, period, &mut see);
            let (all, below) = (words.all(press, period), self.field.fits[row + 1]);
            self.locked[row] = all & !below;
            if all & below == 0 {
                return;
            }
            words.keep(below, press, period);
            // Of rows that it falls at once it only passes all but the last.
            words.rows = if words.rows + 1 < self.pace.rows_at_once { words.rows + 1 } else { 0 };
            words.frames = if words.rows == 0 { usize::from(self.pace.frames_per_row) } else { 0 };
        }
    }
}

impl Words {
    fn new(start: u64, held: bool, gap: usize) -> Self {
        let none = Self { free: 0, frames: 0, rows: 0, slot: 0, waiting: [0; _], left: [0; _], right: [0; _] };
        if !held {
            return Self { free: start, ..none };
        }
        let mut waiting = none.waiting;
        waiting[gap] = start;
        Self { waiting, ..none }
    }

    /// All frames that the piece spends in a row.
    #[inline(always)]
    fn row(&mut self, here: u64, press: usize, period: usize, see: &mut impl FnMut(u64)) {
        let (mut left, mut still) = (self.frames, 0);
        while left > 0 {
            let before = self.free;
            self.frame(here, press, period);
            see(self.free);
            left -= 1;
            // Slow levels: once every tap that began in this row has changed nothing, none ever will.
            still = if self.free == before { still + 1 } else { 0 };
            if still > period {
                let skipped = left - left % period;
                (0..skipped).for_each(|_| see(self.free));
                left -= skipped;
                still = 0;
            }
        }
    }

    #[inline(always)]
    fn frame(&mut self, here: u64, press: usize, period: usize) {
        self.free |= self.waiting[self.slot];
        // A held direction is tried again in every frame after it was blocked ("wall charge").
        for age in (1..press).rev() {
            let (left, right) = (self.left[age], self.right[age]);
            let pressed = if self.slot >= age { self.slot - age } else { self.slot + period - age };
            self.waiting[pressed] |= (left >> 1 | right << 1) & here;
            if age + 1 < press {
                self.left[age + 1] = left & !(here << 1);
                self.right[age + 1] = right & !(here >> 1);
            }
        }
        let moved = (self.free >> 1 | self.free << 1) & here;
        self.waiting[self.slot] = moved | turned(self.free | moved) & here;
        if press > 1 {
            let (left, right) = (self.free & !(here << 1), self.free & !(here >> 1));
            self.left[1] = left | turned(left) & here;
            self.right[1] = right | turned(right) & here;
        }
        self.slot = if self.slot + 1 == period { 0 } else { self.slot + 1 };
    }

    /// Where the piece may be, whatever the hand does.
    #[inline(always)]
    fn all(&self, press: usize, period: usize) -> u64 {
        let held = self.left[1..press].iter().chain(&self.right[1..press]);
        self.waiting[..period].iter().chain(held).fold(self.free, |all, word| all | word)
    }

    /// Leaves only these poses.
    #[inline(always)]
    fn keep(&mut self, poses: u64, press: usize, period: usize) {
        self.free &= poses;
        let held = self.left[1..press].iter_mut().chain(&mut self.right[1..press]);
        self.waiting[..period].iter_mut().chain(held).for_each(|word| *word &= poses);
    }
}
