//! The whole game against a second one: the listing's own routines on the console's own bytes, written down without a
//! look at the model. Slow and plain on purpose. Both are played with the same random presses and must agree in every
//! frame of every game.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::game::Buttons;
use stackhand::game::nes::{Choice, Console, Event, GameType, Phase, Region, Setup};
use stackhand::game::{Board, Orientation};

const EMPTY: u8 = 0xEF;
const SPAWN: [u8; 8] = [0x02, 0x07, 0x08, 0x0A, 0x0B, 0x0E, 0x12, 0x02];
const TYPE: [usize; 19] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6];

/// $40–$5A by name, page 4, and what the interrupt keeps.
struct Listing {
    pal: bool,
    type_b: bool,
    height: usize,
    seed: [u8; 2],
    spawn_count: u8,
    spawn_id: u8,
    frame_counter: u16,
    field: [u8; 256],
    stats: [[u8; 2]; 7],
    x: u8,
    y: u8,
    current: u8,
    level: u8,
    fall_timer: u8,
    autorepeat_x: u8,
    play_state: u8,
    vram_row: u8,
    completed_row: [u8; 4],
    autorepeat_y: u8,
    hold_down: u8,
    lines: [u8; 2],
    row_y: u8,
    score: [u8; 3],
    completed: u8,
    line_index: u8,
    curtain_row: u8,
    next: u8,
    held: u8,
    newly: u8,
    paused: bool,
}

impl Listing {
    /// As the console stands in the level menu when Start has been read.
    fn new(console: &Console, region: Region, choice: Choice) -> Self {
        let register = console.random.register;
        Self {
            pal: region == Region::Pal,
            type_b: choice.game_type == GameType::B,
            height: choice.height.into(),
            seed: [(register >> 8) as u8, register as u8],
            spawn_count: console.random.spawn_count,
            spawn_id: 0,
            frame_counter: console.frame.0 as u16,
            field: [EMPTY; 256],
            stats: [[0; 2]; 7],
            x: 0,
            y: 0,
            current: 0x13,
            level: console.start_level(),
            fall_timer: 0,
            autorepeat_x: 0,
            play_state: 0,
            vram_row: 0x20,
            completed_row: [0; 4],
            autorepeat_y: 0,
            hold_down: 0,
            lines: [0; 2],
            row_y: 0,
            score: [0; 3],
            completed: 0,
            line_index: 0,
            curtain_row: 0,
            next: 0,
            held: 0,
            newly: 0,
            paused: false,
        }
    }

    fn random(&mut self) {
        let carry = (self.seed[0] & 2) ^ (self.seed[1] & 2) != 0;
        let out = self.seed[0] & 1;
        self.seed[0] = self.seed[0] >> 1 | u8::from(carry) << 7;
        self.seed[1] = self.seed[1] >> 1 | out << 7;
    }

    /// $8005; `renders` is off while a game is loaded or paused.
    fn nmi(&mut self, held: u8, renders: bool) {
        if renders && self.play_state == 4 {
            self.animate();
        } else if renders {
            (0..4).for_each(|_| self.copy_row());
        }
        self.frame_counter = self.frame_counter.wrapping_add(1);
        self.random();
        self.newly = held & !self.held;
        self.held = held;
    }

    fn copy_row(&mut self) {
        if self.vram_row.wrapping_sub(0x15) & 0x80 == 0 {
            return;
        }
        self.vram_row += 1;
        if self.vram_row >= 0x14 {
            self.vram_row = 0x20;
        }
    }

    fn animate(&mut self) {
        // The interrupt animates before it counts.
        if self.frame_counter & 3 == 0 {
            self.row_y += 1;
            if self.row_y == 5 {
                self.play_state += 1;
            }
        }
    }

    /// $86DC.
    fn init_game_state(&mut self) {
        self.play_state = 1;
        self.field = [EMPTY; 256];
        self.stats = [[0; 2]; 7];
        (self.x, self.y, self.vram_row, self.fall_timer) = (5, 0, 0, 0);
        (self.score, self.lines, self.spawn_id) = ([0; 3], [0; 2], 0);
        self.autorepeat_y = if self.pal { 0xB4 } else { 0xA0 };
        self.current = self.choose();
        self.count(self.current);
        self.random();
        self.next = self.choose();
        if self.type_b {
            self.lines[0] = 0x25;
        }
    }

