//! glTF files against numbers computed here, straight from their accessors,
//! with a reader of the test's own in double precision.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use glam::{DMat4, DQuat, DVec3};
use kinetoscope::{
    assert_close,
    clip::{ClipCursor, SampleClip},
    load::{LoadOptions, Loaded, LoadedMotion, load},
    skeleton::{LocalPose, ModelPose, PrecisePose},
};
use serde_json::{Value, json};

/// A file taken apart without the library.
struct Reference {
    json: Value,
    buffers: Vec<Vec<u8>>,
}

impl Reference {
    fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if bytes.starts_with(b"glTF") {
            let size = word(12);
            let json = serde_json::from_slice(&bytes[20..20 + size]).unwrap();
            let binary = bytes[20 + size + 8..].to_vec();
            return Self {
                json,
                buffers: vec![binary],
            };
        }
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let buffer = |it: &Value| {
            let uri = it["uri"].as_str().unwrap();
            match uri.split_once("base64,") {
                Some((_, text)) => {
                    use base64::Engine;
                    base64::engine::general_purpose::STANDARD
                        .decode(text)
                        .unwrap()
                }
                None => std::fs::read(path.parent().unwrap().join(uri)).unwrap(),
            }
        };
        let buffers = json["buffers"]
            .as_array()
            .unwrap()
            .iter()
            .map(buffer)
            .collect();
        Self { json, buffers }
    }

    fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// Elements of an accessor; none of the files has sparse ones.
    fn read(&self, accessor: usize) -> Vec<Vec<f64>> {
        let it = &self.json["accessors"][accessor];
        assert!(it.get("sparse").is_none());
        let view = &self.json["bufferViews"][number(&it["bufferView"])];
        let width = match it["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let (size, most) = match number(&it["componentType"]) {
            5121 => (1, 255.0),
            5123 => (2, 65535.0),
            5125 | 5126 => (4, 1.0),
            other => panic!("{other}"),
        };
        let float = number(&it["componentType"]) == 5126;
        let normalised = it["normalized"].as_bool().unwrap_or(false);
        let bytes = &self.buffers[number(&view["buffer"])];
        let start = or_zero(&view["byteOffset"]) + or_zero(&it["byteOffset"]);
        let stride = match view.get("byteStride") {
            Some(stride) => number(stride),
            None => width * size,
        };
        let component = |at: usize| {
            let raw = &bytes[at..at + size];
            let value = match (size, float) {
                (1, _) => f64::from(raw[0]),
                (2, _) => f64::from(u16::from_le_bytes([raw[0], raw[1]])),
                (_, false) => f64::from(u32::from_le_bytes(raw.try_into().unwrap())),
                (_, true) => f64::from(f32::from_le_bytes(raw.try_into().unwrap())),
            };
            if normalised { value / most } else { value }
        };
        let element = |index: usize| {
            let at = start + index * stride;
            (0..width).map(|it| component(at + it * size)).collect()
        };
        (0..number(&it["count"])).map(element).collect()
    }

    /// What an animation does to a property of a node at a time, in the words
    /// of the specification.
    fn animated(&self, animation: &Value, node: usize, path: &str, secs: f64) -> Option<Vec<f64>> {
        let channels = animation["channels"].as_array().unwrap().iter();
        let mine = |it: &&Value| {
            it["target"]["node"].as_u64() == Some(node as u64) && it["target"]["path"] == path
        };
        let channel = { channels }.find(mine)?;
        let sampler = &animation["samplers"][number(&channel["sampler"])];
        let times: Vec<f64> = self.read(number(&sampler["input"])).concat();
        let values = self.read(number(&sampler["output"])).concat();
        let how = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let rows = times.len() * if how == "CUBICSPLINE" { 3 } else { 1 };
        let width = values.len() / rows;
        let row = |index: usize| &values[index * width..(index + 1) * width];
        let value = |key: usize| {
            row(if how == "CUBICSPLINE" {
                3 * key + 1
            } else {
                key
            })
        };
        let last = times.len() - 1;
        if secs <= times[0] {
            return Some(value(0).to_vec());
        }
        if secs >= times[last] {
            return Some(value(last).to_vec());
        }
        let key = (0..last).rev().find(|&key| times[key] <= secs).unwrap();
        let span = times[key + 1] - times[key];
        let t = (secs - times[key]) / span;
        Some(match how {
            "STEP" => value(key).to_vec(),
            "LINEAR" if path == "rotation" => {
                let quaternion = |it: &[f64]| DQuat::from_slice(it);
                let (from, to) = (quaternion(value(key)), quaternion(value(key + 1)));
                from.slerp(to, t).to_array().to_vec()
            }
            "LINEAR" => (0..width)
                .map(|it| value(key)[it] * (1.0 - t) + value(key + 1)[it] * t)
                .collect(),
            _ => (0..width)
                .map(|it| {
                    let (t2, t3) = (t * t, t * t * t);
                    (2.0 * t3 - 3.0 * t2 + 1.0) * row(3 * key + 1)[it]
                        + span * (t3 - 2.0 * t2 + t) * row(3 * key + 2)[it]
                        + (3.0 * t2 - 2.0 * t3) * row(3 * key + 4)[it]
                        + span * (t3 - t2) * row(3 * key + 3)[it]
                })
                .collect(),
        })
    }

    /// `world_from_node` of every node.
    fn world(&self, animation: &Value, secs: f64) -> Vec<DMat4> {
        let nodes = self.list("nodes");
        let local = |index: usize| {
            let it = &nodes[index];
            if let Some(matrix) = it.get("matrix") {
                let animated = ["translation", "rotation", "scale"]
                    .map(|path| self.animated(animation, index, path, secs));
                if animated.iter().all(Option::is_none) {
                    return DMat4::from_cols_slice(&numbers(matrix));
                }
            }
            let property = |path: &str, otherwise: &[f64]| {
                let still = it.get(path).map_or(otherwise.to_vec(), numbers);
                self.animated(animation, index, path, secs).unwrap_or(still)
            };
            DMat4::from_scale_rotation_translation(
                DVec3::from_slice(&property("scale", &[1.0; 3])),
                DQuat::from_slice(&property("rotation", &[0.0, 0.0, 0.0, 1.0])).normalize(),
                DVec3::from_slice(&property("translation", &[0.0; 3])),
            )
        };
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in node["children"].as_array().into_iter().flatten() {
                parents[number(child)] = Some(index);
            }
        }
        let locals: Vec<DMat4> = (0..nodes.len()).map(local).collect();
        (0..nodes.len())
            .map(|index| {
                let mut world = locals[index];
                let mut above = parents[index];
                while let Some(parent) = above {
                    world = locals[parent] * world;
                    above = parents[parent];
                }
                world
            })
            .collect()
    }

    /// Every vertex of every triangle's corner, in the order of nodes.
    fn corners(&self, animation: &Value, secs: f64) -> Vec<DVec3> {
        let world = self.world(animation, secs);
        let mut corners = Vec::new();
        for (index, node) in self.list("nodes").iter().enumerate() {
            let Some(mesh) = node.get("mesh") else {
                continue;
            };
            let mesh = &self.json["meshes"][number(mesh)];
            let rest = node.get("weights").or(mesh.get("weights")).map(numbers);
            let weights = self.animated(animation, index, "weights", secs).or(rest);
            let palette = node.get("skin").map(|skin| {
                let skin = &self.json["skins"][number(skin)];
                let binds = self.read(number(&skin["inverseBindMatrices"]));
                let joints = skin["joints"].as_array().unwrap().iter().map(number);
                let entry =
                    |(joint, bind): (usize, Vec<f64>)| world[joint] * DMat4::from_cols_slice(&bind);
                joints.zip(binds).map(entry).collect::<Vec<_>>()
            });
            for primitive in mesh["primitives"].as_array().unwrap() {
                let places = self.places(
                    primitive,
                    weights.as_deref(),
                    palette.as_deref(),
                    world[index],
                );
                match primitive.get("indices") {
                    Some(accessor) => {
                        let indices = self.read(number(accessor)).concat();
                        corners.extend(indices.iter().map(|&it| places[it as usize]));
                    }
                    None => corners.extend(places),
                }
            }
        }
        corners
    }

    fn places(
        &self,
        primitive: &Value,
        weights: Option<&[f64]>,
        palette: Option<&[DMat4]>,
        world: DMat4,
    ) -> Vec<DVec3> {
        let attribute = |name: &str| {
            let accessor = primitive["attributes"].get(name);
            accessor.map(|it| self.read(number(it)))
        };
        let mut positions: Vec<DVec3> = attribute("POSITION")
            .unwrap()
            .iter()
            .map(|it| DVec3::from_slice(it))
            .collect();
        let targets = primitive["targets"].as_array().into_iter().flatten();
        for (target, &weight) in targets.zip(weights.unwrap_or_default()) {
            let offsets = self.read(number(&target["POSITION"]));
            for (position, offset) in positions.iter_mut().zip(offsets) {
                *position += DVec3::from_slice(&offset) * weight;
            }
        }
        let (joints, shares) = (attribute("JOINTS_0"), attribute("WEIGHTS_0"));
        let place = |(index, position): (usize, &DVec3)| {
            let (Some(palette), Some(joints), Some(shares)) = (palette, &joints, &shares) else {
                return world.transform_point3(*position);
            };
            let sum: f64 = shares[index].iter().sum();
            let moved = joints[index]
                .iter()
                .zip(&shares[index])
                .map(|(&joint, &share)| {
                    palette[joint as usize].transform_point3(*position) * (share / sum)
                });
            moved.sum()
        };
        positions.iter().enumerate().map(place).collect()
    }
}

