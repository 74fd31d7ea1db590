//! What a command may write over: what it wrote before, and nothing it reads.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use clap::Args;

use super::Failure;
use crate::load;

#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct ForceArgs {
    /// Writes over files even where they are read by this very call, and over
    /// another skeleton beside an .amc
    #[arg(long)]
    pub force: bool,
}

impl ForceArgs {
    /// Refuses outputs that are inputs, or each other.
    pub fn check<'a>(
        self,
        inputs: &[PathBuf],
        outputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        let mut read: Option<HashSet<PathBuf>> = None;
        let mut written = HashSet::new();
        for output in outputs {
            let shown = output.display();
            // What is not there yet cannot be read either.
            let real = output.canonicalize().ok();
            let place = real.clone().or_else(|| std::path::absolute(output).ok());
            // A device takes whatever comes, from anybody.
            let is_place = !output.exists() || output.is_file();
            if is_place && !written.insert(place) {
                return Err(Failure::Usage(format!(
                    "{shown} is named for two outputs: give each its own name"
                )));
            }
            let Some(real) = real.filter(|_| !self.force) else {
                continue;
            };
            if read.get_or_insert_with(|| all_read(inputs)).contains(&real) {
                return Err(Failure::Usage(format!(
                    "{shown} is read by this call and would be written over: \
                     give another name, or --force"
                )));
            }
        }
        Ok(())
    }
}

/// Where the inputs really are, with the files that they name.
fn all_read(inputs: &[PathBuf]) -> HashSet<PathBuf> {
    let inputs: Vec<PathBuf> = inputs.iter().map(|it| load::without_range(it)).collect();
    let named = inputs.iter().flat_map(|path| load::files_named_by(path));
    let all = inputs.iter().cloned().chain(named);
    all.filter_map(|path| path.canonicalize().ok()).collect()
}
