//! Which module may use which: the source of the table in ARCHITECTURE.md.

/// A module of the library.
pub struct Module {
    pub name: &'static str,
    /// Modules it may use besides itself.
    pub uses: &'static [&'static str],
    /// What it may do that others may not.
    pub may: &'static [Freedom],
}

/// What most modules never do, so that they run headless and repeat exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Open, write or look for files.
    Files,
    /// Look at the environment and at other processes.
    Environment,
    /// Read a clock.
    Clock,
    /// Start threads of its own.
    Threads,
    /// Share work among rayon's threads, which changes no result.
    Rayon,
}

impl Freedom {
    /// As ARCHITECTURE.md has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Environment => "environment",
            Self::Clock => "clock",
            Self::Threads => "threads",
            Self::Rayon => "rayon",
        }
    }
}

use Freedom::{Clock, Environment, Files, Rayon, Threads};

const fn module(
    name: &'static str,
    uses: &'static [&'static str],
    may: &'static [Freedom],
) -> Module {
    Module { name, uses, may }
}

/// In the order data walks through them; an edge leads to a module above.
pub const TABLE: [Module; 33] = [
    module("testing", &[], &[Files, Environment]),
    module("math", &[], &[]),
    module("units", &[], &[]),
    module("ron_text", &[], &[]),
    module("chart", &[], &[]),
    module("meshopt", &["testing"], &[]),
    module("mocap", &["math", "meshopt"], &[]),
    module("skeleton", &["math"], &[]),
    module("humanoid", &["math", "skeleton"], &[]),
    module("clip", &["math", "skeleton", "humanoid"], &[]),
    module("mesh", &["skeleton"], &[]),
    module(
        "import",
        &[
            "math", "units", "mocap", "skeleton", "humanoid", "clip", "mesh",
        ],
        &[],
    ),
    module("collide", &["math"], &[]),
    module(
        "body",
        &["math", "skeleton", "humanoid", "mesh", "collide"],
        &[Rayon],
    ),
    module(
        "ragdoll",
        &["math", "skeleton", "humanoid", "clip", "collide", "body"],
        &[],
    ),
    module(
        "posing",
        &[
            "math", "skeleton", "humanoid", "clip", "collide", "body", "ragdoll",
        ],
        &[],
    ),
    module(
        "retarget",
        &["math", "ron_text", "skeleton", "humanoid", "clip"],
        &[],
    ),
    module(
        "register",
        &["math", "skeleton", "humanoid", "clip"],
        &[Rayon],
    ),
    module(
        "export",
        &[
            "math", "units", "meshopt", "skeleton", "humanoid", "clip", "mesh",
        ],
        &[],
    ),
    module("exercise", &["math", "mocap", "skeleton", "export"], &[]),
    module(
        "codec",
        &["testing", "math", "units", "meshopt", "skeleton", "clip"],
        &[],
    ),
    module(
        "animator",
        &[
            "math", "ron_text", "skeleton", "humanoid", "clip", "register", "posing",
        ],
        &[],
    ),
    module(
        "analysis",
        &["math", "chart", "skeleton", "humanoid", "clip"],
        &[],
    ),
    module("cloth", &["math", "collide"], &[Rayon]),
    module(
        "scene",
        &[
            "math", "skeleton", "humanoid", "clip", "mesh", "codec", "animator", "posing",
            "ragdoll", "collide", "body", "cloth",
        ],
        &[],
    ),
    module(
        "load",
        &[
            "units", "mocap", "skeleton", "humanoid", "clip", "mesh", "import", "retarget",
            "codec", "animator", "posing", "body", "scene",
        ],
        &[Files, Rayon],
    ),
    module("output", &[], &[Files, Environment, Clock, Threads]),
    module(
        "library",
        &[
            "ron_text", "units", "mocap", "skeleton", "humanoid", "clip", "import", "codec",
            "load", "output",
        ],
        &[Files, Environment, Clock, Rayon],
    ),
    module(
        "convert",
        &[
            "units", "mocap", "humanoid", "clip", "import", "export", "exercise", "codec",
            "analysis", "body", "load",
        ],
        &[],
    ),
    module("render", &["mesh", "body", "scene"], &[]),
    module(
        "ui",
        &[
            "math", "units", "skeleton", "humanoid", "clip", "retarget", "register", "codec",
            "animator", "posing", "analysis", "cloth", "scene", "export", "library", "convert",
            "exercise",
        ],
        &[],
    ),
    module(
        "app",
        &[
            "units", "ron_text", "mocap", "skeleton", "humanoid", "clip", "mesh", "import",
            "retarget", "register", "export", "codec", "animator", "posing", "analysis", "body",
            "cloth", "scene", "load", "output", "library", "convert", "render", "ui", "exercise",
        ],
        &[Files, Environment, Clock, Threads, Rayon],
    ),
    module(
        "cli",
        &[
            "math", "units", "chart", "mocap", "skeleton", "humanoid", "clip", "mesh", "import",
            "retarget", "register", "export", "exercise", "codec", "animator", "posing",
            "analysis", "body", "cloth", "scene", "load", "output", "library", "convert", "render",
            "app",
        ],
        &[Files, Environment, Clock, Rayon],
    ),
];

/// The place of a module in the table.
pub fn rank(name: &str) -> Option<usize> {
    TABLE.iter().position(|module| module.name == name)
}

/// The table as ARCHITECTURE.md prints it.
pub fn markdown() -> String {
    let mut text = String::from("| module | uses | may also |\n|---|---|---|\n");
    for Module { name, uses, may } in &TABLE {
        let uses: Vec<String> = uses.iter().map(|name| format!("`{name}`")).collect();
        let may: Vec<&str> = may.iter().map(|freedom| freedom.word()).collect();
        text += &format!("| `{name}` | {} | {} |\n", uses.join(" "), may.join(", "));
    }
    text
}
