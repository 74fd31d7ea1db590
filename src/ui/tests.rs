//! Every panel without a window: controls are found by the names that
//! accessibility tools read, and a click is judged by the command it yields.

use std::path::{Path, PathBuf};

use egui_kittest::{Harness, kittest::Queryable};
use glam::{Quat, Vec3};

use super::*;
use crate::{
    animator::description::{Fade, FadeKind},
    body::testing::cmu_like,
    clip::{RawClip, Wrap},
    codec::{Settings, metric::ErrorSummary},
    import::{LengthScale, LengthUnit},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Owns all that a [`Model`] borrows, and what panels answered.
struct Bench {
    panels: PanelState,
    mode: Mode,
    display: Display,
    skeleton: Skeleton,
    clip: RawClip,
    local: LocalPose,
    pose: ModelPose,
    selected: Option<u16>,
    rows: Vec<ClipRow>,
    notices: Vec<Notice>,
    status: Status,
    result: Option<CompressionResult>,
    survey: Vec<SurveyPoint>,
    survey_share: Option<f32>,
    curves: Option<JointCurves>,
    recording: Option<Recording>,
    animator: AnimatorView,
    progress: Option<Progress>,
    recent: Vec<PathBuf>,
    commands: Vec<Command>,
}

impl Bench {
    fn new(sections: &[Section]) -> Self {
        let skeleton = cmu_like();
        let frames = 121;
        let clip = RawClip {
            name: "walk".into(),
            fps: 30.0,
            joints: skeleton.len(),
            animated: vec![0],
            rotations: vec![Quat::IDENTITY; frames],
            root_translations: vec![Vec3::Y; frames],
            ..RawClip::default()
        };
        let row = |name: &str, shown| ClipRow {
            name: name.into(),
            place: format!("/captures/{name}"),
            shown,
            beside: false,
        };
        Self {
            panels: PanelState {
                sections: sections.to_vec(),
                ..PanelState::default()
            },
            mode: Mode::View,
            display: Display::default(),
            local: skeleton.rest().clone(),
            pose: skeleton.rest_model(),
            skeleton,
            clip,
            selected: None,
            rows: vec![row("walk.amc", true), row("run.amc", false)],
            notices: Vec::new(),
            status: Status::default(),
            result: None,
            survey: Vec::new(),
            survey_share: None,
            curves: None,
            recording: None,
            animator: AnimatorView::default(),
            progress: None,
            recent: Vec::new(),
            commands: Vec::new(),
        }
    }

    fn show(&mut self, ui: &mut Ui) {
        let facts = [("rate".to_owned(), "30 fps, stated".to_owned())];
        let model = Model {
            mode: self.mode,
            clip: Some(ClipView {
                name: "walk.amc",
                path: Some(Path::new("/captures/walk.amc")),
                skeleton: &self.skeleton,
                raw: Some(&self.clip),
                facts: &facts,
                remarks: &[],
                marks: &[],
                reading: Reading::default(),
                length: LengthScale {
                    unit: LengthUnit::Inch,
                    assumed: true,
                    divisor: 0.45,
                },
                fps_assumed: true,
            }),
            playback: Playback {
                time_secs: 1.0,
                playing: true,
                speed: 1.0,
                reverse: false,
                wrap: Wrap::Loop,
                range_secs: (0.0, 4.0),
            },
            pose: Some(PoseView {
                local: &self.local,
                model: &self.pose,
                selected: self.selected,
                curves: self.curves.as_ref(),
            }),
            clips: &self.rows,
            display: self.display,
            compression: CompressionView {
                busy: false,
                error: None,
                result: self.result.as_ref(),
                table: None,
                survey: &self.survey,
                survey_share: self.survey_share,
            },
            cloth: ClothView::default(),
            animator: Some(&self.animator),
            animator_fault: None,
            notices: &self.notices,
            status: &self.status,
            loading: self.progress.as_ref(),
            recent: &self.recent,
            recording: self.recording,
        };
        show(ui, &mut self.panels, &model, &mut self.commands);
    }
}

/// The whole interface at the size that everything must fit.
fn harness(bench: Bench) -> Harness<'static, Bench> {
    let mut harness = Harness::builder()
        .with_size(egui::Vec2::new(1280.0, 800.0))
        .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    theme::install(&harness.ctx);
    harness.run_steps(3);
    harness.state_mut().commands.clear();
    harness
}

