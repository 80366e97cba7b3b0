//! How bright "empty" and "full" are: estimated in every picture, remembered over pictures.
//!
//! Exposure, white balance, vignetting and glare move, so nothing here is an absolute brightness. The empty field is a
//! smooth surface of evidence; a full cell stands out from it by about as much as other full cells do, now and lately.

use super::light::{beside, lit_patches, slopes_that_go_on};
use super::sampling::CellValue;
use crate::message::CellGrid;
use crate::vision::spell::{Spell, share_learned};
use nalgebra::{Matrix3, Vector3};

/// Bins of the histogram of contrasts, one for each step of evidence.
const BINS: usize = 256;
/// In so long a time all but a third of the histogram is forgotten, ms.
const FORGOTTEN_IN_MS: f64 = 3300.0;
/// What is seen beside the field is seen as often as so many cells.
const BESIDE_CELLS: f32 = 4.0;
/// A present picture counts as much as this share of all that is remembered.
const PRESENT: f32 = 0.01;
/// The full level is this quantile of what stands out, so that dark block colours count as full too.
const FULL_QUANTILE: f32 = 0.2;
/// What stands out by less than this share of the strongest contrast is taken for background while fitting.
const BACKGROUND_SHARE: f32 = 0.3;
/// In so long a time a cell's empty level is learned at the slowest, all but a third of it, ms.
const LEARNED_IN_MS: f64 = 650.0;
/// After so long a time in which a cell is darker than "empty" can be, its empty level was wrong, ms.
const PATIENCE_MS: f64 = 340.0;
/// Where ghosts are drawn, one such picture counts for so many in which the cell was brighter.
const DARK_COUNTS: f64 = 8.0;

/// The empty levels are taken from this many pictures of the game in a row: the first may still be half of another screen.
const BEGINNINGS: u8 = 3;
/// A cell's contrast is remembered when it has stood still for so long, ms: moving pieces blend.
const STEADY_MS: f64 = 60.0;
/// A contrast that differs by less than this share from the last one stands still.
const STEADY_SHARE: f32 = 0.15;
/// What stands out by less than this share of the strongest contrast is no block: neighbours bleed into empty cells.
const FLOOR_SHARE: f32 = 0.33;
/// Less contrast than this is never a block: cameras round to whole steps and compress.
const LEAST_CONTRAST: f32 = 6.0;
/// The background is taken from cells that were not full lately, if these are at least this share of all.
const LEAST_OPEN: f32 = 0.15;
/// With even its darkest cells brighter by this share of the strongest contrast than the box beside it explains, the field
/// is covered.
const COVERED_SHARE: f32 = 0.2;
/// Before any empty level is known: a field that is brighter by this share of a block's contrast than the box beside it
/// is full of something (a curtain, a word) if no blocks stand out from it, or some cells are darker by as much; so is any
/// field of which more cells than this share are darker.
const FRESH_COVERED_SHARE: f32 = 0.35;
const FRESH_DARKER_CELLS: f32 = 0.05;
const FRESH_DARKER_IN_BRIGHT: f32 = 0.0075;
/// What a cell's empty level follows at once: this share of a block's contrast, and this many deviations of the noise.
const FAINT_SHARE: f32 = 0.1;
const FAINT_NOISES: f32 = 3.0;
/// Light that falls on the field adds to its cells, but draws nothing in them: a cell shows a block, however pale, if it is
/// more uneven than its texture explains: by this share of the texture, this share of the strongest contrast and these
/// steps. (Of the empty cells of handheld displays under moiré one in a hundred is more uneven; of pale blocks nineteen in
/// twenty are.)
const DRAWN_TEXTURE: f32 = 1.1;
const DRAWN_SHARE: f32 = 0.022;
const DRAWN_STEPS: f32 = 1.1;
/// Nor has it a colour of its own: a cell shows a block if it is more coloured than the empty ones, of which the light's own
/// tint grows with how bright it is, by this share of the strongest contrast.
const COLOURED_SHARE: f32 = 0.15;
/// Light that lay on the field from the start, such as a window's, has no blocks' structure, where the game's blocks have one: a
/// bright cell may lie in it if it is as smooth as the dark ones. (Of pale blocks one in twenty is as smooth.) That is asked where
/// a block beside the field is more uneven than that by this factor.
const LEAST_DRAWN_BESIDE: f32 = 2.0;
/// Between blocks there are lines, where those beside the field have some, this share as deep at least.
const LEAST_LINE: f32 = 0.5;
/// How smooth the dark ones are is this quantile of theirs.
const SMOOTH_QUANTILE: f32 = 0.1;
/// What is as bright differs by no more than this share of the strongest contrast.
const LIT_ALIKE: f32 = 0.12;
/// Once empty levels are known, a cell that was never seen empty must look so for this long, ms: blocks blur and flash.
const LIT_MS: f64 = 500.0;
/// Light that falls on a cell falls on most cells this near to it, too; a ghost has four.
const LIGHT_CELLS: i32 = 4;
/// A cell that was seen in this many pictures is known, and takes this share of what is its own; all of what is darker by
/// more than these steps and the noise explain, for no ghost is.
const KNOWN_AFTER: u16 = 20;
const OWN_SHARE: f32 = 0.02;
const LEAST_DARKER: f32 = 3.0;
/// Rounds of fitting the surface.
const ROUNDS: usize = 4;

