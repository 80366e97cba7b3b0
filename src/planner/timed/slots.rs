//! The pad thumb's states, and what one frame makes of them.

use super::field::turned;
use super::hand::{MAX_PERIOD, MAX_PRESS, PAD};
use crate::game::Buttons;
use crate::game::Control;
use crate::game::Pace;

/// Left is held, by its auto-shift counter; the last two slots shift in the next frame. Where less is counted (PAL), the first
/// slots are not used.
pub(super) const LEFT: usize = 0;
/// A direction's last slot: what a blocked shift sets the counter to.
const CHARGED: usize = 16;
/// Right is held, by its auto-shift counter.
pub(super) const RIGHT: usize = LEFT + CHARGED + 1;
/// Down is held, by its soft-drop counter (1 or 2).
pub(super) const DOWN: usize = RIGHT + CHARGED + 1;
/// Down is held and makes the piece fall in this very frame; afterwards its counter is 1.
pub(super) const DROPPED: usize = DOWN + 2;
/// Nothing is held, by the frames for which the thumb must rest on.
pub(super) const FREE: usize = DROPPED + 1;
/// What may have become of a direction since it was pressed: not tried again; blocked; moved this many frames ago.
const FATES: usize = MAX_PRESS as usize;
const AGES: usize = MAX_PRESS as usize - 1;
/// Slots of the slowest hand.
pub(super) const MAX_SLOTS: usize = FREE + MAX_PERIOD as usize + 2 * AGES * FATES + AGES;

/// The poses in each of `N` slots.
pub(super) type Pad<const N: usize> = [u64; N];

/// The hand over all poses at once, by the phase of the turning thumb: the frames until it may press.
pub(super) type Phases<const T: usize, const N: usize> = [Pad<N>; T];

/// Which slots a hand has at a pace.
///
/// A press that must last longer than it has yet is *young*, and has slots of its own, by its age in frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    pub press: usize,
    pub gap: usize,
    pub period: usize,
    /// A direction's slot of counter 0.
    fresh: usize,
    /// A direction's slot after a repeat.
    repeated: usize,
}

/// How many slots a hand needs.
pub(super) const fn count(press: usize, gap: usize) -> usize {
    FREE + gap + 1 + (press - 1) * (2 * FATES + 1)
}

impl Slots {
    #[inline(always)]
    pub fn of(press: usize, gap: usize, pace: Pace) -> Self {
        let limit = usize::from(pace.auto_shift).clamp(MAX_PRESS as usize, CHARGED);
        let reload = usize::from(pace.reload).min(limit - 1);
        let fresh = CHARGED - limit;
        Self { press, gap, period: press + gap, fresh, repeated: fresh + reload }
    }

    /// The start as slots; `None` if no console is ever in such a state.
    pub fn at_start<const T: usize, const N: usize>(&self, start: &Control, poses: u64) -> Option<Phases<T, N>> {
        let slot = match start.held.0 & PAD.0 {
            0 => FREE,
            b if b == Buttons::LEFT.0 => LEFT + (self.fresh + usize::from(start.autorepeat_x)).min(CHARGED),
            b if b == Buttons::RIGHT.0 => RIGHT + (self.fresh + usize::from(start.autorepeat_x)).min(CHARGED),
            b if b == Buttons::DOWN.0 && start.autorepeat_y > 0 => DOWN + start.autorepeat_y as usize - 1,
            _ => FREE + self.gap,
        };
        let counts = start.autorepeat_y > 0;
        let drops = (DOWN..DROPPED).contains(&slot);
        if counts != drops {
            return None;
        }
        let phase = if start.held.intersects(Buttons::A | Buttons::B) { self.gap } else { 0 };
        let mut phases = [[0; N]; T];
        phases[phase][slot] = poses;
        Some(phases)
    }

    /// One frame up to the fall: what is pressed, held and let go, shifts and turns.
    #[inline(always)]
    pub fn frame<const T: usize, const N: usize>(&self, now: &Phases<T, N>, after: &mut Phases<T, N>, here: u64) {
        let (mut first, mut second) = ([0; N], [0; N]);
        self.pad(&now[0], &mut first, here);
        self.pad(&now[1], &mut second, here);
        // By loops, which become wide instructions here: the function that maps arrays is compiled for any processor.
        for (after, poses) in after[self.period - 1].iter_mut().zip(first) {
            *after = turned(poses) & here;
        }
        for (after, (first, second)) in after[0].iter_mut().zip(first.into_iter().zip(second)) {
            *after = first | second;
        }
        for phase in 2..self.period {
            self.pad(&now[phase], &mut after[phase - 1], here);
        }
    }

    /// The pad thumb's frame.
    #[inline(always)]
    pub fn pad<const N: usize>(&self, from: &Pad<N>, to: &mut Pad<N>, here: u64) {
        *to = [0; N];
        self.hold(from, to, here);
        self.release(from, to);
        let free = from[FREE];
        self.enter_sideways(to, LEFT, 1, shifted(free, LEFT, here));
        self.enter_sideways(to, RIGHT, 1, shifted(free, RIGHT, here));
        to[self.down_slot(1)] |= free;
        for age in 1..self.press {
            self.grow(from, to, age, here);
        }
    }

