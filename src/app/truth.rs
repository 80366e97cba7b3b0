//! A recording's true spawns, and how many of them were seen.

use crate::belief::{Event, Spawned};
use crate::game::Piece;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A spawn is looked for within this time of the true one, ms: a few pictures of a slow camera.
const NEAR_MS: f64 = 200.0;

/// One true spawn.
#[derive(Debug, Deserialize)]
struct TrueSpawn {
    t_ms: f64,
    piece: Piece,
    next: Option<Piece>,
    board: Vec<String>,
}

/// True spawns and seen ones.
#[derive(Debug)]
pub struct Truth {
    spawns: Vec<TrueSpawn>,
    seen: Vec<Spawned>,
}

/// How many were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// True spawns.
    pub spawns: usize,
    /// Of these, seen at the right time.
    pub seen: usize,
    /// With the right piece.
    pub piece: usize,
    /// With the right next piece.
    pub next: usize,
    /// With the right board.
    pub board: usize,
    /// With all of it right.
    pub exact: usize,
    /// Seen but not true.
    pub extra: usize,
}

impl Truth {
    /// Reads the true spawns.
    ///
    /// # Errors
    /// When the file cannot be read or a line is no spawn.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the truth file {name}"))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let spawns = lines.map(|(i, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("line {} of {name} is no spawn; it needs t_ms, piece, next and board", i + 1))
        });
        Ok(Self { spawns: spawns.collect::<anyhow::Result<_>>()?, seen: Vec::new() })
    }

    /// Takes in what was seen; times must be the recording's own.
    pub fn take(&mut self, events: &[Event]) {
        self.seen.extend(events.iter().filter_map(|event| match event {
            Event::Spawned(spawned) => Some(*spawned),
            _ => None,
        }));
    }

    /// Compares: each true spawn with the nearest one seen that no earlier one has taken.
    pub fn score(&self) -> Score {
        let mut score = Score { spawns: self.spawns.len(), ..Score::default() };
        let mut free: Vec<&Spawned> = self.seen.iter().collect();
        for spawn in &self.spawns {
            let distance = |s: &&Spawned| (s.time.ms() - spawn.t_ms).abs();
            let nearest = free.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            let Some(i) = nearest.filter(|(_, s)| distance(s) <= NEAR_MS).map(|(i, _)| i) else { continue };
            let seen = free.remove(i);
            let (piece, next) = (seen.piece == spawn.piece, seen.next == spawn.next);
            let board = seen.board.to_lines() == spawn.board;
            score.seen += 1;
            score.piece += usize::from(piece);
            score.next += usize::from(next);
            score.board += usize::from(board);
            score.exact += usize::from(piece && next && board);
            if !(piece && next && board) {
                tracing::warn!(t_ms = spawn.t_ms, ?spawn, ?seen, "differs from the truth");
            }
        }
        score.extra = free.len();
        score
    }
}
