//! A learner's file, from which it goes on as if nothing had been.

use super::{Course, Learner, Memory};
use crate::planner::evaluate::LANES;
use crate::planner::value::patterns::Sight;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// How a file of a learner begins; then a line of JSON ([`Head`]), then weights and errors.
const MAGIC: &[u8] = b"stackhand learner 4\n";

/// Why a file is no learner.
#[derive(Debug, Error)]
pub enum LearnerError {
    /// Something else, another version's, or damaged.
    #[error("{name} holds no learning of this version, or is damaged; begin anew with another file")]
    Other {
        /// Its name or path.
        name: String,
    },
    /// It was learning something else.
    #[error("{name} was learning something else ({found}; now {wanted}); give the same options, or another file")]
    Different {
        /// Its name or path.
        name: String,
        /// What it was learning.
        found: String,
        /// What is wanted.
        wanted: String,
    },
}

/// What a learner learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The game, in words.
    pub game: String,
    /// From whose weights it began.
    pub from: String,
    /// How.
    pub course: Course,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, from, course } = self;
        let Course { seed, games, measure, discount, survival, rate_max, finalists } = course;
        let counts = measure.name();
        write!(f, "{game}, {counts}, from {from}, seed {seed}, {games} games, discount {discount}")?;
        write!(f, ", survival {survival}, rate {rate_max}")?;
        if *finalists > 1 { write!(f, ", finalists {finalists}") } else { Ok(()) }
    }
}

/// What stands before the numbers.
#[derive(Serialize, Deserialize)]
struct Head {
    subject: Subject,
    games: u64,
    frames_per_row: Vec<u8>,
    followers: [[f32; 7]; 7],
    sight: Sight,
    field: [usize; 2],
    /// Of all numbers, CRC-32.
    crc: u32,
}

impl Learner {
    /// As a file from which it goes on as if nothing had been.
    ///
    /// # Errors
    /// Never for what this program made.
    pub fn to_bytes(&self, subject: &Subject) -> Result<Vec<u8>, serde_json::Error> {
        let numbers = |memory: &Memory| {
            let numbers = memory.weights.iter().flatten().chain(memory.errors.iter().flatten());
            numbers.flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
        };
        let numbers: Vec<u8> = self.tables.iter().flat_map(numbers).collect();
        let crc = crc32fast::hash(&numbers);
        let Self { frames_per_row, followers, sight, field, games, .. } = self.clone();
        let head = Head { subject: subject.clone(), games, frames_per_row, followers, sight, field, crc };
        Ok(MAGIC.iter().copied().chain(serde_json::to_vec(&head)?).chain(*b"\n").chain(numbers).collect())
    }

    /// Reads what [`Self::to_bytes`] wrote, and what it was learning; `name` is for messages.
    ///
    /// # Errors
    /// When it is something else, or damaged.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<(Self, Subject), LearnerError> {
        let other = || LearnerError::Other { name: name.into() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(other)?;
        let Head { subject, games, frames_per_row, followers, sight, field, crc } =
            serde_json::from_slice(&rest[..end]).map_err(|_| other())?;
        let numbers = &rest[end + 1..];
        let whole = frames_per_row.len() * sight.count() * (LANES + 2) * size_of::<f32>();
        if frames_per_row.is_empty() || numbers.len() != whole || crc32fast::hash(numbers) != crc {
            return Err(other());
        }
        let tables = numbers.chunks_exact(whole / frames_per_row.len());
        let tables = tables.map(|bytes| Memory::from_bytes(bytes, sight.count())).collect();
        Ok((Self { frames_per_row, followers, sight, field, tables, games }, subject))
    }
}

impl Memory {
    fn from_bytes(bytes: &[u8], count: usize) -> Self {
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let (weights, errors) = bytes.split_at(count * LANES * size_of::<f32>());
        let weights = weights.chunks_exact(LANES * size_of::<f32>());
        let errors = errors.chunks_exact(2 * size_of::<f32>());
        Self {
            weights: weights
                .map(|bytes| std::array::from_fn(|lane| number(&bytes[lane * size_of::<f32>()..])))
                .collect(),
            errors: errors.map(|bytes| [number(bytes), number(&bytes[size_of::<f32>()..])]).collect(),
        }
    }
}
