//! Planning, on named boards from empty to terrible: `cargo bench --bench planner`.

#![allow(clippy::unwrap_used)]

use divan::{Bencher, black_box};
use stackhand::calibration::Timing;
use stackhand::game::{Board, Piece, Rules};
use stackhand::layout::Layout;
use stackhand::planner::robust::{Situation, SpawnWindow};
use stackhand::planner::{Filters, Movement, Planner, Reach, Weights, two_piece};
use stackhand::schedule::Finger;
use stackhand::time::HostTime;

fn main() {
    divan::main();
}

const BOARDS: [&str; 4] = ["empty", "tidy", "holes", "terrible"];

/// The lowest rows of a named board; what is not drawn is empty.
fn board(name: &str) -> Board {
    let rows: &[&str] = match name {
        "tidy" => &["....##....", "..#####...", "#########.", "#########."],
        "holes" => &["....#.....", "..##.#..##", "####.#####", "#.########", "###.######", "######.###"],
        "terrible" => &[
            ".#......#.",
            "##..#..##.",
            "#.#.##.#.#",
            ".##.#.####",
            "#.###.#.##",
            "##.#.####.",
            ".####.#.##",
            "#.#.#####.",
            "####.#.###",
            "#.######.#",
            "##.#.#####",
            ".####.##.#",
        ],
        _ => &[],
    };
    let mut all = vec![".........."; 20 - rows.len()];
    all.extend(rows);
    Board::parse(&all).unwrap()
}

fn movement() -> Movement {
    Movement::of(&Layout::load("nes").unwrap()).unwrap()
}

/// Every pose one piece can lock in, slides and spins included.
#[divan::bench(args = BOARDS)]
fn reach_of_one_piece(bencher: Bencher<'_, '_>, name: &str) {
    let (board, spawn) = (board(name), movement().spawn(Piece::T));
    bencher.bench(|| Reach::flood(black_box(&board), spawn).locks().count());
}

/// All placements of two pieces, rated.
#[divan::bench(args = BOARDS)]
fn two_pieces_without_time(bencher: Bencher<'_, '_>, name: &str) {
    let (board, movement) = (board(name), movement());
    let weights = Weights::default();
    bencher.bench(|| two_piece(black_box(&board), movement.spawn(Piece::T), Some(Piece::J), &movement, &weights));
}

/// A whole decision: search, path, presses, and the proof that they come out in every case.
#[divan::bench(args = [("empty", 0), ("tidy", 0), ("holes", 9), ("terrible", 9), ("tidy", 18), ("holes", 18), ("tidy", 29)])]
fn decision_with_time(bencher: Bencher<'_, '_>, (name, level): (&str, u8)) {
    let (board, movement, rules, timing) = (board(name), movement(), Rules::Nes, Timing::default());
    let from = movement.spawn(Piece::T);
    let (evaluator, filters) = (Box::new(Weights::default()), Filters::default());
    let planner = Planner { movement, evaluator, finger: Finger::RELAY, filters };
    let starts = [rules.spawn(Piece::T, from, level, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(55.0) };
    let situation = Situation { rules: &rules, board: &board, starts: &starts, window, timing: &timing };
    bencher.bench_local(|| planner.plan(black_box(&situation), from, Some(Piece::J), HostTime::from_ms(160.0)));
}
