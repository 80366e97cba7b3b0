//! The rows.

use crate::board::Board;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A robot that does not press within this time has not started.
const START: Duration = Duration::from_secs(30);
/// What a person must be told when nobody can open the relays.
const DOUBT: &str = "MAY STILL BE CLOSED";

/// How long the relays stayed closed after the attack, ms; or what went wrong.
type Verdict = Result<f64, String>;

struct Row {
    name: &'static str,
    attack: fn(&mut Scene) -> Verdict,
}

const ROWS: &[Row] = &[
    Row { name: "SIGKILL", attack: |s| s.ended_by(&[Signal::SIGKILL]) },
    Row { name: "SIGQUIT", attack: |s| s.ended_by(&[Signal::SIGQUIT]) },
    Row { name: "SIGUSR1", attack: |s| s.ended_by(&[Signal::SIGUSR1]) },
    Row { name: "SIGTERM", attack: |s| s.ended_by(&[Signal::SIGTERM]) },
    Row { name: "SIGINT", attack: |s| s.ended_by(&[Signal::SIGINT]) },
    Row { name: "SIGHUP", attack: |s| s.ended_by(&[Signal::SIGHUP]) },
    Row { name: "SIGHUP while it is ignored (nohup), then SIGTERM", attack: Scene::plays_on },
    Row { name: "SIGTERM twice", attack: |s| s.ended_by(&[Signal::SIGTERM, Signal::SIGTERM]) },
    Row { name: "SIGTERM, then SIGKILL", attack: |s| s.ended_by(&[Signal::SIGTERM, Signal::SIGKILL]) },
    Row { name: "SIGSTOP for 3 s", attack: |s| s.stopped_by(Signal::SIGSTOP) },
    Row { name: "SIGTSTP for 3 s", attack: |s| s.stopped_by(Signal::SIGTSTP) },
    Row { name: "SIGTTIN for 3 s", attack: |s| s.stopped_by(Signal::SIGTTIN) },
    Row { name: "SIGTTOU for 3 s", attack: |s| s.stopped_by(Signal::SIGTTOU) },
    Row { name: "the board's driver hangs", attack: Scene::hangs },
    Row { name: "watchdog killed", attack: Scene::watchdog_killed },
    Row { name: "watchdog stopped", attack: Scene::watchdog_stopped },
    Row { name: "watchdog killed, robot 0.1 to 0.5 s later", attack: |s| s.robot_after_watchdog(Signal::SIGKILL) },
    Row { name: "watchdog stopped, robot 0.1 to 0.5 s later", attack: |s| s.robot_after_watchdog(Signal::SIGSTOP) },
    Row { name: "SIGTERM, SIGINT, SIGHUP to the watchdog, robot killed", attack: Scene::watchdog_told_to_end },
    Row { name: "robot and watchdog killed at once, then doctor --open-relays", attack: Scene::both_killed },
    Row { name: "robot hangs, SIGTERM to both, SIGKILL to both after 1 s", attack: Scene::service_stop },
    Row { name: "port gone, robot killed, port back", attack: Scene::port_gone },
    Row { name: "another device takes the port's name, robot killed", attack: Scene::name_taken },
    Row { name: "another device takes the name of a port that is gone", attack: Scene::name_taken_for_good },
    Row { name: "board deaf, then SIGTERM", attack: |s| s.deaf(&[Signal::SIGTERM]) },
    Row { name: "board deaf, then SIGTERM, SIGTERM", attack: |s| s.deaf(&[Signal::SIGTERM, Signal::SIGTERM]) },
    Row { name: "board deaf, then SIGTSTP", attack: Scene::deaf_and_paused },
    Row { name: "board deaf, then SIGKILL (told by the watchdog)", attack: Scene::deaf_and_killed },
    Row { name: "board deaf, then the end", attack: Scene::deaf_at_the_end },
    Row { name: "clean end", attack: Scene::clean_end },
    Row { name: "the whole program, SIGKILL", attack: |s| s.whole(Signal::SIGKILL) },
    Row { name: "the whole program, SIGSTOP", attack: |s| s.whole(Signal::SIGSTOP) },
];

