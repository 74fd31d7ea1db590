//! A skeleton as a section's body. It comes back bit for bit.
//!
//! ```text
//! text name    text source    u8 unit    u8 unit assumed    f64 divisor    u16 joints
//! for each joint:
//!   text name    u16 parent (65535: none)
//!   f32 × 4 rest rotation    f32 × 3 rest translation    f32 × 3 tip    f32 × 4 axes
//!   u8 degrees of freedom, for each:
//!     u8 which: 0–2 rotation about x, y, z; 3–5 translation; 6 length
//!     f32 × 2 range, infinite where there is none
//! ```
//!
//! A text is a varint of its bytes, then UTF-8. Units: 0 inch, 1 cm, 2 m,
//! 3 mm, 4 foot.

use glam::{Quat, Vec3};

use super::{KinError, KinSkeleton, put_text, read_text};
use crate::{
    codec::{DecodeError, bad_field, bytes::ByteReader},
    math::{Axis, Transform},
    skeleton::{Dof, DofRange, Joint, Skeleton},
    units::{LengthScale, LengthUnit},
};

/// Bytes of a joint with an empty name and no degree of freedom.
const LEAST_JOINT_BYTES: usize = 1 + 2 + 14 * 4 + 1;

const DOFS: [Dof; 7] = [
    Dof::Rotate(Axis::X),
    Dof::Rotate(Axis::Y),
    Dof::Rotate(Axis::Z),
    Dof::Translate(Axis::X),
    Dof::Translate(Axis::Y),
    Dof::Translate(Axis::Z),
    Dof::Length,
];

pub(super) fn write(kin: &KinSkeleton) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(&mut out, kin.skeleton.name());
    put_text(&mut out, &kin.source);
    let unit = LengthUnit::ALL
        .iter()
        .position(|unit| *unit == kin.length.unit);
    out.push(unit.unwrap_or(0) as u8);
    out.push(u8::from(kin.length.assumed));
    out.extend(kin.length.divisor.to_le_bytes());
    out.extend((kin.skeleton.len() as u16).to_le_bytes());
    for joint in kin.skeleton.joints() {
        write_joint(joint, &mut out);
    }
    out
}

fn write_joint(joint: &Joint, out: &mut Vec<u8>) {
    put_text(out, &joint.name);
    out.extend(joint.parent.to_le_bytes());
    let rest = joint.rest;
    let numbers = [
        &rest.rotation.to_array()[..],
        &rest.translation.to_array(),
        &joint.tip.to_array(),
        &joint.axes.to_array(),
    ];
    for number in numbers.concat() {
        out.extend(number.to_le_bytes());
    }
    out.push(joint.dofs.len() as u8);
    for range in &joint.dofs {
        let which = DOFS.iter().position(|dof| *dof == range.dof);
        out.push(which.unwrap_or(0) as u8);
        out.extend(range.range[0].to_le_bytes());
        out.extend(range.range[1].to_le_bytes());
    }
}

pub(super) fn read(body: &[u8], section: usize) -> Result<KinSkeleton, KinError> {
    let wrong = |error| KinError::Section { section, error };
    let (name, source, length, joints) = read_parts(body).map_err(wrong)?;
    let skeleton =
        Skeleton::new(name, joints).map_err(|error| KinError::Skeleton { section, error })?;
    Ok(KinSkeleton {
        skeleton,
        source,
        length,
    })
}

type Parts = (String, String, LengthScale, Vec<Joint>);

fn read_parts(body: &[u8]) -> Result<Parts, DecodeError> {
    let mut reader = ByteReader::new(body);
    let name = read_text(&mut reader, "skeleton name")?;
    let source = read_text(&mut reader, "skeleton source")?;
    let number = reader.u8("length unit")?;
    let unit = LengthUnit::ALL.get(usize::from(number)).copied();
    let unit = unit.ok_or_else(|| bad_field("length unit", number, "0 to 4"))?;
    let assumed = reader.u8("unit assumed")? != 0;
    let divisor = reader.f64("length divisor")?;
    if divisor <= 0.0 {
        return Err(bad_field("length divisor", divisor.to_bits(), "positive"));
    }
    let length = LengthScale {
        unit,
        assumed,
        divisor,
    };
    let count = usize::from(reader.u16("joint count")?);
    // Nothing is allocated for joints that the bytes cannot hold.
    reader.clone().take("joints", count * LEAST_JOINT_BYTES)?;
    let joints = (0..count).map(|_| read_joint(&mut reader));
    let joints = joints.collect::<Result<Vec<_>, _>>()?;
    reader.finish()?;
    Ok((name, source, length, joints))
}

fn read_joint(reader: &mut ByteReader<'_>) -> Result<Joint, DecodeError> {
    let name = read_text(reader, "joint name")?;
    let parent = reader.u16("joint parent")?;
    let rotation = read_quat(reader, "rest rotation")?;
    let translation = read_vector(reader, "rest translation")?;
    let tip = read_vector(reader, "bone tip")?;
    let axes = read_quat(reader, "joint axes")?;
    let count = reader.u8("degrees of freedom")?;
    let dofs = (0..count).map(|_| read_dof(reader));
    Ok(Joint {
        name,
        parent,
        rest: Transform::new(rotation, translation),
        tip,
        axes,
        dofs: dofs.collect::<Result<_, _>>()?,
    })
}

fn read_dof(reader: &mut ByteReader<'_>) -> Result<DofRange, DecodeError> {
    let which = reader.u8("degree of freedom")?;
    let dof = DOFS.get(usize::from(which)).copied();
    Ok(DofRange {
        dof: dof.ok_or_else(|| bad_field("degree of freedom", which, "0 to 6"))?,
        range: [
            reader.f32_or_infinite("range")?,
            reader.f32_or_infinite("range")?,
        ],
    })
}

fn read_quat(reader: &mut ByteReader<'_>, what: &'static str) -> Result<Quat, DecodeError> {
    let mut number = || reader.f32(what);
    let quat = Quat::from_xyzw(number()?, number()?, number()?, number()?);
    // Loose enough for what single precision adds up to, tight enough to
    // refuse damage.
    if (quat.length_squared() - 1.0).abs() > 1e-3 {
        let found = u64::from(quat.length_squared().to_bits());
        return Err(bad_field(what, found, "of unit length"));
    }
    Ok(quat)
}

fn read_vector(reader: &mut ByteReader<'_>, what: &'static str) -> Result<Vec3, DecodeError> {
    let mut number = || reader.f32(what);
    let vector = Vec3::new(number()?, number()?, number()?);
    if vector.abs().max_element() > 1e9 {
        return Err(bad_field(what, 0u64, "within 1e9 m"));
    }
    Ok(vector)
}
