//! How far light has bled over the edges of a picture: blur and gamma make whatever is light wider.

use crate::vision::view::marks::KINDS;

/// How far light usually bleeds, px: one standard deviation. Through a soft lens, from an overexposed screen, it was 2.5.
const SPREAD_PX: f64 = 1.2;
/// It bleeds no further than this, cells: two edges of one line would meet.
const MOST_CELLS: f64 = 0.3;

/// How far edges of each kind lie to their darker side, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bleeding([f64; KINDS]);

impl Bleeding {
    /// What edges have in common that were found so far from their places, px towards their brighter side: each with its kind.
    /// A cell has so many px.
    pub fn of(found: impl IntoIterator<Item = (usize, f64)>, cell_px: f64) -> Self {
        let mut offsets: [Vec<f64>; KINDS] = Default::default();
        found.into_iter().for_each(|(kind, offset_px)| offsets[kind].push(offset_px));
        Self(offsets.map(|mut offsets| {
            let middle = offsets.len() / 2;
            if offsets.is_empty() {
                return 0.0;
            }
            let (_, median, _) = offsets.select_nth_unstable_by(middle, f64::total_cmp);
            (-*median).clamp(0.0, MOST_CELLS * cell_px)
        }))
    }

    /// How far an edge of this kind, found at this offset from its place, is from where bleeding would have it, px.
    pub fn rest(&self, kind: usize, offset_px: f64) -> f64 {
        offset_px + self.0[kind]
    }

    /// The log odds of bleeding so far, over not at all.
    pub fn log_odds(&self) -> f64 {
        -0.5 * self.0.iter().map(|px| (px / SPREAD_PX).powi(2)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_edges_of_a_kind_share_is_bleeding() {
        let found = [(0, -2.4), (0, -2.3), (0, 1.9), (1, -0.1), (1, -0.2), (2, 0.8)];
        let bleeding = Bleeding::of(found, 12.0);
        assert!((bleeding.rest(0, -2.3)).abs() < 0.2, "{bleeding:?}");
        assert!((bleeding.rest(1, -0.1)).abs() < 0.2, "{bleeding:?}");
        assert_eq!(bleeding.rest(2, 0.8), 0.8, "no light bleeds into what is lighter");
        assert_eq!(bleeding.rest(3, 0.5), 0.5);
        assert!((-4.0..-1.0).contains(&bleeding.log_odds()), "{}", bleeding.log_odds());
    }
}
