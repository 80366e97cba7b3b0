//! `dry-run`: the robot at the simulated table, or before a real camera with simulated relays.

use crate::app::args::effects::EffectArgs;
use crate::app::args::files::Overwrite;
use crate::app::args::filters::{FilterSpec, load_all};
use crate::app::args::find::{self, Place};
use crate::app::args::finger::{FingerSpec, LEAD_MS, check_wired};
use crate::app::args::modern::ModernArgs;
use crate::app::args::standard::StandardArgs;
use crate::app::args::standard_screen;
use crate::app::args::table_game::GameArg;
use crate::app::args::values::{count, fps, in_range, seconds, share};
use crate::app::args::{Misuse, ai};
use crate::app::cmd::calibrate::latency;
use crate::app::cmd::console::movie_file::MovieFile;
use crate::app::live::care::{BLIND_MS_MIN, Care};
use crate::app::live::page::{PageArgs, RunPage, Viewed};
use crate::app::live::pause::Pauser;
use crate::app::live::recorder::{self, RecordArgs};
use crate::app::live::recovery::is_ended;
use crate::app::live::rig::{self, Opened};
use crate::app::live::screen::Screen;
use crate::app::live::stalls::Stalls;
use crate::app::live::taped::Taped;
use crate::app::live::turn::{self, Hand};
use crate::app::live::{Outcome, Stage, Until, perform};
use crate::app::out::say;
use crate::app::progress::Progress;
use crate::app::report::{Report, Voice};
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::edge::relay::{self, RelayError, RelaySpec, StopFlag};
use crate::edge::session::SessionWriter;
use crate::edge::simulated::table::{SimulatedTable, TableOptions, real_time, unwired_board};
use crate::file;
use crate::game::standard::{Game, SIZE};
use crate::message::{RelayCommand, RelayMask, RunSettings, Summary};
use crate::planner::Brain;
use crate::profile::calibration::{Calibration, Timing};
use crate::profile::game_file::RulesSpec;
use crate::profile::game_times::GameTimes;
use crate::profile::layout::Layout;
use crate::profile::wire::Wire;
use crate::robot::{Decision, Input, Notice, OnBlame, Robot, Settings};
use crate::time::{Clock, HostTime, SystemClock};
use crate::twin::effects::{Effect, Effects};
use crate::twin::fault::TableFault;
use crate::twin::machine::GameKind;
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Options of `dry-run`.
#[derive(clap::Args)]
pub struct Args {
    /// The game at the simulated table: nes, standard (Standard Tetris, the first game for the PC), guideline (the modern
    /// game), vitetris, or a game file (.toml, see `stackhand game`).
    #[arg(help_heading = "Game", long, value_name = "NAME|FILE", default_value = "nes")]
    game: GameArg,
    /// Pieces to play [default: 100; with --mode as many as its game has].
    #[arg(help_heading = "Game", long, value_parser = count)]
    pieces: Option<u64>,
    /// End after this many seconds of the game.
    #[arg(help_heading = "Game", long, value_parser = seconds)]
    seconds: Option<f64>,
    /// Seed of everything that is drawn at random.
    #[arg(help_heading = "Game", long, default_value_t = 1)]
    seed: u64,
    /// Level at which games start: 0 to 29 on the console, 1 to 10 in Standard Tetris, else as the game file says [default: that
    /// of the recorded session, or the lowest].
    #[arg(help_heading = "Game", long, value_parser = clap::value_parser!(u8).range(0..=99))]
    level: Option<u8>,
    /// How bad the camera is: 0 (no flaws) to 1.
    #[arg(help_heading = "Camera", long, default_value = "0.3", value_parser = share)]
    hard: f64,
    #[command(flatten)]
    effects: EffectArgs,
    /// Camera pictures a second.
    #[arg(help_heading = "Camera", long, default_value = "30", value_parser = fps)]
    fps: f64,
    /// From exposure to the host, ms.
    #[arg(help_heading = "Camera", long, default_value = "100", value_parser = latency_ms)]
    camera_latency_ms: f64,
    /// What the finger can do: relay (press and gap of 2 frames), solid (1 and 1), or hz:N taps a second [default: that of
    /// the recorded session, or relay].
    #[arg(help_heading = "Robot", long)]
    finger: Option<FingerSpec>,
    /// Choose among fewer placements: no-rotation, well (for four lines at once), pattern:FILE.png (draw it with the pile).
    #[arg(help_heading = "Robot", long, value_name = "FILTER")]
    filter: Vec<FilterSpec>,
    /// Who decides: a name (`stackhand tournament --ai list`), or a file of weights (.toml) or of a learned value (.value)
    /// [default: who played the recorded session; on the console one that was learned for such a finger; in games with hold and kicks modern; else steady].
    #[arg(help_heading = "Robot", long, value_name = "NAME|FILE")]
    ai: Option<String>,
    /// Learn the table's times first by pressing and watching, as `calibrate --latency` does, and play with these instead of
    /// its data sheet (not with --realtime).
    #[arg(help_heading = "Robot", long, conflicts_with = "realtime")]
    measured: bool,
    /// Real threads, the real serial driver, and a simulated board on a pseudo-terminal, in real time.
    #[arg(help_heading = "Board", long)]
    realtime: bool,
    /// A relay board that clicks along (implies --realtime), the simulated pad staying wired to the simulated board; or
    /// sim:PROTOCOL, to wire the pad to an emulated board of that protocol.
    #[arg(help_heading = "Board", long, value_name = "REL", default_value = "sim")]
    relay: String,
    /// Look at these pictures instead of the simulated console; presses go to the simulated board and reach no game.
    #[arg(help_heading = "Camera", long, value_name = "SRC", default_value = "sim")]
    source: String,
    /// With --source: the game, if no profile says so.
    #[arg(help_heading = "Camera", long)]
    layout: Option<String>,
    /// Break something at the simulated table, to see what the robot makes of it: dead:left, stuck:down, swapped:left,right,
    /// lose:0.05 or double:0.05 (that share of all presses), late-camera:60 (ms), late:0.05,40 (that share of the pictures,
    /// ms), stall:0.7 (no pictures for 0.7 s; stall:0.7,10: every 10 s), gap:0.7 (the same, and the camera counts what it
    /// missed); with @SECONDS behind it, from then on.
    #[arg(help_heading = "Faults", long, value_name = "KIND[:ARGS][@SECONDS]")]
    fault: Option<TableFault>,
    /// Drop a piece with its moves, without a look at what these did: quicker by the time that a picture takes, but a press that was
    /// lost misplaces the piece. (Games without a drop key never wait.)
    #[arg(help_heading = "Robot", long)]
    drop_unseen: bool,
    /// When a relay, a wire or the camera is to blame again and again, play on instead of pausing the game.
    #[arg(help_heading = "Robot", long)]
    no_pause: bool,
    #[command(flatten)]
    standard: StandardArgs,
    #[command(flatten)]
    modern: ModernArgs,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Write what was held on the simulated console's pad, from power-on, to a new .fm2 movie.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    movie_out: Option<PathBuf>,
    /// Write JSON lines to standard output.
    #[arg(help_heading = "Output", long)]
    json: bool,
    /// With --json, one line a picture too.
    #[arg(help_heading = "Output", long, requires = "json")]
    each_frame: bool,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let outcome = play(args)?;
    if !args.json {
        outcome.print()?;
    }
    Ok(outcome.exit_code())
}

