//! One player's game: the field, the falling piece and what can be done with it. Time passes in [`super::clock`].

use super::action::{Action, Award, Sequence};
use super::attack::Receiving;
use super::goal::Progress;
use super::keys::Keys;
use super::lock::Lock;
use super::queue::{Queue, SHOWN_MAX};
use super::repeat::{Repeat, Side};
use super::settings::{Settings, Variant};
use super::spin::{Arrival, recognise};
use super::turns::turn;
use super::{COLUMNS, ROWS, SKYLINE, spawn_pose};
use crate::game::{Board, Piece, Pose};

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A piece had no room to appear (seed 002:2158).
    BlockOut,
    /// A piece locked down wholly above the skyline (seed 002:2156).
    LockOut,
    /// Lines of an opponent forced blocks past the top of the buffer zone (seed 002:2151).
    TopOut,
    /// The variant's aim or time is reached (seed 002:2232–2253).
    Completed,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A piece appeared.
    Appeared(Piece),
    /// The falling piece was put into the hold queue.
    Held(Piece),
    /// The falling piece locked down.
    Locked {
        /// Where.
        pose: Pose,
        /// What it was.
        award: Award,
        /// Lines that opponents get.
        sent: u32,
    },
    /// So many rows of opponents appeared at the bottom.
    Received(u32),
    /// A new level.
    Level(u8),
    /// The game ended.
    Ended(End),
}

/// The piece in play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Falling {
    pub(super) pose: Pose,
    /// The row of its visual centre, downwards from where it appeared.
    pub(super) row: i8,
    pub(super) arrival: Arrival,
    pub(super) lock: Lock,
    /// How much of the time that a row takes has passed, at the normal speed.
    pub(super) fallen_us: u64,
}

/// What the game does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A piece appears in so many µs.
    Generation(u64),
    Falling(Falling),
    Over(End),
}

/// A game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub(super) settings: Settings,
    pub(super) board: Board,
    pub(super) queue: Queue,
    pub(super) held: Option<Piece>,
    /// Whether a lock down took place since a piece was held.
    pub(super) may_hold: bool,
    pub(super) phase: Phase,
    pub(super) repeat: Repeat,
    pub(super) keys: Keys,
    pub(super) is_paused: bool,
    pub(super) elapsed_us: u64,
    pub(super) progress: Progress,
    sequence: Sequence,
    score: u64,
    lines: u32,
    receiving: Receiving,
}

impl Game {
    /// A game on an empty field; `seed` decides which pieces come.
    pub fn new(settings: Settings, seed: u64) -> Self {
        Self::on(Board::new(COLUMNS, ROWS), settings, seed)
    }

    /// A game that begins with blocks in the field (seed 002:637): a board of 40 rows; of another the game takes the lowest rows,
    /// and no more than ten columns.
    pub fn on(start: Board, settings: Settings, seed: u64) -> Self {
        let mut board = Board::new(COLUMNS, ROWS);
        for (y, row) in (0..ROWS).rev().zip(start.rows().iter().rev()) {
            board.set_row(y, *row);
        }
        Self {
            settings: Settings { shown_next: settings.shown_next.clamp(1, SHOWN_MAX), ..settings },
            board,
            queue: Queue::new(seed),
            held: None,
            may_hold: true,
            phase: Phase::Generation(0),
            repeat: Repeat::default(),
            keys: Keys::NONE,
            is_paused: false,
            elapsed_us: 0,
            progress: Progress::new(settings.goals, settings.level),
            sequence: Sequence::default(),
            score: 0,
            lines: 0,
            receiving: Receiving::new(seed),
        }
    }

    /// How it is played.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The blocks, buffer zone included.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Where the piece in play is.
    pub fn falling(&self) -> Option<Pose> {
        match self.phase {
            Phase::Falling(falling) => Some(falling.pose),
            Phase::Generation(_) | Phase::Over(_) => None,
        }
    }

