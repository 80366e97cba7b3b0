//! Training as a person or a cluster runs it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Some seconds of training: five runs.
const SMALL: [&str; 14] = [
    "--features",
    "ms3",
    "--runs",
    "5",
    "--iterations",
    "3",
    "--candidates",
    "10",
    "--games",
    "2",
    "--validation-games",
    "20",
    "--seed",
    "11",
];

fn train(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
    command.arg("train").args(words).current_dir(folder).stdin(Stdio::null());
    command
}

fn swarm(folder: &Path, words: &[&str]) -> Command {
    let mut command = train(folder, &["swarm"]);
    command.args(SMALL).args(words);
    command
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Fails with this status and these words.
fn refuses(command: &mut Command, status: i32, words: &[&str]) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{command:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{command:?} does not say {word:?}: {said}");
    }
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn four_shards_side_by_side_merge_to_what_one_run_of_all_writes() {
    let folder = TempDir::new().unwrap();
    succeeds(&mut swarm(folder.path(), &["--out", "alone.toml", "--threads", "3"]));
    let shards: Vec<_> = (1..=4)
        .map(|i| {
            let (shard, out) = (format!("{i}/4"), format!("part-{i}.toml"));
            swarm(folder.path(), &["--shard", &shard, "--out", &out, "--threads", "1"])
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut shard in shards {
        assert!(shard.wait().unwrap().success());
    }
    // In any order.
    let parts = ["part-3.toml", "part-1.toml", "part-4.toml", "part-2.toml"];
    let merge = [&["merge"][..], &parts, &["--out", "merged.toml"]].concat();
    let output = succeeds(&mut train(folder.path(), &merge));
    assert_eq!(text(&folder, "merged.toml"), text(&folder, "alone.toml"));
    assert!(String::from_utf8(output.stdout).unwrap().contains(" lines in 20 games that chose it"));
    // And the robot can play by them.
    let weights = stackhand::planner::Weights::parse("merged.toml", &text(&folder, "merged.toml")).unwrap();
    assert_eq!(weights.by_feature().len(), 7);
    assert!(weights.about().contains("stackhand train swarm --features ms3 --game nes-unturned --candidates 10"));
}

/// Runs it until it is done, and kills it four times when it has written something down; how often it did not end before.
#[cfg(unix)]
fn killed_until_done(mut command: impl FnMut() -> Command, checkpoint: &Path) -> usize {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let mut kills = 0;
    loop {
        let mut child = command().spawn().unwrap();
        let before = fs::read(checkpoint).unwrap_or_default();
        // Until it has written something new, or is done.
        let mut ended = None;
        crate::eventually::eventually("an iteration is written down", || {
            ended = child.try_wait().unwrap();
            ended.is_some() || fs::read(checkpoint).is_ok_and(|now| now != before)
        });
        if ended.is_none() && kills < 4 {
            kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
            let status = child.wait().unwrap();
            kills += usize::from(!status.success());
            if !status.success() {
                continue;
            }
        }
        assert!(child.wait().unwrap().success());
        return kills;
    }
}

#[cfg(unix)]
#[test]
fn a_training_that_was_killed_goes_on_to_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    for method in ["swarm", "entropy", "cma"] {
        let [straight, killed, run] = ["straight", "killed", "run"].map(|name| format!("{method}-{name}.toml"));
        let command = |words: &[&str]| {
            let mut command = train(folder.path(), &[method]);
            command.args(SMALL).args(words);
            command
        };
        succeeds(&mut command(&["--out", &straight]));
        let kills = killed_until_done(|| command(&["--out", &killed, "--checkpoint", &run]), &folder.path().join(&run));
        assert!(kills > 0, "{method} was done before it could be killed");
        assert_eq!(text(&folder, &killed), text(&folder, &straight));
    }
}

/// A second or two of self-play.
fn versus(folder: &Path, words: &[&str]) -> Command {
    let small = ["--candidates", "3", "--games", "1", "--nodes", "60", "--pieces", "25", "--seed", "5"];
    let mut command = train(folder, &["versus"]);
    command.args(small).args(words);
    command
}

#[cfg(unix)]
#[test]
fn self_play_that_was_killed_goes_on_to_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    succeeds(&mut versus(path, &["--generations", "8", "--out", "straight.toml", "--threads", "1"]));
    let command =
        || versus(path, &["--generations", "8", "--out", "killed.toml", "--checkpoint", "run", "--threads", "2"]);
    assert!(killed_until_done(command, &path.join("run")) > 0, "it was done before it could be killed");
    assert_eq!(text(&folder, "killed.toml"), text(&folder, "straight.toml"));
    // More generations go on from there, too.
    succeeds(&mut versus(path, &["--generations", "10", "--out", "longer.toml"]));
    let on = succeeds(&mut versus(path, &["--generations", "10", "--out", "on.toml", "--checkpoint", "run"]));
    assert!(String::from_utf8_lossy(&on.stderr).contains("run: going on after 8 of 10 generations"));
    assert_eq!(text(&folder, "on.toml"), text(&folder, "longer.toml"));
}

#[test]
fn self_play_refuses_what_is_not_its_checkpoint() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    succeeds(&mut versus(path, &["--generations", "2", "--out", "two.toml", "--checkpoint", "run"]));
    let on = |words: &[&str]| versus(path, &[&["--out", "o", "--checkpoint", "run"], words].concat());
    let other = ["run is another than what is asked for (", "weights that it begins with, --from", "name another file"];
    refuses(&mut on(&["--from", "two.toml"]), 1, &other);
    let games = ["versus", "--candidates", "3", "--games", "2", "--nodes", "60", "--pieces", "25", "--seed", "6"];
    let differs = ["games 1 and 2, seed 5 and 6", "give it the settings that it has"];
    refuses(train(path, &games).args(["--out", "o", "--checkpoint", "run"]), 1, &differs);
    let fewer = ["2 generations are done already; give --generations 2 for what came of them, or more"];
    refuses(&mut on(&["--generations", "1"]), 2, &fewer);
    refuses(&mut versus(path, &["--out", "run", "--checkpoint", "run"]), 2, &["same file"]);
    refuses(&mut versus(path, &["--out", "o", "--checkpoint", "no/such/run"]), 1, &["cannot write", "folder exists"]);
    // Neither kind of training goes on with the other's.
    refuses(&mut swarm(path, &["--out", "o", "--checkpoint", "run"]), 1, &["run is no training of this kind"]);
    let whole = text(&folder, "run");
    fs::write(path.join("half"), &whole[..whole.len() / 2]).unwrap();
    refuses(&mut versus(path, &["--out", "o", "--checkpoint", "half"]), 1, &["half was cut off or changed"]);
    assert!(!path.join("o").exists());
}

