//! The two-piece search: every placement of the falling piece, each rated by the best that the next piece can make of it.

use super::candidate::Candidate;
use super::evaluate::{Afterstate, Evaluator, Siblings, Step};
use super::expectimax::{Breadth, Expectimax};
use super::ladder::NO_ROOM_COST;
use super::moves::{Answers, Moves};
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};

/// All placements of the piece at `from`, best first, at level 0 and without a hurry for the falling piece itself.
pub fn two_piece(
    board: &Board,
    from: Pose,
    next: Option<Piece>,
    moves: &Moves<'_>,
    evaluator: &dyn Evaluator,
) -> Vec<Candidate> {
    let next: Vec<(Piece, f64)> = next.map(|piece| (piece, 1.0)).into_iter().collect();
    Search { board, level: 0, lines_left: None, next: &next, beyond: None, moves, evaluator }
        .rank(moves.locks(board, from))
}

/// How far a search looks at pieces that nobody knows yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Beyond {
    /// How often each piece follows each other one, 0–1, both by [`Piece::index`].
    pub followers: [[f64; 7]; 7],
    /// Pairs of placements of the known pieces after which each third one is tried, where the evaluator rates piles alone.
    pub pairs: usize,
    /// How wide it looks where the evaluator tells piles apart by the piece that falls next.
    pub breadth: Breadth,
}

/// What the search is about.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The settled pile.
    pub board: &'a Board,
    /// The game's level.
    pub level: u8,
    /// Lines after which the game ends, if it does.
    pub lines_left: Option<u64>,
    /// What may come next, each with its probability. Where nothing is said, the board after the falling piece is rated.
    pub next: &'a [(Piece, f64)],
    /// What is asked about the pieces after that, which nobody knows yet. Of evaluators that rate piles alone only where the
    /// next one is known.
    pub beyond: Option<&'a Beyond>,
    /// How the next pieces are moved.
    pub moves: &'a Moves<'a>,
    /// What makes a pile good.
    pub evaluator: &'a dyn Evaluator,
}

impl Search<'_> {
    /// These placements of the falling piece, best first.
    pub fn rank(&self, firsts: impl IntoIterator<Item = Pose>) -> Vec<Candidate> {
        let mut candidates = self.rate(firsts);
        candidates.sort_by(Candidate::order);
        candidates
    }

    /// The first of [`Self::rank`]; `None` of nothing.
    pub fn best(&self, firsts: impl IntoIterator<Item = Pose>) -> Option<Candidate> {
        self.rate(firsts).into_iter().min_by(Candidate::order)
    }

    /// What each of them costs, in their order.
    pub(super) fn rate(&self, firsts: impl IntoIterator<Item = Pose>) -> Vec<Candidate> {
        if let (Some(value), Some(beyond)) = (self.evaluator.by_next().filter(|_| !self.next.is_empty()), self.beyond) {
            let Beyond { followers, breadth, .. } = beyond;
            let search = Expectimax::new(value, self.board, self.level, self.moves, followers, *breadth);
            return search.before_end(self.lines_left).rate(self.board, firsts, self.next);
        }
        let next: Vec<Next> = self.next.iter().map(|&(piece, share)| self.next(piece, share)).collect();
        if let (&[(piece, _)], [only], Some(beyond)) = (self.next, next.as_slice(), self.beyond) {
            return Further::of(self, &beyond.followers[piece.index()]).rate(firsts, only, beyond.pairs);
        }
        let mut family = Family::default();
        if next.is_empty() {
            family.settle(self.board, firsts);
            family.rate(self, &[], self.board);
            let Family { lasts, costs, .. } = &family;
            return lasts.iter().zip(costs).map(|(last, &cost)| Candidate { pose: last.pose, cost }).collect();
        }
        let rated = firsts.into_iter().map(|pose| Candidate { pose, cost: self.cost_after(pose, &next, &mut family) });
        rated.collect()
    }

    /// A piece that may come, moved as all are.
    pub(super) fn next(&self, piece: Piece, share: f64) -> Next<'_> {
        Next { spawn: self.moves.spawn(piece), share, answers: self.moves.answers(self.board, piece) }
    }

    fn cost_after(&self, first: Pose, next: &[Next], family: &mut Family) -> f64 {
        let (after, step) = Step::of(self.board, first);
        match next {
            [only] => self.cost_of_answers(&after, step, only, family),
            several => several.iter().map(|next| next.share * self.cost_of_answers(&after, step, next, family)).sum(),
        }
    }

    /// The cost of the best answer.
    fn cost_of_answers(&self, board: &Board, first: Step, next: &Next, family: &mut Family) -> f64 {
        if !family.answer(board, next) {
            return NO_ROOM_COST + self.cost(board, &[first]);
        }
        least(family.rate(self, &[first], board))
    }

    /// A pile that this one became by these pieces.
    pub(super) fn after<'b>(&'b self, board: &'b Board, steps: &'b [Step]) -> Afterstate<'b> {
        Afterstate { before: self.board, board, steps, level: self.level }
    }

    fn cost(&self, board: &Board, steps: &[Step]) -> f64 {
        self.evaluator.cost(&self.after(board, steps))
    }
}

