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

#[cfg(unix)]
fn raise() -> Result<(), thread_priority::Error> {
    use thread_priority::{
        RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
        thread_native_id,
    };
    // The lowest real-time priority is above every ordinary thread and below the system's own.
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy)
}

#[cfg(not(unix))]
fn raise() -> Result<(), thread_priority::Error> {
    thread_priority::set_current_thread_priority(thread_priority::ThreadPriority::Max)
}
