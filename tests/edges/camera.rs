//! Pictures from folders, videos, live inputs and sessions, whole and broken. Clips are made here with the ffmpeg
//! program; without it, or without the shared recordings, the tests that need them say so and pass.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use crate::skip::skipped;
use image::{Rgb, RgbImage};
use stackhand::edge::session::{
    PictureFormat, Record, SessionError, SessionOptions, SessionReader, SessionSource, SessionWriter, Storage,
};
use stackhand::edge::{CameraError, FrameSource};
use stackhand::file::{Existing, FileError};
use stackhand::message::Frame;
use stackhand::time::{CameraFrame, Clock, HostTime, ManualClock, SystemClock};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn open(text: &str) -> Result<Box<dyn FrameSource>, CameraError> {
    stackhand::edge::open(text, Arc::new(SystemClock::new()))
}

fn open_path(path: &Path) -> Box<dyn FrameSource> {
    open(path.to_str().unwrap()).unwrap()
}

fn all(source: &mut dyn FrameSource) -> Vec<Frame> {
    std::iter::from_fn(|| source.next_frame().unwrap()).collect()
}

/// The error that opening or the first picture gives.
#[track_caller]
fn failure(text: &str) -> CameraError {
    match open(text).and_then(|mut source| source.next_frame()) {
        Err(error) => error,
        Ok(frame) => panic!("{text:?} gave a picture: {}", frame.is_some()),
    }
}

/// Makes a clip; `None` (and a loud line) without ffmpeg.
fn clip(folder: &Path, name: &str, arguments: &str) -> Option<PathBuf> {
    let path = folder.join(name);
    let made = Command::new("ffmpeg").args(["-v", "error", "-y"]).args(arguments.split(' ')).arg(&path).status();
    match made {
        Ok(status) => {
            assert!(status.success(), "ffmpeg could not make {name}");
            Some(path)
        }
        Err(e) => {
            skipped(&format!("what is made of {name} ({e})"), &["ffmpeg"]);
            None
        }
    }
}

const TEN_PICTURES: &str = "-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 10 -c:v ffv1";

/// Without a stop flag in the source's wait, the signal's own deadline would end the program by force.
#[cfg(unix)]
#[test]
fn ctrl_c_while_pictures_are_waited_for_ends_with_a_summary() {
    use std::io::{Read, Write};
    let folder = tempfile::tempdir().unwrap();
    let [pipe, profile] = ["pictures", "rig.toml"].map(|name| folder.path().join(name));
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        return skipped("the end while pictures are waited for", &["ffmpeg"]);
    }
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // For reading, too: so nobody waits for the other end.
    let mut pictures = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let corners = [[245., 85.], [437., 85.], [437., 420.], [245., 420.]];
    let calibration = stackhand::profile::calibration::Calibration::new("nes", [640, 480], corners, 0.5);
    std::fs::write(&profile, calibration.to_text().unwrap()).unwrap();
    let source = format!("ffmpeg:-f rawvideo -pixel_format rgb24 -video_size 640x480 -i {}", pipe.display());
    let mut program = Command::new(env!("CARGO_BIN_EXE_stackhand"))
        .args(["play", "--source", &source, "--relay", "none", "--json", "--profile"])
        .arg(&profile)
        .env("XDG_STATE_HOME", folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Much more than the pipe holds, so ffmpeg has read some of it when this returns; then nothing more comes.
    let (sent, written) = crossbeam_channel::bounded(1);
    std::thread::spawn(move || sent.send(pictures.write_all(&vec![40; 640 * 480 * 3 * 4]).map(|()| pictures)));
    let pictures = written.recv_timeout(std::time::Duration::from_secs(60)).expect("somebody who reads").unwrap();
    let clock = SystemClock::new();
    clock.sleep_until(HostTime::from_ms(500.0));
    let id = nix::unistd::Pid::from_raw(i32::try_from(program.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let mut said = String::new();
    program.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    drop(pictures);
    assert_eq!(program.wait().unwrap().code(), Some(130));
    let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap_or("null")).unwrap();
    assert_eq!(last["event"], "summary", "{said}");
}

#[test]
fn a_folder_gives_its_pictures_in_natural_order_without_the_broken_ones() {
    let folder = tempfile::tempdir().unwrap();
    for (name, red) in [("p10.png", 10), ("p2.bmp", 2), ("p1.ppm", 1)] {
        RgbImage::from_pixel(4, 3, Rgb([red, 0, 0])).save(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("p3.jpg"), b"no jpeg").unwrap();
    std::fs::write(folder.path().join("notes.txt"), b"no picture").unwrap();
    let mut source = open_path(folder.path());
    let frames = all(&mut *source);
    let seen: Vec<_> =
        frames.iter().map(|f| (f.name.as_deref().unwrap(), f.index.0, f.time.0, f.image.get_pixel(0, 0)[0])).collect();
    assert_eq!(seen, [("p1.ppm", 0, 0, 1), ("p2.bmp", 1, 33_333, 2), ("p10.png", 3, 100_000, 10)]);
    assert_eq!((source.dropped(), source.is_live()), (1, false));
}

#[test]
fn orientation_marks_do_not_turn_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("turned.jpg");
    let mut encoder = jpeg_encoder::Encoder::new_file(&path, 90).unwrap();
    // An EXIF block whose only entry is "orientation: rotate 90° clockwise".
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    encoder.add_app_segment(1, exif.to_vec()).unwrap();
    encoder.encode(&[90; 32 * 16 * 3], 32, 16, jpeg_encoder::ColorType::Rgb).unwrap();
    let frame = open_path(&path).next_frame().unwrap().unwrap();
    assert_eq!((frame.image.dimensions(), frame.name.as_deref()), ((32, 16), Some("turned.jpg")));
}

#[test]
fn folders_without_readable_pictures_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert!(matches!(failure(path), CameraError::NoPictures { .. }));
    std::fs::write(folder.path().join("p.png"), b"no png").unwrap();
    assert!(matches!(failure(path), CameraError::NoPictures { .. }));
}

