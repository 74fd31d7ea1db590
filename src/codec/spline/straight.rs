//! Straight keys on grids, for files that others read: the same search, with lines
//! in place of curves.
//!
//! Any reader of glTF goes straight from key to key, so a promise kept by lines is
//! kept everywhere. Keys lie on ticks of a power of two a second and their values on
//! grids as coarse as the joint's allowance permits: a packed file says such
//! numbers in few bits. Each line is drawn from the key before as far as it stays
//! within the tolerance, against the values as they will be read.

use std::collections::BTreeSet;

use glam::{Quat, Vec3, Vec4};

use super::{
    ErrorState,
    error_state::pairs,
    fit::{TrackFitter, TrackTarget},
    tolerance::Tolerance,
};
use crate::{
    clip::{Curve, GriddedClip, KeyGrid, KeyTrack, KeyValue, Keys, RawClip, Track, TrackClip},
    codec::{
        CompressError, Stop, check_input,
        keys::{CHUNK_SPAN, TrackKind, source},
        metric::ErrorTable,
    },
    math::spline::catmull_rom_weights,
    meshopt::{decode_quaternion, encode_quaternion, exponential, from_exponential},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Attempts at ever tighter inner tolerances.
const ATTEMPTS: usize = 8;
/// What rounding to the grid may take of an allowance.
const GRID_SHARE: f32 = 0.4;
/// With 16 bits what is read rounds to another number than it was read from.
const MOST_BITS: u32 = 15;
/// Half a step of three numbers, as an angle: 2 · √3/2, and what the fourth number
/// adds where it is no larger than they are.
const ANGLE_PER_STEP: f32 = 2.1;
/// A line may be found so many tries after the last one that was short enough.
const PATIENCE: u32 = 3;
/// How many times finer ticks are than frames need, if lines between those miss; then
/// as fine as a mantissa of 23 bits tells them, and no finer than [`FINEST_HZ`].
const FINER: [f64; 3] = [1.0, 4.0, 16.0];
const FINEST_HZ: f64 = 262_144.0;
/// All frames are held against each other at once.
const MOST_FRAMES: usize = CHUNK_SPAN;

/// One track's keys.
struct StraightTrack {
    joint: u16,
    secs: Vec<f64>,
    /// As they are read.
    values: Vec<Vec4>,
    grid: Grid,
    time_exponent: i8,
}

impl StraightTrack {
    fn is_vector(&self) -> bool {
        matches!(self.grid, Grid::Vector(..))
    }
}

/// What values are rounded to.
#[derive(Clone, Copy)]
enum Grid {
    /// Bits of a quaternion's three smaller numbers.
    Rotation(u32),
    /// The exponent of two that a step is, and what is added to the value first:
    /// files hold positions, tracks say how far a joint is off rest.
    Vector(i8, Vec4),
}

impl Grid {
    fn of(kind: TrackKind, rest: Vec4, target: &TrackTarget<'_>) -> Self {
        let most = GRID_SHARE * target.allowance;
        match kind {
            TrackKind::Rotation => {
                let step =
                    |bits: u32| std::f32::consts::FRAC_1_SQRT_2 / ((1 << (bits - 1)) - 1) as f32;
                let fine = (4..MOST_BITS).find(|&bits| ANGLE_PER_STEP * step(bits) <= most);
                Self::Rotation(fine.unwrap_or(MOST_BITS))
            }
            // Half a step along each of three axes.
            _ => {
                let sizes = target.values.iter();
                let size = sizes.map(|it| (*it + rest).abs().max_element());
                // A mantissa has 23 bits.
                let coarsest = size.fold(1e-3, f32::max).log2().ceil() - 22.0;
                let exponent = (most / 0.87).log2().floor().clamp(-30.0, 0.0);
                Self::Vector(exponent.max(coarsest) as i8, rest)
            }
        }
    }

    fn rounded(self, value: Vec4) -> Vec4 {
        match self {
            Self::Rotation(bits) => {
                let read = |it: Vec4| {
                    let numbers = decode_quaternion(encode_quaternion(Quat::from_vec4(it), bits));
                    Vec4::from(numbers.map(|it| f32::from(it) / 32767.0))
                };
                // Once more: where two numbers are all but the largest, rounding may
                // change which one is left out, and the file is made of these values.
                read(read(value))
            }
            Self::Vector(_, rest) => self.position(value) - rest,
        }
    }

    /// A vector as a file has it.
    fn position(self, value: Vec4) -> Vec4 {
        let Self::Vector(exponent, rest) = self else {
            return value;
        };
        let number = |it: f32| from_exponential(exponential(it, exponent));
        Vec4::from((value + rest).to_array().map(number))
    }

    fn between(self, from: Vec4, to: Vec4, part: f32) -> Vec4 {
        match self {
            // By the very function that will read it.
            Self::Rotation(_) => {
                let ends = [from, to].map(|it| Quat::from_vec4(it).finished());
                Quat::between(ends[0], ends[1], part).finished().into()
            }
            Self::Vector(..) => from.lerp(to, part),
        }
    }
}

/// Moments at which keys may be.
#[derive(Clone, Copy)]
struct Ticks {
    fps: f64,
    /// A power of two.
    hz: f64,
    /// The last one, which is where the clip ends.
    last: u32,
    end_secs: f64,
}

impl Ticks {
    fn new(fps: f64, frames: usize, hz: f64) -> Self {
        let duration_secs = (frames - 1) as f64 / fps;
        let end_step = f64::from(end_exponent(duration_secs)).exp2();
        Self {
            fps,
            hz,
            // The tick before is clearly before the end.
            last: (duration_secs * hz - hz * 1e-4).ceil().max(1.0) as u32,
            end_secs: (duration_secs / end_step).round() * end_step,
        }
    }

    fn secs(&self, tick: u32) -> f64 {
        match tick >= self.last {
            true => self.end_secs,
            false => f64::from(tick) / self.hz,
        }
    }

    /// The moment in frames.
    fn frame_of(&self, tick: u32) -> f64 {
        self.secs(tick) * self.fps
    }

    /// The next tick after one, of fine ones the one that is nearest to a frame.
    fn after(&self, tick: u32) -> u32 {
        let per_frame = self.hz / self.fps;
        if per_frame < 2.0 {
            return (tick + 1).min(self.last);
        }
        let frame = (f64::from(tick) / per_frame).round() + 1.0;
        ((frame * per_frame).round() as u32).clamp(tick + 1, self.last.max(tick + 1))
    }
}

/// Multiples of 2^e seconds that a clip's end is told in: a mantissa has 23 bits.
fn end_exponent(duration_secs: f64) -> i8 {
    let least = duration_secs.max(1e-3).log2().ceil() - 22.0;
    least.clamp(-14.0, 0.0) as i8
}

/// Draws lines.
struct LineFitter<'a> {
    skeleton: &'a Skeleton,
    fps: f64,
}

