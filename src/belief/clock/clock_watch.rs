//! Finds the changes by which the console's clock can be told: rows that the falling piece fell, pieces that appeared.
//!
//! A piece that falls a row leaves cells and enters others. In a picture taken meanwhile both are lit, each for its share
//! of the exposure; the mean of "has come" and "has gone" crosses one half when the boundary was in the exposure's middle,
//! whatever the camera's tone curve.

use super::game_clock::{ClockFilter, Edge, GameClock, Gap, Reading};
use super::picture_clock::{PictureClock, Taken};
use crate::belief::event::{Event, Locked, Spawned};
use crate::game::orientation::Pose;
use crate::game::{Board, Rules};
use crate::message::{CellGrid, Observation};
use crate::time::{CameraFrame, ConsoleFrame, HostTime};
use crate::vision::read::confidence::share_of_time;
use std::collections::VecDeque;

/// How far a measured height may be off, rows (one standard deviation).
const HEIGHT_SIGMA: f64 = 0.4;
/// Pictures remembered: a spawn is believed some pictures after it was first seen.
const KEPT: usize = 12;
/// A spawn is looked for this many pictures before the one in which it was believed to be first seen.
const BEFORE_SPAWN: u64 = 2;
/// How far the share of a fallen row, and of a piece that appeared, may be off (one standard deviation): the latter has
/// no cells that vanish, by which a tone curve would cancel.
const STEP_SIGMA: f64 = 0.13;
const SPAWN_SIGMA: f64 = 0.25;
/// No cell's share differs by more than this from what the piece's place says, or the place is wrong.
const MOST_OFF: f32 = 0.35;
/// From picture to picture a piece falls at most this many rows.
const ROWS_MAX: i8 = 4;
/// A piece does not rise, but shares are measured roughly.
const RISE_MAX: f64 = 0.35;
/// How likely a row fell by gravity, and by holding Down, where both are possible; the first row of a piece.
const BY_GRAVITY: f64 = 0.55;
const BY_DOWN: f64 = 0.25;
const FIRST_BY_GRAVITY: f64 = 0.7;
/// How likely a piece locked by gravity, and by holding Down.
const LOCK_BY_GRAVITY: f64 = 0.4;
const LOCK_BY_DOWN: f64 = 0.4;
/// Holding Down, a piece falls a row every second frame. $894E.
const DOWN_FRAMES: u32 = 2;

/// A picture's cells and when it was taken.
#[derive(Debug, Clone)]
struct Picture {
    index: CameraFrame,
    taken: Taken,
    grid: CellGrid,
}

/// The falling piece in one picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// When, in the console's frames: at a whole number that frame is shown for half of the exposure, and the one before
    /// for the other half.
    pub frames: f64,
    /// The pivot's row, with the share of the exposure for which the piece was a row further down.
    pub height: f64,
    /// Its column and orientation.
    pub pose: Pose,
}

impl Sight {
    /// The console frame that is shown last, and for which share of the exposure; the one before has the rest.
    pub fn shown(&self) -> (i64, f64) {
        let frame = self.frames.round() as i64;
        (frame, (self.frames - frame as f64 + 0.5).clamp(0.0, 1.0))
    }

    /// How well it fits to a piece that is in row `before` on the frame before the last one shown, and in row `after` on that:
    /// 1 at best.
    pub fn likelihood(&self, before: i8, after: i8) -> f64 {
        let share = self.shown().1;
        let height = f64::from(before) * (1.0 - share) + f64::from(after) * share;
        let off = (self.height - height) / HEIGHT_SIGMA;
        (-0.5 * off * off).exp()
    }
}

/// The falling piece as last measured.
#[derive(Debug, Clone, Copy)]
struct Track {
    pose: Pose,
    /// Rows from the top, with the share of the row that it is falling.
    height: f64,
    index: CameraFrame,
    taken: Taken,
    /// The height was measured. Where pieces fall a row in every frame or two, the picture in which one appears may show it
    /// in two rows already.
    is_measured: bool,
    /// Where it appeared.
    spawn_row: i64,
    has_fallen: bool,
    is_first: bool,
}

/// Watches the game for its clock. See the module.
#[derive(Debug, Clone)]
pub struct ClockWatch {
    rules: Rules,
    pictures: PictureClock,
    filter: ClockFilter,
    recent: VecDeque<Picture>,
    last_taken: Option<Taken>,
    track: Option<Track>,
    locked: Option<Locked>,
}

impl ClockWatch {
    /// Nothing seen yet of a game of these rules.
    pub fn new(rules: Rules) -> Self {
        Self {
            pictures: PictureClock::default(),
            filter: ClockFilter::new(rules.frame_ms()),
            recent: VecDeque::with_capacity(KEPT),
            last_taken: None,
            track: None,
            locked: None,
            rules,
        }
    }

    /// The console's clock, if it is known well enough.
    pub fn clock(&self) -> Option<GameClock> {
        self.filter.clock()
    }

