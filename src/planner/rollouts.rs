//! Simulated play: what the best placements come to if the game is played on from there, quickly, through drawn futures.

use super::beam::settle;
use super::candidate::Candidate;
use super::evaluate::Step;
use super::futures::{Budget, Futures};
use super::search::{Family, Next, Search};
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};

/// How a game is played on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollouts {
    /// The placements that are played on: the best of the search without rollouts.
    pub places: usize,
    /// Pieces that are played after the falling one, each where the evaluator likes the pile best.
    pub pieces: usize,
    /// What may be spent.
    pub budget: Budget,
}

impl Rollouts {
    /// What each of these placements of the falling piece costs, in their order: the mean over the futures of what the last pile
    /// costs, all that was gained on the way included. Without a piece to play it is the cost of the pile after the falling one.
    pub fn rate(
        &self,
        search: &Search<'_>,
        followers: &[[f64; 7]; 7],
        firsts: impl IntoIterator<Item = Pose>,
    ) -> Vec<Candidate> {
        let mut candidates = search.rate(firsts);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&a, &b| candidates[a].order(&candidates[b]));
        order.truncate(self.places);
        let Some(falling) = candidates.first().map(|first| first.pose.orientation.piece()) else { return candidates };
        let mut game = Game {
            search,
            nexts: Piece::ALL.map(|piece| search.next(piece, 1.0)),
            family: Family::default(),
            rated: candidates.len() as u64,
        };
        let mut futures = Futures::new(search, followers, self.pieces, self.budget.seed);
        let (mut sums, mut count) = (vec![0.0; order.len()], 0.0);
        let mut more = |rated: u64, count: f64| {
            futures.draw(falling, self.pieces).filter(|_| rated < self.budget.nodes || count == 0.0)
        };
        while let Some(future) = more(game.rated, count) {
            for (sum, &place) in sums.iter_mut().zip(&order) {
                *sum += game.play(candidates[place].pose, &future);
            }
            count += 1.0;
        }
        let mut played = vec![f64::INFINITY; candidates.len()];
        order.iter().zip(sums).for_each(|(&place, sum)| played[place] = sum / count);
        let mut costs: Vec<f64> = candidates.iter().map(|candidate| candidate.cost).collect();
        settle(&mut costs, &played);
        candidates.iter_mut().zip(costs).for_each(|(candidate, cost)| candidate.cost = cost);
        candidates
    }
}

/// Games that are played on.
struct Game<'a> {
    search: &'a Search<'a>,
    nexts: [Next<'a>; 7],
    family: Family,
    rated: u64,
}

impl Game<'_> {
    /// The cost at the end of a game that goes on with these pieces.
    fn play(&mut self, first: Pose, future: &[Piece]) -> f64 {
        let search = self.search;
        let (mut board, step) = Step::of(search.board, first);
        let mut steps = vec![step];
        for (place, &piece) in future.iter().enumerate() {
            let Some(step) = self.best(&board, piece, future.get(place + 1).copied()) else {
                return search.evaluator.cost_of_the_end(&search.after(&board, &steps));
            };
            board = place_of(&board, step);
            steps.push(step);
        }
        search.evaluator.cost(&search.after(&board, &steps))
    }

    /// Where a piece goes, if it can appear; the next one is known to who tells piles apart by it.
    fn best(&mut self, board: &Board, piece: Piece, next: Option<Piece>) -> Option<Step> {
        let search = self.search;
        if !self.family.answer(board, &self.nexts[piece.index()]) {
            return None;
        }
        self.rated += self.family.lasts.len() as u64;
        match (search.evaluator.by_next(), next) {
            (Some(value), Some(next)) => {
                let Family { lasts, costs, .. } = &mut self.family;
                let cost = |last: &Step| {
                    let worths = value.worths(search.level, &place_of(board, *last));
                    -f64::from(value.gain(last.lines) + value.discount() * worths[next.index()])
                };
                costs.clear();
                costs.extend(lasts.iter().map(cost));
            }
            _ => {
                self.family.rate(search, &[], board);
            }
        }
        let rated = self.family.lasts.iter().zip(&self.family.costs);
        let best = rated.min_by(|(a, cost), (b, other)| cost.total_cmp(other).then(a.pose.cmp(&b.pose)));
        best.map(|(step, _)| *step)
    }
}

