//! What was held on the simulated pad in every frame since power-on.

use crate::game::Buttons;
use crate::game::machine::Setup;
use crate::game::machine::movie::Movie;
use std::sync::{Arc, Mutex, PoisonError};

/// A run's buttons; copies are the same tape, so that one end can be read while the table runs elsewhere.
#[derive(Debug, Clone)]
pub struct Tape {
    setup: Setup,
    held: Arc<Mutex<Vec<Buttons>>>,
}

impl Tape {
    /// A tape that begins with what was held so far.
    pub fn new(setup: Setup, held: Vec<Buttons>) -> Self {
        Self { setup, held: Arc::new(Mutex::new(held)) }
    }

    /// One frame more.
    pub fn push(&self, held: Buttons) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(held);
    }

    /// The movie up to now.
    pub fn movie(&self) -> Movie {
        Movie::of(self.setup, &self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