#[test]
fn the_best_so_far_can_be_taken_from_a_checkpoint() {
    let folder = TempDir::new().unwrap();
    let parts = ["1/5", "2/5"].map(|shard| shard.replace('/', "-"));
    for name in &parts {
        let shard = name.replace('-', "/");
        succeeds(&mut swarm(
            folder.path(),
            &["--shard", &shard, "--out", name, "--checkpoint", &format!("{name}.run")],
        ));
    }
    let merge =
        |words: &[&str]| train(folder.path(), &[&["merge", "1-5.run", "2-5", "--out", "best.toml"], words].concat());
    refuses(&mut merge(&[]), 1, &["of 5 runs 3 are not there or not finished: 3, 4, 5", "--unfinished"]);
    succeeds(&mut merge(&["--unfinished"]));
    assert!(text(&folder, "best.toml").contains("3 runs of it unfinished"));
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let swarm = |words: &[&str]| swarm(path, words);
    refuses(train(path, &["swarm", "--features", "ms3", "--games", "0", "--out", "o"]).arg("-v"), 2, &["--games"]);
    refuses(&mut train(path, &["swarm", "--features", "ms9", "--out", "o"]), 2, &["give ms1, ms2 or ms3"]);
    refuses(&mut train(path, &["swarm", "--features", "ms3", "--game", "chess", "--out", "o"]), 2, &["nes-unturned"]);
    refuses(&mut swarm(&["--shard", "6/9", "--out", "o"]), 2, &["no run is left for the shard 6/9 of 5 runs"]);
    refuses(&mut swarm(&["--shard", "3", "--out", "o"]), 2, &["write it as 1/4"]);
    refuses(&mut swarm(&["--out", "o", "--checkpoint", "o"]), 2, &["same file"]);
    refuses(&mut swarm(&["--out", "no/such/folder/o"]), 1, &["cannot write", "folder exists"]);
    succeeds(&mut swarm(&["--shard", "1/5", "--out", "part", "--checkpoint", "run"]));
    // What exists already is not lost; what is of other settings is not mixed in.
    refuses(&mut swarm(&["--out", "part"]), 1, &["exists already", "--force"]);
    refuses(&mut swarm(&["--shard", "2/5", "--out", "o", "--checkpoint", "run"]), 1, &["shard 1/5 and 2/5"]);
    let mut other = train(path, &["swarm", "--features", "ms2", "--seed", "11", "--shard", "2/5", "--runs", "5"]);
    succeeds(other.args(["--iterations", "1", "--candidates", "1", "--games", "1", "--out", "other"]));
    let differs = ["other is of another training than part: candidates 1 and 10, features ", "games 1 and 2"];
    refuses(&mut train(path, &["merge", "part", "other", "--out", "o"]), 1, &differs);
    // Half a file.
    let whole = text(&folder, "run");
    fs::write(path.join("half"), &whole[..whole.len() / 2]).unwrap();
    let half = ["half was cut off or changed after it was written", "remove it to begin anew"];
    refuses(&mut swarm(&["--shard", "1/5", "--out", "o", "--checkpoint", "half"]), 1, &half);
    refuses(&mut train(path, &["merge", "half", "--out", "o"]), 1, &half);
    assert!(!path.join("o").exists());
}

