//! Points, back-to-back, goals and levels.

use super::boards::{begun, tap};
use stackhand::game::guideline::{
    Action, Award, End, Event, GENERATION_US, Game, Goals, Keys, Progress, Sequence, Settings, Spin, Variant, fall_us,
};

/// What the guideline's tables say: action, points, lines towards a variable goal, and whether it belongs to a back-to-back
/// (seed 002:1599–1633, 002:1752–1815).
const TABLE: [(Action, u64, u32, bool); 11] = [
    (Action::Nothing, 0, 0, false),
    (Action::Single, 100, 1, false),
    (Action::Double, 300, 3, false),
    (Action::Triple, 500, 5, false),
    (Action::Tetris, 800, 8, true),
    (Action::MiniTSpin, 100, 1, false),
    (Action::MiniTSpinSingle, 200, 2, true),
    (Action::TSpin, 400, 4, false),
    (Action::TSpinSingle, 800, 8, true),
    (Action::TSpinDouble, 1200, 12, true),
    (Action::TSpinTriple, 1600, 16, true),
];

#[test]
fn every_action_is_worth_what_the_tables_say() {
    for (action, points, lines, is_back_to_back) in TABLE {
        let plain = Award { action, has_bonus: false };
        for level in 1..=15 {
            assert_eq!(plain.points(level), points * u64::from(level), "{action:?}");
        }
        assert_eq!((plain.lines(), action.is_back_to_back()), (lines, is_back_to_back), "{action:?}");
        let mut sequence = Sequence::default();
        sequence.next(Action::Tetris);
        let second = sequence.next(action);
        assert_eq!(second.has_bonus, is_back_to_back, "{action:?}");
        let half = if is_back_to_back { points / 2 } else { 0 };
        assert_eq!((second.points(3), second.lines()), (3 * (points + half), lines + half as u32 / 100), "{action:?}");
        // seed 002:1831, 002:1915.
        let breaks = matches!(action, Action::Single | Action::Double | Action::Triple);
        assert_eq!((action.breaks_back_to_back(), sequence.is_on()), (breaks, !breaks), "{action:?}");
    }
    let by_lines = |spin| [0, 1, 2, 3].map(|lines| Action::of(lines, spin));
    assert_eq!(by_lines(Spin::None), [Action::Nothing, Action::Single, Action::Double, Action::Triple]);
    assert_eq!(by_lines(Spin::Full), [Action::TSpin, Action::TSpinSingle, Action::TSpinDouble, Action::TSpinTriple]);
    assert_eq!(by_lines(Spin::Mini)[..3], [Action::MiniTSpin, Action::MiniTSpinSingle, Action::TSpinDouble]);
    assert_eq!(Action::of(4, Spin::None), Action::Tetris);
}

#[test]
fn the_guidelines_example_of_a_back_to_back_is_worth_5400() {
    // seed 002:1838–1908.
    let mut sequence = Sequence::default();
    let actions = [Action::Tetris, Action::TSpinDouble, Action::TSpin, Action::Tetris, Action::TSpinSingle];
    let points = actions.map(|action| sequence.next(action).points(1));
    assert_eq!((points, points.iter().sum()), ([800, 1800, 400, 1200, 1200], 5400));
    // The first after a line that broke it gets none again.
    sequence.next(Action::Single);
    assert_eq!(
        [Action::TSpin, Action::Tetris, Action::Tetris].map(|action| sequence.next(action).points(1)),
        [400, 800, 1200]
    );
}

/// Nine columns full, so many rows.
fn well(rows: usize) -> Vec<&'static str> {
    vec!["#########."; rows]
}

/// Stands the I of a game upright in the rightmost column and drops it; the rows that it fell.
fn drop_upright(game: &mut Game) -> (u64, Vec<Event>) {
    tap(game, Keys::CLOCKWISE);
    (0..9).for_each(|_| drop(tap(game, Keys::RIGHT)));
    let rows = game.view().ghost.unwrap().y - game.falling().unwrap().y;
    (rows as u64, tap(game, Keys::HARD_DROP))
}

#[test]
fn drops_and_line_clears_of_a_game_add_up() {
    // Level 3: a tetris, and soft drop points for rows fallen softly only.
    let mut game = begun("IO", &well(4), Settings { level: 3, ..Settings::default() });
    game.advance(Keys::SOFT_DROP, 2 * fall_us(3) / 20 + 1);
    assert_eq!(game.score(), 2);
    let (rows, events) = drop_upright(&mut game);
    assert!(rows > 5);
    assert!(matches!(
        events[0],
        Event::Locked { award: Award { action: Action::Tetris, has_bonus: false }, sent: 4, .. }
    ));
    assert_eq!((game.score(), game.lines()), (2 + 2 * rows + 3 * 800, 4));
    assert_eq!(game.board().count(), 0);
    assert!(game.sequence().is_on());
}

