//! What a player's games came to: a line of the table, a line of JSON, and what is said below the table.

use crate::app::report::many;
use crate::app::report::numbers::round;
use crate::train::contest::{Ending, Outcome};
use crate::train::statistics::tail::row_ratio;
use crate::train::statistics::{Estimate, Lifetimes, Sample, Tail};
use crate::train::{Contest, Standing};
use serde::Serialize;

/// Pieces of the shortest full clear on ten columns.
const FIVE: u64 = 5;
/// Fields for which the length of games is predicted besides the one that was played, rows.
const PREDICTED_ROWS: [usize; 6] = [10, 12, 14, 16, 18, 20];
/// Cells of a piece.
const CELLS: f64 = 4.0;

/// A figure, and within what it lies in 95 of 100 cases; null where that cannot be said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// The interval's ends.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
}

impl Figure {
    fn of(estimate: Estimate, scale: f64, digits: i32) -> Self {
        let rounded = |value: f64| round(value * scale, digits);
        let (low, high) = estimate.interval.unzip();
        Self { value: rounded(estimate.value), low: low.map(rounded), high: high.map(rounded) }
    }

    /// With so many digits behind the point.
    pub fn to_words(self, digits: usize) -> String {
        match self.low.zip(self.high) {
            Some((low, high)) => format!("{:.digits$} ({low:.digits$} to {high:.digits$})", self.value),
            None => format!("{:.digits$}", self.value),
        }
    }
}

/// How long games should last in a field of so many rows, by the tail of pile heights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Predicted {
    /// The field's rows.
    pub rows: usize,
    /// Lines until the height above it is to be expected once.
    pub lines: Figure,
}

/// The exponential tail of pile heights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TailSummary {
    /// The lowest and the highest height that it was taken from.
    pub heights: (usize, usize),
    /// How often a height is seen, by how often the one below it is.
    pub ratio: Figure,
    /// How long games should last.
    pub predicted: Vec<Predicted>,
}

/// Whether games end by a geometric law.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Geometric {
    /// Standard deviation of the lengths over their mean; 1 by the law.
    pub spread: f64,
    /// Stephens' scaled distance; above 1.094 the law is refused.
    pub distance: f64,
    /// Whether it is not refused.
    pub holds: bool,
}

/// What a player's games came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The player, as given.
    pub ai: String,
    /// Games.
    pub games: usize,
    /// The share of games that were not lost.
    pub survival: f64,
    /// The mean score, counted past 999,999, and its standard error.
    pub mean_score: f64,
    /// See `mean_score`; null of one game.
    pub se_score: Option<f64>,
    /// The score in the middle.
    pub median_score: f64,
    /// The mean number of lines, and its standard error.
    pub mean_lines: f64,
    /// See `mean_lines`.
    pub se_lines: Option<f64>,
    /// Lines in the middle.
    pub median_lines: f64,
    /// The share of all lines that were cleared in fours.
    pub fours_share: f64,
    /// Pieces of all games.
    pub pieces: u64,
    /// All lines by the games that were lost: how long a game lasts, if each piece is as dangerous; null if none was lost.
    pub lines_per_loss: Option<f64>,
    /// Times that a piece left the field empty.
    pub full_clears: u64,
    /// Pieces by full clears, and the standard error.
    pub pieces_per_full_clear: Option<f64>,
    /// See `pieces_per_full_clear`.
    pub se_pieces_per_full_clear: Option<f64>,
    /// Times that the field was empty and a piece came.
    pub empty_fields: u64,
    /// Of these, full clears after five pieces.
    pub full_clears_after_five: u64,
    /// The mean ratio of locks in neighbouring rows, the upper by the lower; null if too little was seen.
    pub row_ratio: Option<Figure>,
    /// The tail of pile heights; null if too little was seen.
    pub tail: Option<TailSummary>,
    /// Pile heights after each piece: how many, by height.
    pub heights: Vec<u64>,
    /// Pieces that made the pile at least so high, from below that, by height.
    pub rises: Vec<u64>,
    /// Pivots that locked, by row from the top.
    pub rows: Vec<u64>,
    /// Whether games end by a geometric law; null if any was not lost, or of too few.
    pub geometric: Option<Geometric>,
    /// How long a move took, median, µs.
    pub move_us_p50: Option<f64>,
    /// The same, 99th percentile.
    pub move_us_p99: Option<f64>,
}

impl Summary {
    /// The first line of the table.
    pub const HEAD: &str = "AI                         score      ± se    median     lines     ± se  lived  in fours  move µs: p50     p99";

