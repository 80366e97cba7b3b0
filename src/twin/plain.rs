//! The screen of other games than the console's on the simulated table: a cup on black, one colour a piece, and the next piece
//! beside it. A drawing of our own.
//!
//! The field stands where the console's does, so that what lies over a screen ([`super::look`]) lies over this one, too. On other
//! boards than the usual one cells are smaller where they have to be.

use super::font::{NARROW, WIDE};
use super::lively::Shown;
use super::picture::{CELL_PX, FIELD_PX, HEIGHT_PX, Picture, WIDTH_PX, piece_tile};
use super::view::{ConsoleView, Screen, Tile};
use crate::game::guideline;
use crate::game::simple::SimpleMachine;
use crate::game::standard::{self, Looks, Phase, Pile, Place, SIZE};
use crate::game::{Board, Pose};
use std::borrow::Cow;

/// The box left of the field, its outer edge and its size: for the next piece, or in the modern game for the held one.
const LEFT_BOX_PX: [[usize; 2]; 2] = [[22, 66], [52, 44]];
/// The modern game's boxes right of the field: for the next piece, and for those after it.
const RIGHT_BOX_PX: [[usize; 2]; 2] = [[190, 48], [52, 44]];
const LATER_BOX_PX: [[usize; 2]; 2] = [[196, 100], [40, 116]];
/// How thick a box's frame is.
const FRAME_PX: usize = 2;
/// From one of the later pieces to the one below, and along a side of their cells.
const LATER_STEP_PX: usize = 22;
const LATER_CELL_PX: usize = 6;
/// From the cells to the cup's wall, and how thick that is.
const GAP_PX: usize = 1;
const WALL_PX: usize = 6;
/// Room for the cells right of and below the field's top-left corner, the console's pixels.
const ROOM_PX: [usize; 2] = [144, 176];
/// Cells are never smaller, pixels of a picture that is as fine as it has to be for that.
const CELL_MIN_PX: usize = 2;
/// Where a word stands right of the field of the usual board, and on the left where that is wider.
const OVER_PX: [usize; 2] = [200, 124];
const OVER_LEFT_PX: [usize; 2] = [16, 196];

/// The words for a game that is lost, and for one whose goal is reached.
const OVER: &str = "OVER";
const REACHED: &str = "DONE";

// Colours by their number in the console's own scheme.
const BLACK: u8 = 0x0F;
const WHITE: u8 = 0x30;
const GREY: u8 = 0x10;
const WALL: u8 = 0x3C;
/// By [`crate::game::Piece::index`].
const COLOURS: [u8; 7] = [0x24, 0x22, 0x26, 0x38, 0x2A, 0x27, 0x2C];

/// How a board's cells are drawn in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grid {
    size: [usize; 2],
    /// Pixels of the picture along a side of one of the console's, and along a cell's with the gap beside it.
    fine: usize,
    cell_px: usize,
}

impl Grid {
    fn new(size: [usize; 2], fine: usize) -> Self {
        let side = |i: usize| ROOM_PX[i] * fine / size[i].max(1);
        Self { size, fine, cell_px: side(0).min(side(1)).min(CELL_PX * fine) }
    }

    /// The least fine one in which cells can be told apart.
    fn least(size: [usize; 2]) -> Self {
        let wide_enough = (1..).map(|fine| Self::new(size, fine)).find(|grid| grid.cell_px >= CELL_MIN_PX);
        wide_enough.unwrap_or(Self::new(size, 1))
    }

    /// The field's width and height.
    fn field_px(self) -> [usize; 2] {
        self.size.map(|cells| cells * self.cell_px)
    }

    /// The top-left pixel of a cell; `None` outside of the board.
    fn cell_px(self, (x, y): (i16, i16)) -> Option<[usize; 2]> {
        let [x, y] = [usize::try_from(x).ok()?, usize::try_from(y).ok()?];
        let [left, top] = FIELD_PX.map(|v| v * self.fine);
        (x < self.size[0] && y < self.size[1]).then_some([left + x * self.cell_px, top + y * self.cell_px])
    }

    fn draw_block(self, cell: (i16, i16), below_px: usize, colour: u8, into: &mut Picture) {
        let Some([x, y]) = self.cell_px(cell) else { return };
        into.fill_fine([x, y + below_px], [self.cell_px - self.gap_px(); 2], colour);
    }

