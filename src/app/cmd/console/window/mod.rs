//! The simulated console as a television: a window to play in and to film, or, without a display, its pictures.

mod computer;
pub mod hint;
mod keys;
mod machine;
#[cfg(feature = "window")]
mod pace;
#[cfg(feature = "window")]
mod pane;
#[cfg(feature = "window")]
mod scale;
mod setting;
mod television;

use super::demo_file;
#[cfg(feature = "window")]
use crate::app::out::say;
use crate::file::{self, Existing, FileError};
use crate::game::Buttons;
use crate::game::machine::demo::Demo;
use crate::game::machine::{Choice, Console, Recording, Setup};
use crate::twin::machine::GameKind;
use crate::twin::picture::Picture;
use computer::Computer;
use hint::Hint;
use machine::Machine;
use std::path::Path;
use std::sync::Arc;
use television::Television;

/// What is switched on.
#[derive(Debug, Clone)]
pub enum Start {
    /// The console: television standard and cartridge, and what is chosen in the menus; Start is left to the player.
    Console(Setup, Choice),
    /// The console, left alone on its title screen until the demo begins.
    Demo {
        /// Television standard and cartridge.
        setup: Setup,
        /// Another demo than ours.
        tables: Option<Arc<Demo>>,
        /// The player records it.
        records: bool,
    },
    /// A computer with another game at a level, its pieces by a seed.
    Computer(GameKind, u8, u64),
}

/// How the machine stands there.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is switched on.
    pub start: Start,
    /// Begin with reference pictures.
    pub reference: bool,
    /// Who gives hints in Standard Tetris.
    pub hint: Hint,
    /// The window's size in pictures of 256 × 240 at first.
    pub scale: u32,
    /// Fill the screen.
    pub full_screen: bool,
    /// End after this many frames.
    pub frames: Option<u32>,
}

impl Options {
    /// The machine, which waits for Start.
    fn machine(&self) -> Machine {
        let console = |setup, choice: Choice| {
            let (console, _) = Console::walked(setup, choice, 0);
            Machine::Console(Box::new(Television::new(console, choice.level, self.reference)))
        };
        match &self.start {
            Start::Demo { setup, tables, records } => {
                let mut console = Console::power_on(*setup);
                demo_file::insert(&mut console, tables.clone(), *records);
                console.wait_for_demo();
                Machine::Console(Box::new(Television::new(console, 0, false)))
            }
            Start::Console(setup, choice) => console(*setup, *choice),
            Start::Computer(kind, level, seed) => {
                Computer::new(kind.clone(), *level, *seed, self.reference, self.hint.clone()).map_or_else(
                    || console(Setup::default(), Choice::default()),
                    |own| Machine::Computer(Box::new(own)),
                )
            }
        }
    }
}

/// What is left when the machine is switched off.
pub struct Left {
    /// The last picture.
    pub picture: Picture,
    /// The game as text, if it can be saved.
    pub saved: Option<String>,
    /// The demo that was recorded, and how that went.
    pub recorded: Option<(Demo, Recording)>,
}

impl Left {
    fn of(machine: &Machine) -> Self {
        Self { picture: machine.picture(1), saved: machine.saved(), recorded: machine.recorded_demo() }
    }
}

/// Plays in a window until it is closed.
///
/// # Errors
/// When there is no display.
#[cfg(feature = "window")]
pub fn play(options: Options) -> anyhow::Result<Left> {
    let (machine, pace) = pane::run(options)?;
    say!("{pace}")?;
    Ok(Left::of(&machine))
}

/// Says that there is no window.
///
/// # Errors
/// Always.
#[cfg(not(feature = "window"))]
pub fn play(_: Options) -> anyhow::Result<Left> {
    anyhow::bail!("this program was built without a window; build it with `--features window`, or add --headless")
}

/// Runs without a display; Start is pressed at once, unless a demo is to be seen, and nothing after it.
pub fn play_unseen(options: &Options, frames: u32) -> Left {
    let mut machine = options.machine();
    if !matches!(options.start, Start::Demo { .. }) {
        machine.keys().press(Buttons::START);
    }
    for frame in 0..frames {
        machine.frame();
        if frame == 0 {
            machine.keys().release(Buttons::START);
        }
    }
    Left::of(&machine)
}

/// Writes a picture to a PNG file: of 256 × 240 pixels, or finer if a board has too many cells for that.
///
/// # Errors
/// When there is such a file already and it is to be kept, or it cannot be written.
pub fn save(picture: &Picture, path: &Path, existing: Existing) -> Result<(), FileError> {
    file::save_picture(path, &picture.to_rgb(), existing)
}
