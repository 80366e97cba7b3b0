//! What speaks for a block in a cell, and what against it: clues, each of which adds to one sum of evidence.
//!
//! A clue is a number that means the same through any camera: shares of a block's contrast, deviations of the noise, times. What
//! each is worth was fitted on pictures of which the truth is known (`stackhand train eye`).

use super::arrivals::Arrivals;
use super::drawing::{Drawing, Drawn, ENOUGH_CELLS, LEARNED_IN_MS, Usual, together, traits};
use super::light::{around, beside};
use super::sampling::CellValue;
use crate::game::Piece;
use crate::message::CellGrid;
use crate::vision::spell::Spell;

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
    /// The same of one with a cell beside it that stands out, whose light makes it uneven.
    Gap,
    /// How much less the middle of a cell that stands out does than all of it, against the game's other blocks, in their
    /// deviations.
    Hollow,
    /// How uneven such a cell is.
    Rough,
    /// How much more one half of such a cell stands out than the other.
    Askew,
    /// The same of its upper and lower half.
    Tilted,
    /// How far all of these are from what is usual together: the root of their mean square.
    Off,
    /// The same of a cell that has just changed, and may show two things.
    NewOff,
    /// How many of the eight cells around such a cell, old or new, were unknown in the last picture: what lies over the field covers
    /// more than one.
    Beside,
    /// Of the cells near such a cell that came with it, the share that is drawn otherwise than blocks: some of a word's strokes fill
    /// a cell, but not all do, and they all come at once.
    Company,
    /// The same of a cell that came with more others than pieces have.
    Crowd,
    /// How far such a cell came from all that was there, cells: see [`Arrivals`].
    Far,
    /// The same before it is known how blocks are drawn: then nothing else is asked.
    Alone,
    /// How far the contrast is from the nearest that one of the game's pieces has beside the field, as a share of a block's.
    Kind,
    /// How long the cell has stood still, doublings of 16 ms.
    Still,
    /// Of a cell that stands out and was seen empty: the share of its contrast that came at once, as blocks do, or with an edge
    /// across the cell, as blocks that slide in do. Light that wanders over the field comes little by little.
    Sudden,
}

impl Clue {
    /// All of them, in the order in which [`Clues`] has them.
    pub const ALL: [Self; 18] = [
        Self::Read,
        Self::Bleeds,
        Self::Drawn,
        Self::Gap,
        Self::Hollow,
        Self::Rough,
        Self::Askew,
        Self::Tilted,
        Self::Off,
        Self::NewOff,
        Self::Beside,
        Self::Company,
        Self::Crowd,
        Self::Far,
        Self::Alone,
        Self::Kind,
        Self::Still,
        Self::Sudden,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bleeds => "bleeds",
            Self::Drawn => "drawn",
            Self::Gap => "gap",
            Self::Hollow => "hollow",
            Self::Rough => "rough",
            Self::Askew => "askew",
            Self::Tilted => "tilted",
            Self::Off => "off",
            Self::NewOff => "new-off",
            Self::Beside => "beside",
            Self::Company => "company",
            Self::Crowd => "crowd",
            Self::Far => "far",
            Self::Alone => "alone",
            Self::Kind => "kind",
            Self::Still => "still",
            Self::Sudden => "sudden",
        }
    }

    /// Where its worth is given; between two of them it is a straight line, beyond them what it is at the end.
    pub fn knots(self) -> &'static [f32] {
        match self {
            Self::Read => &[-8.0, -6.0, -4.5, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0],
            Self::Bleeds => &[-0.15, -0.08, -0.03, 0.0, 0.03, 0.08, 0.15, 0.3],
            Self::Drawn | Self::Gap => &[-0.05, 0.0, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3],
            Self::Hollow | Self::Rough => &[-8.0, -5.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0, 8.0],
            Self::Askew | Self::Tilted => &[0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0],
            Self::Off | Self::NewOff => &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0],
            Self::Beside => &[0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0],
            Self::Company | Self::Crowd => &[0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0],
            Self::Far | Self::Alone => &[0.0, 1.0, 2.0, 4.0, 8.0],
            Self::Kind => &[0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2],
            Self::Still => &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            Self::Sudden => &[0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0],
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
/// A cell stands out by this share of a block.
const ASKED_SHARE: f32 = 0.25;
/// Cells come together that come within so long a time, ms, for an exposure may begin before a change and end after it; near are
/// those in this many rows above and below. So many other cells are company.
const TOGETHER_MS: f64 = 50.0;
const NEAR_ROWS: usize = 2;
const LEAST_COMPANY: usize = 3;
/// A piece is at most so many columns wide.
const PIECE_COLUMNS: usize = 4;
/// Two pieces, one of which goes as the other comes, have no more cells.
const MORE_THAN_PIECES: usize = 8;
/// Until so long after a block has gone, ms, its display may still glow, unevenly.
const FADED_MS: f64 = 150.0;
/// The times of [`Clue::Still`] are in doublings of this, ms.
const STILL_UNIT_MS: f64 = 16.0;
/// A change from one picture to the next is sudden if it is more than this share of the contrast before or after it: the shutter
/// may be open while a block comes, so that it comes in two parts.
const SUDDEN_SHARE: f32 = 0.35;
/// Light that wanders is gone after so long a time, ms; what stays longer may be a pile that faded in.
const WANDERS_MS: f64 = 5000.0;

