//! The page of a library: search, order, keys, favourites, tags, likeness.

use std::sync::Arc;

use egui::Key;

use super::*;
use crate::library::{ClipFacts, FileEntry, Found, Marks, MotionRow, SortBy, rows_of};

/// Owns what a [`LibraryView`] borrows.
pub(super) struct LibraryBench {
    items: Vec<LibraryItem>,
    marks: Marks,
    pictures: Pictures,
    progress: Option<Progress>,
    alike: bool,
}

impl LibraryBench {
    pub(super) fn of(clips: usize) -> Self {
        let mut marks = Marks::default();
        marks.set_favourite("walks/walk01.bvh", true);
        marks.set_tags("walks/walk00.bvh", "slow proud");
        let items: Vec<LibraryItem> = (0..clips).map(item).collect();
        let row = picture_row();
        let picture = |it: &LibraryItem| (it.found.key(), Arc::from(vec![row]));
        Self {
            pictures: items.iter().take(20).map(picture).collect(),
            items,
            marks,
            progress: None,
            alike: false,
        }
    }

    pub(super) fn view(&self) -> LibraryView<'_> {
        LibraryView {
            folder: Path::new("/captures/library"),
            items: &self.items,
            clips: self.items.len(),
            marks: &self.marks,
            pictures: &self.pictures,
            progress: self.progress.as_ref(),
            alike: self.alike,
        }
    }
}

/// Somebody at rest.
fn picture_row() -> MotionRow {
    let skeleton = cmu_like();
    let clip = RawClip {
        name: "rest".into(),
        fps: 30.0,
        joints: skeleton.len(),
        animated: vec![0],
        rotations: vec![Quat::IDENTITY; 2],
        root_translations: vec![Vec3::Y * 0.95; 2],
        ..RawClip::default()
    };
    let (rows, _) = rows_of(&skeleton, &clip, (0.0, 0.0));
    rows.first().copied().unwrap_or(MotionRow([0; 64]))
}

fn item(index: usize) -> LibraryItem {
    let facts = ClipFacts {
        name: format!("walk{index:02}"),
        frames: 100 + 40 * index as u32,
        fps: 120.0,
        unit: Some(LengthUnit::Inch),
        unit_assumed: index == 2,
        speed_m_s: 1.2,
        warning_count: u32::from(index == 3),
        ..ClipFacts::default()
    };
    let mut entry = FileEntry {
        path: format!("walks/walk{index:02}.bvh"),
        clips: vec![facts],
        ..FileEntry::default()
    };
    if index == 4 {
        entry.clips.clear();
        entry.fault = Some("line 3: HIERARCHY is missing".into());
    }
    let entry = Arc::new(entry);
    LibraryItem {
        found: Found { entry, clip: 0 },
        moment: None,
    }
}

pub(super) fn library_bench(clips: usize) -> Bench {
    let mut bench = Bench::new(&[Section::Clip]);
    bench.panels.library.open = true;
    bench.library = Some(LibraryBench::of(clips));
    bench
}

fn press(harness: &mut Harness<'_, Bench>, key: Key) -> Vec<Command> {
    harness.key_press(key);
    harness.run_steps(3);
    std::mem::take(&mut harness.state_mut().commands)
}

#[test]
fn a_click_shows_a_clip_and_from_there_keys_do_all() {
    let mut harness = harness(library_bench(6));
    let asked = click(&mut harness, "Clip walk01.bvh");
    assert_eq!(asked, [Command::Library(Browsing::Show(1))]);
    assert!(press(&mut harness, Key::ArrowDown).is_empty());
    assert_eq!(harness.state().panels.library.chosen, 2);
    assert_eq!(
        press(&mut harness, Key::Enter),
        [Command::Library(Browsing::Show(2))]
    );
    assert_eq!(
        press(&mut harness, Key::F),
        [Command::Library(Browsing::Favourite(2))]
    );
    press(&mut harness, Key::End);
    assert_eq!(harness.state().panels.library.chosen, 5);
    press(&mut harness, Key::PageUp);
    assert_eq!(harness.state().panels.library.chosen, 0);
    let star = click(&mut harness, "Favourite: walks/walk03.bvh");
    assert_eq!(star, [Command::Library(Browsing::Favourite(3))]);
}

#[test]
fn the_search_is_typed_and_enter_shows_the_first() {
    let mut harness = harness(library_bench(6));
    harness.get_by_label("Search the library").focus();
    harness.run_steps(2);
    harness
        .get_by_label("Search the library")
        .type_text("len>2");
    harness.run_steps(3);
    let asked = std::mem::take(&mut harness.state_mut().commands);
    assert_eq!(asked, [Command::Library(Browsing::Search)]);
    assert_eq!(harness.state().panels.library.search, "len>2");
    let asked = press(&mut harness, Key::Enter);
    assert_eq!(asked, [Command::Library(Browsing::Show(0))]);
    assert_eq!(harness.state().panels.library.sort, SortBy::Name);
}

#[test]
fn likeness_tags_and_pictures_are_asked_for() {
    let mut harness = harness(library_bench(6));
    let asked = click(&mut harness, "Similar to this moment");
    assert_eq!(asked, [Command::Library(Browsing::Similar)]);
    harness.get_by_label("Tags of the chosen clip").focus();
    harness.run_steps(2);
    harness
        .get_by_label("Tags of the chosen clip")
        .type_text(" limp");
    harness.run_steps(2);
    harness.state_mut().commands.clear();
    let asked = press(&mut harness, Key::Enter);
    assert!(
        matches!(&asked[..], [Command::Library(Browsing::Tags(0, words))] if words.contains("limp") && words.contains("proud")),
        "{asked:?}"
    );
    if let Some(library) = &mut harness.state_mut().library {
        library.alike = true;
        library.pictures.clear();
    }
    harness.run_steps(2);
    let asked = std::mem::take(&mut harness.state_mut().commands);
    assert!(
        asked.contains(&Command::Library(Browsing::Picture(0..6))),
        "{asked:?}"
    );
    assert_eq!(
        click(&mut harness, "All clips").last(),
        Some(&Command::Library(Browsing::All))
    );
}

#[test]
fn a_hundred_thousand_lines_cost_what_a_screen_of_them_does() {
    let mut harness = harness(library_bench(100_000));
    assert!(harness.query_by_label("Clip walk00.bvh").is_some());
    assert!(
        harness.query_by_label("Clip walk30.bvh").is_none(),
        "out of sight, not laid out"
    );
    click(&mut harness, "Clip walk02.bvh");
    press(&mut harness, Key::End);
    assert!(harness.query_by_label("Clip walk99999.bvh").is_some());
}
