//! The page's files, in the program itself.

use crate::web::site::PageKind;

/// A file.
pub struct Asset {
    /// Its content type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

impl Asset {
    /// The file at this path of the page's server.
    pub fn at(path: &str, page: PageKind) -> Option<Self> {
        let (kind, bytes): (_, &[u8]) = match (path, page) {
            ("/", PageKind::Watch) => (HTML, include_bytes!("assets/watch.html")),
            ("/", PageKind::Calibrate) => (HTML, include_bytes!("assets/calibrate.html")),
            ("/style.css", _) => (CSS, include_bytes!("assets/style.css")),
            ("/page.js", _) => (JS, include_bytes!("assets/page.js")),
            ("/draw.js", _) => (JS, include_bytes!("assets/draw.js")),
            ("/watch.js", _) => (JS, include_bytes!("assets/watch.js")),
            ("/replay.js", _) => (JS, include_bytes!("assets/replay.js")),
            ("/calibrate.js", _) => (JS, include_bytes!("assets/calibrate.js")),
            ("/icon.svg", _) => (SVG, include_bytes!("assets/icon.svg")),
            _ => return None,
        };
        Some(Self { kind, bytes })
    }
}
