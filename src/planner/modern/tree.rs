//! A look ahead over the pieces that are shown: again and again the best pile of every depth that was not looked at yet is grown
//! by a piece. So the deepest is reached at once, what is good is looked at first, and there is an answer whenever it is asked for.

use super::rating::Pile;
use super::state::{Bag, Placement, State, landings, lock};
use super::weights::Weights;
use crate::game::Piece;
use crate::game::guideline::{ROWS, Sequence};
use crate::game::movegen::{Field, Landing, Moves};
use crate::planner::coming::Hold;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Piles to rate for a move where nothing else is said: with five next pieces 99 of 100 moves take less than 5 ms on one core
/// (docs/modern-brain.md has the measurement).
pub const NODES: u64 = 8_000;

/// Piles that are grown at one depth before the next is: more of them make a pass longer, fewer follow first impressions.
const AT_ONCE: usize = 2;
/// Pieces T for which slots are counted, at most.
const TS_MAX: u32 = 2;
/// A bag with so few pieces is soon followed by another one with a T.
const BAG_ENDS: u32 = 3;

/// A pile that is grown.
#[derive(Clone, Copy)]
struct Node {
    field: Field,
    hold: Option<Piece>,
    /// The piece that falls, by its place in the queue.
    next: u8,
    sequence: Sequence,
    combo: u8,
    /// Rows of opponents that wait, and those that appeared.
    waiting: u16,
    risen: u16,
    /// Which placement of the falling piece it came from.
    first: u16,
    /// What the lock downs on the way were worth.
    earned: f32,
}

/// What a lock down made of a node. Most are never grown, so that their piles are not kept.
#[derive(Clone, Copy)]
struct Child {
    /// By its place in the list of those that are grown.
    parent: u32,
    landing: Landing,
    by_hold: bool,
    /// As the node that it becomes.
    first: u16,
    earned: f32,
}

/// A child in the order in which they are grown.
#[derive(Clone, Copy)]
struct Ranked {
    worth: f32,
    child: u32,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equals the one that was found first.
        self.worth.total_cmp(&other.worth).then(other.child.cmp(&self.child))
    }
}

/// Keys are mixed already.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0 << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// All that is known after so many lock downs.
#[derive(Default)]
struct Layer {
    waiting: BinaryHeap<Ranked>,
    /// The most that was earned on a way to each pile.
    seen: HashMap<u64, f32, BuildHasherDefault<Mixed>>,
    /// The best pile that each first placement leads to.
    best: Vec<f32>,
}

/// A placement of the falling piece, or of the one that hold brings, and what a look ahead found of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// The placement.
    pub placement: Placement,
    /// So many lock downs deep it was looked at; 0 if it loses at once.
    pub depth: usize,
    /// What the best pile there is worth, in lines sent.
    pub worth: f32,
}

/// A look ahead from one state.
pub struct Tree<'a> {
    moves: &'a Moves,
    weights: &'a Weights,
    queue: Vec<Piece>,
    holding: Hold,
    /// Pieces T that can be had from each place in the queue on, the held one aside.
    ts: Vec<u32>,
    firsts: Vec<Placement>,
    /// Those that are grown; the first is the state itself.
    nodes: Vec<Node>,
    children: Vec<Child>,
    layers: Vec<Layer>,
    rated: u64,
}