/// Runs it and says nothing of its sums.
pub fn play(args: &Args) -> anyhow::Result<Outcome> {
    let relay = RelaySpec::parse(&args.relay)?;
    let is_live_board = relay.is_real() || matches!(relay, RelaySpec::Emulated(_));
    let source = SourceSpec::parse(&args.source)?;
    args.check_use(&source, &relay)?;
    args.record.check(args.overwrite)?;
    args.page.check()?;
    // What is missing is told before the field is looked for.
    load_all(&args.filter)?;
    args.ai.as_deref().map(ai::load).transpose()?;
    match source {
        SourceSpec::Simulated if args.realtime || is_live_board => at_live_table(args, &relay),
        SourceSpec::Simulated => at_table(args),
        spec if spec.is_live() => before_camera(args, &relay),
        _ if args.record.is_wanted() => bail!("--record would record a recording; leave it out"),
        _ => before_recording(args),
    }
}

impl Args {
    /// What would not be used is refused.
    fn check_use(&self, source: &SourceSpec, relay: &RelaySpec) -> anyhow::Result<()> {
        let game = self.game.game()?;
        let is_simulated = matches!(source, SourceSpec::Simulated);
        let wrong = |given: bool, words: &str| if given { Err(Misuse(words.into())) } else { Ok(()) };
        let place = self.layout.is_some() || !self.place.is_none();
        let is_affected = self.effects.effects()? != Effects::default();
        wrong(
            is_affected && !is_simulated,
            "--effect spoils the simulated camera's pictures; --source brings its own: leave one of the two out",
        )?;
        wrong(
            is_simulated && place,
            "the simulated table's game is known, and its field is looked for in its pictures: leave out --layout, \
             --profile, --auto and --corners, or name a camera with --source",
        )?;
        wrong(
            !is_simulated && self.fault.is_some(),
            "--fault breaks something at the simulated table: leave out --source",
        )?;
        wrong(
            !is_simulated && self.measured,
            "--measured learns the simulated table's times: leave out --source; `stackhand calibrate --latency` measures a \
             real rig",
        )?;
        wrong(
            !is_simulated && self.movie_out.is_some(),
            "--movie-out writes the simulated console's pad: leave out --source",
        )?;
        wrong(
            !game.is_console() && !is_simulated,
            "--game says what the simulated table plays, and --source brings a game of its own: leave one of the two out",
        )?;
        self.standard.check(game.is_standard() && is_simulated, self.level)?;
        self.modern.check(game.is_modern())?;
        let is_live = self.realtime || relay.is_real() || matches!(relay, RelaySpec::Emulated(_));
        wrong(
            self.modern.has_end() && is_live,
            "--mode ends the run with its game, which only the simulated clock's table tells: leave out --realtime and --relay",
        )?;
        wrong(
            self.modern.keeps_level() && self.record.is_wanted(),
            "a recording names its layout, and none says that the level stays as in this --mode: leave out --record, or play \
             --mode marathon",
        )?;
        let played = self.standard_game()?;
        let size = played.as_ref().map_or(game.size(), |played| played.pile().size());
        wrong(
            is_affected && size != SIZE,
            "--effect knows where the cells of 10 × 20 stand on the screen: leave it out, or play on that board",
        )?;
        if let Some(played) = played {
            standard_screen::check(size)?;
            wrong(
                self.record.is_wanted() && (size != SIZE || played.settings.looks.has_shadow),
                "a recording names its layout, and none shows another board than 10 × 20, or a shadow: leave out --record",
            )?;
        }
        if let Some(path) = &self.standard.save_game {
            wrong(
                is_live,
                "--save-game saves the simulated table's game at its end: leave out --realtime and --relay",
            )?;
            file::check(path, self.overwrite.existing())?;
        }
        if let Some(level) = self.level {
            game.check_level(level)?;
        }
        wrong(
            !game.is_console() && self.movie_out.is_some(),
            "--movie-out writes a movie for the console, which other games do not run on: leave it out, or play --game nes",
        )?;
        wrong(
            !game.is_console() && self.measured,
            "--measured learns times to the frame, and only the console's frames are known: leave it out, or play --game nes",
        )?;
        wrong(
            game.is_described() && self.record.is_wanted(),
            "a recording names its layout, and none shows this game at the simulated table: leave out --record",
        )?;
        wrong(
            *relay == RelaySpec::None,
            "a dry run presses at the simulated board: leave out --relay none; `stackhand play --relay none` only watches",
        )?;
        Ok(())
    }

