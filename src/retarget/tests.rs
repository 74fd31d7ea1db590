//! Properties of retargeting on the performer and on bodies made from it.

use glam::{Quat, Vec3, Vec3A};

use super::*;
use crate::testing::Random;
use crate::{
    clip::{FootContacts, RawClip},
    humanoid::{Human, Limb, Role},
    import::{self, ImportedSkeleton, MotionOptions, SkeletonOptions, builtin},
    mocap::asf,
    skeleton::{
        Joint, LocalPose, ModelPose, Skeleton,
        testing::{a_posed, rebuilt, with_other_axes},
    },
};

fn performer() -> ImportedSkeleton {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes()).unwrap();
    import::skeleton(file, "performer", &document, SkeletonOptions::default()).unwrap()
}

fn performance(name: &str) -> (Skeleton, RawClip) {
    let imported = performer();
    let text = builtin::clip(name).unwrap();
    let options = MotionOptions::default();
    let motion = import::motion(name, name, text.as_bytes(), &imported, options).unwrap();
    (imported.skeleton, motion.clip)
}

/// Model positions of joints and bone ends, every `step`-th frame.
fn positions(skeleton: &Skeleton, clip: &RawClip, step: usize) -> Vec<Vec<Vec3A>> {
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    let frames = (0..clip.frames()).step_by(step);
    frames
        .map(|frame| {
            clip.frame_pose(skeleton, frame, &mut local);
            model.compute(skeleton, &local);
            let ends = (0..skeleton.len()).map(|joint| model.bone_end(skeleton, joint));
            let joints = model.joints().iter().map(|joint| joint.translation);
            joints.chain(ends).collect()
        })
        .collect()
}

fn largest_gap(a: &[Vec<Vec3A>], b: &[Vec<Vec3A>]) -> f32 {
    assert_eq!(a.len(), b.len());
    let frames = a.iter().zip(b);
    let gaps = frames.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (*a - *b).length()));
    gaps.fold(0.0, f32::max)
}

/// A turn of at most so much about any axis.
fn any_rotation(random: &mut Random, most_rad: f32) -> Quat {
    let axis = Vec3::new(random.signed(), random.signed(), random.signed());
    Quat::from_axis_angle(axis.normalize_or(Vec3::X), random.signed() * most_rad)
}

/// The same bones standing otherwise.
fn reposed(skeleton: &Skeleton, most_rad: f32, seed: u64) -> Skeleton {
    let mut random = Random::new(seed);
    rebuilt(skeleton, |_, joint| {
        joint.rest.rotation =
            (joint.rest.rotation * any_rotation(&mut random, most_rad)).normalize();
    })
}

/// Bones longer or shorter: the factor of each by name.
fn reshaped(skeleton: &Skeleton, factor: impl Fn(&str) -> f32) -> Skeleton {
    let names: Vec<String> = skeleton.joints().iter().map(|j| j.name.clone()).collect();
    rebuilt(skeleton, |index, joint| {
        if let Some(parent) = names.get(usize::from(joint.parent)) {
            joint.rest.translation *= factor(parent);
        }
        joint.tip *= factor(&names[index]);
    })
}

fn onto(source: &Skeleton, clip: &RawClip, target: &Skeleton, mirror: bool) -> RawClip {
    let map = JointMap {
        mirror,
        ..JointMap::between(source, target)
    };
    let retargeted = retarget(source, clip, target, &map).unwrap();
    retargeted.validate().unwrap();
    retargeted
}

#[test]
fn onto_the_same_skeleton_nothing_changes() {
    for name in ["forward", "run", "jump", "attack"] {
        let (skeleton, clip) = performance(name);
        let retargeted = onto(&skeleton, &clip, &skeleton, false);
        let gap = largest_gap(
            &positions(&skeleton, &clip, 1),
            &positions(&skeleton, &retargeted, 1),
        );
        assert!(gap < 1e-4, "{name}: {gap} m");
    }
}

