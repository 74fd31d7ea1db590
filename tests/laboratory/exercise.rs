//! `exercise` against a computation of its own: an AMC reader of a few lines,
//! rotation matrices instead of quaternions, powers of matrices instead of
//! slerp, Bernstein polynomials instead of de Casteljau. And `grade`.

use std::{collections::BTreeMap, fs};

use glam::{DMat3, DQuat, DVec3, DVec4};
use kinetoscope::assert_close;

use super::{common, done, json, own, run, within};

/// Frames of an AMC file: the values of every bone.
type Frames = Vec<BTreeMap<String, Vec<f64>>>;

fn amc(text: &str) -> Frames {
    let mut frames = Frames::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.parse::<u32>().is_ok() {
            frames.push(BTreeMap::new());
        } else if let Some(frame) = frames.last_mut() {
            let values = words.map(|word| word.parse().unwrap()).collect();
            frame.insert(first.to_owned(), values);
        }
    }
    frames
}

/// What each bone's values are: letters of its rotations, `t` for others.
fn freedoms(asf: &str) -> BTreeMap<String, String> {
    let letter = |word: &str| match word.to_ascii_lowercase().as_str() {
        "rx" => 'x',
        "ry" => 'y',
        "rz" => 'z',
        _ => 't',
    };
    let mut freedoms = BTreeMap::new();
    let mut name = "root".to_owned();
    for line in asf.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("name") => name = words.next().unwrap_or_default().to_owned(),
            Some("dof" | "order") => {
                freedoms.insert(name.clone(), words.map(letter).collect());
            }
            _ => {}
        }
    }
    freedoms
}

fn about(letter: char, degrees: f64) -> DMat3 {
    let angle = degrees.to_radians();
    match letter {
        'x' => DMat3::from_rotation_x(angle),
        'y' => DMat3::from_rotation_y(angle),
        'z' => DMat3::from_rotation_z(angle),
        _ => DMat3::IDENTITY,
    }
}

fn matrix(letters: &str, values: &[f64]) -> DMat3 {
    let turns = letters.chars().zip(values);
    turns.fold(DMat3::IDENTITY, |done, (letter, &value)| {
        about(letter, value) * done
    })
}

/// Axis times angle of a rotation matrix, and back (Rodrigues).
fn log(m: DMat3) -> DVec3 {
    let skew = DVec3::new(
        m.y_axis.z - m.z_axis.y,
        m.z_axis.x - m.x_axis.z,
        m.x_axis.y - m.y_axis.x,
    );
    let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let angle = (skew.length() / 2.0).atan2((trace - 1.0) / 2.0);
    skew.normalize_or_zero() * angle
}

fn exp(v: DVec3) -> DMat3 {
    match v.length() {
        angle if angle > 1e-15 => DMat3::from_axis_angle(v / angle, angle),
        _ => DMat3::IDENTITY,
    }
}

/// The way from one rotation to another, evenly on beyond them.
fn way(from: DMat3, to: DMat3, t: f64) -> DMat3 {
    from * exp(log(from.transpose() * to) * t)
}

fn angle_deg(a: DMat3, b: DMat3) -> f64 {
    log(a.transpose() * b).length().to_degrees()
}

/// Control points leaving key `n` and arriving at key `n + 1`.
fn controls<P: Copy>(keys: &[P], n: usize, way: impl Fn(P, P, f64) -> P) -> [P; 2] {
    let last = keys.len() - 1;
    let through = |n: usize| way(way(keys[n - 1], keys[n], 2.0), keys[n + 1], 0.5);
    let leaves = match n {
        0 => way(keys[0], way(keys[2], keys[1], 2.0), 1.0 / 3.0),
        n => way(keys[n], through(n), 1.0 / 3.0),
    };
    let arrives = match n + 1 {
        end if end == last => way(keys[end], way(keys[end - 2], keys[end - 1], 2.0), 1.0 / 3.0),
        end => way(keys[end], through(end), -1.0 / 3.0),
    };
    [leaves, arrives]
}

