//! Edges beside the field that show whether the camera still sees what it saw.

use super::geometry::distance;
use super::marks::Segment;
use super::sampling::Samples;
use super::view::View;
use crate::layout::Polarity;

/// Pixels across one edge beside the field: it shows whether the camera still sees what it saw.
#[derive(Debug, Clone)]
pub struct Witness {
    samples: Samples,
    lines: usize,
}

/// How far the edge may be from its place, field units.
const WITNESS_REACH: f64 = 0.3;
/// So many standard errors make an edge: in pure noise, with all places tried, about one in ten passes.
const SIGNIFICANCE: f32 = 3.5;
/// Points along a piece of an edge.
const WITNESS_POINTS: usize = 8;

impl Witness {
    /// The witness of one edge; `None` if it is not wholly in the picture.
    pub fn new(segment: &Segment, view: &View, picture: [u32; 2], polarity: Polarity) -> Option<Self> {
        let [a, b] = [-1.0, 1.0].map(|side| {
            let at = segment.at(0.5);
            view.map([0, 1].map(|i| at[i] + side * WITNESS_REACH * segment.brighter[i]))
        });
        // From the darker to the brighter side, a pixel a step; evidence runs the other way for dark blocks.
        let steps = distance(a, b).round().clamp(3.0, 60.0) as usize;
        let direction = if polarity == Polarity::LightOnDark { 1.0 } else { -1.0 };
        let points = (0..=steps).flat_map(|step| {
            let across = direction * WITNESS_REACH * (2.0 * step as f64 / steps as f64 - 1.0);
            (0..WITNESS_POINTS).map(move |i| {
                let at = segment.at((i as f64 + 0.5) / WITNESS_POINTS as f64);
                view.map([0, 1].map(|k| at[k] + across * segment.brighter[k]))
            })
        });
        let samples = Samples::new(points, picture, polarity);
        samples.all_inside().then_some(Self { samples, lines: steps + 1 })
    }

    /// Whether evidence rises across the edge within two pixels: by at least `least` steps, and by clearly more than
    /// what scatters along the edge explains.
    pub fn holds(&self, bytes: &[u8], least: f32, values: &mut Vec<u8>) -> bool {
        self.samples.load(bytes, values);
        let n = WITNESS_POINTS as f32;
        let mut lines = [[0.0f32; 2]; 64];
        for (line, values) in lines.iter_mut().zip(values.chunks_exact(WITNESS_POINTS)) {
            let sum: u32 = values.iter().map(|&v| u32::from(v)).sum();
            let squares: u32 = values.iter().map(|&v| u32::from(v) * u32::from(v)).sum();
            let mean = sum as f32 / n;
            *line = [mean, (squares as f32 / n - mean * mean).max(0.0) / n];
        }
        lines[..self.lines.min(64)].windows(3).any(|w| {
            let rise = w[2][0] - w[0][0];
            rise > least && rise * rise > SIGNIFICANCE * SIGNIFICANCE * (w[2][1] + w[0][1])
        })
    }
}
