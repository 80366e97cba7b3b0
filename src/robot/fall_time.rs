//! How fast pieces fall by themselves, measured while playing. A game file's times may be guesses, the game may count its levels
//! in another way, or it was begun at another level than was said: what is planned late or early by that is misplaced.
//!
//! A picture tells in which row a piece is, and not when it came there. If a row takes `r`, a piece that entered its first row at
//! `e`, some time between two pictures, enters the next ones at `e + r`, `e + 2r` and so on. How much of the time between those
//! pictures is left for `e`, so that all other pictures show what they show, is the likelihood of `r`.

use crate::game::orientation::Pose;
use crate::time::HostTime;
use std::collections::VecDeque;

/// The last falls are kept.
const KEPT: usize = 16;
/// Times that are tried, ms a row: from the first to the last, each longer than the one before by this factor.
const TRIED_MS: std::ops::RangeInclusive<f64> = 8.0..=2500.0;
const STEP: f64 = 1.01;
/// A fall is looked at in parts of about this length, ms: over many rows the times that are tried would lie too far apart.
const PART_MS: f64 = 500.0;
/// A picture comes so much early or late, or shows what was there before if it is the last one sent again; and a game lets a
/// piece fall in the frame after the row is due, ms.
const JITTER_MS: f64 = 12.0;
/// One fall in so many was misread, and tells nothing.
const MISREAD: f64 = 0.03;
/// Another time is measured when it is likelier by this than all that are near the believed one, nats.
const SURE_NATS: f64 = 7.0;
/// A time is near if it differs by less than this share: plans allow for that.
const NEAR_SHARE: f64 = 0.1;
/// And when no time is as likely, but for so much, that differs from it by more than this share.
const DOUBT_NATS: f64 = 3.0;
const SHARP_SHARE: f64 = 0.12;

/// A piece that fell by itself. Times are in ms since the picture that showed it first in the row in which this begins.
#[derive(Debug, Clone, PartialEq)]
struct Fall {
    /// When it was seen in the row above, the last time.
    before_ms: f64,
    /// So many rows further down it was seen at first, when it was not there in the picture before, and when it was.
    steps: Vec<Step>,
    /// It was in the last row at least until then.
    until_ms: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    /// How many rows it had fallen before, and then.
    rows: [u32; 2],
    /// The two pictures, ms.
    at_ms: [f64; 2],
}

impl Fall {
    fn rows(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.rows[1])
    }

    /// The logarithm of the likelihood of all this if a row takes so long.
    fn nats(&self, row_ms: f64) -> f64 {
        let due = |rows: u32| f64::from(rows) * row_ms;
        let mut earliest = self.before_ms.max(self.until_ms - due(self.rows() + 1));
        let mut latest: f64 = 0.0;
        for Step { rows, at_ms } in &self.steps {
            earliest = earliest.max(at_ms[0] - due(rows[0] + 1));
            latest = latest.min(at_ms[1] - due(rows[1]));
        }
        let share = (latest - earliest + JITTER_MS).max(0.0) / (JITTER_MS - self.before_ms);
        (MISREAD + (1.0 - MISREAD) * share.min(1.0)).ln()
    }
}

/// The piece that falls.
#[derive(Debug, Clone)]
struct Falling {
    piece: HostTime,
    pose: Pose,
    /// The row in which the fall began, when that was seen, and what was seen since; `None` until it has entered a row before
    /// our eyes.
    began: Option<(i8, HostTime, Fall)>,
}

/// What was measured, for one level.
#[derive(Debug, Clone, Default)]
pub(super) struct FallTime {
    level: u8,
    falling: Option<Falling>,
    /// When the last picture came.
    seen: HostTime,
    falls: VecDeque<Fall>,
    /// More was seen since it was asked.
    has_news: bool,
    /// It was said that pieces fall at another speed than the game's description has.
    pub(super) is_told: bool,
}

