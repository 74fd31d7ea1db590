//! Who a drag belongs to, and which keys are down.
//!
//! Presses and releases are handled as they come, not sampled once a frame:
//! a click that is over before the next frame still counts.

use glam::Vec2;
use winit::event::MouseButton;

use crate::ui::Mode;

/// Pixels a pointer may move during a click.
const CLICK_PX: f32 = 4.0;

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    /// Belongs to the panels.
    Interface,
    /// Turns the camera.
    Orbit,
    /// Moves the camera.
    Pan,
    /// Pulls at the cloth.
    Cloth,
    /// Pulls at a joint.
    Joint,
    /// Draws a path on the ground.
    Path,
}

/// The pointer and the drag under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pointer {
    /// Where it is, in pixels; `None` outside the window.
    pub at: Option<Vec2>,
    drag: Option<(Drag, MouseButton)>,
    travelled_px: f32,
}

impl Pointer {
    /// The drag under way.
    #[must_use]
    pub fn drag(&self) -> Option<Drag> {
        self.drag.map(|(drag, _)| drag)
    }

    /// Moves; returns the way in pixels.
    pub fn move_to(&mut self, at: Vec2) -> Vec2 {
        let way = self.at.map_or(Vec2::ZERO, |before| at - before);
        self.at = Some(at);
        // The way, not the distance: a drag that comes back is no click.
        self.travelled_px += way.length();
        way
    }

    /// A button goes down. The first one decides whose drag it is; further
    /// ones change nothing. Returns what began.
    pub fn press(
        &mut self,
        button: MouseButton,
        over_interface: bool,
        shift: bool,
        mode: Mode,
    ) -> Option<Drag> {
        if self.drag.is_some() {
            return None;
        }
        let drag = match (over_interface, mode, button) {
            (true, ..) => Drag::Interface,
            // Shift runs, and every button may be bound.
            (_, Mode::Drive, _) => Drag::Orbit,
            (_, _, MouseButton::Left | MouseButton::Right) if !shift => Drag::Orbit,
            (_, _, MouseButton::Left | MouseButton::Right | MouseButton::Middle) => Drag::Pan,
            _ => return None,
        };
        self.drag = Some((drag, button));
        self.travelled_px = 0.0;
        Some(drag)
    }

    /// A button goes down on something that is taken hold of.
    pub fn seize(&mut self, button: MouseButton, drag: Drag) {
        self.drag = Some((drag, button));
        self.travelled_px = 0.0;
    }

    /// A button goes up. Returns what ended, and whether it was a mere click.
    pub fn release(&mut self, button: MouseButton) -> Option<(Drag, bool)> {
        let (drag, held) = self.drag?;
        if held != button {
            return None;
        }
        self.drag = None;
        Some((drag, self.travelled_px <= CLICK_PX))
    }

    /// The window lost the focus: nothing is held any more. Returns what ended.
    pub fn let_go(&mut self) -> Option<Drag> {
        self.drag.take().map(|(drag, _)| drag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_belongs_to_whoever_it_started_with() {
        let mut pointer = Pointer::default();
        pointer.move_to(Vec2::new(10.0, 10.0));
        let first = pointer.press(MouseButton::Left, true, false, Mode::View);
        assert_eq!(first, Some(Drag::Interface));
        // A second button, now over the picture, does not steal it.
        assert_eq!(
            pointer.press(MouseButton::Right, false, false, Mode::View),
            None
        );
        assert_eq!(pointer.release(MouseButton::Right), None);
        assert_eq!(pointer.drag(), Some(Drag::Interface));
        assert!(pointer.release(MouseButton::Left).is_some());
        assert_eq!(pointer.drag(), None);
    }

    #[test]
    fn buttons_mean_what_the_mode_says() {
        let begin = |button, shift, mode| {
            Pointer::default()
                .press(button, false, shift, mode)
                .unwrap()
        };
        assert_eq!(begin(MouseButton::Left, false, Mode::View), Drag::Orbit);
        assert_eq!(begin(MouseButton::Left, true, Mode::View), Drag::Pan);
        assert_eq!(begin(MouseButton::Middle, false, Mode::View), Drag::Pan);
        assert_eq!(begin(MouseButton::Left, true, Mode::Drive), Drag::Orbit);
        assert_eq!(begin(MouseButton::Right, true, Mode::Drive), Drag::Orbit);
    }

    #[test]
    fn a_click_may_tremble_and_a_drag_is_no_click() {
        let mut pointer = Pointer::default();
        pointer.move_to(Vec2::ZERO);
        pointer.press(MouseButton::Left, false, false, Mode::View);
        pointer.move_to(Vec2::new(1.0, 1.0));
        assert_eq!(
            pointer.release(MouseButton::Left),
            Some((Drag::Orbit, true))
        );
        pointer.press(MouseButton::Left, false, false, Mode::View);
        pointer.move_to(Vec2::new(40.0, 0.0));
        pointer.move_to(Vec2::new(1.0, 1.0));
        assert_eq!(
            pointer.release(MouseButton::Left),
            Some((Drag::Orbit, false))
        );
        pointer.press(MouseButton::Right, false, false, Mode::View);
        assert_eq!(pointer.let_go(), Some(Drag::Orbit));
        assert_eq!(pointer.release(MouseButton::Right), None);
    }
}
