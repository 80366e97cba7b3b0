//! A reader that notices when the camera or the screen has moved, and finds the field again.
//!
//! Three signs: the edges around the field have all shifted a little (drift, a light bump); they are gone from their
//! places (a bump: the field is searched near its old place); they stay gone (the field is searched anywhere).

use super::witness::Movement;
use crate::game::Board;
use crate::message::{Frame, Observation, ScreenState};
use crate::profile::layout::Layout;
use crate::time::HostTime;
use crate::vision::VisionError;
use crate::vision::locate::{Located, Locator, evidence_of_edges, find_elsewhere, realign, refine_view};
use crate::vision::read::proof::Proof;
use crate::vision::read::reader::Reader;
use crate::vision::spell::Spell;
use crate::vision::view::View;
use crate::vision::view::geometry::distance;
use image::RgbImage;
use std::collections::VecDeque;
use std::sync::Arc;

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
/// After a shift that turned out to be none, so much time passes before the next is looked into, ms.
const CALM_MS: f64 = 1000.0;
/// The field is searched near its old place when it has been missing for so long, then every so often, ms.
const NEAR_AT_MS: [f64; 6] = [0.0, 20.0, 50.0, 85.0, 150.0, 220.0];
const NEAR_EVERY_MS: f64 = 265.0;
/// What covers cells may be the field's own frame, after a bump: then the field is found twice in a row so far away or
/// further, px at 640 px of width.
const BUMPED_PX: f64 = 2.5;
/// After so long without it the field is searched anywhere, every so often, ms.
const FAR_AFTER_MS: f64 = 365.0;
const FAR_EVERY_MS: f64 = 330.0;
/// A far search that has not found anything in this many pictures starts anew: what it saw first may be long gone.
const FAR_PICTURES: u32 = 6;
/// After so long without it the field is lost, ms.
const LOST_AFTER_MS: f64 = 960.0;
/// So much of the time counts in which another screen stands still: that is a menu more often than a camera that looks elsewhere.
const MENU_COUNTS: f64 = 0.16;

