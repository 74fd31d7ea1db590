//! From the quaternions of a raw clip to the numbers that are coded.
//!
//! Angles are followed from frame to frame: of all triples that mean the same
//! rotation the one nearest to the last frame's is taken, so that a channel
//! never jumps where the motion does not.

use glam::{DMat3, DQuat, DVec3};

use super::channels::{
    ChannelLayout, RotationCode, Tracks, mean_from_bytes, mean_to_bytes, rotation_dofs,
};
use crate::{
    clip::RawClip,
    skeleton::{Joint, JointIndex, Skeleton},
};

/// A clip as channels.
#[derive(Clone, Debug)]
pub(super) struct SourceChannels {
    pub tracks: Tracks,
    pub layout: ChannelLayout,
    /// Frame after frame, one value per channel.
    pub values: Vec<f64>,
}

/// Below this cosine of the middle angle (within 17° of gimbal lock) the outer
/// two rotate about nearly the same axis and may spin; a rotation vector is then
/// tried as well.
const NEARLY_LOCKED: f64 = 0.3;

/// Chooses how each joint is coded and computes all channels. `reach_m` is how
/// far each joint moves things, `tolerance_m` what may be lost.
pub(super) fn extract(
    skeleton: &Skeleton,
    clip: &RawClip,
    reach_m: &[f64],
    tolerance_m: f64,
) -> SourceChannels {
    let frames = clip.frames();
    let mut tracks = Tracks::default();
    let mut curves = Vec::new();
    for (at, &joint) in clip.animated.iter().enumerate() {
        let rotations: Vec<DQuat> = (0..frames)
            .map(|frame| clip.frame_rotations(frame)[at].as_dquat().normalize())
            .collect();
        let index = usize::from(joint);
        // The angle that moves the farthest point by the tolerance.
        let fine_rad = tolerance_m / reach_m[index];
        let (code, angles) = best_code(&skeleton.joints()[index], &rotations, fine_rad);
        tracks.rotations.push((joint, code));
        curves.push(angles);
    }
    tracks.offsets = sorted(clip.translations.iter().map(|track| track.joint));
    tracks.stretches = sorted(clip.stretches.iter().map(|track| track.joint));
    let layout = ChannelLayout::new(skeleton, &tracks);
    let values = fill(clip, &layout, &curves);
    SourceChannels {
        tracks,
        layout,
        values,
    }
}

fn sorted(joints: impl Iterator<Item = JointIndex>) -> Vec<JointIndex> {
    let mut joints: Vec<_> = joints.collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

fn fill(clip: &RawClip, layout: &ChannelLayout, curves: &[Vec<DVec3>]) -> Vec<f64> {
    let width = layout.channels.len();
    let mut values = vec![0.0; clip.frames() * width];
    for (frame, row) in values.chunks_exact_mut(width).enumerate() {
        let root = clip.root_translations[frame].as_dvec3();
        row[..3].copy_from_slice(&root.to_array());
        for (channels, curve) in layout.rotations.iter().zip(curves) {
            let angles = curve[frame].to_array();
            let range = channels.first..channels.first + channels.count;
            row[range].copy_from_slice(&angles[..channels.count]);
        }
        // Two tracks of one joint add up, as they do in the raw clip.
        for &(joint, first) in &layout.offsets {
            for track in clip.translations.iter().filter(|t| t.joint == joint) {
                let offset = track.values[frame].as_dvec3().to_array();
                (0..3).for_each(|i| row[first + i] += offset[i]);
            }
        }
        for &(joint, channel) in &layout.stretches {
            for track in clip.stretches.iter().filter(|t| t.joint == joint) {
                row[channel] += f64::from(track.values[frame]);
            }
        }
    }
    values
}

/// The joint's own angles if they hold the motion, all three if not, a vector
/// where angles spin.
fn best_code(joint: &Joint, rotations: &[DQuat], fine_rad: f64) -> (RotationCode, Vec<DVec3>) {
    let axes = joint.axes.as_dquat().normalize();
    let own = rotation_dofs(joint);
    if let Some((order, count)) = own.filter(|&(_, count)| count < 3) {
        let curve = follow_angles(rotations, axes, order, count).0;
        let worst = rotations.iter().zip(&curve).map(|(&rotation, &angles)| {
            let rebuilt = axes * product(angles, order, count) * axes.conjugate();
            angle_between(rotation, rebuilt)
        });
        // Fewer than three angles cannot show every rotation. What they leave
        // out is lost before rounding even begins, so it must be next to
        // nothing.
        if worst.fold(0.0, f64::max) < fine_rad * 0.05 {
            return (RotationCode::Dofs, curve);
        }
    }
    let own = own.filter(|&(_, count)| count == 3);
    let (code, order) = match own {
        Some((order, _)) => (RotationCode::Dofs, order),
        None => (RotationCode::Axes, [0, 1, 2]),
    };
    // Three angles show everything, but may spin where two axes meet.
    let (curve, lowest_cosine) = follow_angles(rotations, axes, order, 3);
    if lowest_cosine < NEARLY_LOCKED {
        let mean = mean_to_bytes(mean_rotation(rotations).as_quat());
        let vectors = follow_vectors(rotations, mean_from_bytes(mean).as_dquat());
        if roughness(&vectors, fine_rad) < roughness(&curve, fine_rad) {
            return (RotationCode::Vector(mean), vectors);
        }
    }
    (code, curve)
}

/// About how many bits the curve takes: the logarithms of what a prediction
/// from neighbours misses, near and far.
fn roughness(curve: &[DVec3], fine: f64) -> f64 {
    let bits_at = |gap: usize| {
        // A cheap stand-in for the real coder: the middle of three frames
        // against the mean of the outer two, in tolerances.
        let spans = curve.windows(2 * gap + 1).step_by(gap);
        let bits = spans.map(|span| {
            let off = (span[gap] - (span[0] + span[2 * gap]) * 0.5) / fine;
            off.to_array()
                .iter()
                .map(|o| (1.0 + o.abs()).log2())
                .sum::<f64>()
        });
        bits.sum::<f64>()
    };
    // About the spacings at which the coder predicts: 1 to 16 frames.
    [1, 4, 16].into_iter().map(bits_at).sum()
}

fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let difference = a.conjugate() * b;
    // Exact for small angles, unlike the arc cosine; q and −q are one.
    2.0 * difference.xyz().length().atan2(difference.w.abs())
}

