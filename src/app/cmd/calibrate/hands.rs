//! The board at the calibrating page, one at a time: the old one is open and closed before another is opened.
//!
//! A thread of its own does that, for a silent board takes seconds: pictures, page and STOP go on meanwhile.

use crate::app::live::rig::{self, Opened, Rig};
use crate::edge::relay::{self, RelayBoard, RelayError, RelaySpec};
use crate::profile::calibration::Calibration;
use crate::profile::wire::Wire;
use crate::time::Clock;
use crate::web::Tuning;
use anyhow::{anyhow, ensure};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The board that presses nothing.
pub const NONE: &str = "none";

/// Opens a board.
pub type Open = Box<dyn FnOnce() -> anyhow::Result<Box<dyn RelayBoard>> + Send>;

/// The board in use, or on its way.
pub struct Hands {
    board: Board,
    clock: Arc<dyn Clock>,
}

enum Board {
    None,
    InUse(Box<InUse>),
    Changing(Change),
}

/// A board that presses.
pub struct InUse {
    /// It, with all that watches over it.
    pub rig: Rig,
    /// How long its commands are on the wire.
    pub wire: Wire,
}

struct Change {
    name: String,
    /// The person has chosen it, and the profile is to name it.
    is_chosen: bool,
    /// `none` gives no board.
    thread: JoinHandle<anyhow::Result<Option<Box<InUse>>>>,
}

/// The board to come; `None`, and its name is `none`.
pub struct Next {
    /// As on the command line.
    pub name: String,
    /// How it is opened.
    pub open: Option<Open>,
    /// The person has chosen it, and the profile is to name it.
    pub is_chosen: bool,
}

impl Hands {
    /// Begins with this board.
    pub fn new(board: Option<InUse>, clock: Arc<dyn Clock>) -> Self {
        Self { board: board.map_or(Board::None, |board| Board::InUse(Box::new(board))), clock }
    }

    /// How long the board's commands are on the wire; nothing without one.
    pub fn wire(&self) -> Option<Wire> {
        if let Board::InUse(board) = &self.board { Some(board.wire) } else { None }
    }

    /// Whether it is being changed.
    pub fn is_changing(&self) -> bool {
        matches!(self.board, Board::Changing(_))
    }

    /// Begins to put another board in the place of this one; [`Self::look`] tells when it is there.
    ///
    /// # Errors
    /// When that is under way already, or there is no thread to be had.
    pub fn change(&mut self, tuning: &Tuning, next: Next) -> anyhow::Result<()> {
        ensure!(!self.is_changing(), "the board is being changed; wait a moment");
        tuning.boards.changing(&next.name);
        let (calibration, clock) = (tuning.calibration(), self.clock.clone());
        let Next { name, open, is_chosen } = next;
        let (old, named) = (self.take(), name.clone());
        let body = move || {
            old.map_or(Ok(()), |old| release(*old))?;
            open.map(|open| opened(&named, open, calibration, &clock)).transpose()
        };
        self.begin(name, is_chosen, body).inspect_err(|error| tuning.boards.failed(format!("{error:#}")))
    }

    /// Takes in what has become of the board: another is there, or it is lost.
    pub fn look(&mut self, tuning: &Tuning) {
        match &self.board {
            Board::Changing(change) if change.thread.is_finished() => self.changed(tuning),
            Board::InUse(board) => {
                if let Some(error) = board.rig.executor.take_error() {
                    self.lost(tuning, error);
                }
            }
            Board::Changing(_) | Board::None => {}
        }
    }

    /// The end: all relays open, whatever was under way.
    ///
    /// # Errors
    /// The error that stopped the board, or that its relays did not open.
    pub fn end(self) -> Result<(), RelayError> {
        let board = match self.board {
            Board::InUse(board) => Some(board),
            Board::Changing(change) => change.thread.join().ok().and_then(Result::ok).flatten(),
            Board::None => None,
        };
        let Some(InUse { rig, .. }) = board.map(|board| *board) else { return Ok(()) };
        let is_open = rig.open_relays();
        rig.close(is_open).map(drop)
    }

