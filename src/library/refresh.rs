//! Bringing an index up to date: what is new, changed or gone.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use super::{ClipFacts, FileEntry, FileStamp, Library, MotionRow, rows_of};
use crate::{
    humanoid::Stature,
    import::RateSource,
    load::{self, Kind, LoadOptions, LoadedMotion},
    mocap::Level,
};

/// Warnings of a clip that are kept.
const WARNINGS_KEPT: usize = 3;

/// How far a refresh is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshStep {
    /// Files read.
    pub done: usize,
    /// Files to be read.
    pub all: usize,
}

/// What a refresh did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshCounts {
    /// Files as the index knew them.
    pub unchanged: usize,
    /// New or changed ones, read.
    pub read: usize,
    /// Those of them that cannot be read.
    pub faulty: usize,
    /// Gone ones, forgotten.
    pub gone: usize,
    /// It was given up before its end.
    pub given_up: bool,
}

/// Who writes, and what became of it.
struct Writer<'a> {
    library: &'a mut Library,
    failed: Option<std::io::Error>,
}

impl Library {
    /// Looks which files are new, changed or gone, and reads those, on all
    /// threads of the pool; `step` hears of every file and says whether to go
    /// on.
    pub fn refresh(
        &mut self,
        step: &(dyn Fn(&Library, RefreshStep) -> bool + Sync),
    ) -> RefreshCounts {
        if self.busy {
            return RefreshCounts {
                unchanged: self.entries.len(),
                ..RefreshCounts::default()
            };
        }
        let now = self.files_now();
        let mut counts = RefreshCounts {
            gone: self.forget_gone(&now),
            ..RefreshCounts::default()
        };
        let skeletons: BTreeMap<String, Option<FileStamp>> = self.skeleton_stamps();
        let stale: Vec<(String, FileStamp)> = now
            .into_iter()
            .filter(|(path, stamp)| !self.is_known(path, *stamp, &skeletons))
            .collect();
        counts.unchanged = self.entries.len()
            - stale
                .iter()
                .filter(|it| self.entries.contains_key(&it.0))
                .count();
        let (all, done, go_on) = (stale.len(), AtomicUsize::new(0), AtomicBool::new(true));
        let folder = self.folder.clone();
        let writer = Mutex::new(Writer {
            library: self,
            failed: None,
        });
        stale.into_par_iter().for_each(|(path, stamp)| {
            if !go_on.load(Ordering::Relaxed) {
                return;
            }
            let (entry, rows) = read_file(&folder, path, stamp);
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.take(entry, &rows);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if !step(writer.library, RefreshStep { done, all }) {
                go_on.store(false, Ordering::Relaxed);
            }
        });
        counts.read = done.into_inner();
        counts.given_up = !go_on.into_inner();
        let failed = writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .failed;
        if let Some(error) = failed {
            self.remark(&format!("the index cannot be written any more ({error}): what was read since is known for this run alone"));
        }
        counts.faulty = self
            .entries
            .values()
            .filter(|it| it.fault.is_some())
            .count();
        self.compact();
        counts
    }

    /// Motions in and below the folder, as they are now.
    fn files_now(&self) -> BTreeMap<String, FileStamp> {
        let (files, _) = load::expand(std::slice::from_ref(&self.folder));
        let motions = files
            .into_par_iter()
            .filter(|(_, kind)| *kind != Kind::Skeleton);
        let stamped = motions.filter_map(|(path, _)| {
            let below = path.strip_prefix(&self.folder).ok()?;
            Some((slashed(below), FileStamp::at(&path)?))
        });
        stamped.collect::<Vec<_>>().into_iter().collect()
    }

    fn skeleton_stamps(&self) -> BTreeMap<String, Option<FileStamp>> {
        let named = self
            .entries
            .values()
            .filter_map(|it| Some(it.skeleton.as_ref()?.0.clone()));
        let mut stamps = BTreeMap::new();
        for path in named {
            if let Entry::Vacant(place) = stamps.entry(path) {
                let stamp = FileStamp::at(Path::new(place.key()));
                place.insert(stamp);
            }
        }
        stamps
    }

    fn is_known(
        &self,
        path: &str,
        stamp: FileStamp,
        skeletons: &BTreeMap<String, Option<FileStamp>>,
    ) -> bool {
        let Some(entry) = self.entries.get(path) else {
            return false;
        };
        let same_skeleton = match &entry.skeleton {
            Some((path, stamp)) => skeletons.get(path).copied().flatten() == Some(*stamp),
            None => true,
        };
        entry.stamp == stamp && same_skeleton
    }

