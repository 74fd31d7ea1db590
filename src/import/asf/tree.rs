//! The hierarchy, checked: parents before children, one parent each.

use std::collections::HashMap;

use crate::{
    mocap::{
        MocapError, Note, Problem, TextPosition,
        asf::{AsfDocument, Bone, Name},
    },
    skeleton::JointIndex,
};

/// Bones in an order that puts parents first.
pub(super) struct Tree {
    /// Index of the bone in the document, joint index of its parent; the bone
    /// itself becomes the joint after the root and those before it.
    pub order: Vec<(usize, JointIndex)>,
}

pub(super) const ROOT: &str = "root";

/// Where a bone hangs: its parent (`None` is the root) and the place that says so.
#[derive(Clone, Copy)]
struct Hook {
    parent: Option<usize>,
    position: TextPosition,
}

impl Tree {
    pub fn of(file: &str, document: &AsfDocument) -> Result<Self, MocapError> {
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

    pub fn note_unattached(&self, document: &AsfDocument, notes: &mut Vec<Note>) {
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
                return Err(second_parent(file, document, child, first));
            }
            let position = child.position;
            hooks[bone] = Some(Hook { parent, position });
        }
    }
    Ok(hooks)
}

fn second_parent(file: &str, document: &AsfDocument, child: &Name, first: Hook) -> MocapError {
    let parent = first.parent;
    let parent = parent.map_or(ROOT, |bone| &document.bones[bone].name.text);
    let problem = Problem::SecondParent {
        name: child.text.clone(),
        parent: parent.to_owned(),
        first_line: first.position.line,
    };
    MocapError::new(file, child.position, problem)
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
