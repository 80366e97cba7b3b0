//! Finding the field again, and finding it from the side.
#![allow(clippy::unwrap_used)]

use image::RgbImage;
use stackhand::layout::Layout;
use stackhand::twin::camera::CameraModel;
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};
use stackhand::vision::geometry::distance;
use stackhand::vision::{View, refine_view};

const SIZE: [usize; 2] = [640, 480];
const FIELD: [f64; 4] = [0.0, 0.0, 10.0, 20.0];

fn pile() -> ConsoleView {
    let mut playfield = [[Tile::Empty; 10]; 20];
    playfield.iter_mut().skip(14).for_each(|row| row[2..].fill(Tile::Light));
    ConsoleView {
        screen: Screen::Game,
        playfield,
        falling: None,
        next: None,
        level: 4,
        lines: 20,
        score: 12_345,
        statistics: [3; 7],
        flash: false,
    }
}

fn filmed(camera: &mut CameraModel) -> RgbImage {
    let mut picture = Picture::new();
    draw(&pile(), &mut picture);
    camera.expose(&[(1.0, &picture)], 0)
}

#[test]
fn a_view_that_was_bumped_by_two_pixels_is_sharpened() {
    let layout = Layout::load("nes").unwrap();
    for seed in 300..312 {
        let mut camera = CameraModel::new(0.5, seed, 60.0, [640, 480]);
        let image = filmed(&mut camera);
        let (truth, k1) = (camera.corners(), camera.flaws().radial_k1);
        for (dx, dy) in [(1.4, 1.4), (-1.4, 1.4), (1.4, -1.4), (-2.0, 0.0)] {
            let bumped = truth.map(|[x, y]| [x + dx, y + dy]);
            let near = View::through(FIELD, bumped, k1, SIZE).unwrap();
            let found = refine_view(&image, &layout, &near).unwrap();
            let off = (0..4).map(|i| distance(found.corners[i], truth[i])).fold(0.0, f64::max);
            assert!(off < 1.0, "{seed}: {off:.2} px off, {found:?}");
        }
        // A view of something else is not sharpened into one of the field.
        let beside = truth.map(|[x, y]| [x - 100.0, y]);
        assert_eq!(refine_view(&image, &layout, &View::through(FIELD, beside, k1, SIZE).unwrap()), None);
    }
}
