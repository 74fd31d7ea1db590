//! Frames a second, from a `Frame Time:` that may not be one.

use super::super::amc::{MotionOptions, RateSource};
use crate::mocap::{Note, Notes, bvh::FrameTime};

/// Rates that cameras and engines use. A time that is one of them rounded or
/// cut at the last digit written means that rate: `.0083333` is 120, not
/// 120.0005 a second.
const USUAL: [f64; 22] = [
    10.0, 12.0, 12.5, 15.0, 20.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 59.94, 60.0, 72.0,
    90.0, 100.0, 120.0, 144.0, 200.0, 240.0, 480.0,
];

/// A `Frame Time:` above this many seconds is something else.
const LONGEST_SECS: f64 = 1.0;

const ASSUMED_FPS: f64 = 30.0;

/// The user's word, the file's where it can be believed, or 30.
pub(super) fn frame_rate(
    time: Option<FrameTime>,
    options: MotionOptions,
    notes: &mut Notes,
) -> (f64, RateSource) {
    if let Some(fps) = options.fps {
        return (fps, RateSource::Given);
    }
    let Some(time) = time else {
        return (ASSUMED_FPS, RateSource::Assumed);
    };
    let secs = time.secs;
    let mut assume = |fps: f64, message: String| {
        notes.add(Note::warning(message).at_line(time.line));
        (fps, RateSource::Assumed)
    };
    if (1e-5..=LONGEST_SECS).contains(&secs) {
        (rate_of(time), RateSource::Header)
    // Before milliseconds: 30 is sooner a rate than a frame of 30 ms.
    } else if USUAL.contains(&secs) {
        assume(
            secs,
            format!("a frame time of {secs} s is taken for {secs} frames a second"),
        )
    } else if (1.0..=1000.0).contains(&secs) {
        let fps = rate_of(FrameTime {
            secs: secs / 1e3,
            last_digit_secs: time.last_digit_secs / 1e3,
            ..time
        });
        assume(
            fps,
            format!("a frame time of {secs} s is taken for milliseconds: {fps} frames a second"),
        )
    } else {
        assume(
            ASSUMED_FPS,
            format!("a frame time of {secs} s cannot be; {ASSUMED_FPS} frames a second assumed"),
        )
    }
}

fn rate_of(time: FrameTime) -> f64 {
    // Two digits at least, or every rate would fit.
    let digits_known = time.last_digit_secs * 10.0 <= time.secs;
    let off = |rate: f64| (1.0 / rate - time.secs).abs();
    let fits = |rate: &f64| off(*rate) < time.last_digit_secs.max(1e-6 * time.secs);
    // The nearest, not the first that fits: 29.97 and 30 differ by one part in
    // a thousand.
    let nearest = USUAL.into_iter().min_by(|a, b| off(*a).total_cmp(&off(*b)));
    match nearest.filter(fits) {
        Some(rate) if digits_known => rate,
        _ => 1.0 / time.secs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(secs: f64, decimals: i32) -> (f64, RateSource, usize) {
        let time = FrameTime {
            secs,
            last_digit_secs: 0.1f64.powi(decimals),
            line: 9,
        };
        let mut notes = Notes::default();
        let (fps, source) = frame_rate(Some(time), MotionOptions::default(), &mut notes);
        (fps, source, notes.into_list().len())
    }

    #[test]
    fn rounded_times_mean_usual_rates() {
        let cases = [
            (0.008_333_3, 7, 120.0),
            (0.008_333, 6, 120.0),
            (0.016_666_666_666_666_666, 18, 60.0),
            (0.033, 3, 30.0),
            (0.033_333, 6, 30.0),
            (0.033_366_7, 7, 29.97),
            (0.04, 2, 25.0),
            (0.041_667, 6, 24.0),
        ];
        for (secs, decimals, fps) in cases {
            assert_eq!(rate(secs, decimals), (fps, RateSource::Header, 0), "{secs}");
        }
        let (odd, ..) = rate(0.013_7, 4);
        assert_eq!(odd, 1.0 / 0.013_7, "a rate nobody uses stays what it is");
    }

    #[test]
    fn lies_are_seen_through_and_said() {
        assert_eq!(rate(30.0, 0), (30.0, RateSource::Assumed, 1));
        assert_eq!(rate(33.333, 3), (30.0, RateSource::Assumed, 1));
        for lie in [0.0, -0.033, 1e-9, 5e4, f64::NAN, f64::INFINITY] {
            assert_eq!(rate(lie, 3), (30.0, RateSource::Assumed, 1), "{lie}");
        }
        let given = MotionOptions { fps: Some(50.0) };
        let mut notes = Notes::default();
        let (fps, source) = frame_rate(None, given, &mut notes);
        assert_eq!((fps, source), (50.0, RateSource::Given));
    }
}
