//! The timeline: transport controls above, a ruler to scrub below.
//!
//! Behind the ruler lie what is known of the clip: contacts and events, keys
//! of the chosen joint, the error of compression. The handles at its top set
//! the range that is played.

mod events;
mod ruler;

use egui::{Align, Layout, Margin, Panel, Pos2, Rect, Response, Role, Sense, Ui, Vec2};
pub use events::event_at;
use ruler::Ruler;

use super::{
    Action, ClipView, Command, Mode, PanelState, PanelView, Playback, TimelineZoom, theme,
    widgets::{Icon, action_icon, docked, dotted, held_at, named, tip_of},
};
use crate::clip::Wrap;

/// Slowest and fastest playback.
pub const SPEEDS: (f64, f64) = (0.05, 4.0);
const HANDLE: f32 = 8.0;
/// Where there is less room than this, the seconds give way to the controls.
const SECONDS_WIDTH: f32 = 480.0;

/// Frames that are shown at least, however near one looks.
const LEAST_FRAMES: f64 = 8.0;
/// Points of scrolling that halve or double what is shown.
const SCROLL_TO_DOUBLE: f32 = 120.0;
/// Where there is less room than this, the key to the marks gives way.
const LEGEND_WIDTH: f32 = 560.0;

pub(super) fn panel_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (panel, margin) = (Panel::bottom("timeline"), Margin::symmetric(0, 2));
    docked(ui, panel, theme::TIMELINE_HEIGHT, margin, |ui| {
        let Some(clip) = view.clip.filter(|clip| clip.frames() > 1) else {
            let why = match (view.clip, view.loading) {
                (None, Some(loading)) => format!("{}…", loading.text),
                (None, None) => "Nothing is loaded yet.".to_owned(),
                (Some(_), _) => "A single pose: nothing to play.".to_owned(),
            };
            ui.centered_and_justified(|ui| ui.weak(why));
            return;
        };
        ui.spacing_mut().item_spacing.y = 2.0;
        state.marks_keyed = transport_ui(ui, state, view, &clip, commands);
        let (area, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        let whole = Ruler::new(area, clip.duration_secs(), state.timeline);
        state.timeline = zoomed(&whole, &response, view.playback, &clip);
        let ruler = Ruler::new(area, clip.duration_secs(), state.timeline);
        scrub(&ruler, response, commands);
        ruler.paint(ui, view, &clip);
        ruler.paint_findings(ui, view, &clip, &state.findings_hidden);
        events::lane_ui(ui, &ruler, state, (view, &clip), commands);
        // After the ruler: where they lie over it, they are the ones to be grabbed.
        range_handles(ui, &ruler, view.playback, commands);
    });
}

/// What is shown after wheel, pinch and double click over the ruler; the play
/// head is followed page by page.
fn zoomed(
    ruler: &Ruler,
    response: &Response,
    playback: Playback,
    clip: &ClipView<'_>,
) -> TimelineZoom {
    let (shown, duration) = (ruler.shown(), clip.duration_secs().max(1e-9));
    if response.double_clicked() {
        return TimelineZoom::default();
    }
    let at = playback.time_secs / duration;
    let held = response.is_pointer_button_down_on();
    if playback.playing && !held && !(shown.from..=shown.to).contains(&at) {
        return shown.moved(at - shown.from);
    }
    let Some(pointer) = response.hover_pos() else {
        return shown;
    };
    let (scroll, pinch) = response
        .ctx
        .input(|input| (input.smooth_scroll_delta, input.zoom_delta()));
    let factor = (-scroll.y / SCROLL_TO_DOUBLE).exp2() / pinch.max(1e-3);
    let along = f64::from(-scroll.x / ruler.area.width().max(1.0)) * shown.share();
    let least = LEAST_FRAMES / clip.fps().max(1e-3) / duration;
    let under = ruler.secs_at(pointer.x) / duration;
    shown.zoomed(f64::from(factor), under, least).moved(along)
}

/// Tells whether there was room for the key to the marks.
fn transport_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) -> bool {
    let playback = view.playback;
    let mut keyed = false;
    ui.allocate_ui(Vec2::new(ui.available_width(), theme::ROW), |ui| {
        ui.horizontal_centered(|ui| {
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 4.0;
            action_icon(ui, Icon::Start, "To start", Action::ToStart, commands);
            action_icon(ui, Icon::Back, "One frame back", Action::Step(-1), commands);
            let (icon, name) = if playback.playing {
                (Icon::Pause, "Pause")
            } else {
                (Icon::Play, "Play")
            };
            action_icon(ui, icon, name, Action::TogglePlay, commands);
            action_icon(ui, Icon::Forward, "One frame on", Action::Step(1), commands);
            action_icon(ui, Icon::End, "To end", Action::ToEnd, commands);
            ui.add_space(8.0);
            position_ui(ui, playback, clip);
            keyed = events::chosen_ui(ui, state, view, clip, commands) || legend_ui(ui, view, clip);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(8.0);
                wrap_ui(ui, playback, commands);
                speed_ui(ui, playback, commands);
                if view.mode == Mode::View {
                    event_ui(ui, commands);
                }
            });
        });
    });
    keyed
}

