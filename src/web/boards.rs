//! The relay board behind the calibrating page: which ones may be chosen, which is used, and whether it is being changed.
//!
//! While a board is being changed nothing is pressed; STOP reaches the old one until it is open and closed.

use crate::edge::relay::{CandidatePort, ExecutorHandle, RelaySpec};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stands for the port in a board's name.
const PORT: &str = "PATH";
/// The boards at their factory settings, and what they are called on their box.
const KINDS: [(&str, &str); 9] = [
    ("adr2200:PATH", "ADR2200, or this project's own board"),
    ("lcus:PATH", "LCUS-1 to LCUS-8"),
    ("kmtronic:PATH", "KMTronic"),
    ("usbrly:PATH", "Devantech USB-RLY"),
    ("numato:PATH", "Numato"),
    ("conrad:PATH", "Conrad 197720"),
    ("modbus:PATH", "Modbus RTU, slave 1"),
    ("firmata:PATH?active=low", "Arduino with StandardFirmata, a low pin closes (most relay modules)"),
    ("firmata:PATH", "Arduino with StandardFirmata, a high pin closes"),
];
const HID: (&str, &str) = ("hid:", "HID “USBRelay”");
const SIMULATED: (&str, &str) = ("sim", "the simulated table's own");
const NONE: (&str, &str) = ("none", "none");

/// Says which serial ports there are.
pub type Ports = Box<dyn Fn() -> Vec<CandidatePort> + Send + Sync>;

/// The board in use, and those that may take its place.
pub struct Boards {
    ports: Ports,
    named: Vec<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The picture is the simulated table's.
    is_simulated: bool,
    /// The board in use, as on the command line; with its relays unless it is `none`.
    name: Option<String>,
    relays: Option<ExecutorHandle>,
    /// What it is being changed to.
    next: Option<String>,
    /// Why there is no board, or not the one that was chosen.
    problem: Option<String>,
    /// The ports that were offered last.
    offered: Vec<CandidatePort>,
}

