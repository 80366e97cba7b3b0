//! The whole game against a second one: the listing's own routines on the console's own bytes, written down without a
//! look at the model. Slow and plain on purpose. Both are played with the same random presses and must agree in every
//! frame of every game.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod demo;
mod rom;

use rom::{EMPTY, Listing, two};
use stackhand::game::Buttons;
use stackhand::game::nes::{Choice, Console, Event, GameType, Phase, Region, Setup};
use stackhand::game::{Board, Control, Orientation};

/// What both must agree in.
#[derive(Debug, PartialEq)]
struct Facts {
    state: u8,
    register: u16,
    spawn_count: u8,
    piece: Option<[u8; 7]>,
    next: u8,
    counters: (u32, u8, u32),
    statistics: [u32; 7],
    board: Board,
}

fn of_listing(rom: &Listing) -> Facts {
    let piece = [rom.x, rom.y, rom.current, rom.autorepeat_x, rom.autorepeat_y, rom.fall_timer, rom.hold_down];
    Facts {
        state: if rom.paused { 0xFF } else { rom.play_state },
        register: u16::from(rom.seed[0]) << 8 | u16::from(rom.seed[1]),
        spawn_count: rom.spawn_count,
        piece: (rom.play_state == 1).then_some(piece),
        next: rom.next,
        counters: (
            u32::from(rom.lines[1]) * 100 + two(rom.lines[0]),
            rom.level,
            two(rom.score[2]) * 10_000 + two(rom.score[1]) * 100 + two(rom.score[0]),
        ),
        statistics: rom.stats.map(|s| u32::from(s[1]) * 100 + two(s[0])),
        board: rom.board(),
    }
}

fn of_model(console: &Console, in_play: bool) -> Facts {
    let state = match console.phase {
        Phase::Falling => 1,
        Phase::Locking => 2,
        Phase::Checking => 3,
        Phase::Clearing => 4,
        Phase::Counting(i) => 5 + i,
        Phase::Spawning => 8,
        Phase::Curtain => 10,
        Phase::Paused => 0xFF,
        Phase::Menu | Phase::Won | Phase::Ending | Phase::Over | Phase::Crashed => 0,
    };
    let c = console.control;
    let piece = [
        c.pose.x as u8,
        c.pose.y as u8,
        c.pose.orientation.id(),
        c.autorepeat_x,
        c.autorepeat_y as u8,
        c.fall_timer,
        c.hold_down_points,
    ];
    Facts {
        state,
        register: console.random.register,
        spawn_count: console.random.spawn_count,
        piece: in_play.then_some(piece),
        next: Orientation::spawn(console.next).id(),
        counters: (console.counters.lines, console.counters.level, console.counters.score),
        statistics: console.statistics.map(u32::from),
        board: console.board,
    }
}

struct Dice(u64);

impl Dice {
    fn draw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Holds on for a while, mostly sensible presses, now and then anything that a pad can do.
    fn hold(&mut self, held: &mut u8, is_calm: bool) -> Buttons {
        if is_calm {
            if self.draw(8) == 0 {
                *held = [0, 4, 4, 0x80, 0x40][self.draw(5) as usize];
            }
        } else if self.draw(6) == 0 {
            let common = [0, 0, 1, 2, 4, 4, 0x80, 0x40, 0x81, 0x42, 5, 6, 8, 0xC4, 9];
            *held = match self.draw(60) {
                0 => 0x10,
                1 => 0x20,
                2 => self.draw(256) as u8 & !0x30,
                n => common[n as usize % common.len()],
            };
            // Opposite directions cannot be pressed on a pad.
            if *held & 3 == 3 {
                *held &= !2;
            }
            if *held & 12 == 12 {
                *held &= !8;
            }
        }
        Buttons(*held)
    }
}

/// What was met on the way, so that a test can say that it met enough.
#[derive(Default)]
struct Met {
    locks: u32,
    rows: u32,
    games: u32,
    pauses: u32,
    hidden: u32,
    /// Select's points, in Europe only.
    selects: u32,
    /// Wins by Select before the 25th line.
    gifts: u32,
}

/// A pile with full rows but for the place where the new piece comes to rest, turned somehow but not shifted.
fn nearly_full(console: &Console, dice: &mut Dice) -> Board {
    let mut pose = console.control.pose;
    (0..dice.draw(4)).for_each(|_| pose = Control::rotation().turned(pose, true));
    let lowest = pose.cells().map(|c| c.1).into_iter().max().unwrap();
    let pose = pose.moved(0, 19 - lowest - dice.draw(12) as i8);
    let mut board = Board::default();
    for y in usize::try_from(pose.cells().map(|c| c.1).into_iter().min().unwrap()).unwrap()..20 {
        (0..10).for_each(|x| board.fill(x, y));
        if y as i8 > pose.y + 1 {
            board.clear(9, y);
        }
    }
    // Open above, so that the piece can come down.
    let shaft = pose.cells().into_iter().flat_map(|(x, y)| (0..=y).map(move |y| (x, y)));
    shaft.for_each(|(x, y)| board.clear(x as usize, y as usize));
    board
}

