//! A robot hand for falling-block games: light in, contact closures out.
//!
//! ```text
//!  EDGE IN              THE CORE: no clock, no I/O, no threads                        EDGE OUT
//!  edge::camera ─ Frame ─► vision ─ Observation ─► belief ─► planner ─ ButtonSchedule ─► schedule ─ RelayCommand ─► edge::relay
//!                              └───────────────── robot: handle(Input) -> Vec<Output> ────────────────┘
//!  game: the rules, shared by belief, planner and twin        twin: console, camera and relay board to play with instead
//! ```
//!
//! [`robot`] is the core as one machine; `play`, `dry-run` and `replay` in [`app`] drive the same one and differ only in what
//! stands at its two edges: [`edge::camera`] and [`edge::relay`], or the simulated table of [`edge::simulated`]. What flows
//! between the rooms is defined in [`message`]. `ARCHITECTURE.md` says which room holds what, and how to add a game, a board,
//! an evaluator or a page.
//!
//! Where would the robot put a T, with an O to come?
//!
//! ```
//! use stackhand::game::{Board, Piece};
//! use stackhand::planner::{Moves, Weights, two_piece};
//! use stackhand::profile::layout::Layout;
//!
//! let movement = Layout::load("nes")?.movement().ok_or("a piece of unknown shape")?;
//! let spawn = movement.spawn(Piece::T);
//! let ranked = two_piece(&Board::default(), spawn, Some(Piece::O), &Moves::freely(&movement), &Weights::default());
//! assert_eq!(ranked.len(), 34); // all placements on an empty field, the best first
//! assert!(ranked[0].pose.cells().iter().any(|&(_, row)| row == 19));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is absent: the core takes no clock, does no I/O, starts no thread and knows nothing of the twin;
//! `tests/program/invariants.rs` reads the sources and says so. The library is made for the program and its tests; its
//! interface may change with every version.

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
pub mod train;
pub mod twin;
pub mod vision;
pub mod web;
