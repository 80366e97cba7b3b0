//! From one picture to one observation.

use super::clues::{Clues, Memory, Scale, Scene};
use super::confidence::Confidence;
use super::cover::{Cover, Picture};
use super::drawing::Drawn;
use super::exposure::{self, Exposure};
use super::ghost::Ghosts;
use super::glints::Glints;
use super::halves::doubt_halves;
use super::levels::{Beside, Levels, Reading, Unevenness};
use super::light::{Lit, around};
use super::sampling::{CellSamples, CellValue};
use super::shapes::{NextLook, NextReader, RegionCell, SpawnPlaces};
use super::state::{Screen, Signs};
use super::worths::Worths;
use crate::game::air::in_air;
use crate::game::{Board, Piece};
use crate::message::{CellGrid, Frame, Observation, ScreenState, Sighting};
use crate::profile::layout::{Layout, NextBox, Polarity};
use crate::time::HostTime;
use crate::vision::VisionError;
use crate::vision::follow::witness::{Standing, Witnesses};
use crate::vision::spell::Spell;
use crate::vision::view::View;
use crate::vision::view::geometry::{distance, is_convex};
use image::RgbImage;
use std::sync::Arc;

/// The smallest cell that can be read, px a side: below it a cell has no inside.
const LEAST_CELL_PX: f64 = 2.0;
/// With more unknown cells than this share, the picture as a whole is not understood.
const MOST_UNKNOWN: f32 = 0.35;
/// Where the spawn region is looked for when it is not quite in its place, because corners are a little off; field units.
const SHIFTS: [[f64; 2]; 4] = [[-0.18, 0.0], [0.18, 0.0], [0.0, -0.18], [0.0, 0.18]];
/// An edge around the field rises by at least this share of a block's contrast, and this many evidence steps.
const LEAST_EDGE: f32 = 0.08;
const LEAST_EDGE_STEPS: f32 = 2.0;
/// After so long without a game, what was learned is worth nothing, ms.
const FORGET_AFTER_MS: f64 = 2000.0;
/// A picture without a time is taken to come so long after the last one, ms; and no more time to have passed before another.
const USUAL_STEP_MS: f64 = 33.3;
const LONGEST_STEP_MS: f64 = 1000.0;
/// One picture teaches no more than it would at eight a second, ms: after a stall it may be any picture.
const LONGEST_LESSON_MS: f64 = 125.0;
/// A new background is believed when cells read without what was learned are the same as before: this share of those that
/// were full, and of those that were empty, and this many full ones. (The falling piece is elsewhere, rows may be gone.)
const SAME_CELLS: f32 = 0.6;
const LEAST_SAME_FULL: usize = 4;
/// So long after rows were cleared, ms, it must have stood for a while, ms: the flash of a four is a bright background, too,
/// in two pictures in a row at most.
const FLASH_MS: f64 = 400.0;
const STANDS_MS: f64 = 100.0;

/// A piece may be seen by its cells for so long, ms, before it is known for one: pictures blend.
const BLENDS_MS: f64 = 250.0;

/// Of the eight cells around one in which a glint is seen no more are unknown.
const MOST_UNKNOWN_AROUND: usize = 4;

/// For so long after another screen its picture may still be seen through the field, ms.
const FADES_MS: f64 = 25.0;

/// What one picture of the game shows.
#[derive(Debug, Clone)]
pub(in crate::vision) struct Look {
    /// Every cell of the playfield.
    pub grid: CellGrid,
    /// The piece in its spawn place.
    pub spawn: Sighting,
    /// The piece in the next box.
    pub next: Sighting,
    /// How that is drawn.
    drawn: Option<Drawn>,
    /// In which cells only a glint shows that they are full; empty where there are none. They teach nothing about other blocks.
    glints: Vec<bool>,
    /// The pieces after it.
    pub queue: Vec<Sighting>,
    /// The piece in the hold box.
    pub hold: Sighting,
    /// How unevenly empty cells are filled: the typical standard deviation of the evidence inside one, as a share (0 and
    /// up) of a full cell's contrast.
    pub texture: f32,
}

