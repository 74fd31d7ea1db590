//! Round trips, golden bytes, and every kind of damage.

use super::*;
use crate::testing::Random;
use glam::{Quat, Vec3};

use crate::{
    clip::{CubicKey, Curve, Event, EventTrack, RawClip, SampleClip, TrackBuilder},
    codec::synthetic,
    math::Axis,
    skeleton::{Dof, DofRange, LocalPose},
    units::LengthUnit,
};

fn skeleton(joints: usize) -> KinSkeleton {
    let mut list = synthetic::skeleton(joints).unwrap().joints().to_vec();
    list[1].name = "Hüfte".into();
    list[1].axes = Quat::from_rotation_y(0.3);
    list[1].dofs = vec![
        DofRange::unlimited(Dof::Rotate(Axis::Z)),
        DofRange {
            dof: Dof::Length,
            range: [-0.5, f32::INFINITY],
        },
    ];
    KinSkeleton {
        skeleton: Skeleton::new("two words", list).unwrap(),
        source: "a.asf".into(),
        length: LengthScale {
            unit: LengthUnit::Foot,
            assumed: true,
            divisor: 0.45,
        },
    }
}

fn clip(kin: &Kin, raw: &RawClip, settings: CodecSettings) -> KinClip {
    let skeleton = &kin.skeletons[0].skeleton;
    let origin = ClipOrigin {
        name: raw.name.clone(),
        source: "a.amc".into(),
        fps_assumed: true,
        animated: raw.animated.len(),
    };
    let compressed = settings.compress(skeleton, raw).unwrap();
    KinClip::new(origin, settings, compressed, 0.25)
}

#[test]
fn a_clip_is_added_with_its_skeleton() {
    let (mut kin, raw) = (Kin::default(), synthetic::clip(4, 10, 1));
    kin.add_skeleton(skeleton(4));
    let every = CodecSettings::Every { frames: 3 };
    let (first, second) = (clip(&kin, &raw, every), clip(&kin, &raw, every));
    let mut other = skeleton(4);
    other.source = "b.asf".into();
    kin.add_clip(other, first);
    kin.add_clip(skeleton(4), second);
    assert_eq!(kin.skeletons.len(), 2, "equal ones are shared");
    let found: Vec<_> = kin.clips.iter().map(|clip| clip.skeleton).collect();
    assert_eq!(found, [1, 0]);
    let again = Kin::from_bytes(kin.to_bytes()).unwrap();
    assert_eq!(again.clips[0].max_error_cm, 0.25);
    assert_eq!(again.clips[0].animated, raw.animated.len());
}

/// A small container with a clip of every codec.
fn sample_kin() -> Kin {
    let mut kin = Kin::default();
    assert_eq!(kin.add_skeleton(skeleton(4)), 0);
    assert_eq!(kin.add_skeleton(skeleton(4)), 0, "equal ones are shared");
    let raw = synthetic::clip_with_extras(4, 40, 1);
    for settings in all_settings() {
        kin.clips.push(clip(&kin, &raw, settings));
    }
    kin.tracks.push(tracks(&kin));
    kin
}

/// A clip with a track of every kind and curve.
fn tracks(kin: &Kin) -> KinTracks {
    let skeleton = &kin.skeletons[0].skeleton;
    let name = |joint: usize| skeleton.joints()[joint].name.as_str();
    let cubic = [0.0f32, 1.5].map(|secs| CubicKey {
        secs,
        arriving: Vec3::X,
        value: Vec3::Y * secs,
        leaving: Vec3::Z,
    });
    let mut clip = TrackBuilder::new("keys", skeleton)
        .cubic_translation(name(0), cubic)
        .rotation(
            name(1),
            Curve::Linear,
            [(0.0, Quat::IDENTITY), (0.5, Quat::from_rotation_x(1.0))],
        )
        .scale(name(2), Curve::Step, [(0.25, Vec3::splat(2.0))])
        .weight(1, Curve::Linear, [(0.0, 0.0), (2.0, 1.0)])
        .build()
        .unwrap();
    clip.fps = 24.0;
    KinTracks {
        source: "a.glb".into(),
        fps_assumed: false,
        skeleton: 0,
        clip,
        events: None,
    }
}

