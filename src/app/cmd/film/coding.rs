//! How a film is coded, by its name's ending.

use crate::app::args::Misuse;
use std::path::Path;

/// For what plays everywhere: H.264, the colours of high definition, the index at the file's beginning.
const H264: &[&str] = &[
    "-vf",
    "scale=out_color_matrix=bt709",
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-crf",
    "20",
    "-pix_fmt",
    "yuv420p",
    "-colorspace",
    "bt709",
    "-color_primaries",
    "bt709",
    "-color_trc",
    "bt709",
    "-movflags",
    "+faststart",
];
const VP9: &[&str] = &[
    "-c:v",
    "libvpx-vp9",
    "-crf",
    "34",
    "-b:v",
    "0",
    "-deadline",
    "realtime",
    "-cpu-used",
    "8",
    "-row-mt",
    "1",
    "-pix_fmt",
    "yuv420p",
];
/// A palette a picture: one for all would keep all of them in memory first.
const GIF: &[&str] = &[
    "-vf",
    "fps=10,scale=800:-2:flags=lanczos,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1",
    "-loop",
    "0",
];
const WEBP: &[&str] =
    &["-vf", "fps=10,scale=800:-2:flags=lanczos", "-c:v", "libwebp_anim", "-quality", "60", "-loop", "0"];

/// A way to code a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coding(&'static [&'static str]);

impl Coding {
    /// For a file of this name.
    ///
    /// # Errors
    /// When its ending is none of a film.
    pub fn of(path: &Path) -> Result<Self, Misuse> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "mp4" | "m4v" | "mov" => Ok(Self(H264)),
            // The index's place is nothing that this container knows.
            "mkv" => Ok(Self(&H264[..H264.len() - 2])),
            "webm" => Ok(Self(VP9)),
            "gif" => Ok(Self(GIF)),
            "webp" => Ok(Self(WEBP)),
            _ => {
                let path = path.display();
                Err(Misuse(format!(
                    "{path} is no name of a film; let it end in .mp4, .mov, .mkv, .webm, .gif or .webp"
                )))
            }
        }
    }

    /// For ffmpeg.
    pub fn options(self) -> &'static [&'static str] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_how_a_film_is_coded() {
        let of = |name: &str| Coding::of(Path::new(name));
        assert!(of("a.MP4").is_ok_and(|coding| coding.options().contains(&"+faststart")));
        assert!(of("a.mkv").is_ok_and(|coding| !coding.options().contains(&"-movflags")));
        for name in ["film", "film.txt", "film.shs", ".mp4"] {
            assert!(of(name).unwrap_err().0.contains(".mp4, .mov"), "{name}");
        }
    }
}
