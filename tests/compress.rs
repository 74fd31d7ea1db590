//! `compress` and `.kin` files on the command line: the contract's fields,
//! exit codes, and that a container tells the same as its sources.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use kinetoscope::assert_close;
use std::{fs, path::PathBuf};

use common::kinetoscope;
use serde_json::Value;
use tempfile::TempDir;

fn fixture(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name).display().to_string()
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(args: &[&str]) -> Ran {
    let output = kinetoscope().args(args).output().unwrap();
    Ran {
        code: output.status.code().expect("ended by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn json(args: &[&str]) -> Value {
    let ran = run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A container of the fixture that uses every kind of channel.
fn packed(folder: &TempDir, more: &[&str]) -> (String, Value) {
    let out = folder.path().join("out.kin").display().to_string();
    let (asf, amc) = (fixture("every_dof.asf"), fixture("every_dof.amc"));
    let mut args = vec!["compress", &amc, &asf, "-o", &out, "--json"];
    args.extend(more);
    let figures = json(&args);
    (out, figures)
}

#[test]
fn json_holds_the_contract_and_only_the_container_is_left() {
    let folder = TempDir::new().unwrap();
    for (more, codec, setting, value) in [
        (&[][..], "spline", "tolerance_cm", 0.1),
        (&["--tolerance-cm", "0.5"], "spline", "tolerance_cm", 0.5),
        (&["--threshold", "0.02"], "classic", "threshold", 0.02),
        (&["--codec", "tight"], "tight", "tolerance_cm", 0.1),
        (&["--every", "3"], "every", "every", 3.0),
        (&["--codec", "every"], "every", "every", 4.0),
        (&["--bits", "9"], "uniform", "bits", 9.0),
        (&["--rate", "15"], "resampled", "rate_hz", 15.0),
        (&["--codec", "linear"], "linear", "threshold", 0.01),
        (&["--codec", "bspline"], "bspline", "threshold", 0.01),
        (
            &["--codec", "wavelet", "--threshold", "0.1"],
            "wavelet",
            "threshold",
            0.1,
        ),
    ] {
        let (out, figures) = packed(&folder, more);
        let figures = &figures[0];
        assert_eq!(figures["codec"], codec);
        assert_eq!(figures[setting].as_f64(), Some(value), "{figures}");
        let number = |name: &str| {
            let found = figures[name].as_f64();
            found.unwrap_or_else(|| panic!("no {name} in {figures}"))
        };
        let raw = number("frames") * (16.0 * number("joints") + 12.0);
        assert_eq!(number("raw_bytes"), raw);
        assert_close!(number("ratio"), raw / number("bytes"), 1e-9);
        // Its ASF says 60 frames a second.
        let secs = number("frames") / 60.0;
        assert_close!(number("bytes_per_s"), number("bytes") / secs, 1e-6);
        assert_close!(number("raw_bytes_per_s"), raw / secs, 1e-6);
        assert!(number("sample_us") > 0.0);
        assert!(number("bytes") < fs::metadata(&out).unwrap().len() as f64);
        assert!(number("keys") > 0.0 && number("keys_per_joint") > 0.0);
        assert!(number("mean_error_cm") <= number("p99_error_cm"));
        assert!(number("p99_error_cm") <= number("max_error_cm"));
        if setting == "tolerance_cm" {
            assert!(number("max_error_cm") <= value, "{figures}");
        }
        assert!(number("max_rotation_deg") >= 0.0 && number("compress_ms") >= 0.0);
        assert!(number("shell_error_cm") <= number("max_error_cm") * (1.0 + 1e-4));
        assert!(number("half_linear_cm") > 0.0 && number("half_cubic_cm") > 0.0);
        assert!(figures["worst"]["joint"].is_string() && figures["worst"]["frame"].is_u64());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Largest distance between the bones' `end`s (`start` or `end`) in two outputs
/// of `pose`.
fn distance(end: &str, a: &Value, b: &Value) -> f64 {
    let mut worst = 0f64;
    let frames = |pose: &Value| pose["frames"].as_array().unwrap().clone();
    for (a, b) in frames(a).iter().zip(&frames(b)) {
        for (name, ends) in a["joints"].as_object().unwrap() {
            let at = |ends: &Value, i: usize| ends[end][i].as_f64().unwrap();
            let square = (0..3).map(|i| (at(ends, i) - at(&b["joints"][name], i)).powi(2));
            worst = worst.max(square.sum::<f64>().sqrt());
        }
    }
    worst
}

#[test]
fn pose_on_the_container_agrees_with_pose_on_the_source() {
    let folder = TempDir::new().unwrap();
    let (asf, amc) = (fixture("every_dof.asf"), fixture("every_dof.amc"));
    let source = json(&["pose", &amc, &asf]);
    for codec in ["spline", "tight"] {
        let (out, figures) = packed(&folder, &["--codec", codec, "--tolerance-cm", "0.05"]);
        let pose = json(&["pose", &out]);
        assert_eq!(
            pose["frames"].as_array().unwrap().len(),
            source["frames"].as_array().unwrap().len()
        );
        // The promise is for all points within 3 cm of a joint, itself among
        // them (1e-5 for its decimals in JSON); a bone's end swings by its
        // length over 3 cm.
        let joints_cm = distance("start", &source, &pose) * 100.0;
        assert!(joints_cm <= 0.05 + 1e-5, "{codec}: joints {joints_cm} cm");
        let ends_cm = distance("end", &source, &pose) * 100.0;
        assert!(ends_cm < 30.0 * 0.05, "{codec}: ends {ends_cm} cm");
        assert!(figures[0]["max_error_cm"].as_f64().unwrap() <= 0.05);
        let in_file_units = |file: &[&str]| {
            let mut args = vec!["pose", "--unit", "file", "--frames", "0"];
            args.extend(file);
            json(&args)
        };
        let (a, b) = (in_file_units(&[&amc, &asf]), in_file_units(&[&out]));
        assert!(
            distance("start", &a, &b) < 0.5,
            "the scale of the file is kept"
        );
        let info = json(&["info", &out, "--json"]);
        assert_eq!(info[0]["kind"], "compressed");
        assert_eq!(info[0]["codec"], codec);
        assert_eq!(info[0]["tolerance_cm"], 0.05);
        let words = "at every source frame no point within 3 cm of any joint moves by more than";
        assert!(info[0]["promise"].as_str().unwrap().contains(words));
        assert!(run(&["info", &out]).stdout.contains(words));
    }
}

#[test]
fn wrong_usage_ends_with_2_and_a_cure() {
    let (asf, amc) = (fixture("tiny.asf"), fixture("tiny.amc"));
    let cases: [(&[&str], &str); 12] = [
        (&["--codec", "uniform", "--rate", "30"], "--bits"),
        (&["--codec", "bspline", "--bits", "8"], "uniform"),
        (&["--bits", "1"], "2 to 24"),
        (&["--curves", "curves.png"], ".svg or .csv"),
        (
            &["--codec", "classic", "--tolerance-cm", "1"],
            "--threshold",
        ),
        (&["--codec", "spline", "--threshold", "1"], "--tolerance-cm"),
        (&["--tolerance-cm", "0"], "positive"),
        (&["--tolerance-cm", "nan"], "positive"),
        (&["--threshold", "-1"], "unexpected argument"),
        (&["--every", "0"], "1 or more"),
        (
            &["--every", "2", "--codec", "classic"],
            "cannot be used with",
        ),
        (&["--codec", "zip"], "classic"),
    ];
    for (more, expected) in cases {
        let mut args = vec!["compress", amc.as_str(), asf.as_str()];
        args.extend(more);
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{more:?}: {}", ran.stderr);
        assert!(ran.stdout.is_empty());
    }
}

#[test]
fn a_container_of_version_0_1_says_that_three_points_were_promised() {
    let old = fixture("compat/0.1/tight.kin");
    let info = json(&["info", &old, "--json"]);
    let promise = info[0]["promise"].as_str().unwrap();
    assert!(promise.contains("three points 3 cm"), "{promise}");
}

#[test]
fn a_tolerance_that_cannot_be_kept_is_refused_with_one_that_can() {
    let folder = TempDir::new().unwrap();
    let (asf, amc) = (fixture("every_dof.asf"), fixture("every_dof.amc"));
    let out = folder.path().join("out.kin").display().to_string();
    for (codec, tolerance_cm) in [("spline", "1e-6"), ("spline", "1e-30"), ("tight", "1e-9")] {
        let args = ["compress", &amc, &asf, "--codec", codec, "--tolerance-cm"];
        let ran = run(&[&args[..], &[tolerance_cm, "-o", &out]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(!fs::exists(&out).unwrap(), "nothing is written");
        let promised = ran.stderr.split("it can promise ").nth(1).unwrap();
        let promised = promised.split(' ').next().unwrap();
        let figures = json(&[&args[..], &[promised, "--json"]].concat());
        let max_cm = figures[0]["max_error_cm"].as_f64().unwrap();
        let promised: f64 = promised.parse().unwrap();
        assert!(
            max_cm <= promised && promised < 0.1,
            "{max_cm} of {promised}"
        );
    }
}

#[test]
fn a_damaged_or_newer_container_ends_with_3_and_names_the_check() {
    let folder = TempDir::new().unwrap();
    let (out, _) = packed(&folder, &[]);
    let good = fs::read(&out).unwrap();
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let damage: [(Damage<'_>, &str); 4] = [
        (&|bytes| bytes.truncate(bytes.len() / 2), "needs"),
        (
            &|bytes| *bytes.last_mut().unwrap() ^= 1,
            "is damaged: checksum",
        ),
        (&|bytes| bytes[8] = 200, "version 200"),
        (&|bytes| bytes[0] = b'X', "signature"),
    ];
    for (change, expected) in damage {
        let mut bytes = good.clone();
        change(&mut bytes);
        fs::write(&out, bytes).unwrap();
        for command in ["info", "pose"] {
            let ran = run(&[command, &out]);
            assert_eq!(ran.code, 3, "{}", ran.stderr);
            assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
            assert!(ran.stderr.contains("out.kin"), "{}", ran.stderr);
        }
    }
}

#[test]
fn csv_has_a_line_for_every_joint_and_frame() {
    let folder = TempDir::new().unwrap();
    let csv = folder.path().join("errors.csv").display().to_string();
    let (_, figures) = packed(&folder, &["--codec", "all", "--csv", &csv]);
    let text = fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("path,codec,frame,joint,error_cm"));
    let mut worst = std::collections::BTreeMap::<String, f64>::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let error: f64 = cells[4].parse().unwrap();
        let worst = worst.entry(cells[1].to_owned()).or_default();
        *worst = worst.max(error);
    }
    for figures in figures.as_array().unwrap() {
        let found = worst[figures["codec"].as_str().unwrap()];
        let expected = figures["max_error_cm"].as_f64().unwrap();
        assert_close!(found, expected, 1e-5, "{found} {expected}");
    }
    assert_eq!(worst.len(), 9);
}

#[test]
fn curves_tell_every_codec_at_six_settings_and_errors_fall_along_each() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (table, curves) = (file("curves.csv"), file("curves.svg"));
    let (plot, coefficients) = (file("plot.svg"), file("coefficients.svg"));
    let (asf, amc) = (
        fixture("../../assets/performer.asf"),
        fixture("../../assets/clips/jump.amc@90..210"),
    );
    let run_with = |more: &[&str]| {
        let ran = run(&[&["compress", &amc, &asf, "--codec", "all"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    run_with(&[
        "--curves",
        &table,
        "--plot",
        &plot,
        "--coefficients",
        &coefficients,
    ]);
    run_with(&["--curves", &curves]);
    let text = fs::read_to_string(&table).unwrap();
    let mut lines = text.lines();
    let heading = "codec,setting,ratio,bytes,bytes_per_s,max_error_cm,mean_error_cm";
    assert_eq!(lines.next(), Some(heading));
    let mut before = std::collections::BTreeMap::<String, Vec<f64>>::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let error_cm: f64 = cells[6].parse().unwrap();
        before
            .entry(cells[0].to_owned())
            .or_default()
            .push(error_cm);
    }
    assert_eq!(before.len(), 9, "{text}");
    for (codec, errors) in before {
        assert_eq!(errors.len(), 6, "{codec}: {text}");
        // The mean: where nothing is promised in cm, a single worst frame may
        // be a little worse at the next finer threshold.
        let falls = errors.windows(2).all(|pair| pair[1] < pair[0]);
        assert!(falls, "{codec}: {errors:?}");
    }
    let curves = fs::read_to_string(&curves).unwrap();
    for codec in ["uniform", "wavelet", "tight"] {
        assert!(curves.contains(codec));
        assert!(fs::read_to_string(&plot).unwrap().contains(codec));
    }
    let coefficients = fs::read_to_string(&coefficients).unwrap();
    assert!(coefficients.contains("wavelet coefficients reach 0.01"));
    assert!(coefficients.contains("means") && coefficients.contains("class=\"dropped\""));
}
