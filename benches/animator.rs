//! One update of 1, 100 and 1000 characters, beside the sampling alone of the
//! clips that take part: two layers, a fade that runs all the time between two
//! blend spaces, foot lock, 31 joints, matrix palettes.

#![allow(
    clippy::expect_used,
    reason = "a benchmark that cannot start must stop"
)]

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::Affine3A;
use kinetoscope::{
    animator::{self, Animator, ClipSet, Graph, Input},
    clip::ClipCursor,
    import::{self, builtin},
    mocap::asf,
    skeleton::{LocalPose, ModelPose},
};

/// The fade from WALK to SIDE lasts a minute, longer than the measurement.
const GRAPH: &str = r#"(
    parameters: {
        "go": Bool(false),
        "speed": Float(value: 2.2),
        "side": Float(value: 0.4),
        "ahead": Float(value: 0.6),
    },
    masks: { "upper": (from: "lowerback", feather: 2) },
    legs: [
        (step: "l", hip: "lfemur", knee: "ltibia", ankle: "lfoot", ball: "ltoes"),
        (step: "r", hip: "rfemur", knee: "rtibia", ankle: "rfoot", ball: "rtoes"),
    ],
    layers: [
        (
            name: "base",
            states: [
                (name: "WALK", motion: Blend1d(by: "speed", clips: [
                    (at: 1.4, clip: "forward"), (at: 3.5, clip: "run"),
                ])),
                (name: "SIDE", motion: Blend2d(x: "side", y: "ahead", clips: [
                    (at: (1.0, 0.0), clip: "strafe_left"), (at: (-1.0, 0.0), clip: "strafe_right"),
                    (at: (0.0, 1.0), clip: "forward"), (at: (0.0, -1.0), clip: "backward"),
                ])),
            ],
            transitions: [
                (from: Only(["WALK"]), to: "SIDE", when: [On("go")], sync: true,
                    fade: (kind: Smooth, secs: 60.0)),
            ],
        ),
        (name: "upper", mask: "upper", states: [(name: "WAVE", motion: Clip("wave"))]),
    ],
)"#;

/// What the update samples: two clips of WALK, two of SIDE, one of WAVE.
const TAKING_PART: [&str; 5] = ["forward", "run", "strafe_left", "forward", "wave"];

fn graph() -> Arc<Graph> {
    graph_of(GRAPH)
}

fn graph_of(text: &str) -> Arc<Graph> {
    let document = asf::parse("performer.asf", builtin::SKELETON_ASF.as_bytes()).expect("parses");
    let skeleton = import::skeleton("performer.asf", "performer", &document, Default::default())
        .expect("imports");
    let clip = |&(name, text): &(&str, &str)| {
        let clip = import::motion(name, name, text.as_bytes(), &skeleton, Default::default());
        (name.to_owned(), clip.expect("imports").clip.into())
    };
    let clips: ClipSet = builtin::CLIPS.iter().map(clip).collect();
    let description = animator::parse(text).expect("the graph is sound");
    let skeleton = Arc::new(skeleton.skeleton);
    Arc::new(animator::build(&description, &skeleton, &clips).expect("it builds"))
}

/// At 60 updates a second.
const UPDATES_WITHIN_FADE: u64 = 55 * 60;

/// One character and what it writes.
struct Character {
    animator: Animator,
    pose: LocalPose,
    model: ModelPose,
    palette: Vec<Affine3A>,
}

/// Characters up to a second apart.
fn characters(graph: &Arc<Graph>, count: usize) -> Vec<Character> {
    let character = |index: usize| {
        let mut animator = Animator::new(Arc::clone(graph));
        animator.input(0.0, Input::Set("go".into(), 1.0));
        animator.advance_to(1.0 + (index % 120) as f64 / 120.0);
        Character {
            animator,
            pose: LocalPose::default(),
            model: ModelPose::default(),
            palette: vec![Affine3A::IDENTITY; graph.skeleton.len()],
        }
    };
    (0..count).map(character).collect()
}

