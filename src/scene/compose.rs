//! The one function that fills a picture: characters, overlays, ghosts, paths,
//! marks, cloth.

use glam::Vec3;

use super::{Actor, BoneShape, Character, FrameData, Instance, Label, Legend, Line, ROLES, Scene};
use crate::{
    cloth::SolverMode,
    skeleton::{JointIndex, WorldPose},
};

/// Seconds of a path that are shown, before and after.
const PATH_SECS: f64 = 2.0;
/// Points a second of a path: no eye tells them from a curve.
const PATH_RATE: f64 = 60.0;
/// Brightness of what is still to come, against what has been.
const FUTURE: f32 = 0.55;
/// A path on the ground lies this far above it, lest the two flicker, metres.
const PATH_LIFT_M: f32 = 0.005;
/// Colour of what is chosen; linear.
const PINNED: [f32; 3] = [0.10, 0.45, 0.85];
/// Degrees beyond a limit that are red.
const RED_EXCESS_DEG: f32 = 20.0;
const CHOSEN: [f32; 3] = [0.95, 0.42, 0.04];
/// A pose to compare with.
pub(super) const COMPARISON: Instance = Instance {
    tint: [0.55, 0.85, 1.3],
    opacity: 0.42,
    shows_error: false,
};

impl Scene {
    /// Fills a frame with the present moment.
    pub fn compose(&self, frame: &mut FrameData) {
        frame.clear();
        frame.camera = self.camera.camera;
        frame.camera.through = self.through();
        frame.skinning = self.options.skinning;
        frame.look = self.options.look(frame.camera.azimuth_rad);
        frame.caption.clone_from(&self.options.caption);
        let Some(lead) = self.characters.first() else {
            return;
        };
        frame.look.ground_y = lead.body.ground_y();
        // A floor that cuts through a slope or a valley is none.
        frame.look.ground &= lead
            .posing()
            .ground()
            .is_none_or(|ground| ground.has_floor());
        for character in &self.characters {
            self.push_character(character, frame);
        }
        self.push_beside(lead, frame);
        self.push_ghosts(lead, frame);
        self.push_paths(lead, frame);
        self.push_ground_path(frame);
        self.push_labels(frame);
        if self.options.event_labels {
            frame.labels.extend(self.event_labels());
        }
        self.push_marks(lead, frame);
        self.push_locators(frame);
        self.push_cloth(lead, frame);
        { self.characters.iter() }.for_each(|it| self.stage.push(it, frame));
        self.stage.push_ground(lead.footing(), frame);
        frame.drop_unsound_marks();
    }

    fn push_character(&self, character: &Character, frame: &mut FrameData) {
        if character.see_through {
            let pose = character.world_pose();
            let instance = Instance {
                tint: character.ghost_tint,
                ..COMPARISON
            };
            frame.push_character(&character.body, pose, instance, None);
            return;
        }
        let actor = character.actor(character.world_pose());
        let overlay = self.options.overlay();
        if self.push_seen(character, frame) {
            frame.push_overlay(actor, overlay);
        } else {
            let errors = self.error_weights(character, frame);
            frame.push_actor(actor, overlay, errors.as_deref());
        }
        if let Some(reference) = character.reference_pose()
            && self.options.display.original_ghost
        {
            frame.push_character(&character.body, reference, COMPARISON, None);
        }
    }

    /// What colours the skin, 1 where it is red: how far joints are beyond their
    /// limits, or their errors now; with the key to them.
    fn error_weights(&self, character: &Character, frame: &mut FrameData) -> Option<Vec<f32>> {
        if let Some((weights, joint)) = self.weights_shown(character) {
            frame.legend = Some(Legend {
                title: format!("weight of {joint}"),
                low: "0".into(),
                high: "1".into(),
            });
            return Some(weights);
        }
        if let Some(source) = self.options.limits {
            frame.legend = Some(Legend {
                title: "beyond its limit".into(),
                low: "0°".into(),
                high: format!("{RED_EXCESS_DEG}°"),
            });
            let excess = character.excess_rad(source).into_iter();
            return Some(excess.map(|it| it.to_degrees() / RED_EXCESS_DEG).collect());
        }
        if !self.options.display.error_colours {
            return None;
        }
        // A clip without any error makes a scale of 0.
        let red_cm = self.options.error_scale_cm.max(1e-6);
        let errors = character.errors_m()?;
        frame.legend = Some(Legend {
            title: "joint error".into(),
            low: "0 cm".into(),
            high: format!("{} cm", (red_cm * 1e3).round() / 1e3),
        });
        Some(errors.iter().map(|error| error * 100.0 / red_cm).collect())
    }

