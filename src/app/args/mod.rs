//! What several commands ask of the command line.

pub mod ai;
pub mod board;
pub mod board_size;
pub mod contest;
pub mod effects;
pub mod files;
pub mod filters;
pub mod find;
pub mod finger;
pub mod modern;
pub mod search;
pub mod standard;
pub mod standard_screen;
pub mod table_game;
pub mod values;

/// Options that do not go together, or with what they are used on: wrong usage, exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misuse(pub String);
