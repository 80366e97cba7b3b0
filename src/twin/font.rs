//! A small bitmap font of our own: five columns by seven rows, as pictures in the source.
//!
//! The console's letters have upright strokes two pixels wide; drawing the outer columns twice gives that look from
//! one narrow font.

/// Rows of a glyph, top to bottom; bit 4 is the leftmost column.
pub type Glyph = [u8; 7];

/// The characters there are, in the order of [`GLYPHS`].
const CHARACTERS: &[u8] = b"0123456789ACDEGHIKLMNOPRSTUVXY-BFJQWZ,/().\"";

/// One glyph a character of [`CHARACTERS`], bits left to right.
const GLYPHS: [Glyph; 43] = [
    [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110], // 0
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b11111], // 1
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111], // 2
    [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110], // 3
    [0b00110, 0b01010, 0b10010, 0b10010, 0b11111, 0b00010, 0b00010], // 4
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110], // 5
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110], // 6
    [0b11111, 0b10001, 0b00010, 0b00100, 0b00100, 0b01000, 0b01000], // 7
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110], // 8
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100], // 9
    [0b01110, 0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001], // A
    [0b01111, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b01111], // C
    [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110], // D
    [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111], // E
    [0b01111, 0b10000, 0b10000, 0b10011, 0b10001, 0b10001, 0b01111], // G
    [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001], // H
    [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b11111], // I
    [0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001], // K
    [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111], // L
    [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001], // M
    [0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001], // N
    [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110], // O
    [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000], // P
    [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001], // R
    [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110], // S
    [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100], // T
    [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110], // U
    [0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b01010, 0b00100], // V
    [0b10001, 0b01010, 0b01010, 0b00100, 0b01010, 0b01010, 0b10001], // X
    [0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100], // Y
    [0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000], // -
    [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110], // B
    [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000], // F
    [0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100], // J
    [0b01110, 0b10001, 0b10001, 0b10001, 0b10101, 0b10010, 0b01101], // Q
    [0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001], // W
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111], // Z
    [0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00100, 0b01000], // ,
    [0b00000, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b00000], // /
    [0b00010, 0b00100, 0b01000, 0b01000, 0b01000, 0b00100, 0b00010], // (
    [0b01000, 0b00100, 0b00010, 0b00010, 0b00010, 0b00100, 0b01000], // )
    [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100], // .
    [0b01010, 0b01010, 0b01010, 0b00000, 0b00000, 0b00000, 0b00000], // "
];

/// The glyph of a character; a blank for one the font does not have.
pub fn glyph(character: u8) -> Glyph {
    CHARACTERS.iter().position(|&c| c == character).map_or([0; 7], |i| GLYPHS[i])
}

/// Which of a glyph's five columns stands in each pixel column of a wide letter (7 pixels).
pub const WIDE: [u8; 7] = [0, 0, 1, 2, 3, 4, 4];

/// The same for a narrow letter (5 pixels).
pub const NARROW: [u8; 5] = [0, 1, 2, 3, 4];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_a_glyph_of_its_own_but_0_and_o() {
        assert_eq!(CHARACTERS.len(), GLYPHS.len());
        for (i, a) in GLYPHS.iter().enumerate() {
            assert!(a.iter().all(|row| *row < 32) && a.iter().any(|row| *row > 0));
            for (j, b) in GLYPHS.iter().enumerate().skip(i + 1) {
                assert!(a != b || (CHARACTERS[i], CHARACTERS[j]) == (b'0', b'O'));
            }
        }
        assert_eq!(glyph(b'?'), [0; 7]);
    }
}
