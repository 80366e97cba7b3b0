//! The modern game's machine with what such games like to show of a lock down: blocks that flash and turn grey, rows that blink
//! before they vanish, a field that shakes.

use super::exact::Dice;
use crate::game::guideline::{Event, Machine, SKYLINE};
use crate::game::{Board, Buttons};

/// The bounds at strength 1.
mod bound {
    /// How long blocks flash that have locked, and rows that are cleared, frames: as long as no piece falls.
    pub const FLASH_FRAMES: f64 = 12.0;
    /// How far the field shakes, console pixels of 8 a cell, and for how long, frames.
    pub const SHAKE_PX: f64 = 4.0;
    pub const SHAKE_FRAMES: f64 = 10.0;
}

/// What of it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manner {
    flash_frames: u64,
    shake_px: f64,
    shake_frames: u64,
    /// Blocks of the pile are grey.
    pub is_grey: bool,
}

impl Manner {
    /// Of this strength, 0–1.
    pub fn new(strength: f64, dice: &mut Dice) -> Self {
        Self {
            flash_frames: (strength * bound::FLASH_FRAMES).ceil() as u64,
            shake_px: strength * bound::SHAKE_PX,
            shake_frames: (strength * bound::SHAKE_FRAMES).ceil() as u64,
            is_grey: dice.bits().is_multiple_of(2),
        }
    }
}

/// A lock down that can still be seen.
#[derive(Debug, Clone)]
struct Landing {
    /// Frames since then.
    frames: u64,
    /// The pile with the piece, before rows vanish.
    pile: Board,
    cells: [(i8, i8); 4],
}

/// The machine.
pub struct Lively {
    /// With the game on it.
    pub machine: Machine,
    landing: Option<Landing>,
}

/// What is shown of a lock down in a frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// The pile is another than the game's: rows that are full blink before they vanish.
    pub pile: Option<Board>,
    /// Cells that are white, column and row.
    pub white: Vec<(i8, i8)>,
    /// Where the field is drawn, console pixels from its place.
    pub shift_px: [i8; 2],
}

impl Lively {
    /// This machine.
    pub fn new(machine: Machine) -> Self {
        Self { machine, landing: None }
    }

    /// One frame with these buttons held: what happened.
    pub fn frame(&mut self, held: Buttons) -> Vec<Event> {
        let before = self.machine.game().matrix();
        let events = self.machine.frame(held);
        self.landing.iter_mut().for_each(|landing| landing.frames += 1);
        for event in &events {
            if let Event::Locked { pose, .. } = event {
                let pose = pose.moved(0, -(SKYLINE as i8));
                let mut pile = before;
                pose.stamp(&mut pile);
                self.landing = Some(Landing { frames: 0, pile, cells: pose.cells() });
            }
        }
        events
    }

    /// What is shown of the last lock down.
    pub fn shown(&self, manner: Manner) -> Shown {
        let Some(landing) = &self.landing else { return Shown::default() };
        let mut shown = Shown { shift_px: shift_px(landing.frames, manner), ..Shown::default() };
        if landing.frames >= manner.flash_frames || self.machine.game().falling().is_some() {
            return shown;
        }
        let pile = landing.pile;
        let full: Vec<i8> = (0..pile.height()).filter(|y| pile.row(*y) == pile.full_row()).map(|y| y as i8).collect();
        // Two frames white, two as they were; what only locked shines once.
        let is_white = (landing.frames / 2).is_multiple_of(2);
        if full.is_empty() {
            shown.white.extend(landing.cells.iter().filter(|_| landing.frames < 4));
        } else {
            shown.pile = Some(pile);
            let cells = full.iter().flat_map(|y| (0..pile.width() as i8).map(move |x| (x, *y)));
            shown.white.extend(cells.filter(|_| is_white));
        }
        shown
    }
}

/// Down at first, then to and fro, ever less.
fn shift_px(frames: u64, manner: Manner) -> [i8; 2] {
    let left = manner.shake_frames.saturating_sub(frames) as f64 / manner.shake_frames.max(1) as f64;
    let swing = manner.shake_px * left * if (frames / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    [if frames % 4 < 2 { 0 } else { (swing / 2.0).round() as i8 }, swing.round() as i8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::guideline::Settings;

    #[test]
    fn a_lock_down_flashes_and_shakes_for_some_frames_and_then_the_field_is_as_it_was() {
        let mut lively = Lively::new(Machine::new(Settings::default(), 1));
        let manner = Manner::new(1.0, &mut Dice::new(1));
        lively.frame(Buttons::START);
        lively.frame(Buttons::NONE);
        assert_eq!(lively.shown(manner), Shown::default());
        lively.frame(Buttons::UP);
        let shown = lively.shown(manner);
        assert_eq!((shown.white.len(), shown.shift_px, &shown.pile), (4, [0, 4], &None));
        (0..10).for_each(|_| drop(lively.frame(Buttons::NONE)));
        assert_eq!(lively.shown(manner), Shown::default());
    }

    #[test]
    fn rows_that_are_cleared_stand_and_blink_until_the_next_piece_comes() {
        let start = Board::parse(&["#########."; 4]).unwrap();
        let settings = Settings::default();
        // An I that stands upright in the last column is found by trying seeds.
        let machine = (0..50)
            .map(|seed| Machine::on(start, settings, seed))
            .find(|machine| machine.game().coming().next() == Some(crate::game::Piece::I));
        let mut lively = Lively::new(machine.unwrap());
        let manner = Manner::new(1.0, &mut Dice::new(1));
        lively.frame(Buttons::START);
        lively.frame(Buttons::NONE);
        lively.frame(Buttons::A);
        for _ in 0..6 {
            lively.frame(Buttons::RIGHT);
            lively.frame(Buttons::NONE);
        }
        lively.frame(Buttons::UP);
        assert_eq!(lively.machine.game().lines(), 4);
        let shown = lively.shown(manner);
        assert_eq!((shown.pile.unwrap().count(), shown.white.len()), (40, 40));
        (0..2).for_each(|_| drop(lively.frame(Buttons::NONE)));
        let shown = lively.shown(manner);
        assert_eq!((shown.pile.unwrap().count(), shown.white.len()), (40, 0));
        (0..12).for_each(|_| drop(lively.frame(Buttons::NONE)));
        assert_eq!(lively.shown(manner), Shown::default());
    }
}