/// Plays a game on both; they must agree in every frame from the first of loading to the end.
fn agree(seed: u64, region: Region, choice: Choice, forced_level: Option<u8>, met: &mut Met) {
    let mut dice = Dice(seed);
    let setup = Setup { region, forced_level, ..Setup::default() };
    let wait = dice.draw(400) as u32;
    let (mut console, _) = Console::walked(setup, choice, wait);
    console.frame(console.with_help(Buttons::START, choice.level));
    let mut rom = Listing::new(&console, region, choice);
    for _ in 0..4 {
        console.frame(Buttons::NONE);
        rom.nmi(0, false);
    }
    rom.init_game_state();
    if rom.type_b {
        for counter in (1..=12).rev() {
            console.frame(Buttons::NONE);
            rom.nmi(0, true);
            rom.garbage_row(counter);
        }
    }
    let (mut held, mut is_calm) = (0, false);
    for frame in 0..12_000 {
        let buttons = dice.hold(&mut held, is_calm);
        let was_paused = rom.paused;
        let score = rom.score[2];
        rom.nmi(buttons.0, !was_paused);
        if frame == 0 && rom.type_b {
            rom.blank();
        }
        match was_paused {
            true => rom.pause_loop(),
            false => rom.logic(),
        }
        let event = console.frame(buttons);
        if matches!(event, Some(Event::Spawned(..))) {
            is_calm = dice.draw(3) > 0;
            if is_calm && dice.draw(2) == 0 {
                let board = nearly_full(&console, &mut dice);
                console.board = board;
                for cell in 0..200 {
                    rom.field[cell] = if board.is_full(cell % 10, cell / 10) { 0x7B } else { EMPTY };
                }
            }
        }
        let model = of_model(&console, rom.play_state == 1);
        assert_eq!(of_listing(&rom), model, "seed {seed}, {region:?}, {choice:?}, frame {frame}");
        met.selects += u32::from(rom.pal && rom.play_state == 7 && rom.score[2] != score);
        met.gifts += u32::from(event == Some(Event::Won) && rom.lines[0] > 0);
        met.locks += u32::from(matches!(event, Some(Event::Locked(_))));
        met.pauses += u32::from(rom.paused && !was_paused);
        met.hidden += u32::from(rom.field[236..].iter().any(|tile| *tile < EMPTY) && event.is_some());
        if let Some(Event::Cleared(rows)) = event {
            met.rows += u32::from(rows);
        }
        if console.phase == Phase::Won || rom.play_state == 10 && rom.curtain_row == 0x14 {
            met.games += 1;
            return;
        }
    }
}

#[test]
fn type_a_games_agree_with_the_listing_in_every_frame() {
    for region in [Region::Ntsc, Region::Pal] {
        let mut met = Met::default();
        for seed in 0..60 {
            let level = [0, 5, 8, 9, 13, 16, 18, 19][seed as usize % 8];
            agree(7_000 + seed, region, Choice { level, ..Choice::default() }, None, &mut met);
        }
        for seed in 0..20 {
            agree(9_000 + seed, region, Choice::default(), Some(29), &mut met);
        }
        assert!(met.locks > 1500 && met.rows > 60 && met.games > 40, "{} {} {}", met.locks, met.rows, met.games);
        assert!(met.pauses > 100 && met.hidden > 10, "{} pauses, {} locks above the field", met.pauses, met.hidden);
        assert_eq!(met.selects > 5, region == Region::Pal, "{} times Select", met.selects);
    }
}

#[test]
fn type_b_games_agree_with_the_listing_in_every_frame() {
    let play = |region, games, met: &mut Met| {
        for seed in 0..games {
            let (level, height) = ([0, 9, 19][seed as usize % 3], seed as u8 / 3 % 6);
            agree(11_000 + seed, region, Choice { game_type: GameType::B, level, height }, None, met);
        }
    };
    let mut european = Met::default();
    play(Region::Pal, 24, &mut european);
    assert!(european.gifts > 3, "{} games won by Select", european.gifts);
    let mut met = Met::default();
    play(Region::Ntsc, 36, &mut met);
    assert_eq!(met.gifts, 0);
    assert!(met.locks > 500 && met.rows > 20 && met.games > 15, "{} {} {}", met.locks, met.rows, met.games);
}
