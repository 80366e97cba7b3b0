//! How late commands reach the wire on this computer: through the executor, the driver and a pseudo-terminal.

use super::findings::Findings;
use crate::time::Clock;
use std::io;
use std::sync::Arc;

/// Checks it for this many seconds.
#[cfg(not(unix))]
pub fn check(findings: &mut Findings, _seconds: u32, _load: bool, _clock: &Arc<dyn Clock>) -> io::Result<()> {
    findings.note("timing", "", "cannot be measured without pseudo-terminals", None)
}

#[cfg(unix)]
pub use over_a_pseudo_terminal::check;

#[cfg(unix)]
mod over_a_pseudo_terminal {
    use super::*;
    use crate::edge::relay::{self, Executor, Lateness, Limits, RelayError, RelaySpec, raise_own_priority};
    use crate::message::{RelayCommand, RelayMask};
    use crate::time::HostTime;
    use serialport::{SerialPort, TTYPort};
    use std::io::{ErrorKind, Read};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::JoinHandle;
    use std::time::Duration;

    /// From one command to the next, ms: a fast player's, and no multiple of the system's ticks.
    const EVERY_MS: f64 = 37.3;
    /// Commands are handed over in plans of this many, ahead of time.
    const PLAN: usize = 64;
    /// The first command comes so long after its plan, ms.
    const LEAD_MS: f64 = 20.0;
    /// What a robot hand needs at the wire.
    const P50_MS_MAX: f64 = 0.1;
    const P99_MS_MAX: f64 = 1.0;

    /// Spins between two looks at the line: about ten microseconds.
    const SPINS: usize = 300;

    /// Commands with their due times, and when the far end of the line saw their first byte.
    struct Measured {
        late_us: Vec<i64>,
        /// How late they were handed to the system.
        handed: Lateness,
        dropped: u64,
    }