/// The place is looked at once more when it has shown the field for so long, ms: what was found first was perhaps found under
/// a menu or in a pause.
const VERIFY_AT_MS: [f64; 4] = [300.0, 960.0, 2960.0, 19_960.0];
/// So it is in a line clear that lasts for so long, ms: a bright frame may look like a full row. The field is then near by.
const VERIFY_CLEAR_AT_MS: [f64; 2] = [430.0, 1290.0];
/// No game clears for so long, ms: from then on the field is looked for anywhere, every so often.
const ENDLESS_CLEAR_MS: f64 = 2000.0;
/// A better place must be found in a second picture, so much later, ms, for noise to be another and the game still the same.
const VERIFY_AGAIN_MS: f64 = 20.0;
/// Where no announced piece has come in so long a game, ms, the place is in doubt: the slowest piece falls for 16 s.
const DOUBT_AFTER_MS: f64 = 35_000.0;
/// From then on the whole field is looked for every so often, ms, and believed after this many looks.
const DOUBT_EVERY_MS: f64 = 330.0;
const DOUBT_LOOKS: u32 = 3;
/// No more time is taken to have passed between two pictures, ms: nothing is known of a longer one.
const LONGEST_STEP_MS: f64 = 1000.0;

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
    /// When the last picture was taken, and how long before this one, ms.
    last: Option<HostTime>,
    step_ms: f64,
    /// The last picture that showed the field at its place, and what its edges said, once that was asked.
    last_shown: Option<Arc<RgbImage>>,
    edges_said: Option<f64>,
    /// The pictures do not show the game.
    missing: Spell,
    /// For so long, ms, but what may be a menu counts less.
    gone_ms: f64,
    is_lost: bool,
    shifts_px: VecDeque<f64>,
    /// So long it is still left alone, ms.
    calm_ms: f64,
    far: Option<Far>,
    /// They show the field at its present place; line clears in between are left out.
    shown: Spell,
    /// They show a line clear.
    clearing: Spell,
    /// They show covered cells; and whether the last search near by found the field away from its place.
    covered: Spell,
    was_away: bool,
    /// The place was looked at once more, and the field seemed to be elsewhere.
    elsewhere: Spell,
    /// Whether a game was seen to be played at this place, and for how long one that was not.
    proof: Proof,
    unproven: Spell,
    doubt: Option<(Locator, u32)>,
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
            last: None,
            step_ms: 0.0,
            last_shown: None,
            edges_said: None,
            missing: Spell::default(),
            gone_ms: 0.0,
            is_lost: false,
            shifts_px: VecDeque::new(),
            calm_ms: 0.0,
            far: None,
            shown: Spell::default(),
            clearing: Spell::default(),
            covered: Spell::default(),
            was_away: false,
            elsewhere: Spell::default(),
            proof: Proof::default(),
            unproven: Spell::default(),
            doubt: None,
        })
    }

    /// Where the field's corners are now, px.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        self.corners
    }

    /// Reads a picture; if the field was found somewhere else in it, it is read there.
    pub fn look(&mut self, frame: &Frame) -> (Observation, Option<Change>) {
        let step_ms = self.last.map_or(0.0, |last| frame.time.ms_since(last));
        (self.last, self.step_ms) = (Some(frame.time), step_ms.clamp(0.0, LONGEST_STEP_MS));
        let seen = self.reader.read(frame);
        if seen.state.shows_field() {
            return self.look_for_drift(frame, seen);
        }
        self.shifts_px.clear();
        self.missing.goes_on(self.step_ms);
        // With all edges in their places it is the game that shows something else.
        if !self.reader.standing().holds()
            && let Some(located) = self.search(frame, seen.state)
            && let Some(seen) = self.take(&located, frame, Known::Brightness)
        {
            return (seen, Some(Change::Moved(located)));
        }
        let counts = if seen.state == ScreenState::Menu { MENU_COUNTS } else { 1.0 };
        self.gone_ms += counts * self.step_ms;
        let is_new = self.gone_ms >= LOST_AFTER_MS && !self.is_lost;
        self.is_lost |= is_new;
        (seen, is_new.then_some(Change::Lost))
    }

    fn look_for_drift(&mut self, frame: &Frame, seen: Observation) -> (Observation, Option<Change>) {
        let back = self.is_lost.then_some(Change::Back);
        if self.edges_said.is_none() && self.reader.covered_cells() == 0 {
            self.last_shown = Some(frame.image.clone());
        }
        (self.missing, self.gone_ms, self.is_lost, self.far) = (Spell::default(), 0.0, false, None);
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
        self.calm_ms = (self.calm_ms - self.step_ms).max(0.0);
        if let Some(movement) = self.shift().filter(|_| self.calm_ms == 0.0) {
            self.calm_ms = CALM_MS;
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
        self.covered.goes_on_if(self.reader.covered_cells() > 0, self.step_ms);
        if !is_near_due(&self.covered) {
            self.was_away &= self.covered.is_on();
            return None;
        }
        let near = self.near(frame);
        let away = |found: &Located| (0..4).any(|i| distance(found.corners[i], self.corners[i]) > self.px(BUMPED_PX));
        let located = near.filter(away);
        std::mem::replace(&mut self.was_away, located.is_some()).then_some(located).flatten()
    }

    /// Looks for the whole field anew, now and then; where it is, if that is clearly elsewhere.
    fn verify(&mut self, frame: &Frame, seen: &Observation) -> Option<Located> {
        let clears = seen.state == ScreenState::LineClear;
        self.clearing.goes_on_if(clears, self.step_ms);
        if !clears {
            self.shown.goes_on(self.step_ms);
        }
        let is_endless = clears && self.clearing.ms() >= ENDLESS_CLEAR_MS;
        let is_first = if is_endless {
            self.clearing.reaches_every(ENDLESS_CLEAR_MS)
        } else if clears {
            self.clearing.reaches(&VERIFY_CLEAR_AT_MS)
        } else {
            self.shown.reaches(&VERIFY_AT_MS)
        };
        let is_again = self.elsewhere.is_on();
        if !(is_first || is_again) || !is_play(seen) {
            self.elsewhere = Spell::default();
            return None;
        }
        if is_again {
            self.elsewhere.goes_on(self.step_ms);
            if self.elsewhere.ms() < VERIFY_AGAIN_MS {
                return None;
            }
        }
        let located = if clears && !is_endless {
            self.near(frame).filter(|found| !self.is_here(found))
        } else {
            find_elsewhere(&frame.image, &self.layout, &self.view(self.corners)?).filter(|found| found.shows_play)
        };
        self.elsewhere.goes_on_if(located.is_some() && !is_again, self.step_ms);
        located.filter(|_| is_again)
    }

    /// Looks for the field anew where a game seems to be played, but no piece ever comes as announced: such a place may be
    /// the field upside-down, or a row beside it.
    fn doubt(&mut self, frame: &Frame, seen: &Observation) -> Option<Located> {
        if self.proof.is_proven() || !is_play(seen) {
            return None;
        }
        self.unproven.goes_on(self.step_ms);
        if self.unproven.ms() < DOUBT_AFTER_MS || !self.unproven.reaches_every(DOUBT_EVERY_MS) {
            return None;
        }
        let (mut locator, looks) = self.doubt.take().unwrap_or_else(|| (Locator::known(&self.layout), 0));
        locator.look(&frame.image);
        if looks + 1 < DOUBT_LOOKS {
            self.doubt = Some((locator, looks + 1));
            return None;
        }
        self.unproven = Spell::default();
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

    /// The field in a picture that does not show it where it was, but a screen of this kind.
    fn search(&mut self, frame: &Frame, state: ScreenState) -> Option<Located> {
        if let Some(located) = is_near_due(&self.missing).then(|| self.near(frame)).flatten() {
            return Some(located);
        }
        if self.missing.ms() < FAR_AFTER_MS || !self.missing.reaches_every(FAR_EVERY_MS) {
            return None;
        }
        let mut far = self.far.take().filter(|far| far.looks < FAR_PICTURES).unwrap_or_else(|| Far::new(&self.layout));
        let found = far.look(frame, &self.layout, state == ScreenState::Menu);
        self.far = found.is_none().then_some(far);
        found
    }

    fn near(&mut self, frame: &Frame) -> Option<Located> {
        if frame.image.dimensions() != (self.picture[0], self.picture[1]) {
            return None;
        }
        let view = self.view(self.corners)?;
        if self.edges_said.is_none() {
            let shown = self.last_shown.take();
            self.edges_said = shown.and_then(|shown| evidence_of_edges(&shown, &self.layout, &view));
        }
        realign(&frame.image, &self.layout, &view, self.edges_said)
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
        (self.last_shown, self.edges_said) = (None, None);
        (self.missing, self.gone_ms, self.is_lost, self.far) = (Spell::default(), 0.0, false, None);
        (self.shown, self.clearing, self.elsewhere) = (Spell::default(), Spell::default(), Spell::default());
        (self.covered, self.was_away) = (Spell::default(), false);
        (self.proof, self.unproven, self.doubt) = (Proof::default(), Spell::default(), None);
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

/// A search for the field anywhere in the picture.
#[derive(Debug, Clone)]
struct Far {
    locator: Locator,
    looks: u32,
    /// What was read in the last picture where the field seemed to be.
    shown: Option<Board>,
}

impl Far {
    fn new(layout: &Layout) -> Self {
        Self { locator: Locator::known(layout), looks: 0, shown: None }
    }

    /// The field, if two pictures agree: menus and title screens have frames, too. What stands still agrees with itself, so
    /// there something must also have moved in it.
    fn look(&mut self, frame: &Frame, layout: &Layout, is_still: bool) -> Option<Located> {
        self.locator.look(&frame.image);
        self.looks += 1;
        let found = self.locator.verdict().ok().filter(|found| self.looks > 1 && found.shows_play)?;
        if !is_still {
            return Some(found);
        }
        let picture = [frame.image.width(), frame.image.height()];
        let now = Reader::through(layout, found.corners, found.k1, picture).ok()?.read(frame).grid.full();
        let before = self.shown.replace(now)?;
        has_moved(&before, &now).then_some(found)
    }
}

/// Whether as many cells have become full as have become empty: a piece falls. (What blinks only comes, or only goes.)
fn has_moved(before: &Board, now: &Board) -> bool {
    let come =
        |from: &Board, to: &Board| -> u32 { (0..to.height()).map(|y| (to.row(y) & !from.row(y)).count_ones()).sum() };
    come(before, now) > 0 && come(before, now) == come(now, before)
}

/// Whether the field is searched near by after so long.
fn is_near_due(spell: &Spell) -> bool {
    spell.reaches(&NEAR_AT_MS) || spell.reaches_every(NEAR_EVERY_MS)
}

/// Whether a picture shows a game under way.
fn is_play(seen: &Observation) -> bool {
    matches!(seen.state, ScreenState::Playing | ScreenState::LineClear)
}
