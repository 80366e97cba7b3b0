//! Full rows on their way out of the picture: at once or one after another, before the next piece or while it falls already.

use super::evidence::Evidence;
use super::story::Settling;
use crate::game::{Board, Pose};
use crate::time::HostTime;

/// A piece that was dropped may still be drawn so many rows too high when the next one is there.
pub const DRAWN_ROWS: usize = 2;

/// What speaks against a pile whose full rows go, nats, with as many of them gone as fits best; `None` if no row is full.
pub fn against_going(evidence: &Evidence, full: &Board) -> Option<f32> {
    let rows: Vec<usize> = full.full_rows().collect();
    // Where one goes after another, the uppermost or the lowest goes first.
    let gone = (0..=rows.len()).flat_map(|count| [&rows[..count], &rows[rows.len() - count..]]);
    let against = gone.map(|gone| against_beside_full(evidence, &full.without_rows(gone, 0)));
    against.min_by(f32::total_cmp).filter(|_| !rows.is_empty())
}

/// The same, of a pile of which the full rows say nothing: they are vanishing.
fn against_beside_full(evidence: &Evidence, pile: &Board) -> f32 {
    let rows = (0..pile.height()).filter(|y| pile.row(*y) != pile.full_row());
    rows.map(|y| evidence.against_row(y, pile.row(y))).sum()
}

/// The rows that a piece which locks here sets moving; `None` if it completes none.
pub fn settling_rows(pile: &Board, lock: Pose, since: HostTime) -> Option<Settling> {
    let mut full = *pile;
    lock.stamp(&mut full);
    let bottom = full.full_rows().next_back()?;
    let top = (0..full.height()).find(|y| full.row(*y) != 0)?;
    Some(Settling { since, top: top.saturating_sub(DRAWN_ROWS), bottom })
}
