//! The performer, pulled at.

use glam::{Quat, Vec3A};

use super::*;
use crate::{
    clip::{ClipCursor, SampleClip},
    import::{self, MotionOptions, SkeletonOptions, builtin},
    math::Transform,
    mocap::asf,
    skeleton::{Joint, JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton, WorldPose},
    testing::Random,
};

fn walking() -> (Skeleton, LocalPose, ModelPose) {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes()).unwrap();
    let options = SkeletonOptions::default();
    let imported = import::skeleton(file, "performer", &document, options).unwrap();
    let text = builtin::clip("forward").unwrap().as_bytes();
    let options = MotionOptions::default();
    let clip = import::motion("forward", "forward", text, &imported, options);
    let (skeleton, clip) = (imported.skeleton.clone(), clip.unwrap().clip);
    let mut pose = LocalPose::default();
    clip.sample(&skeleton, 0.4, &mut ClipCursor::default(), &mut pose);
    let mut model = ModelPose::default();
    model.compute(&skeleton, &pose);
    (skeleton, pose, model)
}

fn find(skeleton: &Skeleton, name: &str) -> JointIndex {
    skeleton.find(name).unwrap()
}

fn at(model: &ModelPose, joint: JointIndex) -> Vec3A {
    model.joints()[usize::from(joint)].translation
}

/// Pulls and returns how far the joint stays from the target.
fn pull(skeleton: &Skeleton, name: &str, way: Vec3A) -> (ModelPose, ModelPose, f32) {
    let (_, mut pose, before) = walking();
    let joint = find(skeleton, name);
    let target = at(&before, joint) + way;
    let mut model = before.clone();
    Pull::of(skeleton, joint).apply(skeleton, target, &mut pose, &mut model);
    let mut anew = ModelPose::default();
    anew.compute(skeleton, &pose);
    for (kept, computed) in model.joints().iter().zip(anew.joints()) {
        assert_close!(kept.translation, computed.translation, 1e-4);
    }
    let off = at(&model, joint).distance(target);
    (before, model, off)
}

#[test]
fn limbs_reach_what_is_within_reach_and_leave_the_rest_alone() {
    let (skeleton, ..) = walking();
    let mut random = Random::new(5);
    for (name, others) in [
        ("lhand", ["rhand", "rtoes"]),
        ("rhand", ["lhand", "head"]),
        ("lfoot", ["rfoot", "lhand"]),
        ("rfoot", ["lfoot", "head"]),
    ] {
        for _ in 0..20 {
            let way = Vec3A::new(random.signed(), random.between(0.0, 1.0), random.signed());
            let (before, after, off) = pull(&skeleton, name, way * 0.1);
            assert!(off < 1e-3, "{name} stays {off} m off {way}");
            for other in others {
                let other = find(&skeleton, other);
                // Arms hang all but straight: the trunk may have to help a little.
                let moved = at(&before, other).distance(at(&after, other));
                assert!(moved < 0.12, "{name} moved {other} by {moved}");
            }
        }
    }
}

#[test]
fn bones_keep_their_lengths() {
    let (skeleton, ..) = walking();
    let way = Vec3A::new(0.5, 0.6, 0.9);
    for joint in skeleton.joints() {
        let (before, after, _) = pull(&skeleton, &joint.name, way);
        for (index, &parent) in skeleton.parents().iter().enumerate() {
            if parent != NO_PARENT {
                let length = |model| at(model, index as JointIndex).distance(at(model, parent));
                assert_close!(length(&before), length(&after), 1e-4, "{}", joint.name);
            }
        }
    }
}

#[test]
fn beyond_reach_the_trunk_leans_and_the_feet_stand() {
    let (skeleton, ..) = walking();
    let (before, after, off) = pull(&skeleton, "lhand", Vec3A::new(0.0, 0.3, 0.9));
    assert!(off < 0.35, "{off} m");
    let chest = find(&skeleton, "thorax");
    let bend = before.joints()[usize::from(chest)]
        .rotation
        .angle_between(after.joints()[usize::from(chest)].rotation);
    assert!((0.1..2.0).contains(&bend), "{bend} rad");
    for foot in ["lfoot", "rfoot"].map(|name| find(&skeleton, name)) {
        let slid = at(&before, foot).distance(at(&after, foot));
        assert!(slid < 0.05, "{slid} m");
    }
}

#[test]
fn hips_sink_between_feet_that_stand() {
    let (skeleton, ..) = walking();
    let (before, after, off) = pull(&skeleton, "root", Vec3A::new(0.05, -0.25, 0.0));
    assert!(off < 1e-4, "{off}");
    for foot in ["lfoot", "rfoot"].map(|name| find(&skeleton, name)) {
        let slid = at(&before, foot).distance(at(&after, foot));
        assert!(slid < 0.01, "{slid} m");
    }
}

