//! stub
use std::process::ExitCode;
/// Options of `doctor`.
#[derive(clap::Args)]
pub struct Args {}
/// Runs it.
pub fn run(_args: &Args) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
