//! An ASF document becomes a [`Skeleton`].

use std::collections::HashMap;

use glam::{DQuat, DVec3};

use super::up_axis::UpAxis;
use crate::{
    math::Transform,
    mocap::{
        AngleUnit, MocapError, Note, Problem, TextPosition,
        asf::{AsfDocument, Bone, Name, Root},
    },
    skeleton::{Dof, DofRange, Joint, JointIndex, NO_PARENT, Skeleton},
    units::{LengthScale, LengthUnit},
};

/// What the user may override.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkeletonOptions {
    /// Length unit, instead of the one found or guessed.
    pub unit: Option<LengthUnit>,
    /// Which axis points up.
    pub up: UpAxis,
}

/// A skeleton and how its file's numbers were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedSkeleton {
    /// In metres, Y up.
    pub skeleton: Skeleton,
    /// How lengths became metres.
    pub length: LengthScale,
    /// What the file counts angles in; `None` where it does not say.
    pub angle: Option<AngleUnit>,
    /// Assumptions and repairs.
    pub notes: Vec<Note>,
}

/// Checks the hierarchy, finds the unit and builds the skeleton. `file` names
/// the document in messages; `stem` names a skeleton that has no name.
pub fn skeleton(
    file: &str,
    stem: &str,
    document: AsfDocument,
    options: SkeletonOptions,
) -> Result<ImportedSkeleton, MocapError> {
    let mut notes = document.notes.clone();
    let tree = Tree::of(file, &document)?;
    tree.note_unattached(&document, &mut notes);
    let root = root_or_default(&document, &mut notes);
    // Nearly every file is in degrees, and those in radians say so.
    let angle = document.units.angle.unwrap_or(AngleUnit::Degrees);
    let y_up_from_file = options.up.y_up_from_file();
    let length = length_scale(&document, &tree, options, &mut notes);

    let builder = JointBuilder {
        metres_per_unit: length.metres_per_unit(),
        radians: angle.radians(),
        y_up_from_file,
    };
    let mut joints = vec![builder.root(&root)];
    for &(bone, parent) in &tree.order {
        let parent_joint = &joints[usize::from(parent)];
        let joint = builder.bone(&document.bones[bone], parent, parent_joint);
        joints.push(joint);
    }
    let name = document.name.filter(|name| !name.is_empty());
    let skeleton =
        Skeleton::new(name.unwrap_or_else(|| stem.to_owned()), joints).map_err(|error| {
            MocapError::new(file, TextPosition::START, Problem::Other(error.to_string()))
        })?;
    Ok(ImportedSkeleton {
        skeleton,
        length,
        angle: document.units.angle,
        notes,
    })
}

fn root_or_default(document: &AsfDocument, notes: &mut Vec<Note>) -> Root {
    let root = document.root.clone().unwrap_or_else(|| {
        notes.push(Note::warning(
            "no :root section; order TX TY TZ RX RY RZ assumed",
        ));
        Root::default()
    });
    if root.orientation != DVec3::ZERO {
        let message = "the root's preset orientation turns the rest pose; motion turns it further about fixed axes";
        notes.push(Note::info(message));
    }
    root
}

fn length_scale(
    document: &AsfDocument,
    tree: &Tree,
    options: SkeletonOptions,
    notes: &mut Vec<Note>,
) -> LengthScale {
    let divisor = document.units.length.unwrap_or(1.0);
    if let Some(unit) = options.unit {
        return LengthScale {
            unit,
            assumed: false,
            divisor,
        };
    }
    if let Some(word) = &document.units.length_word {
        match word.parse() {
            Ok(unit) => {
                return LengthScale {
                    unit,
                    assumed: false,
                    divisor,
                };
            }
            Err(problem) => notes.push(Note::warning(format!(
                "length unit {problem}; guessed instead"
            ))),
        }
    }
    LengthScale::guess(tree.rest_height(document, options.up), divisor)
}

/// Bones in an order that puts parents first.
struct Tree {
    /// Index of the bone in the document, joint index of its parent; the bone
    /// itself becomes the joint after the root and those before it.
    order: Vec<(usize, JointIndex)>,
}

