//! How a game's screen looks beyond what the console draws: washed-out colours, drawn blocks, a picture behind the field,
//! pieces between two rows, words. A plain look changes nothing.

use super::effects::{Effect, Effects};
use super::exact::Dice;
use super::font::{WIDE, glyph};
use super::lively::Manner;
use super::picture::{CELL_PX, COLOURS, FIELD_PX, Picture, draw, next_cells_px};
use super::view::{ConsoleView, Screen, Tile};

/// Colour numbers past the console's 64: the same colours lighter and darker, shades of the picture behind the field, and
/// the words' ink.
const LIGHTER: u8 = 64;
const DARKER: u8 = 128;
const BEHIND: u8 = 192;
const SHADES: u8 = 32;
const INK: u8 = BEHIND + SHADES;
/// The console's black.
const BLACK: u8 = 0x0F;

/// The bounds at strength 1.
mod bound {
    /// Of the colours' saturation and of their contrast this share is lost, and black shines by this much of 255.
    pub const SATURATION_LOSS: f64 = 0.8;
    pub const CONTRAST_LOSS: f64 = 0.6;
    pub const LEAK: f64 = 70.0;
    /// How far a block's lighter pixels are from its colour to white, and its darker ones to black.
    pub const LIGHTER: f64 = 0.6;
    pub const DARKER: f64 = 0.7;
    /// The brightest shade of the picture behind the field, of 255.
    pub const BEHIND: f64 = 110.0;
    /// What of a display's light is left a frame later.
    pub const LEFT: f64 = 0.6;
    /// How long a word stands, console frames.
    pub const WORD_FRAMES: f64 = 180.0;
}

/// Words come after at least so many frames, and at most so many.
const WORD_EVERY_FRAMES: (f64, f64) = (240.0, 480.0);
const WORDS: [&str; 8] = ["READY", "GREAT", "LEVEL UP", "GO", "DOUBLE", "NICE", "PERFECT", "HURRY UP"];
/// A picture behind the field stays for so many frames.
const BACKDROP_FRAMES: (f64, f64) = (240.0, 700.0);
/// Frames of a slow display that are looked back to.
const GLOW_FRAMES: usize = 8;

