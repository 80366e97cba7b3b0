//! What a story may begin with when no story explains the picture: at first, and after something went wrong.
//!
//! The pile is what has stood still for a while, or all but the piece; the piece is the one in its spawn place, or the one
//! that the next box showed until another took its place.

use super::event::Spawned;
use super::evidence::{Evidence, SURE_NATS};
use super::motion::{ROW_MS, Scene, above, dropped, poses};
use super::picture::Picture;
use super::story::Story;
use crate::game::air::{in_air, is_scattered};
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::{Board, Movement, Piece, Pose};
use crate::message::{Observation, Sighting};
use crate::time::{CameraFrame, HostTime};

/// A cell that was full for so long is of the pile, not of a piece on its way (on all but the slowest levels), ms.
const STEADY_MS: f64 = 160.0;
/// For so long after it came a piece is not further away than a young one can be, at any level but the highest, ms.
const YOUNG_MS: f64 = 400.0;
/// After so long without an explanation any piece may be on its way, ms.
const LOST_MS: f64 = 600.0;
/// A new piece may first be seen so many columns and rows from its spawn place: a held key pushes one a frame at first,
/// then every sixth.
const YOUNG_COLUMNS: i8 = 3;
const YOUNG_ROWS: i8 = 6;
/// The cells of a piece that may be any tell at least so much together, nats.
const LEAST_SHOWN_NATS: f32 = 2.0 * SURE_NATS;
/// The most places of a piece that stands alone.
const MOST_ALONE: usize = 3;

/// What a story begins with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// The settled pile.
    pub pile: Board,
    /// The falling piece.
    pub piece: Piece,
    /// Where it is in the present picture.
    pub at: Pose,
    /// Where it was when it came.
    pub came_at: Pose,
    /// When it came, if that was before the present picture.
    pub since: Option<(HostTime, CameraFrame)>,
    /// The piece was seen to come, for nothing else in the picture has changed, or the pile has stood still for long.
    pub is_expected: bool,
    /// What speaks against it because cells could not be read, nats.
    pub doubt: f32,
    /// What is neither: cells that hang in the air, whatever they show.
    pub in_air: Board,
}

impl Start {
    /// Takes out of the pile what hangs in the air and not where pieces appear, of a picture of which `unknown` are the cells that
    /// tell nothing.
    fn let_hang(&mut self, lit: &Board, unknown: &Board, spawn: &Board) {
        // The piece is known, so that all else is more than it.
        let mut seen = *lit;
        (0..seen.height()).for_each(|y| seen.set_row(y, lit.row(y) | unknown.row(y)));
        let seen = without(&seen, self.at);
        self.in_air = in_air(&seen, &seen, &Board::new(seen.width(), seen.height()), spawn);
        for y in (0..seen.height()).filter(|y| self.in_air.row(*y) != 0) {
            self.pile.set_row(y, self.pile.row(y) & !self.in_air.row(y));
            let hidden = (self.in_air.row(y) & unknown.row(y)).count_ones();
            // (A start over what stood still has no doubt.)
            self.doubt = (self.doubt - SURE_NATS * hidden as f32).max(0.0);
        }
    }

    /// Says when its piece came, if that was before the present picture.
    pub fn date(&self, spawned: &mut Spawned) {
        if let Some((time, frame)) = self.since {
            // Of pictures before that, the last one may have shown the piece, too.
            (spawned.time, spawned.frame) = (time, frame);
            spawned.not_before = spawned.not_before.filter(|before| *before < time);
        }
    }
}

/// A piece that the next box showed until another took its place.
#[derive(Debug, Clone, Copy)]
struct Come {
    piece: Piece,
    time: HostTime,
    frame: CameraFrame,
}

/// What has been seen that stories may begin with.
#[derive(Debug, Clone)]
pub struct Anew {
    /// Since when each cell has been full.
    full_since: [[Option<HostTime>; MAX_COLUMNS]; MAX_ROWS],
    boxed: Option<Piece>,
    come: Option<Come>,
    /// The piece that came by the box before that one.
    came_before: Option<Piece>,
    /// The last picture's cells, if all could be read.
    last_full: Option<Board>,
    /// A picture without a game, or with an empty field, was seen: what comes then has not been there before.
    was_clear: bool,
    /// Since when no story has explained the pictures.
    lost_since: Option<HostTime>,
}

impl Default for Anew {
    /// Nothing has been seen.
    fn default() -> Self {
        let full_since = [[None; MAX_COLUMNS]; MAX_ROWS];
        Self {
            full_since,
            boxed: None,
            come: None,
            came_before: None,
            last_full: None,
            was_clear: false,
            lost_since: None,
        }
    }
}

