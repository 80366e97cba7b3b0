//! The demo: a game whose buttons and pieces come from tables ($9D5B, $98EB), and the recorder that wrote them ($9DB0).

use super::{Console, Phase, Screen, Skipped};
use crate::game::nes::demo::{Demo, PAIRS};
use crate::game::nes::{GameType, Region};
use crate::game::{Buttons, Piece};
use std::sync::Arc;

/// Where the table of buttons ends, as an index into it: the address has reached that of the pieces. $9D91, $9DD5.
const END: u16 = 2 * PAIRS as u16;
/// The address is moved back by its high byte alone. $9DA3, $814E.
const LOW_BYTE: u16 = 0xFF;
/// A title screen that is gone to from the wait for the next frame finds the game in this state. $00A7.
const STATE_AFTER_WAIT: u8 = 2;

/// Whether the next demo is played or recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Recorder {
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
    tables: Arc<Demo>,
    /// A demo runs: the game's mode ($00C0) is 5.
    runs: bool,
    recorder: Recorder,
    recording: Option<Recording>,
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

    fn is_over(&self) -> bool {
        (END..END + LOW_BYTE + 1).contains(&self.at)
    }

    fn start(&mut self) {
        self.runs = true;
        if self.recorder == Recorder::Ready {
            self.recorder = Recorder::Running;
            self.recording = Some(Recording::default());
            // The cartridge cannot be written to; ours can, and begins with an empty table.
            self.tables = Arc::new(Demo::blank(self.tables.pieces));
        }
    }

    fn stop(&mut self) {
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
    fn play(&mut self) -> (Buttons, Buttons) {
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
    fn record(&mut self, held: Buttons) {
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

impl Console {
    /// Puts these tables in the place of the demo's own.
    pub fn insert_demo(&mut self, tables: Arc<Demo>) {
        self.demo.tables = tables;
    }

    /// The next demo's buttons are not read but recorded: the pad plays, above the demo's pieces.
    pub fn record_demo(&mut self) {
        self.demo.recorder = Recorder::Ready;
    }

    /// Whether a demo runs, or is being loaded. $00C0.
    pub fn is_demo(&self) -> bool {
        self.demo.runs
    }

    /// The demo that was recorded, ended here if it still runs, and how that went; nothing if none was begun.
    pub fn recorded_demo(&self) -> Option<(Demo, Recording)> {
        let mut demo = self.demo.clone();
        demo.stop();
        Some((Demo::clone(&demo.tables), demo.recording?))
    }

    /// Lets a console that was just switched on wait until the demo is being loaded; the frames that took.
    pub fn wait_for_demo(&mut self) -> u32 {
        let mut frames = 0;
        while self.phase == Phase::Menu && !self.demo.runs {
            self.frame(Buttons::NONE);
            frames += 1;
        }
        frames
    }

    /// After a while on the title screen. $8296.
    pub(super) fn start_demo(&mut self) {
        if Arc::ptr_eq(&self.demo.tables, Demo::ours()) {
            self.skip(Skipped::Demo);
        }
        (self.menu.choice.game_type, self.menu.choice.level) = (GameType::A, 0);
        self.menu.load_demo();
        self.demo.start();
    }

    /// Reads the pad, or what stands for it; what was held before, and what is newly pressed. $9D51.
    pub(super) fn poll(&mut self, pad: Buttons) -> (Buttons, Buttons) {
        let before = std::mem::replace(&mut self.held, pad);
        let pressed = pad.without(before);
        if !self.demo.runs {
            return (before, pressed);
        }
        if self.demo.recorder == Recorder::Running {
            if self.setup.region == Region::Pal {
                self.held = pad.without(Buttons::SELECT);
            }
            // While the game is being loaded the address is not yet set.
            if self.phase != Phase::Menu || self.menu.is_loaded() {
                self.demo.record(self.held);
            }
            return (before, pressed);
        }
        if pressed == Buttons::START {
            self.demo.stop();
            return (before, pressed);
        }
        let (before, held) = self.demo.play();
        if !self.demo.is_over() {
            self.held = held;
        }
        (before, held.without(before))
    }

    /// A demo's game ends in the main loop when Start was read or its table is at its end; a paused one by Start alone.
    /// $8142.
    pub(super) fn leaves_demo(&self) -> bool {
        match self.phase {
            Phase::Menu => false,
            Phase::Paused => !self.demo.runs,
            _ => !self.demo.goes_on(),
        }
    }

    pub(super) fn return_to_title(&mut self) {
        self.return_to_title_from(STATE_AFTER_WAIT);
    }

    /// To the title screen, from this state of the game.
    pub(super) fn return_to_title_from(&mut self, state: u8) {
        self.demo.stop();
        self.phase = Phase::Menu;
        self.piece_shown = false;
        self.menu.return_to(Screen::Title, state);
    }
}
