//! Frame-exact reach against the slow truth, and every promised way played on the console's own rules.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::planner_support::{Random, can_press, replay, slow_locks};
use stackhand::game::Buttons;
use stackhand::game::nes::{Control, Region};
use stackhand::game::orientation::Pose;
use stackhand::game::{Board, Movement, Pace, Piece, Reach};
use stackhand::planner::timed::{Descent, Hand, Holds, Style, TapDescent, Taps, TimedReach};
use stackhand::planner::{Candidate, Feature, Manner, Moves, Search, Touch, Weights, two_piece};
use stackhand::profile::layout::Layout;
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
    let pose = if random.below(3) == 0 { Control::rotation().turned(pose, true) } else { pose };
    Control { pose, held: Buttons(held), fall_timer: timer, autorepeat_x, autorepeat_y, ..spawned }
}

fn check_many(style: Style, level: u8, heights: std::ops::Range<u64>, cases: usize, seed: u64) {
    let mut random = Random(seed ^ u64::from(level) << 32);
    let reached: usize = (0..cases).map(|_| Case::random(&mut random, level, heights.clone(), style).check()).sum();
    assert!(reached > 3 * cases, "{reached} poses in {cases} cases are too few to show anything");
}

/// Where the piece can lock if time does not press.
fn all_locks(board: &Board, spawn: Pose) -> Vec<Pose> {
    Reach::flood(board, spawn, Control::rotation()).locks().collect()
}

#[test]
fn taps_equal_the_slow_search() {
    for (level, cases) in [(0, 20), (9, 100), (18, 200), (19, 200), (29, 200)] {
        check_many(Style::Taps, level, 0..19, cases, 1);
    }
}

#[test]
fn holds_equal_the_slow_search() {
    for (level, heights, cases) in [(0, 17..20, 2), (9, 12..19, 4), (18, 6..19, 12), (19, 4..19, 16), (29, 0..19, 30)] {
        check_many(Style::Holds, level, heights, cases, 2);
    }
}

#[test]
fn what_boards_share_may_be_worked_out_once() {
    let mut random = Random(7);
    for round in 0..300 {
        let level = [0, 9, 18, 19, 29][round % 5];
        let case = Case::random(&mut random, level, 0..19, Style::Holds);
        let pace = Pace::of(case.region, level);
        let alone = Holds::reach(&case.board, &case.start, pace, case.hand);
        let taps_alone = Taps::reach(&case.board, &case.start, pace, case.hand);
        // A board that it has nothing to do with, an empty one, one that differs from some row on, itself.
        let mut like = case.board;
        let random_row = (random.next() % 20) as usize;
        like.set_row(random_row, !like.row(random_row));
        for known in [random.board(0..19), Board::default(), like, case.board] {
            let shared = Descent::of(&known, &case.start, pace, case.hand).reach(&case.board);
            assert_eq!(shared.locks().collect::<Vec<_>>(), alone.locks().collect::<Vec<_>>(), "{known:?}{case:?}");
            let shared = TapDescent::of(&known, &case.start, pace, case.hand).reach(&case.board);
            assert_eq!(shared.poses().collect::<Vec<_>>(), taps_alone.poses().collect::<Vec<_>>(), "{known:?}{case:?}");
        }
    }
}

/// Where a piece can lock that falls two rows after every frame, tapped every other frame at most: frame by frame.
fn doubled_locks(board: &Board, spawn: Pose) -> BTreeSet<Pose> {
    let rotation = Control::rotation();
    let free_moves = |pose: Pose| {
        let shifts = [0, -1, 1].map(|dx| pose.moved(dx, 0)).into_iter().filter(|shifted| shifted.fits(board));
        let turns = move |pose: Pose| {
            let turned = [true, false].map(|clockwise| rotation.turned(pose, clockwise));
            std::iter::once(pose).chain(turned.into_iter().filter(|turned| turned.fits(board)))
        };
        shifts.flat_map(turns).collect::<Vec<_>>()
    };
    // Poses before each frame, and whether a tap may begin.
    let mut now: BTreeSet<(Pose, bool)> =
        BTreeSet::from([(spawn, true)]).into_iter().filter(|(pose, _)| pose.fits(board)).collect();
    let mut locks = BTreeSet::new();
    while !now.is_empty() {
        let mut tapped = BTreeSet::new();
        for (pose, may_tap) in now {
            tapped.insert((pose, true));
            if may_tap {
                tapped.extend(free_moves(pose).into_iter().filter(|moved| *moved != pose).map(|moved| (moved, false)));
            }
        }
        now = BTreeSet::new();
        for (pose, may_tap) in tapped {
            match [1, 2].into_iter().find(|&rows| !pose.moved(0, rows).fits(board)) {
                Some(rows) => drop(locks.insert(pose.moved(0, rows - 1))),
                None => drop(now.insert((pose.moved(0, 2), may_tap))),
            }
        }
    }
    locks
}

