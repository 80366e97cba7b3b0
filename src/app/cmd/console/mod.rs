//! `console`: the simulated console by itself: in a window, or through movies, traces and test vectors.

pub mod demo_file;
pub mod movie_file;
pub mod presses;
pub mod trace;
#[cfg_attr(not(feature = "window"), allow(dead_code))]
pub mod window;
use crate::app::args::files::Overwrite;
use crate::app::args::modern::ModernArgs;
use crate::app::args::standard::StandardArgs;
use crate::app::args::table_game::GameArg;
use crate::app::args::{Misuse, ai};
use crate::app::out::say;
use crate::file::{self, Existing, LINES_BYTES_MAX, WholeFile};
use crate::game::Buttons;
use crate::game::machine::Skipped;
use crate::game::machine::demo::Demo;
use crate::game::machine::movie::{Movie, MovieFrame};
use crate::game::machine::vectors::Case;
use crate::game::machine::{Choice, Console, Event, GameType, KillScreen, Players, Region, Setup};
use crate::twin::machine::GameKind;
use crate::twin::picture::{self, Picture};
use crate::twin::table::view;
use anyhow::{Context, bail};
use movie_file::MovieFile;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use trace::State;
use window::hint::Hint;

/// Options of `console`.
#[derive(clap::Args)]
pub struct Args {
    /// Check a file of test vectors (JSON lines), and say where the first difference is.
    #[arg(help_heading = "Files", long, value_name = "FILE", conflicts_with_all = ["trace", "movie", "session"])]
    vectors: Option<PathBuf>,
    /// Play an .fm2 movie from power-on, and say how it ended.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    movie: Option<PathBuf>,
    /// Write the state after every frame to a new file (JSON lines); without --movie, of a game that nobody plays.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write what a recorded session meant to press to a movie (--movie-out); it begins where the recording began.
    #[arg(help_heading = "Files", long, value_name = "FILE", requires = "movie_out", conflicts_with_all = ["movie", "trace"])]
    session: Option<PathBuf>,
    /// The new .fm2 movie of --session.
    #[arg(help_heading = "Files", long, value_name = "FILE", requires = "session")]
    movie_out: Option<PathBuf>,
    /// Show the demo that follows on the title screen, or the one in a file; with --movie, the demo that the movie comes to.
    #[arg(help_heading = "Demo", long, value_name = "FILE", num_args = 0..=1,
          conflicts_with_all = ["vectors", "session", "reference", "level", "type_b"])]
    demo: Option<Option<PathBuf>>,
    /// Record a demo to a new file: you play in the window (or the movie does), above the pieces of --demo, until 256
    /// pairs of buttons and durations are full or Start is pressed.
    #[arg(help_heading = "Demo", long, value_name = "FILE",
          conflicts_with_all = ["vectors", "session", "reference", "headless", "level", "type_b"])]
    record_demo: Option<PathBuf>,
    /// In the window: begin with reference pictures instead of the game. Keys 1 to 7 put O I S Z L J T where pieces appear
    /// and in the next box, 8 fills all cells, 9 every other one, 0 none; Up and Down go through the levels' colours.
    #[arg(help_heading = "Window", long, conflicts_with_all = ["vectors", "movie", "trace", "session"])]
    reference: bool,
    /// The window's size at first: this many times 256 x 240 pixels.
    #[arg(help_heading = "Window", long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16),
          conflicts_with_all = ["vectors", "movie", "trace", "session", "headless"])]
    scale: u32,
    /// Let the window fill the screen at once (F11 does it later).
    #[arg(help_heading = "Window", long, conflicts_with_all = ["vectors", "movie", "trace", "session", "headless"])]
    full_screen: bool,
    /// Open no window: a game is started and runs for --frames, as fast as it can.
    #[arg(help_heading = "Window", long, conflicts_with_all = ["vectors", "session"])]
    headless: bool,
    /// Save the last picture to a new PNG file of 256 x 240 pixels; a finer one of boards with too many cells for that.
    #[arg(help_heading = "Files", long, value_name = "FILE", conflicts_with_all = ["vectors", "session"])]
    screenshot: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    standard: StandardArgs,
    #[command(flatten)]
    modern: ModernArgs,
    /// Show from the start where the AI would move (Shift+H does it later).
    #[arg(help_heading = "Standard Tetris", long)]
    hint: bool,
    /// Who gives hints: a name (`stackhand tournament --ai list`), or a file of weights (.toml) or of a learned value (.value)
    /// [default: steady].
    #[arg(help_heading = "Standard Tetris", long, value_name = "NAME|FILE")]
    ai: Option<String>,
}

