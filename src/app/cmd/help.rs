//! `help`: a command's options, or one of the topics that several commands share.

use crate::app::out::{self, say};
use clap::CommandFactory;
use std::process::ExitCode;

/// What is told besides the commands, and its text.
const TOPICS: [(&str, &str); 4] = [
    ("boards", include_str!("topics/boards.txt")),
    ("sources", include_str!("topics/sources.txt")),
    ("games", include_str!("topics/games.txt")),
    ("fingers", include_str!("topics/fingers.txt")),
];

/// Options of `help`.
#[derive(clap::Args)]
pub struct Args {
    /// A command, or boards, sources, games, fingers.
    topic: Option<String>,
}

/// Runs it; `Cli` is the whole command line.
pub fn run<Cli: CommandFactory>(args: &Args) -> anyhow::Result<ExitCode> {
    let mut cli = Cli::command();
    cli.build();
    let Some(topic) = &args.topic else {
        say!("{}", cli.render_help())?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some((_, text)) = TOPICS.iter().find(|(name, _)| name == topic) {
        say!("{}", text.trim_end())?;
        return Ok(ExitCode::SUCCESS);
    }
    let command = cli.find_subcommand_mut(topic).filter(|command| !command.is_hide_set());
    let Some(command) = command else {
        let topics = TOPICS.map(|(name, _)| name).join(", ");
        out::note(format_args!("error: there is no help on {topic:?}; give a command's name, or one of {topics}"));
        return Ok(ExitCode::from(2));
    };
    say!("{}", command.render_help())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::relay::RelaySpec;
    use crate::profile::layout::Layout;
    use crate::profile::protocol::Protocol;

    /// What stands first on the indented lines of a topic.
    fn named(topic: &str) -> Vec<&'static str> {
        let text = TOPICS.iter().find(|(name, _)| *name == topic).unwrap().1;
        text.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next()).filter(|n| !n.is_empty()).collect()
    }

    #[test]
    fn the_topics_name_what_there_is() {
        let boards = named("boards");
        for name in boards.iter().filter(|name| !name.contains("PROTOCOL")) {
            RelaySpec::parse(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        for (_, protocol) in Protocol::NAMED {
            assert!(boards.iter().any(|name| name.starts_with(&format!("{protocol}:"))), "{protocol}");
        }
        for layout in Layout::built_in() {
            assert!(named("games").contains(&&*layout.name), "{}", layout.name);
        }
    }
}
