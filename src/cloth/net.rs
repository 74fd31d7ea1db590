//! From quads to threads, diagonals and bends.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::sheet::{Link, LinkKind};

/// Triangles and links of quads.
pub(super) fn woven(positions: &[Vec3], quads: &[[u32; 4]]) -> (Vec<[u32; 3]>, Vec<Link>) {
    let length = |[a, b]: [u32; 2]| positions[a as usize].distance(positions[b as usize]);
    let mut links = Vec::new();
    let mut lay = |ends: [u32; 2], rest_m: f32, kind| {
        // Two vertices in one place have nothing between them.
        if rest_m > 1e-4 {
            links.push(Link { ends, rest_m, kind });
        }
    };
    for ends in sides_of(quads).into_keys() {
        lay(ends, length(ends), LinkKind::Thread);
    }
    for &[a, b, c, d] in quads {
        lay([a, c], length([a, c]), LinkKind::Shear);
        lay([b, d], length([b, d]), LinkKind::Shear);
    }
    for [from, middle, to] in bends_of(quads) {
        let rest_m = length([from, middle]) + length([middle, to]);
        lay([from, to], rest_m, LinkKind::Bend);
    }
    let triangles = quads.iter().enumerate().flat_map(|(index, &[a, b, c, d])| {
        // Diagonals alternate, so that the cloth folds alike both ways.
        match index % 2 {
            0 => [[a, b, c], [a, c, d]],
            _ => [[a, b, d], [b, c, d]],
        }
    });
    (triangles.collect(), links)
}

/// Sides of the quads, each with the quads that it belongs to and which of
/// their sides it is.
fn sides_of(quads: &[[u32; 4]]) -> BTreeMap<[u32; 2], Vec<(usize, usize)>> {
    let mut sides: BTreeMap<[u32; 2], Vec<(usize, usize)>> = BTreeMap::new();
    for (index, quad) in quads.iter().enumerate() {
        for side in 0..4 {
            let (a, b) = (quad[side], quad[(side + 1) % 4]);
            if a != b {
                sides
                    .entry([a.min(b), a.max(b)])
                    .or_default()
                    .push((index, side));
            }
        }
    }
    sides
}

/// Three vertices in a row: across every side between two quads.
fn bends_of(quads: &[[u32; 4]]) -> BTreeSet<[u32; 3]> {
    let mut bends = BTreeSet::new();
    for ([a, b], owners) in sides_of(quads) {
        let [one, other] = owners[..] else { continue };
        for end in [a, b] {
            let beyond = |(quad, side): (usize, usize)| {
                let corners = quads[quad];
                // The neighbour of `end` that is not on the side itself.
                match corners[side] == end {
                    true => corners[(side + 3) % 4],
                    false => corners[(side + 2) % 4],
                }
            };
            let (from, to) = (beyond(one), beyond(other));
            if from != to {
                bends.insert([from.min(to), end, from.max(to)]);
            }
        }
    }
    bends
}
