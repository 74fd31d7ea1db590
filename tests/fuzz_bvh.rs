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

use common::{
    drive::performer_clips,
    fuzz,
    mutate::{LARGEST_INPUT, Random, mutate, seeds},
};
use kinetoscope::{
    clip::RawClip,
    export::{self, ExportSource},
    import,
    skeleton::{LocalPose, ModelPose},
    units::{LengthScale, LengthUnit},
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

/// Clips of our own as our writer has them, for where there are no captures.
fn written() -> Vec<Vec<u8>> {
    let (skeleton, clips) = performer_clips();
    let length = LengthScale {
        unit: LengthUnit::Centimetre,
        assumed: false,
        divisor: 1.0,
    };
    let bytes = |clip: &RawClip| {
        let skeleton = &skeleton;
        let mut text = export::bvh(ExportSource {
            skeleton,
            clip,
            length,
        })
        .text;
        text.truncate(LARGEST_INPUT / 4);
        text.into_bytes()
    };
    clips.values().map(|clip| bytes(clip.frames())).collect()
}

#[test]
fn no_mutation_of_a_bvh_file_does_harm() {
    let cases = fuzz::cases(3_000);
    // Tails of files are good to splice in, not to start from.
    let mut others = seeds("bvh", common::alongside_corpus("bvh"));
    others.extend(written());
    let seeds: Vec<_> = others.iter().filter(|seed| read(seed)).collect();
    let make = |random: &mut Random| {
        let (seed, other) = (random.below(seeds.len()), random.below(others.len()));
        mutate(seeds[seed], &others[other], &WORDS, random)
    };
    let loaded = fuzz::run(&ALLOCATOR, cases, (16, SLACK_BYTES), make, read);
    assert!(
        loaded * 20 > cases,
        "hardly a motion survives: the mutations are too coarse"
    );
}
