//! Evidence for the field's place, collected over pictures.

use super::reading::{self, FullLines};
use super::reframe::{self, Reframe};
use super::search::{Place, SETTLED, Scene};
use super::{LocateError, Located};
use crate::profile::layout::Layout;
use crate::vision::locate::cell_px;
use crate::vision::view::View;
use crate::vision::view::geometry::distance;
use image::{RgbImage, imageops};

/// The least evidence for an answer: one in two hundred thousand places looks like this by accident. Screens of other
/// programs, full of windows and lines of text, reach ten.
const LEAST_LOG_ODDS: f64 = 14.0;
/// The answer must be so much likelier than any other place: ten to one.
const LEAST_LEAD: f64 = 2.3;
/// And over a place that reads more like a game so much more, for each unit of that: only edges speak for the answer then,
/// and games draw parallel ones.
const LEAD_IN_DISPUTE: f64 = 2.0;
/// A lead that ends any dispute: a thousand to one.
const CLEAR_LEAD: f64 = 7.0;
/// The least share of the layout's edges that an answer shows.
const LEAST_SHARE: f64 = 0.4;
/// A game whose field's middle is further from another's than this, in cells, is a second one.
const ELSEWHERE_CELLS: f64 = 10.0;
/// A row that is full in so many pictures, all that there are, is none that is about to be cleared.
const STANDING_PICTURES: usize = 5;
/// Of so many pictures one is searched for a field over whose edges light has bled: what was found there is looked at in the
/// others, too.
const BLED_EVERY: usize = 3;
/// Places remembered.
const MOST_TRACKS: usize = 12;
/// Hardly any picture that no camera took is turned: one that is shows it by so much evidence. (Those of half a field, cut
/// off by the picture's border, look like one up to 25.)
const LEAST_TURNED: f64 = 26.0;
/// Hardly any game is shown in cells twice as wide, or half: log odds of one that is.
const STRETCHED: f64 = -3.0;
/// Hardly any screen shows light and dark reversed: log odds of one that does.
const REVERSED: f64 = -5.0;

/// Looks for one layout's field in pictures of one camera that stands still.
///
/// Whether blocks are bright or dark is measured: where the layout's own light finds nothing, the field is looked for with
/// light and dark reversed. Pictures that no camera took are looked at in more ways, too.
#[derive(Debug, Clone)]
pub struct Locator {
    described: Search,
    reversed: Option<Search>,
    reframed: Vec<(Reframe, Search)>,
    /// The last picture was one that no camera took.
    is_straight: bool,
}

impl Locator {
    /// Nothing seen yet.
    pub fn new(layout: &Layout) -> Self {
        let reframed = Reframe::ALL.map(|way| (way, Search::new(layout))).into();
        Self { reversed: Some(Search::new(&layout.reversed())), reframed, ..Self::known(layout) }
    }

    /// The same for a game whose blocks are known to be bright, or dark, as the layout says.
    pub fn known(layout: &Layout) -> Self {
        let described = Search { may_bleed: true, ..Search::new(layout) };
        Self { described, reversed: None, reframed: Vec::new(), is_straight: false }
    }

    /// As [`Self::new`], and quicker: what light that bled over the edges hides is not found.
    fn quick(layout: &Layout) -> Self {
        Self { described: Search::new(layout), ..Self::new(layout) }
    }

    /// As [`Self::look`], and longer: finds fields of less than a third of the picture's height more often.
    pub fn look_closely(&mut self, image: &RgbImage) {
        self.described.look_at(image, true);
    }

    /// Looks at one more picture. One of another size than those before starts anew.
    pub fn look(&mut self, image: &RgbImage) {
        self.described.look(image);
        self.look_reframed(image);
        if let Some(reversed) = self.reversed.as_mut().filter(|_| self.described.verdict().is_err()) {
            reversed.look(image);
        }
    }

    /// Looks at a picture that no camera took in other ways, too, until one of them finds the field beyond doubt.
    fn look_reframed(&mut self, image: &RgbImage) {
        let is_settled = |verdict: Result<Located, LocateError>| verdict.is_ok_and(|found| found.log_odds > SETTLED);
        // Where the game's own edges stand, no other way to look would find it elsewhere: it shows a menu.
        if is_settled(self.described.verdict()) || self.described.would_settle() {
            return;
        }
        self.is_straight = reframe::is_straight(image, &self.described.layout);
        if !self.is_straight {
            return;
        }
        for (way, search) in &mut self.reframed {
            if let Some(shown) = way.show(image) {
                search.look(&shown);
            }
            if is_settled(search.verdict()) {
                return;
            }
        }
    }

