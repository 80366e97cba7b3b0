//! A robot hand for falling-block games: light in, contact closures out.
//!
//! Data flows one way: [`edge::camera`] → [`message::Frame`] → [`vision`] → [`message::Observation`] → [`belief`] →
//! [`planner`] → [`schedule`] → [`message::RelayCommand`] → [`edge::relay`]. [`robot`] is that way as one pure step; `play`,
//! `dry-run` and `replay` in [`app`] differ only in what stands at its two edges. [`game`] holds the rules, shared by belief,
//! planner and the simulated table in [`twin`].
//!
//! What is absent: the core (`game`, `vision`, `belief`, `planner`, `schedule`, `robot`) takes no clock, does no I/O and
//! starts no thread, and knows nothing of the twin; `tests/program/invariants.rs` reads the sources and says so.

pub mod app;
pub mod belief;
pub mod edge;
pub mod file;
#[doc(hidden)]
pub mod fuzzing;
pub mod game;
pub mod message;
pub mod planner;
pub mod profile;
pub mod robot;
pub mod schedule;
pub mod time;
pub mod twin;
pub mod vision;
pub mod web;
