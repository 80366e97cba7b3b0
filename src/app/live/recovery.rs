//! When the camera or the board goes away while playing: relays open, told once, looked for, and played on.

use crate::app::live::taped::Taped;
use crate::app::live::{RunError, Stage};
use crate::app::report::Report;
use crate::app::report::hand::Loss;
use crate::edge::relay::{Missing, StopFlag};
use crate::edge::{Away, CameraError, IsEnded};
use crate::robot::Input;
use std::sync::Arc;

/// A camera is looked for this often, ms.
const EVERY_MS: f64 = 250.0;
/// The stop flag is looked at this often meanwhile, ms.
const SLICE_MS: f64 = 50.0;

/// The camera failed: opens the relays and looks for it. `Ok` when there is another one, or the run shall end.
pub(in crate::app) fn wait_for_camera(
    stage: &mut Stage,
    report: &Report,
    stop: &StopFlag,
    error: CameraError,
) -> Result<(), RunError> {
    stage.rig.executor.open_all();
    let now = stage.clock.now();
    let Some((open, patience)) = &mut stage.care.camera else { return Err(error.into()) };
    let since = stage.care.eye.away_since.unwrap_or(now);
    if stage.care.eye.away_since.replace(since).is_none() {
        tracing::error!("{error}; the relays are open, and the camera is looked for during {patience:?}");
        report.loss(Loss::CameraLost, now)?;
    }
    stage.care.eye.dropped += stage.source.dropped();
    // Closed first: most cameras open once only.
    stage.source = Box::new(Away);
    while !stop.is_set() {
        let now = stage.clock.now();
        if now > since + *patience {
            return Err(error.into());
        }
        match open(is_ended(stop)) {
            Ok(mut source) => {
                source.end_when(is_ended(stop));
                stage.source = source;
                stage.care.eye.offset = stage.care.eye.next_index;
                return Ok(());
            }
            Err(e) => tracing::debug!("the camera is not back: {e}"),
        }
        let next = now.plus_ms(EVERY_MS);
        while !stop.is_set() && stage.clock.now() < next {
            stage.clock.sleep_until(next.min(stage.clock.now().plus_ms(SLICE_MS)));
        }
    }
    Ok(())
}

/// Whether the run shall end, for a source that waits for pictures.
pub(in crate::app) fn is_ended(stop: &StopFlag) -> IsEnded {
    let stop = stop.clone();
    Arc::new(move || stop.is_set())
}