#[test]
fn any_rest_pose_of_the_target_gives_the_same_motion() {
    let (skeleton, clip) = performance("forward");
    let wanted = positions(&skeleton, &clip, 7);
    for seed in 0..40 {
        let other = reposed(&skeleton, 1.2, seed);
        let retargeted = onto(&skeleton, &clip, &other, false);
        let gap = largest_gap(&wanted, &positions(&other, &retargeted, 7));
        assert!(gap < 2e-4, "seed {seed}: {gap} m");
    }
}

#[test]
fn any_axes_of_the_target_give_the_same_motion() {
    let (skeleton, clip) = performance("attack");
    let short = reshaped(&skeleton, |_| 0.8);
    let wanted = onto(&skeleton, &clip, &short, false);
    let wanted = positions(&short, &wanted, 7);
    for seed in 100..120 {
        let mut random = Random::new(seed);
        let rotations: Vec<Quat> = (0..short.len())
            .map(|_| any_rotation(&mut random, 3.0))
            .collect();
        let other = with_other_axes(&short, &rotations);
        let retargeted = onto(&skeleton, &clip, &other, false);
        let gap = largest_gap(&wanted, &positions(&other, &retargeted, 7));
        assert!(gap < 2e-4, "seed {seed}: {gap} m");
    }
}

#[test]
fn limbs_point_where_the_sources_do_from_an_a_pose_and_another_build() {
    let (skeleton, clip) = performance("wave");
    let other = a_posed(&reshaped(&skeleton, |name| match name {
        "lhumerus" | "rhumerus" => 1.2,
        "thorax" | "lowerback" => 0.8,
        _ => 1.0,
    }));
    let retargeted = onto(&skeleton, &clip, &other, false);
    let (from, to) = (
        positions(&skeleton, &clip, 5),
        positions(&other, &retargeted, 5),
    );
    for (a, b) in [
        ("lhumerus", "lradius"),
        ("rradius", "rhand"),
        ("rfemur", "rtibia"),
    ] {
        let [a, b] = [a, b].map(|name| usize::from(skeleton.find(name).unwrap()));
        for (from, to) in from.iter().zip(&to) {
            let along = |p: &Vec<Vec3A>| (p[b] - p[a]).normalize();
            let agree = along(from).dot(along(to));
            assert!(agree > 0.999, "{agree}");
        }
    }
}

#[test]
fn a_joint_turned_in_the_retarget_pose_is_turned_in_every_frame() {
    let (source, clip) = performance("idle");
    let target = a_posed(&source);
    let mut map = JointMap::between(&source, &target);
    let plain = retarget(&source, &clip, &target, &map).unwrap();
    map.turn_pose("lhumerus", [0.0, 0.0, 20.0]);
    let turned = retarget(&source, &clip, &target, &map).unwrap();
    let human = Human::find(&target);
    let [upper, fore] = [Limb::UpperArm, Limb::Forearm]
        .map(|limb| usize::from(human.first(Role::Left(limb)).unwrap()));
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for frame in (0..clip.frames()).step_by(7) {
        let mut arm = |clip: &RawClip| {
            clip.frame_pose(&target, frame, &mut local);
            model.compute(&target, &local);
            let at = |joint: usize| model.joints()[joint].translation;
            at(fore) - at(upper)
        };
        let apart = arm(&plain).angle_between(arm(&turned)).to_degrees();
        // Less than 20° where the arm does not lie across the axis.
        assert!((2.0..=20.5).contains(&apart), "frame {frame}: {apart}");
    }
    let still = retarget_pose(&source, &target, &map).unwrap();
    let before = retarget_pose(&source, &target, &JointMap::between(&source, &target)).unwrap();
    let apart = still.joints()[upper]
        .rotation
        .angle_between(before.joints()[upper].rotation);
    assert_close!(apart.to_degrees(), 20.0, 0.1);
    map.turn_pose("lhumerus", [0.0; 3]);
    assert_eq!(retarget(&source, &clip, &target, &map).unwrap(), plain);
}

