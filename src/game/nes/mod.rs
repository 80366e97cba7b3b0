//! The NES game (NTSC), as its listing has it; addresses in comments are those of the ROM.

pub mod console;
pub mod control;
pub mod entry;
pub mod random;
pub mod score;
pub mod vectors;

pub use console::{Console, Event, Phase};
pub use control::Control;
