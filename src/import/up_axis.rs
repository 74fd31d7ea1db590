//! Which axis of a file points up.
//!
//! BVH and ASF do not say. People stand: where the way from feet to head lies
//! along Z in a motion, or in a rest pose that stands, the file has Z up. Who
//! stands is told by names or by shape. Creatures go on a floor.

use glam::Vec3A;

use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    humanoid::{Human, Limb, Role, Side, carrier},
    math::Transform,
    mocap::Note,
    skeleton::{JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton},
    units::UpAxis,
};

/// What is said where it is not the usual one.
pub(super) fn found_note(up: UpAxis) -> Note {
    Note::warning(format!(
        "{up} is up, as whoever stands in it shows; --up y or the Clip panel say otherwise"
    ))
}

/// What is up in what was read as if Y were.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub up: UpAxis,
    /// Somebody whom neither names nor the rest pose as it was read show.
    pub person: Option<Human>,
}

/// The axis along which people stand; where there are none, that above the
/// floor on which a creature goes. Y where nothing tells.
#[must_use]
pub(super) fn find(skeleton: &Skeleton, clip: Option<&RawClip>) -> Found {
    let clip = clip.filter(|clip| clip.frames() > 1);
    let named = Human::by_names(skeleton);
    if let Some(stature) = Stature::of(skeleton, &named) {
        let up = of_person(&stature, skeleton, clip);
        return Found { up, person: None };
    }
    let shaped = by_shape(skeleton, clip);
    match shaped.and_then(|person| Some((Stature::of(skeleton, &person)?, person))) {
        Some((stature, person)) => {
            let up = of_person(&stature, skeleton, clip);
            // Read again with another axis up it may not show him either.
            let hidden = up != UpAxis::Y || Human::find(skeleton) != person;
            let person = hidden.then_some(person);
            Found { up, person }
        }
        None => Found {
            up: clip.map_or(UpAxis::Y, |clip| above_the_floor(skeleton, clip)),
            person: None,
        },
    }
}

fn of_person(stature: &Stature, skeleton: &Skeleton, clip: Option<&RawClip>) -> UpAxis {
    let rest = stature.axis(&skeleton.rest_model(), UNFOLDED);
    let Some(clip) = clip else {
        return rest.unwrap_or_default();
    };
    let seen = Seen::of(stature, skeleton, clip);
    let most = seen.most();
    let stands = seen.share(most) >= STANDING_SHARE && seen.share(UpAxis::Y) < FALLEN_SHARE;
    match rest {
        // Whoever lies along an axis does so on the spot; whoever walks on a wall
        // walks on a floor.
        Some(UpAxis::Y) if stands && seen.travels_below(most, stature) => most,
        Some(UpAxis::Y) => UpAxis::Y,
        Some(rest) if rest == most => rest,
        Some(_) | None if stands => most,
        Some(_) | None => UpAxis::Y,
    }
}

/// A person without names, in the rest pose or a pose of the motion, put upright
/// in each way in turn.
fn by_shape(skeleton: &Skeleton, clip: Option<&RawClip>) -> Option<Human> {
    if skeleton.len() > MOST_JOINTS {
        return None;
    }
    let mut poses = vec![skeleton.rest_model()];
    if let Some(clip) = clip {
        each_pose(skeleton, clip, TRIED_POSES, |pose| poses.push(pose.clone()));
    }
    let put = |pose: &ModelPose, up: UpAxis| {
        let upright = turned(&skeleton.at_rest_in(pose)?, up)?;
        let person = Human::find(&upright);
        let stature = Stature::of(skeleton, &person)?;
        let stands = stature.axis(&upright.rest_model(), CROUCHED) == Some(UpAxis::Y);
        let whole = person.is_most_of(skeleton) && stature.has_longer_legs(skeleton, &person);
        (stands && whole).then_some(person)
    };
    let ways = |pose| UpAxis::ALL.into_iter().find_map(|up| put(pose, up));
    poses.iter().find_map(ways)
}

/// The skeleton at rest with an axis of its own up.
fn turned(skeleton: &Skeleton, up: UpAxis) -> Option<Skeleton> {
    let turn = Transform::from_rotation(up.y_up_from_file().as_quat());
    let mut joints = skeleton.joints().to_vec();
    for root in joints.iter_mut().filter(|it| it.parent == NO_PARENT) {
        root.rest = turn * root.rest;
    }
    Skeleton::new(skeleton.name(), joints).ok()
}

