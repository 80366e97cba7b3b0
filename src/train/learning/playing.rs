//! Games from which is learned, and what the placements of a piece are good for.

use super::{Course, LINES_MIN, Learner, Lesson};
use crate::game::{Board, Piece};
use crate::planner::evaluate::{LANES, Worths, mean};
use crate::planner::value::Gains;
use crate::planner::value::patterns::Sight;
use crate::train::contest::{Finger, Reach};
use crate::train::pieces::Pieces;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Ordering;

/// A piece seldom has more places than so many.
const PLACEMENTS_USUAL: usize = 40;

/// A pile and the piece that falls on it, as a mirror shows them.
pub(super) fn mirrored(board: &Board, piece: Piece) -> (Board, Piece) {
    let mut mirrored = *board;
    let shift = u16::BITS as usize - board.width();
    board.rows().iter().enumerate().for_each(|(y, row)| mirrored.set_row(y, row.reverse_bits() >> shift));
    let piece = match piece {
        Piece::J => Piece::L,
        Piece::L => Piece::J,
        Piece::S => Piece::Z,
        Piece::Z => Piece::S,
        alike => alike,
    };
    (mirrored, piece)
}

impl Learner {
    /// Plays the course's next game and learns from it.
    pub fn play(&mut self, reach: &Reach<'_>, course: &Course) -> Lesson {
        let lesson = Playing::new(reach, course, self);
        let rate_max = course.rate_max(self.games);
        self.games += 1;
        lesson.play(self, rate_max)
    }
}

/// A game from which is learned.
struct Playing<'a> {
    reach: &'a Reach<'a>,
    course: &'a Course,
    gains: Gains,
    followers: [[f32; 7]; 7],
    pieces: Pieces,
    board: Board,
    lines_left: u64,
    lesson: Lesson,
}

/// What one placement makes of a pile.
#[derive(Clone, Copy)]
pub struct Placed {
    /// The pile.
    pub board: Board,
    /// Lines that it cleared, 0–4.
    pub lines: usize,
    /// What they count, and what the pile does, by the piece that falls then.
    worths: Worths,
}

/// What the placements of a piece are good for.
pub struct Placements {
    /// The worth of the best by the piece that falls then; none is worth less than nothing.
    pub best: Worths,
    all: Vec<Placed>,
}

/// Which placement is taken when the next piece is known.
struct Choice {
    placed: Option<Placed>,
    /// What it is worth more than the best seemed to be.
    more: f32,
    /// What the next piece's placements are good for after it, if that was looked at.
    then: Option<Placements>,
}

impl Placements {
    /// All that a piece can make of this pile at this level, where `worths` says what piles are worth after so many lines, and
    /// these count so much at once and piles so much less. To who does not see what falls then, always the mean counts.
    #[inline(always)]
    pub fn of(
        reach: &Reach<'_>,
        followers: &[[f32; 7]; 7],
        (gains, discount): (&Gains, f32),
        (board, level): (&Board, u8),
        piece: Piece,
        worths: impl Fn(&Board, usize) -> Worths,
    ) -> Self {
        let mut placements = Self { best: [0.0; LANES], all: Vec::with_capacity(PLACEMENTS_USUAL) };
        let sees_next = reach.contest().finger != Finger::Dropping;
        reach.for_each_after(level, board, piece, |board, lines| {
            let mut worths = worths(&board, lines);
            if !sees_next {
                worths = [mean(&followers[piece.index()], &worths); LANES];
            }
            let worths = worths.map(|worth| gains[lines] + discount * worth);
            for (best, worth) in placements.best.iter_mut().zip(&worths) {
                *best = best.max(*worth);
            }
            placements.all.push(Placed { board, lines, worths });
        });
        placements
    }

    /// The best if this piece falls then, the first among equals; `None` if there is no place.
    pub fn chosen(&self, next: Piece) -> Option<&Placed> {
        let better = |best, placed| if Self::order(next)(best, placed).is_gt() { placed } else { best };
        self.all.iter().reduce(better)
    }

