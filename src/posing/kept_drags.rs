//! Poses made by hand that are kept: joints drawn aside over the motion, for a
//! stretch of a clip or for as long as nobody takes it back.

use glam::Vec3;

use super::{Drag, DragSolver, JointDrag, JointOffset, OffsetLayer, offset_layer::draw_aside};
use crate::{
    math::Spring,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// One joint drawn aside, and how much of that shows.
#[derive(Clone, Debug)]
pub struct KeptDrag {
    layer: OffsetLayer,
    pulls: Vec<(Drag, Vec3)>,
    wanted: bool,
    /// Comes and goes with the wish for it; the range is the layer's.
    fade: Spring,
}

impl KeptDrag {
    pub(super) fn new(
        skeleton: &Skeleton,
        (joint, wanted): (JointIndex, &JointDrag),
        (solver, pins): (DragSolver, &[JointIndex]),
    ) -> Self {
        let layer = OffsetLayer {
            name: wanted.to_string(),
            offsets: vec![JointOffset {
                joint,
                offset: wanted.way,
            }],
            pins: pins.to_vec(),
            solver,
            range_secs: (
                wanted.from_secs.unwrap_or(0.0),
                wanted.to_secs.unwrap_or(f64::INFINITY),
            ),
            ease_secs: wanted.ease_secs,
            on: true,
        };
        Self {
            pulls: layer.pulls(skeleton),
            layer,
            wanted: true,
            fade: Spring::default(),
        }
    }

    /// Which joint, how far, and when.
    #[must_use]
    pub fn layer(&self) -> &OffsetLayer {
        &self.layer
    }

    /// Which joint.
    #[must_use]
    pub fn joint(&self) -> Option<JointIndex> {
        self.layer.offsets.first().map(|it| it.joint)
    }

    /// Nobody has taken it back.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub(super) fn switch(&mut self, on: bool) {
        self.layer.on = on;
    }

    pub(super) fn take_back(&mut self) {
        self.wanted = false;
    }

    /// All of it shows at once: what was seen so already is kept.
    pub(super) fn show(&mut self) {
        self.fade = Spring::at(1.0);
    }

    pub(super) fn is_over(&self) -> bool {
        !self.wanted && self.fade.value <= 0.0
    }

    pub(super) fn is_moving(&self) -> bool {
        self.fade.value != f64::from(u8::from(self.wanted))
    }

    pub(super) fn step(&mut self, dt_secs: f64) {
        // A spring is nearly there after three half-lives.
        let half_life_secs = self.layer.ease_secs / 3.0;
        let target = f64::from(u8::from(self.wanted));
        self.fade.follow(target, half_life_secs, dt_secs);
    }

    /// `moment`: seconds of a clip, and how long it is; what is driven has none,
    /// and no ranges either.
    pub(super) fn apply(
        &self,
        skeleton: &Skeleton,
        moment: Option<(f64, f64)>,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let shown = moment.map_or(1.0, |(secs, long)| self.layer.weight(secs, long));
        let weight = shown * self.fade.value.clamp(0.0, 1.0) as f32;
        if weight > 0.0 {
            draw_aside(skeleton, (&self.pulls, weight), pose, model);
        }
    }
}
