//! The game on a computer: keys that are held or not in each frame of the screen, and falling iterations in time.

use super::game::{Event, Game, Request};
use super::level::{Cadence, cadence};
use crate::game::Buttons;

/// Frames of the screen a second, in each of which the keys are looked at: the article's example.
pub const FRAME_RATE_HZ: u32 = 75;
/// Time is counted in thirds of a millisecond: frames and delays are whole numbers of these.
const THIRDS_PER_MS: u32 = 3;
const FRAME_THIRDS: u32 = 1000 * THIRDS_PER_MS / FRAME_RATE_HZ;

/// What is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No game has begun; Start begins one.
    Menu,
    /// A game is played; Start pauses it.
    Playing,
    /// A game is paused; Start lets it go on.
    Paused,
    /// A game is over; Start begins the next one.
    Over,
}

impl Phase {
    /// What Start leads to.
    #[must_use]
    pub fn after_start(self) -> Self {
        match self {
            Self::Playing => Self::Paused,
            Self::Menu | Self::Paused | Self::Over => Self::Playing,
        }
    }
}

/// The computer with the game on it.
#[derive(Debug, Clone)]
pub struct Machine {
    game: Game,
    phase: Phase,
    held: Buttons,
    /// Since the last falling iteration.
    waited_thirds: u32,
    frame: u64,
}

/// The keys, in the order in which a frame looks at them.
const KEYS: [(Buttons, Request); 4] = [
    (Buttons::LEFT, Request::Left),
    (Buttons::RIGHT, Request::Right),
    (Buttons::UP, Request::Rotate),
    (Buttons::A, Request::Drop),
];

/// What a key asks for.
pub fn request_of(key: Buttons) -> Option<Request> {
    KEYS.into_iter().find(|(known, _)| *known == key).map(|(_, request)| request)
}

impl Machine {
    /// A computer that waits for Start to begin this game.
    pub fn new(game: Game) -> Self {
        Self { game, phase: Phase::Menu, held: Buttons::NONE, waited_thirds: 0, frame: 0 }
    }

