//! What is wrong with the picture, in words that say what to do. Pure.

use crate::message::{Cell, CellGrid};
use crate::vision::View;
use image::RgbImage;
use std::collections::VecDeque;

/// Points on the way from the middle of a cell to the middle of its neighbour.
const STEPS: usize = 17;
/// Between a block and its empty neighbour at least so much of 255, or the edge says nothing.
const EDGE_MIN: f32 = 24.0;
/// An edge that takes more than this share of a cell is blurred: the reader compares the cells' middles.
const SOFT_EDGE: f32 = 0.55;
/// Fewer cells tell nothing about the light.
const CELLS_MIN: usize = 4;
/// Darker is the brighter of blocks and background only where the exposure is too short, of 255.
const DARK: f32 = 45.0;
/// Blocks and background should differ by so much, of 255.
const CONTRAST_MIN: f32 = 30.0;
/// More of the pictures that are lost between camera and computer cost presses.
const LOST_MAX: f64 = 0.02;
/// Fewer pictures a second, or more late ones, cost presses.
const FPS_LOW: f64 = 24.0;
const LATE_MAX: f64 = 0.1;
/// Arrivals from which a rate is told.
const ARRIVALS: usize = 60;

/// The picture's state, as far as it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Health {
    /// The blocks' light and the empty cells', 0–255 (median of the cells' middles); `None` with too few of either.
    pub light: Option<[f32; 2]>,
    /// Share of the cells that are as bright as the camera can tell.
    pub burnt: f32,
    /// Share of the edges between blocks and empty cells that are blurred; `None` without enough edges.
    pub soft: Option<f32>,
    /// Share of the cells that cannot be told.
    pub unknown: f32,
    /// A cell's width, px.
    pub cell_px: f64,
    /// Pictures a second, and the share of the gaps that are longer than one and a half of them; `None` until known.
    pub rate: Option<(f64, f64)>,
    /// Share of the pictures that were dropped because newer ones had come.
    pub dropped: f64,
    /// Share of the pictures that camera, cable or driver lost or spoiled.
    pub lost: f64,
    /// The field stands in the picture whole.
    pub is_inside: bool,
    /// The game is being played: without it little can be told.
    pub is_playing: bool,
    /// The pictures come from the simulated table: there is no camera, cable or lamp.
    pub is_simulated: bool,
}

/// The arrivals of a source's pictures.
#[derive(Debug, Clone, Default)]
pub struct Rate(VecDeque<f64>);

impl Rate {
    /// A picture has arrived, ms.
    pub fn arrived(&mut self, ms: f64) {
        if self.0.back().is_some_and(|last| *last > ms) {
            self.0.clear();
        }
        if self.0.len() == ARRIVALS {
            self.0.pop_front();
        }
        self.0.push_back(ms);
    }

    /// Pictures a second and the share of long gaps; `None` for fewer than a dozen pictures.
    pub fn measured(&self) -> Option<(f64, f64)> {
        let gaps: Vec<f64> = self.0.iter().zip(self.0.iter().skip(1)).map(|(a, b)| b - a).collect();
        if gaps.len() < 12 {
            return None;
        }
        let mut sorted = gaps.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let long = gaps.iter().filter(|gap| **gap > 1.5 * median).count();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        (mean > 0.0).then(|| (1000.0 / mean, long as f64 / gaps.len() as f64))
    }
}

impl Health {
    /// Measures a picture whose field is seen through `view` and was read as `grid`.
    pub fn measure(image: &RgbImage, view: &View, grid: &CellGrid) -> Self {
        let (columns, rows) = (grid.columns(), grid.rows());
        let light = |x: f64, y: f64| luma(image, view.map([x, y]));
        let middles = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
        let lights = middles.filter_map(|(x, y)| Some((grid.cell(x, y), light(x as f64 + 0.5, y as f64 + 0.5)?)));
        let lights: Vec<(Cell, f32)> = lights.collect();
        let burnt = lights.iter().filter(|(_, v)| *v >= 250.0).count() as f32 / lights.len().max(1) as f32;
        let is_inside = lights.len() == columns * rows;
        let [a, b] = [view.map([0.0, 0.5]), view.map([1.0, 0.5])];
        Self {
            light: median(&lights, Cell::Full).zip(median(&lights, Cell::Empty)).map(|(full, empty)| [full, empty]),
            burnt,
            soft: soft_share(grid, light),
            unknown: grid.unknown().count() as f32 / (columns * rows).max(1) as f32,
            cell_px: (b[0] - a[0]).hypot(b[1] - a[1]),
            is_inside,
            ..Self::default()
        }
    }
}

/// The middle light of the cells that were read so; `None` for too few.
fn median(lights: &[(Cell, f32)], wanted: Cell) -> Option<f32> {
    let mut values: Vec<f32> = lights.iter().filter(|(cell, _)| *cell == wanted).map(|(_, v)| *v).collect();
    values.sort_by(f32::total_cmp);
    (values.len() >= CELLS_MIN).then(|| values[values.len() / 2])
}

