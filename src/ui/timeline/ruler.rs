//! The ruler under the transport controls: seconds as pixels, and all that is
//! painted behind the play head.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, Ui};

use crate::ui::{ClipView, PanelView, theme};

/// Free at either end, so that a handle there can be grabbed.
const MARGIN: f32 = 16.0;

/// Maps seconds to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruler {
    pub area: Rect,
    duration_secs: f64,
}

impl Ruler {
    pub fn new(area: Rect, duration_secs: f64) -> Self {
        Self {
            area,
            duration_secs,
        }
    }

    fn span(&self) -> (f32, f32) {
        let left = self.area.left() + MARGIN;
        (left, (self.area.right() - MARGIN).max(left + 1.0))
    }

    pub fn x_of(&self, secs: f64) -> f32 {
        let (left, right) = self.span();
        left + (right - left) * (secs / self.duration_secs.max(1e-9)) as f32
    }

    pub fn secs_at(&self, x: f32) -> f64 {
        let (left, right) = self.span();
        f64::from(((x - left) / (right - left)).clamp(0.0, 1.0)) * self.duration_secs
    }

    pub fn paint(&self, ui: &Ui, view: &PanelView<'_>, clip: &ClipView<'_>) {
        let colours = theme::palette(ui.style());
        let painter = ui.painter();
        let (start, end) = view.playback.range_secs;
        let top = self.area.top() + 2.0;
        let bottom = self.area.bottom() - 2.0;
        let (left, right) = self.span();
        let lane = Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom));
        painter.rect_filled(lane, 3.0, colours.groove);
        let range = Rect::from_min_max(
            Pos2::new(self.x_of(start), top),
            Pos2::new(self.x_of(end), top + 2.0),
        );
        painter.rect_filled(range, 0.0, colours.accent);
        self.paint_error(ui, view, clip, lane);
        self.paint_ticks(ui, clip, lane);
        self.paint_marks(ui, clip, lane);
        self.paint_keys(ui, view, clip, lane);
        // Over the marks: what is outside the range is dimmed.
        for (from, to) in [(0.0, start), (end, self.duration_secs)] {
            let outside = Rect::from_min_max(
                Pos2::new(self.x_of(from), top),
                Pos2::new(self.x_of(to), bottom),
            );
            painter.rect_filled(outside, 0.0, colours.panel.gamma_multiply(0.7));
        }
        let x = self.x_of(view.playback.time_secs);
        painter.line_segment(
            [Pos2::new(x, top - 2.0), Pos2::new(x, bottom + 2.0)],
            Stroke::new(2.0, colours.accent),
        );
        painter.circle_filled(Pos2::new(x, top + 1.0), 5.0, colours.accent);
    }

    fn paint_ticks(&self, ui: &Ui, clip: &ClipView<'_>, lane: Rect) {
        let colours = theme::palette(ui.style());
        let per_sec = f64::from(lane.width()) / self.duration_secs.max(1e-9);
        let (major, minor) = tick_steps(per_sec, clip.fps());
        let line = |x: f32, height: f32, colour: Color32| {
            let bottom = lane.bottom();
            ui.painter().line_segment(
                [Pos2::new(x, bottom - height), Pos2::new(x, bottom)],
                Stroke::new(1.0, colour),
            );
        };
        // The bound is for clips that last for days.
        let minors = (self.duration_secs / minor).floor() as u32;
        for index in 0..=minors.min(4000) {
            line(self.x_of(f64::from(index) * minor), 4.0, colours.line);
        }
        let majors = (self.duration_secs / major).floor() as u32;
        let decimals = if major < 0.1 {
            2
        } else if major < 1.0 {
            1
        } else {
            0
        };
        for index in 0..=majors {
            let secs = f64::from(index) * major;
            let x = self.x_of(secs);
            line(x, 8.0, colours.quiet);
            let text = format!("{secs:.decimals$} s");
            let at = Pos2::new(x + 4.0, lane.bottom() - 2.0);
            // A number that does not fit before the end is left out.
            if x + 40.0 < lane.right() {
                let font = FontId::proportional(13.0);
                ui.painter()
                    .text(at, Align2::LEFT_BOTTOM, text, font, colours.quiet);
            }
        }
    }

    fn paint_marks(&self, ui: &Ui, clip: &ClipView<'_>, lane: Rect) {
        let colours = theme::palette(ui.style());
        for mark in clip.marks {
            let colour = colours.marks[mark.row % colours.marks.len()];
            let y = lane.top() + 5.0 + 5.0 * mark.row as f32;
            let from = self.x_of(mark.start_secs);
            let to = self.x_of(mark.end_secs).max(from + 2.0);
            let bar = Rect::from_min_max(Pos2::new(from, y), Pos2::new(to, y + 3.0));
            ui.painter().rect_filled(bar, 1.0, colour);
        }
    }

    /// Keys of the chosen joint.
    fn paint_keys(&self, ui: &Ui, view: &PanelView<'_>, clip: &ClipView<'_>, lane: Rect) {
        let colours = theme::palette(ui.style());
        let selected = view.pose.and_then(|pose| pose.selected).unwrap_or(0);
        let keys = view.compression.result.map(|result| &result.key_frames);
        let Some(keys) = keys.and_then(|keys| keys.get(usize::from(selected))) else {
            return;
        };
        let mut last = f32::MIN;
        for &frame in keys {
            let x = self.x_of(f64::from(frame) / clip.fps());
            // Keys closer than a pixel make a bar anyway.
            if x - last >= 1.0 {
                let from = Pos2::new(x, lane.top() + 16.0);
                let to = Pos2::new(x, lane.top() + 21.0);
                ui.painter()
                    .line_segment([from, to], Stroke::new(1.0, colours.text));
                last = x;
            }
        }
    }

    /// Error of compression over time, the largest at the top.
    fn paint_error(&self, ui: &Ui, view: &PanelView<'_>, clip: &ClipView<'_>, lane: Rect) {
        let colours = theme::palette(ui.style());
        let Some(result) = view.compression.result else {
            return;
        };
        let highest = result.errors.max_cm.max(1e-9) as f32;
        // A pixel shows the largest of the frames that fall on it.
        let stride = (result.frame_errors_cm.len() / lane.width() as usize).max(1);
        let points = result
            .frame_errors_cm
            .chunks(stride)
            .enumerate()
            .map(|(index, chunk)| {
                let error = chunk.iter().copied().fold(0.0, f32::max);
                let x = self.x_of((index * stride) as f64 / clip.fps());
                Pos2::new(x, lane.bottom() - (lane.height() - 4.0) * error / highest)
            })
            .collect();
        let stroke = Stroke::new(1.0, colours.accent.gamma_multiply(0.6));
        ui.painter().add(egui::Shape::line(points, stroke));
    }
}

