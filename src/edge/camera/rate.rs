//! Pictures a second, as cameras say it: a fraction, because 29.97 is 30000/1001 and no whole number.

use std::fmt;
use std::str::FromStr;

/// Pictures a second. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureRate {
    /// This many pictures …
    pictures: u32,
    /// … in this many seconds.
    seconds: u32,
}

impl PictureRate {
    /// This many `pictures` in this many `seconds`; `None` if one of them is 0.
    pub fn new(pictures: u32, seconds: u32) -> Option<Self> {
        let divisor = greatest_common_divisor(pictures, seconds);
        (pictures > 0 && seconds > 0).then(|| Self { pictures: pictures / divisor, seconds: seconds / divisor })
    }

    /// Pictures a second.
    pub fn per_s(self) -> f64 {
        f64::from(self.pictures) / f64::from(self.seconds)
    }

    /// From one picture to the next, ms.
    pub fn period_ms(self) -> f64 {
        1000.0 / self.per_s()
    }

    /// The time of a picture, s, as drivers have it: numerator and denominator.
    pub fn interval(self) -> [u32; 2] {
        [self.seconds, self.pictures]
    }

    /// In thousandths of a picture a second.
    pub fn thousandths(self) -> u32 {
        (self.per_s() * 1000.0).round() as u32
    }
}

/// `30`, `29.97`, `7.5`, or a fraction such as `30000/1001`.
impl FromStr for PictureRate {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "fps is a number of pictures a second, such as 30, 29.97 or 30000/1001";
        if let Some((pictures, seconds)) = text.split_once('/') {
            return pictures.parse().ok().zip(seconds.parse().ok()).and_then(|(p, s)| Self::new(p, s)).ok_or(WRONG);
        }
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        if decimals.len() > 3 || (text.contains('.') && decimals.is_empty()) || whole.len() > 4 {
            return Err(WRONG);
        }
        let digits = format!("{whole}{decimals}");
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(WRONG);
        }
        digits.parse().ok().and_then(|p| Self::new(p, 10u32.pow(decimals.len() as u32))).ok_or(WRONG)
    }
}

impl fmt::Display for PictureRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.per_s());
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_written_and_read_as_what_they_are() {
        for (pictures, seconds, written) in [
            (30, 1, "30"),
            (30_000, 1001, "29.97"),
            (25, 2, "12.5"),
            (15, 2, "7.5"),
            (60_000, 1001, "59.94"),
            (100, 1, "100"),
        ] {
            let rate = PictureRate::new(pictures, seconds).unwrap();
            assert_eq!(rate.to_string(), written);
            let read: PictureRate = written.parse().unwrap();
            assert!((read.per_s() - rate.per_s()).abs() < 0.005);
        }
        assert_eq!("30000/1001".parse(), Ok(PictureRate::new(30_000, 1001).unwrap()));
        assert_eq!("12.5".parse(), Ok(PictureRate::new(25, 2).unwrap()));
        assert_eq!(PictureRate::new(60, 2), PictureRate::new(30, 1));
        assert_eq!(PictureRate::new(30_000, 1001).unwrap().interval(), [1001, 30_000]);
        for wrong in ["", "0", "-30", "fast", "30.", ".5x", "1/0", "0/1", "29.97003", "99999", "1e3", "3O", "+30"] {
            assert!(wrong.parse::<PictureRate>().is_err(), "{wrong:?}");
        }
    }
}
