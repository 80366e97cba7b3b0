//! The twin behind the true edges: pictures as from a camera, boards as on a port.

pub mod camera;
pub mod clocked;
pub mod line;
#[cfg(unix)]
pub mod pty;
pub mod table;

pub use clocked::ClockedBoard;
pub use line::SimulatedBoard;
#[cfg(unix)]
pub use pty::{Contacts, PtyBoard};