/// Makes this many trials of each row, some at a time; whether all went well.
pub fn run(trials: usize, limit_ms: usize, jobs: usize, only: Option<&String>) -> bool {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| only.is_none_or(|part| row.name.contains(part.as_str()))).collect();
    assert!(!rows.is_empty(), "no row is called that");
    let todo: Mutex<Vec<(usize, usize)>> =
        Mutex::new((0..rows.len()).flat_map(|row| (0..trials).map(move |trial| (row, trial))).rev().collect());
    let done: Mutex<Vec<(usize, Verdict)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let Some((row, trial)) = todo.lock().unwrap().pop() else { break };
                    let mut scene = Scene::new((row * 1009 + trial) as u64);
                    let verdict = (rows[row].attack)(&mut scene);
                    done.lock().unwrap().push((row, verdict));
                }
            });
        }
    });
    let done = done.into_inner().unwrap();
    let mut is_good = true;
    println!(
        "| attack | trials | closed for longer than {limit_ms} ms, or other failures | open (or told) after, ms: median, worst |"
    );
    println!("| --- | --- | --- | --- |");
    for (number, row) in rows.iter().enumerate() {
        let of_row: Vec<&Verdict> = done.iter().filter(|(n, _)| *n == number).map(|(_, verdict)| verdict).collect();
        let mut times: Vec<f64> = of_row.iter().filter_map(|verdict| verdict.as_ref().ok().copied()).collect();
        times.sort_by(f64::total_cmp);
        let late = times.iter().filter(|ms| **ms > limit_ms as f64).count();
        let wrong: Vec<&String> = of_row.iter().filter_map(|verdict| verdict.as_ref().err()).collect();
        let (median, worst) = (times.get(times.len() / 2).copied(), times.last().copied());
        println!(
            "| {} | {} | {} | {:.0}, {:.0} |",
            row.name,
            of_row.len(),
            late + wrong.len(),
            median.unwrap_or(f64::NAN),
            worst.unwrap_or(f64::NAN)
        );
        wrong.iter().for_each(|why| println!("    {why}"));
        is_good &= late == 0 && wrong.is_empty() && of_row.len() == trials;
    }
    is_good
}

/// A board, a robot that presses, and a person who reads.
struct Scene {
    board: Board,
    folder: tempfile::TempDir,
    robot: Option<Child>,
    random: u64,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let board = Board::new(folder.path());
        Self { board, folder, robot: None, random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A share of 1, another each time.
    fn chance(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }

    fn relay(&self) -> String {
        format!("adr2200:{}", self.board.link.display())
    }

    fn errors(&self) -> PathBuf {
        self.folder.path().join("errors")
    }

    /// Starts the robot and waits until it presses, then to a random moment, mostly in the middle of a press.
    fn start(&mut self, mode: &str) -> Result<(), String> {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["robot", &self.relay(), mode]);
        self.launch(command)
    }

