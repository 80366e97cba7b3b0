//! The window itself.

use super::keys::{Command, Key, With};
use super::machine::Machine;
use super::pace::Pace;
use super::{Options, save, scale};
use crate::app::out;
use crate::file::{self, Existing, FileError};
use crate::time::{Clock, HostTime, SystemClock};
use crate::twin::picture::{HEIGHT_PX, Picture, WIDTH_PX};
use anyhow::{Context, anyhow};
use softbuffer::Surface;
use std::num::NonZeroU32;
use std::panic;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, OwnedDisplayHandle};
use winit::keyboard::PhysicalKey;
use winit::window::{Fullscreen, Window, WindowId};

/// Pictures saved by P are called stackhand-1.png and so on, up to this number; saved games end in .txt.
const SAVED_MAX: u32 = 9999;

/// Runs the window until it is closed: the machine as it was then, and how the frames kept their time.
///
/// # Errors
/// When there is no display, or it goes away.
pub fn run(options: Options) -> anyhow::Result<(Machine, Pace)> {
    let event_loop = event_loop().context(
        "cannot open a window; run it where there is an X display (on Debian with libx11-6, libxcursor1, libxi6 and \
         libxkbcommon-x11-0), or give --headless",
    )?;
    let clock = SystemClock::new();
    let machine = options.machine();
    let pace = Pace::new(machine.frames_per_s(), clock.now());
    out::note(format_args!("Keys: {}.", machine.help()));
    let mut pane = Pane { options, machine, pace, clock, surface: None, with: With::default(), failed: None };
    let ended = event_loop.run_app(&mut pane);
    match pane.failed {
        Some(error) => Err(error),
        None => ended.context("the display went away").map(|()| (pane.machine, pane.pace)),
    }
}

/// A missing library makes winit panic where it should return an error.
fn event_loop() -> anyhow::Result<EventLoop<()>> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(EventLoop::new);
    panic::set_hook(hook);
    let said = |cause: Box<dyn std::any::Any + Send>| match cause.downcast::<String>() {
        Ok(text) => anyhow!(*text),
        Err(cause) => anyhow!(cause.downcast_ref::<&str>().copied().unwrap_or("a library is missing")),
    };
    Ok(made.map_err(said)??)
}

/// The window, once it is open, with everything behind it.
struct Pane {
    options: Options,
    machine: Machine,
    pace: Pace,
    clock: SystemClock,
    surface: Option<Surface<OwnedDisplayHandle, Rc<Window>>>,
    /// Which keys are held that change what others mean.
    with: With,
    failed: Option<anyhow::Error>,
}

impl ApplicationHandler for Pane {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.surface.is_some() {
            return;
        }
        match self.open(event_loop) {
            Ok(surface) => {
                self.surface = Some(surface);
                self.pace = Pace::new(self.machine.frames_per_s(), self.clock.now());
            }
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Focused(false) => self.machine.release_all(),
            WindowEvent::ModifiersChanged(modifiers) => {
                let held = modifiers.state();
                self.with = With { shift: held.shift_key(), ctrl: held.control_key() };
            }
            WindowEvent::RedrawRequested => self.show(event_loop),
            WindowEvent::KeyboardInput { event, .. } => self.key(event_loop, &event),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let due = self.pace.take(self.clock.now());
        if due > 0 {
            (0..due).for_each(|_| self.machine.frame());
            self.show(event_loop);
            self.pace.shown(self.clock.now());
        }
        if self.options.frames.is_some_and(|frames| self.pace.frames() >= frames.into()) {
            event_loop.exit();
        }
        event_loop.set_control_flow(ControlFlow::wait_duration(until(self.clock.now(), self.pace.due())));
    }
}

