//! The chosen joint and its way through the clip.

use glam::EulerRot;

use super::Session;
use crate::{
    app::take::Take,
    skeleton::{JointIndex, LocalPose, WorldPose},
    ui::JointCurves,
};

/// Samples of a curve: more than the panel has pixels.
const SAMPLES: usize = 320;

impl Session {
    /// Chooses a joint, or none.
    pub fn select(&mut self, joint: Option<JointIndex>) {
        let lead = self.shown_stage().lead.as_ref();
        let count = lead.map_or(0, |take| take.skeleton.len());
        self.selected = joint.filter(|joint| usize::from(*joint) < count);
        self.trace_joint();
    }

    /// Brings the curves up to date with the choice and the clip.
    pub(super) fn trace_joint(&mut self) {
        let joint = self.selected.filter(|_| self.driven().is_none());
        let lead = self.stage.lead.as_ref().filter(|take| take.clip.is_some());
        self.curves = match (joint, lead) {
            (Some(joint), Some(take)) if usize::from(joint) < take.skeleton.len() => {
                Some(curves(take, joint))
            }
            _ => None,
        };
    }
}

/// Samples a joint over a whole clip.
fn curves(take: &Take, joint: JointIndex) -> JointCurves {
    let frames = take.clip.as_ref().map_or(1, |clip| clip.frames());
    let steps = frames.clamp(2, SAMPLES) - 1;
    let (mut local, mut pose) = (LocalPose::default(), WorldPose::default());
    let mut curves = JointCurves::default();
    for step in 0..=steps {
        let secs = take.duration_secs() * step as f64 / steps as f64;
        take.pose_at(secs, &mut local, &mut pose);
        curves.secs.push(secs);
        let joint = usize::from(joint);
        let (z, y, x) = local.joints()[joint].rotation.to_euler(EulerRot::ZYX);
        let angles = [x, y, z].map(|angle| f64::from(angle.to_degrees()));
        for (curve, angle) in curves.angles_deg.iter_mut().zip(angles) {
            let before = curve.last().copied().unwrap_or(angle);
            curve.push(angle + 360.0 * ((before - angle) / 360.0).round());
        }
        let place = pose.joints()[joint].position() * 100.0;
        for (curve, cm) in curves.positions_cm.iter_mut().zip(place.to_array()) {
            curve.push(f64::from(cm));
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyCache;

    #[test]
    fn curves_pass_through_the_poses_without_jumps_by_turns() {
        let take = Take::built_in("turn_left", &mut BodyCache::default()).unwrap();
        let curves = curves(&take, 0);
        assert!(curves.secs.len() <= SAMPLES);
        let (mut local, mut pose) = (LocalPose::default(), WorldPose::default());
        take.pose_at(curves.secs[40], &mut local, &mut pose);
        let place = pose.joints()[0].position() * 100.0;
        for axis in 0..3 {
            assert!((curves.positions_cm[axis][40] - f64::from(place[axis])).abs() < 1e-3);
            let mut steps = curves.angles_deg[axis].windows(2);
            assert!(steps.all(|pair| (pair[1] - pair[0]).abs() < 180.0));
        }
    }
}