impl Boards {
    /// No board is used yet. Those that the user has `named`, on the command line or in the profile, are offered as they
    /// were written, the others at their factory settings on the `ports` there are.
    pub fn new(ports: Ports, named: Vec<String>) -> Self {
        let is_board = |name: &String| RelaySpec::parse(name).is_ok_and(|spec| spec.is_real());
        let mut known: Vec<String> = Vec::new();
        for name in named.into_iter().filter(is_board) {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        Self { ports, named: known, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what is looked at is simulated from now on: nothing real may click to it.
    pub fn look_at(&self, is_simulated: bool) {
        self.lock().is_simulated = is_simulated;
    }

    /// The relays that STOP opens, also while the board is being changed.
    pub fn relays(&self) -> Option<ExecutorHandle> {
        self.lock().relays.clone()
    }

    /// The relays that may close.
    ///
    /// # Errors
    /// When there are none, or the board is being changed, in words.
    pub fn to_press(&self) -> Result<ExecutorHandle, String> {
        let state = self.lock();
        match (&state.next, &state.relays) {
            (Some(_), _) => Err("the board is being changed; wait a moment".into()),
            (None, Some(relays)) => Ok(relays.clone()),
            (None, None) => Err("there is no relay board; choose one under “Relay board”".into()),
        }
    }

    /// Whether the board is being changed.
    pub fn is_changing(&self) -> bool {
        self.lock().next.is_some()
    }

    /// From now on nothing is pressed until [`Self::used`] or [`Self::failed`].
    pub fn changing(&self, name: &str) {
        let mut state = self.lock();
        state.next = Some(name.into());
        state.problem = None;
    }

    /// This board is used; `none` has no relays.
    pub fn used(&self, name: &str, relays: Option<ExecutorHandle>) {
        let mut state = self.lock();
        (state.name, state.relays, state.next, state.problem) = (Some(name.into()), relays, None, None);
    }

    /// No board is used, and why.
    pub fn failed(&self, problem: String) {
        let mut state = self.lock();
        (state.name, state.relays, state.next, state.problem) = (None, None, None, Some(problem));
    }

    /// The change is not made: the board stays what it was.
    pub fn kept(&self, problem: String) {
        let mut state = self.lock();
        (state.next, state.problem) = (None, Some(problem));
    }

    /// Takes a person's choice, unless it is none that may be made.
    ///
    /// # Errors
    /// Why it may not be made, in words.
    pub fn choose(&self, name: &str) -> Result<(), String> {
        self.check(&self.lock(), name)?;
        self.changing(name);
        Ok(())
    }

    fn check(&self, state: &State, name: &str) -> Result<(), String> {
        if state.next.is_some() {
            return Err("the board is being changed; wait a moment".into());
        }
        if name == NONE.0 {
            return Ok(());
        }
        let is_real = RelaySpec::parse(name).map_err(|error| error.to_string())?.is_real();
        match (state.is_simulated, is_real) {
            (true, true) => {
                Err("the picture is the simulated table's: a real board would click unseen; choose a camera first"
                    .into())
            }
            (false, false) => {
                Err("the simulated table's board presses nothing in front of a camera; choose a real one".into())
            }
            // Only what is offered: a port's name could be any file's.
            _ if self.is_offered(state, name) => Ok(()),
            _ => Err("that board is not offered here; look for ports again, or give it with --relay".into()),
        }
    }

    fn is_offered(&self, state: &State, name: &str) -> bool {
        let is_it = |kind: &str| match kind.contains(PORT) {
            true => state.offered.iter().any(|port| kind.replace(PORT, &port.path) == name),
            false => kind == name,
        };
        self.kinds(state.is_simulated).iter().any(|(kind, _)| is_it(kind))
            || (!state.is_simulated && self.named.iter().any(|known| known == name))
    }

    fn kinds(&self, is_simulated: bool) -> Vec<(&'static str, &'static str)> {
        match is_simulated {
            true => vec![SIMULATED],
            false => KINDS.into_iter().chain(cfg!(feature = "hid").then_some(HID)).collect(),
        }
    }

    /// Looks which ports there are; what may be chosen: boards as (name with PATH for the port, words), and ports as
    /// (path, words).
    pub fn offer(&self) -> Value {
        // The system may take its time.
        let ports = (self.ports)();
        let mut state = self.lock();
        state.offered = ports;
        let named = self.named.iter().filter(|_| !state.is_simulated).map(|name| (name.as_str(), name.as_str()));
        let kinds: Vec<(&str, &str)> = [NONE].into_iter().chain(named).chain(self.kinds(state.is_simulated)).collect();
        let ports: Vec<_> = state.offered.iter().map(|port| (&port.path, words(port))).collect();
        json!({ "boards": kinds, "ports": ports })
    }

    /// What the page shows.
    pub fn to_json(&self) -> Value {
        let state = self.lock();
        json!({
            "name": state.name,
            "ready": state.relays.is_some() && state.next.is_none(),
            "changing": state.next,
            "problem": state.problem,
            "simulated": state.is_simulated,
        })
    }
}

fn words(port: &CandidatePort) -> String {
    if port.adapter.is_empty() { port.path.clone() } else { format!("{}: {}", port.path, port.adapter) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    fn boards() -> Boards {
        let port = |path: &str| CandidatePort { path: path.into(), adapter: String::new() };
        let ports = move || vec![port("/dev/ttyUSB0"), port("/dev/ttyUSB1")];
        Boards::new(Box::new(ports), vec!["adr2200:/dev/here?baud=19200".into(), "none".into(), "sim".into()])
    }

    #[test]
    fn every_serial_board_is_offered_and_nothing_on_another_file() {
        let boards = boards();
        assert!(boards.choose("lcus:/dev/ttyUSB1").is_err(), "nobody has looked for ports yet");
        let offer = boards.offer();
        let names: Vec<&str> = offer["boards"].as_array().unwrap().iter().map(|b| b[0].as_str().unwrap()).collect();
        for (_, protocol) in Protocol::NAMED {
            assert!(names.iter().any(|name| name.starts_with(&format!("{protocol}:PATH"))), "{protocol}");
        }
        assert!(names.contains(&"none") && names.contains(&"adr2200:/dev/here?baud=19200"), "{names:?}");
        for wrong in
            ["adr2200:/etc/passwd", "adr2200:PATH", "sim", "lcus:/dev/ttyUSB1?baud=1200", "", "adr2200:/dev/here"]
        {
            assert!(boards.choose(wrong).is_err() && !boards.is_changing(), "{wrong}");
        }
        for name in names.iter().map(|name| name.replace(PORT, "/dev/ttyUSB1")) {
            assert_eq!(boards.choose(&name), Ok(()), "{name}");
            assert!(boards.choose("none").is_err(), "one after the other");
            boards.failed("no answer".into());
        }
    }

    #[test]
    fn nothing_real_clicks_to_a_simulated_picture() {
        let boards = boards();
        boards.look_at(true);
        assert_eq!(boards.offer()["boards"], json!([NONE, SIMULATED]));
        for real in ["adr2200:/dev/ttyUSB0", "adr2200:/dev/here?baud=19200"] {
            assert!(boards.choose(real).unwrap_err().contains("simulated"), "{real}");
        }
        assert_eq!(boards.choose("sim"), Ok(()));
        boards.used("sim", None);
        assert_eq!(boards.choose("none"), Ok(()));
    }
}
