//! The status bar: what the machine is doing, and what it thinks of the clip.

use egui::{Align, Layout, Margin, Panel, Response, RichText, Ui};

use super::{
    Action, AnimatorView, Command, Mode, PanelState, PanelView, PauseReason, Status, menu::Rate,
    theme, widgets,
};

pub(super) fn bar_ui(
    ui: &mut Ui,
    state: &PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (panel, margin) = (Panel::bottom("status"), Margin::symmetric(8, 0));
    widgets::docked(ui, panel, theme::STATUS_HEIGHT, margin, |ui| {
        ui.horizontal_centered(|ui| {
            ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
            left_ui(ui, view, commands);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                right_ui(ui, state.log, view.status, commands);
            });
        });
    });
}

fn left_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    if let Some(film) = view.recording {
        let what = film.film.word();
        let text = format!("recording {what}: {} of {}", film.taken, film.most);
        widgets::dotted(ui, &text, colours.error);
        let share = film.taken as f32 / film.most.max(1) as f32;
        widgets::progress_bar(ui, share, "Share of the film");
        if ui.small_button("Stop recording").clicked() {
            commands.push(Command::Do(Action::RecordGif));
        }
        return;
    }
    if let Some(progress) = view.loading {
        widgets::progress(ui, progress);
        if ui.small_button("Cancel").clicked() {
            commands.push(Command::CancelLoading);
        }
        return;
    }
    if let Some(progress) = view.exporting {
        widgets::progress(ui, progress);
        if ui.small_button("Cancel").clicked() {
            commands.push(Command::CancelExport);
        }
        return;
    }
    match (view.mode, &view.clip) {
        (Mode::View | Mode::Blend, Some(clip)) => {
            let rate = Rate(clip.fps());
            let text = format!(
                "{} joints · {} frames · {rate} fps · {:.2} s",
                clip.skeleton.len(),
                clip.frames(),
                clip.duration_secs()
            );
            ui.label(RichText::new(text).color(colours.quiet));
        }
        (Mode::Drive, _) => {
            motion_ui(ui, view.animator, commands);
            let text = view.animator.map_or_else(String::new, |animator| {
                let pause = match animator.pause {
                    Some(PauseReason::Held) => " · stopped: Z goes on",
                    Some(PauseReason::Dozing) => " · resting: any key goes on",
                    None => "",
                };
                format!(
                    "{:.2} m/s · time × {:.2}{pause}",
                    animator.speed_m_per_s, animator.time_scale
                )
            });
            ui.label(RichText::new(text).color(colours.quiet));
        }
        (Mode::View | Mode::Blend, None) => {}
    }
}

/// Taking the driven motion home.
fn motion_ui(ui: &mut Ui, animator: Option<&AnimatorView>, commands: &mut Vec<Command>) {
    let Some(animator) = animator else {
        return;
    };
    let word = match animator.recorded_secs {
        Some(secs) => {
            let colours = theme::palette(ui.style());
            widgets::dotted(ui, &format!("recording motion: {secs:.1} s"), colours.error);
            "Stop recording"
        }
        None => "Record",
    };
    let hint = "Takes the driven motion down, to be written in any format (Ctrl+M)";
    if ui.small_button(word).on_hover_text(hint).clicked() {
        commands.push(Command::Do(Action::RecordMotion));
    }
}

/// Laid out from the right.
fn right_ui(ui: &mut Ui, log_open: bool, status: &Status, commands: &mut Vec<Command>) {
    adapter_ui(ui, status);
    ui.separator();
    times_ui(ui, status);
    if status.warnings > 0 {
        ui.separator();
        let response = remarks_ui(ui, status.warnings);
        // The action toggles: it would close a log that is open.
        if response.clicked() && !log_open {
            commands.push(Command::Do(Action::Log));
        }
    }
}

fn adapter_ui(ui: &mut Ui, status: &Status) {
    let colours = theme::palette(ui.style());
    let adapter = if status.software {
        RichText::new(format!("software drawing: {}", status.adapter)).color(colours.warning)
    } else {
        RichText::new(&status.adapter).color(colours.quiet)
    };
    ui.label(adapter).on_hover_text(if status.software {
        "No graphics card is used: quality is lowered while something moves"
    } else {
        "What draws the picture"
    });
}

fn times_ui(ui: &mut Ui, status: &Status) {
    let quiet = theme::palette(ui.style()).quiet;
    let mut number = |text: String, hint| {
        ui.label(RichText::new(text).color(quiet))
            .on_hover_text(hint);
    };
    let rate = status
        .fps
        .map_or_else(|| "at rest".to_owned(), |fps| format!("{fps:4.0} fps"));
    number(rate, "Frames drawn a second; none while nothing changes");
    match status.gpu_ms {
        Some(ms) => number(
            format!("GPU {ms:4.1} ms"),
            "Time of the adapter for a frame",
        ),
        None => number("GPU –".to_owned(), "This adapter has no clock to ask"),
    }
    number(
        format!("CPU {:4.1} ms", status.cpu_ms),
        "Time of the program for the last frame, picture and interface",
    );
}

fn remarks_ui(ui: &mut Ui, count: usize) -> Response {
    let text = match count {
        1 => "1 remark".to_owned(),
        count => format!("{count} remarks"),
    };
    let text = RichText::new(text).color(theme::palette(ui.style()).warning);
    ui.add(egui::Button::new(text).frame(false))
        .on_hover_text("What was assumed or mended while reading")
}
