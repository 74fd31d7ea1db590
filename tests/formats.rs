//! Acclaim files as they are found in the wild, one test per fact, on texts
//! small enough to check by hand. The numbers F1 to F27 are those of the table
//! in the documentation of `kinetoscope::mocap`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

use glam::{DMat3, DVec3};
use kinetoscope::{
    assert_close,
    import::{
        self, ImportedMotion, ImportedSkeleton, MotionOptions, RateSource, SkeletonOptions, UpAxis,
    },
    math::EulerOrder,
    mocap::{MocapError, Note, Problem, asf},
    skeleton::{LocalPose, PrecisePose},
    units::LengthUnit,
};

const TINY_ASF: &str = include_str!("fixtures/tiny.asf");
const TINY_AMC: &str = include_str!("fixtures/tiny.amc");
const EVERY_ASF: &str = include_str!("fixtures/every_dof.asf");
const EVERY_AMC: &str = include_str!("fixtures/every_dof.amc");

fn read_asf_with(
    text: impl AsRef<[u8]>,
    options: SkeletonOptions,
) -> Result<ImportedSkeleton, MocapError> {
    let document = asf::parse("s.asf", text.as_ref())?;
    import::skeleton("s.asf", "s", &document, options)
}

fn read_asf(text: impl AsRef<[u8]>) -> Result<ImportedSkeleton, MocapError> {
    read_asf_with(text, SkeletonOptions::default())
}

fn tiny() -> ImportedSkeleton {
    read_asf(TINY_ASF).unwrap()
}

fn read_amc(
    text: impl AsRef<[u8]>,
    skeleton: &ImportedSkeleton,
) -> Result<ImportedMotion, MocapError> {
    import::motion(
        "m.amc",
        "m",
        text.as_ref(),
        skeleton,
        MotionOptions::default(),
    )
}

/// End of a bone in file units.
fn end(skeleton: &ImportedSkeleton, motion: &ImportedMotion, frame: usize, bone: &str) -> DVec3 {
    let mut local = LocalPose::default();
    motion
        .clip
        .frame_pose(&skeleton.skeleton, frame, &mut local);
    let pose = PrecisePose::of(&skeleton.skeleton, &local);
    let joint = skeleton.skeleton.find(bone).unwrap();
    pose.bone(usize::from(joint)).1 / skeleton.length.metres_per_unit()
}

#[track_caller]
fn assert_near(found: DVec3, expected: DVec3) {
    assert_close!(found, expected, 1e-5);
}

fn has(notes: &[Note], words: &str) -> bool {
    notes.iter().any(|note| note.message.contains(words))
}

fn place(error: &MocapError) -> (u64, u64) {
    (error.position.line, error.position.column)
}

#[test]
fn f1_the_unit_is_found_from_the_height_or_taken_at_its_word() {
    assert_eq!(tiny().length.unit, LengthUnit::Inch);
    assert!(tiny().length.assumed);
    let metres = TINY_ASF
        .replace("length 40", "length 1.4")
        .replace("length 30", "length 0.3");
    assert_eq!(read_asf(metres).unwrap().length.unit, LengthUnit::Metre);
    // 18 units divided by 0.45 are 40 inches again.
    let cmu = TINY_ASF
        .replace("length 1.0", "length 0.45")
        .replace("length 40", "length 18");
    let cmu = read_asf(cmu).unwrap();
    assert_close!(cmu.skeleton.rest_height_m(), 1.016, 1e-4);
    let word = read_asf(TINY_ASF.replace("length 1.0", "length CM")).unwrap();
    assert_eq!(
        (word.length.unit, word.length.assumed),
        (LengthUnit::Centimetre, false)
    );
    let option = SkeletonOptions {
        unit: Some(LengthUnit::Foot),
        up: Some(UpAxis::Y),
    };
    assert_eq!(
        read_asf_with(TINY_ASF, option).unwrap().length.unit,
        LengthUnit::Foot
    );
    let error = read_asf(TINY_ASF.replace("length 1.0", "length 0")).unwrap_err();
    assert_eq!(place(&error), (6, 10), "{error}");
}

#[test]
fn f1_one_factor_for_bones_root_position_and_channels() {
    let skeleton = tiny();
    let motion = read_amc(TINY_AMC, &skeleton).unwrap();
    let root = motion.clip.root_translations[0];
    assert_close!(root, glam::Vec3::new(1.0, 2.0, 3.0) * 0.0254, 1e-6);
    assert_near(
        end(&skeleton, &motion, 0, "spine"),
        DVec3::new(1.0, 42.0, 3.0),
    );
}

