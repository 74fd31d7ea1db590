//! The built-in performer: a program that writes its skeleton and its clips.
//!
//! A clip is a function from time to [`posture::Posture`]; the postures are
//! solved for balance and reach, sampled, rounded and printed.

mod anthropometry;
mod attack;
mod balance;
mod bones;
mod checks;
mod clip;
mod curve;
mod difference;
mod foot;
mod gait;
mod get_up;
mod jump;
mod leap;
mod leg;
mod locomotion;
mod low;
mod posture;
mod rig;
mod run;
mod stand;
mod steps;
mod struck;
mod turn;
mod walks;
mod wave;
mod write;

use clip::{Kind, Take};
use locomotion::Locomotion;
use posture::Posture;

pub use checks::measure;
pub use clip::Clip;
pub use rig::Rig;

/// Every clip, in the order they are listed to the user.
pub fn clips(rig: &Rig) -> Vec<Clip> {
    let forward = walks::forward();
    let backward = walks::backward();
    let run = run::run();
    let mut even_run = run::run();
    even_run.variation = 0.0;
    even_run.gait.placement_deviation = 0.0;
    let strafe = walks::strafe_left(4);
    let strafe_right = walks::strafe_left(5);
    let standing = balance::solve(rig, &stand::at_ease(0.0));
    let pivot = standing.root_m * glam::DVec3::new(1.0, 0.0, 1.0);
    let com_height = balance::centre_of_mass(rig, &rig.world(&standing)).y;
    let takes = [
        Take::new("idle", Kind::Standing, stand::IDLE_SECS, stand::idle),
        walk("forward", &forward, |walk, t| walk.posture(t)),
        walk("backward", &backward, |walk, t| walk.posture(-t)),
        Take::new("run", Kind::Running, run.duration_secs(), |t| {
            run.posture(t)
        })
        .with_flight(|t| run.gait.is_airborne(t)),
        walk("strafe_left", &strafe, |walk, t| walk.posture(t)),
        walk("strafe_right", &strafe_right, |walk, t| {
            walk.posture(t).mirrored()
        }),
        act("turn_left", turn::TURN_SECS, |t| turn::turn_left(pivot, t)),
        act("turn_right", turn::TURN_SECS, |t| {
            turn::turn_left(pivot, t).mirrored()
        }),
        Take::new("jump", Kind::Jump, jump::JUMP_SECS, |t| {
            jump::jump(com_height, t)
        })
        .with_flight(jump::is_airborne),
        leap("leap_left", |t| leap::leap_left(&even_run, t)),
        leap("leap_right", |t| leap::leap_left(&even_run, t).mirrored()),
        act("attack", attack::ATTACK_SECS, attack::attack),
        act("struck", struck::STRUCK_SECS, struck::struck),
        act("wave", wave::WAVE_SECS, wave::wave),
        get_up("get_up_supine", get_up::SUPINE_SECS, get_up::supine(rig)),
        get_up("get_up_prone", get_up::PRONE_SECS, get_up::prone(rig)),
    ];
    let takes = takes.into_iter().chain(differences());
    takes.map(|take| take.record(rig)).collect()
}

/// What is laid over the other clips.
fn differences() -> Vec<Take<'static>> {
    let over =
        |name, secs, posture: fn(f64) -> Posture| Take::new(name, Kind::Difference, secs, posture);
    let mut takes = vec![
        over("lean", difference::LEAN_SECS, difference::lean),
        over("breathe", difference::BREATHE_SECS, difference::breathe),
        over("tired", difference::TIRED_SECS, difference::tired),
        over("wander", difference::WANDER_SECS, difference::wander),
    ];
    takes.extend(AIMS.map(|(name, left, up)| {
        Take::new(name, Kind::Difference, difference::POSE_SECS, move |_| {
            difference::aim(left, up)
        })
    }));
    takes
}

/// Poses of the pointing arm: to the left and up.
const AIMS: [(&str, f64, f64); 9] = [
    ("aim", 0.0, 0.0),
    ("aim_left", 1.0, 0.0),
    ("aim_right", -1.0, 0.0),
    ("aim_up", 0.0, 1.0),
    ("aim_down", 0.0, -1.0),
    ("aim_up_left", 1.0, 1.0),
    ("aim_up_right", -1.0, 1.0),
    ("aim_down_left", 1.0, -1.0),
    ("aim_down_right", -1.0, -1.0),
];

fn walk<'a>(
    name: &'static str,
    walk: &'a Locomotion,
    posture: impl Fn(&Locomotion, f64) -> Posture + 'a,
) -> Take<'a> {
    let secs = walk.duration_secs();
    Take::new(name, Kind::Walking, secs, move |t| posture(walk, t))
}

fn leap<'a>(name: &'static str, posture: impl Fn(f64) -> Posture + 'a) -> Take<'a> {
    Take::new(name, Kind::Running, leap::LEAP_SECS, posture).with_flight(leap::is_airborne)
}

fn act<'a>(name: &'static str, secs: f64, posture: impl Fn(f64) -> Posture + 'a) -> Take<'a> {
    Take::new(name, Kind::Action, secs, posture)
}

fn get_up<'a>(name: &'static str, secs: f64, keys: low::Keys) -> Take<'a> {
    Take::of_frames(name, Kind::GetUp, secs, move |rig, t| keys.frame(rig, t))
}

/// Every file: path below the assets folder, and text.
pub fn files(rig: &Rig, clips: &[Clip]) -> Vec<(String, String)> {
    let mut files = vec![("performer.asf".to_owned(), write::asf(rig))];
    let motion = |clip: &Clip| (format!("clips/{}.amc", clip.name), write::amc(rig, clip));
    files.extend(clips.iter().map(motion));
    files
}