    /// A turn of the loop at $87E7, `counter` from 12 to 1.
    fn garbage_row(&mut self, counter: u8) {
        let row = 0x14 - counter;
        self.vram_row = 0;
        for column in (0..10).rev() {
            self.random();
            let tile = [0xEF, 0x7B, 0xEF, 0x7C, 0x7D, 0x7D, 0xEF, 0xEF][usize::from(self.seed[0] & 7)];
            self.field[usize::from(row) * 10 + column] = tile;
        }
        loop {
            self.random();
            if self.seed[0] & 15 < 10 {
                break;
            }
        }
        self.field[usize::from(row) * 10 + usize::from(self.seed[0] & 15)] = EMPTY;
    }

    fn blank(&mut self) {
        let mut y = [0xC8, 0xAA, 0x96, 0x78, 0x64, 0x50u8][self.height];
        loop {
            self.field[usize::from(y)] = EMPTY;
            y = y.wrapping_sub(1);
            if y == 0xFF {
                return;
            }
        }
    }

    fn choose(&mut self) -> u8 {
        self.spawn_count = self.spawn_count.wrapping_add(1);
        let index = self.seed[0].wrapping_add(self.spawn_count) & 7;
        let mut picked = SPAWN[usize::from(index)];
        if index == 7 || picked == self.spawn_id {
            self.random();
            let mut sum = (self.seed[0] & 7) + self.spawn_id;
            while sum >= 7 {
                sum -= 7;
            }
            picked = SPAWN[usize::from(sum)];
        }
        self.spawn_id = picked;
        picked
    }

    fn count(&mut self, piece: u8) {
        let stat = &mut self.stats[TYPE[usize::from(piece)]];
        let mut low = stat[0].wrapping_add(1);
        if low & 15 >= 10 {
            low += 6;
            if low >= 0xA0 {
                low = low.wrapping_add(0x60);
                stat[1] = stat[1].wrapping_add(1);
            }
        }
        stat[0] = low;
    }

    /// $948B.
    fn valid(&self) -> bool {
        let base = self.y.wrapping_mul(10).wrapping_add(self.x);
        Orientation::from_id(self.current).unwrap().cells().iter().all(|&(dx, dy)| {
            let row = (dy as u8).wrapping_add(self.y).wrapping_add(2);
            let at = base.wrapping_add((dy as u8).wrapping_mul(10)).wrapping_add(dx as u8);
            row < 0x16 && self.field[usize::from(at)] >= EMPTY && self.x.wrapping_add(dx as u8) < 10
        })
    }

    /// A frame of the game after its interrupt: $819B.
    fn logic(&mut self) {
        self.fall_timer = self.fall_timer.wrapping_add(1);
        match self.play_state {
            1 => {
                self.shift();
                self.rotate();
                self.drop();
            }
            2 => self.lock(),
            3 => self.check_row(),
            5 => self.update_lines(),
            6 => self.check_goal(),
            7 => self.play_state += 1,
            8 => self.spawn(),
            10 => self.curtain(),
            _ => {}
        }
        if self.newly & 0x10 != 0 && self.play_state != 10 && self.play_state != 0 {
            self.paused = true;
        }
    }

    fn pause_loop(&mut self) {
        if self.newly == 0x10 {
            self.paused = false;
            self.vram_row = 0;
        }
    }

    fn shift(&mut self) {
        let (full, reload) = if self.pal { (12, 8) } else { (16, 10) };
        let original = self.x;
        if self.held & 4 != 0 {
            return;
        }
        if self.newly & 3 == 0 {
            if self.held & 3 == 0 {
                return;
            }
            self.autorepeat_x += 1;
            if self.autorepeat_x < full {
                return;
            }
            self.autorepeat_x = reload;
        } else {
            self.autorepeat_x = 0;
        }
        if self.held & 1 != 0 {
            self.x = self.x.wrapping_add(1);
        } else if self.held & 2 != 0 {
            self.x = self.x.wrapping_sub(1);
        } else {
            return;
        }
        if !self.valid() {
            self.x = original;
            self.autorepeat_x = full;
        }
    }

