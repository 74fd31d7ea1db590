//! Of the clip as a whole: sampling in any order, bytes, and what is refused.

use super::*;
use crate::testing::Random;
use crate::{
    clip::{ClipCursor, SampleClip},
    codec::{classic, synthetic},
    skeleton::LocalPose,
};

fn sample(clip: &KeyClip, skeleton: &Skeleton, time: f64) -> LocalPose {
    let mut pose = LocalPose::default();
    clip.sample(skeleton, time, &mut ClipCursor::default(), &mut pose);
    pose
}

#[test]
fn an_old_cursor_gives_what_a_fresh_one_gives_in_any_order() {
    let skeleton = synthetic::skeleton(7).unwrap();
    let raw = synthetic::clip_with_extras(7, 500, 1);
    let clips = [
        classic::compress(&skeleton, &raw, 0.01).unwrap(),
        classic::compress_every(&skeleton, &raw, 7).unwrap(),
    ];
    let mut random = Random::new(5);
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    for i in 0..3000 {
        // Forward, backward, anywhere; and from clip to clip with one cursor.
        let time = match i / 1000 {
            0 => i as f64 * 0.0045,
            1 => (2000 - i) as f64 * 0.0045,
            _ => f64::from(random.between(-1.0, 6.0)),
        };
        let clip = &clips[(i / 500) & 1];
        clip.sample(&skeleton, time, &mut cursor, &mut pose);
        assert_eq!(pose, sample(clip, &skeleton, time), "{i}: at {time}");
    }
}

#[test]
fn times_outside_the_clip_give_its_ends() {
    let skeleton = synthetic::skeleton(3).unwrap();
    let raw = synthetic::clip(3, 100, 2);
    let clip = classic::compress_every(&skeleton, &raw, 9).unwrap();
    let first = sample(&clip, &skeleton, 0.0);
    let last = sample(&clip, &skeleton, clip.duration_secs());
    for time in [-1.0, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(sample(&clip, &skeleton, time), first);
    }
    for time in [99.0, f64::INFINITY] {
        assert_eq!(sample(&clip, &skeleton, time), last);
    }
}

#[test]
fn keys_are_hit_within_the_precision_of_48_bits() {
    let skeleton = synthetic::skeleton(3).unwrap();
    let raw = synthetic::clip(3, 60, 3);
    let clip = classic::compress_every(&skeleton, &raw, 1).unwrap();
    let mut expected = LocalPose::default();
    for frame in 0..60 {
        raw.frame_pose(&skeleton, frame, &mut expected);
        let found = sample(&clip, &skeleton, frame as f64 / 120.0);
        for (a, b) in expected.joints().iter().zip(found.joints()) {
            let angle = crate::math::quat::angle_between(a.rotation, b.rotation);
            assert!(angle < crate::codec::quat48::QUAT48_MAX_ANGLE_RAD + 1e-6);
            assert_close!(a.translation, b.translation, 1e-4);
        }
    }
}

/// One rotation track of three keys over 300 frames.
fn small() -> Vec<u8> {
    let track = TrackKeys {
        kind: TrackKind::Rotation,
        joint: 1,
        frames: vec![0, 100, 299],
        values: vec![Vec4::W, Vec4::X, -Vec4::W],
        grid: VectorBox::default(),
    };
    let shape = KeyClipShape {
        joints: 2,
        frames: 300,
        fps: 120.0,
        timing: Timing::Knots,
    };
    KeyClip::build(shape, &[vec![track]])
        .unwrap()
        .as_bytes()
        .to_vec()
}

#[test]
fn golden_bytes() {
    let expected = [
        vec![1, 2, 0, 44, 1, 0, 0],    // knots, 2 joints, 300 frames
        120f64.to_le_bytes().to_vec(), // frames a second
        vec![1, 4, 3],                 // one track: rotation of joint 1, 3 keys
        vec![0, 0, 0xff, 0xbf, 0xff, 0xbf, 0xff, 0x3f], // frame 0: w
        vec![100, 0, 0xff, 0x3f, 0xff, 0x3f, 0xff, 0x3f], // frame 100: x
        vec![43, 1, 0xff, 0xbf, 0xff, 0xbf, 0xff, 0xbf], // frame 299: −w
    ];
    assert_eq!(small(), expected.concat());
}

#[test]
fn each_bad_field_is_refused_by_name() {
    let refused = |change: fn(&mut Vec<u8>)| {
        let mut bytes = small();
        change(&mut bytes);
        match KeyClip::from_bytes(bytes.into()) {
            Err(DecodeError::BadField { what, .. } | DecodeError::Truncated { what, .. }) => what,
            Err(DecodeError::Leftover(_)) => "leftover",
            Ok(_) => "nothing",
        }
    };
    assert_eq!(refused(|_| ()), "nothing");
    assert_eq!(refused(|b| b[0] = 3), "timing");
    assert_eq!(refused(|b| b[3..7].fill(0)), "frame count");
    assert_eq!(refused(|b| b[14] |= 0x80), "frame rate");
    assert_eq!(refused(|b| b[7..15].fill(0xff)), "frame rate");
    assert_eq!(refused(|b| b[15] = 0x7f), "tracks");
    assert_eq!(refused(|b| b[16] = 8), "track joint");
    assert_eq!(refused(|b| b[16] = 5), "root track joint");
    assert_eq!(refused(|b| b[17] = 0), "key count");
    assert_eq!(refused(|b| b[17] = 0x7f), "keys");
    assert_eq!(refused(|b| b[18] = 1), "first key's frame");
    assert_eq!(refused(|b| b[34] = 42), "last key's frame");
    assert_eq!(refused(|b| b[27] = 9), "key frame");
    assert_eq!(refused(|b| b.push(0)), "leftover");
    assert_eq!(refused(|b| b.truncate(b.len() - 1)), "keys");
}

#[test]
fn a_curve_through_the_origin_stays_finite() {
    let skeleton = synthetic::skeleton(2).unwrap();
    let clip = KeyClip::from_bytes(small().into()).unwrap();
    for i in 0..3000 {
        let pose = sample(&clip, &skeleton, f64::from(i) * 0.001);
        assert!(pose.joints()[1].is_finite(), "{i}");
    }
}
