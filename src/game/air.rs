//! What hangs in the air: nothing that the rules know of, but words over the field, light or a hand.

use super::Board;

/// What has so many empty rows below it in all its columns hangs in the air: clears leave nothing so high above all the rest.
const AIR_ROWS: usize = 5;
/// All belongs together that is no further apart than this, columns and rows: a word's letters, and two lines of words.
const APART: usize = 2;
/// A piece has at most so many cells that are surely full, and while it moves, so many in which some of it is seen.
const PIECE_CELLS: u32 = 4;
const MOVING_CELLS: u32 = 8;

/// The cells that hang in the air and are no piece on its way: of all in which something is seen, some of which are surely full, and
/// some, `still`, since before the last piece came; but for those in which pieces appear, `spawn`.
pub fn in_air(seen: &Board, full: &Board, still: &Board, spawn: &Board) -> Board {
    let mut hanging = Board::new(seen.width(), seen.height());
    let mut left = *seen;
    (0..left.height()).for_each(|y| left.set_row(y, left.row(y) & !spawn.row(y)));
    while let Some(y) = (0..left.height()).find(|y| left.row(*y) != 0) {
        let patch = take_patch(&mut left, y);
        let count = |board: &Board| (0..patch.height()).map(|y| (patch.row(y) & board.row(y)).count_ones()).sum();
        let (full, still): (u32, u32) = (count(full), count(still));
        let is_no_piece = full > PIECE_CELLS || patch.count() > MOVING_CELLS || still > 0 && still >= full;
        if is_no_piece && hangs(&patch, seen) {
            (y..patch.height()).for_each(|y| hanging.set_row(y, hanging.row(y) | patch.row(y)));
        }
    }
    hanging
}

/// Whether below every cell of a patch there is nothing else for long.
fn hangs(patch: &Board, board: &Board) -> bool {
    (0..patch.height()).filter(|y| patch.row(*y) != 0).all(|y| {
        let below = y + 1..=y + AIR_ROWS;
        below.end() < &patch.height() && below.clone().all(|v| patch.row(y) & board.row(v) & !patch.row(v) == 0)
    })
}

/// Whether most of a board's cells neither stand on the floor nor hang together with what does, corners included: letters all over
/// the field, but no pile.
pub fn is_scattered(board: &Board) -> bool {
    let floor = board.height().saturating_sub(1);
    let mut standing = Board::new(board.width(), board.height());
    standing.set_row(floor, board.row(floor));
    grow(&mut standing, board, 1);
    board.count() > MOVING_CELLS && 2 * standing.count() < board.count()
}

/// Takes from a board the leftmost of a row's cells, and all that belong together with it.
fn take_patch(board: &mut Board, y: usize) -> Board {
    let mut patch = Board::new(board.width(), board.height());
    patch.set_row(y, board.row(y) & board.row(y).wrapping_neg());
    grow(&mut patch, board, APART);
    (0..patch.height()).for_each(|y| board.set_row(y, board.row(y) & !patch.row(y)));
    patch
}

/// Adds to a patch all of a board's cells that are so near to one of its own, columns and rows, or to one that is.
fn grow(patch: &mut Board, board: &Board, apart: usize) {
    let mut count = u32::MAX;
    while patch.count() != count {
        count = patch.count();
        for y in 0..patch.height() {
            let near = y.saturating_sub(apart)..(y + apart + 1).min(patch.height());
            let near = near.fold(0, |all, v| all | patch.row(v));
            let wide = (1..=apart).fold(near, |all, columns| all | near << columns | near >> columns);
            patch.set_row(y, patch.row(y) | wide & board.row(y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many cells hang in the air of a board that has these rows from this one on: `#` is full, `?` may be.
    fn hanging(first: usize, rows: &[&str]) -> u32 {
        let [mut seen, mut full] = [Board::new(10, 20); 2];
        for (y, row) in rows.iter().enumerate() {
            for (x, cell) in row.bytes().enumerate() {
                if cell != b'.' {
                    seen.fill(x, first + y);
                }
                if cell == b'#' {
                    full.fill(x, first + y);
                }
            }
        }
        let mut spawn = Board::new(10, 20);
        (0..8).for_each(|i| spawn.fill(3 + i % 4, i / 4));
        in_air(&seen, &full, &Board::new(10, 20), &spawn).count()
    }

    const WORD: [&str; 4] = ["#.#.##..##", "#..?##.#.#", "..........", "...#.#?..."];

    #[test]
    fn words_hang_in_the_air_and_what_a_pile_lies_below_does_not() {
        assert_eq!(hanging(4, &WORD), 15);
        let over = |gap: usize, floor: &'static str| {
            let rows = [&WORD[..], &vec![".........."; gap], &[floor]].concat();
            hanging(20 - rows.len(), &rows)
        };
        assert_eq!(over(5, "##########"), 15, "a pile far below it");
        assert_eq!(over(4, "##########"), 0, "a pile from which it may have been cut off");
        assert_eq!(over(4, "....#....."), 15, "below none of its cells");
        assert_eq!(over(5, "......?..."), 15);
        assert_eq!(over(4, "......?..."), 0, "nobody knows what is below it");
    }

    #[test]
    fn pieces_and_what_stands_on_the_floor_or_where_pieces_appear_are_none() {
        assert_eq!(hanging(14, &WORD), 0);
        assert_eq!(hanging(1, &WORD), 13, "a word across that place, but for two of its cells there");
        assert_eq!(hanging(0, &["...####...", "...####..."]), 0);
        assert_eq!(hanging(0, &["...###.###", "...#....##"]), 5, "light beside a piece that appears");
        assert_eq!(hanging(5, &["...####..."]), 0);
        assert_eq!(hanging(5, &["..????....", "...####..."]), 0, "one that moves");
        assert_eq!(hanging(5, &["..????....", "...#####.."]), 9);
    }

    #[test]
    fn what_was_there_before_the_last_piece_came_is_none() {
        let mut piece = Board::new(10, 20);
        (6..9).for_each(|x| piece.fill(x, 3));
        let [nothing, no_spawn] = [Board::new(10, 20); 2];
        assert_eq!(in_air(&piece, &piece, &nothing, &no_spawn).count(), 0);
        assert_eq!(in_air(&piece, &piece, &piece, &no_spawn).count(), 3);
        let mut beside_it = piece;
        beside_it.fill(5, 3);
        assert_eq!(in_air(&beside_it, &beside_it, &piece, &no_spawn).count(), 0, "some of it has come since");
    }

    #[test]
    fn letters_all_over_the_field_are_no_pile() {
        let board = |rows: &[&str]| {
            let mut board = Board::new(10, 20);
            for (y, row) in rows.iter().enumerate() {
                let cells = row.bytes().enumerate().filter(|(_, cell)| *cell == b'#');
                cells.for_each(|(x, _)| board.fill(x, 20 - rows.len() + y));
            }
            board
        };
        let letters =
            ["#.#.#.#.#.", "..........", ".#.#.#.#.#", "..........", "#.#.#.#.#.", "..........", ".#.#.#.#.#"];
        assert!(is_scattered(&board(&letters)));
        // What is left of a pile after clears hangs together by its corners, or is the lesser part.
        assert!(!is_scattered(&board(&[
            "....##....",
            "...#......",
            "..#.......",
            "##........",
            "#.........",
            ".#........"
        ])));
        assert!(!is_scattered(&board(&["###.......", "..........", "....######"])));
        assert!(!is_scattered(&board(&["#.#.#.#.#.", ".........."])), "a few cells tell little");
    }
}
