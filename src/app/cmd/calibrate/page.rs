//! `calibrate` with a page: pictures are read with whatever the person sets, until Ctrl-C.

use super::hands::{Hands, InUse, NONE, Next, Open};
use super::latency;
use crate::app::args::find;
use crate::app::args::finger::LEAD_MS;
use crate::app::live::page::PageArgs;
use crate::app::live::rig::{self, Opened};
use crate::app::out;
use crate::edge::camera::{SourceSpec, webcam_names};
use crate::edge::relay::{self, RelayBoard, RelaySpec, SafetyNet, StopFlag, candidate_ports};
use crate::edge::simulated::table::{self, TableOptions};
use crate::edge::{Away, CameraError, FrameSource};
use crate::game::Buttons;
use crate::message::{Frame, Observation, ScreenState};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::measure::{Experimenter, RigError};
use crate::time::{Clock, HostTime, SystemClock};
use crate::vision::read::Reader;
use crate::vision::{LocateError, Located, Locator, in_a_mirror};
use crate::web::{Boards, Health, Measurement, Rate, Tuning, TuningShot, Wish, view_of};
use anyhow::Context;
use image::RgbImage;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// The simulated table, as a source and as its board.
const TABLE: &str = "sim";
/// Without an answer of the driver a new try is made after this, ms.
const RETRY_MS: f64 = 1000.0;
/// Every so many pictures it is asked whether the game is seen in a mirror; so many times in a row, and it is told.
const MIRROR_EVERY: u32 = 8;
const MIRRORED_ENOUGH: u32 = 2;
/// The search ends when this many pictures in a row agree.
const AGREED_ENOUGH: u32 = 3;
/// The picture's health is measured at every this many pictures: it takes a millisecond.
const HEALTH_EVERY: u64 = 6;
/// A simulated game that is over begins again after this many pictures.
const RESTART_AFTER: u32 = 60;

/// What a person starts with.
pub struct Start {
    /// The source, as on the command line.
    pub source: String,
    /// The layout, as on the command line.
    pub layout: String,
    /// The relay board, if one is to be tested.
    pub relay: Option<String>,
    /// The file.
    pub profile: PathBuf,
    /// Corners given by hand; otherwise the file's, otherwise they are searched.
    pub corners: Option<Vec<find::Corner>>,
    /// Search even if the file has corners.
    pub auto: bool,
}

/// Runs it.
pub fn run(start: &Start, page: &PageArgs) -> anyhow::Result<ExitCode> {
    page.check()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let layout = Arc::new(Layout::load(&start.layout)?);
    let relay = start.relay.as_deref().map(RelaySpec::parse).transpose()?;
    let saved = if start.profile.exists() { Some(Calibration::load(&start.profile)?) } else { None };
    // A stranger's profile may name a program.
    let noted =
        saved.as_ref().and_then(|saved| saved.relay.clone().filter(|name| RelaySpec::parse_profile(name).is_ok()));
    let (calibration, is_known) = first_calibration(start, saved)?;
    let name = start.relay.as_deref().unwrap_or(TABLE);
    let is_table = SourceSpec::parse(&start.source)? == SourceSpec::Simulated;
    let net = SafetyNet::install()?;
    let (board, calibration, source) = match relay.or(is_table.then_some(RelaySpec::Simulated)) {
        Some(relay) if is_table || relay != RelaySpec::None => {
            let (rig, calibration, (source, wire)) = rig::open(name, &relay, &clock, |_, _| {
                let (source, board) = Source::open(&start.source, &relay, clock.clone())?;
                let wire = board.capabilities().wire;
                Ok(Opened { board, reopening: None, calibration, rest: (source, wire) })
            })?;
            (Some(InUse { rig, wire }), calibration, source)
        }
        _ => (None, calibration, Source::alone(&start.source, clock.clone())?),
    };
    let layouts = Layout::built_in().into_iter().map(|l| (l.name, l.title)).collect();
    let layouts = offered(layouts, &start.layout);
    let named = start.relay.iter().cloned().chain(noted).collect();
    let boards = Boards::new(Box::new(candidate_ports), named);
    boards.look_at(is_table);
    boards.used(if board.is_some() { name } else { NONE }, board.as_ref().map(|board| board.rig.executor.handle()));
    let tuning =
        Tuning::new(calibration, start.profile.clone(), sources(&start.source), layouts, boards, clock.clone());
    if is_known && start.corners.is_none() {
        tuning.saved();
    }
    let tuning = Arc::new(tuning);
    let server = page.serve(tuning.clone(), clock.clone())?;
    let search = (!is_known || start.auto).then(|| Search::new(&layout));
    let mut table = Workbench {
        tuning,
        hands: Hands::new(board, clock.clone()),
        clock,
        source,
        layout,
        search,
        reader: None,
        rate: Rate::default(),
        seen: 0,
        over: 0,
        health: Health::default(),
        problem: None,
        experimenter: None,
        measurement: Measurement::default(),
    };
    table.work(&net.stop_flag());
    drop(server);
    let Workbench { hands, tuning, .. } = table;
    hands.end()?;
    let is_saved = Calibration::load(&start.profile).is_ok_and(|saved| saved == tuning.calibration());
    match is_saved {
        true => out::note(format_args!("{} holds what the page showed.", start.profile.display())),
        false => out::note(format_args!(
            "{} does not hold what the page showed last; it was not saved.",
            start.profile.display()
        )),
    }
    Ok(ExitCode::SUCCESS)
}

