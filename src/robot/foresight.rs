//! The next piece, before it appears: the pile that it will find, and the frame on which it will come.

use super::appearance::Appearance;
use super::falling::{Falling, Landing};
use crate::game::movement::place;
use crate::game::nes::entry::CLEAR_STEP;
use crate::game::nes::score::Counters;
use crate::game::orientation::Pose;
use crate::game::rules::Rules;
use crate::game::{Board, Piece};

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

/// On which of the console's frames, modulo [`CLEAR_STEP`], pieces appear that follow full rows: the animation goes by the
/// console's own counter, which is learned from when they did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClearPhase([f64; CLEAR_STEP as usize]);

impl Default for ClearPhase {
    fn default() -> Self {
        Self([1.0 / f64::from(CLEAR_STEP); CLEAR_STEP as usize])
    }
}

impl ClearPhase {
    /// A piece that followed full rows has appeared on one of these frames.
    pub fn learn(&mut self, appearance: &Appearance) {
        if !appearance.is_known() {
            return;
        }
        let mut seen = [0.0; CLEAR_STEP as usize];
        appearance.frames().iter().for_each(|&(frame, weight)| seen[residue(frame)] += weight);
        self.0.iter_mut().zip(seen).for_each(|(known, seen)| *known = *known * seen + DOUBT * seen + DOUBT * DOUBT);
        let total: f64 = self.0.iter().sum();
        self.0.iter_mut().for_each(|known| *known /= total);
    }

    /// When a piece appears after such a landing; nothing known where the game's entry delay is not.
    pub fn after(&self, landing: &Landing, lines: usize, rules: &Rules) -> Appearance {
        let Some(entry) = rules.entry_frames(landing.pose.y) else { return Appearance::default() };
        let delays = match (lines, rules.clear_frames()) {
            (0, _) => 0..=0,
            (_, Some(delays)) => delays,
            (_, None) => return Appearance::default(),
        };
        let cases = landing.frames.iter().flat_map(|&(locks, weight)| {
            delays.clone().map(move |delay| {
                let frame = locks + i64::from(entry + delay);
                let likely = if lines == 0 { 1.0 } else { self.0[residue(frame)] };
                (frame, weight * likely)
            })
        });
        Appearance::of(cases).likely()
    }
}

fn residue(frame: i64) -> usize {
    frame.rem_euclid(i64::from(CLEAR_STEP)) as usize
}

impl Foretold {
    /// After the falling piece lands like this; `None` if the next piece is not known or will not fit, or nobody knows
    /// when it comes.
    pub fn after(
        falling: &Falling,
        landing: &Landing,
        clears: &ClearPhase,
        mut counters: Counters,
        rules: &Rules,
    ) -> Option<Self> {
        let piece = falling.spawned.next?;
        let (board, lines) = place(&falling.spawned.board, landing.pose);
        let appearance = clears.after(landing, lines, rules);
        counters.lock(lines, 0);
        appearance.is_known().then_some(Self { piece, board, level: counters.level, appearance })
    }
}