    fn changed(&mut self, tuning: &Tuning) {
        let Board::Changing(Change { name, is_chosen, thread }) = std::mem::replace(&mut self.board, Board::None)
        else {
            return;
        };
        match thread.join().unwrap_or_else(|_| Err(anyhow!("the board's thread fell; start stackhand again"))) {
            Ok(board) => {
                tuning.boards.used(&name, board.as_ref().map(|board| board.rig.executor.handle()));
                self.board = board.map_or(Board::None, Board::InUse);
                if is_chosen {
                    tuning.note_relay(&name);
                }
            }
            // The person reads it on the page, and can choose again there.
            Err(error) => {
                let words = format!("{error:#}");
                tracing::warn!("{words}");
                tuning.boards.failed(words);
            }
        }
    }

    fn lost(&mut self, tuning: &Tuning, error: RelayError) {
        tuning.boards.changing(NONE);
        let old = self.take();
        let body = move || {
            // Why it is lost says more than that it does not answer.
            let _ = old.map(|old| release(*old));
            Err(error.into())
        };
        if let Err(error) = self.begin(NONE.into(), false, body) {
            tuning.boards.failed(format!("{error:#}"));
        }
    }

    fn take(&mut self) -> Option<Box<InUse>> {
        match std::mem::replace(&mut self.board, Board::None) {
            Board::InUse(old) => Some(old),
            Board::None | Board::Changing(_) => None,
        }
    }

    /// Does this beside the pictures. Without a thread what it holds is dropped, which opens the old board's relays, too.
    fn begin(
        &mut self,
        name: String,
        is_chosen: bool,
        body: impl FnOnce() -> anyhow::Result<Option<Box<InUse>>> + Send + 'static,
    ) -> anyhow::Result<()> {
        let thread = std::thread::Builder::new().name("board".into()).spawn(body)?;
        self.board = Board::Changing(Change { name, is_chosen, thread });
        Ok(())
    }
}

/// Opens the board's relays and closes its port. Where nobody can be sure that they are open, no other board follows.
fn release(InUse { rig, .. }: InUse) -> anyhow::Result<()> {
    let is_open = rig.open_relays();
    rig.close(is_open)?;
    ensure!(
        is_open,
        "the board that was used did not confirm that its relays are open; release the buttons by hand, then choose again"
    );
    Ok(())
}

