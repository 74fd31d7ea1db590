//! Valid files of every format with extreme content: numbers from 1e-45 to
//! 3e38, lengths of zero, chains and crowds of thousands of joints, odd rates,
//! empty and repeated names.

use std::fmt::Write as _;

use base64::{Engine, engine::general_purpose::STANDARD};
use kinetoscope::testing::Random;
use serde_json::{Value, json};

/// Makes files; the same case makes the same ones.
pub struct Wild {
    pub random: Random,
    /// How often a number is extreme.
    share: f32,
    /// How extreme; readers refuse magnitudes of 1e9, so that half of all cases
    /// stay below, or hardly anything would be looked at beyond the readers.
    most: f64,
}

/// A tree of joints: the parent of each but the first.
type Tree = Vec<usize>;

impl Wild {
    pub fn new(case: u64) -> Self {
        let mut random = Random::new(case);
        let share = [0.0, 0.02, 0.2, 0.7][random.below(4)];
        let most = [0.999e9, 0.999e9, 1e4, f64::MAX][random.below(4)];
        Self {
            random,
            share,
            most,
        }
    }

    fn chance(&mut self, share: f32) -> bool {
        self.random.between(0.0, 1.0) < share
    }

    /// Mostly of the usual size.
    pub fn number(&mut self, usual: f32) -> f64 {
        if self.chance(self.share) {
            return self.random.wild().clamp(-self.most, self.most);
        }
        f64::from(self.random.signed() * usual)
    }

    fn three(&mut self, usual: f32) -> [f64; 3] {
        [(); 3].map(|()| self.number(usual))
    }

    /// Three numbers as text.
    fn triple(&mut self, usual: f32) -> String {
        let [x, y, z] = self.three(usual);
        format!("{x:e} {y:e} {z:e}")
    }

    /// Frames a second, or seconds a frame.
    pub fn rate(&mut self) -> f64 {
        const ODD: [f64; 8] = [1e-5, 0.017, 1.0, 29.97, 119.88, 1e4, 99_999.0, 1e9];
        match self.random.below(3) {
            0 => ODD[self.random.below(ODD.len())],
            1 => self.random.wild().abs(),
            _ => 120.0,
        }
    }

    fn tree(&mut self) -> Tree {
        let count = match self.random.below(300) {
            0 => 1000 + self.random.below(5000),
            1..30 => 1,
            _ => 2 + self.random.below(24),
        };
        let shape = self.random.below(3);
        let parent = |joint: usize| match shape {
            0 => joint - 1,
            1 => 0,
            _ => self.random.below(joint),
        };
        (1..count).map(parent).collect()
    }

    fn name(&mut self, joint: usize) -> String {
        const PARTS: [&str; 9] = [
            "Hips",
            "LeftUpLeg",
            "RightUpLeg",
            "Spine",
            "LeftArm",
            "RightArm",
            "Head",
            "LeftFoot",
            "RightFoot",
        ];
        match self.random.below(40) {
            0 => "x".repeat(300),
            1 => format!("ü{joint}"),
            2..20 => match PARTS.get(joint) {
                Some(part) => (*part).to_owned(),
                None => format!("b{joint}"),
            },
            _ => format!("b{joint}"),
        }
    }

    fn frames(&mut self) -> usize {
        1 + self.random.below(6)
    }

    /// A skeleton and its motion.
    pub fn acclaim(&mut self) -> (String, String) {
        let tree = self.tree();
        let angle = ["deg", "rad"][self.random.below(2)];
        let length = self.number(1.0).abs();
        let mut asf = format!(":version 1.1\n:units\nlength {length:e}\nangle {angle}\n");
        let (position, orientation) = (self.triple(2.0), self.triple(180.0));
        let _ = writeln!(
            asf,
            ":root\norder TX TY TZ RX RY RZ\naxis XYZ\nposition {position}\n\
             orientation {orientation}\n:bonedata"
        );
        let mut motion = vec![("root".to_owned(), 6)];
        let names: Vec<String> = (0..tree.len()).map(|it| self.name(it + 1)).collect();
        for name in &names {
            let dofs = ["", "rx", "rx ry rz", "rx ry rz tx ty tz l"][self.random.below(4)];
            let length = self.number(3.0);
            let (direction, axis) = (self.triple(1.0), self.triple(180.0));
            let _ = writeln!(
                asf,
                "begin\nname {name}\ndirection {direction}\nlength {length:e}\n\
                 axis {axis} XYZ\ndof {dofs}\nend"
            );
            motion.push((name.clone(), dofs.split_whitespace().count()));
        }
        asf.push_str(":hierarchy\nbegin\n");
        for (child, &parent) in names.iter().zip(&tree) {
            let above = parent.checked_sub(1).map_or("root", |it| &names[it]);
            let _ = writeln!(asf, "{above} {child}");
        }
        asf.push_str("end\n");
        (asf, self.amc(&motion))
    }