/// What one picture shows of a falling piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fallen {
    /// When the piece appeared: no two pieces have that in common.
    pub piece: HostTime,
    /// Where it is.
    pub pose: Pose,
    /// At this level.
    pub level: u8,
    /// A key was pressed since the last picture, or still is, that takes pieces down or makes them wait.
    pub is_pushed: bool,
    /// It lies on something and will not fall.
    pub rests: bool,
}

impl FallTime {
    /// Takes a picture in; without a look at a falling piece, nothing falls.
    pub(super) fn watch(&mut self, look: Option<Fallen>, time: HostTime) {
        let before = std::mem::replace(&mut self.seen, time);
        let Some(Fallen { piece, pose, level, is_pushed, rests }) = look else { return self.end() };
        if level != self.level {
            self.forget();
            self.level = level;
        }
        let is_same = |falling: &Falling| {
            let is_turned = falling.pose.orientation != pose.orientation;
            falling.piece == piece && !is_turned && falling.pose.y <= pose.y && !is_pushed
        };
        let Some(falling) = self.falling.as_mut().filter(|falling| is_same(falling)) else {
            self.end();
            self.falling = Some(Falling { piece, pose, began: None });
            return;
        };
        let last = std::mem::replace(&mut falling.pose, pose);
        let has_fallen = last.y < pose.y;
        match &mut falling.began {
            // One that is half above the field is known late, and so is the row that it enters next.
            None if has_fallen && last.cells().iter().all(|cell| cell.1 >= 0) => {
                let fall = Fall { before_ms: before.ms_since(time), steps: Vec::new(), until_ms: 0.0 };
                falling.began = Some((pose.y, time, fall));
            }
            None => {}
            Some((row, began, fall)) => {
                let at_ms = time.ms_since(*began);
                if has_fallen {
                    let rows = [fall.rows(), u32::try_from(pose.y - *row).unwrap_or_default()];
                    fall.steps.push(Step { rows, at_ms: [before.ms_since(*began), at_ms] });
                }
                fall.until_ms = at_ms;
                if has_fallen && at_ms > PART_MS {
                    self.end();
                    let fall = Fall { before_ms: before.ms_since(time), steps: Vec::new(), until_ms: 0.0 };
                    self.falling = Some(Falling { piece, pose, began: Some((pose.y, time, fall)) });
                }
            }
        }
        if rests {
            self.end();
        }
    }

    /// What was measured, if it is another time than this one, which is believed; ms a row. Asked again, only news is told.
    pub(super) fn other_than(&mut self, row_ms: f64) -> Option<f64> {
        if !std::mem::take(&mut self.has_news) {
            return None;
        }
        let nats = |row_ms: f64| self.falls.iter().map(|fall| fall.nats(row_ms)).sum::<f64>();
        let tried = std::iter::successors(Some(*TRIED_MS.start()), |ms| Some(ms * STEP));
        let tried: Vec<(f64, f64)> = tried.take_while(|ms| TRIED_MS.contains(ms)).map(|ms| (ms, nats(ms))).collect();
        let most = |of: &dyn Fn(f64) -> bool| {
            tried.iter().filter(|(ms, _)| of(*ms)).map(|(_, nats)| *nats).fold(f64::NEG_INFINITY, f64::max)
        };
        let is_near = |ms: f64, other: f64, share: f64| (ms - other).abs() < share * other;
        let best = most(&|_| true);
        // Of a plateau the middle.
        let likely: Vec<f64> = tried.iter().filter(|(_, nats)| *nats > best - 0.5).map(|(ms, _)| *ms).collect();
        let middle = (likely.first()? * likely.last()?).sqrt();
        let believed = most(&|ms| is_near(ms, row_ms, NEAR_SHARE)).max(nats(row_ms));
        let elsewhere = most(&|ms| !is_near(ms, middle, SHARP_SHARE));
        (best - believed > SURE_NATS && best - elsewhere > DOUBT_NATS).then_some(middle)
    }

    /// Begins anew.
    pub(super) fn forget(&mut self) {
        *self = Self { level: self.level, seen: self.seen, is_told: self.is_told, ..Self::default() };
    }

