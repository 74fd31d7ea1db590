//! `bspline`: cubic B-splines by least squares, as Granny and others store
//! motion.
//!
//! A track's time is cut into equal spans. A value is the sum of four control
//! points, weighed by the uniform cubic B-spline's basis, which is smooth to the
//! second derivative whatever the points are. The points are those with the
//! least sum of squares over all frames; spans become shorter until no frame is
//! off by more than the threshold.
//!
//! ```text
//! what all baselines have
//! for each track that moves: varint spans    f32 × numbers low    f32 × numbers size
//! for each track that moves: (spans + 3) × numbers × u16
//! ```

use glam::Vec4;

use super::head::{Head, Span, difference, shown};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    codec::{
        CompressError, DecodeError, Stop, bad_field,
        bytes::{ByteReader, SharedBytes, put_varint},
        keys::{TrackKind, source::SourceTrack},
    },
    skeleton::{LocalPose, Skeleton},
};

/// Control points that shape a span.
const AROUND: usize = 4;
/// Of a control point's numbers.
const MOST: u32 = u16::MAX as u32;
/// Keeps equations solvable where a clip has fewer frames than a span has
/// points; far below the rounding of 16 bits.
const RIDGE: f64 = 1e-9;

/// A clip of control points.
#[derive(Clone, Debug)]
pub struct BsplineClip {
    head: Head,
    curves: Vec<Curve>,
    bytes: SharedBytes,
}

/// Where a track's control points are, and what they stand for.
#[derive(Clone, Copy, Debug)]
struct Curve {
    spans: usize,
    grid: Span,
    points_at: usize,
}

/// The basis of a uniform cubic B-spline at u = 0..=1 within a span.
#[inline]
fn basis(u: f32) -> [f32; AROUND] {
    let (v, u2, u3) = (1.0 - u, u * u, u * u * u);
    [
        v * v * v / 6.0,
        (3.0 * u3 - 6.0 * u2 + 4.0) / 6.0,
        (-3.0 * u3 + 3.0 * u2 + 3.0 * u + 1.0) / 6.0,
        u3 / 6.0,
    ]
}

/// The span of a moment and how far in it is.
#[inline]
fn place(position: f64, last: usize, spans: usize) -> (usize, f32) {
    let along = position * spans as f64 / last.max(1) as f64;
    // The last frame is the end of the last span, not the start of one.
    let span = (along as usize).min(spans - 1);
    (span, (along - span as f64) as f32)
}

impl BsplineClip {
    /// Compresses a clip; `threshold` is in quaternion components and metres.
    pub fn compress_until(
        skeleton: &Skeleton,
        clip: &RawClip,
        threshold: f64,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        let (head, tracks) = Head::split(skeleton, clip, threshold, stop)?;
        let (mut out, mut points) = (head.write(), Vec::new());
        for track in &tracks {
            let (grid, words) = fit(track, threshold as f32, stop)?;
            put_varint(&mut out, (words.len() + 1 - AROUND) as u32);
            grid.write(track.kind, &mut out);
            for point in words {
                let numbers = &point[..track.kind.numbers()];
                points.extend(numbers.iter().flat_map(|&it| (it as u16).to_le_bytes()));
            }
        }
        out.extend(points);
        Ok(Self::from_bytes(out.into())?)
    }

    /// Checks stored bytes.
    pub fn from_bytes(bytes: SharedBytes) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(&bytes);
        let head = Head::read(&mut reader)?;
        let mut curves = Vec::new();
        for track in &head.moving {
            let spans = reader.varint("spans")? as usize;
            if !(1..=head.shape.frames).contains(&spans) {
                return Err(bad_field("spans", spans as u64, "1 to the frames"));
            }
            curves.push(Curve {
                spans,
                grid: Span::read(&mut reader, track.kind)?,
                points_at: 0,
            });
        }
        for (curve, track) in curves.iter_mut().zip(&head.moving) {
            curve.points_at = reader.position();
            let points = curve.spans + AROUND - 1;
            reader.take("control points", points * track.kind.numbers() * 2)?;
        }
        reader.finish()?;
        Ok(Self {
            head,
            curves,
            bytes,
        })
    }

    /// The bytes to store.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Control points of all rotations that move.
    #[must_use]
    pub fn keys(&self) -> usize {
        let curves = self.head.moving.iter().zip(&self.curves);
        let rotations = curves.filter(|(track, _)| track.kind == TrackKind::Rotation);
        rotations.map(|(_, curve)| curve.spans + AROUND - 1).sum()
    }

    #[inline]
    fn value(&self, kind: TrackKind, curve: &Curve, position: f64) -> Vec4 {
        let (span, u) = place(position, self.head.shape.frames - 1, curve.spans);
        let numbers = kind.numbers();
        let stored = &self.bytes[curve.points_at + span * numbers * 2..];
        let mut sum = Vec4::ZERO;
        for (point, weight) in stored.chunks_exact(numbers * 2).zip(basis(u)) {
            let mut words = [0; 4];
            let (pairs, _) = point.as_chunks::<2>();
            for (word, &pair) in words.iter_mut().zip(pairs) {
                *word = u32::from(u16::from_le_bytes(pair));
            }
            sum += curve.grid.value(words, MOST) * weight;
        }
        shown(kind, sum)
    }
}

