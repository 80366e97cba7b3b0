//! What a run takes care of besides playing.

use crate::app::live::stalls::Stalls;
use crate::edge::relay::Missing;
use crate::edge::{CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use crate::time::{CameraFrame, HostTime};
use std::time::Duration;

/// Without a picture for this long the relays open, ms: 15 pictures of a usual camera, and less than two rows at level 0.
pub(in crate::app) const BLIND_MS_MIN: f64 = 500.0;

/// The same for slow cameras, in pictures.
const BLIND_PICTURES: f64 = 8.0;

/// That presses were not made is said at most this often, ms.
const MISSED_TOLD_MS: f64 = 30_000.0;

/// Opens the camera again; gives up when the run ends.
pub type OpenCamera = Box<dyn FnMut(IsEnded) -> Result<Box<dyn FrameSource>, CameraError>>;

/// What a run takes care of besides playing.
#[derive(Default)]
pub struct Care {
    /// How a lost camera is opened again, and for how long that is tried; without, its loss ends the run.
    pub camera: Option<(OpenCamera, Duration)>,
    /// Tells when no pictures come; from the first on.
    pub stalls: Option<Stalls>,
    pub(super) eye: Eye,
    pub(super) missing: Option<Missing>,
    /// When it was last said that presses were not made.
    pub(super) missed_told: Option<HostTime>,
}

/// How often pictures come.
#[derive(Default)]
pub(in crate::app) struct Pace {
    last: Option<HostTime>,
    /// Their period, ms; smoothed.
    period_ms: f64,
}

impl Pace {
    /// A picture came; when the next is due at the latest.
    pub(in crate::app) fn see(&mut self, time: HostTime) -> HostTime {
        if let Some(last) = self.last.replace(time) {
            self.period_ms += (time.ms_since(last) - self.period_ms) / BLIND_PICTURES;
        }
        time.plus_ms(BLIND_MS_MIN.max(BLIND_PICTURES * self.period_ms))
    }
}

/// What is known of the pictures so far.
#[derive(Default)]
pub(super) struct Eye {
    pub(super) pace: Pace,
    /// A camera that was opened again counts from 0.
    pub(super) next_index: u64,
    pub(super) offset: u64,
    /// Those that cameras dropped which were lost since.
    pub(super) dropped: u64,
    /// Those for which newer ones came while the field was looked for: nothing was played then.
    passed_over: u64,
    pub(super) away_since: Option<HostTime>,
}

impl Care {
    /// A run with these.
    pub fn new(camera: Option<(OpenCamera, Duration)>) -> Self {
        Self { camera, ..Self::default() }
    }

    /// From now on the robot looks at every picture.
    pub(super) fn begin(&mut self, source: &dyn FrameSource) {
        self.eye.passed_over = source.losses().replaced;
    }

    /// Numbers a picture that came; until when presses may go on after it.
    pub(in crate::app) fn see(&mut self, frame: &mut Frame) -> HostTime {
        let eye = &mut self.eye;
        frame.index = CameraFrame(frame.index.0 + eye.offset);
        eye.next_index = frame.index.0 + 1;
        eye.pace.see(frame.time)
    }

    /// Says that presses were not made, now and then.
    pub(in crate::app) fn tell_missed(&mut self, now: HostTime) {
        if self.missed_told.is_some_and(|told| now.ms_since(told) < MISSED_TOLD_MS) {
            return;
        }
        self.missed_told = Some(now);
        tracing::warn!(
            "planned presses were left out, because they would have come too late or nothing was to be seen; the piece is \
             planned again. If this comes often, give this computer less to do and see `stackhand doctor`"
        );
    }

    /// Pictures that nobody saw; `source` is the camera now.
    pub(in crate::app) fn dropped(&self, source: &dyn FrameSource) -> u64 {
        (self.eye.dropped + source.dropped()).saturating_sub(self.eye.passed_over)
    }

    /// Whether this picture is the first after the camera was lost.
    pub(in crate::app) fn is_back(&mut self) -> bool {
        self.eye.away_since.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::Losses;

    /// A camera that has lost so many pictures.
    struct Lossy(Losses);

    impl FrameSource for Lossy {
        fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
            Ok(None)
        }

        fn is_live(&self) -> bool {
            true
        }

        fn dropped(&self) -> u64 {
            self.0.total()
        }

        fn losses(&self) -> Losses {
            self.0
        }
    }

    #[test]
    fn pictures_passed_over_while_the_field_was_looked_for_are_not_dropped_but_spoiled_ones_are() {
        let mut care = Care::new(None);
        let mut camera = Lossy(Losses { replaced: 9, broken_off: 2, ..Losses::default() });
        care.begin(&camera);
        assert_eq!(care.dropped(&camera), 2);
        camera.0.replaced += 3;
        assert_eq!(care.dropped(&camera), 5);
        // Another one counts from 0.
        care.eye.dropped += camera.dropped();
        assert_eq!(care.dropped(&Lossy(Losses::default())), 5);
        assert_eq!(care.dropped(&Lossy(Losses { replaced: 1, ..Losses::default() })), 6);
    }
}