/// The game that is played without a movie.
#[derive(clap::Args)]
#[group(skip)]
struct GameArgs {
    /// The game: nes, standard (Standard Tetris, the first game for the PC), or another one by its name or its file's
    /// path (see `stackhand game`).
    #[arg(help_heading = "Game", id = "game", long = "game", value_name = "NAME|FILE", default_value = "nes")]
    kind: GameArg,
    /// Seed of the pieces, in other games than the console's [default: 1].
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session"])]
    seed: Option<u64>,
    /// End after this many frames [default: 3600 with --trace; the window stays until it is closed].
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session"])]
    frames: Option<u32>,
    /// Level at which the game starts: on the console 0 to 19 as chosen in the menu, 20 to 29 by force; in other games as in
    /// dry-run [default: the lowest].
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session"],
          value_parser = clap::value_parser!(u8).range(0..=99))]
    level: Option<u8>,
    /// Play B-Type with garbage of this height (0 to 5).
    #[arg(help_heading = "Game", long, value_name = "HEIGHT", conflicts_with_all = ["vectors", "movie", "session"],
          value_parser = clap::value_parser!(u8).range(0..=5))]
    type_b: Option<u8>,
    /// The European console: 50 frames a second.
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session"])]
    pal: bool,
    /// Wake the mode for two players that its makers left unfinished: the second one's keys are F, H, T and G for a cross, W
    /// and Q for A and B.
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session", "reference"])]
    two_players: bool,
    /// Let the console stop where the real one does, from level 155 on.
    #[arg(help_heading = "Game", long, conflicts_with_all = ["vectors", "movie", "session"])]
    kill_screen: bool,
}

/// Frames that are traced if nothing else is said: a minute.
const TRACED_FRAMES: u32 = 3600;

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // An option that conflicts with --session lifts what clap knows of this.
    if args.movie_out.is_some() && args.session.is_none() {
        return Err(Misuse(
            "--movie-out writes what a recorded session meant to press: add --session FILE, or leave it out".into(),
        )
        .into());
    }
    args.check_use()?;
    // Found out now, not when the frames have run.
    for path in args.screenshot.iter().chain(&args.record_demo).chain(&args.standard.save_game) {
        file::check(path, args.overwrite.existing())?;
    }
    if let Some(session) = &args.session {
        return export(session, MovieFile::create(args.movie_out.as_deref(), args.overwrite.existing())?);
    }
    match (&args.vectors, &args.movie, &args.trace) {
        (Some(path), _, _) => check_vectors(path),
        (None, Some(path), trace) => args.play(&movie_file::read(path)?, trace.as_deref()),
        (None, None, Some(path)) => args.play(&args.movie(), Some(path)),
        (None, None, None) => args.show(),
    }
}