/// Clicks a control and returns what it asked for.
fn click(harness: &mut Harness<'_, Bench>, label: &str) -> Vec<Command> {
    harness.get_by_label(label).click();
    harness.run_steps(3);
    std::mem::take(&mut harness.state_mut().commands)
}

#[test]
fn the_timeline_plays_steps_and_seeks() {
    let mut harness = harness(Bench::new(&[]));
    assert_eq!(
        click(&mut harness, "Pause"),
        [Command::Do(Action::TogglePlay)]
    );
    assert_eq!(click(&mut harness, "To end"), [Command::Do(Action::ToEnd)]);
    assert_eq!(
        click(&mut harness, "One frame on"),
        [Command::Do(Action::Step(1))]
    );
    assert_eq!(
        click(&mut harness, "Ping-pong"),
        [Command::Wrap(Wrap::PingPong)]
    );
    assert_eq!(
        click(&mut harness, "Reverse"),
        [Command::Do(Action::Reverse)]
    );
    let seeks = click(&mut harness, "Timeline");
    // A click in the middle of four seconds.
    assert!(!seeks.is_empty());
    for seek in seeks {
        let Command::Seek(secs) = seek else {
            panic!("{seek:?}");
        };
        assert!((secs - 2.0).abs() < 0.02, "{secs}");
    }
}

#[test]
fn the_clip_list_shows_and_compares() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    assert!(harness.query_by_label("rate: 30 fps, stated").is_some());
    assert_eq!(click(&mut harness, "run.amc"), [Command::ShowClip(1)]);
    assert_eq!(
        click(&mut harness, "Beside: run.amc"),
        [Command::ToggleBeside(1)]
    );
}

#[test]
fn display_switches_come_as_changed_options() {
    let mut harness = harness(Bench::new(&[Section::Display]));
    let wanted = Display {
        bones: true,
        ..Display::default()
    };
    assert_eq!(click(&mut harness, "Bones"), [Command::Display(wanted)]);
    let wanted = Display {
        light: LightModel::Phong,
        ..Display::default()
    };
    assert_eq!(click(&mut harness, "Phong"), [Command::Display(wanted)]);
}

#[test]
fn the_joint_tree_searches_and_selects() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.panels.joint_search = "HAND".into();
    let mut harness = harness(bench);
    assert!(harness.query_by_label("root").is_none());
    let wanted = harness.state().skeleton.find("lhand");
    assert!(wanted.is_some());
    assert_eq!(click(&mut harness, "lhand"), [Command::Select(wanted)]);
    harness.state_mut().selected = wanted;
    harness.run_steps(2);
    let parent = harness.state().skeleton.find("lwrist");
    assert_eq!(click(&mut harness, "in lwrist"), [Command::Select(parent)]);
}

#[test]
fn choosing_a_codec_asks_for_it_and_the_worst_frame_is_one_click_away() {
    let mut harness = harness(Bench::new(&[Section::Compression]));
    let settings = Settings::Spline { tolerance_cm: 0.1 };
    let asked = click(&mut harness, "Spline");
    assert_eq!(asked, [Command::Compress(Some(settings))]);
    harness.state_mut().result = Some(CompressionResult {
        settings,
        bytes: 1000,
        raw_bytes: 25_000,
        keys: 17,
        errors: ErrorSummary {
            max_cm: 0.09,
            worst: (2, 60),
            ..ErrorSummary::default()
        },
        frame_errors_cm: vec![0.05; 121],
        joint_errors_cm: vec![0.05; 31],
        compress_secs: 0.01,
        key_frames: vec![vec![0, 60, 120]; 31],
    });
    harness.run_steps(3);
    assert!(harness.query_by_label("25.0 : 1").is_some());
    let name = harness.state().skeleton.joints()[2].name.clone();
    let jump = click(&mut harness, &format!("Worst: {name}, frame 60"));
    assert_eq!(jump, [Command::Seek(2.0), Command::Select(Some(2))]);
    assert_eq!(click(&mut harness, "Export .kin"), [Command::ExportKin]);
}

