//! A few possible stories of the game, each followed by its legal transitions and weighed by all pictures so far.
//!
//! In every picture a story goes on (the piece falls, or its rows are being cleared) or takes a turn (the piece has locked
//! and the next one is there). Where no story explains what is seen, new ones begin with the picture itself; they cost as
//! much as some pictures of misreading. What happened is told when the odds against every other account are long enough.

use super::anew::{Anew, Start};
use super::boxes::{OTHER_NEXT_NATS, against_held, comers, has_moved_on, is_other_next, is_same_next};
use super::clearing::{DRAWN_ROWS, against_going, settling_rows};
use super::event::{Locked, Spawned};
use super::evidence::{CELL_NATS, Evidence, SURE_NATS};
use super::motion::{HIDDEN_ROWS, Place, ROW_MS, Scene, above, dropped, locks};
use super::picture::Picture;
use super::story::{Falling, How, Settling, Story, Turn};
use crate::game::movement::place;
use crate::game::{Board, Movement, Piece, Pose};
use crate::message::Observation;
use crate::profile::layout::QUEUE_MAX;
use crate::time::HostTime;
use std::borrow::Cow;

/// The most stories that are followed, and the most that one may cost beyond the best, nats.
const MOST_STORIES: usize = 16;
const MOST_BEHIND_NATS: f32 = 18.0;
/// The more one picture says against a story, the less each nat counts beyond these: what covers cells or clears rows is in
/// no story.
const SOFT_NATS: f32 = 8.0;
/// A story that explains nothing of a picture costs so much, nats.
const MOST_NATS: f32 = 16.0;
/// Less than this against it, and a picture is explained, nats.
const EXPLAINED_NATS: f32 = 2.0;
/// More than this, and it shows something else, nats: three cells that are surely otherwise.
const FAR_NATS: f32 = 15.0;
/// A lock costs so much, nats, as do one elsewhere than where it was meant to be, and where nothing was meant, one that is
/// not straight below.
const LOCK_NATS: f32 = 1.5;
const UNINTENDED_NATS: f32 = 3.5;
const ASIDE_NATS: f32 = 3.2;
/// The next box shows the same as before though a new piece came: one in seven, and it is redrawn late, nats.
const SAME_NEXT_NATS: f32 = 2.0;
/// A new piece that overlaps the pile, nats: the game is about to end.
const BLOCKED_NATS: f32 = 0.3;
/// A piece is put aside, nats: where nobody knows who presses what, where the key was pressed, and where it was not.
const HOLD_NATS: f32 = 3.0;
const MEANT_HOLD_NATS: f32 = 0.5;
const STRANGE_HOLD_NATS: f32 = 12.0;
/// Rows are being cleared, nats a picture.
const CLEARING_NATS: f32 = 0.7;
/// Two cells show what no piece can have brought there, nats: light has come to fall on them, or something lies over them. One
/// costs a quarter of it less, three a quarter more.
const IMPOSSIBLE_NATS: f32 = 8.0;
/// A piece comes while the rows that the one before has completed are still to be seen, nats.
const SETTLING_NATS: f32 = 1.5;
/// For so long after it was last seen to fall a dropped piece may be drawn too high, ms.
const DRAWN_MS: f64 = 100.0;
/// The most that a piece and its ghost explain, nats.
const PIECE_NATS: f32 = 8.0 * CELL_NATS;
/// Of the places in which a piece may have locked, this many are looked into.
const MOST_LOCKS: usize = 4;
/// A new piece is seen at most so many rows further down than it falls from its spawn place in the time.
const YOUNG_ROWS: i8 = 3;
/// One that falls by more than a row between two frames is seen too faintly to be known for so long, ms, at most: some pictures.
const FAINT_MS: f64 = 120.0;
/// What cannot be read for so long, ms, is no picture of two things in one exposure: light falls on it, or something covers it.
const COVERED_MS: f64 = 50.0;
/// A new piece is told when this many of its cells are seen.
const LEAST_CELLS: usize = 3;
/// A piece is not seen though it should be in the field by now, nats a picture: above the field it would explain anything.
const HIDDEN_NATS: f32 = 2.0;
/// The longest from a lock to the next piece, with the rows that are cleared, and from a story's beginning to its piece, ms.
const ENTRY_MS: f64 = 900.0;
const START_MS: f64 = 200.0;
/// A story that begins anew costs so much, nats; less, where only the pile is another, or where it is the first and was seen
/// to begin.
const ANEW_NATS: f32 = 20.0;
const OTHER_PILE_NATS: f32 = 10.0;
const FIRST_NATS: f32 = 2.0;
const NEW_GAME_NATS: f32 = 5.0;
/// So does one that begins after a time without pictures: pieces have come and locked in it, nats.
const UNSEEN_NATS: f32 = 10.0;

