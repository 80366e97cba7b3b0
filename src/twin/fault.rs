//! What can break at the simulated table: a contact, a wire, the camera's delay, the way of its pictures.

use crate::game::Buttons;
use crate::message::RelayMask;
use crate::time::HostTime;
use crate::twin::pad::WIRING;
use std::str::FromStr;

/// The longest delay that a camera may fall back by, ms.
const LATE_MS_MAX: u32 = 500;
/// The longest stall of the pictures, and the longest time from one to the next, s.
const STALL_S_MAX: f64 = 3600.0;

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
    /// This many of a million presses do not close the contact.
    Loses(u32),
    /// After this many of a million presses the contact closes once more, for longer than a frame.
    Doubles(u32),
    /// Pictures arrive so much later, ms.
    LateCamera(u32),
    /// This many of a million pictures arrive so much later than they should, ms.
    LatePictures(u32, u32),
    /// No pictures come for a while.
    Stall(Stall),
}

/// A time without pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// How long it lasts, ms.
    pub ms: u32,
    /// From the beginning of one to that of the next, ms; `None` if there is only one.
    pub every_ms: Option<u32>,
    /// The pictures that do not come are counted: the next one's index tells how many they were. Webcams do so; a screen
    /// that was not captured, and many a driver, do not.
    pub is_counted: bool,
}

/// A fault's name that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoFault {
    /// Another name.
    #[error(
        "{0:?} is no fault; use dead:BUTTON, stuck:BUTTON, swapped:BUTTON,BUTTON, lose:SHARE, double:SHARE, \
         late-camera:MS, late:SHARE,MS, stall:SECONDS or gap:SECONDS (both also SECONDS,EVERY), each with @SECONDS behind \
         it if it shall begin later"
    )]
    Name(String),
    /// What stands behind the colon, and what may.
    #[error("{argument:?} does not fit behind {name}: {wanted}")]
    Argument {
        /// The fault's name.
        name: String,
        /// As given.
        argument: String,
        /// What may stand there.
        wanted: &'static str,
    },
    /// When it is to begin.
    #[error("{0:?} is no time to begin at; write seconds behind the @, such as dead:left@20")]
    Since(String),
}

/// What may stand behind a fault's name.
fn wanted(name: &str) -> Option<&'static str> {
    Some(match name {
        "dead" | "stuck" => "name one button: right, left, down, up, start, select, b or a",
        "swapped" => "name two buttons, such as left,right (of right, left, down, up, start, select, b, a)",
        "lose" | "double" => "give the share of all presses, 0 to 1, such as 0.05",
        "late-camera" => "give the delay, 0 to 500 ms",
        "late" => "give the share of the pictures and their delay, 0 to 500 ms, such as 0.05,40",
        "stall" | "gap" => "give seconds, 0.001 to 3600; or seconds and from one to the next, such as 0.7,10",
        _ => return None,
    })
}

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

    /// How many of a million pictures whose exposures end at this time arrive late, and by how much, ms.
    pub fn late_pictures(&self, at: HostTime) -> Option<(u32, u32)> {
        match self.kind {
            FaultKind::LatePictures(millionths, ms) if at >= self.since => Some((millionths, ms)),
            _ => None,
        }
    }

    /// The stall in which a picture is lost whose exposure ends at this time.
    pub fn stall(&self, at: HostTime) -> Option<Stall> {
        let FaultKind::Stall(stall) = self.kind else { return None };
        let since_ms = at.ms_since(self.since);
        let in_turn_ms = stall.every_ms.map_or(since_ms, |every_ms| since_ms % f64::from(every_ms));
        (since_ms >= 0.0 && in_turn_ms < f64::from(stall.ms)).then_some(stall)
    }
}

impl FromStr for TableFault {
    type Err = NoFault;

