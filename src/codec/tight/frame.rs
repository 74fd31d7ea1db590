//! Coding one frame: rounding, repair, economy.
//!
//! Channels go from the root outwards, each aiming at what cancels its
//! ancestors' errors best (`error_sensitivity.rs`) and rounded towards nothing when in
//! doubt. A frame that then misses the tolerance is repaired by moving single
//! residuals by one, greedily, until its worst point is inside; one with room
//! to spare has small residuals brought nearer to zero.

use glam::DVec3;

use super::{
    cross_channel::CrossPredictor,
    encode_context::{EncodeContext, FACTOR_SPACING},
    encoder_skeleton::Reconstruction,
    error_sensitivity::{self, Twist},
    frame_order::LEVELS,
    model::MAX_MAGNITUDE,
    quantise::PassSettings,
    rows::Dequantiser,
};
use crate::codec::metric::POINT_DISTANCE_M;

/// Steps by which a channel gives way to its ancestors' errors at most. Near
/// gimbal lock the linear answer may be any number, and is wrong that far out.
const MOST_UNDONE: f32 = 4.0;

/// Moves a repair may make before it gives up; the block is then coded again with
/// finer steps.
const MAX_REPAIRS: usize = 40;

/// Residuals up to this size are brought nearer to zero where that is free. A zero
/// is by far the cheapest; among larger ones a step saves a fraction of a bit.
const LARGEST_SPARED: i32 = 2;

/// Moves that are looked at closely: a look takes all points into account, the
/// choice of candidates only the worst.
const CANDIDATES: usize = 8;

/// Codes one frame.
pub(super) struct FrameCoder<'a> {
    context: &'a EncodeContext<'a>,
    settings: &'a PassSettings,
    pub residuals: Vec<i32>,
    /// Residuals to go back to.
    before: Vec<i32>,
    pub row: Vec<f32>,
    /// Correction of every channel's prediction from other frames.
    corrections: Vec<f32>,
    /// Error of every channel.
    errors: Vec<f32>,
    /// How channels change with one another's residuals.
    effects: Vec<f32>,
    reconstruction: Reconstruction,
    pub joint_squares: Vec<f64>,
    displacements: Vec<DVec3>,
    /// The point that last stopped a move.
    limiting_point: usize,
    twists: Vec<Twist>,
    /// Twist of every joint under one move.
    moves: Vec<Twist>,
    points: Vec<DVec3>,
}

