//! The keys of one track while they are being chosen.

use glam::{Quat, Vec4};

use super::tolerance::Tolerance;
use crate::codec::keys::TrackKeys;
use crate::codec::keys::{
    Timing, TrackKind, VectorBox,
    curve::{Tangents, evaluate},
    source::{SourceTrack, decoded},
};

/// Keys by frame in a doubly linked list, so that a removal is undone at once.
/// The first and the last key are their own neighbours on the outer side.
pub(super) struct Knots {
    kind: TrackKind,
    grid: VectorBox,
    before: Vec<u32>,
    after: Vec<u32>,
    /// What the runtime decodes of each key, by frame.
    values: Vec<Vec4>,
}

impl Knots {
    /// A key on every frame.
    pub fn dense(kind: TrackKind, grid: VectorBox, target: &[Vec4]) -> Self {
        let last = target.len() as u32 - 1;
        Self {
            kind,
            grid,
            before: (0..=last).map(|frame| frame.saturating_sub(1)).collect(),
            after: (0..=last).map(|frame| (frame + 1).min(last)).collect(),
            values: target.iter().map(|&v| decoded(kind, v, &grid)).collect(),
        }
    }

    /// One key for all frames.
    pub fn constant(kind: TrackKind, grid: VectorBox, value: Vec4, frames: usize) -> Self {
        Self {
            kind,
            grid,
            before: vec![0],
            after: vec![0],
            values: vec![decoded(kind, value, &grid); frames],
        }
    }

    /// Last frame.
    pub fn last(&self) -> usize {
        self.values.len() - 1
    }

    /// The key before a key; the first one itself.
    #[inline]
    pub fn before(&self, key: usize) -> usize {
        self.before[key] as usize
    }

    /// The key after a key; the last one itself.
    #[inline]
    pub fn after(&self, key: usize) -> usize {
        self.after[key] as usize
    }

    /// Decoded value of a key.
    #[inline]
    pub fn value(&self, key: usize) -> Vec4 {
        self.values[key]
    }

    /// Puts a key back to a decoded value it had.
    pub fn restore(&mut self, key: usize, value: Vec4) {
        self.values[key] = value;
    }

    /// Moves a key; it takes the nearest value that can be stored.
    pub fn set(&mut self, key: usize, value: Vec4) {
        let value = match self.kind {
            // Least squares leaves the unit sphere a little.
            TrackKind::Rotation => Quat::from_vec4(value).normalize().into(),
            _ => value,
        };
        if value.is_finite() {
            self.values[key] = decoded(self.kind, value, &self.grid);
        }
    }

    /// Takes an inner key out of the list; it remembers its place.
    pub fn unlink(&mut self, key: usize) {
        // The key keeps its own links: that is what `relink` needs (Knuth's
        // dancing links).
        self.after[self.before[key] as usize] = self.after[key];
        self.before[self.after[key] as usize] = self.before[key];
    }

    /// Undoes the last [`Self::unlink`].
    pub fn relink(&mut self, key: usize) {
        self.after[self.before[key] as usize] = key as u32;
        self.before[self.after[key] as usize] = key as u32;
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = usize> + '_ {
        let next = |&key: &usize| Some(self.after(key)).filter(|&next| next != key);
        std::iter::successors(Some(0), next)
    }

    /// The four keys of the segment that starts at `key`.
    #[inline]
    pub fn stencil(&self, key: usize) -> [usize; 4] {
        let end = self.after(key);
        [self.before(key), key, end, self.after(end)]
    }

    /// Tangent weights of a segment.
    #[inline]
    pub fn tangents(stencil: [usize; 4]) -> Tangents {
        Tangents::new(Timing::Knots, stencil.map(|key| key as f32))
    }

    /// What is shown of a curve's value.
    #[inline]
    pub fn shown(&self, value: Vec4) -> Vec4 {
        match self.kind {
            // As in the sampler (`lanes.rs`), floor included.
            TrackKind::Rotation => value / value.length_squared().max(1e-20).sqrt(),
            _ => value,
        }
    }

    /// Visits the frames of the segment that starts at `key`, its end key
    /// included, with what is shown there, until `visit` says stop.
    #[inline]
    pub fn visit_segment(&self, key: usize, mut visit: impl FnMut(usize, Vec4) -> bool) {
        let stencil = self.stencil(key);
        let [_, start, end, _] = stencil;
        if start == end {
            return;
        }
        // Values are those decoded from 48 bits, so that the fit sees what the
        // run time will show.
        let keys = stencil.map(|key| self.values[key]);
        let coefficients = Self::tangents(stencil).coefficients(&keys);
        let per_frame = 1.0 / (end - start) as f32;
        for frame in start + 1..=end {
            let value = evaluate(&coefficients, (frame - start) as f32 * per_frame);
            if !visit(frame, self.shown(value)) {
                return;
            }
        }
    }

    /// True when all frames of a segment stay within `limit`.
    pub fn segment_within(&self, key: usize, tolerance: &impl Tolerance, limit: f32) -> bool {
        let mut within = true;
        self.visit_segment(key, |frame, shown| {
            within = tolerance.error_ratio(frame, shown) <= limit;
            within
        });
        within
    }

    /// What the runtime shows at every frame.
    pub fn curve(&self) -> Vec<Vec4> {
        let mut curve = vec![self.shown(self.values[0]); self.values.len()];
        for key in self.keys() {
            self.visit_segment(key, |frame, shown| {
                curve[frame] = shown;
                true
            });
        }
        curve
    }

    /// The keys to store.
    pub fn to_keys(&self, track: &SourceTrack) -> TrackKeys {
        TrackKeys {
            kind: track.kind,
            joint: track.joint,
            frames: self.keys().map(|key| key as u16).collect(),
            values: self.keys().map(|key| self.values[key]).collect(),
            grid: self.grid,
        }
    }
}
