//! The messages of the Tetris Bot Protocol, TBP: one JSON object a line (tetris-bot-protocol/tbp-spec: 0000-mvp, 0001-randomizer,
//! 0003-move_info). Messages and attributes that are not known are ignored.

use crate::game::{Piece, Rotation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The randomizer that draws from bags of seven.
pub const SEVEN_BAG: &str = "seven_bag";

/// What a front end says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToBot {
    /// How the game plays.
    Rules {
        /// Where pieces come from, by name; what is missing or not known, whatever it is, counts as unknown.
        #[serde(default)]
        randomizer: Option<Value>,
    },
    /// Calculate from here on.
    Start(Start),
    /// Calculate no more.
    Stop,
    /// Say what you would do.
    Suggest,
    /// This was done.
    Play {
        /// Where the piece went.
        #[serde(rename = "move")]
        played: Move,
    },
    /// Another piece is in the queue.
    NewPiece {
        /// Which.
        piece: Piece,
    },
    /// Exit.
    Quit,
    /// Something newer.
    #[serde(other)]
    Unknown,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The held piece.
    pub hold: Option<Piece>,
    /// The falling piece and those after it.
    pub queue: Vec<Piece>,
    /// Line clears in a row.
    pub combo: u32,
    /// Whether a back-to-back sequence is on.
    pub back_to_back: bool,
    /// 40 rows of 10 cells, the lowest first; null where nothing is, else a piece's letter or G.
    pub board: Vec<Vec<Option<String>>>,
    /// What the bag holds behind the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub randomizer: Option<Randomizer>,
}

/// The state of what brings pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Randomizer {
    /// Bags of seven.
    SevenBag {
        /// What is left in it.
        bag_state: Vec<Piece>,
    },
    /// Each piece as likely as any other, whatever came before.
    Uniform,
    /// Bags of other contents, which are not planned by.
    GeneralBag,
    /// Any other.
    #[serde(other)]
    Unknown,
}

/// A piece in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Where.
    pub location: Location,
    /// Whether it is spun there.
    pub spin: SpinName,
}

/// A place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Which piece.
    #[serde(rename = "type")]
    pub piece: Piece,
    /// Which way it faces.
    pub orientation: Facing,
    /// The centre's column, from 0 on the left.
    pub x: i32,
    /// The centre's row, from 0 at the floor.
    pub y: i32,
}

/// Which way a piece faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Facing {
    North,
    East,
    South,
    West,
}

impl Facing {
    /// All, clockwise.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// Quarter turns clockwise from north, 0–3.
    pub fn turns(self) -> usize {
        self as usize
    }

    /// The same of a piece here.
    pub fn of(rotation: Rotation) -> Self {
        Self::ALL[rotation as usize]
    }
}

/// Whether a piece is spun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum SpinName {
    None,
    Mini,
    Full,
}

/// What a bot says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromBot {
    /// Who it is.
    Info {
        /// For people.
        name: String,
        /// For people.
        version: String,
        /// Who made it.
        author: String,
        /// What it knows beyond the least.
        features: Vec<String>,
    },
    /// It can play by these rules.
    Ready,
    /// It cannot.
    Error {
        /// Why.
        reason: String,
    },
    /// What it would do, the best first.
    Suggestion {
        /// Where the piece should go.
        moves: Vec<Move>,
        /// How that was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        move_info: Option<MoveInfo>,
    },
    /// Something newer.
    #[serde(other)]
    Unknown,
}

/// How a suggestion was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoveInfo {
    /// Piles rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Pieces looked ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}