/// Where a piece may have locked.
#[derive(Debug, Clone, Copy)]
struct Rest {
    lock: Pose,
    /// What the picture says against it, nats, and what else does.
    against: f32,
    entry: f32,
    /// The pile after it, and what of that is to be seen.
    pile: Board,
    lines: usize,
    shown: Board,
}

/// The stories.
#[derive(Debug, Clone)]
pub struct Tracker {
    movement: Movement,
    has_ghost: bool,
    /// Pieces can be put aside.
    has_hold: bool,
    /// Whether the piece is being put aside, as far as that is known.
    is_holding: Option<bool>,
    /// How long a piece takes for a row by itself, ms.
    row_ms: f64,
    /// The uppermost rows, in which pieces appear.
    spawn_rows: usize,
    stories: Vec<Story>,
    /// When a story last explained a picture.
    explained_at: Option<HostTime>,
}

impl Tracker {
    /// Nothing is known yet of a field like this one.
    pub fn new(movement: Movement, like: &Board, has_ghost: bool, has_hold: bool) -> Self {
        Self {
            spawn_rows: movement.spawn_rows(),
            movement,
            has_ghost,
            has_hold,
            is_holding: None,
            row_ms: ROW_MS,
            stories: vec![Story::unknown(like)],
            explained_at: None,
        }
    }

    /// Forgets all stories: the game is over.
    pub fn forget(&mut self) {
        let unknown = self.stories.first().map(|story| Story::unknown(&story.pile));
        self.stories = unknown.into_iter().collect();
    }

    /// The likeliest story in which nothing has happened that was not told.
    pub fn told(&self) -> Option<&Story> {
        self.stories.iter().find(|story| story.turn.is_none())
    }

    /// What speaks against the likeliest story in the last picture, nats.
    fn against(&self) -> f32 {
        self.stories.first().map_or(0.0, |story| story.against)
    }

    /// Whether it is open what has happened: the last picture shows something else than any story says (a few cells may be
    /// misread without that), or more than one story explains the piece that it shows.
    pub fn is_open(&self) -> bool {
        let is_untold = self.stories.first().is_some_and(|story| story.turn.is_some() && story.is_shown);
        self.against() >= FAR_NATS || is_untold
    }

    /// Whether the likeliest story is one in which the piece has locked, or another began, which is not told yet.
    pub fn is_turning(&self) -> bool {
        self.stories.first().is_some_and(|story| story.turn.is_some())
    }

    /// Whether the last picture shows what a story says.
    pub fn explains(&self) -> bool {
        self.against() < EXPLAINED_NATS
    }

    /// Where the falling piece is meant to lock; `None`: nothing is meant with it any more.
    pub fn intend(&mut self, intended: Option<Pose>) {
        let falling = self.stories.iter_mut().filter(|story| story.turn.is_none());
        falling.filter_map(|story| story.falling.as_mut()).for_each(|falling| falling.intended = intended);
    }

    /// What the next box shows.
    pub fn promise(&mut self, next: Option<Piece>) {
        self.stories.iter_mut().filter(|story| story.turn.is_none()).for_each(|story| story.next = next);
    }

