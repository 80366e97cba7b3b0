//! What a game does with a falling piece, frame by frame: the NES to the letter, and the simpler games of PCs by a
//! handful of parameters. Belief predicts with it, the planner checks its presses against it.

use super::guideline;
use super::lock::Lock;
use super::nes::Control;
use super::nes::control::frames_per_row;
use super::nes::entry::{CLEAR_FRAMES, CLEAR_STEP, entry_frames};
use super::nes::region::Region;
use super::orientation::Pose;
use super::pace::Pace;
use super::simple_rules::{Counting, SIMPLE_FRAMES_PER_S, SimpleFaller, SimpleRules, SoftDrop};
use super::standard::actual_level;
use super::{Board, Counters, Piece, RotationSystem};
use crate::game::Buttons;
use std::sync::Arc;

/// NTSC console frames a second: 39,375,000 / 655,171.
pub const NES_FRAMES_PER_S: f64 = 39_375_000.0 / 655_171.0;

/// Holding Down, a piece falls a row every second frame. $894E.
const SOFT_DROP_FRAMES: u8 = 2;

/// One step of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A column to the left.
    Left,
    /// A column to the right.
    Right,
    /// A clockwise turn.
    Clockwise,
    /// A counter-clockwise turn.
    CounterClockwise,
    /// Half a turn.
    HalfTurn,
    /// A row down.
    Down,
}

impl Move {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Left, Self::Right, Self::Clockwise, Self::CounterClockwise, Self::HalfTurn, Self::Down];

    /// Those that every game has that turns pieces both ways.
    pub const COMMON: [Self; 5] = [Self::Left, Self::Right, Self::Clockwise, Self::CounterClockwise, Self::Down];

    /// The pose it leads to if nothing is in its way, whether or not something is.
    pub fn apply(self, pose: Pose, rotation: &RotationSystem) -> Pose {
        match self {
            Self::Left => pose.moved(-1, 0),
            Self::Right => pose.moved(1, 0),
            Self::Clockwise => rotation.turned(pose, true),
            Self::CounterClockwise => rotation.turned(pose, false),
            Self::HalfTurn => rotation.half_turned(pose),
            Self::Down => pose.moved(0, 1),
        }
    }

    /// The pose it leads to on a board; `None` if the piece stays where it is.
    pub fn applied_on(self, board: &Board, pose: Pose, rotation: &RotationSystem) -> Option<Pose> {
        let moved = match self {
            Self::Clockwise => rotation.turned_on(board, pose, true),
            Self::CounterClockwise => rotation.turned_on(board, pose, false),
            Self::Left | Self::Right | Self::HalfTurn | Self::Down => {
                Some(self.apply(pose, rotation)).filter(|moved| moved.fits(board))
            }
        };
        moved.filter(|moved| *moved != pose)
    }
}

/// A game's rules for the falling piece.
#[derive(Debug, Clone, PartialEq)]
pub enum Rules {
    /// The NES, NTSC.
    Nes,
    /// A game without auto-repeat worth using, described by parameters.
    Simple(Arc<SimpleRules>),
}

/// What Down is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Down {
    /// Held for a known time it takes a piece down by a known number of rows.
    Rows,
    /// Each tap is a row; what it does when it is held nobody knows.
    Taps,
    /// Held for long enough it takes a piece to what is below it, which does not lock it.
    ToTheFloor,
}

/// How full rows delay the next piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearDelay {
    /// By how many frames more than [`Rules::entry_frames`].
    pub frames: std::ops::RangeInclusive<u32>,
    /// Where the delay falls in that range the game's own frame counter decides: pieces that follow full rows appear on
    /// frames that are a multiple of this apart.
    pub step: u32,
}

impl Rules {
    /// How long one of the model's frames lasts, ms.
    pub fn frame_ms(&self) -> f64 {
        match self {
            Self::Nes => 1000.0 / NES_FRAMES_PER_S,
            Self::Simple(_) => 1000.0 / SIMPLE_FRAMES_PER_S,
        }
    }

    /// How long a piece stays in a row when nothing is pressed, ms.
    pub fn row_ms(&self, level: u8) -> f64 {
        match self {
            Self::Nes => f64::from(frames_per_row(level)) * self.frame_ms(),
            Self::Simple(rules) => rules.row_ms_at(level),
        }
    }