/// A limit on the length of files refuses writes as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_the_best_so_far_is_kept() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    succeeds(&mut swarm(path, &["--out", "alone.toml", "--checkpoint", "run"]));
    let run = text(&folder, "run");
    let limited = |words: &[&str], blocks: &str| {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -f {blocks}; exec \"$@\"");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_stackhand"), "train", "swarm"]);
        shell.args(SMALL).args(words).current_dir(path).stdin(Stdio::null());
        shell
    };
    // Nothing fits into the weights' file: they are told instead.
    let mut told = limited(&["--out", "full.toml", "--checkpoint", "run"], "0");
    let output = told.output().unwrap();
    let (said, weights) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the disk is not full") && said.contains("On standard output instead"), "{said}");
    assert_eq!(weights, text(&folder, "alone.toml"));
    assert_eq!(text(&folder, "run"), run);
    // A checkpoint does not fit: the one before stays, and nothing else.
    let begun = ["--out", "second.toml", "--checkpoint", "second"];
    refuses(
        &mut limited(&begun, "1"),
        1,
        &["the training ends, for it cannot be written down", "the disk is not full"],
    );
    let names: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "{names:?}");
    succeeds(&mut swarm(path, &begun));
    assert_eq!(text(&folder, "second.toml"), text(&folder, "alone.toml"));
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_self_play_ends_with_the_generation_before_written_down() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    succeeds(&mut versus(path, &["--generations", "1", "--out", "one.toml", "--checkpoint", "run"]));
    let run = text(&folder, "run");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_stackhand")]).current_dir(path);
    shell.args(versus(path, &["--generations", "2", "--out", "two.toml", "--checkpoint", "run"]).get_args());
    refuses(&mut shell, 1, &["the training ends, for it cannot be written down", "the disk is not full"]);
    assert_eq!(text(&folder, "run"), run);
    assert!(!path.join("two.toml").exists());
}

/// The ready scripts, with a scheduler that runs each task at once.
#[cfg(unix)]
#[test]
fn the_ready_scripts_train_as_one_run_of_all() {
    let folder = TempDir::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib");
    succeeds(&mut swarm(folder.path(), &["--out", "alone.toml"]));
    for task in ["1", "2"] {
        let mut script = Command::new("sh");
        script.arg(root.join("slurm/train.sbatch")).arg("swarm").args(SMALL).current_dir(folder.path());
        script.env("STACKHAND", env!("CARGO_BIN_EXE_stackhand")).env("SLURM_CPUS_PER_TASK", "1");
        script.env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_TASK_COUNT", "2").env_remove("OUT");
        // Sent back to the queue when it was done.
        for _ in 0..2 {
            succeeds(&mut script);
        }
    }
    succeeds(&mut train(folder.path(), &["merge", "part-1.toml", "part-2.toml", "--out", "slurm.toml"]));
    assert_eq!(text(&folder, "slurm.toml"), text(&folder, "alone.toml"));
    if !Command::new("parallel").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return crate::skip::skipped("contrib/parallel/train.sh", &["parallel"]);
    }
    let mut script = Command::new("sh");
    script.arg(root.join("parallel/train.sh")).args(["2", "parallel.toml", "swarm"]).args(SMALL);
    succeeds(script.current_dir(folder.path()).env("STACKHAND", env!("CARGO_BIN_EXE_stackhand")));
    assert_eq!(text(&folder, "parallel.toml"), text(&folder, "alone.toml"));
}
