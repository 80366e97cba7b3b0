//! Whose fault is it that a piece is not where its presses should have taken it?
//!
//! For every piece all that was seen of it is kept: in each picture the column, the orientation and the height, by the
//! console's clock, and at last where it locked. What the contacts were told is played through the rules once for every
//! frame on which the piece may have appeared, and once more for everything that may have gone wrong. Whatever explains the
//! whole of what was seen much better than "all worked", and better than every other cause, is blamed; if nothing does,
//! nobody knows. Presses that cannot have an effect (against a wall, before the piece, after it) change nothing in that
//! play and are neither blamed nor counted as work done.
//!
//! A verdict needs two pictures and the place of the lock, or three pictures, against "all worked", a cause that gives the
//! very place of the lock, and four fifths of all pictures explained. Of contacts it takes as harmless whatever their
//! spread, the clock's error, and one frame more in either direction can do.

pub mod cause;
mod conclusion;
pub mod ledger;

use crate::belief::clock::clock_watch::Sight;
use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::profile::calibration::Timing;
use crate::schedule::ButtonSchedule;
use crate::schedule::outcome::{BOUNCE_MS, Run, Situation};
use crate::schedule::polls::{Polls, Spawns};
use crate::schedule::press::{Press, changes, presses};
use crate::time::HostTime;
use cause::Cause;
pub use conclusion::Conclusion;
use ledger::Trust;

/// How often a picture is grossly misread.
const GROSS: f64 = 0.02;
/// A pose counts so much if the piece has it a frame earlier or later: where the console's polls are known, and else.
const NEAR: [f64; 2] = [0.25, 0.5];
/// They are known if they are off by less, ms.
const KNOWN_MS: f64 = 4.0;
/// A picture less likely than this contradicts.
const CONTRADICTS: f64 = 0.1;
/// This many contradictions are put down to misread pictures without a further look.
const EXCUSED: usize = 1;
/// The piece may have appeared this many frames beside those that are believed, with these weights.
const BESIDE: [(i64, f64); 4] = [(-1, 0.05), (1, 0.05), (-2, 0.01), (2, 0.01)];
/// Frames of appearance that are played through.
const FRAMES_PLAYED: usize = 12;
/// Sights kept of one piece; then every other one is forgotten.
const SIGHTS_MAX: usize = 240;
/// Longest life of a piece, frames.
const LIFE_MAX: i64 = 2000;
/// The place of the lock is misread so seldom (as a logarithm).
const LOCK_GROSS: f64 = -4.0;
/// Neighbouring pictures are misread alike: together they count less, as a share of their logarithm.
const ALIKE: f64 = 0.5;
/// By so much (as a logarithm) a cause must explain more than "all worked", and more than any other cause.
const CLEAR: f64 = 4.0;
const EXCLUSIVE: f64 = 1.5;
/// The same for planning on, by pictures alone, where a wrong guess is seen soon.
const LIKELY: f64 = 0.5;
/// A cause must explain this share of the pictures.
const MOST: f64 = 0.8;
/// A press that did its work explains so much more (as a logarithm) than without it.
const AT_WORK: f64 = 3.0;
/// How (un)likely contacts are off all alike by their spread, and everything by one frame.
const OFF_ALIKE: f64 = -0.7;
const OFF_A_FRAME: f64 = -3.0;

/// What is known besides the piece.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The rig's times.
    pub timing: &'a Timing,
    /// The console's polls.
    pub polls: &'a Polls,
    /// What spoke for lasting causes before.
    pub trust: &'a Trust,
}

/// All that was seen of one piece.
#[derive(Debug, Clone)]
pub struct Record {
    start: Faller,
    board: Board,
    /// On which frames it may have appeared, each with its weight.
    appeared: Vec<(i64, f64)>,
    /// Presses that end before this time are not this piece's.
    since: HostTime,
    /// Polls of any phase, while the console's are not known.
    rough: Option<Polls>,
    sights: Vec<Sight>,
}

/// How well something explains a piece.
#[derive(Debug, Clone)]
struct Fit {
    /// Logarithm of how likely the pictures are.
    log: f64,
    /// The same of the lock, if it was seen.
    lock_log: f64,
    contradictions: usize,
    /// The frames of appearance, weighed by the pictures.
    frames: Vec<(i64, f64)>,
    /// Where the piece is in the last picture.
    pose: Pose,
}

/// Causes and how well they explain.
#[derive(Debug, Clone)]
struct Hypothesis {
    causes: Vec<Cause>,
    log_prior: f64,
    fit: Fit,
}

