//! THIRD-PARTY.md names everything that is built into the program, with its licence, and is up to date. `make third-party`
//! writes it anew.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// If this is set, the file is written instead of checked.
const WRITE: &str = "THIRD_PARTY_WRITE";

const HEAD: &str = "# What others wrote\n\n\
    Libraries that are built into stackhand (for Linux, with its default features), each with its licence, then the licences' \
    texts, each with the libraries that carry it. Where a library may be used under one of several licences, it is used \
    under MIT if that is one of them. Written by `make third-party`; do not edit.\n";

struct Library {
    name: String,
    version: String,
    licence: String,
    home: String,
    folder: PathBuf,
}

/// What is linked into the program: dependencies of the root and theirs, not those of tests and build scripts.
fn libraries() -> Vec<Library> {
    let target = std::process::Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let target = String::from_utf8(target).unwrap();
    let target = target.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_string();
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", &target];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let root = text(&metadata["resolve"]["root"]);
    let (mut wanted, mut next) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(id) = next.pop() {
        for dependency in list(&nodes[&id]["deps"]) {
            let is_linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let id = text(&dependency["pkg"]);
            if is_linked && wanted.insert(id.clone()) {
                next.push(id);
            }
        }
    }
    let packages = list(&metadata["packages"]).into_iter().filter(|p| wanted.contains(&text(&p["id"])));
    let mut libraries: Vec<Library> = packages
        .map(|p| Library {
            name: text(&p["name"]),
            version: text(&p["version"]),
            licence: text(&p["license"]),
            home: text(&p["repository"]),
            folder: Path::new(&text(&p["manifest_path"])).parent().unwrap().into(),
        })
        .collect();
    libraries.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    libraries
}

impl Library {
    /// The texts that the licence asks to be passed on.
    fn texts(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        let files = std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|file| file.is_file() && starts.iter().any(|start| name(file).starts_with(start))).collect();
        files.sort();
        let is_choice = self.licence.contains("MIT") && (self.licence.contains(" OR ") || self.licence.contains('/'));
        if is_choice && files.iter().any(|file| name(file).contains("MIT")) {
            // Of one of several licences the others' texts are not needed; what is joined by AND is.
            files.retain(|file| {
                !["APACHE", "ZLIB", "UNLICENSE", "GPL", "BSD", "0BSD"].iter().any(|o| name(file).contains(o))
            });
        }
        files.iter().map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).replace("\r\n", "\n")).collect()
    }
}

fn notices() -> String {
    let libraries = libraries();
    assert!(libraries.len() > 50, "only {} libraries were found", libraries.len());
    let mut page = format!("{HEAD}\n| library | licence | where |\n|---|---|---|\n");
    // Texts that differ in their blanks only are one.
    let mut texts: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut without = Vec::new();
    for library in &libraries {
        let Library { name, version, licence, home, .. } = library;
        assert!(!licence.is_empty(), "{name} names no licence");
        writeln!(page, "| {name} {version} | {licence} | {home} |").unwrap();
        let own = library.texts();
        if own.is_empty() {
            without.push(format!("{name} ({licence})"));
        }
        for text in own {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            texts.entry(words).or_insert_with(|| (text, Vec::new())).1.push(name.clone());
        }
    }
    writeln!(page, "\nWithout a text of their own, see `where`: {}.", without.join(", ")).unwrap();
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, names) in texts {
        let lines: Vec<_> = text.trim_end().lines().map(|line| format!("    {}", line.trim_end())).collect();
        writeln!(page, "\n## {}\n\n{}", names.join(", "), lines.join("\n").replace("\n    \n", "\n\n")).unwrap();
    }
    page
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_notices_are_those_of_what_is_built_in() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THIRD-PARTY.md");
    let notices = notices();
    if std::env::var_os(WRITE).is_some() {
        return std::fs::write(path, notices).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    for licence in ["MPL-2.0", "IJG", "MIT", "Apache-2.0"] {
        assert!(notices.contains(licence), "{licence}");
    }
    assert!(written == notices, "THIRD-PARTY.md is out of date; run `make third-party`");
}
