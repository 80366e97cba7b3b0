//! A computer with Standard Tetris or a game that a file describes, and a keyboard.

use super::keys::{Command, Pad};
use crate::game::rules::{Move, Rules};
use crate::game::simple::SimpleMachine;
use crate::game::standard::{self, Draw, Game, SpeedBias};
use crate::game::{Buttons, Piece, Pose};
use crate::twin::machine::GameKind;
use crate::twin::picture::Picture;
use crate::twin::plain::Plain;
use crate::twin::reference::Shown;

/// The game on it.
enum Played {
    Standard(Box<standard::Machine>),
    Described(Box<SimpleMachine>),
}

/// The computer.
pub struct Computer {
    /// The keys held.
    pub keys: Pad,
    played: Played,
    /// What is begun anew with: the game, its level and the seed of its pieces.
    begin: (GameKind, u8, u64),
    /// Which reference picture is shown; the game stands still meanwhile.
    reference: Option<Shown>,
    /// The last game that was saved, as text.
    kept: Option<String>,
    frame_ms: f64,
}

impl Computer {
    /// A computer that waits for Start; `None` if the game is the console's.
    pub fn new(kind: GameKind, level: u8, seed: u64, reference: bool) -> Option<Self> {
        let played = Played::of(&kind, level, seed)?;
        let frame_ms = kind.frame_ms();
        let reference = reference.then(Shown::default);
        Some(Self { keys: Pad::default(), played, begin: (kind, level, seed), reference, kept: None, frame_ms })
    }

    /// Whether it is Standard Tetris.
    pub fn is_standard(&self) -> bool {
        matches!(self.played, Played::Standard(_))
    }

    /// Frames a second.
    pub fn frames_per_s(&self) -> f64 {
        1000.0 / self.frame_ms
    }

    /// One frame.
    pub fn frame(&mut self) {
        let held = self.keys.poll();
        if self.reference.is_some() {
            return;
        }
        match &mut self.played {
            Played::Standard(machine) => drop(machine.frame(held)),
            Played::Described(machine) => drop(machine.frame(held)),
        }
    }

    /// A key of the game goes down.
    pub fn press(&mut self, buttons: Buttons) {
        if self.reference.is_none() {
            self.keys.press(buttons);
        }
    }

    /// What the space bar stands for.
    pub fn drop_button(&self) -> Buttons {
        match &self.played {
            Played::Standard(_) => Buttons::A,
            Played::Described(machine) => machine.settings().rules.hard_drop().unwrap_or_default(),
        }
    }

    /// A number key goes down.
    pub fn digit(&mut self, digit: u8) {
        if let (Some(reference), Some(shown)) = (&mut self.reference, Shown::of_digit(digit)) {
            *reference = shown;
        }
    }

    /// To the reference pictures and back.
    pub fn switch_reference(&mut self) {
        self.keys.release_all();
        self.reference = if self.reference.is_some() { None } else { Some(Shown::default()) };
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        let (kind, level, seed) = &self.begin;
        if let Some(played) = Played::of(kind, *level, *seed) {
            self.played = played;
        }
    }

    /// A player changes the game; what there is to say of it.
    pub fn command(&mut self, command: Command) -> Option<String> {
        let kept = self.kept.clone();
        let Played::Standard(machine) = &mut self.played else { return None };
        let game = machine.game_mut();
        match command {
            Command::Junk => game.insert_junk_row().err().map(|error| error.to_string()),
            Command::Faster | Command::Slower => {
                let step = if command == Command::Faster { 1 } else { -1 };
                game.settings.bias = SpeedBias::new(game.settings.bias.steps() + step).unwrap_or(game.settings.bias);
                Some(format!("speed bias {}", game.settings.bias))
            }
            Command::Next => {
                game.settings.shows_next = !game.settings.shows_next;
                None
            }
            Command::SAndZ => {
                let is_sz = game.settings.draw == Draw::Alternating;
                game.settings.draw = if is_sz { Draw::Uniform } else { Draw::Alternating };
                Some(if is_sz { "all pieces come" } else { "only S and Z come, in turn" }.into())
            }
            Command::Load => match kept.map(|text| Game::load(&text)) {
                Some(Ok(saved)) => {
                    *game = saved;
                    None
                }
                Some(Err(error)) => Some(error.to_string()),
                None => Some("no game was saved yet: Shift+W saves one".into()),
            },
            Command::Save => {
                self.kept = Some(game.save());
                None
            }
        }
    }

    /// The game as text, if it can be saved.
    pub fn saved(&self) -> Option<String> {
        match &self.played {
            Played::Standard(machine) => Some(machine.game().save()),
            Played::Described(_) => None,
        }
    }

    /// What is on the screen.
    pub fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        match (self.reference, &self.played) {
            (Some(shown), played) => {
                let (board, level) = (shown.pile(standard::SIZE), played.level());
                Plain::of_reference(&board, shown.piece().map(|piece| played.spawn(piece)), level)
                    .draw(0, &mut picture);
            }
            (None, Played::Standard(machine)) => Plain::of_standard(machine).draw(0, &mut picture),
            (None, Played::Described(machine)) => Plain::of_simple(machine).draw(0, &mut picture),
        }
        picture
    }

    /// Which keys there are, in a line.
    pub fn help(&self) -> String {
        let window =
            "C reference pictures (1 to 7, 0), R begins anew, P saves the picture, F11 fills the screen, Esc closes";
        match &self.played {
            Played::Standard(_) => format!(
                "Left and Right move, Up turns, Space drops, Enter starts and pauses; + and - speed, N next piece, Shift+J junk \
                 row, Shift+S S and Z, Shift+W saves the game, Shift+L loads it; {window}"
            ),
            Played::Described(machine) => {
                format!("{}, Enter starts and pauses; {window}", moves(&machine.settings().rules))
            }
        }
    }
}