/// Seconds from one labelled tick to the next, and from one fine tick to the
/// next: labels at least 64 pixels apart, fine ticks at least 6.
fn tick_steps(pixels_per_sec: f64, fps: f64) -> (f64, f64) {
    const STEPS: [f64; 14] = [
        0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0,
    ];
    let wide_enough = |step: &&f64| **step * pixels_per_sec >= 64.0;
    let major = STEPS.iter().find(wide_enough).copied().unwrap_or(3600.0);
    let minor = [1.0 / fps, major / 10.0, major / 5.0]
        .into_iter()
        .find(|step| step * pixels_per_sec >= 6.0)
        .unwrap_or(major);
    (major, minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_seconds_are_inverse_and_clamped() {
        let area = Rect::from_min_size(Pos2::ZERO, egui::Vec2::new(1000.0, 40.0));
        let ruler = Ruler::new(area, 8.0);
        for secs in [0.0, 1.25, 8.0] {
            assert_close!(ruler.secs_at(ruler.x_of(secs)), secs, 1e-3);
        }
        assert_eq!(ruler.secs_at(-50.0), 0.0);
        assert_eq!(ruler.secs_at(5000.0), 8.0);
    }

    #[test]
    fn ticks_keep_their_distance_for_any_length() {
        for duration in [0.1, 1.0, 10.0, 100.0, 3600.0, 20_000.0] {
            let per_sec = 1200.0 / duration;
            let (major, minor) = tick_steps(per_sec, 120.0);
            assert!(major * per_sec >= 60.0, "{duration}: {major}");
            assert!(
                minor * per_sec >= 6.0 && minor <= major,
                "{duration}: {minor}"
            );
        }
    }
}
