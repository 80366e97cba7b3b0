//! The film's letters: a font of our own, drawn with a pen of any width at any size.
//!
//! Each letter is a path in a grid in which capitals reach from 0 down to 10: `M` begins a stroke, `L` draws a straight
//! line, `C` a curve with two control points.

use super::canvas::{Canvas, Mask, covered};
use super::colours::Colour;
use std::collections::HashMap;

/// Height of a capital in the paths' grid.
const GRID: f32 = 10.0;
/// From letter to letter, besides what each has of its own, in the grid.
const SPACING: f32 = 0.5;
/// Letters are put at these parts of a pixel.
const PLACES: f32 = 4.0;
/// Straight pieces of a curve.
const PIECES: usize = 10;

/// A letter's way to the next one, and its path.
type Letter = (char, f32, &'static str);

/// The letters there are; of others a box is drawn.
const LETTERS: &[Letter] = &[
    (' ', 3.4, ""),
    ('0', 7.8, "M3,0 C5.2,0 6,2 6,5 C6,8 5.2,10 3,10 C0.8,10 0,8 0,5 C0,2 0.8,0 3,0"),
    ('1', 7.8, "M0.9,2 L3.5,0 L3.5,10"),
    ('2', 7.8, "M0.3,2.6 C0.4,1 1.4,0 3,0 C4.7,0 5.8,1.1 5.8,2.7 C5.8,4 5.2,4.9 4,6 L0.2,10 L6,10"),
    (
        '3',
        7.8,
        "M0.3,1.8 C0.7,0.7 1.7,0 3,0 C4.6,0 5.6,1 5.6,2.5 C5.6,3.9 4.6,4.8 3,4.8 L2,4.8 M3,4.8 C4.8,4.8 6,5.8 6,7.3 C6,9 4.8,10 3,10 C1.5,10 0.4,9.2 0,8",
    ),
    ('4', 7.8, "M4.5,10 L4.5,0 L0,7.2 L6.2,7.2"),
    ('5', 7.8, "M5.5,0 L1,0 L0.6,4.6 C1.2,4 2.1,3.7 3,3.7 C4.8,3.7 6,5 6,6.8 C6,8.7 4.8,10 3,10 C1.5,10 0.5,9.3 0,8.2"),
    (
        '6',
        7.8,
        "M5.4,1.2 C4.9,0.4 4.1,0 3.2,0 C1.1,0 0,2.2 0,5.6 C0,8.6 1.1,10 3,10 C4.8,10 6,8.7 6,7 C6,5.2 4.8,4 3.1,4 C1.7,4 0.5,4.8 0,6.2",
    ),
    ('7', 7.8, "M0,0 L6,0 L2.2,10"),
    (
        '8',
        7.8,
        "M3,4.7 C1.5,4.7 0.5,3.8 0.5,2.4 C0.5,0.9 1.5,0 3,0 C4.5,0 5.5,0.9 5.5,2.4 C5.5,3.8 4.5,4.7 3,4.7 C1.2,4.7 0,5.7 0,7.3 C0,9 1.2,10 3,10 C4.8,10 6,9 6,7.3 C6,5.7 4.8,4.7 3,4.7",
    ),
    (
        '9',
        7.8,
        "M0.6,8.8 C1.1,9.6 1.9,10 2.8,10 C4.9,10 6,7.8 6,4.4 C6,1.4 4.9,0 3,0 C1.2,0 0,1.3 0,3 C0,4.8 1.2,6 2.9,6 C4.3,6 5.5,5.2 6,3.8",
    ),
    ('A', 8.6, "M0,10 L3.4,0 L6.8,10 M1.2,6.7 L5.6,6.7"),
    (
        'B',
        7.8,
        "M0,0 L0,10 L3.4,10 C5.1,10 6,9 6,7.3 C6,5.7 5,4.7 3.4,4.7 L0,4.7 M3.4,4.7 C4.8,4.7 5.6,3.8 5.6,2.4 C5.6,0.9 4.8,0 3.3,0 L0,0",
    ),
    ('C', 8.0, "M6.3,2.2 C5.7,0.8 4.7,0 3.4,0 C1.3,0 0,2 0,5 C0,8 1.3,10 3.4,10 C4.7,10 5.7,9.2 6.3,7.8"),
    ('D', 8.3, "M0,0 L0,10 L2.8,10 C5.1,10 6.4,8.1 6.4,5 C6.4,1.9 5.1,0 2.8,0 L0,0"),
    ('E', 7.2, "M5.4,0 L0,0 L0,10 L5.4,10 M0,4.8 L4.8,4.8"),
    ('F', 6.9, "M5.4,0 L0,0 L0,10 M0,4.9 L4.7,4.9"),
    (
        'G',
        8.4,
        "M6.2,2.1 C5.6,0.8 4.7,0 3.4,0 C1.3,0 0,2 0,5 C0,8 1.3,10 3.5,10 C5.3,10 6.4,8.7 6.4,6.2 L6.4,5.4 L3.6,5.4",
    ),
    ('H', 8.2, "M0,0 L0,10 M6.2,0 L6.2,10 M0,4.8 L6.2,4.8"),
    ('I', 2.6, "M0,0 L0,10"),
    ('J', 6.6, "M4.6,0 L4.6,7.2 C4.6,9 3.8,10 2.3,10 C1,10 0.2,9.2 0,7.8"),
    ('K', 7.6, "M0,0 L0,10 M5.6,0 L0,6.2 M2,4.2 L6,10"),
    ('L', 6.6, "M0,0 L0,10 L5.2,10"),
    ('M', 9.6, "M0,10 L0,0 L3.8,6.6 L7.6,0 L7.6,10"),
    ('N', 8.3, "M0,10 L0,0 L6.3,10 L6.3,0"),
    ('O', 9.2, "M3.7,0 C6,0 7.4,2 7.4,5 C7.4,8 6,10 3.7,10 C1.4,10 0,8 0,5 C0,2 1.4,0 3.7,0"),
    ('P', 7.5, "M0,10 L0,0 L3.4,0 C5.1,0 6,1 6,2.8 C6,4.6 5.1,5.6 3.4,5.6 L0,5.6"),
    ('Q', 9.2, "M3.7,0 C6,0 7.4,2 7.4,5 C7.4,8 6,10 3.7,10 C1.4,10 0,8 0,5 C0,2 1.4,0 3.7,0 M4.6,7.4 L7.3,10.6"),
    ('R', 7.8, "M0,10 L0,0 L3.4,0 C5.1,0 6,1 6,2.8 C6,4.6 5.1,5.6 3.4,5.6 L0,5.6 M3.2,5.6 L6.1,10"),
    (
        'S',
        7.6,
        "M5.7,1.9 C5.2,0.7 4.3,0 3,0 C1.4,0 0.4,1 0.4,2.5 C0.4,4 1.5,4.5 3.1,4.9 C4.9,5.3 6,5.9 6,7.4 C6,9 4.8,10 3.1,10 C1.6,10 0.5,9.2 0,7.9",
    ),
    ('T', 7.6, "M0,0 L6.4,0 M3.2,0 L3.2,10"),
    ('U', 8.1, "M0,0 L0,6.6 C0,8.9 1.1,10 3.1,10 C5.1,10 6.2,8.9 6.2,6.6 L6.2,0"),
    ('V', 8.2, "M0,0 L3.3,10 L6.6,0"),
    ('W', 11.2, "M0,0 L2.4,10 L4.8,1 L7.2,10 L9.6,0"),
    ('X', 7.8, "M0,0 L6.2,10 M6.2,0 L0,10"),
    ('Y', 7.8, "M0,0 L3.1,5.2 L6.2,0 M3.1,5.2 L3.1,10"),
    ('Z', 7.6, "M0.2,0 L6,0 L0,10 L6.2,10"),
    ('a', 7.2, "M5,3.4 L5,10 M5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6"),
    ('b', 7.0, "M0,0 L0,10 M0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6"),
    ('c', 6.3, "M4.7,4.5 C4.2,3.7 3.5,3.2 2.6,3.2 C1,3.2 0,4.6 0,6.6 C0,8.6 1,10 2.6,10 C3.5,10 4.2,9.5 4.7,8.7"),
    ('d', 7.2, "M5,0 L5,10 M5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6"),
    ('e', 6.8, "M0.1,6.5 L5,6.5 C5,4.6 4.1,3.2 2.6,3.2 C1,3.2 0,4.6 0,6.6 C0,8.6 1,10 2.7,10 C3.6,10 4.3,9.6 4.8,8.8"),
    ('f', 4.7, "M3.6,0.2 C2,-0.1 1.4,0.6 1.4,2 L1.4,10 M0,3.4 L3.3,3.4"),
    (
        'g',
        7.2,
        "M5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6 M5,3.4 L5,10.9 C5,12.6 4,13.2 2.6,13.2 C1.6,13.2 0.9,12.9 0.3,12.4",
    ),
    ('h', 6.9, "M0,0 L0,10 M0,6 C0.2,4.2 1.2,3.2 2.6,3.2 C4.1,3.2 4.8,4.1 4.8,5.8 L4.8,10"),
    ('i', 2.6, "M0.2,3.4 L0.2,10 M0.2,0.7 L0.2,0.9"),
    ('j', 3.3, "M1,3.4 L1,11.4 C1,12.6 0.5,13.1 -0.6,13 M1,0.7 L1,0.9"),
    ('k', 6.3, "M0,0 L0,10 M4.4,3.4 L0,7.4 M1.7,6 L4.8,10"),
    ('l', 2.6, "M0.2,0 L0.2,10"),
    (
        'm',
        10.1,
        "M0,3.4 L0,10 M0,6 C0.2,4.2 1,3.2 2.2,3.2 C3.4,3.2 4,4.1 4,5.6 L4,10 M4,6 C4.2,4.2 5,3.2 6.2,3.2 C7.4,3.2 8,4.1 8,5.6 L8,10",
    ),
    ('n', 6.9, "M0,3.4 L0,10 M0,6 C0.2,4.2 1.2,3.2 2.6,3.2 C4.1,3.2 4.8,4.1 4.8,5.8 L4.8,10"),
    ('o', 7.2, "M2.6,3.2 C4.2,3.2 5.2,4.6 5.2,6.6 C5.2,8.6 4.2,10 2.6,10 C1,10 0,8.6 0,6.6 C0,4.6 1,3.2 2.6,3.2"),
    ('p', 7.0, "M0,3.4 L0,13 M0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6"),
    ('q', 7.2, "M5,3.4 L5,13 M5,6.6 C5,8.6 4,10 2.5,10 C1,10 0,8.6 0,6.6 C0,4.6 1,3.2 2.5,3.2 C4,3.2 5,4.6 5,6.6"),
    ('r', 4.8, "M0,3.4 L0,10 M0,6 C0.3,4.2 1.3,3.1 3.2,3.4"),
    (
        's',
        6.3,
        "M4.4,4.4 C4,3.6 3.3,3.2 2.3,3.2 C1.1,3.2 0.3,3.8 0.3,4.9 C0.3,6 1.1,6.3 2.4,6.6 C3.8,6.9 4.6,7.3 4.6,8.3 C4.6,9.4 3.6,10 2.4,10 C1.3,10 0.4,9.5 0,8.6",
    ),
    ('t', 4.9, "M1.4,1 L1.4,8.2 C1.4,9.6 2,10.1 3.4,9.9 M0,3.4 L3.3,3.4"),
    ('u', 6.9, "M0,3.4 L0,7.4 C0,9.1 0.8,10 2.2,10 C3.6,10 4.6,9 4.8,7.2 M4.8,3.4 L4.8,10"),
    ('v', 6.4, "M0,3.4 L2.4,10 L4.8,3.4"),
    ('w', 9.2, "M0,3.4 L1.8,10 L3.8,3.8 L5.8,10 L7.6,3.4"),
    ('x', 6.2, "M0,3.4 L4.6,10 M4.6,3.4 L0,10"),
    ('y', 6.4, "M0,3.4 L2.5,10 M4.9,3.4 L2.2,11.4 C1.8,12.6 1.2,13.1 0.1,13"),
    ('z', 6.2, "M0.2,3.4 L4.4,3.4 L0,10 L4.6,10"),
    ('.', 2.8, "M0.3,9.8 L0.3,10"),
    (',', 2.8, "M0.5,9.7 L0.5,10.2 L0,11.6"),
    (':', 2.8, "M0.3,4.2 L0.3,4.4 M0.3,9.6 L0.3,9.8"),
    (';', 2.8, "M0.5,4.2 L0.5,4.4 M0.5,9.7 L0.5,10.2 L0,11.6"),
    ('-', 5.4, "M0.2,6.4 L3.4,6.4"),
    ('–', 6.8, "M0,6.4 L5,6.4"),
    ('_', 6.4, "M0,11 L5,11"),
    ('+', 7.2, "M0,6.2 L5.4,6.2 M2.7,3.5 L2.7,8.9"),
    ('/', 5.6, "M0,11 L4,-0.4"),
    (
        '%',
        10.0,
        "M1.8,0 C3,0 3.6,1 3.6,2.3 C3.6,3.6 3,4.6 1.8,4.6 C0.6,4.6 0,3.6 0,2.3 C0,1 0.6,0 1.8,0 M6.6,5.4 C7.8,5.4 8.4,6.4 8.4,7.7 C8.4,9 7.8,10 6.6,10 C5.4,10 4.8,9 4.8,7.7 C4.8,6.4 5.4,5.4 6.6,5.4 M7,0 L1.4,10",
    ),
    ('(', 4.0, "M2.4,-0.6 C0.8,1 0,3 0,5.4 C0,7.8 0.8,9.8 2.4,11.4"),
    (')', 4.0, "M0,-0.6 C1.6,1 2.4,3 2.4,5.4 C2.4,7.8 1.6,9.8 0,11.4"),
    ('!', 2.8, "M0.3,0 L0.3,6.8 M0.3,9.8 L0.3,10"),
    ('?', 6.6, "M0,2.2 C0.2,0.8 1.1,0 2.5,0 C4,0 4.9,0.9 4.9,2.4 C4.9,4.4 2.5,4.6 2.5,7 M2.5,9.8 L2.5,10"),
    ('\'', 2.4, "M0.2,0 L0.2,2.6"),
    ('×', 6.6, "M0,4 L4.6,8.6 M4.6,4 L0,8.6"),
    ('·', 3.0, "M0.5,5.6 L0.5,5.8"),
    ('=', 7.2, "M0,4.8 L5.4,4.8 M0,7.6 L5.4,7.6"),
    (
        '&',
        8.6,
        "M6.8,10 L1.6,3.4 C0.6,2 1.2,0 2.9,0 C4.6,0 5.1,2 3.8,3.2 L1.6,5 C-0.6,6.8 0,10 2.9,10 C5,10 6.4,8.2 6.6,5.6",
    ),
];

/// What is drawn of letters that are not there.
const BOX: Letter = ('\u{fffd}', 6.8, "M0,1 L5,1 L5,10 L0,10 L0,1");

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// A capital's height, px.
    pub capital_px: f32,
    /// The pen's width, px.
    pub pen_px: f32,
    /// Its colour.
    pub colour: Colour,
}

