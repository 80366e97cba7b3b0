//! Files on their way to a browser: bit by bit, so that none is ever whole in memory, and read by threads of their own, so
//! that a slow disk keeps nobody else waiting.

use super::download::Download;
use super::reply::Failure;
use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, HeaderMap, RANGE};
use hyper::{Response, StatusCode};
use std::io::{Error, Result};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;

/// Bytes that are read at a time.
const CHUNK: u64 = 256 * 1024;
/// Beside a robot that plays, so long between two reads: less than 25 MB a second.
const BUSY_GAP: Duration = Duration::from_millis(11);

/// What is answered: something whole, or a file.
pub enum Content {
    /// All of it.
    Whole(Full<Bytes>),
    /// A part of a file, or all of it.
    File(Stream),
}

/// A part of a file that is being sent.
pub struct Stream {
    file: Download,
    rest: Range<u64>,
    /// What is being read.
    reading: Option<JoinHandle<Result<Vec<u8>>>>,
    /// Bytes that this connection has been given so far.
    sent: Arc<AtomicU64>,
    _place: OwnedSemaphorePermit,
}

/// A file, or the part of it that is asked for.
///
/// # Errors
/// When it cannot be read, or has no such part.
pub fn file_reply(
    file: Download,
    headers: &HeaderMap,
    sent: Arc<AtomicU64>,
    place: OwnedSemaphorePermit,
) -> std::result::Result<Response<Content>, Failure> {
    let unreadable = |_| (StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read any more".to_string());
    let length = file.length().map_err(unreadable)?;
    let part = headers.get(RANGE).and_then(|range| part_of(range.to_str().ok()?, length));
    let rest = match &part {
        Some(part) if part.is_empty() => {
            return Err((StatusCode::RANGE_NOT_SATISFIABLE, format!("the file has {length} bytes")));
        }
        Some(part) => part.clone(),
        None => 0..length,
    };
    let mut reply = Response::builder()
        .header(CONTENT_TYPE, "application/octet-stream")
        .header(CACHE_CONTROL, "no-store")
        .header(ACCEPT_RANGES, "bytes")
        .header(CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", file.name()));
    if part.is_some() {
        let told = format!("bytes {}-{}/{length}", rest.start, rest.end - 1);
        reply = reply.status(StatusCode::PARTIAL_CONTENT).header(CONTENT_RANGE, told);
    }
    let stream = Stream { file, rest, reading: None, sent, _place: place };
    reply.body(Content::File(stream)).map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

/// The part that a browser asks for which goes on with a download; empty if there is none. `None`: all of it is sent, as it
/// may be to whoever asks in any other way.
fn part_of(range: &str, length: u64) -> Option<Range<u64>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let first: u64 = first.parse().ok()?;
    let end = if last.is_empty() { length } else { last.parse::<u64>().ok()?.saturating_add(1).min(length) };
    Some(if first < end { first..end } else { 0..0 })
}

impl Stream {
    fn read_on(&self) -> JoinHandle<Result<Vec<u8>>> {
        let (file, from) = (self.file.clone(), self.rest.start);
        let count = CHUNK.min(self.rest.end - from) as usize;
        let is_first = self.sent.load(Ordering::Relaxed) == 0;
        tokio::spawn(async move {
            if file.is_busy() && !is_first {
                tokio::time::sleep(BUSY_GAP).await;
            }
            tokio::task::spawn_blocking(move || file.read(from, count)).await.map_err(Error::other)?
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.reading.take().into_iter().for_each(|reading| reading.abort());
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        let stream = match self.get_mut() {
            Self::Whole(whole) => return Pin::new(whole).poll_frame(cx).map_err(|never| match never {}),
            Self::File(stream) => stream,
        };
        if stream.rest.is_empty() {
            return Poll::Ready(None);
        }
        if stream.reading.is_none() {
            stream.reading = Some(stream.read_on());
        }
        let Some(reading) = &mut stream.reading else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(cx));
        stream.reading = None;
        Poll::Ready(Some(read.map_err(Error::other).and_then(|read| read).map(|bytes| {
            stream.rest.start += bytes.len() as u64;
            stream.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Frame::data(bytes.into())
        })))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::File(stream) => stream.rest.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::File(stream) => SizeHint::with_exact(stream.rest.end - stream.rest.start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_what_is_there_of_it() {
        for (asked, part) in [
            ("bytes=0-", Some(0..10)),
            ("bytes=4-6", Some(4..7)),
            ("bytes=4-99", Some(4..10)),
            ("bytes=9-18446744073709551615", Some(9..10)),
            ("bytes=10-", Some(0..0)),
            ("bytes=7-6", Some(0..0)),
            ("bytes=-3", None),
            ("bytes=0-1,4-5", None),
            ("lines=1-2", None),
        ] {
            assert_eq!(part_of(asked, 10), part, "{asked}");
        }
    }
}
