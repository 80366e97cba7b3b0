//! What the game's state must be, given what was seen: predict with the rules, correct with the picture.
//!
//! The belief holds the settled pile, the falling piece and the next one. Each observation either agrees with them,
//! or is explained by a legal transition (the piece fell, locked, cleared rows, the next one appeared), or is a
//! surprise. Transitions are believed at once; surprises only when seen again and again.

pub mod announced;
pub mod blame;
pub mod clock;
pub mod event;
pub mod explain;
mod misread;
pub mod steady;

use crate::game::orientation::Pose;
use crate::game::{Board, Counters, Movement, Piece, Rules};
use crate::message::{Observation, Sighting};
use crate::time::{CameraFrame, HostTime};
use announced::Announced;
pub use event::{Event, Locked, Spawned, Surprise};
use explain::{Explanation, Fallen, Seen, explain_late_spawn, explain_lock, is_young};
use misread::Misread;
use steady::Steady;

/// A surprise is believed when as many pictures in a row show it.
const SURPRISE_PICTURES: u32 = 3;
/// An unreadable next box is waited for this many pictures before the spawn is reported without it.
const NEXT_PATIENCE_PICTURES: u32 = 4;
/// After this many pictures without any explanation the next piece may already be anywhere.
const LATE_PICTURES: u32 = 3;
/// After this many pictures without any explanation the belief is lost, and takes less proof for a new start.
const LOST_PICTURES: u32 = 20;
/// How sure a new piece is that was promised by the next box and seen on its way, but never at rest in its spawn place.
const INFERRED_CONFIDENCE: f32 = 0.95;
/// What has looked the same in this many pictures is not on the move.
const FROZEN_PICTURES: u32 = 1;
/// More unreadable cells than this, and a picture explains nothing.
const MAX_UNKNOWN_CELLS: u32 = 24;
/// This many full rows from the top down are a game-over curtain, not a pile.
const CURTAIN_ROWS: usize = 4;

/// The falling piece as believed.
#[derive(Debug, Clone, Copy)]
struct Falling {
    piece: Piece,
    /// Where it was last seen.
    pose: Pose,
    /// When it was first seen there.
    since: HostTime,
    /// It has been seen away from its spawn place, or the spawn place without it.
    left_spawn: bool,
    /// Where the planner wants it.
    intended: Option<Pose>,
}

/// A spawn that was seen but not yet reported.
#[derive(Debug, Clone)]
struct Pending {
    event: Spawned,
    locked: Option<Locked>,
    pictures: u32,
}

/// Something unexplained that repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Puzzle {
    pile: Board,
    piece: Piece,
}

/// The belief. See the module.
#[derive(Debug, Clone)]
pub struct Belief {
    movement: Movement,
    rules: Rules,
    pile: Board,
    falling: Option<Falling>,
    next: Option<Piece>,
    counters: Counters,
    start_level: u8,
    game_over: bool,
    fresh_game: bool,
    pending: Option<Pending>,
    puzzle: Option<(Puzzle, u32, HostTime, CameraFrame)>,
    misread: Misread,
    steady: Steady,
    announced: Announced,
    /// Pictures since the last one that was explained.
    unexplained: u32,
    /// Time of the first of them.
    unexplained_since: Option<HostTime>,
    /// A picture without a game, or with an empty field, was seen: what comes then has not been there before.
    was_clear: bool,
    /// The last picture's cells, if all could be read.
    last_full: Option<Board>,
    /// In how many pictures in a row up to that one its cells had been the same as in the one before.
    repeats: u32,
    /// Time of the last picture that did not show what the present one shows.
    last_look: Option<HostTime>,
}