    /// The same as the game's description has it, whatever was measured, ms.
    pub fn described_row_ms(&self, level: u8) -> f64 {
        match self {
            Self::Nes => self.row_ms(level),
            Self::Simple(rules) => rules.described_row_ms(level),
        }
    }

    /// Whether all its times are known to the frame, if its level is; others may have other times than their description says.
    pub fn is_known_to_the_frame(&self) -> bool {
        matches!(self, Self::Nes)
    }

    /// The keys that take a piece down, or make it wait in its row.
    pub fn fall_keys(&self) -> Buttons {
        match self {
            Self::Nes => Buttons::DOWN,
            Self::Simple(rules) => rules.fall_keys(),
        }
    }

    /// How long it stays in a row at least, ms, Down held or not.
    pub fn hurried_row_ms(&self, level: u8) -> f64 {
        match self {
            Self::Nes => f64::from(frames_per_row(level).min(SOFT_DROP_FRAMES)) * self.frame_ms(),
            // How fast taps of Down may follow each other is the finger's matter.
            Self::Simple(rules) => self.row_ms(level) / rules.hurry().unwrap_or(1.0),
        }
    }

    /// From the frame of a lock at this row (the piece's centre) that fills no row to the frame in which the next piece
    /// appears; `None` where that is not known to the frame, as is gravity then.
    pub fn entry_frames(&self, row: i8) -> Option<u32> {
        match self {
            Self::Nes => Some(entry_frames(row)),
            Self::Simple(_) => None,
        }
    }

    /// How full rows delay the next piece; `None` where that is not known.
    pub fn clear_delay(&self) -> Option<ClearDelay> {
        match self {
            Self::Nes => Some(ClearDelay { frames: CLEAR_FRAMES, step: CLEAR_STEP }),
            Self::Simple(_) => None,
        }
    }

    /// What a level means for a falling piece; `None` where that is not known to the frame.
    pub fn pace(&self, level: u8) -> Option<Pace> {
        match self {
            Self::Nes => Some(Pace::of(Region::Ntsc, level)),
            Self::Simple(_) => None,
        }
    }

    /// After how many frames of holding a direction it repeats, and after how many again; `None` where that is not known.
    pub fn auto_shift(&self) -> Option<(u32, u32)> {
        match self {
            Self::Nes => {
                let pace = Pace::of(Region::Ntsc, 0);
                Some((pace.auto_shift.into(), pace.repeat_frames().into()))
            }
            Self::Simple(_) => None,
        }
    }

    /// The counters after a lock that cleared this many rows, without what a soft drop or an early landing is worth.
    pub fn counted(&self, mut counters: Counters, lines: usize) -> Counters {
        match self.counting() {
            Counting::Nes => counters.lock(lines, 0),
            Counting::Standard => {
                counters.lines += lines as u32;
                counters.level = actual_level(counters.level, counters.lines);
            }
            Counting::Lines => counters.lines += lines as u32,
            Counting::Guideline => {
                counters.lines += lines as u32;
                let earned = (counters.lines / 10 + 1).min((*guideline::LEVELS.end()).into()) as u8;
                counters.level = counters.level.max(earned);
            }
            Counting::EveryTen => {
                let before = counters.lines / 10;
                counters.lines += lines as u32;
                counters.level = counters.level.saturating_add((counters.lines / 10 - before) as u8);
            }
        }
        counters
    }

    fn counting(&self) -> Counting {
        match self {
            Self::Nes => Counting::Nes,
            Self::Simple(rules) => rules.counting,
        }
    }

    /// The same game if it kicked nothing; `None` if it does not.
    pub fn unkicked(&self) -> Option<Self> {
        let Self::Simple(rules) = self else { return None };
        let rotation = rules.rotation.unkicked();
        (rotation != rules.rotation).then(|| Self::Simple(Arc::new(SimpleRules { rotation, ..(**rules).clone() })))
    }

    /// Where a step leads on a board, whether or not the game has a button for it; `None` if the piece stays where it is.
    pub fn stepped(&self, board: &Board, pose: Pose, step: Move) -> Option<Pose> {
        let is_allowed = |moved: &Pose| match self {
            Self::Nes => true,
            Self::Simple(rules) => moved.rows_above() <= rules.hidden_rows,
        };
        step.applied_on(board, pose, self.rotation()).filter(is_allowed)
    }

