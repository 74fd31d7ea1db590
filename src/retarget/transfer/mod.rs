//! From the source's frames to the target's.

mod drive;
mod legs;
mod source_motion;
mod write;

use glam::{Quat, Vec3A};

use super::{
    align::Alignment,
    map::{JointMap, Resolved},
    rest_human::{RestHuman, Sole},
};
use crate::{
    clip::RawClip,
    humanoid::{Human, Limb, Names, Role, Side},
    skeleton::{JointIndex, LocalPose, Skeleton},
};
use drive::{Drive, drives};
use legs::{Leg, legs};
use source_motion::{SourceMotion, between_hips};
use write::Writer;

/// Why motion cannot be carried over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// Nothing to begin with.
    #[error("no hips in the {which} {name:?}: a map can name them")]
    NoHips {
        /// Source or target.
        which: &'static str,
        /// The skeleton.
        name: String,
    },
    /// The clip is another skeleton's.
    #[error("the clip moves {clip} joints, the source skeleton has {skeleton}")]
    OtherSkeleton {
        /// Of the clip.
        clip: usize,
        /// Of the skeleton.
        skeleton: usize,
    },
}

/// Plays a clip of `source` on `target`.
pub fn retarget(
    source: &Skeleton,
    clip: &RawClip,
    target: &Skeleton,
    map: &JointMap,
) -> Result<RawClip, RetargetError> {
    if !clip.fits(source) {
        return Err(RetargetError::OtherSkeleton {
            clip: clip.joints,
            skeleton: source.len(),
        });
    }
    let links = links(source, target, map);
    let [from, to] = rest_humans(source, target, &links, map.mirror)?;
    let turned = map.pose_turns(target);
    let plan = Plan::new(&from, &to, (&links, &turned));
    let motion = SourceMotion::of(&from, clip);
    Ok(plan.clip(clip, &motion))
}

/// The retarget pose: the target stands as the source does at rest, by what was
/// found and what a user turned beyond that. Where this pose is right, so is the
/// motion.
pub fn retarget_pose(
    source: &Skeleton,
    target: &Skeleton,
    map: &JointMap,
) -> Result<LocalPose, RetargetError> {
    let links = links(source, target, map);
    let [from, to] = rest_humans(source, target, &links, map.mirror)?;
    let turned = map.pose_turns(target);
    let plan = Plan::new(&from, &to, (&links, &turned));
    let mut pose = target.rest().clone();
    for (joint, local) in pose.joints_mut().iter_mut().enumerate() {
        let parent = usize::from(target.parents()[joint]);
        let above = plan.aligned.get(parent).copied();
        let above = above.unwrap_or(Quat::IDENTITY);
        local.rotation = (above.conjugate() * plan.aligned[joint]).normalize();
    }
    Ok(pose)
}

/// The map's links; in a mirror every part comes from its opposite.
fn links(source: &Skeleton, target: &Skeleton, map: &JointMap) -> Vec<Resolved> {
    let links = map.resolve(source, target);
    if !map.mirror {
        return links;
    }
    let names = Names::of(source);
    let opposite = |link: &Resolved| match link.role {
        Some(role) => links
            .iter()
            .find(|it| it.role == Some(role.mirrored()))
            .map_or(Vec::new(), |it| it.from.clone()),
        None => link.from.iter().map(|&j| names.opposite(j)).collect(),
    };
    let mirrored = links.iter().map(|link| Resolved {
        from: opposite(link),
        ..link.clone()
    });
    mirrored.collect()
}

fn rest_humans<'a>(
    source: &'a Skeleton,
    target: &'a Skeleton,
    links: &[Resolved],
    mirror: bool,
) -> Result<[RestHuman<'a>; 2], RetargetError> {
    let human = |joints: fn(&Resolved) -> &Vec<JointIndex>| {
        let parts = links.iter();
        Human::of(parts.filter_map(|link| Some((link.role?, joints(link).clone()))))
    };
    let (mut from, to) = (human(|link| &link.from), human(|link| &link.to));
    for (which, human, skeleton) in [("source", &from, source), ("target", &to, target)] {
        if human.first(Role::Hips).is_none() {
            let name = skeleton.name().to_owned();
            return Err(RetargetError::NoHips { which, name });
        }
    }
    let from = match mirror {
        // Links are mirrored already; the rest human mirrors its own.
        true => {
            from = from.mirrored();
            RestHuman::new(source, from).mirrored()
        }
        false => RestHuman::new(source, from),
    };
    Ok([from, RestHuman::new(target, to)])
}

