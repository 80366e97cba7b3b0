//! How long something has been so, and how much is learned meanwhile, in the pictures' own time: cameras give eight pictures
//! a second, or a hundred and twenty.

/// How long something has been so.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Age(
    /// ms; none in the first picture that showed it, `None` if the last one did not.
    Option<f32>,
);

impl Age {
    /// It is so in this picture, too, which comes so long after the last one, ms; or not any more.
    pub fn goes_on_if(&mut self, is_so: bool, step_ms: f32) {
        self.0 = is_so.then(|| self.0.map_or(0.0, |ms| ms + step_ms));
    }

    /// Whether it is so.
    pub fn is_on(self) -> bool {
        self.0.is_some()
    }

    /// Whether it has been so for so long, ms.
    pub fn lasts(self, ms: f32) -> bool {
        self.0.is_some_and(|age| age >= ms)
    }
}

/// How much of a change is learned in a time, 0–1, if all but a third of it is learned in another.
pub fn share_learned(step_ms: f32, learned_in_ms: f32) -> f32 {
    1.0 - (-step_ms / learned_in_ms).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_time_teaches_as_much_in_few_pictures_as_in_many() {
        let taught = |pictures: u32| {
            let step_ms = 1000.0 / pictures as f32;
            (0..pictures).fold(0.0, |known: f32, _| known + share_learned(step_ms, 300.0) * (1.0 - known))
        };
        assert!((taught(8) - taught(120)).abs() < 1e-3 && taught(30) > 0.9);
    }

    #[test]
    fn an_age_begins_with_the_first_picture_and_ends_with_the_first_without() {
        let mut age = Age::default();
        assert!(!age.is_on() && !age.lasts(0.0));
        (0..3).for_each(|_| age.goes_on_if(true, 50.0));
        assert!(age.lasts(100.0) && !age.lasts(101.0));
        age.goes_on_if(false, 50.0);
        assert!(!age.is_on());
    }
}
