//! A loaded clip takes what its numbers need, loading it at most the text on
//! top, and hostile files no more than their own size allows.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use kinetoscope::{
    clip::RawClip,
    import::{self, ImportedSkeleton},
    mocap::asf,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn skeleton(bytes: &[u8]) -> ImportedSkeleton {
    let document = asf::parse("s.asf", bytes).unwrap();
    import::skeleton("s.asf", "s", document, Default::default()).unwrap()
}

/// Bytes held after `work`, and the most held during it.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let result = work();
    let held = ALLOCATOR.current_usage().saturating_sub(before);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    (result, held, peak)
}

fn clip_bytes(clip: &RawClip) -> usize {
    clip.raw_bytes() as usize
}

const SMALL: usize = 64 * 1024;

/// One test, because the allocator counts for the whole process.
#[test]
fn loading_takes_the_clip_and_at_most_the_text() {
    let tiny = skeleton(include_bytes!("fixtures/tiny.asf"));

    let mut long_line = b"1\nroot 0 0 0 0 0 0\nspine ".to_vec();
    long_line.resize(32_000_000, b' ');
    (30..long_line.len())
        .step_by(2)
        .for_each(|at| long_line[at] = b'0');
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", &long_line, &tiny, Default::default()));
    let error = outcome.unwrap_err().to_string();
    assert!(
        error.starts_with("m:3:") && error.contains("at most 1000 values"),
        "{error}"
    );
    assert!(peak < SMALL, "{peak} bytes for a long line");

    let many_lines = [
        "1\nroot 0 0 0 0 0 0\n".to_owned(),
        "a 0\n".repeat(4_000_000),
    ]
    .concat();
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", many_lines.as_bytes(), &tiny, Default::default()));
    assert!(outcome.is_err());
    assert!(
        peak < 2 * many_lines.len(),
        "{peak} bytes for a frame of many lines"
    );

    // Two hundred bones once, then never again: held values must not pile up.
    let mut wide = String::from(":bonedata\n");
    let mut links = String::from(":hierarchy\nroot");
    let mut sparse = String::from("1\n");
    for bone in 0..2_000 {
        wide += &format!("begin name b{bone} direction 0 1 0\nlength 1\ndof rx\nend\n");
        links += &format!(" b{bone}");
        sparse += &format!("b{bone} 1\n");
    }
    let wide = skeleton(format!("{wide}{links}\n").as_bytes());
    sparse += &"2\nb0 1\n".repeat(300_000);
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", sparse.as_bytes(), &wide, Default::default()));
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("the file gives only"), "{error}");
    assert!(
        peak < 4 * sparse.len() + 64 * 1024 * 1024,
        "{peak} bytes for {} of text",
        sparse.len()
    );

    let Some(corpus) = common::corpus() else {
        return;
    };
    let skeleton = skeleton(&std::fs::read(corpus.join("cmu-original/01.asf")).unwrap());
    let text = std::fs::read(corpus.join("cmu-original/01_01.amc")).unwrap();
    let (motion, held, peak) =
        measured(|| import::motion("m", "m", &text, &skeleton, Default::default()).unwrap());
    let clip = clip_bytes(&motion.clip);
    eprintln!(
        "{} bytes of text: clip {clip}, held {held}, peak {peak}",
        text.len()
    );
    assert!(
        held < clip + SMALL,
        "{held} bytes held for a clip of {clip}"
    );
    assert!(
        peak < clip + text.len(),
        "{peak} bytes while loading a clip of {clip}"
    );
}