impl Hypothesis {
    fn log(&self) -> f64 {
        self.fit.log + self.log_prior
    }

    /// As a verdict counts it: see [`ALIKE`].
    fn sober_log(&self) -> f64 {
        ALIKE * self.fit.log + self.fit.lock_log + self.log_prior
    }
}

/// What the contacts have done so far, most likely, and when the piece appeared then.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// What went wrong; nothing, if all worked after all.
    pub causes: Vec<Cause>,
    /// The frames of appearance with their weights.
    pub frames: Vec<(i64, f64)>,
}

impl Record {
    /// A piece that has just appeared over `board`, on one of these frames; its presses end after `since`.
    /// `rough` are the polls by which these frames count, if the console's own are not known.
    pub fn new(start: Faller, board: Board, frames: &[(i64, f64)], since: HostTime, rough: Option<Polls>) -> Self {
        let mut appeared = frames.to_vec();
        for (beside, share) in BESIDE {
            for &(frame, weight) in frames {
                if !appeared.iter().any(|(known, _)| *known == frame + beside) {
                    appeared.push((frame + beside, weight * share));
                }
            }
        }
        Self { start, board, appeared, since, rough, sights: Vec::new() }
    }

    /// The piece as it appeared, and the pile under it.
    pub fn start(&self) -> (&Faller, &Board) {
        (&self.start, &self.board)
    }

    /// It has become known which rules of several the game follows.
    pub fn follow(&mut self, rules: &Rules) {
        self.start.follow(rules);
    }

    /// The polls by which its frames count, if the console's own were not known when it came.
    pub fn rough(&self) -> Option<&Polls> {
        self.rough.as_ref()
    }

