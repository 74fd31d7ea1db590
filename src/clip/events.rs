//! Metachannels: names at moments of a clip, such as a foot that strikes.

use super::{FootContacts, RawClip, Wrap};
use crate::{humanoid::Human, skeleton::Skeleton};

/// What a strike of the left foot and of the right one are called, unless an
/// animator's file has other names for them.
pub const FOOT_STRIKES: [&str; 2] = ["footstep_left", "footstep_right"];

/// A name at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Seconds after the clip's first frame.
    pub time_secs: f64,
    /// What happens.
    pub name: String,
}

/// The events of a clip in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTrack {
    events: Vec<Event>,
}

impl EventTrack {
    /// Puts events in order.
    #[must_use]
    pub fn new(mut events: Vec<Event>) -> Self {
        events.sort_by(|a, b| a.time_secs.total_cmp(&b.time_secs));
        Self { events }
    }

    /// The strikes of both feet, as the motion shows them; none where there
    /// are no legs.
    #[must_use]
    pub fn foot_strikes(skeleton: &Skeleton, clip: &RawClip) -> Self {
        let legs = Human::find(skeleton).legs();
        let (contacts, _) = FootContacts::find(skeleton, clip, &legs, false);
        Self::of_contacts(&contacts)
    }

    /// The strikes of feet whose contacts are known, left before right.
    #[must_use]
    pub fn of_contacts(contacts: &[FootContacts]) -> Self {
        let feet = contacts.iter().zip(FOOT_STRIKES);
        let strikes = feet.flat_map(|(foot, name)| {
            let moments = foot.strikes(false).into_iter();
            moments.map(move |time_secs| Event {
                time_secs,
                name: name.to_owned(),
            })
        });
        Self::new(strikes.collect())
    }