#[test]
fn elbows_knees_and_heads_follow_as_far_as_they_can() {
    let (skeleton, ..) = walking();
    for (name, way) in [
        ("lradius", Vec3A::new(0.1, 0.08, 0.05)),
        ("rtibia", Vec3A::new(0.0, 0.1, 0.15)),
        ("head", Vec3A::new(0.08, -0.03, 0.08)),
    ] {
        let joint = find(&skeleton, name);
        let (before, after, off) = pull(&skeleton, name, way);
        let went = at(&after, joint) - at(&before, joint);
        assert!(went.dot(way) > 0.0, "{name}: {went}");
        assert!(
            off < 0.6 * way.length(),
            "{name}: {off} m of {}",
            way.length()
        );
    }
}

#[test]
fn no_target_and_no_skeleton_breaks_it() {
    let (human, ..) = walking();
    let chain = (0..5).map(|index: JointIndex| {
        let parent = index.checked_sub(1).unwrap_or(NO_PARENT);
        Joint::new(format!("j{index}"), parent, glam::Vec3::Y, glam::Vec3::Y)
    });
    let chain = Skeleton::new("chain", chain.collect()).unwrap();
    let lone = vec![Joint::new(
        "one",
        NO_PARENT,
        glam::Vec3::ZERO,
        glam::Vec3::ZERO,
    )];
    let lone = Skeleton::new("lone", lone).unwrap();
    for skeleton in [human, chain, lone] {
        let targets = [
            Vec3A::ZERO,
            Vec3A::splat(1e6),
            Vec3A::new(f32::NAN, 0.0, 0.0),
            Vec3A::new(-3.0, 1.0, 2.0),
        ];
        for joint in 0..skeleton.len() as JointIndex {
            let follow = Pull::of(&skeleton, joint);
            for target in targets {
                let (mut pose, mut model) = (skeleton.rest().clone(), skeleton.rest_model());
                follow.apply(&skeleton, target, &mut pose, &mut model);
                let finite = |it: &Transform| it.translation.is_finite() && it.rotation.is_finite();
                assert!(model.joints().iter().all(finite), "{joint} to {target}");
            }
        }
    }
}

#[test]
fn a_hold_follows_and_eases_back_without_a_jump() {
    let (skeleton, pose, model) = walking();
    let world_from_model = Transform::new(Quat::from_rotation_y(0.7), Vec3A::new(2.0, 0.0, 1.0));
    let hand = find(&skeleton, "lhand");
    let mut seen = WorldPose::default();
    seen.place(world_from_model, &model);
    let own = seen.joints()[usize::from(hand)].position();
    let mut hold = JointHold::new(&skeleton, hand, &seen);
    let mut place = |hold: &mut JointHold| {
        let (mut pose, mut model) = (pose.clone(), model.clone());
        hold.apply(&skeleton, world_from_model, &mut pose, &mut model);
        seen.place(world_from_model, &model);
        seen.joints()[usize::from(hand)].position()
    };
    assert_close!(place(&mut hold), own, 1e-5);
    let goal = own + glam::Vec3::new(0.1, 0.15, 0.1);
    hold.pull_to(goal);
    assert_close!(place(&mut hold), goal, 1e-3);
    // Further than it reaches: it comes back from where it is at once.
    hold.pull_to(own + glam::Vec3::Y * 9.0);
    let mut before = place(&mut hold);
    hold.let_go();
    let mut steps = 0;
    while !hold.is_over() {
        hold.step(1.0 / 60.0);
        let now = place(&mut hold);
        assert!(now.distance(before) < 0.12, "{}", now.distance(before));
        (before, steps) = (now, steps + 1);
        assert!(steps < 240, "it never ends");
    }
    assert_close!(before, own, 2e-3);
}

#[test]
fn no_drag_breaks_anything() {
    let (human, ..) = walking();
    let chain = (0..5).map(|index: JointIndex| {
        let parent = index.checked_sub(1).unwrap_or(NO_PARENT);
        Joint::new(format!("j{index}"), parent, glam::Vec3::Y, glam::Vec3::Y)
    });
    let chain = Skeleton::new("chain", chain.collect()).unwrap();
    for skeleton in [human, chain] {
        let targets = [
            Vec3A::ZERO,
            Vec3A::splat(1e6),
            Vec3A::new(f32::NAN, 0.0, 0.0),
            Vec3A::new(-3.0, 1.0, 2.0),
        ];
        for joint in 0..skeleton.len() as JointIndex {
            for solver in DragSolver::all() {
                let mut drag = Drag::of(&skeleton, joint);
                drag.solve_by(&skeleton, solver);
                for target in targets {
                    let (mut pose, mut model) = (skeleton.rest().clone(), skeleton.rest_model());
                    drag.apply(&skeleton, target, &mut pose, &mut model);
                    let finite =
                        |it: &Transform| it.translation.is_finite() && it.rotation.is_finite();
                    let whole = model.joints().iter().all(finite);
                    assert!(whole, "{joint} to {target} by {}", solver.name());
                }
            }
        }
    }
}

