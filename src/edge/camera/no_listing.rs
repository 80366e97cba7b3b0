//! Which cameras there are, in a program that was built without any.

use crate::edge::CameraError;

/// A camera that the system lists; here there is none.
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
    /// Sizes with their formats and rates.
    pub formats: Vec<String>,
    /// For exposure, white balance and focus: whether it can be fixed.
    pub locks: Vec<(&'static str, Option<bool>)>,
}

/// Cameras are not listed.
///
/// # Errors
/// Always.
pub fn list_webcams() -> Result<Vec<WebcamInfo>, CameraError> {
    Err(CameraError::NotBuilt)
}

/// None.
pub fn webcam_names() -> Vec<(u32, String)> {
    Vec::new()
}
