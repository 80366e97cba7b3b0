//! Calls to the board while no command is due: they keep one that guards itself from opening, and show when it stops
//! answering, was restarted, or holds other relays than it was told.

use crate::edge::relay::KeepAlive;
use crate::edge::relay::{RelayBoard, RelayError};
use crate::time::HostTime;

/// How the board is called.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) plan: Option<KeepAlive>,
    pub(super) last: Option<HostTime>,
    /// Complaints in a row.
    pub(super) complaints: u32,
}

impl Calls {
    /// Asks the board how it wants to be called.
    pub(super) fn begin(board: &mut dyn RelayBoard) -> Result<Self, RelayError> {
        Ok(Self { plan: board.start_calls()?, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::relay::executor::handle::Shared;
    use crate::edge::relay::executor::worker::Worker;
    use crate::edge::relay::{Capabilities, Gate, Health, Limits, NoBoard};
    use crate::message::{RelayCommand, RelayMask};
    use crate::time::ManualClock;
    use std::collections::VecDeque;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const EVERY_MS: i64 = 250;
    const TAKES_MS: i64 = 20;

    /// Says what it is told to say, and notes what it is asked.
    struct Scripted {
        log: Arc<Mutex<Vec<Option<RelayMask>>>>,
        says: VecDeque<Health>,
    }

    impl RelayBoard for Scripted {
        fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
            self.log.lock().unwrap().push(Some(mask));
            Ok(())
        }
        fn capabilities(&self) -> Capabilities {
            NoBoard.capabilities()
        }
        fn name(&self) -> String {
            "scripted".into()
        }
        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(None)
        }
        fn call(&mut self) -> Result<Health, RelayError> {
            self.log.lock().unwrap().push(None);
            Ok(self.says.pop_front().unwrap_or(Health::Well))
        }
    }

    struct Bench {
        clock: ManualClock,
        worker: Worker,
        log: Arc<Mutex<Vec<Option<RelayMask>>>>,
    }

    impl Bench {
        fn new(guards_itself: bool, says: &[Health], commands: &[(i64, u8)]) -> Self {
            let (clock, log) = (ManualClock::new(HostTime(0)), Arc::new(Mutex::new(Vec::new())));
            let [every, takes] = [EVERY_MS, TAKES_MS].map(|ms| Duration::from_millis(ms as u64));
            let calls = Calls { plan: Some(KeepAlive { every, takes, guards_itself }), ..Calls::default() };
            let mut worker = Worker {
                board: Box::new(Scripted { log: log.clone(), says: says.iter().copied().collect() }),
                clock: Arc::new(clock.clone()),
                gate: Gate::new(Limits { forbidden: Vec::new(), max_hold: Limits::MAX_HOLD }),
                shared: Arc::new(Shared::default()),
                opened: None,
                reconnect: None,
                calls,
                link: None,
            };
            let commands = commands.iter().map(|(ms, mask)| {
                let due = HostTime::from_ms(*ms as f64);
                RelayCommand { due, expires: due.plus_ms(5000.0), mask: RelayMask(*mask) }
            });
            let mut state = worker.shared.lock();
            worker.gate.schedule(HostTime(0), commands.collect(), &mut state.stats);
            drop(state);
            Self { clock, worker, log }
        }

        /// What was said at each millisecond up to `ms`, as the thread's loop says it.
        fn run(&mut self, ms: i64) -> Vec<(i64, Option<RelayMask>)> {
            let mut said = Vec::new();
            for at in 0..=ms {
                let now = HostTime(at * 1000);
                self.clock.advance_to(now);
                while self.worker.act(now) {}
                said.extend(self.log.lock().unwrap().drain(..).map(|what| (at, what)));
            }
            said
        }
    }

    #[test]
    fn calls_fill_every_pause_and_never_stand_in_a_presss_way() {
        let presses: Vec<_> = (0..40).map(|n| (1000 + n * 33, if n % 2 == 0 { 4 } else { 0 })).collect();
        let commands = [&presses[..], &[(2600, 8), (4800, 0)]].concat();
        let said = Bench::new(true, &[], &commands).run(6000);
        let calls: Vec<i64> = said.iter().filter(|(_, what)| what.is_none()).map(|(at, _)| *at).collect();
        for call in &calls {
            let in_its_way = commands.iter().find(|(due, _)| (call + 1..=call + TAKES_MS).contains(due));
            assert_eq!(in_its_way, None, "the call at {call}");
        }
        // Held down or not, the board never waits for a byte for longer than between two calls and a press.
        let quiet = said.windows(2).map(|w| w[1].0 - w[0].0).max().unwrap();
        assert!(quiet <= EVERY_MS + TAKES_MS + 3, "{quiet} ms");
        assert!(calls.iter().any(|at| (2700..4700).contains(at)) && calls.len() > 15, "{calls:?}");
        let sent: Vec<_> = said.iter().filter_map(|(at, what)| Some((*at, what.as_ref()?.0))).collect();
        assert_eq!(sent, commands, "every press at its time");
    }

    #[test]
    fn a_board_that_does_not_guard_itself_is_left_alone_while_it_presses() {
        let said = Bench::new(false, &[], &[(600, 4), (2900, 0)]).run(4000);
        let calls: Vec<i64> = said.iter().filter(|(_, what)| what.is_none()).map(|(at, _)| *at).collect();
        assert!(calls.iter().all(|at| !(580..2900).contains(at)) && calls.len() > 5, "{calls:?}");
    }

    #[test]
    fn after_a_board_opened_by_itself_all_is_opened_and_planned_anew() {
        let says = [Health::Well, Health::Well, Health::Well, Health::OpenedItself(1)];
        let mut bench = Bench::new(true, &says, &[(100, 4), (2000, 8), (2100, 0)]);
        let said = bench.run(3000);
        let sent: Vec<_> = said.iter().filter_map(|(_, what)| Some(what.as_ref()?.0)).collect();
        assert_eq!(sent, [4, 0], "what was planned before is not played");
        let state = bench.worker.shared.lock();
        assert!((state.stats.distrusted, state.failed) == (1, false));
    }

    #[test]
    fn a_silent_board_and_one_that_does_not_obey_are_given_up() {
        for (says, words) in [
            (vec![Health::Silent(1000.0)], "does not answer any more"),
            (vec![Health::Disagrees(RelayMask(8)); 3], "00001000 closed"),
        ] {
            let mut bench = Bench::new(true, &says, &[]);
            bench.run(1000);
            let error = bench.worker.shared.lock().error.take().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
