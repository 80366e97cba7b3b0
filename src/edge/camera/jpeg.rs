//! What cameras send as JPEG, put right: standard Huffman tables where a picture has none, bytes after the end cut off, a
//! missing end put on. Pure, and safe on any bytes.
//!
//! The shape of the format is ITU-T T.81: a picture is SOI (FF D8), segments with lengths, entropy-coded scans in which
//! FF is followed by 00, and EOI (FF D9).

mod scan;
mod tables;

use std::borrow::Cow;
use thiserror::Error;

/// No picture of more pixels than this is decoded: 8192 × 8192, twice what the largest webcams send.
pub const PIXELS_MAX: u64 = 1 << 26;

/// Second bytes of the markers that matter here.
const SOI: u8 = 0xd8;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;
const DHT: u8 = 0xc4;

/// What is wrong with a camera's picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Flaw {
    /// No byte, or only zeros.
    #[error("empty")]
    Empty,
    /// No JPEG.
    #[error("no JPEG picture")]
    Junk,
    /// It ends before its last pixel.
    #[error("broken off")]
    BrokenOff,
    /// It claims more than [`PIXELS_MAX`].
    #[error("larger than any camera's picture")]
    TooLarge,
}

/// A picture that a decoder can read, and what was done for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired<'a> {
    /// From SOI to EOI.
    pub bytes: Cow<'a, [u8]>,
    /// Width and height, px.
    pub size: [u16; 2],
    /// It had no Huffman tables, as most MJPEG cameras' pictures.
    pub tables_added: bool,
    /// It had no end, though all its pixels are there.
    pub end_added: bool,
    /// Bytes after its end, which were cut off.
    pub padding: usize,
}

/// Makes a camera's picture into one that any decoder reads; `bytes` are exactly those that the camera sent.
///
/// # Errors
/// When that cannot be done.
pub fn repair(bytes: &[u8]) -> Result<Repaired<'_>, Flaw> {
    if bytes.iter().all(|b| *b == 0) {
        return Err(Flaw::Empty);
    }
    let outline = Outline::of(bytes)?;
    // A picture that ends before its first scan says nothing; one that breaks off there has said less than it wanted to.
    let missing = if outline.end.is_some() { Flaw::Junk } else { Flaw::BrokenOff };
    let scan_at = outline.scan_at.ok_or(missing)?;
    let size = outline.size.ok_or(Flaw::Junk)?;
    if u64::from(size[0]) * u64::from(size[1]) > PIXELS_MAX {
        return Err(Flaw::TooLarge);
    }
    let end = outline.end.unwrap_or(bytes.len());
    let mut whole = Cow::Borrowed(&bytes[..end]);
    if !outline.has_tables {
        let mut with_tables = Vec::with_capacity(end + tables::SEGMENT_BYTES + 2);
        with_tables.extend_from_slice(&bytes[..scan_at]);
        with_tables.extend(tables::segment());
        with_tables.extend_from_slice(&bytes[scan_at..end]);
        whole = Cow::Owned(with_tables);
    }
    if outline.end.is_none() {
        let data_end = scan::end_of_pixels(&whole).ok_or(Flaw::BrokenOff)?;
        let mut with_end = whole.into_owned();
        with_end.truncate(data_end);
        with_end.extend([0xff, EOI]);
        whole = Cow::Owned(with_end);
    }
    Ok(Repaired {
        bytes: whole,
        size,
        tables_added: !outline.has_tables,
        end_added: outline.end.is_none(),
        padding: bytes.len() - end,
    })
}

/// Where the parts of a picture are.
struct Outline {
    size: Option<[u16; 2]>,
    /// Huffman tables come before the first scan.
    has_tables: bool,
    /// Where the first scan's marker is.
    scan_at: Option<usize>,
    /// Just after EOI; `None` if the bytes end first.
    end: Option<usize>,
}

impl Outline {
    fn of(bytes: &[u8]) -> Result<Self, Flaw> {
        if !bytes.starts_with(&[0xff, SOI]) {
            return Err(Flaw::Junk);
        }
        let mut outline = Self { size: None, has_tables: false, scan_at: None, end: None };
        let mut at = 2;
        while let Some(&[mark, kind]) = bytes.get(at..at + 2) {
            match (mark, kind) {
                (0xff, 0xff) => at += 1,
                (0xff, EOI) => {
                    outline.end = Some(at + 2);
                    break;
                }
                // Another picture begins where this one should go on.
                (0xff, SOI) => return Err(Flaw::BrokenOff),
                (0xff, 0x01 | 0xd0..=0xd7) => at += 2,
                (0xff, 0xc0..=0xfe) => match segment(bytes, at) {
                    Some((body, next)) => at = outline.take(bytes, at, kind, body, next)?,
                    None => break,
                },
                _ => return Err(Flaw::Junk),
            }
        }
        Ok(outline)
    }

