//! Events on a lane: seen as small flags, dragged, named, deleted. The timeline
//! of View and the page of Drive show the same lane.

use egui::{Color32, Pos2, Rect, Role, Sense, Shape, Stroke, TextEdit, Ui, Vec2};

use super::{
    EventPanel, theme,
    widgets::{held_at, named},
};
use crate::clip::{Event, EventEdit};

/// Half the width of a flag.
const HALF: f32 = 5.0;
/// How much a flag grows when it is passed.
const FLASH: f32 = 5.0;
const NAME_WIDTH: f32 = 136.0;
/// What a new event is called until it is named.
pub const NEW_EVENT: &str = "event";

/// Where events lie, and how bright each is.
pub(super) struct EventLane<'a> {
    pub events: &'a [Event],
    /// Middle of the flags, points from the top of the window.
    pub y: f32,
    pub x_of: &'a dyn Fn(f64) -> f32,
    pub secs_at: &'a dyn Fn(f32) -> f64,
    /// 1 where one was just passed, falling to 0.
    pub flash: &'a dyn Fn(usize) -> f32,
}

impl EventLane<'_> {
    /// Shows them; what the pointer asks for. A flag that is dragged moves when
    /// it is let go, so that one drag is one step back.
    pub fn ui(&self, ui: &mut Ui, state: &mut EventPanel) -> Option<EventEdit> {
        let mut asked = None;
        for (index, event) in self.events.iter().enumerate() {
            let dragged = state.dragged.filter(|it| it.0 == index).map(|it| it.1);
            let x = (self.x_of)(dragged.unwrap_or(event.time_secs));
            let rect = Rect::from_center_size(Pos2::new(x, self.y), Vec2::splat(4.0 * HALF));
            if !ui.clip_rect().intersects(rect) {
                continue;
            }
            let response = ui.interact(
                rect,
                ui.scope_id().with(("event", index)),
                Sense::click_and_drag(),
            );
            let text = format!(
                "{} at {:.3} s: drag, or click and name it",
                event.name, event.time_secs
            );
            let response = response.on_hover_text(text);
            let response = named(response, Role::Button, &format!("Event {}", event.name));
            if response.clicked() || response.drag_started() {
                state.choose(index, &event.name);
            }
            if let Some(pointer) = held_at(&response).filter(|_| response.dragged()) {
                state.dragged = Some((index, (self.secs_at)(pointer.x)));
            }
            if response.drag_stopped() {
                asked = state
                    .dragged
                    .take()
                    .map(|(index, secs)| EventEdit::Move(index, secs));
            }
            self.paint(ui, index, x, state.chosen == Some(index));
        }
        asked
    }

    fn paint(&self, ui: &Ui, index: usize, x: f32, chosen: bool) {
        let colours = theme::palette(ui.style());
        let flash = (self.flash)(index);
        let size = HALF + FLASH * flash;
        let at = |dx: f32, dy: f32| Pos2::new(x + dx * size, self.y + dy * size);
        let diamond = vec![at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0), at(-1.0, 0.0)];
        let fill: Color32 = match flash > 0.0 {
            true => colours.accent,
            false => colours.text,
        };
        let edge = match chosen {
            true => Stroke::new(2.0, colours.accent),
            false => Stroke::new(1.0, colours.panel),
        };
        ui.painter().add(Shape::convex_polygon(diamond, fill, edge));
    }
}

/// The name of the chosen event, to be changed, and a way to be rid of it.
pub(super) fn chosen_ui(
    ui: &mut Ui,
    state: &mut EventPanel,
    events: &[Event],
) -> Option<EventEdit> {
    let index = state.chosen?;
    let event = events.get(index)?;
    let field = TextEdit::singleline(&mut state.name)
        .desired_width(NAME_WIDTH)
        .hint_text("name");
    let response = named(ui.add(field), Role::TextInput, "Event name");
    if std::mem::take(&mut state.asks_name) {
        response.request_focus();
    }
    let renamed = response.lost_focus() && state.name.trim() != event.name;
    ui.weak(format!("{:.2} s", event.time_secs));
    let delete = ui
        .small_button("Delete")
        .on_hover_text("The chosen event (Del)");
    if named(delete, Role::Button, "Delete event").clicked() {
        return Some(EventEdit::Delete(index));
    }
    renamed.then(|| EventEdit::Rename(index, state.name.clone()))
}
