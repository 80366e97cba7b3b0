//! What can be set at a camera: exposure, gain, white balance, focus, and whatever else its driver offers.
//!
//! Only the camera's own thread may talk to the driver, so wishes wait for it, and what it read back lies here. It asks
//! the driver only while somebody wants to know: a control takes a millisecond over USB.

use nokhwa::Camera;
use nokhwa::utils::{ControlValueDescription, ControlValueSetter, KnownCameraControl};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pictures between two readings of the controls.
const READ_EVERY: u64 = 30;
/// Wishes that may wait.
const WISHES_MAX: usize = 16;

/// A control as the driver describes it, with its value read back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CameraControl {
    /// The driver's number.
    pub id: u32,
    /// The driver's name.
    pub name: String,
    /// The value now.
    pub value: i64,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Values are multiples of this above the least.
    pub step: i64,
    /// What the driver chooses.
    pub default: i64,
    /// The camera changes it by itself at the moment; null where it never does.
    pub is_automatic: Option<bool>,
    /// It is on (1) or off (0), such as the dynamic frame rate, with which a camera slows down in the dark.
    pub is_switch: bool,
}

/// Linux's numbers (V4L2_CID_…) of values that a camera may choose by itself: the value, the switch for that, and the
/// switch's values for "by itself" and "as set".
const SWITCHES: [(u32, u32, i64, i64); 5] = [
    // EXPOSURE_ABSOLUTE by EXPOSURE_AUTO: aperture priority, manual.
    (0x9a_0902, 0x9a_0901, 3, 1),
    // WHITE_BALANCE_TEMPERATURE by AUTO_WHITE_BALANCE.
    (0x98_091a, 0x98_090c, 1, 0),
    // FOCUS_ABSOLUTE by FOCUS_AUTO.
    (0x9a_090a, 0x9a_090c, 1, 0),
    // GAIN by AUTOGAIN.
    (0x98_0913, 0x98_0912, 1, 0),
    // HUE by HUE_AUTO.
    (0x98_0903, 0x98_0919, 1, 0),
];

/// Numbers of the controls for which nokhwa has names.
const NAMED: [(KnownCameraControl, u32); 9] = [
    (KnownCameraControl::Brightness, 0x98_0900),
    (KnownCameraControl::Contrast, 0x98_0901),
    (KnownCameraControl::Saturation, 0x98_0902),
    (KnownCameraControl::Hue, 0x98_0903),
    (KnownCameraControl::Gamma, 0x98_0910),
    (KnownCameraControl::Gain, 0x98_0913),
    (KnownCameraControl::WhiteBalance, 0x98_091a),
    (KnownCameraControl::Sharpness, 0x98_091b),
    (KnownCameraControl::BacklightComp, 0x98_091c),
];

/// The place between those who wish and the camera's thread. Clones are the same place.
#[derive(Clone, Default)]
pub(super) struct ControlDesk(Arc<Mutex<Desk>>);

#[derive(Default)]
struct Desk {
    controls: Vec<CameraControl>,
    is_asked: bool,
    wishes: VecDeque<(u32, Option<i64>)>,
}

impl ControlDesk {
    /// What was read back last; asks for news.
    pub(super) fn controls(&self) -> Vec<CameraControl> {
        let mut desk = self.lock();
        desk.is_asked = true;
        desk.controls.clone()
    }

    /// Wishes a value; `None`: by itself.
    pub(super) fn wish(&self, id: u32, value: Option<i64>) {
        let mut desk = self.lock();
        if desk.wishes.len() < WISHES_MAX {
            desk.wishes.push_back((id, value));
        }
    }

