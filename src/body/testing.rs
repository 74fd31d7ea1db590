//! Skeletons for tests, made in code so that no test depends on a file.

use glam::{Quat, Vec3};

use crate::{
    math::Transform,
    skeleton::{Joint, JointIndex, NO_PARENT, Skeleton},
};

/// A skeleton whose bones start at their parents' tips: name, parent, bone.
pub(crate) fn from_bones(name: &str, bones: &[(&str, &str, [f32; 3])]) -> Skeleton {
    let mut joints: Vec<Joint> = vec![Joint {
        name: "root".into(),
        parent: NO_PARENT,
        rest: Transform::IDENTITY,
        tip: Vec3::ZERO,
        axes: Quat::IDENTITY,
        dofs: Vec::new(),
    }];
    for &(name, parent, bone) in bones {
        let parent = joints
            .iter()
            .position(|joint| joint.name == parent)
            .unwrap();
        joints.push(Joint {
            name: name.into(),
            parent: parent as JointIndex,
            rest: Transform::from_translation(joints[parent].tip),
            tip: Vec3::from(bone),
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        });
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

/// The performer and its clips by name.
pub(crate) fn performer() -> (Skeleton, Vec<(&'static str, crate::clip::RawClip)>) {
    use crate::{
        import::{self, builtin},
        mocap::asf,
    };
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes()).unwrap();
    let skeleton = import::skeleton(file, "performer", document, Default::default()).unwrap();
    let clip = |&(name, text): &(&'static str, &str)| {
        let bytes = text.as_bytes();
        let motion = import::motion(name, name, bytes, &skeleton, Default::default()).unwrap();
        (name, motion.clip)
    };
    let clips = builtin::CLIPS.iter().map(clip).collect();
    (skeleton.skeleton, clips)
}
