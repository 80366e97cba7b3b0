//! A tournament as one page that needs nothing else: tables, curves over all players, histograms and maps of each.

use super::summary::{Figure, Summary};
use crate::app::report::chart::{self, Chart, Mark, Series, heat_map};
use crate::app::report::style;
use crate::game::Piece;
use crate::train::Standing;
use crate::train::contest::Outcome;
use crate::train::statistics::{Sample, Tail};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Bars of a histogram of scores or lines.
const BARS: usize = 40;
/// Points of a curve at most: more than a screen shows.
const POINTS: usize = 300;
/// A histogram of full clears ends after as many bars.
const CLEARS: usize = 60;

/// What the page shows.
pub struct Page<'a> {
    /// What was played, in words.
    pub settings: Vec<String>,
    /// The players' sums.
    pub summaries: &'a [Summary],
    /// What was counted, in the same order.
    pub standings: &'a [Standing],
}

impl Page<'_> {
    /// The page.
    pub fn to_html(&self) -> Markup {
        let players = || self.summaries.iter().zip(self.standings);
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "stackhand: a tournament" }
                    style { (PreEscaped(style::PAGE)) (PreEscaped(chart::STYLE)) (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { "A tournament" }
                        section {
                            p.soft { (self.settings.join(", ")) "." }
                            div.wide { (self.table()) }
                            p.soft { "Mean ± standard error. All played the same pieces." }
                        }
                        div.pair {
                            section { h2 { "Games of at least n points" } (self.survival("points", |o| o.score)) }
                            section { h2 { "Games of at least n lines" } (self.survival("lines", |o| o.lines)) }
                        }
                        section { h2 { "Heights of the pile after each piece" } (self.heights()) (self.predictions()) }
                        @for (summary, standing) in players() { (player(summary, standing)) }
                    }
                }
            }
        }
    }

    fn table(&self) -> Markup {
        let with = |mean: f64, se: Option<f64>, digits: usize| {
            let se = se.map(|se| format!(" ± {se:.digits$}")).unwrap_or_default();
            format!("{mean:.digits$}{se}")
        };
        let us = |us: Option<f64>| us.map_or_else(|| "-".into(), |us| format!("{us:.1}"));
        html! {
            table {
                tr { th { "AI" } th { "score" } th { "median" } th { "lines" } th { "median" } th { "lived" } th { "lines in fours" } th { "move, µs: median" } th { "99 %" } }
                @for s in self.summaries {
                    tr {
                        td { (s.ai) }
                        td { (with(s.mean_score, s.se_score, 0)) } td { (format!("{:.0}", s.median_score)) }
                        td { (with(s.mean_lines, s.se_lines, 2)) } td { (s.median_lines) }
                        td { (format!("{:.1} %", 100.0 * s.survival)) } td { (format!("{:.1} %", 100.0 * s.fours_share)) }
                        td { (us(s.move_us_p50)) } td { (us(s.move_us_p99)) }
                    }
                }
            }
        }
    }

    /// For each player, the share of games that came to at least n.
    fn survival(&self, x: &'static str, of: fn(&Outcome) -> u64) -> Markup {
        let curve = |(owner, (summary, standing)): (usize, (&Summary, &Standing))| {
            let sample = Sample::of(standing.outcomes.iter().map(|outcome| of(outcome) as f64));
            let most = sample.sorted().last().copied().unwrap_or(0.0);
            let points = (0..=POINTS).map(|i| most * i as f64 / POINTS as f64).map(|n| (n, sample.at_least(n)));
            Series { name: summary.ai.clone(), points: points.collect(), mark: Mark::Curve, owner }
        };
        let series = self.summaries.iter().zip(self.standings).enumerate().map(curve).collect();
        Chart { x, y: "share of games", is_log: false, series }.to_svg()
    }

    /// Shares of heights, and the lines that were put through their tails.
    fn heights(&self) -> Markup {
        let mut series = Vec::new();
        for (owner, (summary, standing)) in self.summaries.iter().zip(self.standings).enumerate() {
            let sum = standing.tally.sum();
            let share = |count: u64| count as f64 / sum.pieces.max(1) as f64;
            let points = sum.heights.iter().enumerate().map(|(height, count)| (height as f64, share(*count)));
            series.push(Series { name: summary.ai.clone(), points: points.collect(), mark: Mark::Curve, owner });
        }
        for (owner, (summary, standing)) in self.summaries.iter().zip(self.standings).enumerate() {
            let rows = standing.tally.size().1;
            if let Some(tail) = Tail::of(standing.tally.blocks(), rows) {
                let points = (tail.heights.0..=rows + 1).map(|height| (height as f64, tail.share(height))).collect();
                series.push(Series { name: format!("tail of {}", summary.ai), points, mark: Mark::Dashed, owner });
            }
        }
        Chart { x: "rows", y: "share of pieces", is_log: true, series }.to_svg()
    }

    fn predictions(&self) -> Markup {
        let with_tail = || self.summaries.iter().filter_map(|s| Some((s, s.tail.as_ref()?)));
        let figure = |figure: &Figure, digits| figure.to_words(digits);
        html! {
            @if let Some((_, first)) = with_tail().next() {
                div.wide {
                    table {
                        tr { th { "AI" } th { "ratio a row" } @for p in &first.predicted { th { "lines, " (p.rows) " rows" } } }
                        @for (summary, tail) in with_tail() {
                            tr { td { (summary.ai) } td { (figure(&tail.ratio, 3)) } @for p in &tail.predicted { td { (figure(&p.lines, 0)) } } }
                        }
                    }
                }
                p.soft {
                    "Lines until the height above a field of so many rows is to be expected once, by the dashed line; in brackets \
                     what 95 of 100 drawings of the same games would say."
                }
            }
        }
    }
}

