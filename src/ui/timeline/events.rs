//! The events of the clip on its timeline.

use egui::Ui;

use super::{super::events, Ruler};
use crate::{
    clip::{Event, EventEdit},
    scene::TOLD_SECS,
    ui::{ClipView, Command, Mode, PanelState, PanelView},
};

/// Points from the top of the lane to the middle of the flags: below the bars
/// of feet that stand, above the seconds.
const FLAGS_Y: f32 = 14.0;

/// Flags that can be dragged, above the ruler.
pub(super) fn lane_ui(
    ui: &mut Ui,
    ruler: &Ruler,
    state: &mut PanelState,
    (view, clip): (&PanelView<'_>, &ClipView<'_>),
    commands: &mut Vec<Command>,
) {
    let x_of = |secs: f64| ruler.x_of(secs);
    let flash = |index: usize| flash(view, clip.events, index);
    let shown = ui.clip_rect().intersect(ruler.area);
    ui.scope(|ui| {
        ui.set_clip_rect(shown);
        let lane = events::EventLane {
            events: clip.events,
            y: ruler.area.top() + 2.0 + FLAGS_Y,
            x_of: &x_of,
            secs_at: &|x| ruler.secs_at(x),
            flash: &flash,
        };
        if let Some(edit) = lane.ui(ui, &mut state.events) {
            commands.push(Command::EditEvents(edit));
        }
    });
}

/// Of the chosen event, in the row of the transport controls; whether there is
/// one.
pub(super) fn chosen_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) -> bool {
    // What is blended was made a moment ago and is made anew.
    if view.mode != Mode::View || state.events.chosen.is_none() {
        return false;
    }
    ui.add_space(12.0);
    if let Some(edit) = events::chosen_ui(ui, &mut state.events, clip.events) {
        commands.push(Command::EditEvents(edit));
    }
    true
}

/// How bright an event is: it was passed some moments ago, so many seconds of
/// the clip back.
fn flash(view: &PanelView<'_>, events: &[Event], index: usize) -> f32 {
    let playback = view.playback;
    let rate = match playback.reverse {
        true => -playback.speed,
        false => playback.speed,
    };
    let mine = view.happenings.iter().filter(|it| it.character == 0);
    let passed = mine.filter(|it| it.name == events[index].name);
    let bright = passed.filter_map(|it| {
        let then = playback.time_secs - rate * it.age_secs;
        let named = events.iter().enumerate().filter(|(_, e)| e.name == it.name);
        let off = |event: &Event| (event.time_secs - then).abs();
        let nearest = { named }.min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
        let is_it = nearest.is_some_and(|(nearest, _)| nearest == index);
        is_it.then(|| (1.0 - it.age_secs / TOLD_SECS) as f32)
    });
    bright.fold(0.0, f32::max)
}

/// The edit that puts an event at the play head.
#[must_use]
pub fn event_at(secs: f64) -> EventEdit {
    EventEdit::Add(Event {
        time_secs: secs,
        name: events::NEW_EVENT.to_owned(),
    })
}