/// A search that looks at the third piece, too.
struct Further<'a> {
    search: &'a Search<'a>,
    thirds: Vec<Next<'a>>,
    /// What the first piece's placements make.
    afters: Vec<(Board, Step)>,
    family: Family,
}

/// Both known pieces, placed.
#[derive(Clone, Copy)]
struct Pair {
    /// Which of the first piece's placements.
    first: usize,
    second: Step,
    cost: f64,
}

impl<'a> Further<'a> {
    fn of(search: &'a Search<'a>, followers: &[f64; 7]) -> Self {
        let may_come = Piece::ALL.into_iter().zip(followers).filter(|(_, share)| **share > 0.0);
        let thirds = may_come.map(|(piece, &share)| search.next(piece, share)).collect();
        Self { search, thirds, afters: Vec::new(), family: Family::default() }
    }

    /// What each placement of the first piece costs, in their order.
    fn rate(&mut self, firsts: impl IntoIterator<Item = Pose>, next: &Next<'_>, count: usize) -> Vec<Candidate> {
        let mut pairs = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        for (first, pose) in firsts.into_iter().enumerate() {
            let cost = self.pair_up(first, pose, next, &mut pairs);
            candidates.push(Candidate { pose, cost });
        }
        let order = |a: &Pair, b: &Pair| a.cost.total_cmp(&b.cost).then(a.first.cmp(&b.first));
        pairs.sort_by(order);
        pairs.truncate(count);
        let mut seen: Vec<Option<f64>> = vec![None; candidates.len()];
        // What was not looked at comes after what was, by as much as the others turned out worse than they seemed.
        let mut worse = 0.0f64;
        for pair in &pairs {
            let cost = self.mean(pair);
            worse = worse.max(cost - pair.cost);
            seen[pair.first] = Some(seen[pair.first].map_or(cost, |best| best.min(cost)));
        }
        for (candidate, seen) in candidates.iter_mut().zip(seen) {
            candidate.cost = seen.unwrap_or(candidate.cost + worse);
        }
        candidates
    }

    /// All placements of the next piece after one of the first; the cost of the best.
    fn pair_up(&mut self, first: usize, pose: Pose, next: &Next<'_>, pairs: &mut Vec<Pair>) -> f64 {
        let (after, step) = Step::of(self.search.board, pose);
        self.afters.push((after, step));
        if !self.family.answer(&after, next) {
            return NO_ROOM_COST + self.search.cost(&after, &[step]);
        }
        self.family.rate(self.search, &[step], &after);
        let Family { lasts, costs, .. } = &self.family;
        pairs.extend(lasts.iter().zip(costs).map(|(&second, &cost)| Pair { first, second, cost }));
        least(costs)
    }

