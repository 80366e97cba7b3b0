//! Learning what piles are worth by playing: temporal differences with a rate for each weight.
//!
//! A pile with a piece about to fall is worth what the best placement of that piece gives, the mean over all pieces that may
//! follow, for the player sees the follower before it decides. One look at all placements therefore tells what to do and, with
//! no chance in it but in which piles come, what the pile was worth; its value is moved there. Each weight learns the more
//! slowly the more often its errors cancelled (temporal coherence, D. F. Beal and M. C. Smith 1999).
//!
//! In the game of the literature nobody sees the follower: there the best is what is best on the mean over all of them.

mod file;
mod playing;

pub use file::{LearnerError, Subject};
pub(super) use playing::{Placed, Placements};

use super::contest::{Finger, Reach};
use super::fitness::Measure;
use super::player::followers;
use crate::game::machine::Region;
use crate::game::{Board, Piece};
use crate::planner::evaluate::{LANES, Worths};
use crate::planner::value::patterns::{ANY, Sight};
use crate::planner::value::{About, Gains, LINES, POINTS, Table, Value, most_alike};
use serde::{Deserialize, Serialize};

/// The share of its errors that a pattern remembers at the next: what it went through when nothing was known soon counts no more.
const REMEMBERED: f32 = 0.999;
/// The share of an error that all piles together learn.
const WHOLE_RATE: f32 = 0.01;
/// What a piece is taken to bring while nothing is known, in lines cleared in fours: a little less than the
/// best play comes to, which is four lines in fours by ten pieces.
const HOPE: f32 = 0.3;
/// The fewest lines of a lesson: games are as long as what is left of a contest.
const LINES_MIN: u64 = 20;
/// The weight that all pieces share stands in the place of none.
pub(super) const SHARED: usize = LANES - 1;

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The first game's seed; each further game has the next.
    pub seed: u64,
    /// Games to play.
    pub games: u64,
    /// What counts: points or lines.
    pub measure: Measure,
    /// What a piece later counts less: a factor, 0–1.
    pub discount: f32,
    /// What each placed piece counts beside its lines, in lines cleared in fours (or lines), 0 or more: the more, the less is
    /// risked, for a game that is over counts nothing from then on.
    #[serde(default)]
    pub survival: f32,
    /// The greatest share of an error that is mended at once, 0–1; at the end a fiftieth of it.
    pub rate_max: f32,
    /// Placements of each piece after which all of the next one are looked at, before one of them is taken; with 1 that is the one
    /// which seems best.
    #[serde(default = "one")]
    pub finalists: usize,
}

/// The finalists of files that do not say.
fn one() -> usize {
    1
}

impl Course {
    /// What a piece with 0–4 lines is worth.
    pub fn gains(&self) -> Gains {
        self.gains_of_lines().map(|gain| gain + self.survival)
    }

    /// The same without what it counts that it was placed at all.
    fn gains_of_lines(&self) -> Gains {
        if self.measure == Measure::Lines { LINES } else { POINTS }
    }

    /// The greatest share of an error that is mended at once in this game.
    fn rate_max(&self, game: u64) -> f32 {
        rate_max(self.rate_max, game, self.games)
    }
}

/// The greatest share of an error that is mended at once in this of so many games; at the end a fiftieth of what it was.
pub(super) fn rate_max(first: f32, game: u64, games: u64) -> f32 {
    let done = game as f32 / games.max(1) as f32;
    first * 0.02f32.powf(done.min(1.0))
}

/// What a lesson came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lesson {
    /// Pieces that were placed.
    pub pieces: u64,
    /// Lines that were cleared.
    pub lines: u64,
    /// Their worth, in lines cleared in fours; where lines count, in lines.
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

/// Weights that learn, and how far they are to be trusted.
#[derive(Debug, Clone, PartialEq)]
struct Memory {
    /// Of each pattern, by the piece that falls next; the last is shared by all pieces.
    weights: Table,
    /// The sum of each pattern's errors, and of their sizes.
    errors: Vec<[f32; 2]>,
}

/// Weights that learn, a table for each speed of a contest.
#[derive(Debug, Clone, PartialEq)]
pub struct Learner {
    /// Frames that a piece takes for a row, as many as there are tables.
    frames_per_row: Vec<u8>,
    /// How often each piece follows each other one, 0–1, both by [`Piece::index`].
    followers: [[f32; 7]; 7],
    sight: Sight,
    /// Columns and rows of the field.
    field: [usize; 2],
    tables: Vec<Memory>,
    /// Games played.
    pub games: u64,
}

