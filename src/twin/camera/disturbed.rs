//! What lies on a camera's clean picture: the beat with the screen's dots, a spot of light that drifts, and an exposure and
//! a white balance that hunt.

use super::warp::{BLOCK_AREA, BLOCK_PX, BlockRgb, block_columns};
use crate::twin::effects::{Effect, Effects};
use crate::twin::exact::{Dice, bump, sin_cos};

/// The bounds at strength 1.
mod bound {
    /// Loss in the dark of a beat.
    pub const MOIRE: f64 = 0.35;
    /// Added at the spot's centre, of 255: more than that is the core in which nothing is left to be seen.
    pub const SPOT: f64 = 400.0;
    /// Gain more or less, of all channels, and of red against blue.
    pub const EXPOSURE: f64 = 0.35;
    pub const BALANCE: f64 = 0.15;
}

/// Lengths of the beat, px of a picture 640 wide.
const MOIRE_PX: (f64, f64) = (7.0, 70.0);
/// The spot's radius, of the picture's width.
const SPOT_RADIUS: (f64, f64) = (0.04, 0.1);
/// The spot's way: centre and reach, of the picture's width and height, and turns a second.
const SPOT_CENTER: [f64; 2] = [0.5, 0.5];
const SPOT_REACH: [f64; 2] = [0.22, 0.3];
const SPOT_TURNS: (f64, f64) = (0.02, 0.1);
/// How often exposure and balance swing, Hz.
const HUNTS_HZ: (f64, f64) = (0.15, 1.5);

