//! A lost board is looked for until it is back: its relays may still hold buttons down.

use super::{Adr2200Spec, KeysSpec, RelayBoard, RelayError, RelaySpec, SerialSpec};
use crate::time::{Clock, HostTime};
use std::sync::Arc;
use std::time::Duration;

/// A port is looked for this often, ms: the system needs about a second to bring a plugged-in adapter up.
const EVERY_MS: f64 = 100.0;

/// Opens the board again; its relays are open when it returns.
pub type Reopen = Box<dyn FnMut() -> Result<Box<dyn RelayBoard>, RelayError> + Send>;

/// How a lost board is looked for.
pub struct Reopening {
    /// How to open it. Called from the relays' thread.
    pub open: Reopen,
    /// How long.
    pub patience: Duration,
}

impl Reopening {
    /// The board that `spec` names, looked for during `patience`.
    pub fn of(spec: &RelaySpec, patience: Duration, clock: Arc<dyn Clock>) -> Self {
        let spec = spec.clone();
        Self { open: Box::new(move || open_afresh(&spec, clock.clone())), patience }
    }
}

/// Opens a port that somebody else left in the middle of something, and all relays. First the board is asked whether it is
/// one: another device may have its name by now, and must not be told anything.
///
/// # Errors
/// When the port does not open, or the board does not answer although it should.
pub fn open_afresh(spec: &RelaySpec, clock: Arc<dyn Clock>) -> Result<Box<dyn RelayBoard>, RelayError> {
    let mut board = super::open(spec, clock)?;
    open_relays(board.as_mut())?;
    board.check_reach()?;
    Ok(board)
}

/// Twice: the board may hold the beginning of a command that was cut off, which spoils the first.
fn open_relays(board: &mut dyn RelayBoard) -> Result<(), RelayError> {
    board.open_all()?;
    board.open_all()
}

/// Opens a board without asking whether it is there, which takes longer than opening its relays.
///
/// # Errors
/// When the port does not open.
pub fn open_unasked(spec: &RelaySpec, clock: Arc<dyn Clock>) -> Result<Box<dyn RelayBoard>, RelayError> {
    super::open(&without_questions(spec), clock)
}

fn without_questions(spec: &RelaySpec) -> RelaySpec {
    match spec.clone() {
        RelaySpec::Adr2200(spec) => RelaySpec::Adr2200(Adr2200Spec { verify: false, ..spec }),
        RelaySpec::Serial(spec) => RelaySpec::Serial(SerialSpec { verify: false, ..spec }),
        RelaySpec::Keys(spec) => RelaySpec::Keys(KeysSpec { verify: false, ..spec }),
        other => other,
    }
}

/// A search under way, or the means for one.
pub(super) struct Reconnect {
    reopening: Reopening,
    /// Since when the board is away, and why.
    away: Option<(HostTime, RelayError)>,
    next: HostTime,
}

impl Reconnect {
    pub(super) fn new(reopening: Reopening) -> Self {
        Self { reopening, away: None, next: HostTime::default() }
    }

    pub(super) fn patience(&self) -> Duration {
        self.reopening.patience
    }

    /// The board is away from now on.
    pub(super) fn lost(&mut self, now: HostTime, why: RelayError) {
        self.away = Some((now, why));
        self.next = now;
    }

    /// Why the board was lost, once, when it has been away for too long. Whatever is only not in front is waited for.
    pub(super) fn over(&mut self, now: HostTime) -> Option<RelayError> {
        let is_over = |since: HostTime, why: &RelayError| !why.is_absence() && now > since + self.reopening.patience;
        self.away.take_if(|(since, why)| is_over(*since, why)).map(|(_, why)| why)
    }

    /// Whether only what the board presses is away.
    pub(super) fn is_well(&self) -> bool {
        self.away.as_ref().is_none_or(|(_, why)| why.is_absence())
    }

    pub(super) fn is_due(&self, now: HostTime) -> bool {
        self.away.is_some() && self.next <= now
    }

    /// Tries to open it.
    pub(super) fn attempt(&mut self, now: HostTime) -> Option<Box<dyn RelayBoard>> {
        self.next = now.plus_ms(EVERY_MS);
        match (self.reopening.open)() {
            Ok(board) => {
                self.away = None;
                Some(board)
            }
            Err(error) => {
                tracing::debug!("the board is not back: {error}");
                None
            }
        }
    }
}
