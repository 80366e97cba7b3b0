//! The server: one thread, few connections, short patience.

use super::assets::Asset;
use super::guard::{Guard, Refusal, TAB_HEADER, Token};
use super::hand::{Hand, Tab};
use super::packet::Packet;
use crate::time::Clock;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, LOCATION, SET_COOKIE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Notify, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// Connections at a time; a browser keeps up to six. One more, and the oldest that has not asked anything sensible yet
/// must go, so that a crowd of silent ones keeps nobody out.
const CONNECTIONS_MAX: usize = 128;
/// A request's head must be there within this, or the connection ends.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// The same for a body, and for taking the answer.
const BODY_PATIENCE: Duration = Duration::from_secs(5);
/// A connection ends after this, whatever it does: a viewer opens a new one.
const CONNECTION_MAX: Duration = Duration::from_secs(120);
/// How long a viewer waits for a new picture before it is told that there is none.
const PICTURE_PATIENCE: Duration = Duration::from_secs(8);
/// Bytes of a request's head and of its body.
const HEAD_MAX: usize = 16 * 1024;
const BODY_MAX: usize = 16 * 1024;
/// Orders at a time; STOP is not counted.
const ORDERS_MAX: usize = 4;

const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// Why there is no page.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The text is no address.
    #[error("{text:?} is no address to listen at; write HOST:PORT, such as 192.168.0.10:8080 or 0.0.0.0:8080")]
    Address {
        /// As given.
        text: String,
    },
    /// The address cannot be used.
    #[error("cannot listen at {address}; choose another port with --listen HOST:PORT, or end the program that has it")]
    Listen {
        /// Which.
        address: String,
        /// Why.
        source: std::io::Error,
    },
    /// No thread, or no random numbers.
    #[error("the system gives no thread or no random numbers for the page; close other programs, then start again")]
    System {
        /// Why.
        source: std::io::Error,
    },
}

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

    /// Whether every tab may give this order: stopping is nobody's privilege.
    fn is_free(&self, order: &str) -> bool {
        order == "stop"
    }

    /// Does what a person wants. May block for a second.
    fn order(&self, order: &Value) -> Answer;
}

