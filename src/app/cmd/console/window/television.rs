//! The console with a keyboard for a pad, and the reference pictures that stand in for it.

use super::keys::Pad;
use crate::game::Buttons;
use crate::game::machine::demo::Demo;
use crate::game::machine::{Console, GameType, Phase, Recording, Screen};
use crate::twin::picture::{Picture, draw, draw_menu, draw_table, draw_two};
use crate::twin::reference::{Reference, Shown};
use crate::twin::table::view;

/// What the television shows.
pub struct Television {
    /// The buttons held.
    pub keys: Pad,
    /// The buttons held on the second pad.
    pub second_keys: Pad,
    console: Console,
    /// The level that was asked for at the start, with A's help in the menu if it needs that.
    level: u8,
    /// Which reference picture is shown; the game stands still meanwhile.
    reference: Option<Reference>,
}

impl Television {
    /// A console, or at first reference pictures instead.
    pub fn new(console: Console, level: u8, reference: bool) -> Self {
        let reference = reference.then(|| Reference { level, ..Reference::default() });
        Self { keys: Pad::default(), second_keys: Pad::default(), console, level, reference }
    }

    /// Whether there are two pads.
    pub fn has_two_players(&self) -> bool {
        self.console.has_two_players()
    }

    /// Frames a second.
    pub fn frames_per_s(&self) -> f64 {
        self.console.setup().region.frames_per_s()
    }

    /// One frame.
    pub fn frame(&mut self) {
        let (held, second) = (self.keys.poll(), self.second_keys.poll());
        if self.reference.is_none() {
            self.console.frame_of_two([self.console.with_help(held, self.level), second]);
        }
    }

    /// A button's key goes down.
    pub fn press(&mut self, buttons: Buttons) {
        match &mut self.reference {
            Some(reference) if buttons.intersects(Buttons::UP | Buttons::DOWN) => {
                reference.step_level(buttons.contains(Buttons::UP));
            }
            Some(_) => {}
            None => self.keys.press(buttons),
        }
    }

    /// A number key goes down.
    pub fn digit(&mut self, digit: u8) {
        if let (Some(reference), Some(shown)) = (&mut self.reference, Shown::of_digit(digit)) {
            reference.shown = shown;
        }
    }

    /// To the reference pictures and back.
    pub fn switch_reference(&mut self) {
        self.keys.release_all();
        self.reference = match self.reference {
            Some(_) => None,
            None => Some(Reference { level: self.level, ..Reference::default() }),
        };
    }

    /// The reset button.
    pub fn reset(&mut self) {
        self.console.reset();
    }

    /// The demo that was recorded, if any was begun, and how that went.
    pub fn recorded_demo(&self) -> Option<(Demo, Recording)> {
        self.console.recorded_demo()
    }

    /// What is on the screen.
    pub fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        match (self.reference, self.console.phase) {
            (Some(reference), _) => draw(&reference.view(), &mut picture),
            (None, Phase::Menu) if self.console.entry.is_none() => draw_screen(&self.console, &mut picture),
            (None, _) => match self.console.second_player() {
                Some(other) => draw_two([&view(&self.console), &view(&other)], &mut picture),
                None => draw(&view(&self.console), &mut picture),
            },
        }
        picture
    }
}