#[test]
fn f2_the_motion_says_what_angles_are_in() {
    let skeleton = tiny();
    let radians = TINY_AMC
        .replace(":DEGREES", ":radians")
        .replace(" 90", " 1.5707963267948966");
    let motion = read_amc(radians, &skeleton).unwrap();
    assert!(has(
        &motion.notes,
        "the motion counts in radians, its skeleton in degrees"
    ));
    assert_near(
        end(&skeleton, &motion, 1, "spine"),
        DVec3::new(1.0, 2.0, 43.0),
    );
    let silent = read_amc(TINY_AMC.replace(":DEGREES", ""), &skeleton).unwrap();
    assert_near(
        end(&skeleton, &silent, 1, "spine"),
        DVec3::new(1.0, 2.0, 43.0),
    );
}

/// Bones of length 40 up, turned by hand-multiplied matrices.
#[test]
fn f3_f5_rotations_about_fixed_axes_in_the_order_of_the_dofs() {
    let angles = [20f64, -50.0, 75.0];
    let matrices = [
        DMat3::from_rotation_x(angles[0].to_radians()),
        DMat3::from_rotation_y(angles[1].to_radians()),
        DMat3::from_rotation_z(angles[2].to_radians()),
    ];
    for order in ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"] {
        for count in [2, 3] {
            let axes: Vec<usize> = order[..count]
                .bytes()
                .map(|b| usize::from(b - b'x'))
                .collect();
            let dofs: Vec<String> = order[..count].chars().map(|c| format!("r{c}")).collect();
            let skeleton =
                read_asf(TINY_ASF.replace("dof rx ry rz", &format!("dof {}", dofs.join(" "))))
                    .unwrap();
            let values: Vec<String> = axes.iter().map(|&axis| angles[axis].to_string()).collect();
            let text = format!("1\nroot 0 0 0 0 0 0\nspine {}\narm 0\n", values.join(" "));
            let motion = read_amc(text, &skeleton).unwrap();
            let turned = axes
                .iter()
                .fold(DMat3::IDENTITY, |done, &axis| matrices[axis] * done);
            assert_near(
                end(&skeleton, &motion, 0, "spine"),
                turned * (DVec3::Y * 40.0),
            );
        }
    }
}

#[test]
fn f4_the_axis_is_global_its_triplet_always_x_y_z() {
    // `axis 0 0 90` turns the arm's own x into global y, so its rx swings the
    // bone from +x towards −z.
    let skeleton = tiny();
    let motion = read_amc(TINY_AMC.replace("arm 0", "arm 90"), &skeleton).unwrap();
    assert_near(
        end(&skeleton, &motion, 0, "arm"),
        DVec3::new(1.0, 42.0, 3.0 - 30.0),
    );
    for order in ["XYZ", "xzy", "YxZ", "yzx", "ZXY", "zyx"] {
        let text = TINY_ASF.replace("axis 0 0 90 XYZ", &format!("axis 10 20 30 {order}"));
        let skeleton = read_asf(text).unwrap();
        let parsed: EulerOrder = order.parse().unwrap();
        let c = DMat3::from_quat(parsed.rotation(DVec3::new(10.0, 20.0, 30.0) * 1f64.to_radians()));
        let m = DMat3::from_rotation_x(90f64.to_radians());
        let motion = read_amc("1\nroot 0 0 0 0 0 0\nspine 0 0 0\narm 90\n", &skeleton).unwrap();
        let expected = DVec3::Y * 40.0 + c * m * c.transpose() * (DVec3::X * 30.0);
        assert_near(end(&skeleton, &motion, 0, "arm"), expected);
    }
}

#[test]
fn f6_all_seven_dofs_move() {
    let skeleton = read_asf(EVERY_ASF).unwrap();
    let motion = read_amc(EVERY_AMC, &skeleton).unwrap();
    let c = EulerOrder::ALL[3]; // YZX
    assert_eq!(c.to_string(), "YZX");
    let c = DMat3::from_quat(c.rotation(DVec3::new(0.3, 0.2, 0.1)));
    let m = DMat3::from_rotation_z(0.6) * DMat3::from_rotation_y(0.5) * DMat3::from_rotation_x(0.4);
    // The root's order is rz TX ry TY rx TZ: values 0.1 1 0.2 2 0.3 3.
    let root =
        DMat3::from_rotation_x(0.3) * DMat3::from_rotation_y(0.2) * DMat3::from_rotation_z(0.1);
    let root = root * DMat3::from_rotation_y(std::f64::consts::FRAC_PI_2); // preset orientation
    let position = DVec3::new(0.5, 1.0, 0.0) + DVec3::new(1.0, 2.0, 3.0);
    let start = position + root * (c * DVec3::new(0.1, 0.2, 0.3));
    let bone = DVec3::new(0.0, 0.6, 0.8) * (0.5 + 0.25);
    let expected = start + root * (c * m * c.transpose() * bone);
    assert_near(end(&skeleton, &motion, 1, "a"), expected);
    assert_near(end(&skeleton, &motion, 1, "b"), expected); // b starts at a's stretched end
}