fn catmull_rom<P>(keys: &[P], n: usize, t: f64, value: impl Fn(&P) -> DVec4) -> DVec4 {
    let at = |i: isize| value(&keys[i.clamp(0, keys.len() as isize - 1) as usize]);
    let i = n as isize;
    let [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    // The matrix of the books, tension one half.
    0.5 * (2.0 * b
        + (c - a) * t
        + (2.0 * a - 5.0 * b + 4.0 * c - d) * t * t
        + (3.0 * b - a - 3.0 * c + d) * t * t * t)
}

fn number(keys: &[f64], n: usize, t: f64, method: &str) -> f64 {
    let line = |a: f64, b: f64, t: f64| a + (b - a) * t;
    match method {
        "linear-euler" | "slerp" => line(keys[n], keys[n + 1], t),
        "catmull-rom" => catmull_rom(keys, n, t, |value| DVec4::splat(*value)).x,
        _ => {
            let [a, b] = controls(keys, n, line);
            let s = 1.0 - t;
            s * s * s * keys[n]
                + 3.0 * s * s * t * a
                + 3.0 * s * t * t * b
                + t * t * t * keys[n + 1]
        }
    }
}

fn rotation(keys: &[DMat3], n: usize, t: f64, method: &str) -> DMat3 {
    match method {
        "slerp" => way(keys[n], keys[n + 1], t),
        "bezier-slerp" => {
            let [a, b] = controls(keys, n, way);
            let points = [keys[n], a, b, keys[n + 1]];
            let once = [0, 1, 2].map(|i| way(points[i], points[i + 1], t));
            let twice = [0, 1].map(|i| way(once[i], once[i + 1], t));
            way(twice[0], twice[1], t)
        }
        _ => {
            // All in the half of the sphere that the segment's start is in:
            // keys are near enough to each other for that.
            let here = DVec4::from(DQuat::from_mat3(&keys[n]));
            let value = |key: &DMat3| {
                let q = DVec4::from(DQuat::from_mat3(key));
                q * q.dot(here).signum()
            };
            let sum = catmull_rom(keys, n, t, value);
            DMat3::from_quat(DQuat::from_vec4(sum.normalize()))
        }
    }
}

/// What a bone of two angles keeps of a rotation: the turn about the axis that
/// it lacks comes last, and is dropped.
fn two_angles(letters: &str, m: DMat3) -> [f64; 2] {
    let angles = match letters {
        // Ry · Rz · Rx: the middle row is that of Rz · Rx.
        "xz" => [(-m.z_axis.y).atan2(m.y_axis.y), m.x_axis.y.asin()],
        // Rx · Rz · Ry: the first row is that of Rz · Ry.
        "yz" => [m.z_axis.x.atan2(m.x_axis.x), (-m.y_axis.x).asin()],
        other => panic!("{other} is not among the files of this test"),
    };
    angles.map(f64::to_degrees)
}

/// Where keys are far apart, the way doubled beyond one ends more than half a
/// turn from the next: matrices then know a shorter way, which quaternions that
/// were told their signs do not take.
fn is_clear(keys: &[DMat3], n: usize, method: &str) -> bool {
    let apart = |i: usize| angle_deg(keys[i], keys[i + 1]);
    let around = n.saturating_sub(1)..(n + 2).min(keys.len() - 1);
    let ways: Vec<f64> = around.map(apart).collect();
    method != "bezier-slerp" || ways.windows(2).all(|pair| pair[0] + pair[1] < 179.0)
}

/// The largest difference, degrees or file units.
fn difference(asf: &str, original: &Frames, made: &Frames, every: usize, method: &str) -> f64 {
    let freedoms = freedoms(asf);
    let last = (original.len() - 1) / every * every;
    let mut most: f64 = 0.0;
    assert_eq!(made.len(), original.len());
    for (bone, letters) in freedoms.iter().filter(|it| original[0].contains_key(it.0)) {
        let rows: Vec<&[f64]> = (0..=last)
            .step_by(every)
            .map(|frame| original[frame][bone].as_slice())
            .collect();
        let turning: Vec<usize> = (0..letters.len())
            .filter(|&i| !letters[i..].starts_with('t'))
            .collect();
        let turns: String = turning.iter().map(|&i| &letters[i..=i]).collect();
        let keys: Vec<DMat3> = rows.iter().map(|row| matrix(letters, row)).collect();
        let by_euler = method.ends_with("euler");
        for frame in 0..original.len() {
            let (own, found) = (&original[frame][bone], &made[frame][bone]);
            let (n, part) = (frame / every, frame % every);
            if part == 0 || frame > last {
                let off = own.iter().zip(found).map(|(a, b)| (a - b).abs());
                most = most.max(off.fold(0.0, f64::max));
                continue;
            }
            let t = part as f64 / every as f64;
            for column in (0..letters.len()).filter(|i| by_euler || !turning.contains(i)) {
                let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
                most = most.max((number(&values, n, t, method) - found[column]).abs());
            }
            if !by_euler && !turning.is_empty() && is_clear(&keys, n, method) {
                let due = rotation(&keys, n, t, method);
                most = most.max(match turns.len() {
                    2 => {
                        let due = two_angles(&turns, due);
                        let off = due.iter().zip(&turning).map(|(due, &i)| due - found[i]);
                        // Whole turns are free.
                        let off = off.map(|off| (off - (off / 360.0).round() * 360.0).abs());
                        off.fold(0.0, f64::max)
                    }
                    _ => angle_deg(matrix(letters, found), due),
                });
            }
        }
    }
    most
}

const METHODS: [&str; 5] = [
    "linear-euler",
    "bezier-euler",
    "slerp",
    "bezier-slerp",
    "catmull-rom",
];

fn all_methods_agree(asf: &str, amc_file: &str, every: usize) {
    let folder = tempfile::tempdir().unwrap();
    let skeleton = fs::read_to_string(asf).unwrap();
    let original = amc(&fs::read_to_string(amc_file).unwrap());
    for method in METHODS {
        let (path, out) = within(&folder, "made.amc");
        let every_text = every.to_string();
        done(&[
            "exercise",
            asf,
            amc_file,
            "--every",
            &every_text,
            "--method",
            method,
            "-o",
            &out,
        ]);
        let made = amc(&fs::read_to_string(&path).unwrap());
        let most = difference(&skeleton, &original, &made, every, method);
        eprintln!("{amc_file}, every {every}, {method}: {most:.2e}");
        assert!(most < 1e-4, "{method}: {most}");
    }
}

#[test]
fn all_methods_agree_with_matrices_to_a_ten_thousandth_of_a_degree() {
    let (asf, jump) = (own("assets/performer.asf"), own("assets/clips/jump.amc"));
    all_methods_agree(&asf, &jump, 20);
    all_methods_agree(&asf, &own("assets/clips/attack.amc"), 7);
}

/// The very file that USC's course hands out.
#[test]
fn all_methods_agree_on_a_capture() {
    let Some(corpus) = common::corpus() else {
        return;
    };
    let file = |name: &str| {
        let path = corpus.join("cmu-usc520").join(name);
        path.to_string_lossy().into_owned()
    };
    all_methods_agree(&file("131-dance.asf"), &file("131_04-dance.amc"), 20);
}

#[test]
fn a_motion_graded_against_itself_is_zero() {
    let (asf, jump) = (own("assets/performer.asf"), own("assets/clips/jump.amc"));
    let grade = json(&done(&["grade", &asf, &jump, &jump, "--json"]).stdout);
    for field in ["mean_deg", "max_deg", "mean_cm", "max_cm"] {
        assert_eq!(grade[field], 0.0, "{field}");
    }
    assert_eq!(grade["frames"], 313);
    assert!(grade["worst"]["joint"].is_string() && grade["worst"]["frame"].is_u64());
}

#[test]
fn keeping_every_frame_changes_nothing_and_fewer_keys_are_worse() {
    let folder = tempfile::tempdir().unwrap();
    let (asf, jump) = (own("assets/performer.asf"), own("assets/clips/jump.amc"));
    let (_, out) = within(&folder, "made.amc");
    let mut errors = Vec::new();
    for every in ["1", "5", "20", "60"] {
        done(&[
            "exercise", &asf, &jump, "--every", every, "--method", "slerp", "-o", &out,
        ]);
        let grade = json(&done(&["grade", &asf, &out, &jump, "--json"]).stdout);
        errors.push(grade["mean_deg"].as_f64().unwrap());
    }
    assert!(errors[0] < 1e-5, "{errors:?}");
    assert!(
        errors.windows(2).all(|pair| pair[0] < pair[1]),
        "{errors:?}"
    );
}

#[test]
fn table_and_picture_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (asf, jump) = (own("assets/performer.asf"), own("assets/clips/jump.amc"));
    let (_, out) = within(&folder, "made.amc");
    let (csv, csv_text) = within(&folder, "error.csv");
    let (svg, svg_text) = within(&folder, "error.svg");
    let ran = done(&[
        "exercise",
        &asf,
        &jump,
        "--every",
        "40",
        "--method",
        "bezier-slerp",
        "-o",
        &out,
        "--csv",
        &csv_text,
        "--plot",
        &svg_text,
        "--channel",
        "LFEMUR.rx",
    ]);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("8 keys"),
        "{}",
        ran.stderr
    );
    let table = fs::read_to_string(csv).unwrap();
    let mut lines = table.lines();
    let heading = "frame,time_s,kept,mean_deg,max_deg,mean_cm,max_cm,lfemur.rx,lfemur.rx_made";
    assert_eq!(lines.next(), Some(heading));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|it| it.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 313);
    for row in &rows {
        let kept = (row[0] as usize).is_multiple_of(40) || row[0] > 280.0;
        assert_eq!(row[2] == 1.0, kept, "frame {}", row[0]);
        assert!(
            !kept || row[4] < 1e-5,
            "frame {} is kept: {}",
            row[0],
            row[4]
        );
        assert!(!kept || row[7] == row[8], "frame {}", row[0]);
        assert!(row[3] <= row[4] && row[5] <= row[6]);
    }
    let grade = json(&done(&["grade", &asf, &out, &jump, "--json"]).stdout);
    let most = rows.iter().map(|row| row[4]).fold(0.0, f64::max);
    assert_close!(grade["max_deg"].as_f64().unwrap(), most, 1e-4);
    let picture = fs::read_to_string(svg).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    assert_eq!(picture.matches("class=\"title\"").count(), 3);
    assert!(
        !picture.contains("http") || picture.matches("http").count() == 1,
        "xmlns alone"
    );
}

