//! The modern game at the table: spins, hold, and kicks that a game does not have.

use super::simple::{Shown, SimpleBench};
use stackhand::belief::Event;
use stackhand::game::guideline::{Action, Award, Event as Played, Machine, SKYLINE, Settings, Variant, spawn_pose};
use stackhand::game::{Board, Buttons};
use stackhand::message::BlameKind;
use stackhand::robot::{Notice, Robot};

/// The game itself, as it plays at the simulated table.
pub struct Modern {
    machine: Machine,
    awards: Vec<Award>,
}

impl Modern {
    /// A game that has been started.
    pub fn new(seed: u64, level: u8) -> Self {
        let settings = Settings { variant: Variant::Endless, level, ..Settings::default() };
        let mut machine = Machine::new(settings, seed);
        machine.frame(Buttons::START);
        Self { machine, awards: Vec::new() }
    }

    /// What each lock down counted as.
    pub fn awards(&self) -> &[Award] {
        &self.awards
    }

    /// One frame; whether a piece appeared in it.
    pub fn frame(&mut self, held: Buttons) -> bool {
        let events = self.machine.frame(held);
        self.awards.extend(events.iter().filter_map(|event| match event {
            Played::Locked { award, .. } => Some(*award),
            _ => None,
        }));
        events.iter().any(|event| matches!(event, Played::Appeared(_)))
    }

    /// What is on the screen.
    pub fn shown(&self) -> Shown {
        let view = self.machine.game().view();
        let seen = |pose: stackhand::game::Pose| pose.moved(0, -(SKYLINE as i8));
        let spawn = |pose: stackhand::game::Pose| spawn_pose(pose.orientation.piece()).moved(0, 1);
        Shown {
            board: view.matrix.unwrap_or(Board::new(10, 20)),
            falling: view.falling.map(seen),
            is_new: view.falling.is_some_and(|pose| pose == spawn(pose)),
            next: view.next,
            held: view.held,
        }
    }
}

/// Pieces that locked, those of them that locked elsewhere than planned, how often kicks were given up, and the spins told.
fn play(bench: &mut SimpleBench, robot: Robot, from_ms: f64, until_ms: f64) -> (usize, usize, usize, u64) {
    let (mut pieces, mut misplaced, mut given_up, mut spins) = (0, 0, 0, 0);
    bench.play(robot, until_ms, |robot, look| {
        spins = robot.spins().unwrap_or_default();
        let locks = look.events.iter().filter_map(|event| match event {
            Event::Locked(locked) if locked.time.ms() >= from_ms => Some(locked.intended == Some(true)),
            _ => None,
        });
        for is_right in locks {
            pieces += 1;
            misplaced += usize::from(!is_right);
        }
        let is_given_up =
            |notice: &&Notice| matches!(notice, Notice::Blame { blame, .. } if blame.culprit.kind == BlameKind::NoKicks);
        given_up += look.told.iter().filter(is_given_up).count();
    });
    (pieces, misplaced, given_up, spins)
}

#[test]
fn ts_are_spun_under_what_hangs_over_by_relays_and_counted_so_by_the_game() {
    for (fault, level, least) in [("lose:0", 1, 5), ("lose:0.05", 1, 4), ("lose:0", 5, 5)] {
        let mut bench = SimpleBench::modern(81, level, fault.parse().unwrap());
        let robot = bench.modern_robot();
        let (pieces, misplaced, given_up, spins) = play(&mut bench, robot, 0.0, 90_000.0);
        let spun = |action| bench.awards().iter().filter(|award| award.action == action).count();
        let (doubles, fours) = (spun(Action::TSpinDouble), spun(Action::Tetris));
        println!(
            "{fault}, level {level}: {pieces} pieces, {misplaced} misplaced, {doubles} T-spin doubles, {fours} fours"
        );
        assert!(pieces > 80 && misplaced <= 1, "{fault}, level {level}: {misplaced} of {pieces}");
        assert!(doubles >= least && given_up == 0, "{fault}, level {level}: {doubles} doubles, {given_up} given up");
        // What is told is what the game counted, but for one that has just locked.
        let counted = bench
            .awards()
            .iter()
            .filter(|award| award.action.is_spin() && { !matches!(award.action, Action::MiniTSpin | Action::TSpin) });
        let counted = counted.count() as u64;
        assert!((spins..=spins + 1).contains(&counted), "{spins} spins told, {counted} counted");
    }
}

#[test]
fn kicks_that_a_game_does_not_have_are_noticed_told_once_and_not_planned_any_more() {
    let mut bench = SimpleBench::of("guideline", 82, 1, "lose:0".parse().unwrap()).unkicked();
    let robot = bench.modern_robot();
    let (pieces, misplaced, given_up, _) = play(&mut bench, robot, 110_000.0, 170_000.0);
    println!("{pieces} pieces afterwards, {misplaced} misplaced");
    assert_eq!((given_up, misplaced), (1, 0), "{pieces} pieces");
    assert!(pieces > 40);
}

#[test]
fn a_key_that_does_nothing_is_told_once_and_done_without() {
    for (fault, key) in [("dead:a", Buttons::A), ("dead:b", Buttons::B), ("dead:down", Buttons::DOWN)] {
        let mut bench = SimpleBench::modern(83, 1, fault.parse().unwrap());
        let robot = bench.modern_robot();
        let (mut pieces, mut misplaced, mut dead) = (0, 0, Vec::new());
        bench.play(robot, 90_000.0, |_, look| {
            for event in &look.events {
                if let Event::Locked(locked) = event {
                    pieces += 1;
                    misplaced += usize::from(locked.intended != Some(true));
                }
            }
            dead.extend(look.told.iter().filter_map(|notice| match notice {
                Notice::Blame { blame, .. } => Some((blame.culprit.kind, blame.culprit.button, pieces)),
                _ => None,
            }));
        });
        println!("{fault}: {pieces} pieces, {misplaced} misplaced, {dead:?}");
        let [(BlameKind::DeadButton, Some(button), by)] = dead[..] else { panic!("{fault}: {dead:?}") };
        assert!(button == key && by <= 30, "{fault}: {dead:?}");
        assert!(pieces >= 60 && misplaced <= 1, "{fault}: {misplaced} of {pieces} misplaced");
    }
}
