//! What is under way, for whoever waits at a terminal: how much of it is done, and how long the rest will take. It is shown
//! on standard error from its first moment on; where that is no terminal, nothing is.

use super::{out, terminal};
use crate::time::{Clock, HostTime, SystemClock};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Parts of the bar: more than any terminal has columns.
const PARTS: u64 = 1000;
/// It is drawn anew this often, ms: a person reads no faster.
const EVERY_MS: f64 = 80.0;
/// It moves this often even if nothing is reported: it is not stuck.
const TICK: Duration = Duration::from_millis(200);
/// Where a terminal does not say how wide it is.
const USUAL_COLUMNS: usize = 80;
/// The spinner, the time that has passed, or the shortest of bars.
const AROUND_COLUMNS: usize = 12;
/// What is left is not told before so much time has passed, ms, or so small a share is done: it would jump.
const LEFT_AFTER_MS: f64 = 1000.0;
const LEFT_AFTER_SHARE: f64 = 0.005;

/// Something that takes longer than a moment. Dropped, it is gone from the terminal.
pub struct Progress {
    bar: ProgressBar,
    clock: SystemClock,
    /// When what is under way began.
    began: HostTime,
    /// When it was drawn last.
    shown: Option<HostTime>,
    has_bar: bool,
    /// It may be over sooner than the share that is done says.
    is_bound: bool,
}

impl Progress {
    /// Something that these words name is under way.
    pub fn new(words: &str) -> Self {
        let clock = SystemClock::new();
        // One that is no terminal, or takes only lines, hides it.
        let bar = ProgressBar::new(PARTS).with_style(style(false));
        let mut progress = Self { bar, began: clock.now(), clock, shown: None, has_bar: false, is_bound: false };
        progress.step(words);
        if !progress.bar.is_hidden() {
            out::draw_bar(&progress.bar);
            progress.bar.enable_steady_tick(TICK);
        }
        progress
    }

    /// The same, if the shares that will be told are of the most that it may take: a search ends when it has found.
    pub fn at_most(words: &str) -> Self {
        let mut progress = Self::new(words);
        progress.is_bound = true;
        progress
    }

    /// Whether anybody sees it.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Something else is under way from now on.
    pub fn step(&mut self, words: &str) {
        if self.bar.is_hidden() && io::stderr().is_terminal() {
            return out::note(format_args!("{words} ..."));
        }
        self.began = self.clock.now();
        self.shown = None;
        self.put(None, words.into());
        self.bar.tick();
    }

    /// How far it has come: a share from 0 to 1, if that is known, and in words.
    pub fn show(&mut self, share: Option<f64>, words: impl FnOnce() -> String) {
        if self.bar.is_hidden() {
            return;
        }
        let now = self.clock.now();
        if self.shown.is_some_and(|shown| now.ms_since(shown) < EVERY_MS) {
            return;
        }
        self.shown = Some(now);
        let left = share.and_then(|share| left(now.ms_since(self.began), share));
        let words = match (left, self.is_bound) {
            (Some(left), true) => format!("{}, at most {left}", words()),
            (Some(left), false) => format!("{}, {left}", words()),
            (None, _) => words(),
        };
        self.put(share, words);
    }

    fn put(&mut self, share: Option<f64>, words: String) {
        if self.has_bar != share.is_some() {
            self.has_bar = share.is_some();
            self.bar.set_style(style(self.has_bar));
        }
        self.bar.set_position((share.unwrap_or(0.0).clamp(0.0, 1.0) * PARTS as f64) as u64);
        let words = if terminal::is_unicode() { words } else { terminal::in_ascii(&words) };
        // In more than one line it would scroll a small terminal away.
        let columns =
            terminal_size::terminal_size_of(io::stderr()).map_or(USUAL_COLUMNS, |(columns, _)| columns.0.into());
        self.bar.set_message(words.chars().take(columns.saturating_sub(AROUND_COLUMNS)).collect::<String>());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        out::end_bar(&self.bar);
    }
}

/// A bar, or a sign of life and the time that has passed.
fn style(has_bar: bool) -> ProgressStyle {
    let template = if has_bar { "{spinner} {wide_bar} {msg}" } else { "{spinner} {msg} ({elapsed})" };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    if terminal::is_unicode() { style } else { style.tick_chars("-\\|/ ").progress_chars("#>-") }
}

/// In words how long the rest will take, at the pace until now; `None` as long as that is anybody's guess.
fn left(passed_ms: f64, share: f64) -> Option<String> {
    if passed_ms < LEFT_AFTER_MS || share < LEFT_AFTER_SHARE {
        return None;
    }
    let left_s = passed_ms / 1000.0 * (1.0 - share.min(1.0)) / share;
    Some(match left_s {
        ..90.0 => format!("{:.0} s left", left_s.ceil()),
        90.0..5400.0 => format!("{:.0} min left", left_s / 60.0),
        _ => format!("{:.1} h left", left_s / 3600.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_when_it_can_be_known_in_the_unit_that_fits() {
        let told = |passed_ms, share| left(passed_ms, share).unwrap_or_default();
        assert_eq!(told(500.0, 0.5), "");
        assert_eq!(told(2000.0, 0.0), "");
        assert_eq!(told(2000.0, 0.5), "2 s left");
        assert_eq!(told(10_000.0, 0.04), "4 min left");
        assert_eq!(told(100_000.0, 0.01), "2.8 h left");
        assert_eq!(told(60_000.0, 1.2), "0 s left");
    }
}
