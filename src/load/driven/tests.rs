use super::*;

#[test]
fn a_state_is_assigned_by_name_and_not_by_folder() {
    let is = |text: &str| {
        let found = Assignment::of(Path::new(text))?;
        Some((found.state, found.file, found.clip))
    };
    let own = ("RUN".to_owned(), PathBuf::from("a/b=c.amc"), None);
    assert_eq!(is("RUN=a/b=c.amc"), Some(own));
    let one = ("RUN".into(), "r.glb".into(), Some("Running".to_owned()));
    assert_eq!(is("RUN=r.glb#Running"), Some(one));
    for path in ["run.amc", "a/RUN=b.amc", "=b.amc", "RUN="] {
        assert_eq!(is(path), None, "{path}");
    }
    let files = ["IDLE=r.glb#Idle", "RUN=r.glb#Running", "a.asf"].map(PathBuf::from);
    let alone = ["r.glb", "a.asf"].map(PathBuf::from);
    assert_eq!(without_states(&files), alone);
}

#[test]
fn the_performer_is_cast_without_files() {
    let from = CharacterFiles {
        animator: None,
        files: &[],
        onto: None,
        fill: false,
    };
    let clips_of = DrivenCharacter::load(from, LoadOptions::default()).unwrap();
    assert_eq!(clips_of.graph.skeleton.len(), 31);
    assert!(clips_of.unused.is_empty());
}

#[test]
fn a_wrong_description_names_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, "(\n  layers: [(nam: \"base\")],\n)").unwrap();
    let from = CharacterFiles {
        animator: Some(&path),
        files: &[],
        onto: None,
        fill: false,
    };
    let error = DrivenCharacter::load(from, LoadOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("mine.ron") && error.contains('2'), "{error}");
}
