//! Scenes that are stepped and composed.
