//! Frame-exact reach against the slow truth, and every promised way played on the console's own rules.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod planner_support;

use planner_support::{Random, can_press, replay, slow_locks};
use stackhand::game::Board;
use stackhand::game::nes::{Control, Region};
use stackhand::game::orientation::Pose;
use stackhand::message::Buttons;
use stackhand::planner::timed::{Hand, Pace, Style, TimedReach};
use std::collections::BTreeSet;

/// Press and gap of every hand tried, frames.
const HANDS: [(u8, u8); 8] = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (3, 3), (4, 3), (5, 6)];

struct Case {
    board: Board,
    start: Control,
    region: Region,
    level: u8,
    hand: Hand,
    style: Style,
}

impl Case {
    fn random(random: &mut Random, level: u8, heights: std::ops::Range<u64>, style: Style) -> Self {
        let (press, gap) = HANDS[random.below(HANDS.len() as u64) as usize];
        let board = random.board(heights);
        let region = if random.below(4) == 0 { Region::Pal } else { Region::Ntsc };
        let (pace, start) = (Pace::of(region, level), Control::spawn(random.piece(), 0, Buttons::NONE));
        let start = match random.below(8) {
            0..4 => started(start, pace, random),
            4 => Control::first_in(region, start.pose.orientation.piece(), start.held),
            _ => start,
        };
        Self { board, start, region, level, hand: Hand::new(press, gap).unwrap(), style }
    }

    fn reach(&self) -> TimedReach {
        TimedReach::of(&self.board, &self.start, Pace::of(self.region, self.level), self.hand, self.style)
    }

    /// Compares with the slow truth; how many poses can be reached.
    fn check(&self) -> usize {
        let reach = self.reach();
        let fast: Vec<Pose> = reach.locks().collect();
        let unique: BTreeSet<Pose> = fast.iter().copied().collect();
        assert_eq!(unique.len(), fast.len(), "a pose was listed twice");
        let slow = slow_locks(&self.board, &self.start, self.region, self.level, self.hand, self.style);
        let (missing, false_ones) = (slow.difference(&unique).next(), unique.difference(&slow).next());
        assert!(missing.is_none() && false_ones.is_none(), "{self:?}\nmissing {missing:?}, false {false_ones:?}");
        fast.len()
    }

    /// Plays the way to every pose.
    fn check_ways(&self) -> usize {
        let reach = self.reach();
        for pose in reach.locks() {
            let way = reach.way(pose).unwrap_or_else(|| panic!("{self:?}\nno way to {pose:?}"));
            let locked = replay(&self.board, &self.start, self.region, self.level, &way);
            assert_eq!(locked, Some(pose), "{self:?}\n{way:?}");
            assert!(can_press(&self.start, &way, self.hand), "{self:?}\n{way:?}");
            if let TimedReach::Taps(taps) = &reach {
                assert!(taps.locks().any(|lock| lock == (pose, way.len())));
            }
        }
        reach.locks().count()
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { board, start, region, level, hand, style } = self;
        write!(f, "{region:?} level {level}, {hand:?}, {style:?}, {start:?}{board:?}")
    }
}

/// Some state of a piece under way: something may be held, with any charge.
fn started(spawned: Control, pace: Pace, random: &mut Random) -> Control {
    let held = [0, 1, 2, 4, 64, 128, 1 | 64, 2 | 128][random.below(8) as usize];
    let timer = random.below(u64::from(pace.frames_per_row)) as u8;
    let autorepeat_x = random.below(u64::from(pace.auto_shift) + 1) as u8;
    let autorepeat_y = if held == 4 { random.below(3) as i8 } else { 0 };
    let pose = spawned.pose.moved(random.below(5) as i8 - 2, random.below(4) as i8);
    let pose = if random.below(3) == 0 { pose.turned(true) } else { pose };
    Control { pose, held: Buttons(held), fall_timer: timer, autorepeat_x, autorepeat_y, ..spawned }
}

fn check_many(style: Style, level: u8, heights: std::ops::Range<u64>, cases: usize, seed: u64) {
    let mut random = Random(seed ^ u64::from(level) << 32);
    let reached: usize = (0..cases).map(|_| Case::random(&mut random, level, heights.clone(), style).check()).sum();
    assert!(reached > 3 * cases, "{reached} poses in {cases} cases are too few to show anything");
}

#[test]
fn taps_equal_the_slow_search() {
    for (level, cases) in [(0, 60), (9, 300), (18, 600), (19, 600), (29, 600)] {
        check_many(Style::Taps, level, 0..19, cases, 1);
    }
}

#[test]
fn holds_equal_the_slow_search() {
    for (level, heights, cases) in [(0, 17..20, 2), (9, 12..19, 10), (18, 6..19, 30), (19, 4..19, 40), (29, 0..19, 80)]
    {
        check_many(Style::Holds, level, heights, cases, 2);
    }
}

#[test]
fn every_way_locks_where_it_says() {
    let mut random = Random(3);
    for style in [Style::Taps, Style::Holds] {
        for level in [0, 9, 18, 19, 29] {
            let poses: usize = (0..8).map(|_| Case::random(&mut random, level, 0..19, style).check_ways()).sum();
            assert!(poses > 20);
        }
    }
}
