//! The live loop: pictures in, commands out, in real time. `play` and `dry-run --realtime` run it.

mod board_text;
pub mod care;
pub mod caretaker;
pub mod page;
pub mod pause;
pub mod recorder;
pub mod recovery;
pub mod rig;
pub mod run_settings;
pub mod screen;
mod stage;
pub mod stalls;
pub mod taped;
pub mod turn;

pub use stage::{RunError, Stage, Until};

use super::out::say;
use super::report::Report;
use super::report::hand::Loss;
use crate::edge::relay::{Executor, RelayError, RelayStats, StopCause, StopFlag};
use crate::message::Summary;
use crate::profile::game_times::GameTimes;
use crate::robot::{Decision, Input, Look};
use crate::time::HostTime;
use page::Viewed;
use pause::Wish;
use recovery::{has_board, is_ended, wait_for_camera};
use screen::Screen;
use stalls::Stalls;
use std::io;
use std::process::ExitCode;
use taped::Taped;
use turn::Hand;

/// How a run ended.
pub struct Outcome {
    /// Its sums.
    pub summary: Summary,
    /// The signal or panic that ended it, if one did.
    pub cause: Option<StopCause>,
    /// What the relays did, where there was an executor.
    pub relays: Option<RelayStats>,
    /// What was measured of the game's times.
    pub learned: GameTimes,
}

impl Outcome {
    /// That of the signal that ended it; 1 if nothing was seen of a game, for then nothing was done, or if it could not be
    /// recorded to its end.
    pub fn exit_code(&self) -> ExitCode {
        match self.cause {
            Some(cause) => ExitCode::from(cause.exit_status() as u8),
            None if self.summary.saw_nothing() || self.summary.recording_failed => ExitCode::FAILURE,
            None => ExitCode::SUCCESS,
        }
    }

    /// The result in plain words.
    ///
    /// # Errors
    /// When standard output is closed or full.
    pub fn print(&self) -> io::Result<()> {
        self.summary.print_play()?;
        let lateness = self.relays.as_ref().map(RelayStats::lateness).filter(|l| l.total() > 0);
        // For whoever looks into it (-v).
        let Some(lateness) = lateness.filter(|_| tracing::enabled!(tracing::Level::DEBUG)) else { return Ok(()) };
        say!("How late the {} commands left:", lateness.total())?;
        lateness.to_lines().iter().try_for_each(|line| say!("{line}"))
    }
}