/// What this page has besides the styles of all.
const STYLE: &str = "
.wide { overflow-x: auto; } .maps { display: flex; flex-wrap: wrap; gap: 1rem; } .maps svg.map { width: 7.5rem; }
section h3 { font-size: .95rem; margin: 1rem 0 .4rem; }
";

fn player(summary: &Summary, standing: &Standing) -> Markup {
    let scores = Sample::of(standing.outcomes.iter().map(|outcome| outcome.score as f64));
    let lines = Sample::of(standing.outcomes.iter().map(|outcome| outcome.lines as f64));
    let (columns, _) = standing.tally.size();
    let all: Vec<u64> = Piece::ALL.iter().fold(Vec::new(), |mut all, &piece| {
        let cells = standing.tally.cells(piece);
        all.resize(cells.len(), 0);
        all.iter_mut().zip(cells).for_each(|(sum, count)| *sum += count);
        all
    });
    html! {
        section {
            h2 { (summary.ai) }
            ul.plain { @for sentence in summary.sentences() { li { (sentence) } } }
            div.pair {
                div { h3 { "Scores" } (histogram("points", &scores)) }
                div { h3 { "Lines" } (histogram("lines", &lines)) }
                @if summary.full_clears > 0 {
                    div { h3 { "Pieces from an empty field to the next" } (full_clears(standing)) }
                }
            }
            h3 { "Where pieces lock, by their pivots, and in which columns" }
            div.maps {
                figure { (heat_map(columns, &all, "where pieces lock")) figcaption { "all pieces" } }
                @for piece in Piece::ALL {
                    figure {
                        (heat_map(columns, standing.tally.cells(piece), &format!("where {piece} locks")))
                        (by_column(columns, standing.tally.cells(piece)))
                        figcaption { (piece) }
                    }
                }
            }
        }
    }
}

fn histogram(x: &'static str, sample: &Sample) -> Markup {
    let (Some(&from), Some(&to)) = (sample.sorted().first(), sample.sorted().last()) else { return html! {} };
    let to = if to > from { to } else { from + 1.0 };
    let width = (to - from) / BARS as f64;
    let counts = sample.histogram(from, to, BARS);
    let points = counts.iter().enumerate().map(|(i, count)| (from + (i as f64 + 0.5) * width, *count as f64)).collect();
    let series = vec![Series { name: String::new(), points, mark: Mark::Bars(width), owner: 0 }];
    Chart { x, y: "games", is_log: false, series }.to_svg()
}

/// How often the field was empty again after how many pieces.
fn full_clears(standing: &Standing) -> Markup {
    let clears = standing.tally.full_clears();
    let all = standing.tally.empty_fields().max(1) as f64;
    let points: Vec<(f64, f64)> =
        clears.iter().take(CLEARS).map(|(pieces, count)| (*pieces as f64, *count as f64 / all)).collect();
    let width = points.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(f64::INFINITY, f64::min);
    let width = if width.is_finite() { width } else { 5.0 };
    let series = vec![Series { name: String::new(), points, mark: Mark::Bars(width), owner: 0 }];
    Chart { x: "pieces", y: "share of empty fields", is_log: false, series }.to_svg()
}

/// A small histogram by columns, as wide as the map above it.
fn by_column(columns: usize, cells: &[u64]) -> Markup {
    let sums: Vec<u64> = (0..columns).map(|x| cells.iter().skip(x).step_by(columns).sum()).collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1) as f64;
    html! {
        svg.map viewBox={ "0 0 " (columns) " 5" } xmlns="http://www.w3.org/2000/svg" role="img" aria-label="locks by column" {
            @for (x, sum) in sums.iter().enumerate() {
                @let height = 4.8 * *sum as f64 / most;
                rect x=(format!("{:.1}", x as f64 + 0.1)) y=(format!("{:.2}", 5.0 - height)) width=".8" height=(format!("{height:.2}")) fill="#cfd8e3" {}
            }
        }
    }
}
