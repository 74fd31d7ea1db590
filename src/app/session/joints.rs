//! The chosen joint and its way through the clip.

use glam::EulerRot;

use super::Session;
use crate::{
    clip::{ClipCursor, SampleClip},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
    ui::JointCurves,
};

/// Samples of a curve: more than the panel has pixels.
const SAMPLES: usize = 320;

impl Session {
    /// Chooses a joint, or none.
    pub fn select(&mut self, joint: Option<JointIndex>) {
        let lead = self.scene().lead();
        let count = lead.map_or(0, |lead| lead.skeleton.len());
        self.options.selected = joint.filter(|joint| usize::from(*joint) < count);
        self.trace_joint();
    }

    /// Brings the curves up to date with the choice and the clip.
    pub(super) fn trace_joint(&mut self) {
        let joint = self.options.selected.filter(|_| self.driven().is_none());
        let clip = self.shown_clip();
        let clip = clip.and_then(|clip| Some((&*clip.skeleton, clip.sampler()?)));
        self.curves = match (joint, clip) {
            (Some(joint), Some((skeleton, clip))) if usize::from(joint) < skeleton.len() => {
                Some(curves(skeleton, &*clip, joint))
            }
            _ => None,
        };
    }
}

/// Samples a joint over a whole clip.
fn curves(skeleton: &Skeleton, clip: &dyn SampleClip, joint: JointIndex) -> JointCurves {
    let steps = clip.frames().clamp(2, SAMPLES) - 1;
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    let mut cursor = ClipCursor::default();
    let mut curves = JointCurves::default();
    for step in 0..=steps {
        let secs = clip.duration_secs() * step as f64 / steps as f64;
        clip.sample(skeleton, secs, &mut cursor, &mut local);
        model.compute(skeleton, &local);
        curves.secs.push(secs);
        let joint = usize::from(joint);
        // Z, Y, X about axes that turn along is X, Y, Z about fixed ones: the
        // order of nearly every file.
        let (z, y, x) = local.joints()[joint].rotation.to_euler(EulerRot::ZYX);
        let angles = [x, y, z].map(|angle| f64::from(angle.to_degrees()));
        for (curve, angle) in curves.angles_deg.iter_mut().zip(angles) {
            // Whole turns are free: the nearest value draws a line without
            // jumps at ±180°.
            let before = curve.last().copied().unwrap_or(angle);
            curve.push(angle + 360.0 * ((before - angle) / 360.0).round());
        }
        let position_cm = model.joints()[joint].position() * 100.0;
        for (curve, cm) in curves.positions_cm.iter_mut().zip(position_cm.to_array()) {
            curve.push(f64::from(cm));
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn curves_pass_through_the_poses_without_jumps_by_turns() {
        let motion = load::performer_clip("turn_left", load::LoadOptions::default());
        let motion = motion.unwrap().unwrap();
        let (skeleton, clip) = (motion.skeleton(), motion.sampler());
        let curves = curves(skeleton, &*clip, 0);
        assert!(curves.secs.len() <= SAMPLES);
        let mut local = LocalPose::default();
        let mut cursor = ClipCursor::default();
        clip.sample(skeleton, curves.secs[40], &mut cursor, &mut local);
        let position = local.joints()[0].position() * 100.0;
        for axis in 0..3 {
            assert_close!(
                curves.positions_cm[axis][40],
                f64::from(position[axis]),
                1e-3
            );
            let mut steps = curves.angles_deg[axis].windows(2);
            assert!(steps.all(|pair| (pair[1] - pair[0]).abs() < 180.0));
        }
    }
}
