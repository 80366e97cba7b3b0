//! A game that is described by a few parameters, on a machine: for whoever runs one.

use super::chance::Chance;
use super::movement::{Movement, place};
use super::orientation::Rotation;
use super::rules::{Faller, Rules};
use super::standard::Phase;
use super::{Board, Buttons, Counters, Piece, Pose};
use serde::Deserialize;
use std::collections::VecDeque;

/// Pieces that are known after the next one, in a game with hold: as many as such games show.
const LATER: usize = 5;

/// Which pieces come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// Each as likely as any other.
    #[default]
    Uniform,
    /// All seven in an order drawn at random, then all seven again.
    Bag,
}

/// A game.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What is written on the screen before a game, capital letters.
    pub title: String,
    /// What happens to a falling piece.
    pub rules: Rules,
    /// Where pieces appear.
    pub movement: Movement,
    /// Columns and rows.
    pub size: [usize; 2],
    /// Which pieces come.
    pub generator: Generator,
    /// From a lock to the next piece, ms.
    pub entry_delay_ms: f64,
    /// By how much full rows delay it further, ms.
    pub clear_delay_ms: f64,
    /// The next piece is shown.
    pub next_shown: bool,
    /// Where the rules have a key for it, the falling piece is put aside, once until a piece has locked. What was put aside before
    /// comes in its place, or the next piece; and more pieces are shown than that.
    pub has_hold: bool,
}

/// What falls, if anything.
#[derive(Debug, Clone)]
enum Stage {
    /// The next piece comes after so many frames.
    Waiting(f64),
    Falling(Faller),
}

/// The machine with the game on it.
#[derive(Debug, Clone)]
pub struct SimpleMachine {
    settings: Settings,
    start_level: u8,
    phase: Phase,
    stage: Stage,
    board: Board,
    counters: Counters,
    /// Where the next pieces will appear.
    coming: VecDeque<Pose>,
    aside: Option<Piece>,
    can_hold: bool,
    bag: Vec<Piece>,
    chance: Chance,
    held: Buttons,
    frames: u64,
}

impl SimpleMachine {
    /// A machine that waits for Start to begin a game at a level; the seed decides which pieces come.
    pub fn new(settings: Settings, start_level: u8, seed: u64) -> Self {
        let [columns, rows] = settings.size;
        let mut machine = Self {
            settings,
            start_level,
            phase: Phase::Menu,
            stage: Stage::Waiting(0.0),
            board: Board::new(columns, rows),
            counters: Counters::new(start_level),
            coming: VecDeque::new(),
            aside: None,
            can_hold: true,
            bag: Vec::new(),
            chance: Chance(seed),
            held: Buttons::NONE,
            frames: 0,
        };
        let later = machine.hold_key().map_or(0, |_| LATER);
        machine.coming = (0..=later).map(|_| machine.draw()).collect();
        machine
    }

    /// The game.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is on the screen.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The settled pile.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Where the falling piece is.
    pub fn falling(&self) -> Option<Pose> {
        match &self.stage {
            Stage::Falling(faller) => Some(faller.pose()),
            Stage::Waiting(_) => None,
        }
    }

    /// The next piece.
    pub fn next(&self) -> Piece {
        self.next_pose().orientation.piece()
    }

    /// Where it will appear.
    pub fn next_pose(&self) -> Pose {
        self.coming.front().copied().unwrap_or(self.settings.movement.spawn(Piece::T))
    }

    /// The same of those after it; none in a game without hold.
    pub fn later(&self) -> impl Iterator<Item = Pose> {
        self.coming.iter().skip(1).copied()
    }

    /// The piece that was put aside.
    pub fn aside(&self) -> Option<Piece> {
        self.aside
    }

    /// The key that puts a piece aside, if that is possible in this game.
    pub fn hold_key(&self) -> Option<Buttons> {
        self.settings.rules.hold().filter(|_| self.settings.has_hold)
    }

    /// Lines, level, score.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Frames since it was switched on.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// One frame with these keys held; the piece that appeared in it and the next one.
    pub fn frame(&mut self, held: Buttons) -> Option<(Piece, Piece)> {
        let pressed = held.without(std::mem::replace(&mut self.held, held));
        self.frames += 1;
        if pressed.intersects(Buttons::START) {
            self.press_start();
            return None;
        }
        if self.phase != Phase::Playing {
            return None;
        }
        if self.hold_key().is_some_and(|key| pressed.intersects(key))
            && let Some(pose) = self.falling().filter(|_| self.can_hold)
        {
            return self.put_aside(pose.orientation.piece());
        }
        match &mut self.stage {
            Stage::Waiting(frames) => {
                *frames -= 1.0;
                if *frames > 0.0 { None } else { self.spawn() }
            }
            Stage::Falling(faller) => {
                if faller.frame(&self.board, held) {
                    let pose = faller.pose();
                    self.lock(pose);
                }
                None
            }
        }
    }

    fn press_start(&mut self) {
        if self.phase == Phase::Over {
            self.board = Board::new(self.board.width(), self.board.height());
            self.counters = Counters::new(self.start_level);
            (self.aside, self.stage) = (None, Stage::Waiting(0.0));
        }
        self.phase = self.phase.after_start();
    }

