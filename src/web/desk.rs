//! What is behind the page's addresses: who is let in, who holds the hand, and what orders come to.

use super::guard::{Guard, Refusal, TAB_HEADER};
use super::hand::{Hand, Tab};
use super::handoff::{HandOff, is_own_user};
use super::reply::{Failure, Reply, asset, bytes_reply, json_reply, last, sealed, with_headers};
use super::stopper::Stopper;
use super::stream::{Content, file_reply};
use crate::time::Clock;
use crate::web::site::Site;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderValue, LOCATION, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode, Uri};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A request's body must be there within this.
const BODY_PATIENCE: Duration = Duration::from_secs(5);
const BODY_MAX: usize = 16 * 1024;
/// How long a viewer waits for a new picture before it is told that there is none.
const PICTURE_PATIENCE: Duration = Duration::from_secs(8);
/// Orders at a time; STOP is not counted.
pub const ORDERS_MAX: usize = 4;
/// Files that are handed out at a time.
const FILES_MAX: usize = 2;
/// Threads that orders, files and a small picture may keep busy together.
pub const BLOCKING_MAX: usize = ORDERS_MAX + FILES_MAX + 1 + 1;

/// What all connections share.
pub struct Desk<S> {
    pub site: Arc<S>,
    pub guard: Guard,
    pub hand_off: HandOff,
    pub stopper: Stopper,
    pub clock: Arc<dyn Clock>,
    hand: Mutex<Hand>,
    /// The newest packet, encoded once for all viewers.
    cached: Mutex<Option<(u64, Bytes)>>,
    orders: Semaphore,
    files: Arc<Semaphore>,
    /// One small picture is made at a time.
    small: Semaphore,
}

/// The value of a name in an address's query.
fn asked<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Answers a request of a connection from `peer`. Whoever changes something needs a connection for it, so that those who
/// look and those who order never share a seat. What is sent of a file is added to `sent`, bytes.
pub async fn answer<S: Site>(
    desk: &Desk<S>,
    request: Request<Incoming>,
    peer: SocketAddr,
    sent: &Arc<AtomicU64>,
) -> Result<Response<Content>, Infallible> {
    let is_change = *request.method() == Method::POST;
    if !is_change && request.uri().path() == "/api/file" {
        let file = desk.file(&request, peer, sent);
        return Ok(file.map_or_else(|failure| sealed(Err(failure)).map(whole), with_headers));
    }
    let reply = sealed(route(desk, request, peer).await);
    Ok(if is_change { last(reply) } else { reply }.map(whole))
}

fn whole(bytes: Bytes) -> Content {
    Content::Whole(Full::new(bytes))
}

async fn route<S: Site>(desk: &Desk<S>, request: Request<Incoming>, peer: SocketAddr) -> Result<Reply, Failure> {
    if let Some(reply) = desk.admit(&request, peer)? {
        return Ok(reply);
    }
    let path = request.uri().path();
    if *request.method() == Method::POST {
        return match path {
            "/api/hello" => Ok(desk.hello()),
            "/api/hold" => Ok(desk.hold(request.headers())),
            "/api/stop" => desk.stop().await,
            "/api/order" => desk.order(request).await,
            _ => Err((StatusCode::NOT_FOUND, "there is nothing here to change".into())),
        };
    }
    let number = |name| asked(request.uri(), name).and_then(|n| n.parse::<u64>().ok());
    match path {
        "/api/live" => Ok(desk.live(number("after").unwrap_or(0), number("tab")).await),
        "/api/frame" => {
            let packet = number("n").and_then(|n| desk.site.frame(usize::try_from(n).ok()?));
            packet.map(|p| bytes_reply(p.to_bytes().into())).ok_or((StatusCode::NOT_FOUND, "no such picture".into()))
        }
        "/api/thumb" => desk.thumbnail(number("n")).await,
        path => asset(path, desk.site.page()).ok_or((StatusCode::NOT_FOUND, "there is no such page".into())),
    }
}

impl<S: Site> Desk<S> {
    /// The desk of a page of which nobody knows yet.
    pub fn new(site: Arc<S>, guard: Guard, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        Ok(Self {
            stopper: Stopper::start(site.clone())?,
            site,
            guard,
            hand_off: HandOff::default(),
            clock,
            hand: Mutex::default(),
            cached: Mutex::default(),
            orders: Semaphore::new(ORDERS_MAX),
            files: Arc::new(Semaphore::new(FILES_MAX)),
            small: Semaphore::new(1),
        })
    }

