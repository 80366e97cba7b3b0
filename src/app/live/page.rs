//! The page of a run: its options, and what the loop tells it. Nothing here waits.

use super::stalls::Stall;
use crate::app::out;
use crate::belief::Event;
use crate::edge::relay::{Executor, RelayBoard, Reopening};
use crate::game::Board;
use crate::game::orientation::Pose;
use crate::message::Frame;
use crate::message::Summary;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::robot::{Decision, Look, Notice, Robot};
use crate::time::{Clock, HostTime};
use crate::vision::follow::Change;
use crate::web::{
    BoardLog, Control, Download, Heights, Hold, LoggedBoard, Numbers, Planned, Said, Server, Shot, Site, Thoughts,
    Watch,
};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// Steps whose times are kept.
const STEPS_KEPT: usize = 100;
/// What the robot has said lately.
const SAID_KEPT: usize = 6;
/// While the world stands still, viewers who come get the last picture within this.
const STILL: Duration = Duration::from_millis(100);

/// Options of the page.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct PageArgs {
    /// Serve a page to watch on, on 127.0.0.1, and open the browser where there is one; its address is printed, with the
    /// token that it needs.
    #[arg(help_heading = "Page", long)]
    pub ui: bool,
    /// Serve the page at this address (HOST:PORT), for a phone or another computer; it needs the token, too.
    #[arg(help_heading = "Page", long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Do not open the browser.
    #[arg(help_heading = "Page", long)]
    pub no_browser: bool,
}

/// The address as a phone's camera reads it, two modules to a row of text.
#[cfg(feature = "page")]
fn qr_code(url: &str) -> Option<String> {
    let code = qrcode::QrCode::with_error_correction_level(url, qrcode::EcLevel::L).ok()?;
    Some(code.render::<qrcode::render::unicode::Dense1x2>().quiet_zone(true).build())
}

#[cfg(not(feature = "page"))]
fn qr_code(_: &str) -> Option<String> {
    None
}

impl PageArgs {
    /// Whether a page is wanted.
    pub fn wanted(&self) -> bool {
        self.ui || self.listen.is_some()
    }

    /// Whether the page can be where it is wanted: before a board is opened.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.wanted() { Ok(Server::check(self.listen.as_deref())?) } else { Ok(()) }
    }

    /// Serves a page, says where, and opens the browser.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn serve<S: Site>(&self, site: Arc<S>, clock: Arc<dyn Clock>) -> anyhow::Result<Server> {
        let server = Server::start(site, self.listen.as_deref(), clock)?;
        // Standard output may carry JSON.
        server.urls().iter().for_each(|url| out::note(format_args!("The page is at {url}")));
        if server.is_public() && std::io::stderr().is_terminal() {
            server.urls().first().and_then(|url| qr_code(url)).into_iter().for_each(out::note);
        }
        if !self.no_browser && self.listen.is_none() && std::io::stderr().is_terminal() && has_screen() {
            // Without a browser the printed address has to do. Others can read what a program is started with.
            let _ = open::that_detached(server.url_for_browser()?);
        }
        Ok(server)
    }

    /// A page for a run of the robot; `None` if none is wanted.
    pub fn run_page(&self, title: &str, clock: &Arc<dyn Clock>, is_live: bool) -> Option<RunPage> {
        self.wanted().then(|| RunPage {
            args: self.clone(),
            title: title.into(),
            clock: clock.clone(),
            is_live,
            log: BoardLog::default(),
        })
    }
}

/// Whether a browser could be seen.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// A page to come.
pub struct RunPage {
    args: PageArgs,
    title: String,
    clock: Arc<dyn Clock>,
    is_live: bool,
    log: BoardLog,
}

impl RunPage {
    /// The board, with its changes noted if there is a page to show them.
    pub fn logged(page: Option<&Self>, board: Box<dyn RelayBoard>) -> Box<dyn RelayBoard> {
        match page {
            Some(page) => Box::new(LoggedBoard::new(board, page.clock.clone(), page.log.clone())),
            None => board,
        }
    }

    /// A board that is found again after its port was lost is noted, too.
    pub fn logged_again(page: Option<&Self>, reopening: Reopening) -> Reopening {
        let Some((clock, log)) = page.map(|page| (page.clock.clone(), page.log.clone())) else { return reopening };
        let mut open = reopening.open;
        let open = move || {
            let board: Box<dyn RelayBoard> = Box::new(LoggedBoard::new(open()?, clock.clone(), log.clone()));
            Ok(board)
        };
        Reopening { open: Box::new(open), patience: reopening.patience }
    }