    /// All of them, in order of time.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The moment of the first event of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<f64> {
        let named = self.events.iter().find(|event| event.name == name);
        named.map(|event| event.time_secs)
    }

    /// Those of a part of the clip, its ends included, counted from its start.
    #[must_use]
    pub fn part(&self, start_secs: f64, end_secs: f64) -> Self {
        // Times of frames are sums and quotients; an event on one is meant.
        const CRUMB_SECS: f64 = 1e-6;
        let within = start_secs - CRUMB_SECS..=end_secs + CRUMB_SECS;
        let kept = self
            .events
            .iter()
            .filter(|it| within.contains(&it.time_secs));
        let kept = kept.map(|event| Event {
            time_secs: (event.time_secs - start_secs).max(0.0),
            name: event.name.clone(),
        });
        Self::new(kept.collect())
    }

    /// Calls `fire` for every event passed on the way from one unwrapped clip
    /// time to another, in the order passed. The start is excluded, the end
    /// included, in both directions: a moment that is reached and then left
    /// again, either way, has been passed once. Times run past the clip's ends
    /// as `wrap` says.
    pub fn passed<'a>(
        &'a self,
        from_secs: f64,
        to_secs: f64,
        duration_secs: f64,
        wrap: Wrap,
        mut fire: impl FnMut(&'a Event),
    ) {
        if self.events.is_empty() || duration_secs <= 0.0 {
            return;
        }
        let forward = to_secs >= from_secs;
        let (low, high) = (from_secs.min(to_secs), from_secs.max(to_secs));
        let inside = |at: f64| match forward {
            true => at > low && at <= high,
            false => at >= low && at < high,
        };
        let (first, last) = match wrap {
            Wrap::Once => (0, 0),
            // The lap before as well: an event may sit on its very end.
            _ => (
                (low / duration_secs).floor() as i64 - 1,
                (high / duration_secs).floor() as i64,
            ),
        };
        let laps = (0..=last - first).map(|i| if forward { first + i } else { last - i });
        for lap in laps {
            // Euclidean again: lap −1, before the start, runs back as lap 1
            // does.
            let reversed = wrap == Wrap::PingPong && lap.rem_euclid(2) == 1;
            let at = |event: &Event| {
                let within = match reversed {
                    true => duration_secs - event.time_secs,
                    false => event.time_secs,
                };
                lap as f64 * duration_secs + within
            };
            let count = self.events.len();
            for i in 0..count {
                // Last event first when either time or the lap runs backwards,
                // not both.
                let i = if forward == reversed {
                    count - 1 - i
                } else {
                    i
                };
                let event = &self.events[i];
                if inside(at(event)) {
                    fire(event);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(times: &[f64]) -> EventTrack {
        let event = |&time_secs: &f64| Event {
            time_secs,
            name: format!("at {time_secs}"),
        };
        EventTrack::new(times.iter().map(event).collect())
    }

    fn walk(track: &EventTrack, stops: &[f64], wrap: Wrap) -> Vec<String> {
        let mut fired = Vec::new();
        for pair in stops.windows(2) {
            track.passed(pair[0], pair[1], 2.0, wrap, |event| {
                fired.push(event.name.clone());
            });
        }
        fired
    }

    #[test]
    fn once_per_pass_forward_backward_and_across_loops() {
        let track = track(&[1.5, 0.5]);
        let whole = ["at 0.5", "at 1.5", "at 0.5"];
        assert_eq!(walk(&track, &[0.0, 2.7], Wrap::Loop), whole);
        assert_eq!(walk(&track, &[0.0, 0.5, 1.0, 1.5, 2.5], Wrap::Loop), whole);
        let back = ["at 0.5", "at 1.5", "at 0.5"];
        assert_eq!(walk(&track, &[2.7, 0.4], Wrap::Loop), back);
        assert_eq!(walk(&track, &[0.0, -2.0], Wrap::Loop), ["at 1.5", "at 0.5"]);
    }

    #[test]
    fn any_way_of_cutting_the_time_fires_the_same() {
        let track = track(&[0.0, 0.3, 1.1, 2.0]);
        let whole = walk(&track, &[-3.1, 7.3], Wrap::Loop);
        for pieces in [7, 50, 1040] {
            let stops: Vec<f64> = (0..=pieces)
                .map(|i| -3.1 + 10.4 * f64::from(i) / f64::from(pieces))
                .collect();
            assert_eq!(walk(&track, &stops, Wrap::Loop), whole, "{pieces}");
        }
    }

    #[test]
    fn an_event_on_the_seam_fires_once_a_lap() {
        assert_eq!(walk(&track(&[0.0]), &[0.5, 5.5], Wrap::Loop).len(), 2);
        assert_eq!(walk(&track(&[2.0]), &[0.5, 2.0, 2.1], Wrap::Loop).len(), 1);
    }

    #[test]
    fn played_once_it_stops_and_back_and_forth_it_meets_them_twice() {
        let track = track(&[0.5]);
        assert_eq!(walk(&track, &[0.0, 9.0], Wrap::Once).len(), 1);
        assert_eq!(walk(&track, &[0.0, 4.0], Wrap::PingPong).len(), 2);
    }

    #[test]
    fn a_part_counts_from_its_own_start_and_keeps_its_ends() {
        let part = track(&[0.2, 0.5, 1.0, 1.5]).part(0.5, 1.0);
        let times: Vec<f64> = part.events().iter().map(|it| it.time_secs).collect();
        assert_eq!(times, [0.0, 0.5]);
        assert_eq!(part.find("at 1"), Some(0.5));
        assert_eq!(part.find("at 1.5"), None);
    }

    #[test]
    fn reached_and_left_again_is_one_pass() {
        let track = track(&[0.5]);
        assert_eq!(walk(&track, &[0.4, 0.5, 0.4], Wrap::Loop).len(), 1);
        assert_eq!(walk(&track, &[0.4, 0.6, 0.4], Wrap::Loop).len(), 2);
    }
}
