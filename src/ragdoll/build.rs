//! From a skeleton, its body and a moment of its motion to bodies, joints and
//! ground.

use glam::{Quat, Vec3A};
use rapier3d::{
    parry::{query, shape::HeightFieldFlags, utils::Array2},
    prelude::{
        ActiveHooks, CoefficientCombineRule, ColliderBuilder, GenericJoint, GenericJointBuilder,
        JointAxesMask, JointAxis, PairFilterContext, PhysicsHooks, PhysicsWorld, Pose,
        RigidBodyBuilder, RigidBodyHandle, SharedShape, SolverFlags, SpringCoefficients, Vector,
    },
};

use super::{
    GRAVITY, Link, MOST_BONES, MOST_SPEED, MOST_TURN, Ragdoll, RagdollError, TICK_SECS, Thing,
    border,
    limits::{EARLY_RAD, Hinge, JointPoses, PairOfBones, Range},
    masses::masses_kg,
    segments::Segments,
    solids::{axis, solids},
};
use crate::{
    body::{Body, growth_pose},
    collide::{PlacedField, Shape, Terrain},
    humanoid::Human,
    math::{Transform, quat},
    skeleton::{JointIndex, ModelPose, Skeleton, WorldPose},
};

/// Heights that solids and ground are made for, metres.
const HEIGHTS_M: std::ops::RangeInclusive<f32> = 0.05..=50.0;
/// Of skin and cloth on a floor.
pub(super) const FRICTION: f32 = 0.8;
/// Share of their speed that things lose a second: nothing rolls for ever.
const ROLLING_PER_SEC: f32 = 0.7;
/// Segments nearer at the start do not meet: they would be thrown apart.
const APART_M: f32 = 0.01;
/// Steps of the solver in a tick: in one alone thin limbs at high speed gain energy and
/// pass their limits.
pub(super) const SUBSTEPS: usize = 2;
/// Passes over contacts and limits in each.
const PASSES: usize = 4;
/// Solids that begin in the ground come out no faster, metres a second: faster, and
/// they would lift the body.
const OUT_OF_GROUND: f32 = 0.5;

/// A moment of a motion.
pub struct RagdollStart<'a> {
    /// Whose.
    pub skeleton: &'a Skeleton,
    /// Its skin.
    pub body: &'a Body,
    /// Where it is.
    pub now: &'a WorldPose,
    /// Where it was.
    pub before: &'a WorldPose,
    /// Between the two; 0 of what stands.
    pub dt_secs: f64,
    /// Falls with all that hangs on it; `None` lets the whole body fall.
    pub limp: Option<JointIndex>,
    /// What it falls on; level ground at height 0 where left out.
    pub ground: Option<&'a Terrain>,
    /// What lies about.
    pub things: &'a [Thing],
}

/// Which segments meet each other.
#[derive(Clone, Debug)]
pub(super) struct ContactFilter {
    count: usize,
    meets: Vec<bool>,
}

impl PhysicsHooks for ContactFilter {
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        // What is not a segment is the ground, which meets all.
        let of = |handle| {
            let collider = context.colliders.get(handle)?;
            usize::try_from(collider.user_data)
                .ok()
                .filter(|it| *it < self.count)
        };
        let apart = match (of(context.collider1), of(context.collider2)) {
            (Some(a), Some(b)) => !self.meets[a * self.count + b],
            _ => false,
        };
        (!apart).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}

/// Of a joint, as a share of the body's mass times the square of its height: about
/// that of a hand.
const LEAST_INERTIA: f32 = 1e-5;

/// What is known of every segment before there are bodies.
struct Plan {
    segments: Segments,
    solids: Vec<Shape>,
    /// Segment from joint.
    within: Vec<Transform>,
    axes: Vec<Vec3A>,
    neutral: ModelPose,
    frame: Quat,
    limp: Vec<bool>,
    height_m: f32,
}

impl Ragdoll {
    /// Whether a skeleton is of a size that falls.
    pub fn check(skeleton: &Skeleton) -> Result<(), RagdollError> {
        let height_m = skeleton
            .rest_height_m()
            .max(reach_m(&skeleton.rest_model()));
        if !HEIGHTS_M.contains(&height_m) {
            return Err(RagdollError::Size(height_m));
        }
        check_bones(skeleton, &Segments::of(skeleton, &Human::find(skeleton)))
    }

