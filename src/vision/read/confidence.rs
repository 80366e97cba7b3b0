//! How sure it is that a cell is full: a probability from its contrast, and from what was there before.
//!
//! A cell that stands still shows one thing: it is full if it stands out as the dimmest blocks do, for a game's colours
//! differ by up to four times. A cell that changes may be half of two things, for the shutter was open while the game went
//! on: its contrast is the share of the time in which it was full, measured by the block that comes or goes.

use super::levels::{Reading, quantile};
use crate::game::Piece;
use crate::message::CellGrid;
use crate::vision::spell::{Spell, share_learned};

/// Where "empty" turns into "full" in a cell that stands still, as a share of the dimmest blocks' contrast.
const HALF: f32 = 0.42;
/// How wide that step is. A cell is unknown from 29 to 55 % of the contrast.
const DOUBT: f32 = 0.06;
/// The same for a cell that changes: it is unknown from a quarter to three quarters of the time.
const HALF_THE_TIME: f32 = 0.5;
const BLEND_DOUBT: f32 = 0.115;
/// A change by less than this share of the block's contrast, or than this many deviations of the noise, is none.
pub const STILL_SHARE: f32 = 0.15;
const STILL_NOISES: f32 = 4.0;
/// A cell of the pile stays full at this share of [`HALF`]: colours change from level to level, and what is taken away
/// leaves nothing.
const STAYS_SHARE: f32 = 0.6;
/// A cell is of the pile when it has been full for so long, ms, and until it loses more than this share at once.
const SETTLED_MS: f64 = 630.0;
const GONE_SHARE: f32 = 0.35;
/// The dimmest blocks show at least this share of a typical block's contrast: what stands out less is bleeding, a
/// reflection, or a game's background.
const DIMMEST_SHARE: f32 = 0.2;
/// This many deviations of the noise, too.
const LEAST_NOISES: f32 = 6.0;
/// A cell that has stood still for so long, ms, is full at this share of a typical block's contrast.
const LONG_STILL_MS: f64 = 160.0;
/// Neighbours' light is at most this share of a typical block's contrast.
const BLEEDS_SHARE: f32 = 0.35;
const FAINT_HALF: f32 = 0.22;
const FAINT_DOUBT: f32 = 0.03;
/// Cells this much darker than empty are covered by something: share of a typical block's contrast, and noises.
const TOO_DARK_SHARE: f32 = 0.35;
const TOO_DARK_NOISES: f32 = 4.0;
/// The dimmest contrast is this quantile of all full cells'.
const DIM_QUANTILE: f32 = 0.05;
/// The least number of full cells of which such a quantile is taken.
const ENOUGH_CELLS: usize = 6;
/// The faintest blocks stand out by less than so many times the dimmest contrast.
const FAINTEST: f32 = 1.5;
/// In so long a time the contrast of a piece's colour is learned, all but a third of it, ms.
const LEARNED_IN_MS: f64 = 320.0;

/// The memory behind the probabilities.
#[derive(Debug, Clone)]
pub struct Confidence {
    columns: usize,
    last: Vec<f32>,
    was_full: Vec<bool>,
    /// For how long a cell's contrast has stood still.
    still: Vec<Spell>,
    /// For how long a cell has been full.
    full: Vec<Spell>,
    /// Contrast of every piece's blocks as seen in the next box; 0 if it was not seen yet.
    kinds: [f32; 7],
    /// A low quantile of all full cells' contrasts in the last picture; 0 if there were too few.
    dim: f32,
    /// The piece last seen in the next box: when another stands there, this one falls.
    promised: Option<Piece>,
    /// Contrast of the falling piece; 0 if it was not seen.
    falling: f32,
    /// How much less the middle of the faintest blocks stands out than all of them, as a share (0–1) of their contrast.
    hollow: f32,
    sorted: Vec<f32>,
    has_begun: bool,
}