    fn from_str(text: &str) -> Result<Self, NoFault> {
        let (what, since) = text.split_once('@').unwrap_or((text, "0"));
        let since_s = since.parse().ok().filter(|s| (0.0..=1e6).contains(s));
        let since_s: f64 = since_s.ok_or_else(|| NoFault::Since(since.into()))?;
        let (name, argument) = what.split_once(':').unwrap_or((what, ""));
        let wanted = wanted(name).ok_or_else(|| NoFault::Name(text.into()))?;
        let wrong = || NoFault::Argument { name: name.into(), argument: argument.into(), wanted };
        let relay = |name: &str| {
            let button = Buttons::from_name(name)?;
            WIRING.iter().position(|wired| *wired == button).map(|relay| relay as u8)
        };
        let millionths = || share(argument);
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
            "late" => late_pictures(argument),
            "stall" => stall(argument, false),
            "gap" => stall(argument, true),
            _ => None,
        };
        Ok(Self { kind: kind.ok_or_else(wrong)?, since: HostTime::from_ms(since_s * 1000.0) })
    }
}

/// A share in millionths.
fn share(text: &str) -> Option<u32> {
    text.parse().ok().filter(|p| (0.0..=1.0).contains(p)).map(|p: f64| (p * 1e6) as u32)
}

/// `SHARE,MS`.
fn late_pictures(argument: &str) -> Option<FaultKind> {
    let (millionths, ms) = argument.split_once(',')?;
    let ms = ms.parse().ok().filter(|ms| *ms <= LATE_MS_MAX)?;
    Some(FaultKind::LatePictures(share(millionths)?, ms))
}

/// `SECONDS` or `SECONDS,EVERY`.
fn stall(argument: &str, is_counted: bool) -> Option<FaultKind> {
    let ms = |text: &str| {
        let seconds = text.parse().ok().filter(|s| (0.001..=STALL_S_MAX).contains(s));
        seconds.map(|s: f64| (s * 1000.0) as u32)
    };
    let (lasts, every) = argument.split_once(',').map_or((argument, None), |(lasts, every)| (lasts, Some(every)));
    let (lasts_ms, every_ms) = (ms(lasts)?, every.map(ms));
    match every_ms {
        None => Some(FaultKind::Stall(Stall { ms: lasts_ms, every_ms: None, is_counted })),
        // Some pictures have to come.
        Some(every_ms) if every_ms? > lasts_ms => {
            Some(FaultKind::Stall(Stall { ms: lasts_ms, every_ms: every_ms?.into(), is_counted }))
        }
        Some(_) => None,
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
        assert_eq!(at("late:0.05,40@3"), Ok((FaultKind::LatePictures(50_000, 40), 3000.0)));
        let stall = Stall { ms: 700, every_ms: None, is_counted: false };
        assert_eq!(at("stall:0.7@20"), Ok((FaultKind::Stall(stall), 20_000.0)));
        let gap = Stall { ms: 300, every_ms: Some(10_000), is_counted: true };
        assert_eq!(at("gap:0.3,10"), Ok((FaultKind::Stall(gap), 0.0)));
        let wrong = [
            "",
            "dead",
            "dead:nose",
            "swapped:a",
            "swapped:a,a",
            "lose:2",
            "late-camera:9999",
            "lose:0.1@-1",
            "late:0.1",
        ];
        let stalls = ["stall", "stall:0", "stall:-1", "stall:nan", "stall:1,1", "stall:2,x", "gap:1,", "late:2,40"];
        for wrong in wrong.into_iter().chain(stalls) {
            assert!(at(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn pictures_are_lost_while_a_stall_lasts() {
        let lost = |fault: &str, ms: f64| fault.parse::<TableFault>().unwrap().stall(HostTime::from_ms(ms)).is_some();
        let once = [900.0, 1000.0, 1699.0, 1701.0, 11_100.0].map(|ms| lost("stall:0.7@1", ms));
        assert_eq!(once, [false, true, true, false, false]);
        let again = [999.0, 1100.0, 1701.0, 11_100.0, 11_800.0].map(|ms| lost("gap:0.7,10@1", ms));
        assert_eq!(again, [false, true, false, true, false]);
    }

    #[test]
    fn swapped_wires_exchange_what_differs() {
        let fault: TableFault = "swapped:left,a@1".parse().unwrap();
        let swapped = |mask, ms| fault.through_wires(RelayMask(mask), HostTime::from_ms(ms)).0;
        assert_eq!((swapped(0b10, 500.0), swapped(0b10, 1000.0)), (0b10, 0b1000_0000));
        assert_eq!((swapped(0b1000_0010, 2000.0), swapped(0b1000_0001, 2000.0)), (0b1000_0010, 0b11));
    }
}