    /// The pieces to come, shown or not.
    pub fn coming(&self) -> impl Iterator<Item = Piece> {
        self.queue.coming()
    }

    /// The held piece.
    pub fn held(&self) -> Option<Piece> {
        self.held
    }

    /// Points.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// Cleared lines.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// The level and the lines to the next one.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Whether a back-to-back sequence is going on.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The time played, without pauses, in µs.
    pub fn elapsed_us(&self) -> u64 {
        self.elapsed_us
    }

    /// Whether the game is paused.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// How the game ended, if it did.
    pub fn end(&self) -> Option<End> {
        match self.phase {
            Phase::Over(end) => Some(end),
            Phase::Generation(_) | Phase::Falling(_) => None,
        }
    }

    /// Lines of opponents that wait.
    pub fn waiting(&self) -> u32 {
        self.receiving.waiting()
    }

    /// Moves and turns that the piece in play has left of its fifteen (seed 002:1521).
    pub fn moves_left(&self) -> Option<u8> {
        match self.phase {
            Phase::Falling(falling) => Some(falling.lock.moves_left()),
            Phase::Generation(_) | Phase::Over(_) => None,
        }
    }

    /// An opponent sends lines. Unless they are buffered they appear at once, and lift a piece that is in their way.
    pub fn receive(&mut self, lines: u32) -> Vec<Event> {
        let mut events = Vec::new();
        if self.end().is_none() {
            self.receiving.receive(lines);
            if !self.settings.is_buffered {
                self.let_rows_appear(&mut events);
                self.lift();
            }
        }
        events
    }

    /// The next piece appears, or this one, and drops a row if it can (seed 002:736–751).
    pub(super) fn appear(&mut self, piece: Piece, events: &mut Vec<Event>) {
        let pose = spawn_pose(piece);
        if !pose.fits(&self.board) {
            return self.finish(End::BlockOut, events);
        }
        let mut falling = Falling {
            pose,
            row: 0,
            arrival: Arrival::default(),
            lock: Lock::new(self.settings.lock_down, 0),
            fallen_us: 0,
        };
        events.push(Event::Appeared(piece));
        falling.lock.reach(0, self.is_on_surface(pose));
        self.phase = Phase::Falling(falling);
        self.fall();
    }

    /// A row down, if there is room; whether there was.
    pub(super) fn fall(&mut self) -> bool {
        let Phase::Falling(falling) = &self.phase else { return false };
        let below = falling.pose.moved(0, 1);
        if !below.fits(&self.board) {
            return false;
        }
        let row = falling.row + 1;
        self.place(below, row, Arrival::default(), false);
        true
    }

    /// A column aside, if there is room.
    pub(super) fn step(&mut self, side: Side) {
        let Phase::Falling(falling) = &self.phase else { return };
        let moved = falling.pose.moved(side.step(), 0);
        if moved.fits(&self.board) {
            let row = falling.row;
            self.place(moved, row, Arrival::default(), true);
        }
    }

    /// A quarter turn, if one of its points fits (seed 002:1482). An O turns on the spot (seed 002:2649), which changes nothing,
    /// so that it resets no timer (seed 002:1537).
    pub(super) fn turn(&mut self, clockwise: bool) {
        let Phase::Falling(falling) = &self.phase else { return };
        let Some((pose, point, down)) = turn(&self.board, falling.pose, clockwise) else { return };
        if pose != falling.pose {
            let (row, arrival) = (falling.row + down, falling.arrival.turned(point));
            self.place(pose, row, arrival, true);
        }
    }

    fn place(&mut self, pose: Pose, row: i8, arrival: Arrival, by_player: bool) {
        let is_on_surface = self.is_on_surface(pose);
        let Phase::Falling(falling) = &mut self.phase else { return };
        (falling.pose, falling.row, falling.arrival) = (pose, row, arrival);
        if by_player {
            falling.lock.moved(row, is_on_surface, arrival.by_turn);
        } else {
            falling.lock.reach(row, is_on_surface);
        }
        if is_on_surface {
            falling.fallen_us = 0;
        }
    }

