//! Which file imports which, read from the sources: rooms import only from rooms below them, and no two files each other.

#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the house from the ground up. `main.rs` and `lib.rs` stand outside.
const ROOMS: [&str; 16] = [
    "time", "file", "game", "message", "profile", "schedule", "vision", "twin", "planner", "belief", "robot", "train",
    "edge", "web", "app", "fuzzing",
];

/// A module as its path in the crate; the crate itself is empty.
type Module = Vec<String>;

/// The sources as text, by module.
struct House(BTreeMap<Module, String>);

/// What a path means: the module that it leads to, and the name in it, if one follows.
type Place = (Module, Option<String>);

impl House {
    /// Reads `src`.
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = sources(&root).into_iter().filter(|path| !path.ends_with("main.rs")).map(|path| {
            let text = fs::read_to_string(&path).expect("a source");
            (module_of(path.strip_prefix(&root).expect("below src")), text)
        });
        Self::of(files)
    }

    /// Files that are only tests are left out, as are the tests in others, and comments.
    fn of(files: impl IntoIterator<Item = (Module, String)>) -> Self {
        let is_code = |module: &Module| !module.last().is_some_and(|name| name.ends_with("_tests"));
        Self(
            files
                .into_iter()
                .filter(|(module, _)| is_code(module))
                .map(|(module, text)| (module, code(&text)))
                .collect(),
        )
    }

    /// For each module those that it imports from: where the imported things stand, not who hands them on.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let handed_on = self.handed_on();
        let origin = |mut place: Place| {
            // A name may be handed on several times.
            for _ in 0..8 {
                let Some(next) = handed_on.get(&place) else { break };
                place = next.clone();
            }
            place.0
        };
        let all = self.0.iter().map(|(module, text)| {
            let (statements, between) = statements(text);
            let uses = statements.into_iter().filter(|statement| !statement.is_public).flat_map(|s| s.paths);
            let places = uses.chain(paths_in_code(&between)).filter_map(|path| self.place(module, &path));
            let from = places.map(origin).filter(|other| other != module && !other.is_empty()).collect();
            (module.clone(), from)
        });
        all.collect()
    }

    /// Public names that stand elsewhere.
    fn handed_on(&self) -> BTreeMap<Place, Place> {
        let mut all = BTreeMap::new();
        for (module, text) in &self.0 {
            for path in statements(text).0.into_iter().filter(|s| s.is_public).flat_map(|s| s.paths) {
                if let Some(place) = self.place(module, &path) {
                    all.insert((module.clone(), path.last().cloned()), place);
                }
            }
        }
        all
    }

    fn place(&self, from: &Module, path: &[String]) -> Option<Place> {
        let mut rest = path.iter().map(String::as_str).peekable();
        let mut module = match *rest.peek()? {
            "crate" => rest.next().map(|_| Module::new())?,
            "self" => rest.next().map(|_| from.clone())?,
            "super" => from.clone(),
            child if self.0.contains_key(&joined(from, child)) => from.clone(),
            _ => return None,
        };
        while rest.next_if_eq(&"super").is_some() {
            module.pop();
        }
        while let Some(child) = rest.next_if(|name| self.0.contains_key(&joined(&module, name))) {
            module = joined(&module, child);
        }
        Some((module, rest.next().map(str::to_string)))
    }
}

struct Statement {
    is_public: bool,
    paths: Vec<Vec<String>>,
}

/// All `use` statements of a file, and the code between them.
fn statements(text: &str) -> (Vec<Statement>, String) {
    let (mut found, mut between) = (Vec::new(), String::new());
    for statement in text.split_inclusive(';') {
        let begin =
            statement.rfind("use ").map(|at| (at, statement[..at].rsplit('\n').next().unwrap_or_default().trim()));
        match begin.filter(|(_, before)| before.is_empty() || *before == "pub" || before.starts_with("pub(")) {
            Some((at, before)) => {
                let paths = leaves(&[], statement[at + 4..].trim_end_matches(';'));
                found.push(Statement { is_public: !before.is_empty(), paths });
                between.push_str(&statement[..at]);
            }
            None => between.push_str(statement),
        }
    }
    (found, between)
}

/// The paths of a tree such as `a::{b, c::{self, D}}`; other names (`as`) are left out.
fn leaves(before: &[String], tree: &str) -> Vec<Vec<String>> {
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[begin..]);
    let names = |text: &str| -> Vec<String> {
        let names = text
            .split("::")
            .map(str::trim)
            .filter(|name| !name.is_empty() && *name != "self" || text.starts_with("self"));
        before.iter().cloned().chain(names.map(str::to_string)).collect()
    };
    let paths =
        parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).flat_map(|part| match part.split_once('{') {
            Some((head, inner)) => leaves(&names(head), inner.trim_end().trim_end_matches('}')),
            None => vec![names(part.split(" as ").next().unwrap_or_default())],
        });
    paths.collect()
}

