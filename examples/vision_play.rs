//! How well whole games are read through simulated cameras:
//! `cargo run --release --example vision_play -- --hard 1.0 --seeds 9000..9020 --seconds 30`.
//!
//! Every seed is a game played by a careless player before a camera of its own; the reader is given the true corners, or
//! with `--locate` what the search finds. Printed: spawns of which piece, next and board are all exact, cells that are
//! surely wrong, and how often a claimed probability comes true.

use clap::Parser;
use stackhand::belief::Event;
use stackhand::game::Piece;
use stackhand::message::{CellGrid, Frame, Observation, ScreenState, Sighting};
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::{Look, Watcher};
use stackhand::vision::Locator;

#[path = "../tests/vision/support/play.rs"]
mod play;

use play::{Film, Setup, Spawn, Truth};

/// What to measure.
#[derive(Parser)]
struct Args {
    /// How bad the cameras are, 0–1.
    #[arg(long, default_value_t = 1.0)]
    hard: f64,
    /// The games, as FIRST..END.
    #[arg(long, default_value = "9000..9020", value_parser = seeds)]
    seeds: (u64, u64),
    /// Length of each, s.
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,
    /// Camera pictures a second.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// Share of pieces during which the game is paused.
    #[arg(long, default_value_t = 0.0)]
    pauses: f64,
    /// Share of pieces that are placed badly.
    #[arg(long, default_value_t = 0.15)]
    careless: f64,
    /// Find the field by its pictures, instead of being told.
    #[arg(long)]
    locate: bool,
    /// Print what is read in these pictures, as FIRST..END.
    #[arg(long, value_parser = seeds)]
    show: Option<(u64, u64)>,
    /// Say what went wrong.
    #[arg(long)]
    tell: bool,
}

fn seeds(text: &str) -> Result<(u64, u64), String> {
    let (a, b) = text.split_once("..").ok_or("write FIRST..END")?;
    let number = |s: &str| s.parse().map_err(|_| format!("{s:?} is no number"));
    Ok((number(a)?, number(b)?))
}

/// Bins of the reliability table: upper bounds of the claimed probability.
const BINS: [f32; 10] = [0.001, 0.01, 0.03, 0.1, 0.5, 0.9, 0.97, 0.99, 0.999, 1.01];

#[derive(Default)]
struct Tally {
    spawns: usize,
    exact: usize,
    seen: usize,
    extra: usize,
    surprises: usize,
    pictures: usize,
    obscured: usize,
    states: std::collections::BTreeMap<String, usize>,
    /// Still cells: surely right, unknown, surely wrong.
    still: [usize; 3],
    /// Cells that changed during the exposure: called surely, unknown.
    blended: [usize; 2],
    /// Claimed probability of "full": how many still cells, and how many of them were full.
    bins: [[usize; 2]; BINS.len()],
    /// Spawn region: right piece, unknown, wrong piece (or seen where there is none).
    next: [usize; 3],
    spawn: [usize; 3],
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let layout = Layout::load("nes")?;
    let mut tally = Tally::default();
    for seed in args.seeds.0..args.seeds.1 {
        let before = (tally.spawns, tally.exact);
        game(seed, &args, &layout, &mut tally)?;
        let (spawns, exact) = (tally.spawns - before.0, tally.exact - before.1);
        if args.tell && exact < spawns {
            println!("seed {seed}: {exact} of {spawns} spawns exact");
        }
    }
    report(&args, &tally);
    Ok(())
}