fn position_ui(ui: &mut Ui, playback: Playback, clip: &ClipView<'_>) {
    let frame = (playback.time_secs * clip.fps()).round();
    let last = clip.frames() - 1;
    // As wide as it will get, or what follows would jump while it plays.
    let digits = last.to_string().len();
    ui.label(format!("frame {frame:>digits$.0} / {last}"));
    if ui.available_width() < SECONDS_WIDTH {
        return;
    }
    ui.add_space(8.0);
    ui.label(format!(
        "{:.3} s / {:.3} s",
        playback.time_secs,
        clip.duration_secs()
    ));
}

/// The key to the marks on the ruler, where it has room; else the picture shows
/// it.
fn legend_ui(ui: &mut Ui, view: &PanelView<'_>, clip: &ClipView<'_>) -> bool {
    let colours = theme::palette(ui.style());
    if ui.available_width() < LEGEND_WIDTH {
        return false;
    }
    ui.add_space(12.0);
    let mut row = 0;
    while let Some(mark) = clip.marks.iter().find(|mark| mark.row == row) {
        dotted(ui, &mark.text, colours.marks[row % colours.marks.len()]);
        row += 1;
    }
    if let Some(result) = view.compression.result {
        let top = super::widgets::cm_text(result.errors.max_cm);
        dotted(ui, &format!("error, to {top}"), colours.accent);
    }
    true
}

fn event_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    let add = ui.button("+ Event").on_hover_text(tip_of(Action::AddEvent));
    if named(add, Role::Button, "Add event").clicked() {
        commands.push(Command::Do(Action::AddEvent));
    }
}

fn speed_ui(ui: &mut Ui, playback: Playback, commands: &mut Vec<Command>) {
    let reverse = egui::Button::selectable(playback.reverse, "Reverse");
    if ui
        .add(reverse)
        .on_hover_text(tip_of(Action::Reverse))
        .clicked()
    {
        commands.push(Command::Do(Action::Reverse));
    }
    let mut speed = playback.speed;
    let field = egui::DragValue::new(&mut speed)
        .range(SPEEDS.0..=SPEEDS.1)
        .speed(0.01)
        .fixed_decimals(2)
        .suffix(" ×");
    let response = ui.add_sized([64.0, theme::ROW], field);
    let response = response.on_hover_text("Speed: drag, or - and = halve and double it");
    if named(response, Role::SpinButton, "Speed").changed() {
        commands.push(Command::Speed(speed));
    }
}

fn wrap_ui(ui: &mut Ui, playback: Playback, commands: &mut Vec<Command>) {
    for (wrap, word) in [
        (Wrap::PingPong, "Ping-pong"),
        (Wrap::Loop, "Loop"),
        (Wrap::Once, "Once"),
    ] {
        let button = egui::Button::selectable(playback.wrap == wrap, word);
        let tip = tip_of(Action::NextWrap);
        let tip = match wrap {
            Wrap::Once => tip,
            Wrap::Loop | Wrap::PingPong => format!("{tip}. Right click: how often"),
        };
        let response = ui.add(button).on_hover_text(tip);
        if wrap != Wrap::Once {
            response.context_menu(|ui| loops_ui(ui, playback.loops, commands));
        }
        if response.clicked() {
            commands.push(Command::Wrap(wrap));
        }
    }
}

/// How many passes are played.
fn loops_ui(ui: &mut Ui, loops: Option<u32>, commands: &mut Vec<Command>) {
    for choice in [None, Some(1), Some(2), Some(3), Some(5), Some(10)] {
        let word = match choice {
            None => "For ever".to_owned(),
            Some(1) => "1 pass".to_owned(),
            Some(passes) => format!("{passes} passes"),
        };
        if ui.selectable_label(loops == choice, word).clicked() {
            commands.push(Command::Loops(choice));
            ui.close();
        }
    }
}

fn scrub(ruler: &Ruler, response: Response, commands: &mut Vec<Command>) {
    if let Some(pointer) = held_at(&response) {
        commands.push(Command::Seek(ruler.secs_at(pointer.x)));
    }
    named(response, Role::Slider, "Timeline");
}

/// Small flags at either end of the range.
fn range_handles(ui: &mut Ui, ruler: &Ruler, playback: Playback, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    let (start, end) = playback.range_secs;
    for (name, secs, side) in [("Range start", start, -1.0), ("Range end", end, 1.0)] {
        let x = ruler.x_of(secs);
        // Out of sight: not to be grabbed at the edge instead.
        if !ruler.shows(secs) {
            continue;
        }
        let rect = Rect::from_center_size(
            Pos2::new(x + side * HANDLE * 0.5, ruler.area.top() + HANDLE * 0.75),
            Vec2::new(HANDLE, HANDLE * 1.5),
        );
        let response = ui.interact(rect.expand(2.0), ui.scope_id().with(name), Sense::drag());
        let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
        let response = named(response, Role::Slider, name);
        ui.painter().rect_filled(rect, 2.0, colours.accent);
        if let Some(pointer) = response.interact_pointer_pos()
            && (response.dragged() || response.drag_stopped())
        {
            let at = ruler.secs_at(pointer.x);
            commands.push(match side < 0.0 {
                true => Command::Range(at.min(end), end),
                false => Command::Range(start, at.max(start)),
            });
        }
    }
}
