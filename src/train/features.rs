//! The features that weights are sought for: sets of the paper that plays without rotation, or a list of names.

use crate::planner::{Feature, Weights};
use std::fmt::Write;
use thiserror::Error;

/// Why no features are meant.
#[derive(Debug, Error)]
pub enum FeaturesError {
    /// Not known.
    #[error(
        "there is no feature {name:?}; give ms1, ms2 or ms3, or a list such as column_holes,pile_height of {known}"
    )]
    Unknown {
        /// What was named.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// Named twice.
    #[error("the feature {name} is named twice; name it once")]
    Twice {
        /// Its name.
        name: &'static str,
    },
}

/// The numbers of the paper's metrics in its three sets.
const MS2: [usize; 9] = [3, 5, 10, 11, 13, 14, 16, 18, 19];
const MS3: [usize; 7] = [2, 3, 5, 10, 11, 12, 14];

/// The features of a set (`ms1`, `ms2`, `ms3`), or of names with commas between them.
///
/// # Errors
/// When one is not known or named twice.
pub fn parse(text: &str) -> Result<Vec<Feature>, FeaturesError> {
    let metrics = |numbers: &[usize]| numbers.iter().filter_map(|&number| Feature::metric(number)).collect();
    match text {
        "ms1" => Ok(metrics(&(1..=17).collect::<Vec<_>>())),
        "ms2" => Ok(metrics(&MS2)),
        "ms3" => Ok(metrics(&MS3)),
        names => by_names(names.split(',').map(str::trim)),
    }
}

/// The text that means these features: a set's name, or theirs.
pub fn name(features: &[Feature]) -> String {
    let set = ["ms1", "ms2", "ms3"].into_iter().find(|set| parse(set).is_ok_and(|known| known == features));
    let names = || features.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(",");
    set.map_or_else(names, String::from)
}

fn by_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Feature>, FeaturesError> {
    let mut features = Vec::new();
    for name in names {
        let known = || Feature::ALL.map(Feature::name).join(", ");
        let feature =
            Feature::named(name).ok_or_else(|| FeaturesError::Unknown { name: name.into(), known: known() })?;
        if features.contains(&feature) {
            return Err(FeaturesError::Twice { name: feature.name() });
        }
        features.push(feature);
    }
    Ok(features)
}

/// A file of weights, as [`Weights::parse`] reads it: costs, to the last bit.
pub fn to_toml(about: &str, features: &[Feature], weights: &[f64]) -> String {
    let quoted = toml::Value::from(about).to_string();
    let mut text = format!("about = {quoted}\nbetter = \"lower\"\n\n[weights]\n");
    for (feature, weight) in features.iter().zip(weights) {
        // The shortest number that is read as the same.
        let _ = writeln!(text, "{} = {weight:?}", feature.name());
    }
    text
}

/// What these weights play by.
pub fn to_weights(features: &[Feature], weights: &[f64]) -> Weights {
    Weights::of("trained", features.iter().copied().zip(weights.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_sets_are_known() {
        let names = |set: &str| parse(set).unwrap().into_iter().map(Feature::name).collect::<Vec<_>>();
        assert_eq!(names("ms1").len(), 17);
        assert_eq!((names("ms1")[0], names("ms1")[16]), ("lines", "height_variance"));
        let ms2 = "well_cells column_holes column_transitions row_transitions pile_height height_spread \
                   weighted_solid_cells last_lines max_well_depth";
        assert_eq!(names("ms2").join(" "), ms2);
        let ms3 = "lock_height well_cells column_holes column_transitions row_transitions column_heights height_spread";
        assert_eq!(names("ms3").join(" "), ms3);
        assert_eq!(names("holes, diversity"), ["holes", "diversity"]);
    }

    #[test]
    fn what_is_not_known_or_named_twice_is_refused() {
        assert!(parse("ms4").unwrap_err().to_string().contains("no feature \"ms4\"; give ms1, ms2 or ms3"));
        assert!(parse("").unwrap_err().to_string().contains("no feature \"\""));
        assert!(parse("holes,holes").unwrap_err().to_string().contains("holes is named twice"));
    }

    #[test]
    fn a_file_of_weights_is_read_back_to_the_last_bit() {
        let features = parse("ms3").unwrap();
        let weights = [0.1, -1.0, 1e-7, 1.0 / 3.0, -12_345.678, f64::MIN_POSITIVE, 5e22];
        let read = Weights::parse("t", &to_toml("what \"it\" is", &features, &weights)).unwrap();
        assert_eq!(read.about(), "what \"it\" is");
        let bits = |weights: &Weights| {
            weights.by_feature().iter().map(|(feature, cost)| (*feature, cost.to_bits())).collect::<Vec<_>>()
        };
        let mut expected = bits(&to_weights(&features, &weights));
        expected.sort_unstable();
        assert_eq!(bits(&read), expected);
    }
}
