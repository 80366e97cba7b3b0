//! What a training is: the same settings give the same weights, on any machine and by any number of threads.

use super::dice::{Purpose, seed};
use super::features::{self, FeaturesError};
use super::fitness::{Measure, Task};
use super::games::Game;
use super::method::Method;
use super::player::Look;
use crate::game::Movement;
use crate::planner::Feature;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version that trains: another one may play otherwise.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The most of anything: beyond that a number is a slip.
pub(super) const COUNT_MAX: u64 = 1_000_000_000_000;
/// The most candidates, iterations, games and runs.
pub(super) const PARTS_MAX: u64 = 1_000_000;

/// Why settings are none.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// A count of nothing.
    #[error("{name} is {count}; give a whole number from 1 to {max}")]
    Count {
        /// The most.
        max: u64,
        /// Which.
        name: &'static str,
        /// What was given.
        count: u64,
    },
    /// Nothing to count by.
    #[error("there is no junk in the game {0}; give --game junk or rising, or another --measure")]
    Junk(&'static str),
    /// No features, or unknown ones.
    #[error(transparent)]
    Features(#[from] FeaturesError),
}

/// How many pieces players look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Looking {
    /// The falling one.
    #[serde(rename = "1")]
    One,
    /// The next one, too.
    #[serde(rename = "2")]
    Two,
    /// Both, which are then placed before the next two are looked at.
    #[serde(rename = "pairs")]
    Pairs,
}

impl Looking {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Pairs];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Pairs => "pairs",
        }
    }

    /// As players do it.
    pub fn look(self) -> Look {
        match self {
            Self::One => Look::One,
            Self::Two => Look::Two,
            Self::Pairs => Look::Pairs,
        }
    }
}

/// The settings of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version that began it.
    pub version: String,
    /// How weights are sought.
    pub method: Method,
    /// The names of the features, in the order of the weights.
    pub features: Vec<String>,
    /// What is played.
    pub game: Game,
    /// What counts in it.
    pub measure: Measure,
    /// How many pieces players look at.
    pub look: Looking,
    /// The level at the start.
    pub level: u8,
    /// Games end after so many lines.
    pub to_lines: Option<u64>,
    /// Games end after so many pieces.
    pub to_pieces: u64,
    /// Candidates of an iteration: the particles of a swarm.
    pub candidates: u64,
    /// Iterations of a run.
    pub iterations: u64,
    /// Games that each candidate plays in an iteration, the same in all.
    pub games: u64,
    /// Runs, which know nothing of each other.
    pub runs: u64,
    /// Games by which the best run is chosen, others than those that are trained on.
    pub validation_games: u64,
    /// What all chance follows from.
    pub seed: u64,
}

