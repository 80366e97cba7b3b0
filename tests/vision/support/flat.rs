//! A game of flat blocks that nobody sells, drawn and filmed by the tests themselves: three next boxes, ghosts, pieces
//! that fall pixel by pixel, either polarity.
#![allow(dead_code, clippy::expect_used)]

use image::{Rgb, RgbImage};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Piece;
use stackhand::message::Frame;
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use std::sync::Arc;

/// A cell's side, px, and the field's top left corner.
pub const CELL: f64 = 17.0;
pub const CORNER: [f64; 2] = [150.0, 60.0];
/// The picture.
pub const SIZE: [u32; 2] = [640, 480];
/// The next boxes' centres, field units.
pub const BOXES: [[f64; 2]; 3] = [[14.0, 3.0], [14.0, 8.0], [14.0, 13.0]];

/// How the game shows where the piece will land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ghost {
    None,
    /// A copy of this share of a block's brightness.
    Dim(f64),
    Outline,
}

/// Its layout; `more` goes before the tables.
pub fn layout(is_light: bool, more: &str) -> Layout {
    let polarity = if is_light { "dark-on-light" } else { "light-on-dark" };
    let shapes: String = Piece::ALL
        .iter()
        .map(|piece| {
            let cells: &[&str] = match piece {
                Piece::T => &["###", ".#."],
                Piece::J => &["###", "..#"],
                Piece::Z => &["##.", ".##"],
                Piece::O => &["##", "##"],
                Piece::S => &[".##", "##."],
                Piece::L => &["###", "#.."],
                Piece::I => &["####"],
            };
            format!("{piece} = {{ column = 3, row = 0, cells = {cells:?} }}\n")
        })
        .collect();
    let outward = if is_light { "darker" } else { "brighter" };
    let place = |[x, y]: [f64; 2]| format!("center = [{x:?}, {y:?}]\nsize = [4.4, 3.2]\n");
    let queue = BOXES[1..].iter().map(|at| format!("[[queue]]\n{}", place(*at))).collect::<String>();
    let text = format!(
        "name = \"flat\"\ntitle = \"flat blocks\"\npolarity = \"{polarity}\"\n{more}\n[field]\ncolumns = 10\nrows = 20\n\
         [next]\n{}{queue}[locate]\nframes = [{{ rect = [0.0, 0.0, 10.0, 20.0], outward = \"{outward}\" }}]\n[spawn]\n{shapes}",
        place(BOXES[0])
    );
    Layout::parse("flat", &text).expect("the layout is valid")
}

