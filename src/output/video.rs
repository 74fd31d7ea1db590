//! Films that an encoder of the system makes: pictures go down a pipe to
//! `ffmpeg`, which is neither linked nor shipped. Where it is missing, or
//! built without a codec that the format needs, that is said by name.

use std::{
    env,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
};

use super::{OutputError, PartFile};

/// Formats that need an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// MPEG-4.
    Mp4,
    /// WebM.
    WebM,
}

impl VideoFormat {
    /// The format that a file's ending names.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending {
            "mp4" => Some(Self::Mp4),
            "webm" => Some(Self::WebM),
            _ => None,
        }
    }

    /// As the encoder calls the container.
    fn name(self) -> &'static str {
        match self {
            Self::Mp4 => "mp4",
            Self::WebM => "webm",
        }
    }

    /// Codecs that players know, best first, with what makes them look well.
    fn codecs(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Mp4 => &[
                ("libx264", &["-crf", "18"]),
                ("libopenh264", &["-b:v", "8M"]),
                ("h264_videotoolbox", &["-b:v", "8M"]),
                ("h264_mf", &["-b:v", "8M"]),
                ("mpeg4", &["-q:v", "3"]),
            ],
            Self::WebM => &[
                ("libvpx-vp9", &["-crf", "28", "-b:v", "0"]),
                ("libvpx", &["-crf", "8", "-b:v", "8M"]),
                ("libsvtav1", &["-crf", "30"]),
                ("libaom-av1", &["-crf", "30", "-b:v", "0"]),
            ],
        }
    }
}

/// An encoder that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VideoEncoder {
    program: PathBuf,
    format: VideoFormat,
    codec: &'static str,
    quality: &'static [&'static str],
}

impl VideoEncoder {
    /// Looks for one on the search path.
    pub fn find(format: VideoFormat) -> Result<Self, String> {
        let paths = env::var_os("PATH").unwrap_or_default();
        Self::find_in(env::split_paths(&paths), format)
    }

    fn find_in(
        folders: impl Iterator<Item = PathBuf>,
        format: VideoFormat,
    ) -> Result<Self, String> {
        let name = format!("ffmpeg{}", env::consts::EXE_SUFFIX);
        let mut programs = folders.map(|folder| folder.join(&name));
        let program = programs.find(|it| it.is_file()).ok_or_else(|| {
            format!(
                "a .{} film needs `ffmpeg`, which is not on the search path: install it \
                 (Debian and Ubuntu: `apt install ffmpeg`), or make a .gif or PNG frames",
                format.name()
            )
        })?;
        let known = encoders_of(&program).map_err(|e| format!("{}: {e}", program.display()))?;
        let mut codecs = format.codecs().iter();
        let found = codecs.find(|(codec, _)| known.iter().any(|it| it == codec));
        let &(codec, quality) = found.ok_or_else(|| {
            let names: Vec<&str> = format.codecs().iter().map(|(codec, _)| *codec).collect();
            format!(
                "{} has none of the encoders that a .{} film can use: {}",
                program.display(),
                format.name(),
                names.join(", ")
            )
        })?;
        Ok(Self {
            program,
            format,
            codec,
            quality,
        })
    }
}

/// Names of all encoders: the second word of each line below the rule.
fn encoders_of(program: &Path) -> io::Result<Vec<String>> {
    let listed = Command::new(program)
        .args(["-hide_banner", "-encoders"])
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let names = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|flags| flags.starts_with('V'))?;
        words.next().map(str::to_owned)
    });
    Ok(names.collect())
}

/// A film that grows picture by picture.
pub struct VideoWriter {
    part: Option<PartFile>,
    child: Child,
    pictures: Option<ChildStdin>,
    size: [u32; 2],
}

