//! Blocks as dark as the field, of which a glint shows: some of the console's levels draw a piece so.
//!
//! Such a block hardly stands out, but it is drawn as the three beside it are. The box beside the field shows four glints, each at
//! the same place of its cell; and what is drawn so in the field, where nothing else is, is such a block.

use super::confidence::step;
use super::levels::quantile;
use super::sampling::{CELL_SIDE, Samples};
use super::shapes::{REACH, Template, at_cell, box_points, box_size, templates};
use crate::game::Piece;
use crate::profile::layout::{Layout, NextBox, Polarity};
use crate::vision::view::View;

/// Samples a side of a block's drawing.
const SIDE: usize = CELL_SIDE;
/// Of each of these the mean of so many points across and down is taken: of a glint, no pixel may fall between two of them.
const FINE: usize = 2;
/// Ink is what stands out by so many deviations of the noise.
const INK_NOISES: f32 = 5.0;
/// Cameras round to whole steps.
const QUIET: f32 = 0.5;
/// More of a line along the box's side is inked than of a piece's blocks: that is the box's frame.
const FRAME_SHARE: f32 = 0.6;
/// Such a block stands out by no more than this share of another's contrast.
const MOST_SHARE: f32 = 0.25;
/// One drawing, four times, explains this share of all ink in the box: where one of four cells shows another or none, it is three
/// quarters at most.
const LEAST_EXPLAINED: f32 = 0.78;
/// A block is drawn as others are if it correlates with them so well, about as strongly; and how wide these steps are.
const LEAST_CORRELATION: f32 = 0.5;
const LEAST_STRENGTH: f32 = 0.5;
const MOST_STRENGTH: f32 = 2.5;
const DOUBT: f32 = 0.06;

const PIECE_CELLS: f32 = 4.0;

/// How a block is drawn: the evidence beyond an empty cell's, row by row.
type Drawing = [f32; SIDE * SIDE];

/// A piece of such blocks in the box beside the field.
#[derive(Debug, Clone, Copy)]
pub struct Glint {
    /// The piece.
    pub piece: Piece,
    /// How sure it is, 0–1.
    pub confidence: f32,
    drawing: Drawing,
}

/// The box beside the field, looked at for glints.
#[derive(Debug, Clone)]
struct GlintBox {
    samples: Samples,
    size: [usize; 2],
}

impl GlintBox {
    fn new(next: &NextBox, view: &View, picture: [u32; 2], polarity: Polarity) -> Self {
        let size = box_size(next);
        let points = box_points(next, size, FINE).map(|point| view.map(point));
        Self { samples: Samples::new(points, picture, polarity), size }
    }

    /// The piece whose four cells alone are inked, all alike.
    fn look(&self, bytes: &[u8], templates: &[Template]) -> Option<Glint> {
        if !self.samples.all_inside() {
            return None;
        }
        let inks = self.inks(bytes);
        let total: f32 = inks.iter().map(|ink| ink * ink).sum();
        if total == 0.0 {
            return None;
        }
        let found: Vec<Glint> =
            templates.iter().filter_map(|template| self.best_place(template, &inks, total)).collect();
        let best = found
            .iter()
            .copied()
            .reduce(|best, other| if other.confidence > best.confidence { other } else { best })?;
        // Two pieces in one exposure may be both.
        found.iter().all(|other| other.piece == best.piece).then_some(best)
    }

    /// What of the box stands out, sample by sample; nothing else, and not the box's frame.
    fn inks(&self, bytes: &[u8]) -> Vec<f32> {
        let mut inks = mean_of_points(&self.samples, bytes, self.size[0]);
        let background = quantile(&mut inks.clone(), 0.5);
        inks.iter_mut().for_each(|ink| *ink -= background);
        let mut deviations: Vec<f32> = inks.iter().map(|ink| ink.abs()).collect();
        let least = INK_NOISES * 1.48 * quantile(&mut deviations, 0.5).max(QUIET);
        inks.iter_mut().filter(|ink| ink.abs() < least).for_each(|ink| *ink = 0.0);
        let [width, height] = self.size;
        let is_inked = |i: usize| inks[i] != 0.0;
        let is_frame =
            |line: &[usize]| line.iter().filter(|i| is_inked(**i)).count() as f32 > FRAME_SHARE * line.len() as f32;
        let rows = (0..height).map(|y| (y * width..(y + 1) * width).collect::<Vec<usize>>());
        let columns = (0..width).map(|x| (x..width * height).step_by(width).collect::<Vec<usize>>());
        let frame: Vec<usize> = rows.chain(columns).filter(|line| is_frame(line)).flatten().collect();
        frame.into_iter().for_each(|i| inks[i] = 0.0);
        inks
    }

