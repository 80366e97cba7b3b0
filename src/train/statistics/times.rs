//! How long moves took: a histogram whose bins are a thirty-second of an octave wide, so that any number of moves can be kept.

/// Bins of an octave.
const PARTS: u64 = 32;

/// Durations, ns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    counts: Vec<u64>,
}

impl Times {
    /// Adds one, ns.
    pub fn add(&mut self, ns: u64) {
        let bin = bin(ns);
        if self.counts.len() <= bin {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }

    /// The duration that this share (0–1) does not exceed, ns, to 3 %; `None` of nothing.
    pub fn quantile_ns(&self, share: f64) -> Option<u64> {
        let all: u64 = self.counts.iter().sum();
        let wanted = ((all as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let bin = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        bin.map(middle)
    }
}

/// The durations below `PARTS` each by itself; from there on `PARTS` bins an octave.
fn bin(ns: u64) -> usize {
    let octave = u64::from(ns.max(PARTS).ilog2() - PARTS.ilog2());
    (octave * PARTS + (ns >> octave)) as usize
}

fn middle(bin: usize) -> u64 {
    let bin = bin as u64;
    let octave = (bin / PARTS).saturating_sub(1);
    let first = (bin - octave * PARTS) << octave;
    first + (1u64 << octave) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_kept_to_three_percent() {
        for ns in (0..200).chain([1_000, 123_456, 5_000_000_000, u64::MAX / 2]) {
            let mut times = Times::default();
            times.add(ns);
            let kept = times.quantile_ns(0.5).unwrap();
            assert!(kept.abs_diff(ns) as f64 <= 0.03 * ns as f64, "{ns}: {kept}");
        }
    }

    #[test]
    fn quantiles_are_those_of_all_that_was_added() {
        let (mut few, mut many) = (Times::default(), Times::default());
        assert_eq!(few.quantile_ns(0.5), None);
        (1..=10).for_each(|ns| few.add(ns));
        (11..=20).for_each(|ns| many.add(ns));
        few.merge(&many);
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| few.quantile_ns(share)), [Some(1), Some(10), Some(20), Some(20)]);
    }
}
