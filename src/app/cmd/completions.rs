//! `completions` and `man`: what shells and manuals know about the command line.

use crate::app::args::files::Overwrite;
use crate::app::out::say;
use crate::file;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `completions`.
#[derive(clap::Args)]
pub struct Args {
    /// The shell that is to complete commands.
    #[arg(value_enum)]
    shell: Shell,
}

/// Options of `man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Write the pages of all commands to this folder (stackhand.1, stackhand-play.1, ...) instead of the first to standard
    /// output.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Runs `completions`; `Cli` is the whole command line.
pub fn run<Cli: CommandFactory>(args: &Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "stackhand", &mut script);
    say!("{}", String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `man`.
pub fn man<Cli: CommandFactory>(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut cli = Cli::command();
    cli.build();
    let Some(folder) = &args.out else {
        say!("{}", String::from_utf8_lossy(&page(&cli)?).trim_end())?;
        return Ok(ExitCode::SUCCESS);
    };
    save(folder, "stackhand", &cli, args.overwrite)?;
    Ok(ExitCode::SUCCESS)
}

/// A command's page, and those of the commands below it.
fn save(folder: &Path, name: &str, command: &Command, overwrite: Overwrite) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    file::save(&path, &page(command)?, overwrite.existing())?;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        save(folder, &format!("{name}-{}", below.get_name()), below, overwrite)?;
    }
    Ok(())
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
