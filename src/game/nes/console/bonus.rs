//! What a B-Type game that was won is worth besides its score. $9E49.

/// The sums on the screen, two decimal digits a byte, the highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bonus {
    /// What is left of the level's bonus and the height's, in hundreds of points: ten times each. $00AB, $00AC.
    pub left: [u8; 2],
    /// The score and what has been added to it. $00DC.
    pub total: [u8; 3],
}

impl Bonus {
    /// For a level's last digit (0–15) and a height (0–5).
    pub(super) fn of(level: u8, height: u8) -> Self {
        Self { left: [level << 4, height << 4], total: [0; 3] }
    }

    /// Moves 100 points of this bonus to the sum.
    pub(super) fn count(&mut self, which: usize) {
        let left = &mut self.left[which];
        *left = left.wrapping_sub(1);
        if *left & 0x0F == 0x0F {
            *left = *left & 0xF0 | 0x09;
        }
        self.add_100();
    }

    /// $9F62. The millions are not carried: past 999,999 the first digit is an A.
    fn add_100(&mut self) {
        let [highest, middle, _] = &mut self.total;
        *middle = middle.wrapping_add(1);
        if *middle & 0x0F >= 0x0A {
            *middle = middle.wrapping_add(6);
            if *middle >= 0xA0 {
                *middle = middle.wrapping_add(0x60);
                *highest = highest.wrapping_add(1);
            }
        }
        if *highest & 0x0F >= 0x0A {
            *highest = highest.wrapping_add(6);
        }
    }
}
