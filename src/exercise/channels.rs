//! A motion as its file says it: a column for each degree of freedom.

use crate::{
    export::push_number,
    math::{Axis, Dof},
    mocap::{
        AngleUnit, MocapError,
        amc::{self, AmcFrame, Header},
        lossy,
    },
    skeleton::Skeleton,
};

/// A bone's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelBone {
    /// As spelt in the skeleton.
    pub name: String,
    /// In the order of the file, which is that of evaluation.
    pub dofs: Vec<Dof>,
    /// Its first column.
    pub first: usize,
}

/// Values of every degree of freedom and frame: degrees, and the file's own
/// lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelMotion {
    /// Of the skeleton, for the file's first line.
    pub skeleton: String,
    /// Frames a second.
    pub fps: f64,
    /// All bones carry three angles, whatever the skeleton says.
    pub force_3dof: bool,
    /// In the order of the file.
    pub bones: Vec<ChannelBone>,
    columns: usize,
    values: Vec<f64>,
}

/// Why a file's values cannot be taken as they are.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChannelError {
    /// It does not read at all.
    #[error(transparent)]
    Unreadable(#[from] MocapError),
    /// A frame lacks a bone or a value that others have.
    #[error("line {line}: the frame does not hold what the first one does")]
    Uneven {
        /// Where it starts.
        line: u64,
    },
}

impl ChannelMotion {
    /// No frame yet.
    #[must_use]
    pub fn new(skeleton: &str, bones: Vec<ChannelBone>, fps: f64) -> Self {
        Self {
            skeleton: skeleton.to_owned(),
            fps,
            force_3dof: false,
            columns: bones.iter().map(|bone| bone.dofs.len()).sum(),
            bones,
            values: Vec::new(),
        }
    }

    /// The values of an AMC file on its skeleton; `angle` is the skeleton's word
    /// for a file that has none.
    pub fn of_amc(
        file: &str,
        bytes: &[u8],
        (skeleton, angle): (&Skeleton, Option<AngleUnit>),
        fps: f64,
    ) -> Result<Self, ChannelError> {
        let (header, mut frames) = amc::open(file, bytes)?;
        let angle = header.angle.map(|(unit, _)| unit).or(angle);
        let scale = match angle {
            Some(AngleUnit::Radians) => 1f64.to_degrees(),
            Some(AngleUnit::Degrees) | None => 1.0,
        };
        let mut frame = AmcFrame::default();
        let mut motion: Option<Self> = None;
        while frames.next_into(&mut frame)? {
            let uneven = ChannelError::Uneven { line: frame.line };
            let motion = match &mut motion {
                Some(motion) => motion,
                none => none.insert(
                    Self::like_frame(&frame, &header, skeleton, fps).ok_or(uneven.clone())?,
                ),
            };
            motion.take(&frame, scale).ok_or(uneven)?;
        }
        motion.ok_or(ChannelError::Uneven { line: 1 })
    }

    /// The columns that a first frame has; `None` where they are not the
    /// skeleton's.
    fn like_frame(
        frame: &AmcFrame<'_>,
        header: &Header,
        skeleton: &Skeleton,
        fps: f64,
    ) -> Option<Self> {
        let mut bones = Vec::new();
        let mut first = 0;
        for line in &frame.bones {
            let name = lossy(line.name);
            let mut joints = skeleton.joints().iter();
            let joint = joints.find(|joint| joint.name.eq_ignore_ascii_case(&name))?;
            let mut dofs: Vec<Dof> = joint.dofs.iter().map(|it| it.dof).collect();
            if header.force_3dof && joint.parent != crate::skeleton::NO_PARENT {
                dofs = [Axis::X, Axis::Y, Axis::Z].map(Dof::Rotate).to_vec();
            }
            if dofs.len() != line.value_count {
                return None;
            }
            let width = dofs.len();
            let name = joint.name.clone();
            bones.push(ChannelBone { name, dofs, first });
            first += width;
        }
        let mut motion = Self::new(skeleton.name(), bones, fps);
        motion.force_3dof = header.force_3dof;
        Some(motion)
    }

    fn take(&mut self, frame: &AmcFrame<'_>, degrees_per_angle: f64) -> Option<()> {
        let same = frame.bones.len() == self.bones.len()
            && frame.values.len() == self.columns
            && frame.bones.iter().zip(&self.bones).all(|(line, bone)| {
                line.value_count == bone.dofs.len()
                    && line.name.eq_ignore_ascii_case(bone.name.as_bytes())
            });
        if !same || frame.cut || frame.values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let dofs = self.bones.iter().flat_map(|bone| &bone.dofs);
        let values = frame.values.iter().zip(dofs).map(|(value, dof)| match dof {
            Dof::Rotate(_) => value * degrees_per_angle,
            Dof::Translate(_) | Dof::Length => *value,
        });
        let values: Vec<f64> = values.collect();
        self.push(&values);
        Some(())
    }

    /// One more frame.
    ///
    /// # Panics
    /// When it has not a value for each column.
    pub fn push(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.columns, "a value for each column");
        self.values.extend_from_slice(values);
    }

    /// How many.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// Values of one frame.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[f64] {
        &self.values[frame * self.columns..(frame + 1) * self.columns]
    }

    pub(super) fn frame_mut(&mut self, frame: usize) -> &mut [f64] {
        &mut self.values[frame * self.columns..(frame + 1) * self.columns]
    }

    /// Some of the frames.
    #[must_use]
    pub fn part(&self, frames: std::ops::Range<usize>) -> Self {
        let values = self.values[frames.start * self.columns..frames.end * self.columns].to_vec();
        Self {
            values,
            ..self.clone()
        }
    }

    /// `lfemur.rx` and the like: the column, and its name as it should be spelt.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<(usize, String)> {
        self.channels()
            .find(|(_, own)| own.eq_ignore_ascii_case(name))
    }

    /// Every column and its name.
    pub fn channels(&self) -> impl Iterator<Item = (usize, String)> + '_ {
        self.bones.iter().flat_map(|bone| {
            let named =
                |(i, dof): (usize, &Dof)| (bone.first + i, format!("{}.{}", bone.name, dof.word()));
            bone.dofs.iter().enumerate().map(named)
        })
    }

    /// The file: every frame, in degrees, six decimals.
    #[must_use]
    pub fn to_amc(&self) -> String {
        let mut text = format!("#!OML:ASF {}.asf\n:FULLY-SPECIFIED\n", self.skeleton);
        if self.force_3dof {
            text.push_str(":FORCE-ALL-JOINTS-BE-3DOF\n");
        }
        // 120 is what readers assume.
        if self.fps != 120.0 {
            text.push_str(&format!(":SAMPLES-PER-SECOND {}\n", self.fps));
        }
        text.push_str(":DEGREES\n");
        for frame in 0..self.frames() {
            text.push_str(&format!("{}\n", frame + 1));
            let values = self.frame(frame);
            for bone in self.bones.iter().filter(|bone| !bone.dofs.is_empty()) {
                text.push_str(&bone.name);
                for value in &values[bone.first..bone.first + bone.dofs.len()] {
                    text.push(' ');
                    push_number(&mut text, *value);
                }
                text.push('\n');
            }
        }
        text
    }
}
