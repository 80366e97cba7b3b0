//! The NES game, as its listing has it; addresses in comments are those of the American cartridge.

pub mod console;
pub mod control;
pub mod demo;
pub mod display;
pub mod entry;
pub mod movie;
pub mod random;
pub mod region;
pub mod score;
pub mod vectors;

pub use console::{Choice, Console, Event, GameType, KillScreen, Phase, Players, Setup};
pub use control::Control;
pub use region::Region;
