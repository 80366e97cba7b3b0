//! Which bytes of a picture to look at, worked out once; then a picture costs one load a sample.

use crate::profile::layout::Polarity;
use crate::vision::view::View;

/// Sample points a side of a cell: enough that gaps, patterns, scan lines and noise average out.
pub const CELL_SIDE: usize = 6;
/// Samples a cell.
pub const CELL_SAMPLES: usize = CELL_SIDE * CELL_SIDE;
/// The samples of a cell's middle.
const CORE: [usize; 16] = [7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22, 25, 26, 27, 28];
/// The samples in the middle of a cell.
const MIDDLE: [usize; 4] = [14, 15, 20, 21];
/// How far the samples keep from a cell's edge, field units: neighbours bleed over through blur and small corner errors.
const CELL_INSET: f64 = 0.07;
/// The variance of the samples' places along a side of the cell, of its square: what a slope of one step a cell adds.
const SLOPE_VARIANCE: f32 = {
    let pitch = (1.0 - 2.0 * CELL_INSET) / CELL_SIDE as f64;
    (pitch * pitch * (CELL_SIDE * CELL_SIDE - 1) as f64 / 12.0) as f32
};
/// A sample outside the picture.
const OUTSIDE: u32 = u32::MAX;

/// The offset of a pixel's first byte, or [`OUTSIDE`].
fn offset([x, y]: [f64; 2], [width, height]: [u32; 2]) -> u32 {
    let inside = x >= 0.0 && y >= 0.0 && x < f64::from(width) && y < f64::from(height);
    // A picture of 16384 × 16384 px has fewer than 2³² bytes, so the product fits.
    if inside { (y as u32 * width + x as u32) * 3 } else { OUTSIDE }
}

/// How "full" a pixel looks, 0–255. For bright blocks the brightest channel: pure blue and dark red nearly vanish in
/// luma. For dark ones what the channels lack together: every colour lacks something beside a light field, and the mean
/// of three carries less noise and moiré than any one of them.
#[inline]
fn evidence(pixel: [u8; 3], polarity: Polarity) -> u8 {
    let [r, g, b] = pixel;
    match polarity {
        Polarity::LightOnDark => r.max(g).max(b),
        Polarity::DarkOnLight => 255 - ((u32::from(r) + u32::from(g) + u32::from(b)) / 3) as u8,
        Polarity::ColourOnLight => 255 - r.min(g).min(b),
    }
}

/// What a pixel's brightest channel shows more than its darkest, 0–255.
#[inline]
fn chroma([r, g, b]: [u8; 3]) -> u8 {
    r.max(g).max(b) - r.min(g).min(b)
}

/// A fixed list of pixels to load.
#[derive(Debug, Clone)]
pub struct Samples {
    offsets: Vec<u32>,
    polarity: Polarity,
}

impl Samples {
    /// The pixels at these image points.
    pub fn new(points: impl Iterator<Item = [f64; 2]>, picture: [u32; 2], polarity: Polarity) -> Self {
        Self { offsets: points.map(|p| offset(p, picture)).collect(), polarity }
    }

    /// Whether no point lies outside the picture.
    pub fn all_inside(&self) -> bool {
        self.offsets.iter().all(|&o| o != OUTSIDE)
    }

    /// The mean evidence of some of the points; one outside counts as 0.
    pub fn mean(&self, bytes: &[u8], points: std::ops::Range<usize>) -> f32 {
        let offsets = self.offsets.get(points).unwrap_or_default();
        let sum: u32 = offsets.iter().map(|&o| u32::from(evidence(pixel(bytes, o), self.polarity))).sum();
        sum as f32 / offsets.len().max(1) as f32
    }

    /// Loads the evidence of every point into `values`; `None` (a point outside) becomes 0.
    pub fn load(&self, bytes: &[u8], values: &mut Vec<u8>) {
        // Decided once a picture and not once a pixel: this loop is most of a picture's reading.
        match self.polarity {
            Polarity::LightOnDark => self.load_by(bytes, values, |pixel| evidence(pixel, Polarity::LightOnDark)),
            Polarity::DarkOnLight => self.load_by(bytes, values, |pixel| evidence(pixel, Polarity::DarkOnLight)),
            Polarity::ColourOnLight => self.load_by(bytes, values, |pixel| evidence(pixel, Polarity::ColourOnLight)),
        }
    }

    #[inline]
    fn load_by(&self, bytes: &[u8], values: &mut Vec<u8>, evidence: impl Fn([u8; 3]) -> u8) {
        values.clear();
        values.extend(self.offsets.iter().map(|&o| evidence(pixel(bytes, o))));
    }
}

#[inline]
fn pixel(bytes: &[u8], offset: u32) -> [u8; 3] {
    let start = offset as usize;
    match bytes.get(start..start.saturating_add(3)) {
        Some(&[r, g, b]) => [r, g, b],
        _ => [0; 3],
    }
}

/// What one cell shows in one picture.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CellValue {
    /// Mean evidence, 0–255.
    pub mean: f32,
    /// Standard deviation of the evidence inside the cell.
    pub spread: f32,
    /// Mean evidence of its middle, where hardly any light bleeds over from its neighbours.
    pub core: f32,
    /// Mean evidence of the upper half less that of the lower half: large where a block covers half of the cell.
    pub tilt: f32,
    /// Mean evidence of the right half less that of the left half.
    pub lean: f32,
    /// Mean evidence of the middle: a third of the cell's width and height.
    pub middle: f32,
    /// How coloured its middle is: the mean of what the brightest channel shows more than the darkest, 0–255.
    pub chroma: f32,
}

/// The samples of some cells.
#[derive(Debug, Clone)]
pub struct CellSamples {
    samples: Samples,
    visible: Vec<bool>,
}

