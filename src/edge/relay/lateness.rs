//! How late commands left, counted by size: the histogram at the end of a run.

/// Upper ends of the classes, µs; the last class has none.
const ENDS_US: [i64; 9] = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
/// The longest bar, characters.
const BAR_MAX: u64 = 40;

/// Counts of press errors (actual minus due), by size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lateness {
    counts: [u64; ENDS_US.len() + 1],
}

impl Lateness {
    /// Counts one error, µs. Early ones (there are none from the executor) fall into the first class.
    pub fn count(&mut self, error_us: i64) {
        self.counts[ENDS_US.partition_point(|end| *end < error_us)] += 1;
    }

    /// Errors counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// A line a class, from the first to the last that has any; empty if nothing was counted.
    pub fn to_lines(&self) -> Vec<String> {
        let Some(last) = self.counts.iter().rposition(|n| *n > 0) else { return Vec::new() };
        let first = self.counts.iter().position(|n| *n > 0).unwrap_or(last);
        let most = self.counts.iter().copied().max().unwrap_or(1).max(1);
        (first..=last)
            .map(|class| {
                let count = self.counts[class];
                // A class with anything in it shows.
                let bar = "#".repeat((count * BAR_MAX).div_ceil(most) as usize);
                format!("{} {count:>9}  {bar}", label(class)).trim_end().into()
            })
            .collect()
    }
}

fn label(class: usize) -> String {
    let ms = |us: i64| us as f64 / 1000.0;
    match ENDS_US.get(class) {
        Some(end) => format!("  up to {:>5} ms", ms(*end)),
        None => format!("   over {:>5} ms", ms(ENDS_US[class - 1])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fall_into_their_classes() {
        let mut lateness = Lateness::default();
        for us in [0, 20, 21, 99, 100, 1000, 1001, 50_000] {
            lateness.count(us);
        }
        assert_eq!(lateness.counts, [2, 1, 2, 0, 0, 1, 1, 0, 0, 1]);
        let lines = lateness.to_lines();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], format!("  up to  0.02 ms         2  {}", "#".repeat(40)));
        assert_eq!(lines[3], "  up to   0.2 ms         0");
        assert_eq!(lines[9], format!("   over    10 ms         1  {}", "#".repeat(20)));
        assert!(Lateness::default().to_lines().is_empty());
    }
}
