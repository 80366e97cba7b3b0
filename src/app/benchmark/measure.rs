//! What is seen of one clip.

use super::clip::{Clip, ClipSettings, Shown};
use super::figures::{BumpFigures, ClipFigures};
use crate::app::find::{self, Found};
use crate::app::truth::{Compared, Comparison, corner_error_px, is_wrong_place};
use crate::message::ScreenState;
use crate::robot::{Look, Watcher};
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
    let found = find::search(Some(LAYOUT), &mut searched);
    let search_ms = clock.now().ms();
    let mut figures = ClipFigures {
        hard: settings.hard,
        seed: settings.seed,
        level: searched.level(),
        pictures: 0,
        found: found.is_ok(),
        search_pictures: searched.pictures(),
        wrong_place: false,
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
    let size = [layout.field.columns, layout.field.rows];
    let mut watcher = Watcher::new(layout, calibration, 0)?;
    let mut comparison = Comparison::default();
    let mut bump = clip.bump_ms().map(BumpWatch::new);
    comparison.truth().spawns = Some(Vec::new());
    let mut place = None;
    while let Some((frame, shown)) = clip.film() {
        let look = watcher.look(&frame);
        tell(&mut comparison, &shown);
        if let Some(new) = shown.place {
            match (place.replace(new.corners), &mut bump) {
                (None, _) => comparison.calibrated(new.from_ms, calibration.corners, calibration.error_px, size),
                (Some(old), Some(bump)) => bump.moved_px = corner_error_px(old, new.corners),
                (Some(_), None) => {}
            }
        }
        let wrong = comparison.look(&look.observation);
        comparison.events(&look.events);
        if let Some(bump) = &mut bump {
            bump.look(&look, &shown, wrong);
        }
    }
    comparison.events(&watcher.belief.finish());
    let first_place = comparison.truth().places.first().copied();
    let Compared { score, exact_ms, mistakes } = comparison.finish();
    for mistake in &mistakes.kept {
        let (seed, hard) = (figures.seed, figures.hard);
        tracing::info!(
            seed,
            hard,
            from_ms = mistake.from_ms,
            until_ms = mistake.until_ms,
            "{}: {}",
            mistake.title,
            mistake.words
        );
    }
    figures.wrong_place = first_place
        .is_some_and(|truth| is_wrong_place(corner_error_px(calibration.corners, truth.corners), truth.corners, size));
    figures.truth = score;
    figures.bump = bump.map(|bump| bump.finish(&exact_ms));
    Ok(())
}

/// The truth about a clip of which nothing was read.
fn unread(clip: &mut Clip) -> crate::app::truth::Score {
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
    pictures: u64,
    noticed: Option<u64>,
    cells_wrong: u64,
    /// Since when, after the bump, every picture of a running game was read without a wrong cell.
    right_since: Option<f64>,
}

impl BumpWatch {
    fn new(at_ms: f64) -> Self {
        Self { at_ms, moved_px: 0.0, pictures: 0, noticed: None, cells_wrong: 0, right_since: None }
    }

    fn look(&mut self, look: &Look, shown: &Shown, wrong: Option<u32>) {
        let t_ms = shown.picture.t_ms;
        let is_game = shown.picture.state == Some(ScreenState::Playing);
        if t_ms < self.at_ms || !is_game {
            return;
        }
        self.pictures += 1;
        if look.observation.state != ScreenState::Playing {
            self.noticed.get_or_insert(self.pictures);
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
        let since = |t_ms: f64| ((t_ms - self.at_ms) * 10.0).round() / 10.0;
        BumpFigures {
            at_ms: self.at_ms,
            moved_px: (self.moved_px * 100.0).round() / 100.0,
            noticed_after_pictures: self.noticed,
            cells_wrong: self.cells_wrong,
            right_again_ms: self.right_since.map(since),
            exact_again_ms: exact.map(since),
        }
    }
}
