//! Which source of pictures, as named on the command line.

use super::PictureRate;
use super::ffmpeg;
use super::folder::is_picture;
use super::mirrored;
use crate::edge::CameraError;
use crate::edge::session;
use crate::edge::words::split_words;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A source of pictures as named on the command line (`SRC`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceSpec {
    /// `camera:N`
    Webcam(WebcamSpec),
    /// `screen` or `screen:TITLE`
    Screen(ScreenSpec),
    /// `ffmpeg:ARGS`, split into words.
    Ffmpeg(Vec<String>),
    /// A video file.
    Video(PathBuf),
    /// A folder of pictures, or one picture.
    Pictures(PathBuf),
    /// A recorded session.
    Session(PathBuf),
    /// `sim`: the simulated table's own camera.
    Simulated,
}

/// A camera and what is wanted of it: .
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebcamSpec {
    /// The system's number for it (/dev/videoN on Linux).
    pub index: u32,
    /// Wanted width and height, px; the nearest is taken.
    pub size: Option<(u32, u32)>,
    /// Wanted pictures a second; the nearest is taken.
    pub fps: Option<PictureRate>,
    /// Fixed exposure, 100 µs units as in V4L2; the camera's own automatic if absent.
    pub exposure: Option<i64>,
}

impl WebcamSpec {
    /// A camera as it comes.
    pub fn new(index: u32) -> Self {
        Self { index, size: None, fps: None, exposure: None }
    }
}

/// Pictures a second of the screen, if nothing is said.
const SCREEN_FPS: f64 = 60.0;

/// This computer's screen, or a window of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenSpec {
    /// The window's title, or a part of it; empty for the whole screen.
    pub title: String,
    /// Wanted pictures a second.
    pub fps: Option<PictureRate>,
}

impl ScreenSpec {
    /// Pictures a second.
    pub fn fps(&self) -> f64 {
        self.fps.map_or(SCREEN_FPS, PictureRate::per_s)
    }
}

impl SourceSpec {
    /// Reads a source's name. Looks at the file system, because a path alone does not tell a folder from a video. Of a mirrored
    /// source ([`mirrored`]) it is what stands behind the mirror.
    ///
    /// # Errors
    /// When it names none, or there is nothing at the path.
    pub fn parse(text: &str) -> Result<Self, CameraError> {
        let wrong = |problem: String| CameraError::Spec { text: text.into(), problem };
        let (source, _) = mirrored::behind(text);
        if source.len() < text.len() {
            return match Self::parse(source)? {
                Self::Simulated => Err(wrong("the simulated table has no mirror".into())),
                Self::Session(_) => {
                    Err(wrong("a recorded session is read as it was seen; leave out `mirrored:`".into()))
                }
                source => Ok(source),
            };
        }
        if text == "sim" {
            return Ok(Self::Simulated);
        }
        if let Some(rest) = text.strip_prefix("camera:") {
            return parse_webcam(rest).map(Self::Webcam).map_err(wrong);
        }
        if text == "screen" || text.starts_with("screen:") || text.starts_with("screen?") {
            return parse_screen(&text["screen".len()..]).map(Self::Screen).map_err(wrong);
        }
        if let Some(rest) = text.strip_prefix("ffmpeg:") {
            let words = split_words(rest).map_err(wrong)?;
            ffmpeg::check(&words).map_err(wrong)?;
            return Ok(Self::Ffmpeg(words));
        }
        if text.contains("://") {
            return Err(wrong("a network address goes after `ffmpeg:-i `".into()));
        }
        if text.starts_with("/dev/video") {
            return Err(wrong("a camera's device goes after `camera:`".into()));
        }
        match std::fs::metadata(text) {
            Ok(meta) => Ok(of_path(Path::new(text), meta.is_dir())),
            Err(e) if e.kind() == ErrorKind::NotFound => Err(wrong("there is no such file or folder".into())),
            Err(source) => Err(CameraError::Read { path: text.into(), source }),
        }
    }

    /// Reads a source's name that stands in a profile, which may be a stranger's: of ffmpeg's arguments only those are let
    /// through that are known to only read.
    ///
    /// # Errors
    /// As [`Self::parse`], and when the arguments could do more.
    pub fn parse_profile(text: &str) -> Result<Self, CameraError> {
        let spec = Self::parse(text)?;
        if let Self::Ffmpeg(words) = &spec {
            let refused = |what| CameraError::ProfileSource { text: text.into(), what };
            ffmpeg::check_profile(words).map_err(refused)?;
        }
        Ok(spec)
    }

    /// The number of the camera that it names.
    pub fn camera(&self) -> Option<u32> {
        match self {
            Self::Webcam(spec) => Some(spec.index),
            _ => None,
        }
    }

    /// Whether pictures come at the pace of the world.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Webcam(_) | Self::Screen(_) | Self::Ffmpeg(_))
    }
}