/// Share of soft edges between full and empty neighbours.
fn soft_share(grid: &CellGrid, light: impl Fn(f64, f64) -> Option<f32>) -> Option<f32> {
    let mut widths = Vec::new();
    for y in 0..grid.rows() {
        for x in 0..grid.columns() {
            for (dx, dy) in [(1, 0), (0, 1)] {
                let (nx, ny) = (x + dx, y + dy);
                let is_pair = nx < grid.columns() && ny < grid.rows();
                let cells = (grid.cell(x, y), grid.cell(nx, ny));
                if is_pair && matches!(cells, (Cell::Full, Cell::Empty) | (Cell::Empty, Cell::Full)) {
                    let from = [x as f64 + 0.5, y as f64 + 0.5];
                    widths.extend(edge_width(from, [dx as f64, dy as f64], &light));
                }
            }
        }
    }
    let soft = widths.iter().filter(|width| **width > SOFT_EDGE).count() as f32;
    (widths.len() >= 6).then(|| soft / widths.len() as f32)
}

/// How much of the way from one cell's middle to the next the light takes to change: its whole change over its steepest
/// slope.
fn edge_width([x, y]: [f64; 2], [dx, dy]: [f64; 2], light: &impl Fn(f64, f64) -> Option<f32>) -> Option<f32> {
    let at = |i: usize| {
        let t = i as f64 / (STEPS - 1) as f64;
        light(x + dx * t, y + dy * t)
    };
    let values: Vec<f32> = (0..STEPS).map(at).collect::<Option<_>>()?;
    let low = values.iter().copied().fold(f32::MAX, f32::min);
    let high = values.iter().copied().fold(f32::MIN, f32::max);
    let steepest = values.windows(3).map(|w| (w[2] - w[0]).abs() / 2.0).fold(0.0, f32::max);
    (high - low >= EDGE_MIN && steepest > 0.0).then(|| (high - low) / (steepest * (STEPS - 1) as f32))
}

/// The light at a point between pixels; `None` outside.
fn luma(image: &RgbImage, [x, y]: [f64; 2]) -> Option<f32> {
    let (x, y) = (x - 0.5, y - 0.5);
    let is_inside = x >= 0.0 && y >= 0.0 && x < f64::from(image.width()) - 1.0 && y < f64::from(image.height()) - 1.0;
    if !is_inside {
        return None;
    }
    let (left, top) = (x as u32, y as u32);
    let (fx, fy) = ((x - f64::from(left)) as f32, (y - f64::from(top)) as f32);
    let at = |dx, dy| {
        let [r, g, b] = image.get_pixel(left + dx, top + dy).0.map(f32::from);
        0.299 * r + 0.587 * g + 0.114 * b
    };
    let upper = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
    let lower = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
    Some(upper * (1.0 - fy) + lower * fy)
}

