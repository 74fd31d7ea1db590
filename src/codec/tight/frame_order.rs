//! The order in which the frames of a block are coded, and what each is
//! predicted from.
//!
//! Every [`BLOCK`]th frame is a knot. Between two knots the middle frame is
//! coded first, then the middles of the halves, and so on: each is predicted
//! by the Catmull-Rom curve through the frames already known around it, and
//! only what the prediction misses is stored. Where a coarse curve is good
//! enough nothing is stored any more, and the motion there is a spline.
//!
//! A block sees its own frames and the four knots around it, nothing else, so
//! that any block decodes alone.

/// Frames from knot to knot. A seek decodes one block, so this is the price of
/// jumping about in a clip; knots are the dearest frames, so it is not less.
pub(super) const BLOCK: usize = 1 << LEVELS;
/// Halvings from the knots down to single frames.
pub(super) const LEVELS: usize = 5;

/// Frames of a block in coding order: (level from 1, frame from 1 to BLOCK−1).
pub(super) fn order() -> impl Iterator<Item = (usize, usize)> {
    (1..=LEVELS).flat_map(|level| {
        let half = BLOCK >> level;
        (half..BLOCK).step_by(2 * half).map(move |at| (level, at))
    })
}

/// Number of blocks between the knots of a clip of `frames` frames.
pub(super) fn blocks(frames: usize) -> usize {
    frames.saturating_sub(1).div_ceil(BLOCK)
}

/// The knots before and after a block's own, where the clip has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours<'a> {
    pub before: Option<&'a [f32]>,
    pub after: Option<&'a [f32]>,
}

/// Predicts frame `at` of `level`. `rows` holds the block's BLOCK + 1 frames,
/// `out.len()` channels each, of which those of coarser levels are known.
#[inline(always)]
pub(super) fn predict(
    rows: &[f32],
    neighbours: Neighbours<'_>,
    (level, at): (usize, usize),
    out: &mut [f32],
) {
    let width = out.len();
    let half = BLOCK >> level;
    let row = |frame: usize| &rows[frame * width..(frame + 1) * width];
    // All distances are odd multiples of `half`: ±1 are the next frames known,
    // ±3 the ones after.
    let (left, right) = (row(at - half), row(at + half));
    let far_left = match at.checked_sub(3 * half) {
        Some(frame) => Some(row(frame)),
        // Of other blocks only knots are known, and those lie at this distance
        // at level 1 alone.
        None if level == 1 => neighbours.before,
        None => None,
    };
    let far_right = match at + 3 * half {
        frame if frame <= BLOCK => Some(row(frame)),
        _ if level == 1 => neighbours.after,
        _ => None,
    };
    let near = out.iter_mut().zip(left.iter().zip(right));
    match (far_left, far_right) {
        (Some(far_left), Some(far_right)) => {
            let far = far_left.iter().zip(far_right);
            for ((out, (l, r)), (fl, fr)) in near.zip(far) {
                // Catmull-Rom at u = ½: 9/16 and −1/16.
                *out = (l + r) * 0.5625 - (fl + fr) * 0.0625;
            }
        }
        // The parabola through three frames, at a quarter of their span
        // (Lagrange's weights at 0 of points at −3, −1 and 1).
        (Some(far), None) => {
            for ((out, (l, r)), f) in near.zip(far) {
                *out = l * 0.75 + r * 0.375 - f * 0.125;
            }
        }
        (None, Some(far)) => {
            for ((out, (l, r)), f) in near.zip(far) {
                *out = l * 0.375 + r * 0.75 - f * 0.125;
            }
        }
        (None, None) => {
            for (out, (l, r)) in near {
                *out = (l + r) * 0.5;
            }
        }
    }
}

/// Predicts a knot from the one or two before it: most motion goes on a little
/// as it went.
pub(super) fn predict_knot(before: Option<&[f32]>, last: Option<&[f32]>, out: &mut [f32]) {
    match (before, last) {
        (Some(before), Some(last)) => {
            for ((out, b), l) in out.iter_mut().zip(before).zip(last) {
                // A quarter of the last change goes on: over 32 frames a whole
                // one overshoots where motion turns back.
                *out = l * 1.25 - b * 0.25;
            }
        }
        (None, Some(last)) => out.copy_from_slice(last),
        _ => out.fill(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_coded_once_after_what_it_needs() {
        let mut known = [false; BLOCK + 1];
        known[0] = true;
        known[BLOCK] = true;
        for (level, at) in order() {
            let half = BLOCK >> level;
            assert!(known[at - half] && known[at + half] && !known[at], "{at}");
            known[at] = true;
        }
        assert!(known.iter().all(|&known| known));
        assert_eq!([1, 2, 33, 34, 65].map(blocks), [0, 1, 1, 2, 2]);
    }

    #[test]
    fn parabolas_are_predicted_exactly_but_for_lone_pairs() {
        let parabola = |frame: f32| 3.0 + 2.0 * frame - 0.25 * frame * frame;
        let rows: Vec<f32> = (0..=BLOCK).map(|frame| parabola(frame as f32)).collect();
        let (before, after) = ([parabola(-(BLOCK as f32))], [parabola(2.0 * BLOCK as f32)]);
        let both = Neighbours {
            before: Some(&before),
            after: Some(&after),
        };
        let alone = Neighbours {
            before: None,
            after: None,
        };
        let mut out = [0.0];
        for coded in order() {
            let (level, at) = coded;
            predict(&rows, both, coded, &mut out);
            assert_close!(out[0], rows[at], 1e-3, "{coded:?}");
            predict(&rows, alone, coded, &mut out);
            let linear = level == 1;
            assert_eq!((out[0] - rows[at]).abs() < 1e-3, !linear, "{coded:?}");
        }
    }
}
