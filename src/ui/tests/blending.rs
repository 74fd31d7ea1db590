//! Blend mode: clips taken, weights moved, pages of the registration.

use std::sync::Arc;

use super::*;
use crate::{
    math::Transform,
    register::{Blend, PathOptions, Pin, Registration, Weights},
};

/// Owns what a [`BlendingView`] borrows.
#[derive(Default)]
pub(super) struct BlendBench {
    picked: Vec<usize>,
    weights: Vec<f64>,
    plain: bool,
    inputs: InputsShown,
    pins: Vec<Pin>,
    fault: Option<String>,
    progress: Option<Progress>,
    names: Vec<String>,
    shown: Option<Blend>,
    path: PathView<'static>,
}

impl BlendBench {
    pub fn view(&self) -> BlendingView<'_> {
        let shown = self.shown.as_ref().map(|blend| {
            let mut source_secs = [0.0; 4];
            for (own, secs) in source_secs.iter_mut().zip(blend.source_times(1.0)) {
                *own = secs;
            }
            BlendShown {
                names: &self.names,
                registration: blend.registration(),
                blend: Some(blend),
                source_secs,
                slide_m: 0.0042,
            }
        });
        BlendingView {
            picked: &self.picked,
            weights: &self.weights,
            plain: self.plain,
            inputs: self.inputs,
            pins: &self.pins,
            progress: self.progress.as_ref(),
            fault: self.fault.as_deref(),
            shown,
            path: self.path,
        }
    }
}

/// Marches on the spot: one leg is lifted, then the other.
fn march(skeleton: &Skeleton, frames: usize, period: f32) -> Arc<RawClip> {
    let pose = |frame: usize| {
        let phase = frame as f32 / period * std::f32::consts::TAU;
        let mut pose = skeleton.rest().clone();
        for (name, sign) in [("lfemur", 1.0), ("rfemur", -1.0)] {
            if let Some(joint) = skeleton.find(name) {
                let lifted = (sign * phase.sin() - 0.2).max(0.0);
                let turn = Quat::from_rotation_x(-0.9 * lifted);
                let own = &mut pose.joints_mut()[usize::from(joint)];
                *own = *own * Transform::from_rotation(turn);
            }
        }
        pose.joints_mut()[0].translation = Vec3::Y.into();
        pose
    };
    let poses: Vec<LocalPose> = (0..frames).map(pose).collect();
    Arc::new(RawClip::from_poses("walk", skeleton, 30.0, &poses))
}

/// Clips taken and blended.
pub(super) fn blend_bench(count: usize) -> Bench {
    let mut bench = Bench::new(&[Section::Blend]);
    bench.mode = Mode::Blend;
    let names = ["walk", "run", "stroll", "march"];
    bench.rows = names
        .iter()
        .map(|name| ClipRow {
            name: format!("{name}.amc"),
            path: format!("/captures/{name}.amc"),
            shown: false,
            alongside: false,
        })
        .collect();
    let skeleton = Arc::new(bench.skeleton.clone());
    let motions: Vec<Arc<RawClip>> = [(90, 36.0), (70, 28.0), (100, 40.0), (80, 32.0)][..count]
        .iter()
        .map(|&(frames, period)| march(&skeleton, frames, period))
        .collect();
    let options = PathOptions::default();
    let registration = Registration::new(&skeleton, motions, &options).unwrap();
    let shares: Vec<f64> = [0.5, 0.3, 0.15, 0.05][..count].to_vec();
    let sum: f64 = shares.iter().sum();
    let weights: Vec<f64> = shares.iter().map(|share| share / sum).collect();
    let blend = Blend::new(
        &Arc::new(registration),
        Weights::constant(&weights).unwrap(),
    );
    bench.blending = BlendBench {
        picked: (0..count).collect(),
        weights,
        names: names[..count].iter().map(|&name| name.to_owned()).collect(),
        shown: Some(blend.unwrap()),
        ..BlendBench::default()
    };
    bench
}

fn blending_of(commands: Vec<Command>) -> Vec<Blending> {
    let asked = commands.into_iter().map(|command| match command {
        Command::Blend(asked) => asked,
        other => panic!("{other:?}"),
    });
    asked.collect()
}