fn product(angles: DVec3, order: [usize; 3], count: usize) -> DQuat {
    (0..count).fold(DQuat::IDENTITY, |done, i| {
        DQuat::from_axis_angle(DVec3::AXES[order[i]], angles[i]) * done
    })
}

/// Angles of every frame about the axes of `order`, and the smallest |cosine|
/// of the middle one of three.
fn follow_angles(
    rotations: &[DQuat],
    axes: DQuat,
    order: [usize; 3],
    count: usize,
) -> (Vec<DVec3>, f64) {
    let mut last = DVec3::ZERO;
    let mut lowest_cosine = 1.0f64;
    let curve = rotations
        .iter()
        .enumerate()
        .map(|(frame, &rotation)| {
            // Seen along the joint's own axes, where angles are about x, y and
            // z.
            let motion = axes.conjugate() * rotation * axes;
            let near = last;
            last = match count {
                1 => DVec3::X * one_angle(motion, order[0]),
                2 => two_angles(DMat3::from_quat(motion), order),
                _ => three_angles(DMat3::from_quat(motion), order, near, frame > 0),
            };
            last = unwrapped(last, near);
            lowest_cosine = lowest_cosine.min(last.y.cos().abs());
            last
        })
        .collect();
    (curve, lowest_cosine)
}

/// `angles` plus whole turns, as near to `near` as may be.
fn unwrapped(angles: DVec3, near: DVec3) -> DVec3 {
    angles - ((angles - near) / std::f64::consts::TAU).round() * std::f64::consts::TAU
}

fn one_angle(motion: DQuat, axis: usize) -> f64 {
    2.0 * motion.xyz()[axis].atan2(motion.w)
}

/// +1 when the first two axes of `order` turn to the third as X, Y turn to Z.
/// With two axes only, the third is the one left over.
fn parity(order: [usize; 3]) -> f64 {
    if (order[0] + 1) % 3 == order[1] {
        1.0
    } else {
        -1.0
    }
}

/// R₂·R₁: the row of the second axis is that of R₁, the column of the first
/// axis that of R₂.
fn two_angles(m: DMat3, order: [usize; 3]) -> DVec3 {
    // R₂ leaves its own axis j alone, so row j of the product is R₁'s; R₁
    // leaves axis i alone, so column i is R₂'s.
    let (i, j) = (order[0], order[1]);
    let k = 3 - i - j;
    let sign = parity(order);
    let at = |row: usize, column: usize| m.col(column)[row];
    DVec3::new(
        (-sign * at(j, k)).atan2(at(j, j)),
        (-sign * at(k, i)).atan2(at(i, i)),
        0.0,
    )
}