/// What the box beside the field tells about blocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside {
    /// The contrast of the block seen in it, evidence steps; 0 if none.
    pub contrast: f32,
    /// The evidence where no block stands in it.
    pub background: Option<f32>,
}

/// How uneven the game's blocks are, evidence steps: 0 where that is not known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unevenness {
    /// By what is drawn in each.
    pub patterns: f32,
    /// How much darker it is between two of them.
    pub lines: f32,
}

/// One picture's levels, in steps of evidence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// The contrast of a typical full cell; 0 if nothing stands out or ever stood out.
    pub full: f32,
    /// The scatter of empty cells around the surface.
    pub noise: f32,
    /// The typical spread inside an empty cell.
    pub texture: f32,
    /// No empty level is known yet, and what looks like empty cells is something that covers them.
    pub hides_empty: bool,
}

/// What has been learned so far, and the last picture's contrasts.
#[derive(Debug, Clone)]
pub struct Levels {
    columns: usize,
    /// Every cell's place for the plane: 1, and where it lies from −1 to 1 over the field.
    places: Vec<Vector3<f32>>,
    /// The game draws ghosts.
    has_ghost: bool,
    empty: Vec<f32>,
    times_seen: Vec<u16>,
    /// For how long a cell has been darker than "empty" can be, ms.
    too_dark_ms: Vec<f64>,
    histogram: Vec<f32>,
    surface: Vec<f32>,
    contrast: Vec<f32>,
    last: Vec<f32>,
    /// For how long a cell's contrast has stood still.
    steady: Vec<Spell>,
    sorted: Vec<f32>,
    /// Which cells may be background in the present picture.
    open: Vec<bool>,
    /// Which cells the surface follows.
    ground: Vec<bool>,
    /// In which cells something is drawn: no light, but blocks, however dim or pale.
    drawn: Vec<bool>,
    /// Which cells have a colour of their own, and whether these are no background.
    coloured: Vec<bool>,
    minds_colour: bool,
    /// Which bright cells look empty, and lie in a light that was there from the start; and for how long they have.
    lit: Vec<bool>,
    lit_for: Vec<Spell>,
    /// The usual evidence in the box beside the field, where no block stands.
    usual_background: Option<f32>,
    /// Pictures in a row from which the empty levels were taken anew.
    beginnings: u8,
}

