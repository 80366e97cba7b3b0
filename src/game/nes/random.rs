//! The console's random pieces: a 16-bit shift register stepped every frame ($AB47) and the pick ($9907).

use crate::game::Piece;
use crate::game::orientation::Orientation;

/// Where the register stands at power-on. $80BC.
pub const POWER_ON_SEED: u16 = 0x8988;

/// How often each piece follows each other one, in 32nds; both in the order T J Z O S L I. The second draw of $9907 is
/// biased by the last piece's orientation id.
pub const FOLLOWERS: [[u8; 7]; 7] = [
    [1, 5, 6, 5, 5, 5, 5],
    [6, 1, 5, 5, 5, 5, 5],
    [5, 6, 1, 5, 5, 5, 5],
    [5, 5, 5, 2, 5, 5, 5],
    [5, 5, 5, 5, 2, 5, 5],
    [6, 5, 5, 5, 5, 1, 5],
    [5, 5, 5, 5, 6, 5, 1],
];

/// The register and what the picks remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random {
    /// $0017–$0018.
    pub register: u16,
    /// Pieces picked since power-on, modulo 256. $001A.
    pub spawn_count: u8,
    /// The last pick's spawn orientation; 0 (T up) at the start of a game. $0019.
    pub spawn_id: u8,
}

impl Random {
    /// A register with this value. An odd choice of value can run dry (all zeros), as on the console.
    pub fn new(register: u16) -> Self {
        Self { register, spawn_count: 0, spawn_id: 0 }
    }

    /// One step: bits 1 and 9, exclusive-ored, come in at the top. $AB47.
    pub fn step(&mut self) {
        let bit = (self.register >> 1 ^ self.register >> 9) & 1;
        self.register = bit << 15 | self.register >> 1;
    }

    /// A number below ten: the high byte's low nibble, drawn again while it is ten or more. $8824, $8486.
    pub fn below_ten(&mut self) -> u8 {
        loop {
            self.step();
            let nibble = (self.register >> 8) as u8 & 0x0F;
            // A register of zeros stays zero, so this ends there as well.
            if nibble < 10 {
                return nibble;
            }
        }
    }

    /// A number below eight, for a block of garbage. $87FC.
    pub fn below_eight(&mut self) -> u8 {
        self.step();
        (self.register >> 8) as u8 & 7
    }

    /// The next piece. A seven or a repeat is drawn once more, from a biased sum. $9907.
    pub fn pick(&mut self) -> Piece {
        self.spawn_count = self.spawn_count.wrapping_add(1);
        let high = |register: u16| (register >> 8) as u8;
        let first = high(self.register).wrapping_add(self.spawn_count) & 7;
        let repeats = first < 7 && Orientation::spawn(Piece::from_index(first as usize)).id() == self.spawn_id;
        let index = if first == 7 || repeats {
            self.step();
            ((high(self.register) & 7) + self.spawn_id) % 7
        } else {
            first
        };
        let piece = Piece::from_index(index as usize);
        self.spawn_id = Orientation::spawn(piece).id();
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_each_other_as_often_as_the_table_says() {
        let (mut random, mut counts) = (Random::new(POWER_ON_SEED), [[0u32; 7]; 7]);
        let mut before = random.pick();
        for i in 0..200_000u32 {
            // The register moves on with every frame of the game; no two pieces take equally long.
            let frames = 20 + (i.wrapping_mul(0x9E37_79B9) >> 16) % 97;
            (0..frames).for_each(|_| random.step());
            let piece = random.pick();
            counts[before.index()][piece.index()] += 1;
            before = piece;
        }
        for (counts, shares) in counts.iter().zip(FOLLOWERS) {
            let total = f64::from(counts.iter().sum::<u32>());
            for (&count, share) in counts.iter().zip(shares) {
                let (got, said) = (f64::from(count) / total, f64::from(share) / 32.0);
                assert!((got - said).abs() < 0.012, "{counts:?}, {shares:?}");
            }
        }
    }

    #[test]
    fn the_register_has_the_published_period() {
        let mut random = Random::new(POWER_ON_SEED);
        let period = (1..).find(|_| {
            random.step();
            random.register == POWER_ON_SEED
        });
        assert_eq!(period, Some(32767));
    }

    /// Rows: previous piece T J Z O S L I; columns: next piece, in 32nds (facts of the listing's arithmetic).
    const MARKOV: [[f64; 7]; 7] = [
        [1., 5., 6., 5., 5., 5., 5.],
        [6., 1., 5., 5., 5., 5., 5.],
        [5., 6., 1., 5., 5., 5., 5.],
        [5., 5., 5., 2., 5., 5., 5.],
        [5., 5., 5., 5., 2., 5., 5.],
        [6., 5., 5., 5., 5., 1., 5.],
        [5., 5., 5., 5., 6., 5., 1.],
    ];

    #[test]
    fn pieces_follow_the_markov_table() {
        // The table takes the register for ideal; with 32,767 states it is not quite, which ten times as many draws show.
        const DRAWS: usize = 40_000;
        // Irregular waits between picks stand for a player's timing.
        let (mut random, mut wait) = (Random::new(POWER_ON_SEED), 1u32);
        let mut counts = [[0u32; 7]; 7];
        let mut last = random.pick();
        for _ in 0..DRAWS {
            wait = wait.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (0..30 + (wait >> 24)).for_each(|_| random.step());
            let next = random.pick();
            counts[last.index()][next.index()] += 1;
            last = next;
        }
        for (row, expected) in counts.iter().zip(MARKOV) {
            let total: u32 = row.iter().sum();
            let chi_squared: f64 = row
                .iter()
                .zip(expected)
                .map(|(&n, share)| {
                    let mean = f64::from(total) * share / 32.0;
                    (f64::from(n) - mean).powi(2) / mean
                })
                .sum();
            // 6 degrees of freedom: 22.5 is exceeded once in a thousand.
            assert!(chi_squared < 22.5, "{row:?} differs from {expected:?}: chi² = {chi_squared:.1}");
        }
    }
}