    /// Serves it.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn open(self, layout: &Layout, calibration: &Calibration, relays: Option<&Executor>) -> anyhow::Result<Viewed> {
        let watch = Watch::new(&self.title, layout, calibration, self.clock.clone(), self.is_live, self.log);
        if let Some(relays) = relays {
            watch.connect(relays.handle());
        }
        let watch = Arc::new(watch);
        let server = self.args.serve(watch.clone(), self.clock.clone())?;
        Ok(Viewed {
            watch,
            clock: self.clock,
            corners: calibration.corners,
            eye_ms: calibration.timing.eye.ms,
            plan: None,
            is_new_plan: false,
            planned: Arc::default(),
            heights: Heights::default(),
            said: VecDeque::new(),
            rested: false,
            steps: VecDeque::new(),
            arrivals: VecDeque::new(),
            plan_us: 0.0,
            frames: 0,
            dropped: (0, 0),
            pace_ms: None,
            _server: server,
        })
    }
}

/// What is meant to happen.
#[derive(Clone)]
struct Meant {
    pose: Pose,
    certainty: f64,
    /// The piece has not appeared yet.
    is_ahead: bool,
    thoughts: Thoughts,
}

/// A run with a page: what the loop keeps for those who look.
pub struct Viewed {
    watch: Arc<Watch>,
    clock: Arc<dyn Clock>,
    corners: [[f64; 2]; 4],
    eye_ms: f64,
    plan: Option<Meant>,
    /// It was made after this picture.
    is_new_plan: bool,
    planned: Arc<Planned>,
    heights: Heights,
    said: VecDeque<Said>,
    rested: bool,
    /// From arrival to the end of the step, ms.
    steps: VecDeque<f64>,
    arrivals: VecDeque<HostTime>,
    plan_us: f64,
    frames: u64,
    dropped: (u64, u64),
    /// Host time minus the simulated clock's, while somebody looks.
    pace_ms: Option<f64>,
    _server: Server,
}

impl Viewed {
    /// The switch that the person has.
    pub fn control(&self) -> &Control {
        &self.watch.control
    }

    /// The run is recorded to this file, if it is.
    pub fn record(&self, recording: Option<Download>) {
        recording.into_iter().for_each(|recording| self.watch.record(recording));
    }

    /// Something for the person to read.
    pub fn say(&mut self, time: HostTime, words: String) {
        let said = Said { t_ms: time.ms(), words };
        self.watch.diary.note(said.clone());
        push(&mut self.said, said, SAID_KEPT);
    }

    /// Something that is noted, and needs nobody.
    fn log(&self, time: HostTime, words: &str) {
        self.watch.diary.note(Said { t_ms: time.ms(), words: words.into() });
    }

    /// A decision went out to the relays.
    pub fn decided(&mut self, decision: &Decision, took_us: f64) {
        self.plan_us = took_us;
        if let Some(plan) = &decision.plan {
            self.is_new_plan = true;
            let thoughts = Thoughts { points: plan.points, choices: plan.choices.clone() };
            let (pose, certainty) = (plan.lock.pose, plan.certainty);
            self.plan = Some(Meant { pose, certainty, is_ahead: decision.is_ahead, thoughts });
        }
        Arc::make_mut(&mut self.planned).schedule(decision.since, &decision.commands);
    }

    /// What the source and the relays have dropped so far: pictures, commands.
    pub fn dropped(&mut self, pictures: u64, commands: u64) {
        self.dropped = (pictures, commands);
    }

    /// What tells, in any thread, those who look while no picture comes.
    pub fn teller(&self) -> impl Fn(HostTime, &str) + Send + use<> {
        let watch = self.watch.clone();
        move |time, words| {
            let said = Said { t_ms: time.ms(), words: words.into() };
            watch.diary.note(said.clone());
            let Some((_, shot)) = watch.newest.get() else { return };
            let mut shot = Shot::clone(&shot);
            shot.said.push(said);
            watch.newest.put(shot);
        }
    }

    /// No picture came for long.
    pub fn stalled(&mut self, stall: &Stall) {
        self.say(stall.until, stall.words());
    }

    /// A picture was read; leaves it for whoever looks.
    pub fn show(&mut self, frame: &Frame, look: &Look, robot: &Robot, summary: &Summary, read_us: f64) {
        self.note(frame, look, robot);
        if self.watch.is_watched() {
            self.watch.newest.put(self.shot(frame, look, robot, summary, read_us));
        }
    }

    /// On a simulated clock: while somebody looks, pictures come at their own pace, and while the robot is held the world
    /// stands still. Whether the relays must open: after STOP, and after a pause.
    pub fn stand_still(&mut self, frame: &Frame, look: &Look, robot: &Robot, summary: &Summary) -> bool {
        self.pace(frame.time);
        self.control().stepped();
        while !self.control().hold().may_press() {
            if self.watch.is_watched() {
                self.watch.newest.put(self.shot(frame, look, robot, summary, 0.0));
            }
            self.control().wait_while_held(STILL);
            self.pace_ms = None;
        }
        // A step goes on where the last one ended; nothing was called off.
        self.control().hold() == Hold::Running && self.control().take_resumed()
    }

