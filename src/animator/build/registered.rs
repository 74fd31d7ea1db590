//! Blend spaces that say `register: true`: their clips' phases by registration.

use std::sync::Arc;

use super::{Builder, motion::Leaves};
use crate::{
    animator::{prepared_clip::PreparedClip, timeline::Timeline},
    clip::RawClip,
    register::{PathOptions, RegisterError, Registration},
    skeleton::Skeleton,
};

/// Knots a second of the clips' mean length, and how many at most.
const KNOT_HZ: f64 = 20.0;
const MOST_KNOTS: usize = 4000;

impl Builder<'_> {
    /// Replaces the phases of clips that are registered with each other, and
    /// gives those beside them in the same state as many cycles. Where clips
    /// have nothing in common they stay as they were, and a note says so.
    pub(super) fn register_timelines(
        &mut self,
        groups: &[Vec<&str>],
        leaves: &Leaves,
        timelines: &mut [Timeline],
    ) {
        let mut cycles = 0;
        let mut curves = Vec::new();
        for names in groups {
            let is_member = |&leaf: &usize| {
                let (clip, scrub) = &leaves[leaf];
                scrub.is_none() && names.contains(&self.prepared[*clip].name.as_str())
            };
            let members: Vec<usize> = (0..leaves.len()).filter(is_member).collect();
            let clips = members.iter().map(|&leaf| &self.prepared[leaves[leaf].0]);
            let clips: Vec<&PreparedClip> = clips.collect();
            match StepCurves::of(self.skeleton, &clips) {
                Ok(found) => {
                    cycles = cycles.max(found.cycles());
                    curves.push((members, found));
                }
                Err(error) => {
                    let names = names.join(", ");
                    self.notes
                        .push(format!("{names} cannot be registered: {error}"));
                }
            }
        }
        if curves.is_empty() {
            return;
        }
        for timeline in &mut *timelines {
            *timeline = Timeline::even(timeline.duration_secs(), cycles);
        }
        for (members, curves) in curves {
            for (clip, &leaf) in members.iter().enumerate() {
                timelines[leaf] = curves.timeline(clip, cycles);
            }
        }
    }
}

/// Moments of clips that belong together, from the start of all to the end of
/// all.
struct StepCurves {
    /// Seconds of every clip, row by row.
    rows: Vec<Vec<f64>>,
    /// The mean of each row: what all advance by.
    mean_secs: Vec<f64>,
}

impl StepCurves {
    fn of(skeleton: &Arc<Skeleton>, clips: &[&PreparedClip]) -> Result<Self, RegisterError> {
        let sampled = |clip: &&PreparedClip| {
            let clip = RawClip::sampled_from(&clip.name, skeleton, &*clip.source);
            Arc::new(clip)
        };
        let motions: Vec<Arc<RawClip>> = clips.iter().map(sampled).collect();
        let found = Registration::new(skeleton, motions, &PathOptions::default())?;
        let ends: Vec<f64> = clips.iter().map(|clip| clip.duration_secs()).collect();
        // What lies before and after the registered span is led in and out.
        let mut rows = vec![vec![0.0; clips.len()]];
        for sample in 0..found.curves()[0].times_secs().len() {
            let curves = found.curves().iter().zip(&ends);
            rows.push(
                curves
                    .map(|(curve, end)| curve.times_secs()[sample].min(*end))
                    .collect(),
            );
        }
        rows.push(ends);
        let mean = |row: &Vec<f64>| row.iter().sum::<f64>() / row.len() as f64;
        Ok(Self {
            mean_secs: rows.iter().map(mean).collect(),
            rows,
        })
    }

    fn cycles(&self) -> usize {
        let secs = self.mean_secs.last().copied().unwrap_or(0.0);
        ((secs * KNOT_HZ).ceil() as usize).clamp(2, MOST_KNOTS) / 2
    }

    fn timeline(&self, clip: usize, cycles: usize) -> Timeline {
        let end = self.mean_secs.last().copied().unwrap_or(0.0);
        let knots = 2 * cycles;
        let secs = |knot: usize| self.clip_secs(clip, end * knot as f64 / knots as f64);
        let duration_secs = self.rows.last().map_or(0.0, |row| row[clip]);
        Timeline::warped(duration_secs, (0..knots).map(secs).collect())
    }

    fn clip_secs(&self, clip: usize, mean_secs: f64) -> f64 {
        let after = self.mean_secs.partition_point(|&secs| secs <= mean_secs);
        let after = after.clamp(1, self.rows.len() - 1);
        let [low, high] = [after - 1, after].map(|row| self.mean_secs[row]);
        let part = ((mean_secs - low) / (high - low).max(1e-9)).clamp(0.0, 1.0);
        let [from, to] = [after - 1, after].map(|row| self.rows[row][clip]);
        from + (to - from) * part
    }
}
