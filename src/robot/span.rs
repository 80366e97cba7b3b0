//! A time that a game takes again and again, of which begin and end are each seen only to lie between two pictures.

use crate::profile::measured::Measured;
use crate::time::HostTime;
use std::collections::VecDeque;

/// The last ones are kept.
const KEPT: usize = 16;
/// So many are needed to speak of a time.
const NEEDED: usize = 6;
/// Times that are tried, ms, and how far they are from each other.
const LONGEST_MS: f64 = 3000.0;
const STEP_MS: f64 = 2.0;
/// A picture comes so much early or late, ms.
const JITTER_MS: f64 = 8.0;
/// One in so many was misread, and tells nothing.
const MISREAD: f64 = 0.05;
/// What is less likely than the best by more than this is not meant, nats.
const LIKELY_NATS: f64 = 3.0;
/// A length that is known to no more than this is not known, ms.
const SPREAD_MAX_MS: f64 = 120.0;
/// Most of them fit to the time that is told.
const FITTING: f64 = 0.75;

/// What was seen of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Span {
    seen: VecDeque<[[f64; 2]; 2]>,
}

impl Span {
    /// It began between two pictures, and ended between two.
    pub(super) fn see(&mut self, begin: [HostTime; 2], end: [HostTime; 2]) {
        if self.seen.len() >= KEPT {
            self.seen.pop_front();
        }
        let ms = |times: [HostTime; 2]| times.map(|time| time.ms_since(begin[1]));
        self.seen.push_back([ms(begin), ms(end)]);
    }

    /// How long it is, the middle of what is likely and how far that reaches to both sides, once that was seen often enough and
    /// most of what was seen goes together.
    pub(super) fn length(&self) -> Option<Measured> {
        if self.seen.len() < NEEDED {
            return None;
        }
        let tried = (0..=(LONGEST_MS / STEP_MS) as u32).map(|step| f64::from(step) * STEP_MS);
        let tried: Vec<(f64, f64)> = tried.map(|ms| (ms, self.nats(ms))).collect();
        let best = tried.iter().map(|(_, nats)| *nats).fold(f64::NEG_INFINITY, f64::max);
        let mut likely = tried.iter().filter(|(_, nats)| *nats > best - LIKELY_NATS).map(|(ms, _)| *ms);
        let least = likely.next()?;
        let most = likely.next_back().unwrap_or(least);
        let ms = f64::midpoint(least, most);
        let spread_ms = (most - least) / 2.0;
        let fitting = self.seen.iter().filter(|seen| share(seen, ms) > 0.0).count();
        let is_known = spread_ms <= SPREAD_MAX_MS && fitting as f64 >= FITTING * self.seen.len() as f64;
        is_known.then_some(Measured { ms, spread_ms })
    }

    /// The logarithm of the likelihood of all that was seen if it is so long.
    fn nats(&self, ms: f64) -> f64 {
        self.seen.iter().map(|seen| (MISREAD + (1.0 - MISREAD) * share(seen, ms)).ln()).sum()
    }
}

/// How much of the time in which it can have begun is left if it is so long: it ended where that was seen.
fn share([begin, end]: &[[f64; 2]; 2], ms: f64) -> f64 {
    let left_ms = (begin[1] + ms).min(end[1]) - (begin[0] + ms).max(end[0]);
    ((left_ms + JITTER_MS) / (begin[1] - begin[0] + JITTER_MS)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many of a length, seen at so many pictures a second; of each, `jump` says how much longer it was.
    fn seen(ms: f64, times: u32, fps: f64, jump: impl Fn(u32) -> f64) -> Option<Measured> {
        let picture_ms = 1000.0 / fps;
        let between = |at: f64| {
            let before = (at / picture_ms).floor() * picture_ms;
            [before, before + picture_ms].map(HostTime::from_ms)
        };
        let mut span = Span::default();
        for time in 0..times {
            // Begins that lie anywhere between two pictures.
            let at = f64::from(time) * 1234.5;
            span.see(between(at), between(at + ms + jump(time)));
        }
        span.length()
    }

    #[test]
    fn a_length_is_found_closer_than_pictures_follow_each_other() {
        for fps in [15.0, 30.0, 60.0, 120.0] {
            for ms in [0.0, 33.0, 100.0, 166.0, 500.0, 1557.0] {
                let Measured { ms: found, spread_ms } = seen(ms, 16, fps, |_| 0.0).unwrap();
                assert!((found - ms).abs() < 10.0 + 100.0 / fps, "{found} for {ms} at {fps} pictures a second");
                assert!(
                    (found - ms).abs() <= spread_ms + STEP_MS && spread_ms < 1000.0 / fps + JITTER_MS,
                    "{spread_ms}"
                );
            }
        }
    }

    #[test]
    fn what_was_misread_does_not_count_and_what_is_never_the_same_is_not_told() {
        let found = seen(100.0, 16, 60.0, |time| if time % 8 == 3 { 400.0 } else { 0.0 }).unwrap();
        assert!((found.ms - 100.0).abs() < 12.0, "{found:?}");
        assert_eq!(seen(100.0, 16, 60.0, |time| f64::from(time) * 50.0), None);
        assert_eq!(seen(100.0, 5, 60.0, |_| 0.0), None);
        // Each may have begun at any time since long before it ended: of that anything can be made.
        let mut span = Span::default();
        (0..16).for_each(|_| span.see([0.0, 3000.0].map(HostTime::from_ms), [2980.0, 3000.0].map(HostTime::from_ms)));
        assert_eq!(span.length(), None);
    }
}