/// What lies on one camera's pictures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Disturbed {
    moire: Option<Moire>,
    spot: Option<Spot>,
    hunting: Option<Hunting>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Moire {
    loss: f64,
    /// Of two beats: turns a px of a picture 640 wide, across and down, and where they begin.
    beats: [[f64; 3]; 2],
    /// How far the channels are apart, turns.
    apart: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Spot {
    light: f64,
    radius: f64,
    /// Turns a second, and at the beginning, across and down.
    turns: [[f64; 2]; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Hunting {
    exposure: f64,
    balance: f64,
    /// Of exposure and of balance: Hz, and turns at the beginning.
    swings: [[f64; 2]; 2],
}

impl Disturbed {
    /// What lies on the pictures of the camera with this seed.
    pub fn draw(effects: &Effects, seed: u64) -> Self {
        let moire = effects.draw(Effect::Moire, seed).map(|(strength, mut dice)| Moire::draw(strength, &mut dice));
        let spot = effects.draw(Effect::Spot, seed).map(|(strength, mut dice)| Spot {
            light: strength * bound::SPOT,
            radius: dice.between(SPOT_RADIUS.0, SPOT_RADIUS.1),
            turns: [(); 2].map(|()| [dice.between(SPOT_TURNS.0, SPOT_TURNS.1), dice.between(0.0, 1.0)]),
        });
        let hunting = effects.draw(Effect::Hunting, seed).map(|(strength, mut dice)| Hunting {
            exposure: strength * bound::EXPOSURE,
            balance: strength * bound::BALANCE,
            swings: [(); 2].map(|()| [dice.between(HUNTS_HZ.0, HUNTS_HZ.1), dice.between(0.0, 1.0)]),
        });
        Self { moire, spot, hunting }
    }

    /// Whether it is another in every picture.
    pub fn moves(&self) -> bool {
        self.spot.is_some() || self.hunting.is_some()
    }

    /// What the beat leaves of each pixel's channels in a picture of `size` px, in 256ths, block by block; nothing without a
    /// beat.
    pub fn beat(&self, size: [u32; 2]) -> Vec<[u16; 3]> {
        let Some(moire) = self.moire else { return Vec::new() };
        let blocks = block_columns(size[0]) * (size[1] as usize).div_ceil(BLOCK_PX);
        let scale = 640.0 / f64::from(size[0]);
        let places = (0..blocks).flat_map(|block| (0..BLOCK_AREA).map(move |i| place(block, i, size)));
        places.map(|at| moire.left(at.map(|v| v * scale))).collect()
    }

    /// Lays it on a block of the picture taken `t_s` after the first.
    pub fn lay_on(&self, block: usize, beat: &[[u16; 3]], size: [u32; 2], t_s: f64, rgb: &mut BlockRgb) {
        if let Some(beat) = beat.get(block * BLOCK_AREA..(block + 1) * BLOCK_AREA) {
            for (channel, values) in rgb.iter_mut().enumerate() {
                for (value, left) in values.iter_mut().zip(beat) {
                    *value = (*value * i32::from(left[channel]) + 128) >> 8;
                }
            }
        }
        if let Some(spot) = &self.spot {
            spot.shine(block, size, t_s, rgb);
        }
        if let Some(hunting) = &self.hunting {
            for (values, gain) in rgb.iter_mut().zip(hunting.gains(t_s)) {
                values.iter_mut().for_each(|value| *value = ((*value * gain + 128) >> 8).min(255));
            }
        }
    }
}

impl Moire {
    fn draw(strength: f64, dice: &mut Dice) -> Self {
        let beats = [(); 2].map(|()| {
            let (length, angle) = (dice.between(MOIRE_PX.0, MOIRE_PX.1), dice.between(0.0, 1.0));
            [cosine(angle) / length, cosine(angle + 0.25) / length, dice.between(0.0, 1.0)]
        });
        Self { loss: strength * bound::MOIRE, beats, apart: dice.between(0.0, 0.33) }
    }

    fn left(&self, [x, y]: [f64; 2]) -> [u16; 3] {
        [0.0, 1.0, 2.0].map(|channel| {
            let hill = |[across, down, from]: [f64; 3]| cosine(across * x + down * y + from + channel * self.apart);
            let dark = 0.5 + 0.25 * (hill(self.beats[0]) + hill(self.beats[1]));
            (256.0 * (1.0 - self.loss * dark)).round() as u16
        })
    }
}

impl Spot {
    fn shine(&self, block: usize, size: [u32; 2], t_s: f64, rgb: &mut BlockRgb) {
        let [width, height] = size.map(f64::from);
        let center = [0, 1].map(|i| SPOT_CENTER[i] + SPOT_REACH[i] * cosine(self.turns[i][0] * t_s + self.turns[i][1]));
        let (center, radius) = ([center[0] * width, center[1] * height], self.radius * width);
        let corner = place(block, 0, size);
        let is_far = (0..2).any(|i| corner[i] - center[i] > radius || center[i] - corner[i] > radius + BLOCK_PX as f64);
        if is_far {
            return;
        }
        for i in 0..BLOCK_AREA {
            let at = place(block, i, size);
            let square = (at[0] - center[0]) * (at[0] - center[0]) + (at[1] - center[1]) * (at[1] - center[1]);
            let light = (self.light * bump(square.sqrt() / radius)).round() as i32;
            rgb.iter_mut().for_each(|values| values[i] = (values[i] + light).min(255));
        }
    }
}

impl Hunting {
    /// Red, green and blue, in 256ths.
    fn gains(&self, t_s: f64) -> [i32; 3] {
        let [exposure, balance] = self.swings.map(|[hz, from]| cosine(hz * t_s + from));
        let (all, red) = (1.0 + self.exposure * exposure, self.balance * balance);
        [all * (1.0 + red), all, all * (1.0 - red)].map(|gain| (256.0 * gain).round() as i32)
    }
}

/// The middle of a block's pixel in the picture, px.
fn place(block: usize, pixel: usize, size: [u32; 2]) -> [f64; 2] {
    let columns = block_columns(size[0]);
    let corner = [block % columns * BLOCK_PX, block / columns * BLOCK_PX];
    [(corner[0] + pixel % BLOCK_PX) as f64 + 0.5, (corner[1] + pixel / BLOCK_PX) as f64 + 0.5]
}

/// The cosine of an angle in turns.
fn cosine(turns: f64) -> f64 {
    // An eighth of a turn is small enough for the series; cos 2a = 2 cos² a − 1, twice.
    let (_, eighth) = sin_cos((turns - turns.round()) * std::f64::consts::TAU / 4.0);
    let half = 2.0 * eighth * eighth - 1.0;
    2.0 * half * half - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_one() {
        for i in -50..50 {
            let turns = f64::from(i) / 17.0;
            assert!((cosine(turns) - (turns * std::f64::consts::TAU).cos()).abs() < 1e-9, "{turns}");
        }
    }
}