    /// Where, near the middle, a piece explains the ink best, of which there is so much; `None` if it does not anywhere.
    fn best_place(&self, template: &Template, inks: &[f32], total: f32) -> Option<Glint> {
        let middle = template.middle(self.size);
        let mut best: Option<(f32, Glint)> = None;
        for (dx, dy) in (-REACH..=REACH).flat_map(|dy| (-REACH..=REACH).map(move |dx| (dx, dy))) {
            let mut drawing = [0.0; SIDE * SIDE];
            for corner in template.cells().map(|cell| at_cell([middle[0] + dx, middle[1] + dy], cell)) {
                let cell = self.cell(inks, corner);
                drawing.iter_mut().zip(cell).for_each(|(mean, ink)| *mean += ink / PIECE_CELLS);
            }
            let explained = product(&drawing, &drawing) * PIECE_CELLS / total;
            // Where the glints lie in their cells is open: leaning to the middle says.
            let score = explained - 1e-3 * (dx * dx + dy * dy) as f32;
            if explained >= LEAST_EXPLAINED && best.is_none_or(|(most, _)| score > most) {
                let confidence = explained.sqrt().min(0.999);
                best = Some((score, Glint { piece: template.piece, confidence, drawing }));
            }
        }
        best.map(|(_, glint)| glint)
    }

    /// The samples of a cell with this corner; those outside the box are 0.
    fn cell(&self, values: &[f32], corner: [isize; 2]) -> Drawing {
        let [width, height] = self.size;
        std::array::from_fn(|i| {
            let at = [corner[0] + (i % SIDE) as isize, corner[1] + (i / SIDE) as isize];
            let is_inside = at.iter().zip([width, height]).all(|(at, size)| (0..size as isize).contains(at));
            if is_inside { values[at[1] as usize * width + at[0] as usize] } else { 0.0 }
        })
    }
}

/// What is known of such blocks, and where they may stand.
#[derive(Debug, Clone)]
pub struct Glints {
    next: NextBox,
    templates: Vec<Template>,
    view: View,
    columns: usize,
    picture: [u32; 2],
    polarity: Polarity,
    /// The box beside the field, once it was looked at: few games are drawn so.
    beside: Option<GlintBox>,
    /// The points of each cell of the field, once it was asked.
    field: Vec<Option<Samples>>,
    /// How each piece's blocks are drawn, once it was seen beside the field.
    known: [Option<Drawing>; 7],
}