/// Refuses a count of nothing, and one that is a slip: name, count, the most.
pub(super) fn check_counts(counts: &[(&'static str, u64, u64)]) -> Result<(), SettingsError> {
    match counts.iter().find(|(_, count, max)| !(1..=*max).contains(count)) {
        Some(&(name, count, max)) => Err(SettingsError::Count { name, count, max }),
        None => Ok(()),
    }
}

/// In what two settings differ, as words: `games 50 and 40`.
pub(super) fn differences<T: Serialize>(ours: &T, theirs: &T) -> Vec<String> {
    let [ours, theirs] = [ours, theirs].map(|settings| toml::Table::try_from(settings).unwrap_or_default());
    let names: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let words = |value: Option<&toml::Value>| value.map_or("none".into(), ToString::to_string);
    let differs = names.into_iter().filter(|name| ours.get(*name) != theirs.get(*name));
    differs.map(|name| format!("{name} {} and {}", words(ours.get(name)), words(theirs.get(name)))).collect()
}

impl Settings {
    /// Table I of the paper that plays without rotation, in its game; by another method with that one's usual candidates.
    pub fn usual(method: Method, features: &[Feature], game: Game) -> Self {
        let (level, to_lines) = game.usual();
        Self {
            version: VERSION.into(),
            method,
            features: features.iter().map(|feature| feature.name().into()).collect(),
            game,
            measure: game.measure(),
            look: Looking::Two,
            level,
            to_lines,
            to_pieces: 100_000,
            candidates: method.candidates(),
            iterations: 200,
            games: 50,
            runs: 20,
            validation_games: 500,
            seed: 1,
        }
    }

    /// Whether anything comes of them.
    ///
    /// # Errors
    /// When something is 0, or a feature is not known.
    pub fn check(&self) -> Result<(), SettingsError> {
        let counts = [
            ("to_pieces", self.to_pieces, COUNT_MAX),
            ("to_lines", self.to_lines.unwrap_or(1), COUNT_MAX),
            ("candidates", self.candidates, PARTS_MAX),
            ("iterations", self.iterations, PARTS_MAX),
            ("games", self.games, PARTS_MAX),
            ("runs", self.runs, PARTS_MAX),
            ("validation_games", self.validation_games, PARTS_MAX),
        ];
        check_counts(&counts)?;
        if self.measure == Measure::LinesPerJunkRow && !self.game.has_junk() {
            return Err(SettingsError::Junk(self.game.name()));
        }
        features::parse(&self.features.join(","))?;
        Ok(())
    }

    /// The features, in the order of the weights.
    pub fn features(&self) -> Vec<Feature> {
        self.features.iter().filter_map(|name| Feature::named(name)).collect()
    }

    /// The game, with pieces that appear and turn in this way.
    pub fn task(&self, movement: Movement) -> Task {
        let contest = self.game.contest(movement, self.level, self.to_lines, self.to_pieces);
        Task { contest, look: self.look.look(), measure: self.measure }
    }

    /// The seeds of the games that are trained on.
    pub fn training_seeds(&self) -> Vec<u64> {
        (0..self.games).map(|game| seed(self.seed, Purpose::TrainingGame, 0, game)).collect()
    }

    /// The seeds of the games by which runs are compared.
    pub fn validation_seeds(&self) -> Vec<u64> {
        (0..self.validation_games).map(|game| seed(self.seed, Purpose::ValidationGame, 0, game)).collect()
    }

    /// The settings in which two trainings differ, as words: `games 50 and 40`.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        differences(self, other)
    }

    /// The command that trains so, without the names of files.
    pub fn command(&self) -> String {
        let usual = Self::usual(self.method, &self.features(), self.game);
        let mut words = vec![
            format!("stackhand train {} --features {}", self.method.name(), features::name(&self.features())),
            format!("--game {}", self.game.name()),
        ];
        let mut add = |is_usual: bool, name: &str, value: &dyn std::fmt::Display| {
            if !is_usual {
                words.push(format!("--{name} {value}"));
            }
        };
        add(self.measure == usual.measure, "measure", &self.measure.name());
        add(self.look == usual.look, "look", &self.look.name());
        add(self.level == usual.level, "level", &self.level);
        add(self.to_lines == usual.to_lines, "to-lines", &self.to_lines.unwrap_or(0));
        add(self.to_pieces == usual.to_pieces, "to-pieces", &self.to_pieces);
        add(self.candidates == usual.candidates, "candidates", &self.candidates);
        add(self.iterations == usual.iterations, "iterations", &self.iterations);
        add(self.games == usual.games, "games", &self.games);
        add(self.runs == usual.runs, "runs", &self.runs);
        add(self.validation_games == usual.validation_games, "validation-games", &self.validation_games);
        add(false, "seed", &self.seed);
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> Settings {
        Settings::usual(Method::Swarm, &features::parse("ms3").unwrap(), Game::NesUnturned)
    }

    #[test]
    fn the_usual_settings_are_those_of_table_i() {
        let Settings { candidates, iterations, games, runs, validation_games, look, .. } = usual();
        assert_eq!([candidates, iterations, runs, games, validation_games], [30, 200, 20, 50, 500]);
        assert_eq!(look, Looking::Two);
        assert!(usual().check().is_ok());
    }

    #[test]
    fn the_command_says_what_is_unusual() {
        assert_eq!(usual().command(), "stackhand train swarm --features ms3 --game nes-unturned --seed 1");
        let other = Settings { games: 7, look: Looking::One, measure: Measure::Score, seed: 9, ..usual() };
        let words =
            "stackhand train swarm --features ms3 --game nes-unturned --measure score --look 1 --games 7 --seed 9";
        assert_eq!(other.command(), words);
        let list = Settings { features: vec!["holes".into(), "lines".into()], ..usual() };
        assert!(list.command().contains("--features holes,lines "));
    }

    #[test]
    fn what_differs_is_named() {
        let other = Settings { games: 40, to_lines: Some(9), ..usual() };
        assert_eq!(usual().differences(&other), ["games 50 and 40", "to_lines none and 9"]);
        assert!(usual().differences(&usual()).is_empty());
    }

    #[test]
    fn settings_of_nothing_are_refused() {
        let refusal = |settings: Settings| settings.check().unwrap_err().to_string();
        assert!(refusal(Settings { games: 0, ..usual() }).contains("games is 0; give a whole number from 1"));
        assert!(refusal(Settings { runs: 0, ..usual() }).contains("runs is 0"));
        assert!(refusal(Settings { candidates: u64::MAX, ..usual() }).contains("candidates is"));
        let junk = Settings { measure: Measure::LinesPerJunkRow, ..usual() };
        assert!(Settings { game: Game::Rising, ..junk.clone() }.check().is_ok());
        assert!(refusal(junk).contains("no junk in the game nes-unturned"));
        assert!(refusal(Settings { features: vec!["x".into()], ..usual() }).contains("no feature \"x\""));
        assert!(refusal(Settings { features: vec![], ..usual() }).contains("no feature"));
    }

    #[test]
    fn games_that_choose_are_others_than_those_that_train() {
        let settings = usual();
        let (training, validation) = (settings.training_seeds(), settings.validation_seeds());
        assert_eq!((training.len(), validation.len()), (50, 500));
        assert!(training.iter().all(|seed| !validation.contains(seed)));
    }
}
