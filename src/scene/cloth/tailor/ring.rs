//! A slice of a body as an ellipse.

use glam::Vec2;

/// An ellipse in a plane across what is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub centre: Vec2,
    pub half: Vec2,
}

impl Ring {
    /// The ellipse of the points' own proportions that holds them all.
    pub fn around(points: impl Iterator<Item = Vec2>) -> Option<Self> {
        let points: Vec<Vec2> = points.collect();
        let (low, high) = points
            .iter()
            .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &at| {
                (low.min(at), high.max(at))
            });
        let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
        (half.is_finite() && half.min_element() > 1e-4).then(|| {
            let out = points.iter().map(|&at| ((at - centre) / half).length());
            let half = half * out.fold(1.0, f32::max);
            Self { centre, half }
        })
    }
}
