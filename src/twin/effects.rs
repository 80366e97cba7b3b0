//! What screens, rooms and cameras do to a picture beyond the camera's hardness: each effect by name, how strong it may be,
//! and how strong it is in the clip of a seed.

use super::exact::Dice;

/// One effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// A washed-out screen, and in half of the clips the block colours of any of the console's 256 levels.
    Pale,
    /// Blocks with bevels, stripes, dots or a weave.
    Texture,
    /// A slow display: what was shown a frame ago still shines.
    Afterglow,
    /// A picture behind the field that moves, and is another one every few seconds.
    Background,
    /// Pieces that fall by the pixel.
    Smooth,
    /// Words that appear over the field while the game goes on.
    Words,
    /// The beat between the screen's dots and the camera's.
    Moire,
    /// A bright spot that drifts over the field and beside it.
    Spot,
    /// Exposure and white balance that hunt.
    Hunting,
    /// A game that begins with rows of garbage.
    Pile,
    /// Blocks that flash and turn grey as they lock, rows that blink before they vanish, a field that shakes: in the modern game.
    Lively,
}

impl Effect {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Pale,
        Self::Texture,
        Self::Afterglow,
        Self::Background,
        Self::Smooth,
        Self::Words,
        Self::Moire,
        Self::Spot,
        Self::Hunting,
        Self::Pile,
        Self::Lively,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pale => "pale",
            Self::Texture => "texture",
            Self::Afterglow => "afterglow",
            Self::Background => "background",
            Self::Smooth => "smooth",
            Self::Words => "words",
            Self::Moire => "moire",
            Self::Spot => "spot",
            Self::Hunting => "hunting",
            Self::Pile => "pile",
            Self::Lively => "lively",
        }
    }
}

/// How strong each effect may be, 0 (none) to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Effects([f64; Effect::ALL.len()]);

impl Effects {
    /// The same with an effect of up to this strength (0–1; outside it the nearer bound).
    #[must_use]
    pub fn with(mut self, effect: Effect, strength: f64) -> Self {
        self.0[effect as usize] = if strength.is_finite() { strength.clamp(0.0, 1.0) } else { 0.0 };
        self
    }

    /// How strong an effect may be, 0–1.
    pub fn most(&self, effect: Effect) -> f64 {
        self.0[effect as usize]
    }

    /// How strong an effect is in the clip of a seed, 0 to its bound.
    pub fn strength(&self, effect: Effect, seed: u64) -> f64 {
        self.draw(effect, seed).map_or(0.0, |(strength, _)| strength)
    }

    /// With how many rows of garbage the game of a seed begins: up to 20 at strength 1, of which 12 can be; `None` without.
    pub fn rows_of_garbage(&self, seed: u64) -> Option<u8> {
        self.draw(Effect::Pile, seed).map(|(strength, _)| (20.0 * strength).round().min(12.0) as u8)
    }

    /// How strong an effect is in the clip of a seed: uniform from 0 to its bound, and `None` where that is 0. The dice go on
    /// with what else is to be drawn for it.
    ///
    /// Equal seeds draw equal numbers at every strength, and no effect changes what is drawn for another.
    pub(super) fn draw(&self, effect: Effect, seed: u64) -> Option<(f64, Dice)> {
        let mut dice = Dice::new(seed ^ (0x6566_6665_6374_0000 + effect as u64));
        let share = dice.between(0.0, 1.0);
        (self.most(effect) > 0.0).then(|| (self.most(effect) * share, dice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_gets_stronger_without_becoming_another() {
        let drawn = |strength| Effects::default().with(Effect::Spot, strength).draw(Effect::Spot, 7);
        let ((half, mut a), (whole, mut b)) = (drawn(0.5).unwrap(), drawn(1.0).unwrap());
        assert!((2.0 * half - whole).abs() < 1e-12 && a.bits() == b.bits());
        assert!(drawn(0.0).is_none() && Effects::default().draw(Effect::Pale, 7).is_none());
    }
}