    /// See-through poses before and after.
    fn push_ghosts(&self, lead: &Character, frame: &mut FrameData) {
        let display = &self.options.display;
        let (first, last) = lead.known_secs();
        for index in 1..=display.ghosts {
            for side in [-1.0, 1.0] {
                let step_secs = side * f64::from(index) * display.ghost_step_secs;
                let secs = self.clock.time_secs() + step_secs;
                // Beyond its ends a clip holds still: ghosts would pile up
                // there.
                if (first..=last).contains(&secs) {
                    let age = side as f32 * index as f32 / (display.ghosts + 1) as f32;
                    frame.push_ghost(lead.actor(&lead.pose_at(secs)), age);
                }
            }
        }
    }

    /// The paths of the chosen joints, or of the root.
    fn push_paths(&self, lead: &Character, frame: &mut FrameData) {
        if !self.options.display.trajectory {
            return;
        }
        let joints = match self.options.path_joints.as_slice() {
            [] => vec![self.options.selected.unwrap_or(lead.carrier())],
            joints => joints.to_vec(),
        };
        let (first, last) = lead.known_secs();
        let now = self.clock.time_secs();
        // What is driven is known a tick short of now.
        let past = poses_between(lead, now.min(last), (now - PATH_SECS).max(first));
        let future = poses_between(lead, now, (now + PATH_SECS).min(last).max(now));
        for (index, joint) in joints.into_iter().enumerate() {
            // The first path in the colour of the middle, which is where a root
            // is.
            let colour = ROLES[2 - index % 3].map(|c| c * 1.2);
            frame.push_trajectory(&points_of(&past, joint), colour);
            frame.push_trajectory(&points_of(&future, joint), colour.map(|c| c * FUTURE));
        }
    }

    fn push_ground_path(&self, frame: &mut FrameData) {
        let points = &self.options.ground_path;
        frame.lines.extend(points.windows(2).map(|pair| Line {
            from: pair[0] + Vec3::Y * PATH_LIFT_M,
            to: pair[1] + Vec3::Y * PATH_LIFT_M,
            colour: [CHOSEN[0], CHOSEN[1], CHOSEN[2], 0.9],
            width_px: 3.0,
            on_top: false,
        }));
    }

    /// Names at the feet, where several stand.
    fn push_labels(&self, frame: &mut FrameData) {
        let standing = self.characters.iter();
        let standing = standing.filter(|it| !it.see_through && !it.name.is_empty());
        if standing.clone().count() > 1 {
            frame.labels.extend(standing.map(|character| Label {
                at: character.footing() + Vec3::Y * 0.04,
                text: character.name.clone(),
            }));
        }
    }

