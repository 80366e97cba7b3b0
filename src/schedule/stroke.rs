//! What a finger does with one set of buttons.

use crate::game::Buttons;

/// Something the finger does with one set of buttons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// Press and release once.
    Tap(Buttons),
    /// Hold Down for exactly this many rows.
    SoftDrop(u8),
    /// Hold Down until the piece lies on what is below it, which takes no more than so many frames.
    Lower(u16),
    /// Hold Down until the piece has locked.
    HoldDown,
    /// Hold a direction for this many columns, at least two: the first is the press's own, the others come by auto-shift.
    Hold {
        /// Left or right.
        direction: Buttons,
        /// Columns.
        columns: u8,
    },
    /// Tap the key that drops and locks the piece at once.
    HardDrop,
}
