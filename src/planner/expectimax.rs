//! The search for what tells piles apart by the piece that falls next: the mean over all that chance may bring, the best of all
//! that the player may do, in turn, a few pieces deep.

use super::candidate::Candidate;
use super::evaluate::{ByNext, Ending, LANES, Worths, mean};
use super::ladder::NO_ROOM_COST;
use super::moves::{Answers, Moves};
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};

/// How wide the search is at each depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breadth {
    /// Placements of the falling piece after which all of the next one are tried.
    pub firsts: usize,
    /// Of these, the best ones after which the piece after the next is tried, too.
    pub finalists: usize,
    /// For these, the best placements of the next piece for each of those that may come then.
    pub seconds: usize,
}

impl Breadth {
    /// The two known pieces, and what is expected of all that may follow.
    pub const TWO: Self = Self { firsts: usize::MAX, finalists: 0, seconds: 0 };
    /// Two pieces more for the best placements: about a millisecond a move.
    pub const FURTHER: Self = Self { firsts: usize::MAX, finalists: 8, seconds: 3 };
}

/// What the search is about.
pub struct Expectimax<'a> {
    judge: Judge<'a>,
    level: u8,
    /// Lines after which the game ends, where that is judged.
    lines_left: u64,
    followers: [[f32; 7]; 7],
    nexts: [Next<'a>; 7],
    breadth: Breadth,
}

/// Who says what a pile is worth: in a long game, or shortly before its end.
#[derive(Clone, Copy)]
enum Judge<'a> {
    Long(&'a dyn ByNext),
    BeforeEnd(&'a dyn Ending),
}

/// How a piece can lock that appears.
struct Next<'a> {
    spawn: Pose,
    answers: Answers<'a>,
}

/// A pile that a placement leads to.
#[derive(Clone, Copy)]
struct Pile {
    board: Board,
    /// Lines after which the game ends, where that is judged; 0 if it has.
    lines_left: u64,
    /// What the placement itself was worth.
    gain: f32,
    /// And with what is expected of the pile, by the piece that falls next.
    worths: Worths,
}

/// A placement of the falling piece.
struct First {
    pose: Pose,
    pile: Pile,
    worth: f32,
    /// How many pieces deep the worth was looked for.
    depth: usize,
}

impl<'a> Expectimax<'a> {
    /// On boards of the size of this one.
    pub fn new(
        value: &'a dyn ByNext,
        board: &Board,
        level: u8,
        moves: &Moves<'a>,
        followers: &[[f64; 7]; 7],
        breadth: Breadth,
    ) -> Self {
        let next = |piece| Next { spawn: moves.spawn(piece), answers: moves.answers(board, piece) };
        let followers = followers.map(|row| row.map(|share| share as f32));
        let judge = Judge::Long(value);
        Self { judge, level, lines_left: u64::MAX, followers, nexts: Piece::ALL.map(next), breadth }
    }

    /// The same where the game ends after so many lines, if the value knows what that means.
    pub fn before_end(self, lines_left: Option<u64>) -> Self {
        let Judge::Long(value) = self.judge else { return self };
        let known = lines_left.and_then(|lines_left| Some((value.ending(lines_left)?, lines_left)));
        match known {
            Some((ending, lines_left)) => Self { judge: Judge::BeforeEnd(ending), lines_left, ..self },
            None => self,
        }
    }

    /// What each placement of the falling piece on this board costs, in their order: what it is worth, negative. The next piece
    /// is one of these, each with its probability.
    pub fn rate(&self, board: &Board, firsts: impl IntoIterator<Item = Pose>, next: &[(Piece, f64)]) -> Vec<Candidate> {
        let mut shares = [0.0; 7];
        next.iter().for_each(|&(piece, share)| shares[piece.index()] = share as f32);
        let first = |pose: Pose| {
            let pile = self.pile(board, pose, self.lines_left);
            First { pose, pile, worth: mean(&shares, &pile.worths), depth: 0 }
        };
        let mut firsts: Vec<First> = firsts.into_iter().map(first).collect();
        // Chance widens the search as many times as it has choices.
        let choices = next.len().max(1);
        let deeper = [(1, self.breadth.firsts.div_ceil(choices)), (2, self.breadth.finalists.div_ceil(choices))];
        for (depth, count) in deeper {
            self.deepen(&mut firsts, &shares, depth, count);
        }
        // What was not looked at so deeply comes after what was, by as much as the others turned out worse than they seemed.
        firsts.into_iter().map(|first| Candidate { pose: first.pose, cost: self.cost(&first, &shares) }).collect()
    }