    /// Whether a piece that locks here ends the game.
    pub fn locks_out(&self, pose: Pose) -> bool {
        match self {
            Self::Nes => false,
            Self::Simple(rules) => rules.lock_out.ends(pose),
        }
    }

    /// The probability of each piece, in the order of [`Piece::ALL`], to follow this one.
    pub fn followers(&self, piece: Piece) -> [f64; 7] {
        match self {
            Self::Nes => super::nes::random::FOLLOWERS[piece.index()].map(|share| f64::from(share) / 32.0),
            Self::Simple(_) => [1.0 / 7.0; 7],
        }
    }

    /// How long the first piece of a game may hang before it falls, ms.
    pub fn first_piece_ms(&self) -> f64 {
        match self {
            Self::Nes => f64::from(Region::Ntsc.first_piece_frames()) * self.frame_ms(),
            Self::Simple(_) => 0.0,
        }
    }

    /// Whether the game has a button for this move.
    pub fn can(&self, step: Move) -> bool {
        self.button(step) != Buttons::NONE
    }

    /// The button of a move; none if the game has none.
    pub fn button(&self, step: Move) -> Buttons {
        match (step, self) {
            (Move::Left, _) => Buttons::LEFT,
            (Move::Right, _) => Buttons::RIGHT,
            (Move::Down, Self::Simple(r)) if r.soft_drop == SoftDrop::Taps(false) => Buttons::NONE,
            (Move::Down, _) => Buttons::DOWN,
            (Move::HalfTurn, Self::Nes) => Buttons::NONE,
            (Move::HalfTurn, Self::Simple(r)) => r.half_turn.unwrap_or_default(),
            (Move::Clockwise, Self::Nes) => Buttons::A,
            (Move::CounterClockwise, Self::Nes) => Buttons::B,
            (Move::Clockwise, Self::Simple(r)) => r.clockwise.unwrap_or_default(),
            (Move::CounterClockwise, Self::Simple(r)) => r.counter_clockwise.unwrap_or_default(),
        }
    }

    /// All buttons that are needed to play.
    pub fn buttons(&self) -> Buttons {
        let keys = Move::ALL.into_iter().map(|step| self.button(step)).chain(self.hard_drop());
        keys.fold(Buttons::NONE, |all, key| all | key)
    }

    /// Whether keys that are pressed in the same moment all count.
    pub fn has_chords(&self) -> bool {
        match self {
            Self::Nes => true,
            Self::Simple(rules) => rules.chords,
        }
    }

    /// How pieces turn.
    pub fn rotation(&self) -> &RotationSystem {
        match self {
            Self::Nes => Control::rotation(),
            Self::Simple(rules) => &rules.rotation,
        }
    }

    /// How long a piece that was not moved yet cannot be dropped, ms.
    pub fn drop_guard_ms(&self) -> f64 {
        match self {
            Self::Nes => 0.0,
            Self::Simple(rules) => rules.drop_guard_ms,
        }
    }

    /// When a piece that rests locks; `None` where that is known to the frame.
    pub fn lock(&self) -> Option<&Lock> {
        match self {
            Self::Nes => None,
            Self::Simple(rules) => Some(&rules.lock),
        }
    }

    /// Whether the key that drops a piece locks it at once.
    pub fn drop_locks(&self) -> bool {
        match self {
            Self::Nes => false,
            Self::Simple(rules) => rules.hard_drop.is_some() && rules.drop_locks,
        }
    }

    /// A key that turns, and the pose it leads to from `pose` if nothing is in its way, whether or not something is.
    pub fn turn(&self, pose: Pose) -> Option<(Buttons, Pose)> {
        let step = [Move::Clockwise, Move::CounterClockwise].into_iter().find(|&step| self.can(step))?;
        Some((self.button(step), step.apply(pose, self.rotation())))
    }

    /// What Down is good for.
    pub fn down(&self) -> Down {
        match self {
            Self::Nes => Down::Rows,
            Self::Simple(rules) => rules.hurry().map_or(Down::Taps, |_| Down::ToTheFloor),
        }
    }

