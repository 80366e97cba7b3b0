//! A report as one page that needs nothing else: sums, what was claimed and what held, and every mistake with its picture.

use crate::app::report::annotate::annotated;
use crate::app::report::style;
use crate::app::score::{Mistake, Mistakes};
use crate::file::{self, Existing, FileError};
use crate::message::summary::Score;
use crate::message::{Frame, Observation, ScreenState};
use crate::profile::calibration::Calibration;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use image::codecs::jpeg::JpegEncoder;
use image::{RgbImage, imageops};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::path::Path;

/// Space around the field in a picture, in its width and height: the next box is mostly within it.
const MARGIN: f64 = 0.75;
/// Pictures are made no larger than this, px a side: enough to see what a cell shows.
const PICTURE_PX_MAX: u32 = 480;
const JPEG_QUALITY: u8 = 82;

/// What this page has besides [`style::PAGE`].
const STYLE: &str = "
article { margin: .8rem 0 0; } article h3 { margin: 0 0 .2rem; font-size: 1rem; } article p { margin: .2rem 0 .7rem; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
img { max-width: 100%; display: block; border-radius: 4px; }
svg { width: 8rem; background: #10141a; display: block; border-radius: 4px; } svg .full { fill: #cfd8e3; } svg .open { fill: #6b5a2a; } svg .differs { fill: none; stroke: #ff4d4d; stroke-width: .14; }
@media (max-width: 30rem) { svg { width: 7rem; } }
";

/// What a report is made from.
#[derive(Debug, Default)]
pub struct Page {
    /// What was looked at.
    pub subject: String,
    /// The result, a sentence each.
    pub words: Vec<String>,
    /// Numbers with their names.
    pub numbers: Vec<(String, String)>,
    /// The comparison with the truth, if there was one.
    pub score: Option<Score>,
    /// What went wrong before the end, if something did.
    pub ended_early: Option<String>,
    /// What was wrong.
    pub cards: Cards,
}

/// The mistakes with their pictures, as far as there are any.
#[derive(Debug, Default)]
pub struct Cards {
    /// In the order of time.
    mistakes: Vec<(Mistake, Option<Vec<u8>>)>,
    /// How many there were in all.
    count: usize,
}

impl Cards {
    /// Cards without pictures.
    pub fn new(mistakes: Mistakes) -> Self {
        Self { mistakes: mistakes.kept.into_iter().map(|m| (m, None)).collect(), count: mistakes.count }
    }

    /// Whether each mistake has its picture.
    pub fn is_complete(&self) -> bool {
        self.mistakes.iter().all(|(_, picture)| picture.is_some())
    }

    /// Gives the mistakes that begin with this picture their image.
    pub fn illustrate(&mut self, frame: &Frame, seen: &Observation, calibration: &Calibration) {
        let t_ms = frame.time.ms();
        let mut image: Option<Vec<u8>> = None;
        // The first picture that is not before the mistake; times in truth files are rounded.
        let due = self.mistakes.iter_mut().filter(|(m, picture)| picture.is_none() && m.from_ms <= t_ms + 0.5);
        for (_, picture) in due {
            *picture = Some(image.get_or_insert_with(|| to_jpeg(&framed(frame, seen, calibration))).clone());
        }
    }
}

/// The annotated picture, cut out around the field.
fn framed(frame: &Frame, seen: &Observation, calibration: &Calibration) -> RgbImage {
    let picture = annotated(frame, seen, calibration);
    let along = |axis: usize, size: u32| {
        let values = calibration.corners.map(|corner| corner[axis]);
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        let margin = MARGIN * (high - low) * if axis == 0 { 1.0 } else { 0.1 };
        let from = (low - margin).clamp(0.0, f64::from(size - 1)) as u32;
        let to = (high + margin).clamp(f64::from(from + 1), f64::from(size)) as u32;
        (from, to - from)
    };
    let ((x, width), (y, height)) = (along(0, picture.width()), along(1, picture.height()));
    let cut = imageops::crop_imm(&picture, x, y, width, height).to_image();
    let scale = f64::from(PICTURE_PX_MAX) / f64::from(width.max(height));
    if scale >= 1.0 {
        return cut;
    }
    let [width, height] = [width, height].map(|side| ((f64::from(side) * scale) as u32).max(1));
    imageops::resize(&cut, width, height, imageops::FilterType::Triangle)
}

fn to_jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Into memory; a picture too large for JPEG is left out.
    match JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).encode_image(picture) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}