    fn voice(&self) -> Voice {
        if self.json { Voice::Json { each_frame: self.each_frame } } else { Voice::Words }
    }

    fn until(&self) -> Until {
        let usual = (!self.modern.has_end()).then_some(PIECES);
        Until { pieces: self.pieces.or(usual), seconds: self.seconds, rest: !self.page.wanted() }
    }

    fn table(&self) -> anyhow::Result<TableOptions> {
        let Self { seed, hard, fps, camera_latency_ms, fault, .. } = *self;
        let effects = self.effects.effects()?;
        if effects.most(Effect::Pile) > 0.0 {
            let problem = "--effect pile is only for benchmark: no console begins a game so; leave it out";
            return Err(Misuse(problem.into()).into());
        }
        let game = self.game.game()?;
        let start_level = self.level.unwrap_or(game.usual_level());
        let game = game.kind(seed, start_level, &self.standard, self.modern)?;
        check_effects(&effects, &game)?;
        // A game that is gone on with is at the level that it has come to.
        let start_level = if let GameKind::Standard(game) = &game { game.level() } else { start_level };
        Ok(TableOptions { game, start_level, seed, hard, effects, fps, camera_latency_ms, fault })
    }

    fn settings(&self, layout: &Layout, wire: Wire, reaches_game: bool) -> anyhow::Result<Settings> {
        let recorded = RunSettings::of_recording(&self.source)?;
        let usual_level = recorded.as_ref().map_or(self.game.game()?.usual_level(), |recorded| recorded.level);
        let recorded = recorded.unwrap_or_default();
        let finger = self.finger.unwrap_or_else(|| recorded.finger()).finger(&layout.game_rules());
        let filters = if self.filter.is_empty() { recorded.filters() } else { load_all(&self.filter)? };
        let reached = self.standard_game()?.map(|game| game.level());
        let start_level = self.level.or(reached).unwrap_or(usual_level);
        let blame = match (reaches_game, self.no_pause) {
            (false, _) => OnBlame::Ignore,
            (true, true) => OnBlame::Tell,
            (true, false) => OnBlame::Pause,
        };
        // Where presses reach no game, none will ever be seen.
        let drops_unseen = self.drop_unseen || !reaches_game;
        let restart = !self.modern.has_end();
        Ok(Settings { finger, start_level, wire, lead_ms: LEAD_MS, restart, drops_unseen, filters, blame })
    }