/// A machine in the middle of a fade from FORWARD to RUN.
fn animator_at_work() -> AnimatorView {
    let states = [
        "IDLE",
        "FORWARD",
        "RUN",
        "STRAFE_LEFT",
        "STRAFE_RIGHT",
        "JUMP",
    ];
    let way = |from: usize, to: usize, when: &str| TransitionView {
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
                way(0, 1, "forward"),
                way(1, 2, "speed > 2.45"),
                way(2, 5, "jump!"),
            ],
            mask: vec![1.0; 31],
            full_weight: 1.0,
            state: 2,
            previous: Some(1),
            fade: 0.25,
            weight: 1.0,
            shares: vec![0.0, 0.75, 0.25, 0.0, 0.0, 0.0],
            space: Some(SpaceView {
                axes: ["speed".into(), String::new()],
                clips: vec![
                    ("forward".into(), [1.4, 0.0], 0.6),
                    ("run".into(), [3.5, 0.0], 0.4),
                ],
                edges: vec![[0, 1]],
                at: [2.2, 0.0],
            }),
        }],
        parameters: vec![
            ParameterView {
                name: "jump".into(),
                value: 0.0,
                sort: ParameterSort::Trigger,
            },
            ParameterView {
                name: "forward".into(),
                value: 0.0,
                sort: ParameterSort::Switch,
            },
            ParameterView {
                name: "speed".into(),
                value: 2.2,
                sort: ParameterSort::Number,
            },
        ],
        events: vec![EventView {
            at_secs: 1.25,
            name: "footstep_left".into(),
        }],
        ..AnimatorView::default()
    }
}

fn animator_bench(page: AnimatorPage) -> Bench {
    let mut bench = Bench::new(&[Section::Animator]);
    bench.mode = Mode::Drive;
    bench.animator = animator_at_work();
    bench.panels.animator_page = page;
    bench
}

#[test]
fn the_graph_lists_the_ways_out_of_a_state() {
    let mut harness = harness(animator_bench(AnimatorPage::Graph));
    assert!(harness.query_by_label("FORWARD to RUN, 25 %").is_some());
    assert!(harness.query_by_label("Out of RUN").is_some());
    // All states stand within the panel.
    for state in ["IDLE", "STRAFE_RIGHT", "JUMP"] {
        let place = harness.get_by_label(state).rect();
        let inside = place.left() >= 976.0 && place.right() <= 1280.0;
        assert!(inside, "{state}: {place:?}");
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
    assert!(harness.query_by_label("run: 40 %").is_some());
    click(&mut harness, "Mask");
    assert!(harness.query_by_label("Mask of root").is_some());
    let wanted = Tuning::Mask {
        layer: 0,
        joint: 0,
        weight: 0.0,
        below: true,
    };
    assert_eq!(click(&mut harness, "None"), [Command::Tune(wanted)]);
    click(&mut harness, "Events");
    assert!(harness.query_by_label("footstep_left").is_some());
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

#[test]
fn codecs_are_compared_on_demand_and_the_comparison_stops() {
    let mut bench = Bench::new(&[Section::Compression]);
    bench.panels.compression_plot = CompressionPlot::Codecs;
    let mut harness = harness(bench);
    assert_eq!(click(&mut harness, "Compare codecs"), [Command::Survey]);
    harness.state_mut().survey_share = Some(0.5);
    harness.run_steps(2);
    let asked = click(&mut harness, "Stop comparing");
    assert_eq!(asked, [Command::CancelSurvey]);
    let point = |codec, setting, ratio, max_cm| SurveyPoint {
        codec,
        setting,
        ratio,
        max_cm,
    };
    harness.state_mut().survey_share = None;
    harness.state_mut().survey = vec![
        point(Codec::Spline, 0.1, 12.0, 0.1),
        point(Codec::Tight, 0.1, 30.0, 0.1),
        point(Codec::Tight, 1.0, 70.0, 1.0),
    ];
    harness.run_steps(2);
    assert!(harness.query_by_label("Ratio over error").is_some());
    assert_eq!(click(&mut harness, "Compare again"), [Command::Survey]);
}

#[test]
fn the_chosen_joint_shows_its_curves() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.selected = Some(3);
    bench.curves = Some(JointCurves {
        secs: vec![0.0, 1.0, 2.0],
        angles_deg: [vec![0.0, 10.0, 20.0], vec![5.0; 3], vec![0.0, -5.0, 0.0]],
        places_cm: [vec![0.0, 30.0, 60.0], vec![90.0; 3], vec![0.0; 3]],
    });
    let mut harness = harness(bench);
    click(&mut harness, "Angles");
    assert!(
        harness
            .query_by_label("turned in its parent, degrees")
            .is_some()
    );
    click(&mut harness, "Position");
    assert!(
        harness
            .query_by_label("position in the world, cm")
            .is_some()
    );
}

#[test]
fn the_unit_can_be_set_against_what_the_file_says() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    click(&mut harness, "Unit of length");
    let reading = Reading {
        unit: Some(LengthUnit::Metre),
        fps: None,
    };
    assert_eq!(click(&mut harness, "m"), [Command::Reinterpret(reading)]);
}

