//! The demo: a game whose buttons and pieces come from tables ($9D5B, $98EB), and the recorder that wrote them ($9DB0).

use super::tape::{Recorder, Recording};
use super::{Console, Phase, Screen, Skipped};
use crate::game::Buttons;
use crate::game::nes::demo::Demo;
use crate::game::nes::{GameType, Region};
use std::sync::Arc;

/// A title screen that is gone to from the wait for the next frame finds the game in this state. $00A7.
const STATE_AFTER_WAIT: u8 = 2;

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
            if self.phase != Phase::Menu || self.menu.is_loaded() || self.entry.is_some() {
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

    /// A demo's game ends in the main loop when Start was read or its table is at its end; a paused one by Start alone, and
    /// one whose ending is shown not before that is over. $8142.
    pub(super) fn leaves_demo(&self) -> bool {
        match self.phase {
            Phase::Menu | Phase::Ending => false,
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