fn game(seed: u64, args: &Args, layout: &Layout, tally: &mut Tally) -> anyhow::Result<()> {
    let setup = Setup { fps: args.fps, pauses: args.pauses, careless: args.careless, ..Setup::new(args.hard, seed) };
    let mut film = Film::new(setup, layout);
    let mut calibration = Calibration {
        corners: film.camera.corners(),
        lens_k1: film.camera.flaws().radial_k1,
        ..Calibration::new("nes", setup.size, film.camera.corners(), 0.5)
    };
    if args.locate {
        let mut locator = Locator::new(layout);
        (0..40).for_each(|i| {
            let (frame, _) = film.shoot();
            if i % 8 == 7 {
                locator.look(&frame.image);
            }
        });
        match locator.verdict() {
            Ok(found) => calibration = found.calibration("nes", setup.size),
            Err(e) => {
                println!("seed {seed}: {e}");
                return Ok(());
            }
        }
    }
    let mut watcher = Watcher::new(layout, &calibration, setup.level)?;
    let mut seen = Vec::new();
    let first = film.spawns.len();
    for _ in 0..(args.seconds * args.fps) as usize {
        let (frame, truth) = film.shoot();
        let look = watcher.look(&frame);
        tally.pictures += 1;
        let state = look.observation.state;
        tally.obscured +=
            usize::from(truth.is_play() && state != ScreenState::Playing && state != ScreenState::LineClear);
        *tally.states.entry(format!("{:?} seen {state:?}", phase(&truth))).or_default() += 1;
        if truth.is_play() && state == ScreenState::Playing {
            cells(seed, frame.index.0, &truth, &look.observation.grid, args, tally);
            pieces(seed, frame.index.0, &truth, &look.observation, layout, args, tally);
        }
        if args.show.is_some_and(|(first, end)| (first..end).contains(&frame.index.0)) {
            show(&frame, &truth, &look);
        }
        for event in look.events {
            match event {
                Event::Spawned(spawned) => seen.push(spawned),
                Event::Surprise(surprise, time) => {
                    tally.surprises += 1;
                    if args.tell {
                        println!("seed {seed} at {time}: {surprise:?}");
                    }
                }
                _ => {}
            }
        }
    }
    // The last one may not have been reported yet.
    let end = film.spawns.len().saturating_sub(1).max(first);
    for spawn in &film.spawns[first..end] {
        tally.spawns += 1;
        let near = |s: &stackhand::belief::Spawned| (s.time.ms() - spawn.t_ms).abs();
        let nearest = (0..seen.len()).min_by(|a, b| near(&seen[*a]).total_cmp(&near(&seen[*b])));
        let Some(found) = nearest.filter(|i| near(&seen[*i]) < 400.0).map(|i| seen.remove(i)) else {
            tell(args, seed, spawn, "not seen");
            continue;
        };
        tally.seen += 1;
        if found.piece == spawn.piece && found.next == Some(spawn.next) && found.board == spawn.board {
            tally.exact += 1;
        } else {
            let board = if found.board == spawn.board { "same board" } else { "another board" };
            tell(args, seed, spawn, &format!("seen {} {:?} {board}", found.piece, found.next));
        }
    }
    let last_ms = film.spawns.get(end).map_or(f64::INFINITY, |s| s.t_ms);
    tally.extra += seen.iter().filter(|s| (s.time.ms() - last_ms).abs() > 400.0).count();
    Ok(())
}

fn show(frame: &Frame, truth: &Truth, look: &Look) {
    let Observation { grid, spawn, next, state, .. } = &look.observation;
    println!("{} at {} ({}): {state:?} spawn {spawn:?} next {next:?}", frame.index.0, frame.time, phase(truth));
    for (y, line) in grid.to_lines().iter().enumerate() {
        let truth: String = (0..10).map(|x| char::from(b"0123456789"[(truth.full(x, y) * 9.0) as usize])).collect();
        println!("  {line}  {}", truth.replace('0', ".").replace('9', "#"));
    }
    println!("{:?}", look.events);
    if std::env::var("DBG").is_ok() {
        println!("{:?}", truth.shown.iter().map(|(s, v, p)| (*s, v.falling, *p)).collect::<Vec<_>>());
    }
}

fn tell(args: &Args, seed: u64, spawn: &Spawn, what: &str) {
    if args.tell {
        println!("seed {seed} level {} at {:.0} ms: {} {} {what}", spawn.level, spawn.t_ms, spawn.piece, spawn.next);
    }
}

fn phase(truth: &Truth) -> String {
    let mut phases: Vec<String> = truth
        .shown
        .iter()
        .map(|(_, view, phase)| match format!("{phase:?}").split('(').next() {
            Some("Menu") => "Menu".into(),
            Some("Paused") => "Paused".into(),
            Some("Curtain") if view.playfield[0][0] == stackhand::twin::view::Tile::Curtain => "Curtain".into(),
            Some("Clearing") if view.flash => "Flash".into(),
            Some("Clearing") => "Clearing".into(),
            _ => "Play".into(),
        })
        .collect();
    phases.dedup();
    phases.join("+")
}

