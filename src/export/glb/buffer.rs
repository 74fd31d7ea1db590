//! The binary part, what describes it, and the container of both.

use serde_json::{Value, json};

use crate::meshopt::{Filter, encode_attributes};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

/// What a buffer view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Key times, values, matrices, pictures.
    Data,
    /// Attributes of vertices.
    Vertices,
    /// Corners of triangles.
    Indices,
}

impl Use {
    fn target(self) -> Option<u32> {
        match self {
            Self::Data => None,
            Self::Vertices => Some(34_962),
            Self::Indices => Some(34_963),
        }
    }
}

/// One view for each accessor.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
    times: Vec<(Vec<f32>, usize)>,
    /// What packed views take when they are unpacked.
    unpacked: usize,
}

/// The extension that packs views.
pub(super) const PACKED: &str = "EXT_meshopt_compression";
/// The buffer that stands for packed views and has no bytes.
const UNPACKED_BUFFER: usize = 1;

fn kind_of(width: usize) -> &'static str {
    match width {
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        16 => "MAT4",
        _ => "SCALAR",
    }
}

impl Buffer {
    /// Bytes of their own, starting at a multiple of four.
    pub fn view(&mut self, bytes: impl IntoIterator<Item = u8>, purpose: Use) -> usize {
        // Floats have to start at multiples of their size; four suits every
        // kind.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - offset;
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        if let Some(target) = purpose.target() {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// A view of elements as the filter wants them, packed; an empty one is left out,
    /// and nobody may ask for it.
    pub fn packed(&mut self, elements: &[u8], stride: usize, filter: Filter) -> usize {
        if elements.is_empty() {
            return usize::MAX;
        }
        let packed = encode_attributes(elements, stride);
        let index = self.view(packed, Use::Data);
        let stored = self.views[index].clone();
        // Views of the plain numbers begin where floats may.
        let offset = self.unpacked.next_multiple_of(4);
        self.unpacked = offset + elements.len();
        let mut how = json!({
            "buffer": 0,
            "byteOffset": stored["byteOffset"],
            "byteLength": stored["byteLength"],
            "byteStride": stride,
            "count": elements.len() / stride,
            "mode": "ATTRIBUTES",
        });
        if filter != Filter::None {
            how["filter"] = json!(filter.name());
        }
        self.views[index] = json!({
            "buffer": UNPACKED_BUFFER,
            "byteOffset": offset,
            "byteLength": elements.len(),
            "extensions": { PACKED: how },
        });
        index
    }

    /// The buffers of the document.
    pub fn buffers(&self) -> Vec<Value> {
        let mut buffers = vec![json!({ "byteLength": self.bytes.len() })];
        if self.has_packed() {
            buffers.push(json!({
                "byteLength": self.unpacked,
                "extensions": { PACKED: { "fallback": true } },
            }));
        }
        buffers
    }

    /// Whether readers need the extension.
    pub fn has_packed(&self) -> bool {
        self.unpacked > 0
    }

    /// Takes an accessor as it is.
    pub fn push_accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Numbers in elements of `width`.
    pub fn floats(&mut self, width: usize, values: &[f32], purpose: Use) -> usize {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        let view = self.view(bytes, purpose);
        self.accessor(view, FLOAT, values.len() / width, kind_of(width))
    }

    /// The same with the smallest and largest of each component.
    pub fn bounded(&mut self, width: usize, values: &[f32], purpose: Use) -> usize {
        let index = self.floats(width, values, purpose);
        let bound = |pick: fn(f32, f32) -> f32| {
            let of = |component: usize| {
                let own = values.iter().skip(component).step_by(width).copied();
                f64::from(own.reduce(pick).unwrap_or(0.0))
            };
            (0..width).map(of).collect::<Vec<f64>>()
        };
        self.accessors[index]["min"] = json!(bound(f32::min));
        self.accessors[index]["max"] = json!(bound(f32::max));
        index
    }

    /// Key times; the same ones are stored once.
    pub fn times(&mut self, times: &[f32]) -> usize {
        if let Some((_, index)) = self.times.iter().find(|(known, _)| known == times) {
            return *index;
        }
        let index = self.bounded(1, times, Use::Data);
        self.times.push((times.to_vec(), index));
        index
    }

    /// Four 16-bit numbers an element, as they are or as fractions.
    pub fn shorts(&mut self, values: &[[u16; 4]], fractions: bool) -> usize {
        let bytes = values.as_flattened().iter().flat_map(|it| it.to_le_bytes());
        let view = self.view(bytes, Use::Vertices);
        let index = self.accessor(view, UNSIGNED_SHORT, values.len(), "VEC4");
        if fractions {
            self.accessors[index]["normalized"] = json!(true);
        }
        index
    }

    /// Corners, in 16 bits where they fit.
    pub fn indices(&mut self, indices: &[u32]) -> usize {
        // The largest number is kept free, as the format asks.
        let short = indices.iter().all(|&it| it < u32::from(u16::MAX));
        let (view, component) = if short {
            let bytes = indices.iter().flat_map(|&it| (it as u16).to_le_bytes());
            (self.view(bytes, Use::Indices), UNSIGNED_SHORT)
        } else {
            let bytes = indices.iter().flat_map(|it| it.to_le_bytes());
            (self.view(bytes, Use::Indices), UNSIGNED_INT)
        };
        self.accessor(view, component, indices.len(), "SCALAR")
    }
}

/// Header, JSON chunk padded with blanks, binary chunk padded with zeros.
pub(super) fn container(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = binary.len().next_multiple_of(4);
    let total = 12 + 8 + text.len() + 8 + padded;
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(total as u32).to_le_bytes());
    for (chunk, kind, length) in [
        (text.as_slice(), b"JSON", text.len()),
        (binary, b"BIN\0", padded),
    ] {
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(chunk);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}
