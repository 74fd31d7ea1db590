//! What integration tests share.
#![allow(
    dead_code,
    clippy::print_stderr,
    reason = "each test binary uses its own part; a skipped test says so"
)]

use std::path::PathBuf;

pub mod drive;
// Needs an allocator that counts, which only fuzz tests have.
#[allow(
    clippy::expect_used,
    reason = "a wrong number of cases shall fail loudly"
)]
pub mod fuzz;
pub mod mutate;

/// The folder of real captures, or `None` after saying that the test is
/// skipped. In CI a missing folder is a failure.
pub fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("KINETOSCOPE_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/mocap"),
        PathBuf::from,
    );
    if root.join("MANIFEST.tsv").is_file() {
        return Some(root);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "no captures in {}: CI must have them (set KINETOSCOPE_CORPUS)",
        root.display()
    );
    eprintln!(
        "SKIPPED: no captures in {} (set KINETOSCOPE_CORPUS)",
        root.display()
    );
    None
}

/// A folder beside the captures, such as `bvh` or `gltf`, found or missed in
/// the same way.
pub fn beside_corpus(folder: &str) -> Option<PathBuf> {
    let found = corpus()?.join("..").join(folder);
    if found.is_dir() {
        return Some(found);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{} is missing: CI must have it",
        found.display()
    );
    eprintln!("SKIPPED: no folder {}", found.display());
    None
}

/// One line of the corpus' list.
pub struct Listed {
    pub path: String,
    /// Frames for a motion.
    pub frames: Option<usize>,
    /// Bones, root apart, for a skeleton.
    pub bones: Option<usize>,
    /// The skeleton of a motion, relative to the corpus.
    pub asf: Option<String>,
    pub oddities: String,
}

/// The corpus' list.
pub fn manifest(corpus: &std::path::Path) -> Vec<Listed> {
    let text = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    let listed = |line: &str| {
        let mut columns = line.split('\t');
        let path = columns.next().unwrap().to_owned();
        let holds = columns.nth(3).unwrap_or_default().to_owned();
        let oddities = columns.next().unwrap_or_default().to_owned();
        let field = |key: &str| {
            let found = holds.split("; ").find_map(|part| part.strip_prefix(key));
            found.map(str::to_owned)
        };
        Listed {
            frames: field("frames=").and_then(|n| n.parse().ok()),
            bones: field("bones=").and_then(|n| n.parse().ok()),
            asf: field("asf=").filter(|asf| asf != "None"),
            path,
            oddities,
        }
    };
    text.lines().skip(1).map(listed).collect()
}

/// The binary under test.
pub fn kinetoscope() -> assert_cmd::Command {
    assert_cmd::cargo::cargo_bin_cmd!("kinetoscope")
}
