//! The robot driven as a loop drives it, one step a call.

use stackhand::message::{Frame, Observation};
use stackhand::robot::{Decision, Input, Look, Output, Robot};
use stackhand::time::HostTime;

/// Inputs with their outputs.
#[allow(dead_code)]
pub trait Driven {
    /// A picture.
    fn look(&mut self, frame: &Frame) -> Look;
    /// A picture that was read.
    fn take(&mut self, observation: Observation) -> Look;
    /// A decision that is not sent.
    fn propose(&mut self, now: HostTime) -> Option<Decision>;
    /// A decision that is sent.
    fn decide(&mut self, now: HostTime) -> Option<Decision>;
}

impl Driven for Robot {
    fn look(&mut self, frame: &Frame) -> Look {
        look_in(self.handle(Input::Picture(frame)))
    }

    fn take(&mut self, observation: Observation) -> Look {
        look_in(self.handle(Input::Observation(observation)))
    }

    fn propose(&mut self, now: HostTime) -> Option<Decision> {
        self.handle(Input::Time(now)).into_iter().find_map(|output| match output {
            Output::Decision(decision) => Some(decision),
            _ => None,
        })
    }

    fn decide(&mut self, now: HostTime) -> Option<Decision> {
        let decision = self.propose(now);
        self.handle(Input::Sent);
        decision
    }
}

#[allow(clippy::expect_used)]
fn look_in(outputs: Vec<Output>) -> Look {
    let look = |output| match output {
        Output::Look(look) => Some(look),
        _ => None,
    };
    outputs.into_iter().find_map(look).expect("a picture is looked at")
}