    /// Lets a body fall from a moment of its motion.
    pub fn new(start: &RagdollStart<'_>) -> Result<Self, RagdollError> {
        let plan = Plan::of(start)?;
        let ground = start.ground.cloned().unwrap_or_default();
        let mut world = empty_world(plan.height_m, &ground);
        let things = start.things.iter();
        let things = things.map(|it| (it.id, insert_thing(it, &mut world)));
        let things = things.collect();
        let links = plan.links(start, &mut world);
        let joints = start.now.joints();
        let clip: Vec<Transform> = plan
            .segments
            .list
            .iter()
            .map(|it| joints[it.joint])
            .collect();
        let filter = plan.filter(&world, &links);
        let followed = vec![Vec3A::ZERO; links.len()];
        let follows_at = vec![None; links.len()];
        let mut ragdoll = Self {
            whole: plan.limp[0],
            height_m: plan.height_m,
            segments: plan.segments,
            links,
            within: plan.within,
            world,
            filter,
            pushes: Vec::new(),
            strength: 0.0,
            clip: [clip.clone(), clip],
            due_secs: 0.0,
            still_secs: 0.0,
            calm_secs: 0.0,
            had_j: f32::INFINITY,
            fallen: false,
            fallen_secs: 0.0,
            energy_j_kg: 0.0,
            grip: FRICTION,
            ground,
            things,
            followed,
            follows_at,
        };
        ragdoll.set_armature();
        ragdoll.set_damping();
        ragdoll.set_velocities(start);
        Ok(ragdoll)
    }

    /// Hands and feet hardly resist a turn: the least that one needs for a sound step.
    fn set_armature(&mut self) {
        let least = self.least_inertia();
        let joints: Vec<_> = { self.links.iter().zip(&self.segments.list) }
            .filter_map(|(link, segment)| segment.above.and(link.place))
            .collect();
        for (multibody, id) in joints {
            if let Some(multibody) = self.world.multibody_joints.get_multibody_mut(multibody)
                && let Some((at, count)) =
                    { multibody.link(id) }.map(|link| (link.assembly_id(), link.joint().ndofs()))
            {
                multibody.armature_mut().rows_mut(at, count).fill(least);
            }
        }
    }

    /// Of a joint, kg m².
    pub(super) fn least_inertia(&self) -> f32 {
        LEAST_INERTIA * self.mass_kg() * self.height_m.powi(2)
    }

    /// Velocities by the difference of two poses.
    fn set_velocities(&mut self, start: &RagdollStart<'_>) {
        if start.dt_secs <= 0.0 || start.before.joints().len() != start.now.joints().len() {
            return;
        }
        let per_sec = (1.0 / start.dt_secs) as f32;
        let (now, before) = (start.now.joints(), start.before.joints());
        let spin = |joint: usize| {
            let turn = quat::log(now[joint].rotation * before[joint].rotation.conjugate());
            Vec3A::from(turn * per_sec).clamp_length_max(MOST_TURN)
        };
        for index in 0..self.links.len() {
            let Some((multibody, link)) = self.links[index].place else {
                continue;
            };
            let joint = self.segments.list[index].joint;
            let above = self.segments.list[index].above;
            let parent_spin = above.map(|above| spin(self.segments.list[above].joint));
            let own_spin = spin(joint);
            let origin = self.links[index].origin;
            let velocity = (now[joint].transform_point(origin)
                - before[joint].transform_point(origin))
                * per_sec;
            let velocity = velocity.clamp_length_max(MOST_SPEED);
            let frame = self.joint_frame(index);
            let Some(multibody) = self.world.multibody_joints.get_multibody_mut(multibody) else {
                continue;
            };
            let Some(at) = multibody.link(link).map(|link| link.assembly_id()) else {
                continue;
            };
            let mut speeds = multibody.generalized_velocity_mut();
            match (parent_spin, &self.links[index].range) {
                (None, _) => {
                    for (axis, speed) in velocity.to_array().into_iter().enumerate() {
                        speeds[at + axis] = speed;
                    }
                    for (axis, speed) in own_spin.to_array().into_iter().enumerate() {
                        speeds[at + 3 + axis] = speed;
                    }
                }
                (Some(parent_spin), range) => {
                    let own = frame.conjugate() * (own_spin - parent_spin);
                    let count = if matches!(range, Some(Range::Hinge(_))) {
                        1
                    } else {
                        3
                    };
                    for (axis, speed) in own.to_array().into_iter().take(count).enumerate() {
                        speeds[at + axis] = speed;
                    }
                }
            }
        }
    }
}

