//! What is tuned on the running graph: heard at once, and an edit of its file.

use std::sync::Arc;

use super::Session;
use crate::{
    animator::{Description, Edit, Graph},
    ui::Tuning,
};

/// Tunings of one thing in a row are one step back.
const IN_A_ROW: u64 = 0;

impl Session {
    /// Changes the running graph, and writes it down for the file.
    pub(super) fn tune(&mut self, tuning: Tuning) {
        let Some((drive, animator)) = self.drive_mut() else {
            return;
        };
        drive.tune(tuning, animator);
        let graph = Arc::clone(animator.graph());
        self.open_editor();
        let Some(editing) = &mut self.driving.editing else {
            return;
        };
        let Some(edit) = edit_of(tuning, &graph, editing.editor.description()) else {
            return;
        };
        match editing.editor.apply(edit, Some(IN_A_ROW)) {
            // The running graph does it already.
            Ok(()) => self.take_edited(false),
            Err(error) => editing.fault = Some(error.message),
        }
    }
}

fn edit_of(tuning: Tuning, graph: &Graph, of: &Description) -> Option<Edit> {
    let running = |layer: usize| graph.layers.get(layer);
    match tuning {
        Tuning::Fade {
            layer,
            transition,
            fade,
        } => Edit::tuned_fade(of, graph, (layer, transition), fade),
        Tuning::Weight { layer, weight } => {
            Edit::tuned_weight(of, &running(layer)?.name, weight.clamp(0.0, 1.0))
        }
        Tuning::Mask { layer, .. } => {
            let layer = running(layer)?;
            Edit::tuned_mask(of, &graph.skeleton, &layer.name, layer.mask.weights())
        }
    }
}
