//! Ghosts: the faint, outlined or pulsing copy of the falling piece that some games draw where it will land. It is no block.

use super::levels::{Reading, quantile};
use super::sampling::CellValue;

/// Where "ghost" turns into "block", as a share of a block's contrast. (A ghost of a third of a block's brightness shows
/// up to half of its contrast through a camera that lifts the dark tones.)
const BLOCK_SHARE: f32 = 0.6;
/// How wide that step is.
const DOUBT: f32 = 0.04;
/// An outline: its cell as a whole shows at most this share of a block's contrast, and its middle this share of its own.
const MOST_OUTLINE: f32 = 0.85;
const HOLLOW_SHARE: f32 = 0.55;
/// The probability of "full" that is left to an outline.
const OUTLINE_P: f32 = 0.01;
/// The probability of "full" that is left to a cell that is as bright as a block, but was not so before: it may be a ghost
/// that pulses, whose brightest is as bright as any block.
const UNSTEADY_P: f32 = 0.6;
/// A block that stands does not change by more than this share of its contrast, or this many deviations of the noise, from
/// look to look.
const STEADY_SHARE: f32 = 0.06;
const STEADY_NOISES: f32 = 4.0;
/// Pictures closer together than this are one look, for in so short a time a pulse hardly changes; and a picture that shows the
/// same as the one before is the same one sent twice, up to this time; ms.
const LOOK_MS: f64 = 12.0;
const TWICE_MS: f64 = 30.0;
/// The last three changes, and the latest of them: a block comes at once and then stands, or slides on by a pixel now and
/// then; a pulse changes all the time, but where it turns between two looks shows the same in both.
const RECENT: u8 = 0b111;
const LATEST: u8 = 0b001;
/// An opaque block hides what is behind it: the brighter that is, the less the block stands out, by this share at most.
const MOST_HIDDEN: f32 = 0.4;

/// What is remembered of each cell to tell ghosts from blocks.
#[derive(Debug, Clone)]
pub struct Ghosts {
    /// The contrast in the last two looks.
    last: [Vec<f32>; 2],
    /// In which looks it changed, the lowest bit for the last one.
    changes: Vec<u8>,
    /// How long ago the last look began, ms; `None` before the first.
    since_ms: Option<f64>,
}

impl Ghosts {
    /// Nothing seen yet in so many cells.
    pub fn new(cells: usize) -> Self {
        Self { last: [vec![0.0; cells], vec![0.0; cells]], changes: vec![0; cells], since_ms: None }
    }

    /// What was seen is worth nothing: the empty levels are other ones from now on.
    pub fn forget(&mut self) {
        *self = Self::new(self.changes.len());
    }

    /// Remembers the contrast of every cell in a picture that came `step_ms` after the one before, and whose noise and
    /// blocks' contrast are these; evidence steps.
    pub fn remember(&mut self, contrast: &[f32], reading: Reading, step_ms: f64) {
        let limit = (STEADY_SHARE * reading.full).max(STEADY_NOISES * reading.noise);
        let is_change = |now: f32, before: f32| (now - before).abs() > limit;
        let Some(since_ms) = self.since_ms.map(|since_ms| since_ms + step_ms) else {
            // Against nothing there is no change.
            self.last.iter_mut().for_each(|last| last.copy_from_slice(contrast));
            self.since_ms = Some(0.0);
            return;
        };
        let is_new = || contrast.iter().zip(&self.last[0]).any(|(now, last)| is_change(*now, *last));
        let is_look = since_ms >= TWICE_MS || since_ms >= LOOK_MS && is_new();
        self.since_ms = Some(if is_look { 0.0 } else { since_ms });
        if is_look {
            self.last.swap(0, 1);
        }
        self.last[0].copy_from_slice(contrast);
        for ((changes, now), before) in self.changes.iter_mut().zip(contrast).zip(&self.last[1]) {
            let older = if is_look { *changes << 1 } else { *changes & !LATEST };
            *changes = older | u8::from(is_change(*now, *before));
        }
    }

