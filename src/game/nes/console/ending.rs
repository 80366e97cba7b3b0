//! The ending of a game of 30,000 points or more, and of a B-Type game that was won: what it waits for, frame by frame. $9A47,
//! $9E3A.
//!
//! All of it runs within one state of the game: neither Select nor A+B+Select+Start is looked at meanwhile, and Start only at
//! the end. Its screen is loaded within a frame as the others are (of the longest, with a stage and what is wiped from it,
//! about 28,000 of 29,780 cycles were reckoned).

use super::bonus::Bonus;
use super::concert::Concert;
use super::menu::ENTRY_FRAMES;
use super::rocket::Rocket;
use super::sky::Sky;
use super::{Choice, Console, GameType, Phase};
use crate::game::Buttons;
use crate::game::nes::Region;
use crate::game::nes::display::level_shown;
use crate::game::nes::score::{digits, points};

/// A game that was not won has an ending if the highest two digits of its score are this or more. $9A4F.
const HIGHEST_FROM: u8 = 0x03;
/// The level with the concert.
const CONCERT_LEVEL: u8 = 9;
/// The state of a game ($00A7) that the ending of an A-Type game returns to the main loop from, counted on.
const STATE_AFTER_PLAYER: u8 = 5;

/// How long the ending waits, frames, in America and in Europe.
mod wait {
    /// With the curtain hanging, and before anything else happens in an ending.
    pub const LONG: [u8; 2] = [0x80, 0x66];
    /// Before a bonus is counted and after it.
    pub const SHORT: [u8; 2] = [0x40, 0x33];
    /// For 100 points of a bonus.
    pub const POINTS: [u8; 2] = [2, 1];
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// A-Type's.
    Rocket(Rocket),
    /// B-Type's, levels 0–8 and 10–18.
    Sky(Sky),
    /// B-Type's, levels 9 and 19.
    Concert(Concert),
}

/// What it does when it has waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Loads its screen.
    Load,
    /// Shows it.
    Show,
    /// Takes the score as the sum.
    Take,
    /// Begins to count this bonus.
    Begin(usize),
    /// Counts on.
    Count(usize),
    /// Looks at Start.
    Ask,
}

/// An ending's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// What is shown.
    pub show: Show,
    /// The score shown: two decimal digits a byte, the highest first. $0073.
    pub score: [u8; 3],
    /// A B-Type game's bonus.
    pub bonus: Option<Bonus>,
    /// Whether its screen is there.
    pub is_shown: bool,
    /// Frames to wait. $00C3.
    wait: u8,
    step: Step,
    /// The game was the demo's.
    of_demo: bool,
}

impl Ending {
    /// The ending of an A-Type game with this score, being loaded.
    fn of_type_a(score: [u8; 3]) -> Self {
        Self::new(Show::Rocket(Rocket::of(score[0])), score, None)
    }

    /// The ending of a B-Type game with this score, being loaded; `last` is the number of the last object in the sky. $9E49.
    fn of_type_b(score: [u8; 3], level: u8, height: u8, last: u8) -> Self {
        let digit = level_shown(level) & 0x0F;
        let is_concert = digit == CONCERT_LEVEL;
        let show = if is_concert { Show::Concert(Concert::of(height)) } else { Show::Sky(Sky::of(digit, last)) };
        Self::new(show, score, Some(Bonus::of(digit, height)))
    }

    fn new(show: Show, score: [u8; 3], bonus: Option<Bonus>) -> Self {
        Self { show, score, bonus, is_shown: false, wait: ENTRY_FRAMES as u8, step: Step::Show, of_demo: false }
    }

    /// The same, but before it is loaded the curtain hangs for a while. $9A53.
    fn behind_curtain(self, region: Region, of_demo: bool) -> Self {
        Self { wait: wait::LONG[usize::from(region == Region::Pal)], step: Step::Load, of_demo, ..self }
    }

    /// Whether its screen is being loaded, and nothing is seen.
    pub fn is_loading(&self) -> bool {
        self.step == Step::Show
    }

    /// The score with which the game is over.
    fn total(&self) -> [u8; 3] {
        self.bonus.map_or(self.score, |bonus| bonus.total)
    }

    /// A frame in which these buttons are newly pressed; whether it was the last one.
    fn frame(&mut self, region: Region, frame: u8, pressed: Buttons) -> bool {
        self.wait = self.wait.saturating_sub(1);
        while self.wait == 0 {
            if self.step == Step::Ask && self.is_done() && pressed == Buttons::START {
                return true;
            }
            self.go_on(region);
        }
        match &mut self.show {
            _ if !self.is_shown => {}
            Show::Rocket(rocket) => rocket.frame(frame),
            Show::Sky(sky) => sky.frame(),
            Show::Concert(concert) => concert.frame(),
        }
        false
    }

