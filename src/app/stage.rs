//! Who is on stage and in which pose; writes [`FrameData`].

use std::sync::Arc;

use glam::Vec3;

use super::{
    compress_worker::CompressedResult,
    loader::Source,
    take::{Take, shift},
};
use crate::{
    clip::{ClipCursor, SampleClip},
    codec::metric::joint_error_m,
    scene::{
        Actor, BoneShape, FrameData, Instance, Label, Legend, Look, Overlay, ROLES, Shading, Theme,
        footing,
    },
    skeleton::{JointIndex, LocalPose, WorldPose},
    ui::{Display, LightModel, Material},
};

/// Metres from one character to the next.
const BESIDE_M: f32 = 1.3;
/// Seconds of a path that are shown, before and after.
const PATH_SECS: f64 = 2.0;
/// Colour of what is chosen; linear.
const CHOSEN: [f32; 3] = [0.95, 0.42, 0.04];

/// An entry of the clip list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it comes from.
    pub source: Source,
    /// Once read.
    pub take: Option<Arc<Take>>,
}

/// The takes to be seen and their poses.
#[derive(Debug, Default)]
pub struct Stage {
    /// The one that panels speak of.
    pub lead: Option<Arc<Take>>,
    /// Those beside it.
    pub beside: Vec<Arc<Take>>,
    /// The lead's compressed clip, played instead of the original.
    pub compressed: Option<Arc<CompressedResult>>,
    /// The lead's pose in parents.
    pub local: LocalPose,
    /// The lead's pose in the world.
    pub pose: WorldPose,
    original: WorldPose,
    cursor: ClipCursor,
    scratch: (LocalPose, WorldPose),
}

/// What a picture is composed with.
#[derive(Clone, Copy, Debug)]
pub struct ViewOptions {
    /// Display options.
    pub display: Display,
    /// Dark or light.
    pub dark: bool,
    /// The chosen joint.
    pub selected: Option<JointIndex>,
    /// The joint under the pointer.
    pub hovered: Option<JointIndex>,
    /// Time of the lead's clip.
    pub secs: f64,
}

impl Stage {
    /// With one character on it.
    #[must_use]
    pub fn of(lead: Arc<Take>) -> Self {
        Self {
            lead: Some(lead),
            ..Self::default()
        }
    }

    /// Poses the lead.
    pub fn pose_at(&mut self, secs: f64) {
        let Some(lead) = &self.lead else {
            return;
        };
        lead.pose_at(secs, &mut self.local, &mut self.original);
        match &self.compressed {
            Some(compressed) => {
                compressed
                    .clip
                    .sample(&lead.skeleton, secs, &mut self.cursor, &mut self.local);
                lead.place(&self.local, &mut self.pose);
            }
            None => self.pose.clone_from(&self.original),
        }
    }

    /// The spot below the lead's root.
    #[must_use]
    pub fn footing(&self) -> Vec3 {
        footing(&self.pose)
    }

    /// Points that everybody on stage takes up, around the lead's footing.
    #[must_use]
    pub fn room(&self) -> Vec<Vec3> {
        let mut points = self
            .lead
            .as_ref()
            .map_or_else(Vec::new, |lead| lead.outline.clone());
        let lead_facing = self.lead.as_ref().map_or(Vec3::Z, |lead| lead.facing);
        for (index, take) in self.beside.iter().enumerate() {
            let aside = place_beside(index, lead_facing);
            points.extend(take.outline.iter().map(|point| *point + aside));
        }
        points
    }

    /// Fills a frame; camera and size are the caller's.
    pub fn compose(&mut self, options: &ViewOptions, frame: &mut FrameData) {
        frame.clear();
        set_look(options, frame);
        let Some(lead) = self.lead.clone() else {
            return;
        };
        frame.look.ground_y = lead.body.ground_y();
        self.push_lead(&lead, options, frame);
        self.push_ghosts(&lead, options, frame);
        self.push_path(&lead, options, frame);
        self.push_beside(&lead, options, frame);
        self.push_marks(&lead, options, frame);
    }

