//! What the readers' fuzz tests share: cases by number, and what none of them
//! may do.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use peak_alloc::PeakAlloc;

use super::mutate::Random;

/// How many cases to run: `KINETOSCOPE_FUZZ_CASES`, or a few.
pub fn cases(few: u64) -> u64 {
    std::env::var("KINETOSCOPE_FUZZ_CASES")
        .map_or(few, |cases| cases.parse().expect("a number of cases"))
}

/// Runs cases: no panic, no second, no more memory than `bytes_per_byte` of the
/// input and `slack_bytes`. Returns how many loaded.
pub fn run(
    allocator: &PeakAlloc,
    cases: u64,
    (bytes_per_byte, slack_bytes): (usize, usize),
    make: impl Fn(&mut Random) -> Vec<u8>,
    read: impl Fn(&[u8]) -> bool,
) -> u64 {
    let (mut loaded, mut slowest, mut most_over) = (0u64, Duration::ZERO, 0);
    for case in 0..cases {
        let input = make(&mut Random::new(case));
        allocator.reset_peak_usage();
        let before = allocator.current_usage();
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| loaded += u64::from(read(&input))));
        let elapsed = start.elapsed();
        let used = allocator.peak_usage().saturating_sub(before);
        assert!(outcome.is_ok(), "case {case} panicked");
        assert!(
            elapsed < Duration::from_secs(1),
            "case {case} took {elapsed:?}"
        );
        let size = input.len();
        assert!(
            used <= bytes_per_byte * size + slack_bytes,
            "case {case}: {used} bytes for an input of {size}"
        );
        slowest = slowest.max(elapsed);
        most_over = most_over.max(used.saturating_sub(4 * size));
    }
    eprintln!(
        "{cases} cases: {loaded} loaded, slowest {slowest:?}, \
         at most {most_over} bytes beyond four times the input"
    );
    loaded
}
