//! Evaluators as data: what each feature of a pile costs, by name or from a file.

use super::count::{Counts, Stack, Wanted};
use super::evaluate::{Afterstate, Evaluator, Siblings, Step};
use super::feature::Feature;
use crate::game::Board;
use crate::game::board::MAX_COLUMNS;
use crate::game::orientation::{Orientation, Pose, Rotation};
use multiversion::multiversion;
use multiversion::target::match_target;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// The weights that come with the program, by name.
const BUILT_IN: [(&str, &str); 13] = [
    ("birken-2014", include_str!("../../calibration/weights/birken-2014.toml")),
    ("birken-2014-program", include_str!("../../calibration/weights/birken-2014-program.toml")),
    ("birken-2019", include_str!("../../calibration/weights/birken-2019.toml")),
    ("fahey-one", include_str!("../../calibration/weights/fahey-one.toml")),
    ("fahey-two", include_str!("../../calibration/weights/fahey-two.toml")),
    ("dellacherie", include_str!("../../calibration/weights/dellacherie.toml")),
    ("el-tetris", include_str!("../../calibration/weights/el-tetris.toml")),
    ("bcts", include_str!("../../calibration/weights/bcts.toml")),
    ("dt-10", include_str!("../../calibration/weights/dt-10.toml")),
    ("dt-20", include_str!("../../calibration/weights/dt-20.toml")),
    ("ms1", include_str!("../../calibration/weights/ms1.toml")),
    ("ms2", include_str!("../../calibration/weights/ms2.toml")),
    ("ms3", include_str!("../../calibration/weights/ms3.toml")),
];

/// Piles that are counted at once: what fills two of the smallest vector registers, or a wider one.
const LANES: usize = 16;
/// The same where there are few.
const FEW_LANES: usize = LANES / 2;
/// The same where a register holds so many numbers.
const WIDE_LANES: usize = 32;
/// What four rows at once are worth where they always win: more than any pile costs, less than what is forbidden.
const FOURS_WORTH: f64 = 1e6;
/// What Dellacherie's order among equals weighs: less than half a row for all columns.
const TIE_COST: f64 = 1e-4;
/// What a place in the order of a search weighs: all of them less than what tells two piles apart.
const FOUND_COST: f64 = 1e-9;

/// Why a text is no set of weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// No set of this name.
    #[error("no weights named {name:?}; use one of {known}, or give the path of a .toml file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Not even TOML, or a key that is not known.
    #[error(
        "the weights {name} are not valid; correct the line named below (calibration/weights/dellacherie.toml is an example)"
    )]
    Parse {
        /// Name or path.
        name: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A feature that nobody counts.
    #[error("the weights {name} name a feature {feature:?}; there are {known}")]
    Feature {
        /// Name or path.
        name: String,
        /// What was named.
        feature: String,
        /// The features there are.
        known: String,
    },
    /// A weight that is no number.
    #[error("the weights {name} give {feature} the weight {weight}; give a finite number")]
    Weight {
        /// Name or path.
        name: String,
        /// The feature's name.
        feature: &'static str,
        /// What was given.
        weight: f64,
    },
    /// No weight at all.
    #[error("the weights {name} are empty; give at least one feature a weight that is not 0, below [weights]")]
    Empty {
        /// Name or path.
        name: String,
    },
}

/// What is the better: less or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Better {
    Lower,
    Higher,
}

/// A file of weights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    /// Whether the weights add up to a cost or to a rating.
    better: Better,
    #[serde(default)]
    four_lines_win: bool,
    #[serde(default)]
    tie_break: TieBreak,
    weights: BTreeMap<String, f64>,
}

/// The order among placements that are rated alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TieBreak {
    /// By where the piece is.
    #[default]
    Pose,
    /// Far from the place where pieces appear first, there the left before the right, then few turns: Dellacherie's.
    Dellacherie,
    /// As a breadth-first search from the place where pieces appear finds the first piece's: after the fewest steps, among these
    /// turns before moves to the left, to the right and down. Birken's of 2014.
    Found,
}

