//! One pass of the encoder over a clip: from channels to residuals.
//!
//! Frames are coded in the decoder's order and from the decoder's own
//! predictions, each by `frame.rs`. A block in which some frame misses the
//! tolerance all the same is coded again with finer steps.

use super::{
    block::write_boost,
    cross_channel::{CrossPredictor, Links},
    encode_context::EncodeContext,
    frame::FrameCoder,
    frame_order::{self, BLOCK, Neighbours},
    grid::{BOOSTS, Grid},
    model::Mean,
    rows::{self, Dequantiser, KnotModel, LANES},
    stream::{self, ChannelPlan},
    tans::Encoder,
};

/// What a block takes besides its symbols, about: the states of four lanes at 9
/// bits, its length, and a byte that is not full.
const STREAM_BITS: f64 = 40.0;

/// What one pass is to do.
#[derive(Clone, Debug)]
pub(super) struct PassSettings {
    pub plans: Vec<ChannelPlan>,
    pub grid: Grid,
    pub links: Links,
    /// Values of the channels that are not coded.
    pub constants: Vec<f32>,
    /// Fractions from here up round away from zero; 0.5 is plain rounding.
    pub round_up_from: f32,
    pub tolerance_m: f64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct PassResult {
    pub bits: f64,
    pub worst_m: f64,
    /// Part of the coded blocks that needed finer steps.
    pub boosted: f64,
    /// Sum of squared displacements of every joint's points.
    pub joint_squares: Vec<f64>,
    /// Residuals of the knots and the blocks' streams, when asked for.
    pub knots: Vec<Vec<i32>>,
    pub blocks: Vec<Vec<u8>>,
}

impl EncodeContext<'_> {
    /// Codes the whole clip and keeps the result; unless the tolerance is
    /// missed, which ends it at once.
    pub fn pass(&self, settings: &PassSettings) -> PassResult {
        let mut pass = Pass::new(self, settings, settings.tolerance_m);
        pass.knots(true);
        for block in 0..self.blocks() {
            if pass.is_lost() {
                break;
            }
            pass.block(block, true);
        }
        pass.result
    }

    /// Codes the knots and every `stride`th block to see what it costs. An error
    /// beyond `lost_from_m` ends it at once.
    pub fn probe(&self, settings: &PassSettings, stride: usize, lost_from_m: f64) -> PassResult {
        let mut pass = Pass::new(self, settings, lost_from_m);
        pass.knots(false);
        let knot_bits = pass.result.bits;
        // From the middle of the first stride, so that the probes stand for
        // all of the clip; knots are coded in full and counted once.
        let probed = (stride / 2..self.blocks()).step_by(stride);
        let probes = probed.len().max(1) as f64;
        let blocks_per_probe = self.blocks() as f64 / probes;
        for block in probed {
            if pass.is_lost() {
                break;
            }
            pass.block(block, false);
        }
        pass.result.boosted /= probes;
        pass.result.joint_squares = pass.frame.joint_squares;
        pass.result.bits = knot_bits + (pass.result.bits - knot_bits) * blocks_per_probe;
        pass.result
    }
}

/// The state of a pass.
struct Pass<'a> {
    context: &'a EncodeContext<'a>,
    settings: &'a PassSettings,
    steps: Vec<f32>,
    cross_predictor: CrossPredictor,
    without_cross: CrossPredictor,
    width: usize,
    knots: Vec<f32>,
    rows: Vec<f32>,
    predicted: Vec<f32>,
    means: Vec<Mean>,
    frame: FrameCoder<'a>,
    lost_from_m: f64,
    result: PassResult,
}

impl<'a> Pass<'a> {
    fn new(context: &'a EncodeContext<'a>, settings: &'a PassSettings, lost_from_m: f64) -> Self {
        let width = context.coded.len();
        Self {
            context,
            settings,
            steps: settings.grid.steps(),
            cross_predictor: CrossPredictor::new(&settings.links, &settings.grid),
            // The first knot is predicted from nothing: there, channels say
            // nothing of one another.
            without_cross: CrossPredictor::new(&vec![Vec::new(); width], &settings.grid),
            width,
            knots: Vec::new(),
            rows: vec![0.0; (BLOCK + 1) * width],
            predicted: vec![0.0; width],
            means: vec![0; width],
            frame: FrameCoder::new(context, settings),
            lost_from_m,
            result: PassResult::default(),
        }
    }

