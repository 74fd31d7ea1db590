//! Buffer views that are packed (`EXT_meshopt_compression`): what the JSON says of
//! them, and their bytes.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::GltfProblem;
use crate::meshopt::{Filter, Mode, PackedView};

/// Names the extension goes by.
pub(super) const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The part of the JSON that is asked for.
#[derive(Deserialize)]
struct Document {
    #[serde(default, rename = "bufferViews")]
    views: Vec<View>,
}

#[derive(Deserialize)]
struct View {
    buffer: usize,
    #[serde(rename = "byteLength")]
    length: u64,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Default, Deserialize)]
struct Extensions {
    #[serde(alias = "KHR_meshopt_compression", rename = "EXT_meshopt_compression")]
    packed: Option<Described>,
}

#[derive(Deserialize)]
struct Described {
    buffer: usize,
    #[serde(default, rename = "byteOffset")]
    offset: u64,
    #[serde(rename = "byteLength")]
    length: u64,
    #[serde(rename = "byteStride")]
    stride: usize,
    count: usize,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// A view whose bytes are packed elsewhere.
#[derive(Debug)]
pub(super) struct Packed {
    view: usize,
    /// The buffer that would hold it plainly.
    pub plain_buffer: usize,
    buffer: usize,
    offset: u64,
    length: u64,
    shape: PackedView,
}

/// The packed views of a file; what is wrong with one comes with its place.
pub(super) fn packed_views(json: &[u8]) -> Result<Vec<Packed>, (String, GltfProblem)> {
    // Only files that name the extension are read twice.
    let names = |name: &&str| json.windows(name.len()).any(|it| it == name.as_bytes());
    if !NAMES.iter().any(names) {
        return Ok(Vec::new());
    }
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let problem = GltfProblem::Other(format!("its packed views: {error}"));
        (String::from("bufferViews"), problem)
    })?;
    let views = document.views.into_iter().enumerate();
    let views = views.filter_map(|(index, view)| {
        let described = view.extensions.packed?;
        let packed = packed(index, view.buffer, view.length, &described);
        Some(packed.map_err(|problem| (place(index), problem)))
    });
    views.collect()
}

fn place(view: usize) -> String {
    format!("bufferViews[{view}]")
}

fn packed(
    view: usize,
    plain_buffer: usize,
    plain_length: u64,
    it: &Described,
) -> Result<Packed, GltfProblem> {
    let unknown = |expected: &str, found: &str| GltfProblem::Expected {
        expected: expected.into(),
        found: found.into(),
    };
    let mode = match it.mode.as_str() {
        "ATTRIBUTES" => Mode::Attributes,
        "TRIANGLES" => Mode::Triangles,
        "INDICES" => Mode::Indices,
        mode => return Err(unknown("ATTRIBUTES, TRIANGLES or INDICES", mode)),
    };
    let filter = it.filter.as_deref().unwrap_or("NONE");
    let Some(filter) = Filter::of_name(filter) else {
        let known = "NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL";
        return Err(unknown(known, filter));
    };
    let shape = PackedView {
        mode,
        filter,
        count: it.count,
        stride: it.stride,
    };
    let wrong = |error: crate::meshopt::UnpackError| GltfProblem::Other(error.to_string());
    shape.check().map_err(wrong)?;
    let unpacked = (it.stride as u64).saturating_mul(it.count as u64);
    if unpacked != plain_length {
        let elements = format!("{} elements of {} bytes", it.count, it.stride);
        return Err(unknown(&format!("{plain_length} bytes"), &elements));
    }
    Ok(Packed {
        view,
        plain_buffer,
        buffer: it.buffer,
        offset: it.offset,
        length: it.length,
        shape,
    })
}

/// The bytes of packed views, by view.
pub(super) fn unpack(
    packed: &[Packed],
    buffers: &[Vec<u8>],
) -> Result<BTreeMap<usize, Vec<u8>>, (String, GltfProblem)> {
    let one = |it: &Packed| {
        let Some(buffer) = buffers.get(it.buffer) else {
            return Err(GltfProblem::NoSuch {
                what: "buffer",
                index: it.buffer,
                count: buffers.len(),
            });
        };
        let needs = it.offset.saturating_add(it.length);
        let has = buffer.len() as u64;
        if needs > has {
            let whole = format!("buffer {}", it.buffer);
            return Err(GltfProblem::Beyond { whole, needs, has });
        }
        let bytes = it.shape.unpack(&buffer[it.offset as usize..needs as usize]);
        bytes.map_err(|error| GltfProblem::Other(format!("its packed bytes are damaged: {error}")))
    };
    let views = packed.iter().map(|it| match one(it) {
        Ok(bytes) => Ok((it.view, bytes)),
        Err(problem) => Err((place(it.view), problem)),
    });
    views.collect()
}
