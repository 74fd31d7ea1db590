//! A joint's wavelet coefficients as shaded cells: what the threshold drops is
//! grey.

use egui::{Color32, Rect, Sense, Ui, pos2, vec2};

use crate::{
    codec::baseline::Scalogram,
    skeleton::JointIndex,
    ui::{ClipView, theme, widgets},
};

const ROW: f32 = 14.0;
const COLUMNS: usize = 120;
/// Shades span so many powers of ten below the largest coefficient.
const DECADES: f32 = 4.0;

/// The picture last made, and of what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoefficientsState {
    of: Option<(usize, JointIndex, f64)>,
    picture: Option<Scalogram>,
}

pub(super) fn show(
    ui: &mut Ui,
    state: &mut CoefficientsState,
    clip: &ClipView<'_>,
    selected: Option<JointIndex>,
    threshold: f64,
) {
    let joint = selected.unwrap_or(0);
    let Some(raw) = clip.raw else { return };
    // A clip stays where it is while it is shown.
    let of = (std::ptr::from_ref(raw).addr(), joint, threshold);
    if state.of != Some(of) {
        state.of = Some(of);
        state.picture = Scalogram::of(raw, joint, threshold, COLUMNS);
    }
    let name = { clip.skeleton.joints() }
        .get(usize::from(joint))
        .map_or("", |it| it.name.as_str());
    let Some(picture) = &state.picture else {
        ui.weak(format!("{name} does not turn; choose another joint"));
        return;
    };
    let share = 100.0 * picture.kept as f64 / picture.all.max(1) as f64;
    ui.weak(format!(
        "{name}: {share:.1} % of {} coefficients kept",
        picture.all
    ));
    cells_ui(ui, picture);
    ui.weak("coarse on top, fine below; time from left to right; grey is dropped");
}

fn cells_ui(ui: &mut Ui, picture: &Scalogram) {
    let size = vec2(ui.available_width(), ROW * picture.rows.len() as f32);
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    widgets::named(response, egui::Role::Image, "Wavelet coefficients");
    let colours = theme::palette(ui.style());
    let painter = ui.painter_at(area);
    painter.rect_filled(area, 0.0, colours.groove);
    let largest = picture.rows.iter().flatten().map(|it| it.largest);
    let largest = largest.fold(0.0, f32::max);
    for (row, cells) in picture.rows.iter().enumerate() {
        let width = size.x / cells.len().max(1) as f32;
        let top = area.top() + ROW * row as f32;
        for (column, cell) in cells.iter().enumerate() {
            let shade = 1.0 + (cell.largest / largest).log10() / DECADES;
            let colour = if cell.kept {
                colours.accent
            } else {
                Color32::GRAY
            };
            // Not above 0: nothing, or no number.
            if shade > 0.0 {
                let left = area.left() + width * column as f32;
                let cell = Rect::from_min_size(pos2(left, top), vec2(width + 0.5, ROW - 1.0));
                painter.rect_filled(cell, 0.0, colour.gamma_multiply(shade));
            }
        }
    }
}