    /// How long a frame lasts, ms.
    pub fn frame_ms() -> f64 {
        1000.0 / f64::from(FRAME_RATE_HZ)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game, to change it as a player does by keys that are not in here: junk rows, the speed.
    pub fn game_mut(&mut self) -> &mut Game {
        &mut self.game
    }

    /// Goes on with another game: at once if one is played, else when Start is pressed.
    pub fn go_on_with(&mut self, game: Game) {
        let was_over = self.phase == Phase::Over;
        self.phase = match game.is_over() {
            true => Phase::Over,
            false if was_over => Phase::Paused,
            false => self.phase,
        };
        (self.game, self.waited_thirds) = (game, 0);
    }

    /// What is on the screen.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Frames since the computer was switched on.
    pub fn frames(&self) -> u64 {
        self.frame
    }

    /// Of the delay from iteration to iteration, the share that has passed, 0–1.
    pub fn passed(&self) -> f64 {
        match self.cadence() {
            Cadence::EveryMs(ms) => (f64::from(self.waited_thirds) / f64::from(ms * THIRDS_PER_MS)).min(1.0),
            Cadence::PerFrame(_) => 0.0,
        }
    }

    /// One frame with these keys held: requests take effect at once, then time passes. What happened, in order.
    pub fn frame(&mut self, held: Buttons) -> Vec<Event> {
        let pressed = held.without(std::mem::replace(&mut self.held, held));
        self.frame += 1;
        if pressed.intersects(Buttons::START) {
            self.press_start();
            return Vec::new();
        }
        if self.phase != Phase::Playing {
            return Vec::new();
        }
        for (_, request) in KEYS.into_iter().filter(|(key, _)| pressed.intersects(*key)) {
            self.game.request(request);
        }
        let mut events = Vec::new();
        for _ in 0..self.iterations_due() {
            events.extend(self.game.iterate());
        }
        if self.game.is_over() {
            self.phase = Phase::Over;
        }
        events
    }

    fn press_start(&mut self) {
        if self.phase == Phase::Over {
            (self.game, self.waited_thirds) = (self.game.again(), 0);
        }
        self.phase = self.phase.after_start();
    }

    fn cadence(&self) -> Cadence {
        cadence(self.game.level(), self.game.settings.bias)
    }

    /// Lets a frame's time pass.
    fn iterations_due(&mut self) -> u32 {
        match self.cadence() {
            Cadence::PerFrame(iterations) => iterations,
            Cadence::EveryMs(ms) => {
                self.waited_thirds += FRAME_THIRDS;
                let delay = ms * THIRDS_PER_MS;
                let is_due = self.waited_thirds >= delay;
                // A delay is never shorter than a frame; a speed-up leaves at most one iteration to make up for.
                self.waited_thirds = if is_due { (self.waited_thirds - delay).min(delay) } else { self.waited_thirds };
                u32::from(is_due)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::standard::{SIZE, Settings, SpeedBias};

    fn machine(initial_level: u8, bias: i8) -> Machine {
        let settings = Settings { initial_level, bias: SpeedBias::new(bias).unwrap(), ..Settings::default() };
        let mut machine = Machine::new(Game::new(SIZE, settings, 1).unwrap());
        assert_eq!(machine.frame(Buttons::START), []);
        machine
    }

    /// Frames, from this one on, until something happens.
    fn until(machine: &mut Machine, is_it: impl Fn(&Machine, &[Event]) -> bool) -> u32 {
        (1..100_000)
            .find(|_| {
                let events = machine.frame(Buttons::NONE);
                is_it(machine, &events)
            })
            .unwrap()
    }

    fn spawned(_: &Machine, events: &[Event]) -> bool {
        events.iter().any(|event| matches!(event, Event::Spawned(..)))
    }

    #[test]
    fn a_full_delay_passes_before_the_first_piece_and_from_row_to_row() {
        // seed 004:441 and 004:757–775, at 75 frames a second (seed 004:587).
        for (level, frames) in [(1, 38), (6, 19), (9, 8), (10, 4)] {
            let mut machine = machine(level, 0);
            assert_eq!(until(&mut machine, spawned), frames, "level {level}");
            let rows = 12;
            let to_row = until(&mut machine, |machine, _| machine.game().falling().unwrap().y == rows);
            // Whatever the frames, no time is lost: row 12 is reached 12 delays after the piece appeared.
            let thirds = 13 * 3 * 50 * (11 - u32::from(level));
            assert_eq!(frames + to_row, thirds.div_ceil(40), "level {level}");
        }
    }

    #[test]
    fn holding_a_key_asks_once() {
        let mut machine = machine(1, 0);
        until(&mut machine, spawned);
        let x = |machine: &Machine| machine.game().falling().unwrap().x;
        let before = x(&machine);
        // seed 004:575.
        (0..10).for_each(|_| drop(machine.frame(Buttons::LEFT)));
        assert_eq!(x(&machine), before - 1);
        machine.frame(Buttons::NONE);
        machine.frame(Buttons::LEFT | Buttons::A);
        assert_eq!((x(&machine), machine.game().falling().unwrap().y), (before - 2, 18));
        assert_eq!((request_of(Buttons::UP), request_of(Buttons::DOWN)), (Some(Request::Rotate), None));
    }

    #[test]
    fn a_speed_bias_reaches_one_and_more_iterations_a_frame() {
        // seed 004:1211–1215; an I falls from row 0 to row 19 and lands with the 20th iteration.
        for (bias, frames) in [(2, 20), (3, 10)] {
            let mut machine = machine(1, bias);
            machine.game_mut().next = crate::game::Piece::I;
            machine.frame(Buttons::NONE);
            let landed = |_: &Machine, events: &[Event]| events.iter().any(|event| matches!(event, Event::Landed(..)));
            assert_eq!(until(&mut machine, landed), frames, "bias {bias}");
        }
        assert_eq!(until(&mut machine(1, -2), spawned), 75);
    }

    #[test]
    fn start_pauses_and_begins_anew() {
        let mut machine = machine(10, 0);
        until(&mut machine, spawned);
        machine.frame(Buttons::START);
        assert_eq!(machine.phase(), Phase::Paused);
        let before = machine.game().clone();
        (0..50).for_each(|_| drop(machine.frame(Buttons::LEFT)));
        assert_eq!(*machine.game(), before);
        machine.frame(Buttons::START);
        until(&mut machine, |machine, _| machine.phase() == Phase::Over);
        assert!(machine.game().pile().count() > 0);
        machine.frame(Buttons::START);
        assert_eq!((machine.phase(), machine.game().pile().count()), (Phase::Playing, 0));
        assert_eq!(until(&mut machine, spawned), 4);
    }
}
