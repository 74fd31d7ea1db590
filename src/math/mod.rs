//! The arithmetic everything else stands on: rigid transforms, Euler orders,
//! quaternion helpers, splines, eases and springs.
//!
//! Conventions of the whole crate: metres, seconds, radians; Y up,
//! right-handed; column vectors; quaternions scalar-last as in glam.

pub mod ease;
mod euler;
pub mod ik;
pub mod quat;
pub mod spline;
mod spring;
mod transform;

pub use ease::Ease;
pub use euler::{Axis, Dof, EulerOrder, UnknownEulerOrder};
pub use spring::Spring;
pub use transform::Transform;