    /// The mean cost over all third pieces, each placed as well as can be.
    fn mean(&mut self, pair: &Pair) -> f64 {
        let Self { search, thirds, afters, family } = self;
        let (after, first) = &afters[pair.first];
        let (board, steps) = (place(after, pair.second.pose).0, [*first, pair.second]);
        let of = |third: &Next<'_>| {
            family.answer(&board, third);
            let best = family.rate(search, &steps, &board).iter().copied().reduce(f64::min);
            let end = || search.evaluator.cost_of_the_end(&search.after(&board, &steps));
            third.share * best.unwrap_or_else(end)
        };
        thirds.iter().map(of).sum()
    }
}

/// The placements of one piece, and what the piles cost that they lead to. Kept, so that the memory is asked for once.
#[derive(Default)]
pub(super) struct Family {
    poses: Vec<Pose>,
    pub lasts: Vec<Step>,
    pub costs: Vec<f64>,
}

impl Family {
    /// All that this piece can make of the board; whether it can appear.
    pub fn answer(&mut self, board: &Board, next: &Next<'_>) -> bool {
        self.poses.clear();
        let has_room = next.answers.have_room(board, next.spawn);
        if has_room {
            next.answers.for_each(board, next.spawn, |pose| self.poses.push(pose));
        }
        self.lasts.clear();
        self.lasts.extend(self.poses.iter().copied().map(Step::on(board)));
        has_room
    }

    fn settle(&mut self, board: &Board, poses: impl IntoIterator<Item = Pose>) {
        self.lasts.clear();
        self.lasts.extend(poses.into_iter().map(Step::on(board)));
    }

    /// What the piles cost that this board becomes by them, after these first pieces.
    pub fn rate(&mut self, search: &Search<'_>, firsts: &[Step], board: &Board) -> &[f64] {
        self.costs.clear();
        self.costs.resize(self.lasts.len(), NO_ROOM_COST);
        let Search { board: before, level, .. } = *search;
        let siblings = Siblings { before, level, firsts, board, lasts: &self.lasts, shown: None };
        search.evaluator.costs(&siblings, &mut self.costs);
        &self.costs
    }
}

/// The least of these costs, [`NO_ROOM_COST`] of none; some at a time.
fn least(costs: &[f64]) -> f64 {
    let mut least = [NO_ROOM_COST; 8];
    for part in costs.chunks(least.len()) {
        least.iter_mut().zip(part).for_each(|(least, cost)| *least = least.min(*cost));
    }
    least.into_iter().fold(NO_ROOM_COST, f64::min)
}

