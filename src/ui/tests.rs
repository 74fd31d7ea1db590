//! Every panel without a window: controls are found by the names that
//! accessibility tools read, and a click is judged by the command it yields.

use std::path::PathBuf;

use egui_kittest::{Harness, kittest::Queryable};
use glam::{Quat, Vec3};

use super::*;
use crate::{
    body::testing::cmu_like,
    clip::{RawClip, Wrap},
    codec::{Settings, metric::ErrorSummary},
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
                path: None,
                skeleton: &self.skeleton,
                raw: Some(&self.clip),
                facts: &facts,
                remarks: &[],
                marks: &[],
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
            }),
            clips: &self.rows,
            display: self.display,
            compression: CompressionView {
                busy: false,
                error: None,
                result: self.result.as_ref(),
            },
            animator: Some(&self.animator),
            animator_fault: None,
            notices: &self.notices,
            status: &self.status,
            loading: self.progress.as_ref(),
            recent: &self.recent,
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

#[test]
fn the_animator_shows_its_states_and_fires() {
    let mut bench = Bench::new(&[Section::Animator]);
    bench.mode = Mode::Drive;
    bench.animator = AnimatorView {
        layers: vec![LayerView {
            name: "base".into(),
            state: "RUN".into(),
            previous: Some("FORWARD".into()),
            fade: 0.25,
            weight: 1.0,
            states: [
                "IDLE",
                "FORWARD",
                "RUN",
                "STRAFE_LEFT",
                "STRAFE_RIGHT",
                "BACKWARD",
            ]
            .map(String::from)
            .to_vec(),
        }],
        parameters: vec![ParameterView {
            name: "jump".into(),
            value: 0.0,
            sort: ParameterSort::Trigger,
        }],
        ..AnimatorView::default()
    };
    let mut harness = harness(bench);
    // All states stand within the panel.
    for state in ["IDLE", "STRAFE_RIGHT", "BACKWARD"] {
        let place = harness.get_by_label(state).rect();
        assert!(
            place.left() >= 976.0 && place.right() <= 1280.0,
            "{state}: {place:?}"
        );
    }
    let fired = click(&mut harness, "jump");
    assert_eq!(fired, [Command::SetParameter("jump".into(), 1.0)]);
    assert_eq!(click(&mut harness, "Reload"), [Command::ReloadAnimator]);
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
