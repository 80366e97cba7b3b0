//! What stands before the field: a hand, a sleeve, a note, light that has just come. The cells behind it are unknown.
//!
//! A block comes as one of four and keeps its look; what covers the field lights many cells at once, or changes those that
//! were lit, and shows none of the lines that lie between blocks ([`Seams`]).

use super::light::patch_at;
use super::sampling::CellValue;
use super::seams::Seams;
use crate::message::CellGrid;
use crate::profile::layout::Polarity;
use crate::vision::spell::{Spell, share_learned};
use crate::vision::view::View;

/// A cell is known as a block when it has been full for so long, ms.
const LASTING_MS: f64 = 230.0;
/// A full cell has changed when its contrast differs from the usual one by this share, and this many deviations of noise.
const CHANGED_SHARE: f32 = 0.2;
const CHANGED_NOISES: f32 = 4.0;
/// In so long a time a cell's usual contrast is learned, all but a third of it, ms.
const LEARNED_IN_MS: f64 = 320.0;
/// More cells than these that hang together and are new or changed are no piece on its way.
const PIECE_CELLS: usize = 4;
/// Between blocks lie lines; a patch whose lines are shallower than this share of the usual depth has none.
const LEAST_LINES: f32 = 0.45;
/// A few cells between which it is brighter than in them by this share are a piece on its way, which covers parts of them.
const LEAST_LEVEL: f32 = -0.25;
/// And by this many standard errors: blocks of some games differ much among themselves.
const SURE_ERRORS: f32 = 3.0;
/// Where a game draws no lines, more cells than these that come in one picture are no pieces, for so long, ms.
const MOVING_CELLS: usize = 8;
const DOUBTED_MS: f64 = 1980.0;
/// Something dark before the field hides its frame, too: less than this share of the edges that are usually seen.
const FRAME_HIDDEN: f32 = 0.9;
/// In so long a time that is learned, all but a third of it, ms.
const EDGES_LEARNED_IN_MS: f64 = 1650.0;
/// A row that was complete may have been cleared for so long after, ms.
const CLEARED_MS: f64 = 1980.0;
/// Lines between blocks are measured so often, on cells that have been full for so long, ms.
const MEASURE_EVERY_MS: f64 = 130.0;
const MEASURED_AFTER_MS: f64 = 95.0;
/// More full rows above the floor than any piece completes are the end of a game.
const FLOOD_ROWS: usize = 6;

/// The memory behind it.
#[derive(Debug, Clone)]
pub struct Cover {
    columns: usize,
    /// Where the lines lie; worked out when a game is first read, for most places that are looked at are none.
    seams: Option<Seams>,
    make_seams: MakeSeams,
    /// For how long a cell has been full.
    full: Vec<Spell>,
    /// The usual contrast of a cell that is full.
    usual: Vec<f32>,
    /// For how long yet a cell that came with many others is doubted, ms.
    doubted_ms: Vec<Option<f64>>,
    /// Which cells stand behind something in the present picture.
    covered: Vec<bool>,
    /// How long ago a row was complete, ms.
    since_complete_ms: f64,
    /// For how long there has been play.
    in_play: Spell,
    /// The share of the field's edges that is usually seen.
    usual_edges: f32,
}

/// What the places of the lines follow from.
#[derive(Debug, Clone, Copy)]
struct MakeSeams {
    view: View,
    field: [usize; 2],
    picture: [u32; 2],
    polarity: Polarity,
}

/// What one picture shows.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// Its pixels.
    pub bytes: &'a [u8],
    /// The field's cells.
    pub cells: &'a [CellValue],
    /// Their contrast with their empty levels, evidence steps.
    pub contrast: &'a [f32],
    /// The scatter of empty cells, evidence steps.
    pub noise: f32,
}

impl MakeSeams {
    fn make(&self) -> Seams {
        Seams::new(&self.view, self.field, self.picture, self.polarity)
    }
}