/// A cost for every feature; an [`Evaluator`].
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    about: String,
    costs: Vec<(Feature, f64)>,
    wanted: Wanted,
    four_lines_win: bool,
    tie_break: TieBreak,
}

impl Default for Weights {
    /// The weights that the robot plays with unless others are named.
    fn default() -> Self {
        Self::of(
            "the six factors published in 2014",
            [
                (Feature::Lines, 1.0),
                (Feature::PivotHeight, 12.885_008_263_218_383),
                (Feature::WellCells, 15.842_707_182_438_396),
                (Feature::ColumnHoles, 26.894_496_507_795_95),
                (Feature::ColumnTransitions, 27.616_914_062_397_015),
                (Feature::RowTransitions, 30.185_110_719_279_04),
            ],
        )
    }
}

impl Weights {
    /// Costs of features; all others cost nothing.
    pub fn of(about: &str, costs: impl IntoIterator<Item = (Feature, f64)>) -> Self {
        let costs: Vec<_> = costs.into_iter().filter(|(_, cost)| *cost != 0.0).collect();
        let wanted = Wanted::by(costs.iter().map(|&(feature, _)| feature));
        Self { about: about.into(), costs, wanted, four_lines_win: false, tie_break: TieBreak::Pose }
    }

    /// The same, but a placement that clears four rows at once is better than any that does not.
    #[must_use]
    pub fn where_four_lines_win(self) -> Self {
        Self { four_lines_win: true, ..self }
    }

