//! Hands on whoever is seen: what the Pose section and keys ask for.

use std::{path::Path, sync::Arc};

use glam::Vec2;

use super::Session;
use crate::{
    app::{Message, background, opened_clip::OpenedClip},
    body::BodyCache,
    clip::LimitReport,
    load::PoseFile,
    posing::{Attachment, GroundKind, LookAt, PoseAction, Posing, PropKind},
    ui::Mark,
};

/// Joints beyond their limits in a clip, and the timeline with them.
pub(super) struct CountedLimits {
    clip: Arc<OpenedClip>,
    pub report: LimitReport,
    /// The clip's own marks, and those of breaches.
    pub marks: Vec<Mark>,
}

/// Stretches in which any joint is beyond a limit, below the clip's own marks.
fn limit_marks(clip: &OpenedClip, report: &LimitReport) -> Vec<Mark> {
    let mut marks = clip.marks.clone();
    let first_row = marks.iter().map(|mark| mark.row + 1).max().unwrap_or(0);
    let fps = clip.motion.as_ref().map_or(1.0, |it| it.raw().fps);
    let lists = [
        (&report.own, "beyond its file's limits"),
        (&report.human, "beyond a human's limits"),
    ];
    for (row, (breaches, text)) in lists.into_iter().enumerate() {
        let mut spans: Vec<(usize, usize)> = { breaches.iter() }
            .map(|it| (it.start_frame, it.end_frame))
            .collect();
        spans.sort_unstable();
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (start, end) in spans {
            match joined.last_mut() {
                Some(last) if start <= last.1 + 1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        marks.extend(joined.into_iter().map(|(start, end)| Mark {
            start_secs: start as f64 / fps,
            end_secs: end as f64 / fps,
            row: first_row + row,
            text: text.to_owned(),
        }));
    }
    marks
}

/// Size of the ground that a picture becomes, metres: side, and height of white.
const FIELD_M: [f32; 2] = [40.0, 2.0];

impl Session {
    /// Does something to the pose of whoever is seen; what it names is read.
    pub fn pose(&mut self, action: &PoseAction) {
        match PoseFile::read(action, Path::new("")) {
            Ok(None) => {}
            Ok(Some(file)) => {
                let name = action.file().unwrap_or_default();
                let scene = self.scene_mut();
                file.show(name, scene, &mut BodyCache::default());
                { scene.characters.iter_mut() }.for_each(|it| file.give(name, it));
            }
            Err(error) => return self.tell_error(&error),
        }
        if let Err(error) = self.scene_mut().act(action) {
            self.tell_error(&error);
        }
    }

    /// Does something to what is kept of whoever is seen.
    pub(super) fn with_posing(&mut self, what: impl FnOnce(&mut Posing)) {
        if let Some(lead) = self.scene_mut().lead_mut() {
            what(lead.posing_mut());
        }
    }

    /// Looks through the shown clip for joints beyond their limits.
    pub(super) fn count_limits(&mut self) {
        let Some(clip) = self.played_clip().map(Arc::clone) else {
            return;
        };
        let outbox = Arc::clone(&self.jobs.outbox);
        background(move || {
            if let Some(motion) = &clip.motion {
                let report = LimitReport::of(&clip.skeleton, motion.raw());
                outbox(Message::CountedLimits(clip, report));
            }
        });
    }

    pub(super) fn receive_limits(&mut self, clip: Arc<OpenedClip>, report: LimitReport) {
        let marks = limit_marks(&clip, &report);
        self.limits = Some(CountedLimits {
            clip,
            report,
            marks,
        });
    }

    /// What was counted of a clip.
    pub(super) fn limits_of(&self, clip: &OpenedClip) -> Option<&CountedLimits> {
        let counted = self.limits.as_ref()?;
        std::ptr::eq(&raw const *counted.clip, clip).then_some(counted)
    }

    pub(super) fn browse_prop(&mut self, joint: String) {
        let asks = ("A model to hold", &["glb", "gltf"][..]);
        self.jobs.loader.ask_for_pose_file(asks, move |path| {
            PoseAction::Attach(Attachment::to(PropKind::File(path), joint))
        });
    }

    pub(super) fn browse_ground(&mut self) {
        let endings = &["png", "jpg", "jpeg", "glb", "gltf"][..];
        let asks = ("A ground to stand on", endings);
        self.jobs.loader.ask_for_pose_file(asks, |path| {
            PoseAction::Ground(GroundKind::File {
                path,
                width_m: FIELD_M[0],
                height_m: FIELD_M[1],
            })
        });
    }

    /// The mouse is at a point of the picture, in pixels: whoever looks at it
    /// looks there, before the body as far away as its head is wide. True where
    /// somebody does.
    pub fn look_to_pointer(&mut self, at: Vec2, size: Vec2) -> bool {
        let scene = self.scene_mut();
        let view = scene.camera.camera.view(size.x / size.y.max(1.0));
        let Some(lead) = scene.characters.first() else {
            return false;
        };
        let Some(face) = lead
            .face()
            .filter(|_| lead.posing().look().at == LookAt::Pointer)
        else {
            return false;
        };
        // Half-way to the eye: near enough to turn to, far enough to turn calmly.
        let before = face.lerp(view.eye, 0.5);
        scene.pointer = Some(view.beside(before, at / size.max(Vec2::ONE)));
        true
    }
}
