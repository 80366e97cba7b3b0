//! A reader that notices when the camera or the screen has moved, and finds the field again.
//!
//! Three signs: the edges around the field have all shifted a little (drift, a light bump); they are gone from their
//! places (a bump: the field is searched near its old place); they stay gone (the field is searched anywhere).

use super::witness::Movement;
use crate::message::{Frame, Observation, ScreenState};
use crate::profile::layout::Layout;
use crate::vision::VisionError;
use crate::vision::locate::{Located, Locator, find_elsewhere, realign, refine_view};
use crate::vision::read::proof::Proof;
use crate::vision::read::reader::Reader;
use crate::vision::view::View;
use crate::vision::view::geometry::distance;
use std::collections::VecDeque;

/// A shift of the field's corners by so much is looked into, px at 640 px of width: it costs reading nothing yet.
const DRIFT_PX: f64 = 0.8;
/// Shifts are taken as the median of this many pictures; noise and blinking neighbours move single edges.
const DRIFT_PICTURES: usize = 5;
/// A shift by so much is looked into at once, px at 640 px of width.
const BUMP_PX: f64 = 2.0;
/// A corner of the field is found so near to where a small movement took it, px at 640 px of width.
const FOLLOW_PX: f64 = 2.0;
/// A place found nearer than this to the known one is the same, px at 640 px of width.
const SAME_PX: f64 = 0.4;
/// After a shift that turned out to be none, this many pictures pass before the next is looked into.
const CALM_PICTURES: u32 = 30;
/// The field is searched near its old place in these pictures without it, then in every so-manieth.
const NEAR_AT: [u32; 6] = [1, 2, 3, 4, 6, 8];
const NEAR_EVERY: u32 = 8;
/// What covers cells may be the field's own frame, after a bump: then the field is found twice in a row so far away or
/// further, px at 640 px of width.
const BUMPED_PX: f64 = 2.5;
/// After this many pictures without it the field is searched anywhere, in every so-manieth picture.
const FAR_AFTER: u32 = 12;
const FAR_EVERY: u32 = 10;
/// A far search that has not found anything in this many pictures starts anew: what it saw first may be long gone.
const FAR_PICTURES: u32 = 6;
/// After this many pictures without it the field is lost. (A second, at 30 pictures a second.)
const LOST_AFTER: u32 = 30;

/// The place is looked at once more after this many pictures that show the field, and after this many more: what was found
/// first was perhaps found under a menu or in a pause.
const VERIFY_AT: [u32; 3] = [30, 90, 600];
/// So it is in a line clear that lasts for this many pictures: a bright frame may look like a full row.
const VERIFY_CLEAR_AT: [u32; 2] = [14, 40];
/// A better place must be found in this many of these pictures in a row.
const VERIFY_PICTURES: u32 = 2;
/// Where no announced piece has come in this many pictures of a game, the place is in doubt: the slowest piece falls for 14 s,
/// so two would have come even at 60 pictures a second.
const DOUBT_AFTER: u32 = 1800;
/// From then on the whole field is looked for in every so-manieth picture, and believed after this many of these.
const DOUBT_EVERY: u32 = 10;
const DOUBT_PICTURES: u32 = 3;

/// What became of the field's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// It has moved, and was found again.
    Moved(Located),
    /// It was not found for long.
    Lost,
    /// It is back at the place where it was lost.
    Back,
}

/// What the reader has learned that holds at another place, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// How bright blocks are: it was the same field.
    Brightness,
    /// It was something else.
    Nothing,
}

/// Reads one game's pictures, wherever the field goes.
#[derive(Debug, Clone)]
pub struct Watch {
    layout: Layout,
    picture: [u32; 2],
    corners: [[f64; 2]; 4],
    k1: f64,
    reader: Reader,
    /// Pictures in a row that did not show the game.
    missing: u32,
    is_lost: bool,
    shifts_px: VecDeque<f64>,
    calm: u32,
    far: Option<(Locator, u32)>,
    /// Pictures that showed the field at its present place.
    shown: u32,
    /// Pictures of a line clear, in a row.
    clearing: u32,
    /// Pictures with covered cells, in a row, and whether the last search near by found the field away from its place.
    covered: u32,
    was_away: bool,
    /// Pictures in a row, of those in which the place is looked at once more, that showed the field elsewhere.
    elsewhere: u32,
    /// Whether a game was seen to be played at this place, and pictures of one that was not.
    proof: Proof,
    unproven: u32,
    doubt: Option<Locator>,
}

impl Watch {
    /// A watch on the field between these corners; see [`Reader::through`].
    ///
    /// # Errors
    /// As [`Reader::through`].
    pub fn new(layout: &Layout, corners: [[f64; 2]; 4], k1: f64, picture: [u32; 2]) -> Result<Self, VisionError> {
        Ok(Self {
            layout: layout.clone(),
            picture,
            corners,
            k1,
            reader: Reader::through(layout, corners, k1, picture)?,
            missing: 0,
            is_lost: false,
            shifts_px: VecDeque::new(),
            calm: 0,
            far: None,
            shown: 0,
            clearing: 0,
            covered: 0,
            was_away: false,
            elsewhere: 0,
            proof: Proof::default(),
            unproven: 0,
            doubt: None,
        })
    }

