//! When a person pauses the robot, the game is paused, too, as a person would: by one press of Start, and another one to go
//! on. Pure: what is seen and wished comes from outside.
//!
//! A pause is told by the screen, so nothing is pressed that is not wanted: Start only if a game is seen running, and to go
//! on only if the game is seen to be paused, or is not to be seen since Start was pressed. After STOP nothing is pressed
//! until a person lets the robot go on.

use crate::game::Buttons;
use crate::message::{RelayCommand, RelayMask, ScreenState};
use crate::profile::calibration::Calibration;
use crate::schedule::START_PRESS_MS;
use crate::time::HostTime;
use crate::web::Hold;

/// From the decision to the press, and how late it may still leave, ms.
const LEAD_MS: f64 = 8.0;
const LATE_MS: f64 = 50.0;
/// The screen must have had so much time to show a press besides the eye's, ms: some pictures.
const SHOWN_MS: f64 = 250.0;
/// A picture may reach a busy computer this late, ms: a press was made once too often then, and undid the one before.
const LATE_PICTURE_MS: f64 = 3000.0;

/// What the hand shall do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Whatever the robot decides.
    Play,
    /// Nothing.
    Wait,
    /// Press Start once.
    PressStart,
}

/// What has become of a pause.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// The robot has the hand.
    Playing,
    /// The robot is held; Start was pressed at this time, if it was.
    Held(Option<HostTime>),
    /// Start was pressed to go on.
    Resuming(HostTime),
    /// The game goes on since, unless that was seen in a late picture.
    Going(HostTime),
}

/// Follows the person's wish with presses of Start.
#[derive(Debug, Clone)]
pub struct Pauser {
    phase: Phase,
    /// From a press to the first picture that surely shows it, ms.
    shown_after_ms: f64,
    has_start: bool,
    /// The press that should have paused the game may not have been made.
    is_doubtful: bool,
}

impl Pauser {
    /// Nothing is held yet.
    pub fn new(calibration: &Calibration) -> Self {
        let eye = calibration.timing.eye;
        let shown_after_ms = LEAD_MS + START_PRESS_MS + eye.ms + eye.spread_ms + SHOWN_MS;
        let has_start = calibration.relays(Buttons::START).0 != 0;
        Self { phase: Phase::Playing, shown_after_ms, has_start, is_doubtful: false }
    }

    /// What to do after a picture with this screen.
    pub fn look(&mut self, hold: Hold, screen: ScreenState, now: HostTime) -> Wish {
        let is_shown = |pressed: HostTime| now.ms_since(pressed) >= self.shown_after_ms;
        let is_running = matches!(screen, ScreenState::Playing | ScreenState::LineClear);
        // After our own press it is a pause that this layout does not know, or somebody stands before the camera.
        let is_hidden = matches!(screen, ScreenState::Obscured | ScreenState::NotThisGame);
        let (phase, wish) = match (self.phase, hold.may_press()) {
            (Phase::Playing, true) => (Phase::Playing, Wish::Play),
            (Phase::Going(pressed), true) if screen == ScreenState::Paused => (Phase::Resuming(pressed), Wish::Wait),
            (Phase::Going(pressed), true) => match now.ms_since(pressed) < self.shown_after_ms + LATE_PICTURE_MS {
                true => (self.phase, Wish::Play),
                false => (Phase::Playing, Wish::Play),
            },
            // A game that could not be seen when it was to be paused is paused when it can.
            (Phase::Playing | Phase::Held(None), false) if hold == Hold::Paused && is_running && self.has_start => {
                (Phase::Held(Some(now)), Wish::PressStart)
            }
            (Phase::Playing, false) => (Phase::Held(None), Wish::Wait),
            (Phase::Held(Some(pressed)), false) if self.is_doubtful && is_shown(pressed) && is_running => {
                (Phase::Held(Some(now)), Wish::PressStart)
            }
            (Phase::Held(pressed), false) => (Phase::Held(pressed), Wish::Wait),
            // What Start did must be seen first.
            (Phase::Held(Some(pressed)) | Phase::Resuming(pressed), true) if !is_shown(pressed) => {
                let is_going = matches!(self.phase, Phase::Resuming(_)) && is_running;
                if is_going { (Phase::Going(pressed), Wish::Play) } else { (self.phase, Wish::Wait) }
            }
            (Phase::Held(Some(_)), true) if is_hidden && self.has_start => (Phase::Resuming(now), Wish::PressStart),
            (Phase::Held(_) | Phase::Resuming(_), true) if screen == ScreenState::Paused && self.has_start => {
                (Phase::Resuming(now), Wish::PressStart)
            }
            (Phase::Resuming(pressed), true) => (Phase::Going(pressed), Wish::Play),
            (Phase::Held(_), true) => (Phase::Playing, Wish::Play),
            // The game is still paused, or goes on: held again, it is looked at first.
            (Phase::Resuming(pressed) | Phase::Going(pressed), false) if !is_shown(pressed) => {
                (Phase::Resuming(pressed), Wish::Wait)
            }
            (Phase::Resuming(_) | Phase::Going(_), false) => {
                self.phase = Phase::Playing;
                return self.look(hold, screen, now);
            }
        };
        self.is_doubtful &= phase == self.phase;
        self.phase = phase;
        wish
    }
}