    /// What the boxes after it show.
    pub fn promise_later(&mut self, queue: [Option<Piece>; QUEUE_MAX]) {
        self.stories.iter_mut().filter(|story| story.turn.is_none()).for_each(|story| story.queue = queue);
    }

    /// Whether the boxes after the next one have moved on, though the piece is still the same.
    pub fn is_moved_on(&self, observation: &Observation) -> bool {
        self.told().is_some_and(|story| has_moved_on(story, observation))
    }

    /// A piece falls a row in so long by itself, ms.
    pub fn fall_by(&mut self, row_ms: f64) {
        self.row_ms = row_ms;
    }

    /// Whether the falling piece is being put aside, as far as that is known.
    pub fn expect_hold(&mut self, is_holding: Option<bool>) {
        self.is_holding = is_holding;
    }

    /// What the hold box shows.
    pub fn hold(&mut self, held: Piece) {
        self.stories.iter_mut().filter(|story| story.turn.is_none()).for_each(|story| story.held = Some(held));
    }

    /// Takes in one picture. `anew` is what stories may begin with that begin in it.
    pub fn take(&mut self, picture: &Picture, anew: &Anew) {
        let weight = picture.weight();
        self.stories.iter_mut().for_each(|story| story.trust(&picture.evidence));
        let mut heirs: Vec<Story> = self.stories.iter().map(|story| self.goes_on(story, picture, weight)).collect();
        let least = heirs.iter().map(|story| story.cost).fold(f32::MAX, f32::min);
        for (i, story) in self.stories.iter().enumerate().filter(|(_, story)| story.turn.is_none()) {
            let is_explained = heirs[i].against < EXPLAINED_NATS && !is_other_next(story, picture);
            let own = believed_by(story, picture);
            if !is_explained {
                self.take_turns(story, &own, least + MOST_BEHIND_NATS, &mut heirs);
            }
            // What has come may look like the piece before on the move.
            heirs.extend(self.holds(story, &own));
        }
        let disbelieving =
            self.stories.iter().zip(&heirs).filter_map(|(story, heir)| self.disbelieves(story, heir, picture));
        let disbelieving: Vec<Story> = disbelieving.collect();
        heirs.extend(disbelieving);
        let best = heirs.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
        if best.is_none_or(|story| story.against >= EXPLAINED_NATS || story.falling.is_none()) {
            let known = self.told().copied().filter(|story| story.falling.is_some());
            let pile = self.pile_by_rules();
            let starts = anew.starts(picture, &self.movement, self.has_ghost, known.as_ref(), pile.as_ref());
            heirs.extend(starts.into_iter().map(|start| self.begin(start, known.as_ref(), picture, weight)));
        }
        self.stories = sifted(heirs);
        if self.explains() {
            self.explained_at = Some(picture.observation.time);
        }
    }

    /// The pile of the likeliest story that the rules led to, and not what a picture showed.
    fn pile_by_rules(&self) -> Option<Board> {
        let is_by_rules = |story: &&Story| story.turn.is_none_or(|turn| matches!(turn.how, How::Lock | How::Hold));
        self.stories.iter().find(is_by_rules).map(|story| story.pile)
    }

    /// A pile in a picture, for a piece that was last seen in its place when a story last explained one.
    fn scene<'a>(&self, picture: &'a Picture, pile: &'a Board) -> Scene<'a> {
        let since = self.explained_at.or(picture.before);
        let since_ms = since.map_or(0.0, |since| picture.observation.time.ms_since(since));
        Scene::new(&picture.evidence, pile, self.has_ghost, since_ms, self.row_ms)
    }

    /// What has happened, if that is certain now, after the last picture taken in. All other stories are given up.
    pub fn tell(&mut self, picture: &Picture) -> Option<Turn> {
        let best = *self.stories.first()?;
        let turn = best.turn?;
        if picture.is_after_gap && best.against >= 2.0 * SURE_NATS {
            // Only one piece came in it, but in the gap there may have come more.
            return None;
        }
        let rival = self.stories.iter().find(|story| !story.tells_the_same(&best));
        if rival.is_some_and(|rival| rival.cost - best.cost < SURE_NATS) || !best.is_shown {
            return None;
        }
        self.stories.retain(|story| story.tells_the_same(&best));
        self.stories.iter_mut().for_each(|story| story.turn = None);
        Some(turn)
    }

