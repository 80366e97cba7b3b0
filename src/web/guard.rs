//! Who may speak to the page: host, token and origin of a request. Pure, so that every case can be tested.
//!
//! Everybody needs the token, on loopback, too, for other users of the computer are there as well. With it the danger is
//! another page in the same browser: one whose name was made to point here (DNS rebinding: caught by `Host`), or one that
//! sends a form here (caught by `Origin`, `Sec-Fetch-Site`, and a header that no form can set).

use hyper::header::{COOKIE, HOST, HeaderMap, ORIGIN};
use hyper::{Method, StatusCode};
use std::net::{IpAddr, SocketAddr};

/// The cookie that carries the token, and the port behind it: a browser has one set of cookies for all ports of a host.
const COOKIE_NAME: &str = "stackhand_token";
/// A header that a cross-site form cannot set; it also names the tab.
pub const TAB_HEADER: &str = "x-stackhand-tab";
/// Bytes of a token: 128 bits cannot be guessed.
const TOKEN_BYTES: usize = 16;

/// A secret of this run.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one from the system's random numbers.
    ///
    /// # Errors
    /// When the system has none.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// Its text, to be shown once.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Takes as long for a wrong token as for the right one.
    pub fn is(&self, other: &str) -> bool {
        let (a, b) = (self.0.as_bytes(), other.as_bytes());
        a.len() == b.len() && a.iter().zip(b).fold(0, |d, (x, y)| d | (x ^ y)) == 0
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Another name than this machine's.
    Host,
    /// Sent by another page.
    Origin,
    /// No token, or a wrong one.
    Token,
    /// A change without the page's own header.
    Header,
    /// A change by anything but POST.
    Method,
}

impl Refusal {
    /// The answer's status.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin | Self::Header => StatusCode::FORBIDDEN,
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
        }
    }

    /// What to do about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Host => "this page is not served under that name; open the address that stackhand has printed",
            Self::Origin => "another page may not speak to this one; open the address that stackhand has printed",
            Self::Token => "the token is missing or wrong; open the whole address that stackhand has printed",
            Self::Header => "the request lacks the page's own header; use the page",
            Self::Method => "use GET to look and POST to change something",
        }
    }
}

/// What this server answers to.
#[derive(Clone)]
pub struct Guard {
    address: SocketAddr,
    /// A further name, if the user gave one with `--listen`.
    name: Option<String>,
    token: Token,
}

impl Guard {
    /// The guard of a server that listens at `address`. A `name` is what the user calls this machine.
    pub fn new(address: SocketAddr, name: Option<String>, token: Token) -> Self {
        Self { address, name, token }
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Checks a request's head. The token may come in a cookie or in the address; `has_key` is asked where neither is there.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(
        &self,
        method: &Method,
        headers: &HeaderMap,
        query_token: Option<&str>,
        has_key: impl FnOnce() -> bool,
    ) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
        let host = text(HOST).filter(|_| headers.get_all(HOST).iter().count() == 1).ok_or(Refusal::Host)?;
        if !self.is_ours(host) {
            return Err(Refusal::Host);
        }
        // Before anything else is said: who has no token learns nothing.
        let has_cookie = || cookies(headers, &self.cookie_name()).any(|given| self.token.is(given));
        if !(query_token.is_some_and(|given| self.token.is(given)) || has_cookie() || has_key()) {
            return Err(Refusal::Token);
        }
        if headers.contains_key(ORIGIN) && text(ORIGIN) != Some(&format!("http://{host}")) {
            return Err(Refusal::Origin);
        }
        let is_change = *method == Method::POST;
        if !is_change && *method != Method::GET && *method != Method::HEAD {
            return Err(Refusal::Method);
        }
        let site = headers.get("sec-fetch-site").and_then(|v| v.to_str().ok());
        if is_change && site.is_some_and(|site| site != "same-origin") {
            return Err(Refusal::Origin);
        }
        if is_change && !headers.contains_key(TAB_HEADER) {
            return Err(Refusal::Header);
        }
        Ok(())
    }

    /// The header that gives a browser its token, for whoever came with it in the address.
    pub fn cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.token.text())
    }

    fn cookie_name(&self) -> String {
        format!("{COOKIE_NAME}_{}", self.address.port())
    }

    /// Whether a `Host` header means this server. An address written in numbers cannot be rebound; a name can.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(ip) if self.address.ip().is_loopback() => ip.is_loopback(),
            Ok(ip) => self.address.ip().is_unspecified() || ip == self.address.ip(),
            Err(_) => bare.eq_ignore_ascii_case("localhost") || self.name.as_deref().is_some_and(|n| n == bare),
        }
    }
}

