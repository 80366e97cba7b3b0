//! Where the field is: from a profile, from corners given by hand, or found in the picture.

use crate::app::args::Misuse;
use crate::app::out;
use crate::app::progress::Progress;
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::edge::relay::{StopCause, StopFlag};
use crate::edge::session::SessionSource;
use crate::edge::simulated::table::{SimulatedTable, TableOptions};
use crate::message::Frame;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::time::{Clock, HostTime, SystemClock};
use crate::vision::read::{Proof, Reader};
use crate::vision::view::geometry::{distance, middle};
use crate::vision::{LocateError, Located, Locator, in_a_mirror};
use anyhow::{Context, bail};
use image::RgbImage;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The search gives up after so long, ms of the pictures' own time: by then any game has begun. A slow computer, which looks at
/// fewer pictures, goes on until it has looked at so many. A recording may begin long before its game.
const SEARCH_MS: f64 = 20_000.0;
const SEARCH_RECORDING_MS: f64 = 180_000.0;
const LOOKS_LEAST: usize = 40;
/// So many pictures are the end where all of them have the same time: three minutes have no more, at 120 a second.
const PICTURES_MAX: usize = 25_000;
/// While it lasts it is told after so long, ms, and after twice as long each time.
const SAY_AFTER_MS: f64 = 5000.0;
/// The first pictures are looked at every so often, for so long; those after these seldom, and of a recording, where
/// a live search would have ended, hardly ever, ms.
const LOOK_EVERY_MS: f64 = 60.0;
const EARLY_MS: f64 = 650.0;
const LATER_EVERY_MS: f64 = 330.0;
const LATE_EVERY_MS: f64 = 2000.0;
/// The search ends when this many pictures in a row agree.
const AGREED_ENOUGH: usize = 3;
/// After this many pictures that were no proof the search starts anew.
const LOOKS_MAX: usize = 8;
/// Of this many such rounds, from the second on, one looks closely: that takes ten times as long.
const CLOSE_EVERY: usize = 4;
/// After so many such rounds in a row that show the game in a mirror the search ends.
const MIRRORED_ROUNDS: usize = 2;
/// Places nearer to each other than this are the same, px.
const SAME_PX: f64 = 2.0;
/// Two games whose fields' middles are further apart than this, in widths of a field, are not one that looks like both.
const BESIDE_WIDTHS: f64 = 0.7;

/// Options that say where the field is.
#[derive(clap::Args)]
pub struct Place {
    /// The calibration file.
    #[arg(help_heading = "Field", long, value_name = "FILE", conflicts_with_all = ["auto", "corners"])]
    pub profile: Option<PathBuf>,
    /// Find the field in the picture.
    #[arg(help_heading = "Field", long, conflicts_with = "corners")]
    pub auto: bool,
    /// The playfield's outer corners in the picture, px: top-left, top-right, bottom-right, bottom-left of the game.
    #[arg(help_heading = "Field", long, num_args = 4, value_names = ["X,Y", "X,Y", "X,Y", "X,Y"], allow_hyphen_values = true)]
    pub corners: Option<Vec<Corner>>,
}

impl Place {
    /// Whether nothing is said.
    pub fn is_none(&self) -> bool {
        self.profile.is_none() && !self.auto && self.corners.is_none()
    }
}

/// A point in the picture, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner(pub [f64; 2]);

impl FromStr for Corner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no corner; write X,Y in px, such as 348,96");
        let (x, y) = text.split_once(',').ok_or_else(wrong)?;
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        number(x).zip(number(y)).map(|(x, y)| Self([x, y])).ok_or_else(wrong)
    }
}

/// A layout and where it stands.
#[derive(Debug, Clone)]
pub struct Found {
    /// The game.
    pub layout: Layout,
    /// Where its field is.
    pub calibration: Calibration,
    /// Whether it was found in the picture rather than given.
    pub by_search: bool,
}

