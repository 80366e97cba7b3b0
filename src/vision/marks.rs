//! The straight edges around the field that a layout describes, as short directed segments.

use crate::layout::{FrameMark, Layout, Outward, Side};

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
    /// Whether the brighter side lies outside its rectangle.
    pub outward: Outward,
}

impl Segment {
    /// The point at `t` (0–1) from `from` to `to`.
    pub fn at(&self, t: f64) -> [f64; 2] {
        [self.from[0] + t * (self.to[0] - self.from[0]), self.from[1] + t * (self.to[1] - self.from[1])]
    }

    /// Length, field units.
    pub fn length(&self) -> f64 {
        super::geometry::distance(self.from, self.to)
    }

    /// Points along the segment, about `spacing` field units apart and at least two.
    pub fn points(&self, spacing: f64) -> impl Iterator<Item = [f64; 2]> {
        let n = (self.length() / spacing).round().max(2.0) as usize;
        (0..n).map(move |i| self.at((i as f64 + 0.5) / n as f64))
    }
}

/// All edges of a layout.
pub fn segments(layout: &Layout) -> Vec<Segment> {
    layout.locate.frames.iter().flat_map(frame_segments).collect()
}

/// The edges of one rectangle.
pub fn frame_segments(frame: &FrameMark) -> Vec<Segment> {
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
        let whole = Segment { from, to, brighter, outward: frame.outward };
        let pieces = (whole.length() / LONGEST).ceil().max(1.0) as usize;
        segments.extend((0..pieces).map(|i| Segment {
            from: whole.at(i as f64 / pieces as f64),
            to: whole.at((i + 1) as f64 / pieces as f64),
            ..whole
        }));
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_cut_into_pieces_that_know_their_bright_side() {
        let frame =
            FrameMark { rect: [0.0, 0.0, 4.0, 20.0], outward: Outward::Darker, sides: vec![Side::Left, Side::Top] };
        let segments = frame_segments(&frame);
        assert_eq!(segments.len(), 4 + 1);
        assert_eq!(segments[0].brighter, [1.0, 0.0]);
        assert_eq!(segments[0].to, [0.0, 5.0]);
        assert_eq!(segments[4].points(1.0).count(), 4);
    }

    #[test]
    fn every_built_in_layout_says_what_surrounds_its_field() {
        for name in ["nes", "vitetris", "gameboy", "ltris"] {
            assert!(segments(&Layout::load(name).unwrap()).len() > 8, "{name}");
        }
    }
}
