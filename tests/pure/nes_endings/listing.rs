//! What follows a game, as the listing has it, on the console's own bytes: written down instruction by instruction, without a
//! look at the model. Slow and plain on purpose. Each wait for the vertical blank keeps what memory held before it.

use stackhand::game::Buttons;
use stackhand::game::nes::Region;

/// There are no more frames to play.
pub struct End;

pub type Run = Result<(), End>;

/// Where the program is, as far as a player sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Play,
    Ending,
    Over,
    Entry,
    Level,
    Legal,
}

/// What was there when the program waited.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub place: Place,
    /// Pages 0 and 7.
    pub zero: Vec<u8>,
    pub seven: Vec<u8>,
    /// Pictures put up since the last wait: number, x, y.
    pub sprites: Vec<[u8; 3]>,
}

const LEVELS: [u8; 30] = [
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
    0x19, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29,
];
/// $A735–$A7FC.
#[rustfmt::skip]
const A735: [u8; 200] = [
    0x05, 0x07, 0x09, 0x0B, 0x60, 0x90, 0x70, 0x7E, 0xBC, 0xB8, 0xBC, 0xB3, 0x4D, 0x50, 0x4E, 0x4F, 0x00, 0x00, 0x00, 0x02,
    0x02, 0x04, 0x06, 0x03, 0x10, 0x03, 0x05, 0x06, 0x02, 0x05, 0x03, 0x01, 0x01, 0x01, 0x02, 0x05, 0x01, 0x02, 0x01, 0x01,
    0x02, 0x02, 0xFE, 0xFE, 0x02, 0xFE, 0x02, 0x02, 0xFE, 0x02, 0x00, 0x00, 0x00, 0x02, 0xF0, 0x10, 0xF0, 0xF0, 0x20, 0xF0,
    0x01, 0x01, 0xFF, 0xFC, 0x01, 0xFF, 0x02, 0x02, 0xFE, 0x02,
    0x3A, 0x24, 0x0A, 0x4A, 0x3A, 0xFF, 0x22, 0x44, 0x12, 0x32, 0x4A, 0xFF, 0xAE, 0x6E, 0x8E, 0x6E, 0x1E, 0x02, 0x42, 0x42,
    0x42, 0x42, 0x42, 0x02, 0x22, 0x0A, 0x1A, 0x04, 0x0A, 0xFF, 0xEE, 0xDE, 0xFC, 0xFC, 0xF6, 0x02, 0x80, 0x80, 0x80, 0x80,
    0x80, 0xFF, 0xE8, 0xE8, 0xE8, 0xE8, 0x48, 0xFF, 0x80, 0xAE, 0x9E, 0x90, 0x80, 0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0xFF,
    0x98, 0xA8, 0xC0, 0xA8, 0x90, 0xB0, 0xB0, 0xB8, 0xA0, 0xB8, 0xA8, 0xA0, 0xC8, 0xC8, 0xC8, 0xC8, 0xC8, 0xC8, 0x30, 0x20,
    0x40, 0x28, 0xA0, 0x80, 0xA8, 0x88, 0x68, 0xA8, 0x48, 0x78, 0x58, 0x68, 0x18, 0x48, 0x78, 0x38, 0xC8, 0xC8, 0xC8, 0xC8,
    0xC8, 0xC8, 0x90, 0x58, 0x70, 0xA8, 0x40, 0x38, 0x68, 0x88, 0x78, 0x18, 0x48, 0xA8, 0xC8, 0xC8, 0xC8, 0xC8, 0xC8, 0xC8,
    0x2C, 0x2E, 0x54, 0x32, 0x34, 0x36, 0x4B, 0x38, 0x3A, 0x4B,
];
/// $AA11–$AA2E.
const AA11: [u8; 30] = [
    0x3E, 0x41, 0x44, 0x47, 0x4A, 0x3F, 0x40, 0x42, 0x43, 0x45, 0x46, 0x48, 0x49, 0x23, 0x24, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x54, 0x54, 0x50, 0x48, 0xA0, 0xBF, 0xBF, 0xBF, 0xBF, 0xC7,
];
const MARIO: [u8; 4] = [0x97, 0x8F, 0x87, 0x8F];
const LUIGI: [u8; 10] = [0x97, 0x8F, 0x87, 0x87, 0x8F, 0x97, 0x8F, 0x87, 0x87, 0x8F];
const LUIGI_SPRITES: [u8; 10] = [0x29, 0x29, 0x29, 0x2A, 0x2A, 0x2A, 0x2A, 0x2A, 0x29, 0x29];