/// The file's calibration if there is one for this game, otherwise one to begin with; and whether its place is known.
fn first_calibration(start: &Start, saved: Option<Calibration>) -> anyhow::Result<(Calibration, bool)> {
    let is_same = saved.as_ref().is_some_and(|saved| saved.layout == start.layout);
    let mut calibration = saved.unwrap_or_else(|| Calibration::new(&start.layout, [640, 480], middle([640, 480]), 0.0));
    calibration.layout.clone_from(&start.layout);
    calibration.source = Some(start.source.clone());
    if let Some(relay) = &start.relay {
        calibration.relay = Some(relay.clone());
    }
    if SourceSpec::parse(&start.source)? == SourceSpec::Simulated {
        calibration.timing = TableOptions::default().data_sheet();
    }
    if let Some(corners) = start.corners.as_deref() {
        let &[a, b, c, d] = corners else { anyhow::bail!("--corners takes four points, X,Y each") };
        calibration.corners = [a.0, b.0, c.0, d.0];
        calibration.error_px = 0.0;
        return Ok((calibration, true));
    }
    Ok((calibration, is_same))
}

/// Corners to begin with where none are known.
fn middle(picture: [u32; 2]) -> [[f64; 2]; 4] {
    let [w, h] = picture.map(f64::from);
    let (l, r, t, b) = (w / 2.0 - h / 5.0, w / 2.0 + h / 5.0, h * 0.1, h * 0.9);
    [[l, t], [r, t], [r, b], [l, b]]
}

fn sources(given: &str) -> Vec<(String, String)> {
    let cameras =
        webcam_names().into_iter().map(|(index, name)| (format!("camera:{index}"), format!("camera {index}: {name}")));
    let mut list: Vec<_> = cameras.collect();
    list.push((TABLE.into(), "the simulated table".into()));
    offered(list, given)
}

fn offered(mut list: Vec<(String, String)>, given: &str) -> Vec<(String, String)> {
    if !list.iter().any(|(name, _)| name == given) {
        list.insert(0, (given.into(), given.into()));
    }
    list
}

/// A source at the pace of the world: recordings are played in their own time, and again from their beginning.
struct Source {
    name: String,
    source: Box<dyn FrameSource>,
    clock: Arc<dyn Clock>,
    /// Host time minus the recording's.
    offset_ms: Option<f64>,
    last: HostTime,
    /// Closed after it failed; the next picture opens it again.
    is_closed: bool,
}

