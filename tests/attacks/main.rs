//! Attacks on a robot that holds buttons down, a row each, at random moments: are the relays open soon enough, and where
//! nobody can open them, is it told?
//!
//! `cargo test --test attacks` makes a few trials of each row and asserts what happens, with room for a busy computer;
//! `make attacks TRIALS=100` makes many, with the limit that is promised, and prints the table of hardware/safety.md.

#![allow(clippy::unwrap_used, clippy::expect_used)]
// Judged by a clock of its own, not by the program's.
#![allow(clippy::disallowed_methods)]

#[cfg(unix)]
mod board;
#[cfg(unix)]
mod robot;
#[cfg(unix)]
mod table;

#[cfg(unix)]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    match args.first().map(String::as_str) {
        Some("robot") => std::process::exit(robot::main(&args[1], &args[2])),
        // What runs tests may ask for their names.
        Some("--list") => {}
        _ => {
            hang_up_as_a_terminal_would().expect("a signal handler");
            let number = |name, default| value(name).map_or(default, |text| text.parse().expect("a number"));
            let is_good =
                table::run(number("--trials", 1), number("--limit-ms", 6000), number("--jobs", 4), value("--only"));
            std::process::exit(i32::from(!is_good));
        }
    }
}

/// What a program ignores stays ignored in those that it starts, so under nohup no robot would hear SIGHUP; what it handles
/// does not.
#[cfg(unix)]
fn hang_up_as_a_terminal_would() -> std::io::Result<()> {
    let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGHUP, 1, always).map(drop)
}

#[cfg(not(unix))]
fn main() {
    eprintln!("attacks: skipped, there are no pseudo-terminals here");
}