/// Any file that can be read: a range, a BVH file (whose skeleton comes along),
/// a file whose bones come and go.
#[test]
fn other_files_do_too() {
    let folder = tempfile::tempdir().unwrap();
    let asf = own("assets/performer.asf");
    let (made, out) = within(&folder, "made.amc");
    let range = own("assets/clips/jump.amc") + "@100..200";
    let every = |files: &[&str]| {
        let mut args = vec!["exercise"];
        args.extend(files);
        args.extend(["--every", "4", "--method", "slerp", "-o", &out]);
        done(&args)
    };
    every(&[&asf, &range]);
    assert_eq!(amc(&fs::read_to_string(&made).unwrap()).len(), 100);
    let ran = every(&[
        &own("tests/fixtures/every_dof.asf"),
        &own("tests/fixtures/every_dof.amc"),
    ]);
    assert!(ran.stderr.contains("keys"), "{}", ran.stderr);
    fs::remove_file(&made).unwrap();
    let ran = every(&[&own("assets/clips/run.amc"), &asf]);
    assert!(!folder.path().join("made.asf").exists(), "{}", ran.stderr);
    let (_, bvh) = within(&folder, "run.bvh");
    done(&["convert", &asf, &own("assets/clips/run.amc"), "-o", &bvh]);
    every(&[&bvh]);
    let (asf, asf_text) = within(&folder, "made.asf");
    assert!(asf.exists());
    done(&["grade", &asf_text, &out, &out]);
}