    /// Whether Start is looked at.
    fn is_done(&self) -> bool {
        !matches!(self.show, Show::Rocket(Rocket { y: 1.., .. }))
    }

    /// What it does now, and for how long it waits then.
    fn go_on(&mut self, region: Region) {
        let of_region = |frames: [u8; 2]| frames[usize::from(region == Region::Pal)];
        (self.wait, self.step) = match (self.step, &mut self.bonus) {
            (Step::Load, _) => (ENTRY_FRAMES as u8, Step::Show),
            (Step::Show, bonus) => {
                self.is_shown = true;
                (of_region(wait::LONG), if bonus.is_some() { Step::Take } else { Step::Ask })
            }
            (Step::Take, Some(bonus)) => {
                bonus.total = std::mem::take(&mut self.score);
                (of_region(wait::SHORT), Step::Begin(0))
            }
            (Step::Begin(which), Some(Bonus { left, .. })) if left.get(which) == Some(&0) => {
                (0, Step::Begin(which + 1))
            }
            (Step::Count(which), Some(Bonus { left, .. })) if left.get(which) == Some(&0) => {
                (of_region(wait::SHORT), Step::Begin(which + 1))
            }
            (Step::Begin(which) | Step::Count(which), Some(bonus)) if which < bonus.left.len() => {
                bonus.count(which);
                (of_region(wait::POINTS), Step::Count(which))
            }
            _ => (1, Step::Ask),
        };
    }
}

impl Console {
    /// The curtain has fallen: from a score on it gives way to an ending, also after a B-Type game, which is shown what it
    /// would have been shown had it been won. $9A4D.
    pub(super) fn curtain_hangs(&mut self, pressed: Buttons) {
        let score = self.score_bytes();
        if score[0] >= HIGHEST_FROM {
            let ending = self.ending_of(score).behind_curtain(self.setup.region, self.demo.runs());
            (self.ending, self.phase) = (Some(ending), Phase::Ending);
        } else if pressed == Buttons::START {
            self.leave_game(score);
        }
    }

    fn ending_of(&self, score: [u8; 3]) -> Ending {
        let Choice { game_type, height, .. } = self.menu.choice;
        if game_type == GameType::A {
            return Ending::of_type_a(score);
        }
        // The second player's height is 0, and nothing changes it; all else here is the first one's.
        let last = if self.has_second_won() { 0 } else { height };
        Ending::of_type_b(score, self.counters.level, height, last)
    }

    /// A frame after a B-Type game was won: its word stands in the field, then the ending begins. $A415, $A41C.
    pub(super) fn won_frame(&mut self) {
        self.wait = self.wait.saturating_sub(1);
        if self.wait > 0 {
            return;
        }
        (self.ending, self.phase) = (Some(self.ending_of(self.score_bytes())), Phase::Ending);
    }

    /// A frame of an ending.
    pub(super) fn ending_frame(&mut self, pressed: Buttons) {
        let (region, frame) = (self.setup.region, self.frame.0 as u8);
        let Some(ending) = &mut self.ending else { return };
        if !ending.frame(region, frame, pressed) {
            return;
        }
        let ending = *ending;
        self.ending = None;
        if ending.of_demo && !self.demo.goes_on() {
            return self.return_to_title_from(STATE_AFTER_PLAYER);
        }
        self.leave_game(ending.total());
        self.leave_or_pause(Buttons::NONE);
    }

    /// The score as it is in memory: two decimal digits a byte, the highest first, but what a European Select added to the last
    /// digit of the highest byte is not yet carried. $0073.
    fn score_bytes(&self) -> [u8; 3] {
        let uncarried = u8::from(self.is_uncarried);
        let [highest, middle, lowest] = digits(self.counters.score.saturating_sub(10_000 * u32::from(uncarried)));
        [highest.wrapping_add(uncarried), middle, lowest]
    }

    /// The game is over, with this score; the next frame looks whether it is a high one. $9A64.
    pub(super) fn leave_game(&mut self, score: [u8; 3]) {
        (self.phase, self.final_score) = (Phase::Over, score);
        self.piece_shown = false;
        if self.menu.choice.game_type == GameType::B {
            self.counters.score = points(score);
        }
        self.versus.is_lost = self.second.is_some();
    }
}
