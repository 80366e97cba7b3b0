//! Writing a session: its own thread writes, so that a slow disk never delays a press. Pictures are compressed before, because
//! the robot is to see what the recording holds.

use super::record::Packed;
use super::{MAGIC, SessionError};
use crate::file::{self, Existing, PIXELS_MAX};
use crate::message::Frame;
use crate::time::{Clock, HostTime};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use image::{ExtendedColorType, ImageEncoder, RgbImage};
use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Things that may wait to be written. Pictures wait only as long as the first half is free, so that events, which are
/// small and matter more, find room.
const WAITING_MAX: usize = 32;
const PICTURES_WAITING_MAX: usize = 16;
/// What is written is handed to the system at least this often.
const FLUSH_MS: f64 = 1000.0;
/// This much is left free on the disk.
const FREE_BYTES_MIN: u64 = 256_000_000;
/// JPEG quality, %: at this and 4:4:4 (the encoder's choice from 90 up) colours of single cells survive.
const JPEG_QUALITY: u8 = 95;

/// How pictures are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureFormat {
    /// Small and nearly the same.
    #[default]
    Jpeg,
    /// The same, pixel by pixel, but slow.
    Png,
}

/// How to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionOptions {
    /// How pictures are compressed.
    pub format: PictureFormat,
    /// What becomes of a file that exists already.
    pub existing: Existing,
    /// The recording ends before it is longer; the run goes on.
    pub bytes_max: Option<u64>,
}

impl From<PictureFormat> for SessionOptions {
    fn from(format: PictureFormat) -> Self {
        Self { format, existing: Existing::Keep, bytes_max: None }
    }
}

/// What was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionSummary {
    /// Records written.
    pub written: u64,
    /// Pictures that the recording lacks: the disk or the processor was too slow, or the disk full.
    pub pictures_lost: u64,
    /// Events that it lacks, likewise.
    pub events_lost: u64,
}

/// What a recording lacks so far.
#[derive(Debug, Default)]
pub struct Losses {
    pictures: AtomicU64,
    events: AtomicU64,
}

impl Losses {
    /// Pictures that should be in it and are not.
    pub fn pictures(&self) -> u64 {
        self.pictures.load(Ordering::Relaxed)
    }

    /// Events that should be in it and are not.
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    fn count(&self, job: &Job) {
        match job {
            Job::Picture(_) => self.pictures.fetch_add(1, Ordering::Relaxed),
            Job::Text(_) => self.events.fetch_add(1, Ordering::Relaxed),
        };
    }
}

/// What a session is written to.
pub trait Storage: Write + Send {
    /// Makes sure that all that was written outlives a power cut.
    ///
    /// # Errors
    /// When it cannot be.
    fn sync(&self) -> Result<(), Error>;

    /// How much more the disk takes, bytes; `None` where that is not known.
    fn free_bytes(&self) -> Option<u64> {
        None
    }
}

impl Storage for File {
    fn sync(&self) -> Result<(), Error> {
        self.sync_all()
    }

    #[cfg(unix)]
    fn free_bytes(&self) -> Option<u64> {
        let disk = nix::sys::statvfs::fstatvfs(self).ok()?;
        Some((disk.blocks_available() as u64).saturating_mul(disk.fragment_size() as u64))
    }
}

/// A session being recorded. Dropping it writes what is waiting.
pub struct SessionWriter {
    path: PathBuf,
    queue: Option<Sender<Job>>,
    thread: Option<JoinHandle<Result<u64, Error>>>,
    losses: Arc<Losses>,
    failed: Arc<AtomicBool>,
    format: PictureFormat,
    is_patient: bool,
}

enum Job {
    Picture(Packed),
    Text(Packed),
}

