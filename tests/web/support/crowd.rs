//! Those who stand in STOP's way, on this computer only: silent sockets, a flood of connections, a house full of viewers.

use super::Visitor;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};

/// What they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Nobody is there.
    Calm,
    /// This many sockets that say nothing, or half a request, and are opened again when they are closed.
    Idle(usize),
    /// This many threads that connect, say nothing, half a request, or garbage, and go, as fast as they can.
    Flood(usize),
    /// This many who have the token and look at every picture.
    Viewers(usize),
}

/// What they have done so far.
#[derive(Default)]
pub struct Deeds {
    /// Connections made.
    pub connected: AtomicU64,
    /// Connections that are held now.
    pub held: AtomicU64,
    /// Pictures seen.
    pub seen: AtomicU64,
}

/// A crowd at work.
pub struct Crowd {
    pub deeds: Arc<Deeds>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Crowd {
    pub fn gather(load: Load, visitor: &Visitor) -> Self {
        let (deeds, over) = (Arc::<Deeds>::default(), Arc::<AtomicBool>::default());
        let address: SocketAddr = visitor.address.parse().unwrap();
        assert!(address.ip().is_loopback(), "only on this computer");
        let count = match load {
            Load::Calm => 0,
            Load::Flood(threads) => threads,
            Load::Idle(_) | Load::Viewers(_) => 1,
        };
        let thread = |_| {
            let (deeds, over, visitor) = (deeds.clone(), over.clone(), visitor.clone());
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    match load {
                        Load::Calm => {}
                        Load::Idle(sockets) => idle(address, sockets, &deeds, &over).await,
                        Load::Flood(_) => flood(address, &deeds, &over).await,
                        Load::Viewers(viewers) => look(address, viewers, &visitor, &deeds, &over).await,
                    }
                });
            })
        };
        Self { threads: (0..count).map(thread).collect(), deeds, over }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

const HALF: [&[u8]; 4] = [
    b"",
    b"GET / HTTP/1.1\r\nhost: ",
    b"\0\xff\x16\x03\x01 nonsense\r\n\r\n",
    b"POST /api/stop HTTP/1.1\r\nhost: x\r\ncontent-length: 16000\r\n\r\n{",
];

/// A connection that leaves nothing behind, so that the computer's ports do not run out.
async fn connect(address: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.set_zero_linger().ok()?;
    tokio::time::timeout(Duration::from_secs(5), socket.connect(address)).await.ok()?.ok()
}

async fn idle(address: SocketAddr, sockets: usize, deeds: &Deeds, over: &AtomicBool) {
    let mut held: Vec<TcpStream> = Vec::with_capacity(sockets);
    let mut turn = 0;
    while !over.load(Ordering::Relaxed) {
        let Some(stream) = connect(address).await else { continue };
        deeds.connected.fetch_add(1, Ordering::Relaxed);
        let _ = stream.try_write(HALF[turn % 2]);
        if held.len() < sockets {
            held.push(stream);
        } else {
            let place = turn % sockets;
            held[place] = stream;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        turn += 1;
        deeds.held.store(held.len() as u64, Ordering::Relaxed);
    }
}

async fn flood(address: SocketAddr, deeds: &Deeds, over: &AtomicBool) {
    let mut turn = 0;
    while !over.load(Ordering::Relaxed) {
        if let Some(stream) = connect(address).await {
            deeds.connected.fetch_add(1, Ordering::Relaxed);
            let _ = stream.try_write(HALF[turn % HALF.len()]);
        }
        turn += 1;
    }
}

async fn look(address: SocketAddr, viewers: usize, visitor: &Visitor, deeds: &Arc<Deeds>, over: &Arc<AtomicBool>) {
    let all: Vec<_> =
        (0..viewers).map(|_| tokio::spawn(look_on(address, visitor.clone(), deeds.clone(), over.clone()))).collect();
    for one in all {
        let _ = one.await;
    }
}

/// One viewer, who comes again when the connection ends.
async fn look_on(address: SocketAddr, visitor: Visitor, deeds: Arc<Deeds>, over: Arc<AtomicBool>) {
    let Visitor { address: host, cookie } = visitor;
    let request =
        |after: u64| format!("GET /api/live?after={after} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\n\r\n");
    let mut after = 0;
    while !over.load(Ordering::Relaxed) {
        let Some(stream) = connect(address).await else { continue };
        deeds.connected.fetch_add(1, Ordering::Relaxed);
        while !over.load(Ordering::Relaxed) {
            let Some(serial) = picture(&stream, &request(after)).await else { break };
            after = serial;
            deeds.seen.fetch_add(1, Ordering::Relaxed);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Asks for a picture and reads it; its number, or nothing if the connection has ended.
async fn picture(stream: &TcpStream, request: &str) -> Option<u64> {
    stream.try_write(request.as_bytes()).ok()?;
    let mut bytes = Vec::new();
    loop {
        tokio::time::timeout(Duration::from_secs(10), stream.readable()).await.ok()?.ok()?;
        let mut chunk = [0; 65536];
        match stream.try_read(&mut chunk) {
            Ok(0) => return None,
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(_) => return None,
        }
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]);
        let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        if !head.starts_with("HTTP/1.1 200") {
            return None;
        }
        if bytes.len() >= end + 4 + value("content-length:")? as usize {
            return value("x-serial:");
        }
    }
}