/// Letters that were drawn before, ready to be used again.
#[derive(Default)]
pub struct Letters {
    /// By letter, and size, pen and place within a pixel in parts of [`PLACES`].
    masks: HashMap<(char, [u16; 3]), Mask>,
}

impl Letters {
    /// Writes a line whose capitals have their upper left corner here, px; where it ends, px from the left.
    pub fn write(&mut self, canvas: &mut Canvas, text: &str, [x, y]: [i32; 2], style: Style) -> i32 {
        let mut pen = x as f32;
        for letter in text.chars().map(letter) {
            let place = (pen.fract() * PLACES) as u16;
            let key = (letter.0, [(style.capital_px * PLACES) as u16, (style.pen_px * PLACES) as u16, place]);
            let mask = self.masks.entry(key).or_insert_with(|| mask(letter, style, f32::from(place) / PLACES));
            canvas.stamp(mask, [pen as i32, y], style.colour);
            pen += (letter.1 + SPACING) * style.capital_px / GRID;
        }
        pen as i32
    }

    /// The same, ending here.
    pub fn write_left_of(&mut self, canvas: &mut Canvas, text: &str, [right, y]: [i32; 2], style: Style) {
        self.write(canvas, text, [right - width_px(text, style), y], style);
    }
}

/// How far a line reaches, px.
pub fn width_px(text: &str, style: Style) -> i32 {
    let units: f32 = text.chars().map(|c| letter(c).1 + SPACING).sum();
    // Nothing stands behind the last letter.
    (units * style.capital_px / GRID - 0.2 * style.capital_px).ceil().max(0.0) as i32
}

