//! A beam: of all that can be made of the pieces of a drawn future only the best piles are followed, many pieces deep; the mean
//! over as many futures as the budget allows.

use super::candidate::Candidate;
use super::evaluate::{STEPS_MAX, Step};
use super::futures::{Budget, Futures};
use super::ladder::NO_ROOM_COST;
use super::search::{Family, Next, Search};
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};

/// The most pieces after the falling one that a beam follows.
pub const PIECES_MAX: usize = STEPS_MAX - 1;

/// How a beam is led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beam {
    /// Piles that are followed from each piece to the next.
    pub width: usize,
    /// Pieces after the falling one, up to [`PIECES_MAX`]; more are not followed.
    pub pieces: usize,
    /// What may be spent.
    pub budget: Budget,
}

/// A pile that is followed.
#[derive(Clone, Copy)]
struct Node {
    /// Which placement of the falling piece it came from.
    first: usize,
    board: Board,
    steps: [Step; STEPS_MAX],
    count: usize,
}

impl Node {
    fn steps(&self) -> &[Step] {
        &self.steps[..self.count]
    }

    fn with(&self, board: Board, last: Step) -> Self {
        let mut node = Self { board, count: self.count + 1, ..*self };
        node.steps[self.count] = last;
        node
    }
}

impl Beam {
    /// What each of these placements of the falling piece costs, in their order: the mean over the futures of the best that the
    /// beam finds for it.
    pub fn rate(
        &self,
        search: &Search<'_>,
        followers: &[[f64; 7]; 7],
        firsts: impl IntoIterator<Item = Pose>,
    ) -> Vec<Candidate> {
        let root = |(first, pose): (usize, Pose)| {
            let (board, step) = Step::of(search.board, pose);
            Node { first, board, steps: [step; STEPS_MAX], count: 1 }
        };
        let roots: Vec<Node> = firsts.into_iter().enumerate().map(root).collect();
        let Some(falling) = roots.first().map(|root| root.steps[0].pose.orientation.piece()) else { return Vec::new() };
        let pieces = self.pieces.min(PIECES_MAX);
        let mut led = Led {
            beam: self,
            search,
            nexts: Piece::ALL.map(|piece| search.next(piece, 1.0)),
            family: Family::default(),
            rated: 0,
        };
        let mut futures = Futures::new(search, followers, pieces, self.budget.seed);
        let (mut sums, mut count) = (vec![0.0; roots.len()], 0.0);
        while let Some(future) = futures.draw(falling, pieces).filter(|_| led.rated < self.budget.nodes || count == 0.0)
        {
            let costs = led.follow(&roots, &future);
            sums.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
            count += 1.0;
        }
        let rated = roots.iter().zip(sums);
        rated.map(|(root, sum)| Candidate { pose: root.steps[0].pose, cost: sum / count }).collect()
    }
}

/// A beam on its way.
struct Led<'a> {
    beam: &'a Beam,
    search: &'a Search<'a>,
    nexts: [Next<'a>; 7],
    family: Family,
    rated: u64,
}

/// What a placement can make of a pile of the beam.
struct Child {
    parent: usize,
    last: Step,
    cost: f64,
}

