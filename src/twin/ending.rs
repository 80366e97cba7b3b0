//! Pictures of the endings, all drawings of our own: a rocket on its pad, pieces that cross the sky above a town of blocks, a
//! band of little machines. Where things are and how they move is the console's.

use super::canvas::{BLACK, GREY, HEIGHT_PX, PALE, Picture, RUST, WHITE, WIDTH_PX};
use super::font::WIDE;
use super::view::EndingView;
use crate::game::machine::{Concert, Figure, Rocket, Show, Sky};

const NIGHT: u8 = 0x01;
const DUSK: u8 = 0x12;
const GRASS: u8 = 0x1A;
const DARK_GRASS: u8 = 0x0A;
const FLAME: u8 = 0x27;
const HOT: u8 = 0x38;
/// Where the ground begins.
const GROUND_Y: i32 = 208;
/// The text: rows of the console's own, where the background names them. $208E, $20B0, $20D0, $212E.
const SCORE_PX: [usize; 2] = [112, 32];
const BONUS_PX: [[usize; 2]; 2] = [[128, 40], [128, 48]];
const TOTAL_PX: [usize; 2] = [112, 72];
const LABEL_X: usize = 56;
/// Widths and heights of the five rockets, pixels.
const ROCKETS: [[i32; 2]; 5] = [[8, 22], [12, 32], [16, 46], [24, 64], [40, 88]];
/// What flies over levels 0–8: cells of four on each side, and its colour.
const FLYERS: [([u8; 2], u8); 9] = [
    ([0b1110, 0b0100], 0x24),
    ([0b1110, 0b0010], 0x38),
    ([0b1100, 0b0110], 0x2A),
    ([0b1111, 0b0000], 0x30),
    ([0b0110, 0b1100], 0x22),
    ([0b1100, 0b1100], 0x27),
    ([0b1110, 0b1000], 0x2C),
    ([0b1111, 0b1001], 0x26),
    ([0b0110, 0b1111], 0x3C),
];
/// The first of the two pictures of each, by the console's numbers.
const SPRITES: [u8; 9] = [0x2C, 0x2E, 0x54, 0x32, 0x34, 0x36, 0x4B, 0x38, 0x3A];
const FLYER_CELL: i32 = 4;
/// Colours of those who play, as long as there are.
const COATS: [u8; 8] = [0x2A, 0x22, 0x16, 0x17, 0x1A, 0x34, 0x26, 0x2C];
/// Towers of the town: left edge, width and height, pixels.
const TOWERS: [[i32; 3]; 7] =
    [[0, 24, 40], [24, 16, 64], [40, 24, 24], [176, 16, 32], [192, 24, 72], [216, 16, 48], [232, 24, 24]];

/// Draws an ending, all of it.
pub(super) fn draw(view: &EndingView, into: &mut Picture) {
    draw_land(into);
    match &view.ending.show {
        Show::Rocket(rocket) => draw_rocket(rocket, view.frame, into),
        Show::Sky(sky) => draw_sky(sky, into),
        Show::Concert(concert) => draw_concert(concert, view, into),
    }
    draw_sums(view, into);
}

/// Fills a rectangle, as much of it as is in the picture.
fn fill(into: &mut Picture, [x, y]: [i32; 2], [width, height]: [i32; 2], colour: u8) {
    let inside = |v: i32, most: usize| v.clamp(0, most as i32) as usize;
    let [left, top] = [inside(x, WIDTH_PX), inside(y, HEIGHT_PX)];
    let [right, bottom] = [inside(x + width, WIDTH_PX), inside(y + height, HEIGHT_PX)];
    into.fill([left, top], [right - left, bottom - top], colour);
}

fn draw_land(into: &mut Picture) {
    let [width, height] = [WIDTH_PX as i32, HEIGHT_PX as i32];
    fill(into, [0, 0], [width, GROUND_Y], NIGHT);
    fill(into, [0, GROUND_Y - 48], [width, 48], DUSK);
    for i in 0..48 {
        // Anywhere, but always there.
        into.fill([(i * i * 37 + i * 89 + 13) % WIDTH_PX, (i * i * i * 7 + i * 53) % 151], [1, 1], PALE);
    }
    fill(into, [0, GROUND_Y], [width, height - GROUND_Y], GRASS);
    fill(into, [0, GROUND_Y + 8], [width, height], DARK_GRASS);
}

fn draw_town(into: &mut Picture) {
    for [left, width, height] in TOWERS {
        for cell in 0..width * height / 64 {
            let at = [left + cell % (width / 8) * 8, GROUND_Y - 8 - cell / (width / 8) * 8];
            fill(into, at, [7, 7], if cell % 5 == 2 { HOT } else { GREY });
        }
    }
}

/// A flame below a place; it is longer in every other pair of frames.
fn draw_flame(into: &mut Picture, [x, y]: [i32; 2], width: i32, frame: u8) {
    let length = width * if frame & 2 == 0 { 1 } else { 2 };
    fill(into, [x, y], [width, length / 2], HOT);
    fill(into, [x + width / 4, y + length / 2], [(width / 2).max(1), length / 2], FLAME);
}

