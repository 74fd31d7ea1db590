//! The status bar: what the machine is doing, and what it thinks of the clip.

use egui::{Align, Layout, Panel, RichText, Ui};

use super::{
    Action, Command, Mode, PanelState, PanelView, PauseReason, menu::Rate, theme, widgets,
};

pub(super) fn bar_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let colours = theme::palette(ui.style());
    let frame = egui::Frame::new()
        .fill(colours.panel)
        .inner_margin(egui::Margin::symmetric(8, 0));
    Panel::bottom("status")
        .exact_size(theme::STATUS_HEIGHT)
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
                left_ui(ui, view, commands);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    right_ui(ui, state, view, commands);
                });
            });
        });
}

fn left_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    if let Some(film) = view.recording {
        let what = if film.gif { "GIF" } else { "pictures" };
        let text = format!("recording {what}: {} of {}", film.taken, film.most);
        widgets::dotted(ui, &text, colours.error);
        if ui.small_button("Stop recording").clicked() {
            commands.push(Command::Do(Action::RecordGif));
        }
        return;
    }
    if let Some(progress) = view.loading {
        ui.spinner();
        ui.label(&progress.text);
        if let Some(fraction) = progress.fraction {
            ui.label(format!("{:3.0} %", fraction * 100.0));
        }
        if ui.small_button("Cancel").clicked() {
            commands.push(Command::CancelLoading);
        }
        return;
    }
    match (view.mode, &view.clip) {
        (Mode::View, Some(clip)) => {
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
        (Mode::View, None) => {}
    }
}

fn right_ui(ui: &mut Ui, state: &PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    let status = view.status;
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
    ui.separator();
    let rate = status
        .fps
        .map_or_else(|| "at rest".to_owned(), |fps| format!("{fps:4.0} fps"));
    ui.label(RichText::new(rate).color(colours.quiet))
        .on_hover_text("Frames drawn a second; none while nothing changes");
    let (gpu, gpu_tip) = match status.gpu_ms {
        Some(ms) => (
            format!("GPU {ms:4.1} ms"),
            "Time of the adapter for a frame",
        ),
        None => ("GPU –".to_owned(), "This adapter has no clock to ask"),
    };
    ui.label(RichText::new(gpu).color(colours.quiet))
        .on_hover_text(gpu_tip);
    ui.label(RichText::new(format!("CPU {:4.1} ms", status.cpu_ms)).color(colours.quiet))
        .on_hover_text("Time of the program for the last frame, picture and interface");
    if status.warnings > 0 {
        ui.separator();
        let text = match status.warnings {
            1 => "1 remark".to_owned(),
            count => format!("{count} remarks"),
        };
        let button = egui::Button::new(RichText::new(text).color(colours.warning)).frame(false);
        let response = ui
            .add(button)
            .on_hover_text("What was assumed or mended while reading");
        if response.clicked() && !state.log {
            commands.push(Command::Do(Action::Log));
        }
    }
}
