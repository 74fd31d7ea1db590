//! Ways of seeing a skin: what moves it, how it is made up, and what goes wrong
//! when it is moved the easy way.
//!
//! All but the weights are drawn by affine slots (`world_from_mesh` of every
//! joint), which take any matrix: the bind pose is one matrix for all, matrices
//! blended number by number are sheared and shrunk, and shown as they are.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

use super::{Character, FrameData, Instance, Label, Scene};
use crate::{
    body::Body,
    math::Transform,
    skeleton::{ModelPose, WorldPose},
};

/// How the skin is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SkinView {
    /// As it is.
    #[default]
    Usual,
    /// Coloured by how much the chosen joint moves it.
    Weights,
    /// In rigid pieces, each on the joint that moves it most.
    Pieces,
    /// Blended linearly, as matrices.
    Linear,
    /// Between keys a while apart, by matrices blended number by number.
    Matrices,
    /// In the pose it was bound in.
    Bind,
}

impl SkinView {
    /// In the order they are offered.
    pub const ALL: [Self; 6] = [
        Self::Usual,
        Self::Weights,
        Self::Pieces,
        Self::Linear,
        Self::Matrices,
        Self::Bind,
    ];

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Usual => "as usual",
            Self::Weights => "weights",
            Self::Pieces => "rigid pieces",
            Self::Linear => "linear skinning",
            Self::Matrices => "blended matrices",
            Self::Bind => "bind pose",
        }
    }

    /// What is to be seen there, in a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Usual => "The skin by dual quaternions, or as its file blends it",
            Self::Weights => {
                "How much the chosen joint moves each spot: blue not at all, red alone"
            }
            Self::Pieces => {
                "Every triangle on the joint that moves it most: cracks open at the joints"
            }
            Self::Linear => {
                "Matrices of a vertex's joints averaged: volume is lost where a joint twists"
            }
            Self::Matrices => {
                "Poses a few frames apart, their matrices blended number by number: limbs shrink"
            }
            Self::Bind => "The pose in which skin and joints were bound to each other",
        }
    }
}

/// The moment between two keys of a clip.
struct Keyed {
    /// The poses of both keys.
    keys: [WorldPose; 2],
    /// Way from the first to the second, 0 to 1.
    share: f32,
    /// Blended as rotations and positions in their parents.
    pose: WorldPose,
}

impl Scene {
    /// Adds a character's skin as it is to be seen; false where that is as usual.
    pub(super) fn push_seen(&self, character: &Character, frame: &mut FrameData) -> bool {
        let display = &self.options.display;
        if !display.skin {
            return false;
        }
        let tint = |body: &Body| Instance {
            tint: colour_of(body, display.material.colour),
            ..Instance::default()
        };
        let (body, pose) = (&character.body, character.world_pose());
        match display.skin_view {
            SkinView::Usual | SkinView::Weights => return false,
            SkinView::Pieces => frame.push_character(body.in_pieces(), pose, tint(body), None),
            SkinView::Linear => frame.push_character(on_slots(body), pose, tint(body), None),
            SkinView::Matrices => {
                let Some(keyed) = character.keyed(display.matrix_keys) else {
                    return false;
                };
                let slots = keyed.slots(on_slots(body));
                frame.push_slots(on_slots(body), &keyed.pose, &slots, tint(body));
            }
            SkinView::Bind => {
                let (bound, slots) = character.bound();
                frame.push_slots(on_slots(body), &bound, &slots, tint(body));
            }
        }
        true
    }

    /// The lead as usual, beside the way it is seen, both by name.
    pub(super) fn push_beside(&self, lead: &Character, frame: &mut FrameData) {
        let display = &self.options.display;
        let Some(offset) = self.offset_beside() else {
            return;
        };
        let keyed = match display.skin_view {
            SkinView::Matrices => lead.keyed(display.matrix_keys),
            _ => None,
        };
        let (pose, word) = match &keyed {
            Some(keyed) => (&keyed.pose, "blended rotations"),
            None => (lead.world_pose(), SkinView::Usual.word()),
        };
        let pose = pose.shifted(offset);
        frame.push_character(&lead.body, &pose, Instance::default(), None);
        for (at, text) in [(Vec3::ZERO, display.skin_view.word()), (offset, word)] {
            frame.labels.push(Label {
                at: lead.footing() + at + Vec3::Y * 0.04,
                text: text.to_owned(),
            });
        }
    }

    /// Where the lead stands once more, as usual, from where it stands; `None`
    /// where it does not.
    #[must_use]
    pub fn offset_beside(&self) -> Option<Vec3> {
        let display = &self.options.display;
        let shown = display.skin_beside && display.skin_view != SkinView::Usual;
        shown.then(|| self.lead().map(|lead| self.beside(lead)))?
    }

