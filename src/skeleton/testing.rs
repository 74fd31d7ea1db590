//! Skeletons for tests, made in code so that no test depends on a file.

use glam::{Quat, Vec3};

use super::{Joint, JointIndex, NO_PARENT, Skeleton};
use crate::math::Transform;

/// A skeleton whose bones start at their parents' tips: name, parent, bone.
pub(crate) fn from_bones(name: &str, bones: &[(&str, &str, [f32; 3])]) -> Skeleton {
    let mut joints: Vec<Joint> = vec![Joint::new("root", NO_PARENT, Vec3::ZERO, Vec3::ZERO)];
    for &(name, parent, bone) in bones {
        let parent = joints
            .iter()
            .position(|joint| joint.name == parent)
            .unwrap();
        joints.push(Joint::new(
            name,
            parent as JointIndex,
            joints[parent].tip,
            Vec3::from(bone),
        ));
    }
    Skeleton::new(name, joints).unwrap()
}

/// 31 joints named and placed as in CMU's captures, made symmetric.
pub(crate) fn cmu_like() -> Skeleton {
    let mut bones = vec![
        ("lowerback", "root", [0.0, 0.115, -0.011]),
        ("upperback", "lowerback", [0.0, 0.116, -0.002]),
        ("thorax", "upperback", [0.0, 0.117, 0.002]),
        ("lowerneck", "thorax", [0.0, 0.098, 0.010]),
        ("upperneck", "lowerneck", [0.0, 0.099, -0.007]),
        ("head", "upperneck", [0.0, 0.100, -0.003]),
    ];
    let left = [
        ("lhipjoint", "root", [0.090, -0.100, 0.047]),
        ("lfemur", "lhipjoint", [0.140, -0.385, 0.0]),
        ("ltibia", "lfemur", [0.145, -0.398, 0.0]),
        ("lfoot", "ltibia", [0.009, -0.025, 0.131]),
        ("ltoes", "lfoot", [0.0, 0.0, 0.068]),
        ("lclavicle", "thorax", [0.182, 0.070, -0.017]),
        ("lhumerus", "lclavicle", [0.285, 0.0, 0.0]),
        ("lradius", "lhumerus", [0.195, 0.0, 0.0]),
        ("lwrist", "lradius", [0.097, 0.0, 0.0]),
        ("lhand", "lwrist", [0.038, 0.0, 0.0]),
        ("lfingers", "lhand", [0.031, 0.0, 0.0]),
        ("lthumb", "lwrist", [0.032, 0.0, 0.032]),
    ];
    let right: Vec<(String, String, [f32; 3])> = left
        .iter()
        .map(|&(name, parent, [x, y, z])| {
            let mirror = |name: &str| match name.strip_prefix('l') {
                Some(rest) => format!("r{rest}"),
                None => name.to_owned(),
            };
            (mirror(name), mirror(parent), [-x, y, z])
        })
        .collect();
    bones.extend(left);
    bones.extend(
        right
            .iter()
            .map(|(name, parent, bone)| (name.as_str(), parent.as_str(), *bone)),
    );
    from_bones("cmu-like", &bones)
}

/// A four-legged creature with a neck, a head and a tail.
pub(crate) fn quadruped() -> Skeleton {
    let mut bones = vec![
        ("spine".to_owned(), "root".to_owned(), [0.0, 0.03, 0.30]),
        ("shoulders".into(), "spine".into(), [0.0, 0.0, 0.28]),
        ("neck".into(), "shoulders".into(), [0.0, 0.22, 0.18]),
        ("skull".into(), "neck".into(), [0.0, -0.03, 0.20]),
        ("tail1".into(), "root".into(), [0.0, 0.02, -0.22]),
        ("tail2".into(), "tail1".into(), [0.0, -0.10, -0.22]),
        ("tail3".into(), "tail2".into(), [0.0, -0.06, -0.20]),
    ];
    for (side, x) in [("l", 1.0), ("r", -1.0)] {
        for (end, top) in [("fore", "shoulders"), ("hind", "root")] {
            let name = |part: &str| format!("{side}{end}{part}");
            bones.push((name("girdle"), top.into(), [x * 0.13, -0.05, 0.0]));
            bones.push((name("upper"), name("girdle"), [x * 0.02, -0.24, 0.05]));
            bones.push((name("lower"), name("upper"), [0.0, -0.24, -0.06]));
            bones.push((name("paw"), name("lower"), [0.0, -0.03, 0.09]));
        }
    }
    let bones: Vec<_> = bones
        .iter()
        .map(|(name, parent, bone)| (name.as_str(), parent.as_str(), *bone))
        .collect();
    from_bones("quadruped", &bones)
}

/// The same joints, each changed.
pub(crate) fn rebuilt(skeleton: &Skeleton, mut change: impl FnMut(usize, &mut Joint)) -> Skeleton {
    let mut joints = skeleton.joints().to_vec();
    for (index, joint) in joints.iter_mut().enumerate() {
        change(index, joint);
    }
    Skeleton::new(skeleton.name(), joints).unwrap()
}

/// The same bones in the same places, their joints' axes turned.
pub(crate) fn with_other_axes(skeleton: &Skeleton, rotations: &[Quat]) -> Skeleton {
    rebuilt(skeleton, |index, joint| {
        let parent = rotations.get(usize::from(joint.parent));
        let parent = parent.filter(|_| usize::from(joint.parent) < index);
        let parent = parent.copied().unwrap_or(Quat::IDENTITY);
        let rest = joint.rest;
        joint.rest = Transform::new(
            (parent.conjugate() * rest.rotation * rotations[index]).normalize(),
            parent.conjugate() * rest.translation,
        );
        joint.tip = rotations[index].conjugate() * joint.tip;
    })
}

/// Arms of a CMU skeleton down, as many characters stand.
pub(crate) fn a_posed(skeleton: &Skeleton) -> Skeleton {
    let model = skeleton.rest_model();
    rebuilt(skeleton, |index, joint| {
        let side = match joint.name.as_str() {
            "lhumerus" => -0.9,
            "rhumerus" => 0.9,
            _ => return,
        };
        let parent = model.joints()[usize::from(joint.parent)].rotation;
        let turned = Quat::from_rotation_z(side) * model.joints()[index].rotation;
        joint.rest.rotation = (parent.conjugate() * turned).normalize();
    })
}
