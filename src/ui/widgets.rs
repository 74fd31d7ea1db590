//! Small parts that several panels share.

use egui::{
    Color32, Margin, Painter, Panel, Pos2, Rect, Response, Role, ScrollArea, Stroke, Ui, Vec2,
    WidgetInfo,
};

use super::{
    Action, Command, Progress,
    keys::{self},
    theme,
};

/// Symbols, drawn rather than typed: no font has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// To the start.
    Start,
    /// One back.
    Back,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// One on.
    Forward,
    /// To the end.
    End,
    /// Close.
    Close,
    /// An unfolded section.
    Unfolded,
    /// A folded one.
    Folded,
}

impl Icon {
    /// Draws it in a square of 12 points around `centre`.
    pub fn paint(self, painter: &Painter, centre: Pos2, colour: Color32) {
        let at = |x: f32, y: f32| centre + Vec2::new(x, y);
        let triangle = |tip: f32, base: f32| {
            let points = vec![at(tip, 0.0), at(base, -5.0), at(base, 5.0)];
            painter.add(egui::Shape::convex_polygon(points, colour, Stroke::NONE));
        };
        let bar = |x: f32, width: f32| {
            let rect = Rect::from_center_size(at(x, 0.0), Vec2::new(width, 10.0));
            painter.rect_filled(rect, 0.5, colour);
        };
        match self {
            Self::Play | Self::Folded => triangle(5.0, -4.0),
            Self::Pause => {
                bar(-2.5, 3.0);
                bar(2.5, 3.0);
            }
            Self::Start => {
                triangle(-4.0, 5.0);
                bar(-5.0, 2.0);
            }
            Self::End => {
                triangle(4.0, -5.0);
                bar(5.0, 2.0);
            }
            Self::Back => {
                triangle(-5.0, 2.0);
                bar(4.5, 2.0);
            }
            Self::Forward => {
                triangle(5.0, -2.0);
                bar(-4.5, 2.0);
            }
            Self::Close => {
                let stroke = Stroke::new(1.5, colour);
                painter.line_segment([at(-4.0, -4.0), at(4.0, 4.0)], stroke);
                painter.line_segment([at(-4.0, 4.0), at(4.0, -4.0)], stroke);
            }
            Self::Unfolded => {
                let points = vec![at(-5.0, -3.0), at(5.0, -3.0), at(0.0, 4.0)];
                painter.add(egui::Shape::convex_polygon(points, colour, Stroke::NONE));
            }
        }
    }
}

/// A button with a symbol, named for those who do not see it.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, hover: &str) -> Response {
    let size = Vec2::new(28.0, theme::ROW);
    let response = ui.add(egui::Button::new("").min_size(size));
    let colour = ui.style().interact(&response).text_color();
    icon.paint(ui.painter(), response.rect.center(), colour);
    named(response.on_hover_text(hover), Role::Button, name)
}

/// Gives a control the name that accessibility tools read.
pub fn named(response: Response, kind: Role, name: &str) -> Response {
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(kind, enabled, name));
    response
}

/// Where the pointer holds a control, and where it lets go.
pub fn held_at(response: &Response) -> Option<Pos2> {
    // Where it is let go counts too. A slow frame that brings the way and its
    // end at once is neither a click nor a drag to egui.
    let held = response.is_pointer_button_down_on();
    let was_held = response.ctx.data_mut(|data| {
        let known = data.get_temp_mut_or_default::<bool>(response.id);
        std::mem::replace(known, held)
    });
    let pointer = response.ctx.input(|input| input.pointer.latest_pos());
    pointer.filter(|_| held || was_held || response.clicked())
}

/// A button for an action of the key table; the tooltip tells its key.
pub fn action_icon(
    ui: &mut Ui,
    icon: Icon,
    name: &str,
    action: Action,
    commands: &mut Vec<Command>,
) {
    if icon_button(ui, icon, name, &tip_of(action)).clicked() {
        commands.push(Command::Do(action));
    }
}

/// "What it does (Key)".
pub fn tip_of(action: Action) -> String {
    keys::of_action(action).map_or_else(String::new, |row| format!("{} ({})", row.says, row.label))
}

/// A row of two columns: what, and its value.
pub fn fact(ui: &mut Ui, what: &str, value: &str) {
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::new(88.0, 20.0), egui::Sense::hover());
        ui.painter().text(
            rect.left_center(),
            egui::Align2::LEFT_CENTER,
            what,
            egui::TextStyle::Body.resolve(ui.style()),
            colours.quiet,
        );
        let response = ui.add(egui::Label::new(value).truncate());
        named(response, Role::Label, &format!("{what}: {value}")).on_hover_text(value);
    });
}

/// A panel at an edge of the window. Its size is fixed: what it leaves free is
/// the picture's, and must not move while something in the panel grows.
pub fn docked(
    ui: &mut Ui,
    panel: Panel,
    size: f32,
    margin: impl Into<Margin>,
    contents: impl FnOnce(&mut Ui),
) {
    let frame = egui::Frame::new()
        .fill(theme::palette(ui.style()).panel)
        .inner_margin(margin);
    panel
        .exact_size(size)
        .resizable(false)
        .frame(frame)
        .show(ui, contents);
}