#[test]
fn tracks_come_back_bit_for_bit_and_their_bytes_are_as_documented() {
    let mut kin = Kin::default();
    kin.add_skeleton(skeleton(4));
    kin.tracks.push(tracks(&kin));
    let bytes = kin.to_bytes();
    let again = Kin::from_bytes(bytes.clone()).unwrap();
    assert_eq!(again.tracks, kin.tracks);
    let body = tracks::write(&kin.tracks[0]);
    let hex: String = body.iter().map(|byte| format!("{byte:02x}")).collect();
    let golden = concat!(
        "0100",
        "0000",
        "0000",
        "0000000000003840", // version, skeleton, flags, 24 fps
        "046b657973",
        "05612e676c62",
        "0200", // "keys", "a.glb", two weights
        "01",
        "0000",
        "02",
        "02",
        "000000000000c03f", // one translation: joint 0, cubic, two keys
        "0000803f0000000000000000",
        "000000000000000000000000",
        "00000000000000000000803f",
        "0000803f0000000000000000",
        "000000000000c03f00000000",
        "00000000000000000000803f",
        "01",
        "0100",
        "01",
        "02",
        "000000000000003f", // one rotation: joint 1, linear
        "0000000000000000000000000000803f",
        "4477f53e000000000000000040a9603f",
        "01",
        "0200",
        "00",
        "01",
        "0000803e",
        "000000400000004000000040", // one scale, step
        "01",
        "0100",
        "01",
        "02",
        "0000000000000040",
        "000000000000803f", // one weight
    );
    assert_eq!(hex, golden);
}

#[test]
fn wrong_tracks_are_refused_by_name() {
    let mut kin = Kin::default();
    kin.add_skeleton(skeleton(4));
    let body = tracks::write(&tracks(&kin));
    let refused = |at: usize, byte: u8, what: &str| {
        let mut body = body.clone();
        body[at] = byte;
        let error = tracks::read(&body, &kin.skeletons).unwrap_err().to_string();
        assert!(error.contains(what), "{at}: {error}");
    };
    refused(0, 2, "version");
    refused(2, 9, "skeleton");
    refused(13, 0xc0, "frame rate"); // −24
    refused(28, 7, "joint of a track");
    refused(30, 3, "curve");
    refused(31, 0xff, "key"); // more keys than bytes
    refused(35, 0xff, "keys"); // a time that is no number
    for size in 0..body.len() {
        assert!(
            tracks::read(&body[..size], &kin.skeletons).is_err(),
            "{size}"
        );
    }
}

fn all_settings() -> Vec<CodecSettings> {
    vec![
        CodecSettings::Classic { threshold: 0.01 },
        CodecSettings::Spline { tolerance_cm: 0.5 },
        CodecSettings::Tight { tolerance_cm: 0.5 },
        CodecSettings::Every { frames: 7 },
        CodecSettings::Uniform { bits: 7 },
        CodecSettings::Resampled { rate_hz: 20.0 },
        CodecSettings::Linear { threshold: 0.01 },
        CodecSettings::Bspline { threshold: 0.01 },
        CodecSettings::Wavelet { threshold: 0.01 },
    ]
}

#[test]
fn what_is_written_comes_back_bit_for_bit() {
    let kin = sample_kin();
    let bytes = kin.to_bytes();
    let back = Kin::from_bytes(bytes.clone()).unwrap();
    assert_eq!(back.to_bytes(), bytes);
    assert_eq!(back.skeletons, kin.skeletons);
    for (a, b) in kin.clips.iter().zip(&back.clips) {
        assert_eq!(a.clip.as_bytes(), b.clip.as_bytes());
        assert_eq!(
            (&a.name, &a.source, a.settings),
            (&b.name, &b.source, b.settings)
        );
        let [mut one, mut other] = [LocalPose::default(), LocalPose::default()];
        let skeleton = &kin.skeletons[0].skeleton;
        a.clip
            .sample(skeleton, 0.123, &mut Default::default(), &mut one);
        b.clip
            .sample(skeleton, 0.123, &mut Default::default(), &mut other);
        assert_eq!(one, other);
    }
    let stored: u64 = kin.clips.iter().map(KinClip::stored_bytes).sum();
    let alone = Kin {
        clips: Vec::new(),
        ..kin
    };
    assert_eq!(stored, (bytes.len() - alone.to_bytes().len()) as u64);
}

#[test]
fn the_first_bytes_are_as_documented() {
    let bytes = sample_kin().to_bytes();
    // A skeleton, a clip of every codec, a clip of tracks.
    let sections = (1 + all_settings().len() + 1) as u8;
    assert_eq!(bytes[..8], *b"KINETO\x1a\n");
    assert_eq!(bytes[8..16], [1, 0, 0, 0, sections, 0, 0, 0]);
    assert_eq!(bytes[16..20], crc32fast::hash(&bytes[..16]).to_le_bytes());
    assert_eq!(bytes[20..24], [1, 0, 0, 0], "a skeleton comes first");
}

