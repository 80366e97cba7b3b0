//! The pure step from pictures to commands, on the simulated console's pictures and a clock written by hand.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::driven::Driven;
use stackhand::belief::{Event, Surprise};
use stackhand::game::nes::Console;
use stackhand::game::{Board, Buttons, Piece};
use stackhand::message::{CellGrid, Frame, Observation, RelayMask, ScreenState, Sighting};
use stackhand::planner::Filters;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::{Decision, Input, Look, Notice, OnBlame, Output, Robot, Settings, Why};
use stackhand::schedule::Finger;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::{picture, table};
use std::sync::Arc;

const PICTURE_MS: f64 = 1000.0 / 30.0;

/// A console that nobody plays, a flawless camera, and the robot before it.
struct Bench {
    console: Console,
    camera: CameraModel,
    robot: Robot,
    pictures: u64,
    /// The screen stands still, whatever the game is.
    is_frozen: bool,
    /// Light lies on the lowest cell on the left.
    is_lit: bool,
    told: Vec<Notice>,
}

impl Bench {
    fn new() -> Self {
        let camera = CameraModel::new(0.0, 1, 30.0, DEFAULT_SIZE);
        let layout = Layout::load("nes").unwrap();
        let calibration = Calibration::new("nes", DEFAULT_SIZE, camera.corners(), 0.0);
        let settings = Settings {
            finger: Finger::RELAY,
            start_level: 0,
            wire: stackhand::profile::wire::Wire::at_once(6.25),
            lead_ms: 8.0,
            restart: true,
            drops_unseen: false,
            filters: Filters::default(),
            blame: OnBlame::Pause,
        };
        let robot = Robot::new(&layout, &calibration, settings).unwrap();
        let mut console = Console::new(0, 1000);
        console.frame(Buttons::START);
        Self { console, camera, robot, pictures: 0, is_frozen: false, is_lit: false, told: Vec::new() }
    }

    fn now(&self) -> HostTime {
        HostTime::from_ms(self.pictures as f64 * PICTURE_MS)
    }

    /// Two console frames, one picture of the second; what became certain with it.
    fn look(&mut self) -> Vec<Event> {
        self.see().events
    }

    /// Why pieces were told adrift in this many pictures.
    fn adrift(&mut self, pictures: usize) -> Vec<Why> {
        let told: Vec<Notice> = (0..pictures).flat_map(|_| self.see().told).collect();
        let why = told.into_iter().filter_map(|told| match told {
            Notice::Adrift { why, .. } => Some(why),
            _ => None,
        });
        why.collect()
    }

    fn see(&mut self) -> Look {
        (0..if self.is_frozen { 0 } else { 2 }).for_each(|_| {
            self.console.frame(Buttons::NONE);
        });
        self.pictures += 1;
        let mut shown = picture::Picture::new();
        picture::draw(&table::view(&self.console), &mut shown);
        let mut image = self.camera.expose(&[(1.0, &shown)], self.pictures);
        if self.is_lit {
            let [[left, top], _, [right, bottom], _] = self.camera.corners();
            let [width, height] = [(right - left) / 10.0, (bottom - top) / 20.0];
            let (x, y) = (left as u32 + 1, (bottom - height) as u32 + 1);
            let light = image::RgbImage::from_pixel(width as u32 - 2, height as u32 - 2, image::Rgb([230; 3]));
            image::imageops::replace(&mut image, &light, i64::from(x), i64::from(y));
        }
        let image = Arc::new(image);
        let frame = Frame { index: CameraFrame(self.pictures), time: self.now(), name: None, file: None, image };
        let look = self.robot.look(&frame);
        self.told.extend(look.told.iter().cloned());
        look
    }

    /// Looks until a piece is known to have appeared.
    fn until_spawn(&mut self) {
        let spawned = (0..60).any(|_| self.look().iter().any(|e| matches!(e, Event::Spawned(_))));
        assert!(spawned && self.robot.has_to_decide(self.now()));
    }
}

