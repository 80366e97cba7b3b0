//! When the console's frames begin, as the camera shows it: found from what changed between pictures, and nothing else.
//!
//! A change is in one picture and not in the one before, so a frame's boundary lies between the two. That alone says
//! little: between two pictures lie two boundaries or more. But changes come at frame distances that the game's rules tell
//! (gravity, soft drop, the way from a lock to the next piece), and camera and console beat slowly against each other; and
//! a change that falls into an exposure shows by the share of the time for which a cell was lit.
//!
//! A histogram filter over phase, rate and exposure; the frame of the last change, of those it may have been in, is a
//! fourth dimension, which ties each change to the next.

use super::picture_clock::Taken;
use crate::time::{ConsoleFrame, HostTime};

/// Bins over one frame.
const PHASES: usize = 48;
/// Bins of the console's rate against the host's clock, on each side of the nominal rate, and their width, millionths.
/// Crystals are off by up to 100 each; a recording's times follow the camera's crystal.
const RATES_ASIDE: i32 = 8;
const RATE_STEP: f64 = 40e-6;
/// How long the shutter may be open, as a share of the time from picture to picture.
const EXPOSURES: [f64; 5] = [0.06, 0.12, 0.25, 0.5, 1.0];
/// Frames in which one change may have been. With fewer pictures a second it says nothing.
const FRAMES_MAX: usize = 6;
/// A change may lie so much before the first or after the second of its pictures, ms: shares are measured roughly.
const SLACK_MS: f64 = 4.0;
/// Changes that follow each other within this time are misjudged alike, ms: the blocks, the phase, the light are the same.
/// Together they say no more than one.
const ALIKE_MS: f64 = 100.0;
const LEAST_NEWS: f64 = 0.3;
/// Resolution of the likelihoods' table, ms.
const TABLE_MS: f64 = 0.25;
/// A reading is grossly wrong in one of this many cases.
const MISREAD: f64 = 0.02;
/// How far consoles' rates lie from the nominal one (one standard deviation), millionths.
const RATE_SIGMA: f64 = 80e-6;
/// Weights are moved to a new epoch after this long, ms.
const EPOCH_MS: f64 = 4000.0;
/// With every new epoch so much is spread evenly: the console may have been switched off and on.
const FORGET: f32 = 1e-3;
/// With every new epoch so much of a rate's weight goes to each neighbour: crystals warm up.
const WANDER: f32 = 0.003;
/// Weights below this share of one bin's are not worth the time.
const NOTHING: f32 = 1e-9;
/// A clock less certain than this share of a frame is none: what repeats exactly can feign as much certainty as that.
const MOST_DOUBT: f64 = 0.2;
/// The claimed uncertainty covers this share of the weight.
const COVERED: f64 = 0.95;
/// What no statistics tells, ms: unequal tone curves, a screen's scan.
const FLOOR_MS: f64 = 0.5;

/// One picture's part in a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// When it was taken.
    pub taken: Taken,
    /// For which share of the exposure the new was seen, 0–1.
    pub share: f64,
    /// How far that may be off, one standard deviation.
    pub sigma: f64,
}

/// Something that happened on one frame of the console, not in the picture before and in the picture after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The last picture that showed it for less than half of the time.
    pub before: Reading,
    /// The first that showed it for at least half.
    pub after: Reading,
}

/// How many frames after the last change this one came, as far as the rules tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gap {
    /// Likely distances with their probabilities; whatever is missing to 1 is spread over all distances.
    pub likely: [(u32, f64); 2],
}

impl Gap {
    /// Distances over which the rest is spread.
    const SPREAD: f64 = 64.0;

    fn probability(&self, frames: i64) -> f64 {
        let known: f64 = self.likely.iter().map(|(_, p)| p).sum();
        let here: f64 = self.likely.iter().filter(|(gap, _)| i64::from(*gap) == frames).map(|(_, p)| p).sum();
        here + if frames > 0 { (1.0 - known) / Self::SPREAD } else { 0.0 }
    }
}

/// The console's frames in host time. A boundary is the time at which a picture would arrive that showed the frame for
/// half of its exposure: the poll of the frame lies before it by the calibration's `eye`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameClock {
    /// A boundary.
    pub origin: HostTime,
    /// The frame that begins there. Frames are counted from where the clock was first known; after a console was
    /// switched off the count goes on.
    pub frame: ConsoleFrame,
    /// How long a frame lasts on the host's clock, ms.
    pub frame_ms: f64,
    /// The boundaries around the origin are known to this much with 95 %, ms.
    pub phase_error_ms: f64,
    /// The rate is known to this much with 95 %, as a share.
    pub rate_error: f64,
}