/// Paths from `crate` or `super` that stand in the code itself.
fn paths_in_code(text: &str) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = text.split(|c| !is_name(c));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths.map(|path| path.split("::").filter(|name| !name.is_empty()).map(str::to_string).collect()).collect()
}

fn code(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test"].into_iter().filter_map(|mark| text.find(mark)).min();
    let lines = text[..tests.unwrap_or(text.len())].lines();
    lines.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn joined(module: &Module, child: &str) -> Module {
    module.iter().cloned().chain([child.to_string()]).collect()
}

fn module_of(path: &Path) -> Module {
    let mut names: Module = path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.pop_if(|last| last == "mod" || last == "lib");
    names
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|p| p.extension().is_some_and(|e| e == "rs"))
        .collect()
}

/// Imports that lead upwards.
fn upwards(house: &House) -> Vec<String> {
    let height = |module: &Module| ROOMS.iter().position(|room| module.first().is_some_and(|first| first == room));
    let mut found = Vec::new();
    for (module, from) in house.imports() {
        for other in from {
            if !module.is_empty() && height(&module) < height(&other) {
                found.push(format!("{} imports {}", module.join("::"), other.join("::")));
            }
        }
    }
    found
}

/// Files that import each other.
fn mutual(house: &House) -> Vec<String> {
    let imports = house.imports();
    let pairs = imports.iter().flat_map(|(module, from)| from.iter().map(move |other| (module, other)));
    let both = pairs
        .filter(|(module, other)| module < other && imports.get(*other).is_some_and(|from| from.contains(*module)));
    both.map(|(module, other)| format!("{} and {}", module.join("::"), other.join("::"))).collect()
}

#[test]
fn every_room_of_the_house_is_known() {
    let house = House::read();
    let rooms: BTreeSet<&str> = house.0.keys().filter_map(|module| module.first().map(String::as_str)).collect();
    assert_eq!(rooms, BTreeSet::from(ROOMS));
}

#[test]
fn rooms_import_only_from_rooms_below_them() {
    assert_eq!(upwards(&House::read()), Vec::<String>::new());
}

#[test]
fn no_two_files_import_each_other() {
    assert_eq!(mutual(&House::read()), Vec::<String>::new());
}

#[test]
fn the_console_is_known_in_its_room_only() {
    let house = House::read();
    // Not any name that ends so.
    let is_word = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let names = |text: &str| text.match_indices("nes::").any(|(at, _)| is_word(&text[..at]));
    assert!(
        house.0.iter().any(|(module, text)| module[..] == ["game", "machine"] && names(text)),
        "where they are handed on"
    );
    let elsewhere =
        house.0.iter().filter(|(module, text)| module.first().is_none_or(|room| room != "game") && names(text));
    assert_eq!(elsewhere.map(|(module, _)| module.join("::")).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn imports_are_followed_to_where_things_stand() {
    let module = |path: &str| path.split("::").map(str::to_string).collect::<Module>();
    let house = |files: &[(&str, &str)]| House::of(files.iter().map(|(path, text)| (module(path), text.to_string())));
    // Handed on by the room's own file; and a path in the code.
    let circle = house(&[
        ("robot", "mod hand;\npub use hand::{Grip, other::Thing};"),
        ("robot::hand", "use std::fmt;\npub struct Grip;\nfn f() { super::eye::look() }"),
        ("robot::eye", "use super::Grip;\n// use crate::app::Args;"),
    ]);
    assert_eq!(mutual(&circle), ["robot::eye and robot::hand"]);
    let climbing = house(&[
        ("game", "pub mod board;"),
        (
            "game::board",
            "use crate::{robot::{eye::Eye, Hand}, time};\n#[cfg(test)]\nmod tests { use crate::app::Args; }",
        ),
        ("robot", "pub mod eye;\nmod hand;\npub use self::hand::Hand;\nuse crate::game::board::Board;"),
        ("robot::eye", ""),
        ("robot::hand", ""),
        ("time", ""),
        ("app", ""),
    ]);
    assert_eq!(upwards(&climbing), ["game::board imports robot::eye", "game::board imports robot::hand"]);
    assert!(mutual(&climbing).is_empty());
}
