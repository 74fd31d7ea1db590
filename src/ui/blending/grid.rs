//! The grid of distances as a picture, with the path through it to be dragged.

use egui::{
    Color32, ColorImage, Pos2, Rect, Response, Role, Sense, Stroke, TextureHandle, Ui, Vec2,
};

use super::super::widgets;
use crate::{
    register::{DistanceGrid, Pair, Pin},
    ui::{BlendShown, Blending, BlendingView, Command, PanelState, theme},
};

/// Pixels of the picture at most, either way: the panel has no more.
const MOST_PIXELS: usize = 320;
const MOST_HEIGHT: f32 = 264.0;
/// Distance that is drawn darkest, metres: poses that have nothing in common.
const FAR_M: f32 = 0.4;
/// The path: seen on light and dark alike.
const PATH: Color32 = Color32::from_rgb(226, 74, 40);
/// Pixels around a pin or the path in which it is taken hold of.
const REACH: f32 = 14.0;

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &BlendingView<'_>,
    shown: &BlendShown<'_>,
    commands: &mut Vec<Command>,
) {
    let pairs = shown.registration.pairs();
    pair_ui(ui, &mut state.registered_pair, shown);
    let Some((of, pair)) = pairs.get(state.registered_pair.min(pairs.len().max(1) - 1)) else {
        return;
    };
    let picture = Picture::new(ui, pair, *of, shown);
    picture.drag(ui, view, shown, commands);
    picture.paint(ui, shown, view.pins);
    let colours = theme::palette(ui.style());
    let [down, across] = of.map(|motion| shown.names[motion].as_str());
    widgets::note(
        ui,
        format!("{down} down, {across} across; light is alike"),
        colours.quiet,
    );
    pins_ui(ui, view, commands);
}

/// Which pair, where there are several.
fn pair_ui(ui: &mut Ui, chosen: &mut usize, shown: &BlendShown<'_>) {
    let pairs = shown.registration.pairs();
    *chosen = (*chosen).min(pairs.len().max(1) - 1);
    if pairs.len() < 2 {
        return;
    }
    let word = |index: usize| {
        let [a, b] = pairs[index].0.map(|motion| shown.names[motion].as_str());
        format!("{a} and {b}")
    };
    let box_shown = egui::ComboBox::from_id_salt("pair")
        .width(ui.available_width() - 8.0)
        .selected_text(word(*chosen))
        .show_ui(ui, |ui| {
            for index in 0..pairs.len() {
                ui.selectable_value(chosen, index, word(index));
            }
        });
    widgets::named(box_shown.response, Role::ComboBox, "Pair of clips");
}

fn pins_ui(ui: &mut Ui, view: &BlendingView<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let text = match view.pins.len() {
            0 => "Drag the path where you know better.".to_owned(),
            1 => "1 place is set by hand".to_owned(),
            count => format!("{count} places are set by hand"),
        };
        ui.weak(text);
        if !view.pins.is_empty() && ui.button("As found").clicked() {
            commands.push(Command::Blend(Blending::Pins(Vec::new())));
        }
    });
}

/// Where a grid lies in the panel.
struct Picture<'a> {
    pair: &'a Pair,
    of: [usize; 2],
    area: Rect,
    response: Response,
}

impl<'a> Picture<'a> {
    fn new(ui: &mut Ui, pair: &'a Pair, of: [usize; 2], shown: &BlendShown<'_>) -> Self {
        let (rows, columns) = (pair.grid.rows as f32, pair.grid.columns as f32);
        let width = ui.available_width();
        let height = (width * rows / columns.max(1.0)).clamp(64.0, MOST_HEIGHT);
        let size = Vec2::new(width, height);
        let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let texture = texture(ui, &pair.grid, shown);
        let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
        ui.painter()
            .image(texture.id(), area, whole, Color32::WHITE);
        Self {
            pair,
            of,
            area,
            response: widgets::named(response, Role::Image, "Distance grid"),
        }
    }

    /// Of seconds of both.
    fn at(&self, secs: [f64; 2]) -> Pos2 {
        let grid = &self.pair.grid;
        let part = |secs: f64, count: usize| (secs * grid.rate_hz + 0.5) / count.max(1) as f64;
        let (y, x) = (part(secs[0], grid.rows), part(secs[1], grid.columns));
        self.area.min + self.area.size() * Vec2::new(x as f32, y as f32)
    }

    fn secs_at(&self, at: Pos2) -> [f64; 2] {
        let grid = &self.pair.grid;
        let part = (at - self.area.min) / self.area.size();
        let secs = |part: f32, count: usize| {
            let cell = f64::from(part.clamp(0.0, 1.0)) * count as f64 - 0.5;
            cell.clamp(0.0, count.saturating_sub(1) as f64) / grid.rate_hz
        };
        [secs(part.y, grid.rows), secs(part.x, grid.columns)]
    }

    fn path(&self) -> Vec<Pos2> {
        let rate = self.pair.grid.rate_hz;
        let cells = self.pair.path.iter();
        cells
            .map(|cell| self.at(cell.map(|index| index as f64 / rate)))
            .collect()
    }

