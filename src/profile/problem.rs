//! What is wrong with a key of a file, and where it stands.

use std::fmt;

/// A key whose value cannot be, and what is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The key with its section, such as `rules.row_ms`.
    pub key: String,
    /// What it must be.
    pub words: String,
}

impl Problem {
    /// What is wrong with this key.
    pub fn of(key: impl Into<String>, words: impl Into<String>) -> Self {
        Self { key: key.into(), words: words.into() }
    }

    /// The line of the key in a text, from 1; that of its section where the key is missing, and the first where that is, too.
    pub fn line_in(&self, text: &str) -> usize {
        let (section, key) = self.key.rsplit_once('.').unwrap_or(("", &self.key));
        let heading = format!("[{section}]");
        let begin = if section.is_empty() { Some(0) } else { text.lines().position(|line| line.trim() == heading) };
        let Some(begin) = begin else { return 1 };
        let rest = text.lines().enumerate().skip(begin);
        let own = rest.skip(usize::from(!section.is_empty())).take_while(|(_, line)| !is_heading(line));
        let is_key =
            |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        own.into_iter().find(|(_, line)| is_key(line)).map_or(begin, |(at, _)| at) + 1
    }
}

/// Not a line of a list of lists.
fn is_heading(line: &str) -> bool {
    line.trim_start().strip_prefix('[').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.words)
    }
}
