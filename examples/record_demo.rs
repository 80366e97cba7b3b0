//! Records the demo that the simulated console shows on its title screen, `calibration/demos/stackhand.txt`: over many
//! sequences of pieces, a player that sees into the console plays until the table of buttons is full; the game with the
//! most points is the demo.
//!
//! `cargo run --release --example record_demo > calibration/demos/stackhand.txt`

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::machine::demo::{Demo, PAIRS, PIECES, byte_of};
use stackhand::game::machine::{Console, Phase, Recording, Setup};
use stackhand::game::{Board, Buttons, Control, Orientation, Piece, Pose};
use std::sync::Arc;

/// Sequences of pieces that are tried.
const GAMES: u64 = 100;
/// A demo that lasts longer than 100 s is none.
const FRAMES_MAX: u32 = 6000;

fn main() {
    let ready = ready();
    let best = (0..GAMES).filter_map(|seed| record(&ready, seed)).max_by_key(|(_, points)| *points);
    match best {
        Some((demo, points)) => {
            print!("{}", demo.to_text());
            eprintln!("{points} points");
        }
        None => eprintln!("no game filled the table; let more of them be played"),
    }
}

/// A console that is about to load the demo.
fn ready() -> Console {
    let mut console = Console::power_on(Setup::default());
    console.record_demo();
    console.wait_for_demo();
    console
}

/// The demo and its points, if the table was filled in time and nothing was held for too long.
fn record(ready: &Console, seed: u64) -> Option<(Demo, u32)> {
    let (mut console, mut player) = (ready.clone(), Player::default());
    console.insert_demo(Arc::new(Demo::blank(pieces(seed))));
    let mut frames = 0;
    while console.is_demo() && frames < FRAMES_MAX {
        let held = player.hold(&console);
        console.frame(held);
        frames += 1;
    }
    let (demo, Recording { pairs, forgotten }) = console.recorded_demo()?;
    let is_whole = frames < FRAMES_MAX && usize::from(pairs) == PAIRS && forgotten == 0;
    is_whole.then(|| played(demo))
}

/// What is recorded plays a frame later (see docs/simulation.md), so that rows may vanish sooner or later than they did:
/// the points are those of the demo as it is shown.
fn played(demo: Demo) -> (Demo, u32) {
    let mut console = Console::power_on(Setup::default());
    console.insert_demo(Arc::new(demo.clone()));
    console.wait_for_demo();
    while console.is_demo() {
        console.frame(Buttons::NONE);
    }
    (demo, console.counters.score)
}

/// No piece comes twice in a row.
fn pieces(seed: u64) -> [u8; PIECES] {
    let (mut dice, mut last) = (Xoshiro256PlusPlus::seed_from_u64(seed), None);
    std::array::from_fn(|_| {
        let piece = loop {
            let piece = Piece::from_index(dice.random_range(0..7));
            if last != Some(piece) {
                break piece;
            }
        };
        last = Some(piece);
        byte_of(piece)
    })
}

/// Turns with taps, shifts by holding, then holds Down: few changes a piece, for the table has 256 of them.
#[derive(Default)]
struct Player {
    target: Option<Pose>,
    held: Buttons,
}

impl Player {
    fn hold(&mut self, console: &Console) -> Buttons {
        self.held = match console.phase {
            Phase::Falling => self.steer(console),
            _ => {
                self.target = None;
                Buttons::NONE
            }
        };
        self.held
    }

    fn steer(&mut self, console: &Console) -> Buttons {
        let pose = console.control.pose;
        let target = *self.target.get_or_insert_with(|| best(&console.board, pose, console.next).unwrap_or(pose));
        let mut wanted = match target.x - pose.x {
            0 => Buttons::NONE,
            dx if dx > 0 => Buttons::RIGHT,
            _ => Buttons::LEFT,
        };
        if pose.orientation != target.orientation {
            let back = Control::rotation().turned(pose, false).orientation == target.orientation;
            let turn = if back { Buttons::B } else { Buttons::A };
            wanted |= turn.without(self.held);
        } else if wanted == Buttons::NONE {
            wanted = Buttons::DOWN;
        }
        wanted
    }
}

/// The best place for a piece, with the next one in mind.
fn best(board: &Board, from: Pose, next: Piece) -> Option<Pose> {
    let after = |pose: &Pose| {
        let (board, cleared) = placed(board, *pose);
        let next = stackhand::game::machine::spawn_pose(next);
        let worths = places(&board, next).into_iter().map(|pose| {
            let (board, more) = placed(&board, pose);
            worth(&board) + 800 * more * more
        });
        worths.max().unwrap_or(i64::MIN / 2) + 800 * cleared * cleared
    };
    places(board, from).into_iter().max_by_key(after)
}

/// Where the piece comes to rest when it is turned and moved above the pile and dropped.
fn places(board: &Board, from: Pose) -> Vec<Pose> {
    let starts = Orientation::shapes(from.orientation.piece())
        .flat_map(|orientation| (0..board.width() as i8).map(move |x| Pose { x, orientation, ..from }));
    let rest = |start: Pose| (0..).map(|dy| start.moved(0, dy)).take_while(|pose| pose.fits(board)).last();
    starts.filter_map(rest).collect()
}

fn placed(board: &Board, pose: Pose) -> (Board, i64) {
    let mut after = *board;
    pose.stamp(&mut after);
    let cleared = after.clear_full_rows() as i64;
    (after, cleared)
}

/// Low, even and without covered cells is good.
fn worth(board: &Board) -> i64 {
    let height = |x: usize| (0..20).find(|&y| board.is_full(x, y)).map_or(0, |y| 20 - y as i64);
    let heights: Vec<i64> = (0..10).map(height).collect();
    let filled = |x: usize| (0..20).filter(|&y| board.is_full(x, y)).count() as i64;
    let covered: i64 = (0..10).map(|x| heights[x] - filled(x)).sum();
    let steps: i64 = heights.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum();
    -510 * heights.iter().sum::<i64>() - 3600 * covered - 184 * steps
}
