//! What was said in a run: the last of it, for the page's list.

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines kept.
const KEPT: usize = 100;

/// What the robot has said about itself and its rig.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Said {
    /// When, ms on the host's clock.
    pub t_ms: f64,
    /// In which words.
    pub words: String,
}

/// The list. Whoever writes waits at most while somebody copies it, which is done once for each new line.
#[derive(Default)]
pub struct Diary(Mutex<Lines>);

#[derive(Default)]
struct Lines {
    kept: VecDeque<Said>,
    count: u64,
}

impl Diary {
    /// Something was said.
    pub fn note(&self, said: Said) {
        let mut lines = self.lock();
        if lines.kept.len() == KEPT {
            lines.kept.pop_front();
        }
        lines.kept.push_back(said);
        lines.count += 1;
    }

    /// Lines so far, the forgotten ones included.
    pub fn count(&self) -> u64 {
        self.lock().count
    }

    /// How many lines there are, and those that came after the first `since`: when (ms), and what; oldest first.
    pub fn since(&self, since: u64) -> Value {
        let (count, kept) = {
            let lines = self.lock();
            (lines.count, lines.kept.clone())
        };
        let forgotten = count - kept.len() as u64;
        let known = usize::try_from(since.saturating_sub(forgotten)).unwrap_or(usize::MAX);
        let new: Vec<_> = kept.iter().skip(known).map(|said| json!([said.t_ms, said.words])).collect();
        json!({ "count": count, "lines": new })
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_each_is_told_once() {
        let diary = Diary::default();
        assert_eq!(diary.since(0), json!({ "count": 0, "lines": [] }));
        let note = |n: u64| diary.note(Said { t_ms: n as f64, words: format!("line {n}") });
        (0..3).for_each(note);
        assert_eq!(diary.since(2), json!({ "count": 3, "lines": [[2.0, "line 2"]] }));
        (3..250).for_each(note);
        let all = diary.since(0);
        assert_eq!((&all["count"], &all["lines"][0][1]), (&json!(250), &json!("line 150")));
        assert_eq!(all["lines"].as_array().map(Vec::len), Some(KEPT));
        assert_eq!(diary.since(249)["lines"], json!([[249.0, "line 249"]]));
        assert_eq!((diary.since(250)["lines"].clone(), diary.since(9999)["lines"].clone()), (json!([]), json!([])));
    }
}
