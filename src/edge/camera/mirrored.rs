//! A source whose pictures show the screen as a mirror does: in a mirror between camera and screen, or by a camera that turns
//! its pictures over as if they were for the one who sits before it.

use super::super::losses::Losses;
use crate::edge::source::{CameraControl, CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use image::imageops;
use std::sync::Arc;

/// What stands before the name of such a source.
pub const PREFIX: &str = "mirrored:";

/// Turns each picture's left and right over.
pub struct Mirrored(pub Box<dyn FrameSource>);

impl FrameSource for Mirrored {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let turned = |frame: Frame| Frame { image: Arc::new(imageops::flip_horizontal(&*frame.image)), ..frame };
        Ok(self.0.next_frame()?.map(turned))
    }

    fn is_live(&self) -> bool {
        self.0.is_live()
    }

    fn dropped(&self) -> u64 {
        self.0.dropped()
    }

    fn losses(&self) -> Losses {
        self.0.losses()
    }

    fn nominal_fps(&self) -> Option<f64> {
        self.0.nominal_fps()
    }

    fn read_share(&self) -> Option<f64> {
        self.0.read_share()
    }

    fn end_when(&mut self, is_ended: IsEnded) {
        self.0.end_when(is_ended);
    }

    fn controls(&self) -> Vec<CameraControl> {
        self.0.controls()
    }

    fn set_control(&mut self, id: u32, value: Option<i64>) {
        self.0.set_control(id, value);
    }
}
