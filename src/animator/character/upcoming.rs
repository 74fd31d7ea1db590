//! What is about to happen, as far as the clips that play can tell.

use super::Animator;
use crate::{
    animator::{PreparedClip, state_sampler::StateSampler},
    clip::{Planar, Wrap, wrap_secs},
};

/// An event that a clip has ahead.
#[derive(Clone, Copy, Debug)]
pub struct Coming<'a> {
    /// The clip.
    pub clip: &'a PreparedClip,
    /// When it comes in the clip.
    pub at_secs: f64,
    /// When it comes from now on, seconds of the animator.
    pub until_secs: f64,
    /// Where the clip's own ground lies in the world, as its root motion has
    /// led there.
    pub world_from_clip: Planar,
}

impl Animator {
    /// The weightiest clip of the first layer, and where it is, seconds.
    pub fn played_clip(&mut self) -> Option<(&PreparedClip, f64)> {
        let (layer, playing) = (self.graph.layers.first()?, self.layers.first()?);
        let state = layer.states.get(playing.state())?;
        let sampler = StateSampler::new(&self.graph, state, &self.parameters)?;
        let leaf = sampler.leader(&mut self.scratch)?;
        let timeline = &leaf.timeline;
        let secs = timeline.secs(playing.phase());
        let clip = self.graph.clips.get(leaf.clip)?;
        Some((clip, wrap_secs(secs, timeline.duration_secs(), state.wrap)))
    }

    /// Seconds until an event of this name; see [`Self::coming`].
    #[must_use]
    pub fn secs_until(&self, event: &str) -> Option<f64> {
        self.coming(event).map(|it| it.until_secs)
    }

    /// The next event of this name, of a clip that a layer plays alone: blends
    /// are not looked into, for their time depends on what is steered.
    #[must_use]
    pub fn coming(&self, event: &str) -> Option<Coming<'_>> {
        let layers = self.graph.layers.iter().zip(&self.layers);
        let coming = layers.filter_map(|(layer, playing)| {
            let state = &layer.states[playing.state()];
            let [leaf] = state.motion.as_ref()?.leaves.as_slice() else {
                return None;
            };
            let clip = self.graph.clips.get(leaf.clip)?;
            let at_secs = clip.events.find(event)?;
            let duration = leaf.timeline.duration_secs();
            let now = wrap_secs(leaf.timeline.secs(playing.phase()), duration, state.wrap);
            let left = match state.wrap {
                Wrap::Loop => (at_secs - now).rem_euclid(duration),
                Wrap::Once | Wrap::PingPong => at_secs - now,
            };
            (left > 0.0 && state.speed > 0.0).then(|| Coming {
                clip,
                at_secs,
                until_secs: left / state.speed - self.ahead_secs,
                world_from_clip: self.root.then(clip.root.at(now).inverse()),
            })
        });
        { coming }.min_by(|a, b| a.until_secs.total_cmp(&b.until_secs))
    }
}
