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
    encode_context::EncodeContext,
    encoder_skeleton::Reconstruction,
    error_sensitivity::{self, Twist},
    frame_order::LEVELS,
    model::{self, MAX_MAGNITUDE, Mean, Tables},
    quantise::PassSettings,
    rows::Dequantiser,
};
use crate::codec::metric::{BALL_RADIUS_M, BallError};

/// Steps by which a channel gives way to its ancestors' errors at most. Near
/// gimbal lock the linear answer may be any number, and is wrong that far out.
const MOST_UNDONE: f32 = 4.0;

/// Moves a repair may make before it gives up; the block is then coded again with
/// finer steps.
const MAX_REPAIRS: usize = 40;

/// Residuals up to this size are brought nearer to zero where that is free. A zero
/// is by far the cheapest; among larger ones a step saves a fraction of a bit.
const LARGEST_SPARED: i32 = 4;
/// Rounds through them: what one spares may make room for another.
const SPARING_ROUNDS: usize = 2;

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
    /// Error of every joint.
    joint_errors: Vec<BallError>,
    /// The joint that last stopped a move.
    limiting_joint: usize,
    twists: Vec<Twist>,
    /// Twist of every joint under one move.
    moves: Vec<Twist>,
    /// Bits to be saved, and in which channel.
    savings: Vec<(f32, usize)>,
    /// Where the source has the joints.
    positions: Vec<DVec3>,
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
            joint_errors: Vec::new(),
            limiting_joint: 0,
            twists: Vec::new(),
            moves: Vec::new(),
            positions: Vec::new(),
            savings: Vec::new(),
        }
    }

    /// Fills `self.residuals` and the decoded `self.row`; returns the largest
    /// error of a joint in metres. A knot past the clip's end
    /// repeats its last frame and is not measured.
    pub fn code(
        &mut self,
        frame: usize,
        level: usize,
        predicted: &[f32],
        dequantiser: Dequantiser<'_>,
        means: &[Mean],
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
            worst = self.economise(frame, predicted, dequantiser, means, worst, limit_m);
        }
        for (sum, error) in self.joint_squares.iter_mut().zip(&self.joint_errors) {
            *sum += error.length_squared();
        }
        worst
    }

    fn round(&mut self, frame: usize, predicted: &[f32], dequantiser: Dequantiser<'_>) {
        let context = self.context;
        let target = context.values_at(frame);
        let factor = context.factor_at(frame);
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
        self.reconstruction.errors(
            context.skeleton,
            context.model_pose_at(frame),
            &mut self.joint_errors,
        );
        let squares = self.joint_errors.iter().map(BallError::length_squared);
        squares.fold(0.0, f64::max).sqrt()
    }

    /// Moves residuals by one, each time the one that lowers the eighth powers
    /// of all errors most, until the worst is within the tolerance.
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
        self.positions.clear();
        self.positions
            .extend(model_pose.iter().map(|joint| joint.position));
    }

    /// Brings small residuals nearer to zero where the tolerance has room.
    fn economise(
        &mut self,
        frame: usize,
        predicted: &[f32],
        dequantiser: Dequantiser<'_>,
        means: &[Mean],
        worst: f64,
        limit_m: f64,
    ) -> f64 {
        self.prepare(frame);
        // Errors are carried along linearly from move to move; whether
        // the sum of them holds is measured once, at the end.
        self.before.clone_from(&self.residuals);
        self.find_savings(means);
        let savings = std::mem::take(&mut self.savings);
        for _ in 0..SPARING_ROUNDS {
            for &(_, at) in &savings {
                let by = -self.residuals[at].signum();
                let change = f64::from(dequantiser.steps[at] * dequantiser.boost) * f64::from(by);
                if by != 0 && self.moves_within(at, change, limit_m * limit_m) {
                    self.residuals[at] += by;
                    self.apply_moves();
                }
            }
        }
        self.savings = savings;
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

    /// Fills `self.savings` with the channels whose residuals are small, those
    /// first where a step towards zero saves most bits.
    fn find_savings(&mut self, means: &[Mean]) {
        self.savings.clear();
        for (at, &residual) in self.residuals.iter().enumerate() {
            if residual != 0 && residual.abs() <= LARGEST_SPARED {
                let context = model::context(means[at]);
                let bits = |residual| Tables::get().cost_bits(context, residual);
                let saved = bits(residual) - bits(residual - residual.signum());
                self.savings.push((saved, at));
            }
        }
        // Of equals the outer first: they move less.
        let most_first = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0);
        self.savings
            .sort_unstable_by(|a, b| most_first(a, b).then(b.1.cmp(&a.1)));
    }

    /// The move, among the few that bring the worst joint back most, that
    /// lowers the sum over all joints most.
    fn best_move(&mut self, dequantiser: Dequantiser<'_>) -> Option<(usize, i32)> {
        // A frame misses the tolerance by its worst joint: moves that do not
        // help there are of no use.
        let square = |at: usize| self.joint_errors[at].length_squared();
        let worst = (0..self.positions.len()).max_by(|&a, &b| square(a).total_cmp(&square(b)))?;
        let mut candidates = [(0.0f64, 0usize, 0i32); CANDIDATES];
        let width = self.twists.len();
        for at in 0..width {
            let twist = self.motion(at, worst);
            let step = f64::from(dequantiser.steps[at] * dequantiser.boost);
            if self.residuals[at].abs() >= MAX_MAGNITUDE {
                continue;
            }
            for sign in [1, -1] {
                let moved = self.moved(worst, twist, step * f64::from(sign));
                let gain = moved.length_squared() - square(worst);
                // The poorest candidate so far gives way; unused ones gain
                // nothing.
                let least = candidates.iter_mut().max_by(|a, b| a.0.total_cmp(&b.0))?;
                if gain < least.0 {
                    *least = (gain, at, sign);
                }
            }
        }
        let before: f64 = self.joint_errors.iter().map(|e| self.power(e)).sum();
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

    /// Eighth power of an error in tolerances.
    #[inline]
    fn power(&self, error: &BallError) -> f64 {
        let tolerance = self.settings.tolerance_m;
        // High powers stand in for the maximum, yet see the joints that are
        // nearly as bad: (error / tolerance)⁸.
        let squared = error.length_squared() / (tolerance * tolerance);
        let fourth = squared * squared;
        fourth * fourth
    }

    /// Whether all errors stay within a square after channel `at`'s residual
    /// changed its value; fills `self.moves`.
    fn moves_within(&mut self, at: usize, by: f64, limit_squared: f64) -> bool {
        let outside = |moved: BallError| moved.length_squared() > limit_squared;
        // The joint that stopped the last move often stops this one too.
        let limiting = self.limiting_joint;
        if outside(self.moved(limiting, self.motion(at, limiting), by)) {
            return false;
        }
        self.find_moves(at, by);
        for joint in 0..self.moves.len() {
            if outside(self.moved(joint, self.moves[joint], 1.0)) {
                self.limiting_joint = joint;
                return false;
            }
        }
        true
    }

    /// How one joint moves with channel `at`'s residual.
    fn motion(&self, at: usize, joint: usize) -> Twist {
        let width = self.twists.len();
        // A residual moves its own channel and those predicted from it.
        let effects = &self.effects[at * width..(at + 1) * width];
        let mut motion = Twist::default();
        for &mover in &self.context.movers[joint] {
            let effect = f64::from(effects[mover]);
            motion.angular += self.twists[mover].angular * effect;
            motion.linear += self.twists[mover].linear * effect;
        }
        motion
    }

    /// Error of a joint after a small motion.
    #[inline]
    fn moved(&self, joint: usize, twist: Twist, by: f64) -> BallError {
        let error = self.joint_errors[joint];
        BallError {
            offset: error.offset + twist.at(self.positions[joint]) * by,
            swing: error.swing + twist.angular * (f64::from(BALL_RADIUS_M) * by),
        }
    }

    fn apply_moves(&mut self) {
        for joint in 0..self.moves.len() {
            self.joint_errors[joint] = self.moved(joint, self.moves[joint], 1.0);
        }
    }

    /// Sum of powers after channel `at`'s residual changed its value by `by`.
    fn power_after(&mut self, at: usize, by: f64) -> f64 {
        self.find_moves(at, by);
        let joints = 0..self.moves.len();
        joints
            .map(|joint| self.power(&self.moved(joint, self.moves[joint], 1.0)))
            .sum()
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
    // Single frames may go to within 1 % of the tolerance; each coarser level
    // keeps 15 % of its part for those below, knots end at 44 % (corpus).
    0.99 * 0.85f64.powi((LEVELS - level) as i32)
}