impl GameClock {
    /// The frame at a host time, and how much of it has passed (0–1).
    pub fn frame_at(&self, time: HostTime) -> (ConsoleFrame, f64) {
        let frames = time.ms_since(self.origin) / self.frame_ms;
        (ConsoleFrame(self.frame.0 + frames.floor() as i64), frames - frames.floor())
    }

    /// The first boundary at or after a host time.
    pub fn boundary_after(&self, time: HostTime) -> HostTime {
        let frames = (time.ms_since(self.origin) / self.frame_ms).ceil();
        self.origin.plus_ms(frames * self.frame_ms)
    }

    /// The boundary nearest to a host time.
    pub fn boundary_near(&self, time: HostTime) -> HostTime {
        self.boundary_after(time.plus_ms(-self.frame_ms / 2.0))
    }

    /// How far a boundary about this time may be off (95 %), ms.
    pub fn uncertainty_ms(&self, time: HostTime) -> f64 {
        self.phase_error_ms + self.rate_error * time.ms_since(self.origin).abs()
    }

    /// Console frames a second of the host's clock.
    pub fn hz(&self) -> f64 {
        1000.0 / self.frame_ms
    }
}

type Frames = [f32; FRAMES_MAX];

/// The filter. See the module.
#[derive(Debug, Clone)]
pub struct ClockFilter {
    frame_ms: f64,
    /// Host time that phases count from, ms.
    epoch_ms: f64,
    /// For each exposure, rate and phase: the weight of each frame in which the last change may have been, counted from
    /// the first boundary after `last_from_ms`.
    weights: Vec<Frames>,
    /// Host time, ms; `None` before the first change and where the next is in no known distance.
    last_from_ms: Option<f64>,
    /// The same for the last change of all, in whatever distance the next is.
    heard_ms: Option<f64>,
    known: Option<GameClock>,
    /// The last clock that was known: its count of frames goes on.
    counted: Option<GameClock>,
}

impl ClockFilter {
    const RATES: usize = 2 * RATES_ASIDE as usize + 1;
    const CELLS: usize = EXPOSURES.len() * Self::RATES * PHASES;

    /// Nothing known about a console whose frames last about `frame_ms`.
    pub fn new(frame_ms: f64) -> Self {
        let mut weights = vec![[0.0; FRAMES_MAX]; Self::CELLS];
        weights.iter_mut().enumerate().for_each(|(cell, frames)| frames[0] = prior(cell));
        Self { frame_ms, epoch_ms: 0.0, weights, last_from_ms: None, heard_ms: None, known: None, counted: None }
    }

    /// The clock, if it is known well enough.
    pub fn clock(&self) -> Option<GameClock> {
        self.known
    }

    /// The next change will be in no known distance from the last.
    pub fn break_chain(&mut self) {
        self.last_from_ms = None;
        for frames in &mut self.weights {
            let total = frames.iter().sum();
            *frames = [0.0; FRAMES_MAX];
            frames[0] = total;
        }
    }

    /// Takes in a change that came `gap` after the last one.
    pub fn take(&mut self, edge: &Edge, gap: &Gap) {
        let (before, after) = (edge.before.taken, edge.after.taken);
        let width_ms = after.ms - before.ms + 2.0 * SLACK_MS;
        if width_ms > (FRAMES_MAX as f64 - 0.5) * self.frame_ms || after.period_ms <= 0.0 {
            return self.break_chain();
        }
        let away_ms = before.ms - self.epoch_ms;
        if !(0.0..EPOCH_MS).contains(&away_ms) {
            self.move_epoch(before.ms);
        }
        let from_ms = before.ms - SLACK_MS;
        let news = self.heard_ms.map_or(1.0, |last_ms| ((from_ms - last_ms) / ALIKE_MS).clamp(LEAST_NEWS, 1.0));
        for (number, share) in EXPOSURES.into_iter().enumerate() {
            let table = likelihoods(edge, news, from_ms, width_ms, share * after.period_ms);
            self.weigh(number, &table, from_ms, gap);
        }
        (self.last_from_ms, self.heard_ms) = (Some(from_ms), Some(from_ms));
        self.normalize();
        self.sum_up(after.ms);
    }

