//! `--script`: a character driven as by the keyboard, recorded tick by tick,
//! so that pictures can ask for any of its moments.

use std::{sync::Arc, time::Instant};

use super::args::RenderArgs;
use crate::{
    animator::{Driver, Script, TICK_RATE, TraceLine},
    cli::{Failure, message},
    load::{self, CastFiles, LoadError},
    model::Model,
    skeleton::{Skeleton, WorldPose},
};

/// Seconds that a performance goes on after its last input.
const SETTLE_SECS: f64 = 2.0;
/// Longest performance, an hour of ticks.
const MAX_TICKS: usize = 3600 * TICK_RATE as usize;

/// What a driven character did.
pub(super) struct Performance {
    pub skeleton: Arc<Skeleton>,
    /// Its own meshes.
    pub model: Option<Arc<Model>>,
    /// World poses, one a tick.
    poses: Vec<WorldPose>,
    pub trace: Vec<TraceLine>,
}

impl Performance {
    /// Runs the script, `None` being an empty one.
    pub fn run(args: &RenderArgs) -> Result<Self, Failure> {
        let script = read_script(args)?;
        let onto = args.onto.load()?;
        let from = CastFiles {
            animator: args.animator.as_deref(),
            files: &args.files,
            onto: onto.as_ref(),
        };
        let cast = load::cast(from, args.load_options())?;
        if !cast.unused.is_empty() {
            let names = cast.unused.join(", ");
            message(&format!("no state plays {names}: give STATE=FILE"));
        }
        let asked = args
            .frames
            .as_ref()
            .map_or(args.frame, |range| Some(range.end - 1));
        let own = ((script.end_secs() + SETTLE_SECS) * TICK_RATE).ceil();
        let ticks = asked.map_or(own as usize, |last| last.max(own as usize));
        if own > MAX_TICKS as f64 || ticks > MAX_TICKS {
            let text = "a performance lasts at most an hour";
            return Err(Failure::Usage(text.into()));
        }
        let skeleton = Arc::clone(&cast.graph.skeleton);
        let mut driver = Driver::new(cast.graph, &script, TICK_RATE);
        let mut performance = Self {
            skeleton,
            model: cast.model,
            poses: Vec::with_capacity(ticks + 1),
            trace: Vec::new(),
        };
        for _ in 0..=ticks {
            performance.record(&mut driver);
        }
        Ok(performance)
    }

    fn record(&mut self, driver: &mut Driver) {
        let started = Instant::now();
        let mut frame = driver.step();
        frame.trace.frame_ms = started.elapsed().as_secs_f64() * 1e3;
        let mut world = WorldPose::default();
        world.place(frame.world_from_model, frame.model);
        self.poses.push(world);
        self.trace.push(frame.trace);
    }

    pub fn frames(&self) -> usize {
        self.poses.len()
    }

    /// The pose at any moment: between two ticks, between their poses.
    pub fn pose_at(&self, secs: f64) -> WorldPose {
        let last = self.poses.len() - 1;
        let position = (secs * TICK_RATE).clamp(0.0, last as f64);
        let before = (position as usize).min(last);
        let mut pose = self.poses[before].clone();
        let rest = (position - before as f64) as f32;
        if rest > 1e-4 {
            let after = self.poses[(before + 1).min(last)].joints();
            for (joint, &after) in pose.joints_mut().iter_mut().zip(after) {
                *joint = joint.lerp(after, rest);
            }
        }
        pose
    }
}

fn read_script(args: &RenderArgs) -> Result<Script, Failure> {
    let Some(path) = &args.script else {
        return Ok(Script::default());
    };
    let text = String::from_utf8_lossy(&load::read(path)?).into_owned();
    Script::parse(&text).map_err(|error| {
        Failure::File(LoadError::Animator {
            path: path.clone(),
            message: error.to_string(),
        })
    })
}
