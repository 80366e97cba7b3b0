//! What is behind the page's addresses: who may look, who holds the hand, and what orders come to.

use super::guard::{Guard, Refusal, TAB_HEADER};
use super::hand::{Hand, Tab};
use super::reply::{Failure, Reply, asset, bytes_reply, json_reply, seal};
use super::server::Site;
use crate::time::Clock;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, LOCATION, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The same for a body, and for taking the answer.
const BODY_PATIENCE: Duration = Duration::from_secs(5);
/// How long a viewer waits for a new picture before it is told that there is none.
const PICTURE_PATIENCE: Duration = Duration::from_secs(8);
const BODY_MAX: usize = 16 * 1024;

/// What all connections share.
pub struct Desk<S> {
    pub site: Arc<S>,
    pub guard: Guard,
    pub clock: Arc<dyn Clock>,
    pub hand: Mutex<Hand>,
    /// The newest packet, encoded once for all viewers.
    pub cached: Mutex<Option<(u64, Bytes)>>,
    pub orders: Semaphore,
}

/// Answers a request; `proven` is set when the guard has let one in.
pub async fn answer<S: Site>(
    desk: &Desk<S>,
    request: Request<Incoming>,
    proven: &AtomicBool,
) -> Result<Reply, Infallible> {
    let mut reply = match route(desk, request, proven).await {
        Ok(reply) => reply,
        Err((status, words)) => {
            let mut reply = json_reply(&json!({ "error": words }));
            *reply.status_mut() = status;
            reply
        }
    };
    seal(&mut reply);
    Ok(reply)
}

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
