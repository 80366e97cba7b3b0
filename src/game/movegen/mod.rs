//! All places in which a piece can come to rest, found with a few instructions for whole fields: any rotation system with kicks,
//! on boards of ten columns and up to forty rows.
//!
//! A set of places is a bit a cell, six rows a word; the four rotations of a piece stand in the four lanes of a vector, and each
//! lane moves by a count of its own. So a turn with its kicks is the same few instructions for every game, and a table says how
//! far each goes. What lies open to the sky is known at once, and a search ends as soon as every place is known in which the
//! piece could land; without hidden corners it never begins.

mod field;
mod lanes;
mod perft;
mod place;
mod search;
mod spins;
mod table;

pub use field::{COLUMNS, Field, ROWS};
pub use perft::perft;
pub use place::Place;
pub use spins::{Landing, Spin};

use crate::game::{Orientation, Piece, Pose, Rotation, RotationSystem};
use field::WORD_ROWS;
use lanes::Lanes;
use multiversion::multiversion;
use search::Search;
use table::Table;

/// Empty rows above the pile that a search needs to see.
const MARGIN: usize = 3;

/// How the pieces of a game move.
#[derive(Debug, Clone)]
pub struct Moves {
    tables: [Table; 7],
}

impl Moves {
    /// The moves of a rotation system on a board of so many rows, each piece from where it appears.
    pub fn new(system: &RotationSystem, rows: usize, spawn: impl Fn(Piece) -> Pose) -> Self {
        Self::of(system, rows, spawn, false)
    }

    /// The same of a game whose pieces drop a row as soon as they have appeared, if they can.
    pub fn dropping_at_once(system: &RotationSystem, rows: usize, spawn: impl Fn(Piece) -> Pose) -> Self {
        Self::of(system, rows, spawn, true)
    }

    fn of(system: &RotationSystem, rows: usize, spawn: impl Fn(Piece) -> Pose, drops_at_once: bool) -> Self {
        let from_floor = |pose: Pose| Pose { y: (rows as i64 - 1 - i64::from(pose.y)).clamp(0, 127) as i8, ..pose };
        let table = |piece| {
            let mut table = Table::new(system, from_floor(spawn(piece)), drops_at_once);
            table.open_below = (0..ROWS - MARGIN).find(|height| !is_open_above(&table, *height)).unwrap_or(0);
            table
        };
        Self { tables: Piece::ALL.map(table) }
    }

    /// How many places there are for a piece.
    pub fn count(&self, field: &Field, piece: Piece) -> u32 {
        find(self.table(piece), field).count
    }

    /// All places of a piece, by rotation, the lowest rows first.
    pub fn places(&self, field: &Field, piece: Piece) -> Vec<Place> {
        let found = find(self.table(piece), field);
        let mut places = Vec::with_capacity(found.count as usize);
        found.places.each(found.words, |lane, column, row| {
            let orientation = Orientation::of(piece, Rotation::ALL[lane]);
            places.push(Place { orientation, column, row });
        });
        places
    }

    /// All places of the T, each with what spins lead there: a place can be in the list more than once.
    pub fn landings(&self, field: &Field) -> Vec<Landing> {
        find_spins(self.table(Piece::T), field)
    }

    /// The field when a piece rests at one of its places, completed rows removed, and how many those were.
    #[inline]
    pub fn locked(&self, field: &Field, place: Place) -> (Field, u32) {
        let (cells, below) = &self.table(place.orientation.piece()).stamps[place.orientation.rotation() as usize];
        let mut after = *field;
        after.fill(place.row.saturating_sub(*below), cells.get(place.column).copied().unwrap_or(0));
        let lines = after.clear_full_rows();
        (after, lines)
    }

    fn table(&self, piece: Piece) -> &Table {
        &self.tables[piece.index()]
    }
}

/// All places of a piece.
struct Found {
    places: Lanes<{ field::WORDS }>,
    /// Words that hold any.
    words: usize,
    count: u32,
}

/// Searches in as many words as the pile needs, with the widest instructions that the processor has.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn find(table: &Table, field: &Field) -> Found {
    let height = field.height();
    if height >= table.open_below {
        return below_the_spawn(table, field);
    }
    match (height + MARGIN).div_ceil(WORD_ROWS) {
        1 | 2 => above_the_pile::<2>(table, field),
        3 => above_the_pile::<3>(table, field),
        _ => above_the_pile::<{ field::WORDS }>(table, field),
    }
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn find_spins(table: &Table, field: &Field) -> Vec<Landing> {
    let mut search = Search::<{ field::WORDS }>::new(table, &field.words);
    if field.height() < table.open_below {
        search.start_above();
    } else {
        start_at_spawn(&mut search, table);
    }
    spins::landings(search, field)
}

#[inline(always)]
fn above_the_pile<const N: usize>(table: &Table, field: &Field) -> Found {
    let mut search = Search::<N>::new(table, &field.words);
    search.start_above();
    search.turn_plainly();
    if !search.is_done() {
        search.run();
    }
    found(&search)
}

#[inline(always)]
fn below_the_spawn(table: &Table, field: &Field) -> Found {
    let mut search = Search::<{ field::WORDS }>::new(table, &field.words);
    start_at_spawn(&mut search, table);
    search.run();
    found(&search)
}

#[inline(always)]
fn found<const N: usize>(search: &Search<'_, N>) -> Found {
    let places = search.places();
    Found { places: places.widened(), words: N, count: places.count() }
}

/// Whether every piece reaches every place on top of so many full rows without being kicked off them. Then it reaches what lies
/// open above any pile that is no higher: it goes there above all its blocks, and falls.
fn is_open_above(table: &Table, height: usize) -> bool {
    let (empty, mut full) = (Field::default(), Field::default());
    (0..height).for_each(|row| full.fill(row, field::ROW));
    let mut search = Search::<{ field::WORDS }>::new(table, &full.words);
    // Where a lower pile lets it drop it cannot stay above.
    let (lane, column, row) = spawn_place(table);
    search.start_at(lane, column, row - usize::from(table.drops_at_once).min(row));
    search.run_turning_as_in(&Search::new(table, &empty.words));
    search.is_done()
}

/// Where a piece can be before anything is asked of it.
fn start_at_spawn(search: &mut Search<'_, { field::WORDS }>, table: &Table) {
    let (lane, column, row) = spawn_place(table);
    search.start_at(lane, column, row);
    if table.drops_at_once && !search.reached.is_empty() {
        let appeared = search.reached;
        search.start_at(lane, column, row.saturating_sub(1));
        if search.reached.is_empty() {
            search.reached = appeared;
        }
    }
}

/// The lane, column and row, from the floor, in which a piece appears.
fn spawn_place(table: &Table) -> (usize, usize, usize) {
    let Pose { x, y, orientation } = table.spawn;
    (orientation.rotation() as usize, x.max(0) as usize, y.max(0) as usize)
}