    /// To the right as the camera looks, an arm's span away.
    fn beside(&self, lead: &Character) -> Vec3 {
        let (sine, cosine) = self.camera.camera.azimuth_rad.sin_cos();
        // A camera at azimuth 0 stands on +Z and has +X on its right.
        let right = Vec3::new(cosine, 0.0, -sine);
        right * 0.75 * lead.skeleton.rest_height_m().max(0.1)
    }

    /// How much the chosen joint moves the skin around each joint's vertices.
    pub(super) fn weights_shown(&self, character: &Character) -> Option<(Vec<f32>, String)> {
        if self.options.display.skin_view != SkinView::Weights {
            return None;
        }
        let chosen = self.options.weights_of.or(self.options.selected);
        let joint = chosen.unwrap_or(character.carrier());
        let name = &character.skeleton.joints().get(usize::from(joint))?.name;
        let mut weights = vec![0.0; character.skeleton.len()];
        weights[usize::from(joint)] = 1.0;
        Some((weights, name.clone()))
    }
}

fn on_slots(body: &Arc<Body>) -> &Arc<Body> {
    body.on_slots().unwrap_or(body)
}

/// A grown body on slots is white; meshes are drawn at 0.65 of their colour.
fn colour_of(body: &Body, skin: [f32; 3]) -> [f32; 3] {
    match body.model() {
        Some(_) => [1.0; 3],
        None => skin.map(|it| it / 0.65),
    }
}

impl Keyed {
    fn slots(&self, body: &Body) -> Vec<Affine3A> {
        let Some(model) = body.model() else {
            return Vec::new();
        };
        let [from, to] = &self.keys;
        let pairs = model.palette(from).zip(model.palette(to));
        pairs
            .map(|(from, to)| blended(from, to, self.share))
            .collect()
    }
}

/// Number by number, as nobody should.
fn blended(from: Affine3A, to: Affine3A, share: f32) -> Affine3A {
    Affine3A {
        matrix3: from.matrix3 * (1.0 - share) + to.matrix3 * share,
        translation: from.translation.lerp(to.translation, share),
    }
}

impl Character {
    /// The present moment, between keys every few frames of its clip.
    fn keyed(&self, every: u32) -> Option<Keyed> {
        let clip = self.clip()?;
        let (fps, last) = (clip.fps(), clip.duration_secs());
        let step = f64::from(every.max(1)) / fps;
        // The last key is the clip's end, however far the one before lies.
        let from = (self.played_secs() / step).floor() * step;
        let to = (from + step).min(last);
        let share = match to > from {
            true => ((self.played_secs() - from) / (to - from)).clamp(0.0, 1.0) as f32,
            false => 0.0,
        };
        let [first, second] = [from, to].map(|secs| self.sampled(clip, secs));
        let mut between = first.clone();
        between.mix(&second, share);
        let placed = |local| {
            let mut model = ModelPose::default();
            model.compute(&self.skeleton, local);
            let mut world = WorldPose::default();
            world.place(self.placed, &model);
            world
        };
        Some(Keyed {
            keys: [placed(&first), placed(&second)],
            share,
            pose: placed(&between),
        })
    }

    /// The bind pose, standing where the character stands, and its slots.
    fn bound(&self) -> (WorldPose, Vec<Affine3A>) {
        let binds = self.body.joint_from_bind().iter();
        let binds: Vec<Transform> = binds.map(|it| it.inverse()).collect();
        let hips = binds[usize::from(self.carrier())].translation;
        let at = self.footing();
        let lift = match self.body.model() {
            Some(_) => 0.0,
            None => {
                let heights = self.body.vertices().iter().map(|it| it.position[1]);
                -heights.fold(f32::MAX, f32::min)
            }
        };
        let lift = if lift.is_finite() { lift } else { 0.0 };
        let placed =
            Transform::from_translation(Vec3::new(at.x - hips.x, at.y + lift, at.z - hips.z));
        let mut model = self.skeleton.rest_model();
        let rest = model.clone();
        model.joints_mut().copy_from_slice(&binds);
        let mut world = WorldPose::default();
        world.place(placed, &model);
        (world, bound_slots(&self.body, &rest, placed))
    }
}

