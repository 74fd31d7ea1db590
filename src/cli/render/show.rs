//! What is to be seen: the loaded motions, the chosen moments, the camera.

use std::sync::Arc;

use glam::Vec3;

use super::{args::RenderArgs, drive::Performance};
use crate::{
    animator::{TICK_RATE, TraceLine},
    body::{Body, BodyCache, BodySolids, BoneSolid},
    cli::{Failure, message},
    clip::{ClipCursor, RawClip, SampleClip, TrackClip},
    import::builtin,
    load::{self, LoadError, Loaded},
    scene::{
        Actor, Camera, ClothInstance, FrameData, Legend, ROLES, footing, motion_room, outline,
    },
    skeleton::{LocalPose, ModelPose, Skeleton, WorldPose},
};

/// One motion on its skeleton.
struct Take {
    skeleton: Arc<Skeleton>,
    body: Arc<Body>,
    motion: Motion,
}

/// Where poses come from.
enum Motion {
    /// A bare skeleton has its rest pose alone.
    Rest,
    Clip(RawClip),
    /// Keys, and the frames that they count as.
    Tracks(Arc<TrackClip>, RawClip),
    Driven(Performance),
}

/// Everything loaded; the first take is the one shown.
pub(super) struct Show {
    takes: Vec<Take>,
}

/// One picture: the frame it is named after and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    pub frame: usize,
    pub secs: f64,
    /// Seconds since the picture before.
    pub dt_secs: f32,
}

impl Take {
    fn pose_at(&self, secs: f64) -> WorldPose {
        let mut local = LocalPose::default();
        match &self.motion {
            Motion::Driven(performance) => return performance.pose_at(secs),
            Motion::Clip(clip) => {
                clip.sample(&self.skeleton, secs, &mut ClipCursor::default(), &mut local);
            }
            Motion::Tracks(tracks, _) => {
                tracks.sample(&self.skeleton, secs, &mut ClipCursor::default(), &mut local);
            }
            Motion::Rest => local.copy_from(self.skeleton.rest()),
        }
        let mut model = ModelPose::default();
        model.compute(&self.skeleton, &local);
        let mut pose = WorldPose::from(model);
        // A model stands as it was made.
        if matches!(self.motion, Motion::Rest) && self.body.model().is_none() {
            stand_on_ground(&self.skeleton, &mut pose);
        }
        pose
    }

    fn actor<'a>(&'a self, pose: &'a WorldPose) -> Actor<'a> {
        Actor {
            skeleton: &self.skeleton,
            body: &self.body,
            pose,
        }
    }

    fn frames(&self) -> usize {
        match &self.motion {
            Motion::Rest => 1,
            Motion::Clip(clip) | Motion::Tracks(_, clip) => clip.frames(),
            Motion::Driven(performance) => performance.frames(),
        }
    }

    fn fps(&self) -> f64 {
        match &self.motion {
            Motion::Rest => 30.0,
            Motion::Clip(clip) | Motion::Tracks(_, clip) => clip.fps,
            Motion::Driven(_) => TICK_RATE,
        }
    }

    /// Time of the last frame.
    fn end_secs(&self) -> f64 {
        (self.frames() - 1) as f64 / self.fps()
    }
}

/// A skeleton at rest has its root in the origin: lift it onto its feet.
fn stand_on_ground(skeleton: &Skeleton, pose: &mut WorldPose) {
    let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint).y);
    let lowest = ends.fold(f32::MAX, f32::min);
    let lift = Vec3::Y * (0.02 - lowest);
    for joint in pose.joints_mut() {
        joint.translation += glam::Vec3A::from(lift);
    }
}

