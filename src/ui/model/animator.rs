//! The animator at work.

/// One layer of the animator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerView {
    /// Its name.
    pub name: String,
    /// Current state.
    pub state: String,
    /// The state that fades out.
    pub previous: Option<String>,
    /// How far the fade is, 0 to 1.
    pub fade: f32,
    /// Weight of the layer.
    pub weight: f32,
    /// All states it can be in.
    pub states: Vec<String>,
}

/// What a parameter of the animator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSort {
    /// On or off.
    Switch,
    /// A number.
    Number,
    /// Fires once.
    Trigger,
}

/// A parameter of the animator.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterView {
    /// Its name.
    pub name: String,
    /// Present value; switches are 0 or 1.
    pub value: f64,
    /// What it is.
    pub sort: ParameterSort,
}

/// The animator at work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimatorView {
    /// Where it was read from.
    pub source: String,
    /// Bottom layer first.
    pub layers: Vec<LayerView>,
    /// All of them.
    pub parameters: Vec<ParameterView>,
    /// The last events, newest first.
    pub events: Vec<String>,
    /// Why the file could not be read again.
    pub error: Option<String>,
    /// Factor on time.
    pub time_scale: f64,
    /// Speed over the ground in m/s.
    pub speed_m_per_s: f32,
}
