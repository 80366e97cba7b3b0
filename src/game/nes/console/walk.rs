//! The way through the menus, as a hand would go it.

use super::{Choice, Console, GameType, Phase, Screen, Setup};
use crate::game::Buttons;

/// Taps of menus are this long and this far apart, frames.
const TAP_FRAMES: usize = 2;

impl Console {
    /// Switches a console on and walks to the level menu, everything but the last Start pressed: the console, and what
    /// was held in each frame so far. `wait_frames` are spent in the first menu, where the random register runs on.
    ///
    /// Levels from 10 on need A held beside Start: it is held at the end already, and [`Console::with_help`] holds it on.
    pub fn walked(setup: Setup, choice: Choice, wait_frames: u32) -> (Self, Vec<Buttons>) {
        let (mut console, mut held) = (Self::power_on(setup), Vec::new());
        let mut waited = 0;
        loop {
            let here = console.menu.screen == Screen::GameType && console.menu.is_ready();
            let waits = !console.menu.is_ready() || here && waited < wait_frames;
            waited += u32::from(here);
            let tap = if waits { Some(Buttons::NONE) } else { next_tap(&console, choice) };
            for frame in 0..if tap == Some(Buttons::NONE) { 1 } else { 2 * TAP_FRAMES } {
                let presses = if frame < TAP_FRAMES { tap.unwrap_or_default() } else { Buttons::NONE };
                let last = if tap.is_none() { console.with_help(Buttons::NONE, choice.level) } else { presses };
                console.frame(last);
                held.push(last);
            }
            if tap.is_none() || console.phase != Phase::Menu {
                return (console, held);
            }
        }
    }
}

/// What leads on from here; `None` in the level menu when everything is chosen.
fn next_tap(console: &Console, wanted: Choice) -> Option<Buttons> {
    let (menu, level) = (console.menu, wanted.level % 10);
    Some(match menu.screen {
        Screen::GameType if wanted.game_type != menu.choice.game_type => match wanted.game_type {
            GameType::A => Buttons::LEFT,
            GameType::B => Buttons::RIGHT,
        },
        Screen::Level if menu.choice.level != level => match () {
            () if menu.at_height => Buttons::A,
            () if menu.choice.level + 5 <= level => Buttons::DOWN,
            () if menu.choice.level < level => Buttons::RIGHT,
            () if menu.choice.level >= level + 5 => Buttons::UP,
            () => Buttons::LEFT,
        },
        Screen::Level if wanted.game_type == GameType::B && menu.choice.height != wanted.height.min(5) => match () {
            () if !menu.at_height => Buttons::A,
            () if menu.choice.height < wanted.height => Buttons::RIGHT,
            () => Buttons::LEFT,
        },
        Screen::Level => return None,
        _ => Buttons::START,
    })
}