/// The machine: its memory, and the frames that it has waited for.
pub struct Rom {
    pub m: [u8; 0x800],
    pub place: Place,
    pub pal: bool,
    pub log: Vec<Snapshot>,
    sprites: Vec<[u8; 3]>,
    pads: std::vec::IntoIter<Buttons>,
}

impl Rom {
    pub fn new(region: Region, pads: Vec<Buttons>) -> Self {
        let pal = region == Region::Pal;
        let (sprites, log) = (Vec::new(), Vec::new());
        Self { m: [0; 0x800], place: Place::Play, pal, log, sprites, pads: pads.into_iter() }
    }

    fn data(&self, address: u16) -> u8 {
        match address {
            0xAA11..=0xAA2E => AA11[usize::from(address - 0xAA11)],
            _ => A735[usize::from(address - 0xA735)],
        }
    }

    /// Waits for the interrupt, $8005.
    fn wait(&mut self) -> Run {
        let sprites = std::mem::take(&mut self.sprites);
        let (zero, seven) = (self.m[..0x100].to_vec(), self.m[0x700..].to_vec());
        self.log.push(Snapshot { place: self.place, zero, seven, sprites });
        let pad = self.pads.next().ok_or(End)?;
        self.m[0xC3] = self.m[0xC3].saturating_sub(1);
        let counter = u16::from_le_bytes([self.m[0xB1], self.m[0xB2]]).wrapping_add(1);
        [self.m[0xB1], self.m[0xB2]] = counter.to_le_bytes();
        let carry = (self.m[0x17] & 2) ^ (self.m[0x18] & 2) != 0;
        let out = self.m[0x17] & 1;
        self.m[0x17] = self.m[0x17] >> 1 | u8::from(carry) << 7;
        self.m[0x18] = self.m[0x18] >> 1 | out << 7;
        self.m[0xF5] = pad.0 & !self.m[0xF7];
        self.m[0xF7] = pad.0;
        Ok(())
    }

    fn sleep(&mut self, frames: u8) -> Run {
        self.m[0xC3] = frames;
        loop {
            self.wait()?;
            if self.m[0xC3] == 0 {
                return Ok(());
            }
        }
    }

    fn frames(&self, which: usize) -> u8 {
        [[0x80, 0x40, 2], [0x66, 0x33, 1]][usize::from(self.pal)][which]
    }

    /// The main loop from the wait of state 8 on, with the curtain down or play state 6 about to find a game won.
    pub fn main(&mut self, mut is_won: bool) -> Run {
        loop {
            if !is_won {
                self.wait()?;
                if self.m[0xF5] & 0x20 != 0 {
                    self.m[0xDF] ^= 1;
                }
                if self.m[0x68] == 0 {
                    return self.handle_game_over();
                }
            }
            self.m.copy_within(0x60..0x80, 0x40);
            let mut state = 5;
            if is_won {
                self.goal_reached()?;
                state += 1;
                is_won = false;
            } else {
                self.curtain_finished()?;
            }
            self.m.copy_within(0x40..0x60, 0x60);
            if state <= 6 && self.m[0xF7] == 0xF0 {
                self.place = Place::Legal;
                return self.wait();
            }
            if self.m[0x68] == 0 {
                self.place = Place::Over;
            }
        }
    }