    /// So many of the best if this piece falls then.
    fn finalists(&self, next: Piece, count: usize) -> Vec<&Placed> {
        let mut all: Vec<&Placed> = self.all.iter().collect();
        all.sort_by(|a, b| Self::order(next)(a, b));
        all.truncate(count);
        all
    }

    /// The best first.
    fn order(next: Piece) -> impl Fn(&Placed, &Placed) -> Ordering {
        move |a, b| b.worths[next.index()].total_cmp(&a.worths[next.index()])
    }
}

impl<'a> Playing<'a> {
    fn new(reach: &'a Reach<'a>, course: &'a Course, learner: &Learner) -> Self {
        let contest = reach.contest();
        let seed = course.seed.wrapping_add(learner.games);
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let lines_left = dice.random_range(LINES_MIN.min(contest.to_lines)..=contest.to_lines);
        let pieces = Pieces::new(contest.generator, seed);
        let (followers, lesson) = (learner.followers, Lesson::default());
        Self { reach, course, gains: course.gains(), followers, pieces, board: contest.field, lines_left, lesson }
    }

    fn draw(&mut self) -> Piece {
        self.pieces.next().unwrap_or(Piece::T)
    }

    /// The level at which the contest would have as many lines left.
    fn level(&self, lines_left: u64) -> u8 {
        self.reach.level_after(self.reach.contest().to_lines - lines_left)
    }

    fn play(mut self, learner: &mut Learner, rate_max: f32) -> Lesson {
        let gains_of_lines = self.course.gains_of_lines();
        let (mut piece, mut next) = (self.draw(), self.draw());
        let mut known = None;
        while self.lines_left > 0 {
            let pile = (&self.board, self.lines_left);
            let placements = known.take().unwrap_or_else(|| self.placements(learner, pile, piece));
            let Choice { placed, more, then } = self.choose(learner, &placements, next);
            let worth = mean(&self.followers[piece.index()], &placements.best) + more;
            let table = learner.table(self.level(self.lines_left));
            learner.tables[table].learn(&learner.sight.all(&self.board), piece, worth, rate_max);
            if learner.sight == Sight::Windows {
                // Where nothing is turned on its way down a game seen in a mirror is nearly the same game: each pile teaches
                // twice.
                let (board, piece) = mirrored(&self.board, piece);
                learner.tables[table].learn(&learner.sight.all(&board), piece, worth, rate_max);
            }
            let Some(Placed { board, lines, .. }) = placed else {
                self.lesson.is_over = true;
                break;
            };
            self.board = board;
            self.lesson.pieces += 1;
            self.lesson.lines += lines as u64;
            self.lesson.worth += f64::from(gains_of_lines[lines]);
            self.lines_left = self.lines_left.saturating_sub(lines as u64);
            known = then;
            (piece, next) = (next, self.draw());
        }
        self.lesson
    }

    /// What seems best if this piece falls then; or the best of those that seem so once all that can be made of them was looked
    /// at.
    ///
    /// What such a look finds more, or less, is added to the mean over all followers: on the mean over many games that is what a
    /// pile is worth to who looks so far, and chance has less of a say than if only this follower counted.
    fn choose(&self, learner: &Learner, placements: &Placements, next: Piece) -> Choice {
        if self.course.finalists < 2 {
            return Choice { placed: placements.chosen(next).copied(), more: 0.0, then: None };
        }
        let further = |placed: &Placed| {
            let lines_left = self.lines_left.saturating_sub(placed.lines as u64);
            let then = self.placements(learner, (&placed.board, lines_left), next);
            let expected = mean(&self.followers[next.index()], &then.best);
            (self.gains[placed.lines] + self.course.discount * expected, *placed, then)
        };
        let finalists = placements.finalists(next, self.course.finalists).into_iter().map(further);
        let best = finalists.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let Some((worth, placed, then)) = best else { return Choice { placed: None, more: 0.0, then: None } };
        let more = worth.max(0.0) - placements.best[next.index()];
        Choice { placed: Some(placed), more, then: Some(then) }
    }