fn of_path(path: &Path, is_folder: bool) -> SourceSpec {
    if is_folder || is_picture(path) {
        SourceSpec::Pictures(path.into())
    } else if session::is_session(path) {
        SourceSpec::Session(path.into())
    } else {
        SourceSpec::Video(path.into())
    }
}

fn parse_webcam(rest: &str) -> Result<WebcamSpec, String> {
    let (device, options) = rest.split_once('?').unwrap_or((rest, ""));
    let number = device.strip_prefix("/dev/video").unwrap_or(device);
    let index = number.parse().map_err(|_| "after `camera:` comes the camera's number, such as 0")?;
    let mut spec = WebcamSpec::new(index);
    for option in options.split('&').filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        match key {
            "size" => spec.size = Some(parse_size(value).ok_or("size is width x height, such as 1280x720")?),
            "fps" => spec.fps = Some(value.parse()?),
            "exposure" => spec.exposure = Some(value.parse().map_err(|_| "exposure is a whole number of 100 µs")?),
            _ => return Err(format!("there is no option {key:?}; there are size, fps and exposure")),
        }
    }
    Ok(spec)
}

/// The title may hold anything but a question mark.
fn parse_screen(rest: &str) -> Result<ScreenSpec, String> {
    let (title, options) = rest.split_once('?').unwrap_or((rest, ""));
    let mut spec = ScreenSpec { title: title.strip_prefix(':').unwrap_or(title).into(), fps: None };
    for option in options.split('&').filter(|o| !o.is_empty()) {
        match option.split_once('=').unwrap_or((option, "")) {
            ("fps", value) => spec.fps = Some(value.parse()?),
            (key, _) => return Err(format!("there is no option {key:?}; there is fps")),
        }
    }
    Ok(spec)
}

fn parse_size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let side = |s: &str| s.parse().ok().filter(|n| (16..=16384).contains(n));
    Some((side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sources_are_read() {
        assert_eq!(SourceSpec::parse("sim").unwrap(), SourceSpec::Simulated);
        assert_eq!(SourceSpec::parse("camera:2").unwrap(), SourceSpec::Webcam(WebcamSpec::new(2)));
        assert_eq!(SourceSpec::parse("camera:/dev/video3").unwrap(), SourceSpec::Webcam(WebcamSpec::new(3)));
        for (fps, rate) in [("60", (60, 1)), ("29.97", (2997, 100)), ("12.5", (25, 2)), ("30000/1001", (30_000, 1001))]
        {
            let fps_read = PictureRate::new(rate.0, rate.1);
            let spec = WebcamSpec { index: 0, size: Some((1280, 720)), fps: fps_read, exposure: Some(150) };
            let text = format!("camera:0?size=1280x720&fps={fps}&exposure=150");
            assert_eq!(SourceSpec::parse(&text).unwrap(), SourceSpec::Webcam(spec));
        }
        assert_eq!(SourceSpec::parse("mirrored:camera:2").unwrap(), SourceSpec::Webcam(WebcamSpec::new(2)));
        let words = ["-f", "x11grab", "-framerate", "30", "-i", ":51"].map(String::from).to_vec();
        assert_eq!(SourceSpec::parse("ffmpeg:-f x11grab -framerate 30 -i :51").unwrap(), SourceSpec::Ffmpeg(words));
        assert_eq!(SourceSpec::parse(".").unwrap(), SourceSpec::Pictures(".".into()));
        for (text, title, fps) in [
            ("screen", "", 60.0),
            ("screen:My game", "My game", 60.0),
            ("screen?fps=30", "", 30.0),
            ("screen:vitetris?fps=50", "vitetris", 50.0),
        ] {
            let SourceSpec::Screen(spec) = SourceSpec::parse(text).unwrap() else { panic!("{text}") };
            assert_eq!((spec.title.as_str(), spec.fps()), (title, fps));
        }
    }

    #[test]
    fn wrong_names_are_answered_with_the_right_ones() {
        for text in [
            "",
            "camera:",
            "camera:front",
            "camera:0?size=big",
            "camera:0?zoom=2",
            "camera:0?fps=0",
            "camera:0?fps=fast",
            "screen:game?fps=0",
            "screen:game?size=10",
            "ffmpeg:",
            "ffmpeg:-f x11grab",
            "ffmpeg:-i 'x",
            "/there/is/no/such.mkv",
            "rtsp://camera/1",
            "/dev/video0",
            "mirrored:",
            "mirrored:camera:front",
        ] {
            let error = SourceSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains("use `camera:0`"), "{text:?}: {error}");
        }
        let folder = tempfile::TempDir::new().unwrap();
        let session = folder.path().join("a.shs");
        std::fs::write(&session, session::MAGIC).unwrap();
        let refusal = |text: &str| SourceSpec::parse(text).unwrap_err().to_string();
        assert!(refusal("mirrored:sim").contains("has no mirror"));
        assert!(refusal("mirrored:camera:front").contains("the camera's number"));
        let words = refusal(&format!("mirrored:{}", session.display()));
        assert!(words.contains("leave out `mirrored:`"), "{words}");
    }
}
