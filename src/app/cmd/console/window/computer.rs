//! A computer with Standard Tetris or a game that a file describes, and a keyboard.

use super::hint::Hint;
use super::keys::{Command, Pad};
use super::setting::{self, INSTRUCTIONS};
use crate::game::guideline;
use crate::game::rules::{Down, Move, Rules};
use crate::game::simple::SimpleMachine;
use crate::game::standard::{self, Game, Looks, Phase, Place};
use crate::game::{Buttons, Piece};
use crate::twin::machine::GameKind;
use crate::twin::picture::Picture;
use crate::twin::plain::{Plain, draw_page};
use crate::twin::reference::Shown;
use std::sync::Arc;

/// The game on it.
enum Played {
    Standard(Box<standard::Machine>),
    Described(Box<SimpleMachine>),
    Modern(Box<guideline::Machine>),
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
    /// Whether the page of instructions is shown; the game stands still meanwhile.
    is_explained: bool,
    hint: Hint,
    /// Where that shows the falling piece to go.
    hinted: Option<Place>,
    /// The last game that was saved, as text.
    kept: Option<String>,
    frame_ms: f64,
}

impl Computer {
    /// A computer that waits for Start, with hints of Standard Tetris; `None` if the game is the console's.
    pub fn new(kind: GameKind, level: u8, seed: u64, reference: bool, hint: Hint) -> Option<Self> {
        Some(Self {
            keys: Pad::default(),
            played: Played::of(&kind, level, seed)?,
            frame_ms: kind.frame_ms(),
            begin: (kind, level, seed),
            reference: reference.then(Shown::default),
            is_explained: false,
            hint,
            hinted: None,
            kept: None,
        })
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
        if self.reference.is_some() || self.is_explained {
            return;
        }
        match &mut self.played {
            Played::Standard(machine) => {
                machine.frame(held);
                self.hinted = self.hint.target(machine.game());
            }
            Played::Described(machine) => drop(machine.frame(held)),
            Played::Modern(machine) => drop(machine.frame(held)),
        }
    }

    /// A key of the game goes down.
    pub fn press(&mut self, buttons: Buttons) {
        if self.reference.is_some() || self.is_explained {
            return;
        }
        self.keys.press(buttons);
        if let Played::Standard(machine) = &mut self.played
            && machine.phase() == Phase::Menu
            && buttons.intersects(Buttons::UP | Buttons::DOWN)
        {
            setting::step_level(machine.game_mut(), buttons.intersects(Buttons::UP));
        }
    }

