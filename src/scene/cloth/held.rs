//! Threads between two pins. The skin gives where it holds them: where it is
//! drawn out further than the weave is (shoulders, as arms go up), pins slide
//! towards each other on it instead.

use glam::Vec3A;

use super::anchor::{Anchor, nearest_skin};
use crate::{
    cloth::{LinkKind, Sheet, Weave},
    collide::MovingMesh,
};

/// Longest that a thread between pins becomes, as a share of its length.
const LONGEST: f32 = 1.02;
/// Rounds of drawing in; a row of pins settles in about its own number.
const ROUNDS: usize = 24;

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldThreads {
    /// Two anchors, by their number, and metres.
    threads: Vec<(usize, usize, f32)>,
    /// Where each anchor's pin is to be.
    places: Vec<Vec3A>,
}

impl HeldThreads {
    pub fn of(sheet: &Sheet, anchors: &[Anchor]) -> Self {
        let mut anchor_of = vec![None; sheet.positions.len()];
        for (index, anchor) in anchors.iter().enumerate() {
            anchor_of[anchor.vertex] = Some(index);
        }
        let mut threads = Vec::new();
        let mut join = |a: usize, b: usize, rest_m: f32| {
            if let (Some(a), Some(b)) = (anchor_of[a], anchor_of[b]) {
                threads.push((a, b, rest_m));
            }
        };
        match &sheet.weave {
            Weave::Grid {
                columns,
                rows,
                spacing_m,
            } => {
                for vertex in 0..columns * rows {
                    if vertex % columns + 1 < *columns {
                        join(vertex, vertex + 1, spacing_m.x);
                    }
                    if vertex + columns < columns * rows {
                        join(vertex, vertex + columns, spacing_m.y);
                    }
                }
            }
            Weave::Net { links, .. } => {
                for link in links.iter().filter(|link| link.kind == LinkKind::Thread) {
                    let [a, b] = link.ends.map(|end| end as usize);
                    join(a, b, link.rest_m);
                }
            }
            Weave::Mesh { triangles } => {
                for t in triangles {
                    for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
                        let [a, b] = [a as usize, b as usize];
                        let rest_m = sheet.positions[a].distance(sheet.positions[b]);
                        join(a, b, rest_m);
                    }
                }
            }
        }
        Self {
            threads,
            places: Vec::with_capacity(anchors.len()),
        }
    }

    /// Where the pins go, given where the skin or the joints have them.
    pub fn settle(
        &mut self,
        wanted: impl Iterator<Item = Vec3A>,
        skin: Option<(&MovingMesh, f32)>,
    ) -> &[Vec3A] {
        self.places.clear();
        self.places.extend(wanted);
        let mut slid = false;
        for _ in 0..ROUNDS {
            let mut strained = false;
            for &(a, b, rest_m) in &self.threads {
                let along = self.places[b] - self.places[a];
                let (length_m, longest_m) = (along.length(), LONGEST * rest_m);
                if length_m > longest_m {
                    let by = along * (0.5 * (length_m - longest_m) / length_m);
                    self.places[a] += by;
                    self.places[b] -= by;
                    strained = true;
                }
            }
            slid |= strained;
            if !strained {
                break;
            }
        }
        if let Some((mesh, clear_m)) = skin.filter(|_| slid) {
            for at in &mut self.places {
                if let Some(nearest) = nearest_skin(mesh, *at)
                    && nearest.distance_m < clear_m
                {
                    *at = nearest.point + nearest.normal * clear_m;
                }
            }
        }
        &self.places
    }
}