impl Cover {
    /// Nothing is known yet.
    pub fn new(view: &View, columns: usize, rows: usize, picture: [u32; 2], polarity: Polarity) -> Self {
        let cells = columns * rows;
        Self {
            columns,
            seams: None,
            make_seams: MakeSeams { view: *view, field: [columns, rows], picture, polarity },
            full: vec![Spell::default(); cells],
            usual: vec![0.0; cells],
            doubted_ms: vec![None; cells],
            covered: vec![false; cells],
            since_complete_ms: CLEARED_MS,
            in_play: Spell::default(),
            usual_edges: 0.0,
        }
    }

    /// What this has learned about the game, for another place of its field.
    #[must_use]
    pub fn moved(&self, to: Self) -> Self {
        let seams = self.seams.as_ref().map(|seams| seams.moved(to.make_seams.make()));
        Self { seams, make_seams: to.make_seams, ..self.clone() }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.full.fill(Spell::default());
        self.doubted_ms.fill(None);
        self.in_play = Spell::default();
        self.seams = None;
    }

    /// The picture shows no play: what comes after it may be another field.
    pub fn pause(&mut self) {
        self.in_play = Spell::default();
        self.doubted_ms.fill(None);
    }

    /// Makes those cells unknown that stand behind something. `edges` is the share of the field's edges that are seen.
    pub fn take_off(&mut self, p_full: &mut [f32], picture: Picture, edges: f32) {
        self.covered.fill(false);
        let lit: Vec<bool> = p_full.iter().map(|p| *p > CellGrid::SURE.1).collect();
        let in_curtain = self.curtain(p_full);
        let is_suspect =
            |cell: usize| lit[cell] && !in_curtain[cell] && (!self.is_block(cell) || self.has_changed(cell, picture));
        let suspects: Vec<bool> = (0..lit.len()).map(is_suspect).collect();
        let mut seen = vec![false; lit.len()];
        for start in 0..lit.len() {
            if suspects[start] && !seen[start] {
                let patch = patch_at(start, &suspects, self.columns, &mut seen);
                if patch.len() > PIECE_CELLS && !self.is_frame(&patch) && !self.are_blocks(&patch, picture) {
                    patch.iter().for_each(|&cell| self.covered[cell] = true);
                }
            }
        }
        if edges < FRAME_HIDDEN * self.usual_edges && self.since_complete_ms >= CLEARED_MS {
            self.cover_lost(p_full);
        }
        p_full.iter_mut().zip(&self.covered).filter(|(_, covered)| **covered).for_each(|(p, _)| *p = 0.5);
    }

    /// How many cells stand behind something in the present picture.
    pub fn cells(&self) -> usize {
        self.covered.iter().filter(|covered| **covered).count()
    }

    /// Remembers a picture of play that came `step_ms` after the last. `edges` is the share of the field's edges that are seen.
    pub fn remember(&mut self, p_full: &[f32], picture: Picture, edges: f32, step_ms: f64) {
        let (low, high) = CellGrid::SURE;
        let rate = if self.usual_edges > 0.0 { share_learned(step_ms, EDGES_LEARNED_IN_MS) } else { 1.0 };
        self.usual_edges += (edges - self.usual_edges) * rate;
        self.in_play.goes_on(step_ms);
        let usually = share_learned(step_ms, LEARNED_IN_MS);
        for (cell, &p) in p_full.iter().enumerate() {
            if p > high {
                let rate = if self.full[cell].is_on() { usually } else { 1.0 };
                self.usual[cell] += rate * (picture.contrast[cell] - self.usual[cell]);
            }
            if p > high || p < low {
                self.full[cell].goes_on_if(p > high, step_ms);
            }
            let is_doubted = p == 0.5 && self.covered[cell];
            self.doubted_ms[cell] = self.doubted_ms[cell].filter(|_| is_doubted).map(|ms| ms - step_ms);
        }
        let is_complete = |row: &[f32]| row.iter().all(|p| *p > high);
        let any_complete = p_full.chunks(self.columns).any(is_complete);
        self.since_complete_ms = if any_complete { 0.0 } else { self.since_complete_ms + step_ms };
        if self.in_play.reaches_every(MEASURE_EVERY_MS) {
            let full = &self.full;
            let is_block = |cell: usize| full[cell].ms() >= MEASURED_AFTER_MS && p_full[cell] > high;
            let seams = self.seams.get_or_insert_with(|| self.make_seams.make());
            seams.learn(picture.bytes, picture.cells, picture.contrast, is_block);
        }
    }

