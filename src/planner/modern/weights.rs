//! What the brain of the modern game finds good, as data.

use serde::Deserialize;
use thiserror::Error;

/// The weights that come with the program.
const VERSUS: &str = include_str!("../../../calibration/guideline/versus.toml");

/// Why a text is no set of weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// Not even TOML, or a key that is missing or not known.
    #[error(
        "the weights {name} are not valid; correct the line named below (calibration/guideline/versus.toml is an example)"
    )]
    Parse {
        /// Name or path.
        name: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// No number.
    #[error("the weights {name} give {weight} no number; give one")]
    Weight {
        /// Name or path.
        name: String,
        /// Which.
        weight: &'static str,
    },
}

/// A struct of numbers that can be read by name and, for training, as a list.
macro_rules! numbers {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $field: f32,)*
        }

        impl $name {
            /// The names, in the order of the lists.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            fn list(&self) -> Vec<f32> {
                vec![$(self.$field),*]
            }

            fn of_list(mut list: impl Iterator<Item = f32>) -> Self {
                Self { $($field: list.next().unwrap_or(0.0),)* }
            }
        }
    };
}

numbers! {
    /// What a pile is worth, for each of what is counted in it.
    Pile {
        /// Each row up to the highest full cell.
        height,
        /// Each of these rows above the tenth.
        height_above_10,
        /// Each of these rows above the fifteenth.
        height_above_15,
        /// Each empty cell with a full one above it.
        holes,
        /// Each full cell above a hole, up to seven a hole.
        cover,
        /// Each row with a hole.
        hole_rows,
        /// Each change between full and empty along a row, walls full, beyond the two of an empty row.
        row_transitions,
        /// Each row of difference between neighbouring columns, the lowest column left out.
        bumpiness,
        /// The same differences squared.
        bumpiness_squared,
        /// Each row that lacks nothing but the lowest column, from its top upwards without a break.
        well_depth,
        /// A slot for a T that will come, which would clear nothing.
        slot_empty,
        /// One in which it would clear one line.
        slot_single,
        /// One in which it would clear two; the pile is then counted as if that had been done.
        slot_double,
        /// That a back-to-back sequence is on.
        back_to_back,
        /// That an I is held.
        held_i,
        /// That a T is held.
        held_t,
    }
}

numbers! {
    /// What a lock down is worth.
    Lock {
        /// Each line that is sent or counters one that waits.
        sent,
        /// Besides: one line without a spin.
        single,
        /// Two.
        double,
        /// Three.
        triple,
        /// Four.
        tetris,
        /// A mini T-spin without a line.
        mini,
        /// One with a line.
        mini_single,
        /// A T-spin without a line.
        t_spin,
        /// One with one line.
        t_spin_single,
        /// With two.
        t_spin_double,
        /// With three.
        t_spin_triple,
        /// Nothing is left in the field.
        perfect_clear,
        /// Each lock down in a row that cleared lines, after the first.
        combo,
        /// A T that clears nothing by a T-spin.
        wasted_t,
        /// Each row of an opponent that appears because it was not countered.
        received,
    }
}

/// What is good: worth by pile and by lock down, in lines sent, more or less.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    about: String,
    /// Of the pile at the end of what is looked at.
    pub pile: Pile,
    /// Of each lock down on the way.
    pub lock: Lock,
}

impl Default for Weights {
    /// Those for playing against others that come with the program; the file's `about` says where they come from.
    fn default() -> Self {
        // A test reads the file, too.
        Self::parse("versus", VERSUS).unwrap_or_else(|_| Self::of("none", &[]))
    }
}

impl Weights {
    /// Weights as TOML; `name` is for messages.
    ///
    /// # Errors
    /// When it is no TOML, lacks a weight or has one too many, or gives one that is no number.
    pub fn parse(name: &str, text: &str) -> Result<Self, WeightsError> {
        let weights: Self = toml::from_str(text)
            .map_err(|source| WeightsError::Parse { name: name.into(), source: Box::new(source) })?;
        let wrong = Self::names().zip(weights.list()).find(|(_, weight)| !weight.is_finite());
        wrong.map_or(Ok(weights), |(weight, _)| Err(WeightsError::Weight { name: name.into(), weight }))
    }

    /// In a line: what they are, and where they come from.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The names of all weights, in the order of [`Self::list`].
    pub fn names() -> impl Iterator<Item = &'static str> {
        Pile::NAMES.iter().chain(Lock::NAMES).copied()
    }

    /// All weights.
    pub fn list(&self) -> Vec<f32> {
        [self.pile.list(), self.lock.list()].concat()
    }

    /// The other way round; those that are missing are 0.
    pub fn of(about: &str, list: &[f32]) -> Self {
        let mut list = list.iter().copied();
        let (pile, lock) = (Pile::of_list(list.by_ref()), Lock::of_list(list));
        Self { about: about.into(), pile, lock }
    }

    /// As a file.
    pub fn to_toml(&self) -> String {
        let lines = |names: &[&str], list: Vec<f32>| -> String {
            names.iter().zip(list).map(|(name, weight)| format!("{name} = {weight:?}\n")).collect()
        };
        let (pile, lock) = (lines(Pile::NAMES, self.pile.list()), lines(Lock::NAMES, self.lock.list()));
        format!("about = {:?}\n\n[pile]\n{pile}\n[lock]\n{lock}", self.about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_go_to_a_file_and_a_list_and_back() {
        let weights = Weights::parse("versus", VERSUS).unwrap();
        assert_eq!(Weights::default(), weights);
        assert_eq!(Weights::parse("again", &weights.to_toml()).unwrap(), weights);
        assert_eq!(Weights::of(weights.about(), &weights.list()), weights);
        assert_eq!(Weights::names().count(), weights.list().len());
    }

    #[test]
    fn a_wrong_file_is_told_with_what_is_wrong() {
        let text = Weights::default().to_toml();
        let error = |text: &str| {
            let error = Weights::parse("mine.toml", text).unwrap_err();
            format!("{error}: {}", std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default())
        };
        assert!(error(&text.replace("holes =", "hoels =")).contains("hoels"));
        assert!(error(&text.replace("[lock]\n", "[lock]\nheight = 1.0\n")).contains("height"));
        assert!(error("about = \"x\"").contains("pile"));
        let not_a_number = text.replacen("height = ", "height = nan # ", 1);
        assert!(error(&not_a_number).contains("give height no number; give one"));
    }
}
