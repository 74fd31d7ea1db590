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
pub(super) fn found_note(up: UpAxis) -> Note {
    Note::warning(format!(
        "{up} is up, as whoever stands in it shows; --up y or the Clip panel say otherwise"
    ))
}

/// The axis along which people stand in what was read as if Y were up; Y
/// where nobody stands.
#[must_use]
pub(super) fn find(skeleton: &Skeleton, clip: Option<&RawClip>) -> UpAxis {
    let human = Human::by_names(skeleton);
    let Some(stature) = Stature::of(skeleton, &human) else {
        return UpAxis::Y;
    };
    let rest = stature.axis(&skeleton.rest_model(), UNFOLDED);
    let Some(clip) = clip.filter(|clip| clip.frames() > 1) else {
        return rest.unwrap_or_default();
    };
    let seen = Seen::of(&stature, skeleton, clip);
    let most = seen.most();
    let stands = seen.share(most) >= STANDING_SHARE && seen.share(UpAxis::Y) < FALLEN_SHARE;
    match rest {
        // Whoever lies along an axis does so on the spot; whoever walks on a wall
        // walks on a floor.
        Some(UpAxis::Y) if stands && seen.travels_below(most, &stature) => most,
        Some(UpAxis::Y) => UpAxis::Y,
        Some(rest) if rest == most => rest,
        Some(_) | None if stands => most,
        Some(_) | None => UpAxis::Y,
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
/// or a rest pose is folded up and says nothing;
const UNFOLDED: f32 = 0.6;
/// in a motion whoever crouches has the head above the feet all the same.
const CROUCHED: f32 = 0.25;
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

    /// From the feet to the top, where they are so far apart.
    fn direction(&self, model: &ModelPose, apart: f32) -> Option<Vec3A> {
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        let middle = |[left, right]: [JointIndex; 2]| 0.5 * (at(left) + at(right));
        let way = middle(self.top) - middle(self.feet);
        (way.length() > apart * self.bones_m).then(|| way.normalize_or_zero())
    }

    fn axis(&self, model: &ModelPose, apart: f32) -> Option<UpAxis> {
        let way = self.direction(model, apart)?;
        let along = |axis: &UpAxis| way.dot(axis.direction().into()) > UPRIGHT;
        UpAxis::ALL.into_iter().find(along)
    }
}

/// What a motion shows.
#[derive(Default)]
struct Seen {
    /// Frames in which the body stands along each axis of [`UpAxis::ALL`].
    along: [u32; UpAxis::ALL.len()],
    /// How far the hips go along each axis, metres.
    way_m: Vec3A,
}

impl Seen {
    fn of(stature: &Stature, skeleton: &Skeleton, clip: &RawClip) -> Self {
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let mut cursor = ClipCursor::default();
        let (mut along, mut low, mut high) = ([0; UpAxis::ALL.len()], Vec3A::MAX, Vec3A::MIN);
        for look in 0..LOOKED_AT {
            let secs = clip.duration_secs() * look as f64 / (LOOKED_AT - 1) as f64;
            clip.sample(skeleton, secs, &mut cursor, &mut local);
            model.compute(skeleton, &local);
            let axis = stature.axis(&model, CROUCHED);
            for (count, seen) in along.iter_mut().zip(UpAxis::ALL) {
                *count += u32::from(axis == Some(seen));
            }
            let hips = model.joints()[usize::from(stature.hips)].translation;
            (low, high) = (low.min(hips), high.max(hips));
        }
        let way_m = high - low;
        Self { along, way_m }
    }

    /// Of the frames, in which the body stands along an axis.
    fn share(&self, axis: UpAxis) -> f64 {
        let counts = self.along.iter().zip(UpAxis::ALL);
        let own = counts.filter(|(_, it)| *it == axis);
        own.map(|(count, _)| f64::from(*count)).sum::<f64>() / LOOKED_AT as f64
    }

    /// Along which it stands most; of equals the usual one.
    fn most(&self) -> UpAxis {
        let ranked = UpAxis::ALL.into_iter().rev();
        let most = ranked.max_by(|a, b| self.share(*a).total_cmp(&self.share(*b)));
        most.unwrap_or_default()
    }

    /// Over what would be the floor if that axis were up, and not up and down:
    /// hips keep their height. Some files lay a walker flat and leave his way on
    /// the floor.
    fn travels_below(&self, up: UpAxis, stature: &Stature) -> bool {
        let up = Vec3A::from(up.direction()).abs();
        let (height_m, floor_m) = (self.way_m * up, self.way_m * (Vec3A::ONE - up));
        let far_m = TRAVELS * stature.bones_m;
        floor_m.length() > far_m && height_m.length() < far_m
    }
}
