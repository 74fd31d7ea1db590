//! What is to be seen: the scene that the arguments ask for, and its moments.

use std::{path::Path, sync::Arc, time::Instant};

use super::args::RenderArgs;
use crate::{
    animator::{Cast, TICK_RATE, TraceLine},
    body::BodyCache,
    cli::{Failure, frames, message, performance},
    clip::{EventTrack, Wrap},
    import::builtin,
    load::{self, Loaded, LoadedMotion, PoseFile},
    output::Staged,
    posing::PoseAction,
    scene::{CameraMode, Character, ClothKnobs, Performance, Scene, outline},
    skeleton::WorldPose,
};

/// Moments looked at to find a camera for all of them.
const FRAMING_POSES: usize = 24;

/// A scene and the moments of it to draw.
pub(in crate::cli) struct Show {
    pub scene: Scene,
    moments: Vec<Moment>,
    /// Poses at some of the moments, for the camera.
    framing: Vec<WorldPose>,
    trace: Vec<TraceLine>,
}

/// One picture: the frame it is named after and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) struct Moment {
    pub frame: usize,
    pub secs: f64,
    /// Seconds since the picture before.
    dt_secs: f64,
}

impl Show {
    /// What is written besides pictures goes to `staged`.
    pub fn load(args: &RenderArgs, staged: &mut Staged) -> Result<Self, Failure> {
        let mut show = match args.is_driven() {
            true => Self::driven(args, staged)?,
            false => Self::of_motions(args, staged)?,
        };
        show.check(args)?;
        show.set_options(args);
        Ok(show)
    }

    /// A character under a script. It is run through once beforehand, for the
    /// trace and for the camera, which has to know what is to come.
    fn driven(args: &RenderArgs, staged: &mut Staged) -> Result<Self, Failure> {
        let performance = args.performance();
        let cast = performance.cast()?;
        let options = args.load_options();
        let driven = performance.character(options, staged)?;
        let ticks = ticks(args, &cast)?;
        let moments = moments(args, ticks + 1, TICK_RATE)?;
        let mut bodies = BodyCache::default();
        let rehearsed = performance.performer(&driven, &cast.lead, &mut bodies)?;
        let rehearsed = Performance::new(rehearsed, &cast.lead, TICK_RATE);
        let (mut trace, framing) = rehearse(rehearsed, ticks, &moments);
        if args.trace.is_some() {
            let scene = performance.stage(&driven, &cast, options, &mut bodies)?;
            if performance::lead_heeds_others(&cast) {
                trace = performance::trace_among_others(scene, ticks).collect();
            } else {
                let others = performance::trace_others(scene, ticks);
                let lines = trace.iter_mut().zip(others);
                lines.for_each(|(line, others)| line.characters = others);
            }
        }
        let mut scene = performance.stage(&driven, &cast, options, &mut bodies)?;
        let mut lead = scene.characters.remove(0);
        do_to_pose(args, &mut lead, &mut scene, &mut bodies)?;
        scene.characters.insert(0, lead);
        Ok(Self {
            scene,
            moments,
            framing,
            trace,
        })
    }

