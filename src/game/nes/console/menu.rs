//! From power-on to the first frame of a game: legal screen, title, the two menus, and the loading between them.
//!
//! The register of the random pieces runs through all of it, so how long a player stays decides which pieces come. A
//! screen is loaded with the interrupt switched off; whether that takes longer than a frame was reckoned from the
//! listing's cycles, not measured on a console: the start-up does (see [`BOOT_UNPOLLED_FRAMES`]), the screens are taken
//! not to (about 25,000 of a frame's 29,780 cycles; the level menu comes close).

use super::setup::{Choice, GameType};
use super::{Console, Event, Phase};
use crate::game::Buttons;
use crate::game::nes::Region;

/// Frames from the loading of a screen until it looks at the pad: one wait before, three after. $AA52, $AA5F, $AA2F.
pub(super) const ENTRY_FRAMES: i16 = 4;
/// The legal screen cannot be left for as many frames more ($8236), and leaves by itself after as many again ($823B):
/// 255, in Europe 204.
const LEGAL_FRAMES: [i16; 2] = [255, 204];
/// The title screen gives way to the demo when the frame counter's high byte has reached 5. $8296.
const TITLE_FRAMES: i64 = 0x500;
/// From the state that finds the game over until the level menu is being loaded ($9CBF–$9D13). A second wait follows from
/// what the state's routine leaves in A (see [`Menu::leave`]).
const GAME_OVER_FRAMES: i16 = 1;
/// The state of a game ($00A7) that found it over ($9CBF), and that read the four action buttons ($9E16).
const STATE_GAME_OVER: u8 = 3;
const STATE_RESET: u8 = 6;
/// The sound of a screen that is left, which stays in A.
const CLICK: u8 = 2;
/// Frames after power-on without an interrupt: the start-up waits for the picture unit twice and clears memory, and
/// clears four screens of video memory after the first interrupt. Estimated.
const BOOT_UNPOLLED_FRAMES: [u8; 2] = [4, 1];

/// Which screen is shown while no game runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// Memory is being cleared. $80F7.
    Boot,
    /// Who owns what. $8200.
    Legal,
    /// Waits for Start. $824F.
    Title,
    /// A-Type or B-Type, and music. $82D1.
    GameType,
    /// Level and height. $83D7.
    Level,
    /// The game is being loaded. $85F0.
    Loading,
    /// A name is entered for a score among the best. $A201.
    HighScore,
}

/// What the real game would have shown at some point and this one left out, so that from there on it is another game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// The cartridge's demo, after 1,280 frames on the title screen: another one was shown.
    Demo,
}

/// The menus' variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Menu {
    /// The screen shown.
    pub screen: Screen,
    /// What is chosen so far; the level without the ten that A adds.
    pub choice: Choice,
    /// Whether the cursor stands at the height. $00AE.
    pub at_height: bool,
    /// Frames with an interrupt since the screen began to load.
    frames: i16,
    title_since: i64,
    /// What is being loaded is the demo's game.
    for_demo: bool,
    /// Which of a game's states ran last, $00A7; the menus leave it as it is.
    state: u8,
    legal_frames: i16,
    /// Start begins a game in the same frame, without loading; the level is not asked for.
    is_quick: bool,
}

impl Menu {
    /// As at power-on.
    pub(super) fn power_on(region: Region) -> Self {
        Self {
            screen: Screen::Boot,
            choice: Choice::default(),
            at_height: false,
            frames: 0,
            title_since: 0,
            for_demo: false,
            state: 0,
            legal_frames: LEGAL_FRAMES[usize::from(region == Region::Pal)],
            is_quick: false,
        }
    }

    /// In the level menu, from which Start begins a game at once.
    pub(super) fn quick(region: Region, choice: Choice) -> Self {
        Self { screen: Screen::Level, choice, frames: ENTRY_FRAMES, is_quick: true, ..Self::power_on(region) }
    }

