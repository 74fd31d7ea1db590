//! `library`: what a folder of many clips holds, by its index; searched, sorted,
//! and compared with a moment.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{
    Failure, on_terminal, path_as_text, print_json,
    terminal::{data_out, message, printable},
};
use crate::{
    library::{
        self, AllRows, ClipFacts, Found, Library, Likeness, Marks, MotionRow, RefreshCounts,
        SearchWords, SortBy, rows_of,
    },
    load::{self, LoadOptions},
};

#[derive(Args, Debug)]
pub(super) struct LibraryArgs {
    /// The folder
    folder: PathBuf,
    /// Words that have to match: part of a path or name, fav, warn, tag:WORD,
    /// len>10, len<3 (seconds), speed>2, speed<1 (metres a second)
    #[arg(long, value_name = "WORDS", default_value = "")]
    search: String,
    /// What the list is sorted by
    #[arg(long, value_name = "ORDER", default_value = "name")]
    sort: Order,
    /// Moments that look and move like this one; FILE@A..B for a range
    #[arg(long, value_name = "FILE@A..B")]
    similar: Option<PathBuf>,
    /// No more lines than this
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Makes a clip a favourite, by its path in the folder
    #[arg(long, value_name = "PATH")]
    favourite: Vec<String>,
    /// Takes that back
    #[arg(long, value_name = "PATH")]
    not_favourite: Vec<String>,
    /// Sets the tags of a clip; none after the = takes them away
    #[arg(long, value_name = "PATH=WORD,WORD")]
    tag: Vec<String>,
    /// Shows the index as it is, without looking which files have changed
    #[arg(long)]
    as_known: bool,
    /// Where the index is kept, instead of the system's folder for caches
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    Name,
    Length,
    Speed,
    Warnings,
    Newest,
}

impl From<Order> for SortBy {
    fn from(order: Order) -> Self {
        match order {
            Order::Name => Self::Name,
            Order::Length => Self::Length,
            Order::Speed => Self::Speed,
            Order::Warnings => Self::Warnings,
            Order::Newest => Self::Newest,
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "path_as_text")]
    folder: PathBuf,
    files: usize,
    clips: usize,
    unchanged: usize,
    read: usize,
    gone: usize,
    unreadable: usize,
    seconds: f64,
    remarks: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similar_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<usize>,
    found: Vec<Line>,
}

/// A clip of the list.
#[derive(Default, Serialize)]
struct Line {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<String>,
    frames: u32,
    fps: f64,
    fps_assumed: bool,
    duration_s: f64,
    joints: u32,
    unit: Option<String>,
    unit_assumed: bool,
    height_m: f32,
    speed_m_s: f32,
    favourite: bool,
    tags: Vec<String>,
    warnings: Vec<String>,
    warning_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    /// Where the moment begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apart_cm: Option<f64>,
}

