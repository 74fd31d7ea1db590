//! Load, sample, blend and skin, without a window or a GPU.
//!
//! ```sh
//! cargo run --example playback                                    # the performer: walk towards run
//! cargo run --example playback -- skeleton.asf walk.amc run.amc   # two motions of one skeleton
//! ```
//!
//! Lengths are metres, times seconds, Y is up.

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

use anyhow::{Context, Result, bail, ensure};
use glam::Vec3A;
use kinetoscope::{
    body::{Body, Skinning, palette, skin_body},
    clip::{ClipCursor, SampleClip},
    load::{LoadOptions, Loaded, load},
    math::Transform,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// How far the first motion goes towards the second, 0 to 1.
const WEIGHT: f32 = 0.3;

/// Moments that are printed, as shares of the motions' length.
const MOMENTS: [f64; 3] = [0.0, 0.25, 0.5];

fn main() -> Result<()> {
    let mut files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        files = performer_files();
    }
    run(&files, &mut io::stdout().lock())
}

/// The built-in character's own files.
pub fn performer_files() -> Vec<PathBuf> {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets");
    let names = ["performer.asf", "clips/forward.amc", "clips/run.amc"];
    names.map(|name| assets.join(name)).into()
}

/// All of it: two motions in, joints and vertices out.
pub fn run(files: &[PathBuf], out: &mut dyn Write) -> Result<()> {
    let (skeleton, clips) = load_motions(files)?;
    let [first, second] = clips.as_slice() else {
        bail!("two motions are blended here, not {}", clips.len());
    };
    let mut players = [Player::new(first), Player::new(second)];
    let mut skin = Skin::grow(&skeleton);
    let mut model = ModelPose::default();
    for moment in MOMENTS {
        // 1. Sample: each motion at the same share of its own length, so that
        //    clips that start with the same foot stay in step.
        for player in &mut players {
            player.sample(&skeleton, moment);
        }
        // 2. Blend, in local space: joints in their parents.
        let [Player { pose, .. }, other] = &mut players;
        pose.mix(&other.pose, WEIGHT);
        // 3. Forward kinematics: joints in the character's own space.
        model.compute(&skeleton, pose);
        // 4. Skin: vertices in the same space.
        let vertices = skin.pose(&model);
        print_joints(&skeleton, &model, moment, out)?;
        print_extent(vertices, out)?;
    }
    Ok(())
}

/// Every motion of the files, and the one skeleton they play on.
fn load_motions(files: &[PathBuf]) -> Result<(Skeleton, Vec<Arc<dyn SampleClip>>)> {
    let mut skeleton: Option<Skeleton> = None;
    let mut clips: Vec<Arc<dyn SampleClip>> = Vec::new();
    for (_, outcome) in load(files, LoadOptions::default()) {
        // A fault in one file never touches another; here any of them ends it.
        let Loaded::Motion(motion) = outcome? else {
            continue;
        };
        let own = motion.skeleton();
        let known = skeleton.get_or_insert_with(|| own.clone());
        ensure!(known == own, "the motions play on different skeletons");
        clips.push(motion.sampler());
    }
    Ok((
        skeleton.context("there is no motion in these files")?,
        clips,
    ))
}

/// Plays one clip. The clip is shared and never changes; cursor and pose are
/// this player's own.
struct Player {
    clip: Arc<dyn SampleClip>,
    cursor: ClipCursor,
    pose: LocalPose,
}

impl Player {
    fn new(clip: &Arc<dyn SampleClip>) -> Self {
        Self {
            clip: Arc::clone(clip),
            cursor: ClipCursor::default(),
            pose: LocalPose::default(),
        }
    }

    fn sample(&mut self, skeleton: &Skeleton, moment: f64) {
        let time_secs = moment * self.clip.duration_secs();
        self.clip
            .sample(skeleton, time_secs, &mut self.cursor, &mut self.pose);
    }
}

/// A body and what is written anew for every pose of it.
struct Skin {
    body: Body,
    /// `model_from_bind` of every joint.
    palette: Vec<Transform>,
    vertices: Vec<Vec3A>,
}

impl Skin {
    fn grow(skeleton: &Skeleton) -> Self {
        let body = Body::grow(skeleton);
        Self {
            palette: vec![Transform::IDENTITY; skeleton.len()],
            vertices: vec![Vec3A::ZERO; body.vertices().len()],
            body,
        }
    }

    fn pose(&mut self, model: &ModelPose) -> &[Vec3A] {
        palette(model, self.body.joint_from_bind(), &mut self.palette);
        let method = Skinning::DualQuaternion;
        skin_body(&self.body, &self.palette, method, &mut self.vertices);
        &self.vertices
    }
}

fn print_joints(
    skeleton: &Skeleton,
    model: &ModelPose,
    moment: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "at {:.0} % of the motion", moment * 100.0)?;
    let joints = skeleton.joints().iter().zip(model.joints());
    for (joint, model_from_joint) in joints.step_by(6) {
        let [x, y, z] = model_from_joint.translation.to_array();
        writeln!(out, "  {:<12} {x:7.3} {y:7.3} {z:7.3} m", joint.name)?;
    }
    Ok(())
}

fn print_extent(vertices: &[Vec3A], out: &mut dyn Write) -> io::Result<()> {
    let none = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    let grow = |(low, high): (Vec3A, Vec3A), v: &Vec3A| (low.min(*v), high.max(*v));
    let (low, high) = vertices.iter().fold(none, grow);
    let count = vertices.len();
    writeln!(out, "  {count} vertices, from {low:.2} to {high:.2}")
}
