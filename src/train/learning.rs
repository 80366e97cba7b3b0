//! Learning what piles are worth by playing: temporal differences with a rate for each weight.
//!
//! A pile's value is moved towards what came of it: what the next placements were worth when they locked, and the value of the
//! pile after them. At first one piece is placed at a time, hundreds of thousands a second, because nothing is known yet; then
//! two, as the robot plays. Each weight learns the more slowly the more often its errors cancelled (temporal coherence,
//! D. F. Beal and M. C. Smith 1999).

use super::contest::Reach;
use super::pieces::Pieces;
use crate::game::{Board, Piece};
use crate::planner::value::WORTH;
use crate::planner::value::patterns::{ANY, COUNT, Patterns};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The best placements of the falling piece, as far as its own pile tells, that are looked at together with the next piece.
const FIRSTS: usize = 6;
/// The share of an error that all piles together learn.
const WHOLE_RATE: f32 = 0.01;
/// The fewest lines of a lesson: games are as long as what is left of a contest.
const LINES_MIN: u64 = 20;

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The first game's seed; each further game has the next.
    pub seed: u64,
    /// Games in which one piece is placed at a time.
    pub games_of_one: u64,
    /// Games after these, in which two are.
    pub games_of_two: u64,
    /// What a piece later counts less: a factor, 0–1.
    pub discount: f32,
    /// The greatest share of an error that is mended at once when two pieces begin to be placed, 0–1; at the end a tenth of it.
    pub rate_max: f32,
}

impl Course {
    /// The greatest share of an error that is mended at once in this game.
    fn rate_max(&self, game: u64) -> f32 {
        let done = game.saturating_sub(self.games_of_one) as f32 / self.games_of_two.max(1) as f32;
        self.rate_max * (1.0 - 0.9 * done.min(1.0))
    }
}

/// What a lesson came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lesson {
    /// Pieces that were placed.
    pub pieces: u64,
    /// Lines that were cleared.
    pub lines: u64,
    /// Their worth, in lines cleared in fours.
    pub worth: f64,
    /// Whether it ended because a piece found no place.
    pub is_over: bool,
}

impl std::ops::AddAssign for Lesson {
    fn add_assign(&mut self, other: Self) {
        self.pieces += other.pieces;
        self.lines += other.lines;
        self.worth += other.worth;
        self.is_over |= other.is_over;
    }
}

/// Weights that learn.
#[derive(Debug, Clone, PartialEq)]
pub struct Learner {
    /// One for each pattern.
    pub weights: Vec<f32>,
    /// The sum of each weight's errors, and of their sizes.
    errors: Vec<[f32; 2]>,
    /// Games played.
    pub games: u64,
}

impl Default for Learner {
    fn default() -> Self {
        Self { weights: vec![0.0; COUNT], errors: vec![[0.0; 2]; COUNT], games: 0 }
    }
}

impl Learner {
    /// Begins with these weights, one for each pattern, and knows nothing about their errors.
    pub fn from_weights(weights: Vec<f32>) -> Self {
        Self { weights, ..Self::default() }
    }

    /// The mean of learners that went on from one beginning, each by games of its own. `None` without any.
    ///
    /// A value is a sum of weights, so the mean of weights is the mean of values.
    pub fn mean(learners: &[Self]) -> Option<Self> {
        let share = 1.0 / learners.len() as f32;
        let mut mean = Self { games: 0, ..Self::default() };
        for learner in learners {
            mean.games += learner.games;
            mean.weights.iter_mut().zip(&learner.weights).for_each(|(mean, weight)| *mean += share * weight);
            for (mean, errors) in mean.errors.iter_mut().zip(&learner.errors) {
                *mean = [mean[0] + share * errors[0], mean[1] + share * errors[1]];
            }
        }
        (!learners.is_empty()).then_some(mean)
    }

    /// Plays the course's next game and learns from it.
    pub fn play(&mut self, reach: &Reach<'_>, course: &Course) -> Lesson {
        let mut lesson = Playing::new(reach, course, self.games);
        let is_of_one = self.games < course.games_of_one;
        self.games += 1;
        if is_of_one { lesson.one_by_one(self) } else { lesson.two_by_two(self) }
    }

