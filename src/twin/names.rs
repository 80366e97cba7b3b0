//! The picture of the best three games, one of which is given a name.

use super::canvas::{PALE, Picture, RUST, WHITE, WIDTH_PX};
use super::font::WIDE;
use super::view::NamesView;
use super::wall::{Frame, draw_frame, draw_wall};
use crate::game::machine::{GameType, HighScore};

/// Where the first letter of each name stands. $A086.
const NAMES_PX: [[usize; 2]; 3] = [[72, 160], [72, 176], [72, 192]];
/// From the first letter of a name to the score and to the level, pixels.
const SCORE_PX: usize = 7 * LETTER_PX;
const LEVEL_PX: usize = 14 * LETTER_PX;
const LETTER_PX: usize = 8;

/// Draws it, all of it.
pub(super) fn draw(view: &NamesView, into: &mut Picture) {
    draw_wall(into);
    draw_frame(&Frame { edge: [48, 24, 207, 219], light_px: 3, colour: PALE }, into);
    let heading = if view.entry.game_type == GameType::B { "B-TYPE" } else { "A-TYPE" };
    for (line, y, colour) in [(heading, 48, RUST), ("ONE OF THE BEST", 72, WHITE), ("ENTER YOUR NAME", 96, WHITE)] {
        into.write(line, [(WIDTH_PX - LETTER_PX * line.len()) / 2, y], &WIDE, colour);
    }
    into.write("NAME   SCORE  LV", [NAMES_PX[0][0], 136], &WIDE, RUST);
    for (game, at) in view.games.iter().zip(NAMES_PX) {
        draw_game(game, at, into);
    }
    if view.has_cursor {
        let [left, top] = NAMES_PX[view.entry.place.min(NAMES_PX.len() - 1)];
        into.fill([left + view.entry.letter * LETTER_PX, top + 8], [7, 1], WHITE);
    }
}

/// Draws the best three games into a box of their own below a menu's.
pub fn draw_table(games: &[HighScore; 3], into: &mut Picture) {
    draw_frame(&Frame { edge: [56, 172, 199, 219], light_px: 1, colour: WHITE }, into);
    for (game, row) in games.iter().zip(0..) {
        draw_game(game, [64, 180 + 12 * row], into);
    }
}

/// A line of the table, which begins here.
fn draw_game(game: &HighScore, [left, top]: [usize; 2], into: &mut Picture) {
    into.write(&game.letters(), [left, top], &WIDE, WHITE);
    let score = game.score.map(|byte| format!("{byte:02X}")).concat();
    into.write(&score, [left + SCORE_PX, top], &WIDE, WHITE);
    into.write(&format!("{:02}", game.level), [left + LEVEL_PX, top], &WIDE, WHITE);
}