fn draw_rocket(rocket: &Rocket, frame: u8, into: &mut Picture) {
    draw_town(into);
    let [width, height] = ROCKETS[usize::from(rocket.size).min(ROCKETS.len() - 1)];
    let left = i32::from(rocket.x());
    // The pad.
    fill(into, [left - 8, GROUND_Y - 6], [width + 16, 6], GREY);
    fill(into, [left - 8, GROUND_Y - 6], [width + 16, 1], WHITE);
    fill(into, [left - 8, GROUND_Y - 46], [3, 40], RUST);
    if rocket.y == 0 {
        return;
    }
    let foot = i32::from(rocket.y) + 3;
    draw_flame(into, [left + width / 4, foot], width / 2, frame);
    let top = foot - height;
    // A nose of a quarter of its height, the body with a window, and two fins.
    let nose = height / 4;
    for row in 0..nose {
        let wide = (width * (row + 1) / nose).max(2);
        fill(into, [left + (width - wide) / 2, top + row], [wide, 1], RUST);
    }
    fill(into, [left, top + nose], [width, height - nose], WHITE);
    fill(into, [left + width - width / 4, top + nose], [width / 4, height - nose], PALE);
    fill(into, [left + width / 3, top + nose + 3], [(width / 3).max(2), (width / 3).max(2)], DUSK);
    let fin = width / 4 + 1;
    for (side, x) in [(1, left - fin), (0, left + width)] {
        for column in 0..fin {
            let lean = if side == 1 { fin - column } else { column + 1 };
            fill(into, [x + column, foot - height / 4 + lean * height / 4 / (fin + 1)], [1, height / 4], RUST);
        }
    }
}

fn draw_sky(sky: &Sky, into: &mut Picture) {
    let kind = SPRITES.iter().position(|first| sky.sprite.wrapping_sub(*first) < 2).unwrap_or_default();
    let is_second = sky.sprite != SPRITES[kind];
    for [x, y] in sky.drawn.iter().flatten() {
        draw_flyer(FLYERS[kind], [i32::from(*x), i32::from(*y)], is_second, into);
    }
    draw_town(into);
}

/// A piece; the second picture stands on its head.
fn draw_flyer((rows, colour): ([u8; 2], u8), [x, y]: [i32; 2], is_second: bool, into: &mut Picture) {
    for (row, cells) in (0..).zip(rows) {
        for column in (0..4).filter(|column| cells >> (3 - column) & 1 == 1) {
            let [column, row] = if is_second { [3 - column, 1 - row] } else { [column, row] };
            let at = [x + column * FLYER_CELL, y - 4 + row * FLYER_CELL];
            fill(into, at, [FLYER_CELL, FLYER_CELL], BLACK);
            fill(into, at, [FLYER_CELL - 1, FLYER_CELL - 1], colour);
        }
    }
}

fn draw_concert(concert: &Concert, view: &EndingView, into: &mut Picture) {
    draw_hall(into);
    for ([x, y], flies) in concert.roofs_shown() {
        let at = [i32::from(x), i32::from(y)];
        if flies {
            draw_flame(into, [at[0] + 4, at[1] + 4], 8, view.frame);
        }
        draw_roof(at, into);
    }
    concert.figures(view.frame, view.region).into_iter().for_each(|figure| draw_figure(figure, into));
}

/// What the roofs stand on.
fn draw_hall(into: &mut Picture) {
    for (x, top) in [(0x60, 0xBC), (0x70, 0xBC), (0x7E, 0xB3), (0x90, 0xB8)] {
        fill(into, [x, top + 4], [16, GROUND_Y - top - 4], GREY);
        fill(into, [x + 6, top + 10], [4, 6], BLACK);
    }
    fill(into, [0x60, GROUND_Y - 4], [0x40, 4], PALE);
}

/// A cone of steps above a place.
fn draw_roof([x, y]: [i32; 2], into: &mut Picture) {
    for row in 0..16 {
        let wide = row + 1;
        fill(into, [x + (16 - wide) / 2, y - 12 + row], [wide, 1], if row % 4 < 2 { RUST } else { FLAME });
    }
}

/// A little machine on a slab, with something to play on; the dancers have their hands free.
fn draw_figure(Figure { kind, at, pose }: Figure, into: &mut Picture) {
    let [x, y] = at.map(i32::from);
    let (coat, lift) = (COATS[usize::from(kind).min(COATS.len() - 1)], i32::from(pose));
    let slab = if kind < 6 { y + 8 } else { 0x97 + 8 };
    fill(into, [x - 4, slab], [24, 3], PALE);
    fill(into, [x + 3, y + 4], [3, 4], BLACK);
    fill(into, [x + 10, y + 4], [3, 4], BLACK);
    fill(into, [x + 2, y - 6], [12, 10], coat);
    fill(into, [x + 4, y - 13 + lift], [8, 7], PALE);
    fill(into, [x + 6, y - 11 + lift], [1, 2], BLACK);
    fill(into, [x + 9, y - 11 + lift], [1, 2], BLACK);
    if kind < 6 {
        // A beam across the body, which goes up and down with what it plays.
        fill(into, [x - 1, y - 4 + 3 * lift], [16, 2], HOT);
        fill(into, [x + 12, y - 6 + 3 * lift], [4, 6], FLAME);
    } else {
        let hand = if pose == 0 { y - 3 } else { y - 9 };
        fill(into, [x - 1, hand], [3, 3], coat);
        fill(into, [x + 14, hand], [3, 3], coat);
    }
}

fn draw_sums(view: &EndingView, into: &mut Picture) {
    let ending = &view.ending;
    let six = |bytes: [u8; 3]| bytes.map(|byte| format!("{byte:02X}")).concat();
    let mut line = |label: &str, at: [usize; 2], text: &str| {
        into.write(label, [LABEL_X, at[1]], &WIDE, PALE);
        into.write(text, at, &WIDE, WHITE);
    };
    line("SCORE", SCORE_PX, &six(ending.score));
    let Some(bonus) = ending.bonus else { return };
    for ((label, at), left) in ["LEVEL", "HEIGHT"].into_iter().zip(BONUS_PX).zip(bonus.left) {
        line(label, at, &format!("{left:02X}00"));
    }
    line("TOTAL", TOTAL_PX, &six(bonus.total));
}