/// Reads one game's pictures from one camera position.
#[derive(Debug, Clone)]
pub struct Reader {
    picture: [u32; 2],
    /// The grid of a picture that shows nothing: every cell unknown.
    blank: CellGrid,
    field: CellSamples,
    spawn: SpawnPlaces,
    /// The spawn region's cells, for each of [`SHIFTS`].
    shifted_spawn: [CellSamples; SHIFTS.len()],
    next: Option<NextReader>,
    /// The boxes after the next one.
    queue: Vec<NextReader>,
    /// The box of the held piece.
    hold: Option<NextReader>,
    /// Only where there is a next box: there blocks as dark as the field are known by.
    glints: Option<Glints>,
    /// Only where the game draws ghosts.
    ghosts: Option<Ghosts>,
    witnesses: Witnesses,
    standing: Standing,
    /// Only where blocks are bright: what dims is then less of it.
    exposure: Option<Exposure>,
    levels: Levels,
    confidence: Confidence,
    cover: Cover,
    cells: Vec<CellValue>,
    shifted_cells: Vec<CellValue>,
    screen: Screen,
    last_means: Vec<f32>,
    /// When the last picture was taken.
    last: Option<HostTime>,
    /// The pictures show another screen; and the field again, after one.
    other_screen: Spell,
    back: Spell,
    /// How long the pictures have shown no game, ms.
    obscured_ms: f64,
    /// How long ago a piece was last seen to appear, ms, and whether one is in its spawn place.
    appeared_ms: f64,
    appears: bool,
    /// The last picture of play: the probabilities of "full".
    known: Vec<f32>,
    /// Since when every picture could only be read as one of another background.
    other_since: Option<HostTime>,
    /// When the last picture of rows being cleared was taken.
    clear_seen: Option<HostTime>,
    /// Something covers the field in the last picture, whose empty cells were never seen.
    is_covered: bool,
    /// How the game's blocks are drawn.
    memory: Memory,
    /// What spoke for a block in every cell of the last picture, and what against it.
    clues: Vec<Clues>,
    /// What that is worth; without it no cell is doubted for how it is drawn.
    worths: Option<Arc<Worths>>,
}

impl Reader {
    /// As [`Self::through`], for a lens that leaves straight lines straight.
    ///
    /// # Errors
    /// As [`Self::through`].
    pub fn new(layout: &Layout, corners: [[f64; 2]; 4], picture: [u32; 2]) -> Result<Self, VisionError> {
        Self::through(layout, corners, 0.0, picture)
    }

    /// A reader for pictures of `picture` px (width, height) that show the field between these corners (px; top-left,
    /// top-right, bottom-right, bottom-left of the game), through a lens of the bend `k1` (see [`View`]).
    ///
    /// # Errors
    /// When the corners enclose no field that could be read, or the picture is no camera's.
    pub fn through(layout: &Layout, corners: [[f64; 2]; 4], k1: f64, picture: [u32; 2]) -> Result<Self, VisionError> {
        if picture.iter().any(|s| !(1..=16384).contains(s)) {
            return Err(VisionError::Picture(picture));
        }
        let refused = |problem| VisionError::Corners { corners, problem };
        let [columns, rows] = [layout.field.columns, layout.field.rows];
        if !is_convex(corners) {
            return Err(refused("they are not the corners of a convex quadrilateral"));
        }
        let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
        let (width, height) = (side(0).min(side(2)), side(1).min(side(3)));
        if width < LEAST_CELL_PX * columns as f64 || height < LEAST_CELL_PX * rows as f64 {
            return Err(refused("its cells would be smaller than two pixels"));
        }
        let field = [0.0, 0.0, columns as f64, rows as f64];
        let view = View::through(field, corners, k1, picture.map(|side| side as usize))
            .ok_or_else(|| refused("they are no view of a rectangle"))?;
        let blank = CellGrid::new(columns, rows, vec![0.5; columns * rows])
            .ok_or_else(|| refused("they are no view of a rectangle"))?;
        let polarity = layout.polarity;
        let next = layout.next.as_ref();
        let box_reader = |next: &NextBox| NextReader::new(next, layout, &view, picture, polarity);
        let corner_of = |cell: usize| [(cell % columns) as f64, (cell / columns) as f64];
        let all_cells = (0..columns * rows).map(corner_of);
        let spawn = SpawnPlaces::new(layout);
        let shifted_spawn = SHIFTS.map(|[dx, dy]| {
            let moved = |cell: &usize| [corner_of(*cell)[0] + dx, corner_of(*cell)[1] + dy];
            CellSamples::new(&view, spawn.region().iter().map(moved), picture, polarity)
        });
        Ok(Self {
            picture,
            blank,
            field: CellSamples::new(&view, all_cells, picture, polarity),
            shifted_spawn,
            spawn,
            next: next.map(box_reader),
            queue: layout.queue.iter().map(box_reader).collect(),
            hold: layout.hold.as_ref().map(box_reader),
            glints: next.map(|next| Glints::new(next, layout, view, picture)),
            ghosts: layout.ghost.then(|| Ghosts::new(columns * rows)),
            witnesses: Witnesses::new(layout, &view, picture),
            standing: Standing::default(),
            exposure: (polarity == Polarity::LightOnDark).then(Exposure::default),
            levels: Levels::new(columns, rows, layout.ghost),
            confidence: Confidence::new(columns, rows),
            cover: Cover::new(&view, columns, rows, picture, polarity),
            cells: Vec::new(),
            shifted_cells: Vec::new(),
            screen: Screen::default(),
            last_means: Vec::new(),
            last: None,
            other_screen: Spell::default(),
            back: Spell::default(),
            obscured_ms: 0.0,
            appeared_ms: f64::INFINITY,
            appears: false,
            known: Vec::new(),
            other_since: None,
            clear_seen: None,
            is_covered: false,
            memory: Memory::new(columns, rows),
            clues: Vec::new(),
            worths: Worths::built_in(),
        })
    }