impl Led<'_> {
    /// The best cost of each root if these pieces come.
    fn follow(&mut self, roots: &[Node], future: &[Piece]) -> Vec<f64> {
        let search = self.search;
        let cost = |root: &Node| search.evaluator.cost(&search.after(&root.board, root.steps()));
        let mut found: Vec<f64> = roots.iter().map(cost).collect();
        self.rated += roots.len() as u64;
        let mut ended = vec![f64::INFINITY; roots.len()];
        let mut layer = roots.to_vec();
        for (depth, &piece) in future.iter().enumerate() {
            let is_certain = depth == 0 && search.next.len() == 1;
            let children = self.children(&layer, piece, is_certain, &mut ended);
            let mut best = ended.clone();
            for Child { parent, cost, .. } in &children {
                let best = &mut best[layer[*parent].first];
                *best = best.min(*cost);
            }
            settle(&mut found, &best);
            let grown = children.iter().map(|&Child { parent, last, .. }| {
                let parent = &layer[parent];
                parent.with(Step::of(&parent.board, last.pose).0, last)
            });
            layer = grown.collect();
        }
        found
    }

    /// The best that can be made of a layer with one more piece; games that end there are told.
    fn children(&mut self, layer: &[Node], piece: Piece, is_certain: bool, ended: &mut [f64]) -> Vec<Child> {
        let (search, next) = (self.search, &self.nexts[piece.index()]);
        let mut children = Vec::new();
        for (parent, node) in layer.iter().enumerate() {
            if self.family.answer(&node.board, next) {
                self.family.rate(search, node.steps(), &node.board);
                let Family { lasts, costs, .. } = &self.family;
                children.extend(lasts.iter().zip(costs).map(|(&last, &cost)| Child { parent, last, cost }));
                continue;
            }
            let after = search.after(&node.board, node.steps());
            // As in the search of the known pieces: what is certain to end the game is worse than what may.
            let end = if is_certain {
                NO_ROOM_COST + search.evaluator.cost(&after)
            } else {
                search.evaluator.cost_of_the_end(&after)
            };
            ended[node.first] = ended[node.first].min(end);
        }
        self.rated += children.len() as u64;
        let order = |a: &Child, b: &Child| {
            a.cost.total_cmp(&b.cost).then(a.parent.cmp(&b.parent)).then(a.last.pose.cmp(&b.last.pose))
        };
        if self.beam.width < children.len() {
            children.select_nth_unstable_by(self.beam.width, order);
            children.truncate(self.beam.width);
            children.sort_by(order);
        }
        children
    }
}

