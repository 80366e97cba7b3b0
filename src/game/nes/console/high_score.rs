//! The best three games of each type, and the screen on which a name is entered. $A0EE–$A343.

use super::{Console, GameType, Phase};
use crate::game::Buttons;

/// Games that are remembered of each type.
pub const PLACES: usize = 3;
/// Letters of a name.
pub const LETTERS: usize = 6;
/// What a letter can be: the first is what a new name is made of, the last a blank. Six signs stand behind the digits.
/// $A08C.
const ALPHABET: &[u8; 44] = b"-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,/()\". ";
/// A held button changes the letter whenever the frame counter is divisible by this. $A2C8, $A2F6.
const REPEAT_FRAMES: i64 = 8;
/// A name, a score and a level.
type First = (&'static [u8; LETTERS], [u8; 3], u8);
/// Scores and levels that a console comes with, best first, A-Type and B-Type; the names are our own.
const FIRST: [[First; PLACES]; 2] = [
    [(b"CAMERA", [0x01, 0x00, 0x00], 9), (b"RELAYS", [0x00, 0x75, 0x00], 5), (b"FINGER", [0x00, 0x50, 0x00], 0)],
    [(b"PLAN  ", [0x00, 0x20, 0x00], 9), (b"PRESS ", [0x00, 0x10, 0x00], 5), (b"PROVE ", [0x00, 0x05, 0x00], 0)],
];

/// A game that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighScore {
    /// Who played it: letters by their number, 0–43.
    pub name: [u8; LETTERS],
    /// Its score: two decimal digits a byte, the highest first.
    pub score: [u8; 3],
    /// Its level, 0–255.
    pub level: u8,
}

impl HighScore {
    /// The name as text.
    pub fn letters(&self) -> String {
        self.name.iter().map(|letter| char::from(ALPHABET[usize::from(*letter) % ALPHABET.len()])).collect()
    }
}

/// The best games, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighScores([[HighScore; PLACES]; 2]);

impl Default for HighScores {
    /// As a console comes with them.
    fn default() -> Self {
        let number = |letter: u8| ALPHABET.iter().position(|l| *l == letter).unwrap_or_default() as u8;
        Self(FIRST.map(|games| games.map(|(name, score, level)| HighScore { name: name.map(number), score, level })))
    }
}

impl HighScores {
    /// Those of a game type, best first.
    pub fn of(&self, game_type: GameType) -> &[HighScore; PLACES] {
        &self.0[usize::from(game_type == GameType::B)]
    }

    fn of_mut(&mut self, game_type: GameType) -> &mut [HighScore; PLACES] {
        &mut self.0[usize::from(game_type == GameType::B)]
    }

    /// Puts a game without a name in its place, if it has one: before the first that is not better. $A0EE, $A134.
    fn insert(&mut self, game_type: GameType, score: [u8; 3], level: u8) -> Option<usize> {
        let games = self.of_mut(game_type);
        let place = games.iter().position(|game| game.score <= score)?;
        games[place..].rotate_right(1);
        games[place] = HighScore { name: [0; LETTERS], score, level };
        Some(place)
    }
}

/// A name that is being entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Which table.
    pub game_type: GameType,
    /// The place in it, 0–2. $00D5.
    pub place: usize,
    /// The letter at which the cursor stands, 0–5. $00D4.
    pub letter: usize,
}

impl Console {
    /// A game is over that had this score. The screen on which the name is entered, or the level menu. $9CBF.
    pub(super) fn judge_score(&mut self) {
        let game_type = self.menu.choice.game_type;
        let place = self.high_scores.insert(game_type, self.final_score, self.counters.level);
        self.entry = place.map(|place| Entry { game_type, place, letter: 0 });
        self.phase = Phase::Menu;
        match place {
            Some(_) => self.menu.show_entry(),
            None => self.return_to_level(),
        }
    }

    fn return_to_level(&mut self) {
        // A screen that was looked at waits for one frame more. $A337.
        self.menu.return_to_level(self.entry.take().is_some());
        self.demo.end();
    }

    /// A frame in which a name can be entered. The buttons are looked at one after the other, so that two can be pressed at once.
    /// $A26D–$A336.
    pub(super) fn name_frame(&mut self, pressed: Buttons) {
        if pressed.contains(Buttons::START) {
            return self.return_to_level();
        }
        let Some(entry) = &mut self.entry else { return };
        if pressed.intersects(Buttons::A | Buttons::RIGHT) {
            entry.letter = (entry.letter + 1) % LETTERS;
        }
        if pressed.intersects(Buttons::B | Buttons::LEFT) {
            entry.letter = entry.letter.checked_sub(1).unwrap_or(LETTERS - 1);
        }
        if self.frame.0 % REPEAT_FRAMES != 0 {
            return;
        }
        let name = &mut self.high_scores.of_mut(entry.game_type)[entry.place].name;
        let (letter, last) = (&mut name[entry.letter], ALPHABET.len() as u8 - 1);
        if self.held.contains(Buttons::DOWN) {
            *letter = letter.checked_sub(1).unwrap_or(last);
        }
        if self.held.contains(Buttons::UP) {
            *letter = if *letter == last { 0 } else { *letter + 1 };
        }
    }
}