    /// $A406.
    fn goal_reached(&mut self) -> Run {
        self.sleep(0x14)?;
        self.m[0xBD] = 0;
        self.sleep(0x80)?;
        self.ending_animation()?;
        self.m[0x48] = 0;
        Ok(())
    }

    /// $9A47.
    fn curtain_finished(&mut self) -> Run {
        if self.m[0x75] >= 3 {
            self.sleep(self.frames(0))?;
            self.ending_animation()?;
        } else if self.m[0xF5] != 0x10 {
            return Ok(());
        }
        self.m[0x48] = 0;
        self.m[0xF5] = 0;
        Ok(())
    }

    fn ending_animation(&mut self) -> Run {
        self.place = Place::Ending;
        self.m[0xA2] = 2;
        self.m[0xBD] = 4;
        if self.m[0xC1] == 0 { self.ending_a() } else { self.ending_b() }
    }

    /// $A929.
    fn ending_a(&mut self) -> Run {
        self.wait()?;
        self.select_ending_screen();
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.render_unskippable(self.frames(0))?;
        loop {
            self.render_ending();
            self.wait()?;
            if self.m[0xC5] != 0 {
                continue;
            }
            if self.m[0xF5] == 0x10 {
                return Ok(());
            }
        }
    }

    /// $A96E.
    fn select_ending_screen(&mut self) {
        self.m[0xC4] = match self.m[0x75] {
            score if score < 0x05 => 0,
            score if score < 0x07 => 1,
            score if score < 0x10 => 2,
            score if score < 0x12 => 3,
            _ => 4,
        };
        self.m[0xC5] = self.data(0xAA2A + u16::from(self.m[0xC4]));
        self.m[0xC6] = 0;
    }

    /// $9E49.
    fn ending_b(&mut self) -> Run {
        self.m[0x44] = LEVELS[usize::from(self.m[0x64])] & 0x0F;
        (self.m[0xDE], self.m[0xDD], self.m[0xDC]) = (0, 0, 0);
        self.m[0xAB] = self.m[0x44] << 4;
        self.m[0xAC] = self.m[0x79] << 4;
        self.wait()?;
        self.init_type_b_vars();
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.m[0xBD] = 4;
        self.render_unskippable(self.frames(0))?;
        self.m[0xDC] = self.m[0x73];
        self.m[0xDD] = self.m[0x74];
        self.m[0xDE] = self.m[0x75];
        self.m[0x73] = 0;
        self.m[0x74] = 0;
        self.m[0x75] = 0;
        self.render_unskippable(self.frames(1))?;
        if self.m[0xAB] != 0 {
            loop {
                self.count_down(0xAB);
                self.add_100_points();
                self.render_unskippable(self.frames(2))?;
                if self.m[0xAB] == 0 {
                    break;
                }
            }
            self.render_unskippable(self.frames(1))?;
        }
        if self.m[0xAC] != 0 {
            loop {
                self.count_down(0xAC);
                self.add_100_points();
                self.render_unskippable(self.frames(2))?;
                if self.m[0xAC] == 0 {
                    break;
                }
            }
            self.render_unskippable(self.frames(1))?;
        }
        loop {
            self.render_ending();
            self.wait()?;
            if self.m[0xF5] == 0x10 {
                break;
            }
        }
        self.m[0x44] = self.m[0x64];
        self.m[0x53] = self.m[0xDC];
        self.m[0x54] = self.m[0xDD];
        self.m[0x55] = self.m[0xDE];
        Ok(())
    }

    fn count_down(&mut self, address: usize) {
        self.m[address] = self.m[address].wrapping_sub(1);
        if self.m[address] & 0x0F == 0x0F {
            self.m[address] = self.m[address] & 0xF0 | 9;
        }
    }

