//! Scales and morph weights through every way a pose is made: fades, blend
//! spaces, layers. A character of two joints plays clips that hold still, so
//! that what is seen is the blending alone.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::{Animator, ClipSet, Graph, Input, build, parse};
use crate::{
    clip::{MorphTrack, RawClip, Track},
    skeleton::{Joint, LocalPose, ModelPose, NO_PARENT, Skeleton, rotate_joint},
};

const FRAMES: usize = 31;

fn skeleton() -> Arc<Skeleton> {
    let joint = |name: &str, parent| Joint::new(name, parent, Vec3::Y, Vec3::Y);
    let joints = vec![joint("root", NO_PARENT), joint("head", 0)];
    Arc::new(Skeleton::new("two", joints).unwrap())
}

/// A second of stillness.
fn still() -> RawClip {
    RawClip {
        fps: 30.0,
        joints: 2,
        root_translations: vec![Vec3::Y; FRAMES],
        ..RawClip::default()
    }
}

/// The same with every joint scaled and a morph target weighed.
fn shaped(scale: f32, morph: f32) -> RawClip {
    let scales = (0..2).map(|joint| Track {
        joint,
        values: vec![Vec3::splat(scale); FRAMES],
    });
    RawClip {
        scales: scales.collect(),
        morphs: vec![MorphTrack {
            morph: 1,
            values: vec![morph; FRAMES],
        }],
        ..still()
    }
}

fn graph(states: &str, clips: &[(&str, RawClip)]) -> Arc<Graph> {
    let description = parse(&format!(
        r#"(parameters: {{ "go": Bool(false), "by": Float(value: 0.25) }}, {states})"#
    ))
    .unwrap();
    let clips: ClipSet = clips
        .iter()
        .map(|(name, clip)| ((*name).to_owned(), clip.clone().into()))
        .collect();
    Arc::new(build(&description, &skeleton(), &clips).unwrap())
}

/// Scale of the head and the morph weight, after `secs`.
fn seen(animator: &mut Animator, secs: f64) -> [f32; 2] {
    animator.advance_to(secs);
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    animator.pose(&mut pose, &mut model);
    let scale = pose.scales().get(1).map_or(1.0, |scale| scale.x);
    [scale, pose.morphs().get(1).copied().unwrap_or(0.0)]
}

fn assert_seen(found: [f32; 2], wanted: [f32; 2], what: &str) {
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert_close!(found, wanted, 2e-3, "{what}");
    }
}

/// From `a` to `b` in a second, starting after one.
fn fading(kind: &str, a: RawClip, b: RawClip) -> Animator {
    let states = format!(
        r#"layers: [(name: "base", states: [
            (name: "A", motion: Clip("a")), (name: "B", motion: Clip("b")),
        ], transitions: [
            (from: Any, to: "B", when: [On("go")], fade: (kind: {kind}, secs: 1.0)),
            (from: Any, to: "A", when: [Off("go")], fade: (kind: {kind}, secs: 1.0)),
        ])]"#
    );
    let mut animator = Animator::new(graph(&states, &[("a", a), ("b", b)]));
    animator.input(1.0, Input::Set("go".into(), 1.0));
    animator
}

#[test]
fn a_fade_leads_scales_and_morphs_through_the_middle_without_a_jump() {
    for kind in ["Smooth", "Frozen", "Inertial"] {
        for (a, b, from, to) in [
            (still(), shaped(3.0, 1.0), [1.0, 0.0], [3.0, 1.0]),
            (shaped(3.0, 1.0), still(), [3.0, 1.0], [1.0, 0.0]),
        ] {
            let mut animator = fading(kind, a, b);
            assert_seen(seen(&mut animator, 1.0), from, kind);
            let mut before = from;
            for tick in 121..=240 {
                let now = seen(&mut animator, f64::from(tick) / 120.0);
                // A quintic of height 2 over 120 ticks moves 2·1.875/120 at most.
                assert_close!(now[0], before[0], 0.04, "{kind} at tick {tick}");
                assert_close!(now[1], before[1], 0.02, "{kind} at tick {tick}");
                if tick == 180 {
                    assert_seen(now, [2.0, 0.5], kind);
                }
                before = now;
            }
            assert_seen(before, to, kind);
        }
    }
}

#[test]
fn an_interrupted_fade_does_not_jump_either() {
    for kind in ["Smooth", "Frozen", "Inertial"] {
        let mut animator = fading(kind, still(), shaped(3.0, 1.0));
        for (at, on) in [(1.4, 0.0), (1.7, 1.0), (1.9, 0.0)] {
            animator.input(at, Input::Set("go".into(), on));
        }
        let mut before = seen(&mut animator, 0.0);
        for tick in 1..=480 {
            let now = seen(&mut animator, f64::from(tick) / 120.0);
            assert_close!(now[0], before[0], 0.06, "{kind} at tick {tick}");
            assert_close!(now[1], before[1], 0.03, "{kind} at tick {tick}");
            before = now;
        }
        assert_seen(before, [1.0, 0.0], kind);
    }
}