impl Belief {
    /// Nothing is known yet; the game will start, or started, at `start_level`.
    pub fn new(movement: Movement, rules: Rules, [columns, rows]: [usize; 2], start_level: u8) -> Self {
        Self {
            movement,
            rules,
            pile: Board::new(columns, rows),
            falling: None,
            next: None,
            counters: Counters::new(start_level),
            start_level,
            game_over: false,
            fresh_game: true,
            pending: None,
            puzzle: None,
            misread: Misread::default(),
            steady: Steady::default(),
            announced: Announced::default(),
            unexplained: 0,
            unexplained_since: None,
            was_clear: false,
            last_full: None,
            repeats: 0,
            last_look: None,
        }
    }

    /// Lines, level and score as counted from what was seen (push-down points not included).
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The settled pile.
    pub fn pile(&self) -> &Board {
        &self.pile
    }

    /// Whether the game is over and no new one has begun.
    pub fn is_game_over(&self) -> bool {
        self.game_over
    }

    /// The falling piece and where it was last seen.
    pub fn falling(&self) -> Option<(Piece, Pose)> {
        self.falling.map(|f| (f.piece, f.pose))
    }

    /// Where the falling piece is meant to lock.
    pub fn intended(&self) -> Option<Pose> {
        self.falling.and_then(|falling| falling.intended)
    }

    /// The next piece, as far as it is known.
    pub fn next(&self) -> Option<Piece> {
        self.next
    }

    /// Since when no picture has shown what is believed; `None` if the last one does.
    pub fn unexplained_since(&self) -> Option<HostTime> {
        self.unexplained_since
    }

    /// Tells where the falling piece is meant to lock.
    pub fn intend(&mut self, pose: Pose) {
        if let Some(falling) = &mut self.falling {
            falling.intended = Some(pose);
        }
    }

    /// Nothing is meant with the falling piece any more.
    pub fn intend_nothing(&mut self) {
        if let Some(falling) = &mut self.falling {
            falling.intended = None;
        }
    }

    /// Takes in one picture's reading; what became certain with it, in order.
    pub fn observe(&mut self, observation: &Observation) -> Vec<Event> {
        let mut events = Vec::new();
        self.announced.take(observation);
        self.was_clear |= !observation.state.shows_cells() && self.last_look.is_some();
        if observation.state.shows_cells() {
            let spawn = observation.spawn.piece().map(|piece| self.movement.spawn(piece));
            let seen = Seen::of(observation, spawn);
            if seen.unknown.count() <= MAX_UNKNOWN_CELLS {
                self.take_in(observation, &seen, &mut events);
            }
        }
        self.last_look = Some(observation.time);
        events
    }

    /// At the end of a recording: a spawn still waiting for its next box is reported.
    pub fn finish(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(mut pending) = self.pending.take() {
            // What may not have been redrawn yet is not known.
            let unchanged = pending.event.next == Some(pending.event.piece);
            pending.event.next = pending.event.next.filter(|_| !unchanged);
            self.report(pending, &mut events);
        }
        events
    }

    fn take_in(&mut self, observation: &Observation, seen: &Seen, events: &mut Vec<Event>) {
        self.explain_picture(observation, seen, events);
        match self.unexplained {
            0 => self.unexplained_since = None,
            _ => self.unexplained_since = self.unexplained_since.or(Some(observation.time)),
        }
        // Afterwards, so that a piece that has just appeared is not yet among the steady cells.
        self.steady.take(seen);
        let full = (seen.unknown.count() == 0).then_some(seen.full);
        self.was_clear |= full.is_some_and(|full| full.count() == 0);
        self.repeats = if full.is_some() && full == self.last_full { self.repeats.saturating_add(1) } else { 0 };
        self.last_full = full;
    }

    fn explain_picture(&mut self, observation: &Observation, seen: &Seen, events: &mut Vec<Event>) {
        self.unexplained += 1;
        self.misread.count();
        if self.pending.is_some() {
            return self.wait_for_next(observation, events);
        }
        if self.notice_curtain(seen, observation, events)
            || !self.is_next_redrawn(observation) && self.still_falling(observation, seen)
        {
            self.unexplained = 0;
            return;
        }
        if let Some(falling) = self.falling
            && !self.game_over
            && let Some(explanation) = self.explain(&falling, seen, observation)
        {
            self.believe_lock(&falling, explanation, observation);
            return self.wait_for_next(observation, events);
        }
        if self.is_next_redrawn(observation) && self.still_falling(observation, seen) {
            self.unexplained = 0;
            return self.doubt_next(observation, events);
        }
        self.puzzle_over(observation, seen, events);
    }

