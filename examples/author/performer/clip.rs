//! A clip: postures sampled at 120 frames a second, brought over the origin,
//! with continuous angles and the precision of its file.

use glam::DVec3;

use super::{
    balance,
    posture::Posture,
    rig::{Frame, Rig, euler, euler_angles},
    write,
};

/// Of every clip.
pub const FRAMES_PER_SECOND: f64 = 120.0;

/// What a clip is to the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Stays and repeats.
    Standing,
    /// Travels and repeats, one foot always down.
    Walking,
    /// Travels and repeats, with flight.
    Running,
    /// Starts and ends in the idle stance.
    Action,
    /// An action with flight.
    Jump,
    /// Laid over others, never played alone.
    Difference,
    /// From the ground into the idle stance.
    GetUp,
}

impl Kind {
    /// True when the last frame is the first one again, travel aside.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Standing | Self::Walking | Self::Running)
    }
}

/// Channel values of a whole clip.
#[derive(Clone)]
pub struct Clip {
    /// Stem of its file.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// At least two; a loop repeats its first frame at the end.
    pub frames: Vec<Frame>,
    /// Whether both feet are off the floor; one a frame.
    pub airborne: Vec<bool>,
}

/// What is seen at a moment.
type FrameAt<'a> = Box<dyn Fn(&Rig, f64) -> Frame + 'a>;

/// A clip still to be recorded: postures over time.
pub struct Take<'a> {
    name: &'static str,
    kind: Kind,
    duration_secs: f64,
    frame: FrameAt<'a>,
    airborne: Box<dyn Fn(f64) -> bool + 'a>,
}

impl<'a> Take<'a> {
    /// A take in which a foot is always on the floor.
    pub fn new(
        name: &'static str,
        kind: Kind,
        duration_secs: f64,
        posture: impl Fn(f64) -> Posture + 'a,
    ) -> Self {
        let frame = move |rig: &Rig, t| balance::solve(rig, &posture(t));
        Self::of_frames(name, kind, duration_secs, frame)
    }

    /// A take of whole frames.
    pub fn of_frames(
        name: &'static str,
        kind: Kind,
        duration_secs: f64,
        frame: impl Fn(&Rig, f64) -> Frame + 'a,
    ) -> Self {
        Self {
            name,
            kind,
            duration_secs,
            frame: Box::new(frame),
            airborne: Box::new(|_| false),
        }
    }

    /// Says when both feet are off the floor.
    pub fn with_flight(mut self, airborne: impl Fn(f64) -> bool + 'a) -> Self {
        self.airborne = Box::new(airborne);
        self
    }

    /// Samples the postures from 0 to the end, both included.
    pub fn record(&self, rig: &Rig) -> Clip {
        let count = (self.duration_secs * FRAMES_PER_SECOND).round() as usize + 1;
        let time = |index: usize| index as f64 / FRAMES_PER_SECOND;
        let mut frames = Vec::with_capacity(count);
        for index in 0..count {
            let mut frame = (self.frame)(rig, time(index));
            if let Some(previous) = frames.last() {
                keep_continuous(rig, &mut frame, previous);
            }
            frames.push(frame);
        }
        let start = frames[0].root_m * DVec3::new(1.0, 0.0, 1.0);
        for frame in &mut frames {
            frame.root_m -= start;
            *frame = write::rounded(frame);
        }
        Clip {
            name: self.name,
            kind: self.kind,
            frames,
            airborne: (0..count)
                .map(|index| (self.airborne)(time(index)))
                .collect(),
        }
    }
}

/// Of the two Euler triplets of a rotation and their full turns, takes those
/// nearest to the previous frame's.
fn keep_continuous(rig: &Rig, frame: &mut Frame, previous: &Frame) {
    for (index, bone) in rig.bones.iter().enumerate() {
        if bone.dofs.len() < 3 {
            continue;
        }
        let before = previous.angles_deg[index];
        let rotation = euler(frame.angles_deg[index]);
        let [x, y, z] = euler_angles(rotation, before[2]);
        let candidates = [[x, y, z], [x + 180.0, 180.0 - y, z + 180.0]].map(|angles| {
            let near = |i: usize| angles[i] - 360.0 * ((angles[i] - before[i]) / 360.0).round();
            [near(0), near(1), near(2)]
        });
        let distance =
            |angles: &[f64; 3]| (0..3).map(|i| (angles[i] - before[i]).abs()).sum::<f64>();
        let [first, second] = candidates;
        frame.angles_deg[index] = if distance(&first) <= distance(&second) {
            first
        } else {
            second
        };
    }
}
