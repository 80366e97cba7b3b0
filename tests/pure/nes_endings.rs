//! What follows a game: endings, bonuses, the entry of a name. By hand, and against the listing's own routines.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod listing;

use assert_cmd::Command as Program;
use listing::{Place, Rom, Snapshot};
use stackhand::game::nes::console::{Ending, HighScores, Screen, Show, Sky};
use stackhand::game::nes::{Choice, Console, Event, GameType, Phase, Players, Region, Setup};
use stackhand::game::{Board, Buttons};
use stackhand::twin::picture::{Picture, WIDTH_PX, draw};
use stackhand::twin::table::view;
use stackhand::twin::view::Screen as Shown;
use std::fs;
use tempfile::TempDir;

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

/// What both must agree in.
#[derive(Debug, PartialEq)]
struct Facts {
    place: Place,
    register: u16,
    counter: u8,
    /// Scores, bonuses and the total, while an ending's screen stands.
    sums: Option<([u8; 3], [u8; 2], [u8; 3])>,
    sprites: Vec<[u8; 3]>,
    /// Table, place and letter of the name.
    entry: Option<(usize, usize)>,
    names: Vec<[u8; 6]>,
    scores: Vec<[u8; 3]>,
    levels: Vec<u8>,
}

/// The rows of the table that are used, of four and four.
const ROWS: [usize; 6] = [0, 1, 2, 4, 5, 6];

fn of_rom(snapshot: &Snapshot, is_b: bool) -> Facts {
    let (zero, seven) = (&snapshot.zero, &snapshot.seven);
    let three = |at: usize| [zero[at + 2], zero[at + 1], zero[at]];
    let is_shown = snapshot.place == Place::Ending && !snapshot.sprites.is_empty();
    Facts {
        place: snapshot.place,
        register: u16::from(zero[0x17]) << 8 | u16::from(zero[0x18]),
        counter: zero[0xB1],
        sums: is_shown.then(|| match is_b {
            true => (three(0x73), [zero[0xAB], zero[0xAC]], three(0xDC)),
            false => (three(0x73), [0; 2], [0; 3]),
        }),
        // In whatever order; a roof is gone when it is put up at 0 for the last time.
        sprites: sorted(snapshot.sprites.iter().copied().filter(|sprite| sprite[2] > 0)),
        entry: (snapshot.place == Place::Entry).then_some((zero[0xD5] as usize & 3, zero[0xD4].into())),
        names: ROWS.map(|row| std::array::from_fn(|i| seven[6 * row + i])).into(),
        scores: ROWS.map(|row| std::array::from_fn(|i| seven[0x30 + 3 * row + i])).into(),
        levels: ROWS.map(|row| seven[0x48 + row]).into(),
    }
}

fn sorted(sprites: impl IntoIterator<Item = [u8; 3]>) -> Vec<[u8; 3]> {
    let mut sprites: Vec<[u8; 3]> = sprites.into_iter().collect();
    sprites.sort_unstable();
    sprites
}

/// The pictures of an ending by the listing's numbers, as they were put up before this frame changed what they stand for.
fn sprites(before: Option<Ending>, now: Ending, counter: u8, region: Region) -> Vec<[u8; 3]> {
    let flicker = counter >> 1 & 1;
    match (before.map(|ending| ending.show), now.show) {
        (Some(Show::Rocket(rocket)), _) if rocket.y > 0 => {
            let size = usize::from(rocket.size);
            let jet = [0x3F, 0x42, 0x45, 0x48, 0x23][size] + flicker;
            vec![[[0x3E, 0x41, 0x44, 0x47, 0x4A][size], rocket.x(), rocket.y], [jet, rocket.x(), rocket.y]]
        }
        (_, Show::Sky(sky)) => sky.drawn.into_iter().flatten().map(|[x, y]| [sky.sprite, x, y]).collect(),
        (_, Show::Concert(concert)) => {
            let figures = concert.figures(counter, region).into_iter().map(|figure| {
                let first = [0x16, 0x18, 0x1A, 0x1D, 0x1F, 0x21, 0x27, 0x29][usize::from(figure.kind)];
                [first + figure.pose, figure.at[0], figure.at[1]]
            });
            let roofs = concert.roofs_shown().flat_map(|([x, y], flies)| {
                let (kind, aside) = match x {
                    0x60 => (0x4D, 0),
                    0x90 => (0x50, 0),
                    0x70 => (0x4E, 0),
                    _ => (0x4F, 2),
                };
                [Some([kind, x, y]), flies.then_some([0x51 + flicker, x + aside, y])].into_iter().flatten()
            });
            figures.chain(roofs).collect()
        }
        _ => Vec::new(),
    }
}

