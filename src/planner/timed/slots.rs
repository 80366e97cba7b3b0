//! The pad thumb's states, and what one frame makes of them.

use super::field::turned;
use super::hand::{Hand, MAX_PERIOD, MAX_PRESS, PAD};
use super::{Pace, hang};
use crate::game::nes::Control;
use crate::message::Buttons;

/// Left is held, by its auto-shift counter.
pub(super) const LEFT: usize = 0;
/// The highest auto-shift counter.
const MAX_CHARGE: usize = 16;
/// Right is held, by its auto-shift counter.
pub(super) const RIGHT: usize = LEFT + MAX_CHARGE + 1;
/// Down is held, by its soft-drop counter (1 or 2).
pub(super) const DOWN: usize = RIGHT + MAX_CHARGE + 1;
/// Down is held and makes the piece fall in this very frame; afterwards its counter is 1.
pub(super) const DROPPED: usize = DOWN + 2;
/// Nothing is held, by the frames for which the thumb must rest on.
pub(super) const FREE: usize = DROPPED + 1;
/// What may have become of a direction since it was pressed: not tried again; blocked; moved so many frames ago.
const FATES: usize = MAX_PRESS as usize;
const AGES: usize = MAX_PRESS as usize - 1;
/// Slots of the slowest hand.
pub(super) const MAX_SLOTS: usize = FREE + MAX_PERIOD as usize + 2 * AGES * FATES + AGES;

/// The poses in each slot.
pub(super) type Pad = [u64; MAX_SLOTS];

/// The hand over all poses at once, by the phase of the turning thumb: the frames until it may press.
pub(super) type Phases = [Pad; MAX_PERIOD as usize];

/// No poses.
pub(super) const NOWHERE: Phases = [[0; MAX_SLOTS]; MAX_PERIOD as usize];

/// Which slots a hand has at a pace.
///
/// A press that must last longer than it has yet is *young*, and has slots of its own, by its age in frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    pub press: usize,
    pub gap: usize,
    pub period: usize,
    /// The auto-shift counter that shifts.
    pub limit: usize,
    reload: usize,
    /// Slots in use.
    pub count: usize,
}

impl Slots {
    pub fn of(hand: Hand, pace: Pace) -> Self {
        let (press, gap) = (hand.press(), hand.gap());
        let limit = usize::from(pace.auto_shift).clamp(MAX_PRESS as usize, MAX_CHARGE);
        let reload = usize::from(pace.reload).min(limit - 1);
        let count = FREE + gap + 1 + (press - 1) * (2 * FATES + 1);
        Self { press, gap, period: hand.period(), limit, reload, count }
    }

    /// The start as slots; `None` if no console is ever in such a state.
    pub fn at_start(&self, start: &Control, poses: u64) -> Option<Phases> {
        let slot = match start.held.0 & PAD.0 {
            0 => FREE,
            b if b == Buttons::LEFT.0 => LEFT + usize::from(start.autorepeat_x).min(self.limit),
            b if b == Buttons::RIGHT.0 => RIGHT + usize::from(start.autorepeat_x).min(self.limit),
            b if b == Buttons::DOWN.0 && start.autorepeat_y > 0 => DOWN + start.autorepeat_y as usize - 1,
            _ => FREE + self.gap,
        };
        let counts = start.autorepeat_y > 0;
        let drops = (DOWN..DROPPED).contains(&slot);
        if counts != drops || hang(start) > 0 {
            return None;
        }
        let phase = if start.held.intersects(Buttons::A | Buttons::B) { self.gap } else { 0 };
        let mut phases = NOWHERE;
        phases[phase][slot] = poses;
        Some(phases)
    }

    /// One frame up to the fall: what is pressed, held and let go, shifts and turns.
    pub fn frame(&self, now: &Phases, after: &mut Phases, here: u64) {
        let (count, last) = (self.count, self.period - 1);
        let mut pad = [0; MAX_SLOTS];
        self.pad(&now[0], &mut pad, here);
        for (after, pad) in after[last][..count].iter_mut().zip(&pad) {
            *after = turned(*pad) & here;
        }
        after[0][..count].copy_from_slice(&pad[..count]);
        self.pad(&now[1], &mut pad, here);
        for (after, pad) in after[0][..count].iter_mut().zip(&pad) {
            *after |= pad;
        }
        for phase in 2..self.period {
            self.pad(&now[phase], &mut after[phase - 1], here);
        }
    }

    /// The pad thumb's frame.
    #[inline]
    pub fn pad(&self, from: &Pad, to: &mut Pad, here: u64) {
        to[..self.count].fill(0);
        self.hold(from, to, here);
        self.release(from, to);
        let free = from[FREE];
        self.enter_sideways(to, LEFT, 1, shifted(free, LEFT, here));
        self.enter_sideways(to, RIGHT, 1, shifted(free, RIGHT, here));
        self.enter_down(to, 1, free);
        for age in 1..self.press {
            self.grow(from, to, age, here);
        }
    }

