//! The server: a door and a room behind it, a thread each, few connections, short patience.

use super::desk::{BLOCKING_MAX, Desk, answer};
use super::door::{self, Inside, Visit};
use super::guard::{Guard, Token};
use super::guests::{Guests, Presence};
use super::site::Site;
use crate::time::Clock;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver};
use tokio::time::timeout;

/// A further request's head must be there within this, or the connection ends.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);
/// A connection ends after this, whatever it does, unless it has been given a part of a file meanwhile: a viewer opens a new
/// one.
const CONNECTION_MAX: Duration = Duration::from_secs(120);
/// Who is being answered keeps the seat for this long at least, ms.
const STAY_MS: f64 = 1000.0;
/// Bytes of a request's head.
const HEAD_MAX: usize = 16 * 1024;
/// Connections that the system may hold ready before they are taken: in a flood, some tens of ms of it.
const BACKLOG: u32 = 4096;
/// Visits on their way from the door to the page.
const VISITS_MAX: usize = 64;

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
    /// Another computer's address.
    #[error(
        "{address} is no address of this computer; it has {own}: give one of these, or 0.0.0.0 for all of them, such as \
         --listen 0.0.0.0:8642"
    )]
    NotOurs {
        /// As given.
        address: String,
        /// Those that it has.
        own: String,
    },
    /// No thread, or no random numbers.
    #[error("the system gives no thread or no random numbers for the page; close other programs, then start again")]
    System {
        /// Why.
        source: std::io::Error,
    },
}

/// A running server. Dropping it ends it.
pub struct Server {
    address: SocketAddr,
    token: Token,
    /// A key for the browser that this program opens.
    offer: Box<dyn Fn() -> Result<Token, getrandom::Error> + Send + Sync>,
    threads: Vec<(Arc<Notify>, JoinHandle<()>)>,
}

