//! The devices /dev/videoN: which of them are cameras, who may use them, and who does.

use crate::edge::CameraError;
use nix::unistd::{Gid, Group};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use v4l::video::Capture;

const ENXIO: i32 = 6;
const ENODEV: i32 = 19;

/// The cameras in the order of their numbers, with their names. A camera's second device, which gives no pictures but
/// metadata, is none.
pub(in crate::edge::camera) fn cameras() -> io::Result<Vec<(u32, String)>> {
    let cameras = devices(Path::new("/dev"))?.into_iter().filter(|index| match v4l::Device::new(*index as usize) {
        Ok(device) => gives_pictures(&device),
        // Nobody can ask it; a camera's first device is the one for pictures.
        Err(_) => place_within_camera(*index).is_none_or(|place| place == 0),
    });
    Ok(cameras.map(|index| (index, name(index))).collect())
}

/// Opens a camera's device.
pub(in crate::edge::camera) fn open(index: u32) -> Result<v4l::Device, CameraError> {
    let device = v4l::Device::new(index as usize).map_err(|e| refusal(index, &e))?;
    if gives_pictures(&device) {
        return Ok(device);
    }
    Err(CameraError::NoCamera { index, name: name(index), found: found() })
}

/// Why the driver refuses.
pub(in crate::edge::camera) fn refusal(index: u32, e: &io::Error) -> CameraError {
    match (e.kind(), e.raw_os_error()) {
        (ErrorKind::NotFound, _) | (_, Some(ENXIO | ENODEV)) => CameraError::CameraMissing { index, found: found() },
        (ErrorKind::PermissionDenied, _) => {
            let owner = fs::metadata(path(index)).ok().and_then(|meta| Group::from_gid(Gid::from_raw(meta.gid())).ok());
            CameraError::CameraForbidden { index, remedy: permission_remedy(index, owner.flatten().map(|g| g.name)) }
        }
        (ErrorKind::ResourceBusy, _) => CameraError::CameraBusy { index, holder: holder(Path::new("/proc"), index) },
        _ => CameraError::CameraOpen { index, problem: e.to_string() },
    }
}

fn permission_remedy(index: u32, group: Option<String>) -> String {
    match group.filter(|name| name != "root") {
        Some(group) => format!("add yourself to its group with `sudo usermod -aG {group} $USER`, then log in again"),
        None => format!(
            "it belongs to no group of users (on most systems that would be the group video); allow it with `sudo setfacl -m \
             u:$USER:rw /dev/video{index}`"
        ),
    }
}

/// A capture device lists formats for single pictures; metadata, codecs and outputs list none.
fn gives_pictures(device: &v4l::Device) -> bool {
    device.enum_formats().is_ok_and(|formats| !formats.is_empty())
}

/// The numbers of the devices, ascending.
fn devices(folder: &Path) -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        numbers.extend(name.to_str().and_then(|n| n.strip_prefix("video")).and_then(|n| n.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn path(index: u32) -> PathBuf {
    format!("/dev/video{index}").into()
}

fn about(index: u32, what: &str) -> Option<String> {
    let text = fs::read(format!("/sys/class/video4linux/video{index}/{what}")).ok()?;
    Some(String::from_utf8_lossy(&text).trim().to_string()).filter(|text| !text.is_empty())
}

fn name(index: u32) -> String {
    about(index, "name").unwrap_or_else(|| format!("video{index}"))
}

/// A camera's devices are counted from 0.
fn place_within_camera(index: u32) -> Option<u32> {
    about(index, "index")?.parse().ok()
}

/// The cameras in one line.
fn found() -> String {
    let names: Vec<_> = cameras().unwrap_or_default().iter().map(|(i, name)| format!("{i}: {name}")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// The programs that have the device open, as far as this user may know.
fn holder(proc: &Path, index: u32) -> String {
    let device = path(index);
    let holds = |process: &Path| {
        let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        files.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|target| target == device))
    };
    let mut holders = Vec::new();
    for entry in fs::read_dir(proc).into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|n| n.parse::<u32>().ok()) else { continue };
        // This program has just tried to.
        if number != std::process::id() && holds(&entry.path()) {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            holders.push((number, name.trim().to_string()));
        }
    }
    holders.sort();
    let words: Vec<_> = holders.iter().map(|(number, name)| format!("{name} (process {number})")).collect();
    match words.is_empty() {
        true => format!("another program (`sudo fuser -v /dev/video{index}` names it)"),
        false => words.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_listed_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["video10", "video2", "video0", "video", "videodev", "vbi0", "video1x"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(devices(folder.path()).unwrap(), [0, 2, 10]);
    }

    #[test]
    fn the_program_that_holds_a_camera_is_named() {
        let proc = tempfile::tempdir().unwrap();
        for (number, name, target) in
            [(12, "cheese\n", "/dev/video3"), (7, "ffmpeg\n", "/dev/video3"), (9, "other\n", "/dev/video0")]
        {
            let process = proc.path().join(number.to_string());
            fs::create_dir_all(process.join("fd")).unwrap();
            fs::write(process.join("comm"), name).unwrap();
            std::os::unix::fs::symlink(target, process.join("fd/4")).unwrap();
        }
        assert_eq!(holder(proc.path(), 3), "ffmpeg (process 7) and cheese (process 12)");
        assert!(holder(proc.path(), 5).contains("sudo fuser -v /dev/video5"));
    }

    #[test]
    fn each_refusal_has_a_remedy_of_its_own() {
        let table = [
            (2, "no camera 987"),
            (19, "no camera 987"),
            (13, "usermod -aG"),
            (16, "close that first"),
            (5, "plug it in again"),
        ];
        for (number, words) in table {
            let text = refusal(987, &io::Error::from_raw_os_error(number)).to_string();
            let expected = if number == 13 { "sudo setfacl -m u:$USER:rw /dev/video987" } else { words };
            assert!(text.contains(expected), "{number}: {text}");
        }
        assert!(permission_remedy(1, Some("video".into())).contains("usermod -aG video $USER"));
    }
}
