//! Off the feet: postures told by where the trunk, the hands and the feet are,
//! keyed over time. What lies, crawls or kneels has no balance to be solved for.

use glam::{DQuat, DVec3};

use super::{
    anthropometry::{FOREARM, HAND, SHANK, SOLE_THICKNESS, THIGH, UPPER_ARM},
    balance,
    curve::{Key, keyed_soft, monotone},
    foot::{Plant, sole_rotation},
    leg::two_bones,
    posture::Poser,
    rig::{Frame, Rig, Side},
    stand,
};

/// Muscles, not clockwork: seconds that keys are rounded off over.
const SOFTNESS_SECS: f64 = 0.07;

/// Heights of joints that lie on the floor, metres: flesh is between.
const KNEE_HEIGHT: f64 = 0.05;
const TOE_HEIGHT: f64 = 0.015;
const ELBOW_HEIGHT: f64 = 0.04;
const FINGER_HEIGHT: f64 = 0.02;
/// A hand that props is bent back no further, degrees.
const MOST_BENT_BACK: f64 = -66.0;
/// Rounds in which all of them are lifted.
const LIFTS: usize = 10;

/// How a part of the trunk is turned, degrees.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Forward bend is positive: 90 lies on the front, −90 on the back.
    pub pitch: f64,
    /// About the vertical, positive to the left.
    pub yaw: f64,
    /// About the trunk's own length, positive to the left.
    pub twist: f64,
}

/// Bent forward and no more.
pub const fn bent(pitch: f64) -> Turn {
    Turn {
        pitch,
        yaw: 0.0,
        twist: 0.0,
    }
}

impl Turn {
    fn rotation(self) -> DQuat {
        DQuat::from_rotation_y(self.yaw.to_radians())
            * DQuat::from_rotation_x(self.pitch.to_radians())
            * DQuat::from_rotation_y(self.twist.to_radians())
    }
}

/// Where a hand is.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Metres.
    pub wrist: [f64; 3],
    /// Where the elbow points to.
    pub elbow: [f64; 3],
    /// Hand towards the palm, degrees.
    pub bend: f64,
    /// Forearm roll: 0 thumb ahead, 90 palm back.
    pub pronate: f64,
}

/// Where a foot is.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// Metres.
    pub ankle: [f64; 3],
    /// Where the knee points to.
    pub knee: [f64; 3],
    /// Sole against the floor, degrees; toes up is positive.
    pub pitch: f64,
    /// Bend of the toes, up is negative.
    pub toes: f64,
    /// Degrees about Y.
    pub heading: f64,
}

impl Foot {
    /// On its place in the stance, on the ball where the heel is up.
    pub fn planted(side: Side, pitch: f64, knee: [f64; 3]) -> Self {
        let target = stand::plant(side).target(pitch, 0.0);
        Self {
            ankle: target.ankle.to_array(),
            knee,
            pitch,
            toes: pitch.min(0.0),
            heading: target.heading_deg,
        }
    }

    /// Elsewhere, toes and knee straight ahead of it.
    pub fn free(ankle: [f64; 3], knee: [f64; 3], pitch: f64) -> Self {
        Self {
            ankle,
            knee,
            pitch,
            toes: 0.0,
            heading: 0.0,
        }
    }
}

/// A posture off the feet. Left, right.
#[derive(Clone, Copy, Debug)]
pub struct Low {
    /// Root joint, metres.
    pub root: [f64; 3],
    /// Of the pelvis.
    pub pelvis: Turn,
    /// Of the rib cage.
    pub chest: Turn,
    /// Of the head.
    pub head: Turn,
    /// Hands.
    pub hands: [Hand; 2],
    /// Feet.
    pub feet: [Foot; 2],
}

/// Numbers of a posture that change over time.
const CHANNELS: usize = 3 + 3 * 3 + 2 * 8 + 2 * 9;

impl Low {
    fn channels(&self) -> [f64; CHANNELS] {
        let mut all = [0.0; CHANNELS];
        let trunk = [self.pelvis, self.chest, self.head];
        let turns = trunk
            .into_iter()
            .flat_map(|it| [it.pitch, it.yaw, it.twist]);
        let hands = self.hands.into_iter().flat_map(|it| {
            let turns = [it.bend, it.pronate];
            it.wrist.into_iter().chain(it.elbow).chain(turns)
        });
        let feet = self.feet.into_iter().flat_map(|it| {
            let turns = [it.pitch, it.toes, it.heading];
            it.ankle.into_iter().chain(it.knee).chain(turns)
        });
        let values = self.root.into_iter().chain(turns).chain(hands).chain(feet);
        for (slot, value) in all.iter_mut().zip(values) {
            *slot = value;
        }
        all
    }