impl Server {
    /// Serves `site` at `listen` (HOST:PORT; `None`: any free port of 127.0.0.1). Whoever wants in needs the token.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn start<S: Site>(site: Arc<S>, listen: Option<&str>, clock: Arc<dyn Clock>) -> Result<Self, ServerError> {
        let failed = |source| ServerError::System { source };
        let runtime = |blocking| {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            builder.enable_all().max_blocking_threads(blocking).build().map_err(failed)
        };
        let (outside, inside) = (runtime(1)?, runtime(BLOCKING_MAX)?);
        let listener = bind(listen, &outside)?;
        let address = listener.local_addr().map_err(failed)?;
        let token = Token::random().map_err(|e| failed(std::io::Error::other(e)))?;
        let name = listen.and_then(|l| l.rsplit_once(':')).map(|(name, _)| name.to_string());
        let guard = Guard::new(address, name, token.clone());
        let desk = Arc::new(Desk::new(site, guard, clock).map_err(failed)?);
        let seats = Seats::of_this_system();
        let ((looks, to_look), (orders, to_order)) = (mpsc::channel(VISITS_MAX), mpsc::channel(VISITS_MAX));
        let door = door::keep(listener, seats.door, desk.clone(), Inside { looks, orders });
        let (viewers, callers) = (host(to_look, seats.looks, desk.clone()), host(to_order, seats.orders, desk.clone()));
        let both = async move {
            tokio::spawn(callers);
            viewers.await;
        };
        let threads = vec![
            open_room("page door", outside, door).map_err(failed)?,
            open_room("page", inside, both).map_err(failed)?,
        ];
        let offer = Box::new(move || desk.hand_off.offer(desk.clock.now()));
        Ok(Self { address, token, offer, threads })
    }

    /// Whether it could listen there, asked before anything else is opened.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn check(listen: Option<&str>) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| ServerError::System { source })?;
        bind(listen, &runtime).map(drop)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token: for the eyes of the person who started the program.
    pub fn url(&self) -> String {
        self.url_at(self.address.ip())
    }

    /// The same for each of this computer's addresses, if it listens at all of them.
    pub fn urls(&self) -> Vec<String> {
        match self.address.ip().is_unspecified() {
            true => own_addresses().into_iter().map(|ip| self.url_at(ip)).collect(),
            false => vec![self.url()],
        }
    }

    /// Whether other computers can reach it.
    pub fn is_public(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    fn url_at(&self, ip: IpAddr) -> String {
        format!("http://{}/?token={}", SocketAddr::new(ip, self.address.port()), self.token.text())
    }

    /// An address that others may read: it opens once, soon, and only for this user where the system tells users apart.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn url_for_browser(&self) -> Result<String, ServerError> {
        let key = (self.offer)().map_err(|e| ServerError::System { source: std::io::Error::other(e) })?;
        Ok(format!("http://{}/?key={}", self.address, key.text()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for (stop, thread) in self.threads.drain(..) {
            stop.notify_one();
            if thread.join().is_err() {
                tracing::error!("a thread of the page panicked");
            }
        }
    }
}

/// A thread that does this until it is told to end.
fn open_room<F>(name: &str, runtime: Runtime, work: F) -> std::io::Result<(Arc<Notify>, JoinHandle<()>)>
where
    F: Future<Output = ()> + Send + 'static,
{
    let stop = Arc::new(Notify::new());
    let stopped = stop.clone();
    let body = move || {
        runtime.block_on(async {
            tokio::spawn(work);
            stopped.notified().await;
        });
        runtime.shutdown_background();
    };
    Ok((stop, std::thread::Builder::new().name(name.into()).spawn(body)?))
}

/// Where the page is unless somebody wants it elsewhere: open tabs and bookmarks find it again.
const PORT: u16 = 8642;

/// On the usual port of this computer alone, or on any free one if another run has that.
fn bind_at_home(runtime: &Runtime) -> Result<TcpListener, ServerError> {
    let at = |port: u16| bind(Some(&format!("127.0.0.1:{port}")), runtime);
    at(PORT).or_else(|_| at(0))
}

/// The addresses by which others can reach this computer, the likeliest first; this computer's own name for itself if there
/// is none.
fn own_addresses() -> Vec<IpAddr> {
    // Nothing is sent: the system only says from where it would be.
    let towards = |own: &str, far: &str| {
        let socket = UdpSocket::bind(own).ok()?;
        socket.connect(far).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let routed = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")].map(|(own, far)| towards(own, far));
    let mut found: Vec<IpAddr> = routed.into_iter().flatten().filter(|ip| !ip.is_unspecified()).collect();
    found.dedup();
    if found.is_empty() {
        found.push(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    found
}

fn bind(listen: Option<&str>, runtime: &Runtime) -> Result<TcpListener, ServerError> {
    let Some(text) = listen else { return bind_at_home(runtime) };
    let wrong = || ServerError::Address { text: text.into() };
    let _inside = runtime.enter();
    let bound = |address: SocketAddr| {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    let mut failure = None;
    for address in text.to_socket_addrs().map_err(|_| wrong())? {
        match bound(address) {
            Ok(listener) => return Ok(listener),
            Err(source) if source.kind() == std::io::ErrorKind::AddrNotAvailable => {
                let own: Vec<String> = own_addresses().iter().map(ToString::to_string).collect();
                failure = Some(ServerError::NotOurs { address: text.into(), own: own.join(", ") });
            }
            Err(source) => failure = Some(ServerError::Listen { address: text.into(), source }),
        }
    }
    Err(failure.unwrap_or_else(wrong))
}

/// How many connections there may be, of each kind.
#[derive(Debug, Clone, Copy)]
struct Seats {
    /// Whose first request has not been read.
    door: usize,
    /// Who look, and who order.
    looks: usize,
    orders: usize,
}

impl Seats {
    /// Together a third of the files that this process may have open, at most: camera, board and recording need theirs.
    fn of_this_system() -> Self {
        #[cfg(unix)]
        let files = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE).map_or(256, |l| l.0);
        #[cfg(not(unix))]
        let files = 1024_u64;
        let share = |of: u64, least: u64, most: u64| (files / of).clamp(least, most) as usize;
        Self { door: share(4, 8, 512), looks: share(20, 4, 48), orders: share(40, 4, 24) }
    }
}

/// Seats those who are shown in by one of the ways.
async fn host<S: Site>(mut visits: Receiver<Visit>, seats: usize, desk: Arc<Desk<S>>) {
    let mut guests = Guests::new(seats, STAY_MS);
    while let Some(visit) = visits.recv().await {
        let now = desk.clock.now();
        if !guests.make_room(now) {
            door::refuse(visit);
            continue;
        }
        let presence = Presence::busy();
        let task = tokio::spawn(serve(visit, presence.clone(), desk.clone()));
        guests.enter(task.abort_handle(), presence, now);
    }
}

async fn serve<S: Site>(visit: Visit, presence: Presence, desk: Arc<Desk<S>>) {
    let peer = visit.peer;
    let Ok(stream) = TcpStream::from_std(visit.stream) else { return };
    let sent = Arc::<AtomicU64>::default();
    let service = service_fn(async |request| {
        presence.asks();
        let reply = answer(&desk, request, peer, &sent).await;
        presence.rests(desk.clock.now());
        reply
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(HEAD_MAX).max_headers(64);
    let begun = Begun { bytes: visit.begun, read: 0, stream };
    let mut connection = pin!(http.serve_connection(TokioIo::new(begun), service));
    loop {
        let before = sent.load(Ordering::Relaxed);
        match timeout(CONNECTION_MAX, connection.as_mut()).await {
            // Garbage, half a request, a reader that never reads: the connection ends, and nothing else does.
            Ok(ended) => {
                return ended.unwrap_or_else(|error| tracing::trace!("a connection ended: {error}"));
            }
            Err(_) if sent.load(Ordering::Relaxed) == before => return,
            Err(_) => {}
        }
    }
}

/// A connection of which something was read already: that is read again first.
struct Begun {
    bytes: Vec<u8>,
    read: usize,
    stream: TcpStream,
}

impl AsyncRead for Begun {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let waiting = &self.bytes[self.read..];
        if waiting.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let count = waiting.len().min(into.remaining());
        into.put_slice(&waiting[..count]);
        self.read += count;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Begun {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