impl SampleClip for BsplineClip {
    fn shape(&self) -> ClipShape {
        self.head.shape
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        _: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.head.begin(skeleton, pose);
        let position = self.head.position(time_secs);
        for (track, curve) in self.head.moving.iter().zip(&self.curves) {
            let value = self.value(track.kind, curve, position);
            track.kind.apply(track.of, value, skeleton, pose);
        }
    }
}

/// Control points of a track on their grid: the fewest of spans that grow
/// shorter by a fifth at a time.
fn fit(
    track: &SourceTrack,
    threshold: f32,
    stop: Stop<'_>,
) -> Result<(Span, Vec<[u32; 4]>), CompressError> {
    let frames = track.samples.len();
    // With as many points as frames the curve goes through all of them.
    let most = (frames + 1).saturating_sub(AROUND).max(1);
    let mut spans = 1;
    loop {
        stop.check()?;
        let points = least_squares(&track.samples, spans);
        let grid = Span::around(points.iter().copied());
        let words: Vec<_> = points.iter().map(|&it| grid.words(it, MOST)).collect();
        if spans == most || holds(track, &grid, &words, threshold) {
            return Ok((grid, words));
        }
        spans = (spans + 1).max(spans * 6 / 5).min(most);
    }
}

fn holds(track: &SourceTrack, grid: &Span, words: &[[u32; 4]], threshold: f32) -> bool {
    let (last, spans) = (track.samples.len() - 1, words.len() + 1 - AROUND);
    let points: Vec<Vec4> = words.iter().map(|&it| grid.value(it, MOST)).collect();
    track.samples.iter().enumerate().all(|(frame, &source)| {
        let (span, u) = place(frame as f64, last, spans);
        let around = points[span..].iter().zip(basis(u));
        let found = around.fold(Vec4::ZERO, |sum, (&point, weight)| sum + point * weight);
        difference(track.kind, found, source) <= threshold
    })
}

/// The points with the least sum of squares. Each frame knows four of them, so
/// the normal equations are a band: Cholesky's factors stay in it.
fn least_squares(samples: &[Vec4], spans: usize) -> Vec<Vec4> {
    let count = spans + AROUND - 1;
    // Row i holds its entries with i, i − 1, i − 2 and i − 3.
    let mut band = vec![[RIDGE, 0.0, 0.0, 0.0]; count];
    let mut right = vec![glam::DVec4::ZERO; count];
    for (frame, sample) in samples.iter().enumerate() {
        let (span, u) = place(frame as f64, samples.len() - 1, spans);
        let weights = basis(u).map(f64::from);
        for (i, weight) in weights.into_iter().enumerate() {
            right[span + i] += sample.as_dvec4() * weight;
            for back in 0..=i {
                band[span + i][back] += weight * weights[i - back];
            }
        }
    }
    solve(&mut band, &mut right);
    right.into_iter().map(|point| point.as_vec4()).collect()
}

/// A banded, positive system: L·Lᵀ in place, forward, backward.
fn solve(band: &mut [[f64; AROUND]], right: &mut [glam::DVec4]) {
    let count = band.len();
    for i in 0..count {
        for back in (0..AROUND.min(i + 1)).rev() {
            let column = i - back;
            let mut sum = band[i][back];
            for k in i.saturating_sub(AROUND - 1)..column {
                if column - k < AROUND {
                    sum -= band[i][i - k] * band[column][column - k];
                }
            }
            band[i][back] = match back {
                // Rounding must not make a square root of less than nothing.
                0 => sum.max(RIDGE * RIDGE).sqrt(),
                _ => sum / band[column][0],
            };
        }
        for back in 1..AROUND.min(i + 1) {
            let known = right[i - back] * band[i][back];
            right[i] -= known;
        }
        right[i] /= band[i][0];
    }
    for i in (0..count).rev() {
        for ahead in 1..AROUND.min(count - i) {
            let known = right[i + ahead] * band[i + ahead][ahead];
            right[i] -= known;
        }
        right[i] /= band[i][0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_one_in_sum_and_smooth_across_spans() {
        for i in 0..=10 {
            let sum: f32 = basis(i as f32 / 10.0).iter().sum();
            assert_close!(sum, 1.0, 1e-6);
        }
        let (end, start) = (basis(1.0), basis(0.0));
        for i in 0..3 {
            assert_close!(end[i + 1], start[i], 1e-6);
        }
    }

    #[test]
    fn a_cubic_is_fitted_exactly_by_any_number_of_spans() {
        let cubic = |t: f32| Vec4::new(t, t * t - 1.0, 0.3 * t * t * t - t, 2.0);
        let samples: Vec<_> = (0..40).map(|i| cubic(i as f32 / 20.0)).collect();
        for spans in [1, 2, 7, 30] {
            let points = least_squares(&samples, spans);
            for (frame, sample) in samples.iter().enumerate() {
                let (span, u) = place(frame as f64, 39, spans);
                let around = points[span..].iter().zip(basis(u));
                let found: Vec4 = around.map(|(&point, weight)| point * weight).sum();
                assert!((found - *sample).abs().max_element() < 1e-4, "{spans}");
            }
        }
    }
}