    /// The first motion given, with the second to compare it with; the
    /// performer when none is.
    fn of_motions(args: &RenderArgs, staged: &mut Staged) -> Result<Self, Failure> {
        let mut bodies = BodyCache::default();
        let wants_two = args.display.compare || args.display.errors.is_some();
        let tells = args.display.events || args.trace.is_some();
        let (mut lead, frames, other) = match subject(args, staged)? {
            Subject::Skeleton(skeleton) => (skeleton.character(&mut bodies), 1, None),
            Subject::Motions(mut motions) => {
                if !wants_two && motions.len() > 1 {
                    let count = motions.len();
                    message(&format!("{count} motions given: the first is drawn"));
                }
                // The order of the others is lost, and nobody asks for it.
                let other = (motions.len() > 1).then(|| motions.swap_remove(1));
                let lead = &motions[0];
                let frames = lead.sampler().frames();
                let events = match tells {
                    true => lead.events(),
                    false => EventTrack::default(),
                };
                let mut lead = lead.character(&mut bodies);
                lead.staging.events = events;
                (lead, frames, other)
            }
        };
        let other = other.filter(|_| wants_two);
        if wants_two {
            let Some(other) = &other else {
                let text =
                    "--compare and --errors need two motions: the one shown and its reference";
                return Err(Failure::Usage(text.into()));
            };
            if args.display.errors.is_some() {
                hold_to(&mut lead, other)?;
            }
        }
        lead.sample_between_frames(args.display.sampling);
        let moments = moments(args, frames, lead.fps())?;
        let mut scene = Scene::default();
        do_to_pose(args, &mut lead, &mut scene, &mut bodies)?;
        let stride = moments.len().div_ceil(FRAMING_POSES).max(1);
        let framing = moments.iter().step_by(stride);
        let framing: Vec<WorldPose> = framing.map(|it| lead.pose_at(it.secs)).collect();
        let line = |moment: &Moment| TraceLine {
            t: moment.secs,
            mode: "view".to_owned(),
            root: lead.pose_at(moment.secs).joints()[0].position().to_array(),
            posing: lead.posing_trace(),
            events: events_of(&lead, moment),
            ..TraceLine::default()
        };
        let trace = match args.trace {
            Some(_) => moments.iter().map(line).collect(),
            None => Vec::new(),
        };
        scene.set_lead(lead);
        if let Some(other) = other.filter(|_| args.display.compare) {
            let mut other = other.character(&mut bodies);
            other.see_through = true;
            scene.characters.push(other);
        }
        Ok(Self {
            scene,
            moments,
            framing,
            trace,
        })
    }

    fn check(&self, args: &RenderArgs) -> Result<(), Failure> {
        let paths = args.display.trajectory.iter().flatten();
        let named = args.view.look_at.iter().chain(&args.display.weights);
        for name in paths.chain(named) {
            let lead = self.scene.lead();
            if lead.is_none_or(|lead| lead.skeleton.find(name).is_none()) {
                return Err(Failure::Usage(format!(
                    "the skeleton has no joint named {name:?}"
                )));
            }
        }
        self.check_camera(args)
    }

