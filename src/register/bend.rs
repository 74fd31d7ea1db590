//! Loops that go straight, made to go round: a library that holds no walking turn
//! can follow a path all the same.
//!
//! The line that a loop goes along is laid on a circle. The body goes along with
//! it as it is; each foot is put where its own place on the line comes to lie, so
//! that a foot that stands in the loop stands in the bent one.

use glam::{DVec2, Quat, Vec3A};

use super::contacts::leg_chains;
use crate::{
    clip::RawClip,
    humanoid::LegChain,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Radians a metre, to either side: circles of 7, 2.5 and 1.25 m.
const BENDS: [f64; 6] = [-0.8, -0.4, -0.15, 0.15, 0.4, 0.8];
/// A loop travels at least this far, metres, and no further from its line.
const LEAST_WAY_M: f64 = 1.0;
const MOST_ASIDE_M: f64 = 0.15;
/// Shorter loops are played several times in a row, seconds: on either side of a
/// transition something has to be left.
const SHORT_SECS: f64 = 10.0;
const REPEATS: usize = 3;

/// A motion as a walk along a path takes it: a loop that is short several times
/// over, and one that goes straight also bent to either side.
#[must_use]
pub fn for_paths(skeleton: &Skeleton, clip: &RawClip) -> Vec<RawClip> {
    let times = match clip.duration_secs() < SHORT_SECS {
        true => REPEATS,
        false => 1,
    };
    let Some(loops) = clip.repeated(skeleton, times) else {
        return vec![clip.clone()];
    };
    let legs = leg_chains(skeleton);
    let bent: Vec<RawClip> = match Line::of(skeleton, &loops) {
        Some(line) => BENDS
            .iter()
            .map(|bend| line.bent(skeleton, &legs, &loops, *bend))
            .collect(),
        None => Vec::new(),
    };
    [loops].into_iter().chain(bent).collect()
}

/// What a motion goes along, over the ground.
struct Line {
    start: DVec2,
    ahead: DVec2,
}

impl Line {
    fn of(skeleton: &Skeleton, clip: &RawClip) -> Option<Self> {
        let mut pose = LocalPose::default();
        let mut spot = |frame: usize| {
            clip.frame_pose(skeleton, frame, &mut pose);
            over_ground(pose.joints()[0].translation)
        };
        let spots: Vec<DVec2> = (0..clip.frames()).map(&mut spot).collect();
        let (start, end) = (*spots.first()?, *spots.last()?);
        let line = Self {
            start,
            ahead: (end - start).try_normalize()?,
        };
        let aside = |spot: &DVec2| line.along_and_aside(*spot).1.abs();
        let is_straight = spots.iter().map(aside).fold(0.0, f64::max) < MOST_ASIDE_M;
        (start.distance(end) > LEAST_WAY_M && is_straight).then_some(line)
    }

    fn left(&self) -> DVec2 {
        DVec2::new(self.ahead.y, -self.ahead.x)
    }

    fn along_and_aside(&self, spot: DVec2) -> (f64, f64) {
        let way = spot - self.start;
        (way.dot(self.ahead), way.dot(self.left()))
    }

    /// Where a place comes to lie, and how far it is turned: left is positive, as
    /// about +Y.
    fn on_circle(&self, place: Vec3A, rad_per_m: f64) -> (Vec3A, f64) {
        let (along, aside) = self.along_and_aside(over_ground(place));
        let turn = along * rad_per_m;
        let (sin, cos) = turn.sin_cos();
        let spot = self.start
            + self.ahead * (sin / rad_per_m - aside * sin)
            + self.left() * ((1.0 - cos) / rad_per_m + aside * cos);
        (Vec3A::new(spot.x as f32, place.y, spot.y as f32), turn)
    }

    fn bent(
        &self,
        skeleton: &Skeleton,
        legs: &[LegChain],
        clip: &RawClip,
        rad_per_m: f64,
    ) -> RawClip {
        let (mut straight, mut model) = (ModelPose::default(), ModelPose::default());
        let pose = |frame: usize| {
            let mut pose = LocalPose::default();
            clip.frame_pose(skeleton, frame, &mut pose);
            straight.compute(skeleton, &pose);
            let root = &mut pose.joints_mut()[0];
            let (place, turn) = self.on_circle(root.translation, rad_per_m);
            root.translation = place;
            root.rotation = (Quat::from_rotation_y(turn as f32) * root.rotation).normalize();
            model.compute(skeleton, &pose);
            for leg in legs {
                let ankle = usize::from(leg.joints.ankle);
                let own = straight.joints()[ankle].translation;
                let (wanted, foot_turn) = self.on_circle(own, rad_per_m);
                let offset = wanted - model.joints()[ankle].translation;
                leg.shift_foot(skeleton, offset, &mut pose, &mut model);
                // The foot looks along its own part of the circle.
                let further = Quat::from_rotation_y((foot_turn - turn) as f32);
                let above = usize::from(skeleton.parents()[ankle]);
                let shin = model.joints()[above].rotation;
                let foot = further * model.joints()[ankle].rotation;
                pose.joints_mut()[ankle].rotation = (shin.conjugate() * foot).normalize();
            }
            pose
        };
        let poses: Vec<LocalPose> = (0..clip.frames()).map(pose).collect();
        let side = if rad_per_m > 0.0 { "left" } else { "right" };
        let name = format!("{} {side} {:.1} m", clip.name, 1.0 / rad_per_m.abs());
        RawClip::from_poses(&name, skeleton, clip.fps, &poses)
    }
}

fn over_ground(place: Vec3A) -> DVec2 {
    DVec2::new(place.x.into(), place.z.into())
}