#[test]
fn a_film_under_way_is_told_and_can_be_stopped() {
    let mut bench = Bench::new(&[]);
    bench.recording = Some(Recording {
        gif: true,
        taken: 3,
        most: 50,
    });
    let mut harness = harness(bench);
    assert!(harness.query_by_label("recording GIF: 3 of 50").is_some());
    let asked = click(&mut harness, "Stop recording");
    assert_eq!(asked, [Command::Do(Action::RecordGif)]);
}

#[test]
fn camera_and_material_are_display_options() {
    let mut harness = harness(Bench::new(&[Section::Display]));
    let wanted = Display {
        camera: CameraMode::TurnAlong,
        ..Display::default()
    };
    assert_eq!(
        click(&mut harness, "Turn along"),
        [Command::Display(wanted)]
    );
    assert!(harness.query_by_label("Colour of the skin").is_some());
}

#[test]
fn one_section_at_a_time() {
    let mut harness = harness(Bench::new(&[Section::Clip]));
    click(&mut harness, "Skeleton");
    assert_eq!(harness.state().panels.sections, [Section::Skeleton]);
}

#[test]
fn menus_come_from_the_key_table() {
    let mut harness = harness(Bench::new(&[]));
    assert!(click(&mut harness, "View").is_empty());
    let asked = click(&mut harness, "Joint axes");
    assert_eq!(asked, [Command::Do(Action::Toggle(Switch::Axes))]);
    let asked = click(&mut harness, "Mode: VIEW");
    assert_eq!(asked, [Command::Do(Action::ToggleMode)]);
}

#[test]
fn recent_files_open_with_a_click() {
    let mut bench = Bench::new(&[]);
    bench.recent = vec![PathBuf::from("/captures/35_01.amc")];
    let mut harness = harness(bench);
    click(&mut harness, "File");
    let asked = click(&mut harness, "35_01.amc");
    assert_eq!(asked, [Command::Open(vec!["/captures/35_01.amc".into()])]);
}

#[test]
fn notices_can_be_dismissed_and_loading_cancelled() {
    let mut bench = Bench::new(&[]);
    bench.notices.push(Notice {
        id: 7,
        gravity: Gravity::Error,
        text: "bad.amc:3:1: no such bone".into(),
        at_secs: 1.0,
        fresh: true,
    });
    bench.progress = Some(Progress {
        text: "Reading 35_01.amc".into(),
        share: Some(0.5),
    });
    let mut harness = harness(bench);
    assert!(
        harness
            .query_by_label("bad.amc:3:1: no such bone")
            .is_some()
    );
    assert_eq!(click(&mut harness, "Dismiss"), [Command::Dismiss(7)]);
    assert_eq!(click(&mut harness, "Cancel"), [Command::CancelLoading]);
}

#[test]
fn the_overlay_lists_every_row_of_the_key_table() {
    let mut bench = Bench::new(&[]);
    bench.panels.shortcuts = true;
    let harness = harness(bench);
    for row in keys::TABLE {
        let found = harness.query_all_by_label(row.says).count();
        assert!(found > 0, "{} is missing", row.says);
    }
}

#[test]
fn sections_fold_and_remember_it() {
    let mut harness = harness(Bench::new(&[]));
    assert!(harness.query_by_label("Ground").is_none());
    click(&mut harness, "Display");
    assert!(harness.query_by_label("Ground").is_some());
    assert_eq!(harness.state().panels.sections, [Section::Display]);
    click(&mut harness, "Display");
    assert!(harness.state().panels.sections.is_empty());
}
