//! Clips of the simulated camera in which the eye once went wrong.

#![allow(clippy::unwrap_used)]

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use std::process::Command;

/// What the benchmark makes of one clip through the worst camera: spawns, those that are exact, and surely wrong cells.
fn figures(seed: &str, seconds: &str) -> [u64; 3] {
    let args = ["benchmark", "--hard", "1", "--clips", "1", "--seed", seed, "--seconds", seconds, "--json"];
    let output = Command::cargo_bin("stackhand").unwrap().args(args).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let summary: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    ["spawns", "exact", "cells_wrong"].map(|name| summary["truth"][name].as_u64().unwrap())
}

#[test]
fn a_curtain_halfway_down_is_neither_a_slope_of_light_nor_a_new_background() {
    assert_eq!(figures("1190019", "9"), [9, 9, 0], "its rows were read as empty");
    assert_eq!(figures("1130084", "15"), [17, 17, 0], "the whole field was");
}

#[test]
fn a_windows_light_beside_the_place_where_pieces_appear_is_no_pile() {
    let [spawns, exact, wrong] = figures("1190073", "6");
    assert_eq!([spawns, exact], [6, 6]);
    // Until another piece comes, a part of it may be one.
    assert!(wrong <= 300, "{wrong}");
}

#[test]
fn a_light_on_the_floor_of_a_noisy_picture_is_no_pile() {
    let [spawns, exact, wrong] = figures("1310055", "6");
    assert_eq!([spawns, exact], [1, 1]);
    // Only in its first pictures, before any empty level is known; it was a pile for a second and a half, 780 cells.
    assert!(wrong <= 80, "{wrong}");
}

#[test]
fn an_overexposed_screen_through_a_soft_lens_is_found() {
    // All that is light is two pixels wider, of cells of twelve.
    for (seed, spawns) in [("1190104", 4), ("990069", 4)] {
        let [seen, exact, wrong] = figures(seed, "5");
        assert!(
            seen == exact && exact >= spawns && wrong == 0,
            "{seed}: {seen} spawns, {exact} exact, {wrong} cells wrong"
        );
    }
}

#[test]
fn blurred_blocks_with_a_glint_each_are_no_windows_light() {
    assert_eq!(figures("1230036", "9")[2], 0, "the middle of the pile was read as empty");
}