    /// Weights that come with the program.
    ///
    /// # Errors
    /// When there are none of this name.
    pub fn named(name: &str) -> Result<Self, WeightsError> {
        match BUILT_IN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(name, text),
            None => {
                Err(WeightsError::Unknown { name: name.into(), known: Self::names().collect::<Vec<_>>().join(", ") })
            }
        }
    }

    /// The names of those that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Weights as TOML; `name` is for messages.
    ///
    /// # Errors
    /// When it is no TOML, names features that are not counted, or gives one a weight that is no number.
    pub fn parse(name: &str, text: &str) -> Result<Self, WeightsError> {
        let parse_error = |source| WeightsError::Parse { name: name.into(), source: Box::new(source) };
        let file: File = toml::from_str(text).map_err(parse_error)?;
        let sign = if file.better == Better::Lower { 1.0 } else { -1.0 };
        let cost = |(feature, weight): (&String, &f64)| {
            let known = || Feature::ALL.map(Feature::name).join(", ");
            let feature = Feature::named(feature).ok_or_else(|| WeightsError::Feature {
                name: name.into(),
                feature: feature.clone(),
                known: known(),
            })?;
            if !weight.is_finite() {
                return Err(WeightsError::Weight { name: name.into(), feature: feature.name(), weight: *weight });
            }
            Ok((feature, sign * weight))
        };
        let mut costs = file.weights.iter().map(cost).collect::<Result<Vec<_>, _>>()?;
        costs.sort_by_key(|&(feature, _)| feature);
        let weights = Self::of(&file.about, costs);
        if weights.costs.is_empty() {
            return Err(WeightsError::Empty { name: name.into() });
        }
        Ok(Self { four_lines_win: file.four_lines_win, tie_break: file.tie_break, ..weights })
    }

    /// In a line: what these weights are, and where they come from.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What each feature costs that costs something.
    pub fn by_feature(&self) -> &[(Feature, f64)] {
        &self.costs
    }

    /// The costs of all siblings, `MOST` at a time.
    #[inline(always)]
    fn rate_in_lanes<const MOST: usize>(&self, siblings: &Siblings<'_>, costs: &mut [f64]) {
        for (part, costs) in costs.chunks_mut(MOST).enumerate() {
            // Few take less time than many.
            if costs.len() <= FEW_LANES {
                self.rate_part::<FEW_LANES>(siblings, part * MOST, costs);
            } else if costs.len() <= LANES {
                self.rate_part::<LANES>(siblings, part * MOST, costs);
            } else {
                self.rate_part::<MOST>(siblings, part * MOST, costs);
            }
        }
    }

    /// The costs of up to `N` siblings from this one on.
    #[inline(always)]
    fn rate_part<const N: usize>(&self, siblings: &Siblings<'_>, from: usize, costs: &mut [f64]) {
        let Siblings { before, firsts, board, lasts, shown, .. } = *siblings;
        let part = from..lasts.len().min(from + N);
        let lasts = lasts.get(part.clone()).unwrap_or_default();
        let stack = match shown {
            Some(shown) => Stack::<N>::of(shown.get(part).unwrap_or_default()),
            None => Stack::<N>::after(board, lasts),
        };
        let found = self.rate(before, firsts, &stack, lasts);
        costs.iter_mut().zip(found).for_each(|(cost, found)| *cost = found);
    }

    /// The costs of up to `N` piles, each made by its last piece after the same `firsts` on `before`, feature by feature.
    #[inline(always)]
    fn rate<const N: usize>(&self, before: &Board, firsts: &[Step], stack: &Stack<N>, lasts: &[Step]) -> [f64; N] {
        let counts: Counts<N> = stack.count(self.wanted);
        let floor = before.height() as i32 - 1;
        let mut costs = [0.0; N];
        for &(feature, weight) in &self.costs {
            let Some(of_last) = count_steps::<N>(feature, lasts, floor) else {
                let counted = counts[feature as usize].0;
                costs.iter_mut().zip(counted).for_each(|(cost, count)| *cost += weight * f64::from(count));
                continue;
            };
            let firsts = if is_of_last(feature) { &[] } else { firsts };
            let of_first = |first| count_steps::<1>(feature, std::slice::from_ref(first), floor);
            let before_last: i32 = firsts.iter().filter_map(of_first).map(|[count]| count).sum();
            let unit = if feature == Feature::LandingHeight { 0.5 } else { 1.0 };
            for (cost, of_last) in costs.iter_mut().zip(of_last) {
                *cost += weight * (unit * f64::from(before_last + of_last));
            }
        }
        if self.four_lines_win {
            let fours = |steps: &[Step]| steps.iter().filter(|step| step.lines == 4).count() as f64;
            for (cost, last) in costs.iter_mut().zip(lasts) {
                *cost -= FOURS_WORTH * (fours(firsts) + fours(std::slice::from_ref(last)));
            }
        }
        match self.tie_break {
            TieBreak::Pose => {}
            TieBreak::Dellacherie => {
                for (cost, last) in costs.iter_mut().zip(lasts) {
                    *cost -= TIE_COST * dellacherie_priority(last, before.width());
                }
            }
            TieBreak::Found => {
                for (cost, last) in costs.iter_mut().zip(lasts) {
                    *cost += FOUND_COST * order_found(firsts.first().unwrap_or(last), before.width());
                }
            }
        }
        costs
    }
}

/// [`Weights::rate_in_lanes`] with the widest instructions that the processor has.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+avx512bitalg+avx512vpopcntdq+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+ssse3+sse4.1+sse4.2+popcnt",
))]
fn rate_widely(weights: &Weights, siblings: &Siblings<'_>, costs: &mut [f64]) {
    match_target! {
        "x86_64+avx512bw" => weights.rate_in_lanes::<WIDE_LANES>(siblings, costs),
        _ => weights.rate_in_lanes::<LANES>(siblings, costs),
    }
}

impl Evaluator for Weights {
    fn cost(&self, after: &Afterstate<'_>) -> f64 {
        let Some((last, firsts)) = after.steps.split_last() else { return 0.0 };
        let stack = Stack::<1>::of(std::slice::from_ref(after.board));
        let [cost] = self.rate(after.before, firsts, &stack, std::slice::from_ref(last));
        cost
    }

