//! What speaks for a block in a cell, and what against it: clues, each of which adds to one sum of evidence.
//!
//! A clue is a number that means the same through any camera: shares of a block's contrast, deviations of the noise, times. What
//! each is worth was fitted on pictures of which the truth is known (`stackhand train eye`).

use super::levels::quantile;
use super::sampling::CellValue;
use crate::message::CellGrid;
use crate::vision::spell::{Spell, share_learned};

/// How many clues a cell has.
pub const CLUES: usize = Clue::ALL.len();

/// One kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clue {
    /// What was read by the contrast and what is around the cell, log odds.
    Read,
    /// Of a cell that hardly stands out: how much less its middle does than all of it, as a share of a typical block's contrast.
    Bleeds,
    /// Of a cell that hardly stands out: how uneven it is, slopes aside, beyond the usual texture; as a share of a typical
    /// block's contrast.
    Drawn,
    /// How much less the middle of a cell that stands out does than all of it, against the game's other blocks, in their
    /// deviations.
    Hollow,
    /// How uneven such a cell is.
    Rough,
    /// How much more one half of such a cell stands out than the other.
    Askew,
    /// The same of its upper and lower half.
    Tilted,
    /// How far the contrast is from the nearest that one of the game's pieces has beside the field, as a share of a block's.
    Kind,
    /// How long the cell has stood still, doublings of 16 ms.
    Still,
}

impl Clue {
    /// All of them, in the order in which [`Clues`] has them.
    pub const ALL: [Self; 9] = [
        Self::Read,
        Self::Bleeds,
        Self::Drawn,
        Self::Hollow,
        Self::Rough,
        Self::Askew,
        Self::Tilted,
        Self::Kind,
        Self::Still,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bleeds => "bleeds",
            Self::Drawn => "drawn",
            Self::Hollow => "hollow",
            Self::Rough => "rough",
            Self::Askew => "askew",
            Self::Tilted => "tilted",
            Self::Kind => "kind",
            Self::Still => "still",
        }
    }

    /// Where its worth is given; between two of them it is a straight line, beyond them what it is at the end.
    pub fn knots(self) -> &'static [f32] {
        match self {
            Self::Read => &[-8.0, -6.0, -4.5, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0],
            Self::Bleeds => &[-0.15, -0.08, -0.03, 0.0, 0.03, 0.08, 0.15, 0.3],
            Self::Drawn => &[-0.05, 0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3],
            Self::Hollow | Self::Rough => &[-8.0, -5.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0, 8.0],
            Self::Askew | Self::Tilted => &[0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0],
            Self::Kind => &[0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2],
            Self::Still => &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        }
    }
}

/// A cell's clues in one picture, in the order of [`Clue::ALL`]; NaN where one says nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clues(pub [f32; CLUES]);

impl Default for Clues {
    fn default() -> Self {
        Self([f32::NAN; CLUES])
    }
}

impl Clues {
    /// Sets one.
    pub fn set(&mut self, clue: Clue, value: f32) {
        self.0[clue as usize] = value;
    }

    /// One of them.
    pub fn get(&self, clue: Clue) -> f32 {
        self.0[clue as usize]
    }

    /// Whether there are any.
    pub fn say_something(&self) -> bool {
        !self.get(Clue::Read).is_nan()
    }
}

/// What a picture's cells are measured by, evidence steps.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// The contrast of a typical block, and of the dimmest.
    pub full: f32,
    /// See [`Self::full`].
    pub dim: f32,
    /// The typical spread inside an empty cell.
    pub texture: f32,
}

/// A change by less than this share of the block's contrast is none.
const STILL_SHARE: f32 = 0.15;
/// Nothing that was read is worth more than this, log odds.
const MOST_READ: f32 = 8.0;
/// What the game's blocks usually show is told from at least so many cells, which stand out by this share of a block.
const LEAST_CELLS: usize = 4;
const ASKED_SHARE: f32 = 0.25;
/// From the present picture alone it is told from so many cells that were blocks in the last one.
const ENOUGH_CELLS: usize = 8;
/// The times of [`Clue::Still`] are in doublings of this, ms.
const STILL_UNIT_MS: f64 = 16.0;

