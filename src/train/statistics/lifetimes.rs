//! Whether games end by a geometric law: each piece ends the game with the same probability, whatever came before (seed of
//! Fahey's model). Then the lengths' standard deviation is their mean, and so many games last at least `n` pieces as
//! exp(−n / mean) says.

use super::sample::Sample;

/// Kolmogorov's distance, scaled as Stephens (1974) does where the mean is taken from the same lengths: 5 in 100 samples of
/// an exponential law exceed this.
const LIMIT: f64 = 1.094;
/// Of fewer games nothing is said.
const GAMES_MIN: usize = 10;

/// The test's result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifetimes {
    /// Standard deviation over mean; 1 by the law.
    pub spread: f64,
    /// Stephens' scaled distance between the lengths' shares and the law's; less is more alike.
    pub distance: f64,
    /// Whether that is no more than 95 in 100 samples of the law would have.
    pub is_geometric: bool,
}

impl Lifetimes {
    /// Of whole games' lengths in pieces; `None` of fewer than ten.
    pub fn of(pieces: &Sample) -> Option<Self> {
        let (lengths, mean) = (pieces.sorted(), pieces.mean());
        if lengths.len() < GAMES_MIN || mean <= 0.0 {
            return None;
        }
        let n = lengths.len() as f64;
        let away = |(i, length): (usize, &f64)| {
            let law = 1.0 - (-length / mean).exp();
            (law - i as f64 / n).abs().max(((i + 1) as f64 / n - law).abs())
        };
        let d = lengths.iter().enumerate().map(away).fold(0.0, f64::max);
        let distance = (d - 0.2 / n) * (n.sqrt() + 0.26 + 0.5 / n.sqrt());
        Some(Self { spread: pieces.deviation()? / mean, distance, is_geometric: distance <= LIMIT })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn lengths(seed: u64, count: usize, law: impl Fn(f64) -> f64) -> Sample {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        Sample::of((0..count).map(|_| law(dice.random_range(f64::EPSILON..1.0))))
    }

    #[test]
    fn of_samples_of_the_law_five_in_a_hundred_are_refused() {
        let refused = |seed| !Lifetimes::of(&lengths(seed, 50, |u| (-5000.0 * u.ln()).ceil())).unwrap().is_geometric;
        let count = (0..1000).filter(|&seed| refused(seed)).count();
        assert!((30..75).contains(&count), "{count} of 1000");
    }

    #[test]
    fn other_laws_are_seen() {
        let even = Lifetimes::of(&lengths(1, 100, |u| 1000.0 * u)).unwrap();
        let alike = Lifetimes::of(&lengths(1, 100, |u| 1000.0 + 10.0 * u)).unwrap();
        assert!(!even.is_geometric && !alike.is_geometric, "{even:?} {alike:?}");
        assert!(alike.spread < 0.01);
        assert_eq!(Lifetimes::of(&lengths(1, 9, |u| u)), None);
    }

    /// The twenty games of Dellacherie's report of 2003, in rows (Fahey's page).
    #[test]
    fn dellacheries_games_follow_the_law() {
        let rows = [
            1_213_220, 876_618, 37_327, 260_337, 165_349, 2_288_991, 1_112_094, 138_648, 107_089, 1_284_387, 935_011,
            80_766, 253_158, 1_877_331, 145_034, 888_081, 433_694, 15_446, 494_498, 16_273,
        ];
        let sample = Sample::of(rows.map(f64::from));
        assert_eq!(sample.mean().round(), 631_168.0);
        let law = Lifetimes::of(&sample).unwrap();
        assert!(law.is_geometric && (0.9..1.2).contains(&law.spread), "{law:?}");
    }
}
