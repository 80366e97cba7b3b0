//! Cameras on Linux, through V4L2 (the v4l crate, which keeps the ioctls to itself).
//!
//! nokhwa would read them, too, but it has no timeout, hides how many bytes of a buffer are the picture, and knows only
//! whole numbers of pictures a second.

mod modes;
mod nodes;

pub(super) use modes::{all as all_modes, in_words as formats_in_words};
pub(super) use nodes::{cameras, open};

use super::controls::set_exposure;
use super::device::{Device, Knob, KnobKind, Raw, Trouble};
use super::mode::{self, Mode};
use super::pixels::Layout;
use super::{PictureRate, WebcamSpec, told};
use crate::edge::CameraError;
use crate::edge::relay::HARMLESS_THREAD;
use crate::time::{Clock, HostTime, monotonic_offset_us};
use std::io;
use std::time::Duration;
use v4l::buffer::{Flags, Type};
use v4l::control::{self, Control, Value};
use v4l::fraction::Fraction;
use v4l::io::mmap::Stream;
use v4l::io::traits::{CaptureStream, Stream as _};
use v4l::video::Capture;
use v4l::video::capture::Parameters;

/// Pictures that the driver may hold; one of them is always in our hand.
const BUFFERS: u32 = 5;
/// More buffers than any driver gives.
const BUFFERS_MAX: usize = 32;
/// A picture that is there is handed over at once; this is for drivers that only said so.
const FETCH_PATIENCE: Duration = Duration::from_millis(100);
/// Linux's numbers of errors after which a device does not come back under this handle: EIO is not among them.
const ENXIO: i32 = 6;
const ENODEV: i32 = 19;
const ESHUTDOWN: i32 = 108;
const EINTR: i32 = 4;
/// poll(2): there is something to read.
const POLLIN: i16 = 1;

/// An open camera.
pub(super) struct LinuxCamera {
    device: v4l::Device,
    stream: Stream<'static>,
    mode: Mode,
    stride: usize,
    /// Whether we hold a buffer, which [`CaptureStream::next`] gives back before it takes another.
    has_buffer: bool,
    offset_us: Option<i64>,
}

impl LinuxCamera {
    /// Opens a camera, sets it to the mode nearest to what is wanted, whatever it was left in, and starts it.
    pub(super) fn start(spec: &WebcamSpec, clock: &dyn Clock) -> Result<Self, CameraError> {
        let device = open(spec.index)?;
        let modes = all_modes(&device, spec);
        let Some(wanted) = mode::best(&modes, spec) else {
            return Err(CameraError::CameraFormats { index: spec.index, offered: formats_in_words(&device) });
        };
        let (mode, stride) = set_mode(&device, spec, wanted)?;
        let failed = |e: io::Error| nodes::refusal(spec.index, &e);
        let mut stream = Stream::with_buffers(&device, Type::VideoCapture, BUFFERS).map_err(failed)?;
        stream.set_timeout(FETCH_PATIENCE);
        let offset_us = monotonic_offset_us(clock);
        let mut camera = Self { device, stream, mode, stride, has_buffer: false, offset_us };
        set_exposure(&mut camera, spec);
        camera.begin().map_err(failed)?;
        Ok(camera)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.has_buffer = false;
        for index in 0..BUFFERS_MAX {
            match CaptureStream::queue(&mut self.stream, index) {
                Ok(()) => {}
                // There are no more.
                Err(e) if index > 1 && e.kind() == io::ErrorKind::InvalidInput => break,
                Err(e) => return Err(e),
            }
        }
        self.stream.start()
    }
}

impl Device for LinuxCamera {
    fn wait(&mut self, patience: Duration) -> Result<bool, Trouble> {
        match self.stream.handle().poll(POLLIN, i32::try_from(patience.as_millis()).unwrap_or(i32::MAX)) {
            Ok(ready) => Ok(ready > 0),
            Err(e) if e.raw_os_error() == Some(EINTR) => Ok(false),
            Err(e) => Err(trouble(&e)),
        }
    }