    fn spawn(&mut self) -> Option<(Piece, Piece)> {
        self.can_hold = true;
        self.appear(self.next_pose(), true)
    }

    fn put_aside(&mut self, piece: Piece) -> Option<(Piece, Piece)> {
        let before = self.aside.replace(piece);
        self.can_hold = false;
        let usual = before.map(|piece| self.settings.movement.spawn(piece));
        self.appear(usual.unwrap_or(self.next_pose()), usual.is_none())
    }

    /// A piece appears here, which is the next one or not.
    fn appear(&mut self, pose: Pose, is_next: bool) -> Option<(Piece, Piece)> {
        let piece = pose.orientation.piece();
        if !pose.fits(&self.board) {
            self.phase = Phase::Over;
            return None;
        }
        if is_next {
            let drawn = self.draw();
            self.coming.pop_front();
            self.coming.push_back(drawn);
        }
        let mut faller = self.settings.rules.spawn(piece, pose, self.counters.level, false);
        faller.hold(self.held);
        self.stage = Stage::Falling(faller);
        Some((piece, self.next()))
    }

    fn lock(&mut self, pose: Pose) {
        let (after, lines) = place(&self.board, pose);
        self.board = after;
        self.counters = self.settings.rules.counted(self.counters, lines);
        let clear_ms = if lines > 0 { self.settings.clear_delay_ms } else { 0.0 };
        if self.settings.rules.locks_out(pose) {
            self.phase = Phase::Over;
        }
        self.stage = Stage::Waiting((self.settings.entry_delay_ms + clear_ms) / self.settings.rules.frame_ms());
    }

    /// Where a further piece will appear.
    fn draw(&mut self) -> Pose {
        let piece = self.draw_piece();
        if !self.settings.movement.appears_turned() {
            return self.settings.movement.spawn(piece);
        }
        let rotation = Rotation::ALL[(self.chance.number() % Rotation::COUNT as u64) as usize];
        self.settings.movement.spawn_turned(piece, rotation)
    }

