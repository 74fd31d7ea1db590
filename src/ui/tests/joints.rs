//! The skeleton section.

use super::*;

#[test]
fn the_joint_tree_searches_and_selects() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.panels.joint_search = "HAND".into();
    let mut harness = harness(bench);
    assert!(harness.query_by_label("root").is_none());
    let wanted = harness.state().skeleton.find("lhand");
    assert!(wanted.is_some());
    assert_eq!(click(&mut harness, "lhand"), [Command::Select(wanted)]);
    harness.state_mut().selected = wanted;
    harness.run_steps(2);
    let parent = harness.state().skeleton.find("lwrist");
    assert_eq!(click(&mut harness, "in lwrist"), [Command::Select(parent)]);
}

#[test]
fn the_chosen_joint_shows_its_curves() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.selected = Some(3);
    bench.curves = Some(JointCurves {
        secs: vec![0.0, 1.0, 2.0],
        angles_deg: [vec![0.0, 10.0, 20.0], vec![5.0; 3], vec![0.0, -5.0, 0.0]],
        positions_cm: [vec![0.0, 30.0, 60.0], vec![90.0; 3], vec![0.0; 3]],
    });
    let mut harness = harness(bench);
    click(&mut harness, "Angles");
    assert!(
        harness
            .query_by_label("turned in its parent, degrees")
            .is_some()
    );
    click(&mut harness, "Position");
    assert!(
        harness
            .query_by_label("position in the world, cm")
            .is_some()
    );
}

/// A plot of two clips, whose curves run from one end to the other.
pub(super) fn curve_plot() -> CurvePlot {
    let curve = |joint: u16, size: f64| crate::analysis::Curve {
        channel: crate::analysis::Channel::Speed,
        joint: Some(joint),
        part: 0,
        name: format!("joint {joint} speed"),
        values: (0..121)
            .map(|it| size * (f64::from(it) * 0.1).sin().abs())
            .collect(),
    };
    let own = crate::analysis::Curves {
        fps: 30.0,
        curves: vec![curve(3, 2.0), curve(8, 1.2)],
    };
    let smooth = own.through(crate::analysis::Filter::MovingAverage { frames: 21 });
    CurvePlot {
        clips: vec![("the clip".into(), own), ("filtered".into(), smooth)],
        is_filtered: true,
    }
}

#[test]
fn the_page_of_curves_seeks_filters_saves_and_keeps_joints() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.selected = Some(3);
    bench.panels.joint_page = JointPage::Curves;
    bench.curve_plot = Some(curve_plot());
    let mut harness = harness(bench);
    assert!(click(&mut harness, "Keep this joint").is_empty());
    assert_eq!(harness.state().panels.curves.joints, [3]);
    let plot = harness.get_by_label("Curves over time").rect();
    assert!(plot.height() > 120.0);
    let asked = click(&mut harness, "Curves over time");
    let [Command::Seek(secs)] = asked[..] else {
        panic!("{asked:?}");
    };
    // The middle of the plot is near the middle of four seconds.
    assert!((1.0..3.0).contains(&secs), "{secs}");
    harness.get_by_label("Save CSV").scroll_to_me();
    harness.run_steps(3);
    assert_eq!(
        click(&mut harness, "Save CSV"),
        [Command::SaveCurves(CurveFile::Csv)]
    );
    assert_eq!(
        click(&mut harness, "As captured"),
        [Command::FilterClip(None)]
    );
    assert!(click(&mut harness, "Butterworth").is_empty());
    let wanted = crate::analysis::Filter::Butterworth { cutoff_hz: 6.0 };
    assert_eq!(
        click(&mut harness, "Apply"),
        [Command::FilterClip(Some(wanted))]
    );
    harness.get_by_label("jerk").scroll_to_me();
    harness.run_steps(3);
    assert!(click(&mut harness, "jerk").is_empty());
    let channels = &harness.state().panels.curves.channels;
    assert!(channels.contains(&crate::analysis::Channel::Jerk));
}
