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

/// A game from which is learned.
pub(super) struct Playing<'a> {
    reach: &'a Reach<'a>,
    discount: f32,
    gains: Gains,
    gains_of_lines: Gains,
    followers: [[f32; 7]; 7],
    pieces: Pieces,
    board: Board,
    lines_left: u64,
    lesson: Lesson,
}

/// What the placements of a piece are good for.
pub struct Placements {
    /// The worth of the best by the piece that falls then; none is worth less than nothing.
    pub best: Worths,
    /// The best with the piece that does fall then: its worth, the pile, and lines cleared.
    pub chosen: Option<(f32, Board, usize)>,
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
        [piece, next]: [Piece; 2],
        worths: impl Fn(&Board, usize) -> Worths,
    ) -> Self {
        let mut placements = Self { best: [0.0; LANES], chosen: None };
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
            let worth = worths[next.index()];
            if placements.chosen.as_ref().is_none_or(|(best, ..)| worth > *best) {
                placements.chosen = Some((worth, board, lines));
            }
        });
        placements
    }
}

impl<'a> Playing<'a> {
    pub fn new(reach: &'a Reach<'a>, course: &Course, learner: &Learner) -> Self {
        let contest = reach.contest();
        let seed = course.seed.wrapping_add(learner.games);
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let lines_left = dice.random_range(LINES_MIN.min(contest.to_lines)..=contest.to_lines);
        let pieces = Pieces::new(contest.generator, seed);
        let (followers, lesson) = (learner.followers, Lesson::default());
        let (discount, gains, gains_of_lines) = (course.discount, course.gains(), course.gains_of_lines());
        Self { reach, discount, gains, gains_of_lines, followers, pieces, board: contest.field, lines_left, lesson }
    }

    fn draw(&mut self) -> Piece {
        self.pieces.next().unwrap_or(Piece::T)
    }

    /// The level at which the contest would have as many lines left.
    fn level(&self, lines_left: u64) -> u8 {
        self.reach.level_after(self.reach.contest().to_lines - lines_left)
    }

    pub fn play(mut self, learner: &mut Learner, rate_max: f32) -> Lesson {
        let (mut piece, mut next) = (self.draw(), self.draw());
        while self.lines_left > 0 {
            let placements = self.placements(learner, piece, next);
            let worth = mean(&self.followers[piece.index()], &placements.best);
            let table = learner.table(self.level(self.lines_left));
            learner.tables[table].learn(&learner.sight.all(&self.board), piece, worth, rate_max);
            if learner.sight == Sight::Windows {
                // Where nothing is turned on its way down a game seen in a mirror is nearly the same game: each pile teaches
                // twice.
                let (board, piece) = mirrored(&self.board, piece);
                learner.tables[table].learn(&learner.sight.all(&board), piece, worth, rate_max);
            }
            let Some((_, board, lines)) = placements.chosen else {
                self.lesson.is_over = true;
                break;
            };
            self.board = board;
            self.lesson.pieces += 1;
            self.lesson.lines += lines as u64;
            self.lesson.worth += f64::from(self.gains_of_lines[lines]);
            self.lines_left = self.lines_left.saturating_sub(lines as u64);
            (piece, next) = (next, self.draw());
        }
        self.lesson
    }

    fn placements(&self, learner: &Learner, piece: Piece, next: Piece) -> Placements {
        let worths = |board: &Board, lines: usize| {
            let after = self.level(self.lines_left.saturating_sub(lines as u64));
            learner.tables[learner.table(after)].worths(learner.sight, board)
        };
        let (counts, pile) = ((&self.gains, self.discount), (&self.board, self.level(self.lines_left)));
        Placements::of(self.reach, &self.followers, counts, pile, [piece, next], worths)
    }
}
