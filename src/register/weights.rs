//! How much each motion counts, at all times or as time goes by.

use super::RegisterError;
use crate::math::ease::smoothstep;

/// Weights of motions over a blend. They sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Shares of the way, ascending, and the weights there; between them they
    /// go smoothly, outside the ends hold.
    keys: Vec<(f64, Vec<f64>)>,
}

impl Weights {
    /// The same at all times; made to sum to 1.
    pub fn constant(weights: &[f64]) -> Result<Self, RegisterError> {
        Self::over_time(&[(0.0, weights.to_vec())])
    }

    /// Different at different shares (0 to 1) of the registered span. A
    /// transition is (1, 0) at 0 and (0, 1) at 1.
    pub fn over_time(keys: &[(f64, Vec<f64>)]) -> Result<Self, RegisterError> {
        let motions = keys.first().map_or(0, |(_, weights)| weights.len());
        let mut sound = Vec::with_capacity(keys.len());
        for (share, weights) in keys {
            let sum: f64 = weights.iter().sum();
            let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
            let fits = weights.len() == motions && weights.iter().all(is_weight);
            if !(fits && sum > 0.0 && sum.is_finite() && share.is_finite()) {
                let found = weights.len();
                return Err(RegisterError::BadWeights { found, motions });
            }
            sound.push((*share, weights.iter().map(|weight| weight / sum).collect()));
        }
        sound.sort_by(|a: &(f64, Vec<f64>), b| a.0.total_cmp(&b.0));
        match sound.is_empty() {
            true => Err(RegisterError::BadWeights { found: 0, motions }),
            false => Ok(Self { keys: sound }),
        }
    }

    /// True when a single motion has all the weight at all times.
    #[must_use]
    pub fn is_single(&self) -> bool {
        let whole = |motion: usize| self.keys.iter().all(|(_, weights)| weights[motion] == 1.0);
        (0..self.motions()).any(whole)
    }

    /// How many motions they are for.
    #[must_use]
    pub fn motions(&self) -> usize {
        self.keys[0].1.len()
    }

    /// The weight of one motion at a share of the way.
    #[must_use]
    pub fn at(&self, share: f64, motion: usize) -> f64 {
        let after = self.keys.partition_point(|(at, _)| *at <= share);
        let key = |index: usize| &self.keys[index.min(self.keys.len() - 1)];
        let (from, to) = (key(after.saturating_sub(1)), key(after));
        let span = to.0 - from.0;
        let part = match span > 0.0 {
            true => ((share - from.0) / span).clamp(0.0, 1.0),
            false => 0.0,
        };
        let (from, to) = (from.1[motion], to.1[motion]);
        from + (to - from) * f64::from(smoothstep(part as f32))
    }

    /// All of them.
    #[must_use]
    pub fn all_at(&self, share: f64) -> Vec<f64> {
        (0..self.motions())
            .map(|motion| self.at(share, motion))
            .collect()
    }
}
