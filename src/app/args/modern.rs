//! Which of the modern game's games is played.

use super::Misuse;
use crate::game::guideline::{End, Game, Variant};
use crate::game::simple_rules::Counting;
use crate::message::summary::{GameEnd, WholeGame};
use crate::profile::game_file::RulesSpec;
use crate::profile::layout::Layout;

/// Options of the modern game.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
pub struct ModernArgs {
    /// Which game: marathon (for points, over 15 levels), sprint (40 lines as fast as possible) or ultra (two minutes for points)
    /// [default: one that goes on at the last level].
    #[arg(help_heading = "The modern game", long)]
    mode: Option<Mode>,
}

/// A game that has a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// 15 levels.
    Marathon,
    /// 40 lines.
    Sprint,
    /// Two minutes.
    Ultra,
}

impl ModernArgs {
    /// Refuses them at another game.
    ///
    /// # Errors
    /// When one would not be used.
    pub fn check(self, is_modern: bool) -> Result<(), Misuse> {
        if self.mode.is_some() && !is_modern {
            return Err(Misuse("--mode is only for the modern game: leave it out, or play --game guideline".into()));
        }
        Ok(())
    }

    /// Whether a game with an end of its own is played.
    pub fn has_end(self) -> bool {
        self.mode.is_some()
    }

    /// Whether the level stays as it is at the start, whatever is cleared.
    pub fn keeps_level(self) -> bool {
        matches!(self.mode, Some(Mode::Sprint | Mode::Ultra))
    }

    /// The game by the guideline.
    pub fn variant(self) -> Variant {
        match self.mode {
            // A robot plays for as many pieces as it was asked to.
            None => Variant::Endless,
            Some(Mode::Marathon) => Variant::Marathon,
            Some(Mode::Sprint) => Variant::SPRINT,
            Some(Mode::Ultra) => Variant::ULTRA_TWO_MINUTES,
        }
    }

    /// Tells whoever plays by this layout how its lines count.
    pub fn tell(self, layout: &mut Layout) {
        if let (true, Some(RulesSpec::Simple { counting, .. })) = (self.keeps_level(), &mut layout.rules) {
            *counting = Counting::Lines;
        }
    }

    /// What a game has come to, if it is one with an end.
    pub fn came_to(self, game: &Game) -> Option<WholeGame> {
        let mode = match self.mode? {
            Mode::Marathon => "marathon",
            Mode::Sprint => "sprint",
            Mode::Ultra => "ultra",
        };
        let end = game.end().map(|end| match end {
            End::Completed => GameEnd::Completed,
            End::BlockOut => GameEnd::BlockOut,
            End::LockOut => GameEnd::LockOut,
            End::TopOut => GameEnd::TopOut,
        });
        Some(WholeGame {
            mode: mode.into(),
            end,
            lines: game.lines().into(),
            score: game.score(),
            level: game.progress().level(),
            time_ms: (game.elapsed_us() / 1000) as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::guideline::{Keys, Settings};

    #[test]
    fn where_the_level_stays_whoever_plays_is_told() {
        for (mode, keeps) in
            [(None, false), (Some(Mode::Marathon), false), (Some(Mode::Sprint), true), (Some(Mode::Ultra), true)]
        {
            let mut layout = Layout::load("guideline").unwrap();
            ModernArgs { mode }.tell(&mut layout);
            let rules = layout.game_rules();
            let after = rules.counted(crate::game::Counters::new(3), 45);
            assert_eq!((after.lines, after.level), (45, if keeps { 3 } else { 5 }), "{mode:?}");
        }
    }

    #[test]
    fn a_game_comes_to_its_end_by_its_own_clock() {
        let mode = ModernArgs { mode: Some(Mode::Ultra) };
        let mut game = Game::new(Settings { variant: mode.variant(), ..Settings::default() }, 1);
        game.advance(Keys::NONE, 1_500_999);
        let before = mode.came_to(&game).unwrap();
        assert_eq!((&*before.mode, before.end, before.time_ms), ("ultra", None, 1500.0));
        // Two minutes of hard drops one upon the other are over sooner.
        while game.end().is_none() {
            game.advance(Keys::HARD_DROP, 100_000);
            game.advance(Keys::NONE, 100_000);
        }
        let after = mode.came_to(&game).unwrap();
        assert!(after.end.is_some_and(|end| end != GameEnd::Completed) && after.time_ms < 60_000.0, "{after:?}");
        assert_eq!(ModernArgs::default().came_to(&game), None);
    }
}
