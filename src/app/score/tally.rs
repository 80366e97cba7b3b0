//! Counts of what was right.

use crate::message::ScreenState;
use serde::{Serialize, Serializer};

/// How much of the truth was seen.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Score {
    /// True spawns.
    pub spawns: usize,
    /// Of these, seen at the right time.
    pub seen: usize,
    /// With the right piece.
    pub piece: usize,
    /// With the right next piece.
    pub next: usize,
    /// With the right board.
    pub board: usize,
    /// With all of it right.
    pub exact: usize,
    /// Seen but not true.
    pub extra: usize,
    /// Cells of all pictures of which the truth is known.
    pub cells: u64,
    /// Of these, cells about which the reader said nothing sure.
    pub cells_unknown: u64,
    /// Cells about which it said the wrong thing, and was sure.
    pub cells_wrong: u64,
    /// Whether claimed probabilities hold.
    pub reliability: Reliability,
    /// Pictures by what they truly are, and how many of them were called so.
    pub states: Vec<StateScore>,
    /// The farthest that a corner was from its true place, px.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corner_error_px: Option<f64>,
    /// What had been claimed about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corner_claim_px: Option<f64>,
}

/// One kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StateScore {
    /// What it truly is.
    pub state: ScreenState,
    /// Pictures called so.
    pub right: u64,
    /// All pictures of it.
    pub pictures: u64,
}

impl Score {
    /// Counts a picture of this kind that was called `seen`.
    pub fn count_state(&mut self, truth: ScreenState, seen: ScreenState) {
        self.add_states(StateScore { state: truth, right: u64::from(truth == seen), pictures: 1 });
    }

    /// The score of several recordings together. Of corners, the worst counts.
    pub fn add(&mut self, other: &Self) {
        self.spawns += other.spawns;
        self.seen += other.seen;
        self.piece += other.piece;
        self.next += other.next;
        self.board += other.board;
        self.exact += other.exact;
        self.extra += other.extra;
        self.cells += other.cells;
        self.cells_unknown += other.cells_unknown;
        self.cells_wrong += other.cells_wrong;
        self.reliability.add(&other.reliability);
        other.states.iter().for_each(|states| self.add_states(*states));
        if let Some(error_px) = other.corner_error_px {
            self.count_corners(error_px, other.corner_claim_px.unwrap_or(0.0));
        }
    }

    /// Counts a place that was found so far from the true one.
    pub fn count_corners(&mut self, error_px: f64, claim_px: f64) {
        if self.corner_error_px.is_none_or(|worst| error_px > worst) {
            self.corner_error_px = Some(round(error_px, 3));
            self.corner_claim_px = Some(round(claim_px, 3));
        }
    }

    fn add_states(&mut self, new: StateScore) {
        match self.states.iter_mut().find(|known| known.state == new.state) {
            Some(known) => {
                known.right += new.right;
                known.pictures += new.pictures;
            }
            None => self.states.push(new),
        }
    }

    /// The score in words, a line each.
    pub fn to_words(&self) -> Vec<String> {
        let Self { spawns, seen, piece, next, board, exact, extra, cells, cells_unknown, cells_wrong, .. } = self;
        let mut lines = Vec::new();
        if spawns + extra > 0 {
            lines.push(format!(
                "Against the truth: {exact} of {spawns} spawns exact; {seen} seen, {piece} with the right piece, {next} next, \
                 {board} board; {extra} that were none."
            ));
        }
        if *cells > 0 {
            let percent = |n: u64| 100.0 * n as f64 / *cells as f64;
            lines.push(format!(
                "Of {cells} cells {:.3} % were read right, {:.3} % left open, and {cells_wrong} surely and wrongly.",
                percent(cells - cells_unknown - cells_wrong),
                percent(*cells_unknown)
            ));
            let (claimed, right) = self.reliability.overall();
            let (claimed, right) = (100.0 * claimed, 100.0 * right);
            lines.push(format!(
                "Cells were claimed with {claimed:.3} % on average, and {right:.3} % of the claims held."
            ));
        }
        if !self.states.is_empty() {
            let (right, pictures) = self.states.iter().fold((0, 0), |(r, n), s| (r + s.right, n + s.pictures));
            lines.push(format!("{right} of {pictures} pictures were taken for what they are."));
        }
        if let (Some(error_px), Some(claim_px)) = (self.corner_error_px, self.corner_claim_px) {
            lines.push(format!("The corners are at most {error_px:.2} px off (claimed: {claim_px:.2} px)."));
        }
        lines
    }
}

/// Bounds of the classes of claimed probability.
const BOUNDS: [f64; 9] = [0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];

/// Claims by their probability: how many there were, and how many held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reliability {
    /// Sum of the probabilities, claims that held, claims.
    classes: [(f64, u64, u64); BOUNDS.len() + 1],
}

impl Reliability {
    /// Counts a claim of probability `p` (0.5–1).
    pub fn count(&mut self, p: f64, holds: bool) {
        let class = &mut self.classes[BOUNDS.partition_point(|bound| *bound <= p)];
        class.0 += p;
        class.1 += u64::from(holds);
        class.2 += 1;
    }

    /// Adds another recording's claims.
    pub fn add(&mut self, other: &Self) {
        for (class, other) in self.classes.iter_mut().zip(&other.classes) {
            *class = (class.0 + other.0, class.1 + other.1, class.2 + other.2);
        }
    }

    /// Of each class with any claims: their mean probability, the share that held, their number.
    pub fn table(&self) -> Vec<(f64, f64, u64)> {
        let used = self.classes.iter().filter(|class| class.2 > 0);
        used.map(|&(sum, right, n)| (sum / n as f64, right as f64 / n as f64, n)).collect()
    }

    /// Mean probability of all claims, and the share that held.
    pub fn overall(&self) -> (f64, f64) {
        let (sum, right, n) = self.classes.iter().fold((0.0, 0, 0), |a, c| (a.0 + c.0, a.1 + c.1, a.2 + c.2));
        (sum / n.max(1) as f64, right as f64 / n.max(1) as f64)
    }
}

impl Serialize for Reliability {
    /// A list of [claimed, seen, n].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.table().into_iter().map(|(claimed, seen, n)| (round(claimed, 5), round(seen, 5), n)))
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_kept_by_their_probability() {
        let mut reliability = Reliability::default();
        for i in 0..100 {
            reliability.count(0.92, i < 91);
            reliability.count(1.0, true);
        }
        let table = reliability.table();
        assert_eq!(table.len(), 2);
        assert!((table[0].0 - 0.92).abs() < 1e-9 && (table[0].1 - 0.91).abs() < 1e-9 && table[0].2 == 100);
        assert_eq!(table[1], (1.0, 1.0, 100));
        let (claimed, right) = reliability.overall();
        assert!((claimed - 0.96).abs() < 1e-9 && (right - 0.955).abs() < 1e-9);
    }
}