    /// The story one picture later, if nothing has happened but that the piece moved.
    fn goes_on(&self, story: &Story, picture: &Picture, weight: f32) -> Story {
        let picture = &believed_by(story, picture);
        let mut after = self.moves_on(story, picture, weight);
        if after.against < EXPLAINED_NATS {
            // All rows are where they belong.
            after.settling = None;
            after.see(&picture.evidence);
            return after;
        }
        // A piece that nobody sees explains nothing.
        let settling = story.settling.filter(|_| story.is_shown);
        let Some(beside) = settling.and_then(|rows| picture.beside(rows)) else { return after };
        let mut settles = self.moves_on(story, &beside, weight);
        settles.against += CLEARING_NATS;
        settles.cost += weight * CLEARING_NATS;
        if settles.cost < after.cost { settles } else { after }
    }

    /// The story one picture later, of which this is the heir, if some cells show what no piece can have brought there.
    fn disbelieves(&self, story: &Story, heir: &Story, picture: &Picture) -> Option<Story> {
        let is_explained = heir.against < EXPLAINED_NATS;
        let cells = if is_explained { None } else { heir.impossible(&picture.evidence, self.spawn_rows) }?;
        let mut story = *story;
        (0..cells.height()).for_each(|y| story.disbelieved.set_row(y, story.disbelieved.row(y) | cells.row(y)));
        let after = self.moves_on(&story, &picture.without(&story.disbelieved), picture.weight());
        let cost = after.cost + IMPOSSIBLE_NATS * (2.0 + cells.count() as f32) / 4.0;
        (after.against < EXPLAINED_NATS).then_some(Story { cost, ..after })
    }

    /// The same, if every row shows what the story says.
    fn moves_on(&self, story: &Story, picture: &Picture, weight: f32) -> Story {
        let scene = self.scene(picture, &story.pile);
        let mut after = *story;
        after.against = scene.against;
        if let Some(falling) = &mut after.falling {
            let last = falling.pose;
            let found = scene.find(falling.piece, last, |_| true);
            let is_found = found.is_some_and(|place| place.against < EXPLAINED_NATS);
            let is_blocked = !last.fits(&story.pile);
            // A piece that appeared over the pile completes nothing: it stays there until the game ends, or is pushed out of it.
            let clearing = if is_found || is_blocked { None } else { self.clearing(falling, &scene) };
            let ending = is_blocked.then(|| self.ending(last, &scene));
            let place = found.into_iter().chain(ending).chain(clearing).min_by(Place::order);
            falling.is_seen = false;
            if let Some(place) = place {
                let [seen, left] = [scene.against, scene.against_still(last)].map(|without| without - place.against);
                // A piece that is not seen is where it was, unless it surely is not. (What moves on between two pictures is seen
                // faintly.)
                let has_moved = place.pose != last && seen > place.way && left > 2.0 * SURE_NATS;
                if place.pose != last && seen > SURE_NATS || has_moved {
                    (falling.pose, falling.since) = (place.pose, picture.observation.time);
                }
                falling.is_seen = seen > 0.0 && place.pose == falling.pose;
                after.against = place.against;
                after.cost += place.way * weight;
            }
        }
        if let (Some(falling), Some(turn), false) = (after.falling, &mut after.turn, after.is_shown) {
            let telling = telling_of_a_piece(picture, story.settling, after.against);
            let is_seen = self.is_shown(falling.pose, &story.pile, &telling);
            // Told by the box alone, it is where it was then, as far as anyone knows.
            after.is_shown = is_seen || is_covered_for_long(turn, falling.pose, picture);
            if is_seen {
                turn.spawned = Spawned {
                    pose: falling.pose,
                    expected: turn.spawned.expected,
                    by_hold: turn.spawned.by_hold,
                    ..picture.spawned(falling.piece, falling.pose, story.pile, None)
                };
            }
        }
        if self.is_hidden_for_long(&after, picture) {
            after.against += HIDDEN_NATS;
        }
        after.cost += weight * softened(after.against);
        if is_other_next(story, picture) {
            after.cost += weight * OTHER_NEXT_NATS;
        }
        after.cost += weight * against_held(story.held, picture);
        after
    }

