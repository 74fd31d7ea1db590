//! Writes the built-in performer and its clips:
//!
//! ```text
//! cargo run --release --example author -- assets
//! ```
//!
//! With `--report` it prints instead what the checks measure on every clip.

#![allow(clippy::print_stdout)] // a command-line program

mod performer;

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let argument = env::args().nth(1).unwrap_or_else(|| "assets".to_owned());
    let rig = performer::Rig::performer();
    let clips = performer::clips(&rig);
    if argument == "--report" {
        return report(&rig, &clips);
    }
    for (path, text) in performer::files(&rig, &clips) {
        let path = Path::new(&argument).join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn report(rig: &performer::Rig, clips: &[performer::Clip]) -> io::Result<()> {
    let measures = clips
        .iter()
        .flat_map(|clip| performer::measure(rig, clip))
        .collect::<Vec<_>>();
    for measure in &measures {
        println!("{measure}");
    }
    match measures.iter().filter(|measure| !measure.passes()).count() {
        0 => Ok(()),
        failures => Err(io::Error::other(format!(
            "{failures} measures out of bounds"
        ))),
    }
}
