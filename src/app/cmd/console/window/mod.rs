//! The simulated console as a television: a window to play in and to film, or, without a display, its pictures.

mod keys;
mod machine;
#[cfg(feature = "window")]
mod pace;
#[cfg(feature = "window")]
mod pane;
#[cfg(feature = "window")]
mod scale;

#[cfg(feature = "window")]
use crate::app::out::say;
use crate::file::{self, Existing, FileError};
use crate::game::Buttons;
use crate::game::machine::{Choice, Console, Setup};
use crate::twin::picture::Picture;
use machine::Machine;
use std::path::Path;

/// How the console stands there.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Television standard and cartridge.
    pub setup: Setup,
    /// What is chosen in the menus; Start is left to the player.
    pub choice: Choice,
    /// Begin with reference pictures.
    pub reference: bool,
    /// The window's size in pictures of 256 × 240 at first.
    pub scale: u32,
    /// Fill the screen.
    pub full_screen: bool,
    /// End after this many frames.
    pub frames: Option<u32>,
}

impl Options {
    /// The console in its level menu.
    fn machine(self) -> Machine {
        let (console, _) = Console::walked(self.setup, self.choice, 0);
        Machine::new(console, self.choice.level, self.reference)
    }
}

/// Plays in a window until it is closed. The last picture.
///
/// # Errors
/// When there is no display.
#[cfg(feature = "window")]
pub fn play(options: Options) -> anyhow::Result<Picture> {
    let (machine, pace) = pane::run(options)?;
    say!("{pace}")?;
    Ok(machine.picture())
}

/// Says that there is no window.
///
/// # Errors
/// Always.
#[cfg(not(feature = "window"))]
pub fn play(_: Options) -> anyhow::Result<Picture> {
    anyhow::bail!("this program was built without a window; build it with `--features window`, or add --headless")
}

/// Runs without a display; Start is pressed at once and nothing after it. The last picture.
pub fn play_unseen(options: Options, frames: u32) -> Picture {
    let mut machine = options.machine();
    machine.keys.press(Buttons::START);
    for frame in 0..frames {
        machine.frame();
        if frame == 0 {
            machine.keys.release(Buttons::START);
        }
    }
    machine.picture()
}

/// Writes a picture of 256 × 240 pixels to a PNG file.
///
/// # Errors
/// When there is such a file already and it is to be kept, or it cannot be written.
pub fn save(picture: &Picture, path: &Path, existing: Existing) -> Result<(), FileError> {
    file::save_picture(path, &picture.to_rgb(), existing)
}