    fn rotate(&mut self) {
        let original = self.current;
        let turned = |clockwise| Orientation::from_id(original).unwrap().turned(clockwise).id();
        if self.newly & 0x80 != 0 {
            self.current = turned(true);
        } else if self.newly & 0x40 != 0 {
            self.current = turned(false);
        }
        if !self.valid() {
            self.current = original;
        }
    }

    fn drop(&mut self) {
        if self.autorepeat_y & 0x80 != 0 {
            if self.newly & 4 == 0 {
                self.autorepeat_y = self.autorepeat_y.wrapping_add(1);
                return;
            }
            self.autorepeat_y = 0;
        }
        if self.autorepeat_y == 0 {
            if self.held & 3 == 0 && self.newly & 15 == 4 {
                self.autorepeat_y = 1;
            }
        } else if self.held & 15 == 4 {
            self.autorepeat_y += 1;
            if self.autorepeat_y >= 3 {
                self.autorepeat_y = 1;
                self.hold_down = self.hold_down.wrapping_add(1);
                return self.fall();
            }
        } else {
            (self.autorepeat_y, self.hold_down) = (0, 0);
        }
        let speed = match (self.pal, self.level) {
            (false, 29..) | (true, 19..) => 1,
            (false, 19..) => 2,
            (false, level) => {
                [0x30, 0x2B, 0x26, 0x21, 0x1C, 0x17, 0x12, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3][usize::from(level)]
            }
            (true, level) => {
                [0x24, 0x20, 0x1D, 0x19, 0x16, 0x12, 0x0F, 11, 7, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2][usize::from(level)]
            }
        };
        if self.fall_timer.wrapping_sub(speed) & 0x80 == 0 {
            self.fall();
        }
    }

    fn fall(&mut self) {
        self.fall_timer = 0;
        self.y = self.y.wrapping_add(1);
        if !self.valid() {
            self.y = self.y.wrapping_sub(1);
            self.play_state = 2;
            self.update_playfield();
        }
    }

    /// $9CAF.
    fn update_playfield(&mut self) {
        let row = self.y.wrapping_sub(2);
        let row = if row & 0x80 != 0 { 0 } else { row };
        if row.wrapping_sub(self.vram_row) & 0x80 != 0 {
            self.vram_row = row;
        }
    }

    fn lock(&mut self) {
        if !self.valid() {
            (self.play_state, self.curtain_row) = (10, 0xF0);
            return;
        }
        if self.vram_row < 0x20 {
            return;
        }
        let base = self.y.wrapping_mul(10).wrapping_add(self.x);
        for &(dx, dy) in Orientation::from_id(self.current).unwrap().cells() {
            let at = base.wrapping_add((dy as u8).wrapping_mul(10)).wrapping_add(dx as u8);
            self.field[usize::from(at)] = 0x7B;
        }
        self.line_index = 0;
        self.update_playfield();
        self.play_state = 3;
    }

    fn check_row(&mut self) {
        if self.vram_row < 0x20 {
            return;
        }
        let top = self.y.wrapping_sub(2);
        let row = (if top & 0x80 != 0 { 0 } else { top }) + self.line_index;
        let start = usize::from(row) * 10;
        let complete = (start..start + 10).all(|at| self.field[at] != EMPTY);
        self.completed_row[usize::from(self.line_index)] = if complete { row } else { 0 };
        if complete {
            self.completed += 1;
            for at in (0..start).rev() {
                self.field[at + 10] = self.field[at];
            }
            self.field[..10].fill(EMPTY);
            self.current = 0x13;
        }
        self.line_index += 1;
        if self.line_index == 4 {
            (self.vram_row, self.row_y) = (0, 0);
            self.play_state = if self.completed > 0 { 4 } else { 5 };
        }
    }