    /// White, as thick as the gap beside it, around whatever is there; all of a cell that has no room for more.
    fn draw_outline(self, cell: (i16, i16), into: &mut Picture) {
        let Some([x, y]) = self.cell_px(cell) else { return };
        let (side, thick) = (self.cell_px - self.gap_px(), self.gap_px().max(1));
        let inside = side - thick.min(side);
        for (at, size) in [
            ([x, y], [side, thick]),
            ([x, y + inside], [side, thick]),
            ([x, y], [thick, side]),
            ([x + inside, y], [thick, side]),
        ] {
            into.fill_fine(at, size, WHITE);
        }
    }

    /// A shadow's colour: the darkest of a colour's four shades in the console's own scheme, and the next one where cells are so
    /// small that this could hardly be seen.
    fn shade(self, colour: u8) -> u8 {
        colour & 0x0F | if self.cell_px < CELL_PX * self.fine { 0x10 } else { 0 }
    }

    /// Between a block and the next; none where there is no room for it.
    fn gap_px(self) -> usize {
        if self.cell_px > CELL_MIN_PX { (self.cell_px / CELL_PX).max(1) } else { 0 }
    }
}

/// From one cell of such a board to the next, pixels of a picture that is no finer than the console's.
pub fn cell_px(size: [usize; 2]) -> usize {
    Grid::new(size, 1).cell_px
}

/// Whether right of such a board there is room for the next pieces, so that the held one can have the box left of it.
pub fn has_room_for_hold(size: [usize; 2]) -> bool {
    FIELD_PX[0] + Grid::new(size, 1).field_px()[0] + GAP_PX + WALL_PX < RIGHT_BOX_PX[0][0]
}

/// What a machine has to show.
pub struct Plain<'a> {
    /// The game's name, capital letters.
    title: &'a str,
    phase: Phase,
    /// What stands beside the field when it is over.
    over: &'static str,
    pile: Cow<'a, Pile>,
    falling: Option<Place>,
    /// Where a shadow shows that the falling piece will land.
    shadow: Option<Place>,
    /// Where outlines show that the falling piece should go.
    hint: Option<Place>,
    is_monochrome: bool,
    /// The next piece, as it appears; `None` if it is hidden.
    next: Option<Place>,
    /// What only the modern game has, and other games with hold.
    modern: Option<Modern>,
    level: u8,
    lines: u32,
    score: u64,
}

/// What only such games show: the pieces after the next one, and the held one.
#[derive(Debug, Clone, Default)]
struct Modern {
    later: Vec<Place>,
    held: Option<Place>,
    /// What is shown of the last lock down, and whether the pile is grey.
    landed: Shown,
    is_grey: bool,
}

impl<'a> Plain<'a> {
    /// What a computer with Standard Tetris shows.
    pub fn of_standard(machine: &'a standard::Machine) -> Self {
        let game = machine.game();
        Self {
            title: "STANDARD",
            phase: machine.phase(),
            over: OVER,
            pile: Cow::Borrowed(game.pile()),
            falling: game.falling(),
            shadow: game.landing().filter(|_| game.settings.looks.has_shadow),
            hint: None,
            is_monochrome: game.settings.looks.is_monochrome,
            next: game.settings.shows_next.then(|| Place::of_spawn(game.next(), SIZE[0])),
            modern: None,
            level: game.level(),
            lines: game.lines(),
            score: game.score(),
        }
    }

    /// What a machine shows whose game is described by parameters.
    pub fn of_simple(machine: &'a SimpleMachine) -> Self {
        let (settings, counters) = (machine.settings(), machine.counters());
        let later = machine.later().filter(|_| settings.next_shown).map(Place::from);
        let modern = machine.hold_key().map(|_| Modern {
            later: later.collect(),
            held: machine.aside().map(|piece| settings.movement.spawn(piece).into()),
            ..Modern::default()
        });
        Self {
            title: &settings.title,
            phase: machine.phase(),
            over: OVER,
            pile: Cow::Owned(machine.board().into()),
            falling: machine.falling().map(Place::from),
            shadow: None,
            hint: None,
            is_monochrome: false,
            next: settings.next_shown.then(|| machine.next_pose().into()),
            modern,
            level: counters.level,
            lines: counters.lines,
            score: counters.score.into(),
        }
    }