#[test]
fn hips_go_as_far_as_the_legs_are_long() {
    let (skeleton, clip) = performance("forward");
    for factor in [0.5, 0.8, 1.25, 2.0] {
        let other = reshaped(&skeleton, |_| factor);
        let retargeted = onto(&skeleton, &clip, &other, false);
        let distance = |clip: &RawClip| {
            let last = clip.root_translations[clip.frames() - 1];
            (last - clip.root_translations[0]).with_y(0.0).length()
        };
        let ratio = distance(&retargeted) / distance(&clip);
        assert_close!(ratio, factor, 1e-3, "{factor}");
    }
}

/// Largest way of the ball of a foot over the ground in a stance, metres, and
/// the most a knee is behind its leg's line.
fn slide_and_knee(
    skeleton: &Skeleton,
    clip: &RawClip,
    source_stances: &[FootContacts],
) -> (f32, f32) {
    let legs = Human::find(skeleton).legs();
    let (mut slide, mut back) = (0.0f32, 0.0f32);
    let all = positions(skeleton, clip, 1);
    for (leg, contact) in legs.iter().zip(source_stances) {
        for run in contact.stances() {
            let at = |frame: usize| all[frame][usize::from(leg.ball)].with_y(0.0);
            for frame in run.clone() {
                slide = slide.max((at(frame) - at(run.start)).length());
            }
        }
        for frame in &all {
            let [hip, knee, ankle] =
                [leg.hip, leg.knee, leg.ankle].map(|joint| frame[usize::from(joint)]);
            let line = (ankle - hip).normalize();
            let bend = (knee - hip) - line * line.dot(knee - hip);
            back = back.max(-bend.z); // walks along +Z
        }
    }
    (slide, back)
}

#[test]
fn standing_feet_stay_on_bodies_of_other_proportions() {
    let (skeleton, clip) = performance("forward");
    let legs = Human::find(&skeleton).legs();
    let (stances, _) = FootContacts::find(&skeleton, &clip, &legs, false);
    type Stretch = fn(&str) -> f32;
    let bodies: [(&str, Stretch); 4] = [
        ("long thighs", |name| {
            if name.ends_with("femur") { 1.3 } else { 1.0 }
        }),
        ("long shins", |name| {
            if name.ends_with("tibia") { 1.3 } else { 1.0 }
        }),
        ("wide hips", |name| {
            if name.ends_with("hipjoint") { 2.0 } else { 1.0 }
        }),
        ("short legs", |name| match name {
            "lfemur" | "rfemur" => 0.6,
            "ltibia" | "rtibia" => 0.5,
            _ => 1.0,
        }),
    ];
    for (what, factor) in bodies {
        let other = reshaped(&skeleton, factor);
        let retargeted = onto(&skeleton, &clip, &other, false);
        let (slide, back) = slide_and_knee(&other, &retargeted, &stances);
        println!("{what}: slide {slide}, knee back {back}");
        assert!(slide < 0.03, "{what}: slides {slide} m");
        assert!(back < 0.005, "{what}: a knee is {back} m behind its leg");
    }
}

#[test]
fn mirrored_twice_is_as_before_and_once_is_not() {
    let (skeleton, clip) = performance("attack");
    let once = onto(&skeleton, &clip, &skeleton, true);
    let twice = onto(&skeleton, &once, &skeleton, true);
    let [before, once, twice] = [&clip, &once, &twice].map(|clip| positions(&skeleton, clip, 3));
    let gap = largest_gap(&before, &twice);
    assert!(gap < 1e-4, "{gap} m");
    let hand = |name: &str| usize::from(skeleton.find(name).unwrap());
    let (left, right) = (hand("lhand"), hand("rhand"));
    for (before, once) in before.iter().zip(&once) {
        let reflected = before[right] * Vec3A::new(-1.0, 1.0, 1.0);
        assert_close!(once[left], reflected, 1e-3);
    }
}

