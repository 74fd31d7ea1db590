//! A file that names others reads only those inside its own folder.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{files_below, fixture, run, text};

const SECRET: &str = "This is nobody's picture. ";

/// A folder with a model and, outside of it, what nobody may see.
struct Planted {
    root: tempfile::TempDir,
}

impl Planted {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["model/deep", "elsewhere"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for secret in ["secret.png", "elsewhere/secret.png", "model-secret.png"] {
            fs::write(root.path().join(secret), SECRET.repeat(40)).unwrap();
        }
        fs::write(root.path().join("model/..\\secret.png"), SECRET.repeat(40)).unwrap();
        #[cfg(unix)]
        for (to, link) in [
            ("../secret.png", "model/link.png"),
            ("../elsewhere", "model/folder"),
        ] {
            std::os::unix::fs::symlink(to, root.path().join(link)).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }

    /// Addresses that lead to the secret, each in its own way.
    fn ways(&self) -> Vec<String> {
        let absolute = text(&self.path("secret.png"));
        let mut ways = [
            "../secret.png",
            "./../secret.png",
            "deep/../../secret.png",
            "%2e%2e/secret.png",
            "%2E%2E%2Fsecret.png",
            "..%2fsecret.png",
            "..\\secret.png",
            "%2e%2e%5csecret.png",
            "../model-secret.png",
        ]
        .map(str::to_owned)
        .to_vec();
        if cfg!(unix) {
            ways.extend(["link.png", "folder/secret.png"].map(str::to_owned));
        }
        ways.push(format!("file://{absolute}"));
        ways.push(absolute.replace('/', "%2F"));
        ways.push(absolute);
        ways
    }
}

fn model() -> Value {
    serde_json::from_slice(&fs::read(fixture("tiny.gltf")).unwrap()).unwrap()
}

/// The fixture with a picture.
fn with_picture(image: &Value) -> Value {
    let mut model = model();
    model["images"] = json!([image]);
    model["textures"] = json!([{ "source": 0 }]);
    model["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": 0 });
    model
}

/// A picture out of a buffer that is a file.
fn picture_in_buffer(uri: &str) -> Value {
    let mut model = with_picture(&json!({ "mimeType": "image/png" }));
    let length = SECRET.len() * 40;
    let buffers = model["buffers"].as_array_mut().unwrap();
    let buffer = buffers.len();
    buffers.push(json!({ "uri": uri, "byteLength": length }));
    let views = model["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": buffer, "byteLength": length }));
    model["images"][0]["bufferView"] = json!(views.len() - 1);
    model
}

/// Runs every command on a file; panics when any of them gives the secret away.
fn look_everywhere(file: &Path, out: &Path, way: &str) -> Vec<super::Ran> {
    fs::create_dir_all(out).unwrap();
    let (file, out_text) = (text(file), text(out));
    let to = |name: &str| format!("{out_text}/{name}");
    let mut calls = vec![
        vec!["info".to_owned(), file.clone(), "--json".to_owned()],
        vec!["pose".to_owned(), file.clone()],
        vec!["compress".into(), file.clone(), "-o".into(), to("c.kin")],
    ];
    for name in ["a.glb", "a.bvh", "a.csv", "a.kin"] {
        calls.push(vec!["convert".into(), file.clone(), "-o".into(), to(name)]);
    }
    let ran: Vec<super::Ran> = calls.iter().map(|call| run(call)).collect();
    let told = ran.iter().map(|it| &*it.stdout);
    let told = told.chain(ran.iter().map(|it| it.stderr.as_bytes()));
    let mut seen: Vec<Vec<u8>> = told.map(<[u8]>::to_vec).collect();
    seen.extend(files_below(out).iter().map(|it| fs::read(it).unwrap()));
    for bytes in seen {
        let found = bytes
            .windows(SECRET.len())
            .any(|it| it == SECRET.as_bytes());
        assert!(!found, "{way} gives the secret away");
    }
    ran
}

