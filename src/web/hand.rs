//! Several tabs may look; one of them holds the hand. Pure: times come from outside.

use crate::time::HostTime;

/// A tab that has not been heard of for this long is gone, ms: the page says every second that it is there. Looking at
/// pictures does not count, for looking changes nothing.
const GONE_AFTER_MS: f64 = 5_000.0;

/// A tab's number, given by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tab(pub u64);

/// Who may give orders.
#[derive(Debug, Default)]
pub struct Hand {
    tabs: u64,
    holder: Option<(Tab, HostTime)>,
}

impl Hand {
    /// A new tab; it holds the hand if nobody does.
    pub fn enter(&mut self, now: HostTime) -> Tab {
        self.tabs += 1;
        let tab = Tab(self.tabs);
        if self.is_free(now) {
            self.take(tab, now);
        }
        tab
    }

    /// A tab is heard of; true if it holds the hand. A free hand goes to the first tab that is heard of.
    pub fn hear(&mut self, tab: Tab, now: HostTime) -> bool {
        let is_known = (1..=self.tabs).contains(&tab.0);
        if is_known && (self.is_free(now) || self.holder.is_some_and(|(holder, _)| holder == tab)) {
            self.take(tab, now);
            return true;
        }
        false
    }

    /// Whether a tab holds the hand. Changes nothing.
    pub fn holds(&self, tab: Tab, now: HostTime) -> bool {
        !self.is_free(now) && self.holder.is_some_and(|(holder, _)| holder == tab)
    }

    /// A tab takes the hand, from whomever.
    pub fn take(&mut self, tab: Tab, now: HostTime) {
        if (1..=self.tabs).contains(&tab.0) {
            self.holder = Some((tab, now));
        }
    }

    /// A tab is closed, or leaves the page.
    pub fn leave(&mut self, tab: Tab) {
        self.holder = self.holder.filter(|(holder, _)| *holder != tab);
    }

    fn is_free(&self, now: HostTime) -> bool {
        self.holder.is_none_or(|(_, heard)| now.ms_since(heard) > GONE_AFTER_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tab_holds_the_hand_until_another_takes_it_or_it_is_gone() {
        let at = HostTime::from_ms;
        let mut hand = Hand::default();
        let (a, b) = (hand.enter(at(0.0)), hand.enter(at(1.0)));
        assert!(hand.hear(a, at(2.0)) && !hand.hear(b, at(3.0)));
        hand.take(b, at(4.0));
        assert!(!hand.hear(a, at(5.0)) && hand.hear(b, at(6.0)));
        let gone = 6.0 + GONE_AFTER_MS + 1.0;
        assert!(hand.holds(b, at(gone - 1.0)) && !hand.holds(b, at(gone)), "looking keeps nothing");
        assert!(hand.hear(a, at(gone)) && hand.holds(a, at(gone)), "b is gone");
        hand.leave(b);
        assert!(!hand.hear(b, at(gone + 20.0)), "who does not hold the hand cannot give it away");
        hand.leave(a);
        assert!(!hand.holds(a, at(gone + 20.0)), "looking takes nothing");
        let c = hand.enter(at(gone + 21.0));
        assert!(hand.hear(c, at(gone + 22.0)));
        assert!(!hand.hear(Tab(99), at(1e9)) && !hand.hear(Tab(0), at(1e9)), "nobody gave out these");
    }
}
