//! The program without a command, in a terminal: what to do next, by what is here.

use crate::app::out::say;
use crate::edge::camera::webcam_names;
use std::path::Path;
use std::process::ExitCode;

/// Where `calibrate` writes and a newcomer's profile lies.
const PROFILE: &str = "stackhand.toml";

/// What lies before us.
struct Found {
    cameras: Vec<(u32, String)>,
    ports: Vec<String>,
    has_profile: bool,
}

/// Says what to do next.
pub fn run() -> anyhow::Result<ExitCode> {
    let ports = serialport::available_ports().unwrap_or_default();
    let found = Found {
        cameras: webcam_names(),
        ports: ports.into_iter().map(|port| port.port_name).filter(|name| !name.contains("ttyS")).collect(),
        has_profile: Path::new(PROFILE).exists(),
    };
    found.words().into_iter().try_for_each(|line| say!("{line}"))?;
    Ok(ExitCode::SUCCESS)
}

impl Found {
    fn words(&self) -> Vec<String> {
        let camera = match self.cameras.as_slice() {
            [] => "no camera".into(),
            [(index, name), ..] => format!("camera:{index} ({name})"),
        };
        let board = self.ports.first().map_or("no serial port of an adapter".into(), |port| format!("a port, {port}"));
        let profile = if self.has_profile { format!("the profile {PROFILE}") } else { "no profile".into() };
        let mut lines = vec![
            "stackhand: a robot hand for falling-block games".into(),
            format!("Here: {camera}; {board}; {profile}."),
            String::new(),
            "Next:".into(),
        ];
        let mut step = |command: String, why: &str| lines.push(format!("  {command:<68} {why}"));
        match (self.cameras.first(), self.ports.first(), self.has_profile) {
            (_, _, true) => {
                step(format!("stackhand play --profile {PROFILE} --ui"), "play");
                step(format!("stackhand doctor --profile {PROFILE}"), "is all well?");
            }
            (Some((index, _)), port, false) => {
                let relay = port.map_or(String::new(), |port| format!(" --relay adr2200:{port}"));
                step("stackhand doctor".into(), "which board answers, what to mend");
                step(format!("stackhand calibrate --source camera:{index} --layout nes{relay}"), "find the field");
            }
            (None, _, false) => {
                step("stackhand dry-run --realtime --ui".into(), "see it play, without hardware");
                step("stackhand calibrate --source sim --layout nes".into(), "practise calibrating");
                step("stackhand doctor".into(), "what is missing here");
            }
        }
        lines.push(String::new());
        lines.push("All commands: stackhand help. Boards, pictures, games, fingers: stackhand help boards, ...".into());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(cameras: usize, ports: usize, has_profile: bool) -> String {
        let cameras = (0..cameras as u32).map(|index| (index, "Webcam".into())).collect();
        let ports = (0..ports).map(|port| format!("/dev/ttyUSB{port}")).collect();
        Found { cameras, ports, has_profile }.words()[4].trim().to_string()
    }

    #[test]
    fn the_next_step_follows_from_what_is_here() {
        assert!(next(0, 0, false).starts_with("stackhand dry-run --realtime --ui"));
        assert!(next(0, 1, false).starts_with("stackhand dry-run"));
        assert!(next(1, 0, false).starts_with("stackhand doctor"));
        assert!(next(1, 1, true).starts_with("stackhand play --profile stackhand.toml --ui"));
    }
}
