//! What a player sees.

use super::SKYLINE;
use super::game::Game;
use crate::game::{Board, Piece, Pose};

/// What is shown of a game. While it is paused there is nothing to see of the field and the queues (seed 002:2294).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The 20 rows below the skyline, without the piece in play.
    pub matrix: Option<Board>,
    /// The piece in play, on the whole board of 40 rows.
    pub falling: Option<Pose>,
    /// Where it would come to rest, there (seed 002:630).
    pub ghost: Option<Pose>,
    /// The next pieces, the first one first; they face north (seed 002:2518).
    pub next: Vec<Piece>,
    /// The held piece.
    pub held: Option<Piece>,
    /// Points.
    pub score: u64,
    /// Cleared lines.
    pub lines: u32,
    /// The level.
    pub level: u8,
    /// Lines to the next level.
    pub goal: u32,
    /// Lines of opponents that wait.
    pub waiting: u32,
}

impl Game {
    /// What is shown.
    pub fn view(&self) -> View {
        let is_shown = !self.is_paused();
        let next = self.coming().take(if is_shown { self.settings().shown_next } else { 0 });
        View {
            matrix: is_shown.then(|| self.matrix()),
            falling: self.falling().filter(|_| is_shown),
            ghost: self.ghost().filter(|_| is_shown),
            next: next.collect(),
            held: self.held().filter(|_| is_shown),
            score: self.score(),
            lines: self.lines(),
            level: self.progress().level(),
            goal: self.progress().lacking(),
            waiting: self.waiting(),
        }
    }

    /// The 20 rows below the skyline, without the piece in play.
    pub fn matrix(&self) -> Board {
        let mut matrix = Board::new(self.board().width(), SKYLINE);
        for y in 0..SKYLINE {
            matrix.set_row(y, self.board().row(self.board().height() - SKYLINE + y));
        }
        matrix
    }

    /// Where the piece in play comes to rest if it is dropped, if the game shows that.
    fn ghost(&self) -> Option<Pose> {
        let falling = self.falling().filter(|_| self.settings().has_ghost)?;
        let lower = (1..).map(|rows| falling.moved(0, rows)).take_while(|pose| pose.fits(self.board()));
        Some(lower.last().unwrap_or(falling))
    }
}
