//! Seeded mutations of BVH files: no panic, no second, no more memory than
//! the input justifies, and nothing unsound in what loads.
//!
//! `KINETOSCOPE_FUZZ_CASES` sets how many; `make fuzz` runs 500,000.
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
    import,
    skeleton::{LocalPose, ModelPose},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SLACK_BYTES: usize = 16 * 1024 * 1024;

const WORDS: [&str; 27] = [
    "nan",
    "1.#QNAN",
    "inf",
    "1e999",
    "-1e-999",
    "99999999999999999999",
    "-",
    "{",
    "}",
    "HIERARCHY",
    "ROOT r {",
    "ROOT",
    "JOINT j\n{\nOFFSET 1 2 3\n",
    "JOINT",
    "End Site { OFFSET 0 0 1 }",
    "End",
    "OFFSET",
    "CHANNELS 3 Xrotation Yrotation Zrotation",
    "CHANNELS 99999999",
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
    "MOTION",
    "Frames: 99999999999999",
    "Frame Time: 0",
    "Frame Time: 30",
    "\r",
    "\n",
    "\0",
];

/// True when a motion loaded.
fn read(bytes: &[u8]) -> bool {
    let Ok(read) = import::bvh("f.bvh", "f", bytes, Default::default(), Default::default()) else {
        return false;
    };
    let skeleton = &read.skeleton.skeleton;
    let mut model = skeleton.rest_model();
    assert!(sound(&model), "a rest pose that is not finite");
    let Some(motion) = read.motion else {
        return false;
    };
    let clip = motion.clip;
    clip.validate().expect("a clip loaded that is not sound");
    let mut local = LocalPose::default();
    clip.frame_pose(skeleton, clip.frames() - 1, &mut local);
    model.compute(skeleton, &local);
    assert!(sound(&model), "a pose that is not finite");
    true
}

fn sound(model: &ModelPose) -> bool {
    model.joints().iter().all(|joint| joint.is_finite())
}

#[test]
fn no_mutation_of_a_bvh_file_does_harm() {
    let cases: u64 = std::env::var("KINETOSCOPE_FUZZ_CASES")
        .map_or(3_000, |cases| cases.parse().expect("a number of cases"));
    // Tails of files are good to splice in, not to start from.
    let others = seeds("bvh", common::beside_corpus("bvh"));
    let seeds: Vec<_> = others.iter().filter(|seed| read(seed)).collect();
    let (mut loaded, mut slowest, mut most_over) = (0u64, Duration::ZERO, 0);
    for case in 0..cases {
        let mut random = Random(case);
        let (seed, other) = (random.below(seeds.len()), random.below(others.len()));
        let input = mutate(seeds[seed], &others[other], &WORDS, &mut random);
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| loaded += u64::from(read(&input))));
        let elapsed = start.elapsed();
        let used = ALLOCATOR.peak_usage().saturating_sub(before);
        assert!(outcome.is_ok(), "case {case} panicked");
        assert!(
            elapsed < Duration::from_secs(1),
            "case {case} took {elapsed:?}"
        );
        let size = input.len();
        assert!(
            used <= 16 * size + SLACK_BYTES,
            "case {case}: {used} bytes for an input of {size}"
        );
        slowest = slowest.max(elapsed);
        most_over = most_over.max(used.saturating_sub(4 * size));
    }
    eprintln!(
        "{cases} cases: {loaded} motions loaded, slowest {slowest:?}, \
         at most {most_over} bytes beyond four times the input"
    );
    assert!(
        loaded * 20 > cases,
        "hardly a motion survives: the mutations are too coarse"
    );
}