/// As much of a text as has room, with two dots where something is missing.
pub fn fitted(text: &str, style: Style, room_px: i32) -> String {
    if width_px(text, style) <= room_px {
        return text.into();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened =
        (0..letters.len()).rev().map(|n| letters[..n].iter().collect::<String>().trim_end().to_string() + "..");
    shortened.into_iter().find(|text| width_px(text, style) <= room_px).unwrap_or_default()
}

fn letter(wanted: char) -> Letter {
    LETTERS.iter().find(|(known, ..)| *known == wanted).copied().unwrap_or(BOX)
}

fn mask((_, advance, path): Letter, style: Style, right_px: f32) -> Mask {
    let scale = style.capital_px / GRID;
    let strokes = strokes(path, scale, right_px);
    // Accents and tails reach beyond a capital; the pen beyond the path.
    let margin = style.pen_px.ceil() as i32 + 1 + (0.1 * style.capital_px) as i32;
    let width = (advance * scale).ceil() as i32 + 2 * margin;
    let height = (1.4 * style.capital_px).ceil() as i32 + 2 * margin;
    let mut coverage = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let point = [x - margin, y - margin].map(|v| v as f32 + 0.5);
            let pairs = strokes.iter().flat_map(|stroke| stroke.windows(2));
            let most = pairs.map(|pair| covered(point, pair[0], pair[1], style.pen_px)).fold(0.0, f32::max);
            coverage.push((most * 255.0).round() as u8);
        }
    }
    Mask { offset: [-margin; 2], width, coverage }
}

