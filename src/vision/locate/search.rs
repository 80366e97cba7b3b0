//! One picture's poses that might be the field, each with its evidence.

use super::cell_px;
use super::edges::{self, Edges};
use super::fit::K1_SPREAD;
use super::line::{self, Line};
use super::plane::Plane;
use super::reading::{self, Reading};
use super::refine::{self, EdgePoints};
use super::{Located, aspect, candidates, field_corners, is_upright, parts};
use crate::profile::layout::Layout;
use crate::vision::read::reader::Reader;
use crate::vision::view::View;
use crate::vision::view::geometry::{distance, middle};
use crate::vision::view::marks;
use image::RgbImage;

/// The coarse search runs on a picture at most this wide or high.
const COARSE_PX: usize = 800;
/// Lines taken of each direction.
const LINES: usize = 16;
/// Candidates that are refined.
const CANDIDATES: usize = 20;
/// The best of so many is refined to the end before the others are begun: often it leaves no doubt.
const LIKELIEST: usize = 4;
/// This many of these, the most promising, are refined to the end.
const TRIED: usize = 18;
/// Whose middle is nearer than this to that of a place beyond doubt, in cells, is not refined to the end: half a field's width.
const BESIDE_CELLS: f64 = 5.0;
/// Points on the layout's edges lie this far apart in the first steps, field units.
const ROUGH_SPACING: f64 = 1.0;
/// What lies beside a place is followed further if it shows this share of the place's edges.
const RIVAL: f64 = 0.7;
/// Reaches of the last steps, field units: the lens needs more of them than the corners do.
const FINE_REACHES: [f64; 8] = [0.15, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12];
/// Once a place is beyond doubt, others take so many of these before they are judged; the likeliest still take all.
const RIVALS_STEPS: usize = 4;
/// A refinement ends when no corner moves more than this, px.
const SETTLED_PX: f64 = 0.02;
/// Smaller pictures show no field that could be read.
const LEAST_PX: usize = 32;
/// How far a corner of the field may lie outside the picture, as a share of its size.
const OUTSIDE: f64 = 0.02;
/// Poses whose corners are all closer than this are the same place, in cells.
const SAME_CELLS: f64 = 0.3;
/// A pose so near a known place would end there too, in cells.
const NO_NEWS_CELLS: f64 = 0.08;
/// On its way a pose must come nearer to end there: it may pass a place, and parallel lines lie a pixel apart.
const SAME_END_CELLS: f64 = 0.02;
/// Of two poses at the same place the one found first stays, unless the other has so much more evidence.
const CLEARLY: f64 = 1.0;
/// Places with a smaller share of the layout's edges are not read.
const LEAST_SHARE_READ: f64 = 0.3;
/// However well it read, a place so much less likely than another would not matter.
const HOPELESS: f64 = 10.0;
/// This many places are tried a cell beside, and this often.
const HOPPERS: usize = 2;
const HOPS: usize = 2;
/// With so much evidence no other way to look at a picture would find anything else.
pub const SETTLED: f64 = 40.0;
/// This many of the likeliest are refined once more.
const POLISHED: usize = 2;
/// Most screens stand upright: log odds of a field lying on its side or upside-down.
const TURNED: f64 = -4.0;

/// A place where the field may be.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The field's corners, px.
    pub corners: [[f64; 2]; 4],
    /// What the edges say.
    pub edges: Edges,
    /// What the reader says.
    pub reading: Reading,
    /// What the cells' aspect says: log odds.
    pub aspect: f64,
    /// The pose in the full picture.
    pub view: View,
}

impl Place {
    /// Whether corners are these, to a fraction of a cell.
    pub fn is_at(&self, corners: &[[f64; 2]; 4], layout: &Layout) -> bool {
        self.is_within(corners, SAME_CELLS, layout)
    }

    fn is_within(&self, corners: &[[f64; 2]; 4], cells: f64, layout: &Layout) -> bool {
        let limit_px = cells * cell_px(&self.corners, layout);
        self.corners.iter().zip(corners).all(|(a, b)| distance(*a, *b) < limit_px)
    }

    /// All evidence.
    pub fn log_odds(&self) -> f64 {
        self.log_odds_with(self.reading.log_odds())
    }

