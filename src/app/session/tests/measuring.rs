//! Curves, filters and the exercise of the clip on screen.

use super::*;
use crate::{
    analysis::{Channel, Filter, FindingKind},
    ui::{CheckPage, FilterChoice, JointPage, Section},
};

fn begun() -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal
}

/// Ticks until something holds.
fn tick_until(rehearsal: &mut Rehearsal, holds: impl Fn(&Session) -> bool) {
    let start = Instant::now();
    while !holds(&rehearsal.session) {
        rehearsal.tick(0.01);
        assert!(start.elapsed().as_secs() < 60, "never there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn curves_follow_choice_codec_and_filter_and_a_filtered_clip_can_be_had_back() {
    let mut rehearsal = begun();
    let panels = &mut rehearsal.session.panels;
    panels.sections.push(Section::Skeleton);
    panels.joint_page = JointPage::Curves;
    panels.curves.channels = vec![Channel::Speed, Channel::Jerk];
    rehearsal.session.apply(Command::Select(Some(3)));
    tick_until(&mut rehearsal, |it| it.curving.plot.is_some());
    let plot = rehearsal.session.curving.plot.clone().unwrap();
    assert_eq!(plot.clips.len(), 1);
    assert_eq!(plot.clips[0].1.curves.len(), 2);
    let roughness = |it: &Session| {
        let curves = &it.curving.plot.as_ref().unwrap().clips[0].1.curves;
        curves[1].values.iter().map(|it| it * it).sum::<f64>()
    };
    let rough = roughness(&rehearsal.session);
    rehearsal.session.panels.curves.filter = FilterChoice::Butterworth;
    tick_until(&mut rehearsal, |it| {
        it.curving
            .plot
            .as_ref()
            .is_some_and(|it| it.clips.len() == 2)
    });
    rehearsal.session.panels.curves.filter = FilterChoice::Off;
    let filter = Filter::Butterworth { cutoff_hz: 2.0 };
    rehearsal.session.apply(Command::FilterClip(Some(filter)));
    tick_until(&mut rehearsal, |it| {
        let plot = it.curving.plot.as_ref();
        plot.is_some_and(|plot| plot.is_filtered && plot.clips.len() == 1)
    });
    let smooth = roughness(&rehearsal.session);
    assert!(smooth < 0.5 * rough, "{smooth} of {rough}");
    let facts = &rehearsal.session.clips.lead.as_ref().unwrap().facts;
    assert!(facts.iter().any(|it| it.0 == "filtered"), "{facts:?}");
    rehearsal.session.apply(Command::FilterClip(None));
    tick_until(&mut rehearsal, |it| {
        let plot = it.curving.plot.as_ref();
        plot.is_some_and(|plot| !plot.is_filtered) && (roughness(it) - rough).abs() < 1e-6
    });
}

#[test]
fn two_methods_stand_beside_the_clip_and_go_when_they_are_not_wanted() {
    let mut rehearsal = begun();
    let panels = &mut rehearsal.session.panels;
    panels.sections.push(Section::Check);
    panels.check_page = CheckPage::Gait;
    tick_until(&mut rehearsal, |it| it.measuring.view().gait.is_some());
    rehearsal.session.panels.exercise.on = true;
    tick_until(&mut rehearsal, |it| it.view_scene.characters.len() == 3);
    let made = rehearsal.session.measuring.view().made.to_vec();
    assert_eq!(made.len(), 2);
    let names: Vec<&str> = { rehearsal.session.view_scene.characters.iter() }
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(&names[1..], ["linear Euler", "Bézier SLERP"]);
    // Further keys are further off.
    rehearsal.session.panels.exercise.every = 80;
    let coarse = made[1].grade.total.mean_deg;
    tick_until(&mut rehearsal, |it| {
        let made = it.measuring.view().made;
        made.len() == 2 && made[1].grade.total.mean_deg > coarse
    });
    rehearsal.session.panels.exercise.on = false;
    rehearsal.tick(0.01);
    rehearsal.tick(0.01);
    assert_eq!(rehearsal.session.view_scene.characters.len(), 1);
    assert!(rehearsal.session.measuring.view().fault.is_none());
}

/// A jump with a pop in it: an arm elsewhere for two frames.
fn popping() -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let own = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(name)
    };
    let text = std::fs::read_to_string(own("clips/jump.amc")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&it| lines[it].trim() == "60" || lines[it].trim() == "61")
        .collect();
    assert_eq!(starts.len(), 2);
    for start in starts {
        let at = (start..)
            .find(|&it| lines[it].starts_with("lhumerus "))
            .unwrap();
        lines[at] = "lhumerus 80 80 80".to_owned();
    }
    let (skeleton, clip) = (folder.path().join("p.asf"), folder.path().join("pop.amc"));
    std::fs::copy(own("performer.asf"), &skeleton).unwrap();
    std::fs::write(&clip, lines.join("\n")).unwrap();
    (folder, vec![skeleton, clip])
}

#[test]
fn a_clip_is_mended_in_its_place_and_had_back_as_it_was_captured() {
    let (_folder, files) = popping();
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.findings.is_some());
    let found = rehearsal.session.findings.clone().unwrap();
    assert!(
        found.iter().any(|it| it.kind == FindingKind::Pop),
        "{found:?}"
    );
    rehearsal.session.apply(Command::MendClip(true));
    assert!(rehearsal.session.mend_view().busy);
    rehearsal.until(|session| !session.mend_view().repairs.is_empty());
    rehearsal.until(|session| session.findings.is_some());
    let left = rehearsal.session.findings.clone().unwrap();
    assert!(
        left.iter().all(|it| it.kind != FindingKind::Pop),
        "{left:?}"
    );
    let facts = &rehearsal.session.clips.lead.as_ref().unwrap().facts;
    assert!(facts.iter().any(|it| it.0 == "mended"), "{facts:?}");
    rehearsal.session.apply(Command::MendClip(false));
    rehearsal.until(|session| session.findings.as_ref() == Some(&found));
    assert!(rehearsal.session.mend_view().repairs.is_empty());
    assert!(!rehearsal.session.mend_view().is_changed);
}