    fn of_channels(all: &[f64; CHANNELS]) -> Self {
        let at = |index: usize| all[index];
        let place = |index: usize| [at(index), at(index + 1), at(index + 2)];
        let turn = |first: usize| Turn {
            pitch: at(first),
            yaw: at(first + 1),
            twist: at(first + 2),
        };
        let hand = |first: usize| Hand {
            wrist: place(first),
            elbow: place(first + 3),
            bend: at(first + 6),
            pronate: at(first + 7),
        };
        let foot = |first: usize| Foot {
            ankle: place(first),
            knee: place(first + 3),
            pitch: at(first + 6),
            toes: at(first + 7),
            heading: at(first + 8),
        };
        Self {
            root: place(0),
            pelvis: turn(3),
            chest: turn(6),
            head: turn(9),
            hands: [hand(12), hand(20)],
            feet: [foot(28), foot(37)],
        }
    }

    /// Channel values, everything above the floor: knees lift the root, toes the
    /// ankle, elbows turn outward, hands bend back before their wrists rise.
    fn grounded(mut self, rig: &Rig) -> Frame {
        for _ in 0..LIFTS {
            let world = rig.world(&self.frame(rig));
            let below = |bone: usize, height: f64| (height - world.end[bone].y).max(0.0);
            let knees = Side::BOTH.map(|side| below(side.leg() + 1, KNEE_HEIGHT));
            self.root[1] += knees[0].max(knees[1]);
            for side in Side::BOTH {
                let (leg, arm) = (side.leg(), side.arm());
                let foot = &mut self.feet[side as usize];
                foot.ankle[1] += below(leg + 3, TOE_HEIGHT).max(below(leg + 4, TOE_HEIGHT));
                let hand = &mut self.hands[side as usize];
                hand.elbow[1] += below(arm + 1, ELBOW_HEIGHT);
                let palm = (4..7).map(|bone| below(arm + bone, FINGER_HEIGHT));
                let sunk = palm.fold(0.0, f64::max);
                let bend = (hand.bend - (sunk / HAND).to_degrees()).max(MOST_BENT_BACK);
                // The nearer to its end the bend is, the more the wrist rises.
                let rise = 0.3 + 0.7 * ((MOST_BENT_BACK + 15.0 - bend) / 15.0).clamp(0.0, 1.0);
                hand.wrist[1] += rise * sunk;
                hand.bend = bend.min(hand.bend);
            }
        }
        self.frame(rig)
    }

    fn frame(&self, rig: &Rig) -> Frame {
        let mut poser = Poser::new(rig, DVec3::from(self.root));
        let [pelvis, chest, head] = [self.pelvis, self.chest, self.head].map(Turn::rotation);
        poser.trunk(pelvis, chest, head);
        for side in Side::BOTH {
            hand(&mut poser, side, &self.hands[side as usize]);
            foot(&mut poser, side, &self.feet[side as usize]);
        }
        poser.frame
    }
}

fn hand(poser: &mut Poser<'_>, side: Side, hand: &Hand) {
    let (s, first) = (side.sign(), side.arm());
    let shoulder = poser.world().end[first];
    let to_wrist = within_reach(DVec3::from(hand.wrist) - shoulder);
    let elbow = DVec3::from(hand.elbow) - shoulder;
    let (upper, bend) = two_bones(to_wrist, elbow, [UPPER_ARM, FOREARM]);
    poser.turn_axes(first + 1, upper);
    let angles = &mut poser.frame.angles_deg;
    angles[first + 2][0] = bend.to_degrees();
    angles[first + 3][0] = s * (30.0 - hand.pronate);
    angles[first + 4] = [hand.bend, 0.0, 0.0];
    angles[first + 5][0] = 18.0;
    angles[first + 6] = [8.0, s * 18.0, 0.0];
}

/// Nearly as far as asked for, and never so far that the elbow snaps.
fn within_reach(to_wrist: DVec3) -> DVec3 {
    const FREE: f64 = 0.86;
    const ROOM: f64 = 0.12;
    let share = to_wrist.length() / (UPPER_ARM + FOREARM);
    if share <= FREE {
        return to_wrist;
    }
    to_wrist * ((FREE + ROOM * ((share - FREE) / ROOM).tanh()) / share)
}