/// Where the field is in a recording.
///
/// # Errors
/// When the options contradict the recording, or the field is not found.
pub fn in_recording(recording: &str, layout: Option<&str>, place: &Place) -> anyhow::Result<Found> {
    if let Some(path) = &place.profile {
        let calibration = Calibration::load(path)?;
        let first = first_frame(recording)?;
        calibration.check_picture(first.image.width(), first.image.height())?;
        return given(calibration, layout);
    }
    if let Some(corners) = place.corners.as_deref() {
        let first = first_frame(recording)?;
        return by_hand(corners, layout, &first);
    }
    if let (false, Some(calibration)) = (place.auto, recorded_calibration(recording)?) {
        return given(calibration, layout);
    }
    let opening = Progress::new("Opening the recording; Ctrl-C ends");
    let mut source = open(recording)?;
    drop(opening);
    search(layout, source.as_mut()).with_context(|| format!("in {recording}"))
}

/// A field given by corners.
///
/// # Errors
/// When the layout is missing or unknown.
pub fn by_hand(corners: &[Corner], layout: Option<&str>, first: &Frame) -> anyhow::Result<Found> {
    let layout =
        Layout::load(layout.context(
            "--corners needs the game: add --layout nes, vitetris, gameboy, ltris, tint, bastet, standard, guideline, tetris-terminal or tetris-tui",
        )?)?;
    let &[a, b, c, d] = corners else { bail!("--corners takes four points, X,Y each") };
    let size = [first.image.width(), first.image.height()];
    check_corners([a.0, b.0, c.0, d.0], size)?;
    let calibration = Calibration::new(&layout.name, size, [a.0, b.0, c.0, d.0], 0.0);
    Ok(Found { layout, calibration, by_search: false })
}

/// The smallest field that is taken for one, px².
const FIELD_PX2_MIN: f64 = 200.0;

/// Refuses corners between which no field can be seen: in the wrong order, far outside of the picture, or hardly apart.
fn check_corners(corners: [[f64; 2]; 4], [width, height]: [u32; 2]) -> Result<(), Misuse> {
    let order = "top-left, top-right, bottom-right, bottom-left of the game";
    let [w, h] = [f64::from(width), f64::from(height)];
    let is_near = |[x, y]: [f64; 2]| (-w..=2.0 * w).contains(&x) && (-h..=2.0 * h).contains(&y);
    if let Some([x, y]) = corners.into_iter().find(|&corner| !is_near(corner)) {
        return Err(Misuse(format!(
            "the corner {x},{y} is far outside of the picture, which has {width} × {height} px"
        )));
    }
    let turn = |i: usize| {
        let [a, b, c] = [0, 1, 2].map(|n| corners[(i + n) % 4]);
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    let turns = [0, 1, 2, 3].map(turn);
    if turns.iter().all(|&turn| turn < 0.0) {
        return Err(Misuse(format!(
            "the corners go the wrong way round, as in a mirror; give them as {order}, and put `mirrored:` before the source if it shows a mirror"
        )));
    }
    if turns.iter().any(|&turn| turn <= 0.0) {
        return Err(Misuse(format!(
            "the corners are no field: they lie on a line, or their order crosses itself; give them as {order}"
        )));
    }
    // Half of the sum of opposite triangles.
    let area = (turns[0] + turns[2]) / 2.0;
    if area < FIELD_PX2_MIN {
        return Err(Misuse(format!(
            "there are {area:.0} px² between the corners, too little for a field; give them as {order}"
        )));
    }
    Ok(())
}

/// A person or the system ended the program while the field was looked for.
#[derive(Debug, thiserror::Error)]
#[error("ended before the field was found")]
pub struct Stopped(pub StopCause);

/// Where no layout was named: what there was against each of those that were tried, the nearest first.
#[derive(Debug, thiserror::Error)]
#[error("none of the {} known games is in the picture ({}); film the whole screen, sharp and with a game on it, name the \
         game with --layout, or give --corners; docs/layouts.md says how another game's screen is described",
    .0.len(), .0.iter().map(in_short).collect::<Vec<_>>().join("; "))]
struct NoneFound(Vec<LocateError>);

/// A refusal without its remedy.
fn in_short(refusal: &LocateError) -> String {
    match refusal {
        LocateError::NoHints { layout } => format!("{layout}: its layout has no [locate] frames"),
        LocateError::NotFound { layout, share } => format!("{layout}: at best {:.0} % of its frame", 100.0 * share),
        LocateError::Several { layout } => format!("{layout}: two of them"),
        LocateError::Mirrored { layout } => format!("{layout}: seen in a mirror"),
        LocateError::NotPlayed { layout } => format!("{layout}: something like it, but no game being played there"),
    }
}

