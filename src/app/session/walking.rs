//! Blend mode: a path drawn on the ground, and the clips of the list that follow
//! it.

use std::sync::Arc;

use glam::{DVec2, Vec2, Vec3};

use super::Session;
use crate::{
    app::{
        SessionError,
        path_worker::{PathJob, Walked},
    },
    scene::ViewPreset,
    ui::{Mode, PathView, Progress, Severity, WalkFigures},
};

/// Metres between the points of a path: a hand trembles by less.
const STEP_M: f32 = 0.1;
/// A shorter one was a slip of the hand, metres.
const LEAST_M: f64 = 1.0;
/// Nobody draws further away, metres.
const FURTHEST_M: f32 = 60.0;
/// How often corners of a drawn line are cut.
const SMOOTHINGS: usize = 3;

/// What is drawn, and what has come of it.
#[derive(Default)]
pub(super) struct PathState {
    drawing: bool,
    /// Where the pointer has been, while it draws.
    pointer: Option<Vec<Vec3>>,
    /// What is followed.
    path: Vec<Vec3>,
    progress: Option<Progress>,
    fault: Option<String>,
    pub shown: Option<Arc<Walked>>,
}

impl Session {
    pub(super) fn set_drawing(&mut self, drawing: bool) {
        self.walking.drawing = drawing;
        if drawing {
            // A camera that goes along would bend what is drawn.
            self.clock_mut().playing = false;
            // From above a path is seen whole; from the side the ground is a line.
            let camera = &mut self.scene_mut().camera.camera;
            camera.elevation_rad = camera.elevation_rad.max(DRAW_ELEVATION_RAD);
            camera.distance_m = camera.distance_m.max(DRAW_DISTANCE_M);
        }
    }

    /// Begins a path at a point of the picture, where one is to be drawn; pixels.
    pub fn begin_path(&mut self, at: Vec2, size: Vec2) -> bool {
        if !self.walking.drawing || self.mode != Mode::Blend {
            return false;
        }
        self.walking.pointer = Some(Vec::new());
        self.draw_path(at, size);
        true
    }

    /// Draws on.
    pub fn draw_path(&mut self, at: Vec2, size: Vec2) {
        let camera = self.scene().camera.camera;
        let aspect = size.x / size.y.max(1.0);
        let point = camera.ground_at(aspect, at / size.max(Vec2::ONE), FURTHEST_M);
        if let (Some(drawn), Some(point)) = (&mut self.walking.pointer, point) {
            let far = |last: &Vec3| last.distance(point) >= STEP_M;
            if drawn.last().is_none_or(far) {
                drawn.push(point);
            }
        }
    }

    /// The path is drawn: the clips of the list follow it.
    pub fn end_path(&mut self) {
        let Some(drawn) = self.walking.pointer.take() else {
            return;
        };
        let path = smooth(drawn);
        let length_m = length_m(&path);
        if length_m < LEAST_M {
            let text =
                format!("A path of {length_m:.1} m is too short to walk along: draw 1 m or more");
            return self.tell(Severity::Warning, text);
        }
        self.walking.path = path;
        self.walking.fault = None;
        self.follow_path();
    }

    fn follow_path(&mut self) {
        let lead = self.clips.lead.clone().filter(|it| it.motion.is_some());
        let Some(on) = lead else {
            self.walking.fault = Some("open a clip first".to_owned());
            return;
        };
        let flat = |point: &Vec3| DVec2::new(point.x.into(), point.z.into());
        self.jobs.path.ask(PathJob {
            clips: self.clips.sources(),
            on,
            path: self.walking.path.iter().map(flat).collect(),
        });
        self.walking.progress = Some(Progress {
            text: "Reading".to_owned(),
            fraction: Some(0.0),
        });
    }

    pub(super) fn receive_path_progress(&mut self, ticket: u64, progress: Progress) {
        if self.jobs.path.is_current(ticket) {
            self.walking.progress = Some(progress);
        }
    }