    /// Whether an error already found makes the rest pointless.
    fn is_lost(&self) -> bool {
        self.result.worst_m > self.lost_from_m
    }

    fn knots(&mut self, keep: bool) {
        let mut model = KnotModel::new(self.width);
        if self.width == 0 {
            return;
        }
        for knot in 0..=self.context.blocks() {
            stream::predict_next_knot(&self.knots, self.width, &mut self.predicted);
            let dequantiser = Dequantiser {
                steps: &self.steps[..self.width],
                boost: 1.0,
                cross_predictor: if knot == 0 {
                    &self.without_cross
                } else {
                    &self.cross_predictor
                },
            };
            let means = model.next_means();
            let worst = self
                .frame
                .code(knot * BLOCK, 0, &self.predicted, dequantiser, means);
            self.result.worst_m = self.result.worst_m.max(worst);
            self.result.bits += f64::from(model.write(&self.frame.residuals, None));
            self.knots.extend_from_slice(&self.frame.row);
            if keep {
                self.result.knots.push(self.frame.residuals.clone());
            }
            if self.is_lost() {
                return;
            }
        }
    }

    fn block(&mut self, block: usize, keep: bool) {
        let mut bits = 0.0;
        let mut worst = 0.0;
        // Boosts from none upwards: the first that holds is the cheapest.
        for boost in 0..BOOSTS.len() {
            let mut encoder = keep.then(Encoder::default);
            (bits, worst) = self.block_with(block, boost, encoder.as_mut());
            if worst <= self.settings.tolerance_m || boost + 1 == BOOSTS.len() {
                self.result.boosted += f64::from(u8::from(boost > 0));
                if let Some(mut encoder) = encoder {
                    self.result.blocks.push(encoder.finish(LANES));
                }
                break;
            }
        }
        self.result.bits += bits + STREAM_BITS;
        self.result.worst_m = self.result.worst_m.max(worst);
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
        let (first, last) = (
            &self.knots[first..first + width],
            &self.knots[last..last + width],
        );
        self.rows[..width].copy_from_slice(first);
        self.rows[BLOCK * width..].copy_from_slice(last);
        let neighbours = Neighbours {
            before: block.checked_sub(1).and_then(knot),
            after: knot(block + 2),
        };
        let grid = &self.settings.grid;
        grid.start_means(
            [first, last],
            &self.steps[width..2 * width],
            &mut self.means,
        );
        // A boost takes the unlikely flag, 4 bits, and 2 that say which.
        let (mut bits, mut worst) = (if boost > 0 { 6.0 } else { 0.1 }, 0.0f64);
        let mut last_level = 1;
        for (level, at) in frame_order::order() {
            if level != last_level {
                grid.next_level(&mut self.means);
                last_level = level;
            }
            frame_order::predict(&self.rows, neighbours, (level, at), &mut self.predicted);
            let row = &mut self.rows[at * width..(at + 1) * width];
            if block * BLOCK + at >= self.context.frames {
                // Past the clip's end nothing is coded; the decoder has the
                // prediction.
                row.copy_from_slice(&self.predicted);
                continue;
            }
            let dequantiser = Dequantiser {
                steps: &self.steps[level * width..(level + 1) * width],
                boost: BOOSTS[boost],
                cross_predictor: &self.cross_predictor,
            };
            let index = block * BLOCK + at;
            let coded = self
                .frame
                .code(index, level, &self.predicted, dequantiser, &self.means);
            worst = worst.max(coded);
            if worst > self.lost_from_m {
                // Another boost may hold, or none.
                break;
            }
            row.copy_from_slice(&self.frame.row);
            bits += f64::from(rows::write_row(
                &mut self.means,
                &self.frame.residuals,
                encoder.as_deref_mut(),
            ));
        }
        (bits, worst)
    }
}
