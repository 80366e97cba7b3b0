//! The calibration file: where the field stands in the picture, which relay is which button, and what was measured.

use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::game::Buttons;
use crate::message::RelayMask;
use crate::profile::game_times::GameTimes;
use crate::profile::layout::{Layout, LayoutError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

pub use super::measured::Measured;

/// The file format this program writes.
const VERSION: u32 = 1;

/// Why a calibration cannot be used.
#[derive(Debug, Error)]
pub enum CalibrationError {
    /// The file cannot be read.
    #[error("cannot use the calibration {path}; check the path, or make one with `stackhand calibrate`")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written, or is too long.
    #[error(transparent)]
    Saving(#[from] FileError),
    /// The values have no text.
    #[error("the calibration cannot be written as text; make a new one with `stackhand calibrate`")]
    Text(#[from] toml::ser::Error),
    /// The text is no calibration.
    #[error("{path} is not a calibration; correct the line named below or make a new one with `stackhand calibrate`")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// The values contradict each other.
    #[error("the calibration {path} is not valid: {problem}; make a new one with `stackhand calibrate`")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A button that is pressed in this game has no relay.
    #[error(
        "no relay presses {}, without which this game cannot be played; add a line such as `{} = 1` with the relay's number to [buttons] in the calibration",
        missing.join(", "), missing.first().unwrap_or(&"left")
    )]
    Unwired {
        /// The buttons' names.
        missing: Vec<&'static str>,
    },
    /// Made for pictures of another size.
    #[error(
        "the calibration is for pictures of {} × {}, but the source gives {} × {}; set the camera to the old size or run `stackhand calibrate` again",
        expected[0], expected[1], found[0], found[1]
    )]
    PictureSize {
        /// In the file.
        expected: [u32; 2],
        /// From the source.
        found: [u32; 2],
    },
}

/// How long things take on this rig.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// From the console's poll of the pad that starts a frame to the arrival, at the host, of the first picture that can show that frame.
    pub eye: Measured,
    /// From a relay's last command byte to the closed contact.
    pub close: Measured,
    /// From a relay's last command byte to the open contact.
    pub open: Measured,
}

impl Default for Timing {
    /// Typical values (facts/hardware): to be replaced by measured ones.
    fn default() -> Self {
        Self {
            eye: Measured { ms: 75.0, spread_ms: 15.0 },
            close: Measured { ms: 5.0, spread_ms: 2.0 },
            open: Measured { ms: 4.0, spread_ms: 2.0 },
        }
    }
}

impl Timing {
    /// The same rig with solid-state contacts, where nobody has measured them: a double PhotoMOS AQW212EH closes in 4 ms and
    /// opens in 1.0 ms at most (maker's sheet of 2026-01; the least is not stated and taken as 0).
    #[must_use]
    pub fn with_solid_contacts(self) -> Self {
        let typical = Self::default();
        match (self.close, self.open) == (typical.close, typical.open) {
            true => {
                Self { close: Measured { ms: 2.0, spread_ms: 2.0 }, open: Measured { ms: 0.5, spread_ms: 0.5 }, ..self }
            }
            false => self,
        }
    }
}

/// What `calibrate --latency` found, beside the times: how it was found, and what only some buttons have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTimes {
    /// When, YYYY-MM-DD.
    pub date: String,
    /// Presses and releases that were followed, and presses that had no effect.
    pub presses: u32,
    /// See `presses`.
    pub releases: u32,
    /// See `presses`.
    pub missed: u32,
    /// From a direction's command to the picture of its effect, less the wait for the poll: the sum that can be measured.
    pub eye_and_close: Measured,
    /// One standard deviation of that sum, ms.
    pub eye_and_close_error_ms: f64,
    /// By how much a direction's contact opens later after its command than it closes (negative: sooner).
    pub open_after_close: Measured,
    /// How long the camera's shutter is open, ms.
    pub exposure_ms: f64,
    /// Pictures arrive so much early or late, ms.
    pub arrival_jitter_ms: f64,
    /// By how much each button's contact closes sooner than `timing.close` says, ms.
    #[serde(default)]
    pub closes_sooner_ms: BTreeMap<String, f64>,
}

