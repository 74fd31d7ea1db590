//! Every command with an input that fails, over outputs that exist: they stay
//! as they were, and nothing else appears.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{files_below, fixture, kinetoscope, text};

/// Inputs good and bad, and a folder of files that somebody still needs.
struct Stage {
    root: tempfile::TempDir,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

const OUTPUTS: [&str; 13] = [
    "a.bvh",
    "a.asf",
    "a.amc",
    "a.glb",
    "a.csv",
    "a.kin",
    "map.ron",
    "e.csv",
    "p.png",
    "p.gif",
    "p.svg",
    "sheet.png",
    "t.jsonl",
];

impl Stage {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("in/folder")).unwrap();
        fs::create_dir_all(root.path().join("out")).unwrap();
        for name in ["tiny.asf", "tiny.amc", "odd.bvh"] {
            fs::copy(fixture(name), root.path().join("in").join(name)).unwrap();
        }
        fs::copy(fixture("tiny.gltf"), root.path().join("in/model.gltf")).unwrap();
        fs::write(root.path().join("in/walk.txt"), "0.1 press W\n").unwrap();
        let broken: [(&str, &[u8]); 8] = [
            ("broken.amc", b"1\nroot x\n"),
            ("broken.asf", b":bonedata\nbegin\n"),
            ("broken.bvh", b"HIERARCHY ROOT"),
            ("broken.gltf", b"{"),
            ("broken.kin", b"KINETO\x1a\x0a"),
            ("broken.ron", b"(layers: oops"),
            ("broken.txt", b"0.5 jump about\n"),
            ("folder/broken.bvh", b"HIERARCHY ROOT"),
        ];
        for (name, bytes) in broken {
            fs::write(root.path().join("in").join(name), bytes).unwrap();
        }
        for name in OUTPUTS {
            let path = root.path().join("out").join(name);
            fs::write(path, format!("the precious {name}")).unwrap();
        }
        let mut stage = Self {
            root,
            before: BTreeMap::new(),
        };
        stage.before = stage.now();
        stage
    }

    fn now(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files_below(self.root.path()).into_iter();
        files
            .map(|it| (it.clone(), fs::read(&it).unwrap()))
            .collect()
    }

    /// `<` stands for the folder of inputs, `>` for that of outputs.
    fn argument(&self, word: &str) -> String {
        let within = |folder: &str, name: &str| text(&self.root.path().join(folder).join(name));
        match word.split_at_checked(1) {
            Some(("<", name)) => within("in", name),
            Some((">", name)) => within("out", name),
            _ => word.to_owned(),
        }
    }

    #[track_caller]
    fn fails_and_keeps(&self, call: &str) {
        let args: Vec<String> = call.split(' ').map(|it| self.argument(it)).collect();
        let mut command = kinetoscope();
        // The viewer's way to fail.
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let output = command.args(&args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(matches!(code, Some(1..=4)), "{call}: {code:?} {stderr}");
        assert!(!stderr.is_empty(), "{call} says nothing");
        let now = self.now();
        let names = |files: &BTreeMap<PathBuf, Vec<u8>>| -> BTreeSet<PathBuf> {
            files.keys().cloned().collect()
        };
        assert_eq!(names(&now), names(&self.before), "{call}: {stderr}");
        let changed = now
            .iter()
            .find(|(path, bytes)| self.before[*path] != **bytes);
        assert_eq!(changed.map(|it| it.0), None::<&PathBuf>, "{call}: {stderr}");
    }
}

/// Inputs of which one fails, alone and among good ones.
const FAILING: [&str; 10] = [
    "<broken.amc",
    "<tiny.asf <broken.amc",
    "<tiny.asf <tiny.amc <missing.amc",
    "<tiny.amc <missing.bvh",
    "<broken.asf <tiny.amc",
    "<odd.bvh <broken.bvh",
    "<broken.gltf",
    "<model.gltf <broken.kin",
    "<folder <tiny.amc",
    "<missing",
];

/// What each command writes, in every way it can; `FILES` stands for its
/// inputs. Commands that write no file are called all the same.
fn calls() -> Vec<(&'static str, Vec<String>)> {
    let owned = |calls: &[&str]| calls.iter().map(|it| (*it).to_owned()).collect();
    let maps = "--onto performer --save-map >map.ron";
    let formats = ["bvh", "asf", "amc", "glb", "csv", "kin"];
    let mut convert: Vec<String> = formats
        .iter()
        .map(|ending| format!("convert FILES -o >a.{ending} {maps}"))
        .collect();
    convert.push("convert FILES -o >a.glb".into());
    let compress: Vec<String> = ["spline", "tight", "classic", "all"]
        .iter()
        .map(|codec| format!("compress FILES -o >a.kin --csv >e.csv --codec {codec} {maps}"))
        .collect();
    let render = owned(&[
        "render FILES -o >p.png --trace >t.jsonl --onto performer --save-map >map.ron",
        "render FILES -o >p.gif --trace >t.jsonl",
        "render FILES -o >sheet.png --sheet --trace >t.jsonl",
        "render FILES -o >new --trace >t.jsonl",
    ]);
    vec![
        (
            "blend",
            owned(&[
                "blend FILES -o >a.bvh --grid >p.png",
                "blend FILES -o >a.kin --plain",
            ]),
        ),
        (
            "transition",
            owned(&["transition FILES -o >a.amc", "transition FILES -o >a.glb"]),
        ),
        (
            "graph",
            owned(&[
                "graph FILES --walk 5 -o >a.bvh",
                "graph FILES --walk 5 -o >a.kin",
            ]),
        ),
        (
            "drive",
            owned(&[
                "drive FILES --script <walk.txt -o >a.amc --trace >t.jsonl",
                "drive FILES --script <walk.txt -o >a.kin",
            ]),
        ),
        (
            "exercise",
            owned(&[
                "exercise FILES --every 2 --method slerp -o >a.amc --csv >e.csv --plot >p.svg",
            ]),
        ),
        ("grade", owned(&["grade FILES", "grade FILES --json"])),
        ("info", owned(&["info FILES --json", "info FILES"])),
        ("keys", owned(&["keys FILES --json", "keys FILES"])),
        (
            "check",
            owned(&["check FILES --json --html >p.html", "check FILES"]),
        ),
        (
            "mend",
            owned(&["mend FILES -o >a.bvh", "mend FILES -o >a.kin --json"]),
        ),
        ("report", owned(&["report FILES -o >p.html --csv >e.csv"])),
        (
            "curves",
            owned(&["curves FILES --csv >e.csv --svg >p.svg --filter average=5 -o >a.bvh"]),
        ),
        ("ik", owned(&["ik FILES --to 0,1,0 --plot >p.svg"])),
        ("library", owned(&["library FILES --json"])),
        // Reads nothing: whatever it is given is wrong.
        ("cloth-table", owned(&["cloth-table FILES --csv >e.csv"])),
        ("pose", vec![format!("pose FILES {maps}")]),
        ("convert", convert),
        ("compress", compress),
        ("render", render),
    ]
}