impl Memory {
    fn from_weights(weights: Table) -> Self {
        Self { errors: vec![[0.0; 2]; weights.len()], weights }
    }

    /// What the pile is worth by the piece that falls next.
    #[inline(always)]
    fn worths(&self, sight: Sight, board: &Board) -> Worths {
        let mut sums = [0.0; LANES];
        sight.for_each(board, |indices| self.add(indices, &mut sums));
        sums.map(|sum| sum + sums[SHARED])
    }

    #[inline(always)]
    fn add(&self, indices: &[u32], sums: &mut Worths) {
        for &index in indices {
            for (sum, weight) in sums.iter_mut().zip(&self.weights[index as usize]) {
                *sum += weight;
            }
        }
    }

    /// Mends a share of the error of a pile that is worth `target` when this piece falls next.
    fn learn(&mut self, patterns: &[u32], piece: Piece, target: f32, rate_max: f32) {
        let mut sums = [0.0; LANES];
        self.add(patterns, &mut sums);
        let error = target - (sums[piece.index()] + sums[SHARED]);
        let share = error / (2 * patterns.len()) as f32;
        // What is worth more or less on the whole, for another finger say, is soon learned and is no pattern's merit. Without
        // this whatever is looked at often seems worse than what is not, as long as all values are too high.
        self.weights[ANY][SHARED] += WHOLE_RATE.min(rate_max) * error;
        for &index in patterns.iter().filter(|&&index| index as usize != ANY) {
            let index = index as usize;
            mend(&mut self.weights[index], &mut self.errors[index], piece, error, share, rate_max);
        }
    }
}

/// Mends one pattern's weights by its share of an error, the less the more its errors cancelled, and remembers the error.
#[inline(always)]
pub(super) fn mend(
    weights: &mut Worths,
    [sum, sizes]: &mut [f32; 2],
    piece: Piece,
    error: f32,
    share: f32,
    rate_max: f32,
) {
    let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
    let mended = rate.min(rate_max) * share;
    weights[piece.index()] += mended;
    weights[SHARED] += mended;
    *sum = REMEMBERED * *sum + error;
    *sizes = REMEMBERED * *sizes + error.abs();
}

/// For each piece its own weight and the shared one together.
pub(super) fn by_piece(weights: &Worths) -> Worths {
    let mut whole = weights.map(|weight| weight + weights[SHARED]);
    whole[SHARED] = 0.0;
    whole
}

impl Learner {
    /// Knows nothing, and hopes: who expects nothing of any pile never lives to see a line cleared.
    pub fn new(reach: &Reach<'_>, course: &Course) -> Self {
        let mut table = vec![[0.0; LANES]; sight(reach).count()];
        table[ANY][SHARED] = (HOPE + course.survival) / (1.0 - course.discount);
        Self::with_tables(reach, sight(reach), vec![table; reach.speeds().len()])
    }

    /// Begins with a value's weights, at each speed of this contest with those of the speed most like it. What is summed up over
    /// fewer pieces, by another discount, is worth that much less; and each pile as much more as its pieces count by another
    /// survival.
    /// What knew the outline alone goes on with wider parts of it, of which it knows nothing yet: from nothing these only slow
    /// it down.
    /// `None` if it looks at other patterns than are looked at in this contest, or at another field.
    pub fn from_value(reach: &Reach<'_>, value: &Value, course: &Course) -> Option<Self> {
        if !fits(reach, value) {
            return None;
        }
        let (about, sight) = (value.about(), sight(reach).widened());
        let (frames_per_row, mut known) = (reach.speeds(), value.tables());
        let shorter = (1.0 - about.discount) / (1.0 - course.discount);
        known.iter_mut().flatten().flatten().for_each(|weight| *weight *= shorter);
        let more = (course.gains()[0] - about.gains[0]) / (1.0 - course.discount);
        known.iter_mut().for_each(|table| {
            table[ANY][SHARED] += more;
            table.resize(sight.count(), [0.0; LANES]);
        });
        let alike = |frames: u8| known[most_alike(&value.about().frames_per_row, frames)].clone();
        Some(Self::with_tables(reach, sight, frames_per_row.into_iter().map(alike).collect()))
    }

