//! How long a game guards a new piece against early drops, measured while playing: a file may say nothing of it, and then
//! every drop of a piece that need not be moved is lost, and pressed again when that was seen.

use crate::time::HostTime;
use std::collections::VecDeque;

/// Pieces that were dropped last are kept.
const KEPT: usize = 16;
/// Presses for one piece that are kept.
const PRESSES_MAX: usize = 16;
/// Guards that are tried, ms, and how far they are from each other.
const LONGEST_MS: f64 = 1500.0;
const STEP_MS: f64 = 5.0;
/// Of one piece in so many the presses are lost for another reason, or it was misread.
const LOST: f64 = 0.05;
/// What a drop did shows this much later than it should, ms, once in so many: the computer was busy.
const LATE_MS: f64 = 100.0;
const LATE_SHARE: f64 = 0.1;
/// A piece goes by itself, as far as can be seen, once in so long, ms.
const ALONE_MS: f64 = 5000.0;
/// A longer guard is believed when it is likelier by this than the believed one, nats: after two pieces whose drops were not felt.
const SURE_NATS: f64 = 5.0;
/// Of the likely guards the shorter are tried first: this share further than the shortest, by no more than that again, or by so
/// many ms.
const TRIED_SHARE: f64 = 0.25;
const TRIED_MS: f64 = 50.0;

/// When what a key did shows after the press, ms: never sooner, and seldom later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shows {
    pub(super) soonest_ms: f64,
    pub(super) latest_ms: f64,
}

impl Shows {
    /// How likely it is not to be seen so long after the press, of one that counted.
    fn later_than(self, ms: f64) -> f64 {
        let Self { soonest_ms, latest_ms } = self;
        match ms {
            _ if ms > latest_ms => LATE_SHARE * ((latest_ms - ms) / LATE_MS).exp(),
            _ if ms > soonest_ms => 1.0 - (1.0 - LATE_SHARE) * (ms - soonest_ms) / (latest_ms - soonest_ms),
            _ => 1.0,
        }
    }
}

/// A press of the drop key for a piece that stood where it had appeared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Press {
    pub(super) at: HostTime,
    /// How long the piece had been there: at least, and at most.
    pub(super) age_ms: [f64; 2],
}

/// The piece that falls.
#[derive(Debug, Clone)]
struct Open {
    piece: HostTime,
    presses: Vec<Press>,
    /// The last picture that showed it where its weight alone may have brought it.
    hung: HostTime,
}

/// What was seen of a piece that was dropped where it had appeared.
#[derive(Debug, Clone)]
struct Drop {
    /// Of each press, how long the piece had been there, at least and at most; and how likely all that was seen is if this was the
    /// one that counted.
    presses: Vec<([f64; 2], f64)>,
    /// How likely it is if none was.
    alone: f64,
    /// One of them was.
    was_felt: bool,
}

/// What was seen of drops.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    open: Option<Open>,
    /// The piece that was judged last.
    judged: Option<HostTime>,
    drops: VecDeque<Drop>,
}

impl Guard {
    /// The drop key was pressed for the piece that appeared then, more than once if it hung: these were all presses until now. Told
    /// again, only more of them is news.
    pub(super) fn press(&mut self, piece: HostTime, presses: &[Press]) {
        if presses.is_empty() || self.judged == Some(piece) {
            return;
        }
        let open = self.open.take().filter(|open| open.piece == piece);
        let mut open = open.unwrap_or(Open { piece, presses: Vec::new(), hung: piece });
        let last = open.presses.last().map(|press| press.at);
        open.presses.extend(presses.iter().filter(|press| last.is_none_or(|last| press.at > last)));
        open.presses.truncate(PRESSES_MAX);
        self.open = Some(open);
    }

    /// It still is there.
    pub(super) fn hangs(&mut self, now: HostTime) {
        self.open.iter_mut().for_each(|open| open.hung = now);
    }

