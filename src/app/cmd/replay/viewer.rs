//! Looks at a recording picture by picture, and keeps up with where the field is. Where the recording holds all that its robot
//! took in, that robot is run again.

use crate::app::args::find::Found;
use crate::belief::{Belief, Event};
use crate::game::orientation::Pose;
use crate::game::{Board, Counters, Piece};
use crate::message::{Frame, TapedInput};
use crate::planner::Brain;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::{Decision, Input, Look, Output, Robot, RobotError, Settings, Watcher};
use crate::time::HostTime;
use crate::vision::follow::Change;
use crate::vision::{Located, locate};

/// A watcher with its calibration.
pub struct Viewer {
    layout: Layout,
    calibration: Calibration,
    eyes: Eyes,
    level: u8,
    /// The field is looked for again when it is not where it was.
    search_again: bool,
}

/// Who looks.
enum Eyes {
    /// Somebody who decides nothing.
    Watcher(Box<Watcher>),
    /// The recorded run's robot, and how much less its clock showed than the recording's, µs.
    Robot(Box<Robot>, i64),
}

impl Eyes {
    fn belief(&self) -> &Belief {
        match self {
            Self::Watcher(watcher) => &watcher.belief,
            Self::Robot(robot, _) => robot.belief(),
        }
    }
}

/// What came of one picture.
pub struct Viewed {
    /// What was read and what became certain.
    pub look: Look,
    /// The field's place, if the whole picture was searched for it.
    pub searched: Option<Located>,
}

impl Viewed {
    /// The field's place from this picture on, if it is another than before.
    pub fn place(&self) -> Option<Located> {
        match self.look.change {
            Some(Change::Moved(found)) => Some(found),
            _ => self.searched,
        }
    }
}

impl Viewer {
    /// A viewer of a game that began at `level`. Where pictures need not be from one camera position, `search_again` has
    /// each searched in which the field is not where it was.
    ///
    /// # Errors
    /// When nothing can be read with this calibration.
    pub fn new(found: &Found, level: u8, search_again: bool) -> Result<Self, RobotError> {
        let Found { layout, calibration, .. } = found.clone();
        let eyes = Eyes::Watcher(Box::new(Watcher::new(&layout, &calibration, level)?));
        Ok(Self { layout, calibration, eyes, level, search_again })
    }

    /// The robot of a run whose first picture was taken at `start` by its own clock.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn again(found: &Found, settings: Settings, brain: Brain, start: HostTime) -> Result<Self, RobotError> {
        let Found { layout, calibration, .. } = found.clone();
        let eyes = Eyes::Robot(Box::new(Robot::with_brain(&layout, &calibration, settings, brain)?), start.0);
        Ok(Self { layout, calibration, eyes, level: settings.start_level, search_again: false })
    }

    /// The robot takes what it took in the recorded run; what it decides now, and when, by the recording's clock.
    pub fn take(&mut self, input: TapedInput) -> Option<(HostTime, Option<Decision>)> {
        let Eyes::Robot(robot, start_us) = &mut self.eyes else { return None };
        let start_us = *start_us;
        let outputs = robot.handle(input.input()?);
        let TapedInput::Time { time_us } = input else { return None };
        let decision = outputs.into_iter().find_map(|output| match output {
            Output::Decision(decision) => Some(decision.shifted(-start_us)),
            Output::Look(_) | Output::Wake(_) => None,
        });
        Some((HostTime(time_us - start_us), decision))
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the field is by now.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The game's counters by now.
    pub fn counters(&self) -> Counters {
        self.eyes.belief().counters()
    }

    /// Whether the game can put a piece aside.
    pub fn can_hold(&self) -> bool {
        self.eyes.belief().can_hold()
    }

    /// The settled pile and the falling piece by now.
    pub fn believed(&self) -> (Board, Option<Pose>) {
        (*self.eyes.belief().pile(), self.eyes.belief().falling().map(|(_, pose)| pose))
    }

    /// The next piece by now, as far as it is known.
    pub fn next(&self) -> Option<Piece> {
        self.eyes.belief().next()
    }

    /// Looks at the next picture.
    ///
    /// # Errors
    /// When nothing can be read at the place where the field was found.
    pub fn look(&mut self, frame: &Frame) -> Result<Viewed, RobotError> {
        let mut viewed = Viewed { look: self.seen(frame)?, searched: None };
        if self.search_again
            && !viewed.look.observation.state.shows_field()
            && let Ok(found) = locate(&frame.image, &self.layout)
            && found.shows_play
            && found.is_reversed == self.layout.is_reversed
        {
            self.move_to(frame, &found);
            self.eyes = Eyes::Watcher(Box::new(Watcher::new(&self.layout, &self.calibration, self.level)?));
            viewed = Viewed { look: self.seen(frame)?, searched: Some(found) };
        }
        if let Some(Change::Moved(found)) = &viewed.look.change {
            self.move_to(frame, found);
        }
        Ok(viewed)
    }

    fn seen(&mut self, frame: &Frame) -> Result<Look, RobotError> {
        match &mut self.eyes {
            Eyes::Watcher(watcher) => Ok(watcher.look(frame)),
            Eyes::Robot(robot, start_us) => {
                let frame = Frame { time: HostTime(frame.time.0 + *start_us), ..frame.clone() };
                let look = robot.handle(Input::Picture(&frame)).into_iter().find_map(|output| match output {
                    Output::Look(look) => Some(look.shifted(-*start_us)),
                    Output::Decision(_) | Output::Wake(_) => None,
                });
                look.ok_or(RobotError::Blind)
            }
        }
    }

    /// At the end of a recording: what was still waiting. A recorded run ends without it.
    pub fn finish(&mut self) -> Vec<Event> {
        match &mut self.eyes {
            Eyes::Watcher(watcher) => watcher.belief.finish(),
            Eyes::Robot(..) => Vec::new(),
        }
    }

    fn move_to(&mut self, frame: &Frame, found: &Located) {
        let picture = [frame.image.width(), frame.image.height()];
        self.calibration = found.calibration(&self.layout.name, picture);
    }
}