/// Takes over what was found one piece deeper. What the beam left comes after what it kept, by as much as that turned out worse
/// than it seemed.
pub(super) fn settle(found: &mut [f64], deeper: &[f64]) {
    let kept = || found.iter().zip(deeper).filter(|(_, deeper)| deeper.is_finite());
    let worse = kept().map(|(found, deeper)| deeper - found).fold(0.0, f64::max);
    let least = kept().map(|(_, deeper)| *deeper).fold(f64::INFINITY, f64::min);
    for (found, deeper) in found.iter_mut().zip(deeper) {
        *found = if deeper.is_finite() { *deeper } else { (*found + worse).max(least) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::movement::place;
    use crate::planner::{Afterstate, Brain, Evaluator, Moves, Weights, two_piece};
    use crate::profile::layout::Layout;

    const ALIKE: [[f64; 7]; 7] = [[1.0 / 7.0; 7]; 7];

    fn beam(width: usize, pieces: usize) -> Beam {
        Beam { width, pieces, budget: Budget { nodes: 1, seed: 3 } }
    }

    fn costs(beam: Beam, followers: &[[f64; 7]; 7], evaluator: &dyn Evaluator, board: &Board) -> Vec<Candidate> {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Unturned };
        let next = [(Piece::T, 1.0)];
        let search = Search { board, level: 0, lines_left: None, next: &next, beyond: None, moves: &moves, evaluator };
        let mut all = beam.rate(&search, followers, moves.locks(board, moves.spawn(Piece::L)));
        all.sort_by(Candidate::order);
        all
    }

    fn uneven() -> Board {
        let mut board = Board::new(10, 12);
        [(11, 0b11_1101_1111), (10, 0b11_1101_1100), (9, 0b10_0001_1000)]
            .into_iter()
            .for_each(|(y, row)| board.set_row(y, row));
        board
    }

    #[test]
    fn a_beam_of_any_width_over_the_known_pieces_is_the_two_piece_search() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Unturned };
        let board = uneven();
        for name in ["birken-2019", "dellacherie", "birken-2014"] {
            let weights = Weights::named(name).unwrap();
            let expected = two_piece(&board, moves.spawn(Piece::L), Some(Piece::T), &moves, &weights);
            assert_eq!(costs(beam(usize::MAX, 1), &ALIKE, &weights, &board), expected, "{name}");
        }
    }

    /// The least cost of all ways to place these pieces, after those that were placed.
    fn plain(search: &Search<'_>, board: &Board, steps: &[Step], pieces: &[Piece]) -> f64 {
        let after = Afterstate { before: search.board, board, steps, level: 0 };
        let Some((&piece, rest)) = pieces.split_first() else { return search.evaluator.cost(&after) };
        let of = |pose: Pose| {
            let (next, step) = Step::of(board, pose);
            plain(search, &next, &[steps, &[step]].concat(), rest)
        };
        search.moves.locks(board, search.moves.spawn(piece)).into_iter().map(of).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_beam_of_any_width_finds_the_best_of_all_ways() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: crate::planner::Manner::Unturned };
        // After each piece the same follows, so that a future is known.
        let same = Piece::ALL.map(|piece| Piece::ALL.map(|next| f64::from(u8::from(next == piece))));
        let board = uneven();
        for name in ["birken-2019", "learned-15hz"] {
            let brain = Brain::named(name).unwrap();
            // A learned value knows only fields of 20 rows; here all piles are worth the same to it, and lines are not.
            let evaluator = brain.evaluator.as_ref();
            let next = [(Piece::T, 1.0)];
            let search = Search {
                board: &board,
                level: 0,
                lines_left: None,
                next: &next,
                beyond: None,
                moves: &moves,
                evaluator,
            };
            for candidate in costs(beam(usize::MAX, 2), &same, evaluator, &board) {
                let (after, step) = Step::of(&board, candidate.pose);
                let expected = plain(&search, &after, &[step], &[Piece::T, Piece::T]);
                assert!((candidate.cost - expected).abs() < 1e-9, "{name} {candidate:?} {expected}");
            }
        }
    }

    #[test]
    fn a_narrow_beam_finds_less_and_what_it_leaves_comes_last() {
        let (weights, board) = (Weights::named("birken-2019").unwrap(), uneven());
        let same = Piece::ALL.map(|piece| Piece::ALL.map(|next| f64::from(u8::from(next == piece))));
        let [narrow, wide] = [2, usize::MAX].map(|width| costs(beam(width, 3), &same, &weights, &board));
        assert_eq!(narrow.len(), wide.len());
        assert!(narrow[0].cost >= wide[0].cost - 1e-9);
        assert_eq!(costs(beam(2, 3), &same, &weights, &board), narrow);
        let best = place(&board, narrow[0].pose).0;
        assert!(narrow.iter().all(|candidate| candidate.cost.is_finite()), "{best:?}");
    }

    #[test]
    fn more_is_spent_on_more_futures() {
        let (weights, board) = (Weights::named("birken-2019").unwrap(), uneven());
        let spent = |nodes| Beam { budget: Budget { nodes, seed: 1 }, ..beam(4, 3) };
        let [few, many] = [1, 20_000].map(|nodes| costs(spent(nodes), &ALIKE, &weights, &board));
        assert_ne!(few, many);
        assert_eq!(costs(spent(20_000), &ALIKE, &weights, &board), many);
    }

    #[test]
    fn a_piece_that_cannot_appear_ends_the_game_and_nothing_of_nothing_is_nothing() {
        let (weights, mut board) = (Weights::named("birken-2019").unwrap(), Board::new(10, 12));
        (1..12).for_each(|y| board.set_row(y, 0b11_0000_1111));
        let all = costs(beam(4, 3), &ALIKE, &weights, &board);
        assert!(!all.is_empty() && all.iter().all(|candidate| candidate.cost.is_finite()), "{all:?}");
        board.set_row(0, 0b00_0111_0000);
        assert_eq!(costs(beam(4, 3), &ALIKE, &weights, &board), []);
    }
}
