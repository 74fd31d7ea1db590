//! A posture in words a movement teacher would use, and its translation into
//! channel values: pelvis, chest and head attitudes, arms by joint angles,
//! legs by where the feet are.

use glam::{DMat3, DQuat, DVec3};

use super::{
    foot::{FootTarget, Plant},
    leg,
    rig::{self, Frame, LOWERBACK, LOWERNECK, ROOT, Rig, Side, World},
};

/// Turn of a body part against the walking direction, degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attitude {
    /// About the vertical, positive to the left.
    pub yaw: f64,
    /// Forward bend is positive.
    pub pitch: f64,
    /// Left side up is positive.
    pub roll: f64,
}

impl Attitude {
    /// In this order.
    pub fn new(yaw: f64, pitch: f64, roll: f64) -> Self {
        Self { yaw, pitch, roll }
    }

    fn rotation(self, heading_deg: f64) -> DQuat {
        DQuat::from_rotation_y((self.yaw + heading_deg).to_radians())
            * DQuat::from_rotation_x(self.pitch.to_radians())
            * DQuat::from_rotation_z(self.roll.to_radians())
    }

    fn mirrored(self) -> Self {
        Self::new(-self.yaw, self.pitch, -self.roll)
    }
}

/// One arm, degrees, the same signs on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Shoulder blade up.
    pub shrug: f64,
    /// Shoulder blade forward.
    pub protract: f64,
    /// Upper arm forward and up.
    pub flex: f64,
    /// Upper arm away from the body.
    pub abduct: f64,
    /// Upper arm about its own length, elbow pit inwards.
    pub rotate_in: f64,
    /// Elbow bend.
    pub elbow: f64,
    /// Forearm roll: 0 thumb ahead, 90 palm back.
    pub pronate: f64,
    /// Hand towards the palm.
    pub wrist: f64,
    /// Hand towards the little finger.
    pub ulnar: f64,
    /// Finger curl.
    pub fingers: f64,
    /// Thumb towards the palm.
    pub thumb: f64,
}

impl Arm {
    /// Hanging at ease: a little off the body, softly bent, half curled.
    pub const RELAXED: Self = Self {
        shrug: 0.0,
        protract: 2.0,
        flex: 2.0,
        abduct: 9.0,
        rotate_in: 12.0,
        elbow: 16.0,
        pronate: -28.0,
        wrist: -4.0,
        ulnar: 2.0,
        fingers: 22.0,
        thumb: 14.0,
    };
}

/// At rest the skeleton's neck slopes ahead, as CMU's do; an upright one carries
/// the head over the shoulders.
const NECK_BACK_DEG: f64 = 11.0;

/// The whole body at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// Direction the attitudes are measured from, degrees about Y.
    pub heading_deg: f64,
    /// Root joint, metres.
    pub root: DVec3,
    /// Of the pelvis.
    pub pelvis: Attitude,
    /// Of the rib cage.
    pub chest: Attitude,
    /// Of the head: where the gaze is.
    pub head: Attitude,
    /// Left, right.
    pub arms: [Arm; 2],
    /// Left, right.
    pub feet: [FootTarget; 2],
    /// Knees outward of the toes, degrees; left, right.
    pub knee_out_deg: [f64; 2],
    /// Coordinates of the centre of mass that the root has to bring about.
    pub com: [Option<f64>; 3],
}

impl Posture {
    /// Upright over two plants, arms hanging.
    pub fn standing(root: DVec3, plants: [Plant; 2]) -> Self {
        Self {
            heading_deg: 0.0,
            root,
            pelvis: Attitude::default(),
            chest: Attitude::default(),
            head: Attitude::default(),
            arms: [Arm::RELAXED; 2],
            feet: plants.map(|plant| plant.target(0.0, 0.0)),
            knee_out_deg: [0.0; 2],
            com: [None; 3],
        }
    }

    /// Left and right exchanged.
    pub fn mirrored(self) -> Self {
        let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
        let foot = |f: FootTarget| FootTarget {
            ankle: flip(f.ankle),
            heading_deg: -f.heading_deg,
            ..f
        };
        Self {
            heading_deg: -self.heading_deg,
            root: flip(self.root),
            pelvis: self.pelvis.mirrored(),
            chest: self.chest.mirrored(),
            head: self.head.mirrored(),
            arms: [self.arms[1], self.arms[0]],
            feet: [foot(self.feet[1]), foot(self.feet[0])],
            knee_out_deg: [self.knee_out_deg[1], self.knee_out_deg[0]],
            com: [self.com[0].map(|x| -x), self.com[1], self.com[2]],
        }
    }

