//! Faults put into motions on purpose, by a seed: where they are is known.

use std::ops::Range;

use glam::{Quat, Vec3, Vec3A};
use kinetoscope::{
    clip::{FootContacts, LoopedClip, RawClip, find_loop},
    humanoid::{Human, LegChain, Limb, Side, human_limits},
    math::{ease::smoothstep, quat},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
    testing::Random,
};

/// A motion with one fault.
pub struct Planted {
    pub kind: &'static str,
    /// The motion without it.
    pub clean: RawClip,
    pub clip: RawClip,
    pub frames: Range<usize>,
    /// Joints that the fault was put into.
    pub joints: Vec<usize>,
}

pub const KINDS: [&str; 6] = ["slide", "pop", "gap", "swap", "limit", "seam"];

/// A fault of a kind, or `None` where a motion offers no place for it (nobody
/// stands, nobody moves, nothing loops).
pub fn plant(
    kind: &'static str,
    skeleton: &Skeleton,
    clip: &RawClip,
    random: &mut Random,
) -> Option<Planted> {
    // A place that shows nothing is no place: another is tried.
    (0..40).find_map(|_| match kind {
        "slide" => slide(skeleton, clip, random),
        "pop" => pop(skeleton, clip, random),
        "gap" => gap(skeleton, clip, random),
        "swap" => swap(skeleton, clip, random),
        "limit" => limit(skeleton, clip, random),
        _ => seam(skeleton, clip, random),
    })
}

pub fn poses(skeleton: &Skeleton, clip: &RawClip) -> Vec<LocalPose> {
    let pose = |frame| {
        let mut pose = LocalPose::default();
        clip.frame_pose(skeleton, frame, &mut pose);
        pose
    };
    (0..clip.frames()).map(pose).collect()
}

pub fn places(skeleton: &Skeleton, poses: &[LocalPose]) -> Vec<Vec<Vec3A>> {
    let mut model = ModelPose::default();
    let places = |pose: &LocalPose| {
        model.compute(skeleton, pose);
        let joints = model.joints().iter().map(|it| it.translation);
        let ends = (0..skeleton.len()).map(|joint| model.bone_end(skeleton, joint));
        joints.chain(ends).collect()
    };
    poses.iter().map(places).collect()
}

/// The furthest that any joint or bone end of a frame is from another's.
fn apart_m(skeleton: &Skeleton, a: &LocalPose, b: &LocalPose) -> f32 {
    let both = places(skeleton, &[a.clone(), b.clone()]);
    let ways = both[0].iter().zip(&both[1]).map(|(a, b)| a.distance(*b));
    ways.fold(0.0, f32::max)
}

fn planted(
    kind: &'static str,
    skeleton: &Skeleton,
    clip: &RawClip,
    made: (&[LocalPose], Range<usize>, Vec<usize>),
) -> Planted {
    let (poses, frames, joints) = made;
    Planted {
        kind,
        clean: clip.clone(),
        clip: RawClip::from_poses(&clip.name, skeleton, clip.fps, poses),
        frames,
        joints,
    }
}

fn secs(clip: &RawClip, random: &mut Random, least: f32, most: f32) -> usize {
    ((random.between(least, most) * clip.fps as f32).round() as usize).max(2)
}

/// A foot that travels 5 to 12 cm while it stands, and swings back after.
fn slide(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let legs = LegChain::of(skeleton);
    let leg = legs.get(random.below(legs.len()))?;
    let joints: Vec<_> = legs.iter().map(|it| it.joints).collect();
    let (contacts, _) = FootContacts::find(skeleton, clip, &joints, false);
    let own = legs.iter().position(|it| it == leg)?;
    let stances = contacts[own].stances();
    let stance = stances.get(random.below(stances.len()))?.clone();
    let takes = secs(clip, random, 0.12, 0.4);
    let room = stance.len().checked_sub(takes + 4)?;
    let start = stance.start + 2 + random.below(room);
    let angle = random.between(0.0, std::f32::consts::TAU);
    let way = Vec3A::new(angle.cos(), 0.0, angle.sin()) * random.between(0.05, 0.12);
    let back = (0.3 * clip.fps) as usize;
    let mut poses = poses(skeleton, clip);
    let mut model = ModelPose::default();
    for (frame, pose) in poses.iter_mut().enumerate().skip(start) {
        let there = smoothstep(((frame - start) as f32 / takes as f32).min(1.0));
        let away = frame.saturating_sub(stance.end) as f32 / back as f32;
        let share = there * (1.0 - smoothstep(away.min(1.0)));
        if share > 0.0 {
            model.compute(skeleton, pose);
            leg.shift_foot(skeleton, way * share, pose, &mut model);
        }
    }
    // A leg that is too short for it does not slide as far.
    let ball = usize::from(leg.joints.ball);
    let slid = |frame: usize| places(skeleton, &poses[frame..=frame])[0][ball];
    let was = |frame: usize| {
        places(
            skeleton,
            &self::poses(skeleton, &clip.part(frame..frame + 1)),
        )[0][ball]
    };
    let end = start + takes;
    let went = slid(end) - was(end);
    if went.length() < 0.045 {
        return None;
    }
    let below = leg
        .subtree
        .iter()
        .map(|&joint| usize::from(joint))
        .collect();
    Some(planted(
        "slide",
        skeleton,
        clip,
        (&poses, start..end, below),
    ))
}