/// Poses spread over a clip.
fn each_pose(skeleton: &Skeleton, clip: &RawClip, count: usize, mut see: impl FnMut(&ModelPose)) {
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    let mut cursor = ClipCursor::default();
    for look in 0..count {
        let secs = clip.duration_secs() * look as f64 / (count - 1).max(1) as f64;
        clip.sample(skeleton, secs, &mut cursor, &mut local);
        model.compute(skeleton, &local);
        see(&model);
    }
}

/// Where no person is: the axis that the rest pose's upright is turned to
/// throughout, if the creature goes on a floor below it and on none below Y.
fn above_the_floor(skeleton: &Skeleton, clip: &RawClip) -> UpAxis {
    let (rest, carrier) = (skeleton.rest_model(), usize::from(carrier(skeleton)));
    let mut upright = Vec3A::ZERO;
    let mut floor = [(f32::MAX, f32::MIN); UpAxis::ALL.len()];
    each_pose(skeleton, clip, LOOKED_AT, |pose| {
        let turn = pose.joints()[carrier].rotation * rest.joints()[carrier].rotation.conjugate();
        upright += turn * Vec3A::Y / LOOKED_AT as f32;
        for ((low, high), up) in floor.iter_mut().zip(UpAxis::ALL) {
            let height = |joint: &Transform| joint.translation.dot(up.direction().into());
            let lowest = pose.joints().iter().map(height).fold(f32::MAX, f32::min);
            (*low, *high) = (low.min(lowest), high.max(lowest));
        }
    });
    let at = |joint: &Transform| joint.translation;
    let far_m = rest
        .joints()
        .iter()
        .map(|it| at(it).distance(at(&rest.joints()[0])));
    let far_m = far_m.fold(1e-6, f32::max);
    let uneven = floor.map(|(low, high)| (high - low) / far_m);
    let mut axes = UpAxis::ALL.into_iter().zip(uneven);
    let goes_below = |(up, uneven_there): &(UpAxis, f32)| {
        upright.dot(up.direction().into()) > UPRIGHT && *uneven_there < EVEN
    };
    let found = axes.find(goes_below).map(|(up, _)| up);
    found.filter(|_| uneven[0] > UNEVEN).unwrap_or_default()
}

/// No person has more joints.
const MOST_JOINTS: usize = 512;
/// Poses of a motion in which somebody without names is looked for.
const TRIED_POSES: usize = 6;
/// The lowest point of a creature rises and falls by no more than this share of
/// its size where it goes on a floor,
const EVEN: f32 = 0.15;
/// and by that at least where what it goes along is none.
const UNEVEN: f32 = 0.3;

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

    /// A person upside down has limbs in the same places; legs are longer than arms.
    fn has_longer_legs(&self, skeleton: &Skeleton, human: &Human) -> bool {
        let long_m = |limb| -> f32 {
            let first = |side: Side| human.first(side.role(limb));
            let below = |joint: JointIndex| skeleton.children(joint).next();
            let bone = |joint: JointIndex| {
                let offset = |it: JointIndex| skeleton.joints()[usize::from(it)].rest.translation;
                below(joint).map_or(0.0, |child| offset(child).length())
            };
            Side::BOTH.into_iter().filter_map(first).map(bone).sum()
        };
        let arms_m = long_m(Limb::UpperArm) + long_m(Limb::Forearm);
        // Whoever lies with an arm up seems to have no arms, and that for a head.
        arms_m > 0.0 && long_m(Limb::Thigh) + long_m(Limb::Shin) > arms_m
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
        let (mut along, mut low, mut high) = ([0; UpAxis::ALL.len()], Vec3A::MAX, Vec3A::MIN);
        each_pose(skeleton, clip, LOOKED_AT, |model| {
            let axis = stature.axis(model, CROUCHED);
            for (count, seen) in along.iter_mut().zip(UpAxis::ALL) {
                *count += u32::from(axis == Some(seen));
            }
            let hips = model.joints()[usize::from(stature.hips)].translation;
            (low, high) = (low.min(hips), high.max(hips));
        });
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
