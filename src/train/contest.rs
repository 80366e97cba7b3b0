//! A game on the model alone: pieces appear, a player says where each locks, the counters run.

use super::junk::{Junk, Rising, Start};
use super::pieces::{Generator, Pieces};
use crate::game::machine::Region;
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::{Board, Buttons, Control, Counters, Movement, Pace, Piece};
use crate::planner::evaluate::Step;
use crate::planner::moves::{Answers, Manner, Moves, Touch};
use crate::planner::timed::{Hand, Style};

/// Lines after which the level is taken to stay: by then a piece falls a row a frame.
const LEVELS_KNOWN: u64 = 2000;
/// Points for 0–4 lines at once, times level + 1.
const LINE_POINTS: [u64; 5] = [0, 40, 100, 300, 1200];

/// What can be done with a falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finger {
    /// Everything, slides under overhangs and spins included: time does not press.
    Free,
    /// The same without a turn.
    Unturned,
    /// Turned and moved above the field, then dropped straight down: the game of the literature.
    Dropping,
    /// Turned and moved within the field, where it appears, then dropped straight down: Standard Tetris.
    Standard,
    /// What a hand can do in time.
    Timed {
        /// The thumbs.
        hand: Hand,
        /// How much of them is used.
        style: Style,
        /// Frames from a piece's appearance until the player knows the next one. What is done before is decided without.
        reaction_frames: u8,
    },
}

/// What is played.
#[derive(Debug, Clone)]
pub struct Contest {
    /// How pieces appear and turn.
    pub movement: Movement,
    /// The field at the start; empty or not.
    pub field: Board,
    /// What stands in it.
    pub start: Start,
    /// What rises into it.
    pub rising: Rising,
    /// Which pieces come.
    pub generator: Generator,
    /// What can be done with them.
    pub finger: Finger,
    /// The level at the start.
    pub start_level: u8,
    /// The level from which on pieces fall two rows in the time of one, if there is one.
    pub double_speed_from: Option<u8>,
    /// Games end when as many lines are cleared, or more.
    pub to_lines: u64,
    /// Games end after as many pieces.
    pub to_pieces: u64,
}

/// What a player sees when a piece is to be placed.
pub struct View<'a> {
    /// The settled pile.
    pub board: &'a Board,
    /// The falling piece.
    pub piece: Piece,
    /// The next one, once it is known.
    pub next: Option<Piece>,
    /// The game's level.
    pub level: u8,
    /// Lines cleared.
    pub lines: u64,
    /// Lines after which the game ends.
    pub lines_left: u64,
    /// Pieces that locked before it.
    pub pieces: u64,
    /// How the next pieces can be moved.
    pub moves: &'a Moves<'a>,
    /// Where the falling piece can lock; at least one pose.
    pub locks: &'a [Pose],
}

/// Who plays.
pub trait Player {
    /// One of the view's locks; `None` gives up.
    fn choose(&mut self, view: &View<'_>) -> Option<Pose>;
}

/// A piece that locked.
pub struct Lock<'a> {
    /// The pile before.
    pub before: &'a Board,
    /// The pile after, full rows removed.
    pub after: &'a Board,
    /// Where it locked, and what that cleared.
    pub step: Step,
    /// The game's level before.
    pub level: u8,
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All lines, or all pieces, that were asked for.
    Finished,
    /// A piece found no place.
    ToppedOut,
}

/// What a game came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Points as a counter without an end would show them.
    pub score: u64,
    /// Lines cleared.
    pub lines: u64,
    /// Lines cleared by one, two, three and four at once.
    pub lines_by: [u64; 4],
    /// Pieces that locked.
    pub pieces: u64,
    /// The level at the end.
    pub level: u8,
    /// Rows of junk that there were at the start or rose since.
    pub junk_rows: u64,
    /// The field at the end.
    pub field: Board,
    /// Why it ended.
    pub ending: Ending,
}

impl Outcome {
    /// The share of all lines that were cleared in fours, 0–1.
    pub fn fours_share(&self) -> f64 {
        self.lines_by[3] as f64 / self.lines.max(1) as f64
    }
}

