//! The demo's variables ($00CE–$00D3): the tables, how far they are played or recorded ($9D6A, $9DBF).

use crate::game::nes::demo::{Demo, PAIRS};
use crate::game::{Buttons, Piece};
use std::sync::Arc;

/// Where the table of buttons ends, as an index into it: the address has reached that of the pieces. $9D91, $9DD5.
const END: u16 = 2 * PAIRS as u16;
/// The address is moved back by its high byte alone. $9DA3, $814E.
const LOW_BYTE: u16 = 0xFF;
/// Whether the next demo is played or recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Recorder {
    #[default]
    Off,
    /// The next demo will be recorded.
    Ready,
    /// $00D0 is $FF.
    Running,
}

/// How a recording went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recording {
    /// Pairs written so far, of 256; the one under way is not counted.
    pub pairs: u16,
    /// How often the same buttons were held for 256 frames. The counter is a byte ($9DE4): these frames are forgotten,
    /// and the demo plays differently from there on.
    pub forgotten: u32,
}

/// The demo's variables, $00CE–$00D3.
#[derive(Debug, Clone)]
pub(super) struct DemoPlay {
    pub(super) tables: Arc<Demo>,
    /// A demo runs: the game's mode ($00C0) is 5.
    pub(super) runs: bool,
    pub(super) recorder: Recorder,
    pub(super) recording: Option<Recording>,
    /// Next byte in the table of buttons.
    at: u16,
    held: Buttons,
    repeats: u8,
    next_piece: u8,
}

impl Default for DemoPlay {
    fn default() -> Self {
        Self {
            tables: Arc::clone(Demo::ours()),
            runs: false,
            recorder: Recorder::Off,
            recording: None,
            at: 0,
            held: Buttons::NONE,
            repeats: 0,
            next_piece: 0,
        }
    }
}

impl DemoPlay {
    pub(super) fn runs(&self) -> bool {
        self.runs
    }

    /// What stays when the console is reset: cartridge and recorder.
    pub(super) fn after_reset(mut self) -> Self {
        self.stop();
        Self { tables: self.tables, recorder: self.recorder, recording: self.recording, ..Self::default() }
    }

    /// Neither stopped nor at the end of its buttons. $813E–$8158.
    pub(super) fn goes_on(&self) -> bool {
        self.runs && !self.is_over()
    }

    /// As every game begins. $872B, $872D
    pub(super) fn rewind(&mut self) {
        (self.at, self.held, self.repeats, self.next_piece) = (0, Buttons::NONE, 0, 0);
    }

    /// $98F1: the index is read, then moved on.
    pub(super) fn piece(&mut self) -> Piece {
        let piece = self.tables.piece(self.next_piece);
        self.next_piece = self.next_piece.wrapping_add(1);
        piece
    }

    pub(super) fn is_over(&self) -> bool {
        (END..END + LOW_BYTE + 1).contains(&self.at)
    }

    pub(super) fn start(&mut self) {
        self.runs = true;
        if self.recorder == Recorder::Ready {
            self.recorder = Recorder::Running;
            self.recording = Some(Recording::default());
            // The cartridge cannot be written to; ours can, and begins with an empty table.
            self.tables = Arc::new(Demo::blank(self.tables.pieces));
        }
    }

    pub(super) fn stop(&mut self) {
        self.end();
        self.at &= LOW_BYTE;
    }

    /// The mode is another one.
    pub(super) fn end(&mut self) {
        self.runs = false;
        if self.recorder == Recorder::Running {
            // The console would write the pair under way with the next change only.
            self.write_pair();
            self.recorder = Recorder::Off;
        }
    }

    /// What was held before and what is now. $9D6A–$9DA2.
    pub(super) fn play(&mut self) -> (Buttons, Buttons) {
        if self.repeats > 0 {
            self.repeats -= 1;
            return (self.held, self.held);
        }
        let before = self.held;
        // What lies behind the table is read only by a demo that pauses itself at its end.
        let pair = self.tables.pairs.get(usize::from(self.at / 2));
        (self.held, self.repeats) = pair.copied().unwrap_or_default();
        self.at = self.at.wrapping_add(2);
        (before, self.held)
    }

    /// $9DBF–$9DE6.
    pub(super) fn record(&mut self, held: Buttons) {
        if held == self.held {
            self.repeats = self.repeats.wrapping_add(1);
            if let (0, Some(recording)) = (self.repeats, &mut self.recording) {
                recording.forgotten += 1;
            }
            return;
        }
        self.write_pair();
        if !self.is_over() {
            (self.held, self.repeats) = (held, 0);
        }
    }

    fn write_pair(&mut self) {
        let pair = Arc::make_mut(&mut self.tables).pairs.get_mut(usize::from(self.at / 2));
        if let (Some(pair), Some(recording)) = (pair, &mut self.recording) {
            *pair = (self.held, self.repeats);
            recording.pairs += 1;
            self.at += 2;
        }
    }
}
