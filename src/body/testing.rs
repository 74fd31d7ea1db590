//! The performer, for tests.

use crate::{
    clip::RawClip,
    import::{self, builtin},
    mocap::asf,
    skeleton::Skeleton,
};

/// The performer and its clips by name.
pub(crate) fn performer() -> (Skeleton, Vec<(&'static str, RawClip)>) {
    let file = builtin::SKELETON_FILE;
    let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes()).unwrap();
    let skeleton = import::skeleton(file, "performer", &document, Default::default()).unwrap();
    let clip = |&(name, text): &(&'static str, &str)| {
        let bytes = text.as_bytes();
        let motion = import::motion(name, name, bytes, &skeleton, Default::default()).unwrap();
        (name, motion.clip)
    };
    let clips = builtin::CLIPS.iter().map(clip).collect();
    (skeleton.skeleton, clips)
}
