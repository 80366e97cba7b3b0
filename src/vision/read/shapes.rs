//! Which piece a small region shows: the spawn place in the field, and the next box beside it.

use super::drawing::{Drawn, TRAITS, traits};
use super::levels::{Reading, Unevenness, quantile};
use super::sampling::{CELL_SAMPLES, CELL_SIDE, CellValue, Samples};
use crate::game::{Orientation, Piece};
use crate::message::{CellGrid, Sighting};
use crate::profile::layout::{Layout, NextBox, Polarity};
use crate::profile::spawn::SpawnShape;
use crate::vision::view::View;
use std::ops::Range;

/// Samples a cell's side in the next box: as many as in the field, so that blocks are measured alike.
const GRID: usize = CELL_SIDE;
/// How far the piece may stand from the middle of the box, cells: games centre pieces differently, lenses bend.
const REACH_CELLS: f64 = 0.67;
/// The same in samples, and how many places that are along one axis.
pub(super) const REACH: isize = (REACH_CELLS * GRID as f64) as isize;
const PLACES: usize = 2 * REACH as usize + 1;
/// A cell of the piece must show at least this share of the piece's mean ink, any other cell at most the rest.
const CELL_SHARE: f32 = 0.45;
/// A piece's mean contrast is at least about this share of other blocks'.
const LEAST_SHARE: f32 = 0.3;
/// How wide the step from "empty" to "full" is, as a share of the piece's own contrast.
const DOUBT: f32 = 0.04;
/// The most that the halves of a full cell may differ, as a share of the piece's mean contrast: blocks are shaded.
const MOST_TILT: f32 = 1.0;
/// Every piece has this many cells in the middle of the box: the long one lies through it.
const LEAST_CELLS_IN_MIDDLE: f32 = 3.0;
/// The least that a cell of a piece stands out, as a share of what its brightest does.
const LEAST_ALIKE: f32 = 0.5;
/// The least normalised correlation with a shape that is a sighting.
const LEAST_CORRELATION: f32 = 0.4;
/// The box's frame shows at most this many lines of samples deep, half a cell and the line that says where it ends.
const FRAME_LINES: usize = GRID / 2 + 1;
/// The frame ends where it stands out by less than this share of what the outermost line does.
const FRAME_END: f32 = 0.25;
/// A cell beside the piece is asked only if it keeps so far from the box's sides, samples.
const ROOM: isize = 1;
/// This quantile of a line along a side is beside the piece: no piece is as long as a side, but the long one in the middle.
const BESIDE_PIECES: f32 = 0.2;

/// A cell of the spawn region.
#[derive(Debug, Clone, Copy)]
pub struct RegionCell {
    /// Contrast with the cell's empty level, evidence steps.
    pub contrast: f32,
    /// Upper half less lower half, evidence steps.
    pub tilt: f32,
}

/// The places where pieces appear.
#[derive(Debug, Clone)]
pub struct SpawnPlaces {
    /// For each piece, which cells of `region` it fills, as bits.
    shapes: Vec<(Piece, u32)>,
    /// All cells that any piece fills, as indices into the grid.
    region: Vec<usize>,
}

impl SpawnPlaces {
    /// The spawn places of a layout.
    pub fn new(layout: &Layout) -> Self {
        let cells_of = |piece| layout.spawn_cells(piece).into_iter().map(|(x, y)| y * layout.field.columns + x);
        let mut region: Vec<usize> = Piece::ALL.into_iter().flat_map(cells_of).collect();
        region.sort_unstable();
        region.dedup();
        // Seven four-cell pieces cover at most 28 cells, so the bits of a u32 do.
        let bits = |piece| cells_of(piece).filter_map(|c| region.binary_search(&c).ok()).fold(0, |b, i| b | 1 << i);
        let shapes = Piece::ALL.into_iter().map(|piece| (piece, bits(piece))).collect();
        Self { shapes, region }
    }

