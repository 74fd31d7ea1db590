//! `render --bake`: the cloth as a mesh that other programs play, instead of
//! pictures of it. No GPU is asked for.

use super::{Failure, RenderArgs, show::Show};
use crate::{
    cli::folder::make_folder,
    export::{BakedFrame, BakedMesh, baked_glb, baked_obj},
    output::Staged,
};

/// Each frame costs a morph target: what programs still load.
const MOST_FRAMES: usize = 3000;

/// Runs the scene through its moments and writes the sheet of each.
pub(super) fn bake(args: &RenderArgs, mut show: Show, staged: &mut Staged) -> Result<(), Failure> {
    show.aim(args, args.size)?;
    let moments = show.moments();
    if moments.len() > MOST_FRAMES {
        return Err(Failure::Usage(format!(
            "{} frames of cloth are too many for one file, which holds {MOST_FRAMES}: give a range \
             with --frames, or a lower --fps",
            moments.len()
        )));
    }
    let mut mesh = BakedMesh::default();
    let mut numbers = Vec::with_capacity(moments.len());
    for moment in moments {
        show.go_to(moment, args);
        let Some(drape) = show.scene.cloth.cloth() else {
            return Err(Failure::Usage("no cloth to bake".into()));
        };
        let cloth = drape.cloth();
        if mesh.frames.is_empty() {
            mesh.name = drape.setup().preset.name().to_owned();
            mesh.colour = drape.colour();
            mesh.triangles = cloth.sheet().triangles();
        }
        mesh.frames.push(BakedFrame {
            time_secs: moment.secs,
            positions: cloth.positions().collect(),
            normals: (0..cloth.len())
                .map(|vertex| cloth.normal(vertex))
                .collect(),
        });
        numbers.push(moment.frame);
    }
    if args.extension().is_some() {
        let source = args.files.first().and_then(|path| path.file_name());
        let source = source.unwrap_or_default().to_string_lossy();
        make_folder(&args.output)?;
        return Ok(staged.add(&args.output, &baked_glb(&[mesh], &source))?);
    }
    let meshes = [mesh];
    for (index, number) in numbers.into_iter().enumerate() {
        let path = args.output.join(format!("{number:06}.obj"));
        make_folder(&path)?;
        staged.add(&path, baked_obj(&meshes, index).as_bytes())?;
    }
    Ok(())
}
