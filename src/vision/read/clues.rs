//! What speaks for a block in a cell, and what against it: clues, each of which adds to one sum of evidence.
//!
//! A clue is a number that means the same through any camera: shares of a block's contrast, deviations of the noise, times. What
//! each is worth was fitted on pictures of which the truth is known (`stackhand train eye`).

use super::confidence::Contrasts;
use super::levels::quantile;
use super::light::doubt_light;
use super::sampling::CellValue;
use crate::message::CellGrid;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// How many clues a cell has.
pub const CLUES: usize = Clue::ALL.len();

/// One kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clue {
    /// How far its contrast lies above that at which a cell is as likely full as not: log odds by the contrast alone.
    Contrast,
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
    /// It is one of a faint patch that fades (1 or 0).
    Fades,
}

impl Clue {
    /// All of them, in the order in which [`Clues`] has them.
    pub const ALL: [Self; 10] = [
        Self::Contrast,
        Self::Bleeds,
        Self::Drawn,
        Self::Hollow,
        Self::Rough,
        Self::Askew,
        Self::Tilted,
        Self::Kind,
        Self::Still,
        Self::Fades,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contrast => "contrast",
            Self::Bleeds => "bleeds",
            Self::Drawn => "drawn",
            Self::Hollow => "hollow",
            Self::Rough => "rough",
            Self::Askew => "askew",
            Self::Tilted => "tilted",
            Self::Kind => "kind",
            Self::Still => "still",
            Self::Fades => "fades",
        }
    }

    /// Where its worth is given; between two of them it is a straight line, beyond them what it is at the end.
    pub fn knots(self) -> &'static [f32] {
        match self {
            Self::Contrast => &[-8.0, -6.0, -4.5, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0],
            Self::Bleeds => &[-0.15, -0.08, -0.03, 0.0, 0.03, 0.08, 0.15, 0.3],
            Self::Drawn => &[-0.05, 0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3],
            Self::Hollow | Self::Rough => &[-8.0, -5.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0, 8.0],
            Self::Askew | Self::Tilted => &[0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0],
            Self::Kind => &[0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2],
            Self::Still => &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            Self::Fades => &[0.0, 1.0],
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
        !self.get(Clue::Contrast).is_nan()
    }
}

/// Of what is hidden as much is known, log odds.
const HIDDEN: f32 = -1.0;

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
/// No contrast is worth more than this, log odds.
const MOST_BELIEVED: f32 = 8.0;
/// What the game's blocks usually show is told from at least so many cells, which stand out by this share of a block.
const LEAST_CELLS: usize = 4;
/// And from the present picture alone from so many that were blocks in the last.
const ENOUGH_CELLS: usize = 8;
const ASKED_SHARE: f32 = 0.25;

/// What was seen of each cell before.
#[derive(Debug, Clone)]
pub struct Memory {
    columns: usize,
    last: Vec<f32>,
    still_ms: Vec<f32>,
    was_full: Vec<bool>,
    has_begun: bool,
    usual: Option<Usual>,
}

/// How the game's blocks are usually drawn: hollow, uneven, brighter on one side; each as a share of their contrast, with its
/// scatter from block to block.
#[derive(Debug, Clone, Copy)]
struct Usual {
    /// For how long it has been learned, ms.
    known_ms: f32,
    at: [f32; TRAITS],
    scatter: [f32; TRAITS],
}

/// How many such traits there are: hollow, rough, lean, tilt.
const TRAITS: usize = 4;
/// Below this share no trait differs.
const LEAST_SCATTER: f32 = 0.08;
/// How fast the usual is learned, and for how long before it is believed, ms.
const LEARNED_IN_MS: f32 = 700.0;

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
    /// What that says by itself.
    pub contrasts: &'a Contrasts,
    /// What is usual, evidence steps.
    pub scale: Scale,
    /// The contrasts that the game's pieces have beside the field.
    pub kinds: &'a [f32],
}

