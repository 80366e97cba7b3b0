//! Planning, on named boards from empty to terrible: `cargo bench --bench planner`.

#![allow(clippy::unwrap_used)]

mod boards;

use boards::board;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use stackhand::game::Buttons;
use stackhand::game::nes::{Control, Region};
use stackhand::game::{Movement, Pace, Piece, Reach, Rules};
use stackhand::planner::timed::{Hand, Holds, Style, Taps};
use stackhand::planner::{
    Brain, Coming, Evaluator, Filters, Manner, Moves, Planner, Search, Siblings, Step, Touch, Weights, two_piece,
};
use stackhand::profile::calibration::Timing;
use stackhand::profile::layout::Layout;
use stackhand::schedule::Finger;
use stackhand::schedule::outcome::Situation;
use stackhand::schedule::polls::{SpawnWindow, Spawns};
use stackhand::time::HostTime;

fn main() {
    divan::main();
}

/// The piece that moves is T and the next one is J throughout.
const BOARDS: [&str; 4] = ["empty", "tidy", "holes", "terrible"];

fn movement() -> Movement {
    Layout::load("nes").unwrap().movement().unwrap()
}

/// Every pose one piece can lock in, slides and spins included.
#[divan::bench(args = BOARDS)]
fn reach_of_one_piece(bencher: Bencher<'_, '_>, name: &str) {
    let (board, spawn) = (board(name), movement().spawn(Piece::T));
    bencher.bench(|| Reach::flood(black_box(&board), spawn, Control::rotation()).locks().count());
}

/// All placements of two pieces, rated.
#[divan::bench(args = BOARDS)]
fn two_pieces_without_time(bencher: Bencher<'_, '_>, name: &str) {
    let (board, movement) = (board(name), movement());
    let (weights, moves) = (Weights::default(), Moves::freely(&movement));
    bencher.bench(|| two_piece(black_box(&board), movement.spawn(Piece::T), Some(Piece::J), &moves, &weights));
}

/// A whole move of the literature's game: one piece dropped, Dellacherie's features. Items are piles rated.
#[divan::bench(args = BOARDS)]
fn one_piece_dropped(bencher: Bencher<'_, '_>, name: &str) {
    let (board, movement, weights) = (board(name), movement(), Weights::named("dellacherie").unwrap());
    let moves = Moves { movement: &movement, manner: Manner::Dropping };
    let piles = moves.locks(&board, movement.spawn(Piece::T)).len();
    bencher.counter(ItemsCount::new(piles)).bench(|| {
        let board = black_box(&board);
        let search =
            Search { board, level: 0, lines_left: None, next: &[], beyond: None, moves: &moves, evaluator: &weights };
        search.best(moves.locks(board, movement.spawn(Piece::T)))
    });
}

/// Rating alone: all piles that one piece can make, Dellacherie's features.
#[divan::bench(args = BOARDS)]
fn piles_rated(bencher: Bencher<'_, '_>, name: &str) {
    let (board, movement, weights) = (board(name), movement(), Weights::named("dellacherie").unwrap());
    let moves = Moves { movement: &movement, manner: Manner::Dropping };
    let lasts: Vec<Step> = moves.locks(&board, movement.spawn(Piece::T)).into_iter().map(Step::on(&board)).collect();
    let mut costs = vec![0.0; lasts.len()];
    bencher.counter(ItemsCount::new(lasts.len())).bench_local(|| {
        let board = black_box(&board);
        let siblings = Siblings { before: board, level: 0, firsts: &[], board, lasts: &lasts, shown: None };
        weights.costs(&siblings, black_box(&mut costs));
    });
}

/// A finger by its name: taps a second, or a relay's two frames closed and two open.
fn hand(finger: &str) -> Hand {
    let (press, gap) = match finger {
        "30Hz" => (1, 1),
        "20Hz" => (2, 1),
        "15Hz" | "relay" => (2, 2),
        "12Hz" => (3, 2),
        _ => (3, 3),
    };
    Hand::new(press, gap).unwrap()
}

