//! Lines, level and score, with the console's decimal quirks.

use crate::game::Counters;

/// The score counter stops here. $9C84.
pub const SCORE_CAP: u32 = 999_999;
/// Points for 0–4 lines, times level + 1. $9CA5.
const LINE_POINTS: [u32; 5] = [0, 40, 100, 300, 1200];

/// The bytes that hold a score, two decimal digits each, the highest first. $0053–$0055, which hold the lowest first.
pub fn digits(score: u32) -> [u8; 3] {
    let score = score.min(SCORE_CAP);
    [score / 10_000, score / 100 % 100, score % 100].map(|two| ((two / 10) * 16 + two % 10) as u8)
}

/// The points that bytes of a score hold; a digit may be more than nine.
pub fn points(digits: [u8; 3]) -> u32 {
    digits.iter().fold(0, |points, byte| points * 100 + u32::from(byte >> 4) * 10 + u32::from(byte & 0x0F))
}

impl Counters {
    /// After a lock of an A-Type game that cleared `lines` (0–4) rows, with the soft drop's counter as it stood. $9B58.
    pub fn lock(&mut self, lines: usize, hold_down_points: u8) {
        self.lock_within(false, lines, hold_down_points, u32::MAX);
    }

    /// After a lock of a B-Type game: the lines count down to 0 and the level stays. $9B7E–$9BA3.
    pub fn lock_type_b(&mut self, lines: usize, hold_down_points: u8) {
        self.lock_within(true, lines, hold_down_points, u32::MAX);
    }

    /// The same for either game, with at most `additions` rounds of the loop at $9C37 that multiplies by level + 1.
    pub fn lock_within(&mut self, type_b: bool, lines: usize, hold_down_points: u8, additions: u32) {
        if type_b {
            self.lines = self.lines.saturating_sub(lines as u32);
        } else {
            (0..lines).for_each(|_| self.add_line());
        }
        self.add_points(lines, hold_down_points, additions);
    }

    /// $9BFE–$9C96.
    fn add_points(&mut self, lines: usize, hold_down_points: u8, additions_max: u32) {
        self.add_push_down(hold_down_points);
        let additions = (u32::from(self.level) + 1).min(additions_max);
        self.score = (self.score + LINE_POINTS[lines.min(4)] * additions).min(SCORE_CAP);
    }

    /// One line; every tenth may raise the level. The comparison reads two decimal digits as hexadecimal and the
    /// sign bit of an 8-bit difference, which is why late starts wait longer and some levels last 800 lines. $9BA8.
    fn add_line(&mut self) {
        self.lines += 1;
        if self.lines.is_multiple_of(10) {
            let tens = self.lines / 10;
            // The hundreds byte ($0051) counts in binary; only its low nibble survives the shift into $00A8.
            let as_hex = (((tens / 10) << 4) | (tens % 10)) as u8;
            if (self.level.wrapping_sub(as_hex) as i8) < 0 {
                self.level = self.level.wrapping_add(1);
            }
        }
    }

    /// What is left in the European cartridge from its making: Select held when the rows have been counted adds 10,000
    /// points in an A-Type game. The byte is only counted up; what it holds past 99 is mended with the next lock's points.
    pub fn add_for_select(&mut self) {
        self.score += 10_000;
    }

