//! What follows a game: endings, bonuses, the entry of a name. By hand here.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod agreement;
mod listing;
mod shown;

use stackhand::game::nes::console::{Ending, HighScores, Screen, Show, Sky};
use stackhand::game::nes::{Choice, Console, Event, GameType, Phase, Players, Region, Setup};
use stackhand::game::{Board, Buttons};

const REGIONS: [Region; 2] = [Region::Ntsc, Region::Pal];

/// From power-on into a game.
fn in_game(region: Region, choice: Choice, wait: u32) -> Console {
    let setup = Setup { region, ..Setup::default() };
    let (mut console, _) = Console::walked(setup, choice, wait);
    console.frame(console.with_help(Buttons::START, choice.level));
    while console.phase != Phase::Falling {
        console.frame(Buttons::NONE);
    }
    console
}

/// The game is lost with this score: the curtain's last row is shown, the next frame finds it down.
fn lost(region: Region, choice: Choice, score: u32, wait: u32) -> Console {
    let mut console = in_game(region, choice, wait);
    let mut board = Board::default();
    (0..200).for_each(|cell| board.fill(cell % 10, cell / 10));
    (console.board, console.counters.score) = (board, score);
    while console.curtain_rows < 20 {
        console.frame(Buttons::NONE);
    }
    assert_eq!(console.phase, Phase::Curtain);
    console
}

/// The B-Type game is won with this score, just now.
fn won(region: Region, level: u8, height: u8, score: u32, wait: u32) -> Console {
    let mut console = in_game(region, Choice { game_type: GameType::B, level, height }, wait);
    (console.counters.lines, console.counters.score, console.board) = (0, score, Board::default());
    for frame in 0..5000 {
        // No points for a push-down.
        if console.frame(if frame % 2 == 0 { Buttons::DOWN } else { Buttons::NONE }) == Some(Event::Won) {
            return console;
        }
    }
    panic!("never won");
}

fn a_type(level: u8) -> Choice {
    Choice { level, ..Choice::default() }
}

fn press(console: &mut Console, held: Buttons) {
    console.frame(held);
    console.frame(Buttons::NONE);
}

/// Presses Start newly in frame `at` (from 1) and in none before; the frames until that was it.
fn earliest_start(console: &Console, around: std::ops::Range<u32>) -> u32 {
    let leads_on = |at: &u32| {
        let mut console = console.clone();
        (1..*at).for_each(|_| {
            console.frame(Buttons::NONE);
        });
        assert_ne!(console.phase, Phase::Over);
        console.frame(Buttons::START);
        console.phase == Phase::Over
    };
    around.into_iter().find(leads_on).unwrap()
}

#[test]
fn each_score_has_its_own_rocket_and_less_has_none_a96e() {
    let scores = [
        (0, None),
        (29_999, None),
        (30_000, Some(0)),
        (49_999, Some(0)),
        (50_000, Some(1)),
        (69_999, Some(1)),
        (70_000, Some(2)),
        (99_999, Some(2)),
        (100_000, Some(3)),
        (119_999, Some(3)),
        (120_000, Some(4)),
        (999_999, Some(4)),
    ];
    for (score, size) in scores {
        let mut console = lost(Region::Ntsc, a_type(0), score, 0);
        console.frame(Buttons::NONE);
        let shown = console.ending.map(|ending| match ending.show {
            Show::Rocket(rocket) => rocket.size,
            _ => panic!("no rocket"),
        });
        assert_eq!(shown, size, "{score}");
        assert_eq!(console.phase, if size.is_some() { Phase::Ending } else { Phase::Curtain });
    }
}

#[test]
fn start_leads_on_when_the_rocket_is_gone_and_not_before() {
    for (region, sleep) in [(Region::Ntsc, 128), (Region::Pal, 102)] {
        for (score, slow) in [(30_000, 16), (120_000, 24)] {
            let console = lost(region, a_type(9), score, 3);
            // It stands for 240 frames; then a pixel in two frames down to $AF, one a frame down to $80, then two. The frame
            // after the last asks for Start. The curtain's frames and four of loading come before.
            let frames = 1 + sleep + 4 + 240 + 2 * slow + 0x2F + 0x40;
            // A frame less where the counter is even when it lifts off: it is as far from now as the first 1 + sleep + 4 + 240.
            let is_even = (console.frame.0 + 1 + sleep + 4 + 240) % 2 == 0;
            let expected = (frames - i64::from(is_even)) as u32;
            assert_eq!(earliest_start(&console, 1..expected + 9), expected, "{region:?}, {score}");
        }
    }
}

