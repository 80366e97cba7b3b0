//! The look ahead of the modern game's brain over five next pieces: `cargo bench --bench modern`.

#![allow(clippy::unwrap_used)]

mod boards;

use boards::board;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use stackhand::game::Piece;
use stackhand::game::guideline::{self, Queue};
use stackhand::game::movegen::Field;
use stackhand::planner::modern::{Bag, NODES, State, Tree, Weights};

fn main() {
    divan::main();
}

const BOARDS: [&str; 4] = ["empty", "well", "slot", "terrible"];

/// The falling piece and five next ones above a named board, a T held.
fn state(name: &str) -> State {
    let field = Field::of(&board(name));
    let mut pieces = Queue::new(1);
    let queue = (0..6).map(|_| pieces.draw()).collect();
    State { field, hold: Some(Piece::T), ..State::new(queue, Some(Bag::FULL)) }
}

/// Items are rated piles.
#[divan::bench(args = BOARDS)]
fn a_move(bencher: Bencher<'_, '_>, name: &str) {
    let (moves, weights, state) = (guideline::moves(), Weights::default(), state(name));
    bencher.counter(ItemsCount::new(NODES)).bench(|| {
        let mut tree = Tree::new(&moves, &weights, black_box(&state));
        tree.grow_to(NODES);
        tree.ranking().first().copied()
    });
}
