//! Wrong, impossible and idle input, and the answer to each: what is wrong, what would be right, and the exit status.

#![allow(clippy::unwrap_used)]

use stackhand::time::{Clock, SystemClock};
use std::process::{Command, Stdio};

/// One line of the table: what is typed, the exit status, and words that the answer must have.
struct Row(&'static str, i32, &'static [&'static str]);

const USAGE: i32 = 2;
const FAILED: i32 = 1;

const ROWS: &[Row] = &[
    // Numbers below nothing are numbers, not options.
    Row("dry-run --pieces -5", USAGE, &["--pieces", "-5", "a whole number from 1 on"]),
    Row("dry-run --level -1", USAGE, &["--level", "-1", "0..=29"]),
    Row("dry-run --hard -1", USAGE, &["--hard", "a number from 0 to 1"]),
    Row("dry-run --fps -30", USAGE, &["--fps", "-30", "5 to 240"]),
    Row("dry-run --seconds -1", USAGE, &["--seconds", "0.1 s"]),
    Row("dry-run --seconds 0", USAGE, &["--seconds", "0.1 s"]),
    Row("play --profile x.toml --patience -1", USAGE, &["--patience", "-1"]),
    Row("benchmark --bump -4", USAGE, &["--bump", "-4"]),
    Row("console --frames -1", USAGE, &["--frames", "-1"]),
    Row("doctor --timing -1", USAGE, &["--timing", "-1", "1..=86400"]),
    // What would not be used is refused.
    Row("dry-run --source sim --layout nope", USAGE, &["leave out --layout", "--source"]),
    Row("dry-run --corners 1,2 3,4 5,6 7,8", USAGE, &["leave out --layout", "--corners"]),
    Row("dry-run --profile nope.toml", USAGE, &["leave out", "--profile"]),
    Row("dry-run --auto", USAGE, &["leave out", "--auto"]),
    Row("dry-run --relay none", USAGE, &["leave out --relay none", "play --relay none"]),
    Row("dry-run --source nowhere.mkv --fault dead:left", FAILED, &["no such file"]),
    Row("dry-run --source camera:0 --layout nes --fault dead:left", USAGE, &["--fault", "leave out --source"]),
    Row("dry-run --source camera:0 --layout nes --measured", USAGE, &["--measured", "calibrate --latency"]),
    Row("calibrate --source sim --layout nes --no-ui --ui", USAGE, &["cannot be used with"]),
    Row("console --headless", USAGE, &["--headless needs --frames"]),
    // Corners between which no field can be.
    Row("replay PICTURE --layout nes --corners 300,10 100,10 100,200 300,200", USAGE, &["wrong way round", "mirror"]),
    Row("replay PICTURE --layout nes --corners 1e9,1e9 2e9,1e9 2e9,2e9 1e9,2e9", USAGE, &["far outside", "256 × 240"]),
    Row("replay PICTURE --layout nes --corners 10,10 100,200 100,10 10,200", USAGE, &["crosses itself"]),
    Row("replay PICTURE --layout nes --corners 10,10 12,10 12,14 10,14", USAGE, &["too little for a field"]),
    // Names.
    Row("dry-run --fault dead:lefty", USAGE, &["lefty", "right, left, down", "dead"]),
    Row("dry-run --fault lose:5", USAGE, &["\"5\"", "0 to 1"]),
    Row("dry-run --fault wobble:1", USAGE, &["is no fault", "dead:BUTTON"]),
    Row("dry-run --fault dead:left@soon", USAGE, &["\"soon\"", "seconds"]),
    Row("dry-run --filter pattern:", USAGE, &["file is missing", "pattern:heart.png"]),
    Row("dry-run --filter pattern:nope.png", FAILED, &["nope.png", "PNG of 10 × 20 pixels"]),
    Row("dry-run --finger thumb", USAGE, &["relay, solid, or hz:N"]),
    Row("dry-run --relay adr2200:/dev/null --pieces 1", FAILED, &["/dev/null is no serial port", "stackhand doctor"]),
    Row("dry-run --relay lpt:1", FAILED, &["no protocol \"lpt\"", "adr2200:/dev/ttyUSB0"]),
    Row("dry-run --relay adr2200:/dev/x?baud=12", FAILED, &["baud is a rate", "help boards"]),
    Row("dry-run --listen foo --realtime", FAILED, &["\"foo\" is no address", "HOST:PORT"]),
    Row("dry-run --listen 192.0.2.77:8080 --realtime", FAILED, &["no address of this computer", "0.0.0.0"]),
    Row("help nonsense", USAGE, &["no help on \"nonsense\"", "boards, sources, games, fingers"]),
    Row("plays", USAGE, &["plays", "play"]),
    // Places to write to.
    Row(
        "calibrate --source sim --layout nes --no-ui --profile /nowhere/p.toml",
        FAILED,
        &["cannot write", "folder exists"],
    ),
    Row("replay PICTURE --layout nes --auto --report /nowhere/x.html", FAILED, &["cannot write", "folder exists"]),
    Row("replay PICTURE --layout nes --auto --annotate /nowhere/x.mkv", FAILED, &["/nowhere/x.mkv", "folder exists"]),
    Row("replay PICTURE --layout nes --auto --truth nope.jsonl", FAILED, &["nope.jsonl"]),
    Row("dry-run --record /nowhere/run.shs", FAILED, &["cannot write", "folder exists"]),
    Row("play --profile nope.toml", FAILED, &["nope.toml", "stackhand calibrate"]),
];

#[test]
fn each_wrong_input_is_answered_at_once_with_what_would_be_right() {
    let folder = tempfile::TempDir::new().unwrap();
    let picture = folder.path().join("picture.png");
    image::RgbImage::new(256, 240).save(&picture).unwrap();
    let mut wrong = Vec::new();
    for Row(typed, status, words) in ROWS {
        let args = typed.split(' ').map(|arg| if arg == "PICTURE" { picture.to_str().unwrap() } else { arg });
        let clock = SystemClock::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
        let output = command.args(args).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let lacks: Vec<_> = words.iter().filter(|word| !told.contains(**word)).collect();
        // Before work that takes long; a busy computer has time to start a program.
        let took_ms = clock.now().ms();
        let is_soon = took_ms < 10_000.0;
        if output.status.code() != Some(*status) || !lacks.is_empty() || !is_soon || !output.stdout.is_empty() {
            let code = output.status.code();
            wrong.push(format!("{typed}: status {code:?} after {took_ms:.0} ms, lacks {lacks:?}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
