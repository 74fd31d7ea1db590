//! The grid that residuals are rounded to: one step per channel and level.
//!
//! A channel's step is a common scale times a quarter-octave power of two; it
//! grows from level to level, because knots are used in every prediction below
//! them and single frames in none. Powers are made by multiplication alone, so
//! that every machine has the same steps.

use super::{
    frame_order::LEVELS,
    model::{MEAN_ONE, Mean},
};

/// Steps of a clip, and how the model of residuals starts in a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    /// Step of exponent 0 at the knots, radians or metres.
    pub scale: f32,
    /// Quarter octaves, one per coded channel.
    pub exponents: Vec<i32>,
    /// Steps grow by 1 + this / 32 from level to level; below 32.
    pub growth: u8,
    /// Index into [`STARTS`].
    pub start: u8,
    /// Index into [`DECAYS`].
    pub decay: u8,
}

/// Exponents stay within this, which keeps every step positive and finite.
pub(super) const MAX_EXPONENT: i32 = 128;
/// Scales stay within this range for the same reason.
pub(super) const SCALES: std::ops::RangeInclusive<f32> = 1e-9..=1e3;
/// Largest growth.
pub(super) const MAX_GROWTH: u8 = 31;

/// First guess of a middle frame's residual, as a part of the difference of
/// the two knots around it.
pub(super) const STARTS: [f32; 4] = [1.0 / 16.0, 1.0 / 6.0, 1.0 / 3.0, 1.0];
/// First guess of a level's residuals, in 1/256 of the level above. At half the
/// spacing a smooth curve is missed by a sixteenth (Catmull-Rom at its middle is
/// exact for cubics), noise by as much as before: each clip picks its own.
pub(super) const DECAYS: [Mean; 4] = [48, 80, 128, 208];
/// By what steps shrink in a block of boost 0 to 3, which holds the tolerance
/// where the usual steps do not.
pub(super) const BOOSTS: [f32; 4] = [1.0, 0.8, 0.6, 0.4];

/// 2^(exponent / 4).
pub(super) fn quarter_power(exponent: i32) -> f32 {
    // 2^0, 2^¼, 2^½, 2^¾. `powf` would differ from machine to machine.
    const QUARTERS: [f32; 4] = [1.0, 1.189_207_1, std::f32::consts::SQRT_2, 1.681_792_8];
    let factor = if exponent < 0 { 0.5 } else { 2.0 };
    let whole = exponent.div_euclid(4);
    let power = (0..whole.unsigned_abs()).fold(1.0f32, |power, _| power * factor);
    power * QUARTERS[exponent.rem_euclid(4) as usize]
}

impl Grid {
    /// Number of coded channels.
    pub fn width(&self) -> usize {
        self.exponents.len()
    }

    /// Steps of all channels at the knots, then at level 1, and so on.
    pub fn steps(&self) -> Vec<f32> {
        let growth = 1.0 + f32::from(self.growth) / 32.0;
        let knots = self
            .exponents
            .iter()
            .map(|&e| self.scale * quarter_power(e));
        let mut steps: Vec<f32> = knots.collect();
        // Each level from the one before it, channel by channel.
        for at in 0..LEVELS * self.width() {
            steps.push(steps[at] * growth);
        }
        steps
    }

    /// Means at the start of a block between two knots; `steps` are level 1's.
    pub fn start_means(&self, knots: [&[f32]; 2], steps: &[f32], means: &mut [Mean]) {
        let part = STARTS[usize::from(self.start)] * MEAN_ONE as f32;
        let ends = knots[0].iter().zip(knots[1]).zip(steps);
        for (mean, ((a, b), step)) in means.iter_mut().zip(ends) {
            // A mean of 256 steps is among the last contexts, and products of
            // it fit 32 bits.
            *mean = ((b - a).abs() / step * part).min(65_536.0) as Mean;
        }
    }

    /// Means when a block goes on to the next level.
    pub fn next_level(&self, means: &mut [Mean]) {
        let decay = DECAYS[usize::from(self.decay)];
        for mean in means {
            *mean = (*mean * decay) >> 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_powers_that_grow_by_level() {
        let grid = Grid {
            scale: 0.5,
            exponents: vec![0, 4, -3, -MAX_EXPONENT, MAX_EXPONENT],
            growth: 8,
            start: 0,
            decay: 0,
        };
        let steps = grid.steps();
        assert_eq!(steps.len(), (LEVELS + 1) * 5);
        assert_eq!(steps[..2], [0.5, 1.0]);
        assert_close!(steps[2], 0.5 * 2f32.powf(-0.75), 1e-7);
        assert_eq!(steps[5], 0.625);
        assert!(steps.iter().all(|step| step.is_normal()));
    }
}