impl Levels {
    /// Nothing learned yet, for a field of this size in a game that draws ghosts or does not.
    pub fn new(columns: usize, rows: usize, has_ghost: bool) -> Self {
        let cells = columns * rows;
        let across = |i: usize, n: usize| (2 * i + 1) as f32 / n as f32 - 1.0;
        let place = |i: usize| Vector3::new(1.0, across(i % columns, columns), across(i / columns, rows));
        Self {
            columns,
            places: (0..cells).map(place).collect(),
            has_ghost,
            empty: vec![0.0; cells],
            times_seen: vec![0; cells],
            too_dark_ms: vec![0.0; cells],
            histogram: vec![0.0; BINS],
            surface: vec![0.0; cells],
            contrast: vec![0.0; cells],
            last: vec![0.0; cells],
            steady: vec![Spell::default(); cells],
            sorted: Vec::with_capacity(cells),
            open: vec![true; cells],
            ground: vec![true; cells],
            drawn: vec![false; cells],
            coloured: vec![false; cells],
            minds_colour: true,
            lit: vec![false; cells],
            lit_for: vec![Spell::default(); cells],
            usual_background: None,
            beginnings: 0,
        }
    }

    /// Forgets everything learned.
    pub fn forget(&mut self) {
        *self = Self::new(self.columns, self.empty.len() / self.columns.max(1), self.has_ghost);
    }

    /// As these are, for another background: only how bright blocks are is still known.
    #[must_use]
    pub fn anew(&self) -> Self {
        let fresh = Self::new(self.columns, self.empty.len() / self.columns.max(1), self.has_ghost);
        Self { histogram: self.histogram.clone(), ..fresh }
    }

    /// Whether no empty level is known yet.
    pub fn is_fresh(&self) -> bool {
        self.beginnings < BEGINNINGS
    }

    /// Every cell's contrast with its own empty level in the picture last read, row by row.
    pub fn contrast(&self) -> &[f32] {
        &self.contrast
    }

    /// Whether what is coloured is no background. Not where it is open what the cells show: beside the field's own place its tint
    /// is a colour, too, and a dark field would look like blocks.
    pub fn mind_colour(&mut self, minds_colour: bool) {
        self.minds_colour = minds_colour;
    }

    /// Judges one picture's cells. `was_full` says which cells were full lately, and are no background; `unevenness`, how uneven
    /// blocks beside the field are, and `lines_in`, how much darker it is between some cells than in them, evidence steps. Both
    /// are asked only where light may lie on the field.
    pub fn read(
        &mut self,
        cells: &[CellValue],
        beside: Beside,
        was_full: &[bool],
        unevenness: impl FnOnce() -> Unevenness,
        lines_in: impl FnMut(&[usize]) -> f32,
    ) -> Reading {
        for (contrast, (cell, empty)) in self.contrast.iter_mut().zip(cells.iter().zip(&self.empty)) {
            *contrast = cell.mean - empty;
        }
        let low = self.quantile_of(0.1, |_, c| Some(c));
        let high = self.quantile_of(0.98, |_, c| Some(c));
        let strongest = (high - low).max(beside.contrast).max(self.remembered_full());
        let limit = BACKGROUND_SHARE * strongest;
        self.mark_open(was_full);
        self.mark_drawn(cells, low, strongest);
        self.mark_lit(cells, [low, strongest], unevenness, lines_in);
        // How much brighter the picture has become, as the box beside the field tells it. A field that is brighter by far
        // more is not lit up but full of something.
        let ambient = beside.background.zip(self.usual_background).map(|(now, usual)| now - usual);
        let rise = COVERED_SHARE * strongest;
        let covered = ambient.filter(|ambient| !self.is_fresh() && low > 0.4 * rise && low - ambient > rise);
        match covered {
            Some(ambient) => self.contrast.iter_mut().for_each(|c| *c -= ambient),
            None => {
                self.mark_ground(low, strongest);
                self.fit_surface(low, limit);
            }
        }
        let open = std::mem::take(&mut self.open);
        let is_background = |i: usize, c: f32| open[i] && c.abs() < limit;
        // The median absolute deviation, as the standard deviation of a normal distribution.
        let noise = 1.4826 * self.quantile_of(0.5, |i, c| is_background(i, c).then_some(c.abs()));
        let texture = self.quantile_of(0.5, |i, c| is_background(i, c).then_some(cells[i].spread));
        self.open = open;
        let floor = (5.0 * noise).max(FLOOR_SHARE * strongest).max(LEAST_CONTRAST);
        let hides_empty = self.is_fresh() && self.hides_empty(low, strongest, beside.background);
        Reading { full: self.full_level(beside.contrast, floor), noise, texture, hides_empty }
    }

