//! The stream against a scripted driver, on a clock that only the script moves.

use super::super::device::{Device, Knob, Raw, Trouble};
use super::super::pixels::Layout;
use super::*;
use crate::edge::camera::PictureRate;
use crate::time::ManualClock;
use std::collections::VecDeque;

/// What the driver does next.
enum Step {
    /// A picture is there so long after what was before, ms.
    Picture(f64, Raw),
    /// Nothing for this long, ms, unless the stream is started again.
    Silence(f64),
    /// Waiting or fetching fails.
    Fail(Trouble),
}

struct Script {
    clock: ManualClock,
    steps: VecDeque<Step>,
    /// Pictures that wait in the driver's queue.
    ready: VecDeque<Raw>,
    restarts: Vec<Result<(), Trouble>>,
    restarted: usize,
}

impl Script {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let steps = steps.into_iter().collect();
        Self { clock: ManualClock::default(), steps, ready: VecDeque::new(), restarts: Vec::new(), restarted: 0 }
    }

    fn pass(&self, ms: f64) {
        self.clock.advance_to(self.clock.now().plus_ms(ms));
    }
}

impl Device for Script {
    fn wait(&mut self, patience: Duration) -> Result<bool, Trouble> {
        let patience_ms = patience.as_secs_f64() * 1000.0;
        if !self.ready.is_empty() {
            return Ok(true);
        }
        match self.steps.front_mut() {
            Some(Step::Picture(after, _)) if *after <= patience_ms => {
                let Some(Step::Picture(after, raw)) = self.steps.pop_front() else { return Ok(false) };
                self.pass(after);
                self.ready.push_back(raw);
                Ok(true)
            }
            Some(Step::Picture(after, _) | Step::Silence(after)) if *after > patience_ms => {
                *after -= patience_ms;
                self.pass(patience_ms);
                Ok(false)
            }
            Some(Step::Fail(trouble)) => {
                let trouble = trouble.clone();
                // Whoever only looks leaves it where it is.
                if patience_ms > 0.0 {
                    self.steps.pop_front();
                }
                Err(trouble)
            }
            Some(_) => {
                self.steps.pop_front();
                Ok(false)
            }
            None => {
                self.pass(patience_ms);
                Ok(false)
            }
        }
    }

    fn fetch(&mut self) -> Result<Option<Raw>, Trouble> {
        Ok(self.ready.pop_front())
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        self.restarted += 1;
        if let Some(Step::Silence(_)) = self.steps.front() {
            self.steps.pop_front();
        }
        self.ready.clear();
        if self.restarts.is_empty() { Ok(()) } else { self.restarts.remove(0) }
    }

    fn mode(&self) -> Mode {
        mode(Layout::Gray)
    }

    fn controls(&self) -> Result<Vec<Knob>, String> {
        Ok(Vec::new())
    }

    fn value(&self, _: u32) -> Option<i64> {
        None
    }

    fn set(&mut self, _: u32, _: i64) -> Result<(), String> {
        Ok(())
    }
}

fn mode(layout: Layout) -> Mode {
    Mode { layout, width: 4, height: 2, rate: PictureRate::new(25, 1) }
}

/// A grey picture of the right size.
fn grey(sequence: u32) -> Raw {
    Raw { bytes: vec![7; 8], sequence: Some(sequence), ..Raw::default() }
}

fn spoiled(sequence: u32, bytes: &[u8]) -> Raw {
    Raw { bytes: bytes.to_vec(), sequence: Some(sequence), ..Raw::default() }
}

struct Run {
    seen: Vec<(u64, f64)>,
    end: Result<(), CameraError>,
    losses: Losses,
    restarted: usize,
    ended_ms: f64,
}

