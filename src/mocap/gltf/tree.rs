//! The hierarchy of nodes, checked.

use super::{GltfDocument, GltfError, GltfProblem};

/// Every node's parent, and an order with parents before children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTree {
    /// By node.
    pub parents: Vec<Option<usize>>,
    /// The nodes of the scene, each before its children and its children in
    /// their order.
    pub order: Vec<usize>,
}

impl GltfDocument {
    /// Children of a node as numbers.
    pub fn children(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let children = self
            .root
            .nodes
            .get(node)
            .and_then(|it| it.children.as_ref());
        children.into_iter().flatten().map(|it| it.value())
    }

    /// Checks the hierarchy: every node has one parent at most, and none is
    /// its own ancestor. Trees that only skins name are walked too, after
    /// those of the scene.
    pub fn tree(&self) -> Result<NodeTree, GltfError> {
        let parents = self.parents()?;
        let tops = self.tops(&parents)?;
        let mut wanted = self.scene_nodes(&parents)?;
        // Some exporters leave the skeleton out of the scene and only
        // name it in the skin.
        for (skin, it) in self.root.skins.iter().enumerate() {
            for joint in &it.joints {
                let at = || format!("skins[{skin}].joints");
                wanted.push(self.index(at, "node", joint.value(), parents.len())?);
            }
        }
        let mut seen = vec![false; parents.len()];
        let mut order = Vec::new();
        for node in wanted {
            self.walk(tops[node], &mut seen, |node| order.push(node));
        }
        Ok(NodeTree { parents, order })
    }

    /// A tree in order, unless it was walked before.
    fn walk(&self, top: usize, seen: &mut [bool], mut visit: impl FnMut(usize)) {
        if seen[top] {
            return;
        }
        // A list, not recursion: hierarchies may be as deep as
        // the file is long.
        let mut stack = vec![top];
        while let Some(node) = stack.pop() {
            seen[node] = true;
            visit(node);
            stack.extend(self.children(node).rev());
        }
    }

    /// The topmost ancestor of every node. A node that no tree reaches is in a
    /// circle, or below one.
    fn tops(&self, parents: &[Option<usize>]) -> Result<Vec<usize>, GltfError> {
        let mut tops = vec![0; parents.len()];
        let mut seen = vec![false; parents.len()];
        for top in (0..parents.len()).filter(|&node| parents[node].is_none()) {
            self.walk(top, &mut seen, |node| tops[node] = top);
        }
        match seen.iter().position(|seen| !seen) {
            None => Ok(tops),
            Some(node) => {
                let at = format!("nodes[{node}]");
                Err(self.error(at, GltfProblem::Cycle { node }))
            }
        }
    }

    fn parents(&self) -> Result<Vec<Option<usize>>, GltfError> {
        let count = self.root.nodes.len();
        let mut parents: Vec<Option<usize>> = vec![None; count];
        for node in 0..count {
            for child in self.children(node) {
                let at = || format!("nodes[{node}].children");
                let child = self.index(at, "node", child, count)?;
                if let Some(first) = parents[child] {
                    let problem = GltfProblem::SecondParent {
                        node: child,
                        first,
                        second: node,
                    };
                    return Err(self.error(at(), problem));
                }
                parents[child] = Some(node);
            }
        }
        Ok(parents)
    }

    /// The nodes that the shown scene starts from; without a scene, all that
    /// have no parent.
    fn scene_nodes(&self, parents: &[Option<usize>]) -> Result<Vec<usize>, GltfError> {
        let scene = self.root.scene.map_or(0, |it| it.value());
        let Some(scene) = self.root.scenes.get(scene) else {
            if let Some(index) = self.root.scene {
                let at = || "scene".to_owned();
                self.index(at, "scene", index.value(), self.root.scenes.len())?;
            }
            return Ok((0..parents.len())
                .filter(|&node| parents[node].is_none())
                .collect());
        };
        let node = |it: &super::json::Index<super::json::Node>| {
            self.index(
                || "scenes.nodes".to_owned(),
                "node",
                it.value(),
                parents.len(),
            )
        };
        scene.nodes.iter().map(node).collect()
    }

    /// A number that names something of the file.
    pub fn index(
        &self,
        at: impl FnOnce() -> String,
        what: &'static str,
        index: usize,
        count: usize,
    ) -> Result<usize, GltfError> {
        if index < count {
            return Ok(index);
        }
        Err(self.error(at(), GltfProblem::NoSuch { what, index, count }))
    }
}