#[test]
fn taps_at_double_speed_are_what_a_search_frame_by_frame_finds() {
    let mut random = Random(11);
    for _ in 0..300 {
        let (board, piece) = (random.board(0..18), random.piece());
        let start = Control::spawn(piece, 0, Buttons::NONE);
        let pace = Pace { frames_per_row: 1, ..LEVEL_18 }.doubled();
        let taps = Taps::reach(&board, &start, pace, Hand::new(1, 1).unwrap());
        let found: BTreeSet<Pose> = taps.poses().map(Pose::shape).collect();
        let expected: BTreeSet<Pose> = doubled_locks(&board, start.pose).into_iter().map(Pose::shape).collect();
        assert_eq!(found, expected, "{piece} {board:?}");
        assert!(taps.poses().all(|pose| taps.way(pose).is_some()), "{piece} {board:?}");
        let shared = TapDescent::of(&Board::default(), &start, pace, Hand::new(1, 1).unwrap()).reach(&board);
        assert_eq!(shared.poses().collect::<Vec<_>>(), taps.poses().collect::<Vec<_>>());
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

const LEVEL_18: Pace = Pace { frames_per_row: 3, rows_at_once: 1, auto_shift: 16, reload: 10 };

fn reach_at(board: &Board, start: &Control, pace: Pace, press_gap: (u8, u8), style: Style) -> BTreeSet<Pose> {
    let hand = Hand::new(press_gap.0, press_gap.1).unwrap();
    TimedReach::of(board, start, pace, hand, style).locks().collect()
}

#[test]
fn a_charge_carried_over_reaches_further_than_a_fresh_press() {
    // At full speed a slow finger gets one column far by tapping; a wall charge shifts at once and every six frames.
    let level_29 = Pace { frames_per_row: 1, ..LEVEL_18 };
    let leftmost = |charge, held| {
        let start = Control::spawn(Piece::O, charge, held);
        reach_at(&Board::default(), &start, level_29, (5, 11), Style::Holds).iter().map(|pose| pose.x).min().unwrap()
    };
    assert_eq!([leftmost(0, Buttons::NONE), leftmost(0, Buttons::LEFT), leftmost(16, Buttons::LEFT)], [3, 4, 1]);
}

#[test]
fn a_direction_held_against_a_wall_keeps_its_charge() {
    // Left is held beside a block three rows high, above a floor eleven rows down. Held on, it shifts as soon as the block
    // ends and then every six frames; let go and pressed again, it is too late for the far columns.
    let mut board = Board::default();
    (0..3).for_each(|row| board.set_row(row, 0b1111));
    (12..20).for_each(|row| board.set_row(row, 0x1FF));
    let start = Control::spawn(Piece::O, 16, Buttons::LEFT);
    let poses = reach_at(&board, &start, LEVEL_18, (1, 15), Style::Holds);
    let slow = slow_locks(&board, &start, Region::Ntsc, 18, Hand::new(1, 15).unwrap(), Style::Holds);
    assert_eq!(poses, slow);
    assert_eq!(poses.iter().map(|pose| pose.x).min(), Some(1));
}

#[test]
fn a_slow_finger_reaches_less_and_one_slower_than_gravity_next_to_nothing() {
    let level_29 = Pace { frames_per_row: 1, ..LEVEL_18 };
    let start = Control::spawn(Piece::J, 0, Buttons::NONE);
    let count = |press_gap, pace| reach_at(&Board::default(), &start, pace, press_gap, Style::Taps).len();
    assert_eq!(count((1, 1), LEVEL_18), 34);
    assert!(count((3, 3), level_29) < count((1, 1), level_29));
    // Two taps before the floor, at most: the farthest columns are out of reach.
    let columns = |press_gap| {
        let poses = reach_at(&Board::default(), &start, level_29, press_gap, Style::Taps);
        poses.iter().flat_map(|pose| pose.cells().map(|cell| cell.0)).collect::<BTreeSet<_>>()
    };
    assert_eq!(columns((5, 11)), (2..=8).collect());
    assert_eq!(columns((1, 1)), (0..=9).collect());
}

#[test]
fn what_cannot_be_reaches_nothing() {
    let spawned = Control::spawn(Piece::I, 0, Buttons::NONE);
    let mut blocked = Board::default();
    (0..20).for_each(|row| blocked.set_row(row, u16::MAX));
    let impossible = [
        (blocked, spawned),
        (Board::new(4, 20), spawned),
        (Board::new(16, 24), spawned),
        (Board::new(1, 1), spawned),
        (Board::default(), Control { pose: Pose { x: -100, ..spawned.pose }, ..spawned }),
        (Board::default(), Control { pose: Pose { x: 127, y: 127, ..spawned.pose }, ..spawned }),
        (Board::default(), Control { pose: Pose { y: -2, ..spawned.pose }, ..spawned }),
    ];
    for (board, start) in &impossible {
        for style in [Style::Taps, Style::Holds] {
            assert_eq!(reach_at(board, start, LEVEL_18, (1, 1), style), BTreeSet::new(), "{start:?}{board:?}");
            let reach = TimedReach::of(board, start, LEVEL_18, Hand::new(1, 1).unwrap(), style);
            assert_eq!(reach.way(start.pose), None);
        }
    }
}

#[test]
fn no_state_of_a_console_hangs_or_panics() {
    let mut random = Random(4);
    for _ in 0..2000 {
        let bytes = random.next().to_le_bytes();
        let board = random.board(0..20);
        let pose = Pose {
            x: bytes[0] as i8 / 8,
            y: bytes[1] as i8 / 4,
            ..Control::spawn(random.piece(), 0, Buttons::NONE).pose
        };
        let start = Control {
            pose,
            autorepeat_x: bytes[2],
            autorepeat_y: bytes[3] as i8,
            fall_timer: bytes[4],
            hold_down_points: bytes[5],
            held: Buttons(bytes[6]),
        };
        let pace = Pace { frames_per_row: bytes[7], ..Pace::of(Region::Pal, bytes[7]) };
        for style in [Style::Taps, Style::Holds] {
            let reach = TimedReach::of(&board, &start, pace, Hand::new(2, 2).unwrap(), style);
            for pose in reach.locks().take(2) {
                assert!(!pose.moved(0, 1).fits(&board));
                assert!(reach.way(pose).is_some(), "{start:?} {pose:?}{board:?}");
            }
        }
    }
}

/// The plain search, and the plain rating: what the quick ones must equal bit for bit.
mod plain {
    use super::*;
    use stackhand::game::movement::place;

    pub fn cost(board: &Board, locks: &[Pose], lines: usize) -> f64 {
        let weights = Weights::default();
        let full = |x: i32, y: i32| !(0..10).contains(&x) || board.is_full(x as usize, y as usize);
        let count = |what: &dyn Fn(i32, i32) -> bool| {
            (0..20).map(|y| (0..10).filter(|&x| what(x, y)).count()).sum::<usize>() as f64
        };
        let open = |x: i32, y: i32| (0..=y).all(|above| !full(x, above));
        let wells = count(&|x, y| open(x, y) && full(x - 1, y) && full(x + 1, y));
        let holes = count(&|x, y| y > 0 && full(x, y - 1) && !full(x, y));
        let columns = count(&|x, y| y > 0 && full(x, y - 1) != full(x, y));
        let row = |y: i32| (0..11).filter(|&x| full(x - 1, y) != full(x, y)).count();
        let rows = (0..20).filter(|&y| board.row(y as usize) != 0).map(row).sum::<usize>() as f64;
        let height: i32 = locks.iter().map(|pose| 19 - i32::from(pose.y)).sum();
        let weight =
            |feature| weights.by_feature().iter().find(|(other, _)| *other == feature).map_or(0.0, |(_, cost)| *cost);
        weight(Feature::Lines) * lines as f64
            + weight(Feature::PivotHeight) * f64::from(height)
            + weight(Feature::WellCells) * wells
            + weight(Feature::ColumnHoles) * holes
            + weight(Feature::ColumnTransitions) * columns
            + weight(Feature::RowTransitions) * rows
    }

    /// Every placement of the first piece with its cost, by pose.
    pub fn two_piece(
        board: &Board,
        firsts: &[Pose],
        next: Pose,
        answers: impl Fn(&Board) -> Vec<Pose>,
    ) -> Vec<(Pose, f64)> {
        let rated = |&first: &Pose| {
            let (after, lines) = place(board, first);
            if !next.fits(&after) {
                return (first, 1e9 + cost(&after, &[first], lines));
            }
            let second = |second: Pose| {
                let (last, more) = place(&after, second);
                cost(&last, &[first, second], lines + more)
            };
            (first, answers(&after).into_iter().map(second).fold(1e9, f64::min))
        };
        let mut rated: Vec<_> = firsts.iter().map(rated).collect();
        rated.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        rated
    }
}

/// The search where both pieces are moved by this hand.
fn timed(board: &Board, start: &Control, next: Piece, touch: Touch, movement: &Movement) -> Vec<Candidate> {
    let moves = Moves { movement, manner: Manner::Timed(touch) };
    let (next, evaluator) = ([(next, 1.0)], &Weights::default());
    Search { board, level: 18, lines_left: None, next: &next, beyond: None, moves: &moves, evaluator }
        .rank(touch.reach(board, start).locks())
}

fn as_pairs(candidates: &[Candidate]) -> Vec<(Pose, u64)> {
    candidates.iter().map(|candidate| (candidate.pose, candidate.cost.to_bits())).collect()
}

#[test]
fn the_quick_searches_equal_plain_ones_bit_for_bit() {
    let mut random = Random(5);
    let (weights, movement) = (Weights::default(), Layout::load("nes").unwrap().movement().unwrap());
    for round in 0..60 {
        let (board, piece, next) = (random.board(0..20), random.piece(), random.piece());
        let start = Control::spawn(piece, 0, Buttons::NONE);
        let answer = Control::spawn(next, 0, Buttons::NONE);
        let bits =
            |plain: Vec<(Pose, f64)>| plain.iter().map(|&(pose, cost)| (pose, cost.to_bits())).collect::<Vec<_>>();

        let firsts = all_locks(&board, start.pose);
        let plain = plain::two_piece(&board, &firsts, answer.pose, |after| all_locks(after, answer.pose));
        let quick = two_piece(&board, start.pose, Some(next), &Moves::freely(&movement), &weights);
        assert_eq!(as_pairs(&quick), bits(plain), "{piece} {next}{board:?}");

        let (press, gap) = HANDS[round % HANDS.len()];
        let style = if round % 3 == 0 { Style::Holds } else { Style::Taps };
        let touch = Touch { pace: LEVEL_18, hand: Hand::new(press, gap).unwrap(), style };
        let firsts: Vec<Pose> = touch.reach(&board, &start).locks().collect();
        let answers = |after: &Board| touch.reach(after, &answer).locks().collect();
        let plain = plain::two_piece(&board, &firsts, answer.pose, answers);
        let quick = timed(&board, &start, next, touch, &movement);
        assert_eq!(as_pairs(&quick), bits(plain), "{piece} {next} {touch:?}{board:?}");
    }
}

#[test]
fn with_time_to_spare_a_whole_hand_does_what_a_search_without_time_does() {
    let mut random = Random(6);
    let level_0 = Pace::of(Region::Ntsc, 0);
    for _ in 0..100 {
        let (board, piece) = (random.board(0..17), random.piece());
        let start = Control::spawn(piece, 0, Buttons::NONE);
        let timeless: BTreeSet<Pose> = all_locks(&board, start.pose).into_iter().collect();
        assert_eq!(reach_at(&board, &start, level_0, (1, 1), Style::Holds), timeless, "{piece}{board:?}");
        // The same pile on the floor of the highest board.
        let mut tall = Board::new(10, 40);
        board.rows().iter().enumerate().for_each(|(y, &row)| tall.set_row(y + 20, row));
        let timeless: BTreeSet<Pose> = all_locks(&tall, start.pose).into_iter().collect();
        for style in [Style::Taps, Style::Holds] {
            assert_eq!(reach_at(&tall, &start, level_0, (1, 1), style), timeless, "{piece}{tall:?}");
        }
    }
}
