//! Looks and decisions by another clock that began earlier or later.

use super::notice::Notice;
use super::state::Decision;
use super::watcher::Look;
use crate::belief::Event;
use crate::message::RelayCommand;
use crate::schedule::{ButtonSchedule, Change};
use crate::time::HostTime;

fn shift(time: &mut HostTime, us: i64) {
    time.0 += us;
}

impl Look {
    /// The same by a clock that shows so much more, µs.
    #[must_use]
    pub fn shifted(mut self, us: i64) -> Self {
        shift(&mut self.observation.time, us);
        self.events.iter_mut().for_each(|event| shift_event(event, us));
        for told in &mut self.told {
            match told {
                Notice::Blame { blame, .. } => shift(&mut blame.time, us),
                Notice::Paused { time, .. }
                | Notice::NotPaused { time, .. }
                | Notice::Waiting { time, .. }
                | Notice::Resumed { time }
                | Notice::FallTime { time, .. }
                | Notice::Delay { time, .. }
                | Notice::Adrift { time, .. } => shift(time, us),
            }
        }
        self
    }
}

fn shift_event(event: &mut Event, us: i64) {
    match event {
        Event::Spawned(spawned) => {
            shift(&mut spawned.time, us);
            spawned.not_before.iter_mut().for_each(|time| shift(time, us));
        }
        Event::Locked(locked) => shift(&mut locked.time, us),
        Event::GameOver { time, .. } | Event::Surprise(_, time) => shift(time, us),
    }
}

impl Decision {
    /// The same by a clock that shows so much more, µs.
    #[must_use]
    pub fn shifted(mut self, us: i64) -> Self {
        shift(&mut self.since, us);
        for RelayCommand { due, expires, .. } in &mut self.commands {
            shift(due, us);
            shift(expires, us);
        }
        if let Some(plan) = &mut self.plan {
            let changes =
                plan.schedule.changes().iter().map(|change| Change { at: HostTime(change.at.0 + us), ..*change });
            plan.schedule = ButtonSchedule::of(changes.collect());
            shift(&mut plan.lock.earliest, us);
            shift(&mut plan.lock.latest, us);
        }
        self
    }
}