/// Searches a source's pictures for the layout, or for any known one. Reads a few seconds of it; more if it begins where no
/// game is to be seen. Who waits is told how far it is.
///
/// # Errors
/// When the source breaks, or shows none of them.
pub fn search(layout: Option<&str>, source: &mut dyn FrameSource) -> anyhow::Result<Found> {
    search_until(layout, source, &StopFlag::default())
}

/// The same, until the program is to end.
///
/// # Errors
/// As [`search`]; [`Stopped`] when the program is to end.
pub fn search_until(layout: Option<&str>, source: &mut dyn FrameSource, stop: &StopFlag) -> anyhow::Result<Found> {
    search_among(named(layout)?, source, stop)
}

/// The same for a layout that is no file.
///
/// # Errors
/// As [`search_until`].
pub fn search_for(layout: Layout, source: &mut dyn FrameSource, stop: &StopFlag) -> anyhow::Result<Found> {
    search_among(vec![layout], source, stop)
}

/// The layout of this name, or all that are known.
fn named(layout: Option<&str>) -> anyhow::Result<Vec<Layout>> {
    Ok(match layout {
        Some(name) => vec![Layout::load(name)?],
        None => Layout::built_in(),
    })
}

fn search_among(layouts: Vec<Layout>, source: &mut dyn FrameSource, stop: &StopFlag) -> anyhow::Result<Found> {
    let mut progress = Progress::at_most("Looking for the field in the picture; Ctrl-C ends");
    let clock = SystemClock::new();
    let (begun, mut tell_ms) = (clock.now(), SAY_AFTER_MS);
    let most_s = search_ms(source) / 1000.0;
    let is_open = layouts.len() > 1;
    let hint = if is_open { "; with --layout GAME it is quicker" } else { "" };
    let (found, other) = search_told(layouts, source, &mut |searched| {
        let seen_s = searched.ms / 1000.0;
        progress.show(Some((seen_s / most_s).min(1.0)), || {
            format!("Looking for the field in {most_s:.0} s of pictures; Ctrl-C ends")
        });
        if !progress.is_shown() && clock.now().ms_since(begun) >= tell_ms {
            tell_ms *= 2.0;
            out::note(format_args!(
                "Looking for the field: {} pictures of {seen_s:.0} s, none shows it for sure yet; after {most_s:.0} s of them, {LOOKS_LEAST} at least, the search ends{hint}.",
                searched.pictures
            ));
        }
        stop.cause().map_or(Ok(()), |cause| Err(Stopped(cause)))
    })?;
    if let Some(other) = other {
        let taken = &found.layout.name;
        tracing::warn!(
            "two games are in the picture, {taken:?} and {other:?}; {taken:?} is taken. Say which is meant with --layout"
        );
    } else if is_open {
        out::note(format_args!(
            "The game was taken for {:?}; if it is another, say which with --layout.",
            found.layout.name
        ));
    }
    Ok(found)
}

/// The search gives up after so long in this source, ms.
fn search_ms(source: &dyn FrameSource) -> f64 {
    if source.is_live() { SEARCH_MS } else { SEARCH_RECORDING_MS }
}

/// The same, without a word.
///
/// # Errors
/// As [`search`].
pub fn search_silently(layout: Option<&str>, source: &mut dyn FrameSource) -> anyhow::Result<Found> {
    search_told(named(layout)?, source, &mut |_| Ok(())).map(|(found, _)| found)
}

/// How long a search has taken.
#[derive(Debug, Clone, Copy, Default)]
struct Searched {
    /// Pictures that were read.
    pictures: usize,
    /// Of these, those that were due to be looked at: also those that then showed nothing new.
    due: usize,
    /// From the first picture to the last, ms.
    ms: f64,
}

impl Searched {
    fn is_enough(self, search_ms: f64) -> bool {
        (self.ms >= search_ms && self.due >= LOOKS_LEAST) || self.pictures >= PICTURES_MAX
    }
}