/// What was seen of each cell before.
#[derive(Debug, Clone)]
pub struct Memory {
    columns: usize,
    last: Vec<f32>,
    still: Vec<Spell>,
    usual: Option<Usual>,
}

/// How the game's blocks are usually drawn: hollow, uneven, brighter on one side; each as a share of their contrast, with its
/// scatter from block to block.
#[derive(Debug, Clone, Copy)]
struct Usual {
    /// For how long it has been learned, ms.
    known_ms: f64,
    at: [f32; TRAITS],
    scatter: [f32; TRAITS],
}

/// How many such traits there are: hollow, rough, lean, tilt.
const TRAITS: usize = 4;
/// Below this share no trait differs.
const LEAST_SCATTER: f32 = 0.08;
/// How fast the usual is learned, and for how long before it is believed, ms.
const LEARNED_IN_MS: f64 = 700.0;

fn traits(cell: &CellValue, contrast: f32) -> [f32; TRAITS] {
    [cell.mean - cell.core.min(cell.middle), cell.roughness(), cell.lean, cell.tilt].map(|value| value / contrast)
}

impl Usual {
    /// That of some of a picture's cells; `None` if they are too few.
    fn of<'a>(lit: impl Iterator<Item = (&'a CellValue, f32)>) -> Option<Self> {
        let all: Vec<[f32; TRAITS]> = lit.map(|(cell, contrast)| traits(cell, contrast)).collect();
        if all.len() < LEAST_CELLS {
            return None;
        }
        let mut usual = Self { known_ms: 0.0, at: [0.0; TRAITS], scatter: [0.0; TRAITS] };
        for i in 0..TRAITS {
            let mut values: Vec<f32> = all.iter().map(|traits| traits[i]).collect();
            usual.at[i] = quantile(&mut values, 0.5);
            values.iter_mut().for_each(|value| *value = (*value - usual.at[i]).abs());
            // As the standard deviation of a normal distribution; most of a pile may be drawn in one way, and some in another.
            usual.scatter[i] = quantile(&mut values, 0.87) / 1.5;
        }
        Some(usual)
    }

    fn learn(&mut self, now: Self, rate: f32) {
        for i in 0..TRAITS {
            self.at[i] += rate * (now.at[i] - self.at[i]);
            self.scatter[i] += rate * (now.scatter[i] - self.scatter[i]);
        }
    }

    /// How far a cell's traits are from these, in deviations.
    fn off(&self, cell: &CellValue, contrast: f32) -> [f32; TRAITS] {
        let mut off = traits(cell, contrast);
        for ((off, at), scatter) in off.iter_mut().zip(self.at).zip(self.scatter) {
            *off = (*off - at) / (LEAST_SCATTER + scatter);
        }
        off
    }
}

/// What a picture's cells are judged by.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// What each cell shows.
    pub cells: &'a [CellValue],
    /// Their contrast with their empty levels, evidence steps.
    pub contrast: &'a [f32],
    /// What was read: the probability of "full"; 0.5 exactly where something else stands.
    pub p_full: &'a [f32],
    /// Which were surely full in the last picture.
    pub was_full: &'a [bool],
    /// What is usual, evidence steps.
    pub scale: Scale,
    /// The contrasts that the game's pieces have beside the field.
    pub kinds: &'a [f32],
}

impl Memory {
    /// Nothing seen yet.
    pub fn new(columns: usize, rows: usize) -> Self {
        let n = columns * rows;
        Self { columns, last: vec![0.0; n], still: vec![Spell::default(); n], usual: None }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::new(self.columns, self.last.len() / self.columns.max(1));
    }

