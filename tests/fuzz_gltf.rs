//! Seeded mutations of glTF files: no panic, no second, no more memory than
//! the input justifies, and nothing unsound in what loads.
//!
//! Two in three change numbers and words of the JSON and wrap it up again, so
//! that they get past the container; the rest change bytes anywhere.
//! `KINETOSCOPE_FUZZ_CASES` sets how many; `make fuzz` runs 500,000.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use common::{
    fuzz,
    mutate::{LARGEST_INPUT, Random, mutate},
};
use kinetoscope::{
    clip::{ClipCursor, SampleClip},
    import,
    mocap::gltf,
    skeleton::{LocalPose, ModelPose},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What a document may take whatever its size, its JSON and its clips with it.
const SLACK_BYTES: usize = 192 * 1024 * 1024;
const BYTES_PER_BYTE: usize = 256;

const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "16",
    "255",
    "5120",
    "5125",
    "5126",
    "65535",
    "65536",
    "4294967295",
    "18446744073709551615",
    "1e39",
    "-1e-30",
    "0.5",
];

const WORDS: [&str; 22] = [
    "\"SCALAR\"",
    "\"VEC3\"",
    "\"VEC4\"",
    "\"MAT4\"",
    "\"STEP\"",
    "\"CUBICSPLINE\"",
    "\"weights\"",
    "\"rotation\"",
    "\"scale\"",
    "\"translation\"",
    "{}",
    "[]",
    "null",
    "true",
    "\"children\":[0,1,2],",
    "\"skin\":0,",
    "\"mesh\":0,",
    "\"byteStride\":1,",
    "\"sparse\":{\"count\":9,\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}},",
    "\"matrix\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],",
    "\"extensionsRequired\":[\"X\"],",
    "\"normalized\":true,",
];

/// A file in two parts: its JSON, and its binary chunk where it has one.
struct Seed {
    json: Vec<u8>,
    binary: Option<Vec<u8>>,
}

impl Seed {
    fn of(bytes: &[u8]) -> Self {
        if !bytes.starts_with(b"glTF") {
            return Self {
                json: bytes.to_vec(),
                binary: None,
            };
        }
        let size = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        Self {
            json: bytes[20..20 + size].to_vec(),
            binary: Some(bytes[20 + size + 8..].to_vec()),
        }
    }

    fn whole(&self) -> Vec<u8> {
        let Some(binary) = &self.binary else {
            return self.json.clone();
        };
        let chunk = |kind: &[u8; 4], bytes: &[u8]| {
            [&(bytes.len() as u32).to_le_bytes(), &kind[..], bytes].concat()
        };
        let chunks = [chunk(b"JSON", &self.json), chunk(b"BIN\0", binary)].concat();
        let size = (12 + chunks.len()) as u32;
        [
            b"glTF",
            &2u32.to_le_bytes()[..],
            &size.to_le_bytes(),
            &chunks,
        ]
        .concat()
    }
}

fn seeds() -> Vec<Seed> {
    let mut seeds = vec![Seed::of(include_bytes!("fixtures/tiny.gltf"))];
    if let Some(folder) = common::alongside_corpus("gltf") {
        let (files, _) = kinetoscope::load::expand(&[folder]);
        let files = files
            .into_iter()
            .map(|(path, _)| std::fs::read(path).unwrap());
        let small = files.filter(|bytes| bytes.len() <= LARGEST_INPUT);
        seeds.extend(small.map(|bytes| Seed::of(&bytes)));
    }
    seeds
}

/// One to four changes of the JSON: a number or a word put in, another's
/// stretch copied, a stretch left out.
fn mutate_json(seed: &Seed, other: &Seed, random: &mut Random) -> Vec<u8> {
    let mut json = seed.json.clone();
    for _ in 0..=random.below(3) {
        let at = random.below(json.len().max(1)).min(json.len());
        match random.below(10) {
            0..=5 => replace_number(&mut json, at, random),
            6 => {
                let word = WORDS[random.below(WORDS.len())];
                json.splice(at..at, word.bytes());
            }
            7 => {
                let from = random.below(other.json.len());
                let to = (from + random.below(200)).min(other.json.len());
                json.splice(at..at, other.json[from..to].iter().copied());
            }
            8 => {
                let end = (at + random.below(60)).min(json.len());
                json.drain(at..end);
            }
            _ if at < json.len() => json[at] = random.bits() as u8,
            _ => {}
        }
    }
    let mut binary = seed.binary.clone();
    if let Some(binary) = binary
        .as_mut()
        .filter(|it| !it.is_empty() && random.below(3) == 0)
    {
        let at = random.below(binary.len());
        binary[at] = random.bits() as u8;
    }
    Seed { json, binary }.whole()
}

/// The next number after a place becomes another one.
fn replace_number(json: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = json[at..].iter().position(digit).map(|it| at + it) else {
        return;
    };
    let of_number = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
    let length = json[start..].iter().position(|it| !of_number(it));
    let end = length.map_or(json.len(), |it| start + it);
    let number = NUMBERS[random.below(NUMBERS.len())];
    json.splice(start..end, number.bytes());
}

/// True when a character loaded.
fn read(bytes: &[u8]) -> bool {
    let nothing = |_: &str, _: u64| Err("no files here".to_owned());
    let document = gltf::parse("f.glb", bytes).and_then(|it| it.resolve(nothing));
    let Ok(document) = document else {
        return false;
    };
    let Ok(read) = import::gltf("f", &document, Default::default(), Default::default()) else {
        return false;
    };
    let skeleton = &read.skeleton.skeleton;
    let mut pose = skeleton.rest_model();
    let mut local = LocalPose::default();
    for clip in &read.clips {
        clip.tracks.validate().expect("tracks that are not sound");
        clip.motion
            .clip
            .validate()
            .expect("a clip that is not sound");
        clip.tracks
            .sample(skeleton, 0.3, &mut ClipCursor::default(), &mut local);
        pose.compute(skeleton, &local);
    }
    if let Some(model) = &read.model {
        walk(model, &pose);
    }
    true
}

/// Every index leads somewhere.
fn walk(model: &kinetoscope::mesh::CharacterMesh, pose: &ModelPose) {
    let palette: Vec<_> = model.palette(pose).collect();
    for part in &model.parts {
        let primitive = &model.primitives[part.primitive];
        let count = primitive.vertices.len();
        assert!(primitive.indices.iter().all(|&it| (it as usize) < count));
        assert!(primitive.targets.iter().all(|it| it.offsets.len() == count));
        assert!(part.first_slot + part.slots <= model.slots.len());
        assert!(part.first_morph + primitive.targets.len() <= model.morphs);
        if count > 0 {
            let at = model.place(part, count - 1, &palette, pose.morphs());
            std::hint::black_box(at);
        }
    }
}

#[test]
fn no_mutation_of_a_gltf_file_does_harm() {
    let cases = fuzz::cases(3_000);
    let seeds = seeds();
    for seed in &seeds {
        let whole = seed.whole();
        assert!(gltf::parse("seed", &whole).is_ok());
    }
    let make = |random: &mut Random| {
        let (seed, other) = (
            &seeds[random.below(seeds.len())],
            &seeds[random.below(seeds.len())],
        );
        if random.below(3) > 0 {
            return mutate_json(seed, other, random);
        }
        mutate(&seed.whole(), &other.whole(), &WORDS, random)
    };
    let limits = (BYTES_PER_BYTE, SLACK_BYTES);
    let loaded = fuzz::run(&ALLOCATOR, cases, limits, make, read);
    assert!(
        loaded * 40 > cases,
        "hardly a character survives: the mutations are too coarse"
    );
}
