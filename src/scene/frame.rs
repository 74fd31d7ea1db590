//! Everything the renderer needs for one picture, as plain data.
//!
//! Buffers are kept between frames: [`FrameData::clear`] empties them without
//! giving memory back, so a steady scene allocates nothing.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};

use super::{Camera, Look, SheetMesh, within_reach};
use crate::{
    body::{Body, Skinning},
    math::Transform,
    skeleton::WorldPose,
};

/// One character of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Multiplies the skin's colour; linear.
    pub tint: [f32; 3],
    /// 1 is solid. Anything less is drawn after all solid things, without a
    /// shadow.
    pub opacity: f32,
    /// Colours the skin by [`Batch::errors`] instead of its own colour.
    pub shows_error: bool,
}

impl Default for Instance {
    fn default() -> Self {
        Self {
            tint: [1.0; 3],
            opacity: 1.0,
            shows_error: false,
        }
    }
}

/// How one joint moves the skin, `world_from_bind`, laid out as the GPU reads
/// it: written once, uploaded as it is. Mirrors `Joint` in skinning.wgsl.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PaletteEntry {
    /// Unit quaternion, scalar last.
    pub rotation: [f32; 4],
    /// Metres; the fourth is padding.
    pub translation: [f32; 4],
}

impl From<Transform> for PaletteEntry {
    #[inline]
    fn from(world_from_bind: Transform) -> Self {
        Self {
            rotation: world_from_bind.rotation.to_array(),
            translation: world_from_bind.translation.extend(0.0).to_array(),
        }
    }
}

/// All characters that share a body: one draw call.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The mesh and its bind pose.
    pub body: Arc<Body>,
    /// As many as the body has joints for each instance.
    pub palettes: Vec<PaletteEntry>,
    /// One per character.
    pub instances: Vec<Instance>,
    /// Per-joint error in 0..=1, laid out as the palettes; empty when unused.
    pub errors: Vec<f32>,
    /// Centre and radius of the balls that darken their surroundings, as many
    /// as the body has for each instance.
    pub occluders: Vec<[f32; 4]>,
    /// `world_from_mesh` of a model's slots, as many as it has for each
    /// instance; empty for a grown body.
    pub slots: Vec<Affine3A>,
    /// Morph weights, likewise.
    pub morphs: Vec<f32>,
}

impl Batch {
    fn of(body: &Arc<Body>) -> Self {
        Self {
            body: Arc::clone(body),
            palettes: Vec::new(),
            instances: Vec::new(),
            errors: Vec::new(),
            occluders: Vec::new(),
            slots: Vec::new(),
            morphs: Vec::new(),
        }
    }

    /// Adds a character; false when it cannot be drawn, which leaves all as it
    /// was.
    fn push(&mut self, pose: &WorldPose, instance: Instance, errors: Option<&[f32]>) -> bool {
        let joints = self.body.joint_from_bind();
        assert_eq!(
            pose.joints().len(),
            joints.len(),
            "the pose is for another body"
        );
        let pairs = pose.joints().iter().zip(joints);
        let entries = pairs.map(|(&world_from_joint, &joint_from_bind)| {
            PaletteEntry::from(world_from_joint * joint_from_bind)
        });
        self.palettes.extend(entries);
        let balls = self.body.occluders().iter().map(|ball| {
            let centre = ball.centre_in(pose);
            [centre.x, centre.y, centre.z, ball.radius_m]
        });
        self.occluders.extend(balls);
        if let Some(model) = self.body.model() {
            self.slots.extend(model.palette(pose));
            let weight = |morph| pose.morphs().get(morph).copied().unwrap_or(0.0);
            self.morphs.extend((0..model.morphs).map(weight));
        }
        if let Some(errors) = errors {
            assert_eq!(errors.len(), joints.len(), "one error a joint");
            // Errors lie beside palettes: those pushed before without any get
            // their place too.
            self.errors.resize(self.palettes.len() - errors.len(), 0.0);
            self.errors.extend_from_slice(errors);
        }
        self.instances.push(Instance {
            shows_error: errors.is_some(),
            ..instance
        });
        let last = self.instances.len() - 1;
        let sound = self.is_sound_from(last);
        if !sound {
            self.truncate(last);
        }
        sound
    }