    fn amc(&mut self, bones: &[(String, usize)]) -> String {
        let rate = self.rate();
        let mut amc = format!(":FULLY-SPECIFIED\n:DEGREES\n:SAMPLES-PER-SECOND {rate}\n");
        for frame in 1..=self.frames() {
            let _ = writeln!(amc, "{frame}");
            for (name, count) in bones.iter().filter(|(_, count)| *count > 0) {
                amc.push_str(name);
                for _ in 0..*count {
                    let _ = write!(amc, " {:e}", self.number(90.0));
                }
                amc.push('\n');
            }
        }
        amc
    }

    pub fn bvh(&mut self) -> String {
        let tree = self.tree();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.len() + 1];
        for (child, &parent) in tree.iter().enumerate() {
            children[parent].push(child + 1);
        }
        let mut text = String::from("HIERARCHY\n");
        let (mut values, mut open) = (0, vec![Some(0)]);
        // A stack instead of recursion: chains are thousands deep.
        while let Some(next) = open.pop() {
            let Some(joint) = next else {
                text.push_str("}\n");
                continue;
            };
            let kind = ["JOINT", "ROOT"][usize::from(joint == 0)];
            let (name, offset) = (self.name(joint), self.triple(30.0));
            let channels = match (joint, self.random.below(4)) {
                (0, _) | (_, 0) => "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation",
                (_, 1) => "0",
                _ => "3 Zrotation Xrotation Yrotation",
            };
            values += channels.split(' ').count() - 1;
            let _ = writeln!(
                text,
                "{kind} {name}\n{{\nOFFSET {offset}\nCHANNELS {channels}"
            );
            if children[joint].is_empty() {
                let offset = self.triple(10.0);
                let _ = writeln!(text, "End Site\n{{\nOFFSET {offset}\n}}");
            }
            open.push(None);
            open.extend(children[joint].iter().map(|&it| Some(it)));
        }
        let frames = self.frames();
        let _ = writeln!(
            text,
            "MOTION\nFrames: {frames}\nFrame Time: {:e}",
            1.0 / self.rate()
        );
        for _ in 0..frames {
            for _ in 0..values {
                let _ = write!(text, "{:e} ", self.number(90.0));
            }
            text.push('\n');
        }
        text
    }

    /// As text with its buffer in the address, or as a binary container.
    pub fn gltf(&mut self) -> Vec<u8> {
        let tree = self.tree();
        let mut nodes: Vec<Value> = (0..=tree.len()).map(|it| self.node(it)).collect();
        for (child, &parent) in tree.iter().enumerate() {
            let children = nodes[parent]
                .as_object_mut()
                .map(|it| it.entry("children").or_insert_with(|| json!([])));
            if let Some(Value::Array(children)) = children {
                children.push(json!(child + 1));
            }
        }
        let mut buffer = Buffer::default();
        let mut file = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
        });
        if self.chance(0.5) {
            let joints = nodes.len();
            nodes.push(json!({"mesh": 0, "skin": 0}));
            file["scenes"][0]["nodes"] = json!([0, joints]);
            self.skinned_mesh(joints, &mut buffer, &mut file);
        }
        file["animations"] = json!([self.animation(tree.len() + 1, &mut buffer)]);
        file["nodes"] = json!(nodes);
        match self.chance(0.5) {
            true => buffer.into_binary(file),
            false => buffer.into_text(file),
        }
    }

    fn node(&mut self, index: usize) -> Value {
        let mut node = json!({"name": self.name(index)});
        if self.chance(0.1) {
            node["name"] = json!("");
        }
        if self.chance(0.05) {
            let matrix: Vec<f64> = (0..16).map(|_| self.number(2.0)).collect();
            node["matrix"] = json!(matrix);
            return node;
        }
        node["translation"] = json!(self.three(1.0));
        if self.chance(0.5) {
            let rotation = [(); 4].map(|()| self.number(1.0));
            node["rotation"] = json!(rotation);
        }
        if self.chance(0.2) {
            node["scale"] = json!(self.three(2.0));
        }
        node
    }

    fn skinned_mesh(&mut self, joints: usize, buffer: &mut Buffer, file: &mut Value) {
        let count = 3 + self.random.below(12);
        let mut floats = |width: usize, usual: f32| -> Vec<f32> {
            (0..count * width)
                .map(|_| self.number(usual) as f32)
                .collect()
        };
        let positions = buffer.floats(&floats(3, 1.0), "VEC3");
        let normals = buffer.floats(&floats(3, 1.0), "VEC3");
        let weights = buffer.floats(&floats(4, 1.0), "VEC4");
        let offsets = buffer.floats(&floats(3, 1.0), "VEC3");
        let slots: Vec<u8> = (0..4 * count)
            .map(|_| self.random.below(joints.min(255)) as u8)
            .collect();
        let slots = buffer.bytes(&slots, 5121, "VEC4", count);
        let binds: Vec<f32> = (0..16 * joints)
            .map(|it| match it % 5 {
                0 => 1.0,
                _ => self.number(1.0) as f32,
            })
            .collect();
        let binds = buffer.floats(&binds, "MAT4");
        file["meshes"] = json!([{"weights": [self.number(1.0)], "primitives": [{
            "attributes": {"POSITION": positions, "NORMAL": normals, "JOINTS_0": slots, "WEIGHTS_0": weights},
            "targets": [{"POSITION": offsets}],
        }]}]);
        let all: Vec<usize> = (0..joints).collect();
        file["skins"] = json!([{"joints": all, "inverseBindMatrices": binds}]);
    }

    fn animation(&mut self, nodes: usize, buffer: &mut Buffer) -> Value {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(12) {
            let keys = self.frames();
            let step = self.number(0.5).abs();
            let times: Vec<f32> = (0..keys).map(|it| (it as f64 * step) as f32).collect();
            let (curve, thrice) =
                [("STEP", 1), ("LINEAR", 1), ("CUBICSPLINE", 3)][self.random.below(3)];
            let (path, width, kind) = [
                ("translation", 3, "VEC3"),
                ("scale", 3, "VEC3"),
                ("rotation", 4, "VEC4"),
            ][self.random.below(3)];
            let values: Vec<f32> = (0..keys * thrice * width)
                .map(|_| self.number(1.0) as f32)
                .collect();
            let (input, output) = (
                buffer.floats(&times, "SCALAR"),
                buffer.floats(&values, kind),
            );
            samplers.push(json!({"input": input, "output": output, "interpolation": curve}));
            channels.push(json!({
                "sampler": samplers.len() - 1,
                "target": {"node": self.random.below(nodes), "path": path},
            }));
        }
        json!({"samplers": samplers, "channels": channels})
    }

    /// A text with some of its numbers replaced, and now and then a name.
    pub fn with_other_numbers(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(|it: char| it == '"' || it.is_ascii_digit()) {
            out.push_str(&rest[..at]);
            let of_word = out.ends_with(|it: char| it.is_alphanumeric() || it == '_');
            let token = &rest[at..];
            let (length, is_name) = match token.strip_prefix('"') {
                Some(inner) => (inner.find('"').map_or(token.len(), |it| it + 2), true),
                None => {
                    let end = token.find(|it: char| !(it.is_ascii_digit() || it == '.'));
                    (end.unwrap_or(token.len()), false)
                }
            };
            match (is_name, of_word) {
                (true, _) if self.chance(0.002) => out.push_str("\"\""),
                (false, false) if self.chance(self.share / 4.0) => {
                    let _ = write!(out, "{:e}", self.random.wild().abs().min(self.most));
                }
                _ => out.push_str(&token[..length]),
            }
            rest = &token[length..];
        }
        out + rest
    }

    /// A container whose floats are others, its checksums mended.
    pub fn kin(&mut self, sound: &[u8]) -> Vec<u8> {
        let mut bytes = sound.to_vec();
        for _ in 0..1 + self.random.below(12) {
            let sections = super::kin::sections(sound);
            let (start, end) = sections[self.random.below(sections.len())];
            let at = start + 12 + self.random.below(end - start - 16);
            let float = (self.random.wild().min(self.most) as f32).to_le_bytes();
            bytes[at..at + 4].copy_from_slice(&float);
        }
        super::kin::reseal(&mut bytes);
        bytes
    }
}

