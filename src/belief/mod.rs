//! What the game's state must be, given what was seen: predict with the rules, correct with the picture.
//!
//! A few stories are followed (`tracker`): the settled pile, the falling piece and the next one, as legal transitions lead
//! from each to the next. What is certain of them is told as events; what had to begin anew is told as a surprise.

mod anew;
pub mod blame;
mod boxes;
mod clearing;
pub mod clock;
pub mod event;
mod evidence;
mod misread;
mod motion;
mod picture;
mod story;
mod tracker;

use crate::game::orientation::Pose;
use crate::game::{Board, Counters, Movement, Piece, Rules};
use crate::message::{Observation, ScreenState};
use crate::profile::layout::QUEUE_MAX;
use crate::time::HostTime;
use anew::Anew;
pub use event::{Event, Locked, Spawned, Surprise};
use evidence::Evidence;
use misread::{Misread, PATIENCE_MS};
use picture::Picture;
use story::{Falling, How, Turn};
use tracker::Tracker;

/// The hold box, or those after the next one, have shown other pieces than believed for so long, and nothing explains it, ms.
const OTHER_BOX_MS: f64 = 600.0;
/// It has been open for so long what has happened, or cells have shown what cannot be: that is told, ms.
const LOST_TOLD_MS: f64 = 900.0;
/// Without a picture for so long, ms, more than one piece may have come: hardly any is moved and locked sooner.
const UNSEEN_MS: f64 = 400.0;
/// What comes so long after a picture, ms, is a second look; sooner it may be the same one: some cameras and programs show each of
/// theirs twice.
const SECOND_LOOK_MS: f64 = 30.0;
/// No game goes on to the next level sooner than after so many lines.
const FIRST_LINES: u32 = 10;
/// This many full rows from the top down are a game-over curtain, not a pile, if a second look shows them, too.
const CURTAIN_ROWS: usize = 4;
/// So long after rows were seen to be cleared they are the flash of a four, ms. It lights up one of four frames, again and
/// again while the rows go (20 frames, 333 ms), and the shutter shares one such frame out to two pictures.
const FLASH_MS: f64 = 400.0;

/// A spawn that was seen but not yet reported.
#[derive(Debug, Clone)]
struct Pending {
    event: Spawned,
    locked: Option<Locked>,
}

/// Cells that have been disbelieved: since when, when last, and whether it was told.
#[derive(Debug, Clone, Copy)]
struct Disbelieving {
    since: HostTime,
    last: HostTime,
    is_told: bool,
}

/// The belief. See the module.
#[derive(Debug, Clone)]
pub struct Belief {
    movement: Movement,
    rules: Rules,
    tracker: Tracker,
    anew: Anew,
    pile: Board,
    falling: Option<Falling>,
    next: Option<Piece>,
    counters: Counters,
    start_level: u8,
    game_over: bool,
    /// Since when every picture has shown a curtain.
    curtain_since: Option<HostTime>,
    /// When rows were last seen to be cleared.
    clear_seen: Option<HostTime>,
    fresh_game: bool,
    pending: Option<Pending>,
    misread: Misread,
    /// Since when it has been open what has happened, and whether that was told.
    lost: Option<(HostTime, bool)>,
    /// Some cells are disbelieved.
    disbelieving: Option<Disbelieving>,
    /// Since when the hold box has shown another piece than is believed to be in it.
    other_held_since: Option<HostTime>,
    /// What the box after the next one showed when the falling piece had come.
    later: Option<Piece>,
    /// Since when the boxes after the next one show that another piece should have come.
    other_queue_since: Option<HostTime>,
    /// Time of the last picture, whatever it showed.
    last_look: Option<HostTime>,
    /// How long no picture came, ms, and when one came again, as long as it is open what has happened meanwhile.
    unseen: Option<(f64, HostTime)>,
    /// Whether the last one shows the field, and the falling piece where that is believed to be.
    is_in_view: bool,
    is_shown: bool,
}

impl Belief {
    /// Nothing is known yet; the game will start, or started, at `start_level`. `has_ghost`: it draws a copy of the piece
    /// where it would land.
    pub fn new(
        movement: Movement,
        rules: Rules,
        [columns, rows]: [usize; 2],
        start_level: u8,
        has_ghost: bool,
    ) -> Self {
        let pile = Board::new(columns, rows);
        Self {
            tracker: Tracker::new(movement.clone(), &pile, has_ghost, rules.hold().is_some()),
            anew: Anew::default(),
            movement,
            rules,
            pile,
            falling: None,
            next: None,
            counters: Counters::new(start_level),
            start_level,
            game_over: false,
            curtain_since: None,
            clear_seen: None,
            fresh_game: true,
            pending: None,
            misread: Misread::default(),
            lost: None,
            disbelieving: None,
            other_held_since: None,
            later: None,
            other_queue_since: None,
            last_look: None,
            unseen: None,
            is_in_view: false,
            is_shown: false,
        }
    }

