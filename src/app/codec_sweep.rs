//! Every codec on one clip, from coarse to fine: the points of the curve
//! "how small for how much error". Runs on a thread of its own until done or
//! until nobody wants it; every point is reported as soon as it is known.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::{Message, Outbox, background, opened_clip::OpenedClip};
use crate::{
    codec::{CodecSettings, Stop, SweepPoint},
    ui::{Codec, RateErrorPoint},
};

/// Settings of each codec, coarse first: coarse is quick.
const SETTINGS: usize = 6;

/// How many points there will be.
pub const POINTS: usize = SETTINGS * CodecSettings::ALL.len();

/// Starts sweeps and says which one counts.
#[derive(Default)]
pub struct CodecSweep {
    newest: Arc<AtomicU64>,
}

impl CodecSweep {
    /// Begins anew with a clip.
    pub fn begin(&self, clip: Arc<OpenedClip>, outbox: &Outbox) {
        // One addition takes a ticket and voids all others: whatever still runs
        // sees so at its next look.
        let ticket = self.newest.fetch_add(1, Ordering::AcqRel) + 1;
        let (newest, outbox) = (Arc::clone(&self.newest), Arc::clone(outbox));
        background(move || {
            let stale = || newest.load(Ordering::Acquire) != ticket;
            for settings in order() {
                let point = measure(&clip, settings, Stop::when(&stale));
                // A codec that was stopped gives nothing, which must not count
                // as a point that cannot be had.
                if stale() {
                    return;
                }
                outbox(Message::SweepPoint(ticket, point));
            }
        });
    }

    /// Ends what is under way.
    pub fn cancel(&self) {
        self.newest.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether a message belongs to the newest sweep.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.newest.load(Ordering::Acquire) == ticket
    }
}

impl Drop for CodecSweep {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The codecs in turn, so that all curves grow together.
fn order() -> impl Iterator<Item = CodecSettings> {
    (0..SETTINGS).flat_map(|step| {
        let at = move |codec: CodecSettings| codec.with(codec.knob().sweep()[step]);
        CodecSettings::ALL.into_iter().map(at)
    })
}

/// `None` where a codec cannot do what it is asked for.
fn measure(opened: &OpenedClip, settings: CodecSettings, stop: Stop<'_>) -> Option<RateErrorPoint> {
    let raw = opened.raw()?;
    let point = SweepPoint::measure(&opened.skeleton, raw, settings, stop)?;
    Some(RateErrorPoint {
        codec: Codec::of(settings),
        setting: settings.value(),
        ratio: raw.raw_bytes() as f64 / point.bytes.max(1) as f64,
        max_cm: point.errors.max_cm,
    })
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use super::*;
    use crate::body::BodyCache;

    #[test]
    fn every_codec_is_measured_and_smaller_costs_more() {
        let clip = OpenedClip::built_in("wave", &mut BodyCache::default()).unwrap();
        let point = |settings| measure(&clip, settings, Stop::NEVER).unwrap();
        let coarse = point(CodecSettings::Spline { tolerance_cm: 3.0 });
        let fine = point(CodecSettings::Spline { tolerance_cm: 0.3 });
        assert!(coarse.ratio > fine.ratio && coarse.max_cm > fine.max_cm);
        assert!(coarse.max_cm <= 3.0 && fine.max_cm <= 0.3);
        assert_eq!(order().count(), POINTS);
    }

    #[test]
    fn a_cancelled_sweep_falls_silent() {
        let clip = Arc::new(OpenedClip::built_in("wave", &mut BodyCache::default()).unwrap());
        let (sender, inbox) = mpsc::sync_channel::<u64>(64);
        let outbox: Outbox = Arc::new(move |message| {
            if let Message::SweepPoint(ticket, _) = message {
                let _ = sender.send(ticket);
            }
        });
        let sweep = CodecSweep::default();
        sweep.begin(clip, &outbox);
        let first = inbox.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(sweep.is_current(first));
        sweep.cancel();
        assert!(!sweep.is_current(first));
        drop(outbox);
        // The thread ends and drops its sender: far fewer than all points came.
        let rest = inbox.iter().count();
        assert!(rest < POINTS - 2, "{rest} more");
    }
}
