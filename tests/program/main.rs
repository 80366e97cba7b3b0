//! The program as a user starts it, and what its sources promise.

mod bots;
mod cli;
mod clips;
#[cfg(unix)]
#[path = "../shared/desk.rs"]
mod desk;
mod docs;
#[cfg(unix)]
#[path = "../shared/eventually.rs"]
mod eventually;
mod film;
mod fuzz_corpus;
mod games;
mod inputs;
mod invariants;
#[cfg(unix)]
mod live;
mod output;
mod replay;
mod rooms;
#[path = "../shared/skip.rs"]
mod skip;
mod snapshots;
mod third_party;
mod tournament;
mod train;
mod window;