    /// Notes a segment; where the next marker is.
    fn take(&mut self, bytes: &[u8], at: usize, kind: u8, body: &[u8], next: usize) -> Result<usize, Flaw> {
        match kind {
            DHT => self.has_tables |= self.scan_at.is_none(),
            // All frame headers; C4, C8 and CC are others.
            0xc0..=0xcf if !matches!(kind, 0xc8 | 0xcc) => {
                let &[_, h1, h0, w1, w0, ..] = body else { return Err(Flaw::Junk) };
                let size = [u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0])];
                if size.contains(&0) {
                    return Err(Flaw::Junk);
                }
                self.size.get_or_insert(size);
            }
            SOS => {
                self.scan_at.get_or_insert(at);
                return Ok(after_scan(bytes, next));
            }
            _ => {}
        }
        Ok(next)
    }
}

/// A segment's content and where the next begins; `None` if the bytes end first.
fn segment(bytes: &[u8], marker_at: usize) -> Option<(&[u8], usize)> {
    let &[high, low] = bytes.get(marker_at + 2..marker_at + 4)? else { return None };
    let next = marker_at + 2 + usize::from(u16::from_be_bytes([high, low])).max(2);
    Some((bytes.get(marker_at + 4..next)?, next))
}

/// The next marker after entropy-coded bytes that is no restart and no damage, or the end.
fn after_scan(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == 0xff)) {
        at += found;
        match bytes.get(at + 1) {
            Some(&(SOI | EOI | SOS | DHT | 0xdb..=0xdd)) => return at,
            Some(0xff) => at += 1,
            Some(_) => at += 2,
            None => break,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat;

    /// A picture with something in it, with standard tables, `sampling` as asked for.
    fn picture(width: u16, height: u16, sampling: jpeg_encoder::SamplingFactor, restart: Option<u16>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let pixels: Vec<u8> =
            (0..usize::from(width) * usize::from(height) * 3).map(|i| (i * i / 7 % 251) as u8).collect();
        let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 85);
        encoder.set_sampling_factor(sampling);
        if let Some(interval) = restart {
            encoder.set_restart_interval(interval);
        }
        encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).unwrap();
        bytes
    }

    /// As most cameras send it.
    fn without_tables(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut rest, mut tables) = (bytes[..2].to_vec(), Vec::new());
        let mut at = 2;
        loop {
            let (body, next) = segment(bytes, at).unwrap();
            match bytes[at + 1] {
                DHT => tables.extend_from_slice(body),
                SOS => break,
                _ => rest.extend_from_slice(&bytes[at..next]),
            }
            at = next;
        }
        rest.extend_from_slice(&bytes[at..]);
        (rest, tables)
    }

    fn decoded(bytes: &[u8]) -> image::RgbImage {
        image::load_from_memory_with_format(bytes, ImageFormat::Jpeg).unwrap().into_rgb8()
    }

    const SAMPLINGS: [jpeg_encoder::SamplingFactor; 3] =
        [jpeg_encoder::SamplingFactor::F_1_1, jpeg_encoder::SamplingFactor::F_2_1, jpeg_encoder::SamplingFactor::F_2_2];

    #[test]
    fn a_picture_without_huffman_tables_gets_the_standard_ones() {
        for sampling in SAMPLINGS {
            let whole = picture(70, 50, sampling, None);
            let (bare, taken) = without_tables(&whole);
            // The encoder's tables are an independent copy of the standard's.
            let segment = tables::segment();
            let sorted = |bytes: &[u8]| {
                let mut tables = Vec::new();
                let mut rest = bytes;
                while let Some((head, after)) = rest.split_at_checked(17) {
                    let values: usize = head[1..].iter().map(|n| usize::from(*n)).sum();
                    tables.push((head[0], [head, &after[..values]].concat()));
                    rest = &after[values..];
                }
                tables.sort();
                tables
            };
            assert_eq!(sorted(&segment[4..]), sorted(&taken));
            let repaired = repair(&bare).unwrap();
            assert_eq!((repaired.tables_added, repaired.end_added, repaired.padding), (true, false, 0));
            assert_eq!(decoded(&repaired.bytes), decoded(&whole));
            assert!(matches!(repair(&whole).unwrap().bytes, Cow::Borrowed(b) if b == whole));
        }
    }

    #[test]
    fn bytes_after_the_end_are_cut_off_whatever_they_are() {
        let whole = picture(70, 50, SAMPLINGS[1], None);
        for tail in [vec![0; 600], vec![0xff; 5], b"trailer".to_vec(), whole[100..].to_vec(), whole.clone()] {
            let mut padded = whole.clone();
            padded.extend_from_slice(&tail);
            let repaired = repair(&padded).unwrap();
            assert_eq!((repaired.bytes.as_ref(), repaired.padding), (whole.as_slice(), tail.len()));
        }
    }

    #[test]
    fn a_missing_end_is_put_on_if_all_pixels_are_there() {
        for (sampling, restart) in SAMPLINGS.into_iter().flat_map(|s| [(s, None), (s, Some(3))]) {
            let whole = picture(70, 50, sampling, restart);
            for bytes in [whole.clone(), without_tables(&whole).0] {
                let endless = &bytes[..bytes.len() - 2];
                let repaired = repair(endless).unwrap();
                assert!(repaired.end_added, "{sampling:?}, {restart:?}");
                assert_eq!(decoded(&repaired.bytes), decoded(&whole));
                let mut zeros = endless.to_vec();
                zeros.extend([0; 300]);
                assert_eq!(decoded(&repair(&zeros).unwrap().bytes), decoded(&whole));
            }
        }
    }

    #[test]
    fn a_picture_that_breaks_off_is_called_so_wherever_it_does() {
        for (sampling, restart) in [(SAMPLINGS[0], None), (SAMPLINGS[1], Some(4)), (SAMPLINGS[2], None)] {
            let whole = picture(70, 50, sampling, restart);
            // The last byte of pixels may be but filling bits.
            for length in 3..whole.len() - 4 {
                assert_eq!(repair(&whole[..length]).unwrap_err(), Flaw::BrokenOff, "{length} of {}", whole.len());
            }
            // Broken off, and another follows.
            let torn = [&whole[..whole.len() / 2], &whole].concat();
            assert_eq!(repair(&torn).unwrap_err(), Flaw::BrokenOff);
        }
    }

    #[test]
    fn what_is_no_picture_is_named() {
        let whole = picture(16, 16, SAMPLINGS[0], None);
        let mut huge = whole.clone();
        let frame = (0..huge.len()).find(|&i| huge[i..].starts_with(&[0xff, 0xc0])).unwrap();
        huge[frame + 5..frame + 9].fill(0xff);
        let table: [(&[u8], Flaw); 7] = [
            (&[], Flaw::Empty),
            (&[0; 4096], Flaw::Empty),
            (b"\x10\x80\x10\x80\x10\x80", Flaw::Junk),
            (&whole[1..], Flaw::Junk),
            (&[0xff, 0xd8, 0xff, 0xd9], Flaw::Junk),
            (&[0xff, 0xd8], Flaw::BrokenOff),
            (&huge, Flaw::TooLarge),
        ];
        for (bytes, flaw) in table {
            assert_eq!(repair(bytes).unwrap_err(), flaw, "{bytes:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_repaired_or_named(
            base in 0usize..3,
            damage in proptest::collection::vec((0usize..4000, proptest::num::u8::ANY), 0..8),
            cut in 0usize..4000,
            own in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
        ) {
            let mut bytes = [picture(40, 24, SAMPLINGS[2], Some(2)), without_tables(&picture(33, 17, SAMPLINGS[1], None)).0, own][base].clone();
            for (place, value) in damage {
                if let Some(len) = bytes.len().checked_sub(1) {
                    bytes[place % (len + 1)] = value;
                }
            }
            bytes.truncate(cut);
            if let Ok(repaired) = repair(&bytes) {
                proptest::prop_assert!(repaired.bytes.starts_with(&[0xff, SOI]) && repaired.bytes.ends_with(&[0xff, EOI]));
                // What was put right stays as it is.
                let again = repair(&repaired.bytes).unwrap();
                proptest::prop_assert_eq!((&again.bytes, again.padding), (&repaired.bytes, 0));
            }
        }
    }
}