    /// What a machine with the modern game shows. A pause hides the field and the boxes.
    pub fn of_guideline(machine: &guideline::Machine) -> Self {
        let view = machine.game().view();
        let in_field = |pose: Pose| Place::from(pose.moved(0, -(guideline::SKYLINE as i8)));
        let boxed = |piece| in_field(guideline::spawn_pose(piece));
        let mut next = view.next.into_iter().map(boxed);
        Self {
            title: "MODERN",
            phase: machine.phase(),
            over: if machine.game().end() == Some(guideline::End::Completed) { REACHED } else { OVER },
            pile: Cow::Owned(view.matrix.as_ref().unwrap_or(&Board::default()).into()),
            falling: view.falling.map(in_field),
            shadow: view.ghost.map(in_field),
            hint: None,
            is_monochrome: false,
            next: next.next(),
            modern: Some(Modern { later: next.collect(), held: view.held.map(boxed), ..Modern::default() }),
            level: view.level,
            lines: view.lines,
            score: view.score,
        }
    }

    /// A picture to set up a camera by: this pile, and this piece where it appears and as the next one.
    pub fn of_reference(pile: Pile, piece: Option<Place>, level: u8, looks: Looks) -> Self {
        Self {
            title: "",
            phase: Phase::Playing,
            over: OVER,
            shadow: piece.filter(|_| looks.has_shadow).map(|piece| pile.rest_below(piece)),
            hint: None,
            is_monochrome: looks.is_monochrome,
            pile: Cow::Owned(pile),
            falling: piece,
            next: piece,
            modern: None,
            level,
            lines: 0,
            score: 0,
        }
    }

    /// The same with this of the last lock down, on a pile that is grey or not.
    #[must_use]
    pub fn lively(mut self, landed: Shown, is_grey: bool) -> Self {
        if let Some(pile) = &landed.pile {
            self.pile = Cow::Owned(pile.into());
        }
        self.modern.iter_mut().for_each(|modern| {
            modern.landed = landed.clone();
            modern.is_grey = is_grey;
        });
        self
    }

    /// The same with outlines where the falling piece should go.
    #[must_use]
    pub fn with_hint(self, hint: Option<Place>) -> Self {
        Self { hint, ..self }
    }

    /// The same in the console's words: blocks by their pieces, whatever colour these have, as far as the console's field goes.
    pub fn view(&self) -> ConsoleView {
        let screen = match self.phase {
            Phase::Menu => Screen::Menu,
            Phase::Paused => Screen::Paused,
            Phase::Playing | Phase::Over => Screen::Game,
        };
        let tile = |x, y| if self.pile.is_full(x, y) { Tile::White } else { Tile::Empty };
        ConsoleView {
            screen,
            playfield: std::array::from_fn(|y| std::array::from_fn(|x| tile(x, y))),
            falling: self
                .falling
                .and_then(Place::pose)
                .map(|pose| (pose.cells(), piece_tile(pose.orientation.piece()))),
            next: self.next.filter(|_| screen == Screen::Game).map(Place::piece),
            level: self.level,
            lines: self.lines,
            score: u32::try_from(self.score).unwrap_or(u32::MAX),
            top: 10_000,
            statistics: [0; 7],
            flash: false,
        }
    }

    /// Where the cells of the piece in the next box stand: their top-left pixels, the console's.
    pub fn next_cells_px(&self) -> Vec<[usize; 2]> {
        let next = self.next.filter(|_| matches!(self.phase, Phase::Playing | Phase::Over));
        next.map(|place| boxed_px(place, self.next_center_px(), CELL_PX).to_vec()).unwrap_or_default()
    }

    fn next_center_px(&self) -> [usize; 2] {
        center_px(if self.modern.is_some() { RIGHT_BOX_PX } else { LEFT_BOX_PX })
    }

    /// The picture for a window in which so many pixels stand along each side of one of the console's: finer where the board has
    /// too many cells for that, or where more pixels make its cells larger.
    pub fn picture(&self, zoom: usize) -> Picture {
        let least = Grid::least(self.pile.size());
        let is_shrunk = least.cell_px < CELL_PX * least.fine;
        let mut picture = Picture::finer(if is_shrunk { least.fine.max(zoom) } else { 1 });
        self.draw(0, &mut picture);
        picture
    }

