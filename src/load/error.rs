//! Why a file did not load, and what can be done about it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    codec::kin::KinError,
    mocap::{MocapError, gltf::GltfError},
};

/// Why a file did not load.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoadError {
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why; shared, since several motions may wait for one skeleton.
        source: Arc<std::io::Error>,
    },
    /// A device, a pipe, a folder.
    #[error("{}: this is {what}, not a file; copy what it holds into a file and name that", path.display())]
    NotAFile {
        /// Which path.
        path: PathBuf,
        /// With its article.
        what: &'static str,
    },
    /// More than is read into memory.
    #[error("{}: larger than {most_mib} MiB; cut it into smaller files", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// The bound.
        most_mib: u64,
    },
    /// In metres, a number beyond all measure.
    #[error("{}: {place} lies beyond 1,000,000,000 m or nowhere; give the file's own unit (--file-unit), or mend its numbers", path.display())]
    OutOfReach {
        /// Which file.
        path: PathBuf,
        /// Which joint, frame or key.
        place: String,
    },
    /// Its content is wrong.
    #[error(transparent)]
    Malformed(#[from] MocapError),
    /// A glTF file's content is wrong.
    #[error(transparent)]
    Gltf(#[from] GltfError),
    /// A container fails one of its checks.
    #[error("{}: {source}", path.display())]
    Container {
        /// Which file.
        path: PathBuf,
        /// Which check.
        source: KinError,
    },
    /// Neither name nor content tell what it is.
    #[error("{}: not a kind of file that can be read here (.asf, .amc, .bvh, .glb, .gltf, .kin)", path.display())]
    UnknownKind {
        /// Which file.
        path: PathBuf,
    },
    /// A motion without a skeleton.
    #[error("{}: no skeleton found for this motion: {cure}", path.display())]
    NoSkeleton {
        /// Which motion.
        path: PathBuf,
        /// What the user can do.
        cure: String,
    },
    /// A folder with nothing to read.
    #[error("{}: no motion capture in this folder (.asf, .amc, .bvh, .glb, .gltf, .kin)", path.display())]
    EmptyFolder {
        /// Which folder.
        path: PathBuf,
    },
    /// An animator's description, a script, or a clip that does not go with
    /// them.
    #[error("{}: {message}", path.display())]
    Animator {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// `FILE@A..B` where the motion has no such frames.
    #[error("{}: no such range: {message}", path.display())]
    NoSuchRange {
        /// As it was named.
        path: PathBuf,
        /// What there is.
        message: String,
    },
    /// A map that does not fit, or a motion that cannot be carried over.
    #[error("{}: {message}", path.display())]
    Retarget {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A motion whose skeleton failed; the skeleton's own error says why.
    #[error("{}: its skeleton {} did not load: {reason}", path.display(), skeleton.display())]
    BrokenSkeleton {
        /// Which motion.
        path: PathBuf,
        /// Which skeleton.
        skeleton: PathBuf,
        /// The skeleton's error.
        reason: String,
    },
}

impl LoadError {
    /// What whoever wants the file shown can do, where its message leaves it
    /// open.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Read { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => "check its name, or open it from where it is now",
                std::io::ErrorKind::PermissionDenied => "allow it to be read, or copy it",
                _ => "copy it to this machine and open the copy",
            },
            Self::Malformed(_) => "mend that line, or export the file again",
            Self::Gltf(_) => "export it again, with what it names beside it",
            Self::Container { .. } => "write it again from the capture with `kinetoscope compress`",
            Self::BrokenSkeleton { .. } => "mend the skeleton, or open the motion with another",
            Self::UnknownKind { .. } | Self::EmptyFolder { .. } => {
                "export it as one of these, or open another"
            }
            Self::Animator { .. } | Self::Retarget { .. } => "mend it and open it again",
            // These say it themselves.
            Self::NotAFile { .. }
            | Self::TooLarge { .. }
            | Self::OutOfReach { .. }
            | Self::NoSkeleton { .. }
            | Self::NoSuchRange { .. } => "",
        }
    }

    pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        Self::Read {
            path: path.to_path_buf(),
            source: Arc::new(source),
        }
    }
}