    /// Whether no other way to look at the picture would find anything else: a game is read, and its next piece.
    fn is_beyond_doubt(&self) -> bool {
        self.reading.shows_next() && self.log_odds() > SETTLED
    }

    /// How far the middle of another pose's field is from this one's, in cells.
    pub fn cells_away(&self, pose: &View, layout: &Layout) -> f64 {
        distance(middle(&self.corners), middle(&field_corners(pose, layout))) / cell_px(&self.corners, layout)
    }

    /// All evidence, if this is what the reader says.
    pub fn log_odds_with(&self, reading: f64) -> f64 {
        let turned = if is_upright(&self.corners) { 0.0 } else { TURNED };
        let bend = self.view.k1() / K1_SPREAD;
        self.edges.log_odds + reading + self.aspect + turned - 0.5 * bend * bend
    }
}

/// The field with one of its sides moved by a cell, in all eight ways.
fn beside(corners: &[[f64; 2]; 4]) -> Vec<[[f64; 2]; 4]> {
    let mut moved = Vec::with_capacity(8);
    for side in 0..4 {
        for sign in [-1.0, 1.0] {
            let mut next = *corners;
            // Each end of the side moves along the side that ends there; a twentieth is near enough a cell.
            for (corner, opposite) in [(side, (side + 3) % 4), ((side + 1) % 4, (side + 2) % 4)] {
                let share = if side % 2 == 0 { 0.05 } else { 0.1 };
                next[corner] =
                    [0, 1].map(|i| corners[corner][i] + sign * share * (corners[corner][i] - corners[opposite][i]));
            }
            moved.push(next);
        }
    }
    moved
}

/// A picture made ready for the search.
pub struct Scene<'a> {
    image: &'a RgbImage,
    layout: &'a Layout,
    plane: Plane,
    points: EdgePoints,
    rough_points: EdgePoints,
    /// The plane at the size of the coarse search, if that is not its own.
    coarse: Option<Plane>,
    gradient: super::plane::Gradient,
    /// The least gradient of an edge.
    least_gradient: f64,
    /// The least rise of an edge, grey levels.
    rise: f64,
}

impl<'a> Scene<'a> {
    /// A scene; `None` if the picture is too small.
    pub fn new(image: &'a RgbImage, layout: &'a Layout) -> Option<Self> {
        let plane = Plane::new(image, layout.polarity);
        if plane.width < LEAST_PX || plane.height < LEAST_PX {
            return None;
        }
        let coarse = plane.shrunk(COARSE_PX);
        let gradient = coarse.as_ref().unwrap_or(&plane).gradient();
        let lengths = gradient.lengths();
        let segments = marks::segments(layout);
        Some(Self {
            image,
            layout,
            points: EdgePoints::new(&segments, refine::SPACING),
            rough_points: EdgePoints::new(&segments, ROUGH_SPACING),
            plane,
            coarse,
            gradient,
            least_gradient: lengths.least_of_edges(),
            rise: least_rise(lengths.quantile(0.5)),
        })
    }

    /// The plane of the coarse search.
    pub fn coarse(&self) -> &Plane {
        self.coarse.as_ref().unwrap_or(&self.plane)
    }

    /// All places that are worth a thought, the likeliest first: as in a sharp picture, and if that leaves doubt and it `may_bleed`,
    /// as in one in which light has bled over the edges, too.
    pub fn places(&self, may_bleed: bool) -> Vec<Place> {
        let lines = line::find(&self.gradient, self.least_gradient, LINES);
        let factor = self.plane.width as f64 / self.coarse().width as f64;
        let nearer = Course { plane: self.coarse(), points: &self.points, reaches: &[0.2, 0.15], bend: true };
        let mut finish = Finish::new(self, &nearer, factor);
        self.search(&lines, false, &mut finish);
        if may_bleed && !finish.places.first().is_some_and(Place::is_beyond_doubt) {
            self.search(&lines, true, &mut finish);
        }
        finish.places
    }

