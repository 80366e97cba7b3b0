//! What a camera says that it can do, in the driver's numbers.

use crate::edge::camera::mode::Mode;
use crate::edge::camera::pixels::Layout;
use crate::edge::camera::{PictureRate, WebcamSpec};
use v4l::FourCC;
use v4l::fraction::Fraction;
use v4l::frameinterval::{FrameIntervalEnum, Stepwise as IntervalRange};
use v4l::framesize::{FrameSizeEnum, Stepwise as SizeRange};
use v4l::video::Capture;

/// Linux's names of the layouts; the first of a layout is the one to ask for.
const NAMES: [(&[u8; 4], Layout); 10] = [
    (b"MJPG", Layout::Mjpeg),
    (b"JPEG", Layout::Mjpeg),
    (b"YUYV", Layout::Yuyv),
    (b"UYVY", Layout::Uyvy),
    (b"NV12", Layout::Nv12),
    (b"YU12", Layout::Yuv420),
    (b"GREY", Layout::Gray),
    (b"Y800", Layout::Gray),
    (b"RGB3", Layout::Rgb),
    (b"BGR3", Layout::Bgr),
];
/// Sizes and rates that are tried where a camera offers any within a range.
const SIZES: [(u32, u32); 6] = [(320, 240), (640, 480), (800, 600), (960, 720), (1280, 720), (1920, 1080)];
const RATES: [(u32, u32); 8] = [(60, 1), (50, 1), (30, 1), (30_000, 1001), (25, 1), (20, 1), (15, 1), (10, 1)];

/// A layout's name for the driver.
pub(in crate::edge::camera) fn fourcc(layout: Layout) -> FourCC {
    let name = NAMES.iter().find(|(_, known)| *known == layout).map_or(b"YUYV", |(name, _)| *name);
    FourCC::new(name)
}

/// The layout of a name; `None` if it cannot be decoded here.
pub(in crate::edge::camera) fn layout(fourcc: FourCC) -> Option<Layout> {
    NAMES.iter().find(|(name, _)| **name == fourcc.repr).map(|(_, layout)| *layout)
}

/// All modes that can be decoded. What `spec` asks for is among them where the camera takes anything within a range.
pub(in crate::edge::camera) fn all(device: &v4l::Device, spec: &WebcamSpec) -> Vec<Mode> {
    let offered = device.enum_formats().unwrap_or_default();
    let mut modes = Vec::new();
    for (fourcc, layout) in offered.iter().filter_map(|format| Some((format.fourcc, layout(format.fourcc)?))) {
        // The same layout under two names is asked for by its first.
        if modes.iter().any(|mode: &Mode| mode.layout == layout) {
            continue;
        }
        for (width, height) in sizes(device, fourcc, spec) {
            let rates = rates(device, fourcc, (width, height), spec);
            if rates.is_empty() {
                modes.push(Mode { layout, width, height, rate: None });
            }
            modes.extend(rates.into_iter().map(|rate| Mode { layout, width, height, rate: Some(rate) }));
        }
    }
    modes
}

/// The names of everything that a camera offers.
pub(in crate::edge::camera) fn in_words(device: &v4l::Device) -> String {
    let names: Vec<_> = device.enum_formats().unwrap_or_default().iter().map(|f| f.fourcc.to_string()).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

fn sizes(device: &v4l::Device, fourcc: FourCC, spec: &WebcamSpec) -> Vec<(u32, u32)> {
    let Ok(listed) = device.enum_framesizes(fourcc) else {
        // A driver that lists none has the one it stands at.
        return device.format().map(|format| vec![(format.width, format.height)]).unwrap_or_default();
    };
    let mut sizes = Vec::new();
    for size in listed {
        match size.size {
            FrameSizeEnum::Discrete(size) => sizes.push((size.width, size.height)),
            FrameSizeEnum::Stepwise(range) => sizes.extend(within(&range, spec.size)),
        }
    }
    sizes
}

fn within(range: &SizeRange, asked: Option<(u32, u32)>) -> Vec<(u32, u32)> {
    let fits = |value: u32, min: u32, max: u32, step: u32| {
        (min..=max).contains(&value) && (value - min).is_multiple_of(step.max(1))
    };
    let usual = SIZES.into_iter().chain(asked).filter(|(width, height)| {
        fits(*width, range.min_width, range.max_width, range.step_width)
            && fits(*height, range.min_height, range.max_height, range.step_height)
    });
    usual.chain([(range.min_width, range.min_height), (range.max_width, range.max_height)]).collect()
}

fn rates(device: &v4l::Device, fourcc: FourCC, (width, height): (u32, u32), spec: &WebcamSpec) -> Vec<PictureRate> {
    let mut rates = Vec::new();
    for interval in device.enum_frameintervals(fourcc, width, height).unwrap_or_default() {
        match interval.interval {
            FrameIntervalEnum::Discrete(interval) => rates.extend(rate(interval)),
            FrameIntervalEnum::Stepwise(range) => rates.extend(rates_within(&range, spec.fps)),
        }
    }
    rates
}

fn rate(interval: Fraction) -> Option<PictureRate> {
    PictureRate::new(interval.denominator, interval.numerator)
}

fn rates_within(range: &IntervalRange, asked: Option<PictureRate>) -> Vec<PictureRate> {
    // The shortest interval is the fastest rate.
    let (Some(fastest), Some(slowest)) = (rate(range.min), rate(range.max)) else { return Vec::new() };
    let usual = RATES.into_iter().filter_map(|(pictures, seconds)| PictureRate::new(pictures, seconds)).chain(asked);
    let fits = |rate: &PictureRate| (slowest.per_s()..=fastest.per_s()).contains(&rate.per_s());
    usual.filter(fits).chain([fastest, slowest]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_has_a_name_that_is_read_back() {
        use Layout::{Bgr, Gray, Mjpeg, Nv12, Rgb, Uyvy, Yuv420, Yuyv};
        for known in [Mjpeg, Yuyv, Uyvy, Nv12, Yuv420, Gray, Rgb, Bgr] {
            assert_eq!(layout(fourcc(known)), Some(known));
        }
        assert_eq!(layout(FourCC::new(b"H264")), None);
    }

    #[test]
    fn of_a_range_the_usual_ones_the_ends_and_what_was_asked_for_are_offered() {
        let sizes = SizeRange {
            min_width: 16,
            max_width: 1280,
            step_width: 16,
            min_height: 16,
            max_height: 960,
            step_height: 16,
        };
        let offered = within(&sizes, Some((400, 304)));
        assert_eq!(offered, [(320, 240), (640, 480), (960, 720), (1280, 720), (400, 304), (16, 16), (1280, 960)]);
        let range = IntervalRange { min: Fraction::new(1, 60), max: Fraction::new(2, 15), step: Fraction::new(1, 1) };
        let asked = PictureRate::new(25, 2);
        let offered: Vec<_> = rates_within(&range, asked).iter().map(PictureRate::to_string).collect();
        assert_eq!(offered, ["60", "50", "30", "29.97", "25", "20", "15", "10", "12.5", "60", "7.5"]);
        let zero = IntervalRange { min: Fraction::new(0, 0), max: Fraction::new(0, 0), step: Fraction::new(0, 0) };
        assert!(rates_within(&zero, asked).is_empty());
    }
}