#[test]
fn f6_an_unknown_dof_is_an_error_at_its_word() {
    let error = read_asf(TINY_ASF.replace("dof rx ry rz", "dof rx rw rz")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s.asf:23:12: expected one of rx ry rz tx ty tz l, found \"rw\""
    );
    let error = read_asf(TINY_ASF.replace("dof rx ry rz", "dof rx rx rz")).unwrap_err();
    assert_eq!(place(&error), (23, 12), "{error}");
}

#[test]
fn f7_a_bone_without_dof_needs_no_line_and_may_have_one() {
    let fixed = read_asf(TINY_ASF.replace("    dof rx\n", "")).unwrap();
    let silent = read_amc(
        TINY_AMC
            .replace("\narm 0\n", "\n")
            .replace("\narm 30\n", "\n")
            .replace("\narm 1.5e-014\n", "\n"),
        &fixed,
    )
    .unwrap();
    assert!(!has(&silent.notes, "arm"), "{:?}", silent.notes);
    let spoken = read_amc("1\nroot 0 0 0 0 0 0\nspine 0 0 0\narm 0 0 90\n", &fixed).unwrap();
    assert!(has(
        &spoken.notes,
        "no dof; its values are read as rx ry rz"
    ));
    let note = spoken
        .notes
        .iter()
        .find(|note| note.message.contains("no dof"))
        .unwrap();
    assert_eq!(
        (note.bone.as_deref(), note.frame, note.line),
        (Some("arm"), Some(1), Some(4))
    );
    assert_near(end(&fixed, &spoken, 0, "arm"), DVec3::new(0.0, 70.0, 0.0));
}

#[test]
fn f8_limits_inform_and_never_clamp() {
    let skeleton = read_asf(TINY_ASF.replace("(-90 90)", "( 0 0 )")).unwrap();
    let motion = read_amc(TINY_AMC, &skeleton).unwrap();
    assert_near(
        end(&skeleton, &motion, 1, "spine"),
        DVec3::new(1.0, 2.0, 43.0),
    );
    let spine = &skeleton.skeleton.joints()[1];
    assert_eq!(spine.dofs.len(), 3);
    assert_eq!(spine.dofs[0].range, [0.0, 0.0]);
    let arm = tiny().skeleton.joints()[2].clone();
    assert_eq!(arm.dofs[0].range, [f32::NEG_INFINITY, f32::INFINITY]);
    let few = read_asf(TINY_ASF.replacen("           (-90 90)\n", "", 1)).unwrap();
    assert!(has(&few.notes, "2 limits for 3 degrees of freedom"));
    let odd = read_asf(TINY_ASF.replacen("(-90 90)", "(-90)", 1)).unwrap_err();
    assert!(odd.to_string().contains("second bound"), "{odd}");
}

#[test]
fn f9_f10_comments_and_documentation() {
    let commented = TINY_ASF
        .replace("length 40", "length 40 # tall")
        .replace("dof rx\n", "dof rx#one\n");
    let skeleton = read_asf(commented).unwrap();
    assert_eq!(skeleton.skeleton, tiny().skeleton);
    let motion = read_amc(
        TINY_AMC.replace("arm 30", "arm 30 # thirty\n# end"),
        &skeleton,
    )
    .unwrap();
    assert_eq!(motion.clip.frames(), 3);
}