    /// Finishes what has its frame among these lines.
    fn search(&self, lines: &[Vec<Line>; 4], bleeds: bool, finish: &mut Finish) {
        let plane = self.coarse();
        let beside = if bleeds { candidates::SOFT_PX } else { candidates::SHARP_PX };
        let strong = 2.0 * self.least_gradient;
        let candidates = candidates::find(self.layout, lines, &self.gradient, strong, beside, CANDIDATES);
        let rough = Course { plane, points: &self.rough_points, reaches: &[0.8, 0.5, 0.4, 0.3, 0.2], bend: false };
        let roughly = |c: &candidates::Candidate| {
            let pose = self.refined(&rough, c.pose);
            (self.rough_points.agreement(plane, &pose, self.rise, bleeds), pose)
        };
        let (likeliest, others) = candidates.split_at(candidates.len().min(LIKELIEST));
        let mut refined: Vec<(f64, View)> = likeliest.iter().map(roughly).collect();
        refined.sort_by(most_promising);
        finish.left = TRIED;
        refined.first().into_iter().for_each(|(_, best)| finish.offer(*best));
        refined.extend(others.iter().filter(|c| !finish.is_decided(&c.pose)).map(roughly));
        finish.all(refined);
    }

    /// The same for fields too small for the search above: it takes many times as long.
    pub fn small_places(&self) -> Vec<Place> {
        let reaches = &[0.8, 0.5, 0.4, 0.3, 0.2];
        let rough = Course { plane: &self.plane, points: &self.rough_points, reaches, bend: false };
        let nearer = Course { plane: &self.plane, points: &self.points, reaches: &[0.2, 0.15], bend: true };
        let corners = parts::find(self.layout, &self.plane, CANDIDATES);
        let poses = corners.into_iter().filter_map(|corners| self.pose(corners)).map(|pose| {
            let pose = self.refined(&rough, pose);
            (self.rough_points.agreement(&self.plane, &pose, self.rise, false), pose)
        });
        let mut finish = Finish::new(self, &nearer, 1.0);
        finish.all(poses.collect());
        finish.places
    }

    /// Tries what lies a cell beside the likeliest places: a game draws parallel edges, and a fit falls for the nearest.
    fn hop(&self, places: &mut Vec<Place>) {
        places.sort_by(likelier);
        let mut starts: Vec<View> = places.iter().take(HOPPERS).map(|p| p.view).collect();
        let agreement = |pose: &View| self.rough_points.agreement(&self.plane, pose, self.rise, false);
        let usual = starts.first().map_or(0.0, agreement);
        let reaches = &[0.5, 0.5, 0.4, 0.3, 0.2];
        let course = Course { plane: &self.plane, points: &self.rough_points, reaches, bend: false };
        for _ in 0..HOPS {
            let best = places.first().map(Place::log_odds);
            for start in starts.drain(..) {
                for corners in beside(&field_corners(&start, self.layout)) {
                    let Some(pose) = self.pose(corners) else { continue };
                    let Some(pose) = self.news(&course, pose, places) else { continue };
                    if agreement(&pose) > RIVAL * usual {
                        self.offer(pose, places);
                    }
                }
            }
            let turned = places.first().map(|p| [2, 3, 0, 1].map(|i| p.corners[i]));
            turned.and_then(|corners| self.pose(corners)).into_iter().for_each(|pose| self.offer(pose, places));
            places.sort_by(likelier);
            // Further only from where it became likelier.
            let improved = places.first().filter(|p| best.is_none_or(|best| p.log_odds() > best));
            starts.extend(improved.map(|p| p.view));
        }
    }

    /// The field between these corners, px, seen through a straight lens.
    fn pose(&self, corners: [[f64; 2]; 4]) -> Option<View> {
        let [columns, rows] = [self.layout.field.columns as f64, self.layout.field.rows as f64];
        View::new([0.0, 0.0, columns, rows], corners, [self.plane.width, self.plane.height])
    }

    /// Adds the place at about this pose; of two that are the same, the clearly likelier stays.
    fn offer(&self, pose: View, places: &mut Vec<Place>) {
        let steps = if places.iter().any(Place::is_beyond_doubt) { RIVALS_STEPS } else { FINE_REACHES.len() };
        let nearly = Course { reaches: &FINE_REACHES[..steps], ..self.fine() };
        let Some(bare) = self.news(&nearly, pose, places).and_then(|pose| self.bare(pose)) else { return };
        let best = places.iter().map(Place::log_odds).fold(f64::NEG_INFINITY, f64::max);
        if bare.log_odds_with(reading::MOST) + HOPELESS < best {
            return;
        }
        let Some(place) = self.read(bare) else { return };
        match places.iter_mut().find(|known| known.is_at(&place.corners, self.layout)) {
            Some(known) if known.log_odds() + CLEARLY >= place.log_odds() => {}
            Some(known) => *known = place,
            None => places.push(place),
        }
    }

