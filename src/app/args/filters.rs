//! Filters as they are written on the command line.

use crate::file::{self, PictureError};
use crate::game::Board;
use crate::planner::{Filters, Pattern, PatternError, pattern};
use image::RgbaImage;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A picture of another size is told so; one of very many pixels is not even read.
const PIXELS_MAX: u64 = 1 << 20;
/// Alpha from which a pixel is opaque, and brightness below which it is dark.
const HALF: u8 = 128;

/// One filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterSpec {
    /// Pieces are never turned.
    NoRotation,
    /// A well on the right for four lines at once.
    Well,
    /// A picture drawn with the pile.
    Pattern(PathBuf),
}

/// Why a picture is no pattern.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// The file.
    #[error("cannot read the picture {path}; give a PNG of {width} × {height} pixels", width = pattern::COLUMNS, height = pattern::ROWS)]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PictureError,
    },
    /// What it shows.
    #[error("cannot draw the picture {path}")]
    Pattern {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PatternError,
    },
}

impl FromStr for FilterSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("pattern:")) {
            ("no-rotation", _) => Ok(Self::NoRotation),
            ("well", _) => Ok(Self::Well),
            (_, Some("")) => Err("the picture's file is missing behind pattern:, such as pattern:heart.png".into()),
            (_, Some(path)) => Ok(Self::Pattern(path.into())),
            _ => Err("use no-rotation, well, or pattern:FILE.png".into()),
        }
    }
}

impl Display for FilterSpec {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRotation => f.write_str("no-rotation"),
            Self::Well => f.write_str("well"),
            Self::Pattern(path) => write!(f, "pattern:{}", path.display()),
        }
    }
}

/// All of them together; of several pictures the last is drawn.
///
/// # Errors
/// When a picture cannot be read or drawn.
pub fn load_all(specs: &[FilterSpec]) -> Result<Filters, FilterError> {
    let mut filters = Filters::default();
    for spec in specs {
        match spec {
            FilterSpec::NoRotation => filters.no_rotation = true,
            FilterSpec::Well => filters.well = true,
            FilterSpec::Pattern(path) => filters.pattern = Some(load_pattern(path)?),
        }
    }
    Ok(filters)
}

fn load_pattern(path: &Path) -> Result<Pattern, FilterError> {
    let read = |source| FilterError::Read { path: path.into(), source };
    let picture = file::read_picture(path, PIXELS_MAX).map_err(read)?.to_rgba8();
    let drawn = match (picture.width() as usize, picture.height() as usize) {
        (pattern::COLUMNS, pattern::ROWS) => Pattern::new(&full_cells(&picture)),
        (width, height) => Err(PatternError::Size { width, height }),
    };
    drawn.map_err(|source| FilterError::Pattern { path: path.into(), source })
}

/// In a picture with transparent pixels every opaque one is full; in any other, every dark one.
fn full_cells(picture: &RgbaImage) -> Board {
    let has_holes = picture.pixels().any(|pixel| pixel[3] < HALF);
    let is_dark = |[r, g, b]: [u8; 3]| (u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b)) / 10 < u32::from(HALF);
    let mut board = Board::new(pattern::COLUMNS, pattern::ROWS);
    for (x, y, pixel) in picture.enumerate_pixels() {
        let [r, g, b, alpha] = pixel.0;
        if alpha >= HALF && (has_holes || is_dark([r, g, b])) {
            board.fill(x as usize, y as usize);
        }
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn dark_is_full_unless_the_picture_has_transparent_pixels() {
        let (dark, white, clear) = (Rgba([20, 40, 90, 255]), Rgba([255; 4]), Rgba([0; 4]));
        let mut picture = RgbaImage::from_pixel(10, 20, white);
        picture.put_pixel(3, 19, dark);
        assert_eq!(full_cells(&picture).to_lines()[19], "...#......");
        let mut cut = RgbaImage::from_pixel(10, 20, clear);
        cut.put_pixel(4, 19, white);
        cut.put_pixel(5, 19, dark);
        assert_eq!((full_cells(&cut).to_lines()[19].as_str(), full_cells(&cut).count()), ("....##....", 2));
    }

    #[test]
    fn filters_are_read_as_written() {
        let specs: Vec<FilterSpec> = ["no-rotation", "well"].iter().map(|s| s.parse().unwrap()).collect();
        assert_eq!(load_all(&specs).unwrap(), Filters { no_rotation: true, well: true, pattern: None });
        assert_eq!("pattern:a.png".parse(), Ok(FilterSpec::Pattern("a.png".into())));
        for wrong in ["", "pattern", "wall"] {
            assert!(wrong.parse::<FilterSpec>().unwrap_err().contains("no-rotation, well, or pattern:"), "{wrong}");
        }
        assert!("pattern:".parse::<FilterSpec>().unwrap_err().contains("file is missing"));
    }
}