#[test]
fn start_that_is_held_or_not_alone_does_not_end_an_ending() {
    let mut console = lost(Region::Ntsc, a_type(0), 30_000, 0);
    (0..900).for_each(|_| {
        console.frame(Buttons::START);
    });
    assert_eq!(console.phase, Phase::Ending);
    press(&mut console, Buttons::NONE);
    press(&mut console, Buttons::START | Buttons::A);
    press(&mut console, Buttons(0xF0));
    assert_eq!(console.phase, Phase::Ending, "A+B+Select+Start is not looked at");
    // Another button may be down already; all four are looked at behind the state that the ending ran in.
    let mut reset = console.clone();
    for (console, before) in [(&mut console, Buttons::A), (&mut reset, Buttons(0xE0))] {
        console.frame(before);
        console.frame(before | Buttons::START);
    }
    assert_eq!((console.phase, reset.phase, reset.menu.screen), (Phase::Over, Phase::Menu, Screen::Legal));
}

/// The frames from here to the level menu, Start newly pressed in every other one.
fn frames_to_level_menu(console: &mut Console) -> u32 {
    let is_there = |console: &Console| {
        console.phase == Phase::Menu && console.menu.screen == Screen::Level && console.menu.is_ready()
    };
    (1..3000)
        .find(|frame| {
            console.frame(if frame % 2 == 0 { Buttons::START } else { Buttons::NONE });
            is_there(console)
        })
        .unwrap()
}

#[test]
fn bonuses_are_ten_hundreds_a_level_and_a_height_and_take_their_frames_9e49() {
    for (region, [long, short, points]) in [(Region::Ntsc, [128, 64, 2]), (Region::Pal, [102, 51, 1])] {
        for (level, height, bonus) in [(0, 0, 0), (5, 3, 8_000), (9, 5, 14_000), (19, 5, 14_000), (10, 1, 1_000)] {
            let console = won(region, level, height, 4_321, 2);
            let count = |digit: u32| if digit == 0 { 0 } else { 10 * digit * points + short };
            // The word's frames, loading, the score alone, then the sum; then the bonuses; and a frame that asks.
            let frames = 20 + 128 + 4 + long + short + count(u32::from(level) % 10) + count(height.into()) + 1;
            assert_eq!(earliest_start(&console, frames - 3..frames + 3), frames, "{region:?} {level}/{height}");
            let mut console = console;
            let (mut seen, mut last) = (Vec::new(), None);
            for _ in 1..frames {
                console.frame(Buttons::NONE);
                let bonus = console.ending.and_then(|ending| ending.bonus);
                if bonus != last {
                    seen.extend(bonus);
                    last = bonus;
                }
            }
            console.frame(Buttons::START);
            assert_eq!(console.counters.score, 4_321 + bonus);
            // At first nothing, then the score, then 100 more each time.
            assert_eq!(seen.len() as u32, 2 + bonus / 100);
            let [tens, ones] = [level % 10, height].map(|digit| digit << 4);
            assert_eq!((seen[0].left, seen[0].total), ([tens, ones], [0; 3]));
            assert_eq!(seen[1].total, [0x00, 0x43, 0x21]);
            assert_eq!(seen.last().unwrap().left, [0, 0]);
        }
    }
}

#[test]
fn a_game_of_type_b_that_was_lost_with_30_000_points_gets_its_bonus_too_9a4d() {
    let choice = Choice { game_type: GameType::B, level: 19, height: 2 };
    let mut console = lost(Region::Ntsc, choice, 30_000, 0);
    frames_to_level_menu(&mut console);
    assert_eq!(console.counters.score, 30_000 + 9_000 + 2_000);
    assert_eq!(console.high_scores.of(GameType::B)[0].score, [0x04, 0x10, 0x00]);
    let mut console = lost(Region::Ntsc, choice, 29_999, 0);
    assert!(frames_to_level_menu(&mut console) < 20);
    assert_eq!(console.high_scores.of(GameType::B)[0].score, [0x02, 0x99, 0x99]);
}

