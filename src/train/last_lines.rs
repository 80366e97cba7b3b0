//! Learning what the last lines before a game's end are worth, by playing them: temporal differences, as in
//! [`learning`](super::learning), about what a value that was learned in long games does not know.
//!
//! A lesson begins with an empty field and is played on as in a long game for some lines, so that a pile stands there as one
//! does; then come the lines that teach. What is learned is added up of few patterns: the whole of a pile, and what it is worth
//! in a long game, of which a share still counts.

use super::contest::Reach;
use super::learning::{Lesson, Placed, Placements, SHARED, by_piece, mend, rate_max};
use super::pieces::Pieces;
use crate::game::{Board, Piece};
use crate::planner::evaluate::{ByNext, Ending, LANES, Worths, mean};
use crate::planner::value::ending::of_the_whole;
use crate::planner::value::patterns::{WHOLE_ANY, WHOLE_COUNT};
use crate::planner::value::{Table, Value};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Lines that are played first, at least and at most: what stands there then is any pile of a long game.
const FIRST_LINES: [u64; 2] = [8, 30];
/// The share of an error that the share of a long game's worth learns, at most.
const SHARE_RATE: f32 = 0.02;
/// The share by which the usual worth in a long game follows each pile's.
const USUAL_RATE: f32 = 0.01;

/// How to learn it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndCourse {
    /// The first game's seed; each further game has the next.
    pub seed: u64,
    /// Games to play.
    pub games: u64,
    /// Lines before the end that are learned.
    pub last_lines: u64,
    /// The greatest share of an error that is mended at once, 0–1; at the end a fiftieth of it.
    pub rate_max: f32,
}

/// What is known of so many lines before the end.
#[derive(Debug, Clone)]
struct Line {
    /// How much of what a pile is worth more or less than usual in a long game it is worth more or less here.
    share: f32,
    /// What piles are usually worth in a long game, once one was seen.
    usual: Option<f32>,
    weights: Table,
    /// The sum of each pattern's errors, and of their sizes.
    errors: Vec<[f32; 2]>,
}

/// Learns what the last lines are worth to who plays long games by this value.
pub struct EndLearner<'a> {
    value: &'a Value,
    course: EndCourse,
    lines: Vec<Line>,
    games: u64,
}

impl Line {
    /// Nothing learned yet: who expects that all lines are cleared in fours plays for it.
    fn new(line: u64) -> Self {
        let mut weights = vec![[0.0; LANES]; WHOLE_COUNT];
        weights[WHOLE_ANY][SHARED] = line as f32;
        Self { share: 0.0, usual: None, weights, errors: vec![[0.0; 2]; WHOLE_COUNT] }
    }

    fn worths(&self, long: &Worths, whole: &[usize]) -> Worths {
        let mut sums = [0.0; LANES];
        for &index in whole {
            sums.iter_mut().zip(&self.weights[index]).for_each(|(sum, weight)| *sum += weight);
        }
        let usual = self.usual.unwrap_or_default();
        std::array::from_fn(|lane| self.share * (long[lane] - usual) + sums[lane] + sums[SHARED])
    }

    fn learn(&mut self, long: &Worths, whole: &[usize], piece: Piece, target: f32, rate_max: f32) {
        let worth = long[piece.index()];
        let usual = self.usual.get_or_insert(worth);
        *usual += USUAL_RATE * (worth - *usual);
        let more = worth - *usual;
        let error = target - self.worths(long, whole)[piece.index()];
        self.share += SHARE_RATE.min(rate_max) * error * more / (1.0 + more * more);
        let part = error / (2 * whole.len()).max(1) as f32;
        for &index in whole {
            mend(&mut self.weights[index], &mut self.errors[index], piece, error, part, rate_max);
        }
    }

    /// For each piece its own weights, what is usual included.
    fn whole(&self) -> Table {
        let mut table: Table = self.weights.iter().map(by_piece).collect();
        let usual = self.share * self.usual.unwrap_or_default();
        table[WHOLE_ANY].iter_mut().for_each(|weight| *weight -= usual);
        table
    }
}