    /// The key that drops and locks a piece at once, if the game has one.
    pub fn hard_drop(&self) -> Option<Buttons> {
        match self {
            Self::Simple(rules) => rules.hard_drop,
            Self::Nes => None,
        }
    }

    /// The key that puts the falling piece aside and takes up the one that was there, if the game has one.
    pub fn hold(&self) -> Option<Buttons> {
        match self {
            Self::Simple(rules) => rules.hold,
            Self::Nes => None,
        }
    }

    /// A piece that has just appeared at `pose`; `first` if it is the first of a game.
    pub fn spawn(&self, piece: Piece, pose: Pose, level: u8, first: bool) -> Faller {
        match self {
            Self::Nes => {
                let spawned = match first {
                    true => Control::first(piece, Buttons::NONE),
                    false => Control::spawn(piece, 0, Buttons::NONE),
                };
                Faller::Nes(Control { pose, ..spawned }, level)
            }
            Self::Simple(rules) => Faller::Simple(SimpleFaller::new(rules.clone(), pose, level)),
        }
    }
}

/// A falling piece under some rules.
#[derive(Debug, Clone, PartialEq)]
pub enum Faller {
    /// On the NES, at a level.
    Nes(Control, u8),
    /// In a simpler game.
    Simple(SimpleFaller),
}

impl Faller {
    /// One frame with these buttons held; whether the piece locked.
    pub fn frame(&mut self, board: &Board, held: Buttons) -> bool {
        match self {
            Self::Nes(control, level) => control.frame(board, *level, held),
            Self::Simple(faller) => faller.frame(board, held),
        }
    }

    /// The same piece with a direction's auto-shift charged, as if that had been held for long; `None` where a held direction
    /// does not repeat.
    pub fn charged(&self) -> Option<Self> {
        match self {
            Self::Nes(control, level) => {
                Some(Self::Nes(Control { autorepeat_x: Pace::of(Region::Ntsc, *level).auto_shift, ..*control }, *level))
            }
            Self::Simple(_) => None,
        }
    }

    /// From now on it falls by these rules of several that a game may follow. (They are all of one kind.)
    pub fn follow(&mut self, rules: &Rules) {
        if let (Self::Simple(faller), Rules::Simple(rules)) = (self, rules) {
            faller.rules = rules.clone();
        }
    }

    /// The piece was moved: a game that guards new pieces against early drops guards it no more.
    pub fn unguard(&mut self) {
        if let Self::Simple(faller) = self {
            faller.unguard();
        }
    }

    /// Whether the game still guards it against drops while it is where it appeared.
    pub fn is_guarded(&self) -> bool {
        matches!(self, Self::Simple(faller) if faller.is_guarded())
    }

    /// The frames from the next one on in which nothing happens to the piece if the same buttons stay held.
    pub fn idle_frames(&self) -> usize {
        match self {
            Self::Nes(control, level) => control.idle_frames(Region::Ntsc, *level).into(),
            Self::Simple(faller) => faller.idle_frames(),
        }
    }

    /// Lets this many of the [`Self::idle_frames`] pass.
    pub fn idle(&mut self, frames: usize) {
        match self {
            Self::Nes(control, _) => control.idle(frames as u8),
            Self::Simple(faller) => faller.idle(frames),
        }
    }

    /// Whether holding Down makes it fall faster than it does by itself.
    pub fn can_hurry(&self) -> bool {
        match self {
            Self::Nes(_, level) => frames_per_row(*level) > SOFT_DROP_FRAMES,
            Self::Simple(_) => true,
        }
    }

    /// Whether taps of Down that are this many frames apart make it fall faster than it does by itself.
    pub fn is_hurried_by_taps(&self, tap_frames: f64) -> bool {
        match self {
            Self::Nes(..) => self.can_hurry(),
            Self::Simple(faller) => faller.row_frames > tap_frames,
        }
    }

    /// These buttons were held already when the piece appeared: they are not newly pressed.
    pub fn hold(&mut self, held: Buttons) {
        match self {
            Self::Nes(control, _) => control.held = held,
            Self::Simple(faller) => faller.held = held,
        }
    }

