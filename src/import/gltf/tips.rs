//! Where last bones end. The format does not say; the skin does.

use glam::{Vec3, Vec3A};

use crate::{
    mesh::CharacterMesh,
    skeleton::{Joint, Skeleton},
};

/// Fraction of a bone's reach whose skin is its end.
const END_FRACTION: f32 = 0.1;
/// Skin whose middle is nearer than this fraction of its reach lies all around
/// its joint, and the bone has no direction.
const AROUND_FRACTION: f32 = 0.1;

/// The skeleton's joints, the last bones ending where their own skin does.
pub(super) fn joints_with_ends(skeleton: &Skeleton, model: &CharacterMesh) -> Vec<Joint> {
    let mut skins: Vec<Vec<Vec3A>> = vec![Vec::new(); skeleton.len()];
    let rest = skeleton.rest_model();
    let palette: Vec<_> = model.palette(&rest).collect();
    for part in &model.parts {
        let vertices = &model.primitives[part.primitive].vertices;
        for (index, vertex) in vertices.iter().enumerate() {
            // The strongest joint alone: skin that a finger shares with the
            // hand must not pull its end back.
            let owner = usize::from(model.owner(part, vertex));
            let at = model.place(part, index, &palette, rest.morphs());
            skins[owner].push(rest.joints()[owner].inverse().transform_point(at));
        }
    }
    let joints = skeleton.joints().iter().enumerate();
    let ended = joints.map(|(index, joint)| {
        let is_last = skeleton.children(index as _).next().is_none();
        let end = is_last.then(|| end_of(&skins[index])).flatten();
        Joint {
            tip: end.unwrap_or(joint.tip),
            ..joint.clone()
        }
    });
    ended.collect()
}

/// Middle of the skin furthest out, in its joint's space.
fn end_of(skin: &[Vec3A]) -> Option<Vec3> {
    let middle = mean(skin)?;
    let along = middle.try_normalize()?;
    let reach = skin.iter().map(|p| p.dot(along)).fold(0.0, f32::max);
    if !reach.is_finite() || middle.length() < AROUND_FRACTION * reach {
        return None;
    }
    let outer = |p: &&Vec3A| p.dot(along) >= (1.0 - END_FRACTION) * reach;
    let outer: Vec<Vec3A> = skin.iter().filter(outer).copied().collect();
    mean(&outer).map(Vec3::from)
}

fn mean(points: &[Vec3A]) -> Option<Vec3A> {
    let sum: Vec3A = points.iter().sum();
    (!points.is_empty()).then(|| sum / points.len() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_bone_ends_where_its_skin_does() {
        let boot: Vec<Vec3A> = (-10..=70)
            .flat_map(|z| [0.0, 0.1].map(|y| Vec3A::new(0.0, y - 0.05, 0.01 * z as f32)))
            .collect();
        let end = end_of(&boot).unwrap();
        assert_close!(end, Vec3::new(0.0, 0.0, 0.665), 1e-4);
        let ball = [Vec3A::X, Vec3A::NEG_X, Vec3A::Y, Vec3A::NEG_Y];
        assert_eq!(end_of(&ball), None);
        assert_eq!(end_of(&[]), None);
    }
}
