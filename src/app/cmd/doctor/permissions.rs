//! Whether this user may use ports, cameras and real-time priority.

use super::findings::Findings;
use std::io;

/// Groups that own serial ports and cameras: Debian's names.
#[cfg(target_os = "linux")]
const GROUPS: [(&str, &str); 2] = [("dialout", "serial ports"), ("video", "cameras")];

/// Checks them.
pub fn check(findings: &mut Findings) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    groups(findings)?;
    real_time(findings)
}

#[cfg(target_os = "linux")]
fn groups(findings: &mut Findings) -> io::Result<()> {
    use nix::unistd::{Group, geteuid, getgroups};
    if geteuid().is_root() {
        return findings.good("permissions", "", "root may use every port and camera");
    }
    let own = getgroups().unwrap_or_default();
    for (name, what) in GROUPS {
        match Group::from_name(name) {
            Ok(Some(group)) if own.contains(&group.gid) => {
                findings.good("permissions", name, &format!("you are in the group that owns {what}"))?;
            }
            Ok(Some(_)) => {
                let remedy = format!("add yourself with `sudo usermod -aG {name} $USER`, then log in again");
                findings.mend("permissions", name, &format!("you are not in the group that owns {what}"), &remedy)?;
            }
            // Other systems call it otherwise; the devices themselves tell then.
            _ => findings.note("permissions", name, "this system has no such group", None)?,
        }
    }
    Ok(())
}

fn real_time(findings: &mut Findings) -> io::Result<()> {
    // In a thread of its own: this one stays ordinary.
    let raised = std::thread::spawn(crate::edge::relay::raise).join();
    match raised {
        Ok(Ok(())) => findings.good("permissions", "real time", "the relays' thread gets real-time priority")?,
        Ok(Err(e)) => findings.note(
            "permissions",
            "real time",
            &format!(
                "no real-time priority for the relays' thread ({e}): presses may be some ms late on a busy computer"
            ),
            Some("allow it with `ulimit -r 1` or a line `@dialout - rtprio 1` in /etc/security/limits.conf"),
        )?,
        Err(_) => findings.note("permissions", "real time", "could not be tried", None)?,
    }
    match crate::edge::relay::try_lock_memory() {
        Ok(()) => findings.good("permissions", "memory", "`play --lock-memory` may keep the program in memory"),
        Err(why) => findings.note("permissions", "memory", "`play --lock-memory` would not be allowed", Some(&why)),
    }
}