/// A calibration, as read from its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The file format, 1.
    pub version: u32,
    /// The layout's name or path.
    pub layout: String,
    /// The source it was made with, as on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The relay board, as on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relay: Option<String>,
    /// The picture's width and height, px.
    pub picture: [u32; 2],
    /// The playfield's outer corners, px: top-left, top-right, bottom-right, bottom-left of the game.
    /// The centre of the top-left pixel is (0.5, 0.5).
    pub corners: [[f64; 2]; 4],
    /// The lens's bend: what would be seen at radius r from the picture's centre (1 at its corner) is seen at
    /// r·(1 + k1·r²); 0 for a straight lens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lens_k1: f64,
    /// How far the corners may be off, px.
    pub error_px: f64,
    /// Operations that the board's relays are rated for; a million if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated_operations: Option<u64>,
    /// Light and dark are the other way round than the layout says.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reversed: bool,
    /// Measured times.
    #[serde(default)]
    pub timing: Timing,
    /// How the times were measured; absent while they are typical ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredTimes>,
    /// Button name (right, left, down, up, start, select, b, a) → relay number 0–7.
    #[serde(default = "default_buttons")]
    pub buttons: BTreeMap<String, u8>,
    /// What was measured of the game's times while it was played.
    #[serde(default, skip_serializing_if = "GameTimes::is_empty")]
    pub game_times: GameTimes,
}

impl Calibration {
    /// A calibration with everything but the place of the field at its default.
    pub fn new(layout: &str, picture: [u32; 2], corners: [[f64; 2]; 4], error_px: f64) -> Self {
        Self {
            version: VERSION,
            layout: layout.into(),
            source: None,
            relay: None,
            picture,
            corners,
            lens_k1: 0.0,
            error_px,
            reversed: false,
            timing: Timing::default(),
            measured: None,
            buttons: default_buttons(),
            rated_operations: None,
            game_times: GameTimes::default(),
        }
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a valid calibration.
    pub fn load(path: &Path) -> Result<Self, CalibrationError> {
        let text = file::read_text(path, SETTINGS_BYTES_MAX).map_err(|error| match error {
            FileError::Read { path, source } => CalibrationError::File { path, source },
            other => other.into(),
        })?;
        Self::parse(&text, path)
    }

    /// A calibration from its text; `path` is named in errors.
    ///
    /// # Errors
    /// When it is not a valid calibration.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CalibrationError> {
        let calibration: Self =
            toml::from_str(text).map_err(|e| CalibrationError::Parse { path: path.into(), source: Box::new(e) })?;
        match calibration.problem() {
            Some(problem) => Err(CalibrationError::Invalid { path: path.into(), problem }),
            None => Ok(calibration),
        }
    }

    /// The layout, in the light in which the field was found.
    ///
    /// # Errors
    /// When there is no such layout.
    pub fn load_layout(&self) -> Result<Layout, LayoutError> {
        let layout = Layout::load(&self.layout)?;
        Ok(if self.reversed { layout.reversed() } else { layout })
    }

