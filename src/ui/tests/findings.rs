//! The Check section, and its marks on the timeline.

use super::*;
use crate::analysis::{Finding, FindingKind};

/// A pop, a slide and a limit.
pub(super) fn findings() -> Vec<Finding> {
    let finding = |kind, joint, (start_frame, end_frame), message: &str| Finding {
        kind,
        joint: Some(joint),
        start_frame,
        end_frame,
        value: 4.2,
        unit: "cm",
        message: message.into(),
    };
    vec![
        finding(
            FindingKind::Slide,
            4,
            (12, 30),
            "lfoot stands and slides 4.2 cm within 0.15 s",
        ),
        finding(
            FindingKind::Pop,
            3,
            (60, 61),
            "ltibia is off by 4.2 cm for 2 frames",
        ),
        finding(
            FindingKind::Limit,
            3,
            (80, 100),
            "ltibia turns 9° further than a human's can",
        ),
    ]
}

#[test]
fn what_can_be_repaired_is_and_can_be_had_back() {
    let mut harness = harness(Bench::new(&[Section::Check]));
    harness.state_mut().findings = Some(findings());
    harness.run_steps(3);
    assert_eq!(click(&mut harness, "Mend"), [Command::MendClip(true)]);
    assert!(harness.query_by_label("As captured").is_none());
    harness.state_mut().repairs = vec![RepairRow {
        start_frame: 12,
        text: "12: slide lfoot, 4.1 cm".into(),
    }];
    harness.state_mut().findings = Some(Vec::new());
    harness.run_steps(3);
    assert_eq!(
        click(&mut harness, "12: slide lfoot, 4.1 cm"),
        [Command::Seek(0.4)]
    );
    assert_eq!(
        click(&mut harness, "As captured"),
        [Command::MendClip(false)]
    );
}

#[test]
fn a_finding_is_a_click_away_and_its_kind_can_be_hidden() {
    let mut harness = harness(Bench::new(&[Section::Check]));
    assert!(harness.query_by_label_contains("yet").is_some());
    harness.state_mut().findings = Some(Vec::new());
    harness.run_steps(3);
    assert!(
        harness
            .query_by_label_contains("Nothing is wrong")
            .is_some()
    );
    harness.state_mut().findings = Some(findings());
    harness.run_steps(3);
    let row = "60: ltibia is off by 4.2 cm for 2 frames";
    assert_eq!(
        click(&mut harness, row),
        [Command::Seek(2.0), Command::Select(Some(3))]
    );
    assert!(click(&mut harness, "pop 1").is_empty());
    assert!(harness.query_by_label(row).is_none());
    assert!(click(&mut harness, "pop 1").is_empty());
    assert!(harness.query_by_label(row).is_some());
}

#[test]
fn the_exercise_and_the_gait_are_pages_of_their_own() {
    use crate::{
        analysis::{FootFigures, FrameError, GaitReport, Grade},
        exercise::Method,
    };
    let mut bench = Bench::new(&[Section::Check]);
    bench.panels.check_page = CheckPage::Exercise;
    let mut harness = harness(bench);
    assert!(click(&mut harness, "Beside the original").is_empty());
    assert!(harness.state().panels.exercise.on);
    let total = FrameError {
        mean_deg: 1.25,
        max_deg: 30.0,
        mean_cm: 0.5,
        max_cm: 4.0,
    };
    harness.state_mut().made = vec![ExerciseFigures {
        method: Method::Slerp,
        grade: Grade {
            frames: vec![total; 60],
            total,
            worst: (0, 0),
        },
    }];
    harness.run_steps(3);
    assert!(
        harness
            .query_by_label_contains("mean 1.25°, largest 30.0°")
            .is_some()
    );
    harness.state_mut().panels.check_page = CheckPage::Gait;
    let foot = FootFigures {
        stance_share: Some(0.62),
        ..FootFigures::default()
    };
    harness.state_mut().gait = Some(GaitReport {
        fps: 30.0,
        frames: 121,
        feet: vec![foot.clone(), foot],
        cadence_per_min: Some(112.0),
        speed_mps: 1.4,
        ..GaitReport::default()
    });
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("112.0 steps/min").is_some());
    assert!(harness.query_all_by_label("62.0").count() == 2);
}
