//! What was blamed so far: how often, against how much work that was done right, and when it is enough.

use super::Conclusion;
use super::cause::Cause;
use crate::game::Buttons;
use crate::message::BlameKind;
use crate::profile::calibration::Calibration;
use crate::time::HostTime;
use std::collections::VecDeque;

/// Pieces that are remembered.
const PIECES: usize = 20;
/// This many pieces with the same verdict are enough to stop.
const ENOUGH: usize = 3;
/// A button whose presses fail more seldom than this share can be played with.
const BEARABLE: f64 = 0.1;
/// This many presses of a button lost in a row, on at least two pieces, and it is dead.
const DEAD_PRESSES: usize = 3;
const DEAD_PIECES: usize = 2;
/// What spoke for a lasting cause once makes it likelier by so much (a logarithm), up to a limit; each piece without takes
/// something back.
const TRUST_GAIN: f64 = 2.5;
const TRUST_MAX: f64 = 5.0;
const TRUST_LOSS: f64 = 1.0;
/// Half a frame of the NES, ms: only there the robot knows gravity to the frame.
const HALF_FRAME_MS: f64 = 8.32;

/// Who is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Culprit {
    /// What is wrong.
    pub kind: BlameKind,
    /// With which button; `None` for the camera.
    pub button: Option<Buttons>,
    /// With which it is swapped.
    pub other: Option<Buttons>,
}

/// A verdict, for the log and for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blame {
    /// When it was reached.
    pub time: HostTime,
    /// Who is to blame.
    pub culprit: Culprit,
    /// Pieces with this verdict among those remembered.
    pub count: usize,
    /// Presses of the button that did their work meanwhile.
    pub worked: usize,
    /// By how much effects are late, ms; 0 for what is not about time.
    pub late_ms: f64,
    /// That is enough: play on makes no sense before somebody has mended it.
    pub is_enough: bool,
}

/// One piece.
#[derive(Debug, Clone, Default)]
struct Entry {
    culprits: Vec<(Culprit, f64)>,
    worked: Vec<Buttons>,
    lost: Vec<Buttons>,
}

/// How much speaks for lasting causes from the pieces before.
#[derive(Debug, Clone, Default)]
pub struct Trust(Vec<(Cause, f64)>);

impl Trust {
    /// For this cause, as a logarithm.
    pub fn of(&self, cause: Cause) -> f64 {
        // A single press that was lost or not is a matter of chance.
        let lasting = lasting(cause).filter(|_| !matches!(cause, Cause::Lost(..)));
        self.0.iter().find(|(known, _)| Some(*known) == lasting).map_or(0.0, |(_, trust)| *trust)
    }

    fn learn(&mut self, causes: &[Cause]) {
        let now: Vec<Cause> = causes.iter().filter_map(|cause| lasting(*cause)).collect();
        for (known, trust) in &mut self.0 {
            let gain = if now.contains(known) { TRUST_GAIN } else { -TRUST_LOSS };
            *trust = (*trust + gain).min(TRUST_MAX);
        }
        self.0.retain(|(_, trust)| *trust > 0.0);
        for cause in now {
            if !self.0.iter().any(|(known, _)| *known == cause) {
                self.0.push((cause, TRUST_GAIN));
            }
        }
    }
}

/// What a cause would be for all pieces alike.
fn lasting(cause: Cause) -> Option<Cause> {
    match cause {
        Cause::Lost(button, _) | Cause::Dead(button) => Some(Cause::Dead(button)),
        Cause::Stuck(button, _) => Some(Cause::Stuck(button, None)),
        Cause::Swapped(..) => Some(cause),
        Cause::Late(_) => Some(Cause::Late(0)),
        Cause::Doubled(..) => None,
    }
}

/// All verdicts so far.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pieces: VecDeque<Entry>,
    trust: Trust,
}

impl Ledger {
    /// What speaks for lasting causes so far.
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Forgets everything: somebody has mended something.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes in a piece; who is to blame for what became of it, as it looks together with the pieces before.
    pub fn take(&mut self, conclusion: &Conclusion, time: HostTime) -> Vec<Blame> {
        if conclusion.is_open {
            return Vec::new();
        }
        self.trust.learn(&conclusion.causes);
        if self.pieces.len() == PIECES {
            self.pieces.pop_front();
        }
        let Conclusion { causes, worked, lost, .. } = conclusion;
        let mut culprits: Vec<(Culprit, f64)> = Vec::new();
        for (culprit, late_ms) in causes.iter().map(|cause| culprit(*cause)) {
            if !culprits.iter().any(|(known, _)| *known == culprit) {
                culprits.push((culprit, late_ms));
            }
        }
        self.pieces.push_back(Entry { culprits: culprits.clone(), worked: worked.clone(), lost: lost.clone() });
        culprits.into_iter().map(|(culprit, _)| self.blame(culprit, time)).collect()
    }

