//! What a source of pictures is, and why it gives none.

use super::desktop::DesktopError;
use super::losses::Losses;
use super::session::SessionError;
use crate::message::Frame;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Why a source gives no picture.
#[derive(Debug, Error)]
pub enum CameraError {
    /// The text names no source.
    #[error(
        "{text:?} names no source of pictures: {problem}; use `camera:0`, `screen` or `screen:WINDOW`, `ffmpeg:ARGS` (such as `ffmpeg:-f v4l2 -i /dev/video0`), \
         a video file, a folder of pictures, a picture, a recorded session, or `sim`; `mirrored:` before it where the camera sees a mirror"
    )]
    Spec {
        /// As given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A profile that asks for too much.
    #[error(
        "the profile's source is not used, because {what} in it could write files or run programs; if you trust it, give it yourself: --source '{text}'"
    )]
    ProfileSource {
        /// As it stands there.
        text: String,
        /// What is not known to be harmless.
        what: String,
    },
    /// The simulated camera was asked for where only real sources are.
    #[error("`sim` is part of the simulated table and no camera; use `stackhand dry-run`, or name another source")]
    Simulated,
    /// A program without cameras.
    #[error(
        "this program was built without cameras; build it with `--features webcam`, or read the camera with \
         `ffmpeg:-f v4l2 -framerate 30 -i /dev/video0`"
    )]
    NotBuilt,
    /// The file cannot be read.
    #[error("cannot read {path}; check that the path is right and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// No picture in a folder, or none that can be decoded.
    #[error("there is no readable picture in {path} ({problem}); give it png, jpg, bmp or ppm files")]
    NoPictures {
        /// The folder or picture.
        path: PathBuf,
        /// What was found instead.
        problem: String,
    },
    /// The ffmpeg program is missing.
    #[error(
        "cannot run the program `ffmpeg`, which reads videos and live inputs; install it (`sudo apt install ffmpeg`), then try again"
    )]
    NoFfmpeg {
        /// Why.
        source: std::io::Error,
    },
    /// The file is no video that ffmpeg can read.
    #[error("{path} is no video that ffmpeg can read ({said}); check it with `ffplay`, or convert it first")]
    NotAVideo {
        /// The file.
        path: PathBuf,
        /// ffmpeg's last words.
        said: String,
    },
    /// No picture of the file could be decoded whole.
    #[error(
        "all {pictures} pictures of {path} are damaged, or drawn after a damaged one ({said}); copy the file anew if there is a better one"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How many there are.
        pictures: u64,
        /// ffmpeg's last words.
        said: String,
    },
    /// The file has no video stream.
    #[error("{path} has no video in it; choose a file with a video stream")]
    NoVideo {
        /// The file.
        path: PathBuf,
    },
    /// The live input did not start, or ended with an error.
    #[error("ffmpeg cannot read from `{arguments}` ({said}); try the same arguments with `ffplay`, then correct them")]
    Ffmpeg {
        /// The user's input arguments.
        arguments: String,
        /// ffmpeg's last words.
        said: String,
    },
    /// No picture for too long.
    #[error(
        "{source_name} has given no picture for {seconds} s; check its cable or connection, and that nothing else uses it"
    )]
    Stalled {
        /// The source.
        source_name: String,
        /// How long was waited.
        seconds: u64,
    },
    /// Pictures come, but none can be decoded.
    #[error(
        "{source_name} gives pictures that cannot be used ({problem}); try another cable or USB port, without a hub, or another size \
         with `camera:N?size=640x480`"
    )]
    Garbled {
        /// The source.
        source_name: String,
        /// What is wrong with the last one.
        problem: String,
    },
    /// The system does not say which cameras there are.
    #[error("the cameras cannot be listed ({problem}); check with `ls /dev/video*` that there is one")]
    Listing {
        /// What the driver says.
        problem: String,
    },
    /// No such camera.
    #[error("there is no camera {index} (cameras found: {found}); plug it in or choose another number")]
    CameraMissing {
        /// As asked for.
        index: u32,
        /// What the system lists, or "none".
        found: String,
    },
    /// The user may not use it.
    #[error("you may not use camera {index}; {remedy}")]
    CameraForbidden {
        /// The camera's number.
        index: u32,
        /// How to be allowed.
        remedy: String,
    },
    /// Another program uses it.
    #[error("camera {index} is used by {holder}; close that first, because a camera serves one program at a time")]
    CameraBusy {
        /// The camera's number.
        index: u32,
        /// The program, if the system tells.
        holder: String,
    },
    /// A device that gives no pictures, such as the one for a camera's metadata.
    #[error("/dev/video{index} ({name}) gives no pictures (cameras found: {found}); choose one of those")]
    NoCamera {
        /// As asked for.
        index: u32,
        /// What the system calls it.
        name: String,
        /// What the system lists, or "none".
        found: String,
    },
    /// Nothing that it offers can be read.
    #[error(
        "camera {index} offers no pictures that can be read here (it offers {offered}); let ffmpeg read them: \
         `ffmpeg:-f v4l2 -i /dev/video{index}`"
    )]
    CameraFormats {
        /// The camera's number.
        index: u32,
        /// What it offers.
        offered: String,
    },
    /// The camera is there but cannot be used.
    #[error(
        "cannot use camera {index} ({problem}); unplug it and plug it in again, or read it with \
         `ffmpeg:-f v4l2 -framerate 30 -i /dev/video{index}`"
    )]
    CameraOpen {
        /// The camera's number.
        index: u32,
        /// What the driver says.
        problem: String,
    },
    /// The camera went away.
    #[error("lost camera {index} ({problem}); check its cable")]
    CameraLost {
        /// The camera's number.
        index: u32,
        /// What the driver says.
        problem: String,
    },
    /// The system gave no thread.
    #[error("the system gives no thread to read pictures in; close other programs, then start again")]
    System {
        /// Why.
        source: std::io::Error,
    },
    /// The screen cannot be seen.
    #[error(transparent)]
    Screen(#[from] DesktopError),
    /// A recorded session cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Whether a run shall end.
pub type IsEnded = Arc<dyn Fn() -> bool + Send + Sync>;

/// A source of pictures, oldest first.
pub trait FrameSource: Send {
    /// The next picture; `None` at the end of a recording. A live source blocks until one comes, and errs when the
    /// device stalls or goes away.
    ///
    /// # Errors
    /// When the source is broken; it stays so.
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError>;

    /// Whether pictures come at the pace of the world (a camera) rather than at the reader's (a file).
    fn is_live(&self) -> bool;

    /// Pictures that were not handed out: a newer one replaced them, they could not be used, or they never came.
    fn dropped(&self) -> u64 {
        0
    }

    /// The same by what became of them.
    fn losses(&self) -> Losses {
        Losses { replaced: self.dropped(), ..Losses::default() }
    }

    /// Pictures a second that the source says it sends; `None` if it does not say.
    fn nominal_fps(&self) -> Option<f64> {
        None
    }

    /// How much of a recording has been handed out, 0 to 1; `None` of a live source, and where its length is not known.
    fn read_share(&self) -> Option<f64> {
        None
    }

    /// From now on [`Self::next_frame`] gives `None` soon after `is_ended` says so, instead of waiting for a picture.
    fn end_when(&mut self, _is_ended: IsEnded) {}

    /// What can be set, with values read back lately; empty where there is nothing.
    fn controls(&self) -> Vec<CameraControl> {
        Vec::new()
    }

    /// Sets a control and locks it; `None`: the camera shall choose by itself again. [`Self::controls`] tells what came of
    /// it, some pictures later.
    fn set_control(&mut self, _id: u32, _value: Option<i64>) {}
}

/// Stands in for a live source that is away: it was closed, so that it can be opened again.
pub struct Away;

impl FrameSource for Away {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        Ok(None)
    }

    fn is_live(&self) -> bool {
        true
    }
}

/// A control as the driver describes it, with its value read back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CameraControl {
    /// The driver's number.
    pub id: u32,
    /// The driver's name.
    pub name: String,
    /// The value now.
    pub value: i64,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Values are multiples of this above the least.
    pub step: i64,
    /// What the driver chooses.
    pub default: i64,
    /// The camera changes it by itself at the moment; null where it never does.
    pub is_automatic: Option<bool>,
    /// It is on (1) or off (0), such as the dynamic frame rate, with which a camera slows down in the dark.
    pub is_switch: bool,
}