/// The same, with the layout of another game beside the one found; `tell` hears how long it has taken, and may end it.
fn search_told(
    layouts: Vec<Layout>,
    source: &mut dyn FrameSource,
    tell: &mut dyn FnMut(Searched) -> Result<(), Stopped>,
) -> anyhow::Result<(Found, Option<String>)> {
    let late_every_ms = if source.is_live() { LATER_EVERY_MS } else { LATE_EVERY_MS };
    let (mut hunt, mut pace) = (Hunt::new(&layouts), Pace { late_every_ms, ..Pace::default() });
    let (mut searched, mut last, mut found) = (Searched::default(), None, None);
    let search_ms = search_ms(source);
    while !searched.is_enough(search_ms) && found.is_none() && hunt.mirrored.len() < MIRRORED_ROUNDS {
        let frame = source.next_frame()?;
        tell(searched)?;
        let Some(frame) = frame else { break };
        last = Some([frame.image.width(), frame.image.height()]);
        let is_due = pace.is_due(&frame);
        searched.pictures += 1;
        (searched.due, searched.ms) = (pace.due, pace.ms_until(frame.time));
        found = hunt.look(&frame, is_due);
    }
    let size = last.context("there is no picture; check the source")?;
    let found = found.map_or_else(|| hunt.at_the_end(), Ok);
    let (i, found) = found.with_context(|| match searched.pictures {
        1 => "the field was not found in the one picture there is".into(),
        pictures if searched.is_enough(search_ms) => {
            format!("the field was not found in the first {pictures} pictures, {:.0} s of them", searched.ms / 1000.0)
        }
        pictures => format!("the field was not found in {pictures} pictures"),
    })?;
    let other = hunt.beside(i, &found).map(|other| layouts[other].name.clone());
    let layout = layouts.into_iter().nth(i).context("a locator without a layout")?;
    let layout = if found.is_reversed { layout.reversed() } else { layout };
    let calibration = found.calibration(&layout.name, size);
    Ok((Found { layout, calibration, by_search: true }, other))
}

/// Which pictures are looked at: cameras give eight a second, or a hundred and twenty.
#[derive(Default)]
struct Pace {
    /// When the first picture was taken, and the last that was looked at.
    first_and_last: Option<[HostTime; 2]>,
    /// What that showed.
    last_seen: Option<Arc<image::RgbImage>>,
    /// Pictures whose time had come.
    due: usize,
    /// Where a live search would have ended, they are looked at every so often, ms.
    late_every_ms: f64,
}

impl Pace {
    /// How long after the first picture this time is, ms.
    fn ms_until(&self, time: HostTime) -> f64 {
        self.first_and_last.map_or(0.0, |[first, _]| time.ms_since(first).abs())
    }

    /// Whether this picture is to be looked at; then it was. One that is the same to the last pixel, as a screen's is until
    /// something moves on it, says nothing new.
    fn is_due(&mut self, frame: &Frame) -> bool {
        let time = frame.time;
        let is_due = self.first_and_last.is_none_or(|[first, last]| {
            let every_ms = match last.ms_since(first) {
                early if early < EARLY_MS => LOOK_EVERY_MS,
                late if late >= SEARCH_MS => self.late_every_ms,
                _ => LATER_EVERY_MS,
            };
            // A clock may jump back.
            time.ms_since(last).abs() >= every_ms
        });
        self.due += usize::from(is_due);
        let is_due = is_due && self.last_seen.as_ref() != Some(&frame.image);
        if is_due {
            self.last_seen = Some(frame.image.clone());
            let first = self.first_and_last.map_or(time, |[first, _]| first);
            self.first_and_last = Some([first, time]);
        }
        is_due
    }
}

/// The search for a field that is being played on.
///
/// What is found in a pause, in a menu or under a curtain may be another rectangle, or the field upside-down. So a place
/// is believed when picture after picture shows a next piece beside it, or when pieces come there as announced.
struct Hunt<'a> {
    layouts: &'a [Layout],
    locators: Vec<Locator>,
    /// Pictures that these have looked at.
    looks: usize,
    /// For each layout, pictures in which two of its games were seen.
    several: Vec<usize>,
    /// Times that they had looked in vain: in some of these they look closely, for fields too small to be seen at once.
    rounds: usize,
    /// Pictures in a row with an upright field and a next piece.
    agreed: usize,
    /// Pictures, since the last of another place, with a next piece beside the field, and where it was seen.
    played: usize,
    played_at: Option<(usize, Located)>,
    trial: Option<Trial>,
    /// The last picture that was looked at.
    last: Option<Arc<RgbImage>>,
    /// The layout of the game that a mirror would have shown at the end of each of the last rounds.
    mirrored: Vec<usize>,
}

