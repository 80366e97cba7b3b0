//! A training as text, to go on from and to be merged with others. Every number is read back to its last bit.
//!
//! It is TOML, which knows numbers without an end, and which the weights are, too. Who writes it does so whole or not at all:
//! a training that is killed at any moment goes on from the iteration before.

use super::settings::SettingsError;
use super::training::Training;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A training that is written down and gone on with.
pub trait Kept: Serialize + DeserializeOwned {
    /// What such a file says of itself; another number where an older one cannot be read any more.
    const FORMAT: &'static str;

    /// Whether anything comes of its settings.
    ///
    /// # Errors
    /// When something is 0, or not known.
    fn check(&self) -> Result<(), SettingsError>;

    /// Whether what was read can have been written.
    fn is_sound(&self) -> bool;

    /// In what it is another training than the one that is asked for, as words: `games 50 and 40`.
    fn differences(&self, wanted: &Self) -> Vec<String>;
}

impl Kept for Training {
    const FORMAT: &'static str = "stackhand training 1";

    fn check(&self) -> Result<(), SettingsError> {
        self.settings().check()
    }

    fn is_sound(&self) -> bool {
        self.is_sound()
    }

    fn differences(&self, wanted: &Self) -> Vec<String> {
        let mut differences = self.settings().differences(wanted.settings());
        if self.shard() != wanted.shard() {
            differences.push(format!("shard {} and {}", self.shard(), wanted.shard()));
        }
        differences
    }
}

/// What its first line begins with.
const SUM: &str = "crc32 = ";

/// Why a text is no training, or several are not of one.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Something else altogether.
    #[error(
        "{name} is no training (nor are weights one: give a checkpoint, or what --shard wrote); remove it to begin anew"
    )]
    Parse {
        /// The file.
        name: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// Not as it was written.
    #[error("the training {name} was cut off or changed after it was written; remove it to begin anew")]
    Damaged {
        /// The file.
        name: String,
    },
    /// Not ours, of another kind, or of another version.
    #[error(
        "{name} is no training of this kind, or none that this version can go on with; remove it to begin anew, name another \
         file, or use the command and the version that wrote it"
    )]
    Format {
        /// The file.
        name: String,
    },
    /// Settings that cannot be.
    #[error("the training {name} has wrong settings")]
    Settings {
        /// The file.
        name: String,
        /// Which.
        source: SettingsError,
    },
    /// Another training than what is to go on.
    #[error(
        "the training {name} is another than what is asked for ({differences}); give it the settings that it has, name \
         another file, or remove it to begin anew"
    )]
    Other {
        /// The file.
        name: String,
        /// In what it differs.
        differences: String,
    },
    /// Two trainings.
    #[error("{name} is of another training than {first}: {differences}; give parts of one training only")]
    Differs {
        /// The file.
        name: String,
        /// The one that was read first.
        first: String,
        /// In what they differ.
        differences: String,
    },
    /// Not all of it.
    #[error(
        "of {runs} runs {} are not there or not finished: {}; run the missing shards, or add --unfinished to take the best \
         of what there is", .missing.len(), list(.missing)
    )]
    Missing {
        /// Their numbers, from 1.
        missing: Vec<u64>,
        /// How many there should be.
        runs: u64,
    },
    /// Nothing at all.
    #[error("not one iteration is done in what was given; let the training run for a while")]
    Nothing,
    /// It cannot be written.
    #[error("the training cannot be written down; please report it")]
    Write(#[from] toml::ser::Error),
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// A training as a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File<T> {
    format: String,
    training: T,
}

/// A training as text. Its first line is a sum of the others, so that none is taken for whole that was cut off in a copy.
///
/// # Errors
/// When a number is none.
pub fn to_text<T: Kept>(training: &T) -> Result<String, CheckpointError> {
    let body = toml::to_string(&File { format: T::FORMAT.into(), training })?;
    Ok(format!("{}\n{body}", first_line(&body)))
}

fn first_line(body: &str) -> String {
    format!("{SUM}\"{:08x}\"", crc32fast::hash(body.as_bytes()))
}

/// A training from its text; `name` is for messages.
///
/// # Errors
/// When it is cut off, damaged, or something else.
pub fn parse<T: Kept>(name: &str, text: &str) -> Result<T, CheckpointError> {
    let name = || name.to_string();
    let parse_error = |source| CheckpointError::Parse { name: name(), source: Box::new(source) };
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    if first.starts_with(SUM) && first != first_line(body) {
        return Err(CheckpointError::Damaged { name: name() });
    }
    let table: toml::Table = toml::from_str(body).map_err(parse_error)?;
    if table.get("format").and_then(toml::Value::as_str).is_some_and(|format| format != T::FORMAT) {
        return Err(CheckpointError::Format { name: name() });
    }
    let File { training, .. }: File<T> = toml::from_str(body).map_err(parse_error)?;
    training.check().map_err(|source| CheckpointError::Settings { name: name(), source })?;
    if training.is_sound() { Ok(training) } else { Err(CheckpointError::Damaged { name: name() }) }
}

/// Whether a training is of this kind, part included: then it can go on.
///
/// # Errors
/// When it is another.
pub fn check_same<T: Kept>(name: &str, found: &T, wanted: &T) -> Result<(), CheckpointError> {
    let differences = found.differences(wanted);
    if differences.is_empty() {
        return Ok(());
    }
    Err(CheckpointError::Other { name: name.into(), differences: differences.join(", ") })
}

