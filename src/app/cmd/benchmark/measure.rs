//! What is seen of one clip.

use super::clip::{Clip, ClipSettings, Shown, TrueBump};
use super::figures::{BumpFigures, ClipFigures};
use crate::app::args::find::{self, Found};
use crate::app::cmd::replay::viewer::{Viewed, Viewer};
use crate::app::score::{Compared, Comparison, Mistake, corner_error_px, is_wrong_place};
use crate::message::ScreenState;
use crate::time::{Clock, SystemClock};

/// The game that the simulated console plays.
const LAYOUT: &str = "nes";

/// Finds the field in the clip's pictures, then reads all of them, as `replay --auto` does.
///
/// # Errors
/// When a field that was found cannot be read.
pub fn measure(settings: ClipSettings) -> anyhow::Result<ClipFigures> {
    let clock = SystemClock::new();
    let mut searched = Clip::new(settings);
    let found = find::search_silently(Some(LAYOUT), &mut searched);
    let search_ms = clock.now().ms();
    let mut figures = ClipFigures {
        hard: settings.hard,
        seed: settings.seed,
        level: searched.level(),
        pictures: 0,
        found: found.is_ok(),
        search_pictures: searched.pictures(),
        wrong_place: false,
        corner_error_px: None,
        corner_claim_px: None,
        moved_in_vain: 0,
        search_ms,
        truth: Default::default(),
        bump: None,
    };
    let mut clip = Clip::new(settings);
    match found {
        Ok(found) => read(&mut clip, &found, &mut figures)?,
        Err(refusal) => {
            tracing::info!(seed = settings.seed, hard = settings.hard, "{refusal:#}");
            figures.truth = unread(&mut clip);
        }
    }
    figures.pictures = clip.pictures();
    Ok(figures)
}

fn read(clip: &mut Clip, found: &Found, figures: &mut ClipFigures) -> anyhow::Result<()> {
    let Found { layout, calibration, .. } = found;
    let mut viewer = Viewer::new(found, 0, false)?;
    let mut comparison = Comparison::default();
    comparison.truth().spawns = Some(Vec::new());
    let mut bump = clip.bump().map(BumpWatch::new);
    while let Some((frame, shown)) = clip.film() {
        let is_first = clip.pictures() == 1;
        tell(&mut comparison, &shown);
        let viewed = viewer.look(&frame)?;
        if is_first {
            comparison.calibrated(0.0, calibration.corners, calibration.error_px, layout);
        }
        if viewed.place().is_some() && bump.as_ref().is_none_or(|bump| shown.picture.t_ms < bump.at_ms) {
            figures.moved_in_vain += 1;
        }
        if let Some(found) = viewed.place() {
            comparison.calibrated(shown.picture.t_ms, found.corners, found.error_px, layout);
        }
        let wrong = comparison.look(&viewed.look.observation);
        comparison.events(&viewed.look.events);
        if let Some(bump) = &mut bump {
            bump.look(&viewed, &shown, wrong);
        }
    }
    comparison.events(&viewer.finish());
    let Compared { score, exact_ms, mistakes } = comparison.finish();
    for Mistake { from_ms, until_ms, title, words, .. } in &mistakes.kept {
        let (hard, seed) = (figures.hard, figures.seed);
        tracing::info!(hard, seed, from_ms, until_ms, "{title}: {words}");
    }
    let truth = clip.first_corners();
    let error_px = corner_error_px(calibration.corners, truth);
    figures.corner_error_px = Some((error_px * 1000.0).round() / 1000.0);
    figures.corner_claim_px = Some((calibration.error_px * 1000.0).round() / 1000.0);
    figures.wrong_place = is_wrong_place(error_px, truth, layout);
    figures.truth = score;
    figures.bump = bump.map(|bump| bump.finish(&exact_ms));
    Ok(())
}

/// The truth about a clip of which nothing was read.
fn unread(clip: &mut Clip) -> crate::message::summary::Score {
    let mut comparison = Comparison::default();
    comparison.truth().spawns = Some(Vec::new());
    while let Some(shown) = clip.skip() {
        tell(&mut comparison, &shown);
        comparison.unread(shown.picture.t_ms);
    }
    comparison.finish().score
}

/// Adds a picture's truth.
pub fn tell(comparison: &mut Comparison, shown: &Shown) {
    let truth = comparison.truth();
    truth.pictures.push(shown.picture.clone());
    truth.spawns.get_or_insert_default().extend(shown.spawn.clone());
    truth.places.extend(shown.place);
}

/// Watches what happens after the camera was bumped.
struct BumpWatch {
    at_ms: f64,
    moved_px: f64,
    corners: [[f64; 2]; 4],
    pictures: u64,
    noticed: Option<u64>,
    place_error_px: Option<f64>,
    cells_wrong: u64,
    /// Since when, after the bump, every picture of a running game was read without a wrong cell.
    right_since: Option<f64>,
}

impl BumpWatch {
    fn new(bump: TrueBump) -> Self {
        Self {
            at_ms: bump.at_ms,
            moved_px: corner_error_px(bump.before, bump.after),
            corners: bump.after,
            pictures: 0,
            noticed: None,
            place_error_px: None,
            cells_wrong: 0,
            right_since: None,
        }
    }

    fn look(&mut self, viewed: &Viewed, shown: &Shown, wrong: Option<u32>) {
        let t_ms = shown.picture.t_ms;
        if t_ms < self.at_ms {
            return;
        }
        self.pictures += 1;
        let is_game = shown.picture.state == Some(ScreenState::Playing);
        if viewed.look.change.is_some() || is_game && viewed.look.observation.state != ScreenState::Playing {
            self.noticed.get_or_insert(self.pictures);
        }
        if let Some(found) = viewed.place() {
            self.place_error_px = Some(corner_error_px(found.corners, self.corners));
        }
        if !is_game {
            return;
        }
        self.cells_wrong += u64::from(wrong.unwrap_or(0));
        if wrong == Some(0) {
            self.right_since.get_or_insert(t_ms);
        } else {
            self.right_since = None;
        }
    }

    fn finish(self, exact_ms: &[f64]) -> BumpFigures {
        let exact = exact_ms.iter().copied().filter(|t_ms| *t_ms >= self.at_ms).reduce(f64::min);
        let rounded = |value: f64| (value * 100.0).round() / 100.0;
        let since = |t_ms: f64| rounded(t_ms - self.at_ms);
        BumpFigures {
            at_ms: rounded(self.at_ms),
            moved_px: rounded(self.moved_px),
            noticed_after_pictures: self.noticed,
            corner_error_px: self.place_error_px.map(rounded),
            cells_wrong: self.cells_wrong,
            right_again_ms: self.right_since.map(since),
            exact_again_ms: exact.map(since),
        }
    }
}
