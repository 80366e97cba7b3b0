//! A film of a run: the camera's picture, what is believed of it, and what was pressed, side by side.

pub mod board;
pub mod camera;
pub mod canvas;
pub mod colours;
pub mod letters;
pub mod pile;
pub mod places;
pub mod scene;
pub mod strip;
pub mod text;

use canvas::{Area, Canvas};
use image::RgbImage;
use letters::Letters;
use scene::{Moment, Scene};
use text::Title;

/// Draws the film's pictures, one after another.
pub struct Painter {
    letters: Letters,
    /// What every picture of the film has.
    ground: Canvas,
    /// What stays until the next scene.
    still: Canvas,
    shown: Canvas,
    has_presses: bool,
    log: Area,
}

impl Painter {
    /// For a film of this name, with room for the presses if there are any.
    pub fn new(title: &Title, has_presses: bool) -> Self {
        let (mut letters, mut ground) = (Letters::default(), Canvas::new(places::SIZE, colours::GROUND));
        text::draw_title(&mut ground, &mut letters, places::TITLE, title);
        Self { letters, still: ground.clone(), shown: ground.clone(), ground, has_presses, log: places::log(0) }
    }

    /// From now on this is shown.
    pub fn show(&mut self, scene: &Scene) {
        let Self { letters, still, .. } = self;
        still.image.copy_from_slice(&self.ground.image);
        let room = if self.has_presses { places::CAMERA } else { places::CAMERA_ALONE };
        camera::draw(still, letters, room, scene);
        board::draw(still, places::BOARD, scene);
        board::draw_next(still, letters, places::NEXT, scene.next);
        text::draw_numbers(still, letters, places::numbers(scene.numbers.len()), &scene.numbers);
        self.log = places::log(scene.numbers.len());
    }

    /// The picture of a moment.
    pub fn picture(&mut self, moment: &Moment) -> &RgbImage {
        let Self { letters, shown, .. } = self;
        shown.image.copy_from_slice(&self.still.image);
        text::draw_time(shown, letters, places::TITLE, moment.time_ms);
        if let Some(presses) = moment.presses {
            strip::draw(shown, letters, places::PRESSES, presses, moment.time_ms);
        }
        text::draw_log(shown, letters, self.log, moment.said);
        &shown.image
    }
}

#[cfg(test)]
mod tests {
    use super::board::Cells;
    use super::colours::Colour;
    use super::pile::Pile;
    use super::scene::{Falling, Key, Presses, Said, Span, Tone, Traces};
    use super::strip::Rows;
    use super::*;
    use crate::belief::{Event, Locked};
    use crate::game::orientation::{Orientation, Pose};
    use crate::game::{Board, Piece};
    use crate::time::HostTime;
    use std::sync::Arc;

    fn scene() -> Scene {
        let pose = |piece, x, y| Pose { x, y, orientation: Orientation::spawn(piece) };
        let mut pile = Pile::new(10, 20);
        let lock = Locked { time: HostTime(0), piece: Piece::O, pose: pose(Piece::O, 1, 18), lines: 0, intended: None };
        let mut believed = Board::new(10, 20);
        lock.pose.stamp(&mut believed);
        believed.fill(9, 19);
        pile.follow(&[Event::Locked(lock)], &believed);
        Scene {
            picture: Arc::new(RgbImage::from_pixel(320, 240, image::Rgb([10, 20, 200]))),
            traces: Traces {
                outline: vec![[100.0, 20.0], [200.0, 20.0], [200.0, 220.0], [100.0, 220.0], [100.0, 20.0]],
                unclear: vec![[[110.0, 30.0], [120.0, 30.0], [120.0, 40.0], [110.0, 40.0]]],
                falling: vec![[[150.0, 100.0], [160.0, 100.0], [160.0, 110.0], [150.0, 110.0]]],
                is_seen: true,
            },
            notice: None,
            pile,
            falling: Some(Falling { piece: Piece::T, cells: pose(Piece::T, 5, 3).cells() }),
            planned: Some(pose(Piece::T, 6, 17)),
            next: Some(Piece::I),
            numbers: vec![("pieces", "12".into())],
        }
    }

    fn presses() -> Presses {
        let span = |from_ms, to_ms, is_late| Span { from_ms, to_ms, is_late };
        let left = Key { name: "left".into(), spans: vec![span(7000.0, 8000.0, false)], missed_ms: vec![5000.0] };
        let down = Key { name: "down".into(), spans: vec![span(9000.0, f64::INFINITY, true)], missed_ms: Vec::new() };
        Presses { keys: vec![left, down], stops_ms: Vec::new() }
    }