    /// Whether the screen looks at the pad.
    pub fn is_ready(&self) -> bool {
        match self.screen {
            Screen::Boot | Screen::Loading => false,
            Screen::Legal => self.frames >= ENTRY_FRAMES + self.legal_frames,
            Screen::Title => self.frames > ENTRY_FRAMES,
            Screen::GameType | Screen::Level | Screen::HighScore => self.frames >= ENTRY_FRAMES,
        }
    }

    /// Starts to load a screen.
    fn show(&mut self, screen: Screen) {
        (self.screen, self.frames) = (screen, 0);
    }

    /// Leaves a screen whose routine ends with this in A. The main loop waits for the next frame when A is the number of
    /// the game's state ($813B), which is meant for the states; a screen can meet it by chance.
    fn leave(&mut self, to: Screen, a: u8) {
        self.show(to);
        self.frames -= i16::from(a == self.state);
    }

    /// After a game, to the screen on which a name is entered.
    pub(super) fn show_entry(&mut self) {
        self.show(Screen::HighScore);
    }

    /// After a game, and perhaps the entry of a name, which waits for one frame more when it is left ($A337).
    pub(super) fn return_to_level(&mut self, was_entry: bool) {
        self.state = STATE_GAME_OVER;
        self.leave(Screen::Level, 3); // A still holds the mode that the level menu is.
        self.frames -= GAME_OVER_FRAMES + i16::from(was_entry);
        if self.is_quick {
            self.frames = ENTRY_FRAMES;
        }
    }

    /// A+B+Select+Start in a game. $9E1F.
    pub(super) fn return_to_legal(&mut self) {
        if !self.is_quick {
            self.return_to(Screen::Legal, STATE_RESET);
        }
    }

    /// To a screen, in the midst of a game that is in this state.
    pub(super) fn return_to(&mut self, screen: Screen, state: u8) {
        self.show(screen);
        self.state = state;
    }

    /// The title screen has waited long enough; the mode that starts the demo is 6 and is still in A. $8296.
    pub(super) fn load_demo(&mut self) {
        self.leave(Screen::Loading, 6);
        (self.state, self.for_demo) = (0, true);
    }

    /// Whether a game's screen stands and its variables are set.
    pub(super) fn is_loaded(&self) -> bool {
        self.screen == Screen::Loading && self.frames >= ENTRY_FRAMES
    }
}

impl Console {
    /// What a hand has to hold in the menus besides: A, for the levels from 10 on. $845F.
    pub fn with_help(&self, held: Buttons, level: u8) -> Buttons {
        let is_before_game = self.phase == Phase::Menu && self.menu.screen != Screen::HighScore;
        let helps = is_before_game && !self.menu.is_quick && (10..20).contains(&level);
        if helps { held | Buttons::A } else { held }
    }

    /// The frames before the first interrupt.
    pub(super) fn boot(&mut self) {
        self.unpolled_frames = BOOT_UNPOLLED_FRAMES[0];
    }

    /// A frame in which no game runs.
    pub(super) fn menu_frame(&mut self, before: Buttons, pressed: Buttons) -> Option<Event> {
        if self.menu.is_quick && self.menu.screen != Screen::HighScore {
            return pressed.contains(Buttons::START).then(|| self.quick_start());
        }
        self.menu.frames = self.menu.frames.saturating_add(1);
        if self.menu.screen == Screen::Boot && self.menu.frames == 1 {
            self.unpolled_frames = BOOT_UNPOLLED_FRAMES[1];
        }
        match self.menu.screen {
            Screen::Boot => {
                if self.menu.frames == ENTRY_FRAMES {
                    self.menu.show(Screen::Legal);
                }
            }
            Screen::Loading => return self.loading(before, pressed),
            Screen::Title if self.menu.frames == ENTRY_FRAMES => {
                self.menu.title_since = self.frame.0 & !0xFF;
                self.next_shown = true; // $00DF
            }
            _ if !self.menu.is_ready() => {
                if self.menu.screen == Screen::Level && self.menu.frames == ENTRY_FRAMES - 1 {
                    // Only the level itself is remembered, and the cursor returns to it. $8422–$8431.
                    self.menu.choice.level %= 10;
                    self.menu.at_height = false;
                }
            }
            Screen::Legal => self.legal(pressed),
            Screen::Title => self.title(pressed),
            Screen::GameType => self.game_type_menu(pressed),
            Screen::Level => self.level_menu(pressed),
            Screen::HighScore => self.name_frame(pressed),
        }
        None
    }

