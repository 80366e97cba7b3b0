//! The straight edges around the field that a layout describes, as short directed segments.

use crate::profile::layout::{FrameMark, Layout, Outward, Side};

/// Longer edges are cut into pieces, so that a bent lens or a hand costs a piece and not the whole edge; field units.
const LONGEST: f64 = 5.0;

/// A piece of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// One end, field units.
    pub from: [f64; 2],
    /// The other end, field units.
    pub to: [f64; 2],
    /// The unit vector across the edge towards its brighter side, field units.
    pub brighter: [f64; 2],
    /// Which kind of edge it is: light bleeds alike over all edges of a kind. Kinds count from 0 in the layout's order.
    pub kind: usize,
}

/// The most kinds of edges that are told apart; further ones count as the last.
pub const KINDS: usize = 8;
/// A line at least this thick, field units, is two edges on their own.
const THICK: f64 = 0.6;

impl Segment {
    /// The point at `t` (0–1) from `from` to `to`.
    pub fn at(&self, t: f64) -> [f64; 2] {
        [self.from[0] + t * (self.to[0] - self.from[0]), self.from[1] + t * (self.to[1] - self.from[1])]
    }

    /// Length, field units.
    pub fn length(&self) -> f64 {
        super::geometry::distance(self.from, self.to)
    }

    /// The thickness of the light line between this edge and another, twentieths of a field unit; `None` where there is
    /// none. Through blur, the two edges of a thin line seem further apart than they are.
    fn thickness(&self, other: &Self) -> Option<i64> {
        let faces = self.brighter[0] * other.brighter[0] + self.brighter[1] * other.brighter[1] < -0.5;
        let across = usize::from(self.brighter[0] == 0.0);
        let thickness = (other.from[across] - self.from[across]) * self.brighter[across];
        let along = 1 - across;
        let overlap = self.to[along].min(other.to[along]) - self.from[along].max(other.from[along]);
        let is_line = faces && (0.0..THICK).contains(&thickness) && overlap > 0.5 * self.length();
        is_line.then(|| (20.0 * thickness).round() as i64)
    }

    /// Points along the segment, about `spacing` field units apart and at least two.
    pub fn points(&self, spacing: f64) -> impl Iterator<Item = [f64; 2]> {
        let n = (self.length() / spacing).round().max(2.0) as usize;
        (0..n).map(move |i| self.at((i as f64 + 0.5) / n as f64))
    }
}

/// All edges of a layout.
pub fn segments(layout: &Layout) -> Vec<Segment> {
    sides(layout).into_iter().flatten().collect()
}

/// All edges of a layout, side by side of its rectangles.
pub fn sides(layout: &Layout) -> Vec<Vec<Segment>> {
    let whole: Vec<(Outward, Segment)> =
        layout.locate.frames.iter().flat_map(|f| whole_sides(f).into_iter().map(|s| (f.outward, s))).collect();
    let mut kinds: Vec<(Outward, Option<i64>)> = Vec::new();
    let kind_of = |(outward, side): &(Outward, Segment)| {
        let kind = (*outward, whole.iter().filter_map(|(_, other)| side.thickness(other)).min());
        let known = kinds.iter().position(|k| *k == kind);
        let index = known.unwrap_or(kinds.len());
        kinds.extend(known.is_none().then_some(kind));
        cut(&Segment { kind: index.min(KINDS - 1), ..*side })
    };
    whole.iter().map(kind_of).collect()
}

/// The sides of one rectangle.
fn whole_sides(frame: &FrameMark) -> Vec<Segment> {
    let [left, top, right, bottom] = frame.rect;
    let mut segments = Vec::new();
    for side in &frame.sides {
        let (from, to, outward) = match side {
            Side::Left => ([left, top], [left, bottom], [-1.0, 0.0]),
            Side::Top => ([left, top], [right, top], [0.0, -1.0]),
            Side::Right => ([right, top], [right, bottom], [1.0, 0.0]),
            Side::Bottom => ([left, bottom], [right, bottom], [0.0, 1.0]),
        };
        let brighter = match frame.outward {
            Outward::Brighter => outward,
            Outward::Darker => outward.map(|v: f64| -v),
        };
        segments.push(Segment { from, to, brighter, kind: 0 });
    }
    segments
}

/// The edge in pieces.
fn cut(whole: &Segment) -> Vec<Segment> {
    let pieces = (whole.length() / LONGEST).ceil().max(1.0) as usize;
    let piece = |i: usize| Segment {
        from: whole.at(i as f64 / pieces as f64),
        to: whole.at((i + 1) as f64 / pieces as f64),
        ..*whole
    };
    (0..pieces).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_cut_into_pieces_that_know_their_bright_side() {
        let frame =
            FrameMark { rect: [0.0, 0.0, 4.0, 20.0], outward: Outward::Darker, sides: vec![Side::Left, Side::Top] };
        let segments: Vec<Segment> = whole_sides(&frame).iter().flat_map(cut).collect();
        assert_eq!(segments.len(), 4 + 1);
        assert_eq!(segments[0].brighter, [1.0, 0.0]);
        assert_eq!(segments[0].to, [0.0, 5.0]);
        assert_eq!(segments[4].points(1.0).count(), 4);
    }

    #[test]
    fn edges_of_lines_of_the_same_thickness_are_of_a_kind() {
        // The band around the field and that around the next box: two kinds, inner edges and outer ones.
        let kinds: Vec<usize> = sides(&Layout::load("nes").unwrap()).iter().map(|side| side[0].kind).collect();
        assert_eq!(kinds, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn every_built_in_layout_says_what_surrounds_its_field() {
        for name in ["nes", "vitetris", "gameboy", "ltris"] {
            assert!(segments(&Layout::load(name).unwrap()).len() > 8, "{name}");
        }
    }
}