/// A place that has yet to be proven.
struct Trial {
    layout: usize,
    found: Located,
    reader: Reader,
    proof: Proof,
}

impl<'a> Hunt<'a> {
    fn new(layouts: &'a [Layout]) -> Self {
        let locators = layouts.iter().map(Locator::new).collect();
        Self {
            layouts,
            locators,
            several: vec![0; layouts.len()],
            looks: 0,
            rounds: 0,
            agreed: 0,
            played: 0,
            played_at: None,
            trial: None,
            last: None,
            mirrored: Vec::new(),
        }
    }

    /// Looks at a picture; if it is due, also for the field. The layout's number and its place, once that is sure.
    fn look(&mut self, frame: &Frame, is_due: bool) -> Option<(usize, Located)> {
        if let Some(trial) = &mut self.trial {
            trial.proof.look(&trial.reader.read(frame), self.layouts[trial.layout].next.is_some());
            let proven = trial.proof.is_proven().then_some((trial.layout, trial.found));
            if let Some(proven) = proven.filter(|(layout, _)| self.is_alone(*layout)) {
                return Some(proven);
            }
        }
        if !is_due {
            return None;
        }
        if self.looks == LOOKS_MAX {
            // What was seen first, in a pause or a menu, would count for ever.
            let rounds = self.rounds + 1;
            let mut mirrored = std::mem::take(&mut self.mirrored);
            let is_played = |(_, found): (usize, Located)| found.shows_play && found.is_upright();
            let last = self.last.as_ref().filter(|_| !surest(&self.locators).is_some_and(is_played));
            match last.and_then(|image| in_a_mirror(image, self.layouts)) {
                Some(layout) => mirrored.push(layout),
                None => mirrored.clear(),
            }
            let (trial, played, played_at) = (self.trial.take(), self.played, self.played_at);
            let several = std::mem::take(&mut self.several);
            *self = Self { rounds, trial, played, played_at, mirrored, several, ..Self::new(self.layouts) };
        }
        self.looks += 1;
        self.last = Some(frame.image.clone());
        let is_close = self.rounds % CLOSE_EVERY == 1 && self.trial.is_none();
        for locator in &mut self.locators {
            if is_close { locator.look_closely(&frame.image) } else { locator.look(&frame.image) }
        }
        for (several, locator) in self.several.iter_mut().zip(&self.locators) {
            *several += usize::from(matches!(locator.verdict(), Err(LocateError::Several { .. })));
        }
        let surest = surest(&self.locators);
        let is_played = surest.is_some_and(|(_, found)| found.shows_play && found.is_upright());
        self.agreed = if is_played { self.agreed + 1 } else { 0 };
        if let Some((layout, found)) = surest.filter(|(_, found)| found.shows_play) {
            let is_same = self.played_at.is_some_and(|(of, known)| of == layout && away_px(&known, &found) < SAME_PX);
            self.played = if is_same { self.played + 1 } else { 1 };
            self.played_at = Some((layout, found));
        }
        if let Some((layout, found)) = surest {
            self.try_out(layout, found, frame);
        }
        surest.filter(|(layout, _)| self.agreed >= AGREED_ENOUGH && self.is_alone(*layout))
    }

    /// Whether most pictures show no more than one game of this layout: one of two may be overlooked for a while.
    fn is_alone(&self, layout: usize) -> bool {
        2 * self.several[layout] <= self.all_looks()
    }

    /// Pictures that were looked at so far, in all rounds.
    fn all_looks(&self) -> usize {
        self.rounds * LOOKS_MAX + self.looks
    }

    /// The layout of another game beside this one.
    fn beside(&self, layout: usize, found: &Located) -> Option<usize> {
        let away_px = |other: &Located| distance(middle(&found.corners), middle(&other.corners));
        let is_elsewhere =
            |other: &Located| away_px(other) > BESIDE_WIDTHS * distance(found.corners[0], found.corners[1]);
        let is_played = |other: Located| other.shows_play && other.is_upright() && is_elsewhere(&other);
        (0..self.locators.len()).find(|i| *i != layout && self.locators[*i].verdict().is_ok_and(is_played))
    }