    fn blame(&self, culprit: Culprit, time: HostTime) -> Blame {
        if let (BlameKind::LostPress, Some(button)) = (culprit.kind, culprit.button)
            && let Some(pieces) = self.dead_for(button)
        {
            let culprit = Culprit { kind: BlameKind::DeadButton, ..culprit };
            return Blame { time, culprit, count: pieces, worked: 0, late_ms: 0.0, is_enough: pieces >= ENOUGH };
        }
        let told = |entry: &&Entry| entry.culprits.iter().any(|(known, _)| *known == culprit);
        let count = self.pieces.iter().filter(told).count();
        let since = self.pieces.iter().position(|entry| told(&entry)).unwrap_or(0);
        let meanwhile = || self.pieces.iter().skip(since).filter(|entry| entry.culprits.is_empty());
        let concerns =
            |button: &&Buttons| culprit.button.is_none_or(|own| own == **button || culprit.other == Some(**button));
        let worked_in = |entry: &Entry| entry.worked.iter().filter(concerns).count();
        let is_bearable = match culprit.kind {
            // Chance: it is the share of presses that counts, over all pieces remembered.
            BlameKind::LostPress | BlameKind::DoublePress => {
                let worked: usize = self.pieces.iter().map(worked_in).sum();
                let failed: usize = self.pieces.iter().map(|entry| self.failed_in(entry, culprit)).sum();
                (failed as f64) < BEARABLE * (worked + failed) as f64
            }
            // What lasts cannot have gone away for most of the pieces.
            _ => meanwhile().filter(|entry| worked_in(entry) > 0).count() > count,
        };
        let worked = self.pieces.iter().map(worked_in).sum();
        let late: Vec<f64> = self
            .pieces
            .iter()
            .flat_map(|entry| &entry.culprits)
            .filter(|(known, _)| *known == culprit)
            .map(|(_, late_ms)| *late_ms)
            .collect();
        let late_ms = late.iter().sum::<f64>() / late.len().max(1) as f64;
        Blame { time, culprit, count, worked, late_ms, is_enough: count >= ENOUGH && !is_bearable }
    }

    fn failed_in(&self, entry: &Entry, culprit: Culprit) -> usize {
        match (culprit.kind, culprit.button) {
            (BlameKind::LostPress, Some(button)) => entry.lost.iter().filter(|lost| **lost == button).count(),
            _ => usize::from(entry.culprits.iter().any(|(known, _)| *known == culprit)),
        }
    }

    /// On how many pieces in a row none of the button's presses has worked, if those were enough to call it dead.
    fn dead_for(&self, button: Buttons) -> Option<usize> {
        let (mut presses, mut pieces) = (0, 0);
        for entry in self.pieces.iter().rev() {
            if entry.worked.contains(&button) {
                break;
            }
            let lost = entry.lost.iter().filter(|lost| **lost == button).count();
            presses += lost;
            pieces += usize::from(lost > 0);
        }
        (presses >= DEAD_PRESSES && pieces >= DEAD_PIECES).then_some(pieces)
    }
}

fn culprit(cause: Cause) -> (Culprit, f64) {
    let of = |kind, button| Culprit { kind, button: Some(button), other: None };
    match cause {
        Cause::Lost(button, _) | Cause::Dead(button) => (of(BlameKind::LostPress, button), 0.0),
        Cause::Doubled(button, ..) => (of(BlameKind::DoublePress, button), 0.0),
        Cause::Stuck(button, _) => (of(BlameKind::StuckClosed, button), 0.0),
        Cause::Swapped(a, b) => (Culprit { other: Some(b), ..of(BlameKind::SwappedWires, a) }, 0.0),
        Cause::Late(halves) => {
            let late_ms = f64::from(halves) * HALF_FRAME_MS;
            (Culprit { kind: BlameKind::LateCamera, button: None, other: None }, late_ms)
        }
    }
}