/// What was seen of each cell before.
#[derive(Debug, Clone)]
pub struct Memory {
    columns: usize,
    last: Vec<f32>,
    /// [`Clue::Sudden`]; NaN of a cell that was never seen empty.
    sudden: Vec<f32>,
    still: Vec<Spell>,
    /// For how long a cell has stood out.
    lit: Vec<Spell>,
    /// Whether it was unknown in the last picture.
    was_unknown: Vec<bool>,
    /// For how long the game has been watched, ms.
    watched_ms: f64,
    arrivals: Arrivals,
    drawing: Drawing,
}

/// What all cells of a picture show together.
#[derive(Debug)]
struct Seen {
    usual: Option<Usual>,
    otherwise: Vec<Option<bool>>,
    far: Vec<f32>,
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
    /// How long after the last picture it came, ms.
    pub step_ms: f64,
}

impl Scene<'_> {
    /// Whether a cell stands out.
    fn is_lit(&self, cell: usize) -> bool {
        stands_out(self.contrast[cell], self.scale.dim)
    }
}

/// Whether a cell of this contrast stands out, where this is the dimmest blocks'.
fn stands_out(contrast: f32, dim: f32) -> bool {
    contrast > ASKED_SHARE * dim.max(1.0)
}

impl Memory {
    /// Nothing seen yet.
    pub fn new(columns: usize, rows: usize) -> Self {
        let n = columns * rows;
        Self {
            columns,
            last: vec![0.0; n],
            sudden: vec![f32::NAN; n],
            still: vec![Spell::default(); n],
            lit: vec![Spell::default(); n],
            was_unknown: vec![false; n],
            watched_ms: 0.0,
            arrivals: Arrivals::new(columns, n),
            drawing: Drawing::new(n),
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::new(self.columns, self.last.len() / self.columns.max(1));
    }

    /// Every cell's clues in a picture; none of a cell that goes, for it shows two things, and where something else stands. While
    /// little was seen it is only asked what came from nowhere; how blocks are drawn is asked once that is known.
    pub fn clues(&self, scene: Scene) -> Vec<Clues> {
        let is_early = self.watched_ms < LEARNED_IN_MS;
        let usual = self.usual_in(scene).filter(|_| !is_early);
        let is_lit: Vec<bool> = (0..scene.cells.len()).map(|i| scene.is_lit(i)).collect();
        let far = self.arrivals.far(&is_lit, scene.step_ms);
        let seen =
            Seen { usual, otherwise: usual.map_or_else(Vec::new, |usual| self.drawn_otherwise(scene, usual)), far };
        let of = |i: usize| match scene.p_full[i] {
            // Something else stands there.
            0.5 => Clues::default(),
            _ if is_early => self.clues_of_begun(i, scene, &seen),
            _ if self.stands(i, scene.contrast[i], scene.scale.dim) => self.clues_of(i, scene, &seen),
            _ => self.clues_of_new(i, scene, &seen),
        };
        (0..scene.cells.len()).map(of).collect()
    }

    /// How the blocks of a picture are drawn: as they have been, but as a level begins all may be drawn in another way at once.
    fn usual_in(&self, scene: Scene) -> Option<Usual> {
        let Scene { cells, contrast, was_full, .. } = scene;
        let usual = self.drawing.usual()?;
        // Words and light come where no blocks were.
        let is_pile = |i: &usize| was_full[*i] && scene.is_lit(*i) && self.lit[*i].ms() >= LEARNED_IN_MS;
        let lit: Vec<usize> = (0..cells.len()).filter(is_pile).collect();
        let now = Usual::of(lit.iter().map(|i| (&cells[*i], contrast[*i]))).filter(|_| lit.len() >= ENOUGH_CELLS);
        Some(now.unwrap_or(usual))
    }

    /// Which cells stand out, and whether each of these is drawn otherwise than blocks; `None` for the others.
    fn drawn_otherwise(&self, scene: Scene, usual: Usual) -> Vec<Option<bool>> {
        let is_otherwise = |i: usize| self.drawing.is_otherwise(usual, &scene.cells[i], scene.contrast[i]);
        (0..scene.cells.len()).map(|i| scene.is_lit(i).then(|| is_otherwise(i))).collect()
    }

    /// Of the cells that came with this one, the share that is drawn otherwise than blocks, and by which clue it tells; `None` if
    /// they are fewer than `least`, or, where they lie further apart than a piece's cells, than [`LEAST_COMPANY`].
    fn company(&self, cell: usize, otherwise: &[Option<bool>], least: usize) -> Option<(Clue, f32)> {
        let row = cell / self.columns;
        let end = ((row + NEAR_ROWS + 1) * self.columns).min(otherwise.len());
        let near = row.saturating_sub(NEAR_ROWS) * self.columns..end;
        // Where a piece was when a word came, it shows something else since then.
        let since = [self.lit[cell].ms(), self.still[cell].ms()];
        let came_at = |ms: f64| since.iter().any(|since| (since - ms).abs() <= TOGETHER_MS);
        let came_too = |i: &usize| *i != cell && came_at(self.lit[*i].ms());
        let (mut all, mut odd) = (0, 0);
        let [mut first, mut last] = [cell % self.columns; 2];
        for (i, is_otherwise) in near.filter(came_too).filter_map(|i| Some((i, otherwise[i]?))) {
            all += 1;
            odd += usize::from(is_otherwise);
            (first, last) = (first.min(i % self.columns), last.max(i % self.columns));
        }
        // No piece is wider than four cells.
        let is_wide = last - first >= PIECE_COLUMNS && all >= LEAST_COMPANY;
        let clue = if all >= MORE_THAN_PIECES { Clue::Crowd } else { Clue::Company };
        (is_wide || all >= least).then(|| (clue, odd as f32 / all as f32))
    }

    /// Whether a cell shows what it did in the last picture.
    fn stands(&self, cell: usize, contrast: f32, dim: f32) -> bool {
        (contrast - self.last[cell]).abs() <= STILL_SHARE * self.last[cell].max(dim).max(1.0)
    }

    /// Of a cell's contrast, the share that came at once: what changes little by little changes blocks and light alike.
    fn sudden(&self, i: usize, cell: &CellValue, contrast: f32, dim: f32) -> f32 {
        if !stands_out(contrast, dim) {
            return 0.0;
        }
        let (last, share) = (self.last[i], self.sudden[i]);
        let change = contrast - last;
        let is_sudden = change.abs() > SUDDEN_SHARE * contrast.max(last);
        let share = if is_sudden { (share * last + change) / contrast } else { share };
        let edge = cell.tilt.abs().max(cell.lean.abs()) / dim.max(1.0);
        if share < edge { edge.min(1.0) } else { share.clamp(0.0, 1.0) }
    }

    fn clues_of(&self, i: usize, scene: Scene, seen: &Seen) -> Clues {
        let (cell, c, scale) = (&scene.cells[i], scene.contrast[i], scene.scale);
        let full = scale.full.max(1.0);
        let mut clues = Clues::default();
        if !scene.is_lit(i) {
            clues.set(Clue::Bleeds, cell.depth() / full);
            if self.still[i].ms() >= FADED_MS {
                let is_gap = beside(i, self.columns, scene.cells.len()).any(|near| scene.is_lit(near));
                clues.set(if is_gap { Clue::Gap } else { Clue::Drawn }, (cell.roughness() - scale.texture) / full);
            }
        } else {
            if self.lit[i].ms() < WANDERS_MS {
                clues.set(Clue::Sudden, self.sudden(i, cell, c, scale.dim));
            }
            let Some(usual) = seen.usual else { return self.clues_of_begun(i, scene, seen) };
            let [hollow, rough, lean, tilt] = self.drawing.off(usual, cell, c);
            clues.set(Clue::Hollow, hollow);
            clues.set(Clue::Rough, rough);
            clues.set(Clue::Askew, lean.abs());
            clues.set(Clue::Tilted, tilt.abs());
            if scene.p_full[i] > 0.5 {
                clues.set(Clue::Off, together([hollow, rough, lean, tilt]));
                clues.set(Clue::Beside, self.unknown_around(i));
                clues.set(Clue::Far, seen.far[i]);
            }
            let company = self.company(i, &seen.otherwise, LEAST_COMPANY);
            company.into_iter().for_each(|(clue, share)| clues.set(clue, share));
            if !scene.kinds.is_empty() {
                let nearest = scene.kinds.iter().map(|kind| (c - kind).abs()).fold(f32::MAX, f32::min);
                clues.set(Clue::Kind, nearest / full);
            }
        }
        clues.set(Clue::Read, log_odds(scene.p_full[i]));
        clues.set(Clue::Still, ((1.0 + self.still[i].ms() / STILL_UNIT_MS) as f32).log2());
        clues
    }

    /// Those of a cell before it is known how blocks are drawn: something, if it stands out and came from nowhere.
    fn clues_of_begun(&self, i: usize, scene: Scene, seen: &Seen) -> Clues {
        let mut clues = Clues::default();
        if scene.is_lit(i) && scene.p_full[i] > 0.5 && seen.far[i] > 0.0 {
            clues.set(Clue::Alone, seen.far[i]);
            clues.set(Clue::Read, log_odds(scene.p_full[i]));
        }
        clues
    }

    /// Those of a cell that has just come, or comes, and was read as full: pieces come by the four.
    fn clues_of_new(&self, i: usize, scene: Scene, seen: &Seen) -> Clues {
        let mut clues = Clues::default();
        if !scene.is_lit(i) || scene.p_full[i] <= 0.5 {
            return clues;
        }
        let Some(usual) = seen.usual else { return self.clues_of_begun(i, scene, seen) };
        clues.set(Clue::Far, seen.far[i]);
        clues.set(Clue::NewOff, together(self.drawing.off(usual, &scene.cells[i], scene.contrast[i])));
        clues.set(Clue::Beside, self.unknown_around(i));
        let company = self.company(i, &seen.otherwise, MORE_THAN_PIECES);
        company.into_iter().for_each(|(clue, share)| clues.set(clue, share));
        clues.set(Clue::Read, log_odds(scene.p_full[i]));
        clues
    }

    /// How many of the eight cells around a cell were unknown in the last picture.
    fn unknown_around(&self, cell: usize) -> f32 {
        let around = around(cell, self.columns, self.was_unknown.len());
        around.filter(|near| self.was_unknown[*near]).count() as f32
    }

    /// For how long a cell has stood out, ms.
    pub fn lit_ms(&self, cell: usize) -> f64 {
        self.lit[cell].ms()
    }

    /// Learns how a piece's blocks are drawn from the cells where it appears, with their contrasts, in a picture that came `step_ms`
    /// after the last.
    pub fn learn_kind<'a>(&mut self, piece: Piece, blocks: impl Iterator<Item = (&'a CellValue, f32)>, step_ms: f64) {
        self.drawing.learn_kind(piece, blocks, step_ms);
    }

    /// Remembers a picture that came `step_ms` after the last; `dim` is the dimmest blocks' contrast, `beside` the piece in the
    /// next box, if it was seen.
    pub fn remember(
        &mut self,
        cells: &[CellValue],
        contrast: &[f32],
        p_full: &[f32],
        dim: f32,
        beside: Option<Drawn>,
        step_ms: f64,
    ) {
        self.watched_ms += step_ms;
        let lit = (0..cells.len()).filter(|i| stands_out(contrast[*i], dim));
        let pile = lit.clone().filter(|i| self.lit[*i].ms() >= LEARNED_IN_MS);
        self.drawing.watch(pile.map(|i| (i, traits(&cells[i], contrast[i]))).collect(), beside);
        let blocks = lit.filter(|i| p_full[*i] > CellGrid::SURE.1);
        self.drawing.learn(blocks.map(|i| (&cells[i], contrast[i])), step_ms);
        let is_lit: Vec<bool> = contrast.iter().map(|c| stands_out(*c, dim)).collect();
        self.arrivals.remember(&is_lit, step_ms);
        for (i, &c) in contrast.iter().enumerate() {
            self.sudden[i] = self.sudden(i, &cells[i], c, dim);
            let stands = self.stands(i, c, dim);
            self.still[i].goes_on_if(stands, step_ms);
            self.lit[i].goes_on_if(stands_out(c, dim), step_ms);
            self.last[i] = c;
            self.was_unknown[i] = (CellGrid::SURE.0..=CellGrid::SURE.1).contains(&p_full[i]);
        }
    }
}

