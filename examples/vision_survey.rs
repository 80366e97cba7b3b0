//! How well the field is found and read, over many simulated cameras never seen before:
//! `cargo run --release --example vision_survey -- --hard 1.0 --seeds 2000..2200 --pictures 1 [--save FOLDER]`.
//!
//! Every seed is a camera before a game in mid-play: a pile from empty to high, pieces falling. A field is wrong when a
//! corner is more than a third of a cell off.

use clap::Parser;
use image::{Rgb, RgbImage};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Piece;
use stackhand::message::{Cell, Frame};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::CameraModel;
use stackhand::twin::picture::{Picture, draw, piece_tile};
use stackhand::twin::view::{ConsoleView, Screen, Tile};
use stackhand::vision::read::Reader;
use stackhand::vision::{Located, locate_in};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Parser)]
struct Args {
    /// How bad the cameras are, 0–1.
    #[arg(long, default_value_t = 1.0)]
    hard: f64,
    /// The cameras, as FIRST..END.
    #[arg(long, default_value = "2000..2200", value_parser = seeds)]
    seeds: (u64, u64),
    /// Pictures that the search is given.
    #[arg(long, default_value_t = 1)]
    pictures: u64,
    /// Writes pictures of what was not found or found wrong into this folder.
    #[arg(long)]
    save: Option<PathBuf>,
}

fn seeds(text: &str) -> Result<(u64, u64), String> {
    let (a, b) = text.split_once("..").ok_or("write FIRST..END")?;
    let number = |s: &str| s.parse().map_err(|_| format!("{s:?} is no number"));
    Ok((number(a)?, number(b)?))
}

/// A camera and the game before it.
struct Clip {
    camera: CameraModel,
    view: ConsoleView,
    piece: Piece,
    layout: Layout,
}

impl Clip {
    fn new(hard: f64, seed: u64, layout: &Layout) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x7375_7276_6579);
        let height = dice.random_range(0..17usize);
        let kinds = [Tile::White, Tile::Light, Tile::Dark];
        let mut playfield = [[Tile::Empty; 10]; 20];
        let heights: [usize; 10] = std::array::from_fn(|_| height.saturating_sub(dice.random_range(0..4)));
        for (x, height) in heights.into_iter().enumerate() {
            for row in playfield.iter_mut().skip(20 - height) {
                if dice.random_range(0..10) < 9 {
                    row[x] = kinds[dice.random_range(0..3)];
                }
            }
        }
        // A full row would have been cleared.
        playfield.iter_mut().for_each(|row| row[dice.random_range(0..10)] = Tile::Empty);
        let view = ConsoleView {
            screen: Screen::Game,
            playfield,
            falling: None,
            next: None,
            level: dice.random_range(0..20),
            lines: dice.random_range(0..300),
            score: dice.random_range(0..999_999),
            top: 10_000,
            statistics: std::array::from_fn(|_| dice.random_range(0..40)),
            flash: false,
        };
        let mut clip = Self {
            camera: CameraModel::new(hard, seed, 60.0, [640, 480]),
            view,
            piece: Piece::T,
            layout: layout.clone(),
        };
        clip.deal(seed);
        clip
    }

    /// Other pieces, the falling one in its spawn place.
    fn deal(&mut self, seed: u64) {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x6465_616c);
        self.piece = Piece::from_index(dice.random_range(0..7));
        self.view.next = Some(Piece::from_index(dice.random_range(0..7)));
    }

    /// The piece, fallen by this many rows.
    fn place(&mut self, rows: i8) {
        let cells = self.layout.spawn_cells(self.piece);
        let falling = std::array::from_fn(|i| (cells[i].0 as i8, cells[i].1 as i8 + rows));
        let lies = |(x, y): &(i8, i8)| *y > 19 || self.view.playfield[*y as usize][*x as usize] != Tile::Empty;
        self.view.falling = (!falling.iter().any(lies)).then_some((falling, piece_tile(self.piece)));
    }

    fn film(&mut self, index: u64) -> RgbImage {
        let mut picture = Picture::new();
        draw(&self.view, &mut picture);
        self.camera.expose(&[(1.0, &picture)], index)
    }
}

