//! A training: some runs that know nothing of each other, an iteration at a time. It can be written down after each.

use super::features;
use super::fitness::{Task, Worth};
use super::method::{State, Turn};
use super::scored::Scored;
use super::settings::Settings;
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// Which of the runs: those whose number leaves `number` − 1 when divided by `of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// From 1.
    number: u64,
    of: u64,
}

impl Shard {
    /// All of them.
    pub const ALL: Self = Self { number: 1, of: 1 };

    /// Whether there is anything that others do.
    pub fn is_all(self) -> bool {
        self.of == 1
    }

    /// Its place among all, from 0.
    pub fn index(self) -> u64 {
        self.number - 1
    }

    fn holds(self, run: u64) -> bool {
        run % self.of == self.number - 1
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let shard = parts.filter(|(number, of)| (1..=*of).contains(number)).map(|(number, of)| Self { number, of });
        shard.ok_or_else(|| format!("{text:?} is no part of a training; write it as 1/4, 2/4, 3/4 or 4/4"))
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    run: u64,
    best: Scored,
}

/// The run under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    run: u64,
    /// Iterations that are done.
    iteration: u64,
    state: State,
}

/// A training, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    shard: Shard,
    settings: Settings,
    current: Option<Current>,
    #[serde(default)]
    finished: Vec<Finished>,
    /// What other parts' unfinished runs came to, where parts were joined.
    #[serde(skip)]
    elsewhere: Vec<Finished>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    /// Iterations that are done, of all runs together.
    pub done: u64,
    /// All iterations.
    pub of: u64,
    /// Runs that are over.
    pub runs: u64,
}

/// The weights that are best, and in what.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The run that they come from, from 1.
    pub run: u64,
    /// The weights, and what they were worth in the games that were trained on.
    pub best: Scored,
    /// What they are worth in the games that choose.
    pub worth: Worth,
}

impl Training {
    /// One that has not begun.
    pub fn new(settings: Settings, shard: Shard) -> Self {
        Self { shard, settings, current: None, finished: Vec::new(), elsewhere: Vec::new() }
    }

    /// What it is.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Which part of one it is.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// How far it is.
    pub fn stand(&self) -> Stand {
        let own = (0..self.settings.runs).filter(|&run| self.shard.holds(run)).count() as u64;
        let runs = self.finished.len() as u64;
        let of = self.settings.iterations;
        let under_way = self.current.as_ref().map_or(0, |current| current.iteration);
        Stand { done: runs * of + under_way, of: own * of, runs }
    }

    /// The best that the run under way came to.
    pub fn best_under_way(&self) -> Option<&Scored> {
        self.current.as_ref().and_then(|current| current.state.best())
    }

    /// Goes on by one iteration; `measure` says what each candidate is worth. Whether anything was left to do.
    pub fn go_on(&mut self, measure: impl FnOnce(&[Vec<f64>]) -> Vec<f64>) -> bool {
        let Some(mut current) = self.current.take().or_else(|| self.next_run()) else { return false };
        let turn = self.turn(current.run, current.iteration);
        let candidates = current.state.candidates(self.settings.candidates as usize, turn);
        current.state.learn(&candidates, &measure(&candidates), turn);
        current.iteration += 1;
        match current.state.best() {
            Some(best) if current.iteration >= self.settings.iterations => {
                self.finished.push(Finished { run: current.run, best: best.clone() });
            }
            _ => self.current = Some(current),
        }
        true
    }

    fn turn(&self, run: u64, iteration: u64) -> Turn {
        Turn { seed: self.settings.seed, run, iteration, iterations: self.settings.iterations }
    }

    fn next_run(&self) -> Option<Current> {
        let is_over = |run: u64| self.finished.iter().any(|finished| finished.run == run);
        let run = (0..self.settings.runs).find(|&run| self.shard.holds(run) && !is_over(run))?;
        let (dimensions, candidates) = (self.settings.features.len(), self.settings.candidates as usize);
        let state = State::new(self.settings.method, dimensions, candidates, self.turn(run, 0));
        Some(Current { run, iteration: 0, state })
    }

    /// The best of each run, those of unfinished ones included, by the games that choose.
    pub fn choose(&self, task: &Task) -> Option<Chosen> {
        let under_way = self.current.iter().filter_map(|current| Some((current.run, current.state.best()?)));
        let finished = self.finished.iter().chain(&self.elsewhere).map(|finished| (finished.run, &finished.best));
        let mut bests: Vec<(u64, &Scored)> = finished.chain(under_way).collect();
        bests.sort_by_key(|(run, _)| *run);
        let features = self.settings.features();
        let weights: Vec<_> = bests.iter().map(|(_, best)| features::to_weights(&features, &best.weights)).collect();
        let worths = task.worth(&weights, &self.settings.validation_seeds());
        let mut chosen: Option<Chosen> = None;
        for ((run, best), worth) in bests.into_iter().zip(worths) {
            // Of equals the first run: in whatever order they were done.
            if chosen.as_ref().is_none_or(|chosen| worth.mean > chosen.worth.mean) {
                chosen = Some(Chosen { run: run + 1, best: best.clone(), worth });
            }
        }
        chosen
    }

