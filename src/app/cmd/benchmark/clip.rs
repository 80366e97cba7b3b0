//! One simulated clip: a game that a scripted player plays, filmed by a simulated camera; and the truth about it.

use super::begin::{Beginning, Start};
use crate::app::score::{TrueCells, TruePicture, TruePlace, TrueSpawn};
use crate::edge::{CameraError, FrameSource};
use crate::game::Board;
use crate::message::{Frame, ScreenState};
use crate::time::{CameraFrame, HostTime};
use crate::twin::camera::{CameraModel, DEFAULT_SIZE};
use crate::twin::effects::Effects;
use crate::twin::look::Look;
use crate::twin::picture::Picture;
use crate::twin::player::Player;
use crate::twin::table::{Exposure, Scene, Table, TableSettings};
use crate::twin::view::{ConsoleView, Screen, Tile};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;

/// Levels at which a clip's games may begin; block colours change with each.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=19;
/// Half of the clips begin this many console frames after the game's start, or fewer.
const HEAD_START_FRAMES: u32 = 2400;
/// A piece that is there from the first picture can be told from the pile if that does not reach into this many rows.
const CLEAR_ROWS: usize = 3;
/// The camera is bumped in this part of the clip.
const BUMP_PART: std::ops::Range<f64> = 0.3..0.6;
/// A bump also turns the camera by up to this many radians a pixel, and brings it nearer or further by up to such a share.
const BUMP_ROLL_PER_PX: f64 = 1.0 / 400.0;
const BUMP_ZOOM_PER_PX: f64 = 1.0 / 600.0;

/// What a clip is made from; equal settings make equal clips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipSettings {
    /// Seeds console, player and camera.
    pub seed: u64,
    /// How bad the camera is, 0–1.
    pub hard: f64,
    /// What else spoils its pictures.
    pub effects: Effects,
    /// Pictures a second.
    pub fps: f64,
    /// Length, s.
    pub seconds: f64,
    /// The camera is bumped by up to this many px of a picture 640 wide; 0 for no bump.
    pub bump_px: f64,
    /// What the first picture shows.
    pub start: Start,
}

/// The camera after a bump.
struct Bump {
    at_picture: u64,
    camera: CameraModel,
}

/// When the camera is bumped, and what that does.
#[derive(Debug, Clone, Copy)]
pub struct TrueBump {
    /// Time of the first picture after it, ms.
    pub at_ms: f64,
    /// The field's corners before, px.
    pub before: [[f64; 2]; 4],
    /// The field's corners after it, px.
    pub after: [[f64; 2]; 4],
}

/// A clip while it is filmed.
pub struct Clip {
    settings: ClipSettings,
    level: u8,
    table: Table,
    player: Player,
    /// What happens until the player plays.
    beginning: Beginning,
    camera: CameraModel,
    bump: Option<Bump>,
    next: u64,
    pieces: Option<u64>,
}

/// The truth about one picture.
pub struct Shown {
    /// Its cells and kind.
    pub picture: TruePicture,
    /// The piece of which it is the first picture.
    pub spawn: Option<TrueSpawn>,
    /// Where the field stands from this picture on, if it does so for the first time.
    pub place: Option<TruePlace>,
}

