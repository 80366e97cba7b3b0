//! How far from all that was there a cell came to stand out: pieces come from the top, step by step, and blocks rest on blocks;
//! words and light come anywhere.

use crate::vision::spell::Spell;

/// No piece falls faster than a row a frame (NES, level 29) without landing on something; rows a ms.
const FASTEST_ROWS: f64 = 0.06;
/// What has stood out for so long, ms, is there, however it came.
const SETTLED_MS: f64 = 150.0;

/// Where each cell that stands out came from.
#[derive(Debug, Clone)]
pub struct Arrivals {
    columns: usize,
    lit: Vec<Spell>,
    far: Vec<f32>,
    has_begun: bool,
}

impl Arrivals {
    /// Of a field of so many columns and cells.
    pub fn new(columns: usize, cells: usize) -> Self {
        Self { columns, lit: vec![Spell::default(); cells], far: vec![0.0; cells], has_begun: false }
    }

    /// For each cell of a picture that came `step_ms` after the last, how many cells it came from the nearest that stood out, from
    /// the top or from the floor, beyond what a piece falls in the time; 0 for those that do not stand out, and for what was there
    /// in the first picture. What came together is as near as the nearest of it, from one cell to the next.
    pub fn far(&self, is_lit: &[bool], step_ms: f64) -> Vec<f32> {
        let mut far: Vec<f32> = is_lit.iter().zip(&self.far).map(|(lit, far)| if *lit { *far } else { 0.0 }).collect();
        if !self.has_begun {
            return far;
        }
        let falls = (step_ms * FASTEST_ROWS) as f32;
        let is_new = |i: &usize| is_lit[*i] && !self.lit[*i].is_on();
        let mut new: Vec<(usize, f32)> =
            (0..is_lit.len()).filter(is_new).map(|i| (i, self.beyond_old(i, is_lit, falls))).collect();
        while let Some(nearest) = (0..new.len()).min_by(|a, b| new[*a].1.total_cmp(&new[*b].1)) {
            let (i, at) = new.swap_remove(nearest);
            far[i] = at;
            for (other, far) in &mut new {
                *far = far.min(at.max(self.apart(i, *other) - 1.0));
            }
        }
        far
    }

    /// How far a new cell is from what was there.
    fn beyond_old(&self, cell: usize, is_lit: &[bool], falls: f32) -> f32 {
        let (row, rows) = (cell / self.columns, is_lit.len() / self.columns);
        let edge = (row as f32 - falls).min((rows - 1 - row) as f32);
        let was_lit = (0..is_lit.len()).filter(|i| self.lit[*i].is_on());
        let from = |i: usize| {
            // What fades in comes in more pictures than one, and what has gone moved on.
            let is_young = is_lit[i] && self.lit[i].ms() < SETTLED_MS;
            (self.apart(cell, i) - 1.0 - falls).max(if is_young { self.far[i] } else { 0.0 })
        };
        was_lit.map(from).fold(edge, f32::min).max(0.0)
    }

    /// How far apart two cells are, in steps to a side or a corner.
    fn apart(&self, a: usize, b: usize) -> f32 {
        let (x, y) = ((a % self.columns).abs_diff(b % self.columns), (a / self.columns).abs_diff(b / self.columns));
        x.max(y) as f32
    }

    /// Remembers a picture that came `step_ms` after the last.
    pub fn remember(&mut self, is_lit: &[bool], step_ms: f64) {
        self.far = self.far(is_lit, step_ms);
        self.lit.iter_mut().zip(is_lit).for_each(|(spell, lit)| spell.goes_on_if(*lit, step_ms));
        self.has_begun = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: f64 = 33.0;

    /// What a field of 10 × 20 shows, by the cells that stand out, column and row.
    fn lit(cells: &[(usize, usize)]) -> Vec<bool> {
        (0..200).map(|i| cells.contains(&(i % 10, i / 10))).collect()
    }

    /// After these pictures, how far the cells of the last came.
    fn far_of(pictures: &[&[(usize, usize)]]) -> Vec<f32> {
        let mut arrivals = Arrivals::new(10, 200);
        for picture in pictures {
            arrivals.remember(&lit(picture), STEP_MS);
        }
        pictures.last().into_iter().copied().flatten().map(|(x, y)| arrivals.far[y * 10 + x]).collect()
    }

    #[test]
    fn pieces_come_from_the_top_and_fall() {
        let piece = |y: usize| [(4, y), (5, y), (6, y), (5, y + 1)];
        let (first, second, third) = (piece(0), piece(2), piece(4));
        assert_eq!(far_of(&[&[], &first, &second, &third]), [0.0; 4]);
        // An I that stands and falls a row in each picture: its lower end is four cells from the one it left.
        let standing = |y: usize| [(4, y), (4, y + 1), (4, y + 2), (4, y + 3)];
        let fall = [standing(0), standing(1), standing(2), standing(3)];
        assert_eq!(far_of(&[&[], &fall[0], &fall[1], &fall[2], &fall[3]]), [0.0; 4]);
    }

    #[test]
    fn words_come_far_from_all() {
        let word = [(3, 10), (4, 10), (6, 10)];
        assert!(far_of(&[&[(4, 0)], &word]).iter().all(|far| *far > 7.0));
        // It stays what it is, and what of it comes later is no nearer.
        let more = [(3, 10), (4, 10), (6, 10), (8, 11)];
        assert!(far_of(&[&[(4, 0)], &word, &more]).iter().all(|far| *far > 7.0));
    }

    #[test]
    fn a_pile_that_comes_at_once_rests_on_the_floor() {
        let pile: Vec<(usize, usize)> = (8..20).flat_map(|y| [(2, y), (3, y)]).collect();
        assert!(far_of(&[&[], &pile]).iter().all(|far| *far == 0.0));
        assert!(far_of(&[&pile]).iter().all(|far| *far == 0.0), "nothing is known of what was there at first");
    }

    #[test]
    fn the_longer_ago_the_last_picture_was_the_further_a_piece_may_have_fallen() {
        let arrivals = |step_ms: f64| {
            let mut arrivals = Arrivals::new(10, 200);
            arrivals.remember(&lit(&[(4, 1)]), STEP_MS);
            arrivals.far(&lit(&[(4, 10)]), step_ms)[104]
        };
        assert!(arrivals(33.0) > 5.0 && arrivals(200.0) == 0.0);
    }
}