    /// The frame that the last picture shows for at least half of its exposure, if the clock is known.
    pub fn console_frame(&self) -> Option<ConsoleFrame> {
        let taken = self.last_taken?;
        Some(self.clock()?.frame_at(HostTime::from_ms(taken.ms)).0)
    }

    /// Where the falling piece was seen in the last picture, by the console's clock; `None` if either is not known.
    pub fn sight(&self) -> Option<Sight> {
        let (taken, clock) = (self.last_taken?, self.clock()?);
        let (frame, passed) = clock.frame_at(HostTime::from_ms(taken.ms));
        Some(Sight { frames: frame.0 as f64 + passed, ..self.sight_by(clock.origin, clock.frame_ms)? })
    }

    /// The same by any clock, of which frame 0 begins at `origin`.
    pub fn sight_by(&self, origin: HostTime, frame_ms: f64) -> Option<Sight> {
        let taken = self.last_taken?;
        let track = self.track.filter(|track| track.taken == taken && track.is_measured)?;
        let frames = (taken.ms - origin.ms()) / frame_ms;
        Some(Sight { frames, height: track.height, pose: track.pose })
    }

    /// Takes in a picture that the belief has taken in: what became certain with it, the settled pile, where the falling
    /// piece is believed to be, and the level.
    pub fn take(
        &mut self,
        observation: &Observation,
        events: &[Event],
        pile: &Board,
        falling: Option<Pose>,
        level: u8,
    ) {
        self.last_taken = self.pictures.take(observation.frame, observation.time);
        // Where gravity does not go by frames there is no clock to be found.
        if self.rules.entry_frames(0).is_none() || !observation.state.shows_cells() {
            return;
        }
        if let Some(taken) = self.last_taken {
            if self.recent.len() == KEPT {
                self.recent.pop_front();
            }
            self.recent.push_back(Picture { index: observation.frame, taken, grid: observation.grid.clone() });
        }
        let mut is_new = false;
        for event in events {
            match event {
                Event::Locked(locked) => self.locked = Some(*locked),
                Event::Spawned(spawned) => {
                    self.spawned(spawned, level);
                    is_new = true;
                }
                Event::GameOver { .. } | Event::Surprise(..) => self.lose(),
            }
        }
        if let (Some(pose), false, Some(_)) = (falling, is_new, self.last_taken) {
            self.follow(self.recent.len() - 1, pile, pose, level);
        }
    }

    fn lose(&mut self) {
        self.track = None;
        self.filter.break_chain();
    }

    /// A piece appeared, in one of the pictures remembered.
    fn spawned(&mut self, spawned: &Spawned, level: u8) {
        let gap = self.entry_gap(level);
        if self.recent.is_empty() {
            return;
        }
        let from = CameraFrame(spawned.frame.0.saturating_sub(BEFORE_SPAWN));
        let first = self.recent.iter().position(|picture| picture.index >= from).unwrap_or(0);
        let shares: Vec<f32> = self
            .recent
            .iter()
            .map(|p| mean(spawned.pose.cells().into_iter().map(|cell| share(&p.grid, cell))))
            .collect();
        let appeared = (first + 1..shares.len()).find(|&i| shares[i - 1] < 0.5 && shares[i] >= 0.5);
        // A piece that was first seen on its way appeared nobody knows when.
        let is_seen = spawned.not_before.is_some() && spawned.pose.y <= 1;
        let shown = match appeared.filter(|_| is_seen) {
            Some(shown) => {
                let reading =
                    |i: usize| Reading { taken: self.recent[i].taken, share: f64::from(shares[i]), sigma: SPAWN_SIGMA };
                self.filter.take(&Edge { before: reading(shown - 1), after: reading(shown) }, &gap);
                shown
            }
            None => {
                self.filter.break_chain();
                first.min(self.recent.len() - 1)
            }
        };
        let Picture { index, taken, .. } = self.recent[shown];
        let (pose, is_first) = (spawned.pose, spawned.first_of_game);
        let is_measured = self.gravity_frames(level) > DOWN_FRAMES;
        let (height, spawn_row) = (f64::from(pose.y), i64::from(pose.y));
        self.track = Some(Track { pose, height, index, taken, is_measured, spawn_row, has_fallen: false, is_first });
        for later in shown + 1..self.recent.len() {
            self.follow(later, &spawned.board, pose, level);
        }
    }

    /// From the row in which the last piece came to rest to the next piece.
    fn entry_gap(&mut self, level: u8) -> Gap {
        let (track, locked) = (self.track.take(), self.locked.take());
        let landed = locked.zip(track).filter(|(locked, track)| {
            locked.lines == 0 && (track.height - f64::from(locked.pose.y)).abs() < 0.5 && track.has_fallen
        });
        match landed.and_then(|(locked, _)| self.rules.entry_frames(locked.pose.y)) {
            Some(entry) => {
                let gravity = self.gravity_frames(level);
                let by_down = if gravity > DOWN_FRAMES { LOCK_BY_DOWN } else { 0.0 };
                let likely = [(entry + gravity, LOCK_BY_GRAVITY), (entry + DOWN_FRAMES, by_down)];
                Gap { likely }
            }
            None => Gap::default(),
        }
    }