    /// Lines, level and score as counted from what was seen (push-down points not included).
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The game is at this level, as its speed shows; before its first lines it began at it.
    pub fn take_level(&mut self, level: u8) {
        self.counters.level = level;
        if self.counters.lines < FIRST_LINES {
            self.start_level = level;
        }
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

    /// The same, if the last picture shows the field: a piece that falls fast may be seen too faintly in it.
    pub fn falling_in_view(&self) -> Option<(Piece, Pose)> {
        self.falling().filter(|_| self.is_in_view)
    }

    /// The same, if the last picture shows it there.
    pub fn shown_falling(&self) -> Option<(Piece, Pose)> {
        self.falling().filter(|_| self.is_shown)
    }

    /// Where the falling piece is meant to lock.
    pub fn intended(&self) -> Option<Pose> {
        self.falling.and_then(|falling| falling.intended)
    }

    /// The next piece, as far as it is known.
    pub fn next(&self) -> Option<Piece> {
        self.next
    }

    /// The piece that was put aside, where the game can do that.
    pub fn held(&self) -> Option<Piece> {
        self.tracker.told().and_then(|story| story.held)
    }

    /// Whether the game can put a piece aside.
    pub fn can_hold(&self) -> bool {
        self.rules.hold().is_some()
    }

    /// Since when no picture has shown what is believed; `None` if the last one does.
    pub fn unexplained_since(&self) -> Option<HostTime> {
        self.anew.lost_since()
    }

    /// Tells where the falling piece is meant to lock.
    pub fn intend(&mut self, pose: Pose) {
        self.mean(Some(pose));
    }

    /// Whether the falling piece is being put aside; `None` where nobody knows what is pressed.
    pub fn expect_hold(&mut self, is_holding: Option<bool>) {
        self.tracker.expect_hold(is_holding);
    }

    /// Nothing is meant with the falling piece any more.
    pub fn intend_nothing(&mut self) {
        self.mean(None);
    }

    fn mean(&mut self, intended: Option<Pose>) {
        self.tracker.intend(intended);
        if let Some(falling) = &mut self.falling {
            falling.intended = intended;
        }
    }

    /// Takes in one picture's reading; what became certain with it, in order.
    pub fn observe(&mut self, observation: &Observation) -> Vec<Event> {
        let mut events = Vec::new();
        (self.is_in_view, self.is_shown) = (false, false);
        self.anew.announce(observation, self.last_look.is_none());
        let gap_ms = self.last_look.map_or(0.0, |last| observation.time.ms_since(last));
        let gap = (gap_ms >= UNSEEN_MS).then_some((gap_ms, observation.time));
        self.unseen = gap.or(self.unseen.filter(|(_, until)| observation.time.ms_since(*until) < LOST_TOLD_MS));
        if observation.state.shows_cells() {
            let spawn = observation.spawn.piece().map(|piece| self.movement.spawn(piece));
            let evidence = Evidence::of(observation, spawn);
            let picture =
                Picture { observation, evidence, before: self.last_look, is_after_gap: self.unseen.is_some() };
            self.is_in_view = true;
            self.take_in(&picture, &mut events);
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

    fn take_in(&mut self, picture: &Picture, events: &mut Vec<Event>) {
        let is_explained = if self.pending.is_some() {
            self.wait_for_next(picture.observation, events);
            true
        } else if self.notice_curtain(picture, events) {
            true
        } else {
            self.follow(picture, events);
            self.tracker.explains()
        };
        self.anew.remember(picture.observation, &picture.evidence, is_explained);
    }

    /// Follows the stories through one picture; what is certain is believed.
    fn follow(&mut self, picture: &Picture, events: &mut Vec<Event>) {
        self.tracker.fall_by(self.rules.row_ms(self.counters.level));
        self.tracker.take(picture, &self.anew);
        if let Some(turn) = self.tracker.tell(picture) {
            self.lost = None;
            self.believe(turn, picture.observation, events);
            self.unseen = None;
            return;
        }
        self.notice_lost(picture.observation.time, events);
        let Some(told) = self.tracker.told().filter(|story| story.falling.is_some()) else { return };
        self.falling = told.falling;
        if self.tracker.explains() && !self.tracker.is_turning() {
            self.unseen = None;
            self.is_shown = told.falling.is_some_and(|falling| falling.is_seen);
            self.notice_impossible(picture.observation.time, events);
            self.doubt_next(picture.observation, events);
            self.doubt_held(picture.observation, events);
            self.doubt_queue(picture.observation);
        }
    }

    /// Tells, once, that it has been open for long what has happened.
    fn notice_lost(&mut self, now: HostTime, events: &mut Vec<Event>) {
        let Some(lost) = &mut self.lost else {
            self.lost = self.tracker.is_open().then_some((now, false));
            return;
        };
        if !self.tracker.is_open() {
            self.lost = None;
        } else if !lost.1 && now.ms_since(lost.0) >= LOST_TOLD_MS && self.falling.is_some() {
            lost.1 = true;
            events.push(Event::Surprise(Surprise::Lost { since: lost.0 }, now));
        }
    }

    /// Tells, once, that some cells have shown for long what no piece can have brought there, be it with breaks.
    fn notice_impossible(&mut self, now: HostTime, events: &mut Vec<Event>) {
        let Some(told) = self.tracker.told().filter(|story| story.disbelieved.count() > 0) else {
            self.disbelieving = self.disbelieving.filter(|of| now.ms_since(of.last) < LOST_TOLD_MS);
            return;
        };
        let of = self.disbelieving.get_or_insert(Disbelieving { since: now, last: now, is_told: false });
        of.last = now;
        if !of.is_told && now.ms_since(of.since) >= LOST_TOLD_MS {
            of.is_told = true;
            let (believed, mut seen) = (told.pile, told.pile);
            (0..seen.height()).for_each(|y| seen.set_row(y, believed.row(y) ^ told.disbelieved.row(y)));
            events.push(Event::Surprise(Surprise::Impossible { believed, seen }, now));
        }
    }

    fn believe(&mut self, turn: Turn, observation: &Observation, events: &mut Vec<Event>) {
        let Turn { how, mut spawned, locked } = turn;
        match how {
            How::Lock => {
                let lines = locked.map_or(0, |locked| locked.lines);
                self.counters = self.rules.counted(self.counters, lines);
                self.fresh_game = false;
            }
            How::Hold => {}
            How::Pile => {
                let surprise = Surprise::Pile { believed: self.pile, seen: spawned.board };
                events.push(Event::Surprise(surprise, observation.time));
                self.pile = spawned.board;
                self.falling = self.tracker.told().and_then(|story| story.falling);
                return;
            }
            How::Anew => self.begin_anew(&mut spawned, events),
        }
        spawned.first_of_game = self.fresh_game;
        self.pending = Some(Pending { event: spawned, locked });
        self.wait_for_next(observation, events);
    }

    /// No legal transition led here.
    fn begin_anew(&mut self, spawned: &mut Spawned, events: &mut Vec<Event>) {
        let is_known = self.falling.is_some() || self.game_over;
        self.fresh_game = spawned.board.count() == 0;
        if self.fresh_game {
            // A new game, or the first. That the last one ended was not seen: not every game draws a curtain.
            if is_known && !self.game_over && self.pile.count() > 0 {
                events.push(Event::GameOver { time: spawned.time, intended: None });
            }
            self.counters = Counters::new(self.start_level);
            spawned.expected = None;
        } else if is_known {
            let intended = self.falling.and_then(|falling| falling.intended);
            let unseen_ms = self.unseen.map(|(unseen_ms, _)| unseen_ms);
            // Others may have come before it.
            spawned.expected = spawned.expected.filter(|_| unseen_ms.is_none());
            let surprise = Surprise::Unexplained { believed: self.pile, seen: spawned.board, intended, unseen_ms };
            events.push(Event::Surprise(surprise, spawned.time));
        }
    }

    /// The box shows another piece than it did, but none has come.
    fn doubt_next(&mut self, observation: &Observation, events: &mut Vec<Event>) {
        let other = observation.next.piece().filter(|seen| self.next.is_some_and(|next| next != *seen));
        let (Some(seen), Some(falling)) = (other, self.falling) else { return self.misread.settle() };
        if self.misread.doubt(seen, falling.pose, observation.time)
            && let Some(believed) = self.next.replace(seen)
        {
            self.tracker.promise(self.next);
            events.push(Event::Surprise(Surprise::OtherNext { believed, seen }, observation.time));
        }
    }

    /// The hold box shows another piece than is believed to be held.
    fn doubt_held(&mut self, observation: &Observation, events: &mut Vec<Event>) {
        let believed = self.held();
        let Some(seen) = observation.hold.piece().filter(|seen| believed != Some(*seen)) else {
            self.other_held_since = None;
            return;
        };
        let since = *self.other_held_since.get_or_insert(observation.time);
        if observation.time.ms_since(since) >= OTHER_BOX_MS {
            self.tracker.hold(seen);
            events.push(Event::Surprise(Surprise::OtherHeld { believed, seen }, observation.time));
        }
    }

    /// The boxes after the next one have moved on, and no piece has come: they had not been redrawn when they were read.
    fn doubt_queue(&mut self, observation: &Observation) {
        let is_other = self.tracker.is_moved_on(observation);
        self.other_queue_since = self.other_queue_since.or(Some(observation.time)).filter(|_| is_other);
        if self.other_queue_since.is_some_and(|since| observation.time.ms_since(since) >= OTHER_BOX_MS) {
            let later = boxes(observation);
            self.later = later[0];
            self.tracker.promise_later(later);
        }
    }

    /// Reports the spawn once the next box is read. A box that shows the piece just spawned may not have been redrawn
    /// yet, so it needs a second look.
    fn wait_for_next(&mut self, observation: &Observation, events: &mut Vec<Event>) {
        let Some(mut pending) = self.pending.take() else { return };
        let waited_ms = observation.time.ms_since(pending.event.time);
        let seen = observation.next.piece();
        // A piece that is told so late that it has locked meanwhile was followed by another than the box shows now.
        let followed = self.anew.followed(pending.event.piece).filter(|_| !pending.event.by_hold);
        let next = seen.map(|seen| followed.unwrap_or(seen));
        pending.event.next = next;
        let is_ready = match next {
            Some(piece) => piece != pending.event.piece || waited_ms >= SECOND_LOOK_MS,
            None => waited_ms >= PATIENCE_MS,
        };
        if is_ready {
            let confidence = if next.is_some() { observation.next.confidence() } else { 1.0 };
            pending.event.confidence = pending.event.confidence.min(confidence);
            // Those of a later piece say nothing of what follows this one.
            pending.event.queue = if next == seen { boxes(observation) } else { [None; QUEUE_MAX] };
            self.report(pending, events);
        } else {
            self.pending = Some(pending);
        }
    }

    fn report(&mut self, pending: Pending, events: &mut Vec<Event>) {
        let Pending { mut event, locked } = pending;
        event.held = self.held();
        events.extend(locked.map(Event::Locked));
        if let Some(expected) = event.expected.filter(|expected| *expected != event.piece) {
            events.push(Event::Surprise(Surprise::OtherPiece { expected, piece: event.piece }, event.time));
        }
        let later = std::mem::replace(&mut self.later, event.queue[0]).filter(|_| locked.is_some());
        if let Some((expected, seen)) = later.zip(event.next).filter(|(expected, seen)| expected != seen) {
            events.push(Event::Surprise(Surprise::OtherLater { expected, seen }, event.time));
        }
        (self.pile, self.next, self.game_over) = (event.board, event.next, false);
        self.misread = Misread::since(self.last_look.unwrap_or(event.time));
        (self.other_held_since, self.other_queue_since) = (None, None);
        self.falling = self.tracker.told().and_then(|story| story.falling);
        self.tracker.promise(event.next);
        self.tracker.promise_later(event.queue);
        events.push(Event::Spawned(event));
    }

    /// A field full from the top down, and not for a moment, nor while rows are cleared, is a curtain: the game is over. A
    /// few of its cells may be unreadable.
    fn notice_curtain(&mut self, picture: &Picture, events: &mut Vec<Event>) -> bool {
        let (grid, time) = (&picture.observation.grid, picture.observation.time);
        let (full, unknown) = (grid.full(), grid.unknown());
        let is_closed = |(row, open): &(&u16, &u16)| {
            // What cannot be read for the most part is covered, or light falls on it.
            **row | **open == full.full_row() && row.count_ones() > open.count_ones()
        };
        let is_curtain = full.rows().iter().zip(unknown.rows()).take_while(is_closed).count() >= CURTAIN_ROWS;
        if picture.observation.state == ScreenState::LineClear {
            self.clear_seen = Some(time);
        }
        // Not where a clock has jumped back.
        let may_flash = self.clear_seen.is_some_and(|clear| (0.0..FLASH_MS).contains(&time.ms_since(clear)));
        self.curtain_since = if is_curtain && !may_flash { self.curtain_since.or(Some(time)) } else { None };
        if self.curtain_since.is_some_and(|since| time.ms_since(since) >= SECOND_LOOK_MS) && !self.game_over {
            self.game_over = true;
            let intended = self.falling.take().and_then(|falling| falling.intended);
            self.tracker.forget();
            self.anew.expect_new_game();
            events.push(Event::GameOver { time, intended });
        }
        is_curtain
    }
}

/// What the boxes after the next one show.
fn boxes(observation: &Observation) -> [Option<Piece>; QUEUE_MAX] {
    let mut boxes = [None; QUEUE_MAX];
    boxes.iter_mut().zip(&observation.queue).for_each(|(into, seen)| *into = seen.piece());
    boxes
}