impl Clip {
    /// A clip, about to begin.
    pub fn new(settings: ClipSettings) -> Self {
        let ClipSettings { seed, hard, effects, fps, .. } = settings;
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x636c_6970);
        let level = dice.random_range(LEVELS);
        let camera = CameraModel::affected(hard, &effects, seed, fps, DEFAULT_SIZE);
        let exposure_ms = camera.exposure_ms();
        let mut table =
            Table::new(TableSettings { start_level: level, seed, fps, exposure_ms, camera_latency_ms: 0.0 });
        table = table.with_look(Look::draw_of(&effects, seed));
        let mut player = Player::new(seed);
        if dice.random_range(0..2) == 1 {
            table.play_ahead(dice.random_range(0..HEAD_START_FRAMES), |console| player.hold(console));
        }
        if let Some(rows) = effects.rows_of_garbage(seed) {
            while !table.is_falling() {
                table.play_ahead(1, |console| player.hold(console));
            }
            table.heap(rows);
        }
        let bump = (settings.bump_px > 0.0).then(|| bump(&camera, settings, &mut dice));
        let mut beginning = Beginning::draw(settings.start, seed);
        while beginning.lies_ahead() {
            table.play_ahead(1, |console| beginning.hold(console, &mut player));
        }
        Self { settings, level, table, player, beginning, camera, bump, next: 0, pieces: None }
    }

    /// The level at which its games begin.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// Pictures taken so far.
    pub fn pictures(&self) -> u64 {
        self.next
    }

    /// Where the field is in the first picture, px.
    pub fn first_corners(&self) -> [[f64; 2]; 4] {
        self.camera.corners()
    }

    /// The bump, if there is one.
    pub fn bump(&self) -> Option<TrueBump> {
        let bump = self.bump.as_ref()?;
        let (before, after) = (self.camera.corners(), bump.camera.corners());
        Some(TrueBump { at_ms: self.t_ms(bump.at_picture), before, after })
    }

    /// The next picture and the truth about it; `None` at the end.
    pub fn film(&mut self) -> Option<(Frame, Shown)> {
        let (exposure, shown) = self.play()?;
        let camera = match &mut self.bump {
            Some(bump) if bump.at_picture <= exposure.index => &mut bump.camera,
            _ => &mut self.camera,
        };
        let pictures: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(share, p)| (*share, p.as_ref())).collect();
        let image = Arc::new(camera.expose(&pictures, exposure.index));
        // Whole ms, as in the video file: the eye learns by time, and a saved clip is to be read as this one is.
        let time = HostTime::from_ms(shown.picture.t_ms.round());
        Some((Frame { index: CameraFrame(exposure.index), time, name: None, file: None, image }, shown))
    }

    /// Only the truth about the next picture, which is not taken; `None` at the end.
    pub fn skip(&mut self) -> Option<Shown> {
        self.play().map(|(_, shown)| shown)
    }

    fn t_ms(&self, index: u64) -> f64 {
        // Evenly spaced, as in the video file that the clip can be saved to.
        index as f64 * 1000.0 / self.settings.fps
    }

    fn play(&mut self) -> Option<(Exposure, Shown)> {
        if self.t_ms(self.next) >= self.settings.seconds * 1000.0 {
            return None;
        }
        let Self { table, player, beginning, .. } = self;
        let exposure = table.expose_played(|console, _| beginning.hold(console, player));
        let t_ms = self.t_ms(exposure.index);
        self.next = exposure.index + 1;
        let spawn = exposure.scenes.last().and_then(|scene| self.new_piece(t_ms, scene));
        let shown = Shown {
            picture: true_picture(t_ms, &exposure.scenes),
            // A piece that appears in the last picture may be half drawn in it, and is not seen again.
            spawn: spawn.filter(|_| self.t_ms(self.next) < self.settings.seconds * 1000.0),
            place: self.new_place(t_ms, exposure.index),
        };
        Some((exposure, shown))
    }

    fn new_piece(&mut self, t_ms: f64, scene: &Scene) -> Option<TrueSpawn> {
        let appeared = scene.appeared?;
        let is_new = match self.pieces {
            Some(before) => appeared.number > before,
            // The first one that is shown, only while it has not moved yet, and can be told from the pile.
            None => {
                let (cells, _) = scene.view.falling?;
                let is_clear = (0..CLEAR_ROWS).all(|y| appeared.board.row(y) == 0);
                let is_shown = scene.state == Some(ScreenState::Playing);
                is_shown && is_clear && cells == spawn_place(appeared.piece)
            }
        };
        self.pieces = Some(appeared.number);
        let board = TrueCells::known(appeared.board);
        is_new.then_some(TrueSpawn { t_ms, piece: appeared.piece, next: Some(appeared.next), board })
    }

    fn new_place(&self, t_ms: f64, index: u64) -> Option<TruePlace> {
        match &self.bump {
            Some(bump) if bump.at_picture == index => Some(TruePlace { from_ms: t_ms, corners: bump.camera.corners() }),
            _ => (index == 0).then(|| TruePlace { from_ms: t_ms, corners: self.camera.corners() }),
        }
    }
}

