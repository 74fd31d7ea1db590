//! Everybody who was opened: who clips can be played on, and who can be driven.
//!
//! Nobody is forgotten, but only those used last are held with mesh and motion;
//! of the others it is known how to read them again.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    app::{
        choices::ReadChoice,
        opened_clip::{OpenedClip, Origin},
        source::Source,
    },
    body::shape_key,
    load::PERFORMER,
};

/// Characters that are held ready, the performer included.
const HELD: usize = 6;

/// Somebody who was opened.
#[derive(Debug)]
struct Member {
    /// The file that was shown; `None` for the performer.
    path: Option<PathBuf>,
    /// The file of the skeleton.
    skeleton: PathBuf,
    skeleton_name: String,
    /// [`shape_key`] and, with a mesh of its own, the file.
    shape: Option<(u64, Option<PathBuf>)>,
    /// How to read it again.
    origin: Option<Origin>,
    /// Read, and held.
    clip: Option<Arc<OpenedClip>>,
    /// When it was used last.
    used: u64,
}

impl Member {
    fn of(clip: &Arc<OpenedClip>) -> Self {
        Self {
            path: clip.path.clone(),
            skeleton: clip.loaded.path.clone(),
            skeleton_name: clip.skeleton.name().to_owned(),
            shape: Some(shape_of(clip)),
            origin: clip.origin.clone(),
            clip: Some(Arc::clone(clip)),
            used: 0,
        }
    }

    fn performer() -> Self {
        Self {
            path: None,
            skeleton: PERFORMER.into(),
            skeleton_name: PERFORMER.to_owned(),
            shape: None,
            origin: Some(Origin {
                source: Source::BuiltIn("idle"),
                choice: ReadChoice::default(),
            }),
            clip: None,
            used: 0,
        }
    }

    /// The same file, or the same bones from another one.
    fn is_same(&self, other: &Self) -> bool {
        let same_file = self.path == other.path && self.skeleton_name == other.skeleton_name;
        same_file || self.shape.is_some() && self.shape == other.shape
    }
}

fn shape_of(clip: &OpenedClip) -> (u64, Option<PathBuf>) {
    let own_mesh = clip.body.model().is_some();
    let file = own_mesh.then(|| clip.loaded.path.clone());
    (shape_key(&clip.skeleton), file)
}

/// Everybody who was opened, the performer first.
#[derive(Debug)]
pub(super) struct Cast {
    names: Vec<String>,
    members: Vec<Member>,
    uses: u64,
}

impl Default for Cast {
    fn default() -> Self {
        Self {
            names: vec![PERFORMER.to_owned()],
            members: vec![Member::performer()],
            uses: 0,
        }
    }
}

impl Cast {
    /// What they are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Remembers whoever is shown; `playing` is held whatever comes.
    pub fn remember(&mut self, clip: &Arc<OpenedClip>, playing: Option<usize>) {
        let member = Member::of(clip);
        let known = match member.path {
            None => Some(0),
            // The performer's own bones from a file are somebody of their own.
            Some(_) => (1..self.members.len()).find(|&it| self.members[it].is_same(&member)),
        };
        let index = known.unwrap_or_else(|| {
            self.names.push(self.free_name(clip));
            self.members.len()
        });
        match self.members.get_mut(index) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
        self.use_now(index);
        self.let_go(playing);
    }

    /// Somebody as they are held; `None` while they are not.
    pub fn clip(&self, index: usize) -> Option<&Arc<OpenedClip>> {
        self.members.get(index)?.clip.as_ref()
    }

    /// How to read somebody who is not held.
    pub fn to_read(&self, index: usize) -> Option<Origin> {
        let member = self.members.get(index)?;
        member.origin.clone().filter(|_| member.clip.is_none())
    }

    /// Somebody was read again.
    pub fn hold(&mut self, index: usize, clip: Arc<OpenedClip>) {
        if let Some(member) = self.members.get_mut(index) {
            member.clip = Some(clip);
            self.use_now(index);
            self.let_go(Some(index));
        }
    }

    /// The files of skeleton and motion.
    pub fn files(&self, index: usize) -> Option<(&Path, Option<&Path>)> {
        let member = self.members.get(index)?;
        Some((&member.skeleton, member.path.as_deref()))
    }

    /// Whose skeleton is in a file.
    pub fn by_skeleton(&self, path: &Path) -> Option<usize> {
        self.members.iter().position(|it| it.skeleton == path)
    }

    fn use_now(&mut self, index: usize) {
        self.uses += 1;
        self.members[index].used = self.uses;
    }

    /// Whoever was used longest ago is let go, as long as they can be read
    /// again.
    fn let_go(&mut self, playing: Option<usize>) {
        let held = |it: &Member| it.clip.is_some() && it.origin.is_some();
        while self.members.iter().filter(|it| held(it)).count() > HELD {
            let members = self.members.iter_mut().enumerate();
            let others = members.filter(|(index, it)| held(it) && Some(*index) != playing);
            match others.min_by_key(|(_, it)| it.used) {
                Some((_, oldest)) => oldest.clip = None,
                None => return,
            }
        }
    }

    /// The skeleton's name, with the file's where another has it.
    fn free_name(&self, clip: &OpenedClip) -> String {
        let name = clip.skeleton.name().to_owned();
        match self.names.contains(&name) {
            true => format!("{name} ({})", clip.name),
            false => name,
        }
    }
}