impl CellSamples {
    /// The samples of the cells with these top-left corners, field units.
    pub fn new(view: &View, corners: impl Iterator<Item = [f64; 2]>, picture: [u32; 2], polarity: Polarity) -> Self {
        let mut offsets = Vec::new();
        let mut visible = Vec::new();
        for corner in corners {
            let first = offsets.len();
            let points = (0..CELL_SAMPLES).map(|i| offset(view.map(sample_point(corner, i)), picture));
            offsets.extend(points.filter(|&o| o != OUTSIDE));
            // A cell cut by the picture's edge is read from the part that shows, if that is most of it.
            let inside = offsets.len() - first;
            visible.push(inside * 3 >= CELL_SAMPLES * 2);
            for i in inside..CELL_SAMPLES {
                offsets.push(if inside == 0 { OUTSIDE } else { offsets[first + i % inside] });
            }
        }
        Self { samples: Samples { offsets, polarity }, visible }
    }

    /// Whether most of a cell lies inside the picture.
    pub fn is_visible(&self, cell: usize) -> bool {
        self.visible.get(cell).copied().unwrap_or(false)
    }

    /// Reads every cell.
    pub fn read(&self, bytes: &[u8], cells: &mut Vec<CellValue>) {
        // Decided once a picture and not once a pixel, as in [`Samples::load`].
        match self.samples.polarity {
            Polarity::LightOnDark => self.read_by(bytes, cells, |pixel| evidence(pixel, Polarity::LightOnDark)),
            Polarity::DarkOnLight => self.read_by(bytes, cells, |pixel| evidence(pixel, Polarity::DarkOnLight)),
            Polarity::ColourOnLight => self.read_by(bytes, cells, |pixel| evidence(pixel, Polarity::ColourOnLight)),
        }
    }

    #[inline]
    fn read_by(&self, bytes: &[u8], cells: &mut Vec<CellValue>, evidence: impl Fn([u8; 3]) -> u8) {
        cells.clear();
        cells.extend(self.samples.offsets.chunks_exact(CELL_SAMPLES).map(|offsets| {
            // Every pixel is fetched once; all sums are then over bytes that lie together.
            let mut values = [0; CELL_SAMPLES];
            values.iter_mut().zip(offsets).for_each(|(value, &o)| *value = evidence(pixel(bytes, o)));
            let chroma: u32 = MIDDLE.iter().map(|&i| u32::from(chroma(pixel(bytes, offsets[i])))).sum();
            CellValue::of(&values, chroma as f32 / MIDDLE.len() as f32)
        }));
    }
}

impl CellValue {
    /// How much the evidence grows from a cell's left to its right, and from its top to its bottom, evidence steps a cell.
    pub fn slopes(&self) -> [f32; 2] {
        // The middles of two halves lie as far apart as half of the samples.
        let apart = ((1.0 - 2.0 * CELL_INSET) / 2.0) as f32;
        [self.lean / apart, -self.tilt / apart]
    }

    /// How much less its middle shows than all of it, evidence steps.
    pub fn depth(&self) -> f32 {
        self.mean - self.core.min(self.middle)
    }

    /// The same of a cell that is brighter all around: light that falls in from one side makes it lean as much.
    pub fn hollow(&self) -> f32 {
        self.depth() - self.lean.abs().max(self.tilt.abs())
    }

    /// How uneven the evidence is beyond its slopes, evidence steps: the standard deviation from a plane.
    pub fn roughness(&self) -> f32 {
        let [across, down] = self.slopes();
        (self.spread * self.spread - SLOPE_VARIANCE * (across * across + down * down)).max(0.0).sqrt()
    }

    /// The same, if the light on it has these slopes, evidence steps a cell: what is steeper inside the cell is drawn there.
    pub fn roughness_over(&self, slopes: [f32; 2]) -> f32 {
        let explained: f32 =
            self.slopes().iter().zip(slopes).map(|(inside, light)| (2.0 * inside - light) * light).sum();
        (self.spread * self.spread - SLOPE_VARIANCE * explained).max(0.0).sqrt()
    }

    /// Of a cell's samples, row by row, whose middle is so coloured.
    pub fn of(values: &[u8; CELL_SAMPLES], chroma: f32) -> Self {
        let sum = |values: &[u8]| values.iter().map(|&v| u32::from(v)).sum::<u32>();
        let mean_at =
            |places: &[usize]| places.iter().map(|&i| u32::from(values[i])).sum::<u32>() as f32 / places.len() as f32;
        let (upper, lower) = values.split_at(CELL_SAMPLES / 2);
        let (above, below) = (sum(upper), sum(lower));
        let left: u32 = values.chunks_exact(CELL_SIDE).map(|row| sum(&row[..CELL_SIDE / 2])).sum();
        let squares: u32 = values.iter().map(|&v| u32::from(v) * u32::from(v)).sum();
        let n = CELL_SAMPLES as f32;
        let mean = (above + below) as f32 / n;
        let variance = squares as f32 / n - mean * mean;
        Self {
            mean,
            spread: variance.max(0.0).sqrt(),
            core: mean_at(&CORE),
            tilt: (above as f32 - below as f32) / (n / 2.0),
            lean: ((above + below) as f32 - 2.0 * left as f32) / (n / 2.0),
            middle: mean_at(&MIDDLE),
            chroma,
        }
    }
}

fn sample_point(corner: [f64; 2], index: usize) -> [f64; 2] {
    let at = |i: usize| CELL_INSET + (1.0 - 2.0 * CELL_INSET) * (i as f64 + 0.5) / CELL_SIDE as f64;
    [corner[0] + at(index % CELL_SIDE), corner[1] + at(index / CELL_SIDE)]
}