impl FrameSource for Clip {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        Ok(self.film().map(|(frame, _)| frame))
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// The camera, pushed aside at a random moment.
fn bump(camera: &CameraModel, settings: ClipSettings, dice: &mut Xoshiro256PlusPlus) -> Bump {
    let at_picture = (dice.random_range(BUMP_PART) * settings.seconds * settings.fps) as u64;
    let by_px = settings.bump_px * dice.random_range(0.25..=1.0);
    let angle = dice.random_range(0.0..std::f64::consts::TAU);
    let mut flaws = camera.flaws().clone();
    for corner in &mut flaws.corner_shift_px {
        corner[0] += by_px * angle.cos();
        corner[1] += by_px * angle.sin();
    }
    flaws.roll_rad += by_px * dice.random_range(-BUMP_ROLL_PER_PX..=BUMP_ROLL_PER_PX);
    flaws.screen_height *= 1.0 + by_px * dice.random_range(-BUMP_ZOOM_PER_PX..=BUMP_ZOOM_PER_PX);
    let ClipSettings { effects, seed, fps, .. } = settings;
    Bump { at_picture, camera: CameraModel::before(&Look::draw_of(&effects, seed), flaws, seed, fps, camera.size()) }
}

fn spawn_place(piece: crate::game::Piece) -> [(i8, i8); 4] {
    use crate::game::Control;
    Control::first(piece, crate::game::Buttons::NONE).pose.cells()
}

/// What a picture shows that blends these scenes: a cell that is full in one and empty in another may be either.
fn true_picture(t_ms: f64, scenes: &[Arc<Scene>]) -> TruePicture {
    let first = scenes.first().and_then(|scene| scene.state);
    let state = first.filter(|state| scenes.iter().all(|scene| scene.state == Some(*state)));
    let cells = scenes.iter().map(|scene| lit(scene)).reduce(|all, one| blend(all?, one?)).flatten();
    TruePicture { t_ms, state, cells }
}

/// The lit cells of one console frame; `None` where it shows no field.
fn lit(scene: &Scene) -> Option<TrueCells> {
    let view = &scene.view;
    if view.screen != Screen::Game || scene.state == Some(ScreenState::Menu) {
        return None;
    }
    let mut full = Board::default();
    for (y, row) in view.playfield.iter().enumerate() {
        row.iter().enumerate().filter(|(_, tile)| **tile != Tile::Empty).for_each(|(x, _)| full.fill(x, y));
    }
    cells_of(view).for_each(|(x, y)| full.fill(x, y));
    let mut cells = TrueCells::known(full);
    if scene.glide_px > 0 {
        // Between two rows a piece covers parts of the cells of both.
        let mut lower = full;
        cells_of(view).for_each(|(x, y)| lower.clear(x, y));
        let unmoved = cells_of(view).collect::<Vec<_>>();
        unmoved.iter().filter(|(_, y)| y + 1 < full.height()).for_each(|&(x, y)| lower.fill(x, y + 1));
        cells = blend(cells, TrueCells::known(lower))?;
    }
    Some(cells)
}

/// The falling piece's cells within the field.
fn cells_of(view: &ConsoleView) -> impl Iterator<Item = (usize, usize)> {
    let falling = view.falling.into_iter().flat_map(|(cells, _)| cells);
    falling.filter(|(x, y)| *x >= 0 && *y >= 0).map(|(x, y)| (x as usize, y as usize))
}

fn blend(a: TrueCells, b: TrueCells) -> Option<TrueCells> {
    let mut blended = a;
    for y in 0..a.full.height() {
        let differs = a.full.row(y) ^ b.full.row(y) | a.unknown.row(y) | b.unknown.row(y);
        blended.unknown.set_row(y, differs);
    }
    Some(blended)
}
