//! The door: a thread of its own that takes every connection and reads its first request.
//!
//! STOP is done from here. Who has no token is told so and must go; who wants to look or to order is shown in, with what
//! was read, to the page's thread. Nobody stays at the door for long, and those who say nothing go first.

use super::desk::Desk;
use super::guests::{Guests, Presence};
use super::reply::{Failure, Reply, last, sealed, to_bytes};
use crate::web::site::Site;
use hyper::header::{CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::timeout;

/// The first request must be there within this.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer must be taken within this, and what is still on its way is waited for: a connection that is closed before
/// loses the answer, too.
const LEAVE_PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of a request's head, and its headers.
const HEAD_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;
/// A body up to this size is read here, to see whether it is STOP.
const SMALL_BODY: usize = 1024;
/// What is read of a request that is not answered as it wants.
const UNREAD_MAX: usize = 64 * 1024;
/// No descriptor is free for a connection: for this long none is taken.
const NO_FILES: Duration = Duration::from_millis(5);

/// Somebody who is shown in.
pub struct Visit {
    /// The connection.
    pub stream: std::net::TcpStream,
    /// What was read of it.
    pub begun: Vec<u8>,
    /// Where it comes from.
    pub peer: SocketAddr,
}

/// The ways in; those who order do not stand behind those who look.
#[derive(Clone)]
pub struct Inside {
    /// For who looks.
    pub looks: Sender<Visit>,
    /// For who changes something.
    pub orders: Sender<Visit>,
}

/// Takes connections for ever, with this many at the door at a time.
pub async fn keep<S: Site>(listener: TcpListener, places: usize, desk: Arc<Desk<S>>, inside: Inside) {
    let mut strangers = Guests::new(places, 0.0);
    loop {
        let taken = listener.accept().await;
        let now = desk.clock.now();
        strangers.make_room(now);
        if strangers.is_full_but_one() {
            // Who must go is gone, and its file free, only when its task has had its turn.
            tokio::task::yield_now().await;
        }
        match taken {
            Ok((stream, peer)) => {
                let task = tokio::spawn(meet(stream, peer, desk.clone(), inside.clone()));
                strangers.enter(task.abort_handle(), Presence::busy(), now);
            }
            Err(error) => {
                tracing::debug!("a connection was not taken: {error}");
                tokio::time::sleep(NO_FILES).await;
            }
        }
    }
}

/// Reads the first request and does with it what is to be done.
async fn meet<S: Site>(stream: TcpStream, peer: SocketAddr, desk: Arc<Desk<S>>, inside: Inside) {
    let _ = stream.set_nodelay(true);
    // Half a request, a connection that ends: it is over, and nothing else is.
    let Ok(Ok(first)) = timeout(PATIENCE, First::read(&stream)).await else { return };
    let (reply, is_head) = match first {
        Err(problem) => (sealed(Err(problem)), false),
        Ok(first) => {
            let is_head = *first.request.method() == Method::HEAD;
            let reply = match desk.admit(&first.request, peer) {
                Err(refusal) => Err(refusal),
                Ok(Some(way_in)) => Ok(way_in),
                Ok(None) if first.is_stop() => {
                    // No stranger any more: whoever comes next must not cost it the answer.
                    tokio::spawn(obey(stream, desk));
                    return;
                }
                Ok(None) => return show_in(first, stream, peer, &inside),
            };
            (sealed(reply), is_head)
        }
    };
    let _ = timeout(LEAVE_PATIENCE, say(&stream, last(reply), is_head)).await;
}

/// Stops, and says what came of it.
async fn obey<S: Site>(stream: TcpStream, desk: Arc<Desk<S>>) {
    let reply = sealed(desk.stop().await);
    let _ = timeout(LEAVE_PATIENCE, say(&stream, last(reply), false)).await;
}

/// To the page's thread; or what is said where the way in is full.
fn show_in(first: First, stream: TcpStream, peer: SocketAddr, inside: &Inside) {
    let way = if *first.request.method() == Method::POST { &inside.orders } else { &inside.looks };
    let Ok(stream) = stream.into_std() else { return };
    if let Err(TrySendError::Full(visit) | TrySendError::Closed(visit)) =
        way.try_send(Visit { stream, begun: first.bytes, peer })
    {
        refuse(visit);
    }
}

/// Tells a visitor for whom there is no seat.
pub fn refuse(mut visit: Visit) {
    let words = "too many look at this page at once; close some, or try again in a second";
    let reply = sealed(Err((StatusCode::SERVICE_UNAVAILABLE, words.into())));
    let _ = visit.stream.write(&to_bytes(&last(reply), false));
}

/// What a connection begins with.
struct First {
    request: Request<()>,
    /// Everything that was read.
    bytes: Vec<u8>,
    /// Where the body begins.
    body_at: usize,
}

impl First {
    /// Reads it; or what is to be said of what came instead.
    async fn read(stream: &TcpStream) -> std::io::Result<Result<Self, Failure>> {
        let mut bytes = Vec::new();
        let mut looked = 0;
        let (request, body_at) = loop {
            read_more(stream, &mut bytes).await?;
            // A head that comes byte by byte must not be read again for each of them.
            let is_over = has_empty_line(&bytes[looked..]);
            looked = bytes.len().saturating_sub(3);
            match if is_over { parse(&bytes) } else { Ok(None) } {
                Ok(Some(head)) => break head,
                Ok(None) if bytes.len() <= HEAD_MAX => {}
                Ok(None) => return Ok(Err(broken(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE))),
                Err(()) => return Ok(Err(broken(StatusCode::BAD_REQUEST))),
            }
        };
        if let Some(length) = small_body(&request) {
            while bytes.len() < body_at + length {
                read_more(stream, &mut bytes).await?;
            }
        }
        Ok(Ok(Self { request, bytes, body_at }))
    }

    /// Whether it orders STOP; only asked of who has been let in.
    fn is_stop(&self) -> bool {
        if *self.request.method() != Method::POST {
            return false;
        }
        let body = || serde_json::from_slice::<Value>(&self.bytes[self.body_at..]).unwrap_or_default();
        match self.request.uri().path() {
            "/api/stop" => true,
            "/api/order" if small_body(&self.request).is_some() => body()["do"] == "stop",
            _ => false,
        }
    }
}

fn broken(status: StatusCode) -> Failure {
    (status, "this is no request that a browser sends; open the address that stackhand has printed".into())
}

/// The length of a body that is read at the door.
fn small_body(request: &Request<()>) -> Option<usize> {
    let headers = request.headers();
    if headers.contains_key(TRANSFER_ENCODING) || headers.contains_key(EXPECT) {
        return None;
    }
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let length = lengths.next().filter(|_| lengths.next().is_none())?;
    length.to_str().ok()?.parse().ok().filter(|length| *length <= SMALL_BODY)
}

fn has_empty_line(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|two| two == b"\n\n") || bytes.windows(3).any(|three| three == b"\n\r\n")
}