/// A joint turned by 15° to 40° for one to three frames.
fn pop(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let joint = usize::from(*clip.animated.get(random.below(clip.animated.len()))?);
    let width = 1 + random.below(3);
    let start = 4 + random.below(clip.frames().checked_sub(width + 8)?);
    let axis = random.rotation() * Vec3::X;
    let turn = Quat::from_axis_angle(axis, random.between(15.0, 40.0).to_radians());
    let mut poses = poses(skeleton, clip);
    let before = poses[start].clone();
    for pose in &mut poses[start..start + width] {
        let own = &mut pose.joints_mut()[joint].rotation;
        *own = (*own * turn).normalize();
    }
    // What nobody sees is no fault: a thumb, a twist.
    (apart_m(skeleton, &before, &poses[start]) > 0.05).then(|| {
        planted(
            "pop",
            skeleton,
            clip,
            (&poses, start..start + width, vec![joint]),
        )
    })
}

/// The last pose, of the whole body or of a limb, for a tenth to half a second.
fn gap(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let takes = secs(clip, random, 0.1, 0.5);
    let start = 4 + random.below(clip.frames().checked_sub(takes + 8)?);
    let human = Human::find(skeleton);
    let tops = [Limb::Thigh, Limb::UpperArm]
        .map(|limb| Side::BOTH.map(|side| human.first(side.role(limb))));
    let tops: Vec<JointIndex> = tops.into_iter().flatten().flatten().collect();
    let top = match random.below(2) {
        0 => 0,
        _ => *tops.get(random.below(tops.len()))?,
    };
    let held: Vec<usize> = std::iter::once(top)
        .chain(skeleton.below(top))
        .map(usize::from)
        .collect();
    let mut poses = poses(skeleton, clip);
    let last = poses[start - 1].clone();
    for pose in &mut poses[start..start + takes] {
        for &joint in &held {
            pose.joints_mut()[joint] = last.joints()[joint];
        }
    }
    let after = start + takes;
    let jump = apart_m(skeleton, &poses[after - 1], &poses[after]);
    let usual = apart_m(skeleton, &poses[after], &poses[after + 1]);
    (jump > 0.06 + 4.0 * usual)
        .then(|| planted("gap", skeleton, clip, (&poses, start..after, held)))
}