    fn costs(&self, siblings: &Siblings<'_>, costs: &mut [f64]) {
        rate_widely(self, siblings, costs);
    }
}

/// What each of up to `N` pieces adds to a feature of pieces, where their lowest possible row is `floor`; landing heights in half
/// rows. `None` for the features of the pile.
#[inline(always)]
fn count_steps<const N: usize>(feature: Feature, steps: &[Step], floor: i32) -> Option<[i32; N]> {
    let lowest = |step: &Step| highest(step) + i32::from(step.pose.orientation.footprint().height) - 1;
    Some(match feature {
        Feature::Lines | Feature::LastLines => each(steps, |step| step.lines as i32),
        Feature::LinesInFours => each(steps, |step| if step.lines == 4 { 4 } else { 0 }),
        Feature::LockHeight => each(steps, |step| floor - lowest(step)),
        Feature::PivotHeight => each(steps, |step| floor - i32::from(step.pose.y)),
        Feature::LandingHeight => each(steps, |step| 2 * floor - lowest(step) - highest(step)),
        Feature::ErodedCells => each(steps, |step| (step.lines * step.cells_cleared) as i32),
        _ => return None,
    })
}

/// The row of a piece's topmost cells.
#[inline(always)]
fn highest(step: &Step) -> i32 {
    i32::from(step.pose.y) + i32::from(step.pose.orientation.footprint().top)
}

#[inline(always)]
fn each<const N: usize>(steps: &[Step], count: impl Fn(&Step) -> i32) -> [i32; N] {
    let mut counts = [0; N];
    counts.iter_mut().zip(steps).for_each(|(to, step)| *to = count(step));
    counts
}

/// Whether a feature of pieces is the last one's alone.
fn is_of_last(feature: Feature) -> bool {
    feature == Feature::LastLines
}

/// 100 for every column from where pieces appear on a field of this width, 10 more on the left, one less for every turn.
fn dellacherie_priority(last: &Step, width: usize) -> f64 {
    let way = i32::from(last.pose.x) - width as i32 / 2;
    let turns = last.pose.orientation.rotation() as i32;
    f64::from(100 * way.abs() + if way < 0 { 10 } else { 0 } - turns)
}

