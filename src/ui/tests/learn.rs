//! The Learn page: every row of the paper is there, and its button asks for it.

use std::collections::BTreeSet;

use super::*;
use crate::ui::learn;

#[test]
fn every_row_has_a_button_or_a_command_and_no_button_lacks_a_row() {
    let rows: Vec<&Lesson> = lessons().collect();
    assert!(rows.len() > 90, "only {} rows", rows.len());
    let mut numbers = BTreeSet::new();
    for row in &rows {
        let shown = steps_of(&row.numbers).is_some();
        // An example to read is named by its file.
        let read = row
            .see
            .iter()
            .any(|it| matches!(it, Span::Code(code) if code.contains('/')));
        let typed = row.commands().next().is_some();
        assert!(shown || typed || read, "{}: {}", row.numbers, row.title);
        assert!(
            numbers.insert(row.numbers.as_str()) || !shown,
            "two rows {} would have one button",
            row.numbers
        );
    }
    for key in learn::setups() {
        assert!(numbers.contains(key), "{key} is no row of docs/concepts.md");
    }
}

#[test]
fn every_button_asks_for_its_row() {
    let mut bench = Bench::new(&[]);
    bench.panels.learn = true;
    let mut harness = harness(bench);
    for lesson in lessons().filter(|it| steps_of(&it.numbers).is_some()) {
        // As typed, so that the row is in sight.
        harness.state_mut().panels.learn_search = lesson.title.clone();
        let name = format!("Show {}", lesson.numbers);
        harness.run_steps(2);
        let asked = click(&mut harness, &name);
        assert_eq!(asked, [Command::Learn(lesson.index)], "{name}");
    }
}

#[test]
fn a_search_finds_by_word_and_by_number() {
    for (words, found) in [("wavelet", "136, 137"), ("130", "130"), ("LEAN", "109")] {
        let words = words.to_lowercase();
        let hits = lessons().filter(|it| it.matches(&words));
        let hits: Vec<&str> = hits.map(|it| it.numbers.as_str()).collect();
        let known = lessons().any(|it| it.numbers == found);
        assert_eq!(hits.contains(&found), known, "{words}: {hits:?}");
    }
}