/// R₃·R₂·R₁. Two triples give every rotation; the nearer to `near` is taken
/// when there is one. Where the outer axes coincide the first angle stays.
fn three_angles(m: DMat3, order: [usize; 3], near: DVec3, follow: bool) -> DVec3 {
    let [i, j, k] = order;
    let sign = parity(order);
    let at = |row: usize, column: usize| m.col(column)[row];
    // Column i, row k holds ∓sin of the second angle; the other two entries of
    // that column hold its cosine, whose sign is free: taken positive here.
    let second = (-sign * at(k, i)).atan2(at(i, i).hypot(at(j, i)));
    // Gimbal lock: only sum or difference of the outer angles shows. The first
    // stays where it was, so that nothing jumps. Nearer than this the arc
    // tangents fade into the rounding of the source.
    if at(k, j).hypot(at(k, k)) < 1e-5 {
        let undone = m * DMat3::from_axis_angle(DVec3::AXES[i], -near.x);
        let third = (-sign * undone.col(j)[i]).atan2(undone.col(j)[j]);
        return DVec3::new(near.x, second, third);
    }
    let first = (sign * at(k, j)).atan2(at(k, k));
    let third = (sign * at(j, i)).atan2(at(i, i));
    let triple = DVec3::new(first, second, third);
    let half_turn = std::f64::consts::PI;
    // The same rotation with the negative cosine.
    let other = DVec3::new(first + half_turn, half_turn - second, third + half_turn);
    let distance = |triple: DVec3| (unwrapped(triple, near) - near).abs().element_sum();
    if follow && distance(other) < distance(triple) {
        other
    } else {
        triple
    }
}

fn mean_rotation(rotations: &[DQuat]) -> DQuat {
    // The mean of unit quaternions in one half of the sphere; where they
    // cancel, any rotation of the clip is as good.
    let reference = rotations[rotations.len() / 2];
    let sum = rotations
        .iter()
        .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &q| {
            if q.dot(reference) < 0.0 {
                sum - q
            } else {
                sum + q
            }
        });
    if sum.length_squared() > 1e-6 {
        sum.normalize()
    } else {
        reference
    }
}

/// Rotation vectors around `mean`, followed past half a turn.
fn follow_vectors(rotations: &[DQuat], mean: DQuat) -> Vec<DVec3> {
    let mut last = DVec3::ZERO;
    let vectors = rotations.iter().map(|&rotation| {
        let vector = log(mean.conjugate() * rotation);
        let length = vector.length();
        if length > 1e-9 {
            // The same rotation the long way round: a vector may grow past
            // half a turn instead of jumping to its other end.
            let other = vector * (1.0 - std::f64::consts::TAU / length);
            let nearer = other.distance_squared(last) < vector.distance_squared(last);
            last = if nearer { other } else { vector };
        } else {
            last = vector;
        }
        last
    });
    vectors.collect()
}

fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let sin_half = q.xyz().length();
    if sin_half < 1e-12 {
        // The limit of angle / sin(angle / 2) is 2.
        return q.xyz() * 2.0;
    }
    q.xyz() * (2.0 * sin_half.atan2(q.w) / sin_half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];

    #[test]
    fn angles_of_every_order_rebuild_the_rotation() {
        for order in ORDERS {
            for count in 1..=3 {
                for step in 0..60 {
                    let t = f64::from(step) * 0.21;
                    let angles = DVec3::new(t - 3.0, (t * 1.3).sin() * 3.0, 2.0 - t);
                    let rotation = product(angles, order, count);
                    let (curve, _) = follow_angles(&[rotation], DQuat::IDENTITY, order, count);
                    let off = angle_between(product(curve[0], order, count), rotation);
                    assert!(off < 1e-9, "{order:?} {count} {angles}: off by {off}");
                }
            }
        }
    }

    #[test]
    fn a_locked_joint_is_followed_through() {
        // The middle angle passes exactly a quarter turn and beyond.
        let angles = |frame: i32| DVec3::new(0.3, f64::from(frame) * 0.05, -0.2);
        let quarter = std::f64::consts::FRAC_PI_2;
        let mut rotations: Vec<_> = (0..60)
            .map(|frame| product(angles(frame), [0, 1, 2], 3))
            .collect();
        rotations.insert(32, product(DVec3::new(0.3, quarter, -0.2), [0, 1, 2], 3));
        let (curve, lowest) = follow_angles(&rotations, DQuat::IDENTITY, [0, 1, 2], 3);
        assert!(lowest < 1e-6);
        for (frame, pair) in curve.windows(2).enumerate() {
            let jump = (pair[1] - pair[0]).abs().max_element();
            assert!(jump < 0.06, "frame {frame} jumps by {jump}");
        }
    }

    #[test]
    fn vectors_go_past_half_a_turn_without_a_jump() {
        let rotations: Vec<_> = (0..100)
            .map(|i| DQuat::from_rotation_y(f64::from(i) * 0.04))
            .collect();
        let vectors = follow_vectors(&rotations, DQuat::IDENTITY);
        assert_close!(vectors[99].y, 3.96, 1e-9, "{}", vectors[99]);
        for (vector, &rotation) in vectors.iter().zip(&rotations) {
            assert!(angle_between(DQuat::from_scaled_axis(*vector), rotation) < 1e-9);
        }
    }
}