    /// Draws it, a falling piece so many of the console's pixels below its row.
    pub fn draw(&self, glide_px: u8, into: &mut Picture) {
        into.fill([0, 0], [WIDTH_PX, HEIGHT_PX], BLACK);
        let level = format!("LEVEL {}", self.level);
        if self.phase == Phase::Menu {
            for (line, y) in [(self.title, 92), (level.as_str(), 112), ("PRESS START", 136)] {
                into.write(line, [(WIDTH_PX - 8 * line.len().min(16)) / 2, y], &WIDE, WHITE);
            }
            return;
        }
        let grid = Grid::new(self.pile.size(), into.fine());
        draw_cup(grid, into);
        self.draw_numbers(&level, into);
        let [width, height] = grid.field_px().map(|px| px.div_ceil(grid.fine));
        match self.phase {
            Phase::Paused => {
                let at = [FIELD_PX[0] + (width / 2).saturating_sub(20), FIELD_PX[1] + (height / 2).saturating_sub(4)];
                return into.write("PAUSE", at, &WIDE, WHITE);
            }
            Phase::Over => {
                let is_beside = FIELD_PX[0] + width + GAP_PX + WALL_PX < OVER_PX[0];
                into.write(self.over, if is_beside { OVER_PX } else { OVER_LEFT_PX }, &WIDE, WHITE);
            }
            Phase::Menu | Phase::Playing => {}
        }
        self.draw_field(grid, glide_px, into);
        if let Some(shift) = self.modern.as_ref().map(|modern| modern.landed.shift_px).filter(|shift| *shift != [0, 0])
        {
            into.shift(
                [FIELD_PX[0] - GAP_PX - WALL_PX, FIELD_PX[1]],
                [width + 2 * (GAP_PX + WALL_PX), height + GAP_PX + WALL_PX],
                shift,
            );
        }
    }

    fn draw_numbers(&self, level: &str, into: &mut Picture) {
        draw_box(LEFT_BOX_PX, into);
        into.write(if self.modern.is_some() { "HOLD" } else { "NEXT" }, [33, 52], &WIDE, WHITE);
        if self.modern.is_some() {
            draw_box(RIGHT_BOX_PX, into);
            draw_box(LATER_BOX_PX, into);
            into.write("NEXT", [200, 36], &WIDE, WHITE);
        }
        for (text, y) in
            [("LINES", 140), (&self.lines.to_string(), 150), ("SCORE", 168), (&self.score.to_string(), 178)]
        {
            into.write(text, [16, y], &WIDE, WHITE);
        }
        into.write(level, [16, 122], &WIDE, WHITE);
    }

    fn draw_field(&self, grid: Grid, glide_px: u8, into: &mut Picture) {
        // The pile keeps no colours: it is drawn in that of the row, so that rows can be told apart.
        let is_grey = self.modern.as_ref().is_some_and(|modern| modern.is_grey);
        for (x, y) in self.pile.full() {
            grid.draw_block((x as i16, y as i16), 0, if is_grey { GREY } else { self.colour(y) }, into);
        }
        for (x, y) in self.modern.iter().flat_map(|modern| &modern.landed.white) {
            grid.draw_block(((*x).into(), (*y).into()), 0, WHITE, into);
        }
        for (place, is_shadow) in
            self.shadow.map(|place| (place, true)).into_iter().chain(self.falling.map(|at| (at, false)))
        {
            let colour = self.colour(place.piece().index());
            let (below_px, colour) = if is_shadow { (0, grid.shade(colour)) } else { (glide_px, colour) };
            let below_px = usize::from(below_px) * grid.cell_px / CELL_PX;
            place.cells().into_iter().for_each(|cell| grid.draw_block(cell, below_px, colour, into));
        }
        for cell in self.hint.into_iter().flat_map(Place::cells) {
            grid.draw_outline(cell, into);
        }
        if let Some(place) = self.next {
            self.draw_boxed(place, self.next_center_px(), CELL_PX, into);
        }
        let Some(Modern { later, held, .. }) = &self.modern else { return };
        if let Some(place) = held {
            self.draw_boxed(*place, center_px(LEFT_BOX_PX), CELL_PX, into);
        }
        let [x, y] = [LATER_BOX_PX[0][0] + LATER_BOX_PX[1][0] / 2, LATER_BOX_PX[0][1] + FRAME_PX];
        for (i, place) in later.iter().enumerate() {
            self.draw_boxed(*place, [x, y + LATER_STEP_PX * i + LATER_STEP_PX / 2], LATER_CELL_PX, into);
        }
    }

    fn draw_boxed(&self, place: Place, center_px: [usize; 2], cell_px: usize, into: &mut Picture) {
        let colour = self.colour(place.piece().index());
        boxed_px(place, center_px, cell_px).into_iter().for_each(|at| into.fill(at, [cell_px - 1; 2], colour));
    }

