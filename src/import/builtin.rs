//! The built-in performer: its skeleton and clips as the text of their files,
//! so that an installed binary moves without a folder beside it.
//!
//! The text is written by `cargo run --release --example author -- assets`;
//! `tests/performer.rs` holds the two equal.

/// The performer's skeleton, an ASF file.
pub const SKELETON_ASF: &str = include_str!("../../assets/performer.asf");

/// What [`SKELETON_ASF`] is called in messages.
pub const SKELETON_FILE: &str = "performer.asf";

macro_rules! clips {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../assets/clips/", $name, ".amc")))),*]
    };
}

/// Name and AMC text of every clip. All start over the origin facing +Z;
/// `idle`, `forward`, `backward`, `run`, the strafes and the leaps repeat: their
/// last frame is their first one again, travel aside. Those from `lean` on are
/// laid over others; the rest start and end in the stance that `idle` starts in, but
/// for the two that get up: those start on the ground, on the back and on the front.
pub const CLIPS: &[(&str, &str)] = clips![
    "idle" "forward" "backward" "run" "strafe_left" "strafe_right"
    "turn_left" "turn_right" "jump" "leap_left" "leap_right" "attack" "struck" "wave"
    "get_up_supine" "get_up_prone"
    "lean" "breathe" "tired" "wander"
    "aim" "aim_left" "aim_right" "aim_up" "aim_down"
    "aim_up_left" "aim_up_right" "aim_down_left" "aim_down_right"
];

/// What happens in the performer's clips besides the strikes of feet: the clip,
/// seconds, and what.
pub const EVENTS: &[(&str, f64, &str)] = &[("attack", 0.714, "strike"), ("struck", 0.2, "struck")];

/// The text of a clip by name.
#[must_use]
pub fn clip(name: &str) -> Option<&'static str> {
    CLIPS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}