    /// The answer so far.
    ///
    /// # Errors
    /// When no place has enough evidence, two are about as likely, or two games are in the picture.
    pub fn verdict(&self) -> Result<Located, LocateError> {
        let described = match (self.described.verdict(), self.reframed_verdict()) {
            // Another way to look may see one of two games alone.
            (Err(several @ LocateError::Several { .. }), _) => return Err(several),
            (Ok(found), Some(reframed)) if reframed.log_odds > found.log_odds => Ok(reframed),
            (Err(_), Some(reframed)) => Ok(reframed),
            (Ok(found), _) if self.is_straight && !found.is_upright() && found.log_odds < LEAST_TURNED => {
                Err(self.described.not_found())
            }
            (described, _) => described,
        };
        let Some(reversed) = self.reversed.as_ref().filter(|_| described.is_err()) else { return described };
        let least = LEAST_LOG_ODDS.max(self.described.most_log_odds() + LEAST_LEAD) - REVERSED;
        reversed.verdict().ok().filter(|found| found.log_odds > least).map_or(described, Ok)
    }

    /// The surest answer of those that were found by another way to look.
    fn reframed_verdict(&self) -> Option<Located> {
        let picture = self.described.size?;
        let found = self.reframed.iter().filter_map(|(way, search)| {
            let found = search.verdict().ok().filter(Located::is_upright)?;
            let log_odds = found.log_odds + if way.is_stretched() { STRETCHED } else { 0.0 };
            (log_odds >= LEAST_LOG_ODDS).then(|| way.back(Located { log_odds, ..found }, picture))
        });
        found.max_by(|a, b| a.log_odds.total_cmp(&b.log_odds))
    }
}

/// The search for a field whose blocks are known to be bright, or dark.
#[derive(Debug, Clone)]
struct Search {
    layout: Layout,
    /// Whether light may have bled over the edges. Only the likeliest way to look is worth the time.
    may_bleed: bool,
    size: Option<(u32, u32)>,
    pictures: usize,
    /// The most evidence that any place had, for each picture.
    best: Vec<f64>,
    tracks: Vec<Track>,
}

/// A place, over pictures.
#[derive(Debug, Clone)]
struct Track {
    /// How it looked in each picture in which it was seen, the first one first.
    places: Vec<Place>,
    /// The sum of the evidence, over all pictures.
    sum: f64,
    /// Whether the picture just looked at is in it.
    is_seen: bool,
}

impl Search {
    fn new(layout: &Layout) -> Self {
        Self { layout: layout.clone(), may_bleed: false, size: None, pictures: 0, best: Vec::new(), tracks: Vec::new() }
    }

    fn look(&mut self, image: &RgbImage) {
        self.look_at(image, false);
    }

    /// Looks at one more picture; `closely`, also for small fields.
    fn look_at(&mut self, image: &RgbImage, closely: bool) {
        if self.size != Some(image.dimensions()) {
            let (size, may_bleed) = (Some(image.dimensions()), self.may_bleed);
            *self = Self { size, may_bleed, ..Self::new(&self.layout) };
        }
        if self.layout.locate.frames.is_empty() {
            return;
        }
        let layout = self.layout.clone();
        let Some(scene) = Scene::new(image, &layout) else { return };
        self.pictures += 1;
        self.tracks.iter_mut().for_each(|t| t.is_seen = false);
        let mut places = scene.places(self.may_bleed && self.pictures % BLED_EVERY == 1);
        if closely {
            places.extend(scene.small_places());
        }
        places.sort_by(|a, b| b.log_odds().total_cmp(&a.log_odds()));
        let best = places.first().map_or(f64::NEG_INFINITY, Place::log_odds);
        for place in places {
            match self.tracks.iter_mut().find(|t| t.is_at(&place, &layout)) {
                Some(track) if track.is_seen => {}
                Some(track) => track.add(place),
                // Unseen in the pictures before: as if it had looked the same, but no better than what was found in them.
                None => {
                    let log_odds = place.log_odds();
                    let sum = log_odds + self.best.iter().map(|best| log_odds.min(*best)).sum::<f64>();
                    self.tracks.push(Track { places: vec![place], sum, is_seen: true });
                }
            }
        }
        self.best.push(best);
        for track in self.tracks.iter_mut().filter(|t| !t.is_seen) {
            let again = track.places.last().and_then(|p| scene.place(p.view));
            match again.filter(|p| track.is_at(p, &layout)) {
                Some(place) => track.add(place),
                None => track.sum -= LEAST_LOG_ODDS,
            }
        }
        self.tracks.sort_by(|a, b| b.sum.total_cmp(&a.sum));
        self.tracks.truncate(MOST_TRACKS);
    }

