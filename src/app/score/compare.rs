//! Compares what is seen, picture by picture, with the truth.

use super::{Mistake, Mistakes, TrueCells, TruePicture, TrueSpawn, Truth};
use crate::belief::{Event, Spawned};
use crate::game::{Board, Piece};
use crate::message::summary::Score;
use crate::message::{Cell, CellGrid, Observation, ScreenState};
use crate::profile::layout::Layout;

/// What expected boards are called.
const TRUE: &str = "true";
/// A spawn is looked for within this time of the true one, ms: a few pictures of a slow camera.
const NEAR_MS: f64 = 200.0;
/// A place is wrong whose corner is off by more than this share of a cell: cells are then read in their neighbours.
const WRONG_PLACE_CELLS: f64 = 1.0 / 3.0;

/// The truth beside what was seen of it so far. Times must be the recording's own.
#[derive(Debug, Default)]
pub struct Comparison {
    truth: Truth,
    seen: Vec<Spawned>,
    score: Score,
    mistakes: Mistakes,
    /// The wrong cells of the last compared picture, and the mistake they make together with those before.
    wrong: Option<(Board, Mistake)>,
    exact_ms: Vec<f64>,
}

/// What came of a comparison.
#[derive(Debug)]
pub struct Compared {
    /// How much was right.
    pub score: Score,
    /// What was not, in the order of time.
    pub mistakes: Mistakes,
    /// Times of the true spawns that were seen exactly, ms.
    pub exact_ms: Vec<f64>,
}

impl Comparison {
    /// Nothing was seen yet.
    pub fn new(truth: Truth) -> Self {
        Self { truth, ..Self::default() }
    }

    /// The truth, to add to it what comes later.
    pub fn truth(&mut self) -> &mut Truth {
        &mut self.truth
    }

    /// Takes in a picture's reading; how many of its known cells were wrong, if they could be compared at all.
    pub fn look(&mut self, observation: &Observation) -> Option<u32> {
        let &TruePicture { state, cells, .. } = self.truth.picture(observation.time.ms())?;
        if let Some(state) = state {
            self.score.count_state(state, observation.state);
        }
        self.cells(&cells?, observation)
    }

    /// Takes in a picture that was not read at all.
    pub fn unread(&mut self, t_ms: f64) {
        let Some(&TruePicture { state, cells, .. }) = self.truth.picture(t_ms) else { return };
        if let Some(state) = state {
            self.score.count_state(state, ScreenState::Obscured);
        }
        let known = cells.map_or(0, |cells| cells.count_known());
        self.score.cells += u64::from(known);
        self.score.cells_unknown += u64::from(known);
    }

    /// Takes in what became certain.
    pub fn events(&mut self, events: &[Event]) {
        self.seen.extend(events.iter().filter_map(|event| match event {
            Event::Spawned(spawned) => Some(*spawned),
            _ => None,
        }));
    }

    /// Takes in where the layout's field was found, from `t_ms` on.
    pub fn calibrated(&mut self, t_ms: f64, corners: [[f64; 2]; 4], claim_px: f64, layout: &Layout) {
        let Some(place) = self.truth.place(t_ms) else { return };
        let error_px = corner_error_px(corners, place.corners);
        self.score.count_corners(error_px, claim_px);
        if is_wrong_place(error_px, place.corners, layout) {
            self.mistakes.push(Mistake {
                from_ms: t_ms,
                until_ms: t_ms,
                title: "field at the wrong place".into(),
                words: format!("A corner is {error_px:.1} px off: found {corners:.1?}, truly {:.1?}.", place.corners),
                expected_name: TRUE,
                expected: Vec::new(),
                seen: Vec::new(),
            });
        }
    }

    /// The whole result.
    pub fn finish(mut self) -> Compared {
        self.mistakes.push_open(self.wrong.take());
        let mut mistakes = Mistakes::default();
        self.score_spawns(&mut mistakes);
        if self.truth.only_spawns {
            // The same truth says the same thing twice.
            self.mistakes.drop_beside(&mistakes);
        }
        Compared { score: self.score, mistakes: mistakes.with(self.mistakes), exact_ms: self.exact_ms }
    }

    fn cells(&mut self, truth: &TrueCells, observation: &Observation) -> Option<u32> {
        let grid = &observation.grid;
        let known = truth.count_known();
        self.score.cells += u64::from(known);
        if !is_read(observation.state) || [grid.columns(), grid.rows()] != [truth.full.width(), truth.full.height()] {
            self.score.cells_unknown += u64::from(known);
            return None;
        }
        let mut wrong = Board::new(grid.columns(), grid.rows());
        for y in 0..grid.rows() {
            for x in (0..grid.columns()).filter(|&x| !truth.unknown.is_full(x, y)) {
                let is_full = truth.full.is_full(x, y);
                let p = f64::from(grid.p_full(x, y));
                self.score.reliability.count(p.max(1.0 - p), (p > 0.5) == is_full);
                match grid.cell(x, y) {
                    Cell::Unknown => self.score.cells_unknown += 1,
                    cell if (cell == Cell::Full) != is_full => wrong.fill(x, y),
                    _ => {}
                }
            }
        }
        self.score.cells_wrong += u64::from(wrong.count());
        self.note_wrong(wrong, truth, grid, observation.time.ms());
        Some(wrong.count())
    }

