//! Slots for a T: where it would be turned in below an overhang.

use super::surface::{FULL, Rows};

/// A slot: the T points down in it, its centre in this column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    column: usize,
    row: usize,
    /// Lines that the T would clear, 0–2.
    pub(super) lines: usize,
}

impl Rows {
    /// The slot whose T clears the most; of equals the highest, which is the one that can be got at first.
    #[inline(always)]
    pub(super) fn best_slot(&self) -> Option<Slot> {
        let mut open = None;
        let mut best: Option<Slot> = None;
        // The row above the centre has the overhang in it.
        for row in (1..self.height.saturating_sub(1)).rev() {
            let [low, centre, above] = [row - 1, row, row + 1].map(|row| self.rows[row]);
            let free = !centre & FULL;
            let notch = !low & low << 1 & low >> 1 & free & free << 1 & free >> 1;
            let overhang = notch & !above & (above << 1 | above >> 1) & FULL;
            if overhang == 0 {
                continue;
            }
            // On one side a block, on the other a way in from the sky.
            let sky = open.get_or_insert_with(|| self.open())[row + 1];
            let mut found = overhang & sky & (above << 1 & sky >> 1 | above >> 1 & sky << 1);
            while found != 0 {
                let column = found.trailing_zeros() as usize;
                found &= found - 1;
                let lines =
                    usize::from(centre | 0b111 << (column - 1) == FULL) + usize::from(low | 1 << column == FULL);
                if best.is_none_or(|best| lines > best.lines) {
                    best = Some(Slot { column, row, lines });
                }
            }
        }
        best
    }

    /// The pile after the T went into it.
    #[inline(always)]
    pub(super) fn fill_slot(&mut self, slot: Slot) {
        self.rows[slot.row] |= 0b111 << (slot.column - 1);
        self.rows[slot.row - 1] |= 1 << slot.column;
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::field;
    use super::*;
    use crate::game::guideline::{Spin, moves};

    /// The lines of the best slot by eye, and by what a T can do.
    #[test]
    fn a_slot_is_one_into_which_a_t_can_be_spun_for_so_many_lines() {
        let table: [(&[&str], Option<usize>); 7] = [
            // No overhang.
            (&["..........", "#...######", "##.#######"], None),
            // An overhang that leaves the T beside it.
            (&["#.........", "#...######", "##.#######"], None),
            (&["##........", "#...######", "##.#######"], Some(2)),
            (&["....#.....", "##...#####", "###.######"], Some(2)),
            (&["##........", "#...#####.", "##.#######"], Some(1)),
            (&["##........", "#...#####.", "##.####.##"], Some(0)),
            // A lid on the way in.
            (&["...#......", "##........", "#...######", "##.#######"], None),
        ];
        for (rows, lines) in table {
            let field = field(rows);
            assert_eq!(Rows::of(&field).best_slot().map(|slot| slot.lines), lines, "{rows:?}");
            let moves = moves();
            let full = moves.landings(&field).into_iter().filter(|landing| landing.spin == Spin::Full);
            let most = full.map(|landing| moves.locked(&field, landing.place).1 as usize).max();
            if let Some(lines) = lines {
                assert_eq!(most, Some(lines), "{rows:?}");
            }
        }
    }

    #[test]
    fn a_filled_slot_is_the_pile_after_the_spin() {
        let mut rows = Rows::of(&field(&["##........", "#...######", "##.#######"]));
        let slot = rows.best_slot().unwrap();
        rows.fill_slot(slot);
        assert_eq!((rows.height, rows.rows[0]), (1, 0b11));
    }
}
