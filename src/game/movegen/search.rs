//! All places that a piece can reach: a flood of all its rotations at once.

use super::field::{COLUMNS, WORD_ROWS};
use super::lanes::{LANES, Lanes};
use super::table::{Cycle, Table, Test};

/// Of each rotation the one that leads to it by a turn, counter-clockwise and clockwise.
const FROM: [[usize; LANES]; 2] = [[1, 2, 3, 0], [3, 0, 1, 2]];
/// The same of a piece of two rotations, both ways.
const FROM_TWO: [usize; LANES] = [1, 0, 3, 2];
/// The rotations that look the same, if a piece has two shapes.
const ALIKE: [usize; LANES] = [2, 3, 0, 1];

/// One search on the lowest rows of a field.
pub(super) struct Search<'a, const N: usize> {
    table: &'a Table,
    /// Where the piece fits.
    pub(super) usable: Lanes<N>,
    /// Where it fits and cannot fall.
    pub(super) landing: Lanes<N>,
    /// Where it can be, as far as is known.
    pub(super) reached: Lanes<N>,
}

impl<'a, const N: usize> Search<'a, N> {
    /// The lowest `N` words of a field, in which the pile leaves three rows empty at the top.
    #[inline(always)]
    pub(super) fn new(table: &'a Table, words: &[u64]) -> Self {
        let full = Lanes::<N>::all(words);
        let free = full.inverse();
        let mut usable = free;
        for cell in &table.cells {
            usable = usable.and(free.moved(cell));
        }
        usable.add_to_top(&table.top);
        usable = usable.within(&table.active);
        Self { table, usable, landing: usable.without(usable.raised()), reached: Lanes::NONE }
    }

    /// What is open to the sky, and what is beside it.
    #[inline(always)]
    pub(super) fn start_above(&mut self) {
        let blocked = self.usable.inverse().smeared_down();
        self.reached = self.usable.without(blocked);
        for _ in 0..2 {
            self.reached = self.reached.or(self.reached.aside().and(self.usable));
        }
    }

    /// Where one turn leads that needs no kick.
    #[inline(always)]
    pub(super) fn turn_plainly(&mut self) {
        if self.table.cycle == Cycle::Four {
            let turns = &self.table.turns;
            for (way, from) in FROM.into_iter().enumerate() {
                if let Some(first) = turns[way].first() {
                    let turned = self.reached.swapped(from).moved(&first.there);
                    self.reached = self.reached.or(turned.and(self.usable));
                }
            }
        }
    }

    /// Only where the piece appears.
    #[inline(always)]
    pub(super) fn start_at(&mut self, lane: usize, column: usize, row: usize) {
        self.reached = Lanes::NONE;
        if row < N * WORD_ROWS && column < COLUMNS {
            self.reached.set(lane, column, row);
        }
        self.reached = self.reached.and(self.usable);
    }

