//! What a console is told before it is switched on, beyond what its menus can choose.

use crate::game::nes::Region;

/// A-Type or B-Type. $00C1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GameType {
    /// Play until the pile reaches the top.
    #[default]
    A,
    /// Clear 25 lines above garbage of a height chosen in the menu.
    B,
}

/// What the score's loop at $9C31 does at levels that its designers did not expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KillScreen {
    /// The loop is capped at 30 additions, as the article's own patch does: games can go on for ever, and points are
    /// not multiplied by more than 30.
    #[default]
    Off,
    /// As on the console: level + 1 additions, which take longer than a frame from about level 155 on. What then
    /// happens depends on single processor cycles; here the console stops at the first line cleared there.
    On,
}

/// The first level at which the kill screen was seen (1,550 lines from level 0).
pub(super) const KILL_SCREEN_LEVEL: u8 = 155;
/// Additions of the capped loop.
pub(super) const CAPPED_ADDITIONS: u32 = 30;

/// How many play, $00BE. The console is told 1 when it is switched on, and nothing in it ever makes that 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Players {
    /// As the game was sold.
    #[default]
    One,
    /// The versus mode that its makers left unfinished, as if $00BE were held at 2 by a cheat.
    Two,
}

/// How a console is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Setup {
    /// Television standard and cartridge.
    pub region: Region,
    /// What happens at very high levels.
    pub kill_screen: KillScreen,
    /// How many play.
    pub players: Players,
    /// Starts every game at this level, whatever the menu says: 20–29 cannot be chosen there. An option of ours.
    pub forced_level: Option<u8>,
}

/// What is chosen in the menus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choice {
    /// A-Type or B-Type.
    pub game_type: GameType,
    /// Level: 0–9 with the cursor, 10–19 with A held at Start.
    pub level: u8,
    /// Height of the garbage in a B-Type game, 0–5.
    pub height: u8,
}
