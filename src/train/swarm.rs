//! Particle swarm optimisation as "Playing NES Tetris with No Piece Rotations" (Soster, Birken, Jaskowiak) has it: its
//! equations (1) to (4) and Table I.
//!
//! What the paper leaves open is settled so: particles begin anywhere in the interval with any velocity that is allowed;
//! r¹ and r² are one number each for a whole particle, as equation (2) writes them; a particle at the interval's end stays
//! there ("weights search interval"); all particles are measured before any learns of a new best.

use super::scored::Scored;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// The coefficients of the equations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// w: how much of its velocity a particle keeps, at first and in the end (maximum and minimum).
    pub inertia: [f64; 2],
    /// c¹: how much it is drawn to its own best position, at first and in the end.
    pub cognitive: [f64; 2],
    /// c²: how much it is drawn to the best position of all, at first and in the end.
    pub social: [f64; 2],
    /// v_max: the most that a position changes in an iteration, in each dimension.
    pub velocity_max: f64,
    /// Positions are from minus this to this, in each dimension.
    pub interval: f64,
}

impl Coefficients {
    /// Table I of the paper.
    pub const PAPER: Self =
        Self { inertia: [0.9, 0.4], cognitive: [1.5, 0.5], social: [1.0, 4.0], velocity_max: 0.01, interval: 1.0 };

    /// Equation (3): w_min + (w_max − w_min) · (i_max − i) / i_max.
    fn inertia(&self, iteration: u64, of: u64) -> f64 {
        let [max, min] = self.inertia;
        min + (max - min) * (of as f64 - iteration as f64) / of as f64
    }

    /// Equation (4): (c_final − c_initial) · i / i_max + c_initial.
    fn acceleration([initial, last]: [f64; 2], iteration: u64, of: u64) -> f64 {
        (last - initial) * (iteration as f64 / of as f64) + initial
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Particle {
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// s^p: the best position that it was at.
    best: Option<Scored>,
}

/// All particles of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Swarm {
    particles: Vec<Particle>,
    /// s^g: the best position that any was at.
    best: Option<Scored>,
}

impl Swarm {
    /// Particles anywhere in a space of so many dimensions.
    pub fn new(dimensions: usize, particles: usize, coefficients: &Coefficients, dice: &mut impl Rng) -> Self {
        let mut draw = |most: f64| (0..dimensions).map(|_| dice.random_range(-most..=most)).collect();
        let particles = (0..particles).map(|_| {
            let (position, velocity) = (draw(coefficients.interval), draw(coefficients.velocity_max));
            Particle { position, velocity, best: None }
        });
        Self { particles: particles.collect(), best: None }
    }

    /// Where the particles are.
    pub fn candidates(&self) -> Vec<Vec<f64>> {
        self.particles.iter().map(|particle| particle.position.clone()).collect()
    }

    /// Iteration `iteration` (from 0) of `of`: what each position is worth (more is better) becomes known, and all move on.
    pub fn learn(
        &mut self,
        fitness: &[f64],
        (iteration, of): (u64, u64),
        coefficients: &Coefficients,
        dice: &mut impl Rng,
    ) {
        for (particle, &fitness) in self.particles.iter_mut().zip(fitness) {
            Scored::keep(&mut particle.best, &particle.position, fitness);
            Scored::keep(&mut self.best, &particle.position, fitness);
        }
        let inertia = coefficients.inertia(iteration, of);
        let cognitive = Coefficients::acceleration(coefficients.cognitive, iteration, of);
        let social = Coefficients::acceleration(coefficients.social, iteration, of);
        for particle in &mut self.particles {
            let [r1, r2] = [0; 2].map(|_| dice.random_range(0.0..=1.0));
            let (own, all) = (particle.best.as_ref(), self.best.as_ref());
            for (d, (s, v)) in particle.position.iter_mut().zip(&mut particle.velocity).enumerate() {
                let to = |best: Option<&Scored>| best.map_or(0.0, |best| best.weights[d] - *s);
                // Equation (2), then (1): both of what was so in iteration i.
                let next = inertia * *v + cognitive * r1 * to(own) + social * r2 * to(all);
                *s = (*s + *v).clamp(-coefficients.interval, coefficients.interval);
                *v = next.clamp(-coefficients.velocity_max, coefficients.velocity_max);
            }
        }
    }

    /// The best position that any was at.
    pub fn best(&self) -> Option<&Scored> {
        self.best.as_ref()
    }

