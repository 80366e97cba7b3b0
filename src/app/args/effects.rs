//! What screen, room and camera do to the simulated pictures beside `--hard`.

use super::values::share;
use crate::twin::effects::{Effect, Effects};
use std::str::FromStr;

/// `--effect`.
#[derive(clap::Args)]
pub struct EffectArgs {
    /// Spoil the pictures further, each effect by up to a strength from 0 to 1, drawn once a clip or run: pale, texture,
    /// afterglow, background, smooth, words, moire, spot, hunting, pile, lively, as in --effect spot=0.5,words=1. (What each is:
    /// docs/simulation.md.)
    #[arg(help_heading = "Camera", long, value_name = "NAME=STRENGTH", value_delimiter = ',')]
    effect: Vec<EffectSpec>,
}

/// One effect and how strong it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EffectSpec {
    effect: Effect,
    strength: f64,
}

impl FromStr for EffectSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Effect::ALL.map(Effect::name).join(", ");
        let (name, strength) =
            text.split_once('=').ok_or_else(|| format!("write NAME=STRENGTH, with a name of {}", names()))?;
        let effect = Effect::ALL.into_iter().find(|effect| effect.name() == name);
        let effect = effect.ok_or_else(|| format!("there is no effect {name:?}; use one of {}", names()))?;
        let strength = share(strength).map_err(|problem| format!("of the strength: {problem}"))?;
        Ok(Self { effect, strength })
    }
}

impl EffectArgs {
    /// The effects.
    ///
    /// # Errors
    /// When one is named twice.
    pub fn effects(&self) -> Result<Effects, super::Misuse> {
        let mut effects = Effects::default();
        for (i, EffectSpec { effect, strength }) in self.effect.iter().enumerate() {
            if self.effect[..i].iter().any(|other| other.effect == *effect) {
                return Err(super::Misuse(format!("--effect names {} twice; name it once", effect.name())));
            }
            effects = effects.with(*effect, *strength);
        }
        Ok(effects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read_and_nonsense_is_refused() {
        let spec = |text: &str| text.parse::<EffectSpec>();
        assert_eq!(spec("spot=0.5"), Ok(EffectSpec { effect: Effect::Spot, strength: 0.5 }));
        for text in ["spot", "spot=", "spot=2", "spot=-1", "spot=NaN", "spit=0.5", "=0.5", ""] {
            assert!(spec(text).is_err(), "{text}");
        }
        let twice = EffectArgs { effect: vec![spec("spot=0.5").unwrap(), spec("spot=1").unwrap()] };
        assert!(twice.effects().is_err());
    }
}
