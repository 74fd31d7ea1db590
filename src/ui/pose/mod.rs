//! Hands on the character, a page at a time. Whatever a page does is a
//! [`PoseAction`], the same that scripts write.

mod face;
mod ground;
mod hold;
mod limits;
mod look;
mod meet;
mod props;
mod ragdoll;
mod space;

use egui::Ui;

use super::{Command, Mode, PanelState, PanelView, PosePage, PoseView};
use crate::{posing::PoseAction, skeleton::Skeleton};

/// Whose pose a page speaks of.
#[derive(Clone, Copy)]
struct Posed<'a> {
    skeleton: &'a Skeleton,
    pose: PoseView<'a>,
}

impl Posed<'_> {
    /// What the chosen joint is called, as a word of a script.
    fn chosen(&self) -> Option<String> {
        let joint = self
            .skeleton
            .joints()
            .get(usize::from(self.pose.selected?))?;
        Some(joint.name.replace(' ', "_"))
    }
}

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (Some(clip), Some(pose)) = (&view.clip, view.pose) else {
        ui.weak("Nobody to pose yet.");
        return;
    };
    let posed = Posed {
        skeleton: clip.skeleton,
        pose,
    };
    pages_ui(ui, state);
    if view.mode != Mode::Drive {
        let mut rests = pose.posing.is_at_rest();
        let says = "The skeleton's rest pose instead of the clip's";
        if ui
            .checkbox(&mut rests, "Rest pose")
            .on_hover_text(says)
            .changed()
        {
            act(commands, PoseAction::Rest(rests));
        }
    }
    match state.pose_page {
        PosePage::Hold => hold::page_ui(ui, state, posed, commands),
        PosePage::Look => look::page_ui(ui, state, (posed, view), commands),
        PosePage::Meet => meet::page_ui(ui, state, (posed, view), commands),
        PosePage::Props => props::page_ui(ui, posed, commands),
        PosePage::Ground => ground::page_ui(ui, state, (posed, view.mode == Mode::Drive), commands),
        PosePage::Ragdoll => ragdoll::page_ui(ui, state, posed, commands),
        PosePage::Limits => limits::page_ui(ui, posed, view.limits, commands),
        PosePage::Face => face::page_ui(ui, posed, commands),
    }
}

fn pages_ui(ui: &mut Ui, state: &mut PanelState) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding.x = 6.0;
        for (page, word) in [
            (PosePage::Hold, "Hold"),
            (PosePage::Look, "Look & reach"),
            (PosePage::Meet, "Meet"),
            (PosePage::Props, "Props"),
            (PosePage::Ground, "Ground"),
            (PosePage::Ragdoll, "Ragdoll"),
            (PosePage::Limits, "Limits"),
            (PosePage::Face, "Morphs"),
        ] {
            ui.selectable_value(&mut state.pose_page, page, word);
        }
    });
}

fn act(commands: &mut Vec<Command>, action: PoseAction) {
    commands.push(Command::Pose(action));
}
