//! The page of a library: a folder of any number of clips, searched, sorted and
//! looked at. Docked at the left; arrows, Enter and `F` do all of it.

use egui::{
    EventFilter, Id, Key, Margin, Modifiers, Panel, Pos2, Rect, RichText, Role, ScrollArea, Sense,
    Stroke, TextEdit, Ui, Vec2,
};

use super::{
    Action, Browsing, Command, LibraryItem, LibraryView, PanelState, PanelView, theme,
    widgets::{Icon, action_icon, docked, named},
};
use crate::library::{BONES, MotionRow, ROWS_A_SECOND, SortBy};

/// Points, as the page of concepts.
const WIDTH: f32 = 336.0;
/// A line: its picture and two rows of text.
const LINE: f32 = 50.0;
/// Lines that PgUp and PgDn pass.
const PAGE: isize = 8;

pub(super) fn panel_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    if !state.library.open {
        return;
    }
    let (panel, margin) = (Panel::left("library"), Margin::symmetric(12, 8));
    docked(ui, panel, WIDTH, margin, |ui| {
        ui.horizontal(|ui| {
            ui.label(RichText::new("Library").strong());
            let right = egui::Layout::right_to_left(egui::Align::Center);
            ui.with_layout(right, |ui| {
                action_icon(
                    ui,
                    Icon::Close,
                    "Close the library",
                    Action::Library,
                    commands,
                );
            });
        });
        match &view.library {
            Some(library) => library_ui(ui, state, library, view.clip.is_some(), commands),
            None => none_ui(ui, view, commands),
        }
    });
}

fn none_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    ui.weak("Drop a folder on the window, or open one, to browse its clips.");
    let from_file = view.clip.as_ref().is_some_and(|it| it.path.is_some());
    let button = egui::Button::new("The folder of this clip");
    if ui.add_enabled(from_file, button).clicked() {
        commands.push(Command::Library(Browsing::OpenFolder));
    }
}

fn library_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    has_clip: bool,
    commands: &mut Vec<Command>,
) {
    let name = library
        .folder
        .file_name()
        .unwrap_or(library.folder.as_os_str());
    let text = match library.progress {
        Some(progress) => progress.text.clone(),
        None => format!("{}: {} clips", name.to_string_lossy(), library.clips),
    };
    let label = ui.add(egui::Label::new(RichText::new(text).weak()).truncate());
    label.on_hover_text(library.folder.display().to_string());
    if let Some(share) = library.progress.and_then(|it| it.fraction) {
        ui.add(egui::ProgressBar::new(share).desired_height(4.0));
    }
    let searching = search_ui(ui, state, library, has_clip, commands);
    let list = Id::unique("library list");
    keys_ui(ui, state, library, (list, searching), commands);
    let foot = theme::ROW + 2.0 * theme::GAP;
    let height = (ui.available_height() - foot).max(LINE);
    list_ui(ui, state, library, (list, height), commands);
    tags_ui(ui, state, library, commands);
}

/// The search field, the order, and likeness; whether the field has the keys.
fn search_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    has_clip: bool,
    commands: &mut Vec<Command>,
) -> bool {
    let panel = &mut state.library;
    let field = TextEdit::singleline(&mut panel.search)
        .hint_text("walk  fav  tag:word  len>5  speed<1  warn")
        .desired_width(f32::INFINITY);
    let field = named(ui.add(field), Role::TextInput, "Search the library");
    let mut changed = field.changed();
    if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
        commands.push(Command::Library(Browsing::Show(panel.chosen)));
    }
    ui.horizontal(|ui| {
        let shown = egui::ComboBox::from_id_salt("library order")
            .width(84.0)
            .selected_text(format!("by {}", panel.sort.word()))
            .show_ui(ui, |ui| {
                for sort in SortBy::ALL {
                    changed |= ui.selectable_value(&mut panel.sort, sort, sort.word()).changed();
                }
            });
        named(shown.response, Role::ComboBox, "Order of the library");
        if library.alike {
            if ui.button("All clips").clicked() {
                commands.push(Command::Library(Browsing::All));
            }
        } else {
            let hint = "Moments that look and move like the one on screen, or like the range of the timeline";
            let button = ui.add_enabled(has_clip, egui::Button::new("Similar to this moment"));
            if button.on_hover_text(hint).clicked() {
                commands.push(Command::Library(Browsing::Similar));
            }
        }
    });
    if changed {
        panel.chosen = 0;
        commands.push(Command::Library(Browsing::Search));
    }
    field.has_focus()
}