    /// Whether the cells that were taken for empty, `low` of evidence, are something that covers the field.
    fn hides_empty(&self, low: f32, strongest: f32, background: Option<f32>) -> bool {
        let limit = FRESH_COVERED_SHARE * strongest;
        let share = |is_it: fn(f32, f32) -> bool| {
            let cells = self.contrast.iter().filter(|c| is_it(**c, limit)).count();
            cells as f32 / self.contrast.len().max(1) as f32
        };
        let is_bright = background.is_some_and(|background| low - background > limit);
        let darker = share(|c, limit| c < -limit);
        let is_covered = is_bright && (share(|c, limit| c > limit) == 0.0 || darker > FRESH_DARKER_IN_BRIGHT);
        is_covered || darker > FRESH_DARKER_CELLS
    }

    /// Learns from the picture just read, which must have shown the game with these probabilities of "full", and came
    /// `step_ms` after the last.
    pub fn learn(&mut self, reading: Reading, beside: Beside, p_full: &[f32], step_ms: f64) {
        if self.is_fresh() {
            self.beginnings += 1;
            if self.is_fresh() {
                return;
            }
            // What is surely empty shows its level itself, such as a cell into which the field's frame shines.
            for (i, empty) in self.empty.iter_mut().enumerate() {
                *empty += self.surface[i] + if p_full[i] < CellGrid::SURE.0 { self.contrast[i] } else { 0.0 };
            }
        }
        let slowest = share_learned(step_ms, LEARNED_IN_MS);
        if let Some(now) = beside.background {
            let usual = self.usual_background.get_or_insert(now);
            *usual += slowest * (now - *usual);
        }
        let limit = BACKGROUND_SHARE * reading.full;
        let news = share_learned(step_ms, FORGOTTEN_IN_MS);
        self.histogram.iter_mut().for_each(|h| *h *= 1.0 - news);
        // Between two pulses of a ghost a cell is too dark again and again, but not in a row.
        let bright_ms = if self.has_ghost { step_ms / DARK_COUNTS } else { f64::INFINITY };
        let usual = self.quantile_of(0.5, |i, c| (p_full[i] < CellGrid::SURE.0).then_some(c));
        for (i, &contrast) in self.contrast.iter().enumerate() {
            let is_still = (contrast - self.last[i]).abs() < STEADY_SHARE * contrast.abs().max(limit);
            self.steady[i].goes_on_if(is_still, step_ms);
            self.last[i] = contrast;
            if self.steady[i].ms() >= STEADY_MS {
                self.histogram[bin(contrast)] += news;
            }
            // What suddenly stands out from its neighbours is something in the cell, however faint: a block of a dark
            // colour would soon be background.
            let is_faint = contrast.abs() < (FAINT_SHARE * reading.full).max(FAINT_NOISES * reading.noise);
            let is_drawn = self.drawn[i] && contrast > FAINT_SHARE * reading.full;
            // No ghost darkens a cell: where one was taken for the empty level in the beginning, that is too high.
            let is_below_ghost = self.has_ghost && contrast < 0.0;
            let is_background = (is_faint || is_below_ghost || self.is_smooth(i, reading)) && !is_drawn;
            if is_background && contrast.abs() < limit && p_full[i] < CellGrid::SURE.0 {
                self.times_seen[i] = self.times_seen[i].saturating_add(1);
                let change = self.change_of_light(i, [contrast, usual, reading.noise], p_full);
                self.empty[i] += change * (1.0 / f32::from(self.times_seen[i])).max(slowest);
                self.too_dark_ms[i] = (self.too_dark_ms[i] - bright_ms).max(0.0);
            } else if contrast < -limit {
                self.too_dark_ms[i] += step_ms;
                if self.too_dark_ms[i] > PATIENCE_MS {
                    self.empty[i] += contrast;
                    self.too_dark_ms[i] = 0.0;
                }
            }
        }
        self.histogram[bin(beside.contrast)] += BESIDE_CELLS * news;
    }

