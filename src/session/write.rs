//! Writing a session: its own thread compresses and writes, so that a slow disk never delays a press.

use super::record::Packed;
use super::{MAGIC, SessionError};
use crate::message::Frame;
use crate::time::{Clock, HostTime};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use image::{ExtendedColorType, ImageEncoder, RgbImage};
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Write};
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

/// What was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionSummary {
    /// Records written.
    pub written: u64,
    /// Pictures and events that found no room because the disk or the processor was too slow.
    pub dropped: u64,
}

/// What a session is written to.
pub trait Storage: Write + Send {
    /// Makes sure that all that was written outlives a power cut.
    ///
    /// # Errors
    /// When it cannot be.
    fn sync(&self) -> Result<(), Error>;
}

impl Storage for File {
    fn sync(&self) -> Result<(), Error> {
        self.sync_all()
    }
}

/// A session being recorded. Dropping it writes what is waiting.
pub struct SessionWriter {
    path: PathBuf,
    queue: Option<Sender<Job>>,
    thread: Option<JoinHandle<Result<u64, Error>>>,
    dropped: AtomicU64,
    failed: Arc<AtomicBool>,
    is_patient: bool,
}

enum Job {
    Picture(Frame),
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
        format: PictureFormat,
    ) -> Result<Self, SessionError> {
        let (queue, jobs) = bounded(WAITING_MAX);
        let failed = Arc::new(AtomicBool::new(false));
        let worker = Worker { file: BufWriter::new(storage), clock, format, written: 0 };
        let (has_failed, shown_path) = (failed.clone(), path.to_path_buf());
        let body = move || {
            let result = worker.run(&jobs);
            if let Err(e) = &result {
                has_failed.store(true, Ordering::Relaxed);
                // Told at once too: the run goes on without a recording.
                tracing::error!("the recording {} ends here: {e}", shown_path.display());
            }
            result
        };
        let spawned = std::thread::Builder::new().name("session".into()).spawn(body);
        let thread = Some(spawned.map_err(|source| SessionError::Create { path: path.into(), source })?);
        Ok(Self {
            path: path.into(),
            queue: Some(queue),
            thread,
            dropped: AtomicU64::new(0),
            failed,
            is_patient: false,
        })
    }

    /// Creates the file; `clock` says when to flush.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be created.
    pub fn create(path: &Path, clock: Arc<dyn Clock>, format: PictureFormat) -> Result<Self, SessionError> {
        let file = File::create_new(path).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => SessionError::Exists { path: path.into() },
            _ => SessionError::Create { path: path.into(), source },
        })?;
        Self::into_storage(Box::new(file), path, clock, format)
    }

    /// Whoever records waits for a slow disk, and nothing is dropped: for worlds that stand still meanwhile.
    #[must_use]
    pub fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// Records a picture; drops and counts it if the disk is behind.
    pub fn frame(&self, frame: &Frame) {
        let has_room = self.is_patient || self.queue.as_ref().is_some_and(|q| q.len() < PICTURES_WAITING_MAX);
        if has_room {
            self.put(Job::Picture(frame.clone()));
        } else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records an event: one line of JSON.
    pub fn event(&self, json: impl Into<String>) {
        self.put(Job::Text(Packed::Event(json.into())));
    }

    /// Records the text of the calibration in use; best before the first picture, where `replay` looks for it.
    pub fn calibration(&self, text: impl Into<String>) {
        self.put(Job::Text(Packed::Calibration(text.into())));
    }

    /// Pictures and events that found no room so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
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
        let is_queued = self.queue.as_ref().is_some_and(|queue| match self.is_patient {
            true => queue.send(job).is_ok(),
            false => queue.try_send(job).is_ok(),
        });
        if !is_queued {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn close(&mut self) -> Result<SessionSummary, SessionError> {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return Ok(SessionSummary::default()) };
        let ended = thread.join().unwrap_or_else(|_| Err(Error::other("the writing thread panicked")));
        match ended {
            Ok(written) => Ok(SessionSummary { written, dropped: self.dropped() }),
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
    file: BufWriter<Box<dyn Storage>>,
    clock: Arc<dyn Clock>,
    format: PictureFormat,
    written: u64,
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
            }
        }
        self.file.flush()?;
        self.file.get_ref().sync()?;
        Ok(self.written)
    }

    fn write(&mut self, job: Job) -> Result<(), Error> {
        let packed = match job {
            Job::Text(packed) => packed,
            Job::Picture(frame) => {
                let file = compress(&frame.image, self.format)?;
                Packed::Picture { index: frame.index.0, time_us: frame.time.0, file }
            }
        };
        self.file.write_all(&packed.to_bytes())?;
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
