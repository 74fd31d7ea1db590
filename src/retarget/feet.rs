//! Where the feet go: along the source's scaled paths, and held in one place
//! while they stand.

use std::ops::Range;

use glam::Vec3A;

use crate::math::ease::smoothstep;

/// A shift dies out within this time after a stance and grows as long before
/// the next one; gaps shorter than that lead straight from one to the other.
const BLEND_SECS: f64 = 0.7;
/// Hips go down within this time before a leg would be too short.
const LOWER_SECS: f64 = 0.1;

/// One foot over a clip, frame by frame, metres.
pub(super) struct Foot<'a> {
    /// The source's ball of the foot at the target's scale and ground.
    pub goal: &'a [Vec3A],
    /// Where the bare turns put the target's.
    pub own: &'a [Vec3A],
    /// When the source's foot stands.
    pub stances: &'a [Range<usize>],
    /// Height of a standing ball of the foot.
    pub floor_y: f32,
    /// A foot that goes less than this in a stance is held where it stands; one
    /// that goes further drags or turns, and keeps to it. `None` holds none.
    pub lock_m: Option<f32>,
    pub fps: f64,
}

/// Over the ground.
enum Stance {
    /// Held at a place.
    Locked(Vec3A),
    /// Along the goal, at a constant distance.
    Shifted(Vec3A),
}

impl Foot<'_> {
    /// What to move the foot by, frame by frame.
    pub fn offsets(&self) -> Vec<Vec3A> {
        let stances: Vec<Stance> = self.stances.iter().map(|run| self.stance(run)).collect();
        let frames = 0..self.own.len();
        let offset = |frame: usize| {
            // Stances pull the foot to its goal, shifted; between them it goes as
            // the bare rotations have it. Weights of two stances sum to at most 1.
            let to_goal = self.goal[frame] - self.own[frame];
            let mut offset = Vec3A::ZERO;
            for (index, stance) in stances.iter().enumerate() {
                let weight = self.weight(index, frame);
                if weight > 0.0 {
                    offset += (to_goal + self.shift(stance, index, frame)) * weight;
                }
            }
            // No deeper into the ground than the source.
            let floor_y = self.floor_y.min(self.goal[frame].y);
            offset.y = offset.y.max(floor_y - self.own[frame].y);
            offset
        };
        frames.map(offset).collect()
    }

    /// Where a foot stands, or how far off its path it does: by the middle of
    /// the stance, where it neither rolls in nor out.
    fn stance(&self, run: &Range<usize>) -> Stance {
        // The middle half, without heel strike and push-off.
        let quarter = run.len() / 4;
        let middle = run.start + quarter..(run.end - quarter).max(run.start + quarter + 1);
        let level = |v: Vec3A| Vec3A::new(v.x, 0.0, v.z);
        let mean = |path: &[Vec3A]| {
            let frames = &path[middle.clone()];
            level(frames.iter().sum::<Vec3A>() / frames.len().max(1) as f32)
        };
        let (own, goal) = (mean(self.own), mean(self.goal));
        let distance = |frame: usize| (level(self.goal[frame]) - goal).length();
        let widest = run.clone().map(distance).fold(0.0, f32::max);
        match self.lock_m.filter(|&most| widest < most) {
            Some(_) => Stance::Locked(own),
            None => Stance::Shifted(own - goal),
        }
    }

    /// What the goal is moved by over the ground. A locked foot leaves with the
    /// shift it had last.
    fn shift(&self, stance: &Stance, index: usize, frame: usize) -> Vec3A {
        match *stance {
            Stance::Shifted(by) => by,
            // Beyond its run the shift of the nearest end is kept, so that it
            // fades from what it was without a jump.
            Stance::Locked(at) => {
                let run = &self.stances[index];
                let goal = self.goal[frame.clamp(run.start, run.end - 1)];
                Vec3A::new(at.x - goal.x, 0.0, at.z - goal.z)
            }
        }
    }

    /// How much a stance has to say at a frame: all while it lasts.
    fn weight(&self, index: usize, frame: usize) -> f32 {
        let run = &self.stances[index];
        let most = BLEND_SECS * self.fps;
        let fade = |frames: usize, gap: Option<usize>| {
            // In a short gap both fades meet: at most its length, at least a frame.
            let length = gap.map_or(most, |gap| most.min(gap as f64)).max(1.0);
            1.0 - smoothstep((frames as f64 / length).min(1.0) as f32)
        };
        if frame < run.start {
            let before = index.checked_sub(1).map(|before| &self.stances[before]);
            // A frame more: the last frame of a stance is still its own.
            let gap = before.map(|before| run.start + 1 - before.end);
            return match before {
                Some(before) if frame < before.end => 0.0,
                _ => fade(run.start - frame, gap),
            };
        }
        if frame >= run.end {
            let after = self.stances.get(index + 1);
            let gap = after.map(|after| after.start + 1 - run.end);
            return match after {
                Some(after) if frame >= after.start => 0.0,
                _ => fade(frame + 1 - run.end, gap),
            };
        }
        1.0
    }
}

/// The least smooth curve that is nowhere below `needed`: the highest value
/// nearby, averaged over the same time.
pub(super) fn smooth_above(needed: &[f32], fps: f64) -> Vec<f32> {
    if needed.iter().all(|&value| value <= 0.0) {
        return vec![0.0; needed.len()];
    }
    // Each value around a frame is the highest of a window that holds the frame:
    // at least what it needs, and so is their mean.
    let radius = (LOWER_SECS * fps).round() as usize;
    let around = |frame: usize| {
        let last = needed.len().saturating_sub(1);
        frame.saturating_sub(radius)..=(frame + radius).min(last)
    };
    let highest: Vec<f32> = (0..needed.len())
        .map(|frame| around(frame).map(|i| needed[i]).fold(0.0, f32::max))
        .collect();
    let mean = |frame: usize| {
        let count = around(frame).count() as f32;
        around(frame).map(|i| highest[i]).sum::<f32>() / count
    };
    (0..needed.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stances_hold_and_hand_over_to_each_other() {
        let frames = 60;
        let goal = vec![Vec3A::ZERO; frames];
        let own: Vec<Vec3A> = (0..frames)
            .map(|i| Vec3A::new(0.01 * i as f32, 0.1, 0.0))
            .collect();
        let foot = Foot {
            goal: &goal,
            own: &own,
            stances: &[5..20, 40..55],
            floor_y: 0.0,
            lock_m: Some(0.1),
            fps: 30.0,
        };
        let offsets = foot.offsets();
        let shown: Vec<Vec3A> = own.iter().zip(&offsets).map(|(a, b)| *a + *b).collect();
        for run in [5..20usize, 40..55] {
            for frame in run.clone() {
                assert_close!(shown[frame], shown[run.start], 1e-5, "{frame}");
            }
        }
        for frame in 0..frames {
            let all: f32 = (0..2).map(|index| foot.weight(index, frame)).sum();
            assert!(all < 1.0 + 1e-5, "{frame}: {all}");
        }
        for pair in shown[5..55].windows(2) {
            assert_close!(pair[1], pair[0], 0.03, "{pair:?}");
        }
    }

    #[test]
    fn a_lowered_curve_is_nowhere_too_high() {
        let mut needed = vec![0.0; 100];
        needed[50] = 0.05;
        let smooth = smooth_above(&needed, 30.0);
        assert!(smooth.iter().zip(&needed).all(|(a, b)| *a >= b - 1e-6));
        assert!(smooth[20] == 0.0 && smooth[80] == 0.0);
        assert!(smooth.windows(2).all(|w| (w[1] - w[0]).abs() < 0.01));
    }
}