    /// Where the piece is in one more picture.
    pub fn see(&mut self, sight: &Sight) {
        if self.sights.len() == SIGHTS_MAX {
            let mut number = 0;
            self.sights.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.sights.push(*sight);
    }

    /// What explains what was seen so far, if one thing clearly does, and the piece can be planned on from there.
    /// `current` is what is taken for the cause already.
    pub fn explain(&self, view: View<'_>, schedule: &ButtonSchedule, current: &[Cause]) -> Option<Explanation> {
        let told = self.told(schedule);
        let frames = self.frames_to_play(view, &told);
        let believed = self.hypothesis(view, &told, current, &frames, None);
        if believed.fit.contradictions == 0 {
            return None;
        }
        let mut tried = self.first_guesses(view, &told, current, &frames, None);
        tried.push(self.hypothesis(view, &told, &[], &frames, None));
        let best = tried.iter().max_by(|a, b| a.log().total_cmp(&b.log()))?;
        let elsewhere = tried.iter().filter(|other| !is_near(other.fit.pose, best.fit.pose));
        let rival = elsewhere.map(Hypothesis::log).fold(f64::MIN, f64::max);
        let is_clear = best.log() - rival > LIKELY && best.causes.iter().all(|cause| cause.is_past());
        is_clear.then(|| Explanation { causes: best.causes.clone(), frames: best.fit.frames.clone() })
    }

    /// What a piece says that has locked at `lock`; `None` if too little was seen of it.
    pub fn conclude(
        &self,
        view: View<'_>,
        schedule: &ButtonSchedule,
        current: &[Cause],
        lock: Pose,
    ) -> Option<Conclusion> {
        self.sights.first()?;
        let told = self.told(schedule);
        let frames = self.frames_to_play(view, &told);
        let worked = self.harmless(view, &told, &frames, lock);
        if worked.fit.contradictions <= EXCUSED && worked.fit.lock_log == 0.0 {
            return Some(self.account(view, &told, &worked, lock));
        }
        let tried = self.first_guesses(view, &told, current, &frames, Some(lock));
        let open = Conclusion { is_open: true, ..Conclusion::default() };
        let Some(mut best) = best_of(&tried).cloned() else { return Some(open) };
        // Two things may have gone wrong that nobody has noticed on the way.
        let further = Cause::possible(&told).into_iter().filter(|cause| cause.is_past());
        let second: Vec<Hypothesis> = further
            .filter(|cause| !best.causes.contains(cause))
            .map(|cause| {
                let both: Vec<Cause> = best.causes.iter().copied().chain([cause]).collect();
                self.hypothesis(view, &told, &both, &frames, Some(lock))
            })
            .collect();
        if let Some(two) = best_of(&second).filter(|two| two.sober_log() > best.sober_log() + EXCLUSIVE) {
            best = two.clone();
        }
        if let Some(mean) = mean_late(&tried, &best) {
            best = mean;
        }
        let kind = kinds(&best.causes);
        // What blames the same and something else besides is no other opinion.
        let others = tried.iter().filter(|other| {
            let theirs = kinds(&other.causes);
            !kind.iter().all(|own| theirs.contains(own))
        });
        let rival = best_of(others).map_or(f64::MIN, Hypothesis::sober_log);
        let against = worked.fit.contradictions.saturating_sub(best.fit.contradictions);
        let is_proven = best.sober_log() - worked.sober_log() > CLEAR
            && best.sober_log() - rival > EXCLUSIVE
            && best.fit.lock_log == 0.0
            && (self.sights.len() - best.fit.contradictions) as f64 >= MOST * self.sights.len() as f64
            && against + usize::from(worked.fit.lock_log < 0.0) > 2
            && best.causes.iter().all(|cause| self.is_sure(view, *cause, &told, &best.fit));
        tracing::debug!(causes = ?best.causes, is_proven, against, log = best.sober_log(), worked = worked.sober_log(), rival, "a piece went astray");
        Some(if is_proven { self.account(view, &told, &best, lock) } else { open })
    }

    /// What the contacts were told while the piece was there.
    fn told(&self, schedule: &ButtonSchedule) -> Vec<Press> {
        let mut own = schedule.clone();
        own.forget_before(self.since);
        presses(own.changes())
    }

    /// Each cause alone, and together with what is taken for the cause already.
    fn first_guesses(
        &self,
        view: View<'_>,
        told: &[Press],
        current: &[Cause],
        frames: &[(i64, f64)],
        lock: Option<Pose>,
    ) -> Vec<Hypothesis> {
        let possible = Cause::possible(told);
        let mut sets: Vec<Vec<Cause>> = possible.iter().map(|cause| vec![*cause]).collect();
        if current.len() > 1 {
            sets.push(current.to_vec());
        }
        if !current.is_empty() {
            let further = possible.iter().filter(|cause| cause.is_past() && !current.contains(cause));
            sets.extend(further.map(|cause| current.iter().copied().chain([*cause]).collect()));
        }
        sets.into_iter().map(|causes| self.hypothesis(view, told, &causes, frames, lock)).collect()
    }

    fn hypothesis(
        &self,
        view: View<'_>,
        told: &[Press],
        causes: &[Cause],
        frames: &[(i64, f64)],
        lock: Option<Pose>,
    ) -> Hypothesis {
        let mut given = told.to_vec();
        causes.iter().for_each(|cause| cause.apply(&mut given, view.rules.frame_ms()));
        let log_prior = causes.iter().map(|cause| cause.log_prior() + view.trust.of(*cause)).sum();
        let mut fit = self.fit(view, &self.start, &given, frames, lock);
        // A direction that has been held for long repeats at once.
        if let Some(charged) = causes.iter().find_map(|cause| self.charged(*cause)) {
            let other = self.fit(view, &charged, &given, frames, lock);
            if other.log + other.lock_log > fit.log + fit.lock_log {
                fit = other;
            }
        }
        Hypothesis { causes: causes.to_vec(), log_prior, fit }
    }

    /// The piece with its auto-shift counter full, where a cause says that it may be.
    fn charged(&self, cause: Cause) -> Option<Faller> {
        let Cause::Stuck(Buttons::LEFT | Buttons::RIGHT, None) = cause else { return None };
        self.start.charged()
    }

    /// All worked, with the contacts and the clock off in the way that explains most.
    fn harmless(&self, view: View<'_>, told: &[Press], frames: &[(i64, f64)], lock: Pose) -> Hypothesis {
        let plain = self.hypothesis(view, told, &[], frames, Some(lock));
        if plain.fit.contradictions <= EXCUSED && plain.fit.lock_log == 0.0 {
            return plain;
        }
        let (close, open) = (view.timing.close.spread_ms + BOUNCE_MS, view.timing.open.spread_ms + BOUNCE_MS);
        let doubt = view.polls.error_ms;
        let alike = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)];
        let frame = view.rules.frame_ms();
        let offs = alike.map(|(a, b)| (a * (close + doubt), b * (open + doubt), OFF_ALIKE));
        let shifted = offs.into_iter().chain([(frame, frame, OFF_A_FRAME), (-frame, -frame, OFF_A_FRAME)]);
        let others = shifted.map(|(from_ms, to_ms, log_prior)| {
            let moved = |press: &Press| Press {
                from: press.from.plus_ms(from_ms),
                to: press.to.plus_ms(to_ms).max(press.from.plus_ms(from_ms)),
                ..*press
            };
            let given: Vec<Press> = told.iter().map(moved).collect();
            let fit = self.fit(view, &self.start, &given, frames, Some(lock));
            Hypothesis { causes: Vec::new(), log_prior, fit }
        });
        others.fold(plain, |best, other| if other.sober_log() > best.sober_log() { other } else { best })
    }

    /// The likeliest frames of appearance as far as heights tell.
    fn frames_to_play(&self, view: View<'_>, told: &[Press]) -> Vec<(i64, f64)> {
        let mut frames = self.fit(view, &self.start, told, &self.appeared, None).frames;
        frames.sort_by(|a, b| b.1.total_cmp(&a.1));
        let kept = frames.iter().take(FRAMES_PLAYED).map(|(frame, _)| *frame);
        let weight = |frame: i64| self.appeared.iter().find(|(known, _)| *known == frame).map_or(0.0, |(_, w)| *w);
        kept.map(|frame| (frame, weight(frame))).collect()
    }

    /// How well it fits that the console was given these presses.
    fn fit(&self, view: View<'_>, start: &Faller, given: &[Press], frames: &[(i64, f64)], lock: Option<Pose>) -> Fit {
        let spawns = Spawns::at_frames(*view.polls, frames);
        let situation = Situation {
            rules: view.rules,
            board: &self.board,
            starts: std::slice::from_ref(start),
            spawns,
            timing: view.timing,
        };
        let changes = changes(given);
        let near = NEAR[usize::from(view.polls.error_ms > KNOWN_MS)];
        let plays: Vec<(i64, f64, Play)> = frames
            .iter()
            .map(|&(frame, weight)| {
                let run = Run::new(start, &situation, view.polls.time(frame), &changes);
                (frame, weight, self.play(run, frame, near, lock))
            })
            .collect();
        let most = plays.iter().map(|(_, weight, play)| weight.ln() + play.log).fold(f64::MIN, f64::max);
        let share = |weight: f64, play: &Play| (weight.ln() + play.log - most).exp();
        let sum: f64 = plays.iter().map(|(_, weight, play)| share(*weight, play)).sum();
        let total: f64 = frames.iter().map(|(_, weight)| weight).sum();
        let best = plays.iter().max_by(|a, b| (a.1.ln() + a.2.log).total_cmp(&(b.1.ln() + b.2.log)));
        let frames = plays.iter().map(|(frame, weight, play)| (*frame, share(*weight, play) / sum)).collect();
        let (contradictions, lock_log, pose) =
            best.map_or((0, 0.0, start.pose()), |(_, _, play)| (play.contradictions, play.lock_log, play.pose));
        Fit { log: most + sum.ln() - total.ln(), lock_log, contradictions, frames, pose }
    }

    /// The piece from this frame on, compared with what was seen of it.
    fn play(&self, mut run: Run<'_>, frame: i64, near: f64, lock: Option<Pose>) -> Play {
        let last = self.sights.last().map_or(frame, |sight| sight.frames.round() as i64) + 1;
        let mut poses = vec![run.faller.pose()];
        let mut has_locked = false;
        for _ in 0..(last - frame).clamp(0, LIFE_MAX) {
            has_locked = has_locked || run.frame();
            poses.push(run.faller.pose());
        }
        let pose_at = |steps: i64| poses[steps.clamp(0, poses.len() as i64 - 1) as usize];
        let mut play = Play { log: 0.0, lock_log: 0.0, contradictions: 0, pose: pose_at(last - 1 - frame) };
        for sight in &self.sights {
            let upper = sight.shown().0;
            let likelihood = |off: i64| {
                let (before, after) = (pose_at(upper - 1 + off - frame), pose_at(upper + off - frame));
                let is_there = [before, after]
                    .iter()
                    .any(|pose| (pose.x, pose.orientation) == (sight.pose.x, sight.pose.orientation));
                if is_there { sight.likelihood(before.y, after.y) } else { 0.0 }
            };
            let seen = likelihood(0).max(near * likelihood(-1)).max(near * likelihood(1));
            play.contradictions += usize::from(seen < CONTRADICTS);
            play.log += (seen * (1.0 - GROSS) + GROSS).ln();
        }
        if let Some(lock) = lock {
            has_locked = has_locked || run.to_lock().is_some();
            play.lock_log = if has_locked && run.faller.pose() == lock { 0.0 } else { LOCK_GROSS };
        }
        play
    }

    /// Which presses did their work, and which are blamed.
    fn account(&self, view: View<'_>, told: &[Press], best: &Hypothesis, lock: Pose) -> Conclusion {
        let likeliest = best.fit.frames.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied();
        let frames: Vec<(i64, f64)> = likeliest.into_iter().map(|(frame, _)| (frame, 1.0)).collect();
        let with = self.hypothesis(view, told, &best.causes, &frames, Some(lock));
        let mut conclusion = Conclusion { causes: best.causes.clone(), ..Conclusion::default() };
        for press in told {
            let lost = Cause::Lost(press.button, press.from);
            if best.causes.iter().any(|cause| *cause == lost || *cause == Cause::Dead(press.button)) {
                conclusion.lost.push(press.button);
                continue;
            }
            let causes: Vec<Cause> = best.causes.iter().copied().chain([lost]).collect();
            let without = self.hypothesis(view, told, &causes, &frames, Some(lock)).fit;
            if with.fit.log + with.fit.lock_log - without.log - without.lock_log > AT_WORK {
                conclusion.worked.push(press.button);
            }
        }
        conclusion
    }

    /// Whether the rig's times leave no doubt that the console should have read what this cause says it did not.
    fn is_sure(&self, view: View<'_>, cause: Cause, told: &[Press], fit: &Fit) -> bool {
        let Cause::Lost(button, at) = cause else { return true };
        let Some(press) = told.iter().find(|press| (press.button, press.from) == (button, at)) else { return false };
        let doubt = view.polls.error_ms + BOUNCE_MS;
        let (close_ms, open_ms) = (view.timing.close.spread_ms, view.timing.open.spread_ms);
        let first = press.from.plus_ms(close_ms + doubt);
        let last = press.to.plus_ms(-open_ms - doubt);
        let before = press.from.plus_ms(-close_ms - doubt);
        let is_long = press.to.ms_since(press.from) - close_ms - open_ms - 2.0 * BOUNCE_MS > view.rules.frame_ms();
        let appeared = fit.frames.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(frame, _)| view.polls.time(*frame));
        let frames = |time: HostTime| (time.ms_since(view.polls.at) / view.polls.frame_ms).floor();
        // A poll while it is surely closed; and the piece is there in the poll before, when it is still open.
        (is_long || frames(last) > frames(first)) && appeared.is_some_and(|appeared| before > appeared)
    }
}