impl Pane {
    fn open(&self, event_loop: &ActiveEventLoop) -> anyhow::Result<Surface<OwnedDisplayHandle, Rc<Window>>> {
        let scale = self.options.scale;
        let attributes = Window::default_attributes()
            .with_title("stackhand console")
            .with_inner_size(PhysicalSize::new(WIDTH_PX as u32 * scale, HEIGHT_PX as u32 * scale))
            .with_fullscreen(self.options.full_screen.then_some(Fullscreen::Borderless(None)));
        let window = Rc::new(event_loop.create_window(attributes)?);
        window.set_cursor_visible(!self.options.full_screen);
        let context = softbuffer::Context::new(event_loop.owned_display_handle()).map_err(|e| anyhow!("{e}"))?;
        Surface::new(&context, window).map_err(|e| anyhow!("{e}"))
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: anyhow::Error) {
        self.failed = Some(error.context("cannot draw in a window; give --headless"));
        event_loop.exit();
    }

    fn show(&mut self, event_loop: &ActiveEventLoop) {
        let Some(surface) = &mut self.surface else { return };
        let size = surface.window().inner_size();
        let zoom = scale::zoom([size.width as usize, size.height as usize]);
        if let Err(error) = present(surface, &self.machine.picture(zoom)) {
            self.fail(event_loop, error);
        }
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) {
        let PhysicalKey::Code(code) = event.physical_key else { return };
        let Some(key) = self.machine.key(code, self.with).filter(|_| !event.repeat) else { return };
        let drop_button = self.machine.drop_button();
        match (key, event.state) {
            (Key::Pad(buttons), ElementState::Pressed) => self.machine.press(buttons),
            (Key::Pad(buttons), ElementState::Released) => self.machine.keys().release(buttons),
            (Key::SecondPad(buttons), state) => {
                let Some(keys) = self.machine.second_keys() else { return };
                match state {
                    ElementState::Pressed => keys.press(buttons),
                    ElementState::Released => keys.release(buttons),
                }
            }
            (Key::Drop, ElementState::Pressed) => self.machine.press(drop_button),
            (Key::Drop, ElementState::Released) => self.machine.keys().release(drop_button),
            (_, ElementState::Released) => {}
            (Key::Digit(digit), _) => self.machine.digit(digit),
            (Key::SwitchReference, _) => self.machine.switch_reference(),
            (Key::Reset, _) => self.machine.reset(),
            (Key::Command(command), _) => self.command(command),
            (Key::SavePicture, _) => {
                let picture = self.machine.picture(1);
                save_next("png", |path| save(&picture, path, Existing::Keep));
            }
            (Key::FullScreen, _) => self.switch_full_screen(),
            (Key::Close, _) => event_loop.exit(),
        }
    }

    fn command(&mut self, command: Command) {
        if let Some(words) = self.machine.command(command) {
            out::note(words);
        }
        if let Some(text) = self.machine.saved().filter(|_| command == Command::Save) {
            save_next("txt", |path| file::save(path, text.as_bytes(), Existing::Keep));
        }
    }

    fn switch_full_screen(&self) {
        let Some(surface) = &self.surface else { return };
        let window = surface.window();
        let fills = window.fullscreen().is_some();
        window.set_fullscreen((!fills).then_some(Fullscreen::Borderless(None)));
        window.set_cursor_visible(fills);
    }
}

fn present(surface: &mut Surface<OwnedDisplayHandle, Rc<Window>>, picture: &Picture) -> anyhow::Result<()> {
    let size = surface.window().inner_size();
    // A window folded away has no area.
    let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
        return Ok(());
    };
    surface.resize(width, height).map_err(|e| anyhow!("{e}"))?;
    let mut buffer = surface.buffer_mut().map_err(|e| anyhow!("{e}"))?;
    scale::draw(picture, [size.width as usize, size.height as usize], &mut buffer);
    buffer.present().map_err(|e| anyhow!("{e}"))
}

/// The game goes on whether or not a picture of it, or itself, can be saved.
fn save_next(ending: &str, save: impl Fn(&Path) -> Result<(), FileError>) {
    let name = |n: u32| PathBuf::from(format!("stackhand-{n}.{ending}"));
    let Some(path) = (1..=SAVED_MAX).map(name).find(|path| !path.exists()) else { return };
    match save(&path) {
        Ok(()) => out::note(format_args!("{} saved.", path.display())),
        Err(error) => tracing::warn!("{error:#}"),
    }
}

fn until(now: HostTime, due: HostTime) -> Duration {
    Duration::from_micros((due - now).max(0) as u64)
}
