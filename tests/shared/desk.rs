//! A virtual display with windows in it.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use crate::skip::skipped;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, GrabMode, GrabStatus, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode,
    MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// The display; it ends, and all in it, when this is dropped.
pub struct Desk {
    server: Child,
    windows: Vec<Child>,
    /// As in the environment variable DISPLAY.
    pub name: String,
    home: tempfile::TempDir,
    connection: RustConnection,
    root: Window,
}

impl Desk {
    /// A display of this size; `None`, and said, where one of `needs` is missing.
    pub fn start(what: &str, size: &str, needs: &[&str]) -> Option<Self> {
        let needs: Vec<&str> = ["Xvfb"].iter().chain(needs).copied().collect();
        if !needs.iter().all(|need| program(need).is_some()) {
            skipped(what, &needs);
            return None;
        }
        let name = fresh_name();
        // It says its number when it is ready.
        let mut server = Command::new("Xvfb")
            .args([&name, "-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert_eq!(format!(":{}", number.trim()), name);
        let (connection, screen) = x11rb::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[screen].root;
        Some(Self { server, windows: Vec::new(), name, home: tempfile::tempdir().unwrap(), connection, root })
    }

    /// A command on this display, with an empty home.
    pub fn command(&self, program_name: &str) -> Command {
        let mut command = Command::new(program(program_name).unwrap_or_else(|| program_name.into()));
        command.env("DISPLAY", &self.name).env("HOME", self.home.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// A terminal with this title and a program in it.
    pub fn terminal(&mut self, title: &str, place: &str, words: &[&str]) {
        let mut command = self.command("xterm");
        command.args(["-T", title, "-geometry", place, "-b", "0", "-bw", "0", "-bg", "black", "-fg", "gray"]);
        command.args(["-fn", "12x24", "-e"]).args(words);
        self.windows.push(command.spawn().unwrap());
    }

    /// The same for a program that draws with letters beyond ASCII.
    pub fn unicode_terminal(&mut self, title: &str, place: &str, words: &[&str]) {
        let mut command = self.command("xterm");
        command.env("LC_ALL", "C.UTF-8").args(["-u8", "-T", title, "-geometry", place, "-b", "0", "-bw", "0"]);
        command.args(["-bg", "black", "-fg", "gray", "-fn", "-misc-fixed-medium-r-normal--20-*-iso10646-1", "-e"]);
        self.windows.push(command.args(words).spawn().unwrap());
    }

    /// A program with a window of its own, without sound.
    pub fn open(&mut self, program_name: &str) {
        let mut command = self.command(program_name);
        self.windows.push(command.env("SDL_VIDEODRIVER", "x11").env("SDL_AUDIODRIVER", "dummy").spawn().unwrap());
    }

    /// The window with this title, if it is shown.
    pub fn window(&self, title: &str) -> Option<Window> {
        let mut open = vec![self.root];
        while let Some(window) = open.pop() {
            let asked = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64).unwrap();
            if asked.reply().is_ok_and(|name| name.value == title.as_bytes()) {
                let attributes = self.connection.get_window_attributes(window).unwrap().reply();
                return attributes.is_ok_and(|a| a.map_state == MapState::VIEWABLE).then_some(window);
            }
            open.extend(self.connection.query_tree(window).unwrap().reply().map(|t| t.children).unwrap_or_default());
        }
        None
    }

    /// From now on keys go to the window with this title.
    pub fn focus(&self, title: &str) {
        let window = self.window(title).unwrap();
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    }

    /// A program takes all keys, as a screen lock does, or gives them back.
    pub fn grab_keys(&self, is_held: bool) {
        let (connection, at) = (&self.connection, x11rb::CURRENT_TIME);
        if is_held {
            let grab = connection.grab_keyboard(false, self.root, at, GrabMode::ASYNC, GrabMode::ASYNC).unwrap();
            assert_eq!(grab.reply().unwrap().status, GrabStatus::SUCCESS);
        } else {
            connection.ungrab_keyboard(at).unwrap().check().unwrap();
        }
    }

    /// Somebody at the keyboard presses the key with this keysym, or lets it go.
    pub fn key(&self, keysym: u32, is_down: bool) {
        let event = if is_down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
        let code = self.code(keysym);
        let sent = self.connection.xtest_fake_input(event, code, x11rb::CURRENT_TIME, self.root, 0, 0, 0);
        sent.unwrap().check().unwrap();
    }

    fn code(&self, keysym: u32) -> Keycode {
        let (first, last) = (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let map = self.connection.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
        let per_key = usize::from(map.keysyms_per_keycode);
        first + map.keysyms.chunks(per_key).position(|key| key[0] == keysym).unwrap() as u8
    }

    /// Whether any key is down.
    pub fn has_key_down(&self) -> bool {
        self.connection.query_keymap().unwrap().reply().unwrap().keys.iter().any(|byte| *byte != 0)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for window in &mut self.windows {
            let _ = window.kill().and_then(|()| window.wait());
        }
        // It takes its lock with it, which it cannot when it is killed.
        let _ = kill(Pid::from_raw(self.server.id() as i32), Signal::SIGTERM);
        let _ = self.server.wait();
    }
}

/// A display's name that no other test has or had: a server that ends takes the socket away that the next one of the same name
/// has just made.
pub fn fresh_name() -> String {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    format!(":{}", 1000 + std::process::id() % 1000 * 50 + STARTED.fetch_add(1, Ordering::Relaxed))
}

/// Where a program is; games are not in everybody's path, and other programs have their names.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let games = ["/usr/games".into(), "/usr/local/games".into()];
    games
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|path| Path::new(path).exists())
}