/// The values of the cookies of this name.
fn cookies<'a>(headers: &'a HeaderMap, wanted: &str) -> impl Iterator<Item = &'a str> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(move |(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (n.parse::<HeaderName>().unwrap(), HeaderValue::from_str(v).unwrap())).collect()
    }

    fn check(guard: &Guard, method: Method, pairs: &[(&str, &str)]) -> Result<(), Refusal> {
        guard.check(&method, &headers(pairs), None, || false)
    }

    #[test]
    fn only_its_own_page_may_speak() {
        let token = Token::random().unwrap();
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), None, token.clone());
        let cookie = format!("a=b; {COOKIE_NAME}_81=0; {COOKIE_NAME}_8080={}", token.text());
        let check = |method, pairs: &[(&str, &str)]| check(&guard, method, &[pairs, &[("cookie", &*cookie)]].concat());
        let host = ("host", "127.0.0.1:8080");
        let tab = (TAB_HEADER, "1");
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert_eq!(check(Method::GET, &[("host", host)]), Ok(()), "{host}");
        }
        for host in ["evil.example:8080", "127.0.0.1:81", "127.0.0.1", "192.168.0.9:8080", "", "[::1", "a:b:c"] {
            assert_eq!(check(Method::GET, &[("host", host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(check(Method::GET, &[]), Err(Refusal::Host));
        assert_eq!(check(Method::GET, &[host, ("host", "evil.example")]), Err(Refusal::Host));
        assert_eq!(check(Method::POST, &[host]), Err(Refusal::Header));
        assert_eq!(check(Method::POST, &[host, tab]), Ok(()));
        assert_eq!(check(Method::POST, &[host, tab, ("origin", "http://127.0.0.1:8080")]), Ok(()));
        for origin in ["http://evil.example", "null", "http://localhost:8080", "https://127.0.0.1:8080"] {
            assert_eq!(check(Method::POST, &[host, tab, ("origin", origin)]), Err(Refusal::Origin), "{origin}");
        }
        let cross = ("sec-fetch-site", "cross-site");
        assert_eq!(check(Method::POST, &[host, tab, cross]), Err(Refusal::Origin));
        assert_eq!(check(Method::PUT, &[host, tab]), Err(Refusal::Method));
    }

    #[test]
    fn everything_needs_the_token_on_loopback_too() {
        for (address, hosts) in [
            ("0.0.0.0:80", ["192.168.0.9", "192.168.0.9:80", "pi.local", "localhost"]),
            ("127.0.0.1:80", ["127.0.0.1", "127.0.0.1:80", "[::1]", "localhost"]),
        ] {
            let token = Token::random().unwrap();
            let guard = Guard::new(address.parse().unwrap(), Some("pi.local".into()), token.clone());
            let host = ("host", hosts[0]);
            for host in hosts {
                for (name, value, is_right) in [
                    ("stackhand_token_80", token.text(), true),
                    ("stackhand_token_80", &token.text()[1..], false),
                    ("stackhand_token_80", &"0".repeat(32), false),
                    ("stackhand_token_81", token.text(), false),
                    ("stackhand_token", token.text(), false),
                ] {
                    let cookie = format!("a=b; {name}={value}");
                    let checked = check(&guard, Method::GET, &[("host", host), ("cookie", &cookie)]);
                    assert_eq!(checked.is_ok(), is_right, "{host} {name}");
                }
            }
            // Whatever is asked, and however.
            for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::OPTIONS] {
                for more in [(TAB_HEADER, "1"), ("origin", "http://evil.example"), ("sec-fetch-site", "cross-site")] {
                    assert_eq!(check(&guard, method.clone(), &[host, more]), Err(Refusal::Token), "{method}");
                }
            }
            assert_eq!(check(&guard, Method::GET, &[("host", "rebound.example")]), Err(Refusal::Host));
            let asked = |query| guard.check(&Method::GET, &headers(&[host]), Some(query), || false);
            assert_eq!(asked(token.text()), Ok(()));
            assert_eq!((asked(&token.text()[1..]), asked("")), (Err(Refusal::Token), Err(Refusal::Token)));
            assert_eq!(guard.check(&Method::GET, &headers(&[host]), None, || true), Ok(()));
            assert_ne!(token.text(), Token::random().unwrap().text());
        }
    }
}
