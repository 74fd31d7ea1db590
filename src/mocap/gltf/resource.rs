//! From JSON to a document with its buffers.

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{
    GltfDocument, GltfError, GltfProblem, container,
    json::Root,
    packed::{self, Packed, packed_views},
};

/// Extensions that change nothing a reader must know, or that are read.
const KNOWN: [&str; 5] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_lights_punctual",
    packed::NAMES[0],
    packed::NAMES[1],
];
/// Those that only change shading.
const SHADING: &str = "KHR_materials_";
/// Characters of an address that are shown.
const SHOWN: usize = 60;

/// What one of `count` animations is called: by the file's own name, `stem`,
/// where it has none.
#[must_use]
pub fn clip_name(name: Option<&str>, stem: &str, index: usize, count: usize) -> String {
    match name.map(str::trim) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ if count == 1 => stem.to_owned(),
        _ => format!("{stem}_{index}"),
    }
}

/// A file whose JSON is read and whose buffers are still to come.
#[derive(Debug)]
pub struct Parsed {
    file: String,
    root: Root,
    binary: Option<Vec<u8>>,
    packed: Vec<Packed>,
}

impl Parsed {
    pub(super) fn new(file: &str, bytes: &[u8]) -> Result<Self, GltfError> {
        let wrong = |at: &str, problem| GltfError::new(file, at, problem);
        let chunks = container::split(bytes).map_err(|problem| wrong("", problem))?;
        let root = Root::from_slice(chunks.json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let text = error.to_string();
            let suffix = format!(" at line {line} column {column}");
            let message = text.strip_suffix(&suffix).unwrap_or(&text).to_owned();
            let problem = GltfProblem::Json {
                line,
                column,
                message,
            };
            wrong("", problem)
        })?;
        // `minVersion` is what a reader must understand; `version` only what
        // the file was written for.
        let version = root.asset.min_version.as_ref();
        let version = version.unwrap_or(&root.asset.version);
        if !(version == "2" || version.starts_with("2.")) {
            let why = format!("it says version {}", shortened(version));
            return Err(wrong("asset", GltfProblem::NotGltf(why)));
        }
        let foreign =
            |name: &&String| !KNOWN.contains(&name.as_str()) && !name.starts_with(SHADING);
        if let Some(name) = root.extensions_required.iter().find(foreign) {
            let problem = GltfProblem::Extension(shortened(name));
            return Err(wrong("extensionsRequired", problem));
        }
        let packed = packed_views(chunks.json);
        let packed = packed.map_err(|(at, problem)| wrong(&at, problem))?;
        Ok(Self {
            file: file.to_owned(),
            root,
            binary: chunks.binary.map(<[u8]>::to_vec),
            packed,
        })
    }

    /// What its animations are called, those that move anything; `stem` stands
    /// in where they have no name.
    #[must_use]
    pub fn clip_names(&self, stem: &str) -> Vec<String> {
        let all = &self.root.animations;
        let moving = all
            .iter()
            .enumerate()
            .filter(|(_, it)| !it.channels.is_empty());
        let names = moving.map(|(index, it)| clip_name(it.name.as_deref(), stem, index, all.len()));
        names.collect()
    }

    /// Relative paths of buffers and pictures that are files of their own.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let buffers = self.root.buffers.iter().filter_map(|it| it.uri.as_ref());
        let images = self.root.images.iter().filter_map(|it| it.uri.as_ref());
        let files = buffers
            .chain(images)
            .filter(|uri| !uri.starts_with("data:"));
        let files = files.map(|uri| percent_decoded(uri));
        files.filter(|path| stays_inside(path)).collect()
    }

    /// True of a buffer without an address that packed views would lie in: the
    /// first one is that of the container, where there is one.
    fn stands_for_packed(&self, buffer: usize, has_binary: bool) -> bool {
        let is_binary = buffer == 0 && has_binary;
        !is_binary && self.packed.iter().any(|it| it.plain_buffer == buffer)
    }

    /// Reads all buffers and pictures. `read` gets relative addresses, decoded,
    /// and the most bytes that are of use; its errors are told as they are. A
    /// picture that cannot be read is left out.
    pub fn resolve(
        mut self,
        read: impl Fn(&str, u64) -> Result<Vec<u8>, String>,
    ) -> Result<GltfDocument, GltfError> {
        let mut binary = self.binary.take();
        let mut buffers = Vec::with_capacity(self.root.buffers.len());
        // Buffers that stand for what packed views hold, and hold nothing themselves.
        let mut empty = Vec::new();
        for (index, buffer) in self.root.buffers.iter().enumerate() {
            let at = format!("buffers[{index}]");
            let wrong = |problem| GltfError::new(&self.file, &at, problem);
            let length = buffer.byte_length.0;
            let mut bytes = match &buffer.uri {
                Some(uri) => fetch(uri, length, &read).map_err(wrong)?,
                None if self.stands_for_packed(index, binary.is_some()) => {
                    empty.push(index);
                    buffers.push(Vec::new());
                    continue;
                }
                None if index == 0 => binary.take().ok_or_else(|| {
                    wrong(GltfProblem::Other(
                        "it has neither an address nor a binary chunk".into(),
                    ))
                })?,
                None => return Err(wrong(GltfProblem::Other("it has no address".into()))),
            };
            if (bytes.len() as u64) < length {
                let problem = GltfProblem::Beyond {
                    whole: "the data".into(),
                    needs: length,
                    has: bytes.len() as u64,
                };
                return Err(wrong(problem));
            }
            // Padding of the container's chunk, or a longer file
            // than was asked for.
            bytes.truncate(length as usize);
            buffers.push(bytes);
        }
        let mut packed = std::mem::take(&mut self.packed);
        // Where a buffer has the plain bytes too, those are read.
        packed.retain(|it| empty.contains(&it.plain_buffer));
        let unpacked = packed::unpack(&packed, &buffers)
            .map_err(|(at, problem)| GltfError::new(&self.file, at, problem))?;
        let picture = |image: &super::json::Image| {
            let uri = image.uri.as_ref()?;
            // A missing picture is no reason to refuse a motion.
            let fetched = fetch(uri, MAX_PICTURE_BYTES, &read);
            Some(fetched.map_err(|problem| problem.to_string()))
        };
        let images = self.root.images.iter().map(picture).collect();
        let document = GltfDocument {
            file: self.file,
            root: self.root,
            buffers,
            unpacked,
            images,
            left: std::cell::Cell::new(0),
        };
        Ok(document.with_budget())
    }
}

