//! Two to six players who send each other lines.

use super::game::{Event, Game};
use super::keys::Keys;
use super::lock::LockDown;
use super::settings::{Settings, Variant};
use super::{COLUMNS, ROWS};
use crate::game::Board;
use crate::game::chance::Chance;
use std::ops::RangeInclusive;
use thiserror::Error;

/// How many can play.
pub const PLAYERS: RangeInclusive<usize> = 2..=6;

/// Why a match cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MatchError {
    /// Too few players or too many.
    #[error("{0} players cannot play against each other; give 2 to 6")]
    Players(usize),
    /// Players against each other play with extended placement (seed 002:1516).
    #[error("a match is played with extended placement; choose that lock down, or play alone")]
    LockDown,
}

/// Who gets a player's lines (seed 002:5703, 002:5720).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Targets {
    /// All others, each as many (seed 002:5786).
    #[default]
    All,
    /// Another one, drawn anew each time.
    Random,
    /// Whom each player's target mark is on.
    Marked,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    games: Vec<Game>,
    targets: Targets,
    marks: Vec<usize>,
    random: Chance,
}

impl Match {
    /// So many players on empty fields, against each other whatever variant the settings name. All get the same pieces (seed 002:5736) and the same lines (seed 002:5786).
    ///
    /// # Errors
    /// When there are fewer than two players or more than six, or they would not play with extended placement.
    pub fn new(players: usize, settings: Settings, targets: Targets, seed: u64) -> Result<Self, MatchError> {
        Self::on(Board::new(COLUMNS, ROWS), players, settings, targets, seed)
    }

    /// The same with lines in all fields at the start (seed 002:5711).
    ///
    /// # Errors
    /// When there are fewer than two players or more than six, or they would not play with extended placement.
    pub fn on(
        start: Board,
        players: usize,
        settings: Settings,
        targets: Targets,
        seed: u64,
    ) -> Result<Self, MatchError> {
        if !PLAYERS.contains(&players) {
            return Err(MatchError::Players(players));
        }
        if settings.lock_down != LockDown::Extended {
            return Err(MatchError::LockDown);
        }
        let game = Game::on(start, Settings { variant: Variant::Versus, ..settings }, seed);
        let marks = (0..players).map(|player| (player + 1) % players).collect();
        Ok(Self { games: vec![game; players], targets, marks, random: Chance(!seed) })
    }

    /// The players' games.
    pub fn games(&self) -> &[Game] {
        &self.games
    }

    /// Who is left when all others are out.
    pub fn winner(&self) -> Option<usize> {
        let mut playing = (0..self.games.len()).filter(|player| self.is_playing(*player));
        playing.next().filter(|_| playing.next().is_none())
    }

    /// Whom a player's target mark is on (seed 002:5720).
    pub fn mark(&self, player: usize) -> Option<usize> {
        self.marks.get(player).copied()
    }

    /// A player moves the mark to the next one who still plays.
    pub fn move_mark(&mut self, player: usize) {
        if let Some(next) = self.marks.get(player).and_then(|mark| self.next_playing(*mark, player)) {
            self.marks[player] = next;
        }
    }

    /// What all players hold for so many µs, and what happened to each. Whoever is out does nothing. Lines are sent at the end of
    /// the time, so that no player is better off for being the first; give it in small steps.
    pub fn advance(&mut self, keys: &[Keys], us: u64) -> Vec<Vec<Event>> {
        let held = keys.iter().copied().chain(std::iter::repeat(Keys::NONE));
        let mut events: Vec<Vec<Event>> =
            self.games.iter_mut().zip(held).map(|(game, keys)| game.advance(keys, us)).collect();
        for player in 0..self.games.len() {
            let sent: Vec<u32> = events[player]
                .iter()
                .filter_map(|event| if let Event::Locked { sent, .. } = event { Some(*sent) } else { None })
                .filter(|sent| *sent > 0)
                .collect();
            for lines in sent {
                for target in self.targets_of(player) {
                    events[target].extend(self.games[target].receive(lines));
                }
            }
        }
        events
    }

    fn targets_of(&mut self, player: usize) -> Vec<usize> {
        let others: Vec<usize> =
            (0..self.games.len()).filter(|other| *other != player && self.is_playing(*other)).collect();
        match self.targets {
            Targets::All => others,
            Targets::Random if others.is_empty() => others,
            Targets::Random => vec![others[(self.random.number() % others.len() as u64) as usize]],
            Targets::Marked => {
                // The mark of one who is out goes on to the next.
                if !others.contains(&self.marks[player]) {
                    self.move_mark(player);
                }
                others.into_iter().filter(|other| *other == self.marks[player]).collect()
            }
        }
    }

    fn next_playing(&self, after: usize, but: usize) -> Option<usize> {
        let count = self.games.len();
        (1..=count).map(|step| (after + step) % count).find(|other| *other != but && self.is_playing(*other))
    }

    fn is_playing(&self, player: usize) -> bool {
        self.games[player].end().is_none()
    }
}