    /// What the space bar stands for.
    pub fn drop_button(&self) -> Buttons {
        match &self.played {
            Played::Standard(_) => Buttons::A,
            Played::Described(machine) => machine.settings().rules.hard_drop().unwrap_or_default(),
            Played::Modern(_) => Buttons::UP,
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
        let Played::Standard(machine) = &mut self.played else { return None };
        let said = match command {
            Command::Instructions => {
                self.is_explained = !self.is_explained;
                self.keys.release_all();
                None
            }
            Command::Save => {
                self.kept = Some(machine.game().save());
                None
            }
            Command::Load => match self.kept.as_deref().map(Game::load) {
                Some(Ok(saved)) => {
                    machine.go_on_with(saved);
                    self.hint.on_another_board(machine.game())
                }
                Some(Err(error)) => Some(error.to_string()),
                None => Some("no game was saved yet: Shift+W saves one".into()),
            },
            Command::Grow(columns, rows) => {
                let grown = setting::grown(machine.game(), columns, rows);
                let [columns, rows] = grown.pile().size();
                self.begin.0 = GameKind::Standard(Arc::new(grown.clone()));
                machine.go_on_with(grown);
                let said = self.hint.on_another_board(machine.game());
                Some(said.unwrap_or_else(|| format!("a board of {columns} × {rows} cells")))
            }
            Command::Hint => self.hint.switch(machine.game()).err(),
            change => setting::change(machine.game_mut(), change),
        };
        self.hinted = self.hint.target(machine.game());
        said
    }

    /// The game as text, if it can be saved.
    pub fn saved(&self) -> Option<String> {
        match &self.played {
            Played::Standard(machine) => Some(machine.game().save()),
            Played::Described(_) | Played::Modern(_) => None,
        }
    }

    /// What is on the screen of a window in which so many pixels stand along each side of one of the picture's.
    pub fn picture(&self, zoom: usize) -> Picture {
        if self.is_explained {
            let mut picture = Picture::new();
            draw_page(&INSTRUCTIONS, &mut picture);
            return picture;
        }
        let plain = match (self.reference, &self.played) {
            (Some(shown), played) => {
                let piece = shown.piece().map(|piece| played.spawn(piece));
                Plain::of_reference(shown.pile(played.size()), piece, played.level(), played.looks())
            }
            (None, Played::Standard(machine)) => Plain::of_standard(machine).with_hint(self.hinted),
            (None, Played::Described(machine)) => Plain::of_simple(machine),
            (None, Played::Modern(machine)) => Plain::of_guideline(machine),
        };
        plain.picture(zoom)
    }

    /// Which keys there are, in a line.
    pub fn help(&self) -> String {
        let window =
            "C reference pictures (1 to 7, 0), R begins anew, P saves the picture, F11 fills the screen, Esc closes";
        match &self.played {
            Played::Standard(_) => format!(
                "Left and Right move, Up turns, Space drops, Enter starts and pauses; I says all keys; Up and Down choose the \
                 level before a game, + and - the speed, Ctrl and arrows the board; N next piece, Shift+K monochrome, Shift+D \
                 shadow, Shift+H hint, Shift+J junk row, Shift+S S and Z, Shift+W saves the game, Shift+L loads it; {window}"
            ),
            Played::Described(machine) => {
                let hold = machine.hold_key().map(|key| format!(", {} holds", key_name(key))).unwrap_or_default();
                format!("{}{hold}, Enter starts and pauses; {window}", moves(&machine.settings().rules))
            }
            Played::Modern(_) => format!(
                "Left and Right move, X turns clockwise and Z the other way, Down is faster, Space or Up drops, Shift holds, Enter \
                 starts and pauses; {window}"
            ),
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
            GameKind::Guideline(settings, seed) => {
                Some(Self::Modern(Box::new(guideline::Machine::new(*settings, *seed))))
            }
        }
    }

    fn level(&self) -> u8 {
        match self {
            Self::Standard(machine) => machine.game().level(),
            Self::Described(machine) => machine.counters().level,
            Self::Modern(machine) => machine.game().progress().level(),
        }
    }

    fn looks(&self) -> Looks {
        match self {
            Self::Standard(machine) => machine.game().settings.looks,
            Self::Described(_) | Self::Modern(_) => Looks::default(),
        }
    }

    fn size(&self) -> [usize; 2] {
        match self {
            Self::Standard(machine) => machine.game().pile().size(),
            Self::Described(machine) => [machine.board().width(), machine.board().height()],
            Self::Modern(_) => standard::SIZE,
        }
    }

    fn spawn(&self, piece: Piece) -> Place {
        match self {
            Self::Standard(_) => Place::of_spawn(piece, self.size()[0]),
            Self::Described(machine) => machine.settings().movement.spawn(piece).into(),
            Self::Modern(_) => guideline::spawn_pose(piece).moved(0, 1 - guideline::SKYLINE as i8).into(),
        }
    }
}

/// What the keys of a described game do.
fn moves(rules: &Rules) -> String {
    let steps = [
        (Move::Clockwise, "turns clockwise"),
        (Move::CounterClockwise, "turns counter-clockwise"),
        (Move::HalfTurn, "turns by half"),
        (Move::Down, if rules.down() == Down::ToTheFloor { "hurries" } else { "is a row down" }),
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
    use crate::app::args::modern::ModernArgs;
    use crate::app::args::standard::StandardArgs;
    use crate::app::args::table_game::TableGame;
    use crate::game::standard::{Draw, SIZE};
    use crate::planner::Brain;

    fn computer(name: &str) -> Computer {
        let kind = TableGame::load(name).unwrap().kind(1, 1, &StandardArgs::default(), ModernArgs::default()).unwrap();
        let mut computer = Computer::new(kind, 1, 1, false, Hint::of(Brain::default())).unwrap();
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
        assert_eq!(game(&mut computer).pile().count(), 9);
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
        assert_eq!(game(&mut computer).pile().count(), 0);
        assert!(
            (0..30).filter_map(|_| computer.command(Command::Junk)).last().unwrap().contains("complete rows first")
        );
    }

    /// Presses, lets go, and runs a frame after each.
    fn tap(computer: &mut Computer, buttons: Buttons) {
        computer.press(buttons);
        computer.frame();
        computer.keys.release_all();
        computer.frame();
    }

    #[test]
    fn looks_and_hints_change_the_picture_and_nothing_of_the_game() {
        for command in [Command::Monochrome, Command::Shadow, Command::Hint, Command::Instructions] {
            let (mut computer, mut other) = (computer("standard"), computer("standard"));
            let before = computer.picture(1);
            assert_eq!(computer.command(command), None);
            assert!(computer.picture(1) != before, "{command:?}");
            if command != Command::Instructions {
                (0..500).for_each(|_| [&mut computer, &mut other].into_iter().for_each(Computer::frame));
                assert!(computer.picture(1) != other.picture(1), "{command:?}");
            } else {
                // The game stands still behind the page.
                (0..500).for_each(|_| tap(&mut computer, Buttons::LEFT));
            }
            assert_eq!(game(&mut computer).pile(), game(&mut other).pile(), "{command:?}");
            computer.command(command);
            assert!(computer.picture(1) == other.picture(1), "{command:?}");
        }
    }

    #[test]
    fn the_board_grows_and_shrinks_by_keys_and_stays_so() {
        let mut computer = computer("standard");
        for (columns, rows, size) in [(1, 0, [11, 20]), (0, 1, [11, 21]), (-1, 0, [10, 21]), (0, -1, [10, 20])] {
            let said = computer.command(Command::Grow(columns, rows)).unwrap();
            assert_eq!(game(&mut computer).pile().size(), size);
            assert!(said.contains(&format!("{} × {}", size[0], size[1])), "{said}");
        }
        (0..9).for_each(|_| drop(computer.command(Command::Grow(-1, 0))));
        assert_eq!(game(&mut computer).pile().size(), [4, 20]);
        computer.reset();
        assert_eq!(game(&mut computer).pile().size(), [4, 20]);
        (0..250).for_each(|_| drop(computer.command(Command::Grow(1, 0))));
        (0..450).for_each(|_| drop(computer.command(Command::Grow(0, 1))));
        assert_eq!(game(&mut computer).pile().size(), [200, 400]);
        assert_eq!(computer.picture(1).fine(), 5);
        computer.switch_reference();
        computer.digit(8);
        assert_eq!(computer.picture(1).fine(), 5);
    }

    #[test]
    fn hints_end_where_the_board_gets_too_large_for_the_ai() {
        let mut computer = computer("standard");
        computer.command(Command::Hint);
        assert!(computer.hinted.is_some());
        let said: Vec<String> = (0..7).filter_map(|_| computer.command(Command::Grow(1, 0))).collect();
        assert!(said[5].contains("16 × 20") && said[6].contains("no AI here plans on 17 × 20"), "{said:?}");
        assert!(computer.hinted.is_none());
        assert!(computer.command(Command::Hint).unwrap().contains("17 × 20"));
    }

    #[test]
    fn the_level_is_chosen_before_a_game_and_not_in_it() {
        let kind =
            TableGame::load("standard").unwrap().kind(1, 3, &StandardArgs::default(), ModernArgs::default()).unwrap();
        let mut computer = Computer::new(kind, 3, 1, false, Hint::of(Brain::default())).unwrap();
        let menu = computer.picture(1);
        (0..2).for_each(|_| tap(&mut computer, Buttons::UP));
        tap(&mut computer, Buttons::DOWN);
        assert_eq!(game(&mut computer).level(), 4);
        assert!(computer.picture(1) != menu);
        (0..12).for_each(|_| tap(&mut computer, Buttons::UP));
        assert_eq!(game(&mut computer).level(), 10);
        tap(&mut computer, Buttons::START);
        (0..10).for_each(|_| tap(&mut computer, Buttons::DOWN));
        assert_eq!(game(&mut computer).level(), 10);
    }

    #[test]
    fn a_game_that_is_loaded_after_another_has_ended_waits_for_its_player() {
        let mut computer = computer("standard");
        computer.command(Command::Save);
        let saved = computer.saved().unwrap();
        while computer.command(Command::Junk).is_none() {}
        game(&mut computer).settings.bias = standard::SpeedBias::new(3).unwrap();
        (0..500).for_each(|_| computer.frame());
        assert!(game(&mut computer).is_over());
        computer.command(Command::Load);
        assert_eq!(computer.saved().unwrap(), saved);
        tap(&mut computer, Buttons::START);
        assert_eq!((computer.saved().unwrap(), game(&mut computer).pile().size()), (saved, SIZE));
        (0..100).for_each(|_| computer.frame());
        assert!(game(&mut computer).pieces() > 0);
    }

    #[test]
    fn reference_pictures_stand_before_the_game() {
        for name in ["standard", "vitetris"] {
            let mut computer = computer(name);
            let before = computer.picture(1);
            computer.switch_reference();
            let empty = computer.picture(1);
            computer.digit(2);
            assert!(computer.picture(1) != empty && empty != before, "{name}");
            (0..100).for_each(|_| computer.frame());
            computer.switch_reference();
            assert!(computer.picture(1) == before, "{name}");
        }
    }

    #[test]
    fn the_help_line_names_the_keys_of_the_game() {
        let help = computer("standard").help();
        for words in [
            "Up turns",
            "Space drops",
            "Shift+J",
            "N next piece",
            "+ and -",
            "Shift+W",
            "Shift+K",
            "Shift+D",
            "Shift+H",
        ] {
            assert!(help.contains(words), "{help}");
        }
        let help = computer("ltris").help();
        assert!(help.contains("Up turns counter-clockwise") && help.contains("Z turns clockwise"), "{help}");
        assert!(help.contains("Space or X drops") && !help.contains("row down"), "{help}");
        assert_eq!(computer("standard").drop_button(), Buttons::A);
        assert!(computer("vitetris").saved().is_none() && computer("vitetris").command(Command::Junk).is_none());
    }
}
