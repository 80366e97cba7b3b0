//! Where the program touches the world: cameras, relay boards, recordings, and the simulated table behind the same edges.

pub mod camera;
pub mod desktop;
#[cfg_attr(not(feature = "webcam"), allow(dead_code))]
mod losses;
mod open;
pub mod relay;
pub mod session;
pub mod simulated;
mod source;
pub(crate) mod words;

pub use losses::Losses;
pub use open::{open, open_until};
pub use source::{Away, CameraControl, CameraError, FrameSource, IsEnded};
