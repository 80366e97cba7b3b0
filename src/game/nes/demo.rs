//! The tables of the demo that the title screen goes to: 256 pairs of buttons and repeats ($DD00), 256 pieces ($DF00).
//!
//! As text they are the 768 bytes in hexadecimal, in that order, with blanks, line ends and comments (`#` to the end of
//! the line) wherever one likes, so that one can read them and yet keep every bit of a cartridge's.

use crate::game::{Buttons, Piece};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// Pairs in the table of buttons. $DD00–$DEFF.
pub const PAIRS: usize = 256;
/// Pieces in the other table, which is gone round when it is at its end: the index $00D3 is a byte.
pub const PIECES: usize = 256;
/// Bytes of both.
const BYTES: usize = 2 * PAIRS + PIECES;
/// Pieces a line of text.
const PIECES_A_LINE: usize = 16;
/// Our own, played by a player of ours (`examples/record_demo.rs`).
const OURS: &str = include_str!("../../../calibration/demos/stackhand.txt");

/// Both tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demo {
    /// What is held, and for how many frames more than one.
    pub pairs: [(Buttons, u8); PAIRS],
    /// One piece a byte, in its bits 6, 5 and 4; the other bits are not looked at.
    pub pieces: [u8; PIECES],
}

/// Why a text is no demo. Lines count from 1.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DemoError {
    /// Not hexadecimal.
    #[error(
        "line {line}: {found:?} is no hexadecimal digit; give 768 bytes in hexadecimal, as `console --record-demo` writes them"
    )]
    Digit { line: usize, found: char },
    /// Too few or too many.
    #[error(
        "there are {found} hexadecimal digits, but a demo has {}: 256 pairs of buttons and repeats, then 256 pieces; add what is missing or take away what is too much",
        2 * BYTES
    )]
    Length { found: usize },
}

impl Demo {
    /// No button pressed and no time passed, over these pieces.
    pub fn blank(pieces: [u8; PIECES]) -> Self {
        Self { pairs: [(Buttons::NONE, 0); PAIRS], pieces }
    }

    /// The one that this program brings along.
    pub fn ours() -> &'static Arc<Self> {
        static OURS_READ: LazyLock<Arc<Demo>> =
            LazyLock::new(|| Arc::new(Demo::parse(OURS).unwrap_or_else(|_| Demo::blank([0; PIECES]))));
        &OURS_READ
    }

    /// The tables in a text.
    ///
    /// # Errors
    /// When it is none, with what to do.
    pub fn parse(text: &str) -> Result<Self, DemoError> {
        let mut digits = Vec::with_capacity(2 * BYTES);
        for (i, line) in text.lines().enumerate() {
            let data = line.split('#').next().unwrap_or_default();
            for character in data.chars().filter(|c| !c.is_whitespace()) {
                let digit = character.to_digit(16).ok_or(DemoError::Digit { line: i + 1, found: character })?;
                digits.push(digit as u8);
            }
        }
        if digits.len() != 2 * BYTES {
            return Err(DemoError::Length { found: digits.len() });
        }
        let byte = |i: usize| digits[2 * i] << 4 | digits[2 * i + 1];
        Ok(Self {
            pairs: std::array::from_fn(|i| (Buttons(byte(2 * i)), byte(2 * i + 1))),
            pieces: std::array::from_fn(|i| byte(2 * PAIRS + i)),
        })
    }

    /// The tables as text, with comments that say what they mean; reading it gives the same tables again.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# A demo for the console's title screen: 256 pairs of buttons (A 80, B 40, Select 20, Start 10, Up 8, Down 4,\n\
             # Left 2, Right 1) and of the frames for which they stay held after the first one.\n",
        );
        let mut frame = 0u32;
        for (buttons, repeats) in self.pairs {
            let _ = writeln!(text, "{:02x} {repeats:02x}  # frame {frame}: {}", buttons.0, names(buttons));
            frame += u32::from(repeats) + 1;
        }
        text.push_str("# 256 pieces, in bits 6 to 4: T 0, J 1, Z 2, O 3, S 4, L 5, I 6 (7 is a T, too)\n");
        for line in self.pieces.chunks(PIECES_A_LINE) {
            let bytes: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let letters: String = line.iter().map(|&byte| piece_of(byte).letter()).collect();
            let _ = writeln!(text, "{}  # {letters}", bytes.join(" "));
        }
        text
    }

    /// The piece at a place of the table. $98F5.
    pub fn piece(&self, index: u8) -> Piece {
        piece_of(self.pieces[usize::from(index)])
    }
}

/// The byte that stands for a piece.
pub fn byte_of(piece: Piece) -> u8 {
    (piece.index() as u8) << 4
}

/// Bits 6, 5 and 4. Seven reads on into the next table ($9956), which begins with a T. $98F8–$9902.
fn piece_of(byte: u8) -> Piece {
    match byte >> 4 & 7 {
        7 => Piece::T,
        index => Piece::from_index(index.into()),
    }
}

fn names(buttons: Buttons) -> String {
    let held: Vec<&str> =
        Buttons::NAMED.into_iter().filter(|(b, _)| buttons.contains(*b)).map(|(_, name)| name).collect();
    if held.is_empty() { "nothing".into() } else { held.join(" ") }
}