fn of_model(console: &Console, before: Option<Ending>) -> Facts {
    let counter = console.frame.0 as u8;
    let place = match (console.phase, console.menu.screen) {
        (Phase::Ending, _) if console.ending.is_some_and(|ending| ending.is_shown || ending.is_loading()) => {
            Place::Ending
        }
        (Phase::Over, _) => Place::Over,
        (Phase::Menu, Screen::HighScore) => Place::Entry,
        (Phase::Menu, Screen::Level) => Place::Level,
        (Phase::Menu, Screen::Legal) => Place::Legal,
        _ => Place::Play,
    };
    let shown = console.ending.filter(|ending| ending.is_shown);
    // The first frame of an ending shows what it was loaded with.
    let before = before.or(shown);
    let sprites = shown.map_or(Vec::new(), |now| sorted(sprites(before, now, counter, console.setup().region)));
    let sums = shown.filter(|_| !sprites.is_empty()).map(|ending| {
        let bonus = ending.bonus.unwrap_or_default();
        (ending.score, bonus.left, bonus.total)
    });
    let games = || [GameType::A, GameType::B].into_iter().flat_map(|game| *console.high_scores.of(game));
    Facts {
        place,
        register: console.random.register,
        counter,
        sums,
        sprites,
        entry: console.entry.map(|entry| (entry.place, entry.letter)),
        names: games().map(|game| game.name).collect(),
        scores: games().map(|game| game.score).collect(),
        levels: games().map(|game| game.level).collect(),
    }
}

struct Dice(u64);

impl Dice {
    fn draw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Anything that a pad can do, with pauses.
    fn pads(&mut self, frames: usize) -> Vec<Buttons> {
        let mut held = 0u8;
        let eager = 4 + self.draw(60);
        let pads = (0..frames).map(|_| {
            if self.draw(eager) == 0 {
                held = match self.draw(8) {
                    0 => 0x10,
                    3 => 0xE0,
                    4 => held | 0x10,
                    1 => self.draw(256) as u8,
                    2 => [1, 2, 4, 8, 0x80, 0x40][self.draw(6) as usize],
                    _ => 0,
                };
            }
            Buttons(held)
        });
        pads.collect()
    }
}

/// The memory that the console stands for now.
fn memory(console: &Console, region: Region, pads: Vec<Buttons>) -> Rom {
    let mut rom = Rom::new(region, pads);
    let bytes = |score: u32| [score / 10_000, score / 100 % 100, score % 100].map(|n| ((n / 10) * 16 + n % 10) as u8);
    let [highest, middle, lowest] = bytes(console.counters.score);
    (rom.m[0x73], rom.m[0x74], rom.m[0x75]) = (lowest, middle, highest);
    rom.m[0x64] = console.counters.level;
    rom.m[0x68] = 10;
    rom.m[0x79] = console.menu.choice.height;
    rom.m[0xC1] = u8::from(console.menu.choice.game_type == GameType::B);
    let register = console.random.register;
    (rom.m[0x17], rom.m[0x18]) = ((register >> 8) as u8, register as u8);
    rom.m[0xB1] = console.frame.0 as u8;
    let games = [GameType::A, GameType::B].into_iter().flat_map(|game| *console.high_scores.of(game));
    for (row, game) in ROWS.into_iter().zip(games) {
        rom.m[0x700 + 6 * row..0x706 + 6 * row].copy_from_slice(&game.name);
        rom.m[0x730 + 3 * row..0x733 + 3 * row].copy_from_slice(&game.score);
        rom.m[0x748 + row] = game.level;
    }
    rom
}

/// What was met on the way.
#[derive(Default)]
struct Met {
    endings: u32,
    entries: u32,
    menus: u32,
    resets: u32,
    /// Frames in which level 3 shows a byte that is no object's.
    strange: u32,
}