#[test]
fn a_gltf_file_reads_nothing_outside_its_folder() {
    let planted = Planted::new();
    let file = planted.path("model/model.gltf");
    for (index, way) in planted.ways().iter().enumerate() {
        let out = planted.path(&format!("out{index}"));
        fs::write(&file, picture_in_buffer(way).to_string()).unwrap();
        for ran in look_everywhere(&file, &out, way) {
            ran.ends_with(3, "inside the folder of the .gltf file");
            assert!(ran.stderr.contains("buffers[1]"), "{way}: {}", ran.stderr);
        }
        // A model without one of its pictures is still a model.
        fs::write(&file, with_picture(&json!({ "uri": way })).to_string()).unwrap();
        let ran = look_everywhere(&file, &out, way);
        assert_eq!(ran[0].code, Some(0), "{way}: {}", ran[0].stderr);
        let told = String::from_utf8_lossy(&ran[0].stdout);
        assert!(
            told.contains("inside the folder of the .gltf file"),
            "{way}"
        );
        let glb = &ran[3].stderr;
        assert!(glb.contains(".png") && glb.contains("left out"), "{glb}");
    }
}

#[test]
fn a_gltf_file_reads_what_lies_inside_its_folder() {
    let planted = Planted::new();
    let file = planted.path("model/model.gltf");
    fs::copy(
        planted.path("secret.png"),
        planted.path("model/deep/a b.png"),
    )
    .unwrap();
    let out = text(&planted.path("a.glb"));
    for way in ["deep/a b.png", "deep/a%20b.png", "./deep/../deep/a b.png"] {
        fs::write(&file, picture_in_buffer(way).to_string()).unwrap();
        run(&["convert", &text(&file), "-o", &out]).ends_with(0, "");
        let bytes = fs::read(&out).unwrap();
        assert!(
            bytes
                .windows(SECRET.len())
                .any(|it| it == SECRET.as_bytes())
        );
    }
    // Also where the file is named without a folder.
    let mut alone = super::kinetoscope();
    alone.current_dir(planted.path("model"));
    let ran = alone.args(["pose", "model.gltf"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(0));
}

#[test]
fn a_motion_names_a_skeleton_but_no_path() {
    let root = tempfile::tempdir().unwrap();
    let inside = root.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::copy(fixture("tiny.asf"), root.path().join("outside.asf")).unwrap();
    let motion = fs::read_to_string(fixture("tiny.amc")).unwrap();
    let absolute = text(&root.path().join("outside.asf"));
    for name in ["../outside.asf", "..\\outside.asf", &absolute] {
        let text_of = format!("#!OML:ASF {name}\n:asf-file {name}\n{motion}");
        fs::write(inside.join("walk.amc"), text_of).unwrap();
        let ran = run(&["pose", &text(&inside.join("walk.amc"))]);
        ran.ends_with(3, "no skeleton found");
    }
}

#[test]
fn clips_are_written_inside_the_folder_whatever_they_are_called() {
    let root = tempfile::tempdir().unwrap();
    let names = [
        "../../escaped",
        "..\\escaped",
        "/escaped",
        "..",
        "",
        "NUL",
        "com1.x",
        "-rf",
        "a\u{1b}[2Jb",
        "Take 001",
        "Take 001",
        "take 001 ",
        &"long".repeat(200),
    ];
    let mut model = model();
    let animation = model["animations"][0].clone();
    let animations = names.iter().map(|name| {
        let mut animation = animation.clone();
        animation["name"] = json!(name);
        animation
    });
    model["animations"] = animations.collect();
    let file = root.path().join("in.gltf");
    fs::write(&file, model.to_string()).unwrap();
    let out = root.path().join("deep/deep/out");
    let ran = run(&["convert", &text(&file), "--to", "csv", "-o", &text(&out)]);
    ran.ends_with(0, "");
    let written = files_below(root.path());
    assert_eq!(written.len(), names.len() + 1, "{written:?}");
    for path in written.iter().filter(|it| **it != file) {
        assert!(path.starts_with(out.join("in")), "{path:?}");
        let name = path.file_name().unwrap().to_str().unwrap();
        let stem = name.split('.').next().unwrap().to_uppercase();
        assert!(!["NUL", "COM1"].contains(&&*stem), "{name}");
        assert!(!name.starts_with(['-', '.', ' ']) && !name.contains(char::is_control));
    }
}