#[test]
fn clips_are_taken_up_to_four() {
    let mut bench = Bench::new(&[Section::Blend]);
    bench.mode = Mode::Blend;
    let mut harness = harness(bench);
    assert!(harness.query_by_label("Timeline").is_some());
    assert!(harness.query_by_label("Compression").is_none());
    let asked = click(&mut harness, "Blend: run.amc");
    assert_eq!(blending_of(asked), [Blending::Pick(1)]);
    let mut harness = self::harness(blend_bench(4));
    let asked = click(&mut harness, "Blend: march.amc");
    assert_eq!(blending_of(asked), [Blending::Pick(3)], "let go again");
}

#[test]
fn weights_are_moved_on_a_line_a_triangle_and_a_square() {
    for (count, due) in [
        (2, vec![0.5; 2]),
        (3, vec![0.5, 0.25, 0.25]),
        (4, vec![0.25; 4]),
    ] {
        let mut harness = harness(blend_bench(count));
        let asked = blending_of(click(&mut harness, "Weights"));
        let Some(Blending::Weights(weights)) = asked.last() else {
            panic!("{asked:?}");
        };
        for (found, due) in weights.iter().zip(&due) {
            assert_close!(*found, *due, 0.01, "{weights:?}");
        }
    }
}

#[test]
fn kinds_inputs_and_faults_are_there() {
    let mut bench = blend_bench(2);
    bench.blending.fault = Some("pose.bvh: motion 2 holds 1 frame(s)".into());
    bench.blending.progress = Some(Progress {
        text: "Registering".into(),
        fraction: Some(0.6),
    });
    let mut harness = harness(bench);
    for (label, due) in [
        ("Plain", Blending::Plain(true)),
        ("Beside", Blending::Inputs(InputsShown::Beside)),
    ] {
        assert_eq!(blending_of(click(&mut harness, label)), [due]);
    }
    assert!(harness.query_by_label("Registering 60 %").is_some());
    let fault = harness.query_by_label_contains("pose.bvh: motion 2");
    assert!(fault.is_some());
}

#[test]
fn the_path_is_dragged_and_a_pin_is_let_go() {
    let mut bench = blend_bench(2);
    bench.panels.sections = vec![Section::Registration];
    let mut harness = harness(bench);
    let area = harness.get_by_label("Distance grid").rect();
    // The path runs from corner to corner, near the middle.
    let from = area.center();
    harness.drag_at(from);
    harness.run_steps(1);
    harness.hover_at(from + egui::Vec2::new(20.0, 4.0));
    harness.run_steps(1);
    harness.drop_at(from + egui::Vec2::new(20.0, 4.0));
    harness.run_steps(2);
    let asked = blending_of(std::mem::take(&mut harness.state_mut().commands));
    let Some(Blending::Pins(pins)) = asked.last() else {
        panic!("{asked:?}");
    };
    assert_eq!(pins.len(), 1);
    harness.state_mut().blending.pins = pins.clone();
    harness.run_steps(2);
    let asked = blending_of(click(&mut harness, "As found"));
    assert_eq!(asked, [Blending::Pins(Vec::new())]);
}

#[test]
fn a_path_is_drawn_cancelled_and_its_walk_exported() {
    let mut bench = blend_bench(2);
    bench.blending.path.drawing = true;
    let mut harness = harness(bench);
    let asked = blending_of(click(&mut harness, "Draw a path"));
    assert_eq!(asked, [Blending::DrawPath(false)]);
    let path = &mut harness.state_mut().blending.path;
    path.length_m = 12.0;
    path.walk = Some(WalkFigures {
        duration_secs: 9.5,
        changes: 6,
        motions: 4,
        slide_m: 0.004,
        off_m: [0.12, 0.4],
        left_out: &[],
    });
    harness.run_steps(2);
    for text in [
        "walk: 9.5 s, 6 transitions",
        "off the path: 12 cm, at most 40 cm",
    ] {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
    let asked = click(&mut harness, "Export walk…");
    assert_eq!(asked, [Command::Do(Action::Export)]);
    let asked = blending_of(click(&mut harness, "Clear path"));
    assert_eq!(asked, [Blending::ForgetPath]);
}
