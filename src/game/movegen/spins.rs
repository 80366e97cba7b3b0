//! Which places of a T are spins, known by the last move.

use super::field::{Field, WORDS};
use super::lanes::{LANES, Lanes, Shift};
use super::place::Place;
use super::search::Search;
use crate::game::{Orientation, Piece, Rotation};

/// Whether a piece was spun into its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Spin {
    /// Not, or it is no T.
    #[default]
    None,
    /// An easier one.
    Mini,
    /// A T-spin.
    Full,
}

/// A place of a T and how it can get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Landing {
    /// The place.
    pub place: Place,
    /// What its lock down counts as.
    pub spin: Spin,
}

/// The test of a turn that makes every spin a full one, from 0; so does any turn after it (seed 002:1980).
const FIFTH: usize = 4;

/// The cells beside the nose and behind it, facing north: columns to the right and rows upwards (seed 002:1935–1974).
const CORNERS: [(i8, i8); 4] = [(-1, 1), (1, 1), (-1, -1), (1, -1)];

type All = Lanes<WORDS>;

/// All landings of a search that has only begun.
#[inline(always)]
pub(super) fn landings(mut search: Search<'_, WORDS>, field: &Field) -> Vec<Landing> {
    let begun = search.reached;
    search.run_to_the_end();
    let (full, mini) = by_corners(field);
    let slots = full.or(mini);
    // Through the fifth test, and by turns alone from there.
    let mut fifth = All::NONE;
    let (mut spun_full, mut spun_mini) = (All::NONE, All::NONE);
    let mut plain = begun.or(search.moved(search.reached));
    search.turned(search.reached, |test, places| {
        plain = plain.or(places.without(slots));
        spun_full = spun_full.or(places.and(full));
        if test == FIFTH {
            fifth = fifth.or(places);
        } else {
            spun_mini = spun_mini.or(places.and(mini));
        }
    });
    loop {
        let further = search.turn_all(fifth).without(fifth);
        if further.is_empty() {
            break;
        }
        fifth = fifth.or(further);
    }
    spun_full = spun_full.or(fifth.and(slots));
    let mut all = Vec::new();
    for (spin, places) in [(Spin::None, plain), (Spin::Mini, spun_mini), (Spin::Full, spun_full)] {
        places.and(search.landing).each(WORDS, |lane, column, row| {
            let orientation = Orientation::of(Piece::T, Rotation::ALL[lane]);
            all.push(Landing { place: Place { orientation, column, row }, spin });
        });
    }
    all
}

/// Where a T touches something at A, B and C or D; and where only at C, D and A or B.
#[inline(always)]
fn by_corners(field: &Field) -> (All, All) {
    let free = All::all(&field.words).inverse();
    let [a, b, c, d] = CORNERS.map(|corner| {
        // Seen from the corner, the pivot is the other way; a wall or the floor there is not free.
        let seen = Shift::of(std::array::from_fn(|lane| Some(turned(corner, lane)).map(|(x, y)| (-x, -y))));
        free.moved(&seen).inverse()
    });
    let full = a.and(b).and(c.or(d));
    (full, c.and(d).and(a.or(b)).without(full))
}

/// A cell turned clockwise so many times.
fn turned(cell: (i8, i8), times: usize) -> (i8, i8) {
    (0..times % LANES).fold(cell, |(x, y), _| (y, -x))
}
