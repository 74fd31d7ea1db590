//! Colours, sizes and spacing: one place, on a grid of eight points.
//!
//! Text stands at 7 : 1 or better against its panel; the test measures it.

use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Vec2, Visuals};

/// Height of a row with a control.
pub const ROW: f32 = 24.0;
/// Room between rows.
pub const GAP: f32 = 4.0;
/// Width of the side panel.
pub const SIDE_WIDTH: f32 = 304.0;
/// Height of the timeline.
pub const TIMELINE_HEIGHT: f32 = 72.0;
/// Height of the status bar.
pub const STATUS_HEIGHT: f32 = 24.0;
/// Height of the bar at the top.
pub const TOP_HEIGHT: f32 = 32.0;

/// The colours that egui's own visuals have no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Backing of panels, a little see-through.
    pub panel: Color32,
    /// Text.
    pub text: Color32,
    /// Text that matters less.
    pub quiet: Color32,
    /// Marks, the play head, what is chosen.
    pub accent: Color32,
    /// Text on the accent.
    pub on_accent: Color32,
    /// Fine lines.
    pub line: Color32,
    /// Grooves and fields.
    pub groove: Color32,
    /// Buttons, boxes and rails: at rest, under the pointer, held.
    pub controls: [Color32; 3],
    /// Warnings.
    pub warning: Color32,
    /// Errors.
    pub error: Color32,
    /// Rows of marks on the timeline.
    pub marks: [Color32; 4],
    /// Many curves in one plot.
    pub curves: [Color32; 9],
}

/// For dark surroundings.
pub const DARK: Palette = Palette {
    panel: Color32::from_rgba_premultiplied(23, 25, 28, 240),
    text: Color32::from_gray(232),
    quiet: Color32::from_gray(184),
    accent: Color32::from_rgb(242, 169, 59),
    on_accent: Color32::from_gray(16),
    line: Color32::from_gray(62),
    groove: Color32::from_gray(42),
    controls: [
        Color32::from_gray(60),
        Color32::from_gray(74),
        Color32::from_gray(88),
    ],
    warning: Color32::from_rgb(246, 196, 92),
    error: Color32::from_rgb(255, 148, 132),
    marks: [
        Color32::from_rgb(94, 168, 255),
        Color32::from_rgb(255, 122, 92),
        Color32::from_rgb(140, 214, 140),
        Color32::from_rgb(214, 160, 255),
    ],
    curves: [
        Color32::from_rgb(255, 122, 92),
        Color32::from_rgb(140, 214, 140),
        Color32::from_rgb(94, 168, 255),
        Color32::from_gray(170),
        Color32::from_rgb(246, 196, 92),
        Color32::from_rgb(150, 120, 80),
        Color32::from_rgb(255, 150, 200),
        Color32::from_rgb(90, 210, 210),
        Color32::from_rgb(214, 160, 255),
    ],
};

/// For light surroundings.
pub const LIGHT: Palette = Palette {
    panel: Color32::from_rgba_premultiplied(236, 237, 239, 244),
    text: Color32::from_gray(22),
    quiet: Color32::from_gray(66),
    accent: Color32::from_rgb(178, 92, 0),
    on_accent: Color32::from_gray(255),
    line: Color32::from_gray(196),
    groove: Color32::from_gray(216),
    controls: [
        Color32::from_gray(206),
        Color32::from_gray(190),
        Color32::from_gray(174),
    ],
    warning: Color32::from_rgb(110, 66, 0),
    error: Color32::from_rgb(150, 20, 10),
    marks: [
        Color32::from_rgb(20, 90, 190),
        Color32::from_rgb(190, 60, 20),
        Color32::from_rgb(30, 120, 40),
        Color32::from_rgb(120, 50, 170),
    ],
    curves: [
        Color32::from_rgb(190, 60, 20),
        Color32::from_rgb(30, 120, 40),
        Color32::from_rgb(20, 90, 190),
        Color32::from_gray(110),
        Color32::from_rgb(150, 105, 0),
        Color32::from_rgb(110, 80, 40),
        Color32::from_rgb(180, 40, 110),
        Color32::from_rgb(0, 125, 130),
        Color32::from_rgb(120, 50, 170),
    ],
};