    /// What stands there, given every field cell's probability of being full, the region's cells and the picture's
    /// levels.
    ///
    /// A piece's four cells are alike, so they are judged by their own mean: that holds for faint colours, and tells a
    /// whole piece from one caught between two places.
    pub fn sight(&self, p_full: &[f32], cells: &[RegionCell], reading: Reading) -> Sighting {
        let sure = CellGrid::SURE.1;
        let emptiness = self.region.iter().map(|&c| 1.0 - p_full[c]);
        let (least, product) = emptiness.fold((1.0f32, 1.0f32), |(least, all), p| (least.min(p), all * p));
        if least > sure {
            return Sighting::Empty(product);
        }
        self.sight_piece(p_full, cells, reading)
    }

    /// The same, but only for pieces.
    pub fn sight_piece(&self, p_full: &[f32], cells: &[RegionCell], reading: Reading) -> Sighting {
        let sure = CellGrid::SURE.1;
        let seen = self.shapes.iter().map(|&(piece, shape)| (piece, self.agreement(shape, cells, reading)));
        match seen.max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((piece, least)) if least > sure && self.is_known(p_full) => Sighting::Piece(piece, least),
            _ => Sighting::Unknown,
        }
    }

    /// The piece of these whose cells are surely full by their probabilities alone, and all others of the region surely empty.
    pub fn sight_cells(&self, p_full: &[f32], is_asked: impl Fn(Piece) -> bool) -> Sighting {
        let (low, high) = CellGrid::SURE;
        let least = |shape: u32| {
            let of = |(i, &cell): (usize, &usize)| if shape >> i & 1 == 1 { p_full[cell] } else { 1.0 - p_full[cell] };
            self.region.iter().enumerate().map(of).fold(1.0, f32::min)
        };
        let asked = self.shapes.iter().filter(|(piece, _)| is_asked(*piece));
        let seen = asked.map(|&(piece, shape)| (piece, least(shape))).max_by(|a, b| a.1.total_cmp(&b.1));
        match seen {
            Some((piece, least)) if least > high.min(1.0 - low) => Sighting::Piece(piece, least),
            _ => Sighting::Unknown,
        }
    }

    /// A piece's cells in its spawn place, as indices into the grid.
    pub fn cells_of(&self, piece: Piece) -> impl Iterator<Item = usize> + '_ {
        let shape = self.shapes.iter().find(|(p, _)| *p == piece).map_or(0, |(_, shape)| *shape);
        self.region.iter().enumerate().filter(move |(i, _)| shape >> i & 1 == 1).map(|(_, &cell)| cell)
    }

    /// The mean contrast of a piece's cells in its spawn place, given every field cell's.
    pub fn mean_of(&self, piece: Piece, contrast: &[f32]) -> f32 {
        self.cells_of(piece).map(|cell| contrast[cell]).sum::<f32>() / 4.0
    }

    /// The cells in which pieces appear, as indices into the grid.
    pub fn region(&self) -> &[usize] {
        &self.region
    }

    /// The least probability, over the region's cells, that the cell is as the shape says.
    fn agreement(&self, shape: u32, cells: &[RegionCell], reading: Reading) -> f32 {
        let marked = || {
            let is_full = |i: usize| shape >> i & 1 == 1;
            cells.iter().enumerate().map(move |(i, c)| (is_full(i), *c))
        };
        let own = marked().filter(|c| c.0).map(|c| c.1.contrast).sum::<f32>() / 4.0;
        let contrasts = marked().map(|(is_full, c)| (is_full, c.contrast));
        let least = certainty(contrasts, own, reading.full, reading.noise);
        // Pieces that fall pixel by pixel cover half a cell; two half rows are not a whole one.
        // All four come and go together; a piece that turns or moves while the shutter is open shows some longer.
        let full = || marked().filter(|c| c.0).map(|c| c.1.contrast);
        let (dimmest, brightest) = (full().fold(f32::MAX, f32::min), full().fold(f32::MIN, f32::max));
        if dimmest < LEAST_ALIKE * brightest - 2.0 * reading.noise {
            return 0.0;
        }
        let is_split = |(is_full, c): (bool, RegionCell)| is_full && c.tilt.abs() > own * MOST_TILT;
        if marked().any(is_split) { 0.0 } else { least }
    }

    /// Whether no cell of the region lies outside the picture or is covered by something darker than the field.
    fn is_known(&self, p_full: &[f32]) -> bool {
        self.region.iter().all(|&c| p_full[c] != 0.5)
    }
}