const ROOT: &str = "root";

/// Where a bone hangs: its parent (`None` is the root) and the place that says so.
#[derive(Clone, Copy)]
struct Hook {
    parent: Option<usize>,
    position: TextPosition,
}

impl Tree {
    fn of(file: &str, document: &AsfDocument) -> Result<Self, MocapError> {
        let bones = index_bones(file, &document.bones)?;
        let hooks = hook_bones(file, document, &bones)?;
        let mut children = vec![Vec::new(); document.bones.len() + 1];
        // Children in the order the hierarchy names them.
        let find = |name: &Name| bones.get(&name.text.to_ascii_lowercase()).copied();
        for link in &document.links {
            // Unknown names were refused above: what is not found is the root,
            // whose place is behind the last bone.
            let parent = find(&link.parent).unwrap_or(document.bones.len());
            children[parent].extend(link.children.iter().filter_map(find));
        }
        let mut order = Vec::with_capacity(document.bones.len());
        let mut stack: Vec<(usize, JointIndex)> = children[document.bones.len()]
            .iter()
            .rev()
            .map(|&bone| (bone, 0))
            .collect();
        while let Some((bone, parent)) = stack.pop() {
            order.push((bone, parent));
            let joint = order.len() as JointIndex;
            stack.extend(children[bone].iter().rev().map(|&child| (child, joint)));
        }
        // A circle hangs from nothing, so the walk from the root has not met it
        // and has come to an end.
        refuse_cycles(file, document, &hooks)?;
        Ok(Self { order })
    }

    fn note_unattached(&self, document: &AsfDocument, notes: &mut Vec<Note>) {
        let mut attached = vec![false; document.bones.len()];
        self.order
            .iter()
            .for_each(|&(bone, _)| attached[bone] = true);
        let lost = attached
            .iter()
            .zip(&document.bones)
            .filter(|(attached, _)| !**attached);
        // A file without a hierarchy would otherwise fill the screen.
        for (_, bone) in lost.take(50) {
            let note = Note::warning("absent from the hierarchy, dropped");
            notes.push(
                note.at_line(bone.name.position.line)
                    .of_bone(&bone.name.text),
            );
        }
    }

    /// Vertical extent of the rest pose in file units.
    fn rest_height(&self, document: &AsfDocument, up: UpAxis) -> f64 {
        let y_up_from_file = up.y_up_from_file();
        let mut ends = vec![0.0];
        for &(bone, parent) in &self.order {
            let bone = &document.bones[bone];
            let along = y_up_from_file * bone.direction.normalize_or_zero() * bone.length;
            // Directions are all in the file's own axes: heights simply add up.
            ends.push(ends[usize::from(parent)] + along.y);
        }
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        high - low
    }
}

fn index_bones(file: &str, bones: &[Bone]) -> Result<HashMap<String, usize>, MocapError> {
    let mut index = HashMap::with_capacity(bones.len());
    for (position, bone) in bones.iter().enumerate() {
        let name = bone.name.text.to_ascii_lowercase();
        if name == ROOT {
            let problem = Problem::Other("a bone may not be named \"root\"".into());
            return Err(MocapError::new(file, bone.name.position, problem));
        }
        if let Some(first) = index.insert(name, position) {
            let problem = Problem::DuplicateBone {
                name: bone.name.text.clone(),
                first_line: bones[first].name.position.line,
            };
            return Err(MocapError::new(file, bone.name.position, problem));
        }
    }
    Ok(index)
}

