//! A loaded clip takes what its numbers need, loading it at most the text on
//! top, and hostile files no more than their own size allows. A container takes
//! little more than its bytes, and whatever it claims, a bounded number of bytes
//! for each of its own.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::sync::Mutex;

use common::kin::{reseal, sections};
use kinetoscope::{
    clip::{ClipCursor, RawClip, SampleClip},
    codec::{
        CodecSettings,
        kin::{Kin, KinClip, KinSkeleton},
        metric::ErrorMeasure,
        synthetic,
    },
    import::{self, ImportedSkeleton},
    mocap::asf,
    skeleton::LocalPose,
    testing::Random,
    units::{LengthScale, LengthUnit},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn skeleton(bytes: &[u8]) -> ImportedSkeleton {
    let document = asf::parse("s.asf", bytes).unwrap();
    import::skeleton("s.asf", "s", &document, Default::default()).unwrap()
}

/// Bytes held after `work`, and the most held during it.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let result = work();
    let held = ALLOCATOR.current_usage().saturating_sub(before);
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    (result, held, peak)
}

fn clip_bytes(clip: &RawClip) -> usize {
    clip.raw_bytes() as usize
}

const SMALL: usize = 64 * 1024;

/// The allocator counts for the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn loading_takes_the_clip_and_at_most_the_text() {
    let _alone = ALONE.lock().unwrap();
    let tiny = skeleton(include_bytes!("fixtures/tiny.asf"));

    let mut long_line = b"1\nroot 0 0 0 0 0 0\nspine ".to_vec();
    long_line.resize(32_000_000, b' ');
    (30..long_line.len())
        .step_by(2)
        .for_each(|at| long_line[at] = b'0');
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", &long_line, &tiny, Default::default()));
    let error = outcome.unwrap_err().to_string();
    assert!(
        error.starts_with("m:3:") && error.contains("at most 1000 values"),
        "{error}"
    );
    assert!(peak < SMALL, "{peak} bytes for a long line");

    let many_lines = [
        "1\nroot 0 0 0 0 0 0\n".to_owned(),
        "a 0\n".repeat(4_000_000),
    ]
    .concat();
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", many_lines.as_bytes(), &tiny, Default::default()));
    assert!(outcome.is_err());
    assert!(
        peak < 2 * many_lines.len(),
        "{peak} bytes for a frame of many lines"
    );

    // Two hundred bones once, then never again: held values must not pile up.
    let mut wide = String::from(":bonedata\n");
    let mut links = String::from(":hierarchy\nroot");
    let mut sparse = String::from("1\n");
    for bone in 0..2_000 {
        wide += &format!("begin name b{bone} direction 0 1 0\nlength 1\ndof rx\nend\n");
        links += &format!(" b{bone}");
        sparse += &format!("b{bone} 1\n");
    }
    let wide = skeleton(format!("{wide}{links}\n").as_bytes());
    sparse += &"2\nb0 1\n".repeat(300_000);
    let (outcome, _, peak) =
        measured(|| import::motion("m", "m", sparse.as_bytes(), &wide, Default::default()));
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("the file gives only"), "{error}");
    assert!(
        peak < 4 * sparse.len() + 64 * 1024 * 1024,
        "{peak} bytes for {} of text",
        sparse.len()
    );

    let Some(corpus) = common::corpus() else {
        return;
    };
    let skeleton = skeleton(&std::fs::read(corpus.join("cmu-original/01.asf")).unwrap());
    let text = std::fs::read(corpus.join("cmu-original/01_01.amc")).unwrap();
    let (motion, held, peak) =
        measured(|| import::motion("m", "m", &text, &skeleton, Default::default()).unwrap());
    let clip = clip_bytes(&motion.clip);
    eprintln!(
        "{} bytes of text: clip {clip}, held {held}, peak {peak}",
        text.len()
    );
    assert!(
        held < clip + SMALL,
        "{held} bytes held for a clip of {clip}"
    );
    assert!(
        peak < clip + text.len(),
        "{peak} bytes while loading a clip of {clip}"
    );
}

/// Memory that a byte of a container may cost, whatever the file says, besides
/// [`SMALL`].
const MOST_BYTES_A_BYTE: usize = 1024;

