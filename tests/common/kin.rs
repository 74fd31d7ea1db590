//! The sections of a container, for tests that damage what their checksums
//! protect.

/// Where sections begin, and where their bodies end.
pub fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 20;
    while let Some(size) = bytes.get(at + 4..at + 8) {
        let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
        let end = at + 12 + size;
        if end > bytes.len() {
            break;
        }
        found.push((at, end));
        at = end;
    }
    found
}

/// Makes checksums fit, so that damage reaches what they protect.
pub fn reseal(bytes: &mut [u8]) {
    for (at, end) in sections(bytes) {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[at..at + 8]);
        hasher.update(&bytes[at + 12..end]);
        bytes[at + 8..at + 12].copy_from_slice(&hasher.finalize().to_le_bytes());
    }
}