/// One matrix for all slots of a part: the one that its first has at rest.
fn bound_slots(body: &Body, rest: &ModelPose, placed: Transform) -> Vec<Affine3A> {
    let placed = Affine3A::from_rotation_translation(placed.rotation, placed.position());
    let Some(model) = body.model() else {
        // A grown mesh is made in model space.
        return vec![placed; body.joint_from_bind().len()];
    };
    let mut slots: Vec<Affine3A> = model.palette(rest).collect();
    for part in &model.parts {
        let first = slots[part.first_slot];
        slots[part.first_slot..part.first_slot + part.slots].fill(first);
    }
    slots.iter().map(|&it| placed * it).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clip::RawClip, skeleton::testing::cmu_like};
    use glam::Quat;

    /// Two frames: at rest, and every joint of the arms turned by a right angle.
    fn bending() -> Scene {
        let skeleton = Arc::new(cmu_like());
        let body = Arc::new(Body::grow(&skeleton));
        let animated: Vec<u16> = (0..skeleton.len() as u16).collect();
        let turned = skeleton.joints().iter().map(|joint| {
            let angle = if joint.name.contains("humerus") {
                1.6
            } else {
                0.0
            };
            Quat::from_rotation_z(angle)
        });
        let rest = skeleton.rest().joints().iter().map(|it| it.rotation);
        let rotations: Vec<Quat> = rest
            .clone()
            .chain(rest.zip(turned).map(|(a, b)| a * b))
            .collect();
        let clip = RawClip {
            fps: 1.0,
            joints: skeleton.len(),
            animated,
            rotations,
            root_translations: vec![Vec3::Y; 2],
            ..RawClip::default()
        };
        let mut scene = Scene::of(Character::playing("bends", skeleton, body, Arc::new(clip)));
        scene.clock.playing = false;
        scene.clock.seek(0.5);
        scene.step(0.0);
        scene
    }

    fn composed(scene: &Scene) -> FrameData {
        let mut frame = FrameData::default();
        scene.compose(&mut frame);
        assert_eq!(frame.left_out, 0);
        frame
    }

    fn slots(frame: &FrameData) -> &[Affine3A] {
        &frame.batches()[0].slots
    }

    #[test]
    fn what_lies_between_frames_is_chosen() {
        let mut scene = bending();
        let turned = |scene: &mut Scene, by| {
            scene.options.display.between_frames = by;
            scene.clock.seek(0.4);
            scene.step(0.0);
            let joint = scene.lead().unwrap().skeleton.find("lhumerus").unwrap();
            scene.lead().unwrap().local_pose().joints()[usize::from(joint)].rotation
        };
        let own = turned(&mut scene, None);
        let nearest = turned(&mut scene, Some(crate::clip::Interpolation::Nearest));
        assert!(own.angle_between(nearest) > 0.5);
        assert_eq!(turned(&mut scene, None), own);
    }

    #[test]
    fn weights_are_one_at_the_chosen_joint_and_have_a_key() {
        let mut scene = bending();
        scene.options.display.skin_view = SkinView::Weights;
        let joint = scene.lead().unwrap().skeleton.find("lhumerus").unwrap();
        scene.options.selected = Some(joint);
        let frame = composed(&scene);
        let errors = &frame.batches()[0].errors;
        let ones = (0..errors.len()).filter(|&it| errors[it] == 1.0);
        assert_eq!(ones.collect::<Vec<_>>(), [usize::from(joint)]);
        assert_eq!(frame.legend.unwrap().title, "weight of lhumerus");
    }

    #[test]
    fn pieces_are_rigid_and_the_bind_pose_is_one_matrix_for_all() {
        let mut scene = bending();
        scene.options.display.skin_view = SkinView::Pieces;
        let frame = composed(&scene);
        let model = frame.batches()[0].body.model().unwrap();
        let primitive = &model.primitives[0];
        assert!(
            primitive
                .vertices
                .iter()
                .all(|it| it.weights[0] == u16::MAX)
        );
        let grown = scene.lead().unwrap().body.vertices().len();
        assert!(primitive.vertices.len() > grown, "cracks have two sides");
        let drawn_too = frame.batches()[0].body.indices().len();
        assert_eq!(drawn_too, 0, "the skin as usual shows through");
        scene.options.display.skin_view = SkinView::Bind;
        let frame = composed(&scene);
        let first = slots(&frame)[0];
        assert!(slots(&frame).iter().all(|it| *it == first));
        assert_close!(first.matrix3.determinant(), 1.0, 1e-5);
    }

    /// Half-way through a turn by θ the mean of two rotations shrinks what is
    /// across its axis by cos(θ/2); blended as rotations nothing shrinks.
    #[test]
    fn blended_matrices_shrink_as_the_closed_form_says() {
        let mut scene = bending();
        let display = &mut scene.options.display;
        (display.skin_view, display.skin_beside, display.matrix_keys) =
            (SkinView::Matrices, true, 1);
        let frame = composed(&scene);
        let joint = scene.lead().unwrap().skeleton.find("lhumerus").unwrap();
        let turned = slots(&frame)[usize::from(joint)].matrix3;
        let shrunk = 0.8f32.cos();
        // The turn is about one axis: two directions shrink.
        assert_close!(turned.determinant(), shrunk * shrunk, 1e-4);
        let still = slots(&frame)[0].matrix3;
        assert_close!(still.determinant(), 1.0, 1e-5);
        let beside = &frame.batches()[1];
        assert_eq!(beside.instances.len(), 1);
        assert_eq!(frame.labels.len(), 2);
        let length = |it: &[f32; 4]| it.iter().map(|it| it * it).sum::<f32>();
        assert!(
            beside
                .palettes
                .iter()
                .all(|it| (length(&it.rotation) - 1.0).abs() < 1e-4)
        );
    }
}