/// A request's head and its length; nothing if it has not come to its end.
fn parse(bytes: &[u8]) -> Result<Option<(Request<()>, usize)>, ()> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes).map_err(drop)? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial => return Ok(None),
    };
    let mut request = Request::builder().method(head.method.unwrap_or_default()).uri(head.path.unwrap_or_default());
    for header in head.headers {
        request = request.header(header.name, header.value);
    }
    request.body(()).map(|request| Some((request, length))).map_err(drop)
}

async fn read_more(stream: &TcpStream, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        stream.readable().await?;
        let mut chunk = [0; 2048];
        match stream.try_read(&mut chunk) {
            Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                bytes.extend_from_slice(&chunk[..count]);
                return Ok(());
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sends an answer, and waits until the other side has taken it and closes.
async fn say(stream: &TcpStream, reply: Reply, is_head: bool) -> std::io::Result<()> {
    let bytes = to_bytes(&reply, is_head);
    let mut sent = 0;
    while sent < bytes.len() {
        stream.writable().await?;
        match stream.try_write(&bytes[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    let mut unread = Vec::new();
    while unread.len() < UNREAD_MAX {
        read_more(stream, &mut unread).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> First {
        let (request, body_at) = parse(text.as_bytes()).unwrap().unwrap();
        First { request, bytes: text.into(), body_at }
    }

    #[test]
    fn stop_is_told_from_all_else() {
        let order = |body: &str| format!("POST /api/order HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        assert!(first("POST /api/stop HTTP/1.1\r\n\r\n").is_stop());
        assert!(first(&order("{ \"do\": \"stop\" }")).is_stop());
        for other in ["{\"do\":\"go\"}", "{\"do\":[\"stop\"]}", "\"stop\"", "{\"do\":\"stop\"", ""] {
            assert!(!first(&order(other)).is_stop(), "{other}");
        }
        assert!(!first("GET /api/stop HTTP/1.1\r\n\r\n").is_stop());
        let long = order(&format!("{{\"do\":\"stop\",\"x\":\"{}\"}}", "x".repeat(SMALL_BODY)));
        assert!(!first(&long).is_stop(), "the page's thread reads it");
    }

    #[test]
    fn a_head_is_whole_with_its_empty_line_wherever_it_was_cut() {
        let text = b"GET / HTTP/1.1\r\nhost: x\r\n\r\nrest";
        let end = text.len() - 4;
        for cut in 1..end {
            let looked = (cut - 1).saturating_sub(3);
            assert!(!has_empty_line(&text[looked..cut]), "{cut}");
            assert!(parse(&text[..cut]).unwrap().is_none(), "{cut}");
        }
        for cut in end - 3..end {
            assert!(has_empty_line(&text[cut.saturating_sub(3)..]), "{cut}");
        }
        assert_eq!(parse(text).unwrap().unwrap().1, end);
        for broken in [&b"\0\xff nonsense\r\n\r\n"[..], b"GET / HTTP/9.9\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n"] {
            assert!(parse(broken).is_err(), "{broken:?}");
        }
    }
}
