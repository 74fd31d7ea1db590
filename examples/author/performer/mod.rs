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
mod foot;
mod gait;
mod jump;
mod leg;
mod locomotion;
mod posture;
mod rig;
mod run;
mod stand;
mod steps;
mod turn;
mod walks;
mod wave;
mod write;

use locomotion::Locomotion;
use posture::Posture;

pub use checks::measure;
pub use clip::{Clip, Kind};
pub use rig::Rig;

/// Every clip, in the order they are listed to the user.
pub fn clips(rig: &Rig) -> Vec<Clip> {
    let forward = walks::forward();
    let backward = walks::backward();
    let run = run::run();
    let strafe = walks::strafe_left(4);
    let strafe_right = walks::strafe_left(5);
    let standing = balance::solve(rig, &stand::at_ease(0.0));
    let pivot = standing.root_m * glam::DVec3::new(1.0, 0.0, 1.0);
    let com_height = balance::centre_of_mass(rig, &rig.world(&standing)).y;
    let grounded = |_: f64| false;
    let walk = |name, walk: &Locomotion, direction: f64| {
        clip::record(
            rig,
            name,
            Kind::Walking,
            walk.duration_secs(),
            |t| walk.posture(direction * t),
            grounded,
        )
    };
    let act = |name, secs, posture: &dyn Fn(f64) -> Posture| {
        clip::record(rig, name, Kind::Action, secs, posture, grounded)
    };
    vec![
        clip::record(
            rig,
            "idle",
            Kind::Standing,
            stand::IDLE_SECS,
            stand::idle,
            grounded,
        ),
        walk("forward", &forward, 1.0),
        walk("backward", &backward, -1.0),
        clip::record(
            rig,
            "run",
            Kind::Running,
            run.duration_secs(),
            |t| run.posture(t),
            |t| run.gait.is_airborne(t),
        ),
        walk("strafe_left", &strafe, 1.0),
        clip::record(
            rig,
            "strafe_right",
            Kind::Walking,
            strafe_right.duration_secs(),
            |t| strafe_right.posture(t).mirrored(),
            grounded,
        ),
        act("turn_left", turn::TURN_SECS, &|t| turn::turn_left(pivot, t)),
        act("turn_right", turn::TURN_SECS, &|t| {
            turn::turn_left(pivot, t).mirrored()
        }),
        clip::record(
            rig,
            "jump",
            Kind::Jump,
            jump::JUMP_SECS,
            |t| jump::jump(com_height, t),
            jump::is_airborne,
        ),
        act("attack", attack::ATTACK_SECS, &attack::attack),
        act("wave", wave::WAVE_SECS, &wave::wave),
    ]
}

/// Every file: path below the assets folder, and text.
pub fn files(rig: &Rig, clips: &[Clip]) -> Vec<(String, String)> {
    let mut files = vec![("performer.asf".to_owned(), write::asf(rig))];
    let motion = |clip: &Clip| (format!("clips/{}.amc", clip.name), write::amc(rig, clip));
    files.extend(clips.iter().map(motion));
    files
}
