//! The sums at the end of a run: its last JSON line, and what pages and reports show of it.

use super::ScreenState;
use serde::{Deserialize, Serialize, Serializer};

/// The sums of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Pieces that appeared.
    #[serde(skip)]
    pub spawns: u64,
    /// Pieces that locked.
    pub pieces: u64,
    /// Rows cleared.
    pub lines: u64,
    /// Of these, rows that were cleared four at once, as far as the picture showed which piece cleared them.
    pub fours: u64,
    /// Points for lines, over all games, as the games count them: the console stops at 999,999. Push-down points are not read.
    pub score: u64,
    /// Times that a piece was put aside and another was seen in its place, where the game can hold one; a press that had no effect is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<u64>,
    /// Times that a T was spun as planned and cleared rows, where the AI plays for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spins: Option<u64>,
    /// Pieces that locked elsewhere than planned.
    pub misplaced: u64,
    /// Pieces that nobody steered, or nobody any more, at least for a while: no plan was to be had, or it was called off.
    pub adrift: u64,
    /// Pieces for which no presses were found when they were looked for.
    pub unplanned: u64,
    /// Times that no picture came for long.
    pub stalls: u64,
    /// Games that ended.
    pub games_over: u64,
    /// Times the picture contradicted the belief.
    pub surprises: u64,
    /// Verdicts about relays, wires and the camera.
    #[serde(skip_serializing_if = "is_zero")]
    pub blames: u64,
    /// Pictures read.
    pub frames: u64,
    /// Of these, pictures that did not show the game, or not clearly enough.
    pub frames_obscured: u64,
    /// Times the field was found at another place than before: the camera or the screen was moved.
    pub field_moved: u64,
    /// Times the field was not found for long.
    pub field_lost: u64,
    /// Pictures that were not read: newer ones had come (once the field was found), or they could not be decoded.
    pub frames_dropped: u64,
    /// Pictures of the run that its recording lacks.
    pub pictures_lost: u64,
    /// Its recording ended before it did, because it could not be written.
    pub recording_failed: bool,
    /// Commands dropped because they were late.
    pub commands_dropped: u64,
    /// Time from the first picture to the last, ms.
    pub duration_ms: f64,
    /// Console frames a second on the clock of the pictures' times, and how far (95 %) the console's frame boundaries may
    /// lie from where the last picture left them, ms; null while the game's clock is not known.
    pub console_hz: Option<f64>,
    /// See `console_hz`.
    pub phase_error_ms: Option<f64>,
    /// Reading a picture, median, µs; null on a simulated clock, where the same run must give the same lines.
    pub frame_us_p50: Option<f64>,
    /// The same, 99th percentile.
    pub frame_us_p99: Option<f64>,
    /// Planning a piece, median, µs.
    pub plan_us_p50: Option<f64>,
    /// The same, 99th percentile.
    pub plan_us_p99: Option<f64>,
    /// What the one game of `dry-run --mode` came to, by its own count; the robot does not see its last piece lock, which the sums
    /// above lack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_game: Option<WholeGame>,
    /// A recording's agreement with itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistency: Option<Agreements>,
    /// What came of running a recorded run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// Comparison with the truth, if it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<Score>,
    /// A command's lateness at the port, median, ms.
    pub press_error_ms_p50: Option<f64>,
    /// The same, 99th percentile.
    pub press_error_ms_p99: Option<f64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What one whole game came to, as the machine counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WholeGame {
    /// Which game: marathon, sprint or ultra.
    pub mode: String,
    /// How it ended: completed, block_out (a piece had no room to appear), lock_out (one locked above the field) or top_out; null if
    /// the run ended before it did.
    pub end: Option<GameEnd>,
    /// Lines cleared.
    pub lines: u64,
    /// Points, those for drops and spins included.
    pub score: u64,
    /// The level at the end.
    pub level: u8,
    /// How long it was played, by its own frames from Start on, without pauses, ms.
    pub time_ms: f64,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// Its goal was reached, or its time was over.
    Completed,
    /// A piece had no room to appear.
    BlockOut,
    /// A piece locked above the field.
    LockOut,
    /// Lines of an opponent forced blocks past the top.
    TopOut,
}

/// What came of running a recorded run again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// Plans that were recorded.
    pub plans: u64,
    /// Those that came out otherwise now, by place, time or commands.
    pub differ: u64,
    /// Plans that were made now after the last that was recorded.
    pub new: u64,
    /// Pictures that the robot saw then and the recording lacks.
    pub pictures_missing: u64,
}

/// How far a recording's reading agrees with itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreements {
    /// The piece in the next box, and the piece that then appeared, both read by themselves.
    pub next: Agreement,
    /// Further pieces that nobody saw at rest in the spawn place: their names were taken from the next box.
    pub next_taken_for_piece: u64,
    /// Cells from one spawn to the next: four more, less a row's for each row cleared.
    pub cells: Agreement,
    /// Pieces that lock where they can get to by the game's moves.
    pub placements: Agreement,
}

/// How often two things that must agree did so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Times they agreed.
    pub agree: u64,
    /// Times they could be compared.
    pub of: u64,
}

/// How much of the truth was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(skip_deserializing)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateScore {
    /// What it truly is.
    pub state: ScreenState,
    /// Pictures called so.
    pub right: u64,
    /// All pictures of it.
    pub pictures: u64,
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

    /// How far claims are from what held, over all: the mean distance of their classes, 0–1; 0 if there are none.
    pub fn error(&self) -> f64 {
        let claims: u64 = self.classes.iter().map(|class| class.2).sum();
        let apart: f64 = self.classes.iter().map(|(sum, right, _)| (sum - *right as f64).abs()).sum();
        apart / claims.max(1) as f64
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
        // Of 200 claims half are right as claimed, half a hundredth too seldom.
        assert!((reliability.error() - 0.005).abs() < 1e-9 && Reliability::default().error() == 0.0);
        let (claimed, right) = reliability.overall();
        assert!((claimed - 0.96).abs() < 1e-9 && (right - 0.955).abs() < 1e-9);
    }
}
