//! The performer's skeleton in double precision: what the solver poses and the
//! writer prints. Bone names, hierarchy, axes and dofs are those of the CMU
//! skeletons, so that their motions play on it by name; lengths are our own.

use glam::{DQuat, DVec3};
use kinetoscope::math::{Axis, EulerOrder};

/// Bones, the root included.
pub const BONES: usize = 31;
/// Index of the root.
pub const ROOT: usize = 0;
/// Index of the lowest of the three spine bones; the others follow.
pub const LOWERBACK: usize = 11;
/// Index of the uppermost spine bone.
pub const THORAX: usize = 13;
/// Index of the lowest of neck and head; the others follow.
pub const LOWERNECK: usize = 14;

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// +X.
    Left,
    /// −X.
    Right,
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// +1 on the left, −1 on the right.
    pub fn sign(self) -> f64 {
        [1.0, -1.0][self as usize]
    }

    /// Index of the hip joint; femur, tibia, foot and toes follow.
    pub fn leg(self) -> usize {
        [1, 6][self as usize]
    }

    /// Index of the clavicle; humerus, radius, wrist, hand, fingers and thumb
    /// follow.
    pub fn arm(self) -> usize {
        [17, 24][self as usize]
    }
}

/// One bone at rest.
pub struct Bone {
    /// As CMU spells it.
    pub name: &'static str,
    /// `None` for the root.
    pub parent: Option<usize>,
    /// Unit vector of the bone at rest.
    pub direction: DVec3,
    /// Metres.
    pub length_m: f64,
    /// The file's `axis` triplet, degrees, order XYZ.
    pub axis_deg: [f64; 3],
    /// Rotational degrees of freedom with their limits in degrees.
    pub dofs: Vec<(Axis, [f64; 2])>,
}

/// Channel values of one frame: root translation in metres, and for each bone
/// its angles in degrees in the order of its dofs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Metres.
    pub root_m: DVec3,
    /// Unused entries are zero.
    pub angles_deg: [[f64; 3]; BONES],
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            root_m: DVec3::ZERO,
            angles_deg: [[0.0; 3]; BONES],
        }
    }
}

/// Where every bone is in the world.
pub struct World {
    /// Joints.
    pub start: [DVec3; BONES],
    /// Far ends of the bones.
    pub end: [DVec3; BONES],
    /// Rotation since the rest pose.
    pub rotation: [DQuat; BONES],
}

/// All bones, parents first.
pub struct Rig {
    /// In the order of the file.
    pub bones: Vec<Bone>,
    axes: Vec<DQuat>,
}

/// Decimals of a `direction` in the file.
pub const DIRECTION_DECIMALS: usize = 6;
/// Decimals of a `length` in the file.
pub const LENGTH_DECIMALS: usize = 5;
/// File units in a metre: inches scaled by `length 0.45`.
pub const FILE_UNITS_PER_METRE: f64 = 0.45 / 0.0254;

impl Rig {
    /// The performer, with lengths as the written file gives them back.
    pub fn performer() -> Self {
        let mut bones = super::bones::all();
        for bone in &mut bones {
            let rounded = bone
                .direction
                .to_array()
                .map(|x| round(x, DIRECTION_DECIMALS));
            bone.direction = DVec3::from_array(rounded).normalize_or_zero();
            let length = round(bone.length_m * FILE_UNITS_PER_METRE, LENGTH_DECIMALS);
            bone.length_m = length / FILE_UNITS_PER_METRE;
        }
        let axes = bones.iter().map(|bone| euler(bone.axis_deg)).collect();
        Self { bones, axes }
    }

    /// The rotation that the file's `axis` gives a bone's dofs.
    pub fn axes(&self, bone: usize) -> DQuat {
        self.axes[bone]
    }

    /// Index by name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones.iter().position(|bone| bone.name == name)
    }

    /// Turn of a bone in its parent under the given channel values.
    pub fn local_rotation(&self, bone: usize, angles_deg: [f64; 3]) -> DQuat {
        let dofs = self.bones[bone].dofs.iter();
        let motion = dofs
            .zip(angles_deg)
            .fold(DQuat::IDENTITY, |done, ((axis, _), angle)| {
                DQuat::from_axis_angle(axis.vector(), angle.to_radians()) * done
            });
        self.axes[bone] * motion * self.axes[bone].conjugate()
    }

    /// Forward kinematics.
    pub fn world(&self, frame: &Frame) -> World {
        let mut world = World {
            start: [frame.root_m; BONES],
            end: [frame.root_m; BONES],
            rotation: [DQuat::IDENTITY; BONES],
        };
        for (index, bone) in self.bones.iter().enumerate() {
            let turn = self.local_rotation(index, frame.angles_deg[index]);
            let (rotation, start) = match bone.parent {
                Some(parent) => (world.rotation[parent] * turn, world.end[parent]),
                None => (turn, frame.root_m),
            };
            world.rotation[index] = rotation;
            world.start[index] = start;
            world.end[index] = start + rotation * (bone.direction * bone.length_m);
        }
        world
    }
}

/// The rotation of an XYZ triplet in degrees.
pub fn euler(angles_deg: [f64; 3]) -> DQuat {
    EulerOrder::XYZ.rotation(DVec3::from_array(angles_deg.map(f64::to_radians)))
}

/// Below this cosine of the middle angle the outer two turn about one axis.
const GIMBAL_COSINE: f64 = 1e-6;

/// The XYZ triplet in degrees of a rotation, middle angle within ±90. Where
/// the outer two angles cannot be told apart the third is `third_if_free`.
pub fn euler_angles(rotation: DQuat, third_if_free: f64) -> [f64; 3] {
    let x = rotation * DVec3::X;
    let cosine = x.x.hypot(x.y);
    let third = if cosine < GIMBAL_COSINE {
        third_if_free.to_radians()
    } else {
        x.y.atan2(x.x)
    };
    let middle = (-x.z).atan2(cosine);
    // What the third angle leaves is Ry · Rx, whose Y row holds the first.
    let rest = DQuat::from_rotation_z(-third) * rotation;
    let first = (-(rest * DVec3::Z).y).atan2((rest * DVec3::Y).y);
    [first, middle, third].map(f64::to_degrees)
}

/// Rounds to a number of decimals, as printing does.
pub fn round(value: f64, decimals: usize) -> f64 {
    let scale = 10f64.powi(decimals as i32);
    (value * scale).round() / scale
}
