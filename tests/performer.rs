//! The built-in performer: the committed files are what the authoring program
//! writes, they read without a warning, and they move like a person.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a helper of a test may stop it, and say that it is skipped"
)]

mod common;
#[path = "../examples/author/performer/mod.rs"]
mod performer;

use std::{fs, path::Path, sync::LazyLock};

use kinetoscope::{
    import::{self, ImportedMotion, ImportedSkeleton, MotionOptions, SkeletonOptions, builtin},
    mocap::{Level, asf},
    skeleton::{LocalPose, ModelPose},
};
use performer::{Clip, Rig};

static RIG: LazyLock<Rig> = LazyLock::new(Rig::performer);
static CLIPS: LazyLock<Vec<Clip>> = LazyLock::new(|| performer::clips(&RIG));

fn authored(name: &str) -> Clip {
    CLIPS.iter().find(|clip| clip.name == name).unwrap().clone()
}

fn read_skeleton() -> ImportedSkeleton {
    let bytes = builtin::SKELETON_ASF.as_bytes();
    let document = asf::parse(builtin::SKELETON_FILE, bytes).unwrap();
    let options = SkeletonOptions::default();
    import::skeleton(builtin::SKELETON_FILE, "performer", &document, options).unwrap()
}

fn read_clip(name: &str, text: &str, skeleton: &ImportedSkeleton) -> ImportedMotion {
    let file = format!("{name}.amc");
    import::motion(
        &file,
        name,
        text.as_bytes(),
        skeleton,
        MotionOptions::default(),
    )
    .unwrap()
}

#[test]
fn the_program_writes_the_committed_files() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    for (path, text) in performer::files(&RIG, &CLIPS) {
        let committed = fs::read_to_string(assets.join(&path)).unwrap();
        let first = text
            .lines()
            .zip(committed.lines())
            .position(|(a, b)| a != b);
        assert!(
            text == committed,
            "{path} differs from line {:?} on",
            first.map(|line| line + 1)
        );
    }
}

#[test]
fn every_clip_is_embedded() {
    let embedded = builtin::CLIPS.iter().map(|(name, _)| *name);
    let authored = CLIPS.iter().map(|clip| clip.name);
    assert_eq!(embedded.collect::<Vec<_>>(), authored.collect::<Vec<_>>());
    assert!(builtin::clip("wave").is_some_and(|text| text.contains("rhumerus")));
    assert_eq!(builtin::clip("moonwalk"), None);
}

#[test]
fn everything_measured_keeps_its_bounds() {
    let measures = CLIPS.iter().flat_map(|clip| performer::measure(&RIG, clip));
    let faults = measures.filter(|measure| !measure.passes());
    let faults = faults
        .map(|measure| measure.to_string())
        .collect::<Vec<_>>();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Names of the measures that a clip fails.
fn failures(clip: &Clip) -> Vec<&'static str> {
    let measures = performer::measure(&RIG, clip).into_iter();
    let failed = measures.filter(|measure| !measure.passes());
    failed.map(|measure| measure.what).collect()
}

#[track_caller]
fn assert_fails(clip: &Clip, what: &str) {
    let found = failures(clip);
    assert!(
        found.iter().any(|name| name.starts_with(what)),
        "{what:?} not among {found:?}"
    );
}

#[test]
fn feet_that_slide_sink_or_float_are_found() {
    let mut clip = authored("forward");
    for (index, frame) in clip.frames.iter_mut().enumerate() {
        frame.root_m.z += 0.0005 * index as f64;
    }
    assert_fails(&clip, "slide of a sole point");
    for (offset, what) in [
        (-0.01, "lowest sole point"),
        (0.01, "highest both feet float"),
    ] {
        let mut clip = authored("forward");
        clip.frames
            .iter_mut()
            .for_each(|frame| frame.root_m.y += offset);
        assert_fails(&clip, what);
    }
}

#[test]
fn loops_that_do_not_close_and_pops_are_found() {
    let mut clip = authored("run");
    clip.frames.pop();
    clip.airborne.pop();
    assert_fails(&clip, "gap of the loop");
    let mut clip = authored("idle");
    let last = clip.frames.len() - 1;
    clip.frames[last - 1].root_m.x += 0.001;
    assert_fails(&clip, "change of velocity over the seam");
    let mut clip = authored("wave");
    clip.frames[200].root_m.x += 0.05;
    assert_fails(&clip, "largest jump of a speed");
}

