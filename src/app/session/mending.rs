//! The shown clip mended in its place, and had back as it was captured.

use super::Session;
use crate::{
    analysis::{Mended, Repair},
    ui::{MendView, Mode, RepairRow, Severity},
};

/// What was repaired, and whether that is under way.
#[derive(Default)]
pub(super) struct Mending {
    busy: bool,
    repairs: Vec<RepairRow>,
}

impl Session {
    /// Mends the shown clip, or reads it again as it was captured.
    pub(super) fn mend_clip(&mut self, mended: bool) {
        if self.mode != Mode::View {
            return self.tell(Severity::Info, "Clips are mended in View");
        }
        if !mended {
            return self.reread_shown();
        }
        if let Some(clip) = self.clips.shown_entry().cloned() {
            self.mending.busy = true;
            self.jobs.mend.ask(clip);
        }
    }

    /// Another clip is shown: what was asked for the one before is void.
    pub(super) fn forget_mending(&mut self) {
        self.jobs.mend.forget();
        self.mending = Mending::default();
    }

    pub(super) fn receive_mended(&mut self, mended: Mended) {
        self.mending.busy = false;
        let Mended {
            clip,
            repairs,
            left,
        } = mended;
        if repairs.is_empty() {
            return self.tell(Severity::Info, "Nothing of it can be repaired");
        }
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let most_cm = repairs.iter().map(|it| it.moved_cm).fold(0.0, f64::max);
        let done = counted(repairs.len(), "repair");
        self.replace_shown(|shown| shown.changed(("mended", &done), clip));
        let left = counted(left.len(), "finding");
        let text = format!("{done}, by {most_cm:.1} cm at most; {left} left");
        self.tell(Severity::Info, text);
        let skeleton = self.clips.shown_entry().map(|it| &it.skeleton);
        let row = |repair: &Repair| {
            let joint = repair.joint.zip(skeleton);
            let joint = joint.and_then(|(joint, of)| of.joints().get(joint));
            let joint = joint.map_or(String::new(), |it| format!(" {}", it.name));
            let (kind, start_frame) = (repair.kind.word(), repair.start_frame);
            RepairRow {
                start_frame,
                text: format!("{start_frame}: {kind}{joint}, {:.1} cm", repair.moved_cm),
            }
        };
        self.mending.repairs = repairs.iter().map(row).collect();
    }

    pub(super) fn mend_view(&self) -> MendView<'_> {
        MendView {
            busy: self.mending.busy,
            repairs: &self.mending.repairs,
            is_changed: self.clips.is_shown_changed(),
        }
    }
}
