//! What showed no effect is told, and done without.

use super::effects::{Doubt, Target};
use super::notice::{Notice, OnBlame};
use super::state::Robot;
use crate::belief::blame::ledger::{Blame, Culprit, named};
use crate::game::orientation::Pose;
use crate::message::BlameKind;
use crate::time::HostTime;

impl Robot {
    /// What the moves of a piece did was seen.
    pub(super) fn judge_effects(&mut self, target: &Target, seen: Pose, now: HostTime) {
        if target.is_reached(seen) {
            return self.mind.effects.work(target);
        }
        let explains = |(_, pose): &&(Doubt, Pose)| target.is_explained(*pose, seen);
        let doubts: Vec<Doubt> = target.doubts.iter().filter(explains).map(|(doubt, _)| *doubt).collect();
        tracing::debug!(%now, ?seen, ?target, ?doubts, "the moves did something else");
        if let Some((doubt, count)) = self.mind.effects.fail(&doubts) {
            self.give_up(doubt, count, now);
        }
    }

    /// From now on nothing is planned that needs it, where there is another way.
    fn give_up(&mut self, doubt: Doubt, count: u8, now: HostTime) {
        let (kind, button) = match doubt {
            Doubt::Dead(key) => (BlameKind::DeadButton, Some(key)),
            Doubt::Unkicked => (BlameKind::NoKicks, None),
        };
        let before = self.mind.variants.rules().clone();
        match doubt {
            Doubt::Dead(key) => self.mind.variants.give_up(key),
            Doubt::Unkicked => self.mind.variants.unkick(),
        }
        self.planner.turn_by(self.mind.variants.rules().rotation());
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        let culprit = Culprit { kind, button, other: None };
        let blame = Blame { time: now, culprit, count: count.into(), worked: 0, late_ms: 0.0, is_enough: true };
        let words = match button {
            None => blame.words(&self.calibration),
            Some(key) => {
                let is_spared = before != *self.mind.variants.rules();
                let spared =
                    if is_spared { "pieces are placed without it from now on" } else { "nothing stands in for it" };
                let name = named(key, &self.calibration);
                format!(
                    "{name} was pressed for {count} moves in a row and showed no effect; {spared} (try `stackhand doctor --click`, \
                     then `--wiring`, and see that the game's file names the right key)"
                )
            }
        };
        tracing::warn!("{words}");
        let relay = button.and_then(|button| self.relay(button));
        self.mind.told.push(Notice::Blame { blame, relay, words });
    }
}