    /// The game of Standard Tetris that is played.
    fn standard_game(&self) -> anyhow::Result<Option<Game>> {
        let game = self.game.game()?;
        let level = self.level.unwrap_or(game.usual_level());
        game.is_standard().then(|| self.standard.game(level, self.seed)).transpose()
    }

    /// The screen that the simulated table shows, with the board and the speed of the game on it.
    fn table_layout(&self) -> anyhow::Result<Layout> {
        let Some(game) = self.standard_game()? else {
            let mut layout = self.game.game()?.layout()?;
            self.modern.tell(&mut layout);
            return Ok(layout);
        };
        let mut layout = standard_screen::layout(game.pile().size(), game.settings.looks.has_shadow)?;
        let slow = StandardArgs::row_ms(game.settings.bias);
        if let (Some(slow), Some(RulesSpec::Simple { row_ms, .. })) = (slow, &mut layout.rules) {
            *row_ms = slow;
        }
        Ok(layout)
    }

    /// Who decides, if it knows this field.
    fn ai_in(&self, layout: &Layout, settings: &Settings) -> anyhow::Result<Ai> {
        let recorded = RunSettings::of_recording(&self.source)?;
        let usual =
            || recorded.map_or_else(|| ai::usual(layout, settings.finger, &settings.filters).into(), |known| known.ai);
        let name = self.ai.clone().unwrap_or_else(usual);
        let brain = ai::load(&name)?;
        brain.check([layout.field.columns, layout.field.rows], &settings.filters)?;
        Ok(Ai { brain, name })
    }
}

/// Effects that this game's screen does not have are refused.
fn check_effects(effects: &Effects, game: &GameKind) -> Result<(), Misuse> {
    let (is_modern, is_known) =
        (matches!(game, GameKind::Guideline(..)), matches!(game, GameKind::Nes | GameKind::Standard(_)));
    if effects.most(Effect::Lively) > 0.0 && !is_modern {
        return Err(Misuse(
            "--effect lively is how the modern game shows a lock down; add --game guideline, or leave it out".into(),
        ));
    }
    if effects.most(Effect::Smooth) > 0.0 && !is_known {
        return Err(Misuse(
            "--effect smooth needs a game whose fall is known between rows: --game nes or standard; leave it out"
                .into(),
        ));
    }
    Ok(())
}

/// Who decides, and what it was called.
struct Ai {
    name: String,
    brain: Brain,
}

