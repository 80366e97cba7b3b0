//! Lines, level and score, with the console's decimal quirks.

/// The score counter stops here. $9C84.
pub const SCORE_CAP: u32 = 999_999;
/// Points for 0–4 lines, times level + 1. $9CA5.
const LINE_POINTS: [u32; 5] = [0, 40, 100, 300, 1200];

/// The counters on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Lines cleared in this game. $0050–$0051.
    pub lines: u32,
    /// Level, 0–255, then 0 again. $0044.
    pub level: u8,
    /// Score, 0–999,999. $0053–$0055.
    pub score: u32,
}

impl Counters {
    /// At the start of a game.
    pub fn new(start_level: u8) -> Self {
        Self { lines: 0, level: start_level, score: 0 }
    }

    /// After a lock that cleared `lines` (0–4) rows, with the soft drop's counter as it stood. $9B58.
    pub fn lock(&mut self, lines: usize, hold_down_points: u8) {
        for _ in 0..lines {
            self.add_line();
        }
        self.add_push_down(hold_down_points);
        let points = LINE_POINTS[lines.min(4)] * (u32::from(self.level) + 1);
        self.score = (self.score + points).min(SCORE_CAP);
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

    /// Push-down points: a binary sum in a decimal byte, mended for one nibble at a time. $9BFE.
    fn add_push_down(&mut self, hold_down_points: u8) {
        if hold_down_points < 2 {
            return;
        }
        let two_digits = self.score % 100;
        let mut byte = (two_digits / 10 * 16 + two_digits % 10) + u32::from(hold_down_points) - 1;
        if byte & 0x0F >= 0x0A {
            byte += 6;
        }
        let carry = byte >= 0xA0;
        if carry {
            byte += 0x60;
        }
        let digits = (byte >> 4 & 0x0F) * 10 + (byte & 0x0F);
        let hundreds = self.score / 100 + u32::from(carry);
        self.score = (hundreds * 100 + digits).min(SCORE_CAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
