//! Continuity: loops close in place and speed, nothing pops, actions come home.

use glam::DVec3;

use super::{
    super::{
        clip::{FRAMES_PER_SECOND, Kind},
        rig::{BONES, ROOT},
    },
    Film, Measure, largest,
};

/// Measures of the motion of all joint ends.
pub fn measure(film: &Film<'_>) -> Vec<Measure> {
    let mut measures = start_and_travel(film);
    if film.clip.kind.repeats() {
        measures.extend(closure(film));
    } else {
        measures.push(homecoming(film));
    }
    measures.extend(smoothness(film));
    measures
}

fn heading_deg(film: &Film<'_>, frame: usize) -> f64 {
    let ahead = film.worlds[frame].rotation[ROOT] * DVec3::Z;
    ahead.x.atan2(ahead.z).to_degrees()
}

fn start_and_travel(film: &Film<'_>) -> Vec<Measure> {
    let last = film.worlds.len() - 1;
    let start = film.worlds[0].start[ROOT];
    let travel = film.worlds[last].start[ROOT] - start;
    let speed = travel / (last as f64 / FRAMES_PER_SECOND);
    let mut measures = vec![
        film.at_most(
            "root beside the origin at the start, cm",
            start.x.hypot(start.z) * 100.0,
            0.1,
        ),
        film.measure(
            "heading at the start, degrees",
            heading_deg(film, 0),
            [-4.0, 4.0],
        ),
    ];
    let (what, value, wanted) = match film.clip.name {
        "forward" => ("speed ahead, m/s", speed.z, 1.4),
        "backward" => ("speed ahead, m/s", speed.z, -1.0),
        "run" | "leap_left" | "leap_right" => ("speed ahead, m/s", speed.z, 3.5),
        "strafe_left" => ("speed to the left, m/s", speed.x, 0.6),
        "strafe_right" => ("speed to the left, m/s", speed.x, -0.6),
        "turn_left" => ("heading at the end, degrees", heading_deg(film, last), 90.0),
        "turn_right" => (
            "heading at the end, degrees",
            heading_deg(film, last),
            -90.0,
        ),
        _ => ("root from the origin at the end, m", travel.length(), 0.0),
    };
    let slack = if wanted == 0.0 {
        0.01
    } else {
        0.01 * f64::abs(wanted)
    };
    measures.push(film.measure(what, value, [wanted - slack, wanted + slack]));
    if film.clip.kind == Kind::Standing {
        measures.push(film.at_least("length, s", last as f64 / FRAMES_PER_SECOND, 8.0));
    }
    measures
}

/// Velocity at a frame from the five frames that follow (`direction` 1) or
/// precede (−1) it: a one-sided difference of fourth order.
fn velocity(film: &Film<'_>, bone: usize, frame: usize, direction: isize) -> DVec3 {
    const WEIGHTS: [f64; 5] = [-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25];
    let at = |i: usize| film.worlds[frame.wrapping_add_signed(direction * i as isize)].end[bone];
    let sum = WEIGHTS
        .iter()
        .enumerate()
        .map(|(i, weight)| at(i) * *weight)
        .sum::<DVec3>();
    sum * FRAMES_PER_SECOND * direction as f64
}

fn closure(film: &Film<'_>) -> [Measure; 2] {
    let last = film.worlds.len() - 1;
    let travel = film.worlds[last].start[ROOT] - film.worlds[0].start[ROOT];
    let gap =
        |bone: usize| (film.worlds[last].end[bone] - film.worlds[0].end[bone] - travel).length();
    let kink = |bone: usize| (velocity(film, bone, last, -1) - velocity(film, bone, 0, 1)).length();
    [
        film.at_most(
            "gap of the loop at a joint end, cm",
            largest((0..BONES).map(gap)) * 100.0,
            0.2,
        ),
        film.at_most(
            "change of velocity over the seam, cm/s",
            largest((0..BONES).map(kink)) * 100.0,
            2.0,
        ),
    ]
}

/// Actions end where they began, a quarter turn aside.
fn homecoming(film: &Film<'_>) -> Measure {
    let last = film.worlds.len() - 1;
    let turn =
        glam::DQuat::from_rotation_y((heading_deg(film, 0) - heading_deg(film, last)).to_radians());
    let place =
        |frame: usize, bone: usize| film.worlds[frame].end[bone] - film.worlds[frame].start[ROOT];
    let gap = |bone: usize| (turn * place(last, bone) - place(0, bone)).length();
    film.at_most(
        "joint ends from the idle stance at the end, cm",
        largest((0..BONES).map(gap)) * 100.0,
        2.0,
    )
}

/// Frames to either side over which a clip's usual speeds are taken: a pop of
/// one frame must not raise the bound it is held against.
const USUAL: usize = 4;

/// Captures of walking, running and jumping peak at 600 to 1100 m/s² (toes);
/// the performer has to be gentler than they are.
const HARSHEST: f64 = 450.0;

fn smoothness(film: &Film<'_>) -> Vec<Measure> {
    let count = film.worlds.len();
    let moved = |bone: usize, from: usize, to: usize| {
        let way = film.worlds[to].end[bone] - film.worlds[from].end[bone];
        way * (FRAMES_PER_SECOND / (to - from) as f64)
    };
    let usual = |bone: usize| {
        (USUAL..count - USUAL).map(move |f| moved(bone, f - USUAL, f + USUAL).length())
    };
    let mut speeds = (0..BONES).flat_map(usual).collect::<Vec<_>>();
    speeds.sort_by(f64::total_cmp);
    let high = speeds[(speeds.len() as f64 * 0.999) as usize - 1];
    let over_bones = |change: &dyn Fn(DVec3, DVec3) -> f64| {
        let at = |bone: usize, f: usize| change(moved(bone, f - 1, f), moved(bone, f, f + 1));
        largest((0..BONES).map(|bone| largest((1..count - 1).map(|f| at(bone, f)))))
    };
    let jump = over_bones(&|before, after| (after.length() - before.length()).abs());
    let acceleration = over_bones(&|before, after| (after - before).length()) * FRAMES_PER_SECOND;
    vec![
        film.at_most(
            "largest jump of a speed, of the 99.9th percentile speed",
            jump / high,
            1.0,
        ),
        film.at_most(
            "largest acceleration of a joint end, m/s2",
            acceleration,
            HARSHEST,
        ),
    ]
}
