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
    clip::{Curve, GriddedClip, KeyTrack, KeyValue, Keys, RawClip, Track, TrackClip},
    codec::{
        CompressError, Stop, check_input,
        keys::{CHUNK_SPAN, TrackKind, source},
        metric::ErrorTable,
    },
    math::{quat::align_sign, spline::catmull_rom_weights},
    meshopt::{decode_quaternion, encode_quaternion, exponential, from_exponential},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Attempts at ever tighter inner tolerances.
const ATTEMPTS: usize = 8;
/// What rounding to the grid may take of an allowance.
const GRID_SHARE: f32 = 0.6;
/// A filter has no more.
const MOST_BITS: u32 = 16;
/// Half a step of three numbers, as an angle: 2 · √3/2, and what the fourth number
/// adds where it is no larger than they are.
const ANGLE_PER_STEP: f32 = 2.1;
/// A line may be found so many tries after the last one that was short enough.
const PATIENCE: u32 = 3;
/// A chord lies inside its arc. With both ends half its height beyond the arc it lies
/// half inside, half outside, and may be √2 times as long: parts of that way that are
/// tried.
const BEYOND: [f32; 3] = [1.0, 0.5, 0.0];
/// Where lines between ticks miss, so many times as many are tried, up to
/// [`FINEST_HZ`].
const FINER: u32 = 4;
const FINEST_HZ: f64 = 262_144.0;
/// All frames are held against each other at once.
const MOST_FRAMES: usize = CHUNK_SPAN;

/// One track's keys.
struct StraightTrack {
    joint: u16,
    ticks: Vec<u32>,
    /// As they are read.
    values: Vec<Vec4>,
    grid: Grid,
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
            Self::Rotation(bits) => read_rotation(encode_quaternion(Quat::from_vec4(value), bits)),
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

