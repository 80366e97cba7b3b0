//! What a picture shows, once the playfield is found: cells, pieces, and whether the game is on.

pub mod arrivals;
pub mod clues;
pub mod confidence;
pub mod cover;
pub mod drawing;
pub mod exposure;
pub mod ghost;
pub mod glints;
pub mod halves;
pub mod levels;
pub mod light;
pub mod proof;
pub mod reader;
pub mod sampling;
pub mod seams;
pub mod shapes;
pub mod state;
pub mod worths;

pub use proof::Proof;
pub use reader::Reader;