    fn verdict(&self) -> Result<Located, LocateError> {
        if self.layout.locate.frames.is_empty() {
            return Err(LocateError::NoHints { layout: self.layout.name.clone() });
        }
        let not_found = self.not_found();
        let Some(best) = self.tracks.first() else { return Err(not_found) };
        let share = best.share();
        let log_odds = self.log_odds(best);
        let lead = self.tracks.get(1).map_or(f64::INFINITY, |second| log_odds - self.log_odds(second));
        let is_clear = !self.tracks.iter().skip(1).any(|other| self.is_rival(best, other));
        // A field must be seen, too: under a curtain or a word its edges are not what they usually are.
        let is_seen = best.reads() * 2 > best.places.len() && best.places.iter().any(|p| p.reading.shows_piece());
        let is_agreed = best.places.len() * 2 > self.pictures && is_seen;
        if log_odds < LEAST_LOG_ODDS || share < LEAST_SHARE || !is_agreed || best.is_never_cleared() {
            return Err(not_found);
        }
        if self.has_second(best) {
            return Err(LocateError::Several { layout: self.layout.name.clone() });
        }
        if !is_clear {
            return Err(not_found);
        }
        let located = best.located(log_odds, lead, &self.layout);
        if located.is_sharp(&self.layout) { Ok(located) } else { Err(not_found) }
    }

    /// Whether the edges of a place in the last picture leave so little doubt that none would be left if a game were read.
    fn would_settle(&self) -> bool {
        let mut seen = self.tracks.iter().filter(|track| track.is_seen).filter_map(|track| track.places.last());
        seen.any(|place| place.log_odds_with(reading::MOST) > SETTLED)
    }

    /// Whether the other is so likely that the best one is no answer.
    fn is_rival(&self, best: &Track, other: &Track) -> bool {
        let dispute = (other.reading() - best.reading()).max(0.0);
        self.log_odds(best) - self.log_odds(other) < (LEAST_LEAD + LEAD_IN_DISPUTE * dispute).min(CLEAR_LEAD)
    }

    /// Whether another game is elsewhere in the picture: a place that would be an answer by itself, with a next piece.
    fn has_second(&self, best: &Track) -> bool {
        let is_second = |other: &Track| match (best.places.last(), other.places.last()) {
            (Some(first), Some(second)) => {
                second.reading.shows_next() && first.cells_away(&second.view, &self.layout) > ELSEWHERE_CELLS
            }
            _ => false,
        };
        let is_likely = |other: &&Track| self.log_odds(other) >= LEAST_LOG_ODDS && other.share() >= LEAST_SHARE;
        self.layout.next.is_some() && self.tracks.iter().skip(1).filter(is_likely).any(is_second)
    }

    fn not_found(&self) -> LocateError {
        let share = self.tracks.first().map_or(0.0, Track::share);
        LocateError::NotFound { layout: self.layout.name.clone(), share }
    }

    /// The most evidence that any place has, answer or not.
    fn most_log_odds(&self) -> f64 {
        self.tracks.first().map_or(f64::NEG_INFINITY, |best| self.log_odds(best))
    }

    /// The evidence for a track. Pictures from one camera repeat each other's errors: many are worth the root of their
    /// number.
    fn log_odds(&self, track: &Track) -> f64 {
        track.sum / (self.pictures.max(1) as f64).sqrt()
    }
}

impl Track {
    fn add(&mut self, place: Place) {
        self.sum += place.log_odds();
        self.places.push(place);
        self.is_seen = true;
    }

    fn is_at(&self, place: &Place, layout: &Layout) -> bool {
        self.places.first().is_some_and(|p| p.is_at(&place.corners, layout))
    }

    fn share(&self) -> f64 {
        self.places.iter().map(|p| p.edges.share).sum::<f64>() / self.places.len().max(1) as f64
    }

    /// In how many pictures a game was read there.
    fn reads(&self) -> usize {
        self.places.iter().filter(|p| p.reading.is_game()).count()
    }

