//! A glTF document becomes a skeleton, a [`CharacterMesh`] and clips.
//!
//! Nodes that skins, animations or meshes need become joints; still nodes above
//! them are folded in ([`joint_tree`]). Our poses are rigid: even scales that never
//! change go into translations and inverse binds, and only joints whose scale
//! changes or is uneven get a scale of their own in the pose. Lengths are
//! metres, as the format says, unless the user says otherwise. Cameras, and empty
//! nodes that nothing moves, become landmarks of the skeleton ([`landmarks`]).

mod channels;
mod clips;
mod joint_tree;
mod landmarks;
mod local;
mod look;
mod mesh;
mod nodes;
mod parts;
mod tips;

use super::{
    amc::{ImportedMotion, MotionOptions},
    asf::{ImportedSkeleton, SkeletonOptions},
};
use crate::{
    clip::{EventTrack, TrackClip},
    mesh::CharacterMesh,
    mocap::{
        Note, Notes,
        gltf::{GltfDocument, GltfError, GltfProblem},
    },
    skeleton::Skeleton,
    units::{LengthScale, LengthUnit},
};
use joint_tree::JointTree;
use parts::BuiltModel;

/// Taller than this, in metres, a file is probably in other units.
const TALL_M: f32 = 10.0;

/// An animation of a file: as keys, and as frames for those who need them.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedClip {
    /// Even frames.
    pub motion: ImportedMotion,
    /// Keys at their own times.
    pub tracks: TrackClip,
    /// What happens in it; `None` where the file says nothing.
    pub events: Option<EventTrack>,
}

/// What a glTF file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedModel {
    /// Its joints.
    pub skeleton: ImportedSkeleton,
    /// Its meshes; `None` where it has none.
    pub model: Option<CharacterMesh>,
    /// Its animations.
    pub clips: Vec<ImportedClip>,
}

/// Imports a document. `stem` names the skeleton and clips without a name.
pub fn gltf(
    stem: &str,
    document: &GltfDocument,
    options: SkeletonOptions,
    motion_options: MotionOptions,
) -> Result<ImportedModel, GltfError> {
    let mut notes = Notes::default();
    let length = LengthScale {
        unit: options.unit.unwrap_or(LengthUnit::Metre),
        assumed: false,
        divisor: 1.0,
    };
    let animations = channels::read(document, &mut notes)?;
    // The format says Y.
    let up = options.up.unwrap_or_default();
    let tree = JointTree::new(document, &animations, length, up, &mut notes)?;
    let built = parts::model(document, &tree, &mut notes)?;
    let skeleton = skeleton(stem, document, &tree, &built)?;
    note_height(&skeleton, &built.model, options, &mut notes);
    let clips = clips::clips(
        stem,
        document,
        animations,
        (&tree, &built),
        &skeleton,
        motion_options,
    )?;
    let notes = notes.into_list();
    Ok(ImportedModel {
        clips: clips
            .into_iter()
            .map(|mut clip| {
                let own = std::mem::take(&mut clip.motion.notes);
                clip.motion.notes = notes.iter().cloned().chain(own).collect();
                clip
            })
            .collect(),
        skeleton: ImportedSkeleton {
            skeleton,
            length,
            up,
            angle: None,
            notes,
        },
        model: (!built.model.parts.is_empty()).then_some(built.model),
    })
}

fn skeleton(
    stem: &str,
    document: &GltfDocument,
    tree: &JointTree,
    built: &BuiltModel,
) -> Result<Skeleton, GltfError> {
    let of_joints = |joints| {
        let skeleton = Skeleton::new(stem, joints).map_err(|error| {
            let problem = GltfProblem::Other(error.to_string());
            document.error("nodes", problem)
        })?;
        let skeleton = skeleton.with_rest_extras(&tree.rest_scales(), &built.rest_morphs);
        Ok(skeleton.with_landmarks(landmarks::of(document, tree)))
    };
    let bare = of_joints(tree.joints())?;
    // Twice: where the skin is at rest can only be asked of a skeleton.
    of_joints(tips::joints_with_ends(&bare, &built.model))
}

/// The format counts in metres, but many files do not.
fn note_height(
    skeleton: &Skeleton,
    model: &CharacterMesh,
    options: SkeletonOptions,
    notes: &mut Notes,
) {
    if options.unit.is_some() {
        return;
    }
    let pose = skeleton.rest_model();
    let palette: Vec<_> = model.palette(&pose).collect();
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for part in &model.parts {
        let vertices = model.primitives[part.primitive].vertices.len();
        // A few points tell metres from centimetres.
        for vertex in (0..vertices).step_by(1 + vertices / 64) {
            let y = model.place(part, vertex, &palette, pose.morphs()).y;
            (low, high) = (low.min(y), high.max(y));
        }
    }
    let height = (high - low).max(skeleton.rest_height_m());
    if height > TALL_M {
        notes.add(Note::info(format!(
            "{height:.0} m tall, as glTF counts in metres; --file-unit cm reads it as centimetres"
        )));
    }
}