fn number(it: &Value) -> usize {
    it.as_u64().unwrap() as usize
}

fn or_zero(it: &Value) -> usize {
    it.as_u64().unwrap_or(0) as usize
}

fn numbers(it: &Value) -> Vec<f64> {
    it.as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_f64().unwrap())
        .collect()
}

/// All models of the corpus.
fn models() -> Vec<PathBuf> {
    let Some(folder) = common::alongside_corpus("gltf") else {
        return Vec::new();
    };
    let (files, failed) = kinetoscope::load::expand(&[folder]);
    assert!(failed.is_empty());
    let files: Vec<PathBuf> = files.into_iter().map(|(path, _)| path).collect();
    assert_eq!(files.len(), 14);
    files
}

fn motions(path: &Path) -> Vec<LoadedMotion> {
    let loaded = load(&[path.to_path_buf()], LoadOptions::default());
    let motion = |(path, outcome): (PathBuf, Result<Loaded, _>)| match outcome {
        Ok(Loaded::Motion(motion)) => *motion,
        other => panic!("{}: {other:?}", path.display()),
    };
    loaded.into_iter().map(motion).collect()
}

/// Times on keys, between them, at the ends and beyond.
fn times(duration: f64) -> [f64; 6] {
    [0.0, 0.171, 0.5, 0.733, 1.0, 1.3].map(|share| share * duration)
}