fn empty_world(height_m: f32, ground: &Terrain) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, -GRAVITY, 0.0);
    let parameters = &mut world.integration_parameters;
    parameters.dt = TICK_SECS as f32;
    // Lengths below which nothing matters are those of a human at human size.
    parameters.length_unit = (height_m / 1.75).clamp(0.05, 10.0);
    parameters.num_solver_iterations = SUBSTEPS;
    parameters.num_internal_pgs_iterations = PASSES;
    parameters.normalized_max_corrective_velocity = OUT_OF_GROUND;
    parameters.normalized_allowed_linear_error = 0.002;
    parameters.max_ccd_substeps = 0;
    let solids = ground.solids.iter().map(border::shape);
    let field = ground.field.iter().filter_map(field_shape);
    for (place, shape) in solids.chain(field) {
        // Its user data is no segment's.
        let solid = ColliderBuilder::new(shape)
            .position(place)
            .user_data(u128::MAX)
            .friction(FRICTION);
        world.insert(RigidBodyBuilder::fixed(), solid);
    }
    world
}

fn insert_thing(thing: &Thing, world: &mut PhysicsWorld) -> RigidBodyHandle {
    let body = RigidBodyBuilder::dynamic()
        .pose(border::pose(thing.place))
        .linear_damping(ROLLING_PER_SEC)
        .angular_damping(ROLLING_PER_SEC);
    let (place, shape) = border::shape(&thing.solid);
    // Its user data is no segment's, nor the ground's.
    let collider = ColliderBuilder::new(shape)
        .position(place)
        .mass(thing.mass_kg)
        .friction(FRICTION)
        .user_data(u128::MAX - 1);
    world.insert(body, collider).0
}

/// The engine's heights lie between -½ and ½ of its scale, column by column.
fn field_shape(placed: &PlacedField) -> Option<(Pose, SharedShape)> {
    let field = &placed.field;
    let [columns, rows] = field.size;
    if !field.is_surface() {
        return None;
    }
    let along_x =
        (0..columns).flat_map(|x| (0..rows).map(move |z| field.heights_m[z * columns + x]));
    let heights = Array2::new(rows, columns, along_x.collect());
    let extent = |count: usize| (count - 1) as f32 * field.step_m;
    let scale = Vector::new(extent(columns), 1.0, extent(rows));
    let shape =
        SharedShape::heightfield_with_flags(heights, scale, HeightFieldFlags::FIX_INTERNAL_EDGES);
    Some((border::pose(placed.world_from_field), shape))
}

impl Plan {
    fn of(start: &RagdollStart<'_>) -> Result<Self, RagdollError> {
        let skeleton = start.skeleton;
        let height_m = skeleton.rest_height_m();
        if !start.now.joints().iter().all(|joint| joint.is_finite()) {
            return Err(RagdollError::NotFinite);
        }
        let human = Human::find(skeleton);
        let segments = Segments::of(skeleton, &human);
        check_bones(skeleton, &segments)?;
        let is_human = segments.list.iter().any(|it| it.part.is_some());
        let neutral = match is_human {
            true => growth_pose(skeleton, &[]).rest_model(),
            false => skeleton.rest_model(),
        };
        // Of a rest pose that lies the height says little.
        let height_m = match is_human {
            true => height_of(skeleton, &neutral).max(height_m),
            false => height_m.max(reach_m(&neutral)),
        };
        if !HEIGHTS_M.contains(&height_m) {
            return Err(RagdollError::Size(height_m));
        }
        let rest = skeleton.rest_model();
        let count = segments.list.len();
        let joints = start.now.joints();
        let top = |joint: usize| segments.list[segments.of_joint[joint]].joint;
        let within: Vec<Transform> = (0..joints.len())
            .map(|joint| joints[top(joint)].inverse() * joints[joint])
            .collect();
        Ok(Self {
            solids: solids(
                (skeleton, &neutral),
                start.body,
                &segments,
                &within,
                height_m,
            ),
            within,
            axes: (0..count)
                .map(|index| axis(skeleton, &segments, index, &rest).into())
                .collect(),
            frame: human.frame(&neutral).unwrap_or(Quat::IDENTITY),
            neutral,
            limp: limp_segments(&segments, start.limp),
            segments,
            height_m,
        })
    }

