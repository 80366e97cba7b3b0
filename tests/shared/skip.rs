//! Tests that cannot be made here say so where everybody sees it.

use std::io::Write;
use std::path::Path;

/// Says that something is not tested, for want of these: programs, files (with a slash, from the project's root), or what no
/// look-up can tell, in words. In CI none may be skipped whose needs are all there: then it is the search for them that is
/// broken.
#[track_caller]
pub fn skipped(what: &str, needs: &[&str]) {
    assert!(
        std::env::var_os("CI").is_none() || !needs.iter().all(|need| is_there(need)),
        "{what} is skipped, although {needs:?} are there"
    );
    // Not by a macro: what those say of a test that passes is kept back.
    let text = format!("SKIPPED: {what}; that needs {}\n", needs.join(", "));
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn is_there(need: &str) -> bool {
    match need.contains('/') {
        true => Path::new(env!("CARGO_MANIFEST_DIR")).join(need).exists(),
        false => {
            std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|p| p.join(need).exists()))
        }
    }
}
