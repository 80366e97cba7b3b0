//! From a pose back to the start: which buttons, frame by frame, lead to a lock that [`Holds`] or [`Taps`] promise.
//!
//! Both play once more, remember every frame, and then ask from the end which of the remembered states the next one came
//! from; one that changes nothing is preferred, so that everything is pressed as early as it can be.

use super::field::LANE;
use super::slots::{DOWN, DROPPED, FREE, LEFT, MAX_SLOTS, RIGHT, Slots, count};
use super::{Holds, Taps};
use crate::game::Buttons;
use crate::game::orientation::Pose;

/// What a turn does to a pose's lane.
const TURNS: [(Buttons, i32); 2] = [(Buttons::A, LANE as i32), (Buttons::B, -(LANE as i32))];
/// What a direction does to a pose's column.
const SIDES: [(Buttons, i32); 3] = [(Buttons::NONE, 0), (Buttons::LEFT, -1), (Buttons::RIGHT, 1)];

/// The pose this many bits further, around the end as turns need it.
fn moved(bit: u32, by: i32) -> u32 {
    (bit as i32 + by).rem_euclid(64) as u32
}

fn has(word: u64, bit: u32) -> bool {
    word >> bit & 1 == 1
}

impl Taps {
    /// The buttons held in each frame until the piece locks in `pose`; `None` if taps cannot do that.
    pub fn way(&self, pose: Pose) -> Option<Vec<Buttons>> {
        let (_, mut bit) = self.field.bit(pose).filter(|&(row, bit)| has(self.locked[row], bit))?;
        let free = self.free_by_frame();
        let frames = self.frames_to_lock(pose);
        let mut way = vec![Buttons::NONE; frames];
        let (period, mut frame) = (self.hand.period(), frames);
        loop {
            while frame > 0 && has(free[frame - 1], bit) {
                frame -= 1;
            }
            // Before the first free frame nothing was pressed.
            if free[..frame].iter().all(|&word| word == 0) {
                return Some(way);
            }
            // Only the last tap may still be under way when the piece locks.
            let latest = if frame == frames { frame - 1 } else { frame.checked_sub(period)? };
            let earliest = frame.saturating_sub(period);
            let tap = (earliest..=latest).find_map(|pressed| self.tap(free[pressed], pressed..frame, frames, bit));
            let (pressed, buttons, from) = tap?;
            way[pressed..frames.min(pressed + self.hand.press())].fill(buttons);
            (frame, bit) = (pressed, from);
        }
    }

    /// The tap that takes one of the `free` poses to `bit` in these frames: its first frame, the buttons, and the pose.
    fn tap(&self, free: u64, played: std::ops::Range<usize>, frames: usize, bit: u32) -> Option<(usize, Buttons, u32)> {
        let turns = [(Buttons::NONE, 0), TURNS[0], TURNS[1]];
        let taps = SIDES.into_iter().flat_map(|side| turns.map(|turn| (side, turn)));
        taps.skip(1).find_map(|((side, column), (turn, lane))| {
            let from = moved(bit, -column - lane);
            let lands = has(free, from) && self.play(from, column, lane, played.clone(), frames) == Some(bit);
            lands.then_some((played.start, side | turn, from))
        })
    }

    /// Where a tap takes a pose in these frames; `None` if the piece locks before they end, or cannot turn.
    fn play(&self, mut bit: u32, column: i32, lane: i32, played: std::ops::Range<usize>, frames: usize) -> Option<u32> {
        let mut wanted = column != 0;
        for frame in played.clone() {
            let row = self.row_in(frame);
            let here = self.field.fits[row];
            if wanted && frame - played.start < self.hand.press() && has(here, moved(bit, column)) {
                bit = moved(bit, column);
                wanted = false;
            }
            if frame == played.start && lane != 0 {
                bit = moved(bit, lane);
                if !has(here, bit) {
                    return None;
                }
            }
            let mut fallen = row + 1..=self.row_in(frame + 1);
            if frame + 1 < frames && fallen.any(|row| !has(self.field.fits[row], bit)) {
                return None;
            }
        }
        (!wanted).then_some(bit)
    }

    /// The row in which the piece begins a frame.
    fn row_in(&self, frame: usize) -> usize {
        let frames_per_row = usize::from(self.pace.frames_per_row).max(1);
        let falls = (frame + frames_per_row).saturating_sub(self.pace.first_fall(&self.start)) / frames_per_row;
        self.start.pose.y as usize + falls * usize::from(self.pace.rows_at_once)
    }
}

/// All states before one frame: the words of the slots, phase by phase.
struct Cell {
    row: usize,
    /// Frames until the next fall.
    left: usize,
    words: Vec<u64>,
    /// Words a phase.
    stride: usize,
}

/// One state: a pose, what the pad thumb does, and when the turning thumb may press.
#[derive(Clone, Copy)]
struct State {
    phase: usize,
    slot: usize,
    bit: u32,
}