    /// How much of an empty cell's contrast may be other light than before: all of it, but where ghosts are drawn what the
    /// empty cells around it share, once the cell is known, and little of the rest. A ghost that comes and goes, however
    /// faint, would otherwise raise the level step by step until the block that locks in its place stands out no more.
    /// `usual` is the contrast of most empty cells: a ghost lifts the plane that was taken off a little, and with it all
    /// levels would sink.
    fn change_of_light(&self, cell: usize, [contrast, usual, noise]: [f32; 3], p_full: &[f32]) -> f32 {
        if !self.has_ghost || self.times_seen[cell] < KNOWN_AFTER {
            return contrast;
        }
        let columns = self.columns as i32;
        let (x, y) = (cell as i32 % columns, cell as i32 / columns);
        let is_near = |i: &usize| {
            let (across, down) = (*i as i32 % columns - x, *i as i32 / columns - y);
            across.abs() <= LIGHT_CELLS && down.abs() <= LIGHT_CELLS && p_full[*i] < CellGrid::SURE.0
        };
        let mut near: Vec<f32> = (0..p_full.len()).filter(is_near).map(|i| self.contrast[i]).collect();
        let (contrast, around) = (contrast - usual, quantile(&mut near, 0.5) - usual);
        let shared = around.clamp(contrast.min(0.0), contrast.max(0.0));
        let is_darker = contrast < -LEAST_DARKER.max(FAINT_NOISES * noise);
        if is_darker { contrast } else { shared + OWN_SHARE * (contrast - shared) }
    }

    /// Whether a cell's contrast is about that of the cells beside and above it: light that falls on the field does not
    /// end at a cell's edge.
    fn is_smooth(&self, cell: usize, reading: Reading) -> bool {
        let limit = (FAINT_SHARE * reading.full).max(FAINT_NOISES * reading.noise);
        let mut near = beside(cell, self.columns, self.contrast.len());
        near.all(|i| (self.contrast[i] - self.contrast[cell]).abs() < limit)
    }

    /// Says which cells may be background: those that were not full lately, unless hardly any are left.
    fn mark_open(&mut self, was_full: &[bool]) {
        let least = (LEAST_OPEN * was_full.len() as f32) as usize;
        let enough = was_full.iter().filter(|full| !**full).count() >= least;
        self.open.iter_mut().zip(was_full).for_each(|(open, full)| *open = !(enough && *full));
    }

    /// Says in which cells something is drawn, and which have a colour of their own. `low` is the contrast of the darkest,
    /// evidence steps.
    fn mark_drawn(&mut self, cells: &[CellValue], low: f32, strongest: f32) {
        let open = std::mem::take(&mut self.open);
        let is_background = |i: usize, c: f32| open[i] && (c - low).abs() < BACKGROUND_SHARE * strongest;
        let texture = self.quantile_of(0.5, |i, c| is_background(i, c).then_some(cells[i].spread));
        let chroma = self.quantile_of(0.5, |i, c| is_background(i, c).then_some(cells[i].chroma));
        let mean = self.quantile_of(0.5, |i, c| is_background(i, c).then_some(cells[i].mean)).max(1.0);
        self.open = open;
        for (coloured, cell) in self.coloured.iter_mut().zip(cells) {
            *coloured = cell.chroma > chroma * (cell.mean / mean).max(1.0) + COLOURED_SHARE * strongest;
        }
        let least = least_drawn(texture, strongest);
        for (drawn, cell) in self.drawn.iter_mut().zip(cells) {
            *drawn = cell.spread * cell.spread > texture * texture + least * least;
        }
    }

