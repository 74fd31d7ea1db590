//! Tests of the codec as a whole.

use glam::{Quat, Vec3};

use super::*;
use crate::testing::{Random, corpus};
use crate::{
    clip::{ClipCursor, SampleClip},
    clip::{RawClip, Track},
    codec::{CompressError, Stop, metric::ErrorTable},
    math::{Axis, Transform},
    skeleton::{Dof, DofRange, Joint, LocalPose, NO_PARENT, Skeleton},
};

fn joint(name: &str, parent: u16, dofs: &[Axis]) -> Joint {
    Joint {
        name: name.into(),
        parent,
        rest: Transform::from_translation(Vec3::new(0.05, 0.25, -0.02)),
        tip: Vec3::Y * 0.25,
        axes: Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.5, 0.2),
        dofs: dofs
            .iter()
            .map(|&axis| DofRange::unlimited(Dof::Rotate(axis)))
            .collect(),
    }
}

/// A trunk with two limbs: joints of three, two, one and no named axes.
fn creature() -> Skeleton {
    use Axis::{X, Y, Z};
    let joints = vec![
        joint("root", NO_PARENT, &[X, Y, Z]),
        joint("spine", 0, &[Z, X, Y]),
        joint("knee", 0, &[X]),
        joint("foot", 2, &[X, Z]),
        joint("arm", 1, &[]),
        joint("fixed", 1, &[]),
        joint("hand", 5, &[Y, X, Z]),
    ];
    Skeleton::new("creature", joints).unwrap()
}

/// A sum of a few waves and a little noise.
fn wave(random: &mut Random, frames: usize, size: f32) -> Vec<f32> {
    let waves: Vec<[f32; 3]> = (1..4)
        .map(|i| [random.signed(), random.signed() * 3.0, i as f32 * 0.03])
        .collect();
    let mut value = |frame: usize| {
        let sum: f32 = waves
            .iter()
            .map(|[a, p, f]| a * (p + f * frame as f32).sin())
            .sum();
        size * (sum + 0.01 * random.signed())
    };
    (0..frames).map(&mut value).collect()
}

/// Random motion of the creature that keeps to its named axes.
fn motion(skeleton: &Skeleton, frames: usize, seed: u64) -> RawClip {
    let mut random = Random::new(seed);
    let animated = [0u16, 1, 2, 3, 4, 6];
    let mut rotations = vec![Quat::IDENTITY; frames * animated.len()];
    for (track, &index) in animated.iter().enumerate() {
        let joint = &skeleton.joints()[usize::from(index)];
        let all = [Axis::X, Axis::Y, Axis::Z].map(|axis| DofRange::unlimited(Dof::Rotate(axis)));
        let dofs = if joint.dofs.is_empty() {
            &all[..]
        } else {
            &joint.dofs
        };
        for range in dofs {
            let Dof::Rotate(axis) = range.dof else {
                continue;
            };
            for (frame, angle) in wave(&mut random, frames, 0.5).into_iter().enumerate() {
                let rotated = Quat::from_axis_angle(axis.vector().as_vec3(), angle);
                let rotation = &mut rotations[frame * animated.len() + track];
                *rotation = (joint.axes * rotated * joint.axes.conjugate() * *rotation).normalize();
            }
        }
    }
    let [x, y, z] = [0; 3].map(|_| wave(&mut random, frames, 0.8));
    let root = (0..frames)
        .map(|frame| Vec3::new(x[frame], y[frame], z[frame]))
        .collect();
    RawClip {
        name: "motion".into(),
        fps: 120.0,
        joints: skeleton.len(),
        animated: animated.to_vec(),
        rotations,
        root_translations: root,
        ..RawClip::default()
    }
}

fn max_cm(skeleton: &Skeleton, clip: &RawClip, tight: &TightClip) -> f64 {
    ErrorTable::measure_clip(skeleton, clip, tight)
        .summary()
        .max_cm
}

/// Compresses, reads the bytes back and checks the promise.
fn keep_promise(skeleton: &Skeleton, clip: &RawClip, tolerance_cm: f64) -> TightClip {
    let tight = TightClip::compress(skeleton, clip, tolerance_cm).unwrap();
    let back = TightClip::from_bytes(tight.to_bytes(), skeleton).unwrap();
    assert_eq!(back, tight);
    assert_eq!((back.frames(), back.fps()), (clip.frames(), clip.fps));
    let found = max_cm(skeleton, clip, &back);
    assert!(found <= tolerance_cm, "{found} cm of {tolerance_cm}");
    back
}