impl<'a> FrameCoder<'a> {
    pub fn new(context: &'a EncodeContext<'a>, settings: &'a PassSettings) -> Self {
        let width = context.coded.len();
        Self {
            context,
            settings,
            residuals: vec![0; width],
            before: Vec::new(),
            row: vec![0.0; width],
            corrections: vec![0.0; width],
            errors: vec![0.0; width],
            effects: CrossPredictor::new(&settings.links, &settings.grid).effects(width),
            reconstruction: Reconstruction::new(context.layout(), &settings.constants),
            joint_squares: vec![0.0; context.skeleton.len()],
            displacements: Vec::new(),
            limiting_point: 0,
            twists: Vec::new(),
            moves: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Fills `self.residuals` and the decoded `self.row`; returns the largest
    /// displacement of a measuring point in metres. A knot past the clip's end
    /// repeats its last frame and is not measured.
    pub fn code(
        &mut self,
        frame: usize,
        level: usize,
        predicted: &[f32],
        dequantiser: Dequantiser<'_>,
    ) -> f64 {
        // The last block may end past the clip, and its last knot with it.
        let inside = frame < self.context.frames;
        let frame = frame.min(self.context.frames - 1);
        self.round(frame, predicted, dequantiser);
        if !inside {
            return 0.0;
        }
        let mut worst = self.measure(frame);
        if worst > self.settings.tolerance_m {
            worst = self.repair(frame, predicted, dequantiser, worst);
        }
        // A frame well inside the tolerance gives its room back as bits.
        let limit_m = self.settings.tolerance_m * usable_part(level);
        if worst < limit_m {
            worst = self.economise(frame, predicted, dequantiser, worst, limit_m);
        }
        for (sum, points) in self
            .joint_squares
            .iter_mut()
            .zip(self.displacements.chunks(3))
        {
            *sum += points.iter().map(|d| d.length_squared()).sum::<f64>();
        }
        worst
    }

    fn round(&mut self, frame: usize, predicted: &[f32], dequantiser: Dequantiser<'_>) {
        let context = self.context;
        let target = context.values_at(frame);
        let factor = &context.factors[frame / FACTOR_SPACING];
        for (at, &channel) in context.coded.iter().enumerate() {
            // What of the ancestors' errors this channel can undo: the row of
            // L that belongs to it, over its diagonal.
            let ratios = &factor.ratios[context.ancestry.range(at)];
            let above = context.ancestry.of(at).iter().zip(ratios);
            let undo: f32 = above
                .map(|(&other, ratio)| ratio * self.errors[other])
                .sum();
            let step = dequantiser.steps[at] * dequantiser.boost;
            let undo = undo.clamp(-MOST_UNDONE * step, MOST_UNDONE * step);
            let expected = f64::from(
                predicted[at]
                    + dequantiser
                        .cross_predictor
                        .correction(at, 0.0, &self.corrections),
            );
            let multiple = ((target[channel] - expected) as f32 - undo) / step;
            // A quantiser with a dead zone: fractions below `round_up_from` go
            // towards zero, where residuals are cheaper. The search weighs that
            // against the finer steps it takes.
            let magnitude = (multiple.abs() + (1.0 - self.settings.round_up_from)) as i32;
            self.residuals[at] = magnitude.min(MAX_MAGNITUDE) * multiple.signum() as i32;
            self.decode_channel(at, predicted, dequantiser);
            self.errors[at] = (f64::from(self.row[at]) - target[channel]) as f32;
        }
    }

    /// What the decoder will make of a channel's residual.
    fn decode_channel(&mut self, at: usize, predicted: &[f32], dequantiser: Dequantiser<'_>) {
        self.corrections[at] = dequantiser.correction(at, self.residuals[at], &self.corrections);
        self.row[at] = predicted[at] + self.corrections[at];
    }

    /// Sees the frame as the run time will.
    fn measure(&mut self, frame: usize) -> f64 {
        let context = self.context;
        for (&channel, &value) in context.coded.iter().zip(&self.row) {
            self.reconstruction.frame.values[channel] = value;
        }
        self.reconstruction.displacements(
            context.skeleton,
            context.hierarchy,
            context.model_pose_at(frame),
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
        dequantiser: Dequantiser<'_>,
        mut worst: f64,
    ) -> f64 {
        self.prepare(frame);
        for _ in 0..MAX_REPAIRS {
            let Some((at, by)) = self.best_move(dequantiser) else {
                break;
            };
            self.residuals[at] += by;
            // Later channels may be predicted from this one.
            (at..self.row.len()).for_each(|at| self.decode_channel(at, predicted, dequantiser));
            worst = self.measure(frame);
            if worst <= self.settings.tolerance_m {
                break;
            }
        }
        worst
    }

    /// Makes ready to see what small changes do.
    fn prepare(&mut self, frame: usize) {
        let context = self.context;
        let (values, model_pose) = (context.values_at(frame), context.model_pose_at(frame));
        let layout = context.layout();
        error_sensitivity::twists(
            context.hierarchy,
            layout,
            &context.coded,
            values,
            model_pose,
            &mut self.twists,
        );
        self.points.clear();
        let distance = f64::from(POINT_DISTANCE_M);
        for joint in model_pose {
            self.points
                .extend(DVec3::AXES.map(|axis| joint.point(axis * distance)));
        }
    }

    /// Brings small residuals nearer to zero where the tolerance has room.
    fn economise(
        &mut self,
        frame: usize,
        predicted: &[f32],
        dequantiser: Dequantiser<'_>,
        worst: f64,
        limit_m: f64,
    ) -> f64 {
        self.prepare(frame);
        // Displacements are carried along linearly from move to move; whether
        // the sum of them holds is measured once, at the end.
        self.before.clone_from(&self.residuals);
        for size in 1..=LARGEST_SPARED {
            for at in 0..self.residuals.len() {
                if self.residuals[at].abs() == size {
                    let by = -self.residuals[at].signum();
                    let change =
                        f64::from(dequantiser.steps[at] * dequantiser.boost) * f64::from(by);
                    if self.moves_within(at, change, limit_m * limit_m) {
                        self.residuals[at] += by;
                        self.apply_moves();
                    }
                }
            }
        }
        if self.before == self.residuals {
            return worst;
        }
        (0..self.row.len()).for_each(|at| self.decode_channel(at, predicted, dequantiser));
        let economised = self.measure(frame);
        if economised <= self.settings.tolerance_m {
            return economised;
        }
        // What was small for one move was not small for all of them.
        self.residuals.clone_from(&self.before);
        (0..self.row.len()).for_each(|at| self.decode_channel(at, predicted, dequantiser));
        self.measure(frame)
    }

    /// The move, among the few that bring the worst point back most, that
    /// lowers the sum over all points most.
    fn best_move(&mut self, dequantiser: Dequantiser<'_>) -> Option<(usize, i32)> {
        // A frame misses the tolerance by its worst point: moves that do not
        // help there are of no use.
        let square = |at: usize| self.displacements[at].length_squared();
        let worst = (0..self.points.len()).max_by(|&a, &b| square(a).total_cmp(&square(b)))?;
        let mut candidates = [(0.0f64, 0usize, 0i32); CANDIDATES];
        let width = self.twists.len();
        for at in 0..width {
            let by = self.motion(at, worst) * f64::from(dequantiser.steps[at] * dequantiser.boost);
            for sign in [1, -1] {
                let moved = self.displacements[worst] + by * f64::from(sign);
                let gain = moved.length_squared() - square(worst);
                // The poorest candidate so far gives way; unused ones gain
                // nothing.
                let least = candidates.iter_mut().max_by(|a, b| a.0.total_cmp(&b.0))?;
                if gain < least.0 {
                    *least = (gain, at, sign);
                }
            }
        }
        let before: f64 = self.displacements.iter().map(|d| self.power(*d)).sum();
        let mut best = (before, None);
        for (_, at, sign) in candidates.into_iter().filter(|&(.., sign)| sign != 0) {
            let after = self.power_after(
                at,
                f64::from(dequantiser.steps[at] * dequantiser.boost) * f64::from(sign),
            );
            if after < best.0 {
                best = (after, Some((at, sign)));
            }
        }
        best.1
    }

    /// Eighth power of a displacement in tolerances.
    #[inline]
    fn power(&self, displacement: DVec3) -> f64 {
        let tolerance = self.settings.tolerance_m;
        // High powers stand in for the maximum, yet see the points that are
        // nearly as bad: (|d| / tolerance)⁸.
        let squared = displacement.length_squared() / (tolerance * tolerance);
        let fourth = squared * squared;
        fourth * fourth
    }

    /// Whether all displacements stay within a square after channel `at`'s
    /// residual changed its value; fills `self.moves`.
    fn moves_within(&mut self, at: usize, by: f64, limit_squared: f64) -> bool {
        let outside = |moved: DVec3| moved.length_squared() > limit_squared;
        // The point that stopped the last move often stops this one too.
        if outside(
            self.displacements[self.limiting_point] + self.motion(at, self.limiting_point) * by,
        ) {
            return false;
        }
        self.find_moves(at, by);
        for (joint, twist) in self.moves.iter().enumerate() {
            for point in 3 * joint..3 * joint + 3 {
                if outside(self.displacements[point] + twist.at(self.points[point])) {
                    self.limiting_point = point;
                    return false;
                }
            }
        }
        true
    }

    /// How one point moves with channel `at`'s residual.
    fn motion(&self, at: usize, point: usize) -> DVec3 {
        let width = self.twists.len();
        // A residual moves its own channel and those predicted from it.
        let effects = &self.effects[at * width..(at + 1) * width];
        let movers = self.context.movers[point / 3].iter();
        let (angular, linear) =
            movers.fold((DVec3::ZERO, DVec3::ZERO), |(angular, linear), &mover| {
                let effect = f64::from(effects[mover]);
                let twist = self.twists[mover];
                (
                    angular + twist.angular * effect,
                    linear + twist.linear * effect,
                )
            });
        Twist { angular, linear }.at(self.points[point])
    }

    fn apply_moves(&mut self) {
        for (joint, twist) in self.moves.iter().enumerate() {
            for point in 3 * joint..3 * joint + 3 {
                self.displacements[point] += twist.at(self.points[point]);
            }
        }
    }

    /// Sum of powers after channel `at`'s residual changed its value by `by`.
    fn power_after(&mut self, at: usize, by: f64) -> f64 {
        self.find_moves(at, by);
        let mut sum = 0.0;
        for (joint, twist) in self.moves.iter().enumerate() {
            for point in 3 * joint..3 * joint + 3 {
                let moved = self.displacements[point] + twist.at(self.points[point]);
                sum += self.power(moved);
            }
        }
        sum
    }

    /// Fills `self.moves`: how joints move when channel `at`'s residual changes
    /// its value by `by`.
    fn find_moves(&mut self, at: usize, by: f64) {
        let context = self.context;
        let width = self.twists.len();
        self.moves.clear();
        self.moves.resize(context.skeleton.len(), Twist::default());
        for other in at..width {
            let effect = f64::from(self.effects[at * width + other]) * by;
            if effect == 0.0 {
                continue;
            }
            let twist = &mut self.moves[context.joints[other]];
            twist.angular += self.twists[other].angular * effect;
            twist.linear += self.twists[other].linear * effect;
        }
        for joint in 0..self.moves.len() {
            if let Some(parent) = context.hierarchy.parent(joint) {
                // Twists are in model space about one origin, so they simply
                // add up along the chain.
                let above = self.moves[parent];
                self.moves[joint].angular += above.angular;
                self.moves[joint].linear += above.linear;
            }
        }
    }
}

/// How much of the tolerance frames of a level may use up to save bits. The
/// coarser the level, the more frames are predicted from it and err with it.
fn usable_part(level: usize) -> f64 {
    // Single frames may go to within 1.5 % of the tolerance; each coarser
    // level keeps a fifth of its part for those below, knots end at a third.
    0.985 * 0.8f64.powi((LEVELS - level) as i32)
}
