//! The performer's measurements: an adult of 1.75 m.
//!
//! Lengths are fractions of stature from Drillis & Contini (1966) as printed
//! in Winter, *Biomechanics and Motor Control of Human Movement*, fig. 4.1.
//! The hip joint centre follows Bell, Pedersen & Brand (1990): 36 % of the
//! distance between the front pelvic spines to each side. Masses and mass
//! centres are those of de Leva (1996), men.

/// Stature in metres.
pub const STATURE: f64 = 1.75;

/// Hip joint to knee joint.
pub const THIGH: f64 = 0.245 * STATURE;
/// Knee joint to ankle joint.
pub const SHANK: f64 = 0.246 * STATURE;
/// Ankle joint above the sole.
pub const ANKLE_HEIGHT: f64 = 0.039 * STATURE;
/// Heel to toe tip.
pub const FOOT_LENGTH: f64 = 0.152 * STATURE;
/// Ankle joint ahead of the back of the heel.
pub const HEEL_BEHIND_ANKLE: f64 = 0.2 * FOOT_LENGTH;
/// The ball (metatarsal heads) lies at 70 % of the foot's length.
pub const BALL_AHEAD_OF_ANKLE: f64 = 0.7 * FOOT_LENGTH - HEEL_BEHIND_ANKLE;
/// Ball to toe tip.
pub const TOES: f64 = 0.3 * FOOT_LENGTH;
/// Half the thickness of the forefoot: height of the toe joint over the sole.
pub const SOLE_THICKNESS: f64 = 0.02;

/// Half the breadth of the sole under the ball; 0.055 of stature is the whole
/// foot's breadth.
pub const HALF_SOLE_BREADTH: f64 = 0.04;

/// Distance between the front pelvic spines of an adult man.
const PELVIS_WIDTH: f64 = 0.24;
/// Hip joint beside the middle.
pub const HIP_ASIDE: f64 = 0.36 * PELVIS_WIDTH;
/// The root sits at the sacrum: hips are below and ahead of it.
pub const HIP_BELOW_ROOT: f64 = 0.085;
/// See [`HIP_BELOW_ROOT`].
pub const HIP_AHEAD_OF_ROOT: f64 = 0.035;
/// Root above the sole in the upright stance (hip height is 0.530 of stature).
pub const ROOT_HEIGHT: f64 = 0.530 * STATURE + HIP_BELOW_ROOT;

/// Shoulder joint above the sole.
pub const SHOULDER_HEIGHT: f64 = 0.818 * STATURE;
/// Shoulder joint beside the middle: 0.129 of stature is the acromion's, the
/// joint lies 3 cm further in.
pub const SHOULDER_ASIDE: f64 = 0.129 * STATURE - 0.03;
/// Shoulder to elbow.
pub const UPPER_ARM: f64 = 0.186 * STATURE;
/// Elbow to wrist.
pub const FOREARM: f64 = 0.146 * STATURE;
/// Wrist to finger tip.
pub const HAND: f64 = 0.108 * STATURE;

/// A body segment: share of body mass, and where its mass centre lies.
pub struct Segment {
    /// Share of the body's mass.
    pub mass: f64,
    /// Bones whose starts and ends are mixed: (bone, fraction along, weight).
    pub at: &'static [(&'static str, f64, f64)],
}

const fn segment(mass: f64, at: &'static [(&'static str, f64, f64)]) -> Segment {
    Segment { mass, at }
}

/// All segments; masses add up to one.
pub const SEGMENTS: [Segment; 16] = [
    segment(0.0694, &[("head", 0.25, 1.0)]),
    segment(0.1596, &[("thorax", 0.45, 1.0)]),
    segment(0.1633, &[("upperback", 0.0, 1.0)]),
    segment(
        0.1117,
        &[
            ("root", 0.0, 0.4),
            ("lhipjoint", 1.0, 0.3),
            ("rhipjoint", 1.0, 0.3),
        ],
    ),
    segment(0.1416, &[("lfemur", 0.4095, 1.0)]),
    segment(0.1416, &[("rfemur", 0.4095, 1.0)]),
    segment(0.0433, &[("ltibia", 0.4395, 1.0)]),
    segment(0.0433, &[("rtibia", 0.4395, 1.0)]),
    segment(0.0137, &[("lfoot", 0.45, 1.0)]),
    segment(0.0137, &[("rfoot", 0.45, 1.0)]),
    segment(0.0271, &[("lhumerus", 0.5772, 1.0)]),
    segment(0.0271, &[("rhumerus", 0.5772, 1.0)]),
    segment(0.0162, &[("lradius", 0.68, 1.0)]),
    segment(0.0162, &[("rradius", 0.68, 1.0)]),
    segment(0.0061, &[("lhand", 0.8, 1.0)]),
    segment(0.0061, &[("rhand", 0.8, 1.0)]),
];