#[test]
fn f11_sections_in_any_order_and_unknown_ones_noted() {
    let (head, rest) = TINY_ASF.split_at(TINY_ASF.find(":root").unwrap());
    let (root, rest) = rest.split_at(rest.find(":bonedata").unwrap());
    let (bones, links) = rest.split_at(rest.find(":hierarchy").unwrap());
    let shuffled = format!(
        ":ik\n a b c\n{links}{}{root}{head}",
        bones.replace(":bonedata", ":BoneData")
    );
    let skeleton = read_asf(shuffled).unwrap();
    assert_eq!(skeleton.skeleton.joints(), tiny().skeleton.joints());
    assert!(has(&skeleton.notes, "unknown section \":ik\" skipped"));
    let every = read_asf(EVERY_ASF).unwrap();
    assert!(has(&every.notes, "unknown keyword \"bodymass\" skipped"));
    let no_units = TINY_ASF
        .replace(":units\n  mass 1.0\n  length 1.0\n  angle deg\n", "")
        .replace("    id 1\n", "");
    assert_eq!(read_asf(no_units).unwrap().skeleton.len(), 3);
}

#[test]
fn f12_a_missing_root_section_is_assumed_aloud() {
    let start = TINY_ASF.find(":root").unwrap();
    let stop = TINY_ASF.find(":bonedata").unwrap();
    let rootless = format!("{}{}", &TINY_ASF[..start], &TINY_ASF[stop..]);
    let skeleton = read_asf(rootless).unwrap();
    assert!(has(&skeleton.notes, "no :root section"));
    assert_eq!(read_amc(TINY_AMC, &skeleton).unwrap().clip.frames(), 3);
}

#[test]
fn f13_the_hierarchy_holds_together_or_says_where_it_does_not() {
    let hierarchy = |links: &str| {
        let start = TINY_ASF.find(":hierarchy").unwrap();
        read_asf(format!(
            "{}:hierarchy\n begin\n{links}\n end\n",
            &TINY_ASF[..start]
        ))
    };
    assert_eq!(
        hierarchy("spine arm\nroot spine").unwrap().skeleton,
        tiny().skeleton
    );
    assert_eq!(
        hierarchy("root spine\nroot arm").unwrap().skeleton.len(),
        3,
        "a parent twice"
    );
    let unknown = hierarchy("root spine tail").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "s.asf:39:12: bone \"tail\" is not defined in :bonedata"
    );
    let second = hierarchy("root spine arm\nspine arm").unwrap_err();
    assert_eq!(
        second.to_string(),
        "s.asf:40:7: bone \"arm\" already hangs from \"root\" (line 39)"
    );
    let cycle = hierarchy("spine arm\narm spine").unwrap_err();
    assert!(matches!(cycle.problem, Problem::Cycle { .. }), "{cycle}");
    assert!(matches!(
        hierarchy("root spine\nspine root").unwrap_err().problem,
        Problem::Cycle { .. }
    ));
    assert!(matches!(
        hierarchy("spine spine").unwrap_err().problem,
        Problem::Cycle { .. }
    ));
    let lost = hierarchy("root spine").unwrap();
    assert_eq!(lost.skeleton.len(), 2);
    let note = lost
        .notes
        .iter()
        .find(|note| note.message.contains("absent from the hierarchy"))
        .unwrap();
    assert_eq!(note.bone.as_deref(), Some("arm"));
}

#[test]
fn f14_names_match_in_any_case_and_order_and_keep_their_spelling() {
    let skeleton = read_asf(TINY_ASF.replace("name spine", "name Spine")).unwrap();
    assert_eq!(skeleton.skeleton.joints()[1].name, "Spine");
    let motion = read_amc("1\nARM 90\nsPINE 0 0 0\nRoot 0 0 0 0 0 0\n", &skeleton).unwrap();
    assert_near(
        end(&skeleton, &motion, 0, "arm"),
        DVec3::new(0.0, 40.0, -30.0),
    );
    let twice = read_asf(TINY_ASF.replace("name arm", "name SPINE")).unwrap_err();
    assert!(
        matches!(twice.problem, Problem::DuplicateBone { first_line: 19, .. }),
        "{twice}"
    );
}

#[test]
fn f15_a_value_that_is_no_number_keeps_the_last_good_one() {
    let skeleton = read_asf(EVERY_ASF).unwrap();
    let motion = read_amc(EVERY_AMC, &skeleton).unwrap();
    let bad: Vec<_> = motion
        .notes
        .iter()
        .filter(|note| note.message.contains("not finite"))
        .collect();
    assert_eq!(bad.len(), 4);
    assert_eq!(
        (bad[0].bone.as_deref(), bad[0].frame, bad[0].line),
        (Some("a"), Some(13), Some(10))
    );
    assert_eq!(motion.clip.validate(), Ok(()));
    let [stretch] = motion.clip.stretches.as_slice() else {
        panic!()
    };
    assert_eq!(stretch.values, [0.0, 0.25, 0.25]);
    let translation = motion.clip.translations[0].values[2];
    assert!(translation.length() > 0.05, "tx was held: {translation}");
    let first = read_amc("1\nroot nan 0 0 0 0 0\nspine inf 0 0\narm 0\n", &tiny()).unwrap();
    assert_near(end(&tiny(), &first, 0, "spine"), DVec3::Y * 40.0);
}

