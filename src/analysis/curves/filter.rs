//! Low-pass filters without delay, as biomechanics uses them on captures.

use glam::{Quat, Vec3};

use crate::{clip::RawClip, skeleton::JointIndex};

/// A way to smooth what was captured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filter {
    /// Butterworth's of second order, run forward and back: fourth order, no
    /// delay (Winter, *Biomechanics and Motor Control of Human Movement*). What
    /// moves at the cutoff keeps 71 % of its size.
    Butterworth {
        /// Hertz.
        cutoff_hz: f64,
    },
    /// The mean of so many frames around each; an even number counts as the next
    /// odd one.
    MovingAverage {
        /// How many.
        frames: usize,
    },
}

/// Two runs let 1/2 through at the single filter's cutoff; so that is raised by
/// (√2 − 1)^(−1/4), and both let 1/√2 through at the one asked for.
const TWO_RUNS: f64 = 1.246_504_8;
/// The highest cutoff that a filter can have, as a share of the frame rate.
const HIGHEST: f64 = 0.4;

impl Filter {
    /// Cutoffs from here on leave a motion of so many frames a second as it is.
    #[must_use]
    pub fn highest_cutoff_hz(fps: f64) -> f64 {
        HIGHEST * fps
    }

    /// What it makes of a curve. Its ends stay where they are: the curve is
    /// thought on beyond them, turned about each end.
    #[must_use]
    pub fn apply(self, values: &[f64], fps: f64) -> Vec<f64> {
        if values.len() < 3 {
            return values.to_vec();
        }
        match self {
            Self::Butterworth { cutoff_hz } => butterworth(values, cutoff_hz, fps),
            Self::MovingAverage { frames } => average(values, frames / 2),
        }
    }
}

/// A curve with `pad` more values on either side, turned about its ends.
fn extended(values: &[f64], pad: usize) -> Vec<f64> {
    let last = values.len() - 1;
    let (start, end) = (values[0], values[last]);
    let before = (1..=pad).rev().map(|it| 2.0 * start - values[it]);
    let after = (1..=pad).map(|it| 2.0 * end - values[last - it]);
    before.chain(values.iter().copied()).chain(after).collect()
}

fn average(values: &[f64], half: usize) -> Vec<f64> {
    let half = half.min(values.len() - 1);
    let wide = extended(values, half);
    let width = 2 * half + 1;
    let mean = |window: &[f64]| window.iter().sum::<f64>() / width as f64;
    wide.windows(width).map(mean).collect()
}

fn butterworth(values: &[f64], cutoff_hz: f64, fps: f64) -> Vec<f64> {
    if cutoff_hz.is_nan() || cutoff_hz <= 0.0 || cutoff_hz >= Filter::highest_cutoff_hz(fps) {
        return values.to_vec();
    }
    // Long enough for the filter to forget how it began.
    let pad = ((3.0 * fps / cutoff_hz) as usize).clamp(1, values.len() - 1);
    let section = Section::new(cutoff_hz * TWO_RUNS, fps);
    let mut wide = extended(values, pad);
    section.run(&mut wide);
    wide.reverse();
    section.run(&mut wide);
    wide.reverse();
    wide[pad..pad + values.len()].to_vec()
}

/// One low-pass of second order, by the bilinear transform.
struct Section {
    a: [f64; 3],
    b: [f64; 2],
}

impl Section {
    fn new(cutoff_hz: f64, fps: f64) -> Self {
        let w = (std::f64::consts::PI * cutoff_hz / fps).tan();
        let (k1, k2) = (std::f64::consts::SQRT_2 * w, w * w);
        let a0 = k2 / (1.0 + k1 + k2);
        let b1 = 2.0 * a0 * (1.0 / k2 - 1.0);
        Self {
            a: [a0, 2.0 * a0, a0],
            b: [b1, 1.0 - 4.0 * a0 - b1],
        }
    }

    /// In place, as if the first value had always been there.
    fn run(&self, values: &mut [f64]) {
        let Some(&first) = values.first() else { return };
        let (mut x, mut y) = ([first; 2], [first; 2]);
        for value in values {
            let own = *value;
            let [a0, a1, a2] = self.a;
            let out = a0 * own + a1 * x[0] + a2 * x[1] + self.b[0] * y[0] + self.b[1] * y[1];
            (x, y) = ([own, x[0]], [out, y[0]]);
            *value = out;
        }
    }
}