    /// Whether the picture shows the falling piece over the known pile, no higher than before.
    fn still_falling(&mut self, observation: &Observation, seen: &Seen) -> bool {
        let spawn_place = observation.spawn.piece();
        let Some(falling) = &mut self.falling else { return false };
        if self.game_over {
            return false;
        }
        // A piece that appeared over the pile stays there until the game ends.
        let is_blocked = !falling.pose.fits(&self.pile) && seen.shows_piece(&self.pile, falling.pose, falling.pose);
        if is_blocked {
            return true;
        }
        let still = seen.find_still(&self.pile, falling.piece, falling.pose);
        // No piece is on the move between the same two places for long.
        let is_frozen = self.repeats >= FROZEN_PICTURES && self.last_full == Some(seen.full);
        let moving = || seen.find_moving(&self.pile, falling.piece, falling.pose).filter(|_| !is_frozen);
        let Some(pose) = still.or_else(moving) else {
            falling.left_spawn |= spawn_place.is_none() && observation.spawn != Sighting::Unknown;
            return false;
        };
        let spawn = self.movement.spawn(falling.piece);
        // A piece never rises: back at the spawn place it is another one of its kind.
        if pose == spawn && falling.left_spawn || pose.y < falling.pose.y - 1 {
            return false;
        }
        if pose != falling.pose {
            falling.pose = pose;
            falling.since = observation.time;
        }
        falling.left_spawn |= pose.y > spawn.y + 1;
        self.puzzle = None;
        true
    }

    fn explain(&self, falling: &Falling, seen: &Seen, observation: &Observation) -> Option<Explanation> {
        let old = Fallen { piece: falling.piece, last: falling.pose, intended: falling.intended };
        let promised = self.next;
        if let Sighting::Piece(piece, _) = observation.spawn {
            let pose = self.movement.spawn(piece);
            let explained = explain_lock(&self.pile, &old, seen, piece, pose, promised == Some(piece));
            // Where the pile has reached the spawn place it may look like a piece itself.
            if explained.is_some() || pose.fits(&self.pile) || promised == Some(piece) {
                return explained;
            }
        }
        let next = promised?;
        let anywhere = self.unexplained >= LATE_PICTURES && seen.unknown.count() == 0;
        let is_redrawn = self.is_next_redrawn(observation);
        explain_late_spawn(&self.pile, &old, seen, next, self.movement.spawn(next), anywhere, is_redrawn)
    }

    /// Whether the next box shows another piece than it did.
    fn is_next_redrawn(&self, observation: &Observation) -> bool {
        self.next.zip(observation.next.piece()).is_some_and(|(promised, seen)| promised != seen)
    }

    /// The box shows another piece than it did, but none has come.
    fn doubt_next(&mut self, observation: &Observation, events: &mut Vec<Event>) {
        let (Some(seen), Some(falling)) = (observation.next.piece(), self.falling) else { return };
        if self.misread.doubt(seen, falling.pose)
            && let Some(believed) = self.next.replace(seen)
        {
            events.push(Event::Surprise(Surprise::OtherNext { believed, seen }, observation.time));
        }
    }

    fn believe_lock(&mut self, falling: &Falling, explanation: Explanation, observation: &Observation) {
        let Explanation { lock, pile, lines, piece, pose } = explanation;
        let since = if falling.pose == lock { falling.since } else { observation.time };
        let locked = Locked {
            time: since,
            piece: falling.piece,
            pose: lock,
            lines,
            intended: falling.intended.map(|wanted| wanted == lock),
        };
        self.counters = self.rules.counted(self.counters, lines);
        self.fresh_game = false;
        self.await_next(piece, pose, pile, Some(locked), observation);
    }

