//! The animator section, page by page.

use super::*;
use crate::animator::description::ParameterKind;

/// A machine in the middle of a fade from FORWARD to RUN.
pub(super) fn animator_at_work() -> AnimatorView {
    let states = [
        "IDLE",
        "FORWARD",
        "RUN",
        "STRAFE_LEFT",
        "STRAFE_RIGHT",
        "JUMP",
    ];
    let transition = |from: usize, to: usize, when: &str| TransitionView {
        from: (0..states.len()).map(|state| state == from).collect(),
        to,
        when: when.into(),
        fade: Fade::default(),
    };
    AnimatorView {
        source: "built-in animator".into(),
        time_scale: 1.0,
        layers: vec![LayerView {
            name: "base".into(),
            states: states.map(String::from).to_vec(),
            transitions: vec![
                transition(0, 1, "forward"),
                transition(1, 2, "speed > 2.45"),
                transition(2, 5, "jump!"),
            ],
            mask: vec![1.0; 31],
            full_weight: 1.0,
            state: 2,
            previous: Some(1),
            taken: None,
            fade: 0.25,
            weight: 1.0,
            state_weights: vec![0.0, 0.75, 0.25, 0.0, 0.0, 0.0],
            blend: Some(BlendView {
                tree: Vec::new(),
                clips: vec![("forward".into(), 0.6), ("run".into(), 0.4)],
                space: Some(SpaceView {
                    axes: ["speed".into(), String::new()],
                    positions: vec![[1.4, 0.0], [3.5, 0.0]],
                    edges: vec![[0, 1]],
                    at: [2.2, 0.0],
                }),
            }),
        }],
        parameters: vec![
            ParameterView {
                name: "jump".into(),
                value: 0.0,
                kind: ParameterKind::Trigger { buffer: 0.0 },
            },
            ParameterView {
                name: "forward".into(),
                value: 0.0,
                kind: ParameterKind::Bool(false),
            },
            ParameterView {
                name: "speed".into(),
                value: 2.2,
                kind: ParameterKind::Float {
                    value: 0.0,
                    half_life: 0.0,
                },
            },
        ],
        events: vec![EventView {
            at_secs: 1.25,
            name: "footstep_left".into(),
        }],
        ..AnimatorView::default()
    }
}

pub(super) fn animator_bench(page: AnimatorPage) -> Bench {
    let mut bench = Bench::new(&[Section::Animator]);
    bench.mode = Mode::Drive;
    bench.animator = animator_at_work();
    bench.panels.animator_page = page;
    if page == AnimatorPage::Mask {
        // The first layer has none.
        let arms = LayerView {
            name: "arms".into(),
            states: vec!["NONE".into()],
            mask: vec![1.0; 31],
            full_weight: 1.0,
            ..LayerView::default()
        };
        bench.animator.layers.push(arms);
        bench.panels.animator_layer = 1;
    }
    bench
}

#[test]
fn the_graph_lists_the_transitions_out_of_a_state() {
    let mut harness = harness(animator_bench(AnimatorPage::Graph));
    assert!(harness.query_by_label("FORWARD to RUN, 25 %").is_some());
    assert!(harness.query_by_label("Out of RUN").is_some());
    // All states stand within the panel.
    for state in ["IDLE", "STRAFE_RIGHT", "JUMP"] {
        let rect = harness.get_by_label(state).rect();
        let inside = rect.left() >= 976.0 && rect.right() <= 1280.0;
        assert!(inside, "{state}: {rect:?}");
    }
    assert!(click(&mut harness, "IDLE").is_empty());
    assert!(harness.query_by_label("Out of IDLE").is_some());
    assert!(harness.query_by_label("when forward").is_some());
    assert_eq!(click(&mut harness, "Reload"), [Command::ReloadAnimator]);
}

#[test]
fn a_fade_is_changed_where_it_is_listed() {
    let mut harness = harness(animator_bench(AnimatorPage::Graph));
    click(&mut harness, "Kind of fade to JUMP");
    let fade = Fade {
        kind: FadeKind::Frozen,
        ..Fade::default()
    };
    let asked = click(&mut harness, "frozen");
    let wanted = Tuning::Fade {
        layer: 0,
        transition: 2,
        fade,
    };
    assert_eq!(asked, [Command::Tune(wanted)]);
}