/// The field's corners in the picture.
pub fn corners() -> [[f64; 2]; 4] {
    let ([x, y], [w, h]) = (CORNER, [10.0 * CELL, 20.0 * CELL]);
    [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
}

/// What the game shows.
#[derive(Debug, Clone)]
pub struct Scene {
    pub pile: Vec<(usize, usize)>,
    /// The falling piece, the column of its left edge, and how far it has fallen, rows.
    pub falling: Option<(Piece, usize, f64)>,
    pub ghost: Ghost,
    pub next: [Option<Piece>; 3],
    pub is_light: bool,
    /// How much brighter a picture behind the field makes its cells at most, 0–255; cells differ.
    pub behind: f64,
    /// A cursor of half a cell's width stands behind the last cell that was drawn, as in a terminal.
    pub has_cursor: bool,
}

impl Scene {
    /// The falling piece's cells when it has fallen this many whole rows.
    pub fn cells_at(layout: &Layout, piece: Piece, column: usize, row: usize) -> Vec<(usize, usize)> {
        layout.spawn_cells(piece).into_iter().map(|(x, y)| (x + column - 3, y + row)).collect()
    }

    /// The cell over whose left half the cursor stands.
    pub fn cursor(&self, layout: &Layout) -> Option<(usize, usize)> {
        let (piece, column, fallen) = self.falling.filter(|_| self.has_cursor)?;
        let cells = Self::cells_at(layout, piece, column, fallen as usize);
        let last = cells.into_iter().max_by_key(|(x, y)| (*y, *x))?;
        Some((last.0 + 1, last.1)).filter(|cell| cell.0 < 10 && !self.pile.contains(cell))
    }

    /// The row at which the falling piece lands.
    pub fn landing(&self, layout: &Layout) -> Option<Vec<(usize, usize)>> {
        let (piece, column, fallen) = self.falling?;
        let fits = |row: usize| {
            let cells = Self::cells_at(layout, piece, column, row);
            cells.iter().all(|c| c.1 < 20 && !self.pile.contains(c))
        };
        let row = (fallen.ceil() as usize..20).take_while(|row| fits(*row)).last()?;
        Some(Self::cells_at(layout, piece, column, row))
    }
}

/// A camera that blurs, adds noise, and changes brightness; always the same for a seed.
pub struct Camera {
    dice: Xoshiro256PlusPlus,
    blur: f32,
    noise: f32,
    gain: f32,
    index: u64,
    /// Normal deviates, enough of them that no two pictures are alike.
    normal: Vec<f32>,
}

impl Camera {
    pub fn new(seed: u64) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (blur, noise, gain) = (
            dice.random_range(0.6..1.6),
            dice.random_range(2.0..9.0_f64) as f32,
            dice.random_range(0.7..1.05_f64) as f32,
        );
        // The sum of twelve dice is as good as normal.
        let normal =
            (0..100_003).map(|_| (0..12).map(|_| dice.random_range(-0.5..0.5_f64)).sum::<f64>() as f32).collect();
        Self { dice, blur, noise, gain, index: 0, normal }
    }

    pub fn shoot(&mut self, scene: &Scene, layout: &Layout) -> Frame {
        let mut image = blurred(&draw(scene, layout), self.blur);
        let start = self.dice.random_range(0..self.normal.len());
        let noise = self.normal[start..].iter().chain(self.normal.iter().cycle());
        for (value, normal) in image.iter_mut().zip(noise) {
            // Rounded, and cut off at 0 and 255.
            *value = (f32::from(*value) * self.gain + 8.5 + self.noise * normal) as u8;
        }
        self.index += 1;
        let time = HostTime::from_ms(33.3 * self.index as f64);
        Frame { index: CameraFrame(self.index), time, name: None, file: None, image: Arc::new(image) }
    }
}

/// Blurred by a bell curve of this deviation, px, first down the columns, then along the rows.
fn blurred(image: &RgbImage, deviation: f32) -> RgbImage {
    const REACH: usize = 4;
    let bell: [f32; 2 * REACH + 1] =
        std::array::from_fn(|i| (-0.5 * ((i as f32 - REACH as f32) / deviation).powi(2)).exp());
    let weights = bell.map(|weight| weight / bell.iter().sum::<f32>());
    let (length, height) = (3 * image.width() as usize, image.height() as usize);
    let mut out = image.clone();
    // With the picture's border once more on either side, as far as the bell reaches.
    // Half a step more, so that it is rounded.
    let mut row = vec![0.5_f32; length + 6 * REACH];
    for (y, line) in out.chunks_exact_mut(length).enumerate() {
        row.fill(0.5);
        for (i, weight) in weights.iter().enumerate() {
            let from = (y + i).saturating_sub(REACH).min(height - 1) * length;
            for (sum, value) in row[3 * REACH..].iter_mut().zip(&image.as_raw()[from..from + length]) {
                *sum += weight * f32::from(*value);
            }
        }
        let end = 3 * REACH + length;
        for i in 0..3 * REACH {
            (row[i], row[end + i]) = (row[3 * REACH + i % 3], row[end - 3 + i % 3]);
        }
        for (i, value) in line.iter_mut().enumerate() {
            *value = weights.iter().enumerate().map(|(tap, weight)| weight * row[i + 3 * tap]).sum::<f32>() as u8;
        }
    }
    out
}

