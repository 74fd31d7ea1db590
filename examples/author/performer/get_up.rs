//! Getting up: from the back by sitting up and rising over the feet, from the
//! front over hands and knees and one foot. Both end in the idle stance.

use super::{
    low::{Foot, Hand, Keys, Low, Turn, aside, bent},
    rig::{Rig, Side},
};

/// Length of the way up from the back.
pub const SUPINE_SECS: f64 = 4.0;
/// Length of the way up from the front.
pub const PRONE_SECS: f64 = 4.6;

const L: Side = Side::Left;
const R: Side = Side::Right;

fn hand(wrist: [f64; 3], elbow: [f64; 3], bend: f64, pronate: f64) -> Hand {
    Hand {
        wrist,
        elbow,
        bend,
        pronate,
    }
}

fn turned(pitch: f64, twist: f64) -> Turn {
    Turn {
        pitch,
        yaw: 0.0,
        twist,
    }
}

/// Lies with the head behind; heels are drawn in, the right hand props from
/// behind, weight rocks ahead onto the feet.
pub fn supine(rig: &Rig) -> Keys {
    let knee = |side, out, y, z| aside(side, [out, y, z]);
    let lies = Low {
        root: [0.0, 0.105, -0.42],
        pelvis: bent(-90.0),
        chest: bent(-89.0),
        head: bent(-84.0),
        hands: [
            hand([0.27, 0.09, -0.285], [0.70, 0.02, -0.55], -4.0, 20.0),
            hand([-0.27, 0.09, -0.285], [-0.70, 0.02, -0.55], -4.0, 20.0),
        ],
        feet: [
            Foot::free([0.12, 0.075, 0.50], knee(L, 0.18, 0.6, 0.0), 60.0),
            Foot::free([-0.12, 0.075, 0.50], knee(R, 0.18, 0.6, 0.0), 60.0),
        ],
    };
    let postures = [
        (0.0, lies),
        (0.12, lies),
        (
            0.6,
            Low {
                pelvis: bent(-84.0),
                chest: turned(-66.0, -4.0),
                head: bent(-44.0),
                hands: [
                    hand([0.30, 0.24, -0.32], [0.70, 0.05, -0.60], -4.0, 20.0),
                    hand([-0.40, 0.07, -0.46], [-0.70, 0.08, -0.80], -30.0, 60.0),
                ],
                feet: [
                    Foot::free([0.115, 0.085, 0.24], knee(L, 0.15, 0.7, 0.0), 40.0),
                    Foot::free([-0.115, 0.075, 0.36], knee(R, 0.16, 0.7, 0.0), 54.0),
                ],
                ..lies
            },
        ),
        (
            1.15,
            Low {
                root: [0.0, 0.11, -0.42],
                pelvis: bent(-54.0),
                chest: turned(-30.0, -9.0),
                head: bent(-12.0),
                hands: [
                    hand([0.26, 0.40, -0.18], [0.46, 0.20, -0.44], -4.0, 20.0),
                    hand([-0.38, 0.075, -0.74], [-0.48, 0.30, -0.95], -58.0, 80.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, knee(L, 0.14, 0.8, 0.0)),
                    Foot::free([-0.11, 0.085, 0.16], knee(R, 0.15, 0.8, 0.0), 22.0),
                ],
            },
        ),
        (
            1.65,
            Low {
                root: [0.0, 0.125, -0.41],
                pelvis: bent(-26.0),
                chest: turned(4.0, -8.0),
                head: bent(8.0),
                hands: [
                    hand([0.25, 0.46, 0.02], [0.46, 0.25, -0.25], -4.0, 20.0),
                    hand([-0.36, 0.075, -0.68], [-0.46, 0.42, -0.75], -64.0, 84.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, knee(L, 0.15, 0.8, 0.1)),
                    Foot::planted(R, 0.0, knee(R, 0.15, 0.8, 0.1)),
                ],
            },
        ),
        (
            2.1,
            Low {
                root: [0.0, 0.20, -0.36],
                pelvis: bent(-14.0),
                chest: turned(24.0, -4.0),
                head: bent(16.0),
                hands: [
                    hand([0.25, 0.46, 0.30], [0.50, 0.35, 0.0], -4.0, 20.0),
                    hand([-0.33, 0.13, -0.58], [-0.46, 0.45, -0.6], -40.0, 70.0),
                ],
                feet: [
                    Foot::planted(L, -10.0, knee(L, 0.17, 0.7, 0.4)),
                    Foot::planted(R, -10.0, knee(R, 0.17, 0.7, 0.4)),
                ],
            },
        ),
        (
            2.5,
            Low {
                root: [0.0, 0.40, -0.22],
                pelvis: bent(10.0),
                chest: bent(44.0),
                head: bent(20.0),
                hands: [
                    hand([0.26, 0.42, 0.36], [0.52, 0.45, 0.1], -4.0, 20.0),
                    hand([-0.30, 0.34, 0.10], [-0.52, 0.45, -0.2], -10.0, 30.0),
                ],
                feet: [
                    Foot::planted(L, -6.0, knee(L, 0.17, 0.6, 0.6)),
                    Foot::planted(R, -6.0, knee(R, 0.17, 0.6, 0.6)),
                ],
            },
        ),
        (
            2.95,
            Low {
                root: [0.0, 0.68, -0.16],
                pelvis: bent(30.0),
                chest: bent(42.0),
                head: bent(18.0),
                hands: [
                    hand([0.26, 0.62, 0.24], [0.52, 0.7, -0.1], -4.0, 0.0),
                    hand([-0.26, 0.60, 0.20], [-0.52, 0.7, -0.1], -4.0, 0.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, knee(L, 0.14, 0.7, 0.8)),
                    Foot::planted(R, 0.0, knee(R, 0.14, 0.7, 0.8)),
                ],
            },
        ),
    ];
    Keys::new(rig, &postures, 3.1, 3.9)
}