/// Failures that are not those of a capture.
const OTHERS: [&str; 26] = [
    "convert <tiny.asf <tiny.amc -o >a.kin --tolerance-cm 0.0000001",
    "convert <tiny.asf <tiny.amc -o >a.kin --tolerance-cm -1",
    "convert <tiny.asf <tiny.amc <odd.bvh -o >a.bvh",
    "convert <tiny.asf -o >a.amc",
    "convert <tiny.asf -o >a.kin",
    "convert <odd.bvh -o >a.asf",
    "convert <odd.bvh -o >a.amc",
    "convert <tiny.asf <tiny.amc --onto <missing.asf -o >a.bvh",
    "convert <tiny.asf <tiny.amc --onto performer --map <broken.ron -o >a.bvh --save-map >map.ron",
    "convert <tiny.asf <tiny.amc --onto performer --save-map >none/map.ron -o >a.bvh",
    "compress <tiny.asf <tiny.amc -o >a.kin --csv >e.csv --tolerance-cm 0.0000001",
    "compress <tiny.asf <tiny.amc -o >a.kin --csv >none/e.csv",
    "compress <tiny.asf <tiny.amc -o >none/a.kin --csv >e.csv",
    "compress <tiny.asf -o >a.kin --csv >e.csv",
    "pose <tiny.asf <tiny.amc --frames 900 --onto performer --save-map >map.ron",
    "render <tiny.asf <tiny.amc --frame 900 -o >p.png --trace >t.jsonl",
    "render <tiny.asf <tiny.amc --look-at nobody -o >p.png --trace >t.jsonl",
    "render --script <broken.txt -o >p.gif --trace >t.jsonl",
    "render --animator <broken.ron -o >p.gif --trace >t.jsonl",
    "render --script <missing.txt -o >p.png --trace >t.jsonl",
    "drive --script <broken.txt -o >a.amc --trace >t.jsonl",
    "drive --script <missing.txt -o >a.bvh --trace >t.jsonl",
    "drive --script <walk.txt --animator <broken.ron -o >a.glb --trace >t.jsonl",
    "drive --script <walk.txt -o >a.amc --trace >t.jsonl",
    "drive --script <walk.txt -o >a.txt --trace >t.jsonl",
    "<tiny.bvh --trace >t.jsonl",
];

#[test]
fn a_failing_input_leaves_every_output_as_it_was() {
    let stage = Stage::new();
    let known = kinetoscope::cli::command();
    let known: BTreeSet<&str> = known.get_subcommands().map(|it| it.get_name()).collect();
    let walked = calls();
    for command in &known {
        let walks = walked.iter().any(|(name, _)| name == command);
        assert!(walks, "{command} is not walked here: add what it writes");
    }
    for (_, calls) in walked.iter().filter(|(name, _)| known.contains(name)) {
        for (call, files) in calls.iter().flat_map(|it| FAILING.map(|files| (it, files))) {
            stage.fails_and_keeps(&call.replace("FILES", files));
        }
    }
    let others = OTHERS.iter().filter(|it| {
        let first = it.split(' ').next().unwrap();
        known.contains(first) || cfg!(feature = "viewer")
    });
    others.for_each(|call| stage.fails_and_keeps(call));
}

/// Of a folder what succeeds is written and what fails is listed.
#[test]
fn of_a_folder_what_succeeds_is_written() {
    let stage = Stage::new();
    let input = stage.argument("<");
    for (command, to, ending) in [
        ("convert", &["--to", "csv"][..], "csv"),
        ("convert", &["--to", "kin"], "kin"),
        ("compress", &[], "kin"),
    ] {
        let out = stage.root.path().join(format!("{command}-{ending}"));
        let ran = super::run(&[&[command, &input, "-o", &text(&out)][..], to].concat());
        ran.ends_with(3, "the others are written");
        for name in ["broken.amc", "broken.kin", "broken.gltf"] {
            assert!(ran.stderr.contains(name), "{name}: {}", ran.stderr);
        }
        let written = files_below(&out);
        let names: Vec<&Path> = written
            .iter()
            .map(|it| it.strip_prefix(&out).unwrap())
            .collect();
        let expected = ["odd", "tiny", "model"].map(|it| PathBuf::from(format!("{it}.{ending}")));
        assert!(
            expected.iter().all(|it| names.contains(&it.as_path())),
            "{names:?}"
        );
    }
}
