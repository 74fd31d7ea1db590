//! A path on the ground by its length.

use glam::DVec2;

/// Points joined by straight lines.
pub(super) struct Polyline {
    points: Vec<DVec2>,
    /// Metres from the start to each point.
    lengths_m: Vec<f64>,
}

/// Over this far to either side the direction of a path is taken, metres:
/// corners that were drawn by hand are none.
const DIRECTION_M: f64 = 0.05;
/// Whoever goes a metre comes forward on the path by as much, less or more this
/// share: on the outside of a bend less, on the inside more.
const SLACK: f64 = 0.5;

impl Polyline {
    /// `None` where the points lead nowhere.
    pub fn new(points: &[DVec2]) -> Option<Self> {
        let mut kept: Vec<DVec2> = Vec::new();
        let mut lengths_m = Vec::new();
        let mut length = 0.0;
        for &point in points.iter().filter(|point| point.is_finite()) {
            let step = kept.last().map_or(0.0, |last| last.distance(point));
            if kept.is_empty() || step > 1e-6 {
                length += step;
                kept.push(point);
                lengths_m.push(length);
            }
        }
        let points = kept;
        (points.len() >= 2).then_some(Self { points, lengths_m })
    }

    /// How long it is.
    pub fn length_m(&self) -> f64 {
        self.lengths_m.last().copied().unwrap_or(0.0)
    }

    /// The place after so many metres; the ends hold.
    pub fn at(&self, length_m: f64) -> DVec2 {
        let last = self.points.len() - 1;
        let after = self.lengths_m.partition_point(|&it| it <= length_m);
        let after = after.clamp(1, last);
        let [low, high] = [after - 1, after].map(|k| self.lengths_m[k]);
        let part = ((length_m - low) / (high - low)).clamp(0.0, 1.0);
        self.points[after - 1].lerp(self.points[after], part)
    }

    /// How far along it somebody is who was at `along_m` and went `way_m` to
    /// `place`: beside the place, as far as that way explains. Where the path
    /// crosses itself, nobody changes over to what comes later.
    pub fn along_m(&self, along_m: f64, way_m: f64, place: DVec2) -> f64 {
        let guess = along_m + way_m;
        let direction = self.at(guess + DIRECTION_M) - self.at(guess - DIRECTION_M);
        let ahead = (place - self.at(guess)).dot(direction.normalize_or_zero());
        guess + ahead.clamp(-SLACK * way_m, SLACK * way_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_walks_beside_a_bend_comes_forward_with_it() {
        // A circle of 4 m; the walker keeps 30 cm outside of it.
        let on = |radius: f64, turn: f64| radius * DVec2::new(turn.cos(), turn.sin());
        let circle: Vec<DVec2> = (0..=300).map(|k| on(4.0, f64::from(k) * 0.02)).collect();
        let path = Polyline::new(&circle).unwrap();
        let (mut along, mut here) = (0.0, on(4.3, 0.0));
        for step in 1..=150 {
            let next = on(4.3, f64::from(step) * 0.03);
            along = path.along_m(along, here.distance(next), next);
            here = next;
        }
        assert_close!(along, 4.0 * 4.5, 0.02);
    }

    #[test]
    fn a_crossing_is_no_short_cut() {
        let eight = [(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)].map(DVec2::from);
        let path = Polyline::new(&eight).unwrap();
        let mut along = 0.0;
        for step in 1..=40 {
            let place = DVec2::splat(0.1 * f64::from(step));
            along = path.along_m(along, 0.02f64.sqrt(), place);
        }
        assert_close!(along, 32.0f64.sqrt(), 1e-6);
    }
}