fn colour(piece: Piece, is_light: bool) -> [f64; 3] {
    let bright = [
        [230., 90., 230.],
        [80., 100., 240.],
        [230., 60., 60.],
        [235., 220., 70.],
        [70., 220., 90.],
        [240., 150., 50.],
        [80., 220., 235.],
    ];
    let own: [f64; 3] = bright[piece.index()];
    // On a light field the same hues, dark.
    if is_light { own.map(|c| 20.0 + c * 0.22) } else { own }
}

fn draw(scene: &Scene, layout: &Layout) -> RgbImage {
    let ground = if scene.is_light { [205.0; 3] } else { [14.0, 14.0, 18.0] };
    let border = if scene.is_light { [90.0; 3] } else { [130.0; 3] };
    let mut image = RgbImage::from_pixel(SIZE[0], SIZE[1], rgb([60.0; 3]));
    // Fills a rectangle given in field units, with its fractions of pixels rounded.
    let mut fill = |[left, top, right, bottom]: [f64; 4], colour: [f64; 3]| {
        let px = |v: f64, axis: usize| (CORNER[axis] + v * CELL).round().max(0.0) as u32;
        for y in px(top, 1)..px(bottom, 1).min(SIZE[1]) {
            for x in px(left, 0)..px(right, 0).min(SIZE[0]) {
                image.put_pixel(x, y, rgb(colour));
            }
        }
    };
    fill([-0.4, -0.4, 10.4, 20.4], border);
    fill([0.0, 0.0, 10.0, 20.0], ground);
    for cell in (0..200).filter(|_| scene.behind > 0.0) {
        let (x, y) = (f64::from(cell % 10), f64::from(cell / 10));
        let share = 0.7 + 0.3 * f64::from(cell * 37 % 11) / 10.0;
        fill([x, y, x + 1.0, y + 1.0], ground.map(|level| level + share * scene.behind));
    }
    for at in BOXES {
        fill([at[0] - 2.6, at[1] - 2.0, at[0] + 2.6, at[1] + 2.0], border);
        fill([at[0] - 2.4, at[1] - 1.8, at[0] + 2.4, at[1] + 1.8], ground);
    }
    let block = |x: f64, y: f64| [x + 0.04, y + 0.04, x + 0.96, y + 0.96];
    for (i, &(x, y)) in scene.pile.iter().enumerate() {
        fill(block(x as f64, y as f64), colour(Piece::from_index(i % 7), scene.is_light));
    }
    if let Some((piece, column, fallen)) = scene.falling {
        let own = colour(piece, scene.is_light);
        for (x, y) in scene.landing(layout).unwrap_or_default() {
            let at = block(x as f64, y as f64);
            match scene.ghost {
                Ghost::None => {}
                Ghost::Dim(share) => fill(at, std::array::from_fn(|i| ground[i] + share * (own[i] - ground[i]))),
                Ghost::Outline => {
                    fill(at, own);
                    fill([at[0] + 0.12, at[1] + 0.12, at[2] - 0.12, at[3] - 0.12], ground);
                }
            }
        }
        for (x, y) in Scene::cells_at(layout, piece, column, 0) {
            fill(block(x as f64, y as f64 + fallen), own);
        }
    }
    if let Some((x, y)) = scene.cursor(layout) {
        fill([x as f64, y as f64, x as f64 + 0.5, y as f64 + 1.0], if scene.is_light { [60.0; 3] } else { [190.0; 3] });
    }
    for (at, piece) in BOXES.iter().zip(scene.next) {
        let Some(piece) = piece else { continue };
        let cells = Scene::cells_at(layout, piece, 3, 0);
        let most = |of: fn(&(usize, usize)) -> usize| cells.iter().map(of).max().unwrap_or(0) as f64;
        let (width, height) = (most(|c| c.0) - 2.0, most(|c| c.1) + 1.0);
        for (x, y) in &cells {
            let (x, y) = (at[0] - width / 2.0 + *x as f64 - 3.0, at[1] - height / 2.0 + *y as f64);
            fill(block(x, y), colour(piece, scene.is_light));
        }
    }
    image
}

fn rgb(colour: [f64; 3]) -> Rgb<u8> {
    Rgb(colour.map(|c| c.round() as u8))
}