    /// A reader that knows what this one has learned about brightness, for another place of the field.
    ///
    /// # Errors
    /// As [`Self::through`].
    pub fn moved(&self, layout: &Layout, corners: [[f64; 2]; 4], k1: f64) -> Result<Self, VisionError> {
        let there = Self::through(layout, corners, k1, self.picture)?;
        Ok(Self {
            levels: self.levels.clone(),
            confidence: self.confidence.clone(),
            screen: self.screen.clone(),
            known: self.known.clone(),
            cover: self.cover.moved(there.cover.clone()),
            memory: self.memory.clone(),
            worths: self.worths.clone(),
            ..there
        })
    }

    /// The same, but clues are worth this; without, no cell is doubted for how it is drawn.
    #[must_use]
    pub fn judging_by(self, worths: Option<Arc<Worths>>) -> Self {
        Self { worths, ..self }
    }

    /// Every cell's clues in the last picture, row by row.
    pub fn clues(&self) -> &[Clues] {
        &self.clues
    }

    /// What the edges around the field said in the last picture.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether the last picture showed a covered field to a reader that has not seen it otherwise.
    pub(in crate::vision) fn is_covered(&self) -> bool {
        self.is_covered
    }

    /// How many cells stood behind something in the last picture.
    pub(in crate::vision) fn covered_cells(&self) -> usize {
        self.cover.cells()
    }

    /// Takes the edges' present places for their usual ones.
    pub fn trust_edges(&mut self) {
        self.witnesses.forget();
    }

    /// Reads a picture. One of another size than given to [`Reader::new`] gives an observation that knows nothing.
    pub fn read(&mut self, frame: &Frame) -> Observation {
        let (look, state) = self.see(&frame.image, Some(frame.time), true);
        let (frame, time) = (frame.index, frame.time);
        match look.filter(|_| state.shows_cells()) {
            Some(Look { grid, spawn, next, queue, hold, .. }) => {
                Observation { frame, time, grid, spawn, next, queue, hold, state }
            }
            None => {
                let (grid, queue) = (self.blank.clone(), vec![Sighting::Unknown; self.queue.len()]);
                let [spawn, next, hold] = [Sighting::Unknown; 3];
                Observation { frame, time, grid, spawn, next, queue, hold, state }
            }
        }
    }

    /// What a picture shows; `None` if that is not this game at this place.
    pub(in crate::vision) fn look(&mut self, image: &RgbImage) -> Option<Look> {
        self.see(image, None, false).0
    }