impl SessionWriter {
    /// Records into `storage` instead of a file of its own; `path` is what messages call it.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn into_storage(
        storage: Box<dyn Storage>,
        path: &Path,
        clock: Arc<dyn Clock>,
        options: impl Into<SessionOptions>,
    ) -> Result<Self, SessionError> {
        let (queue, jobs) = bounded(WAITING_MAX);
        let options = options.into();
        let failed = Arc::new(AtomicBool::new(false));
        let losses = Arc::new(Losses::default());
        let (has_failed, shown_path) = (failed.clone(), path.to_path_buf());
        let worker = Worker {
            path: path.into(),
            file: BufWriter::new(storage),
            clock,
            options,
            losses: losses.clone(),
            written: 0,
            bytes: 0,
            ended: None,
        };
        let body = move || {
            let result = worker.run(&jobs);
            if let Err(e) = &result {
                has_failed.store(true, Ordering::Relaxed);
                // Told at once too: the run goes on without a recording.
                tracing::error!(
                    "the recording {} ends here ({e}), what came before is good; make room on the disk and start again, if you need it",
                    shown_path.display()
                );
            }
            result
        };
        let spawned = std::thread::Builder::new().name("session".into()).spawn(body);
        let thread = Some(spawned.map_err(|source| SessionError::Thread { path: path.into(), source })?);
        Ok(Self {
            path: path.into(),
            queue: Some(queue),
            thread,
            losses,
            failed,
            format: options.format,
            is_patient: false,
        })
    }

    /// Creates the file; `clock` says when to flush.
    ///
    /// # Errors
    /// When there is such a file already and it is to be kept, or it cannot be created.
    pub fn create(
        path: &Path,
        clock: Arc<dyn Clock>,
        options: impl Into<SessionOptions>,
    ) -> Result<Self, SessionError> {
        let options = options.into();
        let file = file::create_stream(path, options.existing)?;
        Self::into_storage(Box::new(file), path, clock, options)
    }

    /// Whoever records waits for a slow disk, and nothing is dropped: for worlds that stand still meanwhile.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// Records a picture, and gives it back as whoever reads the recording will see it: the file that it came from is kept
    /// as it is; others are compressed and decoded, which takes some ms. `None` if it is not recorded: the disk is behind,
    /// which is counted, and told of the first.
    pub fn see(&self, frame: &Frame) -> Option<Frame> {
        let has_room = self.is_patient || self.queue.as_ref().is_some_and(|q| q.len() < PICTURES_WAITING_MAX);
        if !has_room || self.has_failed() {
            self.losses.pictures.fetch_add(1, Ordering::Relaxed);
            if !self.has_failed() && self.losses.pictures() == 1 {
                tracing::warn!(
                    "the recording {} lacks pictures from here on: disk or processor are too slow for it; they are counted, and smaller pictures help",
                    self.path.display()
                );
            }
            return None;
        }
        let (index, time_us) = (frame.index.0, frame.time.0);
        if let Some(file) = &frame.file {
            self.put(Job::Picture(Packed::Picture { index, time_us, file: file.to_vec() }));
            return Some(frame.clone());
        }
        let file = compress(&frame.image, self.format).ok()?;
        let image = file::decode_picture(&file, PIXELS_MAX).ok()?.into_rgb8();
        self.put(Job::Picture(Packed::Picture { index, time_us, file }));
        Some(Frame { image: Arc::new(image), ..frame.clone() })
    }

    /// Records a picture that nobody looks at here.
    pub fn frame(&self, frame: &Frame) {
        // One that is not recorded was counted.
        let _ = self.see(frame);
    }

    /// Records an event: one line of JSON.
    pub fn event(&self, json: impl Into<String>) {
        self.put(Job::Text(Packed::Event(json.into())));
    }

    /// Records the text of the calibration in use; best before the first picture, where `replay` looks for it.
    pub fn calibration(&self, text: impl Into<String>) {
        self.put(Job::Text(Packed::Calibration(text.into())));
    }

    /// What the recording lacks; it counts on until [`Self::finish`] has returned.
    pub fn losses(&self) -> Arc<Losses> {
        self.losses.clone()
    }

    /// Whether writing has failed; [`Self::finish`] says why.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Writes what is waiting and makes sure that it is on the disk.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn finish(mut self) -> Result<SessionSummary, SessionError> {
        self.close()
    }

    fn put(&self, job: Job) {
        let Some(queue) = &self.queue else { return };
        let refused = match self.is_patient {
            true => queue.send(job).err().map(|e| e.0),
            false => queue.try_send(job).err().map(TrySendError::into_inner),
        };
        if let Some(job) = refused {
            self.losses.count(&job);
        }
    }

    fn close(&mut self) -> Result<SessionSummary, SessionError> {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return Ok(SessionSummary::default()) };
        let ended = thread.join().unwrap_or_else(|_| Err(Error::other("the writing thread panicked")));
        match ended {
            Ok(written) => {
                let (pictures_lost, events_lost) = (self.losses.pictures(), self.losses.events());
                Ok(SessionSummary { written, pictures_lost, events_lost })
            }
            Err(source) => Err(SessionError::Write { path: self.path.clone(), source }),
        }
    }
}

