//! Looks at a recording picture by picture, and keeps up with where the field is.

use crate::app::args::find::Found;
use crate::belief::Event;
use crate::game::Board;
use crate::game::nes::score::Counters;
use crate::game::orientation::Pose;
use crate::message::Frame;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::{Look, RobotError, Watcher};
use crate::vision::follow::Change;
use crate::vision::{Located, locate};

/// A watcher with its calibration.
pub struct Viewer {
    layout: Layout,
    calibration: Calibration,
    watcher: Watcher,
    level: u8,
    /// The field is looked for again when it is not where it was.
    search_again: bool,
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
        let watcher = Watcher::new(&layout, &calibration, level)?;
        Ok(Self { layout, calibration, watcher, level, search_again })
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
        self.watcher.belief.counters()
    }

    /// The settled pile and the falling piece by now.
    pub fn believed(&self) -> (Board, Option<Pose>) {
        (*self.watcher.belief.pile(), self.watcher.belief.falling().map(|(_, pose)| pose))
    }

    /// Looks at the next picture.
    ///
    /// # Errors
    /// When nothing can be read at the place where the field was found.
    pub fn look(&mut self, frame: &Frame) -> Result<Viewed, RobotError> {
        let mut viewed = Viewed { look: self.watcher.look(frame), searched: None };
        if self.search_again
            && !viewed.look.observation.state.shows_field()
            && let Ok(found) = locate(&frame.image, &self.layout)
            && found.shows_play
            && found.is_reversed == self.layout.is_reversed
        {
            self.move_to(frame, &found);
            self.watcher = Watcher::new(&self.layout, &self.calibration, self.level)?;
            viewed = Viewed { look: self.watcher.look(frame), searched: Some(found) };
        }
        if let Some(Change::Moved(found)) = &viewed.look.change {
            self.move_to(frame, found);
        }
        Ok(viewed)
    }

    /// At the end of a recording: what was still waiting.
    pub fn finish(&mut self) -> Vec<Event> {
        self.watcher.belief.finish()
    }

    fn move_to(&mut self, frame: &Frame, found: &Located) {
        let picture = [frame.image.width(), frame.image.height()];
        self.calibration = found.calibration(&self.layout.name, picture);
    }
}
