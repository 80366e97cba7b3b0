//! A player's game as it is planned: by placements, without time.

use crate::game::guideline::{Action, Award, ROWS, SKYLINE, Sequence, Spin};
use crate::game::movegen::{Field, Landing, Moves};
use crate::game::{Piece, Pose};
use crate::planner::coming::Hold;
use thiserror::Error;

/// The row of the floor's first neighbour above the skyline, from the floor.
const SKYLINE_ROW: usize = ROWS - SKYLINE;

/// Which pieces a bag still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bag(u8);

impl Bag {
    /// One of each.
    pub const FULL: Self = Self(0x7F);

    /// A bag with these.
    pub fn of(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self(pieces.into_iter().fold(0, |bag, piece| bag | 1 << piece.index()))
    }

    /// Whether it holds one.
    pub fn has(self, piece: Piece) -> bool {
        self.0 >> piece.index() & 1 == 1
    }

    /// How many it holds, 0–7.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// One is taken out; an empty bag is filled before.
    #[must_use]
    pub fn without(self, piece: Piece) -> Self {
        let bag = if self.0 == 0 { Self::FULL.0 } else { self.0 };
        Self(bag & !(1 << piece.index()))
    }
}

/// Where a piece goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// Its place, and whether it is spun there.
    pub landing: Landing,
    /// Whether it comes out of the hold queue, or is the next one because the falling one was put there.
    pub by_hold: bool,
}

impl Placement {
    /// Which piece it is.
    pub fn piece(self) -> Piece {
        self.landing.place.orientation.piece()
    }

    /// Where it locks on the guideline's board of 40 rows.
    pub fn pose(self) -> Pose {
        self.landing.place.pose(ROWS)
    }
}

/// What the lock down of a piece did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The action in its sequence: what it is worth in points and lines to send.
    pub award: Award,
    /// Cleared lines, 0–4.
    pub lines: u32,
    /// Lines that are left for opponents after those that waited were countered.
    pub sent: u32,
    /// Nothing is left in the field.
    pub is_perfect: bool,
    /// It locked wholly above the skyline, which ends the game (seed 002:2156).
    pub is_lost: bool,
}

/// Why a placement cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Illegal {
    /// Neither the falling piece nor one that hold would bring.
    #[error("no {0} can be played now: it is neither the next piece nor the held one")]
    Piece(Piece),
    /// No way leads there.
    #[error("the {0} cannot come to rest there")]
    Place(Piece),
    /// A way leads there, and it is another spin or none.
    #[error("the T can come to rest there, though not by such a spin")]
    Spin,
}

/// What is planned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The blocks.
    pub field: Field,
    /// The piece in the hold queue.
    pub hold: Option<Piece>,
    /// What can be put there.
    pub holding: Hold,
    /// The falling piece and those shown after it, in their order.
    pub queue: Vec<Piece>,
    /// What the bag holds behind the queue, if pieces come from a bag.
    pub bag: Option<Bag>,
    /// Whether a back-to-back sequence is on.
    pub sequence: Sequence,
    /// Placements in a row that cleared lines.
    pub combo: u32,
    /// Rows of opponents that wait for the next lock down.
    pub waiting: u32,
}

impl State {
    /// The beginning of a game: nothing but the pieces that are shown.
    pub fn new(queue: Vec<Piece>, bag: Option<Bag>) -> Self {
        let (field, hold, sequence) = (Field::default(), None, Sequence::default());
        Self { field, hold, holding: Hold::Now, queue, bag, sequence, combo: 0, waiting: 0 }
    }

    /// The piece that hold would bring into play, if there is one: the held one, or the one after the falling piece.
    pub fn by_hold(&self) -> Option<Piece> {
        self.hold.or_else(|| self.queue.get(1).copied()).filter(|_| self.holding == Hold::Now)
    }