#[test]
fn a_new_piece_is_decided_once_and_every_press_is_let_go() {
    let mut bench = Bench::new();
    bench.until_spawn();
    let now = bench.now();
    let decision = bench.robot.decide(now).unwrap();
    assert!(decision.plan.is_some());
    assert!(decision.commands.first().unwrap().due >= now);
    assert_eq!(decision.commands.last().unwrap().mask, RelayMask(0));
    assert!(!bench.robot.has_to_decide(now) && bench.robot.decide(now).is_none());
}

#[test]
fn a_decision_that_was_ready_too_late_is_made_again_for_later() {
    let mut bench = Bench::new();
    bench.until_spawn();
    let now = bench.now();
    let first = bench.robot.propose(now).unwrap();
    // It was not sent, so nothing has changed, as often as it takes.
    let second = bench.robot.propose(now.plus_ms(30.0)).unwrap();
    let due = |d: &stackhand::robot::Decision| d.commands.first().unwrap().due;
    assert_eq!(due(&second), due(&first).plus_ms(30.0));
    assert!(bench.robot.has_to_decide(now.plus_ms(30.0)));
    let third = bench.robot.decide(now).unwrap();
    assert_eq!(due(&third), due(&first));
    assert!(!bench.robot.has_to_decide(now));
}

#[test]
fn after_a_lost_press_the_piece_is_planned_again_once_all_presses_must_show() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    bench.robot.handle(Input::CalledOff(bench.now()));
    assert!(!bench.robot.has_to_decide(bench.now()), "what was pressed cannot be seen yet");
    let eye = Calibration::new("nes", DEFAULT_SIZE, bench.camera.corners(), 0.0).timing.eye;
    let wait = ((eye.ms + eye.spread_ms) / PICTURE_MS).ceil() as usize;
    (0..wait).for_each(|_| drop(bench.look()));
    assert!(bench.robot.has_to_decide(bench.now()));
    let again = bench.robot.decide(bench.now()).unwrap();
    assert!(again.plan.is_some() && !again.commands.is_empty());
}

#[test]
fn light_that_falls_on_a_cell_is_told_and_changes_no_plan() {
    // How often it was told, whether there was something to decide after each picture, and how many other events there were.
    let run = |is_lit: bool| {
        let mut bench = Bench::new();
        bench.until_spawn();
        bench.robot.decide(bench.now()).unwrap();
        bench.is_lit = is_lit;
        let (mut told, mut others, mut open) = (0, 0, Vec::new());
        for _ in 0..45 {
            for event in bench.look() {
                let is_told = matches!(event, Event::Surprise(Surprise::Impossible { .. }, _));
                (told, others) = (told + u32::from(is_told), others + u32::from(!is_told));
            }
            open.push(bench.robot.has_to_decide(bench.now()));
        }
        (told, others, open)
    };
    let (lit, unlit) = (run(true), run(false));
    assert_eq!([lit.0, unlit.0], [1, 0]);
    assert_eq!((lit.1, lit.2), (unlit.1, unlit.2));
}

/// All that is decided in this many pictures.
fn decided(bench: &mut Bench, pictures: usize) -> Vec<Decision> {
    let mut decided = Vec::new();
    for _ in 0..pictures {
        bench.look();
        let now = bench.now();
        decided.extend(bench.robot.has_to_decide(now).then(|| bench.robot.decide(now)).flatten());
    }
    decided
}

fn presses_start(decided: &[Decision]) -> bool {
    decided.iter().flat_map(|decision| &decision.commands).any(|command| command.mask.0 & 1 << 4 != 0)
}

fn waits(told: &[Notice]) -> Vec<&str> {
    told.iter().filter(|told| matches!(told, Notice::Waiting { .. })).filter_map(|t| Some(t.said()?.1)).collect()
}