/// The screens before a game, with what is chosen; the loading ones are black.
fn draw_screen(console: &Console, into: &mut Picture) {
    let choice = console.menu.choice;
    let game_type = if choice.game_type == GameType::B { "B-TYPE" } else { "A-TYPE" };
    let level = console.setup().forced_level.unwrap_or(choice.level);
    match console.menu.screen {
        Screen::Boot | Screen::Loading | Screen::HighScore => {}
        Screen::Legal => draw_menu(["STACKHAND", "", ""], into),
        Screen::Title => draw_menu(["STACKHAND", "", "PRESS START"], into),
        Screen::GameType => draw_menu(["GAME", game_type, "PRESS START"], into),
        Screen::Level => {
            let is_type_b = choice.game_type == GameType::B;
            let height = if is_type_b { format!(" HIGH {}", choice.height) } else { String::new() };
            draw_menu([game_type, &format!("LEVEL {level}{height}"), "PRESS START"], into);
            draw_table(console.high_scores.of(choice.game_type), into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Piece;
    use crate::game::machine::{Choice, Setup};
    use crate::message::{Cell, Frame, Observation};
    use crate::profile::layout::Layout;
    use crate::time::{CameraFrame, HostTime};
    use crate::twin::camera::{CameraModel, DEFAULT_SIZE};
    use crate::vision::follow::Watch;
    use std::sync::Arc;

    fn machine(reference: bool) -> Television {
        Television::new(Console::walked(Setup::default(), Choice::default(), 0).0, 0, reference)
    }

    /// The robot's eye before the television.
    struct Eye {
        camera: CameraModel,
        watch: Watch,
        pictures: u64,
    }

    impl Eye {
        fn new() -> Self {
            let camera = CameraModel::new(0.0, 1, 60.0, DEFAULT_SIZE);
            let layout = Layout::load("nes").unwrap();
            let watch = Watch::new(&layout, camera.corners(), 0.0, DEFAULT_SIZE).unwrap();
            Self { camera, watch, pictures: 0 }
        }

        fn look(&mut self, machine: &Television) -> Observation {
            self.pictures += 1;
            let image = Arc::new(self.camera.expose(&[(1.0, &machine.picture())], self.pictures));
            let time = HostTime::from_ms(self.pictures as f64 * 100.0);
            self.watch.look(&Frame { index: CameraFrame(self.pictures), time, name: None, file: None, image }).0
        }
    }

    #[test]
    fn number_keys_show_each_piece_to_the_robots_eye() {
        let (mut machine, mut eye) = (machine(true), Eye::new());
        let order = [Piece::O, Piece::I, Piece::S, Piece::Z, Piece::L, Piece::J, Piece::T];
        for (digit, piece) in (1..=7).zip(order) {
            machine.digit(digit);
            let seen = eye.look(&machine);
            assert_eq!((seen.spawn.piece(), seen.next.piece()), (Some(piece), Some(piece)), "key {digit}");
            assert_eq!(seen.grid.full().count(), 4);
        }
        machine.digit(0);
        let cleared = eye.look(&machine);
        assert_eq!((cleared.spawn.piece(), cleared.next.piece(), cleared.grid.full().count()), (None, None, 0));
    }

    #[test]
    fn patterns_fill_the_cells_they_say() {
        let (mut machine, mut eye) = (machine(true), Eye::new());
        machine.digit(7);
        eye.look(&machine);
        machine.digit(9);
        let grid = eye.look(&machine).grid;
        assert!((0..200).all(|i| (grid.cell(i % 10, i / 10) == Cell::Full) == ((i % 10 + i / 10) % 2 == 0)));
    }

    #[test]
    fn the_game_stands_still_behind_reference_pictures() {
        let mut machine = machine(false);
        machine.press(Buttons::START);
        (0..2).for_each(|_| machine.frame());
        machine.keys.release_all();
        (0..200).for_each(|_| machine.frame());
        assert_ne!(machine.console.phase, Phase::Menu);
        let (game, before) = (machine.picture(), machine.console.frame);
        machine.switch_reference();
        assert!(machine.picture() != game);
        (0..100).for_each(|_| machine.frame());
        machine.press(Buttons::UP);
        assert_eq!(machine.reference.map(|r| r.level), Some(1));
        machine.switch_reference();
        assert!(machine.picture() == game && machine.console.frame == before);
    }

    #[test]
    fn the_menu_shows_what_is_chosen() {
        let mut machine = machine(false);
        let before = machine.picture();
        machine.press(Buttons::RIGHT);
        machine.frame();
        assert_eq!(machine.console.menu.choice.level, 1);
        assert!(machine.picture() != before);
    }
}