    fn await_next(&mut self, piece: Piece, pose: Pose, pile: Board, locked: Option<Locked>, observation: &Observation) {
        let event = Spawned {
            time: observation.time,
            not_before: self.last_look,
            frame: observation.frame,
            piece,
            pose,
            next: None,
            board: pile,
            confidence: match observation.spawn {
                Sighting::Piece(_, confidence) => confidence,
                _ => INFERRED_CONFIDENCE,
            },
            expected: self.next,
            first_of_game: self.fresh_game,
        };
        self.puzzle = None;
        self.unexplained = 0;
        self.pending = Some(Pending { event, locked, pictures: 0 });
    }

    /// Reports the spawn once the next box is read. A box that shows the piece just spawned may not have been redrawn
    /// yet, so it needs a second look.
    fn wait_for_next(&mut self, observation: &Observation, events: &mut Vec<Event>) {
        let Some(mut pending) = self.pending.take() else { return };
        pending.pictures += 1;
        let next = observation.next.piece();
        pending.event.next = next;
        let unchanged = next == Some(pending.event.piece);
        let ready = match next {
            Some(_) => !unchanged || pending.pictures > 1,
            None => pending.pictures >= NEXT_PATIENCE_PICTURES,
        };
        if ready {
            let confidence = if next.is_some() { observation.next.confidence() } else { 1.0 };
            pending.event.confidence = pending.event.confidence.min(confidence);
            self.report(pending, events);
        } else {
            self.pending = Some(pending);
        }
    }

    fn report(&mut self, pending: Pending, events: &mut Vec<Event>) {
        let Pending { event, locked, .. } = pending;
        events.extend(locked.map(Event::Locked));
        if let (Some(expected), piece) = (event.expected, event.piece)
            && expected != piece
        {
            events.push(Event::Surprise(Surprise::OtherPiece { expected, piece }, event.time));
        }
        self.pile = event.board;
        (self.next, self.misread) = (event.next, Misread::default());
        self.game_over = false;
        self.falling = Some(Falling {
            piece: event.piece,
            pose: event.pose,
            since: event.time,
            left_spawn: false,
            intended: None,
        });
        events.push(Event::Spawned(event));
    }

    /// A field full from the top down is a curtain: the game is over.
    fn notice_curtain(&mut self, seen: &Seen, observation: &Observation, events: &mut Vec<Event>) -> bool {
        let full_row = seen.full.full_row();
        let curtain = seen.full.rows().iter().take_while(|&&row| row == full_row).count() >= CURTAIN_ROWS;
        if curtain && !self.game_over {
            self.game_over = true;
            let last = self.falling.take();
            let intended = last.and_then(|f| f.intended);
            events.push(Event::GameOver { time: observation.time, intended });
        }
        curtain
    }

