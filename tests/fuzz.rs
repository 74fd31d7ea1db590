//! Seeded mutations of skeletons and motions: no panic, no second, no more
//! memory than the input justifies, and nothing unsound in what loads.
//!
//! `KINETOSCOPE_FUZZ_CASES` sets how many; `make fuzz` runs two million.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use common::mutate::{Random, mutate, seeds};
use kinetoscope::{
    import::{self, ImportedSkeleton},
    mocap::asf,
    skeleton::{LocalPose, ModelPose},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SLACK_BYTES: usize = 64 * 1024 * 1024;

/// Words that have broken parsers before.
const WORDS: [&str; 28] = [
    "nan",
    "-nan(ind)",
    "1.#QNAN",
    "inf",
    "1e999",
    "-1e-999",
    "99999999999999999999",
    "0x10",
    "-",
    ".",
    ":",
    ":root",
    ":bonedata",
    ":hierarchy",
    ":units",
    ":documentation",
    ":FORCE-ALL-JOINTS-BE-3DOF",
    ":RADIANS",
    "begin",
    "end",
    "root",
    "\r",
    "\n",
    "\0",
    "#",
    "(",
    "dof rx ry rz tx ty tz l",
    "length 0",
];

fn read_skeleton(bytes: &[u8]) -> Option<ImportedSkeleton> {
    let document = asf::parse("fuzz.asf", bytes).ok()?;
    let skeleton = import::skeleton("fuzz.asf", "fuzz", &document, Default::default()).ok()?;
    let sound = skeleton
        .skeleton
        .rest_model()
        .joints()
        .iter()
        .all(|joint| joint.is_finite());
    assert!(sound, "a skeleton loaded that is not finite");
    Some(skeleton)
}

/// True when the motion loaded.
fn read_motion(bytes: &[u8], skeleton: &ImportedSkeleton) -> bool {
    let Ok(motion) = import::motion("fuzz.amc", "fuzz", bytes, skeleton, Default::default()) else {
        return false;
    };
    motion
        .clip
        .validate()
        .expect("a clip loaded that is not sound");
    let mut local = LocalPose::default();
    let mut model = ModelPose::default();
    motion
        .clip
        .frame_pose(&skeleton.skeleton, motion.clip.frames() - 1, &mut local);
    model.compute(&skeleton.skeleton, &local);
    assert!(
        model.joints().iter().all(|joint| joint.is_finite()),
        "a pose that is not finite"
    );
    true
}

#[test]
fn mutated_files_never_break_the_readers() {
    let cases = std::env::var("KINETOSCOPE_FUZZ_CASES").ok();
    let cases: u64 = cases.map_or(20_000, |cases| cases.parse().expect("a number of cases"));
    let (skeleton_seeds, motion_seeds) = (
        seeds("asf", common::corpus()),
        seeds("amc", common::corpus()),
    );
    let tiny = read_skeleton(include_bytes!("fixtures/tiny.asf")).unwrap();
    let mut skeletons: Vec<ImportedSkeleton> = skeleton_seeds
        .iter()
        .filter_map(|seed| read_skeleton(seed))
        .collect();
    skeletons.push(tiny);
    let (mut loaded_skeletons, mut loaded_motions) = (0u64, 0u64);
    let mut slowest = Duration::ZERO;
    let mut most_over = 0;
    for case in 0..cases {
        let mut random = Random::new(case);
        let seeds = if case % 4 == 0 {
            &skeleton_seeds
        } else {
            &motion_seeds
        };
        let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
        let input = mutate(&seeds[seed], &seeds[other], &WORDS, &mut random);
        let skeleton = &skeletons[random.below(skeletons.len())];
        let motion_seed = &motion_seeds[random.below(motion_seeds.len())];
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if case % 4 != 0 {
                loaded_motions += u64::from(read_motion(&input, skeleton));
            } else if let Some(broken) = read_skeleton(&input) {
                loaded_skeletons += 1;
                loaded_motions += u64::from(read_motion(motion_seed, &broken));
            }
        }));
        let elapsed = start.elapsed();
        let used = ALLOCATOR.peak_usage().saturating_sub(before);
        assert!(outcome.is_ok(), "case {case} panicked");
        assert!(
            elapsed < Duration::from_secs(1),
            "case {case} took {elapsed:?}"
        );
        let size = input.len() + if case % 4 == 0 { motion_seed.len() } else { 0 };
        assert!(
            used <= 4 * size + SLACK_BYTES,
            "case {case}: {used} bytes for an input of {size}"
        );
        slowest = slowest.max(elapsed);
        most_over = most_over.max(used.saturating_sub(4 * size));
    }
    eprintln!(
        "{cases} cases: {loaded_skeletons} skeletons and {loaded_motions} motions loaded, \
         slowest {slowest:?}, at most {most_over} bytes beyond four times the input"
    );
    assert!(
        loaded_skeletons * 100 > cases,
        "hardly a skeleton survives: the mutations are too coarse"
    );
    assert!(
        loaded_motions * 20 > cases,
        "hardly a motion survives: the mutations are too coarse"
    );
}