impl Anew {
    /// Takes in what the next box shows, before the stories take the picture in.
    pub fn announce(&mut self, observation: &Observation, is_first: bool) {
        if !observation.state.shows_cells() {
            (self.boxed, self.come, self.came_before) = (None, None, None);
            self.was_clear |= !is_first;
            return;
        }
        let Sighting::Piece(now, _) = observation.next else { return };
        if let Some(piece) = self.boxed.replace(now).filter(|before| *before != now) {
            self.came_before = self.come.map(|come| come.piece);
            self.come = Some(Come { piece, time: observation.time, frame: observation.frame });
        }
    }

    /// What the box showed when this piece came, if it has changed once more since: then it shows what comes after that.
    pub fn followed(&self, piece: Piece) -> Option<Piece> {
        let next = self.come?.piece;
        let has_changed_again = self.came_before == Some(piece) && next != piece && self.boxed != Some(piece);
        has_changed_again.then_some(next)
    }

    /// Takes in a picture, after the stories: a piece that has just appeared is not yet among the steady cells.
    pub fn remember(&mut self, observation: &Observation, evidence: &Evidence, is_explained: bool) {
        let time = observation.time;
        for y in 0..evidence.lit().height() {
            for x in 0..evidence.lit().width() {
                let since = &mut self.full_since[y][x];
                if evidence.is_full(x, y) {
                    *since = since.or(Some(time));
                } else if !evidence.is_unknown(x as i8, y as i8) {
                    *since = None;
                }
            }
        }
        self.last_full = (evidence.unknown_beside(&[]) == 0).then(|| *evidence.lit());
        self.was_clear |= self.last_full.is_some_and(|full| full.count() == 0);
        self.lost_since = if is_explained { None } else { self.lost_since.or(Some(time)) };
    }

    /// The game is over: what comes next begins with an empty field.
    pub fn expect_new_game(&mut self) {
        self.was_clear = true;
    }

    /// Since when no story has explained the pictures; `None` if one explains the last.
    pub fn lost_since(&self) -> Option<HostTime> {
        self.lost_since
    }

    /// What stories may begin with in a picture. `known` is the story told so far, `pile` what the rules have led to.
    pub fn starts(
        &self,
        picture: &Picture,
        movement: &Movement,
        has_ghost: bool,
        known: Option<&Story>,
        pile: Option<&Board>,
    ) -> Vec<Start> {
        let evidence = &picture.evidence;
        let nothing = Board::new(evidence.lit().width(), evidence.lit().height());
        let seen = Seen { picture, has_ghost, spawn: &|piece| movement.spawn(piece) };
        let mut starts = Vec::new();
        if let Some(piece) = picture.observation.spawn.piece() {
            let pose = movement.spawn(piece);
            starts.push(seen.start(without(evidence.lit(), pose), piece, pose));
        }
        starts.extend(self.last_full.and_then(|before| seen.just_come(&before)));
        if let Some(falling) = known.and_then(|known| known.falling) {
            let is_lit = |cell: (i8, i8)| cell.1 < 0 || evidence.nats(cell.0, cell.1) > 0.0;
            if falling.pose.cells().into_iter().all(is_lit) && stands_alone(evidence.lit(), falling.pose) {
                starts.push(seen.start(without(evidence.lit(), falling.pose), falling.piece, falling.pose));
            }
        }
        if known.is_none() && self.was_clear {
            starts.extend(seen.any_young(&nothing));
        }
        let steady = self.steady(picture.observation.time, &nothing);
        if let Some(come) = self.come {
            starts.extend(self.announced(come, &seen, &steady, known.is_none()));
        }
        let is_lost = self.lost_since.is_some_and(|since| picture.observation.time.ms_since(since) >= LOST_MS);
        if picture.is_after_gap {
            // Whatever falls was not seen to come.
            let afloat = seen.any_afloat(evidence.lit(), pile);
            starts.extend(afloat.map(|start| Start { is_expected: false, ..start }));
        }
        if is_lost {
            starts.extend(seen.any_young(&steady));
            starts.extend(seen.any_afloat(&steady, pile));
        }
        // Full rows are cleared before the next piece comes. What shows some is a curtain or a flash, and what does not stand on the
        // floor the letters of a pause.
        starts.retain(|start| !start.pile.has_full_row() && !is_scattered(&start.pile));
        let unknown = evidence.unknown();
        let spawn = movement.spawn_cells(unknown.width(), unknown.height());
        for start in &mut starts {
            let is_first = known.is_none() && self.last_full == Some(start.pile);
            start.is_expected |= is_first || is_lost && start.pile == steady;
            if has_ghost {
                // A pile in which a copy of the piece lies where it would land, and over which no other is drawn, is that copy.
                let whole = without_ghost(&start.pile, start.at);
                let rest = whole.or_else(|| without_fading_ghost(evidence, &start.pile, start.at));
                start.pile = rest.unwrap_or(start.pile);
            }
            start.let_hang(evidence.lit(), &unknown, &spawn);
        }
        starts
    }