    fn update_lines(&mut self) {
        if self.completed > 0 && self.type_b {
            self.lines[0] = self.lines[0].wrapping_sub(self.completed);
            if self.lines[0] & 0x80 != 0 {
                self.lines[0] = 0;
            } else if self.lines[0] & 15 >= 10 {
                self.lines[0] -= 6;
            }
        } else {
            (0..self.completed).for_each(|_| self.add_line());
        }
        self.add_hold_down();
        self.hold_down = 0;
        // The article's patch: no more than 30 rounds.
        for _ in 0..(u32::from(self.level) + 1).min(30) {
            self.add_points();
        }
        self.completed = 0;
        self.play_state = 6;
    }

    /// $A3F2; the European cartridge looks at Select.
    fn check_goal(&mut self) {
        let selects = self.pal && self.held & 0x20 != 0;
        if !self.type_b {
            self.score[2] = self.score[2].wrapping_add(u8::from(selects));
        } else if selects || self.lines[0] == 0 {
            self.play_state = 0;
            return;
        }
        self.play_state += 1;
    }

    /// $9BFE. The low byte is masked to look at its tens, and what is stored back is made from that.
    fn add_hold_down(&mut self) {
        if self.hold_down.wrapping_sub(2) & 0x80 != 0 {
            return;
        }
        self.score[0] = self.score[0].wrapping_sub(1).wrapping_add(self.hold_down);
        if self.score[0] & 15 >= 10 {
            self.score[0] = self.score[0].wrapping_add(6);
        }
        let tens = self.score[0] & 0xF0;
        if tens >= 0xA0 {
            self.score[0] = tens.wrapping_add(0x60);
            self.score[1] = self.score[1].wrapping_add(1);
        }
    }

    fn add_line(&mut self) {
        self.lines[0] += 1;
        if self.lines[0] & 15 >= 10 {
            self.lines[0] += 6;
            if self.lines[0] & 0xF0 >= 0xA0 {
                self.lines[0] &= 15;
                self.lines[1] = self.lines[1].wrapping_add(1);
            }
        }
        if self.lines[0] & 15 == 0 {
            let tens = self.lines[0] >> 4 | self.lines[1] << 4;
            if self.level.wrapping_sub(tens) & 0x80 != 0 {
                self.level = self.level.wrapping_add(1);
            }
        }
    }

    fn add_points(&mut self) {
        let [low, high] = [[0, 0], [0x40, 0], [0, 1], [0, 3], [0, 0x12]][usize::from(self.completed)];
        let score = &mut self.score;
        score[0] = score[0].wrapping_add(low);
        if score[0] >= 0xA0 {
            score[0] = score[0].wrapping_add(0x60);
            score[1] = score[1].wrapping_add(1);
        }
        score[1] = score[1].wrapping_add(high);
        if score[1] & 15 >= 10 {
            score[1] = score[1].wrapping_add(6);
        }
        if score[1] & 0xF0 >= 0xA0 {
            score[1] = score[1].wrapping_add(0x60);
            score[2] = score[2].wrapping_add(1);
        }
        if score[2] & 15 >= 10 {
            score[2] = score[2].wrapping_add(6);
        }
        if score[2] & 0xF0 >= 0xA0 {
            *score = [0x99; 3];
        }
    }

    fn spawn(&mut self) {
        if self.vram_row < 0x20 {
            return;
        }
        (self.fall_timer, self.y, self.play_state, self.x) = (0, 0, 1, 5);
        self.current = self.next;
        self.count(self.current);
        self.next = self.choose();
        self.autorepeat_y = 0;
    }

    fn curtain(&mut self) {
        if self.curtain_row != 0x14 && self.frame_counter & 3 == 0 {
            self.curtain_row = self.curtain_row.wrapping_add(1);
        }
    }

    fn board(&self) -> Board {
        let mut board = Board::default();
        let full = (0..200).filter(|at| self.field[*at] < EMPTY);
        full.for_each(|at| board.fill(at % 10, at / 10));
        board
    }
}

fn two(byte: u8) -> u32 {
    u32::from(byte >> 4) * 10 + u32::from(byte & 15)
}

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
        Phase::Menu | Phase::Won | Phase::Crashed => 0,
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
    (0..dice.draw(4)).for_each(|_| pose = pose.turned(true));
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
