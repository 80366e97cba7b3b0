//! Pictures that a camera sent or should have sent and that nobody saw, counted by what became of them.

use super::camera::jpeg::Flaw;

/// Pictures that were not handed out. Each is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Good ones for which a newer one came before they were looked at.
    pub replaced: u64,
    /// The camera's own numbering jumped: lost between camera and computer.
    pub never_came: u64,
    /// Nothing in them.
    pub empty: u64,
    /// No pictures.
    pub junk: u64,
    /// A part is missing.
    pub broken_off: u64,
    /// The driver says that they are damaged.
    pub marked_bad: u64,
    /// They look whole, but cannot be decoded.
    pub undecodable: u64,
}

impl Losses {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.replaced + self.lost()
    }

    /// Those that camera, cable or driver lost or spoiled.
    pub fn lost(&self) -> u64 {
        self.never_came + self.empty + self.junk + self.broken_off + self.marked_bad + self.undecodable
    }

    /// What was lost since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let less = |now: u64, then: u64| now.saturating_sub(then);
        Self {
            replaced: less(self.replaced, earlier.replaced),
            never_came: less(self.never_came, earlier.never_came),
            empty: less(self.empty, earlier.empty),
            junk: less(self.junk, earlier.junk),
            broken_off: less(self.broken_off, earlier.broken_off),
            marked_bad: less(self.marked_bad, earlier.marked_bad),
            undecodable: less(self.undecodable, earlier.undecodable),
        }
    }

    /// Those that camera, cable or driver lost or spoiled, such as "3 broken off, 2 empty"; empty if there are none.
    pub fn in_words(&self) -> String {
        let named = [
            (self.never_came, "never came"),
            (self.broken_off, "broken off"),
            (self.empty, "empty"),
            (self.junk, "no pictures at all"),
            (self.marked_bad, "damaged, as their driver says"),
            (self.undecodable, "not decodable"),
        ];
        let words: Vec<_> = named.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        words.join(", ")
    }

    pub(super) fn count(&mut self, flaw: Flaw) {
        match flaw {
            Flaw::Empty => self.empty += 1,
            Flaw::Junk => self.junk += 1,
            Flaw::BrokenOff => self.broken_off += 1,
            Flaw::TooLarge => self.undecodable += 1,
        }
    }
}
