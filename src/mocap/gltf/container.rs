//! The binary container: a header, a JSON chunk, a binary chunk.

use super::GltfProblem;

/// The first bytes of a binary file.
pub(super) const MAGIC: &[u8; 4] = b"glTF";
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// The JSON and, of a binary file, the first buffer.
pub(super) struct Chunks<'a> {
    pub json: &'a [u8],
    pub binary: Option<&'a [u8]>,
}

/// Takes a file apart; a text file is its own JSON.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, GltfProblem> {
    if !bytes.starts_with(MAGIC) {
        return text(bytes);
    }
    let damaged = |why: String| GltfProblem::Container(why);
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
        four.map(u32::from_le_bytes)
            .ok_or_else(|| damaged(format!("it ends after {} bytes", bytes.len())))
    };
    let version = word(4)?;
    if version != 2 {
        let why = format!("its container has version {version}, and 2 is read here");
        return Err(GltfProblem::NotGltf(why));
    }
    let length = word(8)? as usize;
    // Shorter is fine: what follows the stated length is not ours.
    if length > bytes.len() {
        let why = format!("it says {length} bytes and has {}", bytes.len());
        return Err(damaged(why));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = HEADER_BYTES;
    while at < length {
        let (size, kind) = (word(at)? as usize, word(at + 4)?);
        let start = at + CHUNK_HEADER_BYTES;
        let end = start.saturating_add(size);
        if end > length {
            let why = format!("a chunk of {size} bytes at {at} leaves its {length} bytes");
            return Err(damaged(why));
        }
        let chunk = &bytes[start..end];
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BIN if binary.is_none() => binary = Some(chunk),
            _ => {} // to be skipped, says the format
        }
        at = end;
    }
    let json = json.ok_or_else(|| damaged("it has no JSON chunk".into()))?;
    Ok(Chunks { json, binary })
}

fn text(bytes: &[u8]) -> Result<Chunks<'_>, GltfProblem> {
    let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match json.trim_ascii_start().first() {
        Some(b'{') => Ok(Chunks { json, binary: None }),
        Some(_) => Err(GltfProblem::NotGltf(
            "it starts neither with \"glTF\" nor with a brace".into(),
        )),
        None => Err(GltfProblem::NotGltf("it is empty".into())),
    }
}