    /// Every cell's clues in a picture; none while it is not known how blocks look, of a cell that changes, for it shows two
    /// things, and where something else stands.
    pub fn clues(&self, scene: Scene) -> Vec<Clues> {
        let Scene { cells, contrast, p_full, was_full, scale, .. } = scene;
        let Some(usual) = self.usual.filter(|usual| usual.known_ms >= LEARNED_IN_MS) else {
            return vec![Clues::default(); cells.len()];
        };
        // As a level begins all blocks may be drawn in another way at once; words and light lie where no blocks were.
        let lit = |i: &usize| was_full[*i] && contrast[*i] > ASKED_SHARE * scale.dim.max(1.0);
        let lit: Vec<usize> = (0..cells.len()).filter(lit).collect();
        let now = Usual::of(lit.iter().map(|i| (&cells[*i], contrast[*i]))).filter(|_| lit.len() >= ENOUGH_CELLS);
        let usual = now.unwrap_or(usual);
        let is_asked = |i: usize| p_full[i] != 0.5 && self.stands(i, contrast[i], scale.dim);
        let of = |i: usize| if is_asked(i) { self.clues_of(i, scene, usual) } else { Clues::default() };
        (0..cells.len()).map(of).collect()
    }

    /// Whether a cell shows what it did in the last picture.
    fn stands(&self, cell: usize, contrast: f32, dim: f32) -> bool {
        (contrast - self.last[cell]).abs() <= STILL_SHARE * self.last[cell].max(dim).max(1.0)
    }

    fn clues_of(&self, i: usize, scene: Scene, usual: Usual) -> Clues {
        let (cell, c, scale) = (&scene.cells[i], scene.contrast[i], scene.scale);
        let [full, dim] = [scale.full.max(1.0), scale.dim.max(1.0)];
        let mut clues = Clues::default();
        clues.set(Clue::Read, log_odds(scene.p_full[i]));
        if c <= ASKED_SHARE * dim {
            clues.set(Clue::Bleeds, (cell.mean - cell.core.min(cell.middle)) / full);
            clues.set(Clue::Drawn, (cell.roughness() - scale.texture) / full);
        } else {
            let [hollow, rough, lean, tilt] = usual.off(cell, c);
            clues.set(Clue::Hollow, hollow);
            clues.set(Clue::Rough, rough);
            clues.set(Clue::Askew, lean.abs());
            clues.set(Clue::Tilted, tilt.abs());
            if !scene.kinds.is_empty() {
                let nearest = scene.kinds.iter().map(|kind| (c - kind).abs()).fold(f32::MAX, f32::min);
                clues.set(Clue::Kind, nearest / full);
            }
        }
        clues.set(Clue::Still, ((1.0 + self.still[i].ms() / STILL_UNIT_MS) as f32).log2());
        clues
    }

    /// Remembers a picture that came `step_ms` after the last; `dim` is the dimmest blocks' contrast.
    pub fn remember(&mut self, cells: &[CellValue], contrast: &[f32], p_full: &[f32], dim: f32, step_ms: f64) {
        let lit =
            (0..cells.len()).filter(|i| p_full[*i] > CellGrid::SURE.1 && contrast[*i] > ASKED_SHARE * dim.max(1.0));
        if let Some(now) = Usual::of(lit.map(|i| (&cells[i], contrast[i]))) {
            match &mut self.usual {
                Some(usual) => {
                    usual.learn(now, share_learned(step_ms, LEARNED_IN_MS));
                    usual.known_ms += step_ms;
                }
                None => self.usual = Some(now),
            }
        }
        for (i, &c) in contrast.iter().enumerate() {
            let stands = self.stands(i, c, dim);
            self.still[i].goes_on_if(stands, step_ms);
            self.last[i] = c;
        }
    }
}

/// The log odds of a probability.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln().clamp(-MOST_READ, MOST_READ)
}
