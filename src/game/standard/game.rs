//! One game: what a player can ask for, and what a falling iteration does.

use super::draw::Draw;
use super::level::{SpeedBias, actual_level, points};
use super::pile::Pile;
use super::place::Place;
use super::{SIZE, SIZE_MAX, SIZE_MIN};
use crate::game::Piece;
use crate::game::chance::Chance;
use std::ops::RangeInclusive;
use thiserror::Error;

/// A board that cannot be played on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a board of {columns} × {rows} cells is not possible: give 4 to 200 columns and 4 to 400 rows")]
pub struct SizeError {
    /// Columns asked for.
    pub columns: usize,
    /// Rows asked for.
    pub rows: usize,
}

/// A row of junk that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "no row of junk fits below this pile without pushing it out of the board; complete rows first, or insert fewer"
)]
pub struct JunkError;

/// How a game is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The level at the start, 1–10; others are taken as the nearest of these.
    pub initial_level: u8,
    /// How a player has changed the speed.
    pub bias: SpeedBias,
    /// Which pieces come.
    pub draw: Draw,
    /// Whether the next piece is shown.
    pub shows_next: bool,
    /// How the board is drawn.
    pub looks: Looks,
}

/// How a player has the board drawn. Nothing of the game depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Looks {
    /// All blocks in one colour.
    pub is_monochrome: bool,
    /// Whether a shadow shows where the falling piece will land.
    pub has_shadow: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            initial_level: 1,
            bias: SpeedBias::default(),
            draw: Draw::default(),
            shows_next: true,
            looks: Looks::default(),
        }
    }
}

/// What a player can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// A column to the left.
    Left,
    /// A column to the right.
    Right,
    /// A counter-clockwise turn.
    Rotate,
    /// Down at once as far as there is room. The piece lands with the next iteration, which finds it in contact.
    Drop,
}

/// What a falling iteration did, if more than letting the piece fall a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A piece appeared; the other one is the next.
    Spawned(Piece, Piece),
    /// The falling piece landed here and completed so many lines.
    Landed(Place, u8),
    /// A piece had no room to appear.
    GameOver,
}

/// The falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Falling {
    pub(super) place: Place,
    /// Iterations that let it fall.
    pub(super) iterations: u32,
}

/// A game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// How it is played.
    pub settings: Settings,
    pub(super) pile: Pile,
    pub(super) falling: Option<Falling>,
    pub(super) next: Piece,
    pub(super) random: Chance,
    pub(super) pieces: u64,
    pub(super) lines: u32,
    pub(super) score: u64,
    /// How many pieces left a pile of each height.
    pub(super) heights: Vec<u64>,
    pub(super) is_over: bool,
}

/// The same columns and rows, if a board can have so many.
fn possible([columns, rows]: [usize; 2]) -> Result<[usize; 2], SizeError> {
    let is_within = |size: usize, side: usize| RangeInclusive::new(SIZE_MIN[side], SIZE_MAX[side]).contains(&size);
    if is_within(columns, 0) && is_within(rows, 1) { Ok([columns, rows]) } else { Err(SizeError { columns, rows }) }
}

impl Game {
    /// A game before its first iteration; `seed` decides which pieces come.
    ///
    /// # Errors
    /// When the board is too small or too large.
    pub fn new(size: [usize; 2], settings: Settings, seed: u64) -> Result<Self, SizeError> {
        Ok(Self::on(possible(size)?, settings, Chance(seed)))
    }

    /// The same on a board of the usual size.
    pub fn usual(settings: Settings, seed: u64) -> Self {
        Self::on(SIZE, settings, Chance(seed))
    }

    fn on(size: [usize; 2], settings: Settings, mut random: Chance) -> Self {
        Self {
            settings,
            pile: Pile::new(size),
            falling: None,
            next: settings.draw.after(None, &mut random),
            random,
            pieces: 0,
            lines: 0,
            score: 0,
            heights: vec![0; size[1] + 1],
            is_over: false,
        }
    }