impl Page {
    /// Writes the page.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), FileError> {
        file::save(path, self.to_html().into_string().as_bytes(), existing)
    }

    fn to_html(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "stackhand: " (self.subject) }
                    style { (PreEscaped(style::PAGE)) (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { "What was read in " (self.subject) }
                        section {
                            h2 { "The result" }
                            ul.plain {
                                @if let Some(problem) = &self.ended_early {
                                    li.bad { "The reading ended early: " (problem) }
                                }
                                @for sentence in &self.words { li { (sentence) } }
                            }
                        }
                        section { h2 { "Mistakes" } (self.mistakes()) }
                        @if let Some(score) = &self.score {
                            div.pair { (states(score)) (reliability(score)) }
                        }
                        section {
                            details {
                                summary { "All numbers, by their names in JSON" }
                                dl { @for (name, value) in &self.numbers { div { dt { (name) } dd { (value) } } } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn mistakes(&self) -> Markup {
        let Cards { mistakes, count } = &self.cards;
        html! {
            @if *count == 0 {
                p.good { "None was found." }
            } @else {
                p.soft {
                    "In the pictures, dots stand in cells that were read as full, rings in cells that were left open. In the \
                     drawings a red frame marks a difference, and brown cells were left open."
                }
            }
            @if *count > mistakes.len() {
                p.bad { "There were " (count) "; " (mistakes.len()) " of them are shown." }
            }
            @for (mistake, picture) in mistakes { (card(mistake, picture.as_deref())) }
        }
    }
}

fn card(mistake: &Mistake, picture: Option<&[u8]>) -> Markup {
    let seconds = |ms: f64| format!("{:.3} s", ms / 1000.0);
    html! {
        article {
            h3 {
                (seconds(mistake.from_ms))
                @if mistake.until_ms > mistake.from_ms { " to " (seconds(mistake.until_ms)) }
                ": " (mistake.title)
            }
            p { (mistake.words) }
            div.row {
                @if let Some(picture) = picture.filter(|bytes| !bytes.is_empty()) {
                    figure {
                        img alt="the picture with what was read in it" src={ "data:image/jpeg;base64," (BASE64.encode(picture)) };
                    }
                }
                (board(mistake.expected_name, &mistake.expected, &mistake.seen))
                (board("seen", &mistake.seen, &mistake.expected))
            }
        }
    }
}

/// A small drawing of a board; cells that differ from the other one are framed.
fn board(name: &str, cells: &[String], other: &[String]) -> Markup {
    let width = cells.iter().map(|row| row.chars().count()).max().unwrap_or(0);
    let squares = |wanted: &dyn Fn(char, Option<char>) -> bool| {
        let mut path = String::new();
        for (y, row) in cells.iter().enumerate() {
            for (x, cell) in row.chars().enumerate() {
                if wanted(cell, other.get(y).and_then(|row| row.chars().nth(x))) {
                    path += &format!("M{:.1} {:.1}h.8v.8h-.8z", x as f64 + 0.1, y as f64 + 0.1);
                }
            }
        }
        path
    };
    html! {
        @if width > 0 {
            figure {
                svg viewBox={ "0 0 " (width) " " (cells.len()) } xmlns="http://www.w3.org/2000/svg" role="img" aria-label={ "the board, " (name) } {
                    path class="full" d=(squares(&|cell, _| cell == '#')) {}
                    path class="open" d=(squares(&|cell, _| cell == '?')) {}
                    path class="differs" d=(squares(&|cell, other| other.is_some_and(|o| o != cell && o != '?' && cell != '?'))) {}
                }
                figcaption { (name) }
            }
        }
    }
}

fn states(score: &Score) -> Markup {
    html! {
        @if !score.states.is_empty() {
            section {
                h2 { "Kinds of pictures" }
                table {
                    tr { th { "what it is" } th { "pictures" } th { "taken for that" } }
                    @for state in &score.states {
                        tr { td { (name_of(state.state)) } td { (state.pictures) } td { (state.right) } }
                    }
                }
            }
        }
    }
}

/// A kind of screen in words.
fn name_of(state: ScreenState) -> String {
    let name = serde_json::to_value(state).ok().and_then(|name| name.as_str().map(|name| name.replace('_', " ")));
    name.unwrap_or_default()
}

/// What was claimed about cells, and how much of it held.
fn reliability(score: &Score) -> Markup {
    let percent = |share: f64| format!("{:.3} %", 100.0 * share);
    let table = score.reliability.table();
    html! {
        @if !table.is_empty() {
            section {
                h2 { "Claims about cells" }
                table {
                    tr { th { "claimed, on average" } th { "held" } th { "claims" } }
                    @for (claimed, held, n) in table { tr { td { (percent(claimed)) } td { (percent(held)) } td { (n) } } }
                }
            }
        }
    }
}