/// What to do, the most urgent first; nothing if all is well.
pub fn warnings(health: &Health) -> Vec<String> {
    let mut words = Vec::new();
    let percent = |share: f32| (share * 100.0).round();
    if !health.is_inside {
        words.push("A part of the field lies outside of the picture: move the camera back, or turn it.".to_string());
    }
    if health.cell_px > 0.0 && health.cell_px < 7.0 {
        words.push(format!(
            "The cells are only {:.1} pixels wide: move the camera nearer, or choose a larger picture.",
            health.cell_px
        ));
    }
    if health.is_playing {
        let [full, empty] = health.light.unwrap_or([255.0, 0.0]);
        if full.max(empty) < DARK {
            words.push("Too dark: raise the exposure or the gain, or make the screen brighter.".into());
        } else if health.burnt > 0.1 {
            words.push("Too bright: blocks are burnt out; lower the exposure or the gain.".into());
        } else if (full - empty).abs() < CONTRAST_MIN {
            words.push(
                "Blocks and background hardly differ: shade the screen from lamps and windows, or raise its contrast."
                    .into(),
            );
        }
        if let Some(soft) = health.soft.filter(|soft| *soft > 0.25) {
            words.push(format!(
                "{} % of the cells' edges are out of focus: focus the camera, then lock the focus.",
                percent(soft)
            ));
        }
        if health.unknown > 0.03 {
            words.push(format!(
                "{} % of the cells cannot be told: look for glare, and check the corners.",
                percent(health.unknown).max(3.0)
            ));
        }
    } else {
        words.push("No game is seen at this place: start one, or move the corners.".into());
    }
    if health.is_simulated {
        if health.rate.is_some_and(|(fps, late)| fps < FPS_LOW || late > LATE_MAX) {
            words.push("The simulated pictures come late: this computer is too busy; close other programs.".into());
        }
        return words;
    }
    if let Some((fps, late)) = health.rate {
        if fps < FPS_LOW && health.lost <= LOST_MAX {
            words.push(format!(
                "The camera runs at {fps:.0} pictures a second: turn off its dynamic frame rate, and give it more light."
            ));
        } else if late > LATE_MAX {
            words.push(format!(
                "{:.0} % of the pictures come late: use another USB port, or close other programs.",
                late * 100.0
            ));
        }
    }
    if health.lost > LOST_MAX {
        words.push(format!(
            "{:.0} % of the pictures are lost on their way: try another cable or USB port, without a hub, or a smaller size.",
            health.lost * 100.0
        ));
    }
    if health.dropped > 0.1 {
        words.push(format!("{:.0} % of the pictures are dropped: this computer is too busy.", health.dropped * 100.0));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    fn good() -> Health {
        Health {
            light: Some([180.0, 12.0]),
            soft: Some(0.0),
            cell_px: 16.0,
            rate: Some((30.0, 0.0)),
            is_inside: true,
            is_playing: true,
            ..Health::default()
        }
    }

    #[test]
    fn a_good_picture_gets_no_advice_and_each_flaw_its_own() {
        assert_eq!(warnings(&good()), [""; 0]);
        let cases = [
            (Health { light: Some([40.0, 4.0]), ..good() }, "Too dark: raise the exposure"),
            (Health { burnt: 0.3, ..good() }, "Too bright"),
            (Health { light: Some([170.0, 150.0]), ..good() }, "hardly differ"),
            (Health { soft: Some(0.3), ..good() }, "30 % of the cells' edges are out of focus"),
            (Health { unknown: 0.1, ..good() }, "10 % of the cells cannot be told"),
            (Health { cell_px: 5.2, ..good() }, "only 5.2 pixels wide"),
            (Health { is_inside: false, ..good() }, "outside of the picture"),
            (Health { is_playing: false, ..good() }, "No game is seen"),
            (Health { rate: Some((15.0, 0.0)), ..good() }, "15 pictures a second: turn off its dynamic frame rate"),
            (Health { rate: Some((30.0, 0.2)), ..good() }, "20 % of the pictures come late"),
            (Health { rate: Some((15.0, 0.0)), is_simulated: true, ..good() }, "simulated pictures come late"),
            (Health { dropped: 0.5, ..good() }, "50 % of the pictures are dropped"),
            (Health { lost: 0.05, ..good() }, "5 % of the pictures are lost on their way"),
            (Health { lost: 0.5, rate: Some((15.0, 0.0)), ..good() }, "50 % of the pictures are lost on their way"),
        ];
        for (health, expected) in cases {
            let words = warnings(&health);
            assert!(words.len() == 1 && words[0].contains(expected), "{expected}: {words:?}");
        }
    }

    #[test]
    fn rates_are_told_from_arrivals() {
        let mut rate = Rate::default();
        (0..11).for_each(|i| rate.arrived(f64::from(i) * 40.0));
        assert_eq!(rate.measured(), None);
        (11..40).for_each(|i| rate.arrived(f64::from(i) * 40.0 + if i % 5 == 0 { 30.0 } else { 0.0 }));
        let (fps, late) = rate.measured().unwrap();
        assert!((fps - 25.0).abs() < 0.6 && (0.1..0.3).contains(&late), "{fps} {late}");
        rate.arrived(0.0);
        assert_eq!(rate.measured(), None, "a source that begins again");
    }

    /// A field of 6 × 6 cells of 16 px, a chessboard of blocks, blurred.
    fn chessboard(sigma: f32, light: u8) -> Health {
        let is_block = |x: u32, y: u32| (x / 16 + y / 16).is_multiple_of(2);
        let pixel = |x, y| if is_block(x, y) { Rgb([light; 3]) } else { Rgb([8; 3]) };
        let image = RgbImage::from_fn(96, 96, pixel);
        let image = if sigma > 0.0 { imageproc::filter::gaussian_blur_f32(&image, sigma) } else { image };
        let corners = [[1.0, 1.0], [95.0, 1.0], [95.0, 95.0], [1.0, 95.0]];
        let view = View::new([0.0, 0.0, 6.0, 6.0], corners, [96, 96]).unwrap();
        let cells = (0..36).map(|i| if (i % 6 + i / 6) % 2 == 0 { 1.0 } else { 0.0 });
        let grid = CellGrid::new(6, 6, cells.collect()).unwrap();
        Health { is_playing: true, ..Health::measure(&image, &view, &grid) }
    }

    #[test]
    fn focus_and_light_are_measured_in_the_picture() {
        let sharp = chessboard(0.6, 200);
        assert_eq!((warnings(&sharp), sharp.soft), (vec![], Some(0.0)), "{sharp:?}");
        let soft = chessboard(5.0, 200);
        assert!(soft.soft.unwrap() > 0.9 && warnings(&soft)[0].contains("out of focus"), "{soft:?}");
        assert!(warnings(&chessboard(0.6, 40))[0].contains("Too dark"));
        assert!(warnings(&chessboard(0.6, 255))[0].contains("Too bright"));
    }
}