/// Plays until the end is reached, the source ends, or something stops it. Relays are open afterwards in any case.
///
/// # Errors
/// When camera, board or output fail; the relays have been opened as far as the board can be reached.
pub fn perform(
    mut stage: Stage,
    mut robot: Taped,
    mut report: Report,
    mut screen: Screen,
) -> Result<Outcome, RunError> {
    let stop = stage.rig.net.stop_flag();
    stage.source.end_when(is_ended(&stop));
    stage.care.begin(&*stage.source);
    if robot.tape().is_some() {
        report.keep_lines();
        stage.rig.executor.handle().keep_sent();
    }
    let mut missed = 0;
    let mut result = Ok(());
    let rests = |robot: &Taped, until: Until| until.rest && robot.is_at_rest();
    while !stop.is_set() && !stage.until.reached(report.summary()) && !rests(&robot, stage.until) {
        match step(&mut stage, &stop, &mut robot, &mut report, &mut screen, &mut missed) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    // A failed board says so itself, below.
    let is_open = match result {
        Err(RunError::Relay(_)) => stage.rig.executor.open_all(),
        _ => stage.rig.open_relays(),
    };
    let now = stage.clock.now();
    let stall = stage.care.stalls.take().and_then(|mut stalls| stalls.end(now));
    let told = stall.map_or(Ok(()), |stall| report.stall(&stall));
    record(&stage, &robot, &mut report);
    let shown = screen.finish();
    let dropped = stage.care.dropped(&*stage.source);
    // A recording that fails must not hide what ended the run; the writer has told of it by itself.
    if let Some(recorder) = robot.take_tape() {
        report.recorded(recorder::finish(recorder));
    }
    let relays = stage.rig.close(is_open);
    result?;
    let relays = relays?;
    shown?;
    told?;
    let learned = report.learned();
    let summary = report.finish(Some(&relays), dropped)?;
    Ok(Outcome { summary, cause: stop.cause(), relays: Some(relays), learned })
}

/// One picture; whether there may be another.
/// `missed` counts the presses that were not made, as far as they are known.
fn step(
    stage: &mut Stage,
    stop: &StopFlag,
    robot: &mut Taped,
    report: &mut Report,
    screen: &mut Screen,
    missed: &mut u64,
) -> Result<bool, RunError> {
    let mut frame = match stage.source.next_frame() {
        Ok(Some(frame)) => frame,
        Ok(None) => return Ok(false),
        Err(error) => return wait_for_camera(stage, report, stop, error).map(|()| true),
    };
    stage.calibration.check_picture(frame.image.width(), frame.image.height())?;
    if let Some(error) = stage.rig.executor.take_error() {
        return Err(error.into());
    }
    let sighted_until = stage.care.see(&mut frame);
    stage.rig.executor.handle().sighted(sighted_until);
    watch_for_stalls(stage, report, frame.time, sighted_until)?;
    if stage.care.is_back() {
        tracing::warn!("the camera is back");
        report.loss(Loss::CameraBack, frame.time)?;
        robot.handle(Input::CalledOff(frame.time));
    }
    let (look, read_us) = turn::look(robot, &frame, report, Some(&*stage.clock))?;
    call_off(stage, robot, missed)?;
    if has_board(stage, robot, report)? && has_hand(stage, robot, &look)? {
        let mut relays = Relays { executor: &stage.rig.executor, page: stage.page.as_mut() };
        turn::decide::<RunError>(robot, &frame, report, &mut relays, Some(&*stage.clock))?;
    }
    if let Some(page) = &mut stage.page {
        page.dropped(stage.care.dropped(&*stage.source), *missed);
        page.show(&frame, &look, robot, report.summary(), read_us);
    }
    record(stage, robot, report);
    screen.show(robot, report.summary(), &look)?;
    Ok(true)
}

/// The loop waits for pictures; that none comes is told meanwhile.
fn watch_for_stalls(stage: &mut Stage, report: &mut Report, time: HostTime, due: HostTime) -> io::Result<()> {
    let stalls = stage.care.stalls.get_or_insert_with(|| {
        let (tell, show) = (report.stall_teller(time), stage.page.as_ref().map(Viewed::teller));
        Stalls::told_by(stage.clock.clone(), move |due| {
            tell(due);
            if let Some(show) = &show {
                show(due, stalls::WORDS);
            }
        })
    });
    let Some(stall) = stalls.see(time, due) else { return Ok(()) };
    if let Some(page) = &mut stage.page {
        page.stalled(&stall);
    }
    report.stall(&stall)
}

fn record(stage: &Stage, robot: &Taped, report: &mut Report) {
    let Some(recorder) = robot.tape() else { return };
    report.take_lines().into_iter().for_each(|line| recorder.event(line));
    let sent = stage.rig.executor.handle().take_sent();
    report.relay_lines(&sent).into_iter().for_each(|line| recorder.event(line));
}

/// After a press that was dropped the rest of its plan would do something else than planned.
fn call_off(stage: &mut Stage, robot: &mut Taped, missed: &mut u64) -> Result<(), RunError> {
    let missed_now = stage.rig.executor.handle().missed();
    if missed_now > *missed {
        *missed = missed_now;
        stage.pauser.missed();
        stage.care.tell_missed(stage.clock.now());
        stage.rig.executor.schedule(Vec::new())?;
        robot.handle(Input::CalledOff(stage.clock.now()));
    }
    Ok(())
}

/// Whether the robot may press now, which a person may have forbidden. Pauses the game, and lets it go on.
fn has_hand(stage: &mut Stage, robot: &mut Taped, look: &Look) -> Result<bool, RelayError> {
    let Some(page) = &stage.page else { return Ok(true) };
    let (control, now) = (page.control(), stage.clock.now());
    match stage.pauser.look(control.hold(), look.observation.state, now) {
        Wish::Play => {
            if control.take_resumed() {
                robot.handle(Input::GoOn(now));
            }
            Ok(true)
        }
        Wish::Wait => {
            robot.handle(Input::Held);
            Ok(false)
        }
        Wish::PressStart => {
            robot.handle(Input::Held);
            let permit = control.permit_while_paused().or_else(|| control.permit());
            // STOP came in between.
            if permit.is_some() {
                stage.rig.executor.schedule(pause::start_press(&stage.calibration, now))?;
            }
            Ok(false)
        }
    }
}

/// The relays, unless a person holds the robot.
struct Relays<'a> {
    executor: &'a Executor,
    page: Option<&'a mut Viewed>,
}

impl Hand for Relays<'_> {
    fn send(&mut self, decision: Decision, took_us: Option<f64>) -> Result<bool, RelayError> {
        let Some(page) = &mut self.page else {
            return self.executor.schedule_since(decision.since, decision.commands).map(|()| true);
        };
        page.decided(&decision, took_us.unwrap_or_default());
        match page.control().permit() {
            Some(_permit) => self.executor.schedule_since(decision.since, decision.commands).map(|()| true),
            None => Ok(false),
        }
    }
}
