//! Drawings of numbers for reports: bars, curves and heat maps as SVG.

use maud::{Markup, html};

/// Size of a chart, and of the margins around its field, px.
const SIZE: [f64; 2] = [560.0, 300.0];
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 42.0;
/// Marks along an axis, about.
const TICKS: f64 = 6.0;
/// Heat maps show what is seen a thousandth as often as the most as a third of its colour.
const GAMMA: f64 = 0.19;

/// What reports with charts have besides their style.
pub const STYLE: &str = "
.chart { width: 100%; max-width: 44rem; height: auto; display: block; font: 12px system-ui, sans-serif; }
.chart text { fill: var(--soft); } .chart .axis { stroke: var(--soft); fill: none; } .chart .grid { stroke: var(--line); fill: none; }
.s0 { --c: #3b82c4; } .s1 { --c: #d9822b; } .s2 { --c: #2f9e6e; } .s3 { --c: #c0504d; } .s4 { --c: #8e6bbf; } .s5 { --c: #8a8f94; }
.chart .curve { fill: none; stroke: var(--c); stroke-width: 2; } .chart .dashed { stroke-dasharray: 6 4; } .chart .bars { fill: var(--c); opacity: .8; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .3rem; font-size: .85rem; } .legend span { color: var(--c); font-weight: 600; }
.map { width: 9rem; background: #10141a; display: block; border-radius: 4px; }
";

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// Bars of this width, in the units of the x axis, around the points.
    Bars(f64),
    /// A line from point to point.
    Curve,
    /// The same, dashed: what is supposed rather than seen.
    Dashed,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
    /// Whose they are: series of the same number have the same colour.
    pub owner: usize,
}

/// Series over one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What is along the x axis.
    pub x: &'static str,
    /// What is along the y axis.
    pub y: &'static str,
    /// Whether the y axis is logarithmic; what is not above 0 is not drawn then.
    pub is_log: bool,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// From numbers to places.
struct Axes {
    x: (f64, f64),
    /// Of the logarithms, if the axis is logarithmic.
    y: (f64, f64),
    is_log: bool,
}

impl Axes {
    fn of(chart: &Chart) -> Option<Self> {
        let all = chart.series.iter().flat_map(|series| {
            let half = if let Mark::Bars(width) = series.mark { width / 2.0 } else { 0.0 };
            series.points.iter().flat_map(move |&(x, y)| [(x - half, y), (x + half, y)])
        });
        let seen: Vec<(f64, f64)> =
            all.filter(|(x, y)| x.is_finite() && y.is_finite() && (!chart.is_log || *y > 0.0)).collect();
        let range = |of: fn(&(f64, f64)) -> f64| {
            let values = || seen.iter().map(of);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((x_from, x_to), (y_from, y_to)) = (range(|p| p.0), range(|p| p.1));
        if seen.is_empty() {
            return None;
        }
        let y = if chart.is_log { (y_from.log10().floor(), y_to.log10().ceil()) } else { (y_from.min(0.0), y_to) };
        Some(Self { x: widened((x_from, x_to)), y: widened(y), is_log: chart.is_log })
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (SIZE[0] - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        let y = if self.is_log { y.max(f64::MIN_POSITIVE).log10() } else { y };
        let share = ((y - self.y.0) / (self.y.1 - self.y.0)).clamp(0.0, 1.0);
        SIZE[1] - BOTTOM - share * (SIZE[1] - TOP - BOTTOM)
    }

    /// Where the y axis has marks.
    fn y_ticks(&self) -> Vec<f64> {
        match self.is_log {
            false => ticks(self.y.0, self.y.1),
            true => {
                let step = ((self.y.1 - self.y.0) / TICKS).ceil().max(1.0) as usize;
                (self.y.0 as i32..=self.y.1 as i32).step_by(step).map(|exponent| 10f64.powi(exponent)).collect()
            }
        }
    }
}

fn widened((from, to): (f64, f64)) -> (f64, f64) {
    if to > from { (from, to) } else { (from - 0.5, to + 0.5) }
}

impl Chart {
    /// The drawing; a sentence where there is nothing to draw.
    pub fn to_svg(&self) -> Markup {
        let Some(axes) = Axes::of(self) else { return html! { p.soft { "Nothing to draw." } } };
        let (floor, end) = (SIZE[1] - BOTTOM, SIZE[0] - RIGHT);
        html! {
            @if self.series.len() > 1 {
                p.legend { @for series in &self.series { span class=(colour(series)) { (series.name) } } }
            }
            svg.chart viewBox={ "0 0 " (SIZE[0]) " " (SIZE[1]) } xmlns="http://www.w3.org/2000/svg" role="img" aria-label={ (self.y) " by " (self.x) } {
                @for tick in axes.y_ticks() {
                    path.grid d=(format!("M{LEFT} {0:.1}H{end}", axes.y(tick))) {}
                    text x=(LEFT - 6.0) y=(format!("{:.1}", axes.y(tick) + 4.0)) text-anchor="end" { (short(tick)) }
                }
                @for tick in ticks(axes.x.0, axes.x.1) {
                    path.axis d=(format!("M{0:.1} {floor}v4", axes.x(tick))) {}
                    text x=(format!("{:.1}", axes.x(tick))) y=(floor + 17.0) text-anchor="middle" { (short(tick)) }
                }
                @for series in &self.series { (drawn(series, &axes)) }
                path.axis d=(format!("M{LEFT} {TOP}V{floor}H{end}")) {}
                text x=((LEFT + end) / 2.0) y=(SIZE[1] - 6.0) text-anchor="middle" { (self.x) }
                text x=(-(TOP + floor) / 2.0) y="12" transform="rotate(-90)" text-anchor="middle" { (self.y) }
            }
        }
    }
}

fn drawn(series: &Series, axes: &Axes) -> Markup {
    let is_shown = |y: f64| y.is_finite() && (!axes.is_log || y > 0.0);
    let floor = SIZE[1] - BOTTOM;
    let mut path = String::new();
    for &(x, y) in series.points.iter().filter(|(_, y)| is_shown(*y)) {
        match series.mark {
            Mark::Bars(width) => {
                let (from, to) = (axes.x(x - 0.45 * width), axes.x(x + 0.45 * width));
                path += &format!("M{from:.1} {floor}V{:.1}H{to:.1}V{floor}z", axes.y(y));
            }
            Mark::Curve | Mark::Dashed => {
                let letter = if path.is_empty() { 'M' } else { 'L' };
                path += &format!("{letter}{:.1} {:.1}", axes.x(x), axes.y(y));
            }
        }
    }
    let kind = match series.mark {
        Mark::Bars(_) => "bars",
        Mark::Curve => "curve",
        Mark::Dashed => "curve dashed",
    };
    html! { path class=(format!("{kind} {}", colour(series))) d=(path) {} }
}

fn colour(series: &Series) -> String {
    format!("s{}", series.owner % 6)
}

/// Round numbers within a range, about six.
fn ticks(from: f64, to: f64) -> Vec<f64> {
    let rough = (to - from) / TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough).unwrap_or(10.0);
    let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A number in few letters.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        1e6.. => format!("{} M", value / 1e6),
        1e4.. => format!("{} k", value / 1e3),
        0.01.. => format!("{}", (value * 1e4).round() / 1e4),
        _ => format!("{value:e}"),
    }
}

/// A field in which each cell is coloured by its count: black 0, blue few, red the most. As in the seed the share of the
/// most is raised to the 0.19th power, so that seldom cells are told apart.
pub fn heat_map(columns: usize, counts: &[u64], label: &str) -> Markup {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let rows = counts.len() / columns.max(1);
    let hue = |count: u64| 240.0 * (1.0 - (count as f64 / most).powf(GAMMA));
    html! {
        svg.map viewBox={ "0 0 " (columns) " " (rows) } xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(label) shape-rendering="crispEdges" {
            @for (i, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                rect x=(i % columns) y=(i / columns) width="1" height="1" fill=(format!("hsl({:.0} 75% 45%)", hue(count))) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(ticks(0.0, 20.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(1.2, 3.0), [1.5, 2.0, 2.5, 3.0]);
        assert_eq!([0.0, 1.5e6, 30_000.0, 0.25, 0.00001].map(short), ["0", "1.5 M", "30 k", "0.25", "1e-5"]);
    }

    #[test]
    fn a_chart_holds_all_its_points_and_only_numbers() {
        let series =
            |mark| Series { name: "a <b>".into(), points: vec![(0.0, 0.0), (1.0, 0.01), (2.0, 1.0)], mark, owner: 7 };
        for (is_log, mark) in
            [(false, Mark::Bars(1.0)), (true, Mark::Bars(1.0)), (false, Mark::Curve), (true, Mark::Dashed)]
        {
            let chart = Chart { x: "n", y: "share", is_log, series: vec![series(mark), series(Mark::Curve)] };
            let svg = chart.to_svg().into_string();
            assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains("a &lt;b&gt;"), "{svg}");
            let bars = svg.matches('z').count();
            assert_eq!(bars, if let Mark::Bars(_) = mark { 3 - usize::from(is_log) } else { 0 }, "{svg}");
        }
        let empty = Chart { x: "n", y: "share", is_log: true, series: Vec::new() };
        assert!(empty.to_svg().into_string().contains("Nothing"));
        let one = Chart {
            x: "n",
            y: "share",
            is_log: false,
            series: vec![Series { name: "".into(), points: vec![(3.0, 0.0)], mark: Mark::Curve, owner: 0 }],
        };
        assert!(!one.to_svg().into_string().contains("NaN"));
    }

    #[test]
    fn in_a_heat_map_the_most_is_red_and_nothing_is_not_drawn() {
        let svg = heat_map(2, &[0, 1, 1000, 0], "locks").into_string();
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains(r#"x="0" y="1" width="1" height="1" fill="hsl(0 "#), "{svg}");
    }
}
