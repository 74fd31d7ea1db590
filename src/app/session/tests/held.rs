//! The clips that are driven, raw and compressed.

use super::*;
use crate::app::drive::CharacterSource;

#[test]
fn clips_are_driven_from_what_memory_holds() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    let session = &mut rehearsal.session;
    session.set_mode(Mode::Drive);
    session.load_animator(CharacterSource::default(), &outbox);
    rehearsal.until(|session| session.driven().is_some());
    let memory = |session: &Session| session.driven().unwrap().view.memory.unwrap();
    let raw = memory(&rehearsal.session);
    assert_eq!((raw.codec, raw.bytes), (Codec::Off, raw.raw_bytes));
    rehearsal.session.apply(Command::HoldClips(Codec::Spline));
    rehearsal.until(|session| memory(session).codec == Codec::Spline);
    let held = memory(&rehearsal.session);
    assert_eq!((held.clips, held.raw_bytes), (raw.clips, raw.raw_bytes));
    assert!(held.bytes * 3 < held.raw_bytes, "{held:?}");
    assert!(
        held.max_error_cm > 0.0 && held.max_error_cm <= 0.1,
        "{held:?}"
    );
    rehearsal.session.drive_key("W", true);
    for _ in 0..120 {
        rehearsal.tick(1.0 / 60.0);
    }
    assert!(rehearsal.session.driven().unwrap().view.speed_m_per_s > 1.0);
    rehearsal.session.apply(Command::HoldClips(Codec::Off));
    rehearsal.until(|session| memory(session) == raw);
}
