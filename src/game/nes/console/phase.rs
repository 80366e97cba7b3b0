//! What the console is doing, and what happens in it.

use crate::game::{Piece, Pose};

/// What the console is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No game runs; [`Console::menu`](super::Console::menu) says which screen is shown.
    Menu,
    /// A piece falls. Play state 1.
    Falling,
    /// The piece locks: it is written into the playfield. Play state 2.
    Locking,
    /// Rows are looked through, one a frame. Play state 3.
    Checking,
    /// Full rows vanish from the middle outwards. Play state 4.
    Clearing,
    /// Lines, level and score are counted; two idle states follow. Play states 5–7.
    Counting(u8),
    /// Waits for video memory, then the next piece appears. Play state 8.
    Spawning,
    /// The curtain falls; at its end Start leads on, or an ending comes. Play state 10.
    Curtain,
    /// Paused by Start.
    Paused,
    /// A B-Type game is won, its last picture stands.
    Won,
    /// An ending; [`Console::ending`](super::Console::ending) says what is shown. At its end Start leads on.
    Ending,
    /// The game is over, and the next frame looks at its score. Play state 0.
    Over,
    /// The kill screen: nothing happens any more.
    Crashed,
}

/// What happened in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A piece appeared; the other one is shown as next.
    Spawned(Piece, Piece),
    /// The falling piece locked here.
    Locked(Pose),
    /// This many rows were cleared and counted.
    Cleared(u8),
    /// The game ended.
    GameOver,
    /// The 25th line of a B-Type game was cleared.
    Won,
    /// The console stopped.
    Crashed,
}
