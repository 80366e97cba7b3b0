//! What is read from pictures: of the twin, of recordings, of photographs, and of none of them.

mod bad_input;
mod captures;
mod cover;
mod effects;
mod flaws;
mod grabbed;
mod handheld;
mod nothing;
mod pieces;
mod recordings;
#[path = "../shared/skip.rs"]
mod skip;
mod states;
mod steep;
mod support;
mod twin;
mod watch;
