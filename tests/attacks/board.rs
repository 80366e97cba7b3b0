//! An ADR2200 on a pseudo-terminal that notes every byte, and outlives the robot: written for this table alone, so that it
//! shares no mistake with the program's own.

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the board has been through.
#[derive(Default)]
pub struct Story {
    /// Every byte that came, with its time.
    pub bytes: Vec<(Instant, u8)>,
    /// Every change of the relays.
    pub masks: Vec<(Instant, u8)>,
    mask: u8,
    line: Vec<u8>,
    deaf: bool,
    is_stranger: bool,
}

impl Story {
    fn feed(&mut self, byte: u8) -> Option<String> {
        self.bytes.push((Instant::now(), byte));
        if self.deaf {
            return None;
        }
        if byte != b'\r' {
            self.line.push(byte);
            return None;
        }
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if self.is_stranger {
            return Some("ERROR 17\r\n".into());
        }
        if let Some(mask) = line.strip_prefix("MK").and_then(|digits| digits.parse().ok()) {
            self.mask = mask;
            self.masks.push((Instant::now(), mask));
        }
        (line == "RPK").then(|| format!("{:08b}\r", self.mask))
    }
}

/// A board with its relays, which keeps them while it is unplugged.
pub struct Board {
    pub story: Arc<Mutex<Story>>,
    /// The name under which it is found: a link, as udev makes them.
    pub link: PathBuf,
    plug: Option<Plug>,
}

struct Plug {
    stop: Arc<Mutex<bool>>,
    thread: JoinHandle<()>,
}

impl Board {
    /// Plugged in.
    pub fn new(folder: &Path) -> Self {
        let mut board = Self { story: Arc::default(), link: folder.join("port"), plug: None };
        board.plug_in();
        board
    }

    /// Another device, which answers otherwise.
    pub fn stranger(folder: &Path) -> Self {
        let story = Story { is_stranger: true, ..Story::default() };
        let mut board = Self { story: Arc::new(Mutex::new(story)), link: folder.join("port"), plug: None };
        board.plug_in();
        board
    }

    pub fn plug_in(&mut self) {
        let (mut far, near, path) = pty();
        let stop = Arc::new(Mutex::new(false));
        let (stopped, story) = (stop.clone(), self.story.clone());
        let thread = std::thread::spawn(move || {
            // Held, so that the robot may come and go.
            let _near = near;
            let mut bytes = [0; 64];
            while !*stopped.lock().unwrap() {
                let Ok(count) = far.read(&mut bytes) else {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                };
                for &byte in &bytes[..count] {
                    let answer = story.lock().unwrap().feed(byte);
                    if let Some(answer) = answer {
                        let _ = far.write_all(answer.as_bytes());
                    }
                }
            }
        });
        std::os::unix::fs::symlink(path, &self.link).unwrap();
        self.plug = Some(Plug { stop, thread });
    }

    pub fn unplug(&mut self) {
        let Some(plug) = self.plug.take() else { return };
        *plug.stop.lock().unwrap() = true;
        plug.thread.join().unwrap();
        let _ = std::fs::remove_file(&self.link);
    }

    pub fn set_deaf(&self) {
        self.story.lock().unwrap().deaf = true;
    }

    pub fn mask(&self) -> u8 {
        self.story.lock().unwrap().mask
    }

    /// How often a relay was closed so far.
    pub fn presses(&self) -> usize {
        self.story.lock().unwrap().masks.iter().filter(|(_, mask)| *mask != 0).count()
    }

    /// When the relays opened for good, if they are open.
    pub fn opened(&self) -> Option<Instant> {
        let story = self.story.lock().unwrap();
        let closed = story.masks.iter().rposition(|(_, mask)| *mask != 0);
        let since = closed.map_or(0, |last| last + 1);
        story.masks.get(since).map(|(at, _)| *at)
    }

    /// Whether all were open at some time after this one.
    pub fn was_open_after(&self, time: Instant) -> Option<Instant> {
        self.story.lock().unwrap().masks.iter().find(|(at, mask)| *at >= time && *mask == 0).map(|(at, _)| *at)
    }

    /// Commands that would move a relay.
    pub fn commands(&self) -> usize {
        let bytes: Vec<u8> = self.story.lock().unwrap().bytes.iter().map(|(_, byte)| *byte).collect();
        bytes.windows(2).filter(|pair| pair == b"MK").count()
    }
}

/// Both ends of a pseudo-terminal, neither inherited by any child, or it would outlive the board; and its name.
fn pty() -> (File, File, PathBuf) {
    let far = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&far).unwrap();
    unlockpt(&far).unwrap();
    let path = PathBuf::from(ptsname(&far, Vec::new()).unwrap().into_string().unwrap());
    fcntl_setfl(&far, OFlags::NONBLOCK).unwrap();
    let near = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, rustix::fs::Mode::empty());
    let near = near.unwrap();
    let mut raw = tcgetattr(&near).unwrap();
    raw.make_raw();
    tcsetattr(&near, OptionalActions::Now, &raw).unwrap();
    (File::from(far), File::from(near), path)
}

impl Drop for Board {
    fn drop(&mut self) {
        self.unplug();
    }
}