    fn pace(&mut self, time: HostTime) {
        if !self.watch.is_watched() {
            self.pace_ms = None;
            return;
        }
        let now = self.clock.now();
        let offset_ms = *self.pace_ms.get_or_insert(now.ms_since(time));
        let due = time.plus_ms(offset_ms);
        if due < now {
            self.pace_ms = Some(now.ms_since(time));
        }
        self.clock.sleep_until(due);
    }

    fn note(&mut self, frame: &Frame, look: &Look, robot: &Robot) {
        self.frames += 1;
        push(&mut self.arrivals, frame.time, STEPS_KEPT);
        push(&mut self.steps, self.clock.now().ms_since(frame.time).max(0.0), STEPS_KEPT);
        if let Some(Change::Moved(found)) = &look.change {
            self.corners = found.corners;
        }
        if self.rested && !robot.rests() {
            // What was said has been mended, or so the person thinks who let the game go on.
            self.said.clear();
        }
        self.rested = robot.rests();
        if look.told.iter().any(|told| matches!(told, Notice::Resumed { .. })) {
            self.log(frame.time, "The game goes on.");
            self.said.clear();
        }
        for (time, words) in look.told.iter().filter_map(Notice::said) {
            self.say(time, words.into());
        }
        for event in &look.events {
            match event {
                Event::Locked(_) => {
                    self.heights.count(height(robot.belief().pile()));
                    if !self.is_new_plan {
                        // What was planned ahead is the falling piece's plan from now on.
                        let ahead = self.plan.take().filter(|plan| plan.is_ahead);
                        self.plan = ahead.map(|plan| Meant { is_ahead: false, ..plan });
                    }
                    if self.watch.control.hold() == Hold::Stepping && self.watch.is_live() {
                        self.watch.control.pause();
                    }
                }
                Event::GameOver { .. } => {
                    self.plan = None;
                    self.log(frame.time, "The game is over.");
                }
                _ => {}
            }
        }
        self.is_new_plan = false;
        // What was planned is not what will happen.
        self.plan = self.plan.take().filter(|plan| plan.is_ahead || !robot.is_adrift());
    }

    /// Everything for the page; some microseconds.
    pub fn shot(&self, frame: &Frame, look: &Look, robot: &Robot, summary: &Summary, read_us: f64) -> Shot {
        let belief = robot.belief();
        let span_ms = self.arrivals.back().zip(self.arrivals.front()).map_or(0.0, |(b, a)| b.ms_since(*a));
        let fps = if span_ms > 0.0 { (self.arrivals.len() - 1) as f64 * 1000.0 / span_ms } else { 0.0 };
        let mut steps: Vec<f64> = self.steps.iter().copied().collect();
        steps.sort_by(f64::total_cmp);
        let at =
            |share: f64| steps.get((steps.len().saturating_sub(1) as f64 * share) as usize).copied().unwrap_or(0.0);
        let numbers = Numbers {
            pieces: summary.pieces,
            lines: summary.lines,
            score: summary.score,
            level: belief.counters().level,
            misplaced: summary.misplaced,
            adrift: summary.adrift,
            stalls: summary.stalls,
            unplanned: summary.unplanned,
            surprises: summary.surprises,
            games_over: summary.games_over,
            frames: self.frames,
            frames_dropped: self.dropped.0,
            commands_dropped: self.dropped.1,
            fps,
            loop_ms: [at(0.5), at(0.99)],
            read_us,
            plan_us: self.plan_us,
            eye_ms: self.eye_ms,
            console_hz: look.clock.map(|clock| clock.hz()),
        };
        Shot {
            frame: frame.clone(),
            observation: look.observation.clone(),
            pile: *belief.pile(),
            falling: belief.falling(),
            plan: self.plan.as_ref().map(|plan| (plan.pose, plan.certainty)),
            is_ahead: self.plan.as_ref().is_some_and(|plan| plan.is_ahead),
            thoughts: self.plan.as_ref().map(|plan| plan.thoughts.clone()).unwrap_or_default(),
            planned: self.planned.clone(),
            heights: self.heights.clone(),
            numbers,
            corners: self.corners,
            said: self.said.iter().cloned().collect(),
            rests: robot.rests(),
        }
    }
}

/// The pile's height, rows.
pub fn height(pile: &Board) -> usize {
    (0..pile.height()).find(|&row| pile.row(row) != 0).map_or(0, |top| pile.height() - top)
}

fn push<T>(kept: &mut VecDeque<T>, item: T, at_most: usize) {
    if kept.len() == at_most {
        kept.pop_front();
    }
    kept.push_back(item);
}
