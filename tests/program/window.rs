//! The console's window, where there is an X server to open one on, and its pictures without one.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use image::RgbImage;
use stackhand::game::nes::control::spawn_pose;
use stackhand::game::{Piece, Pose};
use stackhand::twin::picture::{CELL_PX, FIELD_PX};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn stackhand(args: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("stackhand").unwrap();
    command.args(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command.output().unwrap()
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `console` without a display and opens the picture it saves.
fn picture(folder: &Path, args: &[&str]) -> RgbImage {
    let path = folder.join("picture.png");
    let _ = std::fs::remove_file(&path);
    let output = stackhand(&[&["console", "--screenshot", path.to_str().unwrap()], args].concat());
    assert!(output.status.success(), "{args:?}: {}", said(&output));
    let picture = image::open(&path).unwrap().to_rgb8();
    assert_eq!((picture.width(), picture.height()), (256, 240));
    picture
}

/// Which of the playfield's cells are lit in the middle.
fn lit(picture: &RgbImage) -> Vec<(i8, i8)> {
    let at = |cell: usize, origin: usize| (origin + cell * CELL_PX + CELL_PX / 2) as u32;
    let cells = (0..20usize).flat_map(|y| (0..10usize).map(move |x| (x, y)));
    let is_lit = |&(x, y): &(usize, usize)| picture.get_pixel(at(x, FIELD_PX[0]), at(y, FIELD_PX[1])).0 != [0; 3];
    cells.filter(is_lit).map(|(x, y)| (x as i8, y as i8)).collect()
}

fn is_piece_in_columns_of_spawn(cells: &[(i8, i8)]) -> bool {
    let columns = |pose: Pose| {
        let mut cells = pose.cells();
        cells.sort_unstable_by_key(|&(x, y)| (y, x));
        cells
    };
    let drop = cells.iter().map(|c| c.1).min().unwrap_or(0);
    Piece::ALL.iter().any(|&piece| columns(spawn_pose(piece).moved(0, drop))[..] == cells[..])
}

#[test]
fn pictures_are_saved_without_a_display() {
    let folder = TempDir::new().unwrap();
    let early = picture(folder.path(), &["--headless", "--frames", "60", "--level", "9"]);
    assert!(is_piece_in_columns_of_spawn(&lit(&early)), "{:?}", lit(&early));
    let later = picture(folder.path(), &["--headless", "--frames", "2000", "--level", "9"]);
    assert!(lit(&later).len() > 16, "a pile grows where nobody plays: {:?}", lit(&later));
    let reference = picture(folder.path(), &["--headless", "--frames", "1", "--reference"]);
    assert_eq!(lit(&reference), []);
    let again = stackhand(&["console", "--headless", "--frames", "1", "--screenshot", folder.path().to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(1));
    assert!(said(&again).contains("is no ordinary file; choose another name"), "{}", said(&again));
}

#[test]
fn a_trace_can_end_in_a_picture() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("trace.jsonl");
    let drawn = picture(folder.path(), &["--trace", trace.to_str().unwrap(), "--frames", "700"]);
    let text = std::fs::read_to_string(trace).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let piece = lit(&drawn).iter().map(|cell| cell.1).min().unwrap();
    assert_eq!(i64::from(piece), last["y"].as_i64().unwrap(), "{last}");
}

#[test]
fn no_display_is_an_error_with_a_remedy() {
    let output = stackhand(&["console"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("cannot open a window") && said(&output).contains("--headless"),
        "{}",
        said(&output)
    );
    assert!(!said(&output).contains("panicked"), "{}", said(&output));
    for args in
        [&["console", "--headless"][..], &["console", "--reference", "--movie", "x.fm2"], &["console", "--scale", "0"]]
    {
        assert_eq!(stackhand(args).status.code(), Some(2), "{args:?}");
    }
}

/// A window on an X server of its own, steered by real key events.
#[cfg(unix)]
mod on_a_display {
    use super::*;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    /// Ends the program with the test, whatever comes of it.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    struct Display {
        server: Running,
        name: String,
    }

    /// The server takes its lock with it, which it cannot when it is killed; that is left for one that does not listen.
    impl Drop for Display {
        #[allow(clippy::disallowed_methods)]
        fn drop(&mut self) {
            if let Ok(pid) = self.server.0.id().try_into() {
                let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
            }
            for _ in 0..100 {
                if !matches!(self.server.0.try_wait(), Ok(None)) {
                    return;
                }
                sleep(Duration::from_millis(50));
            }
        }
    }

    impl Display {
        /// A server; none where the programs are not installed.
        fn open(folder: &Path) -> Option<Self> {
            let installed =
                |program: &str| Command::new(program).arg("-version").stderr(Stdio::null()).output().is_ok();
            if !installed("Xvfb") || !installed("xdotool") {
                crate::skip::skipped("the window itself", &["Xvfb", "xdotool"]);
                return None;
            }
            let name = crate::desk::fresh_name();
            let number = folder.join("number");
            let out = std::fs::File::create(&number).unwrap();
            // Without -noreset it begins anew, and refuses who comes meanwhile, when its last client has gone: xdotool, at once.
            let mut server = Command::new("Xvfb");
            server.args([&name, "-displayfd", "1", "-screen", "0", "900x800x24", "-nolisten", "tcp", "-noreset"]);
            let server = Running(server.stdout(out).stderr(Stdio::null()).spawn().unwrap());
            // It says its number when it is ready.
            wait_for("the X server", || std::fs::read_to_string(&number).ok().filter(|text| text.ends_with('\n')));
            Some(Self { server, name })
        }

        fn xdotool(&self, args: &[&str]) -> Option<String> {
            let output = Command::new("xdotool").args(args).env("DISPLAY", &self.name).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            output.status.success().then_some(text)
        }

        /// Starts `console` and gives its window the keyboard.
        fn console(&self, folder: &Path, args: &[&str]) -> Running {
            let mut console = Command::new(assert_cmd::cargo::cargo_bin("stackhand"));
            console.arg("console").args(args).env("DISPLAY", &self.name).current_dir(folder);
            let said = folder.join("said");
            console.stdout(Stdio::piped()).stderr(std::fs::File::create(&said).unwrap());
            let mut console = Running(console.spawn().unwrap());
            let mut find = || {
                if let Some(status) = console.0.try_wait().unwrap() {
                    panic!("ended before its window was seen: {status}; {}", std::fs::read_to_string(&said).unwrap());
                }
                self.xdotool(&["search", "--onlyvisible", "--name", "stackhand console"])
            };
            let window = wait_for("the window", || find().filter(|ids| !ids.is_empty()));
            let window = window.lines().next().unwrap().to_owned();
            wait_for("the keyboard", || self.xdotool(&["windowfocus", "--sync", &window]));
            console
        }

        fn key(&self, key: &str) {
            self.xdotool(&["key", key]).unwrap();
        }

        /// Presses P and opens the picture that it saves.
        fn saved(&self, folder: &Path, number: u32) -> RgbImage {
            let path: PathBuf = folder.join(format!("stackhand-{number}.png"));
            self.key("p");
            wait_for("the picture", || image::open(&path).ok()).to_rgb8()
        }
    }

    #[allow(clippy::disallowed_methods)]
    fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        for _ in 0..600 {
            if let Some(found) = look() {
                return found;
            }
            sleep(Duration::from_millis(100));
        }
        panic!("{what} did not come within a minute")
    }

    #[test]
    #[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
    fn keys_reach_the_game_and_the_reference_pictures() {
        let folder = TempDir::new().unwrap();
        let Some(display) = Display::open(folder.path()) else { return };
        let mut console = display.console(folder.path(), &["--scale", "1"]);
        display.key("Return");
        let mut number = 0;
        let mut look = || {
            number += 1;
            display.saved(folder.path(), number)
        };
        wait_for("a game", || Some(lit(&look())).filter(|cells| is_piece_in_columns_of_spawn(cells)));
        let left = |cells: &[(i8, i8)]| cells.iter().map(|c| c.0).min().unwrap_or(9);
        let before = left(&lit(&look()));
        (0..2).for_each(|_| display.key("Left"));
        let after = wait_for("a shift", || Some(left(&lit(&look()))).filter(|&column| column != before));
        assert!(after < before);
        display.key("c");
        display.key("2");
        let seen = wait_for("the reference picture", || Some(lit(&look())).filter(|cells| cells.len() == 4));
        assert_eq!(seen, [(3, 0), (4, 0), (5, 0), (6, 0)]);
        display.key("Escape");
        let status = wait_for("the end", || console.0.try_wait().unwrap());
        let mut told = String::new();
        std::io::Read::read_to_string(console.0.stdout.as_mut().unwrap(), &mut told).unwrap();
        assert!(status.success() && told.contains("a second)") && told.contains(" late "), "{told}");
    }

    #[test]
    #[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
    fn the_window_shows_every_pixel_and_closes_by_itself() {
        let folder = TempDir::new().unwrap();
        let Some(display) = Display::open(folder.path()) else { return };
        let path = folder.path().join("last.png");
        let args = ["--reference", "--frames", "900", "--scale", "2", "--screenshot", path.to_str().unwrap()];
        let mut console = display.console(folder.path(), &args);
        display.key("9");
        let status = wait_for("the end", || console.0.try_wait().unwrap());
        assert!(status.success());
        assert_eq!(lit(&image::open(&path).unwrap().to_rgb8()).len(), 100);
    }
}