#[test]
fn pinned_ends_stay_and_the_dragged_one_comes() {
    let (skeleton, pose, before) = walking();
    let [hand, other] =
        ["left_hand", "right_hand"].map(|word| find_joint(&skeleton, word).unwrap());
    let body = WholeBody::of(&skeleton).unwrap();
    let ends = body.ends();
    assert!(ends.contains(&hand) && ends.contains(&other), "{ends:?}");
    let mut drag = Drag::of(&skeleton, hand);
    let feet: Vec<JointIndex> = body.feet().collect();
    drag.set_pins(&[feet.clone(), vec![other]].concat());
    let target = at(&before, hand) + Vec3A::new(0.1, 0.35, 0.25);
    let (mut pose, mut model) = (pose.clone(), before.clone());
    drag.apply(&skeleton, target, &mut pose, &mut model);
    assert!(at(&model, hand).distance(target) < 0.02);
    for pin in feet.into_iter().chain([other]) {
        let went = at(&model, pin).distance(at(&before, pin));
        assert!(went < 2e-3, "{went}");
    }
}

#[test]
fn what_is_kept_of_a_drag_is_in_the_clip_that_is_written() {
    let (skeleton, ..) = walking();
    let options = MotionOptions::default();
    let document = asf::parse("s", builtin::SKELETON_ASF.as_bytes()).unwrap();
    let imported =
        import::skeleton("s", "performer", &document, SkeletonOptions::default()).unwrap();
    let text = builtin::clip("idle").unwrap().as_bytes();
    let clip = import::motion("idle", "idle", text, &imported, options)
        .unwrap()
        .clip;
    let words = [
        "drag",
        "left_hand",
        "0.05",
        "0.2",
        "0.1",
        "from",
        "0.5",
        "to",
        "1.5",
    ];
    let action = PoseAction::parse(&words).unwrap().unwrap();
    let mut posing = Posing::default();
    let seen = WorldPose::default();
    posing
        .act(&action, &skeleton, Start::default(), &seen)
        .unwrap();
    let written = posing.baked(&skeleton, &clip, None);
    posing.settle();
    let hand = find_joint(&skeleton, "left_hand").unwrap();
    let place = |pose: &LocalPose| {
        let mut model = ModelPose::default();
        model.compute(&skeleton, pose);
        at(&model, hand)
    };
    let (mut own, mut changed) = (LocalPose::default(), LocalPose::default());
    let body = crate::body::Body::grow(&skeleton);
    for (frame, most_m, least_m) in [(0, 1e-6, 0.0), (60, 0.3, 0.2), (170, 1e-6, 0.0)] {
        let frame = (f64::from(frame) / 60.0 * clip.fps / 2.0) as usize;
        clip.frame_pose(&skeleton, frame, &mut own);
        written.frame_pose(&skeleton, frame, &mut changed);
        let went = place(&own).distance(place(&changed));
        let wanted = match frame as f64 / clip.fps {
            secs if (0.75..1.25).contains(&secs) => (least_m, most_m),
            secs if !(0.5..=1.5).contains(&secs) => (0.0, 1e-4),
            _ => continue,
        };
        assert!((wanted.0..=wanted.1).contains(&went), "{frame}: {went}");
        // What is seen is what is written.
        let (mut shown, mut model) = (own.clone(), ModelPose::default());
        model.compute(&skeleton, &shown);
        let moment = (frame as f64 / clip.fps, clip.duration_secs());
        let context = PoseContext {
            skeleton: &skeleton,
            world_from_model: Transform::IDENTITY,
            body: &body,
            footing: Footing::default(),
            moment: Some(moment),
        };
        posing.apply(context, &mut shown, &mut model, &mut WorldPose::default());
        assert!(place(&shown).distance(place(&changed)) < 1e-4);
    }
    posing.undo_kept();
    assert!(posing.kept().is_empty() && posing.can_redo_kept());
    posing.redo_kept();
    assert_eq!(posing.kept().len(), 1);
    let held = posing.baked(&skeleton, &clip, Some(crate::humanoid::LimitSource::Human));
    let report = crate::clip::LimitReport::of(&skeleton, &held);
    assert!(report.human.is_empty(), "{:?}", report.human.first());
}