    /// The same where what seems to cover the field may be light.
    pub(in crate::vision) fn look_through_light(&mut self, image: &RgbImage) -> Option<Look> {
        self.see(image, None, true).0
    }

    /// What a picture shows, if it can be read as this game's field, and what kind of screen it is. Without a time it stands
    /// alone. `sees_light`: what is bright and smooth may be light, and not the walls around a field.
    fn see(&mut self, image: &RgbImage, time: Option<HostTime>, sees_light: bool) -> (Option<Look>, ScreenState) {
        if image.dimensions() != (self.picture[0], self.picture[1]) {
            self.standing = Standing::ABSENT;
            return (None, ScreenState::NotThisGame);
        }
        let step_ms =
            time.map_or(USUAL_STEP_MS, |time| self.last.replace(time).map_or(0.0, |last| time.ms_since(last)));
        let step_ms = step_ms.clamp(0.0, LONGEST_STEP_MS);
        self.clues.clear();
        // Places are judged by pictures that stand alone.
        self.levels.mind_colour(time.is_some());
        let (mut beside, mut reading) = self.sample(image.as_raw(), sees_light);
        let change = self.exposure.as_ref().and_then(|exposure| exposure.change(self.witnesses.brightest()));
        let undone = change.map(|change| exposure::undone(image.as_raw(), change));
        let bytes = undone.as_deref().unwrap_or(image.as_raw());
        if undone.is_some() {
            (beside, reading) = self.sample(bytes, sees_light);
        }
        self.is_covered = reading.hides_empty;
        self.levels.follow_light(step_ms.min(LONGEST_LESSON_MS));
        if let Some(ghosts) = self.ghosts.as_mut().filter(|_| time.is_some()) {
            ghosts.remember(self.levels.contrast(), reading, step_ms);
        }
        let mut p_full = self.judge(&self.levels, &self.confidence, reading);
        let picture = Picture { bytes, cells: &self.cells, contrast: self.levels.contrast(), noise: reading.noise };
        self.cover.take_off(&mut p_full, picture, self.standing.share());
        // Only then: of what covers the field whole patches are looked for.
        self.doubt_shine(&self.levels, reading, &mut p_full);
        let (reading, look) = if self.is_game(reading, &p_full) {
            self.other_since = None;
            // Only then: what is drawn otherwise than blocks does not make it another game.
            self.ask_clues(reading, &mut p_full, step_ms);
            let glints = self.find_glints(&mut p_full, reading.full, bytes);
            self.doubt_words(&mut p_full);
            let look = self.sight(p_full, beside, reading, bytes);
            (reading, Some(if time.is_some() { self.sight_glints(look, glints, reading.full, bytes) } else { look }))
        } else if let Some((reading, p_full)) = self.read_anew(beside, time) {
            (reading, Some(self.sight(p_full, beside, reading, bytes)))
        } else {
            (reading, None)
        };
        let state = self.judge_screen(look.as_ref(), step_ms);
        if state == ScreenState::LineClear {
            self.clear_seen = time;
        }
        let fades = time.is_some() && self.still_fades(state, step_ms);
        match &look {
            Some(look) => {
                self.obscured_ms = 0.0;
                let appears = look.spawn.piece().is_some();
                self.appeared_ms = if appears && !self.appears { 0.0 } else { self.appeared_ms + step_ms };
                self.appears = appears;
                if !fades && matches!(state, ScreenState::Playing | ScreenState::LineClear) {
                    // A ghost is told from a block by the block's own contrast: a frame that counts as caution
                    // elsewhere would make faint blocks ghosts.
                    let own = beside.map_or(0.0, |l| if self.ghosts.is_some() { l.own_contrast } else { l.contrast });
                    let told = told_beside(beside);
                    self.learn(look, told, own, reading, bytes, step_ms.min(LONGEST_LESSON_MS));
                    if let Some(exposure) = self.exposure.as_mut().filter(|_| undone.is_none()) {
                        exposure.learn(self.witnesses.brightest(), step_ms.min(LONGEST_LESSON_MS));
                    }
                } else if state == ScreenState::GameOver {
                    // Else a curtain that has come down halfway would be a slope of light.
                    self.confidence.remember_end(look.grid.probabilities());
                }
            }
            None => {
                self.appeared_ms += step_ms;
                self.forget_in_time(step_ms);
            }
        }
        if !matches!(state, ScreenState::Playing | ScreenState::LineClear | ScreenState::Obscured) {
            self.cover.pause();
        }
        // What fades says nothing.
        (look.filter(|_| !fades), state)
    }

