//! Pictures in a folder, or a single one, as if filmed at 30 a second. Where their names count, what is missing was lost.

use crate::edge::{CameraError, FrameSource};
use crate::file::{self, PIXELS_MAX};
use crate::message::Frame;
use crate::time::{CameraFrame, HostTime};
use image::RgbImage;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pictures carry no time of their own; this is a common camera's rate.
const PICTURES_PER_SECOND: f64 = 30.0;
/// Numbers in names that leave out more than this many for each one are no count of pictures.
const MOST_TIMES_AS_LONG: u64 = 10;
const EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "bmp", "ppm"];

/// The pictures of a folder in natural order of their names (`p2` before `p10`), orientation marks ignored: the pixels
/// come as they are stored.
pub struct PictureFolder {
    path: PathBuf,
    files: Vec<PathBuf>,
    /// How many pictures were filmed before each of them.
    counts: Vec<u64>,
    next: usize,
    /// The first readable picture's count; its time is 0.
    first: Option<u64>,
    unreadable: u64,
    last_problem: String,
}

impl PictureFolder {
    /// Lists the folder, or takes the one picture.
    ///
    /// # Errors
    /// When it cannot be listed or has no picture files.
    pub fn open(path: &Path) -> Result<Self, CameraError> {
        let failed = |source| CameraError::Read { path: path.into(), source };
        let mut files = Vec::new();
        if std::fs::metadata(path).map_err(failed)?.is_dir() {
            for entry in std::fs::read_dir(path).map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                if is_picture(&file) && file.is_file() {
                    files.push(file);
                }
            }
        } else {
            files.push(path.to_path_buf());
        }
        if files.is_empty() {
            return Err(CameraError::NoPictures { path: path.into(), problem: "no file of a known kind".into() });
        }
        files.sort_by(|a, b| natural_order(&file_name(a), &file_name(b)));
        let counts = counts(&files.iter().map(|file| file_name(file)).collect::<Vec<_>>());
        Ok(Self { path: path.into(), files, counts, next: 0, first: None, unreadable: 0, last_problem: String::new() })
    }
}

impl FrameSource for PictureFolder {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        while let Some(file) = self.files.get(self.next) {
            let count = self.counts[self.next];
            self.next += 1;
            match decode(file) {
                Ok(image) => {
                    let first = *self.first.get_or_insert(count);
                    let time = HostTime::from_ms((count - first) as f64 * 1000.0 / PICTURES_PER_SECOND);
                    let name = Some(Arc::from(file_name(file)));
                    return Ok(Some(Frame {
                        file: None,
                        index: CameraFrame(count),
                        time,
                        name,
                        image: Arc::new(image),
                    }));
                }
                Err(problem) => {
                    tracing::warn!("skipping {}: {problem}", file.display());
                    self.unreadable += 1;
                    self.last_problem = problem;
                }
            }
        }
        match self.first {
            Some(_) => Ok(None),
            None => Err(CameraError::NoPictures { path: self.path.clone(), problem: self.last_problem.clone() }),
        }
    }

    fn is_live(&self) -> bool {
        false
    }

    fn read_share(&self) -> Option<f64> {
        Some(self.next as f64 / self.files.len() as f64)
    }

    fn dropped(&self) -> u64 {
        self.unreadable
    }
}

/// Whether a file's name says that it is a picture we can read.
pub(super) fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.contains(&extension.as_str())
}

fn decode(path: &Path) -> Result<RgbImage, String> {
    // By content: a jpg renamed to png is a common accident.
    file::read_picture(path, PIXELS_MAX).map(|image| image.into_rgb8()).map_err(|e| e.to_string())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// How many pictures were filmed before each of these, by the number at its name's end, where these count: all names are alike
/// but for it, and most numbers follow upon one another by the same step. Else they were filmed one after the other.
fn counts(names: &[String]) -> Vec<u64> {
    let one_by_one = || (0..names.len() as u64).collect();
    let parts: Option<Vec<(&str, u64)>> = names.iter().map(|name| numbered(name)).collect();
    let Some(parts) = parts.filter(|parts| parts.windows(2).all(|pair| pair[0].0 == pair[1].0)) else {
        return one_by_one();
    };
    let mut steps: Vec<u64> = parts.windows(2).map(|pair| pair[1].1.saturating_sub(pair[0].1)).collect();
    let last = parts.last().map_or(0, |last| last.1.saturating_sub(parts[0].1));
    steps.sort_unstable();
    let step = steps.get(steps.len() / 2).copied().unwrap_or(0);
    let regular = steps.iter().filter(|s| **s == step).count();
    let is_counted = step > 0 && regular * 4 >= steps.len() * 3 && steps.iter().all(|s| *s > 0 && s % step == 0);
    // Numbers that jump by hours, such as times of day, do not count pictures.
    if is_counted && last / step <= MOST_TIMES_AS_LONG * names.len() as u64 {
        parts.iter().map(|(_, number)| (number - parts[0].1) / step).collect()
    } else {
        one_by_one()
    }
}

/// A name without its ending and its last number, and that number.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((words, stem[words.len()..].parse().ok()?))
}

/// Runs of digits compare as numbers, everything else letter by letter.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (digits_a, digits_b) = (digits(rest_a), digits(rest_b));
        let ordering = if !digits_a.is_empty() && !digits_b.is_empty() {
            rest_a = &rest_a[digits_a.len()..];
            rest_b = &rest_b[digits_b.len()..];
            // Without leading zeros a longer number is a greater one, however long.
            let (a, b) = (digits_a.trim_start_matches('0'), digits_b.trim_start_matches('0'));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        } else {
            let (mut chars_a, mut chars_b) = (rest_a.chars(), rest_b.chars());
            let pair = (chars_a.next(), chars_b.next());
            (rest_a, rest_b) = (chars_a.as_str(), chars_b.as_str());
            match pair {
                (None, None) => return a.cmp(b),
                (a, b) => a.cmp(&b),
            }
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
}

fn digits(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_in_a_row_of_numbers_was_lost() {
        let counted = |numbers: &[u32]| counts(&numbers.iter().map(|n| format!("p{n:04}.png")).collect::<Vec<_>>());
        assert_eq!(counted(&[7, 8, 9, 10, 11, 27, 28]), [0, 1, 2, 3, 4, 20, 21]);
        // Every second one was taken out of a film.
        assert_eq!(counted(&[0, 2, 4, 6, 8, 14, 16, 18]), [0, 1, 2, 3, 4, 7, 8, 9]);
        // Photos that somebody chose, a sequence that goes on after a day, single ones.
        assert_eq!(counted(&[400, 405, 421, 422, 430]), [0, 1, 2, 3, 4]);
        assert_eq!(counted(&[1, 2, 3, 4, 5, 90_000, 90_001]), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!((counted(&[3]), counted(&[])), (vec![0], vec![]));
        let other = ["a1.png", "a2.png", "b9.png", "b10.png", "c.png"].map(String::from);
        assert_eq!(counts(&other), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn names_sort_as_people_count() {
        let mut names =
            ["p10.png", "p2.png", "q1.png", "p1.png", "p02b.png", "p.png", "p100000000000000000000.png", "ä2", "ä10"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            ["p.png", "p1.png", "p2.png", "p02b.png", "p10.png", "p100000000000000000000.png", "q1.png", "ä2", "ä10"]
        );
    }
}
