//! The coils of a simulated board.

use crate::time::HostTime;
use crate::twin::fault::{FaultKind, TableFault};
use crate::twin::relay_board::contact::{Contact, ContactTimes, Slip};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A board's relays: coils that its firmware switches, contacts that follow.
#[derive(Debug, Clone)]
pub(super) struct Coils {
    pub(super) contacts: [Contact; 8],
    pub(super) relays: u8,
    pub(super) times: ContactTimes,
    pub(super) fault: Option<TableFault>,
    /// When contacts did not do what their coils did, as far as chance has it.
    pub(super) slips: Vec<(HostTime, u8)>,
    pub(super) rng: Xoshiro256PlusPlus,
}

impl Coils {
    /// Which coils are on, K0 in bit 0.
    pub(super) fn mask(&self) -> u8 {
        self.collect(Contact::coil)
    }

    /// Switches all coils at `at`.
    pub(super) fn set(&mut self, mask: u8, at: HostTime) {
        for (relay, contact) in self.contacts.iter_mut().enumerate().take(usize::from(self.relays)) {
            let on = mask >> relay & 1 == 1;
            let broken = self.fault.filter(|fault| at >= fault.since && contact.coil() != on);
            let slip = match broken.map(|fault| fault.kind) {
                Some(FaultKind::Stuck(stuck)) if usize::from(stuck) == relay && !on => Slip::Idle,
                Some(FaultKind::Loses(share)) if on && self.rng.random_range(0..1_000_000) < share => Slip::Idle,
                Some(FaultKind::Doubles(share)) if !on && self.rng.random_range(0..1_000_000) < share => Slip::Again,
                _ => Slip::None,
            };
            if slip != Slip::None {
                self.slips.push((at, relay as u8));
            }
            contact.switch(on, at, self.times, slip, &mut self.rng);
        }
    }

    /// Switches one coil at `at`.
    pub(super) fn switch(&mut self, relay: u8, on: bool, at: HostTime) {
        let bit = 1 << (relay & 7);
        self.set(if on { self.mask() | bit } else { self.mask() & !bit }, at);
    }

    /// How many relays there are.
    pub(super) fn relays(&self) -> u8 {
        self.relays
    }

    pub(super) fn collect(&self, is_set: impl Fn(&Contact) -> bool) -> u8 {
        self.contacts.iter().enumerate().fold(0, |mask, (i, c)| mask | u8::from(is_set(c)) << i)
    }
}
