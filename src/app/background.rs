//! Work beside the event loop, at a lower priority.
//!
//! On a machine with few cores, and where the processor draws too, a long
//! compression would otherwise take every other frame's time.

use std::thread;

/// How much work in the background gives way; 0 is nothing, 19 the most.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Runs work on a thread of its own.
pub fn background(work: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        give_way();
        work();
    });
}

/// Makes the threads that share out such work give way too. Only the first
/// call counts; a pool that is there already stays as it is.
pub fn prepare_pool() {
    let _ = rayon::ThreadPoolBuilder::new()
        .start_handler(|_| give_way())
        .build_global();
}

/// Lowers this thread's priority, where a thread has one of its own.
fn give_way() {
    // Refused, it works all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}