fn place_of(board: &Board, step: Step) -> Board {
    place(board, step.pose).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{Afterstate, Brain, Evaluator, Manner, Moves, Weights};
    use crate::profile::layout::Layout;

    const ALIKE: [[f64; 7]; 7] = [[1.0 / 7.0; 7]; 7];

    fn rated(rollouts: Rollouts, followers: &[[f64; 7]; 7], evaluator: &dyn Evaluator) -> (Board, Vec<Candidate>) {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Unturned };
        let mut board = Board::default();
        [(19, 0b11_1101_1111), (18, 0b11_1101_1100), (17, 0b10_0001_1000)]
            .into_iter()
            .for_each(|(y, row)| board.set_row(y, row));
        let next = [(Piece::T, 1.0)];
        let search =
            Search { board: &board, level: 18, lines_left: None, next: &next, beyond: None, moves: &moves, evaluator };
        let all = rollouts.rate(&search, followers, moves.locks(&board, moves.spawn(Piece::L)));
        (board, all)
    }

    fn rollouts(places: usize, pieces: usize, nodes: u64) -> Rollouts {
        Rollouts { places, pieces, budget: Budget { nodes, seed: 5 } }
    }

    #[test]
    fn a_rollout_of_no_piece_is_the_evaluator() {
        for name in ["birken-2019", "learned-15hz"] {
            let brain = Brain::named(name).unwrap();
            let (board, all) = rated(rollouts(usize::MAX, 0, 1000), &ALIKE, brain.evaluator.as_ref());
            assert!(!all.is_empty());
            for candidate in all {
                let (after, step) = Step::of(&board, candidate.pose);
                let after = Afterstate { before: &board, board: &after, steps: &[step], level: 18 };
                assert_eq!(candidate.cost, brain.evaluator.cost(&after), "{name}");
            }
        }
    }

    #[test]
    fn a_rollout_plays_each_piece_where_the_evaluator_likes_the_pile_best() {
        // After each piece the same follows: one future.
        let same = Piece::ALL.map(|piece| Piece::ALL.map(|next| f64::from(u8::from(next == piece))));
        let weights = Weights::named("birken-2019").unwrap();
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let moves = Moves { movement: &movement, manner: Manner::Unturned };
        let (board, all) = rated(rollouts(usize::MAX, 2, 1), &same, &weights);
        for candidate in all {
            let (mut now, step) = Step::of(&board, candidate.pose);
            let mut steps = vec![step];
            for _ in 0..2 {
                let search = Search {
                    board: &now,
                    level: 18,
                    lines_left: None,
                    next: &[],
                    beyond: None,
                    moves: &moves,
                    evaluator: &weights,
                };
                let best = search.best(moves.locks(&now, moves.spawn(Piece::T))).unwrap();
                let (after, step) = Step::of(&now, best.pose);
                (now, steps) = (after, [steps, vec![step]].concat());
            }
            let expected = weights.cost(&Afterstate { before: &board, board: &now, steps: &steps, level: 18 });
            assert_eq!(candidate.cost, expected);
        }
    }

    #[test]
    fn it_is_the_same_by_the_same_seed_and_looks_only_at_the_best() {
        let brain = Brain::named("learned-15hz").unwrap();
        let of = |places, nodes| rated(rollouts(places, 5, nodes), &ALIKE, brain.evaluator.as_ref()).1;
        assert_eq!(of(4, 3000), of(4, 3000));
        assert_ne!(of(4, 100), of(4, 3000));
        let [few, all] = [4, usize::MAX].map(|places| of(places, 1));
        assert_eq!(few.len(), all.len());
        let both = few.iter().zip(&all).filter(|(few, all)| few.cost == all.cost).count();
        assert!((4..few.len()).contains(&both), "{both} of {}", few.len());
        let best = few.iter().min_by(|a, b| a.order(b)).unwrap();
        assert!(all.iter().any(|candidate| candidate == best));
    }
}