    /// Where the piece lies if the rows that it completes are being cleared, at once or one after another.
    fn clearing(&self, falling: &Falling, scene: &Scene) -> Option<Place> {
        let places = locks(scene.pile, falling.piece, falling.pose).filter_map(|lock| {
            let mut full = *scene.pile;
            lock.stamp(&mut full);
            let against = against_going(scene.evidence, &full)? + CLEARING_NATS;
            Some(Place { pose: lock, against, way: lock_cost(falling, lock, scene.pile) })
        });
        places.min_by(Place::order)
    }

    /// Where a piece lies that appeared over the pile, if a curtain has come down over as many rows as fits best, or none yet.
    fn ending(&self, at: Pose, scene: &Scene) -> Place {
        let mut shown = *scene.pile;
        at.stamp(&mut shown);
        let mut against = scene.evidence.against(&shown);
        for row in 0..shown.height() {
            shown.set_row(row, shown.full_row());
            against = against.min(scene.evidence.against(&shown));
        }
        Place { pose: at, against, way: 0.0 }
    }

    /// The stories in which the piece has locked and the next one has come, as far as they cost less than `most`.
    fn take_turns(&self, story: &Story, picture: &Picture, most: f32, heirs: &mut Vec<Story>) {
        let weight = picture.weight();
        let Some(falling) = story.falling.filter(|falling| falling.pose.fits(&story.pile)) else { return };
        let same_next = if is_same_next(story, picture) { SAME_NEXT_NATS } else { 0.0 };
        for Rest { lock, against, pile, lines, shown, entry } in self.rests(story, &falling, picture) {
            let so_far = story.cost + LOCK_NATS + entry + same_next;
            for (piece, cost) in comers(story, picture) {
                // No piece, with its ghost, explains more than all of its cells.
                if so_far + cost + weight * softened(against - PIECE_NATS) > most {
                    continue;
                }
                let is_announced = is_other_next(story, picture) && story.next == Some(piece);
                let Some(came) = self.appears(&shown, piece, is_announced, picture) else { continue };
                // A piece that nobody sees explains nothing.
                if shown != pile && !self.is_shown(came.pose, &shown, &picture.evidence) {
                    continue;
                }
                let since = if falling.pose == lock { falling.since } else { picture.observation.time };
                let intended = falling.intended.map(|wanted| wanted == lock);
                let locked = Locked { time: since, piece: falling.piece, pose: lock, lines, intended };
                let spawned = picture.spawned(piece, came.pose, pile, story.next);
                let turn = Turn { how: How::Lock, spawned, locked: Some(locked) };
                let cost = so_far + cost + came.way + weight * softened(came.against);
                let settling = settling_rows(&story.pile, lock, picture.observation.time);
                let telling = telling_of_a_piece(picture, settling, came.against);
                let is_shown = self.is_shown(came.pose, &shown, &telling);
                let [certain, awaited] = story.after_lock(lock);
                let (held, disbelieved) = (story.held, story.disbelieved);
                let known = Story { held, certain, awaited, disbelieved, ..turned(turn, came.against, cost) };
                heirs.push(Story { is_shown, settling, ..known });
            }
        }
    }

