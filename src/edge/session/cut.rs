//! A part of a session as a session of its own.

use super::record::Packed;
use super::{MAGIC, SessionError, SessionReader};
use crate::file::{self, Existing};
use std::io::{BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::Path;

/// Copies the pictures of these positions (from 0) into a new session, as they are, bytes and times, behind the text of the
/// calibration that holds for the first of them. Events are left out: their times count from the first picture of all.
///
/// # Errors
/// When the one cannot be read, or the other exists or cannot be written.
pub fn cut(from: &Path, to: &Path, calibration: &str, pictures: RangeInclusive<usize>) -> Result<(), SessionError> {
    let mut reader = SessionReader::open(from)?;
    let file = file::create_stream(to, Existing::Keep)?;
    let failed = |source| SessionError::Write { path: to.into(), source };
    let mut writer = BufWriter::new(file);
    writer.write_all(MAGIC).map_err(failed)?;
    writer.write_all(&Packed::Calibration(calibration.into()).to_bytes()).map_err(failed)?;
    let mut position = 0;
    while position <= *pictures.end() {
        let Some(packed) = reader.next_packed()? else { break };
        if let Packed::Picture { .. } = packed {
            if pictures.contains(&position) {
                writer.write_all(&packed.to_bytes()).map_err(failed)?;
            }
            position += 1;
        }
    }
    let file = writer.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::FrameSource;
    use crate::edge::session::{PictureFormat, SessionSource, SessionWriter};
    use crate::file::FileError;
    use crate::message::Frame;
    use crate::time::{CameraFrame, HostTime, SystemClock};
    use image::RgbImage;
    use std::sync::Arc;

    #[test]
    fn a_part_has_its_own_pictures_all_of_them_and_their_times() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, part) = (folder.path().join("whole.shs"), folder.path().join("part.shs"));
        let writer =
            SessionWriter::create(&whole, Arc::new(SystemClock::new()), PictureFormat::Jpeg).unwrap().patient();
        // More than the queue holds: who is patient loses none.
        for n in 0..60_u64 {
            let image = Arc::new(RgbImage::from_pixel(16, 16, image::Rgb([n as u8 * 4, 0, 0])));
            let time = HostTime::from_ms(1000.0 + n as f64 * 20.0);
            writer.frame(&Frame { index: CameraFrame(n), time, name: None, file: None, image });
            writer.event(format!("{{\"event\":\"relay\",\"t_ms\":{n}}}"));
        }
        let written = writer.finish().unwrap();
        assert_eq!((written.written, written.pictures_lost, written.events_lost), (120, 0, 0));
        cut(&whole, &part, "a calibration", 10..=29).unwrap();
        let frames = |path| {
            let mut source = SessionSource::open(path).unwrap();
            let mut frames = Vec::new();
            while let Some(frame) = source.next_frame().unwrap() {
                frames.push((frame.index.0, frame.time.ms(), frame.image.as_raw().clone()));
            }
            frames
        };
        let (all, some) = (frames(&whole), frames(&part));
        assert_eq!((all.len(), some.len()), (60, 20));
        assert_eq!((some[0].1, some[19].1), (0.0, 380.0));
        assert!(some.iter().zip(&all[10..]).all(|(a, b)| (a.0, &a.2) == (b.0, &b.2)));
        assert_eq!(SessionSource::open(&part).unwrap().calibration(), Some("a calibration"));
        let mut events = SessionReader::open(&whole).unwrap();
        let mut count = 0;
        while events.next_event().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 60);
        assert!(matches!(cut(&whole, &part, "", 0..=1), Err(SessionError::Create(FileError::Exists { .. }))));
    }
}
