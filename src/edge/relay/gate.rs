//! The last gate before the relays: from schedule and clock reading to the next mask. Pure, so that each rule can be
//! tested to the microsecond.
//!
//! The rules rest on one asymmetry: *opening is always allowed, closing never late*. A stale command loses its closing
//! part and keeps its opening part, and a contact that was not closed in time stays open until the schedule itself has
//! opened it.

use super::RelayStats;
use crate::game::Buttons;
use crate::message::{RelayCommand, RelayMask};
use crate::profile::calibration::Calibration;
use crate::time::HostTime;
use std::collections::VecDeque;
use std::time::Duration;

/// What relays must never do, whatever the plan says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Sets of relays that must not be closed together (opposite directions).
    pub forbidden: Vec<RelayMask>,
    /// No relay stays closed longer than this.
    pub max_hold: Duration,
}

impl Limits {
    /// Longer than any press a game needs: a soft drop over 20 rows takes under a second, a charged side step 0.3 s.
    pub const MAX_HOLD: Duration = Duration::from_millis(2500);

    /// The limits for a rig's wiring: left with right and up with down are forbidden.
    pub fn of(calibration: &Calibration) -> Self {
        let pairs = [Buttons::LEFT | Buttons::RIGHT, Buttons::UP | Buttons::DOWN];
        // With only one of the two wired there is nothing to forbid.
        let forbidden = pairs.into_iter().map(|p| calibration.relays(p)).filter(|m| m.0.count_ones() == 2).collect();
        Self { forbidden, max_hold: Self::MAX_HOLD }
    }

    fn forbids(&self, mask: u8) -> bool {
        self.forbidden.iter().any(|chord| chord.0 != 0 && mask & chord.0 == chord.0)
    }
}

/// Why a mask is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The schedule says so, and it is time.
    Planned,
    /// The command was stale: only its opening part is sent.
    Stale,
    /// The command would have closed a forbidden chord.
    Refused,
    /// A relay was closed for too long.
    HeldTooLong,
    /// The last command has expired, nothing follows, and relays are closed.
    RanDry,
    /// No picture came for so long that nobody knows what the presses do.
    Blind,
    /// Everything was told to open: the end, a person, a loss.
    Opened,
}

impl Reason {
    /// For a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::Planned => "as planned",
            Self::Stale => "a press came too late and was dropped",
            Self::Refused => "a press of opposite directions was refused",
            Self::HeldTooLong => "a relay was closed for too long",
            Self::RanDry => "a press was not ended by its plan",
            Self::Blind => "no picture came for too long",
            Self::Opened => "everything was told to open",
        }
    }

    /// In recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Stale => "stale",
            Self::Refused => "refused",
            Self::HeldTooLong => "held_too_long",
            Self::Opened => "opened",
            Self::RanDry => "ran_dry",
            Self::Blind => "blind",
        }
    }
}

/// A mask to be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// All relays' new state.
    pub mask: RelayMask,
    /// When it was due.
    pub due: HostTime,
    /// Why it is sent.
    pub reason: Reason,
}

/// The gate's state: what is closed, since when, and what is still to come.
#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    pending: VecDeque<RelayCommand>,
    closed: u8,
    closed_since: [HostTime; 8],
    /// Relays that stay open until the schedule has opened them: their closing was missed.
    missed: u8,
    /// The same, for relays that misbehaved; a new schedule does not pardon these.
    barred: u8,
    valid_until: HostTime,
    /// Until when the last picture allows presses; `None` where nobody looks.
    sighted_until: Option<HostTime>,
}

impl Gate {
    /// A gate in front of open relays.
    pub fn new(limits: Limits) -> Self {
        let start = HostTime::default();
        Self {
            limits,
            pending: VecDeque::new(),
            closed: 0,
            closed_since: [start; 8],
            missed: 0,
            barred: 0,
            valid_until: start,
            sighted_until: None,
        }
    }

    /// Replaces everything not yet sent that is due from `since` on. Commands are put in the order of their due times.
    pub fn schedule(&mut self, since: HostTime, commands: Vec<RelayCommand>, stats: &mut RelayStats) {
        let mut all: Vec<RelayCommand> = self.pending.iter().filter(|c| c.due < since).copied().collect();
        stats.replaced += (self.pending.len() - all.len()) as u64;
        all.extend(commands);
        all.sort_by_key(|c| c.due);
        self.pending = all.into();
        self.missed = 0;
    }