#[test]
fn the_promise_holds_on_random_motion() {
    let skeleton = creature();
    for (seed, tolerance_cm) in [(1, 0.003), (2, 0.02), (3, 0.1), (4, 0.5), (5, 3.0)] {
        let clip = motion(&skeleton, 150, seed);
        let tight = keep_promise(&skeleton, &clip, tolerance_cm);
        let ratio = clip.raw_bytes() as f64 / tight.as_bytes().len() as f64;
        assert!(ratio > 3.0, "ratio {ratio} at {tolerance_cm} cm");
    }
}

#[test]
fn clips_of_every_small_length_work() {
    let skeleton = creature();
    for frames in [1, 2, 3, 4, 5, 31, 32, 33, 34, 64, 65, 66] {
        keep_promise(&skeleton, &motion(&skeleton, frames, frames as u64), 0.1);
    }
}

#[test]
fn own_axes_take_one_channel_each_and_other_motion_three() {
    let skeleton = creature();
    let mut clip = motion(&skeleton, 40, 9);
    // 3 of the root's place; 3 + 3 + 1 + 2 + 3 + 3 angles.
    assert_eq!(keep_promise(&skeleton, &clip, 0.1).channels(), 18);
    for frame in 0..40 {
        let knee = &mut clip.rotations[frame * 6 + 2];
        *knee = (*knee * Quat::from_rotation_z(0.01 * frame as f32)).normalize();
    }
    assert_eq!(keep_promise(&skeleton, &clip, 0.1).channels(), 20);
}

#[test]
fn a_still_clip_is_a_handful_of_bytes_whatever_its_length() {
    let skeleton = creature();
    let mut clip = motion(&skeleton, 1, 3);
    let one = clip.rotations.clone();
    clip.rotations = (0..5000).flat_map(|_| one.clone()).collect();
    clip.root_translations = vec![clip.root_translations[0]; 5000];
    let tight = keep_promise(&skeleton, &clip, 0.1);
    assert_eq!(tight.channels(), 0);
    assert!(
        tight.as_bytes().len() < 120,
        "{} bytes",
        tight.as_bytes().len()
    );
}

#[test]
fn one_joint_alone_works() {
    let skeleton = Skeleton::new("one", vec![joint("root", NO_PARENT, &[])]).unwrap();
    let mut random = Random::new(5);
    let angles = wave(&mut random, 70, 1.0);
    let clip = RawClip {
        fps: 29.97,
        joints: 1,
        animated: vec![0],
        rotations: angles.iter().map(|&a| Quat::from_rotation_x(a)).collect(),
        root_translations: angles.iter().map(|&a| Vec3::Z * a).collect(),
        ..RawClip::default()
    };
    keep_promise(&skeleton, &clip, 0.05);
}

#[test]
fn joints_that_spin_and_lock_keep_the_promise() {
    let skeleton = creature();
    let mut clip = motion(&skeleton, 130, 11);
    for frame in 0..130 {
        let t = frame as f32 * 0.1;
        // The arm turns twice about a slant axis; the root tumbles through the
        // pole of its angles.
        let slant = Vec3::new(1.0, 2.0, -1.0).normalize();
        clip.rotations[frame * 6 + 4] = Quat::from_axis_angle(slant, t);
        clip.rotations[frame * 6] = Quat::from_rotation_y(t) * Quat::from_rotation_x(0.3);
    }
    keep_promise(&skeleton, &clip, 0.1);
}

#[test]
fn further_tracks_are_kept() {
    let skeleton = creature();
    let mut clip = motion(&skeleton, 80, 12);
    let mut random = Random::new(6);
    let offsets = wave(&mut random, 80, 0.1);
    clip.translations = vec![Track {
        joint: 3,
        values: offsets
            .iter()
            .map(|&v| Vec3::new(v, 0.5 * v, 0.0))
            .collect(),
    }];
    clip.stretches = vec![Track {
        joint: 1,
        values: wave(&mut random, 80, 0.05),
    }];
    let tight = keep_promise(&skeleton, &clip, 0.05);
    let (mut cursor, mut pose, mut expected) = (
        ClipCursor::default(),
        LocalPose::default(),
        LocalPose::default(),
    );
    for frame in 0..80 {
        tight.sample(&skeleton, frame as f64 / 120.0, &mut cursor, &mut pose);
        clip.frame_pose(&skeleton, frame, &mut expected);
        // Joints below may make up for a part of a bone's error.
        let off = (pose.stretch_m(1) - expected.stretch_m(1)).abs();
        assert!(off < 2e-3, "frame {frame}: off by {off}");
    }
}

