//! The slow truth about what a hand can reach: a breadth-first search over the console's own variables and the two thumbs.

#![allow(dead_code)]

use stackhand::game::Buttons;
use stackhand::game::nes::{Control, Region};
use stackhand::game::orientation::Pose;
use stackhand::game::{Board, Piece};
use stackhand::planner::timed::{Hand, Style};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Splitmix64: the boards only have to differ, and to be the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A pile of `heights` rows at random, sparse or dense, some with a tidy surface and overhangs.
    pub fn board(&mut self, heights: std::ops::Range<u64>) -> Board {
        let height = heights.start + self.below(heights.end - heights.start);
        let mut board = Board::default();
        let kind = self.below(4);
        let surface: [u64; 10] = std::array::from_fn(|_| height.saturating_sub(self.below(5)));
        for above_floor in 0..height {
            let bits = match kind {
                0 => self.next() & self.next(),
                1 => self.next() | self.next(),
                2 => self.next() | self.next() | self.next(),
                _ => {
                    let pile = (0..10).filter(|&x| above_floor < surface[x]).fold(0u64, |row, x| row | 1 << x);
                    pile & !(1 << self.below(10))
                }
            };
            board.set_row(19 - above_floor as usize, bits as u16);
        }
        board
    }

    pub fn piece(&mut self) -> Piece {
        Piece::from_index(self.below(7) as usize)
    }
}

/// One thumb: what it holds and for how long, or for how long it has rested.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Thumb {
    holds: Buttons,
    frames: u8,
}

impl Thumb {
    /// At the start: everything has lasted for long enough.
    fn at_start(held: Buttons) -> Self {
        Self { holds: held, frames: u8::MAX }
    }

    /// What it may do in the next frame.
    fn choices(self, hand: Hand, buttons: &[Buttons]) -> Vec<Buttons> {
        if self.holds == Buttons::NONE {
            let rested = usize::from(self.frames) >= hand.gap();
            return std::iter::once(Buttons::NONE).chain(buttons.iter().copied().filter(|_| rested)).collect();
        }
        let mut choices = vec![];
        if buttons.contains(&self.holds) {
            choices.push(self.holds);
        }
        if usize::from(self.frames) >= hand.press() {
            choices.push(Buttons::NONE);
        }
        choices
    }

    fn after(self, choice: Buttons, hand: Hand) -> Self {
        let frames = if choice == self.holds { self.frames.saturating_add(1) } else { 1 };
        let enough = if choice == Buttons::NONE { hand.gap() } else { hand.press() };
        Self { holds: choice, frames: frames.min(enough as u8) }
    }
}

/// The standard hasher is made for strangers' keys; these are our own, and millions.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Every pose in which the piece can lock, found by trying everything.
pub fn slow_locks(
    board: &Board,
    start: &Control,
    region: Region,
    level: u8,
    hand: Hand,
    style: Style,
) -> BTreeSet<Pose> {
    let mut locks = BTreeSet::new();
    if !start.pose.fits(board) {
        return locks;
    }
    let pad = Thumb::at_start(Buttons(start.held.0 & 0x0F));
    let turn = Thumb::at_start(Buttons(start.held.0 & 0xC0));
    let mut seen: HashSet<(u64, u64), BuildHasherDefault<Mix>> = HashSet::default();
    let mut stack = vec![(*start, pad, turn)];
    while let Some((control, pad, turn)) = stack.pop() {
        for buttons in moves(pad, turn, hand, style) {
            // Holds promises nothing that begins with Down while the first piece hangs.
            if control.autorepeat_y < 0 && buttons.intersects(Buttons::DOWN) {
                continue;
            }
            let mut control = control;
            if control.frame_in(region, level, buttons, |pose| pose.fits(board)) {
                locks.insert(control.pose);
                continue;
            }
            control.hold_down_points = 0;
            let next =
                (control, pad.after(Buttons(buttons.0 & 0x0F), hand), turn.after(Buttons(buttons.0 & 0xC0), hand));
            if seen.insert(key(&next)) {
                stack.push(next);
            }
        }
    }
    locks
}

fn moves(pad: Thumb, turn: Thumb, hand: Hand, style: Style) -> Vec<Buttons> {
    let (pads, turns) = match style {
        Style::Holds => {
            let pads = pad.choices(hand, &[Buttons::LEFT, Buttons::RIGHT, Buttons::DOWN]);
            (pads, turn.choices(hand, &[Buttons::A, Buttons::B]))
        }
        Style::Taps => {
            // Both thumbs press together, never longer than they must, and what was held at the start is let go.
            let rested = |thumb: Thumb| thumb.holds == Buttons::NONE && usize::from(thumb.frames) >= hand.gap();
            let young = |thumb: &Thumb| thumb.holds != Buttons::NONE && usize::from(thumb.frames) < hand.press();
            if !(rested(pad) && rested(turn)) {
                let held = [pad, turn].iter().filter(|t| young(t)).fold(Buttons::NONE, |all, t| all | t.holds);
                return vec![held];
            }
            let pads = pad.choices(hand, &[Buttons::LEFT, Buttons::RIGHT]);
            (pads, turn.choices(hand, &[Buttons::A, Buttons::B]))
        }
    };
    pads.iter().flat_map(|&pad| turns.iter().map(move |&turn| pad | turn)).collect()
}

fn key((control, pad, turn): &(Control, Thumb, Thumb)) -> (u64, u64) {
    let Control { pose, autorepeat_x, autorepeat_y, fall_timer, held, .. } = *control;
    let bytes =
        [pose.x as u8, pose.y as u8, pose.orientation.id(), autorepeat_x, autorepeat_y as u8, fall_timer, held.0, 0];
    let thumbs = [pad.holds.0, pad.frames, turn.holds.0, turn.frames, 0, 0, 0, 0];
    (u64::from_le_bytes(bytes), u64::from_le_bytes(thumbs))
}

/// Plays the buttons; where the piece locks, if it does so in the last frame and not before.
pub fn replay(board: &Board, start: &Control, region: Region, level: u8, way: &[Buttons]) -> Option<Pose> {
    let mut control = *start;
    for (frame, &buttons) in way.iter().enumerate() {
        if control.frame_in(region, level, buttons, |pose| pose.fits(board)) {
            return (frame + 1 == way.len()).then_some(control.pose);
        }
    }
    None
}

/// Whether thumbs of this hand can press so.
pub fn can_press(start: &Control, way: &[Buttons], hand: Hand) -> bool {
    [(0x0F, [Buttons::LEFT, Buttons::RIGHT, Buttons::DOWN].as_slice()), (0xC0, &[Buttons::A, Buttons::B])].iter().all(
        |&(mask, buttons)| {
            let mut thumb = Thumb::at_start(Buttons(start.held.0 & mask));
            way.iter().all(|held| {
                let choice = Buttons(held.0 & mask);
                let can = thumb.choices(hand, buttons).contains(&choice);
                thumb = thumb.after(choice, hand);
                can
            })
        },
    )
}