    /// What is held long enough, held on.
    #[inline(always)]
    fn hold<const N: usize>(&self, from: &Pad<N>, to: &mut Pad<N>, here: u64) {
        for side in [LEFT, RIGHT] {
            let counted = CHARGED - 1;
            to[side + 1..=side + counted].copy_from_slice(&from[side..side + counted]);
            let (moved, blocked) = shifted(from[side + CHARGED - 1] | from[side + CHARGED], side, here);
            to[side + self.repeated] |= moved;
            to[side + CHARGED] = blocked;
        }
        to[DOWN + 1] = from[DOWN];
        to[DROPPED] = from[DOWN + 1];
    }

    /// What is held long enough, let go; and what rests.
    #[inline(always)]
    fn release<const N: usize>(&self, from: &Pad<N>, to: &mut Pad<N>) {
        let let_go = from[LEFT..DROPPED].iter().fold(0, |all, word| all | word);
        for rest in 0..self.gap {
            to[FREE + rest] = from[FREE + rest + 1];
        }
        to[FREE] |= from[FREE];
        to[FREE + self.gap - 1] |= let_go;
    }

    /// What must be held on.
    #[inline(always)]
    fn grow<const N: usize>(&self, from: &Pad<N>, to: &mut Pad<N>, age: usize, here: u64) {
        for side in [LEFT, RIGHT] {
            let fates: [u64; FATES] = std::array::from_fn(|fate| from[self.young(side, age, fate)]);
            let (moved, blocked) = shifted(fates[1], side, here);
            self.enter_sideways(to, side, age + 1, (fates[0], blocked));
            to[self.side_slot(side, age + 1, 2)] |= moved;
            for fate in 2..FATES {
                to[self.side_slot(side, age + 1, fate + 1)] |= fates[fate];
            }
        }
        to[self.down_slot(age + 1)] |= from[self.young_down(age)];
    }

    #[inline(always)]
    fn enter_sideways<const N: usize>(&self, to: &mut Pad<N>, side: usize, age: usize, (clean, blocked): (u64, u64)) {
        to[self.side_slot(side, age, 0)] |= clean;
        to[self.side_slot(side, age, 1)] |= blocked;
    }
}

impl Slots {
    /// The slot of a direction pressed `age` frames ago.
    #[inline(always)]
    pub fn side_slot(&self, side: usize, age: usize, fate: usize) -> usize {
        match (age >= self.press, fate) {
            (false, _) => self.young(side, age, fate.min(FATES - 1)),
            (true, 0) => side + self.fresh + age - 1,
            (true, 1) => side + CHARGED,
            (true, _) => side + (self.repeated + fate - 2).min(CHARGED - 1),
        }
    }

    /// The slot of a Down pressed `age` frames ago: its counter goes 1, 2, and after each fall again 1, 2.
    #[inline(always)]
    pub fn down_slot(&self, age: usize) -> usize {
        match age {
            age if age < self.press => self.young_down(age),
            1 => DOWN,
            age if age % 2 == 0 => DOWN + 1,
            _ => DROPPED,
        }
    }

    #[inline(always)]
    fn young(&self, side: usize, age: usize, fate: usize) -> usize {
        let side = if side == LEFT { 0 } else { self.press - 1 };
        FREE + self.gap + 1 + (side + age - 1) * FATES + fate
    }

    #[inline(always)]
    fn young_down(&self, age: usize) -> usize {
        FREE + self.gap + 1 + 2 * (self.press - 1) * FATES + age - 1
    }

    /// Takes back that Down was pressed in this frame.
    pub fn forget_down<const T: usize, const N: usize>(&self, after: &mut Phases<T, N>) {
        after.iter_mut().for_each(|pad| pad[self.down_slot(1)] = 0);
    }

    /// Lets the poses fall that Down makes fall, and returns those that lock instead.
    #[inline(always)]
    pub fn drop_softly<const T: usize, const N: usize>(
        &self,
        after: &mut Phases<T, N>,
        next: &mut Phases<T, N>,
        below: u64,
    ) -> u64 {
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
    #[inline(always)]
    pub fn fall<const T: usize, const N: usize>(
        &self,
        after: &mut Phases<T, N>,
        next: &mut Phases<T, N>,
        below: u64,
    ) -> u64 {
        let mut all = 0;
        for (after, next) in after.iter_mut().zip(next).take(self.period) {
            let dropped = std::mem::take(&mut after[DROPPED]);
            after[DOWN] |= dropped;
            for (after, next) in after.iter().zip(next) {
                all |= after;
                *next |= after & below;
            }
        }
        all & !below
    }
}

/// Poses a column further, and the poses that cannot go there.
#[inline(always)]
fn shifted(poses: u64, side: usize, here: u64) -> (u64, u64) {
    if side == LEFT { (poses >> 1 & here, poses & !(here << 1)) } else { (poses << 1 & here, poses & !(here >> 1)) }
}