#[test]
fn broken_knees_limits_and_limbs_in_the_trunk_are_found() {
    let knee = RIG.find("ltibia").unwrap();
    let mut clip = authored("idle");
    clip.frames[7].angles_deg[knee][0] = -0.5;
    assert_fails(&clip, "least bend of a knee");
    assert_fails(&clip, "furthest beyond a channel's limits");
    let shoulder = RIG.find("lhumerus").unwrap();
    let mut clip = authored("idle");
    clip.frames[7].angles_deg[shoulder][2] += 35.0;
    assert_fails(&clip, "deepest an arm is in the trunk");
}

#[test]
fn lost_balance_and_wrong_gravity_are_found() {
    let mut clip = authored("idle");
    clip.frames
        .iter_mut()
        .for_each(|frame| frame.angles_deg[0][2] += 25.0);
    assert_fails(&clip, "centre of mass outside the support polygon");
    let mut clip = authored("jump");
    clip.frames
        .iter_mut()
        .for_each(|frame| frame.root_m.y *= 1.05);
    assert_fails(&clip, "fall of the centre of mass in flight");
}

#[test]
fn our_own_reader_has_nothing_to_warn_about() {
    let skeleton = read_skeleton();
    let warns = |note: &&kinetoscope::mocap::Note| note.level >= Level::Warning;
    assert_eq!(skeleton.notes.iter().find(warns), None);
    assert_eq!(skeleton.skeleton.len(), 31);
    for (name, text) in builtin::CLIPS {
        let motion = read_clip(name, text, &skeleton);
        assert_eq!(motion.notes.iter().find(warns), None, "{name}");
        assert_eq!(motion.clip.fps, 120.0, "{name}");
        motion.clip.validate().unwrap();
    }
}

#[test]
fn our_own_reader_sees_what_the_program_meant() {
    let skeleton = read_skeleton();
    let mut local = LocalPose::default();
    let mut model = ModelPose::default();
    for clip in CLIPS.iter() {
        let text = builtin::clip(clip.name).unwrap();
        let motion = read_clip(clip.name, text, &skeleton);
        assert_eq!(motion.clip.frames(), clip.frames.len());
        for index in (0..clip.frames.len()).step_by(37) {
            motion
                .clip
                .frame_pose(&skeleton.skeleton, index, &mut local);
            model.compute(&skeleton.skeleton, &local);
            let world = RIG.world(&clip.frames[index]);
            for (bone, expected) in RIG.bones.iter().zip(world.end) {
                let joint = usize::from(skeleton.skeleton.find(bone.name).unwrap());
                let found = model.bone_end(&skeleton.skeleton, joint);
                let gap = (found.as_dvec3() - expected).length();
                assert!(
                    gap < 1e-5,
                    "{} {} frame {index}: {gap} m",
                    clip.name,
                    bone.name
                );
            }
        }
    }
}

#[test]
fn captures_play_on_the_performer_by_name() {
    let Some(corpus) = common::corpus() else {
        return;
    };
    let skeleton = read_skeleton();
    for name in ["forward", "run", "jump", "attack"] {
        let text = fs::read(corpus.join(format!("characterengine/{name}.amc"))).unwrap();
        let options = MotionOptions::default();
        let motion = import::motion(name, name, &text, &skeleton, options).unwrap();
        let animated = motion.clip.animated.len();
        assert_eq!(animated, 29, "{name}: every bone with dofs");
        let mut local = LocalPose::default();
        let mut model = ModelPose::default();
        for frame in (0..motion.clip.frames()).step_by(11) {
            motion
                .clip
                .frame_pose(&skeleton.skeleton, frame, &mut local);
            model.compute(&skeleton.skeleton, &local);
            let height = |bone: &str| {
                let joint = usize::from(skeleton.skeleton.find(bone).unwrap());
                model.bone_end(&skeleton.skeleton, joint).y
            };
            let lowest = height("ltoes").min(height("rtoes"));
            let tall = height("head") - lowest;
            assert!(
                (1.1..2.1).contains(&tall),
                "{name} frame {frame}: {tall} m from toes to head"
            );
        }
    }
}