#[test]
fn a_second_tetris_gets_the_bonus_though_a_piece_was_held_and_others_cleared_nothing() {
    // seed 002:1915. The I comes once a bag: the second one is that of the next bag.
    let mut game = begun("IO", &well(8), Settings::default());
    let (rows, _) = drop_upright(&mut game);
    assert_eq!(game.score(), 800 + 2 * rows);
    game.advance(Keys::NONE, GENERATION_US);
    tap(&mut game, Keys::HOLD);
    // Pieces onto the left of the field until the next I comes; nothing is complete there.
    for nth in 0..14 {
        if game.falling().unwrap().orientation.piece() == stackhand::game::Piece::I {
            let before = game.score();
            let (rows, events) = drop_upright(&mut game);
            assert!(
                matches!(
                    events[0],
                    Event::Locked { award: Award { action: Action::Tetris, has_bonus: true }, sent: 5, .. }
                ),
                "{events:?}"
            );
            assert_eq!(game.score(), before + 1200 + 2 * rows);
            return;
        }
        (0..9).for_each(|_| drop(tap(&mut game, if nth % 2 == 0 { Keys::LEFT } else { Keys::NONE })));
        tap(&mut game, Keys::HARD_DROP);
        game.advance(Keys::NONE, GENERATION_US);
    }
    panic!("no I came");
}

#[test]
fn goals_of_every_level_are_those_of_both_systems() {
    // seed 002:1565–1570: 150 and 600 lines through level 15.
    let total = |goals: Goals| (1..=15).map(|level| goals.lines(level, 1)).sum::<u32>();
    assert_eq!((total(Goals::Fixed), total(Goals::Variable)), (150, 600));
    // seed 002:1577–1582: from level 4, 40 lines and then 10; or 20 and then 25.
    for (goals, first, second) in [(Goals::Fixed, 40, 10), (Goals::Variable, 20, 25)] {
        let mut progress = Progress::new(goals, 4);
        assert_eq!((progress.level(), progress.lacking()), (4, first));
        // Singles count one line each in both.
        let single = Award { action: Action::Single, has_bonus: false };
        (1..first).for_each(|_| progress.count(single, 1));
        assert_eq!((progress.level(), progress.lacking()), (4, 1));
        progress.count(single, 1);
        assert_eq!((progress.level(), progress.lacking()), (5, second));
    }
    assert_eq!([0, 16].map(|level| Progress::new(Goals::Fixed, level).level()), [1, 15]);
}

#[test]
fn actions_count_by_lines_cleared_or_by_lines_awarded_and_what_is_left_counts_on() {
    // seed 002:1586, 002:1621.
    let triple = Award { action: Action::TSpinTriple, has_bonus: true };
    let mut fixed = Progress::new(Goals::Fixed, 1);
    fixed.count(triple, 3);
    assert_eq!((fixed.level(), fixed.lacking()), (1, 7));
    // 24 lines: over the 5 of level 1, the 10 of level 2, and 9 of the 15 of level 3.
    let mut variable = Progress::new(Goals::Variable, 1);
    variable.count(triple, 3);
    assert_eq!((variable.level(), variable.lacking()), (3, 6));
    // The last level's goal ends the game, and nothing goes beyond.
    let mut last = Progress::new(Goals::Variable, 15);
    (0..3).for_each(|_| last.count(triple, 3));
    assert!(!last.is_complete());
    (0..2).for_each(|_| last.count(triple, 3));
    assert_eq!((last.level(), last.lacking(), last.is_complete()), (15, 0, true));
}

#[test]
fn marathon_levels_up_and_ends_after_the_last_level() {
    // seed 002:2241.
    let variable = |level| Settings { level, goals: Goals::Variable, ..Settings::default() };
    let mut game = begun("I", &well(4), variable(1));
    let (_, events) = drop_upright(&mut game);
    assert_eq!(events[1..], [Event::Level(2)]);
    assert_eq!((game.view().level, game.view().goal), (2, 7));
    // The action was worth its points at the level at which it was done.
    assert!(game.score() < 2 * 800);
    let mut last = begun("I", &well(4), variable(15));
    let (_, events) = drop_upright(&mut last);
    assert_eq!((events.len(), last.view().goal), (1, 75 - 8));
}

#[test]
fn sprint_ends_with_its_lines_and_has_no_level_up() {
    // seed 002:2245–2248.
    for (lines, ends) in [(4, true), (5, false)] {
        let settings = Settings { variant: Variant::Sprint { lines }, goals: Goals::Variable, ..Settings::default() };
        let mut game = begun("I", &well(4), settings);
        let (_, events) = drop_upright(&mut game);
        assert_eq!(events.contains(&Event::Ended(End::Completed)), ends);
        assert_eq!((game.end(), game.view().level), (ends.then_some(End::Completed), 1));
    }
    assert_eq!(Variant::SPRINT, Variant::Sprint { lines: 40 });
}
