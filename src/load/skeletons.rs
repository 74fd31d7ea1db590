//! Which skeletons come into question for a motion, and which of them fits
//! best where the rules of pairing leave it open.

use std::path::{Path, PathBuf};

use super::{Kind, LoadOptions, LoadedMotion, expand, folder_of, folders_above, load};
use crate::{clip::sample_poses, mocap::Level, skeleton::Skeleton};

/// Skeletons that are tried at most: each reads the motion once.
const MOST_TRIED: usize = 24;

/// Skeletons that the user named, for one motion.
pub(super) struct GivenSkeletons {
    /// The one that stands alone before the motion and those after it, as in
    /// `a.asf a1.amc a2.amc b.asf b1.amc`.
    pub before: Option<PathBuf>,
    /// All of them: that one first, then those of the motion's folder, which
    /// decides between two of one name.
    pub all: Vec<PathBuf>,
}

impl GivenSkeletons {
    /// Those meant for a motion of a list of paths.
    pub fn to(motion: &Path, paths: &[PathBuf], given: &[PathBuf]) -> Self {
        let place = paths.iter().position(|path| path == motion);
        let earlier = &paths[..place.unwrap_or(0)];
        let mut runs = earlier
            .chunk_by(|a, b| given.contains(a) == given.contains(b))
            .rev();
        let before = match runs.find(|run| given.contains(&run[0])) {
            Some([only]) => Some(only.clone()),
            _ => None,
        };
        let mut all = given.to_vec();
        all.sort_by_key(|it| (Some(it) != before.as_ref(), it.parent() != motion.parent()));
        Self { before, all }
    }
}

/// The skeletons that a motion may be meant for: those named with it, else those
/// in its folder and, where a folder was `named`, above. None for a file that
/// brings its own.
#[must_use]
pub fn skeletons_for(motion: &Path, named: &[PathBuf]) -> Vec<PathBuf> {
    if Kind::of_name(motion) != Some(Kind::Motion) {
        return Vec::new();
    }
    let is_skeleton = |path: &&PathBuf| Kind::of_name(path) == Some(Kind::Skeleton);
    let mut found: Vec<PathBuf> = named.iter().filter(is_skeleton).cloned().collect();
    for (folder, _) in folders_above(motion, folder_of(motion, named)) {
        for skeleton in expand::skeletons_in(&folder) {
            if !found.contains(&skeleton) {
                found.push(skeleton);
            }
        }
    }
    found
}

/// The skeleton on which a motion raises the fewest warnings and has its feet
/// nearest to the ground; `None` where it loads on none.
#[must_use]
pub fn best_skeleton(
    motion: &Path,
    skeletons: &[PathBuf],
    options: LoadOptions,
) -> Option<PathBuf> {
    let tried = skeletons.iter().take(MOST_TRIED);
    let fits = tried.filter_map(|skeleton| {
        let paths = [skeleton.clone(), motion.to_path_buf()];
        let outcomes = load(&paths, options).into_iter();
        let mut motions = outcomes.filter_map(|(_, it)| it.ok()?.into_motion());
        Some((misfit(&motions.next()?), skeleton))
    });
    let best = fits
        .min_by(|((a, off_a), _), ((b, off_b), _)| a.cmp(b).then_with(|| off_a.total_cmp(off_b)));
    best.map(|(_, skeleton)| skeleton.clone())
}

/// Warnings, and how far the lowest joints are from the ground in most poses.
fn misfit(motion: &LoadedMotion) -> (usize, f32) {
    let warnings = motion.notes.iter().filter(|it| it.level == Level::Warning);
    (warnings.count(), ground_gap_m(motion, motion.skeleton()))
}

fn ground_gap_m(motion: &LoadedMotion, skeleton: &Skeleton) -> f32 {
    let poses = sample_poses(&*motion.sampler(), skeleton);
    let lowest = poses.iter().map(|pose| {
        let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint).y);
        ends.fold(f32::INFINITY, f32::min)
    });
    let mut lowest: Vec<f32> = lowest.collect();
    lowest.sort_by(f32::total_cmp);
    lowest.get(lowest.len() / 2).map_or(f32::MAX, |it| it.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_alone_before_motions_is_theirs() {
        let list = [
            "a.asf", "1.amc", "2.amc", "b.asf", "c.asf", "3.amc", "x/d.asf", "x/4.amc",
        ];
        let paths = list.map(PathBuf::from);
        let given: Vec<PathBuf> = ["a.asf", "b.asf", "c.asf", "x/d.asf"]
            .map(PathBuf::from)
            .into();
        let to = |motion: &str| GivenSkeletons::to(Path::new(motion), &paths, &given);
        for (motion, before) in [
            ("1.amc", "a.asf"),
            ("2.amc", "a.asf"),
            ("x/4.amc", "x/d.asf"),
        ] {
            assert_eq!(to(motion).before, Some(PathBuf::from(before)), "{motion}");
            assert_eq!(to(motion).all[0], PathBuf::from(before), "{motion}");
        }
        // Two in a row say nothing; nor does the list of a motion that is in a folder of it.
        assert_eq!(to("3.amc").before, None);
        assert_eq!(to("x/5.amc").before, None);
        assert_eq!(to("x/5.amc").all[0], PathBuf::from("x/d.asf"));
    }
}