    /// Bayes' rule for all cells of one exposure.
    fn weigh(&mut self, exposure: usize, table: &[f32], from_ms: f64, gap: &Gap) {
        let (epoch_ms, frame_ms, last_from_ms) = (self.epoch_ms, self.frame_ms, self.last_from_ms);
        let cells = Self::RATES * PHASES;
        let weights = &mut self.weights[exposure * cells..(exposure + 1) * cells];
        for (cell, frames) in weights.iter_mut().enumerate() {
            let total: f32 = frames.iter().sum();
            if total < NOTHING {
                *frames = [0.0; FRAMES_MAX];
                continue;
            }
            let period_ms = frame_ms * (1.0 + rate(cell / PHASES));
            let phase_ms = phase(cell % PHASES) * frame_ms;
            let first_after = |ms: f64| ((ms - epoch_ms - phase_ms) / period_ms).ceil();
            let first = first_after(from_ms);
            let apart = last_from_ms.map(|last_ms| (first - first_after(last_ms)) as i64);
            let mut offset_ms = epoch_ms + phase_ms + first * period_ms - from_ms;
            let old = *frames;
            for (new, frame) in frames.iter_mut().enumerate() {
                let likelihood = table.get((offset_ms / TABLE_MS) as usize).copied().unwrap_or(0.0);
                let prior = match apart {
                    Some(apart) if likelihood > 0.0 => chained(&old, apart + new as i64, gap),
                    _ => total,
                };
                *frame = likelihood * prior;
                offset_ms += period_ms;
            }
        }
    }

    fn normalize(&mut self) {
        let total: f32 = self.weights.iter().flatten().sum();
        if total <= f32::MIN_POSITIVE {
            // Nothing explains what was seen: begin anew.
            *self = Self { counted: self.counted, epoch_ms: self.epoch_ms, ..Self::new(self.frame_ms) };
            return;
        }
        self.weights.iter_mut().flatten().for_each(|w| *w /= total);
    }

    /// Lets phases count from another time: each rate's weights move on by what it gains until then. Between bins the
    /// weight is shared, which also keeps the filter from being too sure.
    fn move_epoch(&mut self, to_ms: f64) {
        let frames_away = ((to_ms - self.epoch_ms) / self.frame_ms).round();
        self.epoch_ms += frames_away * self.frame_ms;
        for row in 0..EXPOSURES.len() * Self::RATES {
            let gained = frames_away * rate(row % Self::RATES) * PHASES as f64;
            let (whole, part) = (gained.floor(), (gained - gained.floor()) as f32);
            let old: Vec<Frames> = self.weights[row * PHASES..(row + 1) * PHASES].to_vec();
            for (phase, new) in self.weights[row * PHASES..(row + 1) * PHASES].iter_mut().enumerate() {
                let source = (phase as i64 - whole as i64).rem_euclid(PHASES as i64) as usize;
                let before = (source + PHASES - 1) % PHASES;
                for (frame, new) in new.iter_mut().enumerate() {
                    *new = (1.0 - part) * old[source][frame] + part * old[before][frame];
                }
            }
        }
        self.wander();
    }

    /// The rate may change, and the console may be another one.
    fn wander(&mut self) {
        let old = self.weights.clone();
        for (cell, frames) in self.weights.iter_mut().enumerate() {
            let row = cell / PHASES % Self::RATES;
            let slower = if row > 0 { cell - PHASES } else { cell };
            let faster = if row + 1 < Self::RATES { cell + PHASES } else { cell };
            for (frame, new) in frames.iter_mut().enumerate() {
                let moved = WANDER * (old[slower][frame] + old[faster][frame] - 2.0 * *new);
                *new = (*new + moved) * (1.0 - FORGET);
            }
            frames[0] += FORGET * prior(cell);
        }
    }