    /// Looks once more, deeper, at the best of those that were looked at last.
    fn deepen(&self, firsts: &mut [First], shares: &[f32; 7], depth: usize, count: usize) {
        let mut order: Vec<usize> = (0..firsts.len()).filter(|&i| firsts[i].depth + 1 == depth).collect();
        order.sort_by(|&a, &b| firsts[b].worth.total_cmp(&firsts[a].worth).then(firsts[a].pose.cmp(&firsts[b].pose)));
        let mut worse = 0.0f32;
        for &i in order.iter().take(count) {
            let First { pile, worth, .. } = &firsts[i];
            let of = |(&share, piece): (&f32, Piece)| {
                if share > 0.0 { share * self.worth(pile, piece, depth) } else { 0.0 }
            };
            let expected: f32 = shares.iter().zip(Piece::ALL).map(of).sum();
            let deeper = pile.gain + self.judge.discount() * expected;
            worse = worse.max(worth - deeper);
            (firsts[i].worth, firsts[i].depth) = (deeper, depth);
        }
        let looked_at = |first: &&mut First| first.depth < depth;
        firsts.iter_mut().filter(looked_at).for_each(|first| first.worth -= worse);
    }

    /// A piece that is known and cannot appear is worse than all that may come of others.
    fn cost(&self, first: &First, shares: &[f32; 7]) -> f64 {
        let may_appear =
            |(&share, next): (&f32, &Next<'_>)| share > 0.0 && next.answers.have_room(&first.pile.board, next.spawn);
        let goes_on = first.pile.lines_left > 0;
        let is_lost =
            goes_on && shares.iter().any(|share| *share > 0.0) && !shares.iter().zip(&self.nexts).any(may_appear);
        f64::from(-first.worth) + if is_lost { NO_ROOM_COST } else { 0.0 }
    }

    fn pile(&self, board: &Board, pose: Pose, lines_left: u64) -> Pile {
        let (board, lines) = place(board, pose);
        let lines_left = lines_left.saturating_sub(lines as u64);
        let gain = self.judge.gain(lines);
        let worths = self.judge.worths(self.level, &board, lines_left);
        Pile { board, lines_left, gain, worths: worths.map(|worth| gain + self.judge.discount() * worth) }
    }

    /// What a pile is worth on which this piece falls next, looked for as many pieces deep.
    fn worth(&self, Pile { board, lines_left, .. }: &Pile, piece: Piece, depth: usize) -> f32 {
        let next = &self.nexts[piece.index()];
        if *lines_left == 0 || !next.answers.have_room(board, next.spawn) {
            return 0.0;
        }
        let mut piles = Vec::new();
        let mut best = [0.0f32; LANES];
        next.answers.for_each(board, next.spawn, |pose| {
            let pile = self.pile(board, pose, *lines_left);
            best.iter_mut().zip(&pile.worths).for_each(|(best, worth)| *best = best.max(*worth));
            if depth > 1 {
                piles.push(pile);
            }
        });
        let followers = &self.followers[piece.index()];
        if depth > 1 {
            let may_follow = Piece::ALL.into_iter().filter(|follower| followers[follower.index()] > 0.0);
            may_follow.for_each(|follower| best[follower.index()] = self.best(&mut piles, follower, depth - 1));
        }
        mean(followers, &best)
    }

    /// The best of these piles if this piece falls next, the most promising ones looked at deeper.
    fn best(&self, piles: &mut [Pile], piece: Piece, depth: usize) -> f32 {
        let (lane, count) = (piece.index(), self.breadth.seconds.min(piles.len()));
        let order = |a: &Pile, b: &Pile| b.worths[lane].total_cmp(&a.worths[lane]);
        if count < piles.len() && count > 0 {
            piles.select_nth_unstable_by(count - 1, order);
        }
        let deeper = |pile: &Pile| pile.gain + self.judge.discount() * self.worth(pile, piece, depth);
        piles[..count].iter().map(deeper).fold(0.0, f32::max)
    }
}

impl Judge<'_> {
    /// A game that is over is worth nothing.
    fn worths(self, level: u8, board: &Board, lines_left: u64) -> Worths {
        match self {
            Self::Long(value) => value.worths(level, board),
            Self::BeforeEnd(_) if lines_left == 0 => [0.0; LANES],
            Self::BeforeEnd(ending) => ending.worths_before_end(level, board, lines_left),
        }
    }