pub(super) fn run(args: &LibraryArgs) -> Result<(), Failure> {
    if !args.folder.is_dir() {
        // One that is not there is told as any file is.
        let (_, failed) = load::expand(std::slice::from_ref(&args.folder));
        let text = format!("{}: is no folder; a library is one", args.folder.display());
        let missing = failed.into_iter().next().map(|(_, error)| error.into());
        return Err(missing.unwrap_or(Failure::Usage(text)));
    }
    let begun = Instant::now();
    let cache = args.cache.clone().or_else(library::cache_folder);
    let mut library = Library::open(&args.folder, cache.as_deref());
    let counts = match args.as_known {
        true => RefreshCounts {
            unchanged: library.entries().len(),
            ..RefreshCounts::default()
        },
        false => refreshed(&mut library),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let marks = marks(args, &library)?;
    let mut report = Report {
        folder: library.folder().to_path_buf(),
        files: library.entries().len(),
        clips: library.entries().values().map(|it| it.clips.len()).sum(),
        unchanged: counts.unchanged,
        read: counts.read,
        gone: counts.gone,
        unreadable: library
            .entries()
            .values()
            .filter(|it| it.fault.is_some())
            .count(),
        seconds,
        remarks: library.take_remarks(),
        similar_ms: None,
        compared: None,
        found: Vec::new(),
    };
    let words = SearchWords::of(&args.search);
    let found = library::found(library.entries(), &words, args.sort.into(), &marks);
    match &args.similar {
        Some(moment) => find_similar(&mut library, moment, &found, args, &marks, &mut report)?,
        None => {
            let most = args.limit.unwrap_or(usize::MAX);
            report.found = found.iter().take(most).map(|it| line(it, &marks)).collect();
        }
    }
    report.remarks.extend(library.take_remarks());
    report
        .remarks
        .iter()
        .for_each(|it| message(&format!("note: {it}")));
    match args.json {
        true => print_json(&report),
        false => print(&report),
    }
}

/// Brings the index up to date, telling how far it is.
fn refreshed(library: &mut Library) -> RefreshCounts {
    let told = Mutex::new(Instant::now());
    let (tells, every) = (on_terminal(), Duration::from_secs(1));
    library.refresh(&|_, step| {
        if let Ok(mut told) = told.lock()
            && tells
            && told.elapsed() > every
        {
            *told = Instant::now();
            message(&format!("{} of {} files read", step.done, step.all));
        }
        true
    })
}

/// Favourites and tags, changed as was asked for.
fn marks(args: &LibraryArgs, library: &Library) -> Result<Marks, Failure> {
    let (mut marks, remark) = Marks::read(library.folder(), library::marks_folder().as_deref());
    remark.iter().for_each(|it| message(&format!("note: {it}")));
    let known = |key: &str| {
        let file = key.rsplit_once('#').map_or(key, |it| it.0);
        match library.entries().contains_key(key) || library.entries().contains_key(file) {
            true => Ok(()),
            false => Err(Failure::Usage(format!(
                "{key}: no such clip in the library; give its path below the folder"
            ))),
        }
    };
    for (keys, on) in [(&args.favourite, true), (&args.not_favourite, false)] {
        for key in keys {
            known(key)?;
            marks.set_favourite(key, on);
        }
    }
    for tag in &args.tag {
        let split = tag.rsplit_once('=');
        let (key, words) =
            split.ok_or_else(|| Failure::Usage(format!("--tag {tag}: give PATH=WORD,WORD")))?;
        known(key)?;
        marks.set_tags(key, words);
    }
    if !(args.favourite.is_empty() && args.not_favourite.is_empty() && args.tag.is_empty()) {
        marks.write()?;
    }
    Ok(marks)
}

fn find_similar(
    library: &mut Library,
    moment: &Path,
    among: &[Found],
    args: &LibraryArgs,
    marks: &Marks,
    report: &mut Report,
) -> Result<(), Failure> {
    let wanted = rows_of_file(moment, library.folder())?;
    let (all, damaged) = AllRows::read(library.entries(), library.rows());
    library.distrust(&damaged);
    let begun = Instant::now();
    let most = match args.search.is_empty() {
        true => args.limit.unwrap_or(20),
        false => usize::MAX,
    };
    let mut alike = library::similar(&all, &wanted, most);
    report.similar_ms = Some(begun.elapsed().as_secs_f64() * 1e3);
    report.compared = Some(all.len());
    if !args.search.is_empty() {
        let keys: std::collections::BTreeSet<String> = among.iter().map(Found::key).collect();
        alike.retain(|it| keys.contains(&of_likeness(it).key()));
        alike.truncate(args.limit.unwrap_or(20));
    }
    let with_moment = |it: &Likeness| Line {
        start_s: Some(it.start_s),
        apart_cm: Some((it.apart_cm * 100.0).round() / 100.0),
        ..line(&of_likeness(it), marks)
    };
    report.found = alike.iter().map(with_moment).collect();
    Ok(())
}

fn of_likeness(it: &Likeness) -> Found {
    Found {
        entry: it.entry.clone(),
        clip: it.clip,
    }
}

/// Rows of a motion, or of a range of it.
fn rows_of_file(moment: &Path, folder: &Path) -> Result<Vec<MotionRow>, Failure> {
    let options = LoadOptions {
        guess_skeleton: true,
        ..LoadOptions::default()
    };
    // A clip of the library finds its skeleton as the library does.
    let named = [moment.to_path_buf(), folder.to_path_buf()];
    let outcomes = load::load_within(&named[..1], &named, options).into_iter();
    let loaded: Vec<_> = outcomes.map(|it| it.1).collect::<Result<_, _>>()?;
    let motion = { loaded.into_iter() }.find_map(load::Loaded::into_motion);
    let path = moment.display();
    let motion = motion.ok_or_else(|| Failure::Usage(format!("{path}: holds no motion")))?;
    let sampler = motion.sampler();
    let (rows, _) = rows_of(motion.skeleton(), &*sampler, (0.0, sampler.duration_secs()));
    match rows.is_empty() {
        true => Err(Failure::Usage(format!(
            "{path}: nobody with two arms and two legs moves here, whom others could be like"
        ))),
        false => Ok(rows),
    }
}

fn line(found: &Found, marks: &Marks) -> Line {
    let key = found.key();
    let own = Line {
        path: found.entry.path.clone(),
        favourite: marks.is_favourite(&key),
        tags: marks.tags_of(&key).map(str::to_owned).collect(),
        fault: found.entry.fault.clone(),
        ..Line::default()
    };
    let Some(facts) = found.facts() else {
        return own;
    };
    let several = found.entry.clips.len() > 1;
    Line {
        clip: several.then(|| facts.name.clone()),
        ..with_facts(own, facts)
    }
}

fn with_facts(line: Line, facts: &ClipFacts) -> Line {
    Line {
        frames: facts.frames,
        fps: facts.fps,
        fps_assumed: facts.fps_assumed,
        duration_s: facts.duration_secs(),
        joints: facts.joints,
        unit: facts.unit.map(|it| it.to_string()),
        unit_assumed: facts.unit_assumed,
        height_m: facts.height_m,
        speed_m_s: facts.speed_m_s,
        warnings: facts.warnings.clone(),
        warning_count: facts.warning_count,
        ..line
    }
}

fn print(report: &Report) -> Result<(), Failure> {
    let mut out = data_out();
    writeln!(
        out,
        "{}: {} clips in {} files ({} read now, {} gone, {} unreadable), {:.2} s",
        printable(&report.folder.display().to_string()),
        report.clips,
        report.files,
        report.read,
        report.gone,
        report.unreadable,
        report.seconds
    )?;
    if let (Some(ms), Some(rows)) = (report.similar_ms, report.compared) {
        writeln!(out, "compared with {rows} moments in {ms:.1} ms")?;
    }
    for line in &report.found {
        writeln!(out, "{}", printable(&text_of(line)))?;
    }
    Ok(out.flush()?)
}

fn text_of(line: &Line) -> String {
    let clip = line
        .clip
        .as_ref()
        .map_or_else(String::new, |it| format!("#{it}"));
    let star = if line.favourite { "*" } else { " " };
    let name = format!("{star} {}{clip}", line.path);
    if let Some(fault) = &line.fault {
        return format!("{name}  unreadable: {fault}");
    }
    let alike = match (line.start_s, line.apart_cm) {
        (Some(start), Some(apart)) => format!("{apart:6.2} cm  from {start:.1} s  "),
        _ => String::new(),
    };
    let unit = line.unit.as_deref().unwrap_or("–");
    let mut text = format!(
        "{alike}{name}  {:.2} s  {} frames at {:.4}{}  {unit}{}  {:.2} m tall  {:.2} m/s",
        line.duration_s,
        line.frames,
        line.fps,
        if line.fps_assumed { " (assumed)" } else { "" },
        if line.unit_assumed { " (assumed)" } else { "" },
        line.height_m,
        line.speed_m_s,
    );
    if !line.tags.is_empty() {
        text += &format!("  [{}]", line.tags.join(", "));
    }
    match line.warning_count {
        0 => {}
        1 => text += "  1 warning",
        many => text += &format!("  {many} warnings"),
    }
    text
}
