//! The modern game on a machine: buttons that are held or not in each frame of its screen.

use super::game::{Event, Game};
use super::keys::Keys;
use super::settings::Settings;
use crate::game::standard::Phase;
use crate::game::{Board, Buttons};

/// Frames of the screen a second, in each of which the buttons are looked at.
pub const FRAME_RATE_HZ: u32 = 60;
/// How long a frame lasts, µs.
const FRAME_US: u64 = 1_000_000 / FRAME_RATE_HZ as u64;

/// What each button does. Start pauses, and is the machine's.
const BUTTONS: [(Buttons, Keys); 7] = [
    (Buttons::LEFT, Keys::LEFT),
    (Buttons::RIGHT, Keys::RIGHT),
    (Buttons::DOWN, Keys::SOFT_DROP),
    (Buttons::UP, Keys::HARD_DROP),
    (Buttons::A, Keys::CLOCKWISE),
    (Buttons::B, Keys::COUNTER_CLOCKWISE),
    (Buttons::SELECT, Keys::HOLD),
];

/// What these buttons ask for.
pub fn keys_of(held: Buttons) -> Keys {
    let asked = BUTTONS.iter().filter(|(button, _)| held.contains(*button));
    asked.fold(Keys::NONE, |keys, (_, key)| keys | *key)
}

/// The machine with the game on it.
#[derive(Debug, Clone)]
pub struct Machine {
    game: Game,
    seed: u64,
    phase: Phase,
    held: Buttons,
    frames: u64,
}

impl Machine {
    /// A machine that waits for Start to begin a game; the seed decides which pieces come.
    pub fn new(settings: Settings, seed: u64) -> Self {
        Self { game: Game::new(settings, seed), seed, phase: Phase::Menu, held: Buttons::NONE, frames: 0 }
    }

    /// The same with blocks in the field of the first game.
    pub fn on(start: Board, settings: Settings, seed: u64) -> Self {
        Self { game: Game::on(start, settings, seed), ..Self::new(settings, seed) }
    }

    /// How long a frame lasts, ms.
    pub fn frame_ms() -> f64 {
        FRAME_US as f64 / 1000.0
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What is on the screen.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Frames since it was switched on.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// One frame with these buttons held: what is pressed takes effect at once, then time passes. What happened, in order.
    pub fn frame(&mut self, held: Buttons) -> Vec<Event> {
        let pressed = held.without(std::mem::replace(&mut self.held, held));
        self.frames += 1;
        if pressed.intersects(Buttons::START) {
            self.press_start();
            return Vec::new();
        }
        if self.phase != Phase::Playing {
            return Vec::new();
        }
        let events = self.game.advance(keys_of(held), FRAME_US);
        if self.game.end().is_some() {
            self.phase = Phase::Over;
        }
        events
    }

    fn press_start(&mut self) {
        if self.phase == Phase::Over {
            self.seed = self.seed.wrapping_add(1);
            self.game = Game::new(*self.game.settings(), self.seed);
        }
        self.phase = self.phase.after_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::guideline::{Action, SKYLINE, Sequence, Spin, Variant, spawn_pose};

    fn started() -> Machine {
        let mut machine = Machine::new(Settings::default(), 1);
        assert!(machine.frame(Buttons::A).is_empty());
        machine.frame(Buttons::START);
        machine
    }

    #[test]
    fn each_button_does_what_it_is_for_and_start_pauses() {
        let mut machine = started();
        let events = machine.frame(Buttons::NONE);
        let [Event::Appeared(piece)] = events[..] else { panic!("{events:?}") };
        // It has dropped by a row at once.
        let pose = spawn_pose(piece).moved(0, 1);
        assert_eq!(machine.game().falling(), Some(pose));
        machine.frame(Buttons::LEFT);
        assert_eq!(machine.game().falling(), Some(pose.moved(-1, 0)));
        machine.frame(Buttons::RIGHT);
        machine.frame(Buttons::START);
        (0..300).for_each(|_| assert!(machine.frame(Buttons::UP).is_empty()));
        assert_eq!((machine.phase(), machine.game().falling()), (Phase::Paused, Some(pose)));
        machine.frame(Buttons::START);
        let events = machine.frame(Buttons::SELECT);
        assert!(matches!(events[..], [Event::Held(held), Event::Appeared(_)] if held == piece), "{events:?}");
        assert_eq!(machine.game().held(), Some(piece));
        let events = machine.frame(Buttons::UP);
        assert!(matches!(events[..], [Event::Locked { .. }]), "{events:?}");
    }

    #[test]
    fn an_endless_game_goes_on_at_the_last_level() {
        for (variant, is_over) in [(Variant::Marathon, true), (Variant::Endless, false)] {
            let mut game = Game::new(Settings { variant, level: 15, ..Settings::default() }, 1);
            let award = Sequence::default().next(Action::of(4, Spin::None));
            let mut events = Vec::new();
            (0..200).for_each(|_| game.count(award, 4, &mut events));
            assert_eq!((game.end().is_some(), game.progress().level()), (is_over, 15));
        }
    }

    #[test]
    fn a_game_that_is_over_waits_for_start_and_other_pieces_come() {
        let mut machine = started();
        let mut first = Vec::new();
        for frame in 0..5000 {
            let events = machine.frame(if frame % 2 == 0 { Buttons::UP } else { Buttons::NONE });
            first.extend(events.iter().filter_map(|event| match event {
                Event::Appeared(piece) => Some(*piece),
                _ => None,
            }));
        }
        assert_eq!(machine.phase(), Phase::Over);
        let height = machine.game().board().rows().iter().filter(|row| **row != 0).count();
        assert!(height >= SKYLINE - 2, "{height} rows");
        machine.frame(Buttons::START);
        assert_eq!((machine.phase(), machine.game().board().count()), (Phase::Playing, 0));
        machine.frame(Buttons::NONE);
        let second: Vec<_> = machine.game().coming().take(6).collect();
        assert_ne!(second[..], first[1..7]);
    }
}
