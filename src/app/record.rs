//! Films: an animated GIF or numbered pictures, at a clock of their own.
//!
//! While a film is made every drawn frame is one picture of it: time goes on
//! by exactly one picture's share, however long drawing takes, times the speed
//! that is set. Encoding runs on a thread behind a short queue; when that is
//! full, time waits. Nothing that exists is overwritten.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc::{self, SyncSender, TrySendError},
};

use super::{Message, Outbox, SessionError, background, export};
use crate::{
    clip::Wrap,
    output::{self, GifWriter, OutputError},
    ui::{Playback, Recording},
};

/// Pictures that may wait for the encoder.
const QUEUE: usize = 3;
/// Seconds after which a film without an end of its own ends.
const LONGEST_SECS: f64 = 60.0;
/// A GIF wider than this is made at half its size.
const WIDEST_GIF: u32 = 800;

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Film {
    /// One animated file.
    Gif,
    /// A folder of PNG files.
    Pictures,
}

impl Film {
    /// Pictures a second; a GIF counts in hundredths, which 25 divides.
    #[must_use]
    pub fn fps(self) -> f64 {
        match self {
            Self::Gif => 25.0,
            Self::Pictures => 30.0,
        }
    }
}

type Picture = ([u32; 2], Vec<u8>);

/// A film being made.
pub struct Recorder {
    film: Film,
    taken: u32,
    most: u32,
    queue: SyncSender<Picture>,
}

/// How many pictures one pass over the range takes; a film of what has no
/// range ends after a minute.
#[must_use]
pub fn pictures_of(film: Film, playback: Option<Playback>) -> u32 {
    let secs = playback.map_or(LONGEST_SECS, |playback| {
        let (start, end) = playback.range_secs;
        let passes = if playback.wrap == Wrap::PingPong {
            2.0
        } else {
            1.0
        };
        passes * (end - start) / playback.speed.max(1e-3)
    });
    (secs * film.fps()).round().clamp(1.0, 20_000.0) as u32
}

impl Recorder {
    /// Begins a film of `most` pictures at most in `folder`.
    pub fn begin(film: Film, most: u32, folder: PathBuf, stem: String, outbox: Outbox) -> Self {
        let (queue, pictures) = mpsc::sync_channel::<Picture>(QUEUE);
        background(move || {
            let saved = match film {
                Film::Gif => write_gif(&folder, &stem, pictures.iter()),
                Film::Pictures => write_pictures(&folder, &stem, pictures.iter()),
            };
            outbox(Message::Saved(saved));
        });
        Self {
            film,
            taken: 0,
            most,
            queue,
        }
    }

    /// Seconds from one picture to the next.
    #[must_use]
    pub fn step_secs(&self) -> f64 {
        1.0 / self.film.fps()
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
            gif: self.film == Film::Gif,
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

fn write_gif(
    folder: &Path,
    stem: &str,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    let mut film: Option<GifWriter> = None;
    for (size, rgba) in pictures {
        let (size, rgba) = match size[0] > WIDEST_GIF {
            true => halved(size, &rgba),
            false => (size, rgba),
        };
        let film = match &mut film {
            Some(film) => film,
            none => {
                let path = export::free_name(folder, stem, "gif");
                none.insert(GifWriter::create(&path, size, Film::Gif.fps())?)
            }
        };
        // A window that changed its size has left the film.
        if size == film.size() {
            film.put(rgba)?;
        }
    }
    // Somebody may have taken the name meanwhile.
    let path = export::free_name(folder, stem, "gif");
    film.ok_or(SessionError::EmptyFilm)?.finish_as(&path)?;
    Ok(path)
}

fn write_pictures(
    folder: &Path,
    stem: &str,
    pictures: impl Iterator<Item = Picture>,
) -> Result<PathBuf, SessionError> {
    let path = export::free_name(folder, stem, "frames");
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
        let pictures = |speed, wrap| pictures_of(Film::Gif, Some(playback(speed, wrap)));
        assert_eq!(pictures(1.0, Wrap::Loop), 50);
        assert_eq!(pictures(0.5, Wrap::Loop), 100);
        assert_eq!(pictures(2.0, Wrap::PingPong), 50);
        assert_eq!(pictures_of(Film::Pictures, None), 1800);
    }

    fn shade(value: u8) -> Picture {
        ([8, 6], vec![value; 8 * 6 * 4])
    }

    #[test]
    fn a_gif_holds_every_picture_at_its_clock_and_overwrites_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let film = || [10, 120, 240].map(shade).into_iter();
        let first = write_gif(folder.path(), "walk", film()).unwrap();
        let second = write_gif(folder.path(), "walk", film()).unwrap();
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
        let first = write_pictures(folder.path(), "walk", film()).unwrap();
        let second = write_pictures(folder.path(), "walk", film()).unwrap();
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
        let place = folder.path().to_path_buf();
        let mut recorder = Recorder::begin(Film::Gif, 5, place, "film".into(), outbox);
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
