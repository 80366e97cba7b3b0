//! Who may speak to the page: host, origin and token of a request. Pure, so that every case can be tested.
//!
//! On loopback the danger is another page in the same browser: one whose name was made to point here (DNS rebinding:
//! caught by `Host`), or one that sends a form here (caught by `Origin`, `Sec-Fetch-Site`, and a header that no form can
//! set). Beyond loopback it is everybody: they need the token.

use hyper::header::{COOKIE, HOST, HeaderMap, ORIGIN};
use hyper::{Method, StatusCode};
use std::net::{IpAddr, SocketAddr};

/// The cookie that carries the token.
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
    fn is(&self, other: &str) -> bool {
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
    token: Option<Token>,
}

impl Guard {
    /// The guard of a server that listens at `address`. A `name` is what the user calls this machine.
    pub fn new(address: SocketAddr, name: Option<String>, token: Option<Token>) -> Self {
        Self { address, name, token }
    }

    /// The token, if one is needed.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Checks a request's head.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn check(&self, method: &Method, headers: &HeaderMap, query_token: Option<&str>) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|v| v.to_str().ok());
        let host = text(HOST).filter(|_| headers.get_all(HOST).iter().count() == 1).ok_or(Refusal::Host)?;
        if !self.is_ours(host) {
            return Err(Refusal::Host);
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
        if let Some(token) = &self.token {
            let given = query_token.or_else(|| cookie(headers));
            if !given.is_some_and(|given| token.is(given)) {
                return Err(Refusal::Token);
            }
        }
        if is_change && !headers.contains_key(TAB_HEADER) {
            return Err(Refusal::Header);
        }
        Ok(())
    }

    /// The header that gives a browser its token, for whoever came with it in the address.
    pub fn cookie(&self) -> Option<String> {
        let token = self.token.as_ref()?;
        Some(format!("{COOKIE_NAME}={}; HttpOnly; SameSite=Strict; Path=/", token.text()))
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

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(';'));
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (n.parse::<HeaderName>().unwrap(), HeaderValue::from_str(v).unwrap())).collect()
    }

    fn check(guard: &Guard, method: Method, pairs: &[(&str, &str)]) -> Result<(), Refusal> {
        guard.check(&method, &headers(pairs), None)
    }

    #[test]
    fn on_loopback_only_its_own_page_may_speak() {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), None, None);
        let host = ("host", "127.0.0.1:8080");
        let tab = (TAB_HEADER, "1");
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"] {
            assert_eq!(check(&guard, Method::GET, &[("host", host)]), Ok(()), "{host}");
        }
        for host in ["evil.example:8080", "127.0.0.1:81", "127.0.0.1", "192.168.0.9:8080", "", "[::1", "a:b:c"] {
            assert_eq!(check(&guard, Method::GET, &[("host", host)]), Err(Refusal::Host), "{host}");
        }
        assert_eq!(check(&guard, Method::GET, &[]), Err(Refusal::Host));
        assert_eq!(check(&guard, Method::GET, &[host, ("host", "evil.example")]), Err(Refusal::Host));
        assert_eq!(check(&guard, Method::POST, &[host]), Err(Refusal::Header));
        assert_eq!(check(&guard, Method::POST, &[host, tab]), Ok(()));
        assert_eq!(check(&guard, Method::POST, &[host, tab, ("origin", "http://127.0.0.1:8080")]), Ok(()));
        for origin in ["http://evil.example", "null", "http://localhost:8080", "https://127.0.0.1:8080"] {
            assert_eq!(check(&guard, Method::POST, &[host, tab, ("origin", origin)]), Err(Refusal::Origin), "{origin}");
        }
        let cross = ("sec-fetch-site", "cross-site");
        assert_eq!(check(&guard, Method::POST, &[host, tab, cross]), Err(Refusal::Origin));
        assert_eq!(check(&guard, Method::PUT, &[host, tab]), Err(Refusal::Method));
    }

    #[test]
    fn beyond_loopback_everything_needs_the_token() {
        let token = Token::random().unwrap();
        let guard = Guard::new("0.0.0.0:80".parse().unwrap(), Some("pi.local".into()), Some(token.clone()));
        for host in ["192.168.0.9", "192.168.0.9:80", "pi.local", "localhost"] {
            let cookie = format!("a=b; {COOKIE_NAME}={}", token.text());
            assert_eq!(check(&guard, Method::GET, &[("host", host)]), Err(Refusal::Token), "{host}");
            assert_eq!(check(&guard, Method::GET, &[("host", host), ("cookie", &cookie)]), Ok(()), "{host}");
        }
        assert_eq!(check(&guard, Method::GET, &[("host", "rebound.example")]), Err(Refusal::Host));
        let asked = |query| guard.check(&Method::GET, &headers(&[("host", "10.0.0.1")]), Some(query));
        assert_eq!(asked(token.text()), Ok(()));
        assert_eq!(asked(&token.text()[1..]), Err(Refusal::Token));
        assert_eq!(asked(""), Err(Refusal::Token));
        assert_ne!(token.text(), Token::random().unwrap().text());
    }
}