    /// Whether there are so many particles, all with so many dimensions, and numbers only.
    pub(super) fn is_sound(&self, dimensions: usize, particles: usize) -> bool {
        let is_sound = |all: &[f64]| all.len() == dimensions && all.iter().all(|x| x.is_finite());
        let bests = self.particles.iter().filter_map(|particle| particle.best.as_ref()).chain(&self.best);
        let parts = self.particles.iter().flat_map(|particle| [&particle.position, &particle.velocity]);
        let mut all = parts.chain(bests.map(|best| &best.weights));
        self.particles.len() == particles && all.all(|all| is_sound(all))
    }
}

#[cfg(test)]
mod tests {
    use super::super::dice::{Purpose, stream};
    use super::*;

    const PAPER: Coefficients = Coefficients::PAPER;

    #[test]
    fn coefficients_go_from_table_i_first_to_last_values() {
        let at = |iteration| {
            let [cognitive, social] =
                [PAPER.cognitive, PAPER.social].map(|range| Coefficients::acceleration(range, iteration, 200));
            [PAPER.inertia(iteration, 200), cognitive, social]
        };
        assert_eq!(at(0), [0.9, 1.5, 1.0]);
        assert_eq!(at(200), [0.4, 0.5, 4.0]);
        assert_eq!(at(50).map(|c| (c * 1e9_f64).round() / 1e9), [0.775, 1.25, 1.75]);
    }

    /// One dimension, one particle that knows better places, worked out by hand.
    #[test]
    fn a_particle_moves_as_the_equations_say() {
        let scored = |weight, fitness| Some(Scored { weights: vec![weight], fitness });
        let particle = Particle { position: vec![0.1], velocity: vec![0.006], best: scored(0.102, 5.0) };
        let mut swarm = Swarm { particles: vec![particle], best: scored(0.101, 9.0) };
        let mut dice = stream(7, Purpose::Iteration, 0, 0);
        let mut same = dice.clone();
        let [r1, r2]: [f64; 2] = [0; 2].map(|_| same.random_range(0.0..=1.0));
        swarm.learn(&[1.0], (50, 200), &PAPER, &mut dice);
        let moved = &swarm.particles[0];
        // s + v: the velocity of before, not the new one.
        assert_eq!(moved.position, [0.1 + 0.006]);
        let expected: f64 = 0.775 * 0.006 + 1.25 * r1 * (0.102 - 0.1) + 1.75 * r2 * (0.101 - 0.1);
        assert!(expected < PAPER.velocity_max);
        assert!((moved.velocity[0] - expected).abs() < 1e-15, "{} {expected}", moved.velocity[0]);
        // A worse place is not remembered; the better ones of the particle and of all are.
        assert_eq!(moved.best, scored(0.102, 5.0));
        swarm.learn(&[20.0], (51, 200), &PAPER, &mut dice);
        assert_eq!(swarm.best, scored(0.1 + 0.006, 20.0));
    }

    #[test]
    fn velocities_and_positions_stay_within_table_is_limits() {
        let mut dice = stream(3, Purpose::Start, 0, 0);
        let mut swarm = Swarm::new(5, 30, &PAPER, &mut dice);
        let mut widest: f64 = 0.0;
        for iteration in 0..200 {
            // Further out is always better.
            let fitness: Vec<f64> = swarm.candidates().iter().map(|s| s.iter().map(|x| x.abs()).sum()).collect();
            swarm.learn(&fitness, (iteration, 200), &PAPER, &mut dice);
            let all = |of: fn(&Particle) -> &Vec<f64>| {
                swarm.particles.iter().flat_map(of).fold(0.0, |most: f64, x| most.max(x.abs()))
            };
            assert!(all(|particle| &particle.velocity) <= 0.01);
            widest = widest.max(all(|particle| &particle.position));
        }
        assert_eq!(widest, 1.0);
    }

    #[test]
    fn it_finds_the_optimum_of_a_known_function() {
        let target = [0.7, -0.3, 0.25, -0.9];
        let mut dice = stream(1, Purpose::Start, 0, 0);
        let mut swarm = Swarm::new(target.len(), 30, &PAPER, &mut dice);
        for iteration in 0..200 {
            let worth = |s: &Vec<f64>| -s.iter().zip(target).map(|(x, t)| (x - t) * (x - t)).sum::<f64>();
            let fitness: Vec<f64> = swarm.candidates().iter().map(worth).collect();
            swarm.learn(&fitness, (iteration, 200), &PAPER, &mut dice);
        }
        let best = swarm.best().unwrap();
        assert!(best.weights.iter().zip(target).all(|(x, t)| (x - t).abs() < 0.01), "{best:?}");
    }
}