    fn gain(self, lines: usize) -> f32 {
        match self {
            Self::Long(value) => value.gain(lines),
            Self::BeforeEnd(ending) => ending.gain_before_end(lines),
        }
    }

    /// Before the end it does not count when something is cleared.
    fn discount(self) -> f32 {
        match self {
            Self::Long(value) => value.discount(),
            Self::BeforeEnd(_) => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::machine::FOLLOWERS;
    use crate::planner::moves::Manner;
    use crate::profile::layout::Layout;

    /// Likes low piles, each piece for a reason of its own.
    struct Low;

    impl ByNext for Low {
        fn worths(&self, level: u8, board: &Board) -> Worths {
            assert_eq!(level, 7);
            let rows = board.rows().iter().enumerate();
            let weighty = rows.map(|(y, row)| (20 - y) as f32 * row.count_ones() as f32).sum::<f32>();
            let corner = f32::from(board.row(19) & 1);
            std::array::from_fn(|lane| if lane < 7 { 900.0 - weighty - (lane as f32) * corner } else { f32::NAN })
        }

        fn gain(&self, lines: usize) -> f32 {
            lines as f32
        }

        fn discount(&self) -> f32 {
            0.9
        }

        fn points(&self, worth: f64, _: u8) -> Option<f64> {
            Some(worth)
        }
    }

    fn followers() -> [[f64; 7]; 7] {
        FOLLOWERS.map(|row| row.map(|share| f64::from(share) / 32.0))
    }

    /// The same by the plainest of recursions, every placement at every depth.
    fn plain(moves: &Moves<'_>, board: &Board, piece: Piece, depth: usize) -> f32 {
        let locks = if moves.spawn(piece).fits(board) { moves.locks(board, moves.spawn(piece)) } else { Vec::new() };
        let shares = followers()[piece.index()];
        let of = |next: Piece| {
            let worth = |&pose: &Pose| {
                let (after, lines) = place(board, pose);
                let further =
                    if depth > 1 { plain(moves, &after, next, depth - 1) } else { Low.worths(7, &after)[next.index()] };
                lines as f32 + 0.9 * further
            };
            locks.iter().map(worth).fold(0.0, f32::max)
        };
        Piece::ALL.map(|next| shares[next.index()] as f32 * of(next)).iter().sum()
    }

    fn rated(board: &Board, moves: &Moves<'_>, next: &[(Piece, f64)], breadth: Breadth) -> Vec<Candidate> {
        let search = Expectimax::new(&Low, board, 7, moves, &followers(), breadth);
        search.rate(board, moves.locks(board, moves.spawn(Piece::O)), next)
    }

    #[test]
    fn it_is_the_mean_of_what_chance_brings_and_the_best_of_what_the_player_does() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Unturned };
        let mut board = Board::default();
        (1..10).for_each(|x| board.fill(x, 19));
        let whole = |depth: usize| Breadth {
            finalists: if depth > 1 { usize::MAX } else { 0 },
            firsts: usize::MAX,
            seconds: usize::MAX,
        };
        let worth = |pose: Pose, next: Piece, depth: usize| {
            let (after, lines) = place(&board, pose);
            lines as f32 + 0.9 * plain(&moves, &after, next, depth)
        };
        for depth in [1, 2] {
            for candidate in rated(&board, &moves, &[(Piece::J, 1.0)], whole(depth)).iter().step_by(3) {
                let expected = worth(candidate.pose, Piece::J, depth);
                assert!((candidate.cost as f32 + expected).abs() < 0.02, "{candidate:?} {expected}");
            }
        }
        let chances = [(Piece::J, 0.25), (Piece::I, 0.75)];
        let unknown = rated(&board, &moves, &chances, whole(1));
        let best = unknown.iter().min_by(|a, b| a.order(b)).unwrap();
        let expected = 0.25 * worth(best.pose, Piece::J, 1) + 0.75 * worth(best.pose, Piece::I, 1);
        assert!((best.cost as f32 + expected).abs() < 0.02, "{best:?} {expected}");
    }

