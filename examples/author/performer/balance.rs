//! Mass: where the body's centre of mass is, and moving the root so that it
//! comes to where physics or balance wants it.

use glam::DVec3;

use super::{
    anthropometry::SEGMENTS,
    posture::Posture,
    rig::{Frame, Rig, World},
};

/// Centre of mass, metres.
pub fn centre_of_mass(rig: &Rig, world: &World) -> DVec3 {
    let place = |&(name, along, weight): &(&str, f64, f64)| {
        let bone = rig.find(name).unwrap_or_default();
        world.start[bone].lerp(world.end[bone], along) * weight
    };
    let segment = |segment: &super::anthropometry::Segment| {
        segment.at.iter().map(place).sum::<DVec3>() * segment.mass
    };
    SEGMENTS.iter().map(segment).sum()
}

/// Channel values of a posture whose root has been moved until the centre of
/// mass has the coordinates the posture asks for. A fixed number of rounds, so
/// that the result does not hang on a tolerance.
pub fn solve(rig: &Rig, posture: &Posture) -> Frame {
    const ROUNDS: usize = 14;
    let mut posture = *posture;
    if posture.com.iter().all(Option::is_none) {
        return posture.frame(rig);
    }
    for _ in 0..ROUNDS {
        let found = centre_of_mass(rig, &rig.world(&posture.frame(rig)));
        for axis in 0..3 {
            if let Some(wanted) = posture.com[axis] {
                posture.root[axis] += wanted - found[axis];
            }
        }
    }
    posture.frame(rig)
}
