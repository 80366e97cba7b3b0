//! Wrong, impossible and idle input, and the answer to each: what is wrong, what would be right, and the exit status.

#![allow(clippy::unwrap_used)]

use stackhand::time::{Clock, SystemClock};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// One line of the table: what is typed, the exit status, and words that the answer must have.
struct Row(&'static str, i32, &'static [&'static str]);

const USAGE: i32 = 2;
const FAILED: i32 = 1;

const ROWS: &[Row] = &[
    // Numbers below nothing are numbers, not options.
    Row("dry-run --pieces -5", USAGE, &["--pieces", "-5", "a whole number from 1 on"]),
    Row("dry-run --level -1", USAGE, &["--level", "-1", "0..=99"]),
    Row("dry-run --level 30", USAGE, &["levels 0 to 29", "--level"]),
    Row("dry-run --game tetris", FAILED, &["no game named \"tetris\"", "nes, vitetris, standard", ".toml"]),
    Row("dry-run --game nope.toml", FAILED, &["nope.toml", "check that the path is right"]),
    Row("dry-run --game vitetris --record a.shs", USAGE, &["leave out --record"]),
    Row("game check nope.toml", FAILED, &["nope.toml", "check that the path is right"]),
    Row("game import nope.rul", FAILED, &["nope.rul", "check that the path is right"]),
    Row("game import PICTURE", FAILED, &["it is no text"]),
    Row("game import nope.rul --force", USAGE, &["--out", "leave --force out"]),
    Row("game import nope.rul --out a.rul", USAGE, &["a.rul", "end in .toml"]),
    Row("game import nope.rul --row-ms 0", USAGE, &["--row-ms", "1 to 10000 ms"]),
    Row("game show tetris --pictures", FAILED, &["no game named", "nes, vitetris, standard"]),
    Row("game show tetris", FAILED, &["no game named", "nes, vitetris, standard"]),
    Row("dry-run --hard -1", USAGE, &["--hard", "a number from 0 to 1"]),
    Row("dry-run --fps -30", USAGE, &["--fps", "-30", "5 to 240"]),
    Row("dry-run --seconds -1", USAGE, &["--seconds", "0.1 s"]),
    Row("dry-run --seconds 0", USAGE, &["--seconds", "0.1 s"]),
    Row("play --profile x.toml --patience -1", USAGE, &["--patience", "-1"]),
    Row("benchmark --bump -4", USAGE, &["--bump", "-4"]),
    Row("console --frames -1", USAGE, &["--frames", "-1"]),
    Row("doctor --timing -1", USAGE, &["--timing", "-1", "1..=86400"]),
    // The last lines are learned with a value that plays the same game, and there are more.
    Row("train value --out a.value --last-lines 6", USAGE, &["--from"]),
    Row("train value --out a.value --from learned-30hz --last-lines 0", USAGE, &["--last-lines", "1..=40"]),
    Row(
        "train value --out a.value --from learned-30hz --last-lines 6 --shard 1/2",
        USAGE,
        &["--shard", "--last-lines"],
    ),
    Row(
        "train value --out a.value --from learned-30hz --finger hz:30 --to-lines 6 --last-lines 6",
        USAGE,
        &["games of 6 lines have no 6 last ones", "fewer --last-lines"],
    ),
    Row(
        "train value --out a.value --from learned-unturned --finger hz:30 --last-lines 6",
        USAGE,
        &["other patterns", "--from another value"],
    ),
    // What would not be used is refused.
    Row("dry-run --source sim --layout nope", USAGE, &["leave out --layout", "--source"]),
    Row("dry-run --corners 1,2 3,4 5,6 7,8", USAGE, &["leave out --layout", "--corners"]),
    Row("dry-run --profile nope.toml", USAGE, &["leave out", "--profile"]),
    Row("dry-run --auto", USAGE, &["leave out", "--auto"]),
    Row("dry-run --relay none", USAGE, &["leave out --relay none", "play --relay none"]),
    Row("dry-run --source nowhere.mkv --fault dead:left", FAILED, &["no such file"]),
    Row("dry-run --source camera:0 --layout nes --fault dead:left", USAGE, &["--fault", "leave out --source"]),
    Row("dry-run --game standard --level 11", USAGE, &["levels 1 to 10", "--level"]),
    Row("dry-run --game standard --level 0", USAGE, &["levels 1 to 10", "--level"]),
    Row("dry-run --game standard --measured", USAGE, &["leave it out", "--game nes"]),
    Row("dry-run --game standard --movie-out a.fm2", USAGE, &["leave it out", "--game nes"]),
    Row("dry-run --game standard --source camera:0", USAGE, &["--game", "leave one of the two out"]),
    Row("dry-run --source camera:0 --layout nes --measured", USAGE, &["--measured", "calibrate --latency"]),
    Row("calibrate --source sim --layout nes --no-ui --ui", USAGE, &["cannot be used with"]),
    Row("console --game tetris", FAILED, &["no game named", "nes, vitetris, standard"]),
    Row("console --game nes.toml", FAILED, &["nes.toml", "check that the path is right"]),
    Row("console --game standard --trace t.jsonl", USAGE, &["--trace is of the console", "--game nes"]),
    Row("console --game vitetris --movie m.fm2", USAGE, &["--movie is of the console", "--game nes"]),
    Row("console --game vitetris --pal", USAGE, &["--pal is of the console", "--game nes"]),
    Row("console --game vitetris --junk 3", USAGE, &["--junk is only for Standard Tetris", "--game standard"]),
    Row("console --game standard --level 11", USAGE, &["levels 1 to 10", "--level"]),
    Row("console --level 30", USAGE, &["levels 0 to 29", "--level"]),
    Row("console --seed 3", USAGE, &["--seed", "leave it out"]),
    Row("console --game standard --load-game nope.txt --level 3", USAGE, &["leave --level out"]),
    Row("console --game standard --load-game nope.txt", FAILED, &["nope.txt", "check that the path is right"]),
    Row("console --game standard --speed-bias 4", USAGE, &["--speed-bias", "from -3 (slow) to 3"]),
    Row("console --game standard --board 10", USAGE, &["--board", "such as 12x24"]),
    Row("console --game standard --board 3x20", USAGE, &["--board", "4 to 200 columns and 4 to 400 rows"]),
    Row("console --game standard --board 200x401", USAGE, &["--board", "4 to 200 columns and 4 to 400 rows"]),
    Row("console --board 12x24", USAGE, &["--board is only for Standard Tetris", "--game standard"]),
    Row("console --game vitetris --shadow", USAGE, &["--shadow is only for Standard Tetris", "--game standard"]),
    Row("console --game standard --load-game nope.txt --board 12x24", USAGE, &["leave --board out"]),
    Row("console --game standard --load-game nope.txt --monochrome", USAGE, &["leave --monochrome out"]),
    Row("console --hint", USAGE, &["--hint is of Standard Tetris", "--game standard"]),
    Row("console --game vitetris --ai steady", USAGE, &["--ai is of Standard Tetris", "--game standard"]),
    Row("console --game standard --headless --frames 5 --ai steady", USAGE, &["--ai gives hints", "add --hint"]),
    Row("console --game standard --headless --frames 5 --hint --ai nobody", FAILED, &["no AI named", "steady"]),
    Row("console --game standard --headless --frames 5 --hint --board 17x20", USAGE, &["17 × 20", "at most 16 × 40"]),
    Row(
        "console --game standard --headless --frames 5 --hint --board 10x10 --ai learned-12hz",
        USAGE,
        &["10 × 20 cells, not 10 × 10", "--ai steady"],
    ),
    Row("dry-run --monochrome", USAGE, &["--monochrome is only for Standard Tetris", "--game standard"]),
    Row("dry-run --game standard --board 17x20", USAGE, &["boards of 4 to 16 columns", "console --game standard"]),
    Row("dry-run --game standard --board 200x400", USAGE, &["boards of 4 to 16 columns", "console --game standard"]),
    Row("dry-run --game standard --board 8x20 --effect pale=0.5", USAGE, &["--effect knows", "10 × 20"]),
    Row("dry-run --game standard --board 8x20 --record a.shs", USAGE, &["leave out --record"]),
    Row("dry-run --game standard --shadow --record a.shs", USAGE, &["leave out --record"]),
    Row("dry-run --mode sprint", USAGE, &["--mode is only for the modern game", "--game guideline"]),
    Row("dry-run --game vitetris --mode ultra", USAGE, &["--mode is only for the modern game", "--game guideline"]),
    Row("console --game standard --mode ultra", USAGE, &["--mode is only for the modern game", "--game guideline"]),
    Row("dry-run --game guideline --mode zen", USAGE, &["zen", "marathon, sprint, ultra"]),
    Row("dry-run --game guideline --mode sprint --realtime", USAGE, &["--mode ends the run", "leave out --realtime"]),
    Row("dry-run --game guideline --mode ultra --record a.shs", USAGE, &["leave out --record", "--mode marathon"]),
    Row("dry-run --sz", USAGE, &["--sz is only for Standard Tetris", "--game standard"]),
    Row("dry-run --game standard --junk 17", USAGE, &["--junk", "0..=16"]),
    Row("dry-run --game standard --load-game nope.txt --sz", USAGE, &["leave --sz out"]),
    Row("dry-run --game standard --save-game PICTURE", FAILED, &["exists already", "--force"]),
    Row("dry-run --game standard --save-game s.txt --realtime", USAGE, &["--save-game", "leave out --realtime"]),
    Row("console --headless", USAGE, &["--headless needs --frames"]),
    Row("console --demo --level 3", USAGE, &["--level", "--demo"]),
    Row("console --game vitetris --demo", USAGE, &["--demo is of the console", "--game nes"]),
    Row("console --two-players --movie m.fm2", USAGE, &["--two-players", "--movie"]),
    Row("console --game vitetris --two-players", USAGE, &["--two-players is of the console", "--game nes"]),
    Row("console --movie m.fm2 --demo", USAGE, &["--demo needs a file", "add FILE"]),
    Row(
        "console --trace t.jsonl --record-demo d.txt",
        USAGE,
        &["--record-demo needs someone who plays", "--movie FILE"],
    ),
    Row("console --demo nope.txt --headless --frames 9", FAILED, &["nope.txt", "check that the path is right"]),
    Row("film PICTURE a.mp4 --from-s 5 --to-s 5", USAGE, &["--to-s 5", "not after", "later"]),
    Row("film PICTURE a.mp4 --from-s -1", USAGE, &["--from-s", "from 0 up"]),
    Row("film PICTURE a.mp4 --speed 0", USAGE, &["--speed", "0.05 to 100"]),
    Row("film PICTURE a.txt", USAGE, &["a.txt is no name of a film", ".mp4"]),
    Row("film PICTURE folder", USAGE, &["folder is no name of a film"]),
    Row("film sim", FAILED, &["\"sim\" is no recording"]),
    Row("film nope.shs", FAILED, &["nope.shs", "no such file"]),
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
    Row("train value --games 0 --out none.value", USAGE, &["--games", "a whole number from 1 on"]),
    Row("train value --to-pieces 5 --out none.value", USAGE, &["leave out --to-pieces"]),
    Row("train value --finger hz:30 --reaction-frames 5 --out none.value", USAGE, &["leave out", "--reaction-frames"]),
    Row("train value --checkpoint none.value --out none.value", USAGE, &["name the same file"]),
    Row("train value --game simple:8x10 --out none.value", USAGE, &["10 columns", "leave out --game", "simple:10x10"]),
    Row("train value --game standard:10x10 --out none.value", USAGE, &["leave out --game"]),
    Row(
        "train value --game simple:10x10 --from learned-free --measure score --out none.value",
        USAGE,
        &["another field"],
    ),
    Row("train value --finalists 0 --out none.value", USAGE, &["--finalists", "from 1 to 200"]),
    Row("train value --game simple:10x10 --finalists 3 --out none.value", USAGE, &["leave out --finalists"]),
    Row("train value --rate 2 --out none.value", USAGE, &["--rate", "between 0 and 1"]),
    Row("train value --from bcts --out none.value", FAILED, &["\"bcts\" is no learned value", "learned-free"]),
    Row("train value --measure pieces --out none.value", USAGE, &["use score or lines"]),
    Row(
        "train value --from learned-free --measure lines --out none.value",
        USAGE,
        &["counts something else", "--from"],
    ),
    Row("train value --from learned-free --finger unturned --out none.value", USAGE, &["other patterns", "--finger"]),
    Row("train value --junk-rows 3 --out none.value", USAGE, &["leave out --junk-rows"]),
    Row("train swarm --features ms3 --look 3 --out none.toml", USAGE, &["it must be one of 1, 2, pairs"]),
    Row("train swarm --features ms3 --measure lines-per-junk-row --out none.toml", USAGE, &["no junk", "--game junk"]),
    Row("train eye --only kindness --out none.toml", USAGE, &["kindness", "give some of read, bleeds", "sudden"]),
    Row("train mean TEXT --out none.value", FAILED, &["holds no learning of this version"]),
    Row("dry-run --ai nobody", FAILED, &["no AI named \"nobody\"", "steady"]),
    Row("tournament", USAGE, &["--ai"]),
    Row("tournament --ai nobody", FAILED, &["no AI named \"nobody\"", "birken-2019", ".toml file"]),
    Row("tournament --ai bcts,nope.toml", FAILED, &["nope.toml", "--ai list"]),
    Row("tournament --ai TEXT", FAILED, &["no AI named"]),
    Row("tournament --ai bcts --games 0", USAGE, &["--games", "a whole number from 1 on"]),
    Row("tournament --ai bcts --finger thumb", USAGE, &["free, unturned, relay, solid, or hz:N"]),
    Row("tournament --ai bcts --finger hz:2", USAGE, &["15.0 frames", "3.8 taps a second"]),
    Row("tournament --ai bcts --finger hz:30 --game simple", USAGE, &["leave out --finger"]),
    Row("tournament --ai bcts --reaction-frames 5", USAGE, &["--reaction-frames", "hz:30"]),
    Row("tournament --ai bcts --search beam:0x2", USAGE, &["beam:WIDTHxPIECES", "rollouts:6x10"]),
    Row("tournament --ai bcts --search beam:2x2 --pieces 2", USAGE, &["--pieces", "cannot be used with"]),
    Row("tournament --ai bcts --nodes 100", USAGE, &["--search"]),
    Row("tournament --ai bcts --double-speed-from 39", USAGE, &["--finger such as hz:12"]),
    Row("tournament --ai bcts --finger hz:5 --double-speed-from 39", USAGE, &["10 taps a second or more"]),
    Row("tournament --ai bcts --game simple:3x20", USAGE, &["simple:WxH", "4 to 16 columns"]),
    Row("tournament --ai bcts --game standard:12x20", USAGE, &["standard:10xH", "4 to 40 rows"]),
    Row("tournament --ai bcts --game b-type:6", USAGE, &["b-type:H with H from 0 to 5"]),
    Row("tournament --ai bcts --game b-type:2 --junk-rows 3", USAGE, &["its own garbage", "leave out --junk-rows"]),
    Row("tournament --ai bcts --junk-rows 11", USAGE, &["no room to play", "at most 10"]),
    Row("tournament --ai bcts --junk-rises 0", USAGE, &["use cleared", "from 1"]),
    Row("tournament --ai bcts --pieces 4", USAGE, &["use 1, 2, 3 or pairs"]),
    Row("tournament --ai learned-free --pieces pairs", USAGE, &["learned-free", "leave out --pieces pairs"]),
    Row(
        "tournament --ai bcts --finger hz:10 --reaction-frames 5 --pieces pairs",
        USAGE,
        &["leave out --reaction-frames"],
    ),
    Row("tournament --ai bcts --filter no-rotation", USAGE, &["--finger unturned"]),
    Row("tournament --ai bcts --filter pattern:nope.png", FAILED, &["nope.png", "PNG of 10 × 20 pixels"]),
    Row("tournament --ai learned-free --filter well", FAILED, &["leave out --filter", "--ai steady"]),
    Row("tournament --ai bcts --seed 18446744073709551615", USAGE, &["give a smaller one"]),
    Row("tournament --ai learned-free --game simple:10x12", FAILED, &["10 × 20 cells, not 10 × 12", "--ai steady"]),
    Row("tournament --ai learned-10x10 --game simple", FAILED, &["10 × 10 cells, not 10 × 20", "--ai steady"]),
    Row("dry-run --ai learned-free --filter well", FAILED, &["leave out --filter", "--ai steady"]),
    Row("tournament --ai bcts --report /nowhere/x.html", FAILED, &["cannot write", "folder exists"]),
    Row("tournament --ai bcts --report PICTURE", FAILED, &["exists already", "--force"]),
    Row("bot --nodes 0", USAGE, &["a whole number from 1 on"]),
    Row("bot --weights nope.toml", FAILED, &["nope.toml"]),
    Row("bot --weights TEXT", FAILED, &["not valid", "calibration/guideline/versus.toml is an example"]),
    Row("versus", USAGE, &["PROGRAM"]),
    Row("versus /nowhere/bot", FAILED, &["does not start", "start it by hand"]),
    Row("versus true true true", USAGE, &["PROGRAM"]),
    Row("versus true --move-ms -1", USAGE, &["a time from 0 to 60000 ms"]),
    Row("versus true --seed 18446744073709551615", USAGE, &["smaller --seed"]),
    Row("train versus --out PICTURE", FAILED, &["exists already", "--force"]),
    Row("train versus --out new.toml --from nope.toml", FAILED, &["nope.toml"]),
    // Places to write to.
    Row(
        "calibrate --source sim --layout nes --no-ui --profile /nowhere/p.toml",
        FAILED,
        &["cannot write", "folder exists"],
    ),
    Row(
        "replay PICTURE --layout nes --auto --report /nowhere/x.html",
        FAILED,
        &["cannot write", "folder exists", "(os error 2)\n"],
    ),
    Row("replay PICTURE --layout nes --auto --annotate /nowhere/x.mkv", FAILED, &["/nowhere/x.mkv", "folder exists"]),
    Row("replay PICTURE --layout nes --auto --truth nope.jsonl", FAILED, &["nope.jsonl"]),
    Row("film PICTURE /nowhere/x.mp4 --auto", FAILED, &["/nowhere/x.mp4", "folder exists"]),
    Row("dry-run --record /nowhere/run.shs", FAILED, &["cannot write", "folder exists"]),
    Row("play --profile nope.toml", FAILED, &["nope.toml", "stackhand calibrate"]),
    // It is there, but cannot be corrected; that is no reason to calibrate.
    Row(
        "calibrate --source sim --layout nes --no-ui --profile TEXT",
        FAILED,
        &["is there already", "choose another name", "line 1"],
    ),
    Row("console --headless --frames 10 --movie-out m.fm2", USAGE, &["--movie-out", "add --session FILE"]),
    Row("console --headless --frames 10 --screenshot PICTURE", FAILED, &["exists already", "--force"]),
    // All that was tried, and what there was against each.
    Row(
        "replay PICTURE",
        FAILED,
        &[
            "in the one picture",
            "none of the 10 known games",
            "nes: ",
            "vitetris: ",
            "gameboy: ",
            "ltris: ",
            "standard: ",
            "--layout",
        ],
    ),
    Row("replay PICTURE --layout nes --auto", FAILED, &["layout \"nes\"", "--corners"]),
];

/// What is done, or done in part, and what must be said of it on either output.
const TOLD: &[Row] = &[
    Row("doctor --no-probe --click", FAILED, &["MEND  board: no relay was clicked", "name it with --relay"]),
    Row("doctor --no-probe --click --relay none", FAILED, &["MEND  board: no relay was clicked"]),
    Row("doctor --no-probe --wiring --profile PROFILE", FAILED, &["MEND  wiring: no button was tried", "--relay"]),
    Row(
        "calibrate --source sim --layout nes --no-ui --relay adr2200:/dev/nope --profile new.toml",
        0,
        &["there is no port /dev/nope at the moment", "Written to new.toml"],
    ),
    // A picture has no pieces to count: its board is what is asked for.
    Row("replay FIELD --auto", 0, &["field.png shows (in the spawn place: ", ", next: ", "  ..........\n"]),
    Row("replay FOLDER --layout nes --auto", 0, &["a.png shows", "b.png shows", "2 pictures"]),
    Row(
        "benchmark --hard 0 --clips 1 --seconds 2",
        0,
        &["1 of 1 fields found, none at a wrong place", "hardness    found", "cells open: said to be unclear"],
    ),
];

/// Runs the program in this folder; names in capitals stand for files that lie there.
fn run(folder: &Path, typed: &str) -> Output {
    let files = [
        ("PICTURE", "picture.png"),
        ("TEXT", "text.txt"),
        ("PROFILE", "rig.toml"),
        ("FIELD", "field.png"),
        ("FOLDER", "few"),
    ];
    let file = |arg: &str| files.iter().find(|(name, _)| *name == arg).map(|(_, file)| folder.join(file));
    let args = typed.split(' ').map(|arg| file(arg).map_or_else(|| arg.into(), PathBuf::into_os_string));
    let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn what_could_not_be_done_and_what_was_seen_is_told() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name| folder.path().join(name);
    assert!(run(folder.path(), "calibrate --source sim --layout nes --no-ui --profile PROFILE").status.success());
    assert!(run(folder.path(), "console --headless --frames 300 --screenshot FIELD").status.success());
    std::fs::create_dir(path("few")).unwrap();
    for copy in ["few/a.png", "few/b.png"] {
        std::fs::copy(path("field.png"), path(copy)).unwrap();
    }
    for Row(typed, status, words) in TOLD {
        let output = run(folder.path(), typed);
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let lacks: Vec<_> = words.iter().filter(|word| !told.contains(**word)).collect();
        assert!(output.status.code() == Some(*status) && lacks.is_empty(), "{typed}: lacks {lacks:?}: {told}");
        let widest = told.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 100 || !typed.starts_with("benchmark"), "{widest} characters: {told}");
    }
}

/// A recorded game that nobody here wrote, turned over.
#[test]
fn a_game_that_is_seen_in_a_mirror_is_told_so_and_read_where_that_is_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris");
    let told = |typed: &str| {
        let output = run(&folder, typed);
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.success(), told)
    };
    if told("replay robot-18s.mkv").1.contains("install it") {
        eprintln!("SKIPPED: no ffmpeg here, so no video is looked at");
        return;
    }
    let (was_read, words) = told("replay mirrored:robot-18s.mkv --layout vitetris --auto");
    assert!(!was_read && words.contains("as a mirror does") && words.contains("mirrored:camera:0"), "{words}");
    // Turned over twice it is as it was.
    let (was_read, words) = told("replay mirrored:mirrored:robot-18s.mkv --layout vitetris --auto");
    assert!(was_read && words.contains("34 of 34 pieces are those that the next box had shown"), "{words}");
}

#[test]
fn each_wrong_input_is_answered_at_once_with_what_would_be_right() {
    let folder = tempfile::TempDir::new().unwrap();
    image::RgbImage::new(256, 240).save(folder.path().join("picture.png")).unwrap();
    std::fs::write(folder.path().join("text.txt"), "hello\n").unwrap();
    let mut wrong = Vec::new();
    for Row(typed, status, words) in ROWS {
        let clock = SystemClock::new();
        let output = run(folder.path(), typed);
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
