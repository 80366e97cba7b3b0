//! Fields for tests, as they are drawn.

use crate::game::Board;
use crate::game::movegen::Field;

/// The lowest rows of a field; what is not drawn is empty.
pub fn field(lowest: &[&str]) -> Field {
    let mut all = vec![".........."; 20 - lowest.len()];
    all.extend(lowest);
    Field::of(&Board::parse(&all).unwrap())
}