/// The palette of the style in force.
#[must_use]
pub fn palette(style: &egui::Style) -> Palette {
    if style.visuals.dark_mode { DARK } else { LIGHT }
}

/// Sets both styles of a context.
pub fn install(context: &egui::Context) {
    context.set_style_of(egui::Theme::Dark, style(&DARK, Visuals::dark()));
    context.set_style_of(egui::Theme::Light, style(&LIGHT, Visuals::light()));
}

fn style(colours: &Palette, mut visuals: Visuals) -> egui::Style {
    visuals.panel_fill = colours.panel;
    // What floats over text must not let it through.
    visuals.window_fill = colours.panel.to_opaque();
    visuals.window_stroke = Stroke::new(1.0, colours.line);
    visuals.extreme_bg_color = colours.groove;
    visuals.faint_bg_color = colours.groove;
    visuals.weak_text_color = Some(colours.quiet);
    visuals.warn_fg_color = colours.warning;
    visuals.error_fg_color = colours.error;
    visuals.selection.bg_fill = colours.accent;
    visuals.selection.stroke = Stroke::new(1.0, colours.on_accent);
    visuals.hyperlink_color = colours.accent;
    visuals.slider_trailing_fill = true;
    visuals.indent_has_left_vline = false;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.disabled_alpha = 0.6;
    let widgets = &mut visuals.widgets;
    widgets.noninteractive.fg_stroke.color = colours.text;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, colours.line);
    let [resting, pointed, held] = colours.controls;
    for (state, fill) in [
        (&mut widgets.inactive, resting),
        (&mut widgets.hovered, pointed),
        (&mut widgets.active, held),
        (&mut widgets.open, resting),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.fg_stroke.color = colours.text;
        state.corner_radius = CornerRadius::same(4);
        // Rows stand close: a control that grows would cover its neighbours.
        state.expansion = 0.0;
    }
    let mut style = egui::Style {
        visuals,
        // An animation asks for frame after frame while nothing happens.
        animation_time: 0.0,
        ..egui::Style::default()
    };
    set_sizes(&mut style);
    style
}

fn set_sizes(style: &mut egui::Style) {
    let font = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, font(13.0)),
        (TextStyle::Body, font(14.0)),
        (TextStyle::Button, font(14.0)),
        (TextStyle::Heading, font(18.0)),
        (
            TextStyle::Monospace,
            FontId::new(13.0, FontFamily::Monospace),
        ),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(8.0, GAP);
    spacing.button_padding = Vec2::new(8.0, 2.0);
    spacing.interact_size = Vec2::new(32.0, ROW);
    spacing.indent = 16.0;
    spacing.slider_width = 120.0;
    spacing.combo_width = 112.0;
    spacing.window_margin = Margin::same(16);
    spacing.menu_margin = Margin::same(8);
    spacing.icon_width = 16.0;
    spacing.icon_width_inner = 10.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance by WCAG 2.
    fn luminance(colour: Color32) -> f64 {
        let linear = |byte: u8| {
            let x = f64::from(byte) / 255.0;
            if x <= 0.04045 {
                x / 12.92
            } else {
                ((x + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_stands_seven_to_one_against_its_panel() {
        for colours in [DARK, LIGHT] {
            let texts = [colours.text, colours.quiet, colours.warning, colours.error];
            for text in texts {
                let found = contrast(text, colours.panel);
                assert!(found >= 7.0, "{text:?} on {:?}: {found:.1}", colours.panel);
            }
            assert!(contrast(colours.on_accent, colours.accent) >= 4.5);
            let resting = contrast(colours.controls[0], colours.panel);
            assert!(resting >= 1.3, "controls are seen: {resting:.2}");
            for control in colours.controls {
                assert!(contrast(colours.text, control) >= 4.5);
            }
            assert!(f32::from(colours.panel.a()) / 255.0 >= 0.88);
        }
    }
}