/// A running server. Dropping it ends it.
pub struct Server {
    address: SocketAddr,
    token: Option<Token>,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `site` at `listen` (HOST:PORT; `None`: any free port of 127.0.0.1). Beyond loopback a token is needed.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn start<S: Site>(site: Arc<S>, listen: Option<&str>, clock: Arc<dyn Clock>) -> Result<Self, ServerError> {
        let listener = bind(listen)?;
        let failed = |source| ServerError::System { source };
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let token = (!address.ip().is_loopback()).then(Token::random).transpose();
        let token = token.map_err(|e| failed(std::io::Error::other(e)))?;
        let name = listen.and_then(|l| l.rsplit_once(':')).map(|(name, _)| name.to_string());
        let guard = Guard::new(address, name, token.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(ORDERS_MAX + 2)
            .build()
            .map_err(failed)?;
        let desk = Arc::new(Desk {
            site,
            guard,
            clock,
            hand: Mutex::default(),
            cached: Mutex::default(),
            orders: Semaphore::new(ORDERS_MAX),
        });
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let body = move || {
            runtime.block_on(async {
                match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => {
                        tokio::spawn(accept(listener, desk));
                        stopped.notified().await;
                    }
                    Err(error) => tracing::error!("the page cannot be served: {error}"),
                }
            });
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("page".into()).spawn(body).map_err(failed)?;
        Ok(Self { address, token, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token if one is needed.
    pub fn url(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/?token={}", self.address, token.text()),
            None => format!("http://{}/", self.address),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the page's thread panicked");
        }
    }
}

fn bind(listen: Option<&str>) -> Result<TcpListener, ServerError> {
    let text = listen.unwrap_or("127.0.0.1:0");
    let wrong = || ServerError::Address { text: text.into() };
    let addresses: Vec<_> = text.to_socket_addrs().map_err(|_| wrong())?.collect();
    if addresses.is_empty() {
        return Err(wrong());
    }
    TcpListener::bind(&*addresses).map_err(|source| ServerError::Listen { address: text.into(), source })
}

/// What all connections share.
struct Desk<S> {
    site: Arc<S>,
    guard: Guard,
    clock: Arc<dyn Clock>,
    hand: Mutex<Hand>,
    /// The newest packet, encoded once for all viewers.
    cached: Mutex<Option<(u64, Bytes)>>,
    orders: Semaphore,
}

/// An open connection.
struct Guest {
    task: AbortHandle,
    /// It has sent a request that the guard let in.
    is_proven: Arc<AtomicBool>,
}

/// The open connections, oldest first.
#[derive(Default)]
struct Guests(Vec<Guest>);

impl Guests {
    /// Makes room for one more; false if everybody here has proven themselves.
    fn make_room(&mut self) -> bool {
        self.0.retain(|guest| !guest.task.is_finished());
        if self.0.len() < CONNECTIONS_MAX {
            return true;
        }
        let stranger = self.0.iter().position(|guest| !guest.is_proven.load(Ordering::Relaxed));
        stranger.map(|i| self.0.remove(i).task.abort()).is_some()
    }
}

async fn accept<S: Site>(listener: tokio::net::TcpListener, desk: Arc<Desk<S>>) {
    let mut guests = Guests::default();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!("a connection was not taken: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        if !guests.make_room() {
            continue;
        }
        let _ = stream.set_nodelay(true);
        let desk = desk.clone();
        let is_proven = Arc::new(AtomicBool::new(false));
        let proven = is_proven.clone();
        let task = tokio::spawn(async move {
            let service = service_fn(|request| answer(&desk, request, &proven));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(HEAD_MAX).max_headers(64);
            // Garbage, half a request, a reader that never reads: the connection ends, and nothing else does.
            let served = timeout(CONNECTION_MAX, http.serve_connection(TokioIo::new(stream), service)).await;
            if let Ok(Err(error)) = served {
                tracing::trace!("a connection ended: {error}");
            }
        });
        guests.0.push(Guest { task: task.abort_handle(), is_proven });
    }
}

type Reply = Response<Full<Bytes>>;

async fn answer<S: Site>(desk: &Desk<S>, request: Request<Incoming>, proven: &AtomicBool) -> Result<Reply, Infallible> {
    let mut reply = match route(desk, request, proven).await {
        Ok(reply) => reply,
        Err((status, words)) => {
            let mut reply = json_reply(&json!({ "error": words }));
            *reply.status_mut() = status;
            reply
        }
    };
    for (name, value) in HEADERS {
        reply.headers_mut().insert(HeaderName::from_static(name), hyper::header::HeaderValue::from_static(value));
    }
    Ok(reply)
}

type Failure = (StatusCode, String);

async fn route<S: Site>(desk: &Desk<S>, request: Request<Incoming>, proven: &AtomicBool) -> Result<Reply, Failure> {
    let query = request.uri().query().unwrap_or_default().to_string();
    let asked = |name: &str| query.split('&').filter_map(|p| p.split_once('=')).find(|p| p.0 == name).map(|p| p.1);
    let refused = |refusal: Refusal| (refusal.status(), refusal.words().to_string());
    desk.guard.check(request.method(), request.headers(), asked("token")).map_err(refused)?;
    proven.store(true, Ordering::Relaxed);
    let path = request.uri().path().to_string();
    let number = |name| asked(name).and_then(|n| n.parse::<u64>().ok());
    if *request.method() == Method::POST {
        return match path.as_str() {
            "/api/hello" => Ok(desk.hello()),
            "/api/order" => desk.order(request).await,
            _ => Err((StatusCode::NOT_FOUND, "there is nothing here to change".into())),
        };
    }
    match path.as_str() {
        "/" if asked("token").is_some() => Ok(desk.enter()),
        "/api/live" => Ok(desk.live(number("after").unwrap_or(0), number("tab")).await),
        "/api/frame" => {
            let packet = number("n").and_then(|n| desk.site.frame(usize::try_from(n).ok()?));
            packet.map(|p| bytes_reply(p.to_bytes().into())).ok_or((StatusCode::NOT_FOUND, "no such picture".into()))
        }
        path => asset(path, desk.site.page()).ok_or((StatusCode::NOT_FOUND, "there is no such page".into())),
    }
}

impl<S: Site> Desk<S> {
    fn hand(&self) -> MutexGuard<'_, Hand> {
        self.hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token moves from the address, which people copy and browsers remember, into a cookie.
    fn enter(&self) -> Reply {
        let mut reply = Response::new(Full::default());
        *reply.status_mut() = StatusCode::SEE_OTHER;
        reply.headers_mut().insert(LOCATION, hyper::header::HeaderValue::from_static("/"));
        if let Some(cookie) = self.guard.cookie().and_then(|c| c.parse().ok()) {
            reply.headers_mut().insert(SET_COOKIE, cookie);
        }
        reply
    }

    fn hello(&self) -> Reply {
        let now = self.clock.now();
        let mut hand = self.hand();
        let tab = hand.enter(now);
        let holds = hand.hear(tab, now);
        drop(hand);
        json_reply(&json!({ "tab": tab.0, "hand": holds, "site": self.site.hello() }))
    }

    /// The newest picture, as soon as it is newer than the viewer's.
    async fn live(&self, after: u64, tab: Option<u64>) -> Reply {
        let holds = tab.is_some_and(|tab| self.hand().hear(Tab(tab), self.clock.now()));
        // A number from an earlier run would wait for long.
        let after = if after > self.site.serial() { 0 } else { after };
        let _ = timeout(PICTURE_PATIENCE, self.site.changed(after)).await;
        let bytes = if self.site.serial() > after { self.encoded() } else { None };
        let mut reply = match bytes {
            Some((serial, bytes)) => {
                let mut reply = bytes_reply(bytes);
                reply.headers_mut().insert("x-serial", serial.into());
                reply
            }
            None => {
                let mut reply = Response::new(Full::default());
                *reply.status_mut() = StatusCode::NO_CONTENT;
                reply
            }
        };
        reply.headers_mut().insert("x-hand", u64::from(holds).into());
        reply
    }

    fn encoded(&self) -> Option<(u64, Bytes)> {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((serial, bytes)) = cached.as_ref()
            && *serial >= self.site.serial()
        {
            return Some((*serial, bytes.clone()));
        }
        let (serial, packet) = self.site.packet()?;
        let bytes = Bytes::from(packet.to_bytes());
        *cached = Some((serial, bytes.clone()));
        Some((serial, bytes))
    }

    async fn order(&self, request: Request<Incoming>) -> Result<Reply, Failure> {
        let tab = tab_of(request.headers());
        let order = body(request).await?;
        let name = order.get("do").and_then(Value::as_str).unwrap_or_default().to_string();
        let now = self.clock.now();
        if name == "take" {
            self.hand().take(tab.unwrap_or(Tab(0)), now);
        }
        if name == "leave" {
            self.hand().leave(tab.unwrap_or(Tab(0)));
            return Ok(json_reply(&json!({})));
        }
        let holds = tab.is_some_and(|tab| self.hand().hear(tab, now));
        if name == "take" {
            return Ok(json_reply(&json!({ "hand": holds })));
        }
        if !holds && !self.site.is_free(&name) {
            let words = "another tab holds the hand; take it over first, with the button at the top";
            return Err((StatusCode::CONFLICT, words.into()));
        }
        let busy = || (StatusCode::TOO_MANY_REQUESTS, "too many orders at once; wait a moment".to_string());
        let _place = match self.site.is_free(&name) {
            true => None,
            false => Some(self.orders.try_acquire().map_err(|_| busy())?),
        };
        let site = self.site.clone();
        let done = tokio::task::spawn_blocking(move || site.order(&order)).await;
        match done {
            Ok(Ok(value)) => Ok(json_reply(&value)),
            Ok(Err(words)) => Err((StatusCode::UNPROCESSABLE_ENTITY, words)),
            Err(_) => Err((StatusCode::INTERNAL_SERVER_ERROR, "that order failed; start stackhand again".into())),
        }
    }
}

fn tab_of(headers: &HeaderMap) -> Option<Tab> {
    headers.get(TAB_HEADER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok()).map(Tab)
}

async fn body(request: Request<Incoming>) -> Result<Value, Failure> {
    let wrong = |words: &str| (StatusCode::BAD_REQUEST, words.to_string());
    let collected = timeout(BODY_PATIENCE, Limited::new(request.into_body(), BODY_MAX).collect()).await;
    let bytes = collected.map_err(|_| wrong("the request did not come to its end"))?;
    let bytes = bytes.map_err(|_| wrong("the request is too long, or broken"))?.to_bytes();
    serde_json::from_slice(&bytes).map_err(|_| wrong("the request is no JSON"))
}

fn asset(path: &str, page: PageKind) -> Option<Reply> {
    let asset = Asset::at(path, page)?;
    let mut reply = Response::new(Full::new(Bytes::from_static(asset.bytes)));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(asset.kind));
    // The next version of the program serves the same address.
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-cache"));
    Some(reply)
}

fn json_reply(value: &Value) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(value.to_string())));
    reply.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    reply.headers_mut().insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    reply
}

fn bytes_reply(bytes: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(bytes));
    reply.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/octet-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    reply
}