    /// Where the field's corners are now, px.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        self.corners
    }

    /// Reads a picture; if the field was found somewhere else in it, it is read there.
    pub fn look(&mut self, frame: &Frame) -> (Observation, Option<Change>) {
        let seen = self.reader.read(frame);
        if seen.state.shows_field() {
            return self.look_for_drift(frame, seen);
        }
        self.shifts_px.clear();
        self.missing = self.missing.saturating_add(1);
        // With all edges in their places it is the game that shows something else.
        if !self.reader.standing().holds()
            && let Some(located) = self.search(frame)
            && let Some(seen) = self.take(&located, frame, Known::Brightness)
        {
            return (seen, Some(Change::Moved(located)));
        }
        let is_new = self.missing >= LOST_AFTER && !self.is_lost;
        self.is_lost |= is_new;
        (seen, is_new.then_some(Change::Lost))
    }

    fn look_for_drift(&mut self, frame: &Frame, seen: Observation) -> (Observation, Option<Change>) {
        let back = self.is_lost.then_some(Change::Back);
        (self.missing, self.is_lost, self.far) = (0, false, None);
        self.proof.look(&seen, self.layout.next.is_some());
        if let Some(located) = self.verify(frame, &seen).or_else(|| self.doubt(frame, &seen))
            && let Some(seen) = self.take(&located, frame, Known::Nothing)
        {
            return (seen, Some(Change::Moved(located)));
        }
        if let Some(located) = self.look_beside_cover(frame)
            && let Some(seen) = self.take(&located, frame, Known::Brightness)
        {
            return (seen, Some(Change::Moved(located)));
        }
        self.calm = self.calm.saturating_sub(1);
        if let Some(movement) = self.shift().filter(|_| self.calm == 0) {
            self.calm = CALM_PICTURES;
            if let Some(located) = self.follow(movement, frame)
                && let Some(seen) = self.take(&located, frame, Known::Brightness)
            {
                return (seen, Some(Change::Moved(located)));
            }
            // It is where it was: something else has changed about its edges, such as the exposure.
            self.reader.trust_edges();
        }
        (seen, back)
    }

    /// Looks for the field near by while something covers cells: after a bump that may be the field's own frame.
    fn look_beside_cover(&mut self, frame: &Frame) -> Option<Located> {
        self.covered = if self.reader.covered_cells() > 0 { self.covered.saturating_add(1) } else { 0 };
        if !(NEAR_AT.contains(&self.covered) || self.covered > 0 && self.covered.is_multiple_of(NEAR_EVERY)) {
            self.was_away &= self.covered > 0;
            return None;
        }
        let away = |found: &Located| (0..4).any(|i| distance(found.corners[i], self.corners[i]) > self.px(BUMPED_PX));
        let located = self.near(frame).filter(away);
        std::mem::replace(&mut self.was_away, located.is_some()).then_some(located).flatten()
    }

    /// Looks for the whole field anew, now and then; where it is, if that is clearly elsewhere.
    fn verify(&mut self, frame: &Frame, seen: &Observation) -> Option<Located> {
        let clears = seen.state == ScreenState::LineClear;
        self.shown = self.shown.saturating_add(u32::from(!clears));
        self.clearing = if clears { self.clearing.saturating_add(1) } else { 0 };
        let is_at = |times: &[u32], now: u32| times.iter().any(|at| (*at..at + VERIFY_PICTURES).contains(&now));
        let is_due = if clears { is_at(&VERIFY_CLEAR_AT, self.clearing) } else { is_at(&VERIFY_AT, self.shown) };
        if !is_due || !is_play(seen) {
            self.elsewhere = 0;
            return None;
        }
        let located = if clears {
            self.near(frame).filter(|found| !self.is_here(found))
        } else {
            find_elsewhere(&frame.image, &self.layout, &self.view(self.corners)?).filter(|found| found.shows_play)
        };
        self.elsewhere = if located.is_some() { self.elsewhere + 1 } else { 0 };
        located.filter(|_| self.elsewhere >= VERIFY_PICTURES)
    }

    /// Looks for the field anew where a game seems to be played, but no piece ever comes as announced: such a place may be
    /// the field upside-down, or a row beside it.
    fn doubt(&mut self, frame: &Frame, seen: &Observation) -> Option<Located> {
        if self.proof.is_proven() || !is_play(seen) {
            return None;
        }
        self.unproven = self.unproven.saturating_add(1);
        if self.unproven < DOUBT_AFTER || !self.unproven.is_multiple_of(DOUBT_EVERY) {
            return None;
        }
        let mut locator = self.doubt.take().unwrap_or_else(|| Locator::known(&self.layout));
        locator.look(&frame.image);
        if self.unproven < DOUBT_AFTER + DOUBT_EVERY * DOUBT_PICTURES {
            self.doubt = Some(locator);
            return None;
        }
        self.unproven = 0;
        locator.verdict().ok().filter(|found| found.shows_play && found.is_upright())
    }

    /// How far the field is from where it was, if the edges say that it is no longer there.
    fn shift(&mut self) -> Option<Movement> {
        let movement = self.reader.standing().movement?;
        let shift_px = movement.most_px();
        self.shifts_px.push_back(shift_px);
        if self.shifts_px.len() > DRIFT_PICTURES {
            self.shifts_px.pop_front();
        }
        let mut sorted: Vec<f64> = self.shifts_px.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let is_full = sorted.len() == DRIFT_PICTURES;
        let has_shifted = shift_px > self.px(BUMP_PX) || is_full && sorted[DRIFT_PICTURES / 2] > self.px(DRIFT_PX);
        has_shifted.then_some(movement)
    }

    /// The field after a small movement, if it is where the edges say that it went.
    fn follow(&self, movement: Movement, frame: &Frame) -> Option<Located> {
        let corners = movement.applied(self.corners);
        let located = refine_view(&frame.image, &self.layout, &self.view(corners)?)?;
        let is_there = (0..4).all(|i| distance(located.corners[i], corners[i]) < self.px(FOLLOW_PX));
        is_there.then_some(located)
    }

    fn view(&self, corners: [[f64; 2]; 4]) -> Option<View> {
        let [columns, rows] = [self.layout.field.columns as f64, self.layout.field.rows as f64];
        View::through([0.0, 0.0, columns, rows], corners, self.k1, self.picture.map(|side| side as usize))
    }

    /// The field in a picture that does not show it where it was.
    fn search(&mut self, frame: &Frame) -> Option<Located> {
        let is_near_due = NEAR_AT.contains(&self.missing) || self.missing.is_multiple_of(NEAR_EVERY);
        if let Some(located) = is_near_due.then(|| self.near(frame)).flatten() {
            return Some(located);
        }
        if self.missing < FAR_AFTER || !self.missing.is_multiple_of(FAR_EVERY) {
            return None;
        }
        let (mut locator, looks) = match self.far.take() {
            Some((locator, looks)) if looks < FAR_PICTURES => (locator, looks),
            _ => (Locator::known(&self.layout), 0),
        };
        locator.look(&frame.image);
        // Two pictures must agree: menus and title screens have frames, too.
        let found = if looks > 0 { locator.verdict().ok().filter(|found| found.shows_play) } else { None };
        self.far = found.is_none().then_some((locator, looks + 1));
        found
    }

    fn near(&self, frame: &Frame) -> Option<Located> {
        if frame.image.dimensions() != (self.picture[0], self.picture[1]) {
            return None;
        }
        realign(&frame.image, &self.layout, &self.view(self.corners)?)
    }

    /// Reads the picture at the place found, and stays there if it shows the game; `None` if it does not, or the place
    /// is the known one.
    fn take(&mut self, located: &Located, frame: &Frame, known: Known) -> Option<Observation> {
        let picture = [frame.image.width(), frame.image.height()];
        if picture == self.picture && self.is_here(located) {
            return None;
        }
        let Located { corners, k1, .. } = *located;
        let mut reader = if picture == self.picture && known == Known::Brightness {
            self.reader.moved(&self.layout, corners, k1).ok()?
        } else {
            Reader::through(&self.layout, corners, k1, picture).ok()?
        };
        let seen = reader.read(frame);
        if !seen.state.shows_field() {
            return None;
        }
        self.shifts_px.clear();
        (self.missing, self.is_lost, self.far) = (0, false, None);
        (self.shown, self.clearing, self.elsewhere) = (0, 0, 0);
        (self.covered, self.was_away) = (0, false);
        (self.proof, self.unproven, self.doubt) = (Proof::default(), 0, None);
        (self.reader, self.corners, self.k1, self.picture) = (reader, corners, k1, picture);
        Some(seen)
    }

    /// Whether a place is the known one, as far as it is known itself: in a flash the edges are found less exactly.
    fn is_here(&self, located: &Located) -> bool {
        let away = |i: usize| distance(located.corners[i], self.corners[i]);
        (0..4).map(away).fold(0.0, f64::max) < self.px(SAME_PX).max(located.error_px)
    }

    /// Pixels of a picture 640 wide, in this one's.
    fn px(&self, px: f64) -> f64 {
        px * f64::from(self.picture[0].max(self.picture[1])) / 640.0
    }
}

/// Whether a picture shows a game under way.
fn is_play(seen: &Observation) -> bool {
    matches!(seen.state, ScreenState::Playing | ScreenState::LineClear)
}
