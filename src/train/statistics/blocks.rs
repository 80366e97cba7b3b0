//! Counts of consecutive stretches of games. What one piece does depends on the pieces before it, hardly on those a
//! stretch away: how much whole stretches differ says how sure a count is.

/// Pieces of the shortest stretch.
const PIECES_MIN: u64 = 1000;

/// Counts of a stretch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Pieces that locked.
    pub pieces: u64,
    /// Pile heights after a piece locked and full rows were removed, by height.
    pub heights: Vec<u64>,
    /// Pieces that made the pile at least so high, from below that, by height.
    pub rises: Vec<u64>,
    /// Rows in which the pieces' pivots locked, from the top.
    pub rows: Vec<u64>,
}

impl Block {
    /// An empty one for a field of so many rows.
    pub fn new(rows: usize) -> Self {
        Self { pieces: 0, heights: vec![0; rows + 1], rises: vec![0; rows + 1], rows: vec![0; rows] }
    }

    /// Adds all of another.
    pub fn add(&mut self, other: &Self) {
        let sum = |counts: &mut Vec<u64>, more: &[u64]| {
            counts.resize(counts.len().max(more.len()), 0);
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        };
        self.pieces += other.pieces;
        sum(&mut self.heights, &other.heights);
        sum(&mut self.rises, &other.rises);
        sum(&mut self.rows, &other.rows);
    }
}

/// Stretches in their order, at most so many: where there would be more, neighbours are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    most: usize,
    /// Pieces of a stretch that is complete.
    pieces_each: u64,
    blocks: Vec<Block>,
}

impl Blocks {
    /// None yet, and never more than `most` (from 2).
    pub fn new(most: usize) -> Self {
        Self { most: most.max(2), pieces_each: PIECES_MIN, blocks: Vec::new() }
    }

    /// The stretch that the next piece belongs to, in a field of so many rows.
    pub fn current(&mut self, rows: usize) -> &mut Block {
        if self.blocks.last().is_none_or(|last| last.pieces >= self.pieces_each) {
            if self.blocks.len() == self.most {
                self.halve();
            }
            if self.blocks.last().is_none_or(|last| last.pieces >= self.pieces_each) {
                self.blocks.push(Block::new(rows));
            }
        }
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    /// Adds another game's stretches behind these.
    pub fn append(&mut self, other: &Self) {
        self.blocks.extend(other.blocks.iter().cloned());
        while self.blocks.len() > self.most {
            self.halve();
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// Their sum.
    pub fn sum(&self) -> Block {
        self.blocks.iter().fold(Block::default(), |mut sum, block| {
            sum.add(block);
            sum
        })
    }

    fn halve(&mut self) {
        let pairs = self.blocks.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            pair.iter().skip(1).for_each(|second| both.add(second));
            both
        });
        self.blocks = pairs.collect();
        self.pieces_each *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_stay_few_and_lose_nothing() {
        let mut blocks = Blocks::new(4);
        for piece in 0..10 * PIECES_MIN {
            let block = blocks.current(20);
            block.pieces += 1;
            block.heights[(piece % 5) as usize] += 1;
        }
        assert_eq!(blocks.sum().heights[..5], [2 * PIECES_MIN; 5]);
        let pieces: Vec<u64> = blocks.all().iter().map(|block| block.pieces).collect();
        assert_eq!(pieces, [4 * PIECES_MIN, 4 * PIECES_MIN, 2 * PIECES_MIN]);
        let mut both = blocks.clone();
        both.append(&blocks);
        assert_eq!((both.all().len(), both.sum().pieces), (3, 20 * PIECES_MIN));
    }
}
