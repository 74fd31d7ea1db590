//! How far standing feet slide.

use glam::{DVec2, DVec3};

/// The largest distance over the ground between any two places that a ball of
/// the foot has during one stance, metres; spans in seconds.
#[must_use]
pub(super) fn slide_m(path: &[DVec3], fps: f64, spans_secs: &[[f64; 2]]) -> f64 {
    let slide = |&[start, end]: &[f64; 2]| {
        let first = (start * fps - 1e-6).ceil().max(0.0) as usize;
        let last = ((end * fps + 1e-6).floor().max(0.0) as usize).min(path.len().saturating_sub(1));
        match path.get(first..=last) {
            Some(stance) if first <= last => extent_m(stance),
            _ => 0.0,
        }
    };
    spans_secs.iter().map(slide).fold(0.0, f64::max)
}

fn extent_m(path: &[DVec3]) -> f64 {
    let level = |p: &DVec3| DVec2::new(p.x, p.z);
    let pairs = path.iter().enumerate();
    let distances = pairs.flat_map(|(i, a)| {
        let rest = path[i + 1..].iter();
        rest.map(move |b| (level(a) - level(b)).length_squared())
    });
    distances.fold(0.0, f64::max).sqrt()
}