    fn with_tables(reach: &Reach<'_>, sight: Sight, tables: Vec<Table>) -> Self {
        let followers = followers(reach.contest().generator).map(|row| row.map(|share| share as f32));
        let tables = tables.into_iter().map(Memory::from_weights).collect();
        let field = field(reach);
        Self { frames_per_row: reach.speeds(), followers, sight, field, tables, games: 0 }
    }

    /// The mean of learners that went on from one beginning, each by games of its own. `None` without any, or if they played at
    /// other speeds.
    ///
    /// A value is a sum of weights, so the mean of weights is the mean of values.
    pub fn mean(learners: &[Self]) -> Option<Self> {
        let mut mean = learners.first()?.clone();
        let share = 1.0 / learners.len() as f32;
        for (i, memory) in mean.tables.iter_mut().enumerate() {
            let of =
                |learner: &Self| learner.tables.get(i).map(|memory| (memory.weights.clone(), memory.errors.clone()));
            let all: Vec<_> = learners.iter().map(of).collect::<Option<_>>()?;
            for index in 0..mean.sight.count() {
                let weights = |lane: usize| all.iter().map(|(weights, _)| share * weights[index][lane]).sum();
                let errors = |which: usize| all.iter().map(|(_, errors)| share * errors[index][which]).sum();
                memory.weights[index] = std::array::from_fn(weights);
                memory.errors[index] = std::array::from_fn(errors);
            }
        }
        mean.games = learners.iter().map(|learner| learner.games).sum();
        let kind = |learner: &Self| (learner.frames_per_row.clone(), learner.sight, learner.field);
        learners.iter().all(|learner| kind(learner) == kind(&mean)).then_some(mean)
    }

    /// What was learned; `None` if the weights are no numbers any more.
    pub fn value(&self, about: String, course: &Course) -> Option<Value> {
        let tables: Vec<Table> =
            self.tables.iter().map(|memory| memory.weights.iter().map(by_piece).collect()).collect();
        let (frames_per_row, followers) = (self.frames_per_row.clone(), self.followers);
        let (discount, gains) = (course.discount, course.gains());
        let (sight, field) = (self.sight, self.field);
        let last_lines = Vec::new();
        let about = About { about, discount, scale: 1.0, gains, sight, field, frames_per_row, followers, last_lines };
        Value::rounded(about, &tables)
    }

    /// Which table tells of this level.
    fn table(&self, level: u8) -> usize {
        most_alike(&self.frames_per_row, Region::Ntsc.frames_per_row(level))
    }
}

/// What is looked at from nothing: the outline. Who cannot turn pieces slides them into caves, and cares what they are
/// like; who can only drop them has to open what is covered, row by row.
fn sight(reach: &Reach<'_>) -> Sight {
    match reach.contest().finger {
        Finger::Unturned | Finger::Dropping => Sight::Windows,
        Finger::Free | Finger::Standard | Finger::Timed { .. } => Sight::Outline,
    }
}

/// Whether a value looks at the patterns that are looked at in this contest, and at its field.
pub fn fits(reach: &Reach<'_>, value: &Value) -> bool {
    value.about().sight.widened() == sight(reach).widened() && value.about().field == field(reach)
}

/// Columns and rows of the field.
fn field(reach: &Reach<'_>) -> [usize; 2] {
    let field = &reach.contest().field;
    [field.width(), field.height()]
}

#[cfg(test)]
mod tests {
    use super::playing::mirrored;
    use super::*;
    use crate::planner::value::count_alike;
    use crate::profile::layout::Layout;
    use crate::train::contest::{Contest, Finger};

    fn contest() -> Contest {
        Contest::console(Layout::load("nes").unwrap().movement().unwrap(), Finger::Free, 19, 40)
    }

    fn course(games: u64) -> Course {
        Course { seed: 5, games, measure: Measure::Score, discount: 0.99, survival: 0.0, rate_max: 0.5, finalists: 1 }
    }

