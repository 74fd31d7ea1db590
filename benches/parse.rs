//! AMC and BVH text to clip, beside the limit for any parser: a loop that only
//! splits the same bytes into words and reads each number. `tokens` reads them with
//! the standard library, and is the reference; `tokens-own` with our scanner,
//! and shows what is left on top of it.

#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a benchmark is a program of its own"
)]

use std::{hint::black_box, path::PathBuf};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kinetoscope::{
    import::{self, ImportedSkeleton},
    mocap::{asf, number},
    testing::{alongside_corpus, corpus},
};

/// Splits at white space and scans every word that starts like a number.
fn tokens_and_own_numbers(bytes: &[u8]) -> f64 {
    let mut sum = 0.0;
    let words = bytes
        .split(|&byte| byte <= b' ')
        .filter(|word| !word.is_empty());
    for word in words {
        if matches!(word[0], b'-' | b'0'..=b'9')
            && let Some((value, _)) = number::scan(word)
        {
            sum += value;
        }
    }
    sum
}

/// The same with the standard library.
fn tokens_and_numbers(text: &str) -> f64 {
    let words = text.split_ascii_whitespace();
    words.filter_map(|word| word.parse::<f64>().ok()).sum()
}

fn skeleton(path: &PathBuf) -> ImportedSkeleton {
    let bytes = std::fs::read(path).expect("the skeleton is there");
    let document = asf::parse("bench", &bytes).expect("it parses");
    import::skeleton("bench", "bench", &document, Default::default()).expect("it imports")
}

/// Rows of numbers, a line a frame.
fn parse_bvh(criterion: &mut Criterion) {
    let Some(folder) = alongside_corpus("bvh") else {
        return;
    };
    let mut group = criterion.benchmark_group("parse");
    for name in ["cmu-01_01.bvh", "threejs-pirouette.bvh"] {
        let bytes = std::fs::read(folder.join(name)).expect("the motion is there");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(BenchmarkId::new("clip", name), &bytes, |bencher, bytes| {
            let read = || {
                import::bvh(
                    "bench",
                    "bench",
                    bytes,
                    Default::default(),
                    Default::default(),
                )
            };
            bencher.iter(read);
        });
    }
    group.finish();
}

fn parse(criterion: &mut Criterion) {
    let Some(corpus) = corpus() else { return };
    let clips = [
        ("cmu-original/01.asf", "cmu-original/01_01.amc"),
        ("characterengine/skeleton.asf", "characterengine/idle.amc"),
        ("hdm05/HDM_mm.asf", "hdm05/HDM_mm_lieDownFloor_016_120.amc"),
    ];
    let mut group = criterion.benchmark_group("parse");
    for (asf, amc) in clips {
        let bytes = std::fs::read(corpus.join(amc)).expect("the motion is there");
        let skeleton = skeleton(&corpus.join(asf));
        let name = amc.rsplit('/').next().unwrap_or(amc);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_with_input(
            BenchmarkId::new("tokens-own", name),
            &bytes,
            |bencher, bytes| {
                bencher.iter(|| black_box(tokens_and_own_numbers(bytes)));
            },
        );
        let text = String::from_utf8_lossy(&bytes).into_owned();
        group.bench_with_input(BenchmarkId::new("tokens", name), &text, |bencher, text| {
            bencher.iter(|| black_box(tokens_and_numbers(text)));
        });
        group.bench_with_input(BenchmarkId::new("clip", name), &bytes, |bencher, bytes| {
            bencher.iter(|| import::motion("bench", "bench", bytes, &skeleton, Default::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, parse, parse_bvh);
criterion_main!(benches);