#[test]
fn a_name_is_asked_for_within_four_frames_and_the_level_menu_comes_seven_after_it() {
    for region in REGIONS {
        // No high score: the next state, two waits, and the menu's own four.
        let mut console = lost(region, a_type(3), 4_999, 0);
        console.frame(Buttons::START);
        assert_eq!(console.phase, Phase::Over);
        let mut ready = 0;
        while !console.menu.is_ready() || console.phase != Phase::Menu {
            console.frame(Buttons::NONE);
            assert_ne!(console.menu.screen, Screen::HighScore);
            ready += 1;
        }
        assert_eq!((ready, console.menu.screen), (7, Screen::Level));
        let mut console = lost(region, a_type(3), 5_000, 0);
        console.frame(Buttons::START);
        console.frame(Buttons::NONE);
        assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::HighScore));
        // Start is not looked at before the fourth.
        (0..3).for_each(|i| {
            console.frame(if i == 1 { Buttons::START } else { Buttons::NONE });
            assert!(console.entry.is_some());
        });
        // Among others it counts.
        console.frame(Buttons::START | Buttons::LEFT);
        assert_eq!((console.entry, console.menu.screen), (None, Screen::Level));
        let ready = (1..).find(|_| {
            console.frame(Buttons::NONE);
            console.menu.is_ready()
        });
        assert_eq!(ready, Some(7));
    }
}

#[test]
fn scores_go_before_their_equals_and_push_the_third_out_a0ee() {
    let first = HighScores::default();
    let scores = |console: &Console| console.high_scores.of(GameType::A).map(|game| (game.score, game.level));
    let play = |scored: &[u32]| {
        let mut console = lost(Region::Ntsc, a_type(2), scored[0], 0);
        for (i, &score) in scored.iter().enumerate() {
            if i > 0 {
                // From the level menu into the next game.
                press(&mut console, Buttons::START);
                while console.phase != Phase::Falling {
                    console.frame(Buttons::NONE);
                }
                let mut board = Board::default();
                (0..200).for_each(|cell| board.fill(cell % 10, cell / 10));
                (console.board, console.counters.score) = (board, score);
                while console.curtain_rows < 20 {
                    console.frame(Buttons::NONE);
                }
            }
            frames_to_level_menu(&mut console);
        }
        console
    };
    let [one, two, three] = [[1, 0, 0], [0, 0x75, 0], [0, 0x50, 0]];
    assert_eq!(first.of(GameType::A).map(|game| game.score), [one, two, three]);
    assert_eq!(first.of(GameType::B).map(|game| game.score), [[0, 0x20, 0], [0, 0x10, 0], [0, 5, 0]]);
    assert_eq!(scores(&play(&[4_999])), [(one, 9), (two, 5), (three, 0)]);
    assert_eq!(scores(&play(&[5_000])), [(one, 9), (two, 5), ([0, 0x50, 0], 2)]);
    assert_eq!(scores(&play(&[7_500])), [(one, 9), ([0, 0x75, 0], 2), (two, 5)]);
    assert_eq!(scores(&play(&[10_000])), [([1, 0, 0], 2), (one, 9), (two, 5)]);
    assert_eq!(
        scores(&play(&[12_345, 12_345, 12_344])),
        [([1, 0x23, 0x45], 2), ([1, 0x23, 0x45], 2), ([1, 0x23, 0x44], 2)]
    );
    // Another table for B-Type; a reset keeps both, the power switch neither.
    let mut console = play(&[12_345]);
    assert_eq!(console.high_scores.of(GameType::B), first.of(GameType::B));
    console.reset();
    assert_eq!(console.high_scores.of(GameType::A)[0].score, [1, 0x23, 0x45]);
    console.switch_off_and_on();
    assert_eq!(console.high_scores, first);
}