    /// The file's text.
    ///
    /// # Errors
    /// Never for values that [`Self::load`] accepts.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string_pretty(self)
    }

    /// Writes the file whole or not at all; the calibration that it replaces stays beside it as `NAME~`.
    ///
    /// # Errors
    /// When it cannot be written, or is a link.
    pub fn save(&self, path: &Path) -> Result<(), CalibrationError> {
        Ok(file::save_and_keep_old(path, self.to_text()?.as_bytes())?)
    }

    /// Checks that pictures of this size can be read with it.
    ///
    /// # Errors
    /// When the size differs.
    pub fn check_picture(&self, width: u32, height: u32) -> Result<(), CalibrationError> {
        if self.picture == [width, height] {
            return Ok(());
        }
        Err(CalibrationError::PictureSize { expected: self.picture, found: [width, height] })
    }

    /// Checks that there is a relay for each of these buttons.
    ///
    /// # Errors
    /// When there is none.
    pub fn check_wired(&self, needed: Buttons) -> Result<(), CalibrationError> {
        let is_missing =
            |(button, name): &(Buttons, &str)| needed.contains(*button) && !self.buttons.contains_key(*name);
        let missing: Vec<&str> = Buttons::NAMED.into_iter().filter(is_missing).map(|(_, name)| name).collect();
        if missing.is_empty() { Ok(()) } else { Err(CalibrationError::Unwired { missing }) }
    }

    /// The relays that press these buttons; buttons without a relay are left out.
    pub fn relays(&self, buttons: Buttons) -> RelayMask {
        let pressed = Buttons::NAMED.into_iter().filter(|(b, _)| buttons.contains(*b));
        let relays = pressed.filter_map(|(_, name)| self.buttons.get(name));
        RelayMask(relays.fold(0, |mask, relay| mask | 1 << relay))
    }

    /// From a relay's last command byte to the closed contact of these buttons (their mean), ms.
    pub fn close_ms(&self, buttons: Buttons) -> f64 {
        let sooner = self.measured.as_ref().map(|measured| &measured.closes_sooner_ms);
        let pressed = Buttons::NAMED.into_iter().filter(|(button, _)| buttons.contains(*button));
        let known: Vec<f64> = pressed.filter_map(|(_, name)| sooner?.get(name).copied()).collect();
        let sooner_ms = known.iter().sum::<f64>() / known.len().max(1) as f64;
        self.timing.close.ms - sooner_ms
    }

    fn problem(&self) -> Option<String> {
        if let Some(problem) = self.game_times.problem() {
            return Some(problem);
        }
        if self.version != VERSION {
            return Some(format!("version {} is not {VERSION}", self.version));
        }
        if self.picture.iter().any(|s| !(16..=16384).contains(s)) {
            return Some(format!("a picture of {} × {} px", self.picture[0], self.picture[1]));
        }
        let limit = 4.0 * f64::from(self.picture[0].max(self.picture[1]));
        if self.corners.iter().flatten().any(|v| !v.is_finite() || v.abs() > limit) {
            return Some("a corner lies far outside the picture".into());
        }
        if !(-0.5..=0.5).contains(&self.lens_k1) {
            return Some(format!("a lens_k1 of {}", self.lens_k1));
        }
        let timing = self.timing;
        for (name, m) in [("eye", timing.eye), ("close", timing.close), ("open", timing.open)] {
            if !(0.0..=2000.0).contains(&m.ms) || !(0.0..=500.0).contains(&m.spread_ms) {
                return Some(format!("timing.{name} is {} ± {} ms", m.ms, m.spread_ms));
            }
        }
        for (name, sooner_ms) in self.measured.iter().flat_map(|measured| &measured.closes_sooner_ms) {
            if Buttons::from_name(name).is_none() || !(0.0..=100.0).contains(sooner_ms) {
                return Some(format!("measured.closes_sooner_ms has {name:?} with {sooner_ms} ms"));
            }
        }
        let mut used = 0u8;
        for (name, &relay) in &self.buttons {
            if Buttons::from_name(name).is_none() {
                return Some(format!("there is no button {name:?}"));
            }
            if relay > 7 || used >> relay & 1 == 1 {
                return Some(format!("button {name:?} has relay {relay}; each needs its own, 0 to 7"));
            }
            used |= 1 << relay;
        }
        None
    }
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn is_false(value: &bool) -> bool {
    !value
}

fn default_buttons() -> BTreeMap<String, u8> {
    Buttons::NAMED.into_iter().enumerate().map(|(i, (_, name))| (name.to_string(), i as u8)).collect()
}