#[test]
fn a_video_gives_every_picture_at_its_time_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = clip(folder.path(), "a b:c.mkv", TEN_PICTURES) else { return };
    let frames = all(&mut *open_path(&path));
    let times: Vec<_> = frames.iter().map(|f| f.time.0).collect();
    assert_eq!(times, (0..10).map(|n| n * 100_000).collect::<Vec<_>>());
    assert!(frames.iter().zip(0..).all(|(f, n)| f.index == CameraFrame(n) && f.image.dimensions() == (64, 48)));
}

#[test]
fn variable_rates_and_late_starts_keep_their_times() {
    let folder = tempfile::tempdir().unwrap();
    // Times 5.0, 5.1, 5.4, 5.9 …: the square of the number, in tenths.
    let arguments = "-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 5 -vf settb=1/1000,setpts=N*N*100+5000 -vsync passthrough -enc_time_base 1:1000 -c:v ffv1";
    let Some(path) = clip(folder.path(), "variable.mkv", arguments) else { return };
    let times: Vec<_> = all(&mut *open_path(&path)).iter().map(|f| f.time.0).collect();
    assert_eq!(times, [0, 100_000, 400_000, 900_000, 1_600_000]);
}

#[test]
fn a_rotation_mark_does_not_turn_a_video() {
    let folder = tempfile::tempdir().unwrap();
    let Some(plain) = clip(folder.path(), "plain.mp4", "-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 3 -c:v mpeg4")
    else {
        return;
    };
    let turned = folder.path().join("turned.mp4");
    let mut marked = Command::new("ffmpeg");
    marked.args(["-v", "quiet", "-i"]).arg(&plain);
    let marked = marked.args(["-c", "copy", "-metadata:s:v:0", "rotate=90"]).arg(&turned).status().unwrap();
    assert!(marked.success());
    let frame = open_path(&turned).next_frame().unwrap().unwrap();
    assert_eq!(frame.image.dimensions(), (64, 48));
}

#[test]
fn a_video_that_breaks_off_gives_what_is_there_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "-f lavfi -i testsrc=size=64x48:rate=10 -frames:v 40 -c:v ffv1 -g 1";
    let Some(path) = clip(folder.path(), "whole.mkv", arguments) else { return };
    let bytes = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken.mkv");
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let count = all(&mut *open_path(&broken)).len();
    assert!((5..35).contains(&count), "{count} of 40");
}

