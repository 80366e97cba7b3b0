//! Cameras on systems other than Linux, through nokhwa.
//!
//! Its `frame()` has no timeout, so a camera that stands still keeps its thread; it does not say how many bytes of a
//! buffer are the picture, numbers no pictures, and knows only whole numbers of pictures a second.

use super::controls::set_exposure;
use super::device::{Device, Knob, KnobKind, Raw, Trouble};
use super::mode::{self, Mode};
use super::pixels::Layout;
use super::{PictureRate, WebcamSpec, told};
use crate::edge::CameraError;
use nokhwa::Camera;
use nokhwa::utils::{
    ApiBackend, CameraControl, CameraFormat, CameraIndex, ControlValueDescription, ControlValueSetter, FrameFormat,
    KnownCameraControl, RequestedFormat, RequestedFormatType, Resolution,
};
use std::time::Duration;

/// What can be decoded.
const DECODABLE: [FrameFormat; 6] = [
    FrameFormat::MJPEG,
    FrameFormat::YUYV,
    FrameFormat::NV12,
    FrameFormat::GRAY,
    FrameFormat::RAWRGB,
    FrameFormat::RAWBGR,
];
/// Linux's numbers of the controls for which nokhwa has names.
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
/// How long a person may think about the system's question.
const PERMISSION_PATIENCE: Duration = Duration::from_secs(60);

/// An open camera.
pub(super) struct PortableCamera {
    camera: Camera,
    mode: Mode,
    waiting: Option<Vec<u8>>,
}

impl PortableCamera {
    /// Opens a camera in the mode nearest to what is wanted, and starts it.
    pub(super) fn start(spec: &WebcamSpec) -> Result<Self, CameraError> {
        let failed = |e: nokhwa::NokhwaError| CameraError::CameraOpen { index: spec.index, problem: e.to_string() };
        ask_permission(spec.index)?;
        let mut camera = open(spec.index)?;
        let modes = modes(&mut camera)?;
        if let Some(best) = mode::best(&modes, spec) {
            let request = RequestedFormat::with_formats(RequestedFormatType::Closest(format(best)), &DECODABLE);
            if let Err(e) = camera.set_camera_requset(request) {
                told::warn_once(spec.index, &format!("it stays at {}: {e}", camera.camera_format()));
            }
        }
        let mode = mode_of(&camera.camera_format());
        let mut camera = Self { camera, mode, waiting: None };
        set_exposure(&mut camera, spec);
        camera.camera.open_stream().map_err(failed)?;
        Ok(camera)
    }
}

impl Device for PortableCamera {
    /// Waits as long as it takes: nokhwa has no timeout.
    fn wait(&mut self, patience: Duration) -> Result<bool, Trouble> {
        if self.waiting.is_none() && !patience.is_zero() {
            let buffer = self.camera.frame().map_err(|e| Trouble::Gone(e.to_string()))?;
            self.waiting = Some(buffer.buffer().to_vec());
        }
        Ok(self.waiting.is_some())
    }