    /// How much darker it is between the cells of a patch than in them, evidence steps.
    pub fn lines_in(&mut self, bytes: &[u8], cells: &[CellValue], patch: &[usize]) -> f32 {
        self.seams.get_or_insert_with(|| self.make_seams.make()).darkness(bytes, cells, patch)
    }

    /// Whether all cells of a patch lie along one side of the field: after a bump its frame does, and nothing covers it.
    fn is_frame(&self, patch: &[usize]) -> bool {
        let (columns, rows) = (self.columns, self.covered.len() / self.columns.max(1));
        let along = |is_on: &dyn Fn(usize) -> bool| patch.iter().all(|&cell| is_on(cell));
        along(&|cell| cell / columns == 0)
            || along(&|cell| cell / columns + 1 == rows)
            || along(&|cell| cell % columns == 0)
            || along(&|cell| cell % columns + 1 == columns)
    }

    fn is_block(&self, cell: usize) -> bool {
        self.full[cell].ms() >= LASTING_MS
    }

    fn has_changed(&self, cell: usize, picture: Picture) -> bool {
        let usual = self.usual[cell];
        (picture.contrast[cell] - usual).abs() > CHANGED_SHARE * usual + CHANGED_NOISES * picture.noise
    }

    /// Whether cells that hang together, and have just come or changed, may be blocks.
    fn are_blocks(&mut self, patch: &[usize], picture: Picture) -> bool {
        let Picture { bytes, cells, contrast, .. } = picture;
        if let Some(lines) = self.seams.as_ref().and_then(|seams| seams.lines(bytes, cells, contrast, patch)) {
            let has_new = patch.iter().any(|cell| !self.full[*cell].is_on());
            let is_moving = has_new && patch.len() <= MOVING_CELLS && lines.depth < LEAST_LEVEL;
            return is_moving || lines.depth >= LEAST_LINES || 1.0 - lines.depth < SURE_ERRORS * lines.error;
        }
        let is_settled = self.in_play.ms() >= LASTING_MS;
        let new = patch.iter().filter(|cell| !self.full[**cell].is_on()).count();
        let mut doubted_ms = patch.iter().filter_map(|cell| self.doubted_ms[*cell]);
        if !is_settled || new <= MOVING_CELLS || doubted_ms.any(|left_ms| left_ms <= 0.0) {
            return true;
        }
        if patch.iter().all(|cell| self.doubted_ms[*cell].is_none()) {
            patch.iter().for_each(|&cell| self.doubted_ms[cell] = Some(DOUBTED_MS));
        }
        false
    }

    /// The cells of the rows that are wholly lit or open, counted from the field's top, and from its floor: the end of a
    /// game.
    fn curtain(&self, p_full: &[f32]) -> Vec<bool> {
        let rows = || p_full.chunks(self.columns);
        let is_whole = |least: f32| move |row: &&[f32]| row.iter().all(|p| *p >= least);
        let top = rows().take_while(is_whole(CellGrid::SURE.0)).count();
        let flood = rows().rev().take_while(is_whole(CellGrid::SURE.1)).count();
        let floor = rows().len() - if flood >= FLOOD_ROWS { flood } else { 0 };
        (0..p_full.len()).map(|cell| cell / self.columns < top || cell / self.columns >= floor).collect()
    }

    /// A pile loses complete rows and nothing else.
    fn cover_lost(&mut self, p_full: &[f32]) {
        let lost: Vec<bool> = (0..p_full.len()).map(|c| self.is_block(c) && p_full[c] < CellGrid::SURE.0).collect();
        let mut seen = vec![false; lost.len()];
        for start in 0..lost.len() {
            if lost[start] && !seen[start] {
                let patch = patch_at(start, &lost, self.columns, &mut seen);
                // A slow piece stood where it is gone from.
                if patch.len() > PIECE_CELLS {
                    patch.iter().for_each(|&cell| self.covered[cell] = true);
                }
            }
        }
    }
}