/// On a simulated clock, as fast as the processor allows.
fn at_table(args: &Args) -> anyhow::Result<Outcome> {
    let began = SystemClock::new();
    let movie = MovieFile::create(args.movie_out.as_deref(), args.overwrite.existing())?;
    let mut table = SimulatedTable::new(args.table()?)?;
    let mut report = Report::new(args.voice());
    let (layout, calibration) = calibrate(args, &mut table, &mut report, &StopFlag::default())?;
    let timing = if args.measured { Timing::default() } else { table.timing() };
    let mut calibration = Calibration { timing, ..calibration };
    if args.measured {
        let learned = latency::at_table(args.table()?, &layout, &calibration)?;
        latency::note(&learned, &mut calibration);
    }
    let settings = args.settings(&layout, table.wire(), true)?;
    let ai = args.ai_in(&layout, &settings)?;
    let clock: Arc<dyn Clock> = Arc::new(began);
    let page = args.page.run_page("Playing at the simulated table", &clock, false);
    let page = page.map(|page| page.open(&layout, &calibration, None)).transpose()?;
    // The simulated world waits for the disk.
    let recorder = recorder(args, &calibration, &settings, &ai.name, clock)?.map(SessionWriter::patient);
    page.iter().for_each(|page| page.record(args.record.download()));
    let mut robot = Taped::new(Robot::with_brain(&layout, &calibration, settings, ai.brain)?, recorder);
    let summary = simulate(args, report, &mut robot, &mut table, page)?;
    movie.write(&table.tape().movie())?;
    if let (Some(path), Some(game)) = (&args.standard.save_game, table.standard_game()) {
        file::save(path, game.save().as_bytes(), args.overwrite.existing())?;
    }
    if !args.json {
        let factor = summary.duration_ms / began.now().ms();
        say!(
            "Simulated {factor:.1} times as fast as the game itself runs. To watch one: stackhand dry-run --realtime --ui"
        )?;
    }
    Ok(Outcome { summary, cause: None, relays: None, learned: GameTimes::default() })
}

/// Records the run, if that is wanted.
fn recorder(
    args: &Args,
    calibration: &Calibration,
    settings: &Settings,
    ai: &str,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Option<SessionWriter>> {
    let finger = args.finger.unwrap_or(FingerSpec::Relay);
    let settings = RunSettings::new(settings.start_level, finger, &args.filter, ai).of_robot(settings);
    args.record.start(args.overwrite, calibration, &settings, args.fps, clock)
}

/// Pieces that are played if nothing is said.
const PIECES: u64 = 100;
/// So long a game's end is looked at, ms.
const LAST_PICTURES_MS: f64 = 300.0;
/// A robot that waits for a person at the simulated table, where there is none, waits no longer than this, ms.
const NOBODY_MS: f64 = 60_000.0;

/// Since when the robot has waited for a person to let the game go on, after what it told just now.
fn waits_since(told: &[Notice], before: Option<HostTime>) -> Option<HostTime> {
    told.iter().fold(before, |since, told| match told {
        Notice::Waiting { time, .. } => Some(*time),
        Notice::Resumed { .. } => None,
        _ => since,
    })
}

fn simulate(
    args: &Args,
    mut report: Report,
    robot: &mut Taped,
    table: &mut SimulatedTable,
    mut page: Option<Viewed>,
) -> anyhow::Result<Summary> {
    let until = args.until();
    let mut screen = Screen::simulated(args.json, until);
    if robot.tape().is_some() {
        report.keep_lines();
        table.keep_sent();
    }
    let stalls = Stalls::default();
    let (mut waiting_since, mut over_since) = (None, None);
    while !until.reached(report.summary()) {
        let Some(frame) = table.next_frame()? else { break };
        if let Some(stall) = stalls.see(frame.time, frame.time.plus_ms(BLIND_MS_MIN)) {
            report.stall(&stall)?;
            page.iter_mut().for_each(|page| page.stalled(&stall));
        }
        let (look, _) = turn::look(robot, &frame, &mut report, None)?;
        let mut hand = SimulatedHand { table, page: page.as_mut() };
        turn::decide::<anyhow::Error>(robot, &frame, &mut report, &mut hand, None)?;
        screen.show(robot, report.summary(), &look)?;
        waiting_since = waits_since(&look.told, waiting_since);
        // On a page somebody may press Start.
        if waiting_since.is_some_and(|since| frame.time.ms_since(since) > NOBODY_MS && page.is_none()) {
            tracing::warn!("nobody sits at the simulated table to let the game go on: the run ends here");
            break;
        }
        if let Some(recorder) = robot.tape() {
            let sent = table.take_sent();
            let lines = report.take_lines().into_iter().chain(report.relay_lines(&sent));
            lines.for_each(|line| recorder.event(line));
        }
        if robot.is_at_rest() && until.rest {
            break;
        }
        if args.modern.has_end() && table.modern_game().is_some_and(|game| game.end().is_some()) {
            let over_since = *over_since.get_or_insert(frame.time);
            // The pictures that show it are still on their way.
            if frame.time.ms_since(over_since) > args.camera_latency_ms + LAST_PICTURES_MS {
                break;
            }
        }
        if let Some(page) = &mut page {
            page.show(&frame, &look, robot, report.summary(), 0.0);
            if page.stand_still(&frame, &look, robot, report.summary()) {
                // As at a real table: whoever was stopped lets go, and looks again before it presses.
                let open = RelayCommand { due: frame.time, expires: frame.time, mask: RelayMask(0) };
                table.schedule(frame.time, vec![open]);
                robot.handle(Input::GoOn(frame.time));
            }
        }
    }
    screen.finish()?;
    if let Some(recorder) = robot.take_tape() {
        report.recorded(recorder::finish(recorder));
    }
    report.whole_game(table.modern_game().and_then(|game| args.modern.came_to(game)));
    Ok(report.finish(Some(table.relay_stats()), 0)?)
}

/// The simulated table's relays.
struct SimulatedHand<'a> {
    table: &'a mut SimulatedTable,
    page: Option<&'a mut Viewed>,
}