impl Args {
    /// What would not be used is refused.
    fn check_use(&self) -> anyhow::Result<()> {
        let game = self.game.kind.game()?;
        let own = [
            (self.vectors.is_some(), "--vectors"),
            (self.movie.is_some(), "--movie"),
            (self.trace.is_some(), "--trace"),
            (self.session.is_some(), "--session"),
            (self.demo.is_some(), "--demo"),
            (self.record_demo.is_some(), "--record-demo"),
            (self.game.type_b.is_some(), "--type-b"),
            (self.game.pal, "--pal"),
            (self.game.kill_screen, "--kill-screen"),
            (self.game.two_players, "--two-players"),
        ];
        if let Some((_, name)) = own.into_iter().find(|(is_given, _)| *is_given && !game.is_console()) {
            let words = format!(
                "{name} is of the console, to the frame, and no other game runs on that: leave it out, or play --game nes"
            );
            return Err(Misuse(words).into());
        }
        if self.movie.is_some() && self.demo == Some(None) {
            let words = "--demo needs a file beside --movie, which comes to the demo by itself or not at all: add FILE, or leave it out";
            return Err(Misuse(words.into()).into());
        }
        if self.movie.is_none() && self.trace.is_some() && self.record_demo.is_some() {
            let words =
                "--record-demo needs someone who plays: add --movie FILE, or leave --trace out and play in the window";
            return Err(Misuse(words.into()).into());
        }
        if game.is_console() && self.game.seed.is_some() {
            let words =
                "--seed draws the pieces of other games, and the console's come from its own frames: leave it out";
            return Err(Misuse(words.into()).into());
        }
        self.standard.check(game.is_standard(), self.game.level)?;
        self.modern.check(game.is_modern())?;
        let hinting = [(self.hint, "--hint"), (self.ai.is_some(), "--ai")];
        if let Some((_, name)) = hinting.into_iter().find(|(is_given, _)| *is_given && !game.is_standard()) {
            let words = format!("{name} is of Standard Tetris's hints: leave it out, or play --game standard");
            return Err(Misuse(words).into());
        }
        if self.ai.is_some() && self.headless && !self.hint {
            let words =
                "--ai gives hints, and without a window nobody can ask for one later: add --hint, or leave it out";
            return Err(Misuse(words.into()).into());
        }
        Ok(self.game.level.map_or(Ok(()), |level| game.check_level(level))?)
    }