/// One way that the piece may have taken.
struct Play {
    log: f64,
    lock_log: f64,
    contradictions: usize,
    pose: Pose,
}

/// Whether a piece can be planned alike from both.
fn is_near(a: Pose, b: Pose) -> bool {
    (a.x, a.orientation) == (b.x, b.orientation) && (a.y - b.y).abs() <= 1
}

fn best_of<'a>(tried: impl IntoIterator<Item = &'a Hypothesis>) -> Option<&'a Hypothesis> {
    tried.into_iter().max_by(|a, b| a.sober_log().total_cmp(&b.sober_log()))
}

/// Many delays explain a piece alike: of those the mean.
fn mean_late(tried: &[Hypothesis], best: &Hypothesis) -> Option<Hypothesis> {
    let [Cause::Late(_)] = best.causes[..] else { return None };
    let late = || {
        tried.iter().filter_map(|other| match other.causes[..] {
            [Cause::Late(halves)] => Some((halves, other)),
            _ => None,
        })
    };
    let weight = |other: &Hypothesis| (other.sober_log() - best.sober_log()).exp();
    let total: f64 = late().map(|(_, other)| weight(other)).sum();
    let mean = late().map(|(halves, other)| f64::from(halves) * weight(other)).sum::<f64>() / total;
    late().find(|(halves, _)| f64::from(*halves) == mean.round()).map(|(_, other)| other.clone())
}

/// What the causes are, whichever press and however late.
fn kinds(causes: &[Cause]) -> Vec<(u8, Buttons, Buttons)> {
    let mut kinds: Vec<_> = causes
        .iter()
        .map(|cause| match *cause {
            Cause::Lost(button, _) | Cause::Dead(button) => (0, button, Buttons::NONE),
            Cause::Doubled(button, ..) => (1, button, Buttons::NONE),
            Cause::Swapped(a, b) => (2, a, b),
            Cause::Stuck(button, _) => (3, button, Buttons::NONE),
            Cause::Late(_) => (4, Buttons::NONE, Buttons::NONE),
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