impl Drop for SessionWriter {
    fn drop(&mut self) {
        // A failure was logged when it happened.
        let _ = self.close();
    }
}

struct Worker {
    path: PathBuf,
    file: BufWriter<Box<dyn Storage>>,
    clock: Arc<dyn Clock>,
    options: SessionOptions,
    losses: Arc<Losses>,
    written: u64,
    bytes: u64,
    /// Nothing is written any more.
    ended: Option<End>,
}

/// Why a recording ends before its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It has the length that was asked for.
    Length,
    /// The disk is nearly full.
    Disk,
}

impl Worker {
    fn run(mut self, jobs: &Receiver<Job>) -> Result<u64, Error> {
        self.file.write_all(MAGIC)?;
        let mut flushed = HostTime(i64::MIN / 2);
        loop {
            match jobs.recv_timeout(Duration::from_secs_f64(FLUSH_MS / 1000.0)) {
                Ok(job) => self.write(job)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = self.clock.now();
            if now.ms_since(flushed) >= FLUSH_MS {
                self.file.flush()?;
                flushed = now;
                self.look_at_disk();
            }
        }
        self.file.flush()?;
        self.file.get_ref().sync()?;
        Ok(self.written)
    }

    /// What else runs here needs some room, too.
    fn look_at_disk(&mut self) {
        let is_full =
            self.ended.is_none() && self.file.get_ref().free_bytes().is_some_and(|free| free < FREE_BYTES_MIN);
        if is_full {
            self.ended = Some(End::Disk);
            tracing::error!(
                "the recording {} ends here, because less than {} MB are free on its disk; make room, and start again if you need it",
                self.path.display(),
                FREE_BYTES_MIN / 1_000_000
            );
        }
    }

    fn write(&mut self, job: Job) -> Result<(), Error> {
        match self.ended {
            Some(End::Disk) => {
                self.losses.count(&job);
                return Ok(());
            }
            Some(End::Length) => return Ok(()),
            None => {}
        }
        let (Job::Text(packed) | Job::Picture(packed)) = job;
        let bytes = packed.to_bytes();
        let length = self.bytes + bytes.len() as u64;
        if self.options.bytes_max.is_some_and(|max| length > max) {
            self.ended = Some(End::Length);
            tracing::warn!("the recording {} has the length that was asked for and ends here", self.path.display());
            return Ok(());
        }
        self.file.write_all(&bytes)?;
        self.bytes = length;
        self.written += 1;
        Ok(())
    }
}

fn compress(image: &RgbImage, format: PictureFormat) -> Result<Vec<u8>, Error> {
    let (width, height) = image.dimensions();
    let mut bytes = Vec::new();
    match (format, u16::try_from(width), u16::try_from(height)) {
        (PictureFormat::Jpeg, Ok(width), Ok(height)) => {
            let encoder = jpeg_encoder::Encoder::new(&mut bytes, JPEG_QUALITY);
            encoder.encode(image.as_raw(), width, height, jpeg_encoder::ColorType::Rgb).map_err(Error::other)?;
        }
        // JPEG ends at 65,535 px a side.
        _ => {
            let encoder = image::codecs::png::PngEncoder::new(&mut bytes);
            encoder.write_image(image.as_raw(), width, height, ExtendedColorType::Rgb8).map_err(Error::other)?;
        }
    }
    Ok(bytes)
}
