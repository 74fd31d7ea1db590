//! The blend that nobody should want: by share of length, the root as it is.

use std::sync::Arc;

use super::{
    RegisterError, Weights,
    contacts::{self, LegStances},
    slide::slide_m,
};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Motions averaged at equal shares of their lengths, wherever their roots
/// are: what registration is compared with.
#[derive(Clone, Debug)]
pub struct PlainBlend {
    skeleton: Arc<Skeleton>,
    motions: Vec<Arc<RawClip>>,
    weights: Vec<f64>,
    frames: usize,
}

impl PlainBlend {
    /// A blend at constant weights: those at the start.
    pub fn new(
        skeleton: &Arc<Skeleton>,
        motions: Vec<Arc<RawClip>>,
        weights: &Weights,
    ) -> Result<Self, RegisterError> {
        let (found, count) = (weights.motions(), motions.len());
        if found != count || count == 0 {
            let motions = count;
            return Err(RegisterError::BadWeights { found, motions });
        }
        let weights = weights.all_at(0.0);
        let durations = motions.iter().map(|clip| clip.duration_secs());
        let secs: f64 = durations
            .zip(&weights)
            .map(|(secs, weight)| secs * weight)
            .sum();
        Ok(Self {
            frames: (secs * motions[0].fps + 1e-6) as usize + 1,
            skeleton: Arc::clone(skeleton),
            motions,
            weights,
        })
    }

    /// How far feet slide that the motions together have standing, metres.
    #[must_use]
    pub fn slide_m(&self) -> f64 {
        let legs = contacts::leg_chains(&self.skeleton);
        let stances: Vec<_> = self
            .motions
            .iter()
            .map(|clip| contacts::stances(&self.skeleton, clip, &legs))
            .collect();
        let mut cursor = ClipCursor::default();
        let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
        let mut paths = vec![Vec::with_capacity(self.frames); legs.len()];
        for frame in 0..self.frames {
            self.sample(
                &self.skeleton,
                frame as f64 / self.fps(),
                &mut cursor,
                &mut pose,
            );
            model.compute(&self.skeleton, &pose);
            for (path, leg) in paths.iter_mut().zip(&legs) {
                let ball = model.joints()[usize::from(leg.joints.ball)];
                path.push(ball.translation.as_dvec3());
            }
        }
        let legs = paths.iter().enumerate();
        let slides =
            legs.map(|(leg, path)| slide_m(path, self.fps(), &self.standing(&stances, leg)));
        slides.fold(0.0, f64::max)
    }

    /// Spans in which motions of at least half the weight stand.
    fn standing(&self, stances: &[LegStances], leg: usize) -> Vec<[f64; 2]> {
        let stands = |frame: usize| {
            let share = frame as f64 / (self.frames.max(2) - 1) as f64;
            let votes = self.motions.iter().zip(stances).zip(&self.weights);
            let votes = votes.map(|((clip, stances), weight)| {
                let secs = share * clip.duration_secs();
                let stands = stances[leg]
                    .iter()
                    .any(|span| span[0] <= secs && secs <= span[1]);
                if stands { *weight } else { 0.0 }
            });
            votes.sum::<f64>() >= 0.5
        };
        let mut spans: Vec<[f64; 2]> = Vec::new();
        let mut before = false;
        for frame in 0..self.frames {
            let (now, secs) = (stands(frame), frame as f64 / self.fps());
            match spans.last_mut() {
                Some(span) if now && before => span[1] = secs,
                _ if now => spans.push([secs, secs]),
                _ => {}
            }
            before = now;
        }
        spans
    }
}

#[derive(Default)]
struct PlainCursor {
    other: LocalPose,
}

impl SampleClip for PlainBlend {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.frames,
            fps: self.motions[0].fps,
            joints: self.skeleton.len(),
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let duration = self.duration_secs();
        let share = match duration > 0.0 {
            // A time that is no number becomes 0.
            true => (time_secs.max(0.0) / duration).min(1.0),
            false => 0.0,
        };
        let PlainCursor { other } = cursor.of();
        let mut sum = 0.0;
        for (clip, &weight) in self.motions.iter().zip(&self.weights) {
            if weight <= 0.0 {
                continue;
            }
            sum += weight;
            let secs = share * clip.duration_secs();
            if sum == weight {
                clip.sample(skeleton, secs, &mut ClipCursor::default(), pose);
            } else {
                clip.sample(skeleton, secs, &mut ClipCursor::default(), other);
                pose.mix(other, (weight / sum) as f32);
            }
        }
    }
}