/// A key: its tick, and its value as it is read.
type LineKey = (u32, Vec4);

impl LineFitter<'_> {
    /// The source between its frames, smooth; beyond its end straight on.
    fn value_at(&self, values: &[Vec4], position: f64) -> Vec4 {
        let last = values.len() - 1;
        let base = (position as usize).min(last);
        let part = (position - base as f64) as f32;
        if base == last {
            let before = values[last.saturating_sub(1)];
            return values[last] + (values[last] - before) * part;
        }
        let near = [base.saturating_sub(1), base, base + 1, (base + 2).min(last)];
        let terms = near.iter().zip(catmull_rom_weights(part));
        terms.map(|(&k, weight)| values[k] * weight).sum()
    }

    /// True of a line that stays within the tolerance at the frames after its start
    /// and up to its end.
    fn is_within(
        &self,
        (grid, ticks): (Grid, Ticks),
        [(start, from), (end, to)]: [LineKey; 2],
        last: usize,
        tolerance: &impl Tolerance,
    ) -> bool {
        let [begin, finish] = [start, end].map(|tick| ticks.frame_of(tick));
        let first = (begin + 1e-6).floor() as usize + 1;
        let end = match end >= ticks.last {
            true => last,
            false => ((finish + 1e-6).floor() as usize).min(last),
        };
        // From the end backwards: a line too long is off soonest there or half-way.
        let mut frames = (first..=end).rev();
        frames.all(|frame| {
            let part = ((frame as f64 - begin) / (finish - begin)).min(1.0) as f32;
            tolerance.error_ratio(frame, grid.between(from, to, part)) <= 1.0
        })
    }

    /// Keys, and whether all of their lines keep within the tolerance.
    fn keys(
        &self,
        grid: Grid,
        ticks: Ticks,
        target: &TrackTarget<'_>,
        tolerance: &impl Tolerance,
    ) -> (Vec<LineKey>, bool) {
        let (values, last) = (target.values, target.values.len() - 1);
        let key = |tick: u32| {
            let value = self.value_at(values, ticks.frame_of(tick));
            (tick, grid.rounded(value))
        };
        let mut keys = vec![key(0)];
        let mut from = keys[0];
        let mut all_within = true;
        while from.0 < ticks.last {
            let (mut best, mut missed) = (None, 0);
            let mut tick = from.0;
            while tick < ticks.last && missed <= PATIENCE {
                tick = ticks.after(tick);
                let to = key(tick);
                if self.is_within((grid, ticks), [from, to], last, tolerance) {
                    (best, missed) = (Some(to), 0);
                } else {
                    missed += 1;
                }
            }
            all_within &= best.is_some();
            from = best.unwrap_or_else(|| key(ticks.after(from.0)));
            keys.push(from);
        }
        (keys, all_within)
    }

    /// What keys show at every frame.
    fn curve(&self, grid: Grid, ticks: Ticks, keys: &[LineKey], frames: usize) -> Vec<Vec4> {
        let mut after = 0;
        let value = |frame: usize| {
            while after < keys.len() && ticks.frame_of(keys[after].0) <= frame as f64 + 1e-6 {
                after += 1;
            }
            let from = keys[after.saturating_sub(1)];
            let Some(&to) = keys.get(after) else {
                return grid.between(from.1, from.1, 0.0);
            };
            let ends = [from.0, to.0].map(|tick| ticks.frame_of(tick));
            let part = ((frame as f64 - ends[0]) / (ends[1] - ends[0])) as f32;
            grid.between(from.1, to.1, part)
        };
        (0..frames).map(value).collect()
    }
}