/// Plays what follows a game on both: any game, or a B-Type game of this level and height that was won, whose ending is left to
/// itself for a while.
fn agree(seed: u64, region: Region, whole: Option<(u8, u8)>, met: &mut Met) {
    let mut dice = Dice(seed);
    let [is_b, is_won] = [dice.draw(2) == 1, dice.draw(3) > 0].map(|is| is || whole.is_some());
    let game_type = if is_b { GameType::B } else { GameType::A };
    let (level, height) = whole.unwrap_or((dice.draw(20) as u8, if is_b { dice.draw(6) as u8 } else { 0 }));
    let choice = Choice { game_type, level, height };
    let score =
        [dice.draw(3_000), dice.draw(12_000), dice.draw(130_000), dice.draw(1_000_000)][dice.draw(4) as usize] as u32;
    let wait = dice.draw(300) as u32;
    let is_won = is_b && is_won;
    let mut console = match is_won {
        true => won(region, choice.level, choice.height, score, wait),
        false => lost(region, choice, score, wait),
    };
    let mut pads = dice.pads(2_400);
    if whole.is_some() {
        // Long enough for everything that an ending shows.
        pads[..1_400].iter_mut().for_each(|pad| *pad = pad.without(Buttons::START));
    }
    // What was held before is not known to the listing.
    pads[0] = Buttons::NONE;
    let mut rom = memory(&console, region, pads.clone());
    let _ = rom.main(is_won);
    let mut before = None;
    assert!(rom.log.len() > 1);
    for (frame, snapshot) in rom.log.iter().enumerate() {
        if frame > 0 {
            before = console.ending.filter(|ending| ending.is_shown);
            console.frame(pads[frame - 1]);
        }
        let context = format!("seed {seed}, {region:?}, {choice:?}, {score} points, won {is_won}, frame {frame}");
        assert_eq!(of_model(&console, before), of_rom(snapshot, is_b), "{context}");
        let is_byte = |sprite: &[u8; 3]| sprite[2] == 0xC8;
        met.strange += u32::from(is_b && choice.level % 10 == 3 && snapshot.sprites.iter().any(is_byte));
    }
    let has = |place: Place| u32::from(rom.log.iter().any(|snapshot| snapshot.place == place));
    met.endings += has(Place::Ending);
    met.entries += has(Place::Entry);
    met.resets += has(Place::Legal);
    if rom.log.last().unwrap().place == Place::Level && rom.log.len() < pads.len() {
        met.menus += 1;
        // The last wait of the menu's loading is behind the last frame that was kept.
        console.frame(Buttons::NONE);
        assert!(console.menu.is_ready() && console.menu.screen == Screen::Level);
    }
}

#[test]
fn what_follows_a_game_agrees_with_the_listing_in_every_frame() {
    for region in REGIONS {
        let mut met = Met::default();
        (0..160).for_each(|seed| agree(60_000 + seed, region, None, &mut met));
        for (level, height) in (0..10).flat_map(|level| [(level, 5), (level, 3)]) {
            agree(61_000, region, Some((level, height)), &mut met);
        }
        let Met { endings, entries, menus, resets, strange } = met;
        let words =
            format!("{endings} endings, {entries} entries, {menus} menus, {resets} resets, {strange} strange objects");
        assert!(endings > 60 && entries > 60 && menus > 100 && resets > 1 && strange > 0, "{words}");
    }
}

fn picture(console: &Console) -> Picture {
    let mut picture = Picture::new();
    draw(&view(console), &mut picture);
    picture
}