    /// Push-down points: a binary sum in a decimal byte, mended for one nibble at a time. Mending the tens stores them
    /// without the ones, which had been masked off to look at the tens: past 100 the ones digit becomes 0. $9BFE.
    fn add_push_down(&mut self, hold_down_points: u8) {
        // BMI: from 130 on the difference has its sign bit set, too.
        if (hold_down_points.wrapping_sub(2) as i8) < 0 {
            return;
        }
        let two_digits = (self.score % 100) as u8;
        let mut byte = (two_digits / 10 * 16 + two_digits % 10).wrapping_sub(1).wrapping_add(hold_down_points);
        if byte & 0x0F >= 0x0A {
            byte = byte.wrapping_add(6);
        }
        let carry = byte & 0xF0 >= 0xA0;
        if carry {
            byte = (byte & 0xF0).wrapping_add(0x60);
        }
        let digits = u32::from((byte >> 4) * 10 + (byte & 0x0F));
        let hundreds = self.score / 100 + u32::from(carry);
        self.score = (hundreds * 100 + digits).min(SCORE_CAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, byte by byte as the listing has it: $50–$51 lines, $44 level, $53–$55 score, $9B7E–$9C9C.
    struct Bytes {
        lines: [u8; 2],
        level: u8,
        score: [u8; 3],
    }

    impl Bytes {
        fn lock(&mut self, completed: u8, hold_down_points: u8) {
            for _ in 0..completed {
                self.lines[0] = self.lines[0].wrapping_add(1);
                if self.lines[0] & 0x0F >= 0x0A {
                    self.lines[0] = self.lines[0].wrapping_add(6);
                    if self.lines[0] & 0xF0 >= 0xA0 {
                        self.lines[0] &= 0x0F;
                        self.lines[1] = self.lines[1].wrapping_add(1);
                    }
                }
                if self.lines[0] & 0x0F == 0 {
                    let shifted = (u16::from(self.lines[1]) << 8 | u16::from(self.lines[0])) >> 4;
                    if self.level.wrapping_sub(shifted as u8) & 0x80 != 0 {
                        self.level = self.level.wrapping_add(1);
                    }
                }
            }
            if hold_down_points.wrapping_sub(2) & 0x80 == 0 {
                self.score[0] = self.score[0].wrapping_sub(1).wrapping_add(hold_down_points);
                if self.score[0] & 0x0F >= 0x0A {
                    self.score[0] = self.score[0].wrapping_add(6);
                }
                if self.score[0] & 0xF0 >= 0xA0 {
                    self.score[0] = (self.score[0] & 0xF0).wrapping_add(0x60);
                    self.score[1] = self.score[1].wrapping_add(1);
                }
            }
            let points = [[0, 0], [0x40, 0], [0, 1], [0, 3], [0, 0x12]][completed as usize];
            for _ in 0..=self.level {
                self.add(points);
            }
        }

        fn add(&mut self, points: [u8; 2]) {
            self.score[0] = self.score[0].wrapping_add(points[0]);
            if self.score[0] >= 0xA0 {
                self.score[0] = self.score[0].wrapping_add(0x60);
                self.score[1] = self.score[1].wrapping_add(1);
            }
            self.score[1] = self.score[1].wrapping_add(points[1]);
            if self.score[1] & 0x0F >= 0x0A {
                self.score[1] = self.score[1].wrapping_add(6);
            }
            if self.score[1] & 0xF0 >= 0xA0 {
                self.score[1] = self.score[1].wrapping_add(0x60);
                self.score[2] = self.score[2].wrapping_add(1);
            }
            if self.score[2] & 0x0F >= 0x0A {
                self.score[2] = self.score[2].wrapping_add(6);
            }
            if self.score[2] & 0xF0 >= 0xA0 {
                self.score = [0x99; 3];
            }
        }

        fn decimal(&self) -> (u32, u8, u32) {
            let two = |byte: u8| u32::from(byte >> 4) * 10 + u32::from(byte & 0x0F);
            let lines = u32::from(self.lines[1]) * 100 + two(self.lines[0]);
            let score = two(self.score[2]) * 10_000 + two(self.score[1]) * 100 + two(self.score[0]);
            (lines, self.level, score)
        }
    }

    #[test]
    fn thirty_thousand_lines_agree_with_the_listings_bytes() {
        let mut dice = 20_261_121u64;
        let mut draw = move |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % below
        };
        for start in [0u8, 5, 9, 12, 16, 18, 19, 29] {
            let mut counters = Counters::new(start);
            let mut bytes = Bytes { lines: [0; 2], level: start, score: [0; 3] };
            while counters.lines < 30_000 {
                let (lines, hold) = (draw(5) as usize, draw(21) as u8);
                counters.lock(lines, hold);
                bytes.lock(lines as u8, hold);
                let expected = bytes.decimal();
                assert_eq!((counters.lines % 25_600, counters.level, counters.score), expected, "start {start}");
                if draw(50) == 0 {
                    // Below the cap again, so that the addition goes on being tested at high levels.
                    (counters.score, bytes.score) = (0, [0; 3]);
                }
            }
        }
    }

    #[test]
    fn type_b_counts_down_and_stays_on_its_level() {
        let mut counters = Counters { lines: 25, ..Counters::new(9) };
        counters.lock_type_b(4, 0);
        counters.lock_type_b(1, 3);
        assert_eq!((counters.lines, counters.level, counters.score), (20, 9, 1200 * 10 + 40 * 10 + 2));
        counters.lines = 2;
        counters.lock_type_b(4, 0);
        assert_eq!(counters.lines, 0);
    }

    #[test]
    fn a_capped_loop_adds_no_more_than_it_may() {
        let mut counters = Counters::new(99);
        counters.lock_within(false, 1, 0, 30);
        assert_eq!(counters.score, 40 * 30);
        counters.lock_within(true, 1, 0, 200);
        assert_eq!(counters.score, 40 * 130);
    }

    fn first_level_up(start: u8) -> u32 {
        let mut counters = Counters::new(start);
        while counters.level == start {
            counters.lock(1, 0);
        }
        counters.lines
    }

    #[test]
    fn the_first_level_up_comes_when_the_listing_says() {
        for start in 0..20u32 {
            let expected = (10 * start + 10).min((10 * start).saturating_sub(50).max(100));
            assert_eq!(first_level_up(start as u8), expected, "start at level {start}");
        }
        assert_eq!(first_level_up(29), 200); // 29 < $20, and $19 comes just before
    }

    #[test]
    fn the_level_stands_still_for_800_lines() {
        let mut counters = Counters::new(0);
        let mut level_at = vec![0u8];
        for _ in 0..6000 {
            counters.lock(1, 0);
            level_at.push(counters.level);
        }
        // Reached at 2190 lines; the step due at 2200 comes with the one due at 3000.
        assert_ne!(level_at[2189], level_at[2190]);
        assert_eq!(level_at[2190], level_at[2999]);
        assert_ne!(level_at[2999], level_at[3000]);
        assert_eq!(level_at[5090], level_at[5899]);
        assert_ne!(level_at[5899], level_at[5900]);
    }

    #[test]
    fn points_are_those_of_the_table() {
        let mut counters = Counters::new(18);
        counters.lock(4, 0);
        assert_eq!(counters.score, 1200 * 19);
        counters.lock(0, 1);
        assert_eq!(counters.score, 1200 * 19);
        counters.score = 999_900;
        counters.lock(4, 0);
        assert_eq!(counters.score, SCORE_CAP);
    }

    #[test]
    fn push_down_adds_in_binary() {
        let mut counters = Counters::new(0);
        counters.lock(0, 8);
        assert_eq!(counters.score, 7);
        counters.lock(0, 8);
        assert_eq!(counters.score, 14); // 7 + 7 = $0E, mended to $14
        counters.score = 9;
        counters.lock(0, 16);
        assert_eq!(counters.score, 18); // $09 + $0F = $18: six too few
        counters.score = 98;
        counters.lock(0, 8);
        assert_eq!(counters.score, 100); // $98 + $07 = $9F, mended to $A5, of which only $A0 is carried on
        counters.score = 4_399;
        counters.lock(0, 20);
        assert_eq!(counters.score, 4_410); // $99 + $13 = $AC, $B2, $B0
    }
}