    /// Takes the light that has lain on cells for long, in the picture just read that came `step_ms` after the last, for their
    /// empty level.
    pub fn follow_light(&mut self, step_ms: f64) {
        let is_fresh = self.is_fresh();
        for (cell, (lit_for, lit)) in self.lit_for.iter_mut().zip(&self.lit).enumerate() {
            lit_for.goes_on_if(*lit && !is_fresh, step_ms);
            if lit_for.ms() >= LIT_MS {
                self.empty[cell] += std::mem::take(&mut self.contrast[cell]);
            }
        }
    }

    /// Says which cells that were never seen empty look so, and lie in a light, where blocks are drawn. `low` is the contrast of
    /// the darkest, evidence steps.
    fn mark_lit(
        &mut self,
        cells: &[CellValue],
        [low, strongest]: [f32; 2],
        unevenness: impl FnOnce() -> Unevenness,
        mut lines_in: impl FnMut(&[usize]) -> f32,
    ) {
        self.lit.fill(false);
        let limit = BACKGROUND_SHARE * strongest;
        let is_bright = |i: usize| self.times_seen[i] == 0 && self.contrast[i] - low > limit;
        if !(0..cells.len()).any(is_bright) {
            return;
        }
        let is_dark = |i: &usize| (self.contrast[*i] - low).abs() < limit;
        let mut roughness: Vec<f32> = (0..cells.len()).filter(is_dark).map(|i| cells[i].roughness()).collect();
        // Of the smoothest: in a full field most of the dark ones are gaps, into which the blocks around them shine.
        let usual = quantile(&mut roughness, SMOOTH_QUANTILE);
        let smooth = usual.hypot(least_drawn(usual, strongest));
        let beside = unevenness();
        if beside.patterns.max(beside.lines) < LEAST_DRAWN_BESIDE * smooth {
            return;
        }
        let roughness = |i: usize| cells[i].roughness_over(slopes_that_go_on(cells, i, self.columns));
        let is_smooth = |i: usize| !self.coloured[i] && roughness(i) <= smooth;
        let is_alike = |i: usize, other: usize| (self.contrast[i] - self.contrast[other]).abs() < LIT_ALIKE * strongest;
        let may_be_lit = |i: usize| is_bright(i) && is_smooth(i);
        // Where only lines tell blocks from light, as between blocks of one flat colour, it is they that must be missing.
        let has_lines = |patch: &[usize]| lines_in(patch) > LEAST_LINE * beside.lines;
        self.lit = lit_patches(cells.len(), self.columns, may_be_lit, is_alike, is_smooth, has_lines);
    }

    /// Fits what all empty cells have in common, a plane, to the cells near it, and takes it off the contrasts. As long
    /// as no cell's own level is known, what neighbouring empty cells have in common (glare, vignetting) goes too.
    fn fit_surface(&mut self, start: f32, limit: f32) {
        self.surface.fill(start);
        self.fit_plane(limit);
        if self.is_fresh() {
            let lit = self.surface.iter_mut().zip(&self.contrast).zip(&self.lit);
            lit.filter(|(_, lit)| **lit).for_each(|((surface, contrast), _)| *surface = *contrast);
            for _ in 0..ROUNDS {
                self.follow_neighbours(limit);
            }
        }
        self.contrast.iter_mut().zip(&self.surface).for_each(|(c, s)| *c -= s);
    }

    /// Says which cells the surface follows. Where something is drawn it would take the dim blocks of a pile for empty, but for
    /// gaps into which the blocks around them shine: those were seen to be empty, and have not become brighter since than the
    /// darkest, `low`. (A dim curtain would pull the surface up, row by row.)
    fn mark_ground(&mut self, low: f32, strongest: f32) {
        for (cell, ground) in self.ground.iter_mut().enumerate() {
            let shows_something = self.drawn[cell] || self.minds_colour && self.coloured[cell];
            let is_gap = self.times_seen[cell] > 0 && self.contrast[cell] - low <= FAINT_SHARE * strongest;
            *ground = self.open[cell] && (!shows_something || is_gap);
        }
    }