#[test]
fn gaps_are_reported() {
    let skeleton = performer().skeleton;
    let mut joints = skeleton.joints().to_vec();
    for name in ["ltoes", "rtoes", "lthumb", "rthumb", "lfingers", "rfingers"] {
        let index = joints.iter().position(|joint| joint.name == name).unwrap();
        joints.remove(index);
        for joint in &mut joints {
            if joint.parent != crate::skeleton::NO_PARENT && usize::from(joint.parent) > index {
                joint.parent -= 1;
            }
        }
    }
    let bare = Skeleton::new("bare", joints).unwrap();
    let map = JointMap::between(&skeleton, &bare);
    let gaps: Vec<String> = map.gaps().iter().map(ToString::to_string).collect();
    assert!(
        gaps.contains(&"left toes: the target has none".to_owned()),
        "{gaps:?}"
    );
    assert_eq!(gaps.len(), 6, "{gaps:?}");
    let back = JointMap::between(&bare, &skeleton).gaps();
    assert!(back.iter().all(|gap| gap.lacking == Lacking::Source));
    // The motion goes over all the same.
    let (_, clip) = performance("forward");
    let retargeted = retarget(&skeleton, &clip, &bare, &map).unwrap();
    assert_eq!(retargeted.frames(), clip.frames());
}

#[test]
fn no_hips_is_an_error_that_says_so() {
    let (skeleton, clip) = performance("idle");
    let lone = Joint {
        parent: crate::skeleton::NO_PARENT,
        name: "stick".into(),
        ..skeleton.joints()[0].clone()
    };
    let stick = Skeleton::new("stick", vec![lone]).unwrap();
    let map = JointMap::between(&skeleton, &stick);
    let error = retarget(&skeleton, &clip, &stick, &map).unwrap_err();
    assert!(error.to_string().contains("target \"stick\""), "{error}");
    let error = retarget(&stick, &clip, &skeleton, &map).unwrap_err();
    assert!(
        matches!(error, RetargetError::OtherSkeleton { .. }),
        "{error}"
    );
}

#[test]
fn spines_of_other_lengths_share_the_rotation() {
    let (skeleton, clip) = performance("run");
    // Without its middle vertebra.
    let index = usize::from(skeleton.find("upperback").unwrap());
    let gone = skeleton.joints()[index].clone();
    let mut joints = skeleton.joints().to_vec();
    joints.remove(index);
    for joint in &mut joints {
        if usize::from(joint.parent) == index && joint.parent != crate::skeleton::NO_PARENT {
            joint.parent = gone.parent;
            joint.rest = gone.rest * joint.rest;
        } else if joint.parent != crate::skeleton::NO_PARENT && usize::from(joint.parent) > index {
            joint.parent -= 1;
        }
    }
    let short = Skeleton::new("short", joints).unwrap();
    let retargeted = onto(&skeleton, &clip, &short, false);
    let rotations = |skeleton: &Skeleton, clip: &RawClip, name: &str| {
        let joint = usize::from(skeleton.find(name).unwrap());
        let rest = skeleton.rest_model().joints()[joint].rotation;
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let frames = (0..clip.frames()).step_by(20);
        frames
            .map(|frame| {
                clip.frame_pose(skeleton, frame, &mut local);
                model.compute(skeleton, &local);
                model.joints()[joint].rotation * rest.conjugate()
            })
            .collect::<Vec<Quat>>()
    };
    let wanted = rotations(&skeleton, &clip, "thorax");
    let found = rotations(&short, &retargeted, "thorax");
    for (a, b) in wanted.into_iter().zip(found) {
        let off = crate::math::quat::angle_between(a, b);
        assert!(off < 1e-3, "{off} rad");
    }
}