    /// The path follows the pointer through a pin; a click goes to its moment.
    fn drag(
        &self,
        ui: &Ui,
        view: &BlendingView<'_>,
        shown: &BlendShown<'_>,
        commands: &mut Vec<Command>,
    ) {
        let id = self.response.id.with("pin");
        if self.response.drag_started()
            && let Some(from) = ui.input(|input| input.pointer.press_origin())
        {
            let taken = self.taken(view.pins, from);
            ui.data_mut(|data| data.insert_temp(id, taken));
        }
        let taken = ui.data(|data| data.get_temp::<Option<usize>>(id)).flatten();
        let pointer = self.response.interact_pointer_pos();
        if let (Some(index), Some(pointer)) = (taken, pointer)
            && (self.response.dragged() || self.response.drag_stopped())
        {
            let mut pins = view.pins.to_vec();
            let (of, secs) = (self.of, self.secs_at(pointer));
            match pins.get_mut(index) {
                Some(pin) => pin.secs = secs,
                None => pins.push(Pin { of, secs }),
            }
            commands.push(Command::Blend(Blending::Pins(pins)));
        } else if let (true, Some(pointer)) = (self.response.clicked(), pointer)
            && let Some(blend) = shown.blend
        {
            let reference_secs = reference_secs_at(shown, self.of[0], self.secs_at(pointer)[0]);
            commands.push(Command::Seek(blend.blend_secs(reference_secs)));
        }
    }

    /// The pin at a place, or the next one where the path is.
    fn taken(&self, pins: &[Pin], at: Pos2) -> Option<usize> {
        let near = |point: Pos2| point.distance(at) <= REACH;
        let own = |pin: &Pin| pin.of == self.of && near(self.at(pin.secs));
        let known = pins.iter().position(own);
        let new = self.path().into_iter().any(near).then_some(pins.len());
        known.or(new)
    }

    fn paint(&self, ui: &Ui, shown: &BlendShown<'_>, pins: &[Pin]) {
        let colours = theme::palette(ui.style());
        let painter = ui.painter_at(self.area.expand(2.0));
        let path = self.path();
        painter.add(egui::Shape::line(path, Stroke::new(2.0, PATH)));
        for pin in pins.iter().filter(|pin| pin.of == self.of) {
            painter.circle_filled(self.at(pin.secs), 6.0, Color32::WHITE);
            painter.circle_filled(self.at(pin.secs), 4.0, PATH);
        }
        let now = self.at(self.of.map(|motion| shown.source_secs[motion]));
        let thin = Stroke::new(1.0, colours.accent);
        painter.hline(self.area.x_range(), now.y, thin);
        painter.vline(now.x, self.area.y_range(), thin);
        painter.circle_filled(now, 5.0, colours.accent);
        painter.circle_stroke(now, 5.0, Stroke::new(1.0, Color32::BLACK));
    }
}

/// The moment of the reference at which one of the clips is at a moment of its
/// own. Curves only rise: halved until nobody sees the difference.
fn reference_secs_at(shown: &BlendShown<'_>, motion: usize, secs: f64) -> f64 {
    let curve = &shown.registration.curves()[motion];
    let [mut low, mut high] = shown.registration.range_secs();
    for _ in 0..32 {
        let middle = (low + high) / 2.0;
        match curve.time_at(middle) < secs {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The picture of a grid, drawn once for each.
fn texture(ui: &Ui, grid: &DistanceGrid, shown: &BlendShown<'_>) -> TextureHandle {
    // A registration lies where it is for as long as it is shown; the path says
    // which pair of it.
    let key = (
        std::ptr::from_ref(shown.registration) as usize,
        std::ptr::from_ref(grid) as usize,
    );
    let id = egui::Id::unique("distance grid");
    let known = ui.data(|data| data.get_temp::<((usize, usize), TextureHandle)>(id));
    match known {
        Some((known, texture)) if known == key => texture,
        _ => {
            let options = egui::TextureOptions::LINEAR;
            let texture = ui.ctx().load_texture("distance grid", image(grid), options);
            ui.data_mut(|data| data.insert_temp(id, (key, texture.clone())));
            texture
        }
    }
}

/// Light where moments are alike, dark where they are not.
fn image(grid: &DistanceGrid) -> ColorImage {
    let size = [grid.columns, grid.rows].map(|count| count.clamp(1, MOST_PIXELS));
    let cell = |pixel: usize, pixels: usize, cells: usize| {
        ((pixel as f64 + 0.5) / pixels as f64 * cells as f64) as usize
    };
    let pixels = (0..size[1]).flat_map(|y| {
        let row = cell(y, size[1], grid.rows);
        (0..size[0]).map(move |x| shade(grid.at(row, cell(x, size[0], grid.columns))))
    });
    ColorImage::new(size, pixels.collect())
}

/// As `blend --grid` has it.
fn shade(distance_m: f32) -> Color32 {
    let far = (distance_m / FAR_M).clamp(0.0, 1.0).sqrt();
    Color32::from_rgb(244, 246, 250).lerp_to_gamma(Color32::from_rgb(22, 30, 58), far)
}