    fn forget_gone(&mut self, now: &BTreeMap<String, FileStamp>) -> usize {
        let gone: Vec<String> = self
            .entries
            .keys()
            .filter(|it| !now.contains_key(*it))
            .cloned()
            .collect();
        for path in &gone {
            self.entries.remove(path);
            let written = self.index.as_mut().map(|it| it.forget(path));
            if let Some(Err(error)) = written {
                self.remark(&format!("the index cannot be written: {error}"));
                self.index = None;
            }
        }
        gone.len()
    }

    fn compact(&mut self) {
        let Some(index) = &mut self.index else { return };
        match index.compact(&mut self.entries, &self.rows) {
            Ok(Some(rows)) => self.rows = rows,
            Ok(None) => {}
            Err(error) => self.remark(&format!("the index could not be tidied: {error}")),
        }
    }
}

impl Writer<'_> {
    /// Rows first: a record that is there has its rows.
    fn take(&mut self, mut entry: FileEntry, rows: &[MotionRow]) {
        entry.rows_crc = crc32fast::hash(bytemuck::cast_slice(rows));
        match self.library.rows.append(rows) {
            Ok(at) => entry.rows_at = at,
            Err(error) => {
                // Known, but without pictures.
                entry.clips.iter_mut().for_each(|it| it.rows = 0);
                entry.rows_crc = crc32fast::hash(&[]);
                self.fail(error);
            }
        }
        let written = self.library.index.as_mut().map(|it| it.put(&entry));
        if let Some(Err(error)) = written {
            self.fail(error);
        }
        self.library
            .entries
            .insert(entry.path.clone(), Arc::new(entry));
    }

    fn fail(&mut self, error: std::io::Error) {
        self.library.index = None;
        self.failed.get_or_insert(error);
    }
}

/// What there is to know of a file, and the rows of its clips.
fn read_file(folder: &Path, path: String, stamp: FileStamp) -> (FileEntry, Vec<MotionRow>) {
    let mut entry = FileEntry {
        path,
        stamp,
        ..FileEntry::default()
    };
    let mut rows = Vec::new();
    let file = folder.join(&entry.path);
    let options = LoadOptions {
        guess_skeleton: true,
        ..LoadOptions::default()
    };
    let named = [folder.to_path_buf()];
    for (_, outcome) in load::load_within(std::slice::from_ref(&file), &named, options) {
        match outcome {
            Ok(loaded) => {
                if let Some(motion) = loaded.into_motion() {
                    entry.skeleton = skeleton_of(&motion);
                    entry.clips.push(facts_of(&motion, &mut rows));
                }
            }
            Err(error) => entry.fault = Some(error.to_string()),
        }
    }
    (entry, rows)
}

fn skeleton_of(motion: &LoadedMotion) -> Option<(String, FileStamp)> {
    let path = &motion.skeleton.path;
    let other = (*path != motion.path).then_some(path)?;
    Some((other.to_str()?.to_owned(), FileStamp::at(other)?))
}

fn facts_of(motion: &LoadedMotion, rows: &mut Vec<MotionRow>) -> ClipFacts {
    let (sampler, skeleton) = (motion.sampler(), motion.skeleton());
    let (own, speed_m_s) = rows_of(skeleton, &*sampler, (0.0, sampler.duration_secs()));
    let first_row = rows.len() as u32;
    rows.extend(&own);
    let notes = motion.notes.iter().chain(&motion.skeleton.imported.notes);
    let warnings: Vec<String> = notes
        .filter(|note| note.level == Level::Warning)
        .map(|note| note.message.clone())
        .collect();
    let length = motion.skeleton.imported.length;
    ClipFacts {
        name: motion.name.clone(),
        frames: sampler.frames() as u32,
        fps: sampler.fps(),
        fps_assumed: motion.rate == RateSource::Assumed,
        joints: skeleton.len() as u32,
        unit: Some(length.unit),
        unit_assumed: length.assumed,
        height_m: Stature::of(skeleton).height_m,
        speed_m_s,
        warning_count: warnings.len() as u32,
        warnings: warnings.into_iter().take(WARNINGS_KEPT).collect(),
        first_row,
        rows: own.len() as u32,
    }
}

/// As every system writes it.
fn slashed(path: &Path) -> String {
    let parts = path.components().map(|it| it.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
