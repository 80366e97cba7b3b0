//! What is counted over many clips.

use crate::message::summary::{Reliability, Score};
use serde::Serialize;

/// What came of one clip.
#[derive(Debug, Clone, Serialize)]
pub struct ClipFigures {
    /// How bad its camera was.
    pub hard: f64,
    /// Its seed.
    pub seed: u64,
    /// The level at which its games began.
    pub level: u8,
    /// Its pictures.
    pub pictures: u64,
    /// Whether the field was found.
    pub found: bool,
    /// Pictures that were looked at until it was, or until the search gave up.
    pub search_pictures: u64,
    /// Whether it was found at a place so wrong that cells are read in their neighbours.
    pub wrong_place: bool,
    /// How far the farthest corner that was found is from its true place, px.
    pub corner_error_px: Option<f64>,
    /// What was claimed about that, px.
    pub corner_claim_px: Option<f64>,
    /// Times a field that had not moved was found at another place.
    pub moved_in_vain: u64,
    /// How long the search took, ms; not in JSON, where the same seeds must give the same lines.
    #[serde(skip)]
    pub search_ms: f64,
    /// The comparison with the truth.
    pub truth: Score,
    /// What the bump did, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bump: Option<BumpFigures>,
}

/// What a bump of the camera did.
#[derive(Debug, Clone, Serialize)]
pub struct BumpFigures {
    /// Time of the first picture after it, ms.
    pub at_ms: f64,
    /// How far the farthest corner moved, px.
    pub moved_px: f64,
    /// Pictures until one was called unreadable or the field was looked for again; null if never.
    pub noticed_after_pictures: Option<u64>,
    /// How far the place that was found after it is from the true one, px; null if none was.
    pub corner_error_px: Option<f64>,
    /// Cells that were surely and wrongly read after it.
    pub cells_wrong: u64,
    /// From the bump to the last picture with a wrong cell, or not read, before the reading was right for good, ms.
    pub right_again_ms: Option<f64>,
    /// From the bump to the first exact spawn after it, ms.
    pub exact_again_ms: Option<f64>,
}

/// The figures of all clips of one hardness.
#[derive(Debug, Clone, Serialize)]
pub struct Sums {
    /// How bad the cameras were.
    pub hard: f64,
    /// Clips.
    pub clips: usize,
    /// Of these, clips whose field was found.
    pub found: usize,
    /// Of these, at a wrong place.
    pub wrong_place: usize,
    /// Corner error over the clips that were found, px.
    pub corner_error_px: Option<Spread>,
    /// Corner error over the claimed one.
    pub corner_error_to_claim: Option<Spread>,
    /// Pictures looked at by the search.
    pub search_pictures: Option<Spread>,
    /// Times a field that had not moved was found at another place.
    pub moved_in_vain: u64,
    /// How long the search took, ms.
    #[serde(skip)]
    pub search_ms: Option<Spread>,
    /// All comparisons with the truth.
    pub truth: Score,
    /// Bumps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bumps: Option<BumpSums>,
}

/// What the bumps did.
#[derive(Debug, Clone, Serialize)]
pub struct BumpSums {
    /// Bumps of clips whose field was found.
    pub bumps: usize,
    /// Of these, noticed.
    pub noticed: usize,
    /// Read without a mistake some time after the bump.
    pub right_again: usize,
    /// An exact spawn after the bump.
    pub exact_again: usize,
    /// Pictures until it was noticed.
    pub noticed_after_pictures: Option<Spread>,
    /// How far the place that was found then is off, px.
    pub corner_error_px: Option<Spread>,
    /// Time until the reading was right, ms.
    pub right_again_ms: Option<Spread>,
    /// Time until a spawn was exact, ms.
    pub exact_again_ms: Option<Spread>,
    /// Cells surely and wrongly read after a bump.
    pub cells_wrong: u64,
}

/// Median, 99th percentile and maximum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

impl Spread {
    /// Of nothing, none.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let at = |share: f64| (values[(last as f64 * share).round() as usize] * 1000.0).round() / 1000.0;
        Some(Self { p50: at(0.5), p99: at(0.99), max: at(1.0) })
    }
}