    fn draw_piece(&mut self) -> Piece {
        let random = self.chance.number();
        match self.settings.generator {
            Generator::Uniform => Piece::from_index((random % 7) as usize),
            Generator::Bag => {
                if self.bag.is_empty() {
                    self.bag = Piece::ALL.to_vec();
                }
                self.bag.swap_remove((random % self.bag.len() as u64) as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Orientation;
    use crate::game::simple_rules::{LockOut, SimpleRules};
    use crate::profile::game_file::GameFile;
    use crate::profile::layout::Layout;
    use std::sync::Arc;

    /// A game by its file, with what is changed in that.
    fn machine(change: impl FnOnce(&mut Settings)) -> SimpleMachine {
        let mut settings = GameFile::load("vitetris").unwrap().machine(1).unwrap();
        change(&mut settings);
        let mut machine = SimpleMachine::new(settings, 3, 1);
        machine.frame(Buttons::START);
        machine
    }

    fn until_spawn(machine: &mut SimpleMachine, key: Buttons) -> (u32, (Piece, Piece)) {
        (1..10_000)
            .find_map(|frame| {
                machine.frame(if frame % 2 == 0 { key } else { Buttons::NONE }).map(|spawned| (frame, spawned))
            })
            .unwrap()
    }

    #[test]
    fn each_piece_is_the_one_that_was_announced_and_comes_after_its_delay() {
        for (entry_delay_ms, least, most) in [(0.0, 1, 30), (1000.0, 60, 90)] {
            let mut machine = machine(|settings| settings.entry_delay_ms = entry_delay_ms);
            let (_, (_, mut promised)) = until_spawn(&mut machine, Buttons::NONE);
            for _ in 0..4 {
                // Dropped as soon as the game lets it be.
                let (frames, (piece, next)) = until_spawn(&mut machine, Buttons::A);
                assert_eq!(piece, promised);
                assert!((least..most).contains(&frames), "{frames} frames with a delay of {entry_delay_ms} ms");
                promised = next;
            }
        }
    }

    #[test]
    fn what_locks_above_the_field_ends_a_game_where_the_rules_say_so() {
        let at = |y| Pose { x: 4, y, orientation: crate::game::Orientation::spawn(Piece::T) };
        let ends = |y| [LockOut::Partial, LockOut::Whole, LockOut::None].map(|lock_out| lock_out.ends(at(y)));
        assert_eq!([ends(-2), ends(-1), ends(0)], [[true, true, false], [true, false, false], [false; 3]]);
        // A piece that was turned out of the field and stays there.
        for (lock_out, phase) in [(LockOut::Partial, Phase::Over), (LockOut::None, Phase::Playing)] {
            let mut machine = machine(|settings| {
                let Rules::Simple(rules) = &settings.rules else { return };
                settings.rules = Rules::Simple(Arc::new(SimpleRules { lock_out, ..(**rules).clone() }));
            });
            machine.lock(at(-1));
            assert_eq!(machine.phase(), phase);
        }
    }

    #[test]
    fn a_bag_holds_each_piece_once() {
        let mut machine = machine(|settings| settings.generator = Generator::Bag);
        let mut drawn: Vec<Piece> =
            std::iter::once(machine.next()).chain((0..13).map(|_| machine.draw_piece())).collect();
        let mut second = drawn.split_off(7);
        drawn.sort();
        second.sort();
        let mut all = Piece::ALL.to_vec();
        all.sort();
        assert_eq!((&drawn, &second), (&all, &all));
    }

    #[test]
    fn pieces_appear_in_any_rotation_as_high_as_ever_where_the_game_says_so() {
        let (_, text) = GameFile::built_in().find(|(name, _)| *name == "vitetris").unwrap();
        let game = GameFile::parse("turned", &format!("{text}\n[pieces]\nturned = true\n")).unwrap();
        let mut turned = machine(|settings| *settings = game.machine(1).unwrap());
        let movement = turned.settings().movement.clone();
        // Whoever looks at it is told so, too.
        let layouts = ["vitetris", "standard"].map(|name| Layout::load(name).unwrap());
        let are_told = |layout: &Layout| layout.showing(&game).unwrap().movement().unwrap().appears_turned();
        assert_eq!(layouts.each_ref().map(are_told), [true; 2]);
        assert!(!layouts[0].movement().unwrap().appears_turned());
        let top = |pose: Pose| pose.cells().iter().map(|(_, y)| *y).min();
        let mut shapes = std::collections::BTreeSet::new();
        for _ in 0..400 {
            let pose = turned.draw();
            assert_eq!(top(pose), top(movement.spawn(pose.orientation.piece())), "{pose:?}");
            shapes.insert(pose.orientation.shape());
        }
        assert_eq!(shapes.len(), Piece::ALL.into_iter().map(|piece| Orientation::shapes(piece).count()).sum::<usize>());
        // What is shown as the next piece is how it comes.
        let promised = turned.next_pose();
        until_spawn(&mut turned, Buttons::NONE);
        assert_eq!(turned.falling(), Some(promised));
        // And else no piece does.
        let mut usual = machine(|_| ());
        assert!((0..50).map(|_| usual.draw()).all(|pose| pose == movement.spawn(pose.orientation.piece())));
    }

    #[test]
    fn a_piece_is_put_aside_once_and_comes_back_where_pieces_appear() {
        let mut settings = GameFile::load("tetris-tui").unwrap().machine(1).unwrap();
        let key = settings.rules.hold().unwrap();
        let tap = |machine: &mut SimpleMachine, key: Buttons| {
            let came = machine.frame(key);
            machine.frame(Buttons::NONE);
            came
        };
        let mut machine = SimpleMachine::new(settings.clone(), 1, 5);
        machine.frame(Buttons::START);
        let (_, (first, second)) = until_spawn(&mut machine, Buttons::NONE);
        let third = machine.later().next().unwrap().orientation.piece();
        assert_eq!(machine.later().count(), LATER);
        for _ in 0..3 {
            tap(&mut machine, Buttons::LEFT);
        }
        // The next piece comes in its place, and then nothing until a piece has locked.
        assert_eq!((tap(&mut machine, key), machine.aside()), (Some((second, third)), Some(first)));
        assert_eq!((tap(&mut machine, key), machine.aside()), (None, Some(first)));
        let (_, (piece, fourth)) = until_spawn(&mut machine, Buttons::UP);
        assert_eq!((piece, machine.next()), (third, fourth));
        assert_eq!((tap(&mut machine, key), machine.aside()), (Some((first, fourth)), Some(third)));
        assert_eq!(machine.falling(), Some(settings.movement.spawn(first)));
        // A key that is held down puts aside no piece after this one.
        let (_, (piece, _)) = until_spawn(&mut machine, Buttons::UP | key);
        assert_eq!((piece, machine.aside()), (fourth, Some(third)));
        // Without a hold the key does nothing, and one piece is known.
        settings.has_hold = false;
        let mut machine = SimpleMachine::new(settings, 1, 5);
        machine.frame(Buttons::START);
        let (_, (alone, _)) = until_spawn(&mut machine, Buttons::NONE);
        assert_eq!((tap(&mut machine, key), machine.aside(), machine.later().count()), (None, None, 0));
        assert_eq!(alone, first);
    }

    #[test]
    fn a_game_that_is_over_waits_for_start() {
        let mut machine = machine(|_| {});
        (0..20_000).for_each(|frame| {
            machine.frame(if frame % 2 == 0 { Buttons::A } else { Buttons::NONE });
        });
        assert_eq!(machine.phase(), Phase::Over);
        assert!(machine.board().count() > 0);
        machine.frame(Buttons::START);
        assert_eq!((machine.phase(), machine.board().count()), (Phase::Playing, 0));
        until_spawn(&mut machine, Buttons::NONE);
        machine.frame(Buttons::START);
        let pose = machine.falling();
        (0..200).for_each(|_| assert_eq!(machine.frame(Buttons::NONE), None));
        assert_eq!((machine.phase(), machine.falling()), (Phase::Paused, pose));
    }
}
