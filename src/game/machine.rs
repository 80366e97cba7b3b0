//! The machine that is simulated to the frame, for whoever runs one: the twin and the `console` command. This one is the NES,
//! whose pieces training draws, too; others are [`super::standard`] and [`super::simple`]. Whoever reasons about a game asks its
//! [`super::Rules`] instead.

pub use super::nes::console::{
    Concert, Ending, Entry, Figure, HighScore, HighScores, Recording, Rocket, Screen, Show, Skipped, Sky,
};
pub use super::nes::control::spawn_pose;
pub use super::nes::random::{FOLLOWERS, Random};
pub use super::nes::score::{SCORE_CAP, points};
pub use super::nes::{Choice, Console, Event, GameType, KillScreen, Phase, Players, Region, Setup};
pub use super::nes::{demo, display, movie, vectors};
