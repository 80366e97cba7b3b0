//! The simulated camera against what it promises.

use stackhand::game::Piece;
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};

fn view(level: u8) -> ConsoleView {
    let mut playfield = [[Tile::Empty; 10]; 20];
    for (y, row) in playfield.iter_mut().enumerate().skip(12) {
        for (x, tile) in row.iter_mut().enumerate() {
            let kinds = [Tile::Empty, Tile::White, Tile::Light, Tile::Dark];
            *tile = kinds[if x == 9 { 0 } else { (x * 7 + y * 5 + x * y) % 4 }];
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
        statistics: [1, 22, 13, 4, 105, 6, 7],
        flash: false,
    }
}

fn picture(view: &ConsoleView) -> Picture {
    let mut picture = Picture::new();
    draw(view, &mut picture);
    picture
}

#[test]
#[ignore = "writes pictures to look at; set no expectations"]
fn gallery() {
    let folder = std::path::Path::new("/tmp/tw");
    std::fs::create_dir_all(folder).unwrap();
    picture(&view(0)).to_rgb().save(folder.join("console.png")).unwrap();
    for level in 0..10 {
        for hard in [0.0, 0.3, 0.5, 1.0] {
            let seed = u64::from(level) * 3 + 1;
            let mut camera = CameraModel::new(hard, seed, 30.0, DEFAULT_SIZE);
            let mut next = view(level);
            next.falling = Some(([(4, 4), (5, 4), (6, 4), (5, 5)], Tile::White));
            let shot = camera.expose(&[(0.6, &picture(&view(level))), (0.4, &picture(&next))], 5);
            shot.save(folder.join(format!("l{level}-h{hard}.png"))).unwrap();
        }
    }
}
