//! A source whose pictures show the screen as a mirror does: in a mirror between camera and screen, or by a camera that turns
//! its pictures over as if they were for the one who sits before it.

use super::super::losses::Losses;
use crate::edge::source::{CameraControl, CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use image::imageops;
use std::sync::Arc;

/// What stands before the name of such a source.
const PREFIX: &str = "mirrored:";

/// The source behind the mirror, if one is named, and whether its pictures are to be turned over: in a second mirror they are
/// as they were.
pub fn behind(source: &str) -> (&str, bool) {
    let (mut behind, mut is_turned) = (source, false);
    while let Some(rest) = behind.strip_prefix(PREFIX) {
        (behind, is_turned) = (rest, !is_turned);
    }
    (behind, is_turned)
}

/// Turns each picture's left and right over.
pub struct Mirrored(pub Box<dyn FrameSource>);

impl FrameSource for Mirrored {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        // What the camera itself sent is not turned, so it must not be recorded in the picture's place.
        let turned =
            |frame: Frame| Frame { image: Arc::new(imageops::flip_horizontal(&*frame.image)), file: None, ..frame };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{CameraFrame, HostTime};
    use image::{Rgb, RgbImage};

    /// Gives one picture, left dark and right bright, with what a camera sent.
    struct One(bool);

    impl FrameSource for One {
        fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
            let image = RgbImage::from_fn(2, 1, |x, _| Rgb([100 * x as u8; 3]));
            let file = Some(Arc::from(vec![0xff, 0xd8].as_slice()));
            let (index, time) = (CameraFrame(1), HostTime::from_ms(1.0));
            let frame = Frame { index, time, name: None, file, image: Arc::new(image) };
            Ok(std::mem::take(&mut self.0).then_some(frame))
        }

        fn is_live(&self) -> bool {
            true
        }
    }

    #[test]
    fn pictures_are_turned_over_and_what_the_camera_sent_does_not_stand_for_them() {
        let mut source = Mirrored(Box::new(One(true)));
        let frame = source.next_frame().unwrap().unwrap();
        assert_eq!((frame.image.get_pixel(0, 0)[0], frame.image.get_pixel(1, 0)[0]), (100, 0));
        assert!(frame.file.is_none() && source.is_live() && source.next_frame().unwrap().is_none());
    }

    #[test]
    fn the_source_is_known_behind_any_number_of_mirrors() {
        assert_eq!(behind("camera:0"), ("camera:0", false));
        assert_eq!(behind("mirrored:camera:0"), ("camera:0", true));
        let many = "mirrored:".repeat(200_000) + "a.mkv";
        assert_eq!(behind(&many), ("a.mkv", false));
    }
}
