//! The session as panels, title and pointer see it.

use glam::Vec2;

use super::Session;
use crate::{
    app::codec_sweep::POINTS,
    skeleton::JointIndex,
    ui::{ClipView, CompressionView, Mode, PanelView, PoseView},
};

/// Pixels around the pointer in which a joint is found.
const PICK_PX: f32 = 14.0;

impl Session {
    /// The window's title.
    #[must_use]
    pub fn title(&self) -> String {
        match (&self.stage.lead, self.mode) {
            (Some(take), Mode::View) if take.clip.is_some() => {
                format!("{} · {:.0} fps – Kinetoscope", take.name, take.fps())
            }
            (Some(take), Mode::View) => format!("{} – Kinetoscope", take.name),
            (_, Mode::Drive) => {
                let lead = self.drive.as_ref().and_then(|it| it.stage.lead.as_ref());
                let name = lead.map_or("performer", |take| take.name.as_str());
                format!("{name} – Kinetoscope")
            }
            (None, Mode::View) => "Kinetoscope".into(),
        }
    }

    /// What files made from the picture are called.
    #[must_use]
    pub fn stem(&self) -> String {
        match (&self.stage.lead, self.mode) {
            (Some(take), Mode::View) => format!("kinetoscope-{}", take.name),
            _ => "kinetoscope".to_owned(),
        }
    }

    /// For the panels.
    #[must_use]
    pub fn panel_view(&self) -> PanelView<'_> {
        let stage = self.shown_stage();
        let clip = stage.lead.as_ref().map(|take| ClipView {
            name: &take.name,
            path: take.path.as_deref(),
            skeleton: &take.skeleton,
            raw: take.clip.as_deref(),
            facts: &take.facts,
            remarks: &take.remarks,
            marks: &take.marks,
            overrides: self.overrides,
            length: take.length,
            fps_assumed: take.fps_assumed,
        });
        let pose = stage.lead.as_ref().map(|_| PoseView {
            local: &stage.local,
            world: &stage.pose,
            selected: self.selected,
            curves: self.curves.as_ref(),
        });
        PanelView {
            mode: self.mode,
            clip,
            playback: self.player.view(),
            pose,
            clips: &self.rows,
            display: self.display,
            compression: CompressionView {
                busy: self.compress_busy,
                error: self.compress_error.as_deref(),
                result: self
                    .stage
                    .compressed
                    .as_ref()
                    .map(|compressed| &compressed.result),
                table: self
                    .stage
                    .compressed
                    .as_ref()
                    .map(|compressed| &compressed.table),
                sweep: &self.sweep,
                sweep_fraction: self.sweep_known.map(|known| known as f32 / POINTS as f32),
            },
            cloth: self.cloth.view(),
            animator: self.drive.as_ref().map(|drive| &drive.view),
            animator_fault: self.drive_fault.as_deref(),
            notices: self.notices.list(),
            status: &self.status,
            loading: self.progress.as_ref(),
            recent: &self.recent,
            recording: self.recording,
            drivable: (self.retarget_state.names(), self.driven_character()),
            retarget: self.retarget_view(),
        }
    }

    /// The joint near a point of the picture; both in pixels.
    #[must_use]
    pub fn joint_at(&self, at: Vec2, size: Vec2) -> Option<JointIndex> {
        let stage = self.shown_stage();
        stage.lead.as_ref()?;
        let view = self.follow_camera.camera.view(size.x / size.y.max(1.0));
        let joints = stage.pose.joints().iter().enumerate();
        let near = joints.filter_map(|(index, joint)| {
            let distance = (view.project(joint.position())? * size).distance(at);
            (distance <= PICK_PX).then_some((index, distance))
        });
        near.min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(index, _)| index as JointIndex)
    }
}