#[test]
fn f16_line_ends_tabs_marks_and_latin_1() {
    let plain = read_amc(TINY_AMC, &tiny()).unwrap();
    let variants = [
        TINY_AMC.replace('\n', "\r\n"),
        TINY_AMC.replace('\n', "\r"),
        TINY_AMC.replacen('\n', "\r\n", 5).replace(' ', "\t"),
        format!("\u{feff}{TINY_AMC}"),
    ];
    for text in variants {
        let asf = TINY_ASF.replace('\n', "\r\n");
        let motion = read_amc(&text, &read_asf(asf).unwrap()).unwrap();
        assert_eq!(motion.clip, plain.clip, "{text:?}");
    }
    let mut latin = b"# f\xfcr\n#!OML:ASF X:\\f\xfcr\\tiny.asf\n".to_vec();
    latin.extend_from_slice(TINY_AMC.split_once('\n').unwrap().1.as_bytes());
    let motion = read_amc(latin, &tiny()).unwrap();
    assert_eq!(motion.source_asf.as_deref(), Some("X:\\für\\tiny.asf"));
}

#[test]
fn f17_the_frame_rate_and_where_it_comes_from() {
    let rate = |stem: &str, text: &str, fps| {
        let options = MotionOptions { fps };
        let motion = import::motion("m", stem, text.as_bytes(), &tiny(), options).unwrap();
        (motion.clip.fps, motion.rate)
    };
    let stated = TINY_AMC.replace(":DEGREES", ":DEGREES\n:samples-per-second 60");
    assert_eq!(rate("a_001_100", &stated, None), (60.0, RateSource::Header));
    assert_eq!(
        rate("a_001_100", TINY_AMC, None),
        (100.0, RateSource::FileName)
    );
    assert_eq!(rate("a_001", TINY_AMC, None), (120.0, RateSource::Assumed));
    assert_eq!(rate("a", &stated, Some(30.0)), (30.0, RateSource::Given));
    let zero = TINY_AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 0");
    assert!(read_amc(zero, &tiny()).is_err());
}

#[test]
fn f18_order_of_appearance_is_time() {
    let motion = read_amc(
        TINY_AMC
            .replace("\n2\nroot", "\n101\nroot")
            .replace("\n3\nroot", "\n102\nroot"),
        &tiny(),
    )
    .unwrap();
    assert_eq!(motion.clip.frames(), 3);
    let gaps: Vec<_> = motion
        .notes
        .iter()
        .filter(|note| note.message.contains("frame-number gap"))
        .collect();
    assert_eq!(gaps.len(), 1);
    assert_eq!((gaps[0].frame, gaps[0].line), (Some(101), Some(8)));
    let late = read_amc(TINY_AMC.replace("\n1\nroot", "\n7\nroot"), &tiny()).unwrap();
    assert!(has(&late.notes, "first frame is numbered 7"));
}

#[test]
fn f19_three_values_for_every_bone() {
    let frames = "1\nroot 0 0 0 0 0 0\nspine 0 0 0\narm 0 0 90\n";
    let forced = read_amc(format!(":force-all-joints-be-3dof\n{frames}"), &tiny()).unwrap();
    let unannounced = read_amc(frames, &tiny()).unwrap();
    assert_eq!(forced.clip, unannounced.clip);
    assert!(has(&unannounced.notes, "value count differs from the dofs"));
    // The arm's axes are turned by 90° about z; rz stays rz.
    assert_near(end(&tiny(), &forced, 0, "arm"), DVec3::new(0.0, 70.0, 0.0));
    let error = read_amc(
        "1\nroot 0 0 0 0 0 0\nspine 0 0 0\narm 0 0\n2\nroot 0 0 0 0 0 0\n",
        &tiny(),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.amc:4:1: frame 1, bone \"arm\": expected 1 values, found 2"
    );
}

