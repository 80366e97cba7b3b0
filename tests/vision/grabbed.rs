//! Pictures that no camera took: a screen that fills the picture, lines that were never doubled, pixels of any shape.
#![allow(clippy::unwrap_used)]

use crate::support::frame_of;
use crate::support::grab::Grab;
use stackhand::message::ScreenState;
use stackhand::profile::layout::Layout;
use stackhand::vision::locate;
use stackhand::vision::locate::cell_px;
use stackhand::vision::read::Reader;
use stackhand::vision::view::geometry::distance;

/// What became of some pictures.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    found: usize,
    /// A corner is more than a third of a cell off.
    wrong: usize,
    refused: usize,
    /// Found, but not read as a game with a next piece.
    unread: usize,
}

impl Tally {
    fn look(&mut self, grab: &Grab, layout: &Layout) {
        let Ok(place) = locate(&grab.image, layout) else {
            self.refused += 1;
            return;
        };
        let off_px = (0..4).map(|i| distance(place.corners[i], grab.corners[i])).fold(0.0, f64::max);
        if off_px > cell_px(&grab.corners, layout) / 3.0 {
            self.wrong += 1;
            return;
        }
        self.found += 1;
        let size = [grab.image.width(), grab.image.height()];
        let seen = Reader::through(layout, place.corners, place.k1, size).unwrap().read(&frame_of(grab.image.clone()));
        self.unread += usize::from(seen.state != ScreenState::Playing || seen.next.piece().is_none());
    }
}

/// The whole screen and nothing else, this many times as wide and as high, or cut at what the layout describes.
fn tally(layout: &str, stretches: &[[f64; 2]], around: f64) -> Tally {
    let layout = Layout::load(layout).unwrap();
    let mut tally = Tally::default();
    for [wide, high] in stretches {
        for seed in 30..36 {
            let Some(grab) = Grab::new(&layout, seed) else { continue };
            let cut = grab.cut(&layout, around);
            let size = [f64::from(cut.image.width()) * wide, f64::from(cut.image.height()) * high].map(|v| v as u32);
            tally.look(&cut.sized(size, seed % 2 == 0).noisy(seed, (seed % 4) as f64), &layout);
        }
    }
    println!("{} {around} cells around: {tally:?}", layout.name);
    tally
}

#[test]
fn a_console_that_fills_the_picture_is_found() {
    let tally = tally("nes", &[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], 100.0);
    assert_eq!(tally, Tally { found: 18, ..Tally::default() });
}

#[test]
fn lines_that_were_never_doubled_are_found() {
    // 720 × 240 and 720 × 288, and half as wide as usual.
    let tally = tally("nes", &[[2.8125, 1.0715], [2.8125, 1.286], [1.0, 2.0]], 100.0);
    assert_eq!(tally, Tally { found: 18, ..Tally::default() });
}

#[test]
fn a_console_cut_at_its_frames_is_found() {
    let tally = tally("nes", &[[1.0, 1.0], [2.0, 2.0], [2.8, 1.3]], 0.0);
    assert!(tally.found >= 12 && tally.wrong == 0 && tally.unread == 0, "{tally:?}");
}

#[test]
fn a_handheld_that_fills_the_picture_is_found() {
    let tally = tally("gameboy", &[[2.0, 2.0], [3.0, 3.0]], 0.0);
    assert!(tally.found >= 9 && tally.wrong == 0 && tally.unread == 0, "{tally:?}");
}

#[test]
fn a_field_that_is_cut_off_is_refused_and_not_guessed() {
    let mut guessed = Vec::new();
    for name in ["nes", "gameboy"] {
        let layout = Layout::load(name).unwrap();
        for seed in 42..46 {
            let grab = Grab::new(&layout, seed).unwrap();
            let size = [2 * grab.image.width(), 2 * grab.image.height()];
            let grab = grab.sized(size, seed % 2 == 0);
            let [width, height] = size.map(f64::from);
            let middle = [0, 1].map(|i| (grab.corners[0][i] + grab.corners[2][i]) / 2.0);
            let parts = [
                [middle[0], 0.0, width, height],
                [0.0, 0.0, middle[0], height],
                [0.0, middle[1], width, height],
                [0.0, 0.0, width, middle[1]],
            ];
            for part in parts {
                let refused = locate(&grab.part(part).image, &layout);
                guessed.extend(refused.ok().map(|place| format!("{name} {seed} {part:.0?}: {place:?}")));
            }
        }
    }
    assert!(guessed.is_empty(), "{} of 32: {guessed:#?}", guessed.len());
}
