//! What can break at the simulated table: a contact, a wire, the camera's delay.

use super::table::WIRING;
use crate::message::{Buttons, RelayMask};
use crate::time::HostTime;
use std::str::FromStr;

/// The longest delay that a camera may fall back by, ms.
const LATE_MS_MAX: u32 = 500;

/// A fault, from a time of the table's own on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFault {
    /// What breaks.
    pub kind: FaultKind,
    /// When.
    pub since: HostTime,
}

/// What breaks. Relays count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A relay's contact reaches no button: it never closes, or its wire is off.
    Dead(u8),
    /// A relay's contact welds the next time it closes, and never opens again.
    Stuck(u8),
    /// Two relays' wires are swapped at the pad.
    Swapped(u8, u8),
    /// So many of a million presses do not close the contact.
    Loses(u32),
    /// After so many of a million presses the contact closes once more, for longer than a frame.
    Doubles(u32),
    /// Pictures arrive so much later, ms.
    LateCamera(u32),
}

/// A fault's name that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no fault; use dead:BUTTON, stuck:BUTTON, swapped:BUTTON,BUTTON, lose:SHARE, double:SHARE or late-camera:MS, \
     each with @SECONDS behind it if it shall begin later"
)]
pub struct NoFault(String);

impl TableFault {
    /// The contacts that reach the pad when these are closed.
    pub(crate) fn through_wires(&self, closed: RelayMask, at: HostTime) -> RelayMask {
        if at < self.since {
            return closed;
        }
        let bit = |relay: u8| 1u8 << relay;
        match self.kind {
            FaultKind::Dead(relay) => RelayMask(closed.0 & !bit(relay)),
            FaultKind::Swapped(a, b) => {
                let differ = (closed.0 >> a ^ closed.0 >> b) & 1;
                RelayMask(closed.0 ^ (differ << a | differ << b))
            }
            _ => closed,
        }
    }

    /// By how much later a picture arrives whose exposure ends at this time, ms.
    pub(crate) fn camera_late_ms(&self, at: HostTime) -> f64 {
        match self.kind {
            FaultKind::LateCamera(ms) if at >= self.since => f64::from(ms),
            _ => 0.0,
        }
    }
}

impl FromStr for TableFault {
    type Err = NoFault;

    fn from_str(text: &str) -> Result<Self, NoFault> {
        let wrong = || NoFault(text.into());
        let (what, since_s) = text.split_once('@').unwrap_or((text, "0"));
        let since_s: f64 = since_s.parse().map_err(|_| wrong())?;
        if !(0.0..=1e6).contains(&since_s) {
            return Err(wrong());
        }
        let (name, argument) = what.split_once(':').ok_or_else(wrong)?;
        let relay = |name: &str| {
            let button = Buttons::from_name(name)?;
            WIRING.iter().position(|wired| *wired == button).map(|relay| relay as u8)
        };
        let millionths = || argument.parse().ok().filter(|p| (0.0..=1.0).contains(p)).map(|p: f64| (p * 1e6) as u32);
        let kind = match name {
            "dead" => relay(argument).map(FaultKind::Dead),
            "stuck" => relay(argument).map(FaultKind::Stuck),
            "swapped" => argument
                .split_once(',')
                .and_then(|(a, b)| Some((relay(a)?, relay(b)?)))
                .filter(|(a, b)| a != b)
                .map(|(a, b)| FaultKind::Swapped(a, b)),
            "lose" => millionths().map(FaultKind::Loses),
            "double" => millionths().map(FaultKind::Doubles),
            "late-camera" => argument.parse().ok().filter(|ms| *ms <= LATE_MS_MAX).map(FaultKind::LateCamera),
            _ => None,
        };
        Ok(Self { kind: kind.ok_or_else(wrong)?, since: HostTime::from_ms(since_s * 1000.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_from_their_names() {
        let at = |text: &str| text.parse::<TableFault>().map(|fault| (fault.kind, fault.since.ms()));
        assert_eq!(at("dead:left"), Ok((FaultKind::Dead(1), 0.0)));
        assert_eq!(at("stuck:down@2.5"), Ok((FaultKind::Stuck(2), 2500.0)));
        assert_eq!(at("swapped:left,right"), Ok((FaultKind::Swapped(1, 0), 0.0)));
        assert_eq!(at("lose:0.05@30"), Ok((FaultKind::Loses(50_000), 30_000.0)));
        assert_eq!(at("late-camera:60"), Ok((FaultKind::LateCamera(60), 0.0)));
        for wrong in ["", "dead", "dead:nose", "swapped:a", "swapped:a,a", "lose:2", "late-camera:9999", "lose:0.1@-1"]
        {
            assert!(at(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn swapped_wires_exchange_what_differs() {
        let fault: TableFault = "swapped:left,a@1".parse().unwrap();
        let swapped = |mask, ms| fault.through_wires(RelayMask(mask), HostTime::from_ms(ms)).0;
        assert_eq!((swapped(0b10, 500.0), swapped(0b10, 1000.0)), (0b10, 0b1000_0000));
        assert_eq!((swapped(0b1000_0010, 2000.0), swapped(0b1000_0001, 2000.0)), (0b1000_0010, 0b11));
    }
}