    /// Presses may go on until then; see [`Reason::Blind`].
    pub fn sighted(&mut self, until: HostTime) {
        self.sighted_until = Some(until);
    }

    /// Forgets the schedule; all relays are taken to be open.
    pub fn open_all(&mut self) {
        self.pending.clear();
        self.closed = 0;
        self.missed = 0;
    }

    /// Which relays are closed, as far as orders were sent.
    pub fn closed(&self) -> RelayMask {
        RelayMask(self.closed)
    }

    /// The mask to send at `now`, if any. Call until `None`; each order is taken as sent.
    pub fn step(&mut self, now: HostTime, stats: &mut RelayStats) -> Option<Order> {
        if let Some(until) = self.blind_after().filter(|until| now > *until) {
            self.pending.clear();
            stats.went_blind += 1;
            return (self.closed != 0).then(|| self.send(0, until, Reason::Blind, now, stats));
        }
        while let Some(&command) = self.pending.front().filter(|c| c.due <= now) {
            self.pending.pop_front();
            let (mask, reason) = self.judge(command, now, stats);
            if mask != self.closed {
                return Some(self.send(mask, command.due, reason, now, stats));
            }
        }
        if let Some((overheld, since)) = self.overheld(now) {
            stats.held_too_long += u64::from(overheld.count_ones());
            self.barred |= overheld;
            let due = since + self.limits.max_hold;
            return Some(self.send(self.closed & !overheld, due, Reason::HeldTooLong, now, stats));
        }
        if self.is_dry() && now > self.valid_until {
            stats.ran_dry += 1;
            return Some(self.send(0, self.valid_until, Reason::RanDry, now, stats));
        }
        None
    }

    /// When `step` has something to do next; `None` if nothing is to come.
    pub fn next_wake(&self) -> Option<HostTime> {
        let holds = relays_of(self.closed).map(|r| self.closed_since[r] + self.limits.max_hold);
        let dry = self.is_dry().then_some(HostTime(self.valid_until.0 + 1));
        let blind = self.blind_after().map(|until| HostTime(until.0 + 1));
        holds.chain(self.pending.front().map(|c| c.due)).chain(dry).chain(blind).min()
    }

    /// Until when there must be a picture, as long as something is pressed or will be.
    fn blind_after(&self) -> Option<HostTime> {
        self.sighted_until.filter(|_| self.closed != 0 || !self.pending.is_empty())
    }

    /// What a command that is due may still change.
    fn judge(&mut self, command: RelayCommand, now: HostTime, stats: &mut RelayStats) -> (u8, Reason) {
        let wanted = command.mask.0;
        self.missed &= wanted;
        self.barred &= wanted;
        self.valid_until = self.valid_until.max(command.expires);
        let allowed = wanted & !self.missed & !self.barred;
        if self.limits.forbids(wanted) {
            stats.refused += 1;
            self.barred |= wanted;
            return (0, Reason::Refused);
        }
        let closing = allowed & !self.closed;
        if now > command.expires {
            stats.dropped_stale += u64::from(closing != 0);
            stats.late_openings += u64::from(self.closed & !wanted != 0);
            self.missed |= closing;
            return (allowed & self.closed, Reason::Stale);
        }
        // Contacts may open later than others close, so a chord must not even be passed through.
        if self.limits.forbids(allowed | self.closed) {
            stats.refused += 1;
            self.missed |= closing;
            return (allowed & self.closed, Reason::Refused);
        }
        (allowed, Reason::Planned)
    }

    fn send(&mut self, mask: u8, due: HostTime, reason: Reason, now: HostTime, stats: &mut RelayStats) -> Order {
        stats.count_change(RelayMask(self.closed), RelayMask(mask));
        for relay in relays_of(mask & !self.closed) {
            self.closed_since[relay] = now;
        }
        self.closed = mask;
        Order { mask: RelayMask(mask), due, reason }
    }

