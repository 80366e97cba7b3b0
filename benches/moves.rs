//! All places of a piece by bits, and counting to the end: `cargo bench --bench moves`.

#![allow(clippy::unwrap_used)]

mod boards;

use boards::board;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use stackhand::game::guideline::{self, facing_north, super_rotation};
use stackhand::game::movegen::{Field, Moves, perft};
use stackhand::game::{Handedness, Orientation, Piece, Pose, RotationSystem};

fn main() {
    divan::main();
}

const BOARDS: [&str; 4] = ["empty", "tidy", "holes", "terrible"];

/// A T of the guideline, counted.
#[divan::bench(args = BOARDS)]
fn places_with_kicks(bencher: Bencher<'_, '_>, name: &str) {
    let (moves, field) = (guideline::moves(), Field::of(&board(name)));
    bencher.bench(|| moves.count(black_box(&field), black_box(Piece::T)));
}

/// The same with what spins lead there.
#[divan::bench(args = BOARDS)]
fn places_with_spins(bencher: Bencher<'_, '_>, name: &str) {
    let (moves, field) = (guideline::moves(), Field::of(&board(name)));
    bencher.bench(|| moves.landings(black_box(&field)));
}

/// A T of the NES, counted.
#[divan::bench(args = BOARDS)]
fn places_without_kicks(bencher: Bencher<'_, '_>, name: &str) {
    let spawn = |piece| Pose { x: 5, y: 0, orientation: Orientation::spawn(piece) };
    let moves = Moves::new(RotationSystem::classic(Handedness::Right), 20, spawn);
    let field = Field::of(&board(name));
    bencher.bench(|| moves.count(black_box(&field), black_box(Piece::T)));
}

/// I, O, L, J, S, Z and T one after the other, 2,647,076,135 ways, from row 19 above the floor, counted from 0. Items are leaves.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn seven_pieces_to_the_end(bencher: Bencher<'_, '_>) {
    const LEAVES: u64 = 2_647_076_135;
    let moves = Moves::new(super_rotation(), 40, |piece| facing_north(piece, 4, 20));
    let pieces = [Piece::I, Piece::O, Piece::L, Piece::J, Piece::S, Piece::Z, Piece::T];
    bencher.counter(ItemsCount::new(LEAVES)).bench(|| {
        assert_eq!(perft(&moves, &Field::default(), black_box(&pieces)), LEAVES);
    });
}