/// Arrows move the chosen line, Enter shows it, F makes it a favourite.
fn keys_ui(
    ui: &Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    (list, searching): (Id, bool),
    commands: &mut Vec<Command>,
) {
    let listing = ui.memory(|memory| memory.has_focus(list));
    if !(searching || listing) {
        return;
    }
    let pressed = |key: Key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let mut by = 0;
    for (key, step) in [
        (Key::ArrowDown, 1),
        (Key::ArrowUp, -1),
        (Key::PageDown, PAGE),
        (Key::PageUp, -PAGE),
    ] {
        by += if pressed(key) { step } else { 0 };
    }
    let last = library.items.len().saturating_sub(1);
    let chosen = &mut state.library.chosen;
    if by != 0 {
        *chosen = chosen.saturating_add_signed(by).min(last);
    }
    if listing {
        if pressed(Key::Home) {
            *chosen = 0;
        }
        if pressed(Key::End) {
            *chosen = last;
        }
        for (key, asked) in [
            (Key::Enter, Browsing::Show(*chosen)),
            (Key::F, Browsing::Favourite(*chosen)),
        ] {
            if pressed(key) {
                commands.push(Command::Library(asked));
            }
        }
    }
}

fn list_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    (list, height): (Id, f32),
    commands: &mut Vec<Command>,
) {
    let before: usize = ui.data_mut(|data| *data.get_temp_mut_or_default(list));
    let mut scroll = ScrollArea::vertical()
        .id_salt("library")
        .max_height(height)
        .auto_shrink([false, false]);
    let chosen = state.library.chosen;
    if chosen != before {
        // As far up as leaves some lines above it to be seen.
        let above = chosen.saturating_sub((height / LINE) as usize / 2);
        scroll = scroll.vertical_scroll_offset(above as f32 * (LINE + theme::GAP));
        ui.data_mut(|data| data.insert_temp(list, chosen));
    }
    let mut clicked = false;
    let shown = scroll.show_rows(ui, LINE, library.items.len(), |ui, rows| {
        let lacks = |row: &usize| {
            let item = library.items.get(*row);
            item.is_some_and(|it| !library.pictures.contains_key(&it.found.key()))
        };
        if rows.clone().any(|row| lacks(&row)) {
            commands.push(Command::Library(Browsing::Picture(rows.clone())));
        }
        for row in rows {
            if let Some(item) = library.items.get(row) {
                clicked |= line_ui(ui, state, library, (row, item), commands);
            }
        }
    });
    ui.interact(shown.inner_rect, list, Sense::focusable_noninteractive());
    if clicked {
        // Not before it: a click beside it takes the keyboard away.
        ui.memory_mut(|memory| memory.request_focus(list));
    }
    let filter = EventFilter {
        vertical_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(list, filter));
    if library.items.is_empty() && library.progress.is_none() {
        ui.weak("Nothing matches.");
    }
    // Pictures move while somebody looks at them.
    if ui.rect_contains_pointer(shown.inner_rect) {
        let wait = std::time::Duration::from_secs_f64(1.0 / ROWS_A_SECOND);
        ui.ctx().request_repaint_after(wait);
    }
}

/// One clip; whether it was clicked.
fn line_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    (row, item): (usize, &LibraryItem),
    commands: &mut Vec<Command>,
) -> bool {
    let colours = theme::palette(ui.style());
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, LINE), Sense::click());
    let key = item.found.key();
    let text = LineText::of(item);
    let response = named(response, Role::Button, &format!("Clip {}", text.name));
    let chosen = state.library.chosen == row;
    if chosen || response.hovered() {
        let fill = if chosen {
            colours.groove
        } else {
            ui.visuals().widgets.hovered.weak_bg_fill
        };
        ui.painter().rect_filled(rect, 4.0, fill);
    }
    let picture = Rect::from_min_size(rect.min, Vec2::splat(LINE));
    if let Some(rows) = library.pictures.get(&key).filter(|it| !it.is_empty()) {
        let secs = ui.input(|input| input.time) + item.moment.map_or(0.0, |it| it.0);
        let at = (secs * ROWS_A_SECOND) as usize % rows.len();
        body_ui(ui, picture.shrink(3.0), &rows[at], colours.text);
    }
    let left = picture.right() + 6.0;
    let room = Rect::from_min_max(Pos2::new(left, rect.top()), rect.max - Vec2::new(26.0, 0.0));
    let first = if text.warns {
        colours.warning
    } else {
        colours.text
    };
    for (words, y, colour) in [
        (&text.name, 14.0, first),
        (&text.facts, 35.0, colours.quiet),
    ] {
        let font = egui::TextStyle::Body.resolve(ui.style());
        let line = ui.painter().with_clip_rect(room.intersect(ui.clip_rect()));
        let at = Pos2::new(left, rect.top() + y);
        line.text(at, egui::Align2::LEFT_CENTER, words, font, colour);
    }
    star_ui(ui, library, (row, &key, rect), commands);
    if response.clicked() {
        state.library.chosen = row;
        ui.data_mut(|data| data.insert_temp(Id::unique("library list"), row));
        commands.push(Command::Library(Browsing::Show(row)));
    }
    let clicked = response.clicked();
    response.on_hover_text(text.hover);
    clicked
}