    /// Whether every place in which it could land is known.
    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        let reached = if self.table.shapes == 2 { self.reached.or(self.reached.swapped(ALIKE)) } else { self.reached };
        self.landing.without(reached).is_empty()
    }

    /// Moves, falls and turns until nothing is new, or every landing is known.
    #[inline(always)]
    pub(super) fn run(&mut self) {
        let mut turned = Lanes::NONE;
        loop {
            self.flood();
            if self.is_done() {
                return;
            }
            let fresh = self.reached.without(turned).and(self.near_the_unknown());
            if fresh.is_empty() {
                return;
            }
            turned = self.reached;
            let new = self.turn_all(fresh).without(self.reached);
            if new.is_empty() {
                return;
            }
            self.reached = self.reached.or(new);
        }
    }

    #[inline(always)]
    fn flood(&mut self) {
        loop {
            let around = self.reached.aside().or(self.reached.lowered());
            let new = around.and(self.usable).without(self.reached);
            if new.is_empty() {
                return;
            }
            self.reached = self.reached.or(new);
        }
    }

    /// Goes on until nothing is new, however many landings are known.
    #[inline(always)]
    pub(super) fn run_to_the_end(&mut self) {
        loop {
            self.flood();
            let new = self.turn_all(self.reached).without(self.reached);
            if new.is_empty() {
                return;
            }
            self.reached = self.reached.or(new);
        }
    }

    /// The same, but a piece turns as it would in another field, and only into where it fits in this one, too.
    pub(super) fn run_turning_as_in(&mut self, other: &Self) {
        loop {
            self.flood();
            let new = other.turn_all(self.reached).and(self.usable).without(self.reached);
            if new.is_empty() {
                return;
            }
            self.reached = self.reached.or(new);
        }
    }

    /// What a column aside or a row down from these places leads to.
    #[inline(always)]
    pub(super) fn moved(&self, from: Lanes<N>) -> Lanes<N> {
        from.aside().or(from.lowered()).and(self.usable)
    }

    /// Where turns from these places lead by each test, from 0.
    #[inline(always)]
    pub(super) fn turned(&self, from: Lanes<N>, mut see: impl FnMut(usize, Lanes<N>)) {
        if self.table.cycle == Cycle::Four {
            self.turn(from, &self.table.turns[0], FROM[0], FROM[1], &mut see);
            self.turn(from, &self.table.turns[1], FROM[1], FROM[0], &mut see);
        }
    }

    /// All places from which a turn, however it is kicked, could lead to one that is not known; and some more.
    #[inline(always)]
    fn near_the_unknown(&self) -> Lanes<N> {
        let mut near = self.usable.without(self.reached);
        for _ in 0..self.table.reach.aside {
            near = near.or(near.aside());
        }
        let (mut above, mut below) = (near, near);
        for _ in 0..self.table.reach.down {
            above = above.or(above.raised());
        }
        for _ in 0..self.table.reach.up {
            below = below.or(below.lowered());
        }
        let near = above.or(below);
        match self.table.cycle {
            Cycle::None => Lanes::NONE,
            Cycle::Two => near.swapped(FROM_TWO),
            Cycle::Four => near.swapped(FROM[0]).or(near.swapped(FROM[1])),
        }
    }

    /// Where turns from these places lead.
    #[inline(always)]
    pub(super) fn turn_all(&self, from: Lanes<N>) -> Lanes<N> {
        let mut found = Lanes::NONE;
        let mut see = |_: usize, fits: Lanes<N>| found = found.or(fits);
        match self.table.cycle {
            Cycle::None => {}
            Cycle::Two => self.turn(from, &self.table.turns[1], FROM_TWO, FROM_TWO, &mut see),
            Cycle::Four => {
                self.turn(from, &self.table.turns[0], FROM[0], FROM[1], &mut see);
                self.turn(from, &self.table.turns[1], FROM[1], FROM[0], &mut see);
            }
        }
        found
    }

    /// One turn of every place: the first test that leads to where the piece fits counts.
    #[inline(always)]
    fn turn(
        &self,
        mut from: Lanes<N>,
        tests: &[Test],
        there: [usize; LANES],
        back: [usize; LANES],
        see: &mut impl FnMut(usize, Lanes<N>),
    ) {
        for (nth, test) in tests.iter().enumerate() {
            see(nth, from.swapped(there).moved(&test.there).and(self.usable));
            if nth + 1 < tests.len() {
                from = from.without(self.usable.swapped(back).moved(&test.back));
                if from.is_empty() {
                    break;
                }
            }
        }
    }

    /// Where the piece can land, once for each shape.
    #[inline(always)]
    pub(super) fn places(&self) -> Lanes<N> {
        let reached = self.reached.and(self.landing);
        match self.table.shapes {
            2 => reached.or(reached.swapped(ALIKE)).within(&[u64::MAX, u64::MAX, 0, 0]),
            _ => reached,
        }
    }
}