    /// It was seen to have gone, at this time, by more than its weight; or it came down by itself, or something else was done to it
    /// (`None`). Only now it is known what the presses did: what shows late has counted, too. Whether that tells anything.
    pub(super) fn end(&mut self, gone: Option<HostTime>, shows: Shows) -> bool {
        let Some(Open { piece, presses, hung }) = self.open.take() else { return false };
        self.judged = Some(piece);
        let later_than = |press: &Press, time: HostTime| shows.later_than(time.ms_since(press.at));
        let seen = |press: &Press| later_than(press, hung) - gone.map_or(0.0, |gone| later_than(press, gone));
        let presses = presses.iter().map(|press| (press.age_ms, seen(press).max(0.0))).collect();
        let alone = gone.map_or(1.0, |gone| (gone.ms_since(hung) / ALONE_MS).clamp(0.0, 1.0));
        if self.drops.len() >= KEPT {
            self.drops.pop_front();
        }
        self.drops.push_back(Drop { presses, alone, was_felt: gone.is_some() });
        true
    }

    /// Nobody knows what was done to the piece.
    pub(super) fn let_go(&mut self) {
        self.open = None;
    }

    /// How long drops are to wait, if that is longer than is believed, ms. A key that does nothing at all tells of no guard: later
    /// drops must have been felt.
    pub(super) fn longer_than(&self, believed_ms: f64) -> Option<f64> {
        let tried = (0..=(LONGEST_MS / STEP_MS) as u32).map(|step| f64::from(step) * STEP_MS);
        let tried: Vec<(f64, f64)> = tried.map(|ms| (ms, self.nats(ms))).collect();
        let best = tried.iter().map(|(_, nats)| *nats).fold(f64::NEG_INFINITY, f64::max);
        let mut likely = tried.iter().filter(|(_, nats)| *nats > best - 0.5).map(|(ms, _)| *ms);
        let least = likely.next()?;
        let most = likely.next_back().unwrap_or(least);
        let ms = least + (TRIED_SHARE * (most - least)).min(least.max(TRIED_MS));
        let is_beyond = |drop: &Drop| drop.presses.last().is_some_and(|(age_ms, _)| age_ms[1] > ms);
        let is_bounded = self.drops.iter().any(|drop| drop.was_felt && is_beyond(drop));
        (best - self.nats(believed_ms) > SURE_NATS && ms > believed_ms && is_bounded).then_some(ms)
    }

    /// The logarithm of the likelihood of all that was seen if the guard is so long.
    fn nats(&self, ms: f64) -> f64 {
        self.drops.iter().map(|drop| drop.likelihood(ms).ln()).sum()
    }
}