impl Memory {
    /// Nothing seen yet.
    pub fn new(columns: usize, rows: usize) -> Self {
        let n = columns * rows;
        Self {
            columns,
            last: vec![0.0; n],
            still_ms: vec![0.0; n],
            was_full: vec![false; n],
            has_begun: false,
            usual: None,
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::new(self.columns, self.last.len() / self.columns.max(1));
    }

    /// Every cell's clues in a picture; none of a cell that changes, for it shows two things.
    pub fn clues(&self, scene: Scene) -> Vec<Clues> {
        let Scene { cells, contrast, scale, .. } = scene;
        // As a level begins all blocks may be drawn in another way at once; words and light lie where no blocks were.
        let lit = |i: &usize| self.was_full[*i] && contrast[*i] > ASKED_SHARE * scale.dim.max(1.0);
        let now: Vec<usize> = (0..cells.len()).filter(lit).collect();
        let now = Usual::of(now.iter().filter(|_| now.len() >= ENOUGH_CELLS).map(|i| (&cells[*i], contrast[*i])));
        let usual = now.filter(|_| self.usual.is_some()).or(self.usual);
        let mut fading = vec![1.0; cells.len()];
        doubt_light(&mut fading, contrast, &scene.contrasts.is_faint, self.columns);
        let of = |cell: usize| {
            if scene.contrasts.is_changing[cell] {
                return Clues::default();
            }
            let mut clues = self.clues_of(cell, scene, usual);
            clues.set(Clue::Fades, f32::from(u8::from(fading[cell] <= 0.5)));
            clues
        };
        (0..cells.len()).map(of).collect()
    }

    fn clues_of(&self, i: usize, scene: Scene, usual: Option<Usual>) -> Clues {
        let (cell, c, scale) = (&scene.cells[i], scene.contrast[i], scene.scale);
        let [full, dim] = [scale.full.max(1.0), scale.dim.max(1.0)];
        let mut clues = Clues::default();
        clues.set(Clue::Contrast, log_odds(scene.contrasts.p_full[i]));
        if c <= ASKED_SHARE * dim {
            clues.set(Clue::Bleeds, (cell.mean - cell.core.min(cell.middle)) / full);
            clues.set(Clue::Drawn, (cell.roughness() - scale.texture) / full);
        } else {
            if let Some(usual) = usual {
                let [hollow, rough, lean, tilt] = usual.off(cell, c);
                clues.set(Clue::Hollow, hollow);
                clues.set(Clue::Rough, rough);
                clues.set(Clue::Askew, lean.abs());
                clues.set(Clue::Tilted, tilt.abs());
            }
            if !scene.kinds.is_empty() {
                let nearest = scene.kinds.iter().map(|kind| (c - kind).abs()).fold(f32::MAX, f32::min);
                clues.set(Clue::Kind, nearest / full);
            }
        }
        if self.has_begun {
            clues.set(Clue::Still, (1.0 + self.still_ms[i] / 16.0).log2());
        }
        clues
    }

    /// Whether it is known how the game's blocks look.
    pub fn knows_blocks(&self) -> bool {
        self.usual.is_some_and(|usual| usual.known_ms >= LEARNED_IN_MS)
    }

    /// Remembers a picture that came `step_ms` after the last; `dim` is the dimmest blocks' contrast.
    pub fn remember(&mut self, cells: &[CellValue], contrast: &[f32], p_full: &[f32], dim: f32, step_ms: f32) {
        self.has_begun = true;
        let lit =
            (0..cells.len()).filter(|i| p_full[*i] > CellGrid::SURE.1 && contrast[*i] > ASKED_SHARE * dim.max(1.0));
        if let Some(now) = Usual::of(lit.map(|i| (&cells[i], contrast[i]))) {
            let rate = 1.0 - (-step_ms / LEARNED_IN_MS).exp();
            match &mut self.usual {
                Some(usual) => {
                    usual.learn(now, rate);
                    usual.known_ms += step_ms;
                }
                None => self.usual = Some(now),
            }
        }
        for (i, &c) in contrast.iter().enumerate() {
            let limit = STILL_SHARE * self.last[i].max(dim).max(1.0);
            let stands = (c - self.last[i]).abs() <= limit;
            self.still_ms[i] = if stands { self.still_ms[i] + step_ms } else { 0.0 };
            self.last[i] = c;
            if p_full[i] != 0.5 {
                self.was_full[i] = p_full[i] > CellGrid::SURE.1;
            }
        }
    }
}

/// The log odds of a probability.
pub fn log_odds(p: f32) -> f32 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln().clamp(-MOST_BELIEVED, MOST_BELIEVED)
}

/// What each clue is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Worths {
    /// What is believed before anything is seen, log odds.
    pub bias: f32,
    /// For each clue, its worth at its knots, log odds.
    pub at_knots: Vec<Vec<f32>>,
}

impl Worths {
    /// Nothing is worth anything.
    pub fn none() -> Self {
        Self { bias: 0.0, at_knots: Clue::ALL.iter().map(|clue| vec![0.0; clue.knots().len()]).collect() }
    }