impl Contest {
    /// The console's game from a level to so many lines.
    pub fn console(movement: Movement, finger: Finger, start_level: u8, to_lines: u64) -> Self {
        Self {
            movement,
            field: Board::default(),
            start: Start::Field,
            rising: Rising::Never,
            generator: Generator::Console,
            finger,
            start_level,
            double_speed_from: None,
            to_lines,
            to_pieces: u64::MAX,
        }
    }

    /// Plays the game of this seed, and shows `see` every lock.
    pub fn play(&self, seed: u64, player: &mut dyn Player, mut see: impl FnMut(&Lock<'_>)) -> Outcome {
        let mut pieces = Pieces::new(self.generator, seed);
        let mut draw = move || pieces.next().unwrap_or(Piece::T);
        let mut game = Game::new(self, seed);
        let (mut piece, mut next) = (draw(), draw());
        while !game.is_finished() {
            let Some(pose) = game.choice(piece, next, player) else {
                return game.outcome(Ending::ToppedOut);
            };
            let (before, level) = (game.board, game.counters.level);
            let step = game.lock(pose);
            see(&Lock { before: &before, after: &game.board, step, level });
            if !game.junk.after_lock(&mut game.board, game.pieces, step.lines) {
                return game.outcome(Ending::ToppedOut);
            }
            (piece, next) = (next, draw());
        }
        game.outcome(Ending::Finished)
    }

    fn manner(&self, level: u8) -> Manner {
        match self.finger {
            Finger::Free => Manner::Freely,
            Finger::Unturned => Manner::Unturned,
            Finger::Dropping => Manner::Dropping,
            Finger::Standard => Manner::Standard,
            Finger::Timed { hand, style, .. } => {
                let pace = Pace::of(Region::Ntsc, level);
                let is_doubled = self.double_speed_from.is_some_and(|from| level >= from);
                Manner::Timed(Touch { pace: if is_doubled { pace.doubled() } else { pace }, hand, style })
            }
        }
    }
}

/// Where pieces can lock in a contest that appear with nothing held, prepared once for all its levels.
pub struct Reach<'a> {
    contest: &'a Contest,
    spawns: [Pose; 7],
    /// By the frames a row takes, as far as they differ, and the piece.
    answers: Vec<(u8, [Answers<'a>; 7])>,
    /// By the lines cleared, up to the contest's end.
    levels: Vec<u8>,
}

impl<'a> Reach<'a> {
    /// Of all levels of this contest.
    pub fn of(contest: &'a Contest) -> Self {
        let mut answers: Vec<(u8, [Answers<'a>; 7])> = Vec::new();
        for level in 0..=u8::MAX {
            let frames = Region::Ntsc.frames_per_row(level);
            if answers.iter().all(|(known, _)| *known != frames) {
                let moves = Moves { movement: &contest.movement, manner: contest.manner(level) };
                answers.push((frames, Piece::ALL.map(|piece| moves.answers(&contest.field, piece))));
            }
        }
        let mut counters = Counters::new(contest.start_level);
        let mut levels = vec![counters.level];
        for _ in 0..contest.to_lines.min(LEVELS_KNOWN) {
            counters.lock(1, 0);
            levels.push(counters.level);
        }
        Self { contest, spawns: Piece::ALL.map(|piece| contest.movement.spawn(piece)), answers, levels }
    }

    /// The level after so many lines.
    pub fn level_after(&self, lines: u64) -> u8 {
        let last = self.levels.len() - 1;
        self.levels[usize::try_from(lines).map_or(last, |lines| lines.min(last))]
    }

    /// The speeds that a piece can have in the contest, where time presses, as the frames that it takes for a row; else one.
    pub fn speeds(&self) -> Vec<u8> {
        let is_timed = matches!(self.contest.finger, Finger::Timed { .. });
        // At the last of these levels the contest is over.
        let levels = &self.levels[..if is_timed { (self.levels.len() - 1).max(1) } else { 1 }];
        let mut speeds: Vec<u8> = levels.iter().map(|&level| Region::Ntsc.frames_per_row(level)).collect();
        speeds.dedup();
        speeds
    }

    /// What is played.
    pub fn contest(&self) -> &'a Contest {
        self.contest
    }

    /// Shows `see` every pile that a piece can make of this one at this level, and the lines that this clears.
    pub fn for_each_after(&self, level: u8, board: &Board, piece: Piece, mut see: impl FnMut(Board, usize)) {
        let (frames, spawn) = (Region::Ntsc.frames_per_row(level), self.spawns[piece.index()]);
        let Some((_, answers)) = self.answers.iter().find(|(known, _)| *known == frames) else { return };
        let answers = &answers[piece.index()];
        if answers.have_room(board, spawn) {
            answers.for_each(board, spawn, |pose| {
                let (after, lines) = place(board, pose);
                see(after, lines);
            });
        }
    }
}

/// A game under way.
struct Game<'a> {
    contest: &'a Contest,
    board: Board,
    counters: Counters,
    score: u64,
    lines_by: [u64; 4],
    pieces: u64,
    junk: Junk,
}

impl<'a> Game<'a> {
    fn new(contest: &'a Contest, seed: u64) -> Self {
        let counters = Counters::new(contest.start_level);
        let (junk, board) = Junk::new(contest.start, contest.rising, &contest.field, seed);
        Self { contest, board, counters, score: 0, lines_by: [0; 4], pieces: 0, junk }
    }

    fn lines(&self) -> u64 {
        u64::from(self.counters.lines)
    }

    fn is_finished(&self) -> bool {
        let contest = self.contest;
        self.lines() >= contest.to_lines || self.pieces >= contest.to_pieces
    }

    /// Where the player puts the piece.
    fn choice(&self, piece: Piece, next: Piece, player: &mut dyn Player) -> Option<Pose> {
        let level = self.counters.level;
        let moves = Moves { movement: &self.contest.movement, manner: self.contest.manner(level) };
        let spawn = moves.spawn(piece);
        let mut locks = Vec::new();
        moves.answers(&self.board, piece).for_each(&self.board, spawn, |pose| locks.push(pose));
        let ask = |player: &mut dyn Player, next: Option<Piece>, locks: &[Pose]| {
            let view = View {
                board: &self.board,
                piece,
                next,
                level,
                lines: self.lines(),
                lines_left: self.contest.to_lines.saturating_sub(self.lines()),
                pieces: self.pieces,
                moves: &moves,
                locks,
            };
            if locks.is_empty() { None } else { player.choose(&view) }
        };
        if let (Finger::Timed { reaction_frames: frames @ 1.., .. }, Manner::Timed(touch)) =
            (self.contest.finger, moves.manner)
        {
            let meanwhile = ask(player, None, &locks)?;
            let start = Control { pose: spawn, ..Control::spawn(piece, 0, Buttons::NONE) };
            let way = touch.reach(&self.board, &start).way(meanwhile)?;
            match begun(&start, &self.board, level, &way, frames) {
                Some(control) => {
                    locks.clear();
                    locks.extend(touch.reach(&self.board, &control).locks());
                }
                // It locks before the next piece is known.
                None => return Some(meanwhile),
            }
        }
        ask(player, Some(next), &locks)
    }

    fn lock(&mut self, pose: Pose) -> Step {
        let (after, step) = Step::of(&self.board, pose);
        self.board = after;
        self.counters.lock(step.lines, 0);
        self.score += LINE_POINTS[step.lines] * (u64::from(self.counters.level) + 1);
        if let Some(lines) = step.lines.checked_sub(1) {
            self.lines_by[lines] += step.lines as u64;
        }
        self.pieces += 1;
        step
    }

    fn outcome(&self, ending: Ending) -> Outcome {
        let Self { score, lines_by, pieces, board: field, .. } = *self;
        let (lines, level, junk_rows) = (self.lines(), self.counters.level, self.junk.rows);
        Outcome { score, lines, lines_by, pieces, level, junk_rows, field, ending }
    }
}

/// The piece after the first frames of a way; `None` if it has locked by then.
fn begun(start: &Control, board: &Board, level: u8, way: &[Buttons], frames: u8) -> Option<Control> {
    let mut control = *start;
    for frame in 0..usize::from(frames) {
        let held = way.get(frame).copied().unwrap_or(Buttons::NONE);
        if control.frame(board, level, held) {
            return None;
        }
    }
    Some(control)
}