    fn push_lead(&self, lead: &Take, options: &ViewOptions, frame: &mut FrameData) {
        let display = options.display;
        let actor = Actor {
            skeleton: &lead.skeleton,
            body: &lead.body,
            pose: &self.pose,
        };
        let overlay = overlay_of(display);
        let errors = self
            .compressed
            .as_ref()
            .filter(|_| display.error_colours)
            .map(|compressed| self.errors(compressed, frame));
        frame.push_actor(actor, overlay, errors.as_deref());
        if self.compressed.is_some() && display.original_ghost {
            let ghost = Instance {
                tint: [0.55, 0.85, 1.3],
                opacity: 0.4,
                shows_error: false,
            };
            frame.push_character(&lead.body, &self.original, ghost, None);
        }
    }

    /// Errors of every joint now, as shares of the largest of the whole clip.
    fn errors(&self, compressed: &CompressedResult, frame: &mut FrameData) -> Vec<f32> {
        let red_cm = compressed.result.errors.max_cm.max(1e-6) as f32;
        frame.legend = Some(Legend {
            title: "error of compression".into(),
            low: "0 cm".into(),
            high: format!("{red_cm:.3} cm"),
        });
        let pairs = self.original.joints().iter().zip(self.pose.joints());
        pairs
            .map(|(source, decoded)| joint_error_m(source, decoded) * 100.0 / red_cm)
            .collect()
    }

    fn push_ghosts(&mut self, lead: &Take, options: &ViewOptions, frame: &mut FrameData) {
        let (count, step) = (options.display.ghosts, options.display.ghost_step_secs);
        let (local, pose) = &mut self.scratch;
        for index in 1..=count {
            for side in [-1.0, 1.0] {
                let secs = options.secs + side * f64::from(index) * step;
                if (0.0..=lead.duration_secs()).contains(&secs) {
                    lead.pose_at(secs, local, pose);
                    let actor = Actor {
                        skeleton: &lead.skeleton,
                        body: &lead.body,
                        pose,
                    };
                    let age = side as f32 * index as f32 / (count + 1) as f32;
                    frame.push_ghost(actor, age);
                }
            }
        }
    }

    /// The way of the chosen joint, or of the root.
    fn push_path(&mut self, lead: &Take, options: &ViewOptions, frame: &mut FrameData) {
        if !options.display.trajectory || lead.clip.is_none() {
            return;
        }
        let joint = usize::from(options.selected.unwrap_or(0)).min(lead.skeleton.len() - 1);
        let (local, pose) = &mut self.scratch;
        let ends = [
            (options.secs - PATH_SECS).max(0.0),
            options.secs,
            (options.secs + PATH_SECS).min(lead.duration_secs()),
        ];
        for (index, pair) in ends.windows(2).enumerate() {
            let steps = ((pair[1] - pair[0]) * 30.0).ceil() as u32;
            let mut points: Vec<Vec3> = (0..=steps)
                .map(|step| {
                    let share = f64::from(step) / f64::from(steps.max(1));
                    lead.pose_at(pair[0] + (pair[1] - pair[0]) * share, local, pose);
                    pose.joints()[joint].position()
                })
                .collect();
            // Paths fade towards their start, which is the far end.
            if index == 1 {
                points.reverse();
            }
            frame.push_trajectory(&points, ROLES[[0, 2][index]].map(|c| c * 1.2));
        }
    }