impl<'a> Tree<'a> {
    /// Nothing is looked at yet.
    pub fn new(moves: &'a Moves, weights: &'a Weights, state: &State) -> Self {
        // Who holds into an empty hold queue uses up a piece more; all are looked at as deep.
        let depth = state.queue.len().saturating_sub(usize::from(state.holding != Hold::Never && state.hold.is_none()));
        let comes_soon = |bag: Bag| bag.has(Piece::T) || bag.count() <= BAG_ENDS;
        let bag = u32::from(state.bag.is_some_and(comes_soon));
        let shown = |from: usize| state.queue[from..].iter().filter(|piece| **piece == Piece::T).count() as u32;
        let root = Node {
            field: state.field,
            hold: state.hold,
            next: 0,
            sequence: state.sequence,
            combo: state.combo.min(u32::from(u8::MAX)) as u8,
            waiting: state.waiting.min(ROWS as u32) as u16,
            risen: 0,
            first: 0,
            earned: 0.0,
        };
        let firsts = state.placements(moves);
        let layer = || Layer { best: vec![f32::NEG_INFINITY; firsts.len()], ..Layer::default() };
        Self {
            moves,
            weights,
            queue: state.queue.clone(),
            holding: state.holding,
            ts: (0..=state.queue.len()).map(|from| bag + shown(from)).collect(),
            layers: (0..=depth.max(1)).map(|_| layer()).collect(),
            firsts,
            nodes: vec![root],
            children: Vec::new(),
            rated: 0,
        }
    }

    /// Piles that were rated.
    pub fn rated(&self) -> u64 {
        self.rated
    }

    /// Lock downs to which it looks ahead at most.
    pub fn depth(&self) -> usize {
        self.layers.len() - 1
    }

    /// Whether something is left to be looked at.
    pub fn is_growing(&self) -> bool {
        self.rated == 0 && !self.firsts.is_empty()
            || self.layers[..self.depth()].iter().any(|layer| !layer.waiting.is_empty())
    }

    /// One pass through all depths; false if there is nothing left to be looked at.
    pub fn grow(&mut self) -> bool {
        let mut has_grown = self.rated == 0 && !self.firsts.is_empty();
        if has_grown {
            self.expand(0, 0);
        }
        for depth in 1..self.depth() {
            for _ in 0..AT_ONCE {
                let Some(Ranked { child, .. }) = self.layers[depth].waiting.pop() else { break };
                let child = self.children[child as usize];
                self.nodes.push(self.grown(&child));
                self.expand(depth, self.nodes.len() - 1);
                has_grown = true;
            }
        }
        has_grown
    }

    /// Passes until so many piles are rated in all, or nothing is left.
    pub fn grow_to(&mut self, rated: u64) {
        while self.rated < rated && self.grow() {}
    }

    /// The first placements, the best one first: those that lead to the best pile at the greatest depth. At last those that lose
    /// at once, which is all that is left sometimes.
    pub fn ranking(&self) -> Vec<Placement> {
        self.rated_ranking().into_iter().map(|found| found.placement).collect()
    }

    /// The same with what was found of each.
    pub fn rated_ranking(&self) -> Vec<Rated> {
        let key = |first: usize| {
            let deepest = self.layers.iter().rposition(|layer| layer.best[first] > f32::NEG_INFINITY);
            deepest.map_or((0, f32::NEG_INFINITY), |depth| (depth, self.layers[depth].best[first]))
        };
        let mut all: Vec<_> = (0..self.firsts.len()).map(|first| (key(first), first)).collect();
        all.sort_by(|((a, x), i), ((b, y), j)| b.cmp(a).then(y.total_cmp(x)).then(i.cmp(j)));
        let rated =
            |((depth, worth), first): ((usize, f32), usize)| Rated { placement: self.firsts[first], depth, worth };
        all.into_iter().map(rated).collect()
    }

    /// The piece that falls, and what is held and falls next after it was placed; the same for the piece that hold brings.
    fn choices(&self, node: &Node) -> [Option<(Piece, Option<Piece>, usize)>; 2] {
        let at = usize::from(node.next);
        let Some(&falling) = self.queue.get(at) else { return [None, None] };
        let other = match node.hold {
            Some(held) => Some((held, Some(falling), at + 1)),
            None => self.queue.get(at + 1).map(|next| (*next, Some(falling), at + 2)),
        };
        [
            Some((falling, node.hold, at + 1)),
            other.filter(|(other, ..)| self.holding != Hold::Never && *other != falling),
        ]
    }