    /// Knows the last two lines, in which it likes empty piles.
    struct ToTheEnd;

    impl ByNext for ToTheEnd {
        fn worths(&self, level: u8, board: &Board) -> Worths {
            Low.worths(level, board)
        }

        fn gain(&self, lines: usize) -> f32 {
            Low.gain(lines)
        }

        fn discount(&self) -> f32 {
            Low.discount()
        }

        fn points(&self, worth: f64, level: u8) -> Option<f64> {
            Low.points(worth, level)
        }

        fn ending(&self, lines_left: u64) -> Option<&dyn Ending> {
            (lines_left <= 2).then_some(self)
        }
    }

    impl Ending for ToTheEnd {
        fn worths_before_end(&self, _: u8, board: &Board, lines_left: u64) -> Worths {
            assert!(lines_left > 0, "nothing comes after the end");
            [10.0 - 0.01 * board.rows().iter().map(|row| row.count_ones() as f32).sum::<f32>(); LANES]
        }

        fn gain_before_end(&self, lines: usize) -> f32 {
            [0.0, 0.1, 0.3, 1.0, 100.0][lines]
        }
    }

    #[test]
    fn before_the_end_only_what_is_still_cleared_counts_and_a_game_that_is_over_brings_nothing_more() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Freely };
        let mut ready = Board::default();
        (16..20).for_each(|y| ready.set_row(y, 0b01_1111_1111));
        let rated = |piece: Piece, next: Piece, lines_left| {
            let search = Expectimax::new(&ToTheEnd, &ready, 7, &moves, &followers(), Breadth::FURTHER);
            let firsts = moves.locks(&ready, moves.spawn(piece));
            let mut all = search.before_end(lines_left).rate(&ready, firsts, &[(next, 1.0)]);
            all.sort_by(Candidate::order);
            all
        };
        // Four lines at once, of which two were left: all of them count, and nothing after them.
        let best = rated(Piece::I, Piece::O, Some(2))[0];
        assert_eq!((place(&ready, best.pose).1, best.cost), (4, -100.0));
        // Whatever is placed first, so long as the I finds its place: later is as good as now.
        let best = rated(Piece::O, Piece::I, Some(2))[0];
        assert_eq!((place(&ready, best.pose).1, best.cost), (0, -100.0));
        // Further from the end the long game's worth counts, which knows no end.
        let far = rated(Piece::I, Piece::O, Some(3));
        assert!(far[0].cost < -500.0 && far == rated(Piece::I, Piece::O, None));
    }

    #[test]
    fn what_was_not_looked_at_deeper_comes_after_what_was() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Freely };
        let board = Board::default();
        let narrow = Breadth { firsts: 4, finalists: 2, seconds: 2 };
        let wide = Breadth { firsts: usize::MAX, ..narrow };
        let [hasty, thorough] = [narrow, wide].map(|breadth| rated(&board, &moves, &[(Piece::T, 1.0)], breadth));
        assert_eq!(hasty.len(), thorough.len());
        let best = |all: &[Candidate]| *all.iter().min_by(|a, b| a.order(b)).unwrap();
        assert!(hasty.iter().all(|candidate| candidate.cost.is_finite() && candidate.cost >= best(&hasty).cost));
        assert!((best(&hasty).cost - best(&thorough).cost).abs() < 30.0);
    }

    #[test]
    fn a_known_piece_that_cannot_appear_is_worst_and_one_that_may_follow_ends_the_game() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Freely };
        let mut board = Board::default();
        (2..20).for_each(|y| board.set_row(y, 0b11_1110_1111));
        let all = rated(&board, &moves, &[(Piece::O, 1.0)], Breadth::FURTHER);
        let lost = |candidate: &&Candidate| candidate.cost >= crate::planner::ladder::LOST_COST;
        assert_eq!(
            all.iter().filter(lost).count(),
            all.iter().filter(|c| !moves.spawn(Piece::O).fits(&place(&board, c.pose).0)).count()
        );
        assert!(all.iter().all(|candidate| candidate.cost.is_finite()));
    }
}
