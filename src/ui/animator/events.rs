//! What happens: the events of the clip that plays, on a lane where they can be
//! edited, and the log of those that came.

use egui::{Rect, Role, Sense, Stroke, Ui, Vec2};

use crate::{
    animator::{Edit, description::EventAt},
    clip::{Event, EventEdit, EventTrack},
    ui::{
        AnimatorEditing, AnimatorView, Command, EventLaneView, PanelState, events, theme, widgets,
    },
};

const ROWS: usize = 12;
const LANE_HEIGHT: f32 = 40.0;
const MARGIN: f32 = 10.0;

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    animator: &AnimatorView,
    commands: &mut Vec<Command>,
) {
    if let Some(lane) = &animator.lane {
        lane_ui(ui, state, lane, commands);
        ui.separator();
    }
    log_ui(ui, animator);
}

/// The clip of the first layer's state, and what the file names in it.
fn lane_ui(ui: &mut Ui, state: &mut PanelState, lane: &EventLaneView, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.weak(format!("in {:?}", lane.clip));
        let add = ui.small_button("+ Event");
        let add = add.on_hover_text("At this moment of the clip; the animator's file keeps it");
        if widgets::named(add, Role::Button, "Add event").clicked() {
            let edit = EventEdit::Add(Event {
                time_secs: lane.now_secs,
                name: events::NEW_EVENT.to_owned(),
            });
            apply(state, lane, &edit, commands);
        }
        for (word, step) in [
            ("Undo", AnimatorEditing::Undo),
            ("Redo", AnimatorEditing::Redo),
        ] {
            if ui
                .small_button(word)
                .on_hover_text("Edits of the animator")
                .clicked()
            {
                state.events.chosen = None;
                commands.push(Command::EditAnimator(step));
            }
        }
    });
    let size = Vec2::new(ui.available_width(), LANE_HEIGHT);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let (left, right) = (area.left() + MARGIN, area.right() - MARGIN);
    let duration = lane.duration_secs.max(1e-6);
    let x_of = |secs: f64| left + (right - left) * (secs / duration) as f32;
    paint(ui, area, lane, &x_of);
    let secs_at = |x: f32| f64::from(((x - left) / (right - left)).clamp(0.0, 1.0)) * duration;
    let shown = events::EventLane {
        events: &lane.events,
        y: area.center().y + 6.0,
        x_of: &x_of,
        secs_at: &secs_at,
        flash: &|_| 0.0,
    };
    let moved = shown.ui(ui, &mut state.events);
    let named = ui.horizontal(|ui| events::chosen_ui(ui, &mut state.events, &lane.events));
    if let Some(edit) = moved.or(named.inner) {
        apply(state, lane, &edit, commands);
    }
}

/// The lane, strikes of feet as ticks at its top, and where the clip is.
fn paint(ui: &Ui, area: Rect, lane: &EventLaneView, x_of: &dyn Fn(f64) -> f32) {
    let colours = theme::palette(ui.style());
    let painter = ui.painter();
    painter.rect_filled(area, 3.0, colours.groove);
    for event in &lane.found {
        let left = event.name.contains("left");
        let colour = colours.marks[usize::from(!left)];
        let (x, top) = (x_of(event.time_secs), area.top());
        painter.vline(x, top + 2.0..=top + 10.0, Stroke::new(2.0, colour));
    }
    let now = x_of(lane.now_secs);
    painter.vline(now, area.y_range(), Stroke::new(1.5, colours.accent));
}

/// The animator's file with the edit made: events there are shares of the clip.
fn apply(
    state: &mut PanelState,
    lane: &EventLaneView,
    edit: &EventEdit,
    commands: &mut Vec<Command>,
) {
    let track = EventTrack::new(lane.events.clone());
    let Some(edited) = track.edited(edit, lane.duration_secs) else {
        return;
    };
    state.events.follow(edited.events(), edit);
    let at = |event: &Event| EventAt {
        // Four decimals are less than a frame of any clip, and can be read.
        at: (event.time_secs / lane.duration_secs.max(1e-6) * 1e4).round() / 1e4,
        name: event.name.clone(),
    };
    let events = edited.events().iter().map(at).collect();
    let edit = Edit::SetEvents(lane.clip.clone(), events);
    commands.push(Command::EditAnimator(AnimatorEditing::Open));
    commands.push(Command::EditAnimator(AnimatorEditing::Apply(
        Box::new(edit),
        None,
    )));
}

fn log_ui(ui: &mut Ui, animator: &AnimatorView) {
    if animator.events.is_empty() {
        ui.weak("Nothing has happened yet: walk with W.");
        return;
    }
    let events = &animator.events;
    widgets::rows(ui, "events", ROWS, events.len(), |ui, index| {
        let event = &events[index];
        ui.horizontal(|ui| {
            ui.weak(format!("{:8.2} s", event.at_secs));
            ui.label(&event.name);
        });
    });
}
