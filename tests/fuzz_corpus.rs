//! Bytes that fuzzing has kept go through the same doors: what was found once stays found, on any machine.

#![allow(clippy::unwrap_used)]

use stackhand::fuzzing::{DOORS, enter};
use std::fs;
use std::path::{Path, PathBuf};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name)
}

#[test]
fn every_door_takes_its_corpus_whole_and_cut() {
    for (name, _) in DOORS {
        let entries = fs::read_dir(corpus(name)).unwrap_or_else(|e| panic!("the corpus of {name}: {e}"));
        let files: Vec<_> = entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        assert!(!files.is_empty(), "{name} has no corpus");
        for bytes in &files {
            enter(name, bytes);
            enter(name, &bytes[..bytes.len() / 2]);
        }
        println!("{name}: {} files", files.len());
    }
}

#[test]
fn each_door_has_its_target() {
    for (name, _) in DOORS {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/targets/{name}.rs"));
        assert!(fs::read_to_string(target).unwrap().contains(&format!("enter(\"{name}\"")), "{name}");
    }
}