#[test]
fn every_parameter_can_be_set() {
    let mut harness = harness(animator_bench(AnimatorPage::Inputs));
    let fired = click(&mut harness, "jump");
    assert_eq!(fired, [Command::SetParameter("jump".into(), 1.0)]);
    let switched = click(&mut harness, "forward");
    assert_eq!(switched, [Command::SetParameter("forward".into(), 1.0)]);
    assert!(harness.query_all_by_label("speed").count() > 0);
}

#[test]
fn the_blend_space_the_mask_and_the_events_have_their_pages() {
    let mut harness = harness(animator_bench(AnimatorPage::Graph));
    click(&mut harness, "Blend");
    assert!(harness.query_by_label("Blend space").is_some());
    assert!(harness.query_by_label("run: 40 %").is_some());
    click(&mut harness, "Mask");
    let whole = "The first layer moves the whole body.";
    assert!(harness.query_by_label(whole).is_some());
    let mut harness = super::harness(animator_bench(AnimatorPage::Mask));
    assert!(harness.query_by_label("Mask of root").is_some());
    let wanted = Tuning::Mask {
        layer: 1,
        joint: 0,
        weight: 0.0,
        below: true,
    };
    assert_eq!(click(&mut harness, "None"), [Command::Tune(wanted)]);
    click(&mut harness, "Events");
    assert!(harness.query_by_label("footstep_left").is_some());
}

/// Three clips at weights of their own.
pub(super) fn flat_bench() -> Bench {
    let mut bench = animator_bench(AnimatorPage::Blend);
    bench.animator.layers[0].blend = Some(BlendView {
        tree: Vec::new(),
        clips: [("idle", 0.25), ("turn_left", 0.7), ("wave", 0.05)]
            .map(|(clip, weight)| (clip.to_owned(), weight))
            .to_vec(),
        space: None,
    });
    bench
}

#[test]
fn clips_at_weights_of_their_own_are_listed_without_a_plot() {
    let harness = harness(flat_bench());
    for clip in ["idle: 25 %", "turn_left: 70 %", "wave: 5 %"] {
        assert!(harness.query_by_label(clip).is_some(), "{clip}");
    }
    assert!(harness.query_by_label("Blend space").is_none());
}

/// A walk and a run that lean, in the middle between them; clips compressed.
fn tree_bench() -> Bench {
    let mut bench = animator_bench(AnimatorPage::Blend);
    let rows = [
        (0, "along speed", 1.0),
        (1, "plus difference to a pose of lean", 0.6),
        (2, "forward", 0.6),
        (2, "lean at lean", 0.3),
        (1, "plus difference to a pose of lean", 0.4),
        (2, "run", 0.4),
        (2, "lean at lean", 0.0),
    ];
    let rows = rows.map(|(depth, text, weight)| TreeRow {
        depth,
        text: text.to_owned(),
        weight,
    });
    let animator = &mut bench.animator;
    animator.layers[0].blend = Some(BlendView {
        tree: rows.to_vec(),
        clips: Vec::new(),
        space: None,
    });
    animator.memory = Some(MemoryView {
        codec: Codec::Spline,
        clips: 26,
        raw_bytes: 2_400_000,
        bytes: 410_000,
        max_error_cm: 0.098,
    });
    bench
}

#[test]
fn a_tree_is_drawn_with_its_weights_and_clips_are_held_as_chosen() {
    let mut harness = harness(tree_bench());
    for row in ["along speed 100 %", "forward 60 %", "run 40 %"] {
        assert!(harness.query_by_label(row).is_some(), "{row}");
    }
    let figures = "410 of 2400 kB, error ≤ 0.10 cm";
    assert!(harness.query_by_label(figures).is_some());
    click(&mut harness, "Clips in memory");
    let asked = click(&mut harness, "tight, 0.1 cm");
    assert_eq!(asked, [Command::HoldClips(Codec::Tight)]);
}

#[test]
fn an_error_of_the_animator_file_is_shown_above_what_still_runs() {
    let mut bench = animator_bench(AnimatorPage::Graph);
    bench.animator.error = Some("my.ron:3:7: no such state".into());
    let harness = harness(bench);
    assert!(
        harness
            .query_by_label("my.ron:3:7: no such state")
            .is_some()
    );
    assert!(harness.query_by_label("RUN").is_some());
}
