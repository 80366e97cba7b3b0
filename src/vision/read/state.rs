//! What kind of screen a picture shows: the game being played, a clear under way, a pause, the end, a menu, something else.
//!
//! Decided from what one picture shows and from what was there before. Nothing here knows a game by name: rows that were
//! complete and lose cells are being cleared, a field that fills from its top or its floor is over, and a field that hides
//! both its blocks and the next piece is paused.

use crate::game::Board;
use crate::message::{CellGrid, ScreenState, Sighting};

/// This many complete rows from the top are no pile any more; once the end was seen, one will do.
const CURTAIN_ROWS: usize = 2;
/// This many complete rows above the floor are more than any piece completes.
const FLOOD_ROWS: usize = 6;
/// Rows of a clear are watched for so long, ms: the longest clears last a second.
const CLEAR_MS: f64 = 2000.0;
/// A row that loses nothing more for so long has been cleared, ms.
const STILL_MS: f64 = 180.0;
/// A row that loses more cells than this from one picture to the next, but not all, was replaced by the one above it.
const LOST_AT_ONCE_MAX: u32 = 4;
/// Once a row was wholly seen, it may have this many cells that the picture does not tell.
const ROW_UNKNOWN_MAX: u32 = 2;
/// The word on a paused field covers at most this many cells, in at most this many rows.
const WORD_CELLS: u32 = 14;
const WORD_ROWS: usize = 3;
/// A piece on its way lights at most this many cells; a field that shows more above its pile shows words.
const PIECE_CELLS: u32 = 8;
/// A pile of which this share vanishes at once is hidden, and no pile is smaller than this many cells.
const HIDDEN_SHARE: f32 = 0.6;
const LEAST_PILE: u32 = 6;
/// With this share of the edges in their places, the game is still there, but something stands before it.
const SOME_EDGES: f32 = 0.25;
/// Cells that change by less than this from picture to picture stand still, evidence steps in the mean.
const STILL_STEPS: f32 = 4.0;
/// Another screen is told from something that passes by standing still for so long, ms.
const MENU_AFTER_MS: f64 = 90.0;
/// What keeps moving for so long is no game, ms.
const ELSEWHERE_AFTER_MS: f64 = 250.0;
/// A picture whose cells differ by less than this shows nothing, evidence steps.
const FLAT_STEPS: f32 = 10.0;

/// What one picture says.
#[derive(Debug, Clone, Copy)]
pub struct Signs<'a> {
    /// The cells, if the picture can be read as this game's.
    pub grid: Option<&'a CellGrid>,
    /// The spawn place and the next box.
    pub spawn: Sighting,
    /// See [`Self::spawn`]; `None` if the game has no next box.
    pub next: Option<Sighting>,
    /// The share of the edges around the field that are in their places, 0–1.
    pub edges: f32,
    /// How much the cells' brightness differs from cell to cell, and from the last picture's, evidence steps.
    pub variety: f32,
    /// See [`Self::variety`].
    pub change: f32,
    /// How long after the last picture it was taken, ms.
    pub step_ms: f64,
}

/// A row that was complete.
#[derive(Debug, Clone)]
struct Clearing {
    row: usize,
    /// What is left of it.
    cells: u16,
    /// What was full or unknown in the whole field when the row was complete.
    lit: Vec<u16>,
    /// How long ago that was, ms.
    age_ms: f64,
    /// How long ago it last lost a cell, ms.
    still_ms: f64,
}

/// The memory behind the states.
#[derive(Debug, Clone, Default)]
pub struct Screen {
    last: Option<ScreenState>,
    clearing: Vec<Clearing>,
    /// Full cells in the last picture of a game under way, and which.
    cells: u32,
    pile: Option<Board>,
    /// The game was over when its field was last seen.
    is_over: bool,
    /// The next box has shown a piece.
    knows_next: bool,
    /// How long another screen has stood still, and how long the game has been away, ms.
    still_ms: f64,
    away_ms: f64,
}

