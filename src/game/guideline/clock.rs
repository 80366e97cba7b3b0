//! Time passes: what a player holds, and what becomes due.
//!
//! Times are whole µs, given by the caller. The guideline speaks in seconds, but at level 15 a row takes 7.059 ms and a soft drop
//! 0.353 ms: whole ms or frames would lose a part of every row, and fractions would not add up to the same sum everywhere.

use super::game::{End, Event, Falling, Game, Phase};
use super::keys::Keys;
use super::settings::Variant;
use super::speed::{SOFT_DROP, fall_us};

/// What becomes due, in the order in which things of the same instant happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Repeat,
    Fall,
    Lock,
    Generation,
    /// The time of the variant is over.
    End,
}

impl Game {
    /// The player holds these buttons for so many µs. Buttons not held before are pressed at the beginning: first hold, then moves,
    /// turns and the hard drop.
    pub fn advance(&mut self, keys: Keys, us: u64) -> Vec<Event> {
        let mut events = Vec::new();
        let pressed = keys.pressed_since(std::mem::replace(&mut self.keys, keys));
        if self.end().is_some() {
            return events;
        }
        // seed 002:2294–2296.
        self.is_paused ^= pressed.holds(Keys::PAUSE);
        if self.is_paused {
            return events;
        }
        // A piece that is due at this instant is there before the player's wish is heard.
        if self.phase == Phase::Generation(0) {
            self.happen(Due::Generation, &mut events);
        }
        self.press(keys, pressed, &mut events);
        self.pass(us, &mut events);
        events
    }

    fn press(&mut self, keys: Keys, pressed: Keys, events: &mut Vec<Event>) {
        if pressed.holds(Keys::HOLD) {
            self.hold(events);
        }
        if let Some(side) = self.repeat.hold([keys.holds(Keys::LEFT), keys.holds(Keys::RIGHT)]) {
            self.step(side);
        }
        for (key, clockwise) in [(Keys::CLOCKWISE, true), (Keys::COUNTER_CLOCKWISE, false)] {
            if pressed.holds(key) {
                self.turn(clockwise);
            }
        }
        if pressed.holds(Keys::HARD_DROP) {
            self.hard_drop(events);
        }
    }

    fn pass(&mut self, us: u64, events: &mut Vec<Event>) {
        let mut left = us;
        while self.end().is_none() {
            let next = self.next_due();
            let step = next.map_or(left, |(due, _)| due.min(left));
            let is_due = next.filter(|(due, _)| *due <= left);
            left -= step;
            self.elapsed_us += step;
            self.let_pass(step);
            match is_due {
                Some((_, what)) => self.happen(what, events),
                None => return,
            }
        }
    }

    /// How often a row's time passes as fast as it does without a soft drop (seed 002:1496).
    fn rate(&self) -> u64 {
        if self.keys.holds(Keys::SOFT_DROP) { SOFT_DROP } else { 1 }
    }

    fn next_due(&self) -> Option<(u64, Due)> {
        let mut all = vec![self.repeat.due_us().map(|us| (us, Due::Repeat))];
        match &self.phase {
            Phase::Generation(us) => all.push(Some((*us, Due::Generation))),
            Phase::Falling(falling) => {
                let lock = falling.lock.due_us();
                all.push(lock.map(|us| (us, Due::Lock)));
                if lock.is_none() {
                    all.push(Some((self.until_fall(falling), Due::Fall)));
                }
            }
            Phase::Over(_) => {}
        }
        if let Variant::Ultra { us } = self.settings.variant {
            all.push(Some((us.saturating_sub(self.elapsed_us), Due::End)));
        }
        all.into_iter().flatten().min()
    }

    fn until_fall(&self, falling: &Falling) -> u64 {
        fall_us(self.progress.level()).saturating_sub(falling.fallen_us).div_ceil(self.rate())
    }

    /// Timers go on, no further than to what is due next.
    fn let_pass(&mut self, us: u64) {
        let rate = self.rate();
        match &mut self.phase {
            Phase::Generation(left) => *left = left.saturating_sub(us),
            Phase::Falling(falling) => {
                if falling.lock.due_us().is_none() {
                    falling.fallen_us += us * rate;
                }
                falling.lock.pass(us);
            }
            Phase::Over(_) => {}
        }
        if let Some(side) = self.repeat.pass(us) {
            self.step(side);
        }
    }

    fn happen(&mut self, due: Due, events: &mut Vec<Event>) {
        match due {
            // The move has been made as the time passed.
            Due::Repeat => {}
            Due::Fall => self.fall_in_time(),
            Due::Lock => self.lock(events),
            Due::Generation => {
                let piece = self.queue.draw();
                self.appear(piece, events);
            }
            Due::End => self.finish(End::Completed, events),
        }
    }

    fn fall_in_time(&mut self) {
        let row_us = fall_us(self.progress.level());
        if let Phase::Falling(falling) = &mut self.phase {
            falling.fallen_us = falling.fallen_us.saturating_sub(row_us);
        }
        if self.fall() && self.keys.holds(Keys::SOFT_DROP) {
            self.score_soft_row();
        }
    }
}
