//! Eight particles at a time.
//!
//! Kernels are written once over [`Simd`] and run on the widest instructions
//! the machine has. None of them fuses a product with a sum, so that all
//! machines round alike and the same input gives the same bits everywhere.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8};

/// Particles in a vector.
pub(super) const LANES: usize = 8;

/// Three arrays, one a coordinate.
pub(super) type Soa = [Vec<f32>; 3];

/// Borrowed three arrays.
pub(super) type Parts<'a> = [&'a mut [f32]; 3];

/// All three arrays of a block of particles.
pub(super) fn parts(soa: &mut Soa) -> Parts<'_> {
    soa.each_mut().map(Vec::as_mut_slice)
}

/// Eight points or directions.
#[derive(Clone, Copy)]
pub(super) struct V3<S: Simd> {
    pub x: f32x8<S>,
    pub y: f32x8<S>,
    pub z: f32x8<S>,
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, from: &[f32], at: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &from[at..at + LANES])
}

#[inline(always)]
pub(super) fn store<S: Simd>(value: f32x8<S>, to: &mut [f32], at: usize) {
    to[at..at + LANES].copy_from_slice(value.as_slice());
}

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, value: f32) -> f32x8<S> {
    simd.splat_f32x8(value)
}

/// The largest lane.
#[inline(always)]
pub(super) fn largest<S: Simd>(v: f32x8<S>) -> f32 {
    v.as_slice()
        .iter()
        .copied()
        .fold(f32::NEG_INFINITY, f32::max)
}

impl<S: Simd> V3<S> {
    #[inline(always)]
    pub fn load<T: AsRef<[f32]>>(simd: S, from: &[T; 3], at: usize) -> Self {
        Self {
            x: load(simd, from[0].as_ref(), at),
            y: load(simd, from[1].as_ref(), at),
            z: load(simd, from[2].as_ref(), at),
        }
    }

    #[inline(always)]
    pub fn store<T: AsMut<[f32]>>(self, to: &mut [T; 3], at: usize) {
        store(self.x, to[0].as_mut(), at);
        store(self.y, to[1].as_mut(), at);
        store(self.z, to[2].as_mut(), at);
    }

    #[inline(always)]
    pub fn splat(simd: S, [x, y, z]: [f32; 3]) -> Self {
        Self {
            x: splat(simd, x),
            y: splat(simd, y),
            z: splat(simd, z),
        }
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> f32x8<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub fn map2(self, other: Self, f: impl Fn(f32x8<S>, f32x8<S>) -> f32x8<S>) -> Self {
        Self {
            x: f(self.x, other.x),
            y: f(self.y, other.y),
            z: f(self.z, other.z),
        }
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.map2(other, |a, b| a + b)
    }

    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        self.map2(other, |a, b| a - b)
    }

    #[inline(always)]
    pub fn times(self, factor: f32x8<S>) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            z: self.z * factor,
        }
    }

    #[inline(always)]
    pub fn length(self) -> f32x8<S> {
        self.dot(self).sqrt()
    }
}
