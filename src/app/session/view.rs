//! The session as panels, title and pointer see it.

use std::sync::Arc;

use super::Session;
use crate::{
    app::{codec_sweep::POINTS, opened_clip::OpenedClip},
    load::PERFORMER,
    scene::{Clock, FollowCamera},
    ui::{ClipView, ClothView, CompressionView, LimitsView, Mode, PanelView, Playback, PoseView},
};

impl Session {
    /// Whom panels speak of.
    pub(super) fn shown_clip(&self) -> Option<&OpenedClip> {
        match self.driven() {
            Some(drive) => Some(&*drive.clip),
            None => self.played_clip().map(|clip| &**clip),
        }
    }

    /// The clip or blend on the timeline.
    pub(super) fn played_clip(&self) -> Option<&Arc<OpenedClip>> {
        let walk = self.walking.shown.as_ref().map(|it| &it.clip);
        let blend = self.blending.shown.as_ref().map(|it| &it.clip);
        let made = walk.or(blend).filter(|_| self.seen_mode() == Mode::Blend);
        made.or(self.clips.lead.as_ref())
    }

    /// The window's title.
    #[must_use]
    pub fn title(&self) -> String {
        let name = match (self.shown_clip(), self.mode) {
            (Some(clip), Mode::View | Mode::Blend) if clip.motion.is_some() => {
                format!("{} · {:.0} fps", clip.name, self.played_fps())
            }
            (Some(clip), _) if self.mode != Mode::Drive || self.driven().is_some() => {
                clip.name.clone()
            }
            (_, Mode::Drive) => PERFORMER.to_owned(),
            (_, Mode::View | Mode::Blend) => return "Kinetoscope".into(),
        };
        format!("{name} – Kinetoscope")
    }

    fn played_fps(&self) -> f64 {
        self.scene().lead().map_or(0.0, |lead| lead.fps())
    }

    /// What files made from the picture are called.
    #[must_use]
    pub fn stem(&self) -> String {
        match (self.played_clip(), self.mode) {
            (Some(clip), Mode::View | Mode::Blend) => format!("kinetoscope-{}", clip.name),
            _ => "kinetoscope".to_owned(),
        }
    }

    /// How the clip plays.
    #[must_use]
    pub fn playback(&self) -> Playback {
        let clock = self.clock();
        Playback {
            time_secs: clock.time_secs(),
            playing: clock.playing,
            speed: clock.speed(),
            reverse: clock.is_backwards(),
            wrap: clock.wrap,
            loops: clock.loops(),
            range_secs: clock.range_secs(),
        }
    }

    /// The clock of the timeline.
    fn clock(&self) -> &Clock {
        match self.seen_mode() {
            Mode::Blend => &self.blend_scene.clock,
            Mode::View | Mode::Drive => &self.view_scene.clock,
        }
    }

    /// The same, to be set.
    pub fn clock_mut(&mut self) -> &mut Clock {
        match self.seen_mode() {
            Mode::Blend => &mut self.blend_scene.clock,
            Mode::View | Mode::Drive => &mut self.view_scene.clock,
        }
    }

    /// The name of the clip that is shown.
    #[must_use]
    pub fn clip_name(&self) -> Option<&str> {
        self.played_clip().map(|clip| clip.name.as_str())
    }

    /// The frame of the clip that is shown.
    #[must_use]
    pub fn frame(&self) -> usize {
        self.clock().frame()
    }

    /// The camera, to be turned by hand: whoever looked through one of the file
    /// looks with their own eye again.
    pub fn own_eye(&mut self) -> &mut FollowCamera {
        self.options.through = None;
        &mut self.scene_mut().camera
    }

    /// For the panels.
    #[must_use]
    pub fn panel_view(&self) -> PanelView<'_> {
        let (scene, compression) = (self.scene(), &self.compression);
        let result = compression.result.as_ref();
        // A blend is not what was compressed.
        let result = result.filter(|_| self.seen_mode() != Mode::Blend);
        let clip = self.shown_clip().map(|clip| ClipView {
            name: &clip.name,
            path: clip.path.as_deref(),
            skeleton: &clip.skeleton,
            raw: clip.raw().map(|raw| &**raw),
            facts: &clip.facts,
            remarks: &clip.remarks,
            marks: self.limits_of(clip).map_or(&clip.marks, |it| &it.marks),
            events: self.events.of(clip).events(),
            overrides: self.clips.overrides,
            skeletons: &clip.skeletons,
            on: &clip.loaded.path,
            length: clip.length(),
            up: clip.up(),
            fps_assumed: clip.fps_assumed(),
            has_fingers: clip.has_fingers,
        });
        let pose = scene.lead().map(|lead| PoseView {
            local: lead.local_pose(),
            world: lead.world_pose(),
            posing: lead.posing(),
            morphs: lead.morph_names(),
            selected: self.options.selected,
            curves: self.curves.as_ref(),
        });
        PanelView {
            mode: self.mode,
            clip,
            playback: self.playback(),
            pose,
            limits: LimitsView {
                report: self
                    .played_clip()
                    .and_then(|it| Some(&self.limits_of(it)?.report)),
                can_count: self.played_clip().is_some_and(|it| it.motion.is_some()),
                coloured: self.options.limits,
            },
            clips: &self.clips.rows,
            fault: self.clips.fault.as_deref(),
            display: self.options.display,
            through: self.options.through.as_deref(),
            compression: CompressionView {
                busy: compression.busy,
                error: compression.error.as_deref(),
                result: result.map(|it| &it.result),
                table: result.map(|it| &it.table),
                sweep: &compression.points,
                sweep_fraction: compression
                    .measured
                    .map(|known| known as f32 / POINTS as f32),
            },
            findings: self.findings.as_deref(),
            curve_plot: self.curving.plot.as_ref(),
            measures: self.measuring.view(),
            mending: self.mend_view(),
            cloth: ClothView {
                knobs: scene.cloth.knobs(),
                stats: scene.cloth.stats(),
                curves: scene.cloth.curves(),
            },
            animator: self.driving.drive.as_ref().map(|drive| &drive.view),
            animator_fault: self.driving.fault.as_deref(),
            editor: self.editor_view(),
            lesson: self.learning.lesson,
            library: self.library_view(),
            notices: self.notices.list(),
            status: &self.status,
            loading: self.jobs.progress.as_ref(),
            exporting: self.jobs.exporting.as_ref(),
            export: self.export_view(),
            recent: &self.recent,
            recording: self.recording,
            drivable: (self.retargeting.names(), self.driven_character()),
            cast: self.cast_view(),
            list_bottom: None,
            others: scene.characters.get(1..).unwrap_or_default(),
            blending: self.blending_view(),
            happenings: scene.happenings(),
            retarget: self.retarget_view(),
        }
    }
}
