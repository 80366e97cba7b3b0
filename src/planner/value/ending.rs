//! What piles are worth in the last lines before a game ends, which are not followed by others: who waits for an upright I while
//! two lines are left clears four for them; who burns both first loses the four.
//!
//! A pile is worth a share of what it is worth in a long game, and more or less by the patterns of the whole: how high it is,
//! which holes it has, how many rows wait for an I. Worth is what is still cleared, the last piece's lines as a whole, whenever.

use super::patterns::{WHOLE, WHOLE_COUNT};
use crate::planner::evaluate::LANES;

/// Weights of the patterns of the whole, a table for each number of lines left, from 1 on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastLines {
    tables: Vec<Vec<[i16; LANES]>>,
}

impl LastLines {
    /// Tables of [`WHOLE_COUNT`] patterns.
    pub(super) fn new(tables: Vec<Vec<[i16; LANES]>>) -> Self {
        debug_assert!(tables.iter().all(|table| table.len() == WHOLE_COUNT));
        Self { tables }
    }

    pub(super) fn tables(&self) -> &[Vec<[i16; LANES]>] {
        &self.tables
    }

    /// Of this number of lines left, less one.
    pub(super) fn table(&self, line: usize) -> Option<&[[i16; LANES]]> {
        self.tables.get(line).map(Vec::as_slice)
    }

    /// Adds the weights of those of these patterns that tell of the whole.
    #[inline(always)]
    pub(super) fn add(table: &[[i16; LANES]], indices: &[u32], sums: &mut [i32; LANES]) {
        for index in of_the_whole(indices) {
            for (sum, &weight) in sums.iter_mut().zip(&table[index]) {
                *sum += i32::from(weight);
            }
        }
    }
}

/// The places in a table of the whole of those of these patterns that are in it.
#[inline(always)]
pub fn of_the_whole(indices: &[u32]) -> impl Iterator<Item = usize> {
    let places = indices.iter().map(|&index| index as usize);
    places.filter(|index| WHOLE.contains(index)).map(|index| index - WHOLE.start())
}
