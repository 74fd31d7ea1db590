//! Meshes on nodes: where each primitive hangs and what moves it.

use glam::{Affine3A, Mat4};
use serde_json::Value;

use super::{
    channels::targets_of,
    joint_tree::JointTree,
    look::{self, UvSource},
    mesh::{self, Mesh},
};
use crate::{
    mesh::{CharacterMesh, Part, Slot},
    mocap::{
        Notes,
        gltf::{
            GltfDocument, GltfError, GltfProblem,
            json::{self, accessor::Type},
        },
    },
};

/// The model, and where nodes' morph weights are.
pub(super) struct BuiltModel {
    pub model: CharacterMesh,
    /// By node: its first weight.
    pub first_morph: Vec<Option<usize>>,
    /// Weights at rest.
    pub rest_morphs: Vec<f32>,
}

pub(super) fn model(
    document: &GltfDocument,
    tree: &JointTree,
    notes: &mut Notes,
) -> Result<BuiltModel, GltfError> {
    let materials = look::materials(document)?;
    let mut builder = Builder {
        document,
        tree,
        uvs: materials.iter().map(|it| it.1).collect(),
        ranges: vec![None; document.root().meshes.len()],
        skins: vec![None; document.root().skins.len()],
        largest_joint: Vec::new(),
        built: BuiltModel {
            model: CharacterMesh::default(),
            first_morph: vec![None; document.root().nodes.len()],
            rest_morphs: Vec::new(),
        },
    };
    for &node in &tree.order {
        if let Some(mesh) = document.root().nodes[node].mesh {
            builder.add(node, mesh.value(), notes)?;
        }
    }
    let mut built = builder.built;
    let model = &mut built.model;
    model.materials = materials.into_iter().map(|it| it.0).collect();
    model.images = look::images(document, &model.materials, notes)?;
    let meshes = document.root().meshes.iter();
    model.mesh_names = meshes
        .map(|it| it.name.clone().unwrap_or_default())
        .collect();
    model.morphs = built.rest_morphs.len();
    Ok(built)
}

struct Builder<'a> {
    document: &'a GltfDocument,
    tree: &'a JointTree,
    /// By material.
    uvs: Vec<UvSource>,
    /// By mesh: its primitives, once read.
    ranges: Vec<Option<std::ops::Range<usize>>>,
    /// By skin: its first slot, once made.
    skins: Vec<Option<usize>>,
    /// By primitive.
    largest_joint: Vec<u16>,
    built: BuiltModel,
}