/// Lies with the head ahead and the face to the left; hands push, knees take
/// over, the left foot comes through, then the right one.
pub fn prone(rig: &Rig) -> Keys {
    let knee_down = |side, z| aside(side, [0.13, -0.6, z]);
    let lies = Low {
        root: [0.0, 0.115, 0.05],
        pelvis: bent(90.0),
        chest: bent(90.0),
        head: turned(82.0, 52.0),
        hands: [
            hand([0.40, 0.05, 0.44], [0.70, 0.05, 0.20], -6.0, 60.0),
            hand([-0.40, 0.05, 0.40], [-0.70, 0.05, 0.16], -6.0, 60.0),
        ],
        feet: [
            Foot::free([0.13, 0.08, -0.892], knee_down(L, -0.46), -148.0),
            Foot::free([-0.13, 0.08, -0.892], knee_down(R, -0.46), -148.0),
        ],
    };
    let palms = |elbow_y: f64, elbow_z: f64| {
        Side::BOTH.map(|side| {
            let elbow = aside(side, [0.50, elbow_y, elbow_z]);
            hand(aside(side, [0.29, 0.075, 0.32]), elbow, -66.0, 70.0)
        })
    };
    let on_all_fours = Low {
        root: [0.0, 0.53, -0.33],
        pelvis: bent(72.0),
        chest: bent(80.0),
        head: bent(48.0),
        hands: palms(0.3, -0.1),
        feet: [
            Foot::free([0.13, 0.075, -0.88], knee_down(L, -0.46), -150.0),
            Foot::free([-0.13, 0.075, -0.88], knee_down(R, -0.46), -150.0),
        ],
    };
    let right_knee = Foot {
        toes: -70.0,
        ..Foot::free([-0.12, 0.155, -0.84], knee_down(R, -0.40), -76.0)
    };
    let left_knee = [0.15, 0.75, 0.35];
    let postures = [
        (0.0, lies),
        (0.12, lies),
        (
            0.55,
            Low {
                chest: bent(87.0),
                head: turned(72.0, 14.0),
                hands: palms(0.40, 0.10),
                ..lies
            },
        ),
        (
            1.1,
            Low {
                root: [0.0, 0.25, 0.0],
                pelvis: bent(80.0),
                chest: bent(64.0),
                head: bent(44.0),
                hands: palms(0.40, 0.0),
                ..lies
            },
        ),
        (1.6, on_all_fours),
        (
            1.95,
            Low {
                root: [-0.02, 0.55, -0.35],
                pelvis: bent(58.0),
                chest: turned(72.0, -6.0),
                head: bent(40.0),
                hands: [
                    hand([0.27, 0.14, 0.28], [0.5, 0.45, -0.1], -40.0, 60.0),
                    palms(0.3, -0.1)[1],
                ],
                feet: [
                    Foot::free([0.13, 0.21, -0.42], [0.2, 0.5, 0.2], -14.0),
                    on_all_fours.feet[1],
                ],
            },
        ),
        (
            2.3,
            Low {
                root: [-0.01, 0.57, -0.35],
                pelvis: bent(38.0),
                chest: turned(54.0, -6.0),
                head: bent(30.0),
                hands: [
                    hand([0.22, 0.46, 0.12], [0.55, 0.5, -0.2], -10.0, 60.0),
                    hand([-0.29, 0.12, 0.24], [-0.5, 0.5, -0.1], -40.0, 60.0),
                ],
                feet: [Foot::planted(L, 0.0, left_knee), right_knee],
            },
        ),
        (
            2.7,
            Low {
                root: [0.0, 0.60, -0.31],
                pelvis: bent(24.0),
                chest: bent(34.0),
                head: bent(20.0),
                hands: [
                    hand([0.20, 0.60, 0.12], [0.55, 0.7, -0.2], -10.0, 60.0),
                    hand([-0.26, 0.55, 0.06], [-0.55, 0.7, -0.3], -6.0, 30.0),
                ],
                feet: [Foot::planted(L, 0.0, left_knee), right_knee],
            },
        ),
        (
            3.15,
            Low {
                root: [0.015, 0.76, -0.15],
                pelvis: bent(28.0),
                chest: bent(34.0),
                head: bent(16.0),
                hands: [
                    hand([0.25, 0.66, 0.10], [0.55, 0.8, -0.3], -6.0, 20.0),
                    hand([-0.27, 0.64, 0.06], [-0.55, 0.8, -0.3], -6.0, 20.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, left_knee),
                    Foot {
                        toes: -60.0,
                        ..Foot::free([-0.12, 0.17, -0.74], [-0.13, 0.4, 0.2], -70.0)
                    },
                ],
            },
        ),
        (
            3.5,
            Low {
                root: [0.02, 0.90, -0.05],
                pelvis: bent(18.0),
                chest: bent(20.0),
                head: bent(10.0),
                hands: [
                    hand([0.29, 0.78, 0.06], [0.5, 1.0, -0.4], -4.0, -10.0),
                    hand([-0.29, 0.78, 0.02], [-0.5, 1.0, -0.4], -4.0, -10.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, [0.13, 0.7, 0.6]),
                    Foot::free([-0.11, 0.17, -0.30], [-0.13, 0.7, 0.6], -34.0),
                ],
            },
        ),
        (
            3.85,
            Low {
                root: [0.012, 0.985, -0.015],
                pelvis: bent(9.0),
                chest: bent(9.0),
                head: bent(5.0),
                hands: [
                    hand([0.28, 0.83, 0.06], [0.45, 1.1, -0.4], -4.0, -20.0),
                    hand([-0.28, 0.83, 0.04], [-0.45, 1.1, -0.4], -4.0, -20.0),
                ],
                feet: [
                    Foot::planted(L, 0.0, [0.12, 0.6, 0.6]),
                    Foot::planted(R, 0.0, [-0.12, 0.6, 0.6]),
                ],
            },
        ),
    ];
    Keys::new(rig, &postures, 3.9, 4.5)
}