    fn gravity_frames(&self, level: u8) -> u32 {
        (self.rules.row_ms(level) / self.rules.frame_ms()).round() as u32
    }

    /// From one row to the next, or from the spawn over this many `rows`.
    fn step_gap(&self, track: &Track, rows: u32, level: u8) -> Gap {
        let gravity = self.gravity_frames(level);
        let likely = match (track.has_fallen, track.is_first) {
            // It hung for a while.
            (false, true) => return Gap::default(),
            (false, false) => [(rows * gravity, FIRST_BY_GRAVITY), (0, 0.0)],
            (true, _) if gravity <= DOWN_FRAMES => [(gravity, BY_GRAVITY + BY_DOWN), (0, 0.0)],
            (true, _) => [(gravity, BY_GRAVITY), (DOWN_FRAMES, BY_DOWN)],
        };
        Gap { likely }
    }

    /// Measures how far the piece has fallen in a picture remembered.
    fn follow(&mut self, number: usize, pile: &Board, believed: Pose, level: u8) {
        let Some(track) = self.track else { return };
        let picture = &self.recent[number];
        if picture.index <= track.index {
            return;
        }
        let ways = [believed, track.pose];
        let measured = ways.iter().filter_map(|way| measure(&picture.grid, pile, *way, track.height));
        let best = measured.min_by(|a, b| a.off.total_cmp(&b.off)).filter(|best| best.off < MOST_OFF);
        let Some(Measured { pose, height, .. }) = best else { return };
        if height < track.height - RISE_MAX {
            return;
        }
        let Picture { index, taken, .. } = *picture;
        self.track = Some(Track { pose, height, index, taken, is_measured: true, ..track });
        if !track.is_measured {
            return;
        }
        for row in track.height.floor() as i64..=height.floor() as i64 {
            let share = |height: f64| (height - row as f64).clamp(0.0, 1.0);
            if share(track.height) < 0.5 && share(height) >= 0.5 {
                let reading = |taken, height| Reading { taken, share: share(height), sigma: STEP_SIGMA };
                let edge = Edge { before: reading(track.taken, track.height), after: reading(taken, height) };
                let rows = (row + 1 - track.spawn_row).clamp(1, i64::from(ROWS_MAX)) as u32;
                let gap = self.track.map_or(Gap::default(), |track| self.step_gap(&track, rows, level));
                self.filter.take(&edge, &gap);
                self.track = self.track.map(|track| Track { has_fallen: true, ..track });
            }
        }
    }
}

/// Where a piece was found.
struct Measured {
    pose: Pose,
    height: f64,
    /// By how much the worst cell differs.
    off: f32,
}

/// How far the piece has fallen in its column, and as it is turned, in a picture.
fn measure(grid: &CellGrid, pile: &Board, way: Pose, near: f64) -> Option<Measured> {
    let top = near.floor() as i8;
    let found = (top - 1..=top + ROWS_MAX).filter_map(|y| measure_at(grid, pile, Pose { y, ..way }));
    found.min_by(|a, b| a.off.total_cmp(&b.off))
}

/// How far the piece has fallen from `upper` to the row below.
fn measure_at(grid: &CellGrid, pile: &Board, upper: Pose) -> Option<Measured> {
    let lower = upper.moved(0, 1);
    let fits = (upper.fits(pile), lower.fits(pile));
    let (above, below) = (visible(upper), visible(lower));
    let come = mean(below.iter().filter(|c| !above.contains(c)).map(|&c| share(grid, c)));
    let gone = 1.0 - mean(above.iter().filter(|c| !below.contains(c)).map(|&c| share(grid, c)));
    let fallen = match fits {
        (false, _) => return None,
        (true, true) => (come + gone) / 2.0,
        (true, false) => 0.0,
    };
    // Beside the piece there is nothing but the pile.
    let mut off = 0f32;
    for y in 0..grid.rows() {
        for x in 0..grid.columns() {
            let cell = (x as i8, y as i8);
            let (is_above, is_below) = (above.contains(&cell), below.contains(&cell));
            if pile.is_full(x, y) {
                continue;
            }
            let expected = match (is_above, is_below) {
                (true, true) => 1.0,
                (true, false) => 1.0 - fallen,
                (false, true) if fits.1 => fallen,
                (false, _) => 0.0,
            };
            off = off.max((share(grid, cell) - expected).abs());
        }
    }
    Some(Measured { pose: upper, height: f64::from(upper.y) + f64::from(fallen), off })
}

/// The cells of a pose below the field's upper edge.
fn visible(pose: Pose) -> Vec<(i8, i8)> {
    pose.cells().into_iter().filter(|&(_, y)| y >= 0).collect()
}

fn share(grid: &CellGrid, (x, y): (i8, i8)) -> f32 {
    match (usize::try_from(x), usize::try_from(y)) {
        (Ok(x), Ok(y)) => share_of_time(grid.p_full(x, y)),
        _ => 0.0,
    }
}

/// 0 of nothing.
fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / count as f32 }
}
