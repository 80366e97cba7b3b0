//! What a file can do to whoever opens it, and what the program does to files that are there already.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn stackhand(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("stackhand").unwrap().args(args).output().unwrap()
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All that lies in a folder: names, and what links point to or files hold.
fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            all.push((path.clone(), fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()));
        } else if path.is_dir() {
            all.extend(everything(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const PROFILE: &str = "version = 1\nlayout = \"nes\"\npicture = [640, 480]\n\
    corners = [[192.0, 40.0], [352.0, 40.0], [352.0, 360.0], [192.0, 360.0]]\nerror_px = 0.5\nrelay = \"none\"\n";

#[test]
fn a_profile_from_a_stranger_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("mine.txt"), "mine").unwrap();
    let mine = at("mine.txt");
    let mine = text(&mine);
    let sources = [
        format!("ffmpeg:-y -f lavfi -i testsrc=duration=1 {mine}"),
        format!("ffmpeg:-f lavfi -i testsrc -f avi -y file:{mine}"),
        format!("ffmpeg:-f lavfi -i testsrc,metadata=print:file={mine}"),
        format!("ffmpeg:-i {mine} -vf metadata=print:file={mine}"),
        format!("ffmpeg:-progress {mine} -i {mine}"),
        format!("ffmpeg:-i cache:{mine}"),
        "ffmpeg:-f lavfi -i testsrc".to_string(),
    ];
    let profile = at("rig.toml");
    for source in sources {
        fs::write(&profile, format!("{PROFILE}source = '{source}'\n")).unwrap();
        let before = everything(folder.path());
        for command in ["play", "doctor"] {
            let output = stackhand(&[command, "--profile", text(&profile), "--relay", "none"]);
            assert_eq!(output.status.code(), Some(1), "{command} {source}");
            assert!(
                said(&output).contains("leave it out") || said(&output).contains("--source '"),
                "{}",
                said(&output)
            );
        }
        assert_eq!(everything(folder.path()), before, "{source}");
    }
}

#[test]
fn on_the_command_line_a_source_is_no_way_to_write_a_file_either() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.avi");
    let source = format!("ffmpeg:-y -f lavfi -i testsrc=duration=1 {}", text(&out));
    let output = stackhand(&["dry-run", "--source", &source, "--pieces", "1"]);
    assert!(!output.status.success() && said(&output).contains("would write a file of that name"), "{}", said(&output));
    assert!(!out.exists());
}

/// Runs the program to write a file, with more arguments.
type Writer<'a> = dyn Fn(&Path, &[&str]) -> std::process::Output + 'a;

#[test]
fn nothing_that_exists_is_overwritten_without_force() {
    let folder = TempDir::new().unwrap();
    let there = folder.path().join("there.png");
    let link = folder.path().join("link.png");
    std::os::unix::fs::symlink(&there, &link).unwrap();
    let shot = |target: &Path, force: &[&str]| {
        let args = ["console", "--headless", "--frames", "3", "--screenshot", text(target)];
        stackhand(&[&args[..], force].concat())
    };
    let trace = |target: &Path, force: &[&str]| {
        stackhand(&[&["console", "--frames", "3", "--trace", text(target)], force].concat())
    };
    let movie = |target: &Path, force: &[&str]| {
        stackhand(&[&["dry-run", "--pieces", "1", "--seconds", "1", "--movie-out", text(target)], force].concat())
    };
    let record = |target: &Path, force: &[&str]| {
        stackhand(&[&["dry-run", "--pieces", "1", "--seconds", "1", "--record", text(target)], force].concat())
    };
    let writers: [&Writer; 4] = [&shot, &trace, &movie, &record];
    for (which, write) in writers.into_iter().enumerate() {
        fs::write(&there, "mine").unwrap();
        for target in [&there, &link] {
            let output = write(target, &[]);
            assert_eq!(output.status.code(), Some(1), "{which}: {}", said(&output));
            let remedy = if target == &link { "remove the link" } else { "--force" };
            assert!(said(&output).contains(remedy), "{which}: {}", said(&output));
        }
        // Through a link not even then.
        assert_eq!(write(&link, &["--force"]).status.code(), Some(1), "{which}");
        assert_eq!(fs::read(&there).unwrap(), b"mine", "{which}");
        let output = write(&there, &["--force"]);
        assert!(output.status.success(), "{which}: {}", said(&output));
        assert_ne!(fs::read(&there).unwrap(), b"mine", "{which}");
        assert_eq!(everything(folder.path()).len(), 2, "{which}: nothing lies beside it");
    }
}

#[test]
fn a_report_and_annotated_pictures_overwrite_nothing_without_force() {
    let folder = TempDir::new().unwrap();
    let pictures = folder.path().join("pictures");
    fs::create_dir(&pictures).unwrap();
    let film = stackhand::twin::picture::Picture::new();
    film.to_rgb().save(pictures.join("p1.png")).unwrap();
    let there = folder.path().join("there.mkv");
    fs::write(&there, "mine").unwrap();
    for option in ["--report", "--annotate"] {
        let output = stackhand(&[
            "replay",
            text(&pictures),
            "--layout",
            "nes",
            "--corners",
            "96,40",
            "176,40",
            "176,200",
            "96,200",
            option,
            text(&there),
        ]);
        assert_eq!(output.status.code(), Some(1), "{option}: {}", said(&output));
        assert!(said(&output).contains("there.mkv exists already and is not overwritten"), "{}", said(&output));
        assert_eq!(fs::read(&there).unwrap(), b"mine");
    }
}

/// Runs the program with so much address space, KiB.
fn stackhand_within(kib: u64, args: &[&str]) -> std::process::Output {
    let program = assert_cmd::cargo::cargo_bin("stackhand");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kib}; exec \"$@\""), "sh"]).arg(program).args(args);
    command.output().unwrap()
}

/// A PNG chunk.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind, data].concat();
    [&(data.len() as u32).to_be_bytes()[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
}

fn png(width: u32, height: u32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &header), &chunks.concat(), &chunk(b"IEND", &[])].concat()
}

#[test]
fn a_small_file_that_unpacks_to_gigabytes_takes_little_memory() {
    let folder = TempDir::new().unwrap();
    let bomb = folder.path().join("bomb.png");
    fs::write(&bomb, png(30_000, 30_000, &[chunk(b"IDAT", &[0x78, 0x9c, 0, 0])])).unwrap();
    let small = 600_000;
    let output = stackhand_within(small, &["replay", text(&bomb), "--layout", "nes", "--auto"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("make it smaller"), "{}", said(&output));
    let filter = format!("pattern:{}", text(&bomb));
    let output = stackhand_within(small, &["dry-run", "--pieces", "1", "--filter", &filter]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("give a PNG of 10 × 20"), "{}", said(&output));
}
