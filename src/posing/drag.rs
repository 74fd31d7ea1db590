//! Who follows a joint that is pulled: the whole body with its pins, or a chain
//! of joints by a solver of one's choice.

use glam::{Quat, Vec3A};

use super::whole_body::{Effector, WholeBody};
use crate::{
    humanoid::{Human, Limb, Side, carrier},
    math::ik::{self, ChainSolver, Solved},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, SpacePose, rotate_joint},
};

/// Near enough to the target, metres.
const REACHED_M: f32 = 5e-4;

/// How what is pulled takes others along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DragSolver {
    /// All of the body, pins and limits kept. Of creatures that are no human the
    /// chain up to the body, by FABRIK.
    #[default]
    WholeBody,
    /// The limb alone, or as many joints above it as asked; limits are not
    /// looked at.
    Chain {
        /// By which solver.
        solver: ChainSolver,
        /// Joints above the limb that bend too.
        more: usize,
    },
}

impl DragSolver {
    /// By the word of a script.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::all().find(|it| it.word() == word)
    }

    /// All, the limb's alone.
    pub fn all() -> impl Iterator<Item = Self> {
        let chains = ChainSolver::ALL.map(|solver| Self::Chain { solver, more: 0 });
        [Self::WholeBody].into_iter().chain(chains)
    }

    /// The word of a script.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::WholeBody => "body",
            Self::Chain { solver, .. } => match solver {
                ChainSolver::TwoBone => "two_bones",
                ChainSolver::Fabrik => "fabrik",
                ChainSolver::Ccd => "ccd",
                ChainSolver::DampedLeastSquares => "dls",
            },
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WholeBody => "whole body",
            Self::Chain { solver, .. } => solver.name(),
        }
    }

    /// How it works, in a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::WholeBody => {
                "Limb, trunk and hips by damped least squares in small steps; pinned limbs in closed form, limits kept"
            }
            Self::Chain { solver, .. } => solver.says(),
        }
    }
}

/// How a skeleton follows one of its joints.
#[derive(Clone, Debug)]
pub struct Drag {
    joint: JointIndex,
    carrier: JointIndex,
    body: Option<WholeBody>,
    solver: DragSolver,
    /// Ends that stay where the motion has them.
    pins: Vec<JointIndex>,
    /// How the pulled joint is to be turned, model space.
    pub rotation: Option<Quat>,
    /// Joints that bend by a chain's solver, and the pulled one at the end.
    chain: Vec<JointIndex>,
}

impl Drag {
    /// What follows `joint`: the whole body, its feet pinned.
    #[must_use]
    pub fn of(skeleton: &Skeleton, joint: JointIndex) -> Self {
        let (body, carrier) = (WholeBody::of(skeleton), carrier(skeleton));
        let pins = body
            .as_ref()
            .map_or(Vec::new(), |body| body.feet().collect());
        let mut pull = Self {
            joint,
            carrier,
            body,
            solver: DragSolver::WholeBody,
            pins,
            rotation: None,
            chain: Vec::new(),
        };
        pull.solve_by(skeleton, DragSolver::WholeBody);
        pull
    }

    /// The joint that is pulled.
    #[must_use]
    pub fn joint(&self) -> JointIndex {
        self.joint
    }

    /// Ends that stay where the motion has them, from now on.
    pub fn set_pins(&mut self, pins: &[JointIndex]) {
        self.pins = pins.to_vec();
    }

    /// Chooses who follows.
    pub fn solve_by(&mut self, skeleton: &Skeleton, solver: DragSolver) {
        self.solver = solver;
        self.chain = match solver {
            DragSolver::Chain { more, .. } => chain(skeleton, self.joint, more),
            DragSolver::WholeBody => whole_chain(skeleton, self.joint, self.carrier),
        };
    }

    /// The joints that a chain's solver bends, and the pulled one at the end.
    #[must_use]
    pub fn chain(&self) -> &[JointIndex] {
        &self.chain
    }

    /// Brings the joint to a point of the model, or as near as the body lets it.
    /// `model` is the pose in model space, and stays up to date.
    pub fn apply(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let there = target.distance(self.at(model)) < REACHED_M && self.rotation.is_none();
        if !target.is_finite() || there {
            return;
        }
        match (&self.body, self.solver) {
            (Some(body), DragSolver::WholeBody) => {
                let effectors = self.effectors(skeleton, body, target, model);
                body.apply(skeleton, &effectors, pose, model);
            }
            (None, DragSolver::WholeBody) if self.chain.len() < 2 => {
                self.move_all(skeleton, target, pose, model);
            }
            (None, DragSolver::WholeBody) => {
                self.bend_chain(
                    skeleton,
                    (ChainSolver::Fabrik, target),
                    (pose, model),
                    |_| {},
                );
            }
            (_, DragSolver::Chain { solver, .. }) => {
                self.bend_chain(skeleton, (solver, target), (pose, model), |_| {});
            }
        }
    }