/// The least probability of the cells (whether it should be full, contrast) of a piece whose full cells have the mean
/// contrast `own`, where full cells in general have `full`, with this scatter.
fn certainty(cells: impl Iterator<Item = (bool, f32)>, own: f32, full: f32, noise: f32) -> f32 {
    let step = |towards: f32, doubt: f32| 1.0 / (1.0 + (-towards / doubt).exp());
    let doubt = DOUBT.max(noise / own.max(1.0));
    let agrees = |(is_full, c): (bool, f32)| step((c / own - CELL_SHARE) * if is_full { 1.0 } else { -1.0 }, doubt);
    // Much fainter than other blocks is a reflection, or a piece that comes or goes.
    let present = step(own / full - LEAST_SHARE, DOUBT.max(noise / full));
    cells.map(agrees).fold(present, f32::min)
}

/// A piece as a picture, in cells.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) piece: Piece,
    size: [usize; 2],
    is_full: Vec<bool>,
}

impl Template {
    /// The cells that the piece fills, (column, row).
    pub(super) fn cells(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let at = |cell: usize| [cell % self.size[0], cell / self.size[0]];
        self.is_full.iter().enumerate().filter(|(_, is_full)| **is_full).map(move |(cell, _)| at(cell))
    }

    /// Its corner if it stands in the middle of a box of so many samples.
    pub(super) fn middle(&self, size: [usize; 2]) -> [isize; 2] {
        [0, 1].map(|i| (size[i] as isize - (self.size[i] * GRID) as isize) / 2)
    }
}

/// A shape, and how much of it lies in the box at each of its places: row by row, [`PLACES`] to each.
#[derive(Debug, Clone)]
struct Shape {
    template: Template,
    /// The corner of its first place, samples from the box's.
    first: [isize; 2],
    /// Which share of the box it covers, and the standard deviation of that; `None` where too much of it hangs out.
    covers: Vec<Option<[f32; 2]>>,
}

impl Shape {
    fn new(template: Template, size: [usize; 2]) -> Self {
        let first = template.middle(size).map(|middle| middle - REACH);
        let place = |i: usize| [first[0] + (i % PLACES) as isize, first[1] + (i / PLACES) as isize];
        let covers = (0..PLACES * PLACES).map(|i| Self::covered(&template, place(i), size)).collect();
        Self { template, first, covers }
    }

    fn covered(template: &Template, corner: [isize; 2], size: [usize; 2]) -> Option<[f32; 2]> {
        let samples = |cell: [usize; 2]| {
            let [columns, rows] = cell_samples(at_cell(corner, cell), size);
            (columns.len() * rows.len()) as f32
        };
        let covered: f32 = template.cells().map(samples).sum();
        let share = covered / (size[0] * size[1]) as f32;
        // A shape that hangs out of the box is no candidate; a little of it may, for the corners may be a little off.
        let is_whole = covered > 0.9 * (4 * GRID * GRID) as f32;
        is_whole.then(|| [share, (share * (1.0 - share)).sqrt()])
    }
}

/// The corner of a shape's cell (column, row), where this is the shape's own; samples.
pub(super) fn at_cell(corner: [isize; 2], cell: [usize; 2]) -> [isize; 2] {
    [0, 1].map(|i| corner[i] + (cell[i] * GRID) as isize)
}

