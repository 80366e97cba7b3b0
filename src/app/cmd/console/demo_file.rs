//! Demos on the disk.

use crate::app::out::say;
use crate::file::{self, Existing, SETTINGS_BYTES_MAX};
use crate::game::machine::demo::Demo;
use crate::game::machine::{Console, Recording};
use anyhow::{Context, bail};
use std::path::Path;
use std::sync::Arc;

/// Reads a demo.
///
/// # Errors
/// When the file cannot be read or is no demo.
pub fn read(path: &Path) -> anyhow::Result<Arc<Demo>> {
    let text = file::read_text(path, SETTINGS_BYTES_MAX)?;
    let demo = Demo::parse(&text).with_context(|| format!("{} is no demo", path.display()))?;
    Ok(Arc::new(demo))
}

/// Writes what a console has recorded, and says how much that is.
///
/// # Errors
/// When nothing was recorded, or the disk is full or gone.
pub fn write(recorded: Option<(Demo, Recording)>, path: &Path, existing: Existing) -> anyhow::Result<()> {
    let Some((demo, recording)) = recorded else {
        bail!(
            "no demo was recorded: the title screen goes to it after 21 s in which nobody presses Start; let the movie wait there"
        );
    };
    file::save(path, demo.to_text().as_bytes(), existing)?;
    say!("{} of 256 pairs of buttons written to {}.", recording.pairs, path.display())?;
    if recording.forgotten > 0 {
        say!(
            "The same buttons were held for 256 frames {} times: the console's counter is a byte and forgets these frames, so the demo plays differently from there on. Record it again, and press something now and then.",
            recording.forgotten
        )?;
    }
    Ok(())
}

/// Puts a demo into a console that was just switched on, and the recorder beside it.
pub fn insert(console: &mut Console, demo: Option<Arc<Demo>>, records: bool) {
    if let Some(demo) = demo {
        console.insert_demo(demo);
    }
    if records {
        console.record_demo();
    }
}