    pub(super) fn receive_walked(
        &mut self,
        ticket: u64,
        outcome: Result<Arc<Walked>, SessionError>,
    ) {
        if !self.jobs.path.is_current(ticket) {
            return;
        }
        self.walking.progress = None;
        match outcome {
            Ok(walked) => self.show_walk(walked),
            Err(error) => {
                self.walking.fault = Some(error.to_string());
                self.tell_error(&error);
            }
        }
    }

    fn show_walk(&mut self, walked: Arc<Walked>) {
        let was = self.seen_mode();
        let camera = self.scene().camera.camera;
        self.blend_scene.replace_lead(walked.clip.character());
        self.blend_scene.clock.playing = true;
        self.walking.shown = Some(walked);
        self.share_view(was);
        self.blend_scene.look_from(ViewPreset::ThreeQuarter);
        self.blend_scene.jump_camera();
        // As it was drawn.
        let now = &mut self.blend_scene.camera.camera;
        (now.azimuth_rad, now.elevation_rad) = (camera.azimuth_rad, camera.elevation_rad);
        now.distance_m = camera.distance_m;
        self.trace_joint();
    }

    /// Gives up the walk, under way or seen; the blend is seen again.
    pub(super) fn forget_walk(&mut self) {
        let was = self.seen_mode();
        self.jobs.path.forget();
        let shown = self.walking.shown.take();
        self.walking = PathState {
            drawing: self.walking.drawing,
            ..PathState::default()
        };
        if shown.is_some() {
            if let Some(blended) = self.blending.shown.take() {
                self.show_blended(blended);
            }
            self.share_view(was);
        }
    }

    /// What is drawn, or followed; seen in Blend alone.
    pub(super) fn drawn_path(&self) -> Vec<Vec3> {
        match (&self.walking.pointer, self.mode) {
            (Some(drawn), Mode::Blend) => drawn.clone(),
            (None, Mode::Blend) => self.walking.path.clone(),
            (_, Mode::View | Mode::Drive) => Vec::new(),
        }
    }

    pub(super) fn path_view(&self) -> PathView<'_> {
        let state = &self.walking;
        let drawn = state.pointer.as_ref().unwrap_or(&state.path);
        PathView {
            drawing: state.drawing,
            length_m: length_m(drawn),
            progress: state.progress.as_ref(),
            fault: state.fault.as_deref(),
            walk: state.shown.as_deref().map(|walked| WalkFigures {
                duration_secs: walked.clip.duration_secs(),
                changes: walked.changes,
                motions: walked.motions,
                slide_m: walked.slide_m,
                off_m: walked.off_m,
                left_out: &walked.left_out,
            }),
        }
    }
}

/// A camera that looks down at least so steeply sees where a path leads.
const DRAW_ELEVATION_RAD: f32 = 0.6;
/// … and from this far, metres, a room's worth of ground.
const DRAW_DISTANCE_M: f32 = 9.0;

fn length_m(points: &[Vec3]) -> f64 {
    let steps = points.windows(2);
    steps.map(|pair| f64::from(pair[0].distance(pair[1]))).sum()
}

/// Cuts corners, so that a hand's tremble is no turn. (Chaikin 1974.)
fn smooth(mut points: Vec<Vec3>) -> Vec<Vec3> {
    for _ in 0..SMOOTHINGS {
        let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
            break;
        };
        let cut = |pair: &[Vec3]| [pair[0].lerp(pair[1], 0.25), pair[0].lerp(pair[1], 0.75)];
        let inner = points.windows(2).flat_map(cut);
        points = std::iter::once(first).chain(inner).chain([last]).collect();
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_keeps_ends_and_straight_lines_and_rounds_corners() {
        let line: Vec<Vec3> = (0..5).map(|x| Vec3::X * x as f32).collect();
        let smoothed = smooth(line.clone());
        assert_eq!((smoothed[0], smoothed.last()), (line[0], line.last()));
        assert!(smoothed.iter().all(|point| point.z == 0.0));
        let corner = smooth(vec![Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z]);
        assert!(corner.iter().all(|point| point.distance(Vec3::X) > 0.1));
        assert!(length_m(&corner) < 2.0);
    }
}