    /// What is held long enough, held on.
    #[inline]
    fn hold(&self, from: &Pad, to: &mut Pad, here: u64) {
        for side in [LEFT, RIGHT] {
            to[side + 1..side + self.limit].copy_from_slice(&from[side..side + self.limit - 1]);
            let (moved, blocked) = shifted(from[side + self.limit - 1] | from[side + self.limit], side, here);
            to[side + self.reload] |= moved;
            to[side + self.limit] = blocked;
        }
        to[DOWN + 1] = from[DOWN];
        to[DROPPED] = from[DOWN + 1];
    }

    /// What is held long enough, let go; and what rests.
    #[inline]
    fn release(&self, from: &Pad, to: &mut Pad) {
        let let_go = from[LEFT..DROPPED].iter().fold(0, |all, word| all | word);
        to[FREE..FREE + self.gap].copy_from_slice(&from[FREE + 1..=FREE + self.gap]);
        to[FREE] |= from[FREE];
        to[FREE + self.gap - 1] |= let_go;
    }

    /// What must be held on.
    #[inline]
    fn grow(&self, from: &Pad, to: &mut Pad, age: usize, here: u64) {
        for side in [LEFT, RIGHT] {
            let fates: [u64; FATES] = std::array::from_fn(|fate| from[self.young(side, age, fate)]);
            let (moved, blocked) = shifted(fates[1], side, here);
            self.enter_sideways(to, side, age + 1, (fates[0], blocked));
            *self.sideways(to, side, age + 1, 2) |= moved;
            for fate in 2..FATES {
                *self.sideways(to, side, age + 1, fate + 1) |= fates[fate];
            }
        }
        self.enter_down(to, age + 1, from[self.young_down(age)]);
    }

    #[inline]
    fn enter_sideways(&self, to: &mut Pad, side: usize, age: usize, (clean, blocked): (u64, u64)) {
        *self.sideways(to, side, age, 0) |= clean;
        *self.sideways(to, side, age, 1) |= blocked;
    }

    #[inline]
    fn enter_down(&self, to: &mut Pad, age: usize, poses: u64) {
        to[self.down_slot(age)] |= poses;
    }
}

impl Slots {
    #[inline]
    fn sideways<'a>(&self, to: &'a mut Pad, side: usize, age: usize, fate: usize) -> &'a mut u64 {
        &mut to[self.side_slot(side, age, fate)]
    }

    /// The slot of a direction pressed `age` frames ago.
    pub fn side_slot(&self, side: usize, age: usize, fate: usize) -> usize {
        match (age >= self.press, fate) {
            (false, _) => self.young(side, age, fate.min(FATES - 1)),
            (true, 0) => side + age - 1,
            (true, 1) => side + self.limit,
            (true, _) => side + (self.reload + fate - 2).min(self.limit - 1),
        }
    }

    /// The slot of a Down pressed `age` frames ago: its counter goes 1, 2, and after each fall again 1, 2.
    pub fn down_slot(&self, age: usize) -> usize {
        match age {
            age if age < self.press => self.young_down(age),
            1 => DOWN,
            age if age % 2 == 0 => DOWN + 1,
            _ => DROPPED,
        }
    }

    fn young(&self, side: usize, age: usize, fate: usize) -> usize {
        let side = if side == LEFT { 0 } else { self.press - 1 };
        FREE + self.gap + 1 + (side + age - 1) * FATES + fate
    }

    fn young_down(&self, age: usize) -> usize {
        FREE + self.gap + 1 + 2 * (self.press - 1) * FATES + age - 1
    }

    /// Lets the poses fall that Down makes fall, and returns those that lock instead.
    pub fn drop_softly(&self, after: &mut Phases, next: &mut Phases, below: u64) -> u64 {
        let mut locked = 0;
        for (after, next) in after.iter_mut().zip(next).take(self.period) {
            let dropped = std::mem::take(&mut after[DROPPED]);
            next[DOWN] |= dropped & below;
            locked |= dropped & !below;
            if self.press > 3 {
                let young = std::mem::take(&mut after[self.young_down(3)]);
                next[self.young_down(3)] |= young & below;
                locked |= young & !below;
            }
        }
        locked
    }

    /// Lets everything fall, and returns what locks instead.
    pub fn fall(&self, after: &mut Phases, next: &mut Phases, below: u64) -> u64 {
        let mut all = 0;
        for (after, next) in after.iter_mut().zip(next).take(self.period) {
            let dropped = std::mem::take(&mut after[DROPPED]);
            after[DOWN] |= dropped;
            for (after, next) in after[..self.count].iter().zip(next) {
                all |= after;
                *next |= after & below;
            }
        }
        all & !below
    }
}

/// Poses a column further, and the poses that cannot go there.
#[inline]
fn shifted(poses: u64, side: usize, here: u64) -> (u64, u64) {
    if side == LEFT { (poses >> 1 & here, poses & !(here << 1)) } else { (poses << 1 & here, poses & !(here >> 1)) }
}