impl Source {
    /// Opens a source, and the board that belongs to it or was named.
    fn open(name: &str, relay: &RelaySpec, clock: Arc<dyn Clock>) -> anyhow::Result<(Self, Box<dyn RelayBoard>)> {
        if SourceSpec::parse(name)? == SourceSpec::Simulated {
            let table = table::real_time(TableOptions::default(), relay, clock.clone())?;
            return Ok((Self::of(name, Box::new(table.camera), clock), table.board));
        }
        let board = match relay {
            RelaySpec::Simulated | RelaySpec::Emulated(_) => table::unwired_board(clock.clone()),
            spec => relay::open(spec, clock.clone())?,
        };
        Ok((Self::alone(name, clock)?, board))
    }

    /// Opens a source where nothing is pressed.
    fn alone(name: &str, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        Ok(Self::of(name, crate::edge::open(name, clock.clone())?, clock))
    }

    fn of(name: &str, source: Box<dyn FrameSource>, clock: Arc<dyn Clock>) -> Self {
        Self { name: name.into(), source, clock, offset_ms: None, last: HostTime(0), is_closed: false }
    }

    /// Whether it is the simulated table's camera.
    fn is_table(&self) -> bool {
        self.name == TABLE
    }

    /// Another source in the place of this one; the simulated table's comes with its board.
    fn switch(&mut self, name: &str) -> anyhow::Result<Option<Box<dyn RelayBoard>>> {
        let clock = self.clock.clone();
        let spec = SourceSpec::parse(name)?;
        // Most cameras open once only.
        if spec.camera().is_some() && spec.camera() == SourceSpec::parse(&self.name)?.camera() {
            self.close();
        }
        let (source, board): (Box<dyn FrameSource>, _) = match spec {
            SourceSpec::Simulated => {
                let table = table::real_time(TableOptions::default(), &RelaySpec::Simulated, clock)?;
                (Box::new(table.camera), Some(table.board))
            }
            _ => (crate::edge::open(name, clock)?, None),
        };
        self.source = source;
        self.name = name.into();
        self.offset_ms = None;
        self.is_closed = false;
        Ok(board)
    }

    /// Gives a camera back, so that it can be opened again. (The simulated one never fails.)
    fn close(&mut self) {
        if self.is_table() {
            return;
        }
        self.source = Box::new(Away);
        self.is_closed = true;
    }

    fn next_frame(&mut self) -> Result<Frame, CameraError> {
        if self.is_closed {
            self.source = crate::edge::open(&self.name, self.clock.clone())?;
            self.is_closed = false;
        }
        if self.source.is_live() {
            let gone = || CameraError::Stalled { source_name: self.name.clone(), seconds: 0 };
            return self.source.next_frame()?.ok_or_else(gone);
        }
        for _ in 0..2 {
            if let Some(mut frame) = self.source.next_frame()? {
                let now = self.clock.now();
                let offset_ms = *self.offset_ms.get_or_insert(now.ms_since(frame.time));
                frame.time = frame.time.plus_ms(offset_ms);
                self.clock.sleep_until(frame.time);
                self.last = frame.time;
                return Ok(frame);
            }
            self.source = crate::edge::open(&self.name, self.clock.clone())?;
            self.offset_ms = None;
        }
        Err(CameraError::NoPictures { path: self.name.clone().into(), problem: "it is empty".into() })
    }
}

/// A search over several pictures.
struct Search {
    locator: Locator,
    looked: u32,
    agreed: u32,
    /// Times in a row that a mirror would have shown the game.
    mirrored: u32,
}

impl Search {
    fn new(layout: &Layout) -> Self {
        Self { locator: Locator::new(layout), looked: 0, agreed: 0, mirrored: 0 }
    }

    /// Looks at one more picture; the place, once enough of them agree on it.
    fn look(&mut self, image: &RgbImage, layout: &Layout) -> Option<Located> {
        self.locator.look(image);
        self.looked += 1;
        let found = self.locator.verdict().ok();
        self.agreed = if found.is_some() { self.agreed + 1 } else { 0 };
        let is_agreed = self.agreed >= AGREED_ENOUGH;
        // Turned over, a game may pass for one that stands on its head; or it is not found for long.
        if found.is_some_and(|found| found.is_upright()) {
            self.mirrored = 0;
        } else if is_agreed || self.looked.is_multiple_of(MIRROR_EVERY) {
            let is_mirrored = in_a_mirror(image, std::slice::from_ref(layout)).is_some();
            self.mirrored = if is_mirrored { self.mirrored + 1 } else { 0 };
        }
        found.filter(|_| is_agreed && self.mirrored == 0)
    }
}