    /// What the weights say about the frames around `now_ms`.
    fn sum_up(&mut self, now_ms: f64) {
        let turn = std::f64::consts::TAU;
        let frames_away = (now_ms - self.epoch_ms) / self.frame_ms;
        let sums = self.weights.iter().enumerate().map(|(cell, frames)| {
            let rate = rate(cell / PHASES % Self::RATES);
            let weight = f64::from(frames.iter().sum::<f32>());
            (weight, phase(cell % PHASES) + frames_away.round() * rate, rate)
        });
        let cells: Vec<(f64, f64, f64)> = sums.filter(|(weight, ..)| *weight > 1e-8).collect();
        let along = |f: fn(f64) -> f64| cells.iter().map(|(w, phase, _)| w * f(phase * turn)).sum::<f64>();
        let mean = along(f64::sin).atan2(along(f64::cos)) / turn;
        let distances = cells.iter().map(|(weight, phase, _)| {
            let apart = (phase - mean).rem_euclid(1.0);
            (apart.min(1.0 - apart), *weight)
        });
        let doubt = covering(distances.collect());
        let rate = cells.iter().map(|(weight, _, rate)| weight * rate).sum::<f64>();
        let rate_error = covering(cells.iter().map(|(weight, _, r)| ((r - rate).abs(), *weight)).collect());
        if doubt > MOST_DOUBT {
            self.known = None;
            return;
        }
        let origin = HostTime::from_ms(self.epoch_ms + (mean + frames_away.round()) * self.frame_ms);
        let middle = origin.plus_ms(self.frame_ms / 2.0);
        let frame = self.counted.map_or(ConsoleFrame(0), |counted| counted.frame_at(middle).0);
        self.known = Some(GameClock {
            origin,
            frame,
            frame_ms: self.frame_ms * (1.0 + rate),
            phase_error_ms: doubt * self.frame_ms + FLOOR_MS,
            rate_error: rate_error + RATE_STEP / 2.0,
        });
        self.counted = self.known;
    }
}

/// The weight of a cell before anything is known.
fn prior(cell: usize) -> f32 {
    let relative = |row: usize| (-0.5 * (rate(row) / RATE_SIGMA).powi(2)).exp();
    let total: f64 = (0..ClockFilter::RATES).map(relative).sum();
    (relative(cell / PHASES % ClockFilter::RATES) / total) as f32 / (EXPOSURES.len() * PHASES) as f32
}

/// The weight of a change `apart` frames after the first frame in which the last one may have been.
fn chained(old: &Frames, apart: i64, gap: &Gap) -> f32 {
    let ways = old.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
    ways.map(|(last, weight)| weight * gap.probability(apart - last as i64) as f32).sum()
}

/// How likely an edge is for every boundary from `from_ms` on, in steps of [`TABLE_MS`].
fn likelihoods(edge: &Edge, news: f64, from_ms: f64, width_ms: f64, exposure_ms: f64) -> Vec<f32> {
    let steps = (width_ms / TABLE_MS) as usize + 1;
    let boundaries = (0..steps).map(|step| from_ms + (step as f64 + 0.5) * TABLE_MS);
    let both = |ms: f64| seen(&edge.before, ms, exposure_ms) * seen(&edge.after, ms, exposure_ms);
    boundaries.map(|ms| both(ms).powf(news) as f32).collect()
}

/// How likely a reading is if the boundary is at `boundary_ms`. The picture's own time is not exact.
fn seen(reading: &Reading, boundary_ms: f64, exposure_ms: f64) -> f64 {
    /// Deviations and weights of a normal distribution in five steps.
    const NORMAL: [(f64, f64); 5] = [(-1.7, 0.1), (-0.8, 0.24), (0.0, 0.32), (0.8, 0.24), (1.7, 0.1)];
    let likelihood = NORMAL.map(|(deviations, weight)| {
        let late_ms = reading.taken.ms + deviations * reading.taken.sigma_ms - boundary_ms;
        let share = (late_ms / exposure_ms + 0.5).clamp(0.0, 1.0);
        let off = (reading.share - share) / reading.sigma;
        weight * (-0.5 * off * off).exp()
    });
    MISREAD + (1.0 - MISREAD) * likelihood.iter().sum::<f64>()
}

/// The distance within which [`COVERED`] of the weight lies.
fn covering(mut distances: Vec<(f64, f64)>) -> f64 {
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = distances.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let reached = distances.iter().find(|(_, weight)| {
        sum += weight;
        sum >= COVERED * total
    });
    reached.map_or(f64::INFINITY, |(distance, _)| *distance)
}

/// The middle of a phase's bin, frames.
fn phase(bin: usize) -> f64 {
    (bin as f64 + 0.5) / PHASES as f64
}

/// How much longer than nominal a frame is, as a share.
fn rate(bin: usize) -> f64 {
    f64::from(bin as i32 - RATES_ASIDE) * RATE_STEP
}