    fn launch(&mut self, mut command: Command) -> Result<(), String> {
        let errors = std::fs::File::create(self.errors()).unwrap();
        command.env("XDG_STATE_HOME", self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        self.robot = Some(command.spawn().unwrap());
        self.until("the first presses", START, |s| s.board.presses() > 2)?;
        let wait_ms = 300.0 * self.chance();
        std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
        // Three of four attacks come while a relay is closed.
        if self.chance() < 0.75 {
            self.until("a press", START, |s| s.board.mask() != 0)?;
        }
        Ok(())
    }

    fn until(&self, what: &str, patience: Duration, mut is_so: impl FnMut(&Self) -> bool) -> Result<Instant, String> {
        let began = Instant::now();
        while !is_so(self) {
            if began.elapsed() > patience {
                return Err(format!("waited in vain for {what}; the robot said: {}", self.said()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Instant::now())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.errors()).unwrap_or_default()
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("stackhand/watchdog.jsonl")).unwrap_or_default()
    }

    fn pid(&self) -> i32 {
        self.robot.as_ref().unwrap().id() as i32
    }

    /// The robot's watchdog.
    fn watchdog(&self) -> Result<i32, String> {
        let robot = self.pid().to_string();
        for process in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else { continue };
            let Some((name, rest)) = stat.rsplit_once(')') else { continue };
            let fields: Vec<&str> = rest.split_whitespace().collect();
            if name.ends_with("(relay-watchdog") && fields[1] == robot && fields[0] != "Z" {
                return Ok(process.file_name().to_str().unwrap().parse().unwrap());
            }
        }
        Err(format!("there is no watchdog; the robot said: {}", self.said()))
    }

    /// Waits until the relays are open and stay so; how long after `since` they opened.
    fn opened(&self, since: Instant) -> Verdict {
        self.until("open relays", Duration::from_secs(8), |s| s.board.mask() == 0 && s.board.opened().is_some())?;
        // Nobody presses again.
        std::thread::sleep(Duration::from_millis(250));
        let opened = self.board.opened().ok_or("the relays closed again")?;
        Ok(ms(opened, since))
    }

    fn ended_by(&mut self, signals: &[Signal]) -> Verdict {
        self.start("press")?;
        let began = Instant::now();
        for (number, signal) in signals.iter().enumerate() {
            if number > 0 {
                let wait_ms = 60.0 * self.chance();
                std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
            }
            send(self.pid(), *signal);
        }
        let verdict = self.opened(began)?;
        self.ended()?;
        Ok(verdict)
    }

    /// Waits until the robot is gone.
    fn ended(&mut self) -> Result<ExitStatus, String> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.robot.as_mut().unwrap().try_wait().unwrap() {
                return Ok(status);
            }
            if began.elapsed() > START {
                return Err(format!("the robot did not end; it said: {}", self.said()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Who is told to play on when the terminal goes does so, and ends when told.
    fn plays_on(&mut self) -> Verdict {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" robot \"$1\" press"]);
        command.arg(std::env::current_exe().unwrap()).arg(self.relay());
        self.launch(command)?;
        send(self.pid(), Signal::SIGHUP);
        let before = self.board.presses();
        self.until("presses after SIGHUP", START, |s| s.board.presses() > before + 3)?;
        let began = Instant::now();
        send(self.pid(), Signal::SIGTERM);
        let verdict = self.opened(began)?;
        self.ended()?;
        Ok(verdict)
    }

    fn stopped_by(&mut self, signal: Signal) -> Verdict {
        self.start("press")?;
        let began = Instant::now();
        send(self.pid(), signal);
        let verdict = self.opened(began)?;
        let rest = Duration::from_secs(3).saturating_sub(began.elapsed());
        std::thread::sleep(rest);
        if self.board.mask() != 0 {
            return Err("relays closed while the robot stood still".into());
        }
        let before = self.board.presses();
        send(self.pid(), Signal::SIGCONT);
        self.until("presses after the stop", START, |s| s.board.presses() > before + 2)?;
        // Whoever was stopped once can be killed, too.
        let killed = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        Ok(verdict.max(self.opened(killed)?))
    }

    fn hangs(&mut self) -> Verdict {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["robot", &self.relay(), "hang"]);
        self.launch(command)?;
        // It hangs in its fifth press.
        self.until("the press in which it hangs", START, |s| s.board.presses() == 5)?;
        let hung = self.board.story.lock().unwrap().masks.iter().rfind(|(_, mask)| *mask != 0).unwrap().0;
        self.opened(hung)
    }

    fn watchdog_killed(&mut self) -> Verdict {
        self.start("press")?;
        let first = self.watchdog()?;
        let began = Instant::now();
        send(first, Signal::SIGKILL);
        self.another_stands(first, began)
    }

    fn watchdog_stopped(&mut self) -> Verdict {
        self.start("press")?;
        let first = self.watchdog()?;
        let began = Instant::now();
        send(first, Signal::SIGSTOP);
        self.another_stands(first, began)
    }

    /// The relays open, nothing is pressed until another watchdog stands, and that one does its work.
    fn another_stands(&mut self, first: i32, began: Instant) -> Verdict {
        self.until("relays open for a moment", Duration::from_secs(8), |s| s.board.was_open_after(began).is_some())?;
        self.until("another watchdog", START, |s| s.watchdog().is_ok_and(|pid| pid != first))?;
        let before = self.board.presses();
        self.until("presses with another watchdog", START, |s| s.board.presses() > before + 2)?;
        let verdict = ms(self.board.was_open_after(began).unwrap(), began);
        let killed = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        Ok(verdict.max(self.opened(killed)?))
    }

    fn robot_after_watchdog(&mut self, signal: Signal) -> Verdict {
        self.start("press")?;
        send(self.watchdog()?, signal);
        let wait_ms = 100.0 + 400.0 * self.chance();
        std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
        let killed = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        self.opened(killed)
    }

    fn watchdog_told_to_end(&mut self) -> Verdict {
        self.start("press")?;
        let watchdog = self.watchdog()?;
        [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].into_iter().for_each(|signal| send(watchdog, signal));
        std::thread::sleep(Duration::from_millis(50));
        if self.watchdog()? != watchdog {
            return Err("it ended".into());
        }
        let killed = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        self.opened(killed)
    }

    /// What nothing on this computer can help at once: the service's ExecStopPost does.
    fn both_killed(&mut self) -> Verdict {
        self.start("press")?;
        let watchdog = self.watchdog()?;
        let began = Instant::now();
        send(watchdog, Signal::SIGKILL);
        send(self.pid(), Signal::SIGKILL);
        self.ended()?;
        let status = Command::new(env!("CARGO_BIN_EXE_stackhand"))
            .args(["doctor", "--open-relays", "--relay", &self.relay()])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        if !status.success() {
            return Err(format!("doctor --open-relays ended with {status}"));
        }
        self.opened(began)
    }

    fn service_stop(&mut self) -> Verdict {
        self.start("press")?;
        let watchdog = self.watchdog()?;
        let began = Instant::now();
        send(self.pid(), Signal::SIGSTOP);
        send(self.pid(), Signal::SIGTERM);
        send(watchdog, Signal::SIGTERM);
        std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
        send(self.pid(), Signal::SIGKILL);
        send(watchdog, Signal::SIGKILL);
        self.opened(began)
    }

    fn port_gone(&mut self) -> Verdict {
        self.start("press")?;
        self.until("a press", START, |s| s.board.mask() != 0)?;
        self.board.unplug();
        let wait_ms = 800.0 * self.chance();
        std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
        send(self.pid(), Signal::SIGKILL);
        std::thread::sleep(Duration::from_millis(300));
        self.board.plug_in();
        self.opened(Instant::now())
    }

    /// The board is still there; its name leads elsewhere.
    fn name_taken(&mut self) -> Verdict {
        self.start("press")?;
        std::fs::remove_file(&self.board.link).unwrap();
        let stranger = Board::stranger(self.folder.path());
        let killed = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        let verdict = self.opened(killed);
        let commands = stranger.commands();
        drop(stranger);
        if commands > 0 { Err(format!("the other device got {commands} commands")) } else { verdict }
    }

    /// The board is unplugged, another device gets its name, and later the board is back.
    fn name_taken_for_good(&mut self) -> Verdict {
        self.start("press")?;
        self.until("a press", START, |s| s.board.mask() != 0)?;
        self.board.unplug();
        let stranger = Board::stranger(self.folder.path());
        let wait_ms = 500.0 * self.chance();
        std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
        send(self.pid(), Signal::SIGKILL);
        self.until("the journal", START, |s| s.journal().contains("stranger"))?;
        let commands = stranger.commands();
        drop(stranger);
        self.board.plug_in();
        let back = Instant::now();
        let verdict = self.opened(back);
        if commands > 0 { Err(format!("the other device got {commands} commands")) } else { verdict }
    }

    /// Waits until it is told that relays may be closed; how long that took.
    fn told(&self, since: Instant) -> Verdict {
        self.until("the warning", Duration::from_secs(8), |s| s.said().contains(DOUBT)).map(|told| ms(told, since))
    }

    fn deaf(&mut self, signals: &[Signal]) -> Verdict {
        self.start("press")?;
        self.board.set_deaf();
        let began = Instant::now();
        for (number, signal) in signals.iter().enumerate() {
            if number > 0 {
                let wait_ms = 400.0 * self.chance();
                std::thread::sleep(Duration::from_secs_f64(wait_ms / 1000.0));
            }
            send(self.pid(), *signal);
        }
        let verdict = self.told(began)?;
        self.ended()?;
        Ok(verdict)
    }

    fn deaf_and_paused(&mut self) -> Verdict {
        self.start("press")?;
        self.board.set_deaf();
        let began = Instant::now();
        send(self.pid(), Signal::SIGTSTP);
        let verdict = self.told(began);
        send(self.pid(), Signal::SIGKILL);
        verdict
    }

    fn deaf_and_killed(&mut self) -> Verdict {
        self.start("press")?;
        self.board.set_deaf();
        let began = Instant::now();
        send(self.pid(), Signal::SIGKILL);
        let told = self.until("the journal", Duration::from_secs(8), |s| s.journal().contains("unanswered"))?;
        // And at the next start, whatever that does.
        let next = Command::new(env!("CARGO_BIN_EXE_stackhand"))
            .args(["doctor", "--no-probe", "--relay", &self.relay()])
            .env("XDG_STATE_HOME", self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&next.stderr).into_owned();
        if said.contains("STILL BE CLOSED") {
            Ok(ms(told, began))
        } else {
            Err(format!("the next start says {said:?}"))
        }
    }

    /// Lets the robot end by itself.
    fn end(&self) {
        std::fs::write(crate::robot::end_of(&self.board.link.to_string_lossy()), "").unwrap();
    }

    fn deaf_at_the_end(&mut self) -> Verdict {
        self.start("press")?;
        self.board.set_deaf();
        self.end();
        let verdict = self.told(Instant::now())?;
        self.ended()?;
        Ok(verdict)
    }

    fn clean_end(&mut self) -> Verdict {
        self.start("press")?;
        self.end();
        let status = self.ended()?;
        let ended = Instant::now();
        if !status.success() || !self.journal().is_empty() {
            return Err(format!("{status}, the watchdog noted {:?}, the robot said {}", self.journal(), self.said()));
        }
        match self.board.opened() {
            Some(opened) if self.board.mask() == 0 => Ok(if opened > ended { ms(opened, ended) } else { 0.0 }),
            _ => Err("relays are closed".into()),
        }
    }

    fn whole(&mut self, signal: Signal) -> Verdict {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
        command.args(["dry-run", "--realtime", "--level", "9", "--pieces", "1000", "--json", "--relay", &self.relay()]);
        self.launch(command)?;
        let began = Instant::now();
        send(self.pid(), signal);
        self.opened(began)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if let Some(mut robot) = self.robot.take() {
            let _ = robot.kill();
            let _ = robot.wait();
        }
    }
}

fn send(pid: i32, signal: Signal) {
    // What is gone already needs no signal.
    let _ = kill(Pid::from_raw(pid), signal);
}

fn ms(at: Instant, since: Instant) -> f64 {
    at.saturating_duration_since(since).as_secs_f64() * 1000.0
}