    fn fetch(&mut self) -> Result<Option<Raw>, Trouble> {
        Ok(self.waiting.take().map(|bytes| Raw { bytes, ..Raw::default() }))
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        let failed = |e: nokhwa::NokhwaError| Trouble::Other(e.to_string());
        self.camera.stop_stream().map_err(failed)?;
        self.camera.open_stream().map_err(failed)
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn controls(&self) -> Result<Vec<Knob>, String> {
        let all = self.camera.camera_controls().map_err(|e| e.to_string())?;
        Ok(all.iter().filter_map(knob).collect())
    }

    fn value(&self, id: u32) -> Option<i64> {
        knob(&self.camera.camera_control(known(id)).ok()?).map(|knob| knob.value)
    }

    fn set(&mut self, id: u32, value: i64) -> Result<(), String> {
        let control = self.camera.camera_control(known(id)).map_err(|e| e.to_string())?;
        // A value of another kind than the control's is taken, and then called rejected.
        let value = match control.description() {
            ControlValueDescription::Boolean { .. } => ControlValueSetter::Boolean(value != 0),
            _ => ControlValueSetter::Integer(value),
        };
        self.camera.set_camera_control(known(id), value).map_err(|e| e.to_string())
    }
}

/// The cameras with their numbers and names.
pub(super) fn cameras() -> Result<Vec<(u32, String)>, String> {
    let listed = nokhwa::query(ApiBackend::Auto).map_err(|e| e.to_string())?;
    let mut cameras: Vec<_> =
        listed.iter().filter_map(|info| Some((info.index().as_index().ok()?, info.human_name()))).collect();
    cameras.sort();
    Ok(cameras)
}

/// Opens a camera as it stands.
pub(super) fn open(index: u32) -> Result<Camera, CameraError> {
    let cameras = cameras().unwrap_or_default();
    if !cameras.iter().any(|(known, _)| *known == index) {
        let names: Vec<_> = cameras.iter().map(|(i, name)| format!("{i}: {name}")).collect();
        let found = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(CameraError::CameraMissing { index, found });
    }
    let any = RequestedFormat::with_formats(RequestedFormatType::None, &DECODABLE);
    Camera::new(CameraIndex::Index(index), any)
        .map_err(|e| CameraError::CameraOpen { index, problem: format!("{e}; close other programs that use it") })
}

/// What it can be set to.
pub(super) fn modes(camera: &mut Camera) -> Result<Vec<Mode>, CameraError> {
    let index = camera.index().as_index().unwrap_or_default();
    let failed = |e: nokhwa::NokhwaError| CameraError::CameraOpen { index, problem: e.to_string() };
    Ok(camera.compatible_camera_formats().map_err(failed)?.iter().map(mode_of).collect())
}

/// A control's value.
pub(super) fn value(camera: &Camera, id: u32) -> Option<i64> {
    knob(&camera.camera_control(known(id)).ok()?).map(|knob| knob.value)
}

/// macOS asks its user first.
fn ask_permission(index: u32) -> Result<(), CameraError> {
    if !cfg!(target_os = "macos") {
        return Ok(());
    }
    let (send, answer) = crossbeam_channel::bounded(1);
    // A second answer has no room, and is the same.
    nokhwa::nokhwa_initialize(move |is_granted| {
        let _ = send.try_send(is_granted);
    });
    match answer.recv_timeout(PERMISSION_PATIENCE) {
        Ok(true) => Ok(()),
        _ => {
            let remedy = "allow it in System Settings, Privacy & Security, Camera".into();
            Err(CameraError::CameraForbidden { index, remedy })
        }
    }
}

fn layout(format: FrameFormat) -> Layout {
    match format {
        FrameFormat::MJPEG => Layout::Mjpeg,
        FrameFormat::YUYV => Layout::Yuyv,
        FrameFormat::NV12 => Layout::Nv12,
        FrameFormat::GRAY => Layout::Gray,
        FrameFormat::RAWRGB => Layout::Rgb,
        FrameFormat::RAWBGR => Layout::Bgr,
    }
}

fn mode_of(format: &CameraFormat) -> Mode {
    let rate = PictureRate::new(format.frame_rate(), 1);
    Mode { layout: layout(format.format()), width: format.width(), height: format.height(), rate }
}

fn format(mode: Mode) -> CameraFormat {
    let kind = DECODABLE.into_iter().find(|kind| layout(*kind) == mode.layout).unwrap_or(FrameFormat::YUYV);
    let rate = mode.rate.map_or(30, |rate| rate.per_s().round() as u32);
    CameraFormat::new(Resolution::new(mode.width, mode.height), kind, rate)
}

fn knob(control: &CameraControl) -> Option<Knob> {
    let (kind, value, [min, max, step, default]) = match *control.description() {
        ControlValueDescription::IntegerRange { min, max, value, step, default } => {
            (KnobKind::Range, value, [min, max, step, default])
        }
        ControlValueDescription::Integer { value, default, step } => {
            (KnobKind::Choice, value, [value.min(default), value.max(default), step, default])
        }
        ControlValueDescription::Boolean { value, default } => {
            (KnobKind::Switch, i64::from(value), [0, 1, 1, i64::from(default)])
        }
        _ => return None,
    };
    Some(Knob { id: number(control.control()), name: control.name().to_string(), kind, value, min, max, step, default })
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
    fn controls_with_and_without_a_name_have_their_numbers() {
        assert_eq!((known(0x98_0913), number(KnownCameraControl::Gain)), (KnownCameraControl::Gain, 0x98_0913));
        assert_eq!(number(known(0x9a_0902)), 0x9a_0902);
    }

    #[test]
    fn a_mode_is_asked_for_as_what_it_is() {
        let mode = Mode { layout: Layout::Mjpeg, width: 640, height: 480, rate: PictureRate::new(30, 1) };
        assert_eq!(mode_of(&format(mode)), mode);
    }
}
