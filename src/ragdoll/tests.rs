//! Falls of the performer, and of skeletons that are none.

use glam::Vec3;

use super::*;
use crate::{
    body::{Body, testing::performer},
    skeleton::{Joint, LocalPose, ModelPose, NO_PARENT, Skeleton, WorldPose},
};

fn world_of(skeleton: &Skeleton, local: &LocalPose, up_m: f32) -> WorldPose {
    let (mut model, mut world) = (ModelPose::default(), WorldPose::default());
    model.compute(skeleton, local);
    world.place(Transform::from_translation(Vec3::Y * up_m), &model);
    world
}

fn started(skeleton: &Skeleton, pose: &WorldPose, limp: Option<JointIndex>) -> Ragdoll {
    Ragdoll::new(&RagdollStart {
        skeleton,
        body: &Body::grow(skeleton),
        now: pose,
        before: pose,
        dt_secs: 0.0,
        limp,
        ground: None,
        things: &[],
    })
    .unwrap()
}

fn standing() -> (Skeleton, WorldPose, LocalPose) {
    let (skeleton, clips) = performer();
    let (_, clip) = clips.iter().find(|it| it.0.contains("idle")).unwrap();
    let mut local = LocalPose::default();
    crate::clip::SampleClip::sample(clip, &skeleton, 0.0, &mut Default::default(), &mut local);
    let world = world_of(&skeleton, &local, 0.0);
    (skeleton, world, local)
}

fn run(ragdoll: &mut Ragdoll, clip: &WorldPose, secs: f64) {
    (0..(secs * 60.0) as usize).for_each(|_| ragdoll.advance(1.0 / 60.0, clip));
}

#[test]
fn a_limp_performer_falls_and_lies_on_the_ground() {
    let (skeleton, pose, _) = standing();
    let mut ragdoll = started(&skeleton, &pose, None);
    assert_eq!(ragdoll.links.len(), 16, "as de Leva cuts a body");
    assert_close!(ragdoll.mass_kg(), 22.0 * ragdoll.height_m.powi(2), 0.5);
    ragdoll.push(0, Vec3::new(0.0, 0.0, 60.0));
    run(&mut ragdoll, &pose, 6.0);
    assert!(ragdoll.is_at_rest() && ragdoll.is_fallen());
    let highest = ragdoll.joints().map(|it| it.0.y).fold(0.0, f32::max);
    assert!(highest < 0.5, "{highest}");
}

#[test]
fn the_same_fall_twice_is_the_same_to_the_bit() {
    let (skeleton, pose, _) = standing();
    let fall = || {
        let mut ragdoll = started(&skeleton, &pose, None);
        ragdoll.push(5, Vec3::new(20.0, 0.0, 40.0));
        run(&mut ragdoll, &pose, 1.5);
        ragdoll
            .joints()
            .map(|it| it.0.to_array().map(f32::to_bits))
            .collect::<Vec<_>>()
    };
    assert_eq!(fall(), fall());
}

#[test]
fn full_strength_stands_and_takes_a_push() {
    let (skeleton, pose, _) = standing();
    let mut ragdoll = started(&skeleton, &pose, None);
    ragdoll.set_strength(1.0);
    run(&mut ragdoll, &pose, 1.0);
    let far = |ragdoll: &Ragdoll| {
        let ends = ragdoll.segments.list.iter().zip(ragdoll.joints());
        ends.map(|(it, (at, _))| at.distance(pose.joints()[it.joint].translation))
            .fold(0.0, f32::max)
    };
    // Found: 0.035 m.
    assert!(far(&ragdoll) < 0.05, "{}", far(&ragdoll));
    ragdoll.push(0, Vec3::new(60.0, 0.0, 0.0));
    run(&mut ragdoll, &pose, 0.1);
    assert!(far(&ragdoll) > 0.01, "{}", far(&ragdoll));
    run(&mut ragdoll, &pose, 2.0);
    // Found: 0.036 m.
    assert!(
        far(&ragdoll) < 0.06 && !ragdoll.is_fallen(),
        "{}",
        far(&ragdoll)
    );
}

#[test]
fn full_strength_goes_along_with_a_walk() {
    let (skeleton, clips) = performer();
    let (_, clip) = clips.iter().find(|it| it.0.contains("forward")).unwrap();
    let mut cursor = Default::default();
    let mut at = |secs: f64| {
        let mut local = LocalPose::default();
        crate::clip::SampleClip::sample(clip, &skeleton, secs, &mut cursor, &mut local);
        world_of(&skeleton, &local, 0.0)
    };
    let dt_secs = 1.0 / 60.0;
    let (before, now) = (at(0.0), at(dt_secs));
    let mut ragdoll = Ragdoll::new(&RagdollStart {
        skeleton: &skeleton,
        body: &Body::grow(&skeleton),
        now: &now,
        before: &before,
        dt_secs,
        limp: None,
        ground: None,
        things: &[],
    })
    .unwrap();
    ragdoll.set_strength(1.0);
    let (mut worst_m, mut part) = (0.0, None);
    let frames = (crate::clip::SampleClip::duration_secs(clip) * 60.0) as i32;
    for frame in 2..frames {
        let pose = at(f64::from(frame) * dt_secs);
        ragdoll.advance(dt_secs, &pose);
        for (it, (at, _)) in ragdoll.segments.list.iter().zip(ragdoll.joints()) {
            let off_m = at.distance(pose.joints()[it.joint].translation);
            if off_m > worst_m {
                (worst_m, part) = (off_m, it.part);
            }
        }
    }
    // Found: 0.062 m, the foot that rolls off.
    assert!(worst_m < 0.08, "{worst_m} m, {part:?}");
    assert!(!ragdoll.is_fallen());
}