    /// Nothing explains the picture. If it shows a new piece again and again, the belief gives in.
    fn puzzle_over(&mut self, observation: &Observation, seen: &Seen, events: &mut Vec<Event>) {
        if seen.unknown.count() > 0 {
            return;
        }
        if self.falling.is_none()
            && let Some((pile, piece, pose, since)) = self.announced.find(seen, |piece| self.movement.spawn(piece))
        {
            return self.give_in(pile, piece, pose, since, observation, events);
        }
        let steady = self.steady.board(&seen.full);
        let is_lost = self.unexplained >= LOST_PICTURES;
        let sighted = observation.spawn.piece().map(|piece| (piece, self.movement.spawn(piece)));
        let nothing = Board::new(seen.full.width(), seen.full.height());
        // A new game begins with an empty field, and a quick player.
        let can_begin = self.falling.is_none() && (self.game_over || self.was_clear);
        let begun = || can_begin.then(|| self.any_new_piece(seen, &nothing)).flatten();
        let (pile, (piece, pose)) = if let Some((piece, pose)) = sighted {
            (seen.without(pose), (piece, pose))
        } else if let Some(found) = begun() {
            (nothing, found)
        } else if let Some(found) = is_lost.then(|| self.any_new_piece(seen, &steady)).flatten() {
            (steady, found)
        } else if let Some((known, pose)) = self.puzzle_again(seen) {
            (known.pile, (known.piece, pose))
        } else {
            self.puzzle = None;
            return;
        };
        let puzzle = Puzzle { pile, piece };
        let count = match self.puzzle.take() {
            Some((known, count, since, frame)) if known == puzzle => (puzzle, count + 1, since, frame),
            _ => (puzzle, 1, observation.time, observation.frame),
        };
        let (pictures, since, frame) = (count.1, count.2, count.3);
        self.puzzle = Some(count);
        // Before anything is known, a piece that appears over an otherwise unchanged picture is a spawn seen to happen:
        // a quick player leaves it in its place for no more than a picture or two.
        let is_first = self.falling.is_none() && !self.game_over && self.last_full == Some(pile);
        let is_new_game = self.falling.is_none() && pile == nothing && pictures > 1;
        if is_first || is_new_game || pictures >= SURPRISE_PICTURES || is_lost && pile == steady {
            self.give_in(pile, piece, pose, (since, frame), observation, events);
        }
    }

    /// Whether the piece that was puzzling before is still there, if only in part.
    fn puzzle_again(&self, seen: &Seen) -> Option<(Puzzle, Pose)> {
        let (known, ..) = self.puzzle.as_ref()?;
        let pose = seen.find_still(&known.pile, known.piece, self.movement.spawn(known.piece))?;
        Some((known.clone(), pose))
    }

    /// A piece over these cells, on its way from its spawn place.
    fn any_new_piece(&self, seen: &Seen, base: &Board) -> Option<(Piece, Pose)> {
        // With cells hidden above the field one piece on the move can look like another.
        if seen.lit_beside(base) < 4 {
            return None;
        }
        let only = |find: fn(&Seen, &Board, Piece, Pose) -> Option<Pose>| {
            let mut found = Piece::ALL.into_iter().filter_map(|piece| {
                let spawn = self.movement.spawn(piece);
                let pose = find(seen, base, piece, spawn)?;
                is_young(pose, spawn).then_some((piece, pose))
            });
            let first = found.next();
            first.filter(|_| found.next().is_none())
        };
        only(Seen::find_still).or_else(|| only(Seen::find_moving))
    }

    fn give_in(
        &mut self,
        pile: Board,
        piece: Piece,
        pose: Pose,
        (since, frame): (HostTime, CameraFrame),
        observation: &Observation,
        events: &mut Vec<Event>,
    ) {
        let same_piece = self.falling.is_some_and(|f| f.piece == piece && !f.left_spawn) && !self.game_over;
        let known = self.falling.is_some() || self.game_over;
        if same_piece {
            events.push(Event::Surprise(Surprise::Pile { believed: self.pile, seen: pile }, observation.time));
            self.pile = pile;
            self.puzzle = None;
            return;
        }
        if pile.count() == 0 {
            // A new game, or the first. That the last one ended was not seen: not every game draws a curtain.
            if known && !self.game_over && self.pile.count() > 0 {
                events.push(Event::GameOver { time: since, intended: None });
            }
            self.counters = Counters::new(self.start_level);
            self.fresh_game = true;
            self.next = None;
        } else if known {
            let lost = self.falling.and_then(|f| f.intended);
            events.push(Event::Surprise(
                Surprise::Unexplained { believed: self.pile, seen: pile, intended: lost },
                since,
            ));
            self.fresh_game = false;
        } else {
            self.fresh_game = false;
        }
        self.await_next(piece, pose, pile, None, observation);
        if let Some(pending) = &mut self.pending {
            pending.event.time = since;
            pending.event.frame = frame;
            // Of pictures before that, the last one may have shown the piece, too.
            pending.event.not_before = pending.event.not_before.filter(|before| *before < since);
        }
        self.wait_for_next(observation, events);
    }
}