    /// The place at about this view, where it may be off by up to half a cell.
    pub fn place_near(&self, view: View) -> Option<Place> {
        self.place(self.refined(&Course { reaches: &[0.5, 0.4, 0.3, 0.2], bend: false, ..self.fine() }, view))
    }

    /// The place at about this pose, refined in the full picture.
    pub fn place(&self, pose: View) -> Option<Place> {
        self.read(self.bare(self.refined(&self.fine(), pose))?)
    }

    /// The place at this pose with the evidence of its edges; `None` if it is not in the picture.
    fn bare(&self, view: View) -> Option<Place> {
        let corners = field_corners(&view, self.layout);
        let size = [self.plane.width as f64, self.plane.height as f64];
        let is_inside = |c: &[f64; 2]| (0..2).all(|i| (-OUTSIDE * size[i]..(1.0 + OUTSIDE) * size[i]).contains(&c[i]));
        if !corners.iter().all(is_inside) {
            return None;
        }
        let edges = edges::judge(&self.plane, &view, self.layout, self.rise);
        let aspect = aspect::log_odds(&view, self.layout);
        Some(Place { corners, edges, reading: Reading::NoGame, aspect, view })
    }

    /// The place with the evidence of what is read there; `None` where nothing could be read.
    fn read(&self, bare: Place) -> Option<Place> {
        if bare.edges.share < LEAST_SHARE_READ {
            return Some(bare);
        }
        let picture = [self.image.width(), self.image.height()];
        let mut reader = Reader::through(self.layout, bare.corners, bare.view.k1(), picture).ok()?;
        let reading = Reading::of(&mut reader, self.image, self.layout);
        Some(Place { reading, ..bare })
    }

    /// The last steps, in the full picture.
    fn fine(&self) -> Course<'_> {
        Course { plane: &self.plane, points: &self.points, reaches: &FINE_REACHES, bend: true }
    }

    /// Refines a pose in steps; stops where a step fails.
    fn refined(&self, course: &Course, pose: View) -> View {
        self.refined_until(course, pose, |_| false).unwrap_or(pose)
    }

    /// Refines a pose that leads to another place than these; `None` as soon as it is so near to one of them that it
    /// would end there too.
    fn news(&self, course: &Course, pose: View, places: &[Place]) -> Option<View> {
        let is_at_any = |pose: &View, cells: f64| {
            let corners = field_corners(pose, self.layout);
            places.iter().any(|known| known.is_within(&corners, cells, self.layout))
        };
        if is_at_any(&pose, NO_NEWS_CELLS) {
            return None;
        }
        self.refined_until(course, pose, |pose| is_at_any(pose, SAME_END_CELLS))
    }

    fn refined_until(&self, course: &Course, mut pose: View, is_over: impl Fn(&View) -> bool) -> Option<View> {
        for &reach in course.reaches {
            if is_over(&pose) {
                return None;
            }
            let step = refine::step(course.plane, &pose, course.points, reach, self.rise, course.bend);
            let Some(better) = step else { break };
            let moved = pose.corners().into_iter().zip(better.corners()).map(|(a, b)| distance(a, b));
            let is_settled = moved.fold(0.0, f64::max) < SETTLED_PX;
            pose = better;
            if is_settled {
                break;
            }
        }
        Some(pose)
    }
}

/// Which of two places comes first.
fn likelier(a: &Place, b: &Place) -> std::cmp::Ordering {
    b.log_odds().total_cmp(&a.log_odds())
}

/// Which of two rough poses, each with its agreement, comes first.
fn most_promising(a: &(f64, View), b: &(f64, View)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0)
}