#[derive(Default)]
struct Tally {
    clips: usize,
    refused: Vec<u64>,
    /// Each corner's error along the field's width and height, px, summed and squared: what is common to all cameras.
    bias: [[f64; 4]; 4],
    wrong: Vec<(u64, f64, f64)>,
    errors_px: Vec<f64>,
    /// The true error over the one that was claimed.
    ratios: Vec<f64>,
    search: Vec<Duration>,
    reading: Reading,
}

#[derive(Default)]
struct Reading {
    cells: usize,
    wrong: usize,
    unknown: usize,
    /// Right, unknown, wrong.
    spawn: [usize; 3],
    next: [usize; 3],
    obscured: usize,
    /// Unknown or wrong pieces: seed, level, what was seen.
    problems: Vec<String>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let layout = Layout::load("nes")?;
    let mut tally = Tally::default();
    for seed in args.seeds.0..args.seeds.1 {
        survey(seed, &args, &layout, &mut tally)?;
    }
    report(&args, &mut tally);
    Ok(())
}

fn survey(seed: u64, args: &Args, layout: &Layout, tally: &mut Tally) -> anyhow::Result<()> {
    let mut clip = Clip::new(args.hard, seed, layout);
    let images: Vec<RgbImage> = (0..args.pictures)
        .map(|i| {
            clip.deal(seed + i / 3);
            clip.place(((seed + 3 * i) % 19) as i8);
            clip.film(i)
        })
        .collect();
    tally.clips += 1;
    #[allow(clippy::disallowed_methods)]
    let began = Instant::now();
    let found = locate_in(&images, layout);
    tally.search.push(began.elapsed() / args.pictures.max(1) as u32);
    let truth = clip.camera.corners();
    let cell_px = (truth[1][0] - truth[0][0]).hypot(truth[1][1] - truth[0][1]) / 10.0;
    let (mut corners, mut lens) = (truth, 0.0);
    match found {
        Ok(Located { corners: found, error_px, k1, .. }) => {
            let off = (0..4).map(|i| (found[i][0] - truth[i][0]).hypot(found[i][1] - truth[i][1]));
            let off = off.fold(0.0, f64::max);
            if off < cell_px / 3.0 {
                let (across, down) = (unit(truth[0], truth[1]), unit(truth[0], truth[3]));
                for (bias, (f, t)) in tally.bias.iter_mut().zip(found.iter().zip(truth)) {
                    let off = [f[0] - t[0], f[1] - t[1]];
                    let [u, v] = [across, down].map(|a| a[0] * off[0] + a[1] * off[1]);
                    [u, v, u * u, v * v].into_iter().zip(bias).for_each(|(v, b)| *b += v);
                }
                tally.errors_px.push(off);
                tally.ratios.push(off / error_px);
                (corners, lens) = (found, k1);
            } else {
                tally.wrong.push((seed, off, error_px));
                save(args.save.as_deref(), seed, &images[0], found, truth)?;
            }
        }
        Err(_) => {
            tally.refused.push(seed);
            save(args.save.as_deref(), seed, &images[0], truth, truth)?;
        }
    }
    read(&mut clip, seed, (corners, lens), &mut tally.reading)
}

fn unit(from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    [(to[0] - from[0]) / length, (to[1] - from[1]) / length]
}

