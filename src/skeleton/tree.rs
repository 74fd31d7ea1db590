//! Questions to the hierarchy. Paths are short: each walks up parents.

use super::{JointIndex, NO_PARENT, Skeleton};

impl Skeleton {
    /// The parent, its parent and so on up to a root.
    pub fn ancestors(&self, joint: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
        let parent = |&joint: &JointIndex| {
            let parent = self.parents()[usize::from(joint)];
            (parent != NO_PARENT).then_some(parent)
        };
        std::iter::successors(parent(&joint), parent)
    }

    /// True when `from` is an ancestor of `joint`; no joint is its own.
    #[must_use]
    pub fn descends(&self, joint: JointIndex, from: JointIndex) -> bool {
        self.ancestors(joint).any(|ancestor| ancestor == from)
    }

    /// Every joint that descends from `top`.
    pub fn below(&self, top: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
        // Descendants come after their ancestor, so the rest need not be asked.
        (top + 1..self.len() as JointIndex).filter(move |&joint| self.descends(joint, top))
    }

    /// The nearest joint that both descend from.
    #[must_use]
    pub fn common_ancestor(&self, a: JointIndex, b: JointIndex) -> Option<JointIndex> {
        self.ancestors(a).find(|&joint| self.descends(b, joint))
    }

    /// Joints strictly between an ancestor and its descendant, top first.
    #[must_use]
    pub fn between(&self, top: JointIndex, end: JointIndex) -> Option<Vec<JointIndex>> {
        self.descends(end, top).then_some(())?;
        let path = self.ancestors(end).take_while(|&joint| joint != top);
        let mut path: Vec<_> = path.collect();
        path.reverse();
        Some(path)
    }
}