impl Confidence {
    /// Nothing seen yet, in a field of this size.
    pub fn new(columns: usize, rows: usize) -> Self {
        let cells = columns * rows;
        Self {
            columns,
            last: vec![0.0; cells],
            was_full: vec![false; cells],
            full: vec![Spell::default(); cells],
            still: vec![Spell::default(); cells],
            kinds: [0.0; 7],
            dim: 0.0,
            promised: None,
            falling: 0.0,
            hollow: 0.0,
            sorted: Vec::with_capacity(cells),
            has_begun: false,
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::new(self.columns, self.last.len() / self.columns.max(1));
    }

    /// As this is, for another background: only how bright each piece is beside the field is still known.
    #[must_use]
    pub fn anew(&self) -> Self {
        let fresh = Self::new(self.columns, self.last.len() / self.columns.max(1));
        Self { kinds: self.kinds, promised: self.promised, ..fresh }
    }

    /// Which cells were last surely full.
    pub fn was_full(&self) -> &[bool] {
        &self.was_full
    }

    /// The contrast of the dimmest blocks, given that of typical ones; evidence steps.
    pub fn dimmest(&self, reading: Reading) -> f32 {
        let least = (DIMMEST_SHARE * reading.full).max(LEAST_NOISES * reading.noise).min(reading.full);
        let seen = self.kinds.into_iter().chain([self.dim]).filter(|kind| *kind > 0.0);
        seen.fold(reading.full, f32::min).max(least)
    }

    /// The contrast of a piece's blocks as seen in the next box, evidence steps; `None` if it was not seen yet.
    pub fn kind_of(&self, piece: Piece) -> Option<f32> {
        Some(self.kinds[piece.index()]).filter(|kind| *kind > 0.0)
    }

    /// The probability of "full" for every cell, from its contrast in a picture of these levels; 0.5 exactly where
    /// something else stands, or the picture does not reach.
    /// `core` is the contrast of a cell's middle, `middle` that of a third of its width and height.
    pub fn judge(
        &self,
        contrast: &[f32],
        core: impl Fn(usize) -> f32,
        middle: impl Fn(usize) -> f32,
        is_visible: impl Fn(usize) -> bool,
        reading: Reading,
    ) -> Vec<f32> {
        let full = reading.full.max(1.0);
        let dim = self.dimmest(reading).max(1.0);
        let moving = if self.falling > 0.0 { self.falling.max(dim) } else { full };
        let too_dark = -TOO_DARK_SHARE * full - TOO_DARK_NOISES * reading.noise;
        // Empty cells scatter around nothing, faint blocks as much around twice the border between them: two normal
        // distributions, whose log odds change by one over this share of a block's contrast.
        let faint_doubt = (reading.noise / full).powi(2) / (2.0 * FAINT_HALF);
        let mut p_full = Vec::with_capacity(contrast.len());
        for (cell, &c) in contrast.iter().enumerate() {
            let (last, was_full) = (self.last[cell], self.was_full[cell]);
            let came_or_went = if was_full { last.max(dim) } else { moving };
            let still = (STILL_SHARE * came_or_went).max(STILL_NOISES * reading.noise);
            // A piece on its way may cover a cell by the same share in two pictures; in a third it does not.
            let is_still = (c - last).abs() <= still && (self.still[cell].is_on() || c > came_or_went - still);
            p_full.push(if !is_visible(cell) || c < too_dark {
                0.5
            } else if self.has_begun && !is_still {
                step((c / came_or_went - HALF_THE_TIME) / BLEND_DOUBT.max(reading.noise / came_or_went))
            } else {
                let half = if self.full[cell].ms() >= SETTLED_MS { STAYS_SHARE * HALF } else { HALF };
                // Light that bleeds over from the neighbours hardly reaches the middle of a cell; of some blocks that are
                // drawn as outlines, it is dark, too.
                let of_block = self.hollow * c;
                let c = if c < BLEEDS_SHARE * full { c.min(core(cell) + of_block) } else { c };
                let p = step((c / dim - half) / DOUBT.max(reading.noise / dim));
                // What has stood still for long is no blend, so that even the faintest colours are told; but the light of
                // blocks on two sides, blurred, may fill all of a small cell but its very middle.
                let faint = (c.min(middle(cell) + of_block) / full - FAINT_HALF) / FAINT_DOUBT.max(faint_doubt);
                let is_faint = p < CellGrid::SURE.1 && self.still[cell].ms() >= LONG_STILL_MS;
                if is_faint { p.max(step(faint)) } else { p }
            });
        }
        p_full
    }

    /// Remembers which cells are not empty any more where the game is over, and nothing else is to be learned: a curtain comes down.
    pub fn remember_end(&mut self, p_full: &[f32]) {
        self.was_full.iter_mut().zip(p_full).for_each(|(was_full, p)| *was_full |= *p >= CellGrid::SURE.0);
    }

    /// Remembers a picture that showed the game and came `step_ms` after the last: the piece in the next box with its contrast,
    /// and the contrast of the falling one. `hollow` is how much less a cell's middle shows than what is around it.
    pub fn remember(
        &mut self,
        contrast: &[f32],
        p_full: &[f32],
        hollow: impl Fn(usize) -> f32,
        next: Option<(Piece, f32)>,
        falling: Option<f32>,
        step_ms: f64,
    ) {
        let (low, high) = CellGrid::SURE;
        self.has_begun = true;
        self.sorted.clear();
        for (cell, &p) in p_full.iter().enumerate() {
            if p < low || p > high {
                self.was_full[cell] = p > high;
            }
            let stands =
                (contrast[cell] - self.last[cell]).abs() <= STILL_SHARE * self.last[cell].max(self.dim).max(1.0);
            self.still[cell].goes_on_if(stands, step_ms);
            let is_gone = p < low || contrast[cell] < GONE_SHARE * self.last[cell];
            if is_gone || p > high {
                self.full[cell].goes_on_if(!is_gone, step_ms);
            }
            if p > high {
                self.sorted.push(contrast[cell]);
            }
        }
        self.last.copy_from_slice(contrast);
        self.dim = if self.sorted.len() < ENOUGH_CELLS { 0.0 } else { quantile(&mut self.sorted, DIM_QUANTILE) };
        let is_faint = |cell: &usize| p_full[*cell] > high && contrast[*cell] < FAINTEST * self.dim;
        self.sorted.clear();
        self.sorted.extend((0..contrast.len()).filter(is_faint).map(|cell| hollow(cell) / contrast[cell].max(1.0)));
        if self.sorted.len() >= ENOUGH_CELLS {
            self.hollow = quantile(&mut self.sorted, 0.5).clamp(0.0, 1.0);
        }
        if let Some((piece, contrast)) = next {
            let kind = &mut self.kinds[piece.index()];
            *kind += (contrast - *kind) * if *kind > 0.0 { share_learned(step_ms, LEARNED_IN_MS) } else { 1.0 };
            if let Some(spawned) = self.promised.replace(piece).filter(|promised| *promised != piece) {
                self.falling = self.kinds[spawned.index()];
            }
        }
        self.falling = falling.unwrap_or(self.falling);
    }
}

/// The share of the exposure (0–1) in which a cell that changes was full, from its probability of "full".
pub fn share_of_time(p_full: f32) -> f32 {
    let p = p_full.clamp(1e-6, 1.0 - 1e-6);
    (HALF_THE_TIME + BLEND_DOUBT * (p / (1.0 - p)).ln()).clamp(0.0, 1.0)
}

/// From 0 to 1; 0.1 to 0.9 over 4.4 units.
pub(super) fn step(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of "full" of a cell with this contrast that stands still beside bright blocks, over a background that
    /// scatters by `noise`.
    fn still_cell(contrast: f32, noise: f32) -> f32 {
        let mut cells: Vec<f32> = (0..200).map(|cell| if cell >= 180 { 125.0 } else { 0.0 }).collect();
        cells[20] = contrast;
        let reading = Reading { full: 125.0, noise, ..Reading::default() };
        let mut confidence = Confidence::new(10, 20);
        let judge = |confidence: &Confidence| confidence.judge(&cells, |i| cells[i], |i| cells[i], |_| true, reading);
        for _ in 0..30 {
            let p_full = judge(&confidence);
            confidence.remember(&cells, &p_full, |_| 0.0, None, None, 1000.0 / 30.0);
        }
        judge(&confidence)[20]
    }

    #[test]
    fn what_stands_out_a_little_more_than_a_background_scatters_is_empty_and_a_faint_block_is_full() {
        // Waves behind the field, up to 17 steps bright, were unknown for as long as they were there.
        assert!(still_cell(17.0, 10.4) < CellGrid::SURE.0, "{}", still_cell(17.0, 10.4));
        assert!(still_cell(45.0, 10.4) > CellGrid::SURE.1, "{}", still_cell(45.0, 10.4));
        assert!(still_cell(45.0, 1.0) > CellGrid::SURE.1);
        // Halfway it stays open.
        let half = still_cell(27.5, 10.4);
        assert!((CellGrid::SURE.0..CellGrid::SURE.1).contains(&half), "{half}");
    }

    /// Whether six faint cells, of whose contrast this share lies around their dark middles, are still full when bright blocks have
    /// come, which they were before.
    fn faint_ones_stay(hollow: f32, times: usize) -> bool {
        let cells: Vec<f32> = (0..200).map(|cell| if cell >= 194 { 20.0 } else { 0.0 }).collect();
        let middle = |cell: usize| cells[cell] * (1.0 - hollow);
        let mut confidence = Confidence::new(10, 20);
        let judge = |confidence: &Confidence, full: f32| {
            confidence.judge(&cells, middle, middle, |_| true, Reading { full, noise: 0.5, ..Reading::default() })
        };
        for _ in 0..times {
            let p_full = judge(&confidence, 25.0);
            confidence.remember(&cells, &p_full, |cell| cells[cell] * hollow, None, None, 1000.0 / 30.0);
        }
        judge(&confidence, 65.0)[194..].iter().all(|p| *p > CellGrid::SURE.1)
    }

    #[test]
    fn faint_blocks_that_are_drawn_as_outlines_stay_full_when_bright_ones_come() {
        assert!(faint_ones_stay(1.0, 30), "their middles are dark because they are outlines");
        assert!(faint_ones_stay(0.0, 30));
        assert!(!faint_ones_stay(1.0, 0), "of what was never a block, it is light that bleeds over");
    }
}
