//! What was read in a single picture, or in each of a few: the board itself, for there is no game to tell of.

use crate::app::out;
use crate::app::report::seen_words;
use crate::message::{Frame, Observation};
use std::io;

/// Of more pictures than this the boards are not printed: the summary says more, and `--each-frame` has all.
const PICTURES_MAX: usize = 4;

/// The boards of the first pictures.
#[derive(Default)]
pub struct Album {
    /// In words, a picture each; one more than will be printed.
    pages: Vec<Vec<String>>,
}

impl Album {
    /// Keeps what was read in a picture, as long as there are few.
    pub fn look(&mut self, frame: &Frame, seen: &Observation) {
        if self.pages.len() <= PICTURES_MAX {
            let number = || format!("Picture {}", frame.index.0 + 1);
            self.pages.push(seen_words(&frame.name.as_deref().map_or_else(number, String::from), seen));
        }
    }

    /// Prints them, if there were few.
    ///
    /// # Errors
    /// When standard output is closed or full.
    pub fn print(&self) -> io::Result<()> {
        if self.pages.len() > PICTURES_MAX {
            return Ok(());
        }
        self.pages.iter().flatten().try_for_each(out::line)
    }
}
