//! Players compared: each plays the same games, with the same pieces.

use super::contest::{Contest, Outcome, Player, View};
use super::statistics::{Tally, Times};
use crate::game::orientation::Pose;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Games that are played before any of them is told: what is kept of each by itself is no more than that.
const BATCH: u64 = 64;
/// What is under way is told after as many pieces.
const TELL_EVERY: u64 = 4096;
/// Parts of a game in which the work done is counted.
const PARTS: f64 = 1e6;

/// Who plays what.
pub struct Tournament<'a, P> {
    /// The game.
    pub contest: &'a Contest,
    /// The players; a new game is begun with a copy.
    pub players: &'a [P],
    /// The seeds of the games.
    pub seeds: Range<u64>,
    /// A clock, ns: how long a move takes. The counts do not depend on it.
    pub clock_ns: &'a (dyn Fn() -> u64 + Sync),
    /// Hears how much of all games is done, 0–1, whenever that changes noticeably, from any thread.
    pub hear: &'a (dyn Fn(f64) + Sync),
}

/// One game of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// The player's place in the list.
    pub player: usize,
    /// The game's seed.
    pub seed: u64,
    /// What it came to.
    pub outcome: Outcome,
}

/// All games of one player.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// What the games came to, by seed.
    pub outcomes: Vec<Outcome>,
    /// What was counted in them.
    pub tally: Tally,
    /// How long moves took.
    pub times: Times,
}

impl<P: Player + Clone + Send + Sync> Tournament<'_, P> {
    /// Plays all games on the threads of the pool it is called in, and shows each to `see`: by seed, the players in their
    /// order. However many threads there are, the same games come out.
    ///
    /// # Errors
    /// What `see` gives up with.
    pub fn play<E>(&self, mut see: impl FnMut(&Game) -> Result<(), E>) -> Result<Vec<Standing>, E> {
        let none = |_: &P| Standing {
            outcomes: Vec::new(),
            tally: Tally::of_all(&self.contest.field),
            times: Times::default(),
        };
        let mut standings: Vec<Standing> = self.players.iter().map(none).collect();
        let players = self.players.len();
        let games = (self.seeds.end - self.seeds.start) * players as u64;
        let progress = Progress { parts: AtomicU64::new(0), games, hear: self.hear };
        for from in (0..games).step_by(BATCH as usize) {
            let numbers: Vec<u64> = (from..games.min(from + BATCH)).collect();
            let play = |&number: &u64| self.play_one(number, &progress);
            let batch: Vec<(Game, Tally, Times)> = numbers.par_iter().with_max_len(1).map(play).collect();
            for (game, tally, times) in batch {
                see(&game)?;
                let standing = &mut standings[game.player];
                standing.outcomes.push(game.outcome);
                standing.tally.add(&tally);
                standing.times.merge(&times);
            }
        }
        Ok(standings)
    }

    fn play_one(&self, number: u64, progress: &Progress<'_>) -> (Game, Tally, Times) {
        let players = self.players.len() as u64;
        let (player, seed) = ((number % players) as usize, self.seeds.start + number / players);
        let mut timed =
            Timed { player: self.players[player].clone(), clock_ns: self.clock_ns, times: Times::default() };
        let mut tally = Tally::of_game(&self.contest.field);
        let (mut pieces, mut lines, mut told) = (0, 0, 0);
        let outcome = self.contest.play(seed, &mut timed, |lock| {
            tally.see(lock);
            (pieces, lines) = (pieces + 1, lines + lock.step.lines as u64);
            if pieces % TELL_EVERY == 0 {
                let of = |count: u64, all: u64| (count as f64 / all.max(1) as f64).min(1.0);
                let share = of(pieces, self.contest.to_pieces).max(of(lines, self.contest.to_lines));
                told = progress.tell(told, share);
            }
        });
        progress.tell(told, 1.0);
        (Game { player, seed, outcome }, tally, timed.times)
    }
}

/// How far all games are.
struct Progress<'a> {
    parts: AtomicU64,
    games: u64,
    hear: &'a (dyn Fn(f64) + Sync),
}