/// The loop and all it needs.
struct Workbench {
    tuning: Arc<Tuning>,
    hands: Hands,
    clock: Arc<dyn Clock>,
    source: Source,
    layout: Arc<Layout>,
    search: Option<Search>,
    /// With the calibration that it reads through.
    reader: Option<(Calibration, Reader)>,
    rate: Rate,
    seen: u64,
    /// Pictures in a row that show no game at play.
    over: u32,
    health: Health,
    problem: Option<String>,
    /// Presses and watches while the rig's times are measured.
    experimenter: Option<Experimenter>,
    measurement: Measurement,
}

impl Workbench {
    fn work(&mut self, stop: &StopFlag) {
        while !stop.is_set() {
            while let Some(wish) = self.tuning.take_wish() {
                self.problem = self.grant(wish).err().map(|e| format!("{e:#}"));
            }
            self.hands.look(&self.tuning);
            match self.source.next_frame() {
                Ok(frame) => self.picture(frame),
                Err(error) => {
                    if self.experimenter.is_some() {
                        self.end_measurement("The camera failed; nothing has changed.".into());
                    }
                    // The person sees it on the page, and can choose another source there.
                    let words = format!("{:#}", anyhow::Error::new(error));
                    if self.problem.as_ref() != Some(&words) {
                        tracing::warn!("{words}");
                    }
                    self.problem = Some(words);
                    self.show_problem();
                    self.source.close();
                    self.clock.sleep_until(self.clock.now().plus_ms(RETRY_MS));
                }
            }
        }
    }

    fn grant(&mut self, wish: Wish) -> anyhow::Result<()> {
        let mut calibration = self.tuning.calibration();
        match wish {
            Wish::Find => self.search = Some(Search::new(&self.layout)),
            Wish::Source { name } => {
                self.look_at(&name)?;
                self.rate = Rate::default();
                calibration.source = Some(name);
                self.tuning.replace(calibration);
                self.search = Some(Search::new(&self.layout));
            }
            Wish::Relay { name } => {
                if let Err(error) = self.choose_board(&name) {
                    // A change that is under way tells by itself what comes of it.
                    anyhow::ensure!(!self.hands.is_changing(), error);
                    self.tuning.boards.kept(format!("{error:#}"));
                }
            }
            Wish::Layout { name } => {
                self.layout = Arc::new(Layout::load(&name)?);
                calibration.layout = name;
                self.tuning.replace(calibration);
                self.search = Some(Search::new(&self.layout));
            }
            Wish::Measure => {
                if let Err(error) = self.measure(&calibration) {
                    self.end_measurement(format!("{error:#}"));
                }
            }
            Wish::Control { id, value } => self.source.source.set_control(id, value),
        }
        Ok(())
    }

    /// Looks at another source. The simulated table comes with its own board and goes with it: nothing real clicks while it
    /// is looked at.
    fn look_at(&mut self, name: &str) -> anyhow::Result<()> {
        anyhow::ensure!(
            !self.hands.is_changing(),
            "the board is being changed; wait a moment, then choose the camera again"
        );
        let was_table = self.source.is_table();
        let board = self.source.switch(name)?;
        self.tuning.boards.look_at(self.source.is_table());
        match board {
            Some(board) => self.change(TABLE, Some(Box::new(move || Ok(board))), false),
            None if was_table => self.change(NONE, None, false),
            None => Ok(()),
        }
    }

    /// Puts the board that a person has chosen in the place of the one in use.
    fn choose_board(&mut self, name: &str) -> anyhow::Result<()> {
        anyhow::ensure!(self.experimenter.is_none(), "the times are being measured; end that first");
        let (spec, clock, is_table) = (RelaySpec::parse(name)?, self.clock.clone(), self.source.is_table());
        // The page has asked, too; but the source may have changed since.
        anyhow::ensure!(spec == RelaySpec::None || is_table != spec.is_real(), "the camera was changed; choose again");
        let open: Option<Open> = match spec {
            RelaySpec::None => None,
            // The table's pad is wired anew, and its game begins again.
            _ if is_table => {
                let board = self.source.switch(TABLE)?.context("the simulated table has no board")?;
                Some(Box::new(move || Ok(board)))
            }
            spec => Some(Box::new(move || Ok(relay::open(&spec, clock)?))),
        };
        self.change(name, open, true)
    }