    fn value(&self, patterns: &Patterns) -> f32 {
        patterns.indices().iter().map(|&index| self.weights[index as usize]).sum()
    }

    /// Mends a share of the error of a pile that is worth `target`.
    fn learn(&mut self, patterns: &Patterns, target: f32, rate_max: f32) {
        let error = target - self.value(patterns);
        let share = error / patterns.indices().len() as f32;
        // What is worth more or less on the whole, for another finger say, is soon learned and is no pattern's merit. Without
        // this whatever is looked at often seems worse than what is not, as long as all values are too high.
        self.weights[ANY] += WHOLE_RATE.min(rate_max) * error;
        for &index in patterns.indices().iter().filter(|&&index| index as usize != ANY) {
            let [sum, sizes] = &mut self.errors[index as usize];
            let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
            self.weights[index as usize] += rate.min(rate_max) * share;
            *sum += error;
            *sizes += error.abs();
        }
    }
}

/// How a file of a learner begins; then a line of JSON ([`Head`]), then weights and errors.
const MAGIC: &[u8] = b"stackhand learner 1\n";

/// Why a file is no learner.
#[derive(Debug, Error)]
pub enum LearnerError {
    /// Something else, another version's, or damaged.
    #[error("{name} holds no learning of this version, or is damaged; begin anew with another file")]
    Other {
        /// Its name or path.
        name: String,
    },
    /// It was learning something else.
    #[error("{name} was learning something else ({found}; now {wanted}); give the same options, or another file")]
    Different {
        /// Its name or path.
        name: String,
        /// What it was learning.
        found: String,
        /// What is wanted.
        wanted: String,
    },
}

/// What a learner learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The game, in words.
    pub game: String,
    /// From whose weights it began.
    pub from: String,
    /// How.
    pub course: Course,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, from, course } = self;
        let Course { seed, games_of_one, games_of_two, discount, rate_max } = course;
        write!(f, "{game}, from {from}, seed {seed}, {games_of_one} and {games_of_two} games, ")?;
        write!(f, "discount {discount}, rate {rate_max}")
    }
}

/// What stands before the numbers.
#[derive(Serialize, Deserialize)]
struct Head {
    subject: Subject,
    games: u64,
    /// Of all numbers, CRC-32.
    crc: u32,
}

impl Learner {
    /// As a file from which it goes on as if nothing had been.
    ///
    /// # Errors
    /// Never for what this program made.
    pub fn to_bytes(&self, subject: &Subject) -> Result<Vec<u8>, serde_json::Error> {
        let numbers: Vec<u8> =
            self.weights.iter().chain(self.errors.iter().flatten()).flat_map(|number| number.to_le_bytes()).collect();
        let head = Head { subject: subject.clone(), games: self.games, crc: crc32fast::hash(&numbers) };
        Ok(MAGIC.iter().copied().chain(serde_json::to_vec(&head)?).chain(*b"\n").chain(numbers).collect())
    }

    /// Reads what [`Self::to_bytes`] wrote, and what it was learning; `name` is for messages.
    ///
    /// # Errors
    /// When it is something else, or damaged.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<(Self, Subject), LearnerError> {
        let other = || LearnerError::Other { name: name.into() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(other)?;
        let Head { subject, games, crc } = serde_json::from_slice(&rest[..end]).map_err(|_| other())?;
        let numbers = &rest[end + 1..];
        if numbers.len() != 3 * COUNT * size_of::<f32>() || crc32fast::hash(numbers) != crc {
            return Err(other());
        }
        let mut numbers = numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let weights = numbers.by_ref().take(COUNT).collect();
        let numbers: Vec<f32> = numbers.collect();
        let errors = numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        Ok((Self { weights, errors, games }, subject))
    }
}

/// A game from which is learned.
struct Playing<'a> {
    reach: &'a Reach<'a>,
    course: &'a Course,
    pieces: Pieces,
    board: Board,
    lines_left: u64,
    level: u8,
    lesson: Lesson,
}

/// A pile that was planned, and what is known of it.
struct Planned {
    board: Board,
    patterns: Patterns,
}

