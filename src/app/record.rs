//! Films: an animated GIF, a video or numbered pictures, at a clock of their own.
//!
//! While a film is made every drawn frame is one picture of it: time goes on
//! by exactly one picture's share, however long drawing takes, times the speed
//! that is set. Encoding runs on a thread behind a short queue; when that is
//! full, time waits. Nothing that exists is overwritten, unless the user chose
//! that very file.

use std::{
    fs,
    path::PathBuf,
    sync::mpsc::{self, SyncSender, TrySendError},
};

use super::{Message, Outbox, SessionError, background, export};
use crate::{
    clip::Wrap,
    output::{self, GifWriter, OutputError, VideoEncoder, VideoFormat, VideoWriter},
    ui::{Film, Playback, Recording},
};

/// Pictures that may wait for the encoder.
const QUEUE: usize = 3;
/// Seconds after which a film without an end of its own ends.
const LONGEST_SECS: f64 = 60.0;
/// A GIF of the window that is wider than this is made at half its size.
const WIDEST_GIF: u32 = 800;

/// A film to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmSettings {
    /// What is made.
    pub film: Film,
    /// Pixels; the window's own, or half of them, where left out.
    pub size: Option<[u32; 2]>,
    /// Pictures a second.
    pub fps: f64,
    /// The file or folder that was chosen, over whatever is there; a name that
    /// nobody has where left out.
    pub path: Option<PathBuf>,
}

impl FilmSettings {
    /// Of what the window shows.
    #[must_use]
    pub fn of_window(film: Film) -> Self {
        Self {
            film,
            size: None,
            fps: film.usual_fps(),
            path: None,
        }
    }
}

/// Where a film goes.
struct FilmPlace {
    settings: FilmSettings,
    folder: PathBuf,
    stem: String,
}

impl FilmPlace {
    /// The chosen place, or a free name at this moment.
    fn path(&self) -> PathBuf {
        let chosen = self.settings.path.clone();
        chosen.unwrap_or_else(|| {
            export::free_name(&self.folder, &self.stem, self.settings.film.ending())
        })
    }
}

type Picture = ([u32; 2], Vec<u8>);

/// A film being made.
pub struct Recorder {
    settings: FilmSettings,
    taken: u32,
    most: u32,
    queue: SyncSender<Picture>,
}

/// How many pictures one pass over the range takes; a film of what has no
/// range ends after a minute.
#[must_use]
pub fn pictures_of(fps: f64, playback: Option<Playback>) -> u32 {
    let secs = playback.map_or(LONGEST_SECS, |playback| {
        let (start, end) = playback.range_secs;
        let passes = if playback.wrap == Wrap::PingPong {
            2.0
        } else {
            1.0
        };
        passes * (end - start) / playback.speed.max(1e-3)
    });
    (secs * fps).round().clamp(1.0, 20_000.0) as u32
}

impl Recorder {
    /// Begins a film of `most` pictures at most; in `folder` unless its place
    /// was chosen.
    pub fn begin(
        settings: FilmSettings,
        most: u32,
        folder: PathBuf,
        stem: String,
        outbox: Outbox,
    ) -> Self {
        let (queue, pictures) = mpsc::sync_channel::<Picture>(QUEUE);
        let place = FilmPlace {
            settings: settings.clone(),
            folder,
            stem,
        };
        background(move || outbox(Message::Saved(write_film(&place, pictures.iter()))));
        Self {
            settings,
            taken: 0,
            most,
            queue,
        }
    }

    /// Seconds from one picture to the next.
    #[must_use]
    pub fn step_secs(&self) -> f64 {
        1.0 / self.settings.fps
    }

    /// Pixels that were asked for.
    #[must_use]
    pub fn size(&self) -> Option<[u32; 2]> {
        self.settings.size
    }

    /// Hands a picture over; false when it has to wait.
    pub fn put(&mut self, size: [u32; 2], rgba: Vec<u8>) -> bool {
        // Never waits: the event loop has keys to hear. A picture that finds no
        // room is dropped, and the same moment is drawn again.
        match self.queue.try_send((size, rgba)) {
            Ok(()) => {
                self.taken += 1;
                true
            }
            Err(TrySendError::Full(_)) => false,
            // The writer has given up and says why itself.
            Err(TrySendError::Disconnected(_)) => {
                self.taken = self.most;
                true
            }
        }
    }

    /// Whether it has all its pictures.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.taken >= self.most
    }

    /// For the status bar.
    #[must_use]
    pub fn view(&self) -> Recording {
        Recording {
            film: self.settings.film,
            taken: self.taken,
            most: self.most,
        }
    }
}

/// Four pixels to one.
fn halved([width, height]: [u32; 2], rgba: &[u8]) -> Picture {
    let (w, h) = (width / 2, height / 2);
    let at = |x: u32, y: u32| (y as usize * width as usize + x as usize) * 4;
    let mut small = Vec::with_capacity(w as usize * h as usize * 4);
    for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let from = corners.map(|(dx, dy)| at(2 * x + dx, 2 * y + dy));
        small.extend((0..4).map(|channel| {
            let sum: u32 = from.iter().map(|at| u32::from(rgba[at + channel])).sum();
            (sum / 4) as u8
        }));
    }
    ([w, h], small)
}

