//! Answers, and what each of them tells a browser.

use super::assets::Asset;
use super::server::PageKind;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::Value;

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

/// An answer.
pub type Reply = Response<Full<Bytes>>;
/// Why there is no other answer, in words.
pub type Failure = (StatusCode, String);

/// What every answer says.
pub fn seal(reply: &mut Reply) {
    for (name, value) in HEADERS {
        reply.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// A file of the page.
pub fn asset(path: &str, page: PageKind) -> Option<Reply> {
    let asset = Asset::at(path, page)?;
    let mut reply = Response::new(Full::new(Bytes::from_static(asset.bytes)));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    // The next version of the program serves the same address.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Some(reply)
}

/// JSON.
pub fn json_reply(value: &Value) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(value.to_string())));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

/// Bytes of the page's own kind.
pub fn bytes_reply(bytes: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(bytes));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}