    /// The chosen joint and the one under the pointer.
    fn push_marks(&self, lead: &Character, frame: &mut FrameData) {
        let options = &self.options;
        let size_m = lead.skeleton.rest_height_m().max(1e-4);
        let position = |joint: JointIndex| lead.world_pose().joints().get(usize::from(joint));
        let held = lead.held_joint().or(options.hovered);
        if let Some(at) = held.and_then(position) {
            frame.bones.push(BoneShape {
                from: at.position(),
                to: at.position(),
                radius_m: 0.016 * size_m,
                colour: CHOSEN,
                on_top: true,
            });
        }
        for at in lead
            .posing()
            .chosen_pins()
            .iter()
            .filter_map(|pin| position(*pin))
        {
            frame.bones.push(BoneShape {
                from: at.position(),
                to: at.position(),
                radius_m: 0.02 * size_m,
                colour: PINNED,
                on_top: true,
            });
        }
        if let Some((joint, at)) = options.selected.and_then(|j| Some((j, position(j)?))) {
            let pose = lead.world_pose();
            let bone = BoneShape {
                from: at.position(),
                to: pose.bone_end(&lead.skeleton, usize::from(joint)).into(),
                radius_m: 0.014 * size_m,
                colour: CHOSEN,
                on_top: true,
            };
            let ball = BoneShape {
                to: bone.from,
                ..bone
            };
            frame.bones.extend([bone, ball]);
        }
        // Every name is there already.
        if options.display.names {
            return;
        }
        let hovered = options.hovered.filter(|it| options.selected != Some(*it));
        for joint in [hovered, options.selected].into_iter().flatten() {
            if let Some(at) = position(joint) {
                frame.labels.push(Label {
                    at: at.position(),
                    text: lead.skeleton.joints()[usize::from(joint)].name.clone(),
                });
            }
        }
    }

    /// Places that somebody put somewhere; those of files with all other axes.
    fn push_locators(&self, frame: &mut FrameData) {
        for character in self.characters.iter().filter(|it| !it.see_through) {
            let length_m = 0.06 * character.skeleton.rest_height_m().max(1e-4);
            let of_file = character.skeleton.landmarks().iter();
            let of_file = of_file.filter(|_| self.options.display.axes);
            let of_file = of_file.filter_map(|it| Some((&*it.name, character.locate(&it.name)?)));
            for (name, place) in character.locators().chain(of_file) {
                frame.push_axes_of(place, length_m);
                frame.labels.push(Label {
                    at: place.position(),
                    text: name.to_owned(),
                });
            }
        }
    }

    /// The same sheet by other solvers, each on a copy of the lead, by name.
    fn push_other_sheets(&self, lead: &Character, frame: &mut FrameData) {
        let label = |mode: SolverMode, offset: Vec3, frame: &mut FrameData| {
            frame.labels.push(Label {
                at: lead.footing() + offset + Vec3::Y * 0.04,
                text: mode.title().to_owned(),
            });
        };
        for (index, (mode, offset, cloth)) in self.cloth.others().enumerate() {
            if index == 0 {
                label(self.cloth.knobs().settings.mode, Vec3::ZERO, frame);
            }
            label(mode, offset, frame);
            let pose = lead.world_pose().shifted(offset);
            frame.push_actor(lead.actor(&pose), self.options.overlay(), None);
            frame.push_cloth(cloth, self.options.cloth);
        }
    }

    fn push_cloth(&self, lead: &Character, frame: &mut FrameData) {
        if let Some(cloth) = self.cloth.cloth() {
            frame.push_cloth(cloth, self.options.cloth);
            self.push_other_sheets(lead, frame);
        } else if self.options.cloth.colliders {
            let (mut solids, pose) = (Vec::new(), lead.world_pose());
            // From the pose to itself: nothing is swept, only shown.
            lead.solids().follow(pose, pose, &mut solids);
            frame.push_solids(&solids);
        }
    }
}

impl Character {
    fn actor<'a>(&'a self, pose: &'a WorldPose) -> Actor<'a> {
        Actor {
            skeleton: &self.skeleton,
            body: &self.body,
            pose,
        }
    }
}

/// Poses from the far end of a path to the near one: paths fade towards their
/// start.
fn poses_between(lead: &Character, near_secs: f64, far_secs: f64) -> Vec<WorldPose> {
    let span = near_secs - far_secs;
    if span == 0.0 {
        return Vec::new();
    }
    let steps = (span.abs() * PATH_RATE).ceil() as u32;
    let at = |step: u32| far_secs + span * f64::from(step) / f64::from(steps);
    (0..=steps).map(|step| lead.pose_at(at(step))).collect()
}

fn points_of(poses: &[WorldPose], joint: JointIndex) -> Vec<Vec3> {
    let position = |pose: &WorldPose| Some(pose.joints().get(usize::from(joint))?.position());
    poses.iter().filter_map(position).collect()
}