    /// Takes ghosts out of the probabilities of "full". `contrast` is every cell's with its empty level, `block` that of the
    /// dimmest blocks that the game is known to have; evidence steps.
    pub fn take_off(&self, p_full: &mut [f32], contrast: &[f32], cells: &[CellValue], block: f32, reading: Reading) {
        let block = block.max(1.0);
        let doubt = DOUBT.max(reading.noise / block);
        let mut empty: Vec<f32> = cells.iter().zip(contrast).map(|(cell, c)| cell.mean - c).collect();
        let usual = quantile(&mut empty, 0.5);
        for (i, ((p, &c), cell)) in p_full.iter_mut().zip(contrast).zip(cells).enumerate() {
            // Where something else stands, nothing is known.
            if *p == 0.5 {
                continue;
            }
            let behind = cell.mean - c;
            let share = c / (block - (behind - usual).clamp(0.0, MOST_HIDDEN * block));
            let middle = cell.middle - behind;
            let is_outline = share < MOST_OUTLINE && middle < HOLLOW_SHARE * c - 2.0 * reading.noise;
            let is_block = if is_outline { OUTLINE_P } else { 1.0 / (1.0 + ((BLOCK_SHARE - share) / doubt).exp()) };
            *p = p.min(is_block);
            if self.may_pulse(i, BLOCK_SHARE * block) {
                *p = p.min(UNSTEADY_P);
            }
        }
    }

    /// Whether what a cell shows may be bright for this moment only. What has just changed from a block to something as bright
    /// is a block that moves.
    fn may_pulse(&self, cell: usize, least: f32) -> bool {
        let recent = self.changes[cell] & RECENT;
        let was_block = self.last[1][cell] > least;
        recent.count_ones() > 1 || recent == LATEST && !was_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READING: Reading = Reading { full: 120.0, noise: 1.0, texture: 3.0, hides_empty: false };

    /// What is left of "surely full" in the last cell of three, of which the others show a block and nothing.
    fn last(ghosts: &mut Ghosts, contrast: f32, behind: f32, step_ms: f64) -> f32 {
        let contrast = [120.0, 0.0, contrast];
        ghosts.remember(&contrast, READING, step_ms);
        let cells: Vec<CellValue> = contrast
            .iter()
            .zip([30.0, 30.0, behind])
            .map(|(c, empty)| CellValue { mean: c + empty, middle: c + empty, core: c + empty, ..CellValue::default() })
            .collect();
        let mut p_full = [0.99, 0.01, 0.99];
        ghosts.take_off(&mut p_full, &contrast, &cells, 120.0, READING);
        assert!(p_full[0] > 0.98, "{p_full:?}");
        p_full[2]
    }

    #[test]
    fn a_ghost_that_pulses_up_to_a_blocks_brightness_is_never_surely_full() {
        // At any rate of pictures, and where each comes twice; wherever between two of them it turns.
        for (fps, times) in [(30.0, 1), (50.0, 1), (60.0, 1), (60.0, 2), (120.0, 1), (120.0, 4)] {
            let mut ghosts = Ghosts::new(3);
            for picture in 0..400 {
                let shown = picture / times * times;
                let phase = (f64::from(shown) * 1000.0 / fps + f64::from(picture / 40) * 3.7) % 370.0;
                let share = if phase < 185.0 { phase } else { 370.0 - phase } / 185.0;
                let p = last(&mut ghosts, 160.0 * share as f32, 30.0, 1000.0 / fps);
                assert!(p <= UNSTEADY_P, "{p} in picture {picture} of {fps} a second, each {times} times");
            }
        }
    }

    #[test]
    fn a_block_is_surely_full_once_it_has_stood_for_a_picture() {
        let mut ghosts = Ghosts::new(3);
        let p = [0.0, 0.0, 0.0, 120.0, 120.0, 120.0].map(|c| last(&mut ghosts, c, 30.0, 33.3));
        assert!(p[3] <= UNSTEADY_P && p[4] > 0.98 && p[5] > 0.98, "{p:?}");
        // It slides by a pixel now and then.
        let p = [120.0, 120.0, 105.0, 105.0, 105.0, 118.0].map(|c| last(&mut ghosts, c, 30.0, 33.3));
        assert!(p.iter().all(|p| *p > 0.95), "{p:?}");
    }

    #[test]
    fn a_block_before_a_bright_background_is_no_ghost() {
        let mut ghosts = Ghosts::new(3);
        let p = [0; 6].map(|_| last(&mut ghosts, 76.0, 67.0, 33.3));
        assert!(p[5] > 0.95, "{p:?}");
    }
}
