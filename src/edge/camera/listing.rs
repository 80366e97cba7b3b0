//! Which cameras there are and what they offer, for `doctor` and the page.

#[cfg(feature = "webcam")]
use super::controls::locks;
#[cfg(feature = "webcam")]
use super::mode::{self, Mode};
use crate::edge::CameraError;

/// A camera that the system lists.
#[derive(Debug)]
pub struct WebcamInfo {
    /// For `camera:N`.
    pub index: u32,
    /// What it calls itself.
    pub name: String,
    /// What it offers, or why it does not say.
    pub offer: Result<Offer, CameraError>,
}

/// What a camera offers.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Sizes with their formats and rates, such as `640x480 MJPEG 15/29.97/60`.
    pub formats: Vec<String>,
    /// For exposure, white balance and focus: `Some(false)` if it is fixed, `Some(true)` if it is automatic and can be
    /// fixed, `None` if the camera does not say.
    pub locks: Vec<(&'static str, Option<bool>)>,
}

/// The cameras there are, in the order of their numbers, and what they offer.
///
/// # Errors
/// When the system cannot list them, or the program was built without cameras.
pub fn list_webcams() -> Result<Vec<WebcamInfo>, CameraError> {
    let cameras = cameras()?.into_iter();
    Ok(cameras.map(|(index, name)| WebcamInfo { index, name, offer: offer(index) }).collect())
}

/// The cameras there are: number and name, in the order of their numbers. Empty where the system cannot say.
pub fn webcam_names() -> Vec<(u32, String)> {
    cameras().unwrap_or_default()
}

#[cfg(feature = "webcam")]
fn shown(index: u32, modes: &[Mode], offered: impl FnOnce() -> String) -> Result<Vec<String>, CameraError> {
    match modes.is_empty() {
        true => Err(CameraError::CameraFormats { index, offered: offered() }),
        false => Ok(mode::in_words(modes)),
    }
}

#[cfg(all(feature = "webcam", target_os = "linux"))]
fn cameras() -> Result<Vec<(u32, String)>, CameraError> {
    super::linux::cameras().map_err(|e| CameraError::Listing { problem: e.to_string() })
}

#[cfg(all(feature = "webcam", target_os = "linux"))]
fn offer(index: u32) -> Result<Offer, CameraError> {
    use super::linux::{all_modes, formats_in_words, open, value};
    let device = open(index)?;
    let modes = all_modes(&device, &super::WebcamSpec::new(index));
    let formats = shown(index, &modes, || formats_in_words(&device))?;
    Ok(Offer { formats, locks: locks(|id| value(&device, id)) })
}

#[cfg(all(feature = "webcam", not(target_os = "linux")))]
fn cameras() -> Result<Vec<(u32, String)>, CameraError> {
    super::portable::cameras().map_err(|problem| CameraError::Listing { problem })
}

#[cfg(all(feature = "webcam", not(target_os = "linux")))]
fn offer(index: u32) -> Result<Offer, CameraError> {
    use super::portable::{modes, open, value};
    let mut camera = open(index)?;
    let modes = modes(&mut camera)?;
    let formats = shown(index, &modes, || "nothing known".into())?;
    Ok(Offer { formats, locks: locks(|id| value(&camera, id)) })
}

#[cfg(not(feature = "webcam"))]
fn cameras() -> Result<Vec<(u32, String)>, CameraError> {
    Err(CameraError::NotBuilt)
}

#[cfg(not(feature = "webcam"))]
fn offer(_: u32) -> Result<Offer, CameraError> {
    Err(CameraError::NotBuilt)
}