    /// Samples a picture: what is in the next box, and the levels of the field's cells. The edges around the field are looked at.
    fn sample(&mut self, bytes: &[u8], sees_light: bool) -> (Option<NextLook>, Reading) {
        self.field.read(bytes, &mut self.cells);
        let beside = self.next.as_mut().map(|next| next.look(bytes));
        let told = self.next.as_ref().zip(beside).filter(|_| sees_light);
        let unevenness = || told.map(|(next, look)| next.unevenness(look)).unwrap_or_default();
        let lines_in = |patch: &[usize]| self.cover.lines_in(bytes, &self.cells, patch);
        let was_full = self.confidence.was_full();
        let reading = self.levels.read(&self.cells, told_beside(beside), was_full, unevenness, lines_in);
        self.standing = self.witnesses.look(bytes, (LEAST_EDGE * reading.full).max(LEAST_EDGE_STEPS));
        (beside, reading)
    }

    /// Whether another screen may still shine through: displays fade, and an exposure can begin before the change.
    fn still_fades(&mut self, state: ScreenState, step_ms: f64) -> bool {
        let shows_field = state.shows_field();
        let is_new = shows_field && self.other_screen.ms() > FADES_MS;
        // What covers the field is no other screen.
        self.other_screen.goes_on_if(!shows_field && state != ScreenState::Obscured, step_ms);
        self.back.goes_on_if(shows_field && (is_new || self.back.is_on()), step_ms);
        self.back.is_on() && self.back.ms() < FADES_MS
    }

    /// The probability of "full" for every cell of the picture just sampled, by these levels.
    fn judge(&self, levels: &Levels, confidence: &Confidence, reading: Reading) -> Vec<f32> {
        let (cells, contrast) = (&self.cells, levels.contrast());
        let core = |cell: usize| contrast[cell] + cells[cell].core - cells[cell].mean;
        let middle = |cell: usize| contrast[cell] + cells[cell].middle - cells[cell].mean;
        let is_visible = |cell: usize| self.field.is_visible(cell);
        let mut p_full = confidence.judge(contrast, core, middle, is_visible, reading);
        doubt_halves(&mut p_full, cells, contrast, confidence.dimmest(reading));
        if let Some(ghosts) = &self.ghosts {
            // The contrast of the dimmest blocks that the game is known to have: those seen in the next box, but no more
            // than the brightest cell of the field shows.
            let brightest = contrast.iter().copied().fold(1.0, f32::max);
            let kinds = Piece::ALL.into_iter().filter_map(|piece| confidence.kind_of(piece));
            ghosts.take_off(&mut p_full, contrast, cells, kinds.fold(brightest, f32::min), reading);
        }
        p_full
    }

    /// Makes those cells unknown on which light falls.
    fn doubt_shine(&self, levels: &Levels, reading: Reading, p_full: &mut [f32]) {
        let (cells, contrast, columns) = (&self.cells, levels.contrast(), self.blank.columns());
        Lit { cells, contrast, full: reading.full, columns }.doubt_shine(p_full);
    }

    /// Doubts what is drawn otherwise than the game's blocks are.
    fn ask_clues(&mut self, reading: Reading, p_full: &mut [f32], step_ms: f64) {
        let kinds: Vec<f32> = Piece::ALL.into_iter().filter_map(|piece| self.confidence.kind_of(piece)).collect();
        self.clues = self.memory.clues(Scene {
            cells: &self.cells,
            contrast: self.levels.contrast(),
            p_full,
            was_full: self.confidence.was_full(),
            scale: Scale { full: reading.full, dim: self.confidence.dimmest(reading), texture: reading.texture },
            kinds: &kinds,
            step_ms,
        });
        if let Some(worths) = &self.worths {
            worths.doubt(p_full, &self.clues);
        }
    }