    /// $9F62.
    fn add_100_points(&mut self) {
        let mut a = 1u8.wrapping_add(self.m[0xDD]);
        self.m[0xDD] = a;
        a &= 0x0F;
        if a >= 0x0A {
            a = self.m[0xDD].wrapping_add(6);
            self.m[0xDD] = a;
        }
        a &= 0xF0;
        if a >= 0xA0 {
            self.m[0xDD] = self.m[0xDD].wrapping_add(0x60);
            self.m[0xDE] = self.m[0xDE].wrapping_add(1);
        }
        if self.m[0xDE] & 0x0F >= 0x0A {
            self.m[0xDE] = self.m[0xDE].wrapping_add(6);
        }
    }

    /// $A7FD.
    fn render_unskippable(&mut self, frames: u8) -> Run {
        self.m[0xC3] = frames;
        loop {
            self.render_ending();
            self.wait()?;
            if self.m[0xC3] == 0 {
                return Ok(());
            }
        }
    }

    /// $A463.
    fn init_type_b_vars(&mut self) {
        self.m[0xC4] = 0;
        self.m[0xC5] = 0;
        self.m[0xCD] = 0;
        self.m[0xA2] = 2;
        if self.m[0x44] == 9 {
            self.m[0xC4] = 0;
            self.m[0xC7] = 0;
            for i in 0..4 {
                self.m[0xC8 + i] = self.data(0xA73D + i as u16);
            }
            return;
        }
        let x = u16::from(self.m[0x44]);
        for address in 0xC7..=0xCB {
            self.m[address] = self.data(0xA767 + x);
        }
        self.m[0xC6] = self.data(0xA75D + x);
    }

    fn load_sprite(&mut self) {
        self.sprites.push([self.m[0xA2], self.m[0xA0], self.m[0xA1]]);
    }

    fn render_ending(&mut self) {
        if self.m[0xC1] == 0 {
            self.ending_type_a();
        } else if self.m[0x44] == 9 {
            self.concert();
        } else {
            self.cathedral();
        }
    }

    /// $A9B1.
    fn ending_type_a(&mut self) {
        if self.m[0xC5] == 0 {
            return;
        }
        let ending = u16::from(self.m[0xC4]);
        self.m[0xA1] = self.m[0xC5];
        self.m[0xA0] = self.data(0xAA25 + ending);
        self.m[0xA2] = self.data(0xAA11 + ending);
        self.load_sprite();
        let x = u16::from((self.m[0xB1] & 2) >> 1) + 2 * ending;
        self.m[0xA2] = self.data(0xAA16 + x);
        self.m[0xA0] = self.m[0xA0].wrapping_add(self.data(0xAA20 + ending));
        self.load_sprite();
        if self.m[0xC6] != 0xF0 {
            self.m[0xC6] += 1;
            return;
        }
        if self.m[0xC5] >= 0xB0 && self.m[0xB1] & 1 != 0 {
            return;
        }
        self.m[0xC5] = self.m[0xC5].wrapping_sub(1);
        if self.m[0xC5] < 0x80 {
            self.m[0xC5] = self.m[0xC5].wrapping_sub(1);
        }
    }

    fn put(&mut self, x: u8, y: u8, sprite: u8) {
        (self.m[0xA0], self.m[0xA1], self.m[0xA2]) = (x, y, sprite);
        self.load_sprite();
    }

    /// $A53B.
    fn concert(&mut self) {
        let (height, counter) = (self.m[0x79], self.m[0xB1]);
        if height == 5 {
            let a = if self.pal { counter & 4 } else { (counter & 8) >> 1 };
            self.put(0xC8, 0x47, (a >> 2) + 0x21);
            let y = MARIO[usize::from((counter & 0x18) >> 3)];
            self.put(0xA0, y, if y == 0x97 { 0x27 } else { 0x28 });
            loop {
                let a = usize::from(self.m[0xC4] >> 3);
                if a != 0x0A {
                    self.put(0xC0, LUIGI[a], LUIGI_SPRITES[a]);
                    self.m[0xC4] += 1;
                    break;
                }
                self.m[0xC4] = 0;
                self.m[0xC5] = self.m[0xC5].wrapping_add(1);
            }
        }
        let blink = if self.pal { counter & 8 } else { (counter & 0x10) >> 1 } >> 3;
        if height >= 4 {
            self.put(0x30, 0xA7, blink + 0x1F);
        }
        if height >= 3 {
            self.put(0x40, 0x77, ((counter & 0x10) >> 4) + 0x1D);
        }
        if height >= 2 {
            self.put(0xA8, 0xD7, blink + 0x1A);
        }
        if height >= 1 {
            self.put(0xC8, 0xD7, blink + 0x18);
        }
        self.put(0x28, 0x77, blink + 0x16);
        self.domes();
    }