/// Two pieces placed as well as can be.
struct Best {
    worth: f32,
    first: Board,
    lines: usize,
    planned: Planned,
}

impl<'a> Playing<'a> {
    fn new(reach: &'a Reach<'a>, course: &'a Course, game: u64) -> Self {
        let contest = reach.contest();
        let seed = course.seed.wrapping_add(game);
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let lines_left = dice.random_range(LINES_MIN.min(contest.to_lines)..=contest.to_lines);
        let pieces = Pieces::new(contest.generator, seed);
        let lesson = Lesson::default();
        let mut playing = Self { reach, course, pieces, board: contest.field, lines_left, level: 0, lesson };
        playing.set_level();
        playing
    }

    fn draw(&mut self) -> Piece {
        self.pieces.next().unwrap_or(Piece::T)
    }

    /// The level at which the contest would have as many lines left.
    fn set_level(&mut self) {
        self.level = self.reach.level_after(self.reach.contest().to_lines - self.lines_left);
    }

    /// The pile is this from now on.
    fn go_on(&mut self, board: Board, lines: usize) {
        self.board = board;
        self.lesson.pieces += 1;
        self.lesson.lines += lines as u64;
        self.lesson.worth += f64::from(WORTH[lines]);
        self.lines_left = self.lines_left.saturating_sub(lines as u64);
        self.set_level();
    }

    fn one_by_one(&mut self, learner: &mut Learner) -> Lesson {
        let mut last: Option<Patterns> = None;
        while self.lines_left > 0 {
            let piece = self.draw();
            let best = self.best_of_one(learner, piece);
            if let Some(last) = last {
                learner.learn(&last, best.as_ref().map_or(0.0, |best| best.worth), 1.0);
            }
            let Some(best) = best else {
                self.lesson.is_over = true;
                break;
            };
            last = Some(best.planned.patterns);
            self.go_on(best.first, best.lines);
        }
        self.lesson
    }

    fn best_of_one(&self, learner: &Learner, piece: Piece) -> Option<Best> {
        let mut best: Option<Best> = None;
        self.reach.for_each_after(self.level, &self.board, piece, |board, lines| {
            let patterns = Patterns::of(&board);
            let worth = WORTH[lines] + self.course.discount * learner.value(&patterns);
            if best.as_ref().is_none_or(|best| worth > best.worth) {
                best = Some(Best { worth, first: board, lines, planned: Planned { board, patterns } });
            }
        });
        best
    }

    fn two_by_two(&mut self, learner: &mut Learner) -> Lesson {
        let (mut piece, mut next) = (self.draw(), self.draw());
        // The pile that was planned before either of these two pieces was seen, and the one planned a piece later.
        let mut planned: [Option<Planned>; 2] = [None, None];
        while self.lines_left > 0 {
            let best = self.best_of_two(learner, &self.board, piece, next);
            let [older, younger] = planned;
            if let Some(older) = older {
                let worth = |best: &Option<Best>| best.as_ref().map_or(0.0, |best| best.worth);
                // Often another pile was built than planned: then what would have come of the plan is looked at.
                let target = if older.board == self.board {
                    worth(&best)
                } else {
                    worth(&self.best_of_two(learner, &older.board, piece, next))
                };
                learner.learn(&older.patterns, target, self.course.rate_max(learner.games));
            }
            let Some(best) = best else {
                self.lesson.is_over = true;
                break;
            };
            planned = [younger, Some(best.planned)];
            self.go_on(best.first, best.lines);
            (piece, next) = (next, self.draw());
        }
        self.lesson
    }

