//! One account of the game that explains the pictures so far, and how much speaks against it.

use super::event::{Locked, Spawned};
use super::evidence::{Evidence, SURE_NATS};
use crate::game::{Board, Piece, Pose};
use crate::profile::layout::QUEUE_MAX;
use crate::time::HostTime;

/// A piece has so many cells.
const PIECE_CELLS: u32 = 4;

/// The falling piece of a story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Falling {
    /// Which.
    pub piece: Piece,
    /// Where it was last seen.
    pub pose: Pose,
    /// When it was first seen there.
    pub since: HostTime,
    /// Where the planner wants it.
    pub intended: Option<Pose>,
    /// Whether the last picture shows it there.
    pub is_seen: bool,
}

/// How a story came to its falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The piece before locked, as the rules have it.
    Lock,
    /// The piece before was put aside.
    Hold,
    /// Something went wrong, or nothing was known: the story begins with what the picture shows.
    Anew,
    /// As [`Self::Anew`], and the falling piece is still the same: only the pile is another.
    Pile,
}

/// What has happened in a story and has not been told yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// How it came.
    pub how: How,
    /// The piece that appeared.
    pub spawned: Spawned,
    /// The one that locked.
    pub locked: Option<Locked>,
}

/// Rows that have been cleared and may be seen to go, or those above them to come down, while the next piece falls already.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settling {
    /// Since when.
    pub since: HostTime,
    /// The highest row in which some of it may be seen.
    pub top: usize,
    /// The lowest row that was cleared.
    pub bottom: usize,
}

/// A possible state of the game, with what led to it since the last thing told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Story {
    /// The settled pile.
    pub pile: Board,
    /// The falling piece; `None` while nothing is known.
    pub falling: Option<Falling>,
    /// The piece that the next box promised.
    pub next: Option<Piece>,
    /// The boxes after it, as they were when it was promised.
    pub queue: [Option<Piece>; QUEUE_MAX],
    /// The piece that was put aside.
    pub held: Option<Piece>,
    /// The falling piece came by that, and cannot be put aside itself.
    pub by_hold: bool,
    /// The cells of which the rules say what they hold, and which were seen to hold it since.
    pub certain: Board,
    /// Those of which only the rules have said it yet.
    pub awaited: Board,
    /// The cells that show something else by now, though no piece can have brought it.
    pub disbelieved: Board,
    /// The rows that may be on their way.
    pub settling: Option<Settling>,
    /// What has not been told.
    pub turn: Option<Turn>,
    /// Whether enough of the piece has been seen to tell of it: some games let it come in from above.
    pub is_shown: bool,
    /// Everything that speaks against it, nats; only differences between stories count.
    pub cost: f32,
    /// What speaks against it in the last picture alone, nats.
    pub against: f32,
}

impl Story {
    /// Nothing is known of a field like this one.
    pub fn unknown(like: &Board) -> Self {
        let pile = Board::new(like.width(), like.height());
        Self {
            pile,
            falling: None,
            next: None,
            queue: [None; QUEUE_MAX],
            held: None,
            by_hold: false,
            certain: pile,
            awaited: pile,
            disbelieved: pile,
            settling: None,
            turn: None,
            is_shown: true,
            cost: 0.0,
            against: 0.0,
        }
    }

    /// The same story, as one that begins with this picture: the rules say that above its pile there is nothing. Of a field that is
    /// empty but for a few cells which do not tell, these are, too.
    #[must_use]
    pub fn beginning(mut self, evidence: &Evidence, piece: &[(i8, i8)]) -> Self {
        let is_empty = self.pile.count() == 0 && evidence.unknown_beside(piece) < self.pile.width();
        let above = if is_empty { &mut self.certain } else { &mut self.awaited };
        let rows = (0..self.pile.height()).take_while(|y| self.pile.row(*y) == 0);
        rows.for_each(|y| above.set_row(y, self.pile.full_row()));
        self
    }