#[test]
fn what_cannot_be_done_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (asf, jump) = (own("assets/performer.asf"), own("assets/clips/jump.amc"));
    let (_, out) = within(&folder, "made.amc");
    let (_, bvh) = within(&folder, "made.bvh");
    let odd = own("tests/fixtures/odd.bvh");
    let method = ["--every", "4", "--method", "slerp", "-o"];
    let with = |files: &[&str], out: &str, rest: &[&str]| {
        let mut args = vec!["exercise"];
        args.extend(files);
        args.extend(method);
        args.push(out);
        args.extend(rest);
        run(&args)
    };
    let cases = [
        (with(&[&asf, &jump], &bvh, &[]), "written as .amc"),
        (with(&[&asf, &jump, &jump], &out, &[]), "one motion, not 2"),
        (with(&[&asf], &out, &[]), "one motion, not 0"),
        (with(&[&asf, &jump], &jump, &[]), "--force"),
        (
            with(&[&asf, &jump], &out, &["--channel", "tail.rx"]),
            "no degree of freedom \"tail.rx\"",
        ),
        (
            run(&["grade", &asf, &jump]),
            "two motions are needed, not 1",
        ),
        (run(&["grade", &asf, &jump, &odd]), "not the same joints"),
        (
            run(&[
                "exercise", &jump, "--every", "0", "--method", "slerp", "-o", &out,
            ]),
            "1 or more",
        ),
    ];
    for (ran, words) in cases {
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert_eq!(run(&["grade", &jump, "missing.amc"]).code, 3);
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}