    /// All that can be done with the piece that falls on a pile, and with the one that hold brings.
    fn expand(&mut self, depth: usize, parent: usize) {
        let node = self.nodes[parent];
        let mut first = node.first;
        for (choice, by_hold) in self.choices(&node).into_iter().zip([false, true]) {
            let is_refused = by_hold && depth == 0 && self.holding != Hold::Now;
            let Some((piece, hold, next)) = choice.filter(|_| !is_refused) else { continue };
            let ts = (self.ts[next.min(self.queue.len())] + u32::from(hold == Some(Piece::T))).min(TS_MAX);
            for landing in landings(self.moves, &node.field, piece) {
                let child = Child { parent: parent as u32, landing, by_hold, first, earned: 0.0 };
                first += u16::from(depth == 0);
                self.rate(depth + 1, &node, child, (hold, next), ts);
            }
        }
    }

    /// Rates a child and lets it wait to be grown, unless the same pile was reached as well.
    #[inline]
    fn rate(&mut self, depth: usize, node: &Node, child: Child, after: (Option<Piece>, usize), ts: u32) {
        let (hold, next) = after;
        let (field, sequence, placed) = lock(self.moves, &node.field, node.sequence, child.landing);
        // What is not countered at once appears.
        let left = u32::from(node.waiting).saturating_sub(placed.sent);
        let risen = u32::from(node.risen) + left;
        self.rated += 1;
        if placed.is_lost || field.height() + risen as usize > ROWS {
            return;
        }
        let piece = child.landing.place.orientation.piece();
        let earned = node.earned + self.weights.of_lock(piece, &placed, u32::from(node.combo), left);
        let layer = &mut self.layers[depth];
        let before = layer.seen.entry(key(&field, hold, next, sequence)).or_insert(f32::NEG_INFINITY);
        if *before >= earned {
            return;
        }
        *before = earned;
        let worth = earned + self.weights.of_pile(&Pile { field: &field, risen, hold, sequence, ts });
        let best = &mut layer.best[usize::from(child.first)];
        *best = best.max(worth);
        layer.waiting.push(Ranked { worth, child: self.children.len() as u32 });
        self.children.push(Child { earned, ..child });
    }

    /// The node that a child becomes.
    fn grown(&self, child: &Child) -> Node {
        let node = &self.nodes[child.parent as usize];
        let (field, sequence, placed) = lock(self.moves, &node.field, node.sequence, child.landing);
        let (hold, next) = match self.choices(node)[usize::from(child.by_hold)] {
            Some((_, hold, next)) => (hold, next),
            None => (node.hold, self.queue.len()),
        };
        Node {
            field,
            hold,
            next: next as u8,
            sequence,
            combo: if placed.lines > 0 { node.combo.saturating_add(1) } else { 0 },
            waiting: 0,
            risen: node.risen + node.waiting.saturating_sub(placed.sent as u16),
            first: child.first,
            earned: child.earned,
        }
    }
}

/// The best placement that rating so many piles finds; nothing if no piece can be placed.
pub fn best(moves: &Moves, weights: &Weights, state: &State, nodes: u64) -> Option<Placement> {
    let mut tree = Tree::new(moves, weights, state);
    tree.grow_to(nodes);
    tree.ranking().first().copied()
}

/// What makes two piles the same for all that follows.
#[inline]
fn key(field: &Field, hold: Option<Piece>, next: usize, sequence: Sequence) -> u64 {
    let rest = hold.map_or(7, Piece::index) as u64 | (next as u64) << 3 | u64::from(sequence.is_on()) << 11;
    field.mixed(rest)
}

#[cfg(test)]
mod tests {
    use super::super::drawn::field;
    use super::*;
    use crate::game::guideline::{Action, Queue, moves};
    use crate::game::{Board, Piece};

