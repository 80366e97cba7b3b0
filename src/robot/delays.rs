//! How long a game waits, measured while playing: from a lock to the next piece, for full rows to go, and until a piece that
//! rests locks. A game's file may have these wrong, or not at all.
//!
//! Only differences between pictures count, so that nothing need be known of how late they come.

use super::fall_time::Fallen;
use super::span::Span;
use crate::game::orientation::Pose;
use crate::profile::measured::Measured;
use crate::time::HostTime;

/// A wait that is shorter than none by more than this, ms, is no wait.
const WRONG_MS: f64 = 20.0;

/// A piece that is seen so many rows further down was dropped, or fell fast; by itself it is seen to fall a row or two.
const DROPPED_ROWS: i8 = 3;

/// Begins and ends of a wait, each between two pictures.
type Between = [HostTime; 2];

/// How the falling piece came where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It fell there by itself, and nothing was pressed since that takes pieces down.
    Fell,
    /// The drop key took it down.
    Dropped,
    /// Something else did.
    Pushed,
}

/// The falling piece.
#[derive(Debug, Clone, Copy)]
struct Watched {
    piece: HostTime,
    pose: Pose,
    level: u8,
    /// When it came where it is.
    since: Between,
    way: Way,
    rests: bool,
    /// When it was seen the last time, and whether the drop key may have counted then.
    seen: HostTime,
    is_dropped: bool,
}

/// What was measured.
#[derive(Debug, Clone, Default)]
pub(super) struct Delays {
    watched: Option<Watched>,
    entry: Span,
    clear: Span,
    /// From where a piece comes to rest to the next piece, at a level.
    rest: (u8, Span),
}

impl Delays {
    /// Takes a picture in, `previous` being the one before. `is_dropped` says that a key which drops a piece and locks it at
    /// once may have counted since then.
    pub(super) fn watch(&mut self, look: Option<Fallen>, is_dropped: bool, previous: HostTime, time: HostTime) {
        let Some(Fallen { piece, pose, level, is_pushed, rests }) = look else { return };
        let now =
            Watched { piece, pose, level, since: [previous, time], way: Way::Pushed, rests, seen: time, is_dropped };
        let Some(last) = self.watched.filter(|last| last.piece == piece) else {
            self.watched = Some(now);
            return;
        };
        let is_same = last.pose == pose;
        let is_below = (last.pose.x, last.pose.orientation) == (pose.x, pose.orientation) && last.pose.y < pose.y;
        let way = match (is_same, is_below, is_pushed) {
            (true, _, false) => last.way,
            // The key may still be down.
            (true, _, true) if last.way == Way::Dropped => Way::Dropped,
            (false, true, false) => Way::Fell,
            (false, true, true) if is_dropped && rests && last.pose.y + DROPPED_ROWS <= pose.y => Way::Dropped,
            _ => Way::Pushed,
        };
        let since = if is_same { last.since } else { [last.seen, time] };
        self.watched = Some(Watched { way, since, ..now });
    }

    /// The next piece appeared between these two pictures; the one before cleared so many rows. What a tap of Down did to one that
    /// rested is not asked: it locks a piece in some games only.
    pub(super) fn appeared(&mut self, between: Between, lines: usize) {
        let Some(watched) = self.watched.take() else { return };
        let Watched { level, since, way, rests, seen, is_dropped, .. } = watched;
        match (way, rests) {
            (Way::Dropped, true) if lines == 0 => self.entry.see(since, between),
            (Way::Dropped, true) => self.clear.see(since, between),
            // Dropped, and gone before any picture showed it below.
            (_, false) if is_dropped && lines == 0 => self.entry.see([seen, between[1]], between),
            (Way::Fell, true) if lines == 0 => {
                if self.rest.0 != level {
                    self.rest = (level, Span::default());
                }
                self.rest.1.see(since, between);
            }
            _ => {}
        }
    }

    /// Nothing is known of the piece that fell.
    pub(super) fn let_go(&mut self) {
        self.watched = None;
    }

    /// From a lock that clears nothing to the next piece.
    pub(super) fn entry(&self) -> Option<Measured> {
        self.entry.length()
    }

    /// By how much full rows delay it.
    pub(super) fn clear(&self) -> Option<Measured> {
        let Measured { ms, spread_ms } = less(self.clear.length()?, self.entry()?);
        Some(Measured { ms: ms.max(0.0), spread_ms })
    }