#[test]
fn files_that_are_no_videos_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sound) = clip(folder.path(), "sound.wav", "-f lavfi -i sine=duration=0.1") else { return };
    assert!(matches!(failure(sound.to_str().unwrap()), CameraError::NoVideo { .. }));
    let noise: Vec<u8> = (0..20_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, content) in
        [("noise.mkv", &noise[..]), ("noise.bin", &noise), ("empty.mkv", b""), ("text.txt", b"hello\nworld\n")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let error = failure(path.to_str().unwrap());
        assert!(matches!(error, CameraError::NotAVideo { .. } | CameraError::NoVideo { .. }), "{name}: {error}");
    }
    assert!(matches!(failure("/there/is/no/such.mkv"), CameraError::Spec { .. }));
    assert!(matches!(failure("sim"), CameraError::Simulated));
}

#[test]
fn a_live_input_gives_pictures_at_their_arrival_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = clip(folder.path(), "with blank.mkv", TEN_PICTURES) else { return };
    let mut source = open(&format!("ffmpeg:-re -i '{}'", path.display())).unwrap();
    let frames = all(&mut *source);
    assert!(source.is_live() && !frames.is_empty());
    assert!(frames.windows(2).all(|w| w[0].time < w[1].time && w[0].index < w[1].index));
    assert_eq!(frames.len() as u64 + source.dropped(), 10);
    assert!(frames.iter().all(|f| f.image.dimensions() == (64, 48)));
}

#[test]
fn a_live_input_that_does_not_start_says_what_ffmpeg_said() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        return skipped("live inputs", &["ffmpeg"]);
    }
    let error = failure("ffmpeg:-i /there/is/no/such.mkv");
    assert!(matches!(&error, CameraError::Ffmpeg { said, .. } if said.contains("No such file")), "{error}");
    let error = failure("ffmpeg:-f no_such_format -i x");
    assert!(matches!(&error, CameraError::Ffmpeg { said, .. } if said.contains("no_such_format")), "{error}");
}

#[test]
fn dropping_a_live_input_early_ends_its_ffmpeg() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        return skipped("live inputs", &["ffmpeg"]);
    }
    let mut source = open("ffmpeg:-re -f lavfi -i testsrc=size=320x240:rate=30").unwrap();
    assert!(source.next_frame().unwrap().is_some());
    // Would hang if the endless input went on.
    drop(source);
}

#[test]
fn a_recording_of_a_real_game_is_read_whole() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/pcgames/vitetris-30fps-45s.mkv");
    if !path.exists() {
        return skipped("a recording of a real game", &["../shared/fixtures/pcgames/vitetris-30fps-45s.mkv"]);
    }
    let clock = SystemClock::new();
    let mut source = open_path(&path);
    let mut times = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        assert_eq!(frame.image.dimensions(), (960, 600));
        times.push(frame.time);
    }
    eprintln!("{} pictures in {}", times.len(), clock.now());
    assert_eq!((times.len(), times[0]), (1350, HostTime(0)));
    // The container rounds to whole milliseconds.
    assert!(times.iter().zip(0..).all(|(t, n)| (t.ms() - f64::from(n) * 1000.0 / 30.0).abs() <= 0.5));
}

mod session {
    use super::*;

    fn picture(index: u64, time_us: i64) -> Frame {
        let image = RgbImage::from_fn(32, 24, |x, y| Rgb([(x * 8) as u8, (y * 8) as u8, index as u8]));
        Frame { index: CameraFrame(index), time: HostTime(time_us), name: None, file: None, image: Arc::new(image) }
    }

    /// A recording of `count` pictures, each with an event after it.
    fn record(path: &Path, count: u64, format: PictureFormat) -> stackhand::edge::session::SessionSummary {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        // On a busy machine, too, all of it shall be there.
        let writer = SessionWriter::create(path, clock, format).unwrap().patient();
        writer.calibration("version = 1\n");
        for n in 0..count {
            writer.frame(&picture(n * 2, 5_000_000 + n as i64 * 16_000));
            writer.event(format!("{{\"n\":{n}}}"));
        }
        writer.finish().unwrap()
    }

