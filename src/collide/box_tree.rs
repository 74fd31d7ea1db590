//! A tree of boxes over things that move: built once, refitted every step.
//!
//! The tree is full and lies in one array, the children of node `i` at `2i` and
//! `2i + 1`; its leaves take even shares of the items, which were sorted by
//! halving along the longest side. Skin keeps its neighbours, so that a tree
//! built at rest stays good in every pose. Refitting is one walk over the
//! items and one over the nodes from the last to the first.

use glam::Vec3A;

use super::Bounds;

/// Items of a leaf, about: less means more boxes, more means more items looked
/// at in vain.
const LEAF_ITEMS: usize = 3;
/// A walk keeps one node a level: 2⁴⁰ items.
const DEEPEST: usize = 40;

/// Boxes around boxes.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// Node 1 is the root; node 0 is not used.
    nodes: Vec<Bounds>,
    /// Items in the order of the leaves.
    items: Vec<u32>,
    /// Boxes of those.
    boxes: Vec<Bounds>,
    leaves: usize,
}

impl BoxTree {
    /// Over items at these places.
    #[must_use]
    pub fn over(centres: &[Vec3A]) -> Self {
        let leaves = centres
            .len()
            .div_ceil(LEAF_ITEMS)
            .max(1)
            .next_power_of_two();
        let mut tree = Self {
            nodes: vec![Bounds::EMPTY; 2 * leaves],
            items: (0..centres.len() as u32).collect(),
            boxes: vec![Bounds::EMPTY; centres.len()],
            leaves,
        };
        halve(&mut tree.items, centres, leaves);
        tree
    }

    fn range(&self, leaf: usize) -> std::ops::Range<usize> {
        share(self.items.len(), leaf, self.leaves)..share(self.items.len(), leaf + 1, self.leaves)
    }

    /// Brings the boxes to where items now are.
    pub fn refit(&mut self, mut bounds_of: impl FnMut(u32) -> Bounds) {
        for (bounds, &item) in self.boxes.iter_mut().zip(&self.items) {
            *bounds = bounds_of(item);
        }
        for leaf in 0..self.leaves {
            let boxes = &self.boxes[self.range(leaf)];
            let all = boxes.iter().fold(Bounds::EMPTY, |all, &one| all.union(one));
            self.nodes[self.leaves + leaf] = all;
        }
        for node in (1..self.leaves).rev() {
            self.nodes[node] = self.nodes[2 * node].union(self.nodes[2 * node + 1]);
        }
    }

    /// Calls `found` with every item whose box touches `around`, always in the
    /// same order.
    #[inline]
    pub fn query(&self, around: &Bounds, mut found: impl FnMut(u32)) {
        let mut stack = [1usize; DEEPEST];
        let mut depth = usize::from(!self.items.is_empty());
        while depth > 0 {
            depth -= 1;
            let node = stack[depth];
            if !self.nodes[node].overlaps(around) {
                continue;
            }
            if node >= self.leaves {
                let range = self.range(node - self.leaves);
                for (bounds, &item) in self.boxes[range.clone()].iter().zip(&self.items[range]) {
                    if bounds.overlaps(around) {
                        found(item);
                    }
                }
            } else {
                stack[depth] = 2 * node + 1;
                stack[depth + 1] = 2 * node;
                depth += 2;
            }
        }
    }
}

/// Where the share of a leaf begins.
fn share(items: usize, leaf: usize, leaves: usize) -> usize {
    items * leaf / leaves
}

/// Sorts items so that every half of the leaves gets its half of space.
fn halve(items: &mut [u32], centres: &[Vec3A], leaves: usize) {
    if leaves < 2 || items.len() < 2 {
        return;
    }
    let at = |item: u32| centres[item as usize];
    let (low, high) = items.iter().fold(
        (Vec3A::INFINITY, Vec3A::NEG_INFINITY),
        |(low, high), &it| (low.min(at(it)), high.max(at(it))),
    );
    let size = high - low;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else {
        1 + usize::from(size.z > size.y)
    };
    let middle = share(items.len(), leaves / 2, leaves);
    // By number where places are the same: the order never depends on chance.
    let order = |a: &u32, b: &u32| at(*a)[axis].total_cmp(&at(*b)[axis]).then(a.cmp(b));
    if middle > 0 && middle < items.len() {
        items.select_nth_unstable_by(middle, order);
    }
    let (lower, upper) = items.split_at_mut(middle);
    halve(lower, centres, leaves / 2);
    halve(upper, centres, leaves / 2);
}