    /// $A6BC.
    fn domes(&mut self) {
        for x in 0..4u16 {
            let at = 0xC8 + usize::from(x);
            if self.data(0xA735 + x) != self.m[0xC5] || self.m[at] == 0 {
                continue;
            }
            self.m[at] -= 1;
            self.m[0xC5] = self.m[0xC5].wrapping_add(1);
        }
        for x in 0..4u16 {
            let at = 0xC8 + usize::from(x);
            if self.m[at] == 0 {
                continue;
            }
            self.m[0xA8] = self.m[at];
            if self.data(0xA73D + x) != self.m[0xA8] {
                self.m[0xA8] = self.m[0xA8].wrapping_sub(1);
                if self.m[0xA8] < 0xA0 {
                    self.m[0xA8] = self.m[0xA8].wrapping_sub(1);
                }
            }
            self.m[at] = self.m[0xA8];
            self.put(self.data(0xA739 + x), self.m[0xA8], self.data(0xA741 + x));
            if self.data(0xA73D + x) != self.m[at] {
                let left = self.m[0xA0].wrapping_add(self.data(0xA745 + x));
                self.put(left, self.m[0xA1], ((self.m[0xB1] & 2) >> 1) + 0x51);
            }
        }
    }

    /// $A625.
    fn cathedral(&mut self) {
        self.set_sprite();
        self.m[0xCD] = self.m[0xCD].wrapping_add(1);
        self.m[0xCC] = 0;
        let level = u16::from(self.m[0x44]);
        loop {
            self.m[0xA8] = self.data(0xA767 + level);
            // Zero page: the address does not leave it.
            let at = usize::from(0xC6u8.wrapping_add(self.m[0xCC]));
            if self.m[at] != self.m[0xA8] {
                self.m[0xA0] = self.m[at];
                self.m[0xA1] = self.data(0xA7B7 + self.table_index());
                self.load_sprite();
                if self.data(0xA753 + level) == self.m[0xCD] {
                    self.m[0xA0] = self.data(0xA771 + level).wrapping_add(self.m[0xA0]);
                    self.m[at] = self.m[0xA0];
                    if self.data(0xA77B + self.table_index()) == self.m[0xA0] {
                        let x = self.m[0xCC].wrapping_add(1);
                        self.m[usize::from(0xC6u8.wrapping_add(x))] = self.data(0xA75D + level);
                    }
                }
            }
            self.m[0xA8] = self.m[0xCC];
            if self.m[0xCC] == self.m[0x59] {
                break;
            }
            self.m[0xCC] = self.m[0xCC].wrapping_add(1);
        }
        if self.data(0xA753 + level) == self.m[0xCD] {
            self.m[0xCD] = 0;
        }
    }

    /// $A690.
    fn set_sprite(&mut self) {
        let level = u16::from(self.m[0x44]);
        self.m[0xC4] = self.m[0xC4].wrapping_add(1);
        if self.data(0xA749 + level) == self.m[0xC4] {
            self.m[0xC5] ^= 1;
            self.m[0xC4] = 0;
        }
        self.m[0xA2] = self.data(0xA7F3 + level).wrapping_add(self.m[0xC5]);
    }

    /// $A6AE.
    fn table_index(&self) -> u16 {
        let twice = self.m[0x44].wrapping_mul(2);
        u16::from(twice.wrapping_mul(2).wrapping_add(twice).wrapping_add(self.m[0xCC]))
    }