impl Show {
    pub fn load(args: &RenderArgs) -> Result<Self, Failure> {
        if args.is_driven() {
            return Self::driven(args);
        }
        if args.files.is_empty() {
            return Self::built_in(args);
        }
        let mut bodies = BodyCache::default();
        let mut takes = Vec::new();
        let mut skeletons = Vec::new();
        let mut others = Vec::new();
        let outcomes = load::load(&args.files, args.load_options());
        let loaded = outcomes.into_iter().map(|(_, outcome)| outcome);
        let loaded = loaded.collect::<Result<Vec<Loaded>, LoadError>>()?;
        for loaded in args.onto.apply(loaded)? {
            match loaded {
                Loaded::Skeleton(file) => skeletons.push(file),
                Loaded::Motion(file) => {
                    let wanted = |name: &String| *name == file.imported.clip.name;
                    if !args.clip.as_ref().is_none_or(wanted) {
                        others.push(file.imported.clip.name);
                        continue;
                    }
                    let skeleton = Arc::new(file.skeleton.imported.skeleton.clone());
                    takes.push(Take {
                        body: bodies.dressed(&skeleton, file.skeleton.model.as_ref()),
                        skeleton,
                        motion: match file.tracks {
                            Some(tracks) => Motion::Tracks(tracks, file.imported.clip),
                            None => Motion::Clip(file.imported.clip),
                        },
                    });
                }
                Loaded::Compressed(file) => {
                    for clip in &file.kin.clips {
                        let skeleton = &file.kin.skeletons[clip.skeleton].skeleton;
                        let skeleton = Arc::new(skeleton.clone());
                        takes.push(Take {
                            body: bodies.get(&skeleton),
                            motion: Motion::Clip(RawClip::sampled_from(
                                &clip.name, &skeleton, &clip.clip,
                            )),
                            skeleton,
                        });
                    }
                }
            }
        }
        if takes.is_empty() && !others.is_empty() {
            let text = format!("no clip of that name; there are {}", others.join(", "));
            return Err(Failure::Usage(text));
        }
        if takes.is_empty() {
            takes.extend(skeletons.iter().map(|file| {
                let skeleton = Arc::new(file.imported.skeleton.clone());
                Take {
                    body: bodies.dressed(&skeleton, file.model.as_ref()),
                    skeleton,
                    motion: Motion::Rest,
                }
            }));
        }
        let show = Self { takes };
        show.check(args)?;
        Ok(show)
    }

    /// A character under a script.
    fn driven(args: &RenderArgs) -> Result<Self, Failure> {
        let performance = Performance::run(args)?;
        let skeleton = Arc::clone(&performance.skeleton);
        let take = Take {
            body: BodyCache::default().dressed(&skeleton, performance.model.as_ref()),
            skeleton,
            motion: Motion::Driven(performance),
        };
        let show = Self { takes: vec![take] };
        show.check(args)?;
        Ok(show)
    }

    /// One line a simulated frame: every tick of a driven character, every
    /// picture of a motion that is merely shown.
    pub fn trace(&self, moments: &[Moment]) -> Vec<TraceLine> {
        let take = &self.takes[0];
        if let Motion::Driven(performance) = &take.motion {
            return performance.trace.clone();
        }
        let line = |moment: &Moment| TraceLine {
            t: moment.secs,
            mode: "view".to_owned(),
            root: take.pose_at(moment.secs).joints()[0].position().to_array(),
            ..TraceLine::default()
        };
        moments.iter().map(line).collect()
    }

    /// The performer in one of its clips.
    fn built_in(args: &RenderArgs) -> Result<Self, Failure> {
        let name = args.clip.as_deref().unwrap_or("idle");
        let Some(motion) = load::performance(name, args.load_options())? else {
            let names: Vec<_> = builtin::CLIPS.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(Failure::Usage(format!(
                "no built-in clip {name:?}; there are {names}"
            )));
        };
        let carried = args.onto.motions(&[motion])?;
        let Some(motion) = carried.into_iter().next() else {
            return Err(Failure::Usage("there is no motion to draw".into()));
        };
        let skeleton = Arc::new(motion.skeleton.imported.skeleton.clone());
        let take = Take {
            body: BodyCache::default().dressed(&skeleton, motion.skeleton.model.as_ref()),
            skeleton,
            motion: Motion::Clip(motion.imported.clip),
        };
        let show = Self { takes: vec![take] };
        show.check(args)?;
        Ok(show)
    }

    fn check(&self, args: &RenderArgs) -> Result<(), Failure> {
        let wants_two = args.display.compare || args.display.errors.is_some();
        if wants_two && self.takes.len() < 2 {
            let text = "--compare and --errors need two motions: the one shown and its reference";
            return Err(Failure::Usage(text.into()));
        }
        if args.display.errors.is_some()
            && self.takes[0].skeleton.len() != self.takes[1].skeleton.len()
        {
            return Err(Failure::Usage(
                "--errors needs two motions of one skeleton".into(),
            ));
        }
        if !wants_two && self.takes.len() > 1 {
            message(&format!(
                "{} motions given: the first is drawn",
                self.takes.len()
            ));
        }
        let named = args
            .display
            .trajectory
            .iter()
            .flatten()
            .chain(&args.view.look_at);
        for name in named {
            if self.takes[0].skeleton.find(name).is_none() {
                return Err(Failure::Usage(format!(
                    "the skeleton has no joint named {name:?}"
                )));
            }
        }
        Ok(())
    }

