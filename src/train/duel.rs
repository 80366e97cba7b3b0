//! Two players of the modern game against each other, a piece each and both at the same time: what versus is when nobody is
//! quicker. Attack, counter-attack, gaps and ends are those of [`crate::game::guideline`].

use crate::game::Piece;
use crate::game::guideline::{End, Queue, ROWS, Receiving};
use crate::game::movegen::{Field, Moves};
use crate::planner::modern::{Bag, Placed, Placement, State};

/// Pieces that each player sees: the falling one and the next ones.
pub const SHOWN: usize = 6;

/// One player's side.
#[derive(Debug, Clone)]
pub struct Side {
    /// What the player sees.
    pub state: State,
    pieces: Queue,
    receiving: Receiving,
    /// How the player's game ended.
    pub end: Option<End>,
    /// Lines sent to the other, countered ones left out.
    pub sent: u64,
    /// Lines of all attacks, countering ones included.
    pub attack: u64,
    /// Pieces locked.
    pub pieces_locked: u64,
}

/// What a lock down changed besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// What it did.
    pub placed: Placed,
    /// Pieces that are shown now and were not.
    pub shown: Vec<Piece>,
    /// Rows that appeared.
    pub rows: u32,
}

impl Side {
    /// An empty field; the seed decides about pieces and gaps, so that players with the same one get the same.
    pub fn new(seed: u64) -> Self {
        let mut pieces = Queue::new(seed);
        let shown: Vec<Piece> = (0..SHOWN).map(|_| pieces.draw()).collect();
        let bag = shown.iter().fold(Bag::FULL, |bag, piece| bag.without(*piece));
        let (state, receiving) = (State::new(shown, Some(bag)), Receiving::new(seed));
        Self { state, pieces, receiving, end: None, sent: 0, attack: 0, pieces_locked: 0 }
    }

    /// A piece locks; what waits and is not countered appears.
    pub fn lock(&mut self, moves: &Moves, placement: Placement) -> Turn {
        let mut placed = self.state.place(moves, placement);
        placed.sent = self.receiving.counter(placed.award.attack());
        self.pieces_locked += 1;
        self.attack += u64::from(placed.award.attack());
        self.sent += u64::from(placed.sent);
        let mut shown = Vec::new();
        while self.state.queue.len() < SHOWN {
            let piece = self.pieces.draw();
            self.state.show(piece);
            shown.push(piece);
        }
        let mut board = self.state.field.board(ROWS);
        let rows = match self.receiving.appear(&mut board) {
            _ if placed.is_lost => {
                self.end = Some(End::LockOut);
                0
            }
            Ok(rows) => rows,
            Err(_) => {
                self.end = Some(End::TopOut);
                0
            }
        };
        self.state.field = Field::of(&board);
        self.state.waiting = self.receiving.waiting();
        let has_room = self.state.queue.first().is_some_and(|piece| moves.count(&self.state.field, *piece) > 0);
        if !has_room && self.end.is_none() {
            self.end = Some(End::BlockOut);
        }
        Turn { placed, shown, rows }
    }

    /// Lines of the other wait for the next lock down.
    pub fn receive(&mut self, lines: u32) {
        self.receiving.receive(lines);
        self.state.waiting = self.receiving.waiting();
    }
}

/// How a duel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// One is left: the first (0) or the second (1).
    Won(usize),
    /// Both ended with the same piece, or there were enough of them.
    Drawn,
}

/// Both sides.
#[derive(Debug, Clone)]
pub struct Duel {
    /// The first player and the second.
    pub sides: [Side; 2],
}

impl Duel {
    /// Two empty fields with the same pieces and gaps to come.
    pub fn new(seed: u64) -> Self {
        let side = Side::new(seed);
        Self { sides: [side.clone(), side] }
    }

    /// Both lock a piece; then their lines go over. Lines that are sent now wait for the other's next piece.
    pub fn round(&mut self, moves: &Moves, placements: [Placement; 2]) -> [Turn; 2] {
        let [one, other] = &mut self.sides;
        let turns = [one.lock(moves, placements[0]), other.lock(moves, placements[1])];
        one.receive(turns[1].placed.sent);
        other.receive(turns[0].placed.sent);
        turns
    }

    /// Who is left, if not both are.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.sides.each_ref().map(|side| side.end.is_some()) {
            [false, false] => None,
            [true, true] => Some(Verdict::Drawn),
            [first_is_out, _] => Some(Verdict::Won(usize::from(first_is_out))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::guideline::{Action, Sequence, moves};
    use crate::planner::modern::{Weights, best};

    #[test]
    fn the_same_seed_gives_both_the_same_and_a_mirror_never_sends_what_stays() {
        let (moves, weights) = (moves(), Weights::default());
        let mut duel = Duel::new(3);
        for _ in 0..60 {
            let placements = duel.sides.each_ref().map(|side| best(&moves, &weights, &side.state, 300).unwrap());
            assert_eq!(placements[0], placements[1]);
            duel.round(&moves, placements);
            let [one, other] = &duel.sides;
            assert_eq!((&one.state, one.sent), (&other.state, other.sent));
        }
        assert_eq!(duel.verdict(), None);
    }

    #[test]
    fn lines_wait_for_a_lock_down_are_countered_and_then_appear_with_one_gap() {
        let moves = moves();
        let mut side = Side::new(1);
        side.receive(3);
        assert_eq!(side.state.waiting, 3);
        let flat = side.state.placements(&moves)[0];
        let turn = side.lock(&moves, flat);
        assert_eq!((turn.rows, side.state.waiting, turn.shown.len()), (3, 0, 1));
        let rows: Vec<u16> = (0..3).map(|row| side.state.field.row(row)).collect();
        assert!(rows.iter().all(|row| row.count_ones() == 9 && *row == rows[0]), "{rows:?}");
        // Four lines in the gap meet what waits; one of the five is left.
        side.receive(4);
        side.state.sequence = Sequence::of(true);
        let mut field = side.state.field.board(ROWS);
        field.set_row(ROWS - 4, rows[0]);
        side.state.field = Field::of(&field);
        side.state.queue[0] = Piece::I;
        let four = side
            .state
            .placements(&moves)
            .into_iter()
            .find(|found| side.state.clone().place(&moves, *found).award.action == Action::Tetris);
        let four = four.unwrap_or_else(|| panic!("{:?}", side.state.field.board(ROWS)));
        assert_eq!(side.lock(&moves, four).placed.sent, 1);
    }

    #[test]
    fn who_is_forced_past_the_top_has_lost() {
        let moves = moves();
        let mut duel = Duel::new(2);
        for _ in 0..5 {
            duel.sides[1].receive(9);
            let placements = duel.sides.each_ref().map(|side| side.state.placements(&moves)[0]);
            duel.round(&moves, placements);
            if let Some(verdict) = duel.verdict() {
                assert_eq!((verdict, duel.sides[0].end), (Verdict::Won(0), None));
                assert!(matches!(duel.sides[1].end, Some(End::BlockOut | End::TopOut | End::LockOut)));
                return;
            }
        }
        panic!("{:?}", duel.sides[1].state.field.board(ROWS));
    }
}
