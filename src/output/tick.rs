//! A short sound, played by whatever program of the system can: no library of
//! sound is linked, and without a player there is silence and a reason.

use std::{
    env, fs,
    path::PathBuf,
    process::{self, Child, Command, Stdio},
};

use super::write;

/// Programs that play a file and end, in the order they are tried, each with
/// what it needs to be told.
const PLAYERS: [(&str, &[&str]); 4] = [
    ("pw-play", &[]),
    ("paplay", &[]),
    ("aplay", &["-q"]),
    ("afplay", &[]),
];
/// Ticks that may sound at once: a run has six steps a second, and a player
/// takes its time to end.
const AT_ONCE: usize = 4;
const RATE_HZ: u32 = 22_050;
const TONE_HZ: f64 = 1_200.0;
const TICK_SECS: f64 = 0.06;
/// Seconds in which the tone falls to a third.
const FALL_SECS: f64 = 0.012;

/// A player of the system and the sound it plays.
#[derive(Debug)]
pub struct TickPlayer {
    program: PathBuf,
    options: &'static [&'static str],
    file: PathBuf,
    sounding: Vec<Child>,
}

impl TickPlayer {
    /// Looks for a player on the search path; why there is none, in words.
    pub fn find() -> Result<Self, String> {
        let paths = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&paths).collect();
        Self::find_in(&folders)
    }

    fn find_in(folders: &[PathBuf]) -> Result<Self, String> {
        let place = |name: &str| {
            let mut places = folders.iter().map(|folder| folder.join(name));
            places.find(|it| it.is_file())
        };
        let mut players = PLAYERS.iter();
        let found = players.find_map(|(name, options)| Some((place(name)?, *options)));
        let (program, options) = found.ok_or_else(|| {
            let names = PLAYERS.map(|(name, _)| name).join(", ");
            format!("no program that plays sounds is on the search path ({names})")
        })?;
        let file = env::temp_dir().join(format!("kinetoscope-tick-{}.wav", process::id()));
        write(&file, &wave_file()).map_err(|error| error.to_string())?;
        Ok(Self {
            program,
            options,
            file,
            sounding: Vec::new(),
        })
    }

    /// Sounds once, and returns at once.
    pub fn tick(&mut self) {
        // Those that have ended are taken leave of, or the system would keep
        // them.
        self.sounding
            .retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        if self.sounding.len() >= AT_ONCE {
            return;
        }
        let mut player = Command::new(&self.program);
        player.args(self.options).arg(&self.file);
        player.stdin(Stdio::null()).stdout(Stdio::null());
        // A player without a sound card says so to nobody.
        let started = player.stderr(Stdio::null()).spawn();
        self.sounding.extend(started.ok());
    }
}

impl Drop for TickPlayer {
    fn drop(&mut self) {
        for child in &mut self.sounding {
            let _ = child.wait();
        }
        let _ = fs::remove_file(&self.file);
    }
}

/// A tone that falls off, as a WAV file: 16 bits, one channel.
fn wave_file() -> Vec<u8> {
    let count = (TICK_SECS * f64::from(RATE_HZ)) as u32;
    let sample = |index: u32| {
        let secs = f64::from(index) / f64::from(RATE_HZ);
        let tone = (secs * TONE_HZ * std::f64::consts::TAU).sin();
        (tone * (-secs / FALL_SECS).exp() * 0.5 * f64::from(i16::MAX)) as i16
    };
    let bytes = 2 * count;
    let mut out = Vec::from(*b"RIFF");
    out.extend((36 + bytes).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16u32.to_le_bytes());
    // Plain samples, one channel.
    out.extend([1, 0, 1, 0]);
    out.extend(RATE_HZ.to_le_bytes());
    // Bytes a second, a sample, and bits of one.
    out.extend((2 * RATE_HZ).to_le_bytes());
    out.extend([2, 0, 16, 0]);
    out.extend(b"data");
    out.extend(bytes.to_le_bytes());
    out.extend((0..count).flat_map(|index| sample(index).to_le_bytes()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sound_is_a_wave_file_that_rises_and_falls() {
        let bytes = wave_file();
        let size = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(
            (&bytes[..4], &bytes[8..16]),
            (&b"RIFF"[..], &b"WAVEfmt "[..])
        );
        assert_eq!((size(4) + 8, size(40) + 44), (bytes.len(), bytes.len()));
        let samples = bytes[44..].chunks(2);
        let samples: Vec<i16> = samples
            .map(|it| i16::from_le_bytes([it[0], it[1]]))
            .collect();
        let loudest = samples.iter().map(|it| it.unsigned_abs()).max().unwrap();
        assert!((8_000..20_000).contains(&loudest), "{loudest}");
        let tail = &samples[samples.len() - 100..];
        assert!(tail.iter().all(|it| it.unsigned_abs() < 300));
    }

    #[test]
    fn without_a_player_the_programs_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let reason = TickPlayer::find_in(&[folder.path().to_path_buf()]).unwrap_err();
        assert!(
            reason.contains("pw-play") && reason.contains("aplay"),
            "{reason}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_tick_hands_the_file_to_the_player() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let heard = folder.path().join("heard");
        let script = format!("#!/bin/sh\necho \"$@\" >> {}\n", heard.display());
        let player = folder.path().join("aplay");
        fs::write(&player, script).unwrap();
        fs::set_permissions(&player, fs::Permissions::from_mode(0o755)).unwrap();
        let mut ticks = TickPlayer::find_in(&[folder.path().to_path_buf()]).unwrap();
        ticks.tick();
        let file = ticks.file.clone();
        assert!(file.exists());
        drop(ticks);
        let heard = fs::read_to_string(heard).unwrap();
        assert_eq!(heard.trim(), format!("-q {}", file.display()));
        assert!(!file.exists(), "the sound goes with the player");
    }
}