/// Refines rough poses to the end.
struct Finish<'a> {
    scene: &'a Scene<'a>,
    nearer: &'a Course<'a>,
    /// How many times as large the full picture is as the poses'.
    factor: f64,
    /// What was found: at the end of [`Self::all`] the likeliest first.
    places: Vec<Place>,
    tried: Vec<[[f64; 2]; 4]>,
    /// So many more may be tried.
    left: usize,
}

impl<'a> Finish<'a> {
    fn new(scene: &'a Scene, nearer: &'a Course, factor: f64) -> Self {
        Self { scene, nearer, factor, places: Vec::new(), tried: Vec::new(), left: TRIED }
    }

    /// All these, the most promising first, and what lies beside the likeliest places.
    fn all(&mut self, mut rough: Vec<(f64, View)>) {
        rough.sort_by(most_promising);
        rough.into_iter().for_each(|(_, pose)| self.offer(pose));
        self.scene.hop(&mut self.places);
        for place in self.places.iter_mut().take(POLISHED) {
            // The lens needs more steps than the corners do.
            let better = self.scene.place(place.view).filter(|p| p.log_odds() + CLEARLY > place.log_odds());
            better.into_iter().for_each(|p| *place = p);
        }
        self.places.sort_by(likelier);
    }

    /// One of them, unless it would end where another has.
    fn offer(&mut self, pose: View) {
        let is_near = |known: &[[f64; 2]; 4]| known.iter().zip(pose.corners()).all(|(a, b)| distance(*a, b) < 1.0);
        if self.left == 0 || self.tried.iter().any(is_near) || self.is_decided(&pose) {
            return;
        }
        self.left -= 1;
        self.tried.push(pose.corners());
        let pose = self.scene.refined(self.nearer, pose);
        let in_full = self.in_full(&pose);
        in_full.into_iter().for_each(|pose| self.scene.offer(pose, &mut self.places));
    }

    /// Whether a place beyond doubt is near: what lies a cell beside one is tried at the end, and only what is further away may
    /// be another game.
    fn is_decided(&self, pose: &View) -> bool {
        let Some(pose) = self.in_full(pose) else { return true };
        let is_near = |place: &Place| place.cells_away(&pose, self.scene.layout) < BESIDE_CELLS;
        self.places.iter().any(|place| place.is_beyond_doubt() && is_near(place))
    }

    fn in_full(&self, pose: &View) -> Option<View> {
        pose.scaled(self.factor, [self.scene.plane.width, self.scene.plane.height])
    }
}

/// How a pose is refined.
struct Course<'a> {
    plane: &'a Plane,
    points: &'a EdgePoints,
    /// How far edges are sought in each step, field units.
    reaches: &'a [f64],
    /// Whether the lens may bend.
    bend: bool,
}

/// The share of the layout's edges that a view keeps when it is only sharpened.
const LEAST_SHARE_KEPT: f64 = 0.5;
/// Reaches of the steps that sharpen a view, field units.
const NEAR_REACHES: [f64; 4] = [0.25, 0.18, 0.12, 0.12];

/// A view that is nearly right, sharpened; see [`super::refine_view`].
pub fn refine_near(image: &RgbImage, layout: &Layout, view: &View) -> Option<Located> {
    if layout.locate.frames.is_empty() || image.width().min(image.height()) < LEAST_PX as u32 {
        return None;
    }
    let plane = Plane::new(image, layout.polarity);
    let least = least_rise(plane.usual_gradient());
    let points = EdgePoints::new(&marks::segments(layout), refine::SPACING);
    let mut steps = NEAR_REACHES.iter();
    let pose = steps.try_fold(*view, |pose, &reach| refine::step(&plane, &pose, &points, reach, least, true))?;
    let edges = edges::judge(&plane, &pose, layout, least);
    let corners = field_corners(&pose, layout);
    (edges.share >= LEAST_SHARE_KEPT).then_some(Located {
        corners,
        k1: pose.k1(),
        error_px: edges.error_px,
        log_odds: edges.log_odds,
        is_reversed: layout.is_reversed,
        // Nothing was read.
        shows_play: false,
    })
}

/// The least rise of an edge, grey levels, where this is the median gradient. (A Sobel gradient is eight times the
/// slope; the refinement's rise spans about three pixels.)
fn least_rise(noise: f64) -> f64 {
    (noise / 4.0).max(3.0)
}
