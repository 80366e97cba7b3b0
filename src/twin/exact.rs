//! Arithmetic that gives the same bits on every machine.
//!
//! The standard library's `sin`, `exp` and `ln` are the platform's; a last digit that differs would make two runs of one
//! seed differ. Here only additions, multiplications and divisions are used, which IEEE 754 defines exactly.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Random numbers from a seed.
#[derive(Debug, Clone)]
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// A stream of its own for every seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Nearly normal, mean 0, standard deviation 1, within ±6: the sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.between(-0.5, 0.5)).sum()
    }
}

/// Sine and cosine of an angle in radians, |angle| ≤ 1; error below 1e-12.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let square = angle * angle;
    let (mut sin, mut cos) = (0.0, 0.0);
    for n in (1..=8).rev() {
        let even = f64::from(2 * n);
        sin = 1.0 - sin * square / (even * (even + 1.0));
        cos = 1.0 - cos * square / (even * (even - 1.0));
    }
    (angle * sin, cos)
}

/// e to the power of `x`, |x| ≤ 700; relative error below 1e-13.
pub fn exp(x: f64) -> f64 {
    let doublings = (x / std::f64::consts::LN_2).round().clamp(-1000.0, 1000.0);
    let rest = x - doublings * std::f64::consts::LN_2;
    let series = (1..=14).rev().fold(1.0, |sum, n| 1.0 + sum * rest / f64::from(n));
    let scale = f64::from_bits(((doublings as i64 + 1023) as u64) << 52);
    series * scale
}

/// Natural logarithm of a positive, normal number; relative error below 1e-13.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | (1023 << 52));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = (0..=16).rev().fold(0.0, |sum, n| sum * square + 1.0 / f64::from(2 * n + 1));
    2.0 * s * series + exponent as f64 * std::f64::consts::LN_2
}

/// `base` (0 or more) to the power of `exponent`; 0 for a base too small to matter.
pub fn pow(base: f64, exponent: f64) -> f64 {
    if base < 1e-300 { 0.0 } else { exp(exponent * ln(base)) }
}

/// A smooth hill: 1 at 0, 0 from ±1 on.
pub fn bump(x: f64) -> f64 {
    let inside = (1.0 - x * x).max(0.0);
    inside * inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_platform() {
        for i in 1..200 {
            let x = f64::from(i) / 100.0;
            assert!((pow(x, 2.2) - x.powf(2.2)).abs() < 1e-11, "pow {x}");
            assert!((exp(-x) - (-x).exp()).abs() < 1e-12, "exp {x}");
            let (sin, cos) = sin_cos(x / 2.0);
            assert!((sin - (x / 2.0).sin()).abs() < 1e-12 && (cos - (x / 2.0).cos()).abs() < 1e-12, "{x}");
        }
        assert_eq!(pow(0.0, 2.2), 0.0);
    }
}
