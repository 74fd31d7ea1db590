//! Text of files is shown, never obeyed: not by a terminal, not by a
//! spreadsheet, and JSON stays JSON.

use std::fs;

use serde_json::{Value, json};

use super::{Ran, fixture, run, text};

/// Clears the screen, rings, writes a title, turns the direction, in seven and
/// eight bits.
const BITES: &str = "a\u{1b}[2J\u{7}\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\r\nerror: forged\u{7f}";

/// The fixture with biting names everywhere.
fn biting_model() -> Value {
    let mut model: Value =
        serde_json::from_slice(&fs::read(fixture("tiny.gltf")).unwrap()).unwrap();
    for list in ["nodes", "meshes", "materials", "animations"] {
        for (index, it) in model[list].as_array_mut().unwrap().iter_mut().enumerate() {
            it["name"] = json!(format!("{BITES}{index}"));
        }
    }
    model["images"] = json!([{ "uri": format!("{BITES}.png") }]);
    model["textures"] = json!([{ "source": 0 }]);
    model["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": 0 });
    model
}

#[track_caller]
fn is_harmless(call: &[&str], ran: &Ran) {
    let stdout = String::from_utf8(ran.stdout.clone()).unwrap();
    for shown in [&stdout, &ran.stderr] {
        let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(odd), "{call:?}: {shown:?}");
        let forged = shown.lines().any(|line| line.starts_with("error: forged"));
        assert!(!forged, "{call:?}: {shown}");
    }
}

#[test]
fn control_characters_of_files_do_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name));
    let model = path(&format!("{}.gltf", BITES.replace('/', "")));
    fs::write(&model, biting_model().to_string()).unwrap();
    let wrong = path("wrong.gltf");
    let mut document = biting_model();
    document["extensionsRequired"] = json!([BITES]);
    fs::write(&wrong, document.to_string()).unwrap();
    let broken = path("broken.bvh");
    fs::write(
        &broken,
        format!("HIERARCHY\nROOT {BITES}\n{{ OFFSET {BITES}"),
    )
    .unwrap();
    let (glb, csv, kin) = (path("a.glb"), path("a.csv"), path("a.kin"));
    let map = path("map.ron");
    fs::write(&map, format!("(links: [(from: [\"{BITES}\"]")).unwrap();
    let calls: [&[&str]; 12] = [
        &["info", &model],
        &["info", &model, "--json"],
        &["info", &wrong, &broken],
        &["pose", &model],
        &["pose", &broken],
        &["pose", &model, "--onto", "performer", "--map", &map],
        &["convert", &model, "-o", &glb],
        &["convert", &model, "-o", &csv],
        &["convert", &model, "--onto", "performer", "-o", &csv],
        &["compress", &model, "-o", &kin],
        &["compress", &model, "--codec", "all", "--json"],
        &["info", &kin],
    ];
    for call in calls {
        is_harmless(call, &run(call));
    }
    let told = run(&["info", &model, "--json"]).stdout;
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(
        told[0]["clip"],
        format!("{BITES}0"),
        "the name itself is whole"
    );
}

#[cfg(unix)]
#[test]
fn json_is_valid_for_any_path() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let odd = folder
        .path()
        .join(std::ffi::OsStr::from_bytes(b"w\xff\xfe\".bvh"));
    fs::copy(fixture("odd.bvh"), &odd).unwrap();
    let other = folder.path().join("other.bvh");
    fs::copy(fixture("odd.bvh"), &other).unwrap();
    let (odd, other) = (odd.as_os_str(), other.as_os_str());
    for (command, more) in [
        ("info", "--json"),
        ("compress", "--json"),
        ("pose", "--unit=m"),
    ] {
        let ran = run(&[command.as_ref(), odd, other, more.as_ref()]);
        ran.ends_with(0, "");
        let list: Vec<Value> = serde_json::from_slice(&ran.stdout).unwrap();
        let path = list[0]["path"].as_str().unwrap();
        assert!(path.ends_with("\".bvh"), "{command}: {path}");
    }
}

#[test]
fn no_cell_of_a_csv_file_is_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name));
    let mut names = ["=HYPERLINK(\"x\")", "+1+2", "-2+3", "@SUM(A1)", "\t=1"].into_iter();
    let mut model: Value =
        serde_json::from_slice(&fs::read(fixture("tiny.gltf")).unwrap()).unwrap();
    for node in model["nodes"].as_array_mut().unwrap() {
        node["name"] = json!(names.next().unwrap());
    }
    let file = path("=1.gltf");
    fs::write(&file, model.to_string()).unwrap();
    let (positions, rotations) = (path("p.csv"), path("r.csv"));
    let (channels, errors) = (path("c.csv"), path("e.csv"));
    run(&["convert", &file, "-o", &positions]).ends_with(0, "");
    run(&["convert", &file, "-o", &rotations, "--csv", "rotations"]).ends_with(0, "");
    run(&["convert", &file, "-o", &channels, "--csv", "channels"]).ends_with(0, "");
    let mut relative = super::kinetoscope();
    relative.current_dir(folder.path());
    let ran = relative
        .args(["compress", "=1.gltf", "--csv", &errors])
        .output();
    assert!(ran.unwrap().status.success());
    for csv in [positions, rotations, channels, errors] {
        let written = fs::read_to_string(&csv).unwrap();
        // Our names hold no comma, so a comma ends a cell.
        for cell in written.lines().flat_map(|line| line.split(',')) {
            let shown = cell.strip_prefix('"').unwrap_or(cell);
            let formula = shown.starts_with(['=', '+', '-', '@', '\t']);
            assert!(!formula || shown.parse::<f64>().is_ok(), "{csv}: {cell}");
        }
        assert!(written.contains("\"'"), "{csv} holds such a name");
    }
}

#[cfg(feature = "viewer")]
#[test]
fn every_command_answers_alike_to_frames_that_are_none() {
    let files = [fixture("tiny.asf"), fixture("tiny.amc")].map(|it| text(&it));
    for frames in [
        "10..5", "5..5", "a..b", "..5", "5..", "-1..3", "1...3", "0..900",
    ] {
        let frames = format!("--frames={frames}");
        let pose = run(&["pose", &files[0], &files[1], &frames]);
        let render = run(&["render", &files[0], &files[1], &frames, "-o", "none.gif"]);
        pose.ends_with(2, "");
        render.ends_with(2, "");
        let words = |ran: &Ran| {
            let line = ran
                .stderr
                .lines()
                .next()
                .unwrap()
                .replace("<LIST>", "<A..B>");
            line.replace(&files[1], "the motion")
        };
        assert_eq!(words(&pose), words(&render), "{frames}");
    }
}
