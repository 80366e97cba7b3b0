//! Small fields: their edges are short among all edges of a picture, and lie closer together than the search for lines can
//! tell. So lines are sought in parts of the picture, each enlarged.

use super::plane::Plane;
use super::{candidates, field_corners, line};
use crate::profile::layout::Layout;

/// A part's width and height, as a share of the picture's.
const SHARE: usize = 2;
/// Parts across and down. They overlap so that a layout a third of the picture high and a quarter wide lies in one of them.
const PARTS: [usize; 2] = [3, 4];
/// Lines taken of each direction, and candidates of each part.
const LINES: usize = 14;
const OF_A_PART: usize = 6;

/// The corners, px, of fields that may be in the picture, the most promising first, at most `most`.
pub fn find(layout: &Layout, plane: &Plane, most: usize) -> Vec<[[f64; 2]; 4]> {
    let picture = [plane.width, plane.height];
    let size = picture.map(|side| side / SHARE);
    let mut found: Vec<(f64, [[f64; 2]; 4])> = Vec::new();
    for part in 0..PARTS[0] * PARTS[1] {
        let at = [part % PARTS[0], part / PARTS[0]];
        let corner = [0, 1].map(|i| (picture[i] - size[i]) * at[i] / (PARTS[i] - 1));
        let gradient = plane.enlarged(corner, size).gradient();
        let least = gradient.lengths().least_of_edges();
        let lines = line::find(&gradient, least, LINES);
        for candidate in candidates::find(layout, &lines, &gradient, 2.0 * least, candidates::SHARP_PX, OF_A_PART) {
            let corners = field_corners(&candidate.pose, layout);
            let seen = corners.map(|c| [0, 1].map(|i| corner[i] as f64 + c[i] / 2.0));
            found.push((candidate.score, seen));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(most);
    found.into_iter().map(|(_, corners)| corners).collect()
}