impl TrackFitter for LineFitter<'_> {
    type Keys = StraightTrack;

    fn fit(
        &self,
        target: &TrackTarget<'_>,
        tolerance: &impl Tolerance,
    ) -> (StraightTrack, Vec<Vec4>) {
        let kind = target.track.kind;
        let rest = match kind {
            TrackKind::Translation => {
                let joint = usize::from(target.track.joint);
                self.skeleton.rest().joints()[joint].position().extend(0.0)
            }
            _ => Vec4::ZERO,
        };
        let grid = Grid::of(kind, rest, target);
        let frames = target.values.len();
        // As many ticks as frames, and finer ones where lines between those miss: the
        // finest are as good as on the frames.
        let coarse_hz = self.fps.log2().ceil().exp2();
        let duration_secs = (frames - 1) as f64 / self.fps;
        let finest_hz = (22.0 - duration_secs.max(1e-3).log2().ceil()).exp2();
        let finest_hz = finest_hz.min(FINEST_HZ).max(coarse_hz);
        let ticks = |hz: f64| Ticks::new(self.fps, frames, hz.min(finest_hz));
        let constant = grid.rounded(target.track.samples[0]);
        let shown = grid.between(constant, constant, 0.0);
        let enough = (0..frames).all(|frame| tolerance.error_ratio(frame, shown) <= 1.0);
        let (mut chosen, mut keys) = (ticks(coarse_hz), vec![(0, constant)]);
        if frames > 1 && !enough {
            for hz in FINER
                .map(|it| it * coarse_hz)
                .into_iter()
                .chain([finest_hz])
            {
                chosen = ticks(hz);
                let (found, all_within) = self.keys(grid, chosen, target, tolerance);
                keys = found;
                if all_within {
                    break;
                }
            }
        }
        let curve = self.curve(grid, chosen, &keys, frames);
        let track = StraightTrack {
            joint: target.track.joint,
            secs: keys.iter().map(|key| chosen.secs(key.0)).collect(),
            values: keys.into_iter().map(|key| key.1).collect(),
            grid,
            time_exponent: -chosen.hz.log2().round() as i8,
        };
        (track, curve)
    }
}

/// A clip as straight keys on grids, so that at every source frame no point within
/// 3 cm of any joint moves by more than `tolerance_cm`. Scales and morph weights are
/// kept frame by frame.
pub fn straight(
    skeleton: &Skeleton,
    clip: &RawClip,
    tolerance_cm: f64,
    stop: Stop<'_>,
) -> Result<GriddedClip, CompressError> {
    check_input(skeleton, clip, tolerance_cm)?;
    let instead = "name a range of it (FILE@A..B)";
    CompressError::check_pairs(
        "a promise",
        pairs(skeleton),
        super::MAX_PAIRS,
        super::INSTEAD,
    )?;
    if clip.frames() > MOST_FRAMES {
        return Err(CompressError::TooManyFrames {
            frames: clip.frames(),
            most: MOST_FRAMES,
            instead,
        });
    }
    let moved = without_stretches(skeleton, clip);
    let mut tracks = source::whole(&moved);
    tracks.retain(|track| !track.kind.is_beside());
    let fps = clip.fps;
    let fitter = LineFitter { skeleton, fps };
    let mut inner_cm = tolerance_cm * super::MARGIN;
    let mut least_cm = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        let tolerance_m = (inner_cm * 0.01) as f32;
        let fitted = ErrorState::new(skeleton, &tracks).fit(tolerance_m, &fitter, stop)?;
        let mut made = gridded(skeleton, clip, fitted)?;
        let measured = ErrorTable::measure_clip(skeleton, clip, &made.tracks).summary();
        if measured.max_cm <= tolerance_cm {
            (made.tolerance_cm, made.max_error_cm) = (tolerance_cm, measured.max_cm);
            return Ok(made);
        }
        // What is left is not to be had by asking for less.
        if measured.max_cm > 0.95 * least_cm {
            break;
        }
        least_cm = measured.max_cm;
        inner_cm *= 0.98 * tolerance_cm / measured.max_cm;
    }
    Err(CompressError::too_fine(tolerance_cm, least_cm))
}

