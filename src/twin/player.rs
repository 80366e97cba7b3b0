//! A player of the simulated console who sees into it: it plays plausibly and not too well, so that piles grow, lines
//! clear now and then, and games end.

use crate::game::Buttons;
use crate::game::machine::{Console, Phase};
use crate::game::{Board, Control, Orientation, Pose};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Start is pressed for one frame in this many while no game runs.
const START_EVERY_FRAMES: i64 = 40;
/// What one more covered empty cell is worth in rows of height, summed over a piece's four cells.
const COVERED_CELL: i32 = 6;

/// The player.
#[derive(Debug, Clone)]
pub struct Player {
    dice: Xoshiro256PlusPlus,
    /// Placements it looks at before it takes the best of them: 1 is blind.
    choices: u32,
    /// Frames from a piece's appearance to the first tap.
    reaction_frames: u32,
    /// Frames from one tap to the next.
    tap_frames: u32,
    /// In how many of ten pieces it presses Down.
    drops_in_ten: u32,
    /// Where the falling piece shall go, and whether Down is pressed on the way.
    target: Option<(Pose, bool)>,
    /// Taps without purpose before the piece is steered.
    fidgets: u32,
    wait: u32,
}

impl Player {
    /// A player whose skill, haste and luck come from the seed.
    pub fn new(seed: u64) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self {
            choices: dice.random_range(1..=16),
            // 50 to 250 ms: a quick player has seen the piece before, in the next box.
            reaction_frames: dice.random_range(3..=15),
            tap_frames: dice.random_range(3..=9),
            drops_in_ten: dice.random_range(3..=10),
            target: None,
            fidgets: 0,
            wait: 0,
            dice,
        }
    }

    /// The buttons held in the console's next frame.
    pub fn hold(&mut self, console: &Console) -> Buttons {
        match console.phase {
            Phase::Falling => self.steer(console),
            Phase::Menu | Phase::Curtain | Phase::Ending | Phase::Paused
                if console.frame.0 % START_EVERY_FRAMES == 0 =>
            {
                Buttons::START
            }
            _ => {
                self.target = None;
                Buttons::NONE
            }
        }
    }

    fn steer(&mut self, console: &Console) -> Buttons {
        let pose = console.control.pose;
        let (target, drop) = match self.target {
            Some(known) => known,
            None => {
                self.wait = self.reaction_frames;
                self.choose(&console.board, pose)
            }
        };
        self.target = Some((target, drop));
        if self.wait > 0 {
            self.wait -= 1;
            return Buttons::NONE;
        }
        let tap = if self.fidgets > 0 {
            self.fidgets -= 1;
            [Buttons::LEFT, Buttons::RIGHT, Buttons::A, Buttons::B][self.dice.random_range(0..4)]
        } else if pose.orientation != target.orientation {
            if Control::rotation().turned(pose, false).orientation == target.orientation {
                Buttons::B
            } else {
                Buttons::A
            }
        } else if pose.x != target.x {
            if pose.x < target.x { Buttons::RIGHT } else { Buttons::LEFT }
        } else {
            return if drop { Buttons::DOWN } else { Buttons::NONE };
        };
        self.wait = self.tap_frames;
        tap
    }

    /// The best of a few placements drawn at random.
    fn choose(&mut self, board: &Board, from: Pose) -> (Pose, bool) {
        self.fidgets = self.dice.random_range(0..8u32).saturating_sub(5);
        let places = places(board, from);
        let drop = self.dice.random_range(0..10) < self.drops_in_ten;
        if places.is_empty() {
            return (from, drop);
        }
        let drawn = (0..self.choices).map(|_| places[self.dice.random_range(0..places.len())]);
        (drawn.max_by_key(|pose| worth(board, *pose)).unwrap_or(from), drop)
    }
}

/// Where the piece comes to rest when it is turned and moved above the pile and dropped.
fn places(board: &Board, from: Pose) -> Vec<Pose> {
    let mut turns: Vec<Orientation> = Orientation::shapes(from.orientation.piece()).collect();
    // In the console's order, so that a seed draws what it always drew.
    turns.sort_by_key(|orientation| orientation.id());
    let starts = turns
        .into_iter()
        .flat_map(|orientation| (0..board.width() as i8).map(move |x| Pose { x, orientation, ..from }));
    let rest = |start: Pose| (0..).map(|dy| start.moved(0, dy)).take_while(|pose| pose.fits(board)).last();
    starts.filter_map(rest).collect()
}

/// Low is good, empty cells under the piece are bad.
fn worth(board: &Board, pose: Pose) -> i32 {
    let mut after = *board;
    pose.stamp(&mut after);
    after.clear_full_rows();
    let depth: i32 = pose.cells().iter().map(|&(_, y)| i32::from(y)).sum();
    depth - COVERED_CELL * covered(&after)
}

/// Empty cells below a full one.
fn covered(board: &Board) -> i32 {
    let mut roof = 0u16;
    let rows = board.rows().iter().map(|&row| {
        roof |= row;
        (roof & !row).count_ones() as i32
    });
    rows.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::machine::Event;

    #[test]
    fn players_clear_lines_lose_games_and_begin_new_ones() {
        let (mut lines, mut over, mut pieces) = (0, 0, 0);
        for seed in 0..8 {
            let (mut console, mut player) = (Console::new(9, 600), Player::new(seed));
            for _ in 0..20_000 {
                let held = player.hold(&console);
                match console.frame(held) {
                    Some(Event::Cleared(rows)) => lines += u32::from(rows),
                    Some(Event::GameOver) => over += 1,
                    Some(Event::Spawned(..)) => pieces += 1,
                    _ => {}
                }
            }
        }
        assert!(pieces > 500 && lines > 20 && over > 8, "{pieces} pieces, {lines} lines, {over} games over");
    }
}
