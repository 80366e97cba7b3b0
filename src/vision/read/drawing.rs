//! How the game's blocks are drawn: with hollow middles, patterns, edges; as unevenly as they are, nothing else is.

use super::levels::quantile;
use super::sampling::CellValue;
use crate::game::Piece;
use crate::vision::spell::share_learned;

/// How many traits a block has by which it is known: hollow, rough, lean, tilt.
pub const TRAITS: usize = 4;
/// Below this share no trait differs.
const LEAST_SCATTER: f32 = 0.08;
/// How fast the usual is learned, and for how long before it is believed, ms.
pub const LEARNED_IN_MS: f64 = 700.0;
/// How fast a piece's own is learned where it appears, ms: it is there for a few pictures.
const KIND_LEARNED_IN_MS: f64 = 100.0;
/// What the game's blocks usually show is told from at least so many cells.
const LEAST_CELLS: usize = 4;
/// From the present picture alone it is told from so many cells that were blocks in the last one.
pub const ENOUGH_CELLS: usize = 8;
/// A cell is drawn otherwise than blocks where one of its traits is so many deviations off.
const OTHERWISE: f32 = 3.0;
/// The pile is drawn otherwise at once where this share of at least [`ENOUGH_CELLS`] of its cells shows a trait that differs by so
/// much, as a share of a block's contrast, from what they showed before.
const REDRAWN_CELLS: f32 = 0.6;
const REDRAWN: f32 = 2.0 * LEAST_SCATTER;

/// A cell's traits, each as a share of its contrast.
pub fn traits(cell: &CellValue, contrast: f32) -> [f32; TRAITS] {
    [cell.depth(), cell.roughness(), cell.lean, cell.tilt].map(|value| value / contrast)
}

/// How far traits are off together.
pub fn together<const N: usize>(off: [f32; N]) -> f32 {
    (off.iter().map(|off| off * off).sum::<f32>() / N as f32).sqrt()
}

/// Whether any of them differs by much.
fn differ(some: [f32; TRAITS], others: [f32; TRAITS]) -> bool {
    some.into_iter().zip(others).any(|(one, other)| (one - other).abs() > REDRAWN)
}

/// A piece beside the field, and the traits of its blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// The piece.
    pub piece: Piece,
    /// See [`traits`].
    pub traits: [f32; TRAITS],
}

/// What was seen of it.
#[derive(Debug, Clone)]
pub struct Drawing {
    usual: Option<Usual>,
    /// How each cell of the pile is drawn.
    pile: Vec<Option<[f32; TRAITS]>>,
    /// How each piece's blocks were drawn where it appeared: a game may draw one piece's solid and another's as outlines.
    kinds: [Option<Usual>; 7],
    /// The piece in the next box.
    beside: Option<Drawn>,
    /// The pile was drawn otherwise at once, and what is beside the field was not: games grey it where they end or stand still.
    is_redrawn: bool,
}

impl Drawing {
    /// Nothing seen yet, of a field of so many cells.
    pub fn new(cells: usize) -> Self {
        Self { usual: None, pile: vec![None; cells], kinds: [None; 7], beside: None, is_redrawn: false }
    }

    /// How blocks are usually drawn, once that has been seen for long enough.
    pub fn usual(&self) -> Option<Usual> {
        self.usual.filter(|usual| usual.known_ms >= LEARNED_IN_MS)
    }

    /// How far a cell's traits are from how blocks are drawn, in deviations: from these, or from one piece's that was seen to
    /// appear, whichever is nearest.
    pub fn off(&self, usual: Usual, cell: &CellValue, contrast: f32) -> [f32; TRAITS] {
        let looks = std::iter::once(usual).chain(self.kinds.into_iter().flatten());
        let off = looks.map(|look| look.off(cell, contrast));
        off.min_by(|a, b| together(*a).total_cmp(&together(*b))).unwrap_or_default()
    }

    /// Whether a cell is drawn otherwise than blocks are.
    pub fn is_otherwise(&self, usual: Usual, cell: &CellValue, contrast: f32) -> bool {
        self.off(usual, cell, contrast).into_iter().any(|off| off.abs() > OTHERWISE)
    }

    /// Learns how a piece's blocks are drawn from the cells where it appears, with their contrasts, in a picture that came `step_ms`
    /// after the last.
    pub fn learn_kind<'a>(&mut self, piece: Piece, blocks: impl Iterator<Item = (&'a CellValue, f32)>, step_ms: f64) {
        let Some(now) = Usual::of(blocks).filter(|_| !self.is_redrawn) else { return };
        match &mut self.kinds[piece.index()] {
            Some(kind) => kind.learn(now, share_learned(step_ms, KIND_LEARNED_IN_MS)),
            unknown => *unknown = Some(now),
        }
    }

    /// Watches whether the whole pile, cells with their traits, is drawn otherwise at once, while the piece beside the field
    /// stays as it is; until the next piece is there, or the pile as it was.
    pub fn watch(&mut self, pile: Vec<(usize, [f32; TRAITS])>, beside: Option<Drawn>) {
        let stays = |now: Drawn, was: Drawn| now.piece == was.piece && !differ(now.traits, was.traits);
        let beside_stays = beside.zip(self.beside).map(|(now, was)| stays(now, was));
        self.beside = beside.or(self.beside);
        let known = pile.iter().filter_map(|(cell, now)| Some((*now, self.pile[*cell]?)));
        let (all, other) = known.fold((0, 0), |n, (now, was)| (n.0 + 1, n.1 + usize::from(differ(now, was))));
        let is_other = all >= ENOUGH_CELLS && other as f32 >= REDRAWN_CELLS * all as f32;
        self.is_redrawn = is_other && beside_stays.unwrap_or(self.is_redrawn);
        if !self.is_redrawn {
            self.pile.fill(None);
            pile.into_iter().for_each(|(cell, now)| self.pile[cell] = Some(now));
        }
    }

    /// Learns from what surely are blocks, with their contrasts, in a picture that came `step_ms` after the last; nothing from a
    /// pile that was drawn otherwise.
    pub fn learn<'a>(&mut self, blocks: impl Iterator<Item = (&'a CellValue, f32)>, step_ms: f64) {
        let Some(now) = Usual::of(blocks).filter(|_| !self.is_redrawn) else { return };
        match &mut self.usual {
            Some(usual) => {
                usual.learn(now, share_learned(step_ms, LEARNED_IN_MS));
                usual.known_ms += step_ms;
            }
            None => self.usual = Some(now),
        }
    }
}

