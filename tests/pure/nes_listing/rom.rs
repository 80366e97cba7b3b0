//! The listing's own routines on the console's own bytes.

use super::demo::Tables;
use stackhand::game::nes::{Choice, Console, GameType, Region};
use stackhand::game::{Board, Control, Orientation};

pub const EMPTY: u8 = 0xEF;
const SPAWN: [u8; 8] = [0x02, 0x07, 0x08, 0x0A, 0x0B, 0x0E, 0x12, 0x02];
const TYPE: [usize; 19] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6];

/// $40–$5A by name, page 4, and what the interrupt keeps.
pub struct Listing {
    pub pal: bool,
    pub type_b: bool,
    pub height: usize,
    pub seed: [u8; 2],
    pub spawn_count: u8,
    pub spawn_id: u8,
    pub frame_counter: u16,
    pub field: [u8; 256],
    pub stats: [[u8; 2]; 7],
    pub x: u8,
    pub y: u8,
    pub current: u8,
    pub level: u8,
    pub fall_timer: u8,
    pub autorepeat_x: u8,
    pub play_state: u8,
    pub vram_row: u8,
    pub completed_row: [u8; 4],
    pub autorepeat_y: u8,
    pub hold_down: u8,
    pub lines: [u8; 2],
    pub row_y: u8,
    pub score: [u8; 3],
    pub completed: u8,
    pub line_index: u8,
    pub curtain_row: u8,
    pub next: u8,
    pub held: u8,
    pub newly: u8,
    pub paused: bool,
    /// The demo's tables and its bytes, while the mode is 5.
    pub demo: Option<Tables>,
}

impl Listing {
    /// As the console stands in the level menu when Start has been read.
    pub fn new(console: &Console, region: Region, choice: Choice) -> Self {
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
            demo: None,
        }
    }

    fn random(&mut self) {
        let carry = (self.seed[0] & 2) ^ (self.seed[1] & 2) != 0;
        let out = self.seed[0] & 1;
        self.seed[0] = self.seed[0] >> 1 | u8::from(carry) << 7;
        self.seed[1] = self.seed[1] >> 1 | out << 7;
    }

    /// $8005; `renders` is off while a game is loaded or paused.
    pub fn nmi(&mut self, held: u8, renders: bool) {
        if renders && self.play_state == 4 {
            self.animate();
        } else if renders {
            (0..4).for_each(|_| self.copy_row());
        }
        self.frame_counter = self.frame_counter.wrapping_add(1);
        self.random();
        if let Some(demo) = &mut self.demo {
            (self.newly, self.held) = demo.poll(held, self.held);
            return;
        }
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
    pub fn init_game_state(&mut self) {
        self.play_state = 1;
        self.field = [EMPTY; 256];
        self.stats = [[0; 2]; 7];
        (self.x, self.y, self.vram_row, self.fall_timer) = (5, 0, 0, 0);
        (self.score, self.lines, self.spawn_id) = ([0; 3], [0; 2], 0);
        if let Some(demo) = &mut self.demo {
            demo.init();
        }
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
    pub fn garbage_row(&mut self, counter: u8) {
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

    pub fn blank(&mut self) {
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
        if let Some(demo) = &mut self.demo {
            return demo.choose();
        }
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
    pub fn logic(&mut self) {
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

    pub fn pause_loop(&mut self) {
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
        let turned = |clockwise| {
            let from = Orientation::from_id(original).unwrap();
            from.rotated_to(Control::rotation().turn(from, clockwise).to).id()
        };
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

    pub fn board(&self) -> Board {
        let mut board = Board::default();
        let full = (0..200).filter(|at| self.field[*at] < EMPTY);
        full.for_each(|at| board.fill(at % 10, at / 10));
        board
    }
}

pub fn two(byte: u8) -> u32 {
    u32::from(byte >> 4) * 10 + u32::from(byte & 15)
}