    /// Checks it for this many seconds.
    pub fn check(findings: &mut Findings, seconds: u32, load: bool, clock: &Arc<dyn Clock>) -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        let busy = if load { keep_busy(&stop) } else { Vec::new() };
        let measured = measure(seconds, !load, clock);
        stop.store(true, Ordering::Relaxed);
        for thread in busy {
            // It only counts.
            let _ = thread.join();
        }
        match measured {
            Ok(measured) => tell(findings, measured, seconds, load),
            Err(e) => findings.error("timing", "", &e),
        }
    }

    fn tell(findings: &mut Findings, mut measured: Measured, seconds: u32, load: bool) -> io::Result<()> {
        let late = &mut measured.late_us;
        late.sort_unstable();
        let ms = |share: f64| {
            late.get(((late.len().max(1) - 1) as f64 * share).round() as usize).map(|us| *us as f64 / 1000.0)
        };
        let (Some(p50), Some(p99), Some(worst)) = (ms(0.5), ms(0.99), ms(1.0)) else {
            return findings.mend("timing", "", "no command arrived", "end other programs, then try again");
        };
        let how = if load { ", every processor kept busy" } else { "" };
        let dropped = match measured.dropped {
            0 => String::new(),
            n => format!("; {n} more came too late and were dropped"),
        };
        let says = format!(
            "{} commands in {seconds} s reach the wire {p50:.3} ms after they are due in the median, {p99:.3} ms in the worst of a hundred, {worst:.2} ms at worst{how}{dropped}",
            late.len()
        );
        if p50 <= P50_MS_MAX && p99 <= P99_MS_MAX {
            findings.good("timing", "", &says)?;
        } else {
            let remedy = "end other programs, and allow real-time priority";
            findings.note("timing", "", &says, Some(remedy))?;
        }
        findings.note("timing", "", &format!("handed to the system:\n{}", measured.handed.to_lines().join("\n")), None)
    }

    fn keep_busy(stop: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |stop: Arc<AtomicBool>| move || while !stop.load(Ordering::Relaxed) {};
        (0..count)
            .filter_map(|_| std::thread::Builder::new().name("load".into()).spawn(spin(stop.clone())).ok())
            .collect()
    }

    fn measure(seconds: u32, is_idle: bool, clock: &Arc<dyn Clock>) -> Result<Measured, RelayError> {
        let pair = TTYPort::pair().map_err(|e| RelayError::System { source: e.into() });
        let (far, near) = pair?;
        let spec = RelaySpec::parse(&format!("adr2200:{}?verify=no", near.name().unwrap_or_default()))?;
        let board = relay::open(&spec, clock.clone())?;
        let ended = Arc::new(AtomicBool::new(false));
        let listener = listen(far, is_idle, ended.clone(), clock.clone())?;
        let limits = Limits { forbidden: Vec::new(), max_hold: Duration::from_secs(60) };
        let executor = Executor::start(board, clock.clone(), limits)?;
        let handle = executor.handle();
        handle.keep_sent();
        let dues = play(&executor, seconds, clock)?;
        let sent = handle.take_sent().len();
        let stats = executor.stop()?;
        ended.store(true, Ordering::Relaxed);
        let heard = listener.join().unwrap_or_default();
        drop(near);
        tracing::debug!(sent, heard = heard.len(), "timing");
        // Each due command is matched with the first byte of the line that it became.
        let late_us = dues.iter().filter_map(|&(due, mask)| {
            let next = heard.partition_point(|(at, _)| *at < due);
            heard.get(next).filter(|(_, heard)| *heard == mask).map(|(at, _)| *at - due)
        });
        Ok(Measured { late_us: late_us.collect(), handed: *stats.lateness(), dropped: stats.dropped_stale })
    }

    /// Presses and releases until the time is over; every command's due time and mask.
    fn play(executor: &Executor, seconds: u32, clock: &Arc<dyn Clock>) -> Result<Vec<(HostTime, u8)>, RelayError> {
        let mut dues = Vec::new();
        let start = clock.now().plus_ms(LEAD_MS);
        let count = (f64::from(seconds) * 1000.0 / EVERY_MS).ceil() as usize;
        for first in (0..count).step_by(PLAN) {
            let plan: Vec<_> = (first..(first + PLAN).min(count))
                .map(|n| {
                    let due = start.plus_ms(n as f64 * EVERY_MS);
                    // Never "open all", which is repeated on its own; and no relay is held so long that the gate lets it go.
                    let mask = RelayMask([16, 32][n % 2]);
                    RelayCommand { due, expires: due.plus_ms(EVERY_MS / 2.0), mask }
                })
                .collect();
            dues.extend(plan.iter().map(|c| (c.due, c.mask.0)));
            let end = plan.last().map_or(start, |c| c.due);
            executor.schedule_since(plan.first().map_or(start, |c| c.due), plan)?;
            // The next plan comes while the last command of this one still holds.
            clock.sleep_until(end.plus_ms(EVERY_MS / 4.0));
        }
        Ok(dues)
    }

    type Heard = Vec<(HostTime, u8)>;

    /// Reads the far end of the line: when each command's first byte came, and its mask. On an idle computer a thread that
    /// sleeps until a byte comes would add its own waking to what it measures, so it stays awake; but never at the cost of
    /// the relays' thread.
    fn listen(
        mut far: TTYPort,
        is_idle: bool,
        ended: Arc<AtomicBool>,
        clock: Arc<dyn Clock>,
    ) -> Result<JoinHandle<Heard>, RelayError> {
        let stays_awake = is_idle && std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
        let timeout = if stays_awake { Duration::ZERO } else { Duration::from_millis(50) };
        let body = move || {
            if !stays_awake {
                raise_own_priority();
            }
            let (mut heard, mut line, mut began) = (Vec::new(), Vec::new(), HostTime::default());
            let mut buffer = [0; 64];
            // A timeout that cannot be set leaves the port's own.
            let _ = far.set_timeout(timeout);
            while !ended.load(Ordering::Relaxed) {
                let count = match far.read(&mut buffer) {
                    Ok(count) => count,
                    Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                        // Looking without pause would hold up the writer.
                        (0..SPINS).for_each(|_| std::hint::spin_loop());
                        continue;
                    }
                    Err(_) => break,
                };
                let now = clock.now();
                for &byte in &buffer[..count] {
                    if line.is_empty() {
                        began = now;
                    }
                    line.push(byte);
                    if byte == b'\r' {
                        heard.extend(mask_of(&line).map(|mask| (began, mask)));
                        line.clear();
                    }
                }
            }
            heard
        };
        std::thread::Builder::new().name("line".into()).spawn(body).map_err(|source| RelayError::System { source })
    }

    fn mask_of(line: &[u8]) -> Option<u8> {
        std::str::from_utf8(line).ok()?.trim().strip_prefix("MK")?.parse().ok()
    }
}