/// How the game's blocks are usually drawn: hollow, uneven, brighter on one side; each as a share of their contrast, with its
/// scatter from block to block.
#[derive(Debug, Clone, Copy)]
pub struct Usual {
    /// For how long it has been learned, ms.
    known_ms: f64,
    at: [f32; TRAITS],
    scatter: [f32; TRAITS],
}

impl Usual {
    /// That of some of a picture's cells; `None` if they are too few.
    pub fn of<'a>(lit: impl Iterator<Item = (&'a CellValue, f32)>) -> Option<Self> {
        let all: Vec<[f32; TRAITS]> = lit.map(|(cell, contrast)| traits(cell, contrast)).collect();
        if all.len() < LEAST_CELLS {
            return None;
        }
        let mut usual = Self { known_ms: 0.0, at: [0.0; TRAITS], scatter: [0.0; TRAITS] };
        for i in 0..TRAITS {
            let mut values: Vec<f32> = all.iter().map(|traits| traits[i]).collect();
            usual.at[i] = quantile(&mut values, 0.5);
            values.iter_mut().for_each(|value| *value = (*value - usual.at[i]).abs());
            // As the standard deviation of a normal distribution; most of a pile may be drawn in one way, and some in another.
            usual.scatter[i] = quantile(&mut values, 0.87) / 1.5;
        }
        Some(usual)
    }

    fn learn(&mut self, now: Self, rate: f32) {
        for i in 0..TRAITS {
            self.at[i] += rate * (now.at[i] - self.at[i]);
            self.scatter[i] += rate * (now.scatter[i] - self.scatter[i]);
        }
    }

    /// How far a cell's traits are from these, in deviations.
    pub fn off(&self, cell: &CellValue, contrast: f32) -> [f32; TRAITS] {
        let mut off = traits(cell, contrast);
        for ((off, at), scatter) in off.iter_mut().zip(self.at).zip(self.scatter) {
            *off = (*off - at) / (LEAST_SCATTER + scatter);
        }
        off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: f64 = 33.0;

    #[test]
    fn a_pile_that_is_greyed_does_not_teach_how_blocks_are_drawn() {
        let hollow = |core: f32| CellValue { mean: 100.0, core, middle: core, ..CellValue::default() };
        // How hollow a block seems that is drawn as those of the pile were before it was drawn otherwise; beside the field a piece
        // is drawn so before, and so after.
        let seems = |beside: [f32; 2]| {
            let mut drawing = Drawing::new(60);
            for (core, shown) in [(60.0, beside[0]), (100.0, beside[1])] {
                let drawn = |core: f32| traits(&hollow(core), 100.0);
                let block = hollow(core);
                for _ in 0..60 {
                    let pile = (50..60).map(|cell| (cell, drawn(core))).collect();
                    drawing.watch(pile, Some(Drawn { piece: Piece::T, traits: drawn(shown) }));
                    drawing.learn(std::iter::repeat_n((&block, 100.0), 10), STEP_MS);
                }
            }
            drawing.usual().expect("blocks were seen").off(&hollow(60.0), 100.0)[0]
        };
        assert!(seems([60.0, 60.0]).abs() < 0.1, "the game greyed its pile: {}", seems([60.0, 60.0]));
        assert!(seems([60.0, 100.0]) > 3.0, "another level draws all blocks otherwise: {}", seems([60.0, 100.0]));
    }

    #[test]
    fn a_piece_that_was_seen_to_appear_says_how_its_blocks_are_drawn() {
        let block = |core: f32| CellValue { mean: 100.0, core, middle: core, ..CellValue::default() };
        let (solid, outline, between) = (block(110.0), block(20.0), block(65.0));
        let mut drawing = Drawing::new(60);
        (0..60).for_each(|_| drawing.learn(std::iter::repeat_n((&solid, 100.0), 10), STEP_MS));
        let usual = drawing.usual().expect("blocks were seen");
        let is_otherwise = |drawing: &Drawing, cell: &CellValue| drawing.is_otherwise(usual, cell, 100.0);
        assert!(is_otherwise(&drawing, &outline) && !is_otherwise(&drawing, &solid));
        drawing.learn_kind(Piece::I, std::iter::repeat_n((&outline, 100.0), 4), STEP_MS);
        assert!(!is_otherwise(&drawing, &outline) && !is_otherwise(&drawing, &solid));
        assert!(is_otherwise(&drawing, &between), "what is drawn like neither of both is no block");
        // A level later all are drawn in another way.
        (0..20).for_each(|_| drawing.learn_kind(Piece::I, std::iter::repeat_n((&between, 100.0), 4), STEP_MS));
        assert!(!is_otherwise(&drawing, &between) && is_otherwise(&drawing, &outline));
    }
}
