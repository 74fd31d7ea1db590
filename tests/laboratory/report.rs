//! `report` against what the performer's author program set, and against closed
//! forms.

use kinetoscope::{
    analysis::{GaitReport, gait_report},
    assert_close,
    load::{self, LoadOptions},
};

use super::{done, json, own, within};

fn report_on(clip: &str) -> GaitReport {
    let motion = load::performer_clip(clip, LoadOptions::default())
        .unwrap()
        .unwrap();
    gait_report(motion.skeleton(), motion.raw())
}

/// Clip, metres a second, seconds of a stride, share of it a foot is down: as
/// set in `examples/author/performer`.
const SET: [(&str, f64, f64, f64); 3] = [
    ("forward", 1.4, 128.0 / 120.0, 0.61),
    ("backward", 1.0, 132.0 / 120.0, 0.64),
    ("run", 3.5, 84.0 / 120.0, 0.32),
];

#[test]
fn the_performers_gait_is_what_its_author_set() {
    for (clip, speed, stride_secs, stance) in SET {
        let report = report_on(clip);
        assert_close!(report.speed_mps / speed, 1.0, 0.02, "{clip}: speed");
        let cadence = report.cadence_per_min.unwrap();
        assert_close!(cadence * stride_secs / 120.0, 1.0, 0.02, "{clip}: cadence");
        for (foot, side) in report.feet.iter().zip(["left", "right"]) {
            let [own_secs, length] = [foot.stride_secs, foot.stride_length_m].map(Option::unwrap);
            assert_close!(own_secs / stride_secs, 1.0, 0.02, "{clip}, {side}: stride");
            assert_close!(
                length / (speed * stride_secs),
                1.0,
                0.02,
                "{clip}, {side}: length"
            );
            let share = foot.stance_share.unwrap();
            assert_close!(share / stance, 1.0, 0.02, "{clip}, {side}: stance");
        }
        // Nobody limps.
        let uneven = report.asymmetry_percent.map(Option::unwrap);
        assert!(uneven.iter().all(|it| it.abs() < 5.0), "{clip}: {uneven:?}");
    }
}

#[test]
fn a_mass_that_nothing_holds_falls_as_things_do() {
    let report = report_on("jump");
    let heights: Vec<f64> = report
        .centre_of_mass_m
        .iter()
        .map(|it| f64::from(it[1]))
        .collect();
    let top = (0..heights.len())
        .max_by(|&a, &b| heights[a].total_cmp(&heights[b]))
        .unwrap();
    // A tenth of a second to either side of the top: h = g t² / 2.
    let reach = (0.1 * report.fps) as usize;
    let fallen = heights[top] - (heights[top - reach] + heights[top + reach]) / 2.0;
    let secs = reach as f64 / report.fps;
    assert_close!(
        2.0 * fallen / (secs * secs),
        9.81,
        0.2,
        "metres a second squared"
    );
}

#[test]
fn a_report_is_a_page_a_table_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let [(page, page_name), (table, table_name)] =
        ["r.html", "r.csv"].map(|it| within(&folder, it));
    let [skeleton, clips] = ["assets/performer.asf", "assets/clips"].map(own);
    let ran = done(&[
        "report",
        &skeleton,
        &clips,
        "-o",
        &page_name,
        "--csv",
        &table_name,
        "--json",
    ]);
    let all = json(&ran.stdout);
    let forward = all.as_array().unwrap().iter();
    let forward = forward
        .clone()
        .find(|it| it["path"].as_str().unwrap().ends_with("forward.amc"));
    let forward = forward.unwrap();
    assert!(
        forward["steps"].as_u64().unwrap() >= 7,
        "{}",
        forward["steps"]
    );
    assert!(forward["joints"].as_array().unwrap().len() > 20);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("Height of the centre of mass"));
    // Nothing is fetched: the one address that may be there is SVG's own name.
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
    let table = std::fs::read_to_string(table).unwrap();
    assert!(
        table.lines().all(|line| line.split(',').count() == 4),
        "{}",
        &table[..200]
    );
}

/// Skeleton, capture, strikes of the left and of the right foot, and metres a
/// second from the first hips to the last where the walk is straight: counted
/// by eye in the speeds of heel and ball over the ground, four frames at a time.
/// Each begins and ends with one foot in its swing and the other standing.
const COUNTED: [(&str, &str, [usize; 2], Option<f64>); 5] = [
    (
        "cmu-taiyoshoe/02.asf",
        "cmu-usc520/02_02-walk.amc",
        [3, 2],
        Some(4.036 / 2.475),
    ),
    (
        "characterengine/skeleton.asf",
        "cmu-usc520/07_02-walk.amc",
        [3, 2],
        Some(3.518 / 3.45),
    ),
    ("cmu-16/16.asf", "cmu-16/16_12.amc", [3, 3], None),
    ("cmu-16/16.asf", "cmu-16/16_17.amc", [4, 3], None),
    ("cmu-16/16.asf", "cmu-16/16_24.amc", [3, 2], None),
];

#[test]
fn steps_of_five_captures_are_those_counted_by_eye() {
    let Some(root) = kinetoscope::testing::corpus() else {
        return;
    };
    for (skeleton, capture, strikes, speed) in COUNTED {
        let paths = [root.join(skeleton), root.join(capture)];
        let loaded = load::load(&paths, LoadOptions::default());
        let motion = loaded
            .into_iter()
            .find_map(|it| it.1.ok()?.into_motion())
            .unwrap();
        assert!(
            motion.raw().off_treadmill(motion.skeleton()).is_none(),
            "{capture}: who walks through a room is on no treadmill"
        );
        let report = gait_report(motion.skeleton(), motion.raw());
        let found = [0, 1].map(|foot| report.feet[foot].strikes);
        assert_eq!(found, strikes, "{capture}: {:?}", report.feet);
        if let Some(speed) = speed {
            assert_close!(report.speed_mps / speed, 1.0, 0.02, "{capture}: speed");
        }
    }
}

#[test]
fn both_feet_that_land_at_once_make_no_step() {
    let report = report_on("jump");
    assert_eq!(report.cadence_per_min, None);
    assert!(report.feet.iter().all(|it| it.step_secs.is_none()));
}