/// Board, finger, level: every finger where it is hardest, and the quickest one at every speed.
const TAPPED: [(&str, &str, u8); 12] = [
    ("empty", "30Hz", 18),
    ("tidy", "30Hz", 18),
    ("holes", "30Hz", 18),
    ("terrible", "30Hz", 18),
    ("empty", "15Hz", 18),
    ("empty", "12Hz", 18),
    ("empty", "10Hz", 18),
    ("empty", "30Hz", 0),
    ("empty", "10Hz", 0),
    ("empty", "30Hz", 9),
    ("empty", "30Hz", 19),
    ("empty", "30Hz", 29),
];

/// Every pose that a finger can tap one piece into, listed.
#[divan::bench(args = TAPPED)]
fn tapped_reach(bencher: Bencher<'_, '_>, (name, finger, level): (&str, &str, u8)) {
    let (board, pace, hand) = (board(name), Pace::of(Region::Ntsc, level), hand(finger));
    let start = Control::spawn(Piece::T, 0, Buttons::NONE);
    bencher.bench(|| Taps::reach(black_box(&board), &start, pace, hand).locks().map(|(pose, _)| pose.x).max());
}

/// The same with auto-shift and soft drop.
#[divan::bench(args = TAPPED)]
fn held_reach(bencher: Bencher<'_, '_>, (name, finger, level): (&str, &str, u8)) {
    let (board, pace, hand) = (board(name), Pace::of(Region::Ntsc, level), hand(finger));
    let start = Control::spawn(Piece::T, 0, Buttons::NONE);
    bencher.bench(|| Holds::reach(black_box(&board), &start, pace, hand).locks().map(|pose| pose.x).max());
}

/// The buttons of one way, frame by frame.
#[divan::bench(args = [Style::Taps, Style::Holds])]
fn way_at_level_18(bencher: Bencher<'_, '_>, style: Style) {
    let touch = Touch { pace: Pace::of(Region::Ntsc, 18), hand: hand("30Hz"), style };
    let reach = touch.reach(&board("tidy"), &Control::spawn(Piece::T, 0, Buttons::NONE));
    let pose = reach.locks().last().unwrap();
    bencher.bench_local(|| reach.way(black_box(pose)));
}

/// All that a finger can do with two pieces at level 18, rated.
#[divan::bench(args = BOARDS.iter().flat_map(|&b| [(b, "30Hz", Style::Taps), (b, "relay", Style::Taps), (b, "30Hz", Style::Holds), (b, "relay", Style::Holds)]))]
fn two_pieces_with_time(bencher: Bencher<'_, '_>, (name, finger, style): (&str, &str, Style)) {
    let (board, weights) = (board(name), Weights::default());
    let touch = Touch { pace: Pace::of(Region::Ntsc, 18), hand: hand(finger), style };
    let (start, movement) = (Control::spawn(Piece::T, 0, Buttons::NONE), movement());
    let moves = Moves { movement: &movement, manner: Manner::Timed(touch) };
    bencher.bench(|| {
        let (board, next) = (black_box(&board), [(Piece::J, 1.0)]);
        let search = Search {
            board,
            level: 18,
            lines_left: None,
            next: &next,
            beyond: None,
            moves: &moves,
            evaluator: &weights,
        };
        search.rank(touch.reach(board, &start).locks())
    });
}

/// A whole decision: search, path, presses, and the proof that they come out in every case.
#[divan::bench(args = [("empty", 0), ("tidy", 0), ("holes", 9), ("terrible", 9), ("tidy", 18), ("holes", 18), ("tidy", 29)])]
fn decision_with_time(bencher: Bencher<'_, '_>, (name, level): (&str, u8)) {
    let (board, movement, rules, timing) = (board(name), movement(), Rules::Nes, Timing::default());
    let from = movement.spawn(Piece::T);
    let (brain, filters) = (Brain::default(), Filters::default());
    let planner = Planner::new(movement, 20, brain, Finger::RELAY, filters);
    let starts = [rules.spawn(Piece::T, from, level, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(55.0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    bencher.bench_local(|| {
        planner.plan(black_box(&situation), from, &Coming::of(Some(Piece::J)), HostTime::from_ms(160.0))
    });
}
