//! `game`: how games play: those that come with the program, and files that a user writes.

mod import;
mod pictures;

use crate::app::out::say;
use crate::game::Rules;
use crate::profile::game_file::{FieldSize, GameFile, Levels};
use clap::Subcommand;
use std::process::ExitCode;

/// Options of `game`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Name the games that come with the program, a line each.
    List,
    /// Print the file of one of them, to begin an own one with; or draw a game's pieces.
    Show {
        /// Its name; with --pictures also a file.
        #[arg(value_name = "NAME")]
        name: String,
        /// Draw instead where each piece appears, and what each turn makes of it.
        #[arg(long)]
        pictures: bool,
    },
    /// Say whether a file describes a game, and what of it was understood.
    Check {
        /// The file, or a name.
        #[arg(value_name = "FILE")]
        file: String,
    },
    /// Write a rule file of NullpoMino (.rul) as a game file, and say what of it a game file cannot say.
    Import(import::Args),
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::List => {
            let width = GameFile::built_in().map(|(name, _)| name.len()).max().unwrap_or(0);
            for (name, _) in GameFile::built_in() {
                say!("{name:width$}  {}", GameFile::load(name)?.title)?;
            }
        }
        What::Show { name, pictures: true } => say!("{}", pictures::of(&GameFile::load(name)?))?,
        What::Show { name, .. } => match GameFile::built_in().find(|(known, _)| known == name) {
            Some((_, text)) => say!("{}", text.trim_end())?,
            // The refusal of a name that is none; a file can be looked at by other means.
            None => say!("{}", understood(&GameFile::load(name)?))?,
        },
        What::Import(args) => import::run(args)?,
        What::Check { file } => say!("{}", understood(&GameFile::load(file)?))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What a file says, in words.
fn understood(game: &GameFile) -> String {
    let FieldSize { columns, rows } = game.field;
    let variants = game.rules.variants().unwrap_or_default();
    let mut words = format!("{}: {}\nfield: {columns} × {rows} cells\n", game.name, game.title);
    let Some(Rules::Simple(rules)) = variants.first() else {
        words.push_str("rules: the NES's, to the frame");
        return words;
    };
    let (first, last) = (rules.row_ms.first().unwrap_or(&0.0), rules.row_ms.last().unwrap_or(&0.0));
    words.push_str(&match rules.row_ms.len() {
        0 | 1 => format!("rules: {first} ms a row at all levels"),
        levels => format!("rules: {first} ms a row at level 0, {last} ms from level {} on", levels - 1),
    });
    if variants.len() > 1 {
        words.push_str(&format!("; {} ways to turn are possible, found out by playing", variants.len()));
    }
    let Levels { first, last } = game.levels;
    words.push_str(&format!("\nlevels at the start: {first} to {last}"));
    let spawn = match game.spawn.is_empty() {
        true => "left to the layout that names this game; the simulated table needs it: add [spawn] to play there",
        false if game.pieces.turned => "given for all seven, in one of the rotations in which each may appear",
        false => "given for all seven",
    };
    words.push_str(&format!("\nplaces where pieces appear: {spawn}"));
    words
}