impl Progress<'_> {
    /// A game of which `told` parts were counted is `share` done; the parts that are counted now.
    fn tell(&self, told: u64, share: f64) -> u64 {
        let now = ((share * PARTS) as u64).max(told);
        let all = self.parts.fetch_add(now - told, Ordering::Relaxed) + now - told;
        (self.hear)(all as f64 / PARTS / self.games.max(1) as f64);
        now
    }
}

/// A player whose moves are timed.
struct Timed<'a, P> {
    player: P,
    clock_ns: &'a (dyn Fn() -> u64 + Sync),
    times: Times,
}

impl<P: Player> Player for Timed<'_, P> {
    fn choose(&mut self, view: &View<'_>) -> Option<Pose> {
        let began = (self.clock_ns)();
        let choice = self.player.choose(view);
        self.times.add((self.clock_ns)().saturating_sub(began));
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Weights;
    use crate::profile::layout::Layout;
    use crate::train::contest::{Ending, Finger};
    use crate::train::pieces::Generator;
    use crate::train::player::{Look, Searcher};
    use std::convert::Infallible;
    use std::sync::Mutex;

    fn contest(to_lines: u64, to_pieces: u64) -> Contest {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let contest = Contest::console(movement, Finger::Dropping, 18, to_lines);
        Contest { generator: Generator::Uniform, to_pieces, ..contest }
    }

    fn played(contest: &Contest, threads: usize, seeds: Range<u64>) -> (Vec<Game>, Vec<Standing>, Vec<f64>) {
        let evaluators = ["dellacherie", "bcts"].map(|name| Weights::named(name).unwrap());
        let players = [0, 1].map(|i| Searcher::new(&evaluators[i], Look::One, Generator::Uniform));
        let heard = Mutex::new(Vec::new());
        let hear = |share| heard.lock().unwrap().push(share);
        let tournament = Tournament { contest, players: &players, seeds, clock_ns: &|| 0, hear: &hear };
        let mut games = Vec::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let standings = pool.install(|| {
            tournament.play(|game| {
                games.push(*game);
                Ok::<(), Infallible>(())
            })
        });
        (games, standings.unwrap(), heard.into_inner().unwrap())
    }

    #[test]
    fn the_same_games_come_out_whatever_the_number_of_threads() {
        let contest = contest(40, 1000);
        let (games, standings, _) = played(&contest, 1, 5..25);
        assert_eq!((games.clone(), standings.clone()), {
            let (games, standings, _) = played(&contest, 3, 5..25);
            (games, standings)
        });
        let order: Vec<(usize, u64)> = games.iter().take(4).map(|game| (game.player, game.seed)).collect();
        assert_eq!((games.len(), order), (40, vec![(0, 5), (1, 5), (0, 6), (1, 6)]));
        for (player, standing) in standings.iter().enumerate() {
            let own: Vec<Outcome> =
                games.iter().filter(|game| game.player == player).map(|game| game.outcome).collect();
            assert_eq!(standing.outcomes, own);
            let pieces: u64 = own.iter().map(|outcome| outcome.pieces).sum();
            assert_eq!(standing.tally.sum().pieces, pieces);
        }
    }

    #[test]
    fn a_player_alone_plays_the_games_it_plays_among_others() {
        let contest = contest(30, 1000);
        let (_, both, _) = played(&contest, 2, 1..4);
        let weights = Weights::named("bcts").unwrap();
        let mut player = Searcher::new(&weights, Look::One, Generator::Uniform);
        let alone: Vec<Outcome> = (1..4).map(|seed| contest.play(seed, &mut player, |_| ())).collect();
        assert_eq!(both[1].outcomes, alone);
        assert!(alone.iter().all(|outcome| outcome.ending == Ending::Finished && outcome.lines >= 30));
    }

    #[test]
    fn what_is_told_of_the_work_rises_to_all_of_it() {
        let (_, _, mut heard) = played(&contest(u64::MAX, 10_000), 2, 0..2);
        // Two reports within each of the four games, and one at its end.
        assert_eq!(heard.len(), 12);
        heard.sort_by(f64::total_cmp);
        assert!((0.09..0.11).contains(&heard[0]) && (heard[11] - 1.0).abs() < 1e-9, "{heard:?}");
    }
}