impl Drop {
    /// If the guard is so long: the first press that counts drops the piece.
    fn likelihood(&self, guard_ms: f64) -> f64 {
        let (mut none_yet, mut likelihood) = (1.0, 0.0);
        for ([least, most], seen) in &self.presses {
            let counts = ((most - guard_ms) / (most - least).max(STEP_MS)).clamp(0.0, 1.0);
            likelihood += none_yet * counts * seen;
            none_yet *= 1.0 - counts;
        }
        likelihood += none_yet * self.alone;
        // What keeps one press from being felt may keep the next ones of the same piece.
        let otherwise = self.presses.iter().map(|(_, seen)| *seen).fold(self.alone, f64::max);
        ((1.0 - LOST) * likelihood + LOST * otherwise).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWS: Shows = Shows { soonest_ms: 30.0, latest_ms: 90.0 };
    const PERIOD_MS: f64 = 16.7;

    /// A piece whose drop was pressed at these ages, known to 30 ms, and shows so long after the last of them; or not at all.
    fn see(guard: &mut Guard, piece: u32, ages_ms: &[f64], shows_after_ms: Option<f64>) {
        let came = HostTime::from_ms(f64::from(piece) * 3000.0);
        let press = |age: &f64| Press { at: came.plus_ms(*age), age_ms: [age - 15.0, age + 15.0] };
        guard.press(came, &ages_ms.iter().map(press).collect::<Vec<_>>());
        let last = came.plus_ms(*ages_ms.last().unwrap());
        guard.hangs(last.plus_ms(shows_after_ms.map_or(600.0, |ms| ms - PERIOD_MS)));
        guard.end(shows_after_ms.map(|ms| last.plus_ms(ms)), SHOWS);
    }

    /// When the drop key is pressed for a piece that is dropped at this age, and again 300 ms later until that is felt, in a game with this guard.
    fn again_until(guard_ms: f64, age_ms: f64) -> Vec<f64> {
        let ages = (0..).map(|again| age_ms + 300.0 * f64::from(again));
        let unfelt = ages.clone().take_while(|age| *age < guard_ms).count();
        ages.take(unfelt + 1).collect()
    }

    /// Pieces that are dropped so in a game with this guard.
    fn dropped(guard_ms: f64, ages_ms: &[f64]) -> Guard {
        let mut guard = Guard::default();
        for (piece, age) in (0..).zip(ages_ms) {
            see(&mut guard, piece, &again_until(guard_ms, *age), Some(60.0));
        }
        guard
    }

    #[test]
    fn two_pieces_whose_drops_were_not_felt_tell_of_a_guard() {
        assert_eq!(dropped(200.0, &[80.0]).longer_than(0.0), None);
        assert_eq!(dropped(900.0, &[80.0]).longer_than(0.0), None);
        let ms = dropped(200.0, &[80.0, 90.0]).longer_than(0.0).unwrap();
        assert!((90.0..250.0).contains(&ms), "{ms}");
    }

    /// On a busy computer.
    #[test]
    fn drops_that_show_late_have_counted() {
        for late_ms in [120.0, 160.0, 250.0] {
            let mut guard = Guard::default();
            for piece in 0..KEPT as u32 {
                let age = 80.0 + f64::from(piece % 5);
                see(&mut guard, piece, &[age], Some(if piece % 2 == 0 { late_ms } else { 60.0 }));
                assert_eq!(guard.longer_than(0.0), None, "{late_ms}, {piece}");
            }
        }
        // They were pressed again, and gone before that could show.
        let mut guard = Guard::default();
        for piece in 0..KEPT as u32 {
            see(&mut guard, piece, &[80.0, 220.0], Some(20.0));
            assert_eq!(guard.longer_than(0.0), None, "{piece}");
        }
    }

    #[test]
    fn a_key_that_is_never_felt_is_not_guarded_but_dead() {
        let mut guard = Guard::default();
        for piece in 0..20 {
            see(&mut guard, piece, &[80.0, 380.0, 680.0, 980.0, 1280.0], None);
            assert_eq!(guard.longer_than(0.0), None);
        }
    }

    #[test]
    fn trying_leads_to_the_guard_and_not_far_beyond() {
        for true_ms in [60.0, 120.0, 250.0, 500.0, 900.0] {
            let (mut guard, mut believed, mut lost) = (Guard::default(), 0.0, 0);
            for piece in 0..40 {
                let ages = again_until(true_ms, believed + 40.0);
                lost += u32::from(ages.len() > 1);
                see(&mut guard, piece, &ages, Some(60.0));
                believed = guard.longer_than(believed).unwrap_or(believed);
            }
            assert!((true_ms - 41.0..true_ms + 310.0).contains(&believed), "{believed} for {true_ms}");
            assert!(lost <= 6, "{lost} pieces with lost drops, of a guard of {true_ms}");
        }
    }

    #[test]
    fn a_press_that_is_lost_now_and_then_is_no_guard() {
        let mut guard = dropped(0.0, &[80.0, 95.0, 110.0, 85.0, 100.0, 120.0, 90.0, 105.0]);
        see(&mut guard, 90, &[104.0, 404.0], Some(60.0));
        assert_eq!(guard.longer_than(0.0), None);
        (91..96).for_each(|piece| see(&mut guard, piece, &[95.0], Some(60.0)));
        see(&mut guard, 96, &[98.0, 398.0], Some(60.0));
        assert_eq!(guard.longer_than(0.0), None);
    }
}
