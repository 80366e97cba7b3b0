//! What several commands ask of the command line.

pub mod files;
pub mod filters;
pub mod find;
pub mod finger;
pub mod values;