    fn links(&self, start: &RagdollStart<'_>, world: &mut PhysicsWorld) -> Vec<Link> {
        let shapes: Vec<_> = self.solids.iter().map(border::shape).collect();
        let volumes: Vec<f32> = shapes
            .iter()
            .map(|it| it.1.mass_properties(1.0).mass())
            .collect();
        let masses = masses_kg(&self.segments, self.height_m, &volumes);
        let mut links: Vec<Link> = Vec::new();
        for (index, segment) in self.segments.list.iter().enumerate() {
            let (joint_from_solid, shape) = &shapes[index];
            // The engine takes the first body's mass to be at its origin.
            let origin = match segment.above {
                None => border::vec3a(joint_from_solid.translation),
                Some(_) => Vec3A::ZERO,
            };
            let joint = start.now.joints()[segment.joint];
            let place = Transform::new(joint.rotation, joint.transform_point(origin));
            let builder = match self.limp[index] {
                true => RigidBodyBuilder::dynamic(),
                false => RigidBodyBuilder::kinematic_position_based(),
            };
            let body = builder.pose(border::pose(place)).can_sleep(false);
            let mut in_body = *joint_from_solid;
            in_body.translation -= border::vector(origin);
            let collider = ColliderBuilder::new(shape.clone())
                .position(in_body)
                .mass(masses[index])
                .friction(FRICTION)
                .friction_combine_rule(CoefficientCombineRule::Min)
                .active_hooks(ActiveHooks::FILTER_CONTACT_PAIRS)
                .user_data(index as u128);
            let (body, _) = world.insert(body, collider);
            let range = segment.above.map(|_| self.range(index, start));
            let above = segment.above.map(|it| self.rotation(start, it));
            let own = self.rotation(start, index);
            let relative = above.map_or(own, |above| above.conjugate() * own);
            let link = Link {
                body,
                place: None,
                origin,
                range,
                start: relative,
                solid: self.solids[index],
                mass_kg: masses[index],
                reach_m: shapes[index].1.compute_local_bounding_sphere().radius(),
                limp: self.limp[index],
            };
            if let (Some(above), true) = (segment.above, link.limp) {
                self.join(&links[above], &link, index, start, world);
            }
            links.push(link);
        }
        for link in links.iter_mut().filter(|link| link.limp) {
            let id = world.multibody_joints.rigid_body_link(link.body);
            link.place = id.map(|id| (id.multibody, id.id));
        }
        links
    }

    fn join(
        &self,
        above: &Link,
        link: &Link,
        index: usize,
        start: &RagdollStart<'_>,
        world: &mut PhysicsWorld,
    ) {
        let place = start.now.joints()[self.segments.list[index].joint].translation;
        let above_pose = border::transform(world.bodies[above.body].position());
        let anchor = above_pose.inverse().transform_point(place);
        let joint = match &link.range {
            Some(Range::Hinge(hinge)) => hinge_joint(hinge, anchor, link.start),
            _ => ball_joint(anchor, link.start),
        };
        world.insert_multibody_joint(above.body, link.body, joint);
    }

    fn rotation(&self, start: &RagdollStart<'_>, segment: usize) -> Quat {
        start.now.joints()[self.segments.list[segment].joint].rotation
    }

