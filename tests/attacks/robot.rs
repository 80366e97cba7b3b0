//! The program that is attacked: presses without end through the same parts as `play`, with nothing to see.

use stackhand::edge::relay::{
    self, Capabilities, Executor, Limits, RelayBoard, RelayError, RelaySpec, Reopening, SafetyNet, Watchdog,
};
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::time::{Clock, SystemClock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a press and the gap after it last, ms: mostly closed.
const PRESS_MS: f64 = 90.0;
const GAP_MS: f64 = 30.0;
/// Plans are made this often, ms.
const PLAN_MS: f64 = 60.0;

/// `robot REL MODE`: `press` until a signal or until there is a file beside the port that says the end, or `hang` in the board's
/// driver.
pub fn main(relay: &str, mode: &str) -> i32 {
    tracing_subscriber::fmt().with_writer(std::io::stderr).without_time().with_target(false).init();
    match run(relay, mode) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("stackhand: {error}");
            1
        }
    }
}

fn run(name: &str, mode: &str) -> Result<i32, RelayError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let net = SafetyNet::install()?;
    let spec = RelaySpec::parse(name)?;
    let program = Path::new(env!("CARGO_BIN_EXE_stackhand"));
    let watchdog = Watchdog::start(program, name, Duration::from_secs(60))?;
    let mut board = relay::open(&spec, clock.clone())?;
    if mode == "hang" {
        board = Box::new(Hanging { board, presses: 0, clock: clock.clone() });
    }
    let reopening = watchdog.again(Reopening::of(&spec, Duration::from_secs(60), clock.clone()));
    let limits = Limits { forbidden: Vec::new(), max_hold: Duration::from_secs(2500) };
    let executor = Executor::start_patient(board, Some(reopening), clock.clone(), limits)?;
    net.watch(executor.handle());
    executor.handle().guard(watchdog.link());
    let flag = net.stop_flag();
    let mut due = clock.now();
    let mut missed = 0;
    let end = end_of(spec.port().unwrap_or_default());
    while !flag.is_set() && !end.exists() {
        let now = clock.now();
        if executor.handle().missed() != std::mem::replace(&mut missed, executor.handle().missed()) || due < now {
            due = now.plus_ms(GAP_MS);
        }
        // Far into the future: whoever is stopped must not go on with it.
        let plan = (0..100).flat_map(|n| {
            let close = due.plus_ms(f64::from(n) * (PRESS_MS + GAP_MS));
            let open = close.plus_ms(PRESS_MS);
            let command = |due, mask| RelayCommand { due, expires: due + Duration::from_millis(60), mask };
            [command(close, RelayMask(1 << (n % 8))), command(open, RelayMask(0))]
        });
        executor.schedule_since(due, plan.collect())?;
        while due < now.plus_ms(PLAN_MS) {
            due = due.plus_ms(PRESS_MS + GAP_MS);
        }
        clock.sleep_until(now.plus_ms(PLAN_MS));
    }
    let status = flag.cause().map_or(0, |cause| cause.exit_status());
    let is_open = executor.open_all();
    let stopped = executor.stop();
    if is_open && stopped.is_ok() {
        watchdog.dismiss();
    }
    stopped.map(|_| status)
}

/// The file that ends a robot at this port by itself.
pub fn end_of(port: &str) -> PathBuf {
    Path::new(port).with_extension("end")
}

/// A driver that hangs in the middle of a press.
struct Hanging {
    board: Box<dyn RelayBoard>,
    presses: usize,
    clock: Arc<dyn Clock>,
}

impl RelayBoard for Hanging {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.board.set(mask)?;
        self.presses += usize::from(mask != RelayMask(0));
        if self.presses == 5 {
            self.clock.sleep_until(self.clock.now() + Duration::from_secs(3600));
        }
        Ok(())
    }
    fn open_all(&mut self) -> Result<(), RelayError> {
        self.board.open_all()
    }
    fn capabilities(&self) -> Capabilities {
        self.board.capabilities()
    }
    fn name(&self) -> String {
        self.board.name()
    }
    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back()
    }
}