/// Whether the board can be played on. After it or its watchdog was lost, the falling piece is planned again from where it is
/// seen.
pub(in crate::app) fn has_board(stage: &mut Stage, robot: &mut Taped, report: &Report) -> Result<bool, RunError> {
    let missing = stage.rig.executor.handle().missing();
    let now = stage.clock.now();
    if let Some(page) = &mut stage.page {
        let past = stage.rig.caretaker.take_past().into_iter();
        past.chain(stage.rig.executor.handle().take_news()).for_each(|words| page.say(now, words));
    }
    let before = std::mem::replace(&mut stage.care.missing, missing);
    if missing != before {
        match before {
            Some(Missing::Board) => report.loss(Loss::BoardBack, now)?,
            Some(Missing::Watchdog) => report.loss(Loss::WatchdogBack, now)?,
            None => {}
        }
        match missing {
            Some(Missing::Board) => report.loss(Loss::BoardLost, now)?,
            Some(Missing::Watchdog) => report.loss(Loss::WatchdogLost, now)?,
            None => {}
        }
        robot.handle(Input::CalledOff(now));
    }
    Ok(missing.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::live::care::{Care, OpenCamera};
    use crate::app::live::caretaker::Caretaker;
    use crate::app::live::pause::Pauser;
    use crate::app::live::rig::Rig;
    use crate::app::live::screen::Screen;
    use crate::app::live::{Stage, Until, perform};
    use crate::app::report::Voice;
    use crate::edge::FrameSource;
    use crate::edge::relay::{Executor, Limits, RecordingBoard, RelayBoard, SafetyNet};
    use crate::message::Frame;
    use crate::planner::Filters;
    use crate::profile::calibration::Calibration;
    use crate::profile::layout::Layout;
    use crate::robot::{OnBlame, Robot, Settings};
    use crate::schedule::Finger;
    use crate::time::{CameraFrame, Clock, HostTime, SystemClock};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    /// Some black pictures, then a stall, or the end.
    struct Script {
        clock: Arc<dyn Clock>,
        left: u64,
        stalls: bool,
    }

    impl FrameSource for Script {
        fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
            if self.left == 0 {
                let stalled = CameraError::Stalled { source_name: "script".into(), seconds: 5 };
                return if self.stalls { Err(stalled) } else { Ok(None) };
            }
            self.left -= 1;
            let image = Arc::new(image::RgbImage::new(640, 480));
            Ok(Some(Frame { index: CameraFrame(3 - self.left), time: self.clock.now(), name: None, file: None, image }))
        }

        fn is_live(&self) -> bool {
            true
        }
    }

    fn run(patience: Duration, comes_back: bool) -> (Result<u64, RunError>, u32, RecordingBoard) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let layout = Layout::load("nes").unwrap();
        let calibration =
            Calibration::new("nes", [640, 480], [[245., 85.], [437., 85.], [437., 420.], [245., 420.]], 0.5);
        let board = RecordingBoard::new(clock.clone());
        let executor = Executor::start(Box::new(board.clone()), clock.clone(), Limits::of(&calibration)).unwrap();
        let settings = Settings {
            finger: Finger::RELAY,
            start_level: 0,
            wire: board.capabilities().wire,
            lead_ms: 8.0,
            restart: false,
            drops_unseen: false,
            filters: Filters::default(),
            blame: OnBlame::Ignore,
        };
        let robot = Robot::new(&layout, &calibration, settings).unwrap();
        let tried = Arc::new(AtomicU32::new(0));
        let (tries, script_clock) = (tried.clone(), clock.clone());
        let open: OpenCamera = Box::new(move |_| {
            // Away at first.
            if tries.fetch_add(1, Ordering::Relaxed) == 0 || !comes_back {
                return Err(CameraError::CameraMissing { index: 0, found: "none".into() });
            }
            Ok(Box::new(Script { clock: script_clock.clone(), left: 3, stalls: false }))
        });
        let pauser = Pauser::new(&calibration);
        let stage = Stage {
            source: Box::new(Script { clock: clock.clone(), left: 3, stalls: true }),
            rig: Rig { net: SafetyNet::install().unwrap(), executor, caretaker: Caretaker::default() },
            clock,
            calibration,
            until: Until::default(),
            page: None,
            pauser,
            care: Care::new(Some((open, patience))),
        };
        let outcome = perform(stage, Taped::new(robot, None), Report::new(Voice::Words), Screen::new(true));
        (outcome.map(|o| o.summary.frames), tried.load(Ordering::Relaxed), board)
    }

    #[test]
    fn a_lost_camera_is_looked_for_and_played_on() {
        let (frames, tried, board) = run(Duration::from_secs(20), true);
        assert_eq!((frames.unwrap(), tried), (6, 2));
        // At the start, at the loss, and at the end.
        assert!(board.written().len() >= 3 && board.written().iter().all(|w| w.mask.0 == 0));
    }

    #[test]
    fn a_camera_that_stays_away_ends_the_run_with_its_first_error() {
        let (frames, tried, _) = run(Duration::from_millis(300), false);
        assert!(matches!(frames, Err(RunError::Camera(CameraError::Stalled { .. }))), "{frames:?}");
        assert!(tried >= 2);
    }

    #[test]
    fn a_slow_camera_may_take_its_time() {
        let mut care = Care::default();
        let image = Arc::new(image::RgbImage::new(16, 16));
        let mut until = HostTime::default();
        for n in 0..200 {
            let time = HostTime::from_ms(f64::from(n) * 200.0);
            let mut frame = Frame { index: CameraFrame(n as u64), time, name: None, file: None, image: image.clone() };
            until = care.see(&mut frame);
        }
        assert!((until.ms() - 199.0 * 200.0 - 1600.0).abs() < 1.0, "{until}");
    }
}