    fn fit_plane(&mut self, limit: f32) {
        for _ in 0..ROUNDS {
            let (mut normal, mut right) = (Matrix3::<f32>::zeros(), Vector3::<f32>::zeros());
            for (i, (&c, &s)) in self.contrast.iter().zip(&self.surface).enumerate() {
                if self.ground[i] && (c - s).abs() < limit {
                    let at = self.places[i];
                    normal += at * at.transpose();
                    right += at * c;
                }
            }
            // A little ridge on the slopes keeps a few cells in a corner from tilting the whole plane.
            normal += Matrix3::from_diagonal(&Vector3::new(1e-3, 4.0, 4.0));
            let Some(plane) = normal.cholesky().map(|n| n.solve(&right)) else {
                return;
            };
            self.surface.iter_mut().zip(&self.places).for_each(|(surface, at)| *surface = at.dot(&plane));
        }
    }

    /// Moves the surface at every cell to the mean of the empty cells around it.
    fn follow_neighbours(&mut self, limit: f32) {
        let (columns, rows) = (self.columns, self.surface.len() / self.columns);
        let old = self.surface.clone();
        for i in 0..old.len() {
            let (x, y) = (i % columns, i / columns);
            let (mut sum, mut count) = (0.0, 0.0);
            for v in y.saturating_sub(1)..(y + 2).min(rows) {
                for u in x.saturating_sub(1)..(x + 2).min(columns) {
                    let neighbour = v * columns + u;
                    let near = self.contrast[neighbour] - old[neighbour];
                    sum += match self.lit[neighbour] {
                        // A block in a light stands before ground that is lit as what is beside it.
                        true if self.lit[i] || !self.ground[i] => old[neighbour] + near,
                        false if !self.lit[i] && near.abs() < limit && self.ground[neighbour] => old[neighbour] + near,
                        // Where the neighbour is no background, the surface found so far stands in.
                        false if !self.lit[i] => old[neighbour],
                        _ => old[i],
                    };
                    count += 1.0;
                }
            }
            self.surface[i] = sum / count;
        }
    }

    /// The level of full cells: a low quantile of all contrasts above the floor, present and remembered.
    fn full_level(&self, beside: f32, floor: f32) -> f32 {
        let mut weights = self.histogram.clone();
        self.contrast.iter().for_each(|&c| weights[bin(c)] += PRESENT);
        weights[bin(beside)] += BESIDE_CELLS * PRESENT;
        level_of(&weights, floor)
    }

    fn remembered_full(&self) -> f32 {
        level_of(&self.histogram, LEAST_CONTRAST)
    }

    fn quantile_of(&mut self, q: f32, value: impl Fn(usize, f32) -> Option<f32>) -> f32 {
        self.sorted.clear();
        self.sorted.extend(self.contrast.iter().enumerate().filter_map(|(i, &c)| value(i, c)));
        quantile(&mut self.sorted, q)
    }
}

/// How much more uneven than its texture explains a cell must be to show a block, evidence steps.
fn least_drawn(texture: f32, strongest: f32) -> f32 {
    DRAWN_TEXTURE * texture + DRAWN_SHARE * strongest + DRAWN_STEPS
}

fn bin(contrast: f32) -> usize {
    // A float's cast saturates: negative contrasts go to bin 0, which lies below every floor.
    (contrast as usize).min(BINS - 1)
}

fn level_of(weights: &[f32], floor: f32) -> f32 {
    let first = (floor.ceil() as usize).min(weights.len());
    let standing_out = &weights[first..];
    let wanted = FULL_QUANTILE * standing_out.iter().sum::<f32>();
    if wanted <= 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    let found = standing_out.iter().position(|w| {
        sum += w;
        sum >= wanted
    });
    found.map_or(0.0, |i| (first + i) as f32 + 0.5)
}

/// The `q` quantile (0–1) of some values, which are reordered; 0 if there are none.
pub fn quantile(values: &mut [f32], q: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let index = ((values.len() - 1) as f32 * q).round() as usize;
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

#[cfg(test)]
#[path = "levels_tests.rs"]
mod tests;