impl Holds {
    /// The buttons held in each frame until the piece locks in `pose`; `None` if this hand cannot do that.
    pub fn way(&self, pose: Pose) -> Option<Vec<Buttons>> {
        let (row, bit) = self.field.bit(pose).filter(|&(row, bit)| has(self.locked[row], bit))?;
        let cells = self.cells();
        let (mut cell, mut state, buttons) = self.lock_in(&cells, row, bit)?;
        let mut way = vec![buttons];
        while cell > 0 {
            let (before, from, buttons) = self.before(&cells, cell, state)?;
            way.push(buttons);
            (cell, state) = (before, from);
        }
        way.reverse();
        Some(self.turns_held(way))
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        let (mut again, period) = (self.clone(), self.hand.period());
        again.run(None, |row, left, words, stride| {
            cells.push(Cell { row, left, words: words[..period * stride].to_vec(), stride });
        });
        cells
    }

    fn slots(&self) -> Slots {
        Slots::of(self.hand.press(), self.hand.gap(), self.pace)
    }

    /// A turn's button, which so far stands in the frame of its press alone, is held as long as a press takes.
    fn turns_held(&self, way: Vec<Buttons>) -> Vec<Buttons> {
        let turns = Buttons::A | Buttons::B;
        let mut held = way.clone();
        for (frame, buttons) in way.iter().enumerate() {
            let turn = Buttons(buttons.0 & turns.0);
            held.iter_mut().skip(frame).take(self.hand.press()).for_each(|held| *held |= turn);
        }
        held
    }

    /// The first frame in which the piece can lock there, and the state before it.
    fn lock_in(&self, cells: &[Cell], row: usize, bit: u32) -> Option<(usize, State, Buttons)> {
        cells.iter().enumerate().filter(|(_, cell)| cell.row == row).find_map(|(index, cell)| {
            let slots =
                (0..count(self.hand.press(), self.hand.gap())).filter(|&slot| cell.left == 1 || self.drops(slot));
            slots.flat_map(|slot| (0..self.hand.period()).map(move |phase| State { phase, slot, bit })).find_map(
                |state| {
                    let (from, buttons) = self.made_by(cell, state)?;
                    Some((index, from, buttons))
                },
            )
        })
    }

    /// The frame before frame `index` began with `state`, the state it began with, and its buttons.
    fn before(&self, cells: &[Cell], index: usize, state: State) -> Option<(usize, State, Buttons)> {
        let row = cells[index].row;
        if cells[index - 1].row == row {
            let (from, buttons) = self.made_by(&cells[index - 1], state)?;
            return Some((index - 1, from, buttons));
        }
        let above = cells[..index].iter().enumerate().filter(|(_, cell)| cell.row + 1 == row);
        let fallen = if state.slot == DOWN { &[DROPPED, DOWN][..] } else { &[state.slot][..] };
        above.flat_map(|above| fallen.iter().map(move |&slot| (above, slot))).find_map(|((index, cell), slot)| {
            if cell.left > 1 && !self.drops(slot) {
                return None;
            }
            let (from, buttons) = self.made_by(cell, State { slot, ..state })?;
            Some((index, from, buttons))
        })
    }

    /// Whether Down makes the piece fall in this slot.
    fn drops(&self, slot: usize) -> bool {
        slot == DROPPED || self.hand.press() > 3 && slot == self.slots().down_slot(3)
    }

    /// A state of the cell that a frame turns into `state`, before the fall; a turn's button only in the frame of its press.
    fn made_by(&self, cell: &Cell, state: State) -> Option<(State, Buttons)> {
        let held = self.held_in(state.slot);
        let last = self.hand.period() - 1;
        let here = self.field.fits[cell.row];
        if state.phase == last {
            return TURNS.into_iter().filter(|_| has(here, state.bit)).find_map(|(button, lane)| {
                let unturned = State { bit: moved(state.bit, -lane), ..state };
                let from = self.shifted_by(cell, State { phase: 0, ..unturned }, 0)?;
                Some((from, held | button))
            });
        }
        let phases = if state.phase == 0 { &[0, 1][..] } else { &[state.phase + 1][..] };
        phases.iter().find_map(|&phase| Some((self.shifted_by(cell, state, phase)?, held)))
    }

    /// A state of the cell in this phase from which the pad thumb leads to `state`.
    fn shifted_by(&self, cell: &Cell, state: State, phase: usize) -> Option<State> {
        let here = self.field.fits[cell.row];
        let same_first = std::iter::once(state.slot).chain(0..count(self.hand.press(), self.hand.gap()));
        same_first.flat_map(|slot| [0, -1, 1].map(|column| (slot, moved(state.bit, column)))).find_map(|(slot, bit)| {
            if !has(cell.words[phase * cell.stride + slot], bit) {
                return None;
            }
            let (mut from, mut to) = ([0; MAX_SLOTS], [0; MAX_SLOTS]);
            from[slot] = 1 << bit;
            self.slots().pad(&from, &mut to, here);
            has(to[state.slot], state.bit).then_some(State { phase, slot, bit })
        })
    }

    /// What the pad thumb holds in a frame that ends in this slot.
    fn held_in(&self, slot: usize) -> Buttons {
        let young = count(self.hand.press(), self.hand.gap()) - (self.hand.press() - 1);
        match slot {
            LEFT..RIGHT => Buttons::LEFT,
            RIGHT..DOWN => Buttons::RIGHT,
            DOWN..FREE => Buttons::DOWN,
            slot if slot <= FREE + self.hand.gap() => Buttons::NONE,
            slot if slot < self.slots().side_slot(RIGHT, 1, 0) => Buttons::LEFT,
            slot if slot < young => Buttons::RIGHT,
            _ => Buttons::DOWN,
        }
    }
}