impl Glints {
    /// Nothing seen yet, of this view of a game's field and the box beside it.
    pub fn new(next: &NextBox, layout: &Layout, view: View, picture: [u32; 2]) -> Self {
        Self {
            next: next.clone(),
            templates: Piece::ALL.into_iter().flat_map(|piece| templates(layout, piece)).collect(),
            view,
            columns: layout.field.columns,
            picture,
            polarity: layout.polarity,
            beside: None,
            field: vec![None; layout.field.columns * layout.field.rows],
            known: [None; 7],
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.known = [None; 7];
    }

    /// Whether what stands out so much may be such a block, where others do by `full`; evidence steps.
    pub fn may_be(contrast: f32, full: f32) -> bool {
        contrast < MOST_SHARE * full
    }

    /// Looks at the box beside the field, in which no other block is, and keeps in mind how the piece in it is drawn; `full` is how
    /// much other blocks stand out.
    pub fn look(&mut self, bytes: &[u8], full: f32) -> Option<Glint> {
        let Self { next, view, picture, polarity, .. } = self;
        let beside = self.beside.get_or_insert_with(|| GlintBox::new(next, view, *picture, *polarity));
        let glint = beside.look(bytes, &self.templates)?;
        // Two pieces of other blocks in one exposure may look like a third.
        if !Self::may_be(glint.drawing.iter().sum::<f32>() / glint.drawing.len() as f32, full) {
            return None;
        }
        self.known[glint.piece.index()] = Some(glint.drawing);
        Some(glint)
    }

    /// Whether any piece is known that is drawn so.
    pub fn are_known(&self) -> bool {
        self.known.iter().any(Option::is_some)
    }

    /// Whether this piece is drawn so.
    pub fn is_known(&self, piece: Piece) -> bool {
        self.known[piece.index()].is_some()
    }

    /// No piece is drawn so that is seen otherwise.
    pub fn unlearn(&mut self, piece: Piece) {
        self.known[piece.index()] = None;
    }

    /// The probability that a cell shows such a block, where an empty one would show this much evidence.
    pub fn probability(&mut self, bytes: &[u8], cell: usize, empty: f32) -> f32 {
        let samples = self.field[cell].get_or_insert_with(|| {
            let corner = [(cell % self.columns) as f64, (cell / self.columns) as f64];
            let at = |i: usize| (i as f64 + 0.5) / (SIDE * FINE) as f64;
            let point = |i: usize| [corner[0] + at(i % (SIDE * FINE)), corner[1] + at(i / (SIDE * FINE))];
            let points = (0..(SIDE * FINE).pow(2)).map(|i| self.view.map(point(i)));
            Samples::new(points, self.picture, self.polarity)
        });
        let shown = mean_of_points(samples, bytes, SIDE);
        let beyond: Drawing = std::array::from_fn(|i| shown[i] - empty);
        self.known.iter().flatten().map(|drawing| alike(&beyond, drawing)).fold(0.0, f32::max)
    }
}

/// The probability that what a cell shows is drawn so, a sample to any side.
fn alike(shown: &Drawing, drawing: &Drawing) -> f32 {
    let at = |(dx, dy): (isize, isize)| {
        let moved: Drawing = std::array::from_fn(|i| {
            let (x, y) = ((i % SIDE) as isize + dx, (i / SIDE) as isize + dy);
            let is_inside = (0..SIDE as isize).contains(&x) && (0..SIDE as isize).contains(&y);
            if is_inside { shown[y as usize * SIDE + x as usize] } else { 0.0 }
        });
        // What was moved out speaks against it.
        let kept = norm(&moved) / norm(shown).max(1.0);
        let strength = product(&moved, drawing) / product(drawing, drawing).max(1.0);
        let is_so = step((kept * correlation(&moved, drawing) - LEAST_CORRELATION) / DOUBT);
        is_so.min(step((strength - LEAST_STRENGTH) / DOUBT)).min(step((MOST_STRENGTH - strength) / DOUBT))
    };
    (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| at((dx, dy)))).fold(0.0, f32::max)
}

fn correlation(one: &Drawing, other: &Drawing) -> f32 {
    product(one, other) / (norm(one) * norm(other)).max(1.0)
}

fn norm(drawing: &Drawing) -> f32 {
    product(drawing, drawing).sqrt()
}

