//! Everybody who was opened can play a part, long after.

use super::*;
use crate::{import::builtin, ui::Retargeting};

/// More people than are held, each of a size of its own.
const PEOPLE: usize = 9;

/// The performer's own files in other units, cut short.
fn person(folder: &Path, index: usize) -> Vec<PathBuf> {
    let stem = folder.join(format!("person_{index}"));
    let [asf, amc] = ["asf", "amc"].map(|end| stem.with_extension(end));
    let length = format!("length 0.{}", 45 + index);
    let skeleton = builtin::SKELETON_ASF.replace("length 0.45", &length);
    std::fs::write(&asf, skeleton).unwrap();
    let walk = builtin::clip("forward").unwrap();
    let end = walk.find("\n20\n").unwrap();
    std::fs::write(&amc, &walk[..end]).unwrap();
    vec![asf, amc]
}

fn lead_is(session: &Session, name: &str) -> bool {
    let lead = session.clips.lead.as_ref();
    lead.is_some_and(|it| it.name == name && it.motion.is_some())
}

fn played_on(session: &Session) -> Option<&str> {
    let facts = &session.clips.lead.as_ref()?.facts;
    let fact = facts.iter().find(|(what, _)| what == "played on");
    fact.map(|(_, whom)| whom.as_str())
}

#[test]
fn nobody_who_was_opened_is_forgotten_and_few_are_held() {
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = Rehearsal::new(person(folder.path(), 0));
    for index in 0..PEOPLE {
        if index > 0 {
            let files = person(folder.path(), index);
            rehearsal.session.apply(Command::Open(files));
        }
        let name = format!("person_{index}.amc");
        rehearsal.until(|session| lead_is(session, &name));
    }
    let names = rehearsal.session.retargeting.names().to_vec();
    assert_eq!(names.len(), PEOPLE + 1, "{names:?}");
    let held = |session: &Session| {
        let all = 0..session.retargeting.names().len();
        all.filter(|&who| session.retargeting.is_held(who)).count()
    };
    assert!(held(&rehearsal.session) <= 6);

    // The first of them is read again.
    assert!(!rehearsal.session.retargeting.is_held(1));
    let play_on = |rehearsal: &mut Rehearsal, who| {
        let asked = Retargeting::PlayOn(who);
        rehearsal.session.apply(Command::Retarget(asked));
    };
    play_on(&mut rehearsal, Some(1));
    rehearsal.until(|session| played_on(session).is_some());
    let height_m = |session: &Session| {
        let lead = session.clips.lead.as_ref().unwrap();
        lead.skeleton.rest_height_m()
    };
    let first_m = height_m(&rehearsal.session);
    assert!(held(&rehearsal.session) <= 6);

    // One whose file is gone is told, and the clip goes on by itself.
    play_on(&mut rehearsal, None);
    let own_m = height_m(&rehearsal.session);
    assert_close!(first_m / own_m, 53.0 / 45.0, 0.01);
    std::fs::remove_file(folder.path().join("person_2.amc")).unwrap();
    play_on(&mut rehearsal, Some(3));
    rehearsal.until(|session| !session.notices.list().is_empty());
    assert_eq!(played_on(&rehearsal.session), None);
    assert_eq!(rehearsal.session.retarget_view().unwrap().chosen, None);
}
