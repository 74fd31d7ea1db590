//! One pass of the encoder over a clip: from channels to residuals.
//!
//! Frames are coded in the decoder's order and from the decoder's own
//! predictions. Within a frame channels go from the root outwards, each aiming
//! at what cancels its ancestors' errors best (`mass.rs`), rounded towards
//! nothing when in doubt. A frame that then misses the tolerance is repaired by
//! moving single residuals by one, greedily, until its worst point is inside;
//! a block where that fails is coded with finer steps.

use glam::DVec3;

use super::{
    channels::Layout,
    clip::write_boost,
    extract::Source,
    grid::{BOOSTS, Grid},
    mass::{self, Ancestry, Factor, FactorScratch, Twist},
    model::{MAX_MAGNITUDE, Mean},
    pyramid::{self, BLOCK, Neighbours},
    rans::Encoder,
    rig::{Placed, Rig, Viewer},
    stream::{self, ChannelPlan, KnotModel},
};
use crate::skeleton::Skeleton;

/// Mass matrices change slowly: one serves this many frames.
pub(super) const FACTOR_SPACING: usize = 4;

/// Moves a repair may make before it gives up.
const MAX_REPAIRS: usize = 40;

/// What all passes over a clip share.
pub(super) struct Subject<'a> {
    pub skeleton: &'a Skeleton,
    pub rig: &'a Rig,
    pub source: &'a Source,
    pub frames: usize,
    pub coded: Vec<usize>,
    /// Joint of every coded channel.
    pub joints: Vec<usize>,
    /// Joints that each coded channel moves.
    pub moved: Vec<Vec<usize>>,
    pub ancestry: Ancestry,
    /// One for every [`FACTOR_SPACING`] frames.
    pub factors: Vec<Factor>,
    /// Joints of the source in model space, frame after frame.
    pub placed: Vec<Placed>,
}

/// What one pass is to do.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub plans: Vec<ChannelPlan>,
    pub grid: Grid,
    /// Values of the channels that are not coded.
    pub constants: Vec<f32>,
    /// Fractions from here up round away from zero; 0.5 is plain rounding.
    pub round_up_from: f32,
    pub tolerance_m: f64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub bits: f64,
    pub worst_m: f64,
    /// Residuals of the knots and streams of the blocks, when asked for.
    pub knots: Vec<Vec<i32>>,
    pub blocks: Vec<Vec<u8>>,
}

impl<'a> Subject<'a> {
    fn placed_at(&self, frame: usize) -> &[Placed] {
        let joints = self.skeleton.len();
        &self.placed[frame * joints..(frame + 1) * joints]
    }

    fn values_at(&self, frame: usize) -> &[f64] {
        let width = self.source.layout.channels.len();
        &self.source.values[frame * width..(frame + 1) * width]
    }

    fn layout(&self) -> &'a Layout {
        &self.source.layout
    }

    /// Factors of all frames that have one; `weights` are the joints' shares.
    pub fn compute_factors(&mut self, weights: &[f64]) {
        let mut scratch = FactorScratch::default();
        let mut twists = Vec::new();
        self.factors = (0..self.frames)
            .step_by(FACTOR_SPACING)
            .map(|frame| {
                let (values, placed) = (self.values_at(frame), self.placed_at(frame));
                mass::twists(self.rig, self.layout(), &self.coded, values, placed, &mut twists);
                mass::factor(
                    self.rig,
                    &self.ancestry,
                    &self.joints,
                    &twists,
                    placed,
                    weights,
                    &mut scratch,
                )
            })
            .collect();
    }

    /// Codes the whole clip and keeps the result.
    pub fn pass(&self, settings: &Settings) -> Outcome {
        let mut pass = Pass::new(self, settings);
        pass.knots(true);
        for block in 0..self.blocks() {
            pass.block(block, true);
        }
        pass.outcome
    }

    /// Codes the knots and every `stride`th block to see what it costs.
    pub fn probe(&self, settings: &Settings, stride: usize) -> Outcome {
        let mut pass = Pass::new(self, settings);
        pass.knots(false);
        let knot_bits = pass.outcome.bits;
        let probed = (stride / 2..self.blocks()).step_by(stride);
        let share = self.blocks() as f64 / probed.len().max(1) as f64;
        for block in probed {
            pass.block(block, false);
        }
        pass.outcome.bits = knot_bits + (pass.outcome.bits - knot_bits) * share;
        pass.outcome
    }

    /// Number of blocks; none when nothing varies.
    pub fn blocks(&self) -> usize {
        if self.coded.is_empty() { 0 } else { pyramid::blocks(self.frames) }
    }
}

/// The state of a pass.
struct Pass<'a> {
    subject: &'a Subject<'a>,
    settings: &'a Settings,
    steps: Vec<f32>,
    width: usize,
    knots: Vec<f32>,
    rows: Vec<f32>,
    predicted: Vec<f32>,
    means: Vec<Mean>,
    frame: FrameCoder<'a>,
    outcome: Outcome,
}