#[test]
fn letters_turn_every_eight_frames_and_the_cursor_goes_round_a26d() {
    let mut console = lost(Region::Ntsc, a_type(0), 20_000, 0);
    console.frame(Buttons::START);
    while console.entry.is_none() || !console.menu.is_ready() {
        console.frame(Buttons::NONE);
    }
    let name = |console: &Console| console.high_scores.of(GameType::A)[0].letters();
    assert_eq!(name(&console), "------");
    let hold = |console: &mut Console, held: Buttons, steps: u32| {
        for _ in 0..steps {
            while console.frame.0 % 8 != 7 {
                console.frame(Buttons::NONE);
            }
            console.frame(held);
        }
    };
    hold(&mut console, Buttons::UP, 19);
    press(&mut console, Buttons::A);
    hold(&mut console, Buttons::UP, 20);
    press(&mut console, Buttons::RIGHT);
    hold(&mut console, Buttons::DOWN, 1);
    press(&mut console, Buttons::RIGHT);
    hold(&mut console, Buttons::DOWN, 2);
    hold(&mut console, Buttons::UP, 3);
    press(&mut console, Buttons::LEFT);
    press(&mut console, Buttons::B);
    assert_eq!((name(&console).as_str(), console.entry.unwrap().letter), ("ST A--", 1));
    press(&mut console, Buttons::B);
    press(&mut console, Buttons::B);
    assert_eq!(console.entry.unwrap().letter, 5);
    press(&mut console, Buttons::A | Buttons::LEFT);
    assert_eq!(console.entry.unwrap().letter, 5, "there and back");
    press(&mut console, Buttons::RIGHT);
    assert_eq!(console.entry.unwrap().letter, 0);
    // Held on, a letter comes every eight frames.
    (0..80).for_each(|_| {
        console.frame(Buttons::DOWN);
    });
    assert_eq!(name(&console).as_bytes()[0], b'I');
}

#[test]
fn ten_thousands_that_select_added_last_are_a_digit_of_ten_in_europe() {
    for (selects, highest, size) in [(false, 0x10, 3), (true, 0x0A, 2)] {
        let mut console = in_game(Region::Pal, a_type(0), 0);
        console.counters.score = if selects { 90_000 } else { 100_000 };
        let held = Buttons::DOWN | if selects { Buttons::SELECT } else { Buttons::NONE };
        // The other button breaks the push-down, which would give points.
        let mut frame = 0;
        while !matches!(console.phase, Phase::Spawning) {
            frame += 1;
            console.frame(if frame % 2 == 0 { held } else { held.without(Buttons::DOWN) });
        }
        let mut board = Board::default();
        (0..200).for_each(|cell| board.fill(cell % 10, cell / 10));
        console.board = board;
        while console.ending.is_none() {
            console.frame(Buttons::NONE);
        }
        assert_eq!(console.counters.score, 100_000);
        let Some(Ending { show: Show::Rocket(rocket), score, .. }) = console.ending else { panic!("no rocket") };
        assert_eq!((score, rocket.size), ([highest, 0, 0], size));
        frames_to_level_menu(&mut console);
        // A digit of ten is less than the $10 of the same score.
        assert_eq!(console.high_scores.of(GameType::A)[0].score, [highest, 0, 0]);
    }
}

#[test]
fn a_demo_whose_game_ends_above_30_000_points_has_an_ending_and_start_leaves_it_for_the_title() {
    let mut console = Console::power_on(Setup::default());
    console.wait_for_demo();
    while console.phase != Phase::Falling {
        console.frame(Buttons::NONE);
    }
    let mut board = Board::default();
    (0..200).for_each(|cell| board.fill(cell % 10, cell / 10));
    (console.board, console.counters.score) = (board, 30_000);
    while console.phase != Phase::Ending {
        console.frame(Buttons::NONE);
    }
    // Start is read, and the ending goes on.
    press(&mut console, Buttons::START);
    assert_eq!((console.phase, console.is_demo()), (Phase::Ending, false));
    while console.phase == Phase::Ending {
        press(&mut console, Buttons::START);
    }
    assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::Title));
    assert_eq!(console.high_scores, HighScores::default());
}

#[test]
fn of_two_players_the_winner_of_a_b_type_game_has_an_ending_and_nobody_a_name() {
    for (second_wins, objects) in [(false, 6), (true, 1)] {
        let setup = Setup { region: Region::Pal, players: Players::Two, ..Setup::default() };
        let mut console = Console::at_menu(setup, Choice { game_type: GameType::B, level: 4, height: 5 }, 100);
        console.frame(Buttons::START);
        console.counters.score = 40_000;
        for frame in 0.. {
            // The first pad's Select wins for whoever locks first. Height 5 leaves room for a few rows.
            let down = if frame % 40 == 0 { Buttons::NONE } else { Buttons::DOWN };
            let pads = [Buttons::SELECT | if second_wins { Buttons::NONE } else { down }, down];
            console.frame_of_two(if second_wins { pads } else { [pads[0], Buttons::NONE] });
            if console.phase == Phase::Won {
                break;
            }
        }
        let (mut most, score) = (0, console.counters.score);
        for frame in 0..3000 {
            console.frame(if frame % 2 == 0 && frame > 2_500 { Buttons::START } else { Buttons::NONE });
            if console.phase == Phase::Over {
                break;
            }
            if console.ending.is_some_and(|ending| ending.is_shown) {
                most = most.max(sky(&console).drawn.iter().flatten().count());
            }
        }
        assert_eq!((console.phase, most), (Phase::Over, objects), "second wins: {second_wins}");
        // 4 levels, 5 heights, and the first player's score.
        assert_eq!(console.counters.score, score + 9_000);
        assert!(score >= 40_000);
        console.frame(Buttons::NONE);
        assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::Boot));
        assert_eq!(console.high_scores, HighScores::default());
    }
}