/// Runs until the script is at its end and 300 ms more, or the stream ends.
fn run_as(camera: u32, layout: Layout, mut script: Script) -> Run {
    let clock = script.clock.clone();
    let losses = Counted::default();
    let mut feed = Feed::new(camera, mode(layout), 0, &clock, losses.clone());
    let (mut seen, mut end, mut idle) = (Vec::new(), Ok(()), 0);
    while end.is_ok() && idle < 4 {
        idle += usize::from(script.steps.is_empty() && script.ready.is_empty());
        match feed.turn(&mut script) {
            Ok(Some(arrived)) => seen.push((arrived.index.0, arrived.time.ms())),
            Ok(None) => {}
            Err(error) => end = Err(error),
        }
    }
    let losses = *losses.lock().unwrap();
    Run { seen, end, losses, restarted: script.restarted, ended_ms: clock.now().ms() }
}

fn run(camera: u32, steps: impl IntoIterator<Item = Step>) -> Run {
    run_as(camera, Layout::Gray, Script::new(steps))
}

#[test]
fn pictures_are_numbered_as_the_driver_counts_them() {
    // It begins anywhere, loses some, and runs over.
    let numbers = [u32::MAX - 2, u32::MAX - 1, 2, 3, 6, 6, 7];
    let run = run(9101, numbers.map(|n| Step::Picture(40.0, grey(n))));
    let seen: Vec<_> = run.seen.iter().map(|s| s.0).collect();
    assert_eq!(seen, [0, 1, 5, 6, 9, 10, 11]);
    assert_eq!((run.losses, run.losses.total()), (Losses { never_came: 3 + 2, ..Losses::default() }, 5));
    assert_eq!(run.seen[6].1, 280.0, "a picture without a stamp has the time of its arrival");
}