    fn best_of_two(&self, learner: &Learner, board: &Board, piece: Piece, next: Piece) -> Option<Best> {
        let (reach, discount) = (&self.reach, self.course.discount);
        let mut firsts: Vec<(f32, Board, usize)> = Vec::new();
        reach.for_each_after(self.level, board, piece, |after, lines| {
            firsts.push((WORTH[lines] + discount * learner.value(&Patterns::of(&after)), after, lines));
        });
        firsts.sort_by(|a, b| b.0.total_cmp(&a.0));
        firsts.truncate(FIRSTS);
        let mut best: Option<Best> = None;
        for (_, first, lines) in firsts {
            reach.for_each_after(self.level, &first, next, |board, more| {
                let patterns = Patterns::of(&board);
                let worth = WORTH[lines] + discount * (WORTH[more] + discount * learner.value(&patterns));
                if best.as_ref().is_none_or(|best| worth > best.worth) {
                    best = Some(Best { worth, first, lines, planned: Planned { board, patterns } });
                }
            });
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::layout::Layout;
    use crate::train::contest::{Contest, Finger};

    fn contest() -> Contest {
        Contest::console(Layout::load("nes").unwrap().movement().unwrap(), Finger::Free, 19, 40)
    }

    fn course(games_of_one: u64, games_of_two: u64) -> Course {
        Course { seed: 5, games_of_one, games_of_two, discount: 0.99, rate_max: 0.1 }
    }

    fn taught(learner: &mut Learner, course: &Course, games: u64) -> Lesson {
        let contest = contest();
        let reach = Reach::of(&contest);
        let mut sum = Lesson::default();
        (0..games).for_each(|_| sum += learner.play(&reach, course));
        sum
    }

    #[test]
    fn a_pile_comes_to_be_worth_what_came_of_it_and_others_less_so() {
        let mut learner = Learner::default();
        let [mut pile, mut other] = [Board::default(); 2];
        (0..6).for_each(|x| pile.fill(x, 19));
        (0..7).for_each(|y| other.fill(3, 19 - 2 * y));
        let [pile, other] = [pile, other].map(|board| Patterns::of(&board));
        (0..60).for_each(|_| learner.learn(&pile, 5.0, 1.0));
        assert!((learner.value(&pile) - 5.0).abs() < 0.1, "{}", learner.value(&pile));
        assert!(learner.value(&other) < 2.5, "{}", learner.value(&other));
        // Errors that cancel make it slow.
        for i in 0..200 {
            learner.learn(&pile, if i % 2 == 0 { 10.0 } else { 0.0 }, 1.0);
        }
        let before = learner.value(&pile);
        learner.learn(&pile, 100.0, 1.0);
        assert!(learner.value(&pile) - before < 30.0, "{before} {}", learner.value(&pile));
    }

    #[test]
    fn what_was_written_down_goes_on_as_if_nothing_had_been() {
        let course = course(40, 10);
        let subject = Subject { game: "nes".into(), from: "nothing".into(), course };
        let mut learner = Learner::default();
        taught(&mut learner, &course, 30);
        let bytes = learner.to_bytes(&subject).unwrap();
        let (mut again, found) = Learner::from_bytes("mine", &bytes).unwrap();
        assert_eq!((&again, &found), (&learner, &subject));
        taught(&mut learner, &course, 15);
        taught(&mut again, &course, 15);
        assert_eq!(again.to_bytes(&subject).unwrap(), learner.to_bytes(&subject).unwrap());
        let refusal = |bytes: &[u8]| Learner::from_bytes("mine", bytes).unwrap_err().to_string();
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("mine holds no learning"));
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(refusal(&damaged).contains("damaged"));
    }

    #[test]
    fn a_mean_is_between_and_counts_all_games() {
        let course = course(20, 0);
        let [mut one, mut two] = [Learner::default(), Learner::default()];
        taught(&mut one, &course, 10);
        taught(&mut two, &Course { seed: 99, ..course }, 20);
        let mean = Learner::mean(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(mean.games, 30);
        let is_between = |((mean, one), two): ((&f32, &f32), &f32)| (mean - (one + two) / 2.0).abs() < 1e-4;
        assert!(mean.weights.iter().zip(&one.weights).zip(&two.weights).all(is_between));
        assert!(Learner::mean(&[]).is_none());
    }

    #[test]
    fn the_share_that_is_mended_falls_to_a_tenth() {
        let course = course(100, 50);
        assert_eq!(
            [0, 100, 125, 150, 900].map(|game| (1000.0 * course.rate_max(game)).round()),
            [100.0, 100.0, 55.0, 10.0, 10.0]
        );
    }
}
