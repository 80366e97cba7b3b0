//! The robot with a tape running: a recording holds every input that it took, so that `replay` can run it again.

use crate::edge::session::SessionWriter;
use crate::message::{RunEvent, TapedInput};
use crate::robot::{Input, Output, Robot};
use crate::time::HostTime;
use std::ops::Deref;

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

fn line(input: TapedInput) -> Option<String> {
    serde_json::to_string(&RunEvent::Input(input)).ok()
}

fn put(tape: &SessionWriter, input: TapedInput) {
    line(input).into_iter().for_each(|line| tape.event(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_as_they_were_written() {
        let time = HostTime(-1_234_567);
        for input in [Input::Time(time), Input::Sent, Input::CalledOff(time), Input::Held, Input::GoOn(time)] {
            let taped = TapedInput::of(&input).unwrap();
            let RunEvent::Input(read) = RunEvent::from_line(&line(taped).unwrap()) else { panic!("{taped:?}") };
            assert_eq!((read, format!("{:?}", read.input().unwrap())), (taped, format!("{input:?}")));
        }
        let lacks = TapedInput::Unrecorded { time_us: 5 };
        assert_eq!(line(lacks).unwrap(), r#"{"event":"input","what":"unrecorded","time_us":5}"#);
    }
}
