//! How far light has bled over the edges of a picture: blur and gamma make whatever is light wider.

/// How far light usually bleeds, px: one standard deviation. Through a soft lens, from an overexposed screen, it was 2.5.
const SPREAD_PX: f64 = 1.2;
/// No more than this is put down to it, cells: a place beside the field's would have an excuse.
const MOST_CELLS: f64 = 0.1;

/// How far edges lie to their darker side, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bleeding(f64);

impl Bleeding {
    /// What most edges have in common that were found so far from their places, px towards their brighter side: each with the size
    /// of a cell there, px. All sorts of edges are one: those of a place that is a little off would each have another reason.
    pub fn of(found: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (mut offsets, mut cells): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        if offsets.is_empty() {
            return Self(0.0);
        }
        let middle = offsets.len() / 2;
        let [median_px, cell_px] =
            [&mut offsets, &mut cells].map(|all| *all.select_nth_unstable_by(middle, f64::total_cmp).1);
        Self((-median_px).clamp(0.0, MOST_CELLS * cell_px))
    }

    /// How far an edge found at this offset from its place is from all where bleeding up to so far would have it, px.
    pub fn rest(self, offset_px: f64) -> f64 {
        offset_px - offset_px.clamp(-self.0, 0.0)
    }

    /// The log odds of bleeding so far, over not at all.
    pub fn log_odds(self) -> f64 {
        -0.5 * (self.0 / SPREAD_PX).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_edges_share_is_bleeding() {
        let bleeding = Bleeding::of([-2.4, -2.3, 1.9, -2.2, -1.9].map(|offset_px| (offset_px, 24.0)));
        assert!(bleeding.rest(-2.3).abs() < 0.2 && bleeding.rest(-0.5) == 0.0, "{bleeding:?}");
        assert!((-3.0..-1.0).contains(&bleeding.log_odds()), "{}", bleeding.log_odds());
        let further = Bleeding::of([(-5.0, 24.0)]);
        assert!(further.rest(-5.0) < -1.0, "{further:?}");
        let lighter = Bleeding::of([(0.8, 12.0)]);
        assert_eq!(lighter.rest(0.8), 0.8, "no light bleeds into what is lighter");
        assert_eq!(Bleeding::of([]).log_odds(), 0.0);
    }
}