impl<'a> Pass<'a> {
    fn new(subject: &'a Subject<'a>, settings: &'a Settings) -> Self {
        let width = subject.coded.len();
        Self {
            subject,
            settings,
            steps: settings.grid.steps(),
            width,
            knots: Vec::new(),
            rows: vec![0.0; (BLOCK + 1) * width],
            predicted: vec![0.0; width],
            means: vec![0; width],
            frame: FrameCoder::new(subject, settings),
            outcome: Outcome::default(),
        }
    }

    fn knots(&mut self, keep: bool) {
        let mut model = KnotModel::new(self.width);
        if self.width == 0 {
            return;
        }
        for knot in 0..=self.subject.blocks() {
            stream::predict_next_knot(&self.knots, self.width, &mut self.predicted);
            let steps = &self.steps[..self.width];
            let worst = self.frame.code(knot * BLOCK, &self.predicted, steps, 1.0);
            self.outcome.worst_m = self.outcome.worst_m.max(worst);
            self.outcome.bits += f64::from(model.write(&self.frame.residuals, None));
            self.knots.extend_from_slice(&self.frame.row);
            if keep {
                self.outcome.knots.push(self.frame.residuals.clone());
            }
        }
    }

    fn block(&mut self, block: usize, keep: bool) {
        let mut bits = 0.0;
        let mut worst = 0.0;
        for boost in 0..BOOSTS.len() {
            let mut encoder = keep.then(Encoder::default);
            (bits, worst) = self.block_with(block, boost, encoder.as_mut());
            if worst <= self.settings.tolerance_m || boost + 1 == BOOSTS.len() {
                if let Some(mut encoder) = encoder {
                    self.outcome.blocks.push(encoder.finish());
                }
                break;
            }
        }
        // A block's stream ends with a byte on average half used.
        self.outcome.bits += bits + 4.0;
        self.outcome.worst_m = self.outcome.worst_m.max(worst);
    }

    fn block_with(
        &mut self,
        block: usize,
        boost: usize,
        mut encoder: Option<&mut Encoder>,
    ) -> (f64, f64) {
        if let Some(encoder) = &mut encoder {
            write_boost(encoder, boost);
        }
        let width = self.width;
        let knot = |index: usize| self.knots.get(index * width..(index + 1) * width);
        let (first, last) = (block * width, (block + 1) * width);
        let (first, last) = (&self.knots[first..first + width], &self.knots[last..last + width]);
        self.rows[..width].copy_from_slice(first);
        self.rows[BLOCK * width..].copy_from_slice(last);
        let neighbours = Neighbours {
            before: block.checked_sub(1).and_then(knot),
            after: knot(block + 2),
        };
        let grid = &self.settings.grid;
        grid.start_means([first, last], &self.steps[width..2 * width], &mut self.means);
        let (mut bits, mut worst) = (if boost > 0 { 6.0 } else { 0.1 }, 0.0f64);
        let mut last_level = 1;
        for (level, at) in pyramid::order() {
            if level != last_level {
                grid.next_level(&mut self.means);
                last_level = level;
            }
            pyramid::predict(&self.rows, neighbours, (level, at), &mut self.predicted);
            let row = &mut self.rows[at * width..(at + 1) * width];
            if block * BLOCK + at >= self.subject.frames {
                row.copy_from_slice(&self.predicted);
                continue;
            }
            let steps = &self.steps[level * width..(level + 1) * width];
            let index = block * BLOCK + at;
            worst = worst.max(self.frame.code(index, &self.predicted, steps, BOOSTS[boost]));
            row.copy_from_slice(&self.frame.row);
            let encoder = encoder.as_deref_mut();
            bits += f64::from(stream::write_row(&mut self.means, &self.frame.residuals, encoder));
        }
        (bits, worst)
    }
}

/// Codes one frame.
struct FrameCoder<'a> {
    subject: &'a Subject<'a>,
    settings: &'a Settings,
    residuals: Vec<i32>,
    row: Vec<f32>,
    /// Error of every channel.
    errors: Vec<f32>,
    viewer: Viewer,
    displacements: Vec<DVec3>,
    twists: Vec<Twist>,
    points: Vec<DVec3>,
    powers: Vec<f64>,
}

impl<'a> FrameCoder<'a> {
    fn new(subject: &'a Subject<'a>, settings: &'a Settings) -> Self {
        let width = subject.coded.len();
        let mut viewer = Viewer::default();
        viewer.frame.values.clone_from(&settings.constants);
        Self {
            subject,
            settings,
            residuals: vec![0; width],
            row: vec![0.0; width],
            errors: vec![0.0; width],
            viewer,
            displacements: Vec::new(),
            twists: Vec::new(),
            points: Vec::new(),
            powers: Vec::new(),
        }
    }

