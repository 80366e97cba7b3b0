//! Sees and believes.

use super::notice::Notice;
use crate::belief::clock::clock_watch::{ClockWatch, Sight};
use crate::belief::clock::game_clock::GameClock;
use crate::belief::{Belief, Event};
use crate::message::{Frame, Observation};
use crate::profile::calibration::Calibration;
use crate::profile::layout::{Layout, LayoutError};
use crate::time::{ConsoleFrame, HostTime};
use crate::vision::VisionError;
use crate::vision::follow::{Change, Watch};

/// Why no robot can be built.
#[derive(Debug, thiserror::Error)]
pub enum RobotError {
    /// The picture cannot be read with this calibration.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The layout's pieces are not those of the model.
    #[error("the layout {0:?} spawns a piece in a shape this program does not know; correct its [spawn] section")]
    Movement(String),
    /// The layout does not say how the game plays.
    #[error(transparent)]
    Rules(#[from] LayoutError),
    /// The machine did not do what it is for.
    #[error("the robot has not looked at a picture; please report this")]
    Blind,
}

/// Sees and believes; decides nothing.
pub struct Watcher {
    watch: Watch,
    /// What the game's state must be.
    pub belief: Belief,
    clock: ClockWatch,
}

/// What came of one picture.
pub struct Look {
    /// The picture, read.
    pub observation: Observation,
    /// What became certain.
    pub events: Vec<Event>,
    /// What became of the field's place in the picture, if anything did.
    pub change: Option<Change>,
    /// When the console's frames begin, if that is known.
    pub clock: Option<GameClock>,
    /// Which console frame the picture shows for at least half of its exposure, by that clock.
    pub console_frame: Option<ConsoleFrame>,
    /// What the robot has to tell about itself and its rig.
    pub told: Vec<Notice>,
}

impl Watcher {
    /// A watcher of one game through one calibration.
    ///
    /// # Errors
    /// When the corners span no field, or the layout's pieces are unknown.
    pub fn new(layout: &Layout, calibration: &Calibration, level: u8) -> Result<Self, RobotError> {
        let watch = Watch::new(layout, calibration.corners, calibration.lens_k1, calibration.picture)?;
        let movement = layout.movement().ok_or_else(|| RobotError::Movement(layout.name.clone()))?;
        let belief =
            Belief::new(movement, layout.game_rules(), [layout.field.columns, layout.field.rows], level, layout.ghost);
        let clock = ClockWatch::new(layout.game_rules());
        Ok(Self { watch, belief, clock })
    }

    /// Where the falling piece was in the last picture, by the console's clock.
    pub(super) fn sight(&self) -> Option<Sight> {
        self.clock.sight()
    }

    /// The same by a clock of which a frame began at `origin`.
    pub(super) fn sight_by(&self, origin: HostTime, frame_ms: f64) -> Option<Sight> {
        self.clock.sight_by(origin, frame_ms)
    }

    /// Reads a picture and brings the belief up to date.
    pub fn look(&mut self, frame: &Frame) -> Look {
        let (observation, change) = self.watch.look(frame);
        self.take(observation, change)
    }

    /// Brings the belief up to date with a picture that was read.
    pub fn take(&mut self, observation: Observation, change: Option<Change>) -> Look {
        let events = self.belief.observe(&observation);
        let (belief, falling) = (&self.belief, self.belief.falling().map(|(_, pose)| pose));
        self.clock.take(&observation, &events, belief.pile(), falling, belief.counters().level);
        let (clock, console_frame) = (self.clock.clock(), self.clock.console_frame());
        Look { observation, events, change, clock, console_frame, told: Vec::new() }
    }
}