    fn check_camera(&self, args: &RenderArgs) -> Result<(), Failure> {
        let Some(wanted) = &args.view.camera else {
            return Ok(());
        };
        let names: Vec<&str> = self
            .scene
            .file_cameras()
            .map(|it| it.name.as_str())
            .collect();
        if names.contains(&wanted.as_str()) {
            return Ok(());
        }
        let there = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", names.join(", ")),
        };
        Err(Failure::Usage(format!(
            "the file has no camera named {wanted:?}; {there}"
        )))
    }

    fn set_options(&mut self, args: &RenderArgs) {
        let Some(lead) = self.scene.characters.first() else {
            return;
        };
        let joint = |name: &String| lead.skeleton.find(name);
        let mut options = args.view_options();
        options.weights_of = args.display.weights.as_ref().and_then(joint);
        options.look_at = args.view.look_at.as_ref().and_then(joint);
        let paths = args.display.trajectory.iter().flatten();
        options.path_joints = paths.filter_map(joint).collect();
        let look = options.cloth;
        self.scene.options = options;
        let mut knobs = ClothKnobs::of(args.display.cloth, look);
        knobs.settings.kinds = args.display.cloth_kinds;
        knobs.contact = args.display.cloth_contact.unwrap_or(knobs.contact);
        let mut solids = args.display.solid.iter().copied();
        knobs.solids = std::array::from_fn(|_| solids.next());
        self.scene.cloth.set(knobs.by_solvers(&args.display.solver));
        // A clip ends with its last frame, however times are rounded.
        self.scene.clock.wrap = Wrap::Once;
    }

    /// Seconds from one picture to the next.
    pub fn frame_secs(&self) -> f64 {
        match self.moments.as_slice() {
            [first, second, ..] => second.secs - first.secs,
            _ => 0.0,
        }
    }

    /// What moves.
    pub fn name(&self) -> &str {
        let lead = self.scene.lead();
        lead.map_or("sprite", |lead| lead.name.as_str())
    }

    /// The moments to draw.
    pub fn moments(&self) -> Vec<Moment> {
        self.moments.clone()
    }

    /// One line a simulated frame: every tick of a driven character, every
    /// picture of a motion that is merely shown.
    pub fn trace(&self) -> &[TraceLine] {
        &self.trace
    }

    /// Hangs the cloth and finds a camera on which every moment fits, and the
    /// cloth as it begins.
    pub fn aim(&mut self, args: &RenderArgs, size: [u32; 2]) -> Result<(), Failure> {
        self.scene.hang_cloth();
        if let Some(error) = self.scene.cloth.fault() {
            return Err(Failure::Other(anyhow::Error::new(error.clone())));
        }
        let (Some(lead), Some(first)) = (self.scene.characters.first_mut(), self.framing.first())
        else {
            return Ok(());
        };
        // Over the moments to be drawn instead of the whole motion: a picture
        // of one jump shall not leave room for the run-up.
        lead.measure(&self.framing);
        let start = lead.footing_in(first);
        let mut points = lead.outline.to_vec();
        if let Some(cloth) = self.scene.cloth.cloth() {
            if args.view.still {
                // Who walks away from a camera that stays shall stay in it.
                let from = points.len();
                let poses = self.framing.iter();
                poses.for_each(|pose| outline(&lead.body, pose, &mut points));
                points[from..].iter_mut().for_each(|point| *point -= start);
            }
            points.extend(cloth.room().map(|point| point - start));
            for (_, offset, other) in self.scene.cloth.others() {
                points.extend(lead.outline.iter().map(|point| *point + offset));
                points.extend(other.room().map(|point| point - start));
            }
        }
        let (facing, look_at) = (lead.facing, self.scene.options.look_at);
        let others = self.scene.characters.iter().skip(1);
        for other in others.filter(|it| !it.see_through) {
            let from = points.len();
            outline(&other.body, other.world_pose(), &mut points);
            points[from..].iter_mut().for_each(|point| *point -= start);
        }
        let camera = &mut self.scene.camera;
        camera.aspect = size[0] as f32 / size[1] as f32;
        camera.look_from(args.preset(), facing);
        let turned = camera.camera.azimuth_rad;
        camera.camera.azimuth_rad -= args.view.azimuth.to_radians();
        if let Some(offset) = self.scene.offset_beside() {
            let lead = points.clone();
            points.extend(lead.iter().map(|point| *point + offset));
        }
        let camera = &mut self.scene.camera;
        camera.camera.azimuth_rad = turned;
        camera.frame(&points, start);
        camera.camera.orbit(
            -args.view.azimuth.to_radians(),
            args.view.elevation.to_radians(),
        );
        // After framing, which would undo it.
        camera.camera.zoom(args.view.zoom);
        if let Some(joint) = look_at {
            camera.look_at(first.joints()[usize::from(joint)].position());
        }
        self.scene.settle_cloth(args.display.cloth_lead);
        Ok(())
    }

    /// Brings the scene to a moment.
    pub fn go_to(&mut self, moment: Moment, args: &RenderArgs) {
        let scene = &mut self.scene;
        let first = self.moments.first() == Some(&moment);
        scene.clock.playing = true;
        if scene.cloth.is_in_use() {
            // Cloth has a past: it runs through all that lies between.
            let camera = scene.camera;
            scene.step(if first { moment.secs } else { moment.dt_secs });
            if first {
                scene.camera = camera;
            }
        } else {
            // Back by a step and on again, for a camera that follows has to see
            // time pass.
            scene.clock.seek(moment.secs - moment.dt_secs);
            scene.step(moment.dt_secs);
        }
        // A sheet of poses jumps from one to the next; a sequence glides.
        let is_sheet = args.sheet || args.sprites;
        if is_sheet && scene.options.display.camera != CameraMode::Still {
            scene.jump_camera();
        }
        if args.sheet {
            scene.options.caption = Some(moment.frame.to_string());
        }
        if let Some((_, solver)) = scene.cloth.take_torn() {
            let (frame, solver) = (moment.frame, solver.title());
            message(&format!(
                "frame {frame}: the cloth blew up by {solver} and was reset"
            ));
        }
    }
}