    /// Makes those cells unknown that hang in the air: words over the field. Before any block is known nothing else tells them
    /// apart.
    fn doubt_words(&self, p_full: &mut [f32]) {
        let columns = self.blank.columns();
        let board_of = |least: f32| {
            let mut board = Board::new(columns, self.blank.rows());
            let cells = p_full.iter().enumerate().filter(|(_, p)| **p >= least);
            cells.for_each(|(cell, _)| board.fill(cell % columns, cell / columns));
            board
        };
        let [seen, full] = [CellGrid::SURE.0, CellGrid::SURE.1].map(board_of);
        let [mut still, mut spawn] = [Board::new(columns, self.blank.rows()); 2];
        // Since then another piece has come.
        let waits = |cell: &usize| self.memory.lit_ms(*cell) > self.appeared_ms + BLENDS_MS;
        (0..p_full.len()).filter(waits).for_each(|cell| still.fill(cell % columns, cell / columns));
        self.spawn.region().iter().for_each(|cell| spawn.fill(cell % columns, cell / columns));
        let words = in_air(&seen, &full, &still, &spawn);
        if words.count() > 0 {
            let is_word = |cell: usize| words.is_full(cell % columns, cell / columns);
            p_full.iter_mut().enumerate().filter(|(cell, _)| is_word(*cell)).for_each(|(_, p)| *p = 0.5);
        }
    }

    /// Finds the cells that hardly stand out, but are drawn as blocks are that are as dark as the field; where there are such.
    fn find_glints(&mut self, p_full: &mut [f32], full: f32, bytes: &[u8]) -> Vec<bool> {
        let Some(glints) = self.glints.as_mut().filter(|glints| glints.are_known()) else { return Vec::new() };
        let (contrast, cells, field) = (self.levels.contrast(), &self.cells, &self.field);
        let is_asked = |cell: usize| Glints::may_be(contrast[cell], full) && field.is_visible(cell);
        let mut found = vec![false; p_full.len()];
        for cell in (0..p_full.len()).filter(|cell| is_asked(*cell)) {
            let p = glints.probability(bytes, cell, cells[cell].mean - contrast[cell]);
            if p > p_full[cell].max(CellGrid::SURE.0) {
                (p_full[cell], found[cell]) = (p, true);
            }
        }
        // The strokes of what lies over the field look like anything, and cover more cells than one.
        let (low, high) = CellGrid::SURE;
        let is_unknown: Vec<bool> = p_full.iter().map(|p| (low..=high).contains(p)).collect();
        for cell in (0..p_full.len()).filter(|cell| found[*cell]) {
            if around(cell, self.blank.columns(), is_unknown.len()).filter(|near| is_unknown[*near]).count()
                > MOST_UNKNOWN_AROUND
            {
                p_full[cell] = p_full[cell].min(0.5);
            }
        }
        found
    }

    /// Sees pieces of such blocks where no others are: beside the field, and where they appear.
    fn sight_glints(&mut self, look: Look, glints: Vec<bool>, full: f32, bytes: &[u8]) -> Look {
        let Some(known) = &mut self.glints else { return look };
        let next = match look.next {
            Sighting::Piece(piece, _) => {
                known.unlearn(piece);
                None
            }
            _ => known.look(bytes, full).map(|glint| Sighting::Piece(glint.piece, glint.confidence)),
        };
        let spawn = match look.spawn {
            Sighting::Unknown if known.are_known() => {
                self.spawn.sight_cells(look.grid.probabilities(), |piece| known.is_known(piece))
            }
            other => other,
        };
        Look { next: next.unwrap_or(look.next), spawn, glints, ..look }
    }

    /// Reads the pieces of a picture that shows the game.
    fn sight(&mut self, p_full: Vec<f32>, beside: Option<NextLook>, reading: Reading, bytes: &[u8]) -> Look {
        let texture = reading.texture / reading.full.max(1.0);
        // Pieces are judged by their own brightness; the dimmest blocks say what is too faint to be one.
        let reading = Reading { full: self.confidence.dimmest(reading), ..reading };
        let (next, drawn) = match (&self.next, beside) {
            (Some(next), Some(look)) => next.sight_drawn(look, reading.full, reading.noise),
            _ => (Sighting::Unknown, None),
        };
        let sight = |beside: &mut NextReader| {
            let look = beside.look(bytes);
            beside.sight(look, reading.full, reading.noise)
        };
        let queue = self.queue.iter_mut().map(sight).collect();
        let hold = self.hold.as_mut().map_or(Sighting::Unknown, sight);
        let spawn = self.sight_spawn(&p_full, reading, bytes);
        Look { grid: self.grid(p_full), spawn, next, drawn, glints: Vec::new(), queue, hold, texture }
    }