    /// Another game of the same settings on an empty board; its pieces go on from those of this one.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::on(self.pile.size(), self.settings, self.random)
    }

    /// The same on an empty board of another size.
    ///
    /// # Errors
    /// When the board is too small or too large.
    pub fn again_on(&self, size: [usize; 2]) -> Result<Self, SizeError> {
        Ok(Self::on(possible(size)?, self.settings, self.random))
    }

    /// The pile.
    pub fn pile(&self) -> &Pile {
        &self.pile
    }

    /// Where the falling piece is; `None` between two pieces and after the game.
    pub fn falling(&self) -> Option<Place> {
        self.falling.map(|falling| falling.place)
    }

    /// Where the falling piece would land if it were dropped now.
    pub fn landing(&self) -> Option<Place> {
        self.falling().map(|place| self.pile.rest_below(place))
    }

    /// The next piece, whether or not it is shown.
    pub fn next(&self) -> Piece {
        self.next
    }

    /// Pieces that appeared.
    pub fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Completed lines.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Points.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// The level that is played, 1–10.
    pub fn level(&self) -> u8 {
        actual_level(self.settings.initial_level, self.lines)
    }

    /// How many pieces left a pile of each height, from 0 to the board's rows, full rows gone.
    pub fn height_histogram(&self) -> &[u64] {
        &self.heights
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Does what a player asks for, if there is room; whether anything changed.
    pub fn request(&mut self, request: Request) -> bool {
        let Some(Falling { place, .. }) = self.falling else { return false };
        let moved = match request {
            Request::Left => place.moved(-1, 0),
            Request::Right => place.moved(1, 0),
            Request::Rotate => place.turned(),
            Request::Drop => self.pile.rest_below(place),
        };
        if moved == place || !self.pile.has_room(moved) {
            return false;
        }
        self.falling = self.falling.map(|falling| Falling { place: moved, ..falling });
        true
    }

    /// One falling iteration.
    pub fn iterate(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        let Some(Falling { place, iterations }) = self.falling else { return Some(self.spawn()) };
        let below = place.moved(0, 1);
        if self.pile.has_room(below) {
            self.falling = Some(Falling { place: below, iterations: iterations + 1 });
            return None;
        }
        Some(self.land(place, iterations))
    }

    /// Inserts a row below the pile that lacks one cell, drawn at random (of junk the article says no more than that it is).
    ///
    /// # Errors
    /// When the pile, or a falling piece, would not fit above it; nothing changes then.
    pub fn insert_junk_row(&mut self) -> Result<(), JunkError> {
        if self.pile.row(0).contains(&true) {
            return Err(JunkError);
        }
        let mut random = self.random;
        let columns = self.pile.size()[0] as u64;
        let raised = self.pile.raised((random.number() % columns) as usize);
        if self.falling.is_some_and(|falling| !raised.has_room(falling.place)) {
            return Err(JunkError);
        }
        (self.pile, self.random) = (raised, random);
        Ok(())
    }

    fn spawn(&mut self) -> Event {
        let piece = self.next;
        let place = Place::of_spawn(piece, self.pile.size()[0]);
        if !self.pile.has_room(place) {
            // The article shows no end of a game; there is none but this.
            self.is_over = true;
            return Event::GameOver;
        }
        self.next = self.settings.draw.after(Some(piece), &mut self.random);
        self.pieces += 1;
        self.falling = Some(Falling { place, iterations: 0 });
        Event::Spawned(piece, self.next)
    }

    /// The piece becomes part of the pile, and completed rows vanish. It is worth what the level says at which it fell.
    fn land(&mut self, place: Place, iterations: u32) -> Event {
        self.falling = None;
        self.pile.stamp(place);
        self.score = self.score.saturating_add(points(self.level(), iterations).into());
        let completed = self.pile.clear_full_rows();
        self.lines = self.lines.saturating_add(completed as u32);
        if let Some(count) = self.heights.get_mut(self.pile.height()) {
            *count += 1;
        }
        Event::Landed(place, completed as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Orientation;
    use crate::game::standard::{PIECES, iteration_ms};

    /// Fills a row but for these columns.
    fn fill_row(game: &mut Game, row: usize, open: &[usize]) {
        (0..game.pile.size()[0]).filter(|x| !open.contains(x)).for_each(|x| game.pile.fill(x, row));
    }

    fn game() -> Game {
        Game::new(SIZE, Settings::default(), 1).unwrap()
    }

    /// A game in which this piece has just appeared.
    fn with(piece: Piece) -> Game {
        let mut game = game();
        game.next = piece;
        assert!(matches!(game.iterate(), Some(Event::Spawned(spawned, _)) if spawned == piece));
        game
    }

    /// Iterations until the falling piece lands, and what that was.
    fn to_landing(game: &mut Game) -> (u32, Event) {
        (1..).find_map(|iteration| game.iterate().map(|event| (iteration, event))).unwrap()
    }

    #[test]
    fn a_piece_appears_with_the_first_iteration_within_the_spawn_region() {
        for piece in PIECES {
            // seed 004:441.
            assert_eq!(game().falling(), None);
            let cells = with(piece).falling().unwrap().cells();
            // seed 004:397: its middle is the 6th column, the top row; seed 004:437: 4 × 2 cells, of which one is the middle.
            assert!(cells.iter().all(|(x, y)| (3..=6).contains(x) && (0..=1).contains(y)), "{piece} {cells:?}");
            assert!(cells.contains(&(5, 0)), "{piece} {cells:?}");
        }
    }

    #[test]
    fn nothing_turns_before_the_first_fall_and_everything_after_it() {
        for piece in PIECES.into_iter().filter(|piece| *piece != Piece::O) {
            let mut game = with(piece);
            // seed 004:431.
            assert!(!game.request(Request::Rotate), "{piece}");
            game.iterate();
            // seed 004:433.
            let shapes = Orientation::shapes(piece).count();
            let mut seen = vec![game.falling().unwrap()];
            for _ in 1..shapes {
                assert!(game.request(Request::Rotate), "{piece}");
                seen.push(game.falling().unwrap());
            }
            assert!(game.request(Request::Rotate));
            assert_eq!(game.falling(), seen.first().copied(), "{piece} has a cycle of its shapes");
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), shapes);
        }
        let mut box_ = with(Piece::O);
        box_.iterate();
        assert!(!box_.request(Request::Rotate));
    }

    #[test]
    fn turns_are_counter_clockwise() {
        let mut game = with(Piece::T);
        game.iterate();
        let pointing: Vec<crate::game::Rotation> = (0..4)
            .map(|_| {
                game.request(Request::Rotate);
                game.falling().unwrap().orientation.rotation()
            })
            .collect();
        use crate::game::Rotation::{Down, Left, Right, Up};
        assert_eq!(pointing, [Right, Up, Left, Down]);
    }

    #[test]
    fn a_piece_lands_with_the_iteration_that_begins_in_contact_and_the_next_comes_one_later() {
        let mut game = with(Piece::T);
        // seed 004:867: 18 rows; seed 004:601: the one after that lands it; seed 004:443.
        let (iterations, event) = to_landing(&mut game);
        assert_eq!(iterations, 19);
        assert!(matches!(event, Event::Landed(place, 0) if place.y == 18), "{event:?}");
        assert_eq!(game.falling(), None);
        assert!(matches!(game.iterate(), Some(Event::Spawned(..))));
        // seed 004:805: approximately 10 s at level 1, and 1 s at level 10.
        assert_eq!([1, 10].map(|level| 19 * iteration_ms(level)), [9500, 950]);
    }

    #[test]
    fn a_dropped_piece_can_still_be_moved_until_the_iteration_that_lands_it() {
        let mut game = with(Piece::O);
        // seed 004:589: without an iteration.
        assert!(game.request(Request::Drop));
        assert!(!game.request(Request::Drop));
        assert!(game.request(Request::Left));
        let before = game.falling().unwrap();
        assert!(matches!(game.iterate(), Some(Event::Landed(pose, 0)) if pose == before));
        assert_eq!(game.score(), 24);
    }

    #[test]
    fn points_are_for_landing_and_not_for_lines() {
        for (piece, fallen) in [(Piece::T, 6), (Piece::I, 5)] {
            let mut game = with(piece);
            to_landing(&mut game);
            // seed 004:823; an I falls a row more (seed 004:873).
            assert_eq!(game.score(), fallen, "{piece}");
        }
        let mut game = with(Piece::I);
        fill_row(&mut game, 19, &[3, 4, 5, 6]);
        game.request(Request::Drop);
        assert_eq!(game.iterate(), Some(Event::Landed(Place { y: 19, ..Place::of_spawn(Piece::I, 10) }, 1)));
        assert_eq!((game.lines(), game.score()), (1, 24));
    }

    #[test]
    fn completed_rows_vanish_as_the_piece_lands_up_to_each_pieces_most() {
        // seed 004:619–631: each piece dropped upright or flat into a hole of its shape.
        for (piece, turns, most) in [
            (Piece::O, 0, 2),
            (Piece::I, 1, 4),
            (Piece::S, 0, 2),
            (Piece::Z, 0, 2),
            (Piece::L, 3, 3),
            (Piece::J, 1, 3),
            (Piece::T, 0, 2),
        ] {
            let mut game = with(piece);
            game.iterate();
            (0..turns).for_each(|_| assert!(game.request(Request::Rotate), "{piece}"));
            let pose = game.falling().unwrap();
            let lowest = pose.cells().map(|(_, y)| y).into_iter().max().unwrap();
            let there = pose.moved(0, 19 - lowest);
            for (_, y) in there.cells() {
                fill_row(&mut game, y as usize, &[]);
            }
            for (x, y) in there.cells() {
                // Open above, so that the piece can fall in.
                (0..=y).for_each(|above| game.pile.clear(x as usize, above as usize));
            }
            game.request(Request::Drop);
            let Some(Event::Landed(landed, lines)) = game.iterate() else { panic!("{piece}") };
            assert_eq!(landed, there, "{piece}");
            assert!(lines <= most, "{piece}: {lines}");
            let open = matches!(piece, Piece::O | Piece::I | Piece::L | Piece::J);
            assert!(!open || lines == most, "{piece}: {lines} of {most}");
        }
    }

    #[test]
    fn pieces_do_not_leave_the_board_nor_enter_the_pile() {
        let mut game = with(Piece::I);
        let columns = |game: &Game| game.falling().unwrap().cells().map(|(x, _)| x);
        // seed 004:585.
        let left = (0..20).filter(|_| game.request(Request::Left)).count();
        assert_eq!((left, columns(&game)[0]), (3, 0));
        let right = (0..20).filter(|_| game.request(Request::Right)).count();
        assert_eq!((right, columns(&game)[3]), (6, 9));
        game.pile.fill(2, 0);
        while game.request(Request::Left) {}
        assert_eq!(columns(&game)[0], 3);
    }

    #[test]
    fn a_piece_without_room_ends_the_game() {
        let mut game = game();
        game.pile.fill(5, 0);
        assert_eq!(game.iterate(), Some(Event::GameOver));
        assert!(game.is_over() && game.iterate().is_none() && !game.request(Request::Left));
        let again = game.again();
        assert!(!again.is_over() && again.pile().count() == 0 && again.lines() == 0);
    }

    #[test]
    fn boards_from_4_by_4_to_200_by_400_are_played_to_the_end() {
        // seed 004:1235.
        for size in [[4, 4], [16, 40], [4, 40], [16, 4], [7, 11], [200, 4], [4, 400], [200, 400]] {
            let mut game = Game::new(size, Settings::default(), 3).unwrap();
            let events = (0..200_000).map_while(|_| (!game.is_over()).then(|| game.iterate()));
            let spawns = events.flatten().filter(|event| matches!(event, Event::Spawned(..))).count() as u64;
            assert!(game.is_over() && spawns > 1, "{size:?}: {spawns}");
            // The last one had no room; each of the others left a pile of some height.
            assert_eq!(game.height_histogram().iter().sum::<u64>(), spawns, "{size:?}");
            assert_eq!(game.height_histogram().len(), size[1] + 1);
        }
        for [columns, rows] in [[3, 20], [201, 20], [10, 3], [10, 401], [0, 0]] {
            let refusal = Game::new([columns, rows], Settings::default(), 3).unwrap_err();
            assert_eq!(refusal, SizeError { columns, rows });
            assert!(refusal.to_string().contains("give 4 to 200 columns and 4 to 400 rows"));
        }
    }

    #[test]
    fn the_histogram_counts_heights_after_rows_have_gone() {
        let mut game = with(Piece::I);
        fill_row(&mut game, 19, &[3, 4, 5, 6]);
        to_landing(&mut game);
        // seed 004:1027.
        assert_eq!(game.height_histogram()[..3], [1, 0, 0]);
        game.next = Piece::O;
        game.iterate();
        to_landing(&mut game);
        assert_eq!(game.height_histogram()[..3], [1, 0, 1]);
    }

    #[test]
    fn junk_rises_from_below_and_lacks_one_cell() {
        let mut game = with(Piece::T);
        game.pile.fill(0, 19);
        game.insert_junk_row().unwrap();
        // seed 004:1195.
        let full = |game: &Game, row: usize| game.pile().row(row).iter().filter(|cell| **cell).count();
        assert_eq!((full(&game, 19), full(&game, 18)), (9, 1));
        assert!(game.pile().is_full(0, 18));
        while game.insert_junk_row().is_ok() {}
        // Until junk would reach the piece that has just appeared, whose lower row is row 1.
        assert_eq!([0, 1].map(|row| full(&game, row)), [0, 1]);
        assert!((2..20).all(|row| full(&game, row) == 9));
        assert_eq!(game.clone().insert_junk_row(), Err(JunkError));
    }

    #[test]
    fn an_earned_level_counts_once_it_is_higher() {
        let mut game = game();
        game.settings.initial_level = 2;
        game.lines = 20;
        assert_eq!(game.level(), 2);
        game.lines = 21;
        assert_eq!(game.level(), 3);
    }
}