impl Sums {
    /// The sums over these clips.
    pub fn of(hard: f64, clips: &[ClipFigures]) -> Self {
        let found = || clips.iter().filter(|clip| clip.found);
        let corners = || found().filter_map(|clip| clip.corner_error_px.zip(clip.corner_claim_px));
        let mut truth = Score::default();
        clips.iter().for_each(|clip| truth.add(&clip.truth));
        Self {
            hard,
            clips: clips.len(),
            found: found().count(),
            wrong_place: found().filter(|clip| clip.wrong_place).count(),
            corner_error_px: Spread::of(corners().map(|(error, _)| error)),
            corner_error_to_claim: Spread::of(
                corners().filter(|(_, claim)| *claim > 0.0).map(|(error, claim)| error / claim),
            ),
            search_pictures: Spread::of(found().map(|clip| clip.search_pictures as f64)),
            moved_in_vain: clips.iter().map(|clip| clip.moved_in_vain).sum(),
            search_ms: Spread::of(found().map(|clip| clip.search_ms)),
            truth,
            bumps: BumpSums::of(clips),
        }
    }

    /// The table's head, for people.
    pub const HEAD: &str =
        "hardness    found  misplaced    corners px      spawns  extra  cells wrong  cells open  kinds right";

    /// A line of the table.
    pub fn to_line(&self) -> String {
        let Score { spawns, exact, extra, cells, cells_unknown, cells_wrong, .. } = self.truth;
        let corners = self.corner_error_px.map_or("-".into(), |s| format!("{:.2} {:.2}", s.p50, s.max));
        format!(
            "{:<8} {:>8}  {:>9}  {:>12}  {:>10}  {:>5}  {:>11}  {:>10}  {:>11}",
            self.hard,
            format!("{}/{}", self.found, self.clips),
            self.wrong_place,
            corners,
            format!("{exact}/{spawns}"),
            extra,
            cells_wrong,
            percent(cells_unknown, cells),
            self.kinds_right(),
        )
    }

    /// What has no room in the table, in words.
    pub fn details(&self) -> String {
        let Score { cells, cells_unknown, cells_wrong, .. } = self.truth;
        let spread = |s: Option<Spread>, digits: usize| {
            let words = |s: Spread| format!("{:.digits$} / {:.digits$} / {:.digits$}", s.p50, s.p99, s.max);
            s.map_or("-".into(), words)
        };
        format!(
            "median / 99th percentile / worst: corners off {} px, their error over the claimed one {}, search {} ms, {} \
             pictures; cells right {}; fields moved in vain: {}",
            spread(self.corner_error_px, 2),
            spread(self.corner_error_to_claim, 2),
            spread(self.search_ms, 0),
            spread(self.search_pictures, 0),
            percent(cells - cells_unknown - cells_wrong, cells),
            self.moved_in_vain,
        )
    }

    fn kinds_right(&self) -> String {
        let (right, kinds) = self.truth.states.iter().fold((0, 0), |a, s| (a.0 + s.right, a.1 + s.pictures));
        percent(right, kinds)
    }
}

/// What the table's columns count.
pub const LEGEND: &str = "found: fields found, of all clips; misplaced: found at a wrong place; corners px: how far off, \
                          median and worst; spawns: new pieces seen with piece, next piece and board right, of all; \
                          extra: seen, but never there; cells wrong: surely and wrongly read; cells open: said to be \
                          unclear; kinds right: pictures rightly called game, pause, menu and so on. More: -v.";

/// What it all came to, the worst first.
pub fn verdict(rows: &[Sums]) -> String {
    let total = |count: fn(&Sums) -> u64| rows.iter().map(count).sum::<u64>();
    let wrong = total(|row| row.truth.cells_wrong);
    let misplaced = total(|row| row.wrong_place as u64);
    let [none_wrong, none_misplaced] =
        [wrong, misplaced].map(|count| if count == 0 { "none".into() } else { count.to_string() });
    format!(
        "{} of {} fields found, {none_misplaced} at a wrong place; of {} cells {none_wrong} surely and wrongly read; {} of {} \
         spawns seen exactly.",
        total(|row| row.found as u64),
        total(|row| row.clips as u64),
        total(|row| row.truth.cells),
        total(|row| row.truth.exact as u64),
        total(|row| row.truth.spawns as u64),
    )
}