    fn colour(&self, number: usize) -> u8 {
        if self.is_monochrome { WHITE } else { COLOURS[number % COLOURS.len()] }
    }
}

/// The top-left pixels of a piece's cells around a box's centre.
fn boxed_px(place: Place, center_px: [usize; 2], cell_px: usize) -> [[usize; 2]; 4] {
    let cells = place.orientation.cells();
    let range = |values: [i8; 4]| {
        let least = values.into_iter().min().unwrap_or(0);
        (least, values.into_iter().max().unwrap_or(0) - least + 1)
    };
    let sides = [range(cells.map(|(x, _)| x)), range(cells.map(|(_, y)| y))];
    let corner = [0, 1].map(|axis| center_px[axis] - sides[axis].1 as usize * cell_px / 2);
    cells.map(|(x, y)| [(0, x), (1, y)].map(|(axis, v)| corner[axis] + (v - sides[axis].0) as usize * cell_px))
}

fn center_px([at, size]: [[usize; 2]; 2]) -> [usize; 2] {
    [0, 1].map(|axis| at[axis] + size[axis] / 2)
}

fn draw_box([at, size]: [[usize; 2]; 2], into: &mut Picture) {
    into.fill(at, size, WALL);
    into.fill(at.map(|v| v + FRAME_PX), size.map(|v| v - 2 * FRAME_PX), BLACK);
}

/// Draws a page of text, at most 22 lines of 40 letters.
pub fn draw_page(lines: &[&str], into: &mut Picture) {
    into.fill([0, 0], [WIDTH_PX, HEIGHT_PX], BLACK);
    for (line, y) in lines.iter().zip((12..).step_by(10)) {
        into.write(line, [8, y], &NARROW, WHITE);
    }
}