/// Five points, filled for a favourite.
fn star_ui(
    ui: &Ui,
    library: &LibraryView<'_>,
    (row, key, line): (usize, &str, Rect),
    commands: &mut Vec<Command>,
) {
    let colours = theme::palette(ui.style());
    let centre = line.right_center() - Vec2::new(14.0, 0.0);
    let rect = Rect::from_center_size(centre, Vec2::splat(22.0));
    let response = ui.interact(
        rect,
        ui.make_persistent_id(("favourite", row)),
        Sense::click(),
    );
    let response = named(response, Role::CheckBox, &format!("Favourite: {key}"));
    let on = library.marks.is_favourite(key);
    let point = |index: usize| {
        let radius = if index.is_multiple_of(2) { 7.5 } else { 3.2 };
        let angle = index as f32 * std::f32::consts::PI / 5.0;
        centre + radius * Vec2::new(angle.sin(), -angle.cos())
    };
    let outline: Vec<Pos2> = (0..10).map(point).collect();
    let colour = if on { colours.accent } else { colours.quiet };
    let painter = ui.painter();
    if on {
        // A fan: a star is not convex.
        for index in 0..10 {
            let triangle = vec![centre, outline[index], outline[(index + 1) % 10]];
            painter.add(egui::Shape::convex_polygon(triangle, colour, Stroke::NONE));
        }
    } else {
        painter.add(egui::Shape::closed_line(outline, Stroke::new(1.0, colour)));
    }
    if response.on_hover_text("Favourite (F)").clicked() {
        commands.push(Command::Library(Browsing::Favourite(row)));
    }
}

/// A moment from three quarters: bones as lines.
fn body_ui(ui: &Ui, rect: Rect, row: &MotionRow, colour: egui::Color32) {
    // Two metres from the sole to an arm overhead.
    let scale = rect.height() / 2.0;
    let on_screen = |index: usize| {
        let at = row.landmark(index);
        let across = 0.8 * at.x + 0.6 * at.z;
        Pos2::new(
            rect.center().x + across * scale,
            rect.bottom() - at.y * scale,
        )
    };
    let painter = ui
        .painter()
        .with_clip_rect(rect.expand(3.0).intersect(ui.clip_rect()));
    for (a, b) in BONES {
        painter.line_segment([on_screen(a), on_screen(b)], Stroke::new(1.4, colour));
    }
    painter.circle_filled(on_screen(2), 0.1 * scale, colour);
}

/// The words of a line.
struct LineText {
    name: String,
    facts: String,
    hover: String,
    warns: bool,
}

impl LineText {
    fn of(item: &LibraryItem) -> Self {
        let (entry, path) = (&item.found.entry, &item.found.entry.path);
        let file = path.rsplit('/').next().unwrap_or(path);
        let Some(facts) = item.found.facts() else {
            let fault = entry.fault.clone().unwrap_or_default();
            return Self {
                name: file.into(),
                facts: "cannot be read".into(),
                hover: fault,
                warns: true,
            };
        };
        let name = match entry.clips.len() {
            0 | 1 => file.to_owned(),
            _ => format!("{file} · {}", facts.name),
        };
        let unit = facts.unit.map(|it| it.to_string()).unwrap_or_default();
        let mark = if facts.unit_assumed { "?" } else { "" };
        let mut text = format!(
            "{:.1} s · {:.0} fps · {unit}{mark} · {:.1} m/s",
            facts.duration_secs(),
            facts.fps,
            facts.speed_m_s
        );
        if let Some((start, apart)) = item.moment {
            text = format!("{start:.1} s · {apart:.1} cm apart · {text}");
        }
        let mut hover = path.clone();
        facts
            .warnings
            .iter()
            .for_each(|it| hover += &format!("\n{it}"));
        Self {
            name,
            facts: text,
            hover,
            warns: facts.warning_count > 0,
        }
    }
}

/// The tags of the chosen clip, to be typed over.
fn tags_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    library: &LibraryView<'_>,
    commands: &mut Vec<Command>,
) {
    let panel = &mut state.library;
    let Some(item) = library.items.get(panel.chosen) else {
        return;
    };
    let key = item.found.key();
    let written = || library.marks.tags_of(&key).collect::<Vec<_>>().join(" ");
    let mut text = match panel.tags.take() {
        Some((of, text)) if of == key => text,
        _ => written(),
    };
    ui.horizontal(|ui| {
        ui.weak("Tags");
        let field = TextEdit::singleline(&mut text)
            .hint_text("words for the chosen clip")
            .desired_width(f32::INFINITY);
        let field = named(ui.add(field), Role::TextInput, "Tags of the chosen clip");
        if field.lost_focus() && text != written() {
            commands.push(Command::Library(Browsing::Tags(panel.chosen, text.clone())));
        }
    });
    panel.tags = Some((key, text));
}
