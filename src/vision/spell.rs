//! How long something has been so, and how much is learned meanwhile, in the pictures' own time: cameras give eight pictures a second, or a hundred and twenty.

/// A spell: it begins in one picture and goes on in those after it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spell {
    /// How long it has lasted in the last picture but one and in the last, ms; in the first picture of all, no time.
    lasted_ms: Option<[f64; 2]>,
}

impl Spell {
    /// It is so in this picture, too, which comes so long after the last one, ms.
    pub fn goes_on(&mut self, step_ms: f64) {
        // Before its first picture it had not begun.
        self.lasted_ms = Some(self.lasted_ms.map_or([-1.0, 0.0], |[_, now]| [now, now + step_ms]));
    }

    /// It is so in this picture, or not any more.
    pub fn goes_on_if(&mut self, is_so: bool, step_ms: f64) {
        if is_so {
            self.goes_on(step_ms);
        } else {
            *self = Self::default();
        }
    }

    /// Whether it goes on.
    pub fn is_on(&self) -> bool {
        self.lasted_ms.is_some()
    }

    /// How long it has lasted, ms.
    pub fn ms(&self) -> f64 {
        self.lasted_ms.map_or(0.0, |[_, now]| now)
    }

    /// Whether this is the first picture in which it has lasted for so long, ms, or for one of these times.
    pub fn reaches(&self, times_ms: &[f64]) -> bool {
        self.lasted_ms.is_some_and(|[before, now]| times_ms.iter().any(|at| before < *at && *at <= now))
    }

    /// Whether it has lasted for one more of these spans, ms.
    pub fn reaches_every(&self, span_ms: f64) -> bool {
        self.lasted_ms.is_some_and(|[before, now]| (now / span_ms).floor() > (before.max(0.0) / span_ms).floor())
    }
}

/// How much of a change is learned in a time, 0–1, if all but a third of it is learned in another, ms.
pub fn share_learned(step_ms: f64, learned_in_ms: f64) -> f32 {
    (1.0 - (-step_ms / learned_in_ms).exp()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_time_teaches_as_much_in_few_pictures_as_in_many() {
        let taught = |pictures: u32| {
            let step_ms = 1000.0 / f64::from(pictures);
            (0..pictures).fold(0.0, |known: f32, _| known + share_learned(step_ms, 300.0) * (1.0 - known))
        };
        assert!((taught(8) - taught(120)).abs() < 1e-3 && taught(30) > 0.9);
    }

    /// In which pictures, each so long after the last, something is due.
    fn due(step_ms: f64, is_due: impl Fn(&Spell) -> bool) -> Vec<u32> {
        let mut spell = Spell::default();
        let mut look = |picture| {
            spell.goes_on(step_ms);
            is_due(&spell).then_some(picture)
        };
        (0..40).filter_map(&mut look).collect()
    }

    #[test]
    fn what_is_due_is_due_once_whatever_the_rate_of_pictures() {
        let times = [0.0, 50.0, 200.0];
        assert_eq!(due(33.0, |spell| spell.reaches(&times)), [0, 2, 7]);
        assert_eq!(due(8.0, |spell| spell.reaches(&times)), [0, 7, 25]);
        assert_eq!(due(125.0, |spell| spell.reaches(&times)), [0, 1, 2]);
        assert_eq!(due(33.0, |spell| spell.reaches_every(300.0)), [10, 19, 28, 37]);
        assert_eq!(due(8.0, |spell| spell.reaches_every(100.0)), [13, 25, 38]);
    }

    #[test]
    fn a_spell_that_ends_begins_anew() {
        let mut spell = Spell::default();
        assert!(!spell.is_on() && !spell.reaches(&[0.0]));
        spell.goes_on(33.0);
        assert!(spell.is_on() && spell.ms() == 0.0);
        spell.goes_on_if(true, 33.0);
        assert_eq!(spell.ms(), 33.0);
        spell.goes_on_if(false, 33.0);
        assert_eq!(spell, Spell::default());
    }
}