    #[test]
    fn what_was_recorded_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        let summary = record(&path, 5, PictureFormat::Png);
        assert_eq!((summary.written, summary.pictures_lost, summary.events_lost), (11, 0, 0));
        let mut source = open_path(&path);
        let frames = all(&mut *source);
        assert_eq!(
            frames.iter().map(|f| (f.index.0, f.time.0)).collect::<Vec<_>>(),
            [(0, 0), (2, 16_000), (4, 32_000), (6, 48_000), (8, 64_000)]
        );
        assert_eq!(*frames[3].image, *picture(6, 0).image, "PNG keeps every pixel");
        assert_eq!(SessionSource::open(&path).unwrap().calibration(), Some("version = 1\n"));
        let mut reader = SessionReader::open(&path).unwrap();
        let records: Vec<_> = std::iter::from_fn(|| reader.next_record().unwrap()).collect();
        assert!(matches!(&records[2], Record::Event(text) if text == "{\"n\":0}"));
        assert!(matches!(&records[1], Record::Frame(f) if f.time == HostTime(5_000_000)));
    }

    #[test]
    fn jpeg_pictures_come_back_nearly_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        record(&path, 1, PictureFormat::Jpeg);
        let frame = all(&mut *open_path(&path)).remove(0);
        let original = picture(0, 0);
        let worst = frame.image.as_raw().iter().zip(original.image.as_raw()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst < Some(16), "{worst:?}");
    }

    #[test]
    fn a_recording_cut_anywhere_is_good_up_to_the_last_whole_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        record(&path, 3, PictureFormat::Png);
        let whole = std::fs::read(&path).unwrap();
        let mut longest = 0;
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            match SessionReader::open(&path) {
                Err(SessionError::NotASession { .. }) => assert!(length < 20),
                Err(e) => panic!("{e}"),
                Ok(mut reader) => {
                    let count = std::iter::from_fn(|| reader.next_record().unwrap()).count();
                    assert!(count >= longest && count <= 7);
                    longest = count;
                }
            }
        }
        assert_eq!(longest, 7);
    }

    /// What a record is, for comparing.
    fn content(record: &Record) -> String {
        match record {
            Record::Frame(f) => format!("{} {:?} {:?}", f.index.0, f.time, f.image.get_pixel(7, 5)),
            Record::Event(text) | Record::Calibration(text) => text.clone(),
        }
    }

    fn contents(bytes: &[u8]) -> (Vec<String>, u64) {
        let over = std::io::Cursor::new(bytes.to_vec());
        let mut reader = SessionReader::over(over, Path::new("damaged")).unwrap();
        let records = std::iter::from_fn(|| reader.next_record().unwrap()).map(|r| content(&r)).collect();
        (records, reader.damaged())
    }

    #[test]
    fn a_flipped_bit_anywhere_loses_one_record_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        for format in [PictureFormat::Png, PictureFormat::Jpeg] {
            let path = folder.path().join(format!("{format:?}.session"));
            record(&path, 4, format);
            let whole = std::fs::read(&path).unwrap();
            let (all, _) = contents(&whole);
            assert_eq!(all.len(), 9);
            // The last record is followed by none that could be found.
            let last = whole.len() - 9 - all[8].len();
            for at in 20..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << (at % 8);
                let (read, damaged) = contents(&bytes);
                let lost: Vec<_> = all.iter().filter(|r| !read.contains(r)).collect();
                assert_eq!((read.len(), lost.len()), (8, 1), "byte {at}: {lost:?}");
                assert_eq!(damaged, u64::from(at < last), "byte {at}");
            }
        }
    }

    #[test]
    fn a_hole_loses_what_is_in_it_and_the_source_counts_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        record(&path, 12, PictureFormat::Jpeg);
        let mut bytes = std::fs::read(&path).unwrap();
        let (from, to) = (bytes.len() / 3, bytes.len() / 2);
        bytes[from..to].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        let mut source = open_path(&path);
        let frames = all(&mut *source);
        assert!((9..12).contains(&frames.len()), "{}", frames.len());
        assert_eq!((frames.last().unwrap().index, source.dropped()), (CameraFrame(22), 1));
    }

    #[test]
    fn a_recording_ends_at_its_limit_and_counts_nothing_as_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let options = SessionOptions { bytes_max: Some(4000), ..PictureFormat::Png.into() };
        let writer = SessionWriter::create(&path, clock, options).unwrap().patient();
        (0..50).for_each(|n| writer.frame(&picture(n, n as i64)));
        let summary = writer.finish().unwrap();
        assert!((1..50).contains(&summary.written), "{summary:?}");
        assert_eq!((summary.pictures_lost, summary.events_lost), (0, 0));
        assert!(std::fs::metadata(&path).unwrap().len() <= 4020);
        assert_eq!(all(&mut *open_path(&path)).len() as u64, summary.written);
    }

    /// A disk that takes nothing until it is let, and says how much room it has.
    struct Disk {
        gate: crossbeam_channel::Receiver<()>,
        written: Arc<std::sync::Mutex<Vec<u8>>>,
        free_bytes: Option<u64>,
    }

    impl std::io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // Open for good once the other end is gone.
            let _ = self.gate.recv();
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Storage for Disk {
        fn sync(&self) -> std::io::Result<()> {
            Ok(())
        }

        fn free_bytes(&self) -> Option<u64> {
            self.free_bytes
        }
    }

    #[test]
    fn pictures_that_a_slow_disk_loses_are_counted_to_the_last() {
        let (open, gate) = crossbeam_channel::bounded(0);
        let written = Arc::new(std::sync::Mutex::new(Vec::new()));
        let disk = Box::new(Disk { gate, written: written.clone(), free_bytes: None });
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let writer = SessionWriter::into_storage(disk, Path::new("slow"), clock, PictureFormat::Png).unwrap();
        // More than the queue and the buffer before the disk hold.
        (0..400).for_each(|n| writer.frame(&picture(n, n as i64)));
        writer.event("{}");
        let losses = writer.losses();
        assert!(losses.pictures() > 0, "the disk stands still: {losses:?}");
        drop(open);
        let summary = writer.finish().unwrap();
        let (records, _) = contents(&written.lock().unwrap());
        assert_eq!(records.len() as u64, summary.written);
        assert_eq!((summary.written - 1 + summary.pictures_lost, summary.events_lost), (400, 0), "{summary:?}");
        assert_eq!(losses.pictures(), summary.pictures_lost);
    }

    #[test]
    fn a_recording_leaves_room_on_the_disk_and_counts_what_it_lacks() {
        let (open, gate) = crossbeam_channel::bounded(0);
        drop(open);
        let written = Arc::new(std::sync::Mutex::new(Vec::new()));
        let disk = Box::new(Disk { gate, written: written.clone(), free_bytes: Some(255_000_000) });
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let writer = SessionWriter::into_storage(disk, Path::new("full"), clock, PictureFormat::Png).unwrap().patient();
        (0..20).for_each(|n| writer.frame(&picture(n, n as i64)));
        let summary = writer.finish().unwrap();
        assert!(summary.written <= 1, "{summary:?}");
        assert_eq!(summary.written + summary.pictures_lost, 20, "{summary:?}");
    }

    #[test]
    fn a_recording_takes_the_place_of_another_only_if_that_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        record(&path, 3, PictureFormat::Png);
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let options = SessionOptions { existing: Existing::Replace, ..PictureFormat::Png.into() };
        let writer = SessionWriter::create(&path, clock, options).unwrap();
        writer.frame(&picture(7, 0));
        writer.finish().unwrap();
        let frames = all(&mut *open_path(&path));
        assert_eq!(frames.iter().map(|f| f.index.0).collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn recordings_are_not_overwritten_and_need_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.session");
        record(&path, 1, PictureFormat::Jpeg);
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let again = SessionWriter::create(&path, clock.clone(), PictureFormat::Jpeg);
        assert!(matches!(again, Err(SessionError::Create(FileError::Exists { .. }))));
        let nowhere = SessionWriter::create(Path::new("/there/is/no/folder/x"), clock, PictureFormat::Jpeg);
        assert!(matches!(nowhere, Err(SessionError::Create(FileError::Write { .. }))));
    }
}
