//! Solids of a human body between the landmarks of its skeleton.
//!
//! Lengths come from the skeleton; girths are those of a slim adult 1.70 m
//! tall, scaled by the length of leg and trunk. Head height (0.13 of stature)
//! and hand length (0.108) are Drillis & Contini's after Winter; girths are
//! drawn by eye. `Sketch` holds the frame all
//! offsets are given in: left, up, forward of the body.

use glam::{Mat3A, Quat, Vec3A};

use super::{
    anatomy::{Anatomy, Arm, Leg},
    field::Part,
    polygonise::Lens,
};
use crate::skeleton::{JointIndex, ModelPose, Skeleton};

/// Leg plus trunk of the body the girths were drawn for, in metres.
const REFERENCE_M: f32 = 1.35;
/// Height of the head, in reference metres.
const CROWN_ABOVE_CHIN: f32 = 0.220;
/// From a little before the wrist's joint to the tip of the middle finger.
const HAND_LENGTH: f32 = 0.168;

struct Sketch<'a> {
    skeleton: &'a Skeleton,
    pose: &'a ModelPose,
    /// Columns left, up, forward.
    frame: Quat,
    scale: f32,
    parts: Vec<Part>,
}

/// All solids of the body, trunk first.
pub(super) fn human_parts(skeleton: &Skeleton, pose: &ModelPose, anatomy: &Anatomy) -> Vec<Part> {
    let mut sketch = Sketch {
        skeleton,
        pose,
        frame: anatomy.frame(pose),
        scale: 1.0,
        parts: Vec::with_capacity(96),
    };
    sketch.scale = sketch.height_scale(anatomy);
    sketch.trunk(anatomy);
    sketch.neck_and_head(anatomy);
    for (side, leg) in [1.0, -1.0].into_iter().zip(&anatomy.legs) {
        sketch.leg(leg, side);
        sketch.foot(leg);
    }
    for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
        sketch.arm(arm, side);
        sketch.hand(arm, side);
    }
    sketch.parts
}

/// Finer grids for hands, feet and head, where nothing else lies beyond them.
pub(super) fn lenses(
    skeleton: &Skeleton,
    pose: &ModelPose,
    anatomy: &Anatomy,
    parts: &[Part],
) -> Vec<Lens> {
    let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
    let up = anatomy.frame(pose) * Vec3A::Y;
    let ankle = at(anatomy.legs[0].foot);
    let scale = (at(anatomy.head) - ankle).length() / 1.45;
    let lens = |origin: Vec3A, direction: Vec3A, magnification: f32, own: Vec<JointIndex>| {
        let direction = direction.normalize_or(up);
        // By solids: a joint that moves none, such as a root far off, is in nobody's
        // way.
        let foreign = parts.iter().any(|part| {
            let (centre, radius) = part.ball();
            let beyond = (centre - origin).dot(direction) + 0.6 * radius > 0.05 * scale;
            beyond && !part.carve && !part.joints.iter().any(|it| own.contains(it))
        });
        (!foreign).then_some(Lens {
            origin,
            direction,
            magnification,
            ramp_m: 0.09 * scale,
        })
    };
    let with_below = |top: JointIndex| {
        let mut own = vec![top];
        own.extend(skeleton.below(top));
        own
    };
    let mut found = vec![lens(
        at(anatomy.head) - up * (0.03 * scale),
        up,
        1.6,
        with_below(anatomy.head),
    )];
    for arm in &anatomy.arms {
        let (elbow, wrist) = (at(arm.fore[0]), at(arm.hand));
        let along = (wrist - elbow).normalize_or(up);
        let own = with_below(arm.fore[0]);
        found.push(lens(wrist - along * (0.05 * scale), along, 3.9, own));
    }
    for leg in &anatomy.legs {
        let (knee, ankle) = (at(leg.shin), at(leg.foot));
        let along = (ankle - knee).normalize_or(up);
        found.push(lens(
            ankle - along * (0.04 * scale),
            along,
            1.5,
            with_below(leg.foot),
        ));
    }
    found.into_iter().flatten().collect()
}

