//! Pictures that are darker or brighter as a whole than those before: a screen that dims, a camera that opens its aperture at once.
//!
//! What was learned of the game's brightness holds in such a picture, too, once it is brightened by as much as it is darker. The
//! lines that the game draws around its field tell by how much: they always look the same.

use crate::vision::spell::share_learned;

/// In so long a time the usual brightness is learned, all but a third of it, ms: what changes more slowly needs no help.
const LEARNED_IN_MS: f64 = 650.0;
/// A line darker than this says little of how dark a picture is, steps.
const LEAST_BRIGHT: f32 = 30.0;
/// So many lines are needed, and this share of them must have changed alike, up to this share of the change.
const LEAST_LINES: usize = 8;
const LEAST_ALIKE: f32 = 0.7;
const ALIKE: f32 = 0.2;
/// Smaller changes are followed by what is learned cell by cell; after greater ones nothing is left to be read.
const FOLLOWED: f32 = 0.45;
const LOST: f32 = 0.06;

/// How bright the lines around the field usually are.
#[derive(Debug, Clone, Default)]
pub struct Exposure {
    /// One for each line, steps; empty before the first picture.
    usual: Vec<f32>,
}

impl Exposure {
    /// By what the picture is brighter than usual, all over, where these are its lines' brightnesses, in steps of light; `None` if it
    /// is about as bright as ever, or not changed alike all over.
    pub fn change(&self, lines: &[f32]) -> Option<f32> {
        let known = self.usual.iter().zip(lines).filter(|(usual, _)| **usual >= LEAST_BRIGHT);
        let mut changes: Vec<f32> = known.map(|(usual, now)| now / usual).collect();
        if changes.len() < LEAST_LINES {
            return None;
        }
        let middle = changes.len() / 2;
        let (_, median, _) = changes.select_nth_unstable_by(middle, f32::total_cmp);
        let change = *median;
        let is_far = (LOST..FOLLOWED).contains(&change) || (1.0 / FOLLOWED..1.0 / LOST).contains(&change);
        let alike = changes.iter().filter(|other| (*other / change - 1.0).abs() <= ALIKE).count();
        (is_far && alike as f32 >= LEAST_ALIKE * changes.len() as f32).then_some(change)
    }

    /// Learns from a picture of the game, as bright as ever, that came `step_ms` after the last.
    pub fn learn(&mut self, lines: &[f32], step_ms: f64) {
        if self.usual.len() != lines.len() {
            self.usual = lines.to_vec();
        }
        let news = share_learned(step_ms, LEARNED_IN_MS);
        self.usual.iter_mut().zip(lines).for_each(|(usual, now)| *usual += news * (now - *usual));
    }
}

/// A picture's bytes as they would be had it not changed by this factor.
pub fn undone(bytes: &[u8], change: f32) -> Vec<u8> {
    let table: [u8; 256] = std::array::from_fn(|value| (value as f32 / change).round().min(255.0) as u8);
    bytes.iter().map(|byte| table[usize::from(*byte)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<f32> {
        (0..20).map(|i| 80.0 + 6.0 * i as f32).collect()
    }

    #[test]
    fn a_picture_that_dims_all_over_is_told_from_one_that_is_covered_in_part() {
        let mut exposure = Exposure::default();
        assert_eq!(exposure.change(&lines()), None, "nothing is known yet");
        exposure.learn(&lines(), 33.0);
        let all = |factor: f32| lines().iter().map(|line| factor * line).collect::<Vec<_>>();
        for factor in [1.0, 0.6, 1.6, 0.02, 40.0] {
            assert_eq!(exposure.change(&all(factor)), None, "{factor}");
        }
        for factor in [0.2, 0.4, 3.0] {
            assert!(
                exposure.change(&all(factor)).is_some_and(|change| (change / factor - 1.0).abs() < 0.01),
                "{factor}"
            );
        }
        // A hand over two thirds of the lines.
        let covered: Vec<f32> = lines().iter().enumerate().map(|(i, l)| if i % 3 > 0 { 40.0 } else { *l }).collect();
        assert_eq!(exposure.change(&covered), None);
    }

    #[test]
    fn slow_changes_become_usual() {
        let mut exposure = Exposure::default();
        for step in 0..100 {
            let dimmer: Vec<f32> = lines().iter().map(|line| line * (1.0 - 0.006 * step as f32)).collect();
            assert_eq!(exposure.change(&dimmer), None, "{step}");
            exposure.learn(&dimmer, 33.0);
        }
    }

    #[test]
    fn a_dimmed_picture_is_brightened() {
        assert_eq!(undone(&[0, 10, 50, 60], 0.2), [0, 50, 250, 255]);
        assert_eq!(undone(&[0, 100, 255], 2.5), [0, 40, 102]);
    }
}