    /// The moments to draw, by the arguments' frames and rate.
    pub fn moments(&self, args: &RenderArgs) -> Result<Vec<Moment>, Failure> {
        let take = &self.takes[0];
        let available = take.frames();
        let range = args.frames.clone().unwrap_or(0..available);
        let last = args.frame.unwrap_or(range.end - 1);
        if last >= available {
            return Err(Failure::Usage(format!(
                "frame {last} does not exist: the motion has {available} frames, 0 to {}",
                available - 1
            )));
        }
        let single = args.extension().as_deref() == Some("png") && !args.sheet;
        let secs_of = |frame: usize| frame as f64 / take.fps();
        if args.frame.is_some() || (single && args.frames.is_none()) {
            let frame = args.frame.unwrap_or(0);
            return Ok(vec![Moment {
                frame,
                secs: secs_of(frame),
                dt_secs: 0.0,
            }]);
        }
        if single {
            let text = "several frames need a folder, a .gif or --sheet";
            return Err(Failure::Usage(text.into()));
        }
        let (count, step) = if args.sheet {
            let count = (args.poses as usize).min(range.len());
            (count, (range.len() - 1) as f64 / (count - 1).max(1) as f64)
        } else {
            let default = if args.extension().is_some() {
                25.0
            } else {
                take.fps()
            };
            let step = take.fps() / args.fps.unwrap_or(default);
            (((range.len() - 1) as f64 / step).floor() as usize + 1, step)
        };
        let dt_secs = (step / take.fps()) as f32;
        Ok((0..count)
            .map(|index| {
                let position = range.start as f64 + index as f64 * step;
                Moment {
                    frame: position.round() as usize,
                    secs: position / take.fps(),
                    dt_secs: if index == 0 { 0.0 } else { dt_secs },
                }
            })
            .collect())
    }

    /// The cloth that was asked for, set up around the first frame.
    pub fn drape(&self, args: &RenderArgs) -> Result<Option<ClothInstance>, Failure> {
        let Some(preset) = args.display.cloth else {
            return Ok(None);
        };
        let take = &self.takes[0];
        let start_secs = -args.display.cloth_lead;
        let dressed = (&*take.skeleton, &*take.body);
        let pose = take.pose_at(0.0);
        let drape = ClothInstance::new(preset, dressed, &pose, start_secs);
        let drape = drape.map_err(|error| Failure::Other(anyhow::Error::new(error)))?;
        Ok(Some(drape))
    }

    /// Runs the cloth to a moment; the picture is of the step it comes to, so
    /// that body and cloth are seen at one time.
    pub fn run_cloth(&self, moment: &mut Moment, drape: &mut ClothInstance) {
        let blow_ups = drape.blow_ups();
        let take = &self.takes[0];
        drape.advance_to(moment.secs, |secs| take.pose_at(secs.max(0.0)));
        moment.secs = drape.time_secs().max(0.0);
        if drape.blow_ups() > blow_ups {
            message(&format!(
                "frame {}: the cloth blew up and was reset",
                moment.frame
            ));
        }
    }

    /// A camera on which every moment fits, and the cloth as it begins.
    pub fn camera(
        &self,
        args: &RenderArgs,
        moments: &[Moment],
        size: [u32; 2],
        drape: Option<&ClothInstance>,
    ) -> Camera {
        let take = &self.takes[0];
        let stride = moments.len().div_ceil(24).max(1);
        let poses: Vec<WorldPose> = moments
            .iter()
            .step_by(stride)
            .map(|m| take.pose_at(m.secs))
            .collect();
        let aspect = size[0] as f32 / size[1] as f32;
        let mut camera = Camera::on_motion(take.actor(&poses[0]), &poses, args.preset(), aspect);
        if let Some(drape) = drape {
            let mut room = motion_room(&take.body, &poses);
            if args.view.still {
                // Who walks away from a camera that stays shall stay in it.
                for pose in &poses {
                    let mut points = Vec::new();
                    outline(&take.body, pose, &mut points);
                    room.extend(points.into_iter().map(|point| point - footing(&poses[0])));
                }
            }
            room.extend(drape.room().map(|point| point - footing(&poses[0])));
            camera.frame_all(&room, aspect);
        }
        camera.target += footing(&poses[0]);
        camera.orbit(
            -args.view.azimuth.to_radians(),
            args.view.elevation.to_radians(),
        );
        camera.zoom(args.view.zoom);
        if let Some(joint) = self.looked_at(args) {
            camera.target = poses[0].joints()[joint].position();
        }
        camera
    }

    fn looked_at(&self, args: &RenderArgs) -> Option<usize> {
        let name = args.view.look_at.as_deref()?;
        self.takes[0].skeleton.find(name).map(usize::from)
    }