/// A foot that hangs elsewhere than on its shin, as in rigs that keep IK
/// bones apart; it is put where the shin ends.
#[derive(Clone, Debug, PartialEq)]
struct Detached {
    foot: JointIndex,
    /// The foot and all below it.
    moving: Vec<JointIndex>,
    shin: JointIndex,
    /// The ankle in the shin's space.
    ankle: Vec3A,
}

struct Plan<'a> {
    source: &'a RestHuman<'a>,
    target: &'a RestHuman<'a>,
    drives: Vec<Option<Drive>>,
    /// `model_from_joint` rotations of the retarget pose.
    aligned: Vec<Quat>,
    detached: Vec<Detached>,
    legs: Option<[Leg; 2]>,
    /// Joints whose translations and stretches go along, source by target.
    partners: Vec<Option<JointIndex>>,
    /// The root that carries the hips, and all below it.
    carrier: JointIndex,
    carrier_subtree: Vec<JointIndex>,
    scale: f32,
    soles: Option<[Sole; 2]>,
    /// A body of the same build does as the source does; another is put on
    /// ground 0 and its standing feet are held.
    same_build: bool,
}

/// The target in one frame, model space.
#[derive(Clone, Default)]
struct Pose {
    rotations: Vec<Quat>,
    positions: Vec<Vec3A>,
}

impl<'a> Plan<'a> {
    fn new(
        source: &'a RestHuman<'a>,
        target: &'a RestHuman<'a>,
        (links, turned): (&[Resolved], &[(JointIndex, Quat)]),
    ) -> Self {
        // Legs, not heights: a stride is as long as its legs, and feet that stand
        // still at that scale need the least help.
        let scale = match (source.leg_m(), target.leg_m()) {
            (Some(from), Some(to)) => to / from,
            _ => height_ratio(source.skeleton, target.skeleton),
        };
        let alignment = Alignment {
            source,
            target,
            links,
            scale,
            turned,
        };
        let same_build = alignment.is_same_build();
        let soles = source
            .sole()
            .zip(target.sole())
            .map(|(from, to)| match same_build {
                // The same body needs the same soles, not what its own rest pose
                // shows of them: nothing may change then.
                true => [from, scaled_sole(from, scale)],
                false => [from, to],
            });
        let hips = target.human.first(Role::Hips).unwrap_or_default();
        // Rigs put a root and helpers above the hips: all of them go along.
        let carrier = target.skeleton.ancestors(hips).last().unwrap_or(hips);
        Self {
            drives: drives(source.skeleton, target.skeleton, links),
            aligned: alignment.rotations(same_build),
            detached: detached(target),
            legs: legs(source, target),
            partners: alignment.partners(),
            carrier,
            carrier_subtree: with_below(target.skeleton, carrier),
            scale,
            soles,
            same_build,
            source,
            target,
        }
    }

    fn clip(&self, clip: &RawClip, motion: &SourceMotion) -> RawClip {
        // Three walks over the frames: bare rotations, to know where the feet
        // would go; how far the hips must go down for them; and the poses.
        let (contacts, ground_m) = self.contacts(motion, clip.fps);
        let hips: Vec<Vec3A> = motion
            .hips
            .iter()
            .map(|&p| self.hips_goal(p, ground_m))
            .collect();
        let steps = contacts.map(|stances| self.steps(motion, &hips, ground_m, &stances, clip.fps));
        let mut pose = Pose::default();
        let mut writer = Writer::new(self, clip);
        for (frame, (rotations, &hips)) in motion.rotations.iter().zip(&hips).enumerate() {
            let down = Vec3A::Y * steps.as_ref().map_or(0.0, |steps| steps.lowered_m[frame]);
            self.pose(rotations, hips - down, &mut pose);
            if let Some(steps) = &steps {
                let by = [0, 1].map(|side| steps.offsets[side][frame] + down);
                self.move_feet(rotations, hips - down, by, &mut pose);
            }
            writer.push(frame, &pose);
        }
        writer.finish()
    }