/// Reads six pictures, two deals of three.
fn read(clip: &mut Clip, seed: u64, (corners, lens): ([[f64; 2]; 4], f64), tally: &mut Reading) -> anyhow::Result<()> {
    let layout = clip.layout.clone();
    let mut reader = Reader::through(&layout, corners, lens, [640, 480])?;
    for index in 0..6 {
        clip.deal(1000 * seed + index / 3);
        clip.place(0);
        let image = Arc::new(clip.film(100 + index));
        let seen = reader.read(&Frame { index: CameraFrame(index), time: HostTime(0), name: None, file: None, image });
        tally.obscured += usize::from(!seen.state.shows_field());
        let falling = clip.view.falling.map(|f| f.0.to_vec()).unwrap_or_default();
        for (x, y) in (0..200).map(|i| (i % 10, i / 10)) {
            let full = clip.view.playfield[y][x] != Tile::Empty || falling.contains(&(x as i8, y as i8));
            tally.cells += 1;
            match seen.grid.cell(x, y) {
                Cell::Unknown => tally.unknown += 1,
                cell => tally.wrong += usize::from((cell == Cell::Full) != full),
            }
        }
        let mut count =
            |what: &str, into: fn(&mut Reading) -> &mut [usize; 3], seen: Option<Piece>, truth: Option<Piece>| {
                let outcome = if seen == truth { 0 } else { 1 + usize::from(seen.is_some()) };
                into(tally)[outcome] += 1;
                if outcome > 0 {
                    tally
                        .problems
                        .push(format!("{seed}.{index} level {} {what}: {truth:?} seen {seen:?}", clip.view.level));
                }
            };
        if !falling.is_empty() {
            count("spawn", |t| &mut t.spawn, seen.spawn.piece(), Some(clip.piece));
        }
        count("next", |t| &mut t.next, seen.next.piece(), clip.view.next);
    }
    Ok(())
}

fn save(
    folder: Option<&Path>,
    seed: u64,
    image: &RgbImage,
    found: [[f64; 2]; 4],
    truth: [[f64; 2]; 4],
) -> anyhow::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let mut image = image.clone();
    for (corners, colour) in [(truth, [0, 255, 0]), (found, [255, 0, 255])] {
        for i in 0..4 {
            let (a, b) = (corners[i], corners[(i + 1) % 4]);
            for step in 0..=1000 {
                let t = f64::from(step) / 1000.0;
                let [x, y] = [0, 1].map(|k| a[k] + t * (b[k] - a[k]));
                if x >= 0.0 && y >= 0.0 && x < f64::from(image.width()) && y < f64::from(image.height()) {
                    image.put_pixel(x as u32, y as u32, Rgb(colour));
                }
            }
        }
    }
    Ok(image.save(folder.join(format!("{seed}.png")))?)
}

fn report(args: &Args, tally: &mut Tally) {
    let quantile = |values: &[f64], q: f64| {
        values.get(((values.len().max(1) - 1) as f64 * q).round() as usize).copied().unwrap_or(f64::NAN)
    };
    tally.errors_px.sort_by(f64::total_cmp);
    tally.ratios.sort_by(f64::total_cmp);
    tally.search.sort();
    let (errors, ratios) = (&tally.errors_px, &tally.ratios);
    println!(
        "hard {} pictures {}: found {}/{}, refused {:?}, wrong (seed, off, claimed px) {:.1?}",
        args.hard,
        args.pictures,
        errors.len(),
        tally.clips,
        tally.refused,
        tally.wrong
    );
    println!(
        "corner error px: median {:.2} p95 {:.2} p99 {:.2} max {:.2}; over claimed: median {:.2} p95 {:.2} max {:.2}",
        quantile(errors, 0.5),
        quantile(errors, 0.95),
        quantile(errors, 0.99),
        quantile(errors, 1.0),
        quantile(ratios, 0.5),
        quantile(ratios, 0.95),
        quantile(ratios, 1.0)
    );
    let n = tally.errors_px.len().max(1) as f64;
    for (name, b) in ["top-left", "top-right", "bottom-right", "bottom-left"].iter().zip(&tally.bias) {
        let rms = [2, 3].map(|i| (b[i] / n).sqrt());
        println!("  {name}: mean {:+.2} {:+.2} px, rms {:.2} {:.2}", b[0] / n, b[1] / n, rms[0], rms[1]);
    }
    let milliseconds: Vec<f64> = tally.search.iter().map(|d| d.as_secs_f64() * 1000.0).collect();
    println!(
        "search ms a picture: median {:.0} p95 {:.0}",
        quantile(&milliseconds, 0.5),
        quantile(&milliseconds, 0.95)
    );
    let Reading { cells, wrong, unknown, spawn, next, obscured, problems } = &tally.reading;
    println!(
        "cells wrong {:.4} % unknown {:.3} %; spawn right/unknown/wrong {spawn:?}, next {next:?}; obscured {obscured}",
        100.0 * *wrong as f64 / *cells as f64,
        100.0 * *unknown as f64 / *cells as f64,
    );
    problems.iter().for_each(|p| println!("  {p}"));
}
