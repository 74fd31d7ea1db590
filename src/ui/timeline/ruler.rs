//! The ruler under the transport controls: seconds as pixels, and all that is
//! painted behind the play head.

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, Ui};

use crate::{
    analysis::FindingKind,
    ui::{
        ClipView, Mode, PanelView, TimelineZoom, findings,
        theme::{self, Palette},
    },
};

/// Free at either end, so that a handle there can be grabbed.
const MARGIN: f32 = 16.0;

/// Maps seconds to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruler {
    pub area: Rect,
    duration_secs: f64,
    shown: TimelineZoom,
}

impl Ruler {
    pub fn new(area: Rect, duration_secs: f64, shown: TimelineZoom) -> Self {
        Self {
            area,
            duration_secs,
            shown,
        }
    }

    pub fn shown(&self) -> TimelineZoom {
        self.shown
    }

    /// Seconds at the left and at the right end.
    fn shown_secs(&self) -> (f64, f64) {
        let duration = self.duration_secs;
        (self.shown.from * duration, self.shown.to * duration)
    }

    /// Whether a moment can be seen.
    pub fn shows(&self, secs: f64) -> bool {
        let (from, to) = self.shown_secs();
        let crumb = 1e-6 * self.duration_secs;
        (from - crumb..=to + crumb).contains(&secs)
    }

    fn span(&self) -> (f32, f32) {
        let left = self.area.left() + MARGIN;
        (left, (self.area.right() - MARGIN).max(left + 1.0))
    }

    pub fn x_of(&self, secs: f64) -> f32 {
        let ((left, right), (from, to)) = (self.span(), self.shown_secs());
        left + (right - left) * ((secs - from) / (to - from).max(1e-9)) as f32
    }

    pub fn secs_at(&self, x: f32) -> f64 {
        let ((left, right), (from, to)) = (self.span(), self.shown_secs());
        from + f64::from(((x - left) / (right - left)).clamp(0.0, 1.0)) * (to - from)
    }

