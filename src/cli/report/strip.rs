//! The small picture of a motion: the body from its right at even times.

use glam::{Vec3, Vec3A};

use super::Measured;
use crate::{
    chart::{FigureStrip, Stick, StickFigure},
    humanoid::{self, Side},
    skeleton::{Joint, LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// As many as can be told from each other across a page.
const FIGURES: usize = 10;
/// Colours of left, right and the rest, as those of the bands of their feet.
const LEFT: usize = 0;
const RIGHT: usize = 1;
const MIDDLE: usize = 5;

pub(super) fn strip(measured: &Measured) -> FigureStrip {
    let (skeleton, clip) = (measured.motion.skeleton(), measured.motion.raw());
    let last = clip.frames().saturating_sub(1);
    let figures = FIGURES.min(clip.frames());
    let mut forward = Vec3::Z;
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    let figure = |index: usize| {
        let frame = (last * index + figures / 2) / (figures - 1).max(1);
        clip.frame_pose(skeleton, frame.min(last), &mut local);
        model.compute(skeleton, &local);
        // Whoever lies looks along where they last looked.
        forward = humanoid::facing(skeleton, &model).unwrap_or(forward);
        StickFigure {
            caption: format!("{:.2} s", frame.min(last) as f64 / clip.fps),
            sticks: sticks(skeleton, &model, forward.into()),
        }
    };
    FigureStrip {
        figures: (0..figures).map(figure).collect(),
    }
}

/// What is on the far side first.
fn sticks(skeleton: &Skeleton, model: &ModelPose, forward: Vec3A) -> Vec<Stick> {
    let middle = model.joints()[usize::from(humanoid::carrier(skeleton))].translation;
    let place = |at: Vec3A| [(at - middle).dot(forward), at.y].map(f64::from);
    let colour = |joint: usize| match Side::of_name(&skeleton.joints()[joint].name) {
        Some(Side::Left) => LEFT,
        Some(Side::Right) => RIGHT,
        None => MIDDLE,
    };
    let mut sticks = Vec::new();
    for (joint, of) in skeleton.joints().iter().enumerate() {
        let from = model.joints()[joint].translation;
        let parent = usize::from(of.parent);
        let has = |joint: &Joint| joint.parent != NO_PARENT;
        // The root of many rigs lies on the ground, away from the body.
        if has(of) && has(&skeleton.joints()[parent]) {
            let ends = [model.joints()[parent].translation, from].map(place);
            let colour = colour(joint);
            sticks.push(Stick { ends, colour });
        }
        if skeleton.children(joint as u16).next().is_none() {
            let ends = [from, model.bone_end(skeleton, joint)].map(place);
            let colour = colour(joint);
            sticks.push(Stick { ends, colour });
        }
    }
    let depth = |stick: &Stick| match stick.colour {
        LEFT => 0,
        MIDDLE => 1,
        _ => 2,
    };
    sticks.sort_by_key(depth);
    sticks
}
