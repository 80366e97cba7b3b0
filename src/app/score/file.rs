//! The truth as data, and its file.

use crate::file::{self, LINES_BYTES_MAX};
use crate::game::{Board, Piece};
use crate::message::{RunEvent, ScreenState};
use crate::profile::layout::Layout;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::path::Path;

/// Times in files are rounded, and cameras are not exact: half a picture's time at 60 a second, ms.
const NEAR_MS: f64 = 8.0;

/// What is known about a recording; times in ms from its first picture, each list in the order of time.
#[derive(Debug, Default)]
pub struct Truth {
    /// The pieces that appear; `None` if nothing is known about them.
    pub spawns: Option<Vec<TrueSpawn>>,
    /// What single pictures show.
    pub pictures: Vec<TruePicture>,
    /// The pictures are those of the spawns, and nothing else is known about them.
    pub only_spawns: bool,
    /// Where the field stands.
    pub places: Vec<TruePlace>,
}

/// A piece that appears.
#[derive(Debug, Clone)]
pub struct TrueSpawn {
    /// Time of the first picture that shows it.
    pub t_ms: f64,
    /// The piece.
    pub piece: Piece,
    /// The next box.
    pub next: Option<Piece>,
    /// The settled pile.
    pub board: TrueCells,
}

/// One picture.
#[derive(Debug, Clone)]
pub struct TruePicture {
    /// Its time.
    pub t_ms: f64,
    /// What kind of picture it is, if that is known.
    pub state: Option<ScreenState>,
    /// Every lit cell, if they are known.
    pub cells: Option<TrueCells>,
}

/// Where the field stands from a time on.
#[derive(Debug, Clone, Copy)]
pub struct TruePlace {
    /// That time.
    pub from_ms: f64,
    /// The field's outer corners, px, in the order of the command line.
    pub corners: [[f64; 2]; 4],
}

/// Cells, some of which may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrueCells {
    /// Those that are full.
    pub full: Board,
    /// Those of which it is not known, or of which both is true.
    pub unknown: Board,
}

impl TrueCells {
    /// Cells all of which are known.
    pub fn known(full: Board) -> Self {
        Self { full, unknown: Board::new(full.width(), full.height()) }
    }

    /// Rows of text, top to bottom: `#` full, `.` empty, `?` either.
    pub fn to_lines(self) -> Vec<String> {
        let letter = |x, y| match (self.unknown.is_full(x, y), self.full.is_full(x, y)) {
            (true, _) => '?',
            (false, true) => '#',
            (false, false) => '.',
        };
        (0..self.full.height()).map(|y| (0..self.full.width()).map(|x| letter(x, y)).collect()).collect()
    }

    fn parse(lines: &[String]) -> anyhow::Result<Self> {
        let with = |unknown: &str| lines.iter().map(|line| line.replace('?', unknown)).collect::<Vec<_>>();
        let (lower, upper) = (Board::parse(&with("."))?, Board::parse(&with("#"))?);
        let mut unknown = upper;
        for y in 0..upper.height() {
            unknown.set_row(y, upper.row(y) & !lower.row(y));
        }
        Ok(Self { full: lower, unknown })
    }

    /// The number of cells that are known.
    pub fn count_known(&self) -> u32 {
        (self.full.width() * self.full.height()) as u32 - self.unknown.count()
    }

    /// Whether a board is this one, as far as it is known.
    pub fn agrees(&self, board: &Board) -> bool {
        let same_size = [board.width(), board.height()] == [self.full.width(), self.full.height()];
        same_size && (0..board.height()).all(|y| (board.row(y) ^ self.full.row(y)) & !self.unknown.row(y) == 0)
    }
}

impl Truth {
    /// Reads a truth file. The layout's field must be of the boards' size.
    ///
    /// # Errors
    /// When the file cannot be read, a line is not understood, or it is about another field.
    pub fn load(path: &Path, layout: &Layout) -> anyhow::Result<Self> {
        let name = path.display();
        Self::parse(&file::read_text(path, LINES_BYTES_MAX)?, &name.to_string(), layout)
    }

