//! A tick of a ragdoll, in the air and on the ground.

#![allow(clippy::expect_used)] // a bench without its body cannot go on

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use kinetoscope::{
    body::BodyCache,
    load::{LoadOptions, performer_clip},
    ragdoll::{Ragdoll, RagdollStart, TICK_SECS},
};

fn ticks(criterion: &mut Criterion) {
    let motion = performer_clip("run", LoadOptions::default());
    let motion = motion.expect("it reads").expect("there is one");
    let character = motion.character(&mut BodyCache::default());
    let (before, now) = (character.pose_at(0.1), character.pose_at(0.1 + 1.0 / 120.0));
    let started = || {
        let mut ragdoll = Ragdoll::new(&RagdollStart {
            skeleton: &character.skeleton,
            body: &character.body,
            now: &now,
            before: &before,
            dt_secs: 1.0 / 120.0,
            limp: None,
            ground: None,
            things: &[],
        })
        .expect("it falls");
        ragdoll.push(0, Vec3::Z * 60.0);
        ragdoll
    };
    let mut group = criterion.benchmark_group("ragdoll");
    for (name, fallen_secs) in [("in the air", 0.1), ("on the ground", 1.0)] {
        let falling = || {
            let mut ragdoll = started();
            (0..(fallen_secs / TICK_SECS) as usize).for_each(|_| ragdoll.advance(TICK_SECS, &now));
            ragdoll
        };
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                falling,
                |mut ragdoll| {
                    (0..32).for_each(|_| ragdoll.advance(TICK_SECS, &now));
                    black_box(ragdoll.energy_j())
                },
                criterion::BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, ticks);
criterion_main!(benches);
