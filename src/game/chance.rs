//! Random numbers for games whose pieces come by ideal chance.

/// Random numbers from a state of 64 bits that can be written down (SplitMix64).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chance(pub u64);

impl Chance {
    /// Another number, any of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}
