//! Bytes that fuzzing has kept go through the same doors: what was found once stays found, on any machine.

#![allow(clippy::unwrap_used)]

use stackhand::fuzzing::{DOORS, enter};
use stackhand::time::{Clock, SystemClock};
use std::fs;
use std::path::{Path, PathBuf};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name)
}

#[test]
fn every_door_takes_its_corpus_whole_and_cut() {
    for (name, _) in DOORS {
        let entries = fs::read_dir(corpus(name)).unwrap();
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

/// Numbers from a seed, without a dependency: splitmix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// One of the corpus's files with some of its bytes flipped, doubled, cut out, set to edges, or joined with another's.
fn mutant(files: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = files[dice.below(files.len())].clone();
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len());
        let span = dice.below(40).min(bytes.len() - at);
        match dice.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            1 if !bytes.is_empty() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'9', b'-', b'"'][dice.below(8)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + span)),
            4 => {
                let copy = bytes[at..at + span].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let other = &files[dice.below(files.len())];
                let from = dice.below(other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            _ => bytes.extend(b"1e308,-1,4294967295\n".iter().take(span)),
        }
    }
    bytes
}

/// This many of each door's mutants; with STACKHAND_FUZZ_SECONDS as many as there is time for.
const MUTANTS: u64 = 300;

#[test]
fn mutants_of_the_corpus_do_no_harm() {
    let seconds: Option<u64> = std::env::var("STACKHAND_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let seed: u64 = std::env::var("STACKHAND_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let clock = SystemClock::new();
    for (name, _) in DOORS {
        let entries = fs::read_dir(corpus(name)).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let files: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        let began = clock.now();
        let (mut tried, mut slowest_ms) = (0, 0.0);
        while match seconds {
            None => tried < MUTANTS,
            Some(s) => clock.now().ms_since(began) < 1000.0 * s as f64,
        } {
            let own_seed = seed.wrapping_mul(1_000_000_007).wrapping_add(tried);
            let bytes = mutant(&files, &mut Dice(own_seed));
            let started = clock.now();
            let harm = std::panic::catch_unwind(|| enter(name, &bytes));
            assert!(harm.is_ok(), "{name}, seed {own_seed}: {:?}", String::from_utf8_lossy(&bytes));
            slowest_ms = f64::max(slowest_ms, clock.now().ms_since(started));
            tried += 1;
        }
        println!("{name}: {tried} mutants, the slowest {slowest_ms:.0} ms");
    }
}