impl Hand for SimulatedHand<'_> {
    fn send(&mut self, decision: Decision, _: Option<f64>) -> Result<bool, RelayError> {
        if let Some(page) = &mut self.page {
            page.decided(&decision, 0.0);
        }
        self.table.schedule(decision.since, decision.commands);
        Ok(true)
    }
}

/// Presses that reach no game.
struct NoHand;

impl Hand for NoHand {
    fn send(&mut self, _: Decision, _: Option<f64>) -> Result<bool, RelayError> {
        Ok(true)
    }
}

/// The field is found in the camera's pictures, as at a real table.
fn calibrate(
    args: &Args,
    source: &mut dyn FrameSource,
    report: &mut Report,
    stop: &StopFlag,
) -> anyhow::Result<(Layout, Calibration)> {
    let found = find::search_for(args.table_layout()?, source, stop)
        .with_context(|| format!("the simulated camera is too bad; try a lower --hard than {}", args.hard))?;
    report.calibrated(found.calibration.corners, &found.layout.name, found.calibration.error_px)?;
    Ok((found.layout, found.calibration))
}

/// In real time, through the serial driver and a pseudo-terminal.
fn at_live_table(args: &Args, relay: &RelaySpec) -> anyhow::Result<Outcome> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let movie = MovieFile::create(args.movie_out.as_deref(), args.overwrite.existing())?;
    let mut report = Report::new(args.voice());
    let page = args.page.run_page("Playing at the simulated table", &clock, true);
    let (rig, calibration, (layout, wire, camera, tape)) = rig::open(&args.relay, relay, &clock, |_, stop| {
        let mut live = real_time(args.table()?, relay, clock.clone())?;
        let wire = live.board.capabilities().wire;
        let (layout, calibration) = calibrate(args, &mut live.camera, &mut report, stop)?;
        let calibration = Calibration { timing: live.timing, ..calibration };
        let board = RunPage::logged(page.as_ref(), live.board);
        Ok(Opened { board, reopening: None, calibration, rest: (layout, wire, live.camera, live.tape) })
    })?;
    let settings = args.settings(&layout, wire, true)?;
    let ai = args.ai_in(&layout, &settings)?;
    let robot = Robot::with_brain(&layout, &calibration, settings, ai.brain)?;
    let source = Box::new(camera);
    let page = page.map(|page| page.open(&layout, &calibration, Some(&rig.executor))).transpose()?;
    let care = Care::new(None);
    let recorder = recorder(args, &calibration, &settings, &ai.name, clock.clone())?;
    page.iter().for_each(|page| page.record(args.record.download()));
    let (until, pauser) = (args.until(), Pauser::new(&calibration));
    let stage = Stage { source, rig, clock, calibration, until, care, page, pauser };
    let outcome = perform(stage, Taped::new(robot, recorder), report, Screen::new(args.json))?;
    movie.write(&tape.movie())?;
    Ok(outcome)
}