impl VideoWriter {
    /// Begins a film that shall be at `path`.
    pub fn create(
        path: &Path,
        encoder: &VideoEncoder,
        size: [u32; 2],
        fps: f64,
    ) -> Result<Self, OutputError> {
        let part = PartFile::create(path)?;
        let Some(place) = part.part_path() else {
            let no_file = io::Error::other("a film needs a file: its encoder goes back in it");
            return Err(OutputError::of(path)(no_file));
        };
        let [width, height] = size;
        let mut command = Command::new(&encoder.program);
        command
            .args(["-hide_banner", "-loglevel", "error", "-y"])
            .args(["-f", "rawvideo", "-pixel_format", "rgba"])
            .args(["-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &fps.to_string(), "-i", "-", "-an"])
            // Half the resolution of colour, which players ask for, needs even
            // sides.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(["-pix_fmt", "yuv420p", "-c:v", encoder.codec])
            .args(encoder.quality)
            .args(["-f", encoder.format.name()])
            .arg(place);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.stderr(Stdio::piped());
        let mut child = command.spawn().map_err(OutputError::of(path))?;
        Ok(Self {
            part: Some(part),
            pictures: child.stdin.take(),
            child,
            size,
        })
    }

    /// Pixels of its pictures.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Adds a picture of the film's size.
    pub fn put(&mut self, rgba: &[u8]) -> Result<(), OutputError> {
        let written = match &mut self.pictures {
            Some(pipe) => pipe.write_all(rgba),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|error| {
            // Who hangs up says why.
            let said = self.last_words();
            self.failed(if said.is_empty() {
                error.to_string()
            } else {
                said
            })
        })
    }

    /// Ends the film and hands it over, not yet in its place.
    pub fn finish(mut self) -> Result<PartFile, OutputError> {
        drop(self.pictures.take());
        let said = self.last_words();
        let done = self
            .child
            .wait()
            .map_err(|error| self.failed(error.to_string()))?;
        match (done.success(), self.part.take()) {
            (true, Some(part)) => Ok(part),
            (_, part) => {
                self.part = part;
                Err(self.failed(format!("the encoder failed ({done}): {said}")))
            }
        }
    }

    fn last_words(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut pipe) = self.child.stderr.take() {
            let _ = pipe.read_to_string(&mut text);
        }
        text.trim().to_owned()
    }

    fn failed(&self, reason: String) -> OutputError {
        let path = self
            .part
            .as_ref()
            .map(PartFile::path)
            .unwrap_or(Path::new("film"));
        OutputError::of(path)(io::Error::other(reason))
    }
}

impl Drop for VideoWriter {
    fn drop(&mut self) {
        // One that was not finished: it would write on after its file is gone.
        drop(self.pictures.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    /// A stand-in that lists an encoder, and writes what comes down the pipe.
    fn stand_in(folder: &Path, encoders: &str, end: &str) -> PathBuf {
        let path = folder.join("ffmpeg");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-encoders*) echo ' {encoders}'; exit 0;; esac\n\
             for last; do :; done\ncat > \"$last\"\n{end}\n"
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn find(folder: &Path, format: VideoFormat) -> Result<VideoEncoder, String> {
        VideoEncoder::find_in([folder.to_path_buf()].into_iter(), format)
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = find(folder.path(), VideoFormat::Mp4).unwrap_err();
        assert!(nothing.contains("`ffmpeg`"), "{nothing}");
        stand_in(folder.path(), "V....D libx264 H.264", "");
        assert_eq!(
            find(folder.path(), VideoFormat::Mp4).unwrap().codec,
            "libx264"
        );
        let no_codec = find(folder.path(), VideoFormat::WebM).unwrap_err();
        assert!(no_codec.contains("libvpx-vp9"), "{no_codec}");
    }

    #[test]
    fn a_film_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("walk.mp4");
        for (end, there) in [("echo no room >&2; exit 1", false), ("exit 0", true)] {
            stand_in(folder.path(), "V....D libx264 H.264", end);
            let encoder = find(folder.path(), VideoFormat::Mp4).unwrap();
            let mut film = VideoWriter::create(&place, &encoder, [2, 1], 25.0).unwrap();
            film.put(&[7; 8]).unwrap();
            film.put(&[9; 8]).unwrap();
            let finished = film.finish().and_then(PartFile::commit);
            assert_eq!(finished.is_ok(), there);
            assert_eq!(place.exists(), there);
            if let Err(error) = finished {
                assert!(error.to_string().contains("no room"), "{error}");
            }
        }
        assert_eq!(fs::read(&place).unwrap(), [[7u8; 8], [9; 8]].concat());
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "the film and the stand-in");
    }
}