/// Finds every bone's parent; unknown names and second parents are errors.
fn hook_bones(
    file: &str,
    document: &AsfDocument,
    index: &HashMap<String, usize>,
) -> Result<Vec<Option<Hook>>, MocapError> {
    let find = |name: &Name| {
        let found = index.get(&name.text.to_ascii_lowercase()).copied();
        let unknown = || Problem::UnknownBone {
            name: name.text.clone(),
        };
        found.ok_or_else(|| MocapError::new(file, name.position, unknown()))
    };
    let mut hooks: Vec<Option<Hook>> = vec![None; document.bones.len()];
    for link in &document.links {
        let is_root = link.parent.text.eq_ignore_ascii_case(ROOT);
        let parent = if is_root {
            None
        } else {
            Some(find(&link.parent)?)
        };
        for child in &link.children {
            if child.text.eq_ignore_ascii_case(ROOT) {
                let problem = Problem::Cycle {
                    name: child.text.clone(),
                };
                return Err(MocapError::new(file, child.position, problem));
            }
            let bone = find(child)?;
            if let Some(first) = hooks[bone] {
                let first_parent = first
                    .parent
                    .map_or(ROOT, |bone| &document.bones[bone].name.text);
                let problem = Problem::SecondParent {
                    name: child.text.clone(),
                    parent: first_parent.to_owned(),
                    first_line: first.position.line,
                };
                return Err(MocapError::new(file, child.position, problem));
            }
            let position = child.position;
            hooks[bone] = Some(Hook { parent, position });
        }
    }
    Ok(hooks)
}

/// With one parent each, a bone that the walk up never leaves is on a circle.
fn refuse_cycles(
    file: &str,
    document: &AsfDocument,
    hooks: &[Option<Hook>],
) -> Result<(), MocapError> {
    // 0 = not seen; otherwise the number of the walk that saw the bone.
    let mut seen_by = vec![0usize; hooks.len()];
    for start in 0..hooks.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(bone) = at {
            if seen_by[bone] == walk {
                let name = document.bones[bone].name.text.clone();
                let position =
                    hooks[bone].map_or(document.bones[bone].name.position, |hook| hook.position);
                return Err(MocapError::new(file, position, Problem::Cycle { name }));
            }
            // An earlier walk came through here and found its end: every bone
            // is walked over once.
            if seen_by[bone] != 0 {
                break;
            }
            seen_by[bone] = walk;
            at = hooks[bone].and_then(|hook| hook.parent);
        }
    }
    Ok(())
}

struct JointBuilder {
    metres_per_unit: f64,
    radians: f64,
    y_up_from_file: DQuat,
}

impl JointBuilder {
    /// Motion turns the preset orientation about fixed axes and shifts the
    /// preset position.
    fn root(&self, root: &Root) -> Joint {
        let orientation = root.axis.rotation(root.orientation * self.radians);
        // The whole file is turned in its root. Below it everything is relative
        // and stays as written.
        let rotation = self.y_up_from_file * orientation;
        let position = self.y_up_from_file * root.position * self.metres_per_unit;
        Joint {
            name: ROOT.to_owned(),
            parent: NO_PARENT,
            rest: Transform::new(rotation.as_quat(), position.as_vec3()),
            tip: glam::Vec3::ZERO,
            axes: self.y_up_from_file.as_quat(),
            dofs: root
                .order
                .iter()
                .copied()
                .map(DofRange::unlimited)
                .collect(),
        }
    }

    /// A bone starts where its parent ends. At rest all joints share the axes
    /// of the file, so its rest rotation is the identity.
    fn bone(&self, bone: &Bone, parent: JointIndex, parent_joint: &Joint) -> Joint {
        let tip = bone.direction.normalize_or_zero() * bone.length * self.metres_per_unit;
        let axes = bone.axis_order.rotation(bone.axis * self.radians);
        Joint {
            name: bone.name.text.clone(),
            parent,
            rest: Transform::from_translation(parent_joint.tip),
            tip: tip.as_vec3(),
            axes: axes.as_quat(),
            dofs: self.dof_ranges(bone),
        }
    }

    fn dof_ranges(&self, bone: &Bone) -> Vec<DofRange> {
        // Some files state fewer limits than freedoms.
        let limits = bone.limits.iter().map(Some).chain(std::iter::repeat(None));
        let pairs = bone.dofs.iter().zip(limits);
        pairs
            .map(|(&dof, limits)| match limits {
                None => DofRange::unlimited(dof),
                Some(limits) => {
                    let scale = match dof {
                        Dof::Rotate(_) => self.radians,
                        Dof::Translate(_) | Dof::Length => self.metres_per_unit,
                    };
                    let range = limits.map(|bound| (bound * scale) as f32);
                    DofRange { dof, range }
                }
            })
            .collect()
    }
}
