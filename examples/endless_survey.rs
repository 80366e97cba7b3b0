//! How long a game of S and Z in turn lasts by pattern play, on boards of several widths:
//! `cargo run --release --example endless_survey [PIECES]`.

use stackhand::game::standard::{Draw, Game, Settings, endless};

fn main() {
    let pieces = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000_u64);
    println!("columns  pieces   lines  highest pile");
    for columns in [4, 6, 8, 10, 12, 16] {
        let settings = Settings { draw: Draw::Alternating, ..Settings::default() };
        let Ok(mut game) = Game::new([columns, 20], settings, 1) else { continue };
        let mut highest = 0;
        while game.pieces() < pieces && endless::place(&mut game) {
            highest = highest.max(game.pile().height());
        }
        let end = if game.is_over() { "  over" } else { "" };
        println!("{columns:7}  {:6}  {:6}  {highest:12}{end}", game.pieces(), game.lines());
    }
}