fn sky(console: &Console) -> Sky {
    match console.ending {
        Some(Ending { show: Show::Sky(sky), .. }) => sky,
        _ => panic!("no sky"),
    }
}

/// Where objects are drawn in the `n`th frame of the ending (from 1) of a game of this level and height.
fn drawn(level: u8, height: u8, n: u32) -> Vec<[u8; 2]> {
    let mut console = won(Region::Ntsc, level, height, 0, 0);
    while !console.ending.is_some_and(|ending| ending.is_shown) {
        console.frame(Buttons::NONE);
    }
    (1..n).for_each(|_| {
        console.frame(Buttons::NONE);
    });
    sky(&console).drawn.into_iter().flatten().collect()
}

#[test]
fn objects_are_where_the_tables_say_a77b_a7b7() {
    // Level 0: from 2, a pixel every third frame; the second begins when the first has come to $3A, which is 56 steps, and takes
    // its first step in the same frame.
    assert_eq!(drawn(0, 0, 1), [[2, 0x98]]);
    assert_eq!(drawn(0, 0, 4), [[3, 0x98]]);
    assert_eq!(drawn(0, 5, 168), [[0x39, 0x98], [2, 0xA8]]);
    assert_eq!(drawn(0, 5, 169), [[0x3A, 0x98], [3, 0xA8]]);
    assert_eq!(drawn(0, 5, 172), [[0x3B, 0x98], [4, 0xA8]]);
    // Height 0 has no second one.
    assert_eq!(drawn(0, 0, 172), [[0x3B, 0x98]]);
    // Level 6: from 2, two pixels a frame; the second when the first has come to $80, after 63 steps, at once in the same
    // frame. The first hides at $F0, after 119.
    assert_eq!(drawn(6, 1, 63), [[0x7E, 0xC8], [2, 0xC8]]);
    assert_eq!(drawn(6, 1, 119), [[0xEE, 0xC8], [0x72, 0xC8]]);
    assert_eq!(drawn(6, 1, 120), [[0x74, 0xC8]]);
    // Level 13 is as 3: from $FE, four pixels to the left; the second when the first has come to $42, after 47 steps.
    assert_eq!(drawn(13, 2, 47), [[0x46, 0x30], [0xFE, 0x20]]);
    assert_eq!(drawn(13, 2, 48), [[0x42, 0x30], [0xFA, 0x20]]);
}

#[test]
fn the_sixth_object_at_its_goal_begins_the_byte_that_counts_them_a625() {
    // Level 3: each of six is 47 steps behind the one before, and the sixth reaches 2, where it hides, after 63 steps.
    let n = 5 * 46 + 63;
    let mut console = won(Region::Ntsc, 3, 5, 0, 0);
    while !console.ending.is_some_and(|ending| ending.is_shown) {
        console.frame(Buttons::NONE);
    }
    (1..n).for_each(|_| {
        console.frame(Buttons::NONE);
    });
    let at_goal: Vec<[u8; 2]> = sky(&console).drawn.into_iter().flatten().collect();
    // The sixth alone is left, and the byte before the first one's is drawn as if it were one, at the height of level 2's last.
    assert_eq!(at_goal.len(), 2);
    assert_eq!((at_goal[0], at_goal[1][0] < 2, at_goal[1][1]), ([0x06, 0x80], true, 0xC8));
    // From then on the objects would have another's picture, were there any left.
    console.frame(Buttons::NONE);
    assert!([0x2E, 0x2F].contains(&sky(&console).sprite));
}