    /// Those that come with the program.
    pub fn built_in() -> Option<Arc<Self>> {
        static BUILT_IN: OnceLock<Option<Arc<Worths>>> = OnceLock::new();
        BUILT_IN.get_or_init(|| Self::parse(include_str!("../../../calibration/eye.toml")).ok().map(Arc::new)).clone()
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// When it is no TOML, a clue is missing or unknown, or has too many or too few worths, or one is no number.
    pub fn parse(text: &str) -> Result<Self, WorthsError> {
        let file: WorthsFile = toml::from_str(text).map_err(|error| WorthsError::Text(error.message().to_string()))?;
        if let Some(name) = file.worth.keys().find(|name| !Clue::ALL.iter().any(|clue| clue.name() == **name)) {
            return Err(WorthsError::Unknown(name.clone()));
        }
        let worth = |clue: &Clue| {
            let at = file.worth.get(clue.name()).cloned().unwrap_or_default();
            let is_whole =
                at.len() == clue.knots().len() && at.iter().chain([&file.bias]).all(|worth| worth.is_finite());
            if is_whole { Ok(at) } else { Err(WorthsError::Clue(clue.name(), clue.knots().len())) }
        };
        Ok(Self { bias: file.bias, at_knots: Clue::ALL.iter().map(worth).collect::<Result<_, _>>()? })
    }

    /// As a file's text.
    pub fn to_text(&self) -> String {
        let line = |(clue, at): (&Clue, &Vec<f32>)| {
            let knots: Vec<String> = clue.knots().iter().map(|knot| format!("{knot}")).collect();
            let at: Vec<String> = at.iter().map(|worth| format!("{worth:.3}")).collect();
            format!("# at {}\n{} = [{}]\n", knots.join(", "), clue.name(), at.join(", "))
        };
        let lines: String = Clue::ALL.iter().zip(&self.at_knots).map(line).collect();
        format!("bias = {:.3}\n\n[worth]\n{lines}", self.bias)
    }

    /// The log odds that a cell is full: by its contrast, less what other clues make of that. What stands out and is no block
    /// hides what is behind it. Clues only doubt: with them a hand before the field was taken for blocks, surely.
    pub fn judge(&self, clues: &Clues) -> f32 {
        let (by_contrast, sum) = (clues.get(Clue::Contrast), self.sum(clues));
        if by_contrast > 0.0 { sum.max(HIDDEN).min(by_contrast) } else { sum.min(0.0).max(by_contrast) }
    }

    /// The sum of all that a cell's clues are worth, log odds.
    pub fn sum(&self, clues: &Clues) -> f32 {
        let worth = |(clue, value): (&Clue, f32)| {
            let [(a, share), (b, rest)] = place(clue.knots(), value)?;
            let at = &self.at_knots[*clue as usize];
            Some(share * at[a] + rest * at[b])
        };
        clues.get(Clue::Contrast) + self.bias + Clue::ALL.iter().zip(clues.0).filter_map(worth).sum::<f32>()
    }
}

/// A file of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorthsFile {
    bias: f32,
    worth: BTreeMap<String, Vec<f32>>,
}

/// Why a file says not what clues are worth.
#[derive(Debug, Error, PartialEq)]
pub enum WorthsError {
    /// It is no such TOML.
    #[error("not what clues are worth: {0}; make one with `stackhand train eye`")]
    Text(String),
    /// It names a clue that does not exist.
    #[error("there is no clue {0:?}; make the file anew with `stackhand train eye`")]
    Unknown(String),
    /// A clue is missing, or not worth as many numbers as it has knots.
    #[error("the clue {0:?} must have {1} numbers; make the file anew with `stackhand train eye`")]
    Clue(&'static str, usize),
}

/// Between which knots a value lies, and how near it is to each (the shares add up to 1); `None` for a clue that says nothing.
pub fn place(knots: &[f32], value: f32) -> Option<[(usize, f32); 2]> {
    if value.is_nan() {
        return None;
    }
    let above = knots.iter().position(|knot| *knot > value).unwrap_or(knots.len());
    if above == 0 || above == knots.len() {
        let end = above.saturating_sub(1);
        return Some([(end, 1.0), (end, 0.0)]);
    }
    let share = (knots[above] - value) / (knots[above] - knots[above - 1]);
    Some([(above - 1, share), (above, 1.0 - share)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_program_is_whole() {
        let worths = Worths::built_in().unwrap();
        assert_eq!(Worths::parse(&worths.to_text()).as_ref(), Ok(&*worths));
        let flat = |clue: Clue| worths.at_knots[clue as usize].iter().all(|worth| *worth == 0.0);
        assert!(!Clue::ALL.into_iter().any(flat), "each clue says something");
    }

    #[test]
    fn files_that_are_not_whole_are_refused() {
        let text = Worths::none().to_text();
        assert!(Worths::parse(&text).is_ok());
        assert!(matches!(Worths::parse("bias = 1"), Err(WorthsError::Text(_))));
        assert_eq!(Worths::parse(&text.replace("kind", "kindness")), Err(WorthsError::Unknown("kindness".into())));
        assert_eq!(Worths::parse(&text.replace("fades = [0.000, 0.000]", "")), Err(WorthsError::Clue("fades", 2)));
        let no_number = text.replace("fades = [0.000,", "fades = [nan,");
        assert_eq!(Worths::parse(&no_number), Err(WorthsError::Clue("fades", 2)));
    }

    #[test]
    fn a_value_lies_between_two_knots() {
        let knots = [0.0, 1.0, 3.0];
        assert_eq!(place(&knots, -1.0), Some([(0, 1.0), (0, 0.0)]));
        assert_eq!(place(&knots, 1.5), Some([(1, 0.75), (2, 0.25)]));
        assert_eq!(place(&knots, 9.0), Some([(2, 1.0), (2, 0.0)]));
        assert_eq!(place(&knots, f32::NAN), None);
    }

    #[test]
    fn what_stands_out_but_is_no_block_is_unknown_and_not_empty() {
        let mut worths = Worths::none();
        worths.bias = -9.0;
        let judged = |contrast| {
            let mut clues = Clues::default();
            clues.set(Clue::Contrast, contrast);
            worths.judge(&clues)
        };
        assert_eq!(judged(6.0), HIDDEN, "a word");
        assert_eq!(judged(-5.0), -5.0, "nothing");
        assert!(!Clues::default().say_something());
    }
}
