//! Play without end where S and Z come in turn: on boards whose width is a multiple of 4 (the article says so of them).
//!
//! All pieces stand upright, S on S and Z on Z, in lanes of two columns: `S Z` on 4 columns, `S Z S Z` on 8. After the first
//! pair the lanes are uneven in the same way as the pieces that come to stand on them, so that every further pair fills two rows
//! of its four columns, and no pile grows.

use super::game::{Event, Game, Request};
use crate::game::Piece;

/// Columns of two lanes.
const PAIR: usize = 4;

/// Whether this play goes on without end on a board of so many columns.
pub fn is_endless(columns: usize) -> bool {
    columns.is_multiple_of(PAIR)
}

/// Plays one piece of a game in which S and Z alternate; false when the game is over. Pairs of lanes are used in turn.
pub fn place(game: &mut Game) -> bool {
    let piece = loop {
        match game.iterate() {
            Some(Event::Spawned(piece, _)) => break piece,
            Some(Event::GameOver) => return false,
            Some(Event::Landed(..)) => {}
            // A piece fell that was there before: it is let go.
            None if game.is_over() => return false,
            None => {}
        }
    };
    // Nothing turns before it has fallen a row.
    game.iterate();
    game.request(Request::Rotate);
    let pair = (game.pieces().saturating_sub(1) / 2) as usize % (game.pile().size()[0] / PAIR).max(1);
    let lane = pair * PAIR + if piece == Piece::Z { 2 } else { 0 };
    let leftmost = |game: &Game| game.falling().and_then(|place| place.cells().map(|(x, _)| x).into_iter().min());
    while let Some(x) = leftmost(game) {
        let request = match x.cmp(&(lane as i16)) {
            std::cmp::Ordering::Less => Request::Right,
            std::cmp::Ordering::Greater => Request::Left,
            std::cmp::Ordering::Equal => break,
        };
        if !game.request(request) {
            break;
        }
    }
    game.request(Request::Drop);
    game.iterate();
    !game.is_over()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::standard::{Draw, Settings};

    fn game(columns: usize) -> Game {
        Game::new([columns, 20], Settings { draw: Draw::Alternating, ..Settings::default() }, 1).unwrap()
    }

    #[test]
    fn games_of_s_and_z_never_end_on_widths_that_are_multiples_of_four() {
        // seed 004:1237–1243.
        for columns in [4, 8] {
            let mut game = game(columns);
            let mut highest = 0;
            for piece in 0..100_000 {
                assert!(place(&mut game), "{columns} columns: over after {piece} pieces");
                highest = highest.max(game.pile().height());
            }
            assert_eq!(game.pieces(), 100_000);
            // Four cells a piece, and no more than a few of them left on the board.
            assert!(highest <= 6, "{columns} columns: a pile of {highest} rows");
            assert!(400_000 - game.lines() as usize * columns <= 6 * columns, "{} lines", game.lines());
        }
    }

    #[test]
    fn they_end_on_ten_columns() {
        assert!(!is_endless(10) && is_endless(8));
        let mut game = game(10);
        assert!((0..10_000).any(|_| !place(&mut game)));
    }
}