    /// Channel values. Legs that cannot reach are stretched as far as they go.
    pub fn frame(&self, rig: &Rig) -> Frame {
        let mut poser = Poser::new(rig, self.root);
        let pelvis = self.pelvis.rotation(self.heading_deg);
        let chest = self.chest.rotation(self.heading_deg);
        let head = self.head.rotation(self.heading_deg);
        poser.trunk(pelvis, chest, head);
        for side in Side::BOTH {
            let which = side as usize;
            poser.arm(side, &self.arms[which]);
            leg::solve(
                &mut poser,
                side,
                &self.feet[which],
                self.knee_out_deg[which],
            );
        }
        poser.frame
    }
}

/// Fills a frame bone by bone, parents first, keeping track of the rotations.
pub struct Poser<'a> {
    /// What is posed.
    pub rig: &'a Rig,
    /// The result.
    pub frame: Frame,
}

impl<'a> Poser<'a> {
    /// Begins with the root alone.
    pub fn new(rig: &'a Rig, root: DVec3) -> Self {
        let frame = Frame {
            root_m: root,
            ..Frame::default()
        };
        Self { rig, frame }
    }

    /// Pelvis, back, neck and head, as they are turned in the world.
    pub fn trunk(&mut self, pelvis: DQuat, chest: DQuat, head: DQuat) {
        self.turn(ROOT, pelvis);
        for (i, share) in [0.34, 0.68, 1.0].into_iter().enumerate() {
            self.turn(LOWERBACK + i, pelvis.slerp(chest, share));
        }
        for (i, (share, back)) in [(0.35, 1.0), (0.7, 0.7), (1.0, 0.0)]
            .into_iter()
            .enumerate()
        {
            let back = DQuat::from_rotation_x(-back * NECK_BACK_DEG.to_radians());
            self.turn(LOWERNECK + i, chest.slerp(head, share) * back);
        }
    }

    /// Where things are so far.
    pub fn world(&self) -> World {
        self.rig.world(&self.frame)
    }

    /// Turns a bone with three dofs so that its rotation since rest, in the
    /// world, is `rotation`.
    pub fn turn(&mut self, bone: usize, rotation: DQuat) {
        let axes = self.rig.axes(bone);
        let parent = match self.rig.bones[bone].parent {
            Some(parent) => self.world().rotation[parent],
            None => DQuat::IDENTITY,
        };
        let motion = axes.conjugate() * parent.conjugate() * rotation * axes;
        self.frame.angles_deg[bone] = rig::euler_angles(motion, 0.0);
    }

    /// Turns a bone with three dofs so that its dof axes lie along the columns
    /// of `axes_in_world`.
    pub fn turn_axes(&mut self, bone: usize, axes_in_world: DMat3) {
        let rotation = DQuat::from_mat3(&axes_in_world) * self.rig.axes(bone).conjugate();
        self.turn(bone, rotation);
    }

    fn arm(&mut self, side: Side, arm: &Arm) {
        let s = side.sign();
        let first = side.arm();
        self.frame.angles_deg[first] = [-s * arm.protract, s * arm.shrug, 0.0];
        let thorax = self.world().rotation[rig::THORAX];
        // Hanging with the elbow pit ahead, a humerus has its hinge axis (its
        // own X) to the right and its Y along the bone, upwards.
        let hanging = DQuat::from_rotation_y(std::f64::consts::PI);
        let axes = thorax
            * DQuat::from_rotation_x(-arm.flex.to_radians())
            * DQuat::from_rotation_z(s * arm.abduct.to_radians())
            * DQuat::from_rotation_y(-s * arm.rotate_in.to_radians())
            * hanging;
        self.turn_axes(first + 1, DMat3::from_quat(axes));
        let angles = &mut self.frame.angles_deg;
        angles[first + 2][0] = arm.elbow;
        // At rest the forearm is rolled 30° from thumb-ahead.
        angles[first + 3][0] = s * (30.0 - arm.pronate);
        angles[first + 4] = [arm.wrist, s * arm.ulnar, 0.0];
        angles[first + 5][0] = arm.fingers;
        angles[first + 6] = [arm.thumb, s * 18.0, 0.0];
    }
}