mod map_text {
    use super::*;

    #[test]
    fn a_map_comes_back_as_it_was_written() {
        let skeleton = performer().skeleton;
        let map = JointMap {
            mirror: true,
            ..JointMap::between(&skeleton, &skeleton)
        };
        assert!(map.links.len() > 20 && !map.others.is_empty());
        assert_eq!(JointMap::parse(&map.to_ron()).unwrap(), map);
        let mut turned = map.clone();
        turned.turn_pose("lhumerus", [1.5, -20.0, 0.25]);
        assert_eq!(JointMap::parse(&turned.to_ron()).unwrap(), turned);
        let wild = turned.to_ron().replace("-20.0", "-2000.0");
        let error = JointMap::parse(&wild).unwrap_err();
        assert_eq!(error.field, "pose[0].turn_deg");
        let strange = turned
            .to_ron()
            .replace("joint: \"lhumerus\"", "joint: \"nobody\"");
        let strange_map = JointMap::parse(&strange).unwrap();
        let error = strange_map
            .check(&strange, &skeleton, &skeleton)
            .unwrap_err();
        assert_eq!(error.field, "pose[0].joint");
        let named = map.to_ron().replacen("\n(\n", "\nMap(\n", 1);
        assert_eq!(JointMap::parse(&named).unwrap(), map);
    }

    fn error_of(from: &str, to: &str) -> crate::ron_text::RonError {
        let skeleton = performer().skeleton;
        let text = JointMap::between(&skeleton, &skeleton).to_ron();
        assert!(text.contains(from), "{from} is not in {text}");
        let text = text.replacen(from, to, 1);
        let map = match JointMap::parse(&text) {
            Ok(map) => map,
            Err(error) => return error,
        };
        map.check(&text, &skeleton, &skeleton).unwrap_err()
    }

    #[test]
    fn errors_name_line_and_field() {
        let error = error_of("role: Spine", "role: Tail");
        assert_eq!((error.line, error.field.as_str()), (9, "role"), "{error}");
        let error = error_of("from: [\"root\"]", "from: [\"rooot\"]");
        assert_eq!(
            (error.line, error.field.as_str()),
            (8, "links[0].from[0]"),
            "{error}"
        );
        assert!(error.message.contains("source"), "{error}");
        let error = error_of("to: [\"head\"]", "to: [\"haed\"]");
        assert_eq!(error.field, "links[3].to[0]", "{error}");
        assert!(error.message.contains("target"), "{error}");
        let error = error_of("role: Head", "role: Hips");
        assert_eq!(
            (error.line, error.field.as_str()),
            (11, "links[3].role"),
            "{error}"
        );
        let error = error_of("to: [\"head\"]", "to: [\"root\"]");
        assert!(error.message.contains("twice"), "{error}");
        let error = error_of("mirror: false", "mirror: perhaps");
        assert_eq!((error.line, error.field.as_str()), (6, "mirror"), "{error}");
        let error = error_of("from: [\"root\"]", "form: [\"root\"]");
        assert_eq!((error.line, error.field.as_str()), (8, "form"), "{error}");
        assert!(JointMap::parse("").is_err());
    }

    #[test]
    fn a_joint_set_by_hand_leaves_its_old_part() {
        let skeleton = performer().skeleton;
        let mut map = JointMap::between(&skeleton, &skeleton);
        map.set(Role::Head, None, Some(vec!["upperneck".into()]));
        assert_eq!(map.link(Role::Head).unwrap().to, ["upperneck"]);
        let neck = map.link(Role::Neck).unwrap();
        assert_eq!(neck.to, ["lowerneck"]);
        map.set(Role::Left(Limb::Toes), Some(vec![]), Some(vec![]));
        assert!(map.link(Role::Left(Limb::Toes)).is_none());
        let text = map.to_ron();
        map.check(&text, &skeleton, &skeleton).unwrap();
    }
}