fn cells(seed: u64, index: u64, truth: &Truth, grid: &CellGrid, args: &Args, tally: &mut Tally) {
    let (low, high) = CellGrid::SURE;
    for (x, y) in (0..200).map(|i| (i % 10, i / 10)) {
        let (p, share) = (grid.p_full(x, y), truth.full(x, y));
        let is_sure = p < low || p > high;
        if (0.02..0.98).contains(&share) {
            tally.blended[usize::from(!is_sure)] += 1;
            continue;
        }
        let full = share > 0.5;
        let right = is_sure && (p > 0.5) == full;
        tally.still[if right { 0 } else { 1 + usize::from(is_sure) }] += 1;
        if let Some(bin) = BINS.iter().position(|b| p < *b) {
            tally.bins[bin][0] += 1;
            tally.bins[bin][1] += usize::from(full);
        }
        if args.tell && is_sure && !right {
            println!("seed {seed}.{index} cell {x},{y} is {full}, p {p:.3}");
        }
    }
}

fn pieces(seed: u64, index: u64, truth: &Truth, seen: &Observation, layout: &Layout, args: &Args, tally: &mut Tally) {
    if let Some(next) = truth.next() {
        let outcome = if seen.next.piece() == Some(next) { 0 } else { 1 + usize::from(seen.next != Sighting::Unknown) };
        tally.next[outcome] += 1;
        if args.tell && outcome > 1 {
            println!("seed {seed}.{index} next {next}, seen {:?}", seen.next);
        }
    }
    let region: Vec<(usize, usize)> = Piece::ALL.into_iter().flat_map(|p| layout.spawn_cells(p)).collect();
    // How well the region shows exactly this piece: the worst cell's share of the exposure.
    let shown = |piece: Piece| {
        let cells = layout.spawn_cells(piece);
        let share =
            |c: &(usize, usize)| if cells.contains(c) { truth.full(c.0, c.1) } else { 1.0 - truth.full(c.0, c.1) };
        region.iter().map(share).fold(1.0, f32::min)
    };
    let there = Piece::ALL.into_iter().find(|piece| shown(*piece) > 0.98);
    let outcome = match (there, seen.spawn.piece()) {
        (Some(there), Some(piece)) => 2 * usize::from(there != piece),
        (Some(_), None) => 1,
        // A piece that comes or goes is still that piece.
        (None, Some(piece)) => 2 * usize::from(!truth.shows_somewhile(&layout.spawn_cells(piece))),
        (None, None) => return,
    };
    tally.spawn[outcome] += 1;
    if args.tell && outcome > 1 {
        println!("seed {seed}.{index} spawn {there:?}, seen {:?}", seen.spawn);
    }
}

fn report(args: &Args, tally: &Tally) {
    let share = |a: usize, b: usize| 100.0 * a as f64 / b.max(1) as f64;
    println!(
        "hard {} fps {} seeds {}..{}: {} pictures, {} of {} spawns exact ({:.3} %), {} seen, {} extra, {} surprises; {} pictures in play not read",
        args.hard,
        args.fps,
        args.seeds.0,
        args.seeds.1,
        tally.pictures,
        tally.exact,
        tally.spawns,
        share(tally.exact, tally.spawns),
        tally.seen,
        tally.extra,
        tally.surprises,
        tally.obscured,
    );
    let still: usize = tally.still.iter().sum();
    println!(
        "still cells: {still}, unknown {:.3} %, surely wrong {} ({:.2} in 100,000); blended cells: {} called, {} unknown",
        share(tally.still[1], still),
        tally.still[2],
        share(tally.still[2], still) * 1000.0,
        tally.blended[0],
        tally.blended[1],
    );
    println!("next right/unknown/wrong {:?}; spawn place {:?}", tally.next, tally.spawn);
    let mut low = 0.0;
    for (bound, [cells, full]) in BINS.iter().zip(tally.bins) {
        println!("  claimed full {low:.3}–{bound:.3}: {cells:9} cells, full in {:.4} %", share(full, cells));
        low = *bound;
    }
    println!("  {:?}", tally.states);
}