/// A real camera, simulated relays: what would the robot do?
fn before_camera(args: &Args, relay: &RelaySpec) -> anyhow::Result<Outcome> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let page = args.page.run_page("What the robot would do", &clock, true);
    let (rig, calibration, (layout, wire, source)) = rig::open(&args.relay, relay, &clock, |_, stop| {
        let board = match relay {
            RelaySpec::Simulated | RelaySpec::Emulated(_) => unwired_board(clock.clone()),
            other => relay::open(other, clock.clone())?,
        };
        let wire = board.capabilities().wire;
        let opening = Progress::new("Opening the camera; Ctrl-C ends");
        let mut source = crate::edge::open_until(&args.source, clock.clone(), Some(is_ended(stop)))?;
        drop(opening);
        let (layout, calibration) = place(args, source.as_mut(), stop)?;
        layout.check_rules()?;
        if relay.is_real() {
            check_wired(&layout, &calibration)?;
        }
        relay::check_buttons(board.as_ref(), &calibration)?;
        let board = RunPage::logged(page.as_ref(), board);
        Ok(Opened { board, reopening: None, calibration, rest: (layout, wire, source) })
    })?;
    let settings = args.settings(&layout, wire, false)?;
    let ai = args.ai_in(&layout, &settings)?;
    let robot = Robot::with_brain(&layout, &calibration, settings, ai.brain)?;
    let page = page.map(|page| page.open(&layout, &calibration, Some(&rig.executor))).transpose()?;
    let care = Care::new(None);
    let recorder = recorder(args, &calibration, &settings, &ai.name, clock.clone())?;
    page.iter().for_each(|page| page.record(args.record.download()));
    let (until, pauser) = (args.until(), Pauser::new(&calibration));
    let stage = Stage { source, rig, clock, calibration, until, care, page, pauser };
    Ok(perform(stage, Taped::new(robot, recorder), Report::new(args.voice()), Screen::new(args.json))?)
}

/// A recording, simulated relays, on the recording's own clock.
fn before_recording(args: &Args) -> anyhow::Result<Outcome> {
    let found = find::in_recording(&args.source, args.layout.as_deref(), &args.place)?;
    let settings = args.settings(&found.layout, relay::boards::adr2200::wire(0, 9600), false)?;
    let brain = args.ai_in(&found.layout, &settings)?.brain;
    let robot = Robot::with_brain(&found.layout, &found.calibration, settings, brain)?;
    let mut source = find::open_any(&args.source, Arc::new(SystemClock::new()))?;
    let mut robot = Taped::new(robot, None);
    let (mut report, until) = (Report::new(args.voice()), args.until());
    let mut progress = Progress::new("Reading the recording");
    while !until.reached(report.summary()) {
        let Some(frame) = source.next_frame()? else { break };
        progress.show(source.read_share(), || format!("{} pictures", report.summary().frames));
        turn::look(&mut robot, &frame, &mut report, None)?;
        turn::decide::<anyhow::Error>(&mut robot, &frame, &mut report, &mut NoHand, None)?;
    }
    drop(progress);
    let learned = report.learned();
    Ok(Outcome { summary: report.finish(None, source.dropped())?, cause: None, relays: None, learned })
}

fn place(args: &Args, source: &mut dyn FrameSource, stop: &StopFlag) -> anyhow::Result<(Layout, Calibration)> {
    if let Some(path) = &args.place.profile {
        let calibration = Calibration::load(path)?;
        return Ok((calibration.load_layout()?, calibration));
    }
    let found = match args.place.corners.as_deref() {
        Some(corners) => {
            let first = source.next_frame()?.context("the source gives no picture; check it")?;
            find::by_hand(corners, args.layout.as_deref(), &first)?
        }
        None => find::search_until(args.layout.as_deref(), source, stop)?,
    };
    Ok((found.layout, found.calibration))
}

fn latency_ms(text: &str) -> Result<f64, String> {
    in_range(text, 5.0..=1000.0, "a time from 5 to 1000 ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_waits_since_it_was_told_until_the_game_goes_on() {
        let at = |ms| HostTime::from_ms(ms);
        let waiting = |ms| Notice::Waiting { time: at(ms), words: String::new() };
        let resumed = Notice::Resumed { time: at(9.0) };
        assert_eq!(waits_since(&[], None), None);
        assert_eq!(waits_since(&[waiting(5.0)], None), Some(at(5.0)));
        assert_eq!(waits_since(&[], Some(at(5.0))), Some(at(5.0)));
        assert_eq!(waits_since(std::slice::from_ref(&resumed), Some(at(5.0))), None);
        assert_eq!(waits_since(&[resumed, waiting(12.0)], Some(at(5.0))), Some(at(12.0)));
    }
}