/// The log odds of a probability.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln().clamp(-MOST_READ, MOST_READ)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: usize = 10;
    const FULL: Scale = Scale { full: 100.0, dim: 100.0, texture: 2.0 };

    /// What is seen when some cells fill at once above a pile, of which some are lit on one side only, after what was seen before.
    struct Filling {
        memory: Memory,
        pile: Vec<usize>,
    }

    impl Filling {
        fn new() -> Self {
            let mut filling = Self { memory: Memory::new(COLUMNS, 6), pile: (50..59).collect() };
            filling.remember(&[], &[], 40);
            filling
        }

        fn cells(&self, lit: &[usize], one_sided: &[usize]) -> Vec<CellValue> {
            let block = CellValue { mean: 100.0, core: 100.0, middle: 100.0, ..CellValue::default() };
            let is_lit = |i: &usize| lit.contains(i) || self.pile.contains(i);
            let mut cells: Vec<CellValue> =
                (0..60).map(|i| if is_lit(&i) { block } else { CellValue::default() }).collect();
            one_sided.iter().for_each(|i| cells[*i].lean = 90.0);
            cells
        }

        fn remember(&mut self, lit: &[usize], unknown: &[usize], pictures: usize) {
            let cells = self.cells(lit, unknown);
            let (contrast, mut p_full) = p_of(&cells);
            unknown.iter().for_each(|i| p_full[*i] = 0.4);
            (0..pictures).for_each(|_| self.memory.remember(&cells, &contrast, &p_full, FULL.dim, None, 33.0));
        }

        fn clues(&self, lit: &[usize], one_sided: &[usize]) -> Vec<Clues> {
            self.clues_of(&self.cells(lit, one_sided))
        }

        fn clues_of(&self, cells: &[CellValue]) -> Vec<Clues> {
            let (contrast, p_full) = p_of(cells);
            let (contrast, p_full, was_full) = (&contrast, &p_full, &[false; 60]);
            self.memory.clues(Scene { cells, contrast, p_full, was_full, scale: FULL, kinds: &[], step_ms: 33.0 })
        }
    }

    fn p_of(cells: &[CellValue]) -> (Vec<f32>, Vec<f32>) {
        let contrast: Vec<f32> = cells.iter().map(|cell| cell.mean).collect();
        let p_full = contrast.iter().map(|c| if *c > 50.0 { 0.99 } else { 0.01 }).collect();
        (contrast, p_full)
    }

    #[test]
    fn what_comes_with_a_words_strokes_is_known_by_its_company() {
        let filling = Filling::new();
        let share = |clue: Clue, lit: &[usize], one_sided: &[usize]| {
            let clues = filling.clues(lit, one_sided)[lit[0]];
            Some(clues.get(clue)).filter(|share| !share.is_nan())
        };
        let company = |lit: &[usize], one_sided: &[usize]| share(Clue::Company, lit, one_sided);
        let word: Vec<usize> = (11..20).collect();
        assert_eq!(share(Clue::Crowd, &word, &[12, 13, 15, 16]), Some(0.5), "four of eight");
        assert_eq!(share(Clue::Crowd, &word, &[]), Some(0.0), "a row of blocks");
        assert_eq!(company(&word, &[]), None, "they are a crowd");
        assert_eq!(company(&[11, 13, 14, 15], &[13, 15]), Some(2.0 / 3.0), "five columns, wider than any piece");
        assert_eq!(company(&[11, 12, 13, 14], &[12, 13]), None, "a piece");
        assert_eq!(company(&[11, 12, 13, 14, 21, 22, 23, 24], &[12, 13]), None, "two pieces");
        assert_eq!(company(&[11, 12, 13, 45, 47], &[12, 13]), None, "what is rows away is no company");
    }

    #[test]
    fn a_cell_that_came_from_nowhere_is_told_before_it_is_known_how_blocks_are_drawn() {
        let mut memory = Memory::new(COLUMNS, 20);
        let none = vec![CellValue::default(); 200];
        (0..40).for_each(|_| memory.remember(&none, &[0.0; 200], &[0.01; 200], FULL.dim, None, 33.0));
        let far = |cell: usize| {
            let mut cells = none.clone();
            cells[cell] = CellValue { mean: 100.0, core: 100.0, middle: 100.0, ..CellValue::default() };
            let (contrast, p_full) = p_of(&cells);
            let was_full = &[false; 200];
            let scene = Scene {
                cells: &cells,
                contrast: &contrast,
                p_full: &p_full,
                was_full,
                scale: FULL,
                kinds: &[],
                step_ms: 33.0,
            };
            memory.clues(scene)[cell]
        };
        assert!(far(105).get(Clue::Alone) > 7.0 && far(105).say_something());
        assert!(!far(15).say_something(), "a piece has fallen for a row");
    }

    #[test]
    fn a_word_is_known_by_its_company_where_a_piece_was_before_it() {
        let mut filling = Filling::new();
        filling.remember(&[13, 14, 23, 24], &[], 5);
        // A word with a stroke at 13, where the piece was, is brighter there.
        let word = [11, 13, 15, 17, 18];
        let brighter = |mut cells: Vec<CellValue>| {
            cells[13].mean = 150.0;
            cells
        };
        for _ in 0..3 {
            let cells = brighter(filling.cells(&word, &[11, 15]));
            let (contrast, p_full) = p_of(&cells);
            filling.memory.remember(&cells, &contrast, &p_full, FULL.dim, None, 33.0);
        }
        let clues = filling.clues_of(&brighter(filling.cells(&word, &[11, 15])));
        assert_eq!(clues[13].get(Clue::Company), 0.5);
    }

    #[test]
    fn a_cell_that_has_just_come_is_asked_how_it_is_drawn_and_what_is_around_it() {
        let mut filling = Filling::new();
        filling.remember(&[], &[22, 23], 1);
        let clues = filling.clues(&[22, 23, 33], &[22, 23, 33])[33];
        assert_eq!(clues.get(Clue::Beside), 2.0);
        assert!(clues.get(Clue::NewOff) > 4.0 && clues.get(Clue::Off).is_nan(), "{clues:?}");
        let block = filling.clues(&[36], &[])[36];
        assert_eq!([block.get(Clue::Beside), block.get(Clue::NewOff)], [0.0; 2]);
        assert!(!filling.clues(&[], &[])[36].get(Clue::NewOff).is_finite(), "what is empty is not asked so");
    }

    /// The share that came at once of what one cell shows in the end, of a cell that shows these contrasts and tilts one after the other.
    fn sudden(shown: impl IntoIterator<Item = (f32, f32)>) -> f32 {
        let mut memory = Memory::new(1, 1);
        for (contrast, tilt) in shown {
            let cell = CellValue { mean: contrast, tilt, ..CellValue::default() };
            memory.remember(&[cell], &[contrast], &[0.5], FULL.dim, None, 33.0);
        }
        memory.sudden[0]
    }

    #[test]
    fn light_that_wanders_comes_little_by_little_and_blocks_do_not() {
        let even = |contrasts: &[f32]| sudden(contrasts.iter().map(|c| (*c, 0.0)));
        let slowly = |from: i32, to: i32| (from..=to).step_by(5).map(|c| c as f32);
        let light: Vec<f32> = slowly(0, 100).collect();
        assert_eq!(even(&light), 0.0);
        assert_eq!(even(&[0.0, 30.0, 100.0]), 1.0, "a block that came while the shutter was open");
        // A block in light, which then goes on, and then the block goes, too.
        let block_in_light: Vec<f32> = light.iter().copied().chain([180.0, 180.0]).collect();
        assert!((0.4..0.5).contains(&even(&block_in_light)), "{}", even(&block_in_light));
        let block_went: Vec<f32> = block_in_light.iter().copied().chain([100.0]).collect();
        assert!(even(&block_went) < 0.01, "{}", even(&block_went));
        let brighter: Vec<f32> = [0.0].into_iter().chain(slowly(100, 180)).collect();
        assert_eq!(even(&brighter), 1.0, "light on a block");
        // A block that slides in from above, by a sixteenth a picture.
        let slides = (0..=16).map(|i| i as f32 / 16.0).map(|in_it| {
            let [upper, lower] = [(2.0 * in_it).min(1.0), (2.0 * in_it - 1.0).max(0.0)];
            (100.0 * in_it, 100.0 * (upper - lower))
        });
        assert!(sudden(slides) > 0.9);
        assert!(even(&[100.0, 100.0]).is_nan(), "what stood there from the start may be anything");
    }

    #[test]
    fn what_came_little_by_little_but_stays_may_be_a_pile() {
        let mut filling = Filling::new();
        let lit = |filling: &Filling, light: f32| {
            let mut cells = filling.cells(&[], &[]);
            cells[45] = CellValue { mean: light, ..CellValue::default() };
            cells
        };
        let pictures = |filling: &mut Filling, light: f32, n: usize| {
            let cells = lit(filling, light);
            let (contrast, p_full) = p_of(&cells);
            (0..n).for_each(|_| filling.memory.remember(&cells, &contrast, &p_full, FULL.dim, None, 33.0));
        };
        (0..=20).for_each(|i| pictures(&mut filling, 5.0 * i as f32, 1));
        let asked = |filling: &Filling| filling.clues_of(&lit(filling, 100.0))[45].get(Clue::Sudden);
        assert_eq!(asked(&filling), 0.0);
        pictures(&mut filling, 100.0, 150);
        assert!(asked(&filling).is_nan(), "{}", asked(&filling));
    }
}