impl Screen {
    /// Whether the game was over when its field was last seen: a curtain may have covered it since.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The kind of screen that a picture shows.
    pub fn judge(&mut self, signs: Signs) -> ScreenState {
        let state = match signs.grid {
            Some(grid) => self.judge_field(grid, signs),
            None => self.judge_other(signs),
        };
        if state.shows_field() {
            (self.still_ms, self.away_ms) = (0.0, 0.0);
        }
        self.last = Some(state);
        state
    }

    fn judge_field(&mut self, grid: &CellGrid, signs: Signs) -> ScreenState {
        let (full, unknown) = (grid.full(), grid.unknown());
        let state = if self.shows_the_end(&full, &unknown) {
            ScreenState::GameOver
        } else if self.is_paused(&full, &unknown, signs) {
            ScreenState::Paused
        } else if self.is_clearing(&full, &unknown, signs) {
            ScreenState::LineClear
        } else {
            ScreenState::Playing
        };
        self.is_over = state == ScreenState::GameOver;
        if state != ScreenState::Paused {
            (self.cells, self.pile) = (full.count(), Some(full));
            self.knows_next |= signs.next.is_some_and(|next| next.piece().is_some());
        }
        if !matches!(state, ScreenState::LineClear | ScreenState::Playing) {
            self.clearing.clear();
        }
        state
    }

    fn shows_the_end(&self, full: &Board, unknown: &Board) -> bool {
        let rows = full.height();
        let from_top = (0..rows).take_while(|&y| is_complete(full, unknown, y)).count();
        let from_floor = (0..rows).rev().take_while(|&y| is_complete(full, unknown, y)).count();
        let least = if self.last == Some(ScreenState::GameOver) { 1 } else { CURTAIN_ROWS };
        from_top >= least || from_floor >= FLOOD_ROWS
    }

    /// Whether the field hides its blocks, and the next box its piece. A next box that is blank while the pile stands is only
    /// how the game is set.
    fn is_paused(&self, full: &Board, unknown: &Board, signs: Signs) -> bool {
        let was_paused = self.last == Some(ScreenState::Paused);
        let is_word = is_word(full, unknown);
        match signs.next {
            Some(Sighting::Empty(_)) if shows_words(full, unknown) => true,
            // As much is lit as before, and it may be a piece alone in the field: nothing is hidden.
            Some(Sighting::Empty(_)) if !was_paused && full.count() > 0 && full.count() == self.cells => false,
            Some(Sighting::Empty(_)) => self.knows_next && (is_word || self.is_hidden(full, unknown)),
            Some(Sighting::Piece(..)) => false,
            Some(Sighting::Unknown) => was_paused && (is_word || shows_words(full, unknown)),
            // Without a next box only a pile that vanishes at once tells.
            None => is_word && (was_paused && full.count() <= WORD_CELLS || self.cells > 2 * WORD_CELLS),
        }
    }

    /// Whether most of the pile is gone at once.
    fn is_hidden(&self, full: &Board, unknown: &Board) -> bool {
        let Some(pile) = self.pile.filter(|pile| pile.count() >= LEAST_PILE) else { return false };
        let rows = 0..full.height();
        let gone: u32 = rows.map(|y| (pile.row(y) & !full.row(y) & !unknown.row(y)).count_ones()).sum();
        gone as f32 >= HIDDEN_SHARE * pile.count() as f32
    }

    /// Whether rows that were complete are losing their cells.
    fn is_clearing(&mut self, full: &Board, unknown: &Board, signs: Signs) -> bool {
        if signs.spawn.piece().is_some() {
            self.clearing.clear();
        }
        self.clearing.retain_mut(|clear| clear.goes_on(full, unknown, signs.step_ms));
        // The topmost row is never completed by a piece: that is a curtain's beginning.
        for row in (1..full.height()).filter(|&y| full.row(y) == full.full_row()) {
            let cells = full.full_row();
            let lit = (0..full.height()).map(|y| full.row(y) | unknown.row(y)).collect();
            let fresh = Clearing { row, cells, lit, age_ms: 0.0, still_ms: 0.0 };
            match self.clearing.iter_mut().find(|clear| clear.row == row) {
                Some(clear) => *clear = fresh,
                None => self.clearing.push(fresh),
            }
        }
        !self.clearing.is_empty()
    }