fn opened(name: &str, open: Open, calibration: Calibration, clock: &Arc<dyn Clock>) -> anyhow::Result<Box<InUse>> {
    let (rig, _, wire) = rig::open(name, &RelaySpec::parse(name)?, clock, |_, _| {
        let board = open()?;
        relay::check_buttons(board.as_ref(), &calibration)?;
        let wire = board.capabilities().wire;
        Ok(Opened { board, reopening: None, calibration, rest: wire })
    })?;
    Ok(Box::new(InUse { rig, wire }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::relay::{Capabilities, NoBoard};
    use crate::message::RelayMask;
    use crate::time::SystemClock;
    use crate::web::{Boards, Site};
    use serde_json::json;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A board that tells what is done to it.
    struct Telling(&'static str, Sender<String>);

    impl Telling {
        fn tell(&self, what: &str) {
            let _ = self.1.send(format!("{} {what}", self.0));
        }
    }

    impl RelayBoard for Telling {
        fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
            self.tell(if mask.0 == 0 { "open" } else { "closed" });
            Ok(())
        }

        fn capabilities(&self) -> Capabilities {
            NoBoard.capabilities()
        }

        fn name(&self) -> String {
            self.0.into()
        }

        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(None)
        }
    }

    impl Drop for Telling {
        fn drop(&mut self) {
            self.tell("gone");
        }
    }

    /// Longer than anything here takes on a busy computer, ms.
    const WAIT_MS_MAX: f64 = 60_000.0;

    struct Bench {
        tuning: Tuning,
        hands: Hands,
        tell: Sender<String>,
        told: Receiver<String>,
    }

    impl Bench {
        fn new() -> Self {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
            let corners = [[200.0, 40.0], [360.0, 40.0], [360.0, 360.0], [200.0, 360.0]];
            let calibration = Calibration::new("nes", [640, 480], corners, 0.5);
            let boards = Boards::new(Box::new(Vec::new), Vec::new());
            let tuning = Tuning::new(calibration, "rig.toml".into(), Vec::new(), Vec::new(), boards, clock.clone());
            let (tell, told) = channel();
            Self { tuning, hands: Hands::new(None, clock), tell, told }
        }

        fn change(&mut self, open: Open) {
            let next = Next { name: "sim".into(), open: Some(open), is_chosen: true };
            self.hands.change(&self.tuning, next).unwrap();
        }

        fn board(&self, name: &'static str) -> Open {
            let tell = self.tell.clone();
            Box::new(move || {
                let board = Telling(name, tell);
                board.tell("there");
                Ok(Box::new(board))
            })
        }

        fn wait(&mut self) {
            let clock = SystemClock::new();
            while self.hands.is_changing() {
                assert!(clock.now().ms() < WAIT_MS_MAX, "the board is still being changed");
                std::thread::yield_now();
                self.hands.look(&self.tuning);
            }
        }

        /// What the boards tell until one tells this.
        fn wait_for(&self, words: &str) {
            let wait = std::time::Duration::from_secs_f64(WAIT_MS_MAX / 1000.0);
            while self.told.recv_timeout(wait).expect("a board tells something") != words {}
        }
    }

    #[test]
    fn the_old_board_is_open_and_gone_before_another_is_there() {
        let mut bench = Bench::new();
        bench.change(bench.board("first"));
        bench.wait();
        bench.tuning.pulse(crate::game::Buttons::A).unwrap();
        assert_eq!(bench.tuning.calibration().relay.as_deref(), Some("sim"));
        bench.wait_for("first closed");
        bench.change(bench.board("second"));
        bench.wait();
        let told: Vec<String> = bench.told.try_iter().collect();
        let place =
            |words: &str| told.iter().position(|told| told == words).unwrap_or_else(|| panic!("{words}: {told:?}"));
        assert!(place("first open") < place("first gone") && place("first gone") < place("second there"), "{told:?}");
        assert!(place("second there") < place("second open"), "{told:?}");
        bench.hands.end().unwrap();
        assert_eq!(bench.told.try_iter().last().as_deref(), Some("second gone"));
    }

    #[test]
    fn while_a_silent_board_takes_its_time_stop_is_answered_and_nothing_is_pressed() {
        let mut bench = Bench::new();
        bench.change(bench.board("first"));
        bench.wait();
        let (go_on, wait) = channel::<()>();
        bench.change(Box::new(move || {
            let _ = wait.recv();
            anyhow::bail!("it does not answer; check its power")
        }));
        let stopped = bench.tuning.order(&json!({ "do": "stop" })).unwrap();
        assert_eq!((&stopped["opened"], &stopped["changing"]), (&json!(true), &json!(true)));
        for order in [
            json!({ "do": "test", "button": "a" }),
            json!({ "do": "measure" }),
            json!({ "do": "relay", "name": "none" }),
        ] {
            assert!(bench.tuning.order(&order).unwrap_err().contains("being changed"), "{order}");
        }
        bench.hands.look(&bench.tuning);
        assert!(bench.hands.is_changing());
        go_on.send(()).unwrap();
        bench.wait();
        let board = bench.tuning.boards.to_json();
        assert_eq!(
            (&board["ready"], &board["problem"]),
            (&json!(false), &json!("it does not answer; check its power"))
        );
        assert!(bench.tuning.pulse(crate::game::Buttons::A).unwrap_err().contains("no relay board"));
        bench.change(bench.board("second"));
        bench.wait();
        assert_eq!(bench.tuning.boards.to_json()["ready"], json!(true));
        bench.hands.end().unwrap();
    }
}
