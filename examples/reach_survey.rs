//! Where the points go: the robot but its eyes at the simulated table, and for each piece what the place was worth that an exact
//! and instant hand would have taken, the best one that was in reach of the robot's, and the one it took.
//! `cargo run --release --example reach_survey -- [AI [PIECES [LEVEL [SEEDS [relay|solid]]]]]`, a minute a thousand pieces.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "../tests/pure/plans_table/bench.rs"]
mod bench;
#[path = "../tests/shared/driven.rs"]
mod driven;

use bench::Bench;
use driven::Driven;
use stackhand::belief::{Event, Locked, Spawned};
use stackhand::game::orientation::Pose;
use stackhand::game::{Buttons, Control, Piece, Rules};
use stackhand::message::Fate;
use stackhand::planner::timed::{Hand, Style};
use stackhand::planner::{Beyond, Brain, Breadth, Candidate, Manner, Moves, Plan, Search, Touch};
use stackhand::profile::layout::Layout;
use stackhand::robot::OnBlame;
use stackhand::schedule::Finger;
use std::collections::BTreeMap;

/// What a line in fours is worth, at level 0.
const LINE_POINTS: f64 = 300.0;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |place: usize, usual: &str| args.get(place).cloned().unwrap_or_else(|| usual.into());
    let (ai, pieces) = (arg(0, "learned-12hz"), arg(1, "300").parse().unwrap());
    let level = arg(2, "18").parse().unwrap();
    let finger = if arg(4, "relay") == "solid" { Finger::SOLID } else { Finger::RELAY };
    let mut all = Sums::default();
    for seed in arg(3, "5,7,11").split(',') {
        let sums = survey(&ai, seed.parse().unwrap(), level, pieces, finger);
        println!("seed {seed}: {sums}");
        all.add(&sums);
    }
    println!("all: {all}");
}

/// Sums over pieces; losses in points of the level at which they were made.
#[derive(Default)]
struct Sums {
    pieces: usize,
    score: u64,
    lines: [u64; 5],
    lost_games: usize,
    misplaced: usize,
    causes: BTreeMap<&'static str, (usize, f64)>,
    rows: [(usize, f64); 21],
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.pieces += other.pieces;
        self.score += other.score;
        self.lost_games += other.lost_games;
        self.misplaced += other.misplaced;
        for (cause, (count, points)) in &other.causes {
            let sum = self.causes.entry(cause).or_default();
            (sum.0, sum.1) = (sum.0 + count, sum.1 + points);
        }
        self.lines.iter_mut().zip(other.lines).for_each(|(sum, lines)| *sum += lines);
        for (sum, other) in self.rows.iter_mut().zip(other.rows) {
            (sum.0, sum.1) = (sum.0 + other.0, sum.1 + other.1);
        }
    }

    fn count(&mut self, cause: &'static str, points: f64) {
        let sum = self.causes.entry(cause).or_default();
        (sum.0, sum.1) = (sum.0 + 1, sum.1 + points);
    }
}

impl std::fmt::Display for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pieces, score, lines, lost_games, misplaced, .. } = self;
        write!(
            f,
            "{pieces} pieces, {score} points, locks by lines {lines:?}, {lost_games} games lost, {misplaced} misplaced"
        )?;
        for (cause, (count, points)) in &self.causes {
            write!(f, "\n    {cause:<44} {count:5} times {points:9.0} points")?;
        }
        write!(f, "\n    pile's rows, pieces, points lost:")?;
        for (rows, (count, points)) in self.rows.iter().enumerate().filter(|(_, (count, _))| *count > 0) {
            write!(f, " {rows}: {count} {points:.0};")?;
        }
        Ok(())
    }
}

struct Judge {
    brain: Brain,
    movement: stackhand::game::Movement,
    hand: Hand,
}

impl Judge {
    /// All places where this piece can lock with all the time in the world, best first.
    fn ranked(&self, spawned: &Spawned, level: u8) -> Vec<Candidate> {
        let touch = self.touch(level);
        let moves = Moves { movement: &self.movement, manner: Manner::Timed(touch) };
        let followers = Piece::ALL.map(|piece| Rules::Nes.followers(piece));
        let beyond = Beyond { followers, pairs: 0, breadth: Breadth::FURTHER };
        let next: Vec<(Piece, f64)> = match spawned.next {
            Some(next) => vec![(next, 1.0)],
            None => Piece::ALL.into_iter().zip(followers[spawned.piece.index()]).collect(),
        };
        let (board, evaluator) = (&spawned.board, self.brain.evaluator.as_ref());
        let beyond = evaluator.by_next().map(|_| &beyond);
        let search = Search { board, level, lines_left: None, next: &next, beyond, moves: &moves, evaluator };
        search.rank(moves.locks(board, moves.spawn(spawned.piece)))
    }

    fn touch(&self, level: u8) -> Touch {
        let pace = Rules::Nes.pace(level).unwrap();
        Touch { pace, hand: self.hand, style: Style::Taps }
    }

    /// Where the hand can lock it that begins after so many frames.
    fn reach(&self, spawned: &Spawned, level: u8, after: usize) -> Vec<Pose> {
        let mut control = Control::spawn(spawned.piece, 0, Buttons::NONE);
        if (0..after).any(|_| control.frame(&spawned.board, level, Buttons::NONE)) {
            return Vec::new();
        }
        self.touch(level).reach(&spawned.board, &control).locks().collect()
    }
}