    /// A picture that cannot be read as this game's field.
    fn judge_other(&mut self, signs: Signs) -> ScreenState {
        self.clearing.clear();
        self.away_ms += signs.step_ms;
        self.still_ms = if signs.change < STILL_STEPS { self.still_ms + signs.step_ms } else { 0.0 };
        let is_known = self.knows_next || self.cells > 0;
        if signs.variety < FLAT_STEPS && signs.edges < SOME_EDGES || !is_known {
            ScreenState::NotThisGame
        } else if signs.edges >= SOME_EDGES {
            ScreenState::Obscured
        } else if self.still_ms >= MENU_AFTER_MS {
            ScreenState::Menu
        } else if self.away_ms >= ELSEWHERE_AFTER_MS {
            ScreenState::NotThisGame
        } else {
            // A menu that stirs is still a menu; something new may be a hand on its way.
            self.last.filter(|state| *state == ScreenState::Menu).unwrap_or(ScreenState::Obscured)
        }
    }
}

impl Clearing {
    /// Whether the row still only loses cells. (A piece that passes through a gap completes a row, too; then the field as
    /// a whole loses nothing.)
    fn goes_on(&mut self, full: &Board, unknown: &Board, step_ms: f64) -> bool {
        let cells = full.row(self.row);
        self.age_ms += step_ms;
        let lost = self.cells & !cells & !unknown.row(self.row);
        self.still_ms = if lost == 0 { self.still_ms + step_ms } else { 0.0 };
        let is_whole = is_complete(full, unknown, self.row);
        let loses_some = lost.count_ones() <= LOST_AT_ONCE_MAX || cells == 0;
        let only_loses = is_whole || cells & !self.cells == 0 && loses_some && self.loses_more(full, unknown);
        self.cells = cells | unknown.row(self.row) & self.cells;
        only_loses && self.age_ms <= CLEAR_MS && (is_whole || self.still_ms <= STILL_MS)
    }

    /// Whether the field has lost more cells than it has gained since the row was complete; what is unknown is neither.
    fn loses_more(&self, full: &Board, unknown: &Board) -> bool {
        let rows = || self.lit.iter().enumerate();
        let gained: u32 = rows().map(|(y, was)| (full.row(y) & !was).count_ones()).sum();
        let lost: u32 = rows().map(|(y, was)| (was & !full.row(y) & !unknown.row(y)).count_ones()).sum();
        gained < lost
    }
}

/// Whether few cells are lit, in few rows: a word, or nothing.
fn is_word(full: &Board, unknown: &Board) -> bool {
    let lit = |y: &usize| full.row(*y) | unknown.row(*y) != 0;
    let rows = full.height();
    let few = full.count() + unknown.count() <= WORD_CELLS;
    let (first, last) = ((0..rows).find(lit), (0..rows).rev().find(lit));
    few && first.zip(last).is_none_or(|(first, last)| last - first < WORD_ROWS && first > 0)
}

/// Whether more is lit above the pile than a piece lights. The rows of a pile follow each other down to the floor, for each of
/// its cells was laid upon others.
fn shows_words(full: &Board, unknown: &Board) -> bool {
    let rows = full.height();
    let pile = (0..rows).rev().take_while(|&y| full.row(y) | unknown.row(y) != 0).count();
    (0..rows - pile).map(|y| full.row(y).count_ones()).sum::<u32>() > PIECE_CELLS
}

