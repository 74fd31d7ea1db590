//! One way to take poses from any clip: raw, keyed or compressed.

use std::any::Any;

use crate::skeleton::{LocalPose, ModelPose, Skeleton};

/// How long a clip is, and for what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipShape {
    /// Number of frames; a clip of keys counts at its nominal rate.
    pub frames: usize,
    /// Frames a second.
    pub fps: f64,
    /// Joints of the skeleton the clip is for.
    pub joints: usize,
}

/// A clip that poses can be taken from. One value serves any number of players
/// on any number of threads, each with a cursor of its own.
pub trait SampleClip: std::fmt::Debug + Send + Sync {
    /// Its length, rate and joints.
    fn shape(&self) -> ClipShape;

    /// Writes the whole pose `time_secs` after the first frame; times outside
    /// the clip (or not numbers at all) give its ends. Joints without a track
    /// stand at rest. Allocates nothing once cursor and pose have their size.
    ///
    /// # Panics
    /// When the clip is for another number of joints.
    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    );

    /// Number of frames; a clip of keys counts at its nominal rate.
    fn frames(&self) -> usize {
        self.shape().frames
    }

    /// Frames a second.
    fn fps(&self) -> f64 {
        self.shape().fps
    }

    /// Joints of the skeleton the clip is for.
    fn joints(&self) -> usize {
        self.shape().joints
    }

    /// Seconds from the first frame to the last.
    fn duration_secs(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.fps()
    }
}

/// Poses that speak for a whole clip.
const FEW_POSES: usize = 40;

/// Poses spread evenly over a clip, first and last among them: few however
/// long it is, and every frame of a short one.
#[must_use]
pub fn sample_poses(clip: &dyn SampleClip, skeleton: &Skeleton) -> Vec<ModelPose> {
    let count = clip.frames().min(FEW_POSES);
    let mut cursor = ClipCursor::default();
    let mut local = LocalPose::default();
    let pose = |index: usize| {
        let share = index as f64 / count.saturating_sub(1).max(1) as f64;
        let time_secs = share * clip.duration_secs();
        clip.sample(skeleton, time_secs, &mut cursor, &mut local);
        let mut model = ModelPose::default();
        model.compute(skeleton, &local);
        model
    };
    (0..count).map(pose).collect()
}

/// What a player keeps between samples of a clip. Disposable: a fresh one gives
/// the same poses as an old one, only not as fast. One that was used with
/// another clip notices and starts afresh, so a player may keep it for good.
#[derive(Default)]
pub struct ClipCursor(Option<Box<dyn Any + Send>>);

impl ClipCursor {
    /// The clip's own kind of cursor; made new when it is of another kind.
    #[inline]
    pub fn of<T: Default + Send + 'static>(&mut self) -> &mut T {
        let cursor = self.0.get_or_insert_with(|| Box::<T>::default());
        // Asked before the downcast: a borrow that may leave the function
        // cannot be given back when the downcast fails.
        if !cursor.is::<T>() {
            *cursor = Box::<T>::default();
        }
        match cursor.downcast_mut() {
            Some(cursor) => cursor,
            None => unreachable!("it was made of this type"),
        }
    }
}

/// A copy starts afresh: what a cursor holds is never needed.
impl Clone for ClipCursor {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for ClipCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClipCursor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_made_once_and_remade_for_another_type() {
        let mut cursor = ClipCursor::default();
        *cursor.of::<u32>() = 7;
        assert_eq!(*cursor.of::<u32>(), 7);
        assert_eq!(*cursor.of::<u64>(), 0);
        assert_eq!(*cursor.of::<u32>(), 0);
    }
}