#[test]
fn a_driver_that_does_not_count_loses_nothing_that_is_known() {
    let run = run(9102, (0..5).map(|_| Step::Picture(40.0, Raw { sequence: None, ..grey(0) })));
    assert_eq!(run.seen.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(run.losses, Losses::default());
}

#[test]
fn the_queue_is_emptied_and_only_the_newest_good_picture_handed_out() {
    let mut steps: Vec<_> = (0..3).map(|n| Step::Picture(if n == 0 { 40.0 } else { 0.0 }, grey(n))).collect();
    steps.push(Step::Picture(0.0, spoiled(3, &[1, 2])));
    steps.push(Step::Picture(40.0, grey(4)));
    let run = run(9103, steps);
    assert_eq!(run.seen, [(2, 40.0), (4, 80.0)]);
    assert_eq!(run.losses, Losses { replaced: 2, broken_off: 1, ..Losses::default() });
}

#[test]
fn the_drivers_times_are_used_until_one_cannot_be_true() {
    let stamped = |n: u32, stamp_ms: f64| Raw { stamp: Some(HostTime::from_ms(stamp_ms)), ..grey(n) };
    let pictures = [(40.0, 15.0), (40.0, 55.0), (40.0, 95.5), (40.0, 95.5), (40.0, 175.0)];
    let run =
        run(9104, pictures.into_iter().zip(0..).map(|((after, stamp), n)| Step::Picture(after, stamped(n, stamp))));
    let times: Vec<_> = run.seen.iter().map(|s| s.1).collect();
    assert_eq!(times, [15.0, 55.0, 95.5, 160.0, 200.0], "a stamp that stands still ends the trust");
    for wrong in [900.0, -3000.0] {
        let run = self::run(9105, [Step::Picture(40.0, stamped(0, wrong))]);
        assert_eq!(run.seen, [(0, 40.0)]);
    }
}

#[test]
fn a_stalled_stream_is_started_again_in_place_and_the_number_jumps_with_time() {
    let mut steps: Vec<_> = (0..3).map(|n| Step::Picture(40.0, grey(100 + n))).collect();
    steps.push(Step::Silence(1e9));
    // It counts from 0 again.
    steps.extend((0..2).map(|n| Step::Picture(40.0, grey(n))));
    let run = run(9106, steps);
    assert!(run.end.is_ok());
    assert_eq!((run.restarted, run.losses), (1, Losses::default()));
    // 120 ms, at least 1000 ms of silence in turns of 100, 40 ms.
    assert_eq!(run.seen[3..], [(2 + 26, 1160.0), (29, 1200.0)]);
}

#[test]
fn a_slow_start_is_waited_for_and_a_dead_stream_is_started_again_and_again() {
    let slow = run(9107, [Step::Picture(3500.0, grey(0))]);
    assert_eq!((slow.restarted, slow.seen.len()), (0, 1));
    let dead = run(9108, (0..3).map(|_| Step::Silence(1e9)));
    assert!(dead.end.is_ok());
    assert_eq!(dead.restarted, 3);
    assert!(dead.ended_ms >= 12_000.0 && dead.ended_ms < 14_000.0, "{}", dead.ended_ms);
}

#[test]
fn a_failing_driver_is_started_again_and_given_up_after_three_times() {
    let fail = || Step::Fail(Trouble::Other("EIO".into()));
    let once = run(
        9109,
        [Step::Picture(40.0, grey(0)), fail(), Step::Picture(40.0, grey(0)), fail(), Step::Picture(40.0, grey(0))],
    );
    assert_eq!((once.seen.len(), once.restarted, once.end.is_ok()), (3, 2, true));
    let ever = run(9110, (0..9).map(|_| fail()));
    let Err(CameraError::CameraLost { index: 9110, problem }) = ever.end else { panic!("not lost") };
    assert_eq!((problem.as_str(), ever.restarted), ("EIO", 3));
}

#[test]
fn a_camera_that_is_gone_ends_the_stream_at_once() {
    let gone = || Trouble::Gone("it was unplugged".into());
    let waiting = run(9111, [Step::Picture(40.0, grey(0)), Step::Fail(gone())]);
    assert!(matches!(waiting.end, Err(CameraError::CameraLost { index: 9111, .. })));
    assert_eq!((waiting.restarted, waiting.seen.len()), (0, 1));
    let mut script = Script::new([Step::Picture(40.0, grey(0)), Step::Silence(1e9)]);
    script.restarts = vec![Err(gone())];
    let restarting = run_as(9112, Layout::Gray, script);
    assert!(matches!(restarting.end, Err(CameraError::CameraLost { .. })));
}

#[test]
fn each_flaw_is_counted_under_its_name() {
    let mut whole = Vec::new();
    jpeg_encoder::Encoder::new(&mut whole, 90).encode(&[90; 4 * 2 * 3], 4, 2, jpeg_encoder::ColorType::Rgb).unwrap();
    let bad = Raw { is_marked_bad: true, ..spoiled(7, &whole) };
    let padded = [whole.as_slice(), &[9; 40]].concat();
    let pictures = [
        spoiled(0, &whole),
        spoiled(1, &[]),
        spoiled(2, &[0; 64]),
        spoiled(3, b"no JPEG at all"),
        spoiled(4, &whole[..whole.len() / 2]),
        spoiled(5, &padded),
        spoiled(6, &whole[..whole.len() - 2]),
        bad,
    ];
    let run = run_as(9113, Layout::Mjpeg, Script::new(pictures.map(|raw| Step::Picture(40.0, raw))));
    assert!(run.end.is_ok());
    assert_eq!(run.seen.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 5, 6], "padded and endless ones are used");
    assert_eq!(run.losses, Losses { empty: 2, junk: 1, broken_off: 1, marked_bad: 1, ..Losses::default() });
    assert_eq!(run.losses.in_words(), "1 broken off, 2 empty, 1 no pictures at all, 1 damaged, as their driver says");
}

#[test]
fn nothing_but_broken_pictures_ends_the_stream_by_name_and_after_two_seconds() {
    let run = run(9114, (0..200).map(|n| Step::Picture(40.0, spoiled(n, &[1]))));
    let Err(CameraError::Garbled { problem, .. }) = run.end else { panic!("goes on") };
    assert_eq!((problem.as_str(), run.seen.len()), ("broken off", 0));
    assert!((2000.0..2200.0).contains(&run.ended_ms), "{}", run.ended_ms);
    // One good picture in ten is enough to go on.
    let some =
        self::run(9115, (0..200).map(|n| Step::Picture(40.0, if n % 10 == 0 { grey(n) } else { spoiled(n, &[1]) })));
    assert_eq!((some.end.is_ok(), some.seen.len(), some.losses.broken_off), (true, 20, 180));
}