    /// A truth file's text; `name` is what messages call it.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(text: &str, name: &str, layout: &Layout) -> anyhow::Result<Self> {
        let mut truth = Self::default();
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = || {
                format!(
                    "line {} of {name} is no truth; a spawn needs t_ms, piece, next and board, and is one a line",
                    i + 1
                )
            };
            truth.take(event(line).with_context(at)?, layout).with_context(at)?;
        }
        truth.pictures.sort_by(|a, b| a.t_ms.total_cmp(&b.t_ms));
        truth.places.sort_by(|a, b| a.from_ms.total_cmp(&b.from_ms));
        truth.take_spawns_for_pictures(layout);
        Ok(truth)
    }

    fn take(&mut self, event: RunEvent, layout: &Layout) -> anyhow::Result<()> {
        match event {
            RunEvent::Spawn { t_ms, piece, next, board, .. } => {
                let board = cells_of(&board, layout)?;
                self.spawns.get_or_insert_default().push(TrueSpawn { t_ms, piece, next, board });
            }
            RunEvent::Frame { t_ms, state, board, .. } => {
                let cells = board.map(|board| cells_of(&board, layout)).transpose()?;
                self.pictures.push(TruePicture { t_ms, state, cells });
            }
            RunEvent::Calibrated { corners, t_ms, .. } => {
                self.places.push(TruePlace { from_ms: t_ms.unwrap_or(0.0), corners });
            }
            _ => {}
        }
        Ok(())
    }

    /// Where no picture is described, a spawn's picture shows its pile with the piece in its spawn place.
    fn take_spawns_for_pictures(&mut self, layout: &Layout) {
        if !self.pictures.is_empty() {
            return;
        }
        self.only_spawns = true;
        let shows = |spawn: &TrueSpawn| {
            let mut cells = spawn.board;
            layout.spawn_cells(spawn.piece).into_iter().for_each(|(x, y)| {
                cells.full.fill(x, y);
                cells.unknown.clear(x, y);
            });
            TruePicture { t_ms: spawn.t_ms, state: None, cells: Some(cells) }
        };
        self.pictures = self.spawns.iter().flatten().map(shows).collect();
    }

    /// The picture of this time, if it is described.
    pub fn picture(&self, t_ms: f64) -> Option<&TruePicture> {
        let after = self.pictures.partition_point(|p| p.t_ms < t_ms);
        let around = self.pictures.get(after.saturating_sub(1)..(after + 1).min(self.pictures.len()))?;
        let distance = |p: &&TruePicture| (p.t_ms - t_ms).abs();
        around.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|p| distance(p) <= NEAR_MS)
    }

    /// Where the field stands at this time.
    pub fn place(&self, t_ms: f64) -> Option<&TruePlace> {
        let after = self.places.partition_point(|place| place.from_ms <= t_ms + NEAR_MS);
        self.places.get(after.saturating_sub(1))
    }

    /// The text of a truth file.
    ///
    /// # Errors
    /// Never: all of it can be written as JSON.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let round = |t_ms: f64| (t_ms * 10.0).round() / 10.0;
        let places = self.places.iter().map(|place| RunEvent::Calibrated {
            corners: place.corners,
            layout: String::new(),
            error_px: 0.0,
            t_ms: Some(round(place.from_ms)),
        });
        let spawns = self.spawns.iter().flatten().map(|spawn| RunEvent::Spawn {
            t_ms: round(spawn.t_ms),
            frame: None,
            piece: spawn.piece,
            next: spawn.next,
            queue: Vec::new(),
            hold: None,
            by_hold: false,
            board: spawn.board.to_lines(),
            confidence: None,
        });
        let pictures = self.pictures.iter().map(|picture| RunEvent::Frame {
            t_ms: round(picture.t_ms),
            frame: None,
            file: None,
            console_frame: None,
            state: picture.state,
            piece: None,
            next: None,
            queue: Vec::new(),
            hold: None,
            board: picture.cells.map(TrueCells::to_lines),
            cells: Vec::new(),
        });
        let lines = places.chain(spawns).chain(pictures);
        lines.map(|line| serde_json::to_string(&line).map(|text| text + "\n")).collect()
    }
}

/// A line of a truth file; one that does not say what it is about tells of a spawn.
fn event(line: &str) -> serde_json::Result<RunEvent> {
    let mut value: Value = serde_json::from_str(line)?;
    if let Value::Object(fields) = &mut value {
        fields.entry("event").or_insert_with(|| "spawn".into());
    }
    serde_json::from_value(value)
}

/// A board of the layout's size.
fn cells_of(lines: &[String], layout: &Layout) -> anyhow::Result<TrueCells> {
    let cells = TrueCells::parse(lines)?;
    let found = [cells.full.width(), cells.full.height()];
    let wanted = [layout.field.columns, layout.field.rows];
    ensure!(
        found == wanted,
        "a board of {found:?} cells where {} has {wanted:?}; give the right --layout",
        layout.name
    );
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(first: &str) -> TrueCells {
        let rows = std::iter::once(first.to_string()).chain(vec!["..........".into(); 19]);
        TrueCells::parse(&rows.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_written_truth_is_read_as_it_was() {
        let corners = [[1.5, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]];
        let truth = Truth {
            spawns: Some(vec![TrueSpawn { t_ms: 33.3, piece: Piece::T, next: None, board: cells("#.?.......") }]),
            pictures: [0.0, 33.3]
                .map(|t_ms| TruePicture { t_ms, state: Some(ScreenState::Menu), cells: None })
                .to_vec(),
            places: vec![TruePlace { from_ms: 0.0, corners }],
            only_spawns: false,
        };
        let text = truth.to_text().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        let read = Truth::load(file.path(), &Layout::load("nes").unwrap()).unwrap();
        assert_eq!(read.to_text().unwrap(), text);
        assert_eq!(read.picture(34.0).map(|p| p.t_ms), Some(33.3));
        assert!(read.picture(16.0).is_none(), "between two pictures nothing is known");
    }

    #[test]
    fn a_cell_that_may_be_either_agrees_with_both() {
        let truth = cells("#?........");
        assert_eq!(truth.count_known(), 199);
        let mut board = Board::default();
        assert!(!truth.agrees(&board));
        board.fill(0, 0);
        assert!(truth.agrees(&board));
        board.fill(1, 0);
        assert!(truth.agrees(&board));
        board.fill(2, 0);
        assert!(!truth.agrees(&board));
        assert_eq!(truth.to_lines()[0], "#?........");
    }

    #[test]
    fn where_only_spawns_are_known_their_pictures_show_pile_and_piece() {
        let layout = Layout::load("nes").unwrap();
        let spawn = TrueSpawn { t_ms: 10.0, piece: Piece::O, next: None, board: cells("#.........") };
        let mut truth = Truth { spawns: Some(vec![spawn]), ..Truth::default() };
        truth.take_spawns_for_pictures(&layout);
        let shown = truth.picture(10.0).and_then(|p| p.cells).unwrap();
        assert_eq!(shown.full.count(), 5);
        assert!(layout.spawn_cells(Piece::O).into_iter().all(|(x, y)| shown.full.is_full(x, y)));
    }
}