/// Joints that stretching bones carry, moved by themselves: glTF knows no other way.
fn without_stretches(skeleton: &Skeleton, clip: &RawClip) -> RawClip {
    let mut moved = clip.clone();
    let stretched = std::mem::take(&mut moved.stretches);
    let carried = stretched
        .iter()
        .flat_map(|track| skeleton.children(track.joint));
    let carried: BTreeSet<JointIndex> = carried.collect();
    moved.translations.retain(|it| !carried.contains(&it.joint));
    let mut pose = LocalPose::default();
    let mut tracks: Vec<Track<Vec3>> = carried
        .into_iter()
        .map(|joint| Track {
            joint,
            values: Vec::with_capacity(clip.frames()),
        })
        .collect();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        for track in &mut tracks {
            let joint = usize::from(track.joint);
            let rest = skeleton.rest().joints()[joint].position();
            track.values.push(pose.joints()[joint].position() - rest);
        }
    }
    moved.translations.extend(tracks);
    moved.translations.sort_by_key(|track| track.joint);
    moved
}

fn gridded(
    skeleton: &Skeleton,
    clip: &RawClip,
    mut fitted: Vec<StraightTrack>,
) -> Result<GriddedClip, CompressError> {
    let mut made = GriddedClip {
        tracks: TrackClip {
            name: clip.name.clone(),
            fps: clip.fps,
            joints: skeleton.len(),
            morphs: skeleton.rest().morphs().len(),
            ..TrackClip::default()
        },
        rotation_grids: Vec::new(),
        translation_grids: Vec::new(),
        end_exponent: end_exponent(clip.duration_secs()),
        tolerance_cm: 0.0,
        max_error_cm: 0.0,
    };
    fitted.sort_by_key(|track| track.joint);
    // Without any motion the root is told once more at the end: the clip is as long.
    if fitted.iter().all(|track| track.secs.len() == 1)
        && let Some(root) = fitted.iter_mut().find(|track| track.is_vector())
        && clip.frames() > 1
    {
        let ticks = Ticks::new(clip.fps, clip.frames(), clip.fps);
        root.secs.push(ticks.end_secs);
        root.values.push(root.values[0]);
    }
    for track in fitted {
        let times: Vec<f32> = track.secs.iter().map(|&secs| secs as f32).collect();
        let (of, time_exponent) = (track.joint, track.time_exponent);
        let values = track.values.iter();
        match track.grid {
            Grid::Rotation(bits) => {
                let values = values.map(|&it| Quat::from_vec4(it)).collect();
                let keys = Keys::new(Curve::Linear, times, values)?;
                made.tracks.rotations.push(KeyTrack { of, keys });
                made.rotation_grids.push(KeyGrid {
                    time_exponent,
                    value: bits as i8,
                });
            }
            Grid::Vector(value, _) => {
                let values = values.map(|&it| track.grid.position(it).truncate());
                let keys = Keys::new(Curve::Linear, times, values.collect())?;
                made.tracks.translations.push(KeyTrack { of, keys });
                made.translation_grids.push(KeyGrid {
                    time_exponent,
                    value,
                });
            }
        }
    }
    let secs = |frame: usize| (frame as f64 / clip.fps) as f32;
    let times: Vec<f32> = (0..clip.frames()).map(secs).collect();
    for track in &clip.scales {
        let keys = Keys::new(Curve::Linear, times.clone(), track.values.clone());
        let (of, keys) = (track.joint, keys?);
        made.tracks.scales.push(KeyTrack { of, keys });
    }
    for track in &clip.morphs {
        let keys = Keys::new(Curve::Linear, times.clone(), track.values.clone());
        let (of, keys) = (track.morph, keys?);
        made.tracks.weights.push(KeyTrack { of, keys });
    }
    Ok(made)
}
