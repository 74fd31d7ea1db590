//! The real program on a real (virtual) screen: started under Xvfb, driven by
//! xdotool, judged by its trace and by pictures of the screen.
//!
//! Controls are found by the names that accessibility tools read. Nothing
//! waits for a fixed time to pass where something can be waited for. Without
//! Xvfb or xdotool the tests say that they were skipped; with `CI` set they
//! fail instead.
#![cfg(all(feature = "viewer", target_os = "linux"))]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

#[path = "window/blend.rs"]
mod blend;
#[path = "window/drive.rs"]
mod drive;
#[path = "window/drop.rs"]
mod drop;
#[path = "window/editor.rs"]
mod editor;
#[path = "window/events.rs"]
mod events;
#[path = "window/export.rs"]
mod export;
#[path = "window/opening.rs"]
mod opening;
#[path = "window/pose.rs"]
mod pose;
#[path = "window/random.rs"]
mod random;
#[path = "window/stage.rs"]
mod stage;
#[path = "window/view.rs"]
mod view;

use std::process::Command;

#[test]
fn without_a_display_it_says_what_to_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_kinetoscope"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("Xvfb") && message.contains("render"),
        "{message}"
    );
}