/// Does to the lead what the arguments say, as if it had been done long ago.
fn do_to_pose(
    args: &RenderArgs,
    lead: &mut Character,
    scene: &mut Scene,
    bodies: &mut BodyCache,
) -> Result<(), Failure> {
    for action in &args.display.pose {
        if let Some(file) = PoseFile::read(action, Path::new(""))? {
            let name = action.file().unwrap_or_default();
            file.give(name, lead);
            file.show(name, scene, bodies);
        }
        let done = lead.act(action);
        done.map_err(|error| Failure::Usage(format!("--pose \"{action}\": {error}")))?;
    }
    for action in &args.display.morph {
        let done = lead.act(action);
        done.map_err(|error| Failure::Usage(format!("--morph: {error}")))?;
    }
    if args.display.rest {
        let done = lead.act(&PoseAction::Rest(true));
        done.map_err(|error| Failure::Usage(error.to_string()))?;
    }
    lead.posing_mut().settle();
    Ok(())
}

/// What a motion comes by on the way to a picture.
fn events_of(lead: &Character, moment: &Moment) -> Vec<String> {
    let mut names = Vec::new();
    // The first picture is at its own moment, and a moment counts as passed.
    let from = moment.secs - moment.dt_secs.max(1e-9);
    let (events, duration) = (&lead.staging.events, lead.duration_secs());
    events.passed(from, moment.secs, duration, Wrap::Once, |event| {
        names.push(event.name.clone());
    });
    names
}

/// Who is seen.
enum Subject {
    /// Nobody who moves.
    Skeleton(Arc<load::LoadedSkeleton>),
    /// At least one.
    Motions(Vec<LoadedMotion>),
}

fn subject(args: &RenderArgs, staged: &mut Staged) -> Result<Subject, Failure> {
    let (mut motions, mut skeletons) = (Vec::new(), Vec::new());
    if args.files.is_empty() {
        motions.push(built_in(args)?);
        motions = args.onto.motions(motions, staged)?;
    } else {
        for (_, outcome) in load::load(&args.files, args.load_options()) {
            match outcome? {
                Loaded::Skeleton(skeleton) => skeletons.push(skeleton),
                Loaded::Motion(motion) => motions.push(*motion),
            }
        }
        if args.onto.is_given() {
            skeletons.clear();
        }
        motions = args.onto.motions(motions, staged)?;
        if let Some(clip) = &args.clip {
            motions = named(motions, clip)?;
        }
    }
    match (motions.is_empty(), skeletons.into_iter().next()) {
        (false, _) => Ok(Subject::Motions(motions)),
        (true, Some(skeleton)) => Ok(Subject::Skeleton(skeleton)),
        (true, None) => Err(Failure::Usage("there is no motion to draw".into())),
    }
}

fn named(motions: Vec<LoadedMotion>, clip: &str) -> Result<Vec<LoadedMotion>, Failure> {
    let (wanted, others): (Vec<_>, Vec<_>) = motions.into_iter().partition(|it| it.name == clip);
    if wanted.is_empty() && !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|it| it.name.as_str()).collect();
        let text = format!("no clip of that name; there are {}", names.join(", "));
        return Err(Failure::Usage(text));
    }
    Ok(wanted)
}

/// The performer in one of its clips.
fn built_in(args: &RenderArgs) -> Result<LoadedMotion, Failure> {
    let name = args.clip.as_deref().unwrap_or("idle");
    load::performer_clip(name, args.load_options())?.ok_or_else(|| {
        let names: Vec<_> = builtin::CLIPS.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        Failure::Usage(format!("no built-in clip {name:?}; there are {names}"))
    })
}