impl Sketch<'_> {
    fn at(&self, joint: JointIndex) -> Vec3A {
        self.pose.joints()[usize::from(joint)].translation
    }

    fn end(&self, joint: JointIndex) -> Vec3A {
        self.pose.bone_end(self.skeleton, usize::from(joint))
    }

    /// Offset given in reference metres along left, up, forward.
    fn off(&self, left: f32, up: f32, forward: f32) -> Vec3A {
        self.frame * Vec3A::new(left, up, forward) * self.scale
    }

    fn cone(&mut self, a: Vec3A, b: Vec3A, radii: [f32; 2], joints: &[JointIndex]) -> &mut Part {
        let radii = radii.map(|radius| radius * self.scale);
        self.push(Part::cone(a, b, radii, joints).blend(0.03 * self.scale))
    }

    fn egg(&mut self, centre: Vec3A, half: [f32; 3], joints: &[JointIndex]) -> &mut Part {
        let half = Vec3A::from(half) * self.scale;
        let part = Part::ellipsoid(centre, self.frame, half, joints);
        self.push(part.blend(0.04 * self.scale))
    }

    fn push(&mut self, part: Part) -> &mut Part {
        self.parts.push(part);
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    fn height_scale(&self, anatomy: &Anatomy) -> f32 {
        let leg = &anatomy.legs[0];
        let thigh = (self.at(leg.thigh) - self.at(leg.shin)).length();
        let shin = (self.at(leg.shin) - self.at(leg.foot)).length();
        let trunk = (self.shoulders(anatomy) - self.hips(anatomy)).length();
        ((thigh + shin + trunk) / REFERENCE_M).max(1e-3)
    }

    fn hips(&self, anatomy: &Anatomy) -> Vec3A {
        (self.at(anatomy.legs[0].thigh) + self.at(anatomy.legs[1].thigh)) / 2.0
    }

    fn shoulders(&self, anatomy: &Anatomy) -> Vec3A {
        (self.at(anatomy.arms[0].upper) + self.at(anatomy.arms[1].upper)) / 2.0
    }

    /// Pelvis, waist, ribs, breast, shoulder girdle. Heights run along the
    /// line from the hips to the shoulders, which is 0.52 in the reference.
    fn trunk(&mut self, anatomy: &Anatomy) {
        let (hips, shoulders) = (self.hips(anatomy), self.shoulders(anatomy));
        let level = |fraction: f32| hips.lerp(shoulders, fraction);
        let spine = anatomy.spine.clone();
        let pelvis = &spine[..1];
        let wide =
            (self.at(anatomy.legs[0].thigh) - self.at(anatomy.legs[1].thigh)).length() / self.scale;
        let hip = (wide * 0.5).clamp(0.06, 0.12);
        let chest =
            (self.at(anatomy.arms[0].upper) - self.at(anatomy.arms[1].upper)).length() / self.scale;
        let rib = (chest * 0.5 - 0.045).clamp(0.11, 0.17);
        let centre = level(0.13) + self.off(0.0, 0.0, -0.014);
        self.egg(centre, [hip + 0.070, 0.098, 0.094], pelvis)
            .blend_m *= 1.6;
        for side in [1.0, -1.0] {
            let buttock = hips + self.off(side * hip * 0.80, 0.004, -0.044);
            let leg = &anatomy.legs[if side > 0.0 { 0 } else { 1 }];
            let owner = [leg.link.last().copied().unwrap_or(spine[0])];
            self.egg(buttock, [0.078, 0.088, 0.074], &owner);
        }
        for (fraction, half) in [
            (0.34, [rib * 0.86, 0.115, 0.086]),
            (0.54, [rib * 0.92, 0.115, 0.090]),
            (0.74, [rib * 1.02, 0.120, 0.100]),
            (0.88, [rib * 0.98, 0.085, 0.086]),
        ] {
            let centre = level(fraction) + self.off(0.0, 0.0, 0.002);
            self.egg(centre, half, &spine).blend_m *= 1.8;
        }
        self.breast(anatomy, &spine);
    }

    fn breast(&mut self, anatomy: &Anatomy, spine: &[JointIndex]) {
        let (hips, shoulders) = (self.hips(anatomy), self.shoulders(anatomy));
        let chest = &spine[spine.len() - 1..];
        for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
            let shoulder = self.at(arm.upper);
            // Breast muscle: from the breastbone out to the arm.
            let inner = hips.lerp(shoulders, 0.79) + self.off(side * 0.050, 0.0, 0.052);
            let outer = shoulder.lerp(inner, 0.36) + self.off(0.0, -0.030, 0.030);
            self.cone(inner, outer, [0.050, 0.036], chest).blend_m *= 1.6;
            // The broad back, down to the waist.
            let blade = shoulder.lerp(shoulders, 0.30) + self.off(0.0, -0.045, -0.018);
            let waist = hips.lerp(shoulders, 0.42) + self.off(side * 0.060, 0.0, -0.020);
            self.cone(blade, waist, [0.056, 0.050], spine).blend_m *= 1.8;
            let mut girdle = arm.clavicle.clone();
            girdle.extend_from_slice(chest);
            let inner = shoulders + self.off(side * 0.040, -0.008, -0.010);
            let outer = shoulder + self.off(side * -0.008, -0.006, -0.002);
            self.cone(inner, outer, [0.056, 0.043], &girdle).blend_m *= 1.5;
        }
    }

    fn neck_and_head(&mut self, anatomy: &Anatomy) {
        let shoulders = self.shoulders(anatomy);
        let base = shoulders + self.off(0.0, 0.0, -0.018);
        let skull = self.at(anatomy.head);
        let chest = anatomy.spine[anatomy.spine.len() - 1];
        let mut neck = anatomy.neck.clone();
        neck.push(anatomy.head);
        if anatomy.neck.is_empty() {
            neck.push(chest);
        }
        // Chin height in the captures; a skeleton whose head starts lower
        // (many BVH files) still gets a neck of human length.
        let rise = (skull - shoulders).dot(self.frame * Vec3A::Y) / self.scale;
        let mut chin = skull + self.off(0.0, (0.135 - rise).max(0.0), 0.0);
        let crown = (self.end(anatomy.head) - skull).dot(self.frame * Vec3A::Y) / self.scale;
        if crown > 0.14 {
            // A head bone this long ends at the crown, not at the brow.
            chin = skull + self.off(0.0, crown - CROWN_ABOVE_CHIN, 0.0);
        }
        self.cone(base, chin + self.off(0.0, 0.02, 0.0), [0.060, 0.053], &neck);
        for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
            let nape = base.lerp(chin, 0.58) + self.off(side * 0.016, 0.0, -0.020);
            let slope = self.at(arm.upper).lerp(shoulders, 0.30) + self.off(0.0, 0.006, -0.018);
            self.cone(nape, slope, [0.032, 0.030], &[chest]).blend_m *= 1.5;
        }
        self.head(chin, &[anatomy.head]);
    }

    /// Offsets from the chin line up and from the ear line forward.
    fn head(&mut self, chin: Vec3A, head: &[JointIndex]) {
        let at = |sketch: &Self, left, up, forward: f32| chin + sketch.off(left, up, forward);
        let skull = at(self, 0.0, 0.128, -0.006);
        self.egg(skull, [0.0750, 0.092, 0.097], head).blend_m *= 0.7;
        let face = at(self, 0.0, 0.078, 0.036);
        self.egg(face, [0.0585, 0.084, 0.053], head).blend_m *= 0.9;
        let jaw = at(self, 0.0, 0.022, 0.043);
        self.egg(jaw, [0.040, 0.026, 0.037], head).blend_m *= 0.9;
        let chin_point = at(self, 0.0, 0.010, 0.070);
        self.egg(chin_point, [0.017, 0.012, 0.012], head).blend_m *= 0.5;
        for side in [1.0, -1.0] {
            let socket = at(self, side * 0.032, 0.104, 0.100);
            let part = self.egg(socket, [0.019, 0.011, 0.012], head);
            part.carve = true;
            part.blend_m *= 0.5;
            let cheek = at(self, side * 0.036, 0.072, 0.062);
            self.egg(cheek, [0.018, 0.018, 0.018], head).blend_m *= 0.8;
            let ear = at(self, side * 0.0735, 0.092, -0.010);
            self.egg(ear, [0.010, 0.031, 0.018], head).blend_m *= 0.25;
        }
        let brow = [
            at(self, 0.028, 0.122, 0.080),
            at(self, -0.028, 0.122, 0.080),
        ];
        self.cone(brow[0], brow[1], [0.010, 0.010], head).blend_m *= 0.8;
        let nose = [at(self, 0.0, 0.112, 0.085), at(self, 0.0, 0.074, 0.104)];
        self.cone(nose[0], nose[1], [0.0065, 0.0105], head).blend_m *= 0.8;
        let mouth = [
            at(self, 0.014, 0.038, 0.072),
            at(self, -0.014, 0.038, 0.072),
        ];
        self.cone(mouth[0], mouth[1], [0.010, 0.010], head).blend_m *= 0.4;
    }

    fn arm(&mut self, arm: &Arm, side: f32) {
        let (shoulder, elbow) = (self.at(arm.upper), self.at(arm.fore[0]));
        let wrist = self.at(arm.hand);
        let upper = [arm.upper];
        let front = self.hinge_side(shoulder, elbow, 0.0, 0.0, 1.0);
        let unit = self.scale;
        self.cone(shoulder, elbow, [0.045, 0.034], &upper);
        let deltoid = shoulder.lerp(elbow, 0.11) + self.off(side * 0.002, 0.0, 0.0);
        self.limb_egg(deltoid, elbow - shoulder, [0.053, 0.080, 0.054], &upper);
        let biceps = shoulder.lerp(elbow, 0.52) + front * (0.011 * unit);
        self.limb_egg(biceps, elbow - shoulder, [0.036, 0.090, 0.034], &upper);
        let triceps = shoulder.lerp(elbow, 0.44) - front * (0.012 * unit);
        self.limb_egg(triceps, elbow - shoulder, [0.036, 0.100, 0.035], &upper);
        let fore = arm.fore.clone();
        let across = self.palm_across(arm, side);
        let sleeve = Part::cone(elbow, wrist, [0.035 * unit, 0.0255 * unit], &fore);
        self.push(sleeve.squashed(across, 1.12, 0.88).blend(0.03 * unit));
        let muscle = elbow.lerp(wrist, 0.27) + front * (0.004 * unit);
        self.limb_egg(muscle, wrist - elbow, [0.041, 0.088, 0.039], &fore);
    }

    /// An egg whose long axis follows a limb; half axes across, along, across.
    fn limb_egg(&mut self, centre: Vec3A, along: Vec3A, half: [f32; 3], joints: &[JointIndex]) {
        let y = along.normalize_or(Vec3A::Y);
        let frame = Quat::from_rotation_arc(glam::Vec3::Y, y.into());
        let half = Vec3A::from(half) * self.scale;
        let blend = 0.035 * self.scale;
        self.push(Part::ellipsoid(centre, frame, half, joints).blend(blend));
    }

    /// A body direction made perpendicular to a limb.
    fn hinge_side(&self, from: Vec3A, to: Vec3A, left: f32, up: f32, forward: f32) -> Vec3A {
        let along = (to - from).normalize_or(Vec3A::Y);
        let wish = self.frame * Vec3A::new(left, up, forward);
        let side = wish - along * wish.dot(along);
        side.normalize_or(along.any_orthonormal_vector())
    }

    /// From the little finger's side to the thumb's, in the plane of the palm.
    fn palm_across(&self, arm: &Arm, _side: f32) -> Vec3A {
        let wrist = self.at(arm.hand);
        let elbow = self.at(arm.fore[0]);
        let thumb = arm.thumb.map(|thumb| {
            let along = (wrist - elbow).normalize_or(Vec3A::X);
            let bone = self.end(thumb) - self.at(thumb);
            let bone = if bone.length() > 1e-4 {
                bone
            } else {
                self.at(thumb) - wrist
            };
            bone - along * bone.dot(along)
        });
        thumb
            .and_then(Vec3A::try_normalize)
            .unwrap_or_else(|| self.hinge_side(elbow, wrist, 0.0, 0.0, 1.0))
    }

    /// Palm, four fingers and a thumb: 17 cm from the wrist's crease.
    fn hand(&mut self, arm: &Arm, side: f32) {
        let (elbow, wrist) = (self.at(arm.fore[0]), self.at(arm.hand));
        let far = arm
            .fingers
            .last()
            .map_or(self.end(arm.hand), |&j| self.end(j));
        let along = (far - wrist).try_normalize();
        let along = along.unwrap_or((wrist - elbow).normalize_or(Vec3A::X));
        let thumb_side = self.palm_across(arm, side);
        let thumb_side = (thumb_side - along * thumb_side.dot(along)).normalize_or(Vec3A::Z);
        // Palms face down where arms stand out, towards the body where they hang.
        let down = along.cross(thumb_side) * side;
        let frame = Quat::from_mat3a(&Mat3A::from_cols(
            along,
            thumb_side.cross(along),
            thumb_side,
        ));
        let unit = self.scale;
        let start = wrist - along * (0.012 * unit);
        // Captures often end the hand at the knuckles; longer ones are kept.
        let stretch = ((far - start).length() / (HAND_LENGTH * unit)).clamp(1.08, 1.3);
        let put = |x: f32, y: f32, z: f32| {
            start + (along * (x * stretch) + down * -y + thumb_side * z) * unit
        };
        let palm = [arm.hand];
        let slab = Vec3A::new(0.034 * stretch, 0.004, 0.026) * unit;
        let block = Part::slab(
            put(0.050, 0.0, 0.0),
            frame.normalize(),
            slab,
            0.0105 * unit,
            &palm,
        );
        self.push(block.blend(0.022 * unit));
        let heel = put(0.014, 0.0, 0.0);
        self.cone(heel, put(0.070, 0.0, 0.004), [0.022, 0.014], &palm)
            .blend_m *= 0.7;
        let ball = [put(0.028, -0.008, 0.018), put(0.050, -0.008, 0.030)];
        self.cone(ball[0], ball[1], [0.016, 0.013], &palm).blend_m *= 0.5;
        let mut fingers = arm.fingers.clone();
        if fingers.is_empty() {
            fingers.push(arm.hand);
        }
        // Knuckle, spread at the tip, length, radius: index finger first. They
        // stand apart by more than a cell of the grid, so that none merge.
        for (z, spread, length, radius) in [
            (0.0305, 0.0130, 0.072, 0.0084),
            (0.0103, 0.0040, 0.080, 0.0087),
            (-0.0103, -0.0050, 0.074, 0.0084),
            (-0.0298, -0.0140, 0.058, 0.0077),
        ] {
            let knuckle = put(0.082 - (z - 0.0095f32).abs() * 0.18, 0.003, z);
            let middle = knuckle
                + (along * (length * stretch * 0.52) + thumb_side * (spread * 0.6) + down * 0.005)
                    * unit;
            let tip = middle
                + (along * (length * stretch * 0.48) + thumb_side * (spread * 0.4) + down * 0.014)
                    * unit;
            self.cone(knuckle, middle, [radius * 1.06, radius], &fingers)
                .blend_m = 0.007 * unit;
            self.cone(middle, tip, [radius, radius * 0.86], &fingers)
                .blend_m = 0.006 * unit;
        }
        let thumb = [arm.thumb.unwrap_or(arm.hand)];
        let base = put(0.026, -0.008, 0.024);
        let middle = put(0.058, -0.016, 0.050);
        let tip = put(0.086, -0.020, 0.060);
        self.cone(base, middle, [0.0135, 0.0105], &thumb).blend_m = 0.014 * unit;
        self.cone(middle, tip, [0.0105, 0.0088], &thumb).blend_m = 0.008 * unit;
    }

    fn leg(&mut self, leg: &Leg, side: f32) {
        let (hip, knee, ankle) = (self.at(leg.thigh), self.at(leg.shin), self.at(leg.foot));
        let front = self.hinge_side(hip, knee, 0.0, 0.0, 1.0);
        let out = self.hinge_side(hip, knee, side, 0.0, 0.0);
        let unit = self.scale;
        let thigh = [leg.thigh];
        let top = hip + out * (0.004 * unit);
        self.cone(top, knee, [0.082, 0.049], &thigh);
        let quad = hip.lerp(knee, 0.40) + (front * 0.016 + out * 0.006) * unit;
        self.limb_egg(quad, knee - hip, [0.064, 0.185, 0.061], &thigh);
        let back = hip.lerp(knee, 0.46) - front * (0.018 * unit);
        self.limb_egg(back, knee - hip, [0.054, 0.150, 0.052], &thigh);
        let shin = [leg.shin];
        let cap = knee + front * (0.016 * unit);
        self.limb_egg(cap, knee - hip, [0.031, 0.044, 0.028], &shin);
        self.cone(knee, ankle, [0.048, 0.031], &shin);
        let calf = knee.lerp(ankle, 0.29) - (front * 0.024 - out * 0.002) * unit;
        self.limb_egg(calf, ankle - knee, [0.055, 0.125, 0.047], &shin);
        let shank = knee.lerp(ankle, 0.22) + front * (0.002 * unit);
        self.limb_egg(shank, ankle - knee, [0.045, 0.130, 0.041], &shin);
        let lower = knee.lerp(ankle, 0.60) - front * (0.008 * unit);
        self.limb_egg(lower, ankle - knee, [0.037, 0.130, 0.037], &shin);
    }

    /// Heel, instep, ball and toes. The sole lies 2.2 cm under the ball,
    /// square to the shin: captures define the foot with the leg splayed.
    fn foot(&mut self, leg: &Leg) {
        let (knee, ankle) = (self.at(leg.shin), self.at(leg.foot));
        let ball = self.end(leg.foot);
        let bone = ball - ankle;
        let toe_end = leg.toes.map(|toes| self.end(toes));
        let shin_down = (ankle - knee).normalize_or(self.frame * -Vec3A::Y);
        let ahead = toe_end.map_or(bone, |end| end - ankle);
        let ahead = ahead - shin_down * ahead.dot(shin_down);
        let ahead = ahead.normalize_or(self.frame * Vec3A::Z);
        let down = (shin_down - ahead * shin_down.dot(ahead)).normalize_or(shin_down);
        let unit = self.scale;
        let ball = if bone.length() > 0.05 * unit {
            ball
        } else {
            ankle + (ahead * 0.13 + down * 0.04) * unit
        };
        let sole = (ball - ankle).dot(down).max(0.012 * unit) + 0.022 * unit;
        let reach = (ball - ankle).dot(ahead);
        let across = ahead.cross(down);
        let put = |forward_m: f32, above_sole: f32, side: f32| {
            ankle + ahead * forward_m + down * (sole - above_sole * unit) + across * (side * unit)
        };
        let foot = [leg.foot];
        let toes = [leg.toes.unwrap_or(leg.foot)];
        let heel = put(-0.040 * unit, 0.031, 0.0);
        let radii = |low: f32, high: f32| [low * unit, high * unit];
        let length = toe_end.map_or(0.06 * unit, |end| (end - ball).dot(ahead).max(0.05 * unit));
        let inner = 0.006 * self.inward(across);
        let block = Part::cone(heel, put(0.0, 0.036, 0.0), radii(0.031, 0.034), &foot);
        self.push(block.blend(0.03 * unit));
        let tarsus = ankle + down * (0.002 * unit);
        let instep = Part::cone(
            tarsus,
            put(reach * 0.78, 0.030, inner),
            radii(0.036, 0.027),
            &foot,
        );
        self.push(instep.squashed(across, 1.12, 1.0).blend(0.035 * unit));
        let sole = Part::cone(heel, put(reach, 0.023, 0.0), radii(0.027, 0.023), &foot);
        self.push(sole.squashed(across, 1.55, 1.0).blend(0.03 * unit));
        let root = put(reach, 0.021, 0.0);
        let tip = put(reach + length * 0.80, 0.0165, inner);
        let cap = Part::cone(root, tip, radii(0.021, 0.0155), &toes);
        self.push(cap.squashed(across, 1.85, 1.0).blend(0.03 * unit));
    }

    /// +1 when `across` points to the body's middle on the left foot's side.
    fn inward(&self, across: Vec3A) -> f32 {
        across.dot(self.frame * Vec3A::X).signum()
    }
}
