//! The server: one thread, few connections, short patience.

use super::desk::{Desk, answer};
use super::guard::{Guard, Token};
use super::packet::Packet;
use crate::time::Clock;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
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
/// A connection ends after this, whatever it does: a viewer opens a new one.
const CONNECTION_MAX: Duration = Duration::from_secs(120);
/// Bytes of a request's head and of its body.
const HEAD_MAX: usize = 16 * 1024;
/// Orders at a time; STOP is not counted.
const ORDERS_MAX: usize = 4;

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