    /// How long a piece rests before it locks, and whether that is known: without an entry delay to take from it, it is so long at
    /// most. `row_ms` is what a game waits at a level before that delay begins.
    pub(super) fn lock(&self, row_ms: impl Fn(u8) -> f64) -> Option<(Measured, bool)> {
        let (level, rest) = &self.rest;
        let most = less(rest.length()?, Measured { ms: row_ms(*level), spread_ms: 0.0 });
        let lock = self.entry().map_or(most, |entry| less(most, entry));
        // A row's time that is wrong, or an entry delay: then nothing is known.
        let is_possible = lock.ms > -lock.spread_ms - WRONG_MS;
        is_possible.then_some((Measured { ms: lock.ms.max(0.0), ..lock }, self.entry().is_some()))
    }
}

fn less(length: Measured, than: Measured) -> Measured {
    Measured { ms: length.ms - than.ms, spread_ms: length.spread_ms + than.spread_ms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Orientation, Piece};

    /// A game's waits, ms.
    const ROW_MS: f64 = 200.0;
    const LOCK_MS: f64 = 150.0;
    const ENTRY_MS: f64 = 90.0;
    const CLEAR_MS: f64 = 400.0;

    /// Twenty pieces that fall six rows and rest; of each, `dropped` says when its key was pressed, ms since it appeared, and
    /// `lines` what it clears.
    fn watched(fps: f64, dropped: impl Fn(u32) -> Option<f64>, lines: impl Fn(u32) -> usize) -> Delays {
        let (mut delays, mut previous, mut picture) = (Delays::default(), HostTime::default(), 0);
        let mut came_ms = 5.0;
        for piece in 0..20 {
            let key_ms = dropped(piece).unwrap_or(f64::INFINITY);
            let locks_ms = key_ms.min(7.0 * ROW_MS + LOCK_MS);
            let next_ms = came_ms + locks_ms + ENTRY_MS + if lines(piece) > 0 { CLEAR_MS } else { 0.0 };
            let first = HostTime::from_ms(came_ms);
            loop {
                let now_ms = f64::from(picture) * 1000.0 / fps;
                if now_ms >= next_ms {
                    delays.appeared([previous, HostTime::from_ms(now_ms)], lines(piece));
                    break;
                }
                let since = now_ms - came_ms;
                let y = if since >= key_ms { 6 } else { (since / ROW_MS).clamp(0.0, 6.0) as i8 };
                let pose = Pose { x: 4, y, orientation: Orientation::spawn(Piece::T) };
                // What a key did may be seen for a while.
                let is_pushed = (key_ms..key_ms + 80.0).contains(&since);
                let look = Fallen { piece: first, pose, level: 3, is_pushed, rests: y == 6 };
                delays.watch((since >= 0.0).then_some(look), is_pushed, previous, HostTime::from_ms(now_ms));
                (previous, picture) = (HostTime::from_ms(now_ms), picture + 1);
            }
            came_ms = next_ms;
        }
        delays
    }

    #[test]
    fn waits_are_told_apart_by_what_brought_the_piece_down() {
        let is_near = |length: Option<Measured>, ms: f64| {
            length.is_some_and(|length| (length.ms - ms).abs() < length.spread_ms + 4.0 && length.spread_ms < 40.0)
        };
        for fps in [30.0, 60.0, 120.0] {
            // Every second is dropped, and of these every second clears a row.
            let dropped = |piece| (piece % 2 == 0).then_some(110.0 + 37.0 * f64::from(piece % 5));
            let delays = watched(fps, dropped, |_| 0);
            assert!(is_near(delays.entry(), ENTRY_MS), "{:?}", delays.entry());
            let lock = delays.lock(|level| if level == 3 { ROW_MS } else { 0.0 });
            assert!(is_near(lock.map(|(length, _)| length), LOCK_MS) && lock.unwrap().1, "{delays:?}");
            // Where rows take longer than believed the rest cannot be a lock's.
            assert_eq!(delays.lock(|_| ROW_MS + LOCK_MS + 80.0), None);
            assert_eq!(delays.clear(), None);
            let delays = watched(fps, |_| Some(333.0), |piece| usize::from(piece % 2 == 0));
            assert!(is_near(delays.entry(), ENTRY_MS) && is_near(delays.clear(), CLEAR_MS), "{delays:?}");
            assert_eq!(delays.lock(|_| ROW_MS), None);
        }
    }

    #[test]
    fn without_a_drop_key_a_lock_is_only_known_to_be_no_longer_than_lock_and_entry() {
        let delays = watched(60.0, |_| None, |_| 0);
        assert_eq!(delays.entry(), None);
        let (most, is_known) = delays.lock(|_| ROW_MS).unwrap();
        assert!(!is_known && (most.ms - LOCK_MS - ENTRY_MS).abs() < 12.0, "{most:?}");
    }
}
