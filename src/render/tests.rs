//! Shaders and pictures.
