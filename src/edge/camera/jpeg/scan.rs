//! Whether all pixels of a picture without an end are there: its Huffman codes are walked, and nothing is computed from
//! them (ITU-T T.81, Annex F.2).

use super::{DHT, SOS, segment};

/// Where a baseline picture's entropy-coded data ends; `None` if they stop before the last pixel, or the picture is of
/// another kind.
pub(super) fn end_of_pixels(bytes: &[u8]) -> Option<usize> {
    let mut header = Header::default();
    let mut at = 2;
    loop {
        let &[0xff, kind] = bytes.get(at..at + 2)? else { return None };
        if kind == 0xff {
            at += 1;
            continue;
        }
        let (body, next) = segment(bytes, at)?;
        match kind {
            0xc0 | 0xc1 => header.frame(body)?,
            DHT => header.tables(body)?,
            0xdd => header.restart_mcus = u32::from(u16::from_be_bytes([*body.first()?, *body.get(1)?])),
            SOS => {
                let mut bits = Bits { bytes, at: next, held: 0, count: 0 };
                header.walk(body, &mut bits)?;
                return Some(bits.at);
            }
            _ => {}
        }
        at = next;
    }
}

#[derive(Default)]
struct Header {
    size: [u32; 2],
    parts: Vec<Part>,
    /// By class and destination: DC 0 to 3, AC 0 to 3.
    tables: [Option<Table>; 8],
    /// Units between restarts; 0: none.
    restart_mcus: u32,
}

/// A colour component.
#[derive(Clone, Copy)]
struct Part {
    id: u8,
    across: u32,
    down: u32,
}

impl Header {
    fn frame(&mut self, body: &[u8]) -> Option<()> {
        let &[8, h1, h0, w1, w0, count, ref parts @ ..] = body else { return None };
        self.size = [u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0])].map(u32::from);
        self.parts = parts
            .chunks_exact(3)
            .map(|part| Part { id: part[0], across: u32::from(part[1] >> 4), down: u32::from(part[1] & 0xf) })
            .collect();
        let is_sane = (1..=4).contains(&count)
            && self.parts.len() == usize::from(count)
            && self.parts.iter().all(|p| (1..=4).contains(&p.across) && (1..=4).contains(&p.down));
        is_sane.then_some(())
    }

    fn tables(&mut self, body: &[u8]) -> Option<()> {
        let mut rest = body;
        while let [id, after @ ..] = rest {
            let (bits, after) = after.split_first_chunk::<16>()?;
            let (values, after) = after.split_at_checked(bits.iter().map(|n| usize::from(*n)).sum())?;
            let place = usize::from(id >> 4) * 4 + usize::from(id & 0xf);
            *self.tables.get_mut(place).filter(|_| id & 0xf < 4)? = Some(Table::new(bits, values));
            rest = after;
        }
        Some(())
    }

    /// Walks one scan that holds all components.
    fn walk(&self, body: &[u8], bits: &mut Bits) -> Option<()> {
        let (count, chosen) = body.split_first()?;
        let count = usize::from(*count);
        if count == 0 || count != self.parts.len() {
            return None;
        }
        let mut blocks = Vec::new();
        for choice in chosen.get(..2 * count)?.chunks_exact(2) {
            let part = self.parts.iter().find(|p| p.id == choice[0])?;
            let dc = self.tables.get(usize::from(choice[1] >> 4))?.as_ref()?;
            let ac = self.tables.get(4 + usize::from(choice[1] & 0xf))?.as_ref()?;
            // A component alone is not interleaved: its unit is a single block.
            let each = if count == 1 { 1 } else { part.across * part.down };
            (0..each).for_each(|_| blocks.push((dc, ac)));
        }
        let most = |of: fn(&Part) -> u32| if count == 1 { 1 } else { self.parts.iter().map(of).max().unwrap_or(1) };
        let across = self.size[0].div_ceil(8 * most(|p| p.across));
        let down = self.size[1].div_ceil(8 * most(|p| p.down));
        for unit in 0..across * down {
            if self.restart_mcus > 0 && unit > 0 && unit % self.restart_mcus == 0 {
                bits.restart()?;
            }
            blocks.iter().try_for_each(|(dc, ac)| bits.block(dc, ac))?;
        }
        Some(())
    }
}

/// A Huffman table as the standard's decoder wants it, by the length of a code less one.
struct Table {
    /// The last code of this length; -1 if there is none.
    last_code: [i32; 16],
    /// Add a code to this for the place of its symbol.
    offset: [i32; 16],
    symbols: Vec<u8>,
}

impl Table {
    fn new(bits: &[u8; 16], symbols: &[u8]) -> Self {
        let mut table = Self { last_code: [-1; 16], offset: [0; 16], symbols: symbols.to_vec() };
        let (mut code, mut place) = (0i32, 0i32);
        for (length, &count) in bits.iter().enumerate() {
            if count > 0 {
                table.offset[length] = place - code;
                place += i32::from(count);
                code += i32::from(count);
                table.last_code[length] = code - 1;
            }
            code <<= 1;
        }
        table
    }
}

/// Reads bits, highest first, and passes over the zeros after FF.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u8,
    count: u32,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<u8> {
        if self.count == 0 {
            self.held = *self.bytes.get(self.at)?;
            self.at += 1;
            if self.held == 0xff {
                (*self.bytes.get(self.at)? == 0).then_some(())?;
                self.at += 1;
            }
            self.count = 8;
        }
        self.count -= 1;
        Some(self.held >> self.count & 1)
    }

    fn skip(&mut self, count: u8) -> Option<()> {
        (0..count).try_for_each(|_| self.bit().map(drop))
    }

    fn symbol(&mut self, table: &Table) -> Option<u8> {
        let mut code = 0i32;
        for length in 0..16 {
            code = code << 1 | i32::from(self.bit()?);
            if code <= table.last_code[length] {
                return table.symbols.get(usize::try_from(code + table.offset[length]).ok()?).copied();
            }
        }
        None
    }

    /// One block of 8 × 8 coefficients.
    fn block(&mut self, dc: &Table, ac: &Table) -> Option<()> {
        let size = self.symbol(dc)?;
        self.skip(size)?;
        let mut place = 1;
        while place < 64 {
            let symbol = self.symbol(ac)?;
            match (symbol >> 4, symbol & 0xf) {
                (15, 0) => place += 16,
                (_, 0) => break,
                (zeros, size) => {
                    place += u32::from(zeros) + 1;
                    self.skip(size)?;
                }
            }
        }
        (place <= 64).then_some(())
    }

    /// The rest of the byte is filling, then comes a restart marker.
    fn restart(&mut self) -> Option<()> {
        self.count = 0;
        while self.bytes.get(self.at..self.at + 2)? == [0xff, 0xff] {
            self.at += 1;
        }
        let &[0xff, 0xd0..=0xd7] = self.bytes.get(self.at..self.at + 2)? else { return None };
        self.at += 2;
        Some(())
    }
}
