//! The Huffman tables that MJPEG pictures leave out: those of ITU-T T.81, Annex K.3.
//!
//! The standard gives each as BITS (how many codes have 1, 2, … 16 bits) and HUFFVAL (the symbols in the order of their
//! codes). Its rare symbols come in ascending order, so only the frequent ones are written down here.

/// Bytes of [`segment`].
pub(super) const SEGMENT_BYTES: usize = 4 + 4 * 17 + 2 * 12 + 2 * 162;

struct Table {
    /// Class (0 DC, 1 AC) and destination (0 luminance, 1 chrominance), as the segment has it.
    id: u8,
    bits: [u8; 16],
    frequent: &'static [u8],
}

const TABLES: [Table; 4] = [
    Table { id: 0x00, bits: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], frequent: &[] },
    Table { id: 0x01, bits: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], frequent: &[] },
    Table {
        id: 0x10,
        bits: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        frequent: &[
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
            0x82,
        ],
    },
    Table {
        id: 0x11,
        bits: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
        frequent: &[
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
            0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
            0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17,
        ],
    },
];

/// A DHT segment, marker and length included, with all four tables.
pub(super) fn segment() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SEGMENT_BYTES);
    bytes.extend([0xff, super::DHT]);
    bytes.extend(((SEGMENT_BYTES - 2) as u16).to_be_bytes());
    for table in &TABLES {
        bytes.push(table.id);
        bytes.extend(table.bits);
        bytes.extend(table.frequent);
        bytes.extend(symbols(table.id).filter(|symbol| !table.frequent.contains(symbol)));
    }
    bytes
}

/// All symbols of a class, ascending: for DC the sizes 0 to 11; for AC a run of zeros (0 to 15) and a size (1 to 10), the
/// end of the block, and sixteen zeros.
fn symbols(id: u8) -> impl Iterator<Item = u8> {
    let is_ac = id >= 0x10;
    (0..=0xff).filter(move |symbol| match is_ac {
        false => *symbol <= 11,
        true => matches!(symbol & 0xf, 1..=10) || matches!(symbol, 0x00 | 0xf0),
    })
}