impl Blame {
    /// What it is and what to do about it.
    pub fn words(&self, calibration: &Calibration) -> String {
        let name = |button: Option<Buttons>| match button {
            Some(button) => named(button, calibration),
            None => "the camera".into(),
        };
        let (this, other) = (name(self.culprit.button), name(self.culprit.other));
        let Self { count, worked, late_ms, .. } = self;
        match self.culprit.kind {
            BlameKind::LostPress => format!(
                "{this}: presses without effect on {count} of the last {PIECES} pieces, {worked} presses with; check plug \
                 and wire, try `stackhand doctor --click`, measure with `stackhand calibrate --latency`, or press longer \
                 (--finger hz:8)"
            ),
            BlameKind::DoublePress => format!(
                "{this}: one press counted twice on {count} of the last {PIECES} pieces, {worked} presses once; its contact \
                 bounces for longer than a frame: clean the plug, or exchange the relay"
            ),
            BlameKind::DeadButton => {
                let or_stuck = match self.culprit.button {
                    Some(Buttons::A | Buttons::B) => ", or its contact is always closed, which looks the same",
                    _ => "",
                };
                format!(
                    "{this}: nothing that was pressed on the last {count} pieces had an effect; the wire is off or the \
                     relay does not close{or_stuck}: try `stackhand doctor --click`, then `--wiring`"
                )
            }
            BlameKind::StuckClosed => format!(
                "{this}: held all the time, pressed or not ({count} of the last {PIECES} pieces); its contact has welded or \
                 its wire touches another: switch the board off, try `stackhand doctor --click`, exchange the relay"
            ),
            BlameKind::SwappedWires => format!(
                "{this} and {other} do each other's work ({count} of the last {PIECES} pieces): exchange their wires, or \
                 their numbers in [buttons] of the profile; `stackhand doctor --wiring` checks it"
            ),
            BlameKind::NoKicks => format!(
                "{count} turns in a row that should have pushed the piece aside for want of room did not: this game has no kicks, \
                 or others than its file says; pieces are placed without them from now on (name the right `rotation` in its file)"
            ),
            BlameKind::LateCamera => format!(
                "presses show about {late_ms:.0} ms later than the profile's times say ({count} of the last {PIECES} \
                 pieces): the camera or the board has become slower; measure with `stackhand calibrate --latency`"
            ),
        }
    }
}

/// A button with its relay, in words.
pub fn named(button: Buttons, calibration: &Calibration) -> String {
    let name = Buttons::NAMED.into_iter().find(|(known, _)| *known == button).map_or("?", |(_, name)| name);
    match calibration.buttons.get(name) {
        Some(relay) => format!("relay {relay} ({name})"),
        None => format!("{name} (no relay)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(causes: &[Cause], worked: usize, lost: usize) -> Conclusion {
        Conclusion {
            causes: causes.to_vec(),
            worked: vec![Buttons::LEFT; worked],
            lost: vec![Buttons::LEFT; lost],
            is_open: false,
        }
    }

    fn lost() -> Cause {
        Cause::Lost(Buttons::LEFT, HostTime(0))
    }

    #[test]
    fn three_dead_pieces_are_enough_and_one_that_works_clears_the_button() {
        let mut ledger = Ledger::default();
        let told = |ledger: &mut Ledger, n| ledger.take(&piece(&[lost()], 0, n), HostTime(0))[0];
        assert_eq!(told(&mut ledger, 2).culprit.kind, BlameKind::LostPress);
        let second = told(&mut ledger, 1);
        assert_eq!((second.culprit.kind, second.is_enough), (BlameKind::DeadButton, false));
        let third = told(&mut ledger, 1);
        assert!(third.is_enough && third.count == 3, "{third:?}");
        assert!(ledger.take(&piece(&[], 1, 0), HostTime(0)).is_empty());
        assert_eq!(told(&mut ledger, 1).culprit.kind, BlameKind::LostPress);
    }

    #[test]
    fn a_rare_lost_press_is_never_enough() {
        let mut ledger = Ledger::default();
        for number in 0..1000 {
            let conclusion = if number % 40 == 7 { piece(&[lost()], 2, 1) } else { piece(&[], 3, 0) };
            assert!(ledger.take(&conclusion, HostTime(0)).iter().all(|blame| !blame.is_enough && blame.count == 1));
        }
        // One press in seven is too much.
        let mut told = Vec::new();
        (0..20).for_each(|n| told.extend(ledger.take(&piece(&[lost()][..usize::from(n % 2 == 0)], 3, 1), HostTime(0))));
        assert!(told.iter().any(|blame| blame.is_enough));
    }

    #[test]
    fn words_name_relay_wire_and_remedy() {
        let calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0);
        let mut ledger = Ledger::default();
        let swapped = Cause::Swapped(Buttons::LEFT, Buttons::RIGHT);
        let blame = ledger.take(&piece(&[swapped], 0, 0), HostTime(0))[0];
        let words = blame.words(&calibration);
        for part in ["relay 1 (left)", "relay 0 (right)", "[buttons]", "--wiring"] {
            assert!(words.contains(part), "{words}");
        }
        let late = ledger.take(&piece(&[Cause::Late(7)], 0, 0), HostTime(0))[0];
        assert!(late.words(&calibration).contains("58 ms") && !late.is_enough);
    }
}
