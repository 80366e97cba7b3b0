//! The connection to an X server.

use super::DesktopError;
use super::pixels::PixelFormat;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError};
use x11rb::protocol::xproto::{Atom, ConnectionExt, ImageOrder, Setup, Window};
use x11rb::rust_connection::RustConnection;

/// The name under which an XWayland says what it is (its documentation, since 22.1).
const XWAYLAND: &str = "XWAYLAND";

/// A screen of an X server.
pub struct Display {
    pub(super) connection: RustConnection,
    pub(super) root: Window,
    pub(super) format: PixelFormat,
    pub(super) atoms: Atoms,
    pub(super) is_wayland: bool,
}

/// Names of properties, as numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atoms {
    pub(super) client_list: Atom,
    pub(super) name: Atom,
    pub(super) utf8: Atom,
}

impl Display {
    /// The display that the environment names.
    ///
    /// # Errors
    /// When there is none.
    pub fn open() -> Result<Self, DesktopError> {
        let (connection, screen) = x11rb::connect(None).map_err(|error| no_display(&error))?;
        let setup = connection.setup();
        let root = setup.roots.get(screen).or(setup.roots.first()).map(|screen| screen.root);
        let none = || DesktopError::NoDisplay { problem: "it has no screen".into() };
        let (root, format) = root.and_then(|root| Some((root, pixel_format(setup, root)?))).ok_or_else(none)?;
        let atoms = Atoms {
            client_list: atom(&connection, "_NET_CLIENT_LIST")?,
            name: atom(&connection, "_NET_WM_NAME")?,
            utf8: atom(&connection, "UTF8_STRING")?,
        };
        let is_wayland = connection.extension_information(XWAYLAND)?.is_some();
        Ok(Self { connection, root, format, atoms, is_wayland })
    }
}

fn no_display(error: &ConnectError) -> DesktopError {
    let named = std::env::var("DISPLAY").map_or("DISPLAY is not set".into(), |name| format!("DISPLAY is {name}"));
    DesktopError::NoDisplay { problem: format!("{named}: {error}") }
}

fn atom(connection: &RustConnection, name: &str) -> Result<Atom, DesktopError> {
    Ok(connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
}

/// How the pixels of a screen's own kind are laid out.
fn pixel_format(setup: &Setup, root: Window) -> Option<PixelFormat> {
    let screen = setup.roots.iter().find(|screen| screen.root == root)?;
    let mut visuals = screen.allowed_depths.iter().flat_map(|depth| &depth.visuals);
    let visual = visuals.find(|visual| visual.visual_id == screen.root_visual)?;
    let stored = setup.pixmap_formats.iter().find(|format| format.depth == screen.root_depth)?;
    let least_first = setup.image_byte_order == ImageOrder::LSB_FIRST;
    let masks = [visual.red_mask, visual.green_mask, visual.blue_mask];
    Some(PixelFormat { bits: stored.bits_per_pixel, row_bits: stored.scanline_pad, least_first, masks })
}

impl From<ConnectionError> for DesktopError {
    fn from(error: ConnectionError) -> Self {
        Self::Refused { problem: error.to_string() }
    }
}

impl From<ReplyError> for DesktopError {
    fn from(error: ReplyError) -> Self {
        Self::Refused { problem: error.to_string() }
    }
}
