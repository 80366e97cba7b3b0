//! Kicks: whether the game pushes a piece aside that has no room to turn, as its description says.

use super::deciding::Draft;
use super::notice::{Notice, OnBlame};
use super::state::Robot;
use crate::belief::blame::ledger::{Blame, Culprit};
use crate::game::orientation::Pose;
use crate::game::rules::Faller;
use crate::message::BlameKind;
use crate::schedule::ButtonSchedule;
use crate::schedule::outcome::Situation;
use crate::time::HostTime;

/// So many turns in a row that should have been kicked, and were as if there were no kicks, are no lost presses.
const UNKICKED_MAX: u8 = 4;

impl Draft<'_> {
    /// Where presses take a piece by a time in a game that kicks nothing, if that is elsewhere.
    pub(super) fn unkicked(
        &self,
        situation: &Situation<'_>,
        presses: &ButtonSchedule,
        at: HostTime,
        kicked: Pose,
    ) -> Option<Pose> {
        let rules = situation.rules.unkicked()?;
        let follow = |start: &Faller| {
            let mut start = start.clone();
            start.follow(&rules);
            start
        };
        let starts: Vec<Faller> = situation.starts.iter().map(follow).collect();
        let situation = Situation { rules: &rules, starts: &starts, ..situation.clone() };
        let is_elsewhere = |pose: &Pose| (pose.x, pose.orientation.shape()) != (kicked.x, kicked.orientation.shape());
        situation.likely_pose(presses, at).filter(is_elsewhere)
    }
}

impl Robot {
    /// A turn that was to be kicked was seen: where it should have taken the piece, or where it takes it without kicks.
    pub(super) fn judge_kick(&mut self, is_kicked: bool, now: HostTime) {
        if is_kicked {
            self.mind.unkicked = 0;
            self.mind.kicks_are_known = true;
        } else if !self.mind.kicks_are_known {
            self.mind.unkicked += 1;
        }
        if self.mind.unkicked == UNKICKED_MAX {
            self.give_up_kicks(now);
        }
    }

    /// From now on no place is planned for that needs one.
    fn give_up_kicks(&mut self, now: HostTime) {
        self.mind.variants.unkick();
        self.planner.turn_by(self.mind.variants.rules().rotation());
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        let culprit = Culprit { kind: BlameKind::NoKicks, button: None, other: None };
        let count = UNKICKED_MAX.into();
        let blame = Blame { time: now, culprit, count, worked: 0, late_ms: 0.0, is_enough: false };
        let words = blame.words(&self.calibration);
        tracing::warn!("{words}");
        self.mind.told.push(Notice::Blame { blame, relay: None, words });
    }
}