#[test]
fn a_seek_gives_what_playing_gives_bit_for_bit() {
    let skeleton = creature();
    let clip = motion(&skeleton, 200, 13);
    let tight = keep_promise(&skeleton, &clip, 0.1);
    let other = keep_promise(&skeleton, &motion(&skeleton, 90, 14), 0.1);
    let times: Vec<f64> = (0..800).map(|i| f64::from(i) * 0.25 / 120.0).collect();
    let (mut playing, mut pose) = (ClipCursor::default(), LocalPose::default());
    let played: Vec<LocalPose> = times
        .iter()
        .map(|&time| {
            tight.sample(&skeleton, time, &mut playing, &mut pose);
            pose.clone()
        })
        .collect();
    let mut random = Random::new(15);
    let mut jumping = ClipCursor::default();
    for _ in 0..600 {
        let at = random.below(times.len());
        if at.is_multiple_of(7) {
            other.sample(&skeleton, times[at], &mut jumping, &mut pose);
        }
        tight.sample(&skeleton, times[at], &mut jumping, &mut pose);
        assert_eq!(pose, played[at], "at {}", times[at]);
    }
}

#[test]
fn times_outside_the_clip_give_its_ends() {
    let skeleton = creature();
    let tight = keep_promise(&skeleton, &motion(&skeleton, 50, 16), 0.1);
    let at = |time_secs: f64| {
        let mut pose = LocalPose::default();
        tight.sample(&skeleton, time_secs, &mut ClipCursor::default(), &mut pose);
        pose
    };
    for time in [-1.0, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(at(time), at(0.0), "{time}");
    }
    for time in [tight.duration_secs(), 99.0, f64::INFINITY] {
        assert_eq!(at(time), at(49.0 / 120.0), "{time}");
    }
}

