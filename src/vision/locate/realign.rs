//! Finding a field again that was seen a moment ago: someone bumped the camera, or the screen.

use super::plane::Gradient;
use super::search::Scene;
use super::{Located, field_corners};
use crate::profile::layout::Layout;
use crate::vision::view::View;
use crate::vision::view::geometry::middle;
use crate::vision::view::marks;
use image::RgbImage;

/// The search runs on a picture at most this wide or high.
const SEARCH_PX: usize = 400;
/// How far the field may have moved, as a share of the picture's larger side: 64 px of 640.
const REACH: f64 = 0.1;
/// Points on the layout's edges lie this far apart, field units.
const SPACING: f64 = 0.7;
/// This many shifts are looked at closely.
const MOST_SHIFTS: usize = 6;
/// Of these, the best so many are looked at as if the camera had been moved nearer, too, or away: by these factors.
const ZOOMED_SHIFTS: usize = 2;
const ZOOMS: [f64; 2] = [0.93, 1.07];
/// Shifts nearer than this to a better one end at the same place, px of the searched picture.
const SAME_PX: isize = 2;
/// The least evidence: less than for a field that nobody has seen before.
const LEAST_LOG_ODDS: f64 = 4.0;
/// This much more evidence than the old place has in this picture makes another place believed.
const LEAST_GAIN: f64 = 6.0;
/// Of the evidence of the edges at the old place, when the field stood there, at least this share: after a zoom a shift fits some.
const LEAST_OF_USUAL: f64 = 0.8;
/// The least share of the layout's edges.
const LEAST_SHARE: f64 = 0.55;

/// Where the field that was seen as `view` is now; `None` if it is not near its old place.
///
/// A shift of up to a tenth of the picture is searched for, and what else changed (turn, size, perspective) fitted. `usual` is what
/// the edges said there before ([`evidence_of_edges`]), if that is known.
pub fn realign(image: &RgbImage, layout: &Layout, view: &View, usual: Option<f64>) -> Option<Located> {
    let scene = Scene::new(image, layout)?;
    let shrunk = scene.coarse().shrunk(SEARCH_PX);
    let small = shrunk.as_ref().unwrap_or(scene.coarse());
    let gradient = small.gradient();
    let factor = (f64::from(image.width()) / small.width as f64).round();
    let near = view.scaled(1.0 / factor, [small.width, small.height])?;
    let shifts = best_shifts(&gradient, &edge_points(layout, &near));
    let zoomed = shifts.iter().take(ZOOMED_SHIFTS).flat_map(|shift| ZOOMS.map(|zoom| (*shift, zoom)));
    let places = shifts.iter().map(|shift| (*shift, 1.0)).chain(zoomed);
    let places = places.filter_map(|([x, y], zoom)| {
        let by = [x, y].map(|shift| factor * shift as f64);
        scene.place_near(zoomed_and_shifted(view, layout, zoom, by)?)
    });
    let best = places.max_by(|a, b| a.log_odds().total_cmp(&b.log_odds()))?;
    // Games draw parallel lines: what looks as good a little beside the old place is not the field.
    let stays = scene.place(*view).filter(|old| old.log_odds() + LEAST_GAIN > best.log_odds());
    let best = stays.unwrap_or(best);
    let is_usual = usual.is_none_or(|usual| best.edges.log_odds > LEAST_OF_USUAL * usual.max(0.0));
    let is_it =
        is_usual && best.log_odds() > LEAST_LOG_ODDS && best.edges.share > LEAST_SHARE && best.reading.is_game();
    let located = is_it.then(|| Located {
        corners: field_corners(&best.view, layout),
        k1: best.view.k1(),
        error_px: best.edges.error_px,
        log_odds: best.log_odds(),
        is_reversed: layout.is_reversed,
        shows_play: best.reading.shows_next(),
    });
    located.filter(|located| located.is_sharp(layout))
}

/// The view after its field has grown about its middle, and moved, px.
fn zoomed_and_shifted(view: &View, layout: &Layout, zoom: f64, shift_px: [f64; 2]) -> Option<View> {
    let corners = field_corners(view, layout);
    let middle = middle(&corners);
    let by = std::array::from_fn(|i| match (corners.get(i / 2), i % 2) {
        (Some(corner), k) => shift_px[k] + (zoom - 1.0) * (corner[k] - middle[k]),
        // The lens stays as it is.
        (None, _) => 0.0,
    });
    view.moved(&by)
}

/// What the edges of a field say that is seen as `view`: a natural logarithm of odds.
pub fn evidence_of_edges(image: &RgbImage, layout: &Layout, view: &View) -> Option<f64> {
    Scene::new(image, layout)?.place(*view).map(|place| place.edges.log_odds)
}

/// Points on the layout's edges and the unit vectors across them towards the brighter side, px.
fn edge_points(layout: &Layout, view: &View) -> Vec<[[f64; 2]; 2]> {
    let mut found = Vec::new();
    for segment in marks::segments(layout) {
        for point in segment.points(SPACING) {
            let at = view.map(point);
            let bright = view.map([0, 1].map(|i| point[i] + 0.1 * segment.brighter[i]));
            let length = (bright[0] - at[0]).hypot(bright[1] - at[1]);
            if length > 0.0 {
                found.push([at, [0, 1].map(|i| (bright[i] - at[i]) / length)]);
            }
        }
    }
    found
}

/// The shifts under which the edges agree best with the picture's gradients, best first.
fn best_shifts(gradient: &Gradient, points: &[[[f64; 2]; 2]]) -> Vec<[isize; 2]> {
    let reach = (REACH * gradient.width.max(gradient.height) as f64).ceil() as isize;
    let strong = gradient.lengths().quantile(0.98).max(16.0);
    let score = |[x, y]: [isize; 2]| {
        let agreement = |[at, normal]: &[[f64; 2]; 2]| {
            let [gx, gy] = gradient.at([(at[0] + x as f64) as f32, (at[1] + y as f64) as f32])?.map(f64::from);
            Some(((gx * normal[0] + gy * normal[1]) / strong).clamp(-0.5, 1.0))
        };
        points.iter().filter_map(agreement).sum::<f64>()
    };
    let every = (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| [x, y]));
    let mut scored: Vec<(f64, [isize; 2])> = every.map(|shift| (score(shift), shift)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Vec<[isize; 2]> = Vec::new();
    for (_, shift) in scored {
        let is_same = |known: &[isize; 2]| (0..2).all(|i| (known[i] - shift[i]).abs() <= SAME_PX);
        if best.len() < MOST_SHIFTS && !best.iter().any(is_same) {
            best.push(shift);
        }
    }
    best
}