#[test]
fn f20_missing_bones_hold_and_a_cut_last_frame_goes() {
    let held = read_amc(
        TINY_AMC.replace("spine 0 0 90\narm 1.5e-014", "spine 0 0 90"),
        &tiny(),
    )
    .unwrap();
    assert_eq!(held.clip.frames(), 3);
    let note = held
        .notes
        .iter()
        .find(|note| note.message.contains("its last value is held"))
        .unwrap();
    assert_eq!((note.bone.as_deref(), note.frame), (Some("arm"), Some(2)));
    for cut in [
        "arm 30\n",
        "spine 0 0 90\narm 30\n",
        " 30\n",
        "30\n",
        "0 90\narm 30\n",
        " 0 0 90\narm 30\n",
    ] {
        let text = TINY_AMC.strip_suffix(cut).unwrap();
        let motion = read_amc(text, &tiny()).unwrap();
        assert_eq!(motion.clip.frames(), 2, "cut {cut:?}");
        assert!(has(&motion.notes, "dropped"), "cut {cut:?}");
    }
    let stump = read_amc(TINY_AMC.replace("arm 30\n", "arm -3.1e-"), &tiny()).unwrap();
    assert_eq!(stump.clip.frames(), 2);
    assert!(has(
        &stump.notes,
        "frame 3 ends after 2 of 3 bones (missing \"arm\"); dropped"
    ));
    let only = read_amc("1\nroot 0 0 0 0 0 0\nspine 0 0", &tiny()).unwrap_err();
    assert!(
        matches!(only.problem, Problem::ValueCount { found: 2, .. }),
        "{only}"
    );
}

#[test]
fn f20_a_bone_that_comes_late_is_read_from_there_on() {
    let motion = read_amc(
        "1\nroot 0 0 0 0 0 0\nspine 0 0 0\n2\nroot 0 0 0 0 0 0\nspine 0 0 0\narm 90\n",
        &tiny(),
    )
    .unwrap();
    assert_eq!(motion.clip.frames(), 2);
    assert_near(end(&tiny(), &motion, 0, "arm"), DVec3::new(30.0, 40.0, 0.0));
    assert_near(
        end(&tiny(), &motion, 1, "arm"),
        DVec3::new(0.0, 40.0, -30.0),
    );
}

#[test]
fn f22_f26_zero_lengths_and_long_directions() {
    let every = read_asf(EVERY_ASF).unwrap();
    let tip = every.skeleton.joints()[1].tip;
    assert_close!(tip, glam::Vec3::new(0.0, 0.3, 0.4), 1e-6);
    assert_eq!(every.skeleton.joints()[2].tip, glam::Vec3::ZERO);
    assert!(
        every
            .skeleton
            .rest_model()
            .joints()
            .iter()
            .all(|joint| joint.is_finite())
    );
}

#[test]
fn f25_z_up_files_stand_up() {
    let lying = TINY_ASF.replace("direction 0 1 0", "direction 0 0 1");
    let option = SkeletonOptions {
        unit: None,
        up: Some(UpAxis::Z),
    };
    let skeleton = read_asf_with(lying, option).unwrap();
    assert_close!(skeleton.skeleton.rest_height_m(), 1.016, 1e-4);
    let motion = read_amc("1\nroot 1 2 3 0 0 90\nspine 0 0 0\narm 0\n", &skeleton).unwrap();
    // File space: root at (1, 2, 3), turned a quarter about z; then z becomes y, y becomes −z.
    assert_near(
        end(&skeleton, &motion, 0, "spine"),
        DVec3::new(1.0, 43.0, -2.0),
    );
    assert_near(
        end(&skeleton, &motion, 0, "arm"),
        DVec3::new(1.0, 43.0, -32.0),
    );
}

#[test]
fn f27_strange_bones_are_ignored_unless_all_are() {
    let motion = read_amc(
        TINY_AMC.replace("\narm ", "\ntail 1 2 3 4 5 6 7 8 9 "),
        &tiny(),
    )
    .unwrap();
    assert!(has(
        &motion.notes,
        "1 bones that the skeleton lacks are ignored: tail"
    ));
    assert!(has(
        &motion.notes,
        "1 bones of the skeleton have no values and stay at rest: arm"
    ));
    let error = read_amc("1\nhips 0 0 0\nneck 0\n", &tiny()).unwrap_err();
    assert!(
        error.to_string().contains(
            "no bone of this motion is in the skeleton \"tiny\" (the motion has hips, neck)"
        ),
        "{error}"
    );
}

#[test]
fn a_bone_twice_in_one_frame_is_an_error() {
    let error = read_amc("1\nroot 0 0 0 0 0 0\narm 1\narm 2\n", &tiny()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.amc:4:1: frame 1: bone \"arm\" appears twice"
    );
}