fn product(one: &Drawing, other: &Drawing) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The means of the points of each of these samples, of which so many lie in a row.
fn mean_of_points(samples: &Samples, bytes: &[u8], width: usize) -> Vec<f32> {
    let mut values = Vec::new();
    samples.load(bytes, &mut values);
    let rows = values.chunks_exact(width * FINE * FINE);
    let mean = |points: &[u8], x: usize| {
        let point = |i: usize| u32::from(points[(i / FINE) * width * FINE + x * FINE + i % FINE]);
        (0..FINE * FINE).map(point).sum::<u32>() as f32 / (FINE * FINE) as f32
    };
    rows.flat_map(|points| (0..width).map(move |x| mean(points, x))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    /// Side of a cell, px, and where the field's corner is.
    const CELL_PX: f64 = 16.0;
    const CORNER_PX: [f64; 2] = [100.0, 60.0];

    fn glints() -> (Glints, NextBox) {
        let layout = Layout::load("nes").expect("it is built in");
        let next = layout.next.clone().expect("it has a next box");
        let picture = [640, 480];
        let at = |x: f64, y: f64| [CORNER_PX[0] + x * CELL_PX, CORNER_PX[1] + y * CELL_PX];
        let corners = [at(0.0, 0.0), at(10.0, 0.0), at(10.0, 20.0), at(0.0, 20.0)];
        let view = View::through([0.0, 0.0, 10.0, 20.0], corners, 0.0, picture.map(|side| side as usize));
        (Glints::new(&next, &layout, view.expect("it is a rectangle"), picture), next)
    }

    /// Draws glints in cells with these corners (field units) before a field of this brightness.
    fn shown(corners: &[[f64; 2]], ground: u8) -> RgbImage {
        let mut image = RgbImage::from_pixel(640, 480, Rgb([ground; 3]));
        for [x, y] in corners {
            let [left, top] = [(CORNER_PX[0] + x * CELL_PX) as u32, (CORNER_PX[1] + y * CELL_PX) as u32];
            for (dx, dy) in [(2, 2), (3, 2), (4, 3), (4, 4), (5, 4)] {
                image.put_pixel(left + dx, top + dy, Rgb([190, 190, 180]));
            }
        }
        image
    }

    /// The corners of a piece's cells in the middle of the box; these are (column, row) of its own.
    fn in_box(next: &NextBox, cells: [[f64; 2]; 4]) -> Vec<[f64; 2]> {
        let most = |i: usize| cells.iter().map(|cell| cell[i]).fold(0.0, f64::max) + 1.0;
        let corner = |cell: [f64; 2]| [0, 1].map(|i| next.center[i] - most(i) / 2.0 + cell[i]);
        cells.map(corner).to_vec()
    }

    const S: [[f64; 2]; 4] = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    const Z: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]];

    #[test]
    fn four_glints_beside_the_field_are_a_piece_and_others_are_none() {
        let (mut glints, next) = glints();
        let seen = |glints: &mut Glints, corners: &[[f64; 2]]| {
            glints.look(shown(corners, 12).as_raw(), 150.0).map(|glint| glint.piece)
        };
        for (cells, piece) in [(S, Piece::S), (Z, Piece::Z)] {
            assert_eq!(seen(&mut glints, &in_box(&next, cells)), Some(piece));
            assert!(glints.is_known(piece));
        }
        assert_eq!(seen(&mut glints, &[]), None, "an empty box");
        let both: Vec<[f64; 2]> = [S, Z].into_iter().flat_map(|cells| in_box(&next, cells)).collect();
        assert_eq!(seen(&mut glints, &both), None, "two pieces in one exposure");
        assert_eq!(seen(&mut glints, &in_box(&next, S)[..3]), None);
        let mut askew = in_box(&next, S);
        askew[0][0] += 0.5;
        assert_eq!(seen(&mut glints, &askew), None, "not in the same place of each cell");
        let as_bright = glints.look(shown(&in_box(&next, S), 12).as_raw(), 12.0);
        assert!(as_bright.is_none(), "no other blocks stand out more");
        glints.unlearn(Piece::S);
        assert!(!glints.is_known(Piece::S) && glints.are_known());
    }

    #[test]
    fn a_cell_of_the_field_that_is_drawn_so_is_full() {
        let (mut glints, next) = glints();
        let picture = shown(&[[3.0, 18.0], [4.0, 18.0]], 12);
        assert_eq!(glints.probability(picture.as_raw(), 183, 12.0), 0.0, "none is known");
        glints.look(shown(&in_box(&next, S), 12).as_raw(), 150.0).expect("a piece");
        let mut p = |image: &RgbImage, cell: usize| glints.probability(image.as_raw(), cell, 12.0);
        assert!(p(&picture, 183) > 0.97 && p(&picture, 184) > 0.97, "{} {}", p(&picture, 183), p(&picture, 184));
        assert!(p(&picture, 185) < 0.03 && p(&picture, 163) < 0.03);
        // A bright line below a cell, whose light reaches into it, and a cell that is brighter as a whole.
        let mut lines = RgbImage::from_pixel(640, 480, Rgb([12; 3]));
        let row = CORNER_PX[1] as u32 + 18 * CELL_PX as u32;
        (0..640).for_each(|x| (row - 2..row).for_each(|y| lines.put_pixel(x, y, Rgb([190; 3]))));
        assert!(p(&lines, 173) < 0.03, "{}", p(&lines, 173));
        assert!(p(&RgbImage::from_pixel(640, 480, Rgb([40; 3])), 173) < 0.1);
    }
}