/// Rows of one height, `shown` of them at once. Those scrolled out of sight
/// are not laid out: a list of a thousand clips costs what eight do.
pub fn rows(
    ui: &mut Ui,
    id: &str,
    shown: usize,
    count: usize,
    mut row: impl FnMut(&mut Ui, usize),
) {
    ScrollArea::vertical()
        .id_salt(id)
        .max_height(rows_height(shown))
        .auto_shrink([false, true])
        .show_rows(ui, theme::ROW, count, |ui, range| {
            range.for_each(|index| row(ui, index));
        });
}

/// Rows down to where a list may reach, no fewer than `least`.
pub fn rows_that_fit(ui: &Ui, bottom: Option<f32>, least: usize) -> usize {
    let room = bottom.map_or(0.0, |bottom| bottom - ui.cursor().top());
    ((room / (theme::ROW + theme::GAP)) as usize).max(least)
}

/// Height of rows with the gaps below them.
pub fn rows_height(rows: usize) -> f32 {
    rows as f32 * (theme::ROW + theme::GAP)
}

/// A row of a list, as wide as the list: a click beside the name counts too.
pub fn entry(ui: &mut Ui, chosen: bool, name: &str) -> Response {
    let left = egui::Layout::top_down_justified(egui::Align::LEFT);
    let button = egui::Button::selectable(chosen, name).truncate();
    ui.with_layout(left, |ui| ui.add(button)).inner
}

/// A field to type part of a name into.
pub fn search(ui: &mut Ui, text: &mut String, hint: &str, name: &str) {
    let field = egui::TextEdit::singleline(text)
        .hint_text(hint)
        .desired_width(f32::INFINITY);
    named(ui.add(field), Role::TextInput, name);
}

/// A number from 0 to 1; true when it was changed.
pub fn weight(ui: &mut Ui, weight: &mut f32, hint: &str, name: &str) -> bool {
    let field = egui::DragValue::new(weight)
        .range(0.0..=1.0)
        .speed(0.01)
        .fixed_decimals(2);
    let response = ui.add_sized([56.0, theme::ROW], field);
    named(response.on_hover_text(hint), Role::SpinButton, name).changed()
}

/// A groove, filled from the left as far as `fraction` says.
pub fn level(
    painter: &Painter,
    groove: Rect,
    radius: f32,
    fraction: f32,
    [back, fill]: [Color32; 2],
) {
    painter.rect_filled(groove, radius, back);
    let mut filled = groove;
    filled.set_width(groove.width() * fraction.clamp(0.0, 1.0));
    // The edge of an empty rectangle would still be drawn, a faint line.
    if filled.width() > 0.0 {
        painter.rect_filled(filled, radius, fill);
    }
}

/// A bar for work whose share is known, a spinner for other work; what it is
/// beside it.
pub fn progress(ui: &mut Ui, progress: &Progress) {
    match progress.fraction {
        Some(fraction) => {
            progress_bar(ui, fraction, &progress.text);
            ui.label(format!("{} {:.0} %", progress.text, fraction * 100.0));
        }
        None => {
            ui.spinner();
            ui.label(&progress.text);
        }
    }
}

/// The bar alone.
pub fn progress_bar(ui: &mut Ui, fraction: f32, name: &str) {
    let bar = egui::ProgressBar::new(fraction).desired_width(PROGRESS_WIDTH);
    let bar = ui.add(bar.desired_height(PROGRESS_HEIGHT));
    named(bar, Role::ProgressIndicator, name);
}

/// Of the bar, points: text beside it says the rest.
const PROGRESS_WIDTH: f32 = 72.0;
const PROGRESS_HEIGHT: f32 = 8.0;

/// Small text in a colour, over as many lines as it needs.
pub fn note(ui: &mut Ui, text: impl Into<String>, colour: Color32) {
    let text = egui::RichText::new(text).color(colour).small();
    ui.add(egui::Label::new(text).wrap());
}

/// A word behind a dot of its colour: no font is sure to have the dot.
pub fn dotted(ui: &mut Ui, text: &str, colour: Color32) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(8.0, theme::ROW), egui::Sense::hover());
    ui.painter().circle_filled(rect.center(), 4.0, colour);
    ui.label(egui::RichText::new(text).small());
}

/// Bytes in a unit that keeps three digits.
pub fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} B"),
        10_000..=9_999_999 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.2} MB", bytes as f64 / 1e6),
    }
}

/// Centimetres with as many digits as the size asks for.
pub fn cm_text(cm: f64) -> String {
    if cm >= 1.0 {
        format!("{cm:.2} cm")
    } else if cm >= 0.01 {
        format!("{cm:.3} cm")
    } else {
        format!("{cm:.5} cm")
    }
}
