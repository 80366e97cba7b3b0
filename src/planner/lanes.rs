//! Several rows of as many boards side by side, one to a lane: what is done to a row is done to all of them at once.
//!
//! Plain arrays and loops; the compiler makes vector instructions of them, whatever width the processor has.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// One 16-bit number for each of `N` boards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes<const N: usize>(pub [u16; N]);

impl<const N: usize> Lanes<N> {
    pub const NONE: Self = Self([0; N]);

    #[inline(always)]
    pub fn all(number: u16) -> Self {
        Self([number; N])
    }

    #[inline(always)]
    pub fn map(self, change: impl Fn(u16) -> u16) -> Self {
        Self(from_fn(|lane| change(self.0[lane])))
    }

    #[inline(always)]
    pub fn with(self, other: Self, join: impl Fn(u16, u16) -> u16) -> Self {
        Self(from_fn(|lane| join(self.0[lane], other.0[lane])))
    }

    #[inline(always)]
    pub fn up(self, bits: u32) -> Self {
        self.map(|x| x << bits)
    }

    #[inline(always)]
    pub fn down(self, bits: u32) -> Self {
        self.map(|x| x >> bits)
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, u16::wrapping_add)
    }

    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        self.with(other, u16::wrapping_sub)
    }

    /// All bits of a lane where this holds no bit.
    #[inline(always)]
    pub fn is_zero(self) -> Self {
        self.map(|x| if x == 0 { u16::MAX } else { 0 })
    }

    /// These lanes where `which` has all bits, else the others.
    #[inline(always)]
    pub fn or_else(self, which: Self, other: Self) -> Self {
        self & which | other & !which
    }

    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |all, x| all | x) != 0
    }

    /// How many bits each lane has.
    #[inline(always)]
    pub fn bits(self) -> Self {
        self.map(|x| x.count_ones() as u16)
    }
}

impl<const N: usize> BitAnd for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|x| !x)
    }
}

/// A number for every column of every board: bit `k` of a column's number is that column's bit in plane `k`.
#[derive(Clone, Copy)]
pub(super) struct Columns<const N: usize, const PLANES: usize>([Lanes<N>; PLANES]);

impl<const N: usize, const PLANES: usize> Columns<N, PLANES> {
    pub const ZERO: Self = Self([Lanes::NONE; PLANES]);

    /// One more for these columns.
    #[inline(always)]
    pub fn count(&mut self, columns: Lanes<N>) {
        let mut carry = columns;
        for plane in &mut self.0 {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// Zero for all columns but these.
    #[inline(always)]
    pub fn keep(&mut self, columns: Lanes<N>) {
        for plane in &mut self.0 {
            *plane = *plane & columns;
        }
    }

    /// The sum over these columns.
    #[inline(always)]
    pub fn sum(&self, columns: Lanes<N>) -> Lanes<N> {
        let each = self.0.iter().enumerate();
        each.fold(Lanes::NONE, |sum, (k, plane)| sum.plus((*plane & columns).bits().up(k as u32)))
    }

    /// The greatest number of these columns; 0 where there is none.
    #[inline(always)]
    pub fn greatest(&self, columns: Lanes<N>) -> Lanes<N> {
        let (mut among, mut found) = (columns, Lanes::NONE);
        for (k, plane) in self.0.iter().enumerate().rev() {
            let with = *plane & among;
            let has_none = with.is_zero();
            among = among.or_else(has_none, with);
            found = found | !has_none & Lanes::all(1 << k);
        }
        found
    }

    /// The least number of these columns; all bits of the planes where there is none.
    #[inline(always)]
    pub fn least(&self, columns: Lanes<N>) -> Lanes<N> {
        let (mut among, mut found) = (columns, Lanes::NONE);
        for (k, plane) in self.0.iter().enumerate().rev() {
            let without = !*plane & among;
            let has_none = without.is_zero();
            among = among.or_else(has_none, without);
            found = found | has_none & Lanes::all(1 << k);
        }
        found
    }
}
