//! One file of `convert`, with the skeleton that an `.amc` cannot do without.

use std::path::Path;

use super::{ConvertArgs, Format};
use crate::{
    cli::{Failure, compress, message, overwrite::ForceArgs},
    convert::{self, ConvertError, Converted, ExportItem},
    load,
    output::{Staged, Stamp},
};

/// Stages a file, and whatever has to be beside it.
pub(super) fn stage(
    item: &ExportItem,
    format: Format,
    args: &ConvertArgs,
    (path, stamp): (&Path, Option<Stamp>),
    staged: &mut Staged,
) -> Result<(), Failure> {
    let converted = match format {
        Format::Kin => Converted {
            bytes: container(item, args)?,
            ..Converted::default()
        },
        _ => convert::convert(item, format, &args.convert_options()).map_err(refused(item))?,
    };
    if let Some(skeleton) = &converted.skeleton {
        stage_skeleton(&item.path, (path, skeleton), args.force, staged)?;
    }
    tell(item, &converted);
    match stamp {
        Some(stamp) => staged.add_stamped(path, &converted.bytes, stamp)?,
        None => staged.add(path, &converted.bytes)?,
    }
    Ok(())
}

/// What the format cannot say.
pub(super) fn tell(item: &ExportItem, converted: &Converted) {
    for note in &converted.notes {
        report(&item.path, note);
    }
}

fn report(path: &Path, text: &str) {
    message(&format!("{}: {text}", path.display()));
}

pub(super) fn refused(item: &ExportItem) -> impl FnOnce(ConvertError) -> Failure {
    let path = item.path.display().to_string();
    move |error| Failure::Usage(format!("{path}: {error}"))
}

/// Stages the skeleton of a motion that was made from `of`, beside it.
pub(in crate::cli) fn stage_skeleton(
    of: &Path,
    (motion, text): (&Path, &[u8]),
    force: ForceArgs,
    staged: &mut Staged,
) -> Result<(), Failure> {
    let skeleton = motion.with_extension("asf");
    let there = skeleton.exists();
    let same = there && load::read(&skeleton).is_ok_and(|old| old == text);
    if there && !same && !force.force {
        return Err(Failure::Usage(format!(
            "{}: the motion needs a skeleton of its own, and another {} is there: \
             give another name, or --force",
            of.display(),
            skeleton.display()
        )));
    }
    if !same {
        staged.add(&skeleton, text)?;
    }
    report(of, &format!("its skeleton is {}", skeleton.display()));
    Ok(())
}

fn container(item: &ExportItem, args: &ConvertArgs) -> Result<Vec<u8>, Failure> {
    let motions = item.motion.clone().into_iter().collect();
    compress::pack(motions, args.convert_options().codec(), args.keys)
}
