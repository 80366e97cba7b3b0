//! How late commands reach the wire on this computer: through the executor, the driver and a pseudo-terminal.

use super::findings::Findings;
use crate::app::progress::Progress;
use crate::time::Clock;
use std::io;
use std::sync::Arc;

/// Checks it for this many seconds.
#[cfg(not(unix))]
pub fn check(
    findings: &mut Findings,
    _progress: &mut Progress,
    _seconds: u32,
    _load: bool,
    _clock: &Arc<dyn Clock>,
) -> io::Result<()> {
    findings.note("timing", "", "cannot be measured without pseudo-terminals", None)
}

#[cfg(unix)]
pub use over_a_pseudo_terminal::check;

#[cfg(unix)]
mod over_a_pseudo_terminal {
    use super::*;
    use crate::app::cmd::doctor::findings::Verdict;
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
    /// Half of a console's frame: presses are aimed between two polls of the pad, and so late they miss theirs.
    const MISSED_MS: f64 = 1000.0 / 60.0988 / 2.0;

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
    pub fn check(
        findings: &mut Findings,
        progress: &mut Progress,
        seconds: u32,
        load: bool,
        clock: &Arc<dyn Clock>,
    ) -> io::Result<()> {
        // In a thread of its own: this one stays ordinary.
        let has_priority = matches!(std::thread::spawn(relay::raise).join(), Ok(Ok(())));
        let stop = Arc::new(AtomicBool::new(false));
        let busy = if load { keep_busy(&stop) } else { Vec::new() };
        let measured = measure(progress, seconds, !load, clock);
        stop.store(true, Ordering::Relaxed);
        for thread in busy {
            // It only counts.
            let _ = thread.join();
        }
        match measured {
            Ok(measured) => tell(findings, measured, has_priority, seconds, load),
            Err(e) => findings.error("timing", "", &e),
        }
    }

    fn tell(
        findings: &mut Findings,
        mut measured: Measured,
        has_priority: bool,
        seconds: u32,
        load: bool,
    ) -> io::Result<()> {
        tracing::debug!("handed to the system:\n{}", measured.handed.to_lines().join("\n"));
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
        let judged = Judged::of([p50, p99], measured.dropped, has_priority);
        let says = format!("{says}; {}", judged.because);
        match (judged.verdict, judged.remedy) {
            (Verdict::Mend, remedy) => findings.mend("timing", "", &says, remedy.unwrap_or("end other programs")),
            (Verdict::Note, remedy) => findings.note("timing", "", &says, remedy),
            (Verdict::Good, _) => findings.good("timing", "", &says),
        }
    }

    /// What a computer's lateness means for the game, and what can be done about it.
    #[derive(Debug, PartialEq, Eq)]
    struct Judged {
        verdict: Verdict,
        because: &'static str,
        /// Nothing that is so already.
        remedy: Option<&'static str>,
    }

    impl Judged {
        /// By the lateness of commands in the median and in the worst of a hundred, ms, how many were dropped for it, and
        /// whether the relays' thread has real-time priority.
        fn of([p50, p99]: [f64; 2], dropped: u64, has_priority: bool) -> Self {
            let is_missed = p99 > MISSED_MS || dropped > 0;
            let is_late = p50 > P50_MS_MAX || p99 > P99_MS_MAX;
            let verdict = match (is_missed, is_late || !has_priority) {
                (true, _) => Verdict::Mend,
                (false, true) => Verdict::Note,
                (false, false) => Verdict::Good,
            };
            let because = match (is_missed, is_late, has_priority) {
                (true, _, true) => {
                    "some presses would miss their frame, although the relays' thread has real-time priority"
                }
                (true, _, false) => {
                    "some presses would miss their frame: the relays' thread gets no real-time priority"
                }
                (false, true, true) => "no press misses its frame by that; the relays' thread has real-time priority",
                (false, true, false) => {
                    "no press misses its frame by that, but the relays' thread gets no real-time priority"
                }
                (false, false, true) => "the relays' thread has real-time priority",
                (false, false, false) => "but without real-time priority some may be late when the computer is busy",
            };
            let remedy = match (has_priority, is_missed || is_late) {
                (false, _) => {
                    Some("allow it with `ulimit -r 1` or a line `@dialout - rtprio 1` in /etc/security/limits.conf")
                }
                (true, true) => Some(
                    "end other programs, switch power saving off, do not use a virtual machine; `--timing 60` measures longer",
                ),
                (true, false) => None,
            };
            Self { verdict, because, remedy }
        }
    }

    fn keep_busy(stop: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |stop: Arc<AtomicBool>| move || while !stop.load(Ordering::Relaxed) {};
        (0..count)
            .filter_map(|_| std::thread::Builder::new().name("load".into()).spawn(spin(stop.clone())).ok())
            .collect()
    }

    fn measure(
        progress: &mut Progress,
        seconds: u32,
        is_idle: bool,
        clock: &Arc<dyn Clock>,
    ) -> Result<Measured, RelayError> {
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
        let dues = play(&executor, progress, seconds, clock)?;
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
    fn play(
        executor: &Executor,
        progress: &mut Progress,
        seconds: u32,
        clock: &Arc<dyn Clock>,
    ) -> Result<Vec<(HostTime, u8)>, RelayError> {
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
            let done = dues.len();
            progress
                .show(Some(done as f64 / count as f64), || format!("Timing: {done} of {count} commands; Ctrl-C ends"));
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

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_is_said_of_lateness_agrees_with_itself() {
            for (late, dropped, verdict) in [
                ([0.05, 0.3], 0, Verdict::Good),
                ([0.08, 4.4], 0, Verdict::Note),
                ([0.2, 0.9], 0, Verdict::Note),
                ([0.08, 9.9], 0, Verdict::Mend),
                ([0.05, 0.3], 1, Verdict::Mend),
            ] {
                let [with, without] = [true, false].map(|has_priority| Judged::of(late, dropped, has_priority));
                assert_eq!(with.verdict, verdict, "{late:?} {dropped}");
                // What is so already is not advised; what is not so is.
                assert!(!with.remedy.is_some_and(|remedy| remedy.contains("rtprio")), "{with:?}");
                assert!(without.remedy.is_some_and(|remedy| remedy.contains("rtprio")), "{without:?}");
                assert_eq!(with.remedy.is_none(), verdict == Verdict::Good, "{with:?}");
                assert_ne!(without.verdict, Verdict::Good);
                assert!(with.because.contains("has real-time priority"), "{with:?}");
            }
        }
    }
}
