//! Channels of joints over time: what an animator's curve editor shows, and how
//! fast, how hard and how suddenly a joint moves.
//!
//! A clip is sampled once a frame of its own. Derivatives are those of
//! polynomials of degree six fitted to what lies within 75 ms
//! ([`derivatives`]): a third derivative of single-precision places by
//! differences of neighbours would be noise. Metres and seconds here; names and
//! units for people come with every curve.

mod derivative;
mod filter;
mod text;

pub use derivative::derivatives;
pub use filter::{Filter, filtered};
pub use text::{chart_of, csv_of};

use glam::EulerRot;

use crate::{
    clip::{ClipCursor, SampleClip},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// What of a joint is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "viewer", derive(serde::Serialize, serde::Deserialize))]
pub enum Channel {
    /// Rotation in its parent about X, then Y, then Z of the parent, degrees.
    Euler,
    /// The same as a quaternion.
    Quaternion,
    /// Position in its parent, centimetres.
    Local,
    /// Position in the model's space, where the capture was made, centimetres.
    World,
    /// Metres a second.
    Speed,
    /// Metres a second, each second.
    Acceleration,
    /// The same, once more.
    Jerk,
    /// Weights of morph targets; of the skin, not of a joint.
    Morph,
}

impl Channel {
    /// In the order they are offered.
    pub const ALL: [Self; 8] = [
        Self::Euler,
        Self::Quaternion,
        Self::Local,
        Self::World,
        Self::Speed,
        Self::Acceleration,
        Self::Jerk,
        Self::Morph,
    ];

    /// The word on buttons and of the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Euler => "euler",
            Self::Quaternion => "quaternion",
            Self::Local => "local",
            Self::World => "world",
            Self::Speed => "speed",
            Self::Acceleration => "acceleration",
            Self::Jerk => "jerk",
            Self::Morph => "morph",
        }
    }

    /// The channel of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Unit of its values; nothing for plain numbers.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Euler => "°",
            Self::Quaternion | Self::Morph => "",
            Self::Local | Self::World => "cm",
            Self::Speed => "m/s",
            Self::Acceleration => "m/s²",
            Self::Jerk => "m/s³",
        }
    }

    fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Euler | Self::Local | Self::World => &["x", "y", "z"],
            Self::Quaternion => &["x", "y", "z", "w"],
            Self::Speed | Self::Acceleration | Self::Jerk | Self::Morph => &[""],
        }
    }
}

/// What is to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Joints, in order.
    pub joints: Vec<JointIndex>,
    /// Channels of each.
    pub channels: Vec<Channel>,
    /// Names of the morph targets, by number; as many as there are.
    pub morphs: Vec<String>,
}

/// One line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Of what.
    pub channel: Channel,
    /// Of whom; none for morphs.
    pub joint: Option<JointIndex>,
    /// Which part of it: 0 is x.
    pub part: usize,
    /// `lfoot world y`.
    pub name: String,
    /// One a frame.
    pub values: Vec<f64>,
}

/// Curves of one clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Frames a second.
    pub fps: f64,
    /// In the order they were asked for.
    pub curves: Vec<Curve>,
}

impl Curves {
    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.curves.first().map_or(0, |it| it.values.len())
    }

    /// The same after a filter, for looking at.
    #[must_use]
    pub fn through(&self, filter: Filter) -> Self {
        let smooth = |curve: &Curve| Curve {
            values: filter.apply(&curve.values, self.fps),
            ..curve.clone()
        };
        Self {
            fps: self.fps,
            curves: self.curves.iter().map(smooth).collect(),
        }
    }
}

/// Samples a clip, frame by frame, and takes all that is wanted from it.
///
/// # Panics
/// When the clip is for another skeleton.
#[must_use]
pub fn curves(skeleton: &Skeleton, clip: &dyn SampleClip, wanted: &Wanted) -> Curves {
    let posed = Posed::new(skeleton, clip);
    let mut curves = Vec::new();
    let joints = wanted
        .joints
        .iter()
        .filter(|it| usize::from(**it) < skeleton.len());
    for &joint in joints {
        let name = &skeleton.joints()[usize::from(joint)].name;
        for &channel in wanted.channels.iter().filter(|it| **it != Channel::Morph) {
            let parts = posed.parts(usize::from(joint), channel, clip.fps());
            for (part, values) in parts.into_iter().enumerate() {
                let said = [name, channel.word(), channel.parts()[part]].join(" ");
                curves.push(Curve {
                    channel,
                    joint: Some(joint),
                    part,
                    name: said.trim_end().to_owned(),
                    values,
                });
            }
        }
    }
    if wanted.channels.contains(&Channel::Morph) {
        curves.extend(posed.morphs(&wanted.morphs));
    }
    Curves {
        fps: clip.fps(),
        curves,
    }
}