impl Played {
    fn of(kind: &GameKind, level: u8, seed: u64) -> Option<Self> {
        match kind {
            GameKind::Nes => None,
            GameKind::Standard(game) => Some(Self::Standard(Box::new(standard::Machine::new((**game).clone())))),
            GameKind::Simple(settings) => {
                Some(Self::Described(Box::new(SimpleMachine::new((**settings).clone(), level, seed))))
            }
        }
    }

    fn level(&self) -> u8 {
        match self {
            Self::Standard(machine) => machine.game().level(),
            Self::Described(machine) => machine.counters().level,
        }
    }

    fn spawn(&self, piece: Piece) -> Pose {
        match self {
            Self::Standard(_) => standard::spawn_pose(piece, standard::SIZE[0]),
            Self::Described(machine) => machine.settings().movement.spawn(piece),
        }
    }
}

/// What the keys of a described game do.
fn moves(rules: &Rules) -> String {
    let steps = [
        (Move::Clockwise, "turns clockwise"),
        (Move::CounterClockwise, "turns counter-clockwise"),
        (Move::Down, "is a row down"),
    ];
    let mut words = vec!["Left and Right move".to_string()];
    let own = steps.into_iter().filter(|(step, _)| rules.can(*step));
    words.extend(own.map(|(step, does)| format!("{} {does}", key_name(rules.button(step)))));
    words.extend(rules.hard_drop().map(|key| format!("Space or {} drops", key_name(key))));
    words.join(", ")
}

/// The key of the keyboard that stands for a button.
fn key_name(button: Buttons) -> &'static str {
    const NAMES: [(Buttons, &str); 8] = [
        (Buttons::RIGHT, "Right"),
        (Buttons::LEFT, "Left"),
        (Buttons::DOWN, "Down"),
        (Buttons::UP, "Up"),
        (Buttons::START, "Enter"),
        (Buttons::SELECT, "Shift"),
        (Buttons::A, "X"),
        (Buttons::B, "Z"),
    ];
    NAMES.into_iter().find(|(known, _)| *known == button).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::args::standard::StandardArgs;
    use crate::app::args::table_game::TableGame;

    fn computer(name: &str) -> Computer {
        let kind = TableGame::load(name).unwrap().kind(1, 1, &StandardArgs::default()).unwrap();
        let mut computer = Computer::new(kind, 1, 1, false).unwrap();
        computer.press(Buttons::START);
        computer.frame();
        computer.keys.release_all();
        (0..100).for_each(|_| computer.frame());
        computer
    }

    fn game(computer: &mut Computer) -> &mut Game {
        let Played::Standard(machine) = &mut computer.played else { panic!("another game") };
        machine.game_mut()
    }

    #[test]
    fn a_player_of_standard_tetris_changes_the_game_by_keys() {
        let mut computer = computer("standard");
        assert_eq!(computer.command(Command::Junk), None);
        assert_eq!(game(&mut computer).board().count(), 9);
        assert_eq!(computer.command(Command::Faster).as_deref(), Some("speed bias 1"));
        (0..9).for_each(|_| drop(computer.command(Command::Slower)));
        assert_eq!(game(&mut computer).settings.bias.steps(), -3);
        computer.command(Command::Next);
        assert!(!game(&mut computer).settings.shows_next);
        computer.command(Command::SAndZ);
        assert_eq!(game(&mut computer).settings.draw, Draw::Alternating);
        assert!(computer.command(Command::Load).unwrap().contains("Shift+W"));
        computer.command(Command::Save);
        let saved = computer.saved().unwrap();
        (0..300).for_each(|_| computer.frame());
        assert_ne!(computer.saved().unwrap(), saved);
        assert_eq!(computer.command(Command::Load), None);
        assert_eq!(computer.saved().unwrap(), saved);
        computer.reset();
        assert_eq!(game(&mut computer).board().count(), 0);
        assert!(
            (0..30).filter_map(|_| computer.command(Command::Junk)).last().unwrap().contains("complete rows first")
        );
    }

    #[test]
    fn reference_pictures_stand_before_the_game() {
        for name in ["standard", "vitetris"] {
            let mut computer = computer(name);
            let before = computer.picture();
            computer.switch_reference();
            let empty = computer.picture();
            computer.digit(2);
            assert!(computer.picture() != empty && empty != before, "{name}");
            (0..100).for_each(|_| computer.frame());
            computer.switch_reference();
            assert!(computer.picture() == before, "{name}");
        }
    }

    #[test]
    fn the_help_line_names_the_keys_of_the_game() {
        let help = computer("standard").help();
        for words in ["Up turns", "Space drops", "Shift+J", "N next piece", "+ and -", "Shift+W"] {
            assert!(help.contains(words), "{help}");
        }
        let help = computer("ltris").help();
        assert!(help.contains("Up turns counter-clockwise") && help.contains("Z turns clockwise"), "{help}");
        assert!(help.contains("Space or X drops") && !help.contains("row down"), "{help}");
        assert_eq!(computer("standard").drop_button(), Buttons::A);
        assert!(computer("vitetris").saved().is_none() && computer("vitetris").command(Command::Junk).is_none());
    }
}