    /// Where the piece may have locked, the likeliest first: with the rows gone that it completes, or with them still to be seen.
    fn rests(&self, story: &Story, falling: &Falling, picture: &Picture) -> Vec<Rest> {
        let scene = self.scene(picture, &story.pile);
        let evidence = &picture.evidence;
        let likeliest = |mut rests: Vec<Rest>| {
            rests.sort_by(|a, b| (a.against + a.entry).total_cmp(&(b.against + b.entry)));
            rests.truncate(MOST_LOCKS);
            rests
        };
        let all = locks(&story.pile, falling.piece, falling.pose).map(|lock| {
            let (pile, lines) = place(&story.pile, lock);
            let entry = lock_cost(falling, lock, &story.pile) + scene.drops(falling.pose, lock);
            Rest { lock, against: evidence.against(&pile), pile, lines, shown: pile, entry }
        });
        let all: Vec<Rest> = all.collect();
        let clears = all.iter().filter(|rest| rest.lines > 0 && rest.against >= EXPLAINED_NATS);
        let is_fresh = self.explained_at.is_some_and(|at| picture.observation.time.ms_since(at) <= DRAWN_MS);
        let drawn = clears.filter(|_| is_fresh).flat_map(|rest| {
            let entry = rest.entry + SETTLING_NATS;
            (0..=DRAWN_ROWS as i8).map(move |rows| {
                let mut shown = story.pile;
                rest.lock.moved(0, -rows).stamp(&mut shown);
                Rest { against: evidence.against(&shown), shown, entry, ..*rest }
            })
        });
        let drawn: Vec<Rest> = drawn.collect();
        [all, drawn].into_iter().flat_map(likeliest).collect()
    }

    /// The story in which the piece was put aside, and the one that was there has come, or the next one.
    fn holds(&self, story: &Story, picture: &Picture) -> Option<Story> {
        let falling = story.falling.filter(|_| self.has_hold && !story.by_hold)?;
        let weight = picture.weight();
        let piece = story.held.or(story.next)?;
        let is_in_box = picture.observation.hold.piece() == Some(falling.piece) && story.held != Some(falling.piece);
        let came = self.appears(&story.pile, piece, is_in_box, picture)?;
        // The box moves on if nothing was there; else it stays as it is.
        let is_told_by_box =
            if story.held.is_none() { is_same_next(story, picture) } else { is_other_next(story, picture) };
        let held = Some(falling.piece);
        let other = if is_told_by_box { OTHER_NEXT_NATS } else { 0.0 } + against_held(held, picture);
        let spawned = Spawned { by_hold: true, ..picture.spawned(piece, came.pose, story.pile, Some(piece)) };
        let turn = Turn { how: How::Hold, spawned, locked: None };
        let is_shown = self.is_shown(came.pose, &story.pile, &picture.evidence);
        let entry = self.is_holding.map_or(HOLD_NATS, |is| if is { MEANT_HOLD_NATS } else { STRANGE_HOLD_NATS });
        let cost = story.cost + entry + came.way + weight * (softened(came.against) + other);
        let next = story.held.and(story.next);
        let queue = if story.held.is_some() { story.queue } else { [None; QUEUE_MAX] };
        let Story { certain, awaited, disbelieved, .. } = *story;
        let known = Story { certain, awaited, disbelieved, ..turned(turn, came.against, cost) };
        Some(Story { is_shown, held, by_hold: true, next, queue, ..known })
    }

    /// Where a new piece is on this pile, if it may have come; a box may announce it.
    fn appears(&self, pile: &Board, piece: Piece, is_announced: bool, picture: &Picture) -> Option<Place> {
        let spawn = self.movement.spawn(piece);
        let scene = self.scene(picture, pile);
        let is_announced = is_announced || picture.observation.spawn.piece() == Some(piece);
        if !spawn.fits(pile) {
            let against = against_with(&picture.evidence, *pile, spawn);
            let place = Place { pose: spawn, against, way: BLOCKED_NATS };
            return (is_announced || scene.against - against > SURE_NATS).then_some(place);
        }
        // Some games let it come in from above.
        let faint = if is_announced && self.row_ms < ROW_MS { FAINT_MS / self.row_ms.max(1.0) } else { 0.0 };
        let lowest = spawn.y.saturating_add((f64::from(scene.rows) + faint).min(100.0) as i8) + YOUNG_ROWS;
        let place = scene.find(piece, above(spawn), |pose| pose.y <= lowest)?;
        if is_announced && is_above(place.pose) && is_covered(spawn, &picture.evidence) {
            // Nothing says that it came in from above, and in most games none does.
            return Some(Place { pose: spawn, against: against_with(&picture.evidence, *pile, spawn), way: 0.0 });
        }
        (is_announced || scene.against - place.against > SURE_NATS).then_some(place)
    }

