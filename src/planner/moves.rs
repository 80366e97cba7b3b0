//! How pieces are brought to where they lock: with all the time in the world, or by a finger in a game known to the frame.

use super::timed::{Descent, Hand, Style, TapDescent, TimedReach};
use crate::game::orientation::Pose;
use crate::game::reach::{Reach, dropped_locks, standard_locks, unturned_locks};
use crate::game::{Board, Buttons, Control, Movement, Pace, Piece, RotationSystem};

/// How pieces are brought to where they lock.
#[derive(Debug, Clone)]
pub struct Moves<'a> {
    /// Where pieces appear.
    pub movement: &'a Movement,
    /// What can be done with them then.
    pub manner: Manner,
}

/// What can be done with a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Everything, slides under overhangs and spins included: time does not press.
    Freely,
    /// The same without a turn.
    Unturned,
    /// Turned and moved above the field, then dropped straight down.
    Dropping,
    /// Turned and moved at the top of the field, where it appears, then dropped straight down.
    Standard,
    /// What this hand can do at this pace.
    Timed(Touch),
}

/// What a hand can do in a game known to the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// What the level means for a falling piece.
    pub pace: Pace,
    /// What the thumbs can do.
    pub hand: Hand,
    /// How much of it is used.
    pub style: Style,
}

impl Touch {
    /// What the hand can do with a piece that is in the state `start` before the next frame.
    pub fn reach(&self, board: &Board, start: &Control) -> TimedReach {
        TimedReach::of(board, start, self.pace, self.hand, self.style)
    }
}

impl<'a> Moves<'a> {
    /// With all the time in the world.
    pub fn freely(movement: &'a Movement) -> Self {
        Self { movement, manner: Manner::Freely }
    }

    /// Where a piece appears.
    pub fn spawn(&self, piece: Piece) -> Pose {
        self.movement.spawn(piece)
    }

    /// Where a piece can lock that is at `from`, whatever time presses: for games that are not known to the frame.
    pub fn locks(&self, board: &Board, from: Pose) -> Vec<Pose> {
        match self.manner {
            Manner::Unturned => unturned_locks(board, from),
            Manner::Dropping => dropped_locks(board, from.orientation.piece()).collect(),
            Manner::Standard => standard_locks(board, from, self.movement.rotation()),
            Manner::Freely | Manner::Timed(_) => Reach::flood(board, from, self.movement.rotation()).locks().collect(),
        }
    }

    /// What can be done with a piece that appears later, with nothing held then, on boards of the size of this one: the sooner
    /// told, the more they are like it.
    pub fn answers(&self, board: &Board, piece: Piece) -> Answers<'a> {
        let spawn = self.spawn(piece);
        match self.manner {
            Manner::Freely => Answers::Freely(self.movement.rotation()),
            Manner::Unturned => Answers::Unturned,
            Manner::Dropping => Answers::Dropping,
            Manner::Standard => Answers::Standard(self.movement.rotation()),
            Manner::Timed(touch) => {
                let start = Control { pose: spawn, ..Control::spawn(piece, 0, Buttons::NONE) };
                match touch.style {
                    Style::Taps => Answers::Taps(Box::new(TapDescent::of(board, &start, touch.pace, touch.hand))),
                    Style::Holds => Answers::Holds(Box::new(Descent::of(board, &start, touch.pace, touch.hand))),
                }
            }
        }
    }
}

/// Where one piece can lock, on any board.
pub enum Answers<'a> {
    /// See [`Manner::Freely`].
    Freely(&'a RotationSystem),
    /// See [`Manner::Unturned`].
    Unturned,
    /// See [`Manner::Dropping`].
    Dropping,
    /// See [`Manner::Standard`].
    Standard(&'a RotationSystem),
    /// By single taps.
    Taps(Box<TapDescent>),
    /// By a whole hand.
    Holds(Box<Descent>),
}

impl Answers<'_> {
    /// Whether the piece can appear at `spawn`. What is dropped from above the field can always.
    pub fn have_room(&self, board: &Board, spawn: Pose) -> bool {
        matches!(self, Self::Dropping) || spawn.fits(board)
    }

    /// Shows `see` every pose in which the piece can lock that appears at `spawn`.
    pub fn for_each(&self, board: &Board, spawn: Pose, see: impl FnMut(Pose)) {
        match self {
            Self::Freely(rotation) => Reach::flood(board, spawn, rotation).locks().for_each(see),
            Self::Unturned => unturned_locks(board, spawn).into_iter().for_each(see),
            Self::Dropping => dropped_locks(board, spawn.orientation.piece()).for_each(see),
            Self::Standard(rotation) => standard_locks(board, spawn, rotation).into_iter().for_each(see),
            Self::Taps(descent) => descent.reach(board).poses().for_each(see),
            Self::Holds(descent) => descent.reach(board).locks().for_each(see),
        }
    }
}