#[test]
fn endings_and_names_are_drawn_from_their_variables() {
    let shown = |mut console: Console, frames: u32| {
        while !console.ending.is_some_and(|ending| ending.is_shown) {
            console.frame(Buttons::NONE);
        }
        (0..frames).for_each(|_| {
            console.frame(Buttons::NONE);
        });
        console
    };
    // Each rocket is larger than the one before: more white pixels.
    let white = |console: &Console| picture(console).pixels().iter().filter(|pixel| **pixel == 0x30).count();
    let scores = [30_000, 50_000, 70_000, 100_000, 120_000];
    let sizes = scores.map(|score| white(&shown(lost(Region::Ntsc, a_type(0), score, 0), 10)));
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    // The jet flickers, the rocket rises, and then it is gone.
    let console = shown(lost(Region::Ntsc, a_type(0), 30_000, 0), 10);
    let mut flickered = console.clone();
    (0..2).for_each(|_| {
        flickered.frame(Buttons::NONE);
    });
    assert!(picture(&console) != picture(&flickered));
    let white_in_field = |frames: u32| {
        let picture = picture(&shown(console.clone(), frames));
        let field = picture.pixels().chunks(WIDTH_PX).skip(60).take(140);
        field.map(|row| row[0x50..0x60].iter().filter(|pixel| **pixel == 0x30).count()).sum::<usize>()
    };
    assert_eq!((white_in_field(0), white_in_field(280) > 30, white_in_field(400)), (white_in_field(100), true, 0));
    // Five more objects, five more figures, three roofs less.
    let [one, six] = [0, 5].map(|height| picture(&shown(won(Region::Ntsc, 4, height, 0, 0), 180)));
    let coloured = |picture: &Picture| picture.pixels().iter().filter(|pixel| **pixel == 0x22).count();
    assert!(coloured(&six) > 4 * coloured(&one), "{} and {}", coloured(&one), coloured(&six));
    let stages = (0..6).map(|height| picture(&shown(won(Region::Ntsc, 9, height, 0, 0), 1)));
    let faces: Vec<usize> = stages.map(|p| p.pixels().iter().filter(|pixel| **pixel == 0x3C).count()).collect();
    assert!(faces.windows(2).all(|pair| pair[0] < pair[1]), "{faces:?}");
    // The name's letters and its cursor.
    let mut console = lost(Region::Ntsc, a_type(0), 20_000, 0);
    console.frame(Buttons::START);
    console.frame(Buttons::NONE);
    assert_eq!(view(&console).screen, Shown::Black);
    while !console.menu.is_ready() || console.frame.0 % 8 != 1 {
        console.frame(Buttons::NONE);
    }
    let first = picture(&console);
    press(&mut console, Buttons::RIGHT);
    let second = picture(&console);
    (0..8).for_each(|_| {
        console.frame(Buttons::UP);
    });
    let [first, second, third] = [&first, &second, &picture(&console)].map(|picture| picture.pixels().to_vec());
    assert!(first != second && second != third);
    // The best score stands on the game's screen from then on.
    while console.phase == Phase::Menu {
        press(&mut console, Buttons::START);
    }
    assert_eq!(view(&console).top, 20_000);
}

/// At this level, with a finger as slow as this and this seed, the robot loses its first game above 30,000 points.
const GOOD_GAME: [&str; 8] = ["dry-run", "--level", "19", "--finger", "hz:6", "--seed", "2", "--pieces"];

#[test]
fn the_robots_hand_gets_past_an_ending_and_a_name_to_the_next_game() {
    let folder = TempDir::new().unwrap();
    let stackhand = |args: &[&str]| {
        let output = Program::cargo_bin("stackhand").unwrap().args(args).current_dir(folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    };
    stackhand(&[&GOOD_GAME[..], &["90", "--movie-out", "m.fm2"]].concat());
    let said = stackhand(&["console", "--movie", "m.fm2", "--trace", "t.jsonl"]);
    assert!(!said.contains("Left out"), "{said}");
    let mut phases: Vec<(String, serde_json::Value)> = Vec::new();
    for line in fs::read_to_string(folder.path().join("t.jsonl")).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let phase = line["phase"].as_str().unwrap().to_owned();
        if phases.last().is_none_or(|last| last.0 != phase) {
            phases.push((phase, line));
        }
    }
    let curtain = phases.iter().position(|(phase, _)| phase == "curtain").expect("no game was lost; take another seed");
    let after: Vec<&str> = phases[curtain..].iter().map(|(phase, _)| phase.as_str()).take(7).collect();
    assert_eq!(after, ["curtain", "ending", "over", "high_score", "level_menu", "loading", "falling"]);
    assert_eq!(phases[curtain + 1].1["ending"]["rocket"].as_array().unwrap().len(), 3);
    assert_eq!(phases[curtain + 3].1["entry"], serde_json::json!({"place": 0, "letter": 0, "name": "------"}));
}
