//! The arithmetic everything else stands on: rigid transforms, Euler orders,
//! quaternion helpers and splines.
//!
//! Conventions of the whole crate: metres, seconds, radians; Y up,
//! right-handed; column vectors; quaternions scalar-last as in glam.

mod euler;
pub mod quat;
pub mod spline;
mod transform;

pub use euler::{Axis, Dof, EulerOrder, UnknownEulerOrder};
pub use transform::Transform;