/// A path as lines, px; the half pixel puts strokes on the grid of pixels.
fn strokes(path: &str, scale: f32, right_px: f32) -> Vec<Vec<[f32; 2]>> {
    let mut strokes: Vec<Vec<[f32; 2]>> = Vec::new();
    let mut controls: Vec<[f32; 2]> = Vec::new();
    for word in path.split_whitespace() {
        let number = |text: &str| text.trim_start_matches(['M', 'L', 'C']).parse::<f32>().unwrap_or_default();
        let (x, y) = word.split_once(',').map_or((0.0, 0.0), |(x, y)| (number(x), number(y)));
        let point = [x * scale + right_px + 0.5, y * scale + 0.5];
        match word.as_bytes().first() {
            Some(b'M') => strokes.push(vec![point]),
            Some(b'L') => strokes.iter_mut().last().into_iter().for_each(|stroke| stroke.push(point)),
            _ => controls.push(point),
        }
        if let (&[a, b, end], Some(stroke)) = (controls.as_slice(), strokes.last_mut()) {
            let begin = stroke.last().copied().unwrap_or(end);
            stroke.extend((1..=PIECES).map(|i| curve([begin, a, b, end], i as f32 / PIECES as f32)));
            controls.clear();
        }
    }
    strokes
}

fn curve([a, b, c, d]: [[f32; 2]; 4], t: f32) -> [f32; 2] {
    let s = 1.0 - t;
    [0, 1].map(|i| s * s * s * a[i] + 3.0 * s * s * t * b[i] + 3.0 * s * t * t * c[i] + t * t * t * d[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style { capital_px: 12.0, pen_px: 1.6, colour: [255; 3] };

    #[test]
    fn every_letter_is_there_once_and_looks_like_no_other() {
        for (i, (a, ..)) in LETTERS.iter().enumerate() {
            assert!(LETTERS[i + 1..].iter().all(|(b, ..)| a != b), "{a} twice");
        }
        for a in ('!'..='~').filter(|c| c.is_alphanumeric()) {
            assert_eq!(letter(a).0, a, "{a} is missing");
            let of = |c: char| mask(letter(c), STYLE, 0.0);
            let alike = ('!'..='~').filter(|c| c.is_alphanumeric() && *c != a && of(*c) == of(a));
            assert_eq!(alike.collect::<String>(), "", "{a}");
        }
    }

    #[test]
    fn text_stays_in_its_room() {
        let mut canvas = Canvas::new([200, 40], [0; 3]);
        let text = fitted("T locks elsewhere than planned", STYLE, 150);
        assert!(text.starts_with("T locks else") && text.ends_with(".."), "{text}");
        Letters::default().write(&mut canvas, &text, [10, 10], STYLE);
        let lit = |x: u32| (0..40).any(|y| canvas.image.get_pixel(x, y).0[0] > 60);
        assert!((10..160).any(lit) && !(0..8).any(lit) && !(163..200).any(lit));
        assert_eq!(fitted("T", STYLE, 150), "T");
    }
}
