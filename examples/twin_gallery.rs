//! Pictures of the simulated console and of what its camera sees, to look at:
//! `cargo run --release --example twin_gallery -- FOLDER`.

use anyhow::Context;
use stackhand::game::Piece;
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};
use std::path::PathBuf;

fn main() -> anyhow::Result<()> {
    let folder: PathBuf = std::env::args().nth(1).context("name a folder for the pictures")?.into();
    std::fs::create_dir_all(&folder)?;
    picture(&view(0)).to_rgb().save(folder.join("console.png"))?;
    for level in 0..10 {
        for hard in [0.0, 0.3, 0.5, 1.0] {
            let seed = u64::from(level) * 3 + 1;
            let mut camera = CameraModel::new(hard, seed, 30.0, DEFAULT_SIZE);
            let fallen = ConsoleView { falling: Some(([(4, 4), (5, 4), (6, 4), (5, 5)], Tile::White)), ..view(level) };
            let shot = camera.expose(&[(0.6, &picture(&view(level))), (0.4, &picture(&fallen))], 5);
            shot.save(folder.join(format!("l{level}-h{hard}.png")))?;
        }
    }
    Ok(())
}

/// A game in mid-play, all tiles in it.
fn view(level: u8) -> ConsoleView {
    let mut playfield = [[Tile::Empty; 10]; 20];
    for (y, row) in playfield.iter_mut().enumerate().skip(12) {
        for (x, tile) in row.iter_mut().enumerate().take(9) {
            *tile = [Tile::Empty, Tile::White, Tile::Light, Tile::Dark][(x * 7 + y * 5 + x * y) % 4];
        }
    }
    ConsoleView {
        screen: Screen::Game,
        playfield,
        falling: Some(([(4, 3), (5, 3), (6, 3), (5, 4)], Tile::White)),
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