    fn fetch(&mut self) -> Result<Option<Raw>, Trouble> {
        if !self.has_buffer {
            // The crate shows a picture only with the next one's arrival, so the first after each start is passed over.
            CaptureStream::dequeue(&mut self.stream).map_err(|e| trouble(&e))?;
            self.has_buffer = true;
            return Ok(None);
        }
        let (buffer, meta) = CaptureStream::next(&mut self.stream).map_err(|e| trouble(&e))?;
        let used = (meta.bytesused as usize).min(buffer.len());
        let is_monotonic = meta.flags & Flags::TIMESTAMP_MASK == Flags::TIMESTAMP_MONOTONIC;
        let stamp_us = meta.timestamp.sec * 1_000_000 + meta.timestamp.usec;
        let stamp = self.offset_us.filter(|_| is_monotonic && stamp_us > 0).map(|offset| HostTime(stamp_us + offset));
        Ok(Some(Raw {
            bytes: buffer[..used].to_vec(),
            sequence: Some(meta.sequence),
            stamp,
            is_marked_bad: meta.flags.contains(Flags::ERROR),
        }))
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        self.stream.stop().and_then(|()| self.begin()).map_err(|e| trouble(&e))
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn stride(&self) -> usize {
        self.stride
    }

    fn controls(&self) -> Result<Vec<Knob>, String> {
        // The crate panics at kinds of controls that are newer than itself.
        let ask = || self.device.query_controls();
        let described = std::thread::scope(|scope| {
            let asked = std::thread::Builder::new().name(HARMLESS_THREAD.into()).spawn_scoped(scope, ask);
            asked.and_then(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("the driver describes a kind that is unknown here")))
            })
        });
        let described = described.map_err(|e| e.to_string())?;
        Ok(described.into_iter().filter_map(|control| self.knob(control)).collect())
    }

    fn value(&self, id: u32) -> Option<i64> {
        value(&self.device, id)
    }

    fn set(&mut self, id: u32, value: i64) -> Result<(), String> {
        self.device.set_control(Control { id, value: Value::Integer(value) }).map_err(|e| e.to_string())
    }
}

impl LinuxCamera {
    fn knob(&self, control: control::Description) -> Option<Knob> {
        let kind = match control.typ {
            control::Type::Integer | control::Type::Integer64 => KnobKind::Range,
            control::Type::Boolean => KnobKind::Switch,
            control::Type::Menu => KnobKind::Choice,
            _ => return None,
        };
        if control.flags.intersects(control::Flags::DISABLED | control::Flags::WRITE_ONLY) {
            return None;
        }
        Some(Knob {
            id: control.id,
            kind,
            value: self.value(control.id)?,
            min: control.minimum,
            max: control.maximum,
            step: i64::try_from(control.step).unwrap_or(1),
            default: control.default,
            name: control.name,
        })
    }
}

/// A control's value.
pub(super) fn value(device: &v4l::Device, id: u32) -> Option<i64> {
    match device.control(id).ok()?.value {
        Value::Integer(value) => Some(value),
        Value::Boolean(is_on) => Some(i64::from(is_on)),
        _ => None,
    }
}

/// Sets layout, size and rate; what the driver made of it, and its stride.
fn set_mode(device: &v4l::Device, spec: &WebcamSpec, wanted: Mode) -> Result<(Mode, usize), CameraError> {
    let failed = |e: io::Error| nodes::refusal(spec.index, &e);
    let asked = v4l::Format::new(wanted.width, wanted.height, modes::fourcc(wanted.layout));
    let got = device.set_format(&asked).map_err(failed)?;
    let Some(layout) = modes::layout(got.fourcc) else {
        return Err(CameraError::CameraFormats { index: spec.index, offered: got.fourcc.to_string() });
    };
    if let Some(rate) = wanted.rate {
        let [numerator, denominator] = rate.interval();
        let parameters = Parameters::new(Fraction::new(numerator, denominator));
        match device.set_params(&parameters) {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy => return Err(failed(e)),
            // A driver that cannot be told a rate has one of its own.
            Err(e) => tracing::debug!("camera {}: its rate cannot be set: {e}", spec.index),
            Ok(_) => {}
        }
    }
    let interval = device.params().ok().map(|parameters| parameters.interval);
    let rate = interval.and_then(|i| PictureRate::new(i.denominator, i.numerator)).or(wanted.rate);
    let mode = Mode { layout, width: got.width, height: got.height, rate };
    tell_differences(spec, wanted, mode);
    let stride = if layout == Layout::Mjpeg { 0 } else { got.stride as usize };
    Ok((mode, stride))
}

/// The user's wishes that the camera does not fulfil, and a driver that does otherwise than it says.
fn tell_differences(spec: &WebcamSpec, wanted: Mode, mode: Mode) {
    let is_asked = spec.size.is_none_or(|size| size == (mode.width, mode.height))
        && spec.fps.is_none_or(|fps| mode.rate.is_none_or(|rate| (rate.per_s() - fps.per_s()).abs() < 0.05));
    if !is_asked {
        told::warn_once(
            spec.index,
            &format!("it does not offer what was asked for; it gives {mode} (`stackhand doctor` lists what it offers)"),
        );
    } else if mode != wanted {
        told::warn_once(spec.index, &format!("it was set to {wanted}, but gives {mode}, which is used"));
    }
}

fn trouble(e: &io::Error) -> Trouble {
    match e.raw_os_error() {
        Some(ENXIO | ENODEV | ESHUTDOWN) => Trouble::Gone("it was unplugged".into()),
        _ => Trouble::Other(e.to_string()),
    }
}
