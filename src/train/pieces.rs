//! Which pieces come: a sequence by a seed, the same whoever plays.

use crate::game::Piece;
use crate::game::machine::Random;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Frames from one pick to the next in a game that nobody times: a hand's irregular pace decides which pieces come.
const PICK_FRAMES: std::ops::Range<u16> = 20..300;

/// How pieces are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// The console's register, read at irregular times.
    Console,
    /// Each of the seven as often, whatever came before: the game of the literature.
    Uniform,
    /// S and Z in turn, the S first.
    Alternating,
    /// The console's at first; S and Z in turn instead of one the more often the further the game is, and only they after so
    /// many pieces. Every game ends, the later the better it is played.
    Worsening(u64),
}

/// An endless sequence of pieces.
#[derive(Debug, Clone)]
pub struct Pieces {
    generator: Generator,
    dice: Xoshiro256PlusPlus,
    register: Random,
    count: u64,
}

impl Pieces {
    /// The sequence of this seed.
    pub fn new(generator: Generator, seed: u64) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let register = Random::new(dice.random_range(1..=u16::MAX));
        Self { generator, dice, register, count: 0 }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        self.count += 1;
        let in_turn = if self.count.is_multiple_of(2) { Piece::Z } else { Piece::S };
        Some(match self.generator {
            Generator::Console => self.pick(),
            Generator::Worsening(pieces) => {
                let picked = self.pick();
                if self.dice.random_range(0..pieces.max(1)) < self.count { in_turn } else { picked }
            }
            Generator::Uniform => Piece::from_index(self.dice.random_range(0..Piece::ALL.len())),
            Generator::Alternating => in_turn,
        })
    }
}

impl Pieces {
    fn pick(&mut self) -> Piece {
        (0..self.dice.random_range(PICK_FRAMES)).for_each(|_| self.register.step());
        self.register.pick()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(generator: Generator, seed: u64) -> String {
        Pieces::new(generator, seed).take(20).map(Piece::letter).collect()
    }

    #[test]
    fn a_seed_is_a_sequence() {
        for generator in [Generator::Console, Generator::Uniform] {
            assert_eq!(first(generator, 7), first(generator, 7));
            assert_ne!(first(generator, 7), first(generator, 8));
        }
        assert_eq!(first(Generator::Alternating, 1), "SZ".repeat(10));
    }

    #[test]
    fn worsening_pieces_end_in_s_and_z_alone() {
        let pieces: String = Pieces::new(Generator::Worsening(400), 3).take(1000).map(Piece::letter).collect();
        let share = |part: &str| part.matches(['S', 'Z']).count() as f64 / part.len() as f64;
        assert!(share(&pieces[..100]) < 0.5 && (0.5..0.95).contains(&share(&pieces[200..350])), "{pieces}");
        assert!(pieces[400..] == "SZ".repeat(300) || pieces[400..] == "ZS".repeat(300));
    }

    #[test]
    fn the_consoles_pieces_seldom_repeat_and_uniform_ones_do() {
        let repeats = |generator| {
            let pieces: Vec<Piece> = Pieces::new(generator, 3).take(14_001).collect();
            pieces.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / 14_000.0
        };
        // 1 to 2 in 32 each; 1 in 7.
        assert!((0.03..0.06).contains(&repeats(Generator::Console)));
        assert!((0.13..0.155).contains(&repeats(Generator::Uniform)));
    }
}