    /// Keeps the first characters and forgets the others.
    fn truncate(&mut self, instances: usize) {
        let joints = instances * self.body.joint_from_bind().len();
        self.palettes.truncate(joints);
        self.errors.truncate(joints);
        self.instances.truncate(instances);
        let balls = instances * self.body.occluders().len();
        self.occluders.truncate(balls);
        let (slots, morphs) = self.model_numbers();
        self.slots.truncate(instances * slots);
        self.morphs.truncate(instances * morphs);
    }

    /// How many slots and morph weights one instance has.
    pub(super) fn model_numbers(&self) -> (usize, usize) {
        let model = self.body.model();
        model.map_or((0, 0), |model| (model.slots.len(), model.morphs))
    }
}

/// A straight line with a width on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// World space, metres.
    pub from: Vec3,
    /// World space, metres.
    pub to: Vec3,
    /// Linear colour and opacity.
    pub colour: [f32; 4],
    /// Pixels.
    pub width_px: f32,
    /// Drawn over everything instead of being hidden by what is in front.
    pub on_top: bool,
}

/// A solid bone: thick near its start, pointed at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneShape {
    /// World space, metres.
    pub from: Vec3,
    /// World space, metres; equal to `from` for a ball.
    pub to: Vec3,
    /// Metres.
    pub radius_m: f32,
    /// Linear.
    pub colour: [f32; 3],
    /// Shines through the skin.
    pub on_top: bool,
}

/// A short text at a point of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// World space, metres.
    pub at: Vec3,
    /// What it says.
    pub text: String,
}

/// The key to the colours of an error display.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Heading.
    pub title: String,
    /// What blue stands for.
    pub low: String,
    /// What red stands for.
    pub high: String,
}

/// One picture.
#[derive(Clone, Debug, Default)]
pub struct FrameData {
    /// Where it is seen from.
    pub camera: Camera,
    /// Light, colours and what is drawn besides the characters.
    pub look: Look,
    /// How the skin follows the joints.
    pub skinning: Skinning,
    /// Solid bones.
    pub bones: Vec<BoneShape>,
    /// Axes, trajectories, wireframes.
    pub lines: Vec<Line>,
    /// Names and numbers.
    pub labels: Vec<Label>,
    /// Text in the corner of the picture.
    pub caption: Option<String>,
    /// Key of the error colours.
    pub legend: Option<Legend>,
    /// How much was left out because it cannot be drawn; see
    /// [`FrameData::drop_unsound_marks`].
    pub left_out: usize,
    // Judged as they come in, and none can change them afterwards: the
    // renderer need not look at every number again.
    batches: Vec<Batch>,
    sheets: Vec<SheetMesh>,
    bounds: Option<(Vec3, Vec3)>,
    hull: Vec<[f32; 4]>,
}

/// Characters are held by a box instead of their own balls from here on.
const CLOSE_HULL: usize = 1024;

impl FrameData {
    /// Empties all lists and keeps their memory; camera and look stay.
    pub fn clear(&mut self) {
        // The next picture nearly always shows the same bodies; one that the last
        // did not show is let go, or every body ever seen would be kept.
        self.batches.retain(|batch| !batch.instances.is_empty());
        self.batches.iter_mut().for_each(|batch| batch.truncate(0));
        self.sheets.clear();
        self.bones.clear();
        self.lines.clear();
        self.labels.clear();
        self.caption = None;
        self.legend = None;
        self.left_out = 0;
        self.bounds = None;
        self.hull.clear();
    }

    /// Characters, grouped by body.
    #[must_use]
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// Cloth.
    #[must_use]
    pub fn sheets(&self) -> &[SheetMesh] {
        &self.sheets
    }