/// How late a breadth-first search finds the place of a piece that turns, moves and falls there with nothing in its way. A step is a
/// quarter turn, a column or a row; of two places that take as many, the first step in which their ways differ tells.
fn order_found(step: &Step, width: usize) -> f64 {
    let Pose { x, y, orientation } = step.pose;
    let spawn = Orientation::spawn(orientation.piece());
    // By quarter turns clockwise: steps, and of these those that are tried first and second.
    let quarters = (orientation.rotation() as usize + Rotation::COUNT - spawn.rotation() as usize) % Rotation::COUNT;
    let (turns, counter_clockwise, clockwise) = [(0, 0, 0), (1, 0, 1), (2, 2, 0), (1, 1, 0)][quarters];
    let way = i32::from(x) - width as i32 / 2;
    let sideways = match way {
        ..0 => MAX_COLUMNS as i32 + way,
        0 => 2 * MAX_COLUMNS as i32,
        1.. => 2 * MAX_COLUMNS as i32 - way,
    };
    let steps = turns + way.abs() + i32::from(y);
    f64::from(((steps * 3 + 2 - counter_clockwise) * 2 + 1 - clockwise) * (2 * MAX_COLUMNS as i32 + 1) + sideways)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::piece::Piece;

    fn refusal(text: &str) -> String {
        Weights::parse("mine.toml", text)
            .map_or_else(|error| error.to_string(), |weights| format!("taken: {weights:?}"))
    }

    #[test]
    fn all_weights_that_come_with_the_program_are_valid() {
        for name in Weights::names() {
            let weights = Weights::named(name).unwrap();
            assert!(!weights.about().is_empty() && !weights.by_feature().is_empty(), "{name}");
        }
        assert!(Weights::named("nobody").unwrap_err().to_string().contains("birken-2019"));
    }

    #[test]
    fn weights_that_say_nothing_or_nonsense_are_refused_by_name() {
        let file = |weights: &str| format!("about = \"\"\nbetter = \"lower\"\n[weights]\n{weights}");
        assert!(refusal(&file("height = 1.0")).contains("a feature \"height\"; there are lines, "));
        assert!(refusal(&file("lines = nan")).contains("lines the weight NaN; give a finite number"));
        assert!(refusal(&file("lines = inf")).contains("finite"));
        assert!(refusal(&file("lines = 0.0")).contains("are empty"));
        assert!(refusal(&file("")).contains("are empty"));
        assert!(refusal("better = \"lower\"").contains("mine.toml are not valid"));
        assert!(refusal(&file("lines = 1.0").replace("lower", "bigger")).contains("not valid"));
    }

    /// An upright I in the rightmost column of four rows that lack only that: four lines; and one on top of them.
    fn four_or_none() -> (Board, [Step; 2]) {
        let ready = Board::parse(&[
            "..........",
            "..........",
            "..........",
            "..........",
            "#########.",
            "#########.",
            "#########.",
            "#########.",
        ]);
        let before = ready.unwrap();
        let upright = Orientation::shapes(Piece::I).nth(1).unwrap();
        let at = |x, y| Step::of(&before, Pose { x, y, orientation: upright }).1;
        (before, [at(9, 6), at(0, 2)])
    }

    #[test]
    fn four_lines_at_once_win_whatever_else_they_cost() {
        let (before, lasts) = four_or_none();
        let (board, shown) = (&before, None);
        let siblings = Siblings { before: board, level: 19, firsts: &[], board, lasts: &lasts, shown };
        let against = Weights::of("", [(Feature::Lines, 1000.0)]);
        let mut costs = [0.0f64; 2];
        against.costs(&siblings, &mut costs);
        assert_eq!(costs, [4000.0, 0.0]);
        against.where_four_lines_win().costs(&siblings, &mut costs);
        assert!(costs[0] < costs[1], "{costs:?}");
    }

    #[test]
    fn pieces_are_measured_as_they_locked() {
        let (before, lasts) = four_or_none();
        let of = |feature| {
            let mut costs = [0.0f64; 2];
            let (board, shown) = (&before, None);
            let siblings = Siblings { before: board, level: 0, firsts: &[], board, lasts: &lasts, shown };
            Weights::of("", [(feature, 1.0)]).costs(&siblings, &mut costs);
            costs
        };
        assert_eq!(of(Feature::LinesInFours), [4.0, 0.0]);
        assert_eq!(of(Feature::ErodedCells), [16.0, 0.0]);
        // The first fills rows 4 to 7 of 8, the second rows 0 to 3.
        assert_eq!(of(Feature::LockHeight), [0.0, 4.0]);
        assert_eq!(of(Feature::LandingHeight), [1.5, 5.5]);
        assert_eq!(of(Feature::PivotHeight), [1.0, 5.0]);
    }

    #[test]
    fn one_by_one_or_all_at_once_costs_are_the_same() {
        let (before, lasts) = four_or_none();
        for name in Weights::names() {
            let weights = Weights::named(name).unwrap();
            let (board, shown) = (&before, None);
            let siblings = Siblings { before: board, level: 3, firsts: &[lasts[1]], board, lasts: &lasts, shown };
            let mut costs = [0.0f64; 2];
            weights.costs(&siblings, &mut costs);
            siblings
                .for_each(|index, after| assert_eq!(weights.cost(after).to_bits(), costs[index].to_bits(), "{name}"));
        }
    }

    #[test]
    fn equals_are_found_in_the_order_of_a_breadth_first_search() {
        for piece in Piece::ALL {
            let spawn = Pose { x: 5, y: 0, orientation: Orientation::spawn(piece) };
            let board = Board::default();
            let (mut found, mut queue) = (vec![spawn.shape()], std::collections::VecDeque::from([spawn]));
            let mut locks = Vec::new();
            while let Some(pose) = queue.pop_front() {
                let turned = |clockwise| Pose {
                    orientation: Orientation::of(piece, pose.orientation.rotation().turned(clockwise)),
                    ..pose
                };
                let steps = [turned(false), turned(true), pose.moved(-1, 0), pose.moved(1, 0), pose.moved(0, 1)];
                if !steps[4].fits(&board) {
                    locks.push(pose.shape());
                }
                for next in steps.into_iter().filter(|next| next.fits(&board)) {
                    if !found.contains(&next.shape()) {
                        found.push(next.shape());
                        queue.push_back(next);
                    }
                }
            }
            let mut ordered = locks.clone();
            ordered.sort_by(|a, b| {
                order_found(&Step::of(&board, *a).1, 10).total_cmp(&order_found(&Step::of(&board, *b).1, 10))
            });
            assert_eq!(ordered, locks, "{piece}");
        }
    }

    /// A pile with rows that lack a column or two, by a seed.
    fn uneven(seed: u64, width: usize) -> Board {
        let mut board = Board::new(width, 20);
        let mut state = seed;
        for y in 20 - seed as usize % 15..20 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = (state >> 33) as u16;
            let ready = !(1u16 << (state >> 60)) & !(1u16 << (state >> 56 & 15));
            board.set_row(y, if state >> 50 & 1 == 0 { ready } else { bits });
        }
        board
    }

    #[test]
    fn many_piles_at_once_cost_to_the_bit_what_each_costs_by_itself() {
        let all = Weights::names().map(|name| Weights::named(name).unwrap()).chain([Weights::default()]);
        let all: Vec<Weights> = all.collect();
        let (mut clearing, mut most) = (0, 0);
        for seed in 0..300 {
            let (before, width) = (uneven(seed, 8 + seed as usize % 7), 8 + seed as usize % 7);
            let mut firsts = crate::game::reach::dropped_locks(&before, Piece::from_index(seed as usize % 7));
            let Some(first) = firsts.next() else { continue };
            let (board, first) = Step::of(&before, first);
            let step = Step::on(&board);
            let lasts: Vec<Step> =
                crate::game::reach::dropped_locks(&board, Piece::from_index(seed as usize / 7 % 7)).map(step).collect();
            clearing += lasts.iter().filter(|last| last.lines > 0).count();
            most = most.max(lasts.len());
            let (firsts, before) = ([first], &before);
            let siblings = Siblings { before, level: 3, firsts: &firsts, board: &board, lasts: &lasts, shown: None };
            for weights in &all {
                let mut costs = vec![f64::NAN; lasts.len()];
                weights.costs(&siblings, &mut costs);
                let mut plainly = vec![f64::NAN; lasts.len()];
                weights.rate_in_lanes::<LANES>(&siblings, &mut plainly);
                assert_eq!(costs, plainly);
                // Where registers are narrow, too.
                let mut widely = vec![f64::NAN; lasts.len()];
                weights.rate_in_lanes::<WIDE_LANES>(&siblings, &mut widely);
                assert_eq!(costs, widely);
                siblings.for_each(|index, after| {
                    assert_eq!(costs[index], weights.cost(after), "{width} {:?} {:?}", weights.about(), after.board);
                });
                let shown: Vec<Board> = lasts.iter().map(|last| Step::of(&board, last.pose).0).collect();
                weights.costs(&Siblings { shown: Some(&shown), ..siblings }, &mut plainly);
                assert_eq!(costs, plainly);
            }
        }
        assert!(clearing > 30 && most > WIDE_LANES, "{clearing} {most}");
    }
}