fn is_complete(full: &Board, unknown: &Board, row: usize) -> bool {
    let (cells, doubt) = (full.row(row), unknown.row(row));
    cells | doubt == full.full_row() && doubt.count_ones() <= ROW_UNKNOWN_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Piece;

    const NEXT: Sighting = Sighting::Piece(Piece::T, 0.99);
    const BLANK: Sighting = Sighting::Empty(0.99);
    const PLAY: [&str; 6] = ["...##.....", "...##.....", "..........", "#.........", "###..###..", "####.#####"];
    /// A handheld's words: a letter a cell.
    const WORDS: [&str; 7] =
        ["..........", "..###.....", "..........", "..#####...", "....##....", ".########.", "...####..."];

    /// A field of 18 rows whose lowest are these, with so many empty ones below.
    fn field(rows: &[&str], below: usize) -> CellGrid {
        let mut cells = vec!["..........".to_string(); 18 - rows.len() - below];
        cells.extend(rows.iter().map(|row| row.to_string()));
        cells.extend(vec!["..........".to_string(); below]);
        let p_full = cells
            .concat()
            .chars()
            .map(|cell| match cell {
                '#' => 0.99,
                '?' => 0.6,
                _ => 0.01,
            })
            .collect();
        CellGrid::new(10, 18, p_full).unwrap()
    }

    fn judge(screen: &mut Screen, grid: &CellGrid, next: Sighting) -> ScreenState {
        let spawn = Sighting::Unknown;
        screen.judge(Signs {
            grid: Some(grid),
            spawn,
            next: Some(next),
            edges: 1.0,
            variety: 90.0,
            change: 1.0,
            step_ms: 33.3,
        })
    }

    /// A row goes from its middle, while cells elsewhere are doubted.
    #[test]
    fn a_clear_goes_on_while_other_cells_are_unknown() {
        let mut screen = Screen::default();
        judge(&mut screen, &field(&["##...#....", "##.#######"], 0), NEXT);
        assert_eq!(judge(&mut screen, &field(&["##...#....", "##########"], 0), NEXT), ScreenState::LineClear);
        for rows in [["##?..#....", "####..####"], ["##?.?#.?..", "###....###"], ["##??..????", "##......##"]] {
            assert_eq!(judge(&mut screen, &field(&rows, 0), NEXT), ScreenState::LineClear, "{rows:?}");
        }
        // A piece that passes through a gap completes a row, too, and then stands elsewhere.
        let mut screen = Screen::default();
        judge(&mut screen, &field(&["##########", "##..######"], 0), NEXT);
        assert_eq!(judge(&mut screen, &field(&["##.#######", "###.######"], 0), NEXT), ScreenState::Playing);
    }

    #[test]
    fn a_field_of_words_with_a_blank_box_is_a_pause_seen_before_or_not() {
        let mut screen = Screen::default();
        let words = field(&WORDS, 4);
        assert_eq!(judge(&mut screen.clone(), &words, BLANK), ScreenState::Paused);
        assert_eq!(judge(&mut screen, &field(&PLAY, 0), NEXT), ScreenState::Playing);
        for _ in 0..3 {
            assert_eq!(judge(&mut screen, &words, BLANK), ScreenState::Paused);
        }
        assert_eq!(judge(&mut screen, &field(&PLAY, 0), NEXT), ScreenState::Playing);
    }

    #[test]
    fn a_box_that_the_game_leaves_blank_is_no_pause() {
        let mut screen = Screen::default();
        assert_eq!(judge(&mut screen, &field(&PLAY, 0), BLANK), ScreenState::Playing, "from the beginning");
        assert_eq!(judge(&mut screen, &field(&PLAY, 0), NEXT), ScreenState::Playing);
        assert_eq!(judge(&mut screen, &field(&PLAY, 0), BLANK), ScreenState::Playing, "switched off");
        let alone = field(&PLAY[..2], 9);
        let mut screen = Screen::default();
        assert_eq!(judge(&mut screen, &alone, NEXT), ScreenState::Playing);
        assert_eq!(judge(&mut screen, &field(&PLAY[..2], 8), BLANK), ScreenState::Playing, "a piece alone");
    }

    #[test]
    fn a_pile_that_vanishes_with_the_next_piece_is_hidden_by_a_pause() {
        let mut screen = Screen::default();
        judge(&mut screen, &field(&PLAY, 0), NEXT);
        // A few of a large word's strokes are read as blocks, down to the floor.
        let strokes = ["#.......#.", "..........", "....#.....", "....#.....", ".........#"];
        assert_eq!(judge(&mut screen, &field(&strokes, 0), BLANK), ScreenState::Paused);
    }
}
