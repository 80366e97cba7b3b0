//! The events of a run, as everybody writes and reads them: JSON lines on standard output, the lines of a recording, truth
//! files and test cases. One object a line; `event` names it, and `t_ms` counts from the run's first picture.

use super::{ScreenState, Summary};
use crate::game::Piece;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that a run tells. What a line of another version has besides is passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// A piece appeared.
    Spawn {
        /// When, ms. A spawn that is found out late is told after what came later.
        t_ms: f64,
        /// The picture that showed it; not in truth files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<u64>,
        /// The piece.
        piece: Piece,
        /// The next one, if it could be read.
        #[serde(default)]
        next: Option<Piece>,
        /// The pieces after the next one, where the game shows them, as far as they could be read.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queue: Vec<Option<Piece>>,
        /// The held piece, where the game can hold one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<Piece>,
        /// It took the place of the one that was put aside just now.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_hold: bool,
        /// The settled pile, top row first: `#` full, `.` empty, `?` unknown.
        board: Vec<String>,
        /// How sure the reading is, 0–1; not in truth files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
    /// A piece locked.
    Lock {
        /// When that was seen, ms.
        t_ms: f64,
        /// The piece.
        piece: Piece,
        /// Column of its pivot.
        x: i8,
        /// Row of its pivot.
        y: i8,
        /// Its orientation's number, 0–18.
        orientation: u8,
        /// Rows that it cleared.
        #[serde(default)]
        lines: usize,
        /// Whether that was planned; null if nothing was.
        intended: Option<bool>,
    },
    /// The game is over.
    GameOver {
        /// When that was seen, ms.
        t_ms: f64,
    },
    /// What is going to be pressed for a piece.
    Plan {
        /// When it was made, ms.
        t_ms: f64,
        /// The piece.
        piece: Piece,
        /// Column of its pivot where it will lock.
        x: i8,
        /// Row of its pivot.
        y: i8,
        /// Its orientation's number, 0–18.
        orientation: u8,
        /// Placements rated better whose outcome was not certain.
        #[serde(default)]
        skipped: usize,
        /// Probability that it comes out, as far as timing goes.
        certainty: f64,
        /// The piece has not appeared yet.
        #[serde(default)]
        ahead: bool,
        /// What is to be expected of the game, if there is something to say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outlook: Option<String>,
        /// What the game is expected to bring from here on, points, each later piece counting a little less; only where a learned
        /// value decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        points: Option<f64>,
        /// The best placements there were, best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        choices: Vec<Considered>,
        /// When each set of contacts should change, ms, and to which buttons ($00B6's bits).
        #[serde(default)]
        presses: Vec<(f64, u8)>,
        /// What the board is told, and when, ms: relays that shall be closed then (K0 is bit 0).
        #[serde(default)]
        commands: Vec<(f64, u8)>,
    },
    /// A plan of a recorded run comes out otherwise now.
    Differs {
        /// The `plan` line of then; null if there was none.
        recorded: Value,
        /// The one of now.
        now: Value,
    },
    /// The picture contradicted the belief.
    Surprise {
        /// When, ms.
        t_ms: f64,
        /// What it is called.
        what: String,
        /// In words.
        means: String,
    },
    /// One picture.
    Frame {
        /// When it came, ms.
        t_ms: f64,
        /// Counts pictures; not in truth files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<u64>,
        /// The file that holds it, if it is one of its own.
        #[serde(default)]
        file: Option<String>,
        /// By the game's clock, counted from where that was first known.
        #[serde(default)]
        console_frame: Option<i64>,
        /// The kind of screen.
        #[serde(default)]
        state: Option<ScreenState>,
        /// What the spawn place shows.
        #[serde(default)]
        piece: Option<Piece>,
        /// What the next box shows.
        #[serde(default)]
        next: Option<Piece>,
        /// Where the game shows more than one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queue: Vec<Option<Piece>>,
        /// What the hold box shows, where the game has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hold: Option<Piece>,
        /// All that is lit in the field, as in a spawn's board.
        #[serde(default)]
        board: Option<Vec<String>>,
        /// Probabilities of "full"; not in truth files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cells: Vec<Vec<f64>>,
    },
    /// Where the field is in the picture.
    Calibrated {
        /// Its outer corners: top left, top right, bottom right, bottom left of the game, px.
        corners: [[f64; 2]; 4],
        /// The layout's name.
        #[serde(default)]
        layout: String,
        /// How far off the corners may be, px.
        #[serde(default)]
        error_px: f64,
        /// When the field was found again after it had moved, ms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        t_ms: Option<f64>,
    },
    /// The field is not in the picture any more.
    FieldLost {
        /// Since when, ms.
        t_ms: f64,
    },
    /// The field is back where it was.
    FieldBack {
        /// When, ms.
        t_ms: f64,
    },
    /// No picture has come for long; in a recording, too.
    Stalled {
        /// Since when that is too long, ms.
        t_ms: f64,
    },
    /// Pictures come again.
    StallOver {
        /// When, ms.
        t_ms: f64,
        /// How long there was none, ms.
        lasted_ms: f64,
    },
    /// No pictures any more; the relays are open.
    CameraLost {
        /// When, ms.
        t_ms: f64,
    },
    /// Pictures again.
    CameraBack {
        /// When, ms.
        t_ms: f64,
    },
    /// The port is gone; nothing is pressed until the board is back.
    BoardLost {
        /// When, ms.
        t_ms: f64,
    },
    /// The board is back, its relays open.
    BoardBack {
        /// When, ms.
        t_ms: f64,
    },
    /// Nobody would open the relays if the program died; they are open, and nothing is pressed.
    WatchdogLost {
        /// When, ms.
        t_ms: f64,
    },
    /// A new watchdog stands.
    WatchdogBack {
        /// When, ms.
        t_ms: f64,
    },
    /// A piece that nobody steers.
    Adrift {
        /// When that was known, ms.
        t_ms: f64,
        /// The piece.
        piece: Piece,
        /// In words.
        why: String,
    },
    /// Pieces fall faster or slower than the game's file says, and are planned by what was measured from now on; on the console,
    /// whose speeds are known, it is taken to be at the level that has this one.
    FallTime {
        /// When that was known, ms.
        t_ms: f64,
        /// At which level, as far as that is known.
        level: u8,
        /// How long a row takes, ms.
        row_ms: f64,
        /// How long it was believed to take, ms.
        believed_ms: f64,
        /// In words, and what to do.
        words: String,
    },
    /// How long the game waits for something, as was measured while playing; `play` keeps it in the profile, under
    /// `[game_times]`.
    Delay {
        /// When that was known, ms.
        t_ms: f64,
        /// For what.
        what: DelayKind,
        /// So long, ms.
        ms: f64,
        /// It may be so much shorter or longer, ms.
        spread_ms: f64,
        /// How long it was believed to be, ms, where plans need that.
        #[serde(default)]
        believed_ms: Option<f64>,
        /// In words, and what to do.
        words: String,
    },
    /// A relay, a wire or the camera did not do its part.
    Blame {
        /// When, ms.
        t_ms: f64,
        /// What is wrong.
        kind: BlameKind,
        /// The button it is about, if it is about one.
        #[serde(default)]
        button: Option<String>,
        /// The button with which it is swapped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<String>,
        /// The button's relay.
        #[serde(default)]
        relay: Option<u8>,
        /// How often by now.
        count: usize,
        /// How late pictures are, ms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        late_ms: Option<f64>,
        /// In words.
        words: String,
    },
    /// The robot has paused the game.
    Paused {
        /// When, ms.
        t_ms: f64,
        /// Why, and what to do.
        words: String,
    },
    /// It could not pause the game.
    NotPaused {
        /// When, ms.
        t_ms: f64,
        /// Why, and what to do.
        words: String,
    },
    /// Nothing moves, and it is taken for a pause.
    Waiting {
        /// When, ms.
        t_ms: f64,
        /// Why, and what to do.
        words: String,
    },
    /// The game goes on.
    Resumed {
        /// When, ms.
        t_ms: f64,
    },
    /// A mask that was sent to the board; only in recordings.
    Relay {
        /// When it left, ms.
        t_ms: f64,
        /// When it was due, ms.
        due_ms: f64,
        /// Relays that are closed from then on (K0 is bit 0).
        mask: u8,
        /// Why it was sent.
        #[serde(default)]
        reason: String,
    },
    /// The sums at the end.
    Summary(Box<Summary>),
    /// How the run was set up; only in recordings.
    Settings(Box<RunSettings>),
    /// What the robot took in besides pictures, on the run's own clock; only in recordings.
    Input(TapedInput),
    /// What another version tells.
    #[serde(other)]
    Other,
}