    fn judge_screen(&mut self, look: Option<&Look>, step_ms: f64) -> ScreenState {
        let (mut low, mut high, mut change) = (f32::MAX, f32::MIN, 0.0);
        self.last_means.resize(self.cells.len(), 0.0);
        for (last, cell) in self.last_means.iter_mut().zip(&self.cells) {
            (low, high) = (low.min(cell.mean), high.max(cell.mean));
            change += (cell.mean - *last).abs();
            *last = cell.mean;
        }
        self.screen.judge(Signs {
            grid: look.map(|l| &l.grid),
            spawn: look.map_or(Sighting::Unknown, |l| l.spawn),
            next: self.next.as_ref().map(|_| look.map_or(Sighting::Unknown, |l| l.next)),
            edges: self.standing.share(),
            variety: high - low,
            change: change / self.cells.len().max(1) as f32,
            step_ms,
        })
    }

    /// Reads the picture as if it were the first, where the field stands in its place and cannot be read: if the cells are
    /// what they were, the game has drawn another background, and what was learned of the old one is worth nothing. Not where the
    /// game is over: to one who has seen nothing else a curtain is a background.
    fn read_anew(&mut self, beside: Option<NextLook>, time: Option<HostTime>) -> Option<(Reading, Vec<f32>)> {
        if self.levels.is_fresh() || self.known.is_empty() || self.screen.is_over() || !self.standing.holds() {
            return None;
        }
        let mut levels = self.levels.anew();
        let confidence = self.confidence.anew();
        let reading =
            levels.read(&self.cells, told_beside(beside), self.confidence.was_full(), Unevenness::default, |_| 0.0);
        let mut p_full = self.judge(&levels, &confidence, reading);
        self.doubt_shine(&levels, reading, &mut p_full);
        if !self.is_game(reading, &p_full) || !self.shows_the_same(&p_full) {
            self.other_since = None;
            return None;
        }
        let since = *self.other_since.get_or_insert(time?);
        let clear_ms = self.clear_seen.zip(time).map(|(clear, time)| time.ms_since(clear));
        let may_flash = clear_ms.is_some_and(|clear_ms| (0.0..FLASH_MS).contains(&clear_ms));
        if may_flash && time?.ms_since(since) < STANDS_MS {
            return None;
        }
        self.other_since = None;
        (self.levels, self.confidence) = (levels, confidence);
        self.ghosts.iter_mut().for_each(Ghosts::forget);
        self.cover.forget();
        Some((reading, p_full))
    }

    /// Whether most cells are what they were in the last picture of play.
    fn shows_the_same(&self, p_full: &[f32]) -> bool {
        let (low, high) = CellGrid::SURE;
        let share = |was: &dyn Fn(f32) -> bool, least: usize| {
            let of = self.known.iter().filter(|known| was(**known)).count();
            let same = self.known.iter().zip(p_full).filter(|(known, now)| was(**known) && was(**now)).count();
            same >= least && same as f32 >= SAME_CELLS * of as f32
        };
        share(&|p| p > high, LEAST_SAME_FULL) && share(&|p| p < low, 0)
    }