#[test]
fn joints_stand_where_the_accessors_say() {
    let mut worst = 0f64;
    let mut compared = 0;
    for path in models() {
        let reference = Reference::open(&path);
        let motions = motions(&path);
        assert_eq!(motions.len(), reference.list("animations").len());
        let mut nodes: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, node) in reference.list("nodes").iter().enumerate() {
            let name = node["name"]
                .as_str()
                .map_or(format!("node{index}"), str::to_owned);
            nodes.entry(name).or_default().push(index);
        }
        for (motion, animation) in motions.iter().zip(reference.list("animations")) {
            let skeleton = &motion.skeleton.imported.skeleton;
            let tracks = motion.own_keys().unwrap();
            tracks.validate().unwrap();
            motion.raw().validate().unwrap();
            let size = f64::from(skeleton.rest_height_m()).max(1.0);
            let mut local = LocalPose::default();
            for secs in times(tracks.duration_secs()) {
                tracks.sample(skeleton, secs, &mut ClipCursor::default(), &mut local);
                let pose = PrecisePose::of(skeleton, &local);
                let world = reference.world(animation, secs);
                for (index, joint) in skeleton.joints().iter().enumerate() {
                    // Names that occur twice are told apart by the vertices.
                    let Some([node]) = nodes.get(&joint.name).map(Vec::as_slice) else {
                        continue;
                    };
                    let expected = world[*node].w_axis.truncate();
                    let off = (pose.bone(index).0 - expected).length() / size;
                    worst = worst.max(off);
                    compared += 1;
                    assert!(
                        off < 2e-5,
                        "{} {} at {secs}: {} is off by {off}",
                        path.display(),
                        tracks.name,
                        joint.name
                    );
                }
            }
        }
    }
    eprintln!("{compared} joints compared, {worst:.2e} of the height off at most");
}