    /// Whether a row or a column was full there in all pictures, and these were enough to see it go.
    fn is_never_cleared(&self) -> bool {
        let lines = self.places.iter().filter_map(|place| place.reading.full_lines());
        self.reads() >= STANDING_PICTURES && lines.reduce(FullLines::and).is_some_and(FullLines::is_any)
    }

    /// The mean evidence of what is read there.
    fn reading(&self) -> f64 {
        self.places.iter().map(|p| p.reading.log_odds()).sum::<f64>() / self.places.len().max(1) as f64
    }

    /// The mean of the places; pictures whose edges say less count less.
    fn located(&self, log_odds: f64, lead: f64, layout: &Layout) -> Located {
        let mut corners = [[0.0; 2]; 4];
        let (mut k1, mut weights, mut error) = (0.0, 0.0, 0.0);
        for place in &self.places {
            let weight = 1.0 / (place.edges.error_px * place.edges.error_px);
            corners.iter_mut().flatten().zip(place.corners.iter().flatten()).for_each(|(sum, v)| *sum += weight * v);
            k1 += weight * place.view.k1();
            weights += weight;
            error += weight * place.edges.error_px;
        }
        corners.iter_mut().flatten().for_each(|v| *v /= weights);
        let from_mean = |p: &Place| (0..4).map(|i| distance(p.corners[i], corners[i])).fold(0.0, f64::max);
        let scatter = self.places.iter().map(from_mean).fold(0.0, f64::max) / (self.places.len() as f64).sqrt();
        // The odds that another place is the right one, about a cell away, count too.
        let doubt = cell_px(&corners, layout) * ((-lead).exp() + (-log_odds).exp());
        let error_px = (error / weights).hypot(scatter).hypot(doubt);
        let shows_play = self.places.last().is_some_and(|last| last.reading.shows_next());
        Located { corners, k1: k1 / weights, error_px, log_odds, is_reversed: layout.is_reversed, shows_play }
    }
}

/// This much more evidence than the known place has in this picture makes another place believed.
const LEAST_GAIN: f64 = 6.0;

/// The field's place in one picture, if it is clearly not the known one: what was found when the game began, under a menu
/// or a pause, may have been something else.
pub fn find_elsewhere(image: &RgbImage, layout: &Layout, known: &View) -> Option<Located> {
    let mut locator = Locator::known(layout);
    locator.look(image);
    let located = locator.verdict().ok()?;
    let scene = Scene::new(image, layout)?;
    let stays = scene
        .place(*known)
        .is_some_and(|place| place.is_at(&located.corners, layout) || place.log_odds() + LEAST_GAIN > located.log_odds);
    (!stays).then_some(located)
}

/// A game that is seen in a mirror has so much more evidence there than any place in the picture as it is.
const MIRRORED_LEAD: f64 = 6.0;

/// Which of these layouts' games a picture shows as a mirror does; `None` if it may as well be seen as it is. Both are looked for
/// as quickly: a game that light hides in one of them is hidden in the other, too.
pub fn in_a_mirror(image: &RgbImage, layouts: &[Layout]) -> Option<usize> {
    let surest = |image: &RgbImage| {
        let found = layouts.iter().enumerate().filter_map(|(i, layout)| {
            let mut locator = Locator::quick(layout);
            locator.look(image);
            Some((i, locator.verdict().ok()?))
        });
        found.max_by(|(_, a), (_, b)| a.log_odds.total_cmp(&b.log_odds))
    };
    let is_played = |(_, found): &(usize, Located)| found.shows_play && found.is_upright();
    let (layout, mirrored) = surest(&imageops::flip_horizontal(image)).filter(is_played)?;
    let as_it_is = surest(image);
    let is_likelier = |(_, found): &(usize, Located)| mirrored.log_odds > found.log_odds + MIRRORED_LEAD;
    as_it_is.is_none_or(|found| !is_played(&found) && is_likelier(&found)).then_some(layout)
}

/// Finds the field in some pictures from one camera that stands still.
///
/// # Errors
/// When they show no such game, or the layout does not say what to look for.
pub fn locate_in<'a>(images: impl IntoIterator<Item = &'a RgbImage>, layout: &Layout) -> Result<Located, LocateError> {
    let mut locator = Locator::new(layout);
    images.into_iter().for_each(|image| locator.look(image));
    locator.verdict()
}
