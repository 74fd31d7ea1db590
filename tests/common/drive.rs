//! Driven characters for tests of the animator.
#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each test binary uses its own part, in tests alone"
)]

use std::sync::{Arc, OnceLock};

use glam::Vec3A;
use kinetoscope::{
    animator::{self, AnimatorClip, ClipSet, DrivenFrame, Driver, Graph, Script},
    body::Body,
    clip::ClipCursor,
    import::{self, builtin},
    load::{self, LoadOptions, Loaded},
    mocap::asf,
    scene::{Character, Performance},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Skeleton and clips of the built-in performer.
pub fn performer_clips() -> (Arc<Skeleton>, ClipSet) {
    let document = asf::parse(builtin::SKELETON_FILE, builtin::SKELETON_ASF.as_bytes()).unwrap();
    let imported = import::skeleton(
        builtin::SKELETON_FILE,
        "performer",
        &document,
        Default::default(),
    )
    .unwrap();
    let motion = |(name, text): &(&str, &str)| {
        let bytes = text.as_bytes();
        let motion = import::motion(name, name, bytes, &imported, Default::default()).unwrap();
        ((*name).to_owned(), motion.clip.into())
    };
    let clips = builtin::CLIPS.iter().map(motion).collect();
    (Arc::new(imported.skeleton), clips)
}

/// The default graph on the performer.
pub fn performer() -> Arc<Graph> {
    static GRAPH: OnceLock<Arc<Graph>> = OnceLock::new();
    Arc::clone(GRAPH.get_or_init(|| {
        let (skeleton, clips) = performer_clips();
        let description = animator::parse(animator::DEFAULT_GRAPH).unwrap();
        Arc::new(animator::build(&description, &skeleton, &clips).unwrap())
    }))
}

/// A graph of one's own on the performer.
pub fn performer_with(ron: &str) -> Arc<Graph> {
    let (skeleton, clips) = performer_clips();
    let description = animator::parse(ron).unwrap();
    Arc::new(animator::build(&description, &skeleton, &clips).unwrap())
}

/// The default graph on the real captures of `characterengine`.
pub fn captured() -> Option<Arc<Graph>> {
    let folder = super::corpus()?.join("characterengine");
    let names = [
        "skeleton.asf",
        "idle.amc",
        "forward.amc",
        "backward.amc",
        "run.amc",
    ];
    let more = ["jump.amc", "attack.amc"];
    let paths: Vec<_> = names
        .iter()
        .chain(&more)
        .map(|name| folder.join(name))
        .collect();
    let mut clips: Vec<AnimatorClip> = Vec::new();
    let mut skeleton = None;
    for (path, loaded) in load::load(&paths, LoadOptions::default()) {
        match loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
            Loaded::Skeleton(file) => skeleton = Some(file.imported.skeleton.clone()),
            Loaded::Motion(motion) => clips.push(motion.driven()),
        }
    }
    let description = animator::parse(animator::DEFAULT_GRAPH).unwrap();
    let (set, left) = animator::fill_states(&description, clips, vec![]).unwrap();
    assert!(left.is_empty());
    let skeleton = Arc::new(skeleton.unwrap());
    Some(Arc::new(
        animator::build(&description, &skeleton, &set).unwrap(),
    ))
}

/// A driver for a script given as text.
pub fn driver(graph: &Arc<Graph>, script: &str, fps: f64) -> Driver {
    Driver::new(Arc::clone(graph), &Script::parse(script).unwrap(), fps)
}

/// Somebody under a script given as text, with all that is done to their pose.
pub fn performance(graph: &Arc<Graph>, script: &str, fps: f64) -> Performance {
    static BODY: OnceLock<Arc<Body>> = OnceLock::new();
    let body = BODY.get_or_init(|| Arc::new(Body::grow(&performer().skeleton)));
    let character = Character::driven("performer", Arc::clone(graph), Arc::clone(body));
    Performance::new(character, &Script::parse(script).unwrap(), fps)
}

/// Ends of all bones, and all joints, in the world.
pub fn world_points(graph: &Graph, frame: &DrivenFrame<'_>) -> Vec<Vec3A> {
    let joints = 0..graph.skeleton.len();
    let ends = joints.map(|joint| frame.model.bone_end(&graph.skeleton, joint));
    let starts = frame.model.joints().iter().map(|joint| joint.translation);
    starts
        .chain(ends)
        .map(|point| frame.world_from_model.transform_point(point))
        .collect()
}

/// The fastest bone end of a clip as captured, m/s.
pub fn clip_speed(graph: &Graph, index: usize) -> f32 {
    let clip = &graph.clips[index].source;
    let mut cursor = ClipCursor::default();
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let mut ends = |frame: usize, pose: &mut LocalPose, model: &mut ModelPose| -> Vec<Vec3A> {
        let secs = frame as f64 / clip.fps();
        clip.sample(&graph.skeleton, secs, &mut cursor, pose);
        model.compute(&graph.skeleton, pose);
        (0..graph.skeleton.len())
            .map(|j| model.bone_end(&graph.skeleton, j))
            .collect()
    };
    let mut before = ends(0, &mut pose, &mut model);
    let mut fastest: f32 = 0.0;
    for frame in 1..clip.frames() {
        let now = ends(frame, &mut pose, &mut model);
        let steps = now.iter().zip(&before).map(|(a, b)| (*a - *b).length());
        fastest = steps.fold(fastest, f32::max);
        before = now;
    }
    fastest * clip.fps() as f32
}