    /// The piece that came by the box, where the picture shows it: by itself, or over what stood still.
    fn announced(&self, come: Come, seen: &Seen, steady: &Board, is_first: bool) -> Vec<Start> {
        let lit = *seen.picture.evidence.lit();
        let nothing = Board::new(lit.width(), lit.height());
        let spawn = (seen.spawn)(come.piece);
        let is_young = seen.picture.observation.time.ms_since(come.time) <= YOUNG_MS;
        let alone = poses(&nothing, come.piece).filter(|pose| stands_alone(&lit, *pose));
        let alone: Vec<Pose> = alone.filter(|pose| !is_young || is_near(*pose, spawn)).take(MOST_ALONE).collect();
        let mut starts = Vec::new();
        for pose in &alone {
            let start = seen.start(without(&lit, *pose), come.piece, *pose);
            // The first piece of all, by itself in a picture that tells everything, can be no other.
            let is_expected = is_first && is_young && alone.len() == 1 && start.doubt == 0.0;
            starts.push(Start { is_expected, ..start });
        }
        let age_ms = seen.picture.observation.time.ms_since(come.time);
        let scene = Scene::new(&seen.picture.evidence, steady, seen.has_ghost, age_ms, ROW_MS);
        let over_steady = scene.find(come.piece, above(spawn), |_| true);
        if let Some(place) = over_steady.filter(|place| place.against < SURE_NATS) {
            starts.push(Start { doubt: 0.0, ..seen.start(*steady, come.piece, place.pose) });
        }
        let since = Some((come.time, come.frame));
        starts.iter_mut().for_each(|start| (start.since, start.came_at) = (since, spawn));
        starts
    }

    /// The cells that have been full for long.
    fn steady(&self, now: HostTime, like: &Board) -> Board {
        let mut board = *like;
        for y in 0..like.height() {
            for x in 0..like.width() {
                if self.full_since[y][x].is_some_and(|since| now.ms_since(since) >= STEADY_MS) {
                    board.fill(x, y);
                }
            }
        }
        board
    }
}

/// A picture, and where its game's pieces appear.
struct Seen<'a> {
    picture: &'a Picture<'a>,
    has_ghost: bool,
    spawn: &'a dyn Fn(Piece) -> Pose,
}

impl Seen<'_> {
    fn start(&self, pile: Board, piece: Piece, at: Pose) -> Start {
        let unknown = self.picture.evidence.unknown_beside(&at.cells());
        let doubt = SURE_NATS * unknown as f32;
        let in_air = Board::new(pile.width(), pile.height());
        Start { pile, piece, at, came_at: at, since: None, is_expected: false, doubt, in_air }
    }

    /// The piece in its spawn place that is all by which the picture differs from the one before: a pile around the place
    /// may hide its shape.
    fn just_come(&self, before: &Board) -> Option<Start> {
        let evidence = &self.picture.evidence;
        let came = Piece::ALL.map(|piece| (piece, (self.spawn)(piece))).into_iter().find(|(_, spawn)| {
            let mut after = *before;
            spawn.stamp(&mut after);
            spawn.fits(before) && after == *evidence.lit()
        });
        came.map(|(piece, spawn)| self.start(*before, piece, spawn))
    }

    /// The piece over these cells that is on its way from its spawn place, if it can be no other.
    fn any_young(&self, base: &Board) -> Option<Start> {
        let evidence = &self.picture.evidence;
        let beside = (0..base.height()).map(|y| (evidence.lit().row(y) & !base.row(y)).count_ones()).sum::<u32>();
        // With cells hidden above the field one piece on the move can look like another.
        if beside < 4 {
            return None;
        }
        let scene = Scene::new(evidence, base, self.has_ghost, LOST_MS, ROW_MS);
        let mut found: Vec<(f32, Piece, Pose)> = Piece::ALL
            .into_iter()
            .filter_map(|piece| {
                let spawn = (self.spawn)(piece);
                let place = scene.find(piece, spawn, |pose| is_near(pose, spawn))?;
                (place.against < SURE_NATS).then_some((place.against, piece, place.pose))
            })
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let &(against, piece, pose) = found.first()?;
        let is_alone = found.get(1).is_none_or(|other| other.0 > against + 0.5);
        // Of cells that hardly tell anything many pieces can be made.
        let shown: f32 = pose.cells().iter().map(|(x, y)| evidence.nats(*x, *y)).sum();
        (is_alone && shown >= LEAST_SHOWN_NATS).then(|| Start { doubt: 0.0, ..self.start(*base, piece, pose) })
    }

    /// The piece that hangs in the air by itself, if only one does: wherever it was pushed, and so slow that it is among what has
    /// stood still. What is left of the pile after rows were cleared may hang there, too.
    fn any_afloat(&self, steady: &Board, pile: Option<&Board>) -> Option<Start> {
        let lit = self.picture.evidence.lit();
        let nothing = Board::new(lit.width(), lit.height());
        let alone = Piece::ALL.into_iter().flat_map(|piece| poses(&nothing, piece));
        let stood = |pose: &Pose| stands_alone(lit, *pose) && stands_alone(steady, *pose);
        let is_new = |pose: &Pose| pile.is_none_or(|pile| pose.fits(pile));
        let mut afloat = alone.filter(stood).filter(is_new).filter(|pose| is_afloat(&without(lit, *pose), *pose));
        let pose = afloat.next().filter(|_| afloat.next().is_none())?;
        Some(Start { is_expected: true, ..self.start(without(lit, pose), pose.orientation.piece(), pose) })
    }
}