    /// In a window, or without one.
    fn show(&self) -> anyhow::Result<ExitCode> {
        if self.headless && self.game.frames.is_none() {
            return Err(Misuse(
                "--headless needs --frames N, --movie FILE or --trace FILE, or it would never end".into(),
            )
            .into());
        }
        let start = self.start()?;
        let options = window::Options {
            hint: self.hint(&start)?,
            start,
            reference: self.reference,
            scale: self.scale,
            full_screen: self.full_screen,
            frames: self.game.frames,
        };
        let left = match self.game.frames.filter(|_| self.headless) {
            Some(frames) => window::play_unseen(&options, frames),
            None => window::play(options)?,
        };
        self.save(&left.picture)?;
        if let Some(path) = &self.record_demo {
            demo_file::write(left.recorded, path, self.overwrite.existing())?;
        }
        if let (Some(path), Some(saved)) = (&self.standard.save_game, &left.saved) {
            file::save(path, saved.as_bytes(), self.overwrite.existing())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Who gives hints in this game.
    fn hint(&self, start: &window::Start) -> anyhow::Result<Hint> {
        let mut hint = Hint::of(self.ai.as_deref().map(ai::load).transpose()?.unwrap_or_default());
        if let window::Start::Computer(GameKind::Standard(game), ..) = start
            && self.hint
        {
            hint.switch(game).map_err(Misuse)?;
        }
        Ok(hint)
    }

    fn start(&self) -> anyhow::Result<window::Start> {
        let game = self.game.kind.game()?;
        if game.is_console() && (self.demo.is_some() || self.record_demo.is_some()) {
            let (setup, tables, records) = (self.game.setup(), self.tables()?, self.record_demo.is_some());
            return Ok(window::Start::Demo { setup, tables, records });
        }
        if game.is_console() {
            return Ok(window::Start::Console(self.game.setup(), self.game.choice()));
        }
        let (level, seed) = (self.game.level.unwrap_or(game.usual_level()), self.game.seed.unwrap_or(1));
        Ok(window::Start::Computer(game.kind(seed, level, &self.standard, self.modern)?, level, seed))
    }

    /// The demo of the file that was named.
    fn tables(&self) -> anyhow::Result<Option<Arc<Demo>>> {
        self.demo.iter().flatten().next().map(|path| demo_file::read(path)).transpose()
    }

    /// From power-on into a game that nobody plays, or into the demo.
    fn movie(&self) -> Movie {
        let mut movie = self.game.movie();
        if self.demo.is_some() {
            movie.frames.fill(MovieFrame::default());
        }
        movie
    }

    fn play(&self, movie: &Movie, trace: Option<&Path>) -> anyhow::Result<ExitCode> {
        let mut console = Console::power_on(movie.setup);
        demo_file::insert(&mut console, self.tables()?, self.record_demo.is_some());
        let console = play(movie, console, trace, self.overwrite.existing())?;
        if let Some(path) = &self.record_demo {
            demo_file::write(console.recorded_demo(), path, self.overwrite.existing())?;
        }
        let mut picture = Picture::new();
        picture::draw(&view(&console), &mut picture);
        self.save(&picture)?;
        Ok(ExitCode::SUCCESS)
    }

    fn save(&self, picture: &Picture) -> anyhow::Result<()> {
        let save = |path| window::save(picture, path, self.overwrite.existing());
        Ok(self.screenshot.as_deref().map_or(Ok(()), save)?)
    }
}

fn export(session: &Path, target: MovieFile) -> anyhow::Result<ExitCode> {
    let movie = presses::of_session(session)?;
    target.write(&movie)?;
    say!(
        "{} frames of what was meant to be pressed; a game played from power-on with them is another.",
        movie.frames.len()
    )?;
    Ok(ExitCode::SUCCESS)
}

impl GameArgs {
    /// From power-on through the menus into a game that nobody plays.
    fn movie(&self) -> Movie {
        let (setup, choice) = (self.setup(), self.choice());
        let (console, mut held) = Console::walked(setup, choice, 0);
        held.push(console.with_help(Buttons::START, choice.level));
        held.resize(self.frames.unwrap_or(TRACED_FRAMES) as usize, Buttons::NONE);
        Movie::of(setup, &held)
    }

    fn setup(&self) -> Setup {
        Setup {
            region: if self.pal { Region::Pal } else { Region::Ntsc },
            kill_screen: if self.kill_screen { KillScreen::On } else { KillScreen::Off },
            players: if self.two_players { Players::Two } else { Players::One },
            forced_level: self.level.filter(|level| *level >= 20),
        }
    }

    fn choice(&self) -> Choice {
        let game_type = if self.type_b.is_some() { GameType::B } else { GameType::A };
        Choice { game_type, level: self.level.unwrap_or(0).min(19), height: self.type_b.unwrap_or(0) }
    }
}

/// What a movie came to.
#[derive(Default)]
struct Tally {
    frames: u64,
    pieces: u64,
    games_over: u64,
}

/// Plays a movie, traced or not.
fn play(movie: &Movie, console: Console, trace: Option<&Path>, existing: Existing) -> anyhow::Result<Console> {
    let mut out = trace.map(|path| WholeFile::create(path, existing)).transpose()?;
    let mut tally = Tally::default();
    let console = movie.play_on(console, |console, frame, event| {
        if let Some(out) = &mut out {
            State::new(tally.frames, console, frame, event)
                .write(out)
                .context("cannot write the trace; check that the disk is not full")?;
        }
        tally.frames += 1;
        tally.pieces += u64::from(matches!(event, Some(Event::Locked(_))));
        tally.games_over += u64::from(matches!(event, Some(Event::GameOver)));
        anyhow::Ok(())
    })?;
    if let (Some(out), Some(path)) = (out, trace) {
        out.finish()?;
        say!("{} frames written to {}.", tally.frames, path.display())?;
    }
    tally.print(&console)?;
    Ok(console)
}

impl Tally {
    fn print(&self, console: &Console) -> io::Result<()> {
        let counters = console.counters;
        say!(
            "{} frames, {} pieces locked, {} games over; the last game: {} lines, level {}, {} points.",
            self.frames,
            self.pieces,
            self.games_over,
            counters.lines,
            counters.level,
            counters.score
        )?;
        for skipped in &console.skipped {
            let what = match skipped {
                Skipped::Demo => "the cartridge's own demo (stackhand's was shown; --demo FILE shows another)",
            };
            say!("Left out: {what}; on a real console what comes after it in this movie will differ.")?;
        }
        Ok(())
    }
}

fn check_vectors(path: &Path) -> anyhow::Result<ExitCode> {
    let name = path.display();
    let text = file::read_text(path, LINES_BYTES_MAX)?;
    let (mut cases, mut different) = (0, 0);
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = || format!("{name}, line {}", i + 1);
        cases += 1;
        if let Some(difference) = Case::parse(line).with_context(at)?.check().with_context(at)? {
            different += 1;
            if different == 1 {
                say!("{}: first difference in {difference}", at())?;
            }
        }
    }
    if cases == 0 {
        bail!("there is no test vector in {name}; give a file with one JSON object a line");
    }
    say!("{} of {cases} cases agree in every frame.", cases - different)?;
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