/// A placement that a decision was about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Considered {
    /// Column of the piece's pivot.
    pub x: i8,
    /// Row of its pivot.
    pub y: i8,
    /// Its orientation's number, 0–18.
    pub orientation: u8,
    /// What it costs by the weights or the value that decides; lower is better.
    pub cost: f64,
    /// What the game is expected to bring with it, points; only where a learned value decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// What spoke against it: `open` (nothing, or another one was better), `too_far` (not in time), `uncertain` (it may come out
    /// differently).
    pub fate: Fate,
}

/// What spoke against a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Nothing was asked against it: it was taken, or another one was better.
    Open,
    /// The finger cannot bring the piece there in time.
    TooFar,
    /// It can, but the presses come out differently in some of the cases that are left open.
    Uncertain,
}

/// What a run was told besides its calibration. A line of another version may have more fields, or fewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSettings {
    /// Level at which games start.
    pub level: u8,
    /// The finger, as on the command line.
    pub finger: String,
    /// The filters, as on the command line.
    pub filters: Vec<String>,
    /// Who decided: a name or a file, as on the command line. Older recordings do not say it: only one could.
    pub ai: String,
    /// Which version of this program recorded it.
    pub version: String,
    /// What else the robot was told, in its own words; older recordings do not say it, and their robots cannot be run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<Value>,
}

