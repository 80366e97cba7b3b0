//! Places as the protocol names them: by the centre that a turn without kicks leaves where it is.

use super::protocol::{Facing, Location, Move, SpinName};
use crate::game::guideline::{Spin, facing_north};
use crate::game::movegen::{COLUMNS, Landing, Place, ROWS};
use crate::game::{Orientation, Piece, Rotation};

/// Columns to the right and rows upwards.
type Cell = (i32, i32);

/// The cells of a piece about its centre.
fn about_centre(piece: Piece, facing: Facing) -> [Cell; 4] {
    let north = facing_north(piece, 0, 0).cells().map(|(x, y)| (i32::from(x), -i32::from(y)));
    north.map(|cell| (0..facing.turns()).fold(cell, |(x, y), _| (y, -x)))
}

/// And about its pivot.
fn about_pivot(orientation: Orientation) -> [Cell; 4] {
    orientation.cells().map(|(x, y)| (i32::from(x), -i32::from(y)))
}

/// The leftmost column and the lowest row.
fn corner(cells: [Cell; 4]) -> Cell {
    cells.into_iter().fold((i32::MAX, i32::MAX), |(x, y), cell| (x.min(cell.0), y.min(cell.1)))
}

/// Where a place is for the protocol.
pub fn location_of(place: Place) -> Location {
    let (piece, facing) = (place.orientation.piece(), Facing::of(place.orientation.rotation()));
    let (pivot, centre) = (corner(about_pivot(place.orientation)), corner(about_centre(piece, facing)));
    let (x, y) = (place.column as i32 + pivot.0 - centre.0, place.row as i32 + pivot.1 - centre.1);
    Location { piece, orientation: facing, x, y }
}

/// The place that covers the same cells; none if some are outside of the walls, the floor or the 40 rows.
pub fn place_of(location: Location) -> Option<Place> {
    let Location { piece, orientation: facing, x, y } = location;
    let orientation = Orientation::of(piece, Rotation::ALL[facing.turns()]).shape();
    let cells = about_centre(piece, facing);
    let is_inside = cells.into_iter().all(|(dx, dy)| {
        let (column, row) = (x.checked_add(dx), y.checked_add(dy));
        column.is_some_and(|column| (0..COLUMNS as i32).contains(&column))
            && row.is_some_and(|row| (0..ROWS as i32).contains(&row))
    });
    if !is_inside {
        return None;
    }
    let (pivot, centre) = (corner(about_pivot(orientation)), corner(cells));
    let (column, row) = (x + centre.0 - pivot.0, y + centre.1 - pivot.1);
    Some(Place { orientation, column: usize::try_from(column).ok()?, row: usize::try_from(row).ok()? })
}

/// A landing as the protocol tells it.
pub fn move_of(landing: Landing) -> Move {
    let spin = match landing.spin {
        Spin::None => SpinName::None,
        Spin::Mini => SpinName::Mini,
        Spin::Full => SpinName::Full,
    };
    Move { location: location_of(landing.place), spin }
}

/// And back.
pub fn landing_of(told: Move) -> Option<Landing> {
    let spin = match told.spin {
        SpinName::None => Spin::None,
        SpinName::Mini => Spin::Mini,
        SpinName::Full => Spin::Full,
    };
    Some(Landing { place: place_of(told.location)?, spin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn at(piece: Piece, orientation: Facing, x: i32, y: i32) -> Location {
        Location { piece, orientation, x, y }
    }

    fn cells(location: Location) -> BTreeSet<Cell> {
        about_centre(location.piece, location.orientation).map(|(dx, dy)| (location.x + dx, location.y + dy)).into()
    }

    /// The specification in words: "the center of the O piece in the north orientation is the bottom-left mino; for east, top-left
    /// …", "of the I piece in the north orientation is the middle-left mino; for east, the middle-top …".
    #[test]
    fn centres_are_those_of_the_specification() {
        let o = BTreeSet::from([(4, 0), (5, 0), (4, 1), (5, 1)]);
        for (facing, x, y) in [(Facing::North, 4, 0), (Facing::East, 4, 1), (Facing::South, 5, 1), (Facing::West, 5, 0)]
        {
            assert_eq!(cells(at(Piece::O, facing, x, y)), o);
        }
        let flat = BTreeSet::from([(3, 0), (4, 0), (5, 0), (6, 0)]);
        assert_eq!(cells(at(Piece::I, Facing::North, 4, 0)), flat);
        assert_eq!(cells(at(Piece::I, Facing::South, 5, 0)), flat);
        let upright = BTreeSet::from([(0, 0), (0, 1), (0, 2), (0, 3)]);
        assert_eq!(cells(at(Piece::I, Facing::East, 0, 2)), upright);
        assert_eq!(cells(at(Piece::I, Facing::West, 0, 1)), upright);
        let l = BTreeSet::from([(0, 0), (1, 0), (2, 0), (2, 1)]);
        assert_eq!(cells(at(Piece::L, Facing::North, 1, 0)), l);
        // A T that points to the right.
        assert_eq!(cells(at(Piece::T, Facing::East, 0, 1)), BTreeSet::from([(0, 0), (0, 1), (0, 2), (1, 1)]));
        assert_eq!(cells(at(Piece::S, Facing::North, 1, 0)), BTreeSet::from([(0, 0), (1, 0), (1, 1), (2, 1)]));
    }

    #[test]
    fn a_location_is_the_place_that_covers_the_same_cells() {
        for piece in Piece::ALL {
            for facing in Facing::ALL {
                let location = at(piece, facing, 4, 3);
                let place = place_of(location).unwrap();
                let covered =
                    about_pivot(place.orientation).map(|(x, y)| (place.column as i32 + x, place.row as i32 + y));
                assert_eq!(BTreeSet::from(covered), cells(location), "{location:?}");
                let again = location_of(place);
                assert_eq!(cells(again), cells(location));
                assert_eq!(place_of(again), Some(place));
            }
        }
    }

    #[test]
    fn a_location_outside_is_no_place() {
        for (x, y) in [(0, 3), (9, 3), (4, -1), (4, 48), (i32::MAX, 0), (0, i32::MIN), (i32::MIN, i32::MAX)] {
            assert_eq!(place_of(at(Piece::T, Facing::North, x, y)), None, "{x} {y}");
        }
    }
}
