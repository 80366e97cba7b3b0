//! How long the game takes from a lock to the next piece when no row is full.

/// Rows of the playfield, and how many of them are copied to video memory in one vertical blank. $952A.
const ROWS: u32 = 20;
const ROWS_PER_COPY: u32 = 4;
/// After both copies: four rows are looked through ($9A6B), then the whole field is copied once more before the next piece
/// may appear.
const CHECKS_AND_COPY: u32 = 3 + ROWS / ROWS_PER_COPY;

/// The animation of full rows moves on when the frame counter is a multiple of this. $977F.
pub const CLEAR_STEP: u32 = 4;
/// Frames by which full rows delay the next piece: five steps of the animation, the first after one to four frames.
pub const CLEAR_FRAMES: std::ops::RangeInclusive<u32> = 17..=20;

/// Frames from the lock of a piece whose centre is in `row` to the next piece's appearance: 10 at the bottom, 18 at the top.
/// Twice the game waits until the rows from two above the piece are in video memory ($9CAF).
pub fn entry_frames(row: i8) -> u32 {
    let copied_from = u32::try_from(row - 2).unwrap_or(0).min(ROWS - 1);
    2 * (ROWS - copied_from).div_ceil(ROWS_PER_COPY) + CHECKS_AND_COPY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Buttons;
    use crate::game::nes::{Console, Event};

    #[test]
    fn the_console_takes_as_long() {
        let mut console = Console::new(18, 600);
        console.frame(Buttons::START);
        let mut locked = None;
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..20_000 {
            // Pieces pile up in the middle until the game is over.
            match console.frame(Buttons::NONE) {
                Some(Event::Locked(pose)) => locked = Some((console.frame.0, pose.y)),
                Some(Event::Spawned(..)) => {
                    if let Some((at, row)) = locked.take() {
                        assert_eq!(console.frame.0 - at, i64::from(entry_frames(row)), "row {row}");
                        seen.insert(entry_frames(row));
                    }
                }
                _ => {}
            }
        }
        assert!(seen.len() > 3, "{seen:?}");
    }
}