    pub fn paint(&self, ui: &Ui, view: &PanelView<'_>, clip: &ClipView<'_>) {
        let colours = theme::palette(ui.style());
        let (start, end) = view.playback.range_secs;
        let top = self.area.top() + 2.0;
        let bottom = self.area.bottom() - 2.0;
        let (left, right) = self.span();
        let lane = Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, bottom));
        ui.painter().rect_filled(lane, 3.0, colours.groove);
        // What lies outside a part that is looked at closely is not painted; the
        // head of the play head may stand over.
        let seen = lane.expand2(egui::Vec2::new(6.0, 8.0));
        let painter = ui.painter().with_clip_rect(seen.intersect(ui.clip_rect()));
        let painter = &painter;
        let range = Rect::from_min_max(
            Pos2::new(self.x_of(start), top),
            Pos2::new(self.x_of(end), top + 2.0),
        );
        painter.rect_filled(range, 0.0, colours.accent);
        self.paint_error((painter, colours), view, clip, lane);
        self.paint_ticks((painter, colours), clip, lane);
        self.paint_marks((painter, colours), clip, lane);
        self.paint_keys((painter, colours), view, clip, lane);
        if self.shown != TimelineZoom::default() {
            self.paint_extent(painter, colours, lane);
        }
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

    fn paint_ticks(
        &self,
        (painter, colours): (&Painter, Palette),
        clip: &ClipView<'_>,
        lane: Rect,
    ) {
        let (from, to) = self.shown_secs();
        let per_sec = f64::from(lane.width()) / (to - from).max(1e-9);
        let (major, minor) = tick_steps(per_sec, clip.fps());
        let line = |x: f32, height: f32, colour: Color32| {
            let bottom = lane.bottom();
            painter.line_segment(
                [Pos2::new(x, bottom - height), Pos2::new(x, bottom)],
                Stroke::new(1.0, colour),
            );
        };
        // Only those in sight; the bound is for clips that last for days.
        let ticks = |step: f64| {
            let first = (from / step).ceil() as u32;
            first..=((to / step).floor() as u32).min(first.saturating_add(4000))
        };
        for index in ticks(minor) {
            line(self.x_of(f64::from(index) * minor), 4.0, colours.line);
        }
        let decimals = if major < 0.1 {
            2
        } else if major < 1.0 {
            1
        } else {
            0
        };
        for index in ticks(major) {
            let secs = f64::from(index) * major;
            let x = self.x_of(secs);
            line(x, 8.0, colours.quiet);
            let text = format!("{secs:.decimals$} s");
            let at = Pos2::new(x + 4.0, lane.bottom() - 2.0);
            // A number that does not fit before the end is left out.
            if x + 40.0 < lane.right() {
                let font = FontId::proportional(13.0);
                painter.text(at, Align2::LEFT_BOTTOM, text, font, colours.quiet);
            }
        }
    }

    fn paint_marks(
        &self,
        (painter, colours): (&Painter, Palette),
        clip: &ClipView<'_>,
        lane: Rect,
    ) {
        for mark in clip.marks {
            let colour = colours.marks[mark.row % colours.marks.len()];
            let y = lane.top() + 5.0 + 5.0 * mark.row as f32;
            let from = self.x_of(mark.start_secs);
            let to = self.x_of(mark.end_secs).max(from + 2.0);
            let bar = Rect::from_min_max(Pos2::new(from, y), Pos2::new(to, y + 3.0));
            painter.rect_filled(bar, 1.0, colour);
        }
    }

    /// What is wrong, as bars along the bottom; what lasts for a few frames is
    /// seen too.
    pub fn paint_findings(
        &self,
        ui: &Ui,
        view: &PanelView<'_>,
        clip: &ClipView<'_>,
        hidden: &[FindingKind],
    ) {
        // A blend is not what was looked at.
        let findings = view.findings.filter(|_| view.mode == Mode::View);
        let colours = theme::palette(ui.style());
        let (left, right) = self.span();
        let shown = Rect::from_x_y_ranges(left..=right, self.area.y_range());
        let painter = ui.painter().with_clip_rect(shown.intersect(ui.clip_rect()));
        let y = self.area.bottom() - 5.0;
        for finding in findings.unwrap_or_default() {
            // What holds of the whole clip has no place in it.
            let whole = finding.end_frame + 1 - finding.start_frame >= clip.frames();
            if whole || hidden.contains(&finding.kind) {
                continue;
            }
            let x = |frame: usize| self.x_of(frame as f64 / clip.fps());
            let from = x(finding.start_frame);
            let to = x(finding.end_frame).max(from + 3.0);
            let bar = Rect::from_min_max(Pos2::new(from, y), Pos2::new(to, y + 4.0));
            painter.rect_filled(bar, 1.0, findings::colour(finding.kind, colours));
        }
    }

    /// Which part of the clip is seen, as a bar along the bottom.
    fn paint_extent(&self, painter: &Painter, colours: Palette, lane: Rect) {
        let x = |share: f64| lane.left() + lane.width() * share as f32;
        let y = lane.bottom();
        let bar = Rect::from_min_max(
            Pos2::new(x(self.shown.from), y - 2.0),
            Pos2::new(x(self.shown.to).max(x(self.shown.from) + 4.0), y),
        );
        painter.rect_filled(bar, 1.0, colours.quiet);
    }

    /// Keys of the chosen joint.
    fn paint_keys(
        &self,
        (painter, colours): (&Painter, Palette),
        view: &PanelView<'_>,
        clip: &ClipView<'_>,
        lane: Rect,
    ) {
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
                painter.line_segment([from, to], Stroke::new(1.0, colours.text));
                last = x;
            }
        }
    }

    /// Error of compression over time, the largest at the top.
    fn paint_error(
        &self,
        (painter, colours): (&Painter, Palette),
        view: &PanelView<'_>,
        clip: &ClipView<'_>,
        lane: Rect,
    ) {
        let Some(result) = view.compression.result else {
            return;
        };
        let highest = result.errors.max_cm.max(1e-9) as f32;
        // A pixel shows the largest of the frames that fall on it.
        let shown = result.frame_errors_cm.len() as f64 * self.shown.share();
        let stride = (shown as usize / lane.width().max(1.0) as usize).max(1);
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
        painter.add(egui::Shape::line(points, stroke));
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
        let ruler = Ruler::new(area, 8.0, TimelineZoom::default());
        for secs in [0.0, 1.25, 8.0] {
            assert_close!(ruler.secs_at(ruler.x_of(secs)), secs, 1e-3);
        }
        assert_eq!(ruler.secs_at(-50.0), 0.0);
        assert_eq!(ruler.secs_at(5000.0), 8.0);
        let near = TimelineZoom::default().zoomed(0.25, 0.5, 0.01);
        let ruler = Ruler::new(area, 8.0, near);
        assert_close!(ruler.secs_at(-50.0), 3.0, 1e-9);
        assert_close!(ruler.secs_at(ruler.x_of(3.7)), 3.7, 1e-3);
        assert!(ruler.shows(5.0) && !ruler.shows(5.1));
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer_and_stays_in_the_clip() {
        let mut shown = TimelineZoom::default();
        for _ in 0..20 {
            let before = (0.3 - shown.from) / shown.share();
            shown = shown.zoomed(0.8, 0.3, 0.05);
            assert_close!((0.3 - shown.from) / shown.share(), before, 1e-9);
        }
        assert_close!(shown.share(), 0.05, 1e-9);
        assert_eq!(shown.moved(9.0).to, 1.0);
        assert_eq!(shown.zoomed(1e9, 0.3, 0.05), TimelineZoom::default());
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
