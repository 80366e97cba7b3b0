//! A file that a page hands out: the recording that is shown or made, or what was exported of it.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Characters of a name that a browser is told.
const NAME_MAX: usize = 100;

/// A file, held open: whatever is put in its place later is not handed out.
#[derive(Debug, Clone)]
pub struct Download {
    name: String,
    file: Arc<Mutex<File>>,
    /// A robot plays meanwhile, and needs the computer.
    is_busy: bool,
}

impl Download {
    /// A file that nobody writes any more.
    ///
    /// # Errors
    /// When it does not open, or is no ordinary file.
    pub fn open(path: &Path) -> Result<Self> {
        // A pipe would be waited for.
        if !path.metadata()?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "no ordinary file"));
        }
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name: harmless(&name), file: Arc::new(Mutex::new(File::open(path)?)), is_busy: false })
    }

    /// One that is added to while a robot plays: it is handed out slowly enough not to disturb it.
    #[must_use]
    pub fn beside_a_robot(self) -> Self {
        Self { is_busy: true, ..self }
    }

    /// Whether a robot plays meanwhile.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Its name without its folder: nothing in it means anything to a browser, a shell or a file system.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the page says of it: its name, and its length by now, bytes.
    pub fn to_json(&self) -> Value {
        json!({ "name": self.name, "bytes": self.length().ok() })
    }

    /// Its length by now, bytes.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn length(&self) -> Result<u64> {
        Ok(self.file.lock().unwrap_or_else(PoisonError::into_inner).metadata()?.len())
    }

    /// Exactly this many bytes from a place on.
    ///
    /// # Errors
    /// When they cannot be read, or the file has become shorter.
    pub fn read(&self, from: u64, count: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

fn harmless(name: &str) -> String {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = name.chars().map(|c| if is_harmless(c) { c } else { '_' }).collect();
    // Neither hidden nor an option; its ending tells what it is.
    let name = name.trim_start_matches(['.', '-']);
    let name = &name[name.len().saturating_sub(NAME_MAX)..];
    if name.is_empty() { "recording".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_nothing_to_anybody() {
        for (given, told) in [
            ("run.shs", "run.shs"),
            ("a b\"; rm -rf ~\r\n.shs", "a_b___rm_-rf____.shs"),
            ("..", "recording"),
            ("-rf.shs", "rf.shs"),
            ("spät.mkv", "sp_t.mkv"),
        ] {
            assert_eq!(harmless(given), told);
        }
        let long = harmless(&format!("{}.shs", "x".repeat(300)));
        assert!(long.len() == NAME_MAX && long.ends_with(".shs"));
    }
}
