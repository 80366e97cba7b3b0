//! The next piece, before it appears: the pile that it will find, and the frame on which it will come.

use super::appearance::Appearance;
use super::falling::{Falling, Landing};
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::rules::{ClearDelay, Rules};
use crate::game::{Board, Counters, Piece};

/// How far the frame counter is believed once it was learned: the clock may have slipped a frame.
const DOUBT: f64 = 0.01;

/// What the next piece will find.
#[derive(Debug, Clone, PartialEq)]
pub struct Foretold {
    /// The next piece.
    pub piece: Piece,
    /// The pile under it.
    pub board: Board,
    /// The level by then.
    pub level: u8,
    /// The frames on which it may appear.
    pub appearance: Appearance,
}

/// What was planned for a piece before it appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreseen {
    /// The piece.
    pub piece: Piece,
    /// The pile that it should find.
    pub board: Board,
    /// Where it shall lock.
    pub pose: Pose,
}

/// On which of the console's frames, modulo [`ClearDelay::step`], pieces appear that follow full rows: the animation goes by
/// the console's own counter, which is learned from when they did. Nothing is known at first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClearPhase(Vec<f64>);

impl ClearPhase {
    /// A piece that followed full rows has appeared on one of these frames.
    pub fn learn(&mut self, appearance: &Appearance, rules: &Rules) {
        let Some(ClearDelay { step, .. }) = rules.clear_delay().filter(|_| appearance.is_known()) else { return };
        let mut seen = vec![0.0; step as usize];
        appearance.frames().iter().for_each(|&(frame, weight)| seen[residue(frame, step)] += weight);
        self.0.resize(step as usize, 1.0 / f64::from(step));
        self.0.iter_mut().zip(seen).for_each(|(known, seen)| *known = *known * seen + DOUBT * seen + DOUBT * DOUBT);
        let total: f64 = self.0.iter().sum();
        self.0.iter_mut().for_each(|known| *known /= total);
    }

    /// When a piece appears after such a landing; nothing known where the game's entry delay is not.
    pub fn after(&self, landing: &Landing, lines: usize, rules: &Rules) -> Appearance {
        let Some(entry) = rules.entry_frames(landing.pose.y) else { return Appearance::default() };
        let ClearDelay { frames: delays, step } = match (lines, rules.clear_delay()) {
            (0, _) => ClearDelay { frames: 0..=0, step: 1 },
            (_, Some(delay)) => delay,
            (_, None) => return Appearance::default(),
        };
        let likely = |frame| self.0.get(residue(frame, step)).copied().unwrap_or(1.0 / f64::from(step));
        let cases = landing.frames.iter().flat_map(|&(locks, weight)| {
            delays.clone().map(move |delay| {
                let frame = locks + i64::from(entry + delay);
                (frame, weight * if lines == 0 { 1.0 } else { likely(frame) })
            })
        });
        Appearance::of(cases).likely()
    }
}

fn residue(frame: i64, step: u32) -> usize {
    frame.rem_euclid(i64::from(step)) as usize
}

impl Foretold {
    /// After the falling piece lands like this; `None` if the next piece is not known or will not fit, or nobody knows
    /// when it comes.
    pub fn after(
        falling: &Falling,
        landing: &Landing,
        clears: &ClearPhase,
        counters: Counters,
        rules: &Rules,
    ) -> Option<Self> {
        let piece = falling.spawned.next?;
        let (board, lines) = place(&falling.spawned.board, landing.pose);
        let appearance = clears.after(landing, lines, rules);
        let level = rules.counted(counters, lines).level;
        appearance.is_known().then_some(Self { piece, board, level, appearance })
    }
}