impl<'a> EndLearner<'a> {
    /// Knows nothing yet.
    pub fn new(value: &'a Value, course: EndCourse) -> Self {
        let lines = (1..=course.last_lines).map(Line::new).collect();
        Self { value, course, lines, games: 0 }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Whether of some of the last lines nothing was learned, because no game came so far.
    pub fn is_untaught(&self) -> bool {
        self.lines.iter().any(|line| line.usual.is_none())
    }

    /// The value, which now knows it; `None` if the weights are no numbers any more.
    pub fn value(&self) -> Option<Value> {
        let shares = self.lines.iter().map(|line| line.share).collect();
        let tables: Vec<Table> = self.lines.iter().map(Line::whole).collect();
        let EndCourse { seed, last_lines, rate_max, .. } = self.course;
        let how = format!("{last_lines} lines by {} games, rate {rate_max}, seed {seed}", self.games);
        self.value.clone().with_last_lines(shares, &tables, &how)
    }

    /// Plays the course's next game and learns from its end; the lesson tells of that alone.
    pub fn play(&mut self, reach: &Reach<'_>) -> Lesson {
        let seed = self.course.seed.wrapping_add(self.games);
        let rate_max = rate_max(self.course.rate_max, self.games, self.course.games);
        self.games += 1;
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let [least, most] = FIRST_LINES;
        let to_lines = reach.contest().to_lines;
        let mut lines_left = (self.course.last_lines + dice.random_range(least..=most)).min(to_lines);
        let mut pieces = Pieces::new(reach.contest().generator, seed);
        let mut draw = || pieces.next().unwrap_or(Piece::T);
        let (mut board, mut piece, mut next) = (reach.contest().field, draw(), draw());
        let mut lesson = Lesson::default();
        while lines_left > 0 {
            let placed = self.placed(reach, &board, piece, lines_left);
            let level = reach.level_after(to_lines - lines_left);
            let followers = &self.value.about().followers[piece.index()];
            let long = ByNext::worths(self.value, level, &board);
            let whole = self.whole(&board);
            let is_taught = self.knows(lines_left);
            if let Some(line) = self.lines.get_mut(lines_left as usize - 1) {
                line.learn(&long, &whole, piece, mean(followers, &placed.best), rate_max);
            }
            let Some(&Placed { board: after, lines, .. }) = placed.chosen(next) else {
                lesson.is_over = true;
                break;
            };
            if is_taught {
                lesson.pieces += 1;
                lesson.lines += lines as u64;
                lesson.worth += f64::from(self.value.gain_before_end(lines));
            }
            board = after;
            lines_left = lines_left.saturating_sub(lines as u64);
            (piece, next) = (next, draw());
        }
        lesson
    }

    fn knows(&self, lines_left: u64) -> bool {
        lines_left <= self.course.last_lines
    }

    fn whole(&self, board: &Board) -> Vec<usize> {
        of_the_whole(&self.value.about().sight.all(board)).collect()
    }

    /// What the placements of a piece are good for, in a long game or before the end.
    fn placed(&self, reach: &Reach<'_>, board: &Board, piece: Piece, lines_left: u64) -> Placements {
        let to_lines = reach.contest().to_lines;
        let is_last = self.knows(lines_left);
        let worths = |board: &Board, lines: usize| {
            let left = lines_left.saturating_sub(lines as u64);
            let level = reach.level_after(to_lines - left);
            if is_last { self.worths(level, board, left) } else { ByNext::worths(self.value, level, board) }
        };
        let gain = |lines| if is_last { self.value.gain_before_end(lines) } else { self.value.gain(lines) };
        let counts = (&std::array::from_fn(gain), if is_last { 1.0 } else { self.value.discount() });
        let level = reach.level_after(to_lines - lines_left);
        Placements::of(reach, &self.value.about().followers, counts, (board, level), piece, worths)
    }

    /// What a pile is worth with so few lines left; nothing when the game is over.
    fn worths(&self, level: u8, board: &Board, lines_left: u64) -> Worths {
        let line = (lines_left as usize).checked_sub(1).and_then(|line| self.lines.get(line));
        line.map_or([0.0; LANES], |line| line.worths(&ByNext::worths(self.value, level, board), &self.whole(board)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::contest::{Contest, Finger};
    use super::*;
    use crate::planner::Brain;
    use crate::profile::layout::Layout;

    /// The end that is learned with a value that comes with the program, and what the last lines were worth in the first games
    /// and in the last.
    fn learned(last_lines: u64, games: u64) -> (Value, f64, f64) {
        let contest = Contest::console(Layout::load("nes").unwrap().movement().unwrap(), Finger::Free, 19, 60);
        let reach = Reach::of(&contest);
        let value = Brain::value("learned-free").unwrap();
        let mut learner = EndLearner::new(&value, EndCourse { seed: 9, games, last_lines, rate_max: 0.5 });
        let mut mean = |games: u64| (0..games).map(|_| learner.play(&reach).worth).sum::<f64>() / games as f64;
        let part = games / 4;
        let (first, _, last) = (mean(part), mean(games - 2 * part), mean(part));
        (learner.value().unwrap(), first, last)
    }

    #[test]
    fn it_learns_to_end_with_fours() {
        let (value, first, last) = learned(6, 800);
        assert!(last > first + 1.0, "of six lines and what came with them: {first} {last}");
        assert!(value.ending(6).is_some() && value.ending(7).is_none());
        // A pile that is worth more in a long game still is.
        assert!(value.about().last_lines.iter().all(|share| *share > 0.0), "{:?}", value.about().last_lines);
    }

    #[test]
    fn the_same_seed_teaches_the_same() {
        let [one, other] = [0, 1].map(|_| learned(3, 40).0.to_bytes().unwrap());
        assert_eq!(one, other);
    }
}
