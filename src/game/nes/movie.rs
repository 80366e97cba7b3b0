//! `.fm2` movies: which buttons were held in each frame since power-on, as text that emulators read and write.
//!
//! Header lines `key value` come first, then one line a frame, `|commands|RLDUTSBA|…|`: a dot or a blank is a button that
//! is up, anything else one that is down. A command is a number: 1 is the reset button, 2 the power switch.

use super::console::{Console, Event, KillScreen, Players, Setup};
use super::region::Region;
use crate::game::Buttons;
use std::fmt::Write;
use thiserror::Error;

/// Longest movie that is read, frames: two days.
pub const FRAMES_MAX: usize = 10_000_000;
/// Longest line that is read, bytes; comments may be long.
const LINE_BYTES_MAX: usize = 1 << 16;
/// The format's only version.
const VERSION: &str = "3";
const RESET: u8 = 1;
const POWER: u8 = 2;
/// Comments of ours that a movie needs to be played as it was recorded.
const FORCED_LEVEL: &str = "stackhand start-level ";
const KILL_SCREEN: &str = "stackhand kill-screen on";
const TWO_PLAYERS: &str = "stackhand players 2";

/// What a frame of a movie holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MovieFrame {
    /// The buttons of the first pad.
    pub held: Buttons,
    /// The buttons of the second pad.
    pub second: Buttons,
    /// What is done to the console before the frame.
    pub command: Command,
}

/// What can be done to a console besides its pad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Command {
    /// Nothing.
    #[default]
    None,
    /// The reset button.
    Reset,
    /// The power switch, off and on.
    Power,
}

/// A movie from power-on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Movie {
    /// How the console is to be set up; the level forced and the kill screen stand in comments of ours.
    pub setup: Setup,
    /// Every frame from power-on, those included in which the console does not look at the pad.
    pub frames: Vec<MovieFrame>,
}

/// Why a file is no movie that can be played here. Lines count from 1.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MovieError {
    /// Not text of this format.
    #[error("line {line} is no header of an .fm2 movie; export one from the emulator (File, Movie, Record, as .fm2)")]
    NotAMovie { line: usize },
    /// Another version.
    #[error("line {line}: this is version {found:?} of the movie format; save the movie again as version 3")]
    Version { line: usize, found: String },
    /// No version.
    #[error("there is no line \"version 3\"; give an .fm2 movie as emulators write it")]
    NoVersion,
    /// The compact form.
    #[error("line {line}: the movie's frames are in binary; save it again as text (without \"binary 1\")")]
    Binary { line: usize },
    /// It does not begin at power-on.
    #[error("line {line}: the movie starts from a saved state, not from power-on; record it from power-on")]
    SavedState { line: usize },
    /// Another pad, or another console.
    #[error(
        "line {line}: {what} cannot be played here; record the movie with a pad in port 0, perhaps one in port 1, and nothing else"
    )]
    Device { line: usize, what: &'static str },
    /// A header with a value that it cannot have.
    #[error("line {line}: {key} cannot be {found:?}; it must be 0 or 1")]
    Value { line: usize, key: &'static str, found: String },
    /// A line of the log that is none.
    #[error(
        "line {line} is no frame: {what}; it must look like |0|RLDUTSBA||| with a dot for each button that is up (delete what follows if the file was cut off)"
    )]
    Frame { line: usize, what: &'static str },
    /// A command for other hardware.
    #[error("line {line}: command {found} is for other hardware; only 1 (reset) and 2 (power) can be played here")]
    Command { line: usize, found: String },
    /// No end in sight.
    #[error("the movie is longer than {FRAMES_MAX} frames or has a line beyond {LINE_BYTES_MAX} bytes; shorten it")]
    TooLong,
    /// No frame.
    #[error("the movie has no frame; give one with at least one line |0|........|||")]
    Empty,
}

impl Movie {
    /// The movie in a file's bytes. Headers that do not matter here, comments and subtitles in any encoding are skipped.
    ///
    /// # Errors
    /// When it is none, or needs what is not here, with the line and what to do.
    pub fn parse(bytes: &[u8]) -> Result<Self, MovieError> {
        let mut movie = Self::default();
        let mut has_version = false;
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (i, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.len() > LINE_BYTES_MAX || movie.frames.len() > FRAMES_MAX {
                return Err(MovieError::TooLong);
            }
            match line.first() {
                None => {}
                Some(b'|') if has_version => movie.frames.push(frame(i + 1, line)?),
                Some(_) if movie.frames.is_empty() => {
                    has_version |= movie.header(i + 1, &String::from_utf8_lossy(line))?;
                }
                Some(_) => return Err(MovieError::Frame { line: i + 1, what: "it does not begin with |" }),
            }
        }
        match (has_version, movie.frames.is_empty()) {
            (false, _) => Err(MovieError::NoVersion),
            (true, true) => Err(MovieError::Empty),
            (true, false) => Ok(movie),
        }
    }

    /// Reads a line of the header; whether it was the version.
    fn header(&mut self, line: usize, text: &str) -> Result<bool, MovieError> {
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        let value = value.trim();
        let is_word = key.len() <= 64 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_word || key.is_empty() {
            return Err(MovieError::NotAMovie { line });
        }
        let switch = |key| match value {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(MovieError::Value { line, key, found: value.chars().take(32).collect() }),
        };
        let absent = |what| if value == "0" { Ok(()) } else { Err(MovieError::Device { line, what }) };
        match key {
            "version" if value != VERSION => {
                return Err(MovieError::Version { line, found: value.chars().take(32).collect() });
            }
            "version" => return Ok(true),
            "palFlag" => self.setup.region = if switch("palFlag")? { Region::Pal } else { Region::Ntsc },
            "binary" if switch("binary")? => return Err(MovieError::Binary { line }),
            "savestate" => return Err(MovieError::SavedState { line }),
            "fourscore" => absent("a four-pad adapter")?,
            "FDS" => absent("a disk game")?,
            "microphone" => absent("a microphone")?,
            "port0" if value != "1" => return Err(MovieError::Device { line, what: "another device in port 0" }),
            "port1" if !matches!(value, "0" | "1") => {
                return Err(MovieError::Device { line, what: "another device than a pad in port 1" });
            }
            "port2" => absent("a device in the expansion port")?,
            "comment" => self.comment(value),
            _ => {}
        }
        Ok(false)
    }