    fn range(&self, index: usize, start: &RagdollStart<'_>) -> Range {
        let above = self.segments.list[index].above.unwrap_or(0);
        let bones = |rotation: &dyn Fn(usize) -> Quat| PairOfBones {
            above: rotation(above),
            own: rotation(index),
            bone_above: rotation(above) * self.axes[above],
            bone: rotation(index) * self.axes[index],
        };
        let neutral = |it: usize| self.neutral.joints()[self.segments.list[it].joint].rotation;
        let poses = JointPoses {
            neutral: bones(&neutral),
            start: bones(&|it| self.rotation(start, it)),
            body_frame: self.frame,
        };
        match self.segments.list[index].part {
            Some(part) => Range::human(part, &poses),
            None => Range::other(&poses),
        }
    }

    /// Neighbours never meet, nor do those that already touch.
    fn filter(&self, world: &PhysicsWorld, links: &[Link]) -> ContactFilter {
        let count = links.len();
        let mut meets = vec![true; count * count];
        let solid = |index: usize| {
            let handle = world.bodies[links[index].body].colliders().first();
            handle.and_then(|handle| world.colliders.get(*handle))
        };
        for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            let list = &self.segments.list;
            let joined = a == b || list[a].above == Some(b) || list[b].above == Some(a);
            let touch = match (solid(a), solid(b)) {
                (Some(one), Some(other)) => {
                    let (one_pose, other_pose) = (one.position(), other.position());
                    let apart = query::distance(one_pose, one.shape(), other_pose, other.shape());
                    apart.is_ok_and(|apart| apart.distance < APART_M * self.height_m)
                }
                _ => true,
            };
            let both_follow = !links[a].limp && !links[b].limp;
            meets[a * count + b] = !(joined || touch || both_follow);
        }
        ContactFilter { count, meets }
    }
}

fn check_bones(skeleton: &Skeleton, segments: &Segments) -> Result<(), RagdollError> {
    let is_human = segments.list.iter().any(|it| it.part.is_some());
    match is_human || skeleton.len() <= MOST_BONES {
        true => Ok(()),
        false => Err(RagdollError::Bones(skeleton.len())),
    }
}

/// A joint that turns every way; its frame is laid anew before every tick.
fn ball_joint(anchor: Vec3A, start: Quat) -> GenericJoint {
    let mut joint = GenericJointBuilder::new(JointAxesMask::LOCKED_SPHERICAL_AXES)
        .local_anchor1(border::vector(anchor))
        .contacts_enabled(false)
        .softness(SpringCoefficients::joint_defaults())
        .limits(JointAxis::AngX, [-1e6, 1e6])
        .limits(JointAxis::AngY, [-1e6, 1e6])
        .build();
    joint.local_frame1.rotation = border::rotation(start);
    joint
}

/// Bends about the first axis of its frame; 0 at the start.
fn hinge_joint(hinge: &Hinge, anchor: Vec3A, start: Quat) -> GenericJoint {
    let frame = Quat::from_rotation_arc(glam::Vec3::X, hinge.axis.into());
    let mut joint = GenericJointBuilder::new(JointAxesMask::LOCKED_REVOLUTE_AXES)
        .local_anchor1(border::vector(anchor))
        .contacts_enabled(false)
        .softness(SpringCoefficients::joint_defaults())
        .limits(
            JointAxis::AngX,
            [
                hinge.low_rad + EARLY_RAD - hinge.start_rad,
                hinge.high_rad - EARLY_RAD - hinge.start_rad,
            ],
        )
        .build();
    joint.local_frame1.rotation = border::rotation(frame);
    joint.local_frame2.rotation = border::rotation(start.conjugate() * frame);
    joint
}

fn limp_segments(segments: &Segments, limp: Option<JointIndex>) -> Vec<bool> {
    let top = limp.and_then(|joint| segments.of_joint.get(usize::from(joint)));
    match top {
        // What carries the body cannot fall alone.
        None | Some(0) => vec![true; segments.list.len()],
        Some(&top) => segments.below(top),
    }
}

fn height_of(skeleton: &Skeleton, pose: &ModelPose) -> f32 {
    let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint).y);
    let (low, high) = ends.fold((f32::MAX, f32::MIN), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    high - low
}

fn reach_m(pose: &ModelPose) -> f32 {
    let places = pose.joints().iter().map(|joint| joint.translation);
    let (low, high) = places.fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), at| {
        (low.min(at), high.max(at))
    });
    (high - low).max_element()
}
