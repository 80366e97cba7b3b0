//! What a person at the page wants of a running robot: hold, go on, one step. STOP does not wait for the robot's loop: it
//! holds the robot first and then opens the relays, so nothing the loop does in between can close one again.

use crate::edge::relay::ExecutorHandle;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long STOP waits to hear that the relays are open.
const OPEN_PATIENCE: Duration = Duration::from_secs(1);

/// Whether the robot may press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// It plays.
    #[default]
    Running,
    /// It plays until the next piece has locked (or, on a simulated clock, until the next picture), and pauses then.
    Stepping,
    /// It presses nothing until it is told to go on.
    Paused,
    /// The same, and all relays were opened.
    Stopped,
}

impl Hold {
    /// Whether presses may be made.
    pub fn may_press(self) -> bool {
        matches!(self, Self::Running | Self::Stepping)
    }

    /// As the page calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stepping => "stepping",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
        }
    }
}

/// The switch between the page and the robot's loop.
#[derive(Default)]
pub struct Control {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    hold: Hold,
    relays: Option<ExecutorHandle>,
    /// The loop has not noticed yet that the robot was held meanwhile.
    was_held: bool,
    stops: u64,
}

/// The right to press. While it is held no STOP can come in between.
pub struct Permit<'a>(#[allow(dead_code)] MutexGuard<'a, State>);

impl Control {
    /// The relays that STOP opens.
    pub fn connect(&self, relays: ExecutorHandle) {
        self.lock().relays = Some(relays);
    }

    /// Whether the robot may press now.
    pub fn hold(&self) -> Hold {
        self.lock().hold
    }

    /// Times STOP was pressed.
    pub fn stops(&self) -> u64 {
        self.lock().stops
    }

    /// The right to hand commands to the relays, if there is one. Keep it only for handing them over.
    pub fn permit(&self) -> Option<Permit<'_>> {
        let state = self.lock();
        state.hold.may_press().then_some(Permit(state))
    }

    /// The right to press Start for a pause: while the robot is paused, and not after STOP.
    pub fn permit_while_paused(&self) -> Option<Permit<'_>> {
        let state = self.lock();
        (state.hold == Hold::Paused).then_some(Permit(state))
    }

    /// True once after the robot was held: what it had planned is void.
    pub fn take_resumed(&self) -> bool {
        let mut state = self.lock();
        state.hold.may_press() && std::mem::take(&mut state.was_held)
    }

    /// Holds the robot and opens all relays. Whether they are open; `None` if there are none to open.
    pub fn stop(&self) -> Option<bool> {
        let relays = {
            let mut state = self.lock();
            state.hold = Hold::Stopped;
            state.was_held = true;
            state.stops += 1;
            state.relays.clone()
        };
        self.changed.notify_all();
        relays.map(|relays| relays.open_all(OPEN_PATIENCE))
    }

    /// Lets go and holds the robot; relays open, for what was planned will not be finished.
    pub fn pause(&self) -> Option<bool> {
        let relays = {
            let mut state = self.lock();
            if state.hold == Hold::Stopped {
                return None;
            }
            state.hold = Hold::Paused;
            state.was_held = true;
            state.relays.clone()
        };
        self.changed.notify_all();
        relays.map(|relays| relays.open_all(OPEN_PATIENCE))
    }

    /// Lets the robot go on, also where it rests of its own accord.
    pub fn go_on(&self) {
        self.lock().was_held = true;
        self.set(Hold::Running);
    }

    /// Lets the robot do one step and pause.
    pub fn step(&self) {
        self.set(Hold::Stepping);
    }

    /// A step has come to its end.
    pub fn stepped(&self) {
        let mut state = self.lock();
        if state.hold == Hold::Stepping {
            state.hold = Hold::Paused;
            state.was_held = true;
        }
    }

    /// Waits while the robot is held, at most this long. For worlds that stand still meanwhile.
    pub fn wait_while_held(&self, at_most: Duration) {
        let state = self.lock();
        drop(self.changed.wait_timeout_while(state, at_most, |s| !s.hold.may_press()));
    }

    fn set(&self, hold: Hold) {
        self.lock().hold = hold;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_robot_gets_no_permit_and_hears_once_that_it_was_held() {
        let control = Control::default();
        assert!(control.permit().is_some() && !control.take_resumed());
        assert_eq!(control.stop(), None);
        assert!(control.permit().is_none() && !control.take_resumed());
        assert_eq!((control.pause(), control.hold()), (None, Hold::Stopped));
        assert!(control.permit_while_paused().is_none());
        control.step();
        assert!(control.permit().is_some() && control.take_resumed() && !control.take_resumed());
        control.stepped();
        assert_eq!(control.hold(), Hold::Paused);
        assert!(control.permit_while_paused().is_some());
        control.go_on();
        control.stepped();
        assert_eq!(control.hold(), Hold::Running);
    }
}