fn foot(poser: &mut Poser<'_>, side: Side, foot: &Foot) {
    let first = side.leg();
    let hip = poser.world().end[first];
    let (to_ankle, knee) = (DVec3::from(foot.ankle) - hip, DVec3::from(foot.knee) - hip);
    let (thigh, bend) = two_bones(to_ankle, knee, [THIGH, SHANK]);
    poser.turn_axes(first + 1, thigh);
    let shank = thigh * glam::DMat3::from_rotation_x(bend);
    let ahead = shank.transpose() * (sole_rotation(foot.heading, foot.pitch) * DVec3::Z);
    let angles = &mut poser.frame.angles_deg;
    angles[first + 2][0] = bend.to_degrees();
    let turn = ahead.x.atan2(ahead.z.max(0.05)).to_degrees();
    let point = -ahead.y.clamp(-1.0, 1.0).asin().to_degrees();
    angles[first + 3] = [point, turn, 0.0];
    angles[first + 4][0] = foot.toes;
}

/// Postures over time, of which the last is the stance.
pub struct Keys {
    keys: Vec<(f64, [f64; CHANNELS])>,
    /// From here on the stance itself takes over.
    stands_secs: f64,
    end_secs: f64,
}

impl Keys {
    /// Goes through `postures` into the stance.
    pub fn new(rig: &Rig, postures: &[(f64, Low)], stands_secs: f64, end_secs: f64) -> Self {
        let mut keys: Vec<_> = { postures.iter() }
            .map(|(t, low)| (*t, low.channels()))
            .collect();
        keys.push((end_secs, stance(rig).channels()));
        Self {
            keys,
            stands_secs,
            end_secs,
        }
    }

    /// Channel values at a time, within the limits of the joints.
    pub fn frame(&self, rig: &Rig, t: f64) -> Frame {
        let mut now = [0.0; CHANNELS];
        for (channel, value) in now.iter_mut().enumerate() {
            let keys: Vec<Key> = { self.keys.iter() }
                .map(|(t, all)| (*t, all[channel]))
                .collect();
            *value = keyed_soft(&keys, SOFTNESS_SECS, t);
        }
        let mut frame = Low::of_channels(&now).grounded(rig);
        let stance = balance::solve(rig, &stand::at_ease(0.0));
        let share = monotone(&[(self.stands_secs, 0.0), (self.end_secs - 0.1, 1.0)], t);
        frame.root_m = frame.root_m.lerp(stance.root_m, share);
        for (bone, angles) in frame.angles_deg.iter_mut().enumerate() {
            for (dof, (_, [low, high])) in rig.bones[bone].dofs.iter().enumerate() {
                let goal = stance.angles_deg[bone][dof];
                // The nearest of the full turns.
                let own = angles[dof] - 360.0 * ((angles[dof] - goal) / 360.0).round();
                angles[dof] = (own + (goal - own) * share).clamp(*low, *high);
            }
        }
        // Angles blended are not feet blended.
        let world = rig.world(&frame);
        let balls = Side::BOTH.map(|side| world.end[side.leg() + 3].y);
        let low = (SOLE_THICKNESS - balls[0].min(balls[1])).max(0.0);
        frame.root_m.y += if share > 0.0 { low } else { 0.0 };
        frame
    }
}

/// The idle stance in the words of this file.
fn stance(rig: &Rig) -> Low {
    let posture = stand::at_ease(0.0);
    let frame = balance::solve(rig, &posture);
    let world = rig.world(&frame);
    let hand = |side: Side| {
        let first = side.arm();
        let [shoulder, elbow, wrist] =
            [world.end[first], world.end[first + 1], world.end[first + 3]];
        let out = elbow - shoulder.lerp(wrist, 0.56);
        Hand {
            wrist: wrist.to_array(),
            elbow: (elbow + out.normalize_or_zero() * 0.3).to_array(),
            bend: posture.arms[side as usize].wrist,
            pronate: posture.arms[side as usize].pronate,
        }
    };
    let foot = |side: Side| {
        let plant: Plant = stand::plant(side);
        let knee = world.end[side.leg() + 1] + DVec3::Z * 0.4;
        Foot::planted(side, 0.0, (knee + plant.ball * DVec3::X * 0.1).to_array())
    };
    let turn = |attitude: super::posture::Attitude| bent(attitude.pitch);
    Low {
        root: frame.root_m.to_array(),
        pelvis: turn(posture.pelvis),
        chest: turn(posture.chest),
        head: turn(posture.head),
        hands: Side::BOTH.map(hand),
        feet: Side::BOTH.map(foot),
    }
}

/// Of a side's `x` out: mirrored on the right.
pub fn aside(side: Side, [out, y, z]: [f64; 3]) -> [f64; 3] {
    [side.sign() * out, y, z]
}