/// Whether claims about cells hold, over all rows, as a curve: of the cells called with so many percent, so many were right.
pub fn curve(rows: &[Sums]) -> Vec<String> {
    let mut all = Reliability::default();
    rows.iter().for_each(|row| all.add(&row.truth.reliability));
    let head = "cells called    were right        cells".to_string();
    let lines = all
        .table()
        .into_iter()
        .map(|(called, right, cells)| format!("{:>10.2} %  {:>10.3} %  {cells:>11}", 100.0 * called, 100.0 * right));
    let ending = format!("On average a claim is off by {:.3} %.", 100.0 * all.error());
    std::iter::once(head).chain(lines).chain([ending]).collect()
}

fn percent(part: u64, of: u64) -> String {
    format!("{:.3} %", 100.0 * part as f64 / of.max(1) as f64)
}

impl BumpSums {
    fn of(clips: &[ClipFigures]) -> Option<Self> {
        let bumps: Vec<&BumpFigures> = clips.iter().filter_map(|clip| clip.bump.as_ref()).collect();
        let noticed = || bumps.iter().filter_map(|bump| bump.noticed_after_pictures).map(|n| n as f64);
        let right = || bumps.iter().filter_map(|bump| bump.right_again_ms);
        let exact = || bumps.iter().filter_map(|bump| bump.exact_again_ms);
        (!bumps.is_empty()).then(|| Self {
            bumps: bumps.len(),
            noticed: noticed().count(),
            right_again: right().count(),
            exact_again: exact().count(),
            noticed_after_pictures: Spread::of(noticed()),
            corner_error_px: Spread::of(bumps.iter().filter_map(|bump| bump.corner_error_px)),
            right_again_ms: Spread::of(right()),
            exact_again_ms: Spread::of(exact()),
            cells_wrong: bumps.iter().map(|bump| bump.cells_wrong).sum(),
        })
    }

    /// In words.
    pub fn to_words(&self) -> String {
        let spread = |s: Option<Spread>| {
            s.map_or("never".into(), |s| format!("{:.0} in the median, {:.0} at most", s.p50, s.max))
        };
        format!(
            "{} bumps: {} noticed (pictures until then: {}), {} read right again (ms: {}), {} with an exact spawn \
             again (ms: {}); {} cells surely and wrongly read after them",
            self.bumps,
            self.noticed,
            spread(self.noticed_after_pictures),
            self.right_again,
            spread(self.right_again_ms),
            self.exact_again,
            spread(self.exact_again_ms),
            self.cells_wrong,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(truth: Score) -> Sums {
        let spread = Some(Spread { p50: 0.13, p99: 22.25, max: 122.25 });
        Sums {
            hard: 0.35,
            clips: 1000,
            found: 999,
            wrong_place: 999,
            corner_error_px: spread,
            corner_error_to_claim: spread,
            search_pictures: spread,
            moved_in_vain: 3,
            search_ms: spread,
            truth,
            bumps: None,
        }
    }

    #[test]
    fn the_table_has_room_in_a_terminal_of_a_hundred_columns_and_its_columns_stand_under_their_names() {
        let truth =
            Score { spawns: 9999, exact: 9998, extra: 9999, cells: 9_999_999, cells_wrong: 99_999, ..Score::default() };
        let line = row(truth).to_line();
        assert_eq!(line.chars().count(), Sums::HEAD.chars().count(), "{line}");
        assert!(Sums::HEAD.chars().count() <= 100);
    }

    #[test]
    fn the_curve_sums_over_all_rows_and_says_how_far_claims_are_off() {
        let mut truth = Score::default();
        (0..1000).for_each(|i| truth.reliability.count(0.992, i < 990));
        let curve = curve(&[row(truth.clone()), row(truth)]);
        assert_eq!(curve.len(), 3, "{curve:?}");
        assert_eq!(curve[1], "     99.20 %      99.000 %         2000");
        assert_eq!(curve[0].len(), curve[1].len());
        assert_eq!(curve[2], "On average a claim is off by 0.200 %.");
    }

    #[test]
    fn the_verdict_counts_over_all_rows_and_says_none_of_nothing() {
        let truth = |wrong| Score { spawns: 10, exact: 9, cells: 1000, cells_wrong: wrong, ..Score::default() };
        let good = verdict(&[Sums { wrong_place: 0, found: 1000, ..row(truth(0)) }]);
        assert_eq!(
            good,
            "1000 of 1000 fields found, none at a wrong place; of 1000 cells none surely and wrongly read; 9 of 10 spawns seen exactly."
        );
        assert!(verdict(&[row(truth(2)), row(truth(3))]).contains("1998 at a wrong place; of 2000 cells 5 surely"));
    }
}