    /// $9CBF.
    fn handle_game_over(&mut self) -> Run {
        self.m[0xBD] = 3;
        self.handle_high_score()?;
        self.place = Place::Level;
        self.m[0x68] = 1;
        self.wait()?;
        self.m[0xC0] = 3;
        // A is the mode, 3, and so is the game's state: the main loop waits.
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.wait()
    }

    /// $A0EE.
    fn handle_high_score(&mut self) -> Run {
        self.m[0xD5] = if self.m[0xC1] == 0 { 0 } else { 4 };
        loop {
            let y = 0x730 + 3 * usize::from(self.m[0xD5]);
            let is_higher = if self.m[y] != self.m[0x75] {
                self.m[y] < self.m[0x75]
            } else if self.m[y + 1] != self.m[0x74] {
                self.m[y + 1] < self.m[0x74]
            } else {
                self.m[y + 2] <= self.m[0x73]
            };
            if is_higher {
                return self.adjust_high_scores();
            }
            self.m[0xD5] += 1;
            if matches!(self.m[0xD5], 3 | 7) {
                return Ok(());
            }
        }
    }

    /// $A134.
    fn adjust_high_scores(&mut self) -> Run {
        if self.m[0xD5] & 3 < 2 {
            self.copy_to_next(6, 3, 1);
            if self.m[0xD5] & 3 == 0 {
                self.copy_to_next(0, 0, 0);
            }
        }
        let place = usize::from(self.m[0xD5]);
        self.m[0x700 + 6 * place..0x706 + 6 * place].fill(0);
        self.m[0x730 + 3 * place] = self.m[0x75];
        self.m[0x731 + 3 * place] = self.m[0x74];
        self.m[0x732 + 3 * place] = self.m[0x73];
        self.m[0x748 + place] = self.m[0x64];
        self.entry_screen()
    }

    /// $A192, $A1C1, $A1E0.
    fn copy_to_next(&mut self, name: usize, score: usize, level: usize) {
        let is_b = self.m[0xC1] != 0;
        let from = 0x700 + name + if is_b { 0x18 } else { 0 };
        self.m.copy_within(from..from + 6, from + 6);
        let from = 0x730 + score + if is_b { 0x0C } else { 0 };
        self.m.copy_within(from..from + 3, from + 3);
        let from = 0x748 + level + if is_b { 4 } else { 0 };
        self.m.copy_within(from..from + 1, from + 1);
    }

    /// $A201.
    fn entry_screen(&mut self) -> Run {
        self.place = Place::Entry;
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.wait()?;
        self.m[0xD6] = self.m[0xD5] * 6;
        self.m[0xD4] = 0;
        loop {
            if self.m[0xF5] & 0x10 != 0 {
                self.place = Place::Level;
                return self.wait();
            }
            if self.m[0xF5] & 0x81 != 0 {
                self.m[0xD4] += 1;
                if self.m[0xD4].wrapping_sub(6) & 0x80 == 0 {
                    self.m[0xD4] = 0;
                }
            }
            if self.m[0xF5] & 0x42 != 0 {
                self.m[0xD4] = self.m[0xD4].wrapping_sub(1);
                if self.m[0xD4] & 0x80 != 0 {
                    self.m[0xD4] = 5;
                }
            }
            let x = 0x700 + usize::from(self.m[0xD6] + self.m[0xD4]);
            if self.m[0xF7] & 4 != 0 && self.m[0xB1] & 7 == 0 {
                let mut a = self.m[x].wrapping_sub(1);
                if a & 0x80 != 0 {
                    a = a.wrapping_add(0x2C);
                }
                self.m[x] = a;
            }
            if self.m[0xF7] & 8 != 0 && self.m[0xB1] & 7 == 0 {
                let mut a = self.m[x].wrapping_add(1);
                if a.wrapping_sub(0x2C) & 0x80 == 0 {
                    a -= 0x2C;
                }
                self.m[x] = a;
            }
            self.wait()?;
        }
    }
}