    /// Whether a piece has been above the field for longer than any stays there.
    fn is_hidden_for_long(&self, story: &Story, picture: &Picture) -> bool {
        let (Some(falling), Some(turn)) = (story.falling, story.turn) else { return false };
        let is_hidden = !story.is_shown && is_above(falling.pose);
        // Where the layout says that it begins there, it may fall through these rows first.
        let rows = self.movement.begins_above(falling.piece).map_or(0, |_| HIDDEN_ROWS);
        let wait_ms = if turn.how == How::Lock { ENTRY_MS } else { START_MS };
        is_hidden && picture.observation.time.ms_since(turn.spawned.time) > wait_ms + f64::from(rows) * self.row_ms
    }

    /// Whether enough of a new piece is seen to tell of it; one that overlaps the pile may be hidden in it. Of one that appears
    /// above the field, all that can be seen, if that is two cells: it may stay there for long.
    fn is_shown(&self, pose: Pose, pile: &Board, evidence: &Evidence) -> bool {
        let cells = pose.cells().into_iter().filter(|(_, y)| *y >= 0);
        let (inside, lit) =
            cells.fold((0, 0), |(inside, lit), (x, y)| (inside + 1, lit + usize::from(evidence.nats(x, y) > 0.0)));
        let begins_here = self.movement.begins_above(pose.orientation.piece()) == Some(pose);
        lit >= LEAST_CELLS || begins_here && inside == 2 && lit == 2 || !pose.fits(pile)
    }

    /// A story that begins with this picture.
    fn begin(&self, start: Start, known: Option<&Story>, picture: &Picture, weight: f32) -> Story {
        let Start { pile, piece, at, in_air, .. } = start;
        let picture = &picture.without(&in_air);
        let is_new_game = pile.count() == 0;
        let same = known.and_then(|story| story.falling).filter(|falling| falling.piece == piece);
        let same = same.filter(|falling| at.y >= falling.pose.y - 1 && !is_new_game);
        // Another piece may be of the same kind.
        let same = same.filter(|_| !picture.is_after_gap || known.is_some_and(|known| known.is_nearly(&pile)));
        // No piece has locked, and so nothing has come of which that is known.
        let is_impossible = known.is_some_and(|known| known.contradicts(&pile));
        let entry = match (start.is_expected, is_new_game && known.is_none()) {
            (true, _) => FIRST_NATS,
            (_, true) => NEW_GAME_NATS,
            _ if same.is_some() && !is_impossible => OTHER_PILE_NATS,
            _ if picture.is_after_gap => UNSEEN_NATS,
            _ => ANEW_NATS,
        };
        let scene = self.scene(picture, &pile);
        let against = scene.find(piece, at, |pose| pose.y >= at.y - 1).map_or(scene.against, |place| place.against);
        let base = self.stories.first().map_or(0.0, |story| story.cost);
        let mut spawned = picture.spawned(piece, start.came_at, pile, known.and_then(|story| story.next));
        start.date(&mut spawned);
        let how = if same.is_some() { How::Pile } else { How::Anew };
        let turn = Turn { how, spawned, locked: None };
        let mut story = turned(turn, against, base + entry + start.doubt + weight * softened(against));
        story = Story { disbelieved: in_air, ..story.beginning(&picture.evidence, &at.cells()) };
        // What is hidden above the field explains anything.
        story.is_shown = self.is_shown(at, &pile, &picture.evidence);
        if let Some(falling) = &mut story.falling {
            falling.pose = at;
            falling.intended = same.and_then(|same| same.intended);
        }
        story.next = same.and(known).and_then(|known| known.next);
        story.queue = same.and(known).map_or([None; QUEUE_MAX], |known| known.queue);
        story.held = picture.observation.hold.piece();
        story
    }
}