/// A clip, frame by frame.
struct Posed {
    locals: Vec<LocalPose>,
    models: Vec<ModelPose>,
}

impl Posed {
    fn new(skeleton: &Skeleton, clip: &dyn SampleClip) -> Self {
        let mut cursor = ClipCursor::default();
        let pose = |frame: usize| {
            let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
            clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut local);
            model.compute(skeleton, &local);
            (local, model)
        };
        let (locals, models) = (0..clip.frames()).map(pose).unzip();
        Self { locals, models }
    }

    fn parts(&self, joint: usize, channel: Channel, fps: f64) -> Vec<Vec<f64>> {
        match channel {
            Channel::Euler => self.euler(joint),
            Channel::Quaternion => self.quaternion(joint),
            Channel::Local => {
                let places = self.locals.iter().map(|it| it.joints()[joint].translation);
                columns(places.map(|it| it.to_array().map(|it| 100.0 * f64::from(it))))
            }
            Channel::World => columns(self.world(joint).map(|it| it.map(|it| 100.0 * it))),
            Channel::Speed => vec![self.magnitude(joint, 1, fps)],
            Channel::Acceleration => vec![self.magnitude(joint, 2, fps)],
            Channel::Jerk => vec![self.magnitude(joint, 3, fps)],
            Channel::Morph => Vec::new(),
        }
    }

    fn world(&self, joint: usize) -> impl Iterator<Item = [f64; 3]> + '_ {
        let places = self
            .models
            .iter()
            .map(move |it| it.joints()[joint].translation);
        places.map(|it| it.to_array().map(f64::from))
    }

    /// Length of a derivative of the way through the world.
    fn magnitude(&self, joint: usize, order: usize, fps: f64) -> Vec<f64> {
        let axes = columns(self.world(joint));
        let axes: Vec<Vec<f64>> = axes.iter().map(|it| derivatives(it, order, fps)).collect();
        let length = |frame: usize| {
            axes.iter()
                .map(|it| it[frame] * it[frame])
                .sum::<f64>()
                .sqrt()
        };
        (0..self.models.len()).map(length).collect()
    }

    fn euler(&self, joint: usize) -> Vec<Vec<f64>> {
        let angles = self.locals.iter().map(|it| {
            // Z, Y, X about axes that turn along is X, Y, Z about fixed ones: the
            // order of nearly every file.
            let (z, y, x) = it.joints()[joint].rotation.to_euler(EulerRot::ZYX);
            [x, y, z].map(|angle| f64::from(angle.to_degrees()))
        });
        let mut angles = columns(angles);
        angles.iter_mut().for_each(|it| unwind(it));
        angles
    }

    fn quaternion(&self, joint: usize) -> Vec<Vec<f64>> {
        let mut before = None;
        let parts = self.locals.iter().map(|it| {
            let own = it.joints()[joint].rotation;
            // q and −q are one rotation: the nearer one draws a line.
            let own = match before {
                Some(before) if own.dot(before) < 0.0 => -own,
                _ => own,
            };
            before = Some(own);
            own.to_array().map(f64::from)
        });
        columns(parts)
    }

    fn morphs<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = Curve> + 'a {
        names.iter().enumerate().map(|(morph, name)| Curve {
            channel: Channel::Morph,
            joint: None,
            part: morph,
            name: match name.is_empty() {
                true => format!("morph {morph}"),
                false => format!("morph {name}"),
            },
            values: self
                .locals
                .iter()
                .map(|it| f64::from(it.morph(morph)))
                .collect(),
        })
    }
}

fn columns<const N: usize>(rows: impl Iterator<Item = [f64; N]>) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); N];
    for row in rows {
        columns
            .iter_mut()
            .zip(row)
            .for_each(|(column, value)| column.push(value));
    }
    columns
}

/// Whole turns are free: the nearest value draws a line without jumps at ±180°.
fn unwind(degrees: &mut [f64]) {
    for frame in 1..degrees.len() {
        let before = degrees[frame - 1];
        degrees[frame] += 360.0 * ((before - degrees[frame]) / 360.0).round();
    }
}

#[cfg(test)]
mod tests;