fn container(joints: usize, frames: usize) -> Vec<u8> {
    let skeleton = synthetic::skeleton(joints).unwrap();
    let raw = synthetic::clip_with_extras(joints, frames, 1);
    let mut kin = Kin::default();
    for settings in CodecSettings::ALL {
        kin.clips.push(KinClip {
            name: "clip".into(),
            source: "clip.amc".into(),
            fps_assumed: false,
            animated: raw.animated.len(),
            settings,
            max_error_cm: 0.0,
            measure: ErrorMeasure::Ball,
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

/// Reads and, if it reads, samples every clip; returns the most memory held.
fn peak_of_reading(bytes: Vec<u8>) -> usize {
    let (_, _, peak) = measured(|| {
        let Ok(kin) = Kin::from_bytes(bytes) else {
            return;
        };
        let mut pose = LocalPose::default();
        for clip in &kin.clips {
            let skeleton = &kin.skeletons[clip.skeleton].skeleton;
            let mut cursor = ClipCursor::default();
            clip.clip.sample(skeleton, 0.1, &mut cursor, &mut pose);
        }
    });
    peak
}

#[test]
fn containers_take_what_their_bytes_justify() {
    let _alone = ALONE.lock().unwrap();
    let good = container(31, 600);
    let peak = peak_of_reading(good.clone());
    eprintln!("{} bytes of container: peak {peak}", good.len());
    assert!(peak < 6 * good.len() + SMALL, "{peak} for {}", good.len());

    let mut random = Random::new(9);
    let small = container(4, 40);
    let mut worst = 0.0f64;
    for _ in 0..20_000 {
        let mut bytes = small.clone();
        for _ in 0..1 + random.bits() % 3 {
            // Heads of sections are where sizes are claimed.
            let starts = sections(&small);
            let (start, end) = starts[random.bits() as usize % starts.len()];
            let reach = (end - start - 12).min(64) as u64;
            let at = start + 12 + (random.bits() % reach) as usize;
            bytes[at] = [0xff, 0x7f, 0x80, random.bits() as u8][random.bits() as usize % 4];
        }
        reseal(&mut bytes);
        let size = bytes.len();
        let peak = peak_of_reading(bytes);
        let excess = peak.saturating_sub(SMALL) as f64 / size as f64;
        worst = worst.max(excess);
        assert!(
            peak < MOST_BYTES_A_BYTE * size + SMALL,
            "{peak} bytes for {size}"
        );
    }
    eprintln!("corruptions: at most {worst:.0} bytes a byte");
}

/// A glTF file of one triangle with pictures of 8192 × 8192 pixels, a few
/// kilobytes each.
#[cfg(feature = "viewer")]
fn with_pictures(count: usize) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let side = 8192u32;
    let mut png = std::io::Cursor::new(Vec::new());
    let plain = image::GrayImage::new(side, side);
    plain.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let picture = format!("data:image/png;base64,{}", STANDARD.encode(png.get_ref()));
    let corners: Vec<u8> = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    let corners = format!(
        "data:application/octet-stream;base64,{}",
        STANDARD.encode(&corners)
    );
    let list = |one: &dyn Fn(usize) -> serde_json::Value| (0..count).map(one).collect::<Vec<_>>();
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "a", "mesh": 0}],
        "meshes": [{"primitives": list(&|it| serde_json::json!({
            "attributes": {"POSITION": 0}, "material": it
        }))}],
        "materials": list(&|it| serde_json::json!({
            "pbrMetallicRoughness": {"baseColorTexture": {"index": it}}
        })),
        "textures": list(&|it| serde_json::json!({"source": it})),
        "images": list(&|_| serde_json::json!({"uri": picture})),
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": corners}],
    })
    .to_string()
}

#[cfg(feature = "viewer")]
#[test]
fn the_pictures_of_a_file_take_a_bounded_amount_together() {
    use kinetoscope::load::{LoadOptions, Loaded, load};
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pictures.gltf");
    let text = with_pictures(8);
    let size = text.len();
    std::fs::write(&path, text).unwrap();
    let (mut outcomes, _, peak) = measured(|| load(&[path], LoadOptions::default()));
    let Ok(Loaded::Skeleton(model)) = outcomes.remove(0).1 else {
        panic!("a model without motion");
    };
    let left_white = model.imported.notes.iter();
    let left_white = left_white.filter(|note| note.message.contains("MiB together"));
    eprintln!("{size} bytes of model: peak {peak}");
    assert_eq!(left_white.count(), 7, "one of eight fits");
    assert!(peak < 600 << 20, "{peak} bytes for a file of {size}");
}