/// A clip with its rotations and translations filtered, of some joints or of
/// all. Quaternions are filtered part by part and set to unit length again.
#[must_use]
pub fn filtered(clip: &RawClip, filter: Filter, joints: Option<&[JointIndex]>) -> RawClip {
    let meant = |joint: JointIndex| joints.is_none_or(|them| them.contains(&joint));
    let mut smooth = clip.clone();
    let tracks = clip.animated.len();
    for (track, _) in clip.animated.iter().enumerate().filter(|it| meant(*it.1)) {
        let own = clip.rotations.iter().skip(track).step_by(tracks);
        let rotations = each_part(own.map(|it| it.to_array()), filter, clip.fps);
        for (frame, parts) in rotations.into_iter().enumerate() {
            let own = &mut smooth.rotations[frame * tracks + track];
            let length = parts.iter().map(|it| it * it).sum::<f32>().sqrt();
            // Opposite turns may cancel; then the frame stays as it is.
            if length > 1e-3 {
                *own = Quat::from_array(parts).normalize();
            }
        }
    }
    if meant(0) {
        let own = clip.root_translations.iter().map(|it| it.to_array());
        let ways = each_part(own, filter, clip.fps);
        smooth.root_translations = ways.into_iter().map(Vec3::from_array).collect();
    }
    for track in smooth.translations.iter_mut().filter(|it| meant(it.joint)) {
        let own = track.values.iter().map(|it| it.to_array());
        let ways = each_part(own, filter, clip.fps);
        track.values = ways.into_iter().map(Vec3::from_array).collect();
    }
    smooth
}

fn each_part<const N: usize>(
    rows: impl Iterator<Item = [f32; N]>,
    filter: Filter,
    fps: f64,
) -> Vec<[f32; N]> {
    let rows: Vec<[f32; N]> = rows.collect();
    let part = |part: usize| {
        let values: Vec<f64> = rows.iter().map(|it| f64::from(it[part])).collect();
        filter.apply(&values, fps)
    };
    let parts: Vec<Vec<f64>> = (0..N).map(part).collect();
    let row = |frame: usize| std::array::from_fn(|part| parts[part][frame] as f32);
    (0..rows.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, fps: f64) -> Vec<f64> {
        let at = |frame: u32| (std::f64::consts::TAU * hz * f64::from(frame) / fps).sin();
        (0..1200).map(at).collect()
    }

    /// Amplitude away from the ends, over whole periods: samples miss peaks.
    fn size(values: &[f64]) -> f64 {
        let squares: f64 = values[360..840].iter().map(|it| it * it).sum();
        (2.0 * squares / 480.0).sqrt()
    }

    /// Forward and back the squared gain of second order, 1 / (1 + r⁴) with the
    /// bilinear transform's r = tan(π f / fs) / tan(π f₀ / fs).
    #[test]
    fn butterworth_lets_through_what_its_closed_form_says() {
        let (fps, cutoff_hz) = (120.0, 6.0);
        let filter = Filter::Butterworth { cutoff_hz };
        let warp = |hz: f64| (std::f64::consts::PI * hz / fps).tan();
        for hz in [1.0, 3.0, 6.0, 12.0, 20.0] {
            let made = filter.apply(&sine(hz, fps), fps);
            let r = warp(hz) / warp(cutoff_hz * TWO_RUNS);
            let gain = 1.0 / (1.0 + r.powi(4));
            assert_close!(size(&made), gain, 2e-3, "{hz} Hz");
        }
        // At the cutoff itself 1/√2, and no delay: the zero stays a zero.
        let made = filter.apply(&sine(6.0, fps), fps);
        assert_close!(size(&made), 0.5f64.sqrt(), 0.01);
        assert_close!(made[600], 0.0, 1e-6);
    }

    #[test]
    fn a_moving_average_is_the_closed_mean_and_lines_stay_lines() {
        let (fps, hz, frames) = (120.0, 5.0, 9);
        let made = Filter::MovingAverage { frames }.apply(&sine(hz, fps), fps);
        // Dirichlet's kernel.
        let half = std::f64::consts::PI * hz / fps;
        let gain = (9.0 * half).sin() / (9.0 * half.sin());
        assert_close!(size(&made), gain, 2e-3);
        let line: Vec<f64> = (0..50).map(f64::from).collect();
        for filter in [
            Filter::MovingAverage { frames: 7 },
            Filter::Butterworth { cutoff_hz: 5.0 },
        ] {
            let made = filter.apply(&line, 60.0);
            for (a, b) in made.iter().zip(&line) {
                assert_close!(*a, *b, 1e-3, "{filter:?}");
            }
        }
    }
}
