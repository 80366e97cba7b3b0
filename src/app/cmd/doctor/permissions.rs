//! Whether this user may use ports and cameras, and keep the program in memory.

use super::findings::Findings;
use std::io;

/// Groups that own serial ports and cameras: Debian's names.
#[cfg(target_os = "linux")]
const GROUPS: [(&str, &str); 2] = [("dialout", "serial ports"), ("video", "cameras")];

/// Checks them.
pub fn check(findings: &mut Findings) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    groups(findings)?;
    memory(findings)
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

fn memory(findings: &mut Findings) -> io::Result<()> {
    match crate::edge::relay::try_lock_memory() {
        Ok(()) => findings.good("permissions", "memory", "`play --lock-memory` may keep the program in memory"),
        Err(why) => findings.note("permissions", "memory", "`play --lock-memory` would not be allowed", Some(&why)),
    }
}