/// Encoded pictures beyond this are not read.
const MAX_PICTURE_BYTES: u64 = 64 << 20;

fn fetch(
    uri: &str,
    most: u64,
    read: &impl Fn(&str, u64) -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, GltfProblem> {
    let wrong = |reason: String| GltfProblem::Resource {
        uri: shortened(uri),
        reason,
    };
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, text) = data
            .split_once(',')
            .ok_or_else(|| wrong("the address holds no data".into()))?;
        if !kind.ends_with(";base64") {
            return Err(wrong("only base64 data is read".into()));
        }
        return STANDARD
            .decode(text.as_bytes())
            .map_err(|error| wrong(format!("the base64 data is damaged: {error}")));
    }
    // Decoded first: `%2e%2e%2f` leads out as well as `../` does.
    let path = percent_decoded(uri);
    if !stays_inside(&path) {
        return Err(wrong(OUTSIDE.into()));
    }
    read(&path, most).map_err(wrong)
}

/// Why a file is not read that does not belong to the model.
pub const OUTSIDE: &str = "only files inside the folder of the .gltf file are read";

/// No network, no absolute path, and never above where it starts; whatever
/// system wrote the file, and whatever system reads it.
fn stays_inside(path: &str) -> bool {
    let mut depth = 0;
    let stays = |part: &str| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth >= 0
    };
    let bare = !path.contains([':', '\0']) && !path.starts_with(['/', '\\']);
    bare && path.split(['/', '\\']).all(stays)
}

/// `%20` and the like as the characters they stand for.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let pair = pair.and_then(|it| std::str::from_utf8(it).ok());
        match pair.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_inside() {
        for path in [
            "a.bin",
            "a/b.bin",
            "./a.bin",
            "a/../b.bin",
            "..a/b..",
            "a\\b.png",
        ] {
            assert!(stays_inside(path), "{path}");
        }
        for path in [
            "../a.bin",
            "a/../../b",
            "..\\a.bin",
            "a/..\\../b",
            "/etc/hostname",
            "\\\\host\\share",
            "C:\\a.bin",
            "file:///etc/hostname",
            "a\0.bin",
            "..",
        ] {
            assert!(!stays_inside(path), "{path}");
        }
    }
}