/// How a game's screen looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// How washed out, 0–1.
    pale: f64,
    /// Colours of another level's blocks.
    level: Option<u8>,
    /// How strongly blocks are drawn, 0–1, and in what manner each of a cell's pixels is shaded.
    texture: Option<(f64, [[Shade; 7]; 7])>,
    backdrop: Option<Backdrop>,
    words: Option<Words>,
    /// In what share of the time from row to row a piece slides.
    smooth: f64,
    /// What of the light is left a frame later.
    left: f64,
    /// What the modern game shows of a lock down.
    lively: Option<Manner>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shade {
    Plain,
    Lighter,
    Darker,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Backdrop {
    /// Brightness of its brightest shade, of 255.
    most: f64,
    seed: u64,
    /// Frames that each picture stays.
    frames: u64,
    /// Share of each channel.
    tint: [f64; 3],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Words {
    /// Frames that a word stands, and from one word to the next.
    frames: u64,
    every: u64,
    /// Pixels a stroke's side.
    scale: usize,
    seed: u64,
}

impl Look {
    /// The look of the clip with this seed.
    pub fn draw_of(effects: &Effects, seed: u64) -> Self {
        let mut look = Self::default();
        if let Some((strength, mut dice)) = effects.draw(Effect::Pale, seed) {
            look.pale = strength;
            look.level = (dice.bits().is_multiple_of(2)).then(|| (dice.bits() >> 20) as u8);
        }
        if let Some((strength, mut dice)) = effects.draw(Effect::Texture, seed) {
            look.texture = Some((strength, texture(&mut dice)));
        }
        if let Some((strength, mut dice)) = effects.draw(Effect::Background, seed) {
            let frames = dice.between(BACKDROP_FRAMES.0, BACKDROP_FRAMES.1) as u64;
            let tint = [(); 3].map(|()| dice.between(0.3, 1.0));
            look.backdrop = Some(Backdrop { most: strength * bound::BEHIND, seed: dice.bits(), frames, tint });
        }
        if let Some((strength, mut dice)) = effects.draw(Effect::Words, seed) {
            let every = dice.between(WORD_EVERY_FRAMES.0, WORD_EVERY_FRAMES.1) as u64;
            let frames = (strength * bound::WORD_FRAMES) as u64;
            look.words = Some(Words { frames, every, scale: 1 + (dice.bits() % 2) as usize, seed: dice.bits() });
        }
        look.lively = effects.draw(Effect::Lively, seed).map(|(strength, mut dice)| Manner::new(strength, &mut dice));
        look.smooth = effects.draw(Effect::Smooth, seed).map_or(0.0, |(strength, _)| strength);
        look.left = effects.draw(Effect::Afterglow, seed).map_or(0.0, |(strength, _)| strength * bound::LEFT);
        look
    }

    /// What the modern game shows of a lock down.
    pub(super) fn lively(&self) -> Option<Manner> {
        self.lively
    }

    /// How many pixels a piece is below its row when this share (0–1) of the time to the next has passed.
    pub fn glide_px(&self, share: f64) -> u8 {
        if self.smooth <= 0.0 {
            return 0;
        }
        let slid = (share.clamp(0.0, 1.0) - (1.0 - self.smooth)) / self.smooth;
        (slid.max(0.0) * CELL_PX as f64) as u8
    }

    /// How many frames the display still shows something of.
    pub fn glow_frames(&self) -> usize {
        if self.left > 0.0 { GLOW_FRAMES } else { 0 }
    }

    /// The display's light in a frame: shares of that frame, and of each before it.
    pub fn glow(&self) -> Vec<f64> {
        let mut shares: Vec<f64> = Vec::with_capacity(self.glow_frames() + 1);
        let mut left = 1.0;
        for _ in 0..self.glow_frames() {
            shares.push(left * (1.0 - self.left));
            left *= self.left;
        }
        shares.push(left);
        shares
    }

    /// What the screen shows for each number of a picture, RGB of 255.
    pub fn colours(&self) -> [[u8; 3]; 256] {
        std::array::from_fn(|number| {
            let colour = COLOURS[number & 63].map(f64::from);
            let (strength, number) = (self.texture.map_or(0.0, |(strength, _)| strength), number as u8);
            let rgb = match number {
                0..LIGHTER => colour,
                LIGHTER..DARKER => colour.map(|v| v + bound::LIGHTER * strength * (255.0 - v)),
                DARKER..BEHIND => colour.map(|v| v * (1.0 - bound::DARKER * strength)),
                INK.. => [255.0; 3],
                _ => {
                    let share = f64::from(number - BEHIND) / f64::from(SHADES - 1);
                    self.backdrop.map_or([0.0; 3], |behind| behind.tint.map(|tint| tint * share * behind.most))
                }
            };
            self.washed(rgb).map(|v| v.round().clamp(0.0, 255.0) as u8)
        })
    }

    fn washed(&self, rgb: [f64; 3]) -> [f64; 3] {
        let grey = (rgb[0] + rgb[1] + rgb[2]) / 3.0;
        rgb.map(|v| {
            let faded = v + self.pale * bound::SATURATION_LOSS * (grey - v);
            faded * (1.0 - self.pale * bound::CONTRAST_LOSS) + self.pale * bound::LEAK
        })
    }

    /// Draws what the console shows in one of its frames, a falling piece `glide_px` pixels below its row.
    pub fn draw(&self, view: &ConsoleView, glide_px: u8, frame: u64, into: &mut Picture) {
        let level = self.level.unwrap_or(view.level);
        if level == view.level && glide_px == 0 {
            draw(view, into);
        } else {
            let falling = view.falling.filter(|_| glide_px == 0);
            draw(&ConsoleView { level, falling, ..view.clone() }, into);
        }
        if glide_px > 0 {
            falling_px(view, glide_px).iter().for_each(|(at, tile)| into.draw_block(*tile, *at, level));
        }
        let next: Vec<[usize; 2]> = view.next.map(next_cells_px).into_iter().flatten().collect();
        self.cover(view, glide_px, &next, frame, into);
    }

    /// Draws what lies over what a machine shows, a falling piece `glide_px` pixels below its row; the piece in its next
    /// box has its cells at `next_px`.
    pub fn cover(&self, view: &ConsoleView, glide_px: u8, next_px: &[[usize; 2]], frame: u64, into: &mut Picture) {
        if !matches!(view.screen, Screen::Game | Screen::Paused) {
            return;
        }
        if let Some((_, shades)) = &self.texture {
            let pile = view.playfield.iter().enumerate().flat_map(|(y, row)| {
                let full = row.iter().enumerate().filter(|(_, tile)| !matches!(tile, Tile::Empty | Tile::Curtain));
                full.map(move |(x, _)| place_px((x as i8, y as i8)))
            });
            let pile = pile.filter(|_| view.screen == Screen::Game);
            let next = next_px.iter().copied();
            let falling = falling_px(view, glide_px);
            pile.chain(falling.iter().map(|(at, _)| *at)).chain(next).for_each(|at| shade(shades, at, into));
        }
        if let Some(behind) = &self.backdrop {
            behind.draw(frame, into);
        }
        if let Some(words) = &self.words {
            words.draw(frame, into);
        }
    }
}

/// The top-left pixel of a cell.
fn place_px((x, y): (i8, i8)) -> [usize; 2] {
    [FIELD_PX[0] + x as usize * CELL_PX, FIELD_PX[1] + y as usize * CELL_PX]
}

/// The falling piece's cells within the field, each by its top-left pixel, so many pixels below their rows.
fn falling_px(view: &ConsoleView, glide_px: u8) -> Vec<([usize; 2], Tile)> {
    let falling = view.falling.filter(|_| view.screen == Screen::Game);
    let tiles = falling.iter().flat_map(|(cells, tile)| cells.map(|cell| (cell, *tile)));
    let tiles = tiles.filter(|((x, y), _)| (0..10).contains(x) && (0..20).contains(y));
    tiles.map(|(cell, tile)| ([place_px(cell)[0], place_px(cell)[1] + usize::from(glide_px)], tile)).collect()
}

/// One of the ways in which games draw blocks.
fn texture(dice: &mut Dice) -> [[Shade; 7]; 7] {
    let (kind, weave) = (dice.bits() % 5, dice.bits());
    let of = |x: usize, y: usize| match kind {
        // A bevel, lit from above.
        0 if y == 0 || x == 0 => Shade::Lighter,
        0 if y == 6 || x == 6 => Shade::Darker,
        // Stripes, and rings.
        1 if y % 2 == 1 => Shade::Darker,
        2 if x.abs_diff(3).max(y.abs_diff(3)).is_multiple_of(2) => Shade::Darker,
        // A dark block with a bright rim.
        3 if x.abs_diff(3).max(y.abs_diff(3)) < 3 => Shade::Darker,
        3 => Shade::Lighter,
        4 => match weave >> (y * 8 + x) & 3 {
            0 => Shade::Lighter,
            1 => Shade::Darker,
            _ => Shade::Plain,
        },
        _ => Shade::Plain,
    };
    std::array::from_fn(|y| std::array::from_fn(|x| of(x, y)))
}

fn shade(shades: &[[Shade; 7]; 7], at: [usize; 2], into: &mut Picture) {
    for (y, row) in shades.iter().enumerate() {
        for (x, shade) in row.iter().enumerate() {
            let change = |colour: u8| match shade {
                _ if colour >= LIGHTER || colour == BLACK => colour,
                Shade::Plain => colour,
                Shade::Lighter => colour + LIGHTER,
                Shade::Darker => colour + DARKER,
            };
            into.change([at[0] + x, at[1] + y], change);
        }
    }
}

impl Backdrop {
    /// Draws it where the field is black: two waves that run over each other, with soft or hard edges.
    fn draw(&self, frame: u64, into: &mut Picture) {
        let mut dice = Dice::new(self.seed ^ (frame / self.frames).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut waves = [[0i64; 4]; 2];
        for wave in &mut waves {
            // Along x and y, and in time, all in 64ths of a pixel; and the wave's length.
            *wave = [dice.between(-96.0, 96.0), dice.between(-96.0, 96.0), dice.between(-64.0, 64.0), 0.0]
                .map(|v| v as i64);
            wave[3] = dice.between(12.0 * 64.0, 60.0 * 64.0) as i64;
        }
        let (is_hard, dimmed) = (dice.bits().is_multiple_of(2), dice.between(0.3, 1.0));
        let most = (f64::from(SHADES - 1) * dimmed) as i64;
        let time = (frame % 1_000_000) as i64;
        for y in 0..20 * CELL_PX {
            for x in 0..10 * CELL_PX {
                let hill = |[along, down, drift, length]: [i64; 4]| {
                    let place = (along * x as i64 + down * y as i64 + drift * time).rem_euclid(length);
                    let hill = (2 * place - length).abs() * most / length;
                    if is_hard { if 2 * hill > most { most } else { 0 } } else { hill }
                };
                let level = (hill(waves[0]) + hill(waves[1])) / 2;
                let number = BEHIND + level.clamp(0, i64::from(SHADES - 1)) as u8;
                into.change([FIELD_PX[0] + x, FIELD_PX[1] + y], |colour| if colour == BLACK { number } else { colour });
            }
        }
    }
}

impl Words {
    fn draw(&self, frame: u64, into: &mut Picture) {
        let (turn, since) = (frame / self.every, frame % self.every);
        if since >= self.frames {
            return;
        }
        let mut dice = Dice::new(self.seed ^ turn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let word = WORDS[(dice.bits() % WORDS.len() as u64) as usize];
        let lines: Vec<&str> = if self.scale == 1 { vec![word] } else { word.split(' ').collect() };
        let pitch = (WIDE.len() + 1) * self.scale;
        let top = FIELD_PX[1] + dice.between(8.0, 130.0) as usize;
        for (i, line) in lines.iter().enumerate() {
            let letters = line.len().min(10 * CELL_PX / pitch);
            let left = FIELD_PX[0] + (10 * CELL_PX - letters * pitch) / 2;
            for (k, letter) in line.bytes().take(letters).enumerate() {
                self.draw_letter(letter, [left + k * pitch, top + i * 9 * self.scale], into);
            }
        }
    }

    /// White, with a black shadow right and below.
    fn draw_letter(&self, letter: u8, at: [usize; 2], into: &mut Picture) {
        for (shift, number) in [(1, BLACK), (0, INK)] {
            for (y, row) in glyph(letter).into_iter().enumerate() {
                for (x, _) in WIDE.iter().enumerate().filter(|(_, column)| row >> (4 - **column) & 1 == 1) {
                    for i in 0..self.scale * self.scale {
                        let (dx, dy) = (i % self.scale, i / self.scale);
                        into.change([at[0] + x * self.scale + dx + shift, at[1] + y * self.scale + dy + shift], |_| {
                            number
                        });
                    }
                }
            }
        }
    }
}
