//! Real-time priority for the threads that must wake on time.

/// Puts the current thread before all ordinary ones, where the system allows it. Without, a busy computer wakes it up to
/// 4 ms late, with it 0.5 ms (measured on a PC). It is not fatal: commands that are too late are dropped and counted.
pub(crate) fn raise_own_priority() {
    if let Err(e) = raise() {
        tracing::info!(
            "no real-time priority for the thread {:?} ({e}); presses may be some ms late while the computer is busy; \
             allow it with `ulimit -r 1` or an `rtprio` line in /etc/security/limits.conf",
            std::thread::current().name().unwrap_or_default()
        );
    }
}

/// Keeps all of this program in memory from now on, so that no press waits for a page from the disk; says so where that is
/// not allowed.
pub fn lock_memory() {
    if let Err(why) = try_lock_memory() {
        tracing::warn!(
            "cannot keep the program in memory ({why}); a press may wait for the disk while memory is short"
        );
    }
}

/// As [`lock_memory`], but says why not.
///
/// # Errors
/// What is in the way, and the remedy.
#[cfg(target_os = "linux")]
pub fn try_lock_memory() -> Result<(), String> {
    use nix::sys::mman::{MlockAllFlags, mlockall};
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    /// Linux's MCL_ONFAULT: pages are locked when they are first used, or each thread's stack would be taken whole.
    const ON_FAULT: i32 = 4;
    let (limit, _) = getrlimit(Resource::RLIMIT_MEMLOCK).map_err(|e| e.to_string())?;
    // With less than everything allowed, some later allocation would fail, in the middle of a game.
    if limit != RLIM_INFINITY && !nix::unistd::geteuid().is_root() {
        return Err("allow it with `ulimit -l unlimited` or a `memlock` line in /etc/security/limits.conf".into());
    }
    let flags = MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE | MlockAllFlags::from_bits_retain(ON_FAULT);
    mlockall(flags).map_err(|e| e.to_string())
}

/// As [`lock_memory`], but says why not.
///
/// # Errors
/// Always: only done on Linux.
#[cfg(not(target_os = "linux"))]
pub fn try_lock_memory() -> Result<(), String> {
    Err("only done on Linux".into())
}

#[cfg(unix)]
pub(crate) fn raise() -> Result<(), thread_priority::Error> {
    use thread_priority::{
        RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };
    // The lowest real-time priority is above every ordinary thread and below the system's own.
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy)
}

#[cfg(not(unix))]
pub(crate) fn raise() -> Result<(), thread_priority::Error> {
    thread_priority::set_current_thread_priority(thread_priority::ThreadPriority::Max)
}
