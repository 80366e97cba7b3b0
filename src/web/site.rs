//! What the pages show, and who answers their orders.

use crate::web::download::Download;
use crate::web::packet::Packet;
use serde_json::Value;

/// Which page is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// Where the field is.
    Calibrate,
    /// The robot at play, or a recording.
    Watch,
}

/// What an order came to: an answer, or what to do instead, in words.
pub type Answer = Result<Value, String>;

/// What is shown and what can be ordered.
pub trait Site: Send + Sync + 'static {
    /// The page.
    fn page(&self) -> PageKind;

    /// What a tab must know at first.
    fn hello(&self) -> Value;

    /// The number of the newest thing to see.
    fn serial(&self) -> u64;

    /// Waits for something newer than `after`.
    fn changed(&self, after: u64) -> impl Future<Output = ()> + Send;

    /// The newest thing to see. Called only by the server's thread.
    fn packet(&self) -> Option<(u64, Packet)>;

    /// One picture of a recording, from 0.
    fn frame(&self, _number: usize) -> Option<Packet> {
        None
    }

    /// The small picture of one, JPEG. May take some ms.
    fn thumbnail(&self, _number: usize) -> Option<Vec<u8>> {
        None
    }

    /// A file that is handed out under this word; which file that is, is never for the browser to say.
    fn file(&self, _word: &str) -> Option<Download> {
        None
    }

    /// Whether every tab may give this order: stopping is nobody's privilege. `stop` itself is done by a thread of its own.
    fn is_free(&self, order: &str) -> bool {
        order == "stop"
    }

    /// Does what a person wants. May block for a second.
    fn order(&self, order: &Value) -> Answer;
}
