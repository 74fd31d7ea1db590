//! One file of `convert`, with the skeleton that an `.amc` cannot do without.

use std::{path::Path, sync::Arc};

use super::{Content, ConvertArgs, Format, items::ExportItem};
use crate::{
    body::Body,
    cli::{Failure, compress, message},
    clip::{RawClip, TrackClip},
    export::{self, CsvContent, ExportSource, GlbMotion, GlbSource},
    humanoid::Stature,
    load::{self, Kind, LoadedMotion},
    output::{Staged, Stamp},
    units::{LengthScale, LengthUnit},
};

/// Stages a file, and whatever has to be beside it.
pub(super) fn stage(
    item: &ExportItem,
    format: Format,
    args: &ConvertArgs,
    (path, stamp): (&Path, Option<Stamp>),
    staged: &mut Staged,
) -> Result<(), Failure> {
    let bytes = match format {
        Format::Bvh => bvh(item).into_bytes(),
        Format::Asf => asf(item)?.into_bytes(),
        Format::Amc => amc(item, path, args, staged)?.into_bytes(),
        Format::Glb => glb(std::slice::from_ref(item), args),
        Format::Csv => csv(item, args).into_bytes(),
        Format::Kin => container(item, args)?,
    };
    match stamp {
        Some(stamp) => staged.add_stamped(path, &bytes, stamp)?,
        None => staged.add(path, &bytes)?,
    }
    Ok(())
}

fn report(item: &ExportItem, text: &str) {
    message(&format!("{}: {text}", item.path.display()));
}

fn source<'a>(item: &'a ExportItem, clip: &'a RawClip) -> ExportSource<'a> {
    let imported = &item.skeleton.imported;
    ExportSource {
        skeleton: &imported.skeleton,
        clip,
        length: imported.length,
    }
}

fn bvh(item: &ExportItem) -> String {
    // A skeleton of its own has no frame, not one of no duration.
    let clip = match &item.motion {
        Some(_) => item.clip(),
        None => Arc::new(item.no_clip()),
    };
    let bvh = export::bvh(ExportSource {
        length: bvh_length(item),
        ..source(item, &clip)
    });
    if !bvh.frozen_ends.is_empty() {
        report(
            item,
            "the last bones of chains stretch, which BVH cannot say",
        );
    }
    bvh.text
}

fn asf(item: &ExportItem) -> Result<String, Failure> {
    let refused = |error| Failure::Usage(format!("{}: {error}", item.path.display()));
    export::asf(source(item, &item.clip())).map_err(refused)
}

fn amc(
    item: &ExportItem,
    path: &Path,
    args: &ConvertArgs,
    staged: &mut Staged,
) -> Result<String, Failure> {
    let amc = export::amc(source(item, &item.clip()));
    // A motion without an ASF file of its own is of no use to anybody.
    let own = Kind::of_name(&item.skeleton.path) != Some(Kind::Skeleton);
    if !own && !amc.needs_own_skeleton {
        return Ok(amc.text);
    }
    let (skeleton, text) = (path.with_extension("asf"), asf(item)?);
    let there = skeleton.exists();
    let same = there && load::read(&skeleton).is_ok_and(|old| old == text.as_bytes());
    if there && !same && !args.force.force {
        return Err(Failure::Usage(format!(
            "{}: the motion needs a skeleton of its own, and another {} is there: \
             give another name, or --force",
            item.path.display(),
            skeleton.display()
        )));
    }
    if !same {
        staged.add(&skeleton, text.as_bytes())?;
    }
    report(item, &format!("its skeleton is {}", skeleton.display()));
    Ok(amc.text)
}

fn csv(item: &ExportItem, args: &ConvertArgs) -> String {
    let content = match args.csv {
        Content::Positions => CsvContent::Positions,
        Content::Rotations => CsvContent::Rotations,
        Content::Channels => CsvContent::Channels,
    };
    let clip = item.clip();
    let source = ExportSource {
        length: unscaled(LengthUnit::Metre),
        ..source(item, &clip)
    };
    export::csv(source, content)
}

fn container(item: &ExportItem, args: &ConvertArgs) -> Result<Vec<u8>, Failure> {
    let motions = item.motion.clone().into_iter().collect();
    compress::pack(motions, args.codec(), args.keys)
}

/// A motion's own keys where it has any, or every frame.
enum Clip {
    Keys(Arc<TrackClip>),
    Frames(Arc<RawClip>),
}

/// Motions of a file that its body is grown for: they are much alike.
const GROWN_FOR: usize = 4;

/// Motions of one character in one file.
pub(super) fn glb(items: &[ExportItem], args: &ConvertArgs) -> Vec<u8> {
    let Some(first) = items.first() else {
        return Vec::new();
    };
    let skeleton = &first.skeleton.imported.skeleton;
    let body = match (&first.skeleton.model, args.joints_only) {
        (_, true) => None,
        (Some(model), false) => Some(Arc::clone(model)),
        (None, false) => {
            let motions = items.iter().filter_map(|item| item.motion.as_ref());
            let poses = motions.take(GROWN_FOR).flat_map(LoadedMotion::few_poses);
            let poses: Vec<_> = poses.collect();
            Some(Body::grow_for(skeleton, &poses).to_model())
        }
    };
    // What could not be drawn has no mesh.
    let body = body.filter(|model| !model.parts.is_empty());
    for name in body.iter().flat_map(|model| model.lost_pictures()) {
        report(first, &format!("the picture {name:?} is left out"));
    }
    let motions = items.iter().filter_map(|item| item.motion.as_ref());
    let clips = motions.map(|motion| match motion.keys().filter(|_| !args.sampled) {
        Some(keys) => Clip::Keys(keys),
        None => Clip::Frames(Arc::clone(motion.raw())),
    });
    let clips: Vec<Clip> = clips.collect();
    let clips = clips.iter().map(|clip| match clip {
        Clip::Keys(keys) => GlbMotion::Keys(keys),
        Clip::Frames(clip) => GlbMotion::Frames(clip),
    });
    let from = first.path.file_name().unwrap_or_default().to_string_lossy();
    export::glb(GlbSource {
        skeleton,
        model: body.as_deref(),
        clips: &clips.collect::<Vec<_>>(),
        source: &from,
    })
}

fn unscaled(unit: LengthUnit) -> LengthScale {
    LengthScale {
        unit,
        assumed: false,
        divisor: 1.0,
    }
}

/// A BVH file keeps its unit; others become centimetres, which is what most
/// programs take BVH for.
fn bvh_length(item: &ExportItem) -> LengthScale {
    let imported = &item.skeleton.imported;
    if Kind::of_name(&item.skeleton.path) == Some(Kind::Bvh) {
        return imported.length;
    }
    let height_m = f64::from(Stature::of(&imported.skeleton).height_m);
    if !unscaled(LengthUnit::Metre).makes_human(height_m) {
        report(
            item,
            "written in centimetres; no person's height gives that away, so read it with --file-unit cm",
        );
    }
    unscaled(LengthUnit::Centimetre)
}