/// A piece that may come next.
pub(super) struct Next<'a> {
    spawn: Pose,
    share: f64,
    answers: Answers<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nes::random::FOLLOWERS;
    use crate::planner::Weights;
    use crate::planner::evaluate::{ByNext, LANES, Worths};
    use crate::profile::layout::Layout;

    fn all_steps(board: &Board, moves: &Moves<'_>, pieces: &[Piece]) -> Vec<(Board, Vec<Step>)> {
        let Some((&piece, rest)) = pieces.split_first() else { return vec![(*board, Vec::new())] };
        let placed = moves.locks(board, moves.spawn(piece)).into_iter().map(|pose| Step::of(board, pose));
        let further = placed.flat_map(|(after, step)| {
            let all = all_steps(&after, moves, rest).into_iter();
            all.map(move |(last, steps)| (last, std::iter::once(step).chain(steps).collect()))
        });
        further.collect()
    }

    #[test]
    fn the_piece_after_the_next_counts_by_how_often_it_comes() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Dropping };
        let (board, evaluator) = (Board::default(), Weights::named("bcts").unwrap());
        let beyond = Beyond {
            followers: FOLLOWERS.map(|row| row.map(|share| f64::from(share) / 32.0)),
            pairs: usize::MAX,
            breadth: Breadth::TWO,
        };
        let next = [(Piece::O, 1.0)];
        let search = Search {
            board: &board,
            level: 0,
            lines_left: None,
            next: &next,
            beyond: Some(&beyond),
            moves: &moves,
            evaluator: &evaluator,
        };
        let ranked = search.rank(moves.locks(&board, moves.spawn(Piece::O)));
        // The same, pair by pair and piece by piece.
        let mut best = f64::INFINITY;
        for (after, steps) in all_steps(&board, &moves, &[Piece::O, Piece::O]) {
            let mean = Piece::ALL.map(|third| {
                let costs = all_steps(&after, &moves, &[third]).into_iter().map(|(last, third)| {
                    let steps = [steps[0], steps[1], third[0]];
                    evaluator.cost(&Afterstate { before: &board, board: &last, steps: &steps, level: 0 })
                });
                beyond.followers[Piece::O.index()][third.index()] * costs.fold(f64::INFINITY, f64::min)
            });
            best = best.min(mean.iter().sum());
        }
        assert!((ranked[0].cost - best).abs() < 1e-9, "{} {best}", ranked[0].cost);
        // With few pairs, those that were not looked at come last, and the best is still among the others.
        let few = Beyond { pairs: 5, ..beyond };
        let hasty = Search { beyond: Some(&few), ..search }.rank(moves.locks(&board, moves.spawn(Piece::O)));
        assert_eq!(hasty.len(), ranked.len());
        assert!(hasty[0].cost >= ranked[0].cost - 1e-9);
        assert!(hasty.windows(2).all(|pair| pair[0].cost <= pair[1].cost));
    }

    /// Seen in a game: one I after another was put on a tower beside the wall until that had grown to the top.
    #[test]
    fn both_pieces_count_by_how_high_they_land() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Dropping };
        let mut board = Board::default();
        (7..13).for_each(|y| board.fill(0, y));
        let low = [0b00_0000_0011, 0b00_0000_0111, 0b00_0000_0011, 0b00_0000_0011];
        low.into_iter().zip(13..).for_each(|(bits, y)| board.set_row(y, bits));
        (17..19).for_each(|y| board.set_row(y, 0b11_1110_0011));
        board.set_row(19, 0b11_1111_1101);
        for name in ["dellacherie", "bcts", "dt-10", "dt-20", "el-tetris"] {
            let evaluator = Weights::named(name).unwrap();
            let ranked = two_piece(&board, moves.spawn(Piece::I), Some(Piece::I), &moves, &evaluator);
            assert!(ranked[0].pose.y > 10, "{name}: {:?}", ranked[0]);
        }
    }

    #[test]
    fn a_third_piece_without_a_place_ends_the_game_and_does_not_forbid_the_pair() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Freely };
        // So high that after two pieces hardly any third can appear.
        let mut board = Board::default();
        (3..20).for_each(|y| board.set_row(y, 0b11_1110_1111));
        // For every pile alike, by a value that tells piles apart by the piece that falls next, and by costs that do not.
        struct Alike;
        impl Evaluator for Alike {
            fn cost(&self, _: &Afterstate<'_>) -> f64 {
                -1.0
            }

            fn cost_of_the_end(&self, _: &Afterstate<'_>) -> f64 {
                0.0
            }
        }
        struct AlikeByNext;
        impl ByNext for AlikeByNext {
            fn worths(&self, _: u8, _: &Board) -> Worths {
                [1.0; LANES]
            }

            fn gain(&self, _: usize) -> f32 {
                0.0
            }

            fn discount(&self) -> f32 {
                0.9
            }

            fn points(&self, worth: f64, _: u8) -> Option<f64> {
                Some(worth)
            }
        }
        impl Evaluator for AlikeByNext {
            fn cost(&self, _: &Afterstate<'_>) -> f64 {
                -1.0
            }

            fn by_next(&self) -> Option<&dyn ByNext> {
                Some(self)
            }
        }
        let beyond = Beyond { followers: [[1.0 / 7.0; 7]; 7], pairs: 50, breadth: Breadth::FURTHER };
        let next = [(Piece::O, 1.0)];
        for evaluator in [&Alike as &dyn Evaluator, &AlikeByNext] {
            let beyond = Some(&beyond);
            let search =
                Search { board: &board, level: 0, lines_left: None, next: &next, beyond, moves: &moves, evaluator };
            let ranked = search.rank(moves.locks(&board, moves.spawn(Piece::O)));
            assert!(ranked.first().is_some_and(|best| best.cost.abs() < 1000.0), "{ranked:?}");
        }
    }
}