fn write_film(
    place: &FilmPlace,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    match place.settings.film {
        Film::Gif => write_gif(place, pictures),
        Film::Mp4 => write_video(place, VideoFormat::Mp4, pictures),
        Film::WebM => write_video(place, VideoFormat::WebM, pictures),
        Film::Pictures => write_pictures(place, pictures),
    }
}

fn write_gif(
    place: &FilmPlace,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    let mut film: Option<GifWriter> = None;
    for (size, rgba) in pictures {
        let (size, rgba) = match place.settings.size.is_none() && size[0] > WIDEST_GIF {
            true => halved(size, &rgba),
            false => (size, rgba),
        };
        let film = match &mut film {
            Some(film) => film,
            none => none.insert(GifWriter::create(&place.path(), size, place.settings.fps)?),
        };
        // A window that changed its size has left the film.
        if size == film.size() {
            film.put(rgba)?;
        }
    }
    // Somebody may have taken the name meanwhile.
    let path = place.path();
    film.ok_or(SessionError::EmptyFilm)?.finish_as(&path)?;
    Ok(path)
}

fn write_video(
    place: &FilmPlace,
    format: VideoFormat,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    let encoder = VideoEncoder::find(format).map_err(SessionError::NoEncoder)?;
    let mut film: Option<VideoWriter> = None;
    for (size, rgba) in pictures {
        let film = match &mut film {
            Some(film) => film,
            none => {
                let (path, fps) = (place.path(), place.settings.fps);
                none.insert(VideoWriter::create(&path, &encoder, size, fps)?)
            }
        };
        if size == film.size() {
            film.put(&rgba)?;
        }
    }
    let path = place.path();
    let part = film.ok_or(SessionError::EmptyFilm)?.finish()?;
    part.commit_as(&path)?;
    Ok(path)
}

fn write_pictures(
    place: &FilmPlace,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    let path = place.path();
    fs::create_dir_all(&path).map_err(|source| OutputError {
        path: path.clone(),
        source,
    })?;
    for (index, (size, rgba)) in pictures.enumerate() {
        let file = path.join(format!("frame_{index:06}.png"));
        output::write_png(&file, size, &rgba)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn playback(speed: f64, wrap: Wrap) -> Playback {
        Playback {
            time_secs: 0.0,
            playing: true,
            speed,
            reverse: false,
            wrap,
            loops: None,
            range_secs: (1.0, 3.0),
        }
    }

    #[test]
    fn a_film_lasts_one_pass_at_the_speed_that_is_set() {
        let pictures = |speed, wrap| pictures_of(25.0, Some(playback(speed, wrap)));
        assert_eq!(pictures(1.0, Wrap::Loop), 50);
        assert_eq!(pictures(0.5, Wrap::Loop), 100);
        assert_eq!(pictures(2.0, Wrap::PingPong), 50);
        assert_eq!(pictures_of(30.0, None), 1800);
    }

    fn place(folder: &Path, film: Film) -> FilmPlace {
        FilmPlace {
            settings: FilmSettings::of_window(film),
            folder: folder.to_path_buf(),
            stem: "walk".to_owned(),
        }
    }

    fn shade(value: u8) -> Picture {
        ([8, 6], vec![value; 8 * 6 * 4])
    }

    #[test]
    fn a_gif_holds_every_picture_at_its_clock_and_overwrites_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let film = || [10, 120, 240].map(shade).into_iter();
        let first = write_film(&place(folder.path(), Film::Gif), film()).unwrap();
        let second = write_film(&place(folder.path(), Film::Gif), film()).unwrap();
        assert_ne!(first, second);
        let file = fs::File::open(&first).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(file).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (8, 6));
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!(delays, [4, 4, 4], "hundredths of a second");
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 2, "nothing is left over");
    }

    #[test]
    fn pictures_are_numbered_in_a_folder_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let film = || [10, 250].map(shade).into_iter();
        let first = write_film(&place(folder.path(), Film::Pictures), film()).unwrap();
        let second = write_film(&place(folder.path(), Film::Pictures), film()).unwrap();
        assert_ne!(first, second);
        let picture = image::open(first.join("frame_000001.png"))
            .unwrap()
            .to_rgba8();
        assert_eq!(picture.dimensions(), (8, 6));
        assert_eq!(picture.get_pixel(3, 3).0[0], 250);
    }

    #[test]
    fn a_full_queue_makes_time_wait_and_an_end_is_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let (sender, inbox) = mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        let outbox: Outbox = std::sync::Arc::new(move |message| {
            if let Message::Saved(saved) = message {
                let _ = sender.lock().unwrap().send(saved);
            }
        });
        let (film, place) = (
            FilmSettings::of_window(Film::Gif),
            folder.path().to_path_buf(),
        );
        let mut recorder = Recorder::begin(film, 5, place, "film".into(), outbox);
        while !recorder.is_done() {
            let (size, rgba) = shade(77);
            if !recorder.put(size, rgba) {
                std::thread::yield_now();
            }
        }
        assert_eq!(recorder.view().taken, 5);
        drop(recorder);
        let saved = inbox.recv().unwrap().unwrap();
        assert!(saved.ends_with("film.gif"), "{saved:?}");
    }

    #[test]
    fn a_wide_picture_is_halved_by_its_mean() {
        let rgba: Vec<u8> = [0, 40, 80, 120].iter().flat_map(|&v| [v; 4]).collect();
        assert_eq!(halved([2, 2], &rgba), ([1, 1], vec![60; 4]));
    }
}