    fn new() -> Learner {
        Learner::new(&Reach::of(&contest()), &course(1))
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
        let mut memory = Memory::from_weights(vec![[0.0; LANES]; Sight::Outline.count()]);
        let [mut pile, mut other] = [Board::default(); 2];
        (0..6).for_each(|x| pile.fill(x, 19));
        (0..7).for_each(|y| other.fill(3, 19 - 2 * y));
        let worth = |memory: &Memory, board: &Board, piece: Piece| memory.worths(Sight::Outline, board)[piece.index()];
        let patterns = Sight::Outline.all(&pile);
        (0..60).for_each(|_| memory.learn(&patterns, Piece::L, 5.0, 1.0));
        assert!((worth(&memory, &pile, Piece::L) - 5.0).abs() < 0.1);
        // Other piles have few patterns of this one, and other pieces share half of what was learned.
        assert!(worth(&memory, &other, Piece::L) < 2.5);
        assert!((2.0..4.5).contains(&worth(&memory, &pile, Piece::I)), "{}", worth(&memory, &pile, Piece::I));
        // Errors that cancel make it slow.
        for i in 0..200 {
            memory.learn(&patterns, Piece::L, if i % 2 == 0 { 10.0 } else { 0.0 }, 1.0);
        }
        let before = worth(&memory, &pile, Piece::L);
        memory.learn(&patterns, Piece::L, 100.0, 1.0);
        assert!(worth(&memory, &pile, Piece::L) - before < 30.0, "{before}");
    }

    #[test]
    fn from_nothing_it_learns_not_to_lose() {
        let (contest, course) = (contest(), Course { discount: 0.9, ..course(1000) });
        let reach = Reach::of(&contest);
        let mut learner = Learner::new(&reach, &course);
        let mut lost = |games: u64| (0..games).filter(|_| learner.play(&reach, &course).is_over).count();
        let (first, _, last) = (lost(100), lost(700), lost(100));
        assert!(first > 90 && last < 60, "{first} {last}");
    }

    #[test]
    fn the_more_each_piece_counts_for_itself_the_fewer_games_are_lost() {
        let contest = contest();
        let reach = Reach::of(&contest);
        let first = Course { discount: 0.9, ..course(1000) };
        let mut learner = Learner::new(&reach, &first);
        (0..1000).for_each(|_| _ = learner.play(&reach, &first));
        let value = learner.value("mine".into(), &first).unwrap();
        let lost = |survival: f32| {
            let course = Course { seed: 5000, survival, ..first };
            let mut learner = Learner::from_value(&reach, &value, &course).unwrap();
            let ends: Vec<bool> = (0..1000).map(|_| learner.play(&reach, &course).is_over).collect();
            ends[300..].iter().filter(|&&is_over| is_over).count()
        };
        let (rash, careful) = (lost(0.0), lost(0.2));
        assert!(4 * careful < 3 * rash, "{rash} {careful}");
    }