    /// The answer when there are no more pictures: a photograph shows no play, but a next piece.
    fn at_the_end(&self) -> anyhow::Result<(usize, Located)> {
        let surest = surest(&self.locators);
        // The last pictures may show a pause or the end: what most of them show counts.
        if let Some(layout) = (0..self.layouts.len()).find(|layout| !self.is_alone(*layout)) {
            return Err(LocateError::Several { layout: self.layouts[layout].name.clone() }.into());
        }
        let usual = self.played_at.filter(|_| 2 * self.played > self.all_looks());
        if let Some(layout) = self.mirrored_at_the_end(surest, usual) {
            return Err(LocateError::Mirrored { layout: self.layouts[layout].name.clone() }.into());
        }
        // A place that was seen before the search began anew is no worse than none.
        let known = self.trial.as_ref().map(|trial| (trial.layout, trial.found));
        match surest.or(known) {
            Some((i, found)) if found.shows_play => Ok((i, found)),
            _ => usual.ok_or_else(|| self.refusal()),
        }
    }

    /// The layout of the game that is seen in a mirror, where this is the surest place and that the usual one.
    fn mirrored_at_the_end(&self, surest: Option<(usize, Located)>, usual: Option<(usize, Located)>) -> Option<usize> {
        let before = self.mirrored.last().copied();
        let is_upright = |found: Option<(usize, Located)>| found.is_some_and(|(_, found)| found.is_upright());
        if self.mirrored.len() >= MIRRORED_ROUNDS {
            before
        } else if is_upright(surest.filter(|(_, found)| found.shows_play)) || is_upright(usual) {
            None
        } else {
            self.last.as_ref().and_then(|image| in_a_mirror(image, self.layouts)).or(before)
        }
    }

    /// What there is against each layout, the nearest first; in full if there is only one.
    fn refusal(&self) -> anyhow::Error {
        let not_played = |i: usize| LocateError::NotPlayed { layout: self.layouts[i].name.clone() };
        let mut refusals: Vec<LocateError> = self
            .locators
            .iter()
            .enumerate()
            .map(|(i, locator)| locator.verdict().err().unwrap_or_else(|| not_played(i)))
            .collect();
        if let Some(trial) = &self.trial {
            refusals[trial.layout] = not_played(trial.layout);
        }
        refusals.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)));
        match refusals.pop() {
            Some(only) if refusals.is_empty() => only.into(),
            last => NoneFound(refusals.into_iter().chain(last).collect()).into(),
        }
    }

    /// Keeps an eye on a place, from this picture on.
    fn try_out(&mut self, layout: usize, found: Located, frame: &Frame) {
        let is_same = |trial: &Trial| trial.layout == layout && away_px(&trial.found, &found) < SAME_PX;
        if let Some(trial) = self.trial.as_mut().filter(|trial| is_same(trial)) {
            trial.found = found;
            return;
        }
        let own = if found.is_reversed { self.layouts[layout].reversed() } else { self.layouts[layout].clone() };
        let picture = [frame.image.width(), frame.image.height()];
        let reader = Reader::through(&own, found.corners, found.k1, picture);
        self.trial = reader.ok().map(|reader| Trial { layout, found, reader, proof: Proof::default() });
    }
}

/// How far apart two places are, px.
fn away_px(a: &Located, b: &Located) -> f64 {
    (0..4).map(|i| distance(a.corners[i], b.corners[i])).fold(0.0, f64::max)
}

/// How near a refused layout came: the share of its frame that was seen, or more where a place was found.
fn nearness(refusal: &LocateError) -> f64 {
    match refusal {
        LocateError::NoHints { .. } => -1.0,
        LocateError::NotFound { share, .. } => *share,
        LocateError::NotPlayed { .. } | LocateError::Several { .. } | LocateError::Mirrored { .. } => 2.0,
    }
}

