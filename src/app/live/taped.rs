//! The robot with a tape running: a recording holds every input that it took, so that `replay` can run it again.

use crate::edge::session::SessionWriter;
use crate::robot::{Input, Output, Robot};
use crate::time::HostTime;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The event's name.
const EVENT: &str = "input";

/// An input as it stands in a recording, besides pictures, which are records of their own. Times are the run's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum TapedInput {
    /// It was that late.
    Time {
        /// When, µs.
        time_us: i64,
    },
    /// The decision was sent.
    Sent,
    /// Presses were called off.
    CalledOff {
        /// When, µs.
        time_us: i64,
    },
    /// A person held the hand.
    Held,
    /// A person let the game go on.
    GoOn {
        /// When, µs.
        time_us: i64,
    },
    /// The robot saw a picture that the recording lacks: what it decided from then on need not come out again.
    Unrecorded {
        /// When it was taken, µs.
        time_us: i64,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    event: String,
    #[serde(flatten)]
    input: TapedInput,
}

impl TapedInput {
    /// As it is written.
    fn of(input: &Input<'_>) -> Option<Self> {
        Some(match input {
            Input::Picture(_) | Input::Observation(_) => return None,
            Input::Time(time) => Self::Time { time_us: time.0 },
            Input::Sent => Self::Sent,
            Input::CalledOff(time) => Self::CalledOff { time_us: time.0 },
            Input::Held => Self::Held,
            Input::GoOn(time) => Self::GoOn { time_us: time.0 },
        })
    }

    /// From a recording's line, if it is one.
    pub fn from_line(line: &str) -> Option<Self> {
        // Most lines are others.
        let line = line.contains(EVENT).then(|| serde_json::from_str::<Line>(line).ok()).flatten()?;
        (line.event == EVENT).then_some(line.input)
    }

    fn to_line(self) -> Option<String> {
        serde_json::to_string(&Line { event: EVENT.into(), input: self }).ok()
    }

    /// For the robot; `None` of what only the recording knows.
    pub fn input(self) -> Option<Input<'static>> {
        Some(match self {
            Self::Time { time_us } => Input::Time(HostTime(time_us)),
            Self::Sent => Input::Sent,
            Self::CalledOff { time_us } => Input::CalledOff(HostTime(time_us)),
            Self::Held => Input::Held,
            Self::GoOn { time_us } => Input::GoOn(HostTime(time_us)),
            Self::Unrecorded { .. } => return None,
        })
    }
}

/// A robot whose inputs are recorded, if that is wanted.
pub struct Taped {
    robot: Robot,
    tape: Option<SessionWriter>,
}

impl Taped {
    /// What the robot takes in from now on goes on the tape.
    pub fn new(robot: Robot, tape: Option<SessionWriter>) -> Self {
        Self { robot, tape }
    }

    /// As [`Robot::handle`]. A recorded robot sees pictures as the recording holds them.
    pub fn handle(&mut self, input: Input<'_>) -> Vec<Output> {
        let Some(tape) = &self.tape else { return self.robot.handle(input) };
        if let Input::Picture(frame) = input {
            let seen = tape.see(frame);
            if seen.is_none() {
                put(tape, TapedInput::Unrecorded { time_us: frame.time.0 });
            }
            return self.robot.handle(Input::Picture(seen.as_ref().unwrap_or(frame)));
        }
        TapedInput::of(&input).into_iter().for_each(|input| put(tape, input));
        self.robot.handle(input)
    }

    /// The recording.
    pub fn tape(&self) -> Option<&SessionWriter> {
        self.tape.as_ref()
    }

    /// Ends the recording.
    pub fn take_tape(&mut self) -> Option<SessionWriter> {
        self.tape.take()
    }
}

impl Deref for Taped {
    type Target = Robot;

    fn deref(&self) -> &Robot {
        &self.robot
    }
}

fn put(tape: &SessionWriter, input: TapedInput) {
    input.to_line().into_iter().for_each(|line| tape.event(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_as_they_were_written() {
        let time = HostTime(-1_234_567);
        for input in [Input::Time(time), Input::Sent, Input::CalledOff(time), Input::Held, Input::GoOn(time)] {
            let taped = TapedInput::of(&input).unwrap();
            let read = TapedInput::from_line(&taped.to_line().unwrap()).unwrap();
            assert_eq!((read, format!("{:?}", read.input().unwrap())), (taped, format!("{input:?}")));
        }
        let lacks = TapedInput::Unrecorded { time_us: 5 };
        assert_eq!(lacks.to_line().unwrap(), r#"{"event":"input","what":"unrecorded","time_us":5}"#);
        for other in [r#"{"event":"spawn","t_ms":1.0}"#, r#"{"event":"input"}"#, "input", ""] {
            assert_eq!(TapedInput::from_line(other), None, "{other}");
        }
    }
}
