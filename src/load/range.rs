//! `FILE@A..B`: a range of a motion, wherever a motion is named.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use super::{LoadError, Loaded, LoadedMotion};

/// Part of a motion, in frames or in seconds; an open end is the motion's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionRange {
    first: Option<f64>,
    end: Option<f64>,
    in_seconds: bool,
}

impl MotionRange {
    /// `A..B`: the first frame and the one past the last, or seconds with an
    /// `s`. Either may be left out.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, end) = text.split_once("..")?;
        let in_seconds = [first, end].iter().any(|it| it.ends_with('s'));
        let number = |text: &str| -> Option<Option<f64>> {
            let text = text.strip_suffix('s').unwrap_or(text);
            if text.is_empty() {
                return Some(None);
            }
            let value: f64 = text.parse().ok()?;
            let is_sound = value.is_finite() && value >= 0.0;
            (is_sound && (in_seconds || value.fract() == 0.0)).then_some(Some(value))
        };
        Some(Self {
            first: number(first)?,
            end: number(end)?,
            in_seconds,
        })
    }

    /// The frames it means of a motion; `None` where it holds none of them.
    #[must_use]
    pub fn frames(&self, frames: usize, fps: f64) -> Option<Range<usize>> {
        let index = |value: f64| match self.in_seconds {
            // Rounding a time up by a crumb would lose the frame it names.
            true => (value * fps - 1e-6).ceil().max(0.0) as usize,
            false => value as usize,
        };
        let first = self.first.map_or(0, index);
        let end = self.end.map_or(frames, index);
        (first < end && end <= frames).then_some(first..end)
    }
}

/// The file and the range of it that a path names; `None` where a file is
/// called just so, or no range is named.
#[must_use]
pub fn split_range(path: &Path) -> Option<(PathBuf, MotionRange)> {
    let (file, range) = path.to_str()?.rsplit_once('@')?;
    let range = MotionRange::parse(range)?;
    (!file.is_empty() && !path.exists()).then(|| (PathBuf::from(file), range))
}

/// The file that a path names, be it with a range.
#[must_use]
pub fn without_range(path: &Path) -> PathBuf {
    split_range(path).map_or_else(|| path.to_path_buf(), |(file, _)| file)
}

/// A motion cut to a range; skeletons have none and stay.
pub(super) fn cut(named: &Path, range: MotionRange, loaded: Loaded) -> Result<Loaded, LoadError> {
    let Loaded::Motion(motion) = loaded else {
        return Ok(loaded);
    };
    let clip = motion.raw();
    let Some(frames) = range.frames(clip.frames(), clip.fps) else {
        let (count, secs) = (clip.frames(), clip.duration_secs());
        return Err(LoadError::NoSuchRange {
            path: named.to_path_buf(),
            message: format!("the motion has {count} frames, {secs:.2} s"),
        });
    };
    let secs = |frame: usize| frame as f64 / clip.fps;
    let (start, end) = (secs(frames.start), secs(frames.end.saturating_sub(1)));
    let mut part: LoadedMotion = motion.retargeted(clip.part(frames), &motion.skeleton);
    part.pairing = motion.pairing;
    part.events = motion.events.as_ref().map(|it| it.part(start, end));
    part.path = named.to_path_buf();
    Ok(Loaded::Motion(Box::new(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_frames_or_seconds() {
        let frames = |text: &str| MotionRange::parse(text)?.frames(240, 120.0);
        assert_eq!(frames("10..20"), Some(10..20));
        assert_eq!(frames("0.5s..1s"), Some(60..120));
        assert_eq!(frames("0.5..1s"), Some(60..120));
        assert_eq!(frames("100.."), Some(100..240));
        assert_eq!(frames("..0.1s"), Some(0..12));
        for text in [
            "20..10", "5..5", "10..241", "1.5..3", "-1..3", "a..b", "7", "NaNs..1s",
        ] {
            assert_eq!(frames(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_follows_the_last_at_sign() {
        let found = split_range(Path::new("a@b/walk.amc@3..9"));
        assert_eq!(found.map(|it| it.0), Some(PathBuf::from("a@b/walk.amc")));
        for path in ["walk.amc", "a@b/walk.amc", "@1..2", "walk.amc@now"] {
            assert_eq!(split_range(Path::new(path)), None, "{path}");
        }
    }
}