/// Legs or arms exchanged for 0.15 to 0.8 seconds, as places or as columns.
fn swap(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let takes = secs(clip, random, 0.15, 0.8);
    let start = 4 + random.below(clip.frames().checked_sub(takes + 8)?);
    let limbs: &[Limb] = match random.below(2) {
        0 => &[Limb::Thigh, Limb::Shin, Limb::Foot, Limb::Toes],
        _ => &[Limb::UpperArm, Limb::Forearm, Limb::Hand],
    };
    let mirrored = random.below(2) == 1;
    let human = Human::find(skeleton);
    let pairs = limbs.iter().flat_map(|&limb| {
        let [left, right] = Side::BOTH.map(|side| human.part(side.role(limb)).to_vec());
        left.into_iter().zip(right).collect::<Vec<_>>()
    });
    let pairs: Vec<(JointIndex, JointIndex)> = pairs.collect();
    let rest = skeleton.rest_model();
    let upright = human.frame(&rest)?;
    let bone = |joint: usize| {
        (rest.bone_end(skeleton, joint) - rest.joints()[joint].translation).normalize()
    };
    let shared = usize::from(skeleton.common_ancestor(pairs[0].0, pairs[0].1)?);
    let mut poses = poses(skeleton, clip);
    let before = poses.clone();
    let mut model = ModelPose::default();
    for pose in &mut poses[start..start + takes] {
        model.compute(skeleton, pose);
        let own = model.clone();
        // From the rest pose in model space to where the trunk is turned now.
        let turned = own.joints()[shared].rotation * rest.joints()[shared].rotation.conjugate();
        for &(left, right) in &pairs {
            for (to, from) in
                [(left, right), (right, left)].map(|(a, b)| (usize::from(a), usize::from(b)))
            {
                // What the other limb does from its rest, seen from the trunk.
                let does = turned.conjugate()
                    * own.joints()[from].rotation
                    * rest.joints()[from].rotation.conjugate();
                let does = match mirrored {
                    true => {
                        let seen = upright.conjugate() * does * upright;
                        let seen = Quat::from_xyzw(seen.x, -seen.y, -seen.z, seen.w);
                        upright * seen * upright.conjugate()
                    }
                    // So that it points where the other points.
                    false => does * kinetoscope::math::ik::arc(bone(to), bone(from)),
                };
                let rotation = turned * does * rest.joints()[to].rotation;
                let parent = usize::from(skeleton.parents()[to]);
                let above = model.joints()[parent].rotation;
                pose.joints_mut()[to].rotation = (above.conjugate() * rotation).normalize();
                model.compute(skeleton, pose);
            }
        }
    }
    let shows = |frame: usize| apart_m(skeleton, &before[frame], &poses[frame]);
    let usual = apart_m(skeleton, &before[start], &before[start - 1]);
    let shown = shows(start).min(shows(start + takes - 1));
    let joints = pairs
        .iter()
        .flat_map(|&(a, b)| [usize::from(a), usize::from(b)])
        .collect();
    (shown > 0.2 + 4.0 * usual).then(|| {
        planted(
            "swap",
            skeleton,
            clip,
            (&poses, start..start + takes, joints),
        )
    })
}

/// A knee or an elbow that bends the wrong way for a third of a second or more.
fn limit(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let takes = secs(clip, random, 0.3, 0.8);
    let start = 2 + random.below(clip.frames().checked_sub(takes + 4)?);
    let human = Human::find(skeleton);
    let limb = [Limb::Shin, Limb::Forearm][random.below(2)];
    let joint = human.first(Side::BOTH[random.below(2)].role(limb))?;
    let limits = human_limits(skeleton);
    let limit = limits[usize::from(joint)].as_ref()?;
    let excess = random.between(15.0, 35.0).to_radians();
    let mut poses = poses(skeleton, clip);
    for (frame, pose) in poses.iter_mut().enumerate().skip(start).take(takes) {
        let share = (frame - start) as f32 / takes as f32;
        let bump = smoothstep((4.0 * share.min(1.0 - share)).min(1.0));
        // Straight beyond the hinge's end: half the range, and so much more.
        let beyond = limit.middle
            * quat::exp(Vec3::from(
                limit.flexion_axis * -(limit.swing_rad[0] + excess),
            ));
        let own = &mut pose.joints_mut()[usize::from(joint)].rotation;
        *own = quat::nlerp(*own, beyond, bump);
    }
    Some(planted(
        "limit",
        skeleton,
        clip,
        (&poses, start..start + takes, vec![usize::from(joint)]),
    ))
}

/// The best loop of a motion, with a joint that ends 12° to 30° off.
fn seam(skeleton: &Skeleton, clip: &RawClip, random: &mut Random) -> Option<Planted> {
    let clean = match find_loop(skeleton, clip) {
        Some(frames) => {
            let looped = LoopedClip::new(skeleton, std::sync::Arc::new(clip.clone()), frames);
            RawClip::sampled_from(&clip.name, skeleton, &looped)
        }
        None => clip.clone(),
    };
    let joint = usize::from(*clean.animated.get(random.below(clean.animated.len()))?);
    let axis = random.rotation() * Vec3::X;
    let angle = random.between(12.0, 30.0).to_radians();
    let ease = (0.3 * clean.fps) as usize;
    let mut poses = poses(skeleton, &clean);
    let last = poses.len().checked_sub(ease + 4)? + ease + 3;
    // The trunk would take all joints along: then nothing tells a loop.
    if skeleton.below(joint as JointIndex).count() * 3 > skeleton.len() {
        return None;
    }
    let before = poses[last].clone();
    for (frame, pose) in poses.iter_mut().enumerate().skip(last - ease) {
        let share = smoothstep((frame + ease - last) as f32 / ease as f32);
        let own = &mut pose.joints_mut()[joint].rotation;
        *own = (*own * Quat::from_axis_angle(axis, angle * share)).normalize();
    }
    (apart_m(skeleton, &before, &poses[last]) > 0.04).then(|| {
        planted(
            "seam",
            skeleton,
            &clean,
            (&poses, last..last + 1, vec![joint]),
        )
    })
}
