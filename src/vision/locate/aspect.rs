//! How wide a cell is for its height, on the screen: the layout says it, and a camera's picture of a flat screen shows it,
//! whatever the angle.

use crate::profile::layout::Layout;
use crate::vision::view::View;

/// Focal lengths of the cameras that there are, as shares of half the picture's diagonal: from 100° across the picture's
/// corners to 37°.
const FOCAL_LENGTHS: [f64; 2] = [0.84, 3.0];
/// How much an aspect differs from the layout's: one standard deviation of its logarithm. (A television stretches an NES's
/// pixels by 1.14, an emulator not at all.)
const SPREAD: f64 = 0.1;
/// One screen in ten has another aspect, anything up to this factor: old games stretched to a wide screen. Other
/// rectangles that are looked at have any up to it.
const STRETCHED: f64 = 0.1;
const MOST_STRETCHED: f64 = 1.4;

/// The log odds that a place is the layout's field, from its cells' aspect; 0 at best, as rectangles of other aspects are
/// not looked at, and many of those that are have the right one.
pub fn log_odds(view: &View, layout: &Layout) -> f64 {
    let off = FOCAL_LENGTHS.map(|focal| (view.cell_aspect(focal) / layout.field.cell_aspect).ln());
    // Every focal length between is possible, and gives an aspect between.
    let nearest = if off[0] * off[1] < 0.0 { 0.0 } else { off[0].abs().min(off[1].abs()) };
    let usual = |off: f64| (1.0 - STRETCHED) * (-0.5 * (off / SPREAD).powi(2)).exp();
    // The density of any aspect over that of the layout's own.
    let any = STRETCHED * SPREAD * (2.0 * std::f64::consts::PI).sqrt() / (2.0 * MOST_STRETCHED.ln());
    ((usual(nearest) + any) / (usual(0.0) + any)).ln()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The NES's field, its cells this many times as wide as the layout says, seen from this far aside by a usual camera.
    fn seen(stretch: f64, turn: f64) -> View {
        let (width, height) = (5.7 * stretch, 10.0);
        let corners = [[-width, -height], [width, -height], [width, height], [-width, height]].map(|[x, y]| {
            let (x, depth) = (x * turn.cos(), 40.0 + x * turn.sin());
            [320.0 + 600.0 * x / depth, 240.0 + 600.0 * y / depth]
        });
        View::new([0.0, 0.0, 10.0, 20.0], corners, [640, 480]).unwrap()
    }

    #[test]
    fn an_aspect_is_known_from_any_side_and_a_wrong_one_counts() {
        let layout = Layout::load("nes").unwrap();
        for turn in [0.0, 0.3, -0.6, 0.9] {
            let right = log_odds(&seen(1.0, turn), &layout);
            assert!(right > -0.01, "{turn}: {right}");
            let square = log_odds(&seen(1.0 / 1.14, turn), &layout);
            assert!(square > -1.0, "{turn}: {square}");
        }
        assert!(log_odds(&seen(0.75, 0.0), &layout) < -2.5);
        assert!(log_odds(&seen(1.33, 0.0), &layout) < -2.5);
        assert!(log_odds(&seen(2.0, 0.0), &layout) > -3.5, "there are such screens");
    }
}
