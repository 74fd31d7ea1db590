//! AMC: the values of every bone, frame after frame.

use glam::{DQuat, DVec3};

use super::{
    super::{Aligned, ExportSource, aligned::RootRotation, text::push_number},
    Names,
    plan::{JointAngles, Plan, ROTATIONS},
};
use crate::{math::Dof, skeleton::LocalPose};

/// The rate that needs no word: what readers assume.
const USUAL_FPS: f64 = 120.0;

/// An AMC file.
#[derive(Clone, Debug, PartialEq)]
pub struct AcclaimMotion {
    /// All of it.
    pub text: String,
    /// The motion moves bones in ways that only the skeleton written by
    /// [`asf`](super::asf) allows for, not the one it was read with.
    pub needs_own_skeleton: bool,
}

/// One bone of a frame.
struct Bone<'a> {
    joint: usize,
    dofs: Vec<Dof>,
    angles: JointAngles,
    /// Axes of its translations, in the parent's space.
    axes: DQuat,
    /// Metres; motion moves the root from there.
    rest: DVec3,
    name: String,
    translations: Option<&'a [glam::Vec3]>,
    stretches: Option<&'a [f32]>,
}

/// Writes a clip. Bones that turn about axes the skeleton does not give them
/// make it a motion in which all bones carry three angles.
#[must_use]
pub fn amc(source: ExportSource<'_>) -> AcclaimMotion {
    let plan = Plan::new(source);
    // Where bones move besides, three angles are not enough and the skeleton is
    // written anew with all it needs.
    let force_3dof = plan.rotates_more && !plan.moves_more;
    let aligned = Aligned::new(source.skeleton, RootRotation::Kept);
    let mut bones = bones(source, &plan, &aligned, force_3dof);

    let mut text = format!("#!OML:ASF {}.asf\n", source.skeleton.name());
    text.push_str(":FULLY-SPECIFIED\n");
    if force_3dof {
        text.push_str(":FORCE-ALL-JOINTS-BE-3DOF\n");
    }
    if source.clip.fps != USUAL_FPS {
        text.push_str(&format!(":SAMPLES-PER-SECOND {}\n", source.clip.fps));
    }
    text.push_str(":DEGREES\n");
    let mut pose = LocalPose::default();
    for frame in 0..source.clip.frames() {
        source.clip.frame_pose(source.skeleton, frame, &mut pose);
        text.push_str(&format!("{}\n", frame + 1));
        for bone in &mut bones {
            let (rotation, _) = aligned.local(bone.joint, pose.joints()[bone.joint]);
            push_line(source, frame, bone, rotation, &mut text);
        }
    }
    AcclaimMotion {
        text,
        needs_own_skeleton: plan.moves_more,
    }
}

fn bones<'a>(
    source: ExportSource<'a>,
    plan: &Plan,
    aligned: &Aligned<'_>,
    force_3dof: bool,
) -> Vec<Bone<'a>> {
    let names = Names::new(source.skeleton);
    let clip = source.clip;
    let bone = |(joint, name): (usize, String)| {
        let dofs = match force_3dof && joint != 0 {
            true => ROTATIONS.to_vec(),
            false => plan.dofs[joint].clone(),
        };
        let (axes, rotation_axes) = match joint {
            0 => (DQuat::IDENTITY, DQuat::IDENTITY),
            joint => {
                let axes = source.skeleton.joints()[joint].axes.as_dquat();
                (axes.normalize(), aligned.axes(joint))
            }
        };
        let mut translations = clip.translations.iter();
        let mut stretches = clip.stretches.iter();
        Bone {
            joint,
            angles: JointAngles::new(&dofs, rotation_axes),
            dofs,
            axes,
            rest: aligned.offset(joint),
            name,
            translations: translations
                .find(|track| usize::from(track.joint) == joint)
                .map(|track| track.values.as_slice()),
            stretches: stretches
                .find(|track| usize::from(track.joint) == joint)
                .map(|track| track.values.as_slice()),
        }
    };
    let all = names.joints.into_iter().enumerate().map(bone);
    all.filter(|bone| !bone.dofs.is_empty()).collect()
}

fn push_line(
    source: ExportSource<'_>,
    frame: usize,
    bone: &mut Bone<'_>,
    mut rotation: DQuat,
    text: &mut String,
) {
    let mut moved_m = bone
        .translations
        .map_or(DVec3::ZERO, |values| values[frame].as_dvec3());
    if bone.joint == 0 {
        // The preset position and orientation are in the skeleton.
        let rest = source.skeleton.joints()[0].rest.rotation;
        rotation *= rest.as_dquat().normalize().inverse();
        moved_m += source.clip.root_translations[frame].as_dvec3() - bone.rest;
    }
    let stretch_m = bone
        .stretches
        .map_or(0.0, |values| f64::from(values[frame]));
    let units_per_metre = 1.0 / source.length.metres_per_unit();
    let angles_rad = bone.angles.next(rotation);
    // Translations, too, are along the bone's own axes.
    let moved = bone.axes.inverse() * moved_m * units_per_metre;
    text.push_str(&bone.name);
    for dof in &bone.dofs {
        text.push(' ');
        let value = match dof {
            Dof::Rotate(axis) => angles_rad[axis.index()].to_degrees(),
            Dof::Translate(axis) => moved[axis.index()],
            Dof::Length => stretch_m * units_per_metre,
        };
        push_number(text, value);
    }
    text.push('\n');
}
