//! What went wrong, for a report: bounded in number.

/// This many mistakes are kept; more are only counted.
const KEPT_MAX: usize = 200;

/// Something that was read wrongly, or that contradicts itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// Time of the first picture that shows it, ms.
    pub from_ms: f64,
    /// Time of the last one.
    pub until_ms: f64,
    /// What it is, in a few words.
    pub title: String,
    /// More about it.
    pub words: String,
    /// What the expected board is: the truth, or only what was believed.
    pub expected_name: &'static str,
    /// The board that should have been seen, as text; empty if that is not known or not the point.
    pub expected: Vec<String>,
    /// The board that was seen, as text; empty if none was.
    pub seen: Vec<String>,
}

/// The mistakes of a run.
#[derive(Debug, Clone, Default)]
pub struct Mistakes {
    /// The first of them.
    pub kept: Vec<Mistake>,
    /// How many there were.
    pub count: usize,
}

impl Mistakes {
    /// Adds one.
    pub fn push(&mut self, mistake: Mistake) {
        self.count += 1;
        if self.kept.len() < KEPT_MAX {
            self.kept.push(mistake);
        }
    }

    /// Drops those that begin together with one of these.
    pub fn drop_beside(&mut self, others: &Self) {
        let kept = self.kept.len();
        self.kept.retain(|mistake| others.kept.iter().all(|other| other.from_ms != mistake.from_ms));
        self.count -= kept - self.kept.len();
    }

    /// Adds less important ones, and puts what is kept in the order of time.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.count += others.count;
        let free = KEPT_MAX.saturating_sub(self.kept.len());
        self.kept.extend(others.kept.into_iter().take(free));
        self.kept.sort_by(|a, b| a.from_ms.total_cmp(&b.from_ms));
        self
    }
}
