//! The window's *Export…* and `convert` write the same files.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use clap::Parser;

use super::{Format, run};
use crate::{
    app::{Message, Session, ViewerSettings},
    cli::{Cli, Command, Failure},
    ui::{self, Action, ExportDialog, ExportKind, ImportOverrides},
};

/// A session that has opened a file.
struct Window {
    session: Session,
    inbox: mpsc::Receiver<Message>,
}

impl Window {
    fn open(file: &Path) -> Self {
        let (sender, inbox) = mpsc::channel();
        let sender = Mutex::new(sender);
        let outbox: crate::app::Outbox = Arc::new(move |message| {
            let _ = sender.lock().unwrap().send(message);
        });
        let files = vec![file.to_path_buf()];
        let session = Session::new(
            ViewerSettings::default(),
            &outbox,
            files,
            ImportOverrides::default(),
        );
        let mut window = Self { session, inbox };
        window.until(|session| session.clip_name().is_some());
        window
    }

    fn until(&mut self, holds: impl Fn(&Session) -> bool) {
        while !holds(&self.session) {
            let message = self.inbox.recv_timeout(Duration::from_secs(60)).unwrap();
            self.session.receive(message);
        }
    }

    /// What the dialog asks for, and the message that follows.
    fn export(&mut self, format: Format, path: &Path, replace: bool) -> String {
        self.session.apply(ui::Command::Do(Action::Export));
        let mut dialog = self.session.panels.export.take().unwrap();
        dialog.set_kind(ExportKind::Motion(format));
        dialog.path = path.display().to_string();
        dialog.replace = replace;
        self.ask(dialog)
    }

    fn ask(&mut self, dialog: ExportDialog) -> String {
        let known = self.session.notices.list().len();
        self.session.apply(ui::Command::Export(dialog));
        self.until(|session| session.notices.list().len() > known);
        self.session.notices.list()[known].text.clone()
    }
}

fn convert(file: &Path, to: &Path) -> Result<(), Failure> {
    let words = ["kinetoscope".into(), "convert".into(), file.to_path_buf()];
    let rest = [PathBuf::from("-o"), to.to_path_buf()];
    let cli = Cli::try_parse_from(words.into_iter().chain(rest)).unwrap();
    let Some(Command::Convert(args)) = cli.command else {
        panic!("no convert");
    };
    run(&args)
}

#[test]
fn the_window_writes_what_convert_writes() {
    let folder = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut written = 0;
    for source in ["tests/fixtures/tiny.amc", "tests/fixtures/odd.bvh"] {
        let source = assets.join(source);
        let mut window = Window::open(&source);
        for format in Format::ALL {
            let stem = source.file_stem().unwrap();
            let [ours, theirs] = ["window", "line"].map(|who| {
                let place = folder.path().join(who).join(stem);
                std::fs::create_dir_all(&place).unwrap();
                place.join(format!("out.{}", format.ending()))
            });
            let told = window.export(format, &ours, true);
            if let Err(refused) = convert(&source, &theirs) {
                // Two roots are none for an ASF file, here and there.
                let reason = told.split(": ").last().unwrap();
                assert!(refused.to_string().ends_with(reason), "{told}, {refused}");
                continue;
            }
            assert!(told.starts_with("Saved"), "{told}");
            written += 1;
            let [ours, theirs] = [&ours, &theirs].map(|it| std::fs::read(it).unwrap());
            assert!(ours == theirs, "{}: {format:?}", source.display());
        }
    }
    assert_eq!(written, 10, "but ASF and AMC of two roots");
}

#[test]
fn nothing_is_replaced_unasked_and_the_source_never() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("odd.bvh");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/odd.bvh");
    std::fs::copy(fixture, &source).unwrap();
    let taken = folder.path().join("there.csv");
    std::fs::write(&taken, "old").unwrap();
    let mut window = Window::open(&source);
    let told = window.export(Format::Csv, &taken, false);
    assert!(told.contains("is there already"), "{told}");
    assert_eq!(std::fs::read(&taken).unwrap(), b"old");
    let told = window.export(Format::Csv, &taken, true);
    assert!(told.starts_with("Saved"), "{told}");
    let before = std::fs::read(&source).unwrap();
    let told = window.export(Format::Bvh, &source, true);
    assert!(told.contains("is the file that is shown"), "{told}");
    assert_eq!(std::fs::read(&source).unwrap(), before);
    // An .amc brings its skeleton, which is asked about as well.
    std::fs::write(folder.path().join("new.asf"), "old").unwrap();
    let told = window.export(Format::Amc, &folder.path().join("new.amc"), false);
    assert!(told.contains("new.asf is there already"), "{told}");
}