    /// The cells that are certain, and those that are awaited, once the piece has locked here: its own, and all that the story has
    /// had for gaps while it fell. (Light that stays for so long makes blocks, but no gaps.)
    pub fn after_lock(&self, lock: Pose) -> [Board; 2] {
        let (mut full, mut certain, mut awaited) = (self.pile, self.certain, self.awaited);
        for y in 0..full.height() {
            awaited.set_row(y, awaited.row(y) | full.full_row() & !(full.row(y) | certain.row(y)));
        }
        lock.stamp(&mut full);
        lock.stamp(&mut awaited);
        (0..full.height()).for_each(|y| certain.set_row(y, certain.row(y) & !awaited.row(y)));
        let cleared: Vec<usize> = full.full_rows().collect();
        [certain.without_rows(&cleared, full.full_row()), awaited.without_rows(&cleared, 0)]
    }

    /// What a picture that the story explains makes certain.
    pub fn see(&mut self, evidence: &Evidence) {
        let awaited = self.awaited;
        for y in (0..awaited.height()).filter(|y| awaited.row(*y) != 0) {
            let seen = self.cells_like(y, evidence, true, SURE_NATS) & self.awaited.row(y);
            self.certain.set_row(y, self.certain.row(y) | seen);
            self.awaited.set_row(y, self.awaited.row(y) & !seen);
        }
    }

    /// Believes those cells again that show what they should.
    pub fn trust(&mut self, evidence: &Evidence) {
        let disbelieved = self.disbelieved;
        for y in (0..disbelieved.height()).filter(|y| disbelieved.row(*y) != 0) {
            self.disbelieved.set_row(y, disbelieved.row(y) & !self.cells_like(y, evidence, true, SURE_NATS));
        }
    }

    /// The cells that show something else than the pile and the falling piece, where the rules say that they cannot: not in the
    /// rows where pieces appear. `None` where others surely do, too, or there are as many of them as a piece has: it may have
    /// locked unseen.
    pub fn impossible(&self, evidence: &Evidence, spawn_rows: usize) -> Option<Board> {
        let mut piece = Board::new(self.pile.width(), self.pile.height());
        self.falling.into_iter().for_each(|falling| falling.pose.stamp(&mut piece));
        let mut cells = Board::new(self.pile.width(), self.pile.height());
        for y in 0..self.pile.height() {
            let open = !piece.row(y) & !self.disbelieved.row(y);
            let certain = if y < spawn_rows { 0 } else { self.certain.row(y) };
            let other = |least: f32| self.cells_like(y, evidence, false, least) & open;
            if other(SURE_NATS) & !certain != 0 {
                return None;
            }
            cells.set_row(y, other(0.0) & certain);
        }
        (1..PIECE_CELLS).contains(&cells.count()).then_some(cells)
    }

    /// Which cells of a row show what the pile has there, or something else, by more than this, nats.
    fn cells_like(&self, y: usize, evidence: &Evidence, is_same: bool, least: f32) -> u16 {
        let is_like = |x: &usize| {
            let nats = evidence.nats(*x as i8, y as i8);
            nats.abs() > least && ((nats > 0.0) == self.pile.is_full(*x, y)) == is_same
        };
        (0..self.pile.width()).filter(is_like).fold(0, |row, x| row | 1 << x)
    }

    /// Whether another pile has something else where it is certain what is there.
    pub fn contradicts(&self, pile: &Board) -> bool {
        (0..pile.height()).any(|y| (pile.row(y) ^ self.pile.row(y)) & self.certain.row(y) != 0)
    }

    /// Whether another pile is this one but for fewer cells than a piece has.
    pub fn is_nearly(&self, pile: &Board) -> bool {
        let other = |y: usize| (pile.row(y) ^ self.pile.row(y)).count_ones();
        (0..pile.height()).map(other).sum::<u32>() < PIECE_CELLS
    }

    /// Whether one of two stories will do.
    pub fn is_like(&self, other: &Self) -> bool {
        self.tells_the_same(other) && self.next == other.next && self.disbelieved == other.disbelieved
    }

    /// Whether two stories would tell the same.
    pub fn tells_the_same(&self, other: &Self) -> bool {
        let told = |story: &Self| (story.pile, story.falling.map(|f| f.piece), story.turn.is_some());
        told(self) == told(other)
    }
}
