//! Finding and reading the game in real captures of the console (not part of this repository; skipped where absent).
#![allow(clippy::unwrap_used)]

use crate::support::{fixtures, frame_of};
use stackhand::game::Piece;
use stackhand::message::ScreenState;
use stackhand::profile::layout::Layout;
use stackhand::vision::locate;
use stackhand::vision::read::Reader;

#[test]
fn captures_are_found_and_read() {
    let Some(folder) = fixtures("nestrischamps") else {
        return;
    };
    let layout = Layout::load("nes").unwrap();
    // Measured by eye at pixel zoom: cells are 17.9 × 16 px.
    let truth = [[252.2, 96.0], [431.0, 96.0], [431.0, 416.0], [252.2, 416.0]];
    for (name, spawn, next) in [("classic_1.png", None, Piece::S), ("das_trainer_1.png", Some(Piece::I), Piece::T)] {
        let frame = frame_of(image::open(folder.join(name)).unwrap().to_rgb8());
        let found = locate(&frame.image, &layout).unwrap();
        for (corner, truth) in found.corners.iter().zip(truth) {
            assert!((corner[0] - truth[0]).hypot(corner[1] - truth[1]) < 2.0, "{name}: {found:?}");
        }
        println!("{name}: {found:?}");
        let mut reader = Reader::new(&layout, found.corners, [640, 480]).unwrap();
        let seen = reader.read(&frame);
        let picture = seen.grid.to_lines().join("\n");
        assert_eq!(seen.state, ScreenState::Playing, "{name}");
        assert_eq!(seen.spawn.piece(), spawn, "{name}: {:?}\n{picture}", seen.spawn);
        assert_eq!(seen.next.piece(), Some(next), "{name}: {:?}", seen.next);
        let row = if spawn.is_some() { 0 } else { 7 };
        let expected: Vec<String> =
            (0..20).map(|y| if y == row { "...####..." } else { ".........." }.into()).collect();
        assert_eq!(seen.grid.to_lines(), expected, "{name}:\n{picture}");
    }
}