#[test]
fn a_persons_pause_is_told_once_and_never_ended() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    bench.console.frame(Buttons::START);
    // Two minutes.
    assert!(!presses_start(&decided(&mut bench, 3600)));
    let told = waits(&bench.told);
    assert!(told.len() == 1 && told[0].contains("the picture shows a pause"), "{told:?}");
    bench.console.frame(Buttons::START);
    let after = decided(&mut bench, 60);
    assert!(matches!(bench.told.last(), Some(Notice::Resumed { .. })), "{:?}", bench.told);
    assert!(after.iter().any(|decision| decision.plan.is_some()), "the piece is planned again");
    assert!(!presses_start(&after));
}

#[test]
fn a_game_that_freezes_in_full_view_is_waited_for_while_its_piece_can_fall() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    (0..60).for_each(|_| drop(bench.look()));
    bench.is_frozen = true;
    assert!(!presses_start(&decided(&mut bench, 1800)));
    let told = waits(&bench.told);
    assert!(told.len() == 1 && told[0].contains("in mid-air"), "{told:?}");
}

#[test]
fn a_game_that_ends_without_a_curtain_is_begun_anew() {
    let mut bench = Bench::new();
    // All but one column, up to just below the place where pieces appear.
    for y in 2..20 {
        for x in 0..9 {
            bench.console.board.fill(x, y);
            bench.console.blocks[y][x] = Some(Piece::J);
            bench.console.shown[y][x] = Some(Piece::J);
        }
    }
    bench.until_spawn();
    bench.robot.decide(bench.now());
    bench.is_frozen = true;
    assert!(presses_start(&decided(&mut bench, 1200)), "{:?}", bench.told);
    assert_eq!(waits(&bench.told), [""; 0]);
}

#[test]
fn after_a_long_pause_by_a_person_the_game_is_not_taken_for_over() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    bench.console.frame(Buttons::START);
    (0..1200).for_each(|_| drop(bench.look()));
    bench.console.frame(Buttons::START);
    bench.robot.handle(Input::GoOn(bench.now()));
    let decided: Vec<_> = (0..12)
        .filter_map(|_| {
            bench.look();
            bench.robot.has_to_decide(bench.now()).then(|| bench.robot.decide(bench.now())).flatten()
        })
        .collect();
    assert!(decided.iter().any(|decision| decision.plan.is_some()), "the piece is planned again");
    assert!(decided.iter().flat_map(|decision| &decision.commands).all(|command| command.mask.0 & 1 << 4 == 0));
}

#[test]
fn a_piece_that_falls_while_the_hand_is_held_back_is_not_misplaced() {
    let intended = |is_held: bool| {
        let mut bench = Bench::new();
        bench.until_spawn();
        bench.robot.decide(bench.now()).unwrap();
        // Nobody presses, so the piece comes down in the middle.
        (0..1200).find_map(|_| {
            if is_held {
                bench.robot.handle(Input::Held);
            }
            bench.look().iter().find_map(|event| match event {
                Event::Locked(locked) => Some(locked.intended),
                _ => None,
            })
        })
    };
    assert_eq!((intended(true), intended(false)), (Some(None), Some(Some(false))));
}

#[test]
fn a_piece_that_nobody_decides_about_is_told_once() {
    let mut bench = Bench::new();
    bench.until_spawn();
    assert_eq!(bench.adrift(12), [], "not before half a second has passed");
    assert_eq!(bench.adrift(12), [Why::Undecided]);
    assert_eq!(bench.adrift(60), []);
    assert!(bench.robot.is_adrift());
    assert!(bench.robot.decide(bench.now()).is_some_and(|decision| decision.plan.is_some()));
    assert!(!bench.robot.is_adrift());
}

#[test]
fn a_piece_that_is_planned_or_in_a_persons_hand_is_not_told() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    assert_eq!(bench.adrift(24), []);
    let mut held = Bench::new();
    held.until_spawn();
    let told: Vec<Why> = (0..60)
        .flat_map(|_| {
            held.robot.handle(Input::Held);
            held.adrift(1)
        })
        .collect();
    assert_eq!(told, []);
}