    fn placements(&self, learner: &Learner, (board, lines_left): (&Board, u64), piece: Piece) -> Placements {
        let worths = |board: &Board, lines: usize| {
            let after = self.level(lines_left.saturating_sub(lines as u64));
            learner.tables[learner.table(after)].worths(learner.sight, board)
        };
        let (counts, pile) = ((&self.gains, self.course.discount), (board, self.level(lines_left)));
        Placements::of(self.reach, &self.followers, counts, pile, piece, worths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Brain;
    use crate::profile::layout::Layout;
    use crate::train::Measure;
    use crate::train::contest::Contest;

    fn contest() -> Contest {
        Contest::console(Layout::load("nes").unwrap().movement().unwrap(), Finger::Free, 19, 60)
    }

    /// So small a rate that next to nothing is learned.
    fn course(finalists: usize) -> Course {
        let (seed, measure) = (70, Measure::Score);
        Course { seed, games: 20, measure, discount: 0.985, survival: 0.06, rate_max: 1e-6, finalists }
    }

    fn learner(reach: &Reach<'_>) -> Learner {
        Learner::from_value(reach, &Brain::value("learned-free").unwrap(), &course(1)).unwrap()
    }

    #[test]
    fn of_the_finalists_that_one_is_taken_of_which_the_next_piece_can_make_most() {
        let contest = contest();
        let (reach, course) = (Reach::of(&contest), course(3));
        let learner = learner(&reach);
        let mut playing = Playing::new(&reach, &course, &learner);
        [0b01_1110_1111, 0b01_1111_0011].into_iter().zip(18..).for_each(|(row, y)| playing.board.set_row(y, row));
        let mut others = 0;
        for piece in Piece::ALL {
            let placements = playing.placements(&learner, (&playing.board, playing.lines_left), piece);
            for next in Piece::ALL {
                let seemed = placements.chosen(next).unwrap();
                let further = |placed: &Placed| {
                    let left = playing.lines_left - placed.lines as u64;
                    let then = playing.placements(&learner, (&placed.board, left), next);
                    let followed: f32 = Piece::ALL
                        .map(|third| {
                            learner.followers[next.index()][third.index()]
                                * then.chosen(third).unwrap().worths[third.index()]
                        })
                        .iter()
                        .sum();
                    playing.gains[placed.lines] + course.discount * followed
                };
                let best = placements.finalists(next, 3).into_iter().map(further).fold(0.0, f32::max);
                let choice = playing.choose(&learner, &placements, next);
                let (placed, then) = (choice.placed.unwrap(), choice.then.unwrap());
                assert!((further(&placed) - best).abs() < 1e-3, "{piece:?} {next:?}");
                assert!((choice.more - (best - seemed.worths[next.index()])).abs() < 1e-3, "{piece:?} {next:?}");
                assert_eq!(then.all.len(), playing.placements(&learner, (&placed.board, 60), next).all.len());
                others += usize::from(placed.board != seemed.board);
            }
        }
        assert!((5..45).contains(&others), "{others} of 49");
    }

    #[test]
    fn who_looks_further_clears_more_in_fours() {
        let contest = contest();
        let reach = Reach::of(&contest);
        let worth = |finalists: usize| {
            let (mut learner, course) = (learner(&reach), course(finalists));
            let mut sum = Lesson::default();
            (0..course.games).for_each(|_| sum += learner.play(&reach, &course));
            sum.worth / sum.lines as f64
        };
        let (first, further) = (worth(1), worth(4));
        assert!(further > first + 0.01, "{first} {further}");
    }
}