    /// The chosen weights as a file.
    pub fn to_toml(&self, chosen: &Chosen) -> String {
        let Settings { measure, validation_games, version, .. } = &self.settings;
        let (unit, missing) = (measure.name(), self.missing().len());
        let whole = if missing == 0 { String::new() } else { format!(", {missing} runs of it unfinished") };
        let about = format!(
            "trained by stackhand {version}: {}{whole}; run {} of {}; {:.2} ± {:.2} {unit} in {validation_games} games that \
             chose it",
            self.settings.command(),
            chosen.run,
            self.settings.runs,
            chosen.worth.mean,
            chosen.worth.se,
        );
        features::to_toml(&about, &self.settings.features(), &chosen.best.weights)
    }

    /// Numbers of runs, from 1, that are not over.
    pub(super) fn missing(&self) -> Vec<u64> {
        let is_over = |run: u64| self.finished.iter().any(|finished| finished.run == run);
        (0..self.settings.runs).filter(|&run| !is_over(run)).map(|run| run + 1).collect()
    }

    /// Takes another part's runs along; of one that both hold, the one that is over.
    pub(super) fn join(&mut self, part: Self) {
        self.shard = Shard::ALL;
        for finished in part.finished {
            if self.finished.iter().all(|known| known.run != finished.run) {
                self.finished.push(finished);
            }
        }
        self.finished.sort_by_key(|finished| finished.run);
        if let Some((run, best)) =
            part.current.and_then(|Current { run, state, .. }| Some((run, state.best()?.clone())))
        {
            self.elsewhere.push(Finished { run, best });
        }
    }

    /// Whether what was read can have been written.
    pub(super) fn is_sound(&self) -> bool {
        let Settings { runs, features, method, candidates, iterations, .. } = &self.settings;
        let is_own = |run: u64| run < *runs && self.shard.holds(run);
        let is_over = |run: u64| self.finished.iter().filter(|finished| finished.run == run).count();
        let finished = self.finished.iter().all(|Finished { run, best }| {
            let weights = &best.weights;
            is_own(*run)
                && is_over(*run) == 1
                && weights.len() == features.len()
                && weights.iter().all(|x| x.is_finite())
        });
        let current = self.current.iter().all(|Current { run, iteration, state }| {
            let is_sound = state.is_sound(*method, features.len(), *candidates as usize);
            is_own(*run) && is_over(*run) == 0 && iteration < iterations && is_sound
        });
        finished && current
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::parse;
    use super::super::games::Game;
    use super::super::method::Method;
    use super::*;

    pub(crate) fn small(method: Method) -> Settings {
        let settings = Settings::usual(method, &parse("ms3").unwrap(), Game::NesUnturned);
        Settings { runs: 5, iterations: 4, candidates: 12, games: 1, ..settings }
    }

    /// Worth more the nearer to 0.2 everywhere.
    fn measure(all: &[Vec<f64>]) -> Vec<f64> {
        all.iter().map(|s| -s.iter().map(|x| (x - 0.2) * (x - 0.2)).sum::<f64>()).collect()
    }

    fn finished(mut training: Training) -> Training {
        while training.go_on(measure) {}
        training
    }

    #[test]
    fn parts_together_do_what_one_does_alone() {
        for method in [Method::Swarm, Method::Entropy, Method::Cma] {
            let alone = finished(Training::new(small(method), Shard::ALL));
            assert_eq!(alone.stand(), Stand { done: 20, of: 20, runs: 5 });
            assert!(alone.missing().is_empty());
            let mut parts =
                ["3/3", "1/3", "2/3"].map(|shard| finished(Training::new(small(method), shard.parse().unwrap())));
            assert_eq!(parts[0].stand().of, 4);
            assert_eq!(parts[0].missing(), [1, 2, 4, 5]);
            let [third, ..] = &mut parts;
            let mut all = third.clone();
            parts.into_iter().for_each(|part| all.join(part));
            assert_eq!(all, alone);
        }
    }

    #[test]
    fn runs_differ_and_none_forgets_its_best() {
        let mut training = Training::new(small(Method::Swarm), Shard::ALL);
        let mut best: Option<Scored> = None;
        for _ in 0..3 {
            training.go_on(measure);
            let now = training.best_under_way().cloned();
            assert!(now.as_ref().unwrap().fitness >= best.map_or(f64::MIN, |best| best.fitness));
            best = now;
        }
        let all = finished(training);
        assert!(all.finished.windows(2).all(|pair| pair[0].best != pair[1].best));
    }

    #[test]
    fn a_shard_is_a_number_of_several() {
        assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
        for wrong in ["", "0/4", "5/4", "1", "a/b", "-1/2", "1/0"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("write it as 1/4"), "{wrong}");
        }
    }
}
