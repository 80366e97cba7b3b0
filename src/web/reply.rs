//! Answers, and what each of them tells a browser.

use super::assets::Asset;
use crate::web::site::PageKind;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

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
pub type Reply = Response<Bytes>;
/// Why there is no other answer, in words.
pub type Failure = (StatusCode, String);

/// What is answered, with what every answer says.
pub fn sealed(reply: Result<Reply, Failure>) -> Reply {
    with_headers(reply.unwrap_or_else(|(status, words)| {
        let mut reply = json_reply(&json!({ "error": words }));
        *reply.status_mut() = status;
        reply
    }))
}

/// Any answer, with what every answer says.
pub fn with_headers<B>(mut reply: Response<B>) -> Response<B> {
    for (name, value) in HEADERS {
        reply.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    reply
}

/// The last answer on its connection.
pub fn last(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    reply
}

/// As it is sent; to a request for the head only, without the body.
pub fn to_bytes(reply: &Reply, is_head: bool) -> Vec<u8> {
    let status = reply.status();
    let mut bytes =
        format!("HTTP/1.1 {} {}\r\n", status.as_u16(), status.canonical_reason().unwrap_or("")).into_bytes();
    for (name, value) in reply.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\n\r\n", reply.body().len()).as_bytes());
    if !is_head {
        bytes.extend(reply.body());
    }
    bytes
}

/// A file of the page.
pub fn asset(path: &str, page: PageKind) -> Option<Reply> {
    let asset = Asset::at(path, page)?;
    let mut reply = Response::new(Bytes::from_static(asset.bytes));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    // The next version of the program serves the same address.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Some(reply)
}

/// JSON.
pub fn json_reply(value: &Value) -> Reply {
    let mut reply = Response::new(Bytes::from(value.to_string()));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

/// Bytes of the page's own kind.
pub fn bytes_reply(bytes: Bytes) -> Reply {
    let mut reply = Response::new(bytes);
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}
