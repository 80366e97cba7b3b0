//! A game as text, to go on with later and to copy the histogram of heights from.

use super::SIZE_MAX;
use super::draw::Draw;
use super::game::{Falling, Game, Looks, Settings, SizeError};
use super::level::{LEVELS, SpeedBias};
use super::pile::Pile;
use super::place::Place;
use crate::game::chance::Chance;
use crate::game::{Orientation, Piece};
use std::fmt::Write;
use std::str::FromStr;
use thiserror::Error;

/// The first line of a saved game.
const HEADING: &str = "standard 2";
/// The same of one that says nothing of looks.
const PLAIN_HEADING: &str = "standard 1";

/// Why a text is no saved game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A line is missing or holds something else.
    #[error("line {line} of the saved game should be {expected}; save the game again, or correct the line")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What belongs there.
        expected: String,
    },
    /// The board cannot be played on.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The falling piece is not where a piece can be.
    #[error(
        "line {line} of the saved game puts the falling piece outside of the board or into the pile; correct its place"
    )]
    Misplaced {
        /// The line, from 1.
        line: usize,
    },
}

impl Game {
    /// The game as text. [`Game::load`] reads it.
    pub fn save(&self) -> String {
        let Settings { initial_level, bias, draw, shows_next, looks } = self.settings;
        let draw = if draw == Draw::Alternating { "alternating" } else { "uniform" };
        let [next, shadow] = [shows_next, looks.has_shadow].map(|is_shown| if is_shown { "shown" } else { "hidden" });
        let colours = if looks.is_monochrome { "one" } else { "many" };
        let falling = self.falling.map_or("none".into(), |Falling { place, iterations }| {
            format!("{} {} {} {iterations}", place.orientation.id(), place.x, place.y)
        });
        let is_over = if self.is_over { "yes" } else { "no" };
        let [columns, rows] = self.pile.size();
        let mut text = format!(
            "{HEADING}\ncolumns {columns}\nrows {rows}\ninitialLevel {initial_level}\nspeedBias {bias}\npieces {draw}\n\
             nextPiece {next}\ncolours {colours}\nshadow {shadow}\nrandom {}\nnext {}\nfalling {falling}\nspawned {}\nlines {}\nscore {}\nover {is_over}\nboard\n",
            self.random.0, self.next, self.pieces, self.lines, self.score,
        );
        self.pile.to_lines().for_each(|line| text.extend([line.as_str(), "\n"]));
        text.push_str("heightHistogram\n");
        for (height, count) in self.heights.iter().enumerate() {
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{height} {count}");
        }
        text
    }

    /// A game from what [`Game::save`] wrote.
    ///
    /// # Errors
    /// When a line is missing or holds something else.
    pub fn load(text: &str) -> Result<Self, LoadError> {
        let mut lines = Lines { all: text.lines(), number: 0 };
        let has_looks = lines.heading()?;
        let size = [lines.value("columns")?, lines.value("rows")?];
        let initial_level = lines.value_if("initialLevel", "a level from 1 to 10", |level| LEVELS.contains(level))?;
        let bias: SpeedBias = lines.value("speedBias")?;
        let draw = lines.one_of("pieces", [("uniform", Draw::Uniform), ("alternating", Draw::Alternating)])?;
        let shows_next = lines.one_of("nextPiece", [("shown", true), ("hidden", false)])?;
        let looks = if has_looks { lines.looks()? } else { Looks::default() };
        let mut game = Self::new(size, Settings { initial_level, bias, draw, shows_next, looks }, 0)?;
        game.random = Chance(lines.value("random")?);
        game.next = lines.read("next", "a piece's letter", |word| {
            let mut letters = word.chars();
            Piece::from_letter(letters.next()?).filter(|_| letters.next().is_none())
        })?;
        game.falling = lines.read("falling", "none, or shape, column, row and iterations", falling)?;
        let falling_line = lines.number;
        game.pieces = lines.value("spawned")?;
        game.lines = lines.value("lines")?;
        game.score = lines.value("score")?;
        game.is_over = lines.one_of("over", [("yes", true), ("no", false)])?;
        lines.exactly("board")?;
        game.pile = lines.pile(size)?;
        lines.exactly("heightHistogram")?;
        for (height, count) in game.heights.iter_mut().enumerate() {
            *count = lines.value(&height.to_string())?;
        }
        if game.falling.is_some_and(|falling| !game.pile.has_room(falling.place)) {
            return Err(LoadError::Misplaced { line: falling_line });
        }
        Ok(game)
    }
}

