//! Cameras, and nodes that carry nothing: places on joints, or in the model.
//!
//! A locator is a still node without mesh, skin, camera or children: what
//! animators put where something is to be held or met. A node that moves by
//! itself has become a joint and is found by that name.

use glam::Affine3A;

use super::joint_tree::JointTree;
use crate::{
    math::Transform,
    mocap::gltf::{
        GltfDocument,
        json::{self, camera::Type, validation::Checked},
    },
    skeleton::{JointIndex, Landmark, Lens, Projection},
};

/// Widest view that is believed, radians: beyond it nothing is recognised.
const WIDEST_RAD: f32 = 3.1;

/// In the order of the scene.
pub(super) fn of(document: &GltfDocument, tree: &JointTree) -> Vec<Landmark> {
    let nodes = &document.root().nodes;
    let landmark = |&node: &usize| {
        let it = &nodes[node];
        let lens = it
            .camera
            .and_then(|camera| lens(document, camera.value(), size(tree, node)));
        let bears = it.mesh.is_some() || it.skin.is_some();
        let leads_on = it
            .children
            .as_ref()
            .is_some_and(|children| !children.is_empty());
        let is_locator = tree.joint_of[node].is_none() && !bears && !leads_on;
        let is_camera = it.camera.is_some();
        (lens.is_some() || is_locator && !is_camera).then(|| {
            let (joint, place) = place(tree, node);
            let name = name(document, node);
            Landmark {
                name,
                joint,
                place,
                lens,
            }
        })
    };
    tree.order.iter().filter_map(landmark).collect()
}

fn name(document: &GltfDocument, node: usize) -> String {
    let root = document.root();
    let it = &root.nodes[node];
    let camera = it.camera.and_then(|it| root.cameras.get(it.value()));
    let names = [it.name.as_deref(), camera.and_then(|it| it.name.as_deref())];
    let named = names
        .into_iter()
        .flatten()
        .map(str::trim)
        .find(|it| !it.is_empty());
    named.map_or_else(|| format!("node{node}"), str::to_owned)
}

/// The joint that a node hangs from and where it is there, or its place in the
/// model.
fn place(tree: &JointTree, node: usize) -> (Option<JointIndex>, Transform) {
    let (joint, from_node) = anchor(tree, node);
    let (_, rotation, translation) = from_node.to_scale_rotation_translation();
    (joint, Transform::new(rotation.normalize(), translation))
}

fn anchor(tree: &JointTree, node: usize) -> (Option<JointIndex>, Affine3A) {
    match tree.anchors[node] {
        Some((joint, from_node)) => (Some(joint), from_node),
        None => (None, tree.model_from_node[node]),
    }
}

/// Metres of the model for one of the node.
fn size(tree: &JointTree, node: usize) -> f32 {
    let (scale, _, _) = anchor(tree, node).1.to_scale_rotation_translation();
    scale.abs().element_sum() / 3.0
}

/// What a camera of the file sees; `None` of one whose numbers make no picture.
fn lens(document: &GltfDocument, camera: usize, metres: f32) -> Option<Lens> {
    let it: &json::Camera = document.root().cameras.get(camera)?;
    let lens = match (&it.type_, &it.perspective, &it.orthographic) {
        (Checked::Valid(Type::Perspective), Some(it), _) => Lens {
            projection: Projection::Perspective { fov_y_rad: it.yfov },
            aspect: it.aspect_ratio,
        },
        (Checked::Valid(Type::Orthographic), _, Some(it)) => Lens {
            // The file counts from the middle to the edge.
            projection: Projection::Orthographic {
                height_m: 2.0 * it.ymag.abs() * metres,
            },
            aspect: Some((it.xmag / it.ymag).abs()),
        },
        _ => return None,
    };
    let sees = match lens.projection {
        Projection::Perspective { fov_y_rad } => fov_y_rad > 0.0 && fov_y_rad < WIDEST_RAD,
        Projection::Orthographic { height_m } => height_m > 0.0 && height_m.is_finite(),
    };
    let aspect = lens.aspect.filter(|it| it.is_finite() && *it > 0.0);
    sees.then_some(Lens { aspect, ..lens })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{import, mocap::gltf, skeleton::Skeleton};

    fn skeleton() -> Skeleton {
        let bytes = include_bytes!("../../../tests/fixtures/cameras.gltf");
        let parsed = gltf::parse("cameras.gltf", bytes).unwrap();
        let document = parsed
            .resolve(|_, _| unreachable!("all in one file"))
            .unwrap();
        let options = Default::default();
        let made = import::gltf("cameras", &document, options, Default::default()).unwrap();
        made.skeleton.skeleton
    }

    fn named<'s>(skeleton: &'s Skeleton, name: &str) -> &'s Landmark {
        let mut all = skeleton.landmarks().iter();
        all.find(|it| it.name == name).unwrap()
    }

    #[test]
    fn cameras_and_empty_nodes_are_where_the_file_has_them() {
        let skeleton = skeleton();
        let names: Vec<&str> = skeleton.landmarks().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["eye", "grip", "mark", "plan", "tilted"]);
        let high = skeleton.find("high");
        // Everything below `above` is twice as large as it is written.
        let grip = named(&skeleton, "grip");
        assert_eq!((grip.joint, grip.lens), (high, None));
        assert_close!(grip.place.position(), Vec3::new(0.5, 0.0, 0.0), 1e-6);
        let mark = named(&skeleton, "mark");
        assert_eq!(mark.joint, None);
        assert_close!(mark.place.position(), Vec3::new(1.0, 0.0, 2.0), 1e-6);
        assert_close!(mark.place.rotation * Vec3::Z, Vec3::X, 1e-6);
        let eye = named(&skeleton, "eye");
        assert_eq!(eye.joint, high);
        assert_close!(eye.place.rotation * Vec3::NEG_Z, Vec3::Z, 1e-6);
        let lens = eye.lens.unwrap();
        let projection = Projection::Perspective { fov_y_rad: 0.8 };
        assert_eq!((lens.projection, lens.aspect), (projection, Some(1.5)));
        let plan = named(&skeleton, "plan").lens.unwrap();
        let projection = Projection::Orthographic { height_m: 5.0 };
        assert_eq!((plan.projection, plan.aspect), (projection, Some(1.2)));
    }

    #[test]
    fn landmarks_are_no_joints_and_go_along_with_theirs() {
        let skeleton = skeleton();
        assert_eq!(skeleton.len(), 2);
        let rest = skeleton.rest_model();
        let grip = named(&skeleton, "grip").in_pose(&rest, Transform::IDENTITY);
        assert_close!(grip.position(), Vec3::new(0.5, 2.0, 0.0), 1e-5);
    }
}