    /// All that can be done with the falling piece, and with the one that hold brings.
    pub fn placements(&self, moves: &Moves) -> Vec<Placement> {
        let falling = self.queue.first().copied();
        let other = self.by_hold().filter(|other| falling.is_some() && falling != Some(*other));
        let of = |piece: Option<Piece>, by_hold| {
            let landings = piece.map_or_else(Vec::new, |piece| landings(moves, &self.field, piece));
            landings.into_iter().map(move |landing| Placement { landing, by_hold })
        };
        of(falling, false).chain(of(other, true)).collect()
    }

    /// The placement of this piece by which it comes to rest in a place, with this spin.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, moves: &Moves, landing: Landing) -> Result<Placement, Illegal> {
        let piece = landing.place.orientation.piece();
        let by_hold = match self.queue.first() {
            Some(falling) if *falling == piece => false,
            Some(_) if self.by_hold() == Some(piece) => true,
            _ => return Err(Illegal::Piece(piece)),
        };
        let there: Vec<Landing> =
            landings(moves, &self.field, piece).into_iter().filter(|other| other.place == landing.place).collect();
        if there.is_empty() {
            return Err(Illegal::Place(piece));
        }
        if !there.contains(&landing) {
            return Err(Illegal::Spin);
        }
        Ok(Placement { landing, by_hold })
    }

    /// The same as [`Self::find`] for a piece that has come to rest there, as another program tells: however it got there, its
    /// cells were free.
    ///
    /// # Errors
    /// When that cannot be.
    pub fn believe(&self, moves: &Moves, landing: Landing) -> Result<Placement, Illegal> {
        let piece = landing.place.orientation.piece();
        match self.find(moves, landing) {
            Err(Illegal::Spin | Illegal::Place(_)) if landing.place.pose(ROWS).fits(&self.field.board(ROWS)) => {
                Ok(Placement { landing, by_hold: self.queue.first() != Some(&piece) })
            }
            found => found,
        }
    }

    /// The piece locks; pieces move up in the queue. Rows that wait are countered; those left do not appear here, as nobody
    /// knows where their gap will be: who leads the game lets them.
    pub fn place(&mut self, moves: &Moves, placement: Placement) -> Placed {
        let falling = (!self.queue.is_empty()).then(|| self.queue.remove(0));
        if placement.by_hold {
            if self.hold.is_none() && !self.queue.is_empty() {
                self.queue.remove(0);
            }
            self.hold = falling;
        }
        let (field, sequence, mut placed) = lock(moves, &self.field, self.sequence, placement.landing);
        (self.field, self.sequence) = (field, sequence);
        self.holding = if self.holding == Hold::Never { Hold::Never } else { Hold::Now };
        self.combo = if placed.lines > 0 { self.combo.saturating_add(1) } else { 0 };
        let met = placed.sent.min(self.waiting);
        self.waiting -= met;
        placed.sent -= met;
        placed
    }

    /// A piece is shown at the end of the queue.
    pub fn show(&mut self, piece: Piece) {
        self.queue.push(piece);
        self.bag = self.bag.map(|bag| bag.without(piece));
    }
}

/// All places of a piece with their spins.
pub(super) fn landings(moves: &Moves, field: &Field, piece: Piece) -> Vec<Landing> {
    if piece == Piece::T {
        return moves.landings(field);
    }
    moves.places(field, piece).into_iter().map(|place| Landing { place, spin: Spin::None }).collect()
}

/// What a lock down makes of a field and of a sequence. Lines are sent as if none waited.
#[inline]
pub(super) fn lock(
    moves: &Moves,
    field: &Field,
    mut sequence: Sequence,
    landing: Landing,
) -> (Field, Sequence, Placed) {
    let (after, lines) = moves.locked(field, landing.place);
    let award = sequence.next(Action::of(lines as usize, landing.spin));
    let placed =
        Placed { award, lines, sent: award.attack(), is_perfect: after.is_empty(), is_lost: is_above(landing) };
    (after, sequence, placed)
}