    /// Lets a request in. For who came with the token or a key in the address there is an answer already: the way in.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn admit<B>(&self, request: &Request<B>, peer: SocketAddr) -> Result<Option<Reply>, Failure> {
        let uri = request.uri();
        let is_entrance = *request.method() == Method::GET && uri.path() == "/";
        let has_key = || {
            let key = asked(uri, "key").filter(|_| is_entrance);
            let is_own = || is_own_user(peer, self.guard.address());
            key.is_some_and(|key| self.hand_off.redeem(key, self.clock.now(), is_own))
        };
        let checked = self.guard.check(request.method(), request.headers(), asked(uri, "token"), has_key);
        checked.map_err(|refusal: Refusal| (refusal.status(), refusal.words().to_string()))?;
        let is_entering = is_entrance && (asked(uri, "token").is_some() || asked(uri, "key").is_some());
        Ok(is_entering.then(|| self.enter()))
    }

    /// Stops, without waiting for anything else that is done here.
    ///
    /// # Errors
    /// When it is not confirmed, in words.
    pub async fn stop(&self) -> Result<Reply, Failure> {
        told(self.stopper.stop().await)
    }

    fn hand(&self) -> MutexGuard<'_, Hand> {
        self.hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token moves from the address, which people copy and browsers remember, into a cookie.
    fn enter(&self) -> Reply {
        let mut reply = Response::new(Bytes::new());
        *reply.status_mut() = StatusCode::SEE_OTHER;
        reply.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
        if let Ok(cookie) = self.guard.cookie().parse() {
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

    /// A tab says that it is still there; whether it holds the hand.
    fn hold(&self, headers: &HeaderMap) -> Reply {
        let holds = tab_of(headers).is_some_and(|tab| self.hand().hear(tab, self.clock.now()));
        json_reply(&json!({ "hand": holds }))
    }

    /// A file, for who has been let in.
    fn file(
        &self,
        request: &Request<Incoming>,
        peer: SocketAddr,
        sent: &Arc<AtomicU64>,
    ) -> Result<Response<Content>, Failure> {
        self.admit(request, peer)?;
        let file = asked(request.uri(), "is").and_then(|word| self.site.file(word));
        let file = file.ok_or((StatusCode::NOT_FOUND, "there is no such file".to_string()))?;
        let busy = "others are being downloaded; wait until they are done".to_string();
        let place = self.files.clone().try_acquire_owned().map_err(|_| (StatusCode::SERVICE_UNAVAILABLE, busy))?;
        file_reply(file, request.headers(), sent.clone(), place)
    }

    /// The small picture of a recording's picture.
    async fn thumbnail(&self, number: Option<u64>) -> Result<Reply, Failure> {
        let none = || (StatusCode::NOT_FOUND, "no such picture".to_string());
        let number = number.and_then(|n| usize::try_from(n).ok()).ok_or_else(none)?;
        let _turn = self.small.acquire().await.map_err(|_| none())?;
        let site = self.site.clone();
        let small = tokio::task::spawn_blocking(move || site.thumbnail(number)).await.ok().flatten();
        small.map(|small| bytes_reply(small.into())).ok_or_else(none)
    }

    /// The newest picture, as soon as it is newer than the viewer's.
    async fn live(&self, after: u64, tab: Option<u64>) -> Reply {
        let holds = tab.is_some_and(|tab| self.hand().holds(Tab(tab), self.clock.now()));
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
                let mut reply = Response::new(Bytes::new());
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
        if name == "stop" {
            return self.stop().await;
        }
        let busy = || (StatusCode::TOO_MANY_REQUESTS, "too many orders at once; wait a moment".to_string());
        let _place = self.orders.try_acquire().map_err(|_| busy())?;
        let site = self.site.clone();
        let done = tokio::task::spawn_blocking(move || site.order(&order)).await;
        told(done.map_err(|_| (StatusCode::INTERNAL_SERVER_ERROR, "that order failed; start stackhand again".into()))?)
    }
}

fn told(answer: Result<Value, String>) -> Result<Reply, Failure> {
    answer.map(|value| json_reply(&value)).map_err(|words| (StatusCode::UNPROCESSABLE_ENTITY, words))
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
