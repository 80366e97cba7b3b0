//! What the first pictures of a clip show: any moment of a game, or one in which no game is to be seen.

use crate::game::Buttons;
use crate::game::machine::{Console, Phase};
use crate::twin::player::Player;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The screen without a game stays for this many console frames: half a second to ten.
const STAY_FRAMES: std::ops::Range<u32> = 30..600;
/// A game is played for this many console frames before it is paused.
const PLAYED_FRAMES: std::ops::Range<u32> = 200..4000;
/// A curtain has been falling for this many frames, or hangs (it takes 144), when the clip begins.
const CURTAIN_FRAMES: std::ops::Range<u32> = 0..200;

/// What a clip begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Start {
    /// Whatever is there: half of the clips at power-on, the others in mid-game.
    Any,
    /// A pause: the field's cells and the next piece are hidden.
    Pause,
    /// A menu.
    Menu,
    /// The curtain after a game.
    Curtain,
}

/// What is done at the pad until the player plays.
#[derive(Debug, Clone)]
pub struct Beginning {
    start: Start,
    /// Frames until the screen in question is brought about.
    before: u32,
    /// Frames of that screen before the camera is switched on, and after it.
    ahead: u32,
    stay: u32,
    /// It has been reached.
    is_reached: bool,
}

impl Beginning {
    /// Drawn by a seed.
    pub fn draw(start: Start, seed: u64) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x6265_6769_6e00);
        let before = dice.random_range(PLAYED_FRAMES);
        let ahead = if start == Start::Curtain { dice.random_range(CURTAIN_FRAMES) } else { 0 };
        Self { start, before, ahead, stay: dice.random_range(STAY_FRAMES), is_reached: start == Start::Any }
    }

    /// Whether the camera is still to be switched on.
    pub fn lies_ahead(&self) -> bool {
        self.start != Start::Any && !(self.is_reached && self.ahead == 0)
    }

    /// The buttons held in the console's next frame.
    pub fn hold(&mut self, console: &Console, player: &mut Player) -> Buttons {
        if self.start == Start::Any {
            return player.hold(console);
        }
        self.is_reached |= self.before == 0 && self.is_at(console);
        if !self.is_reached {
            return self.hold_before(console, player);
        }
        if self.ahead > 0 {
            self.ahead -= 1;
        } else if self.stay > 0 {
            self.stay -= 1;
        } else {
            return player.hold(console);
        }
        Buttons::NONE
    }

    fn is_at(&self, console: &Console) -> bool {
        match self.start {
            Start::Any => true,
            Start::Pause => console.phase == Phase::Paused,
            Start::Menu => console.phase == Phase::Menu && console.entry.is_none(),
            Start::Curtain => console.phase == Phase::Curtain,
        }
    }

    /// Plays for a while; then pauses, or ends the game.
    fn hold_before(&mut self, console: &Console, player: &mut Player) -> Buttons {
        if self.before > 0 {
            self.before -= 1;
            return player.hold(console);
        }
        match (self.start, console.phase) {
            (Start::Pause, Phase::Falling) => Buttons::START,
            (Start::Pause, _) => player.hold(console),
            // Every piece straight down: that ends soon.
            (_, Phase::Falling) => Buttons::DOWN,
            _ => player.hold(console),
        }
    }
}