/// The binary part of a glTF file, with its views and accessors.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn floats(&mut self, floats: &[f32], kind: &str) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = floats.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.bytes(&bytes, 5126, kind, floats.len() / width)
    }

    fn bytes(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        }));
        self.bytes.extend(bytes);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    fn describe(&self, file: &mut Value) {
        file["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        file["bufferViews"] = json!(self.views);
        file["accessors"] = json!(self.accessors);
    }

    fn into_text(self, mut file: Value) -> Vec<u8> {
        self.describe(&mut file);
        let text = STANDARD.encode(&self.bytes);
        file["buffers"][0]["uri"] = json!(format!("data:application/octet-stream;base64,{text}"));
        file.to_string().into_bytes()
    }

    fn into_binary(mut self, mut file: Value) -> Vec<u8> {
        self.describe(&mut file);
        let mut json = file.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let chunk = |kind: &[u8; 4], bytes: &[u8]| {
            [&(bytes.len() as u32).to_le_bytes(), &kind[..], bytes].concat()
        };
        let chunks = [chunk(b"JSON", &json), chunk(b"BIN\0", &self.bytes)].concat();
        let size = (12 + chunks.len()) as u32;
        let head = [b"glTF", &2u32.to_le_bytes()[..], &size.to_le_bytes()].concat();
        [head, chunks].concat()
    }
}