    /// Fills `self.residuals` and the decoded `self.row`; returns the largest
    /// displacement of a measuring point in metres. A knot past the clip's end
    /// repeats its last frame and is not measured.
    fn code(&mut self, frame: usize, predicted: &[f32], steps: &[f32], boost: f32) -> f64 {
        let inside = frame < self.subject.frames;
        let frame = frame.min(self.subject.frames - 1);
        self.round(frame, predicted, steps, boost);
        if !inside {
            return 0.0;
        }
        let mut worst = self.look(frame);
        if worst > self.settings.tolerance_m {
            worst = self.repair(frame, predicted, steps, boost, worst);
        }
        worst
    }

    fn round(&mut self, frame: usize, predicted: &[f32], steps: &[f32], boost: f32) {
        let subject = self.subject;
        let target = subject.values_at(frame);
        let factor = &subject.factors[frame / FACTOR_SPACING];
        for (at, &channel) in subject.coded.iter().enumerate() {
            let ratios = &factor.ratios[subject.ancestry.range(at)];
            let above = subject.ancestry.of(at).iter().zip(ratios);
            let undo: f32 = above.map(|(&other, ratio)| ratio * self.errors[other]).sum();
            let step = steps[at] * boost;
            let aim = (target[channel] - f64::from(predicted[at])) as f32 - undo;
            let multiple = aim / step;
            let magnitude = (multiple.abs() + (1.0 - self.settings.round_up_from)) as i32;
            let residual = magnitude.min(MAX_MAGNITUDE) * multiple.signum() as i32;
            self.residuals[at] = residual;
            self.row[at] = predicted[at] + residual as f32 * step;
            self.errors[at] = (f64::from(self.row[at]) - target[channel]) as f32;
        }
    }

    /// Sees the frame as the run time will.
    fn look(&mut self, frame: usize) -> f64 {
        let subject = self.subject;
        for (&channel, &value) in subject.coded.iter().zip(&self.row) {
            self.viewer.frame.values[channel] = value;
        }
        self.viewer.look(
            subject.skeleton,
            subject.rig,
            subject.layout(),
            subject.placed_at(frame),
            &mut self.displacements,
        );
        let squares = self.displacements.iter().map(|d| d.length_squared());
        squares.fold(0.0, f64::max).sqrt()
    }

    /// Moves residuals by one, each time the one that lowers the eighth powers
    /// of all displacements most, until the worst is within the tolerance.
    fn repair(
        &mut self,
        frame: usize,
        predicted: &[f32],
        steps: &[f32],
        boost: f32,
        mut worst: f64,
    ) -> f64 {
        let subject = self.subject;
        let (values, placed) = (subject.values_at(frame), subject.placed_at(frame));
        let layout = subject.layout();
        mass::twists(subject.rig, layout, &subject.coded, values, placed, &mut self.twists);
        self.points.clear();
        let distance = f64::from(crate::codec::metric::POINT_DISTANCE_M);
        for joint in placed {
            self.points.extend(DVec3::AXES.map(|axis| joint.point(axis * distance)));
        }
        for _ in 0..MAX_REPAIRS {
            let Some((at, by)) = self.best_move(steps, boost) else {
                break;
            };
            self.residuals[at] += by;
            self.row[at] = predicted[at] + self.residuals[at] as f32 * (steps[at] * boost);
            worst = self.look(frame);
            if worst <= self.settings.tolerance_m {
                break;
            }
        }
        worst
    }

    fn best_move(&mut self, steps: &[f32], boost: f32) -> Option<(usize, i32)> {
        let eighth_power = |squared: f64| {
            let fourth = squared * squared;
            fourth * fourth
        };
        let per_tolerance = 1.0 / (self.settings.tolerance_m * self.settings.tolerance_m);
        self.powers.clear();
        let squares = self.displacements.iter().map(|d| d.length_squared() * per_tolerance);
        self.powers.extend(squares.map(eighth_power));
        let mut best = (0.0, None);
        let worst = (0..self.powers.len()).max_by(|&a, &b| self.powers[a].total_cmp(&self.powers[b]))? / 3;
        for (at, twist) in self.twists.iter().enumerate() {
            // Only what moves the worst point can bring it back.
            if !self.subject.rig.is_above(self.subject.joints[at], worst) {
                continue;
            }
            let step = f64::from(steps[at] * boost);
            let mut gains = [0.0; 2];
            for &joint in &self.subject.moved[at] {
                for point in 3 * joint..3 * joint + 3 {
                    let by = twist.at(self.points[point]) * step;
                    for (gain, moved) in gains.iter_mut().zip([
                        self.displacements[point] + by,
                        self.displacements[point] - by,
                    ]) {
                        let power = eighth_power(moved.length_squared() * per_tolerance);
                        *gain += power - self.powers[point];
                    }
                }
            }
            for (gain, by) in gains.into_iter().zip([1, -1]) {
                if gain < best.0 {
                    best = (gain, Some((at, by)));
                }
            }
        }
        best.1
    }
}
