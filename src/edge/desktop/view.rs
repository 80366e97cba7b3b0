//! Looking at the screen, or at one window of it.

use super::window::{Area, Found};
use super::{DesktopError, Display};
use image::RgbImage;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};

/// The whole screen, or what is seen where a window is. A window that lies over it is seen, too, as by a camera.
pub struct View {
    display: Display,
    target: Option<Found>,
    /// As large as at first: whoever calibrated did so for pictures of one size.
    size: [u32; 2],
    told_size: [u16; 2],
}

impl View {
    /// The window with this title, or the whole screen if the title is empty.
    ///
    /// # Errors
    /// When there is no display, or no such window on it.
    pub fn open(title: &str) -> Result<Self, DesktopError> {
        let display = Display::open()?;
        if title.is_empty() && display.is_wayland {
            return Err(DesktopError::Wayland);
        }
        let target = if title.is_empty() { None } else { Some(display.find(title)?) };
        let mut view = Self { display, target, size: [0; 2], told_size: [0; 2] };
        let Area { width, height, .. } = view.area()?;
        (view.size, view.told_size) = ([width.into(), height.into()], [width, height]);
        Ok(view)
    }

    /// What is seen.
    pub fn name(&self) -> String {
        self.target.as_ref().map_or("the screen".into(), |target| format!("the window {:?}", target.title))
    }

    /// Takes a picture. What lies beyond the edge of the screen is black.
    ///
    /// # Errors
    /// When the window is gone or hidden, or the display refuses.
    pub fn take(&mut self) -> Result<RgbImage, DesktopError> {
        let area = self.area()?;
        self.tell_size(area);
        let mut picture = RgbImage::new(self.size[0], self.size[1]);
        let inside = self.visible(area)?;
        if inside.width == 0 || inside.height == 0 {
            return Err(self.hidden());
        }
        // Of a Wayland desktop only the windows themselves can be read.
        let (from, origin) = match &self.target {
            Some(target) if self.display.is_wayland => (target.window, [inside.x - area.x, inside.y - area.y]),
            _ => (self.display.root, [inside.x, inside.y]),
        };
        let cookie = self.display.connection.get_image(
            ImageFormat::Z_PIXMAP,
            from,
            origin[0] as i16,
            origin[1] as i16,
            inside.width,
            inside.height,
            u32::MAX,
        )?;
        // It may have been moved or closed since it was asked for.
        let sent = cookie.reply().map_err(|_| self.hidden())?;
        let place = [(inside.x - area.x) as usize, (inside.y - area.y) as usize];
        self.display.format.put(&sent.data, inside.width.into(), place, &mut picture);
        Ok(picture)
    }

    fn area(&self) -> Result<Area, DesktopError> {
        let Some(target) = &self.target else { return self.screen() };
        let gone = || DesktopError::NoWindow { title: target.title.clone(), found: "it was closed".into() };
        let area = self.display.area(target.window)?.ok_or_else(gone)?;
        if self.display.is_shown(target.window) { Ok(area) } else { Err(self.hidden()) }
    }

    fn screen(&self) -> Result<Area, DesktopError> {
        let none = || DesktopError::Refused { problem: "it has lost its screen".into() };
        self.display.area(self.display.root)?.ok_or_else(none)
    }

    fn hidden(&self) -> DesktopError {
        DesktopError::Hidden { title: self.target.as_ref().map_or("screen".into(), |target| target.title.clone()) }
    }

    /// The part of it that is on the screen.
    fn visible(&self, area: Area) -> Result<Area, DesktopError> {
        let screen = self.screen()?;
        let within = |from: i32, length: u16, end: u16| {
            let (first, last) = (from.max(0), (from + i32::from(length)).min(end.into()));
            (first, (last - first).clamp(0, u16::MAX.into()) as u16)
        };
        let (x, width) = within(area.x, area.width, screen.width);
        let (y, height) = within(area.y, area.height, screen.height);
        Ok(Area { x, y, width, height })
    }

    fn tell_size(&mut self, area: Area) {
        let size = [area.width, area.height];
        if size != std::mem::replace(&mut self.told_size, size) && size.map(u32::from) != self.size {
            tracing::warn!(
                "{} was {} × {} px and is {} × {} now; pictures stay as large as they were. If the game is drawn at another \
                 size, give the window its old size again, or calibrate anew",
                self.name(),
                self.size[0],
                self.size[1],
                size[0],
                size[1]
            );
        }
    }
}