#[test]
fn what_cannot_be_promised_is_refused_with_what_can() {
    let skeleton = creature();
    let clip = motion(&skeleton, 40, 17);
    for asked_cm in [1e-30, 1e-9, 1e-6] {
        // Before any search: nobody has been asked yet whether to go on.
        let asked = || panic!("a search has begun at {asked_cm} cm");
        let refused = TightClip::compress_until(&skeleton, &clip, asked_cm, Stop::when(&asked));
        let Err(CompressError::TooFine { promised_cm, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(promised_cm < 0.001, "{promised_cm} cm");
        keep_promise(&skeleton, &clip, promised_cm);
    }
    for tolerance_cm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = TightClip::compress(&skeleton, &clip, tolerance_cm);
        assert!(
            matches!(refused, Err(CompressError::BadSetting(_))),
            "{tolerance_cm}"
        );
    }
}

#[test]
fn far_from_the_origin_what_is_promised_can_be_kept() {
    let skeleton = creature();
    for far_m in [100.0, 1e4, 1e7] {
        let mut clip = motion(&skeleton, 40, 22);
        for place in &mut clip.root_translations {
            *place += Vec3::new(far_m, 0.0, -far_m);
        }
        let refused = TightClip::compress(&skeleton, &clip, 1e-9);
        let Err(CompressError::TooFine { promised_cm, .. }) = refused else {
            panic!("{refused:?}");
        };
        keep_promise(&skeleton, &clip, promised_cm);
    }
}

#[test]
fn thousands_of_joints_are_refused_with_the_reason() {
    for parent_of in [|joint: u16| joint - 1, |joint: u16| (joint - 1) / 20] {
        let joints = (0..5000).map(|at| {
            let parent = if at == 0 { NO_PARENT } else { parent_of(at) };
            joint(&format!("joint {at}"), parent, &[])
        });
        let skeleton = Skeleton::new("many", joints.collect()).unwrap();
        let animated: Vec<u16> = (0..5000).collect();
        let turned = |at: usize| Quat::from_rotation_x((at as f32 * 0.1).sin());
        let clip = RawClip {
            fps: 60.0,
            joints: 5000,
            rotations: (0..3 * 5000).map(turned).collect(),
            animated,
            root_translations: vec![Vec3::ZERO; 3],
            ..RawClip::default()
        };
        let asked = || panic!("a search has begun");
        let refused = TightClip::compress_until(&skeleton, &clip, 0.1, Stop::when(&asked));
        let reason = refused.unwrap_err();
        assert!(
            matches!(reason, CompressError::TooManyPairs { .. }),
            "{reason}"
        );
        // With few that move there is little to weigh.
        let mut few = clip;
        few.animated = vec![0, 17, 4000];
        few.rotations = (0..9).map(turned).collect();
        keep_promise(&skeleton, &few, 0.1);
    }
}

/// Whatever was read decodes to finite poses everywhere.
fn check_sound(skeleton: &Skeleton, tight: &TightClip) {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let last = tight.frames() - 1;
    for frame in [0, 1, 7, 40, last / 2, last] {
        let time_secs = (frame.min(last) as f64 + 0.3) / tight.fps();
        tight.sample(skeleton, time_secs, &mut cursor, &mut pose);
        assert!(
            pose.joints().iter().all(|joint| joint.is_finite()),
            "frame {frame}"
        );
    }
}

#[test]
fn every_truncation_is_refused() {
    let skeleton = creature();
    let bytes = keep_promise(&skeleton, &motion(&skeleton, 70, 18), 0.3).to_bytes();
    for length in 0..bytes.len() {
        assert!(
            TightClip::from_bytes(bytes[..length].to_vec(), &skeleton).is_err(),
            "{length}"
        );
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(TightClip::from_bytes(longer, &skeleton).is_err());
}

#[test]
fn corrupt_bytes_give_errors_or_finite_poses() {
    let skeleton = creature();
    let mut clip = motion(&skeleton, 70, 19);
    clip.stretches = vec![Track {
        joint: 1,
        values: vec![0.01; 70],
    }];
    let bytes = keep_promise(&skeleton, &clip, 0.3).to_bytes();
    let mut random = Random::new(20);
    let mut read = 0;
    for _ in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(3) {
            // Half of the hits fall on the head, where they do most.
            let reach = if random.below(2) == 0 {
                200
            } else {
                damaged.len()
            };
            let at = random.below(reach.min(damaged.len()));
            damaged[at] = random.bits() as u8;
        }
        if let Ok(tight) = TightClip::from_bytes(damaged, &skeleton) {
            check_sound(&skeleton, &tight);
            read += 1;
        }
    }
    assert!(
        read > 100,
        "only {read} of 4000 were readable: the test tests little"
    );
}

#[test]
fn noise_is_refused_or_sound() {
    let skeleton = creature();
    let mut random = Random::new(21);
    for length in 0..400 {
        let mut bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        if let Some(version) = bytes.first_mut() {
            *version = stream::VERSION;
        }
        if let Ok(tight) = TightClip::from_bytes(bytes, &skeleton) {
            check_sound(&skeleton, &tight);
        }
    }
}

/// A capture of the corpus, if it is there.
fn capture(skeleton: &str, motion: &str) -> Option<(Skeleton, RawClip)> {
    let folder = corpus()?;
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let document = crate::mocap::asf::parse(skeleton, &bytes(skeleton)).unwrap();
    let hierarchy =
        crate::import::skeleton(skeleton, "hierarchy", &document, Default::default()).unwrap();
    let clip = crate::import::motion(
        motion,
        "clip",
        &bytes(motion),
        &hierarchy,
        Default::default(),
    )
    .unwrap();
    Some((hierarchy.skeleton, clip.clip))
}

#[test]
fn captures_shrink_as_promised() {
    // Floors a little below what was measured; a codec that gets worse fails.
    let captures = [
        (
            "characterengine/skeleton.asf",
            "characterengine/run.amc",
            [10.5, 20.5, 66.0],
        ),
        (
            "characterengine/skeleton.asf",
            "characterengine/jump.amc",
            [13.0, 29.0, 110.0],
        ),
        (
            "hdm05/HDM_bk.asf",
            "hdm05/HDM_bk_grabHighR_006_120.amc",
            [20.0, 60.0, 168.0],
        ),
        // Joints that lock, frames that jump.
        (
            "usc520-derived/history-nanli9-16.asf",
            "usc520-derived/Ktlas-131_04-dance-bezier-quaternion.amc",
            [27.5, 63.0, 145.0],
        ),
    ];
    for (skeleton, motion, least) in captures {
        let Some((skeleton, clip)) = capture(skeleton, motion) else {
            return;
        };
        for (tolerance_cm, least) in [0.01, 0.1, 1.0].into_iter().zip(least) {
            let tight = keep_promise(&skeleton, &clip, tolerance_cm);
            let ratio = clip.raw_bytes() as f64 / tight.as_bytes().len() as f64;
            eprintln!("{motion} at {tolerance_cm} cm: {ratio:.1}");
            assert!(
                ratio >= least,
                "{motion} at {tolerance_cm} cm: {ratio} < {least}"
            );
        }
    }
}