/// Measures the lead against another motion of its skeleton.
fn hold_to(lead: &mut Character, other: &LoadedMotion) -> Result<(), Failure> {
    if lead.skeleton.len() != other.skeleton().len() {
        let text = "--errors needs two motions of one skeleton";
        return Err(Failure::Usage(text.into()));
    }
    lead.set_reference(Some(other.sampler()));
    Ok(())
}

/// Ticks of a performance: to the end of its script, or the last frame asked
/// for.
fn ticks(args: &RenderArgs, cast: &Cast) -> Result<usize, Failure> {
    let range = args.frames.as_ref();
    let asked = range.map_or(args.frame, |range| Some(range.end - 1));
    // The whole script, even when an earlier frame is asked for: the trace is
    // of all of it.
    let own = performance::ticks(cast)?;
    let ticks = asked.map_or(own, |last| last.max(own));
    performance::check_secs(ticks as f64 / TICK_RATE)?;
    Ok(ticks)
}

/// Runs a script through: a trace line for every tick, a pose for some moments.
fn rehearse(
    mut performance: Performance,
    ticks: usize,
    moments: &[Moment],
) -> (Vec<TraceLine>, Vec<WorldPose>) {
    let stride = moments.len().div_ceil(FRAMING_POSES).max(1);
    let mut framed = moments.iter().step_by(stride).peekable();
    let (mut trace, mut framing) = (Vec::with_capacity(ticks + 1), Vec::new());
    for tick in 0..=ticks {
        let started = Instant::now();
        let mut line = performance.step();
        line.frame_ms = started.elapsed().as_secs_f64() * 1e3;
        while framed
            // A moment that falls on a tick may be rounded to just after it.
            .next_if(|it| it.secs * TICK_RATE <= tick as f64 + 1e-6)
            .is_some()
        {
            framing.push(performance.character.world_pose().clone());
        }
        trace.push(line);
    }
    performance::tell_faults(&mut performance.character);
    (trace, framing)
}

/// The moments to draw, by the arguments' frames and rate.
fn moments(args: &RenderArgs, available: usize, fps: f64) -> Result<Vec<Moment>, Failure> {
    let range = args.frames.clone().unwrap_or(0..available);
    let last = args.frame.unwrap_or(range.end - 1);
    frames::check(last, available, "the motion")?;
    let single = args.extension().as_deref() == Some("png") && !args.sheet && !args.sprites;
    if args.frame.is_some() || (single && args.frames.is_none()) {
        let frame = args.frame.unwrap_or(0);
        return Ok(vec![Moment {
            frame,
            secs: frame as f64 / fps,
            dt_secs: 0.0,
        }]);
    }
    if single {
        let text = "several frames need a folder, a .gif, .mp4 or .webm, or --sheet";
        return Err(Failure::Usage(text.into()));
    }
    // A sheet reaches from the first frame to the last; a sequence keeps an
    // even rate and may end before the last.
    let (count, step) = if args.sprites {
        // The last frame of a cycle is its first again: sprites that are played
        // over and over leave it out.
        let count = (args.poses as usize).min(range.len());
        (count, (range.len() - 1).max(1) as f64 / count as f64)
    } else if args.sheet {
        let count = (args.poses as usize).min(range.len());
        (count, (range.len() - 1) as f64 / (count - 1).max(1) as f64)
    } else {
        let rate = match args.is_film() {
            true => args.film_fps(),
            false => args.fps.unwrap_or(fps),
        };
        let step = fps / rate;
        (((range.len() - 1) as f64 / step).floor() as usize + 1, step)
    };
    Ok((0..count)
        .map(|index| {
            let position = range.start as f64 + index as f64 * step;
            Moment {
                frame: position.round() as usize,
                secs: position / fps,
                dt_secs: if index == 0 { 0.0 } else { step / fps },
            }
        })
        .collect())
}
