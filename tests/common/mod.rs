//! What integration tests share.
#![allow(
    dead_code,
    unused_imports,
    clippy::print_stderr,
    reason = "each test binary uses its own part; a skipped test says so"
)]

pub use kinetoscope::testing::{Random, alongside_corpus, corpus};

pub mod drive;
// Needs an allocator that counts, which only fuzz tests have.
#[allow(
    clippy::expect_used,
    reason = "a wrong number of cases shall fail loudly"
)]
pub mod fuzz;
pub mod kin;
pub mod mutate;
pub mod wild;

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