impl Pauser {
    /// Presses that were due lately were not made: Start may have been among them. If the game is seen to go on, it is pressed
    /// again, for a game that everybody believes paused would be played by nobody.
    pub fn missed(&mut self) {
        self.is_doubtful = matches!(self.phase, Phase::Held(Some(_)));
    }
}

/// The commands of one press of Start.
pub fn start_press(calibration: &Calibration, now: HostTime) -> Vec<RelayCommand> {
    let command = |ms: f64, mask| {
        let due = now.plus_ms(ms);
        RelayCommand { due, expires: due.plus_ms(LATE_MS), mask }
    };
    vec![command(LEAD_MS, calibration.relays(Buttons::START)), command(LEAD_MS + START_PRESS_MS, RelayMask(0))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game that answers to Start at once, seen by a camera that takes its time.
    struct Game {
        pauser: Pauser,
        now: HostTime,
        /// When Start was pressed, and the screen before.
        presses: Vec<HostTime>,
        listens: bool,
        first: ScreenState,
        /// How a pause looks.
        pause: ScreenState,
        /// How old pictures are, ms.
        late_ms: f64,
    }

    impl Game {
        fn new(first: ScreenState, listens: bool) -> Self {
            let calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0);
            Self {
                pauser: Pauser::new(&calibration),
                now: HostTime(0),
                presses: Vec::new(),
                listens,
                first,
                pause: ScreenState::Paused,
                late_ms: 150.0,
            }
        }

        fn screen(&self) -> ScreenState {
            let seen = self.presses.iter().filter(|at| self.now.ms_since(**at) > self.late_ms).count();
            let is_paused = self.first == ScreenState::Playing && self.listens && seen % 2 == 1;
            if is_paused { self.pause } else { self.first }
        }

        /// This many pictures under this hold; what was wished in the last.
        fn pictures(&mut self, hold: Hold, count: usize) -> Wish {
            let mut last = Wish::Play;
            for _ in 0..count {
                self.now = self.now.plus_ms(33.3);
                last = self.pauser.look(hold, self.screen(), self.now);
                if last == Wish::PressStart {
                    self.presses.push(self.now);
                }
            }
            last
        }
    }

    #[test]
    fn start_pauses_the_game_and_lets_it_go_on() {
        let mut game = Game::new(ScreenState::Playing, true);
        assert_eq!(game.pictures(Hold::Running, 10), Wish::Play);
        assert_eq!((game.pictures(Hold::Paused, 300), game.presses.len()), (Wish::Wait, 1));
        assert_eq!(game.screen(), ScreenState::Paused);
        assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, 2));
        // Paused and let go at once: the pause must be seen before it is ended.
        game.pictures(Hold::Paused, 1);
        assert_eq!((game.pictures(Hold::Stepping, 60), game.presses.len()), (Wish::Play, 4));
        assert_eq!(game.screen(), ScreenState::Playing);
        // Let go and paused again at once.
        game.pictures(Hold::Paused, 60);
        game.pictures(Hold::Running, 1);
        game.pictures(Hold::Paused, 60);
        assert_eq!((game.presses.len(), game.screen()), (7, ScreenState::Paused));
    }

    #[test]
    fn a_press_that_was_never_made_is_made_again() {
        let mut game = Game::new(ScreenState::Playing, true);
        // The first press is dropped on its way to the board.
        assert_eq!(game.pictures(Hold::Paused, 1), Wish::PressStart);
        game.presses.clear();
        game.pauser.missed();
        assert_eq!((game.pictures(Hold::Paused, 90), game.presses.len()), (Wish::Wait, 1));
        assert_eq!(game.screen(), ScreenState::Paused);
        // Another press was dropped, and this one was made: once more would let the game go on.
        game.pictures(Hold::Running, 60);
        game.pictures(Hold::Paused, 1);
        game.pauser.missed();
        assert_eq!((game.pictures(Hold::Paused, 90), game.presses.len()), (Wish::Wait, 3));
        assert_eq!(game.screen(), ScreenState::Paused);
    }

    #[test]
    fn a_press_made_once_too_often_because_of_late_pictures_is_undone() {
        let mut game = Game::new(ScreenState::Playing, true);
        game.pictures(Hold::Paused, 60);
        // The computer stands still: the pictures of the pause come for a second more.
        game.late_ms = 1000.0;
        game.pictures(Hold::Stepping, 25);
        game.late_ms = 150.0;
        assert!(game.presses.len() > 2, "{}", game.presses.len());
        assert_eq!((game.pictures(Hold::Stepping, 90), game.screen()), (Wish::Play, ScreenState::Playing));
        // What a person does at the console later is the person's.
        game.pictures(Hold::Running, 200);
        let presses = game.presses.len();
        game.first = ScreenState::Paused;
        assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, presses));
    }

    #[test]
    fn a_game_that_is_hidden_when_it_is_to_be_paused_is_paused_when_it_shows() {
        let mut game = Game::new(ScreenState::Obscured, true);
        assert_eq!((game.pictures(Hold::Paused, 3), game.presses.len()), (Wish::Wait, 0));
        game.first = ScreenState::Playing;
        assert_eq!((game.pictures(Hold::Paused, 60), game.presses.len()), (Wish::Wait, 1));
        assert_eq!(game.screen(), ScreenState::Paused);
    }

    #[test]
    fn nothing_is_pressed_after_stop_nor_where_no_game_runs() {
        let mut game = Game::new(ScreenState::Playing, true);
        assert_eq!((game.pictures(Hold::Stopped, 100), game.presses.len()), (Wish::Wait, 0));
        assert_eq!((game.pictures(Hold::Running, 1), game.presses.len()), (Wish::Play, 0));
        // STOP in a pause: the game stays paused, and goes on when the robot may.
        game.pictures(Hold::Paused, 60);
        assert_eq!((game.pictures(Hold::Stopped, 60), game.presses.len()), (Wish::Wait, 1));
        assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, 2));
        for first in [ScreenState::Menu, ScreenState::GameOver, ScreenState::Obscured] {
            let mut game = Game::new(first, true);
            assert_eq!((game.pictures(Hold::Paused, 60), game.presses.len()), (Wish::Wait, 0), "{first:?}");
            assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, 0), "{first:?}");
        }
    }

    #[test]
    fn a_game_that_knows_no_pause_is_not_pressed_again() {
        let mut game = Game::new(ScreenState::Playing, false);
        assert_eq!((game.pictures(Hold::Paused, 200), game.presses.len()), (Wish::Wait, 1));
        assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, 1));
    }

    #[test]
    fn a_pause_that_is_not_recognised_is_ended_by_one_press() {
        let mut game = Game { pause: ScreenState::NotThisGame, ..Game::new(ScreenState::Playing, true) };
        game.pictures(Hold::Paused, 60);
        assert_eq!((game.pictures(Hold::Running, 60), game.presses.len()), (Wish::Play, 2));
        assert_eq!(game.screen(), ScreenState::Playing);
    }
}
