//! The window itself and what draws it.

use std::sync::Arc;

use winit::{
    dpi::LogicalSize,
    event_loop::{ActiveEventLoop, EventLoopProxy},
    window::Window,
};

use crate::{
    app::{
        AppError, Message, Outbox,
        graphics::{GpuSoon, Graphics},
    },
    ui::theme,
};

/// The window and what draws it.
pub(super) struct WindowSurface {
    pub window: Arc<Window>,
    pub graphics: Graphics,
    pub egui: egui_winit::State,
    /// What panels leave free, in points.
    pub free: egui::Rect,
    pub title: String,
}

/// Opens a window, not yet visible, and a device that can draw to it.
pub(super) fn open_window(
    event_loop: &ActiveEventLoop,
    size: Option<(f64, f64)>,
    gpu: GpuSoon,
    (access, outbox): (EventLoopProxy<Message>, &Outbox),
) -> Result<WindowSurface, AppError> {
    let (width, height) = within_screens(event_loop, size.unwrap_or((1280.0, 800.0)));
    let attributes = Window::default_attributes()
        .with_title("Kinetoscope")
        .with_inner_size(LogicalSize::new(width, height))
        .with_min_inner_size(LogicalSize::new(480.0, 320.0))
        .with_window_icon(icon())
        .with_visible(false);
    let window = event_loop
        .create_window(attributes)
        .map_err(|error| AppError::NoDisplay(error.to_string()))?;
    let window = Arc::new(window);
    let graphics = Graphics::new(&window, gpu, outbox)?;
    let context = egui::Context::default();
    theme::install(&context);
    let mut egui = egui_winit::State::new(
        context,
        egui::ViewportId::ROOT,
        event_loop,
        Some(window.scale_factor() as f32),
        window.theme(),
        Some(graphics.gpu.device.limits().max_texture_dimension_2d as usize),
    );
    // Before the window is shown, or screen readers never hear of it.
    egui.init_accesskit(event_loop, &window, access);
    Ok(WindowSurface {
        window,
        graphics,
        egui,
        free: egui::Rect::EVERYTHING,
        title: String::new(),
    })
}

/// A size as remembered, on the screens that are there now: one of them may be
/// gone, or the settings may come from another machine.
fn within_screens(event_loop: &ActiveEventLoop, (width, height): (f64, f64)) -> (f64, f64) {
    let sizes = event_loop.available_monitors().map(|screen| {
        let size = screen.size().to_logical::<f64>(screen.scale_factor());
        (size.width, size.height)
    });
    let all = sizes.fold((0.0, 0.0), |all, size| (all.0 + size.0, all.1 + size.1));
    // Some window systems tell of none.
    let at_most = |side: f64, all: f64| if all >= 1.0 { side.min(all) } else { side };
    (at_most(width, all.0), at_most(height, all.1))
}

/// A round shutter with a play mark, drawn here so that no file is needed.
fn icon() -> Option<winit::window::Icon> {
    const SIDE: i32 = 64;
    let pixel = |x: i32, y: i32| -> [u8; 4] {
        let (dx, dy) = (x - SIDE / 2, y - SIDE / 2);
        let inside = dx * dx + dy * dy <= 30 * 30;
        let play = (-10..=14).contains(&dx) && 12 * dy.abs() <= 7 * (14 - dx);
        match (inside, play) {
            (false, _) => [0, 0, 0, 0],
            (true, true) => [242, 169, 59, 255],
            (true, false) => [34, 38, 44, 255],
        }
    };
    let rgba = (0..SIDE).flat_map(|y| (0..SIDE).flat_map(move |x| pixel(x, y)));
    // Without an icon it is a window all the same.
    winit::window::Icon::from_rgba(rgba.collect(), SIDE as u32, SIDE as u32).ok()
}