/// Whether the whole piece is above the skyline.
#[inline]
fn is_above(landing: Landing) -> bool {
    let place = landing.place;
    // No cell is more than two rows below its pivot.
    place.row >= SKYLINE_ROW
        && place.orientation.cells().iter().all(|(_, down)| place.row as i64 - i64::from(*down) >= SKYLINE_ROW as i64)
}

#[cfg(test)]
mod tests {
    use super::super::drawn::field;
    use super::*;
    use crate::game::guideline::moves;

    fn state(rows: &[&str], queue: &str) -> State {
        let queue = queue.chars().filter_map(Piece::from_letter).collect();
        State { field: field(rows), ..State::new(queue, Some(Bag::FULL)) }
    }

    #[test]
    fn hold_brings_the_next_piece_and_then_the_held_one() {
        let moves = moves();
        let mut state = state(&[], "ISO");
        let of = |state: &State| {
            let mut pieces: Vec<_> =
                state.placements(&moves).into_iter().map(|found| (found.piece(), found.by_hold)).collect();
            pieces.dedup();
            pieces
        };
        assert_eq!(of(&state), [(Piece::I, false), (Piece::S, true)]);
        let with_s = state.placements(&moves).into_iter().find(|found| found.by_hold).unwrap();
        state.place(&moves, with_s);
        assert_eq!((state.hold, &*state.queue), (Some(Piece::I), &[Piece::O][..]));
        assert_eq!(of(&state), [(Piece::O, false), (Piece::I, true)]);
        let with_o = state.placements(&moves).into_iter().find(|found| !found.by_hold).unwrap();
        state.place(&moves, with_o);
        assert_eq!((state.hold, state.queue.len()), (Some(Piece::I), 0));
        // Without a falling piece nothing can be held.
        assert!(state.placements(&moves).is_empty());
        state.show(Piece::I);
        assert_eq!(of(&state), [(Piece::I, false)]);
        assert!(state.bag.is_some_and(|bag| !bag.has(Piece::I) && bag.count() == 6));
    }

    #[test]
    fn a_double_by_a_spin_sends_four_lines_and_five_the_second_time_less_those_that_wait() {
        let moves = moves();
        let mut state = state(&["##........", "#...######", "##.#######"], "T");
        let spun = |state: &State| {
            let doubles = state.placements(&moves).into_iter().filter(|found| {
                let mut after = state.clone();
                after.place(&moves, *found).award.action == Action::TSpinDouble
            });
            doubles.collect::<Vec<_>>()
        };
        let [only] = spun(&state)[..] else { panic!("{:?}", spun(&state)) };
        let mut again = state.clone();
        again.sequence = Sequence::of(true);
        again.waiting = 2;
        let placed = state.place(&moves, only);
        assert_eq!((placed.lines, placed.sent, state.combo, state.sequence.is_on()), (2, 4, 1, true));
        let placed = again.place(&moves, only);
        assert_eq!((placed.sent, again.waiting), (3, 0));
    }

    #[test]
    fn what_cannot_be_done_is_told_apart() {
        let moves = moves();
        let state = state(&["#########."], "IT");
        let landing = |piece| state.placements(&moves).into_iter().find(|p| p.piece() == piece).unwrap().landing;
        let i = landing(Piece::I);
        assert_eq!(state.find(&moves, i).unwrap(), Placement { landing: i, by_hold: false });
        assert_eq!(state.find(&moves, Landing { spin: Spin::Full, ..i }), Err(Illegal::Spin));
        let mut floating = i;
        floating.place.row += 5;
        assert_eq!(state.find(&moves, floating), Err(Illegal::Place(Piece::I)));
        let mut other = i;
        other.place.orientation = crate::game::Orientation::spawn(Piece::O);
        assert_eq!(state.find(&moves, other), Err(Illegal::Piece(Piece::O)));
        assert!(state.find(&moves, landing(Piece::T)).unwrap().by_hold);
    }
}