/// Which columns and rows of a box's samples a cell with this corner covers.
fn cell_samples(corner: [isize; 2], size: [usize; 2]) -> [Range<usize>; 2] {
    [0, 1].map(|i| {
        let clip = |v: isize| v.clamp(0, size[i] as isize) as usize;
        clip(corner[i])..clip(corner[i] + GRID as isize)
    })
}

/// The ink under a cell, for every place where a cell of a shape may stand.
#[derive(Debug, Clone, Default)]
struct CellInks {
    /// The corner of the first place, samples from the box's.
    first: [isize; 2],
    /// How many places there are, across and down.
    places: [usize; 2],
    /// Row by row.
    inks: Vec<f32>,
}

impl CellInks {
    /// For these shapes.
    fn new(shapes: &[Shape]) -> Self {
        let least = |i: usize| shapes.iter().map(|shape| shape.first[i]).min().unwrap_or(0);
        let end = |i: usize| {
            let last = |shape: &Shape| shape.first[i] + ((shape.template.size[i] - 1) * GRID + PLACES) as isize;
            shapes.iter().map(last).max().unwrap_or(0)
        };
        let first = [0, 1].map(least);
        let places = [0, 1].map(|i| (end(i) - first[i]).max(0) as usize);
        Self { first, places, inks: vec![0.0; places[0] * places[1]] }
    }

    /// Those at [`PLACES`] corners in a row, of which this is the first.
    fn along(&self, corner: [isize; 2]) -> &[f32] {
        let [x, y] = [0, 1].map(|i| (corner[i] - self.first[i]) as usize);
        let begin = y * self.places[0] + x;
        &self.inks[begin..begin + PLACES]
    }
}

/// The next box: its samples and the shapes that may stand in it.
#[derive(Debug, Clone)]
pub struct NextReader {
    samples: Samples,
    size: [usize; 2],
    shapes: Vec<Shape>,
    values: Vec<u8>,
    /// Sums of the evidence above the background, of everything above and left of a grid point.
    integral: Vec<f32>,
    inks: CellInks,
    sorted: Vec<f32>,
    is_visible: bool,
}

/// What the next box shows.
#[derive(Debug, Clone, Copy)]
pub struct NextLook {
    /// How much a block cell stands out from the box, if the ink in it is four blocks; evidence steps.
    pub contrast: f32,
    /// The same without the box's frame.
    pub own_contrast: f32,
    /// The box where no piece stands, evidence.
    pub background: f32,
    spread: f32,
    /// The same in the middle of the box: mean ink of as many cells as every piece has there, and its spread.
    middle: f32,
    middle_spread: f32,
}

