//! Valid files with extreme values, of every format, from the file on a disk
//! to the picture's data: read, sampled, driven, retargeted, composed with
//! bones, and with a grown body.
//!
//! None may panic, take five seconds, leave a number in [`FrameData`] that is
//! not finite, or more memory than its bound. `KINETOSCOPE_FUZZ_CASES` sets how
//! many; `make fuzz` runs 200,000, one in 40 of them with a grown body.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    cell::Cell,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use common::{drive::performer_clips, fuzz, wild::Wild};
use glam::{Affine3A, Vec3};
use kinetoscope::{
    animator::{self, ClipSet, DEFAULT_GRAPH, Input},
    body::Body,
    codec::{
        CodecSettings,
        kin::{Kin, KinClip, KinSkeleton},
        synthetic,
    },
    import::MotionOptions,
    load::{LoadOptions, Loaded, LoadedMotion, load},
    retarget::{JointMap, retarget},
    scene::{Character, Display, FrameData, Scene},
    skeleton::Skeleton,
    units::{LengthScale, LengthUnit},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What a case may take whatever its size, and for each byte of its files: what
/// the readers promise, and a picture of bones on top.
const SLACK_BYTES: usize = 256 << 20;
const BYTES_PER_BYTE: usize = 512;
/// On top for a grown body: the grid of its surface.
const GROWN_BYTES: usize = 1 << 30;
const PATIENCE: Duration = Duration::from_secs(5);
/// Cases that have broken something before; run whatever the number.
const KNOWN: [u64; 1] = [12_471];
/// One case in so many has a grown body.
const GROWN: u64 = 40;

/// What all cases share.
struct Stage {
    folder: tempfile::TempDir,
    performer: Arc<Skeleton>,
    clips: ClipSet,
    container: Vec<u8>,
}

/// How far a case came.
#[derive(Debug, Default)]
struct Tally {
    loaded: Cell<u64>,
    composed: Cell<u64>,
    grown: Cell<u64>,
    left_out: Cell<u64>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

fn container() -> Vec<u8> {
    let skeleton = synthetic::skeleton(12).unwrap();
    let raw = synthetic::clip_with_extras(12, 30, 1);
    let mut kin = Kin::default();
    for settings in CodecSettings::ALL {
        kin.clips.push(KinClip {
            name: "clip".into(),
            source: "clip.amc".into(),
            fps_assumed: false,
            animated: raw.animated.len(),
            settings,
            max_error_cm: 0.0,
            measure: Default::default(),
            skeleton: 0,
            clip: settings.compress(&skeleton, &raw).unwrap(),
            events: None,
        });
    }
    kin.add_skeleton(KinSkeleton {
        skeleton,
        source: "clip.asf".into(),
        length: LengthScale {
            unit: LengthUnit::Metre,
            assumed: false,
            divisor: 1.0,
        },
    });
    kin.to_bytes()
}

impl Stage {
    fn new() -> Self {
        let (performer, clips) = performer_clips();
        Self {
            folder: tempfile::tempdir().unwrap(),
            performer,
            clips,
            container: container(),
        }
    }

    /// Writes the case's files.
    fn files(&self, case: u64, wild: &mut Wild) -> Vec<(PathBuf, Vec<u8>)> {
        let at = |name: &str| self.folder.path().join(name);
        match case % 4 {
            0 => {
                let (asf, amc) = wild.acclaim();
                vec![(at("w.asf"), asf.into()), (at("w.amc"), amc.into())]
            }
            1 => vec![(at("w.bvh"), wild.bvh().into())],
            // What it is tells its content.
            2 => vec![(at("w.gltf"), wild.gltf())],
            _ => vec![(at("w.kin"), wild.kin(&self.container))],
        }
    }

    /// One case of files: read, played, now and then retargeted.
    fn play_files(&self, paths: &[PathBuf], wild: &mut Wild, grown: bool, tally: &Tally) {
        let fps = Some(wild.rate()).filter(|it| *it > 0.0 && *it <= 100_000.0);
        let options = LoadOptions {
            motion: MotionOptions {
                fps: fps.filter(|_| wild.random.below(4) == 0),
            },
            ignore_fingers: false,
            text_facts: true,
            ..LoadOptions::default()
        };
        for (_, outcome) in load(paths, options) {
            // What is refused says why; nothing more is asked of it.
            let Ok(loaded) = outcome else {
                continue;
            };
            count(&tally.loaded);
            match loaded {
                Loaded::Skeleton(it) => {
                    let skeleton = Arc::new(it.imported.skeleton.clone());
                    let body = body_of(&skeleton, None, grown, tally);
                    self.compose(Character::at_rest("", skeleton, body), wild, tally);
                }
                Loaded::Motion(motion) => self.play(&motion, wild, grown, tally),
            }
        }
    }

    fn play(&self, motion: &LoadedMotion, wild: &mut Wild, grown: bool, tally: &Tally) {
        let skeleton = Arc::new(motion.skeleton().clone());
        let body = body_of(&skeleton, Some(motion), grown, tally);
        let character = Character::playing("w", Arc::clone(&skeleton), body, motion.sampler());
        self.compose(character.measured(), wild, tally);
        if wild.random.below(16) == 0 {
            self.retarget(motion, wild, tally);
        }
    }

    /// By a map whose text was changed, where it is still one.
    fn retarget(&self, motion: &LoadedMotion, wild: &mut Wild, tally: &Tally) {
        let source = motion.skeleton();
        let text = JointMap::between(source, &self.performer).to_ron();
        let text = wild.with_other_numbers(&text);
        let map = JointMap::parse(&text).ok();
        let map = map.filter(|map| map.check(&text, source, &self.performer).is_ok());
        let clip = map.and_then(|map| retarget(source, motion.raw(), &self.performer, &map).ok());
        if let Some(clip) = clip {
            let skeleton = Arc::clone(&self.performer);
            let body = Arc::new(Body::bare(&skeleton));
            let character = Character::playing("r", skeleton, body, Arc::new(clip));
            self.compose(character, wild, tally);
        }
    }

    /// An animator with other numbers, driven by random hands.
    fn drive(&self, wild: &mut Wild, tally: &Tally) {
        let text = wild.with_other_numbers(DEFAULT_GRAPH);
        let Ok(description) = animator::parse(&text) else {
            return;
        };
        let Ok(graph) = animator::build(&description, &self.performer, &self.clips) else {
            return;
        };
        count(&tally.loaded);
        let body = Arc::new(Body::bare(&self.performer));
        let mut scene = Scene::of(Character::driven("d", Arc::new(graph), body));
        let mut frame = FrameData::default();
        for _ in 0..6 {
            let keys = ["W", "Shift", "S", "A", "Space", "J", "F"];
            let key = keys[wild.random.below(keys.len())].to_owned();
            let now = scene.clock.time_secs();
            let input = match wild.random.below(3) {
                0 => {
                    let names: Vec<&String> = description.parameters.keys().collect();
                    let name = names[wild.random.below(names.len())];
                    Input::Set(name.clone(), wild.random.wild())
                }
                _ => Input::Press(key),
            };
            if let Some(animator) = scene.lead_mut().and_then(Character::animator_mut) {
                animator.input(now, input);
            }
            scene.options.display.bones = true;
            scene.step(f64::from(wild.random.between(0.0, 0.4)));
            scene.compose(&mut frame);
            assert_finite(&frame);
        }
        count(&tally.composed);
    }

    /// Composes a scene at several moments, under display options that were
    /// read from a text with other numbers.
    fn compose(&self, character: Character, wild: &mut Wild, tally: &Tally) {
        let mut scene = Scene::of(character);
        let text = wild.with_other_numbers(&ron::to_string(&Display::default()).unwrap());
        let mut display: Display = ron::from_str(&text).unwrap_or_default();
        display.mend();
        scene.options.display = Display {
            skin: true,
            bones: true,
            axes: wild.random.below(2) == 0,
            names: wild.random.below(2) == 0,
            trajectory: wild.random.below(2) == 0,
            ghosts: display.ghosts.min(2),
            ..display
        };
        let mut frame = FrameData::default();
        for dt in [0.0, 1.0 / 60.0, 0.37, wild.random.wild()] {
            scene.step(dt);
            scene.compose(&mut frame);
            assert_finite(&frame);
            if frame.left_out > 0 {
                count(&tally.left_out);
            }
        }
        count(&tally.composed);
    }
}

fn body_of(
    skeleton: &Skeleton,
    motion: Option<&LoadedMotion>,
    grown: bool,
    tally: &Tally,
) -> Arc<Body> {
    let model = motion.and_then(|it| it.skeleton.model.as_ref());
    if let Some(model) = model {
        return Arc::new(Body::of_model(skeleton, model));
    }
    match grown {
        true => {
            count(&tally.grown);
            Arc::new(Body::grow(skeleton))
        }
        false => Arc::new(Body::bare(skeleton)),
    }
}

/// Every number of a picture, looked at without the library's own guard.
fn assert_finite(frame: &FrameData) {
    let all = |numbers: &[f32], what: &str| {
        assert!(
            numbers.iter().all(|it| it.is_finite()),
            "{what}: {numbers:?}"
        );
    };
    let point = |at: Vec3, what: &str| all(&at.to_array(), what);
    point(frame.camera.target, "camera");
    let camera = &frame.camera;
    all(
        &[camera.azimuth_rad, camera.elevation_rad, camera.distance_m],
        "camera",
    );
    all(&camera.view(1.5).clip_from_world.to_cols_array(), "view");
    all(&[frame.look.ground_y], "ground");
    for batch in frame.batches() {
        for entry in &batch.palettes {
            all(&[entry.rotation, entry.translation].concat(), "palette");
        }
        batch.occluders.iter().for_each(|it| all(it, "occluder"));
        let slot = |it: &Affine3A| all(&it.to_cols_array(), "slot");
        batch.slots.iter().for_each(slot);
        all(&batch.morphs, "morph weights");
        all(&batch.errors, "errors");
    }
    for bone in &frame.bones {
        point(bone.from, "bone");
        point(bone.to, "bone");
        all(&[bone.radius_m], "bone");
    }
    for line in &frame.lines {
        point(line.from, "line");
        point(line.to, "line");
    }
    frame.labels.iter().for_each(|it| point(it.at, "label"));
    frame.hull().iter().for_each(|it| all(it, "hull"));
    if let Some((low, high)) = frame.bounds() {
        point(low, "bounds");
        point(high, "bounds");
    }
}

#[test]
fn no_extreme_value_does_harm() {
    let cases = fuzz::cases(1_500);
    let (stage, tally) = (Stage::new(), Tally::default());
    let (mut slowest, mut largest) = ((Duration::ZERO, 0), (0, 0));
    let first = std::env::var("KINETOSCOPE_FUZZ_FIRST").map_or(0, |it| it.parse().unwrap());
    for case in KNOWN.into_iter().chain(first..first + cases) {
        let mut wild = Wild::new(case);
        let (drives, grown) = (case % 10 == 9, case % GROWN == 0);
        let files = match drives {
            true => Vec::new(),
            false => stage.files(case / 10 + case, &mut wild),
        };
        for (path, bytes) in &files {
            fs::write(path, bytes).unwrap();
        }
        let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let paths: Vec<PathBuf> = files.into_iter().map(|(path, _)| path).collect();
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| match drives {
            true => stage.drive(&mut wild, &tally),
            false => stage.play_files(&paths, &mut wild, grown, &tally),
        }));
        let elapsed = start.elapsed();
        let used = ALLOCATOR.peak_usage().saturating_sub(before);
        assert!(outcome.is_ok(), "case {case} panicked: {paths:?}");
        assert!(elapsed < PATIENCE, "case {case} took {elapsed:?}");
        let slack = SLACK_BYTES + if grown { GROWN_BYTES } else { 0 };
        let bound = BYTES_PER_BYTE * size + slack;
        assert!(used <= bound, "case {case}: {used} bytes for {size}");
        slowest = slowest.max((elapsed, case));
        largest = largest.max((used, case));
    }
    eprintln!("{cases} cases: {tally:?}, slowest {slowest:?}, largest {largest:?}");
    let [loaded, composed, grown, left_out] = [
        &tally.loaded,
        &tally.composed,
        &tally.grown,
        &tally.left_out,
    ]
    .map(Cell::get);
    assert!(loaded * 3 > cases, "hardly a file survives: too coarse");
    assert!(composed * 3 > cases && grown * 100 > cases);
    assert!(left_out > 0, "nothing ever goes too far: too tame");
}