    /// Of these games.
    pub fn of(ai: &str, contest: &Contest, standing: &Standing) -> Self {
        let Standing { outcomes, tally, times } = standing;
        let sample = |of: fn(&Outcome) -> u64| Sample::of(outcomes.iter().map(|outcome| of(outcome) as f64));
        let (scores, lines, pieces) = (sample(|o| o.score), sample(|o| o.lines), sample(|o| o.pieces));
        let games = outcomes.len();
        let lost = outcomes.iter().filter(|outcome| outcome.ending == Ending::ToppedOut).count();
        let all = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
        let (all_lines, all_pieces) = (all(|o| o.lines), all(|o| o.pieces));
        let clears: u64 = tally.full_clears().values().sum();
        let us = |share| times.quantile_ns(share).map(|ns| round(ns as f64 / 1000.0, 2));
        let sum = tally.sum();
        let geometric = Lifetimes::of(&pieces).filter(|_| lost == games);
        Self {
            ai: ai.into(),
            games,
            survival: round((games - lost) as f64 / games.max(1) as f64, 4),
            mean_score: round(scores.mean(), 1),
            se_score: scores.standard_error().map(|se| round(se, 1)),
            median_score: scores.median().unwrap_or(0.0),
            mean_lines: round(lines.mean(), 3),
            se_lines: lines.standard_error().map(|se| round(se, 3)),
            median_lines: lines.median().unwrap_or(0.0),
            fours_share: round(all(|o| o.lines_by[3]) as f64 / all_lines.max(1) as f64, 4),
            pieces: all_pieces,
            lines_per_loss: (lost > 0).then(|| round(all_lines as f64 / lost as f64, 1)),
            full_clears: clears,
            pieces_per_full_clear: (clears > 0).then(|| round(all_pieces as f64 / clears as f64, 1)),
            se_pieces_per_full_clear: standard_error_of_clears(all_pieces, clears).map(|se| round(se, 1)),
            empty_fields: tally.empty_fields(),
            full_clears_after_five: tally.full_clears().get(&FIVE).copied().unwrap_or(0),
            row_ratio: row_ratio(tally.blocks(), tally.size().1).map(|(ratio, _)| Figure::of(ratio, 1.0, 4)),
            tail: Tail::of(tally.blocks(), tally.size().1).map(|tail| tail_summary(&tail, contest)),
            heights: sum.heights,
            rises: sum.rises,
            rows: sum.rows,
            geometric: geometric.map(|Lifetimes { spread, distance, is_geometric }| Geometric {
                spread: round(spread, 3),
                distance: round(distance, 3),
                holds: is_geometric,
            }),
            move_us_p50: us(0.5),
            move_us_p99: us(0.99),
        }
    }

    /// A line of the table.
    pub fn to_line(&self) -> String {
        let number = |value: Option<f64>, digits: usize| value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"));
        let digits = if self.mean_lines < 1000.0 { 2 } else { 0 };
        format!(
            "{:22} {:>9.0} {:>9} {:>9.0} {:>9.digits$} {:>8} {:>5.0}% {:>8.1}% {:>13} {:>7}",
            self.ai,
            self.mean_score,
            number(self.se_score, 0),
            self.median_score,
            self.mean_lines,
            number(self.se_lines, digits),
            100.0 * self.survival,
            100.0 * self.fours_share,
            number(self.move_us_p50, 1),
            number(self.move_us_p99, 1),
        )
    }

    /// What else is to be said, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let mut said = vec![format!("{}, {}.", many(self.games as u64, "game"), many(self.pieces, "piece"))];
        if let Some(pieces) = self.pieces_per_full_clear {
            let se = self.se_pieces_per_full_clear.map(|se| format!(" ± {se:.0}")).unwrap_or_default();
            said.push(format!("The field was empty again once in {pieces:.0}{se} pieces."));
        }
        if self.full_clears_after_five > 0 {
            let share = self.full_clears_after_five as f64 / self.empty_fields.max(1) as f64;
            let se = (share * (1.0 - share) / self.empty_fields.max(1) as f64).sqrt();
            said.push(format!(
                "After five pieces it was so once in {:.0} times ({} of {}, {:.3} ± {:.3} %).",
                1.0 / share,
                self.full_clears_after_five,
                self.empty_fields,
                100.0 * share,
                100.0 * se
            ));
        }
        if let Some(ratio) = self.row_ratio {
            said.push(format!("Rows are locked in {} times as often as those below them.", ratio.to_words(4)));
        }
        if let Some(tail) = &self.tail {
            let (from, to) = tail.heights;
            said.push(format!(
                "Pile heights from {from} to {to}: each is seen {} times as often as the one below it.",
                tail.ratio.to_words(4)
            ));
            let predicted = tail.predicted.iter().map(|p| format!("{} rows: {}", p.rows, p.lines.to_words(0)));
            said.push(format!("Lines that this predicts: {}.", predicted.collect::<Vec<_>>().join("; ")));
        }
        if let Some(Geometric { spread, distance, holds }) = self.geometric {
            let verdict = if holds { "as a geometric law would have them" } else { "not by a geometric law" };
            said.push(format!(
                "Lengths of games lie {verdict} (deviation by mean {spread:.2}, distance {distance:.2}, limit 1.094)."
            ));
        }
        if let Some(lines) = self.lines_per_loss.filter(|_| self.survival > 0.0) {
            said.push(format!("Lines by lost games: {lines:.0}."));
        }
        said
    }
}

/// The standard error of the pieces by full clears, which come as unforeseen as the pieces do: of n of them, 1 in √n.
fn standard_error_of_clears(pieces: u64, clears: u64) -> Option<f64> {
    (clears > 1).then(|| pieces as f64 / (clears as f64).powf(1.5))
}

fn tail_summary(tail: &Tail, contest: &Contest) -> TailSummary {
    let lines_per_piece = CELLS / contest.field.width() as f64;
    let mut rows = PREDICTED_ROWS.to_vec();
    rows.push(contest.field.height());
    rows.sort_unstable();
    rows.dedup();
    let predicted = |&rows: &usize| Predicted { rows, lines: Figure::of(tail.pieces(rows), lines_per_piece, 0) };
    TailSummary {
        heights: tail.heights,
        ratio: Figure::of(tail.ratio(), 1.0, 4),
        predicted: rows.iter().map(predicted).collect(),
    }
}
