//! Every panel without a window: controls are found by the names that
//! accessibility tools read, and a click is judged by the command it yields.

mod animator;
mod bars;
mod blending;
mod clip;
mod cloth;
mod compression;
mod display;
mod editor;
mod export;
mod findings;
mod joints;
mod learn;
mod library;
mod meet;
mod overlays;
mod pictures;
mod ragdoll;
mod retarget;
mod timeline;

use std::path::{Path, PathBuf};

use egui_kittest::{Harness, kittest::Queryable};
use glam::{Quat, Vec3};

use super::*;
use crate::{
    animator::description::{Fade, FadeKind},
    clip::{RawClip, Wrap},
    codec::{
        CodecSettings,
        metric::{ErrorSummary, HalfFrameError},
    },
    scene::Display,
    skeleton::{LocalPose, Skeleton, WorldPose, testing::cmu_like},
    units::{LengthScale, LengthUnit, UpAxis},
};

/// Owns all that a [`PanelView`] borrows, and what panels answered.
struct Bench {
    panels: PanelState,
    mode: Mode,
    display: Display,
    skeleton: Skeleton,
    clip: RawClip,
    local: LocalPose,
    pose: WorldPose,
    posing: crate::posing::Posing,
    selected: Option<u16>,
    facts: Vec<(String, String)>,
    remarks: Vec<String>,
    skeletons: Vec<PathBuf>,
    fault: Option<String>,
    marks: Vec<Mark>,
    events: Vec<crate::clip::Event>,
    rows: Vec<ClipRow>,
    lesson: Option<usize>,
    library: Option<library::LibraryBench>,
    notices: Vec<Notice>,
    status: Status,
    findings: Option<Vec<crate::analysis::Finding>>,
    repairs: Vec<RepairRow>,
    result: Option<CompressionResult>,
    sweep: Vec<RateErrorPoint>,
    sweep_fraction: Option<f32>,
    curves: Option<JointCurves>,
    curve_plot: Option<CurvePlot>,
    gait: Option<crate::analysis::GaitReport>,
    made: Vec<ExerciseFigures>,
    recording: Option<Recording>,
    animator: AnimatorView,
    editor: Option<crate::animator::AnimatorEditor>,
    progress: Option<Progress>,
    recent: Vec<PathBuf>,
    characters: Vec<String>,
    morphs: Vec<String>,
    blending: blending::BlendBench,
    commands: Vec<Command>,
    /// A file where the export dialog would write.
    taken: Option<PathBuf>,
}

/// What lays out a part of the interface.
type Part = fn(&mut Ui, &mut PanelState, &PanelView<'_>, &mut Vec<Command>);

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
            path: format!("/captures/{name}"),
            shown,
            alongside: false,
        };
        Self {
            panels: PanelState {
                sections: sections.to_vec(),
                ..PanelState::default()
            },
            mode: Mode::View,
            display: Display::default(),
            local: skeleton.rest().clone(),
            pose: skeleton.rest_model().into(),
            skeleton,
            clip,
            selected: None,
            posing: crate::posing::Posing::default(),
            facts: vec![("rate".to_owned(), "30 fps, stated".to_owned())],
            remarks: Vec::new(),
            skeletons: Vec::new(),
            fault: None,
            marks: Vec::new(),
            events: Vec::new(),
            rows: vec![row("walk.amc", true), row("run.amc", false)],
            lesson: None,
            library: None,
            notices: Vec::new(),
            status: Status::default(),
            findings: None,
            repairs: Vec::new(),
            result: None,
            sweep: Vec::new(),
            sweep_fraction: None,
            curves: None,
            curve_plot: None,
            gait: None,
            made: Vec::new(),
            recording: None,
            animator: AnimatorView::default(),
            editor: None,
            progress: None,
            recent: Vec::new(),
            characters: vec!["performer".into()],
            morphs: Vec::new(),
            blending: blending::BlendBench::default(),
            commands: Vec::new(),
            taken: None,
        }
    }

    fn show(&mut self, ui: &mut Ui) {
        self.lay_out(ui, |ui, panels, view, commands| {
            show(ui, panels, view, commands);
        });
    }

    /// Lays out all of the interface, or one part of it.
    fn lay_out(&mut self, ui: &mut Ui, part: Part) {
        let view = PanelView {
            mode: self.mode,
            clip: Some(ClipView {
                name: "walk.amc",
                path: Some(Path::new("/captures/walk.amc")),
                skeleton: &self.skeleton,
                raw: Some(&self.clip),
                facts: &self.facts,
                remarks: &self.remarks,
                marks: &self.marks,
                events: &self.events,
                overrides: ImportOverrides::default(),
                skeletons: &self.skeletons,
                on: Path::new("/captures/02.asf"),
                length: LengthScale {
                    unit: LengthUnit::Inch,
                    assumed: true,
                    divisor: 0.45,
                },
                up: UpAxis::Y,
                fps_assumed: true,
                has_fingers: true,
            }),
            playback: Playback {
                time_secs: 1.0,
                playing: true,
                speed: 1.0,
                reverse: false,
                wrap: Wrap::Loop,
                loops: None,
                range_secs: (0.0, 4.0),
            },
            others: &[],
            through: None,
            limits: LimitsView::default(),
            pose: Some(PoseView {
                posing: &self.posing,
                local: &self.local,
                world: &self.pose,
                morphs: &self.morphs,
                selected: self.selected,
                curves: self.curves.as_ref(),
            }),
            clips: &self.rows,
            fault: self.fault.as_deref(),
            display: self.display,
            compression: CompressionView {
                busy: false,
                error: None,
                result: self.result.as_ref(),
                table: None,
                sweep: &self.sweep,
                sweep_fraction: self.sweep_fraction,
            },
            findings: self.findings.as_deref(),
            curve_plot: self.curve_plot.as_ref(),
            mending: MendView {
                repairs: &self.repairs,
                is_changed: !self.repairs.is_empty(),
                busy: false,
            },
            measures: MeasuresView {
                gait: self.gait.as_ref(),
                made: &self.made,
                busy: false,
                fault: None,
            },
            cloth: ClothView::default(),
            animator: Some(&self.animator),
            animator_fault: None,
            editor: self.editor.as_ref().map(|editor| EditorView {
                editor,
                clips: &[],
                joints: &[],
                path: Some("mine.ron"),
                fault: None,
                conflict: false,
            }),
            lesson: self.lesson,
            library: self.library.as_ref().map(library::LibraryBench::view),
            notices: &self.notices,
            status: &self.status,
            loading: self.progress.as_ref(),
            recent: &self.recent,
            recording: self.recording,
            exporting: None,
            export: ExportView {
                taken: self.taken.as_deref(),
                no_webm: Some("a .webm film needs `ffmpeg`"),
                has_motion: true,
                ..ExportView::default()
            },
            drivable: (&self.characters, 0),
            cast: CastView::default(),
            list_bottom: None,
            blending: self.blending.view(),
            retarget: None,
            happenings: &[],
        };
        part(ui, &mut self.panels, &view, &mut self.commands);
    }
}

/// The whole interface at the size that everything must fit.
fn harness(bench: Bench) -> Harness<'static, Bench> {
    harness_at(bench, 0.25)
}

/// The same in steps of so many seconds.
fn harness_at(bench: Bench, step_secs: f32) -> Harness<'static, Bench> {
    let mut harness = Harness::builder()
        .with_size(egui::Vec2::new(1280.0, 800.0))
        .with_step_dt(step_secs)
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