    fn push_beside(&mut self, lead: &Take, options: &ViewOptions, frame: &mut FrameData) {
        let (local, pose) = &mut self.scratch;
        lead.pose_at(0.0, local, pose);
        let lead_start = footing(pose);
        for (index, take) in self.beside.iter().enumerate() {
            take.pose_at(0.0, local, pose);
            let start = footing(pose);
            let duration = take.duration_secs();
            let secs = if duration > 0.0 {
                options.secs.rem_euclid(duration + 1e-9)
            } else {
                0.0
            };
            take.pose_at(secs, local, pose);
            shift(pose, lead_start - start + place_beside(index, lead.facing));
            let actor = Actor {
                skeleton: &take.skeleton,
                body: &take.body,
                pose,
            };
            frame.push_actor(actor, overlay_of(options.display), None);
            frame.labels.push(Label {
                at: footing(pose) + Vec3::Y * 0.04,
                text: take.name.clone(),
            });
        }
        if !self.beside.is_empty() {
            frame.labels.push(Label {
                at: self.footing() + Vec3::Y * 0.04,
                text: lead.name.clone(),
            });
        }
    }

    /// The chosen joint and the one under the pointer.
    fn push_marks(&self, lead: &Take, options: &ViewOptions, frame: &mut FrameData) {
        let size_m = lead.skeleton.rest_height_m().max(1e-4);
        let place = |joint: JointIndex| self.pose.joints().get(usize::from(joint));
        if let Some((joint, at)) = options.selected.and_then(|j| Some((j, place(j)?))) {
            let from = at.position();
            let to: Vec3 = self
                .pose
                .bone_end(&lead.skeleton, usize::from(joint))
                .into();
            let bone = BoneShape {
                from,
                to,
                radius_m: 0.014 * size_m,
                colour: CHOSEN,
                on_top: true,
            };
            frame.bones.push(bone);
            frame.bones.push(BoneShape { to: from, ..bone });
        }
        let named = [options.hovered, options.selected];
        let named = if options.display.names {
            &[][..]
        } else {
            &named
        };
        let mut told = None;
        for &joint in named.iter().flatten() {
            if let (Some(at), true) = (place(joint), told != Some(joint)) {
                frame.labels.push(Label {
                    at: at.position(),
                    text: lead.skeleton.joints()[usize::from(joint)].name.clone(),
                });
                told = Some(joint);
            }
        }
    }
}

/// To the right of the lead and to its left, in turn.
fn place_beside(index: usize, facing: Vec3) -> Vec3 {
    let right = Vec3::new(-facing.z, 0.0, facing.x).normalize_or(Vec3::X);
    let steps = (index / 2 + 1) as f32;
    right
        * if index.is_multiple_of(2) {
            steps
        } else {
            -steps
        }
        * BESIDE_M
}

fn overlay_of(display: Display) -> Overlay {
    Overlay {
        hide_skin: !display.skin,
        bones: display.bones,
        axes: display.axes,
        names: display.names,
    }
}

fn set_look(options: &ViewOptions, frame: &mut FrameData) {
    let display = options.display;
    let azimuth = frame.camera.azimuth_rad;
    let look = &mut frame.look;
    *look = Look::default();
    look.theme = if options.dark {
        Theme::Dark
    } else {
        Theme::Light
    };
    look.shading = match display.light {
        LightModel::Studio => Shading::Studio,
        LightModel::Phong => Shading::Phong,
        LightModel::BlinnPhong => Shading::BlinnPhong,
    };
    look.shadows = display.shadows;
    look.occlusion = display.occlusion;
    look.ground = display.ground;
    look.key.colour *= display.light_strength;
    look.fill.colour *= display.fill_strength;
    set_material(display.material, look);
    look.light_from(azimuth - display.light_azimuth_deg.to_radians());
}

/// The colour scales what the published models have for the skin, so that the
/// material as designed leaves them as published.
fn set_material(material: Material, look: &mut Look) {
    let (colour, designed) = (Vec3::from(material.colour), look.skin);
    look.skin = colour;
    look.phong.diffuse = (look.phong.diffuse * colour / designed).min(Vec3::ONE);
    look.phong.ambient *= material.ambient / Material::default().ambient;
    look.phong.specular = Vec3::splat(material.specular);
    look.phong.shininess = material.shininess;
}