    /// Learns from a picture that came `step_ms` after the last. `beside` is what the next box tells with all that is in it,
    /// `own_beside` the contrast of the piece alone.
    fn learn(&mut self, look: &Look, beside: Beside, own_beside: f32, reading: Reading, bytes: &[u8], step_ms: f64) {
        self.known.clear();
        self.known.extend_from_slice(look.grid.probabilities());
        // What only a glint shows to be full says nothing about how bright blocks are.
        let hide = |(p, is_glint): (&f32, &bool)| if *is_glint { 0.5 } else { *p };
        let hidden: Vec<f32> = look.grid.probabilities().iter().zip(&look.glints).map(hide).collect();
        let p_full = if hidden.is_empty() { look.grid.probabilities() } else { &hidden };
        let picture = Picture { bytes, cells: &self.cells, contrast: self.levels.contrast(), noise: reading.noise };
        self.cover.remember(p_full, picture, self.standing.share(), step_ms);
        self.levels.learn(reading, beside, p_full, step_ms);
        self.witnesses.learn();
        let is_bright = |piece: &Piece| self.glints.as_ref().is_none_or(|glints| !glints.is_known(*piece));
        let shown = look.next.piece().filter(is_bright).map(|piece| (piece, own_beside));
        let falling =
            look.spawn.piece().filter(is_bright).map(|piece| self.spawn.mean_of(piece, self.levels.contrast()));
        let hollow = |cell: usize| self.cells[cell].hollow();
        let contrast = self.levels.contrast();
        self.confidence.remember(contrast, p_full, hollow, shown, falling, step_ms);
        let dim = self.confidence.dimmest(reading);
        if let Some(piece) = look.spawn.piece().filter(is_bright) {
            let blocks = self.spawn.cells_of(piece).map(|cell| (&self.cells[cell], contrast[cell]));
            self.memory.learn_kind(piece, blocks, step_ms);
        }
        self.memory.remember(&self.cells, self.levels.contrast(), look.grid.probabilities(), dim, look.drawn, step_ms);
    }

    fn forget_in_time(&mut self, step_ms: f64) {
        let before_ms = self.obscured_ms;
        self.obscured_ms += step_ms;
        if (before_ms..self.obscured_ms).contains(&FORGET_AFTER_MS) {
            self.exposure = self.exposure.take().map(|_| Exposure::default());
            self.levels.forget();
            self.confidence.forget();
            self.memory.forget();
            self.ghosts.iter_mut().for_each(Ghosts::forget);
            self.glints.iter_mut().for_each(Glints::forget);
            self.cover.forget();
            self.known.clear();
        }
    }

    /// Whether the picture shows this game at this place: blocks stand out, most cells are either full or empty, and
    /// the edges around the field are where they should be.
    fn is_game(&self, reading: Reading, p_full: &[f32]) -> bool {
        if reading.hides_empty || reading.full <= 5.0 * reading.noise || reading.full <= 1.2 * reading.texture {
            return false;
        }
        let (low, high) = CellGrid::SURE;
        let unknown = p_full.iter().filter(|p| (low..=high).contains(*p)).count();
        if unknown as f32 > MOST_UNKNOWN * p_full.len() as f32 {
            return false;
        }
        self.standing.holds()
    }

    /// The piece in its spawn place, or a little beside it.
    fn sight_spawn(&mut self, p_full: &[f32], reading: Reading, bytes: &[u8]) -> Sighting {
        let region = self.spawn.region();
        let contrast = self.levels.contrast();
        let in_place = region.iter().map(|&c| RegionCell { contrast: contrast[c], tilt: self.cells[c].tilt });
        let mut cells: Vec<RegionCell> = in_place.collect();
        let mut best = self.spawn.sight(p_full, &cells, reading);
        if best != Sighting::Unknown {
            return best;
        }
        for samples in &self.shifted_spawn {
            samples.read(bytes, &mut self.shifted_cells);
            for ((&at, value), cell) in region.iter().zip(&self.shifted_cells).zip(&mut cells) {
                let empty = self.cells[at].mean - contrast[at];
                *cell = RegionCell { contrast: value.mean - empty, tilt: value.tilt };
            }
            let seen = self.spawn.sight_piece(p_full, &cells, reading);
            if seen.confidence() > best.confidence() {
                best = seen;
            }
        }
        best
    }

    fn grid(&self, p_full: Vec<f32>) -> CellGrid {
        CellGrid::new(self.blank.columns(), self.blank.rows(), p_full).unwrap_or_else(|| self.blank.clone())
    }
}

/// What the look into the next box tells about blocks.
fn told_beside(look: Option<NextLook>) -> Beside {
    Beside { contrast: look.map_or(0.0, |look| look.contrast), background: look.map(|look| look.background) }
}
