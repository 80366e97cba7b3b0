//! Joining what shards of one training wrote.

use super::{learn, read, with_threads};
use crate::app::args::files::Overwrite;
use crate::app::args::values::count;
use crate::file;
use crate::train::checkpoint;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `train merge`.
#[derive(clap::Args)]
pub struct Args {
    /// What each --shard wrote to its --out; a --checkpoint will do, too.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file for the weights.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    out: PathBuf,
    /// Take the best of what there is, though runs are missing or not finished.
    #[arg(long)]
    unfinished: bool,
    /// Threads [default: one a core].
    #[arg(help_heading = "Machine", long, value_parser = count)]
    threads: Option<u64>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Joins them, chooses the best run, and writes its weights.
///
/// # Errors
/// When they are not the parts of one training, or a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    file::check(&args.out, args.overwrite.existing())?;
    let parts = args.files.iter().map(|path| Ok((path.display().to_string(), read(path)?)));
    let all = checkpoint::merge(parts.collect::<anyhow::Result<_>>()?, args.unfinished)?;
    with_threads(args.threads, || learn::finish(&all, &args.out, args.overwrite.existing()))??;
    Ok(ExitCode::SUCCESS)
}