#[test]
fn every_truncation_is_refused() {
    let bytes = sample_kin().to_bytes();
    for size in 0..bytes.len() {
        assert!(
            Kin::from_bytes(bytes[..size].to_vec()).is_err(),
            "{size} bytes"
        );
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(
        Kin::from_bytes(longer),
        Err(KinError::Header(DecodeError::Leftover(1)))
    ));
}

/// Recomputes all checksums, so that damage reaches what they protect.
fn reseal(bytes: &mut [u8]) {
    let sum = crc32fast::hash(&bytes[..16]);
    bytes[16..20].copy_from_slice(&sum.to_le_bytes());
    let mut at = HEADER_BYTES;
    while at + SECTION_HEADER_BYTES <= bytes.len() {
        let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        let body = at + SECTION_HEADER_BYTES;
        let Some(end) = body.checked_add(size).filter(|&end| end <= bytes.len()) else {
            return;
        };
        let sum = checksum(&bytes[at..at + 8], &bytes[body..end]);
        bytes[at + 8..at + 12].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
}

fn sections(bytes: &[u8]) -> Vec<usize> {
    let mut at = HEADER_BYTES;
    let mut starts = Vec::new();
    while at < bytes.len() {
        starts.push(at);
        let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
        at += SECTION_HEADER_BYTES + size as usize;
    }
    starts
}

#[test]
fn each_check_names_itself() {
    let good = sample_kin().to_bytes();
    let clip_section = sections(&good)[1];
    let error = |change: &dyn Fn(&mut Vec<u8>), sealed: bool| {
        let mut bytes = good.clone();
        change(&mut bytes);
        if sealed {
            reseal(&mut bytes);
        }
        Kin::from_bytes(bytes).unwrap_err().to_string()
    };
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let cases: [(Damage<'_>, bool, &str); 9] = [
        (&|b| b[0] = b'k', true, "signature"),
        (&|b| b[8] = 9, true, "version 9"),
        (&|b| b[12] = 99, false, "header is damaged"),
        (&|b| b[12] = 99, true, "section kind needs 4 bytes"),
        (&|b| b[40] ^= 1, false, "section 1 is damaged"),
        (&|b| b[20] = 7, true, "unknown kind 7"),
        (&|b| b[clip_section + 12] = 5, true, "skeleton number is 5"),
        (&|b| b[clip_section + 16] = 77, true, "codec is 77"),
        (&|b| b[clip_section + 4] ^= 0x40, false, "section"),
    ];
    for (change, sealed, expected) in cases {
        let found = error(change, sealed);
        assert!(
            found.contains(expected),
            "{found:?} does not say {expected:?}"
        );
    }
}

#[test]
fn sections_that_may_be_skipped_are() {
    let mut bytes = sample_kin().to_bytes();
    bytes[12] += 1;
    write_section(MAY_BE_SKIPPED + 5, b"from the future", &mut bytes);
    reseal(&mut bytes);
    let clips = Kin::from_bytes(bytes).unwrap().clips.len();
    assert_eq!(clips, all_settings().len());
}

fn track(events: &[(f64, &str)]) -> EventTrack {
    let event = |&(time_secs, name): &(f64, &str)| Event {
        time_secs,
        name: name.to_owned(),
    };
    EventTrack::new(events.iter().map(event).collect())
}

/// A container in which some clips have events, of either kind.
fn kin_with_events() -> Kin {
    let mut kin = sample_kin();
    let mut keyed = tracks(&kin);
    keyed.events = Some(track(&[(0.25, "hit"), (0.5, "Schlag ♪")]));
    kin.tracks.push(keyed);
    kin.clips[1].events = Some(track(&[(0.0, "footstep_left"), (0.125, "")]));
    kin.clips[2].events = Some(EventTrack::default());
    kin
}

#[test]
fn events_come_back_and_their_bytes_are_as_documented() {
    let kin = kin_with_events();
    let bytes = kin.to_bytes();
    let back = Kin::from_bytes(bytes.clone()).unwrap();
    let of = |kin: &Kin| -> Vec<Option<EventTrack>> {
        let clips = kin.clips.iter().map(|it| it.events.clone());
        clips
            .chain(kin.tracks.iter().map(|it| it.events.clone()))
            .collect()
    };
    assert_eq!(of(&back), of(&kin));
    assert_eq!(back.to_bytes(), bytes);
    let last = *sections(&bytes).last().unwrap();
    let mut expected = vec![1, 0, 3, 0, 0, 0, kin.tracks.len() as u8 - 1, 2];
    expected.extend(0.25f64.to_le_bytes());
    expected.extend(b"\x03hit");
    expected.extend(0.5f64.to_le_bytes());
    expected.push("Schlag ♪".len() as u8);
    expected.extend("Schlag ♪".as_bytes());
    assert_eq!(bytes[last + SECTION_HEADER_BYTES..], expected);
    assert_eq!(bytes[last..last + 4], EVENTS.to_le_bytes());
}

/// A reader of before events passes over them: the rest is what it would be
/// without.
#[test]
fn without_events_a_container_is_as_it_was() {
    let mut kin = kin_with_events();
    let with = kin.to_bytes();
    kin.clips.iter_mut().for_each(|it| it.events = None);
    kin.tracks.iter_mut().for_each(|it| it.events = None);
    let without = kin.to_bytes();
    assert_eq!(with[HEADER_BYTES..without.len()], without[HEADER_BYTES..]);
    const { assert!(EVENTS >= MAY_BE_SKIPPED) };
}

#[test]
fn wrong_events_are_refused_by_name() {
    let error = |body: &[u8]| {
        let mut kin = sample_kin();
        events::read(body, &mut kin).unwrap_err().to_string()
    };
    let good = events::write(CLIP, 0, &track(&[(0.5, "hit")]));
    for end in 0..good.len() {
        error(&good[..end]);
    }
    let mut longer = good.clone();
    longer.push(0);
    error(&longer);
    let changed = |at: usize, value: u8| {
        let mut body = good.clone();
        body[at] = value;
        error(&body)
    };
    assert!(changed(6, 99).contains("clip with events"));
    assert!(
        changed(2, 1).contains("clip with events"),
        "a skeleton has none"
    );
    // The sign of the time.
    assert!(changed(15, 0xbf).contains("time of an event"));
    // Of a later version nothing is known, and nothing is taken.
    let mut later = good.clone();
    (later[0], later[6]) = (2, 99);
    let mut kin = sample_kin();
    assert_eq!(events::read(&later, &mut kin), Ok(()));
    assert!(kin.clips.iter().all(|it| it.events.is_none()));
}

/// Damages bytes at random: flips, runs, moves, cuts.
fn corrupt(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.bits() % 4 {
        let at = (random.bits() % bytes.len() as u64) as usize;
        match random.bits() % 6 {
            0 => bytes[at] ^= 1 << (random.bits() % 8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes[at] = [0, 0xff, 0x7f, 0x80][(random.bits() % 4) as usize],
            3 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(random.bits() as u8);
            }
            4 => {
                let from = (random.bits() % bytes.len() as u64) as usize;
                let size = 8.min(bytes.len() - at.max(from));
                bytes.copy_within(from..from + size, at);
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
}

/// 500,000 seeded corruptions, nine in ten of them with checksums that fit, so
/// that they reach the readers behind. What is accepted must also sample. Set
/// `KINETOSCOPE_FUZZ_CASES` for more or fewer.
#[test]
fn corruptions_never_panic() {
    let cases = std::env::var("KINETOSCOPE_FUZZ_CASES");
    let cases = cases.ok().and_then(|n| n.parse().ok()).unwrap_or(500_000);
    let good = kin_with_events().to_bytes();
    let mut random = Random::new(42);
    let (mut accepted, mut pose, mut cursor) = (0, LocalPose::default(), Default::default());
    let mut bytes = Vec::new();
    for case in 0..cases {
        bytes.clone_from(&good);
        corrupt(&mut bytes, &mut random);
        if case % 10 != 0 && bytes.len() > HEADER_BYTES {
            reseal(&mut bytes);
        }
        let Ok(kin) = Kin::from_bytes(bytes.clone()) else {
            continue;
        };
        accepted += 1;
        for clip in &kin.clips {
            let skeleton = &kin.skeletons[clip.skeleton].skeleton;
            let time = f64::from(random.between(-0.1, 0.5));
            clip.clip.sample(skeleton, time, &mut cursor, &mut pose);
            assert!(
                pose.joints().iter().all(|joint| joint.is_finite()),
                "case {case}"
            );
        }
    }
    assert!(
        accepted > cases / 20,
        "checksums hide the readers: {accepted} accepted"
    );
    assert!(accepted < cases, "nothing was refused");
}
