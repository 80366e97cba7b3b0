//! What can be set at a camera: exposure, gain, white balance, focus, and whatever else its driver offers.
//!
//! Only the camera's own thread may talk to the driver, so wishes wait for it, and what it read back lies here. It asks
//! the driver only while somebody wants to know: a control takes a millisecond over USB.

use super::device::{Device, Knob, KnobKind};
use super::{WebcamSpec, told};
use crate::edge::CameraControl;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pictures between two readings of the controls.
const READ_EVERY: u64 = 30;
/// Wishes that may wait.
const WISHES_MAX: usize = 16;

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

/// EXPOSURE_AUTO_PRIORITY: the camera may send fewer pictures a second in the dark.
const EXPOSURE_LOWERS_RATE: u32 = 0x9a_0903;

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
    pub(super) fn serve(&self, device: &mut dyn Device, count: u64) {
        let wishes = std::mem::take(&mut self.lock().wishes);
        for (id, value) in &wishes {
            set(device, *id, *value);
        }
        let is_due = !wishes.is_empty() || (count.is_multiple_of(READ_EVERY) && self.lock().is_asked);
        if is_due {
            let controls = read(device);
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
fn set(device: &mut dyn Device, id: u32, value: Option<i64>) {
    let mut set = |id: u32, value: i64| {
        if let Err(error) = device.set(id, value) {
            tracing::debug!("a control was not set: {error}");
        }
    };
    if let Some((_, switch, by_itself, as_set)) = SWITCHES.into_iter().find(|s| s.0 == id) {
        set(switch, if value.is_some() { as_set } else { by_itself });
    }
    if let Some(value) = value {
        set(id, value);
    }
}

fn read(device: &dyn Device) -> Vec<CameraControl> {
    match device.controls() {
        Ok(all) => list(&all),
        Err(error) => {
            tracing::debug!("the camera does not list its controls: {error}");
            Vec::new()
        }
    }
}

/// The controls that have a range, each with the state of its switch; and the switches that stand alone.
fn list(knobs: &[Knob]) -> Vec<CameraControl> {
    let is_on =
        |switch: u32, by_itself: i64| knobs.iter().find(|knob| knob.id == switch).map(|knob| knob.value == by_itself);
    let is_offered = |id: u32| knobs.iter().any(|knob| knob.id == id);
    let is_others_switch = |id: u32| SWITCHES.iter().any(|s| s.1 == id && is_offered(s.0));
    let own = knobs.iter().filter(|knob| knob.kind != KnobKind::Choice && !is_others_switch(knob.id));
    let shown = own.filter(|knob| knob.min < knob.max).map(|knob| {
        let switch = SWITCHES.into_iter().find(|s| s.0 == knob.id);
        CameraControl {
            id: knob.id,
            name: knob.name.clone(),
            value: knob.value,
            min: knob.min,
            max: knob.max,
            step: knob.step.max(1),
            default: knob.default,
            is_automatic: switch.and_then(|(_, switch, by_itself, _)| is_on(switch, by_itself)),
            is_switch: knob.kind == KnobKind::Switch,
        }
    });
    shown.collect()
}

/// For exposure, white balance and focus: whether the camera changes it by itself; `None` if it does not say.
pub(super) fn locks(value: impl Fn(u32) -> Option<i64>) -> Vec<(&'static str, Option<bool>)> {
    let named = [("exposure", SWITCHES[0]), ("white balance", SWITCHES[1]), ("focus", SWITCHES[2])];
    named.into_iter().map(|(what, (_, switch, _, as_set))| (what, value(switch).map(|v| v != as_set))).collect()
}

/// Sets the exposure that the user asked for, and keeps the camera from slowing down in the dark. Nothing here is fatal;
/// what the camera does not do is told.
pub(super) fn set_exposure(device: &mut dyn Device, spec: &WebcamSpec) {
    // Many cameras have no such switch, or are as wanted.
    if device.value(EXPOSURE_LOWERS_RATE).is_some_and(|value| value != 0)
        && let Err(error) = device.set(EXPOSURE_LOWERS_RATE, 0)
    {
        let words = "it cannot be kept from slowing down in the dark; give it enough light";
        told::warn_once(spec.index, &format!("{words} ({error})"));
    }
    let Some(wanted) = spec.exposure else { return };
    let (id, switch, _, manual) = SWITCHES[0];
    // Some cameras know no automatic exposure; then this fails and does no harm.
    let switched = device.set(switch, manual);
    if let Err(error) = device.set(id, wanted) {
        let why = switched.err().map_or(error.clone(), |first| format!("{first}; {error}"));
        let words = "its exposure cannot be set; leave `exposure=` away, and let the light be even";
        return told::warn_once(spec.index, &format!("{words} ({why})"));
    }
    match device.value(id) {
        Some(value) if value != wanted => {
            let range = device.controls().ok().and_then(|all| all.into_iter().find(|knob| knob.id == id));
            told::warn_once(spec.index, &clamped(wanted, value, range.as_ref()));
        }
        Some(_) => {}
        None => {
            told::warn_once(spec.index, "its exposure cannot be read back; look at the picture whether it is right")
        }
    }
}

fn clamped(wanted: i64, value: i64, range: Option<&Knob>) -> String {
    let range = match range {
        Some(knob) if knob.step > 1 => format!("takes {} to {} in steps of {}", knob.min, knob.max, knob.step),
        Some(knob) => format!("takes {} to {}", knob.min, knob.max),
        None => "does not say what it takes".into(),
    };
    format!("its exposure is {value}, not {wanted} (100 µs each): it {range}; name one of those with `exposure=`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::camera::device::{Raw, Trouble};
    use crate::edge::camera::mode::Mode;
    use crate::edge::camera::pixels::Layout;
    use std::time::Duration;

    fn knob(id: u32, name: &str, kind: KnobKind, value: i64) -> Knob {
        let (min, max) = match kind {
            KnobKind::Range => (3, 2047),
            KnobKind::Switch => (0, 1),
            KnobKind::Choice => (0, 3),
        };
        Knob { id, name: name.into(), kind, value, min, max, step: 0, default: min }
    }

    /// Controls that clamp, as drivers do.
    struct Knobs(Vec<Knob>);

    impl Device for Knobs {
        fn wait(&mut self, _: Duration) -> Result<bool, Trouble> {
            Ok(false)
        }

        fn fetch(&mut self) -> Result<Option<Raw>, Trouble> {
            Ok(None)
        }

        fn restart(&mut self) -> Result<(), Trouble> {
            Ok(())
        }

        fn mode(&self) -> Mode {
            Mode { layout: Layout::Gray, width: 1, height: 1, rate: None }
        }

        fn controls(&self) -> Result<Vec<Knob>, String> {
            Ok(self.0.clone())
        }

        fn value(&self, id: u32) -> Option<i64> {
            self.0.iter().find(|knob| knob.id == id).map(|knob| knob.value)
        }

        fn set(&mut self, id: u32, value: i64) -> Result<(), String> {
            let knob = self.0.iter_mut().find(|knob| knob.id == id).ok_or("no such control")?;
            knob.value = value.clamp(knob.min, knob.max);
            Ok(())
        }
    }

    fn camera() -> Knobs {
        use KnobKind::{Choice, Range, Switch};
        Knobs(vec![
            knob(0x9a_0901, "Auto Exposure", Choice, 3),
            knob(0x9a_0902, "Exposure", Range, 156),
            knob(0x98_0900, "Brightness", Range, 128),
            knob(0x98_090c, "White Balance, Auto", Switch, 0),
            knob(0x98_091a, "White Balance", Range, 1000),
            knob(0x9a_0903, "Exposure, Dynamic Framerate", Switch, 1),
            // A camera that focuses by itself or not at all.
            knob(0x9a_090c, "Focus, Auto", Switch, 1),
            knob(0x98_0918, "Power Line Frequency", Choice, 1),
        ])
    }

    #[test]
    fn ranges_are_listed_with_the_state_of_their_switches() {
        let listed = list(&camera().0);
        let shown: Vec<_> = listed.iter().map(|c| (c.name.as_str(), c.value, c.step, c.is_automatic)).collect();
        let expected = [
            ("Exposure", 156, 1, Some(true)),
            ("Brightness", 128, 1, None),
            ("White Balance", 1000, 1, Some(false)),
            ("Exposure, Dynamic Framerate", 1, 1, None),
            ("Focus, Auto", 1, 1, None),
        ];
        assert_eq!(shown, expected);
        assert_eq!(listed.iter().filter(|c| c.is_switch).map(|c| (c.min, c.max)).collect::<Vec<_>>(), [(0, 1); 2]);
        let camera = camera();
        let locks = locks(|id| camera.value(id));
        assert_eq!(locks, [("exposure", Some(true)), ("white balance", Some(false)), ("focus", Some(true))]);
    }

    #[test]
    fn a_fixed_exposure_is_set_without_a_word_and_a_clamped_one_told_with_its_range() {
        let mut device = camera();
        let spec = WebcamSpec { exposure: Some(150), ..WebcamSpec::new(9201) };
        set_exposure(&mut device, &spec);
        let values = [0x9a_0901, 0x9a_0902, 0x9a_0903].map(|id| device.value(id));
        assert_eq!(values, [Some(1), Some(150), Some(0)]);
        set_exposure(&mut device, &WebcamSpec { exposure: Some(5000), ..spec });
        let words =
            "its exposure is 2047, not 5000 (100 µs each): it takes 3 to 2047; name one of those with `exposure=`";
        assert!(!told::is_news(9201, words), "told");
        assert_eq!(told::told_of(9201), 1, "and nothing else");
        let stepped = Knob { step: 5, ..knob(1, "", KnobKind::Range, 0) };
        assert!(clamped(9, 8, Some(&stepped)).contains("3 to 2047 in steps of 5"));
    }

    #[test]
    fn a_camera_without_an_exposure_is_told_only_if_one_was_asked_for() {
        let mut device = Knobs(Vec::new());
        set_exposure(&mut device, &WebcamSpec::new(9202));
        assert_eq!(told::told_of(9202), 0);
        set_exposure(&mut device, &WebcamSpec { exposure: Some(150), ..WebcamSpec::new(9202) });
        assert_eq!(told::told_of(9202), 1);
    }

    #[test]
    fn wishes_are_granted_with_their_switch() {
        let (desk, mut device) = (ControlDesk::default(), camera());
        desk.wish(0x9a_0902, Some(99));
        desk.wish(0x98_091a, None);
        desk.wish(0x9a_090c, Some(0));
        desk.serve(&mut device, 1);
        let values = [0x9a_0901, 0x9a_0902, 0x98_090c, 0x9a_090c].map(|id| device.value(id));
        assert_eq!(values, [Some(1), Some(99), Some(1), Some(0)]);
        assert_eq!(desk.controls().len(), 5, "read back");
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