    /// The piece's state in a game that is known to the frame.
    pub fn control(&self) -> Option<&Control> {
        match self {
            Self::Nes(control, _) => Some(control),
            Self::Simple(_) => None,
        }
    }

    /// The level at which it falls.
    pub fn level(&self) -> u8 {
        match self {
            Self::Nes(_, level) => *level,
            Self::Simple(faller) => faller.level,
        }
    }

    /// Where the piece is.
    pub fn pose(&self) -> Pose {
        match self {
            Self::Nes(control, _) => control.pose,
            Self::Simple(faller) => faller.pose,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::layout::Layout;

    /// What Standard Tetris does with a piece, and what is predicted of it, key by key.
    #[test]
    fn standard_tetris_is_predicted_to_the_key() {
        use crate::game::standard::{self, Game, Settings, request_of};
        let rules = Layout::load("standard").unwrap().game_rules();
        let mut dice = 7u64;
        let mut draw = |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % below
        };
        let keys = [Buttons::LEFT, Buttons::RIGHT, Buttons::UP, Buttons::DOWN, Buttons::A, Buttons::NONE];
        let (mut locked, mut moved) = (0, 0);
        for level in standard::LEVELS {
            let mut game =
                Game::new(standard::SIZE, Settings { initial_level: level, ..Settings::default() }, level.into())
                    .unwrap();
            // A pile of some height, so that pieces meet it in every way.
            (0..level).for_each(|_| game.insert_junk_row().unwrap());
            let frames = f64::from(standard::iteration_ms(level)) / rules.frame_ms();
            while !game.is_over() && game.pieces() < 40 {
                let Some(standard::Event::Spawned(piece, _)) = game.iterate() else { continue };
                let board = game.pile().board().unwrap();
                let mut faller =
                    rules.spawn(piece, standard::Place::of_spawn(piece, 10).pose().unwrap(), game.level(), false);
                for frame in 1.. {
                    // Drops are rare: pieces shall come to rest in other ways, too.
                    let kinds = if draw(8) == 0 { 5 } else { 4 };
                    let key = keys[draw(kinds) as usize];
                    let held = if frame % 2 == 0 { Buttons::NONE } else { key };
                    if let Some(request) = request_of(held) {
                        moved += u32::from(game.request(request));
                    }
                    let before = game.falling().unwrap();
                    let lands = faller.frame(&board, held);
                    let is_due = f64::from(frame) % frames.round() == 0.0;
                    let landed = if is_due { game.iterate() } else { None };
                    assert_eq!(lands, landed.is_some(), "{piece} at level {level}, frame {frame}");
                    assert_eq!(
                        standard::Place::from(faller.pose()),
                        game.falling().unwrap_or(before),
                        "{piece} at level {level}, frame {frame}"
                    );
                    if lands {
                        locked += 1;
                        break;
                    }
                }
            }
        }
        assert!(locked > 100 && moved > 1000, "{locked} pieces locked, {moved} requests were granted");
    }

    #[test]
    fn lines_of_standard_tetris_count_for_levels_alone() {
        let rules = Layout::load("standard").unwrap().game_rules();
        let counted = |lines, by| rules.counted(Counters { lines, level: 1, score: 0 }, by);
        // seed 004:661–663.
        assert_eq!(counted(8, 2), Counters { lines: 10, level: 1, score: 0 });
        assert_eq!(counted(10, 1), Counters { lines: 11, level: 2, score: 0 });
        let chosen = rules.counted(Counters::new(9), 4);
        assert_eq!(chosen, Counters { lines: 4, level: 9, score: 0 });
    }

    /// In tetris-tui a game that begins at level 5 is at 6 after ten lines, where the guideline's would be at 5 until the fiftieth.
    #[test]
    fn a_level_may_follow_every_ten_lines_from_any_beginning() {
        let rules = Layout::load("tetris-tui").unwrap().game_rules();
        let begun = rules.counted(Counters { lines: 9, ..Counters::new(5) }, 0);
        assert_eq!((begun.lines, begun.level), (9, 5));
        let gone_on = rules.counted(begun, 4);
        assert_eq!(gone_on, Counters { lines: 13, level: 6, score: 0 });
        assert_eq!(rules.counted(gone_on, 4).level, 6);
    }
}