    #[test]
    fn what_was_written_down_goes_on_as_if_nothing_had_been() {
        let course = course(50);
        let subject = Subject { game: "nes".into(), from: "nothing".into(), course };
        let mut learner = new();
        taught(&mut learner, &course, 30);
        let bytes = learner.to_bytes(&subject).unwrap();
        let (mut again, found) = Learner::from_bytes("mine", &bytes).unwrap();
        assert_eq!((&again, &found), (&learner, &subject));
        taught(&mut learner, &course, 15);
        taught(&mut again, &course, 15);
        assert!(again.to_bytes(&subject).unwrap() == learner.to_bytes(&subject).unwrap());
        // Files that were begun before finalists were known go on, too.
        let said = br#","finalists":1"#;
        let at = bytes.windows(said.len()).position(|part| part == said).unwrap();
        let older = [&bytes[..at], &bytes[at + said.len()..]].concat();
        assert_eq!(Learner::from_bytes("mine", &older).unwrap().1, subject);
        let refusal = |bytes: &[u8]| Learner::from_bytes("mine", bytes).unwrap_err().to_string();
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("mine holds no learning"));
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(refusal(&damaged).contains("damaged"));
    }

    #[test]
    fn a_value_is_taken_over_as_it_was() {
        let mut learner = new();
        taught(&mut learner, &course(40), 40);
        let value = learner.value("mine".into(), &course(40)).unwrap();
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let hand = crate::planner::Hand::new(1, 1).unwrap();
        let finger = Finger::Timed { hand, style: crate::planner::Style::Taps, reaction_frames: 0 };
        let contest = Contest::console(movement, finger, 18, 230);
        let reach = Reach::of(&contest);
        let sooner = Course { discount: 0.98, ..course(40) };
        let timed = Learner::from_value(&reach, &value, &sooner).unwrap();
        assert_eq!(timed.frames_per_row, [3, 2]);
        let mut board = Board::default();
        (0..4).for_each(|x| board.fill(x, 19));
        let worths = |memory: &Memory| memory.worths(Sight::Outline, &board);
        let (old, new) = (worths(&learner.tables[0]), worths(&timed.tables[1]));
        assert!((0..7).all(|lane| (old[lane] / 2.0 - new[lane]).abs() < 0.2), "{old:?} {new:?}");
        // Where each piece counts for itself, all piles are worth more by what fifty pieces count then, and no more again later.
        let careful = Course { survival: 0.2, ..sooner };
        let more = Learner::from_value(&reach, &value, &careful).unwrap();
        assert!((worths(&more.tables[1])[0] - new[0] - 10.0).abs() < 0.01);
        let value = more.value("mine".into(), &careful).unwrap();
        assert!(count_alike(&value.about().gains, &POINTS) && value.about().gains != POINTS);
        let less = Learner::from_value(&reach, &value, &sooner).unwrap();
        assert!((worths(&less.tables[1])[0] - new[0]).abs() < 0.2);
    }

    #[test]
    fn a_mean_is_between_and_counts_all_games() {
        let course = course(20);
        let [mut one, mut two] = [new(), new()];
        taught(&mut one, &course, 10);
        taught(&mut two, &Course { seed: 99, ..course }, 20);
        let mean = Learner::mean(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(mean.games, 30);
        let weights = |learner: &Learner| learner.tables[0].weights.concat();
        let all = weights(&mean).into_iter().zip(weights(&one)).zip(weights(&two));
        let mut differ = 0;
        for ((mean, one), two) in all {
            differ += usize::from(one != two);
            assert!((mean - (one + two) / 2.0).abs() < 1e-4);
        }
        assert!(differ > 1000, "{differ}");
        assert!(Learner::mean(&[]).is_none());
        two.frames_per_row = vec![1];
        assert!(Learner::mean(&[one, two]).is_none());
    }

    #[test]
    fn lines_count_without_turns_and_a_mirrored_pile_teaches_too() {
        let finger = Finger::Unturned;
        let contest = Contest { finger, ..contest() };
        let reach = Reach::of(&contest);
        let course = Course { measure: Measure::Lines, ..course(1200) };
        let mut learner = Learner::new(&reach, &course);
        let lines = |learner: &mut Learner, games: u64| {
            (0..games).map(|_| learner.play(&reach, &course).lines).sum::<u64>() as f64 / games as f64
        };
        let (first, _, last) = (lines(&mut learner, 200), lines(&mut learner, 800), lines(&mut learner, 200));
        assert!(last > first + 0.3, "{first} {last}");
        let value = learner.value("mine".into(), &course).unwrap();
        assert_eq!((value.about().gains, value.about().sight), (LINES, Sight::Windows));
        assert!(
            Learner::from_value(&Reach::of(&Contest { finger: Finger::Free, ..contest }), &value, &course).is_none()
        );
        let mut pile = Board::default();
        (0..3).for_each(|x| pile.fill(x, 19));
        let (seen, piece) = mirrored(&pile, Piece::J);
        assert_eq!((seen.row(19), piece), (0b11_1000_0000, Piece::L));
        let worth = |board: &Board, piece: Piece| learner.tables[0].worths(Sight::Windows, board)[piece.index()];
        assert!((worth(&pile, Piece::J) - worth(&seen, Piece::L)).abs() < 3.0);
    }

    #[test]
    fn in_a_lower_field_who_sees_no_follower_learns_by_the_mean_of_all() {
        let (finger, generator) = (Finger::Dropping, crate::train::Generator::Uniform);
        let contest = Contest { finger, generator, field: Board::new(10, 10), ..contest() };
        let reach = Reach::of(&contest);
        let course = Course { measure: Measure::Lines, discount: 0.9, ..course(1500) };
        let mut learner = Learner::new(&reach, &course);
        let mut lines = |games: u64| (0..games).map(|_| learner.play(&reach, &course).lines).sum::<u64>() as f64;
        let (first, _, last) = (lines(200), lines(1100), lines(200));
        assert!(last > 2.0 * first, "{first} {last}");
        let value = learner.value("mine".into(), &course).unwrap();
        assert_eq!((value.about().sight, value.about().field), (Sight::Windows, [10, 10]));
        let whole = Contest { field: Board::default(), ..contest.clone() };
        assert!(Learner::from_value(&Reach::of(&contest), &value, &course).is_some());
        assert!(Learner::from_value(&Reach::of(&whole), &value, &course).is_none());
    }

    #[test]
    fn the_share_that_is_mended_falls_to_a_fiftieth() {
        let course = course(100);
        assert_eq!([0, 50, 100, 900].map(|game| (1000.0 * course.rate_max(game)).round()), [500.0, 71.0, 10.0, 10.0]);
    }
}