    /// A value moved as far as from one to another.
    fn moved(self, value: Vec4, [from, to]: [Vec4; 2]) -> Vec4 {
        match self {
            Self::Rotation(_) => {
                let to: Vec4 = align_sign(Quat::from_vec4(to), Quat::from_vec4(from)).into();
                Quat::from_vec4(value + to - from).finished().into()
            }
            Self::Vector(..) => value + to - from,
        }
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

/// What a reader makes of an element.
fn read_rotation(element: [i16; 4]) -> Vec4 {
    Vec4::from(decode_quaternion(element).map(|it| f32::from(it) / 32767.0))
}

/// Moments at which keys may be: powers of two a second.
#[derive(Clone, Copy)]
struct Ticks {
    fps: f64,
    /// What all are counted in.
    fine_hz: f64,
    /// Every so many of them may hold a key.
    stride: u32,
    /// Whether there are more of those than frames: then the ones nearest to frames.
    near_frames: bool,
    /// The clip's end, which holds a key whatever the stride.
    last: u32,
}

impl Ticks {
    fn new(fps: f64, frames: usize) -> Self {
        let duration_secs = frames.saturating_sub(1) as f64 / fps;
        // As many coarse ticks as frames; fine ones as a mantissa of 23 bits has them,
        // which is as good as on the frames.
        let coarse_hz = fps.log2().ceil().exp2();
        let finest_hz = (22.0 - duration_secs.max(1e-3).log2().ceil()).exp2();
        let fine_hz = finest_hz.min(FINEST_HZ).max(coarse_hz);
        Self {
            fps,
            fine_hz,
            stride: (fine_hz / coarse_hz) as u32,
            near_frames: false,
            last: (duration_secs * fine_hz).round() as u32,
        }
    }

    fn secs(&self, tick: u32) -> f64 {
        f64::from(tick) / self.fine_hz
    }

    /// The moment in frames.
    fn frame_of(&self, tick: u32) -> f64 {
        self.secs(tick) * self.fps
    }

    /// Every other of the same, and so on: `None` where there are no finer ones.
    fn finer(self, times: u32) -> Option<Self> {
        (self.stride > 1).then(|| Self {
            stride: (self.stride / times).max(1),
            near_frames: true,
            ..self
        })
    }

    /// The next tick that may hold a key.
    fn after(&self, tick: u32) -> u32 {
        let next = tick / self.stride + 1;
        let next = match self.near_frames {
            true => {
                let frame = (self.frame_of(tick) + 0.5).floor() + 1.0;
                let per_frame = self.fine_hz / self.fps / f64::from(self.stride);
                next.max((frame * per_frame).round() as u32)
            }
            false => next,
        };
        (next * self.stride).min(self.last)
    }

    /// What 2^e seconds all of the coarsest are multiples of, and all of the finest.
    fn exponents(&self) -> [i8; 2] {
        let coarse_hz = self.fine_hz / f64::from(self.stride);
        [coarse_hz, self.fine_hz].map(|hz| -hz.log2().round() as i8)
    }
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

    /// Lines as long as the tolerance permits, and whether all keep within it.
    fn keys(
        &self,
        grid: Grid,
        ticks: Ticks,
        target: &TrackTarget<'_>,
        tolerance: &impl Tolerance,
    ) -> (Vec<LineKey>, bool) {
        let values = target.values;
        let plain = |tick: u32| {
            let value = self.value_at(values, ticks.frame_of(tick));
            (tick, grid.rounded(value))
        };
        let mut keys = vec![plain(0)];
        let (mut from, mut all_within) = (keys[0], true);
        while from.0 < ticks.last {
            let found = self.longest_line((grid, ticks), from, target, tolerance);
            all_within &= found.is_some();
            from = found.unwrap_or_else(|| plain(ticks.after(from.0)));
            keys.push(from);
        }
        (keys, all_within)
    }

    /// The end of the longest line from a key to one of the ticks after it.
    fn longest_line(
        &self,
        (grid, ticks): (Grid, Ticks),
        from: LineKey,
        target: &TrackTarget<'_>,
        tolerance: &impl Tolerance,
    ) -> Option<LineKey> {
        let (values, last) = (target.values, target.values.len() - 1);
        let value = |position: f64| self.value_at(values, position.clamp(0.0, last as f64));
        let (mut best, mut missed, mut tick) = (None, 0, from.0);
        while tick < ticks.last && missed <= PATIENCE {
            tick = ticks.after(tick);
            let at = ticks.frame_of(tick);
            let reach = at - ticks.frame_of(from.0);
            let source = value(at);
            let bend = value(at - reach) - source * 2.0 + value(at + reach);
            let next = ((at + 1.0) as usize).min(last);
            // From the source to the far side of the curve.
            let ends = BEYOND.map(|beyond| (tick, grid.rounded(source - bend * (beyond / 16.0))));
            let within = |to: &LineKey| {
                // As far off at the frame after it, from where the next line starts.
                let shown = grid.moved(values[next], [source, to.1]);
                tolerance.error_ratio(next, shown) <= 1.0
                    && self.is_within((grid, ticks), [from, *to], last, tolerance)
            };
            match ends.into_iter().find(within) {
                Some(to) => (best, missed) = (Some(to), 0),
                None => missed += 1,
            }
        }
        best
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
        let mut ticks = Ticks::new(self.fps, frames);
        let constant = grid.rounded(target.track.samples[0]);
        let shown = grid.between(constant, constant, 0.0);
        let enough = (0..frames).all(|frame| tolerance.error_ratio(frame, shown) <= 1.0);
        let mut keys = vec![(0, constant)];
        if frames > 1 && !enough {
            loop {
                let (found, all_within) = self.keys(grid, ticks, target, tolerance);
                keys = found;
                match ticks.finer(FINER).filter(|_| !all_within) {
                    Some(finer) => ticks = finer,
                    None => break,
                }
            }
        }
        let curve = self.curve(grid, ticks, &keys, frames);
        let track = StraightTrack {
            joint: target.track.joint,
            ticks: keys.iter().map(|key| key.0).collect(),
            values: keys.into_iter().map(|key| key.1).collect(),
            grid,
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
        // What asking for less by half does not mend is not to be had.
        if measured.max_cm >= least_cm && inner_cm < 0.5 * tolerance_cm {
            break;
        }
        least_cm = least_cm.min(measured.max_cm);
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
        time_exponents: Ticks::new(clip.fps, clip.frames()).exponents(),
        rotation_elements: Vec::new(),
        translation_exponents: Vec::new(),
        tolerance_cm: 0.0,
        max_error_cm: 0.0,
    };
    fitted.sort_by_key(|track| track.joint);
    let ticks = Ticks::new(clip.fps, clip.frames());
    // Without any motion the root is told once more at the end: the clip is as long.
    if fitted.iter().all(|track| track.ticks.len() == 1)
        && let Some(root) = fitted.iter_mut().find(|track| track.is_vector())
        && ticks.last > 0
    {
        root.ticks.push(ticks.last);
        root.values.push(root.values[0]);
    }
    for track in fitted {
        let times = track.ticks.iter();
        let times: Vec<f32> = times.map(|&tick| ticks.secs(tick) as f32).collect();
        let (of, values) = (track.joint, track.values.iter());
        match track.grid {
            Grid::Rotation(bits) => {
                // The elements themselves are kept: made of what is read from them
                // they might be others.
                let elements = values.map(|&it| encode_quaternion(Quat::from_vec4(it), bits));
                let elements: Vec<[i16; 4]> = elements.collect();
                let read = elements.iter().map(|&it| read_rotation(it));
                let values = read.map(Quat::from_vec4).collect();
                let keys = Keys::new(Curve::Linear, times, values)?;
                made.tracks.rotations.push(KeyTrack { of, keys });
                made.rotation_elements.push(elements);
            }
            Grid::Vector(exponent, _) => {
                let values = values.map(|&it| track.grid.position(it).truncate());
                let keys = Keys::new(Curve::Linear, times, values.collect())?;
                made.tracks.translations.push(KeyTrack { of, keys });
                made.translation_exponents.push(exponent);
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
