//! Hint mode: where the chosen AI would put the falling piece of Standard Tetris, seen only by whoever plays in the window.

use crate::game::standard::{Game, Pile, Place};
use crate::game::{Movement, Piece, RotationSystem};
use crate::planner::moves::{Manner, Moves};
use crate::planner::{Brain, Filters, two_piece};

/// What a hint was found for: the piece's number, the pile, and the next piece if it is shown.
type Asked = (u64, Pile, Option<Piece>);

/// Who gives hints, and the newest one.
#[derive(Debug, Clone)]
pub struct Hint {
    brain: Brain,
    is_shown: bool,
    found: Option<(Asked, Option<Place>)>,
}

impl Hint {
    /// Hints of this AI.
    pub fn of(brain: Brain) -> Self {
        Self { brain, is_shown: false, found: None }
    }

    /// Shows hints in this game, or stops it.
    ///
    /// # Errors
    /// When the AI cannot plan on such a board, in words.
    pub fn switch(&mut self, game: &Game) -> Result<(), String> {
        if !self.is_shown {
            self.check(game)?;
        }
        self.is_shown = !self.is_shown;
        Ok(())
    }

    /// Whether the AI can plan in this game; if not, hints end.
    fn check(&mut self, game: &Game) -> Result<(), String> {
        let size = game.pile().size();
        let known = match game.pile().board() {
            None => Err(format!(
                "no AI here plans on {} × {} cells: for hints choose a board of at most 16 × 40, with --board or Ctrl and arrows",
                size[0], size[1]
            )),
            Some(_) => self.brain.check(size, &Filters::default()).map_err(|error| error.to_string()),
        };
        self.is_shown &= known.is_ok();
        known
    }

    /// The board has become another one: why hints end, if they do.
    pub fn on_another_board(&mut self, game: &Game) -> Option<String> {
        if self.is_shown { self.check(game).err() } else { None }
    }

    /// Where the falling piece should go, if hints are shown. It is found once a piece: the AI does not change its mind while it
    /// falls, unless the pile or what is known of the next piece does.
    pub fn target(&mut self, game: &Game) -> Option<Place> {
        let falling = game.falling().filter(|_| self.is_shown)?;
        let next = game.settings.shows_next.then(|| game.next());
        let asked = (game.pieces(), next);
        let is_known = |((pieces, pile, next), _): &&(Asked, _)| (*pieces, *next) == asked && pile == game.pile();
        if self.found.as_ref().filter(is_known).is_none() {
            let place = best(game.pile(), falling, next, &self.brain);
            self.found = Some(((game.pieces(), game.pile().clone(), next), place));
        }
        self.found.as_ref().and_then(|(_, place)| *place)
    }
}

/// The best of all places that the piece can be turned, moved and dropped to.
fn best(pile: &Pile, falling: Place, next: Option<Piece>, brain: &Brain) -> Option<Place> {
    let board = pile.board()?;
    let cells = |piece| Place::of_spawn(piece, board.width()).cells().map(|(x, y)| (x as usize, y as usize)).to_vec();
    let movement = Movement::new(Piece::ALL.map(cells), RotationSystem::standard().clone())?;
    let moves = Moves { movement: &movement, manner: Manner::Standard };
    let ranked = two_piece(&board, falling.pose()?, next, &moves, brain.evaluator.as_ref());
    ranked.first().map(|candidate| candidate.pose.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::standard::{Request, Settings};

    fn falling(size: [usize; 2]) -> Game {
        let mut game = Game::new(size, Settings::default(), 4).unwrap();
        game.iterate();
        game
    }

    fn shown(game: &Game) -> Hint {
        let mut hint = Hint::of(Brain::default());
        hint.switch(game).unwrap();
        hint
    }

    /// Plays by hints alone.
    fn follow(game: &mut Game, hint: &mut Hint) {
        let target = hint.target(game).unwrap();
        game.iterate();
        for _ in 0..4 {
            if game.falling().unwrap().orientation != target.orientation {
                game.request(Request::Rotate);
            }
        }
        while let Some(place) = game.falling().filter(|place| place.x != target.x) {
            assert!(game.request(if place.x < target.x { Request::Right } else { Request::Left }));
        }
        game.request(Request::Drop);
        assert_eq!(game.falling(), Some(target));
        game.iterate();
        game.iterate();
    }

    #[test]
    fn who_follows_the_hints_clears_lines_on_every_board_that_an_ai_knows() {
        for size in [[10, 20], [16, 40], [7, 20], [4, 40]] {
            let mut game = falling(size);
            let mut hint = shown(&game);
            (0..40).for_each(|_| follow(&mut game, &mut hint));
            // At least half of the cells of 40 pieces have gone.
            assert!(!game.is_over() && game.lines() as usize * size[0] >= 80, "{size:?}: {} lines", game.lines());
        }
    }

    #[test]
    fn a_hint_stays_while_the_piece_falls_and_follows_what_a_player_changes() {
        let mut game = falling([10, 20]);
        let mut hint = shown(&game);
        let before = hint.target(&game).unwrap();
        (0..5).for_each(|_| assert_eq!(game.iterate(), None));
        game.request(Request::Left);
        assert_eq!(hint.target(&game), Some(before));
        game.insert_junk_row().unwrap();
        assert!(hint.target(&game).unwrap().y < before.y);
        hint.switch(&game).unwrap();
        assert_eq!(hint.target(&game), None);
    }

    #[test]
    fn boards_that_the_ai_does_not_know_are_refused_with_what_to_do() {
        let (large, usual, low) = (falling([17, 20]), falling([10, 20]), falling([10, 10]));
        let mut steady = Hint::of(Brain::default());
        let refusal = steady.switch(&large).unwrap_err();
        assert!(refusal.contains("17 × 20") && refusal.contains("16 × 40") && refusal.contains("--board"), "{refusal}");
        assert_eq!(steady.target(&large), None);
        let mut learned = Hint::of(Brain::named("learned-12hz").unwrap());
        assert!(learned.switch(&low).unwrap_err().contains("--ai steady"));
        learned.switch(&usual).unwrap();
        assert!(learned.target(&usual).is_some());
        // A board that is made larger ends the hints.
        assert!(learned.on_another_board(&low).is_some() && learned.target(&usual).is_none());
    }
}