fn draw_cup(grid: Grid, into: &mut Picture) {
    let [left, top] = FIELD_PX.map(|v| v * grid.fine);
    let [width, height] = grid.field_px();
    let [gap, around] = [GAP_PX, GAP_PX + WALL_PX].map(|px| px * grid.fine);
    into.fill_fine([left - around, top], [width + 2 * around, height + around], WALL);
    into.fill_fine([left - gap, top], [width + 2 * gap, height + gap], BLACK);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Buttons;
    use crate::game::Piece;
    use crate::game::standard::{Game, Machine, Settings};

    /// A machine on which the first piece has just appeared.
    fn machine(size: [usize; 2], looks: Looks) -> Machine {
        let mut machine = Machine::new(Game::new(size, Settings { looks, ..Settings::default() }, 1).unwrap());
        machine.frame(Buttons::START);
        while machine.game().falling().is_none() {
            machine.frame(Buttons::NONE);
        }
        machine
    }

    /// The colour in a cell's middle.
    fn middle(picture: &Picture, size: [usize; 2], cell: (i16, i16)) -> u8 {
        let grid = Grid::new(size, picture.fine());
        let [x, y] = grid.cell_px(cell).unwrap().map(|v| v + (grid.cell_px - grid.gap_px()) / 2);
        picture.pixels()[y * picture.size()[0] + x]
    }

    #[test]
    fn every_cell_of_any_board_is_drawn_where_it_can_be_told_from_its_neighbours() {
        for size in [[4, 4], SIZE, [16, 40], [40, 20], [10, 100], [200, 4], [200, 400]] {
            let mut chess = Pile::new(size);
            let is_lit = |x: usize, y: usize| (x + y).is_multiple_of(2);
            let cells = || (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
            cells().filter(|(x, y)| is_lit(*x, *y)).for_each(|(x, y)| chess.fill(x, y));
            for zoom in [1, 3, 8] {
                let picture = Plain::of_reference(chess.clone(), None, 1, Looks::default()).picture(zoom);
                for (x, y) in cells() {
                    let colour = middle(&picture, size, (x as i16, y as i16));
                    let expected = if is_lit(x, y) { COLOURS[y % COLOURS.len()] } else { BLACK };
                    assert_eq!(colour, expected, "{size:?} x {zoom}: {x}, {y}");
                }
                let grid = Grid::new(size, picture.fine());
                let end = grid.cell_px([size[0] - 1, size[1] - 1].map(|v| v as i16).into()).unwrap();
                let wall_px = (GAP_PX + WALL_PX) * grid.fine;
                assert!((0..2).all(|i| end[i] + grid.cell_px + wall_px <= picture.size()[i]), "{size:?} x {zoom}");
            }
        }
    }

    /// Who looks at the screen sees whether a game was lost or its goal reached.
    #[test]
    fn a_goal_that_was_reached_is_told_otherwise_than_a_game_that_was_lost() {
        let ended = |us: u64| {
            let variant = guideline::Variant::Ultra { us };
            let settings = guideline::Settings { variant, ..guideline::Settings::default() };
            let mut machine = guideline::Machine::new(settings, 1);
            machine.frame(Buttons::START);
            for frame in 0.. {
                if machine.phase() == Phase::Over {
                    break;
                }
                machine.frame(if frame % 2 == 0 { Buttons::UP } else { Buttons::NONE });
            }
            machine
        };
        let [done, lost] = [200_000, 120_000_000].map(ended);
        assert_eq!([&done, &lost].map(|machine| Plain::of_guideline(machine).over), [REACHED, OVER]);
        let unsaid = Plain { over: "", ..Plain::of_guideline(&done) }.picture(1);
        assert_ne!(Plain::of_guideline(&done).picture(1).pixels(), unsaid.pixels());
    }

    #[test]
    fn pictures_are_finer_only_where_cells_would_be_smaller_than_usual() {
        let fine = |size, zoom| Plain::of_reference(Pile::new(size), None, 1, Looks::default()).picture(zoom).fine();
        assert_eq!([fine(SIZE, 3), fine([16, 20], 3), fine([4, 4], 8)], [1; 3]);
        assert_eq!([fine([10, 40], 1), fine([10, 40], 3), fine([200, 400], 1), fine([200, 400], 6)], [1, 3, 5, 6]);
    }

    #[test]
    fn monochrome_is_one_colour() {
        // seed 004:1189.
        let colours = |is_monochrome| {
            let machine = machine(SIZE, Looks { is_monochrome, has_shadow: false });
            let mut pile = Pile::from(&Board::parse(&["##########"; 7]).unwrap());
            pile.clear(0, 0);
            let plain = Plain { pile: Cow::Owned(pile), ..Plain::of_standard(&machine) };
            let picture = plain.picture(1);
            let mut colours: Vec<u8> = picture.pixels().to_vec();
            colours.sort_unstable();
            colours.dedup();
            colours
        };
        assert_eq!(colours(true), [BLACK, WHITE, WALL]);
        assert!(COLOURS.iter().all(|colour| colours(false).contains(colour)));
    }

    #[test]
    fn a_shadow_shows_where_the_piece_will_land_and_a_hint_where_it_should() {
        for size in [SIZE, [40, 60]] {
            let [plain, shaded] =
                [false, true].map(|has_shadow| machine(size, Looks { is_monochrome: false, has_shadow }));
            let (falling, landing) = (plain.game().falling().unwrap(), plain.game().landing().unwrap());
            assert!(landing.y as usize >= size[1] - 3);
            let pictures = [&plain, &shaded].map(|machine| Plain::of_standard(machine).picture(1));
            let colour = COLOURS[falling.piece().index()];
            for (from, to) in falling.cells().into_iter().zip(landing.cells()) {
                assert_eq!(pictures.each_ref().map(|picture| middle(picture, size, from)), [colour; 2]);
                assert_eq!(
                    pictures.each_ref().map(|picture| middle(picture, size, to)),
                    [BLACK, Grid::new(size, 1).shade(colour)]
                );
            }
            let hint = landing.moved(-2, 0);
            let hinted = Plain::of_standard(&plain).with_hint(Some(hint)).picture(1);
            let grid = Grid::new(size, 1);
            for [x, y] in hint.cells().map(|cell| grid.cell_px(cell).unwrap()) {
                let at = |picture: &Picture| picture.pixels()[y * WIDTH_PX + x];
                assert_eq!((at(&pictures[0]), at(&hinted)), (BLACK, WHITE), "{size:?}");
            }
        }
        // Without a falling piece there is neither.
        let nothing = Plain::of_reference(Pile::new(SIZE), None, 1, Looks { is_monochrome: false, has_shadow: true });
        assert!(nothing.picture(1) == Plain::of_reference(Pile::new(SIZE), None, 1, Looks::default()).picture(1));
        let shades = [SIZE, [40, 60]].map(|size| Grid::new(size, 1).shade(COLOURS[Piece::O.index()]));
        assert_eq!(shades, [0x08, 0x18]);
    }
}