#[test]
fn vertices_are_where_the_accessors_say() {
    let mut worst = 0f64;
    let mut compared = 0;
    for path in models() {
        let reference = Reference::open(&path);
        for (motion, animation) in motions(&path).iter().zip(reference.list("animations")) {
            let skeleton = &motion.skeleton.imported.skeleton;
            let tracks = motion.own_keys().unwrap();
            let model = motion.skeleton.model.as_ref().unwrap();
            let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
            for secs in times(tracks.duration_secs()) {
                tracks.sample(skeleton, secs, &mut ClipCursor::default(), &mut local);
                pose.compute(skeleton, &local);
                let palette: Vec<_> = model.palette(&pose).collect();
                let own = model.parts.iter().flat_map(|part| {
                    let indices = &model.primitives[part.primitive].indices;
                    let place = |&it: &u32| model.place(part, it as usize, &palette, pose.morphs());
                    indices.iter().map(place).collect::<Vec<_>>()
                });
                let own: Vec<DVec3> = own.map(|it| it.as_dvec3()).collect();
                let expected = reference.corners(animation, secs);
                assert_eq!(own.len(), expected.len(), "{}", path.display());
                // Nodes may be walked in another order than they are listed in.
                let sorted = |points: &[DVec3]| {
                    let mut points = points.to_vec();
                    let key = |it: &DVec3| (it.x * 1e3 + it.y * 7e3 + it.z * 31e3).round() as i64;
                    points.sort_by_key(key);
                    points
                };
                let size = expected
                    .iter()
                    .fold(1.0, |most: f64, it| most.max(it.length()));
                let direct = own.iter().zip(&expected);
                let off = direct.map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max) / size;
                let off = if off < 1e-4 {
                    off
                } else {
                    let (own, expected) = (sorted(&own), sorted(&expected));
                    let sums = own.iter().zip(&expected);
                    let total: f64 = sums.map(|(a, b)| (*a - *b).length()).sum();
                    total / own.len() as f64 / size
                };
                worst = worst.max(off);
                compared += own.len();
                assert!(
                    off < 1e-4,
                    "{} {} at {secs}: {off}",
                    path.display(),
                    tracks.name
                );
            }
        }
    }
    eprintln!("{compared} vertices compared, {worst:.2e} of the size off at most");
}

fn fixture() -> Value {
    serde_json::from_slice(include_bytes!("fixtures/tiny.gltf")).unwrap()
}

/// Loads a document from a folder of its own.
fn loaded(document: &Value) -> Result<Vec<Loaded>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    let outcomes = load(&[path], LoadOptions::default());
    let all = outcomes
        .into_iter()
        .map(|(_, it)| it.map_err(|e| e.to_string()));
    all.collect()
}