    /// The same cells wrong in several pictures are one mistake.
    fn note_wrong(&mut self, wrong: Board, truth: &TrueCells, grid: &CellGrid, t_ms: f64) {
        if let Some((known, mistake)) = &mut self.wrong
            && *known == wrong
        {
            mistake.until_ms = t_ms;
            return;
        }
        self.mistakes.push_open(self.wrong.take());
        if wrong.count() > 0 {
            let title = match wrong.count() {
                1 => "a wrong cell".into(),
                n => format!("{n} wrong cells"),
            };
            let places = cells_of(&wrong).map(|(x, y)| {
                let truly = if truth.full.is_full(x, y) { "full" } else { "empty" };
                format!("column {} row {}, truly {truly}", x + 1, y + 1)
            });
            let words = format!("Surely, but wrongly read: {}.", places.take(8).collect::<Vec<_>>().join("; "));
            let (expected, seen) = (truth.to_lines(), grid.to_lines());
            self.wrong = Some((
                wrong,
                Mistake { from_ms: t_ms, until_ms: t_ms, title, words, expected_name: TRUE, expected, seen },
            ));
        }
    }

    /// Each true spawn is compared with the nearest one seen that no earlier one has taken.
    fn score_spawns(&mut self, mistakes: &mut Mistakes) {
        let Some(spawns) = self.truth.spawns.take() else { return };
        self.score.spawns = spawns.len();
        let mut free = std::mem::take(&mut self.seen);
        for spawn in &spawns {
            let distance = |s: &Spawned| (s.time.ms() - spawn.t_ms).abs();
            let nearest = free.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            match nearest.filter(|(_, s)| distance(s) <= NEAR_MS).map(|(i, _)| i) {
                Some(i) => self.score_spawn(spawn, &free.remove(i), mistakes),
                None => mistakes.push(missed(spawn)),
            }
        }
        // What appears in the last picture may be half drawn in it, and is not seen again.
        let last_ms = self.truth.pictures.last().map_or(f64::INFINITY, |picture| picture.t_ms);
        free.retain(|seen| seen.time.ms() < last_ms);
        self.score.extra = free.len();
        free.iter().for_each(|seen| mistakes.push(extra(seen)));
    }

    fn score_spawn(&mut self, spawn: &TrueSpawn, seen: &Spawned, mistakes: &mut Mistakes) {
        let (piece, next) = (seen.piece == spawn.piece, seen.next == spawn.next);
        let board = spawn.board.agrees(&seen.board);
        let score = &mut self.score;
        score.seen += 1;
        score.piece += usize::from(piece);
        score.next += usize::from(next);
        score.board += usize::from(board);
        score.exact += usize::from(piece && next && board);
        if piece && next && board {
            self.exact_ms.push(spawn.t_ms);
            return;
        }
        tracing::debug!(t_ms = spawn.t_ms, ?spawn, ?seen, "differs from the truth");
        let parts = [(!piece, "piece"), (!next, "next piece"), (!board, "board")];
        let parts: Vec<_> = parts.into_iter().filter(|(wrong, _)| *wrong).map(|(_, name)| name).collect();
        mistakes.push(Mistake {
            from_ms: seen.time.ms(),
            until_ms: seen.time.ms(),
            title: format!("a spawn with the wrong {}", parts.join(" and ")),
            words: format!(
                "Truly {}; seen {}, with a claimed confidence of {:.3}.",
                pieces(spawn.piece, spawn.next),
                pieces(seen.piece, seen.next),
                seen.confidence
            ),
            expected_name: TRUE,
            expected: spawn.board.to_lines(),
            seen: seen.board.to_lines(),
        });
    }
}

impl Mistakes {
    fn push_open(&mut self, open: Option<(Board, Mistake)>) {
        if let Some((_, mistake)) = open {
            self.push(mistake);
        }
    }
}

/// The greatest distance of a corner from its true place, px.
pub fn corner_error_px(found: [[f64; 2]; 4], truth: [[f64; 2]; 4]) -> f64 {
    found.iter().zip(truth).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
}

/// Whether the layout's field is read in the wrong cells when a corner is so far off.
pub fn is_wrong_place(error_px: f64, truth: [[f64; 2]; 4], layout: &Layout) -> bool {
    let (columns, rows) = (layout.field.columns, layout.field.rows);
    let [a, b, _, d] = truth;
    let side = |p: [f64; 2], q: [f64; 2], cells: usize| (p[0] - q[0]).hypot(p[1] - q[1]) / cells.max(1) as f64;
    error_px > WRONG_PLACE_CELLS * side(a, b, columns).min(side(a, d, rows))
}

/// Whether the reader claims to have read the field in such a picture.
fn is_read(state: ScreenState) -> bool {
    matches!(state, ScreenState::Playing | ScreenState::LineClear | ScreenState::GameOver)
}

fn missed(spawn: &TrueSpawn) -> Mistake {
    Mistake {
        from_ms: spawn.t_ms,
        until_ms: spawn.t_ms,
        title: "a spawn that was not seen".into(),
        words: format!("Truly {}.", pieces(spawn.piece, spawn.next)),
        expected_name: TRUE,
        expected: spawn.board.to_lines(),
        seen: Vec::new(),
    }
}

fn extra(seen: &Spawned) -> Mistake {
    Mistake {
        from_ms: seen.time.ms(),
        until_ms: seen.time.ms(),
        title: "a spawn that was none".into(),
        words: format!("Seen {}, with a claimed confidence of {:.3}.", pieces(seen.piece, seen.next), seen.confidence),
        expected_name: TRUE,
        expected: Vec::new(),
        seen: seen.board.to_lines(),
    }
}

fn pieces(piece: Piece, next: Option<Piece>) -> String {
    format!("{piece}, then {}", next.map_or("nothing known".into(), |next| next.to_string()))
}

fn cells_of(board: &Board) -> impl Iterator<Item = (usize, usize)> + '_ {
    (0..board.height()).flat_map(|y| (0..board.width()).map(move |x| (x, y))).filter(|&(x, y)| board.is_full(x, y))
}