impl Default for RunSettings {
    fn default() -> Self {
        let finger = "relay".into();
        Self { level: 0, finger, filters: Vec::new(), ai: "steady".into(), version: String::new(), robot: None }
    }
}

/// An input of the robot, besides pictures, which are records of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum TapedInput {
    /// It was that late.
    Time {
        /// When, µs.
        time_us: i64,
    },
    /// The decision was sent.
    Sent,
    /// Presses were called off.
    CalledOff {
        /// When, µs.
        time_us: i64,
    },
    /// A person held the hand.
    Held,
    /// A person let the game go on.
    GoOn {
        /// When, µs.
        time_us: i64,
    },
    /// The robot saw a picture that the recording lacks: what it decided from then on need not come out again.
    Unrecorded {
        /// When it was taken, µs.
        time_us: i64,
    },
}

/// What a game waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayKind {
    /// From a lock that fills no row to the next piece.
    Entry,
    /// So much longer if rows are full.
    Clear,
    /// Until a piece that rests locks.
    Lock,
    /// Until a piece that was not moved can be dropped.
    DropGuard,
}

/// What is wrong with relays, wires or the camera.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlameKind {
    /// A press did nothing.
    LostPress,
    /// A press counted twice.
    DoublePress,
    /// No press of the button does anything.
    DeadButton,
    /// The button is held all the time.
    StuckClosed,
    /// Two buttons do each other's work.
    SwappedWires,
    /// Effects show later than the rig's times say.
    LateCamera,
    /// Turns are not kicked as the game's file says.
    NoKicks,
}

impl RunEvent {
    /// From a line; [`RunEvent::Other`] of what is no event of this version.
    pub fn from_line(line: &str) -> Self {
        serde_json::from_str(line).unwrap_or(Self::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let lines = [
            r##"{"event":"spawn","t_ms":10.5,"frame":3,"piece":"T","next":null,"board":["#.?"],"confidence":0.9}"##,
            r#"{"event":"blame","t_ms":1.0,"kind":"dead_button","button":"left","relay":2,"count":3,"words":"x"}"#,
            r#"{"event":"relay","t_ms":1.0,"due_ms":0.5,"mask":4,"reason":"planned"}"#,
            r#"{"event":"camera_lost","t_ms":1.0}"#,
            r#"{"event":"settings","level":5,"finger":"relay","filters":[],"ai":"steady","version":"1","robot":{"lead_ms":8.0}}"#,
            r#"{"event":"input","what":"called_off","time_us":-5}"#,
            r#"{"event":"input","what":"sent"}"#,
        ];
        for line in lines {
            let event = RunEvent::from_line(line);
            assert_ne!(event, RunEvent::Other, "{line}");
            assert_eq!(serde_json::to_string(&event).unwrap(), line);
        }
        for line in ["no event", "{}", r#"{"event":"input"}"#, r#"{"event":"spawn","t_ms":1}"#] {
            assert_eq!(RunEvent::from_line(line), RunEvent::Other, "{line}");
        }
        let RunEvent::Summary(sums) = RunEvent::from_line(r#"{"event":"summary","pieces":3,"hats":1}"#) else {
            panic!()
        };
        assert_eq!(*sums, Summary { pieces: 3, ..Summary::default() });
        let again = serde_json::to_string(&RunEvent::Summary(sums.clone())).unwrap();
        assert_eq!(RunEvent::from_line(&again), RunEvent::Summary(sums), "{again}");
    }
}