#[test]
fn a_blend_space_weighs_scales_and_morphs() {
    let clips = [("a", still()), ("b", shaped(3.0, 1.0))];
    let states = |motion: &str| {
        format!(r#"layers: [(name: "base", states: [(name: "A", motion: {motion})])]"#)
    };
    for motion in [
        r#"Blend1d(by: "by", clips: [(at: 0.0, clip: "a"), (at: 1.0, clip: "b")])"#,
        r#"Flat([(clip: "b", weight: 1.0), (clip: "a", weight: 3.0)])"#,
    ] {
        let mut animator = Animator::new(graph(&states(motion), &clips));
        assert_seen(seen(&mut animator, 0.5), [1.5, 0.25], motion);
    }
}

#[test]
fn a_masked_layer_scales_its_joints_and_morphs_by_its_largest_weight() {
    let clips = [("a", still()), ("b", shaped(3.0, 1.0))];
    let states = r#"masks: { "head": (from: "head") }, layers: [
        (name: "base", states: [(name: "A", motion: Clip("a"))]),
        (name: "upper", mask: "head", weight: 0.5, states: [(name: "B", motion: Clip("b"))]),
    ]"#;
    let mut animator = Animator::new(graph(states, &clips));
    assert_seen(seen(&mut animator, 0.5), [2.0, 0.5], "half of the layer");
    let mut pose = LocalPose::default();
    animator.pose(&mut pose, &mut ModelPose::default());
    assert_eq!(pose.scales()[0], Vec3::ONE, "the root is outside the mask");
}

#[test]
fn an_additive_layer_multiplies_scales_and_adds_morphs() {
    let clips = [("a", shaped(2.0, 0.25)), ("b", shaped(3.0, 0.5))];
    for (reference, whole) in [("Rest", [6.0, 0.75]), (r#"Pose("a", 0.0)"#, [3.0, 0.5])] {
        let states = format!(
            r#"layers: [
            (name: "base", states: [(name: "A", motion: Clip("a"))]),
            (name: "more", mode: Additive({reference}), states: [(name: "B", motion: Clip("b"))]),
        ]"#
        );
        let mut animator = Animator::new(graph(&states, &clips));
        assert_seen(seen(&mut animator, 0.5), whole, reference);
        animator.tune(1, |layer| layer.weight = 0.5);
        let half = [1.0 + 0.5 * whole[0], 0.5 * (0.25 + whole[1])];
        assert_seen(seen(&mut animator, 0.5), half, reference);
    }
}

#[test]
fn a_rigid_character_carries_neither() {
    let mut animator = fading("Inertial", still(), still());
    animator.advance_to(1.5);
    let mut pose = LocalPose::default();
    animator.pose(&mut pose, &mut ModelPose::default());
    assert!(pose.scales().is_empty() && pose.morphs().is_empty());
}

#[test]
fn what_hangs_below_a_rotated_joint_follows_with_its_scale() {
    let skeleton = skeleton();
    let mut pose = skeleton.rest().clone();
    pose.set_scale(0, Vec3::new(1.5, 2.0, 0.5));
    let mut model = ModelPose::default();
    model.compute(&skeleton, &pose);
    let rotation = Quat::from_rotation_x(0.7);
    rotate_joint(&skeleton, 0, rotation, &mut pose, &mut model);
    let mut anew = ModelPose::default();
    anew.compute(&skeleton, &pose);
    let ends = [&model, &anew].map(|model| model.bone_end(&skeleton, 1));
    assert_close!(ends[0], ends[1], 1e-5, "{ends:?}");
}

#[test]
fn a_stick_held_half_way_pushes_half_as_much() {
    let states = r#"
        bindings: [(key: "LeftStickUp", does: Push("by", 0.5)), (key: "LeftStickUp", does: Hold("go"))],
        layers: [(name: "base", states: [(name: "A", motion: Clip("a"))])]"#;
    let mut animator = Animator::new(graph(states, &[("a", still())]));
    let graph = Arc::clone(animator.graph());
    let value = |animator: &Animator, name: &str| {
        let index = graph.parameter(name).unwrap();
        animator.parameters().value(index, 0.0)
    };
    for (at_secs, share, by, go) in [
        (1.0, 0.4, 0.45, 0.0),
        (2.0, 0.8, 0.65, 1.0),
        (3.0, 0.0, 0.25, 0.0),
    ] {
        animator.input(at_secs, Input::Axis("leftstickup".into(), share));
        animator.advance_to(at_secs + 0.5);
        assert_close!(value(&animator, "by"), by, 1e-6);
        assert_close!(value(&animator, "go"), go, 1e-6);
    }
}