/// The answer with the most evidence, and whose it is; of equals the first.
fn surest(locators: &[Locator]) -> Option<(usize, Located)> {
    let found = locators.iter().enumerate().filter_map(|(i, locator)| Some((i, locator.verdict().ok()?)));
    found.reduce(|best, other| if other.1.log_odds > best.1.log_odds { other } else { best })
}

fn given(calibration: Calibration, layout: Option<&str>) -> anyhow::Result<Found> {
    let name = layout.map_or_else(|| calibration.layout.clone(), String::from);
    let layout = Calibration { layout: name, ..calibration.clone() }.load_layout()?;
    Ok(Found { layout, calibration, by_search: false })
}

/// Opens a source, live, recorded or simulated.
///
/// # Errors
/// When it does not open.
pub fn open_any(source: &str, clock: Arc<dyn Clock>) -> anyhow::Result<Box<dyn FrameSource>> {
    Ok(match SourceSpec::parse(source)? {
        SourceSpec::Simulated => Box::new(SimulatedTable::new(TableOptions::default())?),
        _ => crate::edge::open(source, clock)?,
    })
}

fn open(recording: &str) -> anyhow::Result<Box<dyn FrameSource>> {
    Ok(crate::edge::open(recording, Arc::new(SystemClock::new()))?)
}

fn first_frame(recording: &str) -> anyhow::Result<Frame> {
    open(recording)?.next_frame()?.with_context(|| format!("there is no picture in {recording}; check the file"))
}

/// A session carries the calibration it was recorded with.
fn recorded_calibration(recording: &str) -> anyhow::Result<Option<Calibration>> {
    let SourceSpec::Session(path) = SourceSpec::parse(recording)? else { return Ok(None) };
    let session = SessionSource::open(&path)?;
    session.calibration().map(|text| Calibration::parse(text, &path)).transpose().map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::CameraError;
    use crate::time::CameraFrame;

    #[test]
    fn a_screen_on_which_nothing_moves_is_looked_at_once() {
        let frame = |n: u64, grey: u8| {
            let image = Arc::new(image::RgbImage::from_pixel(4, 4, image::Rgb([grey; 3])));
            Frame { index: CameraFrame(n), time: HostTime::from_ms(n as f64 * 100.0), name: None, file: None, image }
        };
        let mut pace = Pace::default();
        let greys = [1, 1, 1, 2, 2, 1];
        let looked: Vec<bool> = greys.iter().zip(0..).map(|(&grey, n)| pace.is_due(&frame(n, grey))).collect();
        assert_eq!(looked, [true, false, false, true, false, true]);
    }

    /// Pictures without a game, so long after each other; where nothing moves, all alike.
    struct Nothing {
        every_ms: f64,
        moves: bool,
        is_live: bool,
        count: u64,
    }

    impl FrameSource for Nothing {
        fn is_live(&self) -> bool {
            self.is_live
        }

        fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
            let grey = if self.moves { (self.count % 100) as u8 } else { 0 };
            let time = HostTime::from_ms(self.count as f64 * self.every_ms);
            let image = Arc::new(image::RgbImage::from_pixel(4, 4, image::Rgb([grey; 3])));
            self.count += 1;
            Ok(Some(Frame { index: CameraFrame(self.count), time, name: None, file: None, image }))
        }
    }

    #[test]
    fn a_search_ends_by_the_time_of_the_pictures() {
        let read = |every_ms: f64, moves: bool, is_live: bool| {
            let mut source = Nothing { every_ms, moves, is_live, count: 0 };
            let refused = search_told(named(Some("nes")).unwrap(), &mut source, &mut |_| Ok(()));
            assert!(refused.is_err_and(|e| e.to_string().contains(&format!("in the first {} pictures", source.count))));
            source.count
        };
        let read_at = |every_ms: f64, moves: bool| read(every_ms, moves, true);
        assert_eq!(read(1000.0 / 30.0, false, false), 5401, "the game of a recording may begin late");
        for moves in [true, false] {
            assert_eq!(
                [1000.0 / 120.0, 1000.0 / 30.0, 125.0].map(|ms| read_at(ms, moves)),
                [2401, 601, 161],
                "{moves}"
            );
            assert_eq!(read_at(1000.0, moves), 40, "a slow computer");
            assert_eq!(read_at(0.0, moves), PICTURES_MAX as u64, "a clock that stands still");
        }
    }
}