fn falling(text: &str) -> Option<Option<Falling>> {
    if text == "none" {
        return Some(None);
    }
    let mut words = text.split(' ');
    let orientation = Orientation::from_id(words.next()?.parse().ok()?)?;
    let (x, y) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let iterations = words.next()?.parse().ok()?;
    let is_near = (0..SIZE_MAX[0] as i16).contains(&x) && (0..SIZE_MAX[1] as i16).contains(&y);
    (is_near && words.next().is_none()).then_some(Some(Falling { place: Place { x, y, orientation }, iterations }))
}

/// The lines of a saved game, with the number of the last one.
struct Lines<'a> {
    all: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> &'a str {
        self.number += 1;
        self.all.next().map_or("", str::trim_end)
    }

    fn error(&self, expected: impl Into<String>) -> LoadError {
        LoadError::Line { line: self.number, expected: expected.into() }
    }

    fn exactly(&mut self, wanted: &str) -> Result<(), LoadError> {
        if self.next() == wanted { Ok(()) } else { Err(self.error(format!("{wanted:?}"))) }
    }

    /// The first line; whether looks are told.
    fn heading(&mut self) -> Result<bool, LoadError> {
        match self.next() {
            HEADING => Ok(true),
            PLAIN_HEADING => Ok(false),
            _ => Err(self.error(format!("{HEADING:?}"))),
        }
    }

    fn looks(&mut self) -> Result<Looks, LoadError> {
        let is_monochrome = self.one_of("colours", [("one", true), ("many", false)])?;
        Ok(Looks { is_monochrome, has_shadow: self.one_of("shadow", [("shown", true), ("hidden", false)])? })
    }

    /// What stands behind a key.
    fn read<T>(&mut self, key: &str, what: &str, parse: impl FnOnce(&'a str) -> Option<T>) -> Result<T, LoadError> {
        let value = self.next().strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        value.and_then(parse).ok_or_else(|| self.error(format!("`{key}` and {what}")))
    }

    fn value<T: FromStr>(&mut self, key: &str) -> Result<T, LoadError> {
        self.value_if(key, "a number", |_| true)
    }

    fn value_if<T: FromStr>(&mut self, key: &str, what: &str, is_fine: fn(&T) -> bool) -> Result<T, LoadError> {
        self.read(key, what, |value| value.parse().ok().filter(is_fine))
    }

    fn one_of<T: Copy>(&mut self, key: &str, words: [(&str, T); 2]) -> Result<T, LoadError> {
        let what = format!("{} or {}", words[0].0, words[1].0);
        self.read(key, &what, |word| words.into_iter().find(|(known, _)| *known == word).map(|(_, value)| value))
    }

    fn pile(&mut self, size: [usize; 2]) -> Result<Pile, LoadError> {
        let mut pile = Pile::new(size);
        for y in 0..size[1] {
            let row = self.next();
            if row.len() != size[0] || row.bytes().any(|cell| !matches!(cell, b'#' | b'.')) {
                return Err(self.error(format!("a row of {} cells, each # or .", size[0])));
            }
            row.bytes().enumerate().filter(|(_, cell)| *cell == b'#').for_each(|(x, _)| pile.fill(x, y));
        }
        Ok(pile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::standard::{Request, SIZE};

    fn played(size: [usize; 2], settings: Settings, iterations: u32) -> Game {
        let mut game = Game::new(size, settings, 5).unwrap();
        for iteration in 0..iterations {
            game.request(if iteration % 3 == 0 { Request::Left } else { Request::Rotate });
            game.iterate();
        }
        game
    }

    #[test]
    fn a_game_goes_on_as_it_would_have() {
        let alternating = Settings {
            initial_level: 7,
            bias: SpeedBias::new(-2).unwrap(),
            draw: Draw::Alternating,
            shows_next: false,
            looks: Looks { is_monochrome: true, has_shadow: true },
        };
        for (size, settings) in [
            (SIZE, Settings::default()),
            ([4, 40], alternating),
            ([16, 4], Settings::default()),
            ([200, 400], Settings::default()),
        ] {
            for iterations in [0, 1, 30, 100, 2000] {
                let mut game = played(size, settings, iterations);
                let mut loaded = Game::load(&game.save()).unwrap();
                assert_eq!(loaded, game);
                for _ in 0..200 {
                    assert_eq!(loaded.iterate(), game.iterate());
                }
                assert_eq!(loaded, game);
            }
        }
    }

    #[test]
    fn a_game_that_says_nothing_of_looks_is_gone_on_with_too() {
        let game = played(SIZE, Settings::default(), 100);
        let text = game.save().replace("standard 2", "standard 1");
        let older: Vec<&str> =
            text.lines().filter(|l| !l.starts_with("colours ") && !l.starts_with("shadow ")).collect();
        assert_eq!(older.len() + 2, text.lines().count());
        assert_eq!(Game::load(&older.join("\n")).unwrap(), game);
    }

    #[test]
    fn the_histogram_can_be_copied_from_its_section() {
        // seed 004:1025.
        let game = played(SIZE, Settings::default(), 100);
        let text = game.save();
        let section: Vec<&str> = text.lines().skip_while(|line| *line != "heightHistogram").skip(1).collect();
        let expected = game.height_histogram().iter().enumerate().map(|(height, count)| format!("{height} {count}"));
        assert_eq!(section, expected.collect::<Vec<_>>());
        assert!(game.height_histogram().iter().sum::<u64>() > 0);
    }

    #[test]
    fn what_is_no_saved_game_is_refused_with_its_line() {
        let text = played(SIZE, Settings::default(), 30).save();
        let refused = |from: &str, to: &str| Game::load(&text.replacen(from, to, 1)).unwrap_err();
        let line = |error: LoadError| match error {
            LoadError::Line { line, expected } => (line, expected),
            other => panic!("{other}"),
        };
        assert_eq!(line(refused("standard 2", "standard 3")).0, 1);
        assert_eq!(
            line(refused("initialLevel 1", "initialLevel 11")),
            (4, "`initialLevel` and a level from 1 to 10".into())
        );
        assert_eq!(line(refused("pieces uniform", "pieces bag")), (6, "`pieces` and uniform or alternating".into()));
        assert_eq!(line(refused("colours many", "colours two")), (8, "`colours` and one or many".into()));
        assert_eq!(line(refused("over no", "")).0, 16);
        assert_eq!(line(refused("..........\n", "...\n")), (18, "a row of 10 cells, each # or .".into()));
        assert_eq!(line(Game::load("").unwrap_err()).0, 1);
        let size = refused("columns 10", "columns 201");
        assert_eq!(size, LoadError::Size(SizeError { columns: 201, rows: 20 }));
        let falling = text.lines().find(|line| line.starts_with("falling ")).unwrap();
        assert_eq!(refused(falling, "falling 0 0 5 1"), LoadError::Misplaced { line: 12 });
        // Cut off anywhere, it is refused or, without its last line end, whole.
        for end in 0..text.len() - 1 {
            if let Ok(game) = Game::load(&text[..end]) {
                assert_eq!(game.save().trim_end(), text[..end].trim_end(), "cut at {end}");
            }
        }
    }
}