    /// The fall is over, or something else has moved the piece.
    fn end(&mut self) {
        let Some((_, _, fall)) = self.falling.take().and_then(|falling| falling.began) else { return };
        if fall.until_ms > 0.0 {
            if self.falls.len() >= KEPT {
                self.falls.pop_front();
            }
            self.falls.push_back(fall);
            self.has_news = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Orientation, Piece};

    /// When a picture of this number comes, and what time it shows, ms.
    type Pictures<'a> = &'a dyn Fn(u32) -> [f64; 2];

    /// Watches pieces that fall a row in this time, each for so long; `push` says when Down is pressed. What was measured, if
    /// that is not what was believed.
    fn measured(row_ms: f64, believed_ms: f64, fps: f64, each_ms: f64, push: impl Fn(f64) -> bool) -> Option<f64> {
        watched(row_ms, believed_ms, each_ms, push, &|picture| {
            let at_ms = f64::from(picture) * 1000.0 / fps;
            [at_ms, at_ms]
        })
    }

    /// The same where pictures come otherwise.
    fn watched(
        row_ms: f64,
        believed_ms: f64,
        each_ms: f64,
        push: impl Fn(f64) -> bool,
        pictures: Pictures<'_>,
    ) -> Option<f64> {
        let mut fall_time = FallTime::default();
        let mut picture = 0;
        for piece in 0..24 {
            // Pieces come at any time between two pictures.
            let came_ms = f64::from(piece) * (each_ms + 137.0);
            loop {
                let [at_ms, shown_ms] = pictures(picture);
                if shown_ms >= came_ms + each_ms {
                    break;
                }
                picture += 1;
                let fallen = shown_ms - came_ms;
                let pose = Pose { x: 4, y: (fallen / row_ms) as i8, orientation: Orientation::spawn(Piece::T) };
                let is_pushed = push(fallen);
                let look = Fallen { piece: HostTime::from_ms(came_ms), pose, level: 0, is_pushed, rests: false };
                fall_time.watch((fallen >= 0.0).then_some(look), HostTime::from_ms(at_ms));
            }
            fall_time.watch(None, HostTime::from_ms(pictures(picture)[0] - 0.1));
            if let Some(measured) = fall_time.other_than(believed_ms) {
                return Some(measured);
            }
        }
        None
    }

    #[test]
    fn pieces_that_fall_by_themselves_tell_how_fast_at_any_rate_of_pictures() {
        for fps in [10.0, 30.0, 60.0, 120.0] {
            for row_ms in [20.0, 50.0, 83.0, 300.0, 1000.0] {
                // Two to eleven rows of them are seen.
                for rows in [3.4, 4.0, 12.0] {
                    let at = format!("{row_ms} ms, {rows} rows, {fps} pictures a second");
                    assert_eq!(measured(row_ms, row_ms, fps, rows * row_ms, |_| false), None, "{at}");
                    // Slow pictures tell little of fast pieces.
                    let wrongs: &[f64] = match fps * row_ms {
                        _ if rows * row_ms < 150.0 => &[],
                        ..1500.0 => &[],
                        1500.0..4000.0 => &[0.5, 3.0],
                        _ => &[0.5, 0.8, 1.25, 3.0],
                    };
                    for wrong in wrongs {
                        let told = measured(row_ms, wrong * row_ms, fps, rows * row_ms, |_| false);
                        let told = told.unwrap_or_else(|| panic!("{at}, {wrong} believed: nothing"));
                        assert!((told - row_ms).abs() < 0.12 * row_ms, "{told}: {at}, {wrong} believed");
                    }
                }
            }
        }
    }

    #[test]
    fn pictures_that_come_twice_or_late_or_not_at_all_tell_nothing_wrong() {
        let at = |picture: u32, fps: f64| f64::from(picture) * 1000.0 / fps;
        let twice = |picture: u32| [at(picture, 60.0), at(picture / 2 * 2, 60.0)];
        let four_times = |picture: u32| [at(picture, 120.0), at(picture / 4 * 4, 120.0)];
        let late = |picture: u32| [at(picture, 60.0) + if picture % 7 == 3 { 15.0 } else { 0.0 }, at(picture, 60.0)];
        // Of every forty pictures twelve are lost, as in a stall of 0.2 s.
        let lost = |picture: u32| [at(picture / 28 * 40 + picture % 28, 60.0); 2];
        let all: [(_, Pictures<'_>); 4] =
            [("twice", &twice), ("four times", &four_times), ("late", &late), ("lost", &lost)];
        let mut told_in = 0;
        for (what, pictures) in all {
            for row_ms in [50.0, 72.0, 83.0, 100.0, 213.0, 800.0] {
                for rows in [3.4, 8.0] {
                    let told = watched(row_ms, row_ms, rows * row_ms, |_| false, pictures);
                    assert_eq!(told, None, "{what}: {row_ms} ms, {rows} rows");
                    // That nothing is told may be; what is told is right.
                    let told = watched(row_ms, 3.0 * row_ms, rows * row_ms, |_| false, pictures);
                    assert!(
                        told.is_none_or(|told| (told - row_ms).abs() < 0.13 * row_ms),
                        "{what}: {told:?}, {row_ms} ms"
                    );
                    told_in += usize::from(told.is_some());
                }
            }
        }
        assert!(told_in > 36, "of 48 only {told_in} were told");
    }

    #[test]
    fn what_keys_have_done_is_not_taken_for_the_pieces_weight() {
        // Down is pressed all the time, and takes them down three times as fast.
        assert_eq!(measured(100.0, 300.0, 60.0, 1500.0, |_| true), None);
        // It is pressed at the end only, and what went before counts.
        let told = measured(100.0, 300.0, 60.0, 1500.0, |ms| ms > 600.0).unwrap();
        assert!((told - 100.0).abs() < 8.0, "{told}");
    }

    #[test]
    fn pieces_that_do_not_fall_when_they_should_are_slower() {
        // Of each one row is seen to be entered, and 350 ms of the next: that a row takes longer is known, but not how long.
        assert_eq!(measured(1000.0, 100.0, 60.0, 1350.0, |_| false), None);
        let told = measured(1000.0, 100.0, 60.0, 2100.0, |_| false).unwrap();
        assert!((told - 1000.0).abs() < 100.0, "{told}");
    }

    #[test]
    fn pieces_that_come_from_above_the_field_are_timed_once_all_of_them_is_seen() {
        for (believed_ms, is_told) in [(200.0, false), (400.0, true)] {
            let mut fall_time = FallTime::default();
            let mut told = None;
            for picture in 0..24 * 120 {
                let (piece, since) = (picture / 120, f64::from(picture % 120) / 60.0 * 1000.0);
                // The first row of the field is entered late, as it seems.
                let y = if since < 380.0 { -1 } else { (since / 200.0) as i8 - 1 };
                let pose = Pose { x: 4, y, orientation: Orientation::spawn(Piece::T) };
                let piece = HostTime::from_ms(f64::from(piece) * 2000.0);
                let look = Fallen { piece, pose, level: 0, is_pushed: since > 700.0, rests: false };
                fall_time.watch(Some(look), HostTime::from_ms(f64::from(picture) * 1000.0 / 60.0));
                told = told.or(fall_time.other_than(believed_ms));
            }
            assert_eq!(told.is_some(), is_told, "{told:?}");
            assert!(told.is_none_or(|told| (told - 200.0).abs() < 20.0), "{told:?}");
        }
    }

    #[test]
    fn another_level_begins_anew() {
        let mut fall_time = FallTime {
            falls: VecDeque::from([Fall { before_ms: 0.0, steps: Vec::new(), until_ms: 9.0 }]),
            ..FallTime::default()
        };
        let pose = Pose { x: 4, y: 0, orientation: Orientation::spawn(Piece::T) };
        let look = Fallen { piece: HostTime::default(), pose, level: 1, is_pushed: false, rests: false };
        fall_time.watch(Some(look), HostTime::from_ms(50.0));
        assert!(fall_time.falls.is_empty());
    }
}