    fn comment(&mut self, text: &str) {
        if let Some(level) = text.strip_prefix(FORCED_LEVEL).and_then(|level| level.parse().ok()) {
            self.setup.forced_level = Some(level);
        }
        if text == KILL_SCREEN {
            self.setup.kill_screen = KillScreen::On;
        }
        if text == TWO_PLAYERS {
            self.setup.players = Players::Two;
        }
    }

    /// The movie as a file's text; reading it gives the same movie again.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(600 + 16 * self.frames.len());
        let pal = u8::from(self.setup.region == Region::Pal);
        let two = self.setup.players == Players::Two || self.frames.iter().any(|frame| frame.second != Buttons::NONE);
        let port1 = u8::from(two);
        // The game's own name and checksum are left open: the emulator says that they differ, and plays on.
        let _ = write!(
            text,
            "version {VERSION}\nemuVersion 20605\nrerecordCount 0\npalFlag {pal}\nromFilename unknown\n\
             romChecksum base64:AAAAAAAAAAAAAAAAAAAAAA==\nguid 00000000-0000-0000-0000-000000000000\n\
             fourscore 0\nmicrophone 0\nport0 1\nport1 {port1}\nport2 0\nFDS 0\nNewPPU 0\ncomment author stackhand\n"
        );
        if let Some(level) = self.setup.forced_level {
            let _ = writeln!(text, "comment {FORCED_LEVEL}{level}");
        }
        if self.setup.kill_screen == KillScreen::On {
            let _ = writeln!(text, "comment {KILL_SCREEN}");
        }
        if self.setup.players == Players::Two {
            let _ = writeln!(text, "comment {TWO_PLAYERS}");
        }
        for frame in &self.frames {
            let second = if two { letters(frame.second) } else { String::new() };
            let _ = writeln!(text, "|{}|{}|{second}||", frame.command as u8, letters(frame.held));
        }
        text
    }

    /// A movie of these buttons, one set a frame from power-on.
    pub fn of(setup: Setup, held: &[Buttons]) -> Self {
        let frames = held.iter().map(|&held| MovieFrame { held, ..MovieFrame::default() });
        Self { setup, frames: frames.collect() }
    }

    /// Plays it on a console from power-on; `each` is shown every frame after it ran.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn play<E>(
        &self,
        each: impl FnMut(&Console, MovieFrame, Option<Event>) -> Result<(), E>,
    ) -> Result<Console, E> {
        self.play_on(Console::power_on(self.setup), each)
    }

    /// The same on a console that has been switched on, but has not yet run.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn play_on<E>(
        &self,
        mut console: Console,
        mut each: impl FnMut(&Console, MovieFrame, Option<Event>) -> Result<(), E>,
    ) -> Result<Console, E> {
        for &frame in &self.frames {
            match frame.command {
                Command::None => {}
                Command::Reset => console.reset(),
                Command::Power => console.switch_off_and_on(),
            }
            let event = console.frame_of_two([frame.held, frame.second]);
            each(&console, frame, event)?;
        }
        Ok(console)
    }
}

/// `RLDUTSBA`, a dot for each button that is up.
fn letters(held: Buttons) -> String {
    let letter = |((button, _), letter)| if held.contains(button) { letter } else { '.' };
    Buttons::NAMED.into_iter().zip("RLDUTSBA".chars()).map(letter).collect()
}

fn frame(line: usize, text: &[u8]) -> Result<MovieFrame, MovieError> {
    let broken = |what| Err(MovieError::Frame { line, what });
    let mut fields = text[1..].split(|byte| *byte == b'|');
    let (Some(command), Some(pad)) = (fields.next(), fields.next()) else { return broken("it ends too early") };
    let Some(second) = fields.next() else { return broken("it ends too early") };
    if pad.len() != 8 {
        return broken("the first pad must have eight letters");
    }
    if !matches!(second.len(), 0 | 8) {
        return broken("the second pad must have eight letters, or none");
    }
    Ok(MovieFrame { held: read_pad(pad), second: read_pad(second), command: read_command(line, command)? })
}

fn read_pad(pad: &[u8]) -> Buttons {
    let held = pad.iter().zip(Buttons::NAMED).filter(|(letter, _)| !matches!(letter, b'.' | b' '));
    held.fold(Buttons::NONE, |all, (_, (button, _))| all | button)
}

fn read_command(line: usize, field: &[u8]) -> Result<Command, MovieError> {
    let text = String::from_utf8_lossy(field);
    let found = || text.chars().take(32).collect();
    match text.trim() {
        "" => Ok(Command::None),
        number => match number.parse::<u8>() {
            Ok(0) => Ok(Command::None),
            Ok(RESET) => Ok(Command::Reset),
            // Reset and power together are power.
            Ok(bits) if bits & !(RESET | POWER) == 0 => Ok(Command::Power),
            Ok(_) => Err(MovieError::Command { line, found: found() }),
            Err(_) => Err(MovieError::Frame { line, what: "the command is no number" }),
        },
    }
}