#[test]
fn a_piece_whose_presses_were_called_off_is_told_unless_it_is_planned_again() {
    for is_planned_again in [false, true] {
        let mut bench = Bench::new();
        bench.until_spawn();
        bench.robot.decide(bench.now()).unwrap();
        bench.robot.handle(Input::CalledOff(bench.now()));
        let told: Vec<Why> = (0..24)
            .flat_map(|_| {
                let told = bench.adrift(1);
                if is_planned_again && bench.robot.has_to_decide(bench.now()) {
                    bench.robot.decide(bench.now());
                }
                told
            })
            .collect();
        let expect: &[Why] = if is_planned_again { &[] } else { &[Why::CalledOff] };
        assert_eq!(told, expect, "planned again: {is_planned_again}");
    }
}

/// Nothing that was pressed reaches the game, so by the robot's reckoning the piece should lie at the bottom.
#[test]
fn a_piece_that_should_have_come_down_and_has_not_is_planned_again() {
    let mut bench = Bench::new();
    bench.until_spawn();
    bench.robot.decide(bench.now()).unwrap();
    let plans = (0..120).filter(|_| {
        bench.look();
        let decision = bench.robot.has_to_decide(bench.now()).then(|| bench.robot.decide(bench.now())).flatten();
        decision.is_some_and(|decision| decision.plan.is_some() && !decision.commands.is_empty())
    });
    assert!(plans.count() >= 2, "again and again");
}

/// A modern game whose last piece could not come into the field: it lies above, where nobody sees it, though there is room for it
/// one row below the place where it appeared.
#[test]
fn a_game_whose_next_piece_cannot_come_in_from_above_is_over_and_no_pause() {
    let layout = Layout::load("guideline").unwrap();
    let calibration =
        Calibration::new("guideline", DEFAULT_SIZE, [[0.0, 0.0], [200.0, 0.0], [200.0, 400.0], [0.0, 400.0]], 0.0);
    let settings = Settings {
        finger: Finger::RELAY,
        start_level: 15,
        wire: stackhand::profile::wire::Wire::at_once(6.25),
        lead_ms: 8.0,
        restart: true,
        drops_unseen: false,
        filters: Filters::default(),
        blame: OnBlame::Tell,
    };
    let movement = layout.movement().unwrap();
    let mut pile = Board::default();
    (2..20).flat_map(|y| (0..9).map(move |x| (x, y))).for_each(|(x, y)| pile.fill(x, y));
    let comes = movement.begins_above(Piece::S).unwrap();
    // One column nearer to the wall than it came: its upper row ends where a T's lower one begins.
    let rests = comes.moved(-2, 1);
    for (rests, is_over) in [(rests, true), (rests.moved(-1, 0), false)] {
        let mut robot = Robot::new(&layout, &calibration, settings).unwrap();
        let (mut told, mut starts) = (Vec::new(), 0);
        for picture in 0..900u64 {
            let (pose, next) = match picture {
                0..10 => (None, Piece::S),
                10..20 => (Some(comes), Piece::T),
                _ => (Some(rests), Piece::T),
            };
            let mut shown = pile;
            pose.iter().for_each(|pose| pose.stamp(&mut shown));
            let cells = (0..200).map(|cell| if shown.is_full(cell % 10, cell / 10) { 1.0 } else { 0.0 }).collect();
            let time = HostTime::from_ms(picture as f64 * PICTURE_MS);
            let outputs = robot.handle(Input::Observation(Observation {
                frame: CameraFrame(picture),
                time,
                grid: CellGrid::new(10, 20, cells).unwrap(),
                spawn: Sighting::Empty(1.0),
                next: Sighting::Piece(next, 1.0),
                queue: Vec::new(),
                hold: Sighting::Empty(1.0),
                state: ScreenState::Playing,
            }));
            told.extend(outputs.into_iter().flat_map(|output| match output {
                Output::Look(look) => look.told,
                _ => Vec::new(),
            }));
            let decision = robot.has_to_decide(time).then(|| robot.decide(time)).flatten();
            starts += decision.map_or(0, |decision| usize::from(presses_start(&[decision])));
        }
        assert_eq!((starts > 0, waits(&told).is_empty()), (is_over, is_over), "{told:?}");
    }
}