    fn change(&mut self, name: &str, open: Option<Open>, is_chosen: bool) -> anyhow::Result<()> {
        self.hands.change(&self.tuning, Next { name: name.into(), open, is_chosen })
    }

    /// Begins to learn the rig's times.
    fn measure(&mut self, calibration: &Calibration) -> anyhow::Result<()> {
        anyhow::ensure!(self.source.source.is_live(), "a recording cannot be pressed; choose the camera at the top");
        let wire = self.hands.wire().context("there is no relay board; choose one under “Relay board”")?;
        self.search = None;
        self.experimenter = Some(Experimenter::new(&self.layout, calibration, wire, LEAD_MS)?);
        self.measurement = Measurement::default();
        Ok(())
    }

    fn end_measurement(&mut self, words: String) {
        self.tuning.measured();
        self.experimenter = None;
        self.measurement.presses = None;
        self.measurement.words = Some(words);
    }

    /// Takes a measurement on by a picture.
    fn experiment(&mut self, frame: &Frame) {
        let Some(experimenter) = &mut self.experimenter else { return };
        let pressed =
            experimenter.look(frame).map_err(|e| e.to_string()).and_then(|presses| self.tuning.press(presses));
        let progress = experimenter.progress();
        self.measurement.presses = Some([progress.trials, progress.of]);
        self.measurement.took_s = progress.took_ms / 1000.0;
        match pressed {
            Err(words) => self.end_measurement(words),
            Ok(false) => self.end_measurement("Ended before enough was seen; nothing has changed.".into()),
            Ok(true) if progress.is_done => {
                let words = self.learn().unwrap_or_else(|error| error.to_string());
                self.end_measurement(words);
            }
            Ok(true) => {}
        }
    }

    /// Puts what was learned into the calibration, as one step that can be undone; what to say of it.
    fn learn(&mut self) -> Result<String, RigError> {
        let Some(experimenter) = self.experimenter.take() else { return Ok(String::new()) };
        let learned = experimenter.finish()?;
        let mut calibration = self.tuning.calibration();
        latency::note(&learned, &mut calibration);
        self.tuning.replace(calibration);
        let lost = match learned.missed + learned.doubled {
            0 => String::new(),
            _ => format!(
                " {} presses had no effect and {} had two: see the contacts and the wiring.",
                learned.missed, learned.doubled
            ),
        };
        let unsteady = latency::unsteady(&learned).map_or_else(String::new, |words| format!(" {words}"));
        Ok(format!(
            "Measured in {:.0} s with {} presses and {} releases; Save keeps it.{lost}{unsteady}",
            learned.took_ms / 1000.0,
            learned.fit.taps,
            learned.release.holds
        ))
    }

    fn picture(&mut self, frame: Frame) {
        self.problem = self.problem.take().filter(|_| self.seen == 0);
        self.seen += 1;
        self.rate.arrived(frame.time.ms());
        self.fit(&frame);
        self.look_for_field(&frame);
        let observation = match self.read(&frame) {
            Ok(observation) => Some(observation),
            Err(error) => {
                self.problem = Some(format!("{error:#}"));
                None
            }
        };
        let calibration = self.tuning.calibration();
        self.judge(&frame, observation.as_ref(), &calibration);
        match self.experimenter {
            Some(_) => self.experiment(&frame),
            None => self.restart(observation.as_ref()),
        }
        if self.tuning.is_watched() {
            self.show(frame, observation, calibration);
        }
    }

    /// Pictures of another size: the corners stay where they are in proportion.
    fn fit(&mut self, frame: &Frame) {
        let size = [frame.image.width(), frame.image.height()];
        let mut calibration = self.tuning.calibration();
        if calibration.picture != size {
            let scale = [0, 1].map(|i| f64::from(size[i]) / f64::from(calibration.picture[i].max(1)));
            calibration.corners.iter_mut().for_each(|c| *c = [c[0] * scale[0], c[1] * scale[1]]);
            calibration.picture = size;
            self.tuning.replace(calibration);
        }
    }

