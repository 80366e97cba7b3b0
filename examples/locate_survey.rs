//! How well the field is found in pictures that no camera took: a game's screen as capture cards, emulators and screen
//! recorders give it, cut close and stretched: `cargo run --release --example locate_survey -- [--pictures 6]`.
//!
//! A field is wrong when a corner is more than a third of a cell off. The pictures of PC games are those of
//! `../shared/fixtures`; without them only the console and the handheld are measured.

use clap::Parser;
use stackhand::profile::layout::Layout;
use stackhand::vision::Locator;
use stackhand::vision::locate::cell_px;
use std::time::Instant;

#[path = "../tests/vision/support/grab.rs"]
mod grab;
#[path = "../tests/vision/support/steep.rs"]
mod steep;

use grab::Grab;

/// What to measure.
#[derive(Parser)]
struct Args {
    /// Pictures of each kind.
    #[arg(long, default_value_t = 6)]
    pictures: u64,
    /// The first picture's number.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Says which places are wrong.
    #[arg(long)]
    tell: bool,
    /// Only this layout.
    #[arg(long)]
    layout: Option<String>,
}

/// How wide and how high, as shares of the usual; 0 keeps the pixels as they are.
const STRETCHES: [[f64; 2]; 7] = [[0.0; 2], [2.0, 2.0], [3.0, 3.0], [2.8, 1.0], [2.8, 1.3], [1.3, 2.0], [3.5, 2.0]];

fn main() {
    let args = Args::parse();
    for layout in Layout::built_in().iter().filter(|l| args.layout.as_ref().is_none_or(|name| *name == l.name)) {
        for (kind, around) in [("whole", None), ("cut close", Some(0.6)), ("cut at the frame", Some(0.0))] {
            for stretch in STRETCHES {
                let (mut found, mut wrong, mut refused, mut spent_ms, mut size) = (0, 0, 0, 0.0, [0; 2]);
                for seed in args.seed..args.seed + args.pictures {
                    let Some(whole) = Grab::new(layout, seed) else { continue };
                    let cut = around.map_or(whole.cut(layout, 1000.0), |around| whole.cut(layout, around));
                    // Consoles' pixels are few, and enlarged; those of PC games are shrunk at most.
                    let by = if cut.image.width() > 300 { [stretch[0] / 3.0, stretch[1] / 3.0] } else { stretch };
                    let [width, height] = [cut.image.width(), cut.image.height()].map(f64::from);
                    size = if stretch[0] == 0.0 { [width, height] } else { [width * by[0], height * by[1]] }
                        .map(|v| v as u32);
                    let grab = cut.sized(size, seed % 2 == 0).noisy(seed, (seed % 4) as f64);
                    #[allow(clippy::disallowed_methods)]
                    let began = Instant::now();
                    let mut locator = Locator::new(layout);
                    locator.look(&grab.image);
                    let verdict = locator.verdict();
                    spent_ms += began.elapsed().as_secs_f64() * 1000.0;
                    match verdict {
                        Ok(place) => {
                            let away = |i: usize| {
                                let [a, b] = [place.corners[i], grab.corners[i]];
                                (a[0] - b[0]).hypot(a[1] - b[1])
                            };
                            let off = (0..4).map(away).fold(0.0, f64::max);
                            let is_right = off < cell_px(&grab.corners, layout) / 3.0;
                            if is_right {
                                found += 1
                            } else {
                                wrong += 1
                            }
                            if args.tell {
                                println!(
                                    "{is_right} {} {kind} {size:?} seed {seed}: {:.1?} for {:.1?}, {:.1} log odds",
                                    layout.name, place.corners, grab.corners, place.log_odds
                                );
                            }
                        }
                        Err(_) => refused += 1,
                    }
                }
                let each_ms = spent_ms / (found + wrong + refused).max(1) as f64;
                println!(
                    "{:<9} {kind:<16} {:>4} × {:<4}: {found} found, {wrong} wrong, {refused} refused; {each_ms:.0} ms each",
                    layout.name, size[0], size[1]
                );
            }
        }
    }
}