impl NextReader {
    /// A reader for this box.
    pub fn new(next: &NextBox, layout: &Layout, view: &View, picture: [u32; 2], polarity: Polarity) -> Self {
        let size = box_size(next);
        let points = box_points(next, size, 1).map(|point| view.map(point));
        let samples = Samples::new(points, picture, polarity);
        let templates = Piece::ALL.into_iter().flat_map(|piece| templates(layout, piece));
        let shapes: Vec<Shape> = templates.map(|template| Shape::new(template, size)).collect();
        Self {
            is_visible: samples.all_inside(),
            samples,
            size,
            inks: CellInks::new(&shapes),
            shapes,
            values: Vec::new(),
            integral: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Looks at the box.
    pub fn look(&mut self, bytes: &[u8]) -> NextLook {
        self.samples.load(bytes, &mut self.values);
        let [width, height] = self.size;
        self.sorted.clear();
        self.sorted.extend(self.values.iter().map(|&v| f32::from(v)));
        // The background is the median of what no piece covers: four cells of the box are covered.
        let cells = (width * height) as f32 / (GRID * GRID) as f32;
        let uncovered = (1.0 - 4.0 / cells).clamp(0.1, 1.0);
        let background = quantile(&mut self.sorted, uncovered / 2.0);
        // What the levels of the field's cells rest on: everything in the box, the frame too, which leans to caution.
        let contrast = self.values.iter().map(|&v| f32::from(v) - background).sum::<f32>() / (4 * GRID * GRID) as f32;
        self.take_off_frame(background);
        self.integral.clear();
        self.integral.resize((width + 1) * (height + 1), 0.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        for y in 0..height {
            let mut row = 0.0;
            for x in 0..width {
                let ink = f32::from(self.values[y * width + x]) - background;
                row += ink;
                squares += ink * ink;
                self.integral[(y + 1) * (width + 1) + x + 1] = self.integral[y * (width + 1) + x + 1] + row;
            }
            sum += row;
        }
        self.sum_cells();
        let n = (width * height) as f32;
        let spread = (squares / n - (sum / n) * (sum / n)).max(0.0).sqrt();
        let (middle, middle_spread) = self.look_at_middle(background);
        let own_contrast = sum / (4 * GRID * GRID) as f32;
        NextLook { contrast, own_contrast, background, spread, middle, middle_spread }
    }

    /// Sums the ink under a cell at every place.
    fn sum_cells(&mut self) {
        let mut inks = std::mem::take(&mut self.inks);
        let [x, y] = inks.first;
        for (row, line) in inks.inks.chunks_exact_mut(inks.places[0].max(1)).enumerate() {
            for (column, ink) in line.iter_mut().enumerate() {
                *ink = self.cell_ink([x + column as isize, y + row as isize]).0;
            }
        }
        self.inks = inks;
    }

    /// Takes away what the box's own frame adds along the sides, where corners are a little off or a lens bends: a bright
    /// line of it pulls every shape to its side.
    fn take_off_frame(&mut self, background: f32) {
        let [width, height] = self.size;
        for side in 0..4 {
            let (depth, length) = if side < 2 { (width, height) } else { (height, width) };
            let place = |line: usize, along: usize| {
                let across = if side % 2 == 0 { line } else { depth - 1 - line };
                if side < 2 { along * width + across } else { across * width + along }
            };
            let lines = FRAME_LINES.min(depth);
            let mut excess = [0.0; FRAME_LINES];
            for (line, excess) in excess.iter_mut().enumerate().take(lines) {
                self.sorted.clear();
                self.sorted.extend((0..length).map(|along| f32::from(self.values[place(line, along)])));
                *excess = quantile(&mut self.sorted, BESIDE_PIECES) - background;
            }
            // What reaches further in than a frame can is light on the box, or a piece.
            let Some(end) = excess[..lines].iter().position(|e| *e < FRAME_END * excess[0]) else { continue };
            for (line, excess) in excess.iter().enumerate().take(end + 1) {
                for along in 0..length {
                    let value = &mut self.values[place(line, along)];
                    *value = (f32::from(*value) - excess.max(0.0)).clamp(0.0, 255.0) as u8;
                }
            }
        }
    }

    /// The ink in the middle of the box, half a cell away from its sides, and the ink's spread there.
    fn look_at_middle(&self, background: f32) -> (f32, f32) {
        let [width, height] = self.size;
        let inside = |i: usize, size: usize| i >= GRID / 2 && i + GRID / 2 < size;
        let (mut sum, mut squares, mut n) = (0.0, 0.0, 0.0);
        for (_, row) in self.values.chunks_exact(width).enumerate().filter(|(y, _)| inside(*y, height)) {
            for (_, value) in row.iter().enumerate().filter(|(x, _)| inside(*x, width)) {
                let ink = f32::from(*value) - background;
                sum += ink;
                squares += ink * ink;
                n += 1.0;
            }
        }
        let mean = if n > 0.0 { sum / n } else { 0.0 };
        let spread = if n > 0.0 { (squares / n - mean * mean).max(0.0).sqrt() } else { 0.0 };
        (sum / (LEAST_CELLS_IN_MIDDLE * (GRID * GRID) as f32), spread)
    }

    /// Which piece it is. `full` is the contrast of a full cell in the field, `noise` its scatter.
    pub fn sight(&self, look: NextLook, full: f32, noise: f32) -> Sighting {
        self.sight_drawn(look, full, noise).0
    }

    /// The same, and how its blocks are drawn.
    pub fn sight_drawn(&self, look: NextLook, full: f32, noise: f32) -> (Sighting, Option<Drawn>) {
        if !self.is_visible || full <= 0.0 {
            return (Sighting::Unknown, None);
        }
        // An empty box holds far less ink than a piece, and nothing stands out in its middle, which every piece covers.
        // (At its sides the box's frame may show, when the corners are a little off.)
        if look.middle < 0.25 * full && look.middle_spread < 0.2 * full {
            return (Sighting::Empty(1.0 - (look.middle / full).clamp(0.0, 0.5)), None);
        }
        let Some((template, corner)) = self.best_match(look) else {
            return (Sighting::Unknown, None);
        };
        match self.confidence(template, corner, full, noise) {
            confidence if confidence > 0.5 => {
                let traits = self.traits(template, corner, look.background);
                (
                    Sighting::Piece(template.piece, confidence),
                    traits.map(|traits| Drawn { piece: template.piece, traits }),
                )
            }
            _ => (Sighting::Unknown, None),
        }
    }

    /// How the blocks of a piece with this corner are drawn: the mean of all that lie in the box whole.
    fn traits(&self, template: &Template, corner: [isize; 2], background: f32) -> Option<[f32; TRAITS]> {
        let (mut sum, mut n) = ([0.0; TRAITS], 0.0f32);
        for cell in template.cells() {
            let [columns, rows] = cell_samples(at_cell(corner, cell), self.size);
            let mut inside = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
            let mut values = [0; CELL_SAMPLES];
            let is_whole = values.iter_mut().all(|value| {
                let sample = inside.next().map(|(x, y)| self.values[y * self.size[0] + x]);
                sample.map(|sample| *value = sample).is_some()
            });
            let block = CellValue::of(&values, 0.0);
            if is_whole && block.mean > background {
                let traits = traits(&block, block.mean - background);
                sum.iter_mut().zip(traits).for_each(|(sum, value)| *sum += value);
                n += 1.0;
            }
        }
        (n > 0.0).then(|| sum.map(|sum| sum / n))
    }

    /// How uneven the piece in the box is; not at all where no piece is seen.
    pub fn unevenness(&self, look: NextLook) -> Unevenness {
        let Some((template, corner)) = self.best_match(look).filter(|_| self.is_visible) else {
            return Unevenness::default();
        };
        let inner = |cell: [usize; 2]| {
            let [columns, rows] = cell_samples(at_cell(corner, cell), self.size);
            [columns.start + 1..columns.end.saturating_sub(1), rows.start + 1..rows.end.saturating_sub(1)]
        };
        let patterns = template.cells().map(|cell| self.moments(inner(cell))[1]).sum::<f32>() / 4.0;
        // How much darker it is on the brink to the next block, right of a cell or below it, than in the middle of both.
        let line = |cell: [usize; 2], along: usize| {
            let next = if along == 0 { [cell[0] + 1, cell[1]] } else { [cell[0], cell[1] + 1] };
            let is_inside = template.cells().any(|other| other == next);
            is_inside.then(|| {
                let (here, there) = (inner(cell), inner(next));
                let brink = |first: usize| {
                    let mut strip = here.clone();
                    strip[along] = first..first + 1;
                    self.moments(strip)[0]
                };
                let darkest = brink(here[along].end).min(brink(here[along].end + 1));
                self.moments(here)[0].min(self.moments(there)[0]) - darkest
            })
        };
        let depths: Vec<f32> =
            template.cells().flat_map(|cell| [0, 1].map(|along| line(cell, along))).flatten().collect();
        Unevenness { patterns, lines: depths.iter().sum::<f32>() / depths.len().max(1) as f32 }
    }

    /// Mean and standard deviation of the samples in some columns and rows; nothing of those outside the box.
    fn moments(&self, [columns, rows]: [Range<usize>; 2]) -> [f32; 2] {
        let [width, height] = self.size;
        let inside = rows.filter(|y| *y < height).flat_map(|y| columns.clone().map(move |x| (x, y)));
        let (mut sum, mut squares, mut n) = (0.0, 0.0, 0.0f32);
        for (x, y) in inside.filter(|(x, _)| *x < width) {
            let value = f32::from(self.values[y * width + x]);
            (sum, squares, n) = (sum + value, squares + value * value, n + 1.0);
        }
        let mean = sum / n.max(1.0);
        [mean, (squares / n.max(1.0) - mean * mean).max(0.0).sqrt()]
    }

    /// The shape that the box's ink is most like, if it is like no other, and the place of its corner.
    fn best_match(&self, look: NextLook) -> Option<(&Template, [isize; 2])> {
        let mut best: Option<(f32, &Template, [isize; 2])> = None;
        let mut second = 0.0f32;
        for shape in &self.shapes {
            let (correlation, corner) = self.match_shape(shape, look);
            match best {
                Some((leader, ..)) if correlation <= leader => second = second.max(correlation),
                _ => {
                    second = best.map_or(second, |b| second.max(b.0));
                    best = Some((correlation, &shape.template, corner));
                }
            }
        }
        best.filter(|(correlation, ..)| *correlation > LEAST_CORRELATION && correlation - second > 0.03)
            .map(|(_, template, corner)| (template, corner))
    }

    /// The best correlation of a shape with the box over all places near its middle, and where that is.
    fn match_shape(&self, shape: &Shape, look: NextLook) -> (f32, [isize; 2]) {
        let n = (self.size[0] * self.size[1]) as f32;
        let total = self.integral.last().copied().unwrap_or(0.0);
        let mut best = (f32::MIN, shape.template.middle(self.size));
        for (dy, covers) in (-REACH..=REACH).zip(shape.covers.chunks_exact(PLACES)) {
            let corner = [shape.first[0], shape.first[1] + REACH + dy];
            let mut sums = [0.0; PLACES];
            for cell in shape.template.cells() {
                let inks = self.inks.along(at_cell(corner, cell));
                sums.iter_mut().zip(inks).for_each(|(sum, ink)| *sum += ink);
            }
            for ((dx, sum), covers) in (-REACH..=REACH).zip(sums).zip(covers) {
                let correlation = match covers.map(|[share, deviation]| [share, deviation * look.spread]) {
                    Some([share, deviation]) if deviation > 0.0 => (sum - share * total) / n / deviation,
                    _ => 0.0,
                };
                // Leaning to the middle breaks ties only.
                let correlation = correlation - 1e-4 * (dx * dx + dy * dy) as f32;
                if correlation > best.0 {
                    best = (correlation, [corner[0] + REACH + dx, corner[1]]);
                }
            }
        }
        best
    }

    /// The least of all cells' probabilities, over the shape's own picture and the cells around it: two pieces in one
    /// exposure may have a third one in common, with the rest of both beside it.
    fn confidence(&self, template: &Template, corner: [isize; 2], full: f32, noise: f32) -> f32 {
        let [width, height] = template.size.map(|s| s as isize);
        let is_own = |x: isize, y: isize| (0..width).contains(&x) && (0..height).contains(&y);
        let shape = |x: isize, y: isize| is_own(x, y) && template.is_full[(y * width + x) as usize];
        let cells = (-1..=height).flat_map(|y| (-1..=width).map(move |x| (x, y)));
        let ink = |(x, y)| {
            let (ink, area) = self.cell_ink([corner[0] + x * GRID as isize, corner[1] + y * GRID as isize]);
            // Less than half a cell inside the box says nothing; nor does one beside the shape that the box's frame may
            // reach, for the corners may be a little off.
            let says = if is_own(x, y) { area * 2.0 > (GRID * GRID) as f32 } else { self.is_well_inside(corner, x, y) };
            says.then(|| (shape(x, y), ink / area))
        };
        let own: f32 = cells.clone().filter_map(ink).filter(|c| c.0).map(|c| c.1).sum::<f32>() / 4.0;
        certainty(cells.filter_map(ink), own, full, noise)
    }

    /// Whether a cell of the shape's picture lies in the box with room to all sides.
    fn is_well_inside(&self, corner: [isize; 2], x: isize, y: isize) -> bool {
        let grid = GRID as isize;
        [x, y].into_iter().zip(corner).zip(self.size).all(|((cell, corner), size)| {
            let first = corner + cell * grid;
            first >= ROOM && first + grid + ROOM <= size as isize
        })
    }

    /// The ink and the area (samples) of a cell with this corner, as far as it lies inside the box.
    fn cell_ink(&self, corner: [isize; 2]) -> (f32, f32) {
        let [x, y] = cell_samples(corner, self.size);
        let at = |x: usize, y: usize| self.integral[y * (self.size[0] + 1) + x];
        let ink = at(x.end, y.end) - at(x.start, y.end) - at(x.end, y.start) + at(x.start, y.start);
        (ink, (x.len() * y.len()) as f32)
    }
}

/// How many samples a box has across and down.
pub(super) fn box_size(next: &NextBox) -> [usize; 2] {
    // At most 100 × 100 field units of cells of at least 0.1: bounded here, so that no layout asks for gigabytes.
    [0, 1].map(|i| ((next.size[i] / next.cell[i]).clamp(2.0, 12.0) * GRID as f64).round() as usize)
}

/// Where they lie, row by row, so many times as fine across and down; field units.
pub(super) fn box_points(next: &NextBox, size: [usize; 2], fine: usize) -> impl Iterator<Item = [f64; 2]> + '_ {
    let at = move |i: usize, axis: usize| {
        let from_center = (i as f64 + 0.5) / (GRID * fine) as f64 - size[axis] as f64 / GRID as f64 / 2.0;
        next.center[axis] + from_center * next.cell[axis]
    };
    let width = size[0] * fine;
    (0..width * size[1] * fine).map(move |i| [at(i % width, 0), at(i / width, 1)])
}

/// The pictures of a piece that a box may show: as it appears, or in all its shapes where it may appear in any.
pub(super) fn templates(layout: &Layout, piece: Piece) -> Vec<Template> {
    if layout.turned {
        return Orientation::shapes(piece).filter_map(|shape| template(piece, shape.cells())).collect();
    }
    let cells = layout.spawn.get(&piece).map(SpawnShape::shape_cells).unwrap_or_default();
    let cells: Vec<(i8, i8)> = cells.into_iter().map(|(x, y)| (x as i8, y as i8)).collect();
    template(piece, &cells).into_iter().collect()
}

/// A piece as a picture of these cells, (x, y) from anywhere.
fn template(piece: Piece, cells: &[(i8, i8)]) -> Option<Template> {
    let [left, top] = [cells.iter().map(|c| c.0).min()?, cells.iter().map(|c| c.1).min()?];
    let at = |&(x, y): &(i8, i8)| ((x - left) as usize, (y - top) as usize);
    let size = [cells.iter().map(|c| at(c).0).max()? + 1, cells.iter().map(|c| at(c).1).max()? + 1];
    let mut is_full = vec![false; size[0] * size[1]];
    cells.iter().map(at).for_each(|(x, y)| is_full[y * size[0] + x] = true);
    Some(Template { piece, size, is_full })
}
