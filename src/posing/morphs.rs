//! Morph targets weighed by hand: what a slider or a script says goes over what
//! the motion has.

use super::PoseError;
use crate::{
    body::Body,
    skeleton::{LocalPose, ModelPose},
};

/// Weights set by hand, by the number of the target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morphs(Vec<(usize, f32)>);

impl Morphs {
    /// Weighs all targets of a name, or of a number; leaves them to the motion
    /// again without a weight, and every one without a name.
    pub fn weigh(
        &mut self,
        body: &Body,
        name: Option<&str>,
        weight: Option<f32>,
    ) -> Result<(), PoseError> {
        let Some(name) = name else {
            self.0.clear();
            return Ok(());
        };
        let targets = body.model().map_or(Vec::new(), |it| it.find_morphs(name));
        if targets.is_empty() {
            return Err(PoseError::NoMorph(name.to_owned(), known(body)));
        }
        self.0.retain(|(it, _)| !targets.contains(it));
        let weighed = targets.into_iter().zip(std::iter::repeat(weight));
        self.0
            .extend(weighed.filter_map(|(it, weight)| Some((it, weight?))));
        Ok(())
    }

    /// The weight of a target, where it was set by hand.
    #[must_use]
    pub fn get(&self, target: usize) -> Option<f32> {
        let set = self.0.iter().find(|(it, _)| *it == target);
        set.map(|(_, weight)| *weight)
    }

    /// Lays them over a pose's own; `model` comes along.
    pub(super) fn apply(&self, pose: &mut LocalPose, model: &mut ModelPose) {
        for &(target, weight) in &self.0 {
            pose.set_morph(target, weight);
        }
        if !self.0.is_empty() {
            model.copy_morphs(pose);
        }
    }
}

/// What could be meant, in words.
fn known(body: &Body) -> String {
    let names = body.model().map_or(Vec::new(), |it| {
        let names = (0..it.morphs).map(|morph| it.morph_name(morph));
        names.collect::<Vec<_>>()
    });
    match names.is_empty() {
        true => ": it has none at all".to_owned(),
        false => format!("; there are {}", names.join(", ")),
    }
}