    /// Adds a sheet, or counts it as left out when it cannot be drawn.
    pub fn push_sheet(&mut self, sheet: SheetMesh) {
        if sheet.is_sound() {
            self.sheets.push(sheet);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a character in a pose, or counts it as left out when it cannot be
    /// drawn. `errors` colours its joints (0 blue, 1 red).
    ///
    /// # Panics
    /// When pose or errors are not made for the body's number of joints.
    pub fn push_character(
        &mut self,
        body: &Arc<Body>,
        pose: &WorldPose,
        instance: Instance,
        errors: Option<&[f32]>,
    ) {
        if self.batch_of(body).push(pose, instance, errors) {
            self.grow_bounds(body, pose);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a model whose slots are given instead of taken from its pose, which
    /// tells its bounds alone.
    ///
    /// # Panics
    /// When pose or slots are not made for the body.
    pub(super) fn push_slots(
        &mut self,
        body: &Arc<Body>,
        pose: &WorldPose,
        slots: &[Affine3A],
        instance: Instance,
    ) {
        let sound = slots.iter().all(|it| it.is_finite());
        let left_out = self.left_out;
        self.push_character(body, pose, instance, None);
        if self.left_out > left_out {
            return;
        }
        let batch = self.batch_of(body);
        assert_eq!(batch.model_numbers().0, slots.len(), "one matrix a slot");
        if sound {
            let first = batch.slots.len() - slots.len();
            batch.slots[first..].copy_from_slice(slots);
        } else {
            batch.truncate(batch.instances.len() - 1);
            self.left_out += 1;
        }
    }

    fn batch_of(&mut self, body: &Arc<Body>) -> &mut Batch {
        let known = self
            .batches
            .iter()
            // The very same body: to compare two meshes would cost more than a
            // draw call saves.
            .position(|batch| Arc::ptr_eq(&batch.body, body));
        let index = known.unwrap_or_else(|| {
            self.batches.push(Batch::of(body));
            self.batches.len() - 1
        });
        &mut self.batches[index]
    }

    /// Low and high corner of a box around all characters; `None` when there
    /// is none.
    #[must_use]
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.bounds
    }

    /// Centre and radius of balls that hold all characters and sheets: closely
    /// where there are few, by the corners of boxes in a crowd.
    #[must_use]
    pub fn hull(&self) -> &[[f32; 4]] {
        &self.hull
    }

    /// Makes the box and the hull reach a point.
    pub(super) fn grow_around(&mut self, at: Vec3) {
        if within_reach(at) {
            self.grow_ball(at, 0.0);
        }
    }

    fn grow_ball(&mut self, centre: Vec3, radius_m: f32) {
        self.hull.push(centre.extend(radius_m).to_array());
        let (low, high) = (centre - radius_m, centre + radius_m);
        self.bounds = Some(match self.bounds {
            Some((known_low, known_high)) => (known_low.min(low), known_high.max(high)),
            None => (low, high),
        });
    }

    fn grow_bounds(&mut self, body: &Body, pose: &WorldPose) {
        if self.hull.len() < CLOSE_HULL && !body.hull().is_empty() {
            for ball in body.hull() {
                self.grow_ball(ball.centre_in(pose).into(), ball.radius_m);
            }
            return;
        }
        let (low, high) = body.bounds(pose);
        // A hull holds balls and nothing else: a corner is one of no size.
        for corner in 0..8u32 {
            let pick = |bit: u32| corner >> bit & 1 == 1;
            let pick = glam::BVec3::new(pick(0), pick(1), pick(2));
            self.grow_ball(Vec3::select(pick, high, low), 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::testing::cmu_like;

    #[test]
    fn characters_of_one_body_share_a_batch_and_clearing_keeps_it() {
        let skeleton = cmu_like();
        let body = Arc::new(Body::grow(&skeleton));
        let pose = WorldPose::from(skeleton.rest_model());
        let mut frame = FrameData::default();
        let errors = vec![0.5; skeleton.len()];
        frame.push_character(&body, &pose, Instance::default(), None);
        frame.push_character(&body, &pose, Instance::default(), Some(&errors));
        assert_eq!(frame.batches().len(), 1);
        let batch = &frame.batches()[0];
        assert_eq!(batch.palettes.len(), 2 * skeleton.len());
        assert_eq!(batch.errors.len(), 2 * skeleton.len());
        assert_eq!(batch.errors[0], 0.0);
        assert!(batch.instances[1].shows_error && !batch.instances[0].shows_error);
        let (low, high) = frame.bounds().unwrap();
        assert!(high.y - low.y > 1.5 && high.x - low.x > 1.7);
        frame.clear();
        assert!(frame.bounds().is_none());
        assert_eq!(frame.batches().len(), 1);
        frame.clear();
        assert!(frame.batches().is_empty(), "nobody is seen any more");
    }
}
