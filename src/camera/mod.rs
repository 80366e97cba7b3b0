//! Where pictures come from.

pub mod simulated;

use crate::message::Frame;

/// Why a source gives no picture.
#[derive(Debug, thiserror::Error)]
pub enum CameraError {
    /// The system gave no thread.
    #[error("the system gives no thread to read pictures in; close other programs, then start again")]
    System {
        /// Why.
        source: std::io::Error,
    },
}

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
}