fn update(character: &mut Character, joint_from_rest: &[Affine3A]) {
    let Character {
        animator,
        pose,
        model,
        palette,
    } = character;
    let now = animator.time_secs();
    animator.advance_to(now + 1.0 / 60.0);
    let world = Affine3A::from(animator.pose(pose, model));
    for ((out, &joint), &rest) in palette.iter_mut().zip(model.joints()).zip(joint_from_rest) {
        *out = world * Affine3A::from(joint) * rest;
    }
    animator.take_events();
}

fn bench(criterion: &mut Criterion) {
    let graph = graph();
    let rest = graph.skeleton.rest_model();
    let rest: Vec<Affine3A> = rest
        .joints()
        .iter()
        .map(|j| Affine3A::from(*j).inverse())
        .collect();
    let clip = |name: &&str| graph.clips.iter().find(|clip| clip.name == **name);
    let clips: Vec<_> = TAKING_PART
        .iter()
        .filter_map(clip)
        .map(|clip| &clip.source)
        .collect();
    assert_eq!(clips.len(), TAKING_PART.len());

    let mut group = criterion.benchmark_group("animator");
    for count in [1, 100, 1000] {
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("sample_only", count), |bencher| {
            let mut poses = vec![LocalPose::default(); count];
            let mut cursors = vec![ClipCursor::default(); clips.len()];
            let mut time_secs = 0.0;
            bencher.iter(|| {
                // Not on whole frames, which are copied rather than sampled:
                // the animator, whose clips share one phase, hardly meets any.
                time_secs = (time_secs + 0.017_31) % 2.0;
                for pose in &mut poses {
                    for (clip, cursor) in clips.iter().zip(&mut cursors) {
                        clip.sample(&graph.skeleton, time_secs, cursor, pose);
                    }
                }
                black_box(&poses);
            });
        });
        group.bench_function(BenchmarkId::new("update", count), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut spent = Duration::ZERO;
                let mut left = iterations;
                // New characters, unmeasured, before the fade is over.
                while left > 0 {
                    let now = left.min(UPDATES_WITHIN_FADE);
                    let mut characters = characters(&graph, count);
                    let start = Instant::now();
                    for _ in 0..now {
                        for character in &mut characters {
                            update(character, &rest);
                        }
                    }
                    spent += start.elapsed();
                    left -= now;
                }
                spent
            });
        });
    }
    group.finish();
}

/// Six clips in five levels of blends, and the same clips side by side.
fn trees() -> [(&'static str, Arc<Graph>); 2] {
    let clips = [
        "forward",
        "run",
        "backward",
        "strafe_left",
        "strafe_right",
        "idle",
    ];
    let innermost = format!("Clip({:?})", clips[5]);
    let nested = clips[..5].iter().rev().fold(innermost, |below, clip| {
        format!(
            "Blend1d(by: \"mix\", clips: [(at: 0.0, clip: {clip:?}), (at: 1.0, motion: {below})])"
        )
    });
    let flat = clips.iter().zip([32.0, 16.0, 8.0, 4.0, 2.0, 2.0]);
    let flat = flat.map(|(clip, weight)| format!("(clip: {clip:?}, weight: {weight:.1})"));
    let flat = format!("Flat([{}])", flat.collect::<Vec<_>>().join(", "));
    let graph = |motion: String| {
        graph_of(&format!(
            "(parameters: {{ \"mix\": Float(value: 0.5) }}, layers: [(name: \"base\", \
             states: [(name: \"S\", motion: {motion})])])"
        ))
    };
    [
        ("tree_of_five_levels", graph(nested)),
        ("flat_of_its_clips", graph(flat)),
    ]
}

fn bench_trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("animator");
    for (name, graph) in trees() {
        let mut animator = Animator::new(graph);
        let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let now = animator.time_secs();
                animator.advance_to(now + 1.0 / 60.0);
                black_box(animator.pose(&mut pose, &mut model));
                animator.take_events();
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = animator_benches;
    config = Criterion::default().sample_size(20);
    targets = bench, bench_trees
}
criterion_main!(animator_benches);