/// Joins the parts of one training.
///
/// # Errors
/// When they are parts of several, or runs are missing (unless `unfinished` ones will do).
pub fn merge(parts: Vec<(String, Training)>, unfinished: bool) -> Result<Training, CheckpointError> {
    let mut parts = parts.into_iter();
    let Some((first, mut all)) = parts.next() else { return Err(CheckpointError::Nothing) };
    for (name, part) in parts {
        let differences = part.settings().differences(all.settings());
        if !differences.is_empty() {
            return Err(CheckpointError::Differs { name, first, differences: differences.join(", ") });
        }
        all.join(part);
    }
    match all.missing() {
        missing if missing.is_empty() || unfinished => Ok(all),
        missing => Err(CheckpointError::Missing { missing, runs: all.settings().runs }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::features;
    use super::super::games::Game;
    use super::super::method::Method;
    use super::super::settings::Settings;
    use super::super::training::Shard;
    use super::*;
    use crate::profile::layout::Layout;

    fn small(method: Method) -> Settings {
        let settings = Settings::usual(method, &features::parse("ms3").unwrap(), Game::NesUnturned);
        Settings { runs: 2, iterations: 5, candidates: 10, games: 1, validation_games: 3, ..settings }
    }

    /// Worth more the nearer to 1/3 everywhere.
    fn measure(all: &[Vec<f64>]) -> Vec<f64> {
        all.iter().map(|s| -s.iter().map(|x| (x - 1.0 / 3.0) * (x - 1.0 / 3.0)).sum::<f64>()).collect()
    }

    fn part(shard: &str, iterations: usize) -> Training {
        let mut training = Training::new(small(Method::Swarm), shard.parse().unwrap());
        (0..iterations).for_each(|_| assert!(training.go_on(measure)));
        training
    }

    #[test]
    fn written_down_and_read_after_every_iteration_it_ends_in_the_same_text() {
        for method in [Method::Swarm, Method::Entropy, Method::Cma] {
            let mut straight = Training::new(small(method), Shard::ALL);
            while straight.go_on(measure) {}
            let mut text = to_text(&Training::new(small(method), Shard::ALL)).unwrap();
            loop {
                let mut training: Training = parse("c", &text).unwrap();
                assert_eq!(to_text(&training).unwrap(), text);
                if !training.go_on(measure) {
                    break;
                }
                text = to_text(&training).unwrap();
            }
            assert_eq!(text, to_text(&straight).unwrap());
        }
    }

    #[test]
    fn what_was_cut_off_or_changed_is_refused() {
        let text = to_text(&part("1/1", 7)).unwrap();
        let refusal = |text: &str| parse::<Training>("my.toml", text).unwrap_err().to_string();
        for cut in [20, text.len() / 3, text.len() / 2, text.len() - 3] {
            let said = refusal(&text[..cut]);
            assert!(said.contains("my.toml was cut off or changed") && said.contains("remove it"), "{said}");
        }
        assert!(refusal("").contains("my.toml is no training"));
        let weights = "about = \"\"\nbetter = \"lower\"\n[weights]\nlines = 1.0";
        assert!(refusal(weights).contains("my.toml is no training (nor are weights one"));
        // By hand, with a sum that fits.
        let (_, body) = text.split_once('\n').unwrap();
        let changed = |from: &str, to: &str| {
            assert!(body.contains(from), "{body}");
            let body = body.replace(from, to);
            refusal(&format!("{}\n{body}", first_line(&body)))
        };
        assert!(changed("training 1", "training 9").contains("this version"));
        assert!(changed("\ngames = 1", "\ngames = 0").contains("my.toml has wrong settings"));
        assert!(changed("candidates = 10", "candidates = 11").contains("cut off or changed"));
        assert!(changed("\nruns = 2", "\nruns = 1").contains("cut off or changed"));
        assert!(changed("\"lock_height\", ", "").contains("cut off or changed"));
    }

    #[test]
    fn only_all_parts_of_one_training_are_merged() {
        let named = |training: Training| (format!("{}.toml", training.shard().to_string().replace('/', "-")), training);
        let [first, second] = ["1/2", "2/2"].map(|shard| part(shard, 5));
        let merged = merge(vec![named(first.clone()), named(second.clone())], false).unwrap();
        assert_eq!(merged, part("1/1", 10));
        let missing = merge(vec![named(first.clone())], false).unwrap_err().to_string();
        assert!(missing.contains("of 2 runs 1 are not there or not finished: 2;"), "{missing}");
        let other = Training::new(Settings { games: 9, seed: 3, ..small(Method::Swarm) }, Shard::ALL);
        let differs = merge(vec![named(first), ("o.toml".into(), other)], false).unwrap_err().to_string();
        assert!(
            differs.contains("o.toml is of another training than 1-2.toml: games 9 and 1, seed 3 and 1;"),
            "{differs}"
        );
        assert!(check_same("c", &second, &part("2/2", 0)).is_ok());
        let shard = check_same("c", &second, &part("1/2", 0)).unwrap_err().to_string();
        assert!(shard.contains("shard 2/2 and 1/2"), "{shard}");
    }

    #[test]
    fn the_best_of_unfinished_runs_is_not_lost() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let task = small(Method::Swarm).task(movement);
        assert!(part("1/1", 0).choose(&task).is_none());
        let [first, second] = ["1/2", "2/2"].map(|shard| part(shard, 3));
        let all = merge(vec![("a".into(), first.clone()), ("b".into(), second.clone())], true).unwrap();
        let chosen = all.choose(&task).unwrap();
        let bests = [first, second].map(|part| part.choose(&task).unwrap());
        let best = bests.iter().map(|chosen| chosen.worth.mean).fold(0.0, f64::max);
        assert_eq!(chosen.worth.mean, best);
        assert!(bests.contains(&chosen));
        assert!(all.to_toml(&chosen).contains("2 runs of it unfinished"));
    }
}
