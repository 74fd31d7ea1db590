//! Values that follow a target without overshoot, exact for any time step.

use std::f64::consts::LN_2;

/// A critically damped spring. `half_life_secs` is roughly the time in which
/// the distance halves; 0 follows at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// Where it stands.
    pub value: f64,
    /// Units a second.
    pub velocity: f64,
}

impl Spring {
    /// At rest at a value.
    #[must_use]
    pub fn at(value: f64) -> Self {
        Self {
            value,
            velocity: 0.0,
        }
    }

    /// Moves `dt_secs` towards `target` by the closed solution: two half steps
    /// are one whole step. Lands on the target once nothing visible is left,
    /// so that what depends on it comes to rest as well.
    pub fn follow(&mut self, target: f64, half_life_secs: f64, dt_secs: f64) {
        let offset = self.value - target;
        // In metres or radians a ten-thousandth shows nowhere.
        let settled = offset.abs() < 1e-4 && self.velocity.abs() < 1e-3;
        if half_life_secs <= 0.0 || settled {
            *self = Self::at(target);
            return;
        }
        // ω of x″ = −2ω·x′ − ω²·x. With this ω an offset at rest has 0.60 of
        // itself left after one half-life and 0.24 after two.
        let damping = 2.0 * LN_2 / half_life_secs;
        // x(t) = e^(−ωt) · (x₀ + (v₀ + ω·x₀)·t): with critical damping both
        // roots are −ω, hence the factor t.
        let slope = self.velocity + offset * damping;
        let decay = (-damping * dt_secs).exp();
        self.value = target + decay * (offset + slope * dt_secs);
        self.velocity = decay * (self.velocity - slope * damping * dt_secs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_half_steps_are_one_step() {
        let mut one = Spring {
            value: 3.0,
            velocity: -1.0,
        };
        let mut two = one;
        one.follow(1.0, 0.2, 0.1);
        two.follow(1.0, 0.2, 0.05);
        two.follow(1.0, 0.2, 0.05);
        assert_close!(one.value, two.value, 1e-12);
        assert_close!(one.velocity, two.velocity, 1e-12);
    }

    #[test]
    fn it_arrives_without_overshoot_and_lands_exactly() {
        let mut spring = Spring::at(0.0);
        for _ in 0..300 {
            spring.follow(1.0, 0.1, 0.01);
            assert!(spring.value <= 1.0);
        }
        assert_eq!(spring, Spring::at(1.0));
    }

    #[test]
    fn no_half_life_follows_at_once() {
        let mut spring = Spring::at(5.0);
        spring.follow(-2.0, 0.0, 0.001);
        assert_eq!(spring, Spring::at(-2.0));
    }
}