    fn at(&self, model: &ModelPose) -> Vec3A {
        model.joints()[usize::from(self.joint)].translation
    }

    /// What is pulled, and what is pinned beside it.
    fn effectors(
        &self,
        skeleton: &Skeleton,
        body: &WholeBody,
        target: Vec3A,
        model: &ModelPose,
    ) -> Vec<Effector> {
        let end = body.end_of(skeleton, self.joint);
        let pins = self
            .pins
            .iter()
            .filter(|&&pin| pin != end && pin != self.joint);
        let pins = pins.map(|&joint| Effector {
            joint,
            target: model.joints()[usize::from(joint)].translation,
            rotation: None,
            pinned: true,
        });
        let pulled = Effector {
            joint: self.joint,
            target,
            rotation: self.rotation,
            pinned: false,
        };
        pins.chain([pulled]).collect()
    }

    /// Bends the chain; `seen` is shown its points before and after every round.
    pub fn bend_chain(
        &self,
        skeleton: &Skeleton,
        (solver, target): (ChainSolver, Vec3A),
        (pose, model): (&mut LocalPose, &mut ModelPose),
        seen: impl FnMut(&[Vec3A]),
    ) -> Solved {
        let at =
            |model: &ModelPose, joint: JointIndex| model.joints()[usize::from(joint)].translation;
        let mut points: Vec<Vec3A> = self.chain.iter().map(|&joint| at(model, joint)).collect();
        let pole = self.pole(skeleton, model);
        let solved = solver.solve(&mut points, (target, pole), seen);
        for (index, pair) in self.chain.windows(2).enumerate() {
            let from = at(model, pair[1]) - at(model, pair[0]);
            let turn = ik::arc(from, points[index + 1] - points[index]);
            rotate_joint(skeleton, pair[0], turn, pose, model);
        }
        solved
    }

    /// Where a stretched chain bends to: an elbow backwards and down, a knee
    /// forward; others any way.
    pub(super) fn pole<S>(&self, skeleton: &Skeleton, model: &SpacePose<S>) -> Vec3A {
        let human = Human::find(skeleton);
        let frame = human.frame(model).unwrap_or(Quat::IDENTITY);
        let leg = Side::BOTH.into_iter().any(|side| {
            let thigh = human.first(side.role(Limb::Thigh));
            thigh.is_some_and(|thigh| skeleton.descends(self.joint, thigh))
        });
        frame
            * if leg {
                Vec3A::Z
            } else {
                Vec3A::new(0.0, -0.5, -1.0)
            }
    }

    /// A lone joint, or a creature by the joint that carries it: all goes.
    fn move_all(
        &self,
        skeleton: &Skeleton,
        target: Vec3A,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let way = target - self.at(model);
        let carrier = usize::from(self.carrier);
        let parent = usize::from(skeleton.parents()[carrier]);
        let above = model.joints().get(parent).map(|joint| joint.rotation);
        let local = above.map_or(way, |above| above.conjugate() * way);
        pose.joints_mut()[carrier].translation += local;
        model.compute(skeleton, pose);
    }
}

/// Root, hinge and end of the limb that ends in a joint, else its parent and its
/// parent's parent; and so many joints above that.
fn chain(skeleton: &Skeleton, joint: JointIndex, more: usize) -> Vec<JointIndex> {
    let human = Human::find(skeleton);
    let limbs = [
        [Limb::UpperArm, Limb::Forearm, Limb::Hand],
        [Limb::Thigh, Limb::Shin, Limb::Foot],
    ];
    let limbs = Side::BOTH
        .into_iter()
        .flat_map(|side| limbs.map(|parts| parts.map(|part| human.first(side.role(part)))));
    let limb = { limbs.into_iter() }.find(|limb| limb[2] == Some(joint));
    let mut chain: Vec<JointIndex> = match limb {
        Some([Some(root), Some(middle), Some(end)]) => vec![end, middle, root],
        _ => { [joint].into_iter() }
            .chain(skeleton.ancestors(joint).take(2))
            .collect(),
    };
    let top = chain.last().copied().unwrap_or(joint);
    chain.extend(skeleton.ancestors(top).take(more));
    chain.reverse();
    chain
}

/// From below the joint that carries the body to a joint: what the others hang
/// on does not turn with one of them.
fn whole_chain(skeleton: &Skeleton, joint: JointIndex, carrier: JointIndex) -> Vec<JointIndex> {
    let above = skeleton.ancestors(joint).take_while(|it| *it != carrier);
    let mut chain: Vec<JointIndex> = [joint].into_iter().chain(above).collect();
    chain.reverse();
    chain
}