/// Sparse morph targets, fractions in bytes and shorts, a still node that
/// scales by two above the root, all three curves: computed by hand.
#[test]
fn a_small_file_moves_as_worked_out_by_hand() {
    let loaded = loaded(&fixture()).unwrap();
    let [Loaded::Motion(motion)] = loaded.as_slice() else {
        panic!("{loaded:?}");
    };
    let skeleton = &motion.skeleton.imported.skeleton;
    let names: Vec<&str> = skeleton
        .joints()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["low", "high"]);
    let tracks = motion.own_keys().unwrap();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    tracks.sample(skeleton, 0.5, &mut ClipCursor::default(), &mut local);
    pose.compute(skeleton, &local);
    let off = |a: glam::Vec3, b: [f32; 3]| (a - glam::Vec3::from(b)).length();
    // Lifted by 1, twice as large; the joint above another 2 up.
    assert!(off(pose.joints()[0].position(), [0.0, 2.0, 0.0]) < 1e-5);
    assert!(off(pose.joints()[1].position(), [0.0, 4.0, 0.0]) < 1e-5);
    let model = motion.skeleton.model.as_ref().unwrap();
    let palette: Vec<_> = model.palette(&pose).collect();
    let corner = model.place(&model.parts[0], 2, &palette, pose.morphs());
    // (0.5, 1, 0) morphed by z 1, scaled by y 2, turned by 90°, doubled, lifted.
    assert!(off(corner.into(), [-4.0, 5.0, 2.0]) < 1e-4, "{corner}");
    assert_eq!(model.primitives[0].vertices[2].uv, [1.0, 1.0]);
    assert_eq!(model.materials[0].base_colour, [0.8, 0.1, 0.1, 1.0]);
    assert_eq!(motion.raw().fps, 12.0, "keys every half second");
    // Just before a quarter the step has not come, and linear is half way.
    tracks.sample(skeleton, 0.25, &mut ClipCursor::default(), &mut local);
    assert_eq!(local.scales()[1], glam::Vec3::ONE);
    assert_close!(local.morphs()[0], 0.5, 1e-6);
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    let refused = |path: &str, value: Value, expected: &str| {
        let mut document = fixture();
        *document.pointer_mut(path).unwrap() = value;
        let error = loaded(&document).expect_err(path);
        assert!(error.contains(expected), "{path}: {error}");
        assert!(error.contains("t.gltf"), "{path}: {error}");
    };
    refused("/asset/version", json!("1.0"), "version \"1.0\"");
    refused(
        "/extensionsRequired/0",
        json!("KHR_draco_mesh_compression"),
        "KHR_draco",
    );
    refused(
        "/buffers/0/byteLength",
        json!(99_999),
        "99999 bytes are needed",
    );
    refused("/buffers/0/uri", json!("missing.bin"), "missing.bin");
    refused(
        "/buffers/0/uri",
        json!("https://x/y.bin"),
        "only files inside",
    );
    refused("/buffers/0/uri", json!("data:;base64,!!!!"), "base64");
    refused("/bufferViews/0/byteLength", json!(1_000_000), "buffer 0");
    refused("/bufferViews/0/byteOffset", json!(u64::MAX), "buffer 0");
    refused("/accessors/0/count", json!(400), "accessors[0]");
    refused("/accessors/0/count", json!(u64::MAX), "far beyond");
    refused(
        "/accessors/0/type",
        json!("VEC4"),
        "expected Vec3, found Vec4",
    );
    refused("/accessors/0/componentType", json!(1), "component type");
    refused(
        "/accessors/5/count",
        json!(3_000_000_000u64),
        "accessors[5]",
    );
    refused(
        "/accessors/7/sparse/count",
        json!(9),
        "9 sparse values replace 4",
    );
    refused(
        "/accessors/7/count",
        json!(1_000_000_000_000u64),
        "far beyond",
    );
    refused("/nodes/1/children/0", json!(77), "no node 77");
    refused("/nodes/1/children/0", json!(3), "circle");
    refused(
        "/nodes/3/scale",
        json!([1e30, 1, 1]),
        "numbers below 1,000,000,000",
    );
    refused("/scenes/0/nodes/0", json!(9), "no node 9");
    refused("/nodes/2/mesh", json!(4), "no mesh 4");
    refused("/nodes/2/skin", json!(4), "no skin 4");
    refused("/skins/0/joints", json!([1]), "no joint of the skin 1");
    refused("/meshes/0/primitives/0/material", json!(3), "no material 3");
    refused(
        "/meshes/0/primitives/0/indices",
        json!(0),
        "expected Scalar",
    );
    refused("/animations/0/channels/0/sampler", json!(9), "no sampler 9");
    refused("/animations/0/samplers/0/output", json!(0), "accessors[0]");
    refused(
        "/animations/0/samplers/1/interpolation",
        json!("LINEAR"),
        "3 keys need 3 values",
    );
    let mut two_parents = fixture();
    two_parents["nodes"][2]["children"] = json!([0]);
    let error = loaded(&two_parents).unwrap_err();
    assert!(
        error.contains("hangs from node 1 and from node 2"),
        "{error}"
    );
}

