//! The simulated table's cost a picture. A run of 1000 pieces films about 40 000 pictures.

use divan::{Bencher, black_box};
use image::RgbImage;
use stackhand::game::Piece;
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};

fn main() {
    divan::main();
}

/// A half-full field with a piece at `row`.
fn view(row: i8, level: u8) -> ConsoleView {
    let mut playfield = [[Tile::Empty; 10]; 20];
    for (y, cells) in playfield.iter_mut().enumerate().skip(10) {
        for (x, tile) in cells.iter_mut().enumerate() {
            *tile = [Tile::Empty, Tile::White, Tile::Light, Tile::Dark][(x * 7 + y * 5 + x * y) % 4];
        }
    }
    ConsoleView {
        screen: Screen::Game,
        playfield,
        falling: Some(([(4, row), (5, row), (6, row), (5, row + 1)], Tile::White)),
        next: Some(Piece::L),
        level,
        lines: 47,
        score: 123_456,
        top: 10_000,
        statistics: [1, 22, 13, 4, 105, 6, 7],
        flash: false,
    }
}

fn picture(view: &ConsoleView) -> Picture {
    let mut picture = Picture::new();
    draw(view, &mut picture);
    picture
}

#[divan::bench]
fn draw_picture(bencher: Bencher) {
    let view = view(4, 0);
    let mut into = Picture::new();
    bencher.bench_local(|| draw(black_box(&view), &mut into));
}

/// The usual case: from picture to picture the piece falls a row, and the exposure sees it in both places.
#[divan::bench(args = [0.0, 0.3, 1.0])]
fn expose_falling_piece(bencher: Bencher, hard: f64) {
    let pictures = [1, 2, 3, 4].map(|row| picture(&view(row, 0)));
    let mut camera = CameraModel::new(hard, 1, 30.0, DEFAULT_SIZE);
    let mut into = RgbImage::new(DEFAULT_SIZE[0], DEFAULT_SIZE[1]);
    let mut index = 0;
    bencher.bench_local(|| {
        index += 1;
        let now = index as usize % 3;
        camera.expose_into(&[(0.6, &pictures[now]), (0.4, &pictures[now + 1])], index, &mut into);
    });
}

/// The worst case: every tile changes colour, as in a white flash.
#[divan::bench(args = [0.0, 0.3, 1.0])]
fn expose_all_changed(bencher: Bencher, hard: f64) {
    let pictures = [false, true].map(|flash| picture(&ConsoleView { flash, ..view(4, 0) }));
    let mut camera = CameraModel::new(hard, 1, 30.0, DEFAULT_SIZE);
    let mut into = RgbImage::new(DEFAULT_SIZE[0], DEFAULT_SIZE[1]);
    let mut index = 0;
    bencher.bench_local(|| {
        index += 1;
        camera.expose_into(&[(1.0, &pictures[index as usize % 2])], index, &mut into);
    });
}