fn survey(ai: &str, seed: u64, level: u8, pieces: usize, finger: Finger) -> Sums {
    let mut bench = Bench::new(seed, level);
    let brain = if ai.ends_with(".value") {
        stackhand::planner::Value::from_bytes(ai, &std::fs::read(ai).unwrap()).unwrap().into()
    } else {
        Brain::named(ai).unwrap()
    };
    let movement = Layout::load("nes").unwrap().movement().unwrap();
    let judge = Judge { brain: brain.clone(), movement, hand: Hand::of(finger).unwrap() };
    let mut robot = bench.robot_by(brain, bench.calibration(), finger, OnBlame::Pause);
    let mut sums = Sums::default();
    let mut falling: Option<(Spawned, u8)> = None;
    let (mut ahead, mut plan): (Option<Plan>, Option<Plan>) = (None, None);
    let mut was_ahead = false;
    let mut score = 0u32;
    for _ in 0..pieces * 400 {
        if sums.pieces >= pieces {
            break;
        }
        let observation = bench.next();
        let now = observation.time;
        for event in robot.take(observation).events {
            match event {
                Event::Locked(lock) => {
                    if let Some((spawned, level)) = falling.take() {
                        judge_lock(&judge, &mut sums, &spawned, level, &lock, plan.as_ref(), was_ahead);
                    }
                    plan = None;
                    sums.pieces += 1;
                    sums.lines[lock.lines] += 1;
                    sums.misplaced += usize::from(lock.intended == Some(false));
                }
                Event::Spawned(spawned) => {
                    was_ahead = ahead.is_some();
                    plan = ahead.take();
                    falling = Some((spawned, robot.belief().counters().level));
                }
                Event::GameOver { .. } => {
                    sums.lost_games += 1;
                    falling = None;
                    plan = None;
                }
                Event::Surprise(..) => sums.count("surprise", 0.0),
            }
        }
        let counted = robot.belief().counters().score;
        sums.score += u64::from(counted.saturating_sub(score));
        score = counted;
        if let Some((spawned, _)) = &mut falling {
            spawned.next = spawned.next.or(robot.belief().next());
        }
        let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() else { continue };
        bench.schedule(&decision);
        match decision.plan {
            Some(new) if decision.is_ahead => ahead = Some(new),
            Some(new) => plan = Some(new),
            None => {}
        }
    }
    sums
}

fn judge_lock(
    judge: &Judge,
    sums: &mut Sums,
    spawned: &Spawned,
    level: u8,
    lock: &Locked,
    plan: Option<&Plan>,
    was_ahead: bool,
) {
    let ranked = judge.ranked(spawned, level);
    let cost = |pose: Pose| ranked.iter().find(|candidate| candidate.pose == pose).map(|candidate| candidate.cost);
    let points = LINE_POINTS * (f64::from(level) + 1.0);
    let exact = judge.reach(spawned, level, 0);
    let Some(best) = ranked.iter().find(|candidate| exact.contains(&candidate.pose)) else { return };
    let late = |frames: usize| {
        let reach = judge.reach(spawned, level, frames);
        ranked.iter().find(|candidate| reach.contains(&candidate.pose)).map_or(0.0, |best| best.cost)
    };
    for (name, frames) in
        [("exact hand after 4 frames", 4), ("exact hand after 8 frames", 8), ("exact hand after 12 frames", 12)]
    {
        let loss = (late(frames) - best.cost) * points;
        if loss > 0.5 {
            sums.count(name, loss);
        }
    }
    sums.count(if was_ahead { "planned ahead" } else { "planned when seen" }, 0.0);
    let Some(taken) = cost(lock.pose) else { return sums.count("locked where nobody thought", 0.0) };
    let lost = (taken - best.cost) * points;
    let rows = (0..20).filter(|&y| spawned.board.row(y) != 0).count();
    sums.rows[rows] = (sums.rows[rows].0 + 1, sums.rows[rows].1 + lost);
    sums.count("all", lost);
    let Some(plan) = plan else { return sums.count("no plan", lost) };
    if plan.lock.pose != lock.pose {
        return sums.count("locked elsewhere than planned", lost);
    }
    if lost < 0.5 {
        return sums.count(if lost < -0.5 { "better than exact hand" } else { "as good as can be" }, lost);
    }
    if plan.certainty < 1.0 {
        sums.count("uncertain plan", lost);
    }
    let when = if was_ahead {
        ["too far, ahead", "uncertain, ahead", "other, ahead"]
    } else {
        ["too far", "uncertain", "other"]
    };
    let fate = |pose: Pose| plan.choices.iter().find(|choice| choice.candidate.pose == pose).map(|choice| choice.fate);
    let reached =
        ranked.iter().find(|candidate| exact.contains(&candidate.pose) && fate(candidate.pose) != Some(Fate::TooFar));
    let reached = reached.map_or(taken, |candidate| candidate.cost.min(taken));
    let far = (reached - best.cost) * points;
    if far > 0.5 {
        sums.count(when[0], far);
    }
    let rest = (taken - reached) * points;
    if rest > 0.5 {
        let is_uncertain = plan.choices.iter().any(|choice| choice.fate == Fate::Uncertain);
        sums.count(if is_uncertain { when[1] } else { when[2] }, rest);
    }
}