/// A story after a turn.
fn turned(turn: Turn, against: f32, cost: f32) -> Story {
    let Spawned { piece, pose, time, board, .. } = turn.spawned;
    let falling = Some(Falling { piece, pose, since: time, intended: None, is_seen: true });
    Story { pile: board, falling, turn: Some(turn), cost, against, ..Story::unknown(&board) }
}

/// The picture without the cells that a story disbelieves.
fn believed_by<'a>(story: &Story, picture: &'a Picture) -> Cow<'a, Picture<'a>> {
    if story.disbelieved.count() == 0 {
        Cow::Borrowed(picture)
    } else {
        Cow::Owned(picture.without(&story.disbelieved))
    }
}

/// What tells of a new piece: nothing in rows that may be on their way, unless all of them are where they belong.
fn telling_of_a_piece<'a>(picture: &'a Picture, settling: Option<Settling>, against: f32) -> Cow<'a, Evidence> {
    let moving = settling.filter(|_| against >= EXPLAINED_NATS);
    let beside = moving.and_then(|rows| picture.beside(rows));
    beside.map_or(Cow::Borrowed(&picture.evidence), |beside| Cow::Owned(beside.evidence))
}

/// Whether a piece is wholly above the field.
fn is_above(pose: Pose) -> bool {
    pose.cells().iter().all(|(_, y)| *y < 0)
}

/// Whether a new piece that the next box announced cannot be seen in its place, and that for longer than an exposure lasts.
fn is_covered_for_long(turn: &Turn, pose: Pose, picture: &Picture) -> bool {
    let Spawned { piece, expected, time, .. } = turn.spawned;
    let has_moved_on = picture.observation.next.piece().is_some_and(|next| next != piece);
    turn.how == How::Lock
        && expected == Some(piece)
        && has_moved_on
        && picture.observation.time.ms_since(time) >= COVERED_MS
        && is_covered(pose, &picture.evidence)
}

/// Whether none of a piece's cells shows that it is not there, and some do not tell: light falls on them, or they are covered.
fn is_covered(pose: Pose, evidence: &Evidence) -> bool {
    let cells = || pose.cells().into_iter().filter(|(_, y)| *y >= 0);
    cells().any(|(x, y)| evidence.is_unknown(x, y))
        && cells().all(|(x, y)| evidence.is_unknown(x, y) || evidence.nats(x, y) > 0.0)
}

/// The likeliest stories, one for each state, the best first; the best costs nothing.
fn sifted(mut heirs: Vec<Story>) -> Vec<Story> {
    heirs.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let best = heirs.first().map_or(0.0, |story| story.cost);
    let mut stories: Vec<Story> = Vec::with_capacity(MOST_STORIES);
    for mut story in heirs {
        story.cost -= best;
        let is_known = stories.iter().any(|other| other.is_like(&story));
        if !is_known && story.cost < MOST_BEHIND_NATS && stories.len() < MOST_STORIES {
            stories.push(story);
        }
    }
    stories
}

/// What a lock costs, as the piece was steered and seen.
fn lock_cost(falling: &Falling, lock: Pose, pile: &Board) -> f32 {
    match falling.intended {
        Some(intended) if intended == lock => 0.0,
        Some(_) => UNINTENDED_NATS,
        None if dropped(pile, falling.pose) == lock => 0.0,
        None => ASIDE_NATS,
    }
}

fn against_with(evidence: &Evidence, mut board: Board, pose: Pose) -> f32 {
    pose.stamp(&mut board);
    evidence.against(&board)
}

fn softened(against: f32) -> f32 {
    (SOFT_NATS * (1.0 + against.max(0.0) / SOFT_NATS).ln()).min(MOST_NATS)
}