    fn target_ground_m(&self, ground_m: f32) -> f32 {
        match self.same_build {
            true => ground_m * self.scale,
            false => 0.0,
        }
    }

    /// Where the target's hips go, `hips` being the source's.
    fn hips_goal(&self, hips: Vec3A, ground_m: f32) -> Vec3A {
        let mut goal = hips * self.scale;
        if let Some([from, to]) = self.soles {
            // Hips over ankles scale with the legs; ankles over the ground are the
            // target's own, since shoes and soles do not.
            let above_ankle = (hips.y - ground_m - from.ankle_m) * self.scale;
            goal.y = self.target_ground_m(ground_m) + to.ankle_m + above_ankle;
        }
        goal
    }

    /// The source's turns on the target, its hips at `hips`.
    fn pose(&self, rotations: &[Quat], hips: Vec3A, pose: &mut Pose) {
        pose.rotations.clear();
        for joint in 0..self.target.skeleton.len() {
            let rotation = match self.drives[joint] {
                // The source's rotation since rest, in model space, on the pose that
                // stands as the source's rest pose does.
                Some(drive) => drive.rotation(rotations) * self.aligned[joint],
                None => self.follows(joint, pose),
            };
            pose.rotations.push(rotation.normalize());
        }
        self.position_joints(hips, pose);
    }

    /// The rotation of a joint that only goes along.
    fn follows(&self, joint: usize, pose: &Pose) -> Quat {
        let own = self.target.skeleton.joints()[joint].rest.rotation;
        let parent = usize::from(self.target.skeleton.parents()[joint]);
        pose.rotations.get(parent).map_or(own, |of| *of * own)
    }

    /// Puts every joint where rotations and hips say.
    fn position_joints(&self, hips: Vec3A, pose: &mut Pose) {
        let skeleton = self.target.skeleton;
        pose.positions.clear();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let parent = usize::from(joint.parent);
            let position = match pose.positions.get(parent).filter(|_| parent < index) {
                Some(&of) => of + pose.rotations[parent] * joint.rest.translation,
                None => joint.rest.translation,
            };
            pose.positions.push(position);
        }
        // Hip joints, not the hips' own joint, which rigs put at any height.
        let shift = hips - between_hips(&self.target.human, &pose.positions);
        for &joint in &self.carrier_subtree {
            pose.positions[usize::from(joint)] += shift;
        }
        for it in &self.detached {
            let ankle = pose.point((it.shin, it.ankle));
            let shift = ankle - pose.positions[usize::from(it.foot)];
            for &joint in &it.moving {
                pose.positions[usize::from(joint)] += shift;
            }
        }
    }
}

impl Pose {
    /// A point of a joint's space.
    fn point(&self, (joint, point): (JointIndex, Vec3A)) -> Vec3A {
        let joint = usize::from(joint);
        self.positions[joint] + self.rotations[joint] * point
    }
}

fn with_below(skeleton: &Skeleton, top: JointIndex) -> Vec<JointIndex> {
    [top].into_iter().chain(skeleton.below(top)).collect()
}

fn height_ratio(source: &Skeleton, target: &Skeleton) -> f32 {
    let (from, to) = (source.rest_height_m(), target.rest_height_m());
    if from > 1e-4 && to > 1e-4 {
        to / from
    } else {
        1.0
    }
}

fn scaled_sole(sole: Sole, scale: f32) -> Sole {
    Sole {
        ball_m: sole.ball_m * scale,
        ankle_m: sole.ankle_m * scale,
    }
}

fn detached(target: &RestHuman<'_>) -> Vec<Detached> {
    let find = |side: Side| {
        let foot = target.human.first(side.role(Limb::Foot))?;
        let shin = *target.human.part(side.role(Limb::Shin)).last()?;
        let apart = !target.skeleton.descends(foot, shin);
        apart.then(|| Detached {
            foot,
            moving: with_below(target.skeleton, foot),
            shin,
            ankle: in_space(target, shin, target.at(foot)),
        })
    };
    Side::BOTH.into_iter().filter_map(find).collect()
}

fn in_space(rest_human: &RestHuman<'_>, joint: JointIndex, point: Vec3A) -> Vec3A {
    rest_human.rest(joint).inverse().transform_point(point)
}
