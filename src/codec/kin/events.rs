//! The events of a clip as a section's body. Readers that do not know it pass
//! over it: a motion without its events is still the motion.
//!
//! ```text
//! u16 version of the section, 1    u32 kind of the clip's section, 2 or 3
//! varint which of that kind, from 0    varint events, for each, in order of time:
//!   f64 seconds    text name
//! ```

use super::{CLIP, Kin, TRACKS, put_text, read_text};
use crate::{
    clip::{Event, EventTrack},
    codec::{
        DecodeError, bad_field,
        bytes::{ByteReader, put_varint},
    },
};

/// The version this reader knows, and the one it writes.
const VERSION: u16 = 1;

/// The bodies of all clips that have events.
pub(super) fn write_all(kin: &Kin) -> Vec<Vec<u8>> {
    let clips = kin.clips.iter().enumerate();
    let clips = clips.map(|(index, it)| (CLIP, index, &it.events));
    let tracks = kin.tracks.iter().enumerate();
    let tracks = tracks.map(|(index, it)| (TRACKS, index, &it.events));
    clips
        .chain(tracks)
        .filter_map(|(kind, index, events)| Some(write(kind, index, events.as_ref()?)))
        .collect()
}

pub(super) fn write(kind: u32, index: usize, track: &EventTrack) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(VERSION.to_le_bytes());
    out.extend(kind.to_le_bytes());
    put_varint(&mut out, index as u32);
    put_varint(&mut out, track.events().len() as u32);
    for event in track.events() {
        out.extend(event.time_secs.to_le_bytes());
        put_text(&mut out, &event.name);
    }
    out
}

/// Gives a clip that was read before its events. Those of a later version are
/// passed over, as the whole section may be.
pub(super) fn read(body: &[u8], kin: &mut Kin) -> Result<(), DecodeError> {
    let mut reader = ByteReader::new(body);
    if reader.u16("version of the events")? > VERSION {
        return Ok(());
    }
    let kind = reader.u32("kind of the clip with events")?;
    let index = reader.varint("clip with events")? as usize;
    let events = match kind {
        CLIP => kin.clips.get_mut(index).map(|it| &mut it.events),
        TRACKS => kin.tracks.get_mut(index).map(|it| &mut it.events),
        _ => None,
    };
    let Some(events) = events else {
        let found = index as u64;
        return Err(bad_field(
            "clip with events",
            found,
            "one before its events",
        ));
    };
    let count = reader.varint("number of events")?;
    let mut list = Vec::new();
    for _ in 0..count {
        let time_secs = reader.f64("time of an event")?;
        if !(time_secs.is_finite() && time_secs >= 0.0) {
            let found = time_secs.to_bits();
            return Err(bad_field("time of an event", found, "0 s or more"));
        }
        let name = read_text(&mut reader, "name of an event")?;
        list.push(Event { time_secs, name });
    }
    reader.finish()?;
    *events = Some(EventTrack::new(list));
    Ok(())
}
