//! Feet as the ground meets them: heel, ball and toes of each, moment by moment.

use glam::Vec3A;

use crate::{
    humanoid::LegChain,
    math::Transform,
    skeleton::{Skeleton, SpacePose},
};

/// How far a heel lies behind the ankle, as a share of the way from ankle to
/// ball.
const HEEL_BEHIND: f32 = 0.35;

/// One foot at one moment, on the flat ground that its motion knows; world,
/// metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSample {
    /// Where the thigh begins.
    pub hip: Vec3A,
    /// Where the foot hangs.
    pub ankle: Vec3A,
    /// Heel, ball and tip of the toes.
    pub sole: [Vec3A; 3],
    /// It bears.
    pub planted: bool,
}

/// One foot at an even rate.
#[derive(Clone, Debug, Default)]
pub struct FootTrack {
    /// Moment by moment.
    pub samples: Vec<FootSample>,
    /// Length of its leg, straight, metres.
    pub leg_m: f32,
    /// Heights of heel, ball and toes over the world's zero when they stand, metres.
    pub standing_m: [f32; 3],
}

/// A leg, and where on its foot the ground is felt.
#[derive(Clone, Debug)]
pub struct Sole {
    /// The leg.
    pub leg: LegChain,
    /// Straight, metres.
    pub leg_m: f32,
    /// Of the tip of the toes above the ball on a foot that stands, metres.
    pub tip_m: f32,
    /// In the ankle's own space.
    heel: Vec3A,
    /// In the ball's own space.
    toe: Vec3A,
}

impl Sole {
    /// Both feet of a skeleton, left first; fewer where it has fewer.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Vec<Self> {
        let rest = skeleton.rest_model();
        let place = |joint: u16| rest.joints()[usize::from(joint)];
        let sole = |leg: LegChain| {
            let [hip, knee, ankle, ball] = [
                leg.joints.hip,
                leg.joints.knee,
                leg.joints.ankle,
                leg.joints.ball,
            ]
            .map(place);
            let along = (ball.translation - ankle.translation).with_y(0.0);
            let heel = ankle.translation - along * HEEL_BEHIND;
            let heel = heel.with_y(ball.translation.y);
            let tip = rest.bone_end(skeleton, usize::from(leg.joints.ball));
            // No deeper than the ball: toes of some rigs point down at rest.
            let tip = tip.with_y(tip.y.max(ball.translation.y));
            Self {
                leg_m: hip.translation.distance(knee.translation)
                    + knee.translation.distance(ankle.translation),
                tip_m: tip.y - ball.translation.y,
                heel: ankle.inverse().transform_point(heel),
                toe: ball.inverse().transform_point(tip),
                leg,
            }
        };
        LegChain::of(skeleton).into_iter().map(sole).collect()
    }

    /// The foot in a pose that stands somewhere in the world.
    #[must_use]
    pub fn sample<S>(&self, pose: &SpacePose<S>, world_from_pose: Transform) -> FootSample {
        let joints = self.leg.joints;
        let place = |joint: u16| world_from_pose * pose.joints()[usize::from(joint)];
        let (ankle, ball) = (place(joints.ankle), place(joints.ball));
        FootSample {
            hip: place(joints.hip).translation,
            ankle: ankle.translation,
            sole: [
                ankle.transform_point(self.heel),
                ball.translation,
                ball.transform_point(self.toe),
            ],
            planted: false,
        }
    }
}
