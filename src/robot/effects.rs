//! Whether keys do what the game's description says, told by where moves that were waited for have taken a piece: a dead key, or a
//! turn that is not kicked, puts it in another place, which can be foretold.

use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Down, Faller};
use crate::schedule::outcome::Situation;
use crate::schedule::{ButtonSchedule, Change};
use crate::time::HostTime;

/// What never showed and should have so often in a row is not there; what has shown before may have been lost, and is given more
/// time.
const FAILED_MAX: u8 = 4;
const FAILED_AGAIN_MAX: u8 = 8;

/// Something that may not do what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Presses of this key do nothing.
    Dead(Buttons),
    /// A turn without room is not pushed aside.
    Unkicked,
}

/// What is known of something that was doubted.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Known {
    doubt: Doubt,
    /// It showed at least once.
    has_worked: bool,
    /// Times in a row that it should have, and did not.
    failed: u8,
    is_told: bool,
}

/// What is known of all that was doubted.
#[derive(Debug, Clone, Default)]
pub(super) struct Effects(Vec<Known>);

/// Where moves take a piece.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    to: Pose,
    /// Down has taken it to the pile: its row counts, too.
    is_lowered: bool,
    /// Where they take it if a doubt is right, and that is elsewhere.
    pub(super) doubts: Vec<(Doubt, Pose)>,
}

impl Target {
    /// Where presses take a piece by a time, and where they would if something did not do what it should.
    pub(super) fn of(situation: &Situation<'_>, presses: &ButtonSchedule, by: HostTime, lock: Pose) -> Self {
        let to = situation.likely_pose(presses, by).unwrap_or(lock);
        let pressed = presses.changes().iter().fold(Buttons::NONE, |all, change| all | change.buttons);
        let is_lowered = situation.rules.down() == Down::ToTheFloor && pressed.intersects(Buttons::DOWN);
        let mut target = Self { to, is_lowered, doubts: Vec::new() };
        let dead = Buttons::NAMED.into_iter().filter(|(key, _)| pressed.intersects(*key)).map(|(key, _)| {
            let left =
                presses.changes().iter().map(|change| Change { buttons: change.buttons.without(key), ..*change });
            (Doubt::Dead(key), situation.likely_pose(&ButtonSchedule::of(left.collect()), by))
        });
        let all: Vec<_> = dead.chain([(Doubt::Unkicked, unkicked(situation, presses, by))]).collect();
        let elsewhere = all.into_iter().filter_map(|(doubt, pose)| Some((doubt, pose?)));
        target.doubts = elsewhere.filter(|(_, pose)| !target.is_reached(*pose)).collect();
        target
    }

    /// Whether a piece that is seen in a place was taken there. It falls on from there.
    pub(super) fn is_reached(&self, seen: Pose) -> bool {
        is_beside(self.to, seen) && (!self.is_lowered || seen.y >= self.to.y)
    }

    /// Whether a piece that was not taken there is where a doubt takes it, give or take what it has fallen since.
    pub(super) fn is_explained(&self, doubted: Pose, seen: Pose) -> bool {
        let rows_from = |pose: Pose| seen.y.abs_diff(pose.y);
        is_beside(doubted, seen) && (!self.is_lowered || rows_from(doubted) <= rows_from(self.to))
    }
}

/// In the same column and rotation, whatever the row.
pub(super) fn is_beside(one: Pose, other: Pose) -> bool {
    (one.x, one.orientation.shape()) == (other.x, other.orientation.shape())
}

impl Effects {
    fn known(&mut self, doubt: Doubt) -> &mut Known {
        let at = self.0.iter().position(|known| known.doubt == doubt).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(Known { doubt, has_worked: false, failed: 0, is_told: false });
        }
        &mut self.0[at]
    }

    /// All of it has shown.
    pub(super) fn work(&mut self, target: &Target) {
        for (doubt, _) in &target.doubts {
            let known = self.known(*doubt);
            (known.has_worked, known.failed) = (true, 0);
        }
    }

    /// The piece is where one of these takes it, if any does: of several the one that has never worked, a key before a kick. What
    /// is not there any more is returned, once, and how often it has failed.
    pub(super) fn fail(&mut self, doubts: &[Doubt]) -> Option<(Doubt, u8)> {
        let unproven = doubts.iter().copied().find(|doubt| !self.known(*doubt).has_worked);
        let known = self.known(unproven.or(doubts.first().copied())?);
        known.failed = known.failed.saturating_add(1);
        let most = if known.has_worked { FAILED_AGAIN_MAX } else { FAILED_MAX };
        let is_enough = known.failed >= most && !known.is_told;
        known.is_told |= is_enough;
        is_enough.then_some((known.doubt, known.failed))
    }
}

/// Where presses take a piece by a time in a game that kicks nothing, as this one does.
fn unkicked(situation: &Situation<'_>, presses: &ButtonSchedule, by: HostTime) -> Option<Pose> {
    let rules = situation.rules.unkicked()?;
    let follow = |start: &Faller| {
        let mut start = start.clone();
        start.follow(&rules);
        start
    };
    let starts: Vec<Faller> = situation.starts.iter().map(follow).collect();
    Situation { rules: &rules, starts: &starts, ..situation.clone() }.likely_pose(presses, by)
}