impl Builder<'_> {
    fn add(&mut self, node: usize, mesh: usize, notes: &mut Notes) -> Result<(), GltfError> {
        let at = format!("nodes[{node}]");
        let meshes = self.document.root().meshes.len();
        let mesh = self.document.index(|| at.clone(), "mesh", mesh, meshes)?;
        let primitives = self.primitives(mesh, notes)?;
        let parts = primitives.len() as u64;
        // A mesh may hang from thousands of nodes at a few bytes each: what is
        // made of them counts against what the file may take.
        self.document.spend(&at, parts * size_of::<Part>() as u64)?;
        let skin = self.document.root().nodes[node].skin;
        let (first_slot, slots) = match skin {
            Some(skin) => self.skin(&at, skin.value())?,
            None => self.rigid(node),
        };
        let first_morph = self.morphs(&at, node, mesh)?;
        for primitive in primitives {
            // Checked for each use: one mesh may be skinned by skins of
            // different length.
            let largest = usize::from(self.largest_joint[primitive]);
            if skin.is_some() && largest >= slots {
                let problem = GltfProblem::NoSuch {
                    what: "joint of the skin",
                    index: largest,
                    count: slots,
                };
                return Err(self.document.error(format!("meshes[{mesh}]"), problem));
            }
            self.built.model.parts.push(Part {
                primitive,
                first_slot,
                slots,
                first_morph,
            });
        }
        Ok(())
    }

    /// Read once, however often the mesh is used.
    fn primitives(
        &mut self,
        mesh: usize,
        notes: &mut Notes,
    ) -> Result<std::ops::Range<usize>, GltfError> {
        if let Some(range) = &self.ranges[mesh] {
            return Ok(range.clone());
        }
        let first = self.built.model.primitives.len();
        let it = &self.document.root().meshes[mesh];
        let targets = it.primitives.first().and_then(|it| it.targets.as_ref());
        let targets = targets.map_or(0, Vec::len);
        for (number, it) in it.primitives.iter().enumerate() {
            let at = || format!("meshes[{mesh}].primitives[{number}]");
            let uvs = match it.material {
                Some(material) => {
                    let count = self.uvs.len();
                    let (document, material) = (self.document, material.value());
                    self.uvs[document.index(at, "material", material, count)?]
                }
                None => UvSource::default(),
            };
            if it.targets.as_ref().map_or(0, Vec::len) != targets {
                let problem = GltfProblem::Other("its number of morph targets differs".into());
                return Err(self.document.error(at(), problem));
            }
            let read = mesh::primitive(self.document, (mesh, number), it, uvs, notes)?;
            if let Some(Mesh {
                primitive,
                largest_joint,
            }) = read
            {
                self.built.model.primitives.push(primitive);
                self.largest_joint.push(largest_joint);
            }
        }
        let range = first..self.built.model.primitives.len();
        self.ranges[mesh] = Some(range.clone());
        Ok(range)
    }

    /// First slot and number of slots of a skin.
    fn skin(&mut self, at: &str, skin: usize) -> Result<(usize, usize), GltfError> {
        let skins = &self.document.root().skins;
        let skin = self
            .document
            .index(|| at.to_owned(), "skin", skin, skins.len())?;
        let it = &skins[skin];
        let count = it.joints.len();
        if let Some(first) = self.skins[skin] {
            return Ok((first, count));
        }
        let first = self.built.model.slots.len();
        let binds = inverse_binds(self.document, skin, it)?;
        for (joint, bind) in it.joints.iter().zip(binds) {
            let Some((joint, joint_from_node)) = self.tree.anchors[joint.value()] else {
                continue; // the tree makes joints of all that skins name
            };
            self.built.model.slots.push(Slot {
                joint,
                joint_from_mesh: joint_from_node * bind,
            });
        }
        self.skins[skin] = Some(first);
        Ok((first, count))
    }

    /// One slot for a mesh that hangs from a joint as it is.
    fn rigid(&mut self, node: usize) -> (usize, usize) {
        let first = self.built.model.slots.len();
        let anchor = self.tree.anchors[node].unwrap_or((0, Affine3A::IDENTITY));
        self.built.model.slots.push(Slot {
            joint: anchor.0,
            joint_from_mesh: anchor.1,
        });
        (first, 1)
    }

    fn morphs(&mut self, at: &str, node: usize, mesh: usize) -> Result<usize, GltfError> {
        let first = self.built.rest_morphs.len();
        let targets = targets_of(self.document, node);
        self.document.spend(at, 4 * targets as u64)?;
        if first + targets > usize::from(u16::MAX) {
            let problem = GltfProblem::Other("more than 65535 morph weights".into());
            return Err(self.document.error(at, problem));
        }
        let root = self.document.root();
        let own = root.nodes[node].weights.as_ref();
        // A node's own weights win over those of its mesh, says the format.
        let weights = own.or(root.meshes[mesh].weights.as_ref());
        let at_rest = |target: usize| {
            let weight = weights.and_then(|it| it.get(target)).copied();
            weight.filter(|it| it.is_finite()).unwrap_or(0.0)
        };
        self.built.rest_morphs.extend((0..targets).map(at_rest));
        let mut names = target_names(&root.meshes[mesh]);
        names.resize(targets, String::new());
        self.built.model.morph_names.extend(names);
        self.built.first_morph[node] = Some(first);
        Ok(first)
    }
}

/// What most tools write into a mesh's extras; the format itself names none.
fn target_names(mesh: &json::Mesh) -> Vec<String> {
    let extras = mesh.extras.as_ref();
    let extras = extras.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
    let names = extras
        .as_ref()
        .and_then(|it| it.get("targetNames")?.as_array());
    let name = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    names.map_or(Vec::new(), |names| names.iter().map(name).collect())
}

fn inverse_binds(
    document: &GltfDocument,
    skin: usize,
    it: &json::Skin,
) -> Result<Vec<Affine3A>, GltfError> {
    let count = it.joints.len();
    let at = || format!("skins[{skin}]");
    if count == 0 {
        return Err(document.error(at(), GltfProblem::Other("it has no joints".into())));
    }
    let Some(accessor) = it.inverse_bind_matrices else {
        // The format's default: the mesh was modelled in joint space.
        return Ok(vec![Affine3A::IDENTITY; count]);
    };
    let floats = document.measures(accessor.value(), Type::Mat4)?;
    let (matrices, _) = floats.as_chunks::<16>();
    if matrices.len() < count {
        let problem = GltfProblem::Expected {
            expected: format!("{count} inverse bind matrices"),
            found: matrices.len().to_string(),
        };
        return Err(document.error(at(), problem));
    }
    let affine = |it: &[f32; 16]| Affine3A::from_mat4(Mat4::from_cols_array(it));
    Ok(matrices[..count].iter().map(affine).collect())
}
