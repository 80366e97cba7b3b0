//! `game import`: a rule file of another program, written as a game file.

use super::understood;
use crate::app::args::Misuse;
use crate::app::args::files::Overwrite;
use crate::app::args::values::row_ms;
use crate::app::out::say;
use crate::file::{self, SETTINGS_BYTES_MAX};
use crate::profile::game_file::GameFile;
use crate::profile::nullpomino::Imported;
use anyhow::Context;
use std::path::PathBuf;

/// Options of `game import`.
#[derive(clap::Args)]
pub struct Args {
    /// The rule file.
    #[arg(value_name = "FILE.rul")]
    file: PathBuf,
    /// Write the game file here, and say on the screen what it leaves out; without it, the game file goes to standard output.
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Times a row by level from 0, ms, commas between them: a rule file does not hold them [default: those of the marathon].
    #[arg(long, value_name = "MS,MS", value_delimiter = ',', value_parser = row_ms)]
    row_ms: Vec<f64>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let path = &args.file;
    if args.out.is_none() && args.overwrite.is_given() {
        return Err(Misuse("--force writes over the file of --out: add that, or leave --force out".into()).into());
    }
    if let Some(out) = args.out.as_deref().filter(|out| out.extension().is_none_or(|ending| ending != "toml")) {
        let words = format!("{} is no name of a game file: let it end in .toml", out.display());
        return Err(Misuse(words).into());
    }
    let text = file::read_text(path, SETTINGS_BYTES_MAX)?;
    let imported = Imported::of(&text, &args.row_ms).with_context(|| format!("cannot import {}", path.display()))?;
    let name = args.out.as_ref().map_or("of this rule".into(), |out| out.display().to_string());
    let game = GameFile::parse(&name, &imported.text)
        .with_context(|| format!("cannot write {} as a game file", path.display()))?;
    let Some(out) = &args.out else {
        say!("{}", imported.text.trim_end())?;
        return Ok(());
    };
    file::save(out, imported.text.as_bytes(), args.overwrite.existing())?;
    say!("{} written.\n\n{}\n\nLeft out, and what that means for the robot:", out.display(), understood(&game))?;
    for words in &imported.left_out {
        say!("- {words}")?;
    }
    say!("\nTo try it: stackhand dry-run --game {} --pieces 100", out.display())?;
    Ok(())
}
