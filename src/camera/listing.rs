//! Which cameras there are and what they offer, for `doctor`.

use super::CameraError;
use nokhwa::Camera;
use nokhwa::utils::{
    ApiBackend, CameraControl, CameraIndex, ControlValueSetter, KnownCameraControl, RequestedFormat,
    RequestedFormatType,
};
use std::collections::BTreeMap;

/// Linux's numbers of the switches for automatic exposure, white balance and focus; what V4L2 calls "manual".
const SWITCHES: [(&str, u128, i64); 3] =
    [("exposure", 0x9a_0901, 1), ("white balance", 0x98_090c, 0), ("focus", 0x9a_090c, 0)];

/// A camera that the system lists.
#[derive(Debug, Clone)]
pub struct WebcamInfo {
    /// For `camera:N`.
    pub index: u32,
    /// What it calls itself.
    pub name: String,
    /// What it offers, or why it does not say.
    pub offer: Result<Offer, String>,
}

/// What a camera offers.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Sizes with their rates and formats, such as `640x480 MJPEG 30/60`.
    pub formats: Vec<String>,
    /// For exposure, white balance and focus: `Some(false)` if it is fixed, `Some(true)` if it is automatic and can be
    /// fixed, `None` if the camera does not say.
    pub locks: Vec<(&'static str, Option<bool>)>,
}

/// The cameras that the system lists.
///
/// # Errors
/// When the system cannot list them.
pub fn list_webcams() -> Result<Vec<WebcamInfo>, CameraError> {
    let listed = nokhwa::query(ApiBackend::Auto).map_err(|e| CameraError::Listing { problem: e.to_string() })?;
    let with_index = listed.into_iter().filter_map(|info| Some((info.index().as_index().ok()?, info.human_name())));
    Ok(with_index.map(|(index, name)| WebcamInfo { index, name, offer: offer(index) }).collect())
}

fn offer(index: u32) -> Result<Offer, String> {
    let any = RequestedFormat::with_formats(RequestedFormatType::None, &super::webcam::DECODABLE);
    let mut camera = Camera::new(CameraIndex::Index(index), any).map_err(|e| e.to_string())?;
    let mut by_size: BTreeMap<(u32, u32, String), Vec<u32>> = BTreeMap::new();
    for format in camera.compatible_camera_formats().map_err(|e| e.to_string())? {
        let key = (format.width(), format.height(), format.format().to_string());
        by_size.entry(key).or_default().push(format.frame_rate());
    }
    let formats = by_size.into_iter().map(|((width, height, format), mut rates)| {
        rates.sort_unstable();
        rates.dedup();
        let rates: Vec<_> = rates.iter().map(u32::to_string).collect();
        format!("{width}x{height} {format} {}", rates.join("/"))
    });
    // Some drivers fail here; that is no reason to say nothing.
    let controls = camera.camera_controls().unwrap_or_default();
    let locks = SWITCHES.iter().map(|&(what, id, fixed)| (what, lock(&controls, id, fixed)));
    Ok(Offer { formats: formats.collect(), locks: locks.collect() })
}

fn lock(controls: &[CameraControl], id: u128, fixed: i64) -> Option<bool> {
    let control = controls.iter().find(|c| c.control() == KnownCameraControl::Other(id))?;
    match control.value() {
        ControlValueSetter::Integer(value) | ControlValueSetter::EnumValue(value) => Some(value != fixed),
        ControlValueSetter::Boolean(is_automatic) => Some(is_automatic),
        _ => None,
    }
}