    /// Fills `frame` with one moment.
    pub fn compose(
        &self,
        args: &RenderArgs,
        moment: Moment,
        camera: &mut Camera,
        frame: &mut FrameData,
    ) {
        let take = &self.takes[0];
        let pose = take.pose_at(moment.secs);
        if !args.view.still {
            let goal = match self.looked_at(args) {
                Some(joint) => pose.joints()[joint].position(),
                None => footing(&pose) + Vec3::Y * camera.target.y,
            };
            // A sheet jumps from pose to pose; a sequence glides.
            let dt = if args.sheet { f32::MAX } else { moment.dt_secs };
            camera.follow(goal, dt);
        }
        frame.clear();
        self.dress(args, camera, frame);
        let errors = args
            .display
            .errors
            .map(|cm| self.errors(&pose, moment.secs, cm, frame));
        frame.push_actor(take.actor(&pose), args.overlay(), errors.as_deref());
        self.add_ghosts(args, moment, frame);
        if args.display.compare {
            let other = &self.takes[1];
            let pose = other.pose_at(moment.secs);
            frame.push_character(
                &other.body,
                &pose,
                crate::scene::Instance {
                    tint: [0.55, 0.85, 1.3],
                    opacity: 0.45,
                    shows_error: false,
                },
                None,
            );
        }
        if args.display.colliders && args.display.cloth.is_none() {
            let mut solids = Vec::new();
            BodySolids::fit(&take.skeleton, &take.body, BoneSolid::Obb).follow(
                &pose,
                &pose,
                &mut solids,
            );
            frame.push_solids(&solids);
        }
        self.add_trajectories(args, moment, frame);
        frame.caption.clone_from(&args.display.caption);
    }

    fn dress(&self, args: &RenderArgs, camera: &Camera, frame: &mut FrameData) {
        frame.camera = *camera;
        frame.skinning = args.skinning();
        let look = &mut frame.look;
        look.theme = args.theme();
        look.shading = args.shading();
        look.shadows = !args.display.no_shadows;
        look.occlusion = !args.display.no_occlusion;
        look.seams = !args.display.no_seams;
        look.ground = !args.display.no_ground;
        look.ground_y = self.takes[0].body.ground_y();
        look.transparent = args.display.transparent;
        look.light_from(camera.azimuth_rad);
    }

    /// Distance of every joint from the second take, as a share of `red_cm`.
    fn errors(&self, pose: &WorldPose, secs: f64, red_cm: f32, frame: &mut FrameData) -> Vec<f32> {
        let reference = self.takes[1].pose_at(secs);
        frame.legend = Some(Legend {
            title: "joint error".into(),
            low: "0 cm".into(),
            high: format!("{red_cm} cm"),
        });
        let pairs = pose.joints().iter().zip(reference.joints());
        let distance_cm = |(a, b): (&crate::math::Transform, &crate::math::Transform)| {
            (a.translation - b.translation).length() * 100.0
        };
        pairs
            .map(|pair| distance_cm(pair) / red_cm.max(1e-6))
            .collect()
    }

    fn add_ghosts(&self, args: &RenderArgs, moment: Moment, frame: &mut FrameData) {
        let Some(count) = args.display.ghosts else {
            return;
        };
        let take = &self.takes[0];
        let end = take.end_secs();
        for index in 1..=count {
            for side in [-1.0, 1.0] {
                let secs = moment.secs + side * index as f64 * args.display.ghost_step;
                if (0.0..=end).contains(&secs) {
                    let pose = take.pose_at(secs);
                    let age = side as f32 * index as f32 / (count + 1) as f32;
                    frame.push_ghost(take.actor(&pose), age);
                }
            }
        }
    }

    fn add_trajectories(&self, args: &RenderArgs, moment: Moment, frame: &mut FrameData) {
        let Some(names) = &args.display.trajectory else {
            return;
        };
        let take = &self.takes[0];
        let mut joints: Vec<usize> = names
            .iter()
            .filter_map(|name| take.skeleton.find(name).map(usize::from))
            .collect();
        if joints.is_empty() {
            joints.push(0);
        }
        // Two seconds back, in steps no eye can tell from a curve.
        let start = (moment.secs - 2.0).max(0.0);
        let steps = ((moment.secs - start) * 60.0).ceil() as usize;
        let poses: Vec<WorldPose> = (0..=steps)
            .map(|step| {
                take.pose_at(start + (moment.secs - start) * step as f64 / steps.max(1) as f64)
            })
            .collect();
        for (index, joint) in joints.into_iter().enumerate() {
            let points: Vec<Vec3> = poses
                .iter()
                .map(|pose| pose.joints()[joint].position())
                .collect();
            frame.push_trajectory(&points, ROLES[2 - index % 3].map(|c| c * 1.2));
        }
    }
}
