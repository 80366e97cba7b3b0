//! Numbers as they are said.

/// Rounded to this many digits behind the point.
pub fn round(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// Median and 99th percentile, rounded; `None` of nothing.
pub fn percentiles(mut values: Vec<f64>, digits: i32) -> (Option<f64>, Option<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get(((values.len().max(1) - 1) as f64 * share).round() as usize).copied();
    (at(0.5).map(|v| round(v, digits)), at(0.99).map(|v| round(v, digits)))
}