#[test]
fn an_arm_alone_hangs_while_the_rest_follows_the_clip() {
    let (skeleton, _, _) = standing();
    let pose = world_of(&skeleton, skeleton.rest(), 1.0);
    let arm = crate::humanoid::Human::find(&skeleton)
        .first(crate::humanoid::Side::Left.role(crate::humanoid::Limb::UpperArm))
        .unwrap();
    let mut ragdoll = started(&skeleton, &pose, Some(arm));
    assert!(!ragdoll.is_whole());
    run(&mut ragdoll, &pose, 3.0);
    let mut local = skeleton.rest().clone();
    ragdoll.write(&skeleton, Transform::from_translation(Vec3::Y), &mut local);
    let seen = world_of(&skeleton, &local, 1.0);
    for joint in 0..skeleton.len() {
        let moved = seen.joints()[joint]
            .translation
            .distance(pose.joints()[joint].translation);
        let hangs = skeleton.descends(joint as u16, arm);
        assert!(
            hangs || moved < 1e-4,
            "{} {moved}",
            skeleton.joints()[joint].name
        );
    }
    let hand = skeleton.below(arm).last().unwrap();
    let [from, to] = [arm, hand].map(|joint| seen.joints()[usize::from(joint)].translation);
    let way = (to - from).normalize();
    assert!(way.y < -0.9, "it hangs down: {way}");
}

#[test]
fn odd_skeletons_fall_or_are_refused() {
    let bone = |name: &str, parent, length: f32| {
        Joint::new(name, parent, Vec3::Y * length, Vec3::Y * length)
    };
    let one = Skeleton::new("one", vec![bone("a", NO_PARENT, 0.5)]).unwrap();
    let chain: Vec<Joint> = (0..3000u16)
        .map(|i| {
            bone(
                &format!("b{i}"),
                i.checked_sub(1).unwrap_or(NO_PARENT),
                0.004,
            )
        })
        .collect();
    let chain = Skeleton::new("chain", chain).unwrap();
    let refused = Ragdoll::check(&chain);
    assert_eq!(refused, Err(RagdollError::Bones(3000)));
    let two_roots = Skeleton::new(
        "two",
        vec![
            bone("a", NO_PARENT, 0.4),
            bone("b", NO_PARENT, 0.4),
            bone("c", 1, 0.4),
        ],
    )
    .unwrap();
    for skeleton in [one, two_roots] {
        let pose = world_of(&skeleton, skeleton.rest(), 1.0);
        let mut ragdoll = started(&skeleton, &pose, None);
        ragdoll.push(0, Vec3::X);
        run(&mut ragdoll, &pose, 3.0);
        let mut local = skeleton.rest().clone();
        ragdoll.write(&skeleton, Transform::IDENTITY, &mut local);
        let low = world_of(&skeleton, &local, 0.0).joints()[0].translation.y;
        assert!((-0.01..1.0).contains(&low), "{} {low}", skeleton.name());
    }
    for length in [0.0, 1e-4, 1e4] {
        let skeleton = Skeleton::new("x", vec![bone("a", NO_PARENT, length)]).unwrap();
        let pose = world_of(&skeleton, skeleton.rest(), 0.0);
        let refused = Ragdoll::new(&RagdollStart {
            skeleton: &skeleton,
            body: &Body::bare(&skeleton),
            now: &pose,
            before: &pose,
            dt_secs: 0.0,
            limp: None,
            ground: None,
            things: &[],
        });
        assert!(matches!(refused, Err(RagdollError::Size(_))), "{length}");
    }
}

/// One frame of a motion that stands still; where the joints are then.
fn frame(fall: &mut Fall, skeleton: &Skeleton, body: &Body, local: &LocalPose) -> Vec<Vec3A> {
    let (mut pose, mut model) = (local.clone(), ModelPose::default());
    model.compute(skeleton, &pose);
    fall.step(1.0 / 60.0);
    let context = FallContext {
        skeleton,
        body,
        world_from_model: Transform::IDENTITY,
        ground: None,
        things: &[],
    };
    fall.apply(context, &mut pose, &mut model);
    model
        .joints()
        .iter()
        .map(|joint| joint.translation)
        .collect()
}

#[test]
fn who_fell_gets_up_without_a_jump_in_pose_or_speed() {
    let (skeleton, _, local) = standing();
    let body = Body::grow(&skeleton);
    for push in [Vec3::Z, Vec3::NEG_Z] {
        let mut fall = Fall::default();
        (0..3).for_each(|_| drop(frame(&mut fall, &skeleton, &body, &local)));
        fall.go_limp(0.0, None);
        fall.push(13, push * 90.0);
        let mut places = Vec::new();
        (0..300).for_each(|_| places = frame(&mut fall, &skeleton, &body, &local));
        assert_eq!(fall.word(), Some("lying"));
        let mut speeds = vec![Vec3A::ZERO; places.len()];
        fall.take_up();
        for index in 0..400 {
            let now = frame(&mut fall, &skeleton, &body, &local);
            for (joint, (now, before)) in now.iter().zip(&places).enumerate() {
                let speed = (*now - *before) * 60.0;
                let jump = speed.distance(speeds[joint]);
                let name = &skeleton.joints()[joint].name;
                assert!(jump < 1.5, "{push} {index}: {name} changes by {jump} m/s");
                speeds[joint] = speed;
            }
            places = now;
        }
        assert!(fall.word().is_none(), "{:?}", fall.word());
        let head = places.iter().map(|at| at.y).fold(0.0, f32::max);
        assert!(head > 1.4, "stands: {head}");
    }
}