/// Whether a piece can have come here from its spawn place since the last picture or two.
fn is_near(pose: Pose, spawn: Pose) -> bool {
    (pose.x - spawn.x).abs() <= YOUNG_COLUMNS && pose.y <= spawn.y + YOUNG_ROWS
}

/// Whether a board shows a pose, all of it, and nothing beside, above or below it.
fn stands_alone(board: &Board, pose: Pose) -> bool {
    let is_full = |x: i8, y: i8| x >= 0 && y >= 0 && board.is_full(x as usize, y as usize);
    let cells = pose.cells();
    cells.iter().all(|&(x, y)| {
        let near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
        is_full(x, y) && near.into_iter().all(|(u, v)| cells.contains(&(u, v)) || !is_full(u, v))
    })
}

/// Whether a piece has room below it, and nothing above any of its cells.
fn is_afloat(rest: &Board, pose: Pose) -> bool {
    let is_open = |(x, y): (i8, i8)| x >= 0 && (0..y).all(|above| !rest.is_full(x as usize, above as usize));
    pose.moved(0, 1).fits(rest) && pose.cells().into_iter().all(is_open)
}

fn without(board: &Board, pose: Pose) -> Board {
    let mut board = *board;
    for (x, y) in pose.cells().into_iter().filter(|cell| cell.0 >= 0 && cell.1 >= 0) {
        board.clear(x as usize, y as usize);
    }
    board
}

/// A pile without what it holds of the copy of a piece that is drawn where it would land, if the picture shows all of that
/// copy though the pile holds less: it pulses, and some of its cells stood out for longer than others. `None` if it is not so.
fn without_fading_ghost(evidence: &Evidence, pile: &Board, piece: Pose) -> Option<Board> {
    let is_in_pile = |&(x, y): &(i8, i8)| x >= 0 && y >= 0 && pile.is_full(x as usize, y as usize);
    let is_half_held = |ghost: &Pose| {
        let cells = ghost.cells();
        let is_shown = |&(x, y): &(i8, i8)| evidence.is_unknown(x, y) || evidence.nats(x, y) > 0.0;
        let held = cells.iter().filter(|cell| is_in_pile(cell)).count();
        let apart = cells.iter().all(|cell| !piece.cells().contains(cell));
        (1..cells.len()).contains(&held) && apart && cells.iter().all(is_shown)
    };
    let below = (1..pile.height() as i8).map(|rows| piece.moved(0, rows));
    below
        .filter(is_half_held)
        .map(|ghost| (ghost, without(pile, ghost)))
        .find(|(ghost, rest)| dropped(rest, piece) == *ghost)
        .map(|(_, rest)| rest)
}

/// A pile without the copy of a piece that is drawn where it would land; `None` if it holds none.
fn without_ghost(pile: &Board, piece: Pose) -> Option<Board> {
    let below = (1..pile.height() as i8).map(|rows| piece.moved(0, rows));
    let is_whole = |pose: &Pose| {
        pose.cells()
            .iter()
            .all(|&(x, y)| piece.cells().contains(&(x, y)) || y >= 0 && pile.is_full(x as usize, y as usize))
    };
    below
        .filter(is_whole)
        .map(|ghost| (ghost, without(pile, ghost)))
        .find(|(ghost, rest)| dropped(rest, piece) == *ghost)
        .map(|(_, rest)| rest)
}
