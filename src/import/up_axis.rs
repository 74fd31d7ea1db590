//! Which axis of a file points up.
//!
//! BVH and ASF do not say. People stand: where the way from feet to head lies
//! along Z in a motion, or in a rest pose that stands, the file has Z up.

use glam::Vec3A;

use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    humanoid::{Human, Limb, Role, Side},
    mocap::Note,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
    units::UpAxis,
};

/// What is said where it is not the usual one.
pub(super) fn found_note() -> Note {
    Note::warning("Z is up, as whoever stands in it shows; --up y or the Clip panel say otherwise")
}

/// The axis along which people stand in what was read as if Y were up; Y
/// where nobody stands.
#[must_use]
pub(super) fn find(skeleton: &Skeleton, clip: Option<&RawClip>) -> UpAxis {
    let human = Human::by_names(skeleton);
    let Some(stature) = Stature::of(skeleton, &human) else {
        return UpAxis::Y;
    };
    let rest = stature.axis(&skeleton.rest_model());
    let Some(clip) = clip.filter(|clip| clip.frames() > 1) else {
        return rest.unwrap_or_default();
    };
    let seen = Seen::of(&stature, skeleton, clip);
    let stands_along_z = seen.along_z >= STANDING_SHARE && seen.along_y < FALLEN_SHARE;
    match rest {
        // Whoever lies along Z does so on the spot; whoever walks on a wall
        // walks on a floor.
        Some(UpAxis::Y) if stands_along_z && seen.travels => UpAxis::Z,
        Some(UpAxis::Y) => UpAxis::Y,
        Some(UpAxis::Z) if seen.along_y < seen.along_z => UpAxis::Z,
        Some(UpAxis::Z) => UpAxis::Y,
        None if stands_along_z => UpAxis::Z,
        None => UpAxis::Y,
    }
}

/// Of the frames, people stand in that many at least,
const STANDING_SHARE: f64 = 0.6;
/// and seem to lie in no more than that many.
const FALLEN_SHARE: f64 = 0.1;
/// Frames that are looked at.
const LOOKED_AT: usize = 32;
/// Cosine of how far a standing body leans.
const UPRIGHT: f32 = 0.85;
/// Feet and head are further apart than this share of the bones between them,
/// or the body is folded up and says nothing.
const UNFOLDED: f32 = 0.6;
/// Hips that go further than this share of the body travel.
const TRAVELS: f32 = 0.5;

/// Where feet, hips and the top are, and how far apart bones allow.
struct Stature {
    feet: [JointIndex; 2],
    hips: JointIndex,
    /// The head, or both shoulders where it has no name.
    top: [JointIndex; 2],
    bones_m: f32,
}

impl Stature {
    fn of(skeleton: &Skeleton, human: &Human) -> Option<Self> {
        let foot = |side: Side| {
            let end = |limb| human.first(side.role(limb));
            end(Limb::Foot).or_else(|| end(Limb::Shin))
        };
        let (feet, hips) = (
            [foot(Side::Left)?, foot(Side::Right)?],
            human.first(Role::Hips)?,
        );
        let head = human.first(Role::Head).map(|head| [head; 2]);
        let shoulder = |side: Side| human.first(side.role(Limb::UpperArm));
        let shoulders = || Some([shoulder(Side::Left)?, shoulder(Side::Right)?]);
        let top = head.or_else(shoulders)?;
        // From the hips on: what is above them may be anywhere.
        let way_m = |joint: JointIndex| -> f32 {
            let chain = [joint].into_iter().chain(skeleton.ancestors(joint));
            let chain = chain.take_while(|&it| it != hips);
            let bone = |it: JointIndex| skeleton.joints()[usize::from(it)].rest.translation;
            chain.map(|it| bone(it).length()).sum()
        };
        let bones_m = 0.5 * (way_m(top[0]) + way_m(top[1]) + way_m(feet[0]) + way_m(feet[1]));
        Some(Self {
            feet,
            hips,
            top,
            bones_m,
        })
    }

    /// From the feet to the top, where the body is not folded up.
    fn direction(&self, model: &ModelPose) -> Option<Vec3A> {
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        let middle = |[left, right]: [JointIndex; 2]| 0.5 * (at(left) + at(right));
        let way = middle(self.top) - middle(self.feet);
        (way.length() > UNFOLDED * self.bones_m).then(|| way.normalize_or_zero())
    }

    fn axis(&self, model: &ModelPose) -> Option<UpAxis> {
        let way = self.direction(model)?;
        match (way.y > UPRIGHT, way.z > UPRIGHT) {
            (true, _) => Some(UpAxis::Y),
            (_, true) => Some(UpAxis::Z),
            _ => None,
        }
    }
}

/// What a motion shows.
#[derive(Default)]
struct Seen {
    /// Shares of frames in which the body stands along each axis.
    along_y: f64,
    along_z: f64,
    /// Over what would be the floor if Z were up, and not up and down.
    travels: bool,
}

impl Seen {
    fn of(stature: &Stature, skeleton: &Skeleton, clip: &RawClip) -> Self {
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let mut cursor = ClipCursor::default();
        let (mut axes, mut low, mut high) = ([0, 0], Vec3A::MAX, Vec3A::MIN);
        for look in 0..LOOKED_AT {
            let secs = clip.duration_secs() * look as f64 / (LOOKED_AT - 1) as f64;
            clip.sample(skeleton, secs, &mut cursor, &mut local);
            model.compute(skeleton, &local);
            match stature.axis(&model) {
                Some(UpAxis::Y) => axes[0] += 1,
                Some(UpAxis::Z) => axes[1] += 1,
                None => {}
            }
            let hips = model.joints()[usize::from(stature.hips)].translation;
            (low, high) = (low.min(hips), high.max(hips));
        }
        let [along_y, along_z] = axes.map(|count| f64::from(count) / LOOKED_AT as f64);
        let way = high - low;
        Self {
            along_y,
            along_z,
            // Hips keep their height: some files lay a walker flat and leave his
            // way on the floor.
            travels: way.x.hypot(way.y) > TRAVELS * stature.bones_m
                && way.z < TRAVELS * stature.bones_m,
        }
    }
}