    fn legal(&mut self, pressed: Buttons) {
        if pressed == Buttons::START || self.menu.frames == ENTRY_FRAMES + 2 * self.menu.legal_frames {
            self.menu.show(Screen::Title);
        }
    }

    fn title(&mut self, pressed: Buttons) {
        if pressed == Buttons::START {
            self.menu.leave(Screen::GameType, CLICK);
        } else if self.frame.0 - self.menu.title_since >= TITLE_FRAMES {
            self.start_demo();
        }
    }

    fn game_type_menu(&mut self, pressed: Buttons) {
        match pressed {
            Buttons::RIGHT => self.menu.choice.game_type = GameType::B,
            Buttons::LEFT => self.menu.choice.game_type = GameType::A,
            Buttons::START => self.menu.leave(Screen::Level, CLICK),
            Buttons::B => self.menu.leave(Screen::Title, 0),
            _ => {}
        }
    }

    /// Each frame that ends in the menu steps the register twice or more, for two gaps that a game of one does not need.
    /// $8486–$84A6.
    fn level_menu(&mut self, pressed: Buttons) {
        self.menu.move_cursor(pressed);
        match pressed {
            Buttons::START => {
                if self.held == Buttons::START | Buttons::A {
                    self.menu.choice.level += 10;
                }
                (self.menu.state, self.menu.for_demo) = (0, false);
                self.menu.show(Screen::Loading);
            }
            Buttons::B => self.menu.leave(Screen::GameType, CLICK),
            _ => self.draw_holes(),
        }
    }

    /// Everything at once, for tests and films that begin with a game.
    fn quick_start(&mut self) -> Event {
        let event = self.draw_pieces();
        if self.menu.choice.game_type == GameType::B {
            (0..12).for_each(|row| self.draw_garbage_row(row));
        }
        self.begin_play();
        event
    }

    /// One wait, the screen, three waits; then the pieces are drawn, and a B-Type game draws a row of garbage a frame.
    fn loading(&mut self, before: Buttons, pressed: Buttons) -> Option<Event> {
        let since = self.menu.frames - ENTRY_FRAMES;
        if since >= 0 && self.menu.for_demo && !self.demo.goes_on() {
            // Start was read meanwhile: seen in the main loop after the first state, or the second.
            self.return_to_title_from(since as u8 + 1);
            return None;
        }
        if since == 0 {
            return Some(self.draw_pieces());
        }
        if self.menu.choice.game_type == GameType::B && (1..=12).contains(&since) {
            self.draw_garbage_row(since as u8 - 1);
            return None;
        }
        if since > 0 {
            self.begin_play();
            return self.play_frame(before, pressed);
        }
        None
    }

    pub(super) fn skip(&mut self, what: Skipped) {
        if !self.skipped.contains(&what) {
            self.skipped.push(what);
        }
    }
}

impl Menu {
    /// $84AE–$8553.
    fn move_cursor(&mut self, pressed: Buttons) {
        let Choice { game_type, level, height } = &mut self.choice;
        match (pressed, self.at_height) {
            (Buttons::RIGHT, false) => *level = (*level + 1).min(9),
            (Buttons::LEFT, false) => *level = level.saturating_sub(1),
            (Buttons::DOWN, false) if *level < 5 => *level += 5,
            (Buttons::UP, false) if *level >= 5 => *level -= 5,
            (Buttons::RIGHT, true) => *height = (*height + 1).min(5),
            (Buttons::LEFT, true) => *height = height.saturating_sub(1),
            (Buttons::DOWN, true) if *height < 3 => *height += 3,
            (Buttons::UP, true) if *height >= 3 => *height -= 3,
            (Buttons::A, _) if *game_type == GameType::B => self.at_height = !self.at_height,
            _ => {}
        }
    }
}
