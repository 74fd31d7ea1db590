//! What a character shows at the present moment.

use std::f64::consts::TAU;

use super::{Animator, Poses};
use crate::{
    animator::{
        blend,
        graph::LayerMode,
        layer::Context,
        trace::{TraceLayer, TraceLine},
    },
    clip::{Planar, unwrap_angle},
    math::Transform,
    skeleton::{LocalPose, ModelPose},
};

impl Animator {
    /// All layers over one another, before the post-process.
    pub(super) fn base_pose(&mut self, ahead_secs: f64, pose: &mut LocalPose) {
        let Poses {
            mixed,
            layer: own,
            reference,
            turned,
            ..
        } = &mut self.poses;
        let guard = self.graph.guard.as_ref();
        let value = |by: usize| self.parameters.value(by, ahead_secs) as f32;
        let held = guard.and_then(|guard| guard.by).map_or(1.0, value);
        let guard = guard.filter(|_| held > 0.0);
        let layers = self.graph.layers.iter().zip(&self.layers);
        for (index, (layer, state)) in layers.enumerate() {
            let context = Context {
                graph: &self.graph,
                layer,
                parameters: &self.parameters,
            };
            if index == 0 {
                state.pose(&context, ahead_secs, &mut self.scratch, mixed, pose);
                continue;
            }
            let shown = layer.shown_weight(&self.parameters, ahead_secs);
            if shown <= 0.0 {
                continue;
            }
            let weight = state.pose(&context, ahead_secs, &mut self.scratch, mixed, own);
            let weight = weight * shown;
            let mask = layer.mask.weights();
            if weight <= 0.0 {
                continue;
            }
            match layer.mode {
                LayerMode::Override => {
                    blend::mix_masked(pose, own, mask, weight);
                }
                LayerMode::Additive(against) => {
                    if let Some(guard) = guard {
                        guard.remember(pose, turned);
                    }
                    let fraction = state.played(&context);
                    self.scratch
                        .reference(&self.graph, against, fraction, reference);
                    blend::add_masked(pose, own, reference, mask, weight);
                    if let Some(guard) = guard {
                        guard.apply(turned, held.min(1.0), pose);
                    }
                }
            }
        }
    }

    /// The pose at the present moment, in model space, whose origin is on the
    /// ground under the character; `model` is brought up to date. Returns where
    /// that origin stands in the world.
    pub fn pose(&mut self, pose: &mut LocalPose, model: &mut ModelPose) -> Transform {
        let ahead_secs = self.ahead_secs;
        self.base_pose(ahead_secs, pose);
        let root = self.root_ahead();
        let world_from_model = root.transform();
        self.post.clearances_m = self.clearances_m(ahead_secs);
        self.post
            .apply(&self.graph, world_from_model, ahead_secs, pose, model);
        world_from_model
    }

    /// The pose of the animation alone a while from now, as far as it is known,
    /// and where its model will stand.
    pub fn pose_ahead(
        &mut self,
        ahead_secs: f64,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) -> Transform {
        self.base_pose(ahead_secs, pose);
        model.compute(&self.graph.skeleton, pose);
        self.root_after(ahead_secs).transform()
    }

    fn root_ahead(&mut self) -> Planar {
        match self.ahead_secs > 0.0 {
            true => self.root_after(self.ahead_secs),
            false => self.root,
        }
    }

    /// Where the character will be a little later.
    pub(super) fn root_after(&mut self, ahead_secs: f64) -> Planar {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let displacement = layer.displacement(&context, ahead_secs, &mut scratch);
        self.scratch = scratch;
        let steered_rad = self.steered(ahead_secs);
        self.root.then(self.along(displacement, steered_rad))
    }

    /// Where the character stands and looks at the present moment.
    #[must_use]
    pub fn root(&mut self) -> Planar {
        self.root_ahead()
    }

    /// How far the first layer is through its cycle.
    fn cycle_share(&self) -> f64 {
        let state = &self.graph.layers[0].states[self.layers[0].state()];
        let phase = self.layers[0].phase();
        match &state.motion {
            Some(motion) => motion.leaves[0].timeline.cycle_share(phase),
            None => phase.rem_euclid(1.0),
        }
    }

    /// What there is to tell of the present moment; takes the events.
    pub fn trace(&mut self) -> TraceLine {
        let root = self.root_ahead();
        let (x, z) = (root.position.x as f32, root.position.y as f32);
        let layers = self.graph.layers.iter().zip(&self.layers);
        let layers = layers.map(|(layer, state)| TraceLayer {
            name: layer.name.clone(),
            state: layer.states[state.state()].name.clone(),
            previous: state.previous().map(|s| layer.states[s].name.clone()),
            fade: state.fade_progress(self.ahead_secs),
            weight: layer.shown_weight(&self.parameters, self.ahead_secs) * state.presence(layer),
        });
        TraceLine {
            t: self.time_secs(),
            mode: "drive".to_owned(),
            layers: layers.collect(),
            root: [x, 0.0, z],
            heading: unwrap_angle(root.heading % TAU, 0.0),
            phase: self.cycle_share(),
            events: self.take_events().into_iter().map(|f| f.name).collect(),
            frame_ms: 0.0,
            posing: None,
            characters: Vec::new(),
        }
    }
}
