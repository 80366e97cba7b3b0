//! Counts of what was right.

use crate::message::ScreenState;
use crate::message::summary::{Score, StateScore};

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

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}