    /// Does what is wished for and reads the controls, after picture number `count`.
    pub(super) fn serve(&self, camera: &mut Camera, count: u64) {
        let wishes = std::mem::take(&mut self.lock().wishes);
        for (id, value) in &wishes {
            let is_switch = self.lock().controls.iter().any(|control| control.id == *id && control.is_switch);
            set(camera, *id, *value, is_switch);
        }
        let is_due = !wishes.is_empty() || (count.is_multiple_of(READ_EVERY) && self.lock().is_asked);
        if is_due {
            let controls = read(camera);
            let mut desk = self.lock();
            desk.controls = controls;
            desk.is_asked = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cameras differ in what they allow, so nothing here is fatal: what came of it is read back.
fn set(camera: &mut Camera, id: u32, value: Option<i64>, is_switch: bool) {
    let mut set = |id: u32, value: ControlValueSetter| {
        if let Err(error) = camera.set_camera_control(known(id), value) {
            tracing::debug!("a control was not set: {error}");
        }
    };
    if let Some((_, switch, by_itself, as_set)) = SWITCHES.into_iter().find(|s| s.0 == id) {
        let wanted = if value.is_some() { as_set } else { by_itself };
        // EXPOSURE_AUTO is a list of choices, the others are yes or no.
        let is_list = switch == 0x9a_0901;
        set(
            switch,
            if is_list { ControlValueSetter::Integer(wanted) } else { ControlValueSetter::Boolean(wanted == 1) },
        );
    }
    match value {
        Some(value) if is_switch => set(id, ControlValueSetter::Boolean(value != 0)),
        Some(value) => set(id, ControlValueSetter::Integer(value)),
        None => {}
    }
}

fn read(camera: &Camera) -> Vec<CameraControl> {
    let all = match camera.camera_controls() {
        Ok(all) => all,
        Err(error) => {
            tracing::debug!("the camera does not list its controls: {error}");
            return Vec::new();
        }
    };
    let described: Vec<_> = all
        .into_iter()
        .map(|control| (number(control.control()), control.name().to_string(), control.description().clone()))
        .collect();
    list(&described)
}

/// The controls that have a range, each with the state of its switch; and the switches that stand alone.
fn list(described: &[(u32, String, ControlValueDescription)]) -> Vec<CameraControl> {
    let is_on = |switch: u32, by_itself: i64| {
        described.iter().find(|(id, ..)| *id == switch).map(|(_, _, description)| match description {
            ControlValueDescription::IntegerRange { value, .. } | ControlValueDescription::Integer { value, .. } => {
                *value == by_itself
            }
            ControlValueDescription::Boolean { value, .. } => i64::from(*value) == by_itself,
            _ => false,
        })
    };
    let is_offered = |id: u32| described.iter().any(|(known, ..)| *known == id);
    let is_others_switch = |id: u32| SWITCHES.iter().any(|s| s.1 == id && is_offered(s.0));
    let own = described.iter().filter(|(id, ..)| !is_others_switch(*id)).filter_map(|(id, name, description)| {
        let (min, max, value, step, default, is_switch) = match description {
            ControlValueDescription::IntegerRange { min, max, value, step, default } => {
                (*min, *max, *value, *step, *default, false)
            }
            ControlValueDescription::Boolean { value, default } => {
                (0, 1, i64::from(*value), 1, i64::from(*default), true)
            }
            _ => return None,
        };
        let switch = SWITCHES.into_iter().find(|s| s.0 == *id);
        let is_automatic = switch.and_then(|(_, switch, by_itself, _)| is_on(switch, by_itself));
        let (id, name, step) = (*id, name.clone(), step.max(1));
        (min < max).then_some(CameraControl { id, name, value, min, max, step, default, is_automatic, is_switch })
    });
    own.collect()
}

fn known(id: u32) -> KnownCameraControl {
    NAMED.into_iter().find(|(_, n)| *n == id).map_or(KnownCameraControl::Other(u128::from(id)), |(known, _)| known)
}

fn number(control: KnownCameraControl) -> u32 {
    match control {
        KnownCameraControl::Other(id) => u32::try_from(id).unwrap_or_default(),
        known => NAMED.into_iter().find(|(k, _)| *k == known).map_or(0, |(_, id)| id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_listed_with_the_state_of_their_switches() {
        let range = |value| ControlValueDescription::IntegerRange { min: 3, max: 2047, value, step: 0, default: 250 };
        let described = [
            (0x9a_0901, "Auto Exposure".to_string(), range(3)),
            (0x9a_0902, "Exposure".to_string(), range(156)),
            (0x98_0900, "Brightness".to_string(), range(128)),
            (
                0x98_090c,
                "White Balance, Auto".to_string(),
                ControlValueDescription::Boolean { value: false, default: true },
            ),
            (0x98_091a, "White Balance".to_string(), range(4000)),
            // EXPOSURE_AUTO_PRIORITY.
            (
                0x9a_0903,
                "Exposure, Dynamic Framerate".to_string(),
                ControlValueDescription::Boolean { value: true, default: false },
            ),
            // A camera that focuses by itself or not at all.
            (0x9a_090c, "Focus, Auto".to_string(), ControlValueDescription::Boolean { value: true, default: true }),
        ];
        let listed = list(&described);
        let shown: Vec<_> = listed.iter().map(|c| (c.name.as_str(), c.value, c.step, c.is_automatic)).collect();
        let expected = [
            ("Exposure", 156, 1, Some(true)),
            ("Brightness", 128, 1, None),
            ("White Balance", 4000, 1, Some(false)),
            ("Exposure, Dynamic Framerate", 1, 1, None),
            ("Focus, Auto", 1, 1, None),
        ];
        assert_eq!(shown, expected);
        assert_eq!(listed.iter().filter(|c| c.is_switch).map(|c| (c.min, c.max)).collect::<Vec<_>>(), [(0, 1); 2]);
        assert_eq!((known(0x98_0913), number(KnownCameraControl::Gain)), (KnownCameraControl::Gain, 0x98_0913));
        assert_eq!(number(known(0x9a_0902)), 0x9a_0902);
    }

    #[test]
    fn wishes_wait_in_order_and_do_not_pile_up() {
        let desk = ControlDesk::default();
        (0..100).for_each(|i| desk.wish(1, Some(i)));
        let wishes = desk.lock().wishes.clone();
        assert_eq!((wishes.len(), wishes[1]), (WISHES_MAX, (1, Some(1))));
        assert!(desk.controls().is_empty());
        assert!(desk.lock().is_asked);
    }
}
