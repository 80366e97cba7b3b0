//! Numbers of one kind, one a game.

/// Numbers, sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Of these numbers.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Self(sorted)
    }

    /// All of them, the least first.
    pub fn sorted(&self) -> &[f64] {
        &self.0
    }

    /// The mean; 0 of nothing.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The standard deviation of what they were drawn from; `None` of fewer than two.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|number| (number - mean).powi(2)).sum();
        (self.0.len() > 1).then(|| (squares / (self.0.len() - 1) as f64).sqrt())
    }

    /// The standard error of the mean; `None` of fewer than two.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.deviation()? / (self.0.len() as f64).sqrt())
    }

    /// The number below which this share lies, 0–1, between neighbours in proportion; `None` of nothing.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let place = share.clamp(0.0, 1.0) * self.0.len().checked_sub(1)? as f64;
        let (below, above) = (self.0.get(place.floor() as usize)?, self.0.get(place.ceil() as usize)?);
        Some(below + (above - below) * place.fract())
    }

    /// The number in the middle; `None` of nothing.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// The share that is at least `number`, 0–1.
    pub fn at_least(&self, number: f64) -> f64 {
        let below = self.0.partition_point(|other| *other < number);
        (self.0.len() - below) as f64 / self.0.len().max(1) as f64
    }

    /// How many lie in each of `parts` equal parts of the range from `from` to `to`; the last part holds `to`, too.
    pub fn histogram(&self, from: f64, to: f64, parts: usize) -> Vec<u64> {
        let mut counts = vec![0; parts];
        for number in self.0.iter().filter(|number| (from..=to).contains(*number)) {
            let part = (number - from) / (to - from).max(f64::MIN_POSITIVE) * parts as f64;
            counts[(part as usize).min(parts - 1)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_numbers_by_hand() {
        let sample = Sample::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!((sample.mean(), sample.median(), sample.quantile(1.0)), (2.5, Some(2.5), Some(4.0)));
        // Squares of 1.5, 0.5, 0.5 and 1.5 are 5; a third of that.
        assert!((sample.standard_error().unwrap() - (5.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
        assert_eq!([0.0, 2.0, 2.5, 4.5].map(|n| sample.at_least(n)), [1.0, 0.75, 0.5, 0.0]);
        assert_eq!(sample.histogram(1.0, 4.0, 3), [1, 1, 2]);
    }

    #[test]
    fn nothing_and_one_are_no_statistics() {
        let (none, one) = (Sample::of([]), Sample::of([7.0]));
        assert_eq!((none.mean(), none.median(), none.standard_error(), none.at_least(0.0)), (0.0, None, None, 0.0));
        assert_eq!((one.mean(), one.median(), one.standard_error()), (7.0, Some(7.0), None));
        assert_eq!(one.histogram(7.0, 7.0, 4), [1, 0, 0, 0]);
    }
}