    fn overheld(&self, now: HostTime) -> Option<(u8, HostTime)> {
        let over = |r: &usize| self.closed_since[*r] + self.limits.max_hold <= now;
        let mask = relays_of(self.closed).filter(over).fold(0, |m, r| m | 1 << r);
        let since = relays_of(mask).map(|r| self.closed_since[r]).min()?;
        Some((mask, since))
    }

    fn is_dry(&self) -> bool {
        self.closed != 0 && self.pending.is_empty()
    }
}

fn relays_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |r| mask >> r & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: fn() -> Limits =
        || Limits { forbidden: vec![RelayMask(0b0011), RelayMask(0b1100)], max_hold: Duration::from_millis(500) };

    const FROM_NOW: HostTime = HostTime(i64::MIN);

    #[test]
    fn what_is_due_before_the_new_commands_stays() {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        gate.schedule(FROM_NOW, commands(&[(0, 10, 4), (50, 60, 0), (100, 110, 8)]), &mut stats);
        gate.schedule(HostTime(80_000), commands(&[(120, 130, 16)]), &mut stats);
        let dues: Vec<i64> = gate.pending.iter().map(|c| c.due.0 / 1000).collect();
        assert_eq!((dues.as_slice(), stats.replaced), ([0, 50, 120].as_slice(), 1));
    }

    /// (due ms, expires ms, mask)
    fn commands(list: &[(i64, i64, u8)]) -> Vec<RelayCommand> {
        list.iter()
            .map(|&(due, expires, mask)| RelayCommand {
                due: HostTime(due * 1000),
                expires: HostTime(expires * 1000),
                mask: RelayMask(mask),
            })
            .collect()
    }

    /// Steps the gate at each of `times_ms`; returns (time ms, mask) for each order.
    fn run(gate: &mut Gate, stats: &mut RelayStats, times_ms: &[i64]) -> Vec<(i64, u8)> {
        let mut orders = Vec::new();
        for &ms in times_ms {
            while let Some(order) = gate.step(HostTime(ms * 1000), stats) {
                orders.push((ms, order.mask.0));
            }
        }
        orders
    }

    #[track_caller]
    fn check(list: &[(i64, i64, u8)], times_ms: &[i64], expect: &[(i64, u8)]) -> RelayStats {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        gate.schedule(FROM_NOW, commands(list), &mut stats);
        assert_eq!(run(&mut gate, &mut stats, times_ms), expect);
        stats
    }

    #[test]
    fn commands_are_sent_in_order_when_due() {
        let stats = check(&[(50, 60, 0), (10, 20, 4)], &[0, 9, 10, 30, 50], &[(10, 4), (50, 0)]);
        assert_eq!((stats.sent, stats.dropped_stale, stats.operations[2]), (2, 0, 1));
    }

    #[test]
    fn a_stale_press_is_dropped_and_stays_dropped_until_the_plan_has_opened_it() {
        // A (16) is missed at 25; at 30 the plan adds B (32) to it, which must not close A late; at 60 A is a new press.
        let plan = [(10, 20, 16), (30, 40, 48), (50, 55, 0), (60, 70, 16), (80, 90, 0)];
        let stats = check(&plan, &[25, 30, 50, 60, 80], &[(30, 32), (50, 0), (60, 16), (80, 0)]);
        assert_eq!(stats.dropped_stale, 1);
    }

    #[test]
    fn a_stale_release_still_opens() {
        let stats = check(&[(10, 20, 16), (50, 60, 0)], &[10, 200], &[(10, 16), (200, 0)]);
        assert_eq!((stats.dropped_stale, stats.late_openings), (0, 1));
        // Its closing part (B) is left out.
        let stats = check(&[(10, 20, 16), (50, 60, 32)], &[10, 200], &[(10, 16), (200, 0)]);
        assert_eq!((stats.dropped_stale, stats.late_openings), (1, 1));
    }

    #[test]
    fn opposite_directions_are_refused_and_everything_opens() {
        let stats =
            check(&[(10, 20, 16), (30, 40, 3), (60, 70, 1), (80, 90, 0)], &[10, 30, 60, 80], &[(10, 16), (30, 0)]);
        assert_eq!(stats.refused, 1);
    }

    #[test]
    fn a_swap_of_opposite_directions_only_opens() {
        let stats = check(&[(10, 20, 1), (30, 40, 2), (50, 60, 0)], &[10, 30, 50], &[(10, 1), (30, 0)]);
        assert_eq!(stats.refused, 1);
        let stats = check(
            &[(10, 20, 1), (30, 40, 0), (50, 60, 2), (70, 80, 0)],
            &[10, 30, 50, 70],
            &[(10, 1), (30, 0), (50, 2), (70, 0)],
        );
        assert_eq!(stats.refused, 0);
    }

    #[test]
    fn a_relay_held_too_long_is_opened_and_the_others_stay() {
        let plan = [(0, 10, 4), (400, 410, 20), (700, 710, 20), (800, 810, 0)];
        let stats = check(&plan, &[0, 400, 499, 500, 700, 800], &[(0, 4), (400, 20), (500, 16), (800, 0)]);
        assert_eq!(stats.held_too_long, 1);
    }

    #[test]
    fn a_plan_that_ends_with_closed_relays_opens_them_when_it_expires() {
        let stats = check(&[(0, 30, 4)], &[0, 30, 31], &[(0, 4), (31, 0)]);
        assert_eq!(stats.ran_dry, 1);
    }

    #[test]
    fn without_a_picture_everything_opens_and_the_plan_is_forgotten() {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        gate.sighted(HostTime(100_000));
        gate.schedule(FROM_NOW, commands(&[(10, 20, 4), (300, 310, 8)]), &mut stats);
        assert_eq!(run(&mut gate, &mut stats, &[10, 100]), [(10, 4)]);
        assert_eq!(gate.next_wake(), Some(HostTime(100_001)));
        assert_eq!(run(&mut gate, &mut stats, &[101, 300]), [(101, 0)]);
        assert_eq!((stats.went_blind, gate.next_wake()), (1, None));
        gate.sighted(HostTime(900_000));
        gate.schedule(FROM_NOW, commands(&[(400, 410, 4), (450, 460, 0)]), &mut stats);
        assert_eq!(run(&mut gate, &mut stats, &[400, 450]), [(400, 4), (450, 0)]);
    }

    #[test]
    fn a_new_schedule_replaces_what_was_not_sent_even_with_nothing() {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        gate.schedule(FROM_NOW, commands(&[(0, 10, 4), (50, 60, 0)]), &mut stats);
        assert_eq!(run(&mut gate, &mut stats, &[0]), [(0, 4)]);
        gate.schedule(FROM_NOW, Vec::new(), &mut stats);
        assert_eq!(gate.next_wake(), Some(HostTime(10_001)));
        assert_eq!(run(&mut gate, &mut stats, &[10, 20]), [(20, 0)]);
        assert_eq!(stats.replaced, 1);
    }

    #[test]
    fn repeating_a_schedule_sends_nothing_twice() {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        let plan = commands(&[(0, 10, 4), (50, 60, 0)]);
        for ms in 0..5 {
            gate.schedule(FROM_NOW, plan.clone(), &mut stats);
            let sent = run(&mut gate, &mut stats, &[ms]);
            assert_eq!(sent, if ms == 0 { vec![(0, 4)] } else { vec![] });
        }
    }

    #[test]
    fn the_gate_says_when_it_wants_to_be_asked_again() {
        let (mut gate, mut stats) = (Gate::new(LIMITS()), RelayStats::default());
        assert_eq!(gate.next_wake(), None);
        gate.schedule(FROM_NOW, commands(&[(10, 20, 4), (900, 910, 0)]), &mut stats);
        assert_eq!(gate.next_wake(), Some(HostTime(10_000)));
        run(&mut gate, &mut stats, &[10]);
        assert_eq!(gate.next_wake(), Some(HostTime(510_000)), "the hold limit comes before the release");
    }

    #[test]
    fn limits_follow_the_wiring() {
        let mut calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.5);
        assert_eq!(Limits::of(&calibration).forbidden, [RelayMask(3), RelayMask(12)]);
        calibration.buttons.remove("up");
        assert_eq!(Limits::of(&calibration).forbidden, [RelayMask(3)]);
    }
}