/// A buffer named a hundred thousand times is no small file any more.
#[test]
fn what_a_file_asks_for_is_bounded_by_its_size() {
    let mut document = fixture();
    let accessors = document["accessors"].as_array_mut().unwrap();
    let first = accessors.len();
    // Zeros that no buffer holds.
    for kind in ["SCALAR", "VEC3"] {
        accessors.push(json!({ "componentType": 5126, "count": 200_000, "type": kind }));
    }
    let animation = json!({
        "samplers": [{ "input": first, "output": first + 1 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
    });
    document["animations"] = json!(vec![animation; 3000]);
    let error = loaded(&document).unwrap_err();
    assert!(error.contains("far beyond"), "{error}");

    // Two keys a century apart do not become a billion frames.
    let mut document = fixture();
    let keys = document["accessors"][8].clone();
    assert_eq!(keys["count"], 3);
    let mut command = common::kinetoscope();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.gltf");
    use base64::Engine;
    let engine = base64::engine::general_purpose::STANDARD;
    let uri = document["buffers"][0]["uri"].as_str().unwrap().to_owned();
    let mut bytes = engine.decode(uri.split_once("base64,").unwrap().1).unwrap();
    let view = number(&keys["bufferView"]);
    let at = number(&document["bufferViews"][view]["byteOffset"]);
    bytes[at + 8..at + 12].copy_from_slice(&9e8f32.to_le_bytes());
    let uri = format!(
        "data:application/octet-stream;base64,{}",
        engine.encode(bytes)
    );
    document["buffers"][0]["uri"] = json!(uri);
    std::fs::write(&path, document.to_string()).unwrap();
    let output = command
        .arg("info")
        .arg("--json")
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success());
    let info: Value = serde_json::from_slice(&output.stdout).unwrap();
    let frames = info[0]["frames"].as_u64().unwrap();
    assert!(frames < 4_000_000, "{frames} frames");
}

#[test]
fn a_broken_file_ends_with_code_3_and_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.glb");
    for bytes in [
        &b"glTF\x02\0\0\0\xff\xff\0\0"[..],
        b"glTF",
        b"",
        b"{",
        b"{\"asset\":{}}",
    ] {
        std::fs::write(&path, bytes).unwrap();
        for command in ["info", "pose"] {
            let output = common::kinetoscope()
                .arg(command)
                .arg(&path)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(3), "{command} {bytes:?}");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.contains("broken.glb"), "{told}");
        }
    }
}

#[test]
fn texture_coordinates_are_placed_as_the_extension_says() {
    let mut document = fixture();
    document["extensionsUsed"] = json!(["KHR_texture_transform"]);
    document["images"] = json!([{ "uri": "data:image/png;base64,AAAA" }]);
    document["textures"] = json!([{ "source": 0 }]);
    let uvs = |document: &Value| -> Vec<[f32; 2]> {
        let loaded = loaded(document).unwrap();
        let Loaded::Motion(motion) = &loaded[0] else {
            panic!("no motion");
        };
        let model = motion.skeleton.model.as_ref().unwrap();
        let vertices = model.primitives[0].vertices.iter();
        vertices.map(|it| it.uv).collect()
    };
    let info = "/materials/0/pbrMetallicRoughness";
    let set = |document: &mut Value, texture: Value| {
        document.pointer_mut(info).unwrap()["baseColorTexture"] = texture;
    };
    set(&mut document, json!({ "index": 0 }));
    let plain = uvs(&document);
    // A quarter turn, then twice as wide, then moved: worked out by hand from
    // "counter-clockwise" where v points down.
    let transform = json!({ "offset": [0.25, 0.5], "rotation": std::f32::consts::FRAC_PI_2, "scale": [2.0, 3.0] });
    let extensions = json!({ "KHR_texture_transform": transform });
    set(
        &mut document,
        json!({ "index": 0, "extensions": extensions }),
    );
    for (placed, [u, v]) in uvs(&document).iter().zip(plain.clone()) {
        assert_close!(placed[0], 0.25 + 3.0 * v, 1e-5);
        assert_close!(placed[1], 0.5 - 2.0 * u, 1e-5);
    }
    // The extension may choose other coordinates.
    let extensions = json!({ "KHR_texture_transform": { "texCoord": 7 } });
    set(
        &mut document,
        json!({ "index": 0, "extensions": extensions }),
    );
    assert!(
        uvs(&document).iter().all(|uv| *uv == [0.0; 2]),
        "set 7 is empty"
    );
    assert!(plain.iter().any(|uv| *uv != [0.0; 2]));
}