    /// Into the hold queue, if no piece went there since the last lock down; what was there, or the next piece, appears
    /// (seed 002:1505–1513).
    pub(super) fn hold(&mut self, events: &mut Vec<Event>) {
        let Phase::Falling(falling) = &self.phase else { return };
        if !self.settings.has_hold || !self.may_hold {
            return;
        }
        self.may_hold = false;
        let piece = falling.pose.orientation.piece();
        events.push(Event::Held(piece));
        let next = self.held.replace(piece).unwrap_or_else(|| self.queue.draw());
        self.appear(next, events);
    }

    /// Down as far as there is room, and locked (seed 002:1485). Two points a row (seed 002:1825).
    pub(super) fn hard_drop(&mut self, events: &mut Vec<Event>) {
        let mut rows = 0;
        while self.fall() {
            rows += 1;
        }
        self.score += 2 * rows;
        self.lock(events);
    }

    pub(super) fn score_soft_row(&mut self) {
        // seed 002:1821.
        self.score += 1;
    }

    /// The piece becomes part of the field; lines are cleared, counted and sent, and those of others appear.
    pub(super) fn lock(&mut self, events: &mut Vec<Event>) {
        let Phase::Falling(falling) = self.phase else { return };
        let spin = recognise(&self.board, falling.pose, falling.arrival);
        falling.pose.stamp(&mut self.board);
        let is_above = falling.pose.cells().iter().all(|(_, y)| *y < SKYLINE as i8);
        let cleared = self.board.clear_full_rows();
        let award = self.sequence.next(Action::of(cleared, spin));
        self.may_hold = true;
        self.lines += cleared as u32;
        self.score += award.points(self.progress.level());
        let sent = self.receiving.counter(award.attack());
        events.push(Event::Locked { pose: falling.pose, award, sent });
        self.phase = Phase::Generation(super::speed::GENERATION_US);
        if is_above {
            return self.finish(End::LockOut, events);
        }
        self.let_rows_appear(events);
        self.count(award, cleared as u32, events);
    }

    /// Goals, levels and the variant's end.
    pub(super) fn count(&mut self, award: Award, cleared: u32, events: &mut Vec<Event>) {
        let is_complete = match self.settings.variant {
            Variant::Marathon | Variant::Endless => {
                let before = self.progress.level();
                self.progress.count(award, cleared);
                if self.progress.level() != before {
                    events.push(Event::Level(self.progress.level()));
                }
                self.progress.is_complete() && self.settings.variant == Variant::Marathon
            }
            Variant::Sprint { lines } => self.lines >= lines,
            Variant::Ultra { .. } | Variant::Versus => false,
        };
        if is_complete && self.end().is_none() {
            self.finish(End::Completed, events);
        }
    }

    fn let_rows_appear(&mut self, events: &mut Vec<Event>) {
        match self.receiving.appear(&mut self.board) {
            Ok(0) => {}
            Ok(rows) => events.push(Event::Received(rows)),
            Err(_) => self.finish(End::TopOut, events),
        }
    }

    /// The piece in play goes up out of rows that appeared in its place.
    fn lift(&mut self) {
        let Phase::Falling(falling) = &self.phase else { return };
        let (pose, row, arrival) = (falling.pose, falling.row, falling.arrival);
        let lifted = (0..ROWS as i8).find(|rows| pose.moved(0, -rows).fits(&self.board));
        if let Some(rows) = lifted {
            let arrival = if rows == 0 { arrival } else { Arrival::default() };
            self.place(pose.moved(0, -rows), row - rows, arrival, false);
        }
    }

    pub(super) fn finish(&mut self, end: End, events: &mut Vec<Event>) {
        self.phase = Phase::Over(end);
        events.push(Event::Ended(end));
    }

    pub(super) fn is_on_surface(&self, pose: Pose) -> bool {
        !pose.moved(0, 1).fits(&self.board)
    }
}
