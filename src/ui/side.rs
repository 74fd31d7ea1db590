//! The side panel: folding sections, one file each.

use egui::{Margin, Panel, RichText, ScrollArea, Ui};
use serde::{Deserialize, Serialize};

use super::{
    Command, Mode, PanelState, PanelView, animator, blending, clip, cloth, compression, display,
    findings, joints, pose, retarget, theme,
    widgets::{self, Icon},
};

/// Sections of the side panel, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Section {
    /// What is shown, and the list it comes from.
    Clip,
    /// Who plays it.
    Retarget,
    /// Clips in step, and how much each counts.
    Blend,
    /// How they correspond.
    Registration,
    /// States, layers, parameters.
    Animator,
    /// Codecs and what they cost.
    Compression,
    /// What is wrong with the clip.
    Check,
    /// Hands on the character.
    Pose,
    /// A sheet that meets the body.
    Cloth,
    /// Joints.
    Skeleton,
    /// Display options and light.
    Display,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Clip,
        Self::Retarget,
        Self::Blend,
        Self::Registration,
        Self::Animator,
        Self::Compression,
        Self::Check,
        Self::Pose,
        Self::Cloth,
        Self::Skeleton,
        Self::Display,
    ];

    /// Heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Clip => "Clip",
            Self::Retarget => "Retarget",
            Self::Blend => "Blend",
            Self::Registration => "Registration",
            Self::Animator => "Animator",
            Self::Compression => "Compression",
            Self::Check => "Check",
            Self::Pose => "Pose",
            Self::Cloth => "Cloth",
            Self::Skeleton => "Skeleton",
            Self::Display => "Display",
        }
    }

    /// Whether a mode shows it.
    #[must_use]
    pub fn is_for(self, mode: Mode) -> bool {
        match self {
            Self::Clip | Self::Retarget | Self::Compression | Self::Check => mode == Mode::View,
            Self::Blend | Self::Registration => mode == Mode::Blend,
            Self::Animator => mode == Mode::Drive,
            Self::Pose => mode != Mode::Blend,
            Self::Cloth | Self::Skeleton | Self::Display => true,
        }
    }
}

/// A second click of a pair comes within this time: egui's own bound.
const SECOND_CLICK_SECS: f64 = 0.3;

/// Margins below the list of a section.
const BELOW_A_LIST: f32 = 24.0;

pub(super) fn panel_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (panel, margin) = (Panel::right("side"), Margin::symmetric(12, 4));
    widgets::docked(ui, panel, theme::SIDE_WIDTH, margin, |ui| {
        let scroll = ScrollArea::vertical().auto_shrink([false, false]);
        scroll.show(ui, |ui| {
            let bottom = ui.cursor().top() + ui.clip_rect().height();
            for section in Section::ALL {
                if section.is_for(view.mode) {
                    let list_bottom = list_bottom(bottom, section, state, view.mode);
                    let view = PanelView {
                        list_bottom,
                        ..*view
                    };
                    section_ui(ui, section, state, &view, commands);
                }
            }
        });
    });
}

/// A list takes what the headings below its section leave of the panel.
fn list_bottom(bottom: f32, section: Section, state: &PanelState, mode: Mode) -> Option<f32> {
    let later = Section::ALL.into_iter().skip_while(|it| *it != section);
    let later: Vec<Section> = later.skip(1).filter(|it| it.is_for(mode)).collect();
    let headings = widgets::rows_height(later.len()) + BELOW_A_LIST;
    let last = !later.iter().any(|it| state.sections.contains(it));
    last.then_some(bottom - headings)
}

fn section_ui(
    ui: &mut Ui,
    section: Section,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let open = state.sections.contains(&section);
    let colours = theme::palette(ui.style());
    // Blanks make room for the icon, which is painted over the button.
    let text = RichText::new(format!("      {}", section.title())).strong();
    let header = egui::Button::new(text)
        .fill(colours.groove)
        .min_size([ui.available_width(), theme::ROW].into());
    let left = egui::Layout::top_down_justified(egui::Align::LEFT);
    let response = ui.with_layout(left, |ui| ui.add(header)).inner;
    let icon = if open { Icon::Unfolded } else { Icon::Folded };
    let at = response.rect.left_center() + egui::Vec2::new(14.0, 0.0);
    icon.paint(ui.painter(), at, colours.quiet);
    let response = response.on_hover_text("Ctrl+click folds the others");
    let response = widgets::named(response, egui::Role::Button, section.title());
    if response.clicked() {
        let alone = ui.input(|input| input.modifiers.command);
        // Those of the other mode are out of sight and stay as they were left.
        let others = |known: &Section| !alone || !known.is_for(view.mode);
        state
            .sections
            .retain(|known| *known != section && others(known));
        if !open || alone {
            state.sections.push(section);
            state.just_opened = Some((section, ui.input(|input| input.time)));
        }
    }
    if !open {
        return;
    }
    ui.add_space(4.0);
    match section {
        Section::Clip => clip::section_ui(ui, state, view, commands),
        Section::Retarget => {
            retarget::section_ui(ui, state, (view.retarget, view.list_bottom), commands);
        }
        Section::Blend => blending::section_ui(ui, state, view, commands),
        Section::Registration => blending::registration_ui(ui, state, view, commands),
        Section::Animator => animator::section_ui(ui, state, view, commands),
        Section::Compression => compression::section_ui(ui, state, view, commands),
        Section::Check => findings::section_ui(ui, state, view, commands),
        Section::Pose => pose::section_ui(ui, state, view, commands),
        Section::Cloth => cloth::section_ui(ui, &view.cloth, commands),
        Section::Skeleton => joints::section_ui(ui, state, view, commands),
        Section::Display => display::section_ui(ui, view, commands),
    }
    ui.add_space(8.0);
    bring_into_view(ui, section, response.rect, &mut state.just_opened);
}

/// Scrolls to a section that was just opened, its heading first: below the edge
/// of the panel a click would seem to do nothing. Not before the time for a
/// second click is over, which shall find the heading where it was.
fn bring_into_view(
    ui: &Ui,
    section: Section,
    heading: egui::Rect,
    just_opened: &mut Option<(Section, f64)>,
) {
    let Some((_, at_secs)) = just_opened.filter(|(opened, _)| *opened == section) else {
        return;
    };
    let since_secs = ui.input(|input| input.time) - at_secs;
    if since_secs < SECOND_CLICK_SECS {
        let wait = std::time::Duration::from_secs_f64(SECOND_CLICK_SECS - since_secs);
        ui.ctx().request_repaint_after(wait);
        return;
    }
    *just_opened = None;
    let whole = heading.with_max_y(ui.cursor().top().max(heading.bottom()));
    let fits = whole.height() <= ui.clip_rect().height();
    ui.scroll_to_rect(whole, (!fits).then_some(egui::Align::TOP));
}