    fn picture(presses: Option<&Presses>, said: &[Said]) -> RgbImage {
        let mut painter = Painter::new(&Title { name: "test".into(), about: String::new() }, presses.is_some());
        painter.show(&scene());
        painter.picture(&Moment { time_ms: 10_000.0, presses, said }).clone()
    }

    fn middle(picture: &RgbImage, area: Area) -> Colour {
        picture.get_pixel((area.x + area.width / 2) as u32, (area.y + area.height / 2) as u32).0
    }

    /// How many pixels of an area have exactly this colour.
    fn count(picture: &RgbImage, area: Area, colour: Colour) -> usize {
        let rows = area.y..area.bottom();
        rows.flat_map(|y| (area.x..area.right()).map(move |x| (x as u32, y as u32)))
            .filter(|&(x, y)| picture.get_pixel(x, y).0 == colour)
            .count()
    }

    #[test]
    fn each_cell_of_the_board_shows_what_is_in_it() {
        let picture = picture(None, &[]);
        let cells = Cells::within(places::BOARD, 10, 20);
        let at = |x, y| middle(&picture, cells.cell(x, y));
        assert_eq!(at(0, 18), colours::of(Piece::O));
        assert_eq!(at(9, 19), colours::UNNAMED);
        assert_eq!(at(5, 10), colours::EMPTY);
        assert_eq!(at(5, 3), colours::mixed(colours::of(Piece::T), colours::INK, 0.25));
        let ghost = cells.cell(6, 17);
        assert_eq!(middle(&picture, ghost), colours::mixed(colours::EMPTY, colours::of(Piece::T), 0.16));
        let rim = picture.get_pixel(ghost.x as u32 + 2, ghost.y as u32 + 15).0;
        assert_eq!(rim, colours::mixed(colours::EMPTY, colours::of(Piece::T), 0.8));
        // Each block but its two rims.
        assert_eq!(count(&picture, places::NEXT, colours::of(Piece::I)), 4 * 22 * 18);
    }

    #[test]
    fn the_camera_shows_its_picture_with_the_field_and_unclear_cells() {
        let picture = picture(Some(&presses()), &[]);
        // Twice as large as it came.
        let at = |x: i32, y: i32| picture.get_pixel((places::CAMERA.x + x) as u32, (places::CAMERA.y + y) as u32).0;
        assert_eq!(at(4, 4), [10, 20, 200]);
        assert_eq!(at(639, 479), [10, 20, 200]);
        assert!(at(300, 40)[1] > 120 && at(300, 46) == [10, 20, 200], "the field's upper edge: {:?}", at(300, 40));
        assert!(at(230, 60)[0] > 120 && at(230, 70) == [10, 20, 200], "an unclear cell is a thin line");
        let falling = at(310, 200);
        assert!(falling[0] > 80 && at(310, 210) == [10, 20, 200], "so is the falling piece: {falling:?}");
    }

    #[test]
    fn a_closed_button_shows_from_when_to_when_and_what_was_late_or_missed() {
        let presses = presses();
        let picture = picture(Some(&presses), &[]);
        let rows = Rows::within(places::PRESSES, 2);
        let at = |row: usize, ms: f64| {
            let area = rows.row(row);
            picture.get_pixel(rows.x(ms, 10_000.0) as u32, (area.y + area.height / 2) as u32).0
        };
        assert_eq!((at(0, 7500.0), at(0, 8500.0), at(0, 6500.0)), (colours::GOOD, colours::EMPTY, colours::EMPTY));
        assert_eq!(at(1, 9500.0), colours::mixed(colours::WARN, colours::INK, 0.35), "late, and still closed");
        let missed = at(0, 5000.0);
        assert!(missed[0] > 200 && missed[2] < 130, "a missed press is crossed: {missed:?}");
        assert!(presses.keys[1].is_closed(10_000.0) && !presses.keys[0].is_closed(10_000.0));
    }

    #[test]
    fn what_went_wrong_is_said_in_its_colour() {
        let said = |words: &str, tone| Said { t_ms: 1000.0, piece: None, words: words.into(), tone };
        let quiet = picture(None, &[said("T locks", Tone::Usual)]);
        let wrong = picture(None, &[said("T locks", Tone::Bad)]);
        assert_eq!(count(&quiet, places::log(1), colours::BAD), 0);
        assert!(count(&wrong, places::log(1), colours::BAD) > 20);
    }
}