    fn look_for_field(&mut self, frame: &Frame) {
        let Some(search) = &mut self.search else { return };
        // Every other picture, as `--auto` does: a search takes longer than a picture lasts.
        if self.seen % 2 == 1
            && let Some(found) = search.look(&frame.image, &self.layout)
        {
            let size = [frame.image.width(), frame.image.height()];
            let place = found.calibration(&self.layout.name, size);
            let before = self.tuning.calibration();
            let Calibration { corners, lens_k1, error_px, .. } = place;
            self.tuning.replace(Calibration { corners, lens_k1, error_px, ..before });
            self.search = None;
        } else if search.mirrored >= MIRRORED_ENOUGH {
            // With every picture, until the game is found as it is: what one picture says the next one clears.
            self.problem = Some(LocateError::Mirrored { layout: self.layout.name.clone() }.to_string());
        }
    }

    fn read(&mut self, frame: &Frame) -> anyhow::Result<Observation> {
        let calibration = self.tuning.calibration();
        let is_same = |known: &Calibration| {
            known.corners == calibration.corners
                && known.layout == calibration.layout
                && known.lens_k1 == calibration.lens_k1
                && known.picture == calibration.picture
        };
        if !self.reader.as_ref().is_some_and(|(known, _)| is_same(known)) {
            let Calibration { corners, lens_k1, picture, .. } = calibration;
            let reader = Reader::through(&self.layout, corners, lens_k1, picture)?;
            self.reader = Some((calibration, reader));
        }
        let (_, reader) = self.reader.as_mut().context("the corners span no field")?;
        Ok(reader.read(frame))
    }

    /// How good the picture is.
    fn judge(&mut self, frame: &Frame, seen: Option<&Observation>, calibration: &Calibration) {
        if self.seen % HEALTH_EVERY == 1
            && let (Some(seen), Some(view)) = (seen, view_of(&self.layout, calibration))
        {
            // A curtain's light says nothing about the camera.
            if seen.state == ScreenState::Playing {
                self.health = Health::measure(&frame.image, &view, &seen.grid);
            }
            self.health.is_inside |= !seen.state.shows_cells();
            self.health.is_playing = seen.state.shows_cells();
        }
        self.health.is_simulated = self.source.is_table();
        self.health.rate = self.rate.measured();
        let losses = self.source.source.losses();
        let share = |lost: u64| lost as f64 / (losses.total() + self.seen) as f64;
        self.health.dropped = share(losses.replaced);
        self.health.lost = share(losses.lost());
    }

    /// The simulated console has nobody who would press Start after a game, and in the menu that comes then; a press too
    /// many pauses the next game.
    fn restart(&mut self, seen: Option<&Observation>) {
        use ScreenState::{GameOver, Menu, Paused};
        // Not where nothing is known: behind corners that are being moved a game may be played, which Start would pause.
        let waits = |seen: &Observation| matches!(seen.state, GameOver | Menu | Paused);
        let is_over = self.source.is_table() && seen.is_some_and(waits);
        self.over = if is_over { self.over + 1 } else { 0 };
        if self.over == RESTART_AFTER {
            self.over = 0;
            // Without a board nobody can press it: the person sees that the game is over.
            let _ = self.tuning.pulse(Buttons::START);
        }
    }

    fn show(&self, frame: Frame, observation: Option<Observation>, calibration: Calibration) {
        self.tuning.newest.put(TuningShot {
            frame,
            observation,
            calibration,
            layout: self.layout.clone(),
            health: self.health,
            controls: self.source.source.controls(),
            is_searching: self.search.is_some(),
            problem: self.problem.clone(),
            measurement: self.measurement.clone(),
        });
    }

    /// The last picture again, with what went wrong.
    fn show_problem(&self) {
        let Some((_, last)) = self.tuning.newest.get() else { return };
        self.show(last.frame.clone(), last.observation.clone(), last.calibration.clone());
    }
}
