//! What a camera can be set to: pixel layout, size and rate; and which of it is best for the robot.

use super::pixels::Layout;
use super::{PictureRate, WebcamSpec};
use std::collections::BTreeMap;
use std::fmt;

/// Wanted if the user does not say: enough pixels for 10 cells of 10 px, few enough to decode in time.
const SIZE_WANTED: (u32, u32) = (1280, 720);
/// Fewer pictures a second miss pieces, in thousandths: 30 and its NTSC cousin 29.97 are enough.
const RATE_NEEDED: u32 = 29_900;
/// More than the console draws tell nothing new.
const RATE_USEFUL: u32 = 59_900;

/// One of the ways in which a camera sends pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) layout: Layout,
    /// px
    pub(super) width: u32,
    /// px
    pub(super) height: u32,
    /// `None` where the driver does not say.
    pub(super) rate: Option<PictureRate>,
}

impl Mode {
    /// From one picture to the next, ms; a usual camera's where the driver does not say.
    pub(super) fn period_ms(&self) -> f64 {
        self.rate.map_or(1000.0 / 30.0, PictureRate::period_ms)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{} {}", self.width, self.height, self.layout.name())?;
        match self.rate {
            Some(rate) => write!(f, " at {rate} a second"),
            None => Ok(()),
        }
    }
}

/// The mode nearest to what is wanted; `None` if there is none.
pub(super) fn best(modes: &[Mode], spec: &WebcamSpec) -> Option<Mode> {
    modes.iter().min_by_key(|mode| distance(mode, spec)).copied()
}

/// How far a mode is from what is wanted: what the user asked for first, then enough pictures a second, then the size,
/// then the cost of decoding.
fn distance(mode: &Mode, spec: &WebcamSpec) -> [u32; 6] {
    let rate = mode.rate.map_or(30_000, PictureRate::thousandths);
    let asked_size = spec.size.map_or(0, |size| size_distance(mode, size));
    let asked_rate = spec.fps.map_or(0, |fps| rate.abs_diff(fps.thousandths()));
    // Below 30 a second pieces are seen too late, whatever the size.
    let is_slow = u32::from(rate < RATE_NEEDED);
    let slowness = RATE_USEFUL.saturating_sub(rate) / 100;
    [asked_size, asked_rate, is_slow, size_distance(mode, SIZE_WANTED), slowness, mode.layout.cost()]
}

fn size_distance(mode: &Mode, (width, height): (u32, u32)) -> u32 {
    mode.width.abs_diff(width).saturating_add(mode.height.abs_diff(height))
}

/// Modes in words, one line a size and layout: `640x480 MJPEG 15/29.97/30`.
pub(super) fn in_words(modes: &[Mode]) -> Vec<String> {
    let mut by_size: BTreeMap<(u32, u32, &str), Vec<PictureRate>> = BTreeMap::new();
    for mode in modes {
        by_size.entry((mode.width, mode.height, mode.layout.name())).or_default().extend(mode.rate);
    }
    let lines = by_size.into_iter().map(|((width, height, layout), mut rates)| {
        rates.sort_by_key(|rate| rate.thousandths());
        rates.dedup();
        let rates: Vec<_> = rates.iter().map(PictureRate::to_string).collect();
        format!("{width}x{height} {layout} {}", rates.join("/")).trim_end().to_string()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::Layout::{Gray, Mjpeg, Uyvy, Yuyv};
    use super::*;

    fn mode(width: u32, height: u32, layout: Layout, rate: &str) -> Mode {
        Mode { layout, width, height, rate: rate.parse().ok() }
    }

    #[test]
    fn a_mode_is_chosen_that_is_fast_and_large_enough() {
        let modes = [
            mode(640, 480, Yuyv, "30"),
            mode(1280, 720, Yuyv, "10"),
            mode(1280, 720, Mjpeg, "30"),
            mode(640, 480, Mjpeg, "30"),
            mode(1920, 1080, Mjpeg, "30"),
            mode(640, 480, Mjpeg, "60"),
        ];
        let spec = WebcamSpec::new(0);
        let of = |size, fps: Option<&str>| WebcamSpec { size, fps: fps.map(|f| f.parse().unwrap()), ..spec };
        assert_eq!(best(&modes, &spec), Some(modes[2]));
        assert_eq!(best(&modes, &of(Some((640, 480)), None)), Some(modes[5]));
        assert_eq!(best(&modes, &of(Some((640, 480)), Some("30"))), Some(modes[0]));
        assert_eq!(best(&modes, &of(None, Some("60"))), Some(modes[5]));
        assert_eq!(best(&modes[..2], &spec), Some(modes[0]));
        assert_eq!(best(&[], &spec), None);
    }

    #[test]
    fn rates_that_are_no_whole_numbers_are_chosen_as_what_they_are() {
        let odd = [mode(640, 480, Yuyv, "30000/1001"), mode(640, 480, Yuyv, "12.5"), mode(640, 480, Yuyv, "7.5")];
        let spec = WebcamSpec::new(0);
        assert_eq!(best(&odd, &spec), Some(odd[0]), "29.97 is fast enough");
        for (asked, chosen) in [("29.97", 0), ("30", 0), ("12.5", 1), ("15", 1), ("7.5", 2), ("8", 2)] {
            let spec = WebcamSpec { fps: asked.parse().ok(), ..spec };
            assert_eq!(best(&odd, &spec), Some(odd[chosen]), "{asked}");
        }
        let both = [mode(640, 480, Yuyv, "30"), mode(640, 480, Yuyv, "30000/1001")];
        let asked = WebcamSpec { fps: "29.97".parse().ok(), ..spec };
        assert_eq!(best(&both, &asked), Some(both[1]));
        assert_eq!(in_words(&odd), ["640x480 YUYV 7.5/12.5/29.97"]);
    }

    #[test]
    fn colours_are_preferred_and_a_driver_that_says_no_rate_is_taken_as_it_comes() {
        let modes = [mode(640, 480, Gray, "30"), mode(640, 480, Uyvy, "30")];
        assert_eq!(best(&modes, &WebcamSpec::new(0)), Some(modes[1]));
        let silent = Mode { rate: None, ..modes[0] };
        assert_eq!(best(&[silent], &WebcamSpec::new(0)), Some(silent));
        assert_eq!(in_words(&[silent]), ["640x480 GREY"]);
    }
}