    fn state(rows: &[&str], hold: Option<Piece>, queue: &str) -> State {
        let queue = queue.chars().filter_map(Piece::from_letter).collect();
        State { field: field(rows), hold, ..State::new(queue, None) }
    }

    /// The best placement, and what it does.
    fn action(state: &State) -> (Placement, Action) {
        let (moves, weights) = (moves(), Weights::default());
        let found = best(&moves, &weights, state, 2000).unwrap();
        (found, state.clone().place(&moves, found).award.action)
    }

    #[test]
    fn four_lines_are_taken_with_the_i_wherever_it_is() {
        let well = ["#########."; 4];
        assert_eq!(action(&state(&well, None, "IO")).1, Action::Tetris);
        assert_eq!(action(&state(&well, None, "OI")).1, Action::Tetris);
        let (found, done) = action(&state(&well, Some(Piece::I), "OS"));
        assert!(found.by_hold && done == Action::Tetris);
    }

    #[test]
    fn a_t_is_spun_into_a_slot() {
        let slot = ["##........", "#...######", "##.#######"];
        assert_eq!(action(&state(&slot, None, "TO")).1, Action::TSpinDouble);
        assert_eq!(action(&state(&slot, Some(Piece::T), "OZ")).1, Action::TSpinDouble);
    }

    #[test]
    fn the_same_state_and_count_give_the_same_answer_and_all_of_it_can_be_done() {
        let (moves, weights) = (moves(), Weights::default());
        for seed in 0..5 {
            let mut pieces = Queue::new(seed);
            let mut state = State::new((0..6).map(|_| pieces.draw()).collect(), Some(Bag::FULL));
            for _ in 0..20 {
                let ranking = |nodes| {
                    let mut tree = Tree::new(&moves, &weights, &state);
                    tree.grow_to(nodes);
                    (tree.ranking(), tree.rated())
                };
                let (ranked, rated) = ranking(500);
                assert_eq!(ranking(500), (ranked.clone(), rated));
                assert!(rated >= 500);
                let possible = state.placements(&moves);
                assert!(!ranked.is_empty() && ranked.iter().all(|found| possible.contains(found)));
                state.place(&moves, ranked[0]);
                while state.queue.len() < 6 {
                    state.show(pieces.draw());
                }
            }
        }
    }

    #[test]
    fn a_piece_that_came_out_of_hold_is_not_put_back_and_without_hold_none_is_put_there() {
        let well = ["#########."; 4];
        for holding in [Hold::Later, Hold::Never] {
            let state = State { holding, ..state(&well, Some(Piece::I), "OSTZ") };
            let (moves, weights) = (moves(), Weights::default());
            let mut tree = Tree::new(&moves, &weights, &state);
            tree.grow_to(2000);
            let ranked = tree.rated_ranking();
            assert!(ranked.iter().all(|found| !found.placement.by_hold && found.placement.piece() == Piece::O));
            // All of them are looked at as far as the queue goes: no pile of another first piece takes their place.
            assert_eq!(ranked[0].depth, tree.depth());
            assert_eq!(tree.depth(), 4);
        }
    }

    #[test]
    fn who_has_no_room_has_no_answer_and_few_pieces_are_enough_for_one() {
        let (moves, weights) = (moves(), Weights::default());
        let mut full = state(&[], None, "TOI");
        full.field = Field::of(&Board::parse(&["#########."; 24]).unwrap());
        assert_eq!(best(&moves, &weights, &full, 100), None);
        // An O can only lock above the skyline, which is the end, and still an answer.
        let mut last = state(&["###.######"; 20], None, "O");
        let found = best(&moves, &weights, &last, 100).unwrap();
        assert!(last.place(&moves, found).is_lost);
        assert_eq!(best(&moves, &weights, &state(&[], None, ""), 100), None);
        assert!(best(&moves, &weights, &state(&[], None, "S"), 100).is_some());
    }
}
