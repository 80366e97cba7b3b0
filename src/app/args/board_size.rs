//! A board's columns and rows, as typed.

use std::str::FromStr;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardSize(pub [usize; 2]);

impl FromStr for BoardSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']);
        let sides = sides.and_then(|(columns, rows)| Some([columns.parse().ok()?, rows.parse().ok()?]));
        sides.map(Self).ok_or_else(|| "use columns and rows with an x between them, such as 12x24".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_before_rows() {
        for (text, size) in [("4x400", Some([4, 400])), ("12X24", Some([12, 24])), ("10×20", Some([10, 20]))] {
            assert_eq!(text.parse().ok(), size.map(BoardSize), "{text}");
        }
        for text in ["10", "10x", "x20", "10x20x30", "-4x4", "ten x twenty"] {
            assert!(text.parse::<BoardSize>().unwrap_err().contains("12x24"), "{text}");
        }
    }
}
